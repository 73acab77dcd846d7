"""Which lines are the program's own, and what a line, function or module is called."""

from __future__ import annotations

import functools
import os
import site
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

import halfcl

#: What one rounding switch is for.
KINDS = ("line", "function", "module")

#: Endings of sources that Cython compiles.
_CYTHON = (".pyx", ".pxi", ".pxd")

_INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True, order=True)
class Unit:
    """A line, a function or a module of a program.

    Attributes
    ----------
    file : str
        Its path.
    line : int
        The line's number; of a function where it begins; 0 for a module.
    name : str
        The function's; empty for others.
    """

    file: str
    line: int = 0
    name: str = ""

    def __str__(self) -> str:
        text = os.path.basename(self.file)
        if self.line:
            text += f":{self.line}"
        return f"{text}: {self.name}" if self.name else text


@functools.cache
def folders_of_others() -> tuple[str, ...]:
    """Where Python's own modules, installed packages, and halfcl are."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    paths = {sysconfig.get_path(name) for name in names}
    paths |= {site.getusersitepackages(), os.path.dirname(halfcl.__file__)}
    return tuple(os.path.join(path, "") for path in paths if path)


class Places:
    """The units of a program's own code.

    kind: one of `KINDS`. moved: a folder, and the one that it stands for.
    """

    def __init__(self, kind: str, moved: tuple[str, str] = ("", "")):
        self._kind, self._moved = kind, moved
        self._others = folders_of_others()
        # By its place in memory, since code is slow to hash; kept, so that the place stays its own.
        self._files: dict[int, tuple[str, CodeType]] = {}
        self._units: dict[tuple[int, int | None], Unit] = {}

    def of_lines(self) -> Places:
        """The lines of the same code."""
        return self if self._kind == "line" else Places("line", self._moved)

    def file_of(self, code: CodeType) -> str:
        """The file of the program that code is in; empty if it is Python's or a package's."""
        found = self._files.get(id(code))
        if found is None:
            found = self._files[id(code)] = self._own_file(code.co_filename), code
        return found[0]

    def owns(self, file: str) -> bool:
        """Return whether a file is one of the program's."""
        return bool(file) and bool(self._own_file(file))

    def _own_file(self, file: str) -> str:
        if file.endswith(_CYTHON) and not os.path.isabs(file) and not os.path.isfile(file):
            return ""  # a library's: Cython keeps the paths of the place where it was built
        if file.startswith("<"):  # made by code, such as a dataclass's methods
            return ""
        parts = Path(file).parts
        if file.startswith(self._others) or any(name in parts for name in _INSTALLED):
            return ""
        copy, original = self._moved
        return original + file[len(copy) :] if copy and file.startswith(copy) else file

    def find(self, frame: FrameType | None) -> Unit | None:
        """The innermost unit that computes in a frame, or has called what does; None if none."""
        while frame is not None:
            code = frame.f_code
            file = self.file_of(code)
            if file:
                place = id(code), frame.f_lineno
                found = self._units.get(place)
                if found is None:
                    found = self._units[place] = self._unit(code, file, frame.f_lineno)
                return found
            frame = frame.f_back
        return None

    def _unit(self, code: CodeType, file: str, line: int | None) -> Unit:
        if self._kind == "module":
            return Unit(file)
        if self._kind == "function":
            return Unit(file, code.co_firstlineno, code.co_qualname)
        return Unit(file, line or code.co_firstlineno)
