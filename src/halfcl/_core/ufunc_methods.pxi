# The method reduce of NumPy's ufuncs on halves, float16 too while accelerate() is on: sums and
# products along any axes are exact and rounded once, and short rows take no call each.
# Needs: arguments.pxi, call.pxi, drivers.pxi, folds.pxi, lines.pxi, loops.pxi, numpy_calls.pxi, one_line.pxi, reduce.pxi, rounding.pxi, scalar.pxi, types.pxi

cdef tuple REDUCE_ARGUMENTS = ("array", "axis", "dtype", "out", "keepdims", "initial", "where")
cdef enum:
    OF_ARRAY, OF_AXIS, OF_DTYPE, OF_OUT, OF_KEEPDIMS, OF_INITIAL, OF_WHERE, REDUCE_GIVEN

cdef object no_value = np._NoValue
cdef object np_ndarray = np.ndarray
cdef object OWN_WAY = np.ndarray.__array_ufunc__  # that of subclasses that leave ufuncs alone
cdef object NUMPY_ADD = np.add, NUMPY_MULTIPLY = np.multiply, NUMPY_SUBTRACT = np.subtract
cdef frozenset EXTREMA = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))
cdef object reduce_otherwise = None  # what takes the sums and products that are not plain, or None
cdef object reduce_others = None  # what takes lists of halves, and reduces other numbers into half
cdef object reduce_others_along = None  # the same for accumulate and reduceat


cdef inline object given_or(PyObject *given, object default):
    return default if given == NULL else <object>given


cdef cnp.ndarray as_native(cnp.ndarray array):
    """The same numbers in an ndarray of native byte order."""
    if not cnp.PyArray_ISNOTSWAPPED(array):
        return np.asarray(array).astype(FLOAT16 if is_float16(array) else HALF)
    return array if cnp.PyArray_CheckExact(array) else np.asarray(array)


cpdef object wrapped(array, found):
    """The result for an array, of a class that derives from ndarray perhaps."""
    if cnp.PyArray_CheckExact(array):
        return found
    return array.__array_wrap__(np.asarray(found), None, np.ndim(found) == 0)


cdef bint is_plain_reduction(PyObject *const *given):
    """Whether nothing but axes and keepdims is given."""
    return (
        given_or(given[OF_DTYPE], None) is None and given_or(given[OF_OUT], None) is None
        and given_or(given[OF_INITIAL], no_value) is no_value
        and given_or(given[OF_WHERE], True) is True)


# ---------------------------------------------------------------- sums and products

cdef object reduce_exactly(str name, PyObject *const *given):
    """By np.add or np.multiply; NotImplemented where NumPy is to do it, or to complain."""
    cdef object axis = given_or(given[OF_AXIS], 0), dtype = given_or(given[OF_DTYPE], None)
    cdef object out = given_or(given[OF_OUT], None), keepdims = given_or(given[OF_KEEPDIMS], False)
    cdef object initial = given_or(given[OF_INITIAL], no_value), where = given_or(given[OF_WHERE], True)
    cdef cnp.ndarray array = <cnp.ndarray>given[OF_ARRAY]
    cdef bint in_float16 = is_float16(array)
    if not isinstance(keepdims, (bool, int)) or cnp.PyArray_SIZE(array) == 0:
        return NotImplemented
    if dtype is not None and dtype is not HALF and dtype is not half:
        kind = read_kind(dtype, in_float16)
        if not in_float16 and (
            leaving_is_watched() or initial is not no_value and kind is not FLOAT16
        ):
            return NotImplemented
    if initial is not None or where is True:
        found = try_reduction(
            name, (array,), axis, dtype, out, bool(keepdims),
            None if initial is no_value else initial, where, 0, None,
            HALFCL_FROM_ZERO if initial is no_value and name == "reduce" else 0)
        if found is not NotImplemented:
            return found
    if reduce_otherwise is None or dtype is not None and not in_float16 and leaving_is_watched():
        return NotImplemented
    return reduce_otherwise(name, array, axis, dtype, out, keepdims, initial, where)


cdef object reduce_differences(PyObject *const *given):
    """By np.subtract: the first element less all others, as a sum of products with 1 and -1."""
    cdef object axis = given_or(given[OF_AXIS], 0), keepdims = given_or(given[OF_KEEPDIMS], False)
    cdef cnp.ndarray array = as_native(<cnp.ndarray>given[OF_ARRAY])
    cdef cnp.ndarray signs
    cdef cnp.npy_intp n
    cdef uint16_t one = 0x3C00, minus_one = 0xBC00
    cdef int along, ndim = cnp.PyArray_NDIM(array)
    if not is_plain_reduction(given) or type(axis) is not int or type(keepdims) is not bool:
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
    found = try_reduction(
        "dot", (array, signs), axis, None, None, keepdims, None, True, 0, None, 0)
    return found if found is NotImplemented else wrapped(<object>given[OF_ARRAY], found)


# ---------------------------------------------------------------- extrema
#
# What picks one of two halves, and rounds nothing, does so for all short rows at once: first the
# second elements of all, then the third ones. NumPy takes a call of the loop for each row. Of few
# elements it takes longer to prepare than to compute.

cdef enum:
    LONGEST_SHORT = 100, ROWS_AT_ONCE = 1024, FEW_ROWS = 16, FEW_ELEMENTS = 2048, MANY_ELEMENTS = 256


cdef void pick_side_by_side(
    const halfcl_kernel *kernel, const halfcl_scanned_lines *lines, Py_ssize_t count
) noexcept nogil:
    """Of each line the first element beside the second, then what was picked beside the third, ...

    What is picked lies out_step after what was picked before; with 0 the last one is left. The
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
    """All results of a call whose elements lie in rows (lie_in_rows)."""
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
    """Whether rows that NumPy takes a call each for are reduced: those of the smallest steps."""
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
    """The one result of few elements that lie in a row; False if they do not."""
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
    const halfcl_kernel *kernel, cnp.ndarray found, const uint16_t *initial
) noexcept:
    """Each result, or that."""
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    operands[0] = operands[2] = cnp.PyArray_BYTES(found)
    operands[1] = <char *>initial
    steps[0], steps[1], steps[2] = sizeof(uint16_t), 0, sizeof(uint16_t)
    halfcl_run(kernel, operands, steps, cnp.PyArray_SIZE(found), HALFCL_RTE)


cdef cnp.ndarray as_shape(cnp.ndarray array, int ndim, cnp.npy_intp *shape):
    cdef cnp.PyArray_Dims dims
    dims.ptr, dims.len = shape, ndim
    return cnp.PyArray_Newshape(array, &dims, cnp.NPY_CORDER)


cdef object pick_along(
    object ufunc, cnp.ndarray array, object axis, bint keepdims, const uint16_t *initial
):
    """The extrema along axes; NotImplemented unless elements are few, or rows short."""
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef Reduction call
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef cnp.ndarray found
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
    found = new_array(axes, shape, HALF if not is_float16(array) else FLOAT16)
    kernel = data.kernels[0]
    if call.count == 1:
        if not pick_of_all(data.loops[0][<int>HALFCL_RTE].reduce, &call, cnp.PyArray_BYTES(found)):
            return NotImplemented
    elif call.n * call.count < RELEASE_GIL:
        pick_everywhere(kernel, &call, cnp.PyArray_BYTES(found))
    else:
        with nogil:
            pick_everywhere(kernel, &call, cnp.PyArray_BYTES(found))
    if initial != NULL:
        pick_again(kernel, found, initial)
    if not is_float16(array):
        count_run(kernel)
    return as_result(found)


cdef object pick_along_some(object ufunc, cnp.ndarray array, tuple axes, bint keepdims):
    """Along one axis after the other, those first that have short rows."""
    cdef cnp.ndarray rows = array
    cdef cnp.npy_intp shape[MAX_DIMENSIONS]
    cdef int k, ndim = cnp.PyArray_NDIM(array), kept = 0
    cdef set left = {k % ndim for k in axes} if ndim > 0 else set()
    if len(left) < len(axes) or min(axes, default=0) < -ndim or max(axes, default=0) >= ndim:
        return NotImplemented  # which NumPy is to refuse
    for k in range(ndim):
        if k in left:
            found = pick_along(ufunc, rows, k, True, NULL)
            if found is not NotImplemented:
                rows = found
                left.remove(k)
        else:
            shape[kept] = cnp.PyArray_DIM(array, k)
            kept += 1
    if rows is array:
        return NotImplemented
    if left:
        return ufunc.reduce(rows, axes, keepdims=keepdims)
    return rows if keepdims else as_result(as_shape(rows, kept, shape))


cdef uint16_t half_of(object number, cnp.dtype kind) except? 0x7E01:
    """The bits of a number as NumPy's casts to that dtype have them, with what they raise."""
    cdef uint16_t bits
    if read_number_of_type(number, kind.type_num, &bits):
        return bits
    start = np.empty((), kind)
    cnp.PyArray_FillWithScalar(start, number)
    return (<const uint16_t *>cnp.PyArray_DATA(start))[0]


cdef inline bint is_where_of(object where, cnp.ndarray array) noexcept:
    """Whether these are truths that lie as an array's elements, which are in a row."""
    return (
        lies_in_row(array, array) and lies_in_row(where, array)
        and cnp.PyArray_TYPE(<cnp.ndarray>where) == cnp.NPY_BOOL)


cdef object reduce_from_initial(object ufunc, PyObject *const *given):
    """With initial, which stands in the place of what is left out: to pick it again changes nothing."""
    cdef object initial = given_or(given[OF_INITIAL], None), where = given_or(given[OF_WHERE], True)
    cdef object axis = given_or(given[OF_AXIS], 0), keepdims = given_or(given[OF_KEEPDIMS], False)
    cdef cnp.ndarray array = <cnp.ndarray>given[OF_ARRAY], filled = array
    cdef cnp.dtype kind = FLOAT16 if is_float16(array) else HALF
    cdef uint16_t first
    if not isinstance(initial, (int, float, cnp.floating)) or cnp.PyArray_SIZE(array) == 0:
        return NotImplemented
    if given_or(given[OF_DTYPE], None) is not None or given_or(given[OF_OUT], None) is not None:
        return NotImplemented
    if where is not True and not is_where_of(where, array):
        return NotImplemented
    first = half_of(initial, kind)
    if where is not True:
        if not is_where_of(where, array):  # no longer: initial's own code has resized one of them
            return NotImplemented
        filled = filled_up(array, where, first)
    found = pick_along(ufunc, filled, axis, keepdims, &first)
    if found is not NotImplemented:
        return found
    found = ufunc.reduce(filled, axis, keepdims=keepdims)
    return ufunc(found, as_number(first, kind is FLOAT16))


cdef object reduce_to_extrema(object ufunc, PyObject *const *given):
    """By np.maximum and its like; NotImplemented where NumPy is as fast, or is to complain.

    Of several axes the one with short rows first.
    """
    cdef object axis = given_or(given[OF_AXIS], 0), keepdims = given_or(given[OF_KEEPDIMS], False)
    cdef object array = <object>given[OF_ARRAY]
    if not has_native_halves(array) or type(keepdims) is not bool:
        return NotImplemented
    if not is_plain_reduction(given):
        return reduce_from_initial(ufunc, given)
    if axis is None or type(axis) is int:
        return pick_along(ufunc, array, axis, keepdims, NULL)
    if type(axis) is not tuple:
        return NotImplemented
    for one in <tuple>axis:
        if type(one) is not int:
            return NotImplemented
    found = pick_along(ufunc, array, axis, keepdims, NULL)  # axes that follow on each other
    if found is not NotImplemented or cnp.PyArray_SIZE(<cnp.ndarray>array) < MANY_ELEMENTS:
        return found
    return pick_along_some(ufunc, array, axis, keepdims)


# ---------------------------------------------------------------- calls

cdef inline bint is_sum_of_line(PyObject *const *given):
    """Whether one array with one axis is given, and nothing that makes a difference."""
    cdef object axis = given_or(given[OF_AXIS], None)
    return (
        is_line(<object>given[OF_ARRAY]) and is_plain_reduction(given)
        and given_or(given[OF_KEEPDIMS], False) is False
        and (axis is None or type(axis) is int and axis in (0, -1)))


cdef int search_halves(object items, int depth) except -1:
    """Return 1 if there is a half, or what may be an array of halves, 0 if not, 2 if too deep.

    At the first list that lies too deep the search ends: NumPy makes no array of such lists, and
    a list that holds itself twice would take for ever.
    """
    cdef int result
    if cnp.PyArray_Check(items):
        return halfcl_is_taken(items)
    if issubclass(type(items), (half, np.float16)):
        return 1
    if type(items) is not list and type(items) is not tuple:
        return type(items) not in (int, float, bool, complex, str, bytes) and (
            not issubclass(type(items), np.generic))  # it may be an array by __array__
    if depth > MAX_DIMENSIONS:
        return 2
    for item in items:
        if type(item) is not float and type(item) is not int:
            result = search_halves(item, depth + 1)
            if result != 0:
                return result
    return 0


cdef bint holds_halves(object items) except -1:
    """Whether lists and tuples, at any depth that arrays have, may hold halves."""
    return search_halves(items, 1) == 1


cdef bint concerns_halves(object array, object dtype, object out) except -1:
    """Whether what is no array of halves may hold some, or is to be reduced into half."""
    if not cnp.PyArray_CheckExact(array) and type(array) is not list and (
        getattr(type(array), "__array_ufunc__", OWN_WAY) is not OWN_WAY
    ):
        return False
    if dtype is not None or out is not None:
        return True
    return not cnp.PyArray_Check(array) and holds_halves(array)


cdef object reduce_of_others(object ufunc, PyObject *const *given):
    """Reduce other numbers, or lists; return NotImplemented if NumPy is to do it, or to complain."""
    cdef object array = <object>given[OF_ARRAY]
    cdef object dtype = given_or(given[OF_DTYPE], None), out = given_or(given[OF_OUT], None)
    if reduce_others is None or not concerns_halves(array, dtype, out):
        return NotImplemented
    return reduce_others(
        ufunc, array, given_or(given[OF_AXIS], 0), dtype, out, given_or(given[OF_KEEPDIMS], False),
        given_or(given[OF_INITIAL], no_value), given_or(given[OF_WHERE], True))


cdef PyObject *half_reduce(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *given[REDUCE_GIVEN]
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    cdef object ufunc = <object>self
    memset(given, 0, sizeof(given))
    if region_value() & (RANDOM | ASKED) or not read_arguments(
        REDUCE_ARGUMENTS, args, nargs, names, given
    ):
        return new_reference(NotImplemented)
    array = <object>given[OF_ARRAY]
    if not halfcl_is_taken(array):
        return new_reference(reduce_of_others(ufunc, given))
    if halfcl_takes_steps()[0] and is_float16(<cnp.ndarray>array):
        return new_reference(NotImplemented)
    if ufunc is NUMPY_ADD and is_sum_of_line(given):
        found = sum_of_line(<cnp.ndarray>array)
        if found is not NotImplemented:
            return new_reference(found)
    if not cnp.PyArray_CheckExact(array) and (
        type(array).__array_ufunc__ is not np_ndarray.__array_ufunc__
    ):
        return new_reference(NotImplemented)
    found = NotImplemented
    if ufunc is NUMPY_ADD:
        found = reduce_exactly("reduce", given)
    elif ufunc is NUMPY_MULTIPLY:
        found = reduce_exactly("prod", given)
    elif ufunc is NUMPY_SUBTRACT:
        found = reduce_differences(given)
    elif ufunc in EXTREMA:
        found = reduce_to_extrema(ufunc, given)
    if is_float16(<cnp.ndarray>array):
        halfcl_runs()[0] = count  # what float16 arrays are computed by is not counted
    return new_reference(found)


def is_of_halves(x):
    """Whether x is an array of half or one half, or an array of float16 while accelerate() is on."""
    return halfcl_is_taken(x) or is_half(x)


def may_hold_halves(x):
    """Return whether x, a list or an object that is no array, may hold halves at any depth."""
    return not cnp.PyArray_Check(x) and holds_halves(x)
