# NumPy's functions of one half that it composes of others, computed in float64: sinc and i0. There
# are 65,536 halves, so each result is computed by NumPy once, when it is first needed.
# Needs: call.pxi, drivers.pxi, dtype.pxi, in_float64.pxi, neighbours.pxi, regions.pxi, scalar.pxi, types.pxi, ufunc.pxi

cdef enum:
    COUNT_OF_HALVES = 1 << 16
    HALVES_AT_ONCE = 1024

cdef cnp.npy_uint64 NO_RESULT = <cnp.npy_uint64>-1  # the bits of a NaN that no function of a half returns
cdef cnp.npy_uint64 EXPONENT_OF_SPECIALS = <cnp.npy_uint64>0x7FF << 52


cdef class ResultsOfHalves:
    """The results of a NumPy function of one half, rounded once, for plain arrays; else None.

    Infinite and NaN results of numbers are not kept: NumPy computes them each time, and raises
    their exceptions.
    """
    cdef object function
    cdef cnp.npy_uint64 *results  # bits of doubles, by the bits of halves; NULL before the first call

    def __cinit__(self, function):
        self.function = function
        self.results = NULL

    def __dealloc__(self):
        free_memory(self.results)

    cdef int prepare(self) except -1:
        cdef size_t size = COUNT_OF_HALVES * sizeof(cnp.npy_uint64)
        cdef cnp.npy_uint64 *results
        if self.results != NULL:
            return 0
        results = <cnp.npy_uint64 *>malloc(size)
        if results == NULL:
            raise MemoryError()
        memset(results, 0xFF, size)
        self.results = results
        return 0

    cdef int compute_missing(
        self, const uint16_t *halves, cnp.npy_uint64 *exact, cnp.npy_intp n
    ) except -1 with gil:
        """Call NumPy's function for the results that are missing."""
        cdef cnp.ndarray arguments, wide
        cdef cnp.npy_intp count = 0, i
        cdef const cnp.npy_uint64 *value
        for i in range(n):
            count += exact[i] == NO_RESULT
        arguments = new_array(1, &count, FLOAT16)
        count = 0
        for i in range(n):
            if exact[i] == NO_RESULT:
                # A signalling NaN is like any other.
                (<uint16_t *>cnp.PyArray_DATA(arguments))[count] = halves[i] | (
                    0x200 if (halves[i] & 0x7FFF) > 0x7C00 else 0)
                count += 1
        wide = np.ascontiguousarray(self.function(widen_array(arguments)), FLOAT64)
        value = <const cnp.npy_uint64 *>cnp.PyArray_DATA(wide)
        for i in range(n):
            if exact[i] == NO_RESULT:
                exact[i] = value[0]
                value += 1
                if (exact[i] & EXPONENT_OF_SPECIALS) != EXPONENT_OF_SPECIALS or (
                    (halves[i] & 0x7FFF) > 0x7C00
                ):
                    self.results[halves[i]] = exact[i]
        return 0

    cdef int replace(
        self, uint16_t *halves, cnp.npy_intp n, int mode, unsigned *flags
    ) except -1 nogil:
        """Replace halves by the results for them, and add the exceptions of rounding these."""
        cdef cnp.npy_uint64 exact[HALVES_AT_ONCE]
        cdef char *operands[2]
        cdef Py_ssize_t steps[2]
        cdef cnp.npy_intp count, i
        cdef bint any_missing
        steps[0], steps[1] = sizeof(double), sizeof(uint16_t)
        while n > 0:
            count, any_missing = min(n, HALVES_AT_ONCE), False
            for i in range(count):
                exact[i] = self.results[halves[i]]
                any_missing |= exact[i] == NO_RESULT
            if any_missing:
                self.compute_missing(halves, exact, count)
            operands[0], operands[1] = <char *>exact, <char *>halves
            flags[0] |= halfcl_run(FROM_DOUBLE, operands, steps, count, <halfcl_rounding>mode)
            halves += count
            n -= count
        return 0

    def __call__(self, x):
        cdef cnp.ndarray array = halves_to_compute(x), out
        cdef int mode
        cdef unsigned flags = 0
        cdef cnp.npy_intp n
        cdef uint16_t *halves
        if array is None:
            return None
        mode = mode_of_loops(BY_OPERATOR)
        self.prepare()
        out = new_halves_like(array)
        cnp.PyArray_CopyInto(out, array)
        halves, n = <uint16_t *>cnp.PyArray_DATA(out), cnp.PyArray_SIZE(out)
        if n < RELEASE_GIL:
            self.replace(halves, n, mode, &flags)
        else:
            with nogil:
                self.replace(halves, n, mode, &flags)
        if cnp.PyArray_TYPE(out) == HALF_NUMBER:
            count_run(FROM_DOUBLE)
        if flags:
            report(flags, "cast")
        return out
