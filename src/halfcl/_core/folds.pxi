# Exact reductions: states of folds, one for each result, which accumulate elements, merge with each
# other, and are rounded once.
# Needs: call.pxi, drivers.pxi, dtype.pxi, regions.pxi, scalar.pxi, types.pxi

STATE_SIZE = sizeof(halfcl_fold_state)

cdef enum:
    PRODUCT_STATISTIC = 100  # in addition to the engine's

cdef dict STATISTICS = {
    "sum": HALFCL_SUM, "dot": HALFCL_SUM_OF_PRODUCTS, "sumsq": HALFCL_SUM_OF_PRODUCTS,
    "mean": HALFCL_MEAN, "var": HALFCL_VARIANCE, "std": HALFCL_DEVIATION, "norm": HALFCL_NORM,
    "vdot": HALFCL_SUM_OF_PRODUCTS, "prod": PRODUCT_STATISTIC,
    "reduce": HALFCL_SUM,  # numpy.add's
}
cdef const halfcl_kernel *SUM_FOLD = find_kernel("add_reduce", "e>e", HALFCL_FOLD)
cdef const halfcl_kernel *PRODUCTS_FOLD = find_kernel("dot", "ee>e", HALFCL_FOLD)
cdef const halfcl_kernel *PRODUCT_FOLD = find_kernel("multiply_reduce", "e>e", HALFCL_FOLD)
cdef const halfcl_kernel *NAN_COUNT = find_kernel("nan_count", "e>e", HALFCL_FOLD)
cdef const halfcl_kernel *NUMBER_OR = find_kernel("number_or", "ee>e", HALFCL_MAP)

cdef enum:
    MAX_AXES = 64
    MOST_STATES = 1 << 14  # processed at a time

cdef enum:
    STATES, FIRST_INPUT, SECOND_INPUT, WHERE, OPERANDS


cdef const halfcl_kernel *find_fold(str name) except NULL:
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


cdef void put_axis(Axes *axes, char **start, size_t length, Py_ssize_t *step) noexcept nogil:
    """Insert an axis by the first input's steps, largest first; reverse it if they are negative."""
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


cdef bint follow_on(Axes *axes, int outer, int inner) noexcept nogil:
    """Return whether the outer axis continues, in all operands, where the inner one ends."""
    cdef int i
    for i in range(OPERANDS):
        if axes.step[outer][i] != axes.step[inner][i] * <Py_ssize_t>axes.length[inner]:
            return False
    return True


cdef void join_axes(Axes *axes) noexcept nogil:
    """Merge axes that continue each other; at least one remains."""
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
    """Advance to the next round of the innermost axis.

    After the last round return False, and be back at the first one.
    """
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


# The folds that take the same elements, in parts that stay in the cache: one to three; with none, the
# elements are counted, and states are numbers.
ctypedef struct Folds:
    int count
    const halfcl_kernel *kernel[3]
    Py_ssize_t offset[3]  # in bytes, from the first fold's states to its own
    const halfcl_kernel *number_or  # see halfcl_elements; not for NAN_COUNT, which comes last
    uint16_t instead

cdef enum:
    PART = 1 << 14  # elements that several folds accumulate in turn
    LEAST_ROWS = 1 << 6


cdef void count_part(char *counts, Py_ssize_t step, const halfcl_elements *elements) noexcept nogil:
    """Add to each count how many of its elements `where` selects."""
    cdef const char *where
    cdef size_t i, j
    cdef long long count
    for i in range(elements.count):
        where = elements.where + <Py_ssize_t>i * elements.where_across
        count = 0
        if elements.where_along == 1:
            for j in range(elements.n):
                count += where[j] != 0
        else:
            for j in range(elements.n):
                count += where[<Py_ssize_t>j * elements.where_along] != 0
        (<long long *>(counts + <Py_ssize_t>i * step))[0] += count


cdef unsigned add_part(
    const Folds *folds, char *states, Py_ssize_t state_step, const halfcl_elements *all,
    size_t first, size_t count, size_t begin, size_t n
) noexcept nogil:
    """Accumulate some of the elements of some of the states."""
    cdef halfcl_elements elements = all[0]
    cdef int i, f
    cdef unsigned flags = 0
    elements.count, elements.n = count, n
    elements.number_or, elements.instead = folds.number_or, folds.instead
    for i in range(2):
        elements.inputs[i] += (
            all.across[i] * <Py_ssize_t>first + all.along[i] * <Py_ssize_t>begin)
    elements.where += all.where_across * <Py_ssize_t>first + all.where_along * <Py_ssize_t>begin
    if folds.count == 0:
        count_part(states + state_step * <Py_ssize_t>first, state_step, &elements)
    for f in range(folds.count):
        if folds.kernel[f] == NAN_COUNT:
            elements.number_or = NULL
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
        some = max(PART // n, <size_t>1)
        part = PART if some == 1 else n
    elif folds.count > 1:
        part = max(PART // count, <size_t>LEAST_ROWS)
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
    memset(kept_at, 0, across * sizeof(size_t))
    memset(reduced_at, 0, along * sizeof(size_t))
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
    """Return whether an array's shape is the states' axes followed by the first input's."""
    cdef int k, kept = cnp.PyArray_NDIM(states)
    if cnp.PyArray_NDIM(array) != cnp.PyArray_NDIM(first) or cnp.PyArray_NDIM(array) < kept:
        return False
    for k in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_DIM(array, k) != cnp.PyArray_DIM(states if k < kept else first, k):
            return False
    return True


def add_to_states(str fold not None, cnp.ndarray states not None, tuple inputs not None, where):
    """Accumulate into each state the elements at its place, along the axes after the states'.

    inputs: arrays of halves in native byte order, as many as the fold takes, whose shape begins
    with the states'; where: an array of bool of that shape, or None.
    """
    cdef const halfcl_kernel *kernel = find_fold(fold)
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
    folds.number_or, folds.instead = NULL, 0
    with nogil:
        flags = add_everywhere(&folds, start, &kept, &reduced)
    count_run(kernel)
    if flags & HALFCL_MISUSE:
        raise SystemError("halfcl: a kernel was run by another kind's driver")


def merge_states(str fold not None, cnp.ndarray states not None, cnp.ndarray others not None):
    """Merge others into states of the same shape."""
    cdef const halfcl_kernel *kernel = find_fold(fold)
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


# ---------------------------------------------------------------- packed sums

cdef int check_packed(cnp.ndarray array, int type, Py_ssize_t n, bint is_written) except -1:
    """Raise TypeError for anything but n of a type in one piece; they need not be aligned."""
    if cnp.PyArray_TYPE(array) != type or cnp.PyArray_SIZE(array) != n or not (
        cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_ISNOTSWAPPED(array)
    ) or is_written and not cnp.PyArray_ISWRITEABLE(array):
        raise TypeError(f"packed: expected {n} words or bytes in one piece, got {array.dtype} of "
                        f"shape {np.shape(array)}")
    return 0


cdef halfcl_packed_sums packed_sums(
    list words, cnp.ndarray seen, Py_ssize_t n, bint is_written
) except *:
    """Return the addresses of n packed sums. The arrays have to outlive them."""
    cdef halfcl_packed_sums packed
    cdef cnp.ndarray word
    packed.words = 0
    if not 1 <= len(words) <= HALFCL_PACKED_WORDS:
        raise ValueError(f"packed: expected 1 to {HALFCL_PACKED_WORDS} words, got {len(words)}")
    for word in words:
        check_packed(word, cnp.NPY_UINT64, n, is_written)
        packed.word[packed.words] = cnp.PyArray_BYTES(word)
        packed.words += 1
    check_packed(seen, cnp.NPY_UINT8, n, is_written)
    packed.seen = <unsigned char *>cnp.PyArray_DATA(seen)
    return packed


def pack_sums(cnp.ndarray states not None, list words not None, cnp.ndarray seen not None):
    """Write states of sums as integers: one array of uint64 for each word, the lowest first."""
    check_states(states)
    cdef size_t n = cnp.PyArray_SIZE(states)
    cdef halfcl_packed_sums packed = packed_sums(words, seen, n, True)
    cdef const halfcl_fold_state *source = <const halfcl_fold_state *>cnp.PyArray_DATA(states)
    with nogil:
        halfcl_pack_sums(source, n, &packed)


def unpack_sums(list words not None, cnp.ndarray seen not None, cnp.ndarray states not None):
    """Write packed sums (see `pack_sums`) as states."""
    check_states(states)
    cdef size_t n = cnp.PyArray_SIZE(states)
    cdef halfcl_packed_sums packed = packed_sums(words, seen, n, False)
    cdef halfcl_fold_state *to = <halfcl_fold_state *>cnp.PyArray_DATA(states)
    with nogil:
        halfcl_unpack_sums(&packed, n, to)


def add_packed_sums(
    list words not None, cnp.ndarray seen not None, list others not None,
    cnp.ndarray others_seen not None,
):
    """Add packed sums to others, which have at least as many words."""
    cdef size_t n = cnp.PyArray_SIZE(seen)
    cdef halfcl_packed_sums to = packed_sums(words, seen, n, True)
    cdef halfcl_packed_sums packed = packed_sums(others, others_seen, n, False)
    if packed.words > to.words:
        raise ValueError(f"packed: expected at most {to.words} words, got {packed.words}")
    with nogil:
        halfcl_add_packed_sums(&to, &packed, n)


# ---------------------------------------------------------------- results

# The rounding of a call: which statistic of which states, and in which mode.
ctypedef struct Rounding:
    int statistic  # or PRODUCT_STATISTIC
    bint skips_nans
    long long ddof
    halfcl_type type
    int mode


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
    """Round one result; in RANDOM_MODE only a half is rounded at random, others to nearest."""
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


cdef unsigned round_counted(
    const Rounding *how, const halfcl_moments *moments, long long n, void *out
) noexcept nogil:
    """Round one result of n numbers that are not NaN; without exceptions if they are too few."""
    if n > 0 and (how.statistic == HALFCL_MEAN or n > how.ddof):
        return round_one(how, moments, n, <halfcl_rounding>how.mode, out)
    round_one(how, moments, 0, HALFCL_RTE, out)  # NaN
    return HALFCL_TOO_FEW


cdef unsigned round_results(
    const Rounding *how, const halfcl_moments *first, Py_ssize_t count, long long n,
    const long long *counts, char *out
) noexcept nogil:
    """Round count results, whose states are in rows; each has n elements unless counts differ."""
    cdef bint is_quick = how.type == HALFCL_HALF and how.mode != RANDOM_MODE
    cdef size_t size = halfcl_type_size(how.type)
    cdef halfcl_moments moments
    cdef Py_ssize_t i
    cdef unsigned flags = 0
    if is_quick and (
        how.statistic == HALFCL_SUM or how.statistic == HALFCL_SUM_OF_PRODUCTS
    ):
        return halfcl_states_finish(
            SUM_FOLD if how.statistic == HALFCL_SUM else PRODUCTS_FOLD,
            <const char *>(first.sum if how.statistic == HALFCL_SUM else first.products),
            sizeof(halfcl_fold_state), count, <uint16_t *>out, <halfcl_rounding>how.mode)
    if is_quick and counts == NULL and how.statistic != PRODUCT_STATISTIC:
        return halfcl_round_statistics(
            <halfcl_statistic>how.statistic, first, count, n, n - how.ddof if n > how.ddof else 0,
            FROM_DOUBLE, <halfcl_rounding>how.mode, <uint16_t *>out)
    for i in range(count):
        moments.sum, moments.products = first.sum + i, first.products + i
        if how.skips_nans and counts != NULL:
            flags |= round_counted(how, &moments, counts[i], out + size * i)
            continue
        flags |= round_result(how, &moments, n if counts == NULL else counts[i], out + size * i)
    return flags


cdef int mode_of_call(rounding) except -1:
    """Return a call's mode, or the region's."""
    return mode_of_loops(BY_OPERATOR) if rounding is None else mode_number(rounding)


def round_states(
    str statistic not None, sums, products, cnp.ndarray counts not None, long long ddof,
    cnp.ndarray out not None, rounding
):
    """Round a statistic of each state into out, of half, float16, float32 or float64.

    sums, products: states, of one size, or None where the statistic needs none; counts: how many
    elements each state has accumulated, as int64, or one number for all. Return the exceptions
    raised, for report_flags.
    """
    cdef Rounding how
    how.statistic, how.skips_nans, how.ddof = STATISTICS[statistic], False, ddof
    how.type = <halfcl_type>engine_type(cnp.PyArray_TYPE(out))
    how.mode = mode_of_call(rounding)
    cdef halfcl_moments moments
    cdef Py_ssize_t n = cnp.PyArray_SIZE(out)
    cdef bint has_sums = sums is not None, has_products = products is not None
    cdef unsigned flags
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
    moments.sum = <const halfcl_fold_state *>cnp.PyArray_DATA(sums if has_sums else products)
    moments.products = moments.sum
    if has_products:
        moments.products = <const halfcl_fold_state *>cnp.PyArray_DATA(products)
    with nogil:
        flags = round_results(
            &how, &moments, n, count[0] if n else 0, NULL if one_count else count, to)
    return flags


def report_flags(unsigned flags, str name not None):
    """Report exceptions to NumPy's errstate, which warns or raises, in the name of a function."""
    report(flags, name)
