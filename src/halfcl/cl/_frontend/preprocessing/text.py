"""A preprocessed program, with the origin of each token."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from halfcl.cl._frontend.errors import Diagnostic, SourceLocation
from halfcl.cl._frontend.preprocessing.lexing.lines import Lines

SELECT = "cl_khr_select_fprounding_mode"


@dataclass(frozen=True, slots=True)
class Pragma:
    """A #pragma OPENCL or its _Pragma form, with its offset in the text."""

    at: int
    words: tuple[str, ...]
    location: SourceLocation


@dataclass(slots=True)
class File:
    """A file, each time that it is included.

    name: as messages give it; base: the place of its first character; marks: by offsets in its
    lines, the file and the difference of line numbers that a #line directive sets.
    """

    name: str
    lines: Lines
    base: int
    marks: list[tuple[int, str, int]] = field(default_factory=list)


class Inclusion(NamedTuple):
    """An #include that was executed.

    at: its place; file: None if #pragma once leaves nothing of it; is_reachable: whether the
    program's own file could include it in these words.
    """

    at: int
    path: str
    file: File | None
    is_reachable: bool


class SourceMap:
    """The files of a program. A place is a number: a file's base plus an offset in its lines."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}  # original texts by names
        self.inclusions: list[Inclusion] = []
        self.taken: list[int] = []  # places of the conditions that held
        #: Paths at which included files were searched, and whether there was one.
        self.searched: dict[str, bool] = {}
        self._files: list[File] = []
        self._bases: list[int] = []
        self._end = 0

    def add(self, name: str, lines: Lines) -> File:
        """Add a file; the program is the first one."""
        file = File(name, lines, self._end)
        self.sources[name] = lines.source
        self._files.append(file)
        self._bases.append(file.base)
        self._end += len(lines.text) + 1
        return file

    @property
    def program(self) -> File:
        """The program's own file."""
        return self._files[0]

    def file_at(self, at: int) -> File:
        """Return the file of a place."""
        return self._files[bisect.bisect_right(self._bases, at) - 1]

    def written_place(self, at: int) -> SourceLocation:
        """Return file, line and column of a place, whatever #line says."""
        file = self.file_at(at)
        return SourceLocation(file.name, *file.lines.place(at - file.base))

    def place(self, at: int) -> SourceLocation:
        """Return file, line and column of a place, as #line directives set them."""
        file = self.file_at(at)
        line, column = file.lines.place(at - file.base)
        index = bisect.bisect_right(file.marks, at - file.base, key=lambda mark: mark[0]) - 1
        if index < 0:
            return SourceLocation(file.name, line, column)
        _, name, difference = file.marks[index]
        return SourceLocation(name, line + difference, column)

    def shown_place(self, name: str, line: int, column: int) -> SourceLocation:
        """Return a written place of a file as #line directives set it."""
        for file in self._files:
            if file.name == name and file.marks:
                starts = [file.lines.place(mark[0])[0] for mark in file.marks]
                index = bisect.bisect_left(starts, line) - 1
                if index >= 0:
                    _, shown, difference = file.marks[index]
                    return SourceLocation(shown, line + difference, column)
        return SourceLocation(name, line, column)

    def program_line(self, at: int) -> int | None:
        """Return the line in the program's source; None for places of included files."""
        program = self._files[0]
        return program.lines.place(at)[0] if at <= len(program.lines.text) else None


@dataclass(slots=True)
class Text:
    """A preprocessed program. Offsets count bytes, as clang's do."""

    map: SourceMap
    text: str = ""
    pragmas: list[Pragma] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # offsets of tokens
    origins: list[int] = field(default_factory=list)  # places of tokens
    #: Places of the uses of macros from which tokens come; NOWHERE: from none.
    uses: list[int] = field(default_factory=list)
    #: By file and line, the directive for __ROUNDING_MODE__ that is equivalent to a pragma.
    modes: dict[tuple[str, int], str] = field(default_factory=dict)
    has_mode_operators: bool = False  # whether a _Pragma selects a mode

    def place_of(self, at: int) -> SourceLocation | None:
        """Return the place from which an offset of the text comes."""
        index = bisect.bisect_right(self.starts, at) - 1
        if index < 0:
            return None
        place = self.map.place(self.origins[index])
        return SourceLocation(place.file, place.line, place.column + at - self.starts[index])

    def program_line_of(self, at: int) -> int | None:
        """Return the line of the program's own file from which an offset of the text comes."""
        index = bisect.bisect_right(self.starts, at) - 1
        return self.map.program_line(self.origins[index]) if index >= 0 else None

    def lines_of_program(self) -> Iterator[tuple[int, int]]:
        """Yield the offset and the line of each token that the program's own file has."""
        for start, origin in zip(self.starts, self.origins, strict=True):
            line = self.map.program_line(origin)
            if line is not None:
                yield start, line
