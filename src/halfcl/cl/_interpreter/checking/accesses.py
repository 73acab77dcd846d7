"""Checked accesses to memory: which bytes are initialised, and which items accessed them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._frontend.types import DType
from halfcl.cl._interpreter.checking.launch import WatchedLaunch
from halfcl.cl._interpreter.checking.shadow_memory import (
    Cells,
    Indexed,
    Race,
    Shadow,
    Strided,
    Visits,
    unit_of,
)
from halfcl.cl._interpreter.checking.texels import WatchedImages
from halfcl.cl._interpreter.launching.launch import Grid
from halfcl.cl._interpreter.memory.pointers import Memory, Pointer
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import DEAD, Mask, Ramp, Truths, Value

#: Memory, its start in the shadow, and the offset, size and alignment of an access.
_Where: TypeAlias = tuple[Memory, int, Value, int, int]


_NO_SHADOW = None, 0


class _Record(np.ndarray[Any, Any]):
    """Bytes of structures, some of which are undefined."""

    undefined: Truths | None = None


class WatchedMemory(WatchedImages):
    """A block whose accesses to memory are watched."""

    #: Undefined bytes of the structure that is being loaded or stored, by item.
    _undefined: Truths | None = None

    _is_record, _is_packed = False, False

    def __init__(self, grid: Grid, launch: WatchedLaunch, box: list[tuple[int, int]]) -> None:
        super().__init__(grid, launch, box)
        self._shadows: dict[Memory, Shadow] = {}

    def private(self, name: str, size: int, key: int) -> Pointer:
        """Return a private variable; declared again in a loop it is undefined again."""
        pointer = super().private(name, size, key)
        assert pointer.memory is not None
        self.own_shadow(pointer.memory).forget()
        return pointer

    def clear(self, pointer: Pointer) -> None:
        super().clear(pointer)
        assert pointer.memory is not None
        shadow = self.own_shadow(pointer.memory)
        shadow.whole, shadow.kept = None, None

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Value:
        mask = None if mask is DEAD else mask
        offset = super().place(kind, pointer, size, align, mask)
        memory = pointer.memory
        assert memory is not None
        shadow, base = self.shadow_of(pointer)
        if shadow is None:
            return offset
        is_whole = size == memory.size and type(pointer.offset) is int
        where = (memory, base, offset, size, align)
        if kind in ("write", "atomic write"):
            self._define(shadow, where, mask, is_whole)
        elif shadow.whole is not None:
            missing = lanes.without(mask, shadow.whole)
            if missing is not DEAD:
                self._look_for_undefined(shadow, where, missing)
        if memory.space != "private":
            self._visit(kind, shadow, where, mask)
        return offset

    def place_to_load(self, pointer: Pointer, size: int, align: int, mask: Mask) -> Value:
        return self.place("read", pointer, size, align, mask)

    def _cells(self, shadow: Shadow, where: _Where, mask: Mask, least: int = 16) -> Cells:
        """Return the shadow's units of an access. least: the largest unit allowed."""
        _, base, offset, size, align = where
        if type(offset) is Ramp:
            unit = shadow.reduce_unit(unit_of(size, base, offset.base, *offset.strides, least))
            cells = Strided(lanes.add(offset, base) if base else offset, size, unit, mask)  # type: ignore[arg-type]
            if cells.is_apart:
                return cells
        items = self.active(mask)
        starts = self.array(offset) if items is None else self.array(offset)[items]
        if align == 1:
            align = int(np.bitwise_or.reduce(starts))
        unit = shadow.reduce_unit(unit_of(size, base, align, least))
        return Indexed(starts + base, size, unit, items)

    def _visit(self, kind: str, shadow: Shadow, where: _Where, mask: Mask) -> None:
        memory, base, offset, *_ = where
        now, epochs = self.visits(fence_of(memory))
        if kind == "read" and type(offset) is int and self.axes.count > 1:
            race, cells = self._record_uniform_read(shadow, where, offset, mask, now, epochs)
        else:
            cells = self._cells(shadow, where, mask)
            mine = cells.per_row(now)
            if kind == "read":
                race = shadow.read(cells, mine, epochs, mine)
            else:
                race = shadow.write(cells, mine, epochs, mine, kind.startswith("atomic"))
        self.report_race(race, cells, memory, base)

    def _record_uniform_read(
        self,
        shadow: Shadow,
        where: _Where,
        offset: int,
        mask: Mask,
        now: Visits,
        epochs: tuple[int, int],
    ) -> tuple[Race | None, Cells]:
        """Record a read of one place by all items.

        The first and the last item represent all, since groups are in order.
        """
        ends = np.array([lanes.first_active(mask), lanes.last_active(mask) % self.axes.count])
        _, base, _, size, _ = where
        unit = shadow.reduce_unit(unit_of(size, base, offset))
        cells: Cells = Indexed(np.full(2, offset + base), size, unit, ends)
        mine = cells.per_row(now)
        race = shadow.read(cells, mine, epochs, mine)
        if race:
            cells = self._cells(shadow, where, mask)
            race = shadow.race_with_writers(cells, cells.per_row(now), epochs[0])
        return race, cells

    # ------------------------------------------------------------ what is defined

    def _define(self, shadow: Shadow, where: _Where, mask: Mask, is_whole: bool) -> None:
        """Mark written bytes as defined, except bytes that were undefined in a copied structure."""
        if self._undefined is not None:
            shadow.split_into_parts(self._owners(where[0]))
            cells = self._cells(shadow, where, mask, least=1)
            cells.put(shadow.defined_units(), ~cells.per_row(self._undefined))
        elif shadow.whole is None:
            return
        elif is_whole and where[0].space == "private":
            shadow.whole = lanes.union(shadow.whole, mask)
        else:
            cells = self._cells(shadow, where, mask)
            if mask is None and cells.is_apart and self.axes.count * where[3] == shadow.size:
                shadow.whole = None
            else:
                cells.put(shadow.defined_units(), True)

    def _look_for_undefined(self, shadow: Shadow, where: _Where, missing: Mask) -> None:
        """Look for undefined bytes that these items read."""
        if self._is_record:
            cells = self._cells(shadow, where, missing, least=1)
            is_undefined = cells.only(~cells.take(shadow.defined_units()))
            if self._undefined is None:
                self._undefined = np.zeros((self.axes.count, where[3]), np.bool_)
            items = self.active(missing)
            self._undefined[slice(None) if items is None else items] |= (
                is_undefined if items is None or isinstance(cells, Indexed) else is_undefined[items]
            )
            return
        cells = self._cells(shadow, where, missing)
        is_undefined = cells.only(~cells.take(shadow.defined_units()))
        self.report_undefined(is_undefined, cells, where[0], where[1])

    def _owners(self, memory: Memory) -> int:
        return self.axes.count if memory.space == "private" else self.group_total

    def shadow_of(self, pointer: Pointer) -> tuple[Shadow | None, int]:
        """Return a pointer's shadow and the memory's start in it; None for memory nobody writes."""
        memory = pointer.memory
        assert memory is not None
        if memory.space in ("global", "constant"):
            return self.launch.shadows.get(memory, _NO_SHADOW)
        return self.own_shadow(memory), 0

    def own_shadow(self, memory: Memory) -> Shadow:
        """Return the shadow of a variable."""
        shadow = self._shadows.get(memory)
        if shadow is None:
            is_local = memory.space == "local"
            shadow = Shadow(memory.data.size, DEAD, is_local, self.launch.group_bits)
            self._shadows[memory] = shadow
        return shadow

    # ------------------------------------------------------------ structures

    def load_record(self, pointer: Pointer, size: int, mask: Mask, at: int) -> NDArray[Any]:
        """Load a structure; undefined members stay undefined where it is stored."""
        self._is_record = not self._is_packed
        self._take_undefined()
        try:
            data: NDArray[Any] = super().load_record(pointer, size, mask, at)
        finally:
            self._is_record = False
        undefined = self._take_undefined()
        if undefined is None or not undefined.any():
            return data
        record = np.broadcast_to(data, undefined.shape).view(_Record)
        record.undefined = undefined
        return record

    def _take_undefined(self) -> Truths | None:
        undefined, self._undefined = self._undefined, None
        return undefined

    def store_record(
        self, pointer: Pointer, value: NDArray[Any], size: int, mask: Mask, at: int
    ) -> None:
        self._undefined = getattr(value, "undefined", None)
        try:
            super().store_record(pointer, value, size, mask, at)
        finally:
            self._undefined = None

    def load_packed(self, pointer: Pointer, dtype: DType, width: int, mask: Mask, at: int) -> Value:
        """Load a number as bytes, without treating it as a structure."""
        self._is_packed = True
        try:
            return super().load_packed(pointer, dtype, width, mask, at)
        finally:
            self._is_packed = False

    # ------------------------------------------------------------ what is reported

    def report_undefined(
        self, is_undefined: Truths, cells: Cells, memory: Memory, base: int
    ) -> None:
        if is_undefined.any():
            row, unit = divmod(int(is_undefined.argmax()), is_undefined.shape[1])
            byte = cells.byte(row, unit) - base
            self.add_memory_finding("uninitialized read", memory, cells.item(row), byte)

    def report_race(self, race: Race | None, cells: Cells, memory: Memory, base: int) -> None:
        if race:
            byte = cells.byte(race.row, race.unit) - base
            self.add_memory_finding(
                "race", memory, cells.item(race.row), byte, self.describe_other(race)
            )

    def add_memory_finding(
        self, kind: str, memory: Memory, item: int, byte: int, detail: str = ""
    ) -> None:
        """Report an error at a byte of the memory's data."""
        owner = int(self.array(memory.owner)[item])
        self.add_finding(kind, f"{memory.space} {memory.name}", item, byte - owner, detail)


def fence_of(memory: Memory) -> str:
    """Return which fence of a barrier covers the memory: "local" or "global"."""
    return "local" if memory.space == "local" else "global"
