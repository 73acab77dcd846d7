"""Elementary functions of intervals between doubles.

Each is computed in doubles from sums, products, quotients and square roots alone, which IEEE 754
fixes to the last bit: no mathematical library takes part. An evaluation is off by less than 2^-46
of the result: a polynomial of 14 terms or less, whose arguments are small, and a few operations
beside it. Bounds are moved outward by four times that. The tests compare with MPFR.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval import _wide as wide
from halfcl.interval._bounds import HALF
from halfcl.interval._functions import FUNCTIONS as OF_INTERVALS
from halfcl.interval._wide import Doubles, Wide, around, choose, intersection, of_bounds

#: Of one double each, near to the function.
Evaluated: TypeAlias = Callable[[Doubles], Doubles]
#: Of intervals.
Function: TypeAlias = Callable[[Wide], Wide]

_ERROR = 2.0**-44  #: of a result, relatively
_TINY = 2.0**-1000  #: of one that has no digits left
_REDUCED = 2.0**-46  #: of a sine, absolutely, whose argument was brought near zero

LN2, LN10, PI = around(math.log(2)), around(math.log(10)), around(math.pi)


def _series(z: Doubles, coefficients: Sequence[float]) -> Doubles:
    """A polynomial, by Horner's rule; the last coefficient is that of the highest power."""
    found = np.full_like(z, coefficients[-1])
    for c in coefficients[-2::-1]:
        found *= z
        found += c
    return found


# ---------------------------------------------------------------- exponentials, logarithms

# ln 2 in two parts, of which the first has 33 bits: its product with an exponent is exact.
_LN2_HIGH, _LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
_OF_EXP = [1 / math.factorial(n) for n in range(15)]
_OF_LOG = [1 / (2 * n + 1) for n in range(12)]


def _exp(x: Doubles) -> Doubles:
    x = np.clip(x, -800.0, 800.0)
    k = np.rint(x * 1.4426950408889634)
    rest = (x - k * _LN2_HIGH) - k * _LN2_LOW
    return np.asarray(np.ldexp(_series(rest, _OF_EXP), k.astype(np.int32)))


def _expm1(x: Doubles) -> Doubles:
    small = np.clip(x, -0.5, 0.5)
    return np.where(np.abs(x) < 0.5, small * _series(small, _OF_EXP[1:]), _exp(x) - 1)


def _exp2(x: Doubles) -> Doubles:
    x = np.clip(x, -1100.0, 1100.0)
    k = np.rint(x)
    rest = (x - k) * math.log(2)
    return np.asarray(np.ldexp(_series(rest, _OF_EXP), k.astype(np.int32)))


def _area_tangent(s: Doubles) -> Doubles:
    """2 atanh(s) = log((1 + s) / (1 - s)) of small s."""
    return 2 * s * _series(s * s, _OF_LOG)


def _log(x: Doubles) -> Doubles:
    m, e = np.frexp(x)
    low = m < math.sqrt(0.5)
    m, k = np.where(low, 2 * m, m), np.where(low, e - 1.0, e)
    found = k * _LN2_HIGH + (_area_tangent((m - 1) / (m + 1)) + k * _LN2_LOW)
    return np.where(np.isinf(x), x, np.where(x == 0, -np.inf, found))


def _log1p(x: Doubles) -> Doubles:
    small = np.clip(x, -0.25, 0.25)
    return np.where(np.abs(x) < 0.25, _area_tangent(small / (2 + small)), _log(1 + x))


# ---------------------------------------------------------------- hyperbolic functions


def _half_of_exp(x: Doubles) -> Doubles:
    """e^x / 2, also where e^x is no double."""
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
    rest = small * small / (1 + np.sqrt(1 + small * small))
    return np.copysign(np.where(a > 2.0**300, _log(a) + math.log(2), _log1p(small + rest)), x)


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

_OF_ATAN = [(-1) ** n / (2 * n + 1) for n in range(14)]


def _atan(x: Doubles) -> Doubles:
    """The angle's quarter is less than pi/16."""
    a = np.abs(x)
    t = np.where(a > 1, 1 / a, a)
    for _ in range(2):
        t = t / (1 + np.sqrt(1 + t * t))
    angle = 4 * t * _series(t * t, _OF_ATAN)
    return np.copysign(np.where(a > 1, math.pi / 2 - angle, angle), x)


def _asin(x: Doubles) -> Doubles:
    return _atan(x / np.sqrt((1 - x) * (1 + x)))


def _acos(x: Doubles) -> Doubles:
    return 2 * _atan(np.sqrt((1 - x) / (1 + x)))


# ---------------------------------------------------------------- monotone functions


def _outward(low: Doubles, high: Doubles, error: float = 0.0) -> Wide:
    below = np.minimum(low, np.finfo(np.float64).max)
    above = np.maximum(high, -np.finfo(np.float64).max)
    return Wide(
        below - (np.abs(below) * _ERROR + (error + _TINY)),
        above + (np.abs(above) * _ERROR + (error + _TINY)),
    )


def _monotone(
    evaluated: Evaluated,
    domain: tuple[float, float] = (-np.inf, np.inf),
    values: tuple[float, float] = (-np.inf, np.inf),
    falls: bool = False,
) -> Function:
    """A monotone function by its values at the bounds."""

    def function(x: Wide) -> Wide:
        inside = intersection(x, Wide(*domain))
        low, high = evaluated(inside.lo), evaluated(inside.hi)
        found = _outward(high, low) if falls else _outward(low, high)
        found = Wide(np.maximum(found.lo, values[0]), np.minimum(found.hi, values[1]))
        at_end = (inside.hi == domain[0]) | (inside.lo == domain[1])  # there alone
        return choose(at_end & np.isinf(low), wide.EMPTY, found)

    return function


_POSITIVE = (0.0, np.inf)
_RIGHT = math.pi / 2 * (1 + _ERROR)

#: By the standard's names; others are made of these.
_BASE: dict[str, Function] = {
    "exp": _monotone(_exp, values=_POSITIVE),
    "exp2": _monotone(_exp2, values=_POSITIVE),
    "expm1": _monotone(_expm1, values=(-1.0, np.inf)),
    "log": _monotone(_log, _POSITIVE),
    "log1p": _monotone(_log1p, (-1.0, np.inf)),
    "sinh": _monotone(_sinh),
    "tanh": _monotone(_tanh, values=(-1.0, 1.0)),
    "asinh": _monotone(_asinh),
    "acosh": _monotone(_acosh, (1.0, np.inf), _POSITIVE),
    "atanh": _monotone(_atanh, (-1.0, 1.0)),
    "cbrt": _monotone(_cbrt),
    "atan": _monotone(_atan, values=(-_RIGHT, _RIGHT)),
    "asin": _monotone(_asin, (-1.0, 1.0), (-_RIGHT, _RIGHT)),
}
_ACOS = _monotone(_acos, (-1.0, 1.0), (0.0, 2 * _RIGHT), falls=True)
_COSH_OF_SIZE = _monotone(_cosh, _POSITIVE, (1.0, np.inf))


# ---------------------------------------------------------------- waves

# pi/2 in three parts, of which the first two have 33 bits: products with a number of quarter
# turns are exact.
_QUARTER = tuple(
    map(float.fromhex, ("0x1.921fb544p0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69"))
)
_FAR = 2.0**17  # beyond this, more than 1e5, no reduction
_OF_SIN = [(-1) ** n / math.factorial(2 * n + 1) for n in range(9)]
_OF_COS = [(-1) ** n / math.factorial(2 * n) for n in range(10)]

#: What an angle is brought to: the rest, at most an eighth of a turn, and how many quarters went.
Reduced: TypeAlias = tuple[Doubles, Doubles]


def _radians(x: Doubles) -> Reduced:
    k = np.rint(x / (math.pi / 2))
    rest = x
    for part in _QUARTER:
        rest = rest - k * part
    return rest, k


def _half_turns(x: Doubles) -> Reduced:
    k = np.rint(2 * x)
    return (x - k / 2) * math.pi, k


def _sine(angle: Reduced, quarters: int) -> Wide:
    """Of an angle and some quarters of a turn, which make a cosine of it."""
    rest, k = angle
    z = rest * rest
    odd = (k + quarters) % 2 == 1
    found = np.where(odd, _series(z, _OF_COS), rest * _series(z, _OF_SIN))
    found = np.where((k + quarters) % 4 >= 2, -found, found)
    whole = (k == 0) & ~odd  # nothing was subtracted
    bounds = choose(whole, _outward(found, found), _outward(found, found, _REDUCED))
    return choose(rest == 0, wide.point(found), intersection(bounds, Wide(-1.0, 1.0)))


def _reaches(x: Wide, place: float, turn: float) -> NDArray[np.bool_]:
    """Whether a place is inside, up to whole turns; so it says where it is close to a bound."""
    low, high = x.lo / turn - place, x.hi / turn - place
    margin = 2.0**-40 + 2.0**-50 * np.maximum(np.abs(low), np.abs(high))
    return np.asarray(np.floor(high + margin) >= np.ceil(low - margin))


def _wave(
    reduce: Callable[[Doubles], Reduced], quarters: int, turn: float, exact: tuple[float, ...]
) -> Function:
    """Sine, or one that is some quarters of a turn ahead.

    exact: where it is extreme, as parts of a turn: the places of maxima, and of minima.
    """
    top, bottom = exact

    def function(x: Wide) -> Wide:
        near = Wide(np.clip(x.lo, -_FAR, _FAR), np.clip(x.hi, -_FAR, _FAR))
        found = wide.hull(_sine(reduce(near.lo), quarters), _sine(reduce(near.hi), quarters))
        found = Wide(
            np.where(_reaches(near, bottom, turn), -1.0, found.lo),
            np.where(_reaches(near, top, turn), 1.0, found.hi),
        )
        far = (near.lo != x.lo) | (near.hi != x.hi)
        return choose(far & ~x.is_empty, Wide(-1.0, 1.0), found)

    return function


def _tangent(reduce: Callable[[Doubles], Reduced], half_turn: float) -> Function:
    """It rises between poles; all numbers where one may be inside."""

    def at(x: Doubles) -> Wide:
        angle = reduce(np.clip(x, -_FAR, _FAR))
        return wide.div(_sine(angle, 0), _sine(angle, 1))

    def function(x: Wide) -> Wide:
        pole = _reaches(x, 0.5, half_turn) | ~(np.maximum(np.abs(x.lo), np.abs(x.hi)) <= _FAR)
        found = Wide(at(x.lo).lo, at(x.hi).hi)
        return choose(pole & ~x.is_empty, wide.ENTIRE, found)

    return function


_ANGLES: dict[str, Function] = {
    "sin": _wave(_radians, 0, 2 * math.pi, (0.25, 0.75)),
    "cos": _wave(_radians, 1, 2 * math.pi, (0.0, 0.5)),
    "tan": _tangent(_radians, math.pi),
    "sinpi": _wave(_half_turns, 0, 2.0, (0.25, 0.75)),
    "cospi": _wave(_half_turns, 1, 2.0, (0.0, 0.5)),
    "tanpi": _tangent(_half_turns, 1.0),
}


# ---------------------------------------------------------------- made of others


def _divided(function: Function, by: Wide) -> Function:
    return lambda x: wide.div(function(x), by)


def _of_product(function: Function, factor: Wide) -> Function:
    return lambda x: function(wide.mul(x, factor))


def half_function(name: str) -> Callable[..., Wide]:
    """What `halfcl.interval`'s function gives of the intervals of halves around these."""
    function = OF_INTERVALS[name]

    def enclose(*operands: Wide | int) -> Wide:
        found = function(*(x.interval() if isinstance(x, Wide) else x for x in operands))
        return of_bounds(found._arrays)

    return enclose


def _value_of_half(name: str, x: Doubles) -> tuple[NDArray[np.bool_], Doubles]:
    """Where a double is a half whose function is one, and that."""
    halves = np.asarray(hc.convert(x, HALF, rounding="rte")).reshape(x.shape)
    function: hc.Function = getattr(hc, name)
    below, above = function.rtn(halves), function.rtp(halves)
    exact = (hc.convert_double(halves) == x) & np.equal(below, above) & np.isfinite(below)
    return np.asarray(exact), np.asarray(hc.convert_double(below))


def _of_size(function: Function) -> Function:
    return lambda x: function(wide.magnitudes(x))


def _exact(name: str, function: Function, falls: bool = False) -> Function:
    """A monotone function, with bounds that are exact where halfcl's function is."""

    def enclose(x: Wide) -> Wide:
        found = function(x)
        low, high = (x.hi, x.lo) if falls else (x.lo, x.hi)
        (at_low, least), (at_high, most) = _value_of_half(name, low), _value_of_half(name, high)
        return Wide(np.where(at_low, least, found.lo), np.where(at_high, most, found.hi))

    return enclose


_MONOTONE: dict[str, Function] = _BASE | {
    "exp10": _of_product(_BASE["exp"], LN10),
    "exp2m1": _of_product(_BASE["expm1"], LN2),
    "exp10m1": _of_product(_BASE["expm1"], LN10),
    "log2": _divided(_BASE["log"], LN2),
    "log10": _divided(_BASE["log"], LN10),
    "log2p1": _divided(_BASE["log1p"], LN2),
    "log10p1": _divided(_BASE["log1p"], LN10),
    "asinpi": _divided(_BASE["asin"], PI),
    "atanpi": _divided(_BASE["atan"], PI),
}
#: By the standard's names.
FUNCTIONS: dict[str, Function] = {
    **{name: _exact(name, function) for name, function in _MONOTONE.items()},
    **_ANGLES,
    "acos": _exact("acos", _ACOS, falls=True),
    "acospi": _exact("acospi", _divided(_ACOS, PI), falls=True),
    "cosh": _of_size(_exact("cosh", _COSH_OF_SIZE)),
    "erf": half_function("erf"),
    "erfc": half_function("erfc"),
    "sqrt": wide.sqrt,
    "rsqrt": lambda x: wide.recip(wide.sqrt(x)),
    "recip": wide.recip,
    "sqr": wide.sqr,
    "abs": wide.magnitudes,
    "neg": wide.neg,
}
