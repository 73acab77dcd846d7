# NumPy's functions whose intermediate results would round in half: computed in float64, and their
# results rounded once.
# Needs: arguments.pxi, drivers.pxi, dtype.pxi, ranges.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi, ufunc_methods.pxi

from libc.math cimport isfinite

cdef extern from "numpy/arrayobject.h":
    object PyArray_View(cnp.ndarray, PyArray_Descr_struct *, PyTypeObject *)
    object PyArray_NewLikeArray(cnp.ndarray, cnp.NPY_ORDER, PyArray_Descr_struct *, int)

# What is known of the types of some arguments.
ctypedef struct Kinds:
    int kind
    bint any_halves, any_others

cdef enum:
    FEW_FOR_NUMPY = 1024  # fewer are converted by NumPy in less time than `widen` checks them
    OTHER_TYPE = -1, WEAK_TYPE = -2
    WIDER_TYPE = 1 << 30  # the results of halves and these are of float64


cdef inline int type_of_halves(object x) noexcept:
    """Return the type number of half, or of float16 while accelerate() is on.

    WIDER_TYPE for arrays of float64; WEAK_TYPE for Python's numbers and absent arguments, which
    adopt the type of the others; else OTHER_TYPE.
    """
    cdef int number = OTHER_TYPE
    if x is None or x is no_value or type(x) is float or type(x) is int or type(x) is bool:
        return WEAK_TYPE
    if cnp.PyArray_Check(x):
        number = cnp.PyArray_TYPE(<cnp.ndarray>x)
    elif <PyObject *>Py_TYPE(x) == SCALAR_CLASS:
        number = HALF_NUMBER
    elif type(x) is np_float16:
        number = cnp.NPY_FLOAT16
    if number == HALF_NUMBER or (number == cnp.NPY_FLOAT16 and halfcl_takes_float16):
        return number
    return WIDER_TYPE if number == cnp.NPY_FLOAT64 else OTHER_TYPE


cdef inline bint is_type_of_halves(int number) noexcept:
    return 0 <= number < WIDER_TYPE


cdef int count_kind(Kinds *kinds, object value) except -1:
    """Add an argument's type to those of others."""
    cdef int number = type_of_halves(value)
    kinds.any_halves |= is_type_of_halves(number) or (
        number == OTHER_TYPE and not cnp.PyArray_Check(value) and holds_halves(value))
    kinds.any_others |= number == OTHER_TYPE or (
        is_type_of_halves(kinds.kind) and is_type_of_halves(number) and number != kinds.kind)
    kinds.kind = max(kinds.kind, number)
    return 0


cdef PyArray_Descr_struct *descr_of(cnp.dtype dtype) noexcept:
    """Return a dtype with one more reference, for functions that keep it."""
    Py_INCREF(dtype)
    return <PyArray_Descr_struct *><PyObject *>dtype


cdef cnp.ndarray new_like(cnp.ndarray array, cnp.dtype dtype):
    """Return a new array of that dtype with the shape and the order of memory of another one."""
    return PyArray_NewLikeArray(array, cnp.NPY_KEEPORDER, descr_of(dtype), False)


cdef cnp.ndarray as_float16(cnp.ndarray halves):
    """Return a view of native halves as float16."""
    return PyArray_View(halves, descr_of(FLOAT16), NULL)


cdef cnp.ndarray widen_array(cnp.ndarray array):
    """Return native halves as float64, in the same order of memory."""
    cdef cnp.ndarray wide = new_like(array, FLOAT64)
    if cnp.PyArray_TYPE(array) == HALF_NUMBER:
        array = as_float16(array)
    cnp.PyArray_CopyInto(wide, array)
    return wide


cdef cnp.ndarray narrow_array(cnp.ndarray wide, int number):
    """Return float64 rounded to the type of halves of that number in the region's mode, in the same
    order of memory.
    """
    cdef cnp.ndarray halves = new_like(wide, HALF)
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    if cnp.PyArray_IS_C_CONTIGUOUS(wide) and cnp.PyArray_SIZE(wide) < FEW_FOR_NUMPY:
        operands[0], operands[1] = cnp.PyArray_BYTES(wide), cnp.PyArray_BYTES(halves)
        steps[0], steps[1] = sizeof(double), sizeof(uint16_t)
        flags = run_map(
            FROM_DOUBLE, operands, steps, cnp.PyArray_SIZE(wide), mode_of_loops(BY_OPERATOR))
        if flags:
            report(flags, "cast")
    else:
        cnp.PyArray_CopyInto(halves, wide)
    return halves if number == HALF_NUMBER else as_float16(halves)


cdef class InFloat64:
    """The result of a NumPy function in float64, rounded once to half; or NotImplemented.

    function: NumPy's own; None if only `otherwise` calculates; parameters: their names, of which the
    last ones, keywords, are passed by name; has_more: whether the one before these is for ``*args``;
    deciding: the indices of those that determine the result's
    type; widen, narrow: the functions that convert any argument, and any result to a type of
    halves; otherwise: the function for calls with arguments of other types; exception: the function
    that returns the result of special calls and None for others, or None. Both take the parameters
    by position.
    """
    cdef object function, widen, narrow, otherwise, exception
    cdef tuple deciding, keywords
    cdef bint has_more
    cdef int dtype, out  # indices of the parameters; 0: there is none

    def __init__(
        self, function, tuple parameters, tuple keywords, bint has_more, tuple deciding, widen, narrow,
        otherwise, exception=None
    ):
        self.function, self.deciding = function, deciding
        self.keywords, self.has_more = keywords, has_more
        self.widen, self.narrow = widen, narrow
        self.otherwise, self.exception = otherwise, exception
        self.dtype = max(place_of_name(parameters, "dtype"), 0)
        self.out = max(place_of_name(parameters, "out"), 0)

    cdef int kind_of(self, tuple values) except -3:
        """Return the type of halves that the deciding arguments share, or WIDER_TYPE.

        WEAK_TYPE if there are no halves, OTHER_TYPE if it takes a closer look.
        """
        cdef Kinds kinds
        kinds.kind, kinds.any_halves, kinds.any_others = WEAK_TYPE, False, False
        for index in self.deciding:
            value = values[<int>index]
            if type(value) is not tuple and type(value) is not list:
                count_kind(&kinds, value)
                continue
            for item in value:
                count_kind(&kinds, item)
                # Python's numbers are arrays in lists, and determine the type as well.
                kinds.any_others |= type_of_halves(item) == WEAK_TYPE
        if not kinds.any_halves:
            return WEAK_TYPE
        return OTHER_TYPE if kinds.any_others else kinds.kind

    cdef object widen_one(self, object value):
        """Return an argument with halves in float64, also in lists; anything else as it is."""
        if cnp.PyArray_CheckExact(value):
            if not is_type_of_halves(type_of_halves(value)):
                return value
            if cnp.PyArray_SIZE(<cnp.ndarray>value) < FEW_FOR_NUMPY and (
                cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>value)
            ):
                return widen_array(<cnp.ndarray>value)
            return self.widen(value)
        if type(value) is tuple or type(value) is list:
            wide = [self.widen_one(item) for item in value]
            return value if all([x is y for x, y in zip(wide, value)]) else wide
        return value if type_of_halves(value) == WEAK_TYPE else self.widen(value)

    cdef object call(self, list values):
        """Return the result of NumPy's function."""
        cdef Py_ssize_t first = len(values) - len(self.keywords)
        if not self.keywords and not self.has_more:
            return self.function(*values)
        plain = values[:first - self.has_more]
        more = values[first - 1] if self.has_more else ()
        return self.function(*plain, *more, **dict(zip(self.keywords, values[first:])))

    def __call__(self, *values):
        cdef int kind = self.kind_of(values)
        if kind == WEAK_TYPE:
            return NotImplemented
        result = None if self.exception is None else self.exception(*values)
        if result is not None:
            return result
        if self.function is None or kind == OTHER_TYPE or (
            self.dtype and values[self.dtype] is not None or self.out and values[self.out] is not None
        ):
            return self.otherwise(*values)
        result = self.call([self.widen_one(value) for value in values])
        if kind == WIDER_TYPE:
            return result
        if not cnp.PyArray_CheckExact(result) or (
            cnp.PyArray_TYPE(<cnp.ndarray>result) != cnp.NPY_FLOAT64
        ):
            return self.narrow(result, half if kind == HALF_NUMBER else np_float16)
        return narrow_array(<cnp.ndarray>result, kind)


cdef inline bint read_half(object x, double *value) noexcept:
    """Write the value of a scalar half or float16; return False for anything else."""
    if <PyObject *>Py_TYPE(x) != SCALAR_CLASS and type(x) is not np_float16:
        return False
    value[0] = halfcl_to_float((<float16>x).obval)
    return True


cdef inline double interpolate_doubles(double start, double end, double part) noexcept nogil:
    """Return start + (end - start) * part, in NumPy's steps."""
    return end - (end - start) * (1 - part) if part >= 0.5 else start + (end - start) * part


cdef object interpolate_numbers(a, b, double part):
    """Return the result for two finite halves, rounded once; None for anything else."""
    cdef double start, end
    if not read_half(a, &start) or not read_half(b, &end) or not isfinite(end - start):
        return None
    result = half(interpolate_doubles(start, end, part))
    return result if type(a) is half else PyArray_Scalar(&(<float16>result).obval, FLOAT16, None)


cdef bint lie_alike(cnp.ndarray a, cnp.ndarray b) noexcept:
    """Return whether two arrays of halves have one type, one shape, and one order of memory."""
    if cnp.PyArray_TYPE(a) != cnp.PyArray_TYPE(b) or not is_type_of_halves(type_of_halves(a)):
        return False
    if not cnp.PyArray_SAMESHAPE(a, b):
        return False
    return (
        cnp.PyArray_ISCARRAY_RO(a) and cnp.PyArray_ISCARRAY_RO(b)
        or cnp.PyArray_ISFARRAY_RO(a) and cnp.PyArray_ISFARRAY_RO(b))


cdef Py_ssize_t count_with_each(cnp.ndarray array, cnp.ndarray parts) noexcept:
    """Return how many elements that follow each other share a part; 0 if NumPy has to broadcast."""
    cdef int k, axes = cnp.PyArray_NDIM(array)
    cdef Py_ssize_t count = 1
    if cnp.PyArray_NDIM(parts) != axes or not cnp.PyArray_ISCARRAY_RO(parts):
        return 0
    for k in reversed(range(axes)):
        if cnp.PyArray_DIM(parts, k) == cnp.PyArray_DIM(array, k) > 1:
            break
        count *= cnp.PyArray_DIM(array, k)
    return count if count * cnp.PyArray_SIZE(parts) == cnp.PyArray_SIZE(array) else 0


cdef cnp.ndarray interpolate_arrays(
    cnp.ndarray a, cnp.ndarray b, const double *parts, Py_ssize_t with_each
):
    """Return the results in float64, of which `with_each` that follow each other share a part.

    None if some difference is not finite, which NumPy reports.
    """
    cdef cnp.ndarray wide = new_like(a, FLOAT64)
    cdef const uint16_t *starts = <const uint16_t *>cnp.PyArray_DATA(a)
    cdef const uint16_t *ends = <const uint16_t *>cnp.PyArray_DATA(b)
    cdef double *results = <double *>cnp.PyArray_DATA(wide)
    cdef double start, end
    cdef bint are_finite = True
    cdef Py_ssize_t i, k
    for k in range(cnp.PyArray_SIZE(a) // with_each):
        for i in range(k * with_each, (k + 1) * with_each):
            start, end = halfcl_to_float(starts[i]), halfcl_to_float(ends[i])
            are_finite &= isfinite(end - start)
            results[i] = interpolate_doubles(start, end, parts[k])
    return wide if are_finite else None


def interpolate(a, b, t, out):
    """Return a + (b - a) * t as NumPy does in float64, rounded once to half if t is a Python number.

    a, b: finite halves, or arrays of them that lie alike; None for anything else.
    """
    cdef double part
    cdef Py_ssize_t with_each
    if out is not None or type(a) is not type(b):
        return None
    if not cnp.PyArray_CheckExact(a):
        return interpolate_numbers(a, b, <double>t) if type(t) is float else None
    if not lie_alike(a, b) or cnp.PyArray_NDIM(a) == 0 or cnp.PyArray_SIZE(a) == 0:
        return None
    if type(t) is float:
        part = <double>t
        wide = interpolate_arrays(a, b, &part, cnp.PyArray_SIZE(a))
        return None if wide is None else narrow_array(wide, cnp.PyArray_TYPE(a))
    if not cnp.PyArray_CheckExact(t) or cnp.PyArray_TYPE(t) != cnp.NPY_FLOAT64:
        return None
    with_each = count_with_each(a, t) if cnp.PyArray_ISCARRAY_RO(a) else 0
    if with_each == 0:
        return None
    return interpolate_arrays(a, b, <const double *>cnp.PyArray_DATA(t), with_each)
