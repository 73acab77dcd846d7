"""Trigonometric functions of intervals, with exact positions of extrema and poles.

The kernels know these positions for each half. The reverse functions ask here for the numbers of
the pieces between extrema, on which a function is monotone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import halfcl as hc
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.elementary import Elementary, make_function
from halfcl.interval._bounds.pairs import (
    ONE,
    ZERO,
    Array,
    Bounds,
    is_empty,
    make_empty,
    select,
)

# Adding this to a float below 2^22 in magnitude rounds it to an integer, which is in the last bits.
# Half-integers round to even, or to odd. The bits of infinite bounds are above and (modulo 2^32)
# below those of all numbers.
_TO_EVEN = np.array(1.5 * 2**23, np.float32)
_TO_ODD = np.array(1.5 * 2**23 + 1, np.float32)

# x / pi in float, rounded to integers, is right for each of the 65,536 halves, as the tests show by
# exact reduction. It uses the float next to 1 / pi, and rounds half-integers to odd, as is right
# for those quotients that become half-integers (8245.49999, for 25904, is one).
_TO_NEAREST = np.array(0.3183099031448364, np.float32)
# Rounding toward zero uses the float nearest to 1 / pi; negative numbers then need one piece less.
_TRUNCATED = np.array(0.31830988618379067, np.float32)


def floats(x: Array) -> Array:
    """Return halves as floats, in an array that may be written to."""
    return np.asarray(hc.convert_float(x))


def _number(t: Array) -> Array:
    return np.asarray(t.view(np.uint32))


def pieces_around_zero(x: Array) -> Array:
    """Return the numbers of the pieces around multiples of pi."""
    t = floats(x)
    np.multiply(t, _TO_NEAREST, out=t)
    np.add(t, _TO_ODD, out=t)
    return _number(t)


def pieces_from_zero(x: Array) -> Array:
    """Return the numbers of the pieces that end at multiples of pi."""
    t = floats(x)
    np.multiply(t, _TRUNCATED, out=t)
    below = np.less(t, 0)
    np.trunc(t, out=t)
    np.subtract(t, below, out=t)
    np.add(t, _TO_EVEN, out=t)
    return _number(t)


_REQUIRED, _RECOMMENDED = "IEEE 1788-2015, 9.1", "IEEE 1788-2015, 10.6.1"
_EXTREMA = "The positions of the extrema are exact for intervals of any width and magnitude."
_POLES = (
    "The positions of the poles are exact for intervals of any width and magnitude.\n"
    "Entire where a pole is inside."
)

_ROWS = (
    Elementary("sin", "the sine.", (-65504, -65472), "[-1, 1]", _REQUIRED, note=_EXTREMA),
    Elementary("cos", "the cosine.", (2, 4), "[-1, -0.41601]", _REQUIRED, note=_EXTREMA),
    Elementary("tan", "the tangent.", (-1, 1), "[-1.5577, 1.5577]", _REQUIRED, note=_POLES),
    Elementary("sinpi", "the sine of pi x.", (0, 1), "[0, 1]", _RECOMMENDED),
    Elementary("cospi", "the cosine of pi x.", (0, 1), "[-1, 1]", _RECOMMENDED),
    Elementary(
        "tanpi", "the tangent of pi x.", (0.25, 0.5), "[1, inf]", _RECOMMENDED,
        note="Entire where a pole is inside, empty if x is only a pole.",
        poles="all numbers but those half-way between integers, which drop out",
    ),
)  # fmt: skip


def _angle(y: Bounds, x: Bounds, function: hc.Function) -> Bounds:
    """Return angles by atan2 or atan2pi."""
    (low, high), (start, end) = y, x
    upper, lower = low >= ZERO, high <= ZERO
    # From right to left, angles fall below the axis and rise above it. Give zeros the sign of the
    # side on which the box lies.
    low, high = (select(upper, hc.fabs(bound), bound) for bound in y)
    right_of, left_of = end > ZERO, start < ZERO
    start = select(left_of, start, hc.fabs(start))
    end = select(right_of, end, -hc.fabs(end))
    first = select(upper, select(right_of, low, high), select(lower & left_of, high, low))
    last = select(lower & ~upper, select(right_of, high, low), high)
    last = select(upper & left_of, low, last)
    least = function.rtn(first, select(upper, end, start))
    greatest = function.rtp(last, select(lower & ~upper, end, start))
    across = ~upper & left_of & (high >= ZERO)
    origin = (low == ZERO) & (high == ZERO) & (start == ZERO) & (end == ZERO)
    least = select(across, function.rtn(-ZERO, -ONE), least)
    greatest = select(across, function.rtp(ZERO, -ONE), greatest)
    return make_empty(is_empty(x) | is_empty(y) | origin, least, greatest)


@document(
    domain="all points but the origin, which drops out",
    source="IEEE 1788-2015, 9.1: on the negative x axis the angle is pi",
)
def atan2(y: Bounds, x: Bounds) -> Bounds:
    """Return the angle of the points (x, y), from -pi to pi.

    A box that has points on the negative x axis and below it gives all angles.

    >>> from halfcl import interval
    >>> interval.atan2(interval.Interval(0, 1), interval.Interval(-1, 2))
    Interval('[0, 3.1426]')
    """
    return _angle(y, x, hc.atan2)


@document(
    domain="all points but the origin, which drops out",
    source="IEEE 1788-2015, 10.6.1: on the negative x axis the angle is 1",
)
def atan2pi(y: Bounds, x: Bounds) -> Bounds:
    """Return the angle of the points (x, y), divided by pi: from -1 to 1.

    A box that has points on the negative x axis and below it gives all angles.

    >>> from halfcl import interval
    >>> interval.atan2pi(interval.Interval(0, 1), interval.Interval(-1, 2))
    Interval('[0, 1]')
    """
    return _angle(y, x, hc.atan2pi)


FUNCTIONS: dict[str, Callable[..., Bounds]] = {row.name: make_function(row) for row in _ROWS}
#: The functions that raise no floating-point exceptions.
QUIET = frozenset(FUNCTIONS.values())
FUNCTIONS |= {"atan2": atan2, "atan2pi": atan2pi}
