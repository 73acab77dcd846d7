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
from halfcl._support.arguments.integers import as_int
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds, axes_of, axis_of
from halfcl.interval._bounds.arithmetic import sub
from halfcl.interval._bounds.pairs import (
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
from halfcl.interval._decorated.propagation import wrap_array_function
from halfcl.interval._functions import sums

_UNITS = 2.0**24  # the integer that represents 1
_FAR = 1 << 41  # an integer beyond all halves
_MANY = 1 << 22  # the number of integers whose sum is less than 2^62
_BLOCK = 1 << 13  # the number of integers that fit in the cache


def _units(x: Array) -> Array:
    """Return halves as integers, with 0 for infinities and NaN.

    They are Python's integers if int64 might overflow in sums.
    """
    finite = select(np.isfinite(x), x, ZERO)
    units = (np.asarray(hc.convert_double(finite)) * _UNITS).astype(np.int64)
    return units if x.shape[-1] <= _MANY else units.astype(object)


def _totals(x: Array) -> Array:
    """Return sums of halves along the last axis, as integers."""
    n = x.shape[-1]
    blocks = (x[..., at : at + _BLOCK] for at in range(0, n, _BLOCK))
    partial_sums = (np.asarray(np.sum(_units(block), axis=-1)) for block in blocks)
    return functools.reduce(
        np.add, (s.astype(object) for s in partial_sums) if n > _MANY else partial_sums
    )


def _halves(units: Array, mode: Literal["rtn", "rtp"]) -> Array:
    """Convert integers back to halves, rounded in a mode."""
    doubles = np.clip(np.asarray(units), -_FAR, _FAR).astype(np.float64)  # exact
    with np.errstate(all="ignore"):
        return np.asarray(hc.convert(doubles / _UNITS, hc.half, rounding=mode))


def _fix_special(x: Bounds, totals: Bounds, any_of: Callable[[Array], Array]) -> Interval:
    """Correct sums of finite bounds for infinite bounds and empty intervals."""
    low, high = (np.asarray(v) for v in totals)
    low = select(any_of(np.equal(x[0], -INF)), -INF, low)
    high = select(any_of(np.equal(x[1], INF)), INF, high)
    return Interval.of(make_empty(any_of(is_empty(x)), low, high))


def mean(x: object, axis: Axes = None, keepdims: bool = False) -> Interval:
    """Return the range of means along axes.

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
        If there are no elements.

    Notes
    -----
    Accuracy: tightest; exact, then rounded outward once, whatever the length.

    >>> from halfcl.interval import Interval, mean
    >>> mean(Interval([1, 2, 2], [2, 2, 3]))
    Interval('[1.666, 2.334]')
    """
    bounds = as_bounds(x, "x")
    axes = axes_of(axis, bounds[0].ndim)
    low, high = (sums.merge_axes(v, axes) for v in bounds)
    n = low.shape[-1]
    if n == 0:
        raise ValueError(f"mean: expected at least one interval, got shape {bounds[0].shape}")
    # The greatest multiple of 2^-24 that is not above the mean has the same halves below it.
    below, above = _totals(low) // n, -(-_totals(high) // n)
    rounded = _halves(below, "rtn"), _halves(above, "rtp")
    result = _fix_special((low, high), rounded, lambda where: np.any(where, axis=-1))
    return result.reshape(sums.keepdims_shape(bounds[0].shape, axes)) if keepdims else result


def cumsum(x: object, axis: SupportsIndex | None = None) -> Interval:
    """Return the range of running sums: of the first element, the first two, and so on.

    Parameters
    ----------
    x : Interval
    axis : int, optional
        Default: all elements in order.

    Notes
    -----
    Accuracy: tightest; each sum exact, then rounded outward once.

    >>> from halfcl.interval import Interval, cumsum
    >>> cumsum(Interval([1, 2, 2], [2, 2, 3]))
    Interval(['[1, 2]', '[3, 4]', '[5, 7]'])
    """
    bounds = as_bounds(x, "x")
    if axis is None:
        bounds, axis = (bounds[0].ravel(), bounds[1].ravel()), 0
    place = axis_of(axis, bounds[0].ndim)
    low, high = move_axis(bounds, place, -1)
    below, above = (np.cumsum(_units(v), axis=-1) for v in (low, high))
    rounded = _halves(below, "rtn"), _halves(above, "rtp")
    since = np.logical_or.accumulate
    result = _fix_special((low, high), rounded, lambda where: np.asarray(since(where, axis=-1)))
    return Interval.of(move_axis((result._lo, result._hi), -1, place))


def _coefficients(n: int) -> Array:
    """Return the coefficients of n-th differences, binomials with alternating signs, as halves."""
    numbers = [(-1) ** (n - k) * math.comb(n, k) for k in range(n + 1)]
    with np.errstate(all="ignore"):  # overflow is detected below
        halves = np.asarray(hc.convert(numbers, hc.half))
    if any(float(h) != number for h, number in zip(halves, numbers, strict=True)):
        raise ValueError(
            f"diff: n: expected at most 13, got {n}; larger coefficients are not halves"
        )
    return halves


def diff(x: object, n: int = 1, axis: int = -1) -> Interval:
    """Return the range of n-th differences along an axis, where each interval varies freely.

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
    n = as_int("diff: n", n)
    if n < 0:
        raise ValueError(f"diff: n: expected 0 or more, got {n}")
    bounds = as_bounds(x, "x")
    place = axis_of(axis, bounds[0].ndim)
    low, high = move_axis(bounds, place, -1)
    m = max(low.shape[-1] - n, 0)  # the number of differences
    terms = [(low[..., k : k + m], high[..., k : k + m]) for k in range(n + 1 if m else 1)]
    if len(terms) == 2:
        differences = sub(terms[1], terms[0])
    elif len(terms) == 1:
        differences = low[..., :m].copy(), high[..., :m].copy()
    else:
        low, high = (np.stack([term[i] for term in terms], axis=-1) for i in (0, 1))
        result = sums.dot(Interval.of((low, high)), _coefficients(n))
        differences = result._lo, result._hi
    return Interval.of(move_axis(differences, -1, place))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: wrap_array_function(f, 1) for f in (mean, cumsum, diff)
}
