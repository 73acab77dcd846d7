"""Asynchronous copies for which some work-groups have not waited yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halfcl.cl._interpreter.memory.pointers import Memory
from halfcl.cl._interpreter.values.lanes import Array


@dataclass(slots=True)
class Elements:
    """One side of a copy, in bytes."""

    memory: Memory
    starts: Array  # offset per group in the memory's data
    along: Array  # offset per element from the start
    size: int  # bytes of an element

    def bytes(self) -> Array:
        """Return the byte offsets per group, element by element."""
        first = (self.starts[:, np.newaxis] + self.along)[..., np.newaxis]
        return (first + np.arange(self.size)).reshape(len(self.starts), -1)


@dataclass(slots=True)
class Pending:
    """A copy for which some groups have not waited."""

    event: int
    at: int
    groups: Array
    target: Elements
    source: Elements
    used: int  # bytes of an element that count: not the fourth component of a 3-vector

    def remove_groups(self, groups: list[int]) -> None:
        """Remove groups that have waited."""
        remaining = ~np.isin(self.groups, groups)
        self.groups = self.groups[remaining]
        for side in (self.target, self.source):
            side.starts = side.starts[remaining]
