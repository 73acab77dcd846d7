"""Finds the other forms of parts that narrow the enclosures of a formula on pieces.

A formula has forms for all that its boxes may be: for wide ones and narrow ones, near poles and
elsewhere. On the pieces that are left after some steps most of them say no more than the others,
but take their time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from halfcl.interval._formulas._rewriting.rules import MEET
from halfcl.interval._formulas._search._routes.specialized import shorten
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.programs import Program
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import Jet

_Key = TypeVar("_Key")

#: The share of a width by which a form must narrow it.
_GAIN = 2.0**-3


class UsefulForms:
    """The forms of a program that have narrowed parts on some pieces."""

    def __init__(self, program: Program) -> None:
        self._meets = [step for step in program.steps if step.name == MEET]
        self._slots = set[int]()

    def add(self, jets: Sequence[Jet]) -> bool:
        """Add the forms that are useful on some pieces; return whether there are new ones.

        jets: those of all slots.
        """
        before = len(self._slots)
        for step in self._meets:
            if step.slot not in self._slots and _narrows(jets[step.slot], jets[step.operands[0]]):
                self._slots.add(step.slot)
        return len(self._slots) > before

    def shorten(self, path: Path) -> Path:
        """Return a path without all other forms."""
        others = [step for step in self._meets if step.slot not in self._slots]
        return shorten(path, {step.slot: step.operands[0] for step in others})


def _narrows(both: Jet, own: Jet) -> bool:
    """Return whether more is known with another form than without."""
    if (both.level > own.level).any() or _is_narrower(both.value, own.value):
        return True
    return _any_narrower(both.slopes, own.slopes) or _any_narrower(both.curvatures, own.curvatures)


def _any_narrower(both: Mapping[_Key, DoubleInterval], own: Mapping[_Key, DoubleInterval]) -> bool:
    return any(key in own and _is_narrower(x, own[key]) for key, x in both.items())


def _is_narrower(x: DoubleInterval, y: DoubleInterval) -> bool:
    """Return whether an interval is narrower than another, on some pieces."""
    gained = np.fmax(x.lo - y.lo, 0) + np.fmax(y.hi - x.hi, 0)
    return bool((gained > _GAIN * (y.hi - y.lo)).any() or (x.is_bounded & ~y.is_bounded).any())
