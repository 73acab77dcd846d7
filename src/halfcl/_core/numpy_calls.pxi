# The usual calls of NumPy's ufuncs on halves, arrays and numbers, a + b and np.exp(a): run as a
# Function's calls. A ufunc object holds, as NumPy's header shows, the function that calls it;
# another one is put before that here. It runs plain calls, with the same results, layouts,
# exceptions and warnings; every other call is NumPy's own, some 2 ns later. Where float16's loops
# are replaced, float16's calls are run here, too.
# Needs: acceleration.pxi, call.pxi, drivers.pxi, function.pxi, grids.pxi, loops.pxi, operators.pxi, regions.pxi, scalar.pxi, types.pxi

import sys

cdef extern from *:
    """
    /* The address of a ufunc's call function; NULL if this NumPy stores it elsewhere. */
    static void **halfcl_place_of_call(PyObject *ufunc)
    {
        const Py_ssize_t offset = offsetof(PyUFuncObject, vectorcall);
        if (Py_TYPE(ufunc) != &PyUFunc_Type || Py_TYPE(ufunc)->tp_vectorcall_offset != offset)
            return NULL;
        return (void **)((char *)ufunc + offset);
    }

    static PyTypeObject *halfcl_half_scalar;
    static int halfcl_half_number;

    /* The halves among a call's arguments. */
    enum halfcl_halves { HALFCL_NO_HALVES, HALFCL_OWN_HALVES, HALFCL_FLOAT16 };

    /* Return whether beside an array of that type halves become wider: such calls are NumPy's. */
    static int halfcl_is_wide(int type)
    {
        return type >= NPY_FLOAT && type <= NPY_CLONGDOUBLE;
    }

    /* Return halfcl's halves if there are any; or float16, while accelerate() is on. */
    static enum halfcl_halves halfcl_find_halves(PyObject *const *args, Py_ssize_t nargs)
    {
        enum halfcl_halves halves = HALFCL_NO_HALVES;
        for (Py_ssize_t i = 0; i < nargs; i++) {
            PyTypeObject *type = Py_TYPE(args[i]);
            int number = type == &PyArray_Type ? PyArray_TYPE((PyArrayObject *)args[i]) : -1;
            if (halfcl_is_wide(number))
                return HALFCL_NO_HALVES;
            if (type == halfcl_half_scalar || (number == halfcl_half_number && number >= 0))
                halves = HALFCL_OWN_HALVES;
            else if ((number == NPY_HALF || type == &PyHalfArrType_Type) &&
                     halves == HALFCL_NO_HALVES && halfcl_takes_float16)
                halves = HALFCL_FLOAT16;
        }
        return halves;
    }

    /* Call halfcl if there are halves, or float16 while accelerate() is on; NumPy if there are
     * none, or if halfcl returns None. This is in C, since Cython takes some ns, and adds a line of
     * its own to the traceback of NumPy's errors. */
    typedef PyObject *(*halfcl_way)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *, int);
    static halfcl_way halfcl_own_way;
    static void *halfcl_way_of_numpy; /* a vectorcallfunc, the same for all its ufuncs */
    static PyObject *halfcl_call_twin(
        PyObject *ufunc, PyObject *const *args, size_t nargsf, PyObject *kwnames)
    {
        const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
        const enum halfcl_halves halves = halfcl_find_halves(args, nargs);
        if (halves != HALFCL_NO_HALVES) {
            PyObject *result =
                halfcl_own_way(ufunc, args, nargs, kwnames, halves == HALFCL_FLOAT16);
            if (result != Py_None)
                return result;
            Py_DECREF(result);
        }
        return ((vectorcallfunc)halfcl_way_of_numpy)(ufunc, args, nargsf, kwnames);
    }
    """
    void **halfcl_place_of_call(object) noexcept
    ctypedef object (*halfcl_way)(object, PyObject *const *, Py_ssize_t, PyObject *, int)
    halfcl_way halfcl_own_way
    void *halfcl_way_of_numpy
    int halfcl_half_number
    PyTypeObject *halfcl_half_scalar
    object halfcl_call_twin(object, PyObject *const *, size_t, PyObject *)


cdef inline bint is_convertible(const UfuncData *data, int i, int number) noexcept:
    """Return whether an input may have a dtype of that number: the kernel's, or a small integer."""
    return (
        data.count > 1 or engine_type(number) == data.kernels[0].signature.types[i]
        or conversion_to_half(number) != NULL)


cdef bint are_supported(const UfuncData *data, PyObject *const *args, Py_ssize_t nargs) noexcept:
    """Return whether halves, at least one, and no scalar of another type are among the arguments.
    """
    cdef const halfcl_signature *signature = &data.kernels[0].signature
    cdef bint any_halves = False
    cdef int i, number
    if nargs < signature.nin:
        return False
    for i in range(signature.nin):
        if <PyObject *>Py_TYPE(<object>args[i]) == <PyObject *>cnp.ndarray:
            number = cnp.PyArray_TYPE(<cnp.ndarray>args[i])
            if not is_convertible(data, i, number):
                return False
            any_halves |= number == HALF_NUMBER
        elif signature.types[i] != HALFCL_HALF:
            return False
        else:
            any_halves |= <PyObject *>Py_TYPE(<object>args[i]) == SCALAR_CLASS
    return any_halves


cdef bint are_bare(PyObject *const *args, int nin) noexcept:
    """Return whether no array's dtype has metadata, which NumPy passes on to results."""
    cdef int i
    for i in range(nin):
        if <PyObject *>Py_TYPE(<object>args[i]) != <PyObject *>cnp.ndarray:
            continue
        dtype = <object>cnp.PyArray_DESCR(<cnp.ndarray>args[i])
        if dtype is not FLOAT16 and dtype.metadata is not None:
            return False
    return True


# Until 2.2 NumPy could be set to promote by the values of scalars: then it computes these itself.
cdef bint MAY_PROMOTE_BY_VALUE = np.lib.NumpyVersion(np.__version__) < "2.2.0"


cdef inline bint is_beside_float16(PyObject *argument) noexcept:
    """Return whether it is a number that NumPy converts to float16 beside float16."""
    cdef object value = <object>argument
    return (
        PyFloat_CheckExact(value) or PyLong_CheckExact(value)
        or <PyObject *>Py_TYPE(value) == FLOAT16_SCALAR_CLASS
    )


cdef bint loop_takes(
    const ReplacedUFuncObject *ufunc, int place, const int *numbers, int nin
) noexcept:
    """Return whether a loop takes these types, or those that are converted to its float16."""
    cdef const char *types = ufunc.types + place * ufunc.nargs
    cdef int i
    for i in range(nin):
        if numbers[i] != types[i] and (
            types[i] != NPY_HALF or conversion_to_half(numbers[i]) == NULL
        ):
            return False
    return True


cdef const ReplacedLoop *replaced_loop(
    const UfuncData *data, PyObject *const *args, Py_ssize_t nargs
) noexcept:
    """Return the replaced loop for float16, arrays to be converted to it, and numbers; or NULL."""
    cdef const ReplacedUFuncObject *ufunc = <const ReplacedUFuncObject *>data.ufunc
    cdef const ReplacedLoop *loop
    cdef int[HALFCL_MAX_OPERANDS] types
    cdef int i, k, nin = data.kernels[0].signature.nin, count = data.replaced_count
    cdef bint has_float16 = False
    if nargs < nin:
        return NULL
    for i in range(nin):
        if <PyObject *>Py_TYPE(<object>args[i]) == <PyObject *>cnp.ndarray:
            types[i] = cnp.PyArray_TYPE(<cnp.ndarray>args[i])
            has_float16 |= types[i] == NPY_HALF
        elif is_beside_float16(args[i]):
            types[i] = NPY_HALF
            has_float16 |= not MAY_PROMOTE_BY_VALUE and (
                <PyObject *>Py_TYPE(<object>args[i]) == FLOAT16_SCALAR_CLASS)
        else:
            return NULL
    for k in range(count if has_float16 else 0):
        loop = &(<const ReplacedLoop *>data.replaced)[k]
        # The loop is still halfcl's, and nobody has replaced it since:
        if halfcl_published(&ufunc.functions[loop.place]) != <const void *>loop.replacement:
            continue
        if loop_takes(ufunc, loop.place, types, nin):
            return loop if are_bare(args, nin) else NULL
    return NULL


cdef object calculate_twin(
    UfuncData *data, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
    int numbers=REGIONS_MODE, unsigned wanted=ALL_EXCEPTIONS
):
    """Return the results of a call; None if NumPy has to run it."""
    cdef const halfcl_signature *signature = &data.kernels[0].signature
    cdef Call call = read_keywords(args + nargs, kwnames)
    cdef PyObject *outs[MAX_RESULTS]
    if call.has_others or call.rounding != NULL:
        return None
    if nargs != signature.nin and data.outs_by_name:
        return None
    if not take_outs(signature.nin, signature.nout, args, nargs, call.out, outs):
        return None
    cdef int mode = mode_of_loops(data.chooser)
    cdef str name = <str><object>data.name
    result = calculate(data, mode, numbers, name, args, outs, wanted)
    return result if result is not None else calculate_spread(
        data, mode, numbers, name, args, outs, wanted)


cdef object calculate_replaced(
    UfuncData *data, const ReplacedLoop *loop, PyObject *const *args, Py_ssize_t nargs,
    PyObject *kwnames
):
    """Return the results of a call on float16, uncounted, with the exceptions that NumPy raises."""
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    try:
        return calculate_twin(data, args, nargs, kwnames, NUMPYS_MODE, loop.exceptions)
    finally:
        halfcl_runs()[0] = count


# ---------------------------------------------------------------- where=
#
# NumPy calls the loop for each run of selected elements. The engine calculates all, with 1 in place
# of those left out, which raises nothing, and writes the selected ones.

cdef frozenset RAISING_AT_ONE = frozenset((np.arctanh,))
cdef tuple WHERE_AND_OUT = ("where", "out")
cdef bytes warning_of_where = b""  # NumPy's for calls without out=, or empty


cdef bint lies_in_row(object x, cnp.ndarray out) noexcept:
    """Return whether it is an array of out's shape and layout."""
    return (
        cnp.PyArray_CheckExact(x) and cnp.PyArray_SAMESHAPE(<cnp.ndarray>x, out)
        and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>x)
    )


cdef void copy_where(cnp.ndarray to, cnp.ndarray source, cnp.ndarray where) noexcept:
    halfcl_copy_where(
        <uint16_t *>cnp.PyArray_DATA(to), <const uint16_t *>cnp.PyArray_DATA(source),
        <const unsigned char *>cnp.PyArray_DATA(where), cnp.PyArray_SIZE(to))


cdef cnp.ndarray fill_gaps(cnp.ndarray array, cnp.ndarray where, uint16_t filling):
    """Return a copy of an array with a filling where elements are left out."""
    cdef cnp.ndarray copy = new_array(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), <cnp.dtype>cnp.PyArray_DESCR(array))
    halfcl_copy(
        cnp.PyArray_BYTES(copy), sizeof(filling), <const char *>&filling, 0,
        cnp.PyArray_SIZE(array))
    copy_where(copy, array, where)
    return copy


cdef bint are_selectable(const halfcl_signature *signature) noexcept:
    """Return whether a kernel has one result, of halves or numbers of four bytes at most."""
    cdef int i
    for i in range(signature.nin):
        if signature.types[i] != HALFCL_HALF:
            return False
    return signature.nout == 1 and signature.nin < HALFCL_MAX_OPERANDS - 1


cdef bint read_where(
    PyObject *const *named, PyObject *kwnames, PyObject **where, PyObject **out, bint *names_out
) except -1:
    """Read the keywords where= and out=, which may be missing or None; return False if NumPy has to.
    """
    cdef PyObject *parsed[2]
    cdef int i
    memset(parsed, 0, sizeof(parsed))
    for i in range(len(<tuple>kwnames)):
        parsed[(<tuple>kwnames)[i] is not WHERE_AND_OUT[0]] = named[i]
    names_out[0] = parsed[1] != NULL
    where[0], out[0] = parsed[0], NULL if parsed[1] == <PyObject *>None else parsed[1]
    if not lies_aligned(where[0]) or (
        cnp.PyArray_TYPE(<cnp.ndarray>where[0]) != cnp.NPY_BOOL
    ):
        return False
    return out[0] == NULL or (
        lies_aligned(out[0]) and are_separate(<cnp.ndarray>out[0], <cnp.ndarray>where[0]))


cdef object calculate_where(
    UfuncData *data, const ReplacedLoop *loop, PyObject *const *args, Py_ssize_t nargs,
    PyObject *kwnames
):
    """Return the results of a call with where=; None if NumPy has to run it.

    loop: the loop for float16; NULL for halves.
    """
    cdef const halfcl_signature *signature = &data.kernels[0].signature
    cdef cnp.npy_uint64 count = halfcl_runs()[0]
    cdef PyObject *where
    cdef PyObject *out
    cdef bint names_out = False
    cdef const char *warning = NULL
    if nargs != signature.nin or data.count > 1 or not are_selectable(signature):
        return None
    if <object>data.ufunc in RAISING_AT_ONE:
        return None
    if not read_where(args + nargs, kwnames, &where, &out, &names_out):
        return None
    if not names_out and len(warning_of_where) > 0:
        warning = warning_of_where
    result = calculate_spread(
        data, mode_of_loops(data.chooser), REGIONS_MODE, <str><object>data.name, args, &out,
        ALL_EXCEPTIONS if loop == NULL else loop.exceptions, where, warning)
    if loop != NULL:
        halfcl_runs()[0] = count
    return result


def warn_of_where(str text not None):
    """Set NumPy's warning for calls with where= and without out=, "" if it gives none."""
    global warning_of_where
    warning_of_where = text.encode()


cdef inline bint are_where_or_out(tuple names) noexcept:
    """Return whether keywords are only these two, as interned; NumPy reads all others."""
    for name in names:
        if name is not WHERE_AND_OUT[0] and name is not WHERE_AND_OUT[1]:
            return False
    return True


cdef inline bint has_where(tuple names) noexcept:
    """Return whether one of one or two keywords, where= or out=, is where=."""
    return names[0] is WHERE_AND_OUT[0] or names[len(names) - 1] is WHERE_AND_OUT[0]


cdef object own_way(
    object ufunc, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, int in_float16
):
    """Return the results of a call; None if NumPy has to run it."""
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef const ReplacedLoop *loop = NULL
    if kwnames != NULL and not are_where_or_out(<tuple>kwnames):
        return None
    if region_value() & (RANDOM | ASKED):  # NumPy's way asks for a mode, which is done once
        return None
    if in_float16:
        loop = replaced_loop(data, args, nargs)
        if loop == NULL:
            return None
    elif not are_supported(data, args, nargs):
        return None
    if kwnames != NULL and has_where(<tuple>kwnames):
        return calculate_where(data, loop, args, nargs, kwnames)
    if loop != NULL:
        return calculate_replaced(data, loop, args, nargs, kwnames)
    result = calculate_twin(data, args, nargs, kwnames)
    if result is None and nargs == 2 and kwnames == NULL:
        return operate_beside_scalar(data, <object>args[0], <object>args[1])
    return result


def take_calls(ufunc not None):
    """Run the usual calls of a NumPy ufunc on halves here first.

    The ufunc has elementwise loops for half and NumPy's own way of calls; others stay unchanged.
    """
    global halfcl_own_way, halfcl_way_of_numpy, halfcl_half_number, halfcl_half_scalar
    cdef UfuncData *data = twins[twin_place(<PyObject *>ufunc)]
    cdef void **place = halfcl_place_of_call(ufunc)
    if data == NULL or place == NULL or place[0] == NULL or data.kernels[0].kind != HALFCL_MAP:
        return
    if halfcl_way_of_numpy == NULL:
        halfcl_own_way, halfcl_half_number = own_way, HALF_NUMBER
        halfcl_half_scalar = <PyTypeObject *>SCALAR_CLASS
        halfcl_way_of_numpy = place[0]
    if place[0] != halfcl_way_of_numpy:
        return
    name = sys.intern(ufunc.__name__)
    Py_INCREF(name)
    data.name, data.outs_by_name = <PyObject *>name, name in ("maximum", "minimum")
    place[0] = <void *>halfcl_call_twin


def takes_calls(ufunc not None):
    """Return whether the ufunc's calls are run here first."""
    cdef void **place = halfcl_place_of_call(ufunc)
    return place != NULL and place[0] == <void *>halfcl_call_twin
