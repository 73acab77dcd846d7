"""Exact reductions of Dask arrays, as trees of exact partial states.

Each block is reduced to a packed exact state. Dask merges these in any order, and the last step
rounds, once. So the result has the same bits as that of one NumPy array.
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
from halfcl.dask._chunks import convert_like, example_of
from halfcl.reductions import Accumulator, _arguments as arguments
from halfcl.reductions._arguments import Call, statistic_of
from halfcl.reductions._functions import move_reduced_last, shape_without
from halfcl.reductions._packed import Packed, merge
from halfcl.typing import RoundingMode

#: Several blocks as Dask passes them: nested lists.
Nested: TypeAlias = "Packed | list[Nested]"


def reduce(call: Call) -> da.Array:
    """Return the result of a call of a reduction, like `prepare_and_reduce` for NumPy's arrays."""
    name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding = call
    mode = resolve_mode(name, out, rounding)
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
    partial = aligned.reduce_blocks(name, statistic_of(name), reduced, where is not True)
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
    """Round blocks of sums, and drop the axes that are not kept."""
    return da.blockwise(
        _round, tuple(kept), total, tuple(range(total.ndim)), concatenate=False, like=like,
        adjust_chunks=dict(zip(kept, chunks, strict=True)), dtype=like.dtype, meta=like,
        token=name, **keywords,
    )  # fmt: skip


def resolve_mode(name: str, out: object, rounding: object) -> RoundingMode:
    """Return the mode of a call: its own or the region's now. TypeError if there is an output."""
    if out is not None:
        raise TypeError(f"{name}: argument out: expected None for Dask arrays, got {out!r}")
    mode = _core.get_rounding() if rounding is None else rounding
    _core.check_mode(mode)
    return cast(RoundingMode, mode)


def example(name: str, x: object) -> NDArray[Any]:
    """Return an empty array of an argument's dtype, or the array of an argument without one."""
    refuse_promise(name, "a", x)
    return arguments.numbers(name, "a", np.empty(0, x.dtype) if hasattr(x, "dtype") else x)


def _truths(name: str, where: object) -> da.Array:
    refuse_promise(name, "where", where, "bool")
    mask = da.asanyarray(where)
    if mask.dtype != np.bool_:
        raise TypeError(f"{name}: argument where: expected bool, got {mask.dtype}")
    return mask


@dataclass
class Aligned:
    """Arrays with matching blocks, which are broadcast when they are reduced."""

    arrays: list[da.Array]
    ndim: int
    chunks: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, arrays: list[da.Array]) -> Aligned:
        ndim = max(x.ndim for x in arrays)
        chunks, unified = unify_chunks(*with_axes(arrays, ndim))
        return cls(list(unified), ndim, tuple(chunks[i] for i in range(ndim)))

    def reduce_blocks(
        self, name: str, statistic: str, reduced: tuple[int, ...], has_where: bool
    ) -> da.Array:
        """Reduce each block to an exact state: each block of the result is one `Packed`."""
        axes = tuple(range(self.ndim))
        return da.blockwise(
            _pack, axes, *with_axes(self.arrays, self.ndim),
            statistic=statistic, axis=reduced, has_where=has_where, align_arrays=False,
            adjust_chunks=dict.fromkeys(axes, 1), dtype=object, token=name,
            meta=np.empty((0,) * self.ndim, object),
        )  # fmt: skip


def with_axes(arrays: list[da.Array], ndim: int) -> list[da.Array | tuple[int, ...]]:
    """Return each array followed by the indices of its axes after broadcasting, for blockwise."""
    return [y for x in arrays for y in (x, tuple(range(ndim - x.ndim, ndim)))]


def _pack(*blocks: NDArray[Any], statistic: str, axis: tuple[int, ...], has_where: bool) -> Packed:
    arrays = blocks[:-1] if has_where else blocks
    return pack(statistic, arrays, axis, blocks[-1] if has_where else True)


def pack(
    statistic: str, blocks: Sequence[NDArray[Any]], axis: tuple[int, ...], where: object = True
) -> Packed:
    """Reduce blocks, which may lie on a device, to a packed exact state."""
    if any(adapter_for(type(x)) is not None for x in (*blocks, where)):
        return Accumulator(statistic, axis=axis).add(*blocks, where=cast(Any, where)).pack()
    numbers = [arguments.numbers(statistic, "a", x) for x in blocks]
    arrays = arguments.broadcast(statistic, *numbers) if len(numbers) > 1 else tuple(numbers)
    shape = arrays[0].shape
    used = arguments.truths(statistic, cast(Any, where), shape)
    return Packed.of_arrays(statistic, arrays, arguments.axes(statistic, axis, len(shape)), used)


def _leave(packed: Packed, axis: tuple[int, ...], keepdims: bool) -> Packed:
    """Return the packed state itself, as the first step of `dask.array.reduction`."""
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
    results = packed.round_to(kind, ddof, rounding, start)
    return convert_like(np.expand_dims(results, axis)[()], like)


# ---------------------------------------------------------------- running sums


def cumsum(
    x: da.Array,
    axis: int | None,
    dtype: DTypeLike | None,
    out: object,
    rounding: RoundingMode | None,
) -> da.Array:
    """Return running sums, like `halfcl.cumsum`; each block continues those before it."""
    name = "cumsum"
    mode = resolve_mode(name, out, rounding)
    kind = arguments.result_dtype(name, dtype, (example(name, x),))
    if axis is None or x.ndim == 0:
        arguments.axes(name, axis, 1)
        x, axis = x.ravel(), 0
    along = arguments.one_axis(name, axis, x.ndim)
    starts = _sums_before(Aligned.of([x]).reduce_blocks(name, "sum", (along,), False), along)
    axes, like = tuple(range(x.ndim)), example_of([x], x.ndim, kind)
    return da.blockwise(
        _continue_sums, axes, x, axes, starts, axes, along=along, kind=kind, mode=mode,
        align_arrays=False, dtype=like.dtype, meta=like, token=name,
    )  # fmt: skip


def _sums_before(blocks: da.Array, along: int) -> da.Array:
    """Return for each block the state of all blocks before it along an axis, merged one by one."""
    name = "cumsum-before-" + tokenize(blocks, along)
    tasks: dict[Any, Any] = {}
    for at in np.ndindex(blocks.numblocks):
        before = tuple(n - (i == along) for i, n in enumerate(at))
        if at[along] > 1:
            tasks[(name, *at)] = (_merge_two, (name, *before), (blocks.name, *before))
        else:
            tasks[(name, *at)] = (blocks.name, *before) if at[along] else (_no_sums,)
    collections: list[Any] = [blocks]  # an array is no collection in Dask's annotations
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=collections)
    return da.Array(graph, name, blocks.chunks, dtype=object, meta=blocks._meta)


def _no_sums() -> None:
    """Return None: no state precedes the first block."""


def _merge_two(packed: Packed, other: Packed) -> Packed:
    return merge([packed, other])


def _continue_sums(
    block: NDArray[Any], before: Packed | None, along: int, kind: np.dtype[Any], mode: RoundingMode
) -> Any:
    """Continue running sums through a block, a few thousand of them at a time."""
    start = before or Packed.empty("sum", shape_without(block.shape, (along,)), 0)
    if adapter_for(type(block)) is not None:
        so_far = Accumulator.unpack(start, (along,), False, block.ndim)
        return so_far.cumsum(block, dtype=kind, rounding=mode)
    sums = np.empty(block.shape, kind)
    sources, targets = move_reduced_last(block, (along,)), move_reduced_last(sums, (along,))
    for index in start.indices():
        so_far = Accumulator.unpack(start, (-1,), False, block.ndim, index=index)
        targets[index] = so_far.cumsum(sources[index], dtype=kind, rounding=mode)
    return sums
