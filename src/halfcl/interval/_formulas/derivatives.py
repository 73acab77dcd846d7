"""Derivatives of operations for jets: tables of elementary functions, and rules for the others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np

from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._formulas import double_functions as functions, doubles
from halfcl.interval._formulas.doubles import ONE, ZERO, Doubles, Wide, around, choose, point
from halfcl.interval._formulas.jets import (
    DEFINED,
    FUNCTIONS,
    INTEGER_OPERATIONS,
    LIPSCHITZ,
    RULES,
    SMOOTH,
    UNDEFINED,
    Jet,
    Levels,
    Seconds,
    apply_rule,
    chain,
    constant,
    levels,
    no_seconds,
    single_result,
)
from halfcl.interval._functions.elementwise import integers_of
from halfcl.interval._protocols import SYNONYMS

# ---------------------------------------------------------------- functions of one number

_Key = TypeVar("_Key")
#: A derivative, from the ranges of the argument and of the function.
Derivative: TypeAlias = Callable[[Wide, Wide], Wide]


@dataclasses.dataclass(frozen=True)
class Elementary:
    """A function that is smooth inside its domain, with derivatives in terms of x and the value y.

    closed: whether the function is defined at finite ends of the domain, too.
    """

    first: Derivative
    second: Derivative
    domain: tuple[float, float] = (-math.inf, math.inf)
    closed: bool = False

    def level(self, x: Wide) -> Levels:
        """Return what is known of the function on ranges x."""
        low, high = self.domain
        inside = (x.lo > low) | (low == -math.inf), (x.hi < high) | (high == math.inf)
        if not self.closed:
            return levels(inside[0] & inside[1])
        defined = levels((x.lo >= low) & (x.hi <= high), DEFINED)
        return np.where(inside[0] & inside[1], np.uint8(SMOOTH), defined)


def _square_plus(x: Wide, c: float, sign: int = 1) -> Wide:
    """Return c + x^2, or c - x^2 if the sign is negative."""
    square = doubles.sqr(x)
    return doubles.add(point(c), square if sign > 0 else doubles.neg(square))


def _product(*factors: Wide) -> Wide:
    product = factors[0]
    for factor in factors[1:]:
        product = doubles.mul(product, factor)
    return product


_FUNCTIONS = functions.FUNCTIONS
_LN2, _LN10, _PI = functions.LN2, functions.LN10, functions.PI
_PER_LN2, _PER_LN10 = doubles.recip(_LN2), doubles.recip(_LN10)
_ERF_SCALE = around(2 / math.sqrt(math.pi))
_UNIT, _RIGHT, _BEYOND = (-1.0, 1.0), (0.0, math.inf), (-1.0, math.inf)


def _exponential(name: str, scale: Wide) -> Elementary:
    power = _FUNCTIONS[name]
    return Elementary(
        lambda x, y: doubles.mul(scale, power(x)),
        lambda x, y: doubles.mul(doubles.sqr(scale), power(x)),
    )


def _logarithm(scale: Wide, shift: float) -> Elementary:
    return Elementary(
        lambda x, y: doubles.div(scale, doubles.add(x, point(shift))),
        lambda x, y: doubles.neg(doubles.div(scale, doubles.sqr(doubles.add(x, point(shift))))),
        (-shift, math.inf),
    )


def _sine(name: str, derivative: str, sign: int, scale: Wide) -> Elementary:
    other, own = _FUNCTIONS[derivative], _FUNCTIONS[name]
    square = doubles.neg(doubles.sqr(scale))
    factor = scale if sign > 0 else doubles.neg(scale)
    return Elementary(
        lambda x, y: doubles.mul(factor, other(x)), lambda x, y: doubles.mul(square, own(x))
    )


def _tangent(scale: Wide) -> Elementary:
    def first(x: Wide, y: Wide) -> Wide:
        return doubles.mul(scale, _square_plus(y, 1.0))

    return Elementary(
        first, lambda x, y: _product(doubles.sqr(scale), point(2.0), y, _square_plus(y, 1.0))
    )


def _arc_sine(scale: Wide) -> Elementary:
    def first(x: Wide, y: Wide) -> Wide:
        return doubles.div(scale, doubles.sqrt(_square_plus(x, 1.0, -1)))

    def second(x: Wide, y: Wide) -> Wide:
        square = _square_plus(x, 1.0, -1)
        return doubles.mul(scale, doubles.div(x, doubles.mul(square, doubles.sqrt(square))))

    return Elementary(first, second, _UNIT, closed=True)


def _arc_tangent(scale: Wide) -> Elementary:
    return Elementary(
        lambda x, y: doubles.div(scale, _square_plus(x, 1.0)),
        lambda x, y: doubles.div(
            _product(point(-2.0), scale, x), doubles.sqr(_square_plus(x, 1.0))
        ),
    )


def _linear(scale: Wide) -> Elementary:
    return Elementary(lambda x, y: scale, lambda x, y: ZERO)


def _error_function(sign: float) -> Elementary:
    def first(x: Wide, y: Wide) -> Wide:
        return _product(point(sign), _ERF_SCALE, _FUNCTIONS["exp"](doubles.neg(doubles.sqr(x))))

    return Elementary(first, lambda x, y: _product(point(-2.0), x, first(x, y)))


_PER_PI = doubles.recip(_PI)
_HALF, _MINUS = point(0.5), point(-1.0)
_DEGREES, _RADIANS = doubles.div(point(180.0), _PI), doubles.div(_PI, point(180.0))

ELEMENTARY: dict[str, Elementary] = {
    "exp": Elementary(lambda x, y: y, lambda x, y: y),
    "exp2": _exponential("exp2", _LN2), "exp10": _exponential("exp10", _LN10),
    "expm1": _exponential("exp", ONE), "exp2m1": _exponential("exp2", _LN2),
    "exp10m1": _exponential("exp10", _LN10),
    "log": _logarithm(ONE, 0.0), "log2": _logarithm(_PER_LN2, 0.0),
    "log10": _logarithm(_PER_LN10, 0.0), "log1p": _logarithm(ONE, 1.0),
    "log2p1": _logarithm(_PER_LN2, 1.0), "log10p1": _logarithm(_PER_LN10, 1.0),
    "sin": _sine("sin", "cos", 1, ONE), "cos": _sine("cos", "sin", -1, ONE),
    "sinpi": _sine("sinpi", "cospi", 1, _PI), "cospi": _sine("cospi", "sinpi", -1, _PI),
    "tan": _tangent(ONE), "tanpi": _tangent(_PI),
    "asin": _arc_sine(ONE), "acos": _arc_sine(_MINUS),
    "asinpi": _arc_sine(_PER_PI), "acospi": _arc_sine(doubles.neg(_PER_PI)),
    "atan": _arc_tangent(ONE), "atanpi": _arc_tangent(_PER_PI),
    "sinh": Elementary(lambda x, y: _FUNCTIONS["cosh"](x), lambda x, y: y),
    "cosh": Elementary(lambda x, y: _FUNCTIONS["sinh"](x), lambda x, y: y),
    "tanh": Elementary(
        lambda x, y: _square_plus(y, 1.0, -1),
        lambda x, y: _product(point(-2.0), y, _square_plus(y, 1.0, -1)),
    ),
    "asinh": Elementary(
        lambda x, y: doubles.recip(doubles.sqrt(_square_plus(x, 1.0))),
        lambda x, y: doubles.neg(
            doubles.div(x, doubles.mul(_square_plus(x, 1.0), doubles.sqrt(_square_plus(x, 1.0))))
        ),
    ),
    "acosh": Elementary(
        lambda x, y: doubles.recip(doubles.sqrt(_square_plus(x, -1.0))),
        lambda x, y: doubles.neg(
            doubles.div(x, doubles.mul(_square_plus(x, -1.0), doubles.sqrt(_square_plus(x, -1.0))))
        ),
        (1.0, math.inf), closed=True,
    ),
    "atanh": Elementary(
        lambda x, y: doubles.recip(_square_plus(x, 1.0, -1)),
        lambda x, y: doubles.div(doubles.mul(point(2.0), x), doubles.sqr(_square_plus(x, 1.0, -1))),
        _UNIT,
    ),
    "sqrt": Elementary(
        lambda x, y: doubles.div(_HALF, y),
        lambda x, y: doubles.div(point(-0.25), doubles.mul(x, y)),
        _RIGHT, closed=True,
    ),
    "rsqrt": Elementary(
        lambda x, y: doubles.mul(point(-0.5), doubles.pown(y, 3)),
        lambda x, y: doubles.mul(point(0.75), doubles.pown(y, 5)), _RIGHT,
    ),
    "sqr": Elementary(lambda x, y: doubles.mul(point(2.0), x), lambda x, y: point(2.0)),
    "erf": _error_function(1.0), "erfc": _error_function(-1.0),
    "degrees": _linear(_DEGREES), "radians": _linear(_RADIANS),
}  # fmt: skip


def _elementary(name: str, row: Elementary) -> Callable[[Jet], Jet]:
    value = _VALUES.get(name) or _FUNCTIONS[name]

    def rule(x: Jet) -> Jet:
        y = value(x.value)
        return _apply_unary(
            x, y, lambda: row.first(x.value, y), lambda: row.second(x.value, y), row.level(x.value)
        )

    return rule


def _apply_unary(
    x: Jet, y: Wide, first: Callable[[], Wide], second: Callable[[], Wide], level: Levels | None
) -> Jet:
    return chain((x,), y, lambda: [first()], lambda: {(0, 0): second()}, level)


def _times_constant(scale: Wide) -> Callable[[Wide], Wide]:
    return lambda x: doubles.mul(scale, x)


_VALUES: dict[str, Callable[[Wide], Wide]] = {
    "degrees": _times_constant(_DEGREES), "radians": _times_constant(_RADIANS),
}  # fmt: skip


def _tangent_rule(name: str) -> Callable[[Jet], Jet]:
    """Return the rule of a tangent, which is defined where its range is bounded."""
    row, value = ELEMENTARY[name], _FUNCTIONS[name]

    def rule(x: Jet) -> Jet:
        y = value(x.value)
        level = levels(np.isfinite(y.lo) & np.isfinite(y.hi))
        return _apply_unary(
            x, y, lambda: row.first(x.value, y), lambda: row.second(x.value, y), level
        )

    return rule


_sqr, _sqrt, _sin, _cos = (
    _elementary(name, ELEMENTARY[name]) for name in ("sqr", "sqrt", "sin", "cos")
)


def _level_off_zero(x: Wide) -> Levels:
    return levels((x.lo > 0) | (x.hi < 0))


def _recip(x: Jet) -> Jet:
    y = doubles.recip(x.value)
    return _apply_unary(
        x, y, lambda: doubles.neg(doubles.sqr(y)),
        lambda: doubles.mul(point(2.0), doubles.pown(y, 3)),
        _level_off_zero(x.value),
    )  # fmt: skip


def _cbrt(x: Jet) -> Jet:
    y = _FUNCTIONS["cbrt"](x.value)
    return _apply_unary(
        x, y,
        lambda: doubles.recip(doubles.mul(point(3.0), doubles.sqr(y))),
        lambda: doubles.div(point(-2.0), doubles.mul(point(9.0), doubles.pown(y, 5))),
        levels((x.value.lo > 0) | (x.value.hi < 0), SMOOTH, DEFINED),
    )  # fmt: skip


# ---------------------------------------------------------------- arithmetic


def _add(x: Jet, y: Jet) -> Jet:
    return chain((x, y), doubles.add(x.value, y.value), lambda: (ONE, ONE), no_seconds)


def _sub(x: Jet, y: Jet) -> Jet:
    return chain((x, y), doubles.sub(x.value, y.value), lambda: (ONE, point(-1.0)), no_seconds)


def _neg(x: Jet) -> Jet:
    return chain((x,), doubles.neg(x.value), lambda: [point(-1.0)], no_seconds)


def _mul(x: Jet, y: Jet) -> Jet:
    if x is y:
        return _sqr(x)
    value = doubles.mul(x.value, y.value)
    return chain((x, y), value, lambda: (y.value, x.value), lambda: {(0, 1): ONE})


def _div(x: Jet, y: Jet) -> Jet:
    value, level = doubles.div(x.value, y.value), _level_off_zero(y.value)

    def firsts() -> list[Wide]:
        return [doubles.recip(y.value), doubles.neg(doubles.div(value, y.value))]

    def seconds() -> Seconds:
        square = doubles.sqr(y.value)
        return {
            (0, 1): doubles.neg(doubles.recip(square)),
            (1, 1): doubles.mul(point(2.0), doubles.div(value, square)),
        }

    return chain((x, y), value, firsts, seconds, level)


def _fma(x: Jet, y: Jet, z: Jet) -> Jet:
    return _add(_mul(x, y), z)


def _mix(x: Jet, y: Jet, a: Jet) -> Jet:
    return _add(x, _mul(_sub(y, x), a))


def _hypot(x: Jet, y: Jet) -> Jet:
    return _sqrt(_add(_sqr(x), _sqr(y)))


# ---------------------------------------------------------------- powers and roots


def _integer(n: object, name: str) -> int:
    """Return an exponent, which must be a single integer."""
    if isinstance(n, int | np.integer):
        return int(n)
    array = np.asarray(n)
    if array.dtype.kind not in "iu" or array.size != 1:
        raise TypeError(f"f: {name}: expected a single integer as exponent, got {n!r:.60}")
    return int(array.flat[0])


def _pown(x: Jet, n: object) -> Jet:
    k = _integer(n, "pown")

    def times_power(factor: int, power: int) -> Wide:
        return doubles.mul(doubles.from_number(factor), doubles.pown(x.value, power))

    level = _level_off_zero(x.value) if k < 0 else None
    return _apply_unary(
        x, doubles.pown(x.value, k),
        lambda: times_power(k, k - 1) if k else ZERO,
        lambda: times_power(k * (k - 1), k - 2) if k * (k - 1) else ZERO,
        level,
    )  # fmt: skip


def _rootn(x: Jet, n: object) -> Jet:
    k = _integer(n, "rootn")
    y, index = functions.half_function("rootn")(x.value, k), doubles.from_number(k)
    positive, negative = x.value.lo > 0, x.value.hi < 0

    def first() -> Wide:
        return doubles.div(y, doubles.mul(index, x.value))

    return _apply_unary(
        x, y, first,
        lambda: doubles.mul(
            first(), doubles.div(doubles.div(doubles.sub(ONE, index), index), x.value)
        ),
        levels((k != 0) & (positive | (k % 2 != 0) & negative)),
    )  # fmt: skip


def _compoundn(x: Jet, n: object) -> Jet:
    result = _pown(_add(x, constant(1)), n)
    inside = x.value.lo > -1
    if not inside.all():
        others = functions.half_function("compoundn")(x.value, _integer(n, "compoundn"))
        result.value = choose(inside, result.value, others)
        result.level = np.minimum(result.level, levels(inside))
    return result


def _ldexp(x: Jet, k: object) -> Jet:
    power = min(
        max(_integer(k, "ldexp"), -4000), 4000
    )  # enough to cross the whole range of doubles
    for step in [math.copysign(1000, power)] * (abs(power) // 1000) + [math.fmod(power, 1000)]:
        x = _mul(x, constant(2.0**step))
    return x


def _real_power(x: Wide, y: Wide) -> Wide:
    """Return x^y = exp(y log x) for x > 0, elsewhere the enclosure in halves."""
    power = _FUNCTIONS["exp"](doubles.mul(y, _FUNCTIONS["log"](x)))
    positive = x.lo > 0
    return (
        power if positive.all() else choose(positive, power, functions.half_function("pow")(x, y))
    )


def _pow(x: Jet, y: Jet) -> Jet:
    value, level = _real_power(x.value, y.value), levels(x.value.lo > 0)

    def less(k: int) -> Wide:
        return _real_power(x.value, doubles.sub(y.value, point(k)))

    def log() -> Wide:
        return _FUNCTIONS["log"](x.value)

    def seconds() -> Seconds:
        slope = doubles.mul(y.value, less(1))
        return {
            (0, 0): doubles.mul(doubles.mul(y.value, doubles.sub(y.value, ONE)), less(2)),
            (0, 1): doubles.add(less(1), doubles.mul(slope, log())),
            (1, 1): doubles.mul(value, doubles.sqr(log())),
        }

    return chain(
        (x, y),
        value,
        lambda: (doubles.mul(y.value, less(1)), doubles.mul(value, log())),
        seconds,
        level,
    )


def _power(x: object, y: object) -> Jet:
    """Return x ** y: `pown` for integer y, else `pow`, as for intervals."""
    is_real = isinstance(y, Jet | ArrayOfIntervals) or integers_of(y) is None
    return single_result(apply_rule("pow" if is_real else "pown", (x, y)))


# ---------------------------------------------------------------- angles


def _angle(y: Wide, x: Wide) -> Wide:
    """Return the angle of points off the negative x axis, elsewhere the enclosure in halves.

    On that axis the angle jumps.
    """
    quarter = doubles.mul(point(0.5), functions.PI)
    complement = _FUNCTIONS["atan"](doubles.div(x, y))
    angle = choose(
        y.lo > 0, doubles.sub(quarter, complement), functions.half_function("atan2")(y, x)
    )
    angle = choose(y.hi < 0, doubles.sub(doubles.neg(quarter), complement), angle)
    return choose(x.lo > 0, _FUNCTIONS["atan"](doubles.div(y, x)), angle)


def _atan2(y: Jet, x: Jet) -> Jet:
    a, b = y.value, x.value

    def square() -> Wide:
        return doubles.add(doubles.sqr(a), doubles.sqr(b))

    def seconds() -> Seconds:
        fourth = doubles.sqr(square())
        same = doubles.div(_product(point(2.0), a, b), fourth)
        cross = doubles.div(doubles.sub(doubles.sqr(a), doubles.sqr(b)), fourth)
        return {(0, 0): doubles.neg(same), (0, 1): cross, (1, 1): same}

    return chain(
        (y, x), _angle(a, b),
        lambda: (doubles.div(b, square()), doubles.neg(doubles.div(a, square()))), seconds,
        levels((b.lo > 0) | (a.lo > 0) | (a.hi < 0)),
    )  # fmt: skip


def _atan2pi(y: Jet, x: Jet) -> Jet:
    angle = _atan2(y, x)
    return chain((angle,), doubles.mul(_PER_PI, angle.value), lambda: [_PER_PI], no_seconds)


# ---------------------------------------------------------------- pieces


def _merge(x: Jet, y: Jet, value: Wide, is_x: np.ndarray, is_y: np.ndarray) -> Jet:
    """Merge two continuous pieces: x where it applies for sure, y where it does, else the hull."""
    either = np.minimum(np.minimum(x.level, y.level), LIPSCHITZ)
    level = np.where(is_x, x.level, np.where(is_y, y.level, either))
    # An undefined piece makes the result undefined even where the other applies, as for intervals.
    level = np.where(np.minimum(x.level, y.level) == UNDEFINED, np.uint8(UNDEFINED), level)

    def merge(a: dict[_Key, Wide], b: dict[_Key, Wide]) -> dict[_Key, Wide]:
        result = {}
        for key in {*a, *b}:
            one, other = a.get(key, ZERO), b.get(key, ZERO)
            result[key] = choose(is_x, one, choose(is_y, other, doubles.hull(one, other)))
        return result

    return Jet(
        value,
        level,
        max(x.order, y.order),
        merge(x.slopes, y.slopes),
        merge(x.curvatures, y.curvatures),
    )


def _min(x: Jet, y: Jet) -> Jet:
    is_x, is_y = x.value.hi <= y.value.lo, y.value.hi <= x.value.lo
    return _merge(x, y, doubles.minimum(x.value, y.value), is_x, is_y)


def _max(x: Jet, y: Jet) -> Jet:
    is_x, is_y = x.value.lo >= y.value.hi, y.value.lo >= x.value.hi
    return _merge(x, y, doubles.maximum(x.value, y.value), is_x, is_y)


def _abs(x: Jet) -> Jet:
    return _merge(x, _neg(x), doubles.magnitudes(x.value), x.value.lo >= 0, x.value.hi <= 0)


def _clamp(x: Jet, low: Jet, high: Jet) -> Jet:
    return _min(_max(x, low), high)


def _fdim(x: Jet, y: Jet) -> Jet:
    return _max(_sub(x, y), constant(0))


def _step_function(value: Wide, *operands: Jet) -> Jet:
    """Return a step function: smooth on boxes where it has a single value, else it may jump."""
    level = levels(value.lo == value.hi, SMOOTH, DEFINED)
    return chain(operands, value, lambda: [None] * len(operands), no_seconds, level)


def _steps(function: Callable[[Doubles], Doubles]) -> Callable[[Jet], Jet]:
    return lambda x: _step_function(Wide(function(x.value.lo), function(x.value.hi)), x)


def _ties_to_away(x: Doubles) -> Doubles:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x), whole)


def _step(edge: Jet, x: Jet) -> Jet:
    a, b = edge.value, x.value
    value = Wide(b.lo >= a.hi, b.hi >= a.lo)
    return _step_function(choose(a.is_empty | b.is_empty, doubles.EMPTY, value), edge, x)


# ---------------------------------------------------------------- all of them


def _sine_and_cosine(x: Jet) -> tuple[Jet, Jet]:
    return _sin(x), _cos(x)


def _fill_tables() -> None:
    """Fill the tables of `jets`."""
    RULES.update({name: _elementary(name, row) for name, row in ELEMENTARY.items()})
    RULES.update(
        neg=_neg, add=_add, sub=_sub, mul=_mul, div=_div, recip=_recip, fma=_fma, mix=_mix,
        hypot=_hypot, cbrt=_cbrt, tan=_tangent_rule("tan"), tanpi=_tangent_rule("tanpi"),
        pown=_pown, rootn=_rootn, compoundn=_compoundn, ldexp=_ldexp, pow=_pow,
        atan2=_atan2, atan2pi=_atan2pi, abs=_abs, min=_min, max=_max, clamp=_clamp, fdim=_fdim,
        floor=_steps(np.floor), ceil=_steps(np.ceil), trunc=_steps(np.trunc),
        sign=_steps(np.sign), round_ties_to_even=_steps(np.rint),
        round_ties_to_away=_steps(_ties_to_away), step=_step,
    )  # fmt: skip
    RULES.update({name: RULES[other] for name, other in SYNONYMS.items() if other in RULES})
    RULES.update(positive=Jet.copy, power=_power, sincos=_sine_and_cosine)
    INTEGER_OPERATIONS.update(("pown", "rootn", "compoundn", "ldexp", "power"))
    FUNCTIONS.update(
        {
            np.clip: lambda a, a_min=None, a_max=None, **named: a.clip(
                named.get("min", a_min), named.get("max", a_max)
            ),
            np.round: lambda a: RULES["rint"](a),
            np.shape: lambda a: a.shape,
            np.ndim: lambda a: a.ndim,
            np.size: lambda a: a.size,
            np.copy: lambda a: a.copy(),
            np.zeros_like: lambda a: constant(0, a.shape),
            np.ones_like: lambda a: constant(1, a.shape),
            np.full_like: lambda a, fill_value: constant(fill_value, a.shape),
        }
    )


_fill_tables()
