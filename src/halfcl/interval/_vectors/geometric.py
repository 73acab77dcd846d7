"""Lengths, distances, directions and cross products of vectors of intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeGuard

import numpy as np

import halfcl as hc
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds, axes_of, axis_of
from halfcl.interval._bounds.pairs import (
    INF,
    NAN,
    ONE,
    ZERO,
    Array,
    Axes,
    Bounds,
    as_arrays,
    expand_axis,
    is_empty,
    magnitudes,
    make_empty,
    move_axis,
    negate,
    select,
)
from halfcl.interval._decorated.propagation import wrap_array_function
from halfcl.interval._functions import sums

#: The order of a norm.
Order: TypeAlias = float | Literal["fro"] | None

#: The supported norms.
_VECTOR_NORMS: tuple[Order, ...] = (None, 2, 1, np.inf, -np.inf)
_MATRIX_NORMS: tuple[Order, ...] = (None, "fro")


def _vectors(x: object, axis: SupportsIndex, argument: str) -> Bounds:
    """Return bounds with vectors along the last axis; a single interval is a vector of length 1."""
    low, high = as_bounds(x, argument)
    if low.ndim == 0:
        return low.reshape(1), high.reshape(1)
    place = axis_of(axis, low.ndim)
    return move_axis((low, high), place, -1)


def _pair(x: object, y: object, axis: SupportsIndex, name: str) -> tuple[Bounds, Bounds]:
    """Return the bounds of two operands, broadcast to one shape."""
    a, b = _vectors(x, axis, "x"), _vectors(y, axis, "y")
    if a[0].shape[-1] != b[0].shape[-1]:
        raise ValueError(
            f"{name}: expected vectors of one length, got {a[0].shape[-1]} and {b[0].shape[-1]}"
        )
    low, high, least, most = np.broadcast_arrays(*a, *b)
    return (low, high), (least, most)


def _interval(result: Bounds, empty: Array, axis: int, keepdims: bool) -> Interval:
    """Return an interval from bounds, empty where any component was."""
    bounds = make_empty(empty, *result)
    return Interval.of(expand_axis(bounds, axis) if keepdims else bounds)


def _any_empty(x: Bounds) -> Array:
    return np.asarray(np.any(is_empty(x), axis=-1))


def length(x: object, axis: int = -1, keepdims: bool = False) -> Interval:
    """Return the range of lengths of vectors: square roots of sums of squares.

    Parameters
    ----------
    x : Interval
    axis : int, optional
        The axis along which vectors lie.
    keepdims : bool, optional
        Whether to keep that axis, with length 1.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> from halfcl.interval import Interval, length
    >>> length(Interval([-1, 2], [3, 4]))
    Interval('[2, 5]')
    """
    v = _vectors(x, axis, "x")
    least, most = magnitudes(v)
    with np.errstate(all="ignore"):
        result = as_arrays(hc.length.rtn(least), hc.length.rtp(most))
    return _interval(result, _any_empty(v), axis, keepdims)


def _nearest(x: Bounds, y: Bounds) -> Bounds:
    """Return two points of each pair of intervals whose distance is the least."""
    above, below = x[0] > y[1], x[1] < y[0]
    apart = above | below
    p, q = select(above, x[0], x[1]), select(above, y[1], y[0])
    return select(apart, p, ZERO), select(apart, q, ZERO)


def _farthest(x: Bounds, y: Bounds) -> Bounds:
    """Return two points of each pair of intervals whose distance is the greatest."""
    centres = [np.asarray(hc.convert_double(v[0])) + hc.convert_double(v[1]) for v in (x, y)]
    upward = (x[1] == INF) | (y[0] == -INF) | (centres[0] >= centres[1])
    return select(upward, x[1], x[0]), select(upward, y[0], y[1])


def distance(x: object, y: object, axis: int = -1, keepdims: bool = False) -> Interval:
    """Return the range of distances between points: lengths of x - y.

    Parameters
    ----------
    x, y : Interval
    axis : int, optional
        The axis along which vectors lie.
    keepdims : bool, optional
        Whether to keep that axis, with length 1.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> from halfcl.interval import Interval, distance
    >>> distance(Interval([0, 0], [1, 1]), Interval([4, 1], [5, 5]))
    Interval('[3, 7.0743]')
    """
    a, b = _pair(x, y, axis, "distance")
    with np.errstate(all="ignore"):
        result = as_arrays(hc.distance.rtn(*_nearest(a, b)), hc.distance.rtp(*_farthest(a, b)))
    return _interval(result, _any_empty(a) | _any_empty(b), axis, keepdims)


def _greatest_component(x: Bounds, i: int, sizes: Bounds) -> Array:
    """Return the greatest x_i / |x|, rounded up; NaN where x has only zeros.

    The derivative in x_i is not negative, so x_i is at its upper bound. The derivative in another
    component's magnitude has the opposite sign of x_i, so the magnitudes are least where x_i is
    positive, else greatest. sizes: the ranges of magnitudes.
    """
    least, most = sizes
    at = x[1][..., i]
    positive = at > ZERO
    vector = select(positive[..., None], least, most)
    vector[..., i] = at
    result = np.asarray(hc.normalize.rtp(vector))[..., i]
    # If the component is not positive and others are unbounded, the limit is 0, or -0 / inf.
    others = np.delete(most, i, axis=-1)
    result = select(~positive & np.any(others == INF, axis=-1), ZERO, result)
    result = select(at == INF, ONE, result)
    # If all others are zero, a component from a negative number up to 0 has the direction -1.
    alone = np.all(others == ZERO, axis=-1) & (at == ZERO)
    return select(alone, select(x[0][..., i] < ZERO, -ONE, NAN), result)


def normalize(x: object, axis: int = -1) -> Interval:
    """Return the range of unit vectors in the direction of vectors; empty for vectors of zeros.

    Parameters
    ----------
    x : Interval
    axis : int, optional
        The axis along which vectors lie.

    Notes
    -----
    Accuracy: tightest, each component; exact, then rounded outward once, whatever the length.
    The time grows with the square of the number of components.

    >>> from halfcl.interval import Interval, normalize
    >>> normalize(Interval([3, 4], [3, 5])), normalize(Interval([-1, 0], [2, 1]))
    (Interval(['[0.51416, 0.6001]', '[0.7998, 0.85792]']), Interval(['[-1, 1]', '[0, 1]']))
    """
    v = _vectors(x, axis, "x")
    sizes, mirrored = magnitudes(v), negate(v)
    low, high = np.empty_like(v[0]), np.empty_like(v[1])
    with np.errstate(all="ignore"):
        for i in range(v[0].shape[-1]):
            low[..., i] = hc.negative(_greatest_component(mirrored, i, sizes))
            high[..., i] = _greatest_component(v, i, sizes)
    empty = _any_empty(v) | np.all((v[0] == ZERO) & (v[1] == ZERO), axis=-1)
    low, high = make_empty(np.broadcast_to(empty[..., None], low.shape), low, high)
    if np.ndim(as_bounds(x)[0]) == 0:
        return Interval.of((low.reshape(()), high.reshape(())))
    return Interval.of(move_axis((low, high), -1, axis))


def cross(x: object, y: object, axis: int = -1) -> Interval:
    """Return the range of cross products of vectors of 3 components, or of 4 with the last one 0.

    Parameters
    ----------
    x, y : Interval
    axis : int, optional
        The axis along which vectors lie.

    Notes
    -----
    Accuracy: tightest, each component; exact, then rounded outward once.

    >>> from halfcl.interval import Interval, cross
    >>> cross(Interval([1, 0, 0], [2, 0, 0]), Interval([0, 3, 0], [0, 4, 1]))
    Interval(['[0, 0]', '[-2, 0]', '[3, 8]'])
    """
    a, b = _pair(x, y, axis, "cross")
    n = a[0].shape[-1]
    if n not in (3, 4):
        raise ValueError(f"cross: expected vectors of 3 or 4 components, got {n}")
    first, second = [1, 2, 0], [2, 0, 1]
    minus = negate(a)
    first_factors, second_factors = (
        tuple(np.stack([p[k][..., i], q[k][..., j]], axis=-1) for k in (0, 1))
        for p, i, q, j in ((a, first, minus, second), (b, second, b, first))
    )
    shape = (*a[0].shape[:-1], n)
    low, high = np.zeros(shape, a[0].dtype), np.zeros(shape, a[0].dtype)
    result = sums.dot(
        Interval.of((first_factors[0], first_factors[1])),
        Interval.of((second_factors[0], second_factors[1])),
    )
    low[..., :3], high[..., :3] = result._lo, result._hi
    empty = (_any_empty(a) | _any_empty(b))[..., None]
    low, high = make_empty(np.broadcast_to(empty, shape), low, high)
    return Interval.of(move_axis((low, high), -1, axis))


def norm(x: object, ord: object = None, axis: Axes = None, keepdims: bool = False) -> Interval:
    """Return the range of norms, as numpy.linalg.norm: of vectors, or Frobenius's of matrices.

    Parameters
    ----------
    x : Interval
    ord : {None, 2, 1, inf, -inf, "fro"}, optional
        The order. "fro" is for matrices, 1, 2 and infinities are for vectors, None is for both.
    axis : int or tuple of two int, optional
        The axis of vectors, or the two axes of matrices. By default, x is one vector or matrix;
        if ``ord`` is None too, x may have any shape and is one vector.
    keepdims : bool, optional
        Whether to keep the axes, with length 1.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> import numpy as np
    >>> from halfcl.interval import Interval, norm
    >>> norm(Interval([-1, 2], [3, 4])), norm(Interval([-1, 2], [3, 4]), np.inf)
    (Interval('[2, 5]'), Interval('[2, 4]'))
    """
    bounds = as_bounds(x, "x")
    shape = bounds[0].shape
    axes = axes_of(axis, len(shape))
    if len(axes) not in (1, 2) and not (axis is None and ord is None):
        raise ValueError(f"norm: axis: expected one or two axes, got {len(axes)}")
    expected = _VECTOR_NORMS if len(axes) == 1 else _MATRIX_NORMS
    if not _is_one_of(ord, expected):
        raise ValueError(f"norm: ord: expected one of {expected} for {len(axes)} axes, got {ord!r}")
    low, high = (sums.merge_axes(v, axes) for v in bounds)
    result = _norm_along_last(Interval.of((low, high)), ord)
    return result.reshape(sums.keepdims_shape(shape, axes)) if keepdims else result


def _is_one_of(ord: object, expected: tuple[Order, ...]) -> TypeGuard[Order]:
    return any(ord is one or (type(ord) is not bool and ord == one) for one in expected)


def _norm_along_last(x: Interval, ord: Order) -> Interval:
    if ord in (None, 2, "fro"):
        return length(x)
    sizes = Interval.of(magnitudes((x._lo, x._hi)))
    if ord == 1:
        return sums.sum(sizes, axis=-1)
    extremum = np.maximum if ord == np.inf else np.minimum
    return Interval.of(as_arrays(*(extremum.reduce(v, axis=-1) for v in (sizes._lo, sizes._hi))))


def _may_be_zeros(x: object, axis: int = -1) -> Array:
    """Return where vectors may consist of zeros, which have no direction."""
    low, high = as_bounds(x)
    zeros = np.asarray((low <= ZERO) & (high >= ZERO))
    return np.asarray(np.all(zeros, axis=axis, keepdims=True)) if low.ndim else zeros


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "length": wrap_array_function(length, 1),
    "distance": wrap_array_function(distance, 2),
    "normalize": wrap_array_function(normalize, 1, _may_be_zeros),
    "cross": wrap_array_function(cross, 2),
    "norm": wrap_array_function(norm, 1),
}
