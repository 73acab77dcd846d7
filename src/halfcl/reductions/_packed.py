"""States of exact reductions in the least room: to be held by the million, sent and merged.

A state of the engine has room for 2^56 elements, in 48 bytes. A sum of n halves is an integer below
n 2^40 in units of 2^-24, and one of products is below n 2^80 in units of 2^-48. So many words of
64 bits are kept as that needs: a sum of up to 2^22 elements is 9 bytes per result. Words are added
with carry, which is exact, and there are more of them as the number of elements grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl.reductions._arguments import Array, Truths
from halfcl.reductions._functions import kept_first, shape_without, warn_of_few
from halfcl.reductions._states import FOLDS, MOST_ELEMENTS, STATE, TOGETHER, Partial, pieces
from halfcl.typing import RoundingMode

#: Bits of one term and its sign, in units of the fold's least term.
TERM_BITS = {"sum": 41, "products": 81}

#: Unsigned words of 64 bits; the last word of a sum is in two's complement.
Words: TypeAlias = NDArray[np.uint64]

#: Where some of the states are.
Place: TypeAlias = EllipsisType | slice | tuple[EllipsisType | slice, ...]


def count_words(fold: str, most: int) -> int:
    """Return how many words hold a sum of so many terms."""
    return -(-(TERM_BITS[fold] + most.bit_length()) // 64)


def _sign_words(word: Words) -> Words:
    """Return the words above the last one: all ones where it is negative."""
    return (word.view(np.int64) >> 63).view(np.uint64)


@dataclass
class Narrow:
    """Sums as integers of several words, the lowest first, and what was seen beside them."""

    fold: str
    words: list[Words]
    seen: NDArray[np.uint8]

    @classmethod
    def empty(cls, fold: str, shape: tuple[int, ...], most: int) -> Narrow:
        words = [np.zeros(shape, np.uint64) for _ in range(count_words(fold, most))]
        return cls(fold, words, np.zeros(shape, np.uint8))

    @property
    def nbytes(self) -> int:
        return self.seen.nbytes + sum(w.nbytes for w in self.words)

    def shape_at(self, place: Place) -> tuple[int, ...]:
        return self.seen[place].shape

    def _at(self, place: Place) -> tuple[list[Words], NDArray[np.uint8]]:
        return [word[place] for word in self.words], self.seen[place]

    def put(self, place: Place, states: Array) -> None:
        """Write the engine's states to a place."""
        _core.pack_sums(states, *self._at(place))

    def load(self, place: Place, states: Array) -> None:
        """Read the engine's states from a place."""
        _core.unpack_sums(*self._at(place), states)

    def copy(self, most: int) -> Narrow:
        """Return a copy with room for so many terms."""
        sign = _sign_words(self.words[-1])
        missing = count_words(self.fold, most) - len(self.words)
        # array(), since the sign of a single result is no array, and would not be written to.
        words = [np.array(w) for w in (*self.words, *[sign] * missing)]
        return Narrow(self.fold, words, self.seen.copy())

    def merge(self, other: Narrow) -> None:
        """Add sums of no more words."""
        _core.add_packed_sums(self.words, self.seen, other.words, other.seen)


def _copy_states(to: Array, source: Array) -> None:
    for name in ("limb", "seen"):  # the other fields are in the first one's place
        to[name] = source[name]


@dataclass
class Raw:
    """The engine's states as they are, for products of all elements, which no word holds."""

    fold: str
    data: NDArray[np.uint8]

    @classmethod
    def empty(cls, fold: str, shape: tuple[int, ...], most: int) -> Raw:
        return cls(fold, np.zeros((*shape, STATE.itemsize), np.uint8))

    @property
    def nbytes(self) -> int:
        return self.data.nbytes

    @property
    def _all(self) -> Array:
        return self.data.view(STATE)[..., 0]

    def shape_at(self, place: Place) -> tuple[int, ...]:
        return self._all[place].shape

    def put(self, place: Place, states: Array) -> None:
        _copy_states(self._all[place], states)

    def load(self, place: Place, states: Array) -> None:
        _copy_states(states, self._all[place])

    def copy(self, most: int) -> Raw:
        return Raw(self.fold, self.data.copy())

    def merge(self, other: Raw) -> None:
        _core.merge_states(self.fold, self._all, other._all)


@dataclass
class Packed:
    """What a reduction has taken, in the least room. Its methods change nothing."""

    statistic: str
    shape: tuple[int, ...]
    #: No result has more elements.
    most: int
    folds: list[Any]
    #: One for each result, or one for all.
    counts: NDArray[np.int64]

    @classmethod
    def empty(cls, statistic: str, shape: tuple[int, ...], counts: Any) -> Packed:
        """Return one with room for so many elements per result, whose states are to be put."""
        counts = np.array(counts, np.int64)  # a copy, since accumulators add to theirs
        most = int(counts.max(initial=0))
        folds = [
            (Narrow if fold in TERM_BITS else Raw).empty(fold, shape, most)
            for fold in FOLDS[statistic]
        ]
        if counts.ndim and (counts == most).all():
            counts = np.asarray(most)
        return cls(statistic, shape, most, folds, counts)

    @classmethod
    def of_partial(cls, partial: Partial) -> Packed:
        """Return the same in less room."""
        packed = cls.empty(partial.statistic, partial.counts.shape, partial.counts)
        for place in packed.places():
            packed._put(place, {fold: states[place] for fold, states in partial.states.items()})
        return packed

    @classmethod
    def of_arrays(
        cls, statistic: str, arrays: Sequence[Array], reduced: tuple[int, ...],
        where: Truths | None,
    ) -> Packed:  # fmt: skip
        """Reduce arrays of `arguments.numbers` of one shape, a few thousand results at a time."""
        shape = shape_without(arrays[0].shape, reduced)
        kept = [kept_first(x, reduced) for x in arrays]
        used = None if where is None else kept_first(where, reduced)
        along = tuple(range(len(shape), arrays[0].ndim))
        if used is None:
            counts: Any = int(np.prod([kept[0].shape[i] for i in along], dtype=np.int64))
        else:
            counts = np.count_nonzero(used, axis=along)
        packed = cls.empty(statistic, shape, counts)
        for place, partial in packed._scratch():
            partial.clear()
            some = tuple(x[place] for x in kept)
            partial.add(some, None if used is None else used[place])
            packed._put(place, partial.states)
        return packed

    @property
    def nbytes(self) -> int:
        return self.counts.nbytes + sum(fold.nbytes for fold in self.folds)

    def __sizeof__(self) -> int:
        """Return what it weighs, by which Dask decides what to spill."""
        return object.__sizeof__(self) + self.nbytes

    def places(self) -> Iterator[Place]:
        """Give indices that cut the results into pieces whose states fit in the cache."""
        for place in pieces(self.shape, TOGETHER):
            yield (*place, ...)

    def _scratch(self) -> Iterator[tuple[Place, Partial]]:
        """Give each place and states for it, in memory that the next place takes over.

        Memory of its own for each would cost more than the reduction does in Dask's workers, which
        return what is freed to the system at once (MALLOC_TRIM_THRESHOLD_).
        """
        partial: Partial | None = None
        for place in self.places():
            shape = self.folds[0].shape_at(place)
            if partial is None or partial.counts.shape != shape:
                partial = Partial.empty(self.statistic, shape)
            yield place, partial

    def _put(self, place: Place, states: dict[str, Array]) -> None:
        for fold in self.folds:
            fold.put(place, states[fold.fold])

    def _load(self, place: Place, partial: Partial) -> None:
        for fold in self.folds:
            fold.load(place, partial.states[fold.fold])
        partial.counts[...] = np.broadcast_to(self.counts, self.shape)[place]

    def partial(self, place: Place = ...) -> Partial:
        """Return the results at a place as the engine has them."""
        partial = Partial.empty(self.statistic, self.folds[0].shape_at(place))
        self._load(place, partial)
        return partial

    def rounded(
        self,
        ddof: int,
        dtype: np.dtype[Any],
        rounding: RoundingMode | None,
        initial: Array | None = None,
    ) -> Array:
        """Round the results, each once; `initial` is taken into each before."""
        warn_of_few(self.statistic, np.broadcast_to(self.counts, self.shape), ddof, 3)
        results = np.empty(self.shape, dtype)
        flags = 0
        for place, partial in self._scratch():
            self._load(place, partial)
            if initial is not None:
                partial.add((np.broadcast_to(initial, (*partial.counts.shape, 1)),), None)
            flags |= partial.round_into(results[place], ddof, rounding)
        _core.report_flags(flags, self.statistic)
        return results


def merge(parts: Sequence[Packed]) -> Packed:
    """Return what several have taken together. They stay as they are: others may read them."""
    first, *others = parts
    if not others:
        return first
    counts = sum((p.counts for p in others), start=first.counts)
    # Each sum has room for the most that any order of merging can bring to it.
    most = sum(p.most for p in parts)
    if most > MOST_ELEMENTS:
        raise OverflowError("merge: expected at most 2^56 elements for each result")
    total = replace(
        first, most=most, counts=np.asarray(counts), folds=[x.copy(most) for x in first.folds]
    )
    for other in others:
        for mine, theirs in zip(total.folds, other.folds, strict=True):
            mine.merge(theirs)
    return total
