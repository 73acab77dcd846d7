# ndarray.sort and ndarray.argsort of half, and of float16 while accelerate() is on. NumPy would
# call the dtype's function for each line, however short; NumPy 2.5 no longer does so for float16,
# and has no descending order of half.
# Needs: arguments.pxi, dtype.pxi, lines.pxi, scalar.pxi, types.pxi

cdef extern from "run/sort.h" nogil:
    bint halfcl_are_many_lines(const halfcl_lines *)
    int halfcl_sort_lines(const halfcl_isa *, uint16_t *, const halfcl_lines *)
    int halfcl_argsort_lines(
        const halfcl_isa *, const uint16_t *, const halfcl_lines *, cnp.npy_intp *)

cdef tuple SORT_ARGUMENTS = ("axis", "kind", "order", "stable", "descending")
cdef enum:
    SORT_AXIS, SORT_KIND, SORT_ORDER, SORT_STABLE, SORT_DESCENDING, COUNT_OF_SORT_ARGUMENTS


cdef bint numpy_sorts_descending() except -1:
    """Return whether NumPy's own sort takes this keyword, as it does since NumPy 2.5."""
    try:
        np.zeros(1).sort(descending=True)
    except TypeError:
        return False
    return True


cdef bint NUMPY_SORTS_DESCENDING = numpy_sorts_descending()

# All sorts in this file are stable, and so suit all of NumPy's kinds.
cdef frozenset SORT_KINDS = frozenset(("quicksort", "stable", "mergesort", "heapsort"))

cdef enum:
    FEW_IN_LINES = 64  # NumPy sorts so many elements before this check is done
    FEW_TO_ARGSORT = 512  # halves, and their indices, that fit the stack; their sorts need no memory
    # Of rows by vectors: longer ones are sorted as integers one by one; so are these, if few.
    LONGEST_ROW = 32, SHORT_ROW = 16, FEW_ROWS_TO_SORT = 16


cdef inline object optional_argument(PyObject *argument):
    """Return the argument, None where it was not passed."""
    return None if argument == NULL else <object>argument


cdef bint is_plain_sort(
    PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **parsed, bint *descending
) except -1:
    """Return whether NumPy accepts such a sort for any dtype: else it raises its own error.

    Nothing may be read from the array before: the truth of `descending` may be code of the user's.
    """
    if nargs > SORT_STABLE or not read_optional_arguments(
        SORT_ARGUMENTS, args, nargs, names, parsed
    ):
        return False
    if parsed[SORT_DESCENDING] != NULL and not NUMPY_SORTS_DESCENDING:
        return False
    if optional_argument(parsed[SORT_ORDER]) is not None:
        return False
    kind, stable = optional_argument(parsed[SORT_KIND]), optional_argument(parsed[SORT_STABLE])
    direction = optional_argument(parsed[SORT_DESCENDING])
    if stable is not None and type(stable) is not bool:
        return False
    descending[0] = direction is not None and bool(direction)
    if stable is not None or direction is not None:  # NumPy refuses them together with a kind
        return kind is None
    return kind is None or (type(kind) is str and kind in SORT_KINDS)


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
    """Return whether the dtype's function sorts such lines faster."""
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


# ---------------------------------------------------------------- lines one by one

cdef cnp.ndarray contiguous_lines(cnp.ndarray array, int axis):
    """Return the array with this axis last: a view of it if its lines follow each other."""
    cdef cnp.ndarray lines = cnp.PyArray_SwapAxes(array, axis, cnp.PyArray_NDIM(array) - 1)
    if cnp.PyArray_ISCARRAY_RO(lines):
        return lines
    return cnp.PyArray_FROMANY(
        lines, cnp.PyArray_TYPE(array), 0, 0, cnp.NPY_ARRAY_CARRAY | cnp.NPY_ARRAY_ENSURECOPY)


cdef int sort_one_by_one(cnp.ndarray array, int axis) except -1:
    cdef cnp.ndarray lines = contiguous_lines(array, axis)
    cdef uint16_t *values = <uint16_t *>cnp.PyArray_DATA(lines)
    cdef cnp.npy_intp n = cnp.PyArray_DIM(array, axis), k
    cdef cnp.npy_intp count = cnp.PyArray_SIZE(array) // n
    cdef int failed = 0
    with nogil:
        for k in range(count):
            failed |= half_sort(values + k * n, n, NULL)
    if failed:
        raise MemoryError("sort: no memory for a line's copy")
    if cnp.PyArray_DATA(lines) != cnp.PyArray_DATA(array):
        cnp.PyArray_CopyInto(
            array, cnp.PyArray_SwapAxes(lines, axis, cnp.PyArray_NDIM(array) - 1))
    return 0


cdef cnp.npy_intp offset_of_line(cnp.ndarray array, int axis, cnp.npy_intp k) noexcept nogil:
    """Return the offset in bytes of the k-th line along an axis."""
    cdef cnp.npy_intp offset = 0
    cdef int other
    for other in reversed(range(cnp.PyArray_NDIM(array))):
        if other != axis:
            offset += k % cnp.PyArray_DIM(array, other) * cnp.PyArray_STRIDE(array, other)
            k //= cnp.PyArray_DIM(array, other)
    return offset


cdef cnp.ndarray argsort_few(cnp.ndarray array, int axis):
    """Return the orders of few native halves of any layout, whose lines are copied one by one."""
    cdef uint16_t line[FEW_TO_ARGSORT]
    cdef cnp.npy_intp order[FEW_TO_ARGSORT]
    cdef cnp.ndarray orders = cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.NPY_INTP, 0)
    cdef cnp.npy_intp n = cnp.PyArray_DIM(array, axis), k, i
    cdef const char *values
    cdef char *to
    for k in range(cnp.PyArray_SIZE(array) // n):
        values = cnp.PyArray_BYTES(array) + offset_of_line(array, axis, k)
        to = cnp.PyArray_BYTES(orders) + offset_of_line(orders, axis, k)
        for i in range(n):
            line[i] = (<const uint16_t *>(values + i * cnp.PyArray_STRIDE(array, axis)))[0]
            order[i] = i
        half_argsort(line, order, n, NULL)
        for i in range(n):
            (<cnp.npy_intp *>(to + i * cnp.PyArray_STRIDE(orders, axis)))[0] = order[i]
    return orders


cdef cnp.ndarray argsort_one_by_one(cnp.ndarray array, int axis):
    if cnp.PyArray_SIZE(array) <= FEW_TO_ARGSORT and cnp.PyArray_ISBEHAVED_RO(array):
        return argsort_few(array, axis)
    cdef cnp.ndarray lines = contiguous_lines(array, axis)
    cdef cnp.ndarray orders = cnp.PyArray_EMPTY(
        cnp.PyArray_NDIM(lines), cnp.PyArray_DIMS(lines), cnp.NPY_INTP, 0)
    cdef const uint16_t *values = <const uint16_t *>cnp.PyArray_DATA(lines)
    cdef cnp.npy_intp *to = <cnp.npy_intp *>cnp.PyArray_DATA(orders)
    cdef cnp.npy_intp n = cnp.PyArray_DIM(array, axis), k, i
    cdef cnp.npy_intp count = cnp.PyArray_SIZE(array) // n
    cdef int failed = 0
    with nogil:
        for k in range(count):
            for i in range(n):
                to[k * n + i] = i
            failed |= half_argsort(<void *>(values + k * n), to + k * n, n, NULL)
    if failed:
        raise MemoryError("argsort: no memory for a line's copy")
    if axis == cnp.PyArray_NDIM(array) - 1:
        return orders
    return cnp.PyArray_NewCopy(
        cnp.PyArray_SwapAxes(orders, axis, cnp.PyArray_NDIM(array) - 1), cnp.NPY_CORDER)


# ---------------------------------------------------------------- any lines

cdef int sort_along(cnp.ndarray array, int axis) except -1:
    """Sort each line along the axis in place. Stable."""
    if cnp.PyArray_SIZE(array) == 0:
        return 0
    if has_many_lines(array, axis) and not are_better_alone(array, axis):
        return sort_lines(array, axis)
    return sort_one_by_one(array, axis)


cdef cnp.ndarray argsort_along(cnp.ndarray array, int axis):
    """Return the order of each line along the axis. Stable."""
    if cnp.PyArray_SIZE(array) == 0:
        return cnp.PyArray_EMPTY(
            cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.NPY_INTP, 0)
    if has_many_lines(array, axis):
        return argsort_lines(array, axis)
    return argsort_one_by_one(array, axis)


cdef cnp.ndarray negated_numbers(cnp.ndarray array):
    """Return a native copy whose ascending order is the array's descending one.

    NaNs, which are last in both, stay as they are.
    """
    cdef cnp.ndarray copy = cnp.PyArray_FROMANY(
        array, cnp.PyArray_TYPE(array), 0, 0, cnp.NPY_ARRAY_CARRAY | cnp.NPY_ARRAY_ENSURECOPY)
    cdef uint16_t *values = <uint16_t *>cnp.PyArray_DATA(copy)
    cdef cnp.npy_intp k
    for k in range(cnp.PyArray_SIZE(copy)):
        values[k] ^= 0x8000 if (values[k] & 0x7FFF) <= 0x7C00 else 0
    return copy


cdef cnp.ndarray as_class_of(cnp.ndarray array, cnp.ndarray orders):
    """Return orders in the class of the array that was sorted, as NumPy's own argsort does."""
    if cnp.PyArray_CheckExact(array):
        return orders
    cdef cnp.ndarray result = cnp.PyArray_New(
        <type>Py_TYPE(array), cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array),
        cnp.NPY_INTP, NULL, NULL, 0, 0, array)
    cnp.PyArray_CopyInto(result, orders)
    return result


cdef PyObject *half_sort_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[COUNT_OF_SORT_ARGUMENTS]
    cdef cnp.ndarray array = <cnp.ndarray>self, negated
    cdef int axis
    cdef bint descending
    memset(parsed, 0, sizeof(parsed))
    if (
        not is_plain_sort(args, nargs, names, parsed, &descending)
        or cnp.PyArray_NDIM(array) == 0
        or not cnp.PyArray_ISWRITEABLE(array)
        or not read_one_axis(parsed[SORT_AXIS], array, &axis)
    ):
        return new_reference(NotImplemented)
    if descending:
        negated = negated_numbers(array)
        sort_along(negated, axis)
        cnp.PyArray_CopyInto(array, negated_numbers(negated))
    else:
        sort_along(array, axis)
    return new_reference(None)


cdef PyObject *half_argsort_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef PyObject *parsed[COUNT_OF_SORT_ARGUMENTS]
    cdef cnp.ndarray array = <cnp.ndarray>self
    cdef int axis
    cdef bint descending
    memset(parsed, 0, sizeof(parsed))
    if not is_plain_sort(args, nargs, names, parsed, &descending):
        return new_reference(NotImplemented)
    if parsed[SORT_AXIS] != NULL and <object>parsed[SORT_AXIS] is None:
        array, parsed[SORT_AXIS] = cnp.PyArray_Ravel(array, cnp.NPY_CORDER), NULL
    if cnp.PyArray_NDIM(array) == 0 or not read_one_axis(
        parsed[SORT_AXIS], array, &axis
    ):
        return new_reference(NotImplemented)
    orders = argsort_along(negated_numbers(array) if descending else array, axis)
    return new_reference(as_class_of(array, orders))
