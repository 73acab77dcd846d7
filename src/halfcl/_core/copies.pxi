# Copies of halves, and of float16 while accelerate() is on, that lie next to each other: NumPy's, and
# by several threads where they are many.
# Needs: accelerated_casts.pxi, acceleration.pxi, loops.pxi, scalar.pxi, types.pxi

cdef extern from "halfcl.h" nogil:
    void halfcl_run_copy(void *, const void *, size_t)

cdef extern from "numpy_compat.h":
    halfcl_array_method *halfcl_method_of_own_copies(object)
    halfcl_array_method *halfcl_method_of_copies(object)

cdef enum:
    FEW_TO_COPY = 8  # as between a mask's truths: less than a call takes

# What chooses the loops that copy float16, or swap its bytes.
cdef void *get_copy_loop_of_numpy = NULL


cdef int copy_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef char *source = data[0]
    cdef char *target = data[1]
    cdef cnp.npy_intp i, n = dimensions[0]
    if n >= FEW_TO_COPY:
        halfcl_run_copy(target, source, n)
        return 0
    for i in range(n):
        memcpy(target + i * sizeof(uint16_t), source + i * sizeof(uint16_t), sizeof(uint16_t))
    return 0


cdef inline bint keeps_bytes(const PyArrayMethod_Context *context) noexcept:
    """Whether both dtypes are of one byte order."""
    return cnp.PyArray_ISNBO((<PyArray_Descr_fields *>context.descriptors[0]).byteorder) == (
        cnp.PyArray_ISNBO((<PyArray_Descr_fields *>context.descriptors[1]).byteorder))


cdef int copy_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    (<get_loop_function>halfcl_kept(&get_copy_loop_of_numpy))(
        context, aligned, move_references, strides, out_loop, out_data, out_flags)
    if strides[0] == sizeof(uint16_t) and strides[1] == sizeof(uint16_t) and keeps_bytes(context):
        out_loop[0] = copy_loop
    return 0


cdef class ReplacedCopies:
    """NumPy's cast of float16 to itself, that can be halfcl's.

    bound: what NumPy's _get_castingimpl gives. ValueError if it is not what it is taken for.
    """

    cdef object bound  # keeps the method alive
    cdef halfcl_array_method *method

    def __cinit__(self, bound not None):
        self.method = halfcl_method_of_copies(bound)
        if self.method == NULL:
            raise ValueError(f"bound: expected the method of copies, got {bound!r}")
        self.bound = bound

    @property
    def is_replaced(self):
        return self.method.get_loop == <void *>copy_get_loop

    def replace(self):
        """Put halfcl's loop in the place of NumPy's."""
        if not self.is_replaced:
            halfcl_keep(&get_copy_loop_of_numpy, &self.method.get_loop, sizeof(void *))
            halfcl_publish(&self.method.get_loop, <void *>copy_get_loop)

    def restore(self):
        """Put back what was there."""
        if self.is_replaced:
            halfcl_publish(&self.method.get_loop, get_copy_loop_of_numpy)


def teach_copies(of_half, of_float16):
    """Let halves be copied as float16's elements are, by the casts of both to themselves.

    Returns whether they are: not if the casts are not what they are taken for.
    """
    cdef halfcl_array_method *own = halfcl_method_of_own_copies(of_half)
    cdef halfcl_array_method *usual = halfcl_method_of_copies(of_float16)
    if own == NULL or usual == NULL:
        return False
    if usual.get_loop != <void *>copy_get_loop:
        halfcl_keep(&get_copy_loop_of_numpy, &usual.get_loop, sizeof(void *))
    own.get_loop, own.flags, own.casting = <void *>copy_get_loop, usual.flags, usual.casting
    return True
