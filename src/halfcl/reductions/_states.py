"""Partial reductions: for each result the states of the engine's folds, and the element count.

A state is exact and has the same size for any number of elements, so that partial reductions can
be computed anywhere and merged in any order: the result has the same bits.
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

#: An index of some of the results.
Index: TypeAlias = EllipsisType | tuple[slice | EllipsisType, ...]

#: The engine's layout of a state, in native byte order.
STATE = np.dtype(
    {
        "names": ["limb", "high", "low", "exponent", "odd", "seen"],
        "formats": [(np.int64, (5,)), "f8", "f8", "i8", "i4", "u4"],
        "offsets": [0, 0, 8, 16, 24, 40],
        "itemsize": _core.STATE_SIZE,
    }
)

#: The folds of `_core.add_to_states` from which a statistic is computed.
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

#: The dtypes that the engine reads without conversion.
NATIVE = (HALF, FLOAT16)

#: The most elements that a state has room for.
MOST_ELEMENTS = 2**56

#: The number of elements of other dtypes to convert at a time; and the number of states to work on
#: at a time, so that they stay in the cache.
ELEMENTS_AT_ONCE, STATES_AT_ONCE = 1 << 18, 1 << 14


def pieces(shape: tuple[int, ...], limit: int) -> Iterator[tuple[slice, ...]]:
    """Yield slices that divide an array into pieces of at most `limit` elements, or of one."""
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
        """Return the states of reductions without elements."""
        states = {fold: np.zeros(shape, STATE) for fold in FOLDS[statistic]}
        return cls(statistic, states, np.zeros(shape, np.int64))

    def clear(self) -> None:
        """Reset the states to those without elements."""
        for array in (*self.states.values(), self.counts):
            array.reshape(-1).view(np.uint8).fill(0)  # twenty times as fast as a structured 0

    def add(self, arrays: tuple[Array, ...], where: Truths | None) -> None:
        """Add elements of arrays of `arguments.numbers`, whose shape begins with the results'."""
        kept, shape = self.counts.ndim, arrays[0].shape
        if all(a.dtype in NATIVE for a in arrays):
            self._add_halves(..., arrays, where)
        else:
            for piece in pieces(shape, ELEMENTS_AT_ONCE):
                of_results: Any = (*piece[:kept], ...)
                of_elements: Any = (*piece, ...)
                halves = tuple(as_halves(a[of_elements]) for a in arrays)
                self._add_halves(of_results, halves, None if where is None else where[of_elements])
        along = tuple(range(kept, len(shape)))
        added = math.prod(shape[kept:]) if where is None else np.count_nonzero(where, axis=along)
        self.counts += added

    def _add_halves(self, index: Index, halves: tuple[Array, ...], where: Truths | None) -> None:
        """Add halves to the states at an index."""
        for fold, states in self.states.items():
            inputs = halves * 2 if fold == "products" and len(halves) == 1 else halves
            some = states if index is ... else states[index].copy()
            _core.add_to_states(fold, some, inputs, where)
            if some is not states:
                states[index] = some

    def merge(self, other: Partial) -> None:
        """Add the elements of another one of the same statistic and shape."""
        if ((self.counts + other.counts) > MOST_ELEMENTS).any():
            raise OverflowError("merge: expected at most 2^56 elements for each result")
        for fold, states in self.states.items():
            _core.merge_states(fold, states, other.states[fold])
        self.counts += other.counts

    def round_into(self, out: Array, ddof: int, rounding: RoundingMode | None) -> int:
        """Write the rounded results to a contiguous array; return the flags of exceptions."""
        sums = self.states.get("sum", self.states.get("product"))
        counts = self.counts.reshape(-1)
        if (counts == counts[:1]).all():  # the engine rounds results of equal counts together
            counts = counts[:1]
        flags: int = _core.round_states(
            self.statistic, sums, self.states.get("products"), counts, ddof, out, rounding
        )
        return flags
