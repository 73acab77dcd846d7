"""Elementary functions of intervals between doubles.

The engine computes them in doubles by operations that IEEE 754 fixes to the last bit; no
mathematical library is involved. Bounds are moved outward by more than the error, and are exact
where halfcl's function of a half is. The tests compare with MPFR.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl._core import ElementaryFunction, replace_bounds
from halfcl._tables import ROWS
from halfcl._tables.formulas import Arithmetic, compile_formula
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._bounds.pairs import HALF
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.doubles import (
    MINUS_ONE,
    ONE,
    DoubleInterval,
    around,
    choose,
    from_bounds,
    intersection,
)
from halfcl.interval._functions.elementwise import FUNCTIONS as INTERVAL_FUNCTIONS

#: A function of intervals.
Function: TypeAlias = Callable[[DoubleInterval], DoubleInterval]

LN2, LN10, PI = around(math.log(2)), around(math.log(10)), around(math.pi)


#: Functions that the engine has, by the standard's names: monotone ones, of which cosh is that of
#: magnitudes, and others. Further functions are derived from these.
_BASE: dict[str, Function] = {
    name: ElementaryFunction(name)
    for name in (
        "exp", "exp2", "expm1", "log", "log1p", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
        "cbrt", "atan", "asin", "acos",
    )
}  # fmt: skip
_ANGLES: dict[str, Function] = {
    name: ElementaryFunction(name) for name in ("sin", "cos", "tan", "sinpi", "cospi", "tanpi")
}


# ---------------------------------------------------------------- derived functions


def lift_interval_function(function: Callable[..., Interval]) -> Callable[..., DoubleInterval]:
    """Return a function that applies one of intervals to the intervals of halves around these."""

    def enclose(*operands: object) -> DoubleInterval:
        result = function(
            *(doubles.interval_of(x) if isinstance(x, DoubleInterval) else x for x in operands)
        )
        return from_bounds(result._arrays)

    return enclose


def half_function(name: str) -> Callable[..., DoubleInterval]:
    """Return the function of `halfcl.interval` on the intervals of halves around these."""
    return lift_interval_function(INTERVAL_FUNCTIONS[name])


@functools.cache
def _values_of_halves(name: str) -> DoubleInterval:
    """Return the halves at which a function is exactly a half, in order, and those values."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(HALF)
    function: hc.Function = getattr(hc, name)
    with np.errstate(all="ignore"):
        below, above = function.rtn(halves), function.rtp(halves)
        is_exact = np.equal(below, above) & np.isfinite(below)
    at, index = np.unique(hc.convert_double(halves[is_exact]), return_index=True)
    return DoubleInterval(at, hc.convert_double(below[is_exact][index]))


def _apply_to_magnitudes(function: Function) -> Function:
    return lambda x: function(doubles.magnitudes(x))


def _make_exact(name: str, function: Function) -> Function:
    """Return a monotone function with bounds that are exact where halfcl's function is."""
    falls = ROWS[name].increasing is None

    return lambda x: replace_bounds(function(x), x, falls, _values_of_halves(name))


_CONSTANTS = {
    "M_PI": PI,
    "M_LN2": LN2,
    "M_LN10": LN10,
    "M_2_SQRTPI": around(2 / math.sqrt(math.pi)),
}
_OPERATORS: dict[str, Callable[..., DoubleInterval]] = {
    "add": doubles.add,
    "subtract": doubles.sub,
    "multiply": doubles.mul,
    "divide": doubles.div,
    "negative": doubles.neg,
    "pown": doubles.pown,
}


def number(x: float) -> DoubleInterval:
    """Return a number that is a double; the chain rule drops factors of 1 and -1."""
    return ONE if x == 1 else MINUS_ONE if x == -1 else doubles.point(x)


def _derive(name: str) -> Function:
    """Return a function that the table has as a formula of others."""
    row = ROWS[name]
    basis = Arithmetic(number, _OPERATORS | _BASE | {"sqrt": doubles.sqrt}, _CONSTANTS)
    return compile_formula(row.formula, row.argument_names, basis)


#: Monotone functions that the table has as formulas of others.
_DERIVED = [
    row.name
    for row in ROWS.values()
    if row.is_smooth and row.formula and not row.poles and row.name not in _BASE
]
#: Functions by the standard's names.
FUNCTIONS: dict[str, Function] = {
    **{name: _make_exact(name, _BASE.get(name) or _derive(name)) for name in (*_BASE, *_DERIVED)},
    **_ANGLES,
    "cosh": _apply_to_magnitudes(_make_exact("cosh", _BASE["cosh"])),
    "erf": half_function("erf"),
    "erfc": half_function("erfc"),
    "sqrt": doubles.sqrt,
    "rsqrt": lambda x: doubles.recip(doubles.sqrt(x)),
    "recip": doubles.recip,
    "sqr": doubles.sqr,
    "abs": doubles.magnitudes,
    "neg": doubles.neg,
}


def real_power(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return x^y = exp(y log x) for x > 0, and 0 for x = 0 and y > 0."""
    base = x if (x.lo >= 0).all() else intersection(x, DoubleInterval(0.0, np.inf))
    power = FUNCTIONS["exp"](doubles.mul(y, FUNCTIONS["log"](base)))
    return choose((base.hi == 0) & (y.hi > 0), doubles.ZERO, power)


_QUARTER = doubles.mul(doubles.point(0.5), PI)
_ANGLES_OF_POINTS = DoubleInterval(-PI.hi, PI.hi)
_UPPER, _LOWER = DoubleInterval(0.0, PI.hi), DoubleInterval(-PI.hi, 0.0)


def angle(y: DoubleInterval, x: DoubleInterval) -> DoubleInterval:
    """Return the angle of points, which jumps on the negative x axis, from -pi below it to pi.

    Boxes on both sides of the axis have the enclosure in halves, within that in doubles.
    """
    right, above, below = x.lo > 0, (y.lo >= 0) & (y.hi > 0), y.hi < 0
    result = FUNCTIONS["atan"](doubles.div(y, x))
    if right.all():
        return result
    complement = FUNCTIONS["atan"](doubles.div(x, y))
    upper, lower = (doubles.sub(end, complement) for end in (_QUARTER, doubles.neg(_QUARTER)))
    upper, lower = intersection(upper, _UPPER), intersection(lower, _LOWER)
    result = choose(right, result, choose(above, upper, lower))
    if (right | above | below).all():  # else the function of halves takes the most time
        return result
    others = intersection(half_function("atan2")(y, x), _ANGLES_OF_POINTS)
    return choose(right | above | below, result, others)


#: The arithmetic in which the table's formulas are evaluated.
ARITHMETIC = Arithmetic(number, {**_OPERATORS, **FUNCTIONS, "pow": real_power}, _CONSTANTS)
