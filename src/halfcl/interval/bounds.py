"""What every part of the package works on: two arrays of halves, the bounds.

An empty interval has NaN for both bounds. Zeros inside have either sign. A lower bound is
never +inf, an upper bound never -inf.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc

#: Lower and upper bounds: two arrays of half of one shape.
Bounds: TypeAlias = tuple[NDArray[Any], NDArray[Any]]

#: The dtype of bounds.
HALF: np.dtype[Any] = np.dtype(hc.half)


class Base:
    """What an `Interval` is to the modules below it: two arrays."""

    __slots__ = ("__weakref__", "_hi", "_lo")
    _lo: NDArray[Any]
    _hi: NDArray[Any]


def select(condition: Any, x: Any, y: Any) -> NDArray[Any]:
    """numpy.where of halves, on their bits: three times as fast."""
    x, y = np.asarray(x).view(np.int16), np.asarray(y).view(np.int16)
    mask = np.negative(np.asarray(condition).view(np.int8), dtype=np.int16)
    found = np.asarray(x ^ y)
    found &= mask
    found ^= y
    return found.view(HALF)


def constant(value: float, like: NDArray[Any]) -> NDArray[Any]:
    """Halves of one value in the shape of others."""
    return np.full(like.shape, value, HALF)


def is_empty(x: Bounds) -> Any:
    """Where intervals are empty."""
    return np.isnan(x[0])


def emptied(condition: Any, x: Bounds) -> Bounds:
    """Intervals, and where a condition holds empty ones."""
    nan = constant(np.nan, x[0])
    return select(condition, nan, x[0]), select(condition, nan, x[1])


def chosen(condition: Any, x: Bounds, y: Bounds) -> Bounds:
    """Intervals of x where a condition holds, elsewhere of y."""
    return select(condition, x[0], y[0]), select(condition, x[1], y[1])


def entire(like: NDArray[Any]) -> Bounds:
    """The whole line, in a shape."""
    return constant(-np.inf, like), constant(np.inf, like)
