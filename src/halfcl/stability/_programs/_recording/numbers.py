"""Reads the numbers in a program's text output and files.

The first bytes of a file determine its format, not its name: arrays of NumPy, archives of arrays,
or text, each compressed or not. For any other file only a digest is kept, which shows whether runs
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
import math
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.stability._programs._recording.watching import Numbers, as_numbers

#: A number that is no part of a name or of another number, such as a date or a version. One with
#: decimals may have letters behind it: a unit, or a variable, as in "5.08x".
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w]|\.\d)"
    r"|\d+\.\d+(?:[eE][-+]?\d+)?(?![\d_]|\.\d)|(?:inf(?:inity)?|nan)(?![\w]|\.\d))",
    re.IGNORECASE,
)

#: Limit on the size of files and outputs that are compared; the report lists larger ones.
MOST_BYTES = 1 << 28

TOO_LARGE = f"it is larger than {MOST_BYTES >> 20} MiB"
UNKNOWN = "its format is not read"
NO_NUMBERS = "it contains no numbers"
DAMAGED = "it is damaged or incomplete"


@dataclass(frozen=True)
class UnreadData:
    """Data of a program that is not compared number by number.

    reason: why it is not compared. digest: equal in two runs if they wrote the same data; empty if
    that is unknown.
    """

    reason: str
    digest: str

    @property
    def is_unknown(self) -> bool:
        """True if it is unknown whether runs wrote the same data."""
        return not self.digest


@dataclass
class FileContents:
    """Contents of the files that a run has written.

    numbers: arrays by the file's name, followed by their own names in it. texts: texts that contain
    numbers, by the file's name. unread: all other files, by name.
    """

    numbers: dict[str, Numbers] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    unread: dict[str, UnreadData] = field(default_factory=dict)


def parse_numbers(text: str) -> tuple[NDArray[np.float64], str]:
    """Return the numbers in a text, and the text without them.

    In the text, a zero byte replaces each number. Lines stay, and other space is reduced to one
    blank.

    >>> from halfcl.stability._programs._recording.numbers import parse_numbers
    >>> parse_numbers("x1 is 2.5e-3 m, not nan")
    (array([0.0025,    nan]), 'x1 is \\x00 m, not \\x00')
    """
    text = text.replace("\0", "\ufffd")
    numbers = [float(match[0]) for match in _NUMBER.finditer(text)]
    return np.array(numbers), re.sub(r"[^\S\n]+", " ", _NUMBER.sub("\0", text))


class Formats(NamedTuple):
    """How a text shows its numbers.

    decimals: the number of digits behind the point; -1 for integers. units: the unit of the last
    digit; 0 for integers, infinities and NaNs.
    """

    decimals: NDArray[np.int64]
    units: NDArray[np.float64]

    def select(self, numbers: NDArray[np.bool_]) -> Formats:
        """Return the formats of some of the numbers."""
        return Formats(self.decimals[numbers], self.units[numbers])


def parse_formats(text: str) -> Formats:
    """Return how a text shows the numbers that `parse_numbers` returns.

    >>> from halfcl.stability._programs._recording.numbers import parse_formats
    >>> parse_formats("3 of 0.25").units
    array([0.  , 0.01])
    """
    formats = [_format_of(match[0]) for match in _NUMBER.finditer(text)]
    decimals, units = zip(*formats, strict=True) if formats else ((), ())
    return Formats(np.array(decimals, np.int64), np.array(units, np.float64))


def _format_of(number: str) -> tuple[int, float]:
    """Return the digits behind the point of a number as text, and the unit of its last digit."""
    significand, _, exponent = number.lower().partition("e")
    _, point, behind = significand.partition(".")
    if not (point or exponent) or not math.isfinite(float(number)):
        return -1, 0.0
    return len(behind), 10.0 ** max(int(exponent or 0) - len(behind), -300)


def has_numbers(text: str) -> bool:
    """Return whether there is a number in a text."""
    return _NUMBER.search(text) is not None


def read_output(path: str) -> tuple[str, bool]:
    """Return the text that a process has printed, up to `MOST_BYTES`, and whether that is all."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_BYTES), not file.read(1)
    except OSError:
        return "", True


# ---------------------------------------------------------------- files


def read_files(files: Iterable[tuple[str, str]]) -> FileContents:
    """Read the files that a run has written, given the name in reports and the path of each."""
    written = FileContents()
    for name, path in files:
        try:
            _read_file(name, path, written)
        except OSError as error:
            written.unread[name] = UnreadData(f"it cannot be read: {error.strerror or error}", "")
    return written


def _read_file(name: str, path: str, written: FileContents) -> None:
    if os.path.getsize(path) > MOST_BYTES:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        written.unread[name] = UnreadData(TOO_LARGE, digest)
        return
    with open(path, "rb") as file:
        content = file.read()
    reason = UNKNOWN
    try:
        plain = _unpack(content)
        if _is_hidden(name):
            reason = "it is in a hidden folder"
        elif plain is None:
            reason = f"unpacked {TOO_LARGE}"
        else:
            reason = _read_content(name, plain, written)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError):
        reason = DAMAGED
    if reason:
        written.unread[name] = UnreadData(reason, hashlib.sha256(content).hexdigest())


def _is_hidden(name: str) -> bool:
    """Return whether a file is in a hidden folder, where libraries keep caches."""
    return any(part.startswith(".") and part.strip(".") for part in name.split(os.sep)[:-1])


_OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}


def _unpack(content: bytes) -> bytes | None:
    """Decompress a file, if it is compressed; return None if the result is too large."""
    for magic, opener in _OPENERS.items():
        if content.startswith(magic):
            with opener(io.BytesIO(content)) as file:
                plain: bytes = file.read(MOST_BYTES + 1)
            return plain if len(plain) <= MOST_BYTES else None
    return content


def _read_content(name: str, content: bytes, written: FileContents) -> str:
    """Read one file; return why it is not compared, or an empty text if it is."""
    if content.startswith(np.lib.format.MAGIC_PREFIX):
        return _read_arrays(name, content, written)
    if content.startswith(b"PK") and zipfile.is_zipfile(io.BytesIO(content)):
        return _read_archive(name, content, written)
    text = _decode_text(content)
    if text is None or name.lower().endswith(_VECTOR_GRAPHICS):
        return UNKNOWN
    text = _split_json(text)
    if not has_numbers(text):
        return NO_NUMBERS
    written.texts[name] = text
    return ""


def _read_arrays(name: str, content: bytes, written: FileContents) -> str:
    """Read all arrays that were saved to one file, one after another."""
    file, count = io.BytesIO(content), 0
    while file.tell() < len(content):
        count, start = count + 1, file.tell()
        try:
            x = np.load(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            reason = _reason_no_array(error)
            if count == 1:
                return reason
            digest = hashlib.sha256(content[start:]).hexdigest()
            written.unread[f"{name}: {count}"] = UnreadData(reason, digest)
            return ""
        _store_fields(name, [str(count)] if count > 1 else [], x, written)
    return ""


def _reason_no_array(error: Exception) -> str:
    return "it contains Python objects, not numbers" if "allow_pickle" in str(error) else DAMAGED


def _read_archive(name: str, content: bytes, written: FileContents) -> str:
    """Read the arrays of an archive; arrays of objects are recorded as unread."""
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
                    reason = _reason_no_array(error)
                    written.unread[f"{name}: {inner}"] = UnreadData(reason, f"{info.CRC:x}")
                    continue
            _store_fields(name, [inner], x, written)
    return ""


def _store_fields(name: str, inner: list[str], x: NDArray[Any], written: FileContents) -> None:
    """Store an array, or each field of a structured one."""
    shown = f"{name}: {', '.join(inner)}" if inner else name
    if x.dtype.names is not None:
        for own in x.dtype.names:
            _store_fields(name, [*inner, own], x[own], written)
        return
    try:
        written.numbers[shown] = as_numbers(_as_float16(x), shown)
    except TypeError:
        digest = hashlib.sha256(x.tobytes()).hexdigest()
        written.unread[shown] = UnreadData(f"its type is {x.dtype}, not numbers", digest)


def _as_float16(x: NDArray[Any]) -> NDArray[Any]:
    return x.view(np.float16) if x.dtype == np.dtype("V2") else x


#: Control characters that do not occur in text.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b"))

#: Vector graphics that are text: their numbers are positions on paper.
_VECTOR_GRAPHICS = (".svg", ".eps", ".ps", ".pdf")


def _decode_text(content: bytes) -> str | None:
    """Decode a text file; return None for a binary file."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")  # a ValueError means that it is damaged
    if len(content.translate(None, _CONTROLS)) < len(content):
        return None
    return content.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")


def _split_json(text: str) -> str:
    """Return JSON with each value on its own line, which can be dropped alone; else the text."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=1)
    except (ValueError, RecursionError):
        return text


#: Common endings of files: `--watch x.npy` does not name a function's variable.
FILE_ENDINGS = frozenset((".npy", ".npz", ".csv", ".tsv", ".txt", ".json", ".dat", ".log", ".gz"))
