"""Work-item functions and synchronisation; items run in lockstep, so barriers need not wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halfcl.cl._interpreter.builtins.kinds import Effect, RunFunction, Signature
from halfcl.cl._interpreter.memory.pointers import Pointer
from halfcl.cl._interpreter.values.lanes import Active, Mask, Ramp, Value, add, scale, spread

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run


def _dimension(name: str, beyond: int) -> RunFunction:
    """Return the function of a size or an id; `beyond` is the result for missing dimensions."""

    def call(run: Run, mask: Mask, at: int, dimension: Value) -> Value:
        values: tuple[Ramp | int, ...] = getattr(run, name)
        if type(dimension) is int:
            return values[dimension] if 0 <= dimension < len(values) else beyond
        each = spread(dimension)
        conditions = [each == d for d in range(len(values))]
        return np.select(conditions, [spread(value) for value in values], beyond).astype(np.uint64)

    return RunFunction(call)


@RunFunction
def get_work_dim(run: Run, mask: Mask, at: int) -> int:
    return len(run.global_sizes)


@Effect
def barrier(run: Run, mask: Active, at: int, flags: Value, scope: Value = 1) -> None:
    """Execute a barrier; all memory is visible to all items, whatever the scope."""
    run.barrier(mask, at, flags)


@Effect
def fence(run: Run, mask: Mask, at: int, flags: Value, *order_and_scope: Value) -> None:
    """Do nothing: each operation is complete for all items before the next one."""


def _linear_id(ids: str, sizes: str, offsets: str = "") -> RunFunction:
    """Return the function of a linear id, x fastest, without offsets."""

    def call(run: Run, mask: Mask, at: int) -> Value:
        result: Ramp | int = 0
        starts = getattr(run, offsets) if offsets else (0,) * len(run.global_sizes)
        parts = list(zip(getattr(run, ids), getattr(run, sizes), starts, strict=False))
        for each, size, start in reversed(parts):
            result = add(scale(result, size), add(each, -start))
        return result

    return RunFunction(call)


def to_space(signature: Signature) -> RunFunction:
    """Return to_global() or its kin."""
    space = signature.name.removeprefix("to_")
    return RunFunction(lambda run, mask, at, p: run.to_space(p, space, mask))


@RunFunction
def get_fence(run: Run, mask: Mask, at: int, pointer: Pointer) -> Value:
    """Return CLK_LOCAL_MEM_FENCE or CLK_GLOBAL_MEM_FENCE."""
    is_local = run.is_not_null(run.to_space(pointer, "local", mask))
    if type(is_local) is bool:
        return 1 if is_local else 2
    return np.where(is_local, 1, 2).astype(np.uint32)


get_global_size = _dimension("global_sizes", 1)
get_global_id = _dimension("global_ids", 0)
get_local_size = get_enqueued_local_size = _dimension("local_sizes", 1)
get_local_id = _dimension("local_ids", 0)
get_num_groups = _dimension("group_counts", 1)
get_group_id = _dimension("group_ids", 0)
get_global_offset = _dimension("global_offsets", 0)
get_global_linear_id = _linear_id("global_ids", "global_sizes", "global_offsets")
get_local_linear_id = _linear_id("local_ids", "local_sizes")
