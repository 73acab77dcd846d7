"""Comparisons of arrays in several runs: branches of each element, of which no line tells."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Where = TypeVar("Where", bound=Hashable)

#: Bytes of a run's truths that are kept; later ones are not.
MOST_BYTES = 1 << 22


@dataclass
class Noted:
    """What the comparisons at one place have given, in their order.

    sizes: of the arrays. bits: their truths, eight in a byte, each array from a new byte on.
    """

    sizes: array[int] = field(default_factory=lambda: array("q"))
    bits: bytearray = field(default_factory=bytearray)


class Truths(Generic[Where]):
    """What comparisons have given in one run, by where they were made.

    find: gives where a frame is.
    """

    def __init__(self, find: Callable[[FrameType], Where]):
        self.found: dict[Where, Noted] = {}
        self._find, self._left = find, MOST_BYTES

    def note(self, truths: bytearray) -> None:
        """What an Experiment calls, with a byte for each."""
        bits = np.packbits(np.frombuffer(truths, np.bool_)).tobytes()
        self._left -= len(bits) + array("q").itemsize
        if self._left >= 0:
            noted = self.found.setdefault(self._find(sys._getframe(1)), Noted())
            noted.sizes.append(len(truths))
            noted.bits += bits


@dataclass(frozen=True)
class Parted(Generic[Where]):
    """Comparisons at one place that some runs decide otherwise than the first one does.

    elements, of: how many of how many. runs: which do.
    """

    place: Where
    elements: int
    of: int
    runs: tuple[str, ...]


def parted(runs: Sequence[tuple[str, Mapping[Where, Noted]]]) -> list[Parted[Where]]:
    """Where runs differ from the first, in the order of its comparisons.

    Parameters
    ----------
    runs : sequence of (str, mapping)
        `Truths.found`, by the run's name. At each place the first comparisons of two runs are set
        side by side, the second ones, and so on, as long as they are of the same sizes.
    """
    (_, first), *others = runs
    found = []
    for place, own in first.items():
        differ = np.zeros(len(own.bits), np.uint8)
        names = []
        for name, other in others:
            unlike = _unlike(own, other.get(place, Noted()))
            if unlike.any():
                differ[: len(unlike)] |= unlike
                names.append(name)
        if names:
            found.append(Parted(place, _count(differ), sum(own.sizes), tuple(names)))
    return found


def _unlike(one: Noted, other: Noted) -> NDArray[np.uint8]:
    """Bits that differ, as long as there are arrays of the same sizes."""
    count = min(len(one.sizes), len(other.sizes))
    sizes = np.array(one.sizes[:count])
    others = np.flatnonzero(sizes != np.array(other.sizes[:count]))
    alike = int(((sizes[: others[0] if len(others) else count] + 7) // 8).sum())
    bits = (np.frombuffer(noted.bits, np.uint8, alike) for noted in (one, other))
    return np.bitwise_xor(*bits) if alike else np.zeros(0, np.uint8)


def _count(bits: NDArray[np.uint8]) -> int:
    return int.from_bytes(bits.tobytes(), "little").bit_count()
