"""Sites in a program: instructions that round a half, compare halves, or promote them."""

from __future__ import annotations

import linecache
import os
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import TypeAlias

import numpy as np

from halfcl._support.pages.notebooks import name_of_cell

#: A code object, the offset of an instruction in it, and its file, since code of two files may be
#: equal; None for a function that is not written in Python.
Site: TypeAlias = tuple[CodeType, int, str] | None

#: Folders of libraries: operations inside them belong to the line that called the library.
LIBRARIES = tuple(
    os.path.dirname(path) + os.sep for path in (np.__file__, os.path.dirname(__file__))
)


def find_site(frame: FrameType | None, runner: CodeType) -> Site:
    """Return the site of the innermost call outside NumPy and halfcl.

    If all calls are inside them, return the site of the function that runner has called.
    """
    outermost: Site = None
    while frame is not None and frame.f_code is not runner:
        outermost = frame.f_code, frame.f_lasti, frame.f_code.co_filename
        if not frame.f_code.co_filename.startswith(LIBRARIES):
            break
        frame = frame.f_back
    return outermost


class Finder:
    """Callable like `find_site`, which gives one site to source that Python compiles twice.

    Python compiles a loop's condition twice, for example.
    """

    def __init__(self, runner: CodeType):
        self._runner = runner
        # The keys are addresses of code objects, since these are slow to hash. The values keep the
        # objects alive, so that no other object gets the same address.
        self._known: dict[tuple[int, int], tuple[Site, CodeType]] = {}

    def __call__(self, frame: FrameType | None) -> Site:
        """Return the site of a frame."""
        site = find_site(frame, self._runner)
        if site is None:
            return None
        code, instruction, file = site
        key = id(code), instruction
        if key not in self._known:
            self._known[key] = (code, _first_instruction_of_source(code, instruction), file), code
        return self._known[key][0]


def _first_instruction_of_source(code: CodeType, instruction: int) -> int:
    """Return the first instruction that was compiled from the same source position."""
    every = list(code.co_positions())
    return 2 * every.index(every[instruction // 2])


#: Part of the file names that Cython gives to compiled code.
_COMPILED = os.path.join("halfcl", "_core", "")


def site_of_error(error: BaseException, runner: CodeType) -> Site:
    """Return the innermost site outside NumPy and halfcl in an error's traceback.

    Only frames that runner has called count; without any the site is None.
    """
    innermost: Site = None
    inside = False
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        file = code.co_filename
        if inside and not file.startswith(LIBRARIES) and _COMPILED not in file:
            innermost = code, step.tb_lasti, file
        inside |= code is runner
        step = step.tb_next
    return innermost


@dataclass(frozen=True)
class CodeLocation:
    """The location of an expression in a Python program.

    Attributes
    ----------
    file : str
        The name of the file; empty where there is none, as for a function written in C.
    line : int
        The number of the line, from 1; 0 where there is none.
    source : str
        The line's text, or the function's name.
    expression : str
        The expression on this line, or on several, that computes; empty if the source is not
        available.
    cell : str
        IPython's name of the cell, such as ``"Cell In[3]"``; empty if it is not in a cell.
    """

    file: str
    line: int
    source: str
    expression: str
    cell: str = ""

    def __str__(self) -> str:
        text = self.source if self.expression in ("", self.source) else self.expression
        if self.cell:
            return f"{self.cell}, line {self.line}: {text}"
        return f"{os.path.basename(self.file)}:{self.line}: {text}" if self.file else text


class Located:
    """Base class of what has a location in a program: gives access to its fields."""

    location: CodeLocation

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.location.file

    @property
    def line(self) -> int:
        """The number of the line."""
        return self.location.line

    @property
    def source(self) -> str:
        """The text of the line."""
        return self.location.source


def _text_between(file: str, line: int, last: int, start: int, end: int) -> str:
    """Join the source from a byte of one line to a byte of another on one line."""
    lines = [linecache.getline(file, k).encode() for k in range(line, last + 1)]
    if not all(lines):
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return " ".join(text.decode(errors="replace").strip() for text in lines)


def describe(site: Site, name: str) -> CodeLocation:
    """Return the location of a site in the source.

    name: name of the function that was run, for sites outside of Python code.
    """
    if site is None:
        return CodeLocation("", 0, name, "")
    code, instruction, file = site
    line, last, start, end = list(code.co_positions())[instruction // 2]
    line = line or code.co_firstlineno
    source = linecache.getline(file, line).strip()
    expression = ""
    if last is not None and start is not None and end is not None:
        expression = _text_between(file, line, last, start, end)
    return CodeLocation(file, line, source, expression, name_of_cell(file))
