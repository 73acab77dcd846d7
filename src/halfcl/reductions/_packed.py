"""Packed states of exact reductions, to be stored by the million, sent and merged.

A state of the engine has 48 bytes, enough for 2^56 elements. A sum of n halves is an integer below
n 2^40 in units of 2^-24, and a sum of products is below n 2^80 in units of 2^-48. A packed state
has only as many words of 64 bits as that needs: a sum of up to 2^22 elements takes 9 bytes per
result. Words are added with carry, which is exact; their number grows with that of the elements.
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
from halfcl.reductions._functions import move_reduced_last, shape_without, warn_of_few
from halfcl.reductions._states import FOLDS, MOST_ELEMENTS, STATE, STATES_AT_ONCE, Partial, pieces
from halfcl.typing import RoundingMode

#: Bits of one term and its sign, in units of the fold's smallest term.
TERM_BITS = {"sum": 41, "products": 81}

#: Unsigned words of 64 bits; the last word of a sum is in two's complement.
Words: TypeAlias = NDArray[np.uint64]

#: An index of some of the states.
Index: TypeAlias = EllipsisType | slice | tuple[EllipsisType | slice, ...]


def count_words(fold: str, most: int) -> int:
    """Return the number of words that a sum of up to `most` terms needs."""
    return -(-(TERM_BITS[fold] + most.bit_length()) // 64)


def _sign_words(word: Words) -> Words:
    """Return the sign extension of the last words: all ones where they are negative."""
    return (word.view(np.int64) >> 63).view(np.uint64)


@dataclass
class Narrow:
    """Sums as integers of several words, the lowest first, and flags of special values seen."""

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

    def shape_at(self, index: Index) -> tuple[int, ...]:
        return self.seen[index].shape

    def _at(self, index: Index) -> tuple[list[Words], NDArray[np.uint8]]:
        return [word[index] for word in self.words], self.seen[index]

    def put(self, index: Index, states: Array) -> None:
        """Write the engine's states to an index."""
        _core.pack_sums(states, *self._at(index))

    def load(self, index: Index, states: Array) -> None:
        """Read the engine's states from an index."""
        _core.unpack_sums(*self._at(index), states)

    def copy(self, most: int) -> Narrow:
        """Return a copy with enough words for `most` terms."""
        sign = _sign_words(self.words[-1])
        missing = count_words(self.fold, most) - len(self.words)
        # array() rather than copy(): the sign words of a single result are a scalar, which cannot
        # be written to.
        words = [np.array(w) for w in (*self.words, *[sign] * missing)]
        return Narrow(self.fold, words, self.seen.copy())

    def merge(self, other: Narrow) -> None:
        """Add sums that have at most as many words."""
        _core.add_packed_sums(self.words, self.seen, other.words, other.seen)


def _copy_states(to: Array, source: Array) -> None:
    for name in ("limb", "seen"):  # the other fields overlap the first one
        to[name] = source[name]


@dataclass
class Raw:
    """The engine's states unpacked, for products of all elements, which are not integers."""

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

    def shape_at(self, index: Index) -> tuple[int, ...]:
        return self._all[index].shape

    def put(self, index: Index, states: Array) -> None:
        _copy_states(self._all[index], states)

    def load(self, index: Index, states: Array) -> None:
        _copy_states(states, self._all[index])

    def copy(self, most: int) -> Raw:
        return Raw(self.fold, self.data.copy())

    def merge(self, other: Raw) -> None:
        _core.merge_states(self.fold, self._all, other._all)


@dataclass
class Packed:
    """The packed states of a reduction. Public methods do not change it."""

    statistic: str
    shape: tuple[int, ...]
    #: An upper bound of the elements per result.
    most: int
    folds: list[Any]
    #: The numbers of elements: one per result, or one for all.
    counts: NDArray[np.int64]

    @classmethod
    def empty(cls, statistic: str, shape: tuple[int, ...], counts: Any) -> Packed:
        """Return packed states of sums of 0 with enough words for `counts` elements per result."""
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
        """Return the states of a `Partial`, packed."""
        packed = cls.empty(partial.statistic, partial.counts.shape, partial.counts)
        for index in packed.indices():
            packed._put(index, {fold: states[index] for fold, states in partial.states.items()})
        return packed

    @classmethod
    def of_arrays(
        cls, statistic: str, arrays: Sequence[Array], reduced: tuple[int, ...],
        where: Truths | None,
    ) -> Packed:  # fmt: skip
        """Reduce arrays of `arguments.numbers` of one shape, a few thousand results at a time."""
        shape = shape_without(arrays[0].shape, reduced)
        kept = [move_reduced_last(x, reduced) for x in arrays]
        used = None if where is None else move_reduced_last(where, reduced)
        along = tuple(range(len(shape), arrays[0].ndim))
        if used is None:
            counts: Any = int(np.prod([kept[0].shape[i] for i in along], dtype=np.int64))
        else:
            counts = np.count_nonzero(used, axis=along)
        packed = cls.empty(statistic, shape, counts)
        for index, partial in packed._scratch():
            partial.clear()
            some = tuple(x[index] for x in kept)
            partial.add(some, None if used is None else used[index])
            packed._put(index, partial.states)
        return packed

    @property
    def nbytes(self) -> int:
        return self.counts.nbytes + sum(fold.nbytes for fold in self.folds)

    def __sizeof__(self) -> int:
        """Return the size in bytes, by which Dask decides what to spill."""
        return object.__sizeof__(self) + self.nbytes

    def indices(self) -> Iterator[Index]:
        """Yield indices of pieces of the results whose states fit in the cache."""
        for slices in pieces(self.shape, STATES_AT_ONCE):
            yield (*slices, ...)

    def _scratch(self) -> Iterator[tuple[Index, Partial]]:
        """Yield each index with states for it, in memory that the next index reuses.

        Allocating memory for each would cost more than the reduction in Dask's workers, which
        return freed memory to the system at once (MALLOC_TRIM_THRESHOLD_).
        """
        partial: Partial | None = None
        for index in self.indices():
            shape = self.folds[0].shape_at(index)
            if partial is None or partial.counts.shape != shape:
                partial = Partial.empty(self.statistic, shape)
            yield index, partial

    def _put(self, index: Index, states: dict[str, Array]) -> None:
        for fold in self.folds:
            fold.put(index, states[fold.fold])

    def _load(self, index: Index, partial: Partial) -> None:
        for fold in self.folds:
            fold.load(index, partial.states[fold.fold])
        partial.counts[...] = np.broadcast_to(self.counts, self.shape)[index]

    def partial(self, index: Index = ...) -> Partial:
        """Return the engine's states of the results at an index."""
        partial = Partial.empty(self.statistic, self.folds[0].shape_at(index))
        self._load(index, partial)
        return partial

    def round_to(
        self,
        dtype: np.dtype[Any],
        ddof: int,
        rounding: RoundingMode | None,
        initial: Array | None = None,
    ) -> Array:
        """Return the results, each rounded once; `initial` is added to each before."""
        warn_of_few(self.statistic, np.broadcast_to(self.counts, self.shape), ddof, 3)
        results = np.empty(self.shape, dtype)
        flags = 0
        for index, partial in self._scratch():
            self._load(index, partial)
            if initial is not None:
                partial.add((np.broadcast_to(initial, (*partial.counts.shape, 1)),), None)
            flags |= partial.round_into(results[index], ddof, rounding)
        _core.report_flags(flags, self.statistic)
        return results


def merge(parts: Sequence[Packed]) -> Packed:
    """Return the sums of several packed states, which are not changed: others may read them."""
    first, *others = parts
    if not others:
        return first
    counts = sum((p.counts for p in others), start=first.counts)
    # Each sum gets enough words for all terms together, whatever the order of merging.
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
