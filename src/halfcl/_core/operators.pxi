# The operators of the scalars: C slots of the class, as float16's are.
# Needs: call.pxi, drivers.pxi, loops.pxi, regions.pxi, scalar.pxi, ufunc.pxi

from cpython.object cimport binaryfunc, ternaryfunc, unaryfunc
from libc.math cimport isfinite

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
    PyNumberMethods *halfcl_numbers_of_generic()


# NumPy's own operators, through its ufuncs: ten times as slow.
cdef PyNumberMethods *of_generic = halfcl_numbers_of_generic()


cdef enum:
    SIGN_BIT = 0x8000


cdef inline object result_of(uint16_t bits):
    return new_scalar(<object>SCALAR_CLASS, bits)


cdef enum Operator:
    ADD, SUBTRACT, MULTIPLY, DIVIDE


cdef inline double combine(Operator operator, double left, double right) noexcept:
    """Return a double that rounds to half as the exact result of two halves does.

    It is exact except for quotients; and a quotient that is not halfway between two halves is
    further from such a midpoint than a double's last bit.
    """
    if operator == ADD:
        return left + right
    if operator == SUBTRACT:
        return left - right
    if operator == MULTIPLY:
        return left * right
    return left / right if right else 0


cdef inline bint take_pair(object left, object right, int mode, double *x, double *y) except -1:
    """Read two halves, or a half and a Python number, in a mode; return False for other operands.
    """
    cdef Number number
    if mode == RANDOM_MODE or not take_number(<PyObject *>left, HALFCL_HALF, mode, &number):
        return False
    x[0] = halfcl_to_float(number.word)
    if not take_number(<PyObject *>right, HALFCL_HALF, mode, &number):
        return False
    y[0] = halfcl_to_float(number.word)
    return True


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


cdef inline object operate(
    Operator operator, UfuncData *data, str name, binaryfunc fallback, object left, object right
):
    """Compute a binary operator with a half as an operand, as a call of the function.

    Other operands are left to fallback. A result that nothing has rounded adds no information to
    its operands, such as a loop's counter: it is not counted.
    """
    cdef PyObject *args[2]
    cdef PyObject *no_out = NULL
    cdef int mode = mode_of_loops(BY_OPERATOR)
    cdef double x = 0, y = 0, value = 1
    cdef bint is_rounded = True
    cdef cnp.npy_uint64 *runs = halfcl_runs()
    cdef cnp.npy_uint64 count = runs[0]
    if take_pair(left, right, mode, &x, &y):
        value = combine(operator, x, y)
        if value != 0 and isfinite(value):  # for others the kernel handles signs and exceptions
            result = scalar_of(value, mode, name, &is_rounded)
            runs[0] += (
                is_rounded or not is_exact_operand(left, x) or not is_exact_operand(right, y))
            return result
        is_rounded = value != 0 or (operator == DIVIDE and y == 0)
    args[0], args[1] = <PyObject *>left, <PyObject *>right
    result = calculate(data, mode, mode, name, args, &no_out)
    if not is_rounded and is_exact_operand(left, x) and is_exact_operand(right, y):
        runs[0] = count
    return fallback(left, right) if result is None else result


cdef UfuncData *SUM = new_data(BY_OPERATOR, [("add", "ee>e")])
cdef UfuncData *DIFFERENCE = new_data(BY_OPERATOR, [("subtract", "ee>e")])
cdef UfuncData *PRODUCT = new_data(BY_OPERATOR, [("multiply", "ee>e")])
cdef UfuncData *QUOTIENT = new_data(BY_OPERATOR, [("divide", "ee>e")])


cdef object half_add(object left, object right):
    return operate(ADD, SUM, "add", of_generic.nb_add, left, right)


cdef object half_subtract(object left, object right):
    return operate(SUBTRACT, DIFFERENCE, "subtract", of_generic.nb_subtract, left, right)


cdef object half_multiply(object left, object right):
    return operate(MULTIPLY, PRODUCT, "multiply", of_generic.nb_multiply, left, right)


cdef object half_divide(object left, object right):
    return operate(DIVIDE, QUOTIENT, "divide", of_generic.nb_true_divide, left, right)


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
    halfcl_set_slot(half, b"__neg__", <void *>half_negative)
    halfcl_set_slot(half, b"__pos__", <void *>half_positive)
    halfcl_set_slot(half, b"__abs__", <void *>half_absolute)
    # float16's own slots of these compute float16; its base class's call the ufuncs.
    for operator in ("floordiv", "mod", "divmod", "pow"):
        for name in (f"__{operator}__", f"__r{operator}__"):
            setattr(half, name, getattr(np.generic, name))
    return 0


set_slots()
