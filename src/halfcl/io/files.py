"""Files that are read and written whole: what a path may be, and no file half-written."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def as_text(path: Path) -> str:
    """The path as text, as the packages that read and write take it."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path: expected str, bytes or os.PathLike, got {path!r}") from None
    if "\0" in text:
        raise ValueError(f"path: expected a name without zero bytes, got {path!r}")
    return text


def read_bytes(path: Path) -> bytes:
    """The content of a file."""
    with open(as_text(path), "rb") as file:
        return file.read()


def check_suffix(path: Path, suffix: str) -> None:
    """Refuse a path that does not end as files of the format do."""
    if not as_text(path).lower().endswith(suffix):
        raise ValueError(f"path: expected a name that ends in {suffix}, got {as_text(path)!r}")


@contextmanager
def replacing(path: Path) -> Iterator[str]:
    """A name beside ``path`` to write to; what was written becomes ``path`` if all went well.

    Nobody sees a file half-written: the name is the old file's until the new one is whole.
    """
    target = os.path.realpath(as_text(path))  # a link stays a link
    if os.path.isdir(target):
        raise IsADirectoryError(f"path: expected a file, got the directory {target!r}")
    folder, suffix = os.path.dirname(target), os.path.splitext(target)[1]
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    # The suffix stays, for packages that choose the format by it.
    temporary = os.path.join(folder, f".halfcl-{secrets.token_hex(8)}{suffix}")
    with open(temporary, "xb"):
        pass  # the system's own error says it if the folder cannot be written to
    try:
        yield temporary
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(temporary)
        raise
