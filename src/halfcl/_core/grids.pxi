# Calls on arrays of different layouts: strided, transposed, of shapes that broadcast. The engine
# walks all their axes at once; NumPy's ufuncs pass on pieces along one of them, and of an array
# that is transposed against another one each piece touches as many cache lines as it has elements.
# Needs: call.pxi, drivers.pxi, loops.pxi, regions.pxi, scalar.pxi, types.pxi

from cpython.exc cimport PyErr_WarnEx
from libc.string cimport memcmp

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef inline bint lies_aligned(PyObject *argument) noexcept:
    """Return whether it is an ndarray with axes, of either byte order, with aligned elements."""
    if <PyObject *>Py_TYPE(<object>argument) != <PyObject *>cnp.ndarray:
        return False
    cdef cnp.ndarray array = <cnp.ndarray>argument
    return cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_ALIGNED) and cnp.PyArray_NDIM(array) > 0


cdef bint broaden(halfcl_grid *grid, cnp.ndarray array) noexcept:
    """Broadcast the grid's shape against an array's; return False if they do not broadcast."""
    cdef int k, ndim = cnp.PyArray_NDIM(array), more = ndim - grid.axes
    cdef size_t length
    if more > 0:
        for k in range(grid.axes - 1, -1, -1):
            grid.shape[k + more] = grid.shape[k]
        for k in range(more):
            grid.shape[k] = 1
        grid.axes = ndim
    for k in range(ndim):
        length = cnp.PyArray_DIM(array, k)
        if grid.shape[k - min(more, 0)] == 1:
            grid.shape[k - min(more, 0)] = length
        elif length != 1 and length != grid.shape[k - min(more, 0)]:
            return False
    return True


cdef void take_steps(halfcl_grid *grid, int i, cnp.ndarray array) noexcept:
    """Write the steps of an operand: 0 along axes that it is broadcast along."""
    cdef int k, missing = grid.axes - cnp.PyArray_NDIM(array)
    for k in range(missing):
        grid.steps[i][k] = 0
    for k in range(missing, grid.axes):
        grid.steps[i][k] = (
            0 if cnp.PyArray_DIM(array, k - missing) == 1
            else cnp.PyArray_STRIDE(array, k - missing))


# ---------------------------------------------------------------- inputs to be converted
#
# NumPy casts an input in pieces along the innermost axis: three elements at a time for the mask of
# a picture's pixels. The engine converts it on the way to its buffers.

# Indexed by the number of a dtype: the conversion to half, if it is exact; or NULL.
cdef const halfcl_kernel *conversions_to_half[BUILTIN_NUMBERS]
cdef tuple SMALL_INTEGERS = tuple(np.dtype(letter) for letter in "?bB")
for small_integer in SMALL_INTEGERS:
    conversions_to_half[<int>small_integer.num] = find_kernel(
        "convert", f"{small_integer.char}>e", HALFCL_MAP)
cdef const halfcl_kernel *SWAP_BYTES = find_kernel("swap_bytes", "e>e", HALFCL_MAP)


cdef inline const halfcl_kernel *conversion_to_half(int number) noexcept:
    """Return the exact conversion of a dtype with that number to half; or NULL."""
    return conversions_to_half[number] if 0 <= number < BUILTIN_NUMBERS else NULL


cdef Promotion ask_for_promotion(object ufunc, cnp.dtype half):
    """Return what a NumPy ufunc promotes small integers beside halves to, in every place.

    Truth values of halves (logical_and, for example) are those of the integers converted to half.
    """
    for other in SMALL_INTEGERS:
        for place in range(ufunc.nin):
            dtypes = [half] * ufunc.nin + [None] * ufunc.nout
            dtypes[place] = other
            inputs = set(ufunc.resolve_dtypes(tuple(dtypes))[:ufunc.nin])
            if inputs not in ({half}, {np.dtype(np.bool_)}):
                return TO_OTHERS
    return TO_HALF


cdef bint promotes_to_half(UfuncData *ufunc, bint in_float16) except -1:
    """Return whether arrays of small integers are converted to the type of the halves beside them.
    """
    if ufunc.promotion[in_float16] == NOT_ASKED:
        ufunc.promotion[in_float16] = ask_for_promotion(
            <object>ufunc.ufunc, FLOAT16 if in_float16 else HALF)
    return ufunc.promotion[in_float16] == TO_HALF


cdef bint choose_conversions(
    Plan *plan, halfcl_grid *grid, UfuncData *ufunc, PyObject *const *args
) except -1:
    """Choose the kernel and the conversions of its inputs; return False if NumPy has to convert."""
    cdef const halfcl_signature *signature = &ufunc.kernels[0].signature
    cdef int i, number
    cdef bint has_integers = False
    if ufunc.count > 1 or plan.in_float16 and plan.in_half:
        return False
    for i in range(signature.nin):
        plan.conversions[i] = NULL
        if signature.types[i] != HALFCL_HALF:
            return False
        if plan.step[i] == 0:  # a Python number
            continue
        number = cnp.PyArray_TYPE(<cnp.ndarray>args[i])
        if engine_type(number) != HALFCL_HALF:
            has_integers = True
            plan.conversions[i] = conversion_to_half(number)
            if plan.conversions[i] == NULL:
                return False
        elif not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>args[i]):
            plan.conversions[i] = SWAP_BYTES
    plan.kernel, grid.conversions = ufunc.kernels[0], plan.conversions
    return not has_integers or promotes_to_half(ufunc, plan.in_float16)


# ---------------------------------------------------------------- inputs

cdef bint take_spread_inputs(
    Plan *plan, halfcl_grid *grid, UfuncData *ufunc, int numbers, PyObject *const *args
) except -1:
    """Plan inputs of any layout, as `take_inputs`; return False if NumPy has to prepare them."""
    cdef const halfcl_signature *signature = &ufunc.kernels[0].signature
    cdef cnp.ndarray array
    cdef int i, number
    cdef bint[HALFCL_MAX_OPERANDS] is_array
    cdef bint has_swapped = False
    grid.axes, grid.conversions, grid.masked = 0, NULL, False
    plan.in_fortran_order = True
    for i in range(signature.nin):
        is_array[i] = lies_aligned(args[i])
        if is_array[i]:
            array = <cnp.ndarray>args[i]
            if not broaden(grid, array):
                return False
            if plan.like == NULL:
                plan.like = args[i]
            plan.in_fortran_order &= (
                cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_F_CONTIGUOUS)
                and cnp.PyArray_SAMESHAPE(array, <cnp.ndarray>plan.like))
            has_swapped |= not cnp.PyArray_ISNOTSWAPPED(array)
            number = cnp.PyArray_TYPE(array)
            plan.in_half |= number == HALF_NUMBER
            plan.in_float16 |= number == NPY_HALF
            plan.start[i] = <char *>cnp.PyArray_DATA(array)
            plan.step[i] = cnp.PyArray_ITEMSIZE(array)
        elif ufunc.count > 1 or not take_number(args[i], signature.types[i], numbers, &plan.number[i]):
            return False
        else:
            plan.start[i] = <char *>&plan.number[i]
            plan.in_half |= <PyObject *>Py_TYPE(<object>args[i]) == SCALAR_CLASS
            plan.has_numbers = True
    plan.in_float16 |= numbers == NUMPYS_MODE  # a number of float16 beside integers, too
    # NumPy has its own rules for numbers beside float16.
    if plan.in_float16 and (plan.in_half or plan.has_numbers and numbers != NUMPYS_MODE):
        return False
    for i in range(signature.nin):
        if is_array[i]:
            take_steps(grid, i, <cnp.ndarray>args[i])
        else:
            memset(grid.steps[i], 0, grid.axes * sizeof(Py_ssize_t))
    if not has_swapped and choose_kernel(plan, ufunc, args):
        return True
    return choose_conversions(plan, grid, ufunc, args)


# ---------------------------------------------------------------- outputs

cdef bint is_inside(const halfcl_grid *grid, int nin, int outer, int inner) noexcept:
    """Return whether NumPy puts the axis `outer` inside the axis `inner`.

    It does where the step along it is smaller in each operand that is broadcast along neither, and
    there is such an operand.
    """
    cdef bint is_decided = False
    cdef Py_ssize_t one, other
    cdef int i
    for i in range(nin):
        one, other = abs(grid.steps[i][outer]), abs(grid.steps[i][inner])
        if one == 0 or other == 0:
            continue
        if other <= one:
            return False
        is_decided = True
    return is_decided


cdef bint is_order_determined(const halfcl_grid *grid, int nin, int one, int other) noexcept:
    """Return whether some operand determines the order of two axes."""
    cdef int i
    for i in range(nin):
        if grid.steps[i][one] != 0 and grid.steps[i][other] != 0:
            return True
    return False


cdef void order_axes(const halfcl_grid *grid, int nin, int *order) noexcept:
    """Write the axes, the outermost first, in NumPy's order for arrays that it allocates.

    That is the order of the inputs.
    """
    cdef int k, place, seen, n = grid.axes
    for k in range(n):
        order[k] = k
    # From the innermost axis on: move each inside of those that operands order before it, past
    # undetermined ones.
    for k in range(n - 2, -1, -1):
        place = k
        for seen in range(k + 1, n):
            if is_order_determined(grid, nin, k, order[seen]):
                if not is_inside(grid, nin, k, order[seen]):
                    break
                place = seen
        for seen in range(k, place):
            order[seen] = order[seen + 1]
        order[place] = k


cdef cnp.ndarray new_spread(const halfcl_grid *grid, const Plan *plan, cnp.dtype dtype):
    """Return a new array of the grid's shape, with its axes in the order of the inputs'."""
    cdef int[HALFCL_MAX_AXES] order
    cdef cnp.npy_intp[HALFCL_MAX_AXES] strides
    cdef cnp.npy_intp step = dtype.itemsize
    cdef int k
    order_axes(grid, plan.kernel.signature.nin, order)
    if plan.kernel.signature.nout == 1 and plan.in_fortran_order and grid.conversions == NULL:
        for k in range(grid.axes):  # includes axes of one element, which determine no order
            order[k] = grid.axes - 1 - k
    for k in range(grid.axes - 1, -1, -1):
        strides[order[k]] = step
        step *= grid.shape[order[k]]
    Py_INCREF(dtype)  # PyArray_NewFromDescr steals the reference
    return PyArray_NewFromDescr(
        <PyTypeObject *>cnp.ndarray, dtype, grid.axes, <const cnp.npy_intp *>grid.shape, strides,
        NULL, 0, None)


cdef bint are_apart(const halfcl_grid *grid, int i, Py_ssize_t size) noexcept:
    """Return whether no two elements of an operand overlap: axes continue where inner ones end."""
    cdef bint[HALFCL_MAX_AXES] taken
    cdef int k, turn, least
    cdef Py_ssize_t end = size
    memset(taken, 0, sizeof(taken))
    for turn in range(grid.axes):
        least = -1
        for k in range(grid.axes):
            if not taken[k] and (least < 0 or abs(grid.steps[i][k]) < abs(grid.steps[i][least])):
                least = k
        taken[least] = True
        if grid.shape[least] > 1:
            if abs(grid.steps[i][least]) < end:
                return False
            end += abs(grid.steps[i][least]) * (<Py_ssize_t>grid.shape[least] - 1)
    return True


cdef Bounds bounds_in_grid(
    const halfcl_grid *grid, int i, const char *start, Py_ssize_t size, int but=-1
) noexcept:
    """Return the bounds of an operand's memory, without the steps along the axis `but`."""
    cdef Bounds bounds
    cdef int k
    bounds.low, bounds.high = start, start + size
    for k in range(grid.axes):
        if k != but:
            reach_along(&bounds, grid.steps[i][k], grid.shape[k])
    return bounds


cdef Py_ssize_t common_divisor(Py_ssize_t a, Py_ssize_t b) noexcept:
    while b:
        a, b = b, a % b
    return abs(a)


cdef bint are_interleaved(const halfcl_grid *grid, const Plan *plan, int one, int other) noexcept:
    """Return whether two operands interleave along some axis without overlapping.

    An example are the left and the right half of each row of an array.
    """
    cdef Bounds bounds, others
    cdef Py_ssize_t period, distance
    cdef int k
    for k in range(grid.axes):
        period = common_divisor(grid.steps[one][k], grid.steps[other][k])
        if period == 0:
            continue
        bounds = bounds_in_grid(grid, one, plan.start[one], plan.step[one], k)
        others = bounds_in_grid(grid, other, plan.start[other], plan.step[other], k)
        distance = (bounds.low - others.low) % period
        if distance < 0:  # as C's remainders
            distance += period
        if (
            distance >= others.high - others.low
            and distance + (bounds.high - bounds.low) <= period
        ):
            return True
    return False


cdef bint spread_separate_or_same(
    const halfcl_grid *grid, const Plan *plan, int out, int other, bint may_be_same
) noexcept:
    """Return whether operands of a grid are separate, as `separate_or_same`."""
    cdef Bounds bounds = bounds_in_grid(grid, out, plan.start[out], plan.step[out])
    cdef Bounds others = bounds_in_grid(grid, other, plan.start[other], plan.step[other])
    if bounds_are_apart(&bounds, &others):
        return True
    if (
        may_be_same and plan.start[out] == plan.start[other] and plan.step[out] <= plan.step[other]
        and not memcmp(grid.steps[out], grid.steps[other], grid.axes * sizeof(Py_ssize_t))
    ):
        return True
    return are_interleaved(grid, plan, out, other)


cdef void take_spread_output(Plan *plan, halfcl_grid *grid, int at, cnp.ndarray out) noexcept:
    plan.start[at], plan.step[at] = <char *>cnp.PyArray_DATA(out), cnp.PyArray_ITEMSIZE(out)
    take_steps(grid, at, out)


cdef bint has_grid_shape(const halfcl_grid *grid, cnp.ndarray array) noexcept:
    cdef int k
    if cnp.PyArray_NDIM(array) != grid.axes:
        return False
    for k in range(grid.axes):
        if cnp.PyArray_DIM(array, k) != <Py_ssize_t>grid.shape[k]:
            return False
    return True


cdef bint can_be_written(const Plan *plan, const halfcl_grid *grid, int at) noexcept:
    """Return whether writing to an output changes nothing else that is read or written."""
    cdef int i
    if not are_apart(grid, at, plan.step[at]):
        return False
    for i in range(at):
        # The step of a Python number is 0; no array overlaps it.
        if plan.step[i] and not spread_separate_or_same(
            grid, plan, at, i, i < plan.kernel.signature.nin
        ):
            return False
    return True


cdef object spread_output(
    Plan *plan, halfcl_grid *grid, int k, PyObject *out, bint as_half
):
    """Return an array for a result, as `take_output`, for operands of a grid."""
    cdef int at = plan.kernel.signature.nin + k
    cdef cnp.dtype dtype = result_dtype(plan.kernel.signature.types[at], plan.in_float16 and not as_half)
    cdef cnp.ndarray result
    if is_to_be_new(out):
        result = new_spread(grid, plan, dtype)
        take_spread_output(plan, grid, at, result)
        return result
    if (
        not lies_aligned(out)
        or not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>out)
        or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray>out)
        or cnp.PyArray_TYPE(<cnp.ndarray>out) != dtype.type_num
        or not has_grid_shape(grid, <cnp.ndarray>out)
    ):
        return None
    take_spread_output(plan, grid, at, <cnp.ndarray>out)
    return <cnp.ndarray>out if can_be_written(plan, grid, at) else None


# ---------------------------------------------------------------- the call

cdef size_t count_elements(const halfcl_grid *grid) noexcept:
    """Return the number of elements; 0 if NumPy cannot count them."""
    cdef size_t n = 1
    cdef int k
    for k in range(grid.axes):
        if grid.shape[k] and n > <size_t>PY_SSIZE_T_MAX // grid.shape[k]:
            return 0
        n *= grid.shape[k]
    return n


cdef bint take_mask_of(Plan *plan, halfcl_grid *grid, cnp.ndarray mask) noexcept:
    """Add a mask after the kernel's operands; return False if it does not broadcast to the grid."""
    cdef int at = plan.kernel.signature.nin + plan.kernel.signature.nout
    cdef int k, missing = grid.axes - cnp.PyArray_NDIM(mask)
    if missing < 0:
        return False
    for k in range(cnp.PyArray_NDIM(mask)):
        if cnp.PyArray_DIM(mask, k) not in (1, <Py_ssize_t>grid.shape[missing + k]):
            return False
    plan.start[at] = cnp.PyArray_BYTES(mask)
    take_steps(grid, at, mask)
    grid.masked = True
    return True


cdef object calculate_spread(
    UfuncData *ufunc, int mode, int numbers, str name, PyObject *const *args,
    PyObject *const *outs, unsigned wanted=ALL_EXCEPTIONS, PyObject *where=NULL,
    const char *warning=NULL
):
    """Return the results on arrays of any layout, as `calculate`.

    where: the bools that select elements of the output, which shares no memory with them; or NULL.
    warning: a warning to give before the exceptions of the results, or NULL.
    """
    cdef Plan plan
    cdef halfcl_grid grid
    cdef size_t n
    cdef unsigned flags
    cdef int k
    cdef object results = None
    if mode == RANDOM_MODE or region_value() & (RANDOM | ASKED):
        return None  # random decisions depend on the order of elements
    if are_finite_results_watched():
        return None  # loops watch their results
    begin(&plan)
    if not take_spread_inputs(&plan, &grid, ufunc, numbers, args):
        return None
    n = count_elements(&grid)
    if n == 0 or grid.axes == 0 or are_truths_observed(plan.kernel):
        return None
    if plan.kernel.signature.nout == 2 and (outs[0] == NULL) != (outs[1] == NULL):
        return None  # NumPy lays out one like the other
    for k in range(plan.kernel.signature.nout):
        result = spread_output(&plan, &grid, k, outs[k], ufunc.result_is_half)
        if result is None:
            return None
        results = result if k == 0 else (results, result)
    if where != NULL and not take_mask_of(&plan, &grid, <cnp.ndarray>where):
        return None
    if where != NULL and outs[0] == NULL and not (
        cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>where)
        and cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>results)
    ):
        return None  # the mask's layout has a say in that of NumPy's result
    if warning != NULL:
        PyErr_WarnEx(UserWarning, warning, 1)
    count_run(plan.kernel)
    if n < RELEASE_GIL:
        flags = halfcl_run_grid(ISA, plan.kernel, plan.start, &grid, <halfcl_rounding>mode)
    else:
        with nogil:
            flags = halfcl_run_grid(ISA, plan.kernel, plan.start, &grid, <halfcl_rounding>mode)
    if flags & wanted:
        report(flags & wanted, name)
    return results
