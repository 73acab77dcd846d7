"""numpy.average with weights and numpy.trapezoid of halves: exact, and rounded once.

Both are computed from sums of products of halves, which the engine rounds down and up to float64.
If these are equal, the sum is exact; if results from both ends round to the same half, that is the
result (the rounding test). Otherwise the result is computed with Python's integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import NotImplementedType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._functions import move_reduced_last, shape_with_ones, shape_without
from halfcl.reductions._into_half import half_bits
from halfcl.reductions._to_odd import Doubles, divide_to_odd, multiply_to_odd, ratio_to_odd

_Array = NDArray[Any]

#: Halves are integers in units of 2^-24, and sums of products of halves in units of 2^-48.
_UNIT = 24
_DOUBLE_BITS = 53
#: Twice the relative error of a product or a quotient of doubles.
_MARGIN = 2.0**-50


_DOUBLE = np.dtype(np.float64)


def _sum(arrays: tuple[_Array, ...], axes: tuple[int, ...], mode: str) -> Doubles | None:
    """Return the sum of one array, or of the products of two, rounded once to float64."""
    name = "sum" if len(arrays) == 1 else "dot"
    results = _core.reduce_at_once(name, arrays, axes, _DOUBLE, None, False, None, True, 0, mode)
    return None if results is NotImplemented else np.asarray(results)


def _bounds(arrays: tuple[_Array, ...], axes: tuple[int, ...]) -> tuple[Doubles, Doubles]:
    """Return a sum, rounded down and up. `_sum` must have returned it in another mode."""
    low, high = (_sum(arrays, axes, mode) for mode in ("rtn", "rtp"))
    assert low is not None and high is not None
    return low, high


def _round_to_one_half(low: Doubles, high: Doubles) -> NDArray[np.bool_]:
    """Return a mask of results that pass the rounding test; both bounds may have an error."""
    low, high = low - _MARGIN * np.abs(low), high + _MARGIN * np.abs(high)
    return np.asarray(half_bits(low) == half_bits(high))


def _integers(halves: _Array) -> _Array:
    """Return finite halves as Python's integers."""
    return np.ldexp(halves.astype(np.float64), _UNIT).astype(np.int64).astype(object)


def _replace_unsure(
    results: Doubles,
    is_sure: NDArray[np.bool_],
    arrays: tuple[_Array, ...],
    axes: tuple[int, ...],
    exactly: Callable[..., float],
) -> Doubles:
    """Replace results that are not sure by those from integers, line by line, and return all."""
    shape = arrays[0].shape
    lines = [move_reduced_last(np.broadcast_to(array, shape), axes) for array in arrays]
    for index in map(tuple, np.argwhere(~is_sure)):
        results[index] = exactly(*(_integers(line[index].ravel()) for line in lines))
    return results


def _unwrap(results: Doubles) -> Doubles | np.float64:
    """Return an array, or its number if it has no axes, as NumPy's functions do."""
    return results if results.ndim else np.float64(results)


def _quotient_of_sums(values: _Array, weights: _Array) -> float:
    numerator, denominator = int((values * weights).sum()), int(weights.sum())
    sign = 1 if denominator > 0 else -1
    return ratio_to_odd(sign * numerator, abs(denominator), -_UNIT)


def average(
    values: _Array, weights: _Array, axis: object, keepdims: bool
) -> Doubles | np.float64 | NotImplementedType:
    """Return the mean of halves with weights, as doubles that round to half like the exact mean.

    weights: have the values' dtype, and a shape that broadcasts to theirs. NotImplemented where
    NumPy has to compute it or to raise the error.
    """
    try:
        axes = arguments.axes("average", axis, values.ndim)
    except (TypeError, ValueError):
        return NotImplemented
    weights = np.broadcast_to(weights, values.shape)
    top, bottom = _sum((values, weights), axes, "rte"), _sum((weights,), axes, "rte")
    if top is None or bottom is None or (bottom == 0).any():
        return NotImplemented
    shape = (shape_with_ones if keepdims else shape_without)(values.shape, axes)
    with np.errstate(all="ignore"):
        results = np.asarray(top / bottom)
        if _round_to_one_half(results, results).all():
            return _unwrap(results.reshape(shape))
        tops, bottoms = _bounds((values, weights), axes), _bounds((weights,), axes)
        corners = np.stack([top / bottom for top in tops for bottom in bottoms])
        is_exact = (tops[0] == tops[1]) & (bottoms[0] == bottoms[1])
        has_sign = (bottoms[0] > 0) | (bottoms[1] < 0)
        is_sure = _round_to_one_half(corners.min(0), corners.max(0)) & has_sign
        is_special = ~(np.isfinite(tops[0]) & np.isfinite(bottoms[0]))
        results = np.where(is_exact, divide_to_odd(tops[0], bottoms[0]), corners[0])
    is_sure |= is_exact | is_special
    results = _replace_unsure(results, is_sure, (values, weights), axes, _quotient_of_sums)
    return _unwrap(results.reshape(shape))


def _is_power_of_two(factor: float) -> bool:
    """Return whether a product with a double that is not huge or tiny is exact."""
    return 2.0**-_UNIT <= abs(factor) <= 2.0**_UNIT and abs(math.frexp(factor)[0]) == 0.5


def _scale_sums(
    a: _Array, b: _Array, axis: int, factor: float, unit: int = 2 * _UNIT
) -> Doubles | np.float64 | NotImplementedType:
    """Return sums of products times a factor, as doubles that round to half like exact ones.

    unit: the products are integers in units of 2^-unit, which doubles of few of them hold exactly.
    """
    total = _sum((a, b), (axis,), "rte")
    if total is None:
        return NotImplemented
    if _is_power_of_two(factor) and (np.abs(total) < 2.0 ** (_DOUBLE_BITS - unit)).all():
        return _unwrap(np.asarray(total * factor))
    with np.errstate(all="ignore"):
        results = np.asarray(total * factor)
        if _round_to_one_half(results, results).all():
            return _unwrap(results)
        ends = _bounds((a, b), (axis,))
        low, high = np.sort(np.stack([end * factor for end in ends]), 0)
        is_exact = ends[0] == ends[1]
        is_sure = is_exact | ~np.isfinite(ends[0]) | _round_to_one_half(low, high)
        results = np.where(is_exact, multiply_to_odd(ends[0], np.asarray(factor)), low)
    numerator, denominator = factor.as_integer_ratio()

    def exactly(x: _Array, y: _Array) -> float:
        return ratio_to_odd(int((x * y).sum()) * numerator, denominator, -2 * _UNIT)

    return _unwrap(_replace_unsure(results, is_sure, (a, b), (axis,), exactly))


def even_trapezoid(
    y: _Array, distance: float, axis: int
) -> Doubles | np.float64 | NotImplementedType:
    """Return the integral of halves at even distances, as doubles that round like the exact one.

    It is the distance times a sum in which the first and last elements have weight 1/2.
    """
    weights = np.ones((y.shape[axis], *(1,) * (y.ndim - 1 - axis)), y.dtype)
    weights[0] = weights[-1] = 0.5
    if not math.isfinite(distance):
        return NotImplemented
    return _scale_sums(y, weights, axis, distance, _UNIT + 1)


def trapezoid(y: _Array, x: _Array, axis: int) -> Doubles | np.float64 | NotImplementedType:
    """Return the integral of halves at abscissas in half, as doubles that round like the exact one.

    (y0 + y1) (x1 - x0) is an exact sum of products of halves.
    """
    if not np.isfinite(x).all():
        return NotImplemented
    if x.ndim == 1:
        x = x.reshape(-1, *(1,) * (y.ndim - 1 - axis))
    x = np.broadcast_to(x, y.shape)
    before, after = ((slice(None),) * axis + (part,) for part in (slice(-1), slice(1, None)))
    values = np.concatenate([y[before], y[before], y[after], y[after]], axis)
    abscissas = np.concatenate([x[after], -x[before]] * 2, axis)
    return _scale_sums(values, abscissas, axis, 0.5)
