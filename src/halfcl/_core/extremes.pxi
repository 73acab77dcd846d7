# ndarray.argmax and ndarray.argmin of half, and of float16 while accelerate() is on: NumPy would
# call the dtype's function for each line.
# Needs: arguments.pxi, dtype.pxi, lines.pxi, scalar.pxi, types.pxi

cdef extern from "run/sort.h" nogil:
    void halfcl_extremes_of_lines(
        const halfcl_isa *, const halfcl_kernel *, const uint16_t *, const halfcl_lines *, bint,
        cnp.npy_intp *)

cdef tuple EXTREME_ARGUMENTS = ("axis", "out", "keepdims")
cdef enum:
    EXTREME_AXIS, EXTREME_OUT, EXTREME_KEEPDIMS, COUNT_OF_EXTREME_ARGUMENTS

cdef cnp.dtype INTP = np.dtype(np.intp)


cdef bint has_plain_extremes(
    cnp.ndarray array, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **given
) except -1:
    """Whether the method is called with nothing but an axis, of an array that has elements."""
    if not cnp.PyArray_CheckExact(array) or cnp.PyArray_SIZE(array) == 0:
        return False
    if nargs > EXTREME_KEEPDIMS or not read_optional_arguments(
        EXTREME_ARGUMENTS, args, nargs, names, given
    ):
        return False
    return (
        (given[EXTREME_OUT] == NULL or <object>given[EXTREME_OUT] is None)
        and (given[EXTREME_KEEPDIMS] == NULL or <object>given[EXTREME_KEEPDIMS] is False)
    )


cdef void find_extremes(
    cnp.ndarray array, const halfcl_lines *lines, bint greatest, cnp.npy_intp *indices
) noexcept:
    cdef const uint16_t *values = <const uint16_t *>cnp.PyArray_DATA(array)
    if cnp.PyArray_SIZE(array) < RELEASE_GIL_OF_LINES:
        halfcl_extremes_of_lines(ISA, RANGE, values, lines, greatest, indices)
        return
    with nogil:
        halfcl_extremes_of_lines(ISA, RANGE, values, lines, greatest, indices)


cdef object extreme_of_all(cnp.ndarray array, bint greatest):
    cdef cnp.npy_intp index
    cdef halfcl_lines lines
    if not cnp.PyArray_ISCARRAY_RO(array):
        array = cnp.PyArray_FROMANY(array, cnp.PyArray_TYPE(array), 0, 0, cnp.NPY_ARRAY_CARRAY_RO)
    lines.outer, lines.n, lines.inner = 1, cnp.PyArray_SIZE(array), 1
    find_extremes(array, &lines, greatest, &index)
    return PyArray_Scalar(&index, INTP, None)


cdef object extremes_along(cnp.ndarray array, int axis, bint greatest):
    """None if the lines are longer than columns may be."""
    cdef bint is_transposed
    cdef cnp.ndarray whole = in_one_piece(array, &axis, &is_transposed), found
    cdef halfcl_lines lines = lines_along(whole, axis)
    cdef cnp.npy_intp shape[MAX_DIMENSIONS]
    cdef int k, ndim = cnp.PyArray_NDIM(array)
    if lines.inner > 1 and lines.n > HALFCL_LONGEST_LINE:
        return None
    for k in range(ndim - 1):
        shape[k] = cnp.PyArray_DIM(whole, k if k < axis else k + 1)
    found = cnp.PyArray_EMPTY(ndim - 1, shape, cnp.NPY_INTP, 0)
    find_extremes(whole, &lines, greatest, <cnp.npy_intp *>cnp.PyArray_DATA(found))
    if is_transposed and ndim > 2:  # NumPy's results are in the order of rows
        return cnp.PyArray_NewCopy(cnp.PyArray_Transpose(found, NULL), cnp.NPY_CORDER)
    return found


cdef PyObject *half_extremes(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names, bint greatest
) except NULL:
    cdef PyObject *given[COUNT_OF_EXTREME_ARGUMENTS]
    cdef cnp.ndarray array = <cnp.ndarray>self
    cdef PyObject *given_axis
    cdef int axis
    memset(given, 0, sizeof(given))
    if not has_plain_extremes(array, args, nargs, names, given):
        return new_reference(NotImplemented)
    given_axis = given[EXTREME_AXIS]
    if given_axis == NULL or <object>given_axis is None:
        return new_reference(extreme_of_all(array, greatest))
    if not read_one_axis(given_axis, array, &axis):
        return new_reference(NotImplemented)
    if cnp.PyArray_NDIM(array) == 1:
        return new_reference(extreme_of_all(array, greatest))
    found = extremes_along(array, axis, greatest)
    return new_reference(NotImplemented if found is None else found)


cdef PyObject *half_argmax_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return half_extremes(self, args, nargs, names, True)


cdef PyObject *half_argmin_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return half_extremes(self, args, nargs, names, False)
