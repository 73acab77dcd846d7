"""Exact reductions of Dask arrays: as trees, whose partial states are exact.

Each block is taken into exact sums in the least room. These are merged in whatever order Dask
likes, and the last step rounds, once. So the bits are those of the same reduction of one NumPy
array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import dask.array as da
import numpy as np
from dask.array.core import unify_chunks
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import DTypeLike, NDArray

from halfcl import _core
from halfcl._support.arguments.promises import refuse_promise
from halfcl._support.foreign import adapter_for
from halfcl.dask._chunks import example_of, placed
from halfcl.reductions import Accumulator, _arguments as arguments
from halfcl.reductions._arguments import Call, statistic_of
from halfcl.reductions._functions import kept_first, shape_without
from halfcl.reductions._packed import Packed, merge
from halfcl.typing import RoundingMode

#: What Dask passes for several blocks: lists, one in the other.
Nested: TypeAlias = "Packed | list[Nested]"


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
    partial = aligned.taken(name, statistic_of(name), reduced, where is not True)
    total = merge_blocks(name, partial, reduced)
    kept = [i for i in range(aligned.ndim) if keepdims or i not in reduced]
    chunks = [(1,) if i in reduced else aligned.chunks[i] for i in kept]
    like = example_of(operands, len(kept), kind)
    return round_blocks(
        name, total, kept, chunks, like, ddof=ddof, kind=kind, rounding=mode, initial=start,
        axis=reduced if keepdims else (),
    )  # fmt: skip


def merge_blocks(name: str, partial: da.Array, axis: tuple[int, ...]) -> da.Array:
    """Merge blocks along axes, as a tree. Dask shows its tasks under the reduction's name."""
    return da.reduction(
        partial, chunk=_leave, combine=_merge, aggregate=_merge, axis=axis, keepdims=True,
        dtype=object, meta=partial._meta, concatenate=False, name=name,
    )  # fmt: skip


def round_blocks(
    name: str,
    total: da.Array,
    kept: Sequence[int],
    chunks: Sequence[tuple[int, ...]],
    like: Any,
    **keywords: object,
) -> da.Array:
    """Round blocks of sums, without those of their axes that are not kept."""
    return da.blockwise(
        _round, tuple(kept), total, tuple(range(total.ndim)), concatenate=False, like=like,
        adjust_chunks=dict(zip(kept, chunks, strict=True)), dtype=like.dtype, meta=like,
        token=name, **keywords,
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
    refuse_promise(name, "a", x)
    return arguments.numbers(name, "a", np.empty(0, x.dtype) if hasattr(x, "dtype") else x)


def _truths(name: str, where: object) -> da.Array:
    refuse_promise(name, "where", where, "bool")
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

    def taken(
        self, name: str, statistic: str, reduced: tuple[int, ...], has_where: bool
    ) -> da.Array:
        """Reduce each block to exact sums: one `Packed` is a block of the result."""
        axes = tuple(range(self.ndim))
        return da.blockwise(
            _pack, axes, *with_axes(self.arrays, self.ndim),
            statistic=statistic, axis=reduced, has_where=has_where, align_arrays=False,
            adjust_chunks=dict.fromkeys(axes, 1), dtype=object, token=name,
            meta=np.empty((0,) * self.ndim, object),
        )  # fmt: skip


def with_axes(arrays: list[da.Array], ndim: int) -> list[da.Array | tuple[int, ...]]:
    """Each array, and the places of its axes among those of all when they are broadcast."""
    return [y for x in arrays for y in (x, tuple(range(ndim - x.ndim, ndim)))]


def _pack(*blocks: NDArray[Any], statistic: str, axis: tuple[int, ...], has_where: bool) -> Packed:
    arrays = blocks[:-1] if has_where else blocks
    return pack(statistic, arrays, axis, blocks[-1] if has_where else True)


def pack(
    statistic: str, blocks: Sequence[NDArray[Any]], axis: tuple[int, ...], where: object = True
) -> Packed:
    """Reduce blocks, which may lie on a device, to exact sums."""
    if any(adapter_for(type(x)) is not None for x in (*blocks, where)):
        return Accumulator(statistic, axis=axis).add(*blocks, where=cast(Any, where)).pack()
    numbers = [arguments.numbers(statistic, "a", x) for x in blocks]
    arrays = arguments.broadcast(statistic, *numbers) if len(numbers) > 1 else tuple(numbers)
    shape = arrays[0].shape
    used = arguments.truths(statistic, cast(Any, where), shape)
    return Packed.of_arrays(statistic, arrays, arguments.axes(statistic, axis, len(shape)), used)


def _leave(packed: Packed, axis: tuple[int, ...], keepdims: bool) -> Packed:
    """Return what a tree of merges begins with."""
    return packed


def _merge(blocks: Nested, axis: tuple[int, ...], keepdims: bool) -> Packed:
    return merge(list(_flat(blocks)))


def _flat(blocks: Nested) -> Iterator[Packed]:
    if isinstance(blocks, list):
        for block in blocks:
            yield from _flat(block)
    else:
        yield blocks


def _round(
    blocks: Nested,
    like: object,
    ddof: int,
    kind: np.dtype[Any],
    rounding: RoundingMode,
    initial: _core.half | None,
    axis: tuple[int, ...],
) -> object:
    (packed,) = _flat(blocks)
    start = None if initial is None else np.asarray(initial)
    results = packed.rounded(ddof, kind, rounding, start)
    return placed(np.expand_dims(results, axis)[()], like)


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
    starts = _sums_before(Aligned.of([x]).taken(name, "sum", (along,), False), along)
    axes, like = tuple(range(x.ndim)), example_of([x], x.ndim, kind)
    return da.blockwise(
        _running, axes, x, axes, starts, axes, along=along, kind=kind, mode=mode,
        align_arrays=False, dtype=like.dtype, meta=like, token=name,
    )  # fmt: skip


def _sums_before(blocks: da.Array, along: int) -> da.Array:
    """Return for each block what all blocks before it along an axis have taken, one by one."""
    name = "cumsum-before-" + tokenize(blocks, along)
    tasks: dict[Any, Any] = {}
    for at in np.ndindex(blocks.numblocks):
        before = tuple(n - (i == along) for i, n in enumerate(at))
        if at[along] > 1:
            tasks[(name, *at)] = (_both, (name, *before), (blocks.name, *before))
        else:
            tasks[(name, *at)] = (blocks.name, *before) if at[along] else (_nothing,)
    collections: list[Any] = [blocks]  # to Dask's own types it is none
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=collections)
    return da.Array(graph, name, blocks.chunks, dtype=object, meta=blocks._meta)


def _nothing() -> None:
    """Return what precedes the first block."""


def _both(packed: Packed, other: Packed) -> Packed:
    return merge([packed, other])


def _running(
    block: NDArray[Any],
    before: Packed | None,
    along: int,
    kind: np.dtype[Any],
    mode: RoundingMode,
) -> Any:
    """Continue running sums through a block, a few thousand of them at a time."""
    start = before or Packed.empty("sum", shape_without(block.shape, (along,)), 0)
    if adapter_for(type(block)) is not None:
        so_far = Accumulator.unpack(start, (along,), False, block.ndim)
        return so_far.cumsum(block, dtype=kind, rounding=mode)
    sums = np.empty(block.shape, kind)
    sources, targets = kept_first(block, (along,)), kept_first(sums, (along,))
    for place in start.places():
        so_far = Accumulator.unpack(start, (-1,), False, block.ndim, place=place)
        targets[place] = so_far.cumsum(sources[place], dtype=kind, rounding=mode)
    return sums
