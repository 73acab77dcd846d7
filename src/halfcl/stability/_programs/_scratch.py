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

#: Bytes of the user's files that a run copies before it changes them, or keeps in memory.
MOST_BYTES = 1 << 30

#: What protects the user's files where layers of overlays lie in memory: see `_protecting`.
MEMORY = "memory"

#: The file in a scratch folder that tells of refused writes.
_REFUSED = "refused"


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

    def arguments(self) -> tuple[str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return what makes this object in another process."""
        return self.root, self.original, self.covered, self.allowed, self.means

    @property
    def layers(self) -> str:
        """The folder of an overlay's layers: in memory if the file system cannot be a layer."""
        return os.path.join(self.root, "memory") if MEMORY in self.means else self.root

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
                if _is_plain_folder(entry) and entry.path not in self.allowed:
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
            for path in _regular_files(base):
                yield shown + os.path.relpath(path, base), path

    def take_out(self) -> None:
        """Copy the files that a run has written out of the memory, which only its processes see."""
        for number in range(len(self.covered) if self.layers != self.root else 0):
            layer = os.path.join(self.layers, f"upper{number}")
            for path in _regular_files(layer):
                place = os.path.join(self.root, os.path.relpath(path, self.layers))
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o600)
                shutil.copyfile(path, place)

    def note_refusal(self, why: str) -> None:
        """Tell the command of a write that was refused, whatever the program makes of it."""
        place = os.path.join(self.root, _REFUSED)
        file = os.open(place, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        os.write(file, os.fsencode(why) + b"\0")
        os.close(file)

    def first_refusal(self) -> str:
        """Return what to tell of the first write that the run was refused, or nothing."""
        try:
            with open(os.path.join(self.root, _REFUSED), "rb") as file:
                return os.fsdecode(file.read().split(b"\0")[0])
        except OSError:
            return ""

    # ------------------------------------------------------------ paths

    def meant(self, path: str) -> str:
        """Return the path that the program means: `..` above the copy is the user's folder."""
        if self.covered or os.path.isabs(path):
            return path
        start = os.getcwd()
        if not is_below(start, self._links) or is_below(resolve(path), self._links):
            return path
        if not is_below(resolve(path), self.root):
            return path  # A link leads there, which the user has, too.
        return os.path.join(self.original, os.path.relpath(start, self._links), path)

    def inside(self, path: str) -> str:
        """Where in the folder a path belongs."""
        whole = resolve(path)
        if is_below(whole, self.root):
            return whole
        if is_below(whole, self.original):
            return os.path.join(self.work, os.path.relpath(whole, self.original))
        return self._elsewhere + os.path.splitdrive(whole)[1]

    def _is_left(self, path: str) -> bool:
        """Whether a path is led nowhere: an overlay keeps its writes, or the user allows them."""
        return self._may_change(os.path.realpath(path))

    def _may_change(self, whole: str) -> bool:
        """Whether a place is below an overlay, or one that the user allows to change.

        One that contains the working folder does not allow to change that.
        """
        if any(is_below(whole, folder) for folder in self.covered):
            return True
        is_inside = is_below(whole, self.original)
        allowed = (place for place in self.allowed if is_below(whole, place))
        return any(not is_inside or not is_below(self.original, place) for place in allowed)

    def _target(self, path: str) -> str:
        """Where in the folder a file belongs; an overlay's links may lead to others' files."""
        return self.inside(os.path.realpath(path) if self.covered else path)

    def to_read(self, path: str) -> str:
        """What a path to be read stands for."""
        if self._is_left(path):
            return path
        inside = self._target(path)
        if os.path.islink(inside):
            return path
        if os.path.isdir(inside) and os.path.isdir(path):
            # The copy of a folder has all names, and a folder elsewhere those that are new.
            return inside if is_below(inside, self._links) and resolve(path) != inside else path
        return inside if os.path.lexists(inside) or self._is_gone(path, inside) else path

    def to_look(self, path: str) -> str:
        """Return what a path stands for, whose last link is not followed: the user's own entry."""
        place = self.to_read(path)
        inside = self.inside(place)
        return self._source(inside) or place

    def _source(self, inside: str) -> str:
        """Return the user's entry that a link of the copy stands for; nothing of other paths."""
        if self.covered or not is_below(inside, self._links) or not os.path.islink(inside):
            return ""
        source = os.readlink(inside)
        is_own = os.path.basename(source) == os.path.basename(inside) and os.path.isabs(source)
        return source if is_own and is_below(source, self.original) else ""

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
        if os.path.isdir(os.path.dirname(resolve(path))):
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

    def to_change(self, path: str) -> str:
        """Return what a path stands for whose file or folder changes in itself."""
        if os.path.isdir(path) and not self._is_left(path):
            inside = self._target(path)
            if not is_below(inside, self._links) and not os.path.lexists(inside):
                return path  # The folder is the user's, elsewhere: the change is refused by name.
        return self.to_write(path)

    def to_rename(self, path: str) -> str:
        """Return what a path to be renamed stands for; a link of the user's stays a link."""
        inside = self.inside(path)
        source = self._source(inside)
        return inside if source and os.path.islink(source) else self.to_change(path)

    def to_make(self, path: str) -> str:
        """Return what a path stands for that is made, in the place of whatever is there."""
        whole = resolve(path)
        if self._may_change(whole):
            return path
        inside = self.inside(path)
        self._own(os.path.dirname(inside))
        if os.path.isdir(os.path.dirname(whole)):
            os.makedirs(os.path.dirname(inside), exist_ok=True)
        return inside

    def _count(self, source: str) -> None:
        self._copied += os.path.getsize(source)
        if self._copied > MOST_BYTES:
            why = (
                "expected at most 1 GiB of files that a program changes, since no overlay can be "
                f"mounted here and each is copied; got more at {source}"
            )
            self.note_refusal(why)
            raise OSError(errno.EFBIG, why, source)

    def is_elsewhere(self, place: str) -> bool:
        """Whether a place of the run stands for one outside the working folder."""
        return is_below(place, self._elsewhere)

    def to_remove(self, path: str) -> str:
        """What a path to be removed stands for."""
        inside = self.to_remove_whole(path, is_whole=False)
        if inside == self._links:
            raise OSError(errno.EBUSY, "expected another folder than the working folder", path)
        return inside

    def to_remove_whole(self, path: str, is_whole: bool = True) -> str:
        """What a folder to be removed with all that it holds stands for."""
        if self._is_left(os.path.dirname(resolve(path))):
            return path
        inside = self.inside(path)
        self._own(os.path.dirname(inside))
        source = self._source(inside)
        if is_whole or (source and not os.path.islink(source)):
            self._own(inside)  # Folders are removed entry by entry, or if they are empty.
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


def _regular_files(folder: str) -> Iterator[str]:
    """Return the files below a folder, without links and what is no file."""
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(parent, name)
            if not os.path.islink(path) and os.path.isfile(path):
                yield path


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


def resolve(path: str) -> str:
    """Return the whole path of an entry; links are followed but for the last, and before `..`."""
    whole = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    head, tail = os.path.split(whole.rstrip(os.sep) or os.sep)
    if tail in ("", os.curdir, os.pardir):
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(head), tail)


def path_of(handle: int) -> str:
    """Return the path of an open file or folder.

    Raises
    ------
    OSError
        Where it is closed, or the system does not tell.
    """
    if sys.platform == "darwin":
        import fcntl

        name = fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(1024))
        return os.fsdecode(name.rstrip(b"\0"))
    return os.readlink(f"/proc/self/fd/{handle}")


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


# ---------------------------------------------------------------- what takes paths

#: Functions of `os` that read what a path leads to, look at the path itself, change what is
#: there, make something, and remove it.
_READING = ("access", "listdir", "scandir")
_LOOKING = ("lstat",)
_CHANGING = ("chmod", "truncate", "utime")
_MAKING = ("mkdir", "mkfifo", "mknod")
_REMOVING = ("remove", "rmdir", "unlink")


class _Leading:
    """Python's functions of paths, with paths led into a folder."""

    def __init__(self, scratch: Scratch):
        self._scratch = scratch
        self._busy = threading.local()  # with what the folder looks up itself
        self._open: _Function = io.open
        self._open_by_number: _Function = os.open

    def led(self, place: Callable[[str], str], path: object, start: object = None) -> object:
        """A path, as a place of the folder; what is no path, as it is; start: it begins there."""
        if getattr(self._busy, "now", False) or not isinstance(path, str | bytes | os.PathLike):
            return path
        name = os.fspath(path)
        with self.aside():
            text = os.fsdecode(name)
            whole = self._scratch.meant(text if start is None else os.path.join(str(start), text))
            text = place(whole)
        return os.fsencode(text) if isinstance(name, bytes) else text

    def take_start(self, keywords: dict[str, object], name: str = "dir_fd") -> str | None:
        """Remove an open folder that a path begins at from the keywords, and return its path."""
        handle = keywords.get(name)
        if not isinstance(handle, int) or getattr(self._busy, "now", False):
            return None
        with self.aside(), contextlib.suppress(OSError):
            start = path_of(handle)
            if os.path.isdir(start):
                del keywords[name]
                return start
        return None

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Have paths of this thread be what they say."""
        before = getattr(self._busy, "now", False)
        self._busy.now = True
        try:
            yield
        finally:
            self._busy.now = before

    def call(
        self, function: _Function, given: Sequence[object], led: Sequence[object],
        args: Sequence[object], keywords: dict[str, object],
    ) -> object:  # fmt: skip
        """Call a function with led paths; its errors name those that were given."""
        try:
            return function(*led, *args, **keywords)
        except OSError as error:
            for name in ("filename", "filename2"):
                for own, other in zip(given, led, strict=True):
                    if own is not other and getattr(error, name) == other:
                        setattr(error, name, own)
            raise

    def around(self, function: _Function, place: Callable[[str], str]) -> _Function:
        """A function whose first argument is a path."""

        def call(path: object = None, *args: object, **keywords: object) -> object:
            start = self.take_start(keywords)
            return self.call(function, [path], [self.led(place, path, start)], args, keywords)

        return call

    def looking(self, function: _Function) -> _Function:
        """`os.stat`, which follows a last link unless it is asked not to."""
        follow = self.around(function, self._scratch.to_read)
        look = self.around(function, self._scratch.to_look)

        def call(path: object, *args: object, **keywords: object) -> object:
            own = follow if keywords.get("follow_symlinks", True) else look
            return own(path, *args, **keywords)

        return call

    def pairing(self, function: _Function, to_source: Callable[[str], str]) -> _Function:
        """A function of two paths, which makes the second."""

        def call(src: object, dst: object, *args: object, **keywords: object) -> object:
            starts = [self.take_start(keywords, name) for name in ("src_dir_fd", "dst_dir_fd")]
            old = self.led(to_source, src, starts[0])
            new = self.led(self._scratch.to_make, dst, starts[1])
            return self.call(function, [src, dst], [old, new], args, keywords)

        return call

    def renaming(self, function: _Function) -> _Function:
        """A function that renames; overlays cannot rename the user's folders, which are copied."""
        rename = self.pairing(function, self._scratch.to_rename)

        def call(src: _Path, dst: _Path, *args: object, **keywords: object) -> object:
            try:
                return rename(src, dst, *args, **keywords)
            except OSError as error:
                own = not keywords and self._scratch.covered
                if error.errno != errno.EXDEV or not own or not os.path.isdir(src):
                    raise
            if os.path.isdir(dst):
                os.rmdir(dst)  # As a rename does, which refuses one that is not empty.
            shutil.copytree(os.fsdecode(src), os.fsdecode(dst), symlinks=True)
            shutil.rmtree(os.fsdecode(src))
            return None

        return call

    def linking_by_name(self, function: _Function) -> _Function:
        """`os.symlink`, whose first argument is a text, and whose second is what it makes."""

        def call(src: object, dst: object, *args: object, **keywords: object) -> object:
            new = self.led(self._scratch.to_make, dst, self.take_start(keywords))
            return self.call(function, [src, dst], [src, new], args, keywords)

        return call

    def removing(self, function: _Function, to_remove: Callable[[str], str]) -> _Function:
        """A function that removes what is in the folder; the user's stays."""

        def call(path: object, *args: object, **keywords: object) -> object:
            start = self.take_start(keywords)
            place = self.led(to_remove, path, start)
            if start is None and isinstance(place, str | bytes) and self._is_kept(place, path):
                return None
            return self.call(function, [path], [place], args, keywords)

        return call

    def _is_kept(self, place: str | bytes, path: object) -> bool:
        """Whether what is to be removed is the user's alone, elsewhere: it stays."""
        with self.aside():
            is_elsewhere = self._scratch.is_elsewhere(os.fsdecode(place))
            if not is_elsewhere or os.path.lexists(place):
                return False
            return isinstance(path, str | bytes | os.PathLike) and os.path.lexists(path)

    def open(self, file: object, mode: object = "r", *args: object, **keywords: object) -> object:
        """Python's open."""
        letters = str(mode)
        place = self._scratch.to_read
        if any(letter in letters for letter in "wax+"):
            place = self._scratch.to_write if "w" not in letters else self._scratch.to_replace
        has_opener = keywords.get("opener") is not None or len(args) > 5
        led = file if has_opener else self.led(place, file)  # An opener leads by `os.open`.
        return self.call(self._open, [file], [led], (mode, *args), keywords)

    def open_by_number(self, path: object, flags: int, *args: object, **keywords: object) -> object:
        """That of os."""
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        place = self._scratch.to_write if writes else self._scratch.to_read
        led = self.led(place, path, self.take_start(keywords))
        return self.call(self._open_by_number, [path], [led], (flags, *args), keywords)


def lead_into(scratch: Scratch) -> Callable[[], AbstractContextManager[None]]:
    """Have this process's Python functions write into the folder, and read what is written there.

    For good. What a library in C opens itself is found by the working folder alone.

    Returns
    -------
    callable
        A context in which paths are led nowhere.
    """
    leading, files = _Leading(scratch), vars(shutil)
    vars(builtins)["open"] = vars(io)["open"] = leading.open
    of_kind: dict[_Kind, Sequence[str]] = {
        lambda function: leading.around(function, scratch.to_read): _READING,
        lambda function: leading.around(function, scratch.to_look): _LOOKING,
        lambda function: leading.around(function, scratch.to_change): _CHANGING,
        lambda function: leading.around(function, scratch.to_write): _MAKING,
        lambda function: leading.removing(function, scratch.to_remove): _REMOVING,
        leading.looking: ("stat",),
        leading.renaming: ("rename", "replace"),
        lambda function: leading.pairing(function, scratch.to_write): ("link",),
        leading.linking_by_name: ("symlink",),
        lambda function: leading.open_by_number: ("open",),
    }
    for wrap, names in of_kind.items():
        for name in names:
            _replace(name, wrap)
    files["rmtree"] = leading.removing(files["rmtree"], scratch.to_remove_whole)
    sys.dont_write_bytecode = True
    return leading.aside


_Kind: TypeAlias = Callable[[_Function], _Function]


def _replace(name: str, wrap: _Kind) -> None:
    """Replace a function of `os`, also in what `os` takes it from, and in its sets of functions."""
    function: _Function | None = vars(os).get(name)
    if function is None:
        return
    leading = wrap(function)
    for module in (os, sys.modules[os.name]):
        vars(module)[name] = leading
    for own in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if function in own:
            own.add(leading)
