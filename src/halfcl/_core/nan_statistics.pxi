# Means, variances and deviations of many short rows of halves with NaNs: NaNs are replaced by
# zeros, which change no sum, and the other elements are counted.
# Needs: folds.pxi, reduce.pxi, regions.pxi

cdef extern from *:
    """
    /* Write zero in place of NaNs, and 1 for each number or 0 for each NaN, as halves; return
     * whether there are NaNs. */
    static int halfcl_without_nans(const uint16_t *halves, uint16_t zero, uint16_t *numbers,
                                   uint16_t *ones, size_t n)
    {
        uint16_t any = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint16_t nan = (halves[i] & 0x7FFF) > 0x7C00 ? 0xFFFF : 0;
            numbers[i] = (uint16_t)((halves[i] & ~nan) | (zero & nan));
            ones[i] = (uint16_t)(0x3C00 & ~nan);
            any |= nan;
        }
        return any;
    }
    """
    bint halfcl_without_nans(
        const uint16_t *, uint16_t, uint16_t *, uint16_t *, size_t) noexcept nogil


def skip_nans(str name not None, cnp.ndarray array not None, axis, keepdims, ddof):
    """Return the statistic of the numbers that are not NaN, and the rows with too few, or None.

    The statistic is NotImplemented unless rows are short and the array needs no preparation.
    """
    cdef cnp.ndarray numbers, ones, counts
    cdef Reduction call
    cdef uint16_t zero
    cdef Py_ssize_t n = cnp.PyArray_SIZE(array)
    cdef bint has_nans
    if not has_native_halves(array) or not cnp.PyArray_ISCARRAY_RO(array) or type(ddof) is not int:
        return NotImplemented, None
    call.has_initial, call.how.mode = False, mode_of_call(None)
    call.how.type = HALFCL_HALF
    if not read_operands(&call, (array,), True) or not read_axes(axis, &call):
        return NotImplemented, None
    count_results(&call)
    if not is_for_few(&call) or call.n <= ddof:
        return NotImplemented, None
    numbers, ones = np.empty_like(array), np.empty_like(array)
    # Zeros that add nothing: the sum of +0 and -0 is -0 rounding down, and else +0.
    zero = 0 if operator_mode() == HALFCL_RTN else 0x8000
    with nogil:
        has_nans = halfcl_without_nans(
            <const uint16_t *>cnp.PyArray_DATA(array), zero, <uint16_t *>cnp.PyArray_DATA(numbers),
            <uint16_t *>cnp.PyArray_DATA(ones), n)
    if not has_nans:
        return try_reduction(
            name, (array,), axis, None, None, keepdims, None, True, ddof, None, 0), None
    result = try_reduction("sum", (ones,), axis, None, None, False, None, True, 0, "rte", 0)
    if result is NotImplemented:
        return NotImplemented, None
    counts = np.ascontiguousarray(result, np.int64)
    few = counts <= ddof
    if not few.any():
        few = None
    else:
        counts[few] = call.n  # so that no exception is raised
    result = try_reduction(
        name, (numbers,), axis, None, None, keepdims, None, True, ddof, None, 0, counts)
    if result is NotImplemented:
        return NotImplemented, None
    if few is not None:
        few = few.reshape(result.shape)
        result[few] = np.nan
    return result, few
