# Loads and stores: their usual calls, in less time than a conversion takes.
# Needs: call.pxi, function.pxi, loops.pxi, scalar.pxi, types.pxi, vector.pxi

ctypedef cnp.npy_intp Offset


cdef Offset plain_offset(object offset):
    """Return a Python int as an offset; -1 if it cannot be one."""
    cdef int overflow = 0
    if type(offset) is not int:
        return -1
    cdef long long number = PyLong_AsLongLongAndOverflow(offset, &overflow)
    return -1 if overflow or number < 0 else number


cdef char *part_of_buffer(
    object p, Offset offset, Py_ssize_t width, int ndim, const cnp.npy_intp *shape
) noexcept:
    """Return the address in p of an offset of vectors with that shape; NULL if p is too short.

    Return NULL, too, if p is not a plain one-dimensional array of half.
    """
    if not is_plain(<PyObject *>p) or engine_type(cnp.PyArray_TYPE(<cnp.ndarray>p)) != HALFCL_HALF:
        return NULL
    cdef cnp.ndarray buffer = <cnp.ndarray>p
    cdef Py_ssize_t size = 1, total = cnp.PyArray_SIZE(buffer)
    cdef int axis
    for axis in range(ndim):
        size *= shape[axis]
        if size > total:
            return NULL
    if cnp.PyArray_NDIM(buffer) != 1 or offset < 0 or offset > total or offset * width + size > total:
        return NULL
    return cnp.PyArray_BYTES(buffer) + offset * width * 2


cdef bint take_part(
    Plan *plan, int at, char *part, int ndim, const cnp.npy_intp *shape
) noexcept:
    """Plan a part of a buffer as an operand; return False if there is no such part."""
    cdef int axis
    plan.start[at], plan.step[at], plan.n = part, 2, 1
    for axis in range(ndim):
        plan.n *= shape[axis]
    return part != NULL


cdef bint part_is_separate(const char *part, size_t n, cnp.ndarray array) noexcept:
    """Return whether so many halves share no memory with an array."""
    cdef const char *data = <const char *>cnp.PyArray_DATA(array)
    return part + 2 * n <= data or data + cnp.PyArray_NBYTES(array) <= part


cdef const halfcl_kernel *kernel_from(UfuncData *ufunc, int type) noexcept:
    """Return the kernel whose first argument is of a type; NULL if there is none."""
    cdef int k
    for k in range(ufunc.count):
        if ufunc.kernels[k].signature.types[0] == type:
            return ufunc.kernels[k]
    return NULL


cdef int check_conversion(const halfcl_kernel *kernel, int to, Py_ssize_t width) except -1:
    if width < 0:
        raise ValueError(f"width: expected 0 or that of vectors, got {width}")
    if kernel == NULL or kernel.signature.nin != 1 or kernel.signature.types[1] != to:
        raise TypeError("expected a conversion between half and float")
    return 0


def load_halves(
    Function widen not None, object offset, object p, Py_ssize_t width, object out, kind not None
):
    """Load vectors (scalars, if width is 0) of p at an int or a range of step 1, widened to float.

    widen: the conversion to float; kind: the class of a new array. Return None if offset, p and
    out, an array of float if any, are not as plain as that, or wrong.
    """
    cdef Plan plan
    cdef cnp.npy_intp[2] shape
    cdef int ndim = 0
    cdef cnp.dtype dtype = dtype_of_type(HALFCL_FLOAT)
    check_array_class(kind)
    plan.kernel = kernel_from(widen.data[0], HALFCL_HALF)
    check_conversion(plan.kernel, HALFCL_FLOAT, width)
    if type(offset) is range:
        if offset.step != 1:
            return None
        shape[0] = max(0, plain_offset(offset.stop) - plain_offset(offset.start))
        ndim = 1
        offset = offset.start
    if width:
        shape[ndim] = width
        ndim += 1
    cdef char *part = part_of_buffer(p, plain_offset(offset), width or 1, ndim, shape)
    if not take_part(&plan, 0, part, ndim, shape):
        return None
    if out is None and ndim == 0:
        plan.start[1] = <char *>&plan.number[1]
        run(&plan, HALFCL_RTE, widen.name)
        return PyArray_Scalar(plan.start[1], dtype, None)
    if out is None:
        Py_INCREF(dtype)  # PyArray_NewFromDescr steals the reference
        out = PyArray_NewFromDescr(<PyTypeObject *>kind, dtype, ndim, shape, NULL, NULL, 0, None)
    elif not (
        is_usable(<PyObject *>out, dtype, ndim, shape)
        and part_is_separate(part, plan.n, <cnp.ndarray>out)
    ):
        return None
    plan.start[1], plan.step[1] = <char *>cnp.PyArray_DATA(<cnp.ndarray>out), sizeof(float)
    run(&plan, HALFCL_RTE, widen.name)
    return out


cdef bint takes_array(Plan *plan, cnp.ndarray array) noexcept:
    """Plan an array of float or double as the input of a store."""
    cdef int type = engine_type(cnp.PyArray_TYPE(array))
    plan.start[0], plan.step[0] = <char *>cnp.PyArray_DATA(array), cnp.PyArray_ITEMSIZE(array)
    return (type == HALFCL_FLOAT or type == HALFCL_DOUBLE) and (
        cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
        and cnp.PyArray_ISNOTSWAPPED(array))


def store_halves(
    Function narrow not None, object data, object offset, object p, Py_ssize_t width, rounding
):
    """Narrow data, floats in an array or a Python float, to the vectors of p from an int on.

    narrow: the conversion to half; rounding: its mode's name, or None. Return whether that was
    done: False if data, offset and p are not as plain as that, or wrong.
    """
    cdef Plan plan
    cdef int ndim = 0, type = HALFCL_DOUBLE, mode
    cdef const cnp.npy_intp *shape = NULL
    cdef cnp.ndarray array = None
    if cnp.PyArray_Check(data):
        array = <cnp.ndarray>data
        ndim, shape, type = cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), engine_type(cnp.PyArray_TYPE(array))
        if not takes_array(&plan, array) or width and (ndim == 0 or shape[ndim - 1] != width):
            return False
    elif width == 0 and PyFloat_CheckExact(data):
        plan.number[0].largest = PyFloat_AS_DOUBLE(data)
        plan.start[0], plan.step[0] = <char *>&plan.number[0], sizeof(double)
    else:
        return False
    cdef char *part = part_of_buffer(p, plain_offset(offset), width or 1, ndim, shape)
    if not take_part(&plan, 1, part, ndim, shape) or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray>p):
        return False
    if array is not None and not part_is_separate(part, plan.n, array) or cnp.PyArray_Check(rounding):
        return False
    mode = narrow.resolve_mode(rounding)
    plan.kernel = kernel_from(narrow.data[0], type)
    check_conversion(plan.kernel, HALFCL_HALF, width)
    run(&plan, mode, narrow.name)
    return True


def are_consecutive(cnp.ndarray offsets not None):
    """Return whether each of some intp, in one piece of memory, is one more than the last."""
    if cnp.PyArray_TYPE(offsets) != cnp.NPY_INTP or not cnp.PyArray_IS_C_CONTIGUOUS(offsets):
        raise TypeError("offsets: expected intp in one piece of memory")
    cdef const size_t *at = <const size_t *>cnp.PyArray_DATA(offsets)  # unsigned, as its sums may wrap
    cdef size_t i, count = cnp.PyArray_SIZE(offsets)
    for i in range(count):
        if at[i] != at[0] + i:
            return False
    return True
