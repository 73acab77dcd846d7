"""Arithmetic of intervals between doubles, in which forms, ranges and roots are computed.

A double has the bits of five halves, and its range exceeds 2^1000 where half ends at 65504, so
rounding here is not visible in half. The engine rounds each bound outward, so exact bounds stay
exact, and others are the next double. Code that computes with bounds by NumPy must ignore
floating-point exceptions, and keep subnormals (`DefaultEnvironment`).
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl import _core
from halfcl._core import DefaultEnvironment, DoubleInterval as DoubleInterval
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import HALF, Base, Bounds

Doubles: TypeAlias = NDArray[np.float64]


#: Arithmetic; operands are points, intervals or arrays of them, whose shapes broadcast.
add, sub = _core.add_intervals, _core.subtract_intervals
mul, div = _core.multiply_intervals, _core.divide_intervals
neg, magnitudes = _core.negate_intervals, _core.magnitudes_of_intervals
sqr, sqrt = _core.square_intervals, _core.sqrt_of_intervals
minimum, maximum = _core.minimum_of_intervals, _core.maximum_of_intervals
intersection, hull = _core.intersect_intervals, _core.hull_of_intervals
choose, flip, factors = _core.choose_intervals, _core.flip_intervals, _core.factors_of_intervals

#: Halves around doubles, as numbers and by their ranks.
ranks_below, lower_by_ranks = _core.ranks_below, _core.lower_by_ranks
#: Where to cut intervals, and their middles.
cut_points, middles = _core.cut_points, _core.middles_of_intervals
#: A mask of where two intervals both contain zero.
shared_zeros = _core.shared_zeros


def interval_of(x: DoubleInterval) -> Interval:
    """Return the tightest intervals of halves around intervals between doubles."""
    return Interval.of(halves_around(x.lo, x.hi))


def halves_around(low: Doubles, high: Doubles) -> Bounds:
    """Return the greatest halves below, and the least above; bounds of -0 become +0."""
    with np.errstate(all="ignore"), DefaultEnvironment():
        below = np.asarray(hc.convert(low + 0.0, HALF, rounding="rtn"))
        above = np.asarray(hc.convert(high + 0.0, HALF, rounding="rtp"))
    return below.reshape(np.shape(low)), above.reshape(np.shape(high))


def from_bounds(x: Bounds) -> DoubleInterval:
    """Return intervals of halves as intervals between doubles."""
    return DoubleInterval(hc.convert_double(x[0]), hc.convert_double(x[1]))


def from_number(x: object, argument: str = "f") -> DoubleInterval:
    """Return the tightest interval of numbers; intervals, halves and doubles are exact."""
    if isinstance(x, Base):
        return from_bounds(as_bounds(x))
    if isinstance(x, np.integer):
        x = int(x)
    if isinstance(x, int | Fraction | Decimal):
        return _from_rational(x)
    array = np.asarray(x)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8 and np.isfinite(array).all():
        return point(np.asarray(array, np.float64))
    return from_bounds(as_bounds(x, argument))


def _from_rational(x: int | Fraction | Decimal) -> DoubleInterval:
    """Return the double that equals a number, or the doubles around it."""
    try:
        nearest = float(x)
        exact = x if isinstance(x, int) else Fraction(x)
        is_exact = math.isfinite(nearest) and exact == nearest
    except (OverflowError, ValueError):  # beyond doubles; infinite, or NaN
        return from_bounds(as_bounds(x, "f"))
    return point(nearest) if is_exact else around(nearest)


def point(x: ArrayLike) -> DoubleInterval:
    """Return intervals of one number each."""
    number = np.asarray(x, np.float64)
    return DoubleInterval(number, number)


def around(x: float) -> DoubleInterval:
    """Return an interval around a constant that is within one ulp of a double."""
    return DoubleInterval(np.nextafter(x, -np.inf), np.nextafter(x, np.inf))


#: An even exponent beyond which the powers of no double but 0 and 1 are in the range of doubles.
_GREATEST = 2**63

ENTIRE, EMPTY, ZERO = DoubleInterval(-np.inf, np.inf), point(np.nan), point(0.0)
ONE, MINUS_ONE = point(1.0), point(-1.0)


if not add(ONE, point(2.0**-99)).hi > 1:
    raise ImportError("halfcl.interval: expected a processor that rounds doubles up, got another")


def recip(x: DoubleInterval) -> DoubleInterval:
    """Return 1 / x."""
    return div(ONE, x)


def pown(x: DoubleInterval, n: int) -> DoubleInterval:
    """Return x to an integer power, by squaring magnitudes, so that both factors are equal."""
    if n < 0:
        return recip(pown(x, -n))
    if n == 0:
        return choose(x.is_empty, EMPTY, ONE)
    return _core.power_of_intervals(x, min(n, _GREATEST + n % 2))
