"""Masks over the work-items of a block, and ramps: integers that differ evenly among them.

A block runs in lockstep: a value is an array over its items, or one value for all of them. A mask
holds the active items: None for all items, DEAD for none, else an array of bool.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.cl._frontend.types import DType

DEAD: Final = False

#: A bool per work-item. As a mask it has at least one active item.
Truths = NDArray[np.bool_]
Mask: TypeAlias = Truths | Literal[False] | None

#: A mask that is not DEAD: None if all items are active.
Active: TypeAlias = Truths | None


class Axes:
    """The extents of a block in as many dimensions as it needs, the slowest first."""

    __slots__ = ("count", "extents", "lasts")

    def __init__(self, extents: tuple[int, ...]) -> None:
        self.extents = extents
        self.lasts = tuple([extent - 1 for extent in extents])
        self.count = math.prod(extents)

    def numbers(self) -> Ramp | int:
        """Return the number of each item in the block."""
        steps = [math.prod(self.extents[axis + 1 :]) for axis in range(len(self.extents))]
        return ramp(0, tuple(steps), self) if self.count > 1 else 0


class Table:
    """Offset of each coordinate along an axis, as a table; the first is 0.

    low, high: bounds of all values.
    """

    __slots__ = ("high", "low", "values")

    def __init__(self, values: NDArray[np.int64], low: int, high: int) -> None:
        self.values, self.low, self.high = values, low, high

    def __add__(self, other: Step) -> Step:
        if other == 0:
            return self
        if isinstance(other, Table):
            values, low, high = other.values, other.low, other.high
        else:
            extent = len(self.values)
            last = other * (extent - 1)
            values, low, high = np.arange(extent) * other, min(last, 0), max(last, 0)
        return Table(self.values + values, self.low + low, self.high + high)

    __radd__ = __add__

    def __mul__(self, factor: int) -> Step:
        """Multiply by an int; low and high are right even where values overflow 64 bits."""
        if factor == 0:
            return 0
        low, high = sorted((self.low * factor, self.high * factor))
        wrapped = (factor + _SIGN) % (2 * _SIGN) - _SIGN  # wraps as the product does
        return Table(self.values * np.int64(wrapped), low, high)

    def runs(self, most: int) -> list[tuple[int, int, int]] | None:
        """Return first, count and step of each evenly spaced run; None if more than `most`."""
        steps = np.diff(self.values)
        runs: list[tuple[int, int, int]] = []
        first = 0
        while first < len(self.values):
            if len(runs) == most:
                return None
            step = int(steps[first]) if first < len(steps) else 0
            others = np.flatnonzero(steps[first:] != step)
            count = int(others[0]) + 1 if len(others) else len(self.values) - first
            runs.append((first, count, step))
            first += count
        return runs


_SIGN = 1 << 63

#: The offsets along an axis: a constant step, or a table.
Step: TypeAlias = int | Table


@final
class Ramp:
    """Integers base + steps . coordinates: ids of work-items, and what is computed from them.

    A step may be a `Table`: what differs along one axis only is computed once for all items that
    share its coordinate (x % width once per row, not per pixel).
    """

    __slots__ = ("_array", "_bounds", "_results", "axes", "base", "steps")

    def __init__(self, base: int, steps: tuple[Step, ...], axes: Axes) -> None:
        self.base, self.steps, self.axes = base, steps, axes
        self._array: NDArray[np.int64] | None = None
        self._bounds: tuple[int, int] | None = None
        self._results: dict[tuple[object, int], Ramp | int] | None = None

    def recall(self, operation: object, number: int) -> Ramp | int | None:
        """Return the result that an operation with a number had for this ramp, if it is kept."""
        return None if self._results is None else self._results.get((operation, number))

    def keep(self, operation: object, number: int, result: Ramp | int) -> Ramp | int:
        """Keep and return a result, since kernels compute the same index again and again.

        Large blocks keep none: results may have arrays, and computing one takes them no time.
        """
        if self.axes.count <= _KEEPING:
            if self._results is None or len(self._results) == _KEPT:
                self._results = {}
            self._results[operation, number] = result
        return result

    @property
    def is_even(self) -> bool:
        """True if it has no tables."""
        return Table not in map(type, self.steps)

    @property
    def strides(self) -> tuple[int, ...]:
        """The steps of an even ramp."""
        return self.steps  # type: ignore[return-value]

    def is_multiple_of(self, size: int) -> bool:
        """Return whether all its integers are multiples of a power of two."""
        last_bits = size - 1
        if self.is_even:
            return not math.gcd(self.base, *self.strides) & last_bits
        steps = (step.values if isinstance(step, Table) else step for step in self.steps)
        return not (self.base & last_bits or any(np.any(step & last_bits) for step in steps))

    @property
    def is_one_axis(self) -> bool:
        """True if an even ramp grows by one constant step from each item to the next."""
        steps, extents = self.strides, self.axes.extents
        return all(steps[k - 1] == steps[k] * extents[k] for k in range(1, len(steps)))

    def is_apart(self, size: int) -> bool:
        """Return whether accesses of `size` bytes at these offsets never overlap; the ramp is even.

        They do not if each step exceeds the extent of all shorter ones.
        """
        steps, lasts = self.strides, self.axes.lasts
        if len(steps) == 1:
            return abs(steps[0]) >= size or lasts[0] == 0
        for step, last in sorted(zip(map(abs, steps), lasts, strict=True)):
            if step < size and last:
                return False
            size += step * last
        return True

    def array(self) -> NDArray[np.int64]:
        """Return the integers as an array over the items."""
        if self._array is None:
            extents = self.axes.extents
            result: Any = np.int64(self.base)
            for axis, step in enumerate(self.steps):
                if step:
                    shape = [1] * len(extents)
                    shape[axis] = extents[axis]
                    result = result + _values(step, extents[axis]).reshape(shape)
            self._array = np.broadcast_to(result, extents).reshape(-1)
        return self._array

    def bounds(self) -> tuple[int, int]:
        """Return lower and upper bounds; exact unless several tables are summed."""
        if self._bounds is None:
            low = high = self.base
            for step, last in zip(self.steps, self.axes.lasts, strict=True):
                if isinstance(step, Table):
                    low, high = low + step.low, high + step.high
                elif step < 0:
                    low += step * last
                else:
                    high += step * last
            self._bounds = low, high
        return self._bounds


#: The most items of a block whose ramps keep results, and the most results that each keeps.
_KEEPING, _KEPT = 1 << 16, 16


def _values(step: Step, extent: int) -> NDArray[np.int64]:
    """Return the offsets of all coordinates along an axis."""
    return step.values if isinstance(step, Table) else np.arange(extent) * step


Array: TypeAlias = NDArray[Any]

#: A number per work-item: one integer for all items, a ramp, or an array.
Value: TypeAlias = int | Ramp | Array

_New = TypeVar("_New", bound=Value)

#: A condition: one bool for all items, or one per item.
Truth: TypeAlias = bool | Truths


def ramp(base: int, steps: tuple[Step, ...], axes: Axes) -> Ramp | int:
    """Return a ramp, or an int if all steps are 0."""
    return Ramp(base, steps, axes) if any(steps) else base


def spread(value: Value) -> int | Array:
    """Return a ramp as an array over the items; other values unchanged."""
    return value.array() if type(value) is Ramp else value


def add(a: Ramp | int, b: Ramp | int) -> Ramp | int:
    """Add two ramps or ints."""
    if type(a) is not Ramp:
        return _shift(b, a) if type(b) is Ramp else a + b
    if type(b) is not Ramp:
        return _shift(a, b) if b else a
    steps = tuple(map(operator.add, a.steps, b.steps))
    return ramp(a.base + b.base, steps, a.axes)


def _shift(a: Ramp, by: int) -> Ramp:
    """Add an int to a ramp."""
    result = Ramp(a.base + by, a.steps, a.axes)
    if a._bounds is not None:
        result._bounds = a._bounds[0] + by, a._bounds[1] + by
    return result


def scale(a: Ramp | int, factor: int) -> Ramp | int:
    """Multiply a ramp or an int by a factor."""
    if type(a) is not Ramp:
        return a * factor
    if factor == 0:
        return 0
    known = a.recall(scale, factor)
    if known is not None:
        return known
    result = Ramp(a.base * factor, tuple([step * factor for step in a.steps]), a.axes)
    if a._bounds is not None:
        low, high = a._bounds[0] * factor, a._bounds[1] * factor
        result._bounds = (low, high) if factor > 0 else (high, low)
    return a.keep(scale, factor, result)


def _only_axis(value: Ramp) -> int | None:
    """Return the axis along which a ramp varies; None if it varies along several."""
    axes = [axis for axis, step in enumerate(value.steps) if step]
    return axes[0] if len(axes) == 1 else None


def _shared_axis(value: Ramp) -> int | None:
    """Return the only axis along which a ramp varies, in a block of several axes; else None."""
    return _only_axis(value) if len(value.axes.extents) > 1 else None


def _along(value: Ramp, axis: int) -> NDArray[np.int64]:
    """Return the integers along the only axis on which the ramp varies."""
    result: NDArray[np.int64] = value.base + _values(value.steps[axis], value.axes.extents[axis])
    return result


def map_axis(value: Ramp, dtype: DType, function: Callable[[Array], Array]) -> Ramp | int | None:
    """Apply a function along the only varying axis of several; return None for other ramps."""
    axis = _shared_axis(value)
    if axis is None:
        return None
    result = function(_along(value, axis).astype(dtype))
    low, high = int(result.min()), int(result.max())
    if high >= _SIGN:
        return None
    values = result.astype(np.int64)
    base = int(values[0])
    steps: list[Step] = [0] * len(value.steps)
    steps[axis] = Table(values - base, low - base, high - base) if low < high else 0
    return ramp(base, tuple(steps), value.axes)


class Stripe:
    """A condition that holds where each of several conditions on one coordinate holds.

    conditions: by axis, a bool per coordinate; axes that are left out do not matter.
    """

    __slots__ = ("axes", "conditions")

    def __init__(self, axes: Axes, conditions: dict[int, Truths]) -> None:
        self.axes, self.conditions = axes, conditions

    def array(self) -> Truths:
        """Return the condition as an array over the items."""
        extents = self.axes.extents
        result: Truths | None = None
        for axis, values in self.conditions.items():
            shape = [1] * len(extents)
            shape[axis] = len(values)
            along: Truths = values.reshape(shape)
            result = along if result is None else result & along
        assert result is not None
        return np.broadcast_to(result, extents).reshape(-1)

    def __and__(self, other: Stripe) -> Stripe:
        """Return the condition that both hold, in one block."""
        conditions = dict(self.conditions)
        for axis, values in other.conditions.items():
            conditions[axis] = conditions[axis] & values if axis in conditions else values
        return Stripe(self.axes, conditions)


def stripe(value: Ramp, of_arrays: Callable[[Array], Truths]) -> Stripe | None:
    """Compare a ramp that varies along one axis only; return None for other ramps."""
    axis = _only_axis(value)
    return None if axis is None else Stripe(value.axes, {axis: of_arrays(_along(value, axis))})


def truths(value: Ramp, of_arrays: Callable[[Array], Truths]) -> Truths | None:
    """Compare such a ramp, as an array over the items; return None in blocks of one axis."""
    condition = stripe(value, of_arrays) if len(value.axes.extents) > 1 else None
    return None if condition is None else condition.array()


# ---------------------------------------------------------------- masks


def narrow(mask: Mask, truth: Truth) -> Mask:
    """Return the active items for which a condition is true; the mask itself if all are."""
    return split(mask, truth)[0]


def split(mask: Mask, truth: Truth) -> tuple[Mask, Mask]:
    """Return the active items for which a condition is true, and those for which it is false."""
    if truth is True or mask is DEAD:
        return mask, DEAD
    return (DEAD, mask) if truth is False else _core.split_mask(mask, truth)


def union(a: Mask, b: Mask) -> Mask:
    """Return the items that are active in either mask."""
    if a is DEAD or b is None:
        return b
    return a if b is DEAD or a is None else a | b


def without(mask: Mask, gone: Mask) -> Mask:
    """Return the active items that are not in `gone`."""
    if gone is DEAD or mask is DEAD:
        return mask
    if gone is None or gone is mask:
        return DEAD
    remaining = ~gone if mask is None else mask & ~gone
    return remaining if remaining.any() else DEAD


def merge_branches(before: Mask, branches: list[tuple[Mask, Mask]], others: Mask) -> Mask:
    """Merge the masks after an if statement.

    branches: per branch, the mask at its entry and at its end. before: the mask at the if, which is
    still right if no item has left (by break, continue or return).
    """
    for entered, remaining in branches:
        if entered is not remaining:
            break
    else:
        return before
    for _, remaining in branches:
        others = union(others, remaining)
    return others


def first_active(mask: Mask) -> int:
    """Return the index of the first active item."""
    return 0 if mask is None else int(np.flatnonzero(mask)[0])


def last_active(mask: Mask) -> int:
    """Return the index of the last active item; -1 if all are active."""
    if mask is None:
        return -1
    return int(np.flatnonzero(mask)[-1])


def as_operand_array(value: Value, dtype: DType) -> Array:
    """Return a value as an operand for NumPy's functions.

    An int becomes a scalar of NumPy, which NumPy treats as an array without axes.
    """
    if type(value) is int:
        scalar: Array = dtype.type(value)
        return scalar
    return value.array().astype(dtype) if type(value) is Ramp else value  # type: ignore[return-value]


def as_array(value: Value, dtype: DType) -> Array:
    """Return a value as an array of a dtype; an int as an array of one element."""
    array = as_operand_array(value, dtype)
    if type(array) is not np.ndarray:
        return np.array([array], dtype)
    return array if array.dtype is dtype or array.dtype == dtype else array.astype(dtype)


def as_vectors(value: Value, dtype: DType) -> Array:
    """Return a vector value as an array with two axes."""
    array = as_array(value, dtype)
    return array if array.ndim == 2 else array.reshape(1, 1)


def blend(mask: Mask, declared: Mask, new: _New, old: Value, dtype: DType) -> _New | Array:
    """Return the new value for active items and the old one for others.

    declared: the mask at the variable's declaration; no other item will read it.
    """
    if mask is None or mask is declared or new is old:
        return new
    return _core.blend(mask, as_array(new, dtype), as_array(old, dtype))  # type: ignore[arg-type]


def blend_vectors(mask: Mask, declared: Mask, new: _New, old: Value, dtype: DType) -> _New | Array:
    """Blend vectors, whose components are rows (see `blend`)."""
    if mask is None or mask is declared or new is old:
        return new
    return _core.blend(mask, as_vectors(new, dtype), as_vectors(old, dtype))  # type: ignore[arg-type]
