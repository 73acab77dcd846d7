"""Arithmetic of bounds: each is the exact range's, rounded outward once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval._bounds import (
    Bounds,
    chosen,
    emptied,
    entire,
    filled,
    is_empty,
    kernel,
    magnitudes,
    negated,
    select,
)

_add, _subtract, _multiply, _divide = (
    kernel(name, "eeee>ee") for name in ("add", "subtract", "multiply", "divide")
)
_reciprocal, _sqr, _sqrt = map(kernel, ("reciprocal", "sqr", "sqrt"))

#: Of each pair of intervals the two bounds, halves, whose product is the least or the greatest.
least_factors = kernel("least_factors", "eeee>ee")
greatest_factors = kernel("greatest_factors", "eeee>ee")


def neg(x: Bounds) -> Bounds:
    """-x.

    Accuracy: exact.

    >>> from halfcl.interval import Interval
    >>> -Interval(1, 2)
    Interval('[-2, -1]')
    """
    return negated(x)


def add(x: Bounds, y: Bounds) -> Bounds:
    """x + y.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, from_values
    >>> Interval(1, 2) + from_values("0.1")
    Interval('[1.0996, 2.1016]')
    """
    return _add(*x, *y)


def sub(x: Bounds, y: Bounds) -> Bounds:
    """x - y: the range of differences, so x - x is [0, 0] of points alone.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval
    >>> Interval(1, 2) - Interval(1, 2)
    Interval('[-1, 1]')
    """
    return _subtract(*x, *y)


def mul(x: Bounds, y: Bounds) -> Bounds:
    """x * y. The product of zero and an unbounded interval is zero.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval
    >>> Interval(-1, 2) * Interval(3, 4)
    Interval('[-4, 8]')
    """
    return _multiply(*x, *y)


def _crosses_zero(x: Bounds) -> NDArray[np.bool_]:
    """Where zero is inside, no bound."""
    return np.less(x[0], 0) & np.greater(x[1], 0)


def div(x: Bounds, y: Bounds) -> Bounds:
    """x / y: the range of quotients; of y the numbers but zero.

    Empty where y is [0, 0]. `mul_rev_to_pair` gives two pieces where y crosses zero.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval
    >>> Interval(1, 2) / Interval(3, 4)
    Interval('[0.25, 0.667]')
    >>> Interval(1, 2) / Interval(0, 4), Interval(1, 2) / Interval(0, 0)
    (Interval('[0.25, inf]'), Interval('[empty]'))
    """
    return _divide(*x, *y)


def recip(x: Bounds) -> Bounds:
    """1 / x; empty where x is [0, 0].

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, recip
    >>> recip(Interval(3, 4))
    Interval('[0.25, 0.3335]')
    """
    return _reciprocal(*x)


def abs(x: Bounds) -> Bounds:
    """The range of absolute values.

    Accuracy: exact.

    >>> from halfcl.interval import Interval
    >>> abs(Interval(-1, 2))
    Interval('[0, 2]')
    """
    return magnitudes(x)


def sqr(x: Bounds) -> Bounds:
    """x squared, which ``x * x`` encloses less tightly where x crosses zero.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, sqr
    >>> sqr(Interval(-1, 2)), Interval(-1, 2) * Interval(-1, 2)
    (Interval('[0, 4]'), Interval('[-2, 4]'))
    """
    return _sqr(*x)


def sqrt(x: Bounds) -> Bounds:
    """The range of square roots of the numbers in x that are not negative.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, sqrt
    >>> sqrt(Interval(-1, 2)), sqrt(Interval(-2, -1))
    (Interval('[0, 1.4151]'), Interval('[empty]'))
    """
    return _sqrt(*x)


def fma(x: Bounds, y: Bounds, z: Bounds) -> Bounds:
    """x * y + z, rounded once.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, fma
    >>> fma(Interval(1, 2), Interval(3, 4), Interval(-1, 0))
    Interval('[2, 8]')
    """
    a, b = least_factors(*x, *y)
    c, d = greatest_factors(*x, *y)
    return hc.fma_rtn(a, b, z[0]), hc.fma_rtp(c, d, z[1])


def min(x: Bounds, y: Bounds) -> Bounds:
    """The range of the lesser of two numbers.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, min
    >>> min(Interval(1, 4), Interval(2, 3))
    Interval('[1, 3]')
    """
    return np.minimum(x[0], y[0]), np.minimum(x[1], y[1])


def max(x: Bounds, y: Bounds) -> Bounds:
    """The range of the greater of two numbers.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, max
    >>> max(Interval(1, 4), Interval(2, 3))
    Interval('[2, 4]')
    """
    return np.maximum(x[0], y[0]), np.maximum(x[1], y[1])


def sign(x: Bounds) -> Bounds:
    """The range of signs: -1, 0 or 1.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, sign
    >>> sign(Interval(-3, 0))
    Interval('[-1, 0]')
    """
    return np.sign(x[0]), np.sign(x[1])


def ceil(x: Bounds) -> Bounds:
    """The range of integers not below.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, ceil
    >>> ceil(Interval(-1.5, 1.5))
    Interval('[-1, 2]')
    """
    return hc.ceil(x[0]), hc.ceil(x[1])


def floor(x: Bounds) -> Bounds:
    """The range of integers not above.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, floor
    >>> floor(Interval(-1.5, 1.5))
    Interval('[-2, 1]')
    """
    return hc.floor(x[0]), hc.floor(x[1])


def trunc(x: Bounds) -> Bounds:
    """The range of integers toward zero.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, trunc
    >>> trunc(Interval(-1.5, 1.5))
    Interval('[-1, 1]')
    """
    return hc.trunc(x[0]), hc.trunc(x[1])


def round_ties_to_even(x: Bounds) -> Bounds:
    """The range of nearest integers, of two the even one.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, round_ties_to_even
    >>> round_ties_to_even(Interval(0.5, 1.5))
    Interval('[0, 2]')
    """
    return hc.rint(x[0]), hc.rint(x[1])


def round_ties_to_away(x: Bounds) -> Bounds:
    """The range of nearest integers, of two the one away from zero.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, round_ties_to_away
    >>> round_ties_to_away(Interval(0.5, 1.5))
    Interval('[1, 2]')
    """
    return hc.round(x[0]), hc.round(x[1])


def _is_bounded(x: Bounds) -> NDArray[np.bool_]:
    """Where neither bound is infinite; so is the empty set."""
    return ~(np.isinf(x[0]) | np.isinf(x[1]))


def _width(x: Bounds) -> NDArray[np.float64]:
    """The width as a double, exactly."""
    return hc.convert_double(x[1]) - hc.convert_double(x[0])


def cancel_minus(x: Bounds, y: Bounds) -> Bounds:
    """The least z such that y + z contains x: what undoes ``x = y + z``.

    The whole line where there is none: where y is wider, or one is unbounded.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, cancel_minus
    >>> cancel_minus(Interval(3, 7), Interval(1, 3))
    Interval('[2, 4]')
    """
    found = hc.subtract_rtn(x[0], y[0]), hc.subtract_rtp(x[1], y[1])
    both_bounded = _is_bounded(x) & _is_bounded(y)
    found = chosen(both_bounded & (_width(x) >= _width(y)), found, entire(x[0]))
    return emptied(both_bounded & is_empty(x), *found)


def cancel_plus(x: Bounds, y: Bounds) -> Bounds:
    """`cancel_minus` of x and -y.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, cancel_plus
    >>> cancel_plus(Interval(3, 7), Interval(-3, -1))
    Interval('[2, 4]')
    """
    return cancel_minus(x, neg(y))


def mul_rev_to_pair(y: Bounds, z: Bounds) -> tuple[Bounds, Bounds]:
    """The x with ``x * y`` in z for some number of y: in two pieces where y crosses zero.

    A piece that there is not is empty. So ``mul_rev_to_pair(y, z)`` is z / y in two pieces,
    but the whole line where both contain zero.

    Accuracy: tightest.

    >>> from halfcl.interval import Interval, mul_rev_to_pair
    >>> mul_rev_to_pair(Interval(-1, 2), Interval(3, 4))
    (Interval('[-inf, -3]'), Interval('[1.5, inf]'))
    """
    near = select(np.greater(z[0], 0), z[0], z[1])  # the bound of z next to zero
    left = select(np.greater(z[0], 0), y[0], y[1])
    right = select(np.greater(z[0], 0), y[1], y[0])
    split = _crosses_zero(y) & (np.greater(z[0], 0) | np.less(z[1], 0))
    first = filled(-np.inf, near), hc.divide_rtp(near, left)
    second = hc.divide_rtn(near, right), filled(np.inf, near)
    whole = np.less_equal(y[0], 0) & np.greater_equal(y[1], 0)
    whole = whole & np.less_equal(z[0], 0) & np.greater_equal(z[1], 0)
    one = chosen(whole, entire(near), div(z, y))
    return chosen(split, first, one), emptied(~split, *second)


#: Those that raise no floating-point exceptions.
QUIET = frozenset({neg, add, sub, mul, div, recip, sqr, sqrt, abs, min, max})

#: The functions of this module, by name; `functions` makes them public.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        neg, add, sub, mul, div, recip, sqr, sqrt, fma, abs, min, max, sign, ceil, floor, trunc,
        round_ties_to_even, round_ties_to_away, cancel_minus, cancel_plus, mul_rev_to_pair,
    )
}  # fmt: skip
