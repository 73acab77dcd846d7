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
    cnp.ndarray array, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **parsed
) except -1:
    """Return whether the call passes only an axis, and the array has elements."""
    if not cnp.PyArray_CheckExact(array) or cnp.PyArray_SIZE(array) == 0:
        return False
    if nargs > EXTREME_KEEPDIMS or not read_optional_arguments(
        EXTREME_ARGUMENTS, args, nargs, names, parsed
    ):
        return False
    return (
        (parsed[EXTREME_OUT] == NULL or <object>parsed[EXTREME_OUT] is None)
        and (parsed[EXTREME_KEEPDIMS] == NULL or <object>parsed[EXTREME_KEEPDIMS] is False)
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
    """Return the indices along an axis; None if the lines are longer than columns may be."""
    cdef bint is_transposed
    cdef cnp.ndarray whole = in_one_piece(array, &axis, &is_transposed), result
    cdef halfcl_lines lines = lines_along(whole, axis)
    cdef cnp.npy_intp shape[MAX_DIMENSIONS]
    cdef int k, ndim = cnp.PyArray_NDIM(array)
    if lines.inner > 1 and lines.n > HALFCL_LONGEST_LINE:
        return None
    for k in range(ndim - 1):
        shape[k] = cnp.PyArray_DIM(whole, k if k < axis else k + 1)
    result = cnp.PyArray_EMPTY(ndim - 1, shape, cnp.NPY_INTP, 0)
    find_extremes(whole, &lines, greatest, <cnp.npy_intp *>cnp.PyArray_DATA(result))
    if is_transposed and ndim > 2:  # NumPy's results are in the order of rows
        return cnp.PyArray_NewCopy(cnp.PyArray_Transpose(result, NULL), cnp.NPY_CORDER)
    return result


cdef PyObject *half_extremes(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names, bint greatest
) except NULL:
    cdef PyObject *parsed[COUNT_OF_EXTREME_ARGUMENTS]
    cdef cnp.ndarray array = <cnp.ndarray>self
    cdef PyObject *axis_argument
    cdef int axis
    memset(parsed, 0, sizeof(parsed))
    if not has_plain_extremes(array, args, nargs, names, parsed):
        return new_reference(NotImplemented)
    axis_argument = parsed[EXTREME_AXIS]
    if axis_argument == NULL or <object>axis_argument is None:
        return new_reference(extreme_of_all(array, greatest))
    if not read_one_axis(axis_argument, array, &axis):
        return new_reference(NotImplemented)
    if cnp.PyArray_NDIM(array) == 1:
        return new_reference(extreme_of_all(array, greatest))
    result = extremes_along(array, axis, greatest)
    return new_reference(NotImplemented if result is None else result)


cdef PyObject *half_argmax_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return half_extremes(self, args, nargs, names, True)


cdef PyObject *half_argmin_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    return half_extremes(self, args, nargs, names, False)
