# The operators of the scalars: C slots of the class, as float16's are.
# Needs: call.pxi, drivers.pxi, loops.pxi, regions.pxi, scalar.pxi, types.pxi, ufunc.pxi

from cpython.object cimport binaryfunc, ternaryfunc, unaryfunc
from cpython.number cimport (
    PyNumber_Add, PyNumber_Multiply, PyNumber_Subtract, PyNumber_TrueDivide)
from libc.math cimport fabs, floor, isfinite

cdef extern from *:
    """
    /* Set a C slot of a class by a wrapper in its dictionary, so that derived classes inherit it.
       float16's wrapper of the same name has the slot and the calling convention. */
    static int halfcl_set_slot(PyObject *of, const char *name, void *function)
    {
        PyTypeObject *type = (PyTypeObject *)of;
        PyObject *like = PyObject_GetAttrString((PyObject *)type->tp_base, name);
        if (!like)
            return -1;
        PyObject *wrapper = NULL;
        if (Py_IS_TYPE(like, &PyWrapperDescr_Type))
            wrapper = PyDescr_NewWrapper(type, ((PyWrapperDescrObject *)like)->d_base, function);
        else
            PyErr_Format(PyExc_TypeError, "%s: expected a wrapper of a slot", name);
        int failed = !wrapper || PyObject_SetAttrString((PyObject *)type, name, wrapper) < 0;
        Py_XDECREF(wrapper);
        Py_DECREF(like);
        return failed ? -1 : 0;
    }

    /* Return whether a double has more digits than a normal half, so that it would be rounded. */
    static int halfcl_has_more_digits(double value)
    {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return (bits & (((uint64_t)1 << 42) - 1)) != 0;
    }

    /* Read a NumPy scalar that becomes a half beside halves; return whether it is one. */
    static int halfcl_read_small_integer(PyObject *scalar, double *value)
    {
        PyTypeObject *type = Py_TYPE(scalar);
        if (type == &PyBoolArrType_Type)
            *value = PyArrayScalar_VAL(scalar, Bool);
        else if (type == &PyByteArrType_Type)
            *value = PyArrayScalar_VAL(scalar, Byte);
        else if (type == &PyUByteArrType_Type)
            *value = PyArrayScalar_VAL(scalar, UByte);
        else
            return 0;
        return 1;
    }

    static PyNumberMethods *halfcl_numbers_of_generic(void)
    {
        return PyGenericArrType_Type.tp_as_number;
    }

    /* Return an integer that orders halves, except NaN, by value. */
    static int halfcl_order_key(npy_uint16 bits)
    {
        return bits & 0x8000 ? 0x8000 - bits : bits;
    }

    static PyObject *halfcl_compare_scalars(npy_uint16 left, npy_uint16 right, int comparison)
    {
        if ((left & 0x7fff) > 0x7c00 || (right & 0x7fff) > 0x7c00)
            PyArrayScalar_RETURN_BOOL_FROM_LONG(comparison == Py_NE);
        int order = halfcl_order_key(left) - halfcl_order_key(right);
        int truths[] = {[Py_LT] = order < 0,  [Py_LE] = order <= 0, [Py_EQ] = order == 0,
                        [Py_NE] = order != 0, [Py_GT] = order > 0,  [Py_GE] = order >= 0};
        PyArrayScalar_RETURN_BOOL_FROM_LONG(truths[comparison]);
    }

    /* Return whether NumPy 2.0's float16 leaves a comparison to a long double, which does not know
       half. */
    static bool halfcl_defers_to(PyObject *other)
    {
        enum { SINCE_2_1 = 0x13 };
        return PyArray_GetNDArrayCFeatureVersion() < SINCE_2_1 &&
               (PyArray_IsScalar(other, LongDouble) || PyArray_IsScalar(other, CLongDouble));
    }

    static PyObject *halfcl_compare_by_numpy(PyObject *self, PyObject *other, int comparison)
    {
        PyTypeObject *type =
            halfcl_defers_to(other) ? &PyGenericArrType_Type : &PyHalfArrType_Type;
        return type->tp_richcompare(self, other, comparison);
    }
    """
    object halfcl_compare_scalars(uint16_t, uint16_t, int)
    object halfcl_compare_by_numpy(object, object, int)
    ctypedef struct PyNumberMethods:
        binaryfunc nb_add, nb_subtract, nb_multiply, nb_true_divide
        binaryfunc nb_floor_divide, nb_remainder, nb_divmod
        ternaryfunc nb_power
        unaryfunc nb_negative, nb_positive, nb_absolute
    int halfcl_set_slot(object type, const char *, void *) except -1
    bint halfcl_has_more_digits(double) noexcept
    bint halfcl_read_small_integer(object, double *) noexcept
    PyNumberMethods *halfcl_numbers_of_generic()


# NumPy's own operators, through its ufuncs: ten times as slow.
cdef PyNumberMethods *of_generic = halfcl_numbers_of_generic()


cdef enum:
    SIGN_BIT = 0x8000


cdef inline object result_of(uint16_t bits):
    return new_scalar(<object>SCALAR_CLASS, bits)


cdef enum Operator:
    ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, REMAINDER, DIVMOD, OPERATORS


cdef inline double combine(Operator operator, double left, double right) noexcept:
    """Return a double that rounds to half as the exact result of two halves does.

    It is exact except for quotients; and a quotient that is not halfway between two halves is
    further from such a midpoint than a double's last bit, and from an integer, too.
    """
    if operator == ADD:
        return left + right
    if operator == SUBTRACT:
        return left - right
    if operator == MULTIPLY:
        return left * right
    if right == 0:
        return 0
    if operator == DIVIDE:
        return left / right
    if operator == FLOOR_DIVIDE:
        return floor(left / right)
    return left - floor(left / right) * right


# Two scalars: the halves, and their values.
ctypedef struct Pair:
    uint16_t[2] words
    double x, y


cdef inline bint take_scalar(object operand, int mode, uint16_t *word) except -1:
    """Read a half, a number of Python's in a mode, or a small integer of NumPy's.

    Return False for other operands.
    """
    cdef Number number
    cdef double value
    cdef unsigned flags = 0
    if <PyObject *>Py_TYPE(operand) == SCALAR_CLASS:
        word[0] = (<float16>operand).obval
        return True
    if take_number(<PyObject *>operand, HALFCL_HALF, mode, &number):
        word[0] = number.word
        return True
    if not halfcl_read_small_integer(operand, &value):
        return False
    word[0] = halfcl_from_double(value, HALFCL_RTE, &flags)
    return True


cdef inline bint take_pair(object left, object right, int mode, Pair *pair) except -1:
    """Read two scalars; return False for other operands."""
    if not take_scalar(left, mode, &pair.words[0]) or not take_scalar(right, mode, &pair.words[1]):
        return False
    pair.x, pair.y = halfcl_to_float(pair.words[0]), halfcl_to_float(pair.words[1])
    return True


cdef bint is_operand(object operand) except -1:
    """Return whether an operand is computed here; only numbers that overflow depend on the mode."""
    cdef uint16_t word
    if is_in_one_piece(<PyObject *>operand):
        return cnp.PyArray_TYPE(<cnp.ndarray>operand) == HALF_NUMBER
    return take_scalar(operand, HALFCL_RTE, &word)


cdef inline bint are_for_ufunc(object left, object right) except -1:
    """Return whether a ufunc computes an operator, and so decides the mode: that is done once."""
    return (
        may_be_in_region() and region_value() & (RANDOM | ASKED)
        and not (is_operand(left) and is_operand(right)))


cdef object calculate_words(UfuncData *data, int mode, str name, const Pair *pair):
    """Return the results of a kernel for two scalars."""
    cdef Plan plan
    cdef int i
    begin(&plan)
    plan.kernel, plan.n = data.kernels[0], 1
    for i in range(2):
        plan.number[i].word = pair.words[i]
        plan.start[i] = <char *>&plan.number[i]
    return calculate_lone(&plan, mode, name, False, ALL_EXCEPTIONS)


cdef double LARGEST_HALF = 65504


cdef inline bint is_finite_half(double value) noexcept:
    """Return whether a value is finite, also as a half where an Experiment watches for that."""
    return isfinite(value) and not (
        fabs(value) > LARGEST_HALF and are_finite_results_watched())


cdef inline bint is_result(Operator operator, double value, const Pair *pair) noexcept:
    """Return whether a value is the result; else the kernel handles signs and exceptions."""
    if value == 0:
        return operator == FLOOR_DIVIDE and pair.x != 0 and pair.y != 0 and isfinite(pair.y)
    return is_finite_half(value)


cdef object scalar_of(double value, int mode, str name, bint *is_rounded):
    """Return the half of a value as a scalar.

    is_rounded: set if the value has more digits than a half.
    """
    cdef unsigned flags = 0
    cdef uint16_t bits = halfcl_from_double(value, <halfcl_rounding>mode, &flags)
    is_rounded[0] = flags != 0 or halfcl_has_more_digits(value)
    if flags:
        report(flags, name)
    return result_of(bits)


cdef inline bint is_exact_operand(object operand, double value) noexcept:
    """Return whether an operand is exactly the half that was read from it."""
    cdef double number = value
    if <PyObject *>Py_TYPE(operand) == SCALAR_CLASS:
        return True
    return is_exact_double(operand, &number) and number == value


cdef inline bint is_counted(
    Operator operator, bint is_rounded, object left, object right, const Pair *pair
) noexcept:
    """Return whether a result counts as a kernel's.

    A sum, product or quotient that nothing has rounded adds no information to its operands, such as
    a loop's counter.
    """
    return (
        is_rounded or operator > DIVIDE
        or not is_exact_operand(left, pair.x) or not is_exact_operand(right, pair.y))


cdef object operate_by_kernel(
    Operator operator, UfuncData *data, str name, int mode, object left, object right,
    const Pair *pair
):
    """Compute an operator of two scalars at random, or whose result is zero, or not finite."""
    result = calculate_words(data, mode, name, pair)
    cdef bint is_zero = combine(operator, pair.x, pair.y) == 0
    cdef bint is_rounded = not is_zero or (operator == DIVIDE and pair.y == 0)
    if not is_counted(operator, is_rounded, left, right, pair):
        halfcl_runs()[0] -= 1
    return result


cdef inline object operate(
    Operator operator, UfuncData *data, str name, binaryfunc fallback, object left, object right
):
    """Compute a binary operator with a half as an operand, as a call of the function.

    Other operands are left to fallback.
    """
    cdef bint is_rounded
    cdef double value
    cdef int mode
    cdef Pair pair
    if are_for_ufunc(left, right):
        return fallback(left, right)
    mode = mode_of_loops(BY_OPERATOR)
    if not take_pair(left, right, mode, &pair):
        return operate_on_others(operator, data, name, fallback, mode, left, right)
    value = combine(operator, pair.x, pair.y)
    if mode == RANDOM_MODE or not is_result(operator, value, &pair):
        return operate_by_kernel(operator, data, name, mode, left, right, &pair)
    result = scalar_of(value, mode, name, &is_rounded)
    if is_counted(operator, is_rounded, left, right, &pair):
        halfcl_runs()[0] += 1
    return result


cdef object operate_on_others(
    Operator operator, UfuncData *data, str name, binaryfunc fallback, int mode, object left,
    object right
):
    """Compute an operator beside wider scalars by theirs, of arrays by its kernel, or by fallback.
    """
    cdef PyObject *args[2]
    cdef PyObject *outs[2]
    result = operate_wide(operator, left, right)
    if result is None:
        args[0], args[1] = <PyObject *>left, <PyObject *>right
        outs[0] = outs[1] = NULL
        result = calculate(data, mode, mode, name, args, outs)
    return fallback(left, right) if result is None else result


# ---------------------------------------------------------------- beside wider scalars

# The dtypes, float32 or float64, that halves become beside NumPy's scalars, by their class.
cdef dict WIDE_DTYPES = {}

# Of the other operators, NumPy's scalars raise exceptions that its arrays do not.
cdef binaryfunc[FLOOR_DIVIDE] OPERATIONS = [
    PyNumber_Add, PyNumber_Subtract, PyNumber_Multiply, PyNumber_TrueDivide]


cdef int find_wide_dtypes() except -1:
    for letter in "hHiIlLqQfd":
        other = np.dtype(letter)
        WIDE_DTYPES[other.type] = np.promote_types(HALF, other)
    return 0


cdef object half_beside(object number, object other):
    """Return a half as NumPy converts it beside a wider scalar; None for a NaN, and other numbers.
    """
    cdef double value
    cdef float single
    if <PyObject *>Py_TYPE(number) != SCALAR_CLASS:
        return None
    cdef cnp.dtype dtype = WIDE_DTYPES.get(type(other))
    value = single = halfcl_to_float((<float16>number).obval)
    if dtype is None or value != value:
        return None
    return PyArray_Scalar(
        <void *>&single if dtype.type_num == cnp.NPY_FLOAT else <void *>&value, dtype, None)


cdef object operate_wide(Operator operator, object left, object right):
    """Compute an operator of a half and a wider scalar of NumPy's; return None for other operands.

    A region may refuse or note such promotions: then NumPy promotes.
    """
    if operator > DIVIDE or may_be_in_region():
        return None
    if not WIDE_DTYPES:
        find_wide_dtypes()
    wide = half_beside(left, right)
    if wide is not None:
        return OPERATIONS[<int>operator](wide, right)
    wide = half_beside(right, left)
    return None if wide is None else OPERATIONS[<int>operator](left, wide)


# ---------------------------------------------------------------- slots

cdef UfuncData *SUM = new_data(BY_OPERATOR, [("add", "ee>e")])
cdef UfuncData *DIFFERENCE = new_data(BY_OPERATOR, [("subtract", "ee>e")])
cdef UfuncData *PRODUCT = new_data(BY_OPERATOR, [("multiply", "ee>e")])
cdef UfuncData *QUOTIENT = new_data(BY_OPERATOR, [("divide", "ee>e")])
cdef UfuncData *FLOOR = new_data(BY_OPERATOR, [("floor_divide", "ee>e")])
cdef UfuncData *FLOOR_REMAINDER = new_data(BY_OPERATOR, [("floor_remainder", "ee>e")])
cdef UfuncData *FLOOR_AND_REMAINDER = new_data(BY_OPERATOR, [("divmod", "ee>ee")])
cdef UfuncData *POWER = new_data(BY_BUILTIN, [("pow", "ee>e")])


ctypedef UfuncData *OperatorData
cdef OperatorData[OPERATORS] FUNCTIONS = [
    SUM, DIFFERENCE, PRODUCT, QUOTIENT, FLOOR, FLOOR_REMAINDER, FLOOR_AND_REMAINDER]


cdef object operate_beside_scalar(UfuncData *data, object left, object right):
    """Compute a ufunc's call on a half and another scalar of NumPy's, as the operator.

    NumPy's scalars call the ufunc for operators beside halves. Return None for other functions and
    operands.
    """
    cdef int mode = mode_of_loops(data.chooser), operator
    cdef Pair pair
    for operator in range(OPERATORS):
        if data.kernels[0] == FUNCTIONS[operator].kernels[0]:
            break
    else:
        return None
    if not take_pair(left, right, mode, &pair):
        return operate_wide(<Operator>operator, left, right)
    return calculate_words(data, mode, <str><object>data.name, &pair)


cdef object half_add(object left, object right):
    return operate(ADD, SUM, "add", of_generic.nb_add, left, right)


cdef object half_subtract(object left, object right):
    return operate(SUBTRACT, DIFFERENCE, "subtract", of_generic.nb_subtract, left, right)


cdef object half_multiply(object left, object right):
    return operate(MULTIPLY, PRODUCT, "multiply", of_generic.nb_multiply, left, right)


cdef object half_divide(object left, object right):
    return operate(DIVIDE, QUOTIENT, "divide", of_generic.nb_true_divide, left, right)


cdef object half_floor_divide(object left, object right):
    return operate(
        FLOOR_DIVIDE, FLOOR, "floor_divide", of_generic.nb_floor_divide, left, right)


cdef object half_remainder(object left, object right):
    return operate(
        REMAINDER, FLOOR_REMAINDER, "remainder", of_generic.nb_remainder, left, right)


cdef object divmod_of_pair(int mode, const Pair *pair):
    """Return the quotient, rounded down, and the rest of two scalars."""
    cdef double quotient = combine(FLOOR_DIVIDE, pair.x, pair.y)
    cdef double rest = combine(REMAINDER, pair.x, pair.y)
    cdef unsigned flags = 0
    if mode == RANDOM_MODE or not (
        is_result(FLOOR_DIVIDE, quotient, pair) and is_result(REMAINDER, rest, pair)
    ):
        return calculate_words(FLOOR_AND_REMAINDER, mode, "divmod", pair)
    results = (
        result_of(halfcl_from_double(quotient, <halfcl_rounding>mode, &flags)),
        result_of(halfcl_from_double(rest, <halfcl_rounding>mode, &flags)))
    halfcl_runs()[0] += 1
    if flags:
        report(flags, "divmod")
    return results


cdef object half_divmod(object left, object right):
    cdef int mode
    cdef Pair pair
    if are_for_ufunc(left, right):
        return of_generic.nb_divmod(left, right)
    mode = mode_of_loops(BY_OPERATOR)
    if take_pair(left, right, mode, &pair):
        return divmod_of_pair(mode, &pair)
    return operate_on_others(
        DIVMOD, FLOOR_AND_REMAINDER, "divmod", of_generic.nb_divmod, mode, left, right)


cdef object half_power(object left, object right, object modulo):
    cdef int mode
    cdef Pair pair
    cdef double square
    cdef bint is_rounded
    if region_value() & (RANDOM | ASKED):  # the ufunc asks for a mode, once for the operation
        return of_generic.nb_power(left, right, modulo)
    mode = mode_of_loops(BY_BUILTIN)
    if modulo is not None or not take_pair(left, right, mode, &pair):
        return of_generic.nb_power(left, right, modulo)
    square = pair.x * pair.x
    if pair.y != 2 or square == 0 or not is_finite_half(square):
        return calculate_words(POWER, mode, "power", &pair)
    halfcl_runs()[0] += 1
    return scalar_of(square, mode, "power", &is_rounded)


cdef object half_negative(object number):
    if <PyObject *>Py_TYPE(number) != SCALAR_CLASS:
        return of_generic.nb_negative(number)
    return result_of((<float16>number).obval ^ SIGN_BIT)


cdef object half_positive(object number):
    if <PyObject *>Py_TYPE(number) != SCALAR_CLASS:
        return of_generic.nb_positive(number)
    return result_of((<float16>number).obval)


cdef object half_absolute(object number):
    if <PyObject *>Py_TYPE(number) != SCALAR_CLASS:
        return of_generic.nb_absolute(number)
    return result_of((<float16>number).obval & ~SIGN_BIT)


cdef object half_richcompare(object left, object right, int comparison):
    if <PyObject *>Py_TYPE(left) != SCALAR_CLASS or <PyObject *>Py_TYPE(right) != SCALAR_CLASS:
        return halfcl_compare_by_numpy(left, right, comparison)
    return halfcl_compare_scalars((<float16>left).obval, (<float16>right).obval, comparison)


cdef int set_slots() except -1:
    for name in (b"__lt__", b"__le__", b"__eq__", b"__ne__", b"__gt__", b"__ge__"):
        halfcl_set_slot(half, name, <void *>half_richcompare)
    for name in (b"__add__", b"__radd__"):
        halfcl_set_slot(half, name, <void *>half_add)
    for name in (b"__sub__", b"__rsub__"):
        halfcl_set_slot(half, name, <void *>half_subtract)
    for name in (b"__mul__", b"__rmul__"):
        halfcl_set_slot(half, name, <void *>half_multiply)
    for name in (b"__truediv__", b"__rtruediv__"):
        halfcl_set_slot(half, name, <void *>half_divide)
    for name in (b"__floordiv__", b"__rfloordiv__"):
        halfcl_set_slot(half, name, <void *>half_floor_divide)
    for name in (b"__mod__", b"__rmod__"):
        halfcl_set_slot(half, name, <void *>half_remainder)
    for name in (b"__divmod__", b"__rdivmod__"):
        halfcl_set_slot(half, name, <void *>half_divmod)
    for name in (b"__pow__", b"__rpow__"):
        halfcl_set_slot(half, name, <void *>half_power)
    halfcl_set_slot(half, b"__neg__", <void *>half_negative)
    halfcl_set_slot(half, b"__pos__", <void *>half_positive)
    halfcl_set_slot(half, b"__abs__", <void *>half_absolute)
    return 0


set_slots()
