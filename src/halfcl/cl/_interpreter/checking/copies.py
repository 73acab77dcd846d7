"""Checked asynchronous copies, whose memory must not be used before the wait."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._interpreter.checking.accesses import WatchedMemory, fence_of
from halfcl.cl._interpreter.checking.shadow_memory import EPOCH_BITS, Indexed, Shadow, unit_of
from halfcl.cl._interpreter.checking.watching import COPY_EPOCH
from halfcl.cl._interpreter.memory.pending import Elements, Pending
from halfcl.cl._interpreter.memory.pointers import Memory, Pointer
from halfcl.cl._interpreter.values.lanes import Mask, Value

_Items = NDArray[np.int64]


class WatchedCopies(WatchedMemory):
    """A block whose asynchronous copies are watched."""

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Value:
        offset = super().place(kind, pointer, size, align, mask)
        if self.pending:
            assert pointer.memory is not None
            items = self.active(mask)
            starts = self.array(offset) if items is None else self.array(offset)[items]
            places = starts[:, np.newaxis] + np.arange(size)
            self._find_early_use(kind, pointer.memory, places, items)
        return offset

    def end(self) -> None:
        for copy in self.pending:
            self.at = copy.at
            memory, first = copy.target.memory, int(copy.target.starts[0])
            self.add_memory_finding(
                "asynchronous copy without a wait", memory, self._firsts(copy)[0], first
            )

    def _firsts(self, copy: Pending) -> NDArray[np.int64]:
        """Return the first item of each group."""
        items: NDArray[np.int64] = copy.groups * (self.axes.count // self.group_total)
        return items

    def add_pending(self, copy: Pending) -> None:
        """Record the reads and writes of a copy, as those of each group's own copier."""
        self.at = copy.at
        items = self._firsts(copy)
        copiers = (self.numbers[items] >> EPOCH_BITS) | (1 << self.launch.group_bits) - 1
        for kind, side in (("read", copy.source), ("write", copy.target)):
            if self.pending:
                self._find_early_use(kind, side.memory, side.bytes(), items)
            shadow, base = self.shadow_of(Pointer(side.memory, 0))
            if shadow is not None:
                cells = self._cells_of_copy(shadow, base, side, side.size, items)
                now = copiers << EPOCH_BITS | self.epochs[fence_of(side.memory)][copy.groups]
                later_visits = copiers << EPOCH_BITS | COPY_EPOCH
                who = now[:, np.newaxis], later_visits[:, np.newaxis]
                visit = shadow.read if kind == "read" else shadow.write
                race = visit(cells, who[0], (0, COPY_EPOCH), who[1])
                self.report_race(race, cells, side.memory, base)
        self._copy_defined(copy, items)
        super().add_pending(copy)

    @staticmethod
    def _cells_of_copy(
        shadow: Shadow, base: int, side: Elements, unit: int, items: _Items
    ) -> Indexed:
        starts = side.starts[:, np.newaxis] + side.along + base
        unit = shadow.reduce_unit(unit_of(unit, side.size, int(np.bitwise_or.reduce(starts, None))))
        return Indexed(starts, side.size, unit, items)

    def _copy_defined(self, copy: Pending, items: _Items) -> None:
        """Mark copied bytes as defined, or report undefined ones copied to global memory."""
        side = copy.source if copy.source.memory.space == "local" else copy.target
        shadow, base = self.shadow_of(Pointer(side.memory, 0))
        if shadow is None or shadow.whole is None:
            return
        cells = self._cells_of_copy(shadow, base, side, copy.used, items)
        if side is copy.target:
            cells.put(shadow.defined_units(), True)
        else:
            is_undefined = ~cells.take(shadow.defined_units())
            is_undefined &= np.arange(is_undefined.shape[1]) * shadow.unit % side.size < copy.used
            self.report_undefined(is_undefined, cells, side.memory, base)

    def _find_early_use(
        self, kind: str, memory: Memory, places: _Items, items: _Items | None
    ) -> None:
        """Report accesses before the wait to what a copy writes, and writes to what it reads."""
        for copy in self.pending:
            for side, verb in ((copy.target, "writes"), (copy.source, "reads")):
                if side.memory is not memory or (kind == "read" and verb == "reads"):
                    continue
                is_early = np.isin(places, side.bytes())
                if is_early.any():
                    row, byte = (int(i[0]) for i in np.nonzero(is_early))
                    detail = f", which the copy at {self.launch.place_of(copy.at)} {verb}"
                    message = "early use of an asynchronous copy"
                    item = row if items is None else int(items[row])
                    self.add_memory_finding(message, memory, item, int(places[row, byte]), detail)
