"""Sub-groups, and whole work-groups: work-items of a block that give each other values.

A team is so many work-items of a work-group, in the order of their ids in it, x fastest. The last
one of a group may be smaller. A lane is a work-item's number in its team.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._lanes import Active, Array, Truths

_Indices = NDArray[np.int64]

#: Of arrays of one type, element by element.
Combine: TypeAlias = Callable[[Array, Array], Array]


class Teams:
    """Those of a block of whole work-groups.

    numbers, lanes, sizes, firsts: of each work-item that of its team in the group, its lane, how
    large the team is, and which item is its first one. places: of each team its work-items by lane;
    are_there: whether there are such.
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
        team_starts = (starts + np.arange(count) * most).reshape(-1, 1)
        places = team_starts + np.arange(most)
        ends = np.repeat((starts + group_size).reshape(-1), count)[:, np.newaxis]
        self.are_there: Truths = places < ends
        self.places: _Indices = np.where(self.are_there, places, team_starts)
        self._team: _Indices = (np.arange(groups)[:, np.newaxis] * count + number).reshape(
            -1
        )  # of each item, in the block

    def who(self, mask: Active) -> Truths:
        """By team and lane, who is active."""
        return self.are_there if mask is None else self.are_there & mask[self.places]

    def missing(self, mask: Active) -> int | None:
        """An item that is not active though others of its team are."""
        if mask is None:
            return None
        who = self.who(mask)
        begun: Truths = np.logical_or.reduce(who, axis=1)
        found = begun[:, np.newaxis] & self.are_there & ~who
        return int(self.places[found][0]) if found.any() else None

    def _table(self, values: Array) -> Array:
        """By team and lane; values: of one, or of all items."""
        return np.broadcast_to(values, self.lanes.shape)[self.places]

    def of_each(self, table: Array) -> Array:
        """What a team has, or by team and lane, for each item."""
        return table[self._team] if table.ndim == 1 else table[self._team, self.lanes]

    def any_of(self, truth: Truths, mask: Active) -> Truths:
        """For each item, whether it is so for any active one of its team."""
        found: Truths = np.logical_or.reduce(self._table(truth) & self.who(mask), axis=1)
        return self.of_each(found)

    def first_active(self, mask: Active) -> _Indices:
        """For each item its team's first one that is active; any, where there is none."""
        lane = self.who(mask).argmax(axis=1)
        return self.of_each(self.places[np.arange(len(lane)), lane])

    def combined(
        self, values: Array, mask: Active, combine: Combine, identity: Array, kind: str
    ) -> Array:
        """From the first active lane on: all of a team, those up to an item, or those before it.

        kind: "reduce", "inclusive" or "exclusive"; identity: of none, one element.
        """
        table, who = self._table(values), self.who(mask)
        total = np.repeat(identity, len(table))
        begun = np.zeros(len(table), np.bool_)
        steps = np.empty(table.shape, table.dtype)
        for lane in range(self.most):
            if kind == "exclusive":
                steps[:, lane] = total
            given = table[:, lane]
            added = np.where(begun, combine(total, given), given)
            total = np.where(who[:, lane], added, total)
            begun |= who[:, lane]
            if kind == "inclusive":
                steps[:, lane] = total
        return self.of_each(total if kind == "reduce" else steps)

    def bits(self, truth: Truths, mask: Active) -> Array:
        """Of each item's team, lane by lane: the four components of a ballot."""
        table = np.zeros((len(self.places), 128), np.bool_)
        table[:, : self.most] = (self._table(truth) & self.who(mask))[:, :128]
        packed = np.packbits(table, axis=1, bitorder="little").view("<u4")
        return np.ascontiguousarray(self.of_each_row(packed))

    def of_each_row(self, rows: Array) -> Array:
        """Components first."""
        found: Array = rows[self._team].T
        return found
