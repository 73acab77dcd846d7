"""Running sums of a device's arrays, each exact and rounded once: the same bits as on the host.

A call becomes one kernel. Where there are too few rows or columns to keep the device busy, another
one goes before, which adds up chunks; each chunk then begins with what those before it add up to.
See preludes/reductions_running.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl import _core
from halfcl.device._catalogue import MODES
from halfcl.device._given import OnMachine
from halfcl.device._libraries import DeviceArray
from halfcl.device._machine import AnyMachine
from halfcl.device._reducing import FEW_ITEMS, Last, Start, chunks_of, lanes_of, power_below
from halfcl.device._reduction_text import NUMBERS, Layout, Reduction
from halfcl.reductions import _arguments as arguments
from halfcl.typing import RoundingMode

#: Elements of a lane at a time, as preludes/reductions_running_rows.h has it.
_EACH = 8

#: A chunk's sums have no more bits than there is room for.
_LONGEST = 1 << 20

#: A kernel's second dimension.
_MOST_CHUNKS = (1 << 16) - 1

#: Each work-item adds up all chunks before its own, down columns.
_CHUNKS_OF_COLUMNS = 128

#: From so many rows on fewer columns than those are turned into rows first.
_MANY_ROWS, _FEW_COLUMNS = 1024, 32


#: Integers of a chunk's sum, and what its elements were.
_BINS = 4

#: Where its first two begin, in units of 2^-24: csrc/device/statistics.h has them so.
_HIGH, _MIDDLE = 28, 15


@dataclass(frozen=True)
class _Laid:
    """Rows of n, if there is one column, or blocks of n rows of columns."""

    blocks: int
    n: int
    columns: int

    @property
    def layout(self) -> Layout:
        return "rows" if self.columns == 1 else "columns"

    @property
    def results(self) -> int:
        return self.blocks * self.columns

    @classmethod
    def of(cls, shape: tuple[int, ...], along: int) -> _Laid:
        return cls(math.prod(shape[:along]), shape[along], math.prod(shape[along + 1 :]))


@dataclass(frozen=True)
class _Plan:
    """Groups, and chunks of each elements."""

    wide: bool
    group: int
    lanes: int
    groups: int
    chunks: int
    each: int

    def kernel(self, layout: Layout, result: str, begun: bool = False) -> Reduction:
        wide, group, lanes = self.wide, self.group, self.lanes
        return Reduction(layout, "sum", result, wide, False, group, lanes, False, begun=begun)

    @classmethod
    def of(cls, machine: AnyMachine, laid: _Laid, wide: bool) -> _Plan:
        group, lanes, each = machine.group, 1, _EACH
        if not machine.is_wide:
            group = power_below(min(FEW_ITEMS, group, laid.results))
        elif laid.columns == 1:
            long = laid.n >= 4 * _EACH * group
            lanes = group if long else lanes_of(group, laid.n // _EACH, 32)
        groups = -(-laid.results * lanes // group)
        is_cut = laid.columns > 1 or lanes == group
        chunks = chunks_of(machine, groups, laid.n // (4 * each * lanes), is_cut)
        if laid.columns > 1:
            chunks = min(chunks, _CHUNKS_OF_COLUMNS)
        each = -(-laid.n // max(chunks, -(-laid.n // _LONGEST)))
        each = -(-each // _EACH) * _EACH
        return cls(wide, group, lanes, groups, -(-laid.n // each), each)


class DeviceRunningSums(OnMachine):
    """The running sums of a machine's arrays."""

    _machine: AnyMachine

    def cumsum(
        self, a: object, /, axis: int | None = None, dtype: DTypeLike | None = None,
        out: object = None, *, rounding: RoundingMode | None = None,
    ) -> DeviceArray:  # fmt: skip
        """As `halfcl.cumsum`, of a device's arrays."""
        if rounding is not None:
            _core.check_mode(rounding)
        (given,) = self._halves("cumsum", (a,))
        kind = arguments.result_dtype("cumsum", dtype, (np.empty(0, given.dtype),))
        x: Any = given
        if axis is None or not given.shape:
            if axis not in (None, 0, -1):
                arguments.one_axis("cumsum", axis, 1)
            x = self._machine.reshaped(self._machine.spread(given, given.shape), (given.size,))
            axis = 0
        along = arguments.one_axis("cumsum", axis, len(x.shape))
        target = self._target("cumsum", out, kind, x.shape)
        mode = list(MODES).index(rounding or _core.get_rounding())
        return self._finished(target, self._summed(x, along, kind, mode))

    def continue_cumsum(
        self, states: NDArray[Any], a: DeviceArray, along: int, kind: np.dtype[Any],
        rounding: RoundingMode | None,
    ) -> DeviceArray:  # fmt: skip
        """The sums along an axis that go on from states, which are the host's."""
        mode = list(MODES).index(rounding or _core.get_rounding())
        return self._summed(a, along, kind, mode, self._machine.from_host(_bins_of(states)))

    def _summed(
        self, x: DeviceArray, along: int, kind: np.dtype[Any], mode: int,
        start: DeviceArray | None = None,
    ) -> DeviceArray:  # fmt: skip
        """Along an axis, into a new array. start: bins that they begin with."""
        machine, laid = self._machine, _Laid.of(x.shape, along)
        if machine.is_wide and 1 < laid.columns < _FEW_COLUMNS and laid.n >= _MANY_ROWS:
            last = len(x.shape) - 1
            turned = self._summed(machine.moved(x, along, last), last, kind, mode, start)
            made: DeviceArray = machine.moved(turned, last, along)
            return machine.spread(made, made.shape)  # type: ignore[no-any-return]
        made = machine.empty(x.shape, kind, "C", x)
        if made.size:
            self._run(machine.spread(x, x.shape), laid, made, NUMBERS[kind.itemsize], mode, start)
        return made

    def _run(
        self, x: DeviceArray, laid: _Laid, out: DeviceArray, result: str, mode: int,
        start: DeviceArray | None,
    ) -> None:  # fmt: skip
        machine = self._machine
        places = (machine.place(x), machine.place(out))
        wide = laid.columns == 1 and laid.n % _EACH == 0 and not any(p % _EACH for p in places)
        plan = _Plan.of(machine, laid, wide)
        if plan.chunks > _MOST_CHUNKS:
            raise OverflowError(f"cumsum: expected at most 2^36 elements in a row, got {laid.n}")
        bins = self._chunks(x, laid, plan) if plan.chunks > 1 else None
        if start is not None:
            bins = self._after(start, bins, plan.chunks, laid.results)
        if bins is None:
            bins = x  # in place of what is not read
        layout: Layout = "running rows" if laid.columns == 1 else "running columns"
        kernel = plan.kernel(layout, result, begun=start is not None)
        given = [*self._head(x, laid, plan.each), *machine.memory(bins), *machine.memory(out),
                 np.int32(mode), *self._columns(laid)]  # fmt: skip
        self._launch(kernel, (plan.groups, plan.chunks), given, [x, bins], out)

    def _chunks(self, x: DeviceArray, laid: _Laid, plan: _Plan) -> DeviceArray:
        """What each chunk adds up to, by the kernels of reductions."""
        machine, kernel = self._machine, plan.kernel(laid.layout, "bins")
        size = kernel.slots * plan.chunks * laid.results
        bins: DeviceArray = machine.empty((size,), np.int64, "C", x)
        each = plan.each // _EACH if plan.wide else plan.each
        last = Last(laid.n, 0, 0, Start(0, 0))
        further = [np.uint64(0)] if laid.columns > 1 else []
        given = [*self._head(x, laid, each), *machine.memory(bins), *last.values(),
                 *self._columns(laid), *further]  # fmt: skip
        self._launch(kernel, (plan.groups, plan.chunks), given, [x], bins)
        return bins

    def _after(
        self, start: DeviceArray, bins: DeviceArray | None, chunks: int, results: int
    ) -> DeviceArray:
        """The bins of chunks after others. Those of one chunk alone nobody reads."""
        machine = self._machine
        made: Any = machine.empty((_BINS, chunks + 1, results), np.int64, "C", start)
        machine.assign(made[:, :1], machine.reshaped(start, (_BINS, 1, results)), None)
        if bins is not None:
            machine.assign(made[:, 1:], machine.reshaped(bins, (_BINS, chunks, results)), None)
        return made  # type: ignore[no-any-return]

    def _head(self, x: DeviceArray, laid: _Laid, each: int) -> list[object]:
        return [np.uint64(laid.results), np.uint64(laid.n), np.uint64(each),
                *self._machine.memory(x)]  # fmt: skip

    def _columns(self, laid: _Laid) -> list[object]:
        return [np.uint64(laid.columns)] if laid.columns > 1 else []


def _bins_of(states: NDArray[Any]) -> NDArray[np.int64]:
    """The sums of states as bins, one after the other."""
    limb = states["limb"].reshape(-1, 5)
    lowest, next, further = limb[:, 0], limb[:, 1], limb[:, 2].astype(np.int32).astype(np.int64)
    sign = limb[:, 4]
    is_long = (limb[:, 3] != sign & 0xFFFFFFFF) | (abs(further) >> 26 > 0) | (sign != further >> 63)
    if is_long.any():
        raise OverflowError("cumsum: expected sums below 2^66 so far")
    high = (further << 64 - _HIGH) + (next << 32 - _HIGH) + (lowest >> _HIGH)
    middle, low = (lowest & (1 << _HIGH) - 1) >> _MIDDLE, lowest & (1 << _MIDDLE) - 1
    return np.stack([high, middle, low, states["seen"].reshape(-1).astype(np.int64)])
