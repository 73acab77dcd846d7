"""Powers and roots of intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import (
    INF,
    ONE,
    ZERO,
    Array,
    Bounds,
    as_arrays,
    is_empty,
    magnitudes,
    make_empty,
    select,
)

# With exponents from here on, powers of halves other than 0 and 1 overflow or underflow, and roots
# round to a neighbour of 1: 1 + 2^-10 and 1 - 2^-11 are next to 1.
_MANY = 2**21


def exponents(n: ArrayLike) -> Array:
    """Return integers of any type as int32 that give the same powers and roots of halves."""
    integers = np.asarray(n)
    if integers.dtype.kind not in "iu":
        raise TypeError(f"n: expected integers, got {integers.dtype}")
    if integers.dtype.kind == "u":
        most = integers.dtype.type(min(np.iinfo(integers.dtype).max, _MANY + 1))
        integers = np.minimum(integers, most - (integers & 1 ^ 1))
    as_int64 = integers.astype(np.int64)
    return np.asarray((np.clip(as_int64, -_MANY, _MANY) | (as_int64 & 1)).astype(np.int32))


def _apply_monotone(function: hc.Function, x: Bounds, n: Array) -> Bounds:
    """Return the range of a power or root with exponent n.

    For n > 0 the function rises, where n is odd or x >= 0. For n < 0 it falls on each side of a
    pole at 0.
    """
    falls = n < 0
    # Approached from either side, the pole is at a zero of that side's sign.
    low = select(x[0] == ZERO, ZERO, x[0])
    high = select(x[1] == ZERO, -ZERO, x[1])
    least = function.rtn(select(falls, high, low), n)
    greatest = function.rtp(select(falls, low, high), n)
    pole = falls & (low < ZERO) & (high > ZERO)
    empty = is_empty(x) | (falls & (low == ZERO) & (high == ZERO))
    return make_empty(empty, select(pole, -INF, least), select(pole, INF, greatest))


@document(domain="0 drops out of x where n is negative", source="IEEE 1788-2015, 9.1")
def pown(x: Bounds, n: ArrayLike) -> Bounds:
    """Return x to an integer power.

    The power with exponent 0 is 1.

    >>> from halfcl import interval
    >>> interval.pown(interval.Interval(-2, 1), 2)
    Interval('[0, 4]')
    """
    n = exponents(n)
    even = n & 1 == 0
    least, greatest = magnitudes(x)
    return _apply_monotone(
        hc.pown, as_arrays(select(even, least, x[0]), select(even, greatest, x[1])), n
    )


@document(
    domain="negative numbers drop out of x where n is even, 0 where n is negative; "
    "there is no root\nfor n = 0",
    source="IEEE 1788-2015, 10.6.1",
)
def rootn(x: Bounds, n: ArrayLike) -> Bounds:
    """Return the n-th root of x.

    >>> from halfcl import interval
    >>> interval.rootn(interval.Interval(-1, 16), 4)
    Interval('[0, 2]')
    """
    n = exponents(n)
    even = n & 1 == 0
    inside = make_empty((n == 0) | (even & (x[1] < ZERO)), x[0], x[1])
    cut = even & (inside[0] < ZERO)
    return _apply_monotone(hc.rootn, as_arrays(select(cut, ZERO, inside[0]), inside[1]), n)


@document(
    domain="negative numbers drop out of x, and 0 where y is not positive",
    source="IEEE 1788-2015, 9.1",
)
def pow(x: Bounds, y: Bounds) -> Bounds:
    """Return x to the power y.

    >>> from halfcl import interval
    >>> interval.pow(interval.Interval(-1, 4), interval.Interval(0.5, 2))
    Interval('[0, 16]')
    """
    # y log x is bilinear in y and log x, so it has its extrema at corners. For fixed x, powers rise
    # with y if x >= 1. Corners that are only limits are right because 0^0 and inf^0 are 1.
    low = select(x[0] > ZERO, x[0], select(is_empty(x), x[0], ZERO))
    high = x[1]
    rises = low >= ONE, high >= ONE
    least = hc.min(
        hc.pow_rtn(low, select(rises[0], y[0], y[1])),
        hc.pow_rtn(high, select(rises[1], y[0], y[1])),
    )
    greatest = hc.max(
        hc.pow_rtp(low, select(rises[0], y[1], y[0])),
        hc.pow_rtp(high, select(rises[1], y[1], y[0])),
    )
    zero = high == ZERO
    least, greatest = select(zero, ZERO, least), select(zero, ZERO, greatest)
    outside = (high < ZERO) | (zero & (y[1] <= ZERO))
    return make_empty(is_empty(x) | is_empty(y) | outside, least, greatest)


@document(source="IEEE 1788-2015, 10.6.1")
def hypot(x: Bounds, y: Bounds) -> Bounds:
    """Return the square root of x^2 + y^2.

    >>> from halfcl import interval
    >>> interval.hypot(interval.Interval(-3, 2), interval.Interval(1, 4))
    Interval('[1, 5]')
    """
    a, b = magnitudes(x), magnitudes(y)
    return make_empty(is_empty(x) | is_empty(y), hc.hypot_rtn(a[0], b[0]), hc.hypot_rtp(a[1], b[1]))


FUNCTIONS: dict[str, Callable[..., Bounds]] = {
    function.__name__: function for function in (pown, rootn, pow, hypot)
}
