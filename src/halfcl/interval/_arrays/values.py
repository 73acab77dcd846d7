"""Conversion of operands to bounds: intervals, halves, numbers of any kind, text."""

from __future__ import annotations

import math
import operator
from typing import Any, SupportsIndex, TypeGuard

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._opencl.conversion.exact import ratio
from halfcl._support.arguments.masks import check_unmasked
from halfcl.interval._arrays import text
from halfcl.interval._bounds.pairs import HALF, Axes, Base, Bounds, Halves, Truths
from halfcl.typing import RoundingMode

#: The dtypes whose values are all halves.
_EXACT = tuple(np.dtype(t) for t in (hc.half, np.float16, np.bool, np.int8, np.uint8))
#: The types of numbers that `half` converts fastest.
_QUICK = (float, int, hc.half)
_FROM_VALUES = "use interval.from_values(x)"


def is_exact(dtype: np.dtype[Any]) -> bool:
    """Return whether all values of a dtype are halves."""
    return dtype.newbyteorder("=") in _EXACT


def _kind(x: object) -> str:
    """Return the letter of an operand's dtype kind, "O" without a dtype.

    A class has an attribute ``dtype``, too, which is not a dtype.
    """
    dtype = getattr(x, "dtype", None)
    return dtype.kind if isinstance(dtype, np.dtype) else "O"


def has_text(values: object) -> bool:
    """Return whether there is text among values."""
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return values.dtype.kind in "UT"
    return any(isinstance(x, str) for x in np.array(values, object).ravel())


def _parse(values: object) -> Bounds:
    """Return the bounds of text, among which there may be numbers."""
    objects = np.array(values, object)
    low, high = np.empty(objects.shape, HALF), np.empty(objects.shape, HALF)
    for index, item in np.ndenumerate(objects):
        low[index], high[index] = text.parse(item) if isinstance(item, str) else enclose(item)
    return low, high


def _convert(values: object, mode: RoundingMode, argument: str) -> Halves:
    numbers: Any = values  # includes types that NumPy does not know, such as Fraction
    try:
        halves: Halves = hc.convert(numbers, hc.half, rounding=mode)
    except TypeError as error:  # which names the argument differently
        raise TypeError(f"{argument}: {str(error).rpartition('argument 1 (x): ')[2]}") from None
    return halves


def enclose(values: object, argument: str = "x") -> Bounds:
    """Return the tightest bounds of numbers, or of text."""
    if isinstance(values, Base):
        return values._lo.copy(), values._hi.copy()
    check_unmasked(values, argument)
    if isinstance(values, bytes | complex | None) or _kind(values) in "ScmM":
        raise TypeError(f"{argument}: expected numbers or text, got {type(values).__name__}")
    with np.errstate(all="ignore"):
        if isinstance(values, str):
            below, above = text.parse(values)
            return np.asarray(below), np.asarray(above)
        if not isinstance(values, int | float | np.generic) and has_text(values):
            return _parse(values)
        low, high = _convert(values, "rtn", argument), _convert(values, "rtp", argument)
        if np.isnan(low).any():
            raise ValueError(
                f"{argument}: expected numbers, got NaN; use interval.empty for the empty set"
            )
    return np.asarray(low), np.asarray(high)


def parse_numbers(values: object) -> object:
    """Return numbers as they are, and text as exact numbers."""
    if isinstance(values, Base):
        raise TypeError("lo, hi: expected numbers, got Interval")
    if isinstance(values, str):
        return text.number(values)
    if isinstance(values, int | float | np.generic) or not has_text(values):
        return values
    objects = np.array(values, object)
    for index, item in np.ndenumerate(objects):
        objects[index] = text.number(item) if isinstance(item, str) else item
    return objects


def _is_above(low: object, high: object) -> bool:
    """Return whether low > high for two numbers, exactly."""
    (n, d), (m, e) = ratio(low), ratio(high)
    return n * e > m * d


def _find_misordered(candidates: Truths, low: object, high: object) -> NDArray[Any]:
    """Return which candidates, too close to decide by halves, have low > high."""
    wrong = np.array(candidates)
    lows, highs = (np.broadcast_to(np.array(x, object), wrong.shape) for x in (low, high))
    for index in map(tuple, np.argwhere(wrong)):
        wrong[index] = _is_above(lows[index], highs[index])
    return wrong


def check_order(below: Bounds, above: Bounds, low: object, high: object) -> None:
    """Raise ValueError if a lower bound is above the upper one, or is inf, or the upper is -inf.

    below, above: enclosures of the bounds; low, high: the bounds themselves.
    """
    try:
        np.broadcast_shapes(below[0].shape, above[0].shape)
    except ValueError:
        raise ValueError(
            f"lo, hi: expected shapes that broadcast, got {below[0].shape} and {above[0].shape}"
        ) from None
    check_reals((below[0], above[1]))
    if _kind(low) == _kind(high) == "f":
        bounds: tuple[Any, Any] = low, high  # NumPy arrays or scalars
        wrong = np.greater(*bounds)
    else:
        wrong = np.greater(below[0], above[1])
        if (close := np.greater(below[1], above[0]) & ~wrong).any():
            wrong = wrong | _find_misordered(close, low, high)
    _refuse("lo: expected at most hi", wrong, (below[0], above[1]))


def check_reals(bounds: Bounds) -> None:
    """Raise ValueError if a lower bound is inf, or an upper one -inf."""
    _refuse("lo: expected less than inf", np.equal(bounds[0], np.inf), bounds)
    _refuse("hi: expected more than -inf", np.equal(bounds[1], -np.inf), bounds)


def _refuse(expected: str, wrong: Truths, bounds: Bounds) -> None:
    if np.any(wrong):
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        low, high = (np.broadcast_to(x, np.shape(wrong))[index] for x in bounds)
        where = f" at index {index}" if index else ""
        raise ValueError(f"{expected}, got lo={low!s} and hi={high!s}{where}")


def halves(x: object, argument: str) -> NDArray[Any]:
    """Return an array of halves as it is; raise TypeError for other types."""
    check_unmasked(x, argument)
    array = np.asarray(x)
    if not is_exact(array.dtype):
        raise TypeError(f"{argument}: expected half, got {array.dtype}; {_FROM_VALUES}")
    return np.asarray(hc.convert(array, hc.half)) if array.dtype != HALF else array


def _is_exact_float(x: object) -> TypeGuard[float]:
    """Return whether a number of the commonest types is finite, and exact as a float."""
    number: Any = x
    return abs(number) < 2**53 if type(number) is int else math.isfinite(number)


def _enclose_float(x: float) -> Bounds:
    """Return `enclose` of a finite float, quickly."""
    with np.errstate(all="ignore"):
        low = hc.half(x)
        if float(low) == x:
            return np.asarray(low), np.asarray(low)
        return np.asarray(hc.half(x, rounding="rtn")), np.asarray(hc.half(x, rounding="rtp"))


def as_bounds(x: object, argument: str = "argument") -> Bounds:
    """Return the bounds of an operand: an interval, halves, or a number, which is enclosed."""
    if isinstance(x, Base):
        return x._lo, x._hi
    if type(x) in _QUICK and _is_exact_float(x):
        return _enclose_float(float(x))
    if isinstance(x, np.ndarray):
        low = high = halves(x, argument)
    elif isinstance(x, str):
        raise TypeError(f"{argument}: expected intervals or numbers, got str; {_FROM_VALUES}")
    else:
        low, high = enclose(x, argument)
    unreal = ~np.isfinite(low) & ~np.isfinite(high)
    if np.any(unreal):
        raise ValueError(f"{argument}: expected finite numbers, got {low[unreal].ravel()[0]!s}")
    return low, high


def axis_of(axis: SupportsIndex, ndim: int, expected: str = "an integer") -> int:
    """Return the nonnegative number of one axis."""
    try:
        place = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis: expected {expected}, got {axis!r}") from None
    if not -ndim <= place < ndim:
        raise np.exceptions.AxisError(place, ndim)
    return place % ndim


def axes_of(axis: Axes, ndim: int) -> tuple[int, ...]:
    """Return the nonnegative numbers of several axes; of all for None."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, tuple):
        return (axis_of(axis, ndim, "an integer or a tuple of them"),)
    places = tuple(axis_of(i, ndim) for i in axis)
    if len(set(places)) < len(places):
        raise ValueError(f"axis: expected distinct axes, got {axis!r}")
    return places
