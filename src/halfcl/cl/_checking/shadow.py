"""Beside memory: what of it is defined, and who wrote and read it last.

A shadow has an entry for each unit of memory. A unit is as large as all accesses so far allow,
16 bytes at most; where a smaller one comes, entries are repeated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._lanes import DEAD, Mask, Ramp, Truths, Value
from halfcl.cl._types import DType

#: A visit is a work-item's number, and how many barriers its group had come to, in one number
#: greater than 0. A work-item's number is that of its group, from 1, and its own within it.
EPOCH_BITS = 24
_EPOCH = (1 << EPOCH_BITS) - 1

#: Of readers, beside the last one.
_IN_GROUP, _IN_GROUPS = 1, 2

_LARGEST_UNIT = 16

Visits = NDArray[np.int64]


def unit_of(*numbers: int) -> int:
    """The largest unit that divides them all."""
    together = _LARGEST_UNIT
    for number in numbers:
        together |= number
    return together & -together


# ---------------------------------------------------------------- where


class Strided:
    """The units at a ramp: of each item in `mask` as many, one after the other."""

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
        """Shape (items, units): a copy, or of memory that is in one piece a view."""
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

    def only(self, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of the active items."""
        return found if self.mask is None else found & self.mask[:, np.newaxis]  # type: ignore[index]

    def of_items(self, values: NDArray[Any]) -> NDArray[Any]:
        """Of each row what its item has."""
        return values

    def item(self, row: int) -> int:
        return row

    def byte(self, row: int, unit: int) -> int:
        return int(self._offset.array()[row]) + unit * self.unit


class Indexed:
    """The same at any bytes: of the active items."""

    is_apart = False

    def __init__(
        self, starts: NDArray[np.int64], size: int, unit: int, items: NDArray[np.int64] | None
    ) -> None:
        """starts: of each item, in bytes; or of each its pieces, (items, pieces). items: whose
        each row is; None: all."""
        self.unit, self._items = unit, items
        first = starts if unit == 1 else starts >> (unit.bit_length() - 1)
        if size == unit:
            self.index = first.reshape(len(starts), -1)
        else:
            self.index = (first[..., np.newaxis] + np.arange(size // unit)).reshape(len(starts), -1)

    def take(self, array: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = array[self.index]
        return found

    def put(self, array: NDArray[Any], values: NDArray[Any] | int) -> None:
        array[self.index] = values

    def only(self, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return found

    def of_items(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._items is None else values[self._items]

    def item(self, row: int) -> int:
        return row if self._items is None else int(self._items[row])

    def byte(self, row: int, unit: int) -> int:
        return int(self.index[row, unit]) * self.unit


Cells = Strided | Indexed


# ---------------------------------------------------------------- what happened there


class Race(NamedTuple):
    """row: into the cells. other: the visit that comes too near; 0 if whose is not known."""

    row: int
    unit: int
    other: int


class Shadow:
    """Of a variable in all its owners, or of buffers that overlap.

    whole: the work-items whose own variable is defined as a whole; None also where there is
    but one for all. parts: of the others which units are; None if none.
    several: whether there were readers beside the last one, in its group since the last barrier,
    or in other groups.

    kept: of a private variable what all items have stored as a whole, which is not in memory yet:
    dtype and value.
    """

    _ARRAYS = ("parts", "writers", "readers", "several", "atomic")

    __slots__ = (
        *_ARRAYS, "group_bits", "is_of_group", "kept", "last_read", "last_write", "size", "unit",
        "whole",
    )  # fmt: skip

    def __init__(self, size: int, whole: Mask, is_of_group: bool, group_bits: int) -> None:
        """is_of_group: only one group comes to each unit. group_bits: of an item's number those
        within its group."""
        self.size, self.unit, self.whole = size, _LARGEST_UNIT, whole
        self.is_of_group, self.group_bits = is_of_group, EPOCH_BITS + group_bits
        self.parts: NDArray[np.bool_] | None = None
        self.kept: tuple[DType, Value] | None = None
        self.writers: Visits | None = None
        self.readers: Visits | None = None
        self.several: NDArray[np.int8] | None = None
        self.atomic: NDArray[np.bool_] | None = None  # whether the last write was
        self.last_write = self.last_read = -1  # epochs

    def at_unit(self, unit: int) -> int:
        """The unit from now on, which divides this one."""
        if unit < self.unit:
            for name in self._ARRAYS:
                if (array := getattr(self, name)) is not None:
                    setattr(self, name, np.repeat(array, self.unit // unit))
            self.unit = unit
        return self.unit

    def _zeros(self, dtype: type[np.generic]) -> NDArray[Any]:
        return np.zeros(-(-self.size // self.unit), dtype)

    # ------------------------------------------------------------ definedness

    def by_parts(self) -> NDArray[np.bool_]:
        """`parts`, where not only whole variables are defined."""
        if self.parts is None:
            self.parts = self._zeros(np.bool_)
        return self.parts

    def unwhole(self, owners: int) -> None:
        """All that is defined is in `parts`. owners: how many have a variable of their own."""
        parts = self.by_parts()
        if self.whole is None:
            parts[...] = True
        elif self.whole is not DEAD:
            parts.reshape(owners, -1)[self.whole] = True
        self.whole = DEAD

    def forget(self) -> None:
        """Nothing is defined any more."""
        self.whole, self.parts, self.kept = DEAD, None, None

    # ------------------------------------------------------------ visits

    def read(
        self, cells: Cells, visits: Visits, epochs: tuple[int, int], kept: Visits
    ) -> Race | None:
        """visits: of each row's item now; kept: the same as others will see it. epochs: the
        least and the greatest of kept ones."""
        race = self.race_with_writers(cells, visits, epochs[0])
        if self.readers is None:
            self.readers = self._zeros(np.int64)
        elif not (self.is_of_group and self.last_read < epochs[0]):
            self._note_earlier(cells, kept)
        elif self.several is not None:
            cells.put(self.several, 0)
        cells.put(self.readers, kept)
        if not cells.is_apart:
            self._note_others(cells, cells.take(self.readers), kept)
        self.last_read = max(self.last_read, epochs[1])
        return race

    def race_with_writers(self, cells: Cells, visits: Visits, least: int) -> Race | None:
        """Changes nothing."""
        if self.writers is None or (self.is_of_group and self.last_write < least):
            return None
        before = cells.take(self.writers)
        return _first(self._conflicts(cells, before, visits), before)

    def write(
        self, cells: Cells, visits: Visits, epochs: tuple[int, int], kept: Visits, is_atomic: bool
    ) -> Race | None:
        """The same of a write. Atomic ones are no races among themselves."""
        race = self._race_of_write(cells, visits, epochs[0], is_atomic)
        if self.writers is None:
            self.writers = self._zeros(np.int64)
        cells.put(self.writers, kept)
        if is_atomic and self.atomic is None:
            self.atomic = self._zeros(np.bool_)
        if self.atomic is not None:
            cells.put(self.atomic, is_atomic)
        if not is_atomic and not cells.is_apart:
            after = cells.take(self.writers)
            together = _first(after != kept, after)
            race = _earlier(race, together)
        self.last_write = max(self.last_write, epochs[1])
        return race

    def _race_of_write(
        self, cells: Cells, visits: Visits, least: int, is_atomic: bool
    ) -> Race | None:
        race = None
        if self.writers is not None and not (self.is_of_group and self.last_write < least):
            before = cells.take(self.writers)
            found = self._conflicts(cells, before, visits)
            if found is not None and is_atomic and self.atomic is not None:
                found &= ~cells.take(self.atomic)
            race = _first(found, before)
        if self.readers is not None and not (self.is_of_group and self.last_read < least):
            before = cells.take(self.readers)
            found = self._conflicts(cells, before, visits)
            if self.several is not None:
                several = cells.take(self.several)
                is_now = (before & _EPOCH) == (visits & _EPOCH)
                many = cells.only((several == _IN_GROUPS) | ((several == _IN_GROUP) & is_now))
                found = many if found is None else found | many
                before = np.where((before ^ visits) >> EPOCH_BITS, before, 0)
            race = _earlier(race, _first(found, before))
        return race

    def _conflicts(self, cells: Cells, before: Visits, visits: Visits) -> Truths | None:
        """Where a barrier is missing between visits and what these items do now; None: nowhere."""
        distance = before ^ visits
        found = (distance >> EPOCH_BITS).astype(np.bool_)
        found &= before != 0
        found = cells.only(found)
        if not found.any():
            return None
        is_ordered = (distance >> self.group_bits) == 0
        is_ordered &= (before & _EPOCH) < (visits & _EPOCH)
        found &= ~is_ordered
        return found

    def _note_earlier(self, cells: Cells, kept: Visits) -> None:
        """Before the last reader goes: was it another? Readers before the last barrier of a group
        are of no matter to what the group writes."""
        assert self.readers is not None
        before = cells.take(self.readers)
        if self.several is not None:
            several = cells.take(self.several)
            is_past = ((before ^ kept) >> self.group_bits) == 0
            is_past &= ((before & _EPOCH) < (kept & _EPOCH)) & (several == _IN_GROUP)
            cells.put(self.several, np.where(is_past, np.int8(0), several))
        self._note_others(cells, before, kept)

    def _note_others(self, cells: Cells, others: Visits, kept: Visits) -> None:
        """Beside the reader that is kept these have read, too."""
        distance = others ^ kept
        is_other = cells.only(((distance >> EPOCH_BITS) != 0) & (others != 0))
        if not is_other.any():
            return
        if self.several is None:
            self.several = self._zeros(np.int8)
        is_near = (distance >> self.group_bits) == 0
        is_now = (others & _EPOCH) == (kept & _EPOCH)
        level = np.where(is_near, np.where(is_now, _IN_GROUP, 0), _IN_GROUPS) * is_other
        for least in (_IN_GROUP, _IN_GROUPS):  # where rows share units, the greater one stays
            found = np.maximum(cells.take(self.several), least).astype(np.int8)
            self._put_where(cells, level >= least, found)

    def _put_where(self, cells: Cells, where: Truths, values: NDArray[np.int8]) -> None:
        assert self.several is not None
        if isinstance(cells, Indexed):
            self.several[cells.index[where]] = values[where]
        else:
            cells.put(self.several, np.where(where, values, cells.take(self.several)))


def _first(found: Truths | None, others: Visits) -> Race | None:
    """found: None where nothing is."""
    if found is None or not found.any():
        return None
    row, unit = divmod(int(found.argmax()), found.shape[1])
    return Race(row, unit, int(others[row, unit]))


def _earlier(one: Race | None, other: Race | None) -> Race | None:
    """That of the first item."""
    if one is None or other is None:
        return one or other
    return other if other[:2] < one[:2] else one
