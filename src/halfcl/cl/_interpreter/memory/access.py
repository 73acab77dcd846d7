"""Loads and stores of a block, at offsets that `addressing` has checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeGuard

import numpy as np
from numpy.lib.stride_tricks import as_strided

from halfcl import _core
from halfcl.cl._frontend.types import LONG, DType
from halfcl.cl._interpreter.memory.addressing import Addressing
from halfcl.cl._interpreter.memory.pointers import Memory, Pointer
from halfcl.cl._interpreter.values import integers, lanes, numbers
from halfcl.cl._interpreter.values.lanes import DEAD, Array, Axes, Mask, Ramp, Table, Value

#: An operation on floating numbers; it accepts out=.
Operation: TypeAlias = Callable[..., Array]


class Access(Addressing):
    """The loads and stores of a block."""

    def strided_view(self, elements: Array, offset: Ramp, width: int) -> Array:
        """Return a view of elements at a checked ramp, of shape (*extents, width)."""
        size = elements.itemsize
        return as_strided(
            elements[offset.base // size :], (*self.axes.extents, width), (*offset.strides, size)
        )

    def load_planes(self, memory: Memory, offset: Ramp, dtype: DType, width: int) -> Array:
        """Load vectors at a ramp as planes, one per component; scalars if width is 0.

        It is a copy, since the memory may change.
        """
        if offset.is_even:
            steps, extents = offset.strides, offset.axes.extents
            return _core.load_planes(memory.data, offset.base, steps, extents, dtype, width)
        axis = next(k for k, step in enumerate(offset.steps) if isinstance(step, Table))
        table: Table = offset.steps[axis]  # type: ignore[assignment]
        runs = table.runs(_RUNS)
        if runs is None:
            return self.load_scattered(memory, offset, dtype, width)
        return self._load_runs(memory, offset, axis, runs, dtype, width)

    def _load_runs(
        self,
        memory: Memory,
        offset: Ramp,
        axis: int,
        runs: list[tuple[int, int, int]],
        dtype: DType,
        width: int,
    ) -> Array:
        """Load planes from a few evenly spaced runs, as in an image that wraps around."""
        before, after = offset.axes.extents[:axis], offset.axes.extents[axis + 1 :]
        rows = (width,) if width else ()
        result = np.empty(
            (*rows, math.prod(before), offset.axes.extents[axis], math.prod(after)), dtype
        )
        for first, count, step in runs:
            start = int(offset.steps[axis].values[first])  # type: ignore[union-attr]
            steps = (*offset.steps[:axis], step, *offset.steps[axis + 1 :])
            part = Ramp(offset.base + start, steps, Axes((*before, count, *after)))
            target = numbers.as_bits(result)[..., first : first + count, :]
            part_of = self.load_planes(memory, part, dtype, width)
            target[...] = numbers.as_bits(part_of).reshape(target.shape)
        return result.reshape(*rows, -1)

    def store_planes(self, memory: Memory, offset: Ramp, value: Array, width: int) -> None:
        """Store planes at an even ramp."""
        _core.store_planes(
            memory.data, offset.base, offset.strides, self.axes.extents, value, width
        )

    def load_scattered(self, memory: Memory, offset: Value, dtype: DType, width: int) -> Array:
        """Load planes at arbitrary offsets."""
        return _core.load_scattered(memory.data, _array(offset), dtype, width)

    def store_scattered(
        self, memory: Memory, offset: Value, value: Array, width: int, mask: Mask
    ) -> None:
        """Store planes of the active items; at equal offsets, the last item's value remains."""
        active = None if mask is DEAD else mask
        _core.store_scattered(memory.data, _array(offset), value, width, active)

    def places(
        self, kind: str, pointer: Pointer, dtype: DType, mask: Mask
    ) -> Iterator[tuple[Array, Array, Array]]:
        """Yield elements, the active items' indices into them, and these items' own indices.

        They are scalars to be changed in place.
        """
        size = dtype.itemsize
        for part, items in self.parts(kind, pointer, size, mask):
            offset = self.place(kind, part, size, size, items)
            memory = self.check_writable(part, offset, size, items)
            who = np.arange(self.axes.count) if items is None else np.flatnonzero(items)
            if type(offset) is int:
                index: Array = np.full(who.size, offset // size)
            else:
                index = self._indices(offset, size)[who]
            yield memory.view_as(dtype), index, who

    # ------------------------------------------------------------ numbers, and pointers

    def load_pointer(self, pointer: Pointer, mask: Mask, at: int) -> Pointer:
        return self.pointer_at(self.load(pointer, _ADDRESS, mask, at), mask)

    def store_pointer(self, pointer: Pointer, value: Pointer, mask: Mask, at: int) -> None:
        self.store(pointer, self.address(value), _ADDRESS, mask, at)

    def load(
        self, pointer: Pointer, dtype: DType, mask: Mask, at: int, width: int = 0, align: int = 0
    ) -> Value:
        """Load a scalar per item, or with a width a vector: rows are components, columns items."""
        self.at = at
        size = dtype.itemsize * (width or 1)
        if pointer.memory is None:
            return self.gather(
                pointer,
                size,
                mask,
                lambda part, items: self.load(part, dtype, items, at, width, align),
                lambda items, new, old: lanes.blend(items, DEAD, new, old, dtype),
            )
        if dtype.kind == "b":  # any byte but 0 counts as true
            return integers.int_from_truth(
                numbers.as_uniform(self.load(pointer, _BYTE, mask, at) != 0)
            )
        offset = self.place_to_load(pointer, size, align or size, mask)
        memory = pointer.memory
        if type(offset) is int:
            index = offset // dtype.itemsize
            elements = memory.view_as(dtype)
            if width:
                return elements[index : index + width].reshape(width, 1).copy()
            if dtype.kind in "iu":
                return int(elements[index])
            return elements[index : index + 1].copy()
        if type(offset) is Ramp:
            return self.load_planes(memory, offset, dtype, width)
        return self.load_scattered(memory, offset, dtype, width)

    # ------------------------------------------------------------ operations on what lies there

    def view(self, pointer: Pointer, dtype: DType, mask: Mask, at: int) -> Array:
        """Return a floating number per item for immediate use by `apply` or `store_result`.

        It is not copied, and has one axis or the block's axes.
        """
        memory, size = pointer.memory, dtype.itemsize
        if memory is None:
            return self.load(pointer, dtype, mask, at)  # type: ignore[return-value]
        self.at = at
        offset = self.place("read", pointer, size, size, mask)
        if type(offset) is int:
            return np.ndarray((1,), dtype, memory.data, offset)
        if type(offset) is Ramp:
            return self._view_ramp(memory, offset, dtype)
        return self.load_scattered(memory, offset, dtype, 0)

    def _view_ramp(self, memory: Memory, offset: Ramp, dtype: DType) -> Array:
        """Return a view of the numbers at a ramp, without a copy unless its rows are short."""
        extents, steps = self.axes.extents, offset.strides
        if len(steps) > 1:
            if offset.is_one_axis:
                extents, steps = (self.axes.count,), steps[-1:]
            elif self._has_short_rows:
                return self.load_planes(memory, offset, dtype, 0)
        return np.ndarray(extents, dtype, memory.data, offset.base, steps)

    @property
    def _has_short_rows(self) -> bool:
        """True if numbers are copied to one axis faster than a function is called row by row."""
        return self.axes.extents[-1] <= SHORT_ROW

    def apply(self, operate: Operation, *operands: Array) -> Array:
        """Apply an operation to numbers, some of which may be results of `view`."""
        result = operate(*self._align_axes(operands))
        return result if result.ndim == 1 else result.reshape(-1)

    def compute(self, operate: Operation, *operands: Array) -> Array:
        """Apply an operation for immediate use, as `view` gives a number."""
        return operate(*self._align_axes(operands))

    def store_result(
        self,
        pointer: Pointer,
        dtype: DType,
        mask: Mask,
        at: int,
        operate: Operation,
        *operands: Array,
    ) -> None:
        """Apply an operation and store its result, in place if no two items share an element."""
        memory, size = pointer.memory, dtype.itemsize
        if mask is None and memory is not None:
            self.at = at
            offset = self.place("write", pointer, size, size, mask)
            if self._is_target(offset, memory, size):
                *inputs, target = self._align_axes(
                    (*operands, self._view_ramp(memory, offset, dtype))
                )
                operate(*inputs, out=target)
                return
        self.store(pointer, self.apply(operate, *operands), dtype, mask, at)

    def _is_target(self, offset: Value, memory: Memory, size: int) -> TypeGuard[Ramp]:
        """Return whether an operation may write its result to a checked offset."""
        return (
            type(offset) is Ramp
            and not memory.is_constant
            and offset.is_apart(size)
            and (offset.is_one_axis or not self._has_short_rows)
        )

    def _align_axes(self, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        """Give all arrays the block's axes if one of them has these."""
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
        return self.load(pointer, dtype, mask, at, width, align)

    def store(
        self, pointer: Pointer, value: Value, dtype: DType, mask: Mask, at: int,
        width: int = 0, align: int = 0,
    ) -> None:  # fmt: skip
        """Store a scalar per item, or with a width a vector."""
        self.at = at
        size = dtype.itemsize * (width or 1)
        if pointer.memory is None:
            for part, items in self.parts("write", pointer, size, mask):
                self.store(part, value, dtype, items, at, width, align)
            return
        offset = self.place("write", pointer, size, align or size, mask)
        memory = self.check_writable(pointer, offset, size, mask)
        value = lanes.as_vectors(value, dtype) if width else lanes.as_array(value, dtype)
        if type(offset) is int:
            index = offset // dtype.itemsize
            # The last item's value remains when all items write to one place.
            last = 0 if value.shape[-1] == 1 else lanes.last_active(mask)
            memory.view_as(dtype)[index : index + (width or 1)] = value[..., last]
        elif type(offset) is Ramp and mask is None:
            self.store_planes(memory, offset, value, width)
        elif type(offset) is Ramp and self.is_own(memory) and offset.is_apart(size):
            old = self.load_planes(memory, offset, dtype, width)
            blend = lanes.blend_vectors if width else lanes.blend
            self.store_planes(memory, offset, blend(mask, DEAD, value, old, dtype), width)
        else:
            self.store_scattered(memory, offset, value, width, mask)

    def store_vector(
        self, pointer: Pointer, value: Value, dtype: DType, width: int, mask: Mask, align: int,
        at: int,
    ) -> None:  # fmt: skip
        self.store(pointer, value, dtype, mask, at, width, align)

    @staticmethod
    def is_own(memory: Memory) -> bool:
        """Return whether only this block uses it, so that inactive items may be rewritten."""
        return memory.space in ("private", "local")

    def check_writable(self, pointer: Pointer, offset: Value, size: int, mask: Mask) -> Memory:
        """Return the memory of a pointer; raise LaunchError if it is constant."""
        memory = pointer.memory
        assert memory is not None
        if memory.is_constant:
            self.fault("write to constant", memory, pointer.offset, size, mask)
        return memory

    @staticmethod
    def _indices(offset: Value, size: int) -> Array:
        indices: Array = lanes.spread(offset) // size  # type: ignore[assignment]
        return indices

    # ------------------------------------------------------------ bytes

    def load_packed(self, pointer: Pointer, dtype: DType, width: int, mask: Mask, at: int) -> Value:
        """Load a number or vector that need not be aligned."""
        rows = self.load_record(pointer, dtype.itemsize * width, mask, at)
        components = np.ascontiguousarray(rows).view(dtype).T
        if width > 1:
            return np.ascontiguousarray(components)
        is_int = dtype.kind in "iub" and components.size == 1
        return int(components[0, 0]) if is_int else np.ascontiguousarray(components[0])

    def store_packed(
        self, pointer: Pointer, value: Value, dtype: DType, width: int, mask: Mask, at: int
    ) -> None:
        value = np.atleast_2d(lanes.as_operand_array(value, dtype))
        together = np.empty((value.shape[1], width), dtype)
        together[...] = value.T
        self.store_record(pointer, together.view(np.uint8), dtype.itemsize * width, mask, at)

    def load_record(self, pointer: Pointer, size: int, mask: Mask, at: int) -> Array:
        """Load bytes per item, of shape (1 or items, size)."""
        self.at = at
        if pointer.memory is None:
            return self.gather(
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
            return self.strided_view(data, offset, size).reshape(-1, size).copy()
        return data[offset[:, np.newaxis] + np.arange(size)]  # type: ignore[index]

    def store_record(self, pointer: Pointer, value: Array, size: int, mask: Mask, at: int) -> None:
        self.at = at
        if pointer.memory is None:
            for part, items in self.parts("write", pointer, size, mask):
                self.store_record(part, value, size, items, at)
            return
        offset = self.place("write", pointer, size, 1, mask)
        data = self.check_writable(pointer, offset, size, mask).data
        if type(offset) is int:
            row = value[0] if len(value) == 1 else value[lanes.last_active(mask)]
            data[offset : offset + size] = row
            return
        first = self._indices(offset, 1)
        if mask is not None:
            first, value = first[mask], value if len(value) == 1 else value[mask]
        data[first[:, np.newaxis] + np.arange(size)] = value


#: The most items along the last axis of a block whose rows count as short (measured).
SHORT_ROW = 64

#: The most runs of a row that are loaded one by one; beyond that elements are loaded singly.
_RUNS = 4

_ADDRESS, _BYTE = LONG.dtype, np.dtype(np.uint8)


def _array(offset: Value) -> Array:
    """Return offsets that are no int as an array."""
    return lanes.spread(offset)  # type: ignore[return-value]


# ---------------------------------------------------------------- values that are not numbers


def blend_records(mask: Mask, declared: Mask, new: Array, old: Array) -> Array:
    """Blend structures, which are rows of bytes (see `blend`)."""
    if mask is None or mask is declared or new is old:
        return new
    return np.where(mask[:, np.newaxis], new, old)  # type: ignore[index]
