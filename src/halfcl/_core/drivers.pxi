# The engine's drivers, extended by RANDOM_MODE, a count of the kernels that produced halves, and
# notes of results that are not finite.
# Needs: regions.pxi, types.pxi

from libc.stdlib cimport free as free_copy

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


# ---------------------------------------------------------------- results that are not finite
#
# A kernel's exceptions tell whether it has made an infinity or a NaN, which is rare: only then the
# elements are looked at. Inputs that a result overwrites are copied before.

cdef unsigned MAKING_SPECIALS = HALFCL_OVERFLOW | HALFCL_DIVBYZERO | HALFCL_INVALID

cdef extern from *:
    """
    #include <math.h>
    enum { HALFCL_FINITE, HALFCL_INFINITE, HALFCL_NAN };

    static void halfcl_copy_element(char *to, const char *from, size_t size)
    {
        memcpy(to, from, size);
    }
    /* Return which of these a number is. */
    static int halfcl_class_of(int type, const char *at)
    {
        double number = 0;
        float single;
        uint16_t bits;
        if (type == HALFCL_HALF) {
            memcpy(&bits, at, sizeof bits);
            number = halfcl_to_float(bits);
        } else if (type == HALFCL_FLOAT) {
            memcpy(&single, at, sizeof single);
            number = single;
        } else if (type == HALFCL_DOUBLE) {
            memcpy(&number, at, sizeof number);
        }
        return isnan(number) ? HALFCL_NAN : isinf(number) ? HALFCL_INFINITE : HALFCL_FINITE;
    }
    """
    int HALFCL_FINITE, HALFCL_INFINITE, HALFCL_NAN
    int halfcl_class_of(int, const char *) nogil
    void halfcl_copy_element(char *, const char *, size_t) nogil


cdef inline unsigned run_unwatched(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n, int mode
) noexcept nogil:
    if mode == RANDOM_MODE:
        return halfcl_run_random(kernel, operands, steps, n, halfcl_coins())
    return halfcl_run(kernel, operands, steps, n, <halfcl_rounding>mode)


cdef inline unsigned run_in_mode(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n, int mode
) noexcept nogil:
    """Run a map, uncounted, and notify an Experiment of a result that is not finite."""
    if are_finite_results_watched():
        return run_watched(kernel, operands, steps, n, mode)
    return run_unwatched(kernel, operands, steps, n, mode)


# The inputs of a map as they were before it ran.
ctypedef struct Inputs:
    char *start[HALFCL_MAX_OPERANDS]
    Py_ssize_t step[HALFCL_MAX_OPERANDS]
    char *copies[HALFCL_MAX_OPERANDS]


cdef bint is_overwritten(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, int input
) noexcept nogil:
    """Return whether results are written to the elements of an input."""
    cdef int k, nin = kernel.signature.nin
    for k in range(nin, nin + kernel.signature.nout):
        if operands[k] == operands[input] and steps[k] == steps[input]:
            return True
    return False


cdef bint keep_inputs(
    Inputs *inputs, const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps,
    size_t n
) noexcept nogil:
    """Keep the inputs of a map; return False without memory for it."""
    cdef size_t i, size
    cdef int k
    for k in range(kernel.signature.nin):
        inputs.start[k], inputs.step[k], inputs.copies[k] = operands[k], steps[k], NULL
    for k in range(kernel.signature.nin):
        if not is_overwritten(kernel, operands, steps, k):
            continue
        size = halfcl_type_size(<halfcl_type>kernel.signature.types[k])
        inputs.copies[k] = <char *>malloc(n * size + 1)
        if inputs.copies[k] == NULL:
            return False
        for i in range(n):
            halfcl_copy_element(
                inputs.copies[k] + i * size, operands[k] + <Py_ssize_t>i * steps[k], size)
        inputs.start[k], inputs.step[k] = inputs.copies[k], size
    return True


cdef void free_inputs(Inputs *inputs, const halfcl_kernel *kernel) noexcept nogil:
    cdef int k
    for k in range(kernel.signature.nin):
        free_copy(inputs.copies[k])


cdef bint is_origin(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps,
    const Inputs *inputs, Py_ssize_t i
) noexcept nogil:
    """Return whether an element has a result that is not finite, which its inputs do not explain.
    """
    cdef int k, nin = kernel.signature.nin, result = HALFCL_FINITE, input = HALFCL_FINITE
    for k in range(nin, nin + kernel.signature.nout):
        result = max(result, halfcl_class_of(kernel.signature.types[k], operands[k] + i * steps[k]))
    if result == HALFCL_FINITE:
        return False
    for k in range(nin):
        input = max(input, halfcl_class_of(
            kernel.signature.types[k], inputs.start[k] + i * inputs.step[k]))
    return result > input


cdef unsigned run_watched(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n, int mode
) noexcept nogil:
    """Run a map; notify the Experiment of the first element that is not finite for a new reason."""
    cdef Inputs inputs
    cdef size_t i
    cdef bint are_kept = keep_inputs(&inputs, kernel, operands, steps, n)
    cdef unsigned flags = run_unwatched(kernel, operands, steps, n, mode)
    if flags & MAKING_SPECIALS and are_kept:
        for i in range(n):
            if is_origin(kernel, operands, steps, &inputs, i):
                notify_of_element(kernel, &inputs, i, mode)
                break
    free_inputs(&inputs, kernel)
    return flags


cdef str reason_of(unsigned flags):
    """Return what a kernel's exceptions say of a result that is not finite."""
    if flags & HALFCL_INVALID:
        return "invalid"
    return "divide by zero" if flags & HALFCL_DIVBYZERO else "overflow"


cdef void notify_of_element(
    const halfcl_kernel *kernel, const Inputs *inputs, Py_ssize_t i, int mode
) noexcept with gil:
    """Notify of an element: its inputs, and the exceptions that it raises alone."""
    cdef double[HALFCL_MAX_OPERANDS] numbers
    cdef char *operands[HALFCL_MAX_OPERANDS]
    cdef Py_ssize_t[HALFCL_MAX_OPERANDS] steps
    cdef int k, type
    cdef list values = []
    for k in range(HALFCL_MAX_OPERANDS):
        operands[k], steps[k] = <char *>&numbers[k], 0
    for k in range(kernel.signature.nin):
        type = kernel.signature.types[k]
        halfcl_copy_element(
            operands[k], inputs.start[k] + i * inputs.step[k],
            halfcl_type_size(<halfcl_type>type))
        values.append(PyArray_Scalar(operands[k], <cnp.dtype>TYPES[type][1], None))
    flags = halfcl_run(
        kernel, operands, steps, 1, HALFCL_RTE if mode == RANDOM_MODE else <halfcl_rounding>mode)
    name = kernel.name.decode()
    notify_of("cast" if name == "convert" else name, tuple(values), reason_of(flags))


cdef int notify_of(str name, tuple operands, str reason) noexcept:
    (<Experiment>halfcl_finite_observer()[0]).notify_not_finite(name, operands, reason)
    return 0


cdef void notify_of_total(const halfcl_kernel *kernel, unsigned flags) noexcept with gil:
    notify_of(kernel.name.decode(), (), reason_of(flags))


cdef inline unsigned watch_total(const halfcl_kernel *kernel, unsigned flags) noexcept nogil:
    """Notify of a sum, or of products of many halves, that its exceptions say is not finite."""
    if flags & MAKING_SPECIALS and are_finite_results_watched():
        notify_of_total(kernel, flags)
    return flags


cdef inline int watch_number(object number, uint16_t bits, unsigned flags) except -1:
    """Notify of a number that overflows where a half is made of it."""
    if flags & HALFCL_OVERFLOW and are_finite_results_watched() and bits & 0x7FFF == 0x7C00:
        notify_of("cast", (number,), "overflow")
    return 0


# ---------------------------------------------------------------- drivers

cdef inline unsigned run_map(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n, int mode
) noexcept nogil:
    cdef unsigned flags
    count_run(kernel)
    if gives_truths(kernel):  # no mode changes bools
        flags = halfcl_run(kernel, operands, steps, n, HALFCL_RTE)
        observe_truths(kernel, operands, steps, n)
        return flags
    return run_in_mode(kernel, operands, steps, n, mode)


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
    if mode != RANDOM_MODE and not are_finite_results_watched():
        return halfcl_run_raising(kernel, operands, steps, n, <halfcl_rounding>mode, wanted)
    flags = run_in_mode(kernel, operands, steps, n, mode)
    halfcl_raise(flags & wanted)
    return flags & HALFCL_MISUSE


cdef inline unsigned run_fold(
    const halfcl_kernel *kernel, uint16_t *accumulator, const char *data, Py_ssize_t step,
    size_t n, int mode
) noexcept nogil:
    count_run(kernel)
    if mode == RANDOM_MODE:
        return watch_total(
            kernel, halfcl_fold_random(kernel, accumulator, data, step, n, halfcl_coins()))
    return watch_total(
        kernel, halfcl_fold(kernel, accumulator, data, step, n, <halfcl_rounding>mode))


cdef inline unsigned run_fold_in_order(
    const halfcl_kernel *kernel, uint16_t *accumulator, const char *data, Py_ssize_t step,
    size_t n, int mode
) noexcept nogil:
    count_run(kernel)
    if mode == RANDOM_MODE:
        return watch_total(
            kernel,
            halfcl_fold_in_order_random(kernel, accumulator, data, step, n, halfcl_coins()))
    return watch_total(
        kernel, halfcl_fold_in_order(kernel, accumulator, data, step, n, <halfcl_rounding>mode))


cdef inline unsigned run_scan(
    const halfcl_kernel *kernel, const char *first, const char *data, Py_ssize_t step, char *out,
    Py_ssize_t out_step, size_t n, int mode
) noexcept nogil:
    """Write for each of n elements the fold of the first half and all elements up to it."""
    count_run(kernel)
    return watch_total(kernel, halfcl_accumulate(
        kernel, first, data, step, out, out_step, n, <halfcl_rounding>mode))


cdef inline unsigned run_product(
    const halfcl_kernel *kernel, const halfcl_matrix_product *product, int mode
) noexcept nogil:
    count_run(kernel)
    if mode == RANDOM_MODE:
        return watch_total(kernel, halfcl_matmul_random(kernel, product, halfcl_coins()))
    return watch_total(kernel, halfcl_matmul(kernel, product, <halfcl_rounding>mode))


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
        return watch_total(kernel, dot_by_parts(operands, <halfcl_rounding>mode))
    if mode == RANDOM_MODE:
        return watch_total(kernel, halfcl_run_vectors_random(kernel, operands, n, halfcl_coins()))
    return watch_total(kernel, halfcl_run_vectors(kernel, operands, n, <halfcl_rounding>mode))


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
