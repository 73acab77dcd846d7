"""Loads and stores. Every access is checked: nothing is read or written but what is in a piece of
memory, whatever inactive items point to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from halfcl import _core
from halfcl.cl import integers, lanes, numbers
from halfcl.cl.lanes import DEAD, Axes, Mask, Ramp
from halfcl.cl.pointers import FAR, Addresses, Memory, Pointer, bounds, offsets
from halfcl.cl.types import LONG, DType

__all__ = ["Access", "Memory", "Pointer", "blend_records"]


class Access:
    """Loads and stores in a block. `at` is the place in the program, for errors."""

    def __init__(self, axes: Axes, addresses: Addresses) -> None:
        self.axes, self.at, self.addresses = axes, 0, addresses

    def fault(
        self,
        kind: str,
        memory: Memory,
        offset: Any,
        size: int,
        mask: Mask,
        bad: Callable[[Any], Any] | None = None,
    ) -> NoReturn:
        """An access that is not allowed. bad: of offsets, which ones."""
        raise NotImplementedError

    # ------------------------------------------------------------ where

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Any) -> Any:
        """The offset in the memory's data, checked: an int, a Ramp or an array.

        What inactive items have is replaced unless it lies in the data, too.
        """
        memory, offset = pointer.memory, pointer.offset
        assert memory is not None
        if type(offset) is Ramp and mask is not None:
            low, high = offset.bounds()
            if low < 0 or high + size > memory.size:
                offset = offset.array()
        if type(offset) is np.ndarray and offset.size == 1:
            offset = int(offset[0])
        low, high = bounds(offset, None if type(offset) is Ramp else mask)
        if low < 0 or high + size > memory.size:
            self.fault(f"{kind} outside of", memory, offset, size, mask)
        if type(offset) is np.ndarray:
            if mask is not None:  # others may point anywhere
                offset = np.where(mask, offset, 0)
            if align > 1 and (offset & (align - 1)).any():
                self.misaligned(kind, pointer, size, align, mask)
        elif type(offset) is Ramp:
            if align > 1 and any(n % align for n in (offset.base, *offset.steps)):
                if mask is None or (offset.array()[mask] % align).any():
                    self.misaligned(kind, pointer, size, align, mask)
                offset = np.where(mask, offset.array(), 0)
        elif offset % align:
            self.misaligned(kind, pointer, size, align, mask)
        if type(offset) is np.ndarray and type(memory.owner) is Ramp:
            return offset + memory.owner.array()
        return offset if memory.owner == 0 else lanes.add(offset, memory.owner)

    def misaligned(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> None:
        assert pointer.memory is not None
        bad: Callable[[Any], Any] = lambda found: found % align != 0  # noqa: E731
        self.fault(f"misaligned {kind} in", pointer.memory, pointer.offset, size, mask, bad)

    def strided(self, elements: NDArray[Any], offset: Ramp, width: int) -> NDArray[Any]:
        """Elements at a ramp, which has been checked: shape (*extents, width)."""
        size = elements.itemsize
        return as_strided(
            elements[offset.base // size :],
            (*self.axes.extents, width),
            (*offset.steps, size),
        )

    def planes(self, memory: Memory, offset: Ramp, dtype: DType, width: int) -> NDArray[Any]:
        """Vectors at a ramp as planes; of width 0 numbers. A copy: what is there may change."""
        return _core.load_planes(
            memory.data, offset.base, offset.steps, self.axes.extents, dtype, width
        )

    def put_planes(self, memory: Memory, offset: Ramp, value: NDArray[Any], width: int) -> None:
        """The other way."""
        _core.store_planes(memory.data, offset.base, offset.steps, self.axes.extents, value, width)

    def places(
        self, kind: str, pointer: Pointer, dtype: DType, mask: Mask
    ) -> Iterator[tuple[NDArray[Any], Any, Any]]:
        """Of scalars to be changed: elements, the active items' indices into them, and who they
        are, as indices into the items."""
        size = dtype.itemsize
        for part, items in self.parts(kind, pointer, size, mask):
            offset = self.place(kind, part, size, size, items)
            memory = self.writable(part, offset, size, items)
            who = np.arange(self.axes.count) if items is None else np.flatnonzero(items)
            if type(offset) is int:
                index: Any = np.full(who.size, offset // size)
            else:
                index = self._indices(offset, size)[who]
            yield memory.typed(dtype), index, who

    # ------------------------------------------------------------ pointers

    def parts(
        self, kind: str, pointer: Pointer, size: int, mask: Mask
    ) -> list[tuple[Pointer, Any]]:
        """A pointer as pointers into one piece of memory each, with the items that have it."""
        if pointer.memory is not None:
            return [(pointer, mask)]
        found, nowhere = self.addresses.parts(pointer.offset, mask)
        if nowhere is not DEAD:
            offset = pointer.offset
            first = offset if type(offset) is int else offsets(pointer)[lanes.first_active(nowhere)]
            what = "a null pointer" if abs(first) < _NEAR_NULL else "a pointer to nothing"
            self.fault(f"{kind} by {what}", NOWHERE, offset, size, nowhere, np.ones_like)
        return found

    def gathered(
        self, pointer: Pointer, size: int, mask: Mask, load: Callable[..., Any], blend: Any
    ) -> Any:
        """What lies at addresses."""
        found = None
        for part, items in self.parts("read", pointer, size, mask):
            value = load(part, items)
            found = value if found is None else blend(items, value, found)
        return found

    def address(self, pointer: Pointer) -> Any:
        """An int, a Ramp, or an array: zero of a null pointer only."""
        if pointer.memory is None:
            return pointer.offset
        base, offset = self.addresses.base(pointer.memory), pointer.offset
        if type(offset) is int:
            return base + max(-FAR, min(offset, FAR))
        if type(offset) is Ramp:
            low, high = offset.bounds()
            if low >= -FAR and high <= FAR:
                return lanes.add(offset, base)
        return np.clip(offsets(pointer), -FAR, FAR) + base

    def pointer_at(self, address: Any, mask: Mask) -> Pointer:
        """Of a signed address."""
        if type(address) is np.ndarray and address.size == 1:
            address = int(address[0])
        found, nowhere = self.addresses.parts(address, mask)
        if nowhere is DEAD and len(found) == 1:
            return found[0][0]
        return Pointer(None, address)

    def load_pointer(self, pointer: Pointer, mask: Mask, at: int) -> Pointer:
        return self.pointer_at(self.load(pointer, _ADDRESS, mask, at), mask)

    def store_pointer(self, pointer: Pointer, value: Pointer, mask: Mask, at: int) -> None:
        self.store(pointer, self.address(value), _ADDRESS, mask, at)

    def compare(self, operator: str, left: Pointer, right: Pointer) -> Any:
        """A bool, or an array of them."""
        compare = integers.comparison(operator, LONG)
        if left.memory is right.memory:
            return compare(left.offset, right.offset)
        return numbers.known(compare(self.address(left), self.address(right)))

    def difference(self, left: Pointer, right: Pointer, size: int) -> Any:
        """In elements."""
        minus, divide = (integers.arithmetic(symbol, LONG) for symbol in "-/")
        if left.memory is right.memory:
            return divide(minus(left.offset, right.offset), size)
        return divide(minus(self.address(left), self.address(right)), size)

    def is_not_null(self, pointer: Pointer) -> Any:
        if pointer.memory is not None:
            return True
        if type(pointer.offset) is int:
            return pointer.offset != 0
        return numbers.known(offsets(pointer) != 0)

    def blend_pointers(self, mask: Mask, declared: Mask, new: Pointer, old: Pointer) -> Pointer:
        if mask is None or mask is declared or new is old:
            return new
        if new.memory is old.memory:
            return Pointer(new.memory, np.where(mask, offsets(new), offsets(old)))
        addresses = [Pointer(None, self.address(p)) for p in (new, old)]
        return Pointer(None, np.where(mask, *map(offsets, addresses)))

    # ------------------------------------------------------------ numbers

    def load(self, pointer: Pointer, dtype: DType, mask: Mask, at: int) -> Any:
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
        offset = self.place("read", pointer, size, size, mask)
        memory = pointer.memory
        elements = memory.typed(dtype)
        if type(offset) is int:
            index = offset // size
            if dtype.kind in "iu":
                return int(elements[index])
            return elements[index : index + 1].copy()
        if type(offset) is Ramp:
            return self.planes(memory, offset, dtype, 0)
        return elements[offset // size]

    def load_vector(
        self, pointer: Pointer, dtype: DType, width: int, mask: Mask, align: int, at: int
    ) -> Any:
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
        offset = self.place("read", pointer, size * width, align, mask)
        elements = pointer.memory.typed(dtype)
        if type(offset) is int:
            index = offset // size
            return elements[index : index + width].reshape(width, 1).copy()
        if type(offset) is Ramp:
            return self.planes(pointer.memory, offset, dtype, width)
        first = offset // size
        return elements[first + np.arange(width)[:, np.newaxis]]

    def store(self, pointer: Pointer, value: Any, dtype: DType, mask: Any, at: int) -> None:
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
        elif type(offset) is Ramp:
            target = self.strided(elements, offset, 1)[..., 0]
            value = value.reshape(self.axes.extents) if np.size(value) > 1 else value
            np.copyto(target, value, where=mask.reshape(self.axes.extents), casting="unsafe")
        else:
            _put(elements, self._indices(offset, size), value, mask)

    def store_vector(
        self,
        pointer: Pointer,
        value: Any,
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
        else:
            first = self._indices(offset, size)
            bits = f"u{size}"  # NumPy copies them several times as fast as halves
            elements, value = elements.view(bits), value.view(bits)
            if mask is not None:
                active = np.flatnonzero(mask)
                first = first[active]
                value = value if value.shape[1] == 1 else value[:, active]
            for k in range(width):
                elements[first + k] = value[min(k, len(value) - 1)]

    def writable(self, pointer: Pointer, offset: Any, size: int, mask: Mask) -> Memory:
        memory = pointer.memory
        assert memory is not None
        if memory.is_constant:
            self.fault("write to constant", memory, pointer.offset, size, mask)
        return memory

    @staticmethod
    def _indices(offset: Any, size: int) -> Any:
        return (offset.array() if type(offset) is Ramp else offset) // size

    # ------------------------------------------------------------ bytes

    def load_packed(self, pointer: Pointer, dtype: DType, width: int, mask: Mask, at: int) -> Any:
        """A number that is not aligned."""
        rows = self.load_record(pointer, dtype.itemsize * width, mask, at)
        found = np.ascontiguousarray(rows).view(dtype).T
        if width > 1:
            return np.ascontiguousarray(found)
        is_int = dtype.kind in "iub" and found.size == 1
        return int(found[0, 0]) if is_int else np.ascontiguousarray(found[0])

    def store_packed(
        self, pointer: Pointer, value: Any, dtype: DType, width: int, mask: Mask, at: int
    ) -> None:
        value = np.atleast_2d(lanes.plain(value, dtype))
        together = np.empty((value.shape[1], width), dtype)
        together[...] = value.T
        self.store_record(pointer, together.view(np.uint8), dtype.itemsize * width, mask, at)

    def load_record(self, pointer: Pointer, size: int, mask: Mask, at: int) -> Any:
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
        return data[offset[:, np.newaxis] + np.arange(size)]

    def store_record(self, pointer: Pointer, value: Any, size: int, mask: Mask, at: int) -> None:
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


#: What a pointer that points to nothing points to.
NOWHERE = Memory("nothing", "", np.empty(0, np.uint8), 0)

#: What an index into an array at a null pointer comes to, as a rule.
_NEAR_NULL = 4096

_ADDRESS, _BYTE = np.dtype(np.int64), np.dtype(np.uint8)


def _of_last(value: Any, mask: Mask) -> Any:
    """All items write to one place: the last one's stays."""
    return value if np.size(value) == 1 else value[lanes.last_active(mask)]


def _put(elements: NDArray[Any], index: Any, value: Any, mask: Mask) -> None:
    if mask is not None:
        index = index[mask]
        value = value if np.size(value) == 1 else value[mask]
    elements[index] = value


# ---------------------------------------------------------------- values that are not numbers


def blend_records(mask: Any, declared: Mask, new: Any, old: Any) -> Any:
    """`blend`, of structures: rows of bytes."""
    if mask is None or mask is declared or new is old:
        return new
    return np.where(mask[:, np.newaxis], new, old)
