# What NumPy does with float16 arrays beside its ufuncs' loops, replaced and put back: casts,
# ufunc.at, sorting, argmax, dot.
# Needs: acceleration.pxi, casts.pxi, drivers.pxi, dtype.pxi, loops.pxi, rounding.pxi, scalar.pxi, types.pxi

cdef extern from "numpy_compat.h":
    ctypedef struct halfcl_array_method:
        void *get_loop
        void *indexed
        void *unaligned_strided

    halfcl_array_method *halfcl_method_of_cast(object)
    halfcl_array_method *halfcl_method_of_ufunc(object) noexcept
    bint halfcl_asks_same_value(const PyArrayMethod_Context *) nogil

    ctypedef struct MethodContext "PyArrayMethod_Context":
        halfcl_array_method *method

    bint halfcl_partitions_float16

cdef extern from "numpy/arrayobject.h":
    PyArray_ArrFuncs *PyDataType_GetArrFuncs(cnp.dtype)

ctypedef int (*get_loop_function)(
    PyArrayMethod_Context *, int, int, const cnp.npy_intp *, strided_loop *, NpyAuxData **, int *
) except -1


# ---------------------------------------------------------------- casts

cdef enum:
    FROM_FLOAT16, TO_FLOAT16, DIRECTIONS

# One of NumPy's casts, and the loop that runs in its place: to nearest always, as NumPy itself
# casts wherever it sees fit.
ctypedef struct AcceleratedCast:
    NpyAuxData base
    const halfcl_kernel *kernel
    unsigned exceptions      # those of the kernel's flags that NumPy raises too
    halfcl_rounding mode
    halfcl_array_method *method
    void *get_loop_of_numpy

# By the other dtype's number; never freed.
cdef AcceleratedCast[DIRECTIONS][BUILTIN_NUMBERS] accelerated_casts

# Entering a kernel takes as long as NumPy takes for so many.
cdef enum:
    FEW_TO_CAST = 32


cdef int accelerated_cast_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef AcceleratedCast *cast = <AcceleratedCast *>auxdata
    cdef unsigned flags
    if dimensions[0] < FEW_TO_CAST or halfcl_asks_same_value(context):
        return (<strided_loop>cast.method.unaligned_strided)(
            context, data, dimensions, strides, NULL)
    flags = cast.exceptions & halfcl_run(
        cast.kernel, data, <const Py_ssize_t *>strides, dimensions[0], cast.mode)
    if flags:
        halfcl_raise(flags)
    return 0


cdef int accelerated_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    cdef int source = (<PyArray_Descr_fields *>context.descriptors[0]).type_num
    cdef int target = (<PyArray_Descr_fields *>context.descriptors[1]).type_num
    cdef AcceleratedCast *cast = (
        &accelerated_casts[FROM_FLOAT16][target] if source == NPY_HALF
        else &accelerated_casts[TO_FLOAT16][source])
    (<get_loop_function>cast.get_loop_of_numpy)(
        context, aligned, move_references, strides, out_loop, out_data, out_flags)
    if out_data[0] == NULL:  # as its loops have none
        out_loop[0], out_data[0] = accelerated_cast_loop, &cast.base
    return 0


cdef class ReplacedCast:
    """One of NumPy's casts from or to float16, that can be halfcl's.

    bound: what NumPy's _get_castingimpl gives. ValueError if it is not what it is taken for.
    """

    cdef object bound  # keeps the method alive
    cdef AcceleratedCast *cast

    def __cinit__(self, bound not None, source not None, target not None):
        cdef halfcl_array_method *method = halfcl_method_of_cast(bound)
        if method == NULL or not CASTS_ARE_THERE:
            raise ValueError(f"bound: expected the method of a cast, got {bound!r}")
        cdef int number = (target if source.num == NPY_HALF else source).num
        cdef bint leaves = source.num == NPY_HALF
        self.bound = bound
        self.cast = &accelerated_casts[FROM_FLOAT16 if leaves else TO_FLOAT16][number]
        self.cast.base.free, self.cast.base.clone = keep_auxdata, same_auxdata
        self.cast.method = method
        self.cast.mode = HALFCL_RTZ if leaves else HALFCL_RTE
        self.cast.kernel = cast_data(
            HALF_NUMBER if leaves else number, number if leaves else HALF_NUMBER, HALFCL_RTE).kernel
        # NumPy raises nothing for a signalling NaN that stays one, or becomes none.
        self.cast.exceptions = ~<unsigned>(0 if leaves and target.kind == "i" else HALFCL_INVALID)

    @property
    def is_replaced(self):
        return self.cast.method.get_loop == <void *>accelerated_get_loop

    def replace(self):
        """Put halfcl's loop in the place of NumPy's."""
        if not self.is_replaced:
            self.cast.get_loop_of_numpy = self.cast.method.get_loop
            self.cast.method.get_loop = <void *>accelerated_get_loop

    def restore(self):
        """Put back what was there."""
        if self.is_replaced:
            self.cast.method.get_loop = self.cast.get_loop_of_numpy


# ---------------------------------------------------------------- ufunc.at

cdef enum:
    TARGETS, INDICES, VALUES, LENGTH  # of the arrays that a loop of ufunc.at gets


cdef int replaced_indexed_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """In a region that rounds otherwise than to nearest element by element; else NumPy's."""
    cdef UfuncData *ufunc = twins[twin_place(context.caller)]
    cdef int mode = loop_mode_nogil(ufunc.chooser)
    if mode == HALFCL_RTE:
        return (<strided_loop>ufunc.indexed_of_numpy)(context, data, dimensions, strides, auxdata)
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
        uncounted(elementwise_loop, operands, &one, steps, &ufunc.loops[0][mode])
    return 0


cdef class ReplacedAt:
    """The loop of one of NumPy's ufuncs' at for float16, that can be halfcl's.

    call_info: what the ufunc's _resolve_dtypes_and_context gives for float16. ValueError if it is
    not what it is taken for.
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
        """Put halfcl's loop in the place of NumPy's."""
        if not self.is_replaced:
            self.ufunc.indexed_of_numpy = self.method.indexed
            self.method.indexed = <void *>replaced_indexed_loop

    def restore(self):
        """Put back what was there."""
        if self.is_replaced:
            self.method.indexed = self.ufunc.indexed_of_numpy


# ---------------------------------------------------------------- functions of the dtype

cdef void float16_dot(
    void *a, cnp.npy_intp a_step, void *b, cnp.npy_intp b_step, void *out, cnp.npy_intp n,
    void *array
) noexcept nogil:
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    half_dot(a, a_step, b, b_step, out, n, array)
    halfcl_runs()[0] = count


# What float16's dtype had before.
cdef PyArray_ArrFuncs functions_of_numpy

# Fewer than these NumPy sorts faster, by vector where it has them.
cdef enum:
    FEW_TO_SORT = 512


cdef int float16_quicksort(void *data, cnp.npy_intp n, void *array) noexcept:
    if n < FEW_TO_SORT:
        return functions_of_numpy.sort[<int>cnp.NPY_QUICKSORT](data, n, array)
    return half_sort(data, n, array)


cdef class ReplacedFunctions:
    """Functions of float16's dtype that can be halfcl's: sort, argsort, argmax, argmin, dot.

    And ndarray.partition, where numpy_compat.h has replaced it: by the same sort.
    """

    @property
    def is_replaced(self):
        return PyDataType_GetArrFuncs(FLOAT16).dotfunc == float16_dot

    def replace(self):
        """Put halfcl's in the place of NumPy's."""
        global halfcl_partitions_float16, functions_of_numpy
        cdef PyArray_ArrFuncs *own = PyDataType_GetArrFuncs(FLOAT16)
        if self.is_replaced:
            return
        functions_of_numpy = own[0]
        halfcl_partitions_float16 = True
        own.dotfunc = float16_dot
        own.argmax = half_argmax
        own.argmin = half_argmin
        for kind in range(3):
            own.sort[kind] = half_sort
            own.argsort[kind] = half_argsort
        own.sort[<int>cnp.NPY_QUICKSORT] = float16_quicksort

    def restore(self):
        """Put back what was there."""
        global halfcl_partitions_float16
        cdef PyArray_ArrFuncs *own = PyDataType_GetArrFuncs(FLOAT16)
        if not self.is_replaced:
            return
        halfcl_partitions_float16 = False
        own.dotfunc = functions_of_numpy.dotfunc
        own.argmax = functions_of_numpy.argmax
        own.argmin = functions_of_numpy.argmin
        for kind in range(3):
            own.sort[kind] = functions_of_numpy.sort[kind]
            own.argsort[kind] = functions_of_numpy.argsort[kind]
