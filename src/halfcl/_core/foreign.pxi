# Arguments of other libraries' classes, which answer ufuncs by themselves.
# Needs: call.pxi

cdef object part_for_class = None  # of halfcl._support.foreign; set while halfcl is imported


def set_part_for_class(function):
    """What is called with the class of each argument that answers ufuncs by itself."""
    global part_for_class
    part_for_class = function


cdef bint is_foreign(object argument):
    """Whether it answers ufuncs by itself, and is to see the numbers that it is beside."""
    if cnp.PyArray_Check(argument) or PyFloat_CheckExact(argument):
        return False
    return not isinstance(argument, np.generic) and hasattr(type(argument), "__array_ufunc__")


cdef object part_for(object argument):
    """The part of halfcl that knows an argument's class, if that is of another library; or None."""
    return part_for_class(type(argument)) if is_foreign(argument) else None
