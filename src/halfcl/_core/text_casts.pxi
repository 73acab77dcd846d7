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


cdef int write_text(uint16_t bits, char *to, cnp.npy_intp size, bint wide) except -1:
    """Write the half's shortest text, cut or filled with NULs to size bytes."""
    cdef bytes text = str(new_scalar(half, bits)).encode("utf-32-le" if wide else "ascii")
    cdef cnp.npy_intp length = min(len(text), size)
    memcpy(to, <const char *>text, length)
    memset(to + length, 0, size - length)
    return 0


cdef int half_to_text_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef PyArray_Descr_fields *dtype = <PyArray_Descr_fields *>context.descriptors[1]
    cdef uint16_t bits
    cdef cnp.npy_intp i
    for i in range(dimensions[0]):
        memcpy(&bits, data[0] + i * strides[0], sizeof(bits))
        write_text(bits, data[1] + i * strides[1], dtype.elsize, dtype.type_num == cnp.NPY_UNICODE)
    return 0


cdef int text_to_half_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef PyArray_Descr_fields *dtype = <PyArray_Descr_fields *>context.descriptors[0]
    cdef bint wide = dtype.type_num == cnp.NPY_UNICODE
    cdef LoopData *loop = <LoopData *>auxdata
    cdef uint16_t bits
    cdef unsigned flags = 0
    cdef cnp.npy_intp i
    for i in range(dimensions[0]):
        text = (data[0] + i * strides[0])[:dtype.elsize]
        bits = bits_of_text(
            text.decode("utf-32-le").rstrip("\0") if wide else text.rstrip(b"\0"),
            toss(loop.mode), &flags)
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
    uint16_t bits, npy_string_allocator *allocator, npy_packed_static_string *to, bint nan_is_missing
) except -1:
    """Write the half's shortest text; or a missing string for NaN."""
    cdef bytes text = str(new_scalar(half, bits)).encode()
    cdef int failed
    if nan_is_missing and (bits & 0x7FFF) > 0x7C00:
        failed = NpyString_pack_null(allocator, to)
    else:
        failed = NpyString_pack(allocator, to, text, len(text))
    if failed:
        raise MemoryError("halfcl: no room for the text of a half")
    return 0


cdef int half_to_string_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    cdef PyArray_StringDTypeObject *dtype = <PyArray_StringDTypeObject *>context.descriptors[1]
    cdef npy_string_allocator *allocator = NpyString_acquire_allocator(dtype)
    cdef uint16_t bits
    cdef cnp.npy_intp i
    try:
        for i in range(dimensions[0]):
            memcpy(&bits, data[0] + i * strides[0], sizeof(bits))
            pack_half(bits, allocator, <npy_packed_static_string *>(data[1] + i * strides[1]),
                      dtype.has_nan_na)
    finally:
        NpyString_release_allocator(allocator)
    return 0


cdef object load_text(npy_string_allocator *allocator, const npy_packed_static_string *packed):
    cdef npy_static_string text
    cdef int missing = NpyString_load(allocator, packed, &text)
    if missing < 0:
        raise MemoryError("halfcl: a string could not be loaded")
    if missing:
        raise ValueError("Arrays with missing data cannot be converted to a non-nullable type")
    return text.buf[:text.size].decode()


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
            text = load_text(allocator, <npy_packed_static_string *>(data[0] + i * strides[0]))
            bits = bits_of_text(text, toss(loop.mode), &flags)
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
