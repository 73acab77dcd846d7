"""Lengths, distances, directions and cross products of vectors of intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeGuard

import numpy as np

import halfcl as hc
from halfcl.interval import _sums as sums
from halfcl.interval._array import Interval
from halfcl.interval._bounds import (
    INF,
    NAN,
    ONE,
    ZERO,
    Array,
    Axes,
    Bounds,
    axis_added,
    axis_moved,
    both,
    emptied,
    is_empty,
    magnitudes,
    negated,
    select,
)
from halfcl.interval._decorated_functions import everywhere
from halfcl.interval._values import as_bounds, axes_of, axis_of

#: Which norm.
Order: TypeAlias = float | Literal["fro"] | None

#: The norms that there are.
_OF_VECTORS: tuple[Order, ...] = (None, 2, 1, np.inf, -np.inf)
_OF_MATRICES: tuple[Order, ...] = (None, "fro")


def _vectors(x: object, axis: SupportsIndex, argument: str) -> Bounds:
    """Bounds with vectors along the last axis. Single intervals are vectors of one component."""
    low, high = as_bounds(x, argument)
    if low.ndim == 0:
        return low.reshape(1), high.reshape(1)
    place = axis_of(axis, low.ndim)
    return axis_moved((low, high), place, -1)


def _pair(x: object, y: object, axis: SupportsIndex, name: str) -> tuple[Bounds, Bounds]:
    """Two of one shape."""
    a, b = _vectors(x, axis, "x"), _vectors(y, axis, "y")
    if a[0].shape[-1] != b[0].shape[-1]:
        raise ValueError(
            f"{name}: expected vectors of one length, got {a[0].shape[-1]} and {b[0].shape[-1]}"
        )
    low, high, least, most = np.broadcast_arrays(*a, *b)
    return (low, high), (least, most)


def _interval(found: Bounds, nothing: Array, axis: int, keepdims: bool) -> Interval:
    """Empty where any component was."""
    bounds = emptied(nothing, *found)
    return Interval.of(axis_added(bounds, axis) if keepdims else bounds)


def _any_empty(x: Bounds) -> Array:
    return np.asarray(np.any(is_empty(x), axis=-1))


def length(x: object, axis: int = -1, keepdims: bool = False) -> Interval:
    """The range of lengths of vectors: square roots of sums of squares.

    Parameters
    ----------
    x : Interval
    axis : int, optional
        The one that vectors lie along.
    keepdims : bool, optional
        Whether it stays, with length 1.

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
        found = both(hc.length.rtn(least), hc.length.rtp(most))
    return _interval(found, _any_empty(v), axis, keepdims)


def _nearest(x: Bounds, y: Bounds) -> Bounds:
    """Of each pair of intervals two points whose distance is the least."""
    above, below = x[0] > y[1], x[1] < y[0]
    apart = above | below
    p, q = select(above, x[0], x[1]), select(above, y[1], y[0])
    return select(apart, p, ZERO), select(apart, q, ZERO)


def _farthest(x: Bounds, y: Bounds) -> Bounds:
    """Of each pair of intervals two points whose distance is the greatest."""
    centres = [np.asarray(hc.convert_double(v[0])) + hc.convert_double(v[1]) for v in (x, y)]
    upward = (x[1] == INF) | (y[0] == -INF) | (centres[0] >= centres[1])
    return select(upward, x[1], x[0]), select(upward, y[0], y[1])


def distance(x: object, y: object, axis: int = -1, keepdims: bool = False) -> Interval:
    """The range of distances between points: lengths of x - y.

    Parameters
    ----------
    x, y : Interval
    axis : int, optional
        The one that vectors lie along.
    keepdims : bool, optional
        Whether it stays, with length 1.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> from halfcl.interval import Interval, distance
    >>> distance(Interval([0, 0], [1, 1]), Interval([4, 1], [5, 5]))
    Interval('[3, 7.0743]')
    """
    a, b = _pair(x, y, axis, "distance")
    with np.errstate(all="ignore"):
        found = both(hc.distance.rtn(*_nearest(a, b)), hc.distance.rtp(*_farthest(a, b)))
    return _interval(found, _any_empty(a) | _any_empty(b), axis, keepdims)


def _greatest_component(x: Bounds, i: int, sizes: Bounds) -> Array:
    """The greatest x_i / |x|, rounded up; NaN where x is nothing but zeros.

    The derivative in x_i has no negative sign, so x_i is its upper bound; that in another
    component's magnitude has the opposite sign of x_i, so magnitudes are the least where x_i is
    positive, else the greatest. sizes: the ranges of magnitudes.
    """
    least, most = sizes
    at = x[1][..., i]
    positive = at > ZERO
    vector = select(positive[..., None], least, most)
    vector[..., i] = at
    found = np.asarray(hc.normalize.rtp(vector))[..., i]
    # Unbounded others, of a component that is not positive: their limit is 0, or -0 / inf.
    others = np.delete(most, i, axis=-1)
    found = select(~positive & np.any(others == INF, axis=-1), ZERO, found)
    found = select(at == INF, ONE, found)
    # With zeros beside it, a component from a negative number up to 0 has the direction -1.
    alone = np.all(others == ZERO, axis=-1) & (at == ZERO)
    return select(alone, select(x[0][..., i] < ZERO, -ONE, NAN), found)


def normalize(x: object, axis: int = -1) -> Interval:
    """The range of vectors of length 1 in the direction of vectors; of zeros alone empty.

    Parameters
    ----------
    x : Interval
    axis : int, optional
        The one that vectors lie along.

    Notes
    -----
    Accuracy: tightest, each component; exact, then rounded outward once, whatever the length.
    The time grows with the square of the number of components.

    >>> from halfcl.interval import Interval, normalize
    >>> normalize(Interval([3, 4], [3, 5])), normalize(Interval([-1, 0], [2, 1]))
    (Interval(['[0.51416, 0.6001]', '[0.7998, 0.85792]']), Interval(['[-1, 1]', '[0, 1]']))
    """
    v = _vectors(x, axis, "x")
    sizes, mirrored = magnitudes(v), negated(v)
    low, high = np.empty_like(v[0]), np.empty_like(v[1])
    with np.errstate(all="ignore"):
        for i in range(v[0].shape[-1]):
            low[..., i] = hc.negative(_greatest_component(mirrored, i, sizes))
            high[..., i] = _greatest_component(v, i, sizes)
    nothing = _any_empty(v) | np.all((v[0] == ZERO) & (v[1] == ZERO), axis=-1)
    low, high = emptied(np.broadcast_to(nothing[..., None], low.shape), low, high)
    if np.ndim(as_bounds(x)[0]) == 0:
        return Interval.of((low.reshape(()), high.reshape(())))
    return Interval.of(axis_moved((low, high), -1, axis))


def cross(x: object, y: object, axis: int = -1) -> Interval:
    """The range of cross products of vectors of 3 components, or of 4, the last of which is 0.

    Parameters
    ----------
    x, y : Interval
    axis : int, optional
        The one that vectors lie along.

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
    minus = negated(a)
    left, right = (
        tuple(np.stack([p[k][..., i], q[k][..., j]], axis=-1) for k in (0, 1))
        for p, i, q, j in ((a, first, minus, second), (b, second, b, first))
    )
    shape = (*a[0].shape[:-1], n)
    low, high = np.zeros(shape, a[0].dtype), np.zeros(shape, a[0].dtype)
    found = sums.dot(Interval.of((left[0], left[1])), Interval.of((right[0], right[1])))
    low[..., :3], high[..., :3] = found._lo, found._hi
    nothing = (_any_empty(a) | _any_empty(b))[..., None]
    low, high = emptied(np.broadcast_to(nothing, shape), low, high)
    return Interval.of(axis_moved((low, high), -1, axis))


def norm(x: object, ord: object = None, axis: Axes = None, keepdims: bool = False) -> Interval:
    """The range of norms, as numpy.linalg.norm: of vectors, and Frobenius's of matrices.

    Parameters
    ----------
    x : Interval
    ord : {None, 2, 1, inf, -inf, "fro"}, optional
        Which one. "fro" is of matrices, 1, 2 and infinities of vectors, None of either.
    axis : int or tuple of two int, optional
        Those of vectors, or of matrices. Without, x is a vector or matrix; with ``ord`` None
        either, of any shape, is one vector.
    keepdims : bool, optional
        Whether the axes stay, with length 1.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> import numpy as np
    >>> from halfcl.interval import Interval, norm
    >>> norm(Interval([-1, 2], [3, 4])), norm(Interval([-1, 2], [3, 4]), np.inf)
    (Interval('[2, 5]'), Interval('[2, 4]'))
    """
    given = as_bounds(x, "x")
    shape = given[0].shape
    axes = axes_of(axis, len(shape))
    if len(axes) not in (1, 2) and not (axis is None and ord is None):
        raise ValueError(f"axis: expected one or two axes, got {len(axes)}")
    expected = _OF_VECTORS if len(axes) == 1 else _OF_MATRICES
    if not _is_one_of(ord, expected):
        raise ValueError(f"ord: expected one of {expected} of {len(axes)} axes, got {ord!r}")
    low, high = (sums.merged(v, axes) for v in given)
    result = _norm_of_last(Interval.of((low, high)), ord)
    return result.reshape(sums.kept(shape, axes)) if keepdims else result


def _is_one_of(ord: object, expected: tuple[Order, ...]) -> TypeGuard[Order]:
    return any(ord is one or (type(ord) is not bool and ord == one) for one in expected)


def _norm_of_last(x: Interval, ord: Order) -> Interval:
    if ord in (None, 2, "fro"):
        return length(x)
    sizes = Interval.of(magnitudes((x._lo, x._hi)))
    if ord == 1:
        return sums.sum(sizes, axis=-1)
    extremum = np.maximum if ord == np.inf else np.minimum
    return Interval.of(both(*(extremum.reduce(v, axis=-1) for v in (sizes._lo, sizes._hi))))


def _may_be_zeros(x: object, axis: int = -1) -> Array:
    """Where vectors may be nothing but zeros, which have no direction."""
    low, high = as_bounds(x)
    zeros = np.asarray((low <= ZERO) & (high >= ZERO))
    return np.asarray(np.all(zeros, axis=axis, keepdims=True)) if low.ndim else zeros


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "length": everywhere(length, 1),
    "distance": everywhere(distance, 2),
    "normalize": everywhere(normalize, 1, _may_be_zeros),
    "cross": everywhere(cross, 2),
    "norm": everywhere(norm, 1),
}
