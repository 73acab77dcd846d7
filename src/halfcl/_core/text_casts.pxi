# Casts between half and text: NumPy's types of fixed width, and its StringDType.
# Needs: loops.pxi, regions.pxi, scalar.pxi, types.pxi

cdef extern from "numpy/arrayobject.h":
    ctypedef struct npy_string_allocator:
        pass
    ctypedef struct npy_packed_static_string:
        pass
    ctypedef struct npy_static_string:
        size_t size
        const char *buf
    ctypedef struct PyArray_StringDTypeObject:
        char has_nan_na

    npy_string_allocator *NpyString_acquire_allocator(const PyArray_StringDTypeObject *)
    void NpyString_release_allocator(npy_string_allocator *)
    int NpyString_load(npy_string_allocator *, const npy_packed_static_string *, npy_static_string *)
    int NpyString_pack(npy_string_allocator *, npy_packed_static_string *, const char *, size_t)
    int NpyString_pack_null(npy_string_allocator *, npy_packed_static_string *)

cdef object UNICODE_CLASS = type(np.dtype("U"))

# The width of NumPy's text of a float16.
cdef enum:
    TEXT_WIDTH = 32

# A half, 20016, whose shortest text has fewer digits than the one of NumPy's legacy print options,
# and that some versions of NumPy print with an exponent.
cdef uint16_t SAMPLE = 0x74E3
cdef tuple known_layout = ("", -1)  # its text, and what find_layout returned then


cdef str text_of_half(uint16_t bits, uint16_t large):
    cdef char text[HALFCL_PRINTED]
    return text[:halfcl_print(bits, large, text)].decode()


cdef int find_layout() except -2:
    """Return the least large half that NumPy prints with an exponent; -1 for unknown layouts."""
    cdef uint16_t large = 0x7C00, bits
    for bits in (0x70E2, 0x63D0, 0x5640, 0x4900):  # 10,000, 1,000, 100, 10
        if "e" in str(new_scalar(half, bits)):
            large = bits
    for bits in (SAMPLE, large - 1, large, 0x7BFF, 0x2E66, 0x068E, 0x068D, 1):
        if str(new_scalar(half, bits)) != text_of_half(bits, large):
            return -1
    return large


cdef int layout_of_texts() except -2:
    """Return what find_layout returns, with NumPy's present print options."""
    global known_layout
    cdef tuple layout = known_layout
    cdef str text = str(new_scalar(half, SAMPLE))
    if text != layout[0]:
        layout = text, find_layout()
        known_layout = layout
    return layout[1]


cdef size_t print_half(uint16_t bits, int large, char *text) except? 0:
    """Write the half's text, of at most TEXT_WIDTH characters; return how many there are."""
    cdef bytes unusual
    if large >= 0:
        return halfcl_print(bits, <uint16_t>large, text)
    unusual = str(new_scalar(half, bits)).encode("ascii")
    memcpy(text, <const char *>unusual, min(len(unusual), TEXT_WIDTH))
    return min(len(unusual), TEXT_WIDTH)


cdef void put_text(
    const char *text, size_t length, char *to, size_t size, bint wide
) noexcept nogil:
    """Write a text, cut or filled with NULs to size bytes."""
    cdef cnp.npy_uint32 c
    cdef size_t i, width = sizeof(c) if wide else 1
    length = min(length, size // width)
    if wide:
        for i in range(length):
            c = <unsigned char>text[i]
            memcpy(to + width * i, &c, sizeof(c))
    else:
        memcpy(to, text, length)
    memset(to + width * length, 0, size - width * length)


cdef int half_to_text_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef PyArray_Descr_fields *dtype = <PyArray_Descr_fields *>context.descriptors[1]
    cdef bint wide = dtype.type_num == cnp.NPY_UNICODE
    cdef int large = layout_of_texts()
    cdef char text[TEXT_WIDTH]
    cdef uint16_t bits
    cdef cnp.npy_intp i
    for i in range(dimensions[0]):
        memcpy(&bits, data[0] + i * strides[0], sizeof(bits))
        put_text(text, print_half(bits, large, text), data[1] + i * strides[1], dtype.elsize, wide)
    return 0


cdef enum:
    MOST_QUICK = 64  # characters of a text that is read without an object


cdef bint read_ascii(
    const char *text, size_t length, int mode, uint16_t *bits, unsigned *flags
) noexcept nogil:
    """Read the half that a text spells; return False if that needs a closer look.

    What overflows does, since exceptions depend on whether double overflows, too.

    mode: of loops; see mode_of_number.
    """
    cdef double value
    cdef unsigned raised = 0
    if length == 0 or halfcl_parse(text, length, &value) != length:
        return False
    bits[0] = halfcl_from_double(value, mode_of_number_nogil(mode, value), &raised)
    if raised & HALFCL_OVERFLOW:
        return False
    flags[0] |= raised
    return True


cdef size_t narrow_text(const char *text, size_t size, bint wide, char *to) noexcept nogil:
    """Write a text without the NULs at its end as ASCII; return its length, 0 if it is not short.
    """
    cdef cnp.npy_uint32 c = 0
    cdef size_t i, width = sizeof(c) if wide else 1, length = size // width
    while length > 0:
        memcpy(&c, text + width * (length - 1), width)
        if c != 0:
            break
        length -= 1
    if length > MOST_QUICK:
        return 0
    for i in range(length):
        memcpy(&c, text + width * i, width)
        if c > 0x7F:
            return 0
        to[i] = <char>c
    return length


cdef object text_at(const char *at, const PyArray_Descr_fields *dtype):
    """Return an element of NumPy's text as a str or bytes."""
    text = at[:dtype.elsize]
    if dtype.type_num == cnp.NPY_UNICODE:
        return text.decode("utf-32-le").rstrip("\0")
    return text.rstrip(b"\0")


cdef int text_to_half_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef PyArray_Descr_fields *dtype = <PyArray_Descr_fields *>context.descriptors[0]
    cdef bint wide = dtype.type_num == cnp.NPY_UNICODE
    cdef LoopData *loop = <LoopData *>auxdata
    cdef char short_text[MOST_QUICK]
    cdef const char *at
    cdef uint16_t bits = 0
    cdef unsigned flags = 0
    cdef cnp.npy_intp i
    for i in range(dimensions[0]):
        at = data[0] + i * strides[0]
        if not read_ascii(
            short_text, narrow_text(at, dtype.elsize, wide, short_text), loop.mode, &bits, &flags
        ):
            text = text_at(at, dtype)
            bits = bits_of_text(text, mode_of_number(loop.mode, double_of(text)), &flags)
        memcpy(data[1] + i * strides[1], &bits, sizeof(bits))
    halfcl_raise(flags)
    return 0


cdef void resolve_to(object target, PyObject **resolved) noexcept:
    """Write the dtypes of a cast from half: references of the caller."""
    Py_INCREF(HALF)
    Py_INCREF(target)
    resolved[0], resolved[1] = <PyObject *>HALF, <PyObject *>target


cdef cnp.NPY_CASTING resolve_text(
    void *method, PyArray_DTypeMeta *const *dtypes, PyArray_Descr_fields *const *requested,
    PyObject **resolved, cnp.npy_intp *view_offset
) except <cnp.NPY_CASTING>-1:
    """Find the dtype for casts from half to text: wide enough for every half, or as requested."""
    cdef bint wide = <PyObject *>dtypes[1] == <PyObject *>UNICODE_CLASS
    if requested[1] == NULL:
        text = np.dtype(f"U{TEXT_WIDTH}" if wide else f"S{TEXT_WIDTH}")
    else:
        text = (<object><PyObject *>requested[1]).newbyteorder("=")
    resolve_to(text, resolved)
    fits = text.itemsize >= TEXT_WIDTH * (4 if wide else 1)
    return cnp.NPY_SAFE_CASTING if fits else cnp.NPY_SAME_KIND_CASTING


# ---------------------------------------------------------------- StringDType

cdef int pack_half(
    uint16_t bits, npy_string_allocator *allocator, npy_packed_static_string *to,
    bint nan_is_missing, int large
) except -1:
    """Write the half's shortest text; or a missing string for NaN."""
    cdef char text[TEXT_WIDTH]
    cdef size_t length = print_half(bits, large, text)
    cdef int failed
    if nan_is_missing and (bits & 0x7FFF) > 0x7C00:
        failed = NpyString_pack_null(allocator, to)
    else:
        failed = NpyString_pack(allocator, to, text, length)
    if failed:
        raise MemoryError("halfcl: no room for the text of a half")
    return 0


cdef int half_to_string_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef PyArray_StringDTypeObject *dtype = <PyArray_StringDTypeObject *>context.descriptors[1]
    cdef int large = layout_of_texts()
    cdef npy_string_allocator *allocator = NpyString_acquire_allocator(dtype)
    cdef uint16_t bits
    cdef cnp.npy_intp i
    try:
        for i in range(dimensions[0]):
            memcpy(&bits, data[0] + i * strides[0], sizeof(bits))
            pack_half(bits, allocator, <npy_packed_static_string *>(data[1] + i * strides[1]),
                      dtype.has_nan_na, large)
    finally:
        NpyString_release_allocator(allocator)
    return 0


cdef uint16_t half_of_string(
    npy_string_allocator *allocator, const npy_packed_static_string *packed, int mode,
    unsigned *flags
) except? 0:
    cdef npy_static_string text
    cdef uint16_t bits = 0
    cdef int missing = NpyString_load(allocator, packed, &text)
    if missing < 0:
        raise MemoryError("halfcl: a string could not be loaded")
    if missing:
        raise ValueError("Arrays with missing data cannot be converted to a non-nullable type")
    if read_ascii(text.buf, text.size, mode, &bits, flags):
        return bits
    spelled = text.buf[:text.size].decode()
    return bits_of_text(spelled, mode_of_number(mode, double_of(spelled)), flags)


cdef int string_to_half_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef LoopData *loop = <LoopData *>auxdata
    cdef npy_string_allocator *allocator = NpyString_acquire_allocator(
        <PyArray_StringDTypeObject *>context.descriptors[0])
    cdef uint16_t bits
    cdef unsigned flags = 0
    cdef cnp.npy_intp i
    try:
        for i in range(dimensions[0]):
            bits = half_of_string(
                allocator, <npy_packed_static_string *>(data[0] + i * strides[0]),
                loop.mode, &flags)
            memcpy(data[1] + i * strides[1], &bits, sizeof(bits))
    finally:
        NpyString_release_allocator(allocator)
    halfcl_raise(flags)
    return 0


cdef cnp.NPY_CASTING resolve_string(
    void *method, PyArray_DTypeMeta *const *dtypes, PyArray_Descr_fields *const *requested,
    PyObject **resolved, cnp.npy_intp *view_offset
) except <cnp.NPY_CASTING>-1:
    """Find the dtype for casts from half to StringDType, which holds any text."""
    text = np.dtypes.StringDType() if requested[1] == NULL else <object><PyObject *>requested[1]
    resolve_to(text, resolved)
    return cnp.NPY_SAFE_CASTING
