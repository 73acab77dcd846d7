"""The work-items of a checked launch, the order of their visits, and findings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._interpreter.checking.launch import WatchedLaunch
from halfcl.cl._interpreter.checking.shadow_memory import EPOCH_BITS, Race
from halfcl.cl._interpreter.findings import Finding
from halfcl.cl._interpreter.launching.launch import Grid, Run
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import DEAD, Active, Array, Mask, Ramp, Truths, Value

_LOCAL_FENCE, _GLOBAL_FENCE = 1, 2

#: The epoch of an asynchronous copy. It precedes all that its group does after the wait, without a
#: barrier; accesses before the wait are checked separately.
COPY_EPOCH = 0


class WatchedRun(Run):
    """A block that records its work-items' barriers, and reports findings."""

    launch: WatchedLaunch

    #: Items for which the last called function returned no value.
    without_value: Mask = DEAD

    def __init__(self, grid: Grid, launch: WatchedLaunch, box: list[tuple[int, int]]) -> None:
        super().__init__(grid, launch, box)
        self.numbers = self._numbers_of_items() << EPOCH_BITS
        self._group = self.array(self.group_slot)
        self.epochs = {
            space: np.full(self.group_total, COPY_EPOCH + 1, np.int64)
            for space in ("local", "global")
        }
        self._visits: dict[str, tuple[NDArray[np.int64], tuple[int, int]]] = {}
        self._active: tuple[Active, NDArray[np.int64] | None] = None, None

    def _numbers_of_items(self) -> NDArray[np.int64]:
        """Return the items' numbers: the group's, from 1, and the item's own in it.

        The last number of a group is its copier's.
        """
        grid = self.grid
        ids = self.group_ids or tuple(
            lanes.add(i, -offset) for i, offset in zip(self.global_ids, grid.offsets, strict=True)
        )
        counts = grid.group_counts if self.group_ids else grid.global_sizes
        group = self._linear(ids, counts)
        local = self._linear(self.local_ids, grid.local_sizes)
        return np.broadcast_to((group + 1 << self.launch.group_bits) + local, self.axes.count)

    def _linear(self, ids: tuple[Ramp | int, ...], sizes: tuple[int, ...]) -> NDArray[np.int64]:
        """Combine ids into one number, the first one fastest."""
        result: NDArray[np.int64] = np.zeros((), np.int64)
        for i, size in zip(reversed(ids), reversed(sizes), strict=False):
            result = result * size + self.array(i)
        return result

    def _whose(self, visit: int) -> str:
        """Describe the item of a visit."""
        grid, bits = self.grid, self.launch.group_bits
        number = visit >> EPOCH_BITS
        group, local = (number >> bits) - 1, number & ((1 << bits) - 1)
        if not self.group_ids:
            ids = _unravel(group, grid.global_sizes)
            return f"work-item {tuple(map(sum, zip(ids, grid.offsets, strict=True)))}"
        groups = _unravel(group, grid.group_counts)
        if local == (1 << bits) - 1:
            return f"an asynchronous copy of work-group {groups}"
        locals_ = _unravel(local, grid.local_sizes)
        parts = zip(groups, grid.local_sizes, locals_, grid.offsets, strict=True)
        return f"work-item {tuple(g * size + i + offset for g, size, i, offset in parts)}"

    def array(self, value: Value) -> NDArray[np.int64]:
        """Return a value per item."""
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, Ramp):
            return value.array()
        return np.full(self.axes.count, value, np.int64)

    def active(self, mask: Mask) -> NDArray[np.int64] | None:
        """Return the indices of active items; None if all are."""
        if mask is None or mask is DEAD:
            return None
        if self._active[0] is not mask:
            self._active = mask, np.flatnonzero(mask)
        return self._active[1]

    def visits(self, space: str) -> tuple[NDArray[np.int64], tuple[int, int]]:
        """Return the items' current visits, of shape (items, 1), and the bounds of the epochs."""
        if space not in self._visits:
            epochs = self.epochs[space]
            now = (self.numbers + epochs[self._group])[:, np.newaxis]
            self._visits[space] = now, (int(epochs.min()), int(epochs.max()))
        return self._visits[space]

    def sub_group_barrier(self, mask: Mask, at: int, flags: Value) -> None:
        """Treat the barrier as one of the whole work-group.

        So races between sub-groups that only this barrier seems to prevent are not found.
        """
        super().sub_group_barrier(mask, at, flags)
        each = np.broadcast_to(lanes.spread(flags), self._group.shape)
        self._begin_epochs(each, None if mask is DEAD else mask, "sub_group_barrier", at)

    def see_lanes(self, what: str, lanes: Array, bad: Truths, mask: Mask, at: int) -> None:
        if mask is not None and mask is not DEAD:
            bad = bad & mask
        if bad.any():
            item = int(bad.argmax())
            size = int(self.item_groups("sub_group").sizes[item])
            lane = int(lanes[item])
            why = "which is not active" if 0 <= lane < size else f"of {size}"
            self.at = at
            kind = "read of a lane that is not there"
            self.add_finding(kind, f"function {what}", item, None, f": lane {lane}, {why}")

    def barrier(self, mask: Active, at: int, flags: Value) -> None:
        super().barrier(mask, at, flags)
        each = np.broadcast_to(lanes.spread(flags), self._group.shape)
        self._check_flags(each, mask, at)
        self._begin_epochs(each, mask, "barrier", at)

    def _begin_epochs(self, each: Array, mask: Active, what: str, at: int) -> None:
        """Begin new epochs for the fenced memory in the groups that arrived."""
        for bit, space in ((_LOCAL_FENCE, "local"), (_GLOBAL_FENCE, "global")):
            is_fenced = each & bit != 0
            if mask is not None:
                is_fenced &= mask
            if is_fenced.any():
                self.epochs[space][self._group[is_fenced]] += 1
                self._visits.pop(space, None)
                if self.epochs[space].max() >> EPOCH_BITS:
                    most = 1 << EPOCH_BITS
                    self.refuse(at, f"{what}: expected fewer than {most} in a checked launch")

    def _check_flags(self, flags: Array, mask: Active, at: int) -> None:
        """Raise LaunchError unless all items of a work-group fence the same memory."""
        table = flags.reshape(self.group_total, -1)
        other = table != table[:, :1]
        if mask is not None:
            other &= mask.reshape(table.shape)
        if other.any():
            item = self.item(int(np.flatnonzero(other)[0]))
            wrong = "has other flags than the first of its work-group"
            self.refuse(at, f"barrier: work-item {item} {wrong}")

    def use_value(self, function: str, at: int) -> None:
        """Report the use of a value that the last called function did not return."""
        missing, self.without_value = self.without_value, DEAD
        if missing is not DEAD:
            self.at = at
            self.add_finding(
                "use of a value that was not returned",
                f"function {function}",
                lanes.first_active(missing),
                None,
            )

    def describe_other(self, race: Race) -> str:
        """Describe the other side of a race."""
        other = self._whose(race.other) if race.other else "another one"
        return f" and {other}, no barrier between"

    def add_finding(
        self,
        kind: str,
        memory: str,
        item: int,
        index: int | tuple[int, ...] | None,
        detail: str = "",
    ) -> None:
        """Add a finding at the current place for an item of the block."""
        launch = self.launch
        place = launch.place_of(self.at)
        who = self.item(item)
        launch.findings.append(Finding(kind, place, launch.name, memory, who, index, detail))


def _unravel(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return indices, the first one fastest."""
    indices = []
    for size in sizes:
        number, index = divmod(number, size)
        indices.append(index)
    return tuple(indices)
