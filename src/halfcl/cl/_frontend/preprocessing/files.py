"""The files of a program: where includes are searched, and how much is read."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from posixpath import normpath

from halfcl.cl._frontend.guards.nesting import MOST_EMPTY_LINES, MOST_INCLUDES, MOST_READ
from halfcl.cl._frontend.preprocessing.lexing.lines import Lines
from halfcl.cl._frontend.preprocessing.text import File, SourceMap


class FileError(Exception):
    """A file that is refused; the message says why."""


class Files:
    """The files of a program.

    folders: those of -I, which quoted names have, too; headers: texts by name, before all folders.
    """

    def __init__(self, folders: Sequence[str], headers: Iterable[tuple[str, str]] = ()) -> None:
        self.map = SourceMap()
        self._folders = folders
        self._headers = dict(headers)
        self._lines: dict[str, Lines] = {}  # by full paths
        self._once: set[str] = set()
        self._read = self._includes = 0

    def program(self, source: str, name: str) -> File:
        """Return the program's own file."""
        self._read += len(source)
        return self.map.add(name, _read_lines(source))

    def find(self, name: str, includer: File) -> str | None:
        """Return the path of the file that <name> or "name" includes; None if there is none."""
        header = header_named(name[1:-1], [includer.name], self._headers)
        if header is not None:
            return header
        for path in self._paths(name, includer):
            self.map.searched[path] = self._is_file(path)
            if self.map.searched[path]:
                return path
        return None

    def _paths(self, name: str, includer: File) -> list[str]:
        """Return the paths at which a file is looked for, in order."""
        folders = list(self._folders)
        if name[0] == '"':
            folders.insert(0, os.path.dirname(includer.name))
        absolute = os.path.isabs(name[1:-1])
        return [os.path.join(folder, name[1:-1]) for folder in ([""] if absolute else folders)]

    def is_reachable(self, name: str, path: str) -> bool:
        """Return whether the program's own file finds a file by the same words."""
        program = self.map.program
        header = header_named(name[1:-1], [program.name], self._headers)
        own = header or next(filter(self._is_file, self._paths(name, program)), None)
        return own is not None and self._key(own) == self._key(path)

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
        key = self._key(path)
        if key in self._once:
            return None
        if key not in self._lines:
            text = read_file(path, self._headers, MOST_READ + 1)
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
        self._once.add(self._key(file.name))

    def _key(self, path: str) -> str:
        """Return what files have in common that are the same one."""
        return path if path in self._headers else os.path.realpath(path)


def header_named(name: str, includers: Iterable[str], headers: Container[str]) -> str | None:
    """Return the name of a header given as text, which an includer's folder may complete."""
    folders = [os.path.dirname(includer) for includer in includers if includer in headers]
    names = [normpath(f"{folder}/{name}") for folder in folders if folder]
    return next((each for each in [*names, name, normpath(name)] if each in headers), None)


def read_file(path: str, headers: Mapping[str, str], most: int = -1) -> str:
    """Return at most so many characters of a file, or of a header given as text."""
    if path in headers:
        return headers[path][: most if most >= 0 else None].removeprefix("\ufeff")
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as opened:
        return opened.read(most)


def _read_lines(source: str) -> Lines:
    """Return the lines of a file; raise FileError if libclang would need too large a stack."""
    lines = Lines(source)
    if lines.longest_run > MOST_EMPTY_LINES:
        message = f"more than {MOST_EMPTY_LINES:,} lines in a row of a backslash alone"
        raise FileError(f"not supported: {message}")
    return lines
