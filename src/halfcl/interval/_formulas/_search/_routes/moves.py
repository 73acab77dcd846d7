"""Moves along variables that never leave a path of a formula with comparisons.

Where only some points of a piece take a path, f need not have its least value there at the end of a
variable with which it falls: the path may not lead there. But if x - y does not rise with the
variable, moving it up keeps x < y, and the least value with x < y is at the upper bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._search.conditions import Constraint, Path
from halfcl.interval._formulas.doubles import ZERO
from halfcl.interval._formulas.jets import DEFINED, OPEN, Jet

Truths = NDArray[np.bool_]


def moves_on_path(path: Path, jets: Sequence[Jet], certain: Truths) -> tuple[Truths, Truths]:
    """Return whether moves up, and down, keep to a path, with a row per variable.

    jets: those of all slots on pieces, with slopes. certain: the pieces all of whose points take
    the path.
    """
    up = np.repeat(np.atleast_2d(certain), path.program.count, axis=0)
    down = up.copy()
    if certain.all():
        return up, down
    kept = [_moves_that_keep(constraint, path, jets) for constraint in path.constraints]
    for moves, one in ((up, 0), (down, 1)):
        moves |= reduce(np.logical_and, [pair[one] for pair in kept])
    return up, down


def _moves_that_keep(
    constraint: Constraint, path: Path, jets: Sequence[Jet]
) -> tuple[Truths, Truths]:
    """Return whether moves up, and down, keep a constraint, with a row per variable."""
    x, y = (jets[slot] for slot in constraint.slots)
    slots = {*constraint.slots, *constraint.defined}
    is_defined = reduce(np.logical_and, [jets[slot].level >= DEFINED for slot in slots])
    holds, _ = constraint.holds([jet.value for jet in jets], is_defined)
    usable = is_defined & (x.level & y.level & OPEN > 0)
    rises, falls = [], []
    for i in range(path.program.count):
        slope = doubles.sub(x.slopes.get(i, ZERO), y.slopes.get(i, ZERO))
        rises.append(holds | (usable & (slope.lo >= 0)))
        falls.append(holds | (usable & (slope.hi <= 0)))
    shape = (path.program.count, *np.shape(jets[0].value.lo))
    up, down = (np.array([np.broadcast_to(row, shape[1:]) for row in rows]).reshape(shape)
                for rows in (falls, rises))  # fmt: skip
    if constraint.relation == "equal":
        return up & down, up & down
    return (up, down) if constraint.outcome else (down, up)
