# What functions of NumPy's that are statistics, as mean and norm, ask before they calculate.
# Needs: arguments.pxi, call.pxi, drivers.pxi, reduce.pxi, rounding.pxi, scalar.pxi, types.pxi, ufunc_methods.pxi

cdef extern from "numpy_methods.h":
    bint halfcl_names_half(object) noexcept


def is_leaving_watched():
    """Return whether results of half that become other types are watched, by a rerun say."""
    return leaving_is_watched()


cdef class Statistic:
    """The result of a function of NumPy's for halves, or NotImplemented.

    statistic: what it is, or "" if nothing of halfcl's; parameters, defaults: names and values of
    the function's; takes_float16: whether float16 is taken, too, while accelerate() is on;
    otherwise: what is called with a dict of the parameters, unless all but axis, dtype, keepdims
    and ddof are the defaults, and so quickly done; is_of_numpy: what tells of the parameters
    whether that is for NumPy to do, or None.
    """
    cdef str statistic
    cdef tuple parameters, defaults
    cdef bint takes_float16
    cdef object otherwise, is_of_numpy
    cdef int axis, keepdims, ddof, dtype, out  # places of the parameters; 0: there is none

    def __init__(
        self, str statistic, tuple parameters, tuple defaults, bint takes_float16, otherwise,
        is_of_numpy=None
    ):
        self.statistic, self.parameters, self.defaults = statistic, parameters, defaults
        self.takes_float16, self.otherwise = takes_float16, otherwise
        self.is_of_numpy = is_of_numpy
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

    cdef bint gives_half(self, tuple given) except -1:
        """Whether dtype or out may be half: float16 by a name or a class takes a closer look."""
        cdef object dtype = given[self.dtype] if self.dtype else None
        cdef object out = given[self.out] if self.out else None
        return (
            dtype is not None and halfcl_names_half(dtype)
            or out is not None and halfcl_names_half(out))

    cdef tuple in_arrays(self, tuple given):
        """The arguments with an array for a list of halves; None unless halves are taken or given."""
        if self.takes(given[0]):
            return given
        if not cnp.PyArray_Check(given[0]) and holds_halves(given[0]):
            array = np.asanyarray(given[0])
            if self.takes(array):
                return (array,) + given[1:]
        return given if self.gives_half(given) else None

    cdef bint is_plain(self, tuple given):
        cdef Py_ssize_t i
        for i in range(1, len(given)):
            if given[i] is not self.defaults[i] and i not in (
                self.axis, self.keepdims, self.ddof, self.dtype
            ):
                return False
        return True

    cdef cnp.dtype kind_of(self, tuple given):
        """What results are rounded to; None if that is for others to see to."""
        cdef bint in_float16 = is_float16(<cnp.ndarray>given[0])
        cdef cnp.dtype own = FLOAT16 if in_float16 else HALF
        cdef cnp.dtype kind = read_kind(given[self.dtype] if self.dtype else None, in_float16)
        if kind is None or kind is own:
            return kind
        if not in_float16 and leaving_is_watched():
            return None
        return kind

    cdef object reduce(self, tuple given):
        cdef cnp.npy_uint64 count = halfcl_runs()[0]
        cdef cnp.dtype kind = self.kind_of(given)
        keepdims = given[self.keepdims]
        if kind is None:
            return NotImplemented
        found = try_reduction(
            self.statistic, given[:1], given[self.axis], kind, None,
            False if keepdims is no_value else keepdims, None, True,
            given[self.ddof] if self.ddof else 0, None, 0)
        if is_float16(<cnp.ndarray>given[0]):
            halfcl_runs()[0] = count  # what float16 arrays are computed by is not counted
        return found

    def __call__(self, *given):
        given = self.in_arrays(given)
        if given is None:
            return NotImplemented
        if self.statistic and has_native_halves(given[0]) and self.is_plain(given):
            found = self.reduce(given)
            if found is not NotImplemented:
                return found
        if self.is_of_numpy is not None and self.is_of_numpy(*given):
            return NotImplemented
        return self.otherwise(dict(zip(self.parameters, given)))
