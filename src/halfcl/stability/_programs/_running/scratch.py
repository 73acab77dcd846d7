"""Redirects the files that a run writes, so that they are separate from those of the user.

Where overlays can be mounted (`protecting`), a run works in the user's folder below an overlay.
Otherwise it works in a folder of links to the entries of the user's folder, and a file that it
writes replaces a link. Paths outside are redirected to a copy of their folders.
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

#: Prefix of the names of scratch folders.
PREFIX = "halfcl-stability-"

#: Limit on the entries of the working folder to link.
_MOST_LINKS = 4000

#: Limit on the bytes of files that a run copies before it changes them, or keeps in memory.
MOST_BYTES = 1 << 30

#: The mechanism "overlay mount with layers in memory": see `protecting`.
MEMORY = "memory"

#: The file in a scratch folder that lists refused writes.
_REFUSED = "refused"


_Function: TypeAlias = Callable[..., object]
_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class FolderError(Exception):
    """Signals a working folder that is too large to link; the message is one line for the user."""


class Scratch:
    """The folder of one run, and the redirection of paths into it.

    root: the folder of the run. original: the working folder of the user. covered: folders with
    overlays mounted on them: paths there are not redirected. allowed: files and folders that the
    program may write to. means: names of the mechanisms that protect the user's files: see
    `protecting`.
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
        """Return the arguments to construct an equal object in another process."""
        return self.root, self.original, self.covered, self.allowed, self.means

    @property
    def layers(self) -> str:
        """The folder of an overlay's layers, in memory if the file system cannot be a layer."""
        return os.path.join(self.root, "memory") if MEMORY in self.means else self.root

    def make(self) -> None:
        """Create the folder, with links to the user's files unless an overlay shows them.

        Raise FolderError if it has too many entries to link.
        """
        for folder in (self._links, self.temporary, self._elsewhere):
            os.mkdir(folder)
        if self.covered:
            return
        folders, links = [""], 0
        for folder in folders:  # the list grows in the loop: breadth first
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

    def written_files(self, layers: str = "") -> Iterator[tuple[str, str]]:
        """Yield the user's name and the path of each file that a run has written.

        layers: `layers` while the run goes on; by default the place of their copy on disk.
        """
        bases = [(self._links, ""), (self._elsewhere, os.sep)]
        for number, folder in enumerate(self.covered):
            shown = folder
            if is_below(folder, self.original):
                shown = os.path.relpath(folder, self.original)
            layer = os.path.join(layers or self.root, f"upper{number}")
            bases.append((layer, "" if shown == "." else os.path.join(shown, "")))
        for base, shown in bases:
            for path in _regular_files(base):
                yield shown + os.path.relpath(path, base), path

    def copy_out_of_memory(self) -> None:
        """Copy files that a run has written from memory, which only its processes see, to disk."""
        for number in range(len(self.covered) if self.layers != self.root else 0):
            layer = os.path.join(self.layers, f"upper{number}")
            for path in _regular_files(layer):
                place = os.path.join(self.root, os.path.relpath(path, self.layers))
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o600)
                shutil.copyfile(path, place)

    def note_refusal(self, why: str) -> None:
        """Record the message of a refused write for the command, however the program handles it."""
        place = os.path.join(self.root, _REFUSED)
        file = os.open(place, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        os.write(file, os.fsencode(why) + b"\0")
        os.close(file)

    def first_refusal(self) -> str:
        """Return the message of the first refused write; empty if there is none."""
        try:
            with open(os.path.join(self.root, _REFUSED), "rb") as file:
                return os.fsdecode(file.read().split(b"\0")[0])
        except OSError:
            return ""

    # ------------------------------------------------------------ paths

    def intended_path(self, path: str) -> str:
        """Return the path that the program means.

        `..` of the copy is the parent of the user's folder.
        """
        if self.covered or os.path.isabs(path):
            return path
        start = os.getcwd()
        if not is_below(start, self._links) or is_below(resolve(path), self._links):
            return path
        if not is_below(resolve(path), self.root):
            return path  # A link of the user leads there.
        return os.path.join(self.original, os.path.relpath(start, self._links), path)

    def path_inside(self, path: str) -> str:
        """Return the place of a path in the folder of the run."""
        whole = resolve(path)
        if is_below(whole, self.root):
            return whole
        if is_below(whole, self.original):
            return os.path.join(self.work, os.path.relpath(whole, self.original))
        return self._elsewhere + os.path.splitdrive(whole)[1]

    def _is_unredirected(self, path: str) -> bool:
        """Return whether a path is not redirected: below an overlay, or allowed by the user."""
        return self._may_change(os.path.realpath(path))

    def _may_change(self, whole: str) -> bool:
        """Return whether a place is below an overlay, or the user allows to change it.

        Allowing a folder that contains the working folder does not allow to change the latter.
        """
        if any(is_below(whole, folder) for folder in self.covered):
            return True
        is_inside = is_below(whole, self.original)
        allowed = (place for place in self.allowed if is_below(whole, place))
        return any(not is_inside or not is_below(self.original, place) for place in allowed)

    def _redirected_place(self, path: str) -> str:
        """Return the place of a file in the folder; below an overlay, links are followed first."""
        return self.path_inside(os.path.realpath(path) if self.covered else path)

    def to_read(self, path: str) -> str:
        """Redirect a path to read."""
        if self._is_unredirected(path):
            return path
        inside = self._redirected_place(path)
        if os.path.islink(inside):
            return path
        if os.path.isdir(inside) and os.path.isdir(path):
            # A copied folder has all entries; a folder elsewhere has only the new ones.
            return inside if is_below(inside, self._links) and resolve(path) != inside else path
        return inside if os.path.lexists(inside) or self._is_removed(path, inside) else path

    def to_inspect(self, path: str) -> str:
        """Redirect a path to inspect without following its last link: to the user's own entry."""
        place = self.to_read(path)
        inside = self.path_inside(place)
        return self._linked_entry(inside) or place

    def _linked_entry(self, inside: str) -> str:
        """Return the user's entry that a link in the copy replaces; empty for other paths."""
        if self.covered or not is_below(inside, self._links) or not os.path.islink(inside):
            return ""
        source = os.readlink(inside)
        is_own = os.path.basename(source) == os.path.basename(inside) and os.path.isabs(source)
        return source if is_own and is_below(source, self.original) else ""

    def _is_removed(self, path: str, inside: str) -> bool:
        """Return whether a run has removed the entry of a path from its copy."""
        return is_below(inside, self._links) and os.path.lexists(path)

    def to_replace(self, path: str) -> str:
        """Redirect a path to overwrite."""
        return self.to_write(path, keep=False)

    def to_write(self, path: str, keep: bool = True) -> str:
        """Redirect a path to write; with `keep`, the user's file is copied first."""
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            return path  # a device
        if self._is_unredirected(path):
            return path
        inside = self._redirected_place(path)
        self._copy_links(inside)
        if os.path.isdir(os.path.dirname(resolve(path))):
            os.makedirs(os.path.dirname(inside), exist_ok=True)
        if os.path.islink(inside) or (not os.path.lexists(inside) and os.path.isfile(path)):
            source = os.path.realpath(path)
            if keep and os.path.isfile(source):
                self._count_copied(source)
            if os.path.islink(inside):
                os.unlink(inside)
            if keep and os.path.isfile(source):
                shutil.copy2(source, inside)
        return inside

    def to_modify(self, path: str) -> str:
        """Redirect a path of a file or folder to modify in place."""
        if os.path.isdir(path) and not self._is_unredirected(path):
            inside = self._redirected_place(path)
            if not is_below(inside, self._links) and not os.path.lexists(inside):
                return path  # It is a folder of the user outside: the hook refuses the change.
        return self.to_write(path)

    def to_rename(self, path: str) -> str:
        """Redirect a path to rename; a link of the user stays a link."""
        inside = self.path_inside(path)
        source = self._linked_entry(inside)
        return inside if source and os.path.islink(source) else self.to_modify(path)

    def to_create(self, path: str) -> str:
        """Redirect a path to create, which may replace an entry."""
        whole = resolve(path)
        if self._may_change(whole):
            return path
        inside = self.path_inside(path)
        self._copy_links(os.path.dirname(inside))
        if os.path.isdir(os.path.dirname(whole)):
            os.makedirs(os.path.dirname(inside), exist_ok=True)
        return inside

    def _count_copied(self, source: str) -> None:
        self._copied += os.path.getsize(source)
        if self._copied > MOST_BYTES:
            why = (
                "expected at most 1 GiB of files that a program changes, since no overlay can be "
                f"mounted here and each is copied; got more at {source}"
            )
            self.note_refusal(why)
            raise OSError(errno.EFBIG, why, source)

    def is_elsewhere(self, place: str) -> bool:
        """Return whether a place of the run represents one outside the working folder."""
        return is_below(place, self._elsewhere)

    def to_remove(self, path: str) -> str:
        """Redirect a path to remove."""
        inside = self.to_remove_whole(path, is_whole=False)
        if inside == self._links:
            raise OSError(errno.EBUSY, "expected another folder than the working folder", path)
        return inside

    def to_remove_whole(self, path: str, is_whole: bool = True) -> str:
        """Redirect a folder to remove with all its entries."""
        if self._is_unredirected(os.path.dirname(resolve(path))):
            return path
        inside = self.path_inside(path)
        self._copy_links(os.path.dirname(inside))
        source = self._linked_entry(inside)
        if is_whole or (source and not os.path.islink(source)):
            self._copy_links(inside)  # Folders are removed entry by entry, or when empty.
        return inside

    def _copy_links(self, folder: str) -> None:
        """Replace each link on the way to a folder of the copy by a folder of links."""
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
    """Yield the regular files below a folder, without links."""
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(parent, name)
            if not os.path.islink(path) and os.path.isfile(path):
                yield path


def remove(folder: str) -> None:
    """Remove a folder, also entries that a program or an overlay has made inaccessible."""
    for parent, names, _ in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if not os.path.islink(path) and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder; none if it may not be read or does not exist any more."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_plain_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether to create a folder with links to its entries, not a link to the folder."""
    hidden = entry.name.startswith((".", "__pycache__", "node_modules", PREFIX))
    return not hidden and entry.is_dir(follow_symlinks=False) and os.access(entry.path, os.R_OK)


def resolve(path: str) -> str:
    """Return the absolute path of an entry, with links followed except the last one."""
    whole = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    head, tail = os.path.split(whole.rstrip(os.sep) or os.sep)
    if tail in ("", os.curdir, os.pardir):
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(head), tail)


def path_of_handle(handle: int) -> str:
    """Return the path of an open file or folder.

    Raise OSError if it is closed, or the system does not tell.
    """
    if sys.platform == "darwin":
        import fcntl

        name = fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(1024))
        return os.fsdecode(name.rstrip(b"\0"))
    return os.readlink(f"/proc/self/fd/{handle}")


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is a folder or below it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


# ---------------------------------------------------------------- functions of paths

#: Functions of `os` that read a file or folder, inspect an entry, modify, create, and remove it.
_READING = ("access", "listdir", "scandir")
_INSPECTING = ("lstat",)
_MODIFYING = ("chmod", "truncate", "utime")
_CREATING = ("mkdir", "mkfifo", "mknod")
_REMOVING = ("remove", "rmdir", "unlink")


class _Redirection:
    """Wraps Python's functions of paths so that paths are redirected into a folder."""

    def __init__(self, scratch: Scratch):
        self._scratch = scratch
        self._busy = threading.local()  # set while the redirection itself uses paths
        self._open: _Function = io.open
        self._open_by_number: _Function = os.open

    def redirect(self, place: Callable[[str], str], path: object, start: object = None) -> object:
        """Return the redirected path; return an argument that is not a path as it is.

        place: redirects a text. start: the folder that a relative path begins at.
        """
        if getattr(self._busy, "now", False) or not isinstance(path, str | bytes | os.PathLike):
            return path
        name = os.fspath(path)
        with self.suspend():
            text = os.fsdecode(name)
            whole = self._scratch.intended_path(
                text if start is None else os.path.join(str(start), text)
            )
            text = place(whole)
        return os.fsencode(text) if isinstance(name, bytes) else text

    def pop_start(self, keywords: dict[str, object], name: str = "dir_fd") -> str | None:
        """Remove the open folder of a relative path from the keywords, and return its path."""
        handle = keywords.get(name)
        if not isinstance(handle, int) or getattr(self._busy, "now", False):
            return None
        with self.suspend(), contextlib.suppress(OSError):
            start = path_of_handle(handle)
            if os.path.isdir(start):
                del keywords[name]
                return start
        return None

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        """Suspend the redirection in this thread."""
        before = getattr(self._busy, "now", False)
        self._busy.now = True
        try:
            yield
        finally:
            self._busy.now = before

    def call(
        self, function: _Function, paths: Sequence[object], redirected: Sequence[object],
        args: Sequence[object], keywords: dict[str, object],
    ) -> object:  # fmt: skip
        """Call a function with redirected paths; its errors name the original paths."""
        try:
            return function(*redirected, *args, **keywords)
        except OSError as error:
            for name in ("filename", "filename2"):
                for own, other in zip(paths, redirected, strict=True):
                    if own is not other and getattr(error, name) == other:
                        setattr(error, name, own)
            raise

    def wrap_path(self, function: _Function, place: Callable[[str], str]) -> _Function:
        """Wrap a function whose first argument is a path."""

        def call(path: object = None, *args: object, **keywords: object) -> object:
            start = self.pop_start(keywords)
            return self.call(function, [path], [self.redirect(place, path, start)], args, keywords)

        return call

    def wrap_stat(self, function: _Function) -> _Function:
        """Wrap `os.stat`, which follows a last link unless `follow_symlinks` is false."""
        follow = self.wrap_path(function, self._scratch.to_read)
        look = self.wrap_path(function, self._scratch.to_inspect)

        def call(path: object, *args: object, **keywords: object) -> object:
            own = follow if keywords.get("follow_symlinks", True) else look
            return own(path, *args, **keywords)

        return call

    def wrap_pair(self, function: _Function, to_source: Callable[[str], str]) -> _Function:
        """Wrap a function of two paths that creates the second."""

        def call(src: object, dst: object, *args: object, **keywords: object) -> object:
            starts = [self.pop_start(keywords, name) for name in ("src_dir_fd", "dst_dir_fd")]
            old = self.redirect(to_source, src, starts[0])
            new = self.redirect(self._scratch.to_create, dst, starts[1])
            return self.call(function, [src, dst], [old, new], args, keywords)

        return call

    def wrap_rename(self, function: _Function) -> _Function:
        """Wrap a function that renames; overlays cannot rename folders, so these are copied."""
        rename = self.wrap_pair(function, self._scratch.to_rename)

        def call(src: _Path, dst: _Path, *args: object, **keywords: object) -> object:
            try:
                return rename(src, dst, *args, **keywords)
            except OSError as error:
                own = not keywords and self._scratch.covered
                if error.errno != errno.EXDEV or not own or not os.path.isdir(src):
                    raise
            if os.path.isdir(dst):
                os.rmdir(dst)  # Like rename, this refuses folders with entries.
            shutil.copytree(os.fsdecode(src), os.fsdecode(dst), symlinks=True)
            shutil.rmtree(os.fsdecode(src))
            return None

        return call

    def wrap_symlink(self, function: _Function) -> _Function:
        """Wrap `os.symlink`: its first argument is a text, and it creates the second."""

        def call(src: object, dst: object, *args: object, **keywords: object) -> object:
            new = self.redirect(self._scratch.to_create, dst, self.pop_start(keywords))
            return self.call(function, [src, dst], [src, new], args, keywords)

        return call

    def wrap_removal(self, function: _Function, to_remove: Callable[[str], str]) -> _Function:
        """Wrap a function that removes; it removes only entries of the folder of the run."""

        def call(path: object, *args: object, **keywords: object) -> object:
            start = self.pop_start(keywords)
            place = self.redirect(to_remove, path, start)
            if start is None and isinstance(place, str | bytes) and self._stays(place, path):
                return None
            return self.call(function, [path], [place], args, keywords)

        return call

    def _stays(self, place: str | bytes, path: object) -> bool:
        """Return whether an entry to remove exists only outside, where it belongs to the user."""
        with self.suspend():
            is_elsewhere = self._scratch.is_elsewhere(os.fsdecode(place))
            if not is_elsewhere or os.path.lexists(place):
                return False
            return isinstance(path, str | bytes | os.PathLike) and os.path.lexists(path)

    def open(self, file: object, mode: object = "r", *args: object, **keywords: object) -> object:
        """Open a file as `open` does."""
        letters = str(mode)
        place = self._scratch.to_read
        if any(letter in letters for letter in "wax+"):
            place = self._scratch.to_write if "w" not in letters else self._scratch.to_replace
        has_opener = keywords.get("opener") is not None or len(args) > 5
        # An opener calls `os.open`, which redirects the path.
        redirected = file if has_opener else self.redirect(place, file)
        return self.call(self._open, [file], [redirected], (mode, *args), keywords)

    def open_by_number(self, path: object, flags: int, *args: object, **keywords: object) -> object:
        """Open a file as `os.open` does."""
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        place = self._scratch.to_write if writes else self._scratch.to_read
        redirected = self.redirect(place, path, self.pop_start(keywords))
        return self.call(self._open_by_number, [path], [redirected], (flags, *args), keywords)


def redirect_into(scratch: Scratch) -> Callable[[], AbstractContextManager[None]]:
    """Redirect the paths of this process's Python functions into the folder; this is irrevocable.

    Libraries in C open files without redirection: relative paths begin at the working folder.

    Return a function that returns a context in which paths are not redirected.
    """
    redirection, files = _Redirection(scratch), vars(shutil)
    vars(builtins)["open"] = vars(io)["open"] = redirection.open
    of_kind: dict[_Kind, Sequence[str]] = {
        lambda function: redirection.wrap_path(function, scratch.to_read): _READING,
        lambda function: redirection.wrap_path(function, scratch.to_inspect): _INSPECTING,
        lambda function: redirection.wrap_path(function, scratch.to_modify): _MODIFYING,
        lambda function: redirection.wrap_path(function, scratch.to_write): _CREATING,
        lambda function: redirection.wrap_removal(function, scratch.to_remove): _REMOVING,
        redirection.wrap_stat: ("stat",),
        redirection.wrap_rename: ("rename", "replace"),
        lambda function: redirection.wrap_pair(function, scratch.to_write): ("link",),
        redirection.wrap_symlink: ("symlink",),
        lambda function: redirection.open_by_number: ("open",),
    }
    for wrap, names in of_kind.items():
        for name in names:
            _replace(name, wrap)
    files["rmtree"] = redirection.wrap_removal(files["rmtree"], scratch.to_remove_whole)
    sys.dont_write_bytecode = True
    return redirection.suspend


_Kind: TypeAlias = Callable[[_Function], _Function]


def _replace(name: str, wrap: _Kind) -> None:
    """Replace a function of `os`, also in the module that `os` imports it from, and in its sets."""
    function: _Function | None = vars(os).get(name)
    if function is None:
        return
    wrapped = wrap(function)
    for module in (os, sys.modules[os.name]):
        vars(module)[name] = wrapped
    for own in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if function in own:
            own.add(wrapped)
