"""Parts of formulas that cannot be negative, because what uses them would be undefined.

A quotient whose divisor may be zero, and a tangent around its pole, are all numbers. In log(x / y)
only pairs of operands with equal signs matter, so a piece on which y may be zero has a finite lower
bound; the same holds for bases of real powers and for square roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.rules import MEET, OVER
from halfcl.interval._formulas.double_functions import FUNCTIONS
from halfcl.interval._formulas.doubles import ONE, DoubleInterval, choose, point
from halfcl.interval._formulas.jets import Jet

#: The operations that are undefined for a negative first operand.
_NOT_NEGATIVE = ("log", "log2", "log10", "sqrt", "rsqrt", "pow", "powr")
_PRODUCTS, _QUOTIENTS = ("mul", "multiply"), ("div", "divide", OVER)
_POSITIVE, _NEGATIVE = DoubleInterval(0.0, np.inf), DoubleInterval(-np.inf, 0.0)
#: A tangent has at most one pole on a shorter interval.
_HALF_TURN = 3.14


def slots_without_negatives(
    steps: Iterable[Any], constants: Mapping[int, Jet], roots: Iterable[int]
) -> set[int]:
    """Return the slots all of whose uses are undefined for negative numbers.

    A slot that is multiplied by a positive constant, or divided by one, has the uses of the result;
    so have all forms of a part.
    """
    kept: set[int] = set()
    others = set(roots)
    for step in reversed([*steps]):
        first, *rest = step.operands
        passes_on = step.slot in kept and step.slot not in others
        if step.name in _NOT_NEGATIVE:
            kept.add(first)
            others.update(rest)
        elif passes_on and step.name in (*_PRODUCTS, *_QUOTIENTS) and _is_positive(constants, rest):
            kept.add(first)
        elif passes_on and step.name == MEET:
            kept.update(step.operands)
        elif passes_on and step.name in _PRODUCTS and _is_positive(constants, [first]):
            kept.update(rest)
        else:
            others.update(step.operands)
    return kept - others


def _is_positive(constants: Mapping[int, Jet], slots: Iterable[int]) -> bool:
    return all(slot in constants and bool((constants[slot].value.lo > 0).all()) for slot in slots)


def restrict(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation without negative results, if poles can make these all numbers."""
    value = _VALUES.get(name)
    if value is None:
        return call

    def apply(*operands: Jet) -> Jet:
        result: Jet = call(*operands)
        is_open = (result.value.lo == -np.inf) & (result.value.hi == np.inf)
        if not is_open.any():
            return result
        narrower = choose(is_open, value(*(x.value for x in operands)), result.value)
        return Jet(narrower, result.level, result.order, result.slopes, result.curvatures)

    return apply


def _quotient(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return the quotients of operands with equal signs; zero is on either side."""
    parts = [
        doubles.div(doubles.intersection(x, side), doubles.intersection(y, side))
        for side in (_POSITIVE, _NEGATIVE)
    ]
    return doubles.hull(*parts)


def _tangent(x: DoubleInterval) -> DoubleInterval:
    """Return the tangents that are not negative.

    If the last one is negative, and the interval has at most one pole, all others are before the
    pole, and not less than the first.
    """
    first, last = FUNCTIONS["tan"](point(x.lo)), FUNCTIONS["tan"](point(x.hi))
    low = np.where((x.hi - x.lo < _HALF_TURN) & (last.hi < 0), np.fmax(first.lo, 0.0), 0.0)
    return DoubleInterval(low, np.full(low.shape, np.inf))


_VALUES: dict[str, Callable[..., DoubleInterval]] = {
    **dict.fromkeys(_QUOTIENTS, _quotient),
    **dict.fromkeys(("recip", "reciprocal"), lambda y: _quotient(ONE, y)),
    "tan": _tangent,
}
