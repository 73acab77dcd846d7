# What NumPy's functions that are statistics, such as mean and norm, call before they calculate.
# Needs: arguments.pxi, call.pxi, drivers.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi, ufunc_methods.pxi

from cpython.exc cimport PyErr_WarnEx

cdef extern from "numpy_methods.h":
    bint halfcl_names_half(object) noexcept


def is_promotion_watched():
    """Return whether casts of half to other types are watched, by a rerun for example."""
    return are_promotions_watched()


cdef class Statistic:
    """The result of a NumPy function for halves, or NotImplemented.

    statistic: its name, or "" if halfcl has none; skips_nans: whether it is that of the elements that
    are not NaN; warning: NumPy's if these are too few; parameters, defaults: names and values of the
    function's; takes_float16: whether float16 is supported, too, while accelerate() is on;
    otherwise: the function for calls that are not quickly done, because parameters other than axis,
    dtype, keepdims and ddof differ from the defaults: its argument is a dict of the parameters;
    is_of_numpy: the function that decides from the parameters whether NumPy has to do it, or None;
    quick: the function that returns the result of common calls, and None for others, or None.
    """
    cdef str statistic, warning
    cdef bint skips_nans
    cdef tuple parameters, defaults
    cdef bint takes_float16
    cdef object otherwise, is_of_numpy, quick
    cdef int axis, keepdims, ddof, dtype, out  # indices of the parameters; 0: there is none

    def __init__(
        self, str statistic, tuple parameters, tuple defaults, bint takes_float16, otherwise,
        is_of_numpy=None, bint skips_nans=False, str warning="", quick=None
    ):
        self.statistic, self.parameters, self.defaults = statistic, parameters, defaults
        self.skips_nans, self.warning = skips_nans, warning
        self.takes_float16, self.otherwise = takes_float16, otherwise
        self.is_of_numpy, self.quick = is_of_numpy, quick
        self.dtype = max(place_of_name(parameters, "dtype"), 0)
        self.out = max(place_of_name(parameters, "out"), 0)
        self.axis = max(place_of_name(parameters, "axis"), 0)
        self.keepdims = max(place_of_name(parameters, "keepdims"), 0)
        self.ddof = max(place_of_name(parameters, "ddof"), 0)

    cdef bint takes(self, object array):
        if is_half(array):
            return True
        if not cnp.PyArray_Check(array):
            return False
        return cnp.PyArray_TYPE(<cnp.ndarray>array) == HALF_NUMBER or (
            self.takes_float16 and halfcl_is_taken(array))

    cdef bint gives_half(self, tuple parsed) except -1:
        """Return whether dtype or out may be half: a float16 by name or class needs a closer look.
        """
        cdef object dtype = parsed[self.dtype] if self.dtype else None
        cdef object out = parsed[self.out] if self.out else None
        return (
            dtype is not None and halfcl_names_half(dtype)
            or out is not None and halfcl_names_half(out))

    cdef tuple in_arrays(self, tuple parsed):
        """Return the arguments with an array for a list of halves; None unless halves are involved.
        """
        if self.takes(parsed[0]):
            return parsed
        if not cnp.PyArray_Check(parsed[0]) and holds_halves(parsed[0]):
            array = np.asanyarray(parsed[0])
            if self.takes(array):
                return (array,) + parsed[1:]
        return parsed if self.gives_half(parsed) else None

    cdef bint is_plain(self, tuple parsed):
        cdef Py_ssize_t i
        for i in range(1, len(parsed)):
            if parsed[i] is not self.defaults[i] and i not in (
                self.axis, self.keepdims, self.ddof, self.dtype
            ):
                return False
        return True

    cdef cnp.dtype kind_of(self, tuple parsed):
        """Return the dtype that results are rounded to; None if NumPy or `otherwise` has to do it.
        """
        cdef bint in_float16 = is_float16(<cnp.ndarray>parsed[0])
        cdef cnp.dtype own = FLOAT16 if in_float16 else HALF
        cdef cnp.dtype kind = read_kind(parsed[self.dtype] if self.dtype else None, in_float16)
        if kind is None or kind is own:
            return kind
        if not in_float16 and are_promotions_watched():
            return None
        return kind

    cdef object reduce(self, tuple parsed):
        cdef cnp.npy_uint64 count = halfcl_runs()[0]
        cdef cnp.dtype kind = self.kind_of(parsed)
        cdef bint too_few = False
        keepdims = parsed[self.keepdims]
        if kind is None:
            return NotImplemented
        result = try_reduction(
            self.statistic, parsed[:1], parsed[self.axis], kind, None,
            False if keepdims is no_value else keepdims, None, True,
            parsed[self.ddof] if self.ddof else 0, None,
            HALFCL_FROM_ZERO if self.statistic == "sum" else 0, &too_few if self.skips_nans else NULL)
        if is_float16(<cnp.ndarray>parsed[0]):
            halfcl_runs()[0] = count  # computations on float16 arrays are not counted
        if too_few:
            PyErr_WarnEx(RuntimeWarning, self.warning.encode(), 2)
        return result

    def __call__(self, *parsed):
        if self.quick is not None:
            result = self.quick(*parsed)
            if result is not None:
                return result
        parsed = self.in_arrays(parsed)
        if parsed is None:
            return NotImplemented
        if self.statistic and has_native_halves(parsed[0]) and self.is_plain(parsed):
            result = self.reduce(parsed)
            if result is not NotImplemented:
                return result
        if self.is_of_numpy is not None and self.is_of_numpy(*parsed):
            return NotImplemented
        return self.otherwise(dict(zip(self.parameters, parsed)))
