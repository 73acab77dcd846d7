# Vectors: what is called each time that one is made, read by component or indexed.

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(
        PyTypeObject *, cnp.dtype, int, const cnp.npy_intp *, const cnp.npy_intp *, void *, int,
        object)
    object PyArray_View(cnp.ndarray, PyArray_Descr_struct *, PyTypeObject *)
    int PyArray_SetBaseObject(cnp.ndarray, object) except -1


def is_vector(cnp.ndarray array, Py_ssize_t width, cnp.dtype element):
    """Whether the last axis has that length, and the elements that dtype."""
    cdef int ndim = cnp.PyArray_NDIM(array)
    if ndim == 0 or cnp.PyArray_DIMS(array)[ndim - 1] != width:
        return False
    cdef cnp.dtype dtype = <cnp.dtype>cnp.PyArray_DESCR(array)
    return dtype is element or dtype == element


def components(cnp.ndarray array, Py_ssize_t first, Py_ssize_t step, Py_ssize_t count, kind):
    """A view, of that class, of some components on the last axis; of one, without the axis.

    Indexing with an Ellipsis and a slice, and a view of the result: in a third of the time.
    """
    cdef cnp.npy_intp strides[64]
    cdef cnp.npy_intp shape[64]
    cdef int ndim = cnp.PyArray_NDIM(array)
    cdef cnp.npy_intp apart = cnp.PyArray_STRIDES(array)[ndim - 1]
    memcpy(shape, cnp.PyArray_DIMS(array), ndim * sizeof(cnp.npy_intp))
    memcpy(strides, cnp.PyArray_STRIDES(array), ndim * sizeof(cnp.npy_intp))
    shape[ndim - 1] = count
    strides[ndim - 1] = step * apart
    cdef cnp.dtype dtype = <cnp.dtype>cnp.PyArray_DESCR(array)
    Py_INCREF(dtype)  # PyArray_NewFromDescr takes it over
    view = PyArray_NewFromDescr(
        <PyTypeObject *>kind, dtype, ndim if count > 1 else ndim - 1, shape, strides,
        cnp.PyArray_BYTES(array) + first * apart, cnp.PyArray_FLAGS(array) & cnp.NPY_ARRAY_WRITEABLE,
        None)
    Py_INCREF(array)  # PyArray_SetBaseObject takes it over
    PyArray_SetBaseObject(view, array)
    return view


def separate(values, kind):
    """The values, arrays of that class among them as plain arrays; and the list of these arrays."""
    cdef list plain = [], found = []
    for value in values:
        if isinstance(value, kind):
            found.append(value)
            value = PyArray_View(value, NULL, <PyTypeObject *>cnp.ndarray)
        plain.append(value)
    return plain, found
