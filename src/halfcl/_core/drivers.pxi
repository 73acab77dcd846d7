# The engine's drivers, which here also take RANDOM_MODE.
# Needs: rounding.pxi


cdef inline unsigned run_map(
    const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps, size_t n, int mode
) noexcept nogil:
    if mode == RANDOM_MODE:
        return halfcl_run_random(kernel, operands, steps, n, halfcl_coins())
    return halfcl_run(kernel, operands, steps, n, <halfcl_rounding>mode)


cdef inline unsigned run_fold(
    const halfcl_kernel *kernel, uint16_t *accumulator, const char *data, Py_ssize_t step,
    size_t n, int mode
) noexcept nogil:
    if mode == RANDOM_MODE:
        return halfcl_fold_random(kernel, accumulator, data, step, n, halfcl_coins())
    return halfcl_fold(kernel, accumulator, data, step, n, <halfcl_rounding>mode)


cdef inline unsigned run_fold_in_order(
    const halfcl_kernel *kernel, uint16_t *accumulator, const char *data, Py_ssize_t step,
    size_t n, int mode
) noexcept nogil:
    if mode == RANDOM_MODE:
        return halfcl_fold_in_order_random(kernel, accumulator, data, step, n, halfcl_coins())
    return halfcl_fold_in_order(kernel, accumulator, data, step, n, <halfcl_rounding>mode)


cdef inline unsigned run_product(
    const halfcl_kernel *kernel, const halfcl_product *product, int mode
) noexcept nogil:
    if mode == RANDOM_MODE:
        return halfcl_matmul_random(kernel, product, halfcl_coins())
    return halfcl_matmul(kernel, product, <halfcl_rounding>mode)


cdef inline unsigned run_geometric(
    const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n, int mode
) noexcept nogil:
    if mode == RANDOM_MODE:
        return halfcl_run_vectors_random(kernel, operands, n, halfcl_coins())
    return halfcl_run_vectors(kernel, operands, n, <halfcl_rounding>mode)
