# The dtype of halfcl.half: the functions that NumPy requires of one, and its registration.
#
# It has kind 'f': numpy.save then writes '<f2', which any reader takes as float16, and NumPy treats
# it as a floating type. Kind 'V' would load as void.
# Needs: drivers.pxi, regions.pxi, scalar.pxi, text.pxi, types.pxi

from libc.stdint cimport int16_t
from libc.stdio cimport FILE
from libc.stdlib cimport free as free_memory

ctypedef int (*fill_func)(void *, cnp.npy_intp, void *) noexcept
ctypedef int (*sort_func)(void *, cnp.npy_intp, void *) noexcept nogil

cdef extern from "numpy/arrayobject.h":
    ctypedef int (*argsort_func)(void *, cnp.npy_intp *, cnp.npy_intp, void *)

    ctypedef struct PyArray_ArrFuncs:
        object (*getitem)(void *, void *)
        int (*setitem)(PyObject *, void *, void *) except -1
        void (*copyswapn)(void *, cnp.npy_intp, void *, cnp.npy_intp, cnp.npy_intp, int, void *) noexcept
        void (*copyswap)(void *, void *, int, void *) noexcept
        int (*compare)(const void *, const void *, void *) noexcept
        int (*argmax)(void *, cnp.npy_intp, cnp.npy_intp *, void *) noexcept
        int (*argmin)(void *, cnp.npy_intp, cnp.npy_intp *, void *) noexcept
        void (*dotfunc)(void *, cnp.npy_intp, void *, cnp.npy_intp, void *, cnp.npy_intp, void *) noexcept
        int (*scanfunc)(FILE *, void *, char *, PyArray_Descr_struct *) noexcept
        int (*fromstr)(char *, void *, char **, PyArray_Descr_struct *) noexcept
        cnp.npy_bool (*nonzero)(void *, void *) noexcept
        fill_func fill
        int (*fillwithscalar)(void *, cnp.npy_intp, void *, void *) noexcept
        sort_func sort[3]
        argsort_func argsort[3]
        PyObject *castdict

    ctypedef struct PyArray_DescrProto:
        PyTypeObject *typeobj
        char kind
        char type
        char byteorder
        char flags
        int type_num
        int elsize
        int alignment
        PyObject *fields
        PyArray_ArrFuncs *f

    int PyArray_RegisterDataType(PyArray_DescrProto *) except -1
    void PyArray_InitArrFuncs(PyArray_ArrFuncs *)
    PyArray_ArrFuncs *PyDataType_GetArrFuncs(cnp.dtype)

cdef extern from "numpy_methods.h":
    unsigned long long halfcl_calls_taken  # calls of this thread

cdef extern from "run/sort.h" nogil:
    int halfcl_compare(uint16_t, uint16_t)
    int halfcl_sort(uint16_t *, size_t)
    int halfcl_argsort(const uint16_t *, cnp.npy_intp *, size_t)
    int halfcl_argsort_by(sort_func, const uint16_t *, cnp.npy_intp *, size_t)
    bint halfcl_keys_of(const halfcl_isa *, int16_t *, const uint16_t *, size_t)
    void halfcl_halves_of(const halfcl_isa *, uint16_t *, const int16_t *, size_t)
    size_t halfcl_argmax(const halfcl_kernel *, const uint16_t *, size_t)
    size_t halfcl_argmin(const halfcl_kernel *, const uint16_t *, size_t)
    int halfcl_search(
        const uint16_t *, size_t, const uint16_t *, size_t, bint, cnp.npy_intp *)


# ---------------------------------------------------------------- array functions
#
# getitem, setitem and nonzero get an element as it lies in the array: unaligned, or with its bytes
# swapped, according to the array. copyswap and copyswapn get an argument for that. All others get
# elements in native order, aligned ones except for compare.

cdef inline bint is_swapped(void *array) noexcept:
    return array != NULL and not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>array)


cdef inline uint16_t load(const void *data, void *array) noexcept:
    cdef uint16_t bits
    memcpy(&bits, data, 2)
    return swap_bytes(bits) if is_swapped(array) else bits


cdef object half_getitem(void *data, void *array):
    return <double>halfcl_to_float(load(data, array))


cdef uint16_t bits_to_set(object value) except? 0:
    """Return the half for an element that is set, rounded in the region's mode."""
    cdef unsigned flags = 0
    cdef double number
    cdef uint16_t bits
    if is_exact_double(value, &number):
        bits = to_bits_by_region(value, &flags)
    else:
        if cnp.PyArray_Check(value) and cnp.PyArray_NDIM(value) == 0:
            value = value[()]
        elif is_sequence(value):
            raise ValueError("setting an array element with a sequence.")
        bits = to_bits_by_region(value, &flags)
    if flags & HALFCL_OVERFLOW:  # the only exception that float16 reports here
        report(HALFCL_OVERFLOW, "cast")
    return bits


cdef int half_setitem(PyObject *item, void *data, void *array) except -1:
    cdef uint16_t bits
    cdef unsigned flags = 0
    if <PyObject *>Py_TYPE(<object>item) == SCALAR_CLASS:
        bits = (<float16>item).obval
    elif type(<object>item) is float and not may_be_in_region():
        bits = halfcl_from_double(<double><object>item, HALFCL_RTE, &flags)
        if flags & HALFCL_OVERFLOW:
            report(HALFCL_OVERFLOW, "cast")
    else:
        bits = bits_to_set(<object>item)
    if is_swapped(array):
        bits = swap_bytes(bits)
    memcpy(data, &bits, 2)
    return 0


cdef void copy_swapped(
    char *to, cnp.npy_intp to_step, const char *source, cnp.npy_intp step, cnp.npy_intp n
) noexcept nogil:
    cdef cnp.npy_intp i
    cdef uint16_t bits
    if step == 2 and to_step == 2:  # a loop of its own, which compilers can vectorise
        for i in range(n):
            memcpy(&bits, source + 2 * i, 2)
            bits = swap_bytes(bits)
            memcpy(to + 2 * i, &bits, 2)
        return
    for i in range(n):
        memcpy(&bits, source + i * step, 2)
        bits = swap_bytes(bits)
        memcpy(to + i * to_step, &bits, 2)


cdef void half_copyswapn(
    void *to, cnp.npy_intp to_step, void *source, cnp.npy_intp step, cnp.npy_intp n,
    int swap, void *array
) noexcept:
    if source == NULL:
        source, step = to, to_step
    elif not swap:
        halfcl_copy(<char *>to, to_step, <const char *>source, step, n)
        return
    if swap:
        copy_swapped(<char *>to, to_step, <const char *>source, step, n)


cdef void half_copyswap(void *to, void *source, int swap, void *array) noexcept:
    cdef uint16_t bits
    memcpy(&bits, to if source == NULL else source, 2)
    if swap:
        bits = swap_bytes(bits)
    memcpy(to, &bits, 2)


cdef int half_compare(const void *a, const void *b, void *array) noexcept:
    # The elements are always in native order: NumPy swaps them to sort them, although the array
    # that it passes may be the swapped one that they came from.
    return halfcl_compare(load(a, NULL), load(b, NULL))


cdef const halfcl_kernel *RANGE = find_kernel("maximum_reduce", "e>e", HALFCL_FOLD)


cdef int half_argmax(void *data, cnp.npy_intp n, cnp.npy_intp *index, void *array) noexcept:
    global halfcl_calls_taken
    halfcl_calls_taken += 1
    index[0] = halfcl_argmax(RANGE, <const uint16_t *>data, n)
    return 0


cdef int half_argmin(void *data, cnp.npy_intp n, cnp.npy_intp *index, void *array) noexcept:
    global halfcl_calls_taken
    halfcl_calls_taken += 1
    index[0] = halfcl_argmin(RANGE, <const uint16_t *>data, n)
    return 0


# NumPy's functions that sort integers of 16 and of 32 bits, if these use vectors; else NULL. They
# ignore their array argument, as integers have one order only.
cdef sort_func sort_of_integers = NULL
cdef sort_func sort_of_words = NULL
cdef enum:
    FEW_TO_SORT_AS_INTEGERS = 16
    KEYS_ON_STACK = 1024

cdef extern from *:
    """
    static inline int halfcl_is_amd(void)
    {
    #if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
        return __builtin_cpu_is("amd");
    #else
        return 0;
    #endif
    }
    """
    bint halfcl_is_amd()


def is_amd():
    """Return whether the processor is one of AMD's."""
    return halfcl_is_amd()


# Counting is faster for more elements.
cdef cnp.npy_intp most_to_sort_as_integers = 0


cdef bint sort_as_integers(uint16_t *values, cnp.npy_intp n, void *array) noexcept nogil:
    """Sort halves by their keys; return False if some may compare equal but differ in bits.

    The keys are a copy: if another thread sorted the same halves, they would be converted twice.
    """
    cdef int16_t on_stack[KEYS_ON_STACK]
    cdef int16_t *keys = on_stack
    cdef bint is_sorted
    if n > KEYS_ON_STACK:
        keys = <int16_t *>malloc(n * sizeof(int16_t))
    if keys == NULL:
        return False
    is_sorted = (
        not halfcl_keys_of(ISA, keys, values, n) and sort_of_integers(keys, n, array) == 0)
    if is_sorted:
        halfcl_halves_of(ISA, values, keys, n)
    if keys != on_stack:
        free_memory(keys)
    return is_sorted


cdef int half_sort(void *data, cnp.npy_intp n, void *array) noexcept nogil:
    global halfcl_calls_taken
    halfcl_calls_taken += 1
    if sort_of_integers != NULL and FEW_TO_SORT_AS_INTEGERS <= n <= most_to_sort_as_integers:
        if sort_as_integers(<uint16_t *>data, n, array):
            return 0
    return halfcl_sort(<uint16_t *>data, n)


cdef int half_argsort(
    void *data, cnp.npy_intp *order, cnp.npy_intp n, void *array
) noexcept nogil:
    global halfcl_calls_taken
    halfcl_calls_taken += 1
    if sort_of_words != NULL and FEW_TO_SORT_AS_INTEGERS <= n <= most_to_sort_as_integers:
        return halfcl_argsort_by(sort_of_words, <const uint16_t *>data, order, n)
    return halfcl_argsort(<const uint16_t *>data, order, n)


cdef sort_func quicksort_of(object type) except? NULL:
    cdef cnp.dtype dtype = np.dtype(type)
    return PyDataType_GetArrFuncs(dtype).sort[<int>cnp.NPY_QUICKSORT]


def sort_by_integers(bint of_16_bits, bint of_32_bits, cnp.npy_intp most):
    """Set whether NumPy's functions sort halves as integers, and up to how many.

    Only where they use vectors; return whether they do.
    """
    global sort_of_integers, sort_of_words, most_to_sort_as_integers
    most_to_sort_as_integers = most
    sort_of_integers = quicksort_of(np.int16) if of_16_bits else NULL
    sort_of_words = quicksort_of(np.uint32) if of_32_bits else NULL


cdef cnp.npy_bool half_nonzero(void *data, void *array) noexcept:
    return (load(data, array) & 0x7FFF) != 0


cdef const halfcl_kernel *FROM_DOUBLE = find_kernel("convert", "d>e", HALFCL_MAP)
cdef enum:
    FILL_BLOCK = 256


cdef int half_fill(void *data, cnp.npy_intp n, void *array) noexcept:
    """Fill an array for arange: continue its first two elements."""
    cdef uint16_t *values = <uint16_t *>data
    cdef double start = halfcl_to_float(values[0])
    cdef double step = halfcl_to_float(values[1]) - start
    cdef double exact[FILL_BLOCK]
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef int mode = loop_mode_nogil()
    cdef cnp.npy_intp i, count, done = 2
    cdef cnp.npy_uint64 runs = halfcl_runs()[0]
    steps[0], steps[1] = sizeof(double), sizeof(uint16_t)
    while done < n:
        count = min(n - done, FILL_BLOCK)
        for i in range(count):
            exact[i] = start + (done + i) * step
        operands[0], operands[1] = <char *>exact, <char *>&values[done]
        run_map(FROM_DOUBLE, operands, steps, count, mode)
        done += count
    halfcl_runs()[0] = runs  # these halves are made of numbers, as in setitem
    return 0


cdef int half_fillwithscalar(void *data, cnp.npy_intp n, void *value, void *array) noexcept:
    cdef uint16_t *values = <uint16_t *>data
    cdef uint16_t bits = (<uint16_t *>value)[0]
    cdef cnp.npy_intp i
    for i in range(n):
        values[i] = bits
    return 0


cdef const halfcl_kernel *DOT = find_kernel("dot", "ee>e", HALFCL_FOLD)


cdef void half_dot(
    void *a, cnp.npy_intp a_step, void *b, cnp.npy_intp b_step, void *out, cnp.npy_intp n,
    void *array
) noexcept nogil:
    cdef halfcl_matrix_product product = halfcl_matrix_product(
        halfcl_matrix(<char *>a, 0, a_step), halfcl_matrix(<char *>b, b_step, 0),
        halfcl_matrix(<char *>out, 2, 2), 1, n, 1)
    cdef unsigned flags = run_product(DOT, &product, operator_mode_nogil())
    if flags:
        halfcl_raise(flags)


# ---------------------------------------------------------------- registration

cdef PyArray_ArrFuncs half_functions
cdef PyArray_DescrProto half_prototype


cdef int register_dtype() except -1:
    """Set HALF and HALF_NUMBER, which are declared in types.pxi."""
    global HALF, HALF_NUMBER
    PyArray_InitArrFuncs(&half_functions)
    half_functions.getitem = half_getitem
    half_functions.setitem = half_setitem
    half_functions.copyswapn = half_copyswapn
    half_functions.copyswap = half_copyswap
    half_functions.compare = half_compare
    half_functions.argmax = half_argmax
    half_functions.argmin = half_argmin
    half_functions.dotfunc = half_dot
    half_functions.scanfunc = half_scan
    half_functions.fromstr = half_fromstr
    half_functions.nonzero = half_nonzero
    half_functions.fill = half_fill
    half_functions.fillwithscalar = half_fillwithscalar
    for kind in range(3):
        half_functions.sort[kind] = half_sort
        half_functions.argsort[kind] = half_argsort

    (<PyObject *>&half_prototype).ob_type = <PyTypeObject *>np.dtype
    half_prototype.typeobj = <PyTypeObject *>half
    half_prototype.kind = b"f"
    half_prototype.type = b"e"
    half_prototype.byteorder = b"="
    half_prototype.elsize = 2
    half_prototype.alignment = 2
    half_prototype.f = &half_functions
    # As with NumPy's own dtypes: with NULL, copies of the dtype would be the dtype itself.
    Py_INCREF(None)
    half_prototype.fields = <PyObject *>None
    HALF_NUMBER = PyArray_RegisterDataType(&half_prototype)
    HALF = cnp.PyArray_DescrFromType(HALF_NUMBER)
    halfcl_count_no_more(HALF)
    return 0


register_dtype()
HALF_DTYPE = HALF
