"""Reverse operations: the numbers at which a function lies in an interval.

For algebraic functions and cosh these are one branch or two, whose ends the directed kernels give.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import (
    ONE,
    TINY,
    ZERO,
    Array,
    Bounds,
    choose,
    hull,
    is_empty,
    make_empty,
    negate,
    select,
)
from halfcl.interval._bounds.powers import exponents
from halfcl.interval._reverse import (
    angle as reverse_angle,
    periodic as reverse_periodic,
    power as reverse_power,
)
from halfcl.interval._reverse.preimage import Branch, entire_if_none


def _both_signs(branch: Branch, x: Bounds) -> Bounds:
    return hull(branch.meet(x), branch.mirror().meet(x))


def _restrict(least: hc.half, c: Bounds) -> Bounds:
    """Return the part of an interval that is not below a number."""
    lower = select(c[0] > least, c[0], least)
    return make_empty(~(c[1] >= least), lower, c[1])


@document(source="IEEE 1788-2015, 10.5.4")
def sqr_rev(c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose square lies in c.

    >>> from halfcl import interval
    >>> interval.sqr_rev(interval.Interval(4, 9), interval.Interval(0, 10))
    Interval('[2, 3]')
    """
    low, high = _restrict(ZERO, c)
    branch = Branch(hc.sqrt_rtn(low), hc.sqrt_rtp(low), hc.sqrt_rtn(high), hc.sqrt_rtp(high))
    return _both_signs(branch, entire_if_none(x, c))


@document(source="IEEE 1788-2015, 10.5.4")
def abs_rev(c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose absolute value lies in c.

    >>> from halfcl import interval
    >>> interval.abs_rev(interval.Interval(2, 3), interval.Interval(-10, 0))
    Interval('[-3, -2]')
    """
    low, high = _restrict(ZERO, c)
    return _both_signs(Branch(low, low, high, high), entire_if_none(x, c))


@document(source="IEEE 1788-2015, 10.5.4")
def cosh_rev(c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose hyperbolic cosine lies in c.

    >>> from halfcl import interval
    >>> interval.cosh_rev(interval.Interval(0, 2))
    Interval('[-1.3174, 1.3174]')
    """
    low, high = _restrict(ONE, c)
    branch = Branch(hc.acosh_rtn(low), hc.acosh_rtp(low), hc.acosh_rtn(high), hc.acosh_rtp(high))
    return _both_signs(branch, entire_if_none(x, c))


def _positive_root(c: Bounds, n: Array) -> Branch:
    """Return the numbers t >= 0 with t^n in c; t > 0 for n < 0."""
    falls = n < 0
    low, high = _restrict(ZERO, c)
    first, last = select(falls, high, low), select(falls, low, high)
    least_up = hc.rootn_rtp(first, n)
    branch = Branch(
        hc.rootn_rtn(first, n),
        select(falls, hc.max(least_up, TINY), least_up),
        hc.rootn_rtn(last, n),
        hc.rootn_rtp(last, n),
    )
    return branch.where((high > ZERO) | ((high == ZERO) & ~falls))


@document(source="IEEE 1788-2015, 10.5.4")
def pown_rev(c: Bounds, n: ArrayLike, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose n-th power lies in c.

    >>> from halfcl import interval
    >>> interval.pown_rev(interval.Interval(-8, 27), 3)
    Interval('[-2, 3]')
    """
    x = entire_if_none(x, c)
    n = np.broadcast_to(exponents(n), np.broadcast_shapes(np.shape(n), x[0].shape))
    positive = _positive_root(c, n)
    negative = _positive_root(choose(n & 1 == 0, c, negate(c)), n)
    result = hull(positive.meet(x), negative.mirror().meet(x))
    holds_one = (c[0] <= ONE) & (c[1] >= ONE)
    return choose(n == 0, make_empty(~holds_one, *x), result)


def _quotients(b: Bounds, c: Bounds) -> Branch:
    """Return the numbers t > 0 with t v in c for some v > 0 in b, where c > 0."""
    low, high = _restrict(ZERO, b)
    low = hc.fabs(low)  # zeros become +0, which makes the quotient +inf
    branch = Branch(
        hc.divide_rtn(c[0], high),
        hc.max(hc.divide_rtp(c[0], high), TINY),
        hc.divide_rtn(c[1], low),
        hc.divide_rtp(c[1], low),
    )
    return branch.where(high > ZERO)


@document(source="IEEE 1788-2015, 10.5.4")
def mul_rev(b: Bounds, c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose product with a number in b lies in c.

    `mul_rev_to_pair` returns the two pieces that they may form.

    >>> from halfcl import interval
    >>> interval.mul_rev(interval.Interval(1, 2), interval.Interval(3, 4))
    Interval('[1.5, 4]')
    """
    x = entire_if_none(x, c)
    # Where c contains 0 and b does not, make b positive by negating both.
    flip = b[1] < ZERO
    divisor = choose(flip, negate(b), b)[0]
    low, high = choose(flip, negate(c), c)
    with_zero = Branch(
        hc.divide_rtn(low, divisor), hc.divide_rtp(low, divisor),
        hc.divide_rtn(high, divisor), hc.divide_rtp(high, divisor),
    )  # fmt: skip
    # Where c does not contain 0, make c positive by negating both.
    flip = c[1] < ZERO
    factor, product = choose(flip, negate(b), b), choose(flip, negate(c), c)
    without_zero = hull(
        _quotients(factor, product).meet(x), _quotients(negate(factor), product).mirror().meet(x)
    )
    zero_in_b, zero_in_c = ((y[0] <= ZERO) & (y[1] >= ZERO) for y in (b, c))
    result = choose(zero_in_c, with_zero.meet(x), without_zero)
    result = choose(zero_in_b & zero_in_c, x, result)
    return make_empty(is_empty(b) | is_empty(c) | is_empty(x), *result)


FUNCTIONS: dict[str, Callable[..., Bounds]] = {
    function.__name__: function for function in (sqr_rev, abs_rev, cosh_rev, pown_rev, mul_rev)
}
FUNCTIONS |= reverse_periodic.FUNCTIONS | reverse_power.FUNCTIONS | reverse_angle.FUNCTIONS
