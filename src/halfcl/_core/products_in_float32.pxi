# Products of matrices of float16 in float32, which accelerate(exact_products=False) asks for: NumPy
# multiplies the widened operands, by its BLAS, and each sum is rounded once. Large operands are
# widened block by block.
# Needs: reduce.pxi, regions.pxi, types.pxi

cdef enum:
    MOST_IN_BLOCK = 1 << 22  # elements of each of its three arrays
    MOST_TERMS = 1 << 14     # of a sum by the BLAS; the sums of longer rows are added up
    LEAST_SIDE = 16          # of matrices: smaller products are faster if exact
    FEW_PRODUCTS = 1 << 16

cdef bint products_are_exact = True

cdef object NUMPY_MATMUL = np.matmul
cdef const halfcl_kernel *FLOATS_FROM_HALVES = find_kernel("convert", "e>f", HALFCL_MAP)
cdef const halfcl_kernel *HALVES_FROM_FLOATS = find_kernel("convert", "f>e", HALFCL_MAP)


def set_exact_products(bint exact):
    """Set whether products of float16 are exact while NumPy is accelerated."""
    global products_are_exact
    products_are_exact = exact


def has_exact_products():
    """Return whether products of float16 are exact while NumPy is accelerated."""
    return products_are_exact


cdef bint suits_float32(
    cnp.ndarray a, cnp.npy_intp m, cnp.npy_intp n, cnp.npy_intp p
) noexcept:
    """Return whether to multiply in float32. In directed modes products stay exact."""
    return (
        not products_are_exact and is_float16(a)
        and min(m, p) >= LEAST_SIDE and m * n * p >= FEW_PRODUCTS
        and operator_mode() == HALFCL_RTE
    )


cdef cnp.ndarray widen_float16(cnp.ndarray x):
    """Return the array as float32, in the same order in memory."""
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef cnp.ndarray floats
    if not cnp.PyArray_IS_C_CONTIGUOUS(x) and not cnp.PyArray_IS_F_CONTIGUOUS(x):
        return x.astype(np.float32)
    floats = cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.NPY_FLOAT,
        not cnp.PyArray_IS_C_CONTIGUOUS(x))
    operands[0], operands[1] = cnp.PyArray_BYTES(x), cnp.PyArray_BYTES(floats)
    steps[0], steps[1] = sizeof(uint16_t), sizeof(float)
    with nogil:
        halfcl_run(FLOATS_FROM_HALVES, operands, steps, cnp.PyArray_SIZE(x), HALFCL_RTE)
    return floats


cdef unsigned round_floats(cnp.ndarray floats, cnp.ndarray out) except *:
    """Round contiguous floats to an array whose rows, at least, are contiguous.

    Return the exceptions raised.
    """
    cdef cnp.npy_intp row, rows = 1, columns = cnp.PyArray_SIZE(out), step = 0
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef unsigned flags = 0
    steps[0], steps[1] = sizeof(float), sizeof(uint16_t)
    operands[0], operands[1] = cnp.PyArray_BYTES(floats), cnp.PyArray_BYTES(out)
    if not cnp.PyArray_IS_C_CONTIGUOUS(out):
        rows, columns, step = out.shape[0], out.shape[1], cnp.PyArray_STRIDE(out, 0)
    with nogil:
        for row in range(rows):
            flags |= halfcl_run(HALVES_FROM_FLOATS, operands, steps, columns, HALFCL_RTE)
            operands[0] += columns * sizeof(float)
            operands[1] += step
    return flags


cdef unsigned multiply_blocks_in_float32(
    cnp.ndarray a, cnp.ndarray b, cnp.ndarray out
) except *:
    """Multiply two matrices block by block."""
    cdef cnp.npy_intp i, j, k, n = a.shape[1]
    cdef cnp.npy_intp terms = min(n, MOST_TERMS)
    cdef cnp.npy_intp columns = min(b.shape[1], MOST_IN_BLOCK // terms)
    cdef cnp.npy_intp rows = min(a.shape[0], MOST_IN_BLOCK // max(terms, columns))
    cdef unsigned flags = 0
    for j in range(0, b.shape[1], columns):
        right = widen_float16(b[:terms, j:j + columns])
        for i in range(0, a.shape[0], rows):
            total = NUMPY_MATMUL(widen_float16(a[i:i + rows, :terms]), right)
            for k in range(terms, n, terms):
                total += NUMPY_MATMUL(
                    widen_float16(a[i:i + rows, k:k + terms]),
                    widen_float16(b[k:k + terms, j:j + columns]))
            flags |= round_floats(total, out[i:i + rows, j:j + columns])
    return flags


cdef object some_of_stack(cnp.ndarray stack, int ndim, object index):
    """Return a part along the first of ndim axes, along which a stack may be repeated."""
    if cnp.PyArray_NDIM(stack) < ndim:
        return stack
    if cnp.PyArray_DIM(stack, 0) > 1:
        return stack[index]
    return stack if type(index) is slice else stack[0]


cdef unsigned multiply_in_float32(cnp.ndarray a, cnp.ndarray b, cnp.ndarray out) except *:
    """Write the product of two matrices, or of stacks of them, and return the exceptions raised.

    out: with contiguous rows, or all in one piece if they are stacks.
    """
    cdef cnp.npy_intp i, count, some
    cdef cnp.npy_intp most = max(
        cnp.PyArray_SIZE(a), cnp.PyArray_SIZE(b), cnp.PyArray_SIZE(out))
    cdef int ndim = cnp.PyArray_NDIM(out)
    cdef unsigned flags = 0
    if most <= MOST_IN_BLOCK:
        floats = NUMPY_MATMUL(widen_float16(a), widen_float16(b))
        return round_floats(np.ascontiguousarray(floats), out)
    if ndim == 2:
        return multiply_blocks_in_float32(a, b, out)
    count = cnp.PyArray_DIM(out, 0)
    some = max(1, count * MOST_IN_BLOCK // most)
    for i in range(0, count, some):
        index = slice(i, i + some) if count > 1 else 0
        flags |= multiply_in_float32(
            some_of_stack(a, ndim, index), some_of_stack(b, ndim, index), out[index])
    return flags
