"""Decorated intervals from bounds, numbers and text; anything else becomes Not an Interval."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TypeGuard

import numpy as np

from halfcl.interval._arrays import text
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import halves
from halfcl.interval._bounds.pairs import NAN, Array, Base, Bounds, Halves, is_empty, select
from halfcl.interval._decorated.decorations import (
    CODE,
    CODES,
    COM,
    DAC,
    ILL,
    TRV,
    is_bounded,
    strongest,
)

#: Bounds and codes of decorations, all of one shape.
BoundsAndCodes = tuple[Bounds, Array]

#: Folder of the package `halfcl.interval`, whose lines no warning names.
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class UndefinedOperationWarning(RuntimeWarning):
    """Issued when a decorated interval is built from something that is not an interval; it is NaI.

    This is IEEE 1788-2015's exception UndefinedOperation (12.1.3). To make it an error:
    ``warnings.simplefilter("error", interval.UndefinedOperationWarning)``.

    Examples
    --------
    >>> import warnings
    >>> from halfcl import interval
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", interval.UndefinedOperationWarning)
    ...     interval.DecoratedInterval(2, 1)
    DecoratedInterval('[nai]')
    """


class IntvlPartOfNaIWarning(RuntimeWarning):
    """Issued when the interval part of NaI is requested; it is the empty set.

    This is IEEE 1788-2015's exception IntvlPartOfNaI (12.1.3).

    Examples
    --------
    >>> import warnings
    >>> from halfcl import interval
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", interval.IntvlPartOfNaIWarning)
    ...     interval.interval_part(interval.nai)
    Interval('[empty]')
    """


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning for the line that called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_undefined(wrong: Array, why: str) -> None:
    """Issue UndefinedOperationWarning if some elements are wrong."""
    if (count := np.count_nonzero(wrong)) == 0:
        return
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"{count} of {wrong.size}, the first at index {index}: " if index else ""
    warn(f"Not an Interval: {where}{why}", UndefinedOperationWarning)


def clamp_decorations(bounds: Bounds, codes: Array) -> BoundsAndCodes:
    """Weaken decorations to what the bounds allow, and empty the intervals of NaI.

    The empty set allows trv at most, an unbounded interval dac.
    """
    ill = np.equal(codes, ILL)
    low, high = (select(ill, NAN, bound) for bound in bounds) if ill.any() else bounds
    codes = np.array(codes, CODE)
    if not (bounded := is_bounded((low, high))).all():
        np.minimum(codes, DAC, out=codes, where=~bounded)
        np.minimum(codes, TRV, out=codes, where=is_empty((low, high)))
    return (low, high), codes


# ---------------------------------------------------------------- arguments of the constructor


def _is_array(x: object) -> TypeGuard[Array]:
    return isinstance(x, np.ndarray) and x.dtype.kind not in "OUT"


def _broadcast(lo: Array, hi: Array) -> tuple[Array, ...]:
    try:
        return np.broadcast_arrays(lo, hi)
    except (ValueError, RuntimeError):  # RuntimeError: more axes than NumPy broadcasts
        shapes = f"{lo.shape} and {hi.shape}"
        raise ValueError(f"lo, hi: expected shapes that broadcast, got {shapes}") from None


def _parse_arrays(lo: Array, hi: Array) -> BoundsAndCodes:
    """Return decorated intervals from arrays of bounds."""
    low, high = _broadcast(halves(lo, "lo"), halves(hi, "hi"))
    wrong = ~np.less_equal(low, high) | np.equal(low, np.inf) | np.equal(high, -np.inf)
    if wrong.any():
        first = tuple(np.argwhere(wrong)[0])
        shown = f"lo={low[first]!s} and hi={high[first]!s}"
        warn_undefined(wrong, f"expected numbers, lo at most hi, got {shown}")
    low, high = (select(wrong, NAN, np.ascontiguousarray(v)) for v in (low, high))
    return (low, high), np.where(wrong, ILL, strongest((low, high))).astype(CODE)


def _parse_element(lo: object, hi: object) -> tuple[Halves, Halves, int]:
    """Return bounds and code from a number, text or two numbers; ValueError if not an interval."""
    if hi is None and isinstance(lo, str):
        low, high, name = text.parse_decorated(lo)
        if name is not None:
            return low, high, CODES[name]
        return low, high, COM
    bare = Interval(lo, hi)
    if bare.ndim:
        raise TypeError(f"lo, hi: expected lists of one length, got several lengths: {lo!r}")
    return bare._lo, bare._hi, COM


def _parse_elements(lo: object, hi: object) -> BoundsAndCodes:
    """Return decorated intervals from any values, one element at a time."""
    lows, highs = _broadcast(np.array(lo, object), np.array(hi, object))
    bounds = np.empty(lows.shape, NAN.dtype), np.empty(lows.shape, NAN.dtype)
    codes, wrong, why = np.zeros(lows.shape, CODE), np.zeros(lows.shape, bool), ""
    with np.errstate(all="ignore"):
        for index in np.ndindex(lows.shape):
            try:
                parsed = _parse_element(lows[index], highs[index])
            except ValueError as problem:
                wrong[index], why = True, why or str(problem)
            else:
                bounds[0][index], bounds[1][index], codes[index] = parsed
    warn_undefined(wrong, why)
    return clamp_decorations(bounds, codes)


def parse_arguments(lo: object, hi: object) -> BoundsAndCodes:
    """Return bounds and the strongest decorations of a constructor's arguments; some may be NaI."""
    if hi is None and not isinstance(lo, Base) and _is_array(lo):
        return _parse_arrays(lo, lo)
    if _is_array(lo) and _is_array(hi):
        return _parse_arrays(lo, hi)
    try:
        bare = Interval(lo, hi)
    except ValueError:  # something is not an interval, or has a decoration
        bare = None
    if bare is None:
        return _parse_elements(lo, hi)
    return (bare._lo, bare._hi), strongest((bare._lo, bare._hi))
