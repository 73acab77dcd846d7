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
cdef frozenset REDUCED = EXTREMA | {np.add, np.multiply, np.subtract}
cdef object reduce_otherwise = None  # computes the sums and products that are not plain, or None
cdef object reduce_others = None  # reduces lists of halves, and other numbers into half
cdef object reduce_others_along = None  # does so for accumulate and reduceat


cdef inline object argument_or(PyObject *parsed, object default):
    return default if parsed == NULL else <object>parsed


cdef cnp.ndarray as_native(cnp.ndarray array):
    """Return the same numbers in an ndarray of native byte order."""
    if not cnp.PyArray_ISNOTSWAPPED(array):
        return np.asarray(array).astype(native_dtype(array))
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
    signs = new_array(1, &n, native_dtype(array))
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
# Functions that pick one of two halves, and round nothing, read elements in the direction that costs
# less: columns side by side, by the map of two halves, or rows, by the fold of a row. NumPy calls
# the loop for each row.

cdef extern from "run/splitting.h" nogil:
    ctypedef unsigned halfcl_run_items(void *, size_t, size_t, int) noexcept
    ctypedef struct halfcl_divisible:
        halfcl_run_items *run
        void *work
        size_t items, weight
    unsigned halfcl_run_divided(const halfcl_divisible *, int)
    bint halfcl_may_split_from(size_t, size_t)

cdef enum:
    COLUMNS_AT_ONCE = 4096, ROWS_AT_ONCE = 64, SPLIT_EXTREMA_FROM = 1 << 17
    # Costs in 1/100 ns: of an element in a row or elsewhere, and of a row of elements
    NEAR_ELEMENT = 4, FAR_ELEMENT = 40, ROW_OF_COLUMNS = 3000, LONE_ROW = 1000

# The extrema of a call. Results are computed in parts: some in a row, along the innermost kept axis.
ctypedef struct Extrema:
    const halfcl_kernel *pick
    const halfcl_kernel *fold
    const uint16_t *initial  # one more element of each result, or NULL
    Axes kept, reduced
    char *start[OPERANDS]    # STATES: from NULL on, so that it tells the place of the result
    char *out
    bint by_columns
    size_t part, parts       # results of a part, and parts along the innermost kept axis


cdef size_t cost_of_runs(Py_ssize_t step, size_t length, size_t cost) noexcept nogil:
    """Return the cost per element of runs of some length, in 1/100 ns."""
    return (NEAR_ELEMENT if step == sizeof(uint16_t) else FAR_ELEMENT) + cost // length


cdef void plan_extrema(const Reduction *call, Extrema *extrema) noexcept nogil:
    """Find the axes of a call, and the direction that costs less."""
    cdef int across, along
    cdef size_t columns, length
    cdef Py_ssize_t step
    memcpy(extrema.start, call.start, sizeof(call.start))
    extrema.start[STATES] = NULL
    collect_axes(call, extrema.start, &extrema.kept, &extrema.reduced)
    across, along = extrema.kept.count - 1, extrema.reduced.count - 1
    columns = min(extrema.kept.length[across], <size_t>COLUMNS_AT_ONCE)
    length = extrema.reduced.length[along]
    step = extrema.kept.step[across][FIRST_INPUT]
    extrema.by_columns = call.start[WHERE] == NULL and (
        call.n == 1 or cost_of_runs(step, columns, ROW_OF_COLUMNS) < min(
            cost_of_runs(step, length, LONE_ROW),  # the fold adds rows to many states
            cost_of_runs(extrema.reduced.step[along][FIRST_INPUT], length, LONE_ROW)))
    extrema.part = COLUMNS_AT_ONCE if extrema.by_columns else ROWS_AT_ONCE
    extrema.parts = (extrema.kept.length[across] + extrema.part - 1) // extrema.part


cdef void pick_columns(
    const Extrema *extrema, char **start, size_t count, char *out, Py_ssize_t out_step
) noexcept nogil:
    """Pick from the first elements of the results and the second ones, then from these and ..."""
    cdef const Axes *reduced = &extrema.reduced
    cdef int along = reduced.count - 1
    cdef size_t at[MAX_AXES]
    cdef size_t i = 1
    cdef char *operands[3]
    cdef Py_ssize_t steps[3]
    memset(at, 0, along * sizeof(size_t))
    operands[0], operands[2] = start[FIRST_INPUT], out
    steps[0] = steps[1] = extrema.kept.step[extrema.kept.count - 1][FIRST_INPUT]
    steps[2] = out_step
    if reduced.length[along] == 1:
        halfcl_copy(out, out_step, operands[0], steps[0], count)
    while True:
        while i < reduced.length[along]:
            operands[1] = start[FIRST_INPUT] + <Py_ssize_t>i * reduced.step[along][FIRST_INPUT]
            halfcl_run(extrema.pick, operands, steps, count, HALFCL_RTE)
            operands[0], steps[0] = out, out_step
            i += 1
        i = 0
        if not next_place(reduced, at, start):
            break
    if extrema.initial != NULL:
        operands[0], operands[1] = out, <char *>extrema.initial
        steps[0], steps[1] = out_step, 0
        halfcl_run(extrema.pick, operands, steps, count, HALFCL_RTE)


cdef void fold_rows(
    const Extrema *extrema, char **start, size_t count, char *out, Py_ssize_t out_step
) noexcept nogil:
    """Fold all elements of some results into states."""
    cdef halfcl_fold_state states[ROWS_AT_ONCE]
    cdef uint16_t results[ROWS_AT_ONCE]
    cdef halfcl_elements element
    cdef Folds folds
    cdef Axes kept
    cdef int across = extrema.kept.count - 1
    folds.count, folds.kernel[0], folds.offset[0] = 1, extrema.fold, 0
    folds.number_or, folds.instead = NULL, 0
    kept.count, kept.length[0] = 1, count
    memcpy(kept.step[0], extrema.kept.step[across], sizeof(kept.step[0]))
    kept.step[0][STATES] = sizeof(halfcl_fold_state)
    memset(states, 0, count * sizeof(halfcl_fold_state))
    start[STATES] = <char *>states
    add_everywhere(&folds, start, &kept, &extrema.reduced)
    if extrema.initial != NULL:
        memset(&element, 0, sizeof(element))
        element.inputs[0] = <char *>extrema.initial
        element.count, element.n = count, 1
        halfcl_states_add(extrema.fold, <char *>states, sizeof(halfcl_fold_state), &element)
    halfcl_states_finish(
        extrema.fold, <const char *>states, sizeof(halfcl_fold_state), count, results, HALFCL_RTE)
    halfcl_copy(out, out_step, <const char *>results, sizeof(uint16_t), count)


cdef void move_to(const Axes *axes, int axis, size_t place, char **start) noexcept nogil:
    """Move the addresses of all operands to a place along an axis."""
    cdef int i
    for i in range(OPERANDS):
        start[i] += <Py_ssize_t>place * axes.step[axis][i]


cdef void compute_part(const Extrema *extrema, size_t part) noexcept nogil:
    """Compute the results of a part."""
    cdef char *start[OPERANDS]
    cdef char *out
    cdef int k, across = extrema.kept.count - 1
    cdef size_t first = part % extrema.parts * extrema.part, place = part // extrema.parts
    cdef size_t count = min(extrema.part, extrema.kept.length[across] - first)
    cdef Py_ssize_t step = (
        extrema.kept.step[across][STATES] // <Py_ssize_t>sizeof(halfcl_fold_state) * 2)
    memcpy(start, extrema.start, sizeof(start))
    move_to(&extrema.kept, across, first, start)
    for k in range(across - 1, -1, -1):
        move_to(&extrema.kept, k, place % extrema.kept.length[k], start)
        place //= extrema.kept.length[k]
    out = <char *>result_at(extrema.out, start[STATES], sizeof(uint16_t))
    if extrema.by_columns:
        pick_columns(extrema, start, count, out, step)
    else:
        fold_rows(extrema, start, count, out, step)


cdef unsigned compute_parts(void *work, size_t first, size_t count, int thread) noexcept nogil:
    """Compute some parts, one of several threads', which may not split them again."""
    cdef int limit = halfcl_limit_threads(1)
    cdef size_t part
    for part in range(first, first + count):
        compute_part(<const Extrema *>work, part)
    halfcl_limit_threads(limit)
    return 0


cdef void compute_extrema(const Reduction *call, Extrema *extrema) noexcept nogil:
    """Compute all results: by several threads the parts, if they are many, or else each of them."""
    cdef halfcl_divisible parts
    cdef size_t elements = call.n * call.count, part
    cdef int k, threads = 1
    plan_extrema(call, extrema)
    parts.run, parts.work, parts.items = compute_parts, extrema, extrema.parts
    for k in range(extrema.kept.count - 1):
        parts.items *= extrema.kept.length[k]
    if halfcl_may_split_from(elements, SPLIT_EXTREMA_FROM):
        threads = halfcl_get_threads()
    if threads > 1 and parts.items >= <size_t>threads:
        parts.weight = elements // parts.items
        halfcl_run_divided(&parts, threads)
        return
    for part in range(parts.items):
        compute_part(extrema, part)


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


cdef object reduce_to_extrema(object ufunc, PyObject *const *parsed):
    """Reduce by np.maximum and its like; NotImplemented where NumPy has to do it, or to raise."""
    cdef object axis = argument_or(parsed[OF_AXIS], 0), keepdims = argument_or(parsed[OF_KEEPDIMS], False)
    cdef object dtype = argument_or(parsed[OF_DTYPE], None), out = argument_or(parsed[OF_OUT], None)
    cdef object initial = argument_or(parsed[OF_INITIAL], no_value), where = argument_or(parsed[OF_WHERE], True)
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef cnp.ndarray result, array
    cdef cnp.dtype kind
    cdef Reduction call
    cdef Extrema extrema
    cdef uint16_t first = 0
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef int axes
    if data == NULL or not has_native_halves(<object>parsed[OF_ARRAY]) or type(keepdims) is not bool:
        return NotImplemented
    array = <cnp.ndarray>parsed[OF_ARRAY]
    kind = native_dtype(array)
    extrema.initial = NULL
    if initial is not no_value and initial is not None:
        if not isinstance(initial, (int, float, cnp.floating)) or cnp.PyArray_SIZE(array) == 0:
            return NotImplemented
        first = half_of(initial, kind)  # before addresses are taken: it may run code of users
        extrema.initial = &first
        if where is not True and is_where_of(where, array):
            array, where = fill_gaps(array, where, first), True  # faster than leaving elements out
    elif where is not True:
        return NotImplemented
    if dtype is not None and dtype is not kind or not read_operands(&call, (array,), where):
        return NotImplemented
    if not read_axes(axis, &call):
        return NotImplemented
    count_results(&call)
    axes = shape_of_results(&call, keepdims, shape)
    if call.n == 0 or call.count == 0 or out is not None and not is_target(out, kind, axes, shape):
        return NotImplemented
    result = new_array(axes, shape, kind)
    extrema.pick, extrema.fold = data.kernels[0], data.loops[0][<int>HALFCL_RTE].reduce
    extrema.out = cnp.PyArray_BYTES(result)
    if call.n * call.count < RELEASE_GIL:
        compute_extrema(&call, &extrema)
    else:
        with nogil:
            compute_extrema(&call, &extrema)
    count_run(extrema.pick)
    if out is None:
        return as_result(result)
    cnp.PyArray_CopyInto(<cnp.ndarray>out, result)
    return out


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
    if nargs > 0 and halfcl_is_taken(<object>args[0]) and ufunc not in REDUCED:
        if nargs == 1 and names == NULL and is_line(<object>args[0]) and (
            region_value() & (RANDOM | ASKED)
        ) == 0:
            return new_reference(reduce_in_steps(ufunc, <cnp.ndarray>args[0]))
        return new_reference(NotImplemented)  # first, since these calls should cost no more
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
        return new_reference(sum_of_line(<cnp.ndarray>array))
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
