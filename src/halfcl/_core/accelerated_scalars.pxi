# Replaces the operators of float16 scalars, which are not ufuncs, so that regions govern them, and
# restores them. Outside regions they are NumPy's, as are those of classes derived from
# numpy.float16 meanwhile, which keep what they inherited.
# Needs: acceleration.pxi, operators.pxi, regions.pxi

cdef extern from "Python.h":
    ctypedef struct TypeWithOperators "PyTypeObject":
        PyNumberMethods *tp_as_number

cdef extern from *:
    """
    static PyNumberMethods halfcl_operators_of_numpy, halfcl_operators_in_regions;

    /* Outside regions NumPy's operators are a jump away: a scalar's takes but some 40 ns. */
    #define HALFCL_OPERATOR(slot)                                                              \
        static PyObject *halfcl_float16_##slot(PyObject *a, PyObject *b)                       \
        {                                                                                      \
            if (halfcl_count_of_entries())                                                     \
                return halfcl_operators_in_regions.slot(a, b);                                 \
            return ((binaryfunc)halfcl_kept(&halfcl_operators_of_numpy.slot))(a, b);           \
        }
    HALFCL_OPERATOR(nb_add)
    HALFCL_OPERATOR(nb_subtract)
    HALFCL_OPERATOR(nb_multiply)
    HALFCL_OPERATOR(nb_true_divide)
    HALFCL_OPERATOR(nb_floor_divide)
    HALFCL_OPERATOR(nb_remainder)
    HALFCL_OPERATOR(nb_divmod)

    static PyObject *halfcl_float16_nb_power(PyObject *a, PyObject *b, PyObject *modulo)
    {
        if (halfcl_count_of_entries())
            return halfcl_operators_in_regions.nb_power(a, b, modulo);
        return ((ternaryfunc)halfcl_kept(&halfcl_operators_of_numpy.nb_power))(a, b, modulo);
    }
    """
    PyNumberMethods operators_of_numpy "halfcl_operators_of_numpy"
    PyNumberMethods operators_in_regions "halfcl_operators_in_regions"
    object halfcl_float16_nb_add(object, object)
    object halfcl_float16_nb_subtract(object, object)
    object halfcl_float16_nb_multiply(object, object)
    object halfcl_float16_nb_true_divide(object, object)
    object halfcl_float16_nb_floor_divide(object, object)
    object halfcl_float16_nb_remainder(object, object)
    object halfcl_float16_nb_divmod(object, object)
    object halfcl_float16_nb_power(object, object, object)

# Operand types that leave the operator to the operand of float16.
cdef frozenset NUMBER_TYPES = frozenset({float, int, bool, *(
    np.dtype(letter).type for letter in "?bBhHiIlLqQefdgFDG")})


cdef inline bint is_governed(object a, object b):
    """Return whether a ufunc has to compute it, because a region governs the operator."""
    return region_value() != 0 and type(a) in NUMBER_TYPES and type(b) in NUMBER_TYPES


cdef inline binaryfunc original_binary(const void *copy) noexcept:
    return <binaryfunc>halfcl_kept(copy)


cdef object float16_add(object a, object b):
    return np.add(a, b) if is_governed(a, b) else original_binary(&operators_of_numpy.nb_add)(a, b)


cdef object float16_subtract(object a, object b):
    return np.subtract(a, b) if is_governed(a, b) else original_binary(&operators_of_numpy.nb_subtract)(a, b)


cdef object float16_multiply(object a, object b):
    return np.multiply(a, b) if is_governed(a, b) else original_binary(&operators_of_numpy.nb_multiply)(a, b)


cdef object float16_divide(object a, object b):
    return np.divide(a, b) if is_governed(a, b) else original_binary(&operators_of_numpy.nb_true_divide)(a, b)


cdef object float16_floor_divide(object a, object b):
    return np.floor_divide(a, b) if is_governed(a, b) else original_binary(&operators_of_numpy.nb_floor_divide)(a, b)


cdef object float16_remainder(object a, object b):
    return np.remainder(a, b) if is_governed(a, b) else original_binary(&operators_of_numpy.nb_remainder)(a, b)


cdef object float16_divmod(object a, object b):
    return np.divmod(a, b) if is_governed(a, b) else original_binary(&operators_of_numpy.nb_divmod)(a, b)


cdef object float16_power(object a, object b, object modulo):
    if modulo is None and is_governed(a, b):
        return np.power(a, b)
    return (<ternaryfunc>halfcl_kept(&operators_of_numpy.nb_power))(a, b, modulo)


operators_in_regions.nb_add, operators_in_regions.nb_subtract = float16_add, float16_subtract
operators_in_regions.nb_multiply, operators_in_regions.nb_power = float16_multiply, float16_power
operators_in_regions.nb_true_divide = float16_divide
operators_in_regions.nb_floor_divide = float16_floor_divide
operators_in_regions.nb_remainder = float16_remainder
operators_in_regions.nb_divmod = float16_divmod


cdef void put_operators(PyNumberMethods *to, const PyNumberMethods *operators) noexcept:
    """Write the operators that are replaced one by one."""
    halfcl_publish(&to.nb_add, <void *>operators.nb_add)
    halfcl_publish(&to.nb_subtract, <void *>operators.nb_subtract)
    halfcl_publish(&to.nb_multiply, <void *>operators.nb_multiply)
    halfcl_publish(&to.nb_true_divide, <void *>operators.nb_true_divide)
    halfcl_publish(&to.nb_floor_divide, <void *>operators.nb_floor_divide)
    halfcl_publish(&to.nb_remainder, <void *>operators.nb_remainder)
    halfcl_publish(&to.nb_divmod, <void *>operators.nb_divmod)
    halfcl_publish(&to.nb_power, <void *>operators.nb_power)


cdef class ReplacedOperators:
    """The operators of float16 scalars, which can be replaced by halfcl's.

    Python looks an operator up in its type's table for each use, perhaps while another thread
    replaces it.
    """

    @staticmethod
    cdef PyNumberMethods *table() noexcept:
        """Return float16's own table; NULL if it has none, or lacks some of the replaced operators.
        """
        cdef PyNumberMethods *own = (<TypeWithOperators *><PyObject *>np.float16).tp_as_number
        if own == NULL or own == (<TypeWithOperators *><PyObject *>np.floating).tp_as_number:
            return NULL
        if (
            own.nb_add == NULL or own.nb_subtract == NULL or own.nb_multiply == NULL
            or own.nb_true_divide == NULL or own.nb_floor_divide == NULL
            or own.nb_remainder == NULL or own.nb_divmod == NULL or own.nb_power == NULL
        ):
            return NULL
        return own

    @property
    def is_replaced(self):
        cdef PyNumberMethods *own = ReplacedOperators.table()
        return own != NULL and halfcl_published(&own.nb_add) == <void *>halfcl_float16_nb_add

    def replace(self):
        """Replace NumPy's operators by halfcl's."""
        cdef PyNumberMethods *own = ReplacedOperators.table()
        cdef PyNumberMethods ours
        if own == NULL or self.is_replaced:
            return
        halfcl_keep(&operators_of_numpy, own, sizeof(own[0]))
        ours.nb_add, ours.nb_subtract = halfcl_float16_nb_add, halfcl_float16_nb_subtract
        ours.nb_multiply = halfcl_float16_nb_multiply
        ours.nb_true_divide = halfcl_float16_nb_true_divide
        ours.nb_floor_divide = halfcl_float16_nb_floor_divide
        ours.nb_remainder, ours.nb_divmod = halfcl_float16_nb_remainder, halfcl_float16_nb_divmod
        ours.nb_power = halfcl_float16_nb_power
        put_operators(own, &ours)

    def restore(self):
        """Restore NumPy's operators."""
        if self.is_replaced:
            put_operators(ReplacedOperators.table(), &operators_of_numpy)
