"""Numbers in what a program writes: its output, and its files.

What a file is, its first bytes say, whatever its name: arrays of NumPy, archives of them, text,
each of them compressed or not. Of anything else only a digest is kept, which says whether runs
differ.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.stability._programs._watching import Numbers, as_numbers

#: What is no part of a name or of another number, such as of a date or a version.
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)(?![\w]|\.\d)",
    re.IGNORECASE,
)

#: What larger files and outputs hold is not compared, which the report says.
MOST_BYTES = 1 << 28

TOO_LARGE = f"it is larger than {MOST_BYTES >> 20} MiB"
UNKNOWN = "its format is not read"
NO_NUMBERS = "it has no numbers"
DAMAGED = "it is damaged, or written in part"


@dataclass(frozen=True)
class Unread:
    """What a program has written, and nobody compares number by number.

    Attributes
    ----------
    why : str
    digest : str
        Equal in two runs if they wrote the same; empty where nobody knows.
    """

    why: str
    digest: str

    @property
    def is_unknown(self) -> bool:
        """Whether nobody knows if runs wrote the same."""
        return not self.digest


@dataclass
class Written:
    """What the files of a run hold.

    Attributes
    ----------
    numbers : dict
        Arrays, by the file's name, and their own in it.
    texts : dict
        Texts that have numbers, by the file's name.
    unread : dict
        The rest.
    """

    numbers: dict[str, Numbers] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unread: dict[str, Unread] = field(default_factory=dict)


def numbers_in(text: str) -> tuple[NDArray[np.float64], str]:
    """The numbers in a text, and the text without them.

    Parameters
    ----------
    text : str

    Returns
    -------
    float64 array, str
        Where a number was, the text has a zero byte. Lines stay, other space is one each.

    Examples
    --------
    >>> from halfcl.stability._programs._numbers import numbers_in
    >>> numbers_in("x1 is 2.5e-3 m, not nan")
    (array([0.0025,    nan]), 'x1 is \\x00 m, not \\x00')
    """
    text = text.replace("\0", "\ufffd")
    found = [float(match[0]) for match in _NUMBER.finditer(text)]
    return np.array(found), re.sub(r"[^\S\n]+", " ", _NUMBER.sub("\0", text))


def has_numbers(text: str) -> bool:
    """Return whether there is a number in a text."""
    return _NUMBER.search(text) is not None


def read_output(path: str) -> tuple[str, bool]:
    """Return what a process has printed, up to `MOST_BYTES`, and whether that is all."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_BYTES), not file.read(1)
    except OSError:
        return "", True


# ---------------------------------------------------------------- files


def read_files(files: Iterable[tuple[str, str]]) -> Written:
    """Read the files that a run has written.

    Parameters
    ----------
    files : iterable of (str, str)
        Names, and paths.

    Returns
    -------
    Written
    """
    written = Written()
    for name, path in files:
        try:
            _read_file(name, path, written)
        except OSError as error:
            written.unread[name] = Unread(f"it cannot be read: {error.strerror or error}", "")
    return written


def _read_file(name: str, path: str, written: Written) -> None:
    if os.path.getsize(path) > MOST_BYTES:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        written.unread[name] = Unread(TOO_LARGE, digest)
        return
    with open(path, "rb") as file:
        content = file.read()
    reason = UNKNOWN
    try:
        plain = _unpacked(content)
        if _is_hidden(name):
            reason = "it lies in a hidden folder"
        elif plain is None:
            reason = f"unpacked {TOO_LARGE}"
        else:
            reason = _read_content(name, plain, written)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError):
        reason = DAMAGED
    if reason:
        written.unread[name] = Unread(reason, hashlib.sha256(content).hexdigest())


def _is_hidden(name: str) -> bool:
    """Return whether a file is in a hidden folder: there libraries keep what they have cached."""
    return any(part.startswith(".") and part.strip(".") for part in name.split(os.sep)[:-1])


_OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}


def _unpacked(content: bytes) -> bytes | None:
    """Return what a compressed file holds, others as they are; None if it is too much."""
    for magic, opener in _OPENERS.items():
        if content.startswith(magic):
            with opener(io.BytesIO(content)) as file:
                plain: bytes = file.read(MOST_BYTES + 1)
            return plain if len(plain) <= MOST_BYTES else None
    return content


def _read_content(name: str, content: bytes, written: Written) -> str:
    """Read one file; return why it is not compared, or nothing if it is."""
    if content.startswith(np.lib.format.MAGIC_PREFIX):
        return _read_arrays(name, content, written)
    if content.startswith(b"PK") and zipfile.is_zipfile(io.BytesIO(content)):
        return _read_archive(name, content, written)
    text = _text_of(content)
    if text is None or name.lower().endswith(_PICTURES):
        return UNKNOWN
    text = _lines_of_json(text)
    if not has_numbers(text):
        return NO_NUMBERS
    written.texts[name] = text
    return ""


def _read_arrays(name: str, content: bytes, written: Written) -> str:
    """Read all arrays that were saved to one file, one after the other."""
    file, count = io.BytesIO(content), 0
    while file.tell() < len(content):
        count, start = count + 1, file.tell()
        try:
            x = np.load(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            reason = _why_no_array(error)
            if count == 1:
                return reason
            digest = hashlib.sha256(content[start:]).hexdigest()
            written.unread[f"{name}: {count}"] = Unread(reason, digest)
            return ""
        _keep_fields(name, [str(count)] if count > 1 else [], x, written)
    return ""


def _why_no_array(error: Exception) -> str:
    return "it holds Python objects, not numbers" if "allow_pickle" in str(error) else DAMAGED


def _read_archive(name: str, content: bytes, written: Written) -> str:
    """Read the arrays of an archive; those of objects are named as not read."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        if not members:
            return UNKNOWN
        for info in members:
            inner = info.filename.removesuffix(".npy")
            with archive.open(info) as file:
                try:
                    x = np.lib.format.read_array(file, allow_pickle=False)
                except (ValueError, EOFError) as error:
                    reason = _why_no_array(error)
                    written.unread[f"{name}: {inner}"] = Unread(reason, f"{info.CRC:x}")
                    continue
            _keep_fields(name, [inner], x, written)
    return ""


def _keep_fields(name: str, inner: list[str], x: NDArray[Any], written: Written) -> None:
    """Keep an array, or each field of a structured one."""
    shown = f"{name}: {', '.join(inner)}" if inner else name
    if x.dtype.names is not None:
        for own in x.dtype.names:
            _keep_fields(name, [*inner, own], x[own], written)
        return
    try:
        written.numbers[shown] = as_numbers(_as_float16(x), shown)
    except TypeError:
        digest = hashlib.sha256(x.tobytes()).hexdigest()
        written.unread[shown] = Unread(f"it is of {x.dtype}, not of numbers", digest)


def _as_float16(x: NDArray[Any]) -> NDArray[Any]:
    return x.view(np.float16) if x.dtype == np.dtype("V2") else x


#: Control characters that no text has.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b"))

#: Pictures that are written as text: their numbers are places on paper.
_PICTURES = (".svg", ".eps", ".ps", ".pdf")


def _text_of(content: bytes) -> str | None:
    """Return what a file of text says; None of any other."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")  # else a ValueError: it is damaged
    if len(content.translate(None, _CONTROLS)) < len(content):
        return None
    return content.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")


def _lines_of_json(text: str) -> str:
    """Return JSON with a line for each value, so that one drops out alone; other text as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=1)
    except (ValueError, RecursionError):
        return text


#: How the names of files that are read often end: `--watch x.npy` names no function's variable.
FILES = frozenset((".npy", ".npz", ".csv", ".tsv", ".txt", ".json", ".dat", ".log", ".gz"))
