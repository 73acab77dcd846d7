# The sum of one line of halves, in its most usual call. Checking axes, outputs and the other
# options of a reduction would take longer than a short sum does.
# Needs: call.pxi, drivers.pxi, folds.pxi, reduce.pxi, regions.pxi, scalar.pxi


cdef inline bint is_line(object x) noexcept:
    """Return whether x is a non-empty array of halves in native byte order with one axis."""
    return (
        has_native_halves(x)
        and cnp.PyArray_NDIM(<cnp.ndarray>x) == 1 and cnp.PyArray_DIM(<cnp.ndarray>x, 0) > 0)


cdef object sum_of_line(cnp.ndarray line):
    """Return the sum, starting from +0 as NumPy's; NotImplemented where modes are drawn at random.
    """
    cdef int mode = mode_of_loops(BY_OPERATOR)
    cdef const char *start = cnp.PyArray_BYTES(line)
    cdef Py_ssize_t n = cnp.PyArray_DIM(line, 0), step = cnp.PyArray_STRIDE(line, 0)
    cdef uint16_t result = 0
    cdef unsigned flags
    if mode == RANDOM_MODE:
        return NotImplemented
    if n < RELEASE_GIL_OF_SUMS:
        flags = halfcl_fold(SUM_FOLD, &result, start, step, n, <halfcl_rounding>mode)
    else:
        with nogil:
            flags = halfcl_fold(SUM_FOLD, &result, start, step, n, <halfcl_rounding>mode)
    if not is_float16(line):  # computations on float16 arrays are not counted
        count_run(SUM_FOLD)
    if flags:
        report(flags, "reduce")
    return as_number(result, is_float16(line))
