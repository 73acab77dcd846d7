"""Partial reductions: for each result the states of the engine's folds, and how many elements.

A state is exact and of one size whatever it has taken, so that parts can be computed anywhere
and merged in any order: the result has the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, TypeAlias

import numpy as np

from halfcl import _core
from halfcl.reductions._arguments import FLOAT16, HALF, Array, Truths, as_halves
from halfcl.typing import RoundingMode

#: Some of the results.
Place: TypeAlias = EllipsisType | tuple[slice | EllipsisType, ...]

#: States as the engine lays them out, in native byte order.
STATE = np.dtype(
    {
        "names": ["limb", "high", "low", "exponent", "odd", "seen"],
        "formats": [(np.int64, (5,)), "f8", "f8", "i8", "i4", "u4"],
        "offsets": [0, 0, 8, 16, 24, 40],
        "itemsize": _core.STATE_SIZE,
    }
)

#: What a statistic is made of, by the folds of `_core.add_to_states`.
FOLDS = {
    "sum": ("sum",),
    "mean": ("sum",),
    "var": ("sum", "products"),
    "std": ("sum", "products"),
    "sumsq": ("products",),
    "norm": ("products",),
    "dot": ("products",),
    "prod": ("product",),
}

#: What the engine takes as it is.
NATIVE = (HALF, FLOAT16)

#: So many elements have room in a state.
MOST_ELEMENTS = 2**56

#: Elements that are converted at a time where they are not halves as the engine reads them; and
#: states that are worked on at a time, which so stay in the cache.
CONVERTED, TOGETHER = 1 << 18, 1 << 14


def pieces(shape: tuple[int, ...], limit: int) -> Iterator[tuple[slice, ...]]:
    """Slices that cut an array into parts of at most so many elements, or of one."""
    if math.prod(shape) <= limit:
        yield (slice(None),) * len(shape)
        return
    rest = shape[1:]
    inner = math.prod(rest)
    step = max(1, limit // inner)
    for start in range(0, shape[0], step):
        for slices in pieces(rest, limit) if inner > limit else [(slice(None),) * len(rest)]:
            yield (slice(start, start + step), *slices)


@dataclass
class Partial:
    """The states and counts of a statistic, in the results' shape."""

    statistic: str
    states: dict[str, Array]
    counts: Array

    @classmethod
    def empty(cls, statistic: str, shape: tuple[int, ...]) -> Partial:
        """That of no elements."""
        states = {fold: np.zeros(shape, STATE) for fold in FOLDS[statistic]}
        return cls(statistic, states, np.zeros(shape, np.int64))

    def clear(self) -> None:
        """Forget what was taken."""
        for array in (*self.states.values(), self.counts):
            array.reshape(-1).view(np.uint8).fill(0)  # twenty times as fast as a structured 0

    def add(self, arrays: tuple[Array, ...], where: Truths | None) -> None:
        """Take elements: arrays of `arguments.numbers`, whose shape begins with the results'."""
        kept, shape = self.counts.ndim, arrays[0].shape
        if all(a.dtype in NATIVE for a in arrays):
            self._take(..., arrays, where)
        else:
            for piece in pieces(shape, CONVERTED):
                place: Any = (*piece[:kept], ...)
                here: Any = (*piece, ...)
                halves = tuple(as_halves(a[here]) for a in arrays)
                self._take(place, halves, None if where is None else where[here])
        along = tuple(range(kept, len(shape)))
        added = math.prod(shape[kept:]) if where is None else np.count_nonzero(where, axis=along)
        self.counts += added

    def _take(self, place: Place, halves: tuple[Array, ...], where: Truths | None) -> None:
        """Take halves into the states at a place."""
        for fold, states in self.states.items():
            inputs = halves * 2 if fold == "products" and len(halves) == 1 else halves
            some = states if place is ... else states[place].copy()
            _core.add_to_states(fold, some, inputs, where)
            if some is not states:
                states[place] = some

    def merge(self, other: Partial) -> None:
        """Take what another one of this statistic and shape has taken."""
        if ((self.counts + other.counts) > MOST_ELEMENTS).any():
            raise OverflowError("merge: expected at most 2^56 elements for each result")
        for fold, states in self.states.items():
            _core.merge_states(fold, states, other.states[fold])
        self.counts += other.counts

    def round_into(self, out: Array, ddof: int, rounding: RoundingMode | None) -> int:
        """Round the results into an array of their shape in one piece; the exceptions raised."""
        sums = self.states.get("sum", self.states.get("product"))
        counts = self.counts.reshape(-1)
        if (counts == counts[:1]).all():  # results of one count are rounded many at once
            counts = counts[:1]
        flags: int = _core.round_states(
            self.statistic, sums, self.states.get("products"), counts, ddof, out, rounding
        )
        return flags
