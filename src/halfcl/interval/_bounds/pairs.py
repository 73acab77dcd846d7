"""Helpers on pairs of arrays of halves, the bounds, on which the whole package works.

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
#: Halves, and bools: arrays, or the scalars that NumPy returns in place of 0-d arrays.
Halves: TypeAlias = NDArray[Any] | hc.half
Truths: TypeAlias = NDArray[np.bool_] | np.bool_

_Places: TypeAlias = Sequence[int] | Sequence[Sequence[int]] | NDArray[np.integer[Any] | np.bool_]
_Place: TypeAlias = SupportsIndex | slice | EllipsisType | _Places | None
#: One axis or several; None means all.
Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None
#: An index of an array.
Index: TypeAlias = _Place | tuple[_Place, ...]

#: The dtype of bounds.
HALF: np.dtype[Any] = np.dtype(hc.half)

ZERO, ONE = hc.half(0), hc.half(1)
TINY = hc.half(2.0**-24)
INF, NAN = hc.half(np.inf), hc.half(np.nan)


def kernel(name: str, types: str = "ee>ee") -> Callable[..., Bounds]:
    """Return a function that calls a kernel of intervals on bounds, lower and upper in turn.

    Such a kernel rounds outward in rtp, and raises no floating-point exceptions.
    """
    full, doc = f"interval_{name}", f"Lower and upper bounds of {name}."
    ufunc = _core.make_ufunc(full, doc, "rtp", [(full, types)])
    return _core.make_function(full, doc, (ufunc,) * 4, "exact", "rtp")


class Base:
    """The base of `Interval` that lower modules know: two arrays of bounds."""

    __slots__ = ("__weakref__", "_hi", "_lo")
    _lo: NDArray[Any]
    _hi: NDArray[Any]


class Tracer:
    """An argument that goes through a formula in place of intervals and traces its operations."""

    __slots__ = ()

    def _apply_function(self, name: str, args: tuple[object, ...]) -> object:
        raise NotImplementedError

    def _apply_array_function(
        self, name: str, args: tuple[object, ...], keywords: dict[str, object]
    ) -> Any:
        raise NotImplementedError


def as_arrays(lower: Halves, upper: Halves) -> Bounds:
    """Return both results of ufuncs as arrays, also where they are scalars."""
    return np.asarray(lower), np.asarray(upper)


def fill_like(value: float | Halves, like: Halves) -> Array:
    """Return an array filled with one half, in the shape of another."""
    return np.full(np.shape(like), hc.half(value).view(np.uint16), np.uint16).view(HALF)


def select(where: Truths, x: Halves, y: Halves) -> Array:
    """Return numpy.where of halves, several times as fast; x or y may be a scalar."""
    mask = np.asarray(where).view(np.int8).astype(np.int16)
    if not np.ndim(x):
        x = fill_like(x, mask)
    if not np.ndim(y):
        y = fill_like(y, mask)
    return np.asarray(hc.select(y, x, mask))


def is_empty(x: Bounds) -> Array:
    """Return where intervals are empty."""
    return np.isnan(x[0])


def make_empty(where: Truths, lower: Halves, upper: Halves) -> Bounds:
    """Return the bounds, with intervals made empty where the mask is true."""
    return select(where, NAN, lower), select(where, NAN, upper)


def choose(where: Truths, x: Bounds, y: Bounds) -> Bounds:
    """Return intervals from x where the mask is true, elsewhere from y."""
    return select(where, x[0], y[0]), select(where, x[1], y[1])


def entire(like: Halves) -> Bounds:
    """Return the whole line in the shape of an array."""
    return fill_like(-np.inf, like), fill_like(np.inf, like)


def move_axis(x: Bounds, source: int, destination: int) -> Bounds:
    """Return numpy.moveaxis of both bounds."""
    return np.moveaxis(x[0], source, destination), np.moveaxis(x[1], source, destination)


def expand_axis(x: Bounds, axis: int) -> Bounds:
    """Return numpy.expand_dims of both bounds."""
    return np.expand_dims(x[0], axis), np.expand_dims(x[1], axis)


def negate(x: Bounds) -> Bounds:
    """Return the intervals of the negated numbers."""
    return as_arrays(hc.negative(x[1]), hc.negative(x[0]))


_magnitudes = kernel("abs")


def magnitudes(x: Bounds) -> Bounds:
    """Return the intervals of the absolute values."""
    return _magnitudes(*x)


def hull(x: Bounds, y: Bounds) -> Bounds:
    """Return the smallest interval around two, of which either may be empty."""
    return as_arrays(hc.fmin(x[0], y[0]), hc.fmax(x[1], y[1]))
