"""Work-item functions and synchronisation; items run in lockstep, so barriers need not wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halfcl.cl._builtins.kinds import Effect, Maker, OfRun
from halfcl.cl._lanes import Active, Mask, Ramp, Value, add, scale, spread
from halfcl.cl._pointers import Pointer

if TYPE_CHECKING:
    from halfcl.cl._launching import Run


def _of_dimension(name: str, beyond: int) -> Maker:
    """Return the maker of a size or an id; `beyond` is the result for missing dimensions."""

    def call(run: Run, mask: Mask, at: int, dimension: Value) -> Value:
        values: tuple[Ramp | int, ...] = getattr(run, name)
        if type(dimension) is int:
            return values[dimension] if 0 <= dimension < len(values) else beyond
        each = spread(dimension)
        conditions = [each == d for d in range(len(values))]
        return np.select(conditions, [spread(value) for value in values], beyond).astype(np.uint64)

    return lambda signature: OfRun(call)


def _work_dim(run: Run, mask: Mask, at: int) -> int:
    return len(run.global_sizes)


def _barrier(run: Run, mask: Active, at: int, flags: Value, scope: Value = 1) -> None:
    """Execute a barrier; all memory is visible to all items, whatever the scope."""
    run.barrier(mask, at, flags)


def _fence(run: Run, mask: Mask, at: int, flags: Value) -> None:
    """Do nothing: each operation is complete for all items before the next one."""


def _linear(ids: str, sizes: str, offsets: str = "") -> Maker:
    """Return the maker of a linear id, x fastest, without offsets."""

    def call(run: Run, mask: Mask, at: int) -> Value:
        result: Ramp | int = 0
        starts = getattr(run, offsets) if offsets else (0,) * len(run.global_sizes)
        parts = list(zip(getattr(run, ids), getattr(run, sizes), starts, strict=False))
        for each, size, start in reversed(parts):
            result = add(scale(result, size), add(each, -start))
        return result

    return lambda signature: OfRun(call)


def _in_space(space: str) -> Maker:
    """Return the maker of to_global() and its kin."""
    return lambda signature: OfRun(lambda run, mask, at, p: run.in_space(p, space, mask))


def _fence_of(run: Run, mask: Mask, at: int, pointer: Pointer) -> Value:
    """Return CLK_LOCAL_MEM_FENCE or CLK_GLOBAL_MEM_FENCE."""
    is_local = run.is_not_null(run.in_space(pointer, "local", mask))
    if type(is_local) is bool:
        return 1 if is_local else 2
    return np.where(is_local, 1, 2).astype(np.uint32)


MAKERS: dict[str, Maker] = {
    "get_work_dim": lambda signature: OfRun(_work_dim),
    "get_global_size": _of_dimension("global_sizes", 1),
    "get_global_id": _of_dimension("global_ids", 0),
    "get_local_size": _of_dimension("local_sizes", 1),
    "get_local_id": _of_dimension("local_ids", 0),
    "get_num_groups": _of_dimension("group_counts", 1),
    "get_group_id": _of_dimension("group_ids", 0),
    "get_global_offset": _of_dimension("global_offsets", 0),
    "get_enqueued_local_size": _of_dimension("local_sizes", 1),
    "get_global_linear_id": _linear("global_ids", "global_sizes", "global_offsets"),
    "get_local_linear_id": _linear("local_ids", "local_sizes"),
    "to_global": _in_space("global"),
    "to_local": _in_space("local"),
    "to_private": _in_space("private"),
    "get_fence": lambda signature: OfRun(_fence_of),
    "barrier": lambda signature: Effect(_barrier),
    "work_group_barrier": lambda signature: Effect(_barrier),
    **dict.fromkeys(
        ("mem_fence", "read_mem_fence", "write_mem_fence"), lambda signature: Effect(_fence)
    ),
}
