"""Enclosures of doubles: so narrow that they tell what is outside of a domain.

Sums, products, quotients and square roots are rounded outward to doubles, of which exact ones
are noticed; the other functions are `halfcl.interval`'s, of bounds rounded outward to halves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval import Interval
from halfcl.interval._bounds import Truths
from halfcl.interval._wide import (
    Doubles,
    Wide as Wide,
    choose as choose,
    hull as hull,
    magnitudes as magnitudes,
    maximum as maximum,
    minimum as minimum,
    neg as neg,
)

#: One axis, or several; all if None.
Axis: TypeAlias = int | tuple[int, ...] | None

_LARGEST_HALF = 65504.0
#: Between these the rest of a product is a double, too.
_LEAST_PRODUCT, _GREATEST_FACTOR = 2.0**-900, 2.0**500
#: 2^27 + 1, which cuts a double into two halves of its digits.
_SPLITTER = 134217729.0
_EPSILON = 2.0**-52
_LARGEST = np.finfo(np.float64).max


def of_interval(x: Interval) -> Wide:
    """The same intervals."""
    return Wide(hc.convert_double(x._lo), hc.convert_double(x._hi))


def given(x: object) -> Wide:
    """Halves or numbers that are taken for exact; of an infinity what overflows, of NaN none."""
    if isinstance(x, int) and abs(x) > 1 << 53:
        if abs(x) > 1 << 1000:
            x = float("inf") if x > 0 else -float("inf")
        else:
            return Wide(np.nextafter(float(x), -np.inf), np.nextafter(float(x), np.inf))
    numbers = np.asarray(x)
    if numbers.dtype.kind == "f":
        numbers = hc.convert_double(numbers)
    low = np.array(numbers, np.float64)
    high = low.copy()
    if np.isinf(low).any():
        low = np.where(low == np.inf, _LARGEST_HALF, low)
        high = np.where(high == -np.inf, -_LARGEST_HALF, high)
    return Wide(low, high)


def entire(shape: tuple[int, ...]) -> Wide:
    """All numbers."""
    return Wide(np.full(shape, -np.inf), np.full(shape, np.inf))


def part(x: Wide, low: float, high: float) -> Wide:
    """What of x is between two numbers."""
    found = Wide(np.maximum(x.lo, low), np.minimum(x.hi, high))
    return choose(found.lo <= found.hi, found, Wide(np.nan, np.nan))


# ---------------------------------------------------------------- exact or outward


def _outward(low: Doubles, high: Doubles) -> Wide:
    """Sums, products and the like, rounded to nearest and no subnormal: moved by an ulp or two."""
    bounds = []
    for bound, limit, way in ((low, np.minimum, 1.0), (high, np.maximum, -1.0)):
        inner = np.asarray(limit(bound, way * _LARGEST))  # of what overflows
        move = np.asarray(np.abs(inner))
        np.multiply(move, way * _EPSILON, out=move)
        bounds.append(np.subtract(inner, move, out=inner))
    return Wide(*bounds)


def _point(x: Doubles, is_exact: Truths | bool) -> Wide:
    """The result of points: itself where it is exact, else moved to the doubles beside."""
    if np.all(is_exact):
        return Wide(x, x.copy())
    return Wide(
        np.where(is_exact, x, np.nextafter(x, -np.inf)),
        np.where(is_exact, x, np.nextafter(x, np.inf)),
    )


def _where_points(
    operands: tuple[Wide, ...], of_points: Callable[[], Wide], of_others: Callable[[], Wide]
) -> Wide:
    """What is computed of points where all operands are some, else the other."""
    points = np.asarray(functools.reduce(np.logical_and, [x.lo == x.hi for x in operands]))
    if points.all():
        return of_points()
    return choose(points, of_points(), of_others()) if points.any() else of_others()


def _sum_is_exact(a: Doubles, b: Doubles, total: Doubles) -> Truths:
    """Knuth's rest of a sum is zero."""
    # In place: new arrays of this size cost more than their sums.
    rest = np.asarray(total - a)
    other = np.asarray(total - rest)
    np.subtract(a, other, out=other)
    np.subtract(b, rest, out=rest)
    is_exact: Truths = np.add(rest, other, out=rest) == 0
    return is_exact


def _are_short(x: Doubles) -> bool:
    """Whether they have so few digits that products of two are exact."""
    return bool(np.all(x.astype(np.float32) == x))


def _split(a: Doubles) -> tuple[Doubles, Doubles]:
    cut = _SPLITTER * a
    high = cut - (cut - a)
    return high, a - high


def _product_is_exact(a: Doubles, b: Doubles, product: Doubles) -> Truths | bool:
    """Dekker's rest of a product is zero, where that is a double; or a factor is."""
    if _are_short(a) and _are_short(b):
        return True
    (a1, a0), (b1, b0) = _split(a), _split(b)
    rest = np.asarray(a1 * b1 - product)
    for one, other in ((a1, b0), (a0, b1), (a0, b0)):
        np.add(rest, one * other, out=rest)
    tells = (np.abs(product) > _LEAST_PRODUCT) & (np.abs(a) < _GREATEST_FACTOR)
    tells &= np.abs(b) < _GREATEST_FACTOR
    is_exact: Truths = (tells & (rest == 0)) | (a == 0) | (b == 0)
    return is_exact


def _times(a: Doubles, b: Doubles) -> Doubles:
    """Products, of which zero times infinity is zero, as of bounds."""
    product = np.asarray(a * b)
    undefined = np.isnan(product)
    if undefined.any():
        return np.where(undefined & ~np.isnan(a) & ~np.isnan(b), 0.0, product)
    return product


def _over(a: Doubles, b: Doubles) -> Doubles:
    """Quotients, of which infinity over infinity is one of those between: zero."""
    quotient = np.asarray(a / b)
    return np.where(np.isinf(a) & np.isinf(b), 0.0, quotient)


def _range(operation: Callable[[Doubles, Doubles], Doubles], x: Wide, y: Wide) -> Wide:
    """The range of products or quotients: between those of the bounds."""
    corners = [operation(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    low, high = functools.reduce(np.minimum, corners), functools.reduce(np.maximum, corners)
    small_low, small_high = np.abs(low) < _LEAST_PRODUCT, np.abs(high) < _LEAST_PRODUCT
    if not (small_low.any() or small_high.any()):
        return _outward(low, high)
    # They may have been rounded to a subnormal, or to zero; but keep their signs.
    found = _outward(
        np.where(small_low, low - _LEAST_PRODUCT, low),
        np.where(small_high, high + _LEAST_PRODUCT, high),
    )
    above, below = (x.lo >= 0, y.lo >= 0), (x.hi <= 0, y.hi <= 0)
    positive = (above[0] & above[1]) | (below[0] & below[1])
    negative = (above[0] & below[1]) | (below[0] & above[1])
    return Wide(
        np.where(positive, np.maximum(found.lo, 0.0), found.lo),
        np.where(negative, np.minimum(found.hi, 0.0), found.hi),
    )


# ---------------------------------------------------------------- arithmetic


def add(x: Wide, y: Wide) -> Wide:
    """x + y."""
    low, high = x.lo + y.lo, x.hi + y.hi
    return _where_points(
        (x, y),
        lambda: _point(low, _sum_is_exact(x.lo, y.lo, low)),
        lambda: _outward(low, high),
    )


def sub(x: Wide, y: Wide) -> Wide:
    """x - y."""
    return add(x, neg(y))


def mul(x: Wide, y: Wide) -> Wide:
    """x * y."""

    def of_points() -> Wide:
        product = np.asarray(x.lo * y.lo)
        return _point(product, _product_is_exact(x.lo, y.lo, product))

    return _where_points((x, y), of_points, lambda: _range(_times, x, y))


def sqr(x: Wide) -> Wide:
    """x squared: of one number, not of two out of x."""
    size = x if np.array_equal(x.lo, x.hi) else magnitudes(x)
    found = mul(size, size)
    return Wide(np.maximum(found.lo, 0.0), found.hi)


def div(x: Wide, y: Wide) -> Wide:
    """x / y; where y has zero in it, in halves."""

    def of_points() -> Wide:
        quotient = np.asarray(x.lo / y.lo)
        product = np.asarray(quotient * y.lo)
        return _point(quotient, (product == x.lo) & _product_is_exact(quotient, y.lo, product))

    found = _where_points((x, y), of_points, lambda: _range(_over, x, y))
    with_zero = (y.lo <= 0) & (y.hi >= 0)
    if not with_zero.any():
        return found
    return choose(with_zero, of_interval(x.interval() / y.interval()), found)


def sqrt(x: Wide) -> Wide:
    """Square roots of what of x is not negative."""
    inside = part(x, 0.0, np.inf)
    low, high = np.sqrt(inside.lo), np.sqrt(inside.hi)

    def of_points() -> Wide:
        square = np.asarray(low * low)
        return _point(low, (square == inside.lo) & _product_is_exact(low, low, square))

    return _where_points((inside,), of_points, lambda: _outward(low, high))


# ---------------------------------------------------------------- sums


def _error_of_sum(terms: Doubles, axis: Axis) -> Doubles:
    """What a sum of doubles, in any order, is off by at most."""
    size = np.sum(np.abs(terms), axis=axis, keepdims=True)
    return np.asarray(size * ((terms.size // max(size.size, 1) + 2) * _EPSILON))


def _sum_steps_are_exact(terms: Doubles, axis: Axis) -> NDArray[np.bool_]:
    """Whether each sum of points is exact, in any order: halves, or products of two, that are few
    or small."""
    size = np.sum(np.abs(terms), axis=axis, keepdims=True)
    exact = np.zeros(size.shape, np.bool)
    for unit in (2.0**24, 2.0**48):
        whole = np.all(terms * unit == np.rint(terms * unit), axis=axis, keepdims=True)
        exact |= whole & (size * unit < 2.0**52)
        if exact.all():
            break
    return exact


def sum(x: Wide, axis: Axis = None, keepdims: bool = False) -> Wide:
    """Sums along axes."""
    low, high = (np.sum(terms, axis=axis, keepdims=True) for terms in (x.lo, x.hi))
    points = np.all(x.lo == x.hi, axis=axis, keepdims=True)
    exact = points & _sum_steps_are_exact(x.lo, axis) if points.any() else points
    found = _outward(low - _error_of_sum(x.lo, axis), high + _error_of_sum(x.hi, axis))
    found = choose(exact, Wide(low, high), found)
    return found if keepdims else found.map(_without, axis)


def _without(x: Doubles, axis: Axis) -> Doubles:
    return x.reshape(()) if axis is None else np.squeeze(x, axis)


def dot(x: Wide, y: Wide) -> Wide:
    """Sums of products along the last axis."""
    return sum(mul(x, y), axis=-1)


#: How many products matmul keeps at a time.
_BLOCK = 1 << 20


def matmul(x: Wide, y: Wide) -> Wide:
    """numpy.matmul of arrays of one or two dimensions."""
    if x.lo.ndim > 2 or y.lo.ndim > 2 or not x.lo.ndim or not y.lo.ndim:
        raise ValueError("expected one or two dimensions")
    if y.lo.ndim == 1:
        return dot(x, y)
    columns = y.map(np.transpose)
    if x.lo.ndim == 1:
        return dot(x, columns)
    rows = max(1, _BLOCK // max(1, columns.lo.size))
    blocks = [dot(x[at : at + rows, None], columns[None]) for at in range(0, len(x.lo), rows)]
    if not blocks:
        return x.map(np.matmul, y.lo)
    return Wide(np.concatenate([b.lo for b in blocks]), np.concatenate([b.hi for b in blocks]))
