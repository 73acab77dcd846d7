"""Means, running sums and differences: exact, then rounded outward once.

Every half is a multiple of 2^-24, so that sums of halves are sums of integers.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal, SupportsIndex

import numpy as np

import halfcl as hc
from halfcl._support.integers import as_int
from halfcl.interval import _sums as sums
from halfcl.interval._arithmetic import sub
from halfcl.interval._array import Interval
from halfcl.interval._bounds import (
    INF,
    ZERO,
    Array,
    Axes,
    Bounds,
    is_empty,
    make_empty,
    move_axis,
    select,
)
from halfcl.interval._decorated_functions import wrap_array_function
from halfcl.interval._values import as_bounds, axes_of, axis_of

_UNITS = 2.0**24  # of the integers that halves are, in 1
_FAR = 1 << 41  # of these integers, beyond all halves
_MANY = 1 << 22  # so many sum up to less than 2^62
_BLOCK = 1 << 13  # so many, as integers, stay in the cache


def _units(x: Array) -> Array:
    """Halves as integers, infinities and NaN as 0; of more than int64 holds sums of, Python's."""
    finite = select(np.isfinite(x), x, ZERO)
    units = (np.asarray(hc.convert_double(finite)) * _UNITS).astype(np.int64)
    return units if x.shape[-1] <= _MANY else units.astype(object)


def _totals(x: Array) -> Array:
    """Sums of halves along the last axis, as integers."""
    n = x.shape[-1]
    blocks = (x[..., at : at + _BLOCK] for at in range(0, n, _BLOCK))
    sums_of = (np.asarray(np.sum(_units(block), axis=-1)) for block in blocks)
    return functools.reduce(np.add, (s.astype(object) for s in sums_of) if n > _MANY else sums_of)


def _halves(units: Array, mode: Literal["rtn", "rtp"]) -> Array:
    """The inverse, rounded in a mode."""
    doubles = np.clip(np.asarray(units), -_FAR, _FAR).astype(np.float64)  # exact
    with np.errstate(all="ignore"):
        return np.asarray(hc.convert(doubles / _UNITS, hc.half, rounding=mode))


def _unbounded(x: Bounds, found: Bounds, any_of: Callable[[Array], Array]) -> Interval:
    """Sums of the finite bounds, corrected for infinite ones and for empty intervals."""
    low, high = (np.asarray(v) for v in found)
    low = select(any_of(np.equal(x[0], -INF)), -INF, low)
    high = select(any_of(np.equal(x[1], INF)), INF, high)
    return Interval.of(make_empty(any_of(is_empty(x)), low, high))


def mean(x: object, axis: Axes = None, keepdims: bool = False) -> Interval:
    """The range of means along axes.

    Parameters
    ----------
    x : Interval
    axis : int or tuple of int, optional
        Default: all axes.
    keepdims : bool, optional
        Whether to keep the axes, with length 1.

    Raises
    ------
    ValueError
        If there is nothing to take the mean of.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> from halfcl.interval import Interval, mean
    >>> mean(Interval([1, 2, 2], [2, 2, 3]))
    Interval('[1.666, 2.334]')
    """
    given = as_bounds(x, "x")
    axes = axes_of(axis, given[0].ndim)
    low, high = (sums.merge_axes(v, axes) for v in given)
    n = low.shape[-1]
    if n == 0:
        raise ValueError(f"mean: expected at least one interval, got shape {given[0].shape}")
    # The greatest multiple of 2^-24 that is not above the mean has the same halves below it.
    below, above = _totals(low) // n, -(-_totals(high) // n)
    found = _halves(below, "rtn"), _halves(above, "rtp")
    result = _unbounded((low, high), found, lambda where: np.any(where, axis=-1))
    return result.reshape(sums.keepdims_shape(given[0].shape, axes)) if keepdims else result


def cumsum(x: object, axis: SupportsIndex | None = None) -> Interval:
    """The range of the sums of the first elements, of the first two, and so on.

    Parameters
    ----------
    x : Interval
    axis : int, optional
        Of all elements in order unless given.

    Notes
    -----
    Accuracy: tightest; each sum exact, then rounded outward once.

    >>> from halfcl.interval import Interval, cumsum
    >>> cumsum(Interval([1, 2, 2], [2, 2, 3]))
    Interval(['[1, 2]', '[3, 4]', '[5, 7]'])
    """
    given = as_bounds(x, "x")
    if axis is None:
        given, axis = (given[0].ravel(), given[1].ravel()), 0
    place = axis_of(axis, given[0].ndim)
    low, high = move_axis(given, place, -1)
    below, above = (np.cumsum(_units(v), axis=-1) for v in (low, high))
    found = _halves(below, "rtn"), _halves(above, "rtp")
    since = np.logical_or.accumulate
    result = _unbounded((low, high), found, lambda where: np.asarray(since(where, axis=-1)))
    return Interval.of(move_axis((result._lo, result._hi), -1, place))


def _coefficients(n: int) -> Array:
    """Of n-th differences: binomial coefficients with alternating signs, as halves."""
    numbers = [(-1) ** (n - k) * math.comb(n, k) for k in range(n + 1)]
    with np.errstate(all="ignore"):  # beyond half's range they are refused below
        halves = np.asarray(hc.convert(numbers, hc.half))
    if any(float(h) != number for h, number in zip(halves, numbers, strict=True)):
        raise ValueError(f"n: expected at most 13, as coefficients are to be halves, got {n}")
    return halves


def diff(x: object, n: int = 1, axis: int = -1) -> Interval:
    """The range of n-th differences along an axis, each with its intervals varying freely.

    Parameters
    ----------
    x : Interval
    n : int, optional
        At most 13.
    axis : int, optional

    Notes
    -----
    Accuracy: tightest; n-th differences are sums of products, exact, then rounded outward once.

    >>> from halfcl.interval import Interval, diff
    >>> diff(Interval([1, 4, 9], [1, 5, 9])), diff(Interval([1, 4, 9], [1, 5, 9]), n=2)
    (Interval(['[3, 4]', '[4, 5]']), Interval(['[0, 2]']))
    """
    n = as_int("n", n)
    if n < 0:
        raise ValueError(f"n: expected 0 or more, got {n}")
    given = as_bounds(x, "x")
    place = axis_of(axis, given[0].ndim)
    low, high = move_axis(given, place, -1)
    m = max(low.shape[-1] - n, 0)  # how many there are
    parts = [(low[..., k : k + m], high[..., k : k + m]) for k in range(n + 1 if m else 1)]
    if len(parts) == 2:
        found = sub(parts[1], parts[0])
    elif len(parts) == 1:
        found = low[..., :m].copy(), high[..., :m].copy()
    else:
        low, high = (np.stack([part[i] for part in parts], axis=-1) for i in (0, 1))
        result = sums.dot(Interval.of((low, high)), _coefficients(n))
        found = result._lo, result._hi
    return Interval.of(move_axis(found, -1, place))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: wrap_array_function(f, 1) for f in (mean, cumsum, diff)
}
