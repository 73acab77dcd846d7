"""Loads and stores, where `addressing` has found them right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from halfcl import _core
from halfcl.cl import _integers as integers, _lanes as lanes, _numbers as numbers
from halfcl.cl._addressing import Addressing
from halfcl.cl._lanes import DEAD, Array, Axes, Mask, Ramp, Table, Value
from halfcl.cl._pointers import Memory, Pointer
from halfcl.cl._types import LONG, DType

#: Of floating numbers; with out=, into an array.
Operation: TypeAlias = Callable[..., Array]


class Access(Addressing):
    """Loads and stores in a block."""

    def strided(self, elements: Array, offset: Ramp, width: int) -> Array:
        """Elements at a ramp, which has been checked: shape (*extents, width)."""
        size = elements.itemsize
        return as_strided(
            elements[offset.base // size :],
            (*self.axes.extents, width),
            (*offset.strides, size),
        )

    def planes(self, memory: Memory, offset: Ramp, dtype: DType, width: int) -> Array:
        """Vectors at a ramp as planes; of width 0 numbers. A copy: what is there may change."""
        if offset.is_even:
            steps, extents = offset.strides, offset.axes.extents
            return _core.load_planes(memory.data, offset.base, steps, extents, dtype, width)
        axis = next(k for k, step in enumerate(offset.steps) if isinstance(step, Table))
        table: Table = offset.steps[axis]  # type: ignore[assignment]
        runs = table.runs(_RUNS)
        if runs is None:
            return self.scattered(memory, offset, dtype, width)
        return self._in_runs(memory, offset, axis, runs, dtype, width)

    def _in_runs(
        self,
        memory: Memory,
        offset: Ramp,
        axis: int,
        runs: list[tuple[int, int, int]],
        dtype: DType,
        width: int,
    ) -> Array:
        """`planes` where neighbours are at hand but for some: of an image that wraps around."""
        before, after = offset.axes.extents[:axis], offset.axes.extents[axis + 1 :]
        rows = (width,) if width else ()
        found = np.empty(
            (*rows, math.prod(before), offset.axes.extents[axis], math.prod(after)), dtype
        )
        for first, count, step in runs:
            start = int(offset.steps[axis].values[first])  # type: ignore[union-attr]
            steps = (*offset.steps[:axis], step, *offset.steps[axis + 1 :])
            part = Ramp(offset.base + start, steps, Axes((*before, count, *after)))
            target = numbers.movable(found)[..., first : first + count, :]
            part_of = self.planes(memory, part, dtype, width)
            target[...] = numbers.movable(part_of).reshape(target.shape)
        return found.reshape(*rows, -1)

    def put_planes(self, memory: Memory, offset: Ramp, value: Array, width: int) -> None:
        """The other way."""
        _core.store_planes(
            memory.data, offset.base, offset.strides, self.axes.extents, value, width
        )

    def scattered(self, memory: Memory, offset: Value, dtype: DType, width: int) -> Array:
        """What `planes` gives, of any offsets."""
        return _core.load_scattered(memory.data, _array(offset), dtype, width)

    def put_scattered(
        self, memory: Memory, offset: Value, value: Array, width: int, mask: Mask
    ) -> None:
        """Of the active items; where their offsets coincide the last one's stays."""
        active = None if mask is DEAD else mask
        _core.store_scattered(memory.data, _array(offset), value, width, active)

    def places(
        self, kind: str, pointer: Pointer, dtype: DType, mask: Mask
    ) -> Iterator[tuple[Array, Array, Array]]:
        """Of scalars to be changed: elements, the active items' indices into them, and who they
        are, as indices into the items."""
        size = dtype.itemsize
        for part, items in self.parts(kind, pointer, size, mask):
            offset = self.place(kind, part, size, size, items)
            memory = self.writable(part, offset, size, items)
            who = np.arange(self.axes.count) if items is None else np.flatnonzero(items)
            if type(offset) is int:
                index: Array = np.full(who.size, offset // size)
            else:
                index = self._indices(offset, size)[who]
            yield memory.typed(dtype), index, who

    # ------------------------------------------------------------ numbers, and pointers

    def load_pointer(self, pointer: Pointer, mask: Mask, at: int) -> Pointer:
        return self.pointer_at(self.load(pointer, _ADDRESS, mask, at), mask)

    def store_pointer(self, pointer: Pointer, value: Pointer, mask: Mask, at: int) -> None:
        self.store(pointer, self.address(value), _ADDRESS, mask, at)

    def load(self, pointer: Pointer, dtype: DType, mask: Mask, at: int) -> Value:
        """A scalar of each item."""
        self.at = at
        size = dtype.itemsize
        if pointer.memory is None:
            return self.gathered(
                pointer,
                size,
                mask,
                lambda part, items: self.load(part, dtype, items, at),
                lambda items, new, old: lanes.blend(items, DEAD, new, old, dtype),
            )
        if dtype.kind == "b":  # another byte than 0 or 1 would be no truth
            return integers.of_truth(numbers.known(self.load(pointer, _BYTE, mask, at) != 0))
        offset = self.place_to_load(pointer, size, size, mask)
        memory = pointer.memory
        if type(offset) is int:
            elements = memory.typed(dtype)
            index = offset // size
            if dtype.kind in "iu":
                return int(elements[index])
            return elements[index : index + 1].copy()
        if type(offset) is Ramp:
            return self.planes(memory, offset, dtype, 0)
        return self.scattered(memory, offset, dtype, 0)

    # ------------------------------------------------------------ operations on what lies there

    def view(self, pointer: Pointer, dtype: DType, mask: Mask, at: int) -> Array:
        """A floating number of each item for `made` or `store_made`, which use it at once: not
        copied, of one axis or of the block's."""
        memory, size = pointer.memory, dtype.itemsize
        if memory is None:
            return self.load(pointer, dtype, mask, at)  # type: ignore[return-value]
        self.at = at
        offset = self.place("read", pointer, size, size, mask)
        if type(offset) is int:
            return np.ndarray((1,), dtype, memory.data, offset)
        if type(offset) is Ramp:
            return self._lying(memory, offset, dtype)
        return self.scattered(memory, offset, dtype, 0)

    def _lying(self, memory: Memory, offset: Ramp, dtype: DType) -> Array:
        """Numbers at a ramp, where they lie."""
        extents, steps = self.axes.extents, offset.strides
        if len(steps) > 1 and offset.is_one_axis:
            extents, steps = (self.axes.count,), steps[-1:]
        return np.ndarray(extents, dtype, memory.data, offset.base, steps)

    def made(self, operate: Operation, *operands: Array) -> Array:
        """What an operation makes of numbers: those of `view`, and others."""
        found = operate(*self._alike(operands))
        return found if found.ndim == 1 else found.reshape(-1)

    def store_made(
        self,
        pointer: Pointer,
        dtype: DType,
        mask: Mask,
        at: int,
        operate: Operation,
        *operands: Array,
    ) -> None:
        """Store what `made` gives: where it is to lie, if that is no other item's place."""
        memory, size = pointer.memory, dtype.itemsize
        if mask is None and memory is not None:
            self.at = at
            offset = self.place("write", pointer, size, size, mask)
            if type(offset) is Ramp and not memory.is_constant and offset.is_apart(size):
                *inputs, target = self._alike((*operands, self._lying(memory, offset, dtype)))
                operate(*inputs, out=target)
                return
        self.store(pointer, self.made(operate, *operands), dtype, mask, at)

    def _alike(self, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        """With the block's axes, if one of them has these."""
        for array in arrays:
            if array.ndim > 1:
                break
        else:
            return arrays
        extents = self.axes.extents
        return tuple([a if a.ndim > 1 or a.size == 1 else a.reshape(extents) for a in arrays])

    def load_vector(
        self, pointer: Pointer, dtype: DType, width: int, mask: Mask, align: int, at: int
    ) -> Value:
        """Components, then items: each component of all items lies together."""
        self.at = at
        size = dtype.itemsize
        if pointer.memory is None:
            return self.gathered(
                pointer,
                size * width,
                mask,
                lambda part, items: self.load_vector(part, dtype, width, items, align, at),
                lambda items, new, old: lanes.blend(items, DEAD, new, old, dtype),
            )
        offset = self.place_to_load(pointer, size * width, align, mask)
        if type(offset) is int:
            elements = pointer.memory.typed(dtype)
            index = offset // size
            return elements[index : index + width].reshape(width, 1).copy()
        if type(offset) is Ramp:
            return self.planes(pointer.memory, offset, dtype, width)
        return self.scattered(pointer.memory, offset, dtype, width)

    def store(self, pointer: Pointer, value: Value, dtype: DType, mask: Mask, at: int) -> None:
        self.at = at
        size = dtype.itemsize
        if pointer.memory is None:
            for part, items in self.parts("write", pointer, size, mask):
                self.store(part, value, dtype, items, at)
            return
        offset = self.place("write", pointer, size, size, mask)
        memory = self.writable(pointer, offset, size, mask)
        elements = memory.typed(dtype)
        value = lanes.as_array(value, dtype)
        if type(offset) is int:
            index = offset // size
            elements[index : index + 1] = _of_last(value, mask)
        elif type(offset) is Ramp and mask is None:
            self.put_planes(memory, offset, value, 0)
        elif type(offset) is Ramp and self.is_own(memory) and offset.is_apart(size):
            old = self.planes(memory, offset, dtype, 0)
            self.put_planes(memory, offset, lanes.blend(mask, DEAD, value, old, dtype), 0)
        else:
            self.put_scattered(memory, offset, value, 0, mask)

    def store_vector(
        self,
        pointer: Pointer,
        value: Value,
        dtype: DType,
        width: int,
        mask: Mask,
        align: int,
        at: int,
    ) -> None:
        self.at = at
        size = dtype.itemsize
        if pointer.memory is None:
            for part, items in self.parts("write", pointer, size * width, mask):
                self.store_vector(part, value, dtype, width, items, align, at)
            return
        offset = self.place("write", pointer, size * width, align, mask)
        memory = self.writable(pointer, offset, size * width, mask)
        elements = memory.typed(dtype)
        value = lanes.as_vectors(value, dtype)
        if type(offset) is int:
            index = offset // size
            column = value[:, 0] if value.shape[1] == 1 else value[:, lanes.last_active(mask)]
            elements[index : index + width] = column
        elif type(offset) is Ramp and mask is None:
            self.put_planes(memory, offset, value, width)
        elif type(offset) is Ramp and self.is_own(memory) and offset.is_apart(size * width):
            old = self.planes(memory, offset, dtype, width)
            value = lanes.blend_vectors(mask, DEAD, value, old, dtype)
            self.put_planes(memory, offset, value, width)
        else:
            self.put_scattered(memory, offset, value, width, mask)

    @staticmethod
    def is_own(memory: Memory) -> bool:
        """Whether it is this block's alone: what inactive items have there may be stored again."""
        return memory.space in ("private", "local")

    def writable(self, pointer: Pointer, offset: Value, size: int, mask: Mask) -> Memory:
        memory = pointer.memory
        assert memory is not None
        if memory.is_constant:
            self.fault("write to constant", memory, pointer.offset, size, mask)
        return memory

    @staticmethod
    def _indices(offset: Value, size: int) -> Array:
        found: Array = lanes.spread(offset) // size  # type: ignore[assignment]
        return found

    # ------------------------------------------------------------ bytes

    def load_packed(self, pointer: Pointer, dtype: DType, width: int, mask: Mask, at: int) -> Value:
        """A number that is not aligned."""
        rows = self.load_record(pointer, dtype.itemsize * width, mask, at)
        found = np.ascontiguousarray(rows).view(dtype).T
        if width > 1:
            return np.ascontiguousarray(found)
        is_int = dtype.kind in "iub" and found.size == 1
        return int(found[0, 0]) if is_int else np.ascontiguousarray(found[0])

    def store_packed(
        self, pointer: Pointer, value: Value, dtype: DType, width: int, mask: Mask, at: int
    ) -> None:
        value = np.atleast_2d(lanes.plain(value, dtype))
        together = np.empty((value.shape[1], width), dtype)
        together[...] = value.T
        self.store_record(pointer, together.view(np.uint8), dtype.itemsize * width, mask, at)

    def load_record(self, pointer: Pointer, size: int, mask: Mask, at: int) -> Array:
        """Bytes of each item: shape (1 or items, size)."""
        self.at = at
        if pointer.memory is None:
            return self.gathered(
                pointer,
                size,
                mask,
                lambda part, items: self.load_record(part, size, items, at),
                lambda items, new, old: blend_records(items, DEAD, new, old),
            )
        offset = self.place("read", pointer, size, 1, mask)
        data = pointer.memory.data
        if type(offset) is int:
            return data[offset : offset + size].reshape(1, size).copy()
        if type(offset) is Ramp:
            return self.strided(data, offset, size).reshape(-1, size).copy()
        return data[offset[:, np.newaxis] + np.arange(size)]  # type: ignore[index]

    def store_record(self, pointer: Pointer, value: Array, size: int, mask: Mask, at: int) -> None:
        self.at = at
        if pointer.memory is None:
            for part, items in self.parts("write", pointer, size, mask):
                self.store_record(part, value, size, items, at)
            return
        offset = self.place("write", pointer, size, 1, mask)
        data = self.writable(pointer, offset, size, mask).data
        if type(offset) is int:
            row = value[0] if len(value) == 1 else value[lanes.last_active(mask)]
            data[offset : offset + size] = row
            return
        first = self._indices(offset, 1)
        if mask is not None:
            first, value = first[mask], value if len(value) == 1 else value[mask]
        data[first[:, np.newaxis] + np.arange(size)] = value


#: Parts of a row that are loaded one by one: of what is more scattered each element is.
_RUNS = 4

_ADDRESS, _BYTE = LONG.dtype, np.dtype(np.uint8)


def _array(offset: Value) -> Array:
    """Of offsets that are no int."""
    return lanes.spread(offset)  # type: ignore[return-value]


def _of_last(value: Array, mask: Mask) -> Array:
    """All items write to one place: the last one's stays."""
    return value if np.size(value) == 1 else value[lanes.last_active(mask)]


# ---------------------------------------------------------------- values that are not numbers


def blend_records(mask: Mask, declared: Mask, new: Array, old: Array) -> Array:
    """`blend`, of structures: rows of bytes."""
    if mask is None or mask is declared or new is old:
        return new
    return np.where(mask[:, np.newaxis], new, old)  # type: ignore[index]
