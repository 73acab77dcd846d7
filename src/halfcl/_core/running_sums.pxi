# Running sums and products: each exact, and rounded once.
# Needs: call.pxi, drivers.pxi, folds.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi

cdef enum:
    MOST_COLUMNS = 256  # scanned at a time


cdef bint scan_down(
    const halfcl_kernel *scan, char **start, const Axes *lines, Py_ssize_t step,
    Py_ssize_t out_step, size_t n, halfcl_rounding mode, unsigned *flags
) noexcept nogil:
    """Scan lines that lie side by side together; return False, and do nothing, for other layouts.
    """
    cdef halfcl_fold_state states[MOST_COLUMNS]
    cdef int last = lines.count - 1
    cdef size_t count = lines.length[last], first = 0, some, i
    cdef unsigned raised = 0
    if count < 2 or lines.step[last][FIRST_INPUT] != 2 or lines.step[last][STATES] != 2:
        return False
    while first < count:
        some = min(count - first, <size_t>MOST_COLUMNS)
        memset(states, 0, some * sizeof(halfcl_fold_state))
        for i in range(some):
            if start[SECOND_INPUT] != NULL:
                states[i] = (<const halfcl_fold_state *>(
                    start[SECOND_INPUT]
                    + <Py_ssize_t>(first + i) * lines.step[last][SECOND_INPUT]))[0]
        if not halfcl_scan_columns(
            scan, states, some, start[FIRST_INPUT] + 2 * first, step, start[STATES] + 2 * first,
            out_step, n, mode, &raised
        ):
            return False
        flags[0] |= raised
        first += some
    return True


cdef bint scan_short_lines(
    const halfcl_kernel *scan, char **start, const Axes *lines, Py_ssize_t step,
    Py_ssize_t out_step, size_t n, halfcl_rounding mode, unsigned *flags
) noexcept nogil:
    """Scan the innermost axis's lines; return False, and do nothing, if they are long."""
    cdef halfcl_scanned_lines some
    cdef int last = lines.count - 1
    cdef unsigned raised = 0
    if start[SECOND_INPUT] != NULL:
        return False
    some.in_, some.in_step, some.in_across = start[FIRST_INPUT], step, lines.step[last][FIRST_INPUT]
    some.out, some.out_step, some.out_across = start[STATES], out_step, lines.step[last][STATES]
    some.n = n
    if not halfcl_scan_lines(scan, &some, lines.length[last], mode, &raised):
        return False
    flags[0] |= raised
    return True


cdef unsigned scan_everywhere(
    const halfcl_kernel *scan, char **start, const Axes *lines, Py_ssize_t step,
    Py_ssize_t out_step, size_t n, halfcl_rounding mode
) noexcept nogil:
    cdef size_t at[MAX_AXES]
    cdef halfcl_fold_state state
    cdef int last = lines.count - 1
    cdef size_t i
    cdef unsigned flags = 0
    cdef bint done
    memset(at, 0, last * sizeof(size_t))
    while True:
        done = (
            scan_short_lines(scan, start, lines, step, out_step, n, mode, &flags)
            or scan_down(scan, start, lines, step, out_step, n, mode, &flags))
        for i in range(0 if done else lines.length[last]):
            if start[SECOND_INPUT] == NULL:
                memset(&state, 0, sizeof(state))
            else:
                state = (<const halfcl_fold_state *>(
                    start[SECOND_INPUT] + <Py_ssize_t>i * lines.step[last][SECOND_INPUT]))[0]
            flags |= halfcl_run_scan(
                scan, &state, start[FIRST_INPUT] + <Py_ssize_t>i * lines.step[last][FIRST_INPUT],
                step, start[STATES] + <Py_ssize_t>i * lines.step[last][STATES], out_step, n, mode)
        if not next_place(lines, at, start):
            return flags


cdef const halfcl_kernel *HALF_SCAN = find_kernel("add_accumulate", "e>e", HALFCL_SCAN)
cdef const halfcl_kernel *FLOAT_SCAN = find_kernel("add_accumulate", "e>f", HALFCL_SCAN)
cdef const halfcl_kernel *DOUBLE_SCAN = find_kernel("add_accumulate", "e>d", HALFCL_SCAN)
cdef const halfcl_kernel *PRODUCT_SCAN = find_kernel("multiply_accumulate", "e>e", HALFCL_SCAN)


cdef const halfcl_kernel *scan_to(int type) noexcept:
    """Return the kernel that writes sums of an engine's type; NULL if there is none."""
    if type == HALFCL_HALF:
        return HALF_SCAN
    if type == HALFCL_FLOAT:
        return FLOAT_SCAN
    return DOUBLE_SCAN if type == HALFCL_DOUBLE else NULL


cdef void find_lines(
    cnp.ndarray a, cnp.ndarray out, cnp.ndarray states, int axis, Axes *lines, char **start
) noexcept:
    """Find the axes of a and out across which their lines along one axis are found.

    states, if not None, have length 1 along that axis.
    """
    cdef Py_ssize_t step[OPERANDS]
    cdef int k
    memset(step, 0, sizeof(step))
    memset(start, 0, OPERANDS * sizeof(start[0]))
    start[STATES], start[FIRST_INPUT] = cnp.PyArray_BYTES(out), cnp.PyArray_BYTES(a)
    if states is not None:
        start[SECOND_INPUT] = cnp.PyArray_BYTES(states)
    lines.count = 0
    for k in range(cnp.PyArray_NDIM(a)):
        step[STATES], step[FIRST_INPUT] = cnp.PyArray_STRIDE(out, k), cnp.PyArray_STRIDE(a, k)
        if states is not None:
            step[SECOND_INPUT] = cnp.PyArray_STRIDE(states, k)
        if k != axis and cnp.PyArray_DIM(a, k) > 1:
            put_axis(lines, start, cnp.PyArray_DIM(a, k), step)
    join_axes(lines)


cdef unsigned scan_array(
    const halfcl_kernel *scan, cnp.ndarray a, cnp.ndarray out, int axis, int mode,
    cnp.ndarray states
):
    """Write sums, or products, to out, of a's shape; return the exceptions raised.

    states may be None.
    """
    cdef Axes lines
    cdef char *start[OPERANDS]
    cdef Py_ssize_t step, out_step
    cdef Py_ssize_t n = cnp.PyArray_SIZE(a)
    cdef unsigned flags
    if n == 0:
        return 0
    find_lines(a, out, states, axis, &lines, start)
    step, out_step = cnp.PyArray_STRIDE(a, axis), cnp.PyArray_STRIDE(out, axis)
    if n < RELEASE_GIL:
        flags = scan_everywhere(
            scan, start, &lines, step, out_step, cnp.PyArray_DIM(a, axis), toss(mode))
    else:
        with nogil:
            flags = scan_everywhere(
                scan, start, &lines, step, out_step, cnp.PyArray_DIM(a, axis), toss(mode))
    count_run(scan)
    return flags


def running_sums(
    cnp.ndarray a not None, cnp.ndarray out not None, int axis, rounding, cnp.ndarray states=None
):
    """Write the sums of the halves up to each along an axis, each rounded once.

    a: of half or float16 in native byte order; out: of half, float32 or float64 and of the same
    shape, without overlap with a; states: the starts of the sums, of length 1 along the axis.
    Return the exceptions raised, for report_flags.
    """
    cdef int mode = mode_of_call(rounding)
    if engine_type(cnp.PyArray_TYPE(a)) != HALFCL_HALF or not cnp.PyArray_ISNOTSWAPPED(a):
        raise TypeError("a: expected halves in native byte order")
    cdef const halfcl_kernel *scan = scan_to(engine_type(cnp.PyArray_TYPE(out)))
    if scan == NULL or not cnp.PyArray_ISBEHAVED(out):
        raise TypeError("out: expected a writable array of half, float32 or float64")
    if not cnp.PyArray_SAMESHAPE(a, out) or not 0 <= axis < cnp.PyArray_NDIM(a):
        raise ValueError("out: expected the shape of a, and an axis of it")
    if states is not None:
        check_states(states)
        if (<object>states).shape != (*(<object>a).shape[:axis], 1, *(<object>a).shape[axis + 1:]):
            raise ValueError("states: expected the shape of a, but for the axis of length 1")
    return scan_array(scan, a, out, axis, mode, states)


cdef object accumulate_halves(str name, bint multiplies, a, axis, dtype, out, rounding):
    """Compute running sums or products along an axis, or of all elements in a row.

    name: the function that raises. NotImplemented unless `reduce_at_once` would take these
    arguments.
    """
    cdef cnp.ndarray array, result
    cdef cnp.dtype kind
    cdef const halfcl_kernel *scan = PRODUCT_SCAN
    cdef Py_ssize_t along = 0
    cdef int mode
    cdef unsigned flags
    if not has_native_halves(a):
        return NotImplemented
    array = a
    kind = read_kind(dtype, is_float16(array))
    if kind is None or multiplies and kind is not HALF and kind is not FLOAT16:
        return NotImplemented
    if axis is None or cnp.PyArray_NDIM(array) == 0:
        if axis is not None:
            return NotImplemented
        if cnp.PyArray_NDIM(array) != 1:
            array = array.reshape(-1)
    elif type(axis) is int and -cnp.PyArray_NDIM(array) <= axis < cnp.PyArray_NDIM(array):
        along = axis
        along += cnp.PyArray_NDIM(array) if along < 0 else 0
    else:
        return NotImplemented
    if out is not None and not is_target(
        out, kind, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array)
    ):
        return NotImplemented
    mode = mode_of_call(rounding)
    if not multiplies:
        scan = scan_to(engine_type(kind.type_num))
    result = new_array(cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), kind)
    flags = scan_array(scan, array, result, <int>along, mode, None)
    if flags:
        report(flags, name)
    if out is None:
        return result
    cnp.PyArray_CopyInto(<cnp.ndarray>out, result)
    return out


def cumsum(a, axis, dtype, out, rounding):
    """Return running sums along an axis, or of all elements in a row.

    NotImplemented unless `reduce_at_once` would take these arguments.
    """
    return accumulate_halves("cumsum", False, a, axis, dtype, out, rounding)
