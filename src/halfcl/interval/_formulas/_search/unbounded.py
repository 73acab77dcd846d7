"""Finds the variables that make a formula's enclosures unbounded, in which pieces are best cut.

In several variables, a quotient is unbounded on all pieces that touch a zero of its divisor,
however narrow they are in other variables. The operations at which bounds are lost lead to those
that matter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas._rewriting.rules import FACTOR, OVER, OVER_NONZERO
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.jets import Jet

#: The operations that lose bounds by their last operand.
_QUOTIENTS = ("div", "divide", OVER, OVER_NONZERO, FACTOR)


class Culprits:
    """The variables of each slot of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        #: The variables of slots, as a mask.
        self._masks: dict[int, Truths] = {}
        none = np.zeros(program.count, bool)
        for i in range(program.count):
            self._masks[i] = np.arange(program.count) == i
        for slot in program.constants:
            self._masks[slot] = none
        for step in program.steps:
            masks = [self._masks[i] for i in step.operands]
            self._masks[step.slot] = np.logical_or.reduce([none, *masks])

    def votes(self, jets: Sequence[Jet], count: int) -> NDArray[np.int64]:
        """Return how many operations lose bounds by each variable, with a column per piece.

        jets: those of all slots. An operation loses bounds if its result is unbounded, its operands
        are not, and the formula's enclosure depends on it.
        """
        votes = np.zeros((self.program.count, count), np.int64)
        root = self.program.roots[0]
        marks = {root: np.broadcast_to(~jets[root].value.is_bounded, (count,))}
        for step in reversed(self.program.steps):
            mark = marks.pop(step.slot, None)
            if mark is None or not mark.any():
                continue
            loses = mark
            for slot in step.operands:
                is_open = mark & ~jets[slot].value.is_bounded
                loses = loses & ~is_open
                marks[slot] = marks[slot] | is_open if slot in marks else is_open
            if loses.any():
                votes += np.reshape(self._mask(step), (-1, 1)) & loses
        return votes

    def _mask(self, step: Step) -> Truths:
        """Return the variables by which an operation loses bounds."""
        return self._masks[step.operands[-1] if step.name in _QUOTIENTS else step.slot]
