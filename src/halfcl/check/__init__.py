"""Are halfcl's results right on this machine? ``python -m halfcl check``.

Every function of one half is computed for all 65,536 of them, in all its rounding
modes, and compared with the right results, which were computed with MPFR and come
with halfcl as digests: 16 for a function in a mode, each of the results for 4,096
neighbouring bit patterns. ``tools/make_digests.py`` made them, without halfcl.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._support.names import publish

__all__ = ["DigestMismatch", "differences", "digests", "reference_digests", "run"]

_RANGE = 4096
_QUIET_NAN = 0x7E00


def digests(*results: NDArray[Any]) -> str:
    """Return the joined digests of a function's results.

    Parameters
    ----------
    *results : arrays of half, float16, uint16 (bits) or int32, of length 65,536
        The function's results for every half, in the order of their bits, as an array per
        result.

    Returns
    -------
    str
        16 times 8 hexadecimal digits. All NaNs count as the same.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl.check import digests
    >>> digests(np.zeros(65536, np.float16))[:16]
    '9f1dcbc39f1dcbc3'
    """
    columns = [_canonical(result) for result in results]
    starts = range(0, 1 << 16, _RANGE)
    return "".join(_digest(column[k : k + _RANGE] for column in columns) for k in starts)


def _canonical(result: NDArray[Any]) -> NDArray[Any]:
    """Little-endian integers, with one NaN for all."""
    if result.dtype.itemsize != 2:
        return result.astype("<i4")
    bits = result.view(np.uint16)
    return np.where(bits & 0x7FFF > 0x7C00, _QUIET_NAN, bits).astype("<u2")


def _digest(parts: Iterator[NDArray[Any]]) -> str:
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:8]


def reference_digests() -> dict[str, dict[str, str]]:
    """Return the digests of the right results.

    Returns
    -------
    dict
        The result of `digests`, by function name and rounding mode.

    Examples
    --------
    >>> from halfcl.check import reference_digests
    >>> sorted(reference_digests()["exp"])
    ['rte', 'rtn', 'rtp', 'rtz']
    """
    text = (files("halfcl.check") / "digests.json").read_text(encoding="ascii")
    data: dict[str, dict[str, str]] = json.loads(text)
    return data


@dataclass(frozen=True)
class DigestMismatch:
    """A range of bit patterns for which a function's results in a mode are wrong."""

    name: str
    mode: str
    first: int
    last: int

    def __str__(self) -> str:
        ends = np.array([self.first, self.last], np.uint16)
        first, last = ends.view(np.float16)
        return (
            f"{self.name} in {self.mode}: wrong results for arguments in "
            f"{self.first:#06x}..{self.last:#06x} ({first} to {last})"
        )


def differences(name: str, mode: str, right: str) -> list[DigestMismatch]:
    """Return the ranges of arguments with wrong results of a function in one mode.

    Parameters
    ----------
    name : str
        A function of one half.
    mode : {"rte", "rtz", "rtp", "rtn"}
        The rounding mode.
    right : str
        The digests of its results.

    Returns
    -------
    list of DigestMismatch
        The ranges of arguments with a wrong result; empty if all are right.

    Examples
    --------
    >>> from halfcl.check import differences, reference_digests
    >>> differences("sqrt", "rtp", reference_digests()["sqrt"]["rtp"])
    []
    """
    halves = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
    with np.errstate(all="ignore"):
        results = getattr(hc, name)(halves, rounding=mode)
    got = digests(*results) if isinstance(results, tuple) else digests(results)
    return [
        DigestMismatch(name, mode, k * _RANGE, (k + 1) * _RANGE - 1)
        for k in range(16)
        if got[8 * k : 8 * k + 8] != right[8 * k : 8 * k + 8]
    ]


def run(write: Callable[[str], object] = print) -> list[DigestMismatch]:
    """Check every function, and report progress.

    Parameters
    ----------
    write : callable, optional
        Called with each line of the report; by default it prints the line.

    Returns
    -------
    list of DigestMismatch
        All differences.

    Examples
    --------
    >>> from halfcl.check import run
    >>> run(lambda line: None)
    []
    """
    right = reference_digests()
    all_differences: list[DigestMismatch] = []
    write(f"halfcl {hc.__version__}, {hc.processor_info()['isa']} kernels")
    write(f"{len(right)} functions of all 65,536 halves, against MPFR's results:")
    for name, modes in right.items():
        wrong = [d for mode in modes for d in differences(name, mode, modes[mode])]
        write(f"  {name:<8} {' '.join(modes):<16} {'WRONG' if wrong else 'right'}")
        all_differences += wrong
    for difference in all_differences:
        write(str(difference))
    count = sum(len(modes) for modes in right.values()) << 16
    write("There are wrong results." if all_differences else f"All {count:,} results are right.")
    return all_differences


publish(globals())
