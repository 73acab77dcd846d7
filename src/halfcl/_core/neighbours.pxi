# numpy.diff, gradient, unwrap and polyval of halves: each operation in float64, as in NumPy's own
# code, but in one pass over blocks, and the results rounded once.
# Needs: call.pxi, drivers.pxi, dtype.pxi, folds.pxi, in_float64.pxi, operators.pxi, ranges.pxi, reduce.pxi, regions.pxi, running_sums.pxi, scalar.pxi, types.pxi, ufunc_methods.pxi, ufunc_segments.pxi, weighted.pxi

cdef enum FormulaName:
    DIFFERENCES, EVEN_GRADIENT, GRADIENT, PHASES, POLYNOMIAL, INTEGRALS

ctypedef struct Formula:
    FormulaName name
    double distance             # of even gradients and integrals
    bint wide_ends              # of gradients: the ends are computed of three elements
    double period, discontinuity
    const double *numbers       # places of a gradient, or coefficients
    size_t count                # the order of differences, or how many coefficients there are
    bint to_double              # polynomials are doubles
    bint are_finite             # whether integrals are

cdef const halfcl_kernel *SECOND_DIFFERENCE = find_kernel(
    "second_difference", "eee>e", HALFCL_MAP)
cdef halfcl_neighbour_maps NEIGHBOUR_MAPS
NEIGHBOUR_MAPS.widen, NEIGHBOUR_MAPS.narrow = TO_DOUBLE, FROM_DOUBLE
NEIGHBOUR_MAPS.subtract = find_kernel("subtract", "dd>d", HALFCL_MAP)
NEIGHBOUR_MAPS.subtract_twice = find_kernel("subtract_twice", "ddd>d", HALFCL_MAP)
NEIGHBOUR_MAPS.multiply_difference = find_kernel("multiply_difference", "ddd>d", HALFCL_MAP)
NEIGHBOUR_MAPS.divide_difference = find_kernel("divide_difference", "ddd>d", HALFCL_MAP)

cdef double SMALLEST_DISTANCE = 1e-200, LARGEST_DISTANCE = 1e200  # of integrals
cdef double LARGEST_PLACE = 1e300  # so that no difference of places overflows


cdef unsigned run_formula(
    Formula *formula, const halfcl_neighbours *lines, halfcl_rounding mode
) noexcept nogil:
    cdef unsigned flags
    if formula.name == DIFFERENCES:
        return halfcl_differences(lines, formula.count, mode)
    if formula.name == EVEN_GRADIENT:
        return halfcl_even_gradient(lines, formula.distance, formula.wide_ends, mode)
    if formula.name == GRADIENT:
        return halfcl_gradient(lines, formula.numbers, formula.wide_ends, mode)
    if formula.name == PHASES:
        return halfcl_unwrap(lines, formula.period, formula.discontinuity, mode)
    if formula.name == POLYNOMIAL:
        return halfcl_polynomial(
            lines, formula.numbers, formula.count, formula.to_double, mode)
    formula.are_finite &= halfcl_trapezoid(lines, formula.distance, mode, &flags)
    return flags


cdef unsigned run_everywhere(
    Formula *formula, halfcl_neighbours *lines, const Axes *across, char **start,
    halfcl_rounding mode
) noexcept nogil:
    cdef size_t at[MAX_AXES]
    cdef unsigned flags = 0
    memset(at, 0, sizeof(at))
    while True:
        lines.lines.in_, lines.lines.out = start[FIRST_INPUT], start[STATES]
        flags |= run_formula(formula, lines, mode)
        if not next_place(across, at, start):
            return flags


cdef object apply_formula(
    Formula *formula, cnp.ndarray array, int axis, cnp.ndarray out, str name
):
    """Write results for the lines of native halves along an axis, and report exceptions by name.

    out: of halves or float64, and of the array's shape but for the length along the axis. None if
    integrals are not finite, of which nothing is reported.
    """
    cdef halfcl_neighbours lines
    cdef Axes across
    cdef char *start[OPERANDS]
    cdef int last, mode = mode_of_loops(BY_OPERATOR)
    cdef unsigned flags
    find_lines(array, out, None, axis, &across, start)
    last = across.count - 1
    lines.maps = &NEIGHBOUR_MAPS
    lines.count, lines.lines.n = across.length[last], cnp.PyArray_DIM(array, axis)
    lines.lines.in_step = cnp.PyArray_STRIDE(array, axis)
    lines.lines.out_step = cnp.PyArray_STRIDE(out, axis)
    lines.lines.in_across = across.step[last][FIRST_INPUT]
    lines.lines.out_across = across.step[last][STATES]
    if cnp.PyArray_SIZE(array) < RELEASE_GIL:
        flags = run_everywhere(formula, &lines, &across, start, <halfcl_rounding>mode)
    else:
        with nogil:
            flags = run_everywhere(formula, &lines, &across, start, <halfcl_rounding>mode)
    if formula.name == INTEGRALS and not formula.are_finite:
        return None
    if cnp.PyArray_TYPE(out) == HALF_NUMBER:
        count_run(FROM_DOUBLE)
    if flags:
        report(flags, name)
    return out


cdef cnp.ndarray halves_to_compute(object value):
    """Return a plain array of halves in native byte order; None for anything else, and where
    rounding is random, since it depends on the order of elements.
    """
    if not cnp.PyArray_CheckExact(value) or not is_type_of_halves(type_of_halves(value)):
        return None
    if cnp.PyArray_NDIM(<cnp.ndarray>value) == 0 or cnp.PyArray_SIZE(<cnp.ndarray>value) == 0:
        return None
    return None if region_value() & (RANDOM | ASKED) else as_native(<cnp.ndarray>value)


cdef cnp.ndarray new_halves_like(cnp.ndarray array):
    return new_like(array, native_dtype(array))


cdef bint read_finite(object x, double *value) except -1:
    """Write a number of Python's, or float64 or half, that is exact in a double and finite; return
    False for anything else.
    """
    if type(x) is np.float64:
        value[0] = <double>x
    elif not is_exact_double(x, value) and not (
        is_type_of_halves(type_of_halves(x)) and read_half(x, value)
    ):
        return False
    return isfinite(value[0])


cdef bint subtract_twice(cnp.ndarray array, cnp.ndarray out, int axis) except -1:
    """Write second differences, rounded to nearest; return False if tile by tile they raise other
    exceptions. In other modes the processor would give zeros another sign.
    """
    cdef halfcl_grid grid
    cdef char *operands[4]
    cdef int i, k
    cdef unsigned flags
    memset(&grid, 0, sizeof(grid))
    grid.axes = cnp.PyArray_NDIM(out)
    for k in range(grid.axes):
        grid.shape[k] = cnp.PyArray_DIM(out, k)
        for i in range(4):
            grid.steps[i][k] = cnp.PyArray_STRIDE(out if i == 3 else array, k)
    for i in range(3):
        operands[i] = cnp.PyArray_BYTES(array) + i * cnp.PyArray_STRIDE(array, axis)
    operands[3] = cnp.PyArray_BYTES(out)
    with nogil:
        flags = halfcl_run_grid(ISA, SECOND_DIFFERENCE, operands, &grid, HALFCL_RTE)
    if flags & HALFCL_INVALID:  # of signalling NaNs, perhaps
        return False
    if cnp.PyArray_TYPE(out) == HALF_NUMBER:
        count_run(SECOND_DIFFERENCE)
    if flags:
        report(flags, "diff")
    return True


cdef object as_end(object x):
    """Return numbers before or after those of numpy.diff as an array, if there are some."""
    return x if x is no_value or cnp.PyArray_Check(x) else np.asanyarray(x)


def diff(a, n, axis, prepend, append):
    """Return differences of an order from two on; NotImplemented for lower ones, which NumPy
    rounds once, and None for calls that need NumPy's own code in float64.
    """
    cdef Formula formula
    cdef cnp.ndarray array, out
    cdef int along
    if type(n) is int and n < 2:
        return NotImplemented
    first, last = as_end(prepend), as_end(append)
    if first is not prepend or last is not append:  # arrays decide the type, as in NumPy
        return np.diff(a, n, axis, first, last)
    array = halves_to_compute(a)
    if array is None or type(n) is not int or n > HALFCL_MOST_DIFFERENCES:
        return None
    if prepend is not no_value or append is not no_value or type(axis) is not int:
        return None
    along = place_of_axis(axis, cnp.PyArray_NDIM(array))
    if along < 0 or cnp.PyArray_DIM(array, along) <= n:
        return None
    formula.name, formula.count = DIFFERENCES, n
    out = new_halves_like(array[(slice(None),) * along + (slice(n, None),)])
    if n == 2 and mode_of_loops(BY_OPERATOR) == HALFCL_RTE and subtract_twice(array, out, along):
        return out
    return apply_formula(&formula, array, along, out, "diff")


cdef bint are_evenly_spaced(const double *x, cnp.npy_intp n) noexcept nogil:
    cdef cnp.npy_intp i
    for i in range(2, n):
        if x[i] - x[i - 1] != x[1] - x[0]:
            return False
    return True


cdef cnp.ndarray read_abscissas(object x, cnp.npy_intp n):
    """Return n places as contiguous doubles; None if NumPy does not compute with doubles, or has to
    raise an error.
    """
    cdef cnp.ndarray places
    cdef double *place
    cdef cnp.npy_intp i
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_NDIM(<cnp.ndarray>x) != 1:
        return None
    if cnp.PyArray_DIM(<cnp.ndarray>x, 0) != n:
        return None
    if is_type_of_halves(type_of_halves(x)):
        places = widen_array(as_native(<cnp.ndarray>x))
    elif cnp.PyArray_TYPE(<cnp.ndarray>x) == cnp.NPY_FLOAT64:
        places = x
    else:
        return None
    places = np.ascontiguousarray(places, FLOAT64)
    place = <double *>cnp.PyArray_DATA(places)
    for i in range(n):
        if not fabs(place[i]) < LARGEST_PLACE:
            return None
    return places


cdef bint read_gradient(
    Formula *formula, cnp.ndarray array, int axis, object distances, bint wide_ends, list owners
) except -1:
    """Read a formula for derivatives along an axis; return False if NumPy has to compute them.

    owners: gets the arrays whose memory the formula refers to.
    """
    cdef cnp.ndarray places
    cdef cnp.npy_intp n = cnp.PyArray_DIM(array, axis)
    formula.name, formula.wide_ends = EVEN_GRADIENT, wide_ends
    if n < 2 + wide_ends:
        return False
    if not read_finite(distances, &formula.distance):
        places = read_abscissas(distances, n)
        if places is None:
            return False
        owners.append(places)
        formula.name, formula.numbers = GRADIENT, <double *>cnp.PyArray_DATA(places)
        if are_evenly_spaced(formula.numbers, n):
            formula.name, formula.distance = EVEN_GRADIENT, formula.numbers[1] - formula.numbers[0]
    return formula.name == GRADIENT or formula.distance != 0


def gradient(f, tuple distances not None, axis, edge_order):
    """Return what numpy.gradient does, or None for calls that need its own code."""
    cdef cnp.ndarray array = halves_to_compute(f)
    cdef Formula formulas[MAX_AXES]
    cdef int along[MAX_AXES]
    cdef int i, ndim
    cdef list owners = []
    if array is None or type(edge_order) is not int or not 1 <= edge_order <= 2:
        return None
    ndim = cnp.PyArray_NDIM(array)
    if axis is None:
        axes = tuple(range(ndim))
    elif type(axis) is int:
        axes = (axis,)
    else:
        return None
    if not distances:
        distances = (1.0,)
    if len(distances) == 1 and (len(axes) > 1 and not cnp.PyArray_Check(distances[0])):
        distances = distances * len(axes)
    if len(distances) != len(axes):
        return None
    for i in range(len(axes)):  # all before the first is computed, and its exceptions are reported
        along[i] = place_of_axis(axes[i], ndim)
        if along[i] < 0 or not read_gradient(
            &formulas[i], array, along[i], distances[i], edge_order == 2, owners
        ):
            return None
    results = [
        apply_formula(&formulas[i], array, along[i], new_halves_like(array), "gradient")
        for i in range(len(axes))]
    return results[0] if len(results) == 1 else tuple(results)


def unwrap(p, discont, axis, period):
    """Return what numpy.unwrap does, or None for calls that need its own code."""
    cdef Formula formula
    cdef cnp.ndarray array = halves_to_compute(p)
    cdef int along
    if array is None or type(axis) is not int or not is_exact_double(period, &formula.period):
        return None
    formula.name, formula.discontinuity = PHASES, formula.period / 2
    if discont is not None and not is_exact_double(discont, &formula.discontinuity):
        return None
    if not (formula.period > 0 and isfinite(formula.period) and isfinite(formula.discontinuity)):
        return None
    along = place_of_axis(axis, cnp.PyArray_NDIM(array))
    if along < 0:
        return None
    return apply_formula(&formula, array, along, new_halves_like(array), "unwrap")


cdef cnp.ndarray read_coefficients(object p, cnp.ndarray array, bint *are_halves):
    """Return coefficients as contiguous doubles, and whether they have an array's type; None if
    NumPy computes with another type.
    """
    cdef double value
    are_halves[0] = False
    if type(p) is list or type(p) is tuple:
        for x in p:
            if not is_exact_double(x, &value):
                return None
        return np.array(p, FLOAT64)
    if not cnp.PyArray_CheckExact(p) or cnp.PyArray_NDIM(<cnp.ndarray>p) != 1:
        return None
    if cnp.PyArray_TYPE(<cnp.ndarray>p) == cnp.PyArray_TYPE(array):
        are_halves[0] = True
        return np.ascontiguousarray(widen_array(as_native(<cnp.ndarray>p)))
    if cnp.PyArray_TYPE(<cnp.ndarray>p) == cnp.NPY_FLOAT64:
        return np.ascontiguousarray(p, FLOAT64)
    return None


def polyval(p, x):
    """Return a polynomial of halves, in float64 unless the coefficients are halves, too; or None
    for calls that need NumPy's own code.
    """
    cdef Formula formula
    cdef bint are_halves = False
    cdef cnp.ndarray array = halves_to_compute(x), coefficients, out
    if array is None:
        return None
    coefficients = read_coefficients(p, array, &are_halves)
    if coefficients is None or cnp.PyArray_SIZE(coefficients) == 0:
        return None
    formula.name, formula.to_double = POLYNOMIAL, not are_halves
    formula.numbers = <double *>cnp.PyArray_DATA(coefficients)
    formula.count = cnp.PyArray_DIM(coefficients, 0)
    out = new_halves_like(array) if are_halves else new_like(array, FLOAT64)
    if not cnp.PyArray_IS_C_CONTIGUOUS(array):
        return apply_formula(&formula, array, cnp.PyArray_NDIM(array) - 1, out, "polyval")
    apply_formula(&formula, array.reshape(-1), 0, out.reshape(-1), "polyval")
    return out


cdef object integrate_short_lines(cnp.ndarray array, int axis, double distance):
    """Return integrals of lines of at most HALFCL_MOST_SUMMED elements; None if some are not finite.
    """
    cdef Formula formula
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef cnp.ndarray out
    cdef int k, ndim = cnp.PyArray_NDIM(array)
    formula.name, formula.distance, formula.are_finite = INTEGRALS, distance, True
    for k in range(ndim):
        shape[k] = 1 if k == axis else cnp.PyArray_DIM(array, k)
    out = new_array(ndim, shape, native_dtype(array))
    if apply_formula(&formula, array, axis, out, "cast") is None:
        return None
    for k in range(axis, ndim - 1):
        shape[k] = shape[k + 1]
    return out.reshape([shape[k] for k in range(ndim - 1)])[()]


cdef bint are_all_finite(cnp.ndarray halves) noexcept:
    """Return whether contiguous native halves are finite."""
    cdef const uint16_t *bits = <const uint16_t *>cnp.PyArray_DATA(halves)
    cdef cnp.npy_intp i
    for i in range(cnp.PyArray_SIZE(halves)):
        if (bits[i] & 0x7C00) == 0x7C00:
            return False
    return True


cdef object integrate_between(cnp.ndarray array, int axis, object x):
    """Return integrals of ordinates at contiguous abscissas of the same type, or None."""
    cdef cnp.ndarray abscissas
    cdef int ndim = cnp.PyArray_NDIM(array)
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>x):
        return None
    abscissas = x
    if cnp.PyArray_TYPE(abscissas) != cnp.PyArray_TYPE(array) or not has_native_halves(x):
        return None
    if not are_all_finite(abscissas):
        return None
    if cnp.PyArray_NDIM(abscissas) == 1 and (
        cnp.PyArray_DIM(abscissas, 0) == cnp.PyArray_DIM(array, axis)
    ):
        if axis != ndim - 1:
            abscissas = abscissas.reshape((-1,) + (1,) * (ndim - 1 - axis))
    elif not cnp.PyArray_SAMESHAPE(abscissas, array):
        return None
    results, are_finite = integrals(array, abscissas, 1.0, axis)
    if results is NotImplemented or not are_finite:
        return None
    return narrow_array(<cnp.ndarray>results, cnp.PyArray_TYPE(array))[()]


def trapezoid(y, x, dx, axis):
    """Return integrals by trapezoids, of short lines if at even distances; None for others, and for
    calls that need NumPy's own code.
    """
    cdef cnp.ndarray array = halves_to_compute(y)
    cdef double distance
    cdef int along
    if array is None or type(axis) is not int:
        return None
    along = place_of_axis(axis, cnp.PyArray_NDIM(array))
    if along < 0 or cnp.PyArray_DIM(array, along) < 2:
        return None
    if x is not None:
        return integrate_between(array, along, x)
    if not is_exact_double(dx, &distance):  # NumPy's numbers may make the result wider
        return None
    if not SMALLEST_DISTANCE < fabs(distance) < LARGEST_DISTANCE:
        return None
    if cnp.PyArray_DIM(array, along) > HALFCL_MOST_SUMMED:
        return None
    return integrate_short_lines(array, along, distance)
