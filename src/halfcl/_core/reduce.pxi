# Reductions as users call them: those that need no preparation are done in one go.
# Needs: call.pxi, drivers.pxi, dtype.pxi, folds.pxi, grids.pxi, regions.pxi, scalar.pxi, types.pxi, ufunc.pxi

cdef enum:
    FEW_STATES = 8  # these fit on the stack
    MANY_RESULTS = 16

cdef long long MOST_DEGREES = 1LL << 31
cdef object np_float16 = np.float16
cdef Py_ssize_t MOST_ELEMENTS = PY_SSIZE_T_MAX // 2  # NumPy's limit for halves

# A reduction: the operands in one shape, and how to reduce them.
ctypedef struct Reduction:
    Rounding how
    unsigned seen        # the start of the states: HALFCL_FROM_ZERO, or nothing
    bint has_initial
    uint16_t initial     # one more element
    unsigned raised      # exceptions of converting initial
    int ndim
    Py_ssize_t shape[MAX_AXES]
    Py_ssize_t step[MAX_AXES][OPERANDS]
    bint reduced[MAX_AXES]
    char *start[OPERANDS]
    Py_ssize_t count, n  # the number of results, and of elements of each


# ---------------------------------------------------------------- reading

cdef bint has_native_halves(object x) noexcept:
    """Return whether x is exactly an ndarray, of half or float16 in native byte order."""
    return (
        cnp.PyArray_CheckExact(x)
        and engine_type(cnp.PyArray_TYPE(<cnp.ndarray>x)) == HALFCL_HALF
        and cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>x)
    )


cdef bint is_float16(cnp.ndarray array) noexcept:
    return cnp.PyArray_TYPE(array) == cnp.NPY_FLOAT16


cdef inline cnp.dtype native_dtype(cnp.ndarray halves):
    """Return the dtype of halves in native byte order."""
    return FLOAT16 if is_float16(halves) else HALF


cdef tuple KINDS = (HALF, FLOAT16, FLOAT32, FLOAT64)  # to which results can be rounded


cdef cnp.dtype read_kind(object dtype, bint in_float16):
    """Return the dtype that results are rounded to; None if that needs a closer look."""
    if dtype is None:
        return FLOAT16 if in_float16 else HALF
    for one in KINDS:
        if dtype is one or <PyObject *>dtype == <PyObject *>(<cnp.dtype>one).typeobj:
            return one
    try:
        kind = np.dtype(dtype)
    except Exception:
        return None
    for one in KINDS:  # by value: newbyteorder makes other objects
        if kind == one and not kind.metadata:
            return one
    return None


cdef inline Py_ssize_t length_at(cnp.ndarray array, int k) noexcept:
    """Return the length of an axis; 1 for an axis before the first."""
    return cnp.PyArray_DIM(array, k) if k >= 0 else 1


cdef bint join_shapes(Reduction *call, cnp.ndarray a, cnp.ndarray b) noexcept:
    """Write the shape that both broadcast to; return False if there is none, or it is too large."""
    cdef int k, ndim = max(cnp.PyArray_NDIM(a), cnp.PyArray_NDIM(b))
    cdef Py_ssize_t length, other, size = 1
    call.ndim = ndim
    for k in range(ndim):
        length = length_at(a, k + cnp.PyArray_NDIM(a) - ndim)
        other = length_at(b, k + cnp.PyArray_NDIM(b) - ndim)
        if length != other and length != 1 and other != 1:
            return False
        call.shape[k] = other if length == 1 else length
        if call.shape[k] > 0 and size > MOST_ELEMENTS // call.shape[k]:
            return False
        size *= call.shape[k]
    return True


cdef bint spread(Reduction *call, int operand, cnp.ndarray array) noexcept:
    """Lay an operand out in the call's shape; return False if it does not broadcast to it."""
    cdef int k, missing = call.ndim - cnp.PyArray_NDIM(array)
    cdef Py_ssize_t length
    if missing < 0:
        return False
    call.start[operand] = cnp.PyArray_BYTES(array)
    for k in range(call.ndim):
        length = length_at(array, k - missing)
        if length != 1 and length != call.shape[k]:
            return False
        call.step[k][operand] = 0 if length == 1 else cnp.PyArray_STRIDE(array, k - missing)
    return True


cdef bint read_operands(Reduction *call, tuple arrays, object where):
    """Read one array, or two; return False if they do not broadcast, or need a closer look."""
    cdef cnp.ndarray a = arrays[0], b = arrays[len(arrays) - 1]  # both factors of squares are one array
    cdef int k
    call.start[WHERE] = NULL
    if a is b:
        call.ndim = cnp.PyArray_NDIM(a)
        for k in range(call.ndim):
            call.shape[k] = cnp.PyArray_DIM(a, k)
    elif not join_shapes(call, a, b):
        return False
    spread(call, FIRST_INPUT, a)
    spread(call, SECOND_INPUT, b)
    for k in range(call.ndim):
        call.step[k][STATES] = call.step[k][WHERE] = 0
    return where is True or (
        cnp.PyArray_CheckExact(where)
        and cnp.PyArray_TYPE(<cnp.ndarray>where) == cnp.NPY_BOOL
        and spread(call, WHERE, <cnp.ndarray>where)
    )


cdef bint read_axis(object axis, Reduction *call) except -1:
    if type(axis) is not int or not -call.ndim <= axis < call.ndim:
        return False
    cdef int k = axis
    k += call.ndim if k < 0 else 0
    if call.reduced[k]:
        return False
    call.reduced[k] = True
    return True


cdef bint read_axes(object axis, Reduction *call) except -1:
    """Mark the axes that are reduced; return False for an axis that NumPy has to read or refuse."""
    cdef int k
    for k in range(call.ndim):
        call.reduced[k] = axis is None
    if type(axis) is not tuple:
        return axis is None or read_axis(axis, call)
    for one in <tuple>axis:
        if not read_axis(one, call):
            return False
    return True


cdef bint read_degrees(object ddof, Reduction *call) except -1:
    cdef int too_large = 0
    if type(ddof) is not int:
        return False
    call.how.ddof = PyLong_AsLongLongAndOverflow(ddof, &too_large)
    return not too_large and -MOST_DEGREES <= call.how.ddof < MOST_DEGREES


cdef void count_results(Reduction *call) noexcept:
    """Count the results, in C order, and the elements of each."""
    cdef int k
    call.count = call.n = 1
    for k in range(call.ndim - 1, -1, -1):
        if call.reduced[k]:
            call.n *= call.shape[k]
        else:
            call.step[k][STATES] = call.count * <Py_ssize_t>sizeof(halfcl_fold_state)
            call.count *= call.shape[k]


cdef int shape_of_results(
    const Reduction *call, bint keepdims, cnp.npy_intp *shape
) noexcept:
    """Write the shape of the results; return how many axes it has."""
    cdef int k, axes = 0
    for k in range(call.ndim):
        if keepdims or not call.reduced[k]:
            shape[axes] = 1 if call.reduced[k] else call.shape[k]
            axes += 1
    return axes


cdef bint read_initial(object initial, object rounding, Reduction *call) except -1:
    """Read the initial number, rounded in the call's mode; return False if NumPy has to round it.

    Its exceptions are kept for later, since a warning may run code of users: addresses are already
    taken.
    """
    call.raised = 0
    if not call.has_initial:
        return True
    cdef object kind = type(initial)
    # Compare by identity, since a metaclass may define its own equality.
    if kind is not int and kind is not float and kind is not half and kind is not np_float16:
        return False
    if rounding is None:
        call.initial = to_bits_by_region(initial, &call.raised)
    else:
        call.initial = to_bits(initial, <halfcl_rounding>mode_number(rounding), &call.raised)
    return True


cdef bint is_target(object out, cnp.dtype kind, int ndim, const cnp.npy_intp *shape) noexcept:
    """Return whether results can be copied to out without further checks."""
    return (
        cnp.PyArray_CheckExact(out)
        and <PyObject *>cnp.PyArray_DESCR(<cnp.ndarray>out) == <PyObject *>kind
        and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>out)
        and cnp.PyArray_NDIM(<cnp.ndarray>out) == ndim
        and cnp.PyArray_CompareLists(cnp.PyArray_DIMS(<cnp.ndarray>out), shape, ndim)
    )


cdef object as_number(uint16_t bits, bint in_float16):
    return PyArray_Scalar(&bits, FLOAT16, None) if in_float16 else new_scalar(half, bits)


cdef object as_result(cnp.ndarray result):
    """Return an array as NumPy returns it: as a number, if it has no axes."""
    if cnp.PyArray_NDIM(result) > 0:
        return result
    return as_number((<const uint16_t *>cnp.PyArray_DATA(result))[0], is_float16(result))


# ---------------------------------------------------------------- running

cdef bint counts_nans(const Reduction *call) noexcept nogil:
    """Return whether results depend on how many elements are not NaN."""
    return call.how.skips_nans and call.how.statistic in (
        HALFCL_MEAN, HALFCL_VARIANCE, HALFCL_DEVIATION)


cdef uint16_t instead_of_nans(const Reduction *call) noexcept nogil:
    """Return the half that NaNs count as, if they are skipped.

    Sums of NumPy's take them as +0. Otherwise they are zeros that add nothing: the sum of +0 and -0
    is -0 rounding down, and else +0.
    """
    if call.how.statistic == PRODUCT_STATISTIC:
        return 0x3C00
    return 0 if call.how.statistic == HALFCL_SUM or call.how.mode == HALFCL_RTN else 0x8000


cdef Folds folds_of(const Reduction *call) noexcept nogil:
    """Return the folds of a statistic, each of which has the states of all results in a row."""
    cdef Folds folds
    cdef int f, statistic = call.how.statistic
    cdef bint only_products = statistic == HALFCL_SUM_OF_PRODUCTS or statistic == HALFCL_NORM
    folds.count = 1
    folds.kernel[0] = PRODUCTS_FOLD if only_products else SUM_FOLD
    if statistic == PRODUCT_STATISTIC:
        folds.kernel[0] = PRODUCT_FOLD
    if statistic == HALFCL_VARIANCE or statistic == HALFCL_DEVIATION:
        folds.kernel[1] = PRODUCTS_FOLD
        folds.count = 2
    if counts_nans(call):
        folds.kernel[folds.count] = NAN_COUNT
        folds.count += 1
    for f in range(3):
        folds.offset[f] = f * call.count * <Py_ssize_t>sizeof(halfcl_fold_state)
    folds.number_or = NUMBER_OR if call.how.skips_nans else NULL
    folds.instead = instead_of_nans(call)
    return folds


cdef void collect_axes(
    const Reduction *call, char **start, Axes *kept, Axes *reduced
) noexcept nogil:
    """Collect the axes that have any length."""
    cdef Py_ssize_t step[OPERANDS]
    cdef int k
    kept.count = reduced.count = 0
    for k in range(call.ndim):
        if call.shape[k] > 1:
            memcpy(step, call.step[k], sizeof(step))
            put_axis(reduced if call.reduced[k] else kept, start, call.shape[k], step)
    join_axes(kept)
    join_axes(reduced)


cdef unsigned fold_all(const Reduction *call, const Folds *folds, char *states) noexcept nogil:
    """Accumulate all elements into the states, which begin there."""
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    memcpy(start, call.start, sizeof(start))
    start[STATES] = states
    collect_axes(call, start, &kept, &reduced)
    return add_everywhere(folds, start, &kept, &reduced)


cdef unsigned add_initial(const Reduction *call, const Folds *folds, char *states) noexcept nogil:
    """Accumulate the initial number into each state."""
    cdef halfcl_elements elements
    memset(&elements, 0, sizeof(elements))
    elements.inputs[0] = elements.inputs[1] = <char *>&call.initial
    elements.count, elements.n = call.count, 1
    return add_parts(folds, states, sizeof(halfcl_fold_state), &elements)


cdef const long long *numbers_counted(
    const Reduction *call, halfcl_fold_state *states
) noexcept nogil:
    """Write in place of counts of NaNs how many elements are none; NULL if no element is one."""
    cdef long long *counts = <long long *>states  # each is written after the state there is read
    cdef long long numbers, nans = 0
    cdef Py_ssize_t i
    for i in range(call.count):
        numbers = call.n - (states[i].sum.limb[0] | states[i].sum.limb[1] << 32)
        nans += call.n - numbers
        memcpy(counts + i, &numbers, sizeof(numbers))
    return counts if nans else NULL


cdef unsigned round_all(
    const Reduction *call, halfcl_fold_state *states, const long long *counts, char *out
) noexcept nogil:
    """Round the results, whose states lie fold by fold."""
    cdef bint both = call.how.statistic in (HALFCL_VARIANCE, HALFCL_DEVIATION)
    cdef halfcl_moments moments
    moments.sum = states
    moments.products = states + call.count if both else states
    if counts_nans(call):
        counts = numbers_counted(call, states + call.count * (1 + both))
    return round_results(&call.how, &moments, call.count, call.n, counts, out)


cdef bint sum_by_bounds(const Reduction *call, char *out, unsigned *flags) noexcept nogil:
    """Write a sum of halves along one axis without a state, if bounds determine it."""
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef uint16_t result = 0
    if (
        call.how.statistic != HALFCL_SUM or call.count > 1 or call.how.type != HALFCL_HALF
        or call.how.mode == RANDOM_MODE or call.has_initial or call.start[WHERE] != NULL
        or call.how.skips_nans
    ):
        return False
    memcpy(start, call.start, sizeof(start))
    start[STATES] = NULL
    collect_axes(call, start, &kept, &reduced)
    if reduced.count > 1 or not halfcl_fold_by_bounds(
        SUM_FOLD, &result, start[FIRST_INPUT], reduced.step[0][FIRST_INPUT], reduced.length[0],
        <halfcl_rounding>call.how.mode, flags,
    ):
        return False
    memcpy(out, &result, sizeof(result))
    return True


cdef unsigned fold_and_round(
    const Reduction *call, const Folds *folds, halfcl_fold_state *states, const long long *counts,
    char *out
) noexcept nogil:
    cdef Py_ssize_t i
    cdef unsigned flags = 0
    if sum_by_bounds(call, out, &flags):
        return flags
    memset(states, 0, call.count * folds.count * sizeof(halfcl_fold_state))
    for i in range(call.count if call.seen else 0):
        states[i].seen = call.seen
    flags = fold_all(call, folds, <char *>states)
    if call.has_initial:
        flags |= add_initial(call, folds, <char *>states)
    return flags | round_all(call, states, counts, out)


cdef bint is_for_few(const Reduction *call) noexcept nogil:
    """Return whether there are many results, of few elements each, which need no states."""
    cdef bint is_plain = not call.how.skips_nans and call.how.statistic in (
        HALFCL_SUM, HALFCL_SUM_OF_PRODUCTS, HALFCL_MEAN)
    return (
        call.n <= HALFCL_FEW and call.count >= MANY_RESULTS
        and call.start[WHERE] == NULL and not call.has_initial
        and (call.how.type == HALFCL_HALF or is_plain) and call.how.mode != RANDOM_MODE
    )


cdef halfcl_reduction reduction_of(const Reduction *call) noexcept nogil:
    cdef int what = call.how.statistic
    cdef halfcl_reduction how
    how.what = HALFCL_PRODUCT if what == PRODUCT_STATISTIC else <halfcl_statistic>what
    how.sum = SUM_FOLD
    if what == PRODUCT_STATISTIC:
        how.sum = PRODUCT_FOLD
    elif what == HALFCL_NORM or what == HALFCL_SUM_OF_PRODUCTS:
        how.sum = NULL
    how.products = PRODUCTS_FOLD
    if what == PRODUCT_STATISTIC or what == HALFCL_SUM or what == HALFCL_MEAN:
        how.products = NULL
    how.narrow, how.type = FROM_DOUBLE, call.how.type
    how.seen, how.mode = call.seen, <halfcl_rounding>call.how.mode
    how.freedom = call.n - call.how.ddof if call.n > call.how.ddof else 0
    return how


cdef bint lie_in_lines(
    const Reduction *call, char **start, Axes *kept, Axes *reduced
) noexcept nogil:
    """Find the axes; return whether the elements of each result lie along one."""
    memcpy(start, call.start, sizeof(call.start))
    start[STATES] = NULL  # so that the offset tells how many results come before
    collect_axes(call, start, kept, reduced)
    return reduced.count == 1


cdef inline Py_ssize_t offset_of_result(Py_ssize_t of_state, Py_ssize_t size) noexcept nogil:
    """Return the offset of a result from the first one, in bytes, for the offset of a state."""
    return of_state // <Py_ssize_t>sizeof(halfcl_fold_state) * size


cdef inline char *result_at(char *out, const char *state, Py_ssize_t size) noexcept nogil:
    """Return the address of a result, where states would be laid out from NULL on."""
    return out + offset_of_result(<Py_ssize_t>state, size)


cdef bint reduce_few(const Reduction *call, char *out, unsigned *flags) noexcept nogil:
    """Write all results without states; return False if the elements' layout does not allow it."""
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef size_t at[MAX_AXES]
    cdef halfcl_elements elements
    cdef halfcl_reduction how = reduction_of(call)
    cdef int i, across
    if not lie_in_lines(call, start, &kept, &reduced):
        return False
    across = kept.count - 1
    if kept.step[across][STATES] != sizeof(halfcl_fold_state):
        return False
    memset(at, 0, across * sizeof(size_t))
    memset(&elements, 0, sizeof(elements))
    elements.count, elements.n = kept.length[across], reduced.length[0]
    elements.number_or = NUMBER_OR if call.how.skips_nans else NULL
    elements.instead = instead_of_nans(call)
    for i in range(2):
        elements.across[i] = kept.step[across][FIRST_INPUT + i]
        elements.along[i] = reduced.step[0][FIRST_INPUT + i]
    flags[0] = 0
    while True:
        elements.inputs[0], elements.inputs[1] = start[FIRST_INPUT], start[SECOND_INPUT]
        flags[0] |= halfcl_reduce_few(
            &how, &elements, result_at(out, start[STATES], halfcl_type_size(call.how.type)))
        if not next_place(&kept, at, start):
            return True


# Roots of sums of squares along an axis.
cdef const halfcl_kernel *NORM_OF_VECTORS = find_kernel("vectors_norm", "e>e", HALFCL_VECTORS)

cdef enum:
    MOST_PLANES = 16  # components of vectors that need not lie next to each other
    NORM_BY_PARTS = 1 << 19  # elements of a norm that several threads add up faster than one


cdef inline bint has_bounds() noexcept nogil:
    """Return whether the instruction set uses the processor's rounding, and so bounds of sums."""
    return SUM_FOLD.fold.by_bounds != NULL


cdef bint is_for_vectors(const Reduction *call) noexcept nogil:
    """Return whether the results are norms that bounds of the sums most often determine."""
    cdef bint is_for_threads = (
        call.n >= NORM_BY_PARTS and call.count < THREADS_FOR_PARTS <= halfcl_get_threads())
    return (
        call.how.statistic == HALFCL_NORM and call.how.type == HALFCL_HALF
        and call.how.mode != RANDOM_MODE and call.start[WHERE] == NULL and not is_for_threads
        and has_bounds())


cdef bint norms_of_vectors(const Reduction *call, char *out, unsigned *flags) noexcept nogil:
    """Write all norms without states; return False if the elements' layout does not allow it."""
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef size_t at[MAX_AXES]
    cdef halfcl_vectors operands[2]
    cdef int across
    if not lie_in_lines(call, start, &kept, &reduced):
        return False
    if reduced.step[0][FIRST_INPUT] != sizeof(uint16_t) and call.n > MOST_PLANES:
        return False
    across = kept.count - 1
    memset(at, 0, across * sizeof(size_t))
    operands[0] = halfcl_vectors(
        NULL, kept.step[across][FIRST_INPUT], reduced.step[0][FIRST_INPUT], call.n)
    operands[1] = halfcl_vectors(NULL, offset_of_result(kept.step[across][STATES], sizeof(uint16_t)), 0, 1)
    flags[0] = 0
    while True:
        operands[0].start = start[FIRST_INPUT]
        operands[1].start = result_at(out, start[STATES], sizeof(uint16_t))
        flags[0] |= halfcl_run_vectors(
            NORM_OF_VECTORS, operands, kept.length[across], <halfcl_rounding>call.how.mode)
        if not next_place(&kept, at, start):
            return True


cdef bint reduce_without_states(const Reduction *call, char *out, unsigned *flags) noexcept nogil:
    """Write all results without states, if that is possible and faster."""
    if is_for_vectors(call) and norms_of_vectors(call, out, flags):
        return True
    return is_for_few(call) and reduce_few(call, out, flags)


cdef int run_block(
    const Reduction *call, const long long *counts, char *out, unsigned *flags
) except -1:
    """Write the results of a call whose states fit into memory at once; add their exceptions."""
    cdef halfcl_fold_state few[FEW_STATES]
    cdef halfcl_fold_state *states = few
    cdef Folds folds = folds_of(call)
    if call.count * folds.count > FEW_STATES:
        states = <halfcl_fold_state *>malloc(call.count * folds.count * sizeof(halfcl_fold_state))
        if states == NULL:
            raise MemoryError()
    if call.n * call.count < RELEASE_GIL:
        flags[0] |= fold_and_round(call, &folds, states, counts, out)
    else:
        with nogil:
            flags[0] |= fold_and_round(call, &folds, states, counts, out)
    if states != few:
        free_memory(states)
    return 0


cdef int run_blocks(
    const Reduction *call, const long long *counts, char *out, unsigned *flags
) except -1:
    """Write all results, MOST_STATES at a time, so that states remain few.

    The first kept axis that has any length is split: the results of each part lie next to each
    other.
    """
    cdef Reduction part = call[0]
    cdef Py_ssize_t size = halfcl_type_size(call.how.type)
    cdef Py_ssize_t inner, length, first = 0
    cdef int k = 0, operand
    if call.count <= MOST_STATES:
        return run_block(call, counts, out, flags)
    while call.reduced[k] or call.shape[k] == 1:
        k += 1
    inner = call.count // call.shape[k]
    length = max(1, MOST_STATES // inner)
    while first < call.shape[k]:
        part.shape[k] = min(length, call.shape[k] - first)
        for operand in (FIRST_INPUT, SECOND_INPUT, WHERE):
            if call.start[operand] != NULL:
                part.start[operand] = call.start[operand] + first * call.step[k][operand]
        count_results(&part)
        run_blocks(
            &part, NULL if counts == NULL else counts + first * inner, out + first * inner * size,
            flags)
        first += length
    return 0


cdef int run_reduction(
    const Reduction *call, const long long *counts, char *out, str name
) except -1:
    """Write all results; pass their exceptions on to numpy.errstate.

    Return whether numbers are too few for some results, which are NaN.
    """
    cdef Folds folds = folds_of(call)
    cdef unsigned flags = 0
    cdef bint is_done
    if call.n * call.count < RELEASE_GIL:
        is_done = reduce_without_states(call, out, &flags)
    else:
        with nogil:
            is_done = reduce_without_states(call, out, &flags)
    if not is_done:
        flags = 0
        run_blocks(call, counts, out, &flags)
    count_run(folds.kernel[0])
    if flags:
        report(flags & ~<unsigned>HALFCL_TOO_FEW, name)
    return (flags & HALFCL_TOO_FEW) != 0


cdef cnp.ndarray count_taken(const Reduction *call):
    """Return how many elements of each result count, or None.

    None if they are too few for some result's divisor.
    """
    cdef cnp.npy_intp count = call.count
    cdef cnp.ndarray result = cnp.PyArray_ZEROS(1, &count, cnp.NPY_INT64, 0)
    cdef long long *counts = <long long *>cnp.PyArray_DATA(result)
    cdef Reduction counting = call[0]
    cdef Folds none
    cdef Py_ssize_t i, ratio = sizeof(halfcl_fold_state) // sizeof(long long)
    none.count, none.number_or, none.instead = 0, NULL, 0
    for i in range(call.ndim):
        counting.step[i][STATES] //= ratio
    with nogil:
        fold_all(&counting, &none, <char *>counts)
    for i in range(call.count):
        if counts[i] <= call.how.ddof:
            return None
    return result


# ---------------------------------------------------------------- calls

cdef tuple in_rows(tuple arrays, const Reduction *call):
    """Return copies of the operands with the axes that are reduced merged into the last."""
    cdef tuple kept = tuple([k for k in range(call.ndim) if not call.reduced[k]])
    cdef tuple reduced = tuple([k for k in range(call.ndim) if call.reduced[k]])
    cdef tuple shape = tuple([call.shape[k] for k in kept])
    return tuple([x.transpose(kept + reduced).reshape(*shape, call.n) for x in arrays])


cdef bint suits_rows(tuple arrays, const Reduction *call) noexcept:
    """Return whether copies are faster: few elements of many results lie along several axes."""
    cdef int k, reduced = 0
    for k in range(call.ndim):
        reduced += call.reduced[k] and call.shape[k] > 1
    return reduced > 1 and len(arrays) == 1 and is_for_few(call)


cdef object try_reduction(
    str name, tuple arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding, unsigned seen,
    bint *too_few=NULL
):
    """Return a statistic along axes; NotImplemented if NumPy has to prepare or refuse the arrays.

    too_few: NaNs are skipped, unless it is NULL; and whether other elements are too few for some
    results, which are NaN.
    """
    cdef Reduction call
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef cnp.dtype kind
    cdef cnp.ndarray result, counts = None
    cdef const long long *counted = NULL
    cdef Number lone
    cdef bint in_float16 = True
    cdef int axes
    cdef bint has_too_few
    if not 1 <= len(arrays) <= 2:
        raise ValueError(f"arrays: expected one or two, got {len(arrays)}")
    for x in arrays:
        if not has_native_halves(x):
            return NotImplemented
        in_float16 &= is_float16(<cnp.ndarray>x)
    kind = read_kind(dtype, in_float16)  # before addresses are taken: it may run code of users
    call.how.mode = mode_of_call(rounding)
    call.how.skips_nans = too_few != NULL
    if call.how.skips_nans and (where is not True or call.how.mode == RANDOM_MODE):
        return NotImplemented  # then no zero adds nothing
    if kind is None or type(keepdims) is not bool or not read_operands(&call, arrays, where):
        return NotImplemented
    if not read_axes(axis, &call) or not read_degrees(ddof, &call):
        return NotImplemented
    count_results(&call)
    if call.count == 0 or call.n == 0:
        return NotImplemented
    axes = shape_of_results(&call, keepdims, shape)
    if out is not None and not is_target(out, kind, axes, shape):
        return NotImplemented
    call.how.statistic = STATISTICS[name]
    call.how.type = <halfcl_type>engine_type(kind.type_num)
    if call.how.statistic in (HALFCL_MEAN, HALFCL_VARIANCE, HALFCL_DEVIATION):
        if call.n <= call.how.ddof:
            return NotImplemented
        if where is not True:
            counts = count_taken(&call)
            if counts is None:
                return NotImplemented
    call.seen, call.has_initial = seen, initial is not None
    if not keepdims and suits_rows(arrays, &call):
        return try_reduction(
            name, in_rows(arrays, &call), -1, dtype, out, False, initial, where, ddof, rounding, seen,
            too_few)
    if not read_initial(initial, rounding, &call):  # last, as its exceptions must be raised only once
        return NotImplemented
    if counts is not None:
        counted = <const long long *>cnp.PyArray_DATA(counts)
    if axes == 0 and out is None:
        has_too_few = run_reduction(&call, counted, <char *>&lone, name)
        if too_few != NULL:
            too_few[0] = has_too_few
        report(call.raised & ~HALFCL_INVALID, "cast")
        if kind is HALF:
            return new_scalar(half, lone.word)
        return PyArray_Scalar(&lone, kind, None)
    result = new_array(axes, shape, kind)
    has_too_few = run_reduction(&call, counted, cnp.PyArray_BYTES(result), name)
    if too_few != NULL:
        too_few[0] = has_too_few
    report(call.raised & ~HALFCL_INVALID, "cast")
    if out is None:
        return result
    cnp.PyArray_CopyInto(<cnp.ndarray>out, result)
    return out


def reduce_at_once(
    str name not None, tuple arrays not None, axis, dtype, out, keepdims, initial, where, ddof,
    rounding
):
    """Reduce an array, or the products of two; NotImplemented if something needs preparing.

    Nothing does if arrays are ndarrays of half or float16 in native byte order, where is True or an array
    of bool, and the others are of their documented types; there are elements, and enough of them to
    divide by.
    """
    return try_reduction(
        name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding, 0)


def skip_nans(str name not None, cnp.ndarray array not None, axis, dtype, keepdims, ddof):
    """Return a statistic of the elements that are not NaN, and whether some result has too few.

    The statistic is NotImplemented in the cases of `reduce_at_once`.
    """
    cdef bint too_few = False
    result = try_reduction(
        name, (array,), axis, dtype, None, keepdims, None, True, ddof, None, 0, &too_few)
    return result, too_few


cdef object prepare_and_reduce = None
cdef object as_call = None


def teach_preparation(prepare, call_type):
    """Set the function for the calls of `reduce_arrays` that `reduce_at_once` does not compute.

    Its argument is one object, which ``call_type`` makes of the arguments of `reduce_arrays`.
    """
    global prepare_and_reduce, as_call
    prepare_and_reduce, as_call = prepare, call_type


def reduce_arrays(
    str name not None, tuple arrays not None, axis, dtype, out, keepdims, initial, where, ddof,
    rounding
):
    """Reduce an array, or the products of two, with arguments as users pass them."""
    result = try_reduction(
        name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding, 0)
    if result is NotImplemented:
        return prepare_and_reduce(
            as_call(name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding))
    return result
