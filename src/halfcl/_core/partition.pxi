# ndarray.partition and ndarray.argpartition of half, and of float16 while accelerate() is on: a
# sorted array is partitioned at every place, and sorting 16-bit keys is as fast as selecting,
# except for a few places of a long line where NumPy selects integers with vectors.
# Needs: arguments.pxi, dtype.pxi, scalar.pxi, sort.pxi, types.pxi

cdef extern from "numpy/arrayobject.h":
    ctypedef enum NPY_SELECTKIND:
        NPY_INTROSELECT

    int PyArray_Partition(cnp.ndarray, cnp.ndarray, int, NPY_SELECTKIND) except -1

cdef extern from "run/sort.h" nogil:
    void halfcl_split_indices(
        const halfcl_isa *, const int16_t *, size_t, int16_t, cnp.npy_intp *)

cdef tuple PARTITION_ARGUMENTS = ("kth", "axis", "kind", "order")
cdef enum:
    KTH, AXIS, KIND, ORDER, COUNT_OF_ARGUMENTS

cdef enum:
    # NumPy selects among fewer float16 before all of them are sorted.
    FEW_TO_ORDER = 16384
    # Fewer halves are sorted faster than one is selected; so many are sorted faster by several
    # threads.
    FEW_TO_SELECT = 2048, MANY_TO_SORT = 1 << 19
    FEW_THREADS_TO_SORT = 2
    # Sorting finds more places faster; so it does several among more halves.
    MOST_PLACES = 8, MOST_TO_SELECT_SEVERAL = 1 << 15


cdef bint are_ints(object kth) except -1:
    """Return whether these are some ints of Python's own."""
    if type(kth) is not tuple and type(kth) is not list:
        return False
    for place in kth:
        if type(place) is not int:
            return False
    return len(kth) > 0


cdef object as_places(object kth):
    """Return places as Python's numbers or an array, which may run code of users."""
    return kth if type(kth) is int or are_ints(kth) else np.asarray(kth)


cdef bint are_indices(cnp.ndarray places, Py_ssize_t n) noexcept:
    """Return whether integers in one piece are indices of an axis of n elements."""
    cdef const cnp.npy_intp *values = <const cnp.npy_intp *>cnp.PyArray_DATA(places)
    cdef cnp.npy_intp i
    for i in range(cnp.PyArray_SIZE(places)):
        if not -n <= values[i] < n:
            return False
    return True


cdef bint are_places(object places, Py_ssize_t n) except -1:
    """Return whether these (see as_places) are indices of an axis of n elements."""
    if type(places) is int:
        return -n <= places < n
    if type(places) is tuple or type(places) is list:
        return -n <= min(places) and max(places) < n
    if places.dtype.kind not in "iu" or places.ndim > 1:
        return False
    if cnp.PyArray_TYPE(places) == cnp.NPY_INTP and cnp.PyArray_ISCARRAY_RO(places):
        return are_indices(places, n)
    return places.size == 0 or (-n <= int(places.min()) and int(places.max()) < n)


cdef tuple read_partition(
    cnp.ndarray array, PyObject *const *args, Py_ssize_t nargs, PyObject *names
):
    """Return the array, the axis to sort and the places, if sorting returns what a call asks for.

    For axis=None, which argpartition takes, the array is flat. Return None if NumPy has to do it,
    or to refuse it.
    """
    cdef PyObject *parsed[COUNT_OF_ARGUMENTS]
    memset(parsed, 0, sizeof(parsed))
    if not read_arguments(
        PARTITION_ARGUMENTS, args, nargs, names, parsed
    ):
        return None
    if parsed[ORDER] != NULL and <object>parsed[ORDER] is not None:
        return None
    kind = "introselect" if parsed[KIND] == NULL else <object>parsed[KIND]
    if type(kind) is not str or kind != "introselect":
        return None
    kth = as_places(<object>parsed[KTH])
    cdef int axis
    if parsed[AXIS] != NULL and <object>parsed[AXIS] is None:
        array, parsed[AXIS] = cnp.PyArray_Ravel(array, cnp.NPY_CORDER), NULL
    if not read_one_axis(parsed[AXIS], array, &axis) or cnp.PyArray_SIZE(array) == 0:
        return None
    return (array, axis, kth) if are_places(kth, cnp.PyArray_DIM(array, axis)) else None


cdef cnp.ndarray view_as_halves(cnp.ndarray keys, cnp.ndarray array):
    """Return a view of the keys' memory in the array's native type."""
    return keys.view(FLOAT16 if cnp.PyArray_TYPE(array) == FLOAT16.type_num else HALF)


cdef cnp.ndarray keys_of_array(cnp.ndarray array):
    """Return the keys of an array's elements, a copy in the order of rows."""
    cdef cnp.ndarray keys = cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.NPY_INT16, 0)
    cdef int16_t *to = <int16_t *>cnp.PyArray_DATA(keys)
    cdef const uint16_t *values = <const uint16_t *>to
    if cnp.PyArray_ISCARRAY_RO(array):
        values = <const uint16_t *>cnp.PyArray_DATA(array)
    else:
        cnp.PyArray_CopyInto(view_as_halves(keys, array), array)
    halfcl_keys_of(ISA, to, values, cnp.PyArray_SIZE(array))
    return keys


cdef int put_keys(cnp.ndarray array, cnp.ndarray keys) except -1:
    """Convert keys to halves again."""
    cdef const int16_t *values = <const int16_t *>cnp.PyArray_DATA(keys)
    if cnp.PyArray_ISCARRAY(array):
        halfcl_halves_of(
            ISA, <uint16_t *>cnp.PyArray_DATA(array), values, cnp.PyArray_SIZE(keys))
    else:
        halfcl_halves_of(ISA, <uint16_t *>values, values, cnp.PyArray_SIZE(keys))
        cnp.PyArray_CopyInto(array, view_as_halves(keys, array))
    return 0


cdef Py_ssize_t count_places(object kth) except -1:
    """Return how many places these (see as_places) are."""
    if type(kth) is int:
        return 1
    return cnp.PyArray_SIZE(<cnp.ndarray>kth) if cnp.PyArray_Check(kth) else len(kth)


cdef bint selects_few(cnp.ndarray array, int axis, object kth) except -1:
    """Return whether NumPy selects these places among integers faster than halves are sorted."""
    cdef cnp.npy_intp n = cnp.PyArray_DIM(array, axis)
    cdef Py_ssize_t places
    if sort_of_integers == NULL or n < FEW_TO_SELECT or most_to_sort_as_integers < FEW_TO_SELECT:
        return False
    places = count_places(kth)
    return places == 1 or 1 < places <= MOST_PLACES and n <= MOST_TO_SELECT_SEVERAL


cdef bint is_sorted_by_threads(cnp.ndarray array, int axis) noexcept:
    return (
        cnp.PyArray_DIM(array, axis) >= MANY_TO_SORT and halfcl_get_threads() > FEW_THREADS_TO_SORT)


cdef int order_halves(cnp.ndarray array, int axis, object kth) except -1:
    cdef cnp.ndarray keys
    if selects_few(array, axis, kth) and not is_sorted_by_threads(array, axis):
        keys = keys_of_array(array)
        PyArray_Partition(keys, np.asarray(kth), axis, NPY_INTROSELECT)
        put_keys(array, keys)
    else:
        sort_along(array, axis)
    return 0


cdef PyObject *half_partition(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    """Partition in place, and so not a flat copy."""
    cdef tuple sorting = read_partition(<cnp.ndarray>self, args, nargs, names)
    if sorting is None or sorting[0] is not <object>self or not cnp.PyArray_ISWRITEABLE(sorting[0]):
        return new_reference(NotImplemented)
    order_halves(sorting[0], sorting[1], sorting[2])
    return new_reference(None)


cdef cnp.ndarray argpartition_rows(cnp.ndarray array, object kth):
    """Return the order along the last axis of an array in the order of rows.

    The key at the place is selected in a copy, and splits the indices.
    """
    cdef cnp.npy_intp n = cnp.PyArray_DIM(array, cnp.PyArray_NDIM(array) - 1), k
    cdef cnp.npy_intp count = cnp.PyArray_SIZE(array) // n
    cdef cnp.ndarray keys = keys_of_array(array), selected = cnp.PyArray_NewCopy(keys, cnp.NPY_CORDER)
    cdef cnp.ndarray place = np.asarray(kth)
    cdef cnp.npy_intp at = int(place.item()) % n
    cdef cnp.ndarray orders = cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.NPY_INTP, 0)
    cdef const int16_t *pivots = <const int16_t *>cnp.PyArray_DATA(selected) + at
    cdef const int16_t *rows = <const int16_t *>cnp.PyArray_DATA(keys)
    cdef cnp.npy_intp *to = <cnp.npy_intp *>cnp.PyArray_DATA(orders)
    PyArray_Partition(selected, place, cnp.PyArray_NDIM(array) - 1, NPY_INTROSELECT)
    with nogil:
        for k in range(count):
            halfcl_split_indices(ISA, rows + k * n, n, pivots[k * n], to + k * n)
    return orders


cdef object argorder_halves(cnp.ndarray array, int axis, object kth):
    if (
        axis == cnp.PyArray_NDIM(array) - 1 and count_places(kth) == 1 and selects_few(array, axis, kth)
    ):
        return argpartition_rows(array, kth)
    return argsort_along(array, axis)


cdef PyObject *half_argpartition(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef cnp.ndarray array = <cnp.ndarray>self
    cdef bint is_half = cnp.PyArray_TYPE(array) == HALF_NUMBER
    cdef cnp.npy_intp few = 0 if is_half else FEW_TO_ORDER
    if not cnp.PyArray_CheckExact(array) or (
        cnp.PyArray_SIZE(array) < few and not may_have_many_lines(array)
    ):
        return new_reference(NotImplemented)
    cdef tuple sorting = read_partition(array, args, nargs, names)
    if sorting is None:
        return new_reference(NotImplemented)
    array = sorting[0]
    if cnp.PyArray_DIM(array, sorting[1]) < few and not has_many_lines(array, sorting[1]):
        return new_reference(NotImplemented)
    return new_reference(argorder_halves(array, sorting[1], sorting[2]))
