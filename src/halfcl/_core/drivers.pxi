# The engine's drivers, extended by RANDOM_MODE and a count of the kernels that produced halves.
# Needs: regions.pxi, types.pxi

cdef extern from *:
    """
    static HALFCL_THREAD_LOCAL npy_uint64 halfcl_thread_runs;
    static npy_uint64 *halfcl_runs(void)
    {
        return &halfcl_thread_runs;
    }
    """
    cnp.npy_uint64 *halfcl_runs() nogil


def kernels_run():
    """Return how many kernels have produced halves in this thread, whoever called them."""
    return halfcl_runs()[0]


def forget_kernels_since(cnp.npy_uint64 count):
    """Reset the count of kernels, after computations beside the code that is watched."""
    halfcl_runs()[0] = count


cdef inline void count_run(const halfcl_kernel *kernel) noexcept nogil:
    halfcl_runs()[0] += kernel.signature.types[kernel.signature.nin] == HALFCL_HALF


cdef void notify_of_truths(const char *truths, Py_ssize_t step, size_t n) noexcept with gil:
    (<Experiment>halfcl_truth_observer()[0]).notify_comparison(truths, step, n)


cdef inline bint gives_truths(const halfcl_kernel *kernel) noexcept nogil:
    return kernel.signature.types[kernel.signature.nin] == HALFCL_BOOL


cdef inline bint are_truths_observed(const halfcl_kernel *kernel) noexcept nogil:
    """Return whether an Experiment is notified of a kernel's results."""
    return may_be_in_region() and halfcl_truth_observer()[0] != NULL and gives_truths(kernel)


cdef inline void observe_truths(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n
) noexcept nogil:
    cdef int first = kernel.signature.nin
    if are_truths_observed(kernel):
        notify_of_truths(operands[first], steps[first], n)


cdef inline unsigned run_map(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n, int mode
) noexcept nogil:
    cdef unsigned flags
    count_run(kernel)
    if gives_truths(kernel):  # no mode changes bools
        flags = halfcl_run(kernel, operands, steps, n, HALFCL_RTE)
        observe_truths(kernel, operands, steps, n)
        return flags
    if mode == RANDOM_MODE:
        return halfcl_run_random(kernel, operands, steps, n, halfcl_coins())
    return halfcl_run(kernel, operands, steps, n, <halfcl_rounding>mode)


cdef inline unsigned raise_by_map(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n, int mode,
    unsigned wanted
) noexcept nogil:
    """Run a kernel in a loop, uncounted, and leave the wanted exceptions pending.

    Return HALFCL_MISUSE or 0.
    """
    cdef unsigned flags
    if gives_truths(kernel):  # no mode changes bools
        flags = halfcl_run_raising(kernel, operands, steps, n, HALFCL_RTE, wanted)
        observe_truths(kernel, operands, steps, n)
        return flags
    if mode != RANDOM_MODE:
        return halfcl_run_raising(kernel, operands, steps, n, <halfcl_rounding>mode, wanted)
    flags = halfcl_run_random(kernel, operands, steps, n, halfcl_coins())
    halfcl_raise(flags & wanted)
    return flags & HALFCL_MISUSE


cdef inline unsigned run_fold(
    const halfcl_kernel *kernel, uint16_t *accumulator, const char *data, Py_ssize_t step,
    size_t n, int mode
) noexcept nogil:
    count_run(kernel)
    if mode == RANDOM_MODE:
        return halfcl_fold_random(kernel, accumulator, data, step, n, halfcl_coins())
    return halfcl_fold(kernel, accumulator, data, step, n, <halfcl_rounding>mode)


cdef inline unsigned run_fold_in_order(
    const halfcl_kernel *kernel, uint16_t *accumulator, const char *data, Py_ssize_t step,
    size_t n, int mode
) noexcept nogil:
    count_run(kernel)
    if mode == RANDOM_MODE:
        return halfcl_fold_in_order_random(kernel, accumulator, data, step, n, halfcl_coins())
    return halfcl_fold_in_order(kernel, accumulator, data, step, n, <halfcl_rounding>mode)


cdef inline unsigned run_scan(
    const halfcl_kernel *kernel, const char *first, const char *data, Py_ssize_t step, char *out,
    Py_ssize_t out_step, size_t n, int mode
) noexcept nogil:
    """Write for each of n elements the fold of the first half and all elements up to it."""
    count_run(kernel)
    return halfcl_accumulate(
        kernel, first, data, step, out, out_step, n, <halfcl_rounding>mode)


cdef inline unsigned run_product(
    const halfcl_kernel *kernel, const halfcl_matrix_product *product, int mode
) noexcept nogil:
    count_run(kernel)
    if mode == RANDOM_MODE:
        return halfcl_matmul_random(kernel, product, halfcl_coins())
    return halfcl_matmul(kernel, product, <halfcl_rounding>mode)


# The dot product of vectors, and of parts of them. The results are the same, as both are exact; the
# latter uses several threads for one vector.
cdef const halfcl_kernel *DOT_OF_VECTORS = find_kernel("vectors_dot", "ee>e", HALFCL_VECTORS)
cdef const halfcl_kernel *DOT_OF_PARTS = find_kernel("dot", "ee>e", HALFCL_FOLD)
cdef halfcl_fold_state OF_NOTHING  # all zeros
cdef enum:
    LONG_VECTOR = 1 << 20, VERY_LONG_VECTOR = 1 << 22
    THREADS_FOR_PARTS = 4


cdef inline bint is_for_parts(
    const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n
) noexcept nogil:
    cdef size_t width = operands[0].width
    return n == 1 and width >= LONG_VECTOR and kernel == DOT_OF_VECTORS and (
        width >= VERY_LONG_VECTOR or halfcl_get_threads() >= THREADS_FOR_PARTS)


cdef unsigned dot_by_parts(const halfcl_vectors *operands, halfcl_rounding mode) noexcept nogil:
    cdef halfcl_fold_state total = OF_NOTHING
    cdef uint16_t result
    cdef unsigned flags
    cdef char *inputs[2]
    cdef Py_ssize_t steps[2]
    cdef int i
    for i in range(2):
        inputs[i], steps[i] = operands[i].start, operands[i].component
    flags = halfcl_state_add(DOT_OF_PARTS, &total, inputs, steps, operands[0].width)
    flags |= halfcl_state_finish(DOT_OF_PARTS, &total, &result, mode)
    halfcl_copy(operands[2].start, 2, <const char *>&result, 2, 1)
    return flags


cdef inline unsigned run_geometric(
    const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n, int mode
) noexcept nogil:
    count_run(kernel)
    if is_for_parts(kernel, operands, n) and mode != RANDOM_MODE:
        return dot_by_parts(operands, <halfcl_rounding>mode)
    if mode == RANDOM_MODE:
        return halfcl_run_vectors_random(kernel, operands, n, halfcl_coins())
    return halfcl_run_vectors(kernel, operands, n, <halfcl_rounding>mode)


cdef inline unsigned run_map_in_modes(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps,
    const unsigned char *modes, Py_ssize_t step, size_t n
) noexcept nogil:
    count_run(kernel)
    return halfcl_run_in_modes(ISA, kernel, operands, steps, modes, step, n)


cdef inline unsigned run_geometric_in_modes(
    const halfcl_kernel *kernel, const halfcl_vectors *operands, const unsigned char *modes,
    Py_ssize_t step, size_t n
) noexcept nogil:
    count_run(kernel)
    return halfcl_run_vectors_in_modes(ISA, kernel, operands, modes, step, n)
