# The lines of an array of halves along one of its axes, as the engine takes them.
# Needs: nothing

cdef extern from "run/sort.h" nogil:
    ctypedef struct halfcl_lines:
        size_t outer, n, inner

    enum:
        HALFCL_LONGEST_LINE

cdef enum:
    RELEASE_GIL_OF_LINES = 4096  # elements from which releasing it pays
    MAX_DIMENSIONS = 64  # of NumPy's arrays


cdef cnp.ndarray in_one_piece(cnp.ndarray array, int *axis, bint *is_transposed):
    """Return the array in native byte order and row-major: itself, its transpose, or a copy.

    The axis becomes that of the array returned.
    """
    is_transposed[0] = False
    if cnp.PyArray_ISCARRAY_RO(array):
        return array
    if cnp.PyArray_ISFARRAY_RO(array):
        is_transposed[0] = True
        axis[0] = cnp.PyArray_NDIM(array) - 1 - axis[0]
        return cnp.PyArray_Transpose(array, NULL)
    return cnp.PyArray_FROMANY(array, cnp.PyArray_TYPE(array), 0, 0, cnp.NPY_ARRAY_CARRAY_RO)


cdef halfcl_lines lines_along(cnp.ndarray array, int axis) noexcept:
    """Return the lines of an array in one piece along an axis."""
    cdef halfcl_lines lines
    cdef int k
    lines.outer, lines.n, lines.inner = 1, cnp.PyArray_DIM(array, axis), 1
    for k in range(cnp.PyArray_NDIM(array)):
        if k < axis:
            lines.outer *= cnp.PyArray_DIM(array, k)
        elif k > axis:
            lines.inner *= cnp.PyArray_DIM(array, k)
    return lines
