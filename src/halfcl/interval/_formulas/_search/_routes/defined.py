"""Points at which other forms of parts show that a formula is defined.

The root of u + v - sqrt((u - v)^2 + w^2) is defined where u v is not less than (w / 2)^2, but where
it is small, rounding hides the sign of what is under it. The other form of that part, a quotient of
(4 u v - w^2), has one sign.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas._rewriting.rules import MEET
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.jets import DEFINED, Jet, levels


def _steps_of_formula(program: Program) -> list[Step]:
    """Return the operations of the formula itself, whose operands may have other forms, too."""
    needed, steps = {program.roots[0]}, []
    for step in reversed(program.steps):
        if step.slot in needed:
            needed.update(step.operands[:1] if step.name == MEET else step.operands)
            steps.append(step)
    return steps[::-1]


def is_defined_by_forms(program: Program, jets: Sequence[Jet]) -> Truths:
    """Return where a formula is defined if its parts have the ranges of all their forms.

    jets: those of all slots. A form has the value of its part wherever that is defined; that the
    form is defined says nothing.
    """
    root = program.roots[0]
    shape = jets[root].value.shape
    defined: dict[int, Truths] = {
        i: np.broadcast_to(jets[i].level >= DEFINED, shape)
        for i in (*range(program.count), *program.constants)
    }
    for step in _steps_of_formula(program):
        own = defined[step.operands[0]] if step.operands else np.ones(shape, bool)
        for slot in step.operands[1:] if step.name != MEET else ():
            own = own & defined[slot]
        if step.name != MEET and own.any():
            own = own & _is_defined_for(program, step, jets)
        defined[step.slot] = np.asarray(own)
    return np.broadcast_to(defined[root], shape)


def _is_defined_for(program: Program, step: Step, jets: Sequence[Jet]) -> Truths:
    """Return where an operation is defined for its operands' ranges."""
    values = [jets[i].value for i in step.operands]
    result = program.call_of(step)(*[Jet(x, levels(~x.is_empty)) for x in values])
    jet = result[step.part] if isinstance(result, tuple) else result
    return np.asarray(jet.level >= DEFINED)
