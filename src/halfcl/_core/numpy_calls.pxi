# The usual calls of NumPy's ufuncs on halves, a + b and np.exp(a): run as a Function's are. A ufunc
# object holds, as NumPy's header has it, the function that calls it; here another one is put
# before that. It takes what it can run as it is, with the same results, layouts, exceptions and
# warnings; every other call is NumPy's own, some 2 ns later. Where float16's loops are replaced, its
# calls are taken, too.
# Needs: acceleration.pxi, call.pxi, drivers.pxi, function.pxi, grids.pxi, loops.pxi, rounding.pxi, types.pxi

cdef extern from *:
    """
    /* Where a ufunc holds what calls it; NULL if this NumPy has it elsewhere. */
    static void **halfcl_place_of_call(PyObject *ufunc)
    {
        const Py_ssize_t offset = offsetof(PyUFuncObject, vectorcall);
        if (Py_TYPE(ufunc) != &PyUFunc_Type || Py_TYPE(ufunc)->tp_vectorcall_offset != offset)
            return NULL;
        return (void **)((char *)ufunc + offset);
    }
    """
    void **halfcl_place_of_call(object) noexcept


cdef bint are_taken(const UfuncData *data, PyObject *const *args, Py_ssize_t nargs) noexcept:
    """Whether there is an ndarray of half among the inputs, and no other dtype's number."""
    cdef const halfcl_signature *signature = &data.kernels[0].signature
    cdef bint found = False
    cdef int i
    if nargs < signature.nin:
        return False
    for i in range(signature.nin):
        if <PyObject *>Py_TYPE(<object>args[i]) == <PyObject *>cnp.ndarray:
            found |= cnp.PyArray_TYPE(<cnp.ndarray>args[i]) == HALF_NUMBER
        elif signature.types[i] != HALFCL_HALF:
            return False
    return found


cdef inline bint is_short(PyObject *argument, cnp.npy_intp few) noexcept:
    """Whether it has one axis, of fewer elements: what needs no look at anything else."""
    if <PyObject *>Py_TYPE(<object>argument) != <PyObject *>cnp.ndarray:
        return False
    cdef cnp.ndarray array = <cnp.ndarray>argument
    return cnp.PyArray_NDIM(array) == 1 and cnp.PyArray_DIM(array, 0) < few


cdef const ReplacedLoop *replaced_loop(
    const UfuncData *data, PyObject *const *args, Py_ssize_t nargs
) noexcept:
    """The loop for float16 that is replaced, and would be run on these arrays; or NULL."""
    cdef const ReplacedUFuncObject *ufunc = <const ReplacedUFuncObject *>data.ufunc
    cdef const ReplacedLoop *loop
    cdef int i, k, nin = data.kernels[0].signature.nin
    cdef bint found
    if nargs < nin or is_short(args[0], (<const ReplacedLoop *>data.replaced).few):
        return NULL
    for i in range(nin):
        if <PyObject *>Py_TYPE(<object>args[i]) != <PyObject *>cnp.ndarray:
            return NULL
    for k in range(data.replaced_count):
        loop = &(<const ReplacedLoop *>data.replaced)[k]
        found = ufunc.functions[loop.place] == loop.replacement  # that nobody has replaced since
        for i in range(nin):
            found &= ufunc.types[loop.place * ufunc.nargs + i] == cnp.PyArray_TYPE(<cnp.ndarray>args[i])
        if found:
            return loop
    return NULL


cdef object calculate_twin(
    UfuncData *data, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
    unsigned wanted=ALL_EXCEPTIONS
):
    """The results of a call; None if NumPy has to see to it."""
    cdef const halfcl_signature *signature = &data.kernels[0].signature
    cdef Call call = read_keywords(args + nargs, kwnames)
    cdef PyObject *outs[MAX_RESULTS]
    if call.has_others or call.rounding != NULL or region_value() & (RANDOM | ASKED):
        return None
    if not take_outs(signature.nin, signature.nout, args, nargs, call.out, outs):
        return None
    cdef int mode = mode_of_loops(data.chooser)
    cdef str name = <str><object>data.name
    result = calculate(data, mode, REGIONS_MODE, name, args, outs, wanted)
    return result if result is not None else calculate_spread(
        data, mode, REGIONS_MODE, name, args, outs, wanted)


cdef bint are_many(PyObject *const *args, int nin, cnp.npy_intp few) noexcept:
    """Whether NumPy's loop over arrays, whichever axis is its, is of so many elements at least.

    Fewer than that a replaced loop leaves to NumPy's, which keeps signalling NaNs as they are.
    """
    cdef bint plain = True, found = False, short = False
    cdef cnp.ndarray array
    cdef int i, k
    for i in range(nin):
        array = <cnp.ndarray>args[i]
        plain &= is_plain(args[i]) and cnp.PyArray_SAMESHAPE(array, <cnp.ndarray>args[0])
        for k in range(cnp.PyArray_NDIM(array)):
            found |= cnp.PyArray_DIM(array, k) >= few
            short |= 1 < cnp.PyArray_DIM(array, k) < few
    return cnp.PyArray_SIZE(<cnp.ndarray>args[0]) >= few if plain else found and not short


cdef object calculate_replaced(
    UfuncData *data, const ReplacedLoop *loop, PyObject *const *args, Py_ssize_t nargs,
    PyObject *kwnames
):
    """The same on float16, which is not counted, with the exceptions that NumPy raises."""
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    try:
        return calculate_twin(data, args, nargs, kwnames, loop.exceptions)
    finally:
        halfcl_runs()[0] = count


cdef object call_twin(object ufunc, PyObject *const *args, size_t nargsf, PyObject *kwnames):
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf)
    cdef const ReplacedLoop *loop = NULL
    cdef object result = None
    if are_taken(data, args, nargs):
        result = calculate_twin(data, args, nargs, kwnames)
    elif data.replaced_count:
        loop = replaced_loop(data, args, nargs)
        if loop != NULL and (loop.few == 0 or are_many(args, loop.kernel.signature.nin, loop.few)):
            result = calculate_replaced(data, loop, args, nargs, kwnames)
    if result is not None:
        return result
    return (<vectorcall_function>data.call_of_numpy)(ufunc, args, nargsf, kwnames)


def take_calls(ufunc not None):
    """Let the usual calls of one of NumPy's ufuncs on halves come here first.

    Of one that has loops for half, element by element; of others nothing changes.
    """
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef void **place = halfcl_place_of_call(ufunc)
    if data == NULL or place == NULL or place[0] == NULL or data.call_of_numpy != NULL:
        return
    if data.kernels[0].kind != HALFCL_MAP:
        return
    name = ufunc.__name__
    Py_INCREF(name)
    data.name, data.call_of_numpy = <PyObject *>name, place[0]
    place[0] = <void *>call_twin
