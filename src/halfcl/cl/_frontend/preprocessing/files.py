"""The files of a program: where includes are searched, and how much is read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from halfcl.cl._frontend.guards.nesting import MOST_EMPTY_LINES, MOST_INCLUDES, MOST_READ
from halfcl.cl._frontend.preprocessing.lexing.lines import Lines
from halfcl.cl._frontend.preprocessing.text import File, SourceMap


class FileError(Exception):
    """A file that is refused; the message says why."""


class Files:
    """The files of a program. folders: those of -I, which quoted names have, too."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.map = SourceMap()
        self._folders = folders
        self._lines: dict[str, Lines] = {}  # by full paths
        self._once: set[str] = set()
        self._read = self._includes = 0

    def program(self, source: str, name: str) -> File:
        """Return the program's own file."""
        self._read += len(source)
        return self.map.add(name, _read_lines(source))

    def find(self, name: str, includer: File) -> str | None:
        """Return the path of the file that <name> or "name" includes; None if there is none."""
        folders = list(self._folders)
        if name[0] == '"':
            folders.insert(0, os.path.dirname(includer.name))
        for folder in folders if not os.path.isabs(name[1:-1]) else [""]:
            path = os.path.join(folder, name[1:-1])
            if self._is_file(path):
                return path
        return None

    def is_reachable(self, name: str, path: str) -> bool:
        """Return whether the program's own file finds a file by the same words."""
        own = self.find(name, self.map.program)
        return own is not None and os.path.realpath(own) == os.path.realpath(path)

    @staticmethod
    def _is_file(path: str) -> bool:
        """Return whether a path is a file; raise FileError for devices and pipes.

        Clang would read these, too, without end.
        """
        try:
            is_file = os.path.isfile(path)
            exists = os.path.exists(path) and not os.path.isdir(path)
        except ValueError:  # a null character
            return False
        if exists and not is_file:
            raise FileError(f"not a regular file: {path}")
        return is_file

    def open(self, path: str) -> File | None:
        """Return an included file; None if it has said that once is enough."""
        key = os.path.realpath(path)
        if key in self._once:
            return None
        if key not in self._lines:
            with open(path, encoding="utf-8-sig", errors="replace", newline="") as opened:
                text = opened.read(MOST_READ + 1)
            self._count(len(text))
            self._lines[key] = _read_lines(text)
        else:
            self._count(len(self._lines[key].source))
        return self.map.add(path, self._lines[key])

    def _count(self, characters: int) -> None:
        self._read += characters
        self._includes += 1
        if self._read > MOST_READ:
            message = f"#include of more than {MOST_READ:,} characters in all"
            raise FileError(f"not supported: {message}")
        if self._includes > MOST_INCLUDES:
            raise FileError(f"not supported: more than {MOST_INCLUDES:,} includes in all")

    def once(self, file: File) -> None:
        """Never open a file again."""
        self._once.add(os.path.realpath(file.name))


def _read_lines(source: str) -> Lines:
    """Return the lines of a file; raise FileError if libclang would need too large a stack."""
    lines = Lines(source)
    if lines.longest_run > MOST_EMPTY_LINES:
        message = f"more than {MOST_EMPTY_LINES:,} lines in a row of a backslash alone"
        raise FileError(f"not supported: {message}")
    return lines
