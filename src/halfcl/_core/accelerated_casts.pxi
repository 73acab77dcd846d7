# Replaces NumPy's casts from and to float16 by halfcl's kernels, and restores them.
# Needs: acceleration.pxi, call.pxi, casts.pxi, dtype.pxi, loops.pxi, scalar.pxi, types.pxi

cdef extern from "numpy_compat.h":
    ctypedef struct halfcl_array_method:
        int flags
        cnp.NPY_CASTING casting
        void *get_loop
        void *indexed
        void *contiguous
        void *unaligned_strided

    halfcl_array_method *halfcl_method_of_conversion(object)
    bint halfcl_asks_same_value(const PyArrayMethod_Context *) nogil

cdef extern from *:
    """
    /* A long double at any address. Copying ten bytes as sixteen would stall on the next copy. */
    typedef npy_longdouble halfcl_longdouble __attribute__((aligned(1), may_alias));
    """
    ctypedef cnp.npy_longdouble halfcl_longdouble

ctypedef int (*get_loop_function)(
    PyArrayMethod_Context *, int, int, const cnp.npy_intp *, strided_loop *, NpyAuxData **, int *
) except -1

cdef enum:
    FROM_FLOAT16, TO_FLOAT16, DIRECTIONS  # the place of the halves among a cast's arrays, and a count

# A cast of NumPy's and the loop that replaces it. The loop always rounds to nearest, since NumPy
# itself casts where it sees fit.
ctypedef struct AcceleratedCast:
    NpyAuxData base
    strided_loop loop
    const halfcl_kernel *kernel
    unsigned exceptions      # those of the kernel's flags that NumPy raises too
    halfcl_rounding mode
    cnp.npy_intp few         # fewer elements than these are left to NumPy
    halfcl_array_method *method
    void *get_loop_of_numpy

# Keyed by the number of the other dtype; filled while halfcl is imported, never freed.
cdef AcceleratedCast[DIRECTIONS][BUILTIN_NUMBERS] accelerated_casts

cdef enum:
    FEW_TO_CAST = 32       # NumPy casts so many in the time of entering a kernel
    FEW_TO_LOOK_AT_FIRST = 8
    MOST_LEFT_TO_NUMPY = 16 * BLOCK_TO_CAST  # elements at once, where numbers do not fit


# ---------------------------------------------------------------- loops

cdef inline bint is_packed(
    const PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *strides, int k
) noexcept nogil:
    """Return whether the elements lie next to each other and are aligned."""
    cdef cnp.npy_intp size = (<PyArray_Descr_fields *>context.descriptors[k]).elsize
    # Numbers are aligned to the largest power of two in their size; a division would take longer
    # than a cast of few elements.
    return strides[k] == size and <size_t>data[k] & <size_t>((size & -size) - 1) == 0


cdef inline int loop_of_numpy(
    AcceleratedCast *cast, PyArrayMethod_Context *context, char *const *data,
    const cnp.npy_intp *dimensions, const cnp.npy_intp *strides
) noexcept nogil:
    cdef bint are_packed = is_packed(context, data, strides, 0) and is_packed(
        context, data, strides, 1)
    return (<strided_loop>(cast.method.contiguous if are_packed else cast.method.unaligned_strided))(
        context, data, dimensions, strides, NULL)


cdef inline int run_cast(
    AcceleratedCast *cast, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    cdef unsigned flags = cast.exceptions & halfcl_run(
        cast.kernel, data, <const Py_ssize_t *>strides, n, cast.mode)
    if flags:
        halfcl_raise(flags)
    return 0


cdef int accelerated_cast_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef AcceleratedCast *cast = <AcceleratedCast *>auxdata
    if widens_few(context, cast.kernel, data, strides, dimensions[0]):
        return 0
    if dimensions[0] < cast.few or halfcl_asks_same_value(context):
        return loop_of_numpy(cast, context, data, dimensions, strides)
    return cast.loop(context, data, dimensions, strides, auxdata)


cdef int whole_cast(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    return run_cast(<AcceleratedCast *>auxdata, data, strides, dimensions[0])


cdef inline bint lie_apart(
    char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n, const cnp.npy_intp *sizes
) noexcept nogil:
    """Return whether one of two arrays ends before the other begins."""
    cdef Bounds bounds[2]
    cdef int k
    for k in range(2):
        bounds[k].low, bounds[k].high = data[k], data[k] + sizes[k]
        reach_along(&bounds[k], strides[k], n)
    return bounds_are_apart(&bounds[0], &bounds[1])


cdef inline bint cast_those_that_fit(
    AcceleratedCast *cast, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Cast a block if all its numbers fit; return whether they do."""
    return not halfcl_run(
        cast.kernel, data, <const Py_ssize_t *>strides, n, cast.mode) & HALFCL_INVALID


cdef bint seem_to_fit(
    char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n, bint is_unsigned
) noexcept nogil:
    """Return whether the first numbers seem to fit, by their bits.

    Infinities, NaNs and numbers below an unsigned type's range do not.
    """
    cdef uint16_t bits
    cdef cnp.npy_intp i
    for i in range(min(n, FEW_TO_LOOK_AT_FIRST)):
        memcpy(&bits, data[0] + i * strides[0], sizeof(bits))
        if (bits & 0x7FFF) >= 0x7C00 or (is_unsigned and bits >= 0xBC00):
            return False
    return True


cdef int cast_block_by_block(
    AcceleratedCast *cast, PyArrayMethod_Context *context, char *const *data,
    const cnp.npy_intp *strides, cnp.npy_intp total
) noexcept nogil:
    """Cast blocks, those with numbers that do not fit by NumPy's loop.

    The more such blocks there are, the fewer are tried first.
    """
    cdef cnp.npy_intp n, done = 0, left_to_numpy = BLOCK_TO_CAST
    cdef char *block[2]
    if total <= BLOCK_TO_CAST:
        return loop_of_numpy(cast, context, data, &total, strides)
    while done < total:
        block[0], block[1] = data[0] + done * strides[0], data[1] + done * strides[1]
        n = min(BLOCK_TO_CAST, total - done)
        if cast_those_that_fit(cast, block, strides, n):
            left_to_numpy = BLOCK_TO_CAST
        else:
            n = min(left_to_numpy, total - done)
            loop_of_numpy(cast, context, block, &n, strides)
            left_to_numpy = min(2 * left_to_numpy, MOST_LEFT_TO_NUMPY)
        done += n
    return 0


cdef int cast_to_integers(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast to integers, with NumPy's own result for numbers that do not fit and for NaNs.

    C leaves those undefined. NumPy's loop reads the halves again; so it does all of the cast where
    the integers overlap the halves.
    """
    cdef AcceleratedCast *cast = <AcceleratedCast *>auxdata
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    cdef cnp.npy_intp n = dimensions[0]
    cdef cnp.npy_intp[2] sizes = [
        sizeof(uint16_t), halfcl_type_size(<halfcl_type>cast.kernel.signature.types[1])]
    if not lie_apart(data, strides, n, sizes):
        return loop_of_numpy(cast, context, data, dimensions, strides)
    if seem_to_fit(data, strides, n, cnp.PyTypeNum_ISUNSIGNED(target)):
        if cast_those_that_fit(cast, data, strides, n):
            return 0
    return cast_block_by_block(cast, context, data, strides, n)


# Casts in two steps go through a buffer, block by block: the kernel runs on the halves and the
# buffer, the second step on the buffer and the other array.
ctypedef struct Block:
    int direction
    cnp.npy_intp remaining, n
    char *data[2]
    cnp.npy_intp strides[2]
    char *other
    cnp.npy_intp other_stride


cdef inline void start_block(
    Block *block, char *const *data, const cnp.npy_intp *dimensions, const cnp.npy_intp *strides,
    int direction, void *buffer, size_t size
) noexcept nogil:
    block.direction, block.remaining, block.n = direction, dimensions[0], 0
    block.data[direction], block.strides[direction] = data[direction], strides[direction]
    block.data[1 - direction], block.strides[1 - direction] = <char *>buffer, size
    block.other, block.other_stride = data[1 - direction], strides[1 - direction]


cdef inline bint next_block(Block *block) noexcept nogil:
    """Advance to the next block; return whether there is one."""
    block.data[block.direction] += block.n * block.strides[block.direction]
    block.other += block.n * block.other_stride
    block.remaining -= block.n
    block.n = min(BLOCK_TO_CAST, block.remaining)
    return block.n > 0


cdef int cast_to_complex(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    widen_to_complex((<AcceleratedCast *>auxdata).kernel, data, strides, dimensions[0])
    return 0


cdef int cast_to_longdouble(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast halves to long doubles, or to complex numbers of them."""
    cdef double real[BLOCK_TO_CAST]
    cdef bint is_complex = (
        (<PyArray_Descr_fields *>context.descriptors[1]).type_num == cnp.NPY_CLONGDOUBLE)
    cdef halfcl_longdouble *to
    cdef Block block
    cdef cnp.npy_intp i
    start_block(&block, data, dimensions, strides, FROM_FLOAT16, real, sizeof(double))
    while next_block(&block):
        run_cast(<AcceleratedCast *>auxdata, block.data, block.strides, block.n)
        for i in range(block.n):
            to = <halfcl_longdouble *>(block.other + i * block.other_stride)
            to[0] = real[i]
            if is_complex:
                to[1] = 0
    return 0


cdef int cast_from_longdouble(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast long doubles to halves through a double that rounds to the same half."""
    cdef double odd[BLOCK_TO_CAST]
    cdef Block block
    cdef cnp.npy_intp i
    start_block(&block, data, dimensions, strides, TO_FLOAT16, odd, sizeof(double))
    while next_block(&block):
        for i in range(block.n):
            odd[i] = halfcl_odd_double(
                (<halfcl_longdouble *>(block.other + i * block.other_stride))[0])
        run_cast(<AcceleratedCast *>auxdata, block.data, block.strides, block.n)
    return 0


cdef strided_loop loop_of_cast(int direction, int number) noexcept:
    if number in (cnp.NPY_LONGDOUBLE, cnp.NPY_CLONGDOUBLE):
        return cast_from_longdouble if direction == TO_FLOAT16 else cast_to_longdouble
    if direction == TO_FLOAT16:
        return whole_cast  # the real part of a complex number lies first
    if number in (cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE):
        return cast_to_complex
    if cnp.PyTypeNum_ISINTEGER(number):
        return cast_to_integers
    return whole_cast


# ---------------------------------------------------------------- replacing

cdef int accelerated_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    cdef AcceleratedCast *cast = (
        &accelerated_casts[FROM_FLOAT16][target] if source == NPY_HALF
        else &accelerated_casts[TO_FLOAT16][source])
    (<get_loop_function>halfcl_kept(&cast.get_loop_of_numpy))(
        context, aligned, move_references, strides, out_loop, out_data, out_flags)
    global halfcl_calls_taken
    if out_data[0] == NULL:  # NumPy's loops have none
        halfcl_calls_taken += 1
        out_loop[0], out_data[0] = accelerated_cast_loop, &cast.base
    return 0


cdef int real_kernel_number(int number) noexcept:
    """Return the type number that the kernel casts for a type: double for long double."""
    number = real_number(number)
    return cnp.NPY_DOUBLE if number in (cnp.NPY_LONGDOUBLE, cnp.NPY_CLONGDOUBLE) else number


cdef class ReplacedCast:
    """A NumPy cast from or to float16 that can be replaced by halfcl's.

    bound: the result of NumPy's _get_castingimpl. ValueError if it is not laid out as expected.
    """

    cdef object bound  # keeps the method alive
    cdef AcceleratedCast *cast

    def __cinit__(self, bound not None, source not None, target not None):
        cdef halfcl_array_method *method = halfcl_method_of_conversion(bound)
        if method == NULL or not CASTS_ARE_THERE:
            raise ValueError(f"bound: expected the method of a cast, got {bound!r}")
        cdef int direction = FROM_FLOAT16 if source.num == NPY_HALF else TO_FLOAT16
        cdef int number = (target if direction == FROM_FLOAT16 else source).num
        cdef int kernel_number = real_kernel_number(number)
        self.bound = bound
        self.cast = &accelerated_casts[direction][number]
        self.cast.base.free, self.cast.base.clone = keep_auxdata, same_auxdata
        self.cast.method = method
        self.cast.loop = loop_of_cast(direction, number)
        # NumPy rounds long doubles to float first.
        self.cast.few = 0 if self.cast.loop == cast_from_longdouble else FEW_TO_CAST
        self.cast.mode = HALFCL_RTZ if direction == FROM_FLOAT16 else HALFCL_RTE
        self.cast.kernel = cast_data(
            HALF_NUMBER if direction == FROM_FLOAT16 else kernel_number,
            kernel_number if direction == FROM_FLOAT16 else HALF_NUMBER, HALFCL_RTE).kernel
        # NumPy raises nothing for a signalling NaN that stays one, or becomes none.
        self.cast.exceptions = ~<unsigned>HALFCL_INVALID

    @property
    def is_replaced(self):
        return self.cast.method.get_loop == <void *>accelerated_get_loop

    def replace(self):
        """Replace NumPy's loop by halfcl's."""
        if not self.is_replaced:
            halfcl_keep(
                &self.cast.get_loop_of_numpy, &self.cast.method.get_loop, sizeof(void *))
            halfcl_publish(&self.cast.method.get_loop, <void *>accelerated_get_loop)

    def restore(self):
        """Restore NumPy's loop."""
        if self.is_replaced:
            halfcl_publish(&self.cast.method.get_loop, self.cast.get_loop_of_numpy)
