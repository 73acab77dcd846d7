"""What a GPU hides: reads of what nobody wrote, and races between work-items.

A checked launch runs code that keeps every variable in memory, and beside each piece of memory
stands a `Shadow`. Two accesses to a byte by different work-items are a race if one of them writes,
one of them is not atomic, and no barrier of their work-group lies between. Asynchronous copies are
somebody else's accesses, one's for each group. Buffers and images that overlap have one shadow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.cl import lanes, tree
from halfcl.cl.errors import LaunchError
from halfcl.cl.findings import CheckError, Finding, distinct
from halfcl.cl.lanes import DEAD, Mask, Ramp
from halfcl.cl.launching import Grid, Launch, Run
from halfcl.cl.pointers import Memory, Pointer, extent, overlapping
from halfcl.cl.shadow import EPOCH_BITS, Cells, Indexed, Race, Shadow, Strided, unit_of
from halfcl.cl.texels import WatchedImages
from halfcl.cl.watching import OF_COPIES


class _Record(np.ndarray[Any, Any]):
    """Bytes of structures, of which some are undefined."""

    undefined: NDArray[np.bool_] | None = None


class CheckedLaunch(Launch):
    """A launch whose accesses are watched."""

    def __init__(
        self,
        name: str,
        place_of: Callable[[int], Any],
        seconds: float | None,
        parameters: Sequence[tree.Declaration],
    ) -> None:
        super().__init__(name, place_of, seconds)
        self.parameters = parameters
        self.shadows: dict[Any, tuple[Shadow | None, int]] = {}
        self.findings: list[Finding] = []
        self.images: dict[tuple[int, str], str] = {}

    def block(self, grid: Grid, box: list[tuple[int, int]]) -> Run:
        return CheckedRun(grid, self, box)

    def run(
        self, function_of: Any, grid: Grid, by_groups: bool, modes: Any, arguments: Any
    ) -> None:
        """Where it cannot go on, what has been found before tells why, as a rule."""
        has_groups = by_groups or isinstance(modes, np.ndarray)
        self.group_bits = math.prod(grid.local_sizes).bit_length() if has_groups else 0
        self._shadow_buffers(arguments)
        try:
            super().run(function_of, grid, by_groups, modes, arguments)
        except LaunchError as error:
            if self.findings:
                raise CheckError(list(distinct(self.findings))) from error
            raise

    def _shadow_buffers(self, arguments: list[Any]) -> None:
        """One shadow for all that overlap; none where nobody writes. Nobody has been there yet,
        though the arguments may have been another run's."""
        pieces: list[tuple[int, int, Any]] = []
        for parameter, value in zip(self.parameters, arguments, strict=True):
            if isinstance(value, Pointer) and value.memory:
                memory = value.memory
                pieces.append((*extent(memory.data), (memory, not memory.is_constant)))
            elif isinstance(value, hc.Image):
                for kind in ("read", "write"):
                    if parameter.access in (f"{kind}_only", "read_write"):
                        self.images.setdefault((id(value), kind), parameter.name)
                may_write = parameter.access != "read_only"
                pieces.append((*extent(value.array), (id(value), may_write)))
        self.shadows = {}
        for size, together in overlapping(pieces):
            is_written = any(may_write for _, (_, may_write) in together)
            shadow = Shadow(size, None, False, self.group_bits) if is_written else None
            for first, (key, _) in together:
                self.shadows[key] = shadow, first

    def report(self, found: Any = None) -> None:
        """A CheckError, if anything has been found. found: the launch's result."""
        if self.findings:
            raise CheckError(list(distinct(self.findings)), found)


class CheckedRun(WatchedImages):
    """A block whose accesses are watched."""

    #: Bytes of a structure that is loaded or stored, by item.
    _undefined: Any = None

    _is_record, _is_packed = False, False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._shadows: dict[Memory, tuple[Shadow, int]] = {}

    # ------------------------------------------------------------ what happens beside accesses

    def private(self, name: str, size: int, key: int) -> Pointer:
        """Declared again, in a loop, a variable is undefined again."""
        found = super().private(name, size, key)
        self.shadow_of(found)[0].forget()
        return found

    def clear(self, pointer: Pointer) -> None:
        super().clear(pointer)
        shadow = self.shadow_of(pointer)[0]
        shadow.whole, shadow.kept = None, None

    def end(self) -> None:
        for copy in self.pending:
            self.at = copy.at
            memory, first = copy.target.memory, int(copy.target.starts[0])
            self._find_in("asynchronous copy without a wait", memory, self._firsts(copy)[0], first)

    # ------------------------------------------------------------ asynchronous copies

    def _firsts(self, copy: Any) -> NDArray[np.int64]:
        """The first item of each group."""
        found: NDArray[np.int64] = copy.groups * (self.axes.count // self.group_total)
        return found

    def add_pending(self, copy: Any) -> None:
        """It reads and writes at once, as each group's own copier."""
        self.at = copy.at
        items = self._firsts(copy)
        copiers = (self.numbers[items] >> EPOCH_BITS) | (1 << self.launch.group_bits) - 1
        for kind, side in (("read", copy.source), ("write", copy.target)):
            if self.pending:
                self._find_early_use(kind, side.memory, side.bytes(), items)
            shadow, base = self.shadow_of(Pointer(side.memory, 0))
            if shadow is not None:
                cells = self._cells_of_copy(shadow, base, side, side.size, items)
                now = copiers << EPOCH_BITS | self.epochs[_fenced(side.memory)][copy.groups]
                kept = copiers << EPOCH_BITS | OF_COPIES
                who = now[:, np.newaxis], kept[:, np.newaxis]
                if kind == "read":
                    race = shadow.read(cells, who[0], (0, OF_COPIES), who[1])
                else:
                    race = shadow.write(cells, who[0], (0, OF_COPIES), who[1], False)
                self._find_race(race, cells, side.memory, base)
        self._copy_defined(copy, items)
        super().add_pending(copy)

    @staticmethod
    def _cells_of_copy(shadow: Shadow, base: int, side: Any, unit: int, items: Any) -> Indexed:
        starts = side.starts[:, np.newaxis] + side.along + base
        unit = shadow.at_unit(unit_of(unit, side.size, int(np.bitwise_or.reduce(starts, None))))
        return Indexed(starts, side.size, unit, items)

    def _copy_defined(self, copy: Any, items: Any) -> None:
        """What goes to global memory is for others to read, and must be defined."""
        side = copy.source if copy.source.memory.space == "local" else copy.target
        shadow, base = self.shadow_of(Pointer(side.memory, 0))
        if shadow.whole is None:
            return
        cells = self._cells_of_copy(shadow, base, side, copy.used, items)
        if side is copy.target:
            cells.put(shadow.by_parts(), True)
        else:
            found = ~cells.take(shadow.by_parts())
            found &= np.arange(found.shape[1]) * shadow.unit % side.size < copy.used
            self._find_undefined(found, cells, side.memory, base)

    # ------------------------------------------------------------ accesses

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Any:
        mask = None if mask is DEAD else mask
        self._put_kept(pointer)
        offset = super().place(kind, pointer, size, align, mask)
        memory = pointer.memory
        assert memory is not None
        if self.pending:
            items = self.active(mask)
            starts = self.array(offset) if items is None else self.array(offset)[items]
            self._find_early_use(kind, memory, starts[:, np.newaxis] + np.arange(size), items)
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
        now, epochs = self.visits(_fenced(memory))
        if kind == "read" and type(offset) is int and self.axes.count > 1:
            race, cells = self._read_by_all(shadow, where, mask, now, epochs)
        else:
            cells = self._cells(shadow, where, mask)
            mine = cells.of_items(now)
            if kind == "read":
                race = shadow.read(cells, mine, epochs, mine)
            else:
                race = shadow.write(cells, mine, epochs, mine, kind == "atomic access")
        self._find_race(race, cells, memory, base)

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
        self._find_undefined(found, cells, where[0], where[1])

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

    # ------------------------------------------------------------ whole variables

    def store(self, pointer: Pointer, value: Any, dtype: Any, mask: Any, at: int) -> None:
        if not self._keeps(pointer, value, dtype, dtype.itemsize, mask, lanes.blend):
            super().store(pointer, value, dtype, mask, at)

    def load(self, pointer: Pointer, dtype: Any, mask: Mask, at: int) -> Any:
        found = self._kept(pointer, dtype, dtype.itemsize, mask)
        return super().load(pointer, dtype, mask, at) if found is None else found

    def store_vector(
        self, pointer: Pointer, value: Any, dtype: Any, width: int, mask: Mask, align: int, at: int
    ) -> None:
        size = dtype.itemsize * width
        if not self._keeps(pointer, value, dtype, size, mask, lanes.blend_vectors):
            super().store_vector(pointer, value, dtype, width, mask, align, at)

    def load_vector(
        self, pointer: Pointer, dtype: Any, width: int, mask: Mask, align: int, at: int
    ) -> Any:
        found = self._kept(pointer, dtype, dtype.itemsize * width, mask)
        if found is None:
            found = super().load_vector(pointer, dtype, width, mask, align, at)
        return found

    def _keeps(
        self, pointer: Pointer, value: Any, dtype: Any, size: int, mask: Any, blend: Any
    ) -> bool:
        """Whether a variable is kept as a value: what is an int or a ramp stays one."""
        memory = pointer.memory
        if memory is None or memory.space != "private" or dtype.kind == "b":
            return False
        if type(pointer.offset) is not int or pointer.offset or size != memory.size:
            return False
        shadow = self.shadow_of(pointer)[0]
        if type(value) is np.ndarray and value.dtype != dtype:
            return False
        if mask is not None and mask is not DEAD:
            if shadow.kept is None and shadow.whole is DEAD and shadow.parts is None:
                old: Any = np.zeros((size // dtype.itemsize, 1), dtype)
                shadow.kept = dtype, old[0] if size == dtype.itemsize else old
            if shadow.kept is None or shadow.kept[0] != dtype:
                return False
            value = blend(mask, DEAD, value, shadow.kept[1], dtype)
        shadow.kept = dtype, value
        shadow.whole = lanes.union(shadow.whole, None if mask is DEAD else mask)
        return True

    def _kept(self, pointer: Pointer, dtype: Any, size: int, mask: Mask) -> Any:
        """The value; None where memory has to be asked."""
        memory = pointer.memory
        if memory is None or memory.space != "private":
            return None
        shadow = self.shadow_of(pointer)[0]
        if shadow.kept is None or shadow.kept[0] != dtype or size != memory.size:
            return None
        is_whole = type(pointer.offset) is int and pointer.offset == 0
        if not is_whole or lanes.without(mask, shadow.whole) is not DEAD:
            return None
        return shadow.kept[1]

    def _put_kept(self, pointer: Pointer) -> None:
        """To memory, before another access to it."""
        memory = pointer.memory
        if memory is None or memory.space != "private":
            return
        shadow = self.shadow_of(pointer)[0]
        if shadow.kept is None:
            return
        (dtype, value), shadow.kept, whole = shadow.kept, None, shadow.whole
        at, start = self.at, Pointer(memory, 0)
        if memory.size == dtype.itemsize:
            super().store(start, value, dtype, None, at)
        else:
            width = memory.size // dtype.itemsize
            super().store_vector(start, value, dtype, width, None, memory.size, at)
        shadow.whole = whole

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

    def store_record(self, pointer: Pointer, value: Any, size: int, mask: Mask, at: int) -> None:
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

    def _find_early_use(self, kind: str, memory: Memory, places: Any, items: Any) -> None:
        """Before the wait nothing may be done with what is written, nor written what is read."""
        for copy in self.pending:
            for side, verb in ((copy.target, "writes"), (copy.source, "reads")):
                if side.memory is not memory or (kind == "read" and verb == "reads"):
                    continue
                is_early = np.isin(places, side.bytes())
                if is_early.any():
                    row, byte = (int(i[0]) for i in np.nonzero(is_early))
                    detail = f", which the copy at {self.launch.place_of(copy.at)} {verb}"
                    found = "early use of an asynchronous copy"
                    item = row if items is None else int(items[row])
                    self._find_in(found, memory, item, int(places[row, byte]), detail)

    def _find_undefined(self, found: Any, cells: Cells, memory: Memory, base: int) -> None:
        if found.any():
            row, unit = divmod(int(found.argmax()), found.shape[1])
            byte = cells.byte(row, unit) - base
            self._find_in("uninitialized read", memory, cells.item(row), byte)

    def _find_race(self, race: Race | None, cells: Cells, memory: Memory, base: int) -> None:
        if race:
            byte = cells.byte(race.row, race.unit) - base
            self._find_in("race", memory, cells.item(race.row), byte, self.beside(race))

    def _find_in(self, kind: str, memory: Memory, item: int, byte: int, detail: str = "") -> None:
        """byte: of the memory's data."""
        owner = int(self.array(memory.owner)[item])
        self.find(kind, f"{memory.space} {memory.name}", item, byte - owner, detail)


def _fenced(memory: Memory) -> str:
    """By which fence of a barrier."""
    return "local" if memory.space == "local" else "global"
