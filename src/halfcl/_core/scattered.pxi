# Elements anywhere in a buffer, each work-item's at an offset of its own: checked, loaded and
# stored. Offsets are in bytes.
# Needs: call.pxi, dtype.pxi, planes.pxi, scalar.pxi

from libc.stdint cimport int8_t, int64_t

cdef cnp.dtype INT64_DTYPE = np.dtype(np.int64)


cdef int64_t *offsets_in(cnp.ndarray offsets) except NULL:
    if cnp.PyArray_NDIM(offsets) != 1 or not is_plain(<PyObject *>offsets) or (
        cnp.PyArray_TYPE(offsets) != cnp.NPY_INT64
    ):
        raise ValueError(f"offsets: expected one axis of int64, got {offsets.dtype}, "
                         f"shape {np.shape(offsets)}")
    return <int64_t *>cnp.PyArray_DATA(offsets)


def check_offsets(
    cnp.ndarray offsets not None, int64_t last, Py_ssize_t align, mask
):
    """Return the offsets of the work-items in the mask, 0 for all others; None if one is invalid.

    Valid offsets are from 0 to last and multiples of align, a power of two. For mask None return
    the offsets themselves.
    """
    cdef cnp.ndarray active = None if mask is None else plain_mask(mask, -1), result
    cdef int64_t *source = offsets_in(offsets)
    cdef cnp.npy_intp i, n = cnp.PyArray_DIM(offsets, 0)
    cdef uint64_t outside = 0, seen = 0, at, highest = last
    cdef int64_t *kept
    cdef const uint8_t *is_active
    if last < 0:
        return None
    if mask is None:
        for i in range(n):
            at = source[i]
            seen |= at
            outside |= at > highest
        return None if outside or seen & (align - 1) else offsets
    active = plain_mask(active, n)
    is_active = <const uint8_t *>cnp.PyArray_DATA(active)
    result = new_array(1, &n, INT64_DTYPE)
    kept = <int64_t *>cnp.PyArray_DATA(result)
    for i in range(n):
        at = source[i] & -<int64_t>(is_active[i] != 0)
        kept[i] = at
        seen |= at
        outside |= at > highest
    return None if outside or seen & (align - 1) else result


cdef bint gather(
    const char *data, uint64_t last, const int64_t *offsets, Py_ssize_t n, element_bits *result
) noexcept nogil:
    """Load elements; return whether all offsets are in the data."""
    cdef Py_ssize_t i
    for i in range(n):
        if <uint64_t>offsets[i] > last:
            return False
        memcpy(&result[i], data + offsets[i], sizeof(element_bits))
    return True


cdef bint scatter(
    char *data, uint64_t last, const int64_t *offsets, const uint8_t *mask, Py_ssize_t n,
    const char *values, Py_ssize_t step, element_bits unused
) noexcept nogil:
    """Store elements; return whether all offsets are in the data.

    mask NULL: all are stored; else those outside the mask are written to a scratch place, so that
    the time does not depend on the mask.
    """
    cdef Py_ssize_t i
    cdef uint64_t unused_place, active
    cdef char *put
    for i in range(n):
        active = -<uint64_t>(mask[i] != 0) if mask else ~<uint64_t>0
        if offsets[i] & active > last:
            return False
        put = data + (offsets[i] & active)
        put = <char *>(<size_t>put & active | <size_t>&unused_place & ~active)
        memcpy(put, values + i * step, sizeof(element_bits))
    return True


cdef int64_t last_in(cnp.ndarray data, Py_ssize_t size) except? -2:
    """Return the last offset at which a vector may begin; negative: none."""
    if not cnp.PyArray_CHKFLAGS(data, cnp.NPY_ARRAY_C_CONTIGUOUS):
        raise ValueError("data: expected an array in one piece")
    return cnp.PyArray_NBYTES(data) - size


cdef object outside_error(cnp.ndarray data):
    return IndexError(f"places outside of {cnp.PyArray_NBYTES(data)} bytes")


def load_scattered(
    cnp.ndarray data not None, cnp.ndarray offsets not None, cnp.dtype dtype not None,
    Py_ssize_t width
):
    """Return a new array of the vectors at these offsets, shape (width, offsets).

    width 0: numbers, shape (offsets,).
    """
    cdef int size = size_class(dtype)
    cdef Py_ssize_t row, rows = width or 1
    cdef cnp.npy_intp shape[2]
    cdef int64_t *places = offsets_in(offsets)
    cdef bint is_right = True
    if width < 0 or width > 16:
        raise ValueError(f"width: expected 0 to 16, got {width}")
    cdef int64_t last = last_in(data, rows << size)
    shape[0], shape[1] = rows, cnp.PyArray_DIM(offsets, 0)
    if last < 0 and shape[1]:
        raise outside_error(data)
    cdef cnp.ndarray result = new_array(2 if width else 1, &shape[0 if width else 1], dtype)
    cdef char *to = <char *>cnp.PyArray_DATA(result)
    cdef const char *start = <const char *>cnp.PyArray_DATA(data)
    for row in range(rows):
        if size == 0:
            is_right = gather(start, last, places, shape[1], <uint8_t *>to)
        elif size == 1:
            is_right = gather(start, last, places, shape[1], <uint16_t *>to)
        elif size == 2:
            is_right = gather(start, last, places, shape[1], <uint32_t *>to)
        else:
            is_right = gather(start, last, places, shape[1], <uint64_t *>to)
        if not is_right:
            raise outside_error(data)
        start += 1 << size
        to += shape[1] << size
    return result


def store_scattered(
    cnp.ndarray data not None, cnp.ndarray offsets not None, cnp.ndarray values not None,
    Py_ssize_t width, mask
):
    """Store the values of the work-items in the mask; of equal offsets the last one's remains.

    values: shape (width or 1, offsets or 1); with width 0 (offsets or 1,).
    """
    cdef int size = size_class(<cnp.dtype>cnp.PyArray_DESCR(values))
    cdef Py_ssize_t row, rows = width or 1
    cdef int axes = 2 if width else 1
    cdef cnp.ndarray active = None if mask is None else plain_mask(mask, -1)
    if not are_separate(data, values):
        values = values.copy()
    cdef int64_t *places = offsets_in(offsets)
    cdef cnp.npy_intp n = cnp.PyArray_DIM(offsets, 0)
    active = None if active is None else plain_mask(active, n)
    cdef bint is_right = True
    if width < 0 or width > 16:
        raise ValueError(f"width: expected 0 to 16, got {width}")
    if cnp.PyArray_NDIM(values) != axes:
        raise ValueError(f"values: expected {axes} axes, got shape {np.shape(values)}")
    if not cnp.PyArray_ISWRITEABLE(data):
        raise ValueError("data: expected a writable array")
    cdef int64_t last = last_in(data, rows << size)
    if last < 0 and n:
        raise outside_error(data)
    cdef Py_ssize_t step = step_along(values, axes - 1, n)
    cdef Py_ssize_t along = step_along(values, 0, rows) if width else 0
    cdef const uint8_t *who = NULL if active is None else <const uint8_t *>cnp.PyArray_DATA(active)
    cdef char *start = <char *>cnp.PyArray_DATA(data)
    cdef const char *taken = <const char *>cnp.PyArray_DATA(values)
    for row in range(rows):
        if size == 0:
            is_right = scatter(start, last, places, who, n, taken, step, <uint8_t>0)
        elif size == 1:
            is_right = scatter(start, last, places, who, n, taken, step, <uint16_t>0)
        elif size == 2:
            is_right = scatter(start, last, places, who, n, taken, step, <uint32_t>0)
        else:
            is_right = scatter(start, last, places, who, n, taken, step, <uint64_t>0)
        if not is_right:
            raise outside_error(data)
        start += 1 << size
        taken += along


# ---------------------------------------------------------------- indices

ctypedef fused index_number:
    int8_t
    uint8_t
    int16_t
    uint16_t
    int32_t
    uint32_t
    int64_t


cdef void step_each(
    const int64_t *start, Py_ssize_t of_start, int64_t size, int64_t furthest, int64_t *result,
    Py_ssize_t n, const index_number *index
) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t at
    for i in range(n):
        at = <int64_t>index[i]
        if sizeof(index_number) == 8:
            at = furthest if at > furthest else -furthest if at < -furthest else at
        result[i] = start[i * of_start] + at * size


def add_indices(start, cnp.ndarray index not None, int64_t size, int64_t furthest):
    """Return start + index * size, a new array of int64.

    start: an int, or an array of int64 as long as index; one element of either is broadcast.
    Indices of 64 bits are signed, and clipped to -furthest and furthest.
    """
    cdef int64_t of_all = 0
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(index)
    cdef Py_ssize_t of_start = 0
    cdef const int64_t *begin = &of_all
    index = np.asarray(index)
    if isinstance(start, cnp.ndarray):
        start = np.ascontiguousarray(start)
        begin = offsets_in(start)
        if cnp.PyArray_DIM(start, 0) != 1:
            of_start = 1
            if n == 1:
                index = np.broadcast_to(index, cnp.PyArray_DIM(start, 0))
                n = cnp.PyArray_DIM(start, 0)
            elif n != cnp.PyArray_DIM(start, 0):
                raise ValueError(f"start: expected {n} elements, got {len(start)}")
    else:
        of_all = start
    index = np.ascontiguousarray(index)
    cdef int kind = cnp.PyArray_TYPE(index)
    cdef Py_ssize_t bytes_of = cnp.PyArray_ITEMSIZE(index)
    cdef bint is_signed = cnp.PyTypeNum_ISSIGNED(kind)
    if not cnp.PyTypeNum_ISINTEGER(kind) or cnp.PyArray_ISBYTESWAPPED(index):
        raise TypeError(f"index: expected integers, got {index.dtype}")
    cdef cnp.ndarray result = new_array(1, &n, INT64_DTYPE)
    cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(result)
    cdef const void *numbers = cnp.PyArray_DATA(index)
    if bytes_of == 8:
        step_each(begin, of_start, size, furthest, to, n, <const int64_t *>numbers)
    elif bytes_of == 4 and is_signed:
        step_each(begin, of_start, size, furthest, to, n, <const int32_t *>numbers)
    elif bytes_of == 4:
        step_each(begin, of_start, size, furthest, to, n, <const uint32_t *>numbers)
    elif bytes_of == 2 and is_signed:
        step_each(begin, of_start, size, furthest, to, n, <const int16_t *>numbers)
    elif bytes_of == 2:
        step_each(begin, of_start, size, furthest, to, n, <const uint16_t *>numbers)
    elif is_signed:
        step_each(begin, of_start, size, furthest, to, n, <const int8_t *>numbers)
    else:
        step_each(begin, of_start, size, furthest, to, n, <const uint8_t *>numbers)
    return result
