"""OpenCL's common functions on intervals, and others that directed rounding makes simple."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl.interval._bounds import arithmetic
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import (
    INF,
    ONE,
    ZERO,
    Array,
    Bounds,
    as_arrays,
    is_empty,
    make_empty,
    negate,
    select,
)

_INT32 = np.iinfo(np.int32)


def _int32(n: ArrayLike) -> Array:
    """Return integers as int32; clip those beyond its range."""
    n = np.asarray(n)
    info = np.iinfo(n.dtype)
    least, greatest = max(info.min, _INT32.min), min(info.max, _INT32.max)
    return np.asarray(np.clip(n, least, greatest).astype(np.int32))


@document(accuracy="exact", source="OpenCL C, Common Functions")
def clamp(x: Bounds, minval: Bounds, maxval: Bounds) -> Bounds:
    """Return the range of min(max(x, minval), maxval): x, limited to two bounds.

    >>> from halfcl.interval import Interval, clamp
    >>> clamp(Interval([-1, 2], [1, 9]), 0, 4)
    Interval(['[0, 1]', '[2, 4]'])
    """
    return arithmetic.min(arithmetic.max(x, minval), maxval)


@document(accuracy="exact", source="OpenCL C, Common Functions")
def step(edge: Bounds, x: Bounds) -> Bounds:
    """Return the range of the step function: 0 where x is less than edge, else 1.

    >>> from halfcl.interval import Interval, step
    >>> step(1, Interval([0, 0, 1], [0.5, 2, 2]))
    Interval(['[0, 0]', '[0, 1]', '[1, 1]'])
    """
    empty = is_empty(edge) | is_empty(x)
    return make_empty(empty, hc.step(edge[1], x[0]), hc.step(edge[0], x[1]))


@document(source="OpenCL C, Math Functions")
def fdim(x: Bounds, y: Bounds) -> Bounds:
    """Return the range of the positive difference: x - y, or 0 where that is negative.

    >>> from halfcl.interval import Interval, fdim
    >>> fdim(Interval(1, 4), Interval(2, 3))
    Interval('[0, 2]')
    """
    low, high = arithmetic.sub(x, y)
    return np.maximum(low, ZERO), np.maximum(high, ZERO)


@document(source="OpenCL C, Math Functions")
def ldexp(x: Bounds, k: ArrayLike) -> Bounds:
    """Return x times 2 to an integer power.

    >>> from halfcl.interval import Interval, ldexp
    >>> ldexp(Interval(1, 3), [-2, 20])
    Interval(['[0.25, 0.75]', '[65504, inf]'])
    """
    k = _int32(k)
    return as_arrays(hc.ldexp.rtn(x[0], k), hc.ldexp.rtp(x[1], k))


@document(
    domain="[-1, inf), without -1 where n is negative; numbers outside drop out",
    source="C23, 7.12.7.2",
)
def compoundn(x: Bounds, n: ArrayLike) -> Bounds:
    """Return 1 + x to an integer power.

    >>> from halfcl.interval import Interval, compoundn
    >>> compoundn(Interval(0.01, 0.02), 10)
    Interval('[1.1044, 1.2198]')
    """
    n = _int32(n)  # beyond int32, all powers except those of 1 and 0 overflow or underflow
    falls = n < 0
    low, high = select(x[0] < -ONE, -ONE, x[0]), x[1]
    least = hc.compoundn.rtn(select(falls, high, low), n)
    greatest = hc.compoundn.rtp(select(falls, low, high), n)
    return make_empty(is_empty(x) | ~((high > -ONE) | ((high == -ONE) & ~falls)), least, greatest)


def _least_mix_at(x: Bounds, y: Bounds, a: Array) -> Array:
    """Return the least x (1 - a) + y a for one a, or its limit for an infinite a, rounded down."""
    p, q = select(a > ONE, x[1], x[0]), select(a < ZERO, y[1], y[0])
    result = np.asarray(hc.mix.rtn(p, q, a))
    # For finite a, a product with an unbounded operand is -inf, or 0 where the factor is 0.
    result = select(np.isinf(p) | np.isinf(q), -INF, result)
    result = select(a == ONE, q, select(a == ZERO, p, result))
    # p + (q - p) a has the limit inf, -inf or p.
    onward = (q > p) == (a > ZERO)
    limit = select(q == p, p, select(onward, INF, -INF))
    return select(np.isinf(a), limit, result)


def _least_mix(x: Bounds, y: Bounds, a: Bounds) -> Array:
    """Return the least mix, which is at one of a's bounds.

    It is the minimum of functions that are linear in a.
    """
    return np.asarray(hc.min(_least_mix_at(x, y, a[0]), _least_mix_at(x, y, a[1])))


@document(source="OpenCL C, Common Functions")
def mix(x: Bounds, y: Bounds, a: Bounds) -> Bounds:
    """Return the range of the linear blend x + (y - x) a, for any a.

    >>> from halfcl.interval import Interval, mix
    >>> mix(Interval(0, 1), Interval(2, 4), 0.5), mix(Interval(0, 1), 4, Interval(0.5, 1))
    (Interval('[1, 2.5]'), Interval('[2, 4]'))
    """
    greatest = hc.negative(_least_mix(negate(x), negate(y), a))
    return make_empty(is_empty(x) | is_empty(y) | is_empty(a), _least_mix(x, y, a), greatest)


FUNCTIONS: dict[str, Callable[..., Bounds]] = {
    function.__name__: function
    for function in (
        clamp, step, fdim, ldexp, compoundn, mix,
    )
}  # fmt: skip
