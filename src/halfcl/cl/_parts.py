"""Parts of a block: some of its work-items as a block of their own, while the others wait.

Where few items take a branch, or are left in a loop, code for all of them would do much for
nobody. What it reads is narrowed to those few; what it assigns is put back beside what the others
have. Variables in memory stay where they are: only the way to an item's own ones is another.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from halfcl.cl import _lanes as lanes
from halfcl.cl._lanes import DEAD, Array, Axes, Mask, Ramp, Step, Stripe, Table, Truth, Value
from halfcl.cl._launching import Run
from halfcl.cl._numbers import movable
from halfcl.cl._pointers import Memory, Pointer
from halfcl.cl._types import DType

#: A block of fewer items is not parted by a mask: what it takes to do so is longer.
FEWEST = 2048


class Choice(Protocol):
    """Which items of a block."""

    axes: Axes

    def of_ramp(self, value: Ramp) -> Ramp | int:
        """What they have of integers that differ evenly."""

    def of_array(self, array: Array) -> Array:
        """What they have of numbers, or of vectors."""

    def put(self, part: Array, whole: Array) -> None:
        """What they have in place of what is there."""


class Slab:
    """Items at coordinates of one axis that are evenly apart, wherever they are on the others."""

    def __init__(self, axes: Axes, axis: int, first: int, count: int, step: int) -> None:
        before, after = axes.extents[:axis], axes.extents[axis + 1 :]
        self._axis, self._first = axis, first
        self._is_kept = count > 1 or not (before or after)
        self._taken = slice(first, first + (count - 1) * step + 1, step)
        self.axes = Axes((*before, count, *after) if self._is_kept else before + after)
        self._shape = math.prod(before), axes.extents[axis], math.prod(after)
        self._step = step

    def of_ramp(self, value: Ramp) -> Ramp | int:
        axis, step = self._axis, value.steps[self._axis]
        base = value.base
        if isinstance(step, Table):
            base, step = _table(base, step.values[self._taken], step)
        else:
            base, step = base + step * self._first, step * self._step
        kept = (step,) if self._is_kept else ()
        return lanes.ramp(base, (*value.steps[:axis], *kept, *value.steps[axis + 1 :]), self.axes)

    def _of(self, array: Array) -> Array:
        taken: Array = array.reshape(*array.shape[:-1], *self._shape)[..., self._taken, :]
        return taken

    def of_array(self, array: Array) -> Array:
        taken = self._of(movable(array))
        return taken.reshape(*array.shape[:-1], self.axes.count).view(array.dtype)

    def put(self, part: Array, whole: Array) -> None:
        target = self._of(movable(whole))
        if part.shape[-1] == 1:
            target[...] = movable(part)[..., np.newaxis, np.newaxis]
        else:
            target[...] = movable(part).reshape(*part.shape[:-1], *target.shape[-3:])


class Some:
    """Items by their indices, in order."""

    def __init__(self, indices: Array) -> None:
        self._indices = indices
        self.axes = Axes((len(indices),))

    def of_ramp(self, value: Ramp) -> Ramp | int:
        taken = value.array()[self._indices]
        low, high = value.bounds()
        base, step = _table(0, taken, Table(taken, low, high))
        return lanes.ramp(base, (step,), self.axes)

    def of_array(self, array: Array) -> Array:
        return movable(array).take(self._indices, axis=-1).view(array.dtype)

    def put(self, part: Array, whole: Array) -> None:
        movable(whole)[..., self._indices] = movable(part)


def _table(base: int, values: Array, of_all: Table) -> tuple[int, Step]:
    """Some values of a table, as one whose first is 0, and the base that it then has."""
    first = int(values[0])
    return base + first, Table(values - first, of_all.low - first, of_all.high - first)


def slab(stripe: Stripe) -> Slab | None:
    """The items for which it is true, if they are that: at least one, and half of all at most."""
    found = np.flatnonzero(stripe.values)
    if not 0 < 2 * len(found) <= len(stripe.values):
        return None
    first, count = int(found[0]), len(found)
    step = int(found[1]) - first if count > 1 else 1
    is_even = int(found[-1]) - first == step * (count - 1) and (
        step == 1 or bool(np.all(np.diff(found) == step))
    )
    return Slab(stripe.axes, stripe.axis, first, count, step) if is_even else None


class Part(Run):
    """Some items of a block: a block to the code that runs for them."""

    def __init__(self, whole: Run, choice: Choice) -> None:
        self._whole, self._choice, self.axes, self.at = whole, choice, choice.axes, whole.at
        self._owners: dict[Memory, Ramp | int] = {}

    def __getattr__(self, name: str) -> object:
        """What the whole block has: of ids those of the part."""
        found = getattr(self._whole, name)
        if name in ("global_ids", "local_ids", "group_ids"):
            found = tuple(map(self.narrowed, found))
        setattr(self, name, found)
        return found

    def private(self, name: str, size: int, key: int) -> Pointer:
        return self._whole.private(name, size, key)

    def owner_of(self, memory: Memory) -> Ramp | int:
        found = self._owners.get(memory)
        if found is None:
            found = self._owners[memory] = self.narrowed(self._whole.owner_of(memory))
        return found

    def narrowed(self, value: Any) -> Any:
        """What its items have of a value of the whole block: a number, a vector, a pointer."""
        if type(value) is Ramp:
            return self._choice.of_ramp(value)
        if type(value) is Pointer:
            return Pointer(value.memory, self.narrowed(value.offset))
        if isinstance(value, np.ndarray) and value.shape[-1] > 1:
            return self._choice.of_array(value)
        return value

    def widened(self, new: Value, old: Value, dtype: DType, is_vector: bool) -> Value:
        """What all items have where these have a new value."""
        if new is old or (type(new) is type(old) is int and new == old):
            return new
        as_array = lanes.as_vectors if is_vector else lanes.as_array
        part, rest = as_array(new, dtype), as_array(old, dtype)
        rows = np.broadcast_shapes(part.shape[:-1], rest.shape[:-1])
        found = np.empty((*rows, self._whole.axes.count), dtype)
        movable(found)[...] = movable(rest)
        self._choice.put(part, found)
        return found


def part_of(run: Run, mask: Mask) -> Part | None:
    """The active items as a part, if they are half of all at most."""
    count = run.axes.count
    if mask is None or mask is DEAD or count < FEWEST or mask is run.parted:
        return None
    if 2 * np.count_nonzero(mask) > count:
        run.parted = mask
        return None
    return Part(run, Some(np.flatnonzero(mask)))


def chosen(run: Run, mask: Mask, truth: Truth | Stripe, is_long: bool) -> tuple[Mask, Part | None]:
    """Those of the active items for which it is true, and the part of them if there is one.

    The mask is that of the part's items then. is_long: what they are to do is worth it even where
    the part is of items that lie anywhere.
    """
    if type(truth) is Stripe:
        found = slab(truth) if mask is None else None
        if found is not None:
            return None, Part(run, found)
        truth = truth.array()
    left = lanes.narrow(mask, truth)  # type: ignore[arg-type]
    part = part_of(run, left) if is_long else None
    return (left, None) if part is None else (None, part)
