"""numpy.average with weights and numpy.trapezoid of halves: exact, and rounded once.

The engine divides, or multiplies, exact sums. Where these are infinite or NaN, the engine's sums of
products are the results, which also raise the exceptions.
"""

from __future__ import annotations

import math
from types import NotImplementedType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._functions import shape_with_ones
from halfcl.reductions._to_odd import Doubles

_Array = NDArray[Any]

_DOUBLE = np.dtype(np.float64)


def _sum(arrays: tuple[_Array, ...], axes: tuple[int, ...]) -> Doubles:
    """Return the sum of one array, or of the products of two, rounded once to float64."""
    name = "sum" if len(arrays) == 1 else "dot"
    return np.asarray(
        _core.reduce_at_once(name, arrays, axes, _DOUBLE, None, False, None, True, 0, "rte")
    )


def _unwrap(results: Doubles) -> Doubles | np.float64:
    """Return an array, or its number if it has no axes, as NumPy's functions do."""
    return results if results.ndim else np.float64(results)


def _replace_special(results: Doubles, sums: Doubles, factor: float) -> Doubles | np.float64:
    """Return the results, of which NaNs are replaced by sums times a factor."""
    with np.errstate(all="ignore"):
        return _unwrap(np.where(np.isnan(results), sums * factor, results))


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
    results, are_finite = _core.weighted_means(values, weights, axes)
    if results is NotImplemented:
        return NotImplemented
    if not are_finite:
        weights = np.broadcast_to(weights, values.shape)
        top, bottom = _sum((values, weights), axes), _sum((weights,), axes)
        if (bottom == 0).any():
            return NotImplemented
        with np.errstate(all="ignore"):
            results = np.where(np.isnan(results), top / bottom, results)
    if keepdims:
        results = results.reshape(shape_with_ones(values.shape, axes))
    return _unwrap(results)


def even_trapezoid(
    y: _Array, distance: float, axis: int
) -> Doubles | np.float64 | NotImplementedType:
    """Return the integral of halves at even distances, as doubles that round like the exact one.

    It is the distance times a sum in which the first and last elements have weight 1/2.
    """
    if not math.isfinite(distance):
        return NotImplemented
    results, are_finite = _core.integrals(y, None, distance, axis)
    if results is NotImplemented or are_finite:
        return results if results is NotImplemented else _unwrap(results)
    weights = np.ones((y.shape[axis], *(1,) * (y.ndim - 1 - axis)), y.dtype)
    weights[0] = weights[-1] = 0.5
    return _replace_special(results, _sum((y, weights), (axis,)), distance)


def trapezoid(y: _Array, x: _Array, axis: int) -> Doubles | np.float64 | NotImplementedType:
    """Return the integral of halves at abscissas in half, as doubles that round like the exact one.

    (y0 + y1) (x1 - x0) is an exact sum of products of halves.
    """
    if not np.isfinite(x).all():
        return NotImplemented
    if x.ndim == 1:
        x = x.reshape(-1, *(1,) * (y.ndim - 1 - axis))
    results, are_finite = _core.integrals(y, x, 1.0, axis)
    if results is NotImplemented or are_finite:
        return results if results is NotImplemented else _unwrap(results)
    x = np.broadcast_to(x, y.shape)
    before, after = ((slice(None),) * axis + (part,) for part in (slice(-1), slice(1, None)))
    values = np.concatenate([y[before], y[before], y[after], y[after]], axis)
    abscissas = np.concatenate([x[after], -x[before]] * 2, axis)
    return _replace_special(results, _sum((values, abscissas), (axis,)), 0.5)
