# The method reduce of NumPy's ufuncs on halves, float16 too while accelerate() is on: sums and
# products along any axes are exact and rounded once, and short rows do not cost a call each.
# Needs: arguments.pxi, call.pxi, drivers.pxi, folds.pxi, lines.pxi, loops.pxi, numpy_calls.pxi, one_line.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi

cdef tuple REDUCE_ARGUMENTS = ("array", "axis", "dtype", "out", "keepdims", "initial", "where")
cdef enum:
    OF_ARRAY, OF_AXIS, OF_DTYPE, OF_OUT, OF_KEEPDIMS, OF_INITIAL, OF_WHERE, REDUCE_GIVEN

cdef object no_value = np._NoValue
cdef object np_ndarray = np.ndarray
cdef object OWN_WAY = np.ndarray.__array_ufunc__  # that of subclasses that do not override ufuncs
cdef object NUMPY_ADD = np.add, NUMPY_MULTIPLY = np.multiply, NUMPY_SUBTRACT = np.subtract
cdef frozenset EXTREMA = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))
cdef object reduce_otherwise = None  # computes the sums and products that are not plain, or None
cdef object reduce_others = None  # reduces lists of halves, and other numbers into half
cdef object reduce_others_along = None  # does so for accumulate and reduceat


cdef inline object argument_or(PyObject *parsed, object default):
    return default if parsed == NULL else <object>parsed


cdef cnp.ndarray as_native(cnp.ndarray array):
    """Return the same numbers in an ndarray of native byte order."""
    if not cnp.PyArray_ISNOTSWAPPED(array):
        return np.asarray(array).astype(FLOAT16 if is_float16(array) else HALF)
    return array if cnp.PyArray_CheckExact(array) else np.asarray(array)


cpdef object wrap_result(array, result):
    """Return a result for an array in the array's class, if that derives from ndarray."""
    if cnp.PyArray_CheckExact(array):
        return result
    return array.__array_wrap__(np.asarray(result), None, np.ndim(result) == 0)


cdef bint is_plain_reduction(PyObject *const *parsed):
    """Return whether only axes and keepdims are passed."""
    return (
        argument_or(parsed[OF_DTYPE], None) is None and argument_or(parsed[OF_OUT], None) is None
        and argument_or(parsed[OF_INITIAL], no_value) is no_value
        and argument_or(parsed[OF_WHERE], True) is True)


# ---------------------------------------------------------------- sums and products

cdef object reduce_exactly(str name, PyObject *const *parsed):
    """Reduce by np.add or np.multiply; NotImplemented where NumPy has to compute it or raise."""
    cdef object axis = argument_or(parsed[OF_AXIS], 0), dtype = argument_or(parsed[OF_DTYPE], None)
    cdef object out = argument_or(parsed[OF_OUT], None), keepdims = argument_or(parsed[OF_KEEPDIMS], False)
    cdef object initial = argument_or(parsed[OF_INITIAL], no_value), where = argument_or(parsed[OF_WHERE], True)
    cdef cnp.ndarray array = <cnp.ndarray>parsed[OF_ARRAY]
    cdef bint in_float16 = is_float16(array)
    if not isinstance(keepdims, (bool, int)) or cnp.PyArray_SIZE(array) == 0:
        return NotImplemented
    if dtype is not None and dtype is not HALF and dtype is not half:
        kind = read_kind(dtype, in_float16)
        if not in_float16 and (
            are_promotions_watched() or initial is not no_value and kind is not FLOAT16
        ):
            return NotImplemented
    if initial is not None or where is True:
        result = try_reduction(
            name, (array,), axis, dtype, out, bool(keepdims),
            None if initial is no_value else initial, where, 0, None,
            HALFCL_FROM_ZERO if initial is no_value and name == "reduce" else 0)
        if result is not NotImplemented:
            return result
    if reduce_otherwise is None or dtype is not None and not in_float16 and are_promotions_watched():
        return NotImplemented
    return reduce_otherwise(name, array, axis, dtype, out, keepdims, initial, where)


cdef object reduce_differences(PyObject *const *parsed):
    """Reduce by np.subtract, as a sum of products with 1 and -1."""
    cdef object axis = argument_or(parsed[OF_AXIS], 0), keepdims = argument_or(parsed[OF_KEEPDIMS], False)
    cdef cnp.ndarray array = as_native(<cnp.ndarray>parsed[OF_ARRAY])
    cdef cnp.ndarray signs
    cdef cnp.npy_intp n
    cdef uint16_t one = 0x3C00, minus_one = 0xBC00
    cdef int along, ndim = cnp.PyArray_NDIM(array)
    if not is_plain_reduction(parsed) or type(axis) is not int or type(keepdims) is not bool:
        return NotImplemented
    if not -ndim <= axis < ndim or cnp.PyArray_DIM(array, axis % ndim) < 2:
        return NotImplemented
    along = axis % ndim
    n = cnp.PyArray_DIM(array, along)
    signs = new_array(1, &n, FLOAT16 if is_float16(array) else HALF)
    memcpy(cnp.PyArray_DATA(signs), &one, sizeof(one))
    halfcl_copy(
        cnp.PyArray_BYTES(signs) + sizeof(one), sizeof(one), <const char *>&minus_one, 0, n - 1)
    if along < ndim - 1:
        signs = signs.reshape((-1,) + (1,) * (ndim - 1 - along))
    result = try_reduction(
        "dot", (array, signs), axis, None, None, keepdims, None, True, 0, None, 0)
    return result if result is NotImplemented else wrap_result(<object>parsed[OF_ARRAY], result)


# ---------------------------------------------------------------- extrema
#
# Functions that pick one of two halves, and round nothing, are computed for all short rows at once:
# first on the second elements of all, then on the third ones. NumPy calls the loop for each row.
# For few elements preparing takes longer than computing.

cdef enum:
    LONGEST_SHORT = 100, ROWS_AT_ONCE = 1024, FEW_ROWS = 16, FEW_ELEMENTS = 2048, MANY_ELEMENTS = 256


cdef void pick_side_by_side(
    const halfcl_kernel *kernel, const halfcl_scanned_lines *lines, Py_ssize_t count
) noexcept nogil:
    """Pick in each line from its first two elements, then from that result and the third, ...

    Each result is stored out_step after the one before; with 0 only the last one remains. The
    blocks of lines stay in the cache.
    """
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    cdef const char *first
    cdef Py_ssize_t i, some, done = 0
    while done < count:
        some = min(ROWS_AT_ONCE, count - done)
        first = lines.in_ + done * lines.in_across
        operands[0], operands[2] = <char *>first, lines.out + done * lines.out_across
        steps[0], steps[1], steps[2] = lines.in_across, lines.in_across, lines.out_across
        if lines.out_step != 0:
            halfcl_copy(operands[2], steps[2], first, lines.in_across, some)
        for i in range(1, lines.n):
            operands[1] = <char *>first + i * lines.in_step
            operands[2] += lines.out_step
            halfcl_run(kernel, operands, steps, some, HALFCL_RTE)
            operands[0], steps[0] = operands[2], steps[2]
        done += some


cdef void pick_everywhere(
    const halfcl_kernel *kernel, const Reduction *call, char *out
) noexcept nogil:
    """Compute all results of a call whose elements lie in rows (lie_in_rows)."""
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef size_t at[MAX_AXES]
    cdef halfcl_scanned_lines lines
    cdef int across
    lie_in_rows(call, start, &kept, &reduced)
    across = kept.count - 1
    lines.n = reduced.length[0]
    lines.in_step, lines.in_across = reduced.step[0][FIRST_INPUT], kept.step[across][FIRST_INPUT]
    lines.out_step, lines.out_across = 0, sizeof(uint16_t)
    memset(at, 0, across * sizeof(size_t))
    while True:
        lines.in_ = start[FIRST_INPUT]
        lines.out = <char *>result_at(out, start[STATES], sizeof(uint16_t))
        pick_side_by_side(kernel, &lines, kept.length[across])
        if not next_place(&kept, at, start):
            return


cdef bint has_short_rows(const Reduction *call) noexcept:
    """Return whether rows that NumPy calls the loop for are reduced: those of the smallest steps.
    """
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef int k
    if not lie_in_rows(call, start, &kept, &reduced):
        return False
    if call.n * call.count <= FEW_ELEMENTS:
        return True
    if call.n > LONGEST_SHORT or call.count < FEW_ROWS:
        return False
    for k in range(kept.count):
        if 0 != labs(kept.step[k][FIRST_INPUT]) < labs(reduced.step[0][FIRST_INPUT]):
            return False
    return True


cdef bint pick_of_all(const halfcl_kernel *fold, const Reduction *call, char *out) noexcept:
    """Compute the one result of few elements in a row; return False for other layouts."""
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef Py_ssize_t step
    memcpy(start, call.start, sizeof(start))
    collect_axes(call, start, &kept, &reduced)
    if reduced.count > 1 or call.n > FEW_ELEMENTS:
        return False
    step = reduced.step[0][FIRST_INPUT]
    memcpy(out, start[FIRST_INPUT], sizeof(uint16_t))
    halfcl_fold(fold, <uint16_t *>out, start[FIRST_INPUT] + step, step, call.n - 1, HALFCL_RTE)
    return True


cdef void pick_again(
    const halfcl_kernel *kernel, cnp.ndarray result, const uint16_t *initial
) noexcept:
    """Pick from each result and the initial number."""
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    operands[0] = operands[2] = cnp.PyArray_BYTES(result)
    operands[1] = <char *>initial
    steps[0], steps[1], steps[2] = sizeof(uint16_t), 0, sizeof(uint16_t)
    halfcl_run(kernel, operands, steps, cnp.PyArray_SIZE(result), HALFCL_RTE)


cdef cnp.ndarray as_shape(cnp.ndarray array, int ndim, cnp.npy_intp *shape):
    cdef cnp.PyArray_Dims dims
    dims.ptr, dims.len = shape, ndim
    return cnp.PyArray_Newshape(array, &dims, cnp.NPY_CORDER)


cdef object pick_along(
    object ufunc, cnp.ndarray array, object axis, bint keepdims, const uint16_t *initial
):
    """Return the extrema along axes; NotImplemented unless elements are few, or rows short."""
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef Reduction call
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef cnp.ndarray result
    cdef const halfcl_kernel *kernel
    cdef int axes
    call.has_initial = False
    if data == NULL or not read_operands(&call, (array,), True) or not read_axes(axis, &call):
        return NotImplemented
    count_results(&call)
    if call.n < 2 or call.count == 0:
        return NotImplemented
    if call.count > 1 and not has_short_rows(&call):
        return NotImplemented
    axes = shape_of_results(&call, keepdims, shape)
    result = new_array(axes, shape, HALF if not is_float16(array) else FLOAT16)
    kernel = data.kernels[0]
    if call.count == 1:
        if not pick_of_all(data.loops[0][<int>HALFCL_RTE].reduce, &call, cnp.PyArray_BYTES(result)):
            return NotImplemented
    elif call.n * call.count < RELEASE_GIL:
        pick_everywhere(kernel, &call, cnp.PyArray_BYTES(result))
    else:
        with nogil:
            pick_everywhere(kernel, &call, cnp.PyArray_BYTES(result))
    if initial != NULL:
        pick_again(kernel, result, initial)
    if not is_float16(array):
        count_run(kernel)
    return as_result(result)


cdef object pick_along_some(object ufunc, cnp.ndarray array, tuple axes, bint keepdims):
    """Reduce one axis after the other, those with short rows first."""
    cdef cnp.ndarray rows = array
    cdef cnp.npy_intp shape[MAX_DIMENSIONS]
    cdef int k, ndim = cnp.PyArray_NDIM(array), kept = 0
    cdef set remaining = {k % ndim for k in axes} if ndim > 0 else set()
    if len(remaining) < len(axes) or min(axes, default=0) < -ndim or max(axes, default=0) >= ndim:
        return NotImplemented  # NumPy has to refuse it
    for k in range(ndim):
        if k in remaining:
            result = pick_along(ufunc, rows, k, True, NULL)
            if result is not NotImplemented:
                rows = result
                remaining.remove(k)
        else:
            shape[kept] = cnp.PyArray_DIM(array, k)
            kept += 1
    if rows is array:
        return NotImplemented
    if remaining:
        return ufunc.reduce(rows, axes, keepdims=keepdims)
    return rows if keepdims else as_result(as_shape(rows, kept, shape))


cdef uint16_t half_of(object number, cnp.dtype kind) except? 0x7E01:
    """Return the bits of a number in that dtype, as NumPy's casts have them, with their exceptions.
    """
    cdef uint16_t bits
    if read_number_of_type(number, kind.type_num, &bits):
        return bits
    start = np.empty((), kind)
    cnp.PyArray_FillWithScalar(start, number)
    return (<const uint16_t *>cnp.PyArray_DATA(start))[0]


cdef inline bint is_where_of(object where, cnp.ndarray array) noexcept:
    """Return whether these are bools in the layout of an array's elements, which are in a row."""
    return (
        lies_in_row(array, array) and lies_in_row(where, array)
        and cnp.PyArray_TYPE(<cnp.ndarray>where) == cnp.NPY_BOOL)


cdef object reduce_from_initial(object ufunc, PyObject *const *parsed):
    """Reduce with an initial number, which also replaces the elements left out.

    Picking it several times changes nothing.
    """
    cdef object initial = argument_or(parsed[OF_INITIAL], None), where = argument_or(parsed[OF_WHERE], True)
    cdef object axis = argument_or(parsed[OF_AXIS], 0), keepdims = argument_or(parsed[OF_KEEPDIMS], False)
    cdef cnp.ndarray array = <cnp.ndarray>parsed[OF_ARRAY], filled = array
    cdef cnp.dtype kind = FLOAT16 if is_float16(array) else HALF
    cdef uint16_t first
    if not isinstance(initial, (int, float, cnp.floating)) or cnp.PyArray_SIZE(array) == 0:
        return NotImplemented
    if argument_or(parsed[OF_DTYPE], None) is not None or argument_or(parsed[OF_OUT], None) is not None:
        return NotImplemented
    if where is not True and not is_where_of(where, array):
        return NotImplemented
    first = half_of(initial, kind)
    if where is not True:
        if not is_where_of(where, array):  # not any more: initial's own code has resized one of them
            return NotImplemented
        filled = fill_gaps(array, where, first)
    result = pick_along(ufunc, filled, axis, keepdims, &first)
    if result is not NotImplemented:
        return result
    result = ufunc.reduce(filled, axis, keepdims=keepdims)
    return ufunc(result, as_number(first, kind is FLOAT16))


cdef object reduce_to_extrema(object ufunc, PyObject *const *parsed):
    """Reduce by np.maximum and its like; NotImplemented where NumPy is as fast, or has to raise.

    Among several axes the one with short rows is first.
    """
    cdef object axis = argument_or(parsed[OF_AXIS], 0), keepdims = argument_or(parsed[OF_KEEPDIMS], False)
    cdef object array = <object>parsed[OF_ARRAY]
    if not has_native_halves(array) or type(keepdims) is not bool:
        return NotImplemented
    if not is_plain_reduction(parsed):
        return reduce_from_initial(ufunc, parsed)
    if axis is None or type(axis) is int:
        return pick_along(ufunc, array, axis, keepdims, NULL)
    if type(axis) is not tuple:
        return NotImplemented
    for one in <tuple>axis:
        if type(one) is not int:
            return NotImplemented
    result = pick_along(ufunc, array, axis, keepdims, NULL)  # axes that continue each other
    if result is not NotImplemented or cnp.PyArray_SIZE(<cnp.ndarray>array) < MANY_ELEMENTS:
        return result
    return pick_along_some(ufunc, array, axis, keepdims)


# ---------------------------------------------------------------- calls

cdef inline bint is_sum_of_line(PyObject *const *parsed):
    """Return whether one array with one axis is passed, and nothing that makes a difference."""
    cdef object axis = argument_or(parsed[OF_AXIS], None)
    return (
        is_line(<object>parsed[OF_ARRAY]) and is_plain_reduction(parsed)
        and argument_or(parsed[OF_KEEPDIMS], False) is False
        and (axis is None or type(axis) is int and axis in (0, -1)))


cdef int search_halves(object items, int depth) except -1:
    """Return 1 if there is a half, or what may be an array of halves, 0 if not, 2 if too deep.

    The search ends at the first list that lies too deep: NumPy makes no array of such lists, and
    a list that holds itself twice would take for ever.
    """
    cdef int result
    if cnp.PyArray_Check(items):
        return halfcl_is_taken(items)
    if issubclass(type(items), (half, np.float16)):
        return 1
    if type(items) is not list and type(items) is not tuple:
        return type(items) not in (int, float, bool, complex, str, bytes) and (
            not issubclass(type(items), np.generic))  # __array__ may make it an array
    if depth > MAX_DIMENSIONS:
        return 2
    for item in items:
        if type(item) is not float and type(item) is not int:
            result = search_halves(item, depth + 1)
            if result != 0:
                return result
    return 0


cdef bint holds_halves(object items) except -1:
    """Return whether lists and tuples, at any depth that arrays have, may hold halves."""
    return search_halves(items, 1) == 1


cdef bint concerns_halves(object array, object dtype, object out) except -1:
    """Return whether an argument other than an array of halves holds some, or is reduced into half.
    """
    if not cnp.PyArray_CheckExact(array) and type(array) is not list and (
        getattr(type(array), "__array_ufunc__", OWN_WAY) is not OWN_WAY
    ):
        return False
    if dtype is not None or out is not None:
        return True
    return not cnp.PyArray_Check(array) and holds_halves(array)


cdef object reduce_of_others(object ufunc, PyObject *const *parsed):
    """Reduce other numbers, or lists; return NotImplemented if NumPy has to do it, or to raise."""
    cdef object array = <object>parsed[OF_ARRAY]
    cdef object dtype = argument_or(parsed[OF_DTYPE], None), out = argument_or(parsed[OF_OUT], None)
    if reduce_others is None or not concerns_halves(array, dtype, out):
        return NotImplemented
    return reduce_others(
        ufunc, array, argument_or(parsed[OF_AXIS], 0), dtype, out, argument_or(parsed[OF_KEEPDIMS], False),
        argument_or(parsed[OF_INITIAL], no_value), argument_or(parsed[OF_WHERE], True))


cdef PyObject *half_reduce(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[REDUCE_GIVEN]
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    cdef object ufunc = <object>self
    memset(parsed, 0, sizeof(parsed))
    if region_value() & (RANDOM | ASKED) or not read_arguments(
        REDUCE_ARGUMENTS, args, nargs, names, parsed
    ):
        return new_reference(NotImplemented)
    array = <object>parsed[OF_ARRAY]
    if not halfcl_is_taken(array):
        return new_reference(reduce_of_others(ufunc, parsed))
    if halfcl_takes_steps()[0] and is_float16(<cnp.ndarray>array):
        return new_reference(NotImplemented)
    if ufunc is NUMPY_ADD and is_sum_of_line(parsed):
        result = sum_of_line(<cnp.ndarray>array)
        if result is not NotImplemented:
            return new_reference(result)
    if not cnp.PyArray_CheckExact(array) and (
        type(array).__array_ufunc__ is not np_ndarray.__array_ufunc__
    ):
        return new_reference(NotImplemented)
    result = NotImplemented
    if ufunc is NUMPY_ADD:
        result = reduce_exactly("reduce", parsed)
    elif ufunc is NUMPY_MULTIPLY:
        result = reduce_exactly("prod", parsed)
    elif ufunc is NUMPY_SUBTRACT:
        result = reduce_differences(parsed)
    elif ufunc in EXTREMA:
        result = reduce_to_extrema(ufunc, parsed)
    if is_float16(<cnp.ndarray>array):
        halfcl_runs()[0] = count  # computations on float16 arrays are not counted
    return new_reference(result)


def is_of_halves(x):
    """Return whether x is an array of half or one half, or of float16 while accelerate() is on."""
    return halfcl_is_taken(x) or is_half(x)


def may_hold_halves(x):
    """Return whether x, a list or an object that is no array, may hold halves at any depth."""
    return not cnp.PyArray_Check(x) and holds_halves(x)
