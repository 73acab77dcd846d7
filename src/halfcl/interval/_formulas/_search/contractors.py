"""Contraction of boxes: ranges of a program's parts, propagated back to its variables.

What is known of a result narrows its operands: x + y <= 1 means that x <= 1 - y. Step by step this
leads to the variables (HC4 revise, Benhamou et al. 1999). Where an operation is undefined on a part
of its operands' ranges, that part is left out, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from halfcl._tables import ROWS
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.rules import (
    EXP,
    FACTOR,
    LOG,
    MEET,
    OVER,
    OVER_NONZERO,
    ROOT,
    log_with_zero,
)
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.double_functions import FUNCTIONS, real_power
from halfcl.interval._formulas.doubles import EMPTY, ENTIRE, ONE, DoubleInterval, choose, point
from halfcl.interval._protocols import SYNONYMS

#: Enclosures of the operands that give results in the first argument; None where nothing is known.
Reverse: TypeAlias = Callable[..., Sequence[DoubleInterval | None]]

_NOT_NEGATIVE = DoubleInterval(0.0, math.inf)


# ---------------------------------------------------------------- arithmetic


def _quotient(z: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return the numbers whose products with a number of y may be in z."""
    return doubles.factors(z, y)


def _quotient_within(z: DoubleInterval, y: DoubleInterval, x: DoubleInterval) -> DoubleInterval:
    """Return the numbers of x whose products with a number of y may be in z.

    If y has both signs and z has one, these numbers are on both sides of a gap around zero.
    """
    has_gap = (y.lo < 0) & (y.hi > 0) & ((z.lo > 0) | (z.hi < 0))
    quotient = _quotient(z, y)
    if not has_gap.any():
        return quotient
    halves = (DoubleInterval(np.fmax(y.lo, 0.0), y.hi), DoubleInterval(y.lo, np.fmin(y.hi, 0.0)))
    upper, lower = (doubles.intersection(_quotient(z, half), x) for half in halves)
    return choose(has_gap, doubles.hull(upper, lower), quotient)


def _add(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    return doubles.sub(z, y), doubles.sub(z, x)


def _sub(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    return doubles.add(z, y), doubles.sub(x, z)


def _mul(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    return _quotient(z, y), _quotient(z, x)


def _div(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    return doubles.mul(z, y), _quotient_within(x, z, y)


def _over_nonzero(
    z: DoubleInterval, x: DoubleInterval, y: DoubleInterval
) -> Sequence[DoubleInterval]:
    """Return what gives a quotient; it says nothing where the divisor may be zero."""
    one, other = _div(z, x, y)
    return choose(y.has(0), ENTIRE, one), choose(y.has(0), ENTIRE, other)


def _total(z: DoubleInterval, *terms: DoubleInterval) -> Sequence[DoubleInterval | None]:
    if len(terms) > 8:
        return [None] * len(terms)
    rests = []
    for i in range(len(terms)):
        rest = z
        for j, term in enumerate(terms):
            rest = rest if i == j else doubles.sub(rest, term)
        rests.append(rest)
    return rests


# ---------------------------------------------------------------- even functions, powers


def _both_signs(size: DoubleInterval, x: DoubleInterval) -> DoubleInterval:
    """Return the numbers of x whose magnitude is in an interval."""
    upper = doubles.intersection(size, x)
    lower = doubles.intersection(doubles.neg(size), x)
    return doubles.hull(upper, lower)


def _not_negative(z: DoubleInterval) -> DoubleInterval:
    return doubles.intersection(z, _NOT_NEGATIVE)


def _sqr(z: DoubleInterval, x: DoubleInterval) -> Sequence[DoubleInterval]:
    return (_both_signs(doubles.sqrt(z), x),)


def _sqrt(z: DoubleInterval, x: DoubleInterval) -> Sequence[DoubleInterval]:
    return (doubles.sqr(_not_negative(z)),)


def _abs(z: DoubleInterval, x: DoubleInterval) -> Sequence[DoubleInterval]:
    return (_both_signs(_not_negative(z), x),)


def _cosh(z: DoubleInterval, x: DoubleInterval) -> Sequence[DoubleInterval]:
    return (_both_signs(FUNCTIONS["acosh"](z), x),)


def _root(z: DoubleInterval, n: int) -> DoubleInterval:
    """Return the roots of the nonnegative part."""
    return real_power(_not_negative(z), doubles.div(ONE, point(float(n))))


def _pown(z: DoubleInterval, x: DoubleInterval, n: object) -> Sequence[DoubleInterval | None]:
    k = int(np.asarray(n).flat[0])
    if not 1 <= abs(k) <= 64:
        return (None,)
    if k < 0:
        z, k = doubles.recip(z), -k
    if k == 1:
        return (z,)
    if k == 2:
        return _sqr(z, x)
    if k % 2 == 0:
        return (_both_signs(_root(z, k), x),)
    upper, lower = _root(z, k), doubles.neg(_root(doubles.neg(z), k))
    return (doubles.hull(upper, lower),)


def _pow(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    exponent, base = doubles.recip(y), _not_negative(z)
    at_most = real_power(base, exponent)
    usable = ((y.lo > 0) | (y.hi < 0)) & ~base.is_empty & ~at_most.is_empty
    return choose(usable, at_most, _NOT_NEGATIVE), ENTIRE


# ---------------------------------------------------------------- monotone functions


def _by_inverse(name: str, inverse: str) -> Reverse:
    """Return the reverse of a monotone function, from its inverse and its domain."""
    domain = _domain(name)
    function = FUNCTIONS[inverse]

    def reverse(z: DoubleInterval, x: DoubleInterval) -> Sequence[DoubleInterval]:
        preimage = function(z)
        return (doubles.intersection(choose(z.is_empty, ENTIRE, preimage), domain),)

    return reverse


def _domain(name: str) -> DoubleInterval:
    row = ROWS[name]
    return DoubleInterval(row.domain.low, row.domain.high)


def _restrict_to_domain(name: str) -> Reverse:
    domain = _domain(name)
    return lambda z, x: (domain,)


_INVERSES = {
    "exp": "log", "log": "exp", "exp2": "log2", "log2": "exp2", "exp10": "log10",
    "log10": "exp10", "expm1": "log1p", "log1p": "expm1", "sinh": "asinh", "asinh": "sinh",
    "tanh": "atanh", "atanh": "tanh", "acosh": "cosh",
}  # fmt: skip


def _rsqrt(z: DoubleInterval, x: DoubleInterval) -> Sequence[DoubleInterval]:
    return (_not_negative(doubles.recip(doubles.sqr(_not_negative(z)))),)


# ---------------------------------------------------------------- pieces


def _min(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    def one(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
        return DoubleInterval(z.lo, np.where(y.lo > z.hi, z.hi, math.inf))

    return one(x, y), one(y, x)


def _max(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    def one(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
        return DoubleInterval(np.where(y.hi < z.lo, z.lo, -math.inf), z.hi)

    return one(x, y), one(y, x)


def _copysign(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    up, down = np.where(z.lo > 0, 0.0, -math.inf), np.where(z.hi < 0, 0.0, math.inf)
    return _both_signs(doubles.magnitudes(z), x), DoubleInterval(up, down)


def _fmod(
    z: DoubleInterval, x: DoubleInterval, y: DoubleInterval
) -> Sequence[DoubleInterval | None]:
    """Return the numbers x that have the sign of z, and are no smaller."""
    low, high = np.where(z.lo > 0, z.lo, -math.inf), np.where(z.hi < 0, z.hi, math.inf)
    return DoubleInterval(low, high), None


def _fma(
    z: DoubleInterval, a: DoubleInterval, b: DoubleInterval, c: DoubleInterval
) -> Sequence[DoubleInterval]:
    product = doubles.sub(z, c)
    return _quotient(product, b), _quotient(product, a), doubles.sub(z, doubles.mul(a, b))


def _hypot(z: DoubleInterval, x: DoubleInterval, y: DoubleInterval) -> Sequence[DoubleInterval]:
    at_most = DoubleInterval(-z.hi, z.hi)
    return at_most, at_most


#: Reverse operations, by the names of `jets.RULES`.
REVERSES: dict[str, Reverse] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "total": _total,
    "neg": lambda z, x: (doubles.neg(z),), "positive": lambda z, x: (z,),
    "recip": lambda z, x: (_quotient_within(ONE, z, x),),
    "sqr": _sqr, "sqrt": _sqrt, "abs": _abs, "cosh": _cosh, "pown": _pown, "pow": _pow,
    MEET: lambda z, x, y: (z, z), OVER: _div, FACTOR: _div,
    OVER_NONZERO: _over_nonzero,
    ROOT: lambda z, x, sign: (doubles.sqr(z), None), LOG: lambda z, x: (FUNCTIONS["exp"](z),),
    EXP: lambda z, x: (log_with_zero(z),),
    "rsqrt": _rsqrt, "min": _min, "max": _max, "fma": _fma, "hypot": _hypot,
    "copysign": _copysign, "fmod": _fmod,
    "cbrt": lambda z, x: (doubles.pown(z, 3),),
    **{name: _by_inverse(name, inverse) for name, inverse in _INVERSES.items()},
    **{name: _restrict_to_domain(name) for name in ("asin", "acos", "asinpi", "acospi")},
}  # fmt: skip
REVERSES |= {name: REVERSES[other] for name, other in SYNONYMS.items() if other in REVERSES}


# ---------------------------------------------------------------- programs


def contract(
    program: Program,
    values: Sequence[DoubleInterval],
    known: Mapping[int, DoubleInterval],
    operations: Sequence[Step],
) -> list[DoubleInterval]:
    """Return the parts of boxes on which slots have known values; empty where there is none.

    values: the ranges of all slots on the boxes; operations: those whose results there are.
    """
    slots: list[Any] = list(values)
    for slot, value in known.items():
        slots[slot] = doubles.intersection(slots[slot], value)
    is_empty = np.zeros((), bool)
    for step in reversed(operations):
        _propagate(step, slots)
        if step.name not in REVERSES and step.slot in program.own_slots:
            is_empty = is_empty | slots[step.slot].is_empty
    own = slots[: program.count]
    shape = np.broadcast_shapes(is_empty.shape, *(x.shape for x in own))
    if is_empty.any():
        own = [choose(is_empty, EMPTY, x) for x in own]
    return [x.broadcast(shape) for x in own]


def _propagate(step: Step, slots: list[Any]) -> None:
    """Narrow the operands of an operation by its result."""
    reverse = REVERSES.get(step.name)
    if reverse is None:
        return
    operands = [slots[i] for i in step.operands]
    for slot, narrower in zip(
        step.operands, reverse(slots[step.slot], *operands, *step.others), strict=False
    ):
        if narrower is not None:
            slots[slot] = doubles.intersection(slots[slot], narrower)
