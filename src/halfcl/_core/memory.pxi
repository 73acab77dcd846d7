# Loads and stores: what their usual calls are about, in less time than a conversion takes.
# Needs: call.pxi, scalar.pxi, types.pxi, vector.pxi

ctypedef cnp.npy_intp Offset


cdef Offset plain_offset(object offset):
    """A Python int as an offset; -1 if it can be none."""
    cdef int overflow = 0
    if type(offset) is not int:
        return -1
    cdef long long number = PyLong_AsLongLongAndOverflow(offset, &overflow)
    return -1 if overflow or number < 0 else number


cdef object part_of_buffer(object p, Offset offset, Py_ssize_t width, int ndim,
                           const cnp.npy_intp *shape):
    """The part of p, in that shape, that starts at an offset of vectors; None if p has none.

    None, too, if p is no plain one-dimensional array of half.
    """
    if not is_plain(<PyObject *>p) or engine_type(cnp.PyArray_TYPE(<cnp.ndarray>p)) != HALFCL_HALF:
        return None
    cdef cnp.ndarray buffer = <cnp.ndarray>p
    cdef Py_ssize_t size = 1, left = cnp.PyArray_SIZE(buffer)
    cdef int axis
    for axis in range(ndim):
        size *= shape[axis]
        if size > left:
            return None
    if cnp.PyArray_NDIM(buffer) != 1 or offset < 0 or offset > left or offset * width + size > left:
        return None
    Py_INCREF(HALF)  # PyArray_NewFromDescr takes it over
    part = PyArray_NewFromDescr(
        <PyTypeObject *>cnp.ndarray, HALF, ndim, shape, NULL,
        cnp.PyArray_BYTES(buffer) + offset * width * 2,
        cnp.PyArray_FLAGS(buffer) & cnp.NPY_ARRAY_WRITEABLE, None)
    Py_INCREF(buffer)  # PyArray_SetBaseObject takes it over
    PyArray_SetBaseObject(part, buffer)
    return part


def part_to_load(object offset, object p, Py_ssize_t width, object out):
    """A view of the vectors (of scalars, if width is 0) of p at an int or a range of step 1.

    None if offset, p and out, an array of float if any, are not as plain as that, or wrong.
    """
    cdef cnp.npy_intp[2] shape
    cdef int ndim = 0
    if type(offset) is range:
        if offset.step != 1:
            return None
        shape[0] = max(0, plain_offset(offset.stop) - plain_offset(offset.start))
        ndim = 1
        offset = offset.start
    if width:
        shape[ndim] = width
        ndim += 1
    part = part_of_buffer(p, plain_offset(offset), width or 1, ndim, shape)
    if part is None or out is None or is_usable(
        <PyObject *>out, dtype_of_type(HALFCL_FLOAT), ndim, shape
    ):
        return part
    return None


def part_to_store(object data, object offset, object p, Py_ssize_t width):
    """A view, in the shape of data, of the vectors of p from an int on.

    None if data, float or double, offset and p are not as plain as that, or wrong.
    """
    if not is_plain(<PyObject *>data):
        return None
    cdef cnp.ndarray array = <cnp.ndarray>data
    if engine_type(cnp.PyArray_TYPE(array)) not in (HALFCL_FLOAT, HALFCL_DOUBLE):
        return None
    cdef int ndim = cnp.PyArray_NDIM(array)
    if width and cnp.PyArray_DIM(array, ndim - 1) != width:
        return None
    part = part_of_buffer(p, plain_offset(offset), width or 1, ndim, cnp.PyArray_DIMS(array))
    return part if part is not None and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>part) else None


def are_consecutive(cnp.ndarray offsets not None):
    """Whether each of some intp, in one piece of memory, is one more than the last."""
    if cnp.PyArray_TYPE(offsets) != cnp.NPY_INTP or not cnp.PyArray_IS_C_CONTIGUOUS(offsets):
        raise TypeError("offsets: expected intp in one piece of memory")
    cdef const size_t *at = <const size_t *>cnp.PyArray_DATA(offsets)  # whose sums may wrap
    cdef size_t i, count = cnp.PyArray_SIZE(offsets)
    for i in range(count):
        if at[i] != at[0] + i:
            return False
    return True
