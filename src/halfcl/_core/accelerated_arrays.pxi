# Replaces what NumPy does with float16 arrays outside its ufuncs' loops and its casts: ufunc.at,
# sorting and searching, argmax, dot, numbers that are stored or read from text. All of it can be
# restored.
# Needs: accelerated_casts.pxi, acceleration.pxi, call.pxi, casts.pxi, drivers.pxi, dtype.pxi, loops.pxi, ranges.pxi, regions.pxi, scalar.pxi, text.pxi, types.pxi

cdef extern from "numpy_compat.h":
    halfcl_array_method *halfcl_method_of_ufunc(object) noexcept


# ---------------------------------------------------------------- ufunc.at

cdef enum:
    TARGETS, INDICES, VALUES, LENGTH  # the arrays that a loop of ufunc.at gets


cdef int replaced_indexed_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Run halfcl's loop in a region that rounds otherwise than to nearest; else NumPy's.

    It rounds element by element.
    """
    cdef UfuncData *ufunc = twins[twin_place(context.caller)]
    cdef int mode = loop_mode_nogil(ufunc.chooser)
    if mode == HALFCL_RTE:
        return (<strided_loop>halfcl_kept(&ufunc.indexed_of_numpy))(
            context, data, dimensions, strides, auxdata)
    cdef cnp.npy_intp i, index
    cdef cnp.npy_intp one = 1
    cdef cnp.npy_intp steps[3]
    cdef char *operands[3]
    memset(steps, 0, sizeof(steps))
    for i in range(dimensions[0]):
        index = (<cnp.npy_intp *>(data[INDICES] + i * strides[INDICES]))[0]
        index += strides[LENGTH] if index < 0 else 0
        operands[0] = operands[2] = data[TARGETS] + index * strides[TARGETS]
        operands[1] = data[VALUES] + i * strides[VALUES]
        run_uncounted(elementwise_loop, operands, &one, steps, &ufunc.loops[0][mode])
    return 0


cdef class ReplacedAt:
    """The float16 loop of a NumPy ufunc's `at`, which can be replaced by halfcl's.

    call_info: the result of the ufunc's _resolve_dtypes_and_context for float16. ValueError if it
    is not laid out as expected.
    """

    cdef object call_info  # keeps the method alive
    cdef halfcl_array_method *method
    cdef UfuncData *ufunc

    def __cinit__(self, ufunc not None, call_info not None):
        self.method = halfcl_method_of_ufunc(call_info)
        if self.method == NULL:
            raise ValueError(f"call_info: expected the method of a ufunc, got {call_info!r}")
        self.call_info, self.ufunc = call_info, twin_data(<PyObject *>ufunc)

    @property
    def is_replaced(self):
        return self.method.indexed == <void *>replaced_indexed_loop

    def replace(self):
        """Replace NumPy's loop by halfcl's."""
        if not self.is_replaced:
            halfcl_keep(&self.ufunc.indexed_of_numpy, &self.method.indexed, sizeof(void *))
            halfcl_publish(&self.method.indexed, <void *>replaced_indexed_loop)

    def restore(self):
        """Restore NumPy's loop."""
        if self.is_replaced:
            halfcl_publish(&self.method.indexed, self.ufunc.indexed_of_numpy)


# ---------------------------------------------------------------- functions of the dtype

cdef void float16_dot(
    void *a, cnp.npy_intp a_step, void *b, cnp.npy_intp b_step, void *out, cnp.npy_intp n,
    void *array
) noexcept nogil:
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    half_dot(a, a_step, b, b_step, out, n, array)
    halfcl_runs()[0] = count


# The functions of float16's dtype before they were replaced.
cdef PyArray_ArrFuncs functions_of_numpy


# The function that stores an object in an element of float16, before it was replaced; NULL before
# NumPy 2.4, which calls setitem instead.
cdef void *store_of_numpy = NULL

ctypedef int (*set_item_function)(PyObject *, void *, void *) except -1
ctypedef int (*fromstr_function)(char *, void *, char **, PyArray_Descr_struct *) noexcept nogil
ctypedef int (*scan_function)(FILE *, void *, char *, PyArray_Descr_struct *) noexcept nogil
ctypedef int (*store_function)(PyArray_Descr_struct *, PyObject *, char *) except -1

cdef extern from "numpy_compat.h":
    void **halfcl_store_of(PyObject *) noexcept
    bint halfcl_has_known_methods(PyObject *) noexcept


def knows_stores():
    """Return whether the methods of float16's class are where they are expected."""
    return bool(halfcl_has_known_methods(halfcl_dtype_class(FLOAT16)))


cdef inline bint read_stored_number(object item, double *value) noexcept:
    """Read a number as NumPy does: of Python's, a text, or what has a float of its own.

    Return False for integers that a double does not have, for NumPy's objects, and for anything
    without a float.
    """
    if isinstance(item, float):
        value[0] = PyFloat_AS_DOUBLE(item)
        return True
    if is_exact_double(item, value):
        return True
    if isinstance(item, (int, cnp.generic, cnp.ndarray)):
        return False
    try:
        value[0] = float(item)
    except Exception:  # NumPy raises its own
        return False
    return True


cdef bint store_in_experiment(object item, void *data, bint swapped) except -1:
    """Store a Python number in the mode of casts; return False if NumPy has to store the item.

    NumPy casts numbers of its own types, and stores Python's and texts by a function of the dtype,
    also those in lists, those beside arrays, those that scalars are made of, and what
    numpy.loadtxt reads.
    """
    cdef unsigned flags = 0
    cdef uint16_t bits
    cdef double value
    if not read_stored_number(item, &value):
        return False
    bits = cast_to_float16(value, &flags)
    watch_number(value, bits, flags)
    if swapped:
        bits = swap_bytes(bits)
    memcpy(data, &bits, sizeof(bits))
    if flags & HALFCL_OVERFLOW:  # the only exception that NumPy reports here
        report(HALFCL_OVERFLOW, "cast")
    return True


cdef int float16_setitem(PyObject *item, void *data, void *array) except -1:
    if may_be_watched() and store_in_experiment(<object>item, data, is_swapped(array)):
        return 0
    return (<set_item_function>halfcl_kept(&functions_of_numpy.setitem))(item, data, array)


cdef int float16_store(PyArray_Descr_struct *dtype, PyObject *item, char *data) except -1:
    cdef bint swapped = dtype != NULL and not cnp.PyArray_ISNBO(
        (<PyArray_Descr_fields *>dtype).byteorder)
    if may_be_watched() and store_in_experiment(<object>item, data, swapped):
        return 0
    return (<store_function>halfcl_kept(&store_of_numpy))(dtype, item, data)


cdef PyArray_ArrFuncs *functions_of_double = PyDataType_GetArrFuncs(np.dtype(np.float64))


cdef int put_number(double value, void *data) noexcept nogil:
    """Write a number as a half in native order, in the mode of casts."""
    cdef unsigned flags = 0
    cdef uint16_t bits
    with gil:
        bits = cast_to_float16(value, &flags)
    memcpy(data, &bits, sizeof(bits))
    return 0


cdef int float16_fromstr(
    char *text, void *data, char **end, PyArray_Descr_struct *dtype
) noexcept nogil:
    """Read a number for numpy.fromstring, as NumPy reads a double."""
    cdef double value = 0
    cdef int result
    if not may_be_watched():
        return (<fromstr_function>halfcl_kept(&functions_of_numpy.fromstr))(text, data, end, dtype)
    result = (<fromstr_function><void *>functions_of_double.fromstr)(text, &value, end, dtype)
    put_number(value, data)
    return result


cdef int float16_scan(
    FILE *file, void *data, char *ignored, PyArray_Descr_struct *dtype
) noexcept nogil:
    """Read a number for numpy.fromfile with a separator, as NumPy reads a double."""
    cdef double value = 0
    cdef int result
    if not may_be_watched():
        return (<scan_function>halfcl_kept(&functions_of_numpy.scanfunc))(
            file, data, ignored, dtype)
    result = (<scan_function><void *>functions_of_double.scanfunc)(file, &value, ignored, dtype)
    put_number(value, data)
    return result


cdef void **place_of_store() noexcept:
    """Return where float16's class has the function that stores an object; or NULL."""
    return halfcl_store_of(halfcl_dtype_class(FLOAT16))


# Converts a float to float16: the function of the cast.
cdef AcceleratedCast *from_float = &accelerated_casts[TO_FLOAT16][<int>cnp.NPY_FLOAT]


cdef int float16_fill(void *data, cnp.npy_intp n, void *array) noexcept:
    """Fill an array for numpy.arange from its first two elements, in NumPy's own steps."""
    cdef uint16_t *halves = <uint16_t *>data
    cdef float numbers[BLOCK_TO_CAST]
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    cdef float start, step
    cdef cnp.npy_intp i, count, done = 2
    if n < FEW_TO_CAST or from_float.kernel == NULL:
        return (<fill_func>halfcl_kept(&functions_of_numpy.fill))(data, n, array)
    global halfcl_calls_taken
    halfcl_calls_taken += 1
    start = halfcl_to_float(halves[0])
    step = halfcl_to_float(halves[1]) - start
    steps[0], steps[1] = sizeof(float), sizeof(uint16_t)
    while done < n:
        count = min(BLOCK_TO_CAST, n - done)
        for i in range(count):
            numbers[i] = start + <float>(done + i) * step
        operands[0], operands[1] = <char *>numbers, <char *>(halves + done)
        halfcl_run(from_float.kernel, operands, steps, count, HALFCL_RTE)
        done += count
    return 0


cdef void put_functions(PyArray_ArrFuncs *to, const PyArray_ArrFuncs *functions) noexcept:
    """Write the functions that are replaced one by one, as another thread may be reading them."""
    cdef int kind
    halfcl_publish(&to.setitem, <void *>functions.setitem)
    halfcl_publish(&to.fromstr, <void *>functions.fromstr)
    halfcl_publish(&to.scanfunc, <void *>functions.scanfunc)
    halfcl_publish(&to.dotfunc, <void *>functions.dotfunc)
    halfcl_publish(&to.fill, <void *>functions.fill)
    halfcl_publish(&to.argmax, <void *>functions.argmax)
    halfcl_publish(&to.argmin, <void *>functions.argmin)
    for kind in range(3):
        halfcl_publish(&to.sort[kind], <void *>functions.sort[kind])
        halfcl_publish(&to.argsort[kind], <void *>functions.argsort[kind])


cdef class ReplacedFunctions:
    """The replaceable functions of float16's dtype: sort, argsort, argmax, argmin, dot, fill, and
    those that store a Python number, and read one from text.

    It also switches the methods of ndarray that numpy_methods.h replaces: partition and
    argpartition, which sort, and searchsorted.
    """

    @property
    def is_replaced(self):
        return PyDataType_GetArrFuncs(FLOAT16).dotfunc == float16_dot

    def replace(self):
        """Replace NumPy's functions by halfcl's."""
        global halfcl_takes_float16
        cdef PyArray_ArrFuncs *own = PyDataType_GetArrFuncs(FLOAT16)
        cdef PyArray_ArrFuncs ours
        cdef int kind
        if self.is_replaced:
            return
        halfcl_keep(&functions_of_numpy, own, sizeof(own[0]))
        halfcl_takes_float16 = True
        ours.setitem, ours.dotfunc, ours.fill = float16_setitem, float16_dot, float16_fill
        ours.fromstr, ours.scanfunc = float16_fromstr, float16_scan
        ours.argmax, ours.argmin = half_argmax, half_argmin
        for kind in range(3):
            ours.sort[kind] = half_sort
            ours.argsort[kind] = half_argsort
        put_functions(own, &ours)
        if place_of_store() != NULL:
            halfcl_keep(&store_of_numpy, place_of_store(), sizeof(void *))
            halfcl_publish(place_of_store(), <void *>float16_store)

    def restore(self):
        """Restore NumPy's functions."""
        global halfcl_takes_float16
        cdef PyArray_ArrFuncs *own = PyDataType_GetArrFuncs(FLOAT16)
        if not self.is_replaced:
            return
        halfcl_takes_float16 = False
        put_functions(own, &functions_of_numpy)
        if place_of_store() != NULL and store_of_numpy != NULL:
            halfcl_publish(place_of_store(), store_of_numpy)
