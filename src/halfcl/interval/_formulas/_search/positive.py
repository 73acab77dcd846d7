"""Where quotients are defined whose divisors underflow in doubles, as exp(-1000) does.

Exponentials are not zero, nor are powers, roots, products and quotients of numbers that are not.
Their enclosures may contain zero, since no double is between.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas._search.limits import QUOTIENTS, TOTAL
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.jets import DEFINED, Jet
from halfcl.interval._protocols import SYNONYMS

#: Operations whose results are never zero; and those that are not if their first operand is not, or
#: none of their operands.
_NEVER = ("exp", "exp2", "exp10", "cosh")
_FIRST = (*QUOTIENTS, "pow", "powr", "sqrt", "rsqrt", "neg", "abs", "sqr", "pown", "recip", "cbrt")
_ALL = ("mul",)
#: Operations of bases that are defined wherever these are positive.
_OF_POSITIVE = ("pow", "powr", "sqrt", "log", "log2", "log10")


def _name(step: Step) -> str:
    return SYNONYMS.get(step.name, step.name)


def may_divide_by_underflow(program: Program) -> bool:
    """Return whether the result needs a quotient whose divisor may underflow."""
    may_underflow: set[int] = set()
    for step in program.steps:
        name = _name(step)
        if name in (*_NEVER, "pow") or (
            name in (*_FIRST, *_ALL) and may_underflow.intersection(step.operands)
        ):
            may_underflow.add(step.slot)
    steps = program.steps_for({program.roots[0]})
    return any(_name(step) in QUOTIENTS and step.operands[1] in may_underflow for step in steps)


def is_defined(program: Program, jets: Sequence[Jet]) -> Truths:
    """Return where a program is defined, from its jets."""
    shape = jets[program.roots[0]].value.shape
    defined = [np.broadcast_to(True if x is None else x.level >= DEFINED, shape) for x in jets]
    nonzero = [np.broadcast_to(False if x is None else ~x.value.has(0), shape) for x in jets]
    for step in program.steps_for({program.roots[0]}):
        name, slots = _name(step), step.operands
        operands = np.logical_and.reduce([defined[i] for i in slots])
        if name in (*_FIRST, *_ALL):
            needed = slots if name in _ALL else slots[:1]
            nonzero[step.slot] = np.logical_or(
                nonzero[step.slot], np.logical_and.reduce([nonzero[i] for i in needed])
            )
        elif name in _NEVER:
            nonzero[step.slot] = np.broadcast_to(True, shape)
        if name in QUOTIENTS:
            own = nonzero[slots[1]]
        elif name in _OF_POSITIVE:
            own = nonzero[slots[0]] & (jets[slots[0]].value.lo >= 0)
        else:
            own = np.broadcast_to(name in TOTAL, shape)
        defined[step.slot] = defined[step.slot] | (operands & own)
    return np.asarray(defined[program.roots[0]])
