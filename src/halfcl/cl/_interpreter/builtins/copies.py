"""Asynchronous copies between global and local memory, done at once per work-group.

The run's `pending` copies record that the destination must not be read before the wait. Three
components are copied as four.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._frontend.errors import LaunchError
from halfcl.cl._frontend.types import LONG, Number, Pointer as PointerType
from halfcl.cl._interpreter.builtins.kinds import Effect, Signature
from halfcl.cl._interpreter.memory.pending import Elements, Pending
from halfcl.cl._interpreter.memory.pointers import Memory, Pointer
from halfcl.cl._interpreter.values.lanes import Active, Ramp, Value, spread

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run

_Array = NDArray[Any]


class _Call:
    """A function that whole work-groups call with uniform arguments."""

    def __init__(self, run: Run, mask: Active, at: int, name: str) -> None:
        self.run, self.at, self.name = run, at, name
        arrived = run.arrived_groups(mask, name, at)
        self.groups = np.arange(run.group_total) if arrived is None else np.flatnonzero(arrived)
        self.local_size = run.axes.count // run.group_total

    def uniform_per_group(self, value: Value, what: str) -> _Array:
        """Return an integer per group; raise LaunchError if it differs among a group's items."""
        if type(value) is int:
            return np.full(self.groups.size, value, object if value >> 63 > 0 else np.int64)
        array = spread(value)
        table = np.broadcast_to(array, self.run.axes.count).reshape(-1, self.local_size)
        table = table[self.groups]
        different = np.flatnonzero((table != table[:, :1]).any(axis=1))
        if different.size:
            self.refuse(different[0], f"{what} differs among the items of a work-group")
        return table[:, 0]

    def refuse(self, index: int, message: str) -> NoReturn:
        """Raise LaunchError. index: of the group."""
        item = self.run.item(int(self.groups[index]) * self.local_size)
        run = self.run
        raise LaunchError(
            f"{run.launch.place_of(self.at)}: kernel {run.launch.name}: {self.name}: "
            f"{message}: work-item {item}"
        )

    def pointers(self, pointer: Pointer, what: str) -> list[tuple[Memory, int]]:
        """Return memory and offset per group."""
        targets: list[tuple[Memory, int]] = []
        for index, offset in enumerate(self.uniform_per_group(pointer.offset, what).tolist()):
            memory = pointer.memory
            if memory is None:
                parts, _ = self.run.addresses.parts(offset, None)
                if not parts:
                    self.refuse(index, f"{what} is {'null' if offset == 0 else 'not a pointer'}")
                memory, offset = parts[0][0].memory, parts[0][0].offset
            assert memory is not None
            targets.append((memory, offset))
        return targets

    def copy(
        self,
        some: list[int],
        to: list[tuple[Memory, int]],
        from_: list[tuple[Memory, int]],
        count: int,
        strides: tuple[int, int],
        size: int,
    ) -> Pending:
        """Copy for some groups, which share their pieces of memory."""
        unit = min(size, 8)
        sides, indices = [], []
        for kind, pointers, stride in (("write", to, strides[0]), ("read", from_, strides[1])):
            self.check(kind, some, pointers, count, stride, size)
            memory = pointers[some[0]][0]
            starts = np.array([pointers[i][1] for i in some])
            if type(memory.owner) is Ramp:
                starts += memory.owner.array()[self.groups[some] * self.local_size]
            along = np.arange(count) * (stride * size)
            units = (along[:, np.newaxis] // unit + np.arange(size // unit)).ravel()
            sides.append(Elements(memory, starts, along, size))
            indices.append(starts[:, np.newaxis] // unit + units)
        dtype = np.dtype(f"u{unit}")
        target, source = (side.memory.view_as(dtype) for side in sides)
        target[indices[0]] = source[indices[1]]
        return Pending(0, self.at, self.groups[some], sides[0], sides[1], size)

    def check(
        self,
        kind: str,
        some: list[int],
        pointers: list[tuple[Memory, int]],
        count: int,
        stride: int,
        size: int,
    ) -> None:
        for index in some:
            memory, first = pointers[index]
            last = first + (count - 1) * stride * size
            where = f"{memory.space} memory {memory.name!r}"
            if first < 0 or last + size > memory.size:
                byte = first if first < 0 or first + size > memory.size else memory.size
                message = f"{kind} outside of {where}: {size} bytes at byte {byte} of {memory.size}"
                self.refuse(index, message)
            if first % size:
                self.refuse(index, f"misaligned {kind} in {where}: at byte {first}")
            if kind == "write" and memory.is_constant:
                self.refuse(index, f"write to constant {where}")


def _make_copy(
    name: str, size: int, used: int, is_strided: bool, to_global: bool
) -> Callable[..., int]:
    """Return the function for a copy. size: bytes per element; used: bytes of its components."""

    def call(
        run: Run, mask: Active, at: int, destination: Pointer, source: Pointer, *numbers: Value
    ) -> int:
        whole = _Call(run, mask, at, name)
        count, stride, event = numbers if is_strided else (numbers[0], 1, numbers[1])
        counts = whole.uniform_per_group(count, "the number of elements").tolist()
        strides = whole.uniform_per_group(stride, "the stride").tolist()
        to = whole.pointers(destination, "the destination")
        from_ = whole.pointers(source, "the source")
        number = int(whole.uniform_per_group(event, "the event").max()) or run.new_event()
        alike: dict[Any, list[int]] = {}
        for index, key in enumerate(zip(counts, strides, strict=True)):
            if key[0]:
                alike.setdefault((*key, to[index][0], from_[index][0]), []).append(index)
        for (n, k, *_), some in alike.items():
            pending = whole.copy(some, to, from_, n, (k, 1) if to_global else (1, k), size)
            pending.event, pending.used = number, used
            run.add_pending(pending)
        return number

    return call


def copy(signature: Signature) -> Effect:
    """Return an asynchronous copy."""
    destination = cast(PointerType, signature.arguments[0])
    number = cast(Number, destination.pointee)
    return Effect(
        _make_copy(
            signature.name,
            number.size,
            number.width * number.dtype.itemsize,
            "strided" in signature.name,
            destination.space == "global",
        )
    )


@Effect
def wait(run: Run, mask: Active, at: int, count: Value, events: Pointer) -> None:
    whole = _Call(run, mask, at, "wait_group_events")
    counts = whole.uniform_per_group(count, "the number of events")
    waited: dict[int, list[int]] = {}
    for k in range(int(counts.max(initial=0))):
        has = np.zeros(run.group_total, np.bool_)
        has[whole.groups[counts > k]] = True
        items = np.repeat(has, whole.local_size)
        at_k = Pointer(events.memory, _add_offset(events.offset, k * LONG.size))
        event = run.load(at_k, LONG.dtype, None if items.all() else items, at)
        table = np.broadcast_to(spread(event), run.axes.count).reshape(-1, whole.local_size)
        for group in np.flatnonzero(has).tolist():
            waited.setdefault(int(table[group, 0]), []).append(group)
    for pending in run.pending:
        if pending.event in waited:
            pending.remove_groups(waited[pending.event])
    run.pending = [pending for pending in run.pending if pending.groups.size]


def _add_offset(offset: Value, further: int) -> int | _Array:
    return spread(offset) + further


@Effect
def prefetch(run: Run, mask: Active, at: int, pointer: Pointer, count: Value) -> None:
    """Do nothing: it is a hint."""
