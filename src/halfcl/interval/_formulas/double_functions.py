"""Elementary functions of intervals between doubles.

Each is computed in doubles by sums, products, quotients and square roots alone, which IEEE 754
fixes to the last bit; no mathematical library is involved. The error of an evaluation is less than
2^-46 of the result: it has a polynomial of 14 terms or less, whose arguments are small, and a few
other operations. Bounds are moved outward by four times that. The tests compare with MPFR.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._tables import ROWS
from halfcl._tables.formulas import Arithmetic, compile_formula
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._bounds.pairs import HALF
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.doubles import (
    ONE,
    DoubleInterval,
    Doubles,
    around,
    choose,
    from_bounds,
    intersection,
)
from halfcl.interval._functions.elementwise import FUNCTIONS as INTERVAL_FUNCTIONS

#: A function of doubles that approximates a function.
Approximation: TypeAlias = Callable[[Doubles], Doubles]
#: A function of intervals.
Function: TypeAlias = Callable[[DoubleInterval], DoubleInterval]

_ERROR = 2.0**-44  #: relative error of a result
_TINY = 2.0**-1000  #: absolute error of a result that has underflowed
_REDUCTION_ERROR = 2.0**-46  #: absolute error of a sine whose argument was reduced

_POSITIVE = (0.0, np.inf)
LN2, LN10, PI = around(math.log(2)), around(math.log(10)), around(math.pi)


def _series(z: Doubles, coefficients: Sequence[float]) -> Doubles:
    """Return a polynomial by Horner's rule; the last coefficient is that of the highest power."""
    total = np.full_like(z, coefficients[-1])
    for c in coefficients[-2::-1]:
        total *= z
        total += c
    return total


# ---------------------------------------------------------------- exponentials, logarithms

# ln 2 as a sum of two doubles. The first has 33 bits, so its product with an exponent is exact.
_LN2_HIGH, _LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
_EXP_SERIES = [1 / math.factorial(n) for n in range(15)]
_LOG_SERIES = [1 / (2 * n + 1) for n in range(12)]


def _exp(x: Doubles) -> Doubles:
    x = np.clip(x, -800.0, 800.0)
    k = np.rint(x * 1.4426950408889634)
    remainder = (x - k * _LN2_HIGH) - k * _LN2_LOW
    return np.asarray(np.ldexp(_series(remainder, _EXP_SERIES), k.astype(np.int32)))


def _expm1(x: Doubles) -> Doubles:
    small = np.clip(x, -0.5, 0.5)
    return np.where(np.abs(x) < 0.5, small * _series(small, _EXP_SERIES[1:]), _exp(x) - 1)


def _exp2(x: Doubles) -> Doubles:
    x = np.clip(x, -1100.0, 1100.0)
    k = np.rint(x)
    remainder = (x - k) * math.log(2)
    return np.asarray(np.ldexp(_series(remainder, _EXP_SERIES), k.astype(np.int32)))


def _area_tangent(s: Doubles) -> Doubles:
    """Return 2 atanh(s) = log((1 + s) / (1 - s)) for small s."""
    return 2 * s * _series(s * s, _LOG_SERIES)


def _log(x: Doubles) -> Doubles:
    m, e = np.frexp(x)
    low = m < math.sqrt(0.5)
    m, k = np.where(low, 2 * m, m), np.where(low, e - 1.0, e)
    result = k * _LN2_HIGH + (_area_tangent((m - 1) / (m + 1)) + k * _LN2_LOW)
    return np.where(np.isinf(x), x, np.where(x == 0, -np.inf, result))


def _log1p(x: Doubles) -> Doubles:
    small = np.clip(x, -0.25, 0.25)
    return np.where(np.abs(x) < 0.25, _area_tangent(small / (2 + small)), _log(1 + x))


# ---------------------------------------------------------------- hyperbolic functions


def _half_of_exp(x: Doubles) -> Doubles:
    """Return e^x / 2, also where e^x overflows."""
    root = _exp(x / 2)
    return root / 2 * root


def _sinh(x: Doubles) -> Doubles:
    a = np.abs(x)
    t = _expm1(np.minimum(a, 32.0))
    return np.copysign(np.where(a < 32, (t + t / (t + 1)) / 2, _half_of_exp(a)), x)


def _cosh(x: Doubles) -> Doubles:
    a = np.abs(x)
    t = _exp(np.minimum(a, 32.0))
    return np.where(a < 32, (t + 1 / t) / 2, _half_of_exp(a))


def _tanh(x: Doubles) -> Doubles:
    t = _expm1(2 * np.abs(x))
    return np.copysign(np.where(np.isinf(t), 1.0, t / (t + 2)), x)


def _asinh(x: Doubles) -> Doubles:
    a = np.abs(x)
    small = np.minimum(a, 2.0**300)
    remainder = small * small / (1 + np.sqrt(1 + small * small))
    return np.copysign(np.where(a > 2.0**300, _log(a) + math.log(2), _log1p(small + remainder)), x)


def _acosh(x: Doubles) -> Doubles:
    t = np.minimum(x, 2.0**300) - 1
    return np.where(x > 2.0**300, _log(x) + math.log(2), _log1p(t + np.sqrt(t * (t + 2))))


def _atanh(x: Doubles) -> Doubles:
    a = np.abs(x)
    return np.copysign(_log1p(2 * a / (1 - a)) / 2, x)


def _cbrt(x: Doubles) -> Doubles:
    m, e = np.frexp(np.abs(x))
    k = np.floor_divide(e, 3)
    root = np.ldexp(_exp(_log(np.ldexp(m, e - 3 * k)) / 3), k)
    return np.copysign(np.where(np.isinf(x), np.inf, root), x)


# ---------------------------------------------------------------- inverse trigonometric functions

_ATAN_SERIES = [(-1) ** n / (2 * n + 1) for n in range(14)]


def _atan(x: Doubles) -> Doubles:
    """Return the arc tangent; the series is evaluated at a quarter of the angle, below pi/16."""
    a = np.abs(x)
    t = np.where(a > 1, 1 / a, a)
    for _ in range(2):
        t = t / (1 + np.sqrt(1 + t * t))
    angle = 4 * t * _series(t * t, _ATAN_SERIES)
    return np.copysign(np.where(a > 1, math.pi / 2 - angle, angle), x)


def _asin(x: Doubles) -> Doubles:
    return _atan(x / np.sqrt((1 - x) * (1 + x)))


def _acos(x: Doubles) -> Doubles:
    return 2 * _atan(np.sqrt((1 - x) / (1 + x)))


# ---------------------------------------------------------------- monotone functions


def _outward(low: Doubles, high: Doubles, error: float = 0.0) -> DoubleInterval:
    below = np.minimum(low, np.finfo(np.float64).max)
    above = np.maximum(high, -np.finfo(np.float64).max)
    return DoubleInterval(
        below - (np.abs(below) * _ERROR + (error + _TINY)),
        above + (np.abs(above) * _ERROR + (error + _TINY)),
    )


def _monotone(
    name: str, approximate: Approximation, values: tuple[float, float] = (-np.inf, np.inf)
) -> Function:
    """Return a monotone function of intervals from its approximation at the bounds."""
    row = ROWS[name]
    domain, falls = (row.domain.low, row.domain.high), row.increasing is None

    def function(x: DoubleInterval) -> DoubleInterval:
        inside = intersection(x, DoubleInterval(*domain))
        low, high = approximate(inside.lo), approximate(inside.hi)
        result = _outward(high, low) if falls else _outward(low, high)
        result = DoubleInterval(np.maximum(result.lo, values[0]), np.minimum(result.hi, values[1]))
        at_end = (inside.hi == domain[0]) | (inside.lo == domain[1])  # only an end of the domain
        return choose(at_end & np.isinf(low), doubles.EMPTY, result)

    return function


_RIGHT = math.pi / 2 * (1 + _ERROR)
#: Approximations with the values that they may have, by the standard's names. Other functions are
#: derived from these; cosh is that of magnitudes.
_BASE: dict[str, Function] = {
    "exp": _monotone("exp", _exp, _POSITIVE),
    "exp2": _monotone("exp2", _exp2, _POSITIVE),
    "expm1": _monotone("expm1", _expm1, (-1.0, np.inf)),
    "log": _monotone("log", _log),
    "log1p": _monotone("log1p", _log1p),
    "sinh": _monotone("sinh", _sinh),
    "cosh": _monotone("cosh", _cosh, (1.0, np.inf)),
    "tanh": _monotone("tanh", _tanh, (-1.0, 1.0)),
    "asinh": _monotone("asinh", _asinh),
    "acosh": _monotone("acosh", _acosh, _POSITIVE),
    "atanh": _monotone("atanh", _atanh),
    "cbrt": _monotone("cbrt", _cbrt),
    "atan": _monotone("atan", _atan, (-_RIGHT, _RIGHT)),
    "asin": _monotone("asin", _asin, (-_RIGHT, _RIGHT)),
    "acos": _monotone("acos", _acos, (0.0, 2 * _RIGHT)),
}


# ---------------------------------------------------------------- trigonometric functions

# pi/2 as a sum of three doubles. The first two have 33 bits, so their products with a number of
# quarter turns are exact.
_QUARTER = tuple(
    map(float.fromhex, ("0x1.921fb544p0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69"))
)
_FAR = 2.0**17  # angles beyond this, more than 1e5, are not reduced
_SIN_SERIES = [(-1) ** n / math.factorial(2 * n + 1) for n in range(9)]
_COS_SERIES = [(-1) ** n / math.factorial(2 * n) for n in range(10)]

#: A reduced angle: the rest, at most an eighth of a turn, and the number of quarter turns removed.
ReducedAngle: TypeAlias = tuple[Doubles, Doubles]


def _radians(x: Doubles) -> ReducedAngle:
    k = np.rint(x / (math.pi / 2))
    remainder = x
    for term in _QUARTER:
        remainder = remainder - k * term
    return remainder, k


def _half_turns(x: Doubles) -> ReducedAngle:
    k = np.rint(2 * x)
    return (x - k / 2) * math.pi, k


def _sine(angle: ReducedAngle, quarters: int) -> DoubleInterval:
    """Return the sine of an angle plus some quarter turns; one quarter turn makes it the cosine."""
    remainder, k = angle
    z = remainder * remainder
    odd = (k + quarters) % 2 == 1
    result = np.where(odd, _series(z, _COS_SERIES), remainder * _series(z, _SIN_SERIES))
    result = np.where((k + quarters) % 4 >= 2, -result, result)
    is_unreduced = (k == 0) & ~odd  # the angle was not reduced
    bounds = choose(
        is_unreduced, _outward(result, result), _outward(result, result, _REDUCTION_ERROR)
    )
    return choose(
        remainder == 0, doubles.point(result), intersection(bounds, DoubleInterval(-1.0, 1.0))
    )


def _reaches(x: DoubleInterval, place: float, turn: float) -> NDArray[np.bool_]:
    """Return whether a place is inside, modulo whole turns; also true if it is close to a bound."""
    low, high = x.lo / turn - place, x.hi / turn - place
    margin = 2.0**-40 + 2.0**-50 * np.maximum(np.abs(low), np.abs(high))
    return np.asarray(np.floor(high + margin) >= np.ceil(low - margin))


def _wave(
    reduce: Callable[[Doubles], ReducedAngle], quarters: int, turn: float, exact: tuple[float, ...]
) -> Function:
    """Return the sine function, or the one that is some quarter turns ahead.

    exact: the positions of the maxima and the minima, as fractions of a turn.
    """
    top, bottom = exact

    def function(x: DoubleInterval) -> DoubleInterval:
        near = DoubleInterval(np.clip(x.lo, -_FAR, _FAR), np.clip(x.hi, -_FAR, _FAR))
        result = doubles.hull(_sine(reduce(near.lo), quarters), _sine(reduce(near.hi), quarters))
        result = DoubleInterval(
            np.where(_reaches(near, bottom, turn), -1.0, result.lo),
            np.where(_reaches(near, top, turn), 1.0, result.hi),
        )
        far = (near.lo != x.lo) | (near.hi != x.hi)
        return choose(far & ~x.is_empty, DoubleInterval(-1.0, 1.0), result)

    return function


def _tangent(reduce: Callable[[Doubles], ReducedAngle], half_turn: float) -> Function:
    """Return the tangent function, which is all numbers where a pole may be inside."""

    def at(x: Doubles) -> DoubleInterval:
        angle = reduce(np.clip(x, -_FAR, _FAR))
        return doubles.div(_sine(angle, 0), _sine(angle, 1))

    def function(x: DoubleInterval) -> DoubleInterval:
        pole = _reaches(x, 0.5, half_turn) | ~(np.maximum(np.abs(x.lo), np.abs(x.hi)) <= _FAR)
        result = DoubleInterval(at(x.lo).lo, at(x.hi).hi)
        return choose(pole & ~x.is_empty, doubles.ENTIRE, result)

    return function


_ANGLES: dict[str, Function] = {
    "sin": _wave(_radians, 0, 2 * math.pi, (0.25, 0.75)),
    "cos": _wave(_radians, 1, 2 * math.pi, (0.0, 0.5)),
    "tan": _tangent(_radians, math.pi),
    "sinpi": _wave(_half_turns, 0, 2.0, (0.25, 0.75)),
    "cospi": _wave(_half_turns, 1, 2.0, (0.0, 0.5)),
    "tanpi": _tangent(_half_turns, 1.0),
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


def _value_of_half(name: str, x: Doubles) -> tuple[NDArray[np.bool_], Doubles]:
    """Return where a double is a half at which the function is exactly a half, and that value."""
    halves = np.asarray(hc.convert(x, HALF, rounding="rte")).reshape(x.shape)
    function: hc.Function = getattr(hc, name)
    below, above = function.rtn(halves), function.rtp(halves)
    exact = (hc.convert_double(halves) == x) & np.equal(below, above) & np.isfinite(below)
    return np.asarray(exact), np.asarray(hc.convert_double(below))


def _apply_to_magnitudes(function: Function) -> Function:
    return lambda x: function(doubles.magnitudes(x))


def _make_exact(name: str, function: Function) -> Function:
    """Return a monotone function with bounds that are exact where halfcl's function is."""
    falls = ROWS[name].increasing is None

    def enclose(x: DoubleInterval) -> DoubleInterval:
        result = function(x)
        low, high = (x.hi, x.lo) if falls else (x.lo, x.hi)
        (at_low, least), (at_high, most) = _value_of_half(name, low), _value_of_half(name, high)
        return DoubleInterval(
            np.where(at_low, least, result.lo), np.where(at_high, most, result.hi)
        )

    return enclose


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
    """Return a number that is a double; the chain rule drops factors of `ONE`."""
    return ONE if x == 1 else doubles.point(x)


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


def angle(y: DoubleInterval, x: DoubleInterval) -> DoubleInterval:
    """Return the angle of points off the negative x axis, elsewhere the enclosure in halves.

    On that axis the angle jumps.
    """
    quarter = doubles.mul(doubles.point(0.5), PI)
    complement = FUNCTIONS["atan"](doubles.div(x, y))
    angle = choose(y.lo > 0, doubles.sub(quarter, complement), half_function("atan2")(y, x))
    angle = choose(y.hi < 0, doubles.sub(doubles.neg(quarter), complement), angle)
    return choose(x.lo > 0, FUNCTIONS["atan"](doubles.div(y, x)), angle)


#: The arithmetic in which the table's formulas are evaluated.
ARITHMETIC = Arithmetic(number, {**_OPERATORS, **FUNCTIONS, "pow": real_power}, _CONSTANTS)
