"""States of exact reductions in the least room: to be held by the million, sent and merged.

A state of the engine has room for 2^56 elements, 48 bytes. A sum of n halves is an integer below
n 2^40 in units of 2^-24, one of products below n 2^80 in units of 2^-48: as many words of 64 bits
hold it as that takes. So a sum of up to 2^22 elements is 8 bytes for each result. Words are added
with carry, which is exact, and widen as the number of elements grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halfcl.reductions._arguments import Array
from halfcl.reductions._states import FOLDS, MOST_ELEMENTS, STATE, Partial, pieces

#: Bits of one term, with its sign, in units of a fold's least term.
TERM_BITS = {"sum": 41, "products": 81}

#: Bits of a state's ``seen`` that say that there were terms of either sign.
BOTH_SIGNS = 3

#: Results that are converted at a time, so that engine's states of them stay in the cache.
CONVERTED = 1 << 14

_LOW = np.uint64(2**32 - 1)
_HALF_WORD = np.uint64(32)


def words_for(fold: str, most: int) -> int:
    """Return how many words hold a sum of so many terms."""
    return -(-(TERM_BITS[fold] + most.bit_length()) // 64)


@dataclass
class Narrow:
    """Sums as integers of several words, the lowest first, and what was seen beside them."""

    words: Array  # of shape (words, *results), as uint64
    seen: Array

    @classmethod
    def empty(cls, fold: str, shape: tuple[int, ...], most: int) -> Narrow:
        words = np.zeros((words_for(fold, most), *shape), np.uint64)
        return cls(words, np.zeros(shape, np.uint8))

    @property
    def arrays(self) -> tuple[Array, ...]:
        return self.words, self.seen

    def put(self, place: Any, states: Array) -> None:
        """Write the engine's states to a place."""
        limbs = states["limb"]
        for k, word in enumerate(self.words):
            low = limbs[..., 2 * k].astype(np.uint64)
            if 2 * k + 1 < limbs.shape[-1]:
                low |= limbs[..., 2 * k + 1].astype(np.uint64) << _HALF_WORD
            word[place] = low
        # A sum that is not zero has terms of both signs in what it is added to, if that is zero
        # in the end: the engine's merge says the same.
        signs = np.where(limbs.any(axis=-1), BOTH_SIGNS, 0)
        self.seen[place] = states["seen"] | signs

    def states(self, place: Any) -> Array:
        """Return the engine's states at a place."""
        result = np.zeros(self.seen[place].shape, STATE)
        words = [word[place] for word in self.words]
        sign = (words[-1].view(np.int64) >> 63).view(np.uint64)
        limbs = [limb for w in [*words, sign, sign] for limb in (w & _LOW, w >> _HALF_WORD)]
        for k in range(4):
            result["limb"][..., k] = limbs[k]
        top = words[2] if len(words) > 2 else sign
        result["limb"][..., 4] = top.view(np.int64)
        result["seen"] = self.seen[place]
        return result

    def widened(self, fold: str, most: int) -> Narrow:
        """Return a copy with room for so many terms."""
        missing = words_for(fold, most) - len(self.words)
        if missing <= 0:
            return Narrow(self.words.copy(), self.seen.copy())
        sign = (self.words[-1].view(np.int64) >> 63).view(np.uint64)
        return Narrow(np.stack([*self.words, *[sign] * missing]), self.seen.copy())

    def add(self, other: Narrow) -> None:
        """Add sums of no more words, with carry from each word to the next."""
        sign = None
        carry: Any = None
        for k, word in enumerate(self.words):
            if k < len(other.words):
                term = other.words[k]
            else:
                if sign is None:
                    sign = (other.words[-1].view(np.int64) >> 63).view(np.uint64)
                term = sign
            word += term
            if k + 1 == len(self.words):  # nothing to carry to
                word += 0 if carry is None else carry
                break
            carried = word < term
            if carry is not None:
                word += carry
                carried |= word < carry
            carry = carried.astype(np.uint64)
        self.seen |= other.seen


@dataclass
class Raw:
    """The engine's states as they are: of products of all elements."""

    array: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        return (self.array,)

    def put(self, place: Any, states: Array) -> None:
        self.array[place] = states

    def states(self, place: Any) -> Array:
        return self.array[place].copy()

    def widened(self, fold: str, most: int) -> Raw:
        return Raw(self.array.copy())


class Packed:
    """What an accumulator has taken, in the least room."""

    __slots__ = ("counts", "folds", "most", "plain", "shape", "statistic")

    def __init__(self, statistic: str, shape: tuple[int, ...], most: int, plain: bool) -> None:
        """Make one of no elements, with room for `most` elements for each result."""
        self.statistic, self.shape, self.most, self.plain = statistic, shape, most, plain
        self.folds: dict[str, Any] = {
            fold: Narrow.empty(fold, shape, most) if fold in TERM_BITS
            else Raw(np.zeros(shape, STATE))
            for fold in FOLDS[statistic]
        }  # fmt: skip
        #: An int, where it is the same for all results.
        self.counts: Array | int = 0

    @property
    def nbytes(self) -> int:
        arrays = [x for fold in self.folds.values() for x in fold.arrays]
        return sum(x.nbytes for x in arrays) + getattr(self.counts, "nbytes", 0)

    def __sizeof__(self) -> int:
        """Return what it weighs, by which Dask decides what to spill."""
        return object.__sizeof__(self) + self.nbytes

    def places(self) -> Iterator[Any]:
        """Return slices of the results that are converted together."""
        return iter([(*place, ...) for place in pieces(self.shape, CONVERTED)])

    def put(self, place: Any, partial: Partial) -> None:
        """Write what was taken for the results at a place; counts are to be set."""
        for fold, states in partial.states.items():
            self.folds[fold].put(place, states)

    def partial(self, place: Any = ...) -> Partial:
        """Return the results at a place as the engine has them."""
        states = {fold: held.states(place) for fold, held in self.folds.items()}
        (shape,) = {x.shape for x in states.values()} if len(states) == 1 else {
            states["sum"].shape
        }  # fmt: skip
        counts = self.counts if isinstance(self.counts, int) else self.counts[place]
        return Partial(self.statistic, states, np.full(shape, counts, np.int64))


def count_together(counts: Sequence[Array | int]) -> Array | int:
    """Return the sum of counts, as one int if each is one."""
    if all(isinstance(c, int) for c in counts):
        return sum(counts)  # type: ignore[arg-type]
    total = sum(np.asarray(c, np.int64) for c in counts)
    return np.asarray(total)


def merge(parts: Sequence[Packed]) -> Packed:
    """Return what several have taken together. They stay as they are."""
    first, *others = parts
    if not others:
        return first
    most = sum(p.most for p in parts)
    if most > MOST_ELEMENTS:
        raise OverflowError("merge: expected at most 2^56 elements for each result")
    total = Packed.__new__(Packed)
    total.statistic, total.shape, total.most = first.statistic, first.shape, most
    total.plain = all(p.plain for p in parts)
    total.counts = count_together([p.counts for p in parts])
    total.folds = {fold: held.widened(fold, most) for fold, held in first.folds.items()}
    for fold, held in total.folds.items():
        for other in others:
            if isinstance(held, Narrow):
                held.add(other.folds[fold])
            else:
                merged = Partial(first.statistic, {fold: held.array}, np.int64(0))  # type: ignore[arg-type]
                add = Partial(first.statistic, {fold: other.folds[fold].array}, np.int64(0))  # type: ignore[arg-type]
                merged.merge_states(add)
    return total
