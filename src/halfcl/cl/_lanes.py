"""Which work-items of a block are active, and integers that differ among them evenly.

A block runs in lockstep: a value is an array over its items, or one value for all of them. A
mask says who is active: None for all items, DEAD for none, else an array of truths.
"""

from __future__ import annotations

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

    __slots__ = ("_coordinates", "count", "extents", "zeros")

    def __init__(self, extents: tuple[int, ...]) -> None:
        self.extents = extents
        self.count = int(np.prod(extents, dtype=np.int64))
        self.zeros = (0,) * len(extents)
        self._coordinates: dict[int, NDArray[np.int64]] = {}

    def coordinates(self, axis: int) -> NDArray[np.int64]:
        """Of each item along an axis."""
        if axis not in self._coordinates:
            shape = [1] * len(self.extents)
            shape[axis] = self.extents[axis]
            along = np.arange(self.extents[axis]).reshape(shape)
            self._coordinates[axis] = np.broadcast_to(along, self.extents).reshape(-1)
        return self._coordinates[axis]


@final
class Ramp:
    """Integers base + steps . coordinates: of work-items, and what is computed from these."""

    __slots__ = ("_array", "axes", "base", "steps")

    def __init__(self, base: int, steps: tuple[int, ...], axes: Axes) -> None:
        self.base, self.steps, self.axes = base, steps, axes
        self._array: NDArray[np.int64] | None = None

    def array(self) -> NDArray[np.int64]:
        if self._array is None:
            found: Any = self.base
            for axis, step in enumerate(self.steps):
                if step:
                    along = self.axes.coordinates(axis)
                    found = found + (along if step == 1 else along * step)
            self._array = np.broadcast_to(np.asarray(found, np.int64), self.axes.count)
        return self._array

    def bounds(self) -> tuple[int, int]:
        """Least and greatest."""
        low = high = self.base
        for step, extent in zip(self.steps, self.axes.extents, strict=True):
            if step < 0:
                low += step * (extent - 1)
            else:
                high += step * (extent - 1)
        return low, high


Array: TypeAlias = NDArray[Any]

#: Numbers: an integer of all items, integers that differ evenly, or an array.
Value: TypeAlias = int | Ramp | Array

_New = TypeVar("_New", bound=Value)

#: What is true of the items: of all of them alike, or of each.
Truth: TypeAlias = bool | Truths


def ramp(base: int, steps: tuple[int, ...], axes: Axes) -> Ramp | int:
    """An int where nothing differs."""
    return Ramp(base, steps, axes) if any(steps) else base


def spread(value: Value) -> int | Array:
    """An array over the items where they differ evenly; what is none of these as it is."""
    return value.array() if type(value) is Ramp else value


def add(a: Ramp | int, b: Ramp | int) -> Ramp | int:
    """The sum."""
    if type(a) is not Ramp:
        return Ramp(a + b.base, b.steps, b.axes) if type(b) is Ramp else a + b
    if type(b) is not Ramp:
        return Ramp(a.base + b, a.steps, a.axes)
    steps = tuple(x + y for x, y in zip(a.steps, b.steps, strict=True))
    return ramp(a.base + b.base, steps, a.axes)


def scale(a: Ramp | int, factor: int) -> Ramp | int:
    """A multiple."""
    if type(a) is not Ramp:
        return a * factor
    return ramp(a.base * factor, tuple(step * factor for step in a.steps), a.axes)


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
