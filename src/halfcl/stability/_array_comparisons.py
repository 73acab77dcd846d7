"""Comparisons of arrays in several runs, and where the runs decide them differently.

A comparison of arrays is a branch for each element, which no line of the program shows.
"""

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

#: Maximum number of bytes that are kept of a run's comparisons; later comparisons are dropped.
MOST_BYTES = 1 << 22


@dataclass
class ComparisonLog:
    """The results of the comparisons at one location, in their order.

    sizes: number of elements of each array. bits: the results, eight per byte; each array begins
    with a new byte.
    """

    sizes: array[int] = field(default_factory=lambda: array("q"))
    bits: bytearray = field(default_factory=bytearray)


class ComparisonRecorder(Generic[Where]):
    """Records the results of comparisons in one run, by location.

    find: returns the location of a frame. is_ignored: tells whether a frame's comparisons do not
    count, since it only shows results.
    """

    def __init__(
        self,
        find: Callable[[FrameType], Where],
        is_ignored: Callable[[FrameType], bool] = lambda frame: False,
    ):
        self.logs: dict[Where, ComparisonLog] = {}
        self._find, self._is_ignored = find, is_ignored
        self._remaining_bytes = MOST_BYTES

    def record(self, truths: bytearray) -> None:
        """Record the results of one comparison.

        An Experiment calls this with a byte per element.
        """
        frame = sys._getframe(1)
        if self._is_ignored(frame):
            return
        bits = np.packbits(np.frombuffer(truths, np.bool_)).tobytes()
        self._remaining_bytes -= len(bits) + array("q").itemsize
        if self._remaining_bytes >= 0:
            log = self.logs.setdefault(self._find(frame), ComparisonLog())
            log.sizes.append(len(truths))
            log.bits += bits


@dataclass(frozen=True)
class Divergence(Generic[Where]):
    """Comparisons at one location that some runs decide differently from the first run.

    elements, of: how many elements differ, out of how many. runs: names of the runs that differ.
    """

    location: Where
    elements: int
    of: int
    runs: tuple[str, ...]


def find_divergences(
    runs: Sequence[tuple[str, Mapping[Where, ComparisonLog]]],
) -> list[Divergence[Where]]:
    """Return where runs differ from the first run, in the order of its comparisons.

    runs: the name of each run and its `ComparisonRecorder.logs`. At each location the k-th
    comparisons of two runs are matched, as long as they have the same sizes.
    """
    (_, first), *others = runs
    divergences = []
    for location, own in first.items():
        differ = np.zeros(len(own.bits), np.uint8)
        names = []
        for name, other in others:
            differing = _differing_bits(own, other.get(location, ComparisonLog()))
            if differing.any():
                differ[: len(differing)] |= differing
                names.append(name)
        if names:
            count = int(np.bitwise_count(differ).sum())
            divergences.append(Divergence(location, count, sum(own.sizes), tuple(names)))
    return divergences


def _differing_bits(one: ComparisonLog, other: ComparisonLog) -> NDArray[np.uint8]:
    """Return the bits that differ, up to the first arrays whose sizes differ."""
    count = min(len(one.sizes), len(other.sizes))
    sizes = np.array(one.sizes[:count])
    others = np.flatnonzero(sizes != np.array(other.sizes[:count]))
    alike = int(((sizes[: others[0] if len(others) else count] + 7) // 8).sum())
    bits = (np.frombuffer(log.bits, np.uint8, alike) for log in (one, other))
    return np.bitwise_xor(*bits) if alike else np.zeros(0, np.uint8)
