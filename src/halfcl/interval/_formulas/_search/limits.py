"""Limits of formulas at points where they may be undefined, such as log x at zero.

A range is unbounded if the formula has an infinite limit, which no value at a double may show:
log x is -744 at the least double. Each part of a formula has a limit, enclosed by an interval, and
a side from which it is approached; laws of limits lead from operands to results. Where they do not
decide, as for infinity minus infinity, the limit is unknown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._core import combine_codes, signs_of_intervals
from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting._zeros.ratios import RANGES
from halfcl.interval._formulas._rewriting.rules import (
    EXP,
    FACTOR,
    LOG,
    MEET,
    OVER,
    OVER_NONZERO,
    ROOT,
    TIMES_LOG,
)
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.double_functions import FUNCTIONS, PI
from halfcl.interval._formulas.doubles import (
    EMPTY,
    ONE,
    ZERO,
    DoubleInterval,
    Doubles,
    choose,
    point,
)
from halfcl.interval._protocols import SYNONYMS

#: Where limits are approached from: below or above, EQUAL for constants, or unknown.
Sides: TypeAlias = NDArray[np.int8]
BELOW, EQUAL, ABOVE, ANY = -1, 0, 1, 2


def _tabulate(combine: Callable[[int, int], int]) -> Sides:
    """Return a table of two sides."""
    sides = (BELOW, EQUAL, ABOVE, ANY)
    return np.array([[combine(a, b) for b in sides] for a in sides], np.int8)


_SIDES_OF_SUMS = _tabulate(lambda a, b: b if a == EQUAL else a if b in (EQUAL, a) else ANY)
_SIDES_OF_PRODUCTS = _tabulate(lambda a, b: ANY if ANY in (a, b) and EQUAL not in (a, b) else a * b)


class Limit(NamedTuple):
    """Limits of a part of a formula, empty where unknown; infinite ones have equal bounds.

    defined: where the part is known to be defined on the way.
    """

    value: DoubleInterval
    side: Sides
    defined: Truths = np.True_


def _keep_where(where: Truths, value: DoubleInterval) -> DoubleInterval:
    return choose(where, value, EMPTY)


def _sign(x: DoubleInterval) -> Sides:
    """Return the signs of intervals; ANY where they contain zero and others."""
    return signs_of_intervals(x, ANY)


def _is_zero(x: DoubleInterval) -> Truths:
    return np.asarray((x.lo == 0) & (x.hi == 0))


def _is_finite(x: DoubleInterval) -> Truths:
    return x.is_bounded


def _both(a: Sides, b: Sides) -> Sides:
    """Return the side of a sum of parts with these sides."""
    return combine_codes(_SIDES_OF_SUMS, a, b)


def _times(a: Sides, b: Sides) -> Sides:
    return combine_codes(_SIDES_OF_PRODUCTS, a, b)


# ---------------------------------------------------------------- arithmetic


def _neg(x: Limit) -> Limit:
    return Limit(doubles.neg(x.value), np.where(x.side == ANY, ANY, -x.side).astype(np.int8))


def _add(x: Limit, y: Limit) -> Limit:
    total = doubles.add(x.value, y.value)
    return Limit(_keep_where(~np.isnan(total.lo + total.hi), total), _both(x.side, y.side))


def _sub(x: Limit, y: Limit) -> Limit:
    return _add(x, _neg(y))


def _mul(x: Limit, y: Limit) -> Limit:
    a, b = _sign(x.value), _sign(y.value)
    finite = _is_finite(x.value) & _is_finite(y.value)
    sure = (np.abs(a) == 1) & (np.abs(b) == 1)
    value = _keep_where(finite | sure, doubles.mul(x.value, y.value))
    linear = _both(_times(x.side, b), _times(y.side, a))
    return Limit(
        value, np.where((a == 0) & (b == 0), _times(x.side, y.side), linear).astype(np.int8)
    )


def _recip(x: Limit) -> Limit:
    pole = _is_zero(x.value) & (np.abs(x.side) == 1)
    infinity = point(np.where(x.side > 0, np.inf, -np.inf))
    usable = (np.abs(_sign(x.value)) == 1) & ~pole
    value = choose(pole, infinity, _keep_where(usable, doubles.recip(x.value)))
    infinite = np.asarray(np.isinf(x.value.lo) & np.isinf(x.value.hi))  # no number that overflows
    value = choose(usable & infinite, ZERO, value)
    side = np.where(infinite, _sign(x.value), _neg(x).side).astype(np.int8)
    return Limit(value, side)


def _has_reciprocal(x: Limit) -> Truths:
    """Return where the reciprocal has a limit."""
    pole = _is_zero(x.value) & (np.abs(x.side) == 1)
    return np.asarray(pole | (np.abs(_sign(x.value)) == 1))


def _div(x: Limit, y: Limit) -> Limit:
    return _mul(x, _recip(y))


def _abs(x: Limit) -> Limit:
    sign = _sign(x.value)
    side = np.where(sign == 0, np.abs(x.side), _times(x.side, sign)).astype(np.int8)
    return Limit(doubles.magnitudes(x.value), np.where(x.side == ANY, ANY, side).astype(np.int8))


def _sqr(x: Limit) -> Limit:
    size = _abs(x)
    return Limit(doubles.sqr(x.value), size.side)


def _pown(x: Limit, n: object) -> Limit:
    k = int(np.asarray(n).flat[0])
    if k < 0:
        return _recip(_pown(x, -k))
    if k == 0:
        return Limit(choose(x.value.is_empty, EMPTY, ONE), np.full(x.side.shape, EQUAL, np.int8))
    base = _abs(x) if k % 2 == 0 else x
    return Limit(doubles.pown(x.value, k), base.side)


# ---------------------------------------------------------------- monotone functions


class _Ends(NamedTuple):
    """Limits of a rising function at the ends of its domain; None if it has no such end."""

    low: float
    at_low: DoubleInterval | None
    high: float
    at_high: DoubleInterval | None


_MINUS, _PLUS = point(-np.inf), point(np.inf)
_HALF_PI = doubles.mul(point(0.5), PI)
_RISING = {
    **dict.fromkeys(("exp", "exp2", "exp10"), _Ends(-np.inf, ZERO, np.inf, _PLUS)),
    **dict.fromkeys(("log", "log2", "log10"), _Ends(0.0, _MINUS, np.inf, _PLUS)),
    **dict.fromkeys(("sinh", "asinh", "cbrt"), _Ends(-np.inf, _MINUS, np.inf, _PLUS)),
    "expm1": _Ends(-np.inf, point(-1.0), np.inf, _PLUS),
    "log1p": _Ends(-1.0, _MINUS, np.inf, _PLUS),
    "sqrt": _Ends(0.0, ZERO, np.inf, _PLUS),
    "acosh": _Ends(1.0, ZERO, np.inf, _PLUS),
    "tanh": _Ends(-np.inf, point(-1.0), np.inf, ONE),
    "atanh": _Ends(-1.0, _MINUS, 1.0, _PLUS),
    "atan": _Ends(-np.inf, doubles.neg(_HALF_PI), np.inf, _HALF_PI),
}


def _rising(name: str) -> Callable[[Limit], Limit]:
    low, at_low, high, at_high = _RISING[name]
    function = FUNCTIONS[name]

    def limit(x: Limit) -> Limit:
        inside = (x.value.lo > low) & (x.value.hi < high)
        value, side = _keep_where(inside, function(x.value)), x.side
        for end, at_end, beside in ((low, at_low, ABOVE), (high, at_high, BELOW)):
            there = (x.value.lo == end) & (x.value.hi == end)
            there = there & (np.isinf(end) | (x.side == beside))
            value = choose(there, EMPTY if at_end is None else at_end, value)
            side = np.where(there, beside, side).astype(np.int8)
        return Limit(value, side)

    return limit


def _continuous(name: str) -> Callable[..., Limit]:
    function = FUNCTIONS[name]

    def limit(x: Limit) -> Limit:
        value = _keep_where(_is_finite(x.value), function(x.value))
        return Limit(value, np.where(x.side == EQUAL, EQUAL, ANY).astype(np.int8))

    return limit


_exp, _log, _sqrt = (_rising(name) for name in ("exp", "log", "sqrt"))


def _pow(x: Limit, y: Limit) -> Limit:
    return _exp(_mul(y, _log(x)))


def _times_log(x: Limit) -> Limit:
    """Return the limit of x log|x|, which is 0 at 0."""
    product = _mul(x, _log(_abs(x)))
    value = choose(_is_zero(x.value), ZERO, product.value)
    return Limit(value, np.where(x.side == EQUAL, EQUAL, ANY).astype(np.int8))


def _total(*terms: Limit) -> Limit:
    result = terms[0]
    for term in terms[1:]:
        result = _add(result, term)
    return result


# ---------------------------------------------------------------- other forms


def _meet(x: Limit, y: Limit) -> Limit:
    """Return the limit of a part: that of its other form where its own is unknown."""
    known = ~x.value.is_empty
    return Limit(choose(known, x.value, y.value), np.where(known, x.side, y.side).astype(np.int8))


def _root(x: Limit, sign: Limit) -> Limit:
    """Return the limit of a root that has the sign of another part."""
    root, negative = _sqrt(x), _sign(sign.value) < 0
    usable = (np.abs(_sign(sign.value)) == 1) & ~root.value.is_empty
    value = choose(negative, doubles.neg(root.value), root.value)
    return Limit(_keep_where(usable, value), np.full(root.side.shape, ANY, np.int8))


def _of_range(function: Callable[..., DoubleInterval]) -> Callable[..., Limit]:
    """Return the law of a function that is continuous, at infinity, too."""

    def limit(x: Limit, *others: object) -> Limit:
        side = np.where(x.side == EQUAL, EQUAL, ANY).astype(np.int8)
        return Limit(function(x.value, *others), side)

    return limit


def _unknown(*operands: Limit) -> Limit:
    """Return no limit, for operations without a law."""
    return Limit(choose(np.True_, EMPTY, operands[0].value), operands[0].side)


#: The laws of limits, by the names of `jets.RULES`; those of other operations are unknown.
_LAWS: dict[str, Callable[..., Limit]] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "recip": _recip,
    "abs": _abs, "sqr": _sqr, "pown": _pown, "pow": _pow, "total": _total,
    "positive": lambda x: x, "rsqrt": lambda x: _recip(_sqrt(x)),
    MEET: _meet, OVER: _div, OVER_NONZERO: _div, FACTOR: _div, ROOT: _root,
    LOG: _log, EXP: _exp, TIMES_LOG: _times_log,
    "fma": lambda a, b, c: _add(_mul(a, b), c),
    **{name: _rising(name) for name in _RISING},
    **{name: _of_range(function) for name, function in RANGES.items()},
    **{name: _continuous(name) for name in ("sin", "cos", "cosh", "erf", "erfc")},
}  # fmt: skip
_LAWS |= {name: _LAWS[other] for name, other in SYNONYMS.items() if other in _LAWS}

QUOTIENTS = ("div", "divide", OVER, OVER_NONZERO, FACTOR)
#: Operations that are defined for all operands, whether or not they have a limit.
TOTAL = {
    "add", "sub", "mul", "neg", "abs", "sqr", "total", "positive", "fma", "exp", "exp2", "exp10",
    "sinh", "asinh", "cbrt", "expm1", "tanh", "atan", "sin", "cos", "cosh", "erf", "erfc",
    "floor", "ceil", "trunc", "sign", "min", "max",
}  # fmt: skip
TOTAL |= {name for name, other in SYNONYMS.items() if other in TOTAL}


def limits(program: Program, at: Doubles, sides: Sides) -> DoubleInterval:
    """Return the limits of a program at points, empty where unknown.

    at, sides: the points and from where each variable approaches them, with a row per variable.
    """
    steps = program.steps_for({program.roots[0]})
    slots: dict[int, Limit] = {
        i: Limit(point(x), side) for i, (x, side) in enumerate(zip(at, sides, strict=True))
    }
    constant = np.zeros(at.shape[1], np.int8)
    for slot, jet in program.constants.items():
        value = DoubleInterval(
            np.full(at.shape[1], jet.value.lo), np.full(at.shape[1], jet.value.hi)
        )
        slots[slot] = Limit(value, constant)
    for step in steps:
        slots[step.slot] = _apply(step, [slots[i] for i in step.operands])
    return _if_defined(slots[program.roots[0]])


def _if_defined(x: Limit) -> DoubleInterval:
    """Return the limits of a part that is defined on the way."""
    return _keep_where(x.defined, x.value)


def _apply(step: Step, operands: Sequence[Limit]) -> Limit:
    """Return the limit of an operation; unknown operands make it unknown."""
    value, side, _ = _LAWS.get(step.name, _unknown)(*operands, *step.others)
    defined = operands[0].defined
    if step.name == MEET:  # it is defined where the first is, and may have the limit of the other
        return Limit(value, side, defined)
    unknown = operands[0].value.is_empty
    for x in operands[1:]:
        unknown, defined = unknown | x.value.is_empty, defined & x.defined
    value = choose(unknown, EMPTY, value)
    if step.name in QUOTIENTS:  # the divisor is not zero on the way, even if both have limits 0
        return Limit(value, side, defined & _has_reciprocal(operands[1]))
    return Limit(value, side, defined if step.name in TOTAL else defined & ~value.is_empty)


def propagate(
    program: Program,
    steps: Sequence[Step],
    seeds: dict[int, Limit],
    others: Callable[[int], Limit],
) -> DoubleInterval | None:
    """Return the limits of a program that follow from those of some slots; None if there is none.

    others: returns finite ranges of slots that do not depend on these, as limits from any side.
    """
    slots, range_of = dict(seeds), functools.cache(others)
    for step in steps:
        if step.slot in seeds or not any(i in slots for i in step.operands):
            continue
        slots[step.slot] = _apply(
            step, [slots[i] if i in slots else range_of(i) for i in step.operands]
        )
    root = slots.get(program.roots[0])
    return None if root is None else _if_defined(root)
