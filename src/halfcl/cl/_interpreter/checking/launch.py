"""A launch whose accesses are watched: it has its arguments' shadows and its findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.lib.array_utils import byte_bounds

import halfcl as hc
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.errors import LaunchError, SourceLocation
from halfcl.cl._interpreter.checking.shadow_memory import Shadow
from halfcl.cl._interpreter.contraction import Contraction
from halfcl.cl._interpreter.findings import CheckError, Finding, distinct
from halfcl.cl._interpreter.launching.launch import Bound, Grid, Launch, Modes
from halfcl.cl._interpreter.memory.pointers import Memory, Pointer, group_overlapping


class WatchedLaunch(Launch):
    """The shared state of a checked launch's blocks: shadows and findings."""

    def __init__(
        self,
        name: str,
        place_of: Callable[[int], SourceLocation | None],
        timeout: float | None,
        parameters: Sequence[tree.Declaration],
    ) -> None:
        super().__init__(name, place_of, timeout)
        self.parameters = parameters
        self.shadows: dict[Memory | int, tuple[Shadow | None, int]] = {}
        self.findings: list[Finding] = []
        self.images: dict[tuple[int, str], str] = {}

    def run(
        self,
        function_of: Callable[[tree.Mode], Callable[..., object]],
        grid: Grid,
        by_groups: bool,
        modes: Modes,
        arguments: Sequence[Bound],
        block: int,
    ) -> None:
        """Run the launch; if it fails, raise earlier findings, which usually explain why."""
        has_groups = by_groups or isinstance(modes, np.ndarray)
        self.group_bits = math.prod(grid.local_sizes).bit_length() if has_groups else 0
        self._shadow_buffers(arguments)
        try:
            super().run(function_of, grid, by_groups, modes, arguments, block)
        except LaunchError as error:
            if self.findings:
                raise CheckError(list(distinct(self.findings))) from error
            raise

    def _shadow_buffers(self, arguments: Sequence[Bound]) -> None:
        """Create one shadow for all buffers that overlap, if any of them is written.

        Shadows are new, since arguments may have been used by another launch.
        """
        pieces: list[tuple[int, int, tuple[Memory | int, bool]]] = []
        for parameter, value in zip(self.parameters, arguments, strict=True):
            if isinstance(value, Pointer) and value.memory:
                memory = value.memory
                pieces.append((*byte_bounds(memory.data), (memory, not memory.is_constant)))
            elif isinstance(value, hc.Image):
                for kind in ("read", "write"):
                    if parameter.access in (f"{kind}_only", "read_write"):
                        self.images.setdefault((id(value), kind), parameter.name)
                may_write = parameter.access != "read_only"
                pieces.append((*byte_bounds(value.array), (id(value), may_write)))
        self.shadows = {}
        for size, together in group_overlapping(pieces):
            is_written = any(may_write for _, (_, may_write) in together)
            shadow = Shadow(size, None, False, self.group_bits) if is_written else None
            for first, (key, _) in together:
                self.shadows[key] = shadow, first

    def report(self, found: Contraction | None = None) -> None:
        """Raise a CheckError if there are findings. found: the launch's result."""
        if self.findings:
            raise CheckError(list(distinct(self.findings)), found)
