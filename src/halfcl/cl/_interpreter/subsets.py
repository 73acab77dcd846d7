"""Subsets of a block's work-items, run as blocks of their own while the other items wait.

Where few items take a branch or stay in a loop, code for all items would mostly compute unused
values. Values that the code reads are narrowed to the subset; values that it assigns are merged
with those of the other items. Variables in memory stay in place; only the offsets of the items' own
copies change.
"""

from __future__ import annotations

import math
from types import EllipsisType
from typing import Any

import numpy as np

from halfcl.cl._frontend.types import DType
from halfcl.cl._interpreter.launching.launch import Run
from halfcl.cl._interpreter.memory.pointers import Memory, Pointer
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import (
    DEAD,
    Array,
    Axes,
    Mask,
    Ramp,
    Stripe,
    Table,
    Truths,
    Value,
)
from halfcl.cl._interpreter.values.numbers import as_bits

#: Blocks of fewer items are not split by a mask, since splitting would take longer.
FEWEST = 2048


class Slab:
    """The items at evenly spaced coordinates along each axis.

    ranges: first coordinate, count and step by axis; an axis with one coordinate is dropped.
    """

    def __init__(self, axes: Axes, ranges: list[tuple[int, int, int]]) -> None:
        self._extents, self._ranges = axes.extents, ranges
        self._counts = tuple([count for _, count, _ in ranges])
        self._taken = tuple(
            [slice(first, first + (count - 1) * step + 1, step) for first, count, step in ranges]
        )
        self._where: tuple[EllipsisType | slice, ...] = (..., *self._taken)
        self._kept = [axis for axis, count in enumerate(self._counts) if count > 1] or [0]
        self.axes = Axes(tuple([self._counts[axis] for axis in self._kept]))

    def restrict_ramp(self, value: Ramp) -> Ramp | int:
        """Restrict a ramp to these items."""
        base = value.base
        steps: list[lanes.Step] = []
        for (first, _, by), taken, step in zip(self._ranges, self._taken, value.steps, strict=True):
            if isinstance(step, Table):
                base, step = _table(base, step.values[taken], step)
            else:
                base, step = base + step * first, step * by
            steps.append(step)
        return lanes.ramp(base, tuple([steps[axis] for axis in self._kept]), self.axes)

    def _view(self, array: Array) -> Array:
        """Return a view of the items in an array over the block."""
        view: Array = array.reshape(*array.shape[:-1], *self._extents)[self._where]
        return view

    def restrict_array(self, array: Array) -> Array:
        """Restrict numbers or vectors to these items."""
        selected = self._view(as_bits(array))
        return selected.reshape(*array.shape[:-1], self.axes.count).view(array.dtype)

    def put(self, part: Array, whole: Array) -> None:
        """Write the values of these items into an array over the whole block."""
        target, rows = self._view(as_bits(whole)), part.shape[:-1]
        counts = self._counts if part.shape[-1] > 1 else (1,) * len(self._counts)
        target[...] = as_bits(part).reshape(*rows, *counts)


class IndexedItems:
    """Items selected by their indices, in ascending order; with the methods of a `Slab`."""

    def __init__(self, indices: Array) -> None:
        self._indices = indices
        self.axes = Axes((len(indices),))

    def restrict_ramp(self, value: Ramp) -> Ramp | int:
        selected = value.array()[self._indices]
        low, high = value.bounds()
        base, step = _table(0, selected, Table(selected, low, high))
        return lanes.ramp(base, (step,), self.axes)

    def restrict_array(self, array: Array) -> Array:
        return as_bits(array).take(self._indices, axis=-1).view(array.dtype)

    def put(self, part: Array, whole: Array) -> None:
        as_bits(whole)[..., self._indices] = as_bits(part)


def _table(base: int, values: Array, of_all: Table) -> tuple[int, lanes.Step]:
    """Return table values with the first one subtracted, and the base that includes it."""
    first = int(values[0])
    return base + first, Table(values - first, of_all.low - first, of_all.high - first)


def slab(stripe: Stripe, holds_most: bool) -> Slab | None:
    """Return the items for which a stripe is true, if they are evenly spaced.

    Return None if there are none, or if they are all. holds_most: whether it may have more than
    half of the items.
    """
    extents = stripe.axes.extents
    ranges = [(0, extent, 1) for extent in extents]
    for axis, values in stripe.conditions.items():
        selected = _evenly_spaced(values)
        if selected is None:
            return None
        ranges[axis] = selected
    count = math.prod([count for _, count, _ in ranges])
    total = stripe.axes.count
    return (
        Slab(stripe.axes, ranges) if count < total and (holds_most or 2 * count <= total) else None
    )


def _evenly_spaced(truth: Truths) -> tuple[int, int, int] | None:
    """Return first, count and step of the true ones; None if there are none, or not so spaced."""
    indices = np.flatnonzero(truth)
    count = len(indices)
    if count == 0:
        return None
    first, last = int(indices[0]), int(indices[-1])
    step = int(indices[1]) - first if count > 1 else 1
    is_even = last - first == step * (count - 1) and (
        step == 1 or bool(np.all(np.diff(indices) == step))
    )
    return (first, count, step) if is_even else None


class Subset(Run):
    """A subset of a block's work-items, run as a block."""

    def __init__(self, whole: Run, choice: Slab | IndexedItems) -> None:
        self._whole, self._choice, self.axes, self.at = whole, choice, choice.axes, whole.at
        self._owners: dict[Memory, Ramp | int] = {}

    def __getattr__(self, name: str) -> object:
        """Return an attribute of the whole block; ids are narrowed to the subset."""
        value = getattr(self._whole, name)
        if name in ("global_ids", "local_ids", "group_ids"):
            value = tuple(map(self.narrow_value, value))
        setattr(self, name, value)
        return value

    def private(self, name: str, size: int, key: int) -> Pointer:
        return self._whole.private(name, size, key)

    def owner_of(self, memory: Memory) -> Ramp | int:
        owner = self._owners.get(memory)
        if owner is None:
            owner = self._owners[memory] = self.narrow_value(self._whole.owner_of(memory))
        return owner

    def narrow_value(self, value: Any) -> Any:
        """Restrict a value of the whole block (a number, a vector or a pointer) to the subset."""
        if type(value) is Ramp:
            return self._choice.restrict_ramp(value)
        if type(value) is Pointer:
            return Pointer(value.memory, self.narrow_value(value.offset))
        if isinstance(value, np.ndarray) and value.shape[-1] > 1:
            return self._choice.restrict_array(value)
        return value

    def merge_value(self, new: Value, old: Value, dtype: DType, is_vector: bool) -> Value:
        """Merge a new value of the subset with the old values of the other items."""
        if new is old or (type(new) is type(old) is int and new == old):
            return new
        as_array = lanes.as_vectors if is_vector else lanes.as_array
        part, rest = as_array(new, dtype), as_array(old, dtype)
        rows = np.broadcast_shapes(part.shape[:-1], rest.shape[:-1])
        merged = np.empty((*rows, self._whole.axes.count), dtype)
        as_bits(merged)[...] = as_bits(rest)
        self._choice.put(part, merged)
        return merged


def subset_of(run: Run, mask: Mask) -> Subset | None:
    """Return the active items as a subset if they are at most half of the block, else None."""
    count = run.axes.count
    if mask is None or mask is DEAD or count < FEWEST or mask is run.unsplit_mask:
        return None
    if 2 * np.count_nonzero(mask) > count:
        run.unsplit_mask = mask
        return None
    return Subset(run, IndexedItems(np.flatnonzero(mask)))


def select_items(
    run: Run, mask: Mask, truth: lanes.Truth | Stripe, is_long: bool, assigns: bool
) -> tuple[Mask, Subset | None]:
    """Return the active items for which a condition is true, as a mask or as a subset.

    With a subset, the mask is that of its own items. is_long: whether the work of these items is
    worth a subset that is not evenly spaced. assigns: whether outer variables are merged after it.
    """
    if type(truth) is Stripe:
        selection = slab(truth, is_long or not assigns) if mask is None else None
        if selection is not None:
            return None, Subset(run, selection)
        truth = truth.array()
    remaining = lanes.narrow(mask, truth)  # type: ignore[arg-type]
    part = subset_of(run, remaining) if is_long else None
    return (remaining, None) if part is None else (None, part)
