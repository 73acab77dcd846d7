# Arguments of NumPy's methods as C gets them: by place, then by name.
# Needs: types.pxi

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


cdef inline bint read_one_axis(PyObject *given, int ndim, int *axis) except -1:
    """An axis from 0 on; the last one if none is given. False if NumPy is to be asked about it."""
    cdef Py_ssize_t number
    axis[0] = ndim - 1
    if given == NULL:
        return True
    if type(<object>given) is not int and not isinstance(<object>given, np.integer):
        return False
    if not -ndim <= <object>given < ndim:
        return False
    number = <object>given
    axis[0] = number + ndim if number < 0 else number
    return True


cdef inline PyObject *new_reference(object result) noexcept:
    Py_INCREF(result)
    return <PyObject *>result
