# Replaces the operators of float16 scalars, which are not ufuncs, so that regions govern them, and
# restores them. Outside regions they are NumPy's, as are those of classes derived from
# numpy.float16 meanwhile, which keep what they inherited.
# Needs: acceleration.pxi, operators.pxi, regions.pxi

cdef extern from "Python.h":
    ctypedef struct TypeWithOperators "PyTypeObject":
        PyNumberMethods *tp_as_number

cdef extern from *:
    """
    /* The slots that are replaced, and the ufuncs that compute them in regions. */
    #define HALFCL_BINARY_OPERATORS(DO)                                                        \
        DO(nb_add, "add") DO(nb_subtract, "subtract") DO(nb_multiply, "multiply")              \
        DO(nb_true_divide, "divide") DO(nb_floor_divide, "floor_divide")                       \
        DO(nb_remainder, "remainder") DO(nb_divmod, "divmod")
    #define HALFCL_OPERATORS(DO) HALFCL_BINARY_OPERATORS(DO) DO(nb_power, "power")

    #define HALFCL_UFUNC(slot, name) static PyObject *halfcl_ufunc_of_##slot;
    HALFCL_OPERATORS(HALFCL_UFUNC)

    static PyNumberMethods halfcl_operators_of_numpy;
    static int (*halfcl_is_governed)(PyObject *, PyObject *);

    static PyObject *halfcl_run_in_region(PyObject *ufunc, PyObject *a, PyObject *b)
    {
        PyObject *operands[] = {a, b};
        return PyObject_Vectorcall(ufunc, operands, 2, NULL);
    }

    /* Outside regions NumPy's operators are a jump away: a scalar's takes but some 40 ns. */
    #define HALFCL_OPERATOR(slot, name)                                                        \
        static PyObject *halfcl_float16_##slot(PyObject *a, PyObject *b)                       \
        {                                                                                      \
            const int is_governed = halfcl_count_of_entries() ? halfcl_is_governed(a, b) : 0;  \
            if (is_governed < 0)                                                               \
                return NULL;                                                                   \
            if (is_governed)                                                                   \
                return halfcl_run_in_region(halfcl_ufunc_of_##slot, a, b);                     \
            return ((binaryfunc)halfcl_kept(&halfcl_operators_of_numpy.slot))(a, b);           \
        }
    HALFCL_BINARY_OPERATORS(HALFCL_OPERATOR)

    static PyObject *halfcl_float16_nb_power(PyObject *a, PyObject *b, PyObject *modulo)
    {
        const int may_be_governed = modulo == Py_None && halfcl_count_of_entries();
        const int is_governed = may_be_governed ? halfcl_is_governed(a, b) : 0;
        if (is_governed < 0)
            return NULL;
        if (is_governed)
            return halfcl_run_in_region(halfcl_ufunc_of_nb_power, a, b);
        return ((ternaryfunc)halfcl_kept(&halfcl_operators_of_numpy.nb_power))(a, b, modulo);
    }

    #define HALFCL_OWN(slot, name) .slot = halfcl_float16_##slot,
    static const PyNumberMethods halfcl_own_operators = {HALFCL_OPERATORS(HALFCL_OWN)};

    static int halfcl_find_ufuncs(PyObject *numpy)
    {
    #define HALFCL_FIND(slot, name)                                                            \
        if (!(halfcl_ufunc_of_##slot = PyObject_GetAttrString(numpy, name)))                   \
            return -1;
        HALFCL_OPERATORS(HALFCL_FIND)
        return 0;
    }

    /* Return whether a table has all the operators that are replaced. */
    static bool halfcl_has_operators(const PyNumberMethods *table)
    {
    #define HALFCL_HAS(slot, name) && table->slot
        return true HALFCL_OPERATORS(HALFCL_HAS);
    }

    /* Write the operators one by one. */
    static void halfcl_put_operators(PyNumberMethods *to, const PyNumberMethods *operators)
    {
    #define HALFCL_PUT(slot, name) halfcl_publish(&to->slot, (const void *)operators->slot);
        HALFCL_OPERATORS(HALFCL_PUT)
    }
    """
    ctypedef int (*governing)(object, object) except -1
    PyNumberMethods operators_of_numpy "halfcl_operators_of_numpy"
    const PyNumberMethods own_operators "halfcl_own_operators"
    governing halfcl_is_governed
    int halfcl_find_ufuncs(object) except -1
    bint halfcl_has_operators(const PyNumberMethods *)
    void halfcl_put_operators(PyNumberMethods *, const PyNumberMethods *)

# Operand types that leave the operator to the operand of float16.
cdef frozenset NUMBER_TYPES = frozenset({float, int, bool, *(
    np.dtype(letter).type for letter in "?bBhHiIlLqQefdgFDG")})


cdef int is_governed(object a, object b) except -1:
    """Return whether a ufunc has to compute it, because a region governs the operator."""
    return region_value() != 0 and type(a) in NUMBER_TYPES and type(b) in NUMBER_TYPES


halfcl_is_governed = is_governed
halfcl_find_ufuncs(np)


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
        return own if halfcl_has_operators(own) else NULL

    @property
    def is_replaced(self):
        cdef PyNumberMethods *own = ReplacedOperators.table()
        return own != NULL and halfcl_published(&own.nb_add) == <void *>own_operators.nb_add

    def replace(self):
        """Replace NumPy's operators by halfcl's."""
        cdef PyNumberMethods *own = ReplacedOperators.table()
        if own == NULL or self.is_replaced:
            return
        halfcl_keep(&operators_of_numpy, own, sizeof(own[0]))
        halfcl_put_operators(own, &own_operators)

    def restore(self):
        """Restore NumPy's operators."""
        if self.is_replaced:
            halfcl_put_operators(ReplacedOperators.table(), &operators_of_numpy)
