# Exact reductions: states of folds, one for each result, that take elements, take each other,
# and are rounded once.
# Needs: arguments.pxi, call.pxi, drivers.pxi, methods.pxi, rounding.pxi, scalar.pxi, types.pxi, ufunc.pxi

STATE_SIZE = sizeof(halfcl_fold_state)

cdef dict STATISTICS = {
    "sum": HALFCL_SUM, "dot": HALFCL_SUM_OF_PRODUCTS, "sumsq": HALFCL_SUM_OF_PRODUCTS,
    "mean": HALFCL_MEAN, "var": HALFCL_VARIANCE, "std": HALFCL_DEVIATION, "norm": HALFCL_NORM,
}
cdef const halfcl_kernel *SUM_FOLD = find_kernel("add_reduce", "e>e", HALFCL_FOLD)
cdef const halfcl_kernel *PRODUCTS_FOLD = find_kernel("dot", "ee>e", HALFCL_FOLD)
cdef const halfcl_kernel *PRODUCT_FOLD = find_kernel("multiply_reduce", "e>e", HALFCL_FOLD)

cdef enum:
    MAX_AXES = 64
    MOST_STATES = 1 << 14  # that are worked on at a time

cdef object np_ndarray = np.ndarray

cdef enum:
    STATES, FIRST_INPUT, SECOND_INPUT, WHERE, OPERANDS


cdef const halfcl_kernel *fold_named(str name) except NULL:
    if name == "sum":
        return SUM_FOLD
    if name == "products":
        return PRODUCTS_FOLD
    if name == "product":
        return PRODUCT_FOLD
    raise ValueError(f"fold: expected 'sum', 'products' or 'product', got {name!r}")


# ---------------------------------------------------------------- axes

# Some axes of all operands, the outermost first.
ctypedef struct Axes:
    int count
    size_t length[MAX_AXES]
    Py_ssize_t step[MAX_AXES][OPERANDS]


cdef void put_axis(Axes *axes, char **start, size_t length, Py_ssize_t *step) noexcept:
    """Insert an axis by the first input's steps, largest first, and backwards if they are negative."""
    cdef int i, at = axes.count
    if step[FIRST_INPUT] < 0:
        for i in range(OPERANDS):
            start[i] += step[i] * <Py_ssize_t>(length - 1)
            step[i] = -step[i]
    while at > 0 and axes.step[at - 1][FIRST_INPUT] < step[FIRST_INPUT]:
        axes.length[at] = axes.length[at - 1]
        memcpy(axes.step[at], axes.step[at - 1], sizeof(axes.step[0]))
        at -= 1
    axes.length[at] = length
    memcpy(axes.step[at], step, sizeof(axes.step[0]))
    axes.count += 1


cdef bint follow_on(Axes *axes, int outer, int inner) noexcept:
    """Whether the outer axis goes on, in all operands, where one round of the inner one ends."""
    cdef int i
    for i in range(OPERANDS):
        if axes.step[outer][i] != axes.step[inner][i] * <Py_ssize_t>axes.length[inner]:
            return False
    return True


cdef void join_axes(Axes *axes) noexcept:
    """Make one of axes that follow on each other; there is one at least."""
    cdef int k, kept = 0
    for k in range(1, axes.count):
        if follow_on(axes, kept, k):
            axes.length[kept] *= axes.length[k]
        else:
            kept += 1
            axes.length[kept] = axes.length[k]
        memcpy(axes.step[kept], axes.step[k], sizeof(axes.step[0]))
    if axes.count == 0:
        axes.length[0] = 1
        memset(axes.step[0], 0, sizeof(axes.step[0]))
    axes.count = kept + 1


cdef bint next_place(const Axes *axes, size_t *at, char **start) noexcept nogil:
    """The next round of the innermost axis; False, and back at the first one, after the last."""
    cdef int i, k = axes.count - 2
    while k >= 0:
        at[k] += 1
        for i in range(OPERANDS):
            start[i] += axes.step[k][i]
        if at[k] < axes.length[k]:
            return True
        for i in range(OPERANDS):
            start[i] -= axes.step[k][i] * <Py_ssize_t>axes.length[k]
        at[k] = 0
        k -= 1
    return False


# What takes the same elements, in parts that stay in the cache: one fold, or two.
ctypedef struct Folds:
    int count
    const halfcl_kernel *kernel[2]
    Py_ssize_t offset[2]  # of its states, in bytes from the first one's

cdef enum:
    PART = 1 << 14  # elements that two folds take in turn
    LEAST_ROWS = 1 << 6


cdef unsigned add_part(
    const Folds *folds, char *states, Py_ssize_t state_step, const halfcl_elements *all,
    size_t first, size_t count, size_t begin, size_t n
) noexcept nogil:
    """For some of the states some of the elements."""
    cdef halfcl_elements elements = all[0]
    cdef int i, f
    cdef unsigned flags = 0
    elements.count, elements.n = count, n
    for i in range(2):
        elements.inputs[i] += (
            all.across[i] * <Py_ssize_t>first + all.along[i] * <Py_ssize_t>begin)
    elements.where += all.where_across * <Py_ssize_t>first + all.where_along * <Py_ssize_t>begin
    for f in range(folds.count):
        flags |= halfcl_states_add(
            folds.kernel[f], states + folds.offset[f] + state_step * <Py_ssize_t>first, state_step,
            &elements)
    return flags


cdef unsigned add_parts(
    const Folds *folds, char *states, Py_ssize_t state_step, const halfcl_elements *elements
) noexcept nogil:
    cdef size_t count = elements.count, n = elements.n, some = count, part = n
    cdef size_t first = 0, begin
    cdef unsigned flags = 0
    if folds.count > 1 and elements.along[0] == 2:  # state by state
        some = max(PART // n, 1)
        part = PART if some == 1 else n
    elif folds.count > 1:
        part = max(PART // count, LEAST_ROWS)
    while first < count:
        begin = 0
        while begin < n:
            flags |= add_part(folds, states, state_step, elements, first, min(some, count - first),
                              begin, min(part, n - begin))
            begin += part
        first += some
    return flags


cdef unsigned add_everywhere(
    const Folds *folds, char **start, const Axes *kept, const Axes *reduced
) noexcept nogil:
    cdef size_t kept_at[MAX_AXES]
    cdef size_t reduced_at[MAX_AXES]
    cdef halfcl_elements elements
    cdef int i, across = kept.count - 1, along = reduced.count - 1
    cdef unsigned flags = 0
    memset(kept_at, 0, sizeof(kept_at))
    memset(reduced_at, 0, sizeof(reduced_at))
    elements.count, elements.n = kept.length[across], reduced.length[along]
    elements.where_across = kept.step[across][WHERE]
    elements.where_along = reduced.step[along][WHERE]
    for i in range(2):
        elements.across[i] = kept.step[across][FIRST_INPUT + i]
        elements.along[i] = reduced.step[along][FIRST_INPUT + i]
    while True:
        while True:
            elements.inputs[0], elements.inputs[1] = start[FIRST_INPUT], start[SECOND_INPUT]
            elements.where = start[WHERE]
            flags |= add_parts(folds, start[STATES], kept.step[across][STATES], &elements)
            if not next_place(reduced, reduced_at, start):
                break
        if not next_place(kept, kept_at, start):
            return flags


# ---------------------------------------------------------------- states

cdef int check_states(cnp.ndarray states) except -1:
    if not cnp.PyArray_ISCARRAY(states) or cnp.PyArray_ITEMSIZE(states) != sizeof(halfcl_fold_state):
        raise TypeError(f"states: expected a writable array of {STATE_SIZE} bytes an element, "
                        "in one piece")
    return 0


cdef bint has_shape(cnp.ndarray array, cnp.ndarray states, cnp.ndarray first) noexcept:
    """Whether an array has the states' axes, and then those of the first input."""
    cdef int k, kept = cnp.PyArray_NDIM(states)
    if cnp.PyArray_NDIM(array) != cnp.PyArray_NDIM(first) or cnp.PyArray_NDIM(array) < kept:
        return False
    for k in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_DIM(array, k) != cnp.PyArray_DIM(states if k < kept else first, k):
            return False
    return True


def add_to_states(str fold not None, cnp.ndarray states not None, tuple inputs not None, where):
    """Take into each state the elements that lie at its place, along the axes after the states'.

    inputs: arrays of halves in native byte order, as many as the fold takes, whose shape begins
    with the states'; where: an array of bool of that shape, or None.
    """
    cdef const halfcl_kernel *kernel = fold_named(fold)
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef Py_ssize_t step[OPERANDS]
    cdef cnp.ndarray array, first
    cdef int i, k
    cdef Folds folds
    cdef unsigned flags
    check_states(states)
    if len(inputs) != kernel.signature.nin:
        raise ValueError(f"inputs: expected {kernel.signature.nin}, got {len(inputs)}")
    first = inputs[0]
    cdef list operands = [states, first, inputs[1] if len(inputs) > 1 else None, where]
    for i in range(OPERANDS):
        start[i] = NULL if operands[i] is None else cnp.PyArray_BYTES(<cnp.ndarray?>operands[i])
    for i in range(FIRST_INPUT, OPERANDS):
        if operands[i] is not None:
            array = operands[i]
            if not has_shape(array, states, first):
                raise ValueError("inputs: expected shapes that begin with that of the states")
            if not cnp.PyArray_ISNOTSWAPPED(array) or (
                array.dtype.type is not np.bool_ if i == WHERE
                else engine_type(cnp.PyArray_TYPE(array)) != HALFCL_HALF
            ):
                raise TypeError("inputs: expected halves in native byte order, and where of bool")
    if cnp.PyArray_SIZE(first) == 0:
        return
    kept.count = reduced.count = 0
    for k in range(cnp.PyArray_NDIM(first)):
        for i in range(OPERANDS):
            step[i] = 0
            if operands[i] is not None and (i != STATES or k < cnp.PyArray_NDIM(states)):
                step[i] = cnp.PyArray_STRIDE(<cnp.ndarray>operands[i], k)
        if cnp.PyArray_DIM(first, k) > 1:
            put_axis(&kept if k < cnp.PyArray_NDIM(states) else &reduced, start,
                     cnp.PyArray_DIM(first, k), step)
    join_axes(&kept)
    join_axes(&reduced)
    folds.count, folds.kernel[0], folds.offset[0] = 1, kernel, 0
    with nogil:
        flags = add_everywhere(&folds, start, &kept, &reduced)
    count_run(kernel)
    if flags & HALFCL_MISUSE:
        raise SystemError("halfcl: a kernel was run by another kind's driver")


def merge_states(str fold not None, cnp.ndarray states not None, cnp.ndarray others not None):
    """Take others into states of the same shape."""
    cdef const halfcl_kernel *kernel = fold_named(fold)
    cdef size_t i, n = cnp.PyArray_SIZE(states)
    check_states(states)
    check_states(others)
    if not cnp.PyArray_SAMESHAPE(states, others):
        raise ValueError(f"others: expected shape {np.shape(states)}, got {np.shape(others)}")
    cdef halfcl_fold_state *to = <halfcl_fold_state *>cnp.PyArray_DATA(states)
    cdef const halfcl_fold_state *source = <const halfcl_fold_state *>cnp.PyArray_DATA(others)
    with nogil:
        for i in range(n):
            halfcl_state_merge(kernel, to + i, source + i)


# ---------------------------------------------------------------- results

# What is rounded, and how.
ctypedef struct Rounding:
    int statistic  # or PRODUCT_STATISTIC
    long long ddof
    halfcl_type type
    int mode

cdef enum:
    PRODUCT_STATISTIC = 100


cdef unsigned round_one(
    const Rounding *how, const halfcl_moments *moments, long long n, halfcl_rounding mode, void *out
) noexcept nogil:
    if how.statistic == PRODUCT_STATISTIC:
        return halfcl_round_product(PRODUCT_FOLD, moments.sum, how.type, mode, out)
    return halfcl_round_statistic(
        <halfcl_statistic>how.statistic, moments, n, n - how.ddof if n > how.ddof else 0, how.type,
        mode, out)


cdef unsigned round_result(
    const Rounding *how, const halfcl_moments *moments, long long n, void *out
) noexcept nogil:
    """Rounds one result, a half at random if that is the mode; others are then to nearest."""
    cdef uint16_t down = 0, up = 0
    cdef unsigned flags
    if how.mode != RANDOM_MODE:
        return round_one(how, moments, n, <halfcl_rounding>how.mode, out)
    if how.type != HALFCL_HALF:
        return round_one(how, moments, n, HALFCL_RTE, out)
    flags = round_one(how, moments, n, HALFCL_RTN, &down)
    flags |= round_one(how, moments, n, HALFCL_RTP, &up)
    (<uint16_t *>out)[0] = halfcl_choose(down, up, halfcl_coins())
    return flags


cdef Rounding rounding_of(str statistic, long long ddof, int type, rounding) except *:
    cdef Rounding how
    how.statistic = PRODUCT_STATISTIC if statistic == "prod" else STATISTICS[statistic]
    how.ddof, how.type = ddof, <halfcl_type>type
    how.mode = mode_of_loops(BY_OPERATOR) if rounding is None else mode_number(rounding)
    return how


def round_states(
    str statistic not None, sums, products, cnp.ndarray counts not None, long long ddof,
    cnp.ndarray out not None, rounding
):
    """Round a statistic of each state into out, of half, float16, float32 or float64.

    sums, products: states, of one size, or None where the statistic needs none; counts: how many
    elements each has taken, as int64, or one number for all. Returns the exceptions raised, for
    report_flags.
    """
    cdef Rounding how = rounding_of(
        statistic, ddof, engine_type(cnp.PyArray_TYPE(out)), rounding)
    cdef halfcl_moments moments
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(out), size = cnp.PyArray_ITEMSIZE(out)
    cdef bint has_sums = sums is not None, has_products = products is not None
    cdef const halfcl_fold_state *sum_start = NULL
    cdef const halfcl_fold_state *products_start = NULL
    cdef unsigned flags = 0
    cdef bint one_count = cnp.PyArray_SIZE(counts) == 1
    for states in (sums, products):
        if states is not None:
            check_states(states)
            if cnp.PyArray_SIZE(states) != n:
                raise ValueError(f"states: expected {n} of them, got {states.size}")
    needs_products = statistic in ("var", "std", "dot", "sumsq", "norm")
    if has_products != needs_products or has_sums != (statistic in ("sum", "mean", "var", "std", "prod")):
        raise ValueError(f"states: these are not those of {statistic}")
    if counts.dtype != np.int64 or not cnp.PyArray_ISCARRAY_RO(counts) or (
        not one_count and cnp.PyArray_SIZE(counts) != n
    ):
        raise TypeError("counts: expected one int64 for each state")
    if not cnp.PyArray_ISCARRAY(out) or how.type not in (HALFCL_HALF, HALFCL_FLOAT, HALFCL_DOUBLE):
        raise TypeError("out: expected an array of half, float32 or float64 in one piece")
    cdef const long long *count = <const long long *>cnp.PyArray_DATA(counts)
    cdef char *to = <char *>cnp.PyArray_DATA(out)
    if has_sums:
        sum_start = <const halfcl_fold_state *>cnp.PyArray_DATA(sums)
    if has_products:
        products_start = <const halfcl_fold_state *>cnp.PyArray_DATA(products)
    with nogil:
        for i in range(n):
            moments.sum = sum_start + i if has_sums else NULL
            moments.products = products_start + i if has_products else NULL
            flags |= round_result(&how, &moments, count[0 if one_count else i], to + i * size)
    return flags


def report_flags(unsigned flags, str name not None):
    """Let NumPy warn or raise of exceptions, in the name of a function."""
    report(flags, name)


cdef Folds folds_of(int statistic, size_t states) noexcept:
    """What a statistic is made of, where each fold has so many states in a row."""
    cdef Folds folds
    cdef bint both = statistic in (HALFCL_VARIANCE, HALFCL_DEVIATION)
    cdef bint only_products = statistic in (HALFCL_SUM_OF_PRODUCTS, HALFCL_NORM)
    folds.count = 1 + both
    folds.kernel[0] = PRODUCTS_FOLD if only_products else SUM_FOLD
    if statistic == PRODUCT_STATISTIC:
        folds.kernel[0] = PRODUCT_FOLD
    folds.kernel[1] = PRODUCTS_FOLD
    folds.offset[0], folds.offset[1] = 0, states * sizeof(halfcl_fold_state)
    return folds


cdef int read_reduced(object axis, int ndim, bint *reduced) except -1:
    """Mark the axes that axis names; 0 if it is for others to see to, or to refuse."""
    cdef int k
    for k in range(ndim):
        reduced[k] = axis is None
    if axis is None:
        return 1
    for one in axis if type(axis) is tuple else (axis,):
        if type(one) is not int or not -ndim <= one < ndim:
            return 0
        k = one % ndim
        if reduced[k]:
            return 0
        reduced[k] = True
    return 1


cdef unsigned round_all(
    const Rounding *how, const halfcl_fold_state *states, Py_ssize_t count, Py_ssize_t n, char *out
) noexcept nogil:
    """Round the results of reduce_array, whose states lie fold by fold."""
    cdef halfcl_moments moments
    cdef Py_ssize_t i
    cdef unsigned flags = 0
    if how.statistic in (HALFCL_SUM, HALFCL_SUM_OF_PRODUCTS) and how.mode != RANDOM_MODE:
        return halfcl_states_finish(
            SUM_FOLD if how.statistic == HALFCL_SUM else PRODUCTS_FOLD, <const char *>states,
            sizeof(halfcl_fold_state), count, <uint16_t *>out, <halfcl_rounding>how.mode)
    for i in range(count):
        moments.sum = moments.products = states + i
        if how.statistic in (HALFCL_VARIANCE, HALFCL_DEVIATION):
            moments.products = states + count + i
        flags |= round_result(how, &moments, n, out + 2 * i)
    return flags


cdef object reduce_line(
    str statistic, cnp.ndarray array, const Rounding *how, str name, unsigned seen
):
    """A statistic of all elements of an array of half in one piece, which are not none."""
    cdef halfcl_fold_state states[2]
    cdef halfcl_elements elements
    cdef uint16_t result = 0
    cdef unsigned flags
    cdef size_t n = cnp.PyArray_SIZE(array)
    cdef Folds folds = folds_of(how.statistic, 1)
    memset(states, 0, sizeof(states))
    states[0].seen = seen
    memset(&elements, 0, sizeof(elements))
    elements.inputs[0] = elements.inputs[1] = cnp.PyArray_BYTES(array)
    elements.along[0] = elements.along[1] = 2
    elements.count, elements.n = 1, n
    if n < RELEASE_GIL:
        flags = add_parts(&folds, <char *>states, 0, &elements)
        flags |= round_all(how, states, 1, n, <char *>&result)
    else:
        with nogil:
            flags = add_parts(&folds, <char *>states, 0, &elements)
            flags |= round_all(how, states, 1, n, <char *>&result)
    count_run(folds.kernel[0])
    if flags:
        report(flags, name)
    return new_scalar(half, result)


cdef object reduce_array(
    str statistic, cnp.ndarray array, object axis, bint keepdims, const Rounding *how, str name,
    unsigned seen = 0
):
    """A statistic of an array of half in native byte order, as halves; None if it is too much.

    seen: what its states have seen before: HALFCL_FROM_ZERO for a sum that starts from +0.
    """
    cdef bint reduced_axes[MAX_AXES]
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef Py_ssize_t state_step[MAX_AXES]
    cdef Py_ssize_t step[OPERANDS]
    cdef char *start[OPERANDS]
    cdef Axes kept, reduced
    cdef int k, axes = 0, ndim = cnp.PyArray_NDIM(array)
    cdef Py_ssize_t i, count = 1, n
    cdef cnp.ndarray out
    cdef unsigned flags
    if cnp.PyArray_SIZE(array) == 0 or not read_reduced(axis, ndim, reduced_axes):
        return None
    if not keepdims and (axis is None or ndim == 1 and reduced_axes[0]) and (
        cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
    ):
        return reduce_line(statistic, array, how, name, seen)
    for k in range(ndim - 1, -1, -1):
        state_step[k] = 0 if reduced_axes[k] else count * <Py_ssize_t>sizeof(halfcl_fold_state)
        count *= 1 if reduced_axes[k] else cnp.PyArray_DIM(array, k)
    if count > MOST_STATES:
        return None
    memset(step, 0, sizeof(step))
    memset(start, 0, sizeof(start))
    kept.count = reduced.count = 0
    cdef Folds folds = folds_of(how.statistic, count)
    cdef halfcl_fold_state *states = <halfcl_fold_state *>calloc(
        2 * count, sizeof(halfcl_fold_state))
    if states == NULL:
        raise MemoryError()
    for i in range(count):
        states[i].seen = seen
    start[STATES] = <char *>states
    start[FIRST_INPUT] = cnp.PyArray_BYTES(array)
    for k in range(ndim):
        step[STATES], step[FIRST_INPUT] = state_step[k], cnp.PyArray_STRIDE(array, k)
        if cnp.PyArray_DIM(array, k) > 1:
            put_axis(&reduced if reduced_axes[k] else &kept, start, cnp.PyArray_DIM(array, k), step)
        if keepdims or not reduced_axes[k]:
            shape[axes] = 1 if reduced_axes[k] else cnp.PyArray_DIM(array, k)
            axes += 1
    # Both factors of squares are the input.
    start[SECOND_INPUT] = start[FIRST_INPUT]
    for k in range(kept.count):
        kept.step[k][SECOND_INPUT] = kept.step[k][FIRST_INPUT]
    for k in range(reduced.count):
        reduced.step[k][SECOND_INPUT] = reduced.step[k][FIRST_INPUT]
    join_axes(&kept)
    join_axes(&reduced)
    n = cnp.PyArray_SIZE(array) // count
    try:
        out = new_array(axes, shape, HALF)
        with nogil:
            flags = add_everywhere(&folds, start, &kept, &reduced)
            flags |= round_all(how, states, count, n, cnp.PyArray_BYTES(out))
    finally:
        free_memory(states)
    count_run(folds.kernel[0])
    report(flags, name)
    return new_scalar(half, (<uint16_t *>cnp.PyArray_DATA(out))[0]) if axes == 0 else out


def reduce_plain(str statistic not None, array, axis, keepdims, rounding):
    """A statistic of an ndarray of half or float16 along axes, of its dtype; None if the call is
    not so plain."""
    cdef Rounding how
    cdef bint in_float16
    if type(array) is not np_ndarray or type(keepdims) is not bool:
        return None
    if not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>array):
        return None
    in_float16 = cnp.PyArray_TYPE(<cnp.ndarray>array) == cnp.NPY_FLOAT16
    if in_float16:
        array = array.view(HALF)
    elif cnp.PyArray_TYPE(<cnp.ndarray>array) != HALF_NUMBER:
        return None
    how = rounding_of(statistic, 0, HALFCL_HALF, rounding)
    result = reduce_array(statistic, <cnp.ndarray>array, axis, keepdims, &how, statistic)
    if not in_float16 or result is None:
        return result
    return np.asarray(result).view(np.float16)[()]


# ---------------------------------------------------------------- np.add.reduce

cdef extern from "numpy_compat.h":
    int halfcl_replace_reduce(int, object, halfcl_method *) except -1

cdef tuple REDUCE_ARGUMENTS = ("array", "axis", "dtype", "out", "keepdims", "initial", "where")
cdef object no_value = np._NoValue
cdef object reduce_otherwise = None  # what takes the calls that are not plain, or None


cdef PyObject *half_add_reduce(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    """np.add.reduce of an array of half: not cut into pieces, as NumPy would."""
    cdef PyObject *given[7]
    cdef Py_ssize_t i, place
    cdef Rounding how
    memset(given, 0, sizeof(given))
    if region_value() & (RANDOM | ASKED) or nargs > 7:
        return new_reference(NotImplemented)
    for i in range(nargs):
        given[i] = args[i]
    for i in range(0 if names == NULL else len(<tuple>names)):
        name = (<tuple>names)[i]
        if name not in REDUCE_ARGUMENTS:
            return new_reference(NotImplemented)
        place = REDUCE_ARGUMENTS.index(name)
        if given[place] != NULL:
            return new_reference(NotImplemented)
        given[place] = args[nargs + i]
    cdef object axis = 0 if given[1] == NULL else <object>given[1]
    cdef object dtype = None if given[2] == NULL else <object>given[2]
    cdef object out = None if given[3] == NULL else <object>given[3]
    cdef object keepdims = False if given[4] == NULL else <object>given[4]
    cdef object initial = no_value if given[5] == NULL else <object>given[5]
    cdef object where = True if given[6] == NULL else <object>given[6]
    cdef cnp.ndarray array = <cnp.ndarray>given[0]
    cdef bint is_plain = type(array) is np_ndarray
    if not is_plain and type(array).__array_ufunc__ is not np_ndarray.__array_ufunc__:
        return new_reference(NotImplemented)
    if not isinstance(keepdims, (bool, int)) or cnp.PyArray_SIZE(array) == 0:
        return new_reference(NotImplemented)
    if is_plain and where is True and out is None and initial is no_value and (
        cnp.PyArray_ISNOTSWAPPED(array) and (dtype is None or dtype is HALF or dtype is half)
    ):
        how = rounding_of("sum", 0, HALFCL_HALF, None)
        result = reduce_array(
            "sum", array, axis, bool(keepdims), &how, "reduce", HALFCL_FROM_ZERO)
        if result is not None:
            return new_reference(result)
    if reduce_otherwise is None or dtype is not None and leaving_is_watched():
        return new_reference(NotImplemented)
    return new_reference(reduce_otherwise(array, axis, dtype, out, keepdims, initial, where))


def teach_reduce(otherwise):
    """Let np.add.reduce of half be exact along any axis; the rest goes to otherwise.

    Returns whether it is: not if NumPy's method is not what it is taken for.
    """
    global reduce_otherwise
    reduce_otherwise = otherwise
    return halfcl_replace_reduce(HALF_NUMBER, np.add, <halfcl_method *>half_add_reduce) != 0


# ---------------------------------------------------------------- running sums

cdef enum:
    MOST_COLUMNS = 256  # that are scanned at a time


cdef bint scan_down(
    const halfcl_kernel *scan, char **start, const Axes *lines, Py_ssize_t step,
    Py_ssize_t out_step, size_t n, halfcl_rounding mode, unsigned *flags
) noexcept nogil:
    """Scan lines that lie side by side together; False, and nothing done, if these do not."""
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


cdef unsigned scan_everywhere(
    const halfcl_kernel *scan, char **start, const Axes *lines, Py_ssize_t step,
    Py_ssize_t out_step, size_t n, halfcl_rounding mode
) noexcept nogil:
    cdef size_t at[MAX_AXES]
    cdef halfcl_fold_state state
    cdef int last = lines.count - 1
    cdef size_t i
    cdef unsigned flags = 0
    memset(at, 0, sizeof(at))
    while True:
        for i in range(0 if scan_down(scan, start, lines, step, out_step, n, mode, &flags)
                       else lines.length[last]):
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


def running_sums(
    cnp.ndarray a not None, cnp.ndarray out not None, int axis, rounding, cnp.ndarray states=None
):
    """Write the sums of the halves up to each along an axis, each rounded once.

    a: of half or float16 in native byte order; out: of half, float32 or float64 and of the same
    shape, apart from a; states: where the sums start, of length 1 along the axis. Returns the
    exceptions raised, for report_flags.
    """
    cdef int k, type = engine_type(cnp.PyArray_TYPE(out)), ndim = cnp.PyArray_NDIM(a)
    cdef int mode = mode_of_loops(BY_OPERATOR) if rounding is None else mode_number(rounding)
    cdef Axes lines
    cdef char *start[OPERANDS]
    cdef Py_ssize_t step[OPERANDS]
    cdef unsigned flags
    if engine_type(cnp.PyArray_TYPE(a)) != HALFCL_HALF or not cnp.PyArray_ISNOTSWAPPED(a):
        raise TypeError("a: expected halves in native byte order")
    if type not in (HALFCL_HALF, HALFCL_FLOAT, HALFCL_DOUBLE) or not cnp.PyArray_ISBEHAVED(out):
        raise TypeError("out: expected a writable array of half, float32 or float64")
    if not cnp.PyArray_SAMESHAPE(a, out) or not 0 <= axis < ndim:
        raise ValueError("out: expected the shape of a, and an axis of it")
    if states is not None:
        check_states(states)
        if (<object>states).shape != (*(<object>a).shape[:axis], 1, *(<object>a).shape[axis + 1:]):
            raise ValueError("states: expected the shape of a, but for the axis of length 1")
    if cnp.PyArray_SIZE(a) == 0:
        return 0
    cdef const halfcl_kernel *scan = find_kernel(
        "add_accumulate", "e>" + TYPES[type][0], HALFCL_SCAN)
    memset(step, 0, sizeof(step))
    memset(start, 0, sizeof(start))
    start[STATES], start[FIRST_INPUT] = cnp.PyArray_BYTES(out), cnp.PyArray_BYTES(a)
    if states is not None:
        start[SECOND_INPUT] = cnp.PyArray_BYTES(states)
    lines.count = 0
    for k in range(ndim):
        step[STATES], step[FIRST_INPUT] = cnp.PyArray_STRIDE(out, k), cnp.PyArray_STRIDE(a, k)
        if states is not None:
            step[SECOND_INPUT] = cnp.PyArray_STRIDE(states, k)
        if k != axis and cnp.PyArray_DIM(a, k) > 1:
            put_axis(&lines, start, cnp.PyArray_DIM(a, k), step)
    join_axes(&lines)
    with nogil:
        flags = scan_everywhere(
            scan, start, &lines, cnp.PyArray_STRIDE(a, axis), cnp.PyArray_STRIDE(out, axis),
            cnp.PyArray_DIM(a, axis), toss(mode))
    count_run(scan)
    return flags
