"""Files that are read and written as a whole; no reader sees a file half-written.

halfcl writes every file with `replacing`.
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

#: Where systems list the open files of a process, by number. /dev/stdout is a link into one.
_DESCRIPTORS = ("/proc/self/fd", "/dev/fd")

_MOST_LINKS = 40  # that systems follow in a chain

_PREFIX = ".halfcl-"  # of temporary files

_LONGEST_SUFFIX = 16

_PIECE = 1 << 20  # bytes per read


def as_text(path: Path) -> str:
    """Return the path as str, as packages that read and write accept it."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path: expected str, bytes or os.PathLike, got {path!r}") from None
    if "\0" in text:
        raise ValueError(f"path: expected a name without zero bytes, got {path!r}")
    return text


def check_suffix(path: Path, suffix: str) -> None:
    """Raise ValueError if a path lacks the suffix of the format."""
    if not as_text(path).lower().endswith(suffix):
        raise ValueError(f"path: expected a name that ends in {suffix}, got {as_text(path)!r}")


# ---------------------------------------------------------------- reading


def read_bytes(path: Path, most: int | None, limit: str) -> bytes:
    """Return the content of a file of at most so many bytes; the error names the limit."""
    with open(as_text(path), "rb") as file:
        return read_rest(file, most, limit)


def read_rest(file: BinaryIO, most: int | None, limit: str) -> bytes:
    """Return the rest of a file, up to a limit, since devices may be endless."""
    pieces, size = [], 0
    while piece := file.read(_PIECE):  # in pieces: one read would allocate the limit at once
        pieces.append(piece)
        size += len(piece)
        if most is not None and size > most:
            raise _too_long(limit, f"{most:,} bytes", file.name)
    return b"".join(pieces)


def read_text(path: Path, most: int, limit: str, errors: str = "strict") -> str:
    """Return the content of a file in UTF-8 of at most so many characters."""
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
    """Yield a temporary name to write to; replace the file's content when all went well.

    No reader sees a file half-written: the name refers to the old file until the new one is
    complete. The new file has the old one's mode, and its owner if the user may give files away.
    A link stays a link, and its target is replaced. Other hard links keep the old file. A file
    without write permission is not replaced.

    Pipes, devices and others that are no regular files are not replaced: the content is copied
    into them. The same holds for this process's open files, such as /dev/stdout.
    """
    text = _name_of_file(path)
    with _name_in_errors(text):
        stream = _stream(text)
        with (
            _temporary_beside(text)
            if stream is None
            else _temporary_for_stream(stream, text) as temporary
        ):
            yield temporary


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file, as `replacing` does."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file in UTF-8 with the system's line ends, as `replacing` does."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(text)


def check_place(path: Path) -> None:
    """Raise the errors of `replacing` that can be found before there is content."""
    text = _name_of_file(path)
    if os.path.isfile(text) or not os.path.exists(text):
        target = os.path.realpath(text)
        temporary = _name_beside(target)
        with _name_in_errors(text):
            _create(temporary, _old(target))
            os.remove(temporary)


def is_same(path: Path, other: Path) -> bool:
    """Return whether both name one file that exists, also by links; "-" is a stream."""
    texts = as_text(path), as_text(other)
    return "-" not in texts and all(map(os.path.exists, texts)) and os.path.samefile(*texts)


def _name_of_file(path: Path) -> str:
    text = as_text(path)
    if os.path.isdir(text):
        raise IsADirectoryError(f"path: expected a file, got the directory {text!r}")
    return text


@contextmanager
def _name_in_errors(text: str) -> Iterator[None]:
    """Let errors name the file that the caller named."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # raised by a package
            raise OSError(f"{text!r} cannot be written: {error}") from error
        if error.filename is None or _PREFIX in str(error.filename):
            raise OSError(error.errno, error.strerror, text) from error
        raise


# ---------------------------------------------------------------- regular files


@contextmanager
def _temporary_beside(text: str) -> Iterator[str]:
    """Yield a new file beside the one to replace, and put it in its place."""
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
    """Return the status of the existing file, if it may be written to."""
    try:
        os.close(os.open(target, os.O_WRONLY))
        return os.stat(target)
    except FileNotFoundError:
        return None


def _name_beside(target: str) -> str:
    # The suffix stays, since packages choose the format by it.
    folder, suffix = os.path.dirname(target), os.path.splitext(target)[1]
    short_suffix = suffix if len(suffix) <= _LONGEST_SUFFIX else ""
    return os.path.join(folder, f"{_PREFIX}{secrets.token_hex(8)}{short_suffix}")


def _create(temporary: str, old: os.stat_result | None) -> None:
    """Create the replacement; nobody else can read it before it has its permissions."""
    mode = 0o666 if old is None else 0o600
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


def _settle(temporary: str) -> None:
    """Flush a file to the disk, so that after a power cut the name is not an empty file's."""
    descriptor = os.open(temporary, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_rights(old: os.stat_result, target: str, temporary: str) -> None:
    """Give the file the old one's owner, mode and access list, or less; never more."""
    mode = stat.S_IMODE(old.st_mode) & 0o777  # writing clears setuid and setgid
    if not _keep_owner(old, temporary):
        common = mode >> 3 & mode & 0o7  # another group: permissions of both group and others
        mode = mode & 0o700 | common << 3 | common
    _drop_inherited_list(temporary)
    os.chmod(temporary, mode)
    _copy_attributes(target, temporary)


def _keep_owner(old: os.stat_result, temporary: str) -> bool:
    """Set the old file's group, and owner if permitted; return whether the group is set."""
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
    """Copy the access list and users' attributes; the system sets its own labels."""
    with suppress(OSError, AttributeError):  # some systems and file systems lack them
        for name in os.listxattr(target):
            if name == _ACCESS_LIST or name.startswith("user."):
                os.setxattr(temporary, name, os.getxattr(target, name))


# ---------------------------------------------------------------- pipes and devices


def _stream(text: str) -> BinaryIO | None:
    """Return a stream into an existing file that is not regular, or None."""
    descriptor = _descriptor(text)
    if descriptor is not None:
        return os.fdopen(os.dup(descriptor), "wb")
    return open(text, "wb") if os.path.exists(text) and not os.path.isfile(text) else None


def _descriptor(path: str) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout refers to, or None.

    If standard output goes to a file, another process owns the name: output printed before stays,
    and output printed later follows.
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
def _temporary_for_stream(stream: BinaryIO, text: str) -> Iterator[str]:
    """Yield a temporary file elsewhere, and copy its content to a stream when it is complete."""
    with stream, tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        temporary = _name_beside(os.path.join(folder, os.path.basename(text)))
        yield temporary
        _flush_output()
        with open(temporary, "rb") as content:
            shutil.copyfileobj(content, stream)


def _flush_output() -> None:
    """Flush standard output, so that the file's content follows what was printed."""
    for printed in (sys.stdout, sys.stderr):
        if printed is not None and not printed.closed:
            printed.flush()
