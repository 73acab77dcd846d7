"""Arithmetic of intervals between doubles, in which forms, ranges and roots are computed.

A double has the bits of five halves, and its range exceeds 2^1000 where half ends at 65504, so
rounding here is not visible in half. A bound is the double that IEEE arithmetic gives if that is
exact, else the next one outward. Callers must ignore floating-point exceptions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import HALF, Base, Bounds, Index, Truths

Doubles: TypeAlias = NDArray[np.float64]

_EPSILON, _TINY = 2.0**-52, 2.0**-1000
_LARGEST = np.finfo(np.float64).max


class Wide:
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

    def map(self, function: Callable[..., ArrayLike], *args: object, **keywords: object) -> Wide:
        """Apply a structural function to both bounds."""
        return Wide(function(self.lo, *args, **keywords), function(self.hi, *args, **keywords))

    def __getitem__(self, index: Index) -> Wide:
        return Wide(self.lo[index], self.hi[index])

    def has(self, number: float) -> NDArray[np.bool_]:
        """Return where a number is inside."""
        return np.asarray((self.lo <= number) & (self.hi >= number))

    def interval(self) -> Interval:
        """Return the tightest intervals of halves around these."""
        return Interval.of(halves_around(self.lo, self.hi))


def halves_around(low: Doubles, high: Doubles) -> Bounds:
    """Return the greatest halves below, and the least above."""
    with np.errstate(all="ignore"):
        below = np.asarray(hc.convert(low, HALF, rounding="rtn"))
        above = np.asarray(hc.convert(high, HALF, rounding="rtp"))
    return below.reshape(np.shape(low)), above.reshape(np.shape(high))


def from_bounds(x: Bounds) -> Wide:
    """Return intervals of halves as intervals between doubles."""
    return Wide(hc.convert_double(x[0]), hc.convert_double(x[1]))


def from_number(x: object, argument: str = "f") -> Wide:
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


def _from_rational(x: int | Fraction | Decimal) -> Wide:
    """Return the double that equals a number, or the doubles around it."""
    try:
        nearest = float(x)
        is_exact = math.isfinite(nearest) and Fraction(nearest) == Fraction(x)
    except (OverflowError, ValueError):  # beyond doubles; infinite, or NaN
        return from_bounds(as_bounds(x, "f"))
    return point(nearest) if is_exact else around(nearest)


def point(x: ArrayLike) -> Wide:
    """Return intervals of one number each."""
    return Wide(x, x)


def around(x: float) -> Wide:
    """Return an interval around a constant that is within one ulp of a double."""
    return Wide(np.nextafter(x, -np.inf), np.nextafter(x, np.inf))


def choose(where: Truths, x: Wide, y: Wide) -> Wide:
    """Return intervals from x where the mask is true, else from y."""
    return Wide(np.where(where, x.lo, y.lo), np.where(where, x.hi, y.hi))


ENTIRE, EMPTY, ZERO, ONE = Wide(-np.inf, np.inf), point(np.nan), point(0.0), point(1.0)


def hull(x: Wide, y: Wide) -> Wide:
    """Return the smallest interval around both, of which either may be empty."""
    return Wide(np.fmin(x.lo, y.lo), np.fmax(x.hi, y.hi))


def intersection(x: Wide, y: Wide) -> Wide:
    """Return the numbers in both."""
    result = Wide(np.maximum(x.lo, y.lo), np.minimum(x.hi, y.hi))
    return choose(result.lo <= result.hi, result, EMPTY)


# ---------------------------------------------------------------- exact or outward


def _outward(low: Doubles, high: Doubles, exact: tuple[Truths, Truths]) -> Wide:
    """Return bounds that were rounded to nearest, moved outward by an ulp or two unless exact.

    Inner bounds that overflowed become the greatest double. Results that underflowed are moved
    farther, also where the processor flushes them to zero.
    """
    below, above = np.minimum(low, _LARGEST), np.maximum(high, -_LARGEST)
    return Wide(
        np.where(exact[0], low, below - (np.abs(below) * _EPSILON + _TINY)),
        np.where(exact[1], high, above + (np.abs(above) * _EPSILON + _TINY)),
    )


def _sum_is_exact(a: Doubles, b: Doubles, total: Doubles) -> Truths:
    """Return whether the error of a sum, by Knuth's algorithm, is zero."""
    # Compute in place, because new arrays cost more than sums.
    error = np.asarray(total - a)
    other = np.asarray(total - error)
    np.subtract(a, other, out=other)
    np.subtract(b, error, out=error)
    is_exact: Truths = np.add(error, other, out=error) == 0
    return is_exact


def _is_short(x: Doubles) -> Truths:
    """Return where numbers have so few digits that products of two are exact.

    If a product of two doubles is a half, both have so few: their odd factors divide the half's.
    """
    is_short: Truths = x.astype(np.float32) == x
    return is_short


# ---------------------------------------------------------------- arithmetic


def neg(x: Wide) -> Wide:
    """Return -x."""
    return Wide(-x.hi, -x.lo)


def add(x: Wide, y: Wide) -> Wide:
    """Return x + y."""
    low, high = x.lo + y.lo, x.hi + y.hi
    return _outward(low, high, (_sum_is_exact(x.lo, y.lo, low), _sum_is_exact(x.hi, y.hi, high)))


def sub(x: Wide, y: Wide) -> Wide:
    """Return x - y."""
    return add(x, neg(y))


def _between_corners(
    operation: Callable[[Doubles, Doubles], Doubles],
    x: Wide,
    y: Wide,
    is_exact: Callable[[Doubles, Doubles, Doubles], Truths | bool],
) -> Wide:
    """Return the range of products or quotients, which lies between those of the bounds.

    For bounds, 0 * inf, 0 / 0 and inf / inf are 0, which is among the limits, or next to them.
    is_exact: tests two numbers of few digits and the result.
    """
    firsts, seconds = ([(bound, _is_short(bound)) for bound in (v.lo, v.hi)] for v in (x, y))
    corners = []
    for a, a_is_short in firsts:
        for b, b_is_short in seconds:
            corner = np.asarray(operation(a, b))
            undefined = np.isnan(corner)
            exact = (a_is_short & b_is_short & is_exact(a, b, corner)) | undefined
            corners.append((np.where(undefined, 0.0, corner), exact))
    low = functools.reduce(np.minimum, [corner for corner, _ in corners])
    high = functools.reduce(np.maximum, [corner for corner, _ in corners])
    # A bound is exact only if all equal corners are, since another may have been rounded to it.
    exact_bounds = [
        functools.reduce(np.logical_and, [(corner != bound) | exact for corner, exact in corners])
        for bound in (low, high)
    ]
    result = _restrict_sign(_outward(low, high, (exact_bounds[0], exact_bounds[1])), x, y)
    return choose(x.is_empty | y.is_empty, EMPTY, result)


def _restrict_sign(result: Wide, x: Wide, y: Wide) -> Wide:
    """Keep products or quotients on their side of zero, however small they are."""
    zero = ((x.lo == 0) & (x.hi == 0)) | ((y.lo == 0) & (y.hi == 0))
    positive = (x.lo >= 0) & (y.lo >= 0) | (x.hi <= 0) & (y.hi <= 0) | zero
    negative = (x.lo >= 0) & (y.hi <= 0) | (x.hi <= 0) & (y.lo >= 0) | zero
    return Wide(
        np.where(positive, np.maximum(result.lo, 0.0), result.lo),
        np.where(negative, np.minimum(result.hi, 0.0), result.hi),
    )


def mul(x: Wide, y: Wide) -> Wide:
    """Return x * y."""
    return _between_corners(np.multiply, x, y, lambda a, b, product: True)


def _quotient_is_exact(a: Doubles, b: Doubles, quotient: Doubles) -> Truths:
    result: Truths = _is_short(quotient) & (quotient * b == a)
    return result | np.isinf(quotient) | np.isinf(b)


def div(x: Wide, y: Wide) -> Wide:
    """Return x / y, the range of quotients by the nonzero numbers of y."""
    # Give a zero bound the sign of the side on which the other numbers lie.
    signed = Wide(np.where(y.lo == 0, 0.0, y.lo), np.where(y.hi == 0, -0.0, y.hi))
    result = _between_corners(np.divide, x, signed, _quotient_is_exact)
    across = (y.lo < 0) & (y.hi > 0)
    result = choose(across & ~x.is_empty, choose((x.lo == 0) & (x.hi == 0), ZERO, ENTIRE), result)
    return choose((y.lo == 0) & (y.hi == 0), EMPTY, result)


def recip(x: Wide) -> Wide:
    """Return 1 / x."""
    return div(ONE, x)


def magnitudes(x: Wide) -> Wide:
    """Return the absolute values."""
    low, high = np.abs(x.lo), np.abs(x.hi)
    across = (x.lo < 0) & (x.hi > 0)
    return Wide(np.where(across, 0.0, np.minimum(low, high)), np.maximum(low, high))


def sqr(x: Wide) -> Wide:
    """Return x squared; both factors are the same number of x."""
    size = magnitudes(x)
    exact = _is_short(size.lo), _is_short(size.hi)
    result = _outward(size.lo * size.lo, size.hi * size.hi, exact)
    return Wide(np.maximum(result.lo, 0.0), result.hi)


def sqrt(x: Wide) -> Wide:
    """Return the square roots of the nonnegative part of x."""
    inside = intersection(x, Wide(0.0, np.inf))
    low, high = np.sqrt(inside.lo), np.sqrt(inside.hi)
    exact = (
        _is_short(low) & (low * low == inside.lo),
        _is_short(high) & (high * high == inside.hi),
    )
    result = _outward(low, high, exact)
    return Wide(np.maximum(result.lo, 0.0), result.hi)


def pown(x: Wide, n: int) -> Wide:
    """Return x to an integer power, by squaring magnitudes, so that both factors are equal."""
    if n < 0:
        return recip(pown(x, -n))
    if n == 0:
        return choose(x.is_empty, EMPTY, ONE)
    size = magnitudes(x)
    if n % 2 == 0:
        return _power(size, n)
    low, high = _power(point(np.abs(x.lo)), n), _power(point(np.abs(x.hi)), n)
    return Wide(np.where(x.lo < 0, -low.hi, low.lo), np.where(x.hi < 0, -high.lo, high.hi))


def _power(x: Wide, n: int) -> Wide:
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


def minimum(x: Wide, y: Wide) -> Wide:
    """Return the lesser of two."""
    return Wide(np.minimum(x.lo, y.lo), np.minimum(x.hi, y.hi))


def maximum(x: Wide, y: Wide) -> Wide:
    """Return the greater of two."""
    return Wide(np.maximum(x.lo, y.lo), np.maximum(x.hi, y.hi))
