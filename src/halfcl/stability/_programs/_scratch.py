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
from contextlib import suppress
from typing import Any

#: Of a larger folder the rest is linked folder by folder.
_MOST_LINKS = 4000


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
            with os.scandir(os.path.join(self.original, folder)) as entries:
                for entry in entries:
                    name = os.path.join(folder, entry.name)
                    copy = os.path.join(self.work, name)
                    if links < _MOST_LINKS and _is_plain_folder(entry, self.root):
                        with suppress(PermissionError):
                            os.listdir(entry.path)
                            os.mkdir(copy)
                            folders.append(name)
                    elif os.path.realpath(entry.path) != self.root:
                        os.symlink(entry.path, copy)
                    links += 1

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


def _is_plain_folder(entry: os.DirEntry[str], root: str) -> bool:
    """Whether links to its files are made one by one."""
    hidden = entry.name.startswith((".", "__pycache__", "node_modules"))
    return not hidden and entry.is_dir(follow_symlinks=False) and entry.path != root


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


# ---------------------------------------------------------------- what takes paths

#: Functions of `os` that only look, and that change something, by how many paths they take.
_READING = ("access", "listdir", "lstat", "scandir", "stat")
_WRITING = {"chmod": 1, "mkdir": 1, "rename": 2, "replace": 2, "truncate": 1, "utime": 1}
_REMOVING = ("remove", "rmdir", "unlink")


def _is_path(thing: object) -> bool:
    return isinstance(thing, str | os.PathLike) and isinstance(os.fspath(thing), str)


def _relative_to_another_folder(keywords: dict[str, Any]) -> bool:
    return any(name.endswith("dir_fd") and keywords[name] is not None for name in keywords)


def lead_into(scratch: Scratch) -> None:
    """Have this process's Python functions write into the folder, and read what is written there.

    For good. What a library in C opens itself is found by the working folder alone.
    """
    busy = threading.local()  # with what the folder itself looks up, by the same functions

    def led(place: Callable[[str], str], path: Any) -> Any:
        if getattr(busy, "now", False) or not _is_path(path):
            return path
        busy.now = True
        try:
            return place(os.fspath(path))
        finally:
            busy.now = False

    def around(function: Callable[..., Any], *places: Callable[[str], str]) -> Callable[..., Any]:
        def call(*args: Any, **keywords: Any) -> Any:
            if not _relative_to_another_folder(keywords):
                args = (*map(led, places, args), *args[len(places) :])
            return function(*args, **keywords)

        return call

    def remove(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **keywords: Any) -> Any:
            place = path
            if not _relative_to_another_folder(keywords):
                place = led(scratch.inside, path)
            gone = place is not path and not os.path.lexists(place) and os.path.lexists(path)
            return None if gone else function(place, *args, **keywords)  # the user's stays

        return call

    opened, opened_by_number = io.open, os.open

    def open_file(file: Any, mode: Any = "r", *args: Any, **keywords: Any) -> Any:
        writes = any(letter in str(mode) for letter in "wax+")
        keep = "w" not in str(mode)
        place = (lambda path: scratch.to_write(path, keep)) if writes else scratch.to_read
        return opened(led(place, file), mode, *args, **keywords)

    def open_by_number(path: Any, flags: int, *args: Any, **keywords: Any) -> Any:
        if not keywords.get("dir_fd"):
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            path = led(scratch.to_write if writes else scratch.to_read, path)
        return opened_by_number(path, flags, *args, **keywords)

    builtins.open = io.open = open_file
    os.open = open_by_number
    for name in _READING:
        setattr(os, name, around(getattr(os, name), scratch.to_read))
    for name, count in _WRITING.items():
        setattr(os, name, around(getattr(os, name), *[scratch.to_write] * count))
    for name in _REMOVING:
        setattr(os, name, remove(getattr(os, name)))
    setattr(shutil, "rmtree", remove(shutil.rmtree))  # noqa: B010
    sys.dont_write_bytecode = True
