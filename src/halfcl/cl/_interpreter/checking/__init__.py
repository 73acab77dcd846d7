"""Checked launches, which find uninitialised reads and data races, as a GPU does not.

A checked launch runs code that keeps every variable in memory, with a `Shadow` per piece of memory.
Two accesses to a byte by different work-items are a race if one of them writes, one of them is not
atomic, and no barrier of their work-group lies between. Asynchronous copies count as accesses of
another item, one per group. Buffers and images that overlap share a shadow.

A block is watched in layers, each of which extends the one before: order of accesses (`watching`),
divisions and conversions (`arithmetic`), images (`texels`), memory (`accesses`), asynchronous
copies (`copies`), and variables that are kept as values until memory is needed (`variables`).
"""

from __future__ import annotations

from halfcl.cl._interpreter.checking.launch import WatchedLaunch
from halfcl.cl._interpreter.checking.variables import CheckedRun
from halfcl.cl._interpreter.launching.launch import Grid, Run


class CheckedLaunch(WatchedLaunch):
    """A launch whose accesses are watched."""

    def block(self, grid: Grid, box: list[tuple[int, int]]) -> Run:
        return CheckedRun(grid, self, box)
