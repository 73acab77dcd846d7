# Rounding modes as data: an array with one for each element.
# Needs: call.pxi, drivers.pxi, loops.pxi, regions.pxi, scalar.pxi, types.pxi

cdef object MODE_CODE = np.dtype(np.uint8)
cdef int NO_MODE = 255


cdef int refuse_mode(object modes, object wrong) except -1:
    """Raise ValueError for an array, some of whose elements are not modes."""
    index = tuple(np.argwhere(wrong)[0].tolist())
    (first,) = modes[wrong][:1].tolist()
    raise ValueError(
        "rounding: expected an array of 'rte', 'rtz', 'rtp', 'rtn', or of their places in "
        f"halfcl.MODES, 0 to 3, got {first!r}{f' at index {index}' if index else ''}")


cdef object codes_of_names(object names):
    """Return the places of names in MODES."""
    codes = np.full(names.shape, NO_MODE, MODE_CODE)
    for number, name in enumerate(MODES):
        codes[names == (name.encode() if names.dtype.kind == "S" else name)] = number
    if (codes == NO_MODE).any():
        refuse_mode(names, codes == NO_MODE)
    return codes


cdef object mode_codes(object rounding):
    """Return an array of modes, by name or place, as places in MODES, uint8.

    ValueError if any is none.
    """
    cdef cnp.ndarray modes
    if is_plain(<PyObject *>rounding) and cnp.PyArray_TYPE(rounding) == cnp.NPY_UINT8:
        modes = <cnp.ndarray>rounding
        if halfcl_are_modes(ISA, <unsigned char *>cnp.PyArray_DATA(modes), cnp.PyArray_SIZE(modes)):
            return modes
    modes = np.asarray(rounding)
    if modes.dtype.kind in "USTO":
        return codes_of_names(modes.astype(object) if modes.dtype.kind == "T" else modes)
    if modes.dtype.kind not in "iu":
        raise ValueError(
            "rounding: expected an array of 'rte', 'rtz', 'rtp', 'rtn', or of their places in "
            f"halfcl.MODES, 0 to 3, got one of {modes.dtype}")
    if modes.size and (modes.max() >= len(MODES) or modes.min() < 0):
        wrong = (modes < 0) | (modes >= len(MODES))
        if wrong.any():  # unless another thread has written to them since
            refuse_mode(modes, wrong)
    return modes.astype(MODE_CODE, copy=False)


cdef object number_in_modes(object number, object codes, bint in_float16):
    """Return a Python number, rounded in the mode of each element."""
    cdef unsigned flags = 0
    cdef uint16_t[4] bits
    for mode in range(4):
        bits[mode] = 0
        if (codes == mode).any():
            bits[mode] = to_bits(number, <halfcl_rounding><int>mode, &flags)
    report(flags & HALFCL_OVERFLOW, "cast")
    table = np.array([bits[0], bits[1], bits[2], bits[3]], np.uint16)
    return table[codes].view(np.float16 if in_float16 else half)


def in_each_mode(convert, x, modes, dtype):
    """Convert the elements of x, an array, to dtype, each in its mode of an array of modes.

    convert takes some elements and a mode's name.
    """
    codes = mode_codes(modes)
    try:
        x, codes = np.broadcast_arrays(x, codes)
    except ValueError:
        raise ValueError(
            f"rounding: expected modes that broadcast against shape {x.shape}, got {codes.shape}"
        ) from None
    result = np.empty(codes.shape, dtype)
    for number, mode in enumerate(MODES):
        if (codes == number).any():
            result[codes == number] = convert(x[codes == number], mode)
    return result[()]


cdef object calculate_in_modes(
    UfuncData *ufunc, cnp.ndarray codes, str name, PyObject *const *args, PyObject *const *outs
):
    """Calculate with a mode for each element on plain arrays of the codes' shape; None for others.
    """
    cdef Plan plan
    cdef unsigned flags
    cdef int k
    cdef list results = []
    begin(&plan)
    if not is_plain(<PyObject *>codes) or not take_inputs(&plan, ufunc, HALFCL_RTE, args):
        return None
    if (
        plan.has_numbers or plan.like == NULL
        or not cnp.PyArray_SAMESHAPE(codes, <cnp.ndarray>plan.like)
    ):
        return None
    for k in range(plan.kernel.signature.nout):
        result = take_output(&plan, k, args, outs[k], ufunc.result_is_half)
        if result is None or not are_separate(<cnp.ndarray>result, codes):
            return None
        results.append(result)
    if len(results) == 2 and not are_separate(results[0], results[1]):
        return None
    cdef const unsigned char *modes = <const unsigned char *>cnp.PyArray_DATA(codes)
    with nogil:
        flags = run_map_in_modes(plan.kernel, plan.start, plan.step, modes, 1, plan.n)
    if flags:
        report(flags, name)
    return results[0] if len(results) == 1 else tuple(results)
