"""Numbers in what a program writes: its output, and its files."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.stability._programs._watching import Numbers, as_numbers

#: What is no part of a name or of another number, such as of a date or a version.
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)(?![\w]|\.\d)",
    re.IGNORECASE,
)

_MOST_BYTES = 1 << 28


def numbers_in(text: str) -> tuple[NDArray[np.float64], str]:
    """The numbers in a text, and the text without them.

    Parameters
    ----------
    text : str

    Returns
    -------
    float64 array, str
        Where a number was, the text has a zero byte.

    Examples
    --------
    >>> from halfcl.stability._programs._numbers import numbers_in
    >>> numbers_in("x1 is 2.5e-3 m, not nan")
    (array([0.0025,    nan]), 'x1 is \\x00 m, not \\x00')
    """
    found = [float(match[0]) for match in _NUMBER.finditer(text)]
    return np.array(found), re.sub(r"\s+", " ", _NUMBER.sub("\0", text))


def numbers_of_files(files: Iterable[tuple[str, str]]) -> dict[str, Numbers]:
    """The numbers in files of the kinds that are known.

    Parameters
    ----------
    files : iterable of (str, str)
        Names, and paths.

    Returns
    -------
    dict
        By name; of the arrays of an archive by its name and theirs.
    """
    found: dict[str, Numbers] = {}
    for name, path in files:
        reader = _READERS.get(os.path.splitext(name)[1].lower())
        if reader is None or os.path.getsize(path) > _MOST_BYTES:
            continue
        try:
            read = reader(path)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            continue  # half-written, or of another format
        for inner, numbers in read.items():
            try:
                found[f"{name}: {inner}" if inner else name] = as_numbers(numbers, name)
            except TypeError:
                continue  # text, records
    return found


def _read_array(path: str) -> dict[str, NDArray[Any]]:
    return {"": _as_float16(np.load(path, allow_pickle=False))}


def _read_archive(path: str) -> dict[str, NDArray[Any]]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: _as_float16(archive[name]) for name in archive.files}


def _as_float16(x: NDArray[Any]) -> NDArray[Any]:
    return x.view(np.float16) if x.dtype == np.dtype("V2") else x


def _read_table(path: str) -> dict[str, NDArray[Any]]:
    with open(path, encoding="utf-8", errors="replace") as file:
        return {"": numbers_in(file.read())[0]}


_READERS = {".npy": _read_array, ".npz": _read_archive, ".csv": _read_table}

#: How the names of such files end.
FILES = frozenset(_READERS)
