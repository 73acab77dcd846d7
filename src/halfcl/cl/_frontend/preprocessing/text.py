"""A preprocessed program, with the origin of each token."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from halfcl.cl._frontend.errors import Diagnostic, SourceLocation

SELECT = "cl_khr_select_fprounding_mode"


@dataclass(frozen=True, slots=True)
class Pragma:
    """A #pragma OPENCL or its _Pragma form, with its offset in the text."""

    at: int
    words: tuple[str, ...]
    location: SourceLocation


@dataclass(slots=True)
class Text:
    """A preprocessed program. Offsets count bytes, as clang's do."""

    text: str = ""
    pragmas: list[Pragma] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # offsets of tokens
    places: list[SourceLocation] = field(default_factory=list)  # places of tokens
    are_given: list[bool] = field(default_factory=list)  # whether tokens are not from macros
    sources: dict[str, str] = field(default_factory=dict)  # original texts of files
    #: By file and line, the directive for __ROUNDING_MODE__ that is equivalent to a pragma.
    modes: dict[tuple[str, int], str] = field(default_factory=dict)
    has_mode_operators: bool = False  # whether a _Pragma selects a mode

    def place_of(self, at: int) -> SourceLocation | None:
        """Return the place from which an offset of the text comes."""
        index = bisect.bisect_right(self.starts, at) - 1
        if index < 0:
            return None
        place = self.places[index]
        return SourceLocation(place.file, place.line, place.column + at - self.starts[index])
