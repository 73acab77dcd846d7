# Loops of the conversions' ufuncs for what no kernel reads: Python's numbers and long doubles.
# Needs: loops.pxi, modes_of_elements.pxi, promotion.pxi, scalar.pxi, types.pxi, ufunc.pxi

# Keyed by ufunc: the function that converts a list of numbers to an array of results and the flags
# raised.
cdef dict converters = {}


cdef object read_items(
    const char *data, cnp.npy_intp stride, cnp.npy_intp count, cnp.dtype dtype
):
    cdef cnp.npy_intp i
    return [PyArray_Scalar(<void *>(data + i * stride), dtype, None) for i in range(count)]


cdef int number_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef cnp.dtype source = <cnp.dtype><PyObject *>context.descriptors[0]
    cdef cnp.npy_intp size = (<PyArray_Descr_fields *>context.descriptors[1]).elsize
    cdef cnp.npy_intp i
    cdef cnp.ndarray array
    cdef halfcl_env env
    cdef unsigned flags
    items = read_items(data[0], strides[0], dimensions[0], source)
    halfcl_enter(&env, HALFCL_RTE)
    try:
        results, raised = converters[<object>context.caller](items)
    finally:
        halfcl_leave(&env)  # the flags of Python's own arithmetic are discarded
    array, flags = np.ascontiguousarray(results), raised
    if cnp.PyArray_NBYTES(array) != dimensions[0] * size:
        raise ValueError(f"expected {dimensions[0]} elements of {size} bytes, got {array.nbytes} bytes")
    for i in range(dimensions[0]):
        memcpy(data[1] + i * strides[1], cnp.PyArray_BYTES(array) + i * size, size)
    halfcl_raise(flags)
    return 0


cdef int number_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    out_loop[0] = <strided_loop><void *>number_loop
    out_data[0] = NULL
    out_flags[0] = NPY_METH_REQUIRES_PYAPI
    return 0


cdef int number_promoter(
    PyObject *ufunc, PyObject **dtypes, PyObject **signature, PyObject **chosen
) except -1:
    raise TypeError(
        f"{(<object>ufunc).__name__}: argument 1: expected real numbers, "
        f"got {(<object>dtypes[0]).type.__name__}")


cdef object NUMBER_PROMOTER = PyCapsule_New(
    <void *>number_promoter, "numpy._ufunc_promoter", NULL)


def add_exact_loops(ufunc, dtype, converter):
    """Add loops for Python's numbers and long doubles to a conversion, and errors for other types.

    converter takes a list of numbers and returns a contiguous array of dtype, as long, and the
    flags.
    """
    converters[ufunc] = converter
    for source in (np.dtype(object), np.dtype(np.longdouble)):
        if engine_type(source.num) != NO_TYPE:  # a long double that is a double has a kernel
            continue
        add_loop(ufunc, (type(source), type(np.dtype(dtype))), 1, False,
                 <void *>number_get_loop, <void *>own_get_initial)
    for letter in "FDGSUMmV":
        PyUFunc_AddPromoter(ufunc, (type(np.dtype(letter)), None), NUMBER_PROMOTER)


cdef bint leaves_out_integers(cnp.ndarray array) noexcept:
    """Return whether a new array may lack integers: doubles from 2^53 on, or long doubles."""
    cdef const double *x = <const double *>cnp.PyArray_DATA(array)
    cdef cnp.npy_intp i
    if cnp.PyArray_TYPE(array) != cnp.NPY_DOUBLE:
        return cnp.PyArray_TYPE(array) == cnp.NPY_LONGDOUBLE
    for i in range(cnp.PyArray_SIZE(array)):
        if x[i] >= 2.0**53 or x[i] <= -2.0**53:
            return True
    return False


def number_array(x):
    """Return NumPy's array of a list or number, with integers beside floats at their exact value.
    """
    if isinstance(x, cnp.ndarray):
        return x
    cdef cnp.ndarray array = cnp.PyArray_FROM_O(x)
    if (isinstance(x, list) or isinstance(x, tuple)) and leaves_out_integers(array):
        return np.asarray(x, object)
    return array


def as_halves_in_modes(value, modes):
    """Return the halves of a value, each rounded in its mode of an array of modes."""
    return in_each_mode(array_in_mode, number_array(value), modes, HALF)


halves_in_modes = as_halves_in_modes
