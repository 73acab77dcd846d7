# ndarray.partition and ndarray.argpartition of half, and of float16 while accelerate() is on: a
# sorted array is partitioned at every place, and to sort 16-bit keys by counting takes no longer
# than to select.
# Needs: arguments.pxi, scalar.pxi, types.pxi

cdef tuple PARTITION_ARGUMENTS = ("kth", "axis", "kind", "order")
cdef enum:
    KTH, AXIS, KIND, ORDER, COUNT_OF_ARGUMENTS

# Of fewer float16 NumPy has selected some before all are sorted.
cdef enum:
    FEW_TO_ORDER = 16384


cdef bint are_places(object kth, Py_ssize_t n) except -1:
    """Whether these are indices of an axis of n elements."""
    if type(kth) is int:
        return -n <= kth < n
    places = np.asarray(kth)
    if places.dtype.kind not in "iu" or places.ndim > 1:
        return False
    return places.size == 0 or (-n <= int(places.min()) and int(places.max()) < n)


cdef tuple what_to_sort(
    cnp.ndarray array, PyObject *const *args, Py_ssize_t nargs, PyObject *names
):
    """The array and the axis to sort, if sorting gives what a call asks for.

    Of axis=None, which argpartition takes, a flat array. None if NumPy is to do it, or to
    refuse it.
    """
    cdef PyObject *given[COUNT_OF_ARGUMENTS]
    memset(given, 0, sizeof(given))
    if cnp.PyArray_SIZE(array) == 0 or not read_arguments(
        PARTITION_ARGUMENTS, args, nargs, names, given
    ):
        return None
    if given[ORDER] != NULL and <object>given[ORDER] is not None:
        return None
    kind = "introselect" if given[KIND] == NULL else <object>given[KIND]
    if type(kind) is not str or kind != "introselect":
        return None
    axis = -1 if given[AXIS] == NULL else <object>given[AXIS]
    if axis is None:
        array, axis = cnp.PyArray_Ravel(array, cnp.NPY_CORDER), -1
    cdef int ndim = cnp.PyArray_NDIM(array)
    if type(axis) is not int and not isinstance(axis, np.integer) or not -ndim <= axis < ndim:
        return None
    axis = int(axis) % ndim
    return (array, axis) if are_places(<object>given[KTH], cnp.PyArray_DIM(array, axis)) else None


cdef PyObject *half_partition(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    """In place, and so not of a flat copy."""
    cdef tuple sorting = what_to_sort(<cnp.ndarray>self, args, nargs, names)
    if sorting is None or sorting[0] is not <object>self or not cnp.PyArray_ISWRITEABLE(sorting[0]):
        return new_reference(NotImplemented)
    cnp.PyArray_Sort(sorting[0], sorting[1], cnp.NPY_QUICKSORT)
    return new_reference(None)


cdef PyObject *half_argpartition(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef cnp.npy_intp few = (
        0 if cnp.PyArray_TYPE(<cnp.ndarray>self) == HALF_NUMBER else FEW_TO_ORDER)
    if cnp.PyArray_SIZE(<cnp.ndarray>self) < few:
        return new_reference(NotImplemented)
    cdef tuple sorting = what_to_sort(<cnp.ndarray>self, args, nargs, names)
    if sorting is None or cnp.PyArray_DIM(sorting[0], sorting[1]) < few:
        return new_reference(NotImplemented)
    return new_reference(cnp.PyArray_ArgSort(sorting[0], sorting[1], cnp.NPY_QUICKSORT))
