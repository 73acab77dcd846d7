# ndarray.sort and ndarray.argsort of half, and of float16 while accelerate() is on, where there are
# many short lines: NumPy would call the dtype's function for each.
# Needs: arguments.pxi, dtype.pxi, lines.pxi, scalar.pxi, types.pxi

cdef extern from "run/sort.h" nogil:
    bint halfcl_are_many_lines(const halfcl_lines *)
    int halfcl_sort_lines(const halfcl_isa *, uint16_t *, const halfcl_lines *)
    int halfcl_argsort_lines(
        const halfcl_isa *, const uint16_t *, const halfcl_lines *, cnp.npy_intp *)

cdef tuple SORT_ARGUMENTS = ("axis", "kind", "order", "stable")
cdef enum:
    SORT_AXIS, SORT_KIND, SORT_ORDER, SORT_STABLE, COUNT_OF_SORT_ARGUMENTS

# What is sorted here is so in the way of all of them.
cdef frozenset SORT_KINDS = frozenset(("quicksort", "stable", "mergesort", "heapsort"))

cdef enum:
    FEW_IN_LINES = 64  # elements, that NumPy has sorted before this is looked at
    # Of rows by vectors: longer ones are sorted as integers one by one; so are these, if few.
    LONGEST_ROW = 32, SHORT_ROW = 16, FEW_ROWS_TO_SORT = 16


cdef bint is_plain_sort(
    PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **given
) except -1:
    """Whether a sort is asked for that NumPy takes any dtype to, in a way that is known."""
    if nargs > SORT_STABLE or not read_optional_arguments(
        SORT_ARGUMENTS, args, nargs, names, given
    ):
        return False
    if given[SORT_ORDER] != NULL and <object>given[SORT_ORDER] is not None:
        return False
    if given[SORT_STABLE] != NULL and <object>given[SORT_STABLE] is not None:
        return type(<object>given[SORT_STABLE]) is bool and (
            given[SORT_KIND] == NULL or <object>given[SORT_KIND] is None)
    if given[SORT_KIND] == NULL or <object>given[SORT_KIND] is None:
        return True
    return type(<object>given[SORT_KIND]) is str and <object>given[SORT_KIND] in SORT_KINDS


cdef inline bint may_have_many_lines(cnp.ndarray array) noexcept:
    return cnp.PyArray_NDIM(array) > 1 and cnp.PyArray_SIZE(array) >= FEW_IN_LINES


cdef bint has_many_lines(cnp.ndarray array, int axis) noexcept:
    cdef halfcl_lines lines
    cdef cnp.npy_intp size = cnp.PyArray_SIZE(array)
    if not may_have_many_lines(array):
        return False
    lines.n = cnp.PyArray_DIM(array, axis)
    lines.outer, lines.inner = size // lines.n, 1
    return halfcl_are_many_lines(&lines)


cdef bint are_better_alone(cnp.ndarray array, int axis) noexcept:
    """Whether the dtype's function sorts such lines faster."""
    cdef cnp.npy_intp n = cnp.PyArray_DIM(array, axis)
    if sort_of_integers == NULL or cnp.PyArray_STRIDE(array, axis) != sizeof(uint16_t):
        return False
    return n > LONGEST_ROW or n > SHORT_ROW and cnp.PyArray_SIZE(array) < n * FEW_ROWS_TO_SORT


cdef int sort_lines(cnp.ndarray array, int axis) except -1:
    cdef bint is_transposed
    cdef cnp.ndarray whole = in_one_piece(array, &axis, &is_transposed)
    cdef halfcl_lines lines = lines_along(whole, axis)
    cdef uint16_t *values = <uint16_t *>cnp.PyArray_DATA(whole)
    cdef int failed
    with nogil:
        failed = halfcl_sort_lines(ISA, values, &lines)
    if failed:
        raise MemoryError("sort: no memory for its columns")
    if cnp.PyArray_DATA(whole) != cnp.PyArray_DATA(array):
        cnp.PyArray_CopyInto(array, whole)
    return 0


cdef cnp.ndarray argsort_lines(cnp.ndarray array, int axis):
    cdef bint is_transposed
    cdef cnp.ndarray whole = in_one_piece(array, &axis, &is_transposed)
    cdef halfcl_lines lines = lines_along(whole, axis)
    cdef cnp.ndarray orders = cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(whole), cnp.PyArray_DIMS(whole), cnp.NPY_INTP, 0)
    cdef const uint16_t *values = <const uint16_t *>cnp.PyArray_DATA(whole)
    cdef cnp.npy_intp *to = <cnp.npy_intp *>cnp.PyArray_DATA(orders)
    cdef int failed
    with nogil:
        failed = halfcl_argsort_lines(ISA, values, &lines, to)
    if failed:
        raise MemoryError("argsort: no memory for its columns")
    if is_transposed:  # NumPy's results are in the order of rows
        return cnp.PyArray_NewCopy(cnp.PyArray_Transpose(orders, NULL), cnp.NPY_CORDER)
    return orders


cdef PyObject *half_sort_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *given[COUNT_OF_SORT_ARGUMENTS]
    cdef cnp.ndarray array = <cnp.ndarray>self
    cdef int axis
    memset(given, 0, sizeof(given))
    if (
        not may_have_many_lines(array)
        or not cnp.PyArray_ISWRITEABLE(array)
        or not is_plain_sort(args, nargs, names, given)
        or not read_one_axis(given[SORT_AXIS], array, &axis)
        or not has_many_lines(array, axis)
        or are_better_alone(array, axis)
    ):
        return new_reference(NotImplemented)
    sort_lines(array, axis)
    return new_reference(None)


cdef PyObject *half_argsort_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *given[COUNT_OF_SORT_ARGUMENTS]
    cdef cnp.ndarray array = <cnp.ndarray>self
    cdef int axis
    memset(given, 0, sizeof(given))
    if (
        not may_have_many_lines(array)
        or not cnp.PyArray_CheckExact(array)
        or not is_plain_sort(args, nargs, names, given)
        or given[SORT_AXIS] != NULL and <object>given[SORT_AXIS] is None
        or not read_one_axis(given[SORT_AXIS], array, &axis)
        or not has_many_lines(array, axis)
    ):
        return new_reference(NotImplemented)
    return new_reference(argsort_lines(array, axis))
