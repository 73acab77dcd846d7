"""The operations on jets that only rewritten formulas have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TypeVar

import numpy as np

from halfcl._core import levels_beside_zero
from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import double_functions, doubles
from halfcl.interval._formulas.derivatives import quotient_rule
from halfcl.interval._formulas.doubles import ENTIRE, ONE, ZERO, DoubleInterval, choose, point
from halfcl.interval._formulas.jets import (
    OPEN,
    RULES,
    SMOOTH,
    UNDEFINED,
    Jet,
    chain,
    levels,
    single_result,
)
from halfcl.interval._formulas.removable import times_own_logarithm

_Key = TypeVar("_Key")
#: Above the logarithm of the least double, and of all lesser numbers.
_LEAST_LOGARITHM = -745.0

#: The names of the operations; no function that users may call has such a name.
MEET, OVER, OVER_NONZERO = "same number as", "over", "over nonzero"
OVER_UNLESS = "over a number that is zero with another"
FACTOR = "factor of a product"
MEAN, ROOT, AND = "weighted mean", "root with the sign of", "and"
BESIDE, AMPLITUDE = "on one side of a number", "wave of an amplitude"
LOG, EXP = "logarithm with that of zero", "exponential that may be zero"
TIMES_LOG = "times its own logarithm"
MEAN_SLOPE, SIGN = "quotient of mean slopes", "sign of a sum with a root"
SLOPE = "quotient of slopes"
BESIDE_ROOT = "sum with a root by a difference of squares"
ANGLE = "angle of a multiple of a point"


def _meet_derivatives(
    one: Mapping[_Key, DoubleInterval],
    other: Mapping[_Key, DoubleInterval],
    both: Truths,
    is_one: Truths,
) -> dict[_Key, DoubleInterval]:
    """Return what both enclosures of derivatives contain, or the one that is known."""
    result = {}
    for key in {*one, *other}:
        x, y = one.get(key, ZERO), other.get(key, ZERO)
        narrower = doubles.intersection(x, y)
        usable = both & ~narrower.is_empty if narrower.has_empty else both
        result[key] = choose(usable, narrower, choose(is_one, x, y))
    return result


def _meet(x: Jet, y: Jet) -> Jet:
    """Return what is known of a function that equals y wherever x is defined.

    Where only y is known to be defined, it is a continuation of x, whose range is within that of y.
    """
    value = doubles.intersection(x.value, y.value)
    value = choose(value.is_empty, x.value, value) if value.has_empty else value
    result = Jet(value, np.maximum(x.level, y.level), max(x.order, y.order))
    result.log_of = x.log_of
    if result.order:
        is_x, both = x.level >= y.level, x.level & y.level
        result.slopes = _meet_derivatives(x.slopes, y.slopes, both & OPEN > 0, is_x)
        result.curvatures = _meet_derivatives(x.curvatures, y.curvatures, both == SMOOTH, is_x)
    return result


def _over_nonzero(x: Jet, y: Jet) -> Jet:
    """Return x / y where zero is not in y, and nothing elsewhere."""
    quotient = quotient_rule(x, y)
    has_zero = y.value.has(0) | y.value.is_empty
    if has_zero.any():
        quotient.value = choose(has_zero, ENTIRE, quotient.value)
        quotient.level = np.where(has_zero, np.uint8(UNDEFINED), quotient.level)
    return quotient


def _factor(x: Jet, y: Jet) -> Jet:
    """Return the numbers z with z y = x: all where both x and y may be zero.

    Where y alone may be zero, it is not.
    """
    quotient = _over_nonzero(x, y)
    is_known = ~x.value.has(0) & ~x.value.is_empty & ((y.value.lo < 0) | (y.value.hi > 0))
    quotient.value = choose(is_known, doubles.div(x.value, y.value), quotient.value)
    return quotient


def _over_unless(x: Jet, y: Jet, other: Jet) -> Jet:
    """Return x / y where zero is not in y, or not in another number, and nothing elsewhere.

    The formula is undefined where y is zero and that number is not.
    """
    quotient = _over_nonzero(x, y)
    is_known = ~(other.value.has(0) | other.value.is_empty)
    quotient.value = choose(is_known, quotient_rule(x, y).value, quotient.value)
    return quotient


def _nothing(value: DoubleInterval, jets: Sequence[Jet]) -> Jet:
    """Return a range without derivatives."""
    return Jet(value, levels(np.zeros(value.shape, bool)), max(x.order for x in jets))


def _weighted_mean(*jets: Jet) -> Jet:
    """Return a range of (w1 r1 + w2 r2 + ...) / (w1 + w2 + ...), of weights and then numbers.

    Where all weights have one sign, it is between the least and the greatest number whose weight is
    not zero. A number with a pole where its weight is zero counts, too, since their product may be
    any number.
    """
    half = len(jets) // 2
    weights, numbers = [x.value for x in jets[:half]], [x.value for x in jets[half:]]
    is_mean = reduce(np.logical_and, [w.lo >= 0 for w in weights])
    is_mean = is_mean | reduce(np.logical_and, [w.hi <= 0 for w in weights])
    low, high = np.full((), np.inf), np.full((), -np.inf)
    for weight, number in zip(weights, numbers, strict=True):
        counts = (weight.lo != 0) | (weight.hi != 0) | ~number.is_bounded
        low = np.fmin(low, np.where(counts, number.lo, np.inf))
        high = np.fmax(high, np.where(counts, number.hi, -np.inf))
    return _nothing(choose(is_mean & (low <= high), DoubleInterval(low, high), ENTIRE), jets)


def _flip_derivatives(
    where: Truths, derivatives: Mapping[_Key, DoubleInterval]
) -> dict[_Key, DoubleInterval]:
    return {key: doubles.flip(where, y) for key, y in derivatives.items()}


def _one_sign(x: DoubleInterval) -> tuple[Truths, Truths]:
    """Return where numbers are not negative, and where they are not positive.

    Neither is known where they are zero: there formulas may be undefined, with limits by either.
    """
    is_positive, is_negative = x.lo >= 0, x.hi <= 0
    return np.asarray(is_positive & ~is_negative), np.asarray(is_negative & ~is_positive)


def _root(x: Jet, sign: Jet) -> Jet:
    """Return a range of the number whose square is x and whose sign is that of another.

    Where the sign is the same on all of a box, it is the root itself, or its negative.
    """
    root = single_result(RULES["sqrt"](x))
    size = root.value
    is_positive, is_negative = _one_sign(sign.value)
    both = doubles.hull(size, doubles.neg(size))
    value = choose(is_positive | is_negative, doubles.flip(is_negative, size), both)
    is_nonzero = (sign.value.lo > 0) | (sign.value.hi < 0)
    level = np.where(is_nonzero, root.level, np.uint8(UNDEFINED))
    slopes = _flip_derivatives(is_negative, root.slopes)
    curvatures = _flip_derivatives(is_negative, root.curvatures)
    value = choose(size.is_empty, ENTIRE, value)
    return Jet(value, level, max(x.order, sign.order), slopes, curvatures)


RULES.update({MEET: _meet, OVER: quotient_rule, OVER_NONZERO: _over_nonzero})
RULES[OVER_UNLESS], RULES[FACTOR] = _over_unless, _factor


def _beside(number: Jet, difference: Jet, divisor: Jet) -> Jet:
    """Return a range of x / y, of a number c, x - c y and y: its side of c, by their signs."""
    c, x, y = number.value, difference.value, divisor.value
    rises = ((x.lo >= 0) & (y.lo >= 0)) | ((x.hi <= 0) & (y.hi <= 0))
    falls = ((x.lo >= 0) & (y.hi <= 0)) | ((x.hi <= 0) & (y.lo >= 0))
    is_open = (y.lo < 0) | (y.hi > 0)  # beside zero alone, limits of quotients are unknown
    low = np.where(rises & is_open, c.lo, -np.inf)
    high = np.where(falls & is_open, c.hi, np.inf)
    return _nothing(DoubleInterval(low, high), (difference, divisor))


def _sign_of_sum(x: Jet, y: Jet, difference: Jet) -> Jet:
    """Return on which side of zero x + y s is for a root s of S, from the sign of y^2 S - x^2."""
    a, b, d = x.value, y.value, difference.value
    rises = ((d.lo >= 0) & (b.lo >= 0)) | ((d.hi <= 0) & (a.lo >= 0))
    falls = ((d.lo >= 0) & (b.hi <= 0)) | ((d.hi <= 0) & (a.hi <= 0))
    low, high = np.where(rises, 0.0, -np.inf), np.where(falls, 0.0, np.inf)
    return _nothing(DoubleInterval(low, high), (x, y, difference))


def _beside_root(a: Jet, t: Jet, d: Jet, *of_size: Jet) -> Jet:
    """Return how far a + t is from zero at most, for d = t^2 - a^2.

    of_size: if t^2 is b^2 |x|, d is for b^2 x; these are that for -b^2 x, and x.
    """
    difference = d.value
    if of_size:
        other, x = (jet.value for jet in of_size)
        either = doubles.hull(difference, other)
        difference = choose(x.lo >= 0, difference, choose(x.hi <= 0, other, either))
    size = point(doubles.magnitudes(difference).hi)
    total = doubles.add(doubles.magnitudes(a.value), doubles.magnitudes(t.value))
    most = np.fmin(doubles.sqrt(size).hi, doubles.div(size, point(total.lo)).hi)
    most = np.where(np.isnan(most), np.inf, most)
    low, high = np.full((), -np.inf), np.full((), np.inf)
    for jet, is_greater in ((a, difference.hi <= 0), (t, difference.lo >= 0)):
        low = np.where(jet.value.lo >= 0, np.fmax(low, np.where(is_greater, 0.0, -most)), low)
        high = np.where(jet.value.hi <= 0, np.fmin(high, np.where(is_greater, 0.0, most)), high)
    return _nothing(DoubleInterval(low, high), (a, t, d, *of_size))


def _wave(square: Jet) -> Jet:
    """Return the range of numbers whose squares are no greater than another."""
    most = doubles.sqrt(square.value).hi
    most = np.where(np.isnan(most), np.inf, most)
    return _nothing(DoubleInterval(-most, most), (square,))


def _and(x: Jet, y: Jet) -> Jet:
    """Return the range that contains two numbers and all between them."""
    return _nothing(doubles.hull(x.value, y.value), (x, y))


def _mean_slope(x: Jet, y: Jet, *guards: Jet) -> Jet:
    """Return x / y, of derivatives between two points, and nothing where one may be unbounded.

    There the functions may have a pole, and the mean value theorem does not hold. Nor does it where
    a guard, which is zero at a pole, has both signs.
    """
    return _if_smooth(_over_nonzero(x, y), x, y, guards)


def _slope(x: Jet, y: Jet, *guards: Jet) -> Jet:
    """Return x / y, of slopes at a point, like `_mean_slope`.

    The slope of the divisor may be zero elsewhere (Cauchy).
    """
    return _if_smooth(_factor(x, y), x, y, guards)


def _if_smooth(quotient: Jet, x: Jet, y: Jet, guards: Sequence[Jet]) -> Jet:
    is_smooth = x.value.is_bounded & y.value.is_bounded
    for guard in guards:
        is_smooth = is_smooth & ((guard.value.lo >= 0) | (guard.value.hi <= 0))
    return _nothing(choose(is_smooth, quotient.value, ENTIRE), (x, y))


def _angle(factor: Jet, y: Jet, x: Jet) -> Jet:
    """Return the angle of the point (k x, k y), which is that of (x, y) or the opposite one."""
    own, opposite = (
        single_result(RULES["atan2"](*operands))
        for operands in ((y, x), tuple(single_result(RULES["neg"](z)) for z in (y, x)))
    )
    is_same, is_opposite = _one_sign(factor.value)
    either = doubles.hull(own.value, opposite.value)
    value = choose(is_same, own.value, choose(is_opposite, opposite.value, either))
    level = np.where(is_same, own.level, np.where(is_opposite, opposite.level, np.uint8(UNDEFINED)))
    slopes, curvatures = (
        {key: choose(is_same, a.get(key, ZERO), b.get(key, ZERO)) for key in {*a, *b}}
        for a, b in ((own.slopes, opposite.slopes), (own.curvatures, opposite.curvatures))
    )
    value = choose(value.is_empty, ENTIRE, value)
    return Jet(value, level, max(own.order, opposite.order), slopes, curvatures)


def _logarithm(x: Jet) -> Jet:
    """Return log x, which is beyond all doubles where x is zero, as for powers of zero."""
    logarithm = single_result(RULES["log"](x))
    logarithm.value, logarithm.log_of = log_with_zero(x.value), None
    return logarithm


def _times_logarithm(x: Jet) -> Jet:
    """Return x log|x|, which is 0 at 0; its slope is log|x| + 1."""

    def of_sign(y: DoubleInterval) -> DoubleInterval:
        inside = doubles.intersection(y, DoubleInterval(0.0, np.inf))
        return choose(inside.is_empty, ZERO, times_own_logarithm(inside, "log"))

    value = doubles.hull(of_sign(x.value), doubles.neg(of_sign(doubles.neg(x.value))))
    only = of_sign(doubles.magnitudes(x.value))
    value = choose(x.value.lo >= 0, only, choose(x.value.hi <= 0, doubles.neg(only), value))
    logarithm = double_functions.FUNCTIONS["log"]
    return chain(
        (x,),
        choose(x.value.is_empty, x.value, value),
        lambda: [doubles.add(logarithm(doubles.magnitudes(x.value)), ONE)],
        lambda: {(0, 0): doubles.recip(x.value)},
        levels_beside_zero(x.value, SMOOTH, OPEN),
    )


def log_with_zero(x: DoubleInterval) -> DoubleInterval:
    """Return the range of log x, which is below the least double's where x is zero."""
    value = double_functions.FUNCTIONS["log"](x)
    below = DoubleInterval(-np.inf, np.fmax(value.hi, _LEAST_LOGARITHM))
    return choose(x.has(0), below, value)


RULES.update({MEAN: _weighted_mean, ROOT: _root, AND: _and, LOG: _logarithm, BESIDE: _beside})
RULES[AMPLITUDE], RULES[MEAN_SLOPE], RULES[SIGN] = _wave, _mean_slope, _sign_of_sum
RULES[BESIDE_ROOT] = _beside_root
RULES[TIMES_LOG], RULES[ANGLE], RULES[SLOPE] = _times_logarithm, _angle, _slope
RULES[EXP] = lambda x: RULES["exp"](x)
