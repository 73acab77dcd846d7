"""NumPy's products of arrays of intervals; each element is exact, then rounded outward once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds, axes_of
from halfcl.interval._bounds.arithmetic import mul
from halfcl.interval._bounds.pairs import Axes, Bounds
from halfcl.interval._decorated.propagation import wrap_array_function
from halfcl.interval._functions import sums
from halfcl.interval._vectors import geometric


def _ravel(x: object, argument: str) -> Bounds:
    low, high = as_bounds(x, argument)
    return low.ravel(), high.ravel()


def dot(a: object, b: object) -> Interval:
    """Return numpy.dot for at most two dimensions each."""
    x, y = Interval.of(as_bounds(a, "a")), Interval.of(as_bounds(b, "b"))
    if 0 in (x.ndim, y.ndim):
        return x * y
    if max(x.ndim, y.ndim) > 2:
        raise ValueError(
            f"dot: expected at most two dimensions, got {x.ndim} and {y.ndim}; use numpy.matmul"
        )
    return sums.matmul(x, y)


def outer(a: object, b: object) -> Interval:
    """Return numpy.outer of intervals."""
    x, y = _ravel(a, "a"), _ravel(b, "b")
    low, high, least, most = np.broadcast_arrays(x[0][:, None], x[1][:, None], *y)
    return Interval.of(mul((low, high), (least, most)))


def vdot(a: object, b: object) -> Interval:
    """Return numpy.vdot of intervals."""
    x, y = Interval.of(_ravel(a, "a")), Interval.of(_ravel(b, "b"))
    if x.size != y.size:
        raise ValueError(f"vdot: expected as many elements in both, got {x.size} and {y.size}")
    return sums.dot(x, y)


def _axes_of_both(axes: object, dims: tuple[int, int]) -> list[tuple[int, ...]]:
    """Return the axes to sum over in either operand, from the argument of numpy.tensordot."""
    if isinstance(axes, int | np.integer):
        if not 0 <= axes <= min(dims):
            raise ValueError(f"axes: expected 0 to {min(dims)}, got {axes}")
        axes = tuple(range(dims[0] - int(axes), dims[0])), tuple(range(int(axes)))
    if not isinstance(axes, tuple | list) or len(axes) != 2:
        raise TypeError(f"axes: expected a number, or a pair of axes, got {axes!r}")
    each = [tuple(x) if isinstance(x, tuple | list) else (x,) for x in axes]
    return [axes_of(x, n) for x, n in zip(each, dims, strict=True)]


def tensordot(a: object, b: object, axes: object = 2) -> Interval:
    """Return numpy.tensordot of intervals."""
    x, y = as_bounds(a, "a"), as_bounds(b, "b")
    x_axes, y_axes = _axes_of_both(axes, (x[0].ndim, y[0].ndim))
    lengths = [tuple(v[0].shape[i] for i in axes) for v, axes in ((x, x_axes), (y, y_axes))]
    if lengths[0] != lengths[1]:
        raise ValueError(
            f"tensordot: expected axes of the same lengths, got {lengths[0]} and {lengths[1]}"
        )
    free: tuple[int, ...] = ()
    matrices = []
    for operand, summed in ((x, x_axes), (y, y_axes)):
        low, high = (sums.merge_axes(v, summed) for v in operand)
        *rest, k = low.shape
        free += tuple(rest)
        rows = math.prod(rest)
        matrices.append((low.reshape(rows, k), high.reshape(rows, k)))
    low, high = sums.products(*matrices)
    return Interval.of((low.reshape(free), high.reshape(free)))


def inner(a: object, b: object) -> Interval:
    """Return numpy.inner of intervals."""
    x, y = Interval.of(as_bounds(a, "a")), Interval.of(as_bounds(b, "b"))
    return x * y if 0 in (x.ndim, y.ndim) else tensordot(x, y, (-1, -1))


def trace(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Interval:
    """Return numpy.trace of intervals."""
    return sums.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)


def _linalg_trace(x: ArrayLike, /, *, offset: int = 0) -> Interval:
    return trace(x, offset, -2, -1)


def cross(a: object, b: object, axis: int = -1) -> Interval:
    """Return numpy.cross of vectors of 3 components."""
    result = geometric.cross(a, b, axis)
    if result.shape[axis] != 3:
        raise ValueError(f"cross: expected vectors of 3 components, got {result.shape[axis]}")
    return result


def vector_norm(
    x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: object = 2
) -> Interval:
    """Return numpy.linalg.vector_norm of intervals."""
    if axis is not None or np.ndim(x) < 2:
        return geometric.norm(x, ord, axis, keepdims)
    result = geometric.norm(np.ravel(x), ord)
    return result.reshape((1,) * np.ndim(x)) if keepdims else result


def _linalg_vecdot(x1: object, x2: object, /, *, axis: int = -1) -> Interval:
    return sums.dot(x1, x2, axis)


#: The functions of one array of intervals, and of two.
_UNARY: dict[Callable[..., Any], Callable[..., Any]] = {
    np.trace: trace,
    np.linalg.norm: geometric.norm,
    np.linalg.vector_norm: vector_norm,
    np.linalg.trace: _linalg_trace,
}
_BINARY: dict[Callable[..., Any], Callable[..., Any]] = {
    np.dot: dot,
    np.outer: outer,
    np.vdot: vdot,
    np.inner: inner,
    np.tensordot: tensordot,
    np.cross: cross,
    np.linalg.matmul: sums.matmul,
    np.linalg.vecdot: _linalg_vecdot,
    np.linalg.outer: outer,
    np.linalg.tensordot: tensordot,
    np.linalg.cross: cross,
}
FUNCTIONS = {name: wrap_array_function(function, 1) for name, function in _UNARY.items()}
FUNCTIONS |= {name: wrap_array_function(function, 2) for name, function in _BINARY.items()}
