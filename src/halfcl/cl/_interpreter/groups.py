"""Sub-groups and work-groups of a block, whose work-items exchange values.

A group here is a sub-group or a whole work-group: a number of work-items of a work-group, in the
order of their local ids, x fastest. The last sub-group of a work-group may be smaller. A lane is a
work-item's number in its group.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._interpreter.values.lanes import Active, Array, Truths

_Indices = NDArray[np.int64]

#: Combines arrays of one type element by element.
Combine: TypeAlias = Callable[[Array, Array], Array]


class Groups:
    """The sub-groups or work-groups of a block.

    Per work-item: `numbers` (its group's number in the work-group), `lanes`, `sizes` (of its group)
    and `firsts` (its group's first item). Per group: `places`, its work-items by lane, and
    `has_lane`, whether that lane exists.
    """

    def __init__(self, groups: int, group_size: int, most: int) -> None:
        count = -(-group_size // most)
        within = np.arange(group_size)
        number, lane = np.divmod(within, most)
        starts = np.arange(groups)[:, np.newaxis] * group_size
        self.count, self.most, self.lanes = count, most, np.tile(lane, groups)
        self.numbers: _Indices = np.tile(number, groups)
        self.sizes: _Indices = np.tile(np.minimum(most, group_size - number * most), groups)
        self.firsts: _Indices = (starts + number * most).reshape(-1)
        group_starts = (starts + np.arange(count) * most).reshape(-1, 1)
        places = group_starts + np.arange(most)
        ends = np.repeat((starts + group_size).reshape(-1), count)[:, np.newaxis]
        self.has_lane: Truths = places < ends
        self.places: _Indices = np.where(self.has_lane, places, group_starts)
        # Per item, its group's number in the block.
        self._group: _Indices = (np.arange(groups)[:, np.newaxis] * count + number).reshape(-1)

    def active_lanes(self, mask: Active) -> Truths:
        """Return which items are active, by group and lane."""
        return self.has_lane if mask is None else self.has_lane & mask[self.places]

    def missing(self, mask: Active) -> int | None:
        """Return an inactive item whose group has active ones, or None."""
        if mask is None:
            return None
        who = self.active_lanes(mask)
        has_active: Truths = np.logical_or.reduce(who, axis=1)
        absent = has_active[:, np.newaxis] & self.has_lane & ~who
        return int(self.places[absent][0]) if absent.any() else None

    def _table(self, values: Array) -> Array:
        """Arrange a value per item, or one value, by group and lane."""
        return np.broadcast_to(values, self.lanes.shape)[self.places]

    def per_item(self, table: Array) -> Array:
        """Return for each item its group's value, or its lane's value in a table."""
        return table[self._group] if table.ndim == 1 else table[self._group, self.lanes]

    def any_in_group(self, truth: Truths, mask: Active) -> Truths:
        """Return for each item whether a condition holds for any active item of its group."""
        result: Truths = np.logical_or.reduce(self._table(truth) & self.active_lanes(mask), axis=1)
        return self.per_item(result)

    def first_active(self, mask: Active) -> _Indices:
        """Return for each item its group's first active item; any item if none is active."""
        lane = self.active_lanes(mask).argmax(axis=1)
        return self.per_item(self.places[np.arange(len(lane)), lane])

    def combine(
        self, values: Array, mask: Active, combine: Combine, identity: Array, kind: str
    ) -> Array:
        """Combine values lane by lane: reduce a whole group, or scan it inclusively or exclusively.

        kind: "reduce", "inclusive" or "exclusive"; identity: the result for no values, one element.
        """
        table, who = self._table(values), self.active_lanes(mask)
        total = np.repeat(identity, len(table))
        has_value = np.zeros(len(table), np.bool_)
        steps = np.empty(table.shape, table.dtype)
        for lane in range(self.most):
            if kind == "exclusive":
                steps[:, lane] = total
            lane_values = table[:, lane]
            added = np.where(has_value, combine(total, lane_values), lane_values)
            total = np.where(who[:, lane], added, total)
            has_value |= who[:, lane]
            if kind == "inclusive":
                steps[:, lane] = total
        return self.per_item(total if kind == "reduce" else steps)

    def bits(self, truth: Truths, mask: Active) -> Array:
        """Return for each item the ballot of its group: four 32-bit components, a bit per lane."""
        table = np.zeros((len(self.places), 128), np.bool_)
        table[:, : self.most] = (self._table(truth) & self.active_lanes(mask))[:, :128]
        packed = np.packbits(table, axis=1, bitorder="little").view("<u4")
        return np.ascontiguousarray(self.per_item_rows(packed))

    def per_item_rows(self, rows: Array) -> Array:
        """Return for each item its group's row; components are the first axis."""
        columns: Array = rows[self._group].T
        return columns
