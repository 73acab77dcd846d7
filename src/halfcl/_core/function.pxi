# halfcl's functions: one object each, over its ufuncs.
# Needs: call.pxi, errors.pxi, foreign.pxi, grids.pxi, loops.pxi, modes_of_elements.pxi, numbers.pxi, regions.pxi, scalar.pxi, types.pxi, ufunc.pxi

import sys

from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

cdef object table_token = object()  # only make_function passes it

cdef str ROUNDING = sys.intern("rounding")
cdef str OUT = sys.intern("out")

cdef enum:
    MAX_ARGUMENTS = 32  # positional and keyword, of a ufunc's call


cdef extern from *:
    """
    /* Let calls of a type's objects use the function pointer at this offset in them. */
    static void halfcl_set_vectorcall(PyTypeObject *type, Py_ssize_t offset)
    {
        type->tp_vectorcall_offset = offset;
        type->tp_call = PyVectorcall_Call;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
        PyType_Modified(type);
    }
    """
    void halfcl_set_vectorcall(PyTypeObject *, Py_ssize_t)
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyObject_Vectorcall(object, PyObject *const *, size_t, PyObject *)


ctypedef object (*vectorcall_function)(object, PyObject *const *, size_t, PyObject *)


cdef object plain_initial(object initial, object rounding, bint to_half):
    """Return a number of another class as a plain one: Python's, or NumPy's.

    to_half: whether it is rounded to a half, in the call's mode. NumPy would convert it after it
    has read the addresses of arrays.
    """
    if isinstance(initial, bool):
        return initial
    if isinstance(initial, cnp.generic):
        return np.asarray(initial)[()]
    if isinstance(initial, int):
        return int(PyNumber_Index(initial))
    if isinstance(initial, float):
        return float.__float__(initial)
    if initial is None or isinstance(initial, cnp.ndarray):
        return initial
    if hasattr(initial, "__array__"):
        return np.asarray(initial)[()]
    if not hasattr(type(initial), "__float__"):
        return initial
    return half(initial, rounding=rounding) if to_half else float(initial)


@cython.final
cdef class Function:
    """A halfcl function: its ufunc in each rounding mode, under one name.

    halfcl makes them from its table; they cannot be made by hand. A call takes the arguments of
    a NumPy ufunc (``out``, ``where``, ``axis`` …; for two results ``out`` is a tuple of
    two) and ``rounding``, one of ``"rte"``, ``"rtz"``, ``"rtp"``, ``"rtn"``, or an array of them,
    or of their places in ``halfcl.MODES``, broadcast against the arguments. Without it the mode
    is the region's, if the region governs this function, else rte.

    Attributes
    ----------
    rte, rtz, rtp, rtn : numpy.ufunc
        The function in one mode.
    nin, nout, nargs : int
        Numbers of arguments, of results and of both.
    types : list of str
        The types of a numpy.ufunc; ``e`` is half or float16.
    identity : half or None
        The result of reducing no elements.
    signature : str or None
        The signature of a function of vectors.
    """

    cdef vectorcall_function vectorcall
    cdef UfuncData *data[4]
    cdef tuple ufuncs
    cdef object general, prepare
    cdef object per_element_ufunc  # the ufunc that takes an array of modes, made on first use
    cdef str name
    cdef int chooser
    cdef bint takes_vectors
    cdef readonly object rte, rtz, rtp, rtn
    cdef readonly int nin, nout
    cdef dict __dict__  # for __name__, __doc__ and what else functools expects
    cdef object __weakref__  # JAX keeps weak references to functions

    def __cinit__(self, token=None, *args):
        if token is not table_token:
            raise TypeError("halfcl.Function: cannot be made by hand; halfcl's functions are "
                            "made from its table")

    cdef int resolve_mode(self, rounding) except -1:
        """Return the number of a mode, or of the region's, which may be RANDOM_MODE."""
        if rounding is not None:
            return mode_number(rounding)
        return mode_of_loops(self.chooser)

    cdef object call_method(self, str method, rounding, tuple args, dict kwargs):
        """Call a method of the mode's ufunc."""
        cdef int mode = self.resolve_mode(rounding)
        cdef void *outer = random_ufunc
        for x in args:
            part = adapter_for(x)
            if part is not None:
                return part.call_method(self.ufuncs[mode & 3], method, args, kwargs)
        cdef bint has_foreign = mode == RANDOM_MODE and any([is_foreign(x) for x in args])
        ufunc = self.ufuncs[toss_call(mode, has_foreign)]
        if mode != RANDOM_MODE or has_foreign:
            return call_method_of(ufunc, method, self.name, args, kwargs)
        set_random_ufunc(own_data(<PyObject *>ufunc))
        try:
            return getattr(ufunc, method)(*args, **kwargs)
        finally:
            set_random_ufunc(outer)

    cdef object get_per_element_ufunc(self):
        """Return the ufunc that takes an array of modes; make it on the first call.

        The lock keeps two threads from making it twice.
        """
        cdef str signature = self.rte.signature or ""
        with cython.critical_section(self):
            if self.per_element_ufunc is None:
                self.per_element_ufunc = make_ufunc_in_modes(
                    self.data[0], self.name, signature, self.prepare is None)
            return self.per_element_ufunc

    cdef tuple round_inputs(self, rounding, tuple inputs):
        """Return inputs of the ufunc's methods with Python's numbers rounded as in a call."""
        cdef bint has_numbers = any(
            [is_list(<PyObject *>x) or is_number_to_round(<PyObject *>x) for x in inputs])
        if not has_numbers:
            return inputs
        cdef int numbers = REGIONS_MODE if rounding is None else mode_number(rounding)
        return round_arguments(&self.data[0].kernels[0].signature, numbers, inputs)

    cdef tuple round_array_input(self, rounding, tuple args):
        """Return arguments of a method of one array with a list of numbers converted to halves."""
        if args and is_list(<PyObject *>args[0]):
            return *self.round_inputs(rounding, args[:1]), *args[1:]
        return args

    @cython.binding(False)
    def reduce(self, *args, rounding=None, **kwargs):
        """Call `numpy.ufunc.reduce` in a rounding mode."""
        if "initial" in kwargs and args and self.nin == 2:
            initial = plain_initial(
                kwargs["initial"], rounding, kwargs.get("dtype") is None and self.types[0][-1] == "e")
            kwargs["initial"] = self.round_inputs(rounding, (args[0], initial))[1]
        return self.call_method("reduce", rounding, self.round_array_input(rounding, args), kwargs)

    @cython.binding(False)
    def accumulate(self, *args, rounding=None, **kwargs):
        """Call `numpy.ufunc.accumulate` in a rounding mode."""
        return self.call_method("accumulate", rounding, self.round_array_input(rounding, args), kwargs)

    @cython.binding(False)
    def reduceat(self, *args, rounding=None, **kwargs):
        """Call `numpy.ufunc.reduceat` in a rounding mode."""
        return self.call_method("reduceat", rounding, self.round_array_input(rounding, args), kwargs)

    @cython.binding(False)
    def outer(self, *args, rounding=None, **kwargs):
        """Call `numpy.ufunc.outer` in a rounding mode."""
        return self.call_method("outer", rounding, self.round_inputs(rounding, args), kwargs)

    @cython.binding(False)
    def at(self, *args, rounding=None, **kwargs):
        """Call `numpy.ufunc.at` in a rounding mode."""
        if len(args) == 3 and self.nin == 2:
            a, indices, b = args
            args = a, indices, self.round_inputs(rounding, (a, b))[1]
        return self.call_method("at", rounding, args, kwargs)

    @property
    def nargs(self):
        return self.nin + self.nout

    @property
    def types(self):
        return [types_of(&self.data[0].kernels[i].signature).replace(">", "->")
                for i in range(self.data[0].count)]

    @property
    def identity(self):
        return new_scalar(half, self.data[0].identity) if self.data[0].has_identity else None

    @property
    def signature(self):
        return self.rte.signature

    def __repr__(self):
        return f"<halfcl.Function {self.name!r}>"

    @cython.binding(False)
    def __reduce__(self):
        return self.name


def make_function(
    str name not None, str doc not None, ufuncs, str governed not None, default="rte",
    general=None, prepare=None
):
    """Return a Function of four ufuncs of make_ufunc, in rte, rtz, rtp and rtn.

    governed: which kind of region chooses its mode, see extend_numpy_ufunc; default: the mode where
    no region governs; general: is called in place of the ufuncs for calls that are not directly a
    kernel's; prepare: makes the array of a list or Python number as the first argument, in place of
    NumPy.
    """
    cdef Function function = Function(table_token)
    cdef int mode
    function.ufuncs = tuple(ufuncs)
    if len(function.ufuncs) != 4 or not all(u in own_ufuncs for u in function.ufuncs):
        raise TypeError(f"make_function: ufuncs: expected four of make_ufunc, got {ufuncs!r}")
    function.rte, function.rtz, function.rtp, function.rtn = function.ufuncs
    function.nin, function.nout = function.rte.nin, function.rte.nout
    for mode in range(4):
        if (function.ufuncs[mode].nin, function.ufuncs[mode].nout) != (function.nin, function.nout):
            raise TypeError("make_function: ufuncs: expected one number of arguments")
        function.data[mode] = own_data(<PyObject *><object>function.ufuncs[mode])
    function.chooser = chooser_of(governed, default)
    function.general, function.prepare = general, prepare
    function.takes_vectors = function.rte.signature is not None
    function.name = sys.intern(name)  # interned strings are not reference-counted
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = "halfcl"
    function.vectorcall = call_function
    halfcl_count_no_more(function)
    return function


# ---------------------------------------------------------------- calls

ctypedef struct Call:
    PyObject *rounding  # or NULL
    PyObject *out       # as passed by name, or NULL
    bint has_others     # keywords for NumPy


# Other names for the rounding mode, which no ufunc has as a keyword.
cdef object WRONG_KEYWORDS = frozenset(("mode", "round", "rounding_mode", "rnd"))


cdef Call read_keywords(PyObject *const *values, PyObject *names) except *:
    """Return the keywords of a call, whose values follow its arguments."""
    cdef Call call
    cdef Py_ssize_t i
    memset(&call, 0, sizeof(call))
    for i in range(PyTuple_GET_SIZE(<object>names) if names != NULL else 0):
        name = <object>PyTuple_GET_ITEM(<object>names, i)
        if name is ROUNDING or name == ROUNDING:
            call.rounding = values[i]
        elif name is OUT or name == OUT:
            call.out = values[i]
        else:
            if name in WRONG_KEYWORDS:
                raise TypeError(f"unexpected keyword argument {name!r}; rounding= takes a mode")
            call.has_others = True
    return call


cdef bint take_outs(
    int nin, int nout, PyObject *const *args, Py_ssize_t nargs, PyObject *out, PyObject **outs
):
    """Write the outputs passed by position or by out; return False if NumPy has to refuse them."""
    cdef int k
    for k in range(nout):
        outs[k] = NULL
    if nargs == nin + nout and out == NULL:
        for k in range(nout):
            outs[k] = args[nin + k]
    elif nargs != nin:
        return False
    elif out == NULL or <object>out is None:
        return True
    elif type(<object>out) is tuple:
        if PyTuple_GET_SIZE(<object>out) != nout:
            return False
        for k in range(nout):
            outs[k] = PyTuple_GET_ITEM(<object>out, k)
    elif nout == 1:
        outs[0] = out
    else:
        return False
    for k in range(nout):
        if outs[k] == <PyObject *>None:
            outs[k] = NULL
        elif outs[k] == <PyObject *>Ellipsis and outs[k] != out:
            return False
    return True


cdef PyTypeObject *MODE_TYPE = <PyTypeObject *>str  # the type in nearly all calls


cdef bint are_data(Function self, PyObject *rounding) noexcept:
    """Return whether `rounding` is an array and the function accepts arrays of modes."""
    return cnp.PyArray_Check(<object>rounding) and self.general is None


cdef object call_function(object function, PyObject *const *args, size_t nargsf, PyObject *kwnames):
    """Call a Function: by the vectorcall protocol, since that adds little to a small call."""
    cdef Function self = <Function>function
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf)
    cdef Call call = read_keywords(args + nargs, kwnames)
    cdef PyObject *outs[MAX_RESULTS]
    cdef bint asked = call.rounding != NULL and call.rounding != <PyObject *>None
    if asked and Py_TYPE(<object>call.rounding) != MODE_TYPE and are_data(self, call.rounding):
        return call_in_modes(self, call, args, nargs, kwnames)
    cdef int mode = self.resolve_mode(<object>call.rounding if asked else None)
    cdef int numbers = mode if asked or self.chooser == BY_OPERATOR else REGIONS_MODE
    if not call.has_others and take_outs(self.nin, self.nout, args, nargs, call.out, outs):
        if self.takes_vectors:
            result = calculate_vectors(self.data[mode & 3], mode, numbers, self.name, args, outs)
        else:
            result = calculate(self.data[mode & 3], mode, numbers, self.name, args, outs)
            if result is None:
                result = calculate_spread(
                    self.data[mode & 3], mode, numbers, self.name, args, outs)
        if result is not None:
            return result
    if has_numbers_to_round(self, numbers, args, nargs):
        return call_with_rounded(self, mode, numbers, args, nargs, kwnames)
    return call_ufunc(self, mode, args, nargs, kwnames)


# ---------------------------------------------------------------- numbers to round

cdef int toss_call(int mode, bint has_foreign) noexcept:
    """Return one mode for a whole call, as `toss`.

    Arguments that handle ufuncs themselves do not depend on it: then the coin does not count.
    """
    cdef bint decided = halfcl_coins().decided
    mode = toss(mode)
    if has_foreign:
        halfcl_coins().decided = decided
    return mode


cdef bint has_numbers_to_round(
    Function self, int numbers, PyObject *const *args, Py_ssize_t nargs
):
    """Return whether NumPy might round some number otherwise, or some list may hold numbers."""
    cdef const halfcl_signature *signature = &self.data[0].kernels[0].signature
    cdef bint has_any = False
    cdef int i
    if self.general is not None or self.prepare is not None:
        return False
    for i in range(min(nargs, self.nin)):
        has_any |= is_list(args[i])
    if not has_any and numbers in (REGIONS_MODE, HALFCL_RTE) and rounds_to_nearest():
        return False
    for i in range(min(nargs, self.nin)):
        if is_foreign(<object>args[i]):
            return False
        has_any |= signature.types[i] == HALFCL_HALF and is_number_to_round(args[i])
    return has_any


cdef object call_with_rounded(
    Function self, int mode, int numbers, PyObject *const *args, Py_ssize_t nargs,
    PyObject *kwnames
):
    """Call `call_ufunc` with Python's numbers rounded here."""
    cdef PyObject *passed[MAX_ARGUMENTS]
    cdef Py_ssize_t i, total = nargs + (0 if kwnames == NULL else PyTuple_GET_SIZE(<object>kwnames))
    if total > MAX_ARGUMENTS:
        raise TypeError(f"{self.name}: got {total} arguments")
    given_inputs = tuple([<object>args[i] for i in range(min(nargs, self.nin))])
    inputs = round_arguments(&self.data[0].kernels[0].signature, numbers, given_inputs)
    for i in range(total):
        passed[i] = PyTuple_GET_ITEM(inputs, i) if i < PyTuple_GET_SIZE(inputs) else args[i]
    return call_ufunc(self, mode, passed, nargs, kwnames)


# ---------------------------------------------------------------- a mode for each element

cdef object call_in_modes(
    Function self, Call call, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames
):
    """Call a function whose rounding is an array: one more operand of the per-element ufunc."""
    cdef PyObject *outs_given[MAX_RESULTS]
    codes = mode_codes(<object>call.rounding)
    if (
        not call.has_others and not self.takes_vectors
        and take_outs(self.nin, self.nout, args, nargs, call.out, outs_given)
    ):
        result = calculate_in_modes(self.data[0], codes, self.name, args, outs_given)
        if result is not None:
            return result
    # Copy the codes: making arrays of the arguments may run code of users, which could write
    # others.
    codes = np.array(codes)
    arguments, keywords = split_call(args, nargs, kwnames)
    for x in arguments:
        part = adapter_for(x)
        if part is not None and getattr(part, "takes_modes", False):
            return part.call_ufunc(self.ufuncs[0], arguments, keywords, <object>call.rounding)
    if codes.ndim == 0:
        return self(*arguments, rounding=MODES[codes], **keywords)
    if nargs < self.nin:
        raise TypeError(f"{self.name}: expected {self.nin} arguments, got {nargs}")
    inputs, outs = tuple(arguments[:self.nin]), arguments[self.nin:]
    if self.prepare is not None:
        inputs = self.prepare(inputs[0]), *inputs[1:]
        if engine_type(cnp.PyArray_TYPE(inputs[0])) == NO_TYPE:
            raise TypeError(
                f"{self.name}: argument 1: expected bool, integers, half, float16, float32 or "
                f"float64 beside an array of modes, got {inputs[0].dtype}")
    elif self.takes_vectors:
        return vectors_in_modes(self, (*inputs, codes), outs, keywords)
    else:
        inputs = round_arguments(
            &self.data[0].kernels[0].signature, REGIONS_MODE, inputs, codes)
    return self.get_per_element_ufunc()(*inputs, codes, *outs, **keywords)


cdef object vectors_in_modes(Function self, tuple inputs, list outs, dict keywords):
    """Compute a function of vectors in a mode per element.

    NumPy keeps no axes where an input has none.
    """
    ufunc = self.get_per_element_ufunc()
    for i in range(self.nin):
        if is_scalar(inputs[i]):
            refuse_scalar(self.name, i, "vectors beside an array of modes")
    if "axes" in keywords:
        axes = list(keywords["axes"])
        keywords["axes"] = [*axes[:self.nin], (), *axes[self.nin:]]
    if not keywords.pop("keepdims", False):
        return ufunc(*inputs, *outs, **keywords)
    if "axes" in keywords:
        raise TypeError(f"{self.name}: expected axis, not axes, with keepdims and an array of modes")
    axis = keywords.get("axis", -1)
    (out,) = outs or as_outputs(keywords.pop("out", None))
    if out is None:
        return np.expand_dims(ufunc(*inputs, **keywords), axis)
    ufunc(*inputs, out=np.squeeze(out, axis), **keywords)
    return out


# ---------------------------------------------------------------- calls that NumPy prepares

cdef object call_ufunc(
    Function self, int mode, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames
):
    """Call the mode's ufunc, or general, with every argument but rounding."""
    cdef void *outer = random_ufunc
    cdef Py_ssize_t i, total = nargs + (0 if kwnames == NULL else PyTuple_GET_SIZE(<object>kwnames))
    for i in range(total if self.general is None else 0):
        part = adapter_for(<object>args[i])
        if part is not None:
            rounding = read_keywords(args + nargs, kwnames).rounding
            arguments, keywords = split_call(args, nargs, kwnames)
            return part.call_ufunc(
                self.ufuncs[mode & 3], arguments, keywords,
                None if rounding == NULL else <object>rounding)
    if mode != RANDOM_MODE:
        return call_one_ufunc(self, mode, args, nargs, kwnames)
    cdef bint has_foreign = False
    for i in range(nargs):
        has_foreign |= is_foreign(<object>args[i])
    # Where rounding is not in the loops, as for objects, one mode is drawn for all of a call.
    mode = toss_call(mode, has_foreign)
    if has_foreign:  # those compute in modes of their own
        return call_one_ufunc(self, mode, args, nargs, kwnames)
    set_random_ufunc(self.data[mode])
    try:
        return call_one_ufunc(self, mode, args, nargs, kwnames)
    finally:
        set_random_ufunc(outer)


cdef int set_random_ufunc(void *data) noexcept:
    global random_ufunc
    random_ufunc = data
    return 0


cdef object call_one_ufunc(
    Function self, int mode, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames
):
    try:
        return call_callee(self, mode, args, nargs, kwnames)
    except (TypeError, ValueError) as error:
        renamed = rename_error(
            error, self.name, f"{self.name}_{MODES[mode]}", getattr(self, "__signature__", None),
            <object>args[self.nin] if nargs > self.nin else None)
        if renamed is None:
            raise
        raise renamed from None


cdef object call_callee(
    Function self, int mode, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames
):
    callee = self.ufuncs[mode] if self.general is None else self.general
    if self.general is None and nargs >= self.nin and needs_numbers_prepared(self, args):
        arguments, keywords = split_call(args, nargs, kwnames)
        if self.takes_vectors:
            return call_with_scalars(self, callee, arguments, keywords)
        return call_with_number(self, mode, callee, arguments, keywords)
    if kwnames != NULL and ROUNDING in <tuple><object>kwnames:
        return call_without_rounding(callee, args, nargs, <object>kwnames)
    return PyObject_Vectorcall(callee, args, nargs, kwnames)


cdef object call_without_rounding(
    object callee, PyObject *const *args, Py_ssize_t nargs, object kwnames
):
    cdef PyObject *passed[MAX_ARGUMENTS]
    cdef Py_ssize_t i, count = nargs
    cdef list names = []
    if nargs + len(kwnames) > MAX_ARGUMENTS:
        raise TypeError(f"{callee.__name__}: got {nargs + len(kwnames)} arguments")
    for i in range(nargs):
        passed[i] = args[i]
    for i, name in enumerate(kwnames):
        if name != ROUNDING:
            names.append(name)
            passed[count] = args[nargs + i]
            count += 1
    keywords = tuple(names)
    return PyObject_Vectorcall(callee, passed, nargs, <PyObject *>keywords if names else NULL)


cdef tuple split_call(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames):
    """Return the arguments as a list and, but for rounding, as a dict."""
    cdef Py_ssize_t i
    arguments = [<object>args[i] for i in range(nargs)]
    names = <object>kwnames if kwnames != NULL else ()
    keywords = {name: <object>args[nargs + i] for i, name in enumerate(names)}
    keywords.pop(ROUNDING, None)
    return arguments, keywords


cdef bint is_scalar(object argument):
    """Return whether an argument has no axis that could hold vectors."""
    if isinstance(argument, cnp.ndarray):
        return cnp.PyArray_NDIM(<cnp.ndarray>argument) == 0
    return isinstance(argument, (cnp.generic, float, int))


cdef bint needs_numbers_prepared(Function self, PyObject *const *args):
    """Return whether NumPy would misread numbers.

    It takes a lone Python number for int64 or float64, and a scalar for something other than a
    vector.
    """
    cdef int i
    if self.takes_vectors:
        for i in range(self.nin):
            if is_scalar(<object>args[i]):
                return True
        return False
    if self.prepare is not None:
        return isinstance(<object>args[0], (list, tuple, float, int))
    return self.nin == 1 and type(<object>args[0]) in PYTHON_NUMBERS


cdef object lone_number(object number, int type):
    """Return a Python number as an argument of a function: a half, or an integer of its type."""
    if type == HALFCL_HALF:
        return half(number)
    return number if isinstance(number, float) else dtype_of_type(type).type(number)


cdef object call_with_number(
    Function self, int mode, object ufunc, list arguments, dict keywords
):
    """Call a function of one Python number, or of what prepare takes."""
    if self.prepare is not None:  # then make the usual call
        prepared = self.prepare(arguments[0])
        if random_ufunc == self.data[mode]:  # draw the mode again, per element
            return self(prepared, *arguments[1:], **keywords)
        return self(prepared, *arguments[1:], rounding=MODES[mode], **keywords)
    number = lone_number(arguments[0], self.data[0].kernels[0].signature.types[0])
    return ufunc(number, *arguments[1:], **keywords)


cdef object refuse_scalar(str name, int argument, str expected):
    raise ValueError(f"{name}: argument {argument + 1}: expected {expected}, got a scalar")


cdef object call_with_scalars(Function self, object ufunc, list arguments, dict keywords):
    """Compute a function of vectors of scalars, as vectors of one component."""
    cdef LoopData *loop = &self.data[0].loops[0][0]
    scalars = [i for i in range(self.nin) if is_scalar(arguments[i])]
    if loop.kernel.vectors.narrowest:
        refuse_scalar(self.name, scalars[0], f"vectors of {loop.kernel.vectors.narrowest} or {loop.kernel.vectors.broadest} components")
    if len(scalars) < self.nin:
        refuse_scalar(self.name, scalars[0], "vectors like the other argument")
    if keywords.keys() - {OUT}:
        refuse_scalar(self.name, 0, "vectors beside axis, keepdims and the like")
    vectors = [
        np.atleast_1d(lone_number(x, HALFCL_HALF) if type(x) in PYTHON_NUMBERS else x)
        for x in arguments[:self.nin]
    ]
    outs = tuple(arguments[self.nin:]) or as_outputs(keywords.get(OUT))
    if loop.kernel.vectors.gives_vectors and len(outs) == 1 and outs[0] is not None:
        ufunc(*vectors, out=np.expand_dims(outs[0], -1))
        return outs[0]
    result = ufunc(*vectors, out=outs)
    return result[0] if loop.kernel.vectors.gives_vectors else result


cdef tuple as_outputs(object out):
    """Return a call's keyword out as a tuple."""
    return out if type(out) is tuple else (out,)


cdef Function _layout = Function(table_token)
halfcl_set_vectorcall(
    <PyTypeObject *>Function, <char *>&_layout.vectorcall - <char *><PyObject *>_layout)
