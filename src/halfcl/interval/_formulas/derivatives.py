"""Derivatives of operations for jets: the table's formulas, and rules for the others."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from halfcl._core import SmoothRule, levels_beside_zero, levels_within, lowest_level
from halfcl._tables import ROWS
from halfcl._tables.formulas import Arithmetic, compile_formula
from halfcl._tables.row import ALL_NUMBERS, Domain
from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._formulas import double_functions as functions, doubles, removable
from halfcl.interval._formulas.double_functions import ARITHMETIC
from halfcl.interval._formulas.doubles import ONE, ZERO, DoubleInterval, Doubles, choose
from halfcl.interval._formulas.jets import (
    CHAIN,
    DEFINED,
    FUNCTIONS,
    INTEGER_OPERATIONS,
    LIPSCHITZ,
    OPEN,
    RULES,
    SMOOTH,
    UNDEFINED,
    Jet,
    Levels,
    apply_rule,
    chain,
    constant,
    levels,
    no_seconds,
    single_result,
)
from halfcl.interval._functions.elementwise import integers_of, whole_numbers_of
from halfcl.interval._protocols import SYNONYMS

# ---------------------------------------------------------------- the table's derivatives

_Key = TypeVar("_Key")
#: What is known of a function on boxes, from the ranges of its operands and of its result.
LevelRule: TypeAlias = Callable[..., Levels]

_FUNCTIONS = functions.FUNCTIONS

#: The table's names of functions that the standard calls otherwise.
_TABLE_NAMES = {SYNONYMS[name]: name for name in ("negative", "subtract", "multiply", "divide")}


#: How formulas write operations; a known result is not computed again.
_OPERATIONS = {"neg": "-x", "add": "x + y", "sub": "x - y", "mul": "x * y", "div": "x / y"}


class Derivatives(NamedTuple):
    """Formulas of a function's derivatives, as in the table."""

    operands: tuple[str, ...]
    firsts: tuple[str, ...]
    seconds: tuple[str, ...]


#: Functions of intervals that the table lacks.
_OWN = {
    "sqr": Derivatives(("x",), ("2 * x",), ("2",)),
    "recip": Derivatives(("x",), ("-recip(x)**2",), ("2 * recip(x)**3",)),
}


def _derivatives(name: str) -> Derivatives:
    if name in _OWN:
        return _OWN[name]
    row = ROWS[_TABLE_NAMES.get(name, name)]
    return Derivatives(row.argument_names, row.derivatives, row.second_derivatives)


def _smooth_rule(
    name: str, value: Callable[..., DoubleInterval], level: LevelRule | None = None
) -> Callable[..., Jet]:
    """Return the rule of a function from its derivatives' formulas; level: None for everywhere."""
    operands, firsts, seconds = _derivatives(name)
    known = [*operands, _OPERATIONS.get(name, f"{name}({', '.join(operands)})")]
    slopes = [compile_formula(text, known, ARITHMETIC) for text in firsts]
    pairs = combinations_with_replacement(range(len(operands)), 2)
    curvatures = {
        pair: compile_formula(text, known, ARITHMETIC)
        for pair, text in zip(pairs, seconds, strict=True)
        if text != "0"
    }

    return SmoothRule(CHAIN, Jet, value, slopes, curvatures, level)


def _domain_level(domain: Domain) -> LevelRule:
    """Return the rule of a function that is smooth inside its domain."""
    low, high = domain.low, domain.high

    # At its ends, if they belong to it, a function is continuous; its slopes there may be infinite.
    at_end = LIPSCHITZ if domain.is_closed else OPEN
    return lambda x, y: levels_within(x, low, high, SMOOTH, at_end, not domain.is_closed)


def _off_zero(x: DoubleInterval) -> Levels:
    """Return the level of a function with a pole at zero, which may be a bound."""
    return levels_beside_zero(x, SMOOTH, OPEN)


def _power_level(x: DoubleInterval, y: DoubleInterval, power: DoubleInterval) -> Levels:
    at_zero = np.where(y.lo > 0, LIPSCHITZ, np.where(x.lo < x.hi, OPEN, UNDEFINED))
    level = np.where(x.lo > 0, SMOOTH, np.where(x.lo >= 0, at_zero, UNDEFINED))
    return level.astype(np.uint8)


def _angle_level(y: DoubleInterval, x: DoubleInterval, angle: DoubleInterval) -> Levels:
    """Return the level of the angle, which jumps at the negative x axis, but not from above."""
    off_axis = (x.lo > 0) | (y.lo > 0) | (y.hi < 0) | ((y.lo >= 0) & (x.hi < 0))
    return levels(off_axis)


def _level_without_poles(x: DoubleInterval, y: DoubleInterval) -> Levels:
    """Return the level of a function with poles, which is defined where its range is bounded."""
    return levels(y.is_bounded)


#: Functions that are not smooth everywhere inside their domain.
_LEVELS: dict[str, LevelRule] = {
    "tan": _level_without_poles,
    "tanpi": _level_without_poles,
    "recip": lambda x, y: _off_zero(x),
    "div": lambda x, y, quotient: _off_zero(y),
    "cbrt": lambda x, y: levels((x.lo > 0) | (x.hi < 0), SMOOTH, LIPSCHITZ),
    "pow": _power_level,
    "atan2": _angle_level,
}

#: Functions of one number with derivatives in the table.
ELEMENTARY = (*_OWN, *(SYNONYMS.get(name, name) for name, row in ROWS.items() if row.is_smooth))


def _elementary_rule(name: str) -> Callable[..., Jet]:
    row = ROWS.get(_TABLE_NAMES.get(name, name))
    value = _FUNCTIONS.get(name) or compile_formula(ROWS[name].formula, ["x"], ARITHMETIC)
    default = None if row is None or row.domain == ALL_NUMBERS else _domain_level(row.domain)
    return _smooth_rule(name, value, _LEVELS.get(name, default))


def _apply_unary(
    x: Jet,
    y: DoubleInterval,
    first: Callable[[], DoubleInterval],
    second: Callable[[], DoubleInterval],
    level: Levels | None,
) -> Jet:
    return chain((x,), y, lambda: [first()], lambda: {(0, 0): second()}, level)


_sqr, _sqrt, _negative = (_elementary_rule(name) for name in ("sqr", "sqrt", "neg"))
_add, _sub = _smooth_rule("add", doubles.add), _smooth_rule("sub", doubles.sub)
quotient_rule = _smooth_rule("div", doubles.div, _LEVELS["div"])
_product_rule = _smooth_rule("mul", doubles.mul)


def _div(x: Jet, y: Jet) -> Jet:
    quotient, run = quotient_rule(x, y), removable.current_run()
    return quotient if run is None else removable.extend(run.next_place("div"), run, x, y, quotient)


def _mul(x: Jet, y: Jet) -> Jet:
    if x.is_same(y):
        return _sqr(x)
    product = _product_rule(x, y)
    if x.log_of is None and y.log_of is None:
        return product
    run = removable.current_run()
    for factor, other in ((x, y), (y, x)):
        if run is not None and other.log_of is not None:
            product = removable.extend_product(run, factor, other, product, quotient_rule)
    return product


def _logarithm(name: str) -> Callable[[Jet], Jet]:
    """Return the rule of a logarithm, which remembers its operand for products."""
    rule = _elementary_rule(name)

    def logarithm(x: Jet) -> Jet:
        result = rule(x)
        result.log_of = (_add(constant(1), x), "log") if name == "log1p" else (x.copy(), name)
        return result

    return logarithm


# ---------------------------------------------------------------- powers and roots


def _integer(n: object, name: str) -> int:
    """Return an exponent, which must be a single integer."""
    if isinstance(n, int | np.integer):
        return int(n)
    array = np.asarray(n)
    if array.dtype.kind not in "iu" or array.size != 1:
        raise TypeError(f"f: {name}: expected a single integer as exponent, got {n!r:.60}")
    return int(array.flat[0])


@functools.lru_cache(1024)
def _whole(n: int) -> DoubleInterval:
    """Return the tightest interval of an integer."""
    return doubles.from_number(n)


def _pown(x: Jet, n: object) -> Jet:
    k = _integer(n, "pown")

    def times_power(factor: int, power: int) -> DoubleInterval:
        return doubles.mul(_whole(factor), doubles.pown(x.value, power))

    level = _off_zero(x.value) if k < 0 else None
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

    def first() -> DoubleInterval:
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
        result.level = result.level & levels(inside)
    return result


def _ldexp(x: Jet, k: object) -> Jet:
    power = min(
        max(_integer(k, "ldexp"), -4000), 4000
    )  # enough to cross the whole range of doubles
    for step in [math.copysign(1000, power)] * (abs(power) // 1000) + [math.fmod(power, 1000)]:
        x = _mul(x, constant(2.0**step))
    return x


def _power(x: object, y: object) -> Jet:
    """Return x ** y: `pown` for integer y, also if it is a float, else `pow`, as for intervals."""
    if isinstance(y, Jet | ArrayOfIntervals):
        return single_result(apply_rule("pow", (x, y)))
    if integers_of(y) is None and (whole := whole_numbers_of(y)) is not None:
        y = whole[0]
    return single_result(apply_rule("pow" if integers_of(y) is None else "pown", (x, y)))


# ---------------------------------------------------------------- pieces


#: What is known at a kink.
_KINK = levels(np.True_, LIPSCHITZ)


def _merge(x: Jet, y: Jet, value: DoubleInterval, is_x: np.ndarray, is_y: np.ndarray) -> Jet:
    """Merge two continuous pieces: x where it applies for sure, y where it does, else the hull.

    Where both apply, they are one number, perhaps at a kink.
    """
    either = x.level & y.level & LIPSCHITZ
    level = np.where(is_x, x.level, np.where(is_y, y.level, either))
    level = np.where(is_x & is_y, either, level)
    # An undefined piece makes the result undefined even where the other applies, as for intervals.
    level = level & (either | (SMOOTH - LIPSCHITZ))

    def merge(
        a: dict[_Key, DoubleInterval], b: dict[_Key, DoubleInterval]
    ) -> dict[_Key, DoubleInterval]:
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


def _values_alone(x: Jet, y: Jet, value: DoubleInterval) -> Jet | None:
    """Return the result of one of two pieces if no derivatives are asked for."""
    if x.order or y.order:
        return None
    return Jet(value, lowest_level(_KINK, (x, y)))


def _min(x: Jet, y: Jet) -> Jet:
    value = doubles.minimum(x.value, y.value)
    if (result := _values_alone(x, y, value)) is not None:
        return result
    is_x, is_y = x.value.hi <= y.value.lo, y.value.hi <= x.value.lo
    return _merge(x, y, value, is_x, is_y)


def _max(x: Jet, y: Jet) -> Jet:
    value = doubles.maximum(x.value, y.value)
    if (result := _values_alone(x, y, value)) is not None:
        return result
    is_x, is_y = x.value.lo >= y.value.hi, y.value.lo >= x.value.hi
    return _merge(x, y, value, is_x, is_y)


def _abs(x: Jet) -> Jet:
    return _merge(x, _negative(x), doubles.magnitudes(x.value), x.value.lo >= 0, x.value.hi <= 0)


def _clamp(x: Jet, low: Jet, high: Jet) -> Jet:
    return _min(_max(x, low), high)


def _fdim(x: Jet, y: Jet) -> Jet:
    return _max(_sub(x, y), constant(0))


def _step_function(value: DoubleInterval, *operands: Jet) -> Jet:
    """Return a step function: smooth on boxes where it has a single value, else it may jump."""
    level = levels(value.lo == value.hi, SMOOTH, DEFINED)
    return chain(operands, value, lambda: [None] * len(operands), no_seconds, level)


def _steps(function: Callable[[Doubles], Doubles]) -> Callable[[Jet], Jet]:
    return lambda x: _step_function(DoubleInterval(function(x.value.lo), function(x.value.hi)), x)


def _ties_to_away(x: Doubles) -> Doubles:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x), whole)


def _step(edge: Jet, x: Jet) -> Jet:
    a, b = edge.value, x.value
    value = DoubleInterval(b.lo >= a.hi, b.hi >= a.lo)
    return _step_function(choose(a.is_empty | b.is_empty, doubles.EMPTY, value), edge, x)


def _note_jumps() -> None:
    """Note that a formula has a function that intervals lack, since it jumps."""
    if (run := removable.current_run()) is not None:
        run.has_branches = True


def _copysign(x: Jet, y: Jet) -> Jet:
    """Return |x| with the sign of y; both signs are possible where y may be 0, which may be -0."""
    _note_jumps()
    size = _abs(x)
    opposite = _negative(size)
    up, down = y.value.lo > 0, y.value.hi < 0
    value = choose(down, opposite.value, doubles.hull(size.value, opposite.value))
    value = choose(y.value.is_empty, doubles.EMPTY, choose(up, size.value, value))
    result = _merge(size, opposite, value, up, down)
    result.level = np.where(up | down, result.level, result.level & DEFINED) & y.level
    return result


def _fmod(x: Jet, y: Jet) -> Jet:
    """Return x - y trunc(x / y), which is linear where that integer is certain."""
    _note_jumps()
    a, b = x.value, y.value
    quotient = doubles.div(a, b)
    whole = DoubleInterval(np.trunc(quotient.lo), np.trunc(quotient.hi))
    is_linear = (whole.lo == whole.hi) & np.isfinite(whole.lo)
    most = np.minimum(doubles.magnitudes(a).hi, doubles.magnitudes(b).hi)
    limits = DoubleInterval(np.where(a.lo < 0, -most, 0.0), np.where(a.hi > 0, most, 0.0))
    linear = doubles.intersection(doubles.sub(a, doubles.mul(b, whole)), limits)
    value = choose(quotient.is_empty, doubles.EMPTY, choose(is_linear, linear, limits))
    level = np.where((b.lo > 0) | (b.hi < 0), levels(is_linear, SMOOTH, DEFINED), UNDEFINED)
    return chain(
        (x, y), value, lambda: [ONE, doubles.neg(whole)], no_seconds, level.astype(np.uint8)
    )


# ---------------------------------------------------------------- all of them


def _sine_and_cosine(x: Jet) -> tuple[Jet, ...]:
    return tuple(single_result(RULES[name](x)) for name in ("sin", "cos"))


_atan2 = _smooth_rule("atan2", functions.angle, _LEVELS["atan2"])

#: The arithmetic of jets, for functions that are formulas of others.
_OF_JETS: Arithmetic[Jet] = Arithmetic(
    constant,
    {
        "add": _add, "subtract": _sub, "multiply": _mul, "divide": _div, "pown": _pown,
        "sqrt": _sqrt, "atan2": _atan2,
    },
    {"M_PI": Jet(functions.PI, levels(np.bool_(True)))},
)  # fmt: skip


def _composed_rule(name: str) -> Callable[..., Jet]:
    """Return the rule of a function that the table has as a formula of others."""
    return compile_formula(ROWS[name].formula, ROWS[name].argument_names, _OF_JETS)


def fill_tables() -> None:
    """Fill the tables of `jets`."""
    RULES.update({name: _elementary_rule(name) for name in ELEMENTARY})
    RULES.update({name: _logarithm(name) for name in ("log", "log2", "log10", "log1p")})
    RULES.update({name: _composed_rule(name) for name in ("fma", "mix", "hypot", "atan2pi")})
    RULES.update(
        add=_add, sub=_sub, mul=_mul, div=_div, atan2=_atan2,
        pow=_smooth_rule("pow", functions.real_power, _LEVELS["pow"]),
        pown=_pown, rootn=_rootn, compoundn=_compoundn, ldexp=_ldexp,
        abs=_abs, min=_min, max=_max, clamp=_clamp, fdim=_fdim,
        floor=_steps(np.floor), ceil=_steps(np.ceil), trunc=_steps(np.trunc),
        sign=_steps(np.sign), round_ties_to_even=_steps(np.rint),
        round_ties_to_away=_steps(_ties_to_away), step=_step, copysign=_copysign, fmod=_fmod,
    )  # fmt: skip
    RULES.update({name: RULES[other] for name, other in SYNONYMS.items() if other in RULES})
    RULES.update(
        positive=Jet.copy, conjugate=Jet.copy, clip=_clamp, power=_power, sincos=_sine_and_cosine
    )
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
            np.zeros_like: lambda a: constant(0),
            np.ones_like: lambda a: constant(1),
            np.empty_like: lambda a: constant(0),
            np.full_like: lambda a, fill_value: constant(fill_value),
        }
    )
