"""Definedness of quotients whose divisors underflow in doubles, as exp(-1000) does.

Exponentials are not zero, nor are powers, roots, products and quotients of numbers that are not,
nor sums of numbers of one sign of which one is not.
Their enclosures may contain zero, since no double is between.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import reduce

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas._rewriting.rules import MEET
from halfcl.interval._formulas._search.limits import QUOTIENTS, TOTAL
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import DEFINED, Jet
from halfcl.interval._protocols import SYNONYMS

#: Operations whose results are never zero, and those that are not if their first operand is not.
_NEVER = ("exp", "exp2", "exp10", "cosh")
_FIRST = (*QUOTIENTS, "pow", "powr", "sqrt", "rsqrt", "neg", "abs", "sqr", "pown", "recip", "cbrt")
#: Operations of bases that are defined wherever these are positive.
_OF_POSITIVE = ("pow", "powr", "sqrt", "log", "log2", "log10")


def _name(step: Step) -> str:
    return SYNONYMS.get(step.name, step.name)


def underflowing(program: Program) -> frozenset[int]:
    """Return the slots whose results may be less than doubles, but not zero."""
    slots: set[int] = set()
    for step in program.steps:
        name = _name(step)
        if name in (*_NEVER, "pow") or (name in _NONZERO and slots.intersection(step.operands)):
            slots.add(step.slot)
    return frozenset(slots)


def divides_by(program: Program, slots: Container[int]) -> bool:
    """Return whether the result needs a quotient by one of some slots."""
    steps = program.steps_for({program.roots[0]})
    return any(_name(step) in QUOTIENTS and step.operands[1] in slots for step in steps)


def nonzeros(
    program: Program, jets: Sequence[Jet], slots: Iterable[int] | None = None
) -> list[Truths]:
    """Return for each slot where it is known not to be zero, if it is defined.

    slots: those that are needed; all by default.
    """
    shape = np.broadcast_shapes(*(jets[root].value.shape for root in program.roots))
    nonzero: list[Truths] = [np.broadcast_to(~x.value.has(0), shape) for x in jets]
    for step in program.steps if slots is None else program.steps_for({*slots}):
        operands = [nonzero[i] for i in step.operands]
        if (rule := _NONZERO.get(_name(step))) is not None:
            known = rule(operands, [jets[i].value for i in step.operands])
            nonzero[step.slot] = np.asarray(nonzero[step.slot] | known)
    return nonzero


def _nonzero_sum(operands: list[Truths], values: list[DoubleInterval]) -> Truths:
    """Return where all terms have one sign, and one is not zero."""
    is_positive = reduce(np.logical_and, [x.lo >= 0 for x in values])
    is_negative = reduce(np.logical_and, [x.hi <= 0 for x in values])
    return np.asarray(reduce(np.logical_or, operands) & (is_positive | is_negative))


#: Where results are not zero, from where operands are not, and their ranges.
_NONZERO: dict[str, Callable[[list[Truths], list[DoubleInterval]], Truths]] = {
    **dict.fromkeys(_NEVER, lambda operands, values: np.True_),
    **dict.fromkeys(_FIRST, lambda operands, values: operands[0]),
    "mul": lambda operands, values: np.asarray(reduce(np.logical_and, operands)),
    MEET: lambda operands, values: np.asarray(reduce(np.logical_or, operands)),
    **dict.fromkeys(("add", "total"), _nonzero_sum),
}


def is_defined(program: Program, jets: Sequence[Jet]) -> Truths:
    """Return where a program is defined, from its jets."""
    root = program.roots[0]
    nonzero = nonzeros(program, jets, [root])
    shape = jets[root].value.shape
    defined: list[Truths] = [np.broadcast_to(x.level >= DEFINED, shape) for x in jets]
    for step in program.steps_for({root}):
        name, slots = _name(step), step.operands
        if name in QUOTIENTS:
            own = nonzero[slots[1]]
        elif name in _OF_POSITIVE:
            own = nonzero[slots[0]] & (jets[slots[0]].value.lo >= 0)
        else:
            own = np.broadcast_to(name in TOTAL, shape)
        operands = reduce(np.logical_and, [defined[i] for i in slots])
        defined[step.slot] = defined[step.slot] | (operands & own)
    return np.asarray(defined[root])
