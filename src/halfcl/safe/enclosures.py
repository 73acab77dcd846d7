"""Enclosures of functions that `halfcl.interval` does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl import interval
from halfcl.interval import Interval
from halfcl.interval.bounds import Bounds, chosen, entire, is_empty


def _vectors(x: Any, axis: Any) -> Interval:
    """Intervals with the axis last; one alone is a vector of one component."""
    x = Interval.of(x) if isinstance(x, tuple) else Interval(x)
    moved: Interval = np.moveaxis(x.reshape(1) if x.ndim == 0 else x, axis, -1)  # type: ignore[call-overload]
    return moved


def _bounds(x: Interval) -> Bounds:
    return x._lo, x._hi


def _alone(found: Interval, axis: Any, keepdims: bool) -> Interval:
    if keepdims:
        found = np.expand_dims(found, axis)  # type: ignore[arg-type, assignment]
    return found


def _dot(x: Any, y: Any, *, axis: Any = -1, keepdims: bool = False) -> Interval:
    return _alone(interval.dot(_vectors(x, axis), _vectors(y, axis)), axis, keepdims)


def _length(x: Any, *, axis: Any = -1, keepdims: bool = False) -> Interval:
    squares = interval.sqr(_vectors(x, axis))
    return _alone(interval.sqrt(interval.sum(squares, axis=-1)), axis, keepdims)


def _distance(x: Any, y: Any, *, axis: Any = -1, keepdims: bool = False) -> Interval:
    return _length(interval.sub(x, y), axis=axis, keepdims=keepdims)


def _normalize(x: Any, *, axis: Any = -1) -> Interval:
    """x / |x|; of zero zero."""
    vectors = _vectors(x, axis)
    length = _length(vectors, keepdims=True)
    found = interval.div(vectors, length) & Interval(-1, 1)
    found = np.where(interval.is_member(0, length), found | 0, found)
    shape = np.shape(x)
    return np.moveaxis(found, -1, axis).reshape(shape) if shape else found.reshape(())


def _cross(x: Any, y: Any, *, axis: Any = -1) -> Interval:
    a, b = _vectors(x, axis), _vectors(y, axis)
    parts = []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        one = np.stack([a[..., i], -a[..., j]], axis=-1)
        other = np.stack([b[..., j], b[..., i]], axis=-1)
        parts.append(interval.dot(one, other))
    parts += [Interval(np.zeros(p.shape, np.int8)) for p in parts[:1] if a.shape[-1] == 4]
    found: Interval = np.moveaxis(np.stack(parts, axis=-1), -1, axis)  # type: ignore[call-overload]
    return found


def _but_nan(function: Callable[..., Interval]) -> Callable[..., Interval]:
    """fmin and fmax give the other of a number and a NaN, whose enclosure is empty."""

    def chosen_of(x: Any, y: Any) -> Interval:
        one, other = np.broadcast_arrays(Interval(x), Interval(y))
        found = chosen(is_empty(_bounds(one)), _bounds(other), _bounds(function(one, other)))
        return Interval.of(chosen(is_empty(_bounds(other)), _bounds(one), found))

    return chosen_of


def _clamp(x: Any, low: Any, high: Any) -> Interval:
    return interval.min(interval.max(x, low), high)  # type: ignore[no-any-return]


def _mix(x: Any, y: Any, a: Any) -> Interval:
    return interval.fma(interval.sub(y, x), a, x)  # type: ignore[no-any-return]


def _fdim(x: Any, y: Any) -> Interval:
    return interval.max(interval.sub(x, y), 0)  # type: ignore[no-any-return]


def _mean(a: Any, axis: Any = None, *, keepdims: bool = False) -> Interval:
    total = interval.sum(a, axis=axis, keepdims=keepdims)
    return total / (a.size // max(total.size, 1))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Interval:
    if not (ord is None or (ord == 2 and (isinstance(axis, int) or x.ndim == 1))):
        raise TypeError(f"ord: expected None, got {ord!r}")
    return interval.sqrt(interval.sum(interval.sqr(x), axis=axis, keepdims=keepdims))


#: By the name of a ufunc, without its rounding mode.
UFUNCS: dict[str, Callable[..., Interval]] = {
    "dot": _dot,
    "length": _length,
    "distance": _distance,
    "normalize": _normalize,
    "cross": _cross,
    "fmax": _but_nan(interval.max),
    "fmin": _but_nan(interval.min),
    "clamp": _clamp,
    "mix": _mix,
    "fdim": _fdim,
}
#: By NumPy's function.
FUNCTIONS: dict[Any, Callable[..., Interval]] = {np.mean: _mean, np.linalg.norm: _norm}


def unknown_to_entire(found: Interval, value: Any) -> Interval:
    """All numbers where an enclosure is empty though the value is a number: it says nothing.

    So 1/0, whose value is inf, is not proved to be anywhere.
    """
    wrong = is_empty(_bounds(found)) & ~np.isnan(np.asarray(value))
    if not wrong.any():
        return found
    return Interval.of(chosen(wrong, entire(wrong), _bounds(found)))
