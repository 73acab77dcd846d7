"""Exact reductions of Dask arrays: as trees, whose partial states are exact.

Each block is taken into an `Accumulator`; these are merged in whatever order Dask likes, and the
last step rounds, once. So the bits are those of the same reduction of one NumPy array.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import dask.array as da
import numpy as np
from dask.array.core import unify_chunks
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import DTypeLike, NDArray

from halfcl import _core
from halfcl.dask._chunks import example_of, placed
from halfcl.reductions import Accumulator, _arguments as arguments
from halfcl.reductions._arguments import Call, statistic_of
from halfcl.typing import RoundingMode

#: A block of accumulators.
Boxes: TypeAlias = NDArray[np.object_]


def reduce(call: Call) -> da.Array:
    """What `halfcl.reductions._functions` does with NumPy's arrays."""
    name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding = call
    mode = checked_mode(name, out, rounding)
    ddof = arguments.degrees(name, ddof)
    kind = arguments.result_dtype(name, dtype, tuple(example(name, x) for x in arrays))
    start = None if initial is None else arguments.initial_half(name, initial, mode)
    operands = [da.asanyarray(x) for x in arrays]
    reduced = arguments.axes(name, axis, max(x.ndim for x in operands))
    if where is not True:
        operands.append(_truths(name, where))
    aligned = Aligned.of(operands)
    if aligned.ndim > max(x.ndim for x in operands[: len(arrays)]):
        raise ValueError(
            f"{name}: argument where: expected a shape that broadcasts to that of the array, "
            f"got {operands[-1].shape}"
        )
    partial = aligned.taken(statistic_of(name), reduced, where is not True)
    total = da.reduction(
        partial, chunk=as_they_are, combine=merged, aggregate=merged, axis=reduced,
        keepdims=True, dtype=object, meta=np.empty((0,) * partial.ndim, object),
    )  # fmt: skip
    kept = [c for i, c in enumerate(aligned.chunks) if i not in reduced]
    chunks = [(1,) if i in reduced else c for i, c in enumerate(aligned.chunks)]
    like = example_of(operands, len(chunks if keepdims else kept), kind)
    return total.map_blocks(
        _rounded, reduced, bool(keepdims), start, ddof, kind, mode, like, dtype=like.dtype,
        chunks=tuple(chunks if keepdims else kept), drop_axis=() if keepdims else reduced,
        meta=like,
    )  # fmt: skip


def checked_mode(name: str, out: object, rounding: object) -> RoundingMode:
    """The mode of a call, bound now; there is no argument out."""
    if out is not None:
        raise TypeError(f"{name}: argument out: expected none beside Dask arrays, got {out!r}")
    mode = _core.get_rounding() if rounding is None else rounding
    _core.check_mode(mode)
    return cast(RoundingMode, mode)


def example(name: str, x: object) -> NDArray[Any]:
    """An array of an argument's dtype, which is one that reductions take."""
    return arguments.numbers(name, "a", np.empty(0, x.dtype) if hasattr(x, "dtype") else x)


def _truths(name: str, where: object) -> da.Array:
    found = da.asanyarray(where)
    if found.dtype != np.bool_:
        raise TypeError(f"{name}: argument where: expected bool, got {found.dtype}")
    return found


@dataclass
class Aligned:
    """Arrays in blocks that fit each other, and are broadcast when they are taken."""

    arrays: list[da.Array]
    ndim: int
    chunks: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, arrays: list[da.Array]) -> Aligned:
        ndim = max(x.ndim for x in arrays)
        chunks, found = unify_chunks(*with_axes(arrays, ndim))
        return cls(list(found), ndim, tuple(chunks[i] for i in range(ndim)))

    def taken(self, statistic: str, reduced: tuple[int, ...], has_where: bool) -> da.Array:
        """Of each block an accumulator, as an array of one."""
        axes = tuple(range(self.ndim))
        return da.blockwise(
            _accumulator, axes, *with_axes(self.arrays, self.ndim),
            statistic=statistic, axis=reduced, has_where=has_where, align_arrays=False,
            adjust_chunks=dict.fromkeys(axes, 1), dtype=object,
            meta=np.empty((0,) * self.ndim, object),
        )  # fmt: skip


def with_axes(arrays: list[da.Array], ndim: int) -> list[da.Array | tuple[int, ...]]:
    """Each array, and the places of its axes among those of all when they are broadcast."""
    return [y for x in arrays for y in (x, tuple(range(ndim - x.ndim, ndim)))]


def boxed(accumulator: Accumulator, dims: int) -> Boxes:
    """An accumulator as what Dask takes for a block: an array of one element."""
    box = np.empty((1,) * dims, object)
    box[...] = accumulator
    return box


def _accumulator(
    *blocks: NDArray[Any], statistic: str, axis: tuple[int, ...], has_where: bool
) -> Boxes:
    arrays = blocks[:-1] if has_where else blocks
    where = blocks[-1] if has_where else True
    accumulator = Accumulator(statistic, axis=axis, keepdims=True)
    return boxed(accumulator.add(*arrays, where=where), max(x.ndim for x in blocks))


def as_they_are(boxes: Boxes, axis: tuple[int, ...], keepdims: bool) -> Boxes:
    """What a tree of accumulators begins with."""
    return boxes


def merged(boxes: Boxes, axis: tuple[int, ...], keepdims: bool) -> Boxes:
    """Of several accumulators one. They stay as they are: Dask may use them again."""
    first, *others = boxes.ravel()
    total = first.copy() if others else first
    for other in others:
        total.merge(other)
    return boxed(total, boxes.ndim)


def _rounded(
    box: Boxes,
    axis: tuple[int, ...],
    keepdims: bool,
    initial: _core.half | None,
    ddof: int,
    dtype: np.dtype[Any],
    rounding: RoundingMode,
    like: object,
) -> object:
    accumulator = box.item()
    if initial is not None:
        accumulator = accumulator.copy().start_from(initial)
    found = np.asarray(accumulator.result(ddof=ddof, dtype=dtype, rounding=rounding))
    return placed(found if keepdims else found.squeeze(axis)[()], like)


# ---------------------------------------------------------------- running sums


def cumsum(
    x: da.Array,
    axis: int | None,
    dtype: DTypeLike | None,
    out: object,
    rounding: RoundingMode | None,
) -> da.Array:
    """What `halfcl.cumsum` is for NumPy's arrays: each block starts where those before it end."""
    name = "cumsum"
    mode = checked_mode(name, out, rounding)
    kind = arguments.result_dtype(name, dtype, (example(name, x),))
    if axis is None or x.ndim == 0:
        arguments.axes(name, axis, 1)
        x, axis = x.ravel(), 0
    along = arguments.one_axis(name, axis, x.ndim)
    starts = _sums_before(Aligned.of([x]).taken("sum", (along,), False), along)
    axes, like = tuple(range(x.ndim)), example_of([x], x.ndim, kind)
    return da.blockwise(
        _running, axes, x, axes, starts, axes, along=along, kind=kind, mode=mode,
        align_arrays=False, dtype=like.dtype, meta=like,
    )  # fmt: skip


def _sums_before(boxes: da.Array, along: int) -> da.Array:
    """For each block the accumulator of all blocks before it along an axis, one after the other."""
    name = "sums-before-" + tokenize(boxes, along)
    tasks: dict[Any, Any] = {}
    for at in np.ndindex(boxes.numblocks):
        before = tuple(n - (i == along) for i, n in enumerate(at))
        if at[along]:
            tasks[(name, *at)] = (_both, (name, *before), (boxes.name, *before))
        else:
            tasks[(name, *at)] = (_nothing_before, boxes.ndim, along)
    collections: list[Any] = [boxes]  # to Dask's own types it is none
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=collections)
    return da.Array(graph, name, boxes.chunks, dtype=object, meta=boxes._meta)


def _nothing_before(dims: int, along: int) -> Boxes:
    return boxed(Accumulator("sum", axis=(along,), keepdims=True), dims)


def _both(box: Boxes, other: Boxes) -> Boxes:
    return boxed(box.item().copy().merge(other.item()), box.ndim)


def _running(
    block: NDArray[Any], box: Boxes, along: int, kind: np.dtype[Any], mode: RoundingMode
) -> NDArray[Any]:
    found: NDArray[Any] = box.item().copy().cumsum(block, dtype=kind, rounding=mode)
    return found
