"""Pieces of boxes, many in one object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas.doubles import DoubleInterval, Doubles
from halfcl.interval._formulas.forms import BATCH

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]


class Pieces:
    """Pieces of boxes: the problem of each, its bounds, and a lower bound of its values.

    low, high: bounds, with a row per variable. route: the number of the path through the formula.
    """

    __slots__ = ("bound", "high", "low", "of", "route")

    def __init__(
        self, of: Integers, route: Integers, low: Doubles, high: Doubles, bound: Doubles
    ) -> None:
        self.of, self.route, self.low, self.high, self.bound = of, route, low, high, bound

    def __getitem__(self, index: slice | Truths | Integers) -> Pieces:
        if isinstance(index, slice):
            low, high = self.low[:, index], self.high[:, index]
        else:  # contiguous, as indexing with a slice beside an array is not
            index = np.flatnonzero(index) if index.dtype == bool else index
            low, high = self.low.take(index, axis=1), self.high.take(index, axis=1)
        return Pieces(self.of[index], self.route[index], low, high, self.bound[index])

    def within(self, low: Doubles, high: Doubles, bound: Doubles) -> Pieces:
        """Return parts of the pieces."""
        return Pieces(self.of, self.route, low, high, bound)

    def __len__(self) -> int:
        return len(self.of)

    def boxes(self) -> list[DoubleInterval]:
        """Return the bounds as one interval array per variable."""
        return [DoubleInterval(low, high) for low, high in zip(self.low, self.high, strict=True)]

    def chunks(self) -> Iterator[Pieces]:
        """Yield chunks of pieces that fit in the processor's cache."""
        if len(self) <= BATCH:
            return iter((self,))
        return (self[at : at + BATCH] for at in range(0, len(self), BATCH))


def concatenate(pieces: Sequence[Pieces]) -> Pieces:
    """Return all pieces as one."""
    if len(pieces) == 1:
        return pieces[0]
    return Pieces(
        np.concatenate([p.of for p in pieces]),
        np.concatenate([p.route for p in pieces]),
        np.concatenate([p.low for p in pieces], axis=1),
        np.concatenate([p.high for p in pieces], axis=1),
        np.concatenate([p.bound for p in pieces]),
    )


def hulls(pieces: Pieces) -> Pieces:
    """Return the hulls of the pieces of each problem, which are of one path."""
    of, index = np.unique(pieces.of, return_inverse=True)
    low, high = (
        np.full((len(pieces.low), len(of)), np.inf),
        np.full((len(pieces.low), len(of)), -np.inf),
    )
    bound = np.full(len(of), np.inf)
    np.fmin.at(bound, index, pieces.bound)
    for i in range(len(low)):
        np.fmin.at(low[i], index, pieces.low[i])
        np.fmax.at(high[i], index, pieces.high[i])
    return Pieces(of, np.full(len(of), pieces.route[0]), low, high, bound)
