# NumPy's functions dot, inner, vdot and correlate on halves, float16 too while accelerate() is on:
# each element is the exact sum of products, rounded once. Like NumPy's, vdot and correlations raise
# no exceptions.
# Needs: arguments.pxi, call.pxi, drivers.pxi, dtype.pxi, folds.pxi, lines.pxi, nonzero.pxi, numpy_calls.pxi, one_line.pxi, products_in_float32.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi

cdef extern from *:
    """
    /* Call halfcl for NumPy's products of exactly two supported arrays of one dtype, with or
     * without out; NumPy for other calls, or if halfcl returns NotImplemented. */
    static PyObject *(*halfcl_product_way)(PyObject *, PyObject *, PyObject *, PyObject *);
    static void *halfcl_products_of_numpy; /* a vectorcallfunc, the same for all its ufuncs */
    static PyObject *halfcl_call_product(
        PyObject *ufunc, PyObject *const *args, size_t nargsf, PyObject *kwnames)
    {
        const Py_ssize_t names = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
        if (PyVectorcall_NARGS(nargsf) == 2 && halfcl_is_taken(args[0]) &&
            (names == 0 || (names == 1 && PyUnicode_CompareWithASCIIString(
                                              PyTuple_GET_ITEM(kwnames, 0), "out") == 0))) {
            PyObject *out = names ? args[2] : Py_None;
            PyObject *result = halfcl_product_way(ufunc, args[0], args[1], out);
            if (result != Py_NotImplemented)
                return result;
            Py_DECREF(result);
        }
        return ((vectorcallfunc)halfcl_products_of_numpy)(ufunc, args, nargsf, kwnames);
    }
    """
    ctypedef object (*product_way)(object, object, object, object)
    product_way halfcl_product_way
    void *halfcl_products_of_numpy
    object halfcl_call_product(object, PyObject *const *, size_t, PyObject *)

cdef extern from "numpy_methods.h":
    int HALFCL_DOT, HALFCL_INNER, HALFCL_VDOT, HALFCL_CORRELATE, HALFCL_CORRELATE2, HALFCL_COUNT_NONZERO
    bint halfcl_replace_function(int, object, halfcl_method *)

cdef tuple DOT_ARGUMENTS = ("a", "b", "out"), INNER_ARGUMENTS = ("a", "b")
cdef tuple DOT_METHOD_ARGUMENTS = ("b", "out")
cdef tuple CORRELATE_ARGUMENTS = ("a", "v", "mode")


cdef inline bint are_alike(object a, object b) noexcept:
    """Return whether both are arrays of half in native byte order, or both of float16."""
    return (
        has_native_halves(a) and has_native_halves(b)
        and cnp.PyArray_TYPE(<cnp.ndarray>a) == cnp.PyArray_TYPE(<cnp.ndarray>b)
    )


cdef inline halfcl_matrix matrix_of(cnp.ndarray array) noexcept:
    """Return the matrix of an array with two axes."""
    return halfcl_matrix(
        cnp.PyArray_BYTES(array), cnp.PyArray_STRIDE(array, 0), cnp.PyArray_STRIDE(array, 1))


cdef unsigned multiply(const halfcl_matrix_product *product, bint in_float16):
    """Run the product and return the exceptions raised."""
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    cdef int mode = operator_mode()
    cdef unsigned flags
    if product.m * product.n * product.p < RELEASE_GIL:
        flags = run_product(DOT, product, mode)
    else:
        with nogil:
            flags = run_product(DOT, product, mode)
    if in_float16:
        halfcl_runs()[0] = count  # computations on float16 arrays are not counted
    return flags


cdef object dot_of_lines(cnp.ndarray a, cnp.ndarray b, str name):
    """Return the dot product, starting from +0; NotImplemented if the lengths differ.

    name: the function that raises exceptions, or None.
    """
    cdef uint16_t result = 0
    cdef unsigned flags
    cdef halfcl_matrix_product product = halfcl_matrix_product(
        halfcl_matrix(cnp.PyArray_BYTES(a), 0, cnp.PyArray_STRIDE(a, 0)),
        halfcl_matrix(cnp.PyArray_BYTES(b), cnp.PyArray_STRIDE(b, 0), 0),
        halfcl_matrix(<char *>&result, sizeof(result), sizeof(result)),
        1, cnp.PyArray_DIM(a, 0), 1)
    if cnp.PyArray_DIM(b, 0) != cnp.PyArray_DIM(a, 0):
        return NotImplemented
    flags = multiply(&product, is_float16(a))
    if flags and name is not None:
        report(flags, name)
    return as_number(result, is_float16(a))


cdef object as_line(object array):
    """Return an array with all axes merged, in C order."""
    if cnp.PyArray_NDIM(<cnp.ndarray>array) == 1:
        return array
    return cnp.PyArray_Ravel(<cnp.ndarray>array, cnp.NPY_CORDER)


# ---------------------------------------------------------------- products of matrices

cdef cnp.ndarray as_rows(cnp.ndarray array):
    """Return the array with all but the last axis merged."""
    if cnp.PyArray_NDIM(array) == 2:
        return array
    return array.reshape(-1, cnp.PyArray_DIM(array, cnp.PyArray_NDIM(array) - 1))


cdef bint is_place_for(object out, cnp.ndarray like, cnp.ndarray a, cnp.ndarray b):
    """Return whether results may be written to out; NumPy handles it otherwise."""
    if not cnp.PyArray_CheckExact(out) or not cnp.PyArray_SAMESHAPE(<cnp.ndarray>out, like):
        return False
    if cnp.PyArray_DESCR(<cnp.ndarray>out) is not cnp.PyArray_DESCR(like):
        return False
    return (
        cnp.PyArray_ISCARRAY(<cnp.ndarray>out)
        and not np.may_share_memory(a, out) and not np.may_share_memory(b, out)
    )


cdef int shape_of_product(cnp.ndarray a, cnp.ndarray b, int of_b, cnp.npy_intp *shape) noexcept:
    """Write the lengths of all axes but a's last and that axis of b; return how many they are."""
    cdef int k, ndim = 0
    for k in range(cnp.PyArray_NDIM(a) - 1):
        shape[ndim] = cnp.PyArray_DIM(a, k)
        ndim += 1
    for k in range(cnp.PyArray_NDIM(b)):
        if k != of_b:
            shape[ndim] = cnp.PyArray_DIM(b, k)
            ndim += 1
    return ndim


cdef object multiply_arrays(cnp.ndarray a, cnp.ndarray b, int axis, object out, str name):
    """Return sums of products along a's last axis and that axis of b.

    NotImplemented if NumPy has to do it. axis: -1 or -2; where b has one axis, that. name: the
    function that raises.
    """
    cdef cnp.npy_intp n, rows, columns
    cdef cnp.npy_intp shape[2 * MAX_DIMENSIONS]
    cdef halfcl_matrix_product product
    cdef cnp.ndarray left, right, result
    cdef int of_b, ndim
    cdef unsigned flags
    if out is None and is_line(a) and is_line(b):
        return dot_of_lines(a, b, name)
    if cnp.PyArray_NDIM(a) == 0 or cnp.PyArray_NDIM(b) == 0:
        return NotImplemented
    of_b = max(cnp.PyArray_NDIM(b) + axis, 0)
    n = cnp.PyArray_DIM(a, cnp.PyArray_NDIM(a) - 1)
    if n == 0 or cnp.PyArray_DIM(b, of_b) != n:
        return NotImplemented
    rows, columns = cnp.PyArray_SIZE(a) // n, cnp.PyArray_SIZE(b) // n
    if rows * columns == 0:
        return NotImplemented
    ndim = shape_of_product(a, b, of_b, shape)
    if ndim > MAX_DIMENSIONS:
        return NotImplemented
    result = new_array(ndim, shape, native_dtype(a))
    if out is not None:
        if not is_place_for(out, result, a, b):
            return NotImplemented
        result = out
    left = as_rows(a)
    right = as_rows(
        b if of_b == cnp.PyArray_NDIM(b) - 1
        else cnp.PyArray_SwapAxes(b, of_b, cnp.PyArray_NDIM(b) - 1))
    if suits_float32(a, rows, n, columns):
        flags = multiply_in_float32(left, right.T, result.reshape(rows, columns))
        if flags:
            report(flags, name)
        return result
    product.a = matrix_of(left)
    product.out = halfcl_matrix(
        cnp.PyArray_BYTES(result), columns * sizeof(uint16_t), sizeof(uint16_t))
    product.b.start = cnp.PyArray_BYTES(right)
    product.b.row, product.b.column = cnp.PyArray_STRIDE(right, 1), cnp.PyArray_STRIDE(right, 0)
    product.m, product.n, product.p = rows, n, columns
    flags = multiply(&product, is_float16(a))
    if flags:
        report(flags, name)
    return result


cdef object multiply_given(
    tuple parameters, int axis, PyObject *first, PyObject *const *args, Py_ssize_t nargs,
    PyObject *names
):
    """Multiply the arrays among a call's arguments.

    parameters: the names after first, which is a method's object, or NULL.
    """
    cdef PyObject *parsed[3]
    memset(parsed, 0, sizeof(parsed))
    parsed[0] = first
    if region_value() & (RANDOM | ASKED) or not read_arguments(
        parameters, args, nargs, names, parsed + (first != NULL)
    ):
        return NotImplemented
    if parsed[1] == NULL or not are_alike(<object>parsed[0], <object>parsed[1]):
        return NotImplemented
    out = None if parsed[2] == NULL else <object>parsed[2]
    return multiply_arrays(<cnp.ndarray>parsed[0], <cnp.ndarray>parsed[1], axis, out, "dot")


cdef PyObject *half_dot_call(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return new_reference(multiply_given(DOT_ARGUMENTS, -2, NULL, args, nargs, names))


cdef PyObject *half_dot_method(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return new_reference(multiply_given(DOT_METHOD_ARGUMENTS, -2, self, args, nargs, names))


cdef PyObject *half_vdot_call(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    if nargs != 2 or region_value() & (RANDOM | ASKED) or not are_alike(
        <object>args[0], <object>args[1]
    ):
        return new_reference(NotImplemented)
    a, b = as_line(<object>args[0]), as_line(<object>args[1])
    if not is_line(a) or not is_line(b):
        return new_reference(NotImplemented)
    return new_reference(dot_of_lines(<cnp.ndarray>a, <cnp.ndarray>b, None))


cdef PyObject *half_inner_call(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return new_reference(multiply_given(INNER_ARGUMENTS, -1, NULL, args, nargs, names))


# ---------------------------------------------------------------- ufuncs

cdef object NUMPY_VECDOT = getattr(np, "vecdot", None)
cdef object NUMPY_MATVEC = getattr(np, "matvec", None), NUMPY_VECMAT = getattr(np, "vecmat", None)

cdef const halfcl_kernel *VECDOT = find_kernel("vectors_vecdot", "ee>e", HALFCL_VECTORS)


cdef inline halfcl_vectors rows_of(cnp.ndarray array) noexcept:
    """Return the vectors along the last axis of an array with one axis or two."""
    cdef int last = cnp.PyArray_NDIM(array) - 1
    return halfcl_vectors(
        cnp.PyArray_BYTES(array), cnp.PyArray_STRIDE(array, 0) if last else 0,
        cnp.PyArray_STRIDE(array, last), cnp.PyArray_DIM(array, last))


cdef object dots_of_rows(cnp.ndarray a, cnp.ndarray b):
    """Return np.vecdot of arrays of the same shape with one axis or two."""
    cdef halfcl_vectors operands[3]
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    cdef int ndim = cnp.PyArray_NDIM(a)
    cdef cnp.ndarray result
    if not 1 <= ndim <= 2 or not cnp.PyArray_SAMESHAPE(a, b) or cnp.PyArray_SIZE(a) == 0:
        return NotImplemented
    result = new_array(ndim - 1, cnp.PyArray_DIMS(a), native_dtype(a))
    operands[0], operands[1] = rows_of(a), rows_of(b)
    operands[2] = halfcl_vectors(cnp.PyArray_BYTES(result), sizeof(uint16_t), 0, 1)
    run_vectors(VECDOT, operands, cnp.PyArray_SIZE(result), operator_mode(), "vecdot")
    if is_float16(a):
        halfcl_runs()[0] = count  # computations on float16 arrays are not counted
    return as_result(result)


cdef const halfcl_kernel *CROSS_IN_DOUBLE = find_kernel(
    "vectors_cross_in_double", "ee>e", HALFCL_VECTORS)


cdef unsigned cross_rows(
    const halfcl_vectors *operands, size_t n, bint *has_nans
) noexcept nogil:
    """Write cross products; return their exceptions, and whether a component is a NaN."""
    cdef unsigned flags = run_geometric(CROSS_IN_DOUBLE, operands, n, HALFCL_RTE)
    cdef halfcl_fold_state nans = OF_NOTHING
    cdef char *start = operands[2].start
    cdef Py_ssize_t step = sizeof(uint16_t)
    halfcl_state_add(NAN_COUNT, &nans, &start, &step, 3 * n)
    has_nans[0] = (nans.sum.limb[0] | nans.sum.limb[1]) != 0
    return flags


def cross_of_rows(a, b):
    """Return np.cross of arrays of vectors of three components, of which one may be a vector.

    None if NumPy has to do it, in float64, as for NaNs, whose bits it determines. The results are
    those of NumPy's differences of products there, rounded to half.
    """
    cdef halfcl_vectors operands[3]
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    cdef cnp.ndarray x, y, result
    cdef cnp.npy_intp shape[2]
    cdef int axes, others
    cdef unsigned flags
    cdef bint has_nans
    if not are_alike(a, b) or not has_bounds() or not rounds_to_nearest():
        return None
    x, y = a, b
    axes, others = cnp.PyArray_NDIM(x), cnp.PyArray_NDIM(y)
    if not (1 <= axes <= 2 and 1 <= others <= 2):
        return None
    if cnp.PyArray_DIM(x, axes - 1) != 3 or cnp.PyArray_DIM(y, others - 1) != 3:
        return None
    shape[0], shape[1] = length_at(x, axes - 2), 3
    if shape[0] != length_at(y, others - 2) and min(axes, others) > 1:
        return None
    if cnp.PyArray_SIZE(x) == 0 or cnp.PyArray_SIZE(y) == 0:
        return None
    shape[0] = max(shape[0], length_at(y, others - 2))
    axes = max(axes, others)
    result = new_array(axes, &shape[2 - axes], native_dtype(x))
    operands[0], operands[1], operands[2] = rows_of(x), rows_of(y), rows_of(result)
    if cnp.PyArray_SIZE(result) < RELEASE_GIL:
        flags = cross_rows(operands, shape[0], &has_nans)
    else:
        with nogil:
            flags = cross_rows(operands, shape[0], &has_nans)
    if is_float16(x):
        halfcl_runs()[0] = count  # computations on float16 arrays are not counted
    if has_nans:
        return None
    if flags:
        report(flags, "cross")
    return result


cdef bint is_one_product(object ufunc, int axes, int others) noexcept:
    """Return whether the result is one matrix or vector: no stack of products, and no number."""
    if ufunc is NUMPY_MATMUL:
        return axes <= 2 and others <= 2 and axes + others > 2
    return (
        axes == (2 if ufunc is NUMPY_MATVEC else 1)
        and others == (2 if ufunc is NUMPY_VECMAT else 1))


cdef object stack_in_float32(cnp.ndarray a, cnp.ndarray b, object out, str name):
    """Return the product of stacks of matrices; NotImplemented if it has to be exact or fails."""
    cdef unsigned flags
    cdef int axes = cnp.PyArray_NDIM(a), others = cnp.PyArray_NDIM(b)
    if min(axes, others) < 2 or cnp.PyArray_DIM(a, axes - 1) != cnp.PyArray_DIM(b, others - 2):
        return NotImplemented
    if not suits_float32(
        a, cnp.PyArray_DIM(a, axes - 2), cnp.PyArray_DIM(a, axes - 1),
        cnp.PyArray_DIM(b, others - 1)
    ):
        return NotImplemented
    try:
        stack = np.broadcast_shapes((<object>a).shape[:axes - 2], (<object>b).shape[:others - 2])
    except ValueError:
        return NotImplemented
    result = np.empty((*stack, a.shape[axes - 2], b.shape[others - 1]), FLOAT16)
    if cnp.PyArray_SIZE(result) == 0:
        return NotImplemented
    if out is not None:
        if not is_place_for(out, result, a, b):
            return NotImplemented
        result = out
    flags = multiply_in_float32(a, b, result)
    if flags:
        report(flags, name)
    return result


cdef object multiply_stacks(cnp.ndarray a, cnp.ndarray b, object out):
    """Return np.matmul of stacks of matrices along one axis, or of such a stack and one matrix.

    NotImplemented if NumPy has to do it.
    """
    cdef halfcl_matrix_stack stack
    cdef halfcl_matrix_product *one = &stack.first
    cdef cnp.npy_intp shape[3]
    cdef cnp.ndarray result
    cdef int axes = cnp.PyArray_NDIM(a), others = cnp.PyArray_NDIM(b)
    cdef cnp.npy_intp count = length_at(a, axes - 3), other_count = length_at(b, others - 3)
    cdef int mode = operator_mode()
    cdef unsigned flags
    if not (2 <= axes <= 3 and 2 <= others <= 3):
        return NotImplemented
    one.m, one.n = cnp.PyArray_DIM(a, axes - 2), cnp.PyArray_DIM(a, axes - 1)
    one.p = cnp.PyArray_DIM(b, others - 1)
    if count != other_count and count != 1 and other_count != 1:
        return NotImplemented
    if cnp.PyArray_DIM(b, others - 2) != <cnp.npy_intp>one.n:
        return NotImplemented
    shape[0], shape[1], shape[2] = (count if other_count == 1 else other_count), one.m, one.p
    result = new_array(3, shape, native_dtype(a))
    if cnp.PyArray_SIZE(result) * one.n == 0:
        return NotImplemented
    if out is not None:
        if not is_place_for(out, result, a, b):
            return NotImplemented
        result = out
    one.a = halfcl_matrix(
        cnp.PyArray_BYTES(a), cnp.PyArray_STRIDE(a, axes - 2), cnp.PyArray_STRIDE(a, axes - 1))
    one.b = halfcl_matrix(
        cnp.PyArray_BYTES(b), cnp.PyArray_STRIDE(b, others - 2), cnp.PyArray_STRIDE(b, others - 1))
    stack.out = one.m * one.p * sizeof(uint16_t)
    one.out = halfcl_matrix(
        cnp.PyArray_BYTES(result), one.p * sizeof(uint16_t), sizeof(uint16_t))
    stack.count = shape[0]
    stack.a = cnp.PyArray_STRIDE(a, 0) if count > 1 else 0
    stack.b = cnp.PyArray_STRIDE(b, 0) if other_count > 1 else 0
    if cnp.PyArray_SIZE(result) * one.n < RELEASE_GIL:
        flags = halfcl_matmul_stack(DOT, &stack, <halfcl_rounding>mode)
    else:
        with nogil:
            flags = halfcl_matmul_stack(DOT, &stack, <halfcl_rounding>mode)
    if not is_float16(a):  # computations on float16 arrays are not counted
        count_run(DOT)
    if flags:
        report(flags, "matmul")
    return result


cdef object product_of_ufunc(object ufunc, object a, object b, object out):
    """Return the product of two arrays; NotImplemented if NumPy has to compute it."""
    if not are_alike(a, b) or region_value() & (RANDOM | ASKED):
        return NotImplemented
    if ufunc is NUMPY_VECDOT:
        return dots_of_rows(a, b) if out is None else NotImplemented
    if ufunc is NUMPY_MATMUL and out is None and is_line(a) and is_line(b):
        return dot_of_lines(a, b, "matmul")
    if is_one_product(ufunc, cnp.PyArray_NDIM(<cnp.ndarray>a), cnp.PyArray_NDIM(<cnp.ndarray>b)):
        return multiply_arrays(a, b, -2, out, <str>ufunc.__name__)
    if ufunc is not NUMPY_MATMUL:
        return NotImplemented
    result = stack_in_float32(a, b, out, "matmul")
    return multiply_stacks(a, b, out) if result is NotImplemented else result


def take_products():
    """Run calls of NumPy's matmul, vecdot, matvec and vecmat on two arrays here first.

    Return whether that worked.
    """
    global halfcl_product_way, halfcl_products_of_numpy
    cdef void **place
    for ufunc in (NUMPY_MATMUL, NUMPY_VECDOT, NUMPY_MATVEC, NUMPY_VECMAT):
        if ufunc is None:  # matvec and vecmat are new in NumPy 2.2
            continue
        place = halfcl_place_of_call(ufunc)
        if place == NULL or place[0] == NULL:
            return False
        if place[0] == <void *>halfcl_call_product:
            continue
        if halfcl_products_of_numpy == NULL:
            halfcl_product_way, halfcl_products_of_numpy = product_of_ufunc, place[0]
        if place[0] != halfcl_products_of_numpy:
            return False
        place[0] = <void *>halfcl_call_product
    return True


# ---------------------------------------------------------------- correlations
#
# A correlation is the product of the weights and a matrix, each of whose rows is the array from one
# element later on. At the ends fewer weights meet fewer elements.

cdef enum:
    VALID, SAME, FULL

# NumPy computes fewer whole windows one by one, unless these are short.
cdef enum:
    FEW_WINDOWS = 32

cdef tuple WINDOWS = ("valid", "same", "full")


cdef int kind_of_windows(object mode) except -2:
    """Return the kind of windows; -1 if NumPy has to read it."""
    if type(mode) is str:
        return WINDOWS.index(mode) if mode in WINDOWS else -1
    return mode if type(mode) is int and 0 <= mode <= FULL else -1


cdef void dot_of(
    const char *a, const char *v, Py_ssize_t step_of_v, Py_ssize_t n, char *out
) noexcept nogil:
    half_dot(<void *>a, sizeof(uint16_t), <void *>v, step_of_v, out, n, NULL)


cdef int correlate_ends(
    const char *a, Py_ssize_t n, const char *v, Py_ssize_t step, Py_ssize_t weights,
    Py_ssize_t left, Py_ssize_t right, Py_ssize_t size, char *out
) noexcept nogil:
    """Compute the results at the start and the end, whose windows extend beyond the array."""
    cdef Py_ssize_t i
    for i in range(left):
        dot_of(a, v + (left - i) * step, step, weights - left + i, out + 2 * i)
    for i in range(1, right + 1):
        dot_of(a + 2 * (n - weights + i), v, step, weights - i, out + 2 * (size - right + i - 1))
    return 0


cdef inline bint are_few_weights(cnp.ndarray a, cnp.ndarray v) noexcept:
    return cnp.PyArray_DIM(a, 0) <= HALFCL_FEW_WEIGHTS and cnp.PyArray_DIM(v, 0) <= HALFCL_FEW_WEIGHTS


cdef bint correlate_few(cnp.ndarray a, cnp.ndarray v, Py_ssize_t left, cnp.ndarray result) noexcept:
    """Write the correlation of few elements; return False if they take a closer look."""
    cdef halfcl_matrix elements = halfcl_matrix(
        cnp.PyArray_BYTES(a), 0, cnp.PyArray_STRIDE(a, 0))
    cdef halfcl_matrix weights = halfcl_matrix(cnp.PyArray_BYTES(v), 0, cnp.PyArray_STRIDE(v, 0))
    cdef int mode = operator_mode()
    if not are_few_weights(a, v) or not halfcl_correlate_few(
        &elements, cnp.PyArray_DIM(a, 0), &weights, cnp.PyArray_DIM(v, 0), left,
        cnp.PyArray_DIM(result, 0), <halfcl_rounding>mode, <uint16_t *>cnp.PyArray_DATA(result)
    ):
        return False
    if not is_float16(a):  # computations on float16 arrays are not counted
        count_run(DOT)
    return True


cdef cnp.ndarray correlate_arrays(cnp.ndarray a, cnp.ndarray v, int mode):
    """Return the correlation of an array and its windows, of which there are some."""
    cdef cnp.ndarray elements
    cdef Py_ssize_t n = cnp.PyArray_DIM(a, 0), weights = cnp.PyArray_DIM(v, 0)
    cdef Py_ssize_t left = 0 if mode == VALID else weights // 2 if mode == SAME else weights - 1
    cdef Py_ssize_t right = 0 if mode == VALID else weights - 1 - (left if mode == SAME else 0)
    cdef Py_ssize_t whole = n - weights + 1
    cdef cnp.npy_intp size = whole + left + right
    cdef cnp.ndarray result = new_array(1, &size, native_dtype(a))
    cdef char *out = cnp.PyArray_BYTES(result)
    cdef halfcl_matrix_product product
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    if correlate_few(a, v, left, result):
        return result
    elements = np.ascontiguousarray(a)
    product.a = halfcl_matrix(cnp.PyArray_BYTES(v), 0, cnp.PyArray_STRIDE(v, 0))
    product.b = halfcl_matrix(cnp.PyArray_BYTES(elements), 2, 2)
    product.out = halfcl_matrix(out + 2 * left, 2 * whole, 2)
    product.m, product.n, product.p = 1, weights, whole
    multiply(&product, is_float16(a))
    with nogil:
        correlate_ends(
            cnp.PyArray_BYTES(elements), n, cnp.PyArray_BYTES(v), cnp.PyArray_STRIDE(v, 0),
            weights, left, right, size, out)
    if is_float16(a):
        halfcl_runs()[0] = count
    return result


cdef object correlate_given(
    PyObject *const *args, Py_ssize_t nargs, PyObject *names, bint turns
):
    """Correlate the arrays among a call's arguments.

    turns: whether the result is reversed where the second array is the longer one.
    """
    cdef PyObject *parsed[3]
    cdef int mode
    memset(parsed, 0, sizeof(parsed))
    if region_value() & (RANDOM | ASKED) or not read_arguments(
        CORRELATE_ARGUMENTS, args, nargs, names, parsed
    ):
        return NotImplemented
    if parsed[1] == NULL or not are_alike(<object>parsed[0], <object>parsed[1]):
        return NotImplemented
    mode = kind_of_windows(0 if parsed[2] == NULL else <object>parsed[2])
    cdef cnp.ndarray a = <cnp.ndarray>parsed[0], v = <cnp.ndarray>parsed[1]
    if mode < 0 or cnp.PyArray_NDIM(a) != 1 or cnp.PyArray_NDIM(v) != 1:
        return NotImplemented
    if min(cnp.PyArray_SIZE(a), cnp.PyArray_SIZE(v)) == 0:
        return NotImplemented
    if labs(cnp.PyArray_SIZE(a) - cnp.PyArray_SIZE(v)) < FEW_WINDOWS and not are_few_weights(a, v):
        return NotImplemented
    if cnp.PyArray_SIZE(a) >= cnp.PyArray_SIZE(v):
        return correlate_arrays(a, v, mode)
    result = correlate_arrays(v, a, mode)
    return result[::-1].copy() if turns else result


cdef PyObject *half_correlate(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return new_reference(correlate_given(args, nargs, names, False))


cdef PyObject *half_correlate2(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return new_reference(correlate_given(args, nargs, names, True))


# ---------------------------------------------------------------- numpy.einsum

def shapes_of_halves(tuple operands not None):
    """Return the shapes of the arrays after the first operand, if they are one or two and alike.

    That is: plain ndarrays of half, or of float16 while accelerate() is on, in native byte order;
    else None.
    """
    cdef Py_ssize_t n = len(operands)
    if not 2 <= n <= 3 or not halfcl_is_taken(operands[1]):
        return None
    if not are_alike(operands[1], operands[n - 1]):
        return None
    return (operands[1].shape,) if n == 2 else (operands[1].shape, operands[2].shape)


def teach_functions(extension):
    """Let the functions of NumPy's extension module call halfcl for halves.

    Return whether they do: not if any is not laid out as expected.
    """
    return all([
        halfcl_replace_function(HALFCL_DOT, extension.dot, <halfcl_method *>half_dot_call),
        halfcl_replace_function(HALFCL_INNER, extension.inner, <halfcl_method *>half_inner_call),
        halfcl_replace_function(HALFCL_VDOT, extension.vdot, <halfcl_method *>half_vdot_call),
        halfcl_replace_function(
            HALFCL_CORRELATE, extension.correlate, <halfcl_method *>half_correlate),
        halfcl_replace_function(
            HALFCL_CORRELATE2, extension.correlate2, <halfcl_method *>half_correlate2),
        halfcl_replace_function(
            HALFCL_COUNT_NONZERO, extension.count_nonzero, <halfcl_method *>half_count_nonzero),
    ])
