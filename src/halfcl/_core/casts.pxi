# Casts between half and NumPy's other types: each is one kernel, found by its types. float16's
# casts decide how safe each is.
# Needs: drivers.pxi, loops.pxi, regions.pxi, scalar.pxi, text_casts.pxi, types.pxi, ufunc.pxi

import warnings

cdef extern from "numpy_compat.h":
    int halfcl_register_casts(PyArrayMethod_Spec **casts, object scalar) except -1
    bint halfcl_knows_same_value()
    bint halfcl_asks_same_value(const PyArrayMethod_Context *) nogil

cdef extern from "halfcl.h" nogil:
    void halfcl_run_to_complex(
        const halfcl_kernel *, void *, const void *, Py_ssize_t, size_t)

cdef extern from "same_value.h":
    cnp.npy_longdouble halfcl_number_at(const char *, int) nogil
    bint halfcl_is_same_value(const char *, int, const char *, int) nogil

cdef enum:
    FEW_TO_WIDEN = 8  # widening these takes less time than entering a kernel
    BLOCK_TO_CAST = 1024


cdef inline bint widen_few(
    const halfcl_kernel *kernel, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Widen few halves to float or double; return False for other casts, or if there is a NaN."""
    cdef int target = kernel.signature.types[1]
    if kernel.signature.types[0] != HALFCL_HALF or target != HALFCL_FLOAT and target != HALFCL_DOUBLE:
        return False
    return halfcl_widen_few(
        data[1], strides[1], target == HALFCL_DOUBLE, data[0], strides[0], n)


cdef inline bint widens_few(
    const PyArrayMethod_Context *context, const halfcl_kernel *kernel, char *const *data,
    const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Widen few halves if that is all that a cast does; complex numbers have the same kernels."""
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    return n < FEW_TO_WIDEN and (target == cnp.NPY_FLOAT32 or target == cnp.NPY_FLOAT64) and (
        not halfcl_asks_same_value(context) and widen_few(kernel, data, strides, n))


cdef int exact_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast without raising anything, as NumPy does, where a kernel would for a signalling NaN.

    A flag that tells NumPy not to look is lost when it puts a swap of bytes before the loop.
    """
    cdef LoopData *loop = <LoopData *>auxdata
    count_run(loop.kernel)
    if dimensions[0] < FEW_TO_WIDEN and widen_few(loop.kernel, data, strides, dimensions[0]):
        return 0
    return end_loop(raise_by_map(
        loop.kernel, data, <const Py_ssize_t *>strides, dimensions[0], loop.mode, 0))


cdef void widen_in_blocks(
    const halfcl_kernel *kernel, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n,
    cython.floating unused
) noexcept nogil:
    """Widen to complex numbers with gaps through a buffer, since kernels write faster without."""
    cdef cython.floating real[BLOCK_TO_CAST]
    cdef cython.floating number[2]
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef cnp.npy_intp i, count, done = 0
    number[1] = 0
    operands[0], operands[1] = data[0], <char *>real
    steps[0], steps[1] = strides[0], sizeof(cython.floating)
    while done < n:
        count = min(BLOCK_TO_CAST, n - done)
        halfcl_run(kernel, operands, steps, count, HALFCL_RTE)
        for i in range(count):
            number[0] = real[i]
            memcpy(data[1] + (done + i) * strides[1], number, sizeof(number))
        operands[0] += count * strides[0]
        done += count


cdef void widen_to_complex(
    const halfcl_kernel *kernel, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    """Cast halves to complex numbers: the half is the real part, the imaginary part is zero.

    Such casts are exact, and NumPy's raise nothing for a signalling NaN.
    """
    cdef size_t size = halfcl_type_size(<halfcl_type>kernel.signature.types[1])
    if <size_t>strides[1] == 2 * size:
        halfcl_run_to_complex(kernel, data[1], data[0], strides[0], n)
    elif size == sizeof(float):
        widen_in_blocks(kernel, data, strides, n, <float>0)
    else:
        widen_in_blocks(kernel, data, strides, n, <double>0)


cdef int half_to_complex_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef const halfcl_kernel *kernel = (<LoopData *>auxdata).kernel
    cdef size_t size = halfcl_type_size(<halfcl_type>kernel.signature.types[1])
    cdef cnp.npy_intp i
    count_run(kernel)
    if dimensions[0] >= FEW_TO_WIDEN or not widen_few(kernel, data, strides, dimensions[0]):
        widen_to_complex(kernel, data, strides, dimensions[0])
        return 0
    for i in range(dimensions[0]):
        memset(data[1] + i * strides[1] + size, 0, size)
    return 0


cdef int half_to_time_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast halves to times.

    NaN becomes NaT, without an exception; an infinity is invalid.
    """
    cdef LoopData *loop = <LoopData *>auxdata
    cdef unsigned flags = run_map(
        loop.kernel, data, <const Py_ssize_t *>strides, dimensions[0], loop.mode)
    cdef bint is_valid = True
    cdef uint16_t bits
    cdef cnp.npy_intp i
    for i in range(dimensions[0] if flags & HALFCL_INVALID else 0):
        memcpy(&bits, data[0] + i * strides[0], sizeof(bits))
        is_valid &= (bits & 0x7FFF) != 0x7C00
    return end_loop(flags & ~<unsigned>HALFCL_INVALID if is_valid else flags)


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
    """Cast long doubles to halves; of a complex number, the real part."""
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


cdef cnp.NPY_CASTING resolve_time(
    void *method, PyArray_DTypeMeta *const *dtypes, PyArray_Descr_fields *const *requested,
    PyObject **resolved, cnp.npy_intp *view_offset
) except <cnp.NPY_CASTING>-1:
    """Find the dtype for casts from half to dates and times: the requested unit, or a default."""
    if requested[1] == NULL:
        time = np.dtype((<object><PyObject *>dtypes[1]).type)
    else:
        time = (<object><PyObject *>requested[1]).newbyteorder("=")
    resolve_to(time, resolved)
    return cnp.NPY_UNSAFE_CASTING


# Properties of a type number that casts look up for each call.
cdef inline bint is_complex_number(int number) noexcept nogil:
    return number in (cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE, cnp.NPY_CLONGDOUBLE)


cdef inline bint is_exact_target(int number) noexcept nogil:
    """Return whether a type has every half: NumPy's floating types, and complex numbers of them."""
    return is_complex_number(number) or number in (
        NPY_HALF, cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_LONGDOUBLE)


cdef int STRING_NUMBER = np.dtypes.StringDType().num


cdef inline bint is_text_number(int number) noexcept nogil:
    return number == cnp.NPY_STRING or number == cnp.NPY_UNICODE or number == STRING_NUMBER


cdef enum:
    SAME_VALUE_CASTING_FLAG = 64  # in NumPy's headers since 2.4


# The kernels, and the place of each among them by the other type's number: from half, to half.
cdef UfuncData *cast_kernels = NULL
cdef int[2][BUILTIN_NUMBERS] cast_places


cdef int real_number(int number) noexcept:
    """Return the type number of a complex number's parts, or of a time's; others unchanged."""
    if number == cnp.NPY_CFLOAT:
        return cnp.NPY_FLOAT
    if number in (cnp.NPY_DATETIME, cnp.NPY_TIMEDELTA):
        return cnp.NPY_INT64
    return cnp.NPY_DOUBLE if number == cnp.NPY_CDOUBLE else number


cdef int find_cast(int source, int target) noexcept:
    """Return the place of the kernel that casts a type to another; -1 if there is none."""
    cdef const halfcl_signature *signature
    cdef int i
    for i in range(cast_kernels.count):
        signature = &cast_kernels.kernels[i].signature
        if (
            signature.types[0] == engine_type(real_number(source))
            and signature.types[1] == engine_type(real_number(target))
        ):
            return i
    return -1


cdef int fill_cast_places() except -1:
    for number in range(BUILTIN_NUMBERS):
        cast_places[False][number] = find_cast(HALF_NUMBER, number)
        cast_places[True][number] = find_cast(number, HALF_NUMBER)
    return 0


cdef LoopData *cast_data(int source, int target, int mode) except NULL:
    """Return the loop of the kernel that casts a type to another in a mode."""
    cdef int other = source if target == HALF_NUMBER else target
    cdef int place = cast_places[target == HALF_NUMBER][other] if other < BUILTIN_NUMBERS else -1
    if place < 0:
        raise TypeError("halfcl: no kernel for these dtypes")
    return &cast_kernels.loops[place][mode]


cdef strided_loop special_cast_loop(int source, int target) noexcept nogil:
    if target == HALF_NUMBER:
        if source == cnp.NPY_LONGDOUBLE or source == cnp.NPY_CLONGDOUBLE:
            return longdouble_to_half_loop
        if source == cnp.NPY_STRING or source == cnp.NPY_UNICODE:
            return <strided_loop><void *>text_to_half_loop
        if source == STRING_NUMBER:
            return <strided_loop><void *>string_to_half_loop
    elif target == cnp.NPY_LONGDOUBLE or target == cnp.NPY_CLONGDOUBLE:
        return half_to_longdouble_loop
    elif target == cnp.NPY_CFLOAT or target == cnp.NPY_CDOUBLE:
        return half_to_complex_loop
    elif target == cnp.NPY_STRING or target == cnp.NPY_UNICODE:
        return <strided_loop><void *>half_to_text_loop
    elif target == STRING_NUMBER:
        return <strided_loop><void *>half_to_string_loop
    elif target == cnp.NPY_DATETIME or target == cnp.NPY_TIMEDELTA:
        return half_to_time_loop
    return exact_loop if is_exact_target(target) else elementwise_loop


cdef void refuse_other_value(int source, int target) noexcept with gil:
    names = [cnp.PyArray_DescrFromType(number).name for number in (source, target)]
    PyErr_SetString(ValueError, f"could not cast 'same_value' {names[0]} to {names[1]}".encode())


cdef int cast_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast between numbers; with casting="same_value", check the results."""
    if widens_few(context, (<LoopData *>auxdata).kernel, data, strides, dimensions[0]):
        return 0
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    cdef int failed = special_cast_loop(source, target)(context, data, dimensions, strides, auxdata)
    cdef cnp.npy_intp i
    if failed or not halfcl_asks_same_value(context):
        return failed
    for i in range(dimensions[0]):
        if not halfcl_is_same_value(
            data[0] + i * strides[0], source, data[1] + i * strides[1], target
        ):
            refuse_other_value(source, target)
            return -1
    return 0


cdef int number_cast_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Cast to half in a mode that is another one for a single number: see mode_of_number."""
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num
    cdef LoopData *loop = <LoopData *>auxdata
    cdef int mode = loop.mode
    if dimensions[0] == 1:
        mode = mode_of_item_at(data[0], source, mode)
    loop += mode - loop.mode  # those of all modes lie next to each other
    return cast_loop(context, data, dimensions, strides, &loop.base)


cdef int mode_of_item_at(const char *at, int source, int mode) noexcept nogil:
    """Return the mode of a cast of one number to half; to nearest if that is exact."""
    cdef double number = <double>halfcl_number_at(at, source)
    cdef unsigned flags = 0
    cdef uint16_t bits = halfcl_from_double(number, HALFCL_RTE, &flags)
    if number != number or halfcl_to_float(bits) == number:
        return HALFCL_RTE
    return mode_of_number_nogil(mode, number)


cdef int refuse_in_strict_region(int target) except -1:
    name = cnp.PyArray_DescrFromType(target).name
    raise TypeError(
        f"half would become {name}, in a strict region: half(x) or halfcl.convert(x, half) makes "
        f"the other operand half; halfcl.convert(a, numpy.float64) leaves half on purpose")


cdef int apply_regions_to_promotion(int target) except -1:
    """Apply regions to a cast from half: a strict one refuses it, an Experiment notes it."""
    cdef Entry entered = innermost()
    if entered is not None and entered.value & STRICT and target != NPY_HALF:
        refuse_in_strict_region(target)
    while entered is not None:  # an Experiment sees into regions that its code enters
        if entered.value & OBSERVED:
            (<Experiment>entered.region).notify_promotion(cnp.PyArray_DescrFromType(target).name)
        entered = entered.outer
    return 0


cdef int cast_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    # The region is checked here, as NumPy asks for a cast's loop each time, but remembers what
    # ufuncs promote to.
    if source == HALF_NUMBER and may_be_in_region() and is_exact_target(target):
        apply_regions_to_promotion(target)
    cdef bint is_text = is_text_number(source) or is_text_number(target)
    # A cast to integers truncates, as C's does; every other cast from half is exact and needs no
    # mode.
    cdef int mode = mode_of_loops(BY_OPERATOR) if target == HALF_NUMBER else (
        HALFCL_RTE if is_exact_target(target) or target == cnp.NPY_BOOL else HALFCL_RTZ)
    cdef LoopData *loop = &cast_kernels.loops[0][mode]  # special loops use only its mode
    out_loop[0] = special_cast_loop(source, target)
    if out_loop[0] in (elementwise_loop, exact_loop, half_to_complex_loop, half_to_time_loop):
        loop = cast_data(source, target, mode)
    if halfcl_knows_same_value() and not is_text:
        out_loop[0] = cast_loop
    if target == HALF_NUMBER and not is_text and depends_on_number(mode):
        out_loop[0] = number_cast_loop
    out_data[0] = &loop.base
    out_flags[0] = 0
    if is_text:
        out_flags[0] |= NPY_METH_REQUIRES_PYAPI
    # Casts to wider types are exact, and NumPy's raise nothing for a signalling NaN.
    if is_exact_target(target) or is_text and target != HALF_NUMBER:
        out_flags[0] |= NPY_METH_NO_FLOATINGPOINT_ERRORS
    if target == HALF_NUMBER and is_complex_number(source):
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
    fill_cast_places()
    others = [*map(np.dtype, "?bBhHiIlLqQefdgFDGSUmM"), np.dtypes.StringDType()]
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
            fill_cast(&specs[i], &slots[3 * i], target.num, other.num)
            specs[i].casting = cast_safety(source, target, like[0], like[1])
            if halfcl_knows_same_value() and other.kind in "biufc":
                specs[i].casting |= SAME_VALUE_CASTING_FLAG
            i += 1
    fill_cast(&specs[i], &slots[3 * i], HALF_NUMBER, HALF_NUMBER)
    specs[i].name = "halfcl_carrier"
    for i in range(count):
        specs[i].dtypes = <PyArray_DTypeMeta **>&dtypes[2 * i]
        casts[i] = &specs[i]
    halfcl_register_casts(casts, type("_Carrier", (), {}))
    return 0


cdef int fill_cast(PyArrayMethod_Spec *spec, PyType_Slot *slots, int target, int other) except -1:
    """Fill in all but the dtypes and the safety; target, other: numbers of types."""
    spec.name = "halfcl_cast"
    spec.nin = spec.nout = 1
    # Strings are read through pointers in the elements.
    spec.flags = 0 if other == STRING_NUMBER else NPY_METH_SUPPORTS_UNALIGNED
    if is_text_number(other):
        spec.flags |= NPY_METH_REQUIRES_PYAPI
    spec.slots = slots
    slots[0].slot = HALFCL_GET_LOOP
    slots[0].pfunc = <void *>cast_get_loop
    slots[1].pfunc = resolver_of(target)
    if slots[1].pfunc != NULL:
        slots[1].slot = HALFCL_RESOLVE_DESCRIPTORS
    return 0


cdef void *resolver_of(int target) noexcept:
    """Return the function that finds the dtype among a DType's several."""
    if target == cnp.NPY_STRING or target == cnp.NPY_UNICODE:
        return <void *>resolve_text
    if target == STRING_NUMBER:
        return <void *>resolve_string
    if target == cnp.NPY_DATETIME or target == cnp.NPY_TIMEDELTA:
        return <void *>resolve_time
    return NULL


cdef int cast_safety(object source, object target, object like_source, object like_target):
    """Return how safe a cast is, as an NPY_CASTING.

    It is float16's; and a cast from float16 to half is safe, one from half to float16 is not.
    """
    # Comparing dtypes would already look the cast up.
    if target.type is np.float16:
        return cnp.NPY_SAME_KIND_CASTING
    # NumPy asks `resolve_text` about the width only if not every cast to text is safe.
    if target.type is np.str_ or target.type is np.bytes_:
        return cnp.NPY_SAME_KIND_CASTING
    for name, level in (("safe", cnp.NPY_SAFE_CASTING), ("same_kind", cnp.NPY_SAME_KIND_CASTING)):
        if np.can_cast(like_source, like_target, name):
            return level
    return cnp.NPY_UNSAFE_CASTING


# Whether NumPy accepted them: how they are registered is a private matter of NumPy's
# (numpy_compat.h).
try:
    register_casts()
    CASTS_ARE_THERE = True
except (TypeError, ValueError, RuntimeError, SystemError):
    CASTS_ARE_THERE = False
