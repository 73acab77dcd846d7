# Exact sums of halves, or of products of two, for weighted means and integrals: as totals, which are
# divided, or multiplied by a number, before the result is rounded once.
# Needs: call.pxi, dtype.pxi, folds.pxi, reduce.pxi, scalar.pxi, types.pxi, ufunc.pxi

cdef enum:
    FEW_TOTALS = 16  # these fit on the stack
    MOST_TOTALS = 1 << 11  # at a time, which fit in the cache

# What results are: the first total divided by the second, or an integral.
ctypedef struct Weighted:
    bint is_mean
    bint has_abscissas
    double factor
    int axis  # of an integral

cdef const halfcl_kernel *TO_FLOAT = find_kernel("convert", "e>f", HALFCL_MAP)


cdef void add_totals(
    const Reduction *call, const halfcl_totals *totals, bint halves_ends, bint weighted, float scale
) noexcept nogil:
    """Add elements, or products, of each result times a scale to its total."""
    cdef Axes kept, reduced
    cdef char *start[OPERANDS]
    cdef char *inner[OPERANDS]
    cdef size_t kept_at[MAX_AXES]
    cdef size_t reduced_at[MAX_AXES]
    cdef halfcl_elements elements
    cdef halfcl_totalling how
    cdef Py_ssize_t size = sizeof(halfcl_fold_state)
    cdef int i
    how.widen, how.sum, how.products, how.halves_ends = TO_FLOAT, SUM_FOLD, PRODUCTS_FOLD, halves_ends
    memcpy(start, call.start, sizeof(start))
    start[STATES] = NULL  # so that the offset tells how many results come before
    collect_axes(call, start, &kept, &reduced)
    memset(kept_at, 0, sizeof(kept_at))
    memset(reduced_at, 0, sizeof(reduced_at))
    memset(&elements, 0, sizeof(elements))
    elements.count, elements.n = kept.length[kept.count - 1], reduced.length[reduced.count - 1]
    for i in range(2):
        elements.across[i] = kept.step[kept.count - 1][FIRST_INPUT + i]
        elements.along[i] = reduced.step[reduced.count - 1][FIRST_INPUT + i]
    while True:
        memcpy(inner, start, sizeof(inner))
        while True:
            elements.inputs[0], elements.inputs[1] = inner[FIRST_INPUT], inner[SECOND_INPUT]
            halfcl_add_to_totals(
                &how, totals, <Py_ssize_t>start[STATES] // size,
                kept.step[kept.count - 1][STATES] // size, &elements, weighted, scale)
            if not next_place(&reduced, reduced_at, inner):
                break
        if not next_place(&kept, kept_at, start):
            return


cdef void add_range(
    const Reduction *call, const halfcl_totals *totals, int axis, Py_ssize_t first, Py_ssize_t other,
    Py_ssize_t n, float scale
) noexcept nogil:
    """Add n products along an axis: from the first element on, with another place's weights on."""
    cdef Reduction part = call[0]
    part.shape[axis] = n
    part.start[FIRST_INPUT] += first * call.step[axis][FIRST_INPUT]
    part.start[SECOND_INPUT] += other * call.step[axis][SECOND_INPUT]
    add_totals(&part, totals, False, True, scale)


cdef void add_integral(
    const Reduction *call, const Weighted *how, const halfcl_totals *totals
) noexcept nogil:
    """Add the ordinates, of which the ends count half; or with abscissas twice the integral.

    This is the sum of (y[i] + y[i + 1]) (x[i + 1] - x[i]), of which some products cancel.
    """
    cdef Py_ssize_t last = call.shape[how.axis] - 1, i
    if not how.has_abscissas:
        add_totals(call, totals, True, False, 1)
        return
    add_range(call, totals, how.axis, 0, 1, last, 1)
    add_range(call, totals, how.axis, 1, 0, last, -1)
    add_range(call, totals, how.axis, last, last, 1, 1)
    add_range(call, totals, how.axis, 0, 0, 1, -1)
    for i in range(call.count if last > 1 else 0):
        totals.part[0][i] += 0.0  # since products that cancel make +0 of -0


cdef void add_weights(const Reduction *call, const halfcl_totals *totals) noexcept nogil:
    """Add the weights of each result; only once if they are the same of all."""
    cdef Reduction weights = call[0]
    cdef bint are_same = True
    cdef Py_ssize_t i
    cdef int k
    weights.start[FIRST_INPUT] = call.start[SECOND_INPUT]
    for k in range(call.ndim):
        weights.step[k][FIRST_INPUT] = call.step[k][SECOND_INPUT]
        are_same &= call.reduced[k] or call.step[k][SECOND_INPUT] == 0
    for k in range(call.ndim if are_same else 0):
        weights.shape[k] = call.shape[k] if call.reduced[k] else 1
    add_totals(&weights, totals, False, False, 1)
    for k in range(3):
        for i in range(1, call.count if are_same else 0):
            totals.part[k][i] = totals.part[k][0]


cdef bint finish_weighted(
    const Reduction *call, const Weighted *how, double *memory, double *out
) noexcept nogil:
    """Write all results; return False if some are not finite.

    memory: three doubles for each total.
    """
    cdef halfcl_totals totals[2]
    cdef Py_ssize_t i
    cdef int k
    for k in range(6 if how.is_mean else 3):
        totals[k // 3].part[k % 3] = memory + k * call.count
        memset(memory + k * call.count, 0, call.count * sizeof(double))
    for i in range(call.count):
        totals[0].part[0][i] = -0.0
        if how.is_mean:
            totals[1].part[0][i] = -0.0
    if not how.is_mean:
        add_integral(call, how, totals)
        return halfcl_multiply_totals(out, totals, how.factor, call.count)
    add_totals(call, totals, False, True, 1)
    add_weights(call, &totals[1])
    return halfcl_divide_totals(out, totals, &totals[1], call.count)


cdef bint run_block_of_totals(const Reduction *call, const Weighted *how, double *out) except -1:
    """Write the results of a call whose totals fit into memory at once."""
    cdef double few[6 * FEW_TOTALS]
    cdef double *memory = few
    cdef bint are_finite
    if call.count > FEW_TOTALS:
        memory = <double *>malloc(6 * call.count * sizeof(double))
        if memory == NULL:
            raise MemoryError()
    if call.n * call.count < RELEASE_GIL:
        are_finite = finish_weighted(call, how, memory, out)
    else:
        with nogil:
            are_finite = finish_weighted(call, how, memory, out)
    if memory != few:
        free_memory(memory)
    return are_finite


cdef bint run_weighted(const Reduction *call, const Weighted *how, double *out) except -1:
    """Write all results, MOST_TOTALS at a time, as `run_blocks` does; return False if some are not
    finite.
    """
    cdef Reduction part = call[0]
    cdef Py_ssize_t inner, length, first = 0
    cdef bint are_finite = True
    cdef int k = 0
    if call.count <= MOST_TOTALS:
        return run_block_of_totals(call, how, out)
    while call.reduced[k] or call.shape[k] == 1:
        k += 1
    inner = call.count // call.shape[k]
    length = max(1, MOST_TOTALS // inner)
    while first < call.shape[k]:
        part.shape[k] = min(length, call.shape[k] - first)
        part.start[FIRST_INPUT] = call.start[FIRST_INPUT] + first * call.step[k][FIRST_INPUT]
        part.start[SECOND_INPUT] = call.start[SECOND_INPUT] + first * call.step[k][SECOND_INPUT]
        count_results(&part)
        are_finite &= run_weighted(&part, how, out + first * inner)
        first += length
    return are_finite


cdef tuple reduce_weighted(cnp.ndarray a, cnp.ndarray b, axis, Weighted *how):
    """Return the results, without the axes that are reduced, and whether all are finite.

    NotImplemented if NumPy has to read the axes, or there is nothing to add.
    """
    cdef Reduction call
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef cnp.ndarray results
    cdef int axes
    if not has_native_halves(a) or not has_native_halves(b):
        raise TypeError("expected native halves")
    memset(&call.how, 0, sizeof(call.how))
    if not read_operands(&call, (a, b), True) or not read_axes(axis, &call):
        return NotImplemented, False
    count_results(&call)
    if call.count == 0 or call.n == 0:
        return NotImplemented, False
    axes = shape_of_results(&call, False, shape)
    results = new_array(axes, shape, FLOAT64)
    are_finite = run_weighted(&call, how, <double *>cnp.PyArray_DATA(results))
    return results, are_finite


def weighted_means(cnp.ndarray values not None, cnp.ndarray weights not None, axis):
    """Return means with weights, as doubles that round to half like the exact ones, and whether all
    are finite, and no sum of weights is 0; NotImplemented in their place if NumPy has to read axes.
    """
    cdef Weighted how
    how.is_mean, how.has_abscissas, how.factor, how.axis = True, False, 1, 0
    return reduce_weighted(values, weights, axis, &how)


def integrals(cnp.ndarray y not None, abscissas, double factor, int axis):
    """Return trapezoidal integrals times a finite factor, as `weighted_means` does.

    Without abscissas the distance is 1. axis: from 0 on, of at least two elements.
    """
    cdef Weighted how
    how.is_mean, how.has_abscissas, how.axis = False, abscissas is not None, axis
    how.factor = factor / 2 if how.has_abscissas else factor
    return reduce_weighted(y, y if abscissas is None else abscissas, axis, &how)
