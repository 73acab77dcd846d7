# Reads the arguments of NumPy's methods in C: first by position, then by name.
# Needs: scalar.pxi, types.pxi

cdef extern from "numpy_methods.h":
    # The function that replaces a method; it returns NotImplemented for calls that NumPy has to
    # handle.
    ctypedef PyObject *halfcl_method(PyObject *, PyObject *const *, Py_ssize_t, PyObject *)
    bint halfcl_is_taken(object) noexcept

cdef inline int place_of_name(tuple names, object name) except -2:
    """Return the place of a name among names; -1 if it is none of them."""
    cdef int i
    for i in range(len(names)):
        if names[i] is name:  # of what was compiled, most often
            return i
    return names.index(name) if name in names else -1


cdef bint read_optional_arguments(
    tuple known, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **values
) except -1:
    """Write the arguments in the order of the known names, NULL where absent.

    Return False if they are wrong: unknown, passed twice, or too many.
    """
    cdef Py_ssize_t i
    cdef int place
    if nargs > len(known):
        return False
    for i in range(nargs):
        values[i] = args[i]
    for i in range(0 if names == NULL else len(<tuple>names)):
        place = place_of_name(known, (<tuple>names)[i])
        if place < 0 or values[place] != NULL:
            return False
        values[place] = args[nargs + i]
    return True


cdef bint read_arguments(
    tuple known, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **values
) except -1:
    """Read arguments as `read_optional_arguments`; return False without the first one, too."""
    return read_optional_arguments(known, args, nargs, names, values) and values[0] != NULL


cdef inline object plain_axis(object axis):
    """Return an axis as an int of Python's own; None if it is for NumPy to read, or to refuse.

    A class that derives from np.integer may run code of its users here, which may resize the array:
    what is known of the array is to be read afterwards.
    """
    if type(axis) is int:
        return axis
    return int(PyNumber_Index(axis)) if isinstance(axis, cnp.integer) else None


cdef inline bint read_one_axis(PyObject *argument, cnp.ndarray array, int *axis) except -1:
    """Write an axis from 0 on, by default the last one; return False if NumPy has to read it."""
    number = -1 if argument == NULL else plain_axis(<object>argument)
    cdef int ndim = cnp.PyArray_NDIM(array)
    if number is None or not -ndim <= number < ndim:
        return False
    axis[0] = number + ndim if number < 0 else number
    return True


cdef bint read_number_of_type(object argument, int type_number, uint16_t *bits) except -1:
    """Write the bits of a half, float16 or Python number exact in half; return False for others."""
    cdef unsigned flags = 0
    cdef double number
    if is_exact_double(argument, &number):
        bits[0] = halfcl_from_double(number, HALFCL_RTE, &flags)
        return halfcl_to_float(bits[0]) == number
    if type_number == HALF_NUMBER:
        if <PyObject *>Py_TYPE(argument) != SCALAR_CLASS:
            return False
    elif type(argument) is not np.float16:
        return False
    bits[0] = (<float16>argument).obval
    return True


cdef inline PyObject *new_reference(object result) noexcept:
    Py_INCREF(result)
    return <PyObject *>result
