# The loops for arguments of mixed types, and the common type of half and other types.
# Needs: loops.pxi, types.pxi

from cpython.pycapsule cimport PyCapsule_New

cdef extern from "numpy_compat.h":
    ctypedef PyObject *halfcl_common_dtype(PyObject *, PyObject *)
    int halfcl_make_numeric(PyObject *)
    int halfcl_replace_common_dtype(PyObject *, halfcl_common_dtype *, halfcl_common_dtype **)
    int halfcl_replace_resolver(PyUFuncObject *, int)

cdef PyObject *HALF_CLASS = halfcl_dtype_class(HALF)
cdef PyObject *FLOAT16_CLASS = halfcl_dtype_class(np.dtype(np.float16))
cdef PyObject *BOOL_CLASS = halfcl_dtype_class(np.dtype(np.bool_))
cdef PyObject *LONG_CLASS = halfcl_dtype_class(np.dtype("l"))
cdef PyObject *MODE_CLASS = halfcl_dtype_class(np.dtype(np.uint8))

# Keyed by the type of an argument: the DType classes that convert to it exactly, the class of
# integers, and the texts of an error.
cdef dict TAKEN = {
    wanted: frozenset(
        [type(dtype) for other in range(HALFCL_BOOL, HALFCL_FLOAT)
         for dtype in dtypes_of_type(other) if np.can_cast(dtype, TYPES[wanted][1])]
        + [halfcl_python_number_class(i) for i in python_numbers]
    )
    for wanted, python_numbers in (
        (HALFCL_HALF, (0, 1)), *((number, (0,)) for number in range(HALFCL_INT8, HALFCL_INT64)))
}
cdef dict INTEGER_CLASSES = {
    number: type(TYPES[number][1]) for number in TAKEN if number != HALFCL_HALF}
cdef dict EXPECTED = {
    HALFCL_HALF: (
        "half, float16, bool, int8 or uint8", "halfcl.convert(x, halfcl.half) rounds it to half"),
    **{number: (f"{TYPES[number][1]} or a narrower integer",
                f"x.astype(numpy.{TYPES[number][1]}) wraps it to one")
       for number in INTEGER_CLASSES},
}


# The remedy where conversion does not help, by the class of an array's elements.
cdef dict HINTS = {
    np.object_: "an array of objects, or None, is no array of numbers",
    **{text: "halfcl.parse(x) reads text" for text in (np.str_, np.bytes_, str)},
    **{number: "halfcl.convert(x.real, halfcl.half) rounds its real part"
       for number in (np.complex64, np.complex128, np.clongdouble)},
    **{time: "x.astype(numpy.int64) counts its units" for time in (np.datetime64, np.timedelta64)},
}


cdef void fill_operands(
    PyUFuncObject *ufunc, PyObject **inputs, PyObject **dtypes, PyObject **signature,
    PyObject **chosen
) noexcept:
    """Write the chosen inputs, and outputs as they were requested."""
    cdef int i
    for i in range(ufunc.nin + ufunc.nout):
        if signature[i] != NULL:
            chosen[i] = signature[i]
        elif i < ufunc.nin:
            chosen[i] = inputs[i]
        else:
            chosen[i] = dtypes[i]
        Py_XINCREF(chosen[i])


cdef int refuse_argument(object ufunc, int i, object dtype_class, int type) except -1:
    expected, hint = EXPECTED[type]
    hint = HINTS.get(dtype_class.type, hint)
    raise TypeError(
        f"{ufunc.__name__}: argument {i + 1}: expected {expected}, "
        f"got {dtype_class.type.__name__}; {hint}"
    )


cdef int own_promoter(
    PyObject *ufunc, PyObject **dtypes, PyObject **signature, PyObject **chosen
) except -1:
    """Promote arguments of halfcl's functions.

    They take half, float16, and types exact in them or in an integer argument.
    """
    cdef PyUFuncObject *self = <PyUFuncObject *>ufunc
    cdef const halfcl_signature *own = &own_data(ufunc).kernels[0].signature
    cdef PyObject *inputs[4]
    cdef PyObject *half_class
    cdef bint any_half = False, any_float16 = False
    cdef int i, nin = own.nin  # a per-element ufunc has one more input
    for i in range(nin):
        if dtypes[i] == NULL:
            continue
        elif own.types[i] == HALFCL_HALF and dtypes[i] == HALF_CLASS:
            any_half = True
        elif own.types[i] == HALFCL_HALF and dtypes[i] == FLOAT16_CLASS:
            any_float16 = True
        elif <object>dtypes[i] not in TAKEN[own.types[i]]:
            refuse_argument(<object>ufunc, i, <object>dtypes[i], own.types[i])
    half_class = FLOAT16_CLASS if any_float16 and not any_half else HALF_CLASS
    for i in range(nin):
        integer_class = INTEGER_CLASSES.get(own.types[i])
        inputs[i] = half_class if integer_class is None else <PyObject *>integer_class
    inputs[nin] = MODE_CLASS
    fill_operands(self, inputs, dtypes, signature, chosen)
    return 0


cdef frozenset PYTHON_CLASSES = frozenset(halfcl_python_number_class(i) for i in range(3))


cdef int promotion_rank(PyObject *dtype_class) except -1:
    return 0 if dtype_class == HALF_CLASS else 2 if <object>dtype_class in PYTHON_CLASSES else 1


cdef int twin_promoter(
    PyObject *ufunc, PyObject **dtypes, PyObject **signature, PyObject **chosen
) except -1:
    """Promote NumPy's ufuncs with a half among the arguments: the common dtype, as for float16."""
    cdef PyUFuncObject *self = <PyUFuncObject *>ufunc
    cdef PyObject *inputs[3]
    cdef PyObject *common
    cdef int i, rank, count = 0
    # Half first, Python's numbers, which combine with any of their kind, last.
    for rank in range(3):
        for i in range(self.nin):
            if dtypes[i] != NULL and promotion_rank(dtypes[i]) == rank:
                inputs[count] = dtypes[i]
                count += 1
    # dtype= requests a loop by its result (which in a comparison decides nothing).
    if signature[self.nin] != NULL and signature[self.nin] != BOOL_CLASS:
        common = signature[self.nin]
    else:
        common = halfcl_promote(count, inputs)
        if common == NULL:
            raise np.exceptions.DTypePromotionError("half has no common dtype with these")
    for i in range(self.nin):
        inputs[i] = common
    fill_operands(self, inputs, dtypes, signature, chosen)
    return 0


cdef int long_promoter(
    PyObject *ufunc, PyObject **dtypes, PyObject **signature, PyObject **chosen
) noexcept:
    """Promote a half and an integer: to a long, as NumPy's ldexp does for float16."""
    cdef PyObject *inputs[2]
    inputs[0], inputs[1] = HALF_CLASS, LONG_CLASS
    fill_operands(<PyUFuncObject *>ufunc, inputs, dtypes, signature, chosen)
    return 0


# ---------------------------------------------------------------- the common dtype of two

# Keyed by the DType class of the other: float16's common dtype, with half in its place.
cdef dict COMMON_CLASSES = {}
# NumPy's function for a legacy dtype; other packages' dtypes have their own.
cdef halfcl_common_dtype *usual_common_dtype = NULL


cdef PyObject *half_common_dtype(PyObject *half_class, PyObject *other) except NULL:
    """Return a new reference to a class, or to NotImplemented."""
    common = COMMON_CLASSES.get(<object>other)
    if common is None:
        return usual_common_dtype(half_class, other)
    Py_INCREF(common)
    return <PyObject *>common


def teach_promotion():
    """Set the common dtypes of half and NumPy's types and Python's numbers.

    Return whether that worked: not if NumPy's method is not laid out as expected.
    """
    float16 = np.dtype(np.float16)
    for letter in "?bBhHiIlLqQefdgFDGOSU":
        common = np.promote_types(float16, letter)
        COMMON_CLASSES[type(np.dtype(letter))] = type(HALF if common == float16 else common)
    for i in range(2):
        COMMON_CLASSES[halfcl_python_number_class(i)] = type(HALF)
    COMMON_CLASSES[halfcl_python_number_class(2)] = type(np.dtype(np.complex64))
    return halfcl_replace_common_dtype(
        HALF_CLASS, <halfcl_common_dtype *>half_common_dtype, &usual_common_dtype) != 0


def teach_numeric():
    """Register half as a number with NumPy; return whether that worked."""
    return halfcl_make_numeric(HALF_CLASS) != 0


def teach_resolvers(ufuncs):
    """Let dtype=half with arguments of other types select half's loops; return whether all do."""
    return all([halfcl_replace_resolver(<PyUFuncObject *>ufunc, HALF_NUMBER) for ufunc in ufuncs])


# ---------------------------------------------------------------- promoters

cdef object OWN_PROMOTER = PyCapsule_New(<void *>own_promoter, "numpy._ufunc_promoter", NULL)
cdef object TWIN_PROMOTER = PyCapsule_New(<void *>twin_promoter, "numpy._ufunc_promoter", NULL)
cdef object LONG_PROMOTER = PyCapsule_New(<void *>long_promoter, "numpy._ufunc_promoter", NULL)

cdef tuple PROMOTED_TO_LONG = (
    *(type(np.dtype(c)) for c in "?bBhHI"), halfcl_python_number_class(0))

# Each has a pattern of its own: two patterns that match equally well are an error in NumPy, so
# (half, any) and (any, half) would not do for two halves. One argument needs no promotion;
# numpy_compat.h's resolver handles three.
cdef tuple PROMOTED_WITH_HALF = (
    *(type(np.dtype(c)) for c in "?bBhHiIlLqQefdgFDGOSUmM"), *PYTHON_CLASSES)


cdef list promoted_patterns(int nin):
    half_class = type(HALF)
    if nin == 2:
        return [pair for other in PROMOTED_WITH_HALF
                for pair in ((half_class, other), (other, half_class))]
    return []


cdef int promote_common(object ufunc) except -1:
    for pattern in promoted_patterns(ufunc.nin):
        PyUFunc_AddPromoter(ufunc, (*pattern, *(None,) * ufunc.nout), TWIN_PROMOTER)
    return 0


cdef int promote_integer(object ufunc) except -1:
    for other in PROMOTED_TO_LONG:
        PyUFunc_AddPromoter(ufunc, (type(HALF), other, None), LONG_PROMOTER)
    return 0


cdef int add_promoters(object ufunc, str promotion) except -1:
    """Add a NumPy ufunc's promoters for a half among other types, see tables.row.Promotion."""
    if promotion == "common":
        return promote_common(ufunc)
    if promotion == "integer":
        return promote_integer(ufunc)
    if promotion != "numpy":
        raise ValueError(
            f"promotion: expected 'common', 'integer' or 'numpy', got {promotion!r}")
    return 0
