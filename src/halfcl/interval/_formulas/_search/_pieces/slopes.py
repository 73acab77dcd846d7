"""Slopes of problems' functions on pieces, and the mean value form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl._core import round_outward
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._search._pieces.cuts import between
from halfcl.interval._formulas._search._pieces.pieces import Pieces
from halfcl.interval._formulas.doubles import DoubleInterval, Doubles, point
from halfcl.interval._formulas.jets import OPEN, Jet

Truths = NDArray[np.bool_]


class Slopes(NamedTuple):
    """Slopes of problems' functions, with a row per variable; they are valid where known."""

    low: Doubles
    high: Doubles
    known: Truths


def slopes_of(jet: Jet, falls: Truths, is_fixed: Truths) -> Slopes:
    """Return the slopes of problems' functions; they do not matter where a variable is fixed."""
    low, high = np.zeros((2, *is_fixed.shape))
    for i, slope in jet.slopes.items():
        signed = doubles.flip(falls, slope)
        low[i], high[i] = (np.where(is_fixed[i], 0.0, x) for x in (signed.lo, signed.hi))
    known = (jet.level & OPEN > 0) & ~np.isnan(low).any(axis=0)
    return Slopes(low, high, known)


def centres(slopes: Slopes, pieces: Pieces) -> Doubles:
    """Return the centres for which the mean value form has the greatest lower bound.

    Where a function is monotone in a variable, it is the bound at which it is less (Baumann 1988).
    """
    centre = (slopes.high * pieces.low - slopes.low * pieces.high) / (slopes.high - slopes.low)
    up, down = np.isposinf(slopes.high), np.isneginf(slopes.low)
    centre = np.where(up, np.where(down, np.nan, pieces.low), centre)
    centre = np.where(down & ~up, pieces.high, centre)
    centre = np.where(slopes.low >= 0, pieces.low, np.where(slopes.high <= 0, pieces.high, centre))
    centre = np.where(slopes.known, centre, np.nan)
    middle = between(pieces.low, pieces.high)
    centre = np.where(np.isfinite(centre), centre, middle)
    return np.clip(np.where(np.isfinite(centre), centre, 0.0), pieces.low, pieces.high)


def least_terms(slopes: Slopes, pieces: Pieces, centre: Doubles) -> Doubles:
    """Return lower bounds of each variable's term in the mean value form, a row for each."""
    slope = DoubleInterval(slopes.low, slopes.high)
    step = doubles.sub(DoubleInterval(pieces.low, pieces.high), point(centre))
    terms = doubles.mul(slope, step).lo
    return np.where(np.isnan(terms), -np.inf, terms)


def sum_down(terms: Sequence[Doubles]) -> Doubles:
    """Return a lower bound of a sum."""
    total = terms[0]
    for term in terms[1:]:
        total = doubles.add(point(total), point(term)).lo
    return total


def missing_terms(goals: Doubles, at: Doubles, terms: Doubles) -> Doubles:
    """Return by how much each variable's term must lower the mean value form to reach a goal.

    All other terms are at their least. Negative numbers mean that it must.
    """
    count = len(terms)
    if count == 1:
        others = at[None]
    else:
        others = np.stack([sum_down([at, *terms[:i], *terms[i + 1 :]]) for i in range(count)])
    _, missing = round_outward(np.subtract, (0.0, 0.0), (goals, others))
    return np.asarray(missing)


def gaps(slopes: Slopes, centre: Doubles, missing: Doubles) -> tuple[Doubles, Doubles]:
    """Return the ends of intervals around centres in which f cannot reach the goal."""
    has_gap = (missing < 0) & (slopes.low < 0) & (slopes.high > 0)
    upper_end, lower_end = round_outward(np.divide, (missing, slopes.low), (missing, slopes.high))
    upper_end, lower_end = round_outward(np.add, (centre, upper_end), (centre, lower_end))
    return np.where(has_gap, lower_end, centre), np.where(has_gap, upper_end, centre)
