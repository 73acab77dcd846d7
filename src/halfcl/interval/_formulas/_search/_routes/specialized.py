"""Paths on parts of boxes, which need fewer operations there.

Where one operand of a minimum or maximum is less than the other on all of a part, that operation is
not needed; variables that are one number there are constants. The rest may have other forms, which
depend on where it is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from halfcl.interval._formulas._search.conditions import Constraint, Path
from halfcl.interval._formulas._search.programs import Program, Step, Variable
from halfcl.interval._formulas.jets import DEFINED, RULES, Jet, Node, constant
from halfcl.interval._protocols import SYNONYMS

#: Operations of two operands of which the result is one, and whether it is the greater one.
_EXTREMA = {name: is_max for name, other in (*SYNONYMS.items(), ("min", "min"), ("max", "max"))
            if other in ("min", "max") for is_max in (other == "max",)}  # fmt: skip


def decisions(program: Program, jets: Sequence[Jet]) -> dict[int, int]:
    """Return the slots of minima and maxima that are those of one operand on all boxes.

    jets: those of all slots.
    """
    chosen: dict[int, int] = {}
    for step in program.steps:
        is_max = _EXTREMA.get(step.name)
        if is_max is None or not all((jets[i].level >= DEFINED).all() for i in step.operands):
            continue
        one, other = (jets[i].value for i in step.operands[:: -1 if is_max else 1])
        if one.hi.max() <= other.lo.min():  # is the first one less?
            chosen[step.slot] = step.operands[0]
        elif other.hi.max() <= one.lo.min():
            chosen[step.slot] = step.operands[1]
    return chosen


def specialize(path: Path, chosen: Mapping[int, int], fixed: Mapping[int, float]) -> Path:
    """Return a path with some slots in place of others, and numbers in place of variables."""
    program = path.program
    constraints = path.constraints
    slots = [slot for c in constraints for slot in (*c.slots, *c.defined)]
    roots = [*program.roots[:1], *slots]
    nodes = _nodes(program, roots, chosen, fixed)
    new = Program([nodes[slot] for slot in roots], program.count)
    rest = iter(new.roots[1:])
    return Path(new, [
        Constraint(
            c.relation, (next(rest), next(rest)), c.outcome, tuple([next(rest) for _ in c.defined])
        )
        for c in constraints
    ])  # fmt: skip


def _nodes(
    program: Program, roots: Sequence[int], chosen: Mapping[int, int], fixed: Mapping[int, float]
) -> dict[int, Any]:
    """Return nodes or constants of the slots that are needed."""
    needed = set(roots)
    for step in reversed(program.steps):
        if step.slot in needed:
            needed.update((chosen[step.slot],) if step.slot in chosen else step.operands)
    nodes: dict[int, Any] = {i: Variable(i) for i in range(program.count)}
    nodes |= {i: constant(at) for i, at in fixed.items()}
    nodes |= program.constants
    for step in program.steps:
        if step.slot in chosen and step.slot in needed:
            nodes[step.slot] = nodes[chosen[step.slot]]
        elif step.slot in needed:
            nodes[step.slot] = _node(step, [nodes[i] for i in step.operands])
    return nodes


def _node(step: Step, operands: Sequence[Any]) -> Any:
    """Return the node of an operation, or its result if all operands are numbers and it is one."""
    if operands and all(isinstance(x, Jet) for x in operands) and not step.part:
        rule = RULES.get(step.name)
        result = None if rule is None else rule(*operands, *step.others)
        if isinstance(result, Jet) and _is_number(result):
            return constant(float(result.value.lo.flat[0]))
    return Node(step.name, (*operands, *step.others), step.part)


def _is_number(jet: Jet) -> bool:
    low, high = float(np.ravel(jet.value.lo)[0]), float(np.ravel(jet.value.hi)[0])
    return low == high and np.isfinite(low) and bool((jet.level >= DEFINED).all())
