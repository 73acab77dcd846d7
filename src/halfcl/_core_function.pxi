# halfcl's functions: an object each, over its ufuncs.

import sys

from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

cdef tuple PYTHON_NUMBERS = (float, int, bool)


cdef extern from *:
    """
    /* Calls of a type go through the function pointer that its objects hold at offset. */
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


cdef class Function:
    """One halfcl function: its ufunc in each rounding mode, called by one name.

    Calling it takes what a NumPy ufunc takes (``out``, ``where``, ``axis`` …; for
    two results ``out`` is a tuple of two)
    and ``rounding``, one of ``"rte"``, ``"rtz"``, ``"rtp"``, ``"rtn"``. Without
    it the mode is the region's, if the region governs this function, else rte.

    Attributes
    ----------
    rte, rtz, rtp, rtn : numpy.ufunc
        The function in one mode.
    nin, nout : int
        Numbers of arguments and of results.
    """

    cdef vectorcall_function vectorcall
    cdef tuple ufuncs
    cdef object general
    cdef int chooser
    cdef bint takes_vectors
    cdef readonly object rte, rtz, rtp, rtn
    cdef readonly int nin, nout
    cdef dict __dict__  # for __name__, __doc__ and what else functools expects

    def __init__(self, str name, str doc, ufuncs, str governed, default="rte", general=None):
        """ufuncs: in rte, rtz, rtp, rtn; default: the mode where no region governs; general:
        takes the calls that are not straight a kernel's, in place of the ufuncs."""
        self.vectorcall = call_function
        self.ufuncs = tuple(ufuncs)
        self.general = general
        self.rte, self.rtz, self.rtp, self.rtn = self.ufuncs
        self.nin, self.nout = self.rte.nin, self.rte.nout
        self.takes_vectors = self.rte.signature is not None
        self.chooser = {"operator": BY_OPERATOR, "builtin": BY_BUILTIN}.get(
            governed, mode_number(default))
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc
        self.__module__ = "halfcl"

    cdef halfcl_rounding mode(self, rounding) except <halfcl_rounding>-1:
        """The mode asked for, or the region's."""
        if rounding is not None:
            return <halfcl_rounding>mode_number(rounding)
        return chosen_mode(self.chooser)

    cdef object pick(self, rounding):
        """The ufunc of that mode."""
        return self.ufuncs[self.mode(rounding)]

    def reduce(self, *args, rounding=None, **kwargs):
        """`numpy.ufunc.reduce` in a rounding mode."""
        return self.pick(rounding).reduce(*args, **kwargs)

    def accumulate(self, *args, rounding=None, **kwargs):
        """`numpy.ufunc.accumulate` in a rounding mode."""
        return self.pick(rounding).accumulate(*args, **kwargs)

    def outer(self, *args, rounding=None, **kwargs):
        """`numpy.ufunc.outer` in a rounding mode."""
        return self.pick(rounding).outer(*args, **kwargs)

    def at(self, *args, rounding=None, **kwargs):
        """`numpy.ufunc.at` in a rounding mode."""
        return self.pick(rounding).at(*args, **kwargs)

    def __repr__(self):
        return f"<halfcl.Function {self.__name__!r}>"

    def __reduce__(self):
        return self.__name__


# ---------------------------------------------------------------- calls

cdef extern from "numpy/arrayobject.h":
    object PyArray_Empty(int, const cnp.npy_intp *, cnp.dtype, int)

cdef str ROUNDING = sys.intern("rounding")
cdef str OUT = sys.intern("out")

cdef enum:
    MAX_OPERANDS = 4
    MAX_ARGUMENTS = 32  # positional and keyword, of a ufunc's call
    RELEASE_GIL = 4096  # elements from which it pays


cdef bint is_plain(PyObject *argument) noexcept:
    """Whether it is an ndarray in one piece of memory, of a native dtype: half, or no float16."""
    if <PyObject *>Py_TYPE(<object>argument) != <PyObject *>cnp.ndarray:
        return False
    cdef cnp.ndarray array = <cnp.ndarray>argument
    return (
        cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
        and cnp.PyArray_ISNOTSWAPPED(array)
        and cnp.PyArray_NDIM(array) > 0
        and cnp.PyArray_TYPE(array) != NPY_HALF
    )


cdef inline PyArray_Descr_struct *dtype_of(PyObject *array) noexcept:
    return <PyArray_Descr_struct *>cnp.PyArray_DESCR(<cnp.ndarray>array)


cdef bint are_separate(cnp.ndarray one, cnp.ndarray other) noexcept:
    """Whether two arrays share no memory."""
    cdef char *a = <char *>cnp.PyArray_DATA(one)
    cdef char *b = <char *>cnp.PyArray_DATA(other)
    return a + cnp.PyArray_NBYTES(one) <= b or b + cnp.PyArray_NBYTES(other) <= a


cdef bint separate_or_same(cnp.ndarray out, cnp.ndarray array) noexcept:
    """Whether an output overwrites nothing of an input but the element it is computed from."""
    if cnp.PyArray_DATA(out) == cnp.PyArray_DATA(array):
        return cnp.PyArray_ITEMSIZE(out) <= cnp.PyArray_ITEMSIZE(array)
    return are_separate(out, array)


cdef const halfcl_kernel *kernel_for(UfuncData *ufunc, int nin, PyObject *const *args) noexcept:
    """The kernel that takes these arrays as they are; or NULL."""
    cdef int i, k
    for k in range(ufunc.count):
        for i in range(nin):
            if letter_of(dtype_of(args[i])) != ufunc.kernels[k].types[i]:
                break
        else:
            return ufunc.kernels[k]
    return NULL


cdef dict RESULT_DTYPES = {
    ord(letter): HALF if letter == "e" else np.dtype(USUAL_LETTERS.get(letter, letter))
    for letter in "?bBhHiIqQefd"
}


cdef cnp.ndarray usable_output(object out, char letter, cnp.ndarray like):
    """out if results of that type can go straight into it, else None; without out, a new array."""
    cdef cnp.dtype dtype
    if out is None:
        dtype = RESULT_DTYPES[letter]
        Py_INCREF(dtype)  # PyArray_Empty takes it over
        return PyArray_Empty(cnp.PyArray_NDIM(like), cnp.PyArray_DIMS(like), dtype, 0)
    if (
        is_plain(<PyObject *>out)
        and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>out)
        and cnp.PyArray_SAMESHAPE(<cnp.ndarray>out, like)
        and letter_of(dtype_of(<PyObject *>out)) == letter
    ):
        return <cnp.ndarray>out
    return None


cdef object given_output(int k, Function self, PyObject *const *args, Py_ssize_t nargs, object out):
    """The k-th output that a call names, by position or by out; or None."""
    if nargs > self.nin:
        return <object>args[self.nin + k]
    if self.nout == 1 or out is None:
        return out
    return out[k]


cdef object call_directly(
    Function self, halfcl_rounding mode, object ufunc, PyObject *const *args, Py_ssize_t nargs,
    object out
):
    """The result, if the arguments are arrays that a kernel takes as they are; else None.

    A ufunc's call costs some 150 ns more, mostly for what these need nothing of.
    """
    cdef UfuncData *data = own_data(<PyObject *>ufunc)
    cdef char *operands[MAX_OPERANDS]
    cdef Py_ssize_t steps[MAX_OPERANDS]
    cdef int i, k, nin = self.nin, nout = self.nout
    if nargs != nin and (nargs != nin + nout or out is not None):
        return None
    if nout > 1 and out is not None and (type(out) is not tuple or len(out) != nout):
        return None
    for i in range(nin):
        if not is_plain(args[i]) or not cnp.PyArray_SAMESHAPE(<cnp.ndarray>args[i], <cnp.ndarray>args[0]):
            return None
        operands[i] = <char *>cnp.PyArray_DATA(<cnp.ndarray>args[i])
        steps[i] = cnp.PyArray_ITEMSIZE(<cnp.ndarray>args[i])
    cdef const halfcl_kernel *kernel = kernel_for(data, nin, args)
    if kernel == NULL:
        return None
    cdef cnp.ndarray result = None, first = None
    for k in range(nout):
        result = usable_output(
            given_output(k, self, args, nargs, out), kernel.types[nin + 1 + k],
            <cnp.ndarray>args[0])
        if result is None or (first is not None and not are_separate(result, first)):
            return None
        for i in range(nin):
            if not separate_or_same(result, <cnp.ndarray>args[i]):
                return None
        operands[nin + k] = <char *>cnp.PyArray_DATA(result)
        steps[nin + k] = cnp.PyArray_ITEMSIZE(result)
        if k == 0:
            first = result

    cdef size_t n = cnp.PyArray_SIZE(result)
    cdef unsigned flags
    if n < RELEASE_GIL:
        flags = halfcl_run(kernel, operands, steps, n, mode)
    else:
        with nogil:
            flags = halfcl_run(kernel, operands, steps, n, mode)
    if flags:
        report(flags, ufunc.__name__)
    return result if nout == 1 else (first, result)


cdef cnp.ndarray output_of_vectors(object out, cnp.ndarray vectors, bint gives_vectors):
    """out, if a half for each vector, or a vector, can go straight into it; else None."""
    cdef int axis, ndim = cnp.PyArray_NDIM(vectors) - (0 if gives_vectors else 1)
    if out is None:
        Py_INCREF(HALF)  # PyArray_Empty takes it over
        return PyArray_Empty(ndim, cnp.PyArray_DIMS(vectors), HALF, 0)
    if (
        not is_plain(<PyObject *>out)
        or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray>out)
        or cnp.PyArray_NDIM(<cnp.ndarray>out) != ndim
        or letter_of(dtype_of(<PyObject *>out)) != b"e"
    ):
        return None
    for axis in range(ndim):
        if cnp.PyArray_DIM(<cnp.ndarray>out, axis) != cnp.PyArray_DIM(vectors, axis):
            return None
    return <cnp.ndarray>out


cdef object call_with_vectors(
    Function self, halfcl_rounding mode, object ufunc, PyObject *const *args, Py_ssize_t nargs,
    object out
):
    """call_directly for functions of vectors: those along the last axis."""
    cdef LoopData *loop = &own_data(<PyObject *>ufunc).loops[0][<int>mode]
    cdef halfcl_vectors operands[MAX_VECTORS]
    cdef cnp.ndarray first = None, result
    cdef Py_ssize_t width
    cdef size_t n
    cdef unsigned flags
    cdef int i, nin = self.nin
    if nargs != nin and (nargs != nin + 1 or out is not None):
        return None
    for i in range(nin):
        if (
            not is_plain(args[i]) or letter_of(dtype_of(args[i])) != b"e"
            or not cnp.PyArray_SAMESHAPE(<cnp.ndarray>args[i], <cnp.ndarray>args[0])
        ):
            return None
    first = <cnp.ndarray>args[0]
    width = cnp.PyArray_DIM(first, cnp.PyArray_NDIM(first) - 1)
    if width == 0 or not takes_width(loop, width):
        return None
    result = output_of_vectors(
        given_output(0, self, args, nargs, out), first, loop.gives_vectors)
    if result is None:
        return None
    for i in range(nin + 1):
        array = <cnp.ndarray>args[i] if i < nin else result
        if i < nin and not are_separate(result, array):
            return None
        operands[i] = halfcl_vectors(
            <char *>cnp.PyArray_DATA(array), 2 * width, 2, width)
    if not loop.gives_vectors:
        operands[nin] = halfcl_vectors(<char *>cnp.PyArray_DATA(result), 2, 0, 1)
    n = cnp.PyArray_SIZE(first) // width
    if n * width < RELEASE_GIL:
        flags = halfcl_geometric(loop.kernel, operands, n, mode)
    else:
        with nogil:
            flags = halfcl_geometric(loop.kernel, operands, n, mode)
    if flags:
        report(flags, ufunc.__name__)
    # One number comes as a scalar, as from every ufunc.
    return result if cnp.PyArray_NDIM(result) > 0 else result[()]


cdef tuple SCALARS = (np.generic, *PYTHON_NUMBERS)


cdef bint is_scalar(object argument):
    """Whether it has no axis that could hold vectors."""
    if isinstance(argument, np.ndarray):
        return cnp.PyArray_NDIM(<cnp.ndarray>argument) == 0
    return isinstance(argument, SCALARS)


cdef object refuse_scalar(str name, int argument, str expected):
    raise ValueError(f"{name}: argument {argument + 1}: expected {expected}, got a scalar")


cdef object call_with_scalars(
    Function self, object ufunc, PyObject *const *args, Py_ssize_t nargs, object out,
    bint has_others
):
    """A function of vectors, of scalars: vectors of one component. None without scalars."""
    cdef UfuncData *data = own_data(<PyObject *>ufunc)
    cdef LoopData *loop = &data.loops[0][0]
    cdef list found = [i for i in range(self.nin) if is_scalar(<object>args[i])]
    cdef list vectors = []
    if not found:
        return None
    if loop.is_cross:
        refuse_scalar(self.__name__, found[0], "vectors of 3 or 4 components")
    if len(found) < self.nin:
        refuse_scalar(self.__name__, found[0], "vectors like the other argument")
    if has_others:
        refuse_scalar(self.__name__, 0, "vectors beside axis, keepdims and the like")
    for i in range(self.nin):
        argument = <object>args[i]
        if type(argument) in PYTHON_NUMBERS:
            argument = lone_number(argument, data)
        vectors.append(np.atleast_1d(argument))
    out = given_output(0, self, args, nargs, out[0] if type(out) is tuple else out)
    if not loop.gives_vectors:
        return ufunc(*vectors, out=out)
    result = ufunc(*vectors, out=None if out is None else np.expand_dims(out, -1))
    return result[0] if out is None else out


cdef object lone_number(object number, UfuncData *ufunc):
    """A Python number as the argument of a function: a half, or an integer of its type."""
    cdef char letter = ufunc.kernels[0].types[0]
    if letter == b"e":
        return half(number)
    return number if isinstance(number, float) else np.dtype(chr(letter)).type(number)


cdef object call_without_rounding(
    object ufunc, PyObject *const *args, Py_ssize_t nargs, object kwnames
):
    """Calls the ufunc with every argument but rounding."""
    cdef PyObject *passed[MAX_ARGUMENTS]
    cdef Py_ssize_t i, count = nargs
    cdef list names = []
    if nargs + len(kwnames) > MAX_ARGUMENTS:
        raise TypeError(f"{ufunc.__name__}: got {nargs + len(kwnames)} arguments")
    for i in range(nargs):
        passed[i] = args[i]
    for i, name in enumerate(kwnames):
        if name != ROUNDING:
            names.append(name)
            passed[count] = args[nargs + i]
            count += 1
    keywords = tuple(names)
    return PyObject_Vectorcall(ufunc, passed, nargs, <PyObject *>keywords if names else NULL)


cdef object call_function(object function, PyObject *const *args, size_t nargsf, PyObject *kwnames):
    """Function's __call__: by the vectorcall protocol, since it is to add little to a small call."""
    cdef Function self = <Function>function
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf)
    cdef Py_ssize_t i, count = PyTuple_GET_SIZE(<object>kwnames) if kwnames != NULL else 0
    cdef object rounding = None, out = None, name
    cdef bint has_rounding = False, has_others = False
    for i in range(count):
        name = <object>PyTuple_GET_ITEM(<object>kwnames, i)
        if name is ROUNDING or name == ROUNDING:
            rounding = <object>args[nargs + i]
            has_rounding = True
        elif name is OUT or name == OUT:
            out = <object>args[nargs + i]
        else:
            has_others = True
    mode = self.mode(rounding)
    ufunc = <object>PyTuple_GET_ITEM(self.ufuncs, mode)
    if not has_others:
        if self.takes_vectors:
            result = call_with_vectors(self, mode, ufunc, args, nargs, out)
        else:
            result = call_directly(self, mode, ufunc, args, nargs, out)
        if result is not None:
            return result
    if self.general is not None:
        ufunc = self.general
    if self.takes_vectors and nargs >= self.nin:
        result = call_with_scalars(self, ufunc, args, nargs, out, has_others)
        if result is not None:
            return result
    # NumPy takes a lone Python number for int64 or float64.
    if self.nin == 1 and nargs > 0 and type(<object>args[0]) in PYTHON_NUMBERS:
        keywords = {
            <object>PyTuple_GET_ITEM(<object>kwnames, i): <object>args[nargs + i]
            for i in range(count)
        }
        keywords.pop(ROUNDING, None)
        others = [<object>args[i] for i in range(1, nargs)]
        return ufunc(lone_number(<object>args[0], own_data(<PyObject *>ufunc)), *others, **keywords)
    if has_rounding:
        return call_without_rounding(ufunc, args, nargs, <object>kwnames)
    return PyObject_Vectorcall(ufunc, args, nargsf, kwnames)


cdef Function _layout = Function.__new__(Function)
halfcl_set_vectorcall(
    <PyTypeObject *>Function, <char *>&_layout.vectorcall - <char *><PyObject *>_layout)
