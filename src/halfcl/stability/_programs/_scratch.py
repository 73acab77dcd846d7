"""Files that a run writes, kept apart: from the user's, and from those of other runs.

Where overlays can be mounted (`_protecting`), a run works in the user's folder below one. Elsewhere
it works in a folder of links to what is in the user's, and what it writes replaces a link. Paths
from elsewhere are led to a copy of their folders.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TypeAlias

#: Of the folders that runs work in.
PREFIX = "halfcl-stability-"

#: Entries of the working folder that are linked.
_MOST_LINKS = 4000

#: Bytes of the user's files that a run copies before it changes them.
_MOST_BYTES = 1 << 30


_Function: TypeAlias = Callable[..., object]
_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class FolderError(Exception):
    """A working folder that runs cannot have links to; told to the user in one line."""


class Scratch:
    """The folder of one run, and the way of paths into it.

    Parameters
    ----------
    root : str
        Of the run.
    original : str
        The working folder.
    covered : sequence of str, optional
        Folders that overlays are mounted on: paths there are led nowhere else.
    allowed : sequence of str, optional
        Where the program may write.
    means : sequence of str, optional
        What protects the user's files: see `_protecting`.
    """

    def __init__(
        self,
        root: str,
        original: str,
        covered: Sequence[str] = (),
        allowed: Sequence[str] = (),
        means: Sequence[str] = (),
    ):
        self.root, self.original = os.path.realpath(root), os.path.realpath(original)
        self.covered, self.means = tuple(covered), tuple(means)
        self.allowed = tuple(map(os.path.realpath, allowed))
        self._links = os.path.join(self.root, "work")
        self.work = self.original if self.covered else self._links
        self.temporary = os.path.join(self.root, "temporary")
        self._elsewhere = os.path.join(self.root, "elsewhere")
        self._copied = 0

    def make(self) -> None:
        """Make the folder, with links to the user's files unless an overlay shows them.

        Raises
        ------
        FolderError
            If it has too many entries to link.
        """
        for folder in (self._links, self.temporary, self._elsewhere):
            os.mkdir(folder)
        if self.covered:
            return
        folders, links = [""], 0
        for folder in folders:  # which grows: folder by folder, the nearest first
            copy = os.path.join(self.work, folder)
            for entry in _entries(os.path.join(self.original, folder)):
                links += 1
                if links > _MOST_LINKS:
                    raise FolderError(
                        f"{self.original}: expected at most {_MOST_LINKS} files and folders, since "
                        "no overlay can be mounted here and each is linked; --folder PATH names a "
                        "smaller folder to work in"
                    )
                if _is_plain_folder(entry):
                    os.mkdir(os.path.join(copy, entry.name))
                    folders.append(os.path.join(folder, entry.name))
                elif not entry.name.startswith(PREFIX):
                    os.symlink(entry.path, os.path.join(copy, entry.name))

    def written(self) -> Iterator[tuple[str, str]]:
        """The files that a run has written: as the user would name each, and where it is."""
        bases = [(self._links, ""), (self._elsewhere, os.sep)]
        for number, folder in enumerate(self.covered):
            shown = folder
            if is_below(folder, self.original):
                shown = os.path.relpath(folder, self.original)
            layer = os.path.join(self.root, f"upper{number}")
            bases.append((layer, "" if shown == "." else os.path.join(shown, "")))
        for base, shown in bases:
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
        if is_below(whole, self.root):
            return whole
        if is_below(whole, self.original):
            return os.path.join(self.work, os.path.relpath(whole, self.original))
        return self._elsewhere + os.path.splitdrive(whole)[1]

    def _is_left(self, path: str) -> bool:
        """Whether a path is led nowhere: an overlay keeps its writes, or the user allows them."""
        whole = os.path.realpath(path)
        return any(is_below(whole, place) for place in (*self.covered, *self.allowed))

    def _target(self, path: str) -> str:
        """Where in the folder a file belongs; an overlay's links may lead to others' files."""
        return self.inside(os.path.realpath(path) if self.covered else path)

    def to_read(self, path: str) -> str:
        """What a path to be read stands for."""
        if self._is_left(path):
            return path
        inside = self._target(path)
        if os.path.islink(inside) or (os.path.isdir(inside) and os.path.isdir(path)):
            return path
        return inside if os.path.lexists(inside) or self._is_gone(path, inside) else path

    def _is_gone(self, path: str, inside: str) -> bool:
        """Whether a run has removed, of its copy of the user's folder, what a path stands for."""
        return is_below(inside, self._links) and os.path.lexists(path)

    def to_replace(self, path: str) -> str:
        """What a path to be written anew stands for."""
        return self.to_write(path, keep=False)

    def to_write(self, path: str, keep: bool = True) -> str:
        """What a path to be written stands for; keep: with what the user's file has."""
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            return path  # a device
        if self._is_left(path):
            return path
        inside = self._target(path)
        self._own(inside)
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(folder):
            os.makedirs(os.path.dirname(inside), exist_ok=True)
        if os.path.islink(inside) or (not os.path.lexists(inside) and os.path.isfile(path)):
            source = os.path.realpath(path)
            if keep and os.path.isfile(source):
                self._count(source)
            if os.path.islink(inside):
                os.unlink(inside)
            if keep and os.path.isfile(source):
                shutil.copy2(source, inside)
        return inside

    def _count(self, source: str) -> None:
        self._copied += os.path.getsize(source)
        if self._copied > _MOST_BYTES:
            raise OSError(
                errno.EFBIG, "expected at most 1 GiB of files that a program changes, since no "
                "overlay can be mounted here and each is copied; got more", source,
            )  # fmt: skip

    def to_remove(self, path: str) -> str:
        """What a path to be removed stands for."""
        if self._is_left(os.path.join(os.path.dirname(os.path.abspath(path)), "")):
            return path
        inside = self.inside(path)
        self._own(os.path.dirname(inside))
        return inside

    def to_remove_whole(self, path: str) -> str:
        """What a folder to be removed with all that it holds stands for."""
        inside = self.to_remove(path)
        if inside != path:
            self._own(inside)
        return inside

    def _own(self, folder: str) -> None:
        """Have a folder of the copy be the run's, where it is a link to the user's."""
        if self.covered or not is_below(folder, self._links):
            return
        place = self._links
        for name in os.path.relpath(folder, self._links).split(os.sep):
            place = os.path.join(place, name)
            source = os.path.realpath(place)
            if not os.path.islink(place) or not os.path.isdir(place):
                continue
            os.unlink(place)
            os.mkdir(place)
            for entry in _entries(source):
                os.symlink(entry.path, os.path.join(place, entry.name))


def remove(folder: str) -> None:
    """Remove a folder; what a program, or an overlay, has locked in it, too."""
    for parent, names, _ in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if not os.path.islink(path) and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


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


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


# ---------------------------------------------------------------- what takes paths

#: Functions of `os` that only look, and that change something, by how many paths they take.
_READING = ("access", "listdir", "lstat", "scandir", "stat")
_WRITING = {
    "chmod": 1, "mkdir": 1, "mkfifo": 1, "mknod": 1, "truncate": 1,
    "utime": 1,
}  # fmt: skip
_RENAMING = ("rename", "replace")
_LINKING = ("link", "symlink")
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
        """A path, as a place of the folder; what is no path, as it is."""
        if getattr(self._busy, "now", False) or not isinstance(path, str | bytes | os.PathLike):
            return path
        name = os.fspath(path)
        with self.aside():
            text = place(os.fsdecode(name))
        return os.fsencode(text) if isinstance(name, bytes) else text

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Have paths of this thread be what they say."""
        before = getattr(self._busy, "now", False)
        self._busy.now = True
        try:
            yield
        finally:
            self._busy.now = before

    def around(self, function: _Function, *places: Callable[[str], str]) -> _Function:
        """A function whose first arguments are paths."""

        def call(*args: object, **keywords: object) -> object:
            if not _relative_to_another_folder(keywords):
                args = (*map(self.led, places, args), *args[len(places) :])
            return function(*args, **keywords)

        return call

    def renaming(self, function: _Function) -> _Function:
        """A function that renames; overlays cannot rename the user's folders, which are copied."""
        rename = self.around(function, self._scratch.to_write, self._scratch.to_write)

        def call(source: _Path, path: _Path, *args: object, **keywords: object) -> object:
            try:
                return rename(source, path, *args, **keywords)
            except OSError as error:
                own = not _relative_to_another_folder(keywords) and self._scratch.covered
                if error.errno != errno.EXDEV or not own or not os.path.isdir(source):
                    raise
            if os.path.isdir(path):
                os.rmdir(path)  # As a rename does, which refuses one that is not empty.
            shutil.copytree(os.fsdecode(source), os.fsdecode(path), symlinks=True)
            shutil.rmtree(os.fsdecode(source))
            return None

        return call

    def linking(self, function: _Function) -> _Function:
        """A function whose second argument is the path that it makes."""

        def call(source: object, path: object, *args: object, **keywords: object) -> object:
            if not _relative_to_another_folder(keywords):
                path = self.led(self._scratch.to_replace, path)
            return function(source, path, *args, **keywords)

        return call

    def removing(self, function: _Function, to_remove: Callable[[str], str]) -> _Function:
        """A function that removes what is in the folder; the user's stays."""

        def call(path: object, *args: object, **keywords: object) -> object:
            place = path
            if not _relative_to_another_folder(keywords):
                place = self.led(to_remove, path)
            if isinstance(place, str | bytes) and place != path and not os.path.lexists(place):
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


def lead_into(scratch: Scratch) -> Callable[[], AbstractContextManager[None]]:
    """Have this process's Python functions write into the folder, and read what is written there.

    For good. What a library in C opens itself is found by the working folder alone.

    Returns
    -------
    callable
        A context in which paths are led nowhere.
    """
    leading, system, files = _Leading(scratch), vars(os), vars(shutil)
    vars(builtins)["open"] = vars(io)["open"] = leading.open
    system["open"] = leading.open_by_number
    for name in _READING:
        system[name] = leading.around(system[name], scratch.to_read)
    for name, count in _WRITING.items():
        if name in system:
            system[name] = leading.around(system[name], *[scratch.to_write] * count)
    for name in _RENAMING:
        system[name] = leading.renaming(system[name])
    for name in _LINKING:
        if name in system:
            system[name] = leading.linking(system[name])
    for name in _REMOVING:
        system[name] = leading.removing(system[name], scratch.to_remove)
    files["rmtree"] = leading.removing(files["rmtree"], scratch.to_remove_whole)
    sys.dont_write_bytecode = True
    return leading.aside
