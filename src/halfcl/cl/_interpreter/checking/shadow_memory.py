"""Shadow memory: which units are defined, and who wrote and read them last.

A shadow has an entry per unit of memory. A unit is as large as all accesses so far allow, 16 bytes
at most; for a smaller access, entries are repeated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._frontend.types import DType
from halfcl.cl._interpreter.values.lanes import DEAD, Mask, Ramp, Truths, Value

#: A visit combines a work-item's number and its group's epoch (number of barriers so far) in one
#: number greater than 0. The item's number combines its group's, from 1, and its own in the group.
EPOCH_BITS = 24
_EPOCH = (1 << EPOCH_BITS) - 1

#: Other readers besides the last one: in its group, or in several groups.
_IN_GROUP, _IN_GROUPS = 1, 2

_LARGEST_UNIT = 16

Visits = NDArray[np.int64]


def unit_of(*numbers: int) -> int:
    """Return the largest unit that divides all numbers."""
    together = _LARGEST_UNIT
    for number in numbers:
        together |= number
    return together & -together


# ---------------------------------------------------------------- where


class Strided:
    """The units at an even ramp: the same number of successive units per item in `mask`."""

    def __init__(self, offset: Ramp, size: int, unit: int, mask: Mask) -> None:
        extents, self.count, self.mask = offset.axes.extents, offset.axes.count, mask
        self.unit, self._first, self._offset = unit, offset.base // unit, offset
        self._shape = *extents, size // unit
        self._steps = tuple(step // unit for step in offset.strides)
        self.is_apart = offset.is_apart(size)

    def _view(self, array: NDArray[Any]) -> NDArray[Any]:
        size = array.itemsize
        steps = *(step * size for step in self._steps), size
        return np.ndarray(self._shape, array.dtype, array, self._first * size, steps)

    def take(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the entries, of shape (items, units), as a copy or a view."""
        return self._view(array).reshape(self.count, -1)

    def put(self, array: NDArray[Any], values: NDArray[Any] | int) -> None:
        view = self._view(array)
        if type(values) is np.ndarray:
            values = values.reshape(*self._shape[:-1], values.shape[-1])
        if self.mask is None:
            view[...] = values
        else:
            where = self.mask.reshape(*self._shape[:-1], 1)  # type: ignore[union-attr]
            np.copyto(view, values, where=where)

    def only(self, condition: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Restrict a condition to the active items."""
        return condition if self.mask is None else condition & self.mask[:, np.newaxis]  # type: ignore[index]

    def per_row(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the value of each row's item."""
        return values

    def item(self, row: int) -> int:
        return row

    def byte(self, row: int, unit: int) -> int:
        return int(self._offset.array()[row]) + unit * self.unit


class Indexed:
    """The units at arbitrary bytes, for the active items."""

    is_apart = False

    def __init__(
        self, starts: NDArray[np.int64], size: int, unit: int, items: NDArray[np.int64] | None
    ) -> None:
        """Take the starts in bytes per item, or per item and piece. items: each row's item.

        items may be None for all.
        """
        self.unit, self._items = unit, items
        first = starts if unit == 1 else starts >> (unit.bit_length() - 1)
        if size == unit:
            self.index = first.reshape(len(starts), -1)
        else:
            self.index = (first[..., np.newaxis] + np.arange(size // unit)).reshape(len(starts), -1)

    def take(self, array: NDArray[Any]) -> NDArray[Any]:
        entries: NDArray[Any] = array[self.index]
        return entries

    def put(self, array: NDArray[Any], values: NDArray[Any] | int) -> None:
        array[self.index] = values

    def only(self, condition: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return condition

    def per_row(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._items is None else values[self._items]

    def item(self, row: int) -> int:
        return row if self._items is None else int(self._items[row])

    def byte(self, row: int, unit: int) -> int:
        return int(self.index[row, unit]) * self.unit


Cells = Strided | Indexed


# ---------------------------------------------------------------- what happened there


class Race(NamedTuple):
    """A race. row: of the cells. other: the conflicting visit; 0 if it is unknown."""

    row: int
    unit: int
    other: int


class Shadow:
    """The shadow of a variable in all its owners, or of overlapping buffers.

    whole: the work-items whose variable is completely defined; None also if there is one variable
    for all. parts: which units of the others are defined; None if none is. several: whether there
    were other readers besides the last one, in its group since the last barrier, or in other
    groups.

    kept: dtype and value of a private variable that all items have stored completely but that is
    not in memory yet.
    """

    _ARRAYS = ("parts", "writers", "readers", "several", "atomic")

    __slots__ = (
        *_ARRAYS, "group_bits", "is_of_group", "kept", "last_read", "last_write", "size", "unit",
        "whole",
    )  # fmt: skip

    def __init__(self, size: int, whole: Mask, is_of_group: bool, group_bits: int) -> None:
        """Create a shadow.

        is_of_group: whether only one group accesses each unit. group_bits: the bits of an item's
        number within its group.
        """
        self.size, self.unit, self.whole = size, _LARGEST_UNIT, whole
        self.is_of_group, self.group_bits = is_of_group, EPOCH_BITS + group_bits
        self.parts: NDArray[np.bool_] | None = None
        self.kept: tuple[DType, Value] | None = None
        self.writers: Visits | None = None
        self.readers: Visits | None = None
        self.several: NDArray[np.int8] | None = None
        self.atomic: NDArray[np.bool_] | None = None  # whether the last write was
        self.last_write = self.last_read = -1  # epochs

    def reduce_unit(self, unit: int) -> int:
        """Reduce the unit to a divisor if necessary, and return it."""
        if unit < self.unit:
            for name in self._ARRAYS:
                if (array := getattr(self, name)) is not None:
                    setattr(self, name, np.repeat(array, self.unit // unit))
            self.unit = unit
        return self.unit

    def _zeros(self, dtype: type[np.generic]) -> NDArray[Any]:
        return np.zeros(-(-self.size // self.unit), dtype)

    # ------------------------------------------------------------ definedness

    def defined_units(self) -> NDArray[np.bool_]:
        """Return `parts`, which exist if not only whole variables are defined."""
        if self.parts is None:
            self.parts = self._zeros(np.bool_)
        return self.parts

    def split_into_parts(self, owners: int) -> None:
        """Move all definedness into `parts`. owners: the number of copies of the variable."""
        parts = self.defined_units()
        if self.whole is None:
            parts[...] = True
        elif self.whole is not DEAD:
            parts.reshape(owners, -1)[self.whole] = True
        self.whole = DEAD

    def forget(self) -> None:
        """Mark all memory as undefined."""
        self.whole, self.parts, self.kept = DEAD, None, None

    # ------------------------------------------------------------ visits

    def read(
        self, cells: Cells, visits: Visits, epochs: tuple[int, int], later_visits: Visits
    ) -> Race | None:
        """Record reads and return a race, if any.

        visits: the current visit of each row's item; later_visits: the visit that others will see.
        epochs: the least and the greatest of the latter.
        """
        race = self.race_with_writers(cells, visits, epochs[0])
        if self.readers is None:
            self.readers = self._zeros(np.int64)
        elif not (self.is_of_group and self.last_read < epochs[0]):
            self._note_earlier(cells, later_visits)
        elif self.several is not None:
            cells.put(self.several, 0)
        cells.put(self.readers, later_visits)
        if not cells.is_apart:
            self._note_others(cells, cells.take(self.readers), later_visits)
        self.last_read = max(self.last_read, epochs[1])
        return race

    def race_with_writers(self, cells: Cells, visits: Visits, least: int) -> Race | None:
        """Return a race with earlier writes, without recording anything."""
        if self.writers is None or (self.is_of_group and self.last_write < least):
            return None
        before = cells.take(self.writers)
        return _first(self._conflicts(cells, before, visits), before)

    def write(
        self,
        cells: Cells,
        visits: Visits,
        epochs: tuple[int, int],
        later_visits: Visits,
        is_atomic: bool = False,
    ) -> Race | None:
        """Record writes and return a race, if any; atomic writes do not race with each other."""
        race = self._race_of_write(cells, visits, epochs[0], is_atomic)
        if self.writers is None:
            self.writers = self._zeros(np.int64)
        cells.put(self.writers, later_visits)
        if is_atomic and self.atomic is None:
            self.atomic = self._zeros(np.bool_)
        if self.atomic is not None:
            cells.put(self.atomic, is_atomic)
        if not is_atomic and not cells.is_apart:
            after = cells.take(self.writers)
            together = _first(after != later_visits, after)
            race = _earlier(race, together)
        self.last_write = max(self.last_write, epochs[1])
        return race

    def _race_of_write(
        self, cells: Cells, visits: Visits, least: int, is_atomic: bool
    ) -> Race | None:
        race = None
        if self.writers is not None and not (self.is_of_group and self.last_write < least):
            before = cells.take(self.writers)
            is_race = self._conflicts(cells, before, visits)
            if is_race is not None and is_atomic and self.atomic is not None:
                is_race &= ~cells.take(self.atomic)
            race = _first(is_race, before)
        if self.readers is not None and not (self.is_of_group and self.last_read < least):
            before = cells.take(self.readers)
            is_race = self._conflicts(cells, before, visits)
            if self.several is not None:
                several = cells.take(self.several)
                is_now = (before & _EPOCH) == (visits & _EPOCH)
                many = cells.only((several == _IN_GROUPS) | ((several == _IN_GROUP) & is_now))
                is_race = many if is_race is None else is_race | many
                before = np.where((before ^ visits) >> EPOCH_BITS, before, 0)
            race = _earlier(race, _first(is_race, before))
        return race

    def _conflicts(self, cells: Cells, before: Visits, visits: Visits) -> Truths | None:
        """Return where no barrier lies between earlier visits and these; None if nowhere."""
        distance = before ^ visits
        is_conflict = (distance >> EPOCH_BITS).astype(np.bool_)
        is_conflict &= before != 0
        is_conflict = cells.only(is_conflict)
        if not is_conflict.any():
            return None
        is_ordered = (distance >> self.group_bits) == 0
        is_ordered &= (before & _EPOCH) < (visits & _EPOCH)
        is_conflict &= ~is_ordered
        return is_conflict

    def _note_earlier(self, cells: Cells, later_visits: Visits) -> None:
        """Record whether the last reader, which is about to be replaced, was another item.

        Readers before the last barrier of a group do not conflict with the group's writes.
        """
        assert self.readers is not None
        before = cells.take(self.readers)
        if self.several is not None:
            several = cells.take(self.several)
            is_past = ((before ^ later_visits) >> self.group_bits) == 0
            is_past &= ((before & _EPOCH) < (later_visits & _EPOCH)) & (several == _IN_GROUP)
            cells.put(self.several, np.where(is_past, np.int8(0), several))
        self._note_others(cells, before, later_visits)

    def _note_others(self, cells: Cells, others: Visits, later_visits: Visits) -> None:
        """Record other readers besides the one that is kept."""
        distance = others ^ later_visits
        is_other = cells.only(((distance >> EPOCH_BITS) != 0) & (others != 0))
        if not is_other.any():
            return
        if self.several is None:
            self.several = self._zeros(np.int8)
        is_near = (distance >> self.group_bits) == 0
        is_now = (others & _EPOCH) == (later_visits & _EPOCH)
        level = np.where(is_near, np.where(is_now, _IN_GROUP, 0), _IN_GROUPS) * is_other
        for least in (_IN_GROUP, _IN_GROUPS):  # where rows share units, the maximum remains
            levels = np.maximum(cells.take(self.several), least).astype(np.int8)
            self._put_where(cells, level >= least, levels)

    def _put_where(self, cells: Cells, where: Truths, values: NDArray[np.int8]) -> None:
        assert self.several is not None
        if isinstance(cells, Indexed):
            self.several[cells.index[where]] = values[where]
        else:
            cells.put(self.several, np.where(where, values, cells.take(self.several)))


def _first(is_race: Truths | None, others: Visits) -> Race | None:
    """Return the first conflict as a race, or None."""
    if is_race is None or not is_race.any():
        return None
    row, unit = divmod(int(is_race.argmax()), is_race.shape[1])
    return Race(row, unit, int(others[row, unit]))


def _earlier(one: Race | None, other: Race | None) -> Race | None:
    """Return the race of the earlier item."""
    if one is None or other is None:
        return one or other
    return other if other[:2] < one[:2] else one
