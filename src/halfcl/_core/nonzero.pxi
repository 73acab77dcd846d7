# ndarray.nonzero and numpy.count_nonzero of halves, float16 too while accelerate() is on: NumPy
# calls a function for each half, but not for each bool. A zero without its sign has no bits.
# Needs: arguments.pxi, reduce.pxi

cdef enum:
    FEW_TO_LOOK_AT = 64


cdef object are_not_zero(cnp.ndarray array):
    """Return which elements are not zero, as bool; NaNs are not, and raise nothing."""
    return np.not_equal(np.left_shift(array.view(np.uint16), 1), 0)


cdef PyObject *half_nonzero_along(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    if nargs != 0 or not has_native_halves(<object>self):
        return new_reference(NotImplemented)
    if cnp.PyArray_SIZE(<cnp.ndarray>self) < FEW_TO_LOOK_AT:
        return new_reference(NotImplemented)
    return new_reference(are_not_zero(<cnp.ndarray>self).nonzero())


cdef PyObject *half_count_nonzero(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names
) except NULL:
    if nargs != 1 or names != NULL or not has_native_halves(<object>args[0]):
        return new_reference(NotImplemented)
    return new_reference(np.count_nonzero(are_not_zero(<cnp.ndarray>args[0])))
