# The method at of NumPy's ufuncs on halves, float16 too while accelerate() is on: NumPy calls the
# loop for each element, and converts a number for each.
# Needs: acceleration.pxi, arguments.pxi, call.pxi, drivers.pxi, grids.pxi, lines.pxi, loops.pxi, reduce.pxi, regions.pxi, scalar.pxi, types.pxi

cdef extern from "halfcl.h" nogil:
    int HALFCL_AT

    ctypedef struct halfcl_indices:
        const char *start
        Py_ssize_t[64] steps
        size_t length
        Py_ssize_t step

    ctypedef struct halfcl_places:
        int axes, indexed
        size_t[64] shape
        Py_ssize_t[64] steps, value_steps
        char *start
        const char *values
        halfcl_indices[64] indices

    unsigned halfcl_run_at(
        const halfcl_kernel *, const halfcl_kernel *, halfcl_places *, halfcl_rounding)

cdef extern from "numpy_methods.h":
    int halfcl_replace_at(int, halfcl_method *) except -1

cdef enum:
    AT_TARGET, AT_INDICES, AT_VALUES, COUNT_OF_AT_ARGUMENTS
    RELEASE_GIL_AT = 512  # elements; each takes longer than in a map

# The kernels for single elements, or NULL, by the ufunc's place among twins; set on first use.
cdef const halfcl_kernel *kernels_at[TWIN_PLACES]
cdef bint asked_at[TWIN_PLACES]


# A call of at: the kernel, which exceptions it reports, and how many places there are.
ctypedef struct CallAt:
    const halfcl_kernel *map
    const halfcl_kernel *at
    unsigned exceptions
    halfcl_rounding mode
    size_t n
    PyObject *arrays[MAX_DIMENSIONS]  # of indices
    int order[MAX_DIMENSIONS]  # the places' axes in the order of the result of indexing
    uint16_t number            # the value, if one is for all elements
    halfcl_places places


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


# ---------------------------------------------------------------- indices
#
# As NumPy's: integers, slices, None, an ellipsis, arrays of integers, which broadcast together, and
# masks. The places along the arrays' axes are taken in C order, those along others in any order.

cdef frozenset INTEGER_SCALARS = frozenset(np.dtype(letter).type for letter in "bBhHiIlLqQ")


# The axes of the target that no array indexes, and where the arrays' own come among them.
ctypedef struct KeptAxes:
    int count, before
    bint has_arrays, is_open, is_apart  # integers and arrays, so far; next to each other; not so
    cnp.npy_intp shape[MAX_DIMENSIONS]
    cnp.npy_intp steps[MAX_DIMENSIONS]


cdef bint is_plain_integer(object item) except -1:
    return PyLong_CheckExact(item) or type(item) in INTEGER_SCALARS


cdef object without_lists(object argument):
    """Return an array, or the items of an index, with lists converted to arrays; None if that fails.
    """
    if cnp.PyArray_CheckExact(argument):
        return argument
    items = argument if type(argument) is tuple else (argument,)
    for item in items:
        if type(item) is list:
            break
    else:
        return items
    try:
        return tuple([np.asarray(item) if type(item) is list else item for item in items])
    except Exception:
        return None  # NumPy raises its own error


cdef bint keep_axis(KeptAxes *kept, cnp.npy_intp length, cnp.npy_intp step) noexcept:
    kept.is_open = False
    if kept.count == MAX_DIMENSIONS:
        return False
    kept.shape[kept.count], kept.steps[kept.count] = length, step
    kept.count += 1
    return True


cdef bint keep_axes(KeptAxes *kept, cnp.ndarray array, int first, int count) noexcept:
    cdef int axis
    kept.is_open = False
    for axis in range(first, first + count):
        if not keep_axis(kept, cnp.PyArray_DIM(array, axis), cnp.PyArray_STRIDE(array, axis)):
            return False
    return True


cdef void index_axis(KeptAxes *kept) noexcept:
    """Note an axis that an integer or an array indexes: of several apart, all come first."""
    if kept.has_arrays and not kept.is_open:
        kept.is_apart = True
    if not kept.has_arrays:
        kept.before = kept.count
    kept.has_arrays = kept.is_open = True


cdef bint take_slice(KeptAxes *kept, slice item, cnp.ndarray array, int axis, CallAt *call) except -1:
    cdef cnp.npy_intp start, step, stride = cnp.PyArray_STRIDE(array, axis)
    for part in (item.start, item.stop, item.step):
        if part is not None and not is_plain_integer(part):
            return False  # to be converted by user code, which may resize the array
    places = range(*item.indices(cnp.PyArray_DIM(array, axis)))
    start, step = places.start, places.step
    call.places.start += start * stride
    return keep_axis(kept, len(places), step * stride)


cdef bint take_integer_index(
    KeptAxes *kept, object item, cnp.ndarray array, int axis, CallAt *call
) except -1:
    cdef cnp.npy_intp length = cnp.PyArray_DIM(array, axis), index
    item = int(item)
    if not -length <= item < length:
        return False
    index = item
    call.places.start += (index + (length if index < 0 else 0)) * cnp.PyArray_STRIDE(array, axis)
    index_axis(kept)
    return True


cdef bint are_within(const Py_ssize_t *indices, Py_ssize_t n, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t k, least = 0, most = 0
    for k in range(n):
        least = min(least, indices[k])
        most = max(most, indices[k])
    return -length <= least and most < length


cdef object as_indices(cnp.ndarray array):
    """Return an array of integers as aligned native indices; None for another array."""
    if cnp.PyArray_TYPE(array) == cnp.NPY_INTP and cnp.PyArray_ISBEHAVED_RO(array):
        return array
    if not cnp.PyArray_ISINTEGER(array) or not cnp.PyArray_CanCastSafely(
        cnp.PyArray_TYPE(array), cnp.NPY_INTP
    ):
        return None
    return cnp.PyArray_FROMANY(
        array, cnp.NPY_INTP, 0, 0, cnp.NPY_ARRAY_ALIGNED | cnp.NPY_ARRAY_NOTSWAPPED)


cdef bint take_indices(
    KeptAxes *kept, cnp.ndarray indices, cnp.ndarray array, int axis, CallAt *call
) except -1:
    """Index an axis by an array that outlives the call; return False for others than its indices."""
    cdef cnp.npy_intp length = cnp.PyArray_DIM(array, axis)
    cdef halfcl_indices *of = &call.places.indices[call.places.indexed]
    index_axis(kept)
    if cnp.PyArray_SIZE(indices) == 0 or not are_separate(array, indices):
        return False
    if not cnp.PyArray_IS_C_CONTIGUOUS(indices):
        if not -length <= indices.min() or not indices.max() < length:
            return False
    elif not are_within(
        <const Py_ssize_t *>cnp.PyArray_DATA(indices), cnp.PyArray_SIZE(indices), length
    ):
        return False
    of.start, of.length, of.step = (
        cnp.PyArray_BYTES(indices), length, cnp.PyArray_STRIDE(array, axis))
    call.arrays[call.places.indexed] = <PyObject *>indices
    call.places.indexed += 1
    return True


cdef bint take_mask(
    KeptAxes *kept, cnp.ndarray mask, cnp.ndarray array, int axis, CallAt *call, list owners
) except -1:
    """Index axes by the places of a mask's elements."""
    cdef int k
    for k in range(cnp.PyArray_NDIM(mask)):
        if cnp.PyArray_DIM(mask, k) != cnp.PyArray_DIM(array, axis + k):
            return False
    for k, indices in enumerate(np.nonzero(mask)):
        owners.append(indices)
        if not take_indices(kept, indices, array, axis + k, call):
            return False
    return True


cdef bint take_index_array(
    KeptAxes *kept, cnp.ndarray item, cnp.ndarray array, int axis, CallAt *call, list owners
) except -1:
    if cnp.PyArray_TYPE(item) == cnp.NPY_BOOL:
        return take_mask(kept, item, array, axis, call, owners)
    indices = as_indices(item)
    if indices is None:
        return False
    if indices is not item:
        owners.append(indices)
    if cnp.PyArray_NDIM(item) == 0:
        return take_integer_index(kept, indices, array, axis, call)
    return take_indices(kept, <cnp.ndarray>indices, array, axis, call)


cdef int axes_of_item(object item) except -2:
    """Return how many axes an item indexes; -1 if NumPy has to read it, or to refuse it."""
    if cnp.PyArray_CheckExact(item):
        if cnp.PyArray_TYPE(<cnp.ndarray>item) != cnp.NPY_BOOL:
            return 1
        return cnp.PyArray_NDIM(<cnp.ndarray>item) or -1
    if item is None or item is Ellipsis:
        return 0
    return 1 if type(item) is slice or is_plain_integer(item) else -1


cdef bint read_one_array(
    object item, cnp.ndarray array, KeptAxes *kept, CallAt *call, list owners
) except -1:
    cdef int axes = axes_of_item(item), ndim = cnp.PyArray_NDIM(array)
    return (
        0 <= axes <= ndim and take_index_array(kept, <cnp.ndarray>item, array, 0, call, owners)
        and keep_axes(kept, array, axes, ndim - axes))


cdef bint read_index(
    object items, cnp.ndarray array, KeptAxes *kept, CallAt *call, list owners
) except -1:
    """Read an array or a tuple of items; return False if NumPy has to read them, or to refuse them.
    """
    if cnp.PyArray_CheckExact(items):
        return read_one_array(items, array, kept, call, owners)
    cdef int axis = 0, rest = cnp.PyArray_NDIM(array), axes
    cdef bint is_taken, has_ellipsis = False
    for item in <tuple>items:
        axes = axes_of_item(item)
        if axes < 0 or item is Ellipsis and has_ellipsis:
            return False
        has_ellipsis |= item is Ellipsis
        rest -= axes
    if rest < 0:
        return False
    for item in <tuple>items:
        axes = axes_of_item(item)
        if cnp.PyArray_CheckExact(item):
            is_taken = take_index_array(kept, <cnp.ndarray>item, array, axis, call, owners)
        elif item is None:
            is_taken = keep_axis(kept, 1, 0)
        elif item is Ellipsis:
            axes, is_taken = rest, keep_axes(kept, array, axis, rest)
        elif type(item) is slice:
            is_taken = take_slice(kept, item, array, axis, call)
        else:
            is_taken = take_integer_index(kept, item, array, axis, call)
        if not is_taken:
            return False
        axis += axes
    return has_ellipsis or keep_axes(kept, array, axis, rest)


# ---------------------------------------------------------------- places

cdef bint are_elements_apart(cnp.ndarray array) noexcept:
    """Return whether no two elements of an array share memory."""
    cdef halfcl_grid grid
    if cnp.PyArray_IS_C_CONTIGUOUS(array):
        return True
    grid.axes = 0
    broaden(&grid, array)
    take_steps(&grid, 0, array)
    return are_apart(&grid, 0, cnp.PyArray_ITEMSIZE(array))


cdef bint lay_out_places(cnp.ndarray array, const KeptAxes *kept, CallAt *call) noexcept:
    """Write the axes of the places, and their order in the result of indexing.

    Axes that no array indexes are the inner ones if they contain rows; else the outer ones.
    """
    cdef halfcl_places *places = &call.places
    cdef halfcl_grid indices
    cdef int i, k, at, before = kept.before if places.indexed and not kept.is_apart else 0
    cdef bint has_rows = kept.count > 0 and kept.steps[kept.count - 1] == sizeof(uint16_t)
    indices.axes = 0
    for i in range(places.indexed):
        if not broaden(&indices, <cnp.ndarray>call.arrays[i]):
            return False
    if indices.axes + kept.count > MAX_DIMENSIONS or not (
        kept.count == 0 or are_elements_apart(array)
    ):
        return False
    places.axes = indices.axes + kept.count
    memset(places.steps, 0, places.axes * sizeof(Py_ssize_t))
    for i in range(places.indexed):
        memset(places.indices[i].steps, 0, places.axes * sizeof(Py_ssize_t))
        take_steps(&indices, 0, <cnp.ndarray>call.arrays[i])
        memcpy(&places.indices[i].steps[0 if has_rows else kept.count], indices.steps[0],
               indices.axes * sizeof(Py_ssize_t))
    for k in range(indices.axes):
        at = k + (0 if has_rows else kept.count)
        places.shape[at] = indices.shape[k]
        call.order[before + k] = at
    for k in range(kept.count):
        at = k + (indices.axes if has_rows else 0)
        places.shape[at], places.steps[at] = kept.shape[k], kept.steps[k]
        call.order[k + (indices.axes if k >= before else 0)] = at
    return True


cdef bint read_places(object items, cnp.ndarray array, CallAt *call, list owners) except -1:
    """Read the places in the target; return False if NumPy has to, or if there are none."""
    cdef KeptAxes kept
    cdef int k
    if cnp.PyArray_NDIM(array) == 0 or not cnp.PyArray_ISBEHAVED(array):
        return False
    kept.count = kept.before = 0
    kept.has_arrays = kept.is_open = kept.is_apart = False
    call.places.start, call.places.indexed = cnp.PyArray_BYTES(array), 0
    if not read_index(items, array, &kept, call, owners):
        return False
    if not lay_out_places(array, &kept, call):
        return False
    call.n = 1
    for k in range(call.places.axes):
        call.n *= call.places.shape[k]
    return call.n > 0


# ---------------------------------------------------------------- values

cdef bint read_values_at(object argument, cnp.ndarray array, CallAt *call) except -1:
    """Read the values, which broadcast to the places; return False if NumPy has to read them."""
    cdef cnp.ndarray values
    cdef int k, at, missing
    memset(call.places.value_steps, 0, call.places.axes * sizeof(Py_ssize_t))
    call.places.values = <const char *>&call.number
    if not cnp.PyArray_CheckExact(argument):
        return read_number_of_type(argument, cnp.PyArray_TYPE(array), &call.number)
    values = <cnp.ndarray>argument
    missing = call.places.axes - cnp.PyArray_NDIM(values)
    if (
        missing < 0 or cnp.PyArray_TYPE(values) != cnp.PyArray_TYPE(array)
        or not cnp.PyArray_ISBEHAVED_RO(values)
    ):
        return False
    if cnp.PyArray_SIZE(values) == 1:
        call.number = (<uint16_t *>cnp.PyArray_DATA(values))[0]
        return True
    for k in range(cnp.PyArray_NDIM(values)):
        if cnp.PyArray_DIM(values, k) == 1:
            continue
        at = call.order[missing + k]
        if cnp.PyArray_DIM(values, k) != <Py_ssize_t>call.places.shape[at]:
            return False
        call.places.value_steps[at] = cnp.PyArray_STRIDE(values, k)
    call.places.values = cnp.PyArray_BYTES(values)
    return are_separate(array, values)


# ---------------------------------------------------------------- calls

cdef PyObject *half_at(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    cdef cnp.ndarray array
    cdef CallAt call
    cdef unsigned flags
    cdef list owners = []  # of what the call reads
    if nargs != COUNT_OF_AT_ARGUMENTS or names != NULL or region_value() & (RANDOM | ASKED):
        return new_reference(NotImplemented)
    array = <cnp.ndarray>args[AT_TARGET]
    if not cnp.PyArray_CheckExact(array):
        return new_reference(NotImplemented)
    items = without_lists(<object>args[AT_INDICES])
    if items is None or not choose_map(self, is_float16(array), &call):
        return new_reference(NotImplemented)
    if not cnp.PyArray_ISWRITEABLE(array):  # NumPy's own way in may write to it
        raise ValueError(
            f"{(<object>self).__name__}.at: a: expected a writable array, got a read-only one")
    if not read_places(items, array, &call, owners):
        return new_reference(NotImplemented)
    if not read_values_at(<object>args[AT_VALUES], array, &call):
        return new_reference(NotImplemented)
    if call.n < RELEASE_GIL_AT:
        flags = halfcl_run_at(call.map, call.at, &call.places, call.mode)
    else:
        with nogil:
            flags = halfcl_run_at(call.map, call.at, &call.places, call.mode)
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
