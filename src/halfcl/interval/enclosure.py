"""What functions of intervals have in common, on pairs of bounds."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc

Array: TypeAlias = NDArray[Any]
#: The lower and the upper bounds: halves of one shape. An empty interval has NaN for both.
Bounds: TypeAlias = tuple[Array, Array]

ZERO, ONE = hc.half(0), hc.half(1)
TINY = hc.half(2.0**-24)
INF, NAN = hc.half(np.inf), hc.half(np.nan)


def bounds(lower: Any, upper: Any) -> Bounds:
    """Two results of ufuncs, as arrays also where they are scalars."""
    return np.asarray(lower), np.asarray(upper)


def is_empty(x: Bounds) -> Array:
    return np.asarray(x[0] != x[0])


def emptied(where: Array, lower: Any, upper: Any) -> Bounds:
    """Bounds, made empty where told to."""
    return select(where, NAN, lower), select(where, NAN, upper)


def filled(value: float, like: Any) -> Array:
    """One half in the shape of others."""
    return np.full(np.shape(like), hc.half(value).view(np.uint16), np.uint16).view(hc.half)


def select(where: Any, x: Any, y: Any) -> Array:
    """numpy.where of halves, several times as fast. One of x and y may be a scalar."""
    mask = np.asarray(where).view(np.int8).astype(np.int16)
    if not np.ndim(x):
        x = filled(x, mask)
    if not np.ndim(y):
        y = filled(y, mask)
    return np.asarray(hc.select(y, x, mask))


def entire_like(x: Bounds) -> Bounds:
    return filled(-np.inf, x[0]), filled(np.inf, x[1])


def negated(x: Bounds) -> Bounds:
    return bounds(hc.negative(x[1]), hc.negative(x[0]))


def chosen(where: Array, x: Bounds, y: Bounds) -> Bounds:
    """x where told to, else y."""
    return select(where, x[0], y[0]), select(where, x[1], y[1])


def magnitudes(x: Bounds) -> Bounds:
    """The interval of the absolute values."""
    lower, upper = hc.fabs(x[0]), hc.fabs(x[1])
    straddling = (x[0] <= ZERO) & (x[1] >= ZERO)
    return bounds(select(straddling, ZERO, hc.min(lower, upper)), hc.max(lower, upper))


def hull(x: Bounds, y: Bounds) -> Bounds:
    """The smallest interval around two, of which either may be empty."""
    return bounds(hc.fmin(x[0], y[0]), hc.fmax(x[1], y[1]))
