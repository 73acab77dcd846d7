"""Parts of formulas through which all variables go: f(x, y) = g(t), with t a part of both.

The range of g on t's enclosure is a bound of f's that takes a search in one variable. A smooth step
of x from a to b is t^2 (3 - 2 t) with t = clip((x - a) / (b - a), 0, 1), which is unknown wherever
a and b are close, but not g.
"""

from __future__ import annotations

from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.programs import Program, Variable
from halfcl.interval._formulas.jets import Jet, Node

#: The number of parts of a formula that are tried, at most.
MOST = 3


def dominators(program: Program) -> list[int]:
    """Return slots on which a program's first result depends by these alone, the innermost first.

    All its variables are among what they depend on. Neither the result nor variables are such.
    """
    root = program.roots[0]
    above, depths, users = dict[int, int](), {root: 0}, dict[int, list[int]]()
    for step in program.steps_for({root}):
        for slot in step.operands:
            users.setdefault(slot, []).append(step.slot)
    order = [step.slot for step in reversed(program.steps_for({root}))]
    for slot in (*order, *range(program.count)):
        if slot in users:
            above[slot] = _common(users[slot], above, depths)
            depths[slot] = depths[above[slot]] + 1
    used = [i for i in range(program.count) if i in above]
    if len(used) < 2:
        return []
    chain = [_common(used, above, depths)]
    while chain[-1] in above:
        chain.append(above[chain[-1]])
    return [slot for slot in chain if slot != root]


def _common(slots: list[int], above: dict[int, int], depths: dict[int, int]) -> int:
    """Return the innermost slot through which all of some slots go."""
    common = slots[0]
    for slot in slots[1:]:
        other = slot
        while common != other:
            if depths[common] >= depths[other]:
                common = above[common]
            else:
                other = above[other]
    return common


def outer_path(program: Program, slot: int) -> Path:
    """Return what a program does with the result in a slot, which is the one variable."""
    needed = {program.roots[0]}
    for step in reversed(program.steps):
        if step.slot in needed and step.slot != slot:
            needed.update(step.operands)
    nodes: dict[int, Node | Jet] = {**program.constants, slot: Variable(0)}
    for step in program.steps:
        if step.slot in needed and step.slot != slot:
            operands = (*[nodes[i] for i in step.operands], *step.others)
            nodes[step.slot] = Node(step.name, operands, step.part)
    return Path(Program([nodes[program.roots[0]]], 1), [])
