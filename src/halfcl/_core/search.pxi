# ndarray.searchsorted of half among halves, where NumPy would call half_compare for each step. Also
# of float16 among float16, while accelerate() is on.
# Needs: arguments.pxi, dtype.pxi, scalar.pxi, types.pxi

cdef tuple SEARCH_ARGUMENTS = ("v", "side", "sorter")
cdef enum:
    SOUGHT, SIDE, SORTER, COUNT_OF_SEARCH_ARGUMENTS

# Copying or scanning this many elements takes no longer than a search. Checking a sorter takes
# longer than NumPy takes to search as many halves, or float16, for as many.
cdef enum:
    ELEMENTS_A_SEARCH = 16
    FEW_HALVES = 64
    FEW_NUMBERS = 1024


cdef bint is_native(cnp.ndarray array) noexcept:
    return cnp.PyArray_ISCARRAY_RO(array)


cdef int read_side(PyObject *side) except -2:
    """Return 0 for left, 1 for right, -1 if NumPy has to read it."""
    if side == NULL:
        return 0
    if type(<object>side) is not str:
        return -1
    return 0 if <object>side == "left" else 1 if <object>side == "right" else -1


cdef cnp.ndarray as_sought_halves(PyObject *sought, int number):
    """Return halves as an array, native and in one piece; None if they have another type."""
    if isinstance(<object>sought, cnp.ndarray):
        if cnp.PyArray_TYPE(<cnp.ndarray>sought) != number:
            return None
    elif type(<object>sought) is not (half if number == HALF_NUMBER else np.float16):
        return None
    return cnp.PyArray_FROMANY(<object>sought, number, 0, 0, cnp.NPY_ARRAY_CARRAY_RO)


cdef inline bint are_few_to_sort(cnp.ndarray array) noexcept:
    cdef cnp.npy_intp few = FEW_HALVES if cnp.PyArray_TYPE(array) == HALF_NUMBER else FEW_NUMBERS
    return cnp.PyArray_SIZE(array) < few


cdef bint is_order(cnp.ndarray sorter, cnp.npy_intp n) except -1:
    """Return whether these are indices, of one dimension and of n elements."""
    if cnp.PyArray_NDIM(sorter) != 1 or cnp.PyArray_DIM(sorter, 0) != n:
        return False
    if not cnp.PyArray_ISINTEGER(sorter):
        return False
    if n == 0:
        return True
    plain = np.asarray(sorter)  # a class that derives from ndarray may have a min of its own
    return plain.min() >= 0 and plain.max() < n


cdef cnp.ndarray as_sorted_halves(cnp.ndarray array, PyObject *sorter, cnp.npy_intp searches):
    """Return the sorted halves, native and in one piece.

    None if NumPy has to search: other arguments, or too few searches for the preparation to pay.
    """
    cdef cnp.npy_intp n
    cdef bint sorts = sorter != NULL and <object>sorter is not None
    if cnp.PyArray_NDIM(array) != 1:
        return None
    n = cnp.PyArray_DIM(array, 0)
    if not sorts and is_native(array):
        return array
    if n // ELEMENTS_A_SEARCH > searches:
        return None
    if sorts:
        if not isinstance(<object>sorter, cnp.ndarray) or not is_order(<object>sorter, n):
            return None
        array = np.ndarray.take(array, <object>sorter)
    return cnp.PyArray_FROMANY(array, cnp.PyArray_TYPE(array), 1, 1, cnp.NPY_ARRAY_CARRAY_RO)


cdef object search(cnp.ndarray array, cnp.ndarray sought, bint after):
    """Return the places, an array of them or a number."""
    cdef cnp.ndarray places = cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(sought), cnp.PyArray_DIMS(sought), cnp.NPY_INTP, 0)
    cdef const uint16_t *halves = <const uint16_t *>cnp.PyArray_DATA(array)
    cdef const uint16_t *values = <const uint16_t *>cnp.PyArray_DATA(sought)
    cdef cnp.npy_intp *to = <cnp.npy_intp *>cnp.PyArray_DATA(places)
    cdef size_t n = cnp.PyArray_SIZE(array), m = cnp.PyArray_SIZE(sought)
    cdef int failed
    with nogil:
        failed = halfcl_search(halves, n, values, m, after, to)
    if failed:
        raise MemoryError("searchsorted: no memory for its table")
    return places if cnp.PyArray_NDIM(places) else places[()]


cdef PyObject *half_searchsorted(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[COUNT_OF_SEARCH_ARGUMENTS]
    cdef cnp.ndarray array = <cnp.ndarray>self, sought
    memset(parsed, 0, sizeof(parsed))
    if not read_arguments(SEARCH_ARGUMENTS, args, nargs, names, parsed):
        return new_reference(NotImplemented)
    if parsed[SORTER] != NULL and <object>parsed[SORTER] is not None and are_few_to_sort(array):
        return new_reference(NotImplemented)
    cdef int side = read_side(parsed[SIDE])
    if side < 0 or cnp.PyArray_NDIM(array) != 1:
        return new_reference(NotImplemented)
    sought = as_sought_halves(parsed[SOUGHT], cnp.PyArray_TYPE(array))
    if sought is None:
        return new_reference(NotImplemented)
    if not cnp.PyArray_CheckExact(array):  # the copies of a derived class would run its code
        array = np.asarray(array)
    array = as_sorted_halves(array, parsed[SORTER], cnp.PyArray_SIZE(sought))
    if array is None:
        return new_reference(NotImplemented)
    return new_reference(search(array, sought, side))
