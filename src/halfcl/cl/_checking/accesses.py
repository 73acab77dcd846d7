"""Checked accesses to memory: what of it is defined, and who has been there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.cl import _lanes as lanes
from halfcl.cl._checking.shadow import Cells, Indexed, Race, Shadow, Strided, unit_of
from halfcl.cl._checking.texels import WatchedImages
from halfcl.cl._lanes import DEAD, Mask, Ramp
from halfcl.cl._pointers import Memory, Pointer


class _Record(np.ndarray[Any, Any]):
    """Bytes of structures, of which some are undefined."""

    undefined: NDArray[np.bool_] | None = None


class WatchedMemory(WatchedImages):
    """A block whose accesses to memory are watched."""

    #: Bytes of a structure that is loaded or stored, by item.
    _undefined: Any = None

    _is_record, _is_packed = False, False

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self._shadows: dict[Memory, tuple[Shadow, int]] = {}

    def private(self, name: str, size: int, key: int) -> Pointer:
        """Declared again, in a loop, a variable is undefined again."""
        found = super().private(name, size, key)
        self.shadow_of(found)[0].forget()
        return found

    def clear(self, pointer: Pointer) -> None:
        super().clear(pointer)
        shadow = self.shadow_of(pointer)[0]
        shadow.whole, shadow.kept = None, None

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Any:
        mask = None if mask is DEAD else mask
        offset = super().place(kind, pointer, size, align, mask)
        memory = pointer.memory
        assert memory is not None
        shadow, base = self.shadow_of(pointer)
        if shadow is None:
            return offset
        is_whole = size == memory.size and type(pointer.offset) is int
        where = (memory, base, offset, size, align)
        if kind == "write":
            self._define(shadow, where, mask, is_whole)
        elif shadow.whole is not None:
            missing = lanes.without(mask, shadow.whole)
            if missing is not DEAD:
                self._look_for_undefined(shadow, where, missing)
        if memory.space != "private":
            self._visit(kind, shadow, where, mask)
        return offset

    def _cells(self, shadow: Shadow, where: tuple[Any, ...], mask: Mask, least: int = 16) -> Cells:
        """least: no larger units."""
        _, base, offset, size, align = where
        if type(offset) is Ramp:
            unit = shadow.at_unit(unit_of(size, base, offset.base, *offset.steps, least))
            cells = Strided(lanes.add(offset, base) if base else offset, size, unit, mask)  # type: ignore[arg-type]
            if cells.is_apart:
                return cells
        items = self.active(mask)
        starts = self.array(offset) if items is None else self.array(offset)[items]
        if align == 1:
            align = int(np.bitwise_or.reduce(starts))
        unit = shadow.at_unit(unit_of(size, base, align, least))
        return Indexed(starts + base, size, unit, items)

    def _visit(self, kind: str, shadow: Shadow, where: tuple[Any, ...], mask: Mask) -> None:
        memory, base, offset, *_ = where
        now, epochs = self.visits(fenced(memory))
        if kind == "read" and type(offset) is int and self.axes.count > 1:
            race, cells = self._read_by_all(shadow, where, mask, now, epochs)
        else:
            cells = self._cells(shadow, where, mask)
            mine = cells.of_items(now)
            if kind == "read":
                race = shadow.read(cells, mine, epochs, mine)
            else:
                race = shadow.write(cells, mine, epochs, mine, kind == "atomic access")
        self.find_race(race, cells, memory, base)

    def _read_by_all(
        self, shadow: Shadow, where: tuple[Any, ...], mask: Mask, now: Any, epochs: Any
    ) -> tuple[Race | None, Cells]:
        """Of one place: the first item and the last tell of all, whose groups are in order."""
        ends = np.array([lanes.first_active(mask), lanes.last_active(mask) % self.axes.count])
        _, base, offset, size, _ = where
        unit = shadow.at_unit(unit_of(size, base, offset))
        cells: Cells = Indexed(np.full(2, offset + base), size, unit, ends)
        mine = cells.of_items(now)
        race = shadow.read(cells, mine, epochs, mine)
        if race:
            cells = self._cells(shadow, where, mask)
            race = shadow.race_with_writers(cells, cells.of_items(now), epochs[0])
        return race, cells

    # ------------------------------------------------------------ what is defined

    def _define(self, shadow: Shadow, where: tuple[Any, ...], mask: Mask, is_whole: bool) -> None:
        """What is written is, but bytes of structures that were not where they came from."""
        if self._undefined is not None:
            shadow.unwhole(self._owners(where[0]))
            cells = self._cells(shadow, where, mask, least=1)
            cells.put(shadow.by_parts(), ~cells.of_items(self._undefined))
        elif shadow.whole is None:
            return
        elif is_whole and where[0].space == "private":
            shadow.whole = lanes.union(shadow.whole, mask)
        else:
            cells = self._cells(shadow, where, mask)
            if mask is None and cells.is_apart and self.axes.count * where[3] == shadow.size:
                shadow.whole = None
            else:
                cells.put(shadow.by_parts(), True)

    def _look_for_undefined(self, shadow: Shadow, where: tuple[Any, ...], missing: Mask) -> None:
        """Of these items."""
        if self._is_record:
            cells = self._cells(shadow, where, missing, least=1)
            found = cells.only(~cells.take(shadow.by_parts()))
            if self._undefined is None:
                self._undefined = np.zeros((self.axes.count, where[3]), np.bool_)
            items = self.active(missing)
            self._undefined[slice(None) if items is None else items] |= (
                found if items is None or isinstance(cells, Indexed) else found[items]
            )
            return
        cells = self._cells(shadow, where, missing)
        found = cells.only(~cells.take(shadow.by_parts()))
        self.find_undefined(found, cells, where[0], where[1])

    def _owners(self, memory: Memory) -> int:
        return self.axes.count if memory.space == "private" else self.group_total

    def shadow_of(self, pointer: Pointer) -> tuple[Any, int]:
        """And where in it the memory begins. None: of what nobody writes."""
        memory = pointer.memory
        assert memory is not None
        found = self._shadows.get(memory) or self.launch.shadows.get(memory)
        if found is None:
            if memory.space in ("global", "constant"):
                return None, 0
            is_local = memory.space == "local"
            shadow = Shadow(memory.data.size, DEAD, is_local, self.launch.group_bits)
            found = self._shadows[memory] = shadow, 0
        return found

    # ------------------------------------------------------------ structures

    def load_record(self, pointer: Pointer, size: int, mask: Mask, at: int) -> NDArray[Any]:
        """Some members may be undefined, and are so wherever the structure is stored."""
        self._is_record = not self._is_packed
        self._undefined = None
        try:
            found: NDArray[Any] = super().load_record(pointer, size, mask, at)
        finally:
            self._is_record = False
        undefined, self._undefined = self._undefined, None
        if undefined is None or not undefined.any():
            return found
        record = np.broadcast_to(found, undefined.shape).view(_Record)
        record.undefined = undefined
        return record

    def store_record(
        self, pointer: Pointer, value: NDArray[Any], size: int, mask: Mask, at: int
    ) -> None:
        self._undefined = getattr(value, "undefined", None)
        try:
            super().store_record(pointer, value, size, mask, at)
        finally:
            self._undefined = None

    def load_packed(self, pointer: Pointer, dtype: Any, width: int, mask: Mask, at: int) -> Any:
        """A number, though it is loaded as bytes."""
        self._is_packed = True
        try:
            return super().load_packed(pointer, dtype, width, mask, at)
        finally:
            self._is_packed = False

    # ------------------------------------------------------------ what is reported

    def find_undefined(self, found: Any, cells: Cells, memory: Memory, base: int) -> None:
        if found.any():
            row, unit = divmod(int(found.argmax()), found.shape[1])
            byte = cells.byte(row, unit) - base
            self.find_in("uninitialized read", memory, cells.item(row), byte)

    def find_race(self, race: Race | None, cells: Cells, memory: Memory, base: int) -> None:
        if race:
            byte = cells.byte(race.row, race.unit) - base
            self.find_in("race", memory, cells.item(race.row), byte, self.beside(race))

    def find_in(self, kind: str, memory: Memory, item: int, byte: int, detail: str = "") -> None:
        """byte: of the memory's data."""
        owner = int(self.array(memory.owner)[item])
        self.find(kind, f"{memory.space} {memory.name}", item, byte - owner, detail)


def fenced(memory: Memory) -> str:
    """By which fence of a barrier."""
    return "local" if memory.space == "local" else "global"
