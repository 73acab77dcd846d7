"""Files that are read and written whole: what a path may be, and no file half-written.

Whatever halfcl writes to a file it writes by `replacing`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TypeAlias

Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

#: Where systems keep the open files of a process, by number. /dev/stdout is a link into one.
_DESCRIPTORS = ("/proc/self/fd", "/dev/fd")

_MOST_LINKS = 40  # that a system follows from one to the next

_PREFIX = ".halfcl-"  # of files that are being written

_LONGEST_SUFFIX = 16

_PIECE = 1 << 20  # bytes that are read at once


def as_text(path: Path) -> str:
    """The path as text, as the packages that read and write take it."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path: expected str, bytes or os.PathLike, got {path!r}") from None
    if "\0" in text:
        raise ValueError(f"path: expected a name without zero bytes, got {path!r}")
    return text


def check_suffix(path: Path, suffix: str) -> None:
    """Refuse a path that does not end as files of the format do."""
    if not as_text(path).lower().endswith(suffix):
        raise ValueError(f"path: expected a name that ends in {suffix}, got {as_text(path)!r}")


# ---------------------------------------------------------------- reading


def read_bytes(path: Path, most: int | None, limit: str) -> bytes:
    """The content of a file of at most so many bytes; the limit's name is for the error."""
    with open(as_text(path), "rb") as file:
        return read_rest(file, most, limit)


def read_rest(file: BinaryIO, most: int | None, limit: str) -> bytes:
    """What is left of a file: the whole of it, but no device without an end."""
    pieces, size = [], 0
    while piece := file.read(_PIECE):  # by and by, since memory for the most is asked for at once
        pieces.append(piece)
        size += len(piece)
        if most is not None and size > most:
            raise _too_long(limit, f"{most:,} bytes", file.name)
    return b"".join(pieces)


def read_text(path: Path, most: int, limit: str, errors: str = "strict") -> str:
    """The content of a file in UTF-8 of at most so many characters."""
    with open(as_text(path), encoding="utf-8", errors=errors) as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise _too_long(limit, f"{most:,} characters", as_text(path))
    return text


def _too_long(limit: str, most: str, name: str) -> ValueError:
    return ValueError(f"{limit}: expected a file of at most {most}, got {name!r}")


# ---------------------------------------------------------------- writing


@contextmanager
def replacing(path: Path) -> Iterator[str]:
    """A name to write to; what was written becomes the file's content if all went well.

    Nobody sees a file half-written: the name is the old file's until the new one is whole. The
    new one has the old one's mode, and its owner where the user may give files away; a link
    stays a link, and its target is replaced. Of several hard links this name alone is. A file
    that may not be written to stays.

    What is no regular file, such as a pipe or a device, is not replaced: what was written is
    copied into it. So is what goes to one of this process's open files, as /dev/stdout is.
    """
    text = _name_of_file(path)
    with _named(text):
        stream = _stream(text)
        with _beside(text) if stream is None else _poured_into(stream, text) as temporary:
            yield temporary


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file, as `replacing` does."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    """The same, of text in UTF-8 whose lines end as systems write them."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(text)


def check_place(path: Path) -> None:
    """Raise what `replacing` would, as far as it can be told before there is what to write."""
    text = _name_of_file(path)
    if os.path.isfile(text) or not os.path.exists(text):
        target = os.path.realpath(text)
        temporary = _name_beside(target)
        with _named(text):
            _create(temporary, _old(target))
            os.remove(temporary)


def is_same(path: Path, other: Path) -> bool:
    """Return whether both name one file that exists, by links, too; "-" is a stream."""
    texts = as_text(path), as_text(other)
    return "-" not in texts and all(map(os.path.exists, texts)) and os.path.samefile(*texts)


def _name_of_file(path: Path) -> str:
    text = as_text(path)
    if os.path.isdir(text):
        raise IsADirectoryError(f"path: expected a file, got the directory {text!r}")
    return text


@contextmanager
def _named(text: str) -> Iterator[None]:
    """Errors name the file that was asked for."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # a package's own
            raise OSError(f"{text!r} cannot be written: {error}") from error
        if error.filename is None or _PREFIX in str(error.filename):
            raise OSError(error.errno, error.strerror, text) from error
        raise


# ---------------------------------------------------------------- regular files


@contextmanager
def _beside(text: str) -> Iterator[str]:
    """A file beside the one to replace, which takes its place."""
    target = os.path.realpath(text)
    old, temporary = _old(target), _name_beside(target)
    _create(temporary, old)
    try:
        yield temporary
        _settle(temporary)
        if old is not None:
            _keep_rights(old, target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.remove(temporary)
        raise


def _old(target: str) -> os.stat_result | None:
    """What is there already, if it may be written to."""
    try:
        os.close(os.open(target, os.O_WRONLY))
        return os.stat(target)
    except FileNotFoundError:
        return None


def _name_beside(target: str) -> str:
    # The suffix stays, for packages that choose the format by it.
    folder, suffix = os.path.dirname(target), os.path.splitext(target)[1]
    kept = suffix if len(suffix) <= _LONGEST_SUFFIX else ""
    return os.path.join(folder, f"{_PREFIX}{secrets.token_hex(8)}{kept}")


def _create(temporary: str, old: os.stat_result | None) -> None:
    """The file that is to replace an old one; nobody else reads it before it has its rights."""
    mode = 0o666 if old is None else 0o600
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


def _settle(temporary: str) -> None:
    """To the disk: after a power cut the name must not be that of an empty file."""
    descriptor = os.open(temporary, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_rights(old: os.stat_result, target: str, temporary: str) -> None:
    """Let the file have the old one's owner, mode and access list, or less; never more."""
    mode = stat.S_IMODE(old.st_mode) & 0o777  # as writing takes setuid and setgid away
    if not _keep_owner(old, temporary):
        common = mode >> 3 & mode & 0o7  # its group is another: what both it and others may
        mode = mode & 0o700 | common << 3 | common
    _drop_inherited_list(temporary)
    os.chmod(temporary, mode)
    _copy_attributes(target, temporary)


def _keep_owner(old: os.stat_result, temporary: str) -> bool:
    """Whether the group is the old one's; the owner is, if the user may give files away."""
    new = os.stat(temporary)
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return True
    for owner in (old.st_uid, -1):
        with suppress(OSError, AttributeError):  # Windows has no owners
            os.chown(temporary, owner, old.st_gid)
            return True
    return False


_ACCESS_LIST = "system.posix_acl_access"


def _drop_inherited_list(temporary: str) -> None:
    with suppress(OSError, AttributeError):
        os.removexattr(temporary, _ACCESS_LIST)


def _copy_attributes(target: str, temporary: str) -> None:
    """The access list, and what users noted beside the file; the system's labels are its own."""
    with suppress(OSError, AttributeError):  # not every system or file system has them
        for name in os.listxattr(target):
            if name == _ACCESS_LIST or name.startswith("user."):
                os.setxattr(temporary, name, os.getxattr(target, name))


# ---------------------------------------------------------------- what is no regular file


def _stream(text: str) -> BinaryIO | None:
    """What is there, open to be written into, unless it is a regular file, or nothing."""
    descriptor = _descriptor(text)
    if descriptor is not None:
        return os.fdopen(os.dup(descriptor), "wb")
    return open(text, "wb") if os.path.exists(text) and not os.path.isfile(text) else None


def _descriptor(path: str) -> int | None:
    """Which of this process's open files a path stands for, such as /dev/stdout.

    Of a file that standard output goes to, the name is in other hands: what has been printed
    there stays, and what is printed later comes behind.
    """
    open_files = {os.path.realpath(folder) for folder in _DESCRIPTORS}
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        if name.isdecimal() and os.path.realpath(folder or ".") in open_files:
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


@contextmanager
def _poured_into(stream: BinaryIO, text: str) -> Iterator[str]:
    """A file elsewhere, whose content goes into a stream when it is whole."""
    with stream, tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        temporary = _name_beside(os.path.join(folder, os.path.basename(text)))
        yield temporary
        _flush_output()
        with open(temporary, "rb") as content:
            shutil.copyfileobj(content, stream)


def _flush_output() -> None:
    """So that what is written comes behind what was printed."""
    for printed in (sys.stdout, sys.stderr):
        if printed is not None and not printed.closed:
            printed.flush()
