# Ufuncs over the kernels: halfcl's own, and half loops in NumPy's.

from itertools import product

from cpython.exc cimport PyErr_SetString
from cpython.pycapsule cimport PyCapsule_New
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
    /* These slots have had these numbers since NumPy 2.0, where the first had no
       public name. */
    enum { HALFCL_RESOLVE_DESCRIPTORS = 2, HALFCL_GET_LOOP = 3, HALFCL_GET_INITIAL = 4 };

    static PyObject *halfcl_dtype_class(PyArray_Descr *descr)
    {
        return (PyObject *)NPY_DTYPE(descr);
    }
    /* The common dtype, borrowed (DType classes live for ever), of what calculates;
       NULL with an error that NumPy takes for "no loop" if there is none. */
    static PyObject *halfcl_promote(int n, PyObject **dtypes)
    {
        PyArray_DTypeMeta *common =
            PyArray_PromoteDTypeSequence(n, (PyArray_DTypeMeta **)dtypes);
        if (!common)
            return NULL;
        int type = common->type_num;
        Py_DECREF(common);
        return PyTypeNum_ISNUMBER(type) || type == NPY_OBJECT || PyTypeNum_ISUSERDEF(type)
                   ? (PyObject *)common
                   : NULL;
    }
    static PyObject *halfcl_python_number_class(int i)
    {
        PyArray_DTypeMeta *classes[] = {
            &PyArray_PyLongDType, &PyArray_PyFloatDType, &PyArray_PyComplexDType};
        Py_INCREF(classes[i]);
        return (PyObject *)classes[i];
    }
    """
    int HALFCL_RESOLVE_DESCRIPTORS, HALFCL_GET_LOOP, HALFCL_GET_INITIAL
    PyObject *halfcl_dtype_class(cnp.dtype) noexcept
    PyObject *halfcl_promote(int, PyObject **) except? NULL
    object halfcl_python_number_class(int)


# The products of linear algebra, by the ufunc's signature: where among the loop's
# dimensions and strides those of the m by n and n by p matrices are. Dimension 0
# and the first three strides are the outer loop's; -1 stands for a missing axis,
# of length 1.
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


# What one inner loop needs: handed by get_loop to the loop as its auxdata. They
# live as long as the ufunc, that is, for ever.
ctypedef struct LoopData:
    NpyAuxData base
    const halfcl_kernel *kernel
    const halfcl_kernel *reduce  # folds many elements at once; or NULL
    const Product *product       # of NumPy's generalised ufuncs; or NULL
    bint is_geometric, gives_vectors, is_cross  # of halfcl's
    int nin
    halfcl_rounding mode

cdef enum:
    MAX_LOOPS = 24
    MAX_VECTORS = 3  # operands of a geometric function

# Everything behind one ufunc: its kernels, one a type signature, and how a loop
# for each is set up in each mode.
ctypedef struct UfuncData:
    PyObject *ufunc
    int chooser
    int count
    double identity
    bint has_identity, is_sum
    const halfcl_kernel *kernels[MAX_LOOPS]
    LoopData loops[MAX_LOOPS][4]

cdef enum:
    TWIN_PLACES = 256

# NumPy's ufuncs that have loops for half, hashed by address: each at its place or
# at the next one that was free. Most places stay free.
cdef UfuncData *twins[TWIN_PLACES]


cdef void keep_auxdata(NpyAuxData *data) noexcept nogil:
    pass


cdef NpyAuxData *same_auxdata(NpyAuxData *data) noexcept nogil:
    return data


# ---------------------------------------------------------------- inner loops

cdef int elementwise_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef LoopData *loop = <LoopData *>auxdata
    halfcl_raise(halfcl_run(
        loop.kernel, data, <const Py_ssize_t *>strides, dimensions[0], loop.mode))
    return 0


cdef int binary_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """A binary operation on halves, whose loop NumPy also uses to reduce."""
    cdef LoopData *loop = <LoopData *>auxdata
    if data[0] == data[2] and strides[0] == 0 and strides[2] == 0 and dimensions[0] > 1:
        halfcl_raise(halfcl_fold(
            loop.kernel, loop.reduce, <uint16_t *>data[0], data[1], strides[1],
            dimensions[0], loop.mode))
        return 0
    halfcl_raise(halfcl_run(
        loop.kernel, data, <const Py_ssize_t *>strides, dimensions[0], loop.mode))
    return 0


cdef inline cnp.npy_intp pick(const cnp.npy_intp *values, int index, cnp.npy_intp missing) noexcept nogil:
    return missing if index < 0 else values[index]


cdef int product_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    cdef LoopData *loop = <LoopData *>auxdata
    cdef const Product *at = loop.product
    cdef cnp.npy_intp i
    cdef unsigned flags = 0
    for i in range(dimensions[0]):
        flags |= halfcl_matmul(
            loop.kernel,
            data[0] + i * strides[0], pick(strides, at.a_row, 0), pick(strides, at.a_column, 0),
            data[1] + i * strides[1], pick(strides, at.b_row, 0), pick(strides, at.b_column, 0),
            data[2] + i * strides[2], pick(strides, at.out_row, 0), pick(strides, at.out_column, 0),
            pick(dimensions, at.m, 1), pick(dimensions, at.n, 1), pick(dimensions, at.p, 1),
            loop.mode)
    halfcl_raise(flags)
    return 0


cdef bint takes_width(const LoopData *loop, Py_ssize_t width) noexcept nogil:
    return width == 3 or width == 4 or not loop.is_cross


cdef void refuse_width(Py_ssize_t width) noexcept with gil:
    message = f"cross: expected vectors of 3 or 4 components along the axis, got {width}"
    PyErr_SetString(ValueError, message.encode())


cdef int geometric_loop(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) noexcept nogil:
    """Vectors along dimension 1, whose strides come after those of dimension 0."""
    cdef LoopData *loop = <LoopData *>auxdata
    cdef halfcl_vectors operands[MAX_VECTORS]
    cdef int i, last = loop.nin
    if not takes_width(loop, dimensions[1]):
        refuse_width(dimensions[1])
        return -1
    for i in range(last + 1):
        operands[i] = halfcl_vectors(data[i], strides[i], 0, 1)
        if i < last or loop.gives_vectors:
            operands[i].component, operands[i].width = strides[last + 1 + i], dimensions[1]
    halfcl_raise(halfcl_geometric(loop.kernel, operands, dimensions[0], loop.mode))
    return 0


# ---------------------------------------------------------------- choosing a loop

cdef char letter_of(PyArray_Descr_struct *descriptor) noexcept:
    cdef int number = (<PyArray_Descr_fields *>descriptor).type_num
    if number == HALF_NUMBER or number == NPY_HALF:
        return b"e"
    if number == cnp.NPY_LONG:
        return b"q" if sizeof(long) == 8 else b"i"
    if number == cnp.NPY_ULONG:
        return b"Q" if sizeof(long) == 8 else b"I"
    if number == cnp.NPY_CFLOAT:  # a complex number's real part
        return b"f"
    if number == cnp.NPY_CDOUBLE:
        return b"d"
    return (<PyArray_Descr_fields *>descriptor).type


cdef bint kernel_takes(
    const halfcl_kernel *kernel, PyArray_Descr_struct *const *descriptors
) noexcept:
    cdef const char *letter = kernel.types
    cdef int i = 0
    while letter[0]:
        if letter[0] != b">":
            if letter_of(descriptors[i]) != letter[0]:
                return False
            i += 1
        letter += 1
    return True


cdef LoopData *loop_for(
    UfuncData *ufunc, PyArrayMethod_Context *context, halfcl_rounding mode
) except NULL:
    """The loop of the kernel that takes the call's dtypes, in a mode."""
    cdef int i = 0
    if ufunc.count > 1:
        while not kernel_takes(ufunc.kernels[i], context.descriptors):
            i += 1
            if i == ufunc.count:
                raise TypeError("halfcl: no kernel for these dtypes")
    return &ufunc.loops[i][<int>mode]


cdef LoopData *choose(UfuncData *ufunc, PyArrayMethod_Context *context) except NULL:
    return loop_for(ufunc, context, chosen_mode(ufunc.chooser))


cdef UfuncData *own_data(PyObject *ufunc) noexcept:
    """What is behind one of halfcl's own ufuncs."""
    return <UfuncData *>(<PyUFuncObject *>ufunc).data[0]


cdef int twin_place(PyObject *ufunc) noexcept:
    """Where a ufunc is among the twins, or would be."""
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


cdef int set_loop(
    UfuncData *ufunc, PyArrayMethod_Context *context, strided_loop *out_loop,
    NpyAuxData **out_data, int *out_flags
) except -1:
    cdef LoopData *loop = choose(ufunc, context)
    if loop.is_geometric:
        out_loop[0] = geometric_loop
    elif loop.product != NULL:
        out_loop[0] = product_loop
    elif strcmp(loop.kernel.types, b"ee>e") == 0:
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


cdef int twin_get_loop(
    PyArrayMethod_Context *context, int aligned, int move_references,
    const cnp.npy_intp *strides, strided_loop *out_loop, NpyAuxData **out_data, int *out_flags
) except -1:
    return set_loop(twin_data(context.caller), context, out_loop, out_data, out_flags)


cdef int put_initial(
    UfuncData *ufunc, PyArrayMethod_Context *context, bint is_empty, void *initial
) except -1:
    """The identity of a reduction, into initial: 1; or 0 if it has none."""
    if not ufunc.has_identity:
        return 0
    cdef LoopData *loop = choose(ufunc, context)
    cdef unsigned flags = 0
    cdef uint16_t bits = halfcl_from_double(ufunc.identity, HALFCL_RTE, &flags)
    # x + -0 is x for every x; but rounding down, -0 + +0 is -0, and +0 serves.
    if ufunc.is_sum and not is_empty and loop.mode != HALFCL_RTN:
        bits = 0x8000
    memcpy(initial, &bits, 2)
    return 1


cdef int own_get_initial(
    PyArrayMethod_Context *context, cnp.npy_bool is_empty, void *initial
) except -1:
    return put_initial(own_data(context.caller), context, is_empty, initial)


cdef int twin_get_initial(
    PyArrayMethod_Context *context, cnp.npy_bool is_empty, void *initial
) except -1:
    return put_initial(twin_data(context.caller), context, is_empty, initial)


# ---------------------------------------------------------------- promotion

cdef PyObject *HALF_CLASS = halfcl_dtype_class(HALF)
cdef PyObject *FLOAT16_CLASS = halfcl_dtype_class(np.dtype(np.float16))
cdef PyObject *BOOL_CLASS = halfcl_dtype_class(np.dtype(np.bool_))
cdef PyObject *LONG_CLASS = halfcl_dtype_class(np.dtype("l"))

# By the letter of an argument: the DType classes that convert to it exactly, the class of
# integers, and what an error says.
cdef dict TAKEN = {
    letter: frozenset(
        [type(np.dtype(c)) for c in "?bBhHiIlLqQ" if np.can_cast(np.dtype(c), np.dtype(letter))]
        + [halfcl_python_number_class(i) for i in python_numbers]
    )
    for letter, python_numbers in (("e", (0, 1)), ("i", (0,)), ("H", (0,)))
}
cdef dict INTEGER_CLASSES = {letter: type(np.dtype(letter)) for letter in "iH"}
cdef dict EXPECTED = {
    "e": ("half, float16, bool, int8 or uint8", "halfcl.convert(x, halfcl.half) rounds it to half"),
    "i": ("int32 or a narrower integer", "x.astype(numpy.int32) wraps it to one"),
    "H": ("uint16 or a narrower integer", "x.astype(numpy.uint16) wraps it to one"),
}


cdef void fill_operands(
    PyUFuncObject *ufunc, PyObject **inputs, PyObject **given, PyObject **signature,
    PyObject **chosen
) noexcept:
    """The chosen inputs; outputs as they were asked for."""
    cdef int i
    for i in range(ufunc.nin + ufunc.nout):
        if signature[i] != NULL:
            chosen[i] = signature[i]
        elif i < ufunc.nin:
            chosen[i] = inputs[i]
        else:
            chosen[i] = given[i]
        Py_XINCREF(chosen[i])


cdef int refuse_argument(object ufunc, int i, object dtype_class, str letter) except -1:
    expected, hint = EXPECTED[letter]
    raise TypeError(
        f"{ufunc.__name__}: argument {i + 1}: expected {expected}, "
        f"got {dtype_class.type.__name__}; {hint}"
    )


cdef int own_promoter(
    PyObject *ufunc, PyObject **given, PyObject **signature, PyObject **chosen
) except -1:
    """halfcl's functions: half, float16, and what is exact in them or in an integer argument."""
    cdef PyUFuncObject *self = <PyUFuncObject *>ufunc
    cdef str letters = own_data(ufunc).kernels[0].types.decode()
    cdef PyObject *inputs[3]
    cdef PyObject *half_class
    cdef bint any_half = False, any_float16 = False
    cdef int i
    for i in range(self.nin):
        if given[i] == NULL:
            continue
        elif letters[i] == "e" and given[i] == HALF_CLASS:
            any_half = True
        elif letters[i] == "e" and given[i] == FLOAT16_CLASS:
            any_float16 = True
        elif <object>given[i] not in TAKEN[letters[i]]:
            refuse_argument(<object>ufunc, i, <object>given[i], letters[i])
    half_class = FLOAT16_CLASS if any_float16 and not any_half else HALF_CLASS
    for i in range(self.nin):
        integer_class = INTEGER_CLASSES.get(letters[i])
        inputs[i] = half_class if integer_class is None else <PyObject *>integer_class
    fill_operands(self, inputs, given, signature, chosen)
    return 0


cdef int twin_promoter(
    PyObject *ufunc, PyObject **given, PyObject **signature, PyObject **chosen
) except -1:
    """NumPy's ufuncs with a half among the arguments: the common dtype, as for float16."""
    cdef PyUFuncObject *self = <PyUFuncObject *>ufunc
    cdef PyObject *inputs[3]
    cdef PyObject *common
    cdef int i, count = 0
    for i in range(self.nin):
        if given[i] != NULL:
            inputs[count] = given[i]
            count += 1
    # dtype= asks for a loop by its result (which in a comparison says nothing).
    if signature[self.nin] != NULL and signature[self.nin] != BOOL_CLASS:
        common = signature[self.nin]
    else:
        common = halfcl_promote(count, inputs)
        if common == NULL:
            raise np.exceptions.DTypePromotionError("half has no common dtype with these")
    for i in range(self.nin):
        inputs[i] = common
    fill_operands(self, inputs, given, signature, chosen)
    return 0


cdef int ldexp_promoter(
    PyObject *ufunc, PyObject **given, PyObject **signature, PyObject **chosen
) noexcept:
    """NumPy's ldexp of a half and an integer: with a long, as for float16."""
    cdef PyObject *inputs[2]
    inputs[0], inputs[1] = HALF_CLASS, LONG_CLASS
    fill_operands(<PyUFuncObject *>ufunc, inputs, given, signature, chosen)
    return 0


cdef object OWN_PROMOTER = PyCapsule_New(<void *>own_promoter, "numpy._ufunc_promoter", NULL)
cdef object TWIN_PROMOTER = PyCapsule_New(<void *>twin_promoter, "numpy._ufunc_promoter", NULL)
cdef object LDEXP_PROMOTER = PyCapsule_New(<void *>ldexp_promoter, "numpy._ufunc_promoter", NULL)


# ---------------------------------------------------------------- making ufuncs

cdef UfuncData *new_data(int chooser, list kernels, object identity, str reduce) except NULL:
    """kernels: (name, types) of each; reduce: the kernel that folds, or ""."""
    cdef UfuncData *data = <UfuncData *>calloc(1, sizeof(UfuncData))
    if data == NULL:
        raise MemoryError()
    data.chooser = chooser
    data.count = len(kernels)
    data.has_identity = identity is not None
    data.identity = identity or 0
    data.is_sum = reduce == "add_reduce"
    cdef LoopData *loop
    cdef int i, mode
    for i, (name, types) in enumerate(kernels):
        data.kernels[i] = find_kernel(name, types)
        for mode in range(4):
            loop = &data.loops[i][mode]
            loop.base.free = keep_auxdata
            loop.base.clone = same_auxdata
            loop.kernel = data.kernels[i]
            loop.reduce = find_kernel(reduce, "ee>e") if reduce else NULL
            loop.mode = <halfcl_rounding>mode
    return data


# NumPy has two types of 64 (or 32) bits. A loop takes both, and gives the usual one.
cdef dict NUMPY_LETTERS = {
    letter: tuple(c for c in "bBhHiIlLqQ" if np.dtype(c) == np.dtype(letter))
    for letter in "bBhHiIqQ"
}
cdef dict USUAL_LETTERS = {
    c: np.dtype(f"{kind}{np.dtype(c).itemsize}").char
    for letters, kind in (("bhiq", "i"), ("BHIQ", "u")) for c in letters
}


cdef list signatures(str types, tuple half_types, bint result_is_half):
    """The DType classes, inputs then outputs, that a kernel of these types serves."""
    inputs, outputs = types.split(">")
    found = []
    for half_type in half_types:
        for spelling in product(*(NUMPY_LETTERS.get(letter, letter) for letter in inputs)):
            ins = [half_type if c == "e" else np.dtype(c) for c in spelling]
            outs = [
                (HALF if result_is_half else half_type) if c == "e"
                else np.dtype(USUAL_LETTERS.get(c, c))
                for c in outputs
            ]
            signature = tuple(type(d) for d in ins + outs)
            if signature not in found:
                found.append(signature)
    return found


cdef int add_loop(
    object ufunc, tuple signature, int nin, bint reorderable, void *get_loop, void *get_initial
) except -1:
    cdef PyObject *dtypes[8]
    cdef PyType_Slot slots[3]
    cdef PyArrayMethod_Spec spec
    memset(&spec, 0, sizeof(spec))
    memset(slots, 0, sizeof(slots))
    for i, dtype in enumerate(signature):
        dtypes[i] = <PyObject *>dtype
    slots[0].slot = HALFCL_GET_LOOP
    slots[0].pfunc = get_loop
    slots[1].slot = HALFCL_GET_INITIAL
    slots[1].pfunc = get_initial
    spec.name = "halfcl"
    spec.nin = nin
    spec.nout = len(signature) - nin
    spec.casting = cnp.NPY_NO_CASTING
    spec.flags = NPY_METH_IS_REORDERABLE if reorderable else 0
    spec.dtypes = <PyArray_DTypeMeta **>dtypes
    spec.slots = slots
    PyUFunc_AddLoopFromSpec(ufunc, &spec)
    return 0


cdef int describe_vectors(LoopData *loop, str signature) except -1:
    """Make it the loop of a generalised ufunc of vectors."""
    inputs, output = signature.split("->")
    loop.is_geometric = True
    loop.nin = inputs.count("(")
    loop.gives_vectors = output != "()"
    loop.is_cross = strcmp(loop.kernel.name, b"vectors_cross") == 0
    return 0


# The strings and data that ufunc objects point to.
cdef list kept_strings = []


cdef char *keep(str text):
    cdef bytes encoded = text.encode()
    kept_strings.append(encoded)
    return <char *>encoded


def make_ufunc(
    str name, str doc, mode, list kernels, *, identity=None, str reduce="", str signature="",
    bint result_is_half=False, bint promotes=True
):
    """A ufunc over kernels, each a (name, types), in a mode ("rte" …), for half and float16.

    identity, reduce: of its reduction. signature: of a generalised ufunc of vectors.
    result_is_half: results are half even where the arguments are float16. promotes: mixed
    arguments go to a common type.
    """
    cdef UfuncData *data = new_data(mode_number(mode), kernels, identity, reduce)
    cdef void **holder = <void **>malloc(sizeof(void *))
    holder[0] = data
    inputs, outputs = kernels[0][1].split(">")
    ufunc = PyUFunc_FromFuncAndDataAndSignature(
        NULL, holder, NULL, 0, len(inputs), len(outputs), PyUFunc_None,
        keep(name), keep(doc), 0, keep(signature) if signature else NULL)
    for mode_index in range(4 if signature else 0):
        describe_vectors(&data.loops[0][mode_index], signature)
    for _, types in kernels:
        for dtypes in signatures(types, (HALF, np.dtype(np.float16)), result_is_half):
            add_loop(ufunc, dtypes, len(inputs), identity is not None or reduce != "",
                     <void *>own_get_loop, <void *>own_get_initial)
    if promotes:
        pattern = (np.dtype,) * len(inputs) + (None,) * len(outputs)
        PyUFunc_AddPromoter(ufunc, pattern, OWN_PROMOTER)
    return ufunc


def extend_numpy_ufunc(
    ufunc, list kernels, str governed, *, identity=None, str reduce="", str signature=""
):
    """Give one of NumPy's ufuncs loops for half, by kernels, each a (name, types).

    governed: by what kind of region their mode is chosen, "operator" or "builtin"; "exact": by none.
    """
    chooser = {"operator": BY_OPERATOR, "builtin": BY_BUILTIN}.get(governed, HALFCL_RTE)
    cdef UfuncData *data = new_data(chooser, kernels, identity, reduce)
    data.ufunc = <PyObject *>ufunc
    Py_INCREF(ufunc)
    for mode in range(4):
        data.loops[0][mode].product = find_product((<PyUFuncObject *>data.ufunc).core_signature)
        if signature:
            describe_vectors(&data.loops[0][mode], signature)
    twins[twin_place(data.ufunc)] = data
    for _, types in kernels:
        for dtypes in signatures(types, (HALF,), False):
            add_loop(ufunc, dtypes, ufunc.nin, identity is not None or reduce != "",
                     <void *>twin_get_loop, <void *>twin_get_initial)
    if ufunc is np.ldexp:
        for other in PROMOTED_TO_LONG:
            PyUFunc_AddPromoter(ufunc, (type(HALF), other, None), LDEXP_PROMOTER)
    elif ufunc not in PROMOTED_BY_NUMPY:
        for pattern in promoted_patterns(ufunc.nin):
            PyUFunc_AddPromoter(ufunc, (*pattern, *(None,) * ufunc.nout), TWIN_PROMOTER)


# Arguments of any types, which are truths to them.
cdef tuple PROMOTED_BY_NUMPY = (np.logical_and, np.logical_or, np.logical_xor)

cdef tuple PROMOTED_TO_LONG = (
    *(type(np.dtype(c)) for c in "?bBhHI"), halfcl_python_number_class(0))

# Each by itself: two patterns that match equally well are an error to NumPy, so
# (half, any) and (any, half) would not do for two halves. For one argument there
# is nothing to promote.
cdef tuple PROMOTED_WITH_HALF = tuple(type(np.dtype(c)) for c in "?bBhHiIlLqQefdgFDGOSUmM") + tuple(
    halfcl_python_number_class(i) for i in range(3))


cdef list promoted_patterns(int nin):
    half_class = type(HALF)
    if nin == 2:
        return [pair for other in PROMOTED_WITH_HALF
                for pair in ((half_class, other), (other, half_class))]
    return [(half_class, np.dtype, np.dtype)] if nin == 3 else []
