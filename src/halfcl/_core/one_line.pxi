# The sum of one line of halves, and the dot product of two, as most calls ask for them. To look at
# axes, outputs and all else that reductions and products may have takes longer than short sums do.
# Needs: call.pxi, drivers.pxi, folds.pxi, reduce.pxi, rounding.pxi, scalar.pxi, types.pxi


cdef inline bint is_line(object x) noexcept:
    """Whether x is an array of half in native byte order, of one axis, that has elements."""
    return (
        has_native_halves(x) and not is_float16(<cnp.ndarray>x)
        and cnp.PyArray_NDIM(<cnp.ndarray>x) == 1 and cnp.PyArray_DIM(<cnp.ndarray>x, 0) > 0)


cdef object sum_of_line(cnp.ndarray line):
    """From +0 on, as NumPy's; NotImplemented where modes are drawn, or that is for threads."""
    cdef int mode = mode_of_loops(BY_OPERATOR)
    cdef Py_ssize_t n = cnp.PyArray_DIM(line, 0)
    cdef uint16_t result = 0
    cdef unsigned flags
    if mode == RANDOM_MODE or n >= RELEASE_GIL:
        return NotImplemented
    flags = halfcl_fold(
        SUM_FOLD, &result, cnp.PyArray_BYTES(line), cnp.PyArray_STRIDE(line, 0), n,
        <halfcl_rounding>mode)
    count_run(SUM_FOLD)
    if flags:
        report(flags, "reduce")
    return new_scalar(half, result)


cdef object dot_of_lines(cnp.ndarray a, cnp.ndarray b):
    """From +0 on; NotImplemented if their lengths differ."""
    cdef uint16_t result = 0
    cdef unsigned flags
    cdef halfcl_matrix_product product = halfcl_matrix_product(
        halfcl_matrix(cnp.PyArray_BYTES(a), 0, cnp.PyArray_STRIDE(a, 0)),
        halfcl_matrix(cnp.PyArray_BYTES(b), cnp.PyArray_STRIDE(b, 0), 0),
        halfcl_matrix(<char *>&result, sizeof(result), sizeof(result)),
        1, cnp.PyArray_DIM(a, 0), 1)
    if cnp.PyArray_DIM(b, 0) != cnp.PyArray_DIM(a, 0):
        return NotImplemented
    flags = multiply(&product, False)
    if flags:
        report(flags, "dot")
    return new_scalar(half, result)
