"""Arithmetic of intervals between doubles, in which forms, ranges and roots are computed.

A double has the bits of five halves, and its range exceeds 2^1000 where half ends at 65504, so
rounding here is not visible in half. The processor rounds each bound outward (`round_outward`), so
exact bounds stay exact, and others are the next double. Callers must ignore floating-point
exceptions, and keep subnormals (`DefaultEnvironment`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl._core import DefaultEnvironment, round_outward
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import HALF, Base, Bounds, Index, Truths

Doubles: TypeAlias = NDArray[np.float64]


class DoubleInterval:
    """Closed intervals between doubles; NaN for both bounds where there is no number.

    A lower bound is never +inf, an upper one never -inf.
    """

    __slots__ = ("hi", "lo")

    def __init__(self, lo: ArrayLike, hi: ArrayLike) -> None:
        self.lo: Doubles = np.asarray(lo, np.float64)
        self.hi: Doubles = np.asarray(hi, np.float64)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as of an array."""
        return self.lo.shape

    @property
    def is_empty(self) -> NDArray[np.bool_]:
        """A mask of where there is no number."""
        return np.isnan(self.lo)

    def map(
        self, function: Callable[..., ArrayLike], *args: object, **keywords: object
    ) -> DoubleInterval:
        """Apply a structural function to both bounds."""
        return DoubleInterval(
            function(self.lo, *args, **keywords), function(self.hi, *args, **keywords)
        )

    def __getitem__(self, index: Index) -> DoubleInterval:
        return DoubleInterval(self.lo[index], self.hi[index])

    def has(self, number: float) -> NDArray[np.bool_]:
        """Return where a number is inside."""
        return np.asarray((self.lo <= number) & (self.hi >= number))

    def interval(self) -> Interval:
        """Return the tightest intervals of halves around these."""
        return Interval.of(halves_around(self.lo, self.hi))


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
        is_exact = math.isfinite(nearest) and Fraction(nearest) == Fraction(x)
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


def choose(where: Truths, x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return intervals from x where the mask is true, else from y."""
    return DoubleInterval(np.where(where, x.lo, y.lo), np.where(where, x.hi, y.hi))


ENTIRE, EMPTY, ZERO, ONE = DoubleInterval(-np.inf, np.inf), point(np.nan), point(0.0), point(1.0)


def hull(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return the smallest interval around both, of which either may be empty."""
    return DoubleInterval(np.fmin(x.lo, y.lo), np.fmax(x.hi, y.hi))


def intersection(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return the numbers in both."""
    result = DoubleInterval(np.maximum(x.lo, y.lo), np.minimum(x.hi, y.hi))
    return choose(result.lo <= result.hi, result, EMPTY)


# ---------------------------------------------------------------- arithmetic


def neg(x: DoubleInterval) -> DoubleInterval:
    """Return -x."""
    return DoubleInterval(-x.hi, -x.lo)


def add(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return x + y."""
    return DoubleInterval(*round_outward(np.add, (x.lo, y.lo), (x.hi, y.hi)))


def sub(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return x - y."""
    return DoubleInterval(*round_outward(np.subtract, (x.lo, y.hi), (x.hi, y.lo)))


if not add(ONE, point(2.0**-99)).hi > 1:
    raise ImportError("halfcl.interval: expected a processor that rounds doubles up, got another")


def _is_point(x: DoubleInterval) -> bool:
    """Return whether all intervals are points."""
    if x.lo is x.hi:
        return True
    if x.lo.size and x.hi.size and x.lo.item(0) != x.hi.item(0):  # as most arrays begin
        return False
    return bool((x.lo == x.hi).all())


def _hull_of_corners(
    operation: np.ufunc, x: DoubleInterval, y: DoubleInterval, least: np.ufunc, greatest: np.ufunc
) -> DoubleInterval:
    """Return the hull of an operation's results for the bounds."""
    firsts = (x.lo,) if _is_point(x) else (x.lo, x.hi)
    seconds = (y.lo,) if _is_point(y) else (y.lo, y.hi)
    (first, *others) = [(a, b) for a in firsts for b in seconds]
    low, high = (np.asarray(bound) for bound in round_outward(operation, first, first))
    for corner in others:  # one after the other and in place: new memory costs more than products
        below, above = round_outward(operation, corner, corner)
        least(low, below, out=low)
        greatest(high, above, out=high)
    return DoubleInterval(low, high)


def _range_of_corners(operation: np.ufunc, x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return the range of products or quotients, which lies between those of the bounds.

    For bounds, 0 * inf, 0 / 0 and inf / inf are 0, which is among the limits, or next to them.
    """
    result = _hull_of_corners(operation, x, y, np.minimum, np.maximum)
    undefined = result.is_empty
    if not undefined.any() or not (undefined := undefined & ~(x.is_empty | y.is_empty)).any():
        return result
    others = _hull_of_corners(operation, x, y, np.fmin, np.fmax)
    return choose(undefined, hull(others, ZERO), result)


def mul(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return x * y."""
    return _range_of_corners(np.multiply, x, y)


def div(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return x / y, the range of quotients by the nonzero numbers of y."""
    if not ((y.lo <= 0) & (y.hi >= 0)).any():
        return _range_of_corners(np.divide, x, y)
    # Give a zero bound the sign of the side on which the other numbers lie.
    signed = DoubleInterval(np.where(y.lo == 0, 0.0, y.lo), np.where(y.hi == 0, -0.0, y.hi))
    result = _range_of_corners(np.divide, x, signed)
    across = (y.lo < 0) & (y.hi > 0)
    result = choose(across & ~x.is_empty, choose((x.lo == 0) & (x.hi == 0), ZERO, ENTIRE), result)
    return choose((y.lo == 0) & (y.hi == 0), EMPTY, result)


def recip(x: DoubleInterval) -> DoubleInterval:
    """Return 1 / x."""
    return div(ONE, x)


def magnitudes(x: DoubleInterval) -> DoubleInterval:
    """Return the absolute values."""
    low, high = np.abs(x.lo), np.abs(x.hi)
    across = (x.lo < 0) & (x.hi > 0)
    return DoubleInterval(np.where(across, 0.0, np.minimum(low, high)), np.maximum(low, high))


def sqr(x: DoubleInterval) -> DoubleInterval:
    """Return x squared; both factors are the same number of x."""
    size = x if _is_point(x) else magnitudes(x)
    return DoubleInterval(*round_outward(np.multiply, (size.lo, size.lo), (size.hi, size.hi)))


def sqrt(x: DoubleInterval) -> DoubleInterval:
    """Return the square roots of the nonnegative part of x."""
    inside = x if (x.lo >= 0).all() else intersection(x, DoubleInterval(0.0, np.inf))
    return DoubleInterval(*round_outward(np.sqrt, (inside.lo,), (inside.hi,)))


def pown(x: DoubleInterval, n: int) -> DoubleInterval:
    """Return x to an integer power, by squaring magnitudes, so that both factors are equal."""
    if n < 0:
        return recip(pown(x, -n))
    if n == 0:
        return choose(x.is_empty, EMPTY, ONE)
    size = magnitudes(x)
    if n % 2 == 0:
        return _power(size, n)
    low, high = _power(point(np.abs(x.lo)), n), _power(point(np.abs(x.hi)), n)
    return DoubleInterval(
        np.where(x.lo < 0, -low.hi, low.lo), np.where(x.hi < 0, -high.lo, high.hi)
    )


def _power(x: DoubleInterval, n: int) -> DoubleInterval:
    """Return x to the power n > 0, for x without negative numbers."""
    result, square = None, x
    while True:
        if n & 1:
            result = square if result is None else mul(result, square)
        n >>= 1
        if not n:
            break
        square = sqr(square)
    assert result is not None
    return result


def minimum(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return the lesser of two."""
    return DoubleInterval(np.minimum(x.lo, y.lo), np.minimum(x.hi, y.hi))


def maximum(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return the greater of two."""
    return DoubleInterval(np.maximum(x.lo, y.lo), np.maximum(x.hi, y.hi))
