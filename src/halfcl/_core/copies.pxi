# Copies of halves, and of float16 while accelerate() is on, that lie next to each other: as
# NumPy's, but with several threads where they are many.
# Needs: accelerated_casts.pxi, acceleration.pxi, loops.pxi, scalar.pxi, types.pxi

cdef extern from "halfcl.h" nogil:
    void halfcl_run_copy(void *, const void *, size_t)

cdef extern from "numpy_compat.h":
    halfcl_array_method *halfcl_method_of_own_copies(object)
    halfcl_array_method *halfcl_method_of_copies(object)

cdef enum:
    FEW_TO_COPY = 8  # as in runs of a mask: copying them is faster than a call

# Chooses the loops that copy float16 or swap its bytes.
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
    """Return whether both dtypes have the same byte order."""
    return cnp.PyArray_ISNBO((<PyArray_Descr_fields *>context.descriptors[0]).byteorder) == (
        cnp.PyArray_ISNBO((<PyArray_Descr_fields *>context.descriptors[1]).byteorder))


cdef int copy_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    if strides[0] == sizeof(uint16_t) and strides[1] == sizeof(uint16_t) and keeps_bytes(context):
        out_loop[0], out_data[0], out_flags[0] = copy_loop, NULL, NPY_METH_NO_FLOATINGPOINT_ERRORS
        return 0
    return (<get_loop_function>halfcl_kept(&get_copy_loop_of_numpy))(
        context, aligned, move_references, strides, out_loop, out_data, out_flags)


cdef class ReplacedCopies:
    """NumPy's cast of float16 to itself, which can be replaced by halfcl's.

    bound: the result of NumPy's _get_castingimpl. ValueError if it is not laid out as expected.
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
        """Replace NumPy's loop by halfcl's."""
        if not self.is_replaced:
            halfcl_keep(&get_copy_loop_of_numpy, &self.method.get_loop, sizeof(void *))
            halfcl_publish(&self.method.get_loop, <void *>copy_get_loop)

    def restore(self):
        """Restore NumPy's loop."""
        if self.is_replaced:
            halfcl_publish(&self.method.get_loop, get_copy_loop_of_numpy)


def teach_copies(of_half, of_float16):
    """Copy halves as float16's elements are copied, through both dtypes' casts to themselves.

    Return whether that worked: not if the casts are not laid out as expected.
    """
    cdef halfcl_array_method *own = halfcl_method_of_own_copies(of_half)
    cdef halfcl_array_method *usual = halfcl_method_of_copies(of_float16)
    if own == NULL or usual == NULL:
        return False
    if usual.get_loop != <void *>copy_get_loop:
        halfcl_keep(&get_copy_loop_of_numpy, &usual.get_loop, sizeof(void *))
    own.get_loop, own.flags, own.casting = <void *>copy_get_loop, usual.flags, usual.casting
    return True
