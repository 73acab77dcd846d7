"""Arithmetic of bounds: the exact range, with each bound rounded outward once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import (
    Bounds,
    choose,
    entire,
    fill_like,
    is_empty,
    kernel,
    magnitudes,
    make_empty,
    negate,
    select,
)

_add, _subtract, _multiply, _divide = (
    kernel(name, "eeee>ee") for name in ("add", "subtract", "multiply", "divide")
)
_reciprocal, _sqr, _sqrt = map(kernel, ("reciprocal", "sqr", "sqrt"))

#: For each pair of intervals, the two bounds (halves) whose product is the least, or the greatest.
least_factors = kernel("least_factors", "eeee>ee")
greatest_factors = kernel("greatest_factors", "eeee>ee")


@document(accuracy="exact")
def neg(x: Bounds) -> Bounds:
    """Return -x.

    >>> from halfcl.interval import Interval
    >>> -Interval(1, 2)
    Interval('[-2, -1]')
    """
    return negate(x)


def add(x: Bounds, y: Bounds) -> Bounds:
    """Return x + y.

    >>> from halfcl.interval import Interval, from_values
    >>> Interval(1, 2) + from_values("0.1")
    Interval('[1.0996, 2.1016]')
    """
    return _add(*x, *y)


def sub(x: Bounds, y: Bounds) -> Bounds:
    """Return x - y, the range of differences; x - x is [0, 0] only if x is a single number.

    >>> from halfcl.interval import Interval
    >>> Interval(1, 2) - Interval(1, 2)
    Interval('[-1, 1]')
    """
    return _subtract(*x, *y)


def mul(x: Bounds, y: Bounds) -> Bounds:
    """Return x * y; the product of zero and an unbounded interval is zero.

    >>> from halfcl.interval import Interval
    >>> Interval(-1, 2) * Interval(3, 4)
    Interval('[-4, 8]')
    """
    return _multiply(*x, *y)


def _crosses_zero(x: Bounds) -> NDArray[np.bool_]:
    """Return where zero lies strictly between the bounds."""
    return np.less(x[0], 0) & np.greater(x[1], 0)


def div(x: Bounds, y: Bounds) -> Bounds:
    """Return x / y, the range of quotients by the nonzero numbers of y.

    Empty where y is [0, 0]. `mul_rev_to_pair` gives two pieces where y crosses zero.

    >>> from halfcl.interval import Interval
    >>> Interval(1, 2) / Interval(3, 4)
    Interval('[0.25, 0.667]')
    >>> Interval(1, 2) / Interval(0, 4), Interval(1, 2) / Interval(0, 0)
    (Interval('[0.25, inf]'), Interval('[empty]'))
    """
    return _divide(*x, *y)


def recip(x: Bounds) -> Bounds:
    """Return 1 / x; empty where x is [0, 0].

    >>> from halfcl.interval import Interval, recip
    >>> recip(Interval(3, 4))
    Interval('[0.25, 0.3335]')
    """
    return _reciprocal(*x)


@document(accuracy="exact")
def abs(x: Bounds) -> Bounds:
    """Return the range of absolute values.

    >>> from halfcl.interval import Interval
    >>> abs(Interval(-1, 2))
    Interval('[0, 2]')
    """
    return magnitudes(x)


def sqr(x: Bounds) -> Bounds:
    """Return x squared; ``x * x`` encloses it less tightly where x crosses zero.

    >>> from halfcl.interval import Interval, sqr
    >>> sqr(Interval(-1, 2)), Interval(-1, 2) * Interval(-1, 2)
    (Interval('[0, 4]'), Interval('[-2, 4]'))
    """
    return _sqr(*x)


def sqrt(x: Bounds) -> Bounds:
    """Return the range of square roots of the nonnegative numbers in x.

    >>> from halfcl.interval import Interval, sqrt
    >>> sqrt(Interval(-1, 2)), sqrt(Interval(-2, -1))
    (Interval('[0, 1.4151]'), Interval('[empty]'))
    """
    return _sqrt(*x)


def fma(x: Bounds, y: Bounds, z: Bounds) -> Bounds:
    """Return x * y + z, rounded once.

    >>> from halfcl.interval import Interval, fma
    >>> fma(Interval(1, 2), Interval(3, 4), Interval(-1, 0))
    Interval('[2, 8]')
    """
    a, b = least_factors(*x, *y)
    c, d = greatest_factors(*x, *y)
    return hc.fma_rtn(a, b, z[0]), hc.fma_rtp(c, d, z[1])


@document(accuracy="exact")
def min(x: Bounds, y: Bounds) -> Bounds:
    """Return the range of the lesser of two numbers.

    >>> from halfcl.interval import Interval, min
    >>> min(Interval(1, 4), Interval(2, 3))
    Interval('[1, 3]')
    """
    return np.minimum(x[0], y[0]), np.minimum(x[1], y[1])


@document(accuracy="exact")
def max(x: Bounds, y: Bounds) -> Bounds:
    """Return the range of the greater of two numbers.

    >>> from halfcl.interval import Interval, max
    >>> max(Interval(1, 4), Interval(2, 3))
    Interval('[2, 4]')
    """
    return np.maximum(x[0], y[0]), np.maximum(x[1], y[1])


@document(accuracy="exact")
def sign(x: Bounds) -> Bounds:
    """Return the range of signs: -1, 0 or 1.

    >>> from halfcl.interval import Interval, sign
    >>> sign(Interval(-3, 0))
    Interval('[-1, 0]')
    """
    return np.sign(x[0]), np.sign(x[1])


def _make_step(
    name: str, function: hc.Function, summary: str, low: float, high: float, shown: str
) -> Callable[[Bounds], Bounds]:
    """Return the function of bounds for one that rounds numbers to integers."""

    def step(x: Bounds) -> Bounds:
        return function(x[0]), function(x[1])

    step.__name__ = step.__qualname__ = name
    step.__doc__ = f"""Return the range of {summary}

    >>> from halfcl.interval import Interval, {name}
    >>> {name}(Interval({low}, {high}))
    Interval('{shown}')
    """
    return document(accuracy="exact")(step)


_STEPS = (
    _make_step("ceil", hc.ceil, "numbers rounded up to integers.", -1.5, 1.5, "[-1, 2]"),
    _make_step("floor", hc.floor, "numbers rounded down to integers.", -1.5, 1.5, "[-2, 1]"),
    _make_step("trunc", hc.trunc, "numbers rounded toward zero to integers.", -1.5, 1.5, "[-1, 1]"),
    _make_step(
        "round_ties_to_even", hc.rint,
        "nearest integers; ties go to the even one.", 0.5, 1.5, "[0, 2]",
    ),
    _make_step(
        "round_ties_to_away", hc.round,
        "nearest integers; ties go away from zero.", 0.5, 1.5, "[1, 2]",
    ),
)  # fmt: skip


def _is_bounded(x: Bounds) -> NDArray[np.bool_]:
    """Return where neither bound is infinite; the empty set counts as bounded."""
    return ~(np.isinf(x[0]) | np.isinf(x[1]))


def _width(x: Bounds) -> NDArray[np.float64]:
    """Return the exact width as a double."""
    width: NDArray[np.float64] = hc.convert(x[1], np.float64) - hc.convert(x[0], np.float64)
    return width


def cancel_minus(x: Bounds, y: Bounds) -> Bounds:
    """Return the least z such that y + z contains x; it undoes ``x = y + z``.

    The whole line where no such z exists: y is wider than x, or one of them is unbounded.

    >>> from halfcl.interval import Interval, cancel_minus
    >>> cancel_minus(Interval(3, 7), Interval(1, 3))
    Interval('[2, 4]')
    """
    result = hc.subtract_rtn(x[0], y[0]), hc.subtract_rtp(x[1], y[1])
    both_bounded = _is_bounded(x) & _is_bounded(y)
    result = choose(both_bounded & (_width(x) >= _width(y)), result, entire(x[0]))
    return make_empty(both_bounded & is_empty(x), *result)


def cancel_plus(x: Bounds, y: Bounds) -> Bounds:
    """Return `cancel_minus` of x and -y.

    >>> from halfcl.interval import Interval, cancel_plus
    >>> cancel_plus(Interval(3, 7), Interval(-3, -1))
    Interval('[2, 4]')
    """
    return cancel_minus(x, neg(y))


def mul_rev_to_pair(y: Bounds, z: Bounds) -> tuple[Bounds, Bounds]:
    """Return the x with ``x * y`` in z for some number in y, in two pieces where y crosses zero.

    A missing piece is empty. So ``mul_rev_to_pair(y, z)`` is z / y in two pieces, except that it
    is the whole line where both contain zero.

    >>> from halfcl.interval import Interval, mul_rev_to_pair
    >>> mul_rev_to_pair(Interval(-1, 2), Interval(3, 4))
    (Interval('[-inf, -3]'), Interval('[1.5, inf]'))
    """
    near = select(np.greater(z[0], 0), z[0], z[1])  # the bound of z next to zero
    lower = select(np.greater(z[0], 0), y[0], y[1])
    upper = select(np.greater(z[0], 0), y[1], y[0])
    split = _crosses_zero(y) & (np.greater(z[0], 0) | np.less(z[1], 0))
    first = fill_like(-np.inf, near), hc.divide_rtp(near, lower)
    second = hc.divide_rtn(near, upper), fill_like(np.inf, near)
    whole = np.less_equal(y[0], 0) & np.greater_equal(y[1], 0)
    whole = whole & np.less_equal(z[0], 0) & np.greater_equal(z[1], 0)
    one = choose(whole, entire(near), div(z, y))
    return choose(split, first, one), make_empty(~split, *second)


#: The functions that raise no floating-point exceptions.
QUIET = frozenset({neg, add, sub, mul, div, recip, sqr, sqrt, abs, min, max})

#: The functions of this module by name; `_functions.elementwise` makes them public.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        neg, add, sub, mul, div, recip, sqr, sqrt, fma, abs, min, max, sign, *_STEPS,
        cancel_minus, cancel_plus, mul_rev_to_pair,
    )
}  # fmt: skip
