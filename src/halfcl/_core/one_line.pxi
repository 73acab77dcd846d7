# The sum of one line of halves, as most calls ask for it. To look at axes, outputs and all else
# that a reduction may have takes longer than a short sum does.
# Needs: call.pxi, drivers.pxi, folds.pxi, reduce.pxi, rounding.pxi, scalar.pxi


cdef inline bint is_line(object x) noexcept:
    """Whether x is an array of half in native byte order, of one axis, that has elements."""
    return (
        has_native_halves(x) and not is_float16(<cnp.ndarray>x)
        and cnp.PyArray_NDIM(<cnp.ndarray>x) == 1 and cnp.PyArray_DIM(<cnp.ndarray>x, 0) > 0)


cdef object sum_of_line(cnp.ndarray line):
    """From +0 on, as NumPy's; NotImplemented where modes are drawn."""
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
    count_run(SUM_FOLD)
    if flags:
        report(flags, "reduce")
    return new_scalar(half, result)
