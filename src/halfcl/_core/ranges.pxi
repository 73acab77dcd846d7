# ndarray.round to decimals, and numpy.arange, of half, and of float16 while accelerate() is on.
# NumPy computes both in halves: x * 10**k overflows, and arange adds the difference of two rounded
# elements.
# Needs: arguments.pxi, call.pxi, drivers.pxi, dtype.pxi, products.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi

from libc.math cimport NAN, ceil, fabs

cdef extern from "numpy_methods.h":
    int HALFCL_ARANGE
    bint halfcl_takes_float16

cdef enum:
    MOST_BY_FLOATS = 5  # decimals
    # From this number on halves are further apart than the decimals, and each is its own result.
    DECIMALS_OF_HALF = 8
    # Half of 10**6 is more than the largest half, so the nearest multiple is 0.
    LARGEST_POWER = 6

cdef const halfcl_kernel *TO_FRACTIONS = find_kernel("round_to_fractions", "ef>e", HALFCL_MAP)
cdef const halfcl_kernel *TO_SMALL_FRACTIONS = find_kernel(
    "round_to_small_fractions", "ef>e", HALFCL_MAP)
cdef const halfcl_kernel *TO_MULTIPLES = find_kernel("round_to_multiples", "ef>e", HALFCL_MAP)


# ---------------------------------------------------------------- round

cdef void round_halves(uint16_t *values, cnp.npy_intp n, Py_ssize_t decimals) noexcept nogil:
    """Round halves in place to the half nearest to the decimal; as rint, it ignores the region."""
    cdef const halfcl_kernel *kernel = (
        TO_MULTIPLES if decimals < 0
        else TO_FRACTIONS if decimals <= MOST_BY_FLOATS else TO_SMALL_FRACTIONS)
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    cdef Py_ssize_t i
    cdef float power = 1
    if decimals >= DECIMALS_OF_HALF:
        return
    for i in range(min(-decimals if decimals < 0 else decimals, LARGEST_POWER + 1)):
        power *= 10
    operands[0], operands[1], operands[2] = <char *>values, <char *>&power, <char *>values
    steps[0], steps[1], steps[2] = sizeof(uint16_t), 0, sizeof(uint16_t)
    halfcl_run(kernel, operands, steps, n, HALFCL_RTE)


cdef PyObject *half_round(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    """Round an array to decimals.

    args: decimals and out, NULL where they are absent.
    """
    cdef cnp.ndarray rounded
    cdef Py_ssize_t decimals = 0
    array = <object>self
    out = None if args[1] == NULL else <object>args[1]
    if args[0] != NULL:
        number = plain_axis(<object>args[0])
        if number is None:
            return new_reference(NotImplemented)
        decimals = max(-100, min(100, number))
    if decimals == 0 or not (out is None or cnp.PyArray_Check(out)):
        return new_reference(NotImplemented)
    if out is not None and out.shape != array.shape:
        raise ValueError(f"round: out: expected shape {array.shape}, got {out.shape}")
    rounded = np.array(array, array.dtype.newbyteorder("="), subok=True)  # a contiguous copy
    with nogil:
        round_halves(<uint16_t *>cnp.PyArray_DATA(rounded), cnp.PyArray_SIZE(rounded), decimals)
    if out is not None:
        np.copyto(out, rounded, casting="same_kind")
        return new_reference(out)
    if cnp.PyArray_NDIM(rounded) == 0 and cnp.PyArray_CheckExact(rounded):
        return new_reference(rounded[()])
    return new_reference(rounded)


# ---------------------------------------------------------------- arange

cdef int fill_evenly(
    uint16_t *values, cnp.npy_intp n, double start, double step, int mode
) noexcept nogil:
    """Write start + i * step, rounded once, to each element."""
    cdef double exact[FILL_BLOCK]
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef cnp.npy_intp count, done = 0
    cdef cnp.npy_uint64 runs = halfcl_runs()[0]
    steps[0], steps[1] = sizeof(double), sizeof(uint16_t)
    while done < n:
        count = min(n - done, FILL_BLOCK)
        halfcl_even_numbers(exact, start, step, done, count, mode == RANDOM_MODE)
        operands[0], operands[1] = <char *>exact, <char *>&values[done]
        run_map(FROM_DOUBLE, operands, steps, count, mode)
        done += count
    halfcl_runs()[0] = runs  # these halves are made of numbers, as in setitem
    return 0


cdef double MOST_BY_DOUBLES = 1LL << 31  # elements; NumPy counts more

cdef enum:
    RANGE_START, RANGE_STOP, RANGE_STEP, RANGE_DTYPE, RANGE_DEVICE, RANGE_LIKE
    COUNT_OF_RANGE_ARGUMENTS

cdef tuple RANGE_ARGUMENTS = ("start", "stop", "step", "dtype", "device", "like")
cdef tuple REAL_NUMBERS = (int, float, half, np.bool_, np.integer, np.floating)


cdef inline bint is_taken_type(object kind) noexcept:
    return kind is half or kind is np.float16 and halfcl_takes_float16


cdef bint has_halves(PyObject **parsed) noexcept:
    """Return whether a number is a half: differences of halves, which determine the length, round.
    """
    cdef int i
    for i in range(RANGE_DTYPE):
        if parsed[i] != NULL and is_taken_type(type(<object>parsed[i])):
            return True
    return False


cdef object half_of_range(object dtype):
    """Return the dtype of the elements, if that is half or a supported float16; None otherwise."""
    if dtype is None or dtype is float or dtype is int:
        return None
    if dtype is FLOAT16 or dtype is np_float16:
        return FLOAT16 if halfcl_takes_float16 else None
    if dtype is HALF or dtype is half:
        return HALF
    kind = np.dtype(dtype)
    return kind if is_taken_type(kind.type) else None


cdef cnp.npy_intp length_of_range(double start, object stop, double step) except -1:
    """Return how many elements there are, as NumPy does; NumPy raises errors."""
    cdef double end, count
    if is_exact_double(stop, &end):
        count = (end - start) / step if step != 0 else NAN
        if fabs(count) < MOST_BY_DOUBLES and (count != 0 or end == start):
            return <cnp.npy_intp>max(ceil(count), 0)
    return np.arange(start, stop, step, np.float64).size


cdef object make_range(object kind, double start, object stop, double step):
    """Return halves of that dtype."""
    cdef cnp.npy_intp n = length_of_range(start, stop, step)
    cdef bint is_in_order = cnp.PyArray_ISNBO((<PyArray_Descr_fields *>kind).byteorder)
    cdef cnp.ndarray elements = new_array(
        1, &n, <cnp.dtype>(kind if is_in_order else kind.newbyteorder("=")))
    cdef int mode = mode_of_loops(BY_OPERATOR)
    with nogil:
        # A single element has no step: an infinite one times 0 would be NaN.
        fill_evenly(<uint16_t *>cnp.PyArray_DATA(elements), n, start, step if n > 1 else 0, mode)
    return elements if is_in_order else elements.astype(kind)


cdef PyObject *half_arange(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[COUNT_OF_RANGE_ARGUMENTS]
    cdef list numbers = [None] * RANGE_DTYPE
    cdef int i
    memset(parsed, 0, sizeof(parsed))
    if not read_optional_arguments(RANGE_ARGUMENTS, args, nargs, names, parsed):
        return new_reference(NotImplemented)
    if parsed[RANGE_LIKE] != NULL or parsed[RANGE_DEVICE] != NULL:
        return new_reference(NotImplemented)
    dtype = None if parsed[RANGE_DTYPE] == NULL else <object>parsed[RANGE_DTYPE]
    kind = half_of_range(dtype)
    if kind is None and not has_halves(parsed):
        return new_reference(NotImplemented)
    for i in range(RANGE_DTYPE):
        number = None if parsed[i] == NULL else <object>parsed[i]
        if number is None or type(number) is int or type(number) is float:
            numbers[i] = number
            continue
        if cnp.PyArray_Check(number) and number.ndim == 0:
            number = number[()]
        if not issubclass(type(number), REAL_NUMBERS):
            return new_reference(NotImplemented)
        numbers[i] = float(number) if is_taken_type(type(number)) else number
    start, stop, step = numbers
    if stop is None:
        start, stop = (0, start) if parsed[RANGE_START] != NULL else (None, None)
    if stop is None or start is None and parsed[RANGE_START] != NULL:
        return new_reference(NotImplemented)  # NumPy raises the error
    if start is None:
        start = 0
    if step is None:
        step = 1
    if kind is None:
        return new_reference(np.arange(start, stop, step, np.float64 if dtype is None else dtype))
    return new_reference(make_range(kind, start, stop, step))


def is_float16_taken():
    """Return whether accelerate() is on, so that float16 is computed like half."""
    return halfcl_takes_float16 != 0


def interpolate_halves(a not None, b not None, t not None):
    """Return a + (b - a) * t of arrays of one shape, truncated with a sticky last bit.

    A later rounding to half is correct.
    """
    cdef cnp.ndarray starts = np.ascontiguousarray(a, np.float64)
    cdef cnp.ndarray ends = np.ascontiguousarray(b, np.float64)
    cdef cnp.ndarray parts = np.ascontiguousarray(t, np.float64)
    cdef cnp.ndarray results = np.empty(np.shape(a), np.float64)
    cdef double *start = <double *>cnp.PyArray_DATA(starts)
    cdef double *end = <double *>cnp.PyArray_DATA(ends)
    cdef double *part = <double *>cnp.PyArray_DATA(parts)
    cdef double *result = <double *>cnp.PyArray_DATA(results)
    cdef cnp.npy_intp i
    if not np.shape(a) == np.shape(b) == np.shape(t):
        raise ValueError("interpolate_halves: expected arrays of one shape")
    for i in range(cnp.PyArray_SIZE(results)):
        result[i] = halfcl_multiply_add_to_odd(part[i], end[i] - start[i], start[i])
    return results


def teach_arange(extension not None):
    """Let numpy.arange return halves that are rounded once; return whether it does."""
    return halfcl_replace_function(
        HALFCL_ARANGE, extension.arange, <halfcl_method *>half_arange)
