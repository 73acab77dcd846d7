# ndarray.round to decimals, and numpy.arange, of half, and of float16 while accelerate() is on.
# NumPy computes both in halves: x * 10**k overflows, and arange adds the difference of two rounded
# elements.
# Needs: arguments.pxi, call.pxi, drivers.pxi, dtype.pxi, products.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi

from libc.math cimport ceil, fma, fabs, isfinite, rint

cdef extern from "numpy_methods.h":
    int HALFCL_ARANGE
    bint halfcl_takes_float16

cdef enum:
    # From this number on halves are further apart than the decimals, and each is its own result.
    DECIMALS_OF_HALF = 8
    # Half of 10**6 is more than the largest half, so the nearest multiple is 0.
    LARGEST_POWER = 6

cdef double LARGEST_HALF = 65504
cdef double MOST_IN_RANGE = 2.0**31  # for a larger number of elements NumPy may have to raise


# ---------------------------------------------------------------- round

cdef double round_to_decimals(double x, double power, bint divides) noexcept nogil:
    """Return the decimal nearest to a half, ties to even, with an error below 2**-53 of it.

    x * power is exact, as is the product of the integers. The distance of the decimal from any
    point between two halves is at least 2**-40 of it, so a second rounding to half is correct.
    """
    cdef double result = rint(x / power) * power if divides else rint(x * power) / power
    return min(max(result, -LARGEST_HALF), LARGEST_HALF)


cdef void round_halves(uint16_t *values, cnp.npy_intp n, Py_ssize_t decimals) noexcept nogil:
    """Round halves in place to the half nearest to the decimal; as rint, it ignores the region."""
    cdef unsigned flags = 0
    cdef bint divides = decimals < 0
    cdef Py_ssize_t i
    cdef double power = 1
    if decimals >= DECIMALS_OF_HALF:
        return
    for i in range(min(-decimals if divides else decimals, LARGEST_POWER + 1)):
        power *= 10
    for i in range(n):
        if (values[i] & 0x7C00) != 0x7C00:  # finite
            values[i] = halfcl_from_double(
                round_to_decimals(halfcl_to_float(values[i]), power, divides), HALFCL_RTE, &flags)


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

cdef inline double sum_to_odd(double a, double b) noexcept nogil:
    """Return the sum, truncated with a sticky last bit, so that a later rounding is correct."""
    cdef double total = a + b
    cdef double part = total - a
    cdef double error = (a - (total - part)) + (b - part)
    cdef cnp.npy_int64 bits
    memcpy(&bits, &total, sizeof(bits))
    if error != 0 and isfinite(total) and not bits & 1:
        bits += 1 if (error > 0) == (total > 0) else -1
        memcpy(&total, &bits, sizeof(bits))
    return total


cdef inline double element_to_odd(double start, double i, double step) noexcept nogil:
    """Return start + i * step, exact except for a sticky last bit (Boldo and Melquiond)."""
    cdef double product = i * step
    cdef double product_error = fma(i, step, -product)
    cdef double low = start + product_error
    cdef double part = low - start
    cdef double low_error = (start - (low - part)) + (product_error - part)
    cdef double high = product + low
    if not isfinite(high):
        return high
    part = high - product
    return sum_to_odd(high, sum_to_odd(low_error, (product - (high - part)) + (low - part)))


cdef inline bint is_multiple(double x) noexcept nogil:
    """Return whether x is a multiple of 2^-24, as all halves are, and not large."""
    return fabs(x) < 2.0**26 and x * 2.0**24 == rint(x * 2.0**24)


cdef int fill_evenly(
    uint16_t *values, cnp.npy_intp n, double start, double step, int mode
) noexcept nogil:
    """Write start + i * step, rounded once, to each element."""
    cdef double exact[FILL_BLOCK]
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef cnp.npy_intp i, count, done = 0
    cdef cnp.npy_uint64 runs = halfcl_runs()[0]
    cdef bint is_exact = is_multiple(start) and is_multiple(step) and is_multiple(step * <double>n)
    steps[0], steps[1] = sizeof(double), sizeof(uint16_t)
    while done < n:
        count = min(n - done, FILL_BLOCK)
        for i in range(count if is_exact else 0):
            exact[i] = start + <double>(done + i) * step
        for i in range(0 if is_exact else count):
            exact[i] = element_to_odd(start, done + i, step)
        operands[0], operands[1] = <char *>exact, <char *>&values[done]
        run_map(FROM_DOUBLE, operands, steps, count, mode)
        done += count
    halfcl_runs()[0] = runs  # these halves are made of numbers, as in setitem
    return 0


cdef enum:
    RANGE_START, RANGE_STOP, RANGE_STEP, RANGE_DTYPE, RANGE_DEVICE, RANGE_LIKE
    COUNT_OF_RANGE_ARGUMENTS

cdef tuple RANGE_ARGUMENTS = ("start", "stop", "step", "dtype", "device", "like")
cdef tuple REAL_NUMBERS = (int, float, half, np.bool_, np.integer, np.floating)


cdef inline bint is_taken_type(object kind) noexcept:
    return kind is half or kind is np_float16 and halfcl_takes_float16


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
    if dtype is HALF or dtype is FLOAT16 and halfcl_takes_float16:
        return dtype
    kind = np.dtype(dtype)
    return kind if is_taken_type(kind.type) else None


cdef cnp.npy_intp count_in_range(object start, object stop, object step) except -1:
    """Return how many numbers NumPy's range has, in unusual cases by NumPy, which may raise."""
    cdef double quotient = 0
    if type(stop) in (int, float) and -MOST_IN_RANGE < stop < MOST_IN_RANGE and step != 0:
        quotient = (stop - start) / step
    if 0 < quotient < MOST_IN_RANGE:
        return <cnp.npy_intp>ceil(quotient)
    return np.arange(start, stop, step, np.float64).size


cdef object make_range(cnp.dtype kind, double start, object stop, double step):
    """Return halves of that dtype; NumPy determines how many, or raises an error."""
    cdef cnp.npy_intp n = count_in_range(start, stop, step)
    cdef cnp.ndarray elements = new_array(
        1, &n, FLOAT16 if kind.type_num == cnp.NPY_FLOAT16 else HALF)
    cdef int mode = mode_of_loops(BY_OPERATOR)
    with nogil:
        fill_evenly(<uint16_t *>cnp.PyArray_DATA(elements), n, start, step, mode)
    return elements if cnp.PyArray_ISNBO(kind.byteorder) else elements.astype(kind)


cdef PyObject *half_arange(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[COUNT_OF_RANGE_ARGUMENTS]
    cdef list numbers = []
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
            numbers.append(number)
            continue
        if cnp.PyArray_Check(number) and number.ndim == 0:
            number = number[()]
        if not issubclass(type(number), REAL_NUMBERS):
            return new_reference(NotImplemented)
        numbers.append(float(number) if is_taken_type(type(number)) else number)
    start, stop, step = numbers
    if stop is None:
        start, stop = (0, start) if parsed[RANGE_START] != NULL else (None, None)
    if start is None:
        start = 0
    if stop is None:
        return new_reference(NotImplemented)
    if step is None:
        step = 1
    if kind is None:
        return new_reference(np.arange(start, stop, step, np.float64 if dtype is None else dtype))
    return new_reference(make_range(kind, start, stop, step))


def is_float16_taken():
    """Return whether accelerate() is on, so that float16 is computed like half."""
    return halfcl_takes_float16 != 0


cdef cnp.ndarray spread_doubles(object numbers, tuple shape):
    """Return numbers as doubles in one piece, broadcast to a shape."""
    if np.shape(numbers) == shape:
        return np.ascontiguousarray(numbers, np.float64).reshape(shape)
    result = np.empty(shape, np.float64)
    result[...] = numbers
    return result


def interpolate_halves(a not None, b not None, t not None):
    """Return a + (b - a) * t, truncated with a sticky last bit. The numbers broadcast.

    A later rounding to half is correct.
    """
    if isinstance(a, float) and isinstance(b, float) and isinstance(t, float):
        return np.float64(element_to_odd(a, t, <double>b - <double>a))
    cdef tuple shape = np.broadcast(a, b, t).shape
    cdef cnp.ndarray starts = spread_doubles(a, shape)
    cdef cnp.ndarray ends = spread_doubles(b, shape)
    cdef cnp.ndarray parts = spread_doubles(t, shape)
    cdef cnp.ndarray results = np.empty(shape, np.float64)
    cdef double *start = <double *>cnp.PyArray_DATA(starts)
    cdef double *end = <double *>cnp.PyArray_DATA(ends)
    cdef double *part = <double *>cnp.PyArray_DATA(parts)
    cdef double *result = <double *>cnp.PyArray_DATA(results)
    cdef cnp.npy_intp i
    for i in range(cnp.PyArray_SIZE(results)):
        result[i] = element_to_odd(start[i], part[i], end[i] - start[i])
    return results


def teach_arange(extension not None):
    """Let numpy.arange return halves that are rounded once; return whether it does."""
    return halfcl_replace_function(
        HALFCL_ARANGE, extension.arange, <halfcl_method *>half_arange)
