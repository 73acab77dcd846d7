"""Enclosures between doubles, narrow enough to decide what is outside a domain.

Sums, products, quotients and square roots are rounded outward to doubles unless they are exact.
The other functions are `halfcl.interval`'s, on bounds rounded outward to halves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval import Interval
from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas.doubles import (
    Doubles,
    Wide as Wide,
    choose as choose,
    hull as hull,
    magnitudes as magnitudes,
    maximum as maximum,
    minimum as minimum,
    neg as neg,
)

#: One axis or several; None means all.
Axis: TypeAlias = int | tuple[int, ...] | None

_LARGEST_HALF = 65504.0
#: Limits between which the error of a product is a double, too.
_LEAST_PRODUCT, _GREATEST_FACTOR = 2.0**-900, 2.0**500
#: 2^27 + 1, which splits a double into two halves of its digits.
_SPLITTER = 134217729.0
_EPSILON = 2.0**-52
_LARGEST = np.finfo(np.float64).max


def from_interval(x: Interval) -> Wide:
    """Return intervals of halves as enclosures."""
    return Wide(hc.convert_double(x._lo), hc.convert_double(x._hi))


def from_exact(x: object) -> Wide:
    """Return points for exact numbers, all overflowing numbers for infinity, none for NaN."""
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
    """Return enclosures of all numbers."""
    return Wide(np.full(shape, -np.inf), np.full(shape, np.inf))


def restrict(x: Wide, low: float, high: float) -> Wide:
    """Return the part of x between two numbers."""
    result = Wide(np.maximum(x.lo, low), np.minimum(x.hi, high))
    return choose(result.lo <= result.hi, result, Wide(np.nan, np.nan))


# ---------------------------------------------------------------- exact or outward


def _outward(low: Doubles, high: Doubles) -> Wide:
    """Return normal results that were rounded to nearest, moved outward by an ulp or two."""
    bounds = []
    for bound, limit, way in ((low, np.minimum, 1.0), (high, np.maximum, -1.0)):
        inner = np.asarray(limit(bound, way * _LARGEST))  # finite inner bounds after overflow
        move = np.asarray(np.abs(inner))
        np.multiply(move, way * _EPSILON, out=move)
        bounds.append(np.subtract(inner, move, out=inner))
    return Wide(*bounds)


def _point(x: Doubles, is_exact: Truths | bool) -> Wide:
    """Return the result of points: a point where it is exact, else the doubles on either side."""
    if np.all(is_exact):
        return Wide(x, x.copy())
    return Wide(
        np.where(is_exact, x, np.nextafter(x, -np.inf)),
        np.where(is_exact, x, np.nextafter(x, np.inf)),
    )


def _select_points(
    operands: tuple[Wide, ...], point_result: Callable[[], Wide], other_result: Callable[[], Wide]
) -> Wide:
    """Return one result where all operands are points, else the other."""
    points = np.asarray(functools.reduce(np.logical_and, [x.lo == x.hi for x in operands]))
    if points.all():
        return point_result()
    return choose(points, point_result(), other_result()) if points.any() else other_result()


def _sum_is_exact(a: Doubles, b: Doubles, total: Doubles) -> Truths:
    """Return whether the error of a sum, by Knuth's algorithm, is zero."""
    # Compute in place, because new arrays of this size cost more than sums.
    error = np.asarray(total - a)
    other = np.asarray(total - error)
    np.subtract(a, other, out=other)
    np.subtract(b, error, out=error)
    is_exact: Truths = np.add(error, other, out=error) == 0
    return is_exact


def _is_short(x: Doubles) -> bool:
    """Return whether numbers have so few digits that products of two are exact."""
    return bool(np.all(x.astype(np.float32) == x))


def _split(a: Doubles) -> tuple[Doubles, Doubles]:
    cut = _SPLITTER * a
    high = cut - (cut - a)
    return high, a - high


def _product_is_exact(a: Doubles, b: Doubles, product: Doubles) -> Truths | bool:
    """Return whether a factor is zero, or the error of the product, by Dekker's algorithm."""
    if _is_short(a) and _is_short(b):
        return True
    (a1, a0), (b1, b0) = _split(a), _split(b)
    error = np.asarray(a1 * b1 - product)
    for one, other in ((a1, b0), (a0, b1), (a0, b0)):
        np.add(error, one * other, out=error)
    is_reliable = (np.abs(product) > _LEAST_PRODUCT) & (np.abs(a) < _GREATEST_FACTOR)
    is_reliable &= np.abs(b) < _GREATEST_FACTOR
    is_exact: Truths = (is_reliable & (error == 0)) | (a == 0) | (b == 0)
    return is_exact


def _multiply(a: Doubles, b: Doubles) -> Doubles:
    """Return products, where zero times infinity is zero, as for bounds."""
    product = np.asarray(a * b)
    undefined = np.isnan(product)
    if undefined.any():
        return np.where(undefined & ~np.isnan(a) & ~np.isnan(b), 0.0, product)
    return product


def _divide(a: Doubles, b: Doubles) -> Doubles:
    """Return quotients, where infinity over infinity is zero, which is among the limits."""
    quotient = np.asarray(a / b)
    return np.where(np.isinf(a) & np.isinf(b), 0.0, quotient)


def _range_of_corners(operation: Callable[[Doubles, Doubles], Doubles], x: Wide, y: Wide) -> Wide:
    """Return the range of products or quotients, which lies between those of the bounds."""
    corners = [operation(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    low, high = functools.reduce(np.minimum, corners), functools.reduce(np.maximum, corners)
    small_low, small_high = np.abs(low) < _LEAST_PRODUCT, np.abs(high) < _LEAST_PRODUCT
    if not (small_low.any() or small_high.any()):
        return _outward(low, high)
    # Small results may have been rounded to a subnormal or to zero; keep their signs.
    result = _outward(
        np.where(small_low, low - _LEAST_PRODUCT, low),
        np.where(small_high, high + _LEAST_PRODUCT, high),
    )
    above, below = (x.lo >= 0, y.lo >= 0), (x.hi <= 0, y.hi <= 0)
    positive = (above[0] & above[1]) | (below[0] & below[1])
    negative = (above[0] & below[1]) | (below[0] & above[1])
    return Wide(
        np.where(positive, np.maximum(result.lo, 0.0), result.lo),
        np.where(negative, np.minimum(result.hi, 0.0), result.hi),
    )


# ---------------------------------------------------------------- arithmetic


def add(x: Wide, y: Wide) -> Wide:
    """Return x + y."""
    low, high = x.lo + y.lo, x.hi + y.hi
    return _select_points(
        (x, y),
        lambda: _point(low, _sum_is_exact(x.lo, y.lo, low)),
        lambda: _outward(low, high),
    )


def sub(x: Wide, y: Wide) -> Wide:
    """Return x - y."""
    return add(x, neg(y))


def mul(x: Wide, y: Wide) -> Wide:
    """Return x * y."""

    def point_result() -> Wide:
        product = np.asarray(x.lo * y.lo)
        return _point(product, _product_is_exact(x.lo, y.lo, product))

    return _select_points((x, y), point_result, lambda: _range_of_corners(_multiply, x, y))


def sqr(x: Wide) -> Wide:
    """Return x squared; both factors are the same number of x."""
    size = x if np.array_equal(x.lo, x.hi) else magnitudes(x)
    result = mul(size, size)
    return Wide(np.maximum(result.lo, 0.0), result.hi)


def div(x: Wide, y: Wide) -> Wide:
    """Return x / y; in halves where y contains zero."""

    def point_result() -> Wide:
        quotient = np.asarray(x.lo / y.lo)
        product = np.asarray(quotient * y.lo)
        return _point(quotient, (product == x.lo) & _product_is_exact(quotient, y.lo, product))

    result = _select_points((x, y), point_result, lambda: _range_of_corners(_divide, x, y))
    with_zero = (y.lo <= 0) & (y.hi >= 0)
    if not with_zero.any():
        return result
    return choose(with_zero, from_interval(x.interval() / y.interval()), result)


def sqrt(x: Wide) -> Wide:
    """Return the square roots of the nonnegative part of x."""
    inside = restrict(x, 0.0, np.inf)
    low, high = np.sqrt(inside.lo), np.sqrt(inside.hi)

    def point_result() -> Wide:
        square = np.asarray(low * low)
        return _point(low, (square == inside.lo) & _product_is_exact(low, low, square))

    return _select_points((inside,), point_result, lambda: _outward(low, high))


# ---------------------------------------------------------------- sums


def _error_of_sum(terms: Doubles, axis: Axis) -> Doubles:
    """Return a bound of the error of a sum of doubles in any order."""
    size = np.sum(np.abs(terms), axis=axis, keepdims=True)
    return np.asarray(size * ((terms.size // max(size.size, 1) + 2) * _EPSILON))


def _sum_steps_are_exact(terms: Doubles, axis: Axis) -> NDArray[np.bool_]:
    """Return whether each sum of points is exact in any order.

    That is so for halves, or products of two, that are few or small.
    """
    size = np.sum(np.abs(terms), axis=axis, keepdims=True)
    exact = np.zeros(size.shape, np.bool)
    for unit in (2.0**24, 2.0**48):
        whole = np.all(terms * unit == np.rint(terms * unit), axis=axis, keepdims=True)
        exact |= whole & (size * unit < 2.0**52)
        if exact.all():
            break
    return exact


def sum(x: Wide, axis: Axis = None, keepdims: bool = False) -> Wide:
    """Return sums along axes."""
    low, high = (np.sum(terms, axis=axis, keepdims=True) for terms in (x.lo, x.hi))
    points = np.all(x.lo == x.hi, axis=axis, keepdims=True)
    exact = points & _sum_steps_are_exact(x.lo, axis) if points.any() else points
    result = _outward(low - _error_of_sum(x.lo, axis), high + _error_of_sum(x.hi, axis))
    result = choose(exact, Wide(low, high), result)
    return result if keepdims else result.map(_drop_axis, axis)


def _drop_axis(x: Doubles, axis: Axis) -> Doubles:
    return x.reshape(()) if axis is None else np.squeeze(x, axis)


def dot(x: Wide, y: Wide) -> Wide:
    """Return sums of products along the last axis."""
    return sum(mul(x, y), axis=-1)


#: The number of products that matmul keeps in memory at a time.
_BLOCK = 1 << 20


def matmul(x: Wide, y: Wide) -> Wide:
    """Return numpy.matmul of arrays of one or two dimensions."""
    if x.lo.ndim > 2 or y.lo.ndim > 2 or not x.lo.ndim or not y.lo.ndim:
        raise ValueError(f"matmul: expected one or two dimensions, got {x.lo.ndim} and {y.lo.ndim}")
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
