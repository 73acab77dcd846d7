"""Work-items, and what synchronises them: in lockstep a barrier has nothing to wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halfcl.cl._builtins.kinds import Effect, Maker, OfRun
from halfcl.cl._lanes import Active, Mask, Ramp, Value, spread

if TYPE_CHECKING:
    from halfcl.cl._launching import Run


def _of_dimension(name: str, beyond: int) -> Maker:
    """A size or an id: of dimensions that there are not, what the standard says."""

    def call(run: Run, mask: Mask, at: int, dimension: Value) -> Value:
        values: tuple[Ramp | int, ...] = getattr(run, name)
        if type(dimension) is int:
            return values[dimension] if 0 <= dimension < len(values) else beyond
        each = spread(dimension)
        asked = [each == d for d in range(len(values))]
        return np.select(asked, [spread(value) for value in values], beyond).astype(np.uint64)

    return lambda signature: OfRun(call)


def _work_dim(run: Run, mask: Mask, at: int) -> int:
    return len(run.global_sizes)


def _barrier(run: Run, mask: Active, at: int, flags: Value) -> None:
    run.barrier(mask, at, flags)


def _fence(run: Run, mask: Mask, at: int, flags: Value) -> None:
    """Each operation is done by all items before the next one."""


MAKERS: dict[str, Maker] = {
    "get_work_dim": lambda signature: OfRun(_work_dim),
    "get_global_size": _of_dimension("global_sizes", 1),
    "get_global_id": _of_dimension("global_ids", 0),
    "get_local_size": _of_dimension("local_sizes", 1),
    "get_local_id": _of_dimension("local_ids", 0),
    "get_num_groups": _of_dimension("group_counts", 1),
    "get_group_id": _of_dimension("group_ids", 0),
    "get_global_offset": _of_dimension("global_offsets", 0),
    "barrier": lambda signature: Effect(_barrier),
    **dict.fromkeys(
        ("mem_fence", "read_mem_fence", "write_mem_fence"), lambda signature: Effect(_fence)
    ),
}
