# Intervals between doubles, and their arithmetic, which the engine rounds outward.
# Needs: regions.pxi, scalar.pxi, types.pxi

from libc.math cimport HUGE_VAL
from libc.stdint cimport int64_t

cdef extern from "run/double_intervals.h" nogil:
    ctypedef enum halfcl_intervals_operation:
        HALFCL_INTERVALS_ADD, HALFCL_INTERVALS_SUBTRACT, HALFCL_INTERVALS_MULTIPLY
        HALFCL_INTERVALS_DIVIDE, HALFCL_INTERVALS_SQUARE, HALFCL_INTERVALS_SQRT
        HALFCL_INTERVALS_ABS, HALFCL_INTERVALS_NEGATE, HALFCL_INTERVALS_MINIMUM
        HALFCL_INTERVALS_MAXIMUM, HALFCL_INTERVALS_INTERSECTION, HALFCL_INTERVALS_HULL
        HALFCL_INTERVALS_CHOOSE, HALFCL_INTERVALS_FACTOR, HALFCL_INTERVALS_FLIP
        HALFCL_INTERVALS_CUT, HALFCL_INTERVALS_MIDDLE
        HALFCL_INTERVALS_EXP
        HALFCL_INTERVALS_EXP2
        HALFCL_INTERVALS_EXPM1
        HALFCL_INTERVALS_LOG
        HALFCL_INTERVALS_LOG1P
        HALFCL_INTERVALS_SINH
        HALFCL_INTERVALS_COSH
        HALFCL_INTERVALS_TANH
        HALFCL_INTERVALS_ASINH
        HALFCL_INTERVALS_ACOSH
        HALFCL_INTERVALS_ATANH
        HALFCL_INTERVALS_CBRT
        HALFCL_INTERVALS_ATAN
        HALFCL_INTERVALS_ASIN
        HALFCL_INTERVALS_ACOS
        HALFCL_INTERVALS_SIN
        HALFCL_INTERVALS_COS
        HALFCL_INTERVALS_TAN
        HALFCL_INTERVALS_SINPI
        HALFCL_INTERVALS_COSPI
        HALFCL_INTERVALS_TANPI

    ctypedef struct halfcl_intervals_operand:
        const void *at
        bint is_single

    enum:
        HALFCL_INTERVALS_MOST

    void halfcl_run_intervals(
        halfcl_intervals_operation, const halfcl_intervals_operand *, double *, double *, size_t)
    void halfcl_run_interval_powers(
        uint64_t, const halfcl_intervals_operand *, double *, double *, size_t)

cdef enum:
    FEW_INTERVALS = 1 << 11  # fewer are computed in less time than other threads wait anyway
    NO_POWER = 0


cdef cnp.ndarray as_doubles(object x):
    """Return numbers as an array of native doubles, which is x if that is one."""
    if (
        cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(<cnp.ndarray>x) == cnp.NPY_DOUBLE
        and cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray>x)
    ):
        return x
    x = np.asarray(x, FLOAT64)
    return x if cnp.PyArray_ISALIGNED(<cnp.ndarray>x) else cnp.PyArray_NewCopy(x, cnp.NPY_CORDER)


@cython.final
@cython.no_gc  # arrays of numbers refer to nothing
@cython.freelist(256)
cdef class DoubleInterval:
    """Closed intervals between doubles; NaN for both bounds where there is no number.

    A lower bound is never +inf, an upper one never -inf.
    """

    cdef readonly cnp.ndarray lo, hi

    def __cinit__(self, lo, hi):
        self.lo = as_doubles(lo)
        self.hi = self.lo if hi is lo else as_doubles(hi)

    def __reduce__(self):
        return DoubleInterval, (self.lo, self.hi)

    @property
    def shape(self):
        """The shape, as of an array."""
        return (<object>self.lo).shape

    @property
    def is_empty(self):
        """A mask of where there is no number."""
        return where_inside(self, NAN_NUMBER, True)

    @property
    def has_empty(self):
        """A bool that is true if any interval is empty."""
        cdef cnp.ndarray lo = cnp.PyArray_GETCONTIGUOUS(self.lo)
        cdef const double *at = <const double *>cnp.PyArray_DATA(lo)
        cdef size_t i
        for i in range(<size_t>cnp.PyArray_SIZE(lo)):
            if at[i] != at[i]:
                return True
        return False

    @property
    def is_bounded(self):
        """A mask of where both bounds are finite."""
        cdef DoubleInterval rows = with_contiguous_bounds(self)
        cdef cnp.ndarray result = new_like_shape(rows.lo, cnp.NPY_BOOL)
        cdef unsigned char *bounded = <unsigned char *>cnp.PyArray_DATA(result)
        cdef const double *lo = <const double *>cnp.PyArray_DATA(rows.lo)
        cdef const double *hi = <const double *>cnp.PyArray_DATA(rows.hi)
        cdef size_t i
        for i in range(<size_t>cnp.PyArray_SIZE(result)):
            bounded[i] = lo[i] - lo[i] == 0 and hi[i] - hi[i] == 0
        return result

    def map(self, function, *args, **keywords):
        """Apply a structural function to both bounds."""
        lo = function(self.lo, *args, **keywords)
        return DoubleInterval(
            lo, lo if self.lo is self.hi else function(self.hi, *args, **keywords))

    def __getitem__(self, index):
        return DoubleInterval(self.lo[index], self.hi[index])

    def broadcast(self, shape):
        """Return intervals of a shape."""
        if (<object>self.lo).shape == shape and (<object>self.hi).shape == shape:
            return self
        return self.map(np.broadcast_to, shape)

    def has(self, double number):
        """Return where a number is inside."""
        return where_inside(self, number, False)


# ---------------------------------------------------------------- operations

cdef double NAN_NUMBER = float("nan")


cdef DoubleInterval with_contiguous_bounds(DoubleInterval x):
    """Return intervals whose bounds are contiguous arrays of one shape."""
    lo, hi = (x.lo, x.hi) if has_shape_of(x.lo, x.hi) else np.broadcast_arrays(x.lo, x.hi)
    if (
        lo is x.lo and cnp.PyArray_IS_C_CONTIGUOUS(x.lo) and cnp.PyArray_IS_C_CONTIGUOUS(x.hi)
    ):
        return x
    lo, hi = cnp.PyArray_GETCONTIGUOUS(lo), cnp.PyArray_GETCONTIGUOUS(hi)
    return DoubleInterval.__new__(DoubleInterval, lo, hi)


cdef inline cnp.ndarray new_like_shape(cnp.ndarray other, int type_number):
    """Return a new array with the shape of another one."""
    return cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(other), cnp.PyArray_DIMS(other), type_number, 0)


cdef cnp.ndarray where_inside(DoubleInterval x, double number, bint is_empty):
    """Return where intervals contain a number, or are empty."""
    cdef size_t i
    cdef DoubleInterval rows = with_contiguous_bounds(x)
    cdef cnp.ndarray result = new_like_shape(rows.lo, cnp.NPY_BOOL)
    cdef unsigned char *inside = <unsigned char *>cnp.PyArray_DATA(result)
    cdef const double *lo = <const double *>cnp.PyArray_DATA(rows.lo)
    cdef const double *hi = <const double *>cnp.PyArray_DATA(rows.hi)
    if is_empty:
        for i in range(<size_t>cnp.PyArray_SIZE(result)):
            inside[i] = lo[i] != lo[i]
    else:
        for i in range(<size_t>cnp.PyArray_SIZE(result)):
            inside[i] = (lo[i] <= number) & (hi[i] >= number)
    return result


cdef bint has_shape_of(cnp.ndarray array, cnp.ndarray other) noexcept:
    cdef int axis
    if cnp.PyArray_NDIM(array) != cnp.PyArray_NDIM(other):
        return False
    for axis in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_DIM(array, axis) != cnp.PyArray_DIM(other, axis):
            return False
    return True


cdef bint make_contiguous(PyObject **arrays, int count, list copies) except -1:
    """Replace arrays that are not contiguous by copies, which a list keeps."""
    cdef int k
    cdef cnp.ndarray copy
    for k in range(count):
        if not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>arrays[k]):
            copy = cnp.PyArray_NewCopy(<cnp.ndarray>arrays[k], cnp.NPY_CORDER)
            copies.append(copy)
            arrays[k] = <PyObject *>copy
    return True


cdef bint describe_operands(
    PyObject **arrays, int count, halfcl_intervals_operand *operands, PyObject **largest
) noexcept:
    """Describe contiguous arrays of one shape, or of no dimension, and name one of that shape.

    Return False if they have other shapes.
    """
    cdef int k
    cdef cnp.ndarray array
    largest[0] = arrays[0]
    for k in range(count):
        array = <cnp.ndarray>arrays[k]
        operands[k].at = cnp.PyArray_DATA(array)
        operands[k].is_single = cnp.PyArray_NDIM(array) == 0
        if operands[k].is_single:
            continue
        if cnp.PyArray_NDIM(<cnp.ndarray>largest[0]) == 0:
            largest[0] = arrays[k]
        elif not has_shape_of(array, <cnp.ndarray>largest[0]):
            return False
    return True


cdef DoubleInterval run_on_intervals(
    halfcl_intervals_operation operation, uint64_t power, PyObject **arrays, int count
):
    """Return the results of an operation, or powers, for bounds whose shapes broadcast."""
    cdef halfcl_intervals_operand operands[HALFCL_INTERVALS_MOST]
    cdef PyObject *others[HALFCL_INTERVALS_MOST]
    cdef PyObject *largest
    cdef cnp.ndarray lo, hi
    cdef double *low
    cdef double *high
    cdef size_t n
    cdef int k
    cdef list copies = []
    make_contiguous(arrays, count, copies)
    if not describe_operands(arrays, count, operands, &largest):
        whole = np.broadcast_arrays(*[<object>arrays[k] for k in range(count)])
        for k in range(count):
            others[k] = <PyObject *>whole[k]
        return run_on_intervals(operation, power, others, count)
    lo = new_like_shape(<cnp.ndarray>largest, cnp.NPY_DOUBLE)
    hi = new_like_shape(<cnp.ndarray>largest, cnp.NPY_DOUBLE)
    low, high = <double *>cnp.PyArray_DATA(lo), <double *>cnp.PyArray_DATA(hi)
    n = cnp.PyArray_SIZE(lo)
    if power:
        halfcl_run_interval_powers(power, operands, low, high, n)
    elif n < FEW_INTERVALS:
        halfcl_run_intervals(operation, operands, low, high, n)
    else:
        with nogil:
            halfcl_run_intervals(operation, operands, low, high, n)
    return DoubleInterval.__new__(DoubleInterval, lo, hi)


cdef inline DoubleInterval of_one(halfcl_intervals_operation operation, DoubleInterval x):
    cdef PyObject *arrays[2]
    arrays[0], arrays[1] = <PyObject *>x.lo, <PyObject *>x.hi
    return run_on_intervals(operation, NO_POWER, arrays, 2)


cdef inline DoubleInterval of_two(
    halfcl_intervals_operation operation, DoubleInterval x, DoubleInterval y
):
    cdef PyObject *arrays[4]
    arrays[0], arrays[1] = <PyObject *>x.lo, <PyObject *>x.hi
    arrays[2], arrays[3] = <PyObject *>y.lo, <PyObject *>y.hi
    return run_on_intervals(operation, NO_POWER, arrays, 4)


def add_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return x + y."""
    return of_two(HALFCL_INTERVALS_ADD, x, y)


def subtract_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return x - y."""
    return of_two(HALFCL_INTERVALS_SUBTRACT, x, y)


def multiply_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return x * y."""
    return of_two(HALFCL_INTERVALS_MULTIPLY, x, y)


def divide_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return x / y, the range of quotients by the nonzero numbers of y."""
    return of_two(HALFCL_INTERVALS_DIVIDE, x, y)


def square_intervals(DoubleInterval x not None):
    """Return x squared; both factors are the same number of x."""
    return of_one(HALFCL_INTERVALS_SQUARE, x)


def sqrt_of_intervals(DoubleInterval x not None):
    """Return the square roots of the nonnegative part of x."""
    return of_one(HALFCL_INTERVALS_SQRT, x)


def magnitudes_of_intervals(DoubleInterval x not None):
    """Return the absolute values."""
    return of_one(HALFCL_INTERVALS_ABS, x)


def negate_intervals(DoubleInterval x not None):
    """Return -x."""
    return of_one(HALFCL_INTERVALS_NEGATE, x)


def minimum_of_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return the lesser of two."""
    return of_two(HALFCL_INTERVALS_MINIMUM, x, y)


def maximum_of_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return the greater of two."""
    return of_two(HALFCL_INTERVALS_MAXIMUM, x, y)


def intersect_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return the numbers in both."""
    return of_two(HALFCL_INTERVALS_INTERSECTION, x, y)


def hull_of_intervals(DoubleInterval x not None, DoubleInterval y not None):
    """Return the smallest interval around both, of which either may be empty."""
    return of_two(HALFCL_INTERVALS_HULL, x, y)


def power_of_intervals(DoubleInterval x not None, uint64_t exponent):
    """Return x to an integer power above 0, by squaring, so that all factors are equal."""
    cdef PyObject *arrays[2]
    if exponent == NO_POWER:
        raise ValueError("power_of_intervals: exponent: expected an integer above 0, got 0")
    arrays[0], arrays[1] = <PyObject *>x.lo, <PyObject *>x.hi
    return run_on_intervals(HALFCL_INTERVALS_SQUARE, exponent, arrays, 2)


def factors_of_intervals(DoubleInterval z not None, DoubleInterval y not None):
    """Return the numbers whose products with a number of y may be in z."""
    return of_two(HALFCL_INTERVALS_FACTOR, z, y)


cdef cnp.ndarray as_mask(where):
    if cnp.PyArray_CheckExact(where) and cnp.PyArray_TYPE(<cnp.ndarray>where) == cnp.NPY_BOOL:
        return where
    return np.asarray(where, np.bool_)


def choose_intervals(where, DoubleInterval x not None, DoubleInterval y not None):
    """Return intervals from x where the mask is true, else from y."""
    cdef PyObject *arrays[5]
    cdef cnp.ndarray mask = as_mask(where)
    arrays[0], arrays[1], arrays[2] = <PyObject *>mask, <PyObject *>x.lo, <PyObject *>x.hi
    arrays[3], arrays[4] = <PyObject *>y.lo, <PyObject *>y.hi
    return run_on_intervals(HALFCL_INTERVALS_CHOOSE, NO_POWER, arrays, 5)


def flip_intervals(where, DoubleInterval x not None):
    """Return intervals, negated where the mask is true."""
    cdef PyObject *arrays[3]
    cdef cnp.ndarray mask = as_mask(where)
    arrays[0], arrays[1], arrays[2] = <PyObject *>mask, <PyObject *>x.lo, <PyObject *>x.hi
    return run_on_intervals(HALFCL_INTERVALS_FLIP, NO_POWER, arrays, 3)


def cut_points(low, high):
    """Return where to cut intervals: half-way, or toward infinity at twice the finite bound.

    Numbers of one sign are cut at the geometric mean if their sizes differ much.
    """
    return of_one(HALFCL_INTERVALS_CUT, DoubleInterval(low, high)).lo


def middles_of_intervals(DoubleInterval x not None):
    """Return a number inside: the midpoint, or of an unbounded interval a finite bound or zero."""
    return of_one(HALFCL_INTERVALS_MIDDLE, x).lo


def shared_zeros(DoubleInterval x not None, DoubleInterval y not None):
    """Return where both intervals contain zero, or None if that is nowhere."""
    cdef cnp.ndarray first = where_inside(x, 0.0, False), second = where_inside(y, 0.0, False)
    if not (holds_any(first) and holds_any(second)):
        return None
    both = np.asarray(first & second)
    return both if holds_any(both) else None


def signs_of_intervals(DoubleInterval x not None, signed char mixed):
    """Return the signs of intervals as int8: -1, 0 or 1, and mixed for those with several."""
    cdef DoubleInterval rows = with_contiguous_bounds(x)
    cdef cnp.ndarray result = new_like_shape(rows.lo, cnp.NPY_INT8)
    cdef signed char *signs = <signed char *>cnp.PyArray_DATA(result)
    cdef const double *lo = <const double *>cnp.PyArray_DATA(rows.lo)
    cdef const double *hi = <const double *>cnp.PyArray_DATA(rows.hi)
    cdef size_t i
    for i in range(<size_t>cnp.PyArray_SIZE(result)):
        if lo[i] > 0:
            signs[i] = 1
        elif hi[i] < 0:
            signs[i] = -1
        else:
            signs[i] = 0 if lo[i] == 0 and hi[i] == 0 else mixed
    return result


def combine_codes(table, a, b):
    """Return the element of a table of int8 in row a and column b, for arrays of int8.

    Both are counted from -1.
    """
    cdef cnp.ndarray values = np.ascontiguousarray(table, np.int8)
    cdef cnp.ndarray rows, columns, result
    cdef const signed char *value
    cdef const signed char *row
    cdef const signed char *column
    cdef signed char *out
    cdef size_t i, r, c, height, width
    a, b = np.broadcast_arrays(a, b) if np.shape(a) != np.shape(b) else (a, b)
    rows, columns = np.asarray(a, np.int8, "C"), np.asarray(b, np.int8, "C")
    if cnp.PyArray_NDIM(values) != 2 or not has_shape_of(rows, columns):
        raise ValueError("combine_codes: table: expected two dimensions")
    height, width = cnp.PyArray_DIM(values, 0), cnp.PyArray_DIM(values, 1)
    result = new_like_shape(rows, cnp.NPY_INT8)
    value = <const signed char *>cnp.PyArray_DATA(values)
    row = <const signed char *>cnp.PyArray_DATA(rows)
    column = <const signed char *>cnp.PyArray_DATA(columns)
    out = <signed char *>cnp.PyArray_DATA(result)
    for i in range(<size_t>cnp.PyArray_SIZE(rows)):
        r, c = <size_t>(row[i] + 1), <size_t>(column[i] + 1)
        if r >= height or c >= width:
            raise ValueError("combine_codes: expected codes in the table")
        out[i] = value[r * width + c]
    return result


cdef bint holds_any(cnp.ndarray mask) noexcept:
    cdef const unsigned char *at = <const unsigned char *>cnp.PyArray_DATA(mask)
    cdef size_t i
    for i in range(<size_t>cnp.PyArray_SIZE(mask)):
        if at[i]:
            return True
    return False


# ---------------------------------------------------------------- ranks of halves

cdef enum:
    RANK_OF_INFINITY = 0x7C00, RANK_OF_NAN = 0x7E00, RANK_OF_NORMAL = 0x0400


cdef int64_t rank_below(double x) noexcept:
    """Return the rank of the greatest half that is not above a double; zeros have rank 0."""
    cdef double size = -x if x < 0 else x
    cdef uint64_t bits
    cdef int64_t rank
    cdef bint is_exact
    if size != size:
        return RANK_OF_NAN
    if size >= 65504:
        is_exact = size == 65504 or size - size != 0
        rank = RANK_OF_INFINITY - (size - size == 0)
    elif size < 2.0**-14:
        rank = <int64_t>(size * 2.0**24)
        is_exact = rank == size * 2.0**24
    else:
        memcpy(&bits, &size, sizeof(bits))
        rank = <int64_t>(bits >> 42) - ((1023 - 15) << 10)
        is_exact = bits & ((<uint64_t>1 << 42) - 1) == 0
    return rank if x >= 0 else -rank - (not is_exact)


cdef double half_of_rank(int64_t rank) noexcept:
    """Return the half of a rank as a double."""
    cdef int64_t size = min(-rank if rank < 0 else rank, <int64_t>RANK_OF_INFINITY)
    cdef uint64_t bits
    cdef double result
    if size < RANK_OF_NORMAL:
        result = size * 2.0**-24
    else:
        bits = <uint64_t>(size + ((1023 - 15) << 10)) << 42
        memcpy(&result, &bits, sizeof(result))
        if size == RANK_OF_INFINITY:
            result = HUGE_VAL
    return -result if rank < 0 else result


def ranks_below(x):
    """Return the ranks of the greatest halves that are not above doubles; zeros have rank 0."""
    cdef cnp.ndarray numbers = cnp.PyArray_GETCONTIGUOUS(as_doubles(x))
    cdef cnp.ndarray result = new_like_shape(numbers, cnp.NPY_INT64)
    cdef const double *at = <const double *>cnp.PyArray_DATA(numbers)
    cdef int64_t *ranks = <int64_t *>cnp.PyArray_DATA(result)
    cdef size_t i
    for i in range(<size_t>cnp.PyArray_SIZE(numbers)):
        ranks[i] = rank_below(at[i])
    return result


def lower_by_ranks(x, int64_t count):
    """Return the halves that are some ranks below the greatest ones not above doubles, as doubles.

    Infinities stay.
    """
    cdef cnp.ndarray numbers = cnp.PyArray_GETCONTIGUOUS(as_doubles(x))
    cdef cnp.ndarray result = new_like_shape(numbers, cnp.NPY_DOUBLE)
    cdef const double *at = <const double *>cnp.PyArray_DATA(numbers)
    cdef double *lower = <double *>cnp.PyArray_DATA(result)
    cdef size_t i
    for i in range(<size_t>cnp.PyArray_SIZE(numbers)):
        lower[i] = half_of_rank(rank_below(at[i]) - count) if at[i] - at[i] == 0 else at[i]
    return result


# ---------------------------------------------------------------- elementary functions

cdef dict ELEMENTARY_OPERATIONS = {
    "exp": HALFCL_INTERVALS_EXP,
    "exp2": HALFCL_INTERVALS_EXP2,
    "expm1": HALFCL_INTERVALS_EXPM1,
    "log": HALFCL_INTERVALS_LOG,
    "log1p": HALFCL_INTERVALS_LOG1P,
    "sinh": HALFCL_INTERVALS_SINH,
    "cosh": HALFCL_INTERVALS_COSH,
    "tanh": HALFCL_INTERVALS_TANH,
    "asinh": HALFCL_INTERVALS_ASINH,
    "acosh": HALFCL_INTERVALS_ACOSH,
    "atanh": HALFCL_INTERVALS_ATANH,
    "cbrt": HALFCL_INTERVALS_CBRT,
    "atan": HALFCL_INTERVALS_ATAN,
    "asin": HALFCL_INTERVALS_ASIN,
    "acos": HALFCL_INTERVALS_ACOS,
    "sin": HALFCL_INTERVALS_SIN,
    "cos": HALFCL_INTERVALS_COS,
    "tan": HALFCL_INTERVALS_TAN,
    "sinpi": HALFCL_INTERVALS_SINPI,
    "cospi": HALFCL_INTERVALS_COSPI,
    "tanpi": HALFCL_INTERVALS_TANPI,
}


@cython.final
cdef class ElementaryFunction:
    """An elementary function of intervals between doubles, by its name in the standard.

    Its bounds lie outside the exact ones, by a relative error of at most 2^-43.
    """

    cdef halfcl_intervals_operation operation

    def __cinit__(self, str name not None):
        if name not in ELEMENTARY_OPERATIONS:
            raise ValueError(
                f"ElementaryFunction: name: expected one of {', '.join(ELEMENTARY_OPERATIONS)}, "
                f"got {name!r:.40}")
        self.operation = ELEMENTARY_OPERATIONS[name]

    def __call__(self, DoubleInterval x not None):
        return of_one(self.operation, x)


cdef inline bint may_be_half(double x) noexcept nogil:
    """Return whether a double has no more bits than a half."""
    cdef uint64_t bits
    memcpy(&bits, &x, sizeof(bits))
    return bits & ((<uint64_t>1 << 42) - 1) == 0


cdef void replace_known(
    const double *at, double *bound, size_t n, const double *places, const double *values,
    size_t count
) noexcept nogil:
    cdef size_t i, low, high, middle
    for i in range(n):
        if not may_be_half(at[i]):
            continue
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            if places[middle] < at[i]:
                low = middle + 1
            else:
                high = middle
        if low < count and places[low] == at[i]:
            bound[i] = values[low]


def replace_bounds(
    DoubleInterval result not None, DoubleInterval x not None, bint falls,
    DoubleInterval known not None
):
    """Return a monotone function's result with exact bounds where they are known.

    result: the function of x, which is overwritten. known: halves in ascending order, as lower
    bounds, and the function's values there, as upper bounds.
    """
    cdef cnp.ndarray places = known.lo, values = known.hi
    cdef cnp.ndarray low = x.hi if falls else x.lo
    cdef cnp.ndarray high = x.lo if falls else x.hi
    if not (
        has_shape_of(low, result.lo) and has_shape_of(high, result.hi)
        and has_shape_of(places, values) and cnp.PyArray_IS_C_CONTIGUOUS(places)
        and cnp.PyArray_IS_C_CONTIGUOUS(values) and cnp.PyArray_ISCARRAY(result.lo)
        and cnp.PyArray_ISCARRAY(result.hi)
    ):
        raise ValueError("replace_bounds: expected a new result of x, and known values in rows")
    low, high = cnp.PyArray_GETCONTIGUOUS(low), cnp.PyArray_GETCONTIGUOUS(high)
    for at, bound in ((low, result.lo), (high, result.hi)):
        replace_known(
            <const double *>cnp.PyArray_DATA(at), <double *>cnp.PyArray_DATA(bound),
            cnp.PyArray_SIZE(at), <const double *>cnp.PyArray_DATA(places),
            <const double *>cnp.PyArray_DATA(values), cnp.PyArray_SIZE(places))
    return result
