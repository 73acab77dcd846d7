# The method at of NumPy's ufuncs on halves, float16 too while accelerate() is on: NumPy calls the
# loop for each element, and converts a number for each.
# Needs: acceleration.pxi, arguments.pxi, call.pxi, drivers.pxi, loops.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi

cdef extern from "halfcl.h" nogil:
    int HALFCL_AT

    ctypedef struct halfcl_targets:
        char *start
        Py_ssize_t step
        size_t length
        const Py_ssize_t *indices
        const char *values
        Py_ssize_t value_step

    unsigned halfcl_run_at(
        const halfcl_kernel *, const halfcl_kernel *, const halfcl_targets *, size_t, size_t,
        halfcl_rounding)

cdef extern from "numpy_methods.h":
    int halfcl_replace_at(int, halfcl_method *) except -1

cdef enum:
    AT_TARGET, AT_INDICES, AT_VALUES, COUNT_OF_AT_ARGUMENTS
    RELEASE_GIL_AT = 512  # elements; each takes longer than in a map

# The kernels for single elements, or NULL, by the ufunc's place among twins; set on first use.
cdef const halfcl_kernel *kernels_at[TWIN_PLACES]
cdef bint asked_at[TWIN_PLACES]


# A call of at: the kernel, which exceptions it reports, and how many rows of how many elements.
ctypedef struct CallAt:
    const halfcl_kernel *map
    const halfcl_kernel *at
    unsigned exceptions
    halfcl_rounding mode
    size_t n, width
    int axes         # of the values: those of the array's rows, or one of single elements
    uint16_t number  # the value, if one is for all elements
    halfcl_targets targets


# ---------------------------------------------------------------- the kernel

cdef const halfcl_kernel *kernel_for_single(int place, const halfcl_kernel *map) noexcept:
    if not asked_at[place]:
        kernels_at[place] = halfcl_find_kernel(
            ISA, map.name, <halfcl_kind>HALFCL_AT, &map.signature)
        asked_at[place] = True
    return kernels_at[place]


cdef unsigned replaced_exceptions(const UfuncData *data, const halfcl_kernel *map) noexcept:
    """Return the exceptions of the replaced float16 loop; 0 if it is not replaced."""
    cdef const ReplacedLoop *loops = <const ReplacedLoop *>data.replaced
    cdef int k
    for k in range(data.replaced_count):
        if loops[k].kernel == map:
            return loops[k].exceptions
    return 0


cdef bint choose_map(PyObject *ufunc, bint in_float16, CallAt *call) noexcept:
    """Choose the kernel; return whether the ufunc maps two halves to one and halfcl computes it."""
    cdef int place = twin_place(ufunc), k, mode
    cdef UfuncData *data = twins[place]
    if data == NULL:
        return False
    mode = loop_mode_nogil(data.chooser)
    if mode == RANDOM_MODE:
        return False
    call.mode = <halfcl_rounding>mode
    for k in range(data.count):
        call.map = data.kernels[k]
        if is_binary(call.map):
            call.at = kernel_for_single(place, call.map)
            call.exceptions = (
                replaced_exceptions(data, call.map) if in_float16 else HALFCL_EXCEPTIONS)
            return call.exceptions != 0
    return False


# ---------------------------------------------------------------- targets

cdef bint read_targets_at(cnp.ndarray array, CallAt *call) noexcept:
    """Read rows along the first axis, of elements next to each other, or single elements."""
    cdef int k, ndim = cnp.PyArray_NDIM(array)
    if ndim == 0 or not cnp.PyArray_ISBEHAVED(array):
        return False
    if ndim > 1 and not cnp.PyArray_IS_C_CONTIGUOUS(array):
        return False
    call.targets.start = cnp.PyArray_BYTES(array)
    call.targets.step, call.targets.length = cnp.PyArray_STRIDE(array, 0), cnp.PyArray_DIM(array, 0)
    call.width, call.axes = 1, ndim
    for k in range(1, ndim):
        call.width *= cnp.PyArray_DIM(array, k)
    return call.width > 0


cdef bint are_within(const Py_ssize_t *indices, Py_ssize_t n, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t k, least = 0, most = 0
    for k in range(n):
        least = min(least, indices[k])
        most = max(most, indices[k])
    return -length <= least and most < length


cdef cnp.ndarray as_indices(object argument, Py_ssize_t length):
    """Return contiguous native indices within an axis of that length; None for other arguments."""
    if not cnp.PyArray_CheckExact(argument) or cnp.PyArray_NDIM(<cnp.ndarray>argument) != 1:
        return None
    cdef cnp.ndarray indices = <cnp.ndarray>argument
    if not cnp.PyArray_ISINTEGER(indices) or not cnp.PyArray_CanCastSafely(
        cnp.PyArray_TYPE(indices), cnp.NPY_INTP
    ):
        return None
    indices = cnp.PyArray_FROMANY(indices, cnp.NPY_INTP, 1, 1, cnp.NPY_ARRAY_CARRAY_RO)
    return indices if are_within(
        <const Py_ssize_t *>cnp.PyArray_DATA(indices), cnp.PyArray_SIZE(indices), length) else None


cdef cnp.ndarray flat_indices(tuple argument, cnp.ndarray array, CallAt *call):
    """Return indices of single elements, from an index for each axis."""
    cdef cnp.ndarray flat = None, indices
    cdef const Py_ssize_t *further
    cdef Py_ssize_t *to
    cdef Py_ssize_t length, k
    cdef int axis
    if len(argument) != cnp.PyArray_NDIM(array) or not cnp.PyArray_IS_C_CONTIGUOUS(array):
        return None
    for axis in range(cnp.PyArray_NDIM(array)):
        length = cnp.PyArray_DIM(array, axis)
        indices = as_indices(argument[axis], length)
        if indices is None:
            return None
        if flat is None:
            flat = cnp.PyArray_ZEROS(1, cnp.PyArray_DIMS(indices), cnp.NPY_INTP, 0)
        if cnp.PyArray_SIZE(indices) != cnp.PyArray_SIZE(flat):
            return None
        further = <const Py_ssize_t *>cnp.PyArray_DATA(indices)
        to = <Py_ssize_t *>cnp.PyArray_DATA(flat)
        for k in range(cnp.PyArray_SIZE(flat)):
            to[k] = to[k] * length + further[k] + (length if further[k] < 0 else 0)
    call.targets.step, call.targets.length = sizeof(uint16_t), cnp.PyArray_SIZE(array)
    call.width, call.axes = 1, 1
    return flat


cdef cnp.ndarray read_indices_at(object argument, cnp.ndarray array, CallAt *call):
    """Return the indices' array; None if NumPy has to read them, or to refuse them."""
    cdef cnp.ndarray indices
    if type(argument) is tuple:
        indices = flat_indices(argument, array, call)
    else:
        indices = as_indices(argument, call.targets.length)
    if indices is None or cnp.PyArray_SIZE(indices) == 0 or not are_separate(array, indices):
        return None
    call.n = cnp.PyArray_SIZE(indices)
    call.targets.indices = <const Py_ssize_t *>cnp.PyArray_DATA(indices)
    return indices


# ---------------------------------------------------------------- values

cdef bint has_shape_of_targets(cnp.ndarray values, cnp.ndarray array, const CallAt *call) noexcept:
    """Return whether there is a value for each element of the rows, or of the single elements."""
    cdef int k
    if cnp.PyArray_NDIM(values) != call.axes or <size_t>cnp.PyArray_DIM(values, 0) != call.n:
        return False
    for k in range(1, call.axes):
        if cnp.PyArray_DIM(values, k) != cnp.PyArray_DIM(array, k):
            return False
    return call.axes == 1 or cnp.PyArray_IS_C_CONTIGUOUS(values)


cdef object read_values_at(object argument, cnp.ndarray array, CallAt *call):
    """Read the values and return the object that owns them; None if NumPy has to read them."""
    cdef cnp.ndarray values
    if cnp.PyArray_CheckExact(argument):
        values = <cnp.ndarray>argument
        if cnp.PyArray_TYPE(values) != cnp.PyArray_TYPE(array):
            return None
        if not cnp.PyArray_ISBEHAVED_RO(values):
            return None
        if has_shape_of_targets(values, array, call):
            if not are_separate(array, values):
                return None
            call.targets.values = cnp.PyArray_BYTES(values)
            call.targets.value_step = cnp.PyArray_STRIDE(values, 0)
            return values
        if cnp.PyArray_SIZE(values) != 1 or cnp.PyArray_NDIM(values) > call.axes:
            return None
        call.number = (<uint16_t *>cnp.PyArray_DATA(values))[0]
    elif not read_number_of_type(argument, cnp.PyArray_TYPE(array), &call.number):
        return None
    call.targets.value_step = 0
    if call.width == 1:
        call.targets.values = <const char *>&call.number
        return argument
    values = np.full(call.width, call.number, np.uint16)
    call.targets.values = cnp.PyArray_BYTES(values)
    return values


# ---------------------------------------------------------------- calls

cdef bint has_many_axes(object indices, cnp.ndarray array) noexcept:
    """Return whether indices are an array of several axes, into an array of one.

    Only in C order: NumPy takes others in the order of memory.
    """
    return (
        cnp.PyArray_NDIM(array) == 1 and cnp.PyArray_CheckExact(indices)
        and cnp.PyArray_NDIM(<cnp.ndarray>indices) > 1
        and cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>indices))


cdef object in_one_line(object values, cnp.ndarray indices):
    """Return the values for flattened indices; None if not each index has its own."""
    if not cnp.PyArray_CheckExact(values) or cnp.PyArray_SIZE(<cnp.ndarray>values) == 1:
        return values
    if not cnp.PyArray_SAMESHAPE(<cnp.ndarray>values, indices):
        return None
    if not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>values):
        return None
    return cnp.PyArray_Ravel(<cnp.ndarray>values, cnp.NPY_CORDER)


cdef PyObject *half_at(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef cnp.ndarray array, indices
    cdef CallAt call
    cdef unsigned flags
    if nargs != COUNT_OF_AT_ARGUMENTS or names != NULL or region_value() & (RANDOM | ASKED):
        return new_reference(NotImplemented)
    array = <cnp.ndarray>args[AT_TARGET]
    if not cnp.PyArray_CheckExact(array):
        return new_reference(NotImplemented)
    if not choose_map(self, is_float16(array), &call) or not read_targets_at(array, &call):
        return new_reference(NotImplemented)
    argument, values = <object>args[AT_INDICES], <object>args[AT_VALUES]
    if has_many_axes(argument, array):
        values = in_one_line(values, <cnp.ndarray>argument)
        argument = cnp.PyArray_Ravel(<cnp.ndarray>argument, cnp.NPY_CORDER)
    indices = None if values is None else read_indices_at(argument, array, &call)
    if indices is None:
        return new_reference(NotImplemented)
    values = read_values_at(values, array, &call)
    if values is None:
        return new_reference(NotImplemented)
    if call.n * call.width < RELEASE_GIL_AT:
        flags = halfcl_run_at(call.map, call.at, &call.targets, call.n, call.width, call.mode)
    else:
        with nogil:
            flags = halfcl_run_at(call.map, call.at, &call.targets, call.n, call.width, call.mode)
    if not is_float16(array):
        count_run(call.map)
    if flags & call.exceptions:
        report(flags & call.exceptions, (<object>self).__name__)
    return new_reference(None)


def teach_at():
    """Run the method at of NumPy's ufuncs on halves here first.

    Return whether that worked: not if NumPy's is not laid out as expected.
    """
    return halfcl_replace_at(HALF_NUMBER, <halfcl_method *>half_at) != 0
