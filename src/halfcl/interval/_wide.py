"""Arithmetic of intervals between doubles: what forms, ranges and roots are computed in.

A double has the bits of five halves, and 2^1000 where half ends at 65504: what is rounded here is
not seen in half. A bound is the double that IEEE arithmetic gives, if that is exact, else one
next to it, outward. It is for those who call to ignore floating-point exceptions.
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
from halfcl.interval._array import Interval
from halfcl.interval._bounds import HALF, Base, Bounds, Index, Truths
from halfcl.interval._values import as_bounds

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
        """As of an array."""
        return self.lo.shape

    @property
    def is_empty(self) -> NDArray[np.bool_]:
        """Where there is no number."""
        return np.isnan(self.lo)

    def map(self, function: Callable[..., ArrayLike], *args: object, **keywords: object) -> Wide:
        """What a function that moves elements does with both bounds."""
        return Wide(function(self.lo, *args, **keywords), function(self.hi, *args, **keywords))

    def __getitem__(self, index: Index) -> Wide:
        return Wide(self.lo[index], self.hi[index])

    def has(self, number: float) -> NDArray[np.bool_]:
        """Where a number is inside."""
        return np.asarray((self.lo <= number) & (self.hi >= number))

    def interval(self) -> Interval:
        """The tightest intervals of halves around them."""
        return Interval.of(halves_around(self.lo, self.hi))


def halves_around(low: Doubles, high: Doubles) -> Bounds:
    """The greatest halves below, and the least above."""
    with np.errstate(all="ignore"):
        below = np.asarray(hc.convert(low, HALF, rounding="rtn"))
        above = np.asarray(hc.convert(high, HALF, rounding="rtp"))
    return below.reshape(np.shape(low)), above.reshape(np.shape(high))


def of_bounds(x: Bounds) -> Wide:
    """The same intervals."""
    return Wide(hc.convert_double(x[0]), hc.convert_double(x[1]))


def of_number(x: object, argument: str = "f") -> Wide:
    """Of intervals, halves and doubles the same; of other numbers what encloses them."""
    if isinstance(x, Base):
        return of_bounds(as_bounds(x))
    if isinstance(x, np.integer):
        x = int(x)
    if isinstance(x, int | Fraction | Decimal):
        return _of_rational(x)
    array = np.asarray(x)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8 and np.isfinite(array).all():
        return point(np.asarray(array, np.float64))
    return of_bounds(as_bounds(x, argument))


def _of_rational(x: int | Fraction | Decimal) -> Wide:
    """The double that it is, or those beside."""
    try:
        nearest = float(x)
        is_exact = math.isfinite(nearest) and Fraction(nearest) == Fraction(x)
    except (OverflowError, ValueError):  # beyond doubles; infinite, or NaN
        return of_bounds(as_bounds(x, "f"))
    return point(nearest) if is_exact else around(nearest)


def point(x: ArrayLike) -> Wide:
    """Of one number each."""
    return Wide(x, x)


def around(x: float) -> Wide:
    """A constant that a double is next to."""
    return Wide(np.nextafter(x, -np.inf), np.nextafter(x, np.inf))


def choose(where: Truths, x: Wide, y: Wide) -> Wide:
    """Of x where told to, else of y."""
    return Wide(np.where(where, x.lo, y.lo), np.where(where, x.hi, y.hi))


ENTIRE, EMPTY, ZERO, ONE = Wide(-np.inf, np.inf), point(np.nan), point(0.0), point(1.0)


def hull(x: Wide, y: Wide) -> Wide:
    """The least around both, of which either may be empty."""
    return Wide(np.fmin(x.lo, y.lo), np.fmax(x.hi, y.hi))


def intersection(x: Wide, y: Wide) -> Wide:
    """The numbers in both."""
    found = Wide(np.maximum(x.lo, y.lo), np.minimum(x.hi, y.hi))
    return choose(found.lo <= found.hi, found, EMPTY)


# ---------------------------------------------------------------- exact or outward


def _outward(low: Doubles, high: Doubles, exact: tuple[Truths, Truths]) -> Wide:
    """Bounds that were rounded to nearest, unless they are exact: moved outward by an ulp or two.

    What overflowed becomes the greatest double, if it is the inner bound. What underflowed is moved
    farther, also where the processor flushes it to zero.
    """
    below, above = np.minimum(low, _LARGEST), np.maximum(high, -_LARGEST)
    return Wide(
        np.where(exact[0], low, below - (np.abs(below) * _EPSILON + _TINY)),
        np.where(exact[1], high, above + (np.abs(above) * _EPSILON + _TINY)),
    )


def _sum_is_exact(a: Doubles, b: Doubles, total: Doubles) -> Truths:
    """Whether Knuth's rest of a sum is zero."""
    # In place: new arrays cost more than their sums.
    rest = np.asarray(total - a)
    other = np.asarray(total - rest)
    np.subtract(a, other, out=other)
    np.subtract(b, rest, out=rest)
    is_exact: Truths = np.add(rest, other, out=rest) == 0
    return is_exact


def _is_short(x: Doubles) -> Truths:
    """Where numbers have so few digits that products of two are exact.

    A half that is the product of two doubles is that of two such: so are its odd factors.
    """
    is_short: Truths = x.astype(np.float32) == x
    return is_short


# ---------------------------------------------------------------- arithmetic


def neg(x: Wide) -> Wide:
    """-x."""
    return Wide(-x.hi, -x.lo)


def add(x: Wide, y: Wide) -> Wide:
    """x + y."""
    low, high = x.lo + y.lo, x.hi + y.hi
    return _outward(low, high, (_sum_is_exact(x.lo, y.lo, low), _sum_is_exact(x.hi, y.hi, high)))


def sub(x: Wide, y: Wide) -> Wide:
    """x - y."""
    return add(x, neg(y))


def _between_corners(
    operation: Callable[[Doubles, Doubles], Doubles],
    x: Wide,
    y: Wide,
    is_exact: Callable[[Doubles, Doubles, Doubles], Truths | bool],
) -> Wide:
    """The range of products or quotients: between those of the bounds.

    Of bounds 0 * inf, 0 / 0 and inf / inf are 0, which is among the limits, or beside them.
    is_exact: of two numbers of few digits, and the result.
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
    # Exact, if all corners there are: another one may have been rounded to it.
    exact_bounds = [
        functools.reduce(np.logical_and, [(corner != bound) | exact for corner, exact in corners])
        for bound in (low, high)
    ]
    found = _signed(_outward(low, high, (exact_bounds[0], exact_bounds[1])), x, y)
    return choose(x.is_empty | y.is_empty, EMPTY, found)


def _signed(found: Wide, x: Wide, y: Wide) -> Wide:
    """Products or quotients, on the side of zero where they are, however small."""
    zero = ((x.lo == 0) & (x.hi == 0)) | ((y.lo == 0) & (y.hi == 0))
    positive = (x.lo >= 0) & (y.lo >= 0) | (x.hi <= 0) & (y.hi <= 0) | zero
    negative = (x.lo >= 0) & (y.hi <= 0) | (x.hi <= 0) & (y.lo >= 0) | zero
    return Wide(
        np.where(positive, np.maximum(found.lo, 0.0), found.lo),
        np.where(negative, np.minimum(found.hi, 0.0), found.hi),
    )


def mul(x: Wide, y: Wide) -> Wide:
    """x * y."""
    return _between_corners(np.multiply, x, y, lambda a, b, product: True)


def _quotient_is_exact(a: Doubles, b: Doubles, quotient: Doubles) -> Truths:
    found: Truths = _is_short(quotient) & (quotient * b == a)
    return found | np.isinf(quotient) | np.isinf(b)


def div(x: Wide, y: Wide) -> Wide:
    """x / y: the range of quotients; of y the numbers but zero."""
    # A zero bound has the sign of the side that the others are on.
    signed = Wide(np.where(y.lo == 0, 0.0, y.lo), np.where(y.hi == 0, -0.0, y.hi))
    found = _between_corners(np.divide, x, signed, _quotient_is_exact)
    across = (y.lo < 0) & (y.hi > 0)
    found = choose(across & ~x.is_empty, choose((x.lo == 0) & (x.hi == 0), ZERO, ENTIRE), found)
    return choose((y.lo == 0) & (y.hi == 0), EMPTY, found)


def recip(x: Wide) -> Wide:
    """1 / x."""
    return div(ONE, x)


def magnitudes(x: Wide) -> Wide:
    """The absolute values."""
    low, high = np.abs(x.lo), np.abs(x.hi)
    across = (x.lo < 0) & (x.hi > 0)
    return Wide(np.where(across, 0.0, np.minimum(low, high)), np.maximum(low, high))


def sqr(x: Wide) -> Wide:
    """x squared: of one number, not of two out of x."""
    size = magnitudes(x)
    exact = _is_short(size.lo), _is_short(size.hi)
    found = _outward(size.lo * size.lo, size.hi * size.hi, exact)
    return Wide(np.maximum(found.lo, 0.0), found.hi)


def sqrt(x: Wide) -> Wide:
    """Square roots of what of x is not negative."""
    inside = intersection(x, Wide(0.0, np.inf))
    low, high = np.sqrt(inside.lo), np.sqrt(inside.hi)
    exact = (
        _is_short(low) & (low * low == inside.lo),
        _is_short(high) & (high * high == inside.hi),
    )
    found = _outward(low, high, exact)
    return Wide(np.maximum(found.lo, 0.0), found.hi)


def pown(x: Wide, n: int) -> Wide:
    """x to an integer power: of magnitudes, by squaring, so that no number is taken for two."""
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
    """Of x with no negative number, n > 0."""
    found, square = None, x
    while True:
        if n & 1:
            found = square if found is None else mul(found, square)
        n >>= 1
        if not n:
            break
        square = sqr(square)
    assert found is not None
    return found


def minimum(x: Wide, y: Wide) -> Wide:
    """The lesser of two."""
    return Wide(np.minimum(x.lo, y.lo), np.minimum(x.hi, y.hi))


def maximum(x: Wide, y: Wide) -> Wide:
    """The greater of two."""
    return Wide(np.maximum(x.lo, y.lo), np.maximum(x.hi, y.hi))
