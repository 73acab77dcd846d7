# Casts between half and the dtypes of other packages, such as ml_dtypes', which know NumPy's own
# types only: through float16 or, where a mode rounds, through float32, which has every value of
# both.
# Needs: regions.pxi, scalar.pxi, types.pxi

cdef extern from "numpy/arrayobject.h":
    ctypedef void PyArray_VectorUnaryFunc(void *, void *, cnp.npy_intp, void *, void *)
    int PyArray_RegisterCastFunc(cnp.dtype, int, PyArray_VectorUnaryFunc *) except -1
    int PyArray_RegisterCanCast(cnp.dtype, int, int) except -1
    int NPY_NOSCALAR


cdef void cast_by_float(
    void *source, void *target, cnp.npy_intp n, void *source_array, void *target_array
) except * with gil:
    """Cast n elements next to each other, whose dtypes are the arrays'."""
    cdef cnp.dtype source_type = (<object>source_array).dtype.newbyteorder("=")
    cdef cnp.dtype target_type = (<object>target_array).dtype.newbyteorder("=")
    cdef cnp.ndarray original = np.empty(n, source_type)
    memcpy(cnp.PyArray_DATA(original), source, n * source_type.itemsize)
    cdef cnp.ndarray cast
    # To nearest by float16's own casts, which keep the sign of NaNs on every set.
    if source_type.num == HALF_NUMBER:
        cast = original.view(np.float16).astype(target_type)
    elif rounds_to_nearest():
        cast = original.astype(np.float16).view(target_type)
    else:
        cast = original.astype(np.float32).astype(target_type)
    memcpy(target, cnp.PyArray_DATA(cast), n * target_type.itemsize)


def register_legacy_casts(cnp.dtype other not None, bint is_safe):
    """Register casts between half and a dtype of another package.

    is_safe: whether half converts to it without loss.
    """
    PyArray_RegisterCastFunc(HALF, other.num, <PyArray_VectorUnaryFunc *><void *>cast_by_float)
    PyArray_RegisterCastFunc(other, HALF_NUMBER, <PyArray_VectorUnaryFunc *><void *>cast_by_float)
    if is_safe:
        PyArray_RegisterCanCast(other, HALF_NUMBER, NPY_NOSCALAR)
