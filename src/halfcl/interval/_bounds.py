"""What every part of the package works on: two arrays of halves, the bounds.

An empty interval has NaN for both bounds. Zeros inside have either sign. A lower bound is
never +inf, an upper bound never -inf.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl import _core

Array: TypeAlias = NDArray[Any]
#: Lower and upper bounds: two arrays of half of one shape.
Bounds: TypeAlias = tuple[Array, Array]
#: Halves, and where something holds: arrays, or scalars, which NumPy gives of no dimension.
Halves: TypeAlias = NDArray[Any] | np.float16
Truths: TypeAlias = NDArray[np.bool_] | np.bool_

_Places: TypeAlias = Sequence[int] | Sequence[Sequence[int]] | NDArray[np.integer[Any] | np.bool_]
_Place: TypeAlias = SupportsIndex | slice | EllipsisType | _Places | None
#: One axis, or several; all if None.
Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None
#: What says which elements of an array.
Index: TypeAlias = _Place | tuple[_Place, ...]

#: The dtype of bounds.
HALF: np.dtype[Any] = np.dtype(hc.half)

ZERO, ONE = hc.half(0), hc.half(1)
TINY = hc.half(2.0**-24)
INF, NAN = hc.half(np.inf), hc.half(np.nan)


def kernel(name: str, types: str = "ee>ee") -> Callable[..., Bounds]:
    """What calls a kernel of intervals: of bounds, lower and upper in turn. Such a kernel rounds
    outward in rtp; it raises no exceptions."""
    full, doc = f"interval_{name}", f"Lower and upper bounds of {name}."
    ufunc = _core.make_ufunc(full, doc, "rtp", [(full, types)])
    return _core.make_function(full, doc, (ufunc,) * 4, "exact", "rtp")


class Base:
    """What an `Interval` is to the modules below it: two arrays."""

    __slots__ = ("__weakref__", "_hi", "_lo")
    _lo: NDArray[Any]
    _hi: NDArray[Any]


class Followed:
    """What goes through a formula in place of intervals, and knows what functions do to it."""

    __slots__ = ()

    def _called(self, name: str, args: tuple[object, ...]) -> object:
        raise NotImplementedError


def both(lower: Halves, upper: Halves) -> Bounds:
    """Two results of ufuncs, as arrays also where they are scalars."""
    return np.asarray(lower), np.asarray(upper)


def filled(value: float | Halves, like: Halves) -> Array:
    """One half in the shape of others."""
    return np.full(np.shape(like), hc.half(value).view(np.uint16), np.uint16).view(HALF)


def select(where: Truths, x: Halves, y: Halves) -> Array:
    """numpy.where of halves, several times as fast. One of x and y may be a scalar."""
    mask = np.asarray(where).view(np.int8).astype(np.int16)
    if not np.ndim(x):
        x = filled(x, mask)
    if not np.ndim(y):
        y = filled(y, mask)
    return np.asarray(hc.select(y, x, mask))


def is_empty(x: Bounds) -> Array:
    """Where intervals are empty."""
    return np.isnan(x[0])


def emptied(where: Truths, lower: Halves, upper: Halves) -> Bounds:
    """Bounds, made empty where told to."""
    return select(where, NAN, lower), select(where, NAN, upper)


def chosen(where: Truths, x: Bounds, y: Bounds) -> Bounds:
    """Intervals of x where told to, elsewhere of y."""
    return select(where, x[0], y[0]), select(where, x[1], y[1])


def entire(like: Halves) -> Bounds:
    """The whole line, in a shape."""
    return filled(-np.inf, like), filled(np.inf, like)


def axis_moved(x: Bounds, source: int, destination: int) -> Bounds:
    """numpy.moveaxis of both."""
    return np.moveaxis(x[0], source, destination), np.moveaxis(x[1], source, destination)


def axis_added(x: Bounds, axis: int) -> Bounds:
    """numpy.expand_dims of both."""
    return np.expand_dims(x[0], axis), np.expand_dims(x[1], axis)


def negated(x: Bounds) -> Bounds:
    """The intervals of the negative numbers."""
    return both(hc.negative(x[1]), hc.negative(x[0]))


_magnitudes = kernel("abs")


def magnitudes(x: Bounds) -> Bounds:
    """The intervals of the absolute values."""
    return _magnitudes(*x)


def hull(x: Bounds, y: Bounds) -> Bounds:
    """The smallest intervals around two, of which either may be empty."""
    return both(hc.fmin(x[0], y[0]), hc.fmax(x[1], y[1]))
