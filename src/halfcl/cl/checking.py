"""What a GPU hides: reads of what nobody wrote, and races between work-items.

A checked launch runs code that keeps every variable in memory, and beside each byte of memory
stands who wrote and read it last, and before which barrier. Two accesses to a byte by different
work-items are a race if one of them writes, one of them is not atomic, and no barrier of their
work-group lies between. Asynchronous copies are somebody else's accesses, one's for each group.
Images are not watched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from halfcl.cl.errors import LaunchError, Place
from halfcl.cl.lanes import DEAD, Mask, Ramp
from halfcl.cl.launching import Grid, Launch, Run
from halfcl.cl.pointers import Memory, Pointer

_LOCAL_FENCE, _GLOBAL_FENCE = 1, 2

_NOBODY = -1

#: Of readers.
_IN_GROUP, _IN_GROUPS = 1, 2


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that no run of a kernel may do.

    Parameters
    ----------
    kind : str
        "uninitialized read", "race", "early use of an asynchronous copy" or "asynchronous copy
        without a wait".
    place : Place
        Of the access in the source.
    kernel, memory : str
        Names.
    work_item : tuple of int
        The global id of the first work-item that was found.
    index : int
        Where in the memory, in bytes.
    detail : str
        With whom, and so on.
    """

    kind: str
    place: Place | None
    kernel: str
    memory: str
    work_item: tuple[int, ...]
    index: int
    detail: str

    def __str__(self) -> str:
        return (
            f"{self.place}: kernel {self.kernel}: {self.kind}: {self.memory}, byte {self.index}, "
            f"work-item {self.work_item}{self.detail}"
        )


class CheckError(LaunchError):
    """What a checked launch has found, after it ran to its end. findings: all, one for a line."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = findings

    def __reduce__(self) -> tuple[type[CheckError], tuple[list[Finding]]]:
        return type(self), (self.findings,)


class Shadow:
    """Beside the bytes of a memory: whether they are defined; who wrote and read them last.

    A visit is a work-item's number and how many barriers came before, in one number. `several`:
    whether there were readers beside the last one, in its group since the last barrier, or in
    other groups.
    """

    __slots__ = ("atomic", "defined", "readers", "several", "writers")

    def __init__(self, memory: Memory, is_defined: bool) -> None:
        count = memory.data.size
        self.defined = np.full(count, is_defined)
        shared = count if memory.space in ("local", "global") else 0
        self.writers = np.full(shared, _NOBODY, np.int64)
        self.readers = np.full(shared, _NOBODY, np.int64)
        self.several = np.zeros(shared, np.int8)
        self.atomic = np.zeros(shared, np.bool_)


class _Record(np.ndarray[Any, Any]):
    """Bytes of structures, of which some are undefined."""

    undefined: NDArray[np.bool_] | None = None


#: Barriers that visits tell apart.
_EPOCHS = 1 << 20

#: An asynchronous copy comes before all that its group does once it has waited, with no barrier;
#: what the group does before the wait is found by itself.
_OF_COPIES = 0


class CheckedLaunch(Launch):
    """A launch whose accesses are watched."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.shadows: WeakKeyDictionary[Memory, Shadow] = WeakKeyDictionary()
        self.findings: list[Finding] = []

    def block(self, grid: Grid, box: list[tuple[int, int]]) -> Run:
        return CheckedRun(grid, self, box)

    def run(self, *arguments: Any) -> None:
        """Where it cannot go on, what has been found before tells why, as a rule."""
        try:
            super().run(*arguments)
        except LaunchError as error:
            if self.findings:
                raise CheckError(list(distinct(self.findings))) from error
            raise

    def report(self) -> None:
        """A CheckError, if anything has been found."""
        if self.findings:
            raise CheckError(list(distinct(self.findings)))


class CheckedRun(Run):
    """A block whose accesses are watched."""

    launch: CheckedLaunch

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        count = self.axes.count
        self._items = self._numbers_of_items()
        self._group = self._array(self.group_slot)
        self._epochs = {
            space: np.full(self.group_total, _OF_COPIES + 1, np.int64)
            for space in ("local", "global")
        }
        self._all = np.ones(count, np.bool_)

    def _numbers_of_items(self) -> NDArray[np.int64]:
        """Consecutive in a work-group: a number tells its group. The last one is its copies'."""
        grid = self.grid
        group: Any = 0
        for i, count in zip(reversed(self.group_ids), reversed(grid.group_counts), strict=False):
            group = group * count + self._array(i)
        sizes = grid.local_sizes if self.group_ids else grid.global_sizes
        ids = self.local_ids if self.group_ids else self.global_ids
        offsets = (0,) * len(ids) if self.group_ids else grid.offsets
        local: Any = 0
        for i, size, offset in zip(reversed(ids), reversed(sizes), reversed(offsets), strict=True):
            local = local * size + self._array(i) - offset
        self._size_of_group = int(np.prod(sizes)) + 1 if self.group_ids else 1
        found: NDArray[np.int64] = group * self._size_of_group + local
        return np.broadcast_to(found, self.axes.count)

    def _whose(self, number: int) -> str:
        """Who has such a number."""
        grid = self.grid
        if not self.group_ids:
            ids = _unraveled(number, grid.global_sizes)
            return f"work-item {tuple(map(sum, zip(ids, grid.offsets, strict=True)))}"
        group, local = divmod(number, self._size_of_group)
        groups = _unraveled(group, grid.group_counts)
        if local == self._size_of_group - 1:
            return f"an asynchronous copy of work-group {groups}"
        locals_ = _unraveled(local, grid.local_sizes)
        parts = zip(groups, grid.local_sizes, locals_, grid.offsets, strict=True)
        return f"work-item {tuple(g * size + i + offset for g, size, i, offset in parts)}"

    def _array(self, value: Any) -> NDArray[np.int64]:
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, Ramp):
            return value.array()
        return np.full(self.axes.count, value, np.int64)

    # ------------------------------------------------------------ what happens beside accesses

    def barrier(self, mask: Mask, at: int, flags: Any) -> None:
        super().barrier(mask, at, flags)
        arrived = self._group if mask is None else self._group[mask]
        for bit, space in ((_LOCAL_FENCE, "local"), (_GLOBAL_FENCE, "global")):
            if flags & bit:
                self._epochs[space][np.unique(arrived)] += 1

    def private(self, name: str, size: int, key: int) -> Pointer:
        """Declared again, in a loop, a variable is undefined again."""
        found = super().private(name, size, key)
        self._shadow(found).defined[...] = False
        return found

    def clear(self, pointer: Pointer) -> None:
        super().clear(pointer)
        self._shadow(pointer).defined[...] = True

    def add_pending(self, copy: Any) -> None:
        """It reads and writes at once, as each group's own copier."""
        self.at = copy.at
        active, size = self._first_items(copy.groups), self._size_of_group
        copiers = self._items[active] // size * size + size - 1
        places = {"read": copy.source.bytes(), "write": copy.target.bytes()}
        for kind, side in (("read", copy.source), ("write", copy.target)):
            self._find_early_use(kind, side.memory, places[kind], active)
            shadow = self._shadow(Pointer(side.memory, 0))
            if len(shadow.writers):
                now = self._epochs[side.memory.space][copy.groups]
                who = copiers, now, np.full(copiers.size, _OF_COPIES)
                self._visit(kind, shadow, side.memory, places[kind], active, who)
        self._copy_defined(copy, places["read"], places["write"], active)
        super().add_pending(copy)

    def _copy_defined(self, copy: Any, source: Any, target: Any, active: Any) -> None:
        """What goes to global memory is for others to read, and must be defined."""
        memory = copy.source.memory
        defined = self._shadow(Pointer(memory, 0)).defined[source]
        is_used = np.arange(source.shape[1]) % copy.source.size < copy.used
        is_missing = ~defined & is_used
        if copy.target.memory.space == "global" and is_missing.any():
            self._find_undefined(is_missing, memory, source, active)
        self._shadow(Pointer(copy.target.memory, 0)).defined[target] = defined

    def _first_items(self, groups: Any) -> Any:
        active = np.zeros(self.axes.count, np.bool_)
        active[groups * (self.axes.count // self.group_total)] = True
        return active

    def end(self) -> None:
        for copy in self.pending:
            self.at = copy.at
            memory, first = copy.target.memory, int(copy.target.starts[0])
            active = self._first_items(copy.groups)
            self._report("asynchronous copy without a wait", memory, active, 0, first, "")

    # ------------------------------------------------------------ accesses

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Any:
        offset = super().place(kind, pointer, size, align, mask)
        active = self._all if mask is None or mask is DEAD else mask
        first = np.broadcast_to(self._array(offset), active.shape)
        places = first[active][:, np.newaxis] + np.arange(size)
        shadow = self._shadow(pointer)
        assert pointer.memory is not None
        self._find_early_use(kind, pointer.memory, places, active)
        if kind == "write":
            shadow.defined[places] = self._defined_of_record(active)
        elif self._is_record:
            self._undefined = np.zeros((active.size, size), np.bool_)
            self._undefined[active] = ~shadow.defined[places]
        elif not shadow.defined[places].all():
            self._find_undefined(~shadow.defined[places], pointer.memory, places, active)
        if len(shadow.writers):
            now = self._epochs[pointer.memory.space][self._group[active]]
            who = self._items[active], now, now
            self._visit(kind, shadow, pointer.memory, places, active, who)
        return offset

    # ------------------------------------------------------------ structures

    _is_record, _is_packed = False, False

    #: Bytes of a structure that is loaded or stored, by item.
    _undefined: Any = None

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

    def _defined_of_record(self, active: Any) -> Any:
        """Of what is stored, for the active items."""
        return True if self._undefined is None else ~self._undefined[active]

    def load_packed(self, pointer: Pointer, dtype: Any, width: int, mask: Mask, at: int) -> Any:
        """A number, though it is loaded as bytes."""
        self._is_packed = True
        try:
            return super().load_packed(pointer, dtype, width, mask, at)
        finally:
            self._is_packed = False

    def _shadow(self, pointer: Pointer) -> Shadow:
        memory = pointer.memory
        assert memory is not None
        if memory not in self.launch.shadows:
            is_defined = memory.space in ("global", "constant")
            self.launch.shadows[memory] = Shadow(memory, is_defined)
        return self.launch.shadows[memory]

    # ------------------------------------------------------------ what may be wrong with one

    def _find_early_use(self, kind: str, memory: Memory, places: Any, active: Any) -> None:
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
                    self._report(found, memory, active, row, int(places[row, byte]), detail)

    def _find_undefined(self, is_missing: Any, memory: Memory, places: Any, active: Any) -> None:
        row, byte = (int(i[0]) for i in np.nonzero(is_missing))
        self._report("uninitialized read", memory, active, row, int(places[row, byte]), "")

    def _visit(
        self,
        kind: str,
        shadow: Shadow,
        memory: Memory,
        places: Any,
        active: Any,
        who: tuple[Any, Any, Any],
    ) -> None:
        """who: the numbers of the items, their epochs now, and those to be kept."""
        is_atomic = kind == "atomic access"
        items, epochs, kept = who
        visits = (items * _EPOCHS + kept)[:, np.newaxis]
        is_race = self._conflicts(shadow.writers[places], items, epochs)
        if is_atomic:
            is_race &= ~shadow.atomic[places]
        others = shadow.writers[places]
        if is_atomic or kind == "write":
            readers, several = shadow.readers[places], shadow.several[places]
            is_read = self._conflicts(readers, items, epochs) | (several == _IN_GROUPS)
            is_read |= (several == _IN_GROUP) & (readers % _EPOCHS == epochs[:, np.newaxis])
            others = np.where(is_race, others, readers)
            is_race |= is_read
            shadow.writers[places] = visits
            shadow.atomic[places] = is_atomic
            if not is_atomic:  # two items in one statement
                together = shadow.writers[places] != visits
                others = np.where(together & ~is_race, shadow.writers[places], others)
                is_race |= together
        else:
            self._note_readers(shadow, places, visits)
        if is_race.any():
            self._find_race(memory, places, active, is_race, others)

    def _conflicts(self, visits: Any, items: Any, epochs: Any) -> Any:
        """Whether a barrier is missing between visits and what these items do now."""
        whose, when = visits // _EPOCHS, visits % _EPOCHS
        mine, now = items[:, np.newaxis], epochs[:, np.newaxis]
        size = self._size_of_group
        is_ordered = (whose // size == mine // size) & (when < now)
        return (visits >= 0) & (whose != mine) & ~is_ordered

    def _note_readers(self, shadow: Shadow, places: Any, visits: Any) -> None:
        """Others before the last barrier of the group are of no matter to what it writes."""
        before = shadow.readers[places]
        mine, group = visits // _EPOCHS, visits // (self._size_of_group * _EPOCHS)
        is_past = before // (self._size_of_group * _EPOCHS) == group
        is_past &= (before % _EPOCHS < visits % _EPOCHS) & (shadow.several[places] == _IN_GROUP)
        shadow.several[places[is_past]] = 0
        shadow.readers[places] = visits
        after = shadow.readers[places]  # of several items in one statement the last one
        for others in (before, after):
            is_other = (others >= 0) & (others // _EPOCHS != mine)
            is_near = others // (self._size_of_group * _EPOCHS) == group
            is_now = others % _EPOCHS == visits % _EPOCHS
            several = np.where(is_near, np.where(is_now, _IN_GROUP, 0), _IN_GROUPS)
            np.maximum.at(shadow.several, places[is_other], several[is_other].astype(np.int8))

    def _find_race(
        self, memory: Memory, places: Any, active: Any, is_race: Any, others: Any
    ) -> None:
        row, byte = (int(i[0]) for i in np.nonzero(is_race))
        other = int(others[row, byte]) // _EPOCHS
        detail = f" and {self._whose(other)}, no barrier between" if other >= 0 else ""
        self._report("race", memory, active, row, int(places[row, byte]), detail)

    def _report(
        self, kind: str, memory: Memory, active: Any, row: int, byte: int, detail: str
    ) -> None:
        item = int(np.flatnonzero(active)[row])
        owner = self._array(memory.owner)[item]
        self.launch.findings.append(
            Finding(
                kind,
                self.launch.place_of(self.at),
                self.launch.name,
                f"{memory.space} {memory.name}",
                self.item(item),
                byte - int(owner),
                detail,
            )
        )


def _unraveled(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Indices, of which the first moves fastest."""
    found = []
    for size in sizes:
        number, index = divmod(number, size)
        found.append(index)
    return tuple(found)


def distinct(findings: list[Finding]) -> Iterator[Finding]:
    """The first one of each kind on each line."""
    seen = set()
    for finding in findings:
        key = (finding.kind, finding.place.line if finding.place else None, finding.memory)
        if key not in seen:
            seen.add(key)
            yield finding
