# The methods accumulate and reduceat of NumPy's ufuncs on halves, float16 too while accelerate() is
# on: sums and products are exact and rounded once, and short rows and segments do not cost a call
# each.
# Needs: arguments.pxi, call.pxi, drivers.pxi, dtype.pxi, folds.pxi, loops.pxi, reduce.pxi, regions.pxi, running_sums.pxi, scalar.pxi, types.pxi, ufunc_methods.pxi

cdef extern from "numpy_methods.h":
    int halfcl_replace_ufunc_methods(
        int, halfcl_method *, halfcl_method *, halfcl_method *) except -1

from libc.math cimport isfinite

cdef tuple ACCUMULATE_ARGUMENTS = ("array", "axis", "dtype", "out")
cdef tuple REDUCEAT_ARGUMENTS = ("array", "indices", "axis", "dtype", "out")
cdef frozenset ACCUMULATED = frozenset((np.add, np.multiply))
cdef frozenset STEPWISE = frozenset((np.subtract, np.divide))  # NumPy rounds them correctly
cdef frozenset TAKEN_ALONG = ACCUMULATED | EXTREMA | STEPWISE
cdef dict SIGNS = {np.maximum: 1, np.fmax: 1, np.minimum: -1, np.fmin: -1}


# ---------------------------------------------------------------- arguments

cdef object int_of_axis(object axis):
    """Return an axis as a Python int, by code of its user perhaps; None if it is no integer."""
    if not isinstance(axis, (int, cnp.integer)) or isinstance(axis, bool):
        return None
    return int(PyNumber_Index(axis))


cdef int place_of_axis(object axis, int ndim) except -2:
    """Return the axis of an int or None; -1 if it is out of range."""
    if axis is None or not -ndim <= axis < ndim:
        return -1
    return axis % ndim


cdef cnp.dtype kind_of_results(object dtype, object out, bint in_float16):
    """Return the results' dtype by NumPy's rule; None if NumPy has to compute it.

    The rule: the requested dtype, or else the output's.
    """
    if dtype is not None or out is None:
        return read_kind(dtype, in_float16)
    if type(out) is not np_ndarray:
        return None
    return read_kind(cnp.PyArray_DescrFromType(cnp.PyArray_TYPE(<cnp.ndarray>out)), in_float16)


cdef object lone_output(object out):
    """Return the output in a tuple of one, as ufuncs take them."""
    return (<tuple>out)[0] if type(out) is tuple and len(<tuple>out) == 1 else out


cdef bint is_usual(object array):
    """Return whether an array does not override NumPy's ufuncs."""
    return cnp.PyArray_CheckExact(array) or (
        type(array).__array_ufunc__ is np_ndarray.__array_ufunc__)


cdef object reduce_of_others_along(object ufunc, object array, object starts, PyObject *const *parsed):
    """Run along other numbers, or lists; NotImplemented if NumPy has to do it, or to raise.

    starts: those of segments, or None for running results; parsed: axis, dtype and out.
    """
    cdef object dtype = argument_or(parsed[1], None), out = argument_or(parsed[2], None)
    if reduce_others_along is None or not concerns_halves(array, dtype, out):
        return NotImplemented
    return reduce_others_along(ufunc, array, starts, argument_or(parsed[0], 0), dtype, out)


cdef bint holds_results(object out, cnp.dtype kind, int ndim, const cnp.npy_intp *shape) noexcept:
    """Return whether there is no output, or results can be copied to it.

    This is checked before anything is calculated, since NumPy handles, or refuses, the others.
    """
    return out is None or (
        cnp.PyArray_CheckExact(out) and cnp.PyArray_TYPE(<cnp.ndarray>out) == kind.type_num
        and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>out) and cnp.PyArray_NDIM(<cnp.ndarray>out) == ndim
        and cnp.PyArray_CompareLists(cnp.PyArray_DIMS(<cnp.ndarray>out), shape, ndim)
    )


cdef object put_results(object array, object result, object out):
    """Return the results in out, or in the class of the array."""
    if out is None:
        return wrap_result(array, result)
    cnp.PyArray_CopyInto(<cnp.ndarray>out, <cnp.ndarray>result)
    return out


# ---------------------------------------------------------------- running extrema
#
# Lines side by side are computed all at once; one line by doubling: of two elements, then of four,
# ... A function that picks one of two halves may take them in any order.

cdef enum:
    BLOCK_OF_LINE = 1024, LINES_AT_ONCE = 16, SHORT_LINE = 64


cdef void pick_along_block(
    const halfcl_kernel *kernel, uint16_t *block, uint16_t *spare, Py_ssize_t n
) noexcept nogil:
    """Pick along a block in place."""
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    cdef Py_ssize_t apart = 1
    cdef uint16_t *here = block
    cdef uint16_t *there = spare
    steps[0] = steps[1] = steps[2] = sizeof(uint16_t)
    while apart < n:
        memcpy(there, here, apart * sizeof(uint16_t))
        operands[0], operands[1] = <char *>here, <char *>(here + apart)
        operands[2] = <char *>(there + apart)
        halfcl_run(kernel, operands, steps, n - apart, HALFCL_RTE)
        here, there = there, here
        apart *= 2
    if here != block:
        memcpy(block, here, n * sizeof(uint16_t))


cdef void pick_along_line(
    const halfcl_kernel *kernel, const char *data, Py_ssize_t step, char *out, Py_ssize_t out_step,
    Py_ssize_t n
) noexcept nogil:
    cdef uint16_t block[BLOCK_OF_LINE]
    cdef uint16_t spare[BLOCK_OF_LINE]
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    cdef Py_ssize_t some, done = 0
    cdef uint16_t last = 0
    while done < n:
        some = min(BLOCK_OF_LINE, n - done)
        halfcl_copy(<char *>block, sizeof(uint16_t), data + done * step, step, some)
        pick_along_block(kernel, block, spare, some)
        if done > 0:
            operands[0], operands[1], operands[2] = <char *>&last, <char *>block, <char *>block
            steps[0], steps[1], steps[2] = 0, sizeof(uint16_t), sizeof(uint16_t)
            halfcl_run(kernel, operands, steps, some, HALFCL_RTE)
        last = block[some - 1]
        halfcl_copy(out + done * out_step, out_step, <char *>block, sizeof(uint16_t), some)
        done += some


cdef void pick_side_by_side(
    const halfcl_kernel *kernel, const halfcl_scanned_lines *lines, Py_ssize_t count
) noexcept nogil:
    """Pick in each line from its first two elements, then from that result and the third, ...

    The blocks of lines stay in the cache.
    """
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    cdef const char *first
    cdef Py_ssize_t i, some, done = 0
    while done < count:
        some = min(BLOCK_OF_LINE, count - done)
        first = lines.in_ + done * lines.in_across
        operands[0], operands[2] = <char *>first, lines.out + done * lines.out_across
        steps[0], steps[1], steps[2] = lines.in_across, lines.in_across, lines.out_across
        halfcl_copy(operands[2], steps[2], first, lines.in_across, some)
        for i in range(1, lines.n):
            operands[1] = <char *>first + i * lines.in_step
            operands[2] += lines.out_step
            halfcl_run(kernel, operands, steps, some, HALFCL_RTE)
            operands[0], steps[0] = operands[2], steps[2]
        done += some


cdef void pick_along_lines(
    const halfcl_kernel *kernel, const halfcl_scanned_lines *lines, Py_ssize_t count
) noexcept nogil:
    cdef Py_ssize_t i
    if count >= LINES_AT_ONCE and (lines.n <= SHORT_LINE or lines.in_across == sizeof(uint16_t)):
        pick_side_by_side(kernel, lines, count)
        return
    for i in range(count):
        pick_along_line(
            kernel, lines.in_ + i * lines.in_across, lines.in_step,
            lines.out + i * lines.out_across, lines.out_step, lines.n)


cdef void pick_everywhere_along(
    const halfcl_kernel *kernel, const Axes *across, char **start, halfcl_scanned_lines *lines
) noexcept nogil:
    """Pick along lines everywhere.

    lines: those of the innermost axis, but for where they start.
    """
    cdef size_t at[MAX_AXES]
    memset(at, 0, sizeof(at))
    while True:
        lines.in_, lines.out = start[FIRST_INPUT], start[STATES]
        pick_along_lines(kernel, lines, across.length[across.count - 1])
        if not next_place(across, at, start):
            return


cdef object accumulate_extrema(object ufunc, cnp.ndarray array, int axis):
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef Axes across
    cdef char *start[OPERANDS]
    cdef halfcl_scanned_lines lines
    cdef cnp.ndarray result
    if data == NULL or cnp.PyArray_SIZE(array) == 0:
        return NotImplemented
    result = new_array(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), native_dtype(array))
    find_lines(array, result, None, axis, &across, start)
    lines.n = cnp.PyArray_DIM(array, axis)
    lines.in_step, lines.out_step = cnp.PyArray_STRIDE(array, axis), cnp.PyArray_STRIDE(result, axis)
    lines.in_across = across.step[across.count - 1][FIRST_INPUT]
    lines.out_across = across.step[across.count - 1][STATES]
    with nogil:
        pick_everywhere_along(data.kernels[0], &across, start, &lines)
    count_run(data.kernels[0])
    return result


# ---------------------------------------------------------------- accumulate

cdef int check_output_of_line(cnp.ndarray array, object out) except -1:
    """Raise ValueError if one line has an output without axes, whose length NumPy would read."""
    if cnp.PyArray_NDIM(array) == 1 and cnp.PyArray_Check(out) and (
        cnp.PyArray_NDIM(<cnp.ndarray>out) == 0
    ):
        expected = (cnp.PyArray_DIM(array, 0),)
        raise ValueError(f"accumulate: argument out: expected shape {expected}, got ()")
    return 0


cdef object accumulate_array(object ufunc, PyObject *const *parsed):
    cdef object axis = 0 if parsed[1] == NULL else int_of_axis(<object>parsed[1])
    cdef object dtype = None if parsed[2] == NULL else <object>parsed[2]
    cdef object out = None if parsed[3] == NULL else lone_output(<object>parsed[3])
    cdef bint in_float16 = is_float16(<cnp.ndarray>parsed[0])
    cdef cnp.dtype kind = kind_of_results(dtype, out, in_float16)
    cdef cnp.ndarray array = as_native(<cnp.ndarray>parsed[0])
    cdef int ndim = cnp.PyArray_NDIM(array), along = place_of_axis(axis, ndim)
    cdef bint is_narrow = kind is FLOAT16 or kind is HALF
    cdef bint keeps_type = kind is (FLOAT16 if in_float16 else HALF)
    if along < 0:
        return NotImplemented
    check_output_of_line(array, out)
    if kind is None or not holds_results(out, kind, ndim, cnp.PyArray_DIMS(array)):
        return NotImplemented
    if ufunc in ACCUMULATED:
        if not keeps_type and (
            ufunc is NUMPY_MULTIPLY and not is_narrow or not in_float16 and are_promotions_watched()
        ):
            return NotImplemented
        result = accumulate_halves(
            "accumulate", ufunc is NUMPY_MULTIPLY, array, along, kind, None, None)
    elif not keeps_type:
        return NotImplemented
    elif ufunc in EXTREMA:
        result = accumulate_extrema(ufunc, array, along)
    elif operator_mode() == HALFCL_RTE:
        result = ufunc.accumulate(array.view(FLOAT16), along).view(HALF)
    else:
        return NotImplemented
    return result if result is NotImplemented else put_results(<object>parsed[0], result, out)


cdef PyObject *half_accumulate(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[4]
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    ufunc = <object>self
    if ufunc not in TAKEN_ALONG or (
        nargs > 0 and ufunc in STEPWISE and cnp.PyArray_Check(<object>args[0])
        and is_float16(<cnp.ndarray>args[0])
    ):
        return new_reference(NotImplemented)  # first, since these calls should cost no more
    memset(parsed, 0, sizeof(parsed))
    if region_value() & (RANDOM | ASKED) or not read_arguments(
        ACCUMULATE_ARGUMENTS, args, nargs, names, parsed
    ):
        return new_reference(NotImplemented)
    array = <object>parsed[0]
    if not halfcl_is_taken(array):
        return new_reference(reduce_of_others_along(ufunc, array, None, parsed + 1))
    if not is_usual(array) or is_float16(<cnp.ndarray>array) and (
        ufunc in STEPWISE or halfcl_takes_steps()[0]
    ):
        return new_reference(NotImplemented)
    result = accumulate_array(ufunc, parsed)
    if is_float16(<cnp.ndarray>parsed[0]):
        halfcl_runs()[0] = count  # computations on float16 arrays are not counted
    return new_reference(result)


# ---------------------------------------------------------------- reduceat
#
# A segment that is not long has an exact sum in double: its elements are multiples
# of 2^-24 below 2^16. So has a product of four halves. Extrema are found by halves' bits in order.
# The others are folded one by one, as are special cases: NaNs, extrema that are zeros.

cdef enum:
    LONG_SEGMENT = 1024, WINDOW = 2048, SEGMENTS_AT_ONCE = 256, EXACT_FACTORS = 4

cdef const halfcl_kernel *TO_DOUBLE = find_kernel("convert", "e>d", HALFCL_MAP)

ctypedef struct Segments:
    const char *data
    Py_ssize_t step, n
    const cnp.npy_intp *starts
    Py_ssize_t count
    const halfcl_kernel *fold
    int sign                 # 1 for a maximum, -1 for a minimum; 0: no extremum
    bint multiplies
    halfcl_rounding mode
    Py_ssize_t at, known     # the start of the converted doubles, and how many
    double window[WINDOW]


cdef inline Py_ssize_t end_of_segment(const Segments *s, Py_ssize_t k) noexcept nogil:
    """Return the end of the segment from an index to the next one, or of one element."""
    cdef Py_ssize_t end = s.starts[k + 1] if k + 1 < s.count else s.n
    return max(end, s.starts[k] + 1)


cdef const double *doubles_from(Segments *s, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Return the doubles of a segment that is not long."""
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    if start < s.at or end > s.at + s.known:
        s.at, s.known = start, min(WINDOW, s.n - start)
        operands[0], operands[1] = <char *>s.data + start * s.step, <char *>s.window
        steps[0], steps[1] = s.step, sizeof(double)
        halfcl_run(TO_DOUBLE, operands, steps, s.known, HALFCL_RTE)
    return s.window + (start - s.at)


cdef bint reduce_in_double(Segments *s, Py_ssize_t k, double *result) noexcept nogil:
    """Reduce a segment exactly in double; return False if that may be inexact."""
    cdef Py_ssize_t i, start = s.starts[k], end = end_of_segment(s, k), n = end - start
    cdef const double *numbers
    cdef double value
    result[0] = 0
    if n > (EXACT_FACTORS if s.multiplies else LONG_SEGMENT):
        return False
    numbers = doubles_from(s, start, end)
    value = numbers[0]
    for i in range(1, n):
        value = value * numbers[i] if s.multiplies else value + numbers[i]
    result[0] = value if isfinite(value) else 0
    # Rounding down, sums of zero may have another sign.
    return isfinite(value) and (value != 0 or s.multiplies or s.mode != HALFCL_RTN)


cdef inline unsigned in_order(uint16_t half, uint16_t turn) noexcept nogil:
    """Return a number that is larger for a larger half; with all bits of turn for a smaller one.

    Its last bits are the half's; of zeros +0 is the larger one.
    """
    cdef unsigned place = half ^ (0xFFFF if half & 0x8000 else 0x8000) ^ turn
    return place << 16 | half


cdef bint pick_of_segment(const Segments *s, Py_ssize_t k, uint16_t *result) noexcept nogil:
    """Pick the extremum of a segment; return False if there is a NaN, or if it is a zero."""
    cdef Py_ssize_t i
    cdef const char *at = s.data + s.starts[k] * s.step
    cdef uint16_t half, turn = 0 if s.sign > 0 else 0xFFFF
    cdef unsigned best = 0, largest = 0
    for i in range(s.starts[k], end_of_segment(s, k)):
        memcpy(&half, at, sizeof(half))
        at += s.step
        best = max(best, in_order(half, turn))
        largest = max(largest, <unsigned>(half & 0x7FFF))
    result[0] = <uint16_t>best
    return largest <= 0x7C00 and (result[0] & 0x7FFF) != 0


cdef unsigned fold_segment(const Segments *s, Py_ssize_t k, uint16_t *result) noexcept nogil:
    cdef const char *first = s.data + s.starts[k] * s.step
    memcpy(result, first, sizeof(uint16_t))
    if end_of_segment(s, k) - s.starts[k] == 1:
        return 0
    return halfcl_fold(
        s.fold, result, first + s.step, s.step, end_of_segment(s, k) - s.starts[k] - 1, s.mode)


cdef unsigned reduce_some_segments(
    Segments *s, Py_ssize_t first, Py_ssize_t count, uint16_t *results
) noexcept nogil:
    cdef double numbers[SEGMENTS_AT_ONCE]
    cdef bint hard[SEGMENTS_AT_ONCE]
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef Py_ssize_t k
    cdef unsigned flags = 0
    for k in range(count):
        if s.sign:
            hard[k] = not pick_of_segment(s, first + k, &results[k])
        else:
            hard[k] = not reduce_in_double(s, first + k, &numbers[k])
    if not s.sign:
        operands[0], operands[1] = <char *>numbers, <char *>results
        steps[0], steps[1] = sizeof(double), sizeof(uint16_t)
        flags |= halfcl_run(FROM_DOUBLE, operands, steps, count, s.mode)
    for k in range(count):
        if hard[k]:
            flags |= fold_segment(s, first + k, &results[k])
    return flags


cdef unsigned reduce_segments(Segments *s, char *out, Py_ssize_t out_step) noexcept nogil:
    """Reduce the segments of one line."""
    cdef uint16_t results[SEGMENTS_AT_ONCE]
    cdef Py_ssize_t first = 0, some
    cdef unsigned flags = 0
    s.known = 0
    s.at = 0
    while first < s.count:
        some = min(SEGMENTS_AT_ONCE, s.count - first)
        flags |= reduce_some_segments(s, first, some, results)
        halfcl_copy(
            out + first * out_step, out_step, <const char *>results, sizeof(uint16_t), some)
        first += some
    return flags


cdef unsigned reduce_everywhere_at(
    Segments *s, const Axes *across, char **start, Py_ssize_t out_step
) noexcept nogil:
    """Reduce all lines, each with the same segments."""
    cdef size_t at[MAX_AXES]
    cdef Py_ssize_t i
    cdef int last = across.count - 1
    cdef unsigned flags = 0
    memset(at, 0, sizeof(at))
    while True:
        for i in range(<Py_ssize_t>across.length[last]):
            s.data = start[FIRST_INPUT] + i * across.step[last][FIRST_INPUT]
            flags |= reduce_segments(s, start[STATES] + i * across.step[last][STATES], out_step)
        if not next_place(across, at, start):
            return flags


cdef cnp.ndarray read_indices(object indices):
    """Return indices as NumPy takes them, in a row; None if it has to refuse them."""
    cdef cnp.ndarray starts = np.asarray(indices)
    if cnp.PyArray_NDIM(starts) != 1 or not cnp.PyTypeNum_ISINTEGER(cnp.PyArray_TYPE(starts)):
        return None
    if cnp.PyArray_TYPE(starts) != cnp.NPY_INTP or not cnp.PyArray_ISCARRAY_RO(starts):
        starts = np.ascontiguousarray(starts, np.intp)
    return starts


cdef bint are_starts(cnp.ndarray starts, Py_ssize_t n) noexcept:
    """Return whether there are some, each within an axis of n elements."""
    cdef const cnp.npy_intp *start = <const cnp.npy_intp *>cnp.PyArray_DATA(starts)
    cdef Py_ssize_t k
    for k in range(cnp.PyArray_SIZE(starts)):
        if not 0 <= start[k] < n:
            return False
    return cnp.PyArray_SIZE(starts) > 0


cdef cnp.ndarray reduce_axis_at(
    object ufunc, cnp.ndarray array, cnp.ndarray starts, int axis, cnp.ndarray result
):
    cdef Segments s
    cdef Axes across
    cdef char *start[OPERANDS]
    cdef unsigned flags
    if cnp.PyArray_SIZE(result) == 0:
        return result
    find_lines(array, result, None, axis, &across, start)
    s.step, s.n = cnp.PyArray_STRIDE(array, axis), cnp.PyArray_DIM(array, axis)
    s.starts = <const cnp.npy_intp *>cnp.PyArray_DATA(starts)
    s.count = cnp.PyArray_SIZE(starts)
    s.fold, s.mode = twin_data(<PyObject *>ufunc).loops[0][<int>HALFCL_RTE].reduce, operator_mode()
    s.multiplies, s.sign = ufunc is NUMPY_MULTIPLY, SIGNS.get(ufunc, 0)
    with nogil:
        flags = reduce_everywhere_at(&s, &across, start, cnp.PyArray_STRIDE(result, axis))
    count_run(s.fold)
    if flags:
        report(flags, "reduceat")
    return result


cdef object reduce_array_at(object ufunc, PyObject *const *parsed):
    cdef object axis = 0 if parsed[2] == NULL else int_of_axis(<object>parsed[2])
    cdef object dtype = None if parsed[3] == NULL else <object>parsed[3]
    cdef object out = None if parsed[4] == NULL else lone_output(<object>parsed[4])
    cdef cnp.ndarray array = <cnp.ndarray>parsed[0], starts, result
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef bint in_float16 = is_float16(array)
    cdef cnp.dtype own = FLOAT16 if in_float16 else HALF
    cdef cnp.dtype kind = kind_of_results(dtype, out, in_float16)
    cdef int along, ndim
    if parsed[1] == NULL or ufunc not in ACCUMULATED and ufunc not in SIGNS or kind is None:
        return NotImplemented
    if kind is not own and (ufunc not in ACCUMULATED or not in_float16 and are_promotions_watched()):
        return NotImplemented
    if kind is not HALF and kind is not FLOAT16:  # the engine has no segments of other types
        return NotImplemented if reduce_others_along is None else reduce_others_along(
            ufunc, array, <object>parsed[1], axis, kind, out)
    starts = read_indices(<object>parsed[1])
    array = as_native(array)
    ndim = cnp.PyArray_NDIM(array)
    along = place_of_axis(axis, ndim)
    if starts is None or along < 0 or not are_starts(starts, cnp.PyArray_DIM(array, along)):
        return NotImplemented
    memcpy(shape, cnp.PyArray_DIMS(array), ndim * sizeof(shape[0]))
    shape[along] = cnp.PyArray_SIZE(starts)
    if not holds_results(out, kind, ndim, shape):
        return NotImplemented
    result = reduce_axis_at(ufunc, array, starts, along, new_array(ndim, shape, kind))
    return put_results(<object>parsed[0], result, out)


cdef PyObject *half_reduceat(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[5]
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    ufunc = <object>self
    memset(parsed, 0, sizeof(parsed))
    if region_value() & (RANDOM | ASKED) or not read_arguments(
        REDUCEAT_ARGUMENTS, args, nargs, names, parsed
    ):
        return new_reference(NotImplemented)
    array = <object>parsed[0]
    if not halfcl_is_taken(array):
        if parsed[1] == NULL:
            return new_reference(NotImplemented)
        return new_reference(
            reduce_of_others_along(ufunc, array, <object>parsed[1], parsed + 2))
    if not is_usual(array):
        return new_reference(NotImplemented)
    result = reduce_array_at(ufunc, parsed)
    if is_float16(<cnp.ndarray>parsed[0]):
        halfcl_runs()[0] = count
    return new_reference(result)


def teach_ufunc_methods(otherwise, others, others_along):
    """Run reduce, accumulate and reduceat of NumPy's ufuncs on halves here first.

    otherwise takes the sums and products that are not plain; others takes lists of halves, and
    other numbers that are reduced into half; others_along takes those of accumulate and reduceat.
    Return whether that worked: not if NumPy's methods are not laid out as expected.
    """
    global reduce_otherwise, reduce_others, reduce_others_along
    reduce_otherwise, reduce_others, reduce_others_along = otherwise, others, others_along
    return halfcl_replace_ufunc_methods(
        HALF_NUMBER, <halfcl_method *>half_reduce, <halfcl_method *>half_accumulate,
        <halfcl_method *>half_reduceat) != 0
