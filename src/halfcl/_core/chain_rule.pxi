# The chain rule for intervals between doubles, and levels of what is known of functions on boxes.
# Needs: double_intervals.pxi, regions.pxi, types.pxi


cdef class ChainRule:
    """Sums of products of intervals: derivatives of an operation times those of its operands.

    one, minus_one: the objects that stand for these factors, by which nothing is multiplied.
    Derivatives that are None, or missing in a mapping, are zero.
    """

    cdef DoubleInterval one, minus_one

    def __cinit__(self, DoubleInterval one not None, DoubleInterval minus_one not None):
        self.one, self.minus_one = one, minus_one

    cdef DoubleInterval product(self, DoubleInterval x, DoubleInterval y):
        if x is None or y is None:
            return None
        if x is self.one:
            return y
        if y is self.one:
            return x
        if x is self.minus_one or y is self.minus_one:
            return of_one(HALFCL_INTERVALS_NEGATE, y if x is self.minus_one else x)
        if x is y:
            return of_one(HALFCL_INTERVALS_SQUARE, x)
        return of_two(HALFCL_INTERVALS_MULTIPLY, x, y)

    cdef DoubleInterval plus(self, DoubleInterval total, DoubleInterval x, DoubleInterval y):
        """Return a sum with one more product."""
        if x is None or y is None:
            return total
        if total is not None and (x is self.minus_one or y is self.minus_one):
            return of_two(HALFCL_INTERVALS_SUBTRACT, total, y if x is self.minus_one else x)
        product = self.product(x, y)
        return product if total is None else of_two(HALFCL_INTERVALS_ADD, total, product)

    def slopes(self, list partials not None, list slopes not None):
        """Return the slopes of a result by variable.

        partials: first derivatives of the operation, one for each operand. slopes: the operands'.
        """
        cdef dict result = {}
        cdef DoubleInterval total
        cdef Py_ssize_t count = min(len(partials), len(slopes)), k
        for i in variables_of(slopes):
            total = None
            for k in range(count):
                total = self.plus(total, partials[k], (<dict?>slopes[k]).get(i))
            if total is not None:
                result[i] = total
        return result

    def curvatures(
        self, list partials not None, dict seconds not None, list slopes not None,
        list curvatures not None
    ):
        """Return the curvatures of a result by pair of variables.

        seconds: second derivatives of the operation, by the positions of two operands.
        """
        cdef dict result = {}
        cdef list variables = variables_of(slopes)
        cdef Py_ssize_t first, second
        cdef DoubleInterval total
        for first in range(len(variables)):
            for second in range(first, len(variables)):
                key = variables[first], variables[second]
                total = self.curvature(key, partials, seconds, slopes, curvatures)
                if total is not None:
                    result[key] = total
        return result

    cdef DoubleInterval curvature(
        self, tuple key, list partials, dict seconds, list slopes, list curvatures
    ):
        cdef DoubleInterval total = None
        cdef Py_ssize_t k
        cdef dict one, other
        i, j = key
        for k in range(min(len(partials), len(curvatures))):
            total = self.plus(total, partials[k], (<dict?>curvatures[k]).get(key))
        for (a, b), factor in seconds.items():
            one, other = slopes[a], slopes[b]
            total = self.plus(total, factor, self.product(one.get(i), other.get(j)))
            if a != b:
                total = self.plus(total, factor, self.product(one.get(j), other.get(i)))
        return total


@cython.final
cdef class SmoothRule:
    """The rule of an operation on jets, from functions of its operands' values and its own.

    jet: the class of jets. slopes: a function for each operand; curvatures: functions by the
    positions of two operands; level: what is known of the operation itself, None for everything.
    """

    cdef ChainRule chain
    cdef object jet, value, level
    cdef list first
    cdef dict second

    def __cinit__(
        self, ChainRule chain not None, jet, value, list slopes not None,
        dict curvatures not None, level
    ):
        self.chain, self.jet, self.value, self.level = chain, jet, value, level
        self.first, self.second = slopes, curvatures

    def __call__(self, *jets):
        cdef list values = [x.value for x in jets]
        value = self.value(*values)
        values.append(value)
        lowest = None if self.level is None else self.level(*values)
        lowest = lowest_level(lowest, jets)
        cdef int order = highest_order(jets)
        if not order:
            return self.jet(value, lowest)
        return self.differentiate(jets, values, value, lowest, order)

    cdef object differentiate(
        self, tuple jets, list values, object value, object level, int order
    ):
        cdef list slopes = [x.slopes for x in jets]
        cdef list partials
        cdef dict curvatures = None
        if not any(slopes):
            return self.jet(value, level, order)
        partials = [function(*values) for function in self.first]
        if order == 2:
            seconds = {pair: function(*values) for pair, function in self.second.items()}
            others = [x.curvatures for x in jets]
            curvatures = self.chain.curvatures(partials, seconds, slopes, others)
        return self.jet(value, level, order, self.chain.slopes(partials, slopes), curvatures)


cdef int highest_order(tuple jets) except -1:
    cdef int order = 0
    for x in jets:
        order = max(order, <int>x.order)
    return order


def lowest_level(level, tuple jets not None):
    """Return what is known of a level, if it is not None, and of those of all jets."""
    for x in jets:
        own = x.level
        if own is not level:  # often they share an array
            level = own if level is None else level & own
    return level


cdef list variables_of(list slopes):
    """Return the variables of several mappings in order."""
    cdef set variables
    if len(slopes) == 1:
        return list(<dict?>slopes[0])
    variables = set()
    for own in slopes:
        variables.update(<dict?>own)
    return sorted(variables)


# ---------------------------------------------------------------- levels


def levels_where(where, unsigned char inside, unsigned char outside):
    """Return one level where a mask is true, and another elsewhere."""
    cdef cnp.ndarray mask = cnp.PyArray_GETCONTIGUOUS(as_mask(where))
    cdef cnp.ndarray result = new_like_shape(mask, cnp.NPY_UINT8)
    cdef const unsigned char *at = <const unsigned char *>cnp.PyArray_DATA(mask)
    cdef unsigned char *levels = <unsigned char *>cnp.PyArray_DATA(result)
    cdef size_t i
    for i in range(<size_t>cnp.PyArray_SIZE(mask)):
        levels[i] = inside if at[i] else outside
    return result


def levels_within(
    DoubleInterval x not None, double low, double high, unsigned char inside,
    unsigned char touching, bint are_points_left_out
):
    """Return a level for intervals between two numbers, another for those that reach one of them.

    An infinite number is not reached. Other intervals have level 0, and if are_points_left_out,
    those single numbers, too.
    """
    cdef DoubleInterval rows = with_contiguous_bounds(x)
    cdef cnp.ndarray result = new_like_shape(rows.lo, cnp.NPY_UINT8)
    cdef unsigned char *levels = <unsigned char *>cnp.PyArray_DATA(result)
    cdef const double *lo = <const double *>cnp.PyArray_DATA(rows.lo)
    cdef const double *hi = <const double *>cnp.PyArray_DATA(rows.hi)
    cdef bint all_below = low == -HUGE_VAL, all_above = high == HUGE_VAL
    cdef size_t i
    for i in range(<size_t>cnp.PyArray_SIZE(result)):
        if (lo[i] > low or all_below) and (hi[i] < high or all_above):
            levels[i] = inside
        elif lo[i] >= low and hi[i] <= high and (lo[i] < hi[i] or not are_points_left_out):
            levels[i] = touching
        else:
            levels[i] = 0
    return result


def levels_beside_zero(DoubleInterval x not None, unsigned char inside, unsigned char touching):
    """Return a level for intervals off zero, and another for those with zero as one bound."""
    cdef DoubleInterval rows = with_contiguous_bounds(x)
    cdef cnp.ndarray result = new_like_shape(rows.lo, cnp.NPY_UINT8)
    cdef unsigned char *levels = <unsigned char *>cnp.PyArray_DATA(result)
    cdef const double *lo = <const double *>cnp.PyArray_DATA(rows.lo)
    cdef const double *hi = <const double *>cnp.PyArray_DATA(rows.hi)
    cdef size_t i
    for i in range(<size_t>cnp.PyArray_SIZE(result)):
        if lo[i] > 0 or hi[i] < 0:
            levels[i] = inside
        elif (lo[i] >= 0 or hi[i] <= 0) and lo[i] < hi[i]:
            levels[i] = touching
        else:
            levels[i] = 0
    return result
