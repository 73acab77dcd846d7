# Replaces NumPy's casts from and to float16 by halfcl's kernels, and restores them.
# Needs: acceleration.pxi, call.pxi, casts.pxi, drivers.pxi, dtype.pxi, loops.pxi, regions.pxi, scalar.pxi, types.pxi

from libc.string cimport memchr, memcmp

cdef extern from "numpy_compat.h":
    ctypedef struct halfcl_array_method:
        int flags
        cnp.NPY_CASTING casting
        void *get_loop
        void *strided
        void *contiguous
        void *unaligned_strided
        void *unaligned_contiguous
        void *indexed

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

# NumPy's loops of a cast, in the order of halfcl_array_method.
cdef enum Layout:
    STRIDED, CONTIGUOUS, UNALIGNED_STRIDED, UNALIGNED_CONTIGUOUS, LAYOUTS

# Halves that are no numbers, by what casts to integers make of them.
cdef enum Special:
    INFINITY, MINUS_INFINITY, NOT_A_NUMBER, SPECIALS

# Whether NumPy's cast to integers wraps all finite halves, silently, as the kernels do.
cdef enum Wrapping:
    IS_UNKNOWN, WRAPS, DOES_NOT_WRAP

# A cast of NumPy's and the loop that replaces it. The loop rounds to nearest, since NumPy itself
# casts where it sees fit, except in an Experiment that governs casts.
ctypedef struct AcceleratedCast:
    NpyAuxData base
    strided_loop loop
    const halfcl_kernel *kernel
    unsigned exceptions      # those of the kernel's flags that NumPy raises too
    int mode                 # or RANDOM_MODE
    bint is_watched          # whether an Experiment is notified of results that are not finite
    cnp.npy_intp few         # fewer elements than these are left to NumPy
    halfcl_array_method *method
    void *loops_of_numpy[LAYOUTS]
    atomic_int wrapping
    uint64_t integers[SPECIALS]  # NumPy's results for halves that are no numbers
    unsigned raised[SPECIALS]    # and the exceptions that it raises

# Keyed by the number of the other dtype; filled while halfcl is imported, never freed.
cdef AcceleratedCast[DIRECTIONS][BUILTIN_NUMBERS] accelerated_casts

cdef enum:
    FEW_TO_CAST = 32       # NumPy casts so many in the time of entering a kernel


# ---------------------------------------------------------------- loops

cdef inline strided_loop loop_of_numpy(AcceleratedCast *cast, Layout layout) noexcept nogil:
    return <strided_loop>halfcl_kept(&cast.loops_of_numpy[<int>layout])


cdef inline int run_cast(
    AcceleratedCast *cast, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    cdef unsigned flags
    if cast.is_watched:
        flags = run_in_mode(cast.kernel, data, <const Py_ssize_t *>strides, n, cast.mode)
    else:
        flags = run_unwatched(cast.kernel, data, <const Py_ssize_t *>strides, n, cast.mode)
    flags &= cast.exceptions
    if flags:
        halfcl_raise(flags)
    return 0


cdef inline bint is_exact_source(int number) noexcept nogil:
    """Return whether all numbers of a type are halves."""
    return number in (cnp.NPY_BOOL, cnp.NPY_BYTE, cnp.NPY_UBYTE)


cdef bint are_exact(
    int source, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Return whether a cast to float16 has kept all numbers. (Casts that round end this early.)"""
    cdef cnp.npy_intp i
    for i in range(n):
        if not halfcl_is_same_value(
            data[0] + i * strides[0], source, data[1] + i * strides[1], NPY_HALF
        ):
            return False
    return True


cdef int run_in_experiment(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, AcceleratedCast *cast
) noexcept nogil:
    """Cast to float16 to nearest, and again in the mode of casts unless the result is exact."""
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num, mode
    cdef AcceleratedCast governed
    cdef int failed = cast.loop(context, data, dimensions, strides, &cast.base)
    if failed or are_exact(source, data, strides, dimensions[0]):
        return failed
    if dimensions[0] == 1:
        mode = mode_of_cast_nogil(<double>halfcl_number_at(data[0], source))
    else:
        mode = mode_of_casts_nogil()
    if mode == HALFCL_RTE and not are_finite_results_watched():
        return 0
    memcpy(&governed, cast, sizeof(governed))
    governed.mode, governed.is_watched = mode, True
    return cast.loop(context, data, dimensions, strides, &governed.base)


cdef inline int run_replaced(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, Layout layout
) noexcept nogil:
    global halfcl_calls_taken
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    cdef AcceleratedCast *cast = (
        &accelerated_casts[FROM_FLOAT16][target] if source == NPY_HALF
        else &accelerated_casts[TO_FLOAT16][source])
    if widens_few(context, cast.kernel, data, strides, dimensions[0]):
        halfcl_calls_taken += 1
        return 0
    if halfcl_asks_same_value(context):
        return loop_of_numpy(cast, layout)(context, data, dimensions, strides, NULL)
    if may_be_watched() and source != NPY_HALF and not is_exact_source(source):
        halfcl_calls_taken += 1
        return run_in_experiment(context, data, dimensions, strides, cast)
    if dimensions[0] < cast.few:
        return loop_of_numpy(cast, layout)(context, data, dimensions, strides, NULL)
    halfcl_calls_taken += 1
    return cast.loop(context, data, dimensions, strides, &cast.base)


cdef int replaced_strided(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *unused
) noexcept nogil:
    return run_replaced(context, data, dimensions, strides, STRIDED)


cdef int replaced_contiguous(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *unused
) noexcept nogil:
    return run_replaced(context, data, dimensions, strides, CONTIGUOUS)


cdef int replaced_unaligned_strided(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *unused
) noexcept nogil:
    return run_replaced(context, data, dimensions, strides, UNALIGNED_STRIDED)


cdef int replaced_unaligned_contiguous(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *unused
) noexcept nogil:
    return run_replaced(context, data, dimensions, strides, UNALIGNED_CONTIGUOUS)


cdef strided_loop[LAYOUTS] REPLACING_LOOPS = [
    replaced_strided, replaced_contiguous, replaced_unaligned_strided,
    replaced_unaligned_contiguous]


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


cdef inline Special special_of(uint16_t bits) noexcept nogil:
    """Return which of the halves that are no numbers it is."""
    if (bits & 0x7FFF) > 0x7C00:
        return NOT_A_NUMBER
    return MINUS_INFINITY if bits & 0x8000 else INFINITY


cdef inline unsigned cast_by_numpy(
    AcceleratedCast *cast, PyArrayMethod_Context *context, Layout layout, char *const *data,
    cnp.npy_intp n
) noexcept nogil:
    """Cast halves next to each other; return what NumPy raises."""
    cdef cnp.npy_intp[2] strides = [
        sizeof(uint16_t), halfcl_type_size(<halfcl_type>cast.kernel.signature.types[1])]
    cdef halfcl_env env
    halfcl_enter(&env, HALFCL_RTE)
    loop_of_numpy(cast, layout)(context, data, &n, strides, NULL)
    return halfcl_leave(&env)


cdef bint wraps_block(
    AcceleratedCast *cast, PyArrayMethod_Context *context, Layout layout, const uint16_t *halves,
    size_t size
) noexcept nogil:
    """Return whether NumPy's loop casts a block of finite halves as the kernel does, silently."""
    cdef uint64_t[BLOCK_TO_CAST] ours, theirs
    cdef cnp.npy_intp[2] strides = [sizeof(uint16_t), size]
    cdef char *data[2]
    data[0], data[1] = <char *>halves, <char *>ours
    halfcl_run(
        cast.kernel, data, <const Py_ssize_t *>strides, BLOCK_TO_CAST, <halfcl_rounding>cast.mode)
    data[1] = <char *>theirs
    return (
        cast_by_numpy(cast, context, layout, data, BLOCK_TO_CAST) == 0
        and memcmp(ours, theirs, BLOCK_TO_CAST * size) == 0)


cdef bint keeps_special(
    AcceleratedCast *cast, PyArrayMethod_Context *context, uint16_t bits
) noexcept nogil:
    """Keep what NumPy makes of a half that is no number; return whether others give the same."""
    cdef uint64_t result = 0
    cdef int special = special_of(bits)
    cdef char *data[2]
    data[0], data[1] = <char *>&bits, <char *>&result
    cdef unsigned raised = cast_by_numpy(cast, context, CONTIGUOUS, data, 1)
    if bits in (0x7C00, 0xFC00, 0x7C01):  # the first of its kind
        cast.integers[special], cast.raised[special] = result, raised
    return cast.integers[special] == result and cast.raised[special] == raised


cdef bint find_wrapping(AcceleratedCast *cast, PyArrayMethod_Context *context) noexcept nogil:
    """Return whether NumPy's cast wraps all finite halves, and store its results for others.

    C leaves results undefined that do not fit. So all halves are tried, a block for each exponent.
    Threads that do so at once store the same.
    """
    cdef size_t size = halfcl_type_size(<halfcl_type>cast.kernel.signature.types[1])
    cdef uint16_t halves[BLOCK_TO_CAST]
    cdef int i, k
    for k in range(0x10000 // BLOCK_TO_CAST):
        for i in range(BLOCK_TO_CAST):
            halves[i] = <uint16_t>(k * BLOCK_TO_CAST + i)
        if halves[0] & 0x7C00 == 0x7C00:
            for i in range(BLOCK_TO_CAST):
                if not keeps_special(cast, context, halves[i]):
                    return False
        elif not (  # perhaps one of these loops uses vectors, and the other does not
            wraps_block(cast, context, CONTIGUOUS, halves, size)
            and wraps_block(cast, context, UNALIGNED_STRIDED, halves, size)
        ):
            return False
    return True


cdef inline bint wraps(AcceleratedCast *cast, PyArrayMethod_Context *context) noexcept nogil:
    if cast.wrapping == IS_UNKNOWN:
        cast.wrapping = WRAPS if find_wrapping(cast, context) else DOES_NOT_WRAP
    return cast.wrapping == WRAPS


cdef const halfcl_kernel *IS_FINITE = find_kernel("isfinite", "e>?", HALFCL_MAP)


cdef unsigned put_specials(
    AcceleratedCast *cast, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Write NumPy's integers for the infinities and NaNs of a block; return what it raises."""
    cdef size_t size = halfcl_type_size(<halfcl_type>cast.kernel.signature.types[1])
    cdef char are_finite[BLOCK_TO_CAST]
    cdef char *operands[2]
    cdef Py_ssize_t[2] steps = [strides[0], 1]
    cdef const char *place = are_finite
    cdef const char *end = are_finite + n
    cdef unsigned flags = 0
    cdef uint16_t bits
    cdef int special
    operands[0], operands[1] = data[0], are_finite
    halfcl_run(IS_FINITE, operands, steps, n, HALFCL_RTE)
    place = <const char *>memchr(place, 0, end - place)
    while place != NULL:
        memcpy(&bits, data[0] + (place - are_finite) * strides[0], sizeof(bits))
        special = special_of(bits)
        memcpy(
            data[1] + (place - are_finite) * strides[1], &cast.integers[special], size)
        flags |= cast.raised[special]
        place = <const char *>memchr(place + 1, 0, end - place - 1)
    return flags


cdef unsigned mend_block(
    AcceleratedCast *cast, PyArrayMethod_Context *context, char *const *data,
    const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Make a block that has been cast equal to NumPy's; return what is to be raised."""
    if wraps(cast, context):
        return put_specials(cast, data, strides, n)
    if halfcl_run(
        cast.kernel, data, <const Py_ssize_t *>strides, n, <halfcl_rounding>cast.mode
    ) & HALFCL_INVALID:
        loop_of_numpy(cast, UNALIGNED_STRIDED)(context, data, &n, strides, NULL)
    return 0


cdef int cast_to_integers(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast to integers, with NumPy's own result for numbers that do not fit and for NaNs.

    C leaves those undefined. NumPy's loop casts all halves that the integers overlap.
    """
    cdef AcceleratedCast *cast = <AcceleratedCast *>auxdata
    cdef cnp.npy_intp n, done = 0, total = dimensions[0]
    cdef cnp.npy_intp[2] sizes = [
        sizeof(uint16_t), halfcl_type_size(<halfcl_type>cast.kernel.signature.types[1])]
    cdef char *block[2]
    cdef unsigned flags
    if not lie_apart(data, strides, total, sizes):
        return loop_of_numpy(cast, UNALIGNED_STRIDED)(context, data, dimensions, strides, NULL)
    flags = halfcl_run(
        cast.kernel, data, <const Py_ssize_t *>strides, total, <halfcl_rounding>cast.mode)
    if not flags & HALFCL_INVALID:
        return 0
    flags = 0
    while done < total:
        block[0], block[1] = data[0] + done * strides[0], data[1] + done * strides[1]
        n = min(BLOCK_TO_CAST, total - done)
        flags |= mend_block(cast, context, block, strides, n)
        done += n
    if flags:
        halfcl_raise(flags)
    return 0


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
        return self.cast.method.contiguous == <void *>replaced_contiguous

    @property
    def wraps(self):
        """True if NumPy wraps integers that do not fit; None before there was one."""
        return None if self.cast.wrapping == IS_UNKNOWN else self.cast.wrapping == WRAPS

    @wraps.setter
    def wraps(self, value):
        self.cast.wrapping = IS_UNKNOWN if value is None else WRAPS if value else DOES_NOT_WRAP

    cdef void **places(self) noexcept:
        """Return where the method has its loops, in the order of Layout."""
        return <void **>&self.cast.method.strided

    def replace(self):
        """Replace NumPy's loops by halfcl's."""
        cdef int layout
        if self.is_replaced:
            return
        halfcl_keep(self.cast.loops_of_numpy, self.places(), sizeof(self.cast.loops_of_numpy))
        for layout in range(LAYOUTS):
            halfcl_publish(&self.places()[layout], <void *>REPLACING_LOOPS[layout])

    def restore(self):
        """Restore NumPy's loops."""
        cdef int layout
        for layout in range(LAYOUTS if self.is_replaced else 0):
            halfcl_publish(&self.places()[layout], self.cast.loops_of_numpy[layout])
