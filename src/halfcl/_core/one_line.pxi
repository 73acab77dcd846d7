# The reduction of one line of halves, in its most usual call. Checking axes, outputs and the other
# options of a reduction would take longer than a short sum does.
# Needs: acceleration.pxi, call.pxi, drivers.pxi, folds.pxi, loops.pxi, reduce.pxi, regions.pxi, scalar.pxi

cdef inline bint is_line(object x) noexcept:
    """Return whether x is a non-empty array of halves in native byte order with one axis."""
    return (
        has_native_halves(x)
        and cnp.PyArray_NDIM(<cnp.ndarray>x) == 1 and cnp.PyArray_DIM(<cnp.ndarray>x, 0) > 0)


cdef object sum_of_line(cnp.ndarray line):
    """Return the sum, starting from +0 as NumPy's, outside regions that draw modes at random."""
    cdef int mode = mode_of_loops(BY_OPERATOR)
    cdef const char *start = cnp.PyArray_BYTES(line)
    cdef Py_ssize_t n = cnp.PyArray_DIM(line, 0), step = cnp.PyArray_STRIDE(line, 0)
    cdef uint16_t result = 0
    cdef unsigned flags
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


# ---------------------------------------------------------------- step by step

cdef void run_steps(
    const UfuncData *data, const ReplacedLoop *loop, int mode, char **operands, cnp.npy_intp n,
    const cnp.npy_intp *steps
) noexcept nogil:
    """Run the loop for half, or that which NumPy has for float16."""
    cdef ReplacedUFuncObject *ufunc = <ReplacedUFuncObject *>data.ufunc
    if loop == NULL:
        binary_loop(NULL, operands, &n, steps, <NpyAuxData *>&data.loops[0][mode].base)
    else:
        (<PyUFuncGenericFunction>halfcl_kept(&ufunc.functions[loop.place]))(
            operands, &n, steps, ufunc.data[loop.place])


cdef object reduce_in_steps(object ufunc, cnp.ndarray line):
    """Reduce a line by the ufunc's loop, as NumPy does; NotImplemented if NumPy has to do it."""
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef const ReplacedLoop *loop = NULL
    cdef bint in_float16 = is_float16(line)
    cdef char *operands[3]
    cdef cnp.npy_intp[3] steps
    cdef cnp.npy_intp n = cnp.PyArray_DIM(line, 0)
    cdef uint16_t result
    cdef unsigned flags = 0
    cdef int mode, raised
    if data == NULL or not is_binary(data.kernels[0]) or not cnp.PyArray_CHKFLAGS(line, cnp.NPY_ARRAY_ALIGNED):
        return NotImplemented
    if reduction_watcher is not None or data.has_neutral:
        return NotImplemented
    if in_float16 and data.replaced_count != 1:
        return NotImplemented
    loop = <const ReplacedLoop *>data.replaced if in_float16 else NULL
    mode = mode_of_loops(data.chooser)
    steps[0], steps[1], steps[2] = 0, cnp.PyArray_STRIDE(line, 0), 0
    operands[0] = operands[2] = <char *>&result
    operands[1] = cnp.PyArray_BYTES(line)
    identity = ufunc.identity if in_float16 else None
    if identity is not None:
        result = to_bits(identity, HALFCL_RTE, &flags)
    elif in_float16 or not put_initial(data, NULL, False, &result):
        memcpy(&result, operands[1], sizeof(result))
        operands[1] += steps[1]
        n -= 1
    cnp.PyUFunc_clearfperr()
    if n >= RELEASE_GIL:
        with nogil:
            run_steps(data, loop, mode, operands, n, steps)
    elif n > 0:
        run_steps(data, loop, mode, operands, n, steps)
    raised = cnp.PyUFunc_getfperr()
    if raised:
        PyUFunc_GiveFloatingpointErrors("reduce", raised)
    return as_number(result, in_float16)
