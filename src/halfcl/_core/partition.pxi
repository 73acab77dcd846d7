# ndarray.partition and ndarray.argpartition of half: a sorted array is partitioned at
# every place, and to sort 16-bit keys by counting takes no longer than to select.
# Needs: scalar.pxi, types.pxi

cdef extern from "numpy_compat.h":
    ctypedef PyObject *halfcl_method(PyObject *, PyObject *const *, Py_ssize_t, PyObject *)
    int halfcl_replace_partition(int, halfcl_method *, halfcl_method *) except -1

cdef tuple PARTITION_ARGUMENTS = ("kth", "axis", "kind", "order")
cdef enum:
    KTH, AXIS, KIND, ORDER, COUNT_OF_ARGUMENTS


cdef bint read_arguments(
    PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **given
) except -1:
    """The arguments of partition in the order of PARTITION_ARGUMENTS, NULL where not given.

    False if they are wrong.
    """
    cdef Py_ssize_t i, place
    if nargs > COUNT_OF_ARGUMENTS:
        return False
    for i in range(nargs):
        given[i] = args[i]
    for i in range(0 if names == NULL else len(<tuple>names)):
        name = (<tuple>names)[i]
        if name not in PARTITION_ARGUMENTS:
            return False
        place = PARTITION_ARGUMENTS.index(name)
        if given[place] != NULL:
            return False
        given[place] = args[nargs + i]
    return given[KTH] != NULL


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
    cdef PyObject *given[4]
    memset(given, 0, sizeof(given))
    if cnp.PyArray_SIZE(array) == 0 or not read_arguments(args, nargs, names, given):
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


cdef PyObject *new_reference(object result) noexcept:
    Py_INCREF(result)
    return <PyObject *>result


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
    cdef tuple sorting = what_to_sort(<cnp.ndarray>self, args, nargs, names)
    if sorting is None:
        return new_reference(NotImplemented)
    return new_reference(cnp.PyArray_ArgSort(sorting[0], sorting[1], cnp.NPY_QUICKSORT))


def teach_partition():
    """Let ndarray's methods partition and argpartition take halves to halfcl's sort.

    Returns whether they do: not if NumPy's are not what they are taken for.
    """
    return halfcl_replace_partition(
        HALF_NUMBER, <halfcl_method *>half_partition, <halfcl_method *>half_argpartition) != 0
