"""Which work-items of a block are active, and integers that differ among them evenly.

A block runs in lockstep: a value is an array over its items, or one value for all of them. A
mask says who is active: None for all items, DEAD for none, else an array of truths.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.cl._types import DType

DEAD: Final = False

#: Of some items, at least one.
Truths = NDArray[np.bool_]
Mask: TypeAlias = Truths | Literal[False] | None

#: The same, of some items or all.
Active: TypeAlias = Truths | None


class Axes:
    """A block's extents in as many dimensions as it needs, the slowest first."""

    __slots__ = ("count", "extents", "lasts", "zeros")

    def __init__(self, extents: tuple[int, ...]) -> None:
        self.extents = extents
        self.lasts = tuple([extent - 1 for extent in extents])
        self.count = math.prod(extents)
        self.zeros = (0,) * len(extents)


class Table:
    """What each coordinate along an axis comes to, where that is no multiple of it: of the first 0.

    low, high: all values are from here to there.
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
        """low and high are right even where values do not fit in 64 bits."""
        if factor == 0:
            return 0
        low, high = sorted((self.low * factor, self.high * factor))
        wrapped = (factor + _SIGN) % (2 * _SIGN) - _SIGN  # as the product would be
        return Table(self.values * np.int64(wrapped), low, high)

    def runs(self, most: int) -> list[tuple[int, int, int]] | None:
        """First, count and step of parts that are even, one after the other: None of more."""
        steps = np.diff(self.values)
        found: list[tuple[int, int, int]] = []
        first = 0
        while first < len(self.values):
            if len(found) == most:
                return None
            step = int(steps[first]) if first < len(steps) else 0
            others = np.flatnonzero(steps[first:] != step)
            count = int(others[0]) + 1 if len(others) else len(self.values) - first
            found.append((first, count, step))
            first += count
        return found


_SIGN = 1 << 63

#: Along an axis.
Step: TypeAlias = int | Table


@final
class Ramp:
    """Integers base + steps . coordinates: of work-items, and what is computed from these.

    A step may be a `Table`: what differs along one axis alone is computed once for all items that
    share its coordinate, x % width of a row and not of an image.
    """

    __slots__ = ("_array", "_bounds", "axes", "base", "steps")

    def __init__(self, base: int, steps: tuple[Step, ...], axes: Axes) -> None:
        self.base, self.steps, self.axes = base, steps, axes
        self._array: NDArray[np.int64] | None = None
        self._bounds: tuple[int, int] | None = None

    @property
    def is_even(self) -> bool:
        """Whether it has no tables."""
        return Table not in map(type, self.steps)

    @property
    def strides(self) -> tuple[int, ...]:
        """The steps of one that is even."""
        return self.steps  # type: ignore[return-value]

    def is_multiple_of(self, size: int) -> bool:
        """Whether all its integers are, of a power of two."""
        last_bits = size - 1
        if self.is_even:
            return not math.gcd(self.base, *self.strides) & last_bits
        steps = (step.values if isinstance(step, Table) else step for step in self.steps)
        return not (self.base & last_bits or any(np.any(step & last_bits) for step in steps))

    @property
    def is_one_axis(self) -> bool:
        """Whether, of one that is even, each item's is as much beyond that of the item before."""
        steps, extents = self.strides, self.axes.extents
        return all(steps[k - 1] == steps[k] * extents[k] for k in range(1, len(steps)))

    def is_apart(self, size: int) -> bool:
        """Of one that is even, of offsets: whether no two items have a byte of so many in common:
        each step goes beyond all shorter ones."""
        steps, lasts = self.strides, self.axes.lasts
        if len(steps) == 1:
            return abs(steps[0]) >= size or lasts[0] == 0
        for step, last in sorted(zip(map(abs, steps), lasts, strict=True)):
            if step < size and last:
                return False
            size += step * last
        return True

    def array(self) -> NDArray[np.int64]:
        if self._array is None:
            extents = self.axes.extents
            found: Any = np.int64(self.base)
            for axis, step in enumerate(self.steps):
                if step:
                    shape = [1] * len(extents)
                    shape[axis] = extents[axis]
                    found = found + _values(step, extents[axis]).reshape(shape)
            self._array = np.broadcast_to(found, extents).reshape(-1)
        return self._array

    def bounds(self) -> tuple[int, int]:
        """Least and greatest; of sums of tables perhaps less, and greater."""
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


def _values(step: Step, extent: int) -> NDArray[np.int64]:
    """Of all coordinates along an axis."""
    return step.values if isinstance(step, Table) else np.arange(extent) * step


Array: TypeAlias = NDArray[Any]

#: Numbers: an integer of all items, integers that differ evenly, or an array.
Value: TypeAlias = int | Ramp | Array

_New = TypeVar("_New", bound=Value)

#: What is true of the items: of all of them alike, or of each.
Truth: TypeAlias = bool | Truths


def ramp(base: int, steps: tuple[Step, ...], axes: Axes) -> Ramp | int:
    """An int where nothing differs."""
    return Ramp(base, steps, axes) if any(steps) else base


def spread(value: Value) -> int | Array:
    """An array over the items where they differ evenly; what is none of these as it is."""
    return value.array() if type(value) is Ramp else value


def add(a: Ramp | int, b: Ramp | int) -> Ramp | int:
    """The sum."""
    if type(a) is not Ramp:
        return _moved(b, a) if type(b) is Ramp else a + b
    if type(b) is not Ramp:
        return _moved(a, b) if b else a
    steps = tuple(map(operator.add, a.steps, b.steps))
    return ramp(a.base + b.base, steps, a.axes)


def _moved(a: Ramp, by: int) -> Ramp:
    found = Ramp(a.base + by, a.steps, a.axes)
    if a._bounds is not None:
        found._bounds = a._bounds[0] + by, a._bounds[1] + by
    return found


def scale(a: Ramp | int, factor: int) -> Ramp | int:
    """A multiple."""
    if type(a) is not Ramp:
        return a * factor
    if factor == 0:
        return 0
    found = Ramp(a.base * factor, tuple([step * factor for step in a.steps]), a.axes)
    if a._bounds is not None:
        low, high = a._bounds[0] * factor, a._bounds[1] * factor
        found._bounds = (low, high) if factor > 0 else (high, low)
    return found


def _only_axis(value: Ramp) -> int | None:
    """The axis along which integers differ; None if they differ along more."""
    axes = [axis for axis, step in enumerate(value.steps) if step]
    return axes[0] if len(axes) == 1 else None


def _shared_axis(value: Ramp) -> int | None:
    """The same of several axes; None if there is one for all items."""
    return _only_axis(value) if len(value.axes.extents) > 1 else None


def _along(value: Ramp, axis: int) -> NDArray[np.int64]:
    """Integers that differ along that axis alone."""
    found: NDArray[np.int64] = value.base + _values(value.steps[axis], value.axes.extents[axis])
    return found


def mapped(value: Ramp, dtype: DType, function: Callable[[Array], Array]) -> Ramp | int | None:
    """What a function makes of integers that differ along one axis of several; None of others."""
    axis = _shared_axis(value)
    if axis is None:
        return None
    found = function(_along(value, axis).astype(dtype))
    low, high = int(found.min()), int(found.max())
    if high >= _SIGN:
        return None
    values = found.astype(np.int64)
    base = int(values[0])
    steps: list[Step] = [0] * len(value.steps)
    steps[axis] = Table(values - base, low - base, high - base) if low < high else 0
    return ramp(base, tuple(steps), value.axes)


class Stripe:
    """What is true of each coordinate along an axis, wherever items are on the others."""

    __slots__ = ("axes", "axis", "values")

    def __init__(self, axes: Axes, axis: int, values: Truths) -> None:
        self.axes, self.axis, self.values = axes, axis, values

    def array(self) -> Truths:
        shape = [1] * len(self.axes.extents)
        shape[self.axis] = len(self.values)
        return np.broadcast_to(self.values.reshape(shape), self.axes.extents).reshape(-1)


def stripe(value: Ramp, of_arrays: Callable[[Array], Truths]) -> Stripe | None:
    """The same of a comparison."""
    axis = _only_axis(value)
    return None if axis is None else Stripe(value.axes, axis, of_arrays(_along(value, axis)))


def truths(value: Ramp, of_arrays: Callable[[Array], Truths]) -> Truths | None:
    """The same as an array, where several axes make it worth while."""
    found = stripe(value, of_arrays) if len(value.axes.extents) > 1 else None
    return None if found is None else found.array()


# ---------------------------------------------------------------- masks


def narrow(mask: Mask, truth: Truth) -> Mask:
    """Those of the active items for which it is true: if all are, the mask itself."""
    return split(mask, truth)[0]


def split(mask: Mask, truth: Truth) -> tuple[Mask, Mask]:
    """Those for which it is true, and the others."""
    if truth is True or mask is DEAD:
        return mask, DEAD
    return (DEAD, mask) if truth is False else _core.parted(mask, truth)


def union(a: Mask, b: Mask) -> Mask:
    """Those of either mask."""
    if a is DEAD or b is None:
        return b
    return a if b is DEAD or a is None else a | b


def without(mask: Mask, gone: Mask) -> Mask:
    """The active items that are not gone."""
    if gone is DEAD or mask is DEAD:
        return mask
    if gone is None or gone is mask:
        return DEAD
    left = ~gone if mask is None else mask & ~gone
    return left if left.any() else DEAD


def rejoined(before: Mask, branches: list[tuple[Mask, Mask]], others: Mask) -> Mask:
    """After an if: who comes out of the branches, each by who went in and who came out of it.

    before: who came to the if, and is still there where nobody has left.
    """
    for entered, left in branches:
        if entered is not left:
            break
    else:
        return before
    for _, left in branches:
        others = union(others, left)
    return others


def first_active(mask: Mask) -> int:
    """The index of the first item."""
    return 0 if mask is None else int(np.flatnonzero(mask)[0])


def last_active(mask: Mask) -> int:
    """The index of the last item; -1 is that of all."""
    if mask is None:
        return -1
    return int(np.flatnonzero(mask)[-1])


def plain(value: Value, dtype: DType) -> Array:
    """As what NumPy's functions take: an integer of all items, or that differs evenly, too.

    Of an integer of all items NumPy's scalar, which is to them an array without axes.
    """
    if type(value) is int:
        found: Array = dtype.type(value)
        return found
    return value.array().astype(dtype) if type(value) is Ramp else value  # type: ignore[return-value]


def as_array(value: Value, dtype: DType) -> Array:
    """As an array of that dtype: a number as one of one element."""
    found = plain(value, dtype)
    if type(found) is not np.ndarray:
        return np.array([found], dtype)
    return found if found.dtype is dtype or found.dtype == dtype else found.astype(dtype)


def as_vectors(value: Value, dtype: DType) -> Array:
    """The same of vectors, which have two axes."""
    found = as_array(value, dtype)
    return found if found.ndim == 2 else found.reshape(1, 1)


def blend(mask: Mask, declared: Mask, new: _New, old: Value, dtype: DType) -> _New | Array:
    """The new number for active items, the old one for others.

    declared: who was active where the variable was declared; nobody else will read it.
    """
    if mask is None or mask is declared or new is old:
        return new
    return _core.blended(mask, as_array(new, dtype), as_array(old, dtype))  # type: ignore[arg-type]


def blend_vectors(mask: Mask, declared: Mask, new: _New, old: Value, dtype: DType) -> _New | Array:
    """`blend`, of components in rows."""
    if mask is None or mask is declared or new is old:
        return new
    return _core.blended(mask, as_vectors(new, dtype), as_vectors(old, dtype))  # type: ignore[arg-type]
