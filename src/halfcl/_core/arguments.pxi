# Arguments of NumPy's methods as C gets them: by place, then by name.
# Needs: types.pxi

cdef extern from "numpy_methods.h":
    # What is called in a method's place; NotImplemented: what was asked for is NumPy's own to do.
    ctypedef PyObject *halfcl_method(PyObject *, PyObject *const *, Py_ssize_t, PyObject *)

cdef inline int place_of_name(tuple names, object name) except -2:
    """-1 if it is none of them."""
    cdef int i
    for i in range(len(names)):
        if names[i] is name:  # of what was compiled, most often
            return i
    return names.index(name) if name in names else -1


cdef bint read_arguments(
    tuple known, PyObject *const *args, Py_ssize_t nargs, PyObject *names, PyObject **given
) except -1:
    """The arguments in the order of the known names, NULL where not given.

    False if they are wrong: unknown, given twice, too many, or without the first one.
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
    return given[0] != NULL


cdef inline PyObject *new_reference(object result) noexcept:
    Py_INCREF(result)
    return <PyObject *>result
