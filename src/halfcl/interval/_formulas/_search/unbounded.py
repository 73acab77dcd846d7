"""Finds the variables that make a formula's enclosures unbounded, in which pieces are best cut.

In several variables, a quotient is unbounded on all pieces that touch a zero of its divisor,
however narrow they are in other variables. The operations at which bounds are lost lead to those
that matter.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas._rewriting.parts import name_of
from halfcl.interval._formulas._rewriting.rules import FACTOR, OVER, OVER_NONZERO
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.jets import OPEN, Jet

Integers = NDArray[np.int64]

#: The operations that lose bounds by their last operand.
_QUOTIENTS = ("div", OVER, OVER_NONZERO, FACTOR)
_PRODUCTS = ("mul", *_QUOTIENTS)


class Votes(NamedTuple):
    """How many operations lose bounds by each variable, with a column per piece.

    signs: how many infinite products may have both signs by each.
    """

    lost: Integers
    signs: Integers

    def favourites(self, is_wide: Truths) -> Truths:
        """Return the variables that have most votes; is_wide: those that can be cut.

        Cuts do not make a product finite if a piece keeps the pole of one factor at an end. So
        first of all the sign of the other one is sought, which bounds it on one side.
        """
        signs, lost = (np.where(is_wide, votes, 0) for votes in (self.signs, self.lost))
        votes = np.where(signs.any(axis=0), signs, lost)
        return np.asarray((votes > 0) & (votes == votes.max(axis=0)))


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

    def votes(self, jets: Sequence[Jet], count: int) -> Votes:
        """Return by which variables bounds are lost.

        jets: those of all slots, on some pieces. An operation loses bounds if its result is
        unbounded, its operands are not, and the formula's enclosure depends on it.
        """
        votes, signs = np.zeros((2, self.program.count, count), np.int64)
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
            if name_of(step) in _PRODUCTS:
                signs += self._of_signs(jets, step, mark)
            if loses.any():
                votes += np.reshape(self._mask(step), (-1, 1)) & loses
        return Votes(votes, signs)

    def _of_signs(self, jets: Sequence[Jet], step: Step, mark: Truths) -> Integers:
        """Return a vote for a variable by which the sign of a factor of something infinite changes.

        Where the slopes of that factor are known, it is the one by which it changes most.
        """
        votes = np.zeros((self.program.count, mark.size), np.int64)
        for one, other in itertools.permutations(step.operands[:2]):
            x, y = jets[one].value, jets[other]
            is_divisor = name_of(step) in _QUOTIENTS and one == step.operands[1]
            is_infinite = x.has(0) if is_divisor else ~x.is_bounded
            has_signs = mark & is_infinite & (y.value.lo < 0) & (y.value.hi > 0)
            if not has_signs.any():
                continue
            changes = np.zeros(votes.shape)
            for i, slope in y.slopes.items():
                box = jets[i].value
                changes[i] = np.fmax(np.abs(slope.lo), np.abs(slope.hi)) * (box.hi - box.lo)
            most = changes.max(axis=0)
            is_known = (y.level & OPEN > 0) & np.isfinite(most) & (most > 0)
            chosen = np.where(is_known, changes == most, np.reshape(self._masks[other], (-1, 1)))
            votes += chosen & has_signs
        return votes

    def _mask(self, step: Step) -> Truths:
        """Return the variables by which an operation loses bounds."""
        return self._masks[step.operands[-1] if name_of(step) in _QUOTIENTS else step.slot]
