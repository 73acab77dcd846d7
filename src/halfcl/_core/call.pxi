# The steps of a call: prepare the operands, choose the kernel, run it, wrap the results.
#
# This file handles operands that need only their addresses: arrays in one piece of memory, of one
# shape, and Python's numbers. NumPy's ufunc prepares all others, in pieces if need be, and ends in
# the loops of loops.pxi, which run the same kernels. A call of the ufunc costs some 150 ns more,
# mostly for preparations that these operands do not need.
# Needs: drivers.pxi, loops.pxi, regions.pxi, scalar.pxi, types.pxi

from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int32_t

cdef extern from "numpy/arrayobject.h":
    object PyArray_Empty(int, const cnp.npy_intp *, cnp.dtype, int)
    object PyArray_NewFromDescr(
        PyTypeObject *, cnp.dtype, int, const cnp.npy_intp *, const cnp.npy_intp *, void *, int,
        object)

cdef enum:
    MAX_RESULTS = 2
    RELEASE_GIL = 4096  # elements from which releasing it pays
    RELEASE_GIL_OF_SUMS = 1 << 15  # elements of one sum, or one of products
    REGIONS_MODE = -1   # in place of a mode: the region's mode for conversions to half
    NUMPYS_MODE = -2    # the same: the mode of casts to float16, since NumPy casts such numbers

cdef unsigned ALL_EXCEPTIONS = ~<unsigned>0


# Room for a Python number as an operand, or for a single result of any type.
ctypedef union Number:
    uint16_t word  # a half, or an integer of 16 bits
    int32_t integer
    double largest

# The kernel of a call and its operands: the inputs, then the outputs.
ctypedef struct Plan:
    const halfcl_kernel *kernel
    char *start[HALFCL_MAX_OPERANDS]
    Py_ssize_t step[HALFCL_MAX_OPERANDS]
    size_t n
    PyObject *like  # an array among the inputs, whose shape is that of the results; or NULL
    bint in_half, in_float16  # the dtypes of the halves among the inputs
    bint has_numbers
    bint in_fortran_order  # for a grid: whether each array is in one piece in column-major order
    const halfcl_kernel *conversions[HALFCL_MAX_OPERANDS]  # for a grid: of inputs to halves; or NULL
    Number number[HALFCL_MAX_OPERANDS]  # storage of Python's numbers and single results


# ---------------------------------------------------------------- operands without preparation

cdef inline bint is_plain(PyObject *argument) noexcept:
    """Return whether it is an ndarray with axes, in one piece of memory, of native byte order."""
    return is_in_one_piece(argument) and cnp.PyArray_NDIM(<cnp.ndarray>argument) > 0


cdef inline bint is_in_one_piece(PyObject *argument) noexcept:
    """Return whether it is an ndarray in one piece of memory, of native byte order."""
    if <PyObject *>Py_TYPE(<object>argument) != <PyObject *>cnp.ndarray:
        return False
    cdef cnp.ndarray array = <cnp.ndarray>argument
    return (
        cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
        and cnp.PyArray_ISNOTSWAPPED(array)
    )


ctypedef struct Bounds:
    const char *low
    const char *high


cdef inline void reach_along(Bounds *bounds, Py_ssize_t step, Py_ssize_t length) noexcept nogil:
    """Extend bounds of memory by the elements along one more axis, of which there are some."""
    cdef Py_ssize_t span = step * (length - 1)
    bounds.low += min(span, 0)
    bounds.high += max(span, 0)


cdef inline bint bounds_are_apart(const Bounds *one, const Bounds *other) noexcept nogil:
    return one.high <= other.low or other.high <= one.low


cdef Bounds bounds_of(cnp.ndarray array) noexcept:
    """Return the bounds of the memory of an array that has elements."""
    cdef Bounds bounds
    cdef int k
    bounds.low = cnp.PyArray_BYTES(array)
    bounds.high = bounds.low + cnp.PyArray_ITEMSIZE(array)
    for k in range(cnp.PyArray_NDIM(array)):
        reach_along(&bounds, cnp.PyArray_STRIDE(array, k), cnp.PyArray_DIM(array, k))
    return bounds


cdef bint are_separate(cnp.ndarray one, cnp.ndarray other) noexcept:
    """Return whether the memory of two arrays does not overlap, whatever their strides."""
    cdef Bounds bounds, others
    if cnp.PyArray_SIZE(one) == 0 or cnp.PyArray_SIZE(other) == 0:
        return True
    bounds, others = bounds_of(one), bounds_of(other)
    return bounds_are_apart(&bounds, &others)


cdef bint is_new_like(PyObject *one, PyObject *other) noexcept:
    """Return whether one is another ndarray of half with memory of its own and the other's shape.
    """
    cdef PyObject *ndarray = <PyObject *>cnp.ndarray
    if <PyObject *>Py_TYPE(<object>one) != ndarray or <PyObject *>Py_TYPE(<object>other) != ndarray:
        return False
    return (
        one != other
        and cnp.PyArray_TYPE(<cnp.ndarray>one) == HALF_NUMBER
        and cnp.PyArray_CHKFLAGS(<cnp.ndarray>one, cnp.NPY_ARRAY_OWNDATA)
        and cnp.PyArray_SAMESHAPE(<cnp.ndarray>one, <cnp.ndarray>other)
    )


def are_new_halves(list values not None):
    """Return whether several values are ndarrays of half of one shape, each with its own memory."""
    cdef Py_ssize_t i, k
    for i in range(len(values)):
        for k in range(len(values)):
            if i != k and not is_new_like(<PyObject *>values[i], <PyObject *>values[k]):
                return False
    return len(values) > 1


cdef bint separate_or_same(cnp.ndarray out, cnp.ndarray array) noexcept:
    """Return whether writing an output overwrites only the input element it is computed from."""
    if cnp.PyArray_DATA(out) == cnp.PyArray_DATA(array):
        return cnp.PyArray_ITEMSIZE(out) <= cnp.PyArray_ITEMSIZE(array)
    return are_separate(out, array)


cdef inline halfcl_rounding mode_of_numbers(int numbers, double number) noexcept:
    """Return the mode that a number of Python's is rounded in: the call's own, or the region's."""
    if numbers == NUMPYS_MODE:
        return mode_of_cast(number)
    if numbers == REGIONS_MODE or numbers == RANDOM_MODE:
        return mode_of_number(
            mode_of_loops(BY_OPERATOR) if numbers == REGIONS_MODE else numbers, number)
    return <halfcl_rounding>numbers


cdef bint take_integer(object value, int type, int numbers, Number *to) except -1:
    """Write a Python int as an operand of that type; return False if it does not fit."""
    cdef unsigned flags = 0
    cdef bint exact
    cdef int overflow = 0
    cdef long long integer = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow:
        return False
    if type == HALFCL_HALF:
        exact = -2048 <= integer <= 2048  # in every mode, so the mode need not be looked up
        to.word = halfcl_from_double(
            <double>integer, HALFCL_RTE if exact else mode_of_numbers(numbers, <double>integer),
            &flags)
        return -65504 <= integer <= 65504
    if type == HALFCL_INT32:
        to.integer = <int32_t>integer
        return integer == <int32_t>integer
    if type == HALFCL_UINT16:
        to.word = <uint16_t>integer
        return integer == <uint16_t>integer
    return False


cdef bint take_number(PyObject *argument, int type, int numbers, Number *to) except -1:
    """Write a Python number or a half as an operand; return False if NumPy has to convert it.

    numbers: the mode that they are rounded in, REGIONS_MODE or NUMPYS_MODE, which takes NumPy's
    float16 in place of a half.
    """
    cdef object value = <object>argument
    cdef unsigned flags = 0
    if <PyObject *>Py_TYPE(value) == (FLOAT16_SCALAR_CLASS if numbers == NUMPYS_MODE else SCALAR_CLASS):
        to.word = (<float16>value).obval
        return type == HALFCL_HALF
    if PyFloat_CheckExact(value):
        if numbers == NUMPYS_MODE:
            to.word = cast_to_float16(PyFloat_AS_DOUBLE(value), &flags)
        else:
            to.word = halfcl_from_double(
                PyFloat_AS_DOUBLE(value), mode_of_numbers(numbers, PyFloat_AS_DOUBLE(value)),
                &flags)
        return type == HALFCL_HALF and not flags
    if PyLong_CheckExact(value) or PyBool_Check(value):
        return take_integer(value, type, numbers, to)
    return False


cdef bint take_array(Plan *plan, int i, PyObject *argument) noexcept:
    """Add an array to the plan as it is; return False if NumPy has to prepare it."""
    cdef cnp.ndarray array = <cnp.ndarray>argument
    cdef int number = cnp.PyArray_TYPE(array)
    if plan.like == NULL:
        plan.like = argument
    elif not cnp.PyArray_SAMESHAPE(array, <cnp.ndarray>plan.like):
        return False
    plan.in_half |= number == HALF_NUMBER
    plan.in_float16 |= number == NPY_HALF
    plan.start[i] = <char *>cnp.PyArray_DATA(array)
    plan.step[i] = cnp.PyArray_ITEMSIZE(array)
    return True


cdef bint take_single(Plan *plan, int i, PyObject *argument) noexcept:
    """Add a half or float16 in an array without axes to the plan, as a number.

    It is copied, since an output may overlap it. Return False for anything else.
    """
    if not is_in_one_piece(argument):
        return False
    cdef cnp.ndarray array = <cnp.ndarray>argument
    cdef int number = cnp.PyArray_TYPE(array)
    if cnp.PyArray_NDIM(array) > 0 or number != HALF_NUMBER and number != NPY_HALF:
        return False
    plan.in_half |= number == HALF_NUMBER
    plan.in_float16 |= number == NPY_HALF
    plan.number[i].word = (<uint16_t *>cnp.PyArray_DATA(array))[0]
    return True


cdef bint takes(const halfcl_kernel *kernel, Plan *plan, PyObject *const *args) noexcept:
    """Return whether a kernel takes the arrays among the arguments as they are."""
    cdef int i
    for i in range(kernel.signature.nin):
        if plan.step[i] and engine_type(cnp.PyArray_TYPE(<cnp.ndarray>args[i])) != kernel.signature.types[i]:
            return False
    return True


cdef bint choose_kernel(Plan *plan, UfuncData *ufunc, PyObject *const *args) noexcept:
    cdef int k
    for k in range(ufunc.count):
        if takes(ufunc.kernels[k], plan, args):
            plan.kernel = ufunc.kernels[k]
            return True
    return False


cdef inline void begin(Plan *plan) noexcept:
    """Start a plan without operands.

    Clearing all of it would take as long as adding two numbers.
    """
    cdef int i
    plan.like = NULL
    plan.in_half = plan.in_float16 = plan.has_numbers = False
    for i in range(HALFCL_MAX_OPERANDS):
        plan.step[i] = 0


cdef bint take_inputs(Plan *plan, UfuncData *ufunc, int numbers, PyObject *const *args) except -1:
    """Plan the inputs and choose their kernel; return False if NumPy has to prepare them."""
    cdef const halfcl_signature *signature = &ufunc.kernels[0].signature
    cdef int i
    for i in range(signature.nin):
        if is_plain(args[i]):
            if not take_array(plan, i, args[i]):
                return False
        elif ufunc.count == 1 and signature.types[i] == HALFCL_HALF and take_single(plan, i, args[i]):
            plan.start[i] = <char *>&plan.number[i]
        elif ufunc.count == 1 and take_number(args[i], signature.types[i], numbers, &plan.number[i]):
            plan.start[i] = <char *>&plan.number[i]
            plan.in_half |= <PyObject *>Py_TYPE(<object>args[i]) == SCALAR_CLASS
            plan.has_numbers = True
        else:
            return False
    plan.in_float16 |= numbers == NUMPYS_MODE  # a number of float16 beside integers, too
    # NumPy has its own rules for numbers beside float16.
    if plan.in_float16 and (plan.in_half or plan.has_numbers and numbers != NUMPYS_MODE):
        return False
    plan.n = cnp.PyArray_SIZE(<cnp.ndarray>plan.like) if plan.like != NULL else 1
    return choose_kernel(plan, ufunc, args)


# ---------------------------------------------------------------- outputs

cdef cnp.dtype result_dtype(int type, bint in_float16):
    return FLOAT16 if type == HALFCL_HALF and in_float16 else dtype_of_type(type)


cdef object new_array(int ndim, const cnp.npy_intp *shape, cnp.dtype dtype):
    Py_INCREF(dtype)  # PyArray_Empty steals the reference
    return PyArray_Empty(ndim, shape, dtype, 0)


cdef bint is_usable(PyObject *out, cnp.dtype dtype, int ndim, const cnp.npy_intp *shape) noexcept:
    """Return whether results of that dtype and shape can be written to it directly."""
    if not is_plain(out):
        return False
    cdef cnp.ndarray array = <cnp.ndarray>out
    return (
        cnp.PyArray_ISWRITEABLE(array)
        and cnp.PyArray_TYPE(array) == dtype.type_num
        and cnp.PyArray_NDIM(array) == ndim
        and cnp.PyArray_CompareLists(cnp.PyArray_DIMS(array), shape, ndim)
    )


cdef bint keeps_inputs(cnp.ndarray out, Plan *plan, PyObject *const *args) noexcept:
    """Return whether writing to an output overwrites no input too early."""
    cdef int i
    for i in range(plan.kernel.signature.nin):
        if plan.step[i] and not separate_or_same(out, <cnp.ndarray>args[i]):
            return False
    return True


cdef bint numpy_takes_ellipsis() except -1:
    """Return whether NumPy's ufuncs take out=... for an array also where there are no axes."""
    try:
        np.add(1, 1, out=...)
    except TypeError:
        return False
    return True


cdef PyObject *NEW_ARRAY = <PyObject *>Ellipsis if numpy_takes_ellipsis() else NULL


cdef inline bint is_to_be_new(PyObject *out) noexcept:
    """Return whether a result with axes is written to a new array."""
    return out == NULL or out == NEW_ARRAY


cdef object take_output(Plan *plan, int k, PyObject *const *args, PyObject *out, bint as_half):
    """Return an array for the k-th result, out or a new one; None if NumPy has to prepare it."""
    cdef cnp.ndarray like = <cnp.ndarray>plan.like, result
    cdef int at = plan.kernel.signature.nin + k
    cdef cnp.dtype dtype = result_dtype(plan.kernel.signature.types[at], plan.in_float16 and not as_half)
    if is_to_be_new(out):
        result = new_array(cnp.PyArray_NDIM(like), cnp.PyArray_DIMS(like), dtype)
    elif (
        is_usable(out, dtype, cnp.PyArray_NDIM(like), cnp.PyArray_DIMS(like))
        and keeps_inputs(<cnp.ndarray>out, plan, args)
    ):
        result = <cnp.ndarray>out
    else:
        return None
    plan.start[at] = <char *>cnp.PyArray_DATA(result)
    plan.step[at] = cnp.PyArray_ITEMSIZE(result)
    return result


# ---------------------------------------------------------------- element by element

cdef int run(Plan *plan, int mode, str name, unsigned wanted=ALL_EXCEPTIONS) except -1:
    """Run the kernel; pass the exceptions that are wanted on to numpy.errstate."""
    cdef unsigned flags
    if plan.n < RELEASE_GIL:
        flags = run_map(plan.kernel, plan.start, plan.step, plan.n, mode)
    else:
        with nogil:
            flags = run_map(plan.kernel, plan.start, plan.step, plan.n, mode)
    return report(flags & wanted, name) if flags & wanted else 0


cdef object lone_result(Plan *plan, int i, bint in_float16):
    """Return an operand of a call without axes, a result, as a scalar."""
    if plan.kernel.signature.types[i] == HALFCL_HALF:
        return new_scalar(
            <object>(FLOAT16_SCALAR_CLASS if in_float16 else SCALAR_CLASS), plan.number[i].word)
    return PyArray_Scalar(plan.start[i], dtype_of_type(plan.kernel.signature.types[i]), None)


cdef inline bint has_nan(const Plan *plan, int first, int end) noexcept:
    """Return whether a half is a NaN among the numbers of a plan."""
    cdef int i
    for i in range(first, end):
        if plan.kernel.signature.types[i] == HALFCL_HALF and plan.number[i].word & 0x7FFF > 0x7C00:
            return True
    return False


cdef object calculate_lone(Plan *plan, int mode, str name, bint in_float16, unsigned wanted):
    """Return the results of a call without axes; None if NumPy has to compute them.

    Beside float16 NumPy chooses the bits of NaNs.
    """
    cdef const halfcl_signature *signature = &plan.kernel.signature
    cdef int i, nin = signature.nin, end = signature.nin + signature.nout
    cdef unsigned flags
    if in_float16 and (has_nan(plan, 0, nin) or are_finite_results_watched()):
        return None
    for i in range(nin, end):
        plan.start[i] = <char *>&plan.number[i]
    flags = wanted & run_map(plan.kernel, plan.start, plan.step, 1, mode)
    if in_float16 and has_nan(plan, nin, end):
        return None
    if flags:
        report(flags, name)
    first = lone_result(plan, nin, in_float16)
    return first if signature.nout == 1 else (first, lone_result(plan, nin + 1, in_float16))


cdef object calculate(
    UfuncData *ufunc, int mode, int numbers, str name, PyObject *const *args,
    PyObject *const *outs, unsigned wanted=ALL_EXCEPTIONS
):
    """Return the elementwise results of plain operands; None if NumPy has to prepare them.

    numbers: the mode that Python's numbers among them are rounded in, see `take_number`; args: as
    many as the kernels take; outs: as many as they return, NULL where none was passed.
    """
    cdef Plan plan
    begin(&plan)
    if not take_inputs(&plan, ufunc, numbers, args):
        return None
    if plan.like == NULL:
        if not is_to_be_new(outs[0]) or (
            plan.kernel.signature.nout > 1 and (outs[0] != NULL or outs[1] != NULL)
        ):
            return None
        in_float16 = numbers == NUMPYS_MODE or plan.in_float16 and not ufunc.result_is_half
        lone = calculate_lone(&plan, mode, name, in_float16, wanted)
        return lone if lone is None or outs[0] == NULL else np.asarray(lone)
    first = take_output(&plan, 0, args, outs[0], ufunc.result_is_half)
    if first is None:
        return None
    if plan.kernel.signature.nout == 1:
        run(&plan, mode, name, wanted)
        return first
    second = take_output(&plan, 1, args, outs[1], ufunc.result_is_half)
    if second is None or not are_separate(first, second):
        return None
    run(&plan, mode, name, wanted)
    return first, second


# ---------------------------------------------------------------- vectors along the last axis

cdef int run_vectors(
    const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n, int mode,
    str name
) except -1:
    """Run the kernel; pass its exceptions on to numpy.errstate."""
    cdef unsigned flags
    if n * operands[0].width < (RELEASE_GIL if n > 1 else RELEASE_GIL_OF_SUMS):
        flags = run_geometric(kernel, operands, n, mode)
    else:
        with nogil:
            flags = run_geometric(kernel, operands, n, mode)
    return report(flags, name) if flags else 0


cdef object calculate_numbers(
    const halfcl_kernel *kernel, int mode, int numbers, str name, PyObject *const *args
):
    """Compute a function of vectors of numbers, as vectors of one component.

    Return None if other arguments are among them.
    """
    cdef halfcl_vectors operands[HALFCL_MAX_OPERANDS]
    cdef Number number[HALFCL_MAX_OPERANDS]
    cdef int i, nin = kernel.signature.nin
    for i in range(nin + 1):
        if i < nin and not take_number(args[i], HALFCL_HALF, numbers, &number[i]):
            return None
        operands[i] = halfcl_vectors(<char *>&number[i], 2, 2, 1)
    run_vectors(kernel, operands, 1, mode, name)
    return new_scalar(<object>SCALAR_CLASS, number[nin].word)


cdef inline halfcl_vectors vectors_of(cnp.ndarray array, Py_ssize_t width) noexcept:
    return halfcl_vectors(<char *>cnp.PyArray_DATA(array), 2 * width, 2 if width > 1 else 0, width)


cdef cnp.ndarray output_of_vectors(
    PyObject *out, int ndim, const cnp.npy_intp *shape, cnp.dtype kind
):
    """Return out if results can be written to it directly, else None; without out, a new array."""
    if out == NULL:
        return new_array(ndim, shape, kind)
    if ndim == 0 and takes_one(out, kind):
        return <cnp.ndarray>out
    return <cnp.ndarray>out if is_usable(out, kind, ndim, shape) else None


cdef bint takes_one(PyObject *out, cnp.dtype kind) noexcept:
    """Return whether a single result fits: into an array without axes, or with axes of 1."""
    if not is_in_one_piece(out):
        return False
    cdef cnp.ndarray array = <cnp.ndarray>out
    return (
        cnp.PyArray_ISWRITEABLE(array) and cnp.PyArray_TYPE(array) == kind.type_num
        and cnp.PyArray_SIZE(array) == 1
    )


cdef object number_of_vectors(
    const halfcl_kernel *kernel, halfcl_vectors *operands, int mode, str name, bint is_half
):
    """Return a function's result for one vector each: a scalar, as every ufunc returns."""
    cdef Number lone
    operands[kernel.signature.nin] = halfcl_vectors(<char *>&lone, 2, 0, 1)
    run_vectors(kernel, operands, 1, mode, name)
    if is_half:
        return new_scalar(<object>SCALAR_CLASS, lone.word)
    return PyArray_Scalar(&lone, FLOAT16, None)


cdef object calculate_vectors(
    UfuncData *ufunc, int mode, int numbers, str name, PyObject *const *args,
    PyObject *const *outs
):
    """Compute a function of vectors along the last axis, as `calculate`."""
    cdef const halfcl_kernel *kernel = ufunc.kernels[0]
    cdef bint gives_vectors = kernel.vectors.gives_vectors
    cdef halfcl_vectors operands[HALFCL_MAX_OPERANDS]
    cdef cnp.ndarray first, result
    cdef int i, ndim, number, nin = kernel.signature.nin
    cdef Py_ssize_t width
    if not is_plain(args[0]):
        if outs[0] != NULL or kernel.vectors.narrowest:
            return None
        return calculate_numbers(kernel, mode, numbers, name, args)
    first = <cnp.ndarray>args[0]
    ndim, number = cnp.PyArray_NDIM(first), cnp.PyArray_TYPE(first)
    if number != HALF_NUMBER and number != NPY_HALF:
        return None
    width = cnp.PyArray_DIM(first, ndim - 1)
    if width == 0 or not takes_width(kernel, width):
        return None
    for i in range(nin):
        if (
            not is_plain(args[i]) or cnp.PyArray_TYPE(<cnp.ndarray>args[i]) != number
            or not cnp.PyArray_SAMESHAPE(<cnp.ndarray>args[i], first)
        ):
            return None
        operands[i] = vectors_of(<cnp.ndarray>args[i], width)
    ndim -= not gives_vectors
    if ndim == 0 and outs[0] == NULL:
        return number_of_vectors(kernel, operands, mode, name, number == HALF_NUMBER)
    result = output_of_vectors(
        outs[0], ndim, cnp.PyArray_DIMS(first), HALF if number == HALF_NUMBER else FLOAT16)
    if result is None:
        return None
    for i in range(nin):
        if not are_separate(result, <cnp.ndarray>args[i]):
            return None
    operands[nin] = vectors_of(result, width if gives_vectors else 1)
    run_vectors(kernel, operands, cnp.PyArray_SIZE(first) // width, mode, name)
    return result
