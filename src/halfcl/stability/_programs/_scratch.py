"""Files that a run writes, kept apart: from the user's, and from those of other runs.

A run works in a folder of links to what is in the user's. What it writes replaces a link. Paths
from elsewhere are led to a copy of their folders.
"""

from __future__ import annotations

import builtins
import io
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeAlias

#: Of the folders that runs work in.
PREFIX = "halfcl-stability-"

#: Of folders that hold more than these the rest are linked as they are.
_MOST_LINKS = 4000


_Function: TypeAlias = Callable[..., object]


class Scratch:
    """The folder of one run, and the way of paths into it."""

    def __init__(self, root: str, original: str):
        self.root, self.original = os.path.realpath(root), os.path.realpath(original)
        self.work = os.path.join(self.root, "work")
        self.temporary = os.path.join(self.root, "temporary")
        self._elsewhere = os.path.join(self.root, "elsewhere")

    def make(self) -> None:
        """The folder, with links to the user's files."""
        for folder in (self.work, self.temporary, self._elsewhere):
            os.mkdir(folder)
        folders, links = [""], 0
        for folder in folders:  # which grows: folder by folder, the nearest first
            source, copy = os.path.join(self.original, folder), os.path.join(self.work, folder)
            entries = _entries(source) if links <= _MOST_LINKS else []
            links += len(entries)
            if links > _MOST_LINKS and folder:
                os.rmdir(copy)
                os.symlink(source, copy)
                continue
            for entry in entries:
                if _is_plain_folder(entry):
                    os.mkdir(os.path.join(copy, entry.name))
                    folders.append(os.path.join(folder, entry.name))
                elif not entry.name.startswith(PREFIX):
                    os.symlink(entry.path, os.path.join(copy, entry.name))

    def written(self) -> Iterator[tuple[str, str]]:
        """The files that a run has written: as the user would name each, and where it is."""
        for base, shown in ((self.work, ""), (self._elsewhere, os.sep)):
            for folder, _, names in os.walk(base):
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    if not os.path.islink(path) and os.path.isfile(path):
                        yield shown + os.path.relpath(path, base), path

    # ------------------------------------------------------------ paths

    def inside(self, path: str) -> str:
        """Where in the folder a path belongs."""
        whole = os.path.abspath(path)
        whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        if _is_below(whole, self.root):
            return whole
        if _is_below(whole, self.original):
            return os.path.join(self.work, os.path.relpath(whole, self.original))
        return self._elsewhere + os.path.splitdrive(whole)[1]

    def to_read(self, path: str) -> str:
        """What a path to be read stands for."""
        inside = self.inside(path)
        if os.path.islink(inside) or (os.path.isdir(inside) and os.path.isdir(path)):
            return path
        return inside if os.path.lexists(inside) or self._is_gone(path, inside) else path

    def _is_gone(self, path: str, inside: str) -> bool:
        """Whether a run has removed, of its copy of the user's folder, what a path stands for."""
        return _is_below(inside, self.work) and os.path.lexists(path)

    def to_replace(self, path: str) -> str:
        """What a path to be written anew stands for."""
        return self.to_write(path, keep=False)

    def to_write(self, path: str, keep: bool = True) -> str:
        """What a path to be written stands for; keep: with what the user's file has."""
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            return path  # a device
        inside = self.inside(path)
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(folder):
            os.makedirs(os.path.dirname(inside), exist_ok=True)
        if os.path.islink(inside) or (not os.path.lexists(inside) and os.path.isfile(path)):
            source = os.path.realpath(path)
            if os.path.islink(inside):
                os.unlink(inside)
            if keep and os.path.isfile(source):
                shutil.copy2(source, inside)
        return inside


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing of one that may not be read, or is gone meanwhile."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_plain_folder(entry: os.DirEntry[str]) -> bool:
    """Whether links to its files are made one by one."""
    hidden = entry.name.startswith((".", "__pycache__", "node_modules", PREFIX))
    return not hidden and entry.is_dir(follow_symlinks=False) and os.access(entry.path, os.R_OK)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


# ---------------------------------------------------------------- what takes paths

#: Functions of `os` that only look, and that change something, by how many paths they take.
_READING = ("access", "listdir", "lstat", "scandir", "stat")
_WRITING = {"chmod": 1, "mkdir": 1, "rename": 2, "replace": 2, "truncate": 1, "utime": 1}
_REMOVING = ("remove", "rmdir", "unlink")


def _relative_to_another_folder(keywords: dict[str, object]) -> bool:
    return any(name.endswith("dir_fd") and keywords[name] is not None for name in keywords)


class _Leading:
    """Python's functions of paths, with paths led into a folder."""

    def __init__(self, scratch: Scratch):
        self._scratch = scratch
        self._busy = threading.local()  # with what the folder looks up itself
        self._open: _Function = io.open
        self._open_by_number: _Function = os.open

    def led(self, place: Callable[[str], str], path: object) -> object:
        """A path, as a place of the folder; what is no path, or bytes, as it is."""
        if getattr(self._busy, "now", False) or not isinstance(path, str | os.PathLike):
            return path
        text = os.fspath(path)
        if not isinstance(text, str):
            return path
        self._busy.now = True
        try:
            return place(text)
        finally:
            self._busy.now = False

    def around(self, function: _Function, *places: Callable[[str], str]) -> _Function:
        """A function whose first arguments are paths."""

        def call(*args: object, **keywords: object) -> object:
            if not _relative_to_another_folder(keywords):
                args = (*map(self.led, places, args), *args[len(places) :])
            return function(*args, **keywords)

        return call

    def removing(self, function: _Function) -> _Function:
        """A function that removes what is in the folder; the user's stays."""

        def call(path: object, *args: object, **keywords: object) -> object:
            place = path
            if not _relative_to_another_folder(keywords):
                place = self.led(self._scratch.inside, path)
            if isinstance(place, str) and place is not path and not os.path.lexists(place):
                return None
            return function(place, *args, **keywords)

        return call

    def open(self, file: object, mode: object = "r", *args: object, **keywords: object) -> object:
        """Python's open."""
        letters = str(mode)
        place = self._scratch.to_read
        if any(letter in letters for letter in "wax+"):
            place = self._scratch.to_write if "w" not in letters else self._scratch.to_replace
        return self._open(self.led(place, file), mode, *args, **keywords)

    def open_by_number(self, path: object, flags: int, *args: object, **keywords: object) -> object:
        """That of os."""
        if not _relative_to_another_folder(keywords):
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            path = self.led(self._scratch.to_write if writes else self._scratch.to_read, path)
        return self._open_by_number(path, flags, *args, **keywords)


def lead_into(scratch: Scratch) -> None:
    """Have this process's Python functions write into the folder, and read what is written there.

    For good. What a library in C opens itself is found by the working folder alone.
    """
    leading, system, files = _Leading(scratch), vars(os), vars(shutil)
    vars(builtins)["open"] = vars(io)["open"] = leading.open
    system["open"] = leading.open_by_number
    for name in _READING:
        system[name] = leading.around(system[name], scratch.to_read)
    for name, count in _WRITING.items():
        system[name] = leading.around(system[name], *[scratch.to_write] * count)
    for name in _REMOVING:
        system[name] = leading.removing(system[name])
    files["rmtree"] = leading.removing(files["rmtree"])
    sys.dont_write_bytecode = True
