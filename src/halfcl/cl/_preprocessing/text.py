"""A program without macros, and where everything in it comes from."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from halfcl.cl._errors import Diagnostic, Place
from halfcl.typing import RoundingMode

MODES: tuple[RoundingMode, ...] = ("rte", "rtz", "rtp", "rtn")
SELECT = "cl_khr_select_fprounding_mode"


@dataclass(frozen=True, slots=True)
class Pragma:
    """#pragma OPENCL word word ..., or by _Pragma; where it stands in the text."""

    at: int
    words: tuple[str, ...]
    place: Place


@dataclass(slots=True)
class Text:
    """A preprocessed program. Offsets count bytes, as clang's do."""

    text: str = ""
    pragmas: list[Pragma] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # of tokens
    places: list[Place] = field(default_factory=list)  # of the same
    are_given: list[bool] = field(default_factory=list)  # whether they stand in a file themselves
    sources: dict[str, str] = field(default_factory=dict)  # of files, the text as it was given
    #: Of file and line, the directive for __ROUNDING_MODE__ that a pragma there amounts to.
    modes: dict[tuple[str, int], str] = field(default_factory=dict)
    has_mode_operators: bool = False  # _Pragma that selects a mode

    def place_of(self, at: int) -> Place | None:
        """Where an offset of the text comes from."""
        index = bisect.bisect_right(self.starts, at) - 1
        if index < 0:
            return None
        place = self.places[index]
        return Place(place.file, place.line, place.column + at - self.starts[index])
