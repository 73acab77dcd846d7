"""Sums and products of many intervals: exact, then rounded outward once.

A sum of products is `halfcl.dot` of halves, which is exact. For each pair of intervals it uses the
two bounds whose product is the least, or the greatest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds, axes_of, axis_of
from halfcl.interval._bounds.arithmetic import greatest_factors, least_factors
from halfcl.interval._bounds.pairs import HALF, Array, Axes, Bounds, expand_axis, move_axis
from halfcl.interval._decorated.propagation import wrap_array_function
from halfcl.typing import RoundingMode

#: The number of products that matmul keeps in memory at a time.
_BLOCK = 1 << 18


def _dot(x: Array, y: Array, mode: RoundingMode) -> Array:
    """Return sums of products along the last axis, rounded in a mode."""
    return np.asarray(hc.dot(np.ascontiguousarray(x), np.ascontiguousarray(y), rounding=mode))


def merge_axes(x: NDArray[Any], axes: tuple[int, ...]) -> NDArray[Any]:
    """Return an array with some axes merged into one, the last."""
    rest = [n for i, n in enumerate(x.shape) if i not in axes]
    moved = np.moveaxis(x, axes, range(-len(axes), 0)) if axes else x
    return moved.reshape(*rest, math.prod(x.shape[i] for i in axes))


def keepdims_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a reduction that keeps its axes with length 1."""
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def sum(x: object, axis: Axes = None, keepdims: bool = False) -> Interval:
    """Return the range of sums along axes; [0, 0] for no elements.

    Parameters
    ----------
    x : Interval
    axis : int or tuple of int, optional
        Default: all axes.
    keepdims : bool, optional
        Whether to keep the axes, with length 1.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> import numpy as np
    >>> from halfcl.interval import Interval
    >>> np.sum(Interval(["[1, 2]", "[-1, 1]", "[0.001, 0.001]"]))
    Interval('[0.00099945, 3.002]')
    """
    low, high = as_bounds(x, "x")
    shape, axes = low.shape, axes_of(axis, low.ndim)
    low, high = merge_axes(low, axes), merge_axes(high, axes)
    one = np.ones(low.shape, HALF)
    with np.errstate(all="ignore"):
        result = Interval.of((_dot(low, one, "rtn"), _dot(high, one, "rtp")))
    return result.reshape(keepdims_shape(shape, axes)) if keepdims else result


def _inner(x: Bounds, y: Bounds) -> Bounds:
    """Return sums of products along the last axis, for bounds of one shape."""
    a, b = least_factors(*x, *y)
    c, d = greatest_factors(*x, *y)
    with np.errstate(all="ignore"):
        return _dot(a, b, "rtn"), _dot(c, d, "rtp")


def products(x: Bounds, y: Bounds) -> Bounds:
    """Return the products (..., n, m) of (..., n, k) and (..., m, k), by blocks of rows."""
    n, m = x[0].shape[-2], y[0].shape[-2]
    batch = np.broadcast_shapes(x[0].shape[:-2], y[0].shape[:-2])
    rows = max(1, _BLOCK // max(1, math.prod(batch) * m * x[0].shape[-1]))
    shape = (*batch, n, m)
    low, high = np.empty(shape, HALF), np.empty(shape, HALF)
    right_rows = tuple(v[..., None, :, :] for v in y)
    for at in range(0, n, rows):
        left_rows = (v[..., at : at + rows, None, :] for v in x)
        a, b, c, d = np.broadcast_arrays(*left_rows, *right_rows)
        block = _inner((a, b), (c, d))
        low[..., at : at + rows, :], high[..., at : at + rows, :] = block
    return low, high


def matmul(x: object, y: object) -> Interval:
    """Return the range of matrix products, as numpy.matmul: ``x @ y``.

    Notes
    -----
    Accuracy: tightest; each element exact, then rounded outward once.

    >>> from halfcl.interval import Interval
    >>> Interval([[1, 2]], [[1, 3]]) @ Interval([[1], [2]], [[2], [3]])
    Interval([['[5, 11]']])
    """
    a, b = as_bounds(x, "x"), as_bounds(y, "y")
    if not a[0].ndim or not b[0].ndim:
        raise ValueError(
            "matmul: expected at least one dimension, got none; use x * y for single intervals"
        )
    rows = tuple(v[None, :] if v.ndim == 1 else v for v in a)
    columns = tuple(v[None, :] if v.ndim == 1 else np.swapaxes(v, -1, -2) for v in b)
    if rows[0].shape[-1] != columns[0].shape[-1]:
        raise ValueError(
            f"matmul: expected as many columns as rows, got shapes {a[0].shape} and {b[0].shape}"
        )
    low, high = products((rows[0], rows[1]), (columns[0], columns[1]))
    if b[0].ndim == 1:
        low, high = low[..., 0], high[..., 0]
    if a[0].ndim == 1:
        row = (..., 0) if b[0].ndim == 1 else (..., 0, slice(None))
        low, high = low[row], high[row]
    return Interval.of((np.asarray(low), np.asarray(high)))


def dot(x: object, y: object, axis: int = -1, keepdims: bool = False) -> Interval:
    """Return the range of dot products along an axis of x and y, broadcast against each other.

    Parameters
    ----------
    x, y : Interval
    axis : int, optional
        The axis of both operands; default: the last.
    keepdims : bool, optional
        Whether to keep the axis, with length 1.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> from halfcl.interval import Interval, dot
    >>> dot(Interval([1, 2], [1, 3]), Interval([1, 2], [2, 3]))
    Interval('[5, 11]')
    """
    a, b = as_bounds(x, "x"), as_bounds(y, "y")
    if not a[0].ndim or not b[0].ndim:
        raise ValueError(
            "dot: expected at least one dimension, got none; use x * y for single intervals"
        )
    places = [axis_of(axis, v[0].ndim) for v in (a, b)]
    if a[0].shape[places[0]] != b[0].shape[places[1]]:
        raise ValueError(
            f"dot: expected last axes of one length, got shapes {a[0].shape} and {b[0].shape}"
        )
    a, b = move_axis(a, places[0], -1), move_axis(b, places[1], -1)
    low, high, least, most = np.broadcast_arrays(*a, *b)
    bounds = _inner((low, high), (least, most))
    return Interval.of(expand_axis(bounds, axis) if keepdims else bounds)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": wrap_array_function(sum, 1),
    "dot": wrap_array_function(dot, 2),
    "matmul": wrap_array_function(matmul, 2),
}
