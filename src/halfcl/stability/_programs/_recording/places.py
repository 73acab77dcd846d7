"""Units of a program: its own lines, functions and modules."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

from halfcl.stability._observing.libraries import is_to_show, library_folders

#: Kinds of units that can round in a mode of their own.
KINDS = ("line", "function", "module")

#: Endings of source files that Cython compiles.
_CYTHON = (".pyx", ".pxi", ".pxd")

_INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True, order=True)
class Unit:
    """A line, a function or a module of a program.

    line: its number; the first line of a function; 0 for a module. name: the function's; empty for
    lines and modules.
    """

    file: str
    line: int = 0
    name: str = ""

    def __str__(self) -> str:
        text = os.path.basename(self.file)
        if self.line:
            text += f":{self.line}"
        return f"{text}: {self.name}" if self.name else text


class Places:
    """Finds the units of a program's own code.

    kind: one of `KINDS`. moved: a folder with copies, and the original folder.
    """

    def __init__(self, kind: str, moved: tuple[str, str] = ("", "")):
        self._kind, self._moved = kind, moved
        self._others = library_folders()
        # No key has an `id`, which calls audit hooks, or a code object, which is slow to hash.
        self._program_files: dict[str, str] = {}
        self._units: dict[tuple[str, str, int, int | None], Unit] = {}

    def line_places(self) -> Places:
        """Return places of the same code with lines as units."""
        return self if self._kind == "line" else Places("line", self._moved)

    def program_file(self, code: CodeType) -> str:
        """Return the program's file that contains code; empty if it is Python's or a package's."""
        name = code.co_filename
        file = self._program_files.get(name)
        if file is None:
            file = self._program_files[name] = self.own_file(name)
        return file

    def is_to_show(self, frame: FrameType | None) -> bool:
        """Return whether a frame runs because the program prints or draws something."""
        return is_to_show(frame, lambda one: bool(self.program_file(one.f_code)))

    def owns(self, file: str) -> bool:
        """Return whether a file is one of the program's."""
        return bool(file) and bool(self.own_file(file))

    def own_file(self, file: str) -> str:
        """Return the user's path of one of the program's files; empty for other files."""
        if file.endswith(_CYTHON) and not os.path.isabs(file) and not os.path.isfile(file):
            return ""  # a library's: Cython keeps the relative paths of its build
        if file.startswith("<"):  # generated code, such as a dataclass's methods
            return ""
        parts = Path(file).parts
        if file.startswith(self._others) or any(name in parts for name in _INSTALLED):
            return ""
        copy, original = self._moved
        return original + file[len(copy) :] if copy and file.startswith(copy) else file

    def find_unit(self, frame: FrameType | None) -> Unit | None:
        """Return the innermost unit of the program in a frame or its callers; None if none is."""
        while frame is not None:
            code = frame.f_code
            file = self.program_file(code)
            if file:
                place = file, code.co_qualname, code.co_firstlineno, frame.f_lineno
                unit = self._units.get(place)
                if unit is None:
                    unit = self._units[place] = self._unit(code, file, frame.f_lineno)
                return unit
            frame = frame.f_back
        return None

    def _unit(self, code: CodeType, file: str, line: int | None) -> Unit:
        if self._kind == "module":
            return Unit(file)
        if self._kind == "function":
            return Unit(file, code.co_firstlineno, code.co_qualname)
        return Unit(file, line or code.co_firstlineno)
