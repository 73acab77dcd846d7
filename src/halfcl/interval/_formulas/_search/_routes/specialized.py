"""Paths on parts of boxes, which need fewer operations there.

Where one operand of a minimum or maximum is less than the other on all of a part, that operation is
not needed; variables that are one number there are constants. The rest may have other forms, which
depend on where it is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas._search.conditions import Constraint, Path
from halfcl.interval._formulas._search.programs import Program, Step, Variable
from halfcl.interval._formulas.jets import DEFINED, RULES, Jet, Node, constant
from halfcl.interval._protocols import SYNONYMS

Integers = NDArray[np.int64]

#: Operations of two operands of which the result is one, and whether it is the greater one.
_EXTREMA = {name: is_max for name, other in (*SYNONYMS.items(), ("min", "min"), ("max", "max"))
            if other in ("min", "max") for is_max in (other == "max",)}  # fmt: skip


def has_extrema(program: Program) -> bool:
    """Return whether a program has minima or maxima."""
    return any(step.name in _EXTREMA for step in program.steps)


class Extrema:
    """The minima and maxima of a program, and the bounds of their operands on some boxes.

    jets: those of all slots. where: the numbers of the boxes.
    """

    def __init__(
        self, program: Program, jets: Sequence[Jet], where: Integers | slice = slice(None)
    ) -> None:
        steps = [step for step in program.steps if step.name in _EXTREMA]
        slots = sorted({slot for step in steps for slot in step.operands})
        values = [jets[slot].value for slot in slots]
        count = max([x.lo.size for x in values], default=1)
        self._low = _rows([x.lo for x in values], count, where)
        self._high = _rows([x.hi for x in values], count, where)
        self._levels = _rows([jets[slot].level for slot in slots], count, where)
        rows = {slot: row for row, slot in enumerate(slots)}
        #: the slots of results and operands, and the rows of operands: the one that may be less
        #: comes first in a minimum, and last in a maximum
        self._slots = np.array([(s.slot, *s.operands) for s in steps], np.int64).reshape(-1, 3)
        self._rows = np.array(
            [[rows[i] for i in s.operands[:: -1 if _EXTREMA[s.name] else 1]] for s in steps],
            np.int64,
        ).reshape(-1, 2)

    def decisions(self, index: Integers | slice = slice(None)) -> dict[int, int]:
        """Return the slots that are those of one operand on all boxes.

        index: the positions of the boxes that count, among those of which bounds are known.
        """
        low, high = self._low[:, index].min(axis=1), self._high[:, index].max(axis=1)
        one, other = self._rows.T
        is_defined = np.logical_and.reduce(self._levels[:, index] >= DEFINED, axis=1)
        known = np.logical_and(is_defined[one], is_defined[other])
        slot, first, second = self._slots.T
        chosen = dict[int, int]()
        for is_less, operand in (
            (high[other] <= low[one], second), (high[one] <= low[other], first),
        ):  # fmt: skip
            decided = known & is_less
            chosen |= dict(zip(slot[decided].tolist(), operand[decided].tolist(), strict=True))
        return chosen


def _rows(columns: Sequence[NDArray[Any]], count: int, where: Integers | slice) -> NDArray[Any]:
    """Return the elements of arrays as rows; some have one element for a number of boxes."""
    if not columns:
        return np.zeros((0, 1))
    return np.array([
        x[where] if x.size == count and x.ndim else np.broadcast_to(x.ravel(), (count,))[where]
        for x in columns
    ])  # fmt: skip


def decisions(program: Program, jets: Sequence[Jet]) -> dict[int, int]:
    """Return the slots of minima and maxima that are those of one operand on all boxes.

    jets: those of all slots.
    """
    return Extrema(program, jets).decisions()


def shorten(path: Path, chosen: Mapping[int, int]) -> Path:
    """Return a path with some slots in place of others; in less time than `specialize`."""
    slots = [slot for c in path.constraints for slot in (*c.slots, *c.defined)]
    program, numbers = path.program.without(chosen, slots)
    return Path(program, [
        Constraint(
            c.relation, (numbers[c.slots[0]], numbers[c.slots[1]]), c.outcome,
            tuple([numbers[slot] for slot in c.defined]),
        )
        for c in path.constraints
    ])  # fmt: skip


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
