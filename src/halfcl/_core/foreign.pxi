# Arguments of other libraries' classes: those that answer ufuncs by themselves, and those that a
# part of halfcl knows.
# Needs: call.pxi

cdef object part_for_class = None  # of halfcl._support.foreign; set while halfcl is imported


def set_part_for_class(function):
    """What is called with the class of each argument that may be of another library."""
    global part_for_class
    part_for_class = function


cdef bint is_own(object argument):
    """Whether it is of Python's or NumPy's classes, as nearly all are."""
    return (
        cnp.PyArray_Check(argument) or PyFloat_CheckExact(argument)
        or isinstance(argument, (cnp.generic, int, list, tuple)) or argument is None)


cdef bint is_foreign(object argument):
    """Whether it is to see the numbers that it is beside."""
    if is_own(argument):
        return False
    return hasattr(type(argument), "__array_ufunc__") or part_for_class(type(argument)) is not None


cdef object part_for(object argument):
    """The part of halfcl that knows an argument's class, if that is of another library; or None."""
    return None if is_own(argument) else part_for_class(type(argument))
