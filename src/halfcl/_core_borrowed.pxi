# Loops for half in those of NumPy's ufuncs that halfcl has no kernel for: NumPy's
# own float32 loop between two conversions, which is what its float16 loops are.
# To nearest whatever the region says, and as good as NumPy's float32 is.

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*PyUFuncGenericFunction)(
        char **args, const cnp.npy_intp *dimensions, const cnp.npy_intp *strides, void *data
    ) noexcept nogil

    ctypedef struct PyUFuncObject_loops "PyUFuncObject":
        PyUFuncGenericFunction *functions
        void **data

cdef enum:
    MAX_BORROWED = 128
    BORROWED_OPERANDS = 4
    BORROWED_BLOCK = 512

ctypedef struct Borrowed:
    NpyAuxData base
    PyObject *ufunc
    PyUFuncGenericFunction function
    void *data
    int nin, nargs
    int types[BORROWED_OPERANDS]
    bint is_half[BORROWED_OPERANDS]

cdef Borrowed borrowed[MAX_BORROWED]
cdef int borrowed_count = 0

cdef const halfcl_kernel *WIDEN = find_kernel("convert", "e>f")
cdef const halfcl_kernel *NARROW = find_kernel("convert", "f>e")


cdef void convert_block(
    const halfcl_kernel *kernel, char *source, Py_ssize_t step, char *target, Py_ssize_t target_step,
    size_t n
) noexcept nogil:
    cdef char *operands[2]
    cdef Py_ssize_t steps[2]
    operands[0], operands[1] = source, target
    steps[0], steps[1] = step, target_step
    halfcl_raise(halfcl_run(kernel, operands, steps, n, HALFCL_RTE))


cdef int borrowed_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef Borrowed *loop = <Borrowed *>auxdata
    cdef float floats[BORROWED_OPERANDS][BORROWED_BLOCK]
    cdef char *args[BORROWED_OPERANDS]
    cdef cnp.npy_intp steps[BORROWED_OPERANDS]
    cdef cnp.npy_intp done = 0, count
    cdef char *here
    cdef int i
    while done < dimensions[0]:
        count = min(dimensions[0] - done, <cnp.npy_intp>BORROWED_BLOCK)
        for i in range(loop.nargs):
            here = data[i] + done * strides[i]
            args[i] = <char *>floats[i] if loop.is_half[i] else here
            steps[i] = sizeof(float) if loop.is_half[i] else strides[i]
            if loop.is_half[i] and i < loop.nin:
                convert_block(WIDEN, here, strides[i], args[i], sizeof(float), count)
        loop.function(args, &count, steps, loop.data)
        for i in range(loop.nin, loop.nargs):
            if loop.is_half[i]:
                convert_block(
                    NARROW, args[i], sizeof(float), data[i] + done * strides[i], strides[i], count)
        done += count
    return 0


cdef int borrowed_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    cdef Borrowed *loop
    cdef int i, k
    for i in range(borrowed_count):
        loop = &borrowed[i]
        if loop.ufunc != context.caller:
            continue
        for k in range(loop.nargs):
            if (<PyArray_Descr_fields *>context.descriptors[k]).type_num != loop.types[k]:
                break
        else:
            out_loop[0] = borrowed_loop
            out_data[0] = &loop.base
            out_flags[0] = 0
            return 0
    raise LookupError("halfcl: a loop was asked for by an unknown ufunc")


cdef int no_initial(PyArrayMethod_Context *context, cnp.npy_bool is_empty, void *initial) noexcept:
    return 0


def borrow_float_loops(ufunc):
    """Give one of NumPy's ufuncs, for each float16 loop that it has, one for half."""
    global borrowed_count
    cdef PyUFuncObject_loops *self = <PyUFuncObject_loops *><PyObject *>ufunc
    cdef Borrowed *loop
    spellings = [t.replace("->", "") for t in ufunc.types]
    for spelling in dict.fromkeys(spellings):  # some are there twice
        floats = spelling.replace("e", "f")
        if "e" not in spelling or floats not in spellings or len(spelling) > BORROWED_OPERANDS:
            continue
        assert borrowed_count < MAX_BORROWED
        index = spellings.index(floats)
        dtypes = [HALF if c == "e" else np.dtype(c) for c in spelling]
        loop = &borrowed[borrowed_count]
        borrowed_count += 1
        loop.base.free = keep_auxdata
        loop.base.clone = same_auxdata
        loop.ufunc = <PyObject *>ufunc
        loop.function = self.functions[index]
        loop.data = self.data[index]
        loop.nin, loop.nargs = ufunc.nin, ufunc.nargs
        for k, dtype in enumerate(dtypes):
            loop.types[k] = dtype.num
            loop.is_half[k] = dtype is HALF
        add_loop(ufunc, tuple(map(type, dtypes)), ufunc.nin, False,
                 <void *>borrowed_get_loop, <void *>no_initial)
    if ufunc.nin == 2 and "eee" in spellings:
        add_promoters(ufunc)
    elif "ele" in spellings:  # ldexp
        for other in (*(type(np.dtype(c)) for c in "bBhHI"), halfcl_python_number_class(0)):
            PyUFunc_AddPromoter(ufunc, (type(HALF), other, None), INTEGER_PROMOTER)


cdef PyObject *LONG_CLASS = halfcl_dtype_class(np.dtype("l"))


cdef int integer_promoter(
    PyObject *ufunc, PyObject **given, PyObject **signature, PyObject **chosen
) noexcept:
    """half and an integer: half and a long, which such a ufunc has a loop for."""
    fill_operands(<PyUFuncObject *>ufunc, HALF_CLASS, given, signature, chosen)
    Py_XDECREF(chosen[1])
    Py_INCREF(<object>LONG_CLASS)
    chosen[1] = LONG_CLASS
    return 0


cdef object INTEGER_PROMOTER = PyCapsule_New(
    <void *>integer_promoter, "numpy._ufunc_promoter", NULL)
