"""Ranges of functions divided by their operands, and of powers times exponentials.

sin u / u, (exp u - 1) / u and such have no pole at zero, where they are 1, and are monotone on wide
intervals; u^k exp u has the limit 0 for u to minus infinity, and turns at u = -k and at zero. Each
range follows from values at a few points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from halfcl._tables import ROWS
from halfcl._tables.formulas import compile_formula
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.double_functions import ARITHMETIC, FUNCTIONS
from halfcl.interval._formulas.doubles import (
    ENTIRE,
    ONE,
    ZERO,
    DoubleInterval,
    Doubles,
    choose,
    point,
)
from halfcl.interval._formulas.jets import (
    LIPSCHITZ,
    RULES,
    UNDEFINED,
    Jet,
    chain,
    levels,
    no_seconds,
)

#: A function of intervals.
Range = Callable[[DoubleInterval], DoubleInterval]

#: The name of u^k exp u; no function that users may call has such a name.
POWER_EXP = "power times exponential"
#: u^k exp u is below the least double for u below this and for k up to 8.
_FAR = -4000.0
#: Below the point in (pi, 3 pi / 2) at which sin u / u is the least; below that value; and above
#: all values beyond that point.
_TURN, _LEAST, _MOST = 4.4934, -0.21724, 0.12838
#: Below half a turn.
_BEFORE_POLE = 1.5707


class _Shape(NamedTuple):
    """The shape of a function divided by its operand, on its domain from low to high.

    is_even: then monotone in magnitudes. rises: whether it rises, or rises with magnitudes.
    """

    low: float
    high: float
    is_even: bool
    rises: bool


_EVEN_FALLING = _Shape(-np.inf, np.inf, True, False)
#: The functions with f(0) = 0 and f'(0) = 1 whose shares f(u) / u are monotone.
#:
#: f(u) / u is the mean of f' between 0 and u. That mean falls with u where f' falls from zero on
#: (tanh, atan, asinh, and log1p everywhere), and rises where f' rises (sinh, asin, atanh, and expm1
#: everywhere).
_SHAPES = {
    **dict.fromkeys(("tanh", "atan", "asinh"), _EVEN_FALLING),
    "sinh": _Shape(-np.inf, np.inf, True, True),
    **dict.fromkeys(("asin", "atanh"), _Shape(-1.0, 1.0, True, True)),
    "expm1": _Shape(-np.inf, np.inf, False, True),
    "log1p": _Shape(-1.0, np.inf, False, False),
}


def _at(name: str, u: Doubles) -> DoubleInterval:
    """Return f(u) / u at finite points; 1 at zero."""
    share = doubles.div(FUNCTIONS[name](point(u)), point(u))
    return choose(u == 0, ONE, share)


def _monotone(name: str) -> Range:
    """Return the range of a share that is monotone on its domain, and not negative."""
    low, high, is_even, rises = _SHAPES[name]

    def share(u: DoubleInterval) -> DoubleInterval:
        at = doubles.magnitudes(u) if is_even else u
        first, last = np.fmax(at.lo, low), np.fmin(at.hi, high)
        near, far = (_at(name, end) for end in (first, last))
        below, above = (near.lo, far.hi) if rises else (far.lo, near.hi)
        first_is_far, last_is_far = np.isinf(first), np.isinf(last)
        if rises:  # from the limit 0, or from 1, to infinity
            below, above = np.where(first_is_far, 0.0, below), np.where(last_is_far, np.inf, above)
        else:
            below, above = np.where(last_is_far, 0.0, below), np.where(first_is_far, np.inf, above)
        least, most = (1.0, np.inf) if is_even and rises else (0.0, 1.0 if is_even else np.inf)
        below, above = np.fmax(below, least), np.fmin(above, most)
        return choose(first <= last, DoubleInterval(below, above), ENTIRE)

    return share


def _sine(u: DoubleInterval) -> DoubleInterval:
    """Return the range of sin u / u, which falls from 1 at zero to its least value."""
    size = doubles.magnitudes(u)
    near, far = _at("sin", size.lo), _at("sin", np.fmin(size.hi, _TURN))
    falls = size.hi <= _TURN
    low = np.where(falls, far.lo, _LEAST)
    high = np.where(size.lo <= _TURN, np.fmax(near.hi, np.where(falls, near.hi, _MOST)), _MOST)
    result = DoubleInterval(low, np.fmin(high, 1.0))
    others = doubles.div(FUNCTIONS["sin"](size), size)
    narrower = doubles.intersection(result, others)
    return choose(size.lo > 0, choose(narrower.is_empty, result, narrower), result)


def _tangent(u: DoubleInterval) -> DoubleInterval:
    """Return the range of tan u / u, which rises with the magnitude up to the first pole."""
    size = doubles.magnitudes(u)
    near, far = _at("tan", size.lo), _at("tan", np.fmin(size.hi, _BEFORE_POLE))
    rising = DoubleInterval(np.fmax(near.lo, 1.0), far.hi)
    return choose(size.hi <= _BEFORE_POLE, rising, doubles.div(FUNCTIONS["tan"](size), size))


#: Between these bounds shares have slopes; elsewhere everywhere.
_DOMAINS = {
    **dict.fromkeys(("asin", "atanh"), (-1.0, 1.0)),
    "log1p": (-1.0, np.inf),
    "tan": (-_BEFORE_POLE, _BEFORE_POLE),
}
#: The ranges of shares, by the standard's names of functions.
SHARES: dict[str, Range] = {
    **{name: _monotone(name) for name in _SHAPES}, "sin": _sine, "tan": _tangent,
}  # fmt: skip


def share_of(name: str) -> str:
    """Return the name of the operation that divides a function by its operand."""
    return f"{name} over its operand"


def power_exp(u: DoubleInterval, k: int) -> DoubleInterval:
    """Return the range of u^k exp u, for k from 1 to 8.

    Its derivative u^(k - 1) (u + k) exp u is zero at -k and perhaps at zero, where it is zero, too.
    """

    def at(x: Doubles) -> DoubleInterval:
        end = point(np.clip(x, _FAR, np.inf))
        value = doubles.mul(doubles.pown(end, k), FUNCTIONS["exp"](end))
        value = choose(np.isposinf(x), point(np.inf), value)
        return choose(x < _FAR, doubles.hull(value, ZERO), value)

    result = doubles.hull(at(u.lo), at(u.hi))
    result = choose(u.has(-k), doubles.hull(result, at(np.asarray(-k, np.float64))), result)
    return choose(u.has(0), doubles.hull(result, ZERO), result)


# ---------------------------------------------------------------- operations on jets


def _share_rule(name: str) -> Callable[..., Jet]:
    """Return the operation f(u) / u, with slopes.

    It is the mean of f' between 0 and u, so its slope is the mean of s f''(s u) for s from 0 to 1:
    half of a number of f'' between 0 and u. Elsewhere it is (f'(u) - f(u) / u) / u, too.
    """
    function, row = SHARES[name], ROWS[name]
    first, second = (
        compile_formula(texts[0], row.argument_names, ARITHMETIC)
        for texts in (row.derivatives, row.second_derivatives)
    )
    low, high = _DOMAINS.get(name, (-np.inf, np.inf))

    def rule(x: Jet) -> Jet:
        u, value = x.value, function(x.value)
        inside = (low < u.lo) & (u.hi < high)

        def slope() -> DoubleInterval:
            mean = doubles.mul(point(0.5), second(doubles.hull(u, ZERO)))
            other = doubles.div(doubles.sub(first(u), value), u)
            narrower = doubles.intersection(mean, choose(u.has(0), ENTIRE, other))
            return choose(narrower.is_empty, mean, narrower)

        known = choose(u.is_empty | value.is_empty, ENTIRE, value)
        level = levels(inside, LIPSCHITZ, UNDEFINED)
        return chain((x,), known, lambda: [slope()], no_seconds, level)

    return rule


def _power_exp_rule(x: Jet, k: int) -> Jet:
    u, value = x.value, power_exp(x.value, k)

    def of_order(n: int) -> DoubleInterval:
        return power_exp(u, n) if n else FUNCTIONS["exp"](u)

    def slope() -> DoubleInterval:
        return doubles.add(value, doubles.mul(point(float(k)), of_order(k - 1)))

    def curvature() -> DoubleInterval:
        total = doubles.add(value, doubles.mul(point(2.0 * k), of_order(k - 1)))
        if k == 1:
            return total
        return doubles.add(total, doubles.mul(point(k * (k - 1.0)), of_order(k - 2)))

    known = choose(u.is_empty | value.is_empty, ENTIRE, value)
    return chain((x,), known, lambda: [slope()], lambda: {(0, 0): curvature()})


#: The ranges of all these operations, by their names.
RANGES: dict[str, Callable[..., DoubleInterval]] = {
    **{share_of(name): function for name, function in SHARES.items()},
    POWER_EXP: power_exp,
}
RULES.update({share_of(name): _share_rule(name) for name in SHARES})
RULES[POWER_EXP] = _power_exp_rule
