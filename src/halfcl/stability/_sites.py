"""Where in a program a half is rounded, or left."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, TypeAlias

import numpy as np

#: An instruction of a piece of code, and its file, since code of two files may be equal; None for
#: a function that is no Python code.
Site: TypeAlias = tuple[CodeType, int, str] | None

#: Code that computes for others: what it does belongs to the line that called it.
LIBRARIES = tuple(
    os.path.dirname(path) + os.sep for path in (np.__file__, os.path.dirname(__file__))
)


def find_site(frame: FrameType | None, runner: CodeType) -> Site:
    """The innermost call outside NumPy and halfcl; else what runner has called."""
    outermost: Site = None
    while frame is not None and frame.f_code is not runner:
        outermost = frame.f_code, frame.f_lasti, frame.f_code.co_filename
        if not frame.f_code.co_filename.startswith(LIBRARIES):
            break
        frame = frame.f_back
    return outermost


class Finder:
    """find_site, but that what Python compiles twice, as a loop's condition, is at one site."""

    def __init__(self, runner: CodeType):
        self._runner = runner
        # By the code's place in memory, since it is slow to hash; kept, so that this stays its own.
        self._known: dict[tuple[int, int], tuple[Site, CodeType]] = {}

    def __call__(self, frame: FrameType | None) -> Site:
        """The site of a frame."""
        site = find_site(frame, self._runner)
        if site is None:
            return None
        code, instruction, file = site
        key = id(code), instruction
        if key not in self._known:
            self._known[key] = (code, _first_alike(code, instruction), file), code
        return self._known[key][0]


def _first_alike(code: CodeType, instruction: int) -> int:
    """The first instruction of the same part of the source."""
    positions: Callable[[], Any] | None = getattr(code, "co_positions", None)
    if positions is None:
        return instruction
    every = list(positions())
    return 2 * every.index(every[instruction // 2])


#: As Cython names the files of what is compiled.
_COMPILED = os.path.join("halfcl", "_core", "")


def site_of_error(error: BaseException, runner: CodeType) -> Site:
    """Where, in what runner has called, an error came up; None if in NumPy and halfcl alone."""
    found: Site = None
    inside = False
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        file = code.co_filename
        if inside and not file.startswith(LIBRARIES) and _COMPILED not in file:
            found = code, step.tb_lasti, file
        inside |= code is runner
        step = step.tb_next
    return found


@dataclass(frozen=True)
class Place:
    """A place in a program.

    Attributes
    ----------
    file : str
        The name of the file; empty where there is none, as of a function written in C.
    line : int
        The number of the line, from 1; 0 where there is none.
    source : str
        The line's text, or the function's name.
    expression : str
        The part of the line, or of several, that computes; empty before Python 3.11, which does
        not tell, or where the source is not to be had.
    """

    file: str
    line: int
    source: str
    expression: str

    def __str__(self) -> str:
        text = self.source if self.expression in ("", self.source) else self.expression
        return f"{os.path.basename(self.file)}:{self.line}: {text}" if self.file else text


class Placed:
    """What has a place in a program, and its parts as its own."""

    place: Place

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.place.file

    @property
    def line(self) -> int:
        """The number of the line."""
        return self.place.line

    @property
    def source(self) -> str:
        """The text of the line."""
        return self.place.source


def _text_between(file: str, line: int, last: int, start: int, end: int) -> str:
    """The source from a byte of a line to one of another, on one line."""
    lines = [linecache.getline(file, k).encode() for k in range(line, last + 1)]
    if not all(lines):
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return " ".join(text.decode(errors="replace").strip() for text in lines)


def _position(code: CodeType, instruction: int) -> tuple[int | None, ...]:
    """The first and last line, and the columns, of an instruction."""
    positions: Callable[[], Any] | None = getattr(code, "co_positions", None)
    if positions is not None:
        found: tuple[int | None, ...] = list(positions())[instruction // 2]
        return found
    lines = (number for low, high, number in code.co_lines() if low <= instruction < high)
    return next(lines, None), None, None, None


def describe(site: Site, name: str) -> Place:
    """What a reader is told of a site; name: of the function that was run."""
    if site is None:
        return Place("", 0, name, "")
    code, instruction, file = site
    line, last, start, end = _position(code, instruction)
    line = line or code.co_firstlineno
    source = linecache.getline(file, line).strip()
    if last is None or start is None or end is None:
        return Place(file, line, source, "")
    return Place(file, line, source, _text_between(file, line, last, start, end))
