"""Asynchronous copies that some work-groups have not waited for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halfcl.cl._lanes import Array
from halfcl.cl._pointers import Memory


@dataclass(slots=True)
class Elements:
    """One side of a copy, in bytes."""

    memory: Memory
    starts: Array  # of each group, in the memory's data
    along: Array  # of each element, from there
    size: int  # of an element

    def bytes(self) -> Array:
        """Of each group all, element by element."""
        first = (self.starts[:, np.newaxis] + self.along)[..., np.newaxis]
        return (first + np.arange(self.size)).reshape(len(self.starts), -1)


@dataclass(slots=True)
class Pending:
    """A copy that some groups have not waited for."""

    event: int
    at: int
    groups: Array
    target: Elements
    source: Elements
    used: int  # of an element's bytes: of three components the fourth counts for nothing

    def leave(self, groups: list[int]) -> None:
        """These have waited."""
        left = ~np.isin(self.groups, groups)
        self.groups = self.groups[left]
        for side in (self.target, self.source):
            side.starts = side.starts[left]
