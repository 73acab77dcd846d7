"""Addressing: converts pointers to checked offsets in a piece of memory, and to addresses.

Every access is checked: nothing outside a piece of memory is read or written, whatever the pointers
of inactive items hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

import numpy as np

from halfcl import _core
from halfcl.cl._frontend.types import LONG
from halfcl.cl._interpreter.memory import pointers
from halfcl.cl._interpreter.memory.pointers import FAR, NULL, Addresses, Memory, Pointer, offsets
from halfcl.cl._interpreter.values import integers, lanes, numbers
from halfcl.cl._interpreter.values.lanes import DEAD, Array, Axes, Mask, Ramp, Truth, Truths, Value

_Loaded = TypeVar("_Loaded", Value, Array)

#: The memory of pointers that point to nothing, for error messages.
NOWHERE = Memory("nothing", "", np.empty(0, np.uint8), 0)

#: Addresses below this come from an index into an array at a null pointer, as a rule.
_NEAR_NULL = 4096


def _is_right(offset: Ramp, last: int, align: int) -> bool:
    """Return whether offsets are in range and aligned for all items, active or not."""
    low, high = offset.bounds()
    return low >= 0 and high <= last and offset.is_multiple_of(align)


class Addressing:
    """The memory that pointers of a block refer to. `at`: the place in the program, for errors."""

    def __init__(self, axes: Axes, addresses: Addresses) -> None:
        self.axes, self.at, self.addresses = axes, 0, addresses

    #: Raises LaunchError for an access that is not allowed: see `Run`.
    fault: Callable[..., NoReturn]

    # ------------------------------------------------------------ where

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Value:
        """Return the checked offset in the memory's data: an int, an even Ramp or an array.

        Offsets of inactive items are replaced unless they lie in the data, too.
        """
        offset = self._checked_offset(kind, pointer, size, align, mask)
        return offset.array() if type(offset) is Ramp and not offset.is_even else offset

    def place_to_load(self, pointer: Pointer, size: int, align: int, mask: Mask) -> Value:
        """Return the checked offset for `load_planes`; a Ramp need not be even."""
        return self._checked_offset("read", pointer, size, align, mask)

    def _checked_offset(
        self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask
    ) -> Value:
        memory, offset = pointer.memory, pointer.offset
        assert memory is not None
        last = memory.size - size
        if type(offset) is np.ndarray and offset.size == 1:
            offset = int(offset[0])
        if type(offset) is int:
            if not 0 <= offset <= last:
                self.fault(f"{kind} outside of", memory, offset, size, mask)
            if offset % align:
                self.refuse_misaligned(kind, pointer, size, align, mask)
        elif type(offset) is not Ramp or not _is_right(offset, last, align):
            offset = self._place_each(kind, pointer, size, align, mask)
        owner = self.owner_of(memory)
        if owner == 0:
            return offset
        if type(offset) is np.ndarray and type(owner) is Ramp:
            return offset + owner.array()
        return lanes.add(offset, owner)  # type: ignore[arg-type]

    def owner_of(self, memory: Memory) -> Ramp | int:
        """Return where the items' own copies of the memory begin in its data."""
        return memory.owner

    def _place_each(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Array:
        """Check offsets one by one, where they are not known to be right for all items."""
        memory, offset = pointer.memory, pointer.offset
        assert memory is not None and mask is not DEAD
        each = np.ascontiguousarray(lanes.spread(offset))
        checked = _core.check_offsets(each, memory.size - size, align, mask)
        if checked is not None:
            return checked
        low, high = pointers.bounds(each, mask)
        if low < 0 or high + size > memory.size:
            self.fault(f"{kind} outside of", memory, offset, size, mask)
        self.refuse_misaligned(kind, pointer, size, align, mask)

    def refuse_misaligned(
        self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask
    ) -> NoReturn:
        """Raise LaunchError for a misaligned access."""
        assert pointer.memory is not None
        bad: Callable[[Array], Truths] = lambda offset: offset % align != 0  # noqa: E731
        self.fault(f"misaligned {kind} in", pointer.memory, pointer.offset, size, mask, bad)

    # ------------------------------------------------------------ pointers

    def parts(
        self, kind: str, pointer: Pointer, size: int, mask: Mask
    ) -> list[tuple[Pointer, Mask]]:
        """Split a pointer into pointers to one piece of memory each, with their items."""
        if pointer.memory is not None:
            return [(pointer, mask)]
        pointers, nowhere = self.addresses.parts(pointer.offset, mask)
        if nowhere is not DEAD:
            offset = pointer.offset
            index = lanes.first_active(nowhere)
            first = offset if type(offset) is int else np.asarray(offsets(pointer))[index]
            what = "a null pointer" if abs(first) < _NEAR_NULL else "a pointer to nothing"
            self.fault(f"{kind} by {what}", NOWHERE, offset, size, nowhere, np.ones_like)
        return pointers

    def gather(
        self,
        pointer: Pointer,
        size: int,
        mask: Mask,
        load: Callable[[Pointer, Mask], _Loaded],
        blend: Callable[[Mask, _Loaded, _Loaded], _Loaded],
    ) -> _Loaded:
        """Load from each piece of memory that addresses refer to, and blend the values."""
        result = None
        for part, items in self.parts("read", pointer, size, mask):
            value = load(part, items)
            result = value if result is None else blend(items, value, result)
        return result  # type: ignore[return-value]  # some item is active

    def address(self, pointer: Pointer) -> Value:
        """Return the address as an int, a Ramp or an array; only null pointers have address 0."""
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

    def pointer_at(self, address: Value, mask: Mask) -> Pointer:
        """Return the pointer for a signed address."""
        if type(address) is np.ndarray and address.size == 1:
            address = int(address[0])
        pointers, nowhere = self.addresses.parts(address, mask)
        if nowhere is DEAD and len(pointers) == 1:
            return pointers[0][0]
        return Pointer(None, address)

    def to_space(self, pointer: Pointer, space: str, mask: Mask) -> Pointer:
        """Convert a generic pointer; items that point to another address space get null."""
        if pointer.memory is not None:
            return pointer if pointer.memory.space == space else NULL
        inside = np.zeros(self.axes.count, np.bool_)
        for part, items in self.addresses.parts(pointer.offset, mask)[0]:
            if part.memory is not None and part.memory.space == space:
                inside |= True if items is None or items is DEAD else items
        return self.pointer_at(np.where(inside, offsets(pointer), 0), mask)

    def compare(self, operator: str, left: Pointer, right: Pointer) -> Truth:
        """Compare two pointers; return a bool or an array of bool."""
        compare = integers.comparison(operator, LONG)
        if left.memory is right.memory:
            return compare(left.offset, right.offset)
        return numbers.as_uniform(compare(self.address(left), self.address(right)))

    def difference(self, left: Pointer, right: Pointer, size: int) -> Value:
        """Return the difference of two pointers in elements."""
        minus, divide = (integers.arithmetic(symbol, LONG) for symbol in "-/")
        if left.memory is right.memory:
            return divide(minus(left.offset, right.offset), size)
        return divide(minus(self.address(left), self.address(right)), size)

    def is_not_null(self, pointer: Pointer) -> Truth:
        """Return for which items a pointer is not null."""
        if pointer.memory is not None:
            return True
        if type(pointer.offset) is int:
            return pointer.offset != 0
        return numbers.as_uniform(offsets(pointer) != 0)

    def blend_pointers(self, mask: Mask, declared: Mask, new: Pointer, old: Pointer) -> Pointer:
        """Return the new pointer for active items and the old one for others."""
        if mask is None or mask is declared or new is old:
            return new
        if new.memory is old.memory:
            return Pointer(new.memory, np.where(mask, offsets(new), offsets(old)))
        addresses = [Pointer(None, self.address(p)) for p in (new, old)]
        return Pointer(None, np.where(mask, *map(offsets, addresses)))
