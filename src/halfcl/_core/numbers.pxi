# Python's numbers among a function's arguments, and lists of them, in the call's mode.
#
# NumPy rounds numbers in the region's mode, beside float16 to nearest: where a call has to round
# otherwise, halves replace them. NumPy takes lists for arrays of float64 or int64.
# Needs: call.pxi, foreign.pxi, modes_of_elements.pxi, regions.pxi, scalar.pxi, types.pxi

from cpython.list cimport PyList_Check
from cpython.tuple cimport PyTuple_Check

cdef tuple PYTHON_NUMBERS = (float, int, bool)
cdef tuple PYTHON_INTEGERS = (int, bool)

cdef enum:
    DEEPEST = 64  # nested lists: NumPy's arrays have no more axes


cdef inline bint is_number_to_round(PyObject *argument) noexcept:
    """Return whether NumPy takes it for a half beside halves although it may not be exact in half.
    """
    return PyFloat_CheckExact(<object>argument) or PyLong_CheckExact(<object>argument)


cdef inline bint is_list(PyObject *argument) noexcept:
    return PyList_Check(<object>argument) or PyTuple_Check(<object>argument)


cdef bint holds_but(object values, tuple classes, int depth=0) except -1:
    """Return whether a list, or the lists in it, hold only numbers of these classes."""
    for x in values:
        if is_list(<PyObject *>x):
            if depth == DEEPEST or not holds_but(x, classes, depth + 1):
                return False
        elif type(x) not in classes:
            return False
    return True


cdef bint are_for_others(tuple inputs) except -1:
    """Return whether some input has to see the others unrounded.

    These are inputs that handle ufuncs themselves; and vectors beside a list that may hold numbers
    for them or components, which they refuse.
    """
    if any([is_foreign(x) for x in inputs]):
        return True
    vectors = [x for x in inputs if isinstance(x, cnp.ndarray)
               and type(x).__array_ufunc__ is not np.ndarray.__array_ufunc__]
    return bool(vectors) and any(
        [is_list(<PyObject *>x) and np.shape(x)[-1:] != (1,) for x in inputs])


cdef bint are_float16(tuple arguments):
    """Return whether halves among the arguments are float16, Python's numbers aside."""
    cdef bint has_float16 = False
    for x in arguments:
        dtype = np.asarray(x).dtype if isinstance(x, (list, tuple)) else getattr(x, "dtype", None)
        if dtype is HALF or (isinstance(dtype, cnp.dtype) and dtype.type is half):
            return False
        has_float16 |= isinstance(dtype, cnp.dtype) and dtype.type is np.float16
    return has_float16


cdef object round_number(object number, int numbers, bint in_float16):
    cdef unsigned flags = 0
    cdef halfcl_rounding mode = mode_of_numbers(numbers, double_of(number))
    cdef uint16_t bits = to_bits(number, mode, &flags)
    report(flags & HALFCL_OVERFLOW, "cast")  # the only exception that NumPy's conversion reports
    return new_scalar(np.float16 if in_float16 else half, bits)


cdef object halves_of_list(object values, int numbers, bint in_float16):
    """Return an array of a list's numbers, each rounded once."""
    by_region = numbers in (REGIONS_MODE, RANDOM_MODE)
    array = array_in_mode(values, None if by_region else MODES[numbers])
    return array.view(np.float16) if in_float16 else array


def halves_of_numbers(values not None):
    """Return a list of Python's numbers as halves, rounded in the region's mode, or None."""
    if is_list(<PyObject *>values) and holds_but(values, PYTHON_NUMBERS):
        return halves_of_list(values, REGIONS_MODE, False)
    return None


cdef object integers_of_list(object values, int type):
    """Return a list of integers as an array of an argument's type; anything else unchanged."""
    if type != HALFCL_HALF and holds_but(values, PYTHON_INTEGERS):
        return np.array(values, dtype_of_type(type))
    return values


cdef object round_argument(object x, int type, int numbers, object codes, bint in_float16):
    """Return an argument of that type: halves in place of a Python number, or of a list of them."""
    if is_list(<PyObject *>x):
        if type != HALFCL_HALF or not holds_but(x, PYTHON_NUMBERS):
            return integers_of_list(x, type)
        if codes is None:
            return halves_of_list(x, numbers, in_float16)
        array = half(x, rounding=codes)
        return array.view(np.float16) if in_float16 else array
    if type != HALFCL_HALF or not is_number_to_round(<PyObject *>x):
        return x
    if codes is None:
        return round_number(x, numbers, in_float16)
    return number_in_modes(x, codes, in_float16)


cdef tuple round_arguments(
    const halfcl_signature *signature, int numbers, tuple inputs, object codes=None
):
    """Return the inputs with halves in place of Python's numbers, and arrays of lists of them.

    codes: a mode for each element, in place of the call's.
    """
    if are_for_others(inputs):
        return inputs
    cdef bint in_float16 = are_float16(inputs)
    return tuple([
        round_argument(x, signature.types[i], numbers, codes, in_float16)
        for i, x in enumerate(inputs)])
