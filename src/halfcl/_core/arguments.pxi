# Arguments of NumPy's methods as C gets them: by place, then by name.
# Needs: scalar.pxi, types.pxi

cdef extern from "numpy_methods.h":
    # What is called in a method's place; NotImplemented: what was asked for is NumPy's own to do.
    ctypedef PyObject *halfcl_method(PyObject *, PyObject *const *, Py_ssize_t, PyObject *)
    bint halfcl_is_taken(object) noexcept

cdef inline int place_of_name(tuple names, object name) except -2:
    """-1 if it is none of them."""
    cdef int i
    for i in range(len(names)):
        if names[i] is name:  # of what was compiled, most often
            return i
    return names.index(name) if name in names else -1


cdef bint read_optional_arguments(
    tuple known, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **given
) except -1:
    """The arguments in the order of the known names, NULL where not given.

    False if they are wrong: unknown, given twice, or too many.
    """
    cdef Py_ssize_t i
    cdef int place
    if nargs > len(known):
        return False
    for i in range(nargs):
        given[i] = args[i]
    for i in range(0 if names == NULL else len(<tuple>names)):
        place = place_of_name(known, (<tuple>names)[i])
        if place < 0 or given[place] != NULL:
            return False
        given[place] = args[nargs + i]
    return True


cdef bint read_arguments(
    tuple known, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **given
) except -1:
    """The same; False without the first one, too."""
    return read_optional_arguments(known, args, nargs, names, given) and given[0] != NULL


cdef inline object plain_axis(object axis):
    """Return an axis as an int of Python's own; None if it is for NumPy to read, or to refuse.

    A class that derives from np.integer may run code of its users here, which may resize the array:
    what is known of the array is to be read afterwards.
    """
    if type(axis) is int:
        return axis
    return int(PyNumber_Index(axis)) if isinstance(axis, cnp.integer) else None


cdef inline bint read_one_axis(PyObject *given, cnp.ndarray array, int *axis) except -1:
    """An axis from 0 on; the last one if none is given. False if NumPy is to be asked about it."""
    number = -1 if given == NULL else plain_axis(<object>given)
    cdef int ndim = cnp.PyArray_NDIM(array)
    if number is None or not -ndim <= number < ndim:
        return False
    axis[0] = number + ndim if number < 0 else number
    return True


cdef bint read_number_of_type(object given, int type_number, uint16_t *bits) except -1:
    """A number of half, or of float16, or one of Python's that is the same in every mode."""
    cdef unsigned flags = 0
    cdef double number
    if is_exact_double(given, &number):
        bits[0] = halfcl_from_double(number, HALFCL_RTE, &flags)
        return halfcl_to_float(bits[0]) == number
    if type_number == HALF_NUMBER:
        if <PyObject *>Py_TYPE(given) != SCALAR_CLASS:
            return False
    elif type(given) is not np.float16:
        return False
    bits[0] = (<float16>given).obval
    return True


cdef inline PyObject *new_reference(object result) noexcept:
    Py_INCREF(result)
    return <PyObject *>result
