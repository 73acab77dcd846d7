"""Places at which pieces are cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._search._pieces.pieces import Pieces, concatenate
from halfcl.interval._formulas.doubles import Doubles

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

#: Limits of the size and position of cuts, beyond half's limits of 2^-24 and 2^16.
_FINEST, _FARTHEST = 2.0**-64, 2.0**64
#: The inverse of the size below which widths have no orders of magnitude.
_NEAR_ZERO = 2.0**10


def between(low: Doubles, high: Doubles) -> Doubles:
    """Return where to cut: half-way, or toward infinity at twice the finite bound.

    Numbers of one sign are cut at the geometric mean if their sizes differ much.
    """
    return doubles.cut_points(low, high)


def can_cut(low: Doubles, at: Doubles, high: Doubles) -> Truths:
    """Return whether both parts are worth evaluating."""
    is_large = (np.minimum(at - low, high - at) > _FINEST) & (np.abs(at) < _FARTHEST)
    return np.asarray(is_large & (low < at) & (at < high))


def orders(x: Doubles) -> Doubles:
    """Return the signed orders of magnitude of numbers, which are linear near zero."""
    return np.asarray(np.arcsinh(_NEAR_ZERO * x))


class Cuts(NamedTuple):
    """Places at which pieces are cut along an axis; what lies between two places is left out."""

    axis: Integers
    lower_end: Doubles  #: the upper bound of the lower part
    upper_end: Doubles  #: the lower bound of the upper part

    def of(self, index: Truths) -> Cuts:
        """Return the cuts of some pieces."""
        return Cuts(self.axis[index], self.lower_end[index], self.upper_end[index])


def at_ends(pieces: Pieces, cuts: Cuts, ends: Truths | None) -> Cuts:
    """Return cuts that leave both ends of a variable where extremes are at these."""
    if ends is None:
        return cuts
    rows, can = np.arange(len(pieces)), ends.any(axis=0)
    axis = np.where(can, np.argmax(ends, axis=0), cuts.axis)
    return Cuts(
        axis,
        np.where(can, pieces.low[axis, rows], cuts.lower_end),
        np.where(can, pieces.high[axis, rows], cuts.upper_end),
    )


def cut(pieces: Pieces, cuts: Cuts) -> Pieces:
    """Return the parts of pieces on both sides of the cuts; a part may be missing."""
    rows = np.arange(len(pieces))
    low, high = pieces.low[cuts.axis, rows], pieces.high[cuts.axis, rows]
    has_lower, has_upper = cuts.lower_end >= low, cuts.upper_end <= high
    lower, upper = pieces[has_lower], pieces[has_upper]
    lower.high, upper.low = lower.high.copy(), upper.low.copy()
    lower.high[cuts.axis[has_lower], np.arange(len(lower))] = cuts.lower_end[has_lower]
    upper.low[cuts.axis[has_upper], np.arange(len(upper))] = cuts.upper_end[has_upper]
    return concatenate([lower, upper])
