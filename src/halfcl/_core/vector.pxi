# Vectors: the functions called each time one is made, read by component or indexed.
# Needs: call.pxi, scalar.pxi, types.pxi

cdef extern from "numpy/arrayobject.h":
    object PyArray_View(cnp.ndarray, PyArray_Descr_struct *, PyTypeObject *)
    int PyArray_SetBaseObject(cnp.ndarray, object) except -1


def is_vector(cnp.ndarray array not None, Py_ssize_t width, cnp.dtype element not None):
    """Return whether the last axis has that length, and the elements that dtype."""
    cdef int ndim = cnp.PyArray_NDIM(array)
    if ndim == 0 or cnp.PyArray_DIMS(array)[ndim - 1] != width:
        return False
    cdef cnp.dtype dtype = <cnp.dtype>cnp.PyArray_DESCR(array)
    return dtype is element or dtype == element


cdef bint are_components(
    cnp.ndarray array, Py_ssize_t first, Py_ssize_t step, Py_ssize_t count
) noexcept:
    """Return whether count places from the first on, a step apart, are on the array's last axis."""
    cdef int ndim = cnp.PyArray_NDIM(array)
    if ndim == 0:
        return False
    cdef Py_ssize_t width = cnp.PyArray_DIMS(array)[ndim - 1]
    if first < 0 or first >= width or count < 1 or count > width:
        return False
    # The absolute step is below width where there is more than one, so that nothing overflows.
    return count == 1 or -width < step < width and 0 <= first + (count - 1) * step < width


cdef int check_array_class(kind) except -1:
    if not isinstance(kind, type) or not PyType_IsSubtype(kind, cnp.ndarray):
        raise TypeError(f"kind: expected numpy.ndarray or a class of its kind, got {kind!r}")
    return 0


def components(
    cnp.ndarray array not None, Py_ssize_t first, Py_ssize_t step, Py_ssize_t count, kind
):
    """Return a view, of that class, of some components on the last axis; of one, without the axis.

    It equals indexing with an Ellipsis and a slice, and a view of the result, in a third of the
    time.
    """
    cdef cnp.npy_intp strides[64]
    cdef cnp.npy_intp shape[64]
    cdef int ndim = cnp.PyArray_NDIM(array)
    check_array_class(kind)
    if not are_components(array, first, step, count):
        raise IndexError(
            f"components: expected places on the last axis of shape {np.shape(array)}, "
            f"got {count} from {first} in steps of {step}")
    cdef cnp.npy_intp apart = cnp.PyArray_STRIDES(array)[ndim - 1]
    memcpy(shape, cnp.PyArray_DIMS(array), ndim * sizeof(cnp.npy_intp))
    memcpy(strides, cnp.PyArray_STRIDES(array), ndim * sizeof(cnp.npy_intp))
    shape[ndim - 1] = count
    strides[ndim - 1] = step * apart
    cdef cnp.dtype dtype = <cnp.dtype>cnp.PyArray_DESCR(array)
    Py_INCREF(dtype)  # PyArray_NewFromDescr steals the reference
    view = PyArray_NewFromDescr(
        <PyTypeObject *>kind, dtype, ndim if count > 1 else ndim - 1, shape, strides,
        cnp.PyArray_BYTES(array) + first * apart, cnp.PyArray_FLAGS(array) & cnp.NPY_ARRAY_WRITEABLE,
        None)
    Py_INCREF(array)  # PyArray_SetBaseObject steals the reference
    PyArray_SetBaseObject(view, array)
    return view


cdef bint says_what_it_is(value):
    """Return whether it is a scalar, or an array of one number for each vector: of last axis 1."""
    if type(value) is float or type(value) is int or isinstance(value, cnp.generic):
        return True
    if not isinstance(value, cnp.ndarray):
        return False
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray>value)
    return ndim == 0 or cnp.PyArray_DIMS(<cnp.ndarray>value)[ndim - 1] == 1


def separate(values, kind):
    """Return the values with arrays of that class as plain arrays, these arrays, and a flag.

    The flag is whether some of the others may be arrays of more than one number for each vector.
    """
    cdef list plain = [], arrays = []
    cdef bint unclear = False
    check_array_class(kind)
    for value in values:
        if PyObject_TypeCheck(value, <PyTypeObject *>kind):
            arrays.append(value)
            value = PyArray_View(value, NULL, <PyTypeObject *>cnp.ndarray)
        elif not says_what_it_is(value):
            unclear = True
        plain.append(value)
    return plain, arrays, unclear
