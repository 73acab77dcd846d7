# ndarray's methods that are replaced: they try half's own before NumPy's.
# Needs: arguments.pxi, dtype.pxi, extremes.pxi, nonzero.pxi, partition.pxi, products.pxi, ranges.pxi, search.pxi, sort.pxi, types.pxi

cdef extern from "numpy_methods.h":
    int HALFCL_PARTITION, HALFCL_ARGPARTITION, HALFCL_SEARCHSORTED, HALFCL_ARGMAX, HALFCL_ARGMIN
    int HALFCL_SORT, HALFCL_ARGSORT, HALFCL_DOT_METHOD, HALFCL_NONZERO, HALFCL_ROUND
    enum:
        HALFCL_METHODS_OF_ARRAYS
    int halfcl_replace_methods(int, halfcl_method *const *) except -1


def teach_methods():
    """Let methods of ndarray call halfcl for halves.

    These are the ones that sort, search, round, find extremes and multiply.
    Return whether they do: not if NumPy's are not laid out as expected.
    """
    cdef halfcl_method *for_half[HALFCL_METHODS_OF_ARRAYS]
    for_half[HALFCL_PARTITION] = <halfcl_method *>half_partition
    for_half[HALFCL_ARGPARTITION] = <halfcl_method *>half_argpartition
    for_half[HALFCL_SEARCHSORTED] = <halfcl_method *>half_searchsorted
    for_half[HALFCL_ARGMAX] = <halfcl_method *>half_argmax_along
    for_half[HALFCL_ARGMIN] = <halfcl_method *>half_argmin_along
    for_half[HALFCL_SORT] = <halfcl_method *>half_sort_along
    for_half[HALFCL_ARGSORT] = <halfcl_method *>half_argsort_along
    for_half[HALFCL_NONZERO] = <halfcl_method *>half_nonzero_along
    for_half[HALFCL_ROUND] = <halfcl_method *>half_round
    for_half[HALFCL_DOT_METHOD] = <halfcl_method *>half_dot_method
    return halfcl_replace_methods(HALF_NUMBER, for_half) != 0


def calls_taken():
    """Return how many calls of NumPy's methods and functions this thread has had from halfcl."""
    return halfcl_calls_taken
