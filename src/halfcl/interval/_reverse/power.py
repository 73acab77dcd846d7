"""Reverse operations of the power x^y, in its base and in its exponent.

In logarithms, x^y = c is the product y log x = log c. Ends of the sets are roots c^(1/y), or
logarithms of c to the base x. Such an end is near a double, and can be compared with halves exactly
by the correctly rounded power.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import (
    INF,
    ONE,
    TINY,
    ZERO,
    Array,
    Bounds,
    Halves,
    choose,
    fill_like,
    hull,
    is_empty,
    make_empty,
    select,
)
from halfcl.interval._reverse.preimage import Branch, Ends, both_roundings, entire_if_none

#: A number beyond all halves, in place of results that overflow a double.
_HUGE = 2.0**20

#: A monotone power of halves, computed by a given kernel of pow.
Power: TypeAlias = Callable[[np.ufunc, Array], Array]


def _replace_ends(where: Array, value: Halves, ends: Ends) -> Ends:
    """Replace both roundings of an end by a half where a condition holds."""
    return select(where, value, ends[0]), select(where, value, ends[1])


def _doubles(x: Array) -> NDArray[np.float64]:
    return np.asarray(hc.convert_double(x))


def _make_equal(power: Power, c: Array) -> Callable[[Array], Array]:
    """Return a test whether a power is exactly c: both roundings are c then."""
    return lambda h: (power(hc.pow_rtn, h) == c) & (power(hc.pow_rtp, h) == c)


def _make_at_most(power: Power, c: Array, rises: Array) -> Callable[[Array], Array]:
    """Return a test whether h is at most the point at which a monotone power of h is c."""

    def at_most(h: Array) -> Array:
        return np.where(rises, power(hc.pow_rtp, h) <= c, power(hc.pow_rtn, h) >= c)

    return at_most


def _root(c: Array, y: Array) -> Ends:
    """Return c^(1/y) for c >= 0 and y != 0; y may be infinite unless c is 0 or inf."""

    def power(function: np.ufunc, h: Array) -> Array:
        return np.asarray(function(h, y))

    approximate = np.clip(np.exp(np.log(_doubles(c)) / _doubles(y)), 0, _HUGE)
    ends = both_roundings(approximate, _make_at_most(power, c, y > ZERO), _make_equal(power, c))
    ends = _replace_ends((c == ONE) | np.isinf(y), ONE, ends)
    ends = _replace_ends(((c == ZERO) & (y > ZERO)) | ((c == INF) & (y < ZERO)), ZERO, ends)
    return _replace_ends(((c == INF) & (y > ZERO)) | ((c == ZERO) & (y < ZERO)), INF, ends)


def _logarithm(c: Array, u: Array) -> Ends:
    """Return log c / log u for c >= 0 and u != 1; u may be 0 or inf unless c is 0 or inf."""

    def power(function: np.ufunc, h: Array) -> Array:
        return np.asarray(function(u, h))

    approximate = np.clip(np.log(_doubles(c)) / np.log(_doubles(u)), -_HUGE, _HUGE)
    ends = both_roundings(approximate, _make_at_most(power, c, u > ONE), _make_equal(power, c))
    ends = _replace_ends((c == ONE) | (u == ZERO) | (u == INF), ZERO, ends)
    ends = _replace_ends(((c == ZERO) & (u > ONE)) | ((c == INF) & (u < ONE)), -INF, ends)
    return _replace_ends(((c == INF) & (u > ONE)) | ((c == ZERO) & (u < ONE)), INF, ends)


def _positive_part(c: Bounds) -> Bounds:
    """Return the nonnegative part of intervals, with +0 for zeros."""
    low, high = (select(bound > ZERO, bound, ZERO) for bound in c)
    return make_empty(~(c[1] >= ZERO), low, high)


def _positive_numbers(like: Bounds, with_zero: Array) -> Branch:
    infinity = fill_like(np.inf, like[0])
    return Branch(fill_like(0, infinity), select(with_zero, ZERO, TINY), infinity, infinity)


def _bases(exponents: Bounds, c: Bounds, negative: bool) -> Branch:
    """Return the numbers t with t^y in c, for the y of one sign with 0 < near <= |y| <= far."""
    near, far = (hc.negative(exponents[1]), hc.negative(exponents[0])) if negative else exponents
    valid = far > ZERO
    near = select(near > ZERO, near, ZERO)
    first, last = (c[1], c[0]) if negative else c  # values where t is least, and greatest
    # Logarithms of t are nearest to 0 with the exponent farthest from 0, and vice versa.
    at_first = select((first < ONE) if negative else (first > ONE), far, near)
    at_last = select((last > ONE) if negative else (last < ONE), far, near)
    sign = hc.negative if negative else np.asarray
    least, greatest = _root(first, sign(at_first)), _root(last, sign(at_last))
    least = _replace_ends((at_first == ZERO) & (first != ONE), ZERO, least)
    greatest = _replace_ends((at_last == ZERO) & (last != ONE), INF, greatest)
    has_zero = (first == ZERO) & (not negative)
    opens = (
        ((least[0] == ZERO) & ~has_zero) | ((first != ONE) & np.isinf(at_first)),
        (last != ONE) & (last != ZERO) & np.isinf(at_last),
    )
    return Branch.of(least, greatest, opens).where(valid & ((c[1] > ZERO) | (not negative)))


@document(
    domain="bases are positive, or 0 if the exponent is positive", source="IEEE 1788-2015, 10.5.4"
)
def pow_rev1(b: Bounds, c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x that, to the power of a number in b, lie in c.

    >>> from halfcl import interval
    >>> interval.pow_rev1(interval.Interval(2), interval.Interval(4, 9))
    Interval('[2, 3]')
    """
    x = entire_if_none(x, c)
    empty = is_empty(b) | is_empty(c) | is_empty(x) | (c[1] < ZERO)
    c = _positive_part(c)
    result = hull(_bases(b, c, False).meet(x), _bases(b, c, True).meet(x))
    # t^0 is 1 for all t > 0; 0 is in the set if one of its powers is in c.
    whole = (c[0] <= ONE) & (c[1] >= ONE) & (b[0] <= ZERO) & (b[1] >= ZERO)
    positive = _positive_numbers(x, (c[0] == ZERO) & (b[1] > ZERO))
    return make_empty(empty, *choose(whole, positive.meet(x), result))


def _exponents(bases: Bounds, c: Bounds, below_one: bool) -> Branch:
    """Return the numbers t with u^t in c, for the u > 0 on one side of 1."""
    near, far = (bases[1], bases[0]) if below_one else bases
    valid = ((far < ONE) & (bases[1] > ZERO)) if below_one else far > ONE
    near = select((near < ONE) if below_one else (near > ONE), near, ONE)
    first, last = (c[1], c[0]) if below_one else c  # values where t is least, and greatest
    at_first = select((first < ONE) if below_one else (first > ONE), far, near)
    at_last = select((last > ONE) if below_one else (last < ONE), far, near)
    least, greatest = _logarithm(first, at_first), _logarithm(last, at_last)
    least = _replace_ends((at_first == ONE) & (first != ONE), -INF, least)
    greatest = _replace_ends((at_last == ONE) & (last != ONE), INF, greatest)
    opens = tuple(
        (value != ONE) & ((base == ZERO) | (base == INF))
        for value, base in ((first, at_first), (last, at_last))
    )
    return Branch.of(least, greatest, (opens[0], opens[1])).where(valid & (c[1] > ZERO))


@document(
    domain="bases are positive, or 0 if the exponent is positive", source="IEEE 1788-2015, 10.5.4"
)
def pow_rev2(a: Bounds, c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x that, as exponents of a number in a, give a power in c.

    >>> from halfcl import interval
    >>> interval.pow_rev2(interval.Interval(2), interval.Interval(4, 8))
    Interval('[2, 3]')
    """
    x = entire_if_none(x, c)
    empty = is_empty(a) | is_empty(c) | is_empty(x) | (a[1] < ZERO)
    a, c = _positive_part(a), _positive_part(c)
    result = hull(_exponents(a, c, False).meet(x), _exponents(a, c, True).meet(x))
    positive = _positive_numbers(x, np.zeros(x[0].shape, bool))
    of_zero = positive.where((a[0] == ZERO) & (c[0] == ZERO)).meet(x)
    whole = (c[0] <= ONE) & (c[1] >= ONE) & (a[0] <= ONE) & (a[1] >= ONE)
    return make_empty(empty, *choose(whole, x, hull(result, of_zero)))


FUNCTIONS: dict[str, Callable[..., Bounds]] = {
    function.__name__: function for function in (pow_rev1, pow_rev2)
}
