"""Limits of formulas at poles inside boxes, which may prove that they are unbounded.

Let a part of a formula, such as the divisor of 1 / x, be at most 0 at one point of a box and more
than 0 at another, and continuous between. Then it approaches 0 from above somewhere between them.
If the box is small, the limit of the formula there follows by the laws of limits, with the ranges
of the parts that have no pole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from halfcl.interval._bounds.pairs import Index, Truths
from halfcl.interval._formulas._rewriting.rules import LOG
from halfcl.interval._formulas._search.limits import (
    ABOVE,
    ANY,
    BELOW,
    EQUAL,
    QUOTIENTS,
    Limit,
    propagate,
)
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.double_functions import FUNCTIONS
from halfcl.interval._formulas.doubles import EMPTY, ZERO, DoubleInterval, choose, point
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet

#: From where operations of one operand, or of a base, approach their poles at certain numbers.
_SIDES: dict[str, dict[float, tuple[int, ...]]] = {
    **{name: {0.0: (ABOVE, BELOW)} for name in ("recip", "reciprocal", *QUOTIENTS)},
    **{name: {0.0: (ABOVE,)} for name in ("log", "log2", "log10", "rsqrt", "pow", "powr", LOG)},
    "log1p": {-1.0: (ABOVE,)},
    **{name: {1.0: (BELOW,), -1.0: (ABOVE,)} for name in ("atanh", "arctanh")},
}


class Pole(NamedTuple):
    """A number at which an operation has a pole, or a logarithm of zero, and how it is approached.

    slot: that of the operand. tangent: the slot of the tangent, if it is one.
    """

    slot: int
    at: float
    side: int
    tangent: int | None = None


def poles_of(step: Step, slot: int, at: float) -> list[Pole]:
    """Return the poles of an operation where one of its operands is a number."""
    if step.name == "tan":
        return [Pole(slot, np.inf, side, step.slot) for side in (ABOVE, BELOW)]
    sides = _SIDES.get(step.name, {}).get(at, ())
    if step.name == "pown" and int(np.asarray(step.others[0]).flat[0]) < 0:
        sides = (ABOVE, BELOW)
    return [Pole(slot, at, side) for side in sides]


def _is_cosine(step: Step, slot: int) -> bool:
    return step.name == "cos" and step.operands == (slot,)


class Ranges(NamedTuple):
    """The jets of a program's slots on boxes around poles."""

    jets: Sequence[Jet]
    shape: tuple[int, ...]
    own: Index  #: those of the boxes that belong to a pole

    def jet(self, slot: int) -> Jet:
        """Return a slot's values and levels."""
        jet = self.jets[slot]
        level = jet.level
        if level.shape != self.shape:
            level = np.broadcast_to(level, self.shape)
        return Jet(jet.value.broadcast(self.shape)[self.own], level[self.own])

    def limit(self, slot: int) -> Limit:
        """Return the range of a slot if it is finite and defined, as a limit from any side.

        A part with a single value is constant.
        """
        jet = self.jet(slot)
        value, is_defined = jet.value, jet.level >= DEFINED
        side = np.where(value.lo == value.hi, EQUAL, ANY).astype(np.int8)
        return Limit(choose(is_defined & value.is_bounded, value, EMPTY), side, is_defined)


def limits_at(
    program: Program,
    steps: Sequence[Step],
    poles: Sequence[Pole],
    ranges: Ranges,
    is_certain: Truths,
) -> DoubleInterval | None:
    """Return limits of a program at poles inside of boxes; empty ones are unknown.

    poles: those of one operand, which differ in numbers and sides. is_certain: with a row for each
    pole, whether the operand approaches it somewhere on the box, and the path of the program is
    taken for all points. The results for each pole follow those for the one before.
    """
    rows, boxes = is_certain.shape
    first = poles[0]
    ranges = ranges._replace(own=np.tile(np.arange(*ranges.shape)[ranges.own], rows))
    jet = ranges.jet(first.slot)
    usable = (jet.level >= LIPSCHITZ) & is_certain.ravel()
    side = np.repeat(np.array([pole.side for pole in poles], np.int8), boxes)
    if first.tangent is None:
        at = point(np.repeat([pole.at for pole in poles], boxes))
        seeds = {first.slot: Limit(choose(usable, at, EMPTY), side)}
    else:
        sine = FUNCTIONS["sin"](jet.value)
        usable = usable & ((sine.lo > 0) | (sine.hi < 0))
        infinity = point(np.where((sine.lo > 0) == (side > 0), np.inf, -np.inf))
        unknown = np.full(usable.shape, ANY, np.int8)
        seeds = {first.tangent: Limit(choose(usable, infinity, EMPTY), unknown)}
        zero = Limit(choose(usable, ZERO, EMPTY), side)
        seeds |= {step.slot: zero for step in steps if _is_cosine(step, first.slot)}
    return propagate(program, steps, seeds, ranges.limit)
