"""Pointers: the memory that they point to, and their addresses as integers.

A pointer is a piece of memory and an offset in bytes. Where pieces differ among work-items, or a
pointer was computed from an integer, it has no piece: its offset is an address, and `Addresses`
finds the memory there.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from halfcl import _core
from halfcl.cl._frontend.types import DType
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import DEAD, Array, Mask, Ramp, Value

Bytes = NDArray[np.uint8]
_Piece = TypeVar("_Piece")


class Memory:
    """A buffer, or a variable of each work-item or work-group of a block.

    data has `size` bytes for each owner; owner is where a work-item's own copy begins. is_constant:
    whether writes are forbidden.
    """

    __slots__ = (
        "__weakref__", "_typed", "data", "is_constant", "name", "owner", "size", "space",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        space: str,
        data: Bytes,
        size: int,
        owner: Ramp | int = 0,
        is_constant: bool = False,
    ) -> None:
        self.name, self.space, self.data, self.size, self.owner = name, space, data, size, owner
        self.is_constant = is_constant
        self._typed: dict[DType, NDArray[Any]] = {}

    def view_as(self, dtype: DType) -> NDArray[Any]:
        """Return the memory as an array of a dtype."""
        view = self._typed.get(dtype)
        if view is None:
            whole = self.data.size // dtype.itemsize * dtype.itemsize
            view = self._typed[dtype] = self.data[:whole].view(dtype)
        return view


class Pointer:
    """A pointer; if memory is None, the offset is an address."""

    __slots__ = ("memory", "offset")

    def __init__(self, memory: Memory | None, offset: Value) -> None:
        self.memory, self.offset = memory, offset


NULL = Pointer(None, 0)

#: Offsets are clamped to this, so that they never wrap around or reach another memory.
FAR = 1 << 38


def bounds(offset: Value, mask: Mask) -> tuple[int, int]:
    """Return the least and greatest offset of the active items."""
    if type(offset) is int:
        return offset, offset
    if type(offset) is Ramp:
        if mask is None:
            return offset.bounds()
        offset = offset.array()
    offsets_: Array = offset  # type: ignore[assignment]
    if mask is not None and offsets_.size > 1:
        offsets_ = offsets_[mask]
    return int(offsets_.min()), int(offsets_.max())


def offsets(pointer: Pointer) -> int | Array:
    """Return a pointer's offsets as an int or an array."""
    return lanes.spread(pointer.offset)


def step(pointer: Pointer, index: Value, size: int) -> Pointer:
    """Return the pointer moved by `index` elements of `size` bytes.

    Indices of 64 bits are signed, since addresses wrap around: p + 5 + (ulong)-1 is p + 4.
    """
    offset = pointer.offset
    if type(index) is int:
        index = index - (1 << 64) if index >> 63 > 0 else index
    if type(index) is not np.ndarray and type(offset) is not np.ndarray:
        moved = lanes.add(offset, lanes.scale(index, size))  # type: ignore[arg-type]
        if _is_near(moved):
            return Pointer(pointer.memory, moved)
    start: int | Array = lanes.spread(offset)
    if type(index) is int:
        return Pointer(pointer.memory, start + max(-FAR, min(index * size, FAR)))
    indices: Array = lanes.spread(index)  # type: ignore[assignment]
    furthest = FAR // abs(size) if size else FAR
    return Pointer(pointer.memory, _core.add_indices(start, indices, size, furthest))


def _is_near(offset: Ramp | int) -> bool:
    if type(offset) is int:
        return -FAR <= offset <= FAR
    assert type(offset) is Ramp
    low, high = offset.bounds()
    return low > -FAR and high < FAR


def text_pointer(text: bytes) -> Pointer:
    """Return a pointer to a string literal."""
    data = np.frombuffer(text + b"\0", np.uint8).copy()
    return Pointer(Memory("string", "constant", data, data.size, is_constant=True), 0)


# ---------------------------------------------------------------- addresses

#: Each piece of memory has this many bits of addresses for itself, and begins in their middle,
#: so that a pointer that leaves it does not reach another piece.
_BITS = 40
_MIDDLE = 1 << (_BITS - 1)

#: Numbers of pieces: a launch's buffers start at 1, a block's variables and constants here.
_BLOCK, _CONSTANT = 1 << 20, 1 << 21
_constant_numbers = itertools.count(_CONSTANT)
_constants: weakref.WeakValueDictionary[int, Memory] = weakref.WeakValueDictionary()
_constant_bases: weakref.WeakKeyDictionary[Memory, int] = weakref.WeakKeyDictionary()


def _constant_base(memory: Memory) -> int:
    """Return the base address of a constant, which all threads share."""
    base = _constant_bases.get(memory)
    if base is None:
        new_base = (next(_constant_numbers) << _BITS) + _MIDDLE
        base = _constant_bases.setdefault(memory, new_base)
        _constants[base >> _BITS] = memory
    return base


class Addresses:
    """The addresses of a launch's buffers, and of the variables of a block.

    Buffers that overlap share one number, so that their addresses overlap, too.
    """

    def __init__(self, buffers: list[Memory]) -> None:
        self._buffers = buffers
        self._bases: dict[Memory, int] = {}
        self._pieces: dict[int, list[Memory]] = {}
        self._next = _BLOCK

    def _number_buffers(self) -> None:
        """Assign addresses to the buffers; called on first use, since most programs need none."""
        pieces = ((*byte_bounds(memory.data), memory) for memory in self._buffers)
        for number, (_, together) in enumerate(group_overlapping(pieces), 1):
            for first, memory in together:
                self._bases[memory] = (number << _BITS) + _MIDDLE + first
                self._pieces.setdefault(number, []).append(memory)
        self._buffers = []

    def base(self, memory: Memory) -> int:
        """Return the address at which a piece of memory begins."""
        if self._buffers:
            self._number_buffers()
        base_ = self._bases.get(memory)
        if base_ is not None:
            return base_
        if memory.space in ("constant", "global"):  # of program scope
            return _constant_base(memory)
        self._pieces[self._next] = [memory]
        self._bases[memory] = base_ = (self._next << _BITS) + _MIDDLE
        self._next += 1
        return base_

    def parts(self, address: Value, mask: Mask) -> tuple[list[tuple[Pointer, Mask]], Mask]:
        """Return pointers for the active items' addresses, and the items that point to nothing."""
        if type(address) is int:
            memory = self._piece(address)
            if memory is None:
                return [], mask
            return [(Pointer(memory, address - self.base(memory)), mask)], DEAD
        addresses: Array = lanes.spread(address)  # type: ignore[assignment]
        numbers_ = addresses >> _BITS
        pointers: list[tuple[Pointer, Mask]] = []
        rest = mask
        for number in np.unique(numbers_ if mask is None else numbers_[mask]).tolist():
            for piece in self._candidates(number):
                offset = addresses - self.base(piece)
                inside = numbers_ == number
                if len(self._candidates(number)) > 1:
                    inside &= (offset >= 0) & (offset < piece.size)
                items, rest = lanes.split(rest, inside)
                if items is not DEAD:
                    pointers.append((Pointer(piece, offset), items))
        return pointers, rest

    def _candidates(self, number: int) -> list[Memory]:
        if number >= _CONSTANT:
            memory = _constants.get(number)
            return [] if memory is None else [memory]
        if self._buffers:
            self._number_buffers()
        return self._pieces.get(number, [])

    def _piece(self, address: int) -> Memory | None:
        pieces = self._candidates(address >> _BITS)
        for memory in pieces:
            if 0 <= address - self.base(memory) < memory.size:
                return memory
        return pieces[0] if pieces else None


def group_overlapping(
    pieces: Iterable[tuple[int, int, _Piece]],
) -> Iterator[tuple[int, list[tuple[int, _Piece]]]]:
    """Group pieces that overlap, given where each begins and ends.

    Yield the bytes that a group spans, and each piece with its offset in the group.
    """
    together: list[tuple[int, _Piece]] = []
    start = end = 0
    for begin, stop, piece in sorted(pieces, key=lambda piece: piece[:2]):
        if together and begin >= end:
            yield end - start, together
            together = []
        if not together:
            start = end = begin
        end = max(end, stop)
        together.append((begin - start, piece))
    if together:
        yield end - start, together
