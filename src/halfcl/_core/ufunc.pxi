# Makes ufuncs over the kernels: halfcl's own, and half loops in NumPy's.
# Needs: loops.pxi, promotion.pxi, regions.pxi, scalar.pxi, types.pxi

import itertools

from libc.stdlib cimport free as free_memory

cdef dict GOVERNORS = {"operator": BY_OPERATOR, "builtin": BY_BUILTIN}


cdef int chooser_of(str governed, str default) except? -100:
    """Return the chooser of the mode for "operator", "builtin" or "exact" (no region governs)."""
    if governed not in ("operator", "builtin", "exact"):
        raise ValueError(
            f"governed: expected 'operator', 'builtin' or 'exact', got {governed!r}")
    return GOVERNORS.get(governed, mode_number(default))


# ---------------------------------------------------------------- the data of a ufunc

cdef uint16_t exact_half(str argument, double number) except? 0:
    cdef unsigned flags = 0
    cdef uint16_t bits = halfcl_from_double(number, HALFCL_RTE, &flags)
    if halfcl_to_float(bits) != number:
        raise ValueError(f"{argument}: expected a number that is exact in half, got {number}")
    return bits


cdef int describe_reduction(UfuncData *data, object identity, object neutral) except -1:
    cdef int mode
    data.has_identity, data.has_neutral = identity is not None, neutral is not None
    if data.has_identity:
        data.identity = exact_half("identity", identity)
    if data.has_neutral and len(neutral) != 4:
        raise ValueError(f"neutral: expected a number for each of the 4 modes, got {neutral!r}")
    for mode, number in enumerate(neutral or ()):
        data.neutral[mode] = exact_half("neutral", number)
    return 0


cdef str vector_signature(const halfcl_kernel *kernel):
    """Return the signature of a generalised ufunc over a kernel of vectors; "" for elements."""
    if kernel.kind != HALFCL_VECTORS:
        return ""
    inputs = ",".join(["(n)"] * kernel.signature.nin)
    return f"{inputs}->{'(n)' if kernel.vectors.gives_vectors else '()'}"


cdef int check_kernels(UfuncData *data, int nin, int nout, str signature) except -1:
    """Raise ValueError unless the kernels fit a ufunc of so many operands, generalised or not."""
    cdef const halfcl_signature *own
    cdef int i
    for i in range(data.count):
        own = &data.kernels[i].signature
        if own.nin != nin or own.nout != nout:
            raise ValueError(
                f"kernels: expected {nin} inputs and {nout} outputs, got {own.nin} and {own.nout}")
        if signature != vector_signature(data.kernels[i]):
            raise ValueError(f"signature: expected {vector_signature(data.kernels[i])!r}, "
                             f"as of its kernel, got {signature!r}")
    return 0


cdef int fill_loops(
    UfuncData *data, list kernels, halfcl_kind kind, str reduce, const Product *product
) except -1:
    cdef const halfcl_kernel *fold = find_kernel(reduce, "e>e", HALFCL_FOLD) if reduce else NULL
    cdef const halfcl_kernel *scan = NULL
    if reduce in ("add_reduce", "multiply_reduce"):
        scan = find_kernel(reduce.replace("reduce", "accumulate"), "e>e", HALFCL_SCAN)
    cdef LoopData *loop
    cdef int i, mode
    for i, (name, types) in enumerate(kernels):
        data.kernels[i] = find_kernel(name, types, kind)
        for mode in range(RANDOM_MODE + 1):
            loop = &data.loops[i][mode]
            loop.base.free = keep_auxdata
            loop.base.clone = same_auxdata
            loop.kernel = data.kernels[i]
            loop.reduce = fold
            loop.scan = scan
            loop.product = product
            loop.mode = mode
    data.count = len(kernels)
    return 0


cdef UfuncData *new_data(
    int chooser, list kernels, halfcl_kind kind=HALFCL_MAP, str reduce="",
    const Product *product=NULL
) except NULL:
    """Return the data of a new ufunc, which are never freed.

    kernels: (name, types) of each; reduce: the kernel that folds, or "".
    """
    if not 0 < len(kernels) <= MAX_LOOPS:
        raise ValueError(f"kernels: expected 1 to {MAX_LOOPS}, got {len(kernels)}")
    cdef UfuncData *data = <UfuncData *>calloc(1, sizeof(UfuncData))
    if data == NULL:
        raise MemoryError()
    data.chooser = chooser
    try:
        fill_loops(data, kernels, kind, reduce, product)
    except BaseException:
        free_memory(data)
        raise
    return data


# ---------------------------------------------------------------- loops, one a type signature

cdef list signatures(str types, tuple half_types, bint result_is_half):
    """Return the DType classes, inputs then outputs, that a kernel of these types serves."""
    cdef halfcl_signature signature
    parse_types(types, &signature)
    cdef list engine_types = [signature.types[i] for i in range(signature.nin + signature.nout)]
    inputs, outputs = engine_types[:signature.nin], engine_types[signature.nin:]
    combinations = []
    for half_type in half_types:
        choices = [[half_type] if t == HALFCL_HALF else dtypes_of_type(t) for t in inputs]
        result = HALF if result_is_half else half_type
        outs = [result if t == HALFCL_HALF else dtype_of_type(t) for t in outputs]
        for ins in itertools.product(*choices):
            classes = tuple(type(d) for d in (*ins, *outs))
            if classes not in combinations:
                combinations.append(classes)
    return combinations


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


# The strings and data that ufunc objects point to.
cdef list kept_strings = []


cdef char *keep(str text):
    cdef bytes encoded = text.encode()
    kept_strings.append(encoded)
    return <char *>encoded


cdef int add_loops(
    object ufunc, list kernels, tuple half_types, bint result_is_half, bint reorderable,
    void *get_loop, void *get_initial
) except -1:
    for _, types in kernels:
        for dtypes in signatures(types, half_types, result_is_half):
            add_loop(ufunc, dtypes, ufunc.nin, reorderable, get_loop, get_initial)
    return 0


# ---------------------------------------------------------------- ufuncs

# halfcl's own ufuncs: those of others cannot be looked up by their data.
cdef set own_ufuncs = set()


cdef object new_ufunc(UfuncData *data, str name, str doc, str signature, int others=0):
    """Return a new ufunc.

    others: how many inputs it has beside the kernels'.
    """
    cdef const halfcl_signature *types = &data.kernels[0].signature
    cdef void **holder = <void **>malloc(sizeof(void *))
    if holder == NULL:
        raise MemoryError()
    holder[0] = data
    ufunc = PyUFunc_FromFuncAndDataAndSignature(
        NULL, holder, NULL, 0, types.nin + others, types.nout, PyUFunc_None,
        keep(name), keep(doc), 0, keep(signature) if signature else NULL)
    own_ufuncs.add(ufunc)
    halfcl_count_no_more(ufunc)
    return ufunc


def make_ufunc(
    str name not None, str doc not None, mode, list kernels not None, *, identity=None,
    neutral=None, str reduce="", str signature="", bint result_is_half=False, bint promotes=True
):
    """Return a ufunc over kernels, each a (name, types), in a mode, for half and float16.

    mode: "rte" and so on. identity, neutral, reduce: of its reduction, see tables.row.Builtin.
    signature: of a generalised ufunc of vectors. result_is_half: results are half even where the
    arguments are float16. promotes: mixed arguments are promoted to a common type.
    """
    kind = HALFCL_VECTORS if signature else HALFCL_MAP
    cdef UfuncData *data = new_data(mode_number(mode), kernels, kind, reduce)
    data.result_is_half = result_is_half
    data.promotion[0] = data.promotion[1] = TO_HALF if promotes else TO_OTHERS
    describe_reduction(data, identity, neutral)
    check_kernels(
        data, data.kernels[0].signature.nin, data.kernels[0].signature.nout, signature)
    ufunc = new_ufunc(data, name, doc, signature)
    add_loops(
        ufunc, kernels, (HALF, FLOAT16), result_is_half, identity is not None or reduce != "",
        <void *>own_get_loop, <void *>own_get_initial)
    if promotes:
        pattern = (np.dtype,) * ufunc.nin + (None,) * ufunc.nout
        PyUFunc_AddPromoter(ufunc, pattern, OWN_PROMOTER)
    return ufunc


cdef str types_of(const halfcl_signature *signature):
    """Return types as a table spells them."""
    letters = "".join([TYPES[signature.types[i]][0] for i in range(signature.nin + signature.nout)])
    return f"{letters[:signature.nin]}>{letters[signature.nin:]}"


cdef object make_ufunc_in_modes(UfuncData *data, str name, str signature, bint promotes):
    """Return the ufunc over the same kernels with one more input: each element's mode, as uint8."""
    cdef int i, nin = data.kernels[0].signature.nin
    signature = signature.replace("->", ",()->") if signature else ""
    ufunc = new_ufunc(data, name, "", signature, 1)
    for i in range(data.count):
        types = types_of(&data.kernels[i].signature)
        for dtypes in signatures(types, (HALF, FLOAT16), data.result_is_half):
            with_mode = (*dtypes[:nin], <object>MODE_CLASS, *dtypes[nin:])
            add_loop(ufunc, with_mode, nin + 1, False,
                     <void *>in_modes_get_loop, <void *>own_get_initial)
    if promotes:
        pattern = (np.dtype,) * ufunc.nin + (None,) * ufunc.nout
        PyUFunc_AddPromoter(ufunc, pattern, OWN_PROMOTER)
    return ufunc


def extend_numpy_ufunc(
    ufunc, list kernels not None, str governed not None, *, identity=None, str reduce="",
    str signature="", str promotion="common"
):
    """Add loops for half to one of NumPy's ufuncs, by kernels, each a (name, types).

    governed: which kind of region chooses their mode, "operator" or "builtin"; "exact": none. The
    others: see make_ufunc and tables.row.Builtin. Sums start from +0, as float16's.
    """
    if not isinstance(ufunc, cnp.ufunc) or ufunc in own_ufuncs:
        raise TypeError(f"ufunc: expected one of NumPy's, got {ufunc!r}")
    cdef const Product *product = find_product((<PyUFuncObject *>ufunc).core_signature)
    kind = HALFCL_FOLD if product != NULL else HALFCL_VECTORS if signature else HALFCL_MAP
    cdef UfuncData *data = new_data(
        chooser_of(governed, "rte"), kernels, kind, reduce, product)
    describe_reduction(data, identity, None)
    check_kernels(data, ufunc.nin, ufunc.nout, signature)
    if kind != HALFCL_FOLD and (ufunc.signature or "") != signature:
        raise ValueError(f"signature: expected {ufunc.signature!r}, that of {ufunc}, got {signature!r}")
    if twins[twin_place(<PyObject *>ufunc)] != NULL:
        free_memory(data)
        return  # halfcl was imported before, and NumPy's loops are permanent
    data.ufunc = <PyObject *>ufunc
    Py_INCREF(ufunc)
    twins[twin_place(data.ufunc)] = data
    add_loops(
        ufunc, kernels, (HALF,), False, identity is not None or reduce != "",
        <void *>twin_get_loop, <void *>twin_get_initial)
    add_promoters(ufunc, promotion)
