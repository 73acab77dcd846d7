"""Sets of variables with whose signs a formula does not change."""

from __future__ import annotations

from collections.abc import Sequence

from halfcl.interval._formulas._search._symmetries.changes import (
    PRODUCTS,
    SUMS,
    constants_of,
    integer,
)
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._protocols import SYNONYMS

#: Functions that change their signs with their operand, and that do not change with it.
_ODD = (
    "neg", "positive", "recip", "cbrt", "sign", "sin", "tan", "asin", "atan", "sinh", "tanh",
    "asinh", "atanh", "sinpi", "tanpi", "asinpi", "atanpi", "erf",
)  # fmt: skip
_INDIFFERENT = ("abs", "sqr", "cos", "cosh", "cospi", "hypot")


def sign_equations(path: Path) -> list[int]:
    """Return equations of the sets of variables with whose signs nothing changes.

    Equations and sets have a bit for each variable; a set has an even number of an equation's.
    """
    program, equations = path.program, list[int]()
    zeros = {slot for slot, number in constants_of(program) if not number}
    parities = {i: 1 << i for i in range(program.count)}

    def equal(slots: Sequence[int]) -> int:
        own = [parities.get(slot, 0) for slot in slots if slot not in zeros] or [0]
        equations.extend(own[0] ^ other for other in own[1:])
        return own[0]

    def still(slots: Sequence[int]) -> int:
        equations.extend(parities.get(slot, 0) for slot in slots)
        return 0

    for step in program.steps_for({*program.roots}):
        name, slots = SYNONYMS.get(step.name, step.name), step.operands
        own = [parities.get(slot, 0) for slot in slots]
        if name in _INDIFFERENT or (name == "pown" and integer(step.others[0]) % 2 == 0):
            parities[step.slot] = 0
        elif name in _ODD or name == "pown":
            parities[step.slot] = own[0]
        elif name in PRODUCTS:
            parities[step.slot] = own[0] ^ own[1]
        elif name in SUMS:
            parities[step.slot] = equal(slots)
        else:
            parities[step.slot] = still(slots)
    still([program.roots[0], *(slot for c in path.constraints for slot in c.slots)])
    return sorted({equation for equation in equations if equation})


def not_negative(equations: Sequence[int], symmetric: tuple[bool, ...]) -> list[int]:
    """Return variables that need not be negative, one for each independent set."""
    rows = [*equations, *(1 << i for i, can in enumerate(symmetric) if not can)]
    pivots: dict[int, int] = {}
    for equation in rows:
        row = equation
        for bit, other in pivots.items():
            row = row ^ other if row >> bit & 1 else row
        if row:
            pivot = row.bit_length() - 1
            pivots = {b: r ^ row if r >> pivot & 1 else r for b, r in pivots.items()}
            pivots[pivot] = row
    return [i for i in range(len(symmetric)) if i not in pivots]
