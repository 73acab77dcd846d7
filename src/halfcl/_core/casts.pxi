# Casts between half and NumPy's other types: each one kernel, found by its types.
# How safe each is, float16's casts tell.
# Needs: drivers.pxi, loops.pxi, rounding.pxi, scalar.pxi, types.pxi, ufunc.pxi

import warnings

cdef extern from "numpy_compat.h":
    int halfcl_register_casts(PyArrayMethod_Spec **casts, object scalar) except -1

cdef object UNICODE_CLASS = type(np.dtype("U"))

# As wide as NumPy makes the text of a float16.
cdef enum:
    TEXT_WIDTH = 32


cdef int exact_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """A cast that raises nothing, as NumPy's, where a kernel would for a signalling NaN.

    (A flag that tells NumPy not to look is lost when it puts a swap of bytes before it.)
    """
    cdef LoopData *loop = <LoopData *>auxdata
    cdef unsigned flags = run_map(
        loop.kernel, data, <const Py_ssize_t *>strides, dimensions[0], loop.mode)
    return end_loop(flags & HALFCL_MISUSE)


cdef int half_to_complex_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """The half is the real part; the imaginary part is zero."""
    cdef size_t part = sizeof(float) if (
        (<PyArray_Descr_fields *>context.descriptors[1]).type_num == cnp.NPY_CFLOAT
    ) else sizeof(double)
    cdef cnp.npy_intp i
    exact_loop(context, data, dimensions, strides, auxdata)
    for i in range(dimensions[0]):
        memset(data[1] + i * strides[1] + part, 0, part)
    return 0


cdef int half_to_longdouble_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef bint is_complex = (
        (<PyArray_Descr_fields *>context.descriptors[1]).type_num == cnp.NPY_CLONGDOUBLE)
    cdef cnp.npy_longdouble value[2]
    cdef uint16_t bits
    cdef cnp.npy_intp i
    value[1] = 0
    for i in range(dimensions[0]):
        memcpy(&bits, data[0] + i * strides[0], sizeof(bits))
        value[0] = halfcl_to_float(bits)
        memcpy(data[1] + i * strides[1], value, sizeof(value[0]) * (2 if is_complex else 1))
    return 0


cdef int longdouble_to_half_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Of a complex number, the real part."""
    cdef LoopData *loop = <LoopData *>auxdata
    cdef cnp.npy_longdouble value
    cdef uint16_t bits
    cdef unsigned flags = 0
    cdef cnp.npy_intp i
    for i in range(dimensions[0]):
        memcpy(&value, data[0] + i * strides[0], sizeof(value))
        bits = halfcl_from_double(halfcl_odd_double(value), toss(loop.mode), &flags)
        memcpy(data[1] + i * strides[1], &bits, sizeof(bits))
    halfcl_raise(flags)
    return 0


cdef int write_text(uint16_t bits, char *to, cnp.npy_intp size, bint wide) except -1:
    """The half's shortest text, cut or filled with NULs to size bytes."""
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
    cdef double value
    cdef cnp.npy_intp i
    for i in range(dimensions[0]):
        text = (data[0] + i * strides[0])[:dtype.elsize].decode("utf-32-le" if wide else "latin-1")
        parse_text(text.rstrip("\0"), &value)
        bits = halfcl_from_double(value, toss(loop.mode), &flags)
        memcpy(data[1] + i * strides[1], &bits, sizeof(bits))
    halfcl_raise(flags)
    return 0


cdef cnp.NPY_CASTING resolve_text(
    void *method, PyArray_DTypeMeta *const *dtypes, PyArray_Descr_fields *const *given,
    PyObject **resolved, cnp.npy_intp *view_offset
) except <cnp.NPY_CASTING>-1:
    """half to text: wide enough for every half, unless a width is given."""
    cdef bint wide = <PyObject *>dtypes[1] == <PyObject *>UNICODE_CLASS
    if given[1] == NULL:
        text = np.dtype(f"U{TEXT_WIDTH}" if wide else f"S{TEXT_WIDTH}")
    else:
        text = (<object><PyObject *>given[1]).newbyteorder("=")
    Py_INCREF(HALF)
    resolved[0] = <PyObject *>HALF
    Py_INCREF(text)
    resolved[1] = <PyObject *>text
    fits = text.itemsize >= TEXT_WIDTH * (4 if wide else 1)
    return cnp.NPY_SAFE_CASTING if fits else cnp.NPY_SAME_KIND_CASTING


cdef tuple COMPLEX_NUMBERS = (cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE, cnp.NPY_CLONGDOUBLE)
cdef tuple EXACT_TARGETS = (
    NPY_HALF, cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_LONGDOUBLE) + COMPLEX_NUMBERS

cdef tuple WIDER_TYPES = EXACT_TARGETS[1:]

# The kernels, by types.
cdef UfuncData *cast_kernels = NULL


cdef int real_number(int number) noexcept:
    """The type number of a complex number's parts; other numbers as they are."""
    if number == cnp.NPY_CFLOAT:
        return cnp.NPY_FLOAT
    return cnp.NPY_DOUBLE if number == cnp.NPY_CDOUBLE else number


cdef LoopData *cast_data(int source, int target, int mode) except NULL:
    """The loop of the kernel from a type to another, in a mode."""
    cdef const halfcl_signature *signature
    cdef int i
    for i in range(cast_kernels.count):
        signature = &cast_kernels.kernels[i].signature
        if (
            signature.types[0] == engine_type(real_number(source))
            and signature.types[1] == engine_type(real_number(target))
        ):
            return &cast_kernels.loops[i][mode]
    raise TypeError("halfcl: no kernel for these dtypes")


cdef strided_loop special_cast_loop(int source, int target) noexcept:
    if target == HALF_NUMBER:
        if source in (cnp.NPY_LONGDOUBLE, cnp.NPY_CLONGDOUBLE):
            return longdouble_to_half_loop
        if source in (cnp.NPY_STRING, cnp.NPY_UNICODE):
            return <strided_loop><void *>text_to_half_loop
    elif target in (cnp.NPY_LONGDOUBLE, cnp.NPY_CLONGDOUBLE):
        return half_to_longdouble_loop
    elif target in (cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE):
        return half_to_complex_loop
    elif target in (cnp.NPY_STRING, cnp.NPY_UNICODE):
        return <strided_loop><void *>half_to_text_loop
    return exact_loop if target in EXACT_TARGETS else elementwise_loop


cdef int refuse_in_strict_region(int target) except -1:
    name = cnp.PyArray_DescrFromType(target).name
    raise TypeError(
        f"half would become {name}, in a strict region: half(x) or halfcl.convert(x, half) makes "
        f"the other operand half; halfcl.convert(a, numpy.float64) leaves half on purpose")


cdef int look_at_leaving(int target) except -1:
    """What regions do about a cast from half: a strict one refuses, an Experiment notes it."""
    cdef Entered entered = innermost()
    if entered is not None and entered.value & STRICT and target != NPY_HALF:
        refuse_in_strict_region(target)
    while entered is not None:  # an Experiment sees into regions that its code enters
        if entered.value & OBSERVED:
            (<Experiment>entered.region).tell(cnp.PyArray_DescrFromType(target).name)
        entered = entered.outer
    return 0


cdef int cast_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    # Here, since it is asked for each time; what ufuncs promote to, NumPy remembers.
    if source == HALF_NUMBER and regions_used and (target in WIDER_TYPES or target == NPY_HALF):
        look_at_leaving(target)
    cdef bint is_text = (
        source in (cnp.NPY_STRING, cnp.NPY_UNICODE) or target in (cnp.NPY_STRING, cnp.NPY_UNICODE))
    # To integers a cast cuts, as C's does; every other cast from half is exact.
    cdef int mode = mode_of_loops(BY_OPERATOR) if target == HALF_NUMBER else HALFCL_RTZ
    cdef LoopData *loop = &cast_kernels.loops[0][mode]  # special loops use its mode alone
    out_loop[0] = special_cast_loop(source, target)
    if out_loop[0] in (elementwise_loop, exact_loop, half_to_complex_loop):
        loop = cast_data(source, target, mode)
    out_data[0] = &loop.base
    out_flags[0] = 0
    if is_text:
        out_flags[0] |= NPY_METH_REQUIRES_PYAPI
    # Casts to wider types are exact, and NumPy's raise nothing for a signalling NaN.
    if target in EXACT_TARGETS or is_text and target != HALF_NUMBER:
        out_flags[0] |= NPY_METH_NO_FLOATINGPOINT_ERRORS
    if target == HALF_NUMBER and source in COMPLEX_NUMBERS:
        warnings.warn("Casting complex values to real discards the imaginary part",
                      np.exceptions.ComplexWarning, stacklevel=1)
    return 0


cdef int register_casts() except -1:
    global cast_kernels
    letters = "?bBhHiIqQfd"
    cast_kernels = new_data(
        BY_OPERATOR,
        [("positive", "e>e"), *(("convert", f"e>{c}") for c in letters),
         *(("convert", f"{c}>e") for c in letters)])
    others = [np.dtype(c) for c in "?bBhHiIlLqQefdgFDGSU"]
    cdef int count = 2 * len(others) + 1  # with the carrier's own, whose dtypes stay NULL
    cdef PyArrayMethod_Spec *specs = <PyArrayMethod_Spec *>calloc(count, sizeof(specs[0]))
    cdef PyArrayMethod_Spec **casts = <PyArrayMethod_Spec **>calloc(count + 1, sizeof(void *))
    cdef PyObject **dtypes = <PyObject **>calloc(2 * count, sizeof(void *))
    cdef PyType_Slot *slots = <PyType_Slot *>calloc(3 * count, sizeof(PyType_Slot))
    cdef int i = 0
    float16 = np.dtype(np.float16)
    for other in others:
        for source, target, like in ((HALF, other, (float16, other)), (other, HALF, (other, float16))):
            dtypes[2 * i] = halfcl_dtype_class(source)
            dtypes[2 * i + 1] = halfcl_dtype_class(target)
            slots[3 * i].slot = HALFCL_GET_LOOP
            slots[3 * i].pfunc = <void *>cast_get_loop
            if other.char in "SU" and target is other:
                slots[3 * i + 1].slot = HALFCL_RESOLVE_DESCRIPTORS
                slots[3 * i + 1].pfunc = <void *>resolve_text
            specs[i].name = "halfcl_cast"
            specs[i].nin = specs[i].nout = 1
            specs[i].casting = cast_safety(source, target, like[0], like[1])
            specs[i].flags = NPY_METH_SUPPORTS_UNALIGNED
            if other.char in "SU":
                specs[i].flags |= NPY_METH_REQUIRES_PYAPI
            specs[i].dtypes = <PyArray_DTypeMeta **>&dtypes[2 * i]
            specs[i].slots = &slots[3 * i]
            casts[i] = &specs[i]
            i += 1
    slots[3 * i].slot = HALFCL_GET_LOOP
    slots[3 * i].pfunc = <void *>cast_get_loop
    specs[i].name = "halfcl_carrier"
    specs[i].nin = specs[i].nout = 1
    specs[i].flags = NPY_METH_SUPPORTS_UNALIGNED
    specs[i].dtypes = <PyArray_DTypeMeta **>&dtypes[2 * i]
    specs[i].slots = &slots[3 * i]
    casts[i] = &specs[i]
    halfcl_register_casts(casts, type("_Carrier", (), {}))
    return 0


cdef int cast_safety(object source, object target, object like_source, object like_target):
    """How safe a cast is, as an NPY_CASTING: that of float16, and half from it is safe, not to it."""
    # (Comparing dtypes would already look the cast up.)
    if target.type is np.float16:
        return cnp.NPY_SAME_KIND_CASTING
    for name, level in (("safe", cnp.NPY_SAFE_CASTING), ("same_kind", cnp.NPY_SAME_KIND_CASTING)):
        if np.can_cast(like_source, like_target, name):
            return level
    return cnp.NPY_UNSAFE_CASTING


# Whether NumPy took them: the way that they go in by is its own affair (numpy_compat.h).
try:
    register_casts()
    CASTS_ARE_THERE = True
except (TypeError, ValueError, RuntimeError, SystemError):
    CASTS_ARE_THERE = False
