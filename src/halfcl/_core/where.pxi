# numpy.where on a mask and two operands of half, arrays or numbers, and of float16 while
# accelerate() is on: NumPy loops with branches, which are mispredicted for masks without a pattern.
# Needs: arguments.pxi, call.pxi, grids.pxi, lines.pxi, nonzero.pxi, products.pxi, types.pxi

cdef extern from "numpy_methods.h":
    int HALFCL_WHERE

cdef const halfcl_kernel *BLEND_HALVES = find_kernel("blend", "HH?>H", HALFCL_MAP)

cdef enum:
    WHERE_TRUTHS, WHERE_TRUE, WHERE_FALSE, COUNT_OF_WHERE_ARGUMENTS

cdef enum:
    OTHERWISE, CHOSEN, BY_TRUTHS, BLENDED  # indices of the kernel's operands


# A call: the operands, the objects that own them, and the numbers among them.
ctypedef struct Choice:
    char *operands[4]
    uint16_t numbers[2]
    halfcl_grid grid
    int type


cdef bint lies_in_rows(object argument) noexcept:
    return cnp.PyArray_CheckExact(argument) and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>argument)


cdef bint take_choice(Choice *call, int i, object argument, uint16_t *number) except -1:
    """Read an operand of halves: an array of the type, or one number; return False for others."""
    if cnp.PyArray_CheckExact(argument):
        if not lies_in_rows(argument) or cnp.PyArray_TYPE(<cnp.ndarray>argument) != call.type:
            return False
        call.operands[i] = cnp.PyArray_BYTES(<cnp.ndarray>argument)
        return broaden(&call.grid, <cnp.ndarray>argument)
    call.operands[i] = <char *>number
    return read_number_of_type(argument, call.type, number)


cdef void take_steps_of(Choice *call, int i, object argument) noexcept:
    cdef int k
    if cnp.PyArray_CheckExact(argument):
        take_steps(&call.grid, i, <cnp.ndarray>argument)
        return
    for k in range(call.grid.axes):
        call.grid.steps[i][k] = 0


cdef int type_of_choices(object one, object other) noexcept:
    """Return the type number of the array, or of both arrays; -1 without an array."""
    if cnp.PyArray_CheckExact(one):
        return cnp.PyArray_TYPE(<cnp.ndarray>one)
    return cnp.PyArray_TYPE(<cnp.ndarray>other) if cnp.PyArray_CheckExact(other) else -1


cdef object choose_by_truths(object truths, object chosen, object otherwise):
    """Select elements; NotImplemented if NumPy has to do it, or to refuse it."""
    cdef Choice call
    cdef cnp.ndarray result
    cdef cnp.npy_intp shape[MAX_DIMENSIONS]
    cdef int k
    if not lies_in_rows(truths) or cnp.PyArray_TYPE(<cnp.ndarray>truths) != cnp.NPY_BOOL:
        return NotImplemented
    call.type, call.grid.axes = type_of_choices(chosen, otherwise), 0
    call.grid.conversions, call.grid.masked = NULL, False
    call.operands[BY_TRUTHS] = cnp.PyArray_BYTES(<cnp.ndarray>truths)
    if (
        not broaden(&call.grid, <cnp.ndarray>truths)
        or not take_choice(&call, CHOSEN, chosen, &call.numbers[0])
        or not take_choice(&call, OTHERWISE, otherwise, &call.numbers[1])
        or call.grid.axes == 0 or count_elements(&call.grid) == 0
    ):
        return NotImplemented
    for k in range(call.grid.axes):
        shape[k] = call.grid.shape[k]
    result = new_array(call.grid.axes, shape, HALF if call.type == HALF_NUMBER else FLOAT16)
    call.operands[BLENDED] = cnp.PyArray_BYTES(result)
    take_steps_of(&call, OTHERWISE, otherwise)
    take_steps_of(&call, CHOSEN, chosen)
    take_steps_of(&call, BY_TRUTHS, truths)
    take_steps_of(&call, BLENDED, result)
    if count_elements(&call.grid) < RELEASE_GIL:
        halfcl_run_grid(ISA, BLEND_HALVES, call.operands, &call.grid, HALFCL_RTE)
    else:
        with nogil:
            halfcl_run_grid(ISA, BLEND_HALVES, call.operands, &call.grid, HALFCL_RTE)
    return result


cdef PyObject *half_where(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    if names != NULL:
        return new_reference(NotImplemented)
    if nargs == 1:
        return half_nonzero_along(args[WHERE_TRUTHS], NULL, 0, NULL)
    if nargs != COUNT_OF_WHERE_ARGUMENTS:
        return new_reference(NotImplemented)
    return new_reference(choose_by_truths(
        <object>args[WHERE_TRUTHS], <object>args[WHERE_TRUE], <object>args[WHERE_FALSE]))


def teach_where(extension not None):
    """Let numpy.where take halves; return whether it does."""
    return halfcl_replace_function(HALFCL_WHERE, extension.where, <halfcl_method *>half_where)
