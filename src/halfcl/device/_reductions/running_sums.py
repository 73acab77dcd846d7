"""Running sums of a device's arrays, each exact and rounded once: the same bits as on the host.

A call becomes one kernel. If there are too few rows or columns to keep the device busy, another
kernel adds up chunks first; each chunk then begins with the sum of those before it. See
preludes/reductions/running/base.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl import _core
from halfcl.device._backends.libraries import DeviceArray
from halfcl.device._backends.machine import AnyMachine
from halfcl.device._reductions.operations import DeviceOperations
from halfcl.device._reductions.reducing import (
    FEW_ITEMS,
    FinishArguments,
    Start,
    choose_chunks,
    choose_lanes,
    power_below,
)
from halfcl.device._source.catalogue import MODES
from halfcl.device._source.reduction_text import NUMBERS, Layout, Reduction
from halfcl.reductions import _arguments as arguments
from halfcl.typing import RoundingMode

#: Elements per lane at a time, as in preludes/reductions/running/rows.h.
_EACH = 8

#: Elements per chunk at most, so that its sum fits into its bins.
_LONGEST = 1 << 20

#: The largest second dimension of a grid.
_MOST_CHUNKS = (1 << 16) - 1

#: Chunks of columns at most, since each work-item adds up all chunks before its own.
_CHUNKS_OF_COLUMNS = 128

#: With at least so many rows, and fewer columns than this, columns are transposed first.
_MANY_ROWS, _FEW_COLUMNS = 1024, 32


#: Integers per chunk's bins: its sum, and the kinds of its elements.
_BINS = 4

#: Lowest bits of the first two, in units of 2^-24, as in csrc/device/statistics.h.
_HIGH, _MIDDLE = 28, 15


@dataclass(frozen=True)
class _Arrangement:
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
    def of(cls, shape: tuple[int, ...], along: int) -> _Arrangement:
        return cls(math.prod(shape[:along]), shape[along], math.prod(shape[along + 1 :]))


@dataclass(frozen=True)
class _Plan:
    """Numbers of work-groups and chunks; each: elements per chunk."""

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
    def of(cls, machine: AnyMachine, source: _Arrangement, wide: bool) -> _Plan:
        group, lanes, each = machine.group, 1, _EACH
        if not machine.is_wide:
            group = power_below(min(FEW_ITEMS, group, source.results))
        elif source.columns == 1:
            long = source.n >= 4 * _EACH * group
            lanes = group if long else choose_lanes(group, source.n // _EACH, 32)
        groups = -(-source.results * lanes // group)
        is_cut = source.columns > 1 or lanes == group
        chunks = choose_chunks(machine, groups, source.n // (4 * each * lanes), is_cut)
        if source.columns > 1:
            chunks = min(chunks, _CHUNKS_OF_COLUMNS)
        each = -(-source.n // max(chunks, -(-source.n // _LONGEST)))
        each = -(-each // _EACH) * _EACH
        return cls(wide, group, lanes, groups, -(-source.n // each), each)


class DeviceRunningSums(DeviceOperations):
    """The running sums of a machine's arrays."""

    _machine: AnyMachine

    def cumsum(
        self, a: object, /, axis: int | None = None, dtype: DTypeLike | None = None,
        out: object = None, *, rounding: RoundingMode | None = None,
    ) -> DeviceArray:  # fmt: skip
        """Return running sums of a device's array, as `halfcl.cumsum` does."""
        if rounding is not None:
            _core.check_mode(rounding)
        (array,) = self._halves("cumsum", (a,))
        kind = arguments.result_dtype("cumsum", dtype, (np.empty(0, array.dtype),))
        x: Any = array
        if axis is None or not array.shape:
            if axis not in (None, 0, -1):
                arguments.one_axis("cumsum", axis, 1)
            x = self._machine.reshape(self._machine.broadcast(array, array.shape), (array.size,))
            axis = 0
        along = arguments.one_axis("cumsum", axis, len(x.shape))
        target = self._target("cumsum", out, kind, x.shape)
        mode = list(MODES).index(rounding or _core.get_rounding())
        return self._store_result(target, self._sum_along(x, along, kind, mode))

    def continue_cumsum(
        self, states: NDArray[Any], a: DeviceArray, along: int, kind: np.dtype[Any],
        rounding: RoundingMode | None,
    ) -> DeviceArray:  # fmt: skip
        """Return running sums along an axis that continue states of the host."""
        mode = list(MODES).index(rounding or _core.get_rounding())
        return self._sum_along(
            a, along, kind, mode, self._machine.from_host(_bins_from_states(states))
        )

    def _sum_along(
        self, x: DeviceArray, along: int, kind: np.dtype[Any], mode: int,
        start: DeviceArray | None = None,
    ) -> DeviceArray:  # fmt: skip
        """Return running sums along an axis, in a new array; start: bins that they begin with."""
        machine, source = self._machine, _Arrangement.of(x.shape, along)
        if machine.is_wide and 1 < source.columns < _FEW_COLUMNS and source.n >= _MANY_ROWS:
            last = len(x.shape) - 1
            transposed = self._sum_along(machine.move_axis(x, along, last), last, kind, mode, start)
            result: DeviceArray = machine.move_axis(transposed, last, along)
            return machine.broadcast(result, result.shape)  # type: ignore[no-any-return]
        result = machine.empty(x.shape, kind, "C", x)
        if result.size:
            self._run(
                machine.broadcast(x, x.shape), source, result, NUMBERS[kind.itemsize], mode, start
            )
        return result

    def _run(
        self, x: DeviceArray, source: _Arrangement, out: DeviceArray, result: str, mode: int,
        start: DeviceArray | None,
    ) -> None:  # fmt: skip
        machine = self._machine
        places = (machine.offset(x), machine.offset(out))
        wide = source.columns == 1 and source.n % _EACH == 0 and not any(p % _EACH for p in places)
        plan = _Plan.of(machine, source, wide)
        if plan.chunks > _MOST_CHUNKS:
            raise OverflowError(f"cumsum: expected at most 2^36 elements in a row, got {source.n}")
        bins = self._chunks(x, source, plan) if plan.chunks > 1 else None
        if start is not None:
            bins = self._prepend(start, bins, plan.chunks, source.results)
        if bins is None:
            bins = x  # a stand-in, since bins are not read
        layout: Layout = "running rows" if source.columns == 1 else "running columns"
        kernel = plan.kernel(layout, result, begun=start is not None)
        values = [*self._head(x, source, plan.each), *machine.memory(bins), *machine.memory(out),
                 np.int32(mode), *self._columns(source)]  # fmt: skip
        self._launch(kernel, (plan.groups, plan.chunks), values, [x, bins], out)

    def _chunks(self, x: DeviceArray, source: _Arrangement, plan: _Plan) -> DeviceArray:
        """Return the bins of each chunk's sum, by the kernels of reductions."""
        machine, kernel = self._machine, plan.kernel(source.layout, "bins")
        size = kernel.slots * plan.chunks * source.results
        bins: DeviceArray = machine.empty((size,), np.int64, "C", x)
        each = plan.each // _EACH if plan.wide else plan.each
        last = FinishArguments(source.n, 0, 0, Start(0, 0))
        remainder = [np.uint64(0)] if source.columns > 1 else []
        values = [*self._head(x, source, each), *machine.memory(bins), *last.values(),
                 *self._columns(source), *remainder]  # fmt: skip
        self._launch(kernel, (plan.groups, plan.chunks), values, [x], bins)
        return bins

    def _prepend(
        self, start: DeviceArray, bins: DeviceArray | None, chunks: int, results: int
    ) -> DeviceArray:
        """Return bins with the start's before them; no kernel reads those of a single chunk."""
        machine = self._machine
        result: Any = machine.empty((_BINS, chunks + 1, results), np.int64, "C", start)
        machine.assign(result[:, :1], machine.reshape(start, (_BINS, 1, results)), None)
        if bins is not None:
            machine.assign(result[:, 1:], machine.reshape(bins, (_BINS, chunks, results)), None)
        return result  # type: ignore[no-any-return]

    def _head(self, x: DeviceArray, source: _Arrangement, each: int) -> list[object]:
        return [np.uint64(source.results), np.uint64(source.n), np.uint64(each),
                *self._machine.memory(x)]  # fmt: skip

    def _columns(self, source: _Arrangement) -> list[object]:
        return [np.uint64(source.columns)] if source.columns > 1 else []


def _bins_from_states(states: NDArray[Any]) -> NDArray[np.int64]:
    """Return the sums of states as bins."""
    limb = states["limb"].reshape(-1, 5)
    lowest, next, upper = limb[:, 0], limb[:, 1], limb[:, 2].astype(np.int32).astype(np.int64)
    sign = limb[:, 4]
    is_long = (limb[:, 3] != sign & 0xFFFFFFFF) | (abs(upper) >> 26 > 0) | (sign != upper >> 63)
    if is_long.any():
        raise OverflowError("cumsum: expected sums below 2^66 so far")
    high = (upper << 64 - _HIGH) + (next << 32 - _HIGH) + (lowest >> _HIGH)
    middle, low = (lowest & (1 << _HIGH) - 1) >> _MIDDLE, lowest & (1 << _MIDDLE) - 1
    return np.stack([high, middle, low, states["seen"].reshape(-1).astype(np.int64)])
