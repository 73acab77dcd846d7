# Arguments of other libraries' classes: those that handle ufuncs themselves, and those that an
# adapter of halfcl knows.
# Needs: call.pxi

cdef object adapter_for_class = None  # of halfcl._support.foreign; set while halfcl is imported


def set_adapter_for_class(function):
    """Set the function that returns the adapter for the class of an argument, or None."""
    global adapter_for_class
    adapter_for_class = function


cdef bint is_own(object argument):
    """Return whether an argument is of a class of Python's or NumPy's, as nearly all are."""
    return (
        cnp.PyArray_Check(argument) or PyFloat_CheckExact(argument)
        or isinstance(argument, (cnp.generic, int, list, tuple)) or argument is None)


cdef bint is_foreign(object argument):
    """Return whether an argument handles ufuncs itself, and so needs to see numbers unrounded."""
    if is_own(argument):
        return False
    return hasattr(type(argument), "__array_ufunc__") or adapter_for_class(type(argument)) is not None


cdef object adapter_for(object argument):
    """Return the adapter for an argument of another library's class; None for other arguments."""
    return None if is_own(argument) else adapter_for_class(type(argument))
