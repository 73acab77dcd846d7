"""Paths in which variables that occur only in floor(x) are integers themselves.

A formula of floor(x) jumps, and has no slopes. But if x occurs nowhere else, and pieces have
integers as bounds, the same formula of x itself has these values at integers, and others between.
So its range on a piece is a bound, and it has slopes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfcl.interval._formulas._search._routes.specialized import shorten
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas.doubles import Doubles


def without_floors(path: Path, integers: Sequence[int]) -> Path:
    """Return a path with variables in place of their floors; the same one if it has none."""
    floors = {
        step.slot: step.operands[0]
        for step in path.program.steps
        if step.name == "floor" and step.operands[0] in integers
    }
    return shorten(path, floors) if floors else path


def rounded_down(at: Doubles, integers: Sequence[int]) -> Doubles:
    """Return points, with a row per variable, of which some are integers."""
    if not len(integers):
        return at
    at = at.copy()
    at[list(integers)] = np.floor(at[list(integers)])
    return at
