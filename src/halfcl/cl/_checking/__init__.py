"""What a GPU hides: reads of what nobody wrote, and races between work-items.

A checked launch runs code that keeps every variable in memory, and beside each piece of memory
stands a `Shadow`. Two accesses to a byte by different work-items are a race if one of them writes,
one of them is not atomic, and no barrier of their work-group lies between. Asynchronous copies are
somebody else's accesses, one's for each group. Buffers and images that overlap have one shadow.

A block is watched in layers, each of which adds to the one before: who comes when (`watching`),
divisions and conversions (`arithmetic`), images (`texels`), memory (`accesses`), asynchronous
copies (`copies`), and variables that are kept as values until memory is asked (`variables`).
"""

from __future__ import annotations

from halfcl.cl._checking.launch import WatchedLaunch
from halfcl.cl._checking.variables import CheckedRun
from halfcl.cl._launching import Grid, Run


class CheckedLaunch(WatchedLaunch):
    """A launch whose accesses are watched."""

    def block(self, grid: Grid, box: list[tuple[int, int]]) -> Run:
        return CheckedRun(grid, self, box)
