# Loads, stores and choices of code over many work-items: vectors that lie in a buffer one by one
# and in arrays component by component, and elements of two arrays selected by a mask. Elements are
# moved as bits, whatever their dtype.
# Needs: call.pxi, scalar.pxi, types.pxi

from libc.stdint cimport uint8_t, uint32_t

cdef cnp.dtype TRUTH_DTYPE = np.dtype(np.bool_)

cdef enum:
    MAX_LEVELS = 8  # nested loops that places in a buffer are computed by
    SHORT_RUN = 16  # copying so many elements one by one is faster than a kernel
    MAX_WORDWISE = 128  # bytes that are copied faster in words than by memcpy

# Indexed by the binary logarithm of an element's size.
cdef const halfcl_kernel *copy_kernels[4]
cdef const halfcl_kernel *blend_kernels[4]
for _size, _letter in enumerate("BHIQ"):
    copy_kernels[<int>_size] = find_kernel("copy", f"{_letter}>{_letter}", HALFCL_VECTORS)
    blend_kernels[<int>_size] = find_kernel(
        "blend", f"{_letter}{_letter}?>{_letter}", HALFCL_MAP)


cdef int size_class(cnp.dtype dtype) except -1:
    cdef Py_ssize_t size = dtype.itemsize
    cdef int k
    for k in range(4):
        if size == 1 << k and not dtype.hasobject:
            return k
    raise TypeError(f"dtype: expected elements of 1, 2, 4 or 8 bytes, got {dtype}")


# Places in a buffer: base + sum of step[k] * i[k], for all 0 <= i[k] < count[k], the last fastest.
ctypedef struct Places:
    char *start
    int levels
    Py_ssize_t step[MAX_LEVELS]
    Py_ssize_t count[MAX_LEVELS]


cdef bint are_inside(const Places *places, Py_ssize_t base, Py_ssize_t size, Py_ssize_t nbytes) noexcept:
    """Return whether size bytes at each place are in a buffer."""
    cdef Py_ssize_t low = base, high = base, span
    cdef int k
    if not 0 <= base <= nbytes:
        return False
    for k in range(places.levels):
        if places.count[k] == 0:
            return True
        span = places.count[k] - 1
        if span and (places.step[k] > nbytes // span or places.step[k] < -(nbytes // span)):
            return False
        span *= places.step[k]
        low, high = low + min(span, 0), high + max(span, 0)
        if low < 0 or high > nbytes:
            return False
    return high + size <= nbytes


cdef Py_ssize_t find_places(
    Places *places, cnp.ndarray data, Py_ssize_t base, tuple steps, tuple counts, Py_ssize_t size
) except -1:
    """Fill in places, with levels that continue each other merged; return the number of places."""
    cdef Py_ssize_t total = 1
    cdef int k
    if not cnp.PyArray_CHKFLAGS(data, cnp.NPY_ARRAY_C_CONTIGUOUS):
        raise ValueError("data: expected an array in one piece")
    if len(steps) != len(counts) or not 0 < len(steps) <= MAX_LEVELS:
        raise ValueError(f"steps: expected one for each of {len(counts)} counts, got {steps}")
    places.levels = 0
    for k in range(len(steps)):
        places.step[k], places.count[k] = steps[k], counts[k]
        if places.count[k] < 0:
            raise ValueError(f"counts: expected numbers of places, got {counts}")
        total *= places.count[k]
    places.levels = len(steps)
    places.start = <char *>cnp.PyArray_DATA(data) + base  # read after steps and counts, which may run code of users
    if not are_inside(places, base, size, cnp.PyArray_NBYTES(data)):
        raise IndexError(f"places outside of {cnp.PyArray_NBYTES(data)} bytes: from {base}, "
                         f"{counts} times {steps}")
    while places.levels > 1:
        k = places.levels - 1
        if places.step[k - 1] != places.step[k] * places.count[k]:
            break
        places.step[k - 1] = places.step[k]
        places.count[k - 1] *= places.count[k]
        places.levels = k
    return total


ctypedef fused element_bits:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


# A 64-bit word with a 1 at the end of each element, indexed by the logarithm of its size.
cdef uint64_t[4] repeat_in_word = [0x0101010101010101U, 0x0001000100010001U, 0x0000000100000001U, 1U]


cdef inline void copy_row(const char *source, char *target, Py_ssize_t size) noexcept nogil:
    """Copy bytes in words: a call of memcpy takes longer than a short row."""
    cdef Py_ssize_t i = 0
    if size == 32:  # sizes known to the compiler: a few moves
        memcpy(target, source, 32)
        return
    if size == 64:
        memcpy(target, source, 64)
        return
    if size > MAX_WORDWISE:
        memcpy(target, source, size)
        return
    while i + 8 <= size:
        memcpy(target + i, source + i, 8)
        i += 8
    while i < size:
        target[i] = source[i]
        i += 1


cdef inline void fill_row(
    const char *source, char *target, Py_ssize_t n, element_bits unused
) noexcept nogil:
    """Copy one element to n places in a row, in words."""
    cdef element_bits element
    cdef uint64_t word
    cdef Py_ssize_t i = 0, size = n * <Py_ssize_t>sizeof(element_bits)
    memcpy(&element, source, sizeof(element_bits))
    word = <uint64_t>element * repeat_in_word[
        0 if sizeof(element_bits) == 1 else 1 if sizeof(element_bits) == 2
        else 2 if sizeof(element_bits) == 4 else 3]
    while i + 8 <= size:
        memcpy(target + i, &word, 8)
        i += 8
    while i < size:
        memcpy(target + i, &element, sizeof(element_bits))
        i += sizeof(element_bits)


cdef inline void load_rows(
    const char *source, Py_ssize_t step, Py_ssize_t along, Py_ssize_t rows, Py_ssize_t n,
    char *target, element_bits unused
) noexcept nogil:
    """Load rows of elements along bytes apart, each next to the other: all one if along is 0."""
    cdef Py_ssize_t row, size = n * <Py_ssize_t>sizeof(element_bits)
    for row in range(rows):
        if along:
            copy_row(source, target, size)
        else:
            fill_row(source, target, n, unused)
        source += step
        target += size


cdef void load_table(
    const halfcl_vectors *inside, char *target, Py_ssize_t step, Py_ssize_t rows, Py_ssize_t n
) noexcept nogil:
    """Load rows of single elements, which lie side by side or are one element (see `is_row`)."""
    cdef const char *source = inside.start
    if inside.component == 1:
        load_rows(source, step, inside.step, rows, n, target, <uint8_t>0)
    elif inside.component == 2:
        load_rows(source, step, inside.step, rows, n, target, <uint16_t>0)
    elif inside.component == 4:
        load_rows(source, step, inside.step, rows, n, target, <uint32_t>0)
    else:
        load_rows(source, step, inside.step, rows, n, target, <uint64_t>0)


cdef inline void copy_elements(
    const halfcl_vectors *source, const halfcl_vectors *target, Py_ssize_t n, element_bits unused
) noexcept nogil:
    cdef Py_ssize_t i, k, size = sizeof(element_bits)
    cdef const char *taken
    cdef char *put
    for k in range(<Py_ssize_t>source.width):
        taken, put = source.start + k * source.component, target.start + k * target.component
        if target.step == size and source.step == size:
            copy_row(taken, put, n * size)
            continue
        if target.step == size and source.step == 0:
            fill_row(taken, put, n, unused)
            continue
        for i in range(n):
            memcpy(put, taken, sizeof(element_bits))
            taken += source.step
            put += target.step


cdef inline bint is_row(const halfcl_vectors *inside, const halfcl_vectors *beside) noexcept nogil:
    """Return whether a row of single elements, or one of them, is loaded into a row."""
    return inside.width == 1 and beside.step == inside.component and (
        inside.step == inside.component or inside.step == 0)


cdef void copy_run(
    const halfcl_vectors *inside, const halfcl_vectors *beside, Py_ssize_t n, Py_ssize_t size,
    bint loads
) noexcept nogil:
    """Copy elements; a call of a kernel would take too long for a few."""
    cdef const halfcl_vectors *source = inside if loads else beside
    cdef const halfcl_vectors *target = beside if loads else inside
    if size == 1:
        copy_elements(source, target, n, <uint8_t>0)
    elif size == 2:
        copy_elements(source, target, n, <uint16_t>0)
    elif size == 4:
        copy_elements(source, target, n, <uint32_t>0)
    else:
        copy_elements(source, target, n, <uint64_t>0)


cdef void copy_all(
    const halfcl_kernel *kernel, const Places *places, halfcl_vectors inside,
    halfcl_vectors beside, bint loads
) noexcept nogil:
    """Copy from the places to the addresses in beside, or back."""
    cdef halfcl_vectors operands[2]
    cdef Py_ssize_t size = inside.component
    cdef Py_ssize_t at[MAX_LEVELS]
    cdef int k, last = places.levels - 1
    for k in range(places.levels):
        if places.count[k] == 0:
            return
        at[k] = 0
    inside.start, inside.step = places.start, places.step[last]
    cdef bint is_table = loads and last > 0 and is_row(&inside, &beside)
    cdef bint is_short = places.count[last] * <Py_ssize_t>inside.width <= SHORT_RUN
    cdef int upper = last - is_table  # the levels below are copied together
    cdef Py_ssize_t together = places.count[last] * (places.count[upper] if is_table else 1)
    while True:
        if is_table:
            load_table(
                &inside, beside.start, places.step[upper], places.count[upper], places.count[last])
        elif is_short:
            copy_run(&inside, &beside, places.count[last], size, loads)
        else:
            operands[not loads] = inside
            operands[loads] = beside
            halfcl_run_vectors(kernel, operands, places.count[last], HALFCL_RTE)
        beside.start += beside.step * together
        k = upper - 1
        while k >= 0:
            at[k] += 1
            inside.start += places.step[k]
            if at[k] < places.count[k]:
                break
            inside.start -= places.step[k] * places.count[k]
            at[k] = 0
            k -= 1
        if k < 0:
            return


cdef void copy_places(
    int size, const Places *places, Py_ssize_t total, Py_ssize_t rows, halfcl_vectors beside,
    bint loads
) noexcept:
    cdef halfcl_vectors inside = halfcl_vectors(NULL, 0, 1 << size, rows)
    if total * rows < RELEASE_GIL:
        copy_all(copy_kernels[size], places, inside, beside, loads)
    else:
        with nogil:
            copy_all(copy_kernels[size], places, inside, beside, loads)


def load_planes(
    cnp.ndarray data not None, Py_ssize_t base, tuple steps not None, tuple counts not None,
    cnp.dtype dtype not None, Py_ssize_t width
):
    """Return a new array of the vectors at all places of a buffer, shape (width, places).

    The places are base + sum of steps[k] * i[k] bytes from the buffer's beginning, for all 0 <=
    i[k] < counts[k], the last one fastest. width 0: numbers, shape (places,).
    """
    cdef Places places
    cdef int size = size_class(dtype)
    cdef Py_ssize_t rows = width or 1
    cdef cnp.npy_intp shape[2]
    if width < 0 or width > 16:
        raise ValueError(f"width: expected 0 to 16, got {width}")
    cdef Py_ssize_t total = find_places(&places, data, base, steps, counts, rows << size)
    shape[0], shape[1] = rows, total
    cdef cnp.ndarray result = new_array(2 if width else 1, &shape[0 if width else 1], dtype)
    cdef halfcl_vectors beside = halfcl_vectors(
        <char *>cnp.PyArray_DATA(result), 1 << size, total << size, rows)
    copy_places(size, &places, total, rows, beside, True)
    return result


cdef Py_ssize_t step_along(cnp.ndarray array, int axis, Py_ssize_t length) except? -1:
    """Return the bytes from one element along an axis to the next: 0 if one is broadcast."""
    if cnp.PyArray_DIM(array, axis) == 1:
        return 0
    if cnp.PyArray_DIM(array, axis) != length:
        raise ValueError(f"expected 1 or {length} elements along axis {axis}, "
                         f"got shape {np.shape(array)}")
    return cnp.PyArray_STRIDE(array, axis)


def store_planes(
    cnp.ndarray data not None, Py_ssize_t base, tuple steps not None, tuple counts not None,
    cnp.ndarray values not None, Py_ssize_t width
):
    """Store values, shape (width or 1, places or 1), to the places of a buffer (see `load_planes`).

    width 0: numbers, shape (places,) or (1,). Where places coincide, any of the values remains.
    """
    cdef Places places
    cdef int size = size_class(<cnp.dtype>cnp.PyArray_DESCR(values))
    cdef Py_ssize_t rows = width or 1
    cdef int axes = 2 if width else 1
    if width < 0 or width > 16:
        raise ValueError(f"width: expected 0 to 16, got {width}")
    if cnp.PyArray_NDIM(values) != axes:
        raise ValueError(f"values: expected {axes} axes, got shape {np.shape(values)}")
    if not cnp.PyArray_ISWRITEABLE(data):
        raise ValueError("data: expected a writable array")
    if not are_separate(data, values):
        values = values.copy()
    cdef Py_ssize_t total = find_places(&places, data, base, steps, counts, rows << size)
    cdef halfcl_vectors beside = halfcl_vectors(
        <char *>cnp.PyArray_DATA(values), step_along(values, axes - 1, total),
        step_along(values, 0, rows) if width else 0, rows)
    copy_places(size, &places, total, rows, beside, False)


def blend(cnp.ndarray mask not None, cnp.ndarray yes not None, cnp.ndarray no not None):
    """Return a new array: yes where the mask, shape (items,), is true, else no.

    yes and no have one dtype, and shapes (items or 1,), or (rows or 1, items or 1) both.
    """
    cdef int k, axes = cnp.PyArray_NDIM(yes)
    cdef cnp.npy_intp shape[2]
    cdef char *operands[4]
    cdef Py_ssize_t step[4]
    cdef Py_ssize_t row[3]
    cdef Py_ssize_t i, items
    if not 1 <= axes <= 2 or cnp.PyArray_NDIM(no) != axes:
        raise ValueError(f"expected 1 axis or 2 of both, got shapes {np.shape(yes)}, {np.shape(no)}")
    if cnp.PyArray_NDIM(mask) != 1 or cnp.PyArray_TYPE(mask) != cnp.NPY_BOOL:
        raise ValueError(f"mask: expected one axis of bool, got {mask.dtype}, {np.shape(mask)}")
    if cnp.PyArray_DESCR(yes) != cnp.PyArray_DESCR(no) and yes.dtype != no.dtype:
        raise TypeError(f"expected one dtype of both, got {yes.dtype} and {no.dtype}")
    cdef int size = size_class(<cnp.dtype>cnp.PyArray_DESCR(yes))
    items = cnp.PyArray_DIM(mask, 0)
    shape[0] = max(cnp.PyArray_DIM(yes, 0), cnp.PyArray_DIM(no, 0)) if axes == 2 else 1
    shape[1] = items
    cdef cnp.ndarray result = new_array(
        axes, &shape[2 - axes], <cnp.dtype>cnp.PyArray_DESCR(yes))
    for k, array in enumerate((no, yes, mask)):
        operands[k] = <char *>cnp.PyArray_DATA(<cnp.ndarray>array)
        step[k] = step_along(array, cnp.PyArray_NDIM(<cnp.ndarray>array) - 1, items)
        row[k] = step_along(array, 0, shape[0]) if axes == 2 and k < 2 else 0
    operands[3], step[3] = <char *>cnp.PyArray_DATA(result), 1 << size
    for i in range(shape[0]):
        halfcl_run(blend_kernels[size], operands, step, items, HALFCL_RTE)
        for k in range(3):
            operands[k] += row[k]
        operands[3] += items << size
    return result


# ---------------------------------------------------------------- masks

cdef inline void part_word(
    const char *mask, const char *truth, size_t size, char *yes, char *no, uint64_t *seen
) noexcept nogil:
    """Split up to eight bools, as one number: the module is compiled without vectors."""
    cdef uint64_t active = 0, true = 0, everybody = 0x0101010101010101U
    memcpy(&active, mask if mask else <const char *>&everybody, size)
    memcpy(&true, truth, size)
    true &= active
    active ^= true
    memcpy(yes, &true, size)
    memcpy(no, &active, size)
    seen[0] |= true
    seen[1] |= active


cdef void part_mask(
    const char *mask, const char *truth, Py_ssize_t n, char *yes, char *no, uint64_t *seen
) noexcept nogil:
    """Write mask and truth, mask and not truth, and whether either has any.

    mask NULL: all items.
    """
    cdef Py_ssize_t i = 0
    while i + 8 <= n:
        part_word(mask + i if mask else NULL, truth + i, 8, yes + i, no + i, seen)
        i += 8
    part_word(mask + i if mask else NULL, truth + i, n - i, yes + i, no + i, seen)


cdef cnp.ndarray plain_mask(object mask, cnp.npy_intp items):
    if not is_plain(<PyObject *>mask) or cnp.PyArray_TYPE(<cnp.ndarray>mask) != cnp.NPY_BOOL:
        mask = np.ascontiguousarray(mask, np.bool_)
    if cnp.PyArray_NDIM(<cnp.ndarray>mask) != 1 or (
        items >= 0 and cnp.PyArray_DIM(<cnp.ndarray>mask, 0) != items
    ):
        raise ValueError(f"mask: expected one axis of {items}, got shape {np.shape(mask)}")
    return <cnp.ndarray>mask


def split_mask(mask, truth):
    """Return the items of a mask where a condition is true, and the others, as masks.

    As a mask None stands for all items, False for none. Where one of the two has all of the mask's
    items it is the mask itself. A truth of one element applies to all items. This takes one pass,
    where NumPy's functions take seven.
    """
    cdef cnp.ndarray true = plain_mask(truth, -1), active, yes, no
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(true)
    cdef uint64_t[2] seen
    if n == 1:
        return (mask, False) if (<uint8_t *>cnp.PyArray_DATA(true))[0] else (False, mask)
    active = None if mask is None else plain_mask(mask, n)
    true = plain_mask(true, n)  # checked again: making an array of the mask may run code that resizes it
    yes, no = new_array(1, &n, TRUTH_DTYPE), new_array(1, &n, TRUTH_DTYPE)
    seen[0] = seen[1] = 0
    part_mask(
        NULL if active is None else <char *>cnp.PyArray_DATA(active),
        <char *>cnp.PyArray_DATA(true), n,
        <char *>cnp.PyArray_DATA(yes), <char *>cnp.PyArray_DATA(no), seen)
    if not seen[1]:
        return mask, False
    return (yes, no) if seen[0] else (False, mask)
