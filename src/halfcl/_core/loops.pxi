# The loops that NumPy's ufuncs run on halves, each a kernel's driver, and the choice between them.
# Needs: drivers.pxi, regions.pxi, scalar.pxi, types.pxi

from cpython.exc cimport PyErr_SetString
from libc.string cimport strcmp

cdef extern from "numpy/ufuncobject.h":
    ctypedef struct NpyAuxData:
        void (*free)(NpyAuxData *) noexcept
        NpyAuxData *(*clone)(NpyAuxData *) noexcept

    ctypedef struct PyUFuncObject:
        int nin
        int nout
        void **data
        char *core_signature

    ctypedef struct PyArray_DTypeMeta:
        pass

    ctypedef struct PyArrayMethod_Context:
        PyObject *caller
        PyArray_Descr_struct *const *descriptors

    ctypedef struct PyType_Slot:
        int slot
        void *pfunc

    ctypedef struct PyArrayMethod_Spec:
        const char *name
        int nin
        int nout
        int casting
        int flags
        PyArray_DTypeMeta **dtypes
        PyType_Slot *slots

    int NPY_METH_IS_REORDERABLE, NPY_METH_REQUIRES_PYAPI, NPY_METH_SUPPORTS_UNALIGNED
    int NPY_METH_NO_FLOATINGPOINT_ERRORS
    int NPY_HALF
    int PyUFunc_None
    int PyUFunc_AddLoopFromSpec(object, PyArrayMethod_Spec *) except -1
    int PyUFunc_AddPromoter(object, object, object) except -1
    object PyUFunc_FromFuncAndDataAndSignature(
        void *, void **, char *, int, int, int, int, char *, char *, int, char *)

cdef extern from *:
    """
    static PyObject *halfcl_dtype_class(PyArray_Descr *descr)
    {
        return (PyObject *)NPY_DTYPE(descr);
    }
    /* The common dtype of numbers, borrowed (DType classes live for ever); NULL with an error that
       NumPy takes for "no loop" if there is none. It is found in turns from the first one on:
       PyArray_PromoteDTypeSequence does not find that of half, a Python number and a third. */
    static PyObject *halfcl_promote(int n, PyObject **dtypes)
    {
        PyArray_DTypeMeta *common = (PyArray_DTypeMeta *)dtypes[0];
        for (int i = 1; i < n; ++i) {
            common = PyArray_CommonDType(common, (PyArray_DTypeMeta *)dtypes[i]);
            if (!common)
                return NULL;
            Py_DECREF(common);
        }
        int type = common->type_num;
        return PyTypeNum_ISNUMBER(type) || type == NPY_OBJECT || PyTypeNum_ISUSERDEF(type)
                   ? (PyObject *)common
                   : NULL;
    }
    """
    PyObject *halfcl_dtype_class(cnp.dtype) noexcept
    PyObject *halfcl_promote(int, PyObject **) except? NULL

cdef extern from "<stdatomic.h>":
    ctypedef int atomic_int

cdef extern from "numpy_compat.h":
    int HALFCL_RESOLVE_DESCRIPTORS, HALFCL_GET_LOOP, HALFCL_GET_INITIAL
    object halfcl_python_number_class(int)


# The data of one inner loop: get_loop passes it to the loop as its auxdata. It lives as long as the
# ufunc, that is, for ever.
ctypedef struct LoopData:
    NpyAuxData base
    const halfcl_kernel *kernel
    const halfcl_kernel *reduce  # folds many elements at once; or NULL
    const halfcl_kernel *scan    # accumulates many; or NULL
    const Product *product       # of NumPy's generalised ufuncs; or NULL
    int mode  # or RANDOM_MODE

cdef enum:
    MAX_LOOPS = 24
    MAX_VECTORS = 3  # operands of a function of vectors

# The type that small integers beside halves are promoted to. NumPy is asked once per ufunc.
cdef enum Promotion:
    NOT_ASKED, TO_HALF, TO_OTHERS

# The data of one ufunc: its kernels, one per type signature, and the loop of each in each mode.
ctypedef struct UfuncData:
    PyObject *ufunc
    int chooser
    int count
    bint result_is_half  # even where the arguments are float16
    Promotion promotion[2]  # of small integers beside half, and beside float16
    bint has_identity, has_neutral
    uint16_t identity    # the start of a reduction of no elements;
    uint16_t neutral[4]  # of some elements, in each mode
    const halfcl_kernel *kernels[MAX_LOOPS]
    LoopData loops[MAX_LOOPS][5]  # in the four modes and in RANDOM_MODE
    void *indexed_of_numpy  # the loop of ufunc.at that NumPy has for float16, where it is replaced
    PyObject *name          # of a NumPy ufunc whose usual calls run here first
    bint outs_by_name       # whether NumPy warns if its outputs are passed by position
    const void *replaced    # its loops for float16 that can be replaced, and
    atomic_int replaced_count  # how many are: other threads read it meanwhile

cdef enum:
    TWIN_PLACES = 256

# NumPy's ufuncs that have loops for half, hashed by address: each at its place or at the next one
# that was free. Most places stay free. Written while halfcl is imported.
cdef UfuncData *twins[TWIN_PLACES]


cdef void keep_auxdata(NpyAuxData *data) noexcept nogil:
    pass


cdef NpyAuxData *same_auxdata(NpyAuxData *data) noexcept nogil:
    return data


# The products of linear algebra, keyed by the ufunc's signature: the places of the m by n and n by
# p matrices among the loop's dimensions and strides. Dimension 0 and the first three strides are
# the outer loop's; -1 stands for a missing axis, of length 1.
ctypedef struct Product:
    const char *signature
    int m, n, p
    int a_row, a_column, b_row, b_column, out_row, out_column

cdef Product[3] PRODUCTS = [
    Product(b"(n?,k),(k,m?)->(n?,m?)", 1, 2, 3, 3, 4, 5, 6, 7, 8),  # matmul
    Product(b"(m,n),(n)->(m)", 1, 2, -1, 3, 4, 5, -1, 6, -1),  # matvec
    Product(b"(n),(n,m)->(m)", -1, 1, 2, -1, 3, 4, 5, -1, 6),  # vecmat
]


cdef const Product *find_product(const char *signature) noexcept nogil:
    cdef int i
    for i in range(3):
        if signature != NULL and strcmp(PRODUCTS[i].signature, signature) == 0:
            return &PRODUCTS[i]
    return NULL


# ---------------------------------------------------------------- inner loops

cdef void refuse_kernel() noexcept with gil:
    PyErr_SetString(SystemError, b"halfcl: a kernel was run by another kind's driver")


cdef inline int end_loop(unsigned flags) noexcept nogil:
    """Return a loop's status, with the exceptions that it has raised."""
    if flags == 0:
        return 0
    if flags & HALFCL_MISUSE:
        refuse_kernel()
        return -1
    halfcl_raise(flags)
    return 0


cdef inline int map_in_loop(
    const LoopData *loop, char *const *data, const cnp.npy_intp *strides, cnp.npy_intp n
) noexcept nogil:
    count_run(loop.kernel)
    return end_loop(raise_by_map(
        loop.kernel, data, <const Py_ssize_t *>strides, n, loop.mode, HALFCL_EXCEPTIONS))


cdef int elementwise_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    return map_in_loop(<LoopData *>auxdata, data, strides, dimensions[0])


cdef int binary_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Run a binary operation on halves, whose loop NumPy also uses to reduce."""
    cdef LoopData *loop = <LoopData *>auxdata
    if data[0] == data[2] and strides[0] == 0 and strides[2] == 0 and dimensions[0] > 1:
        if loop.reduce != NULL:
            return end_loop(run_fold(
                loop.reduce, <uint16_t *>data[0], data[1], strides[1], dimensions[0], loop.mode))
        return end_loop(run_fold_in_order(
            loop.kernel, <uint16_t *>data[0], data[1], strides[1], dimensions[0], loop.mode))
    if loop.scan != NULL and loop.mode != RANDOM_MODE and dimensions[0] > 1 and (
        strides[0] != 0 and strides[0] == strides[2] and data[2] == data[0] + strides[0]
    ):  # NumPy's accumulate
        return end_loop(run_scan(
            loop.scan, data[0], data[1], strides[1], data[2], strides[2], dimensions[0], loop.mode))
    return map_in_loop(loop, data, strides, dimensions[0])


cdef int in_modes_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Run a map with a mode per element: the operand after the inputs."""
    cdef LoopData *loop = <LoopData *>auxdata
    cdef int i, at = loop.kernel.signature.nin
    cdef char *operands[HALFCL_MAX_OPERANDS]
    cdef Py_ssize_t steps[HALFCL_MAX_OPERANDS]
    for i in range(at + loop.kernel.signature.nout):
        operands[i], steps[i] = data[i + (i >= at)], strides[i + (i >= at)]
    return end_loop(run_map_in_modes(
        loop.kernel, operands, steps, <const unsigned char *>data[at], strides[at], dimensions[0]))


cdef inline cnp.npy_intp pick(const cnp.npy_intp *values, int index, cnp.npy_intp missing) noexcept nogil:
    return missing if index < 0 else values[index]


cdef int product_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef LoopData *loop = <LoopData *>auxdata
    cdef const Product *at = loop.product
    cdef halfcl_matrix_stack stack
    cdef halfcl_matrix_product *one = &stack.first
    cdef cnp.npy_intp i
    cdef unsigned flags = 0
    one.m, one.n = pick(dimensions, at.m, 1), pick(dimensions, at.n, 1)
    one.p = pick(dimensions, at.p, 1)
    one.a = halfcl_matrix(data[0], pick(strides, at.a_row, 0), pick(strides, at.a_column, 0))
    one.b = halfcl_matrix(data[1], pick(strides, at.b_row, 0), pick(strides, at.b_column, 0))
    one.out = halfcl_matrix(data[2], pick(strides, at.out_row, 0), pick(strides, at.out_column, 0))
    stack.count, stack.a, stack.b, stack.out = dimensions[0], strides[0], strides[1], strides[2]
    if loop.mode != RANDOM_MODE:
        count_run(loop.kernel)
        return end_loop(watch_total(loop.kernel, halfcl_matmul_stack(
            loop.kernel, &stack, <halfcl_rounding>loop.mode)))
    for i in range(dimensions[0]):
        flags |= run_product(loop.kernel, one, loop.mode)
        one.a.start += stack.a
        one.b.start += stack.b
        one.out.start += stack.out
    return end_loop(flags)


cdef bint takes_width(const halfcl_kernel *kernel, Py_ssize_t width) noexcept nogil:
    if width < kernel.vectors.narrowest:
        return False
    return kernel.vectors.broadest == 0 or width <= kernel.vectors.broadest


cdef void refuse_width(Py_ssize_t width) noexcept with gil:
    message = f"cross: expected vectors of 3 or 4 components along the axis, got {width}"
    PyErr_SetString(ValueError, message.encode())


cdef int lay_out_vectors(
    const halfcl_kernel *kernel, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, bint in_modes, halfcl_vectors *operands
) noexcept nogil:
    """Lay out vectors along dimension 1, whose strides come after those of dimension 0.

    in_modes: the operand after the inputs is the modes. Return -1 if the width is not the kernel's.
    """
    cdef int i, at, last = kernel.signature.nin
    if not takes_width(kernel, dimensions[1]):
        refuse_width(dimensions[1])
        return -1
    for i in range(last + 1):
        at = i + (in_modes and i == last)
        operands[i] = halfcl_vectors(data[at], strides[at], 0, 1)
        if i < last or kernel.vectors.gives_vectors:
            operands[i].component, operands[i].width = (
                strides[last + 1 + in_modes + i], dimensions[1])
    return 0


cdef int geometric_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef LoopData *loop = <LoopData *>auxdata
    cdef halfcl_vectors operands[MAX_VECTORS]
    if lay_out_vectors(loop.kernel, data, dimensions, strides, False, operands):
        return -1
    return end_loop(run_geometric(loop.kernel, operands, dimensions[0], loop.mode))


cdef int geometric_in_modes_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef LoopData *loop = <LoopData *>auxdata
    cdef halfcl_vectors operands[MAX_VECTORS]
    cdef int at = loop.kernel.signature.nin
    if lay_out_vectors(loop.kernel, data, dimensions, strides, True, operands):
        return -1
    return end_loop(run_geometric_in_modes(
        loop.kernel, operands, <const unsigned char *>data[at], strides[at], dimensions[0]))


# ---------------------------------------------------------------- choosing a loop

cdef bint kernel_takes(
    const halfcl_kernel *kernel, PyArray_Descr_struct *const *descriptors, bint in_modes
) noexcept:
    """Return whether a kernel takes these dtypes.

    in_modes: the operand after the inputs is the modes, not the kernel's.
    """
    cdef int i
    for i in range(kernel.signature.nin + kernel.signature.nout):
        if (
            engine_type((<PyArray_Descr_fields *>descriptors[
                i + (in_modes and i >= kernel.signature.nin)]).type_num)
            != kernel.signature.types[i]
        ):
            return False
    return True


cdef LoopData *loop_for(
    UfuncData *ufunc, PyArrayMethod_Context *context, int mode, bint in_modes=False
) except NULL:
    """Return the loop of the kernel that takes the call's dtypes, in a mode."""
    cdef int i = 0
    if ufunc.count > 1:
        while not kernel_takes(ufunc.kernels[i], context.descriptors, in_modes):
            i += 1
            if i == ufunc.count:
                raise TypeError("halfcl: no kernel for these dtypes")
    return &ufunc.loops[i][mode]


cdef extern from *:
    """
    /* The ufunc of a Function that this thread is calling in a region that rounds at random, since
       halfcl's own ufuncs have fixed modes. */
    static HALFCL_THREAD_LOCAL void *halfcl_random_ufunc;
    """
    void *random_ufunc "halfcl_random_ufunc"


cdef LoopData *choose(UfuncData *ufunc, PyArrayMethod_Context *context) except NULL:
    # The region's own functions may call the same ufunc meanwhile, in another region.
    if ufunc == random_ufunc and region_value() & (RANDOM | ASKED):
        return loop_for(ufunc, context, RANDOM_MODE)
    return loop_for(ufunc, context, mode_of_loops(ufunc.chooser))


cdef UfuncData *own_data(PyObject *ufunc) noexcept:
    """Return the data of one of halfcl's own ufuncs."""
    return <UfuncData *>(<PyUFuncObject *>ufunc).data[0]


cdef int twin_place(PyObject *ufunc) noexcept nogil:
    """Return the place of a ufunc among the twins, or the free place for it."""
    cdef int place = (<size_t>ufunc >> 4) % TWIN_PLACES
    while twins[place] != NULL and twins[place].ufunc != ufunc:
        place = (place + 1) % TWIN_PLACES
    return place


cdef UfuncData *twin_data(PyObject *ufunc) except NULL:
    cdef UfuncData *data = twins[twin_place(ufunc)]
    if data == NULL:
        raise LookupError("halfcl: a loop was asked for by an unknown ufunc")
    return data


ctypedef int (*strided_loop)(
    PyArrayMethod_Context *, char *const *, const cnp.npy_intp *, const cnp.npy_intp *,
    NpyAuxData *) noexcept nogil


cdef bint is_binary(const halfcl_kernel *kernel) noexcept:
    """Return whether a kernel maps two halves to one."""
    cdef int i
    if kernel.signature.nin != 2 or kernel.signature.nout != 1:
        return False
    for i in range(3):
        if kernel.signature.types[i] != HALFCL_HALF:
            return False
    return True


cdef int set_loop(
    UfuncData *ufunc, PyArrayMethod_Context *context, strided_loop *out_loop,
    NpyAuxData **out_data, int *out_flags
) except -1:
    cdef LoopData *loop = choose(ufunc, context)
    if loop.kernel.kind == HALFCL_VECTORS:
        out_loop[0] = geometric_loop
    elif loop.kernel.kind == HALFCL_FOLD:
        out_loop[0] = product_loop
    elif is_binary(loop.kernel):
        out_loop[0] = binary_loop
    else:
        out_loop[0] = elementwise_loop
    out_data[0] = &loop.base
    out_flags[0] = 0
    return 0


cdef int own_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    return set_loop(own_data(context.caller), context, out_loop, out_data, out_flags)


cdef int in_modes_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    cdef LoopData *loop = loop_for(own_data(context.caller), context, HALFCL_RTE, True)
    out_loop[0] = geometric_in_modes_loop if loop.kernel.kind == HALFCL_VECTORS else in_modes_loop
    out_data[0] = &loop.base
    out_flags[0] = 0
    return 0


cdef int twin_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    return set_loop(twin_data(context.caller), context, out_loop, out_data, out_flags)


cdef int put_initial(
    UfuncData *ufunc, PyArrayMethod_Context *context, bint is_empty, void *initial
) except -1:
    """Write the start of a reduction into initial and return 1; 0 if that is the first element."""
    if not ufunc.has_identity:
        return 0
    cdef uint16_t bits = ufunc.identity
    cdef int mode
    if ufunc.has_neutral and not is_empty:
        mode = choose(ufunc, context).mode
        bits = ufunc.neutral[HALFCL_RTP if mode == RANDOM_MODE else mode]
    memcpy(initial, &bits, 2)
    return 1


cdef int own_get_initial(
    PyArrayMethod_Context *context, cnp.npy_bool is_empty, void *initial
) except -1:
    return put_initial(own_data(context.caller), context, is_empty, initial)


# Called before NumPy reduces halves by itself; None, most often.
cdef object reduction_watcher = None


def watch_reductions(watcher):
    """Set a function to call before each of NumPy's own reductions of halves; None for none."""
    global reduction_watcher
    reduction_watcher = watcher


cdef int twin_get_initial(
    PyArrayMethod_Context *context, cnp.npy_bool is_empty, void *initial
) except -1:
    if reduction_watcher is not None:
        reduction_watcher()
    return put_initial(twin_data(context.caller), context, is_empty, initial)
