"""Reverse operations of atan2, in y and in x.

Points whose angle lies in an interval form a sector; its part in a strip is sought. Along the edges
of the sector x is y cot(angle), and y is x tan(angle). These are irrational, near a double, and can
be compared with halves exactly by the correctly rounded angle.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import halfcl as hc
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import (
    INF,
    ZERO,
    Array,
    Bounds,
    Halves,
    fill_like,
    hull,
    is_empty,
    make_empty,
    negate,
    select,
)
from halfcl.interval._reverse.preimage import Branch, Ends, both_roundings, entire_if_none

#: The halves below pi and pi / 2, which are not halves themselves.
_PI, _RIGHT_ANGLE = hc.half(3.140625), hc.half(1.5703125)
#: A number beyond all halves, in place of results that overflow a double.
_HUGE = 2.0**20


def _edge(
    factor: Array, slope: Callable[[Array], Array], angle: Array, at_most: Callable[[Array], Array]
) -> Ends:
    """Return both roundings of factor * slope(angle), which is not a half.

    Where the factor is 0 or infinite, it is the limit: 0, or an infinity.
    """
    with_sign = slope(np.asarray(hc.convert_double(angle)))
    approximate = np.clip(np.asarray(hc.convert_double(factor)) * with_sign, -_HUGE, _HUGE)
    down, up = both_roundings(approximate, at_most, lambda h: np.zeros(np.shape(h), bool))
    limit = select(with_sign < 0, -INF, INF)
    down, up = (select(np.isinf(factor), limit, end) for end in (down, up))
    return select(factor == ZERO, ZERO, down), select(factor == ZERO, ZERO, up)


def _replace_ends(where: Array, value: Halves, ends: Ends) -> Ends:
    """Replace both roundings of an end by a half where a condition holds."""
    return select(where, value, ends[0]), select(where, value, ends[1])


def _positive_factors(x: Bounds) -> Bounds:
    """Return the positive part of intervals, from 0 if numbers up to 0 were removed."""
    return make_empty(~(x[1] > ZERO), select(x[0] > ZERO, x[0], ZERO), x[1])


def _all_positive(where: Array) -> Branch:
    """Return the branch of all positive numbers where the mask is true, else an empty one."""
    infinity = fill_like(np.inf, where)
    return Branch(fill_like(0, where), fill_like(2.0**-24, where), infinity, infinity).where(where)


def _y_on_right(b: Bounds, c: Bounds) -> Branch:
    """Return the y of points with x > 0 in b and an angle in c."""
    near, far = _positive_factors(b)
    at_least = select(c[0] < ZERO, far, near)
    at_most = select(c[1] < ZERO, near, far)
    least = _edge(at_least, np.tan, c[0], lambda h: hc.atan2_rtp(h, at_least) <= c[0])
    greatest = _edge(at_most, np.tan, c[1], lambda h: hc.atan2_rtp(h, at_most) <= c[1])
    least, greatest = (
        _replace_ends(c[0] == ZERO, ZERO, least),
        _replace_ends(c[1] == ZERO, ZERO, greatest),
    )
    least = _replace_ends(c[0] < -_RIGHT_ANGLE, -INF, least)
    greatest = _replace_ends(c[1] > _RIGHT_ANGLE, INF, greatest)
    opens = (c[0] > ZERO) & (near == ZERO), (c[1] < ZERO) & (near == ZERO)
    inside = (near == near) & (c[0] <= _RIGHT_ANGLE) & (c[1] >= -_RIGHT_ANGLE)
    return Branch.of(least, greatest, opens).where(inside)


def _y_on_left(b: Bounds, c: Bounds, with_axis: bool) -> Branch:
    """Return the y > 0 of points with x < 0 in b and an angle in c; y = 0 too ``with_axis``."""
    near, far = _positive_factors(negate(b))

    def slope(angle: Array) -> Array:
        return -np.tan(angle)

    least = _edge(near, slope, c[1], lambda h: hc.atan2_rtn(hc.fabs(h), -near) >= c[1])
    greatest = _edge(far, slope, c[0], lambda h: hc.atan2_rtn(hc.fabs(h), -far) >= c[0])
    to_axis = c[1] > _PI
    least = _replace_ends(to_axis, ZERO, least)
    greatest = _replace_ends(c[0] <= _RIGHT_ANGLE, INF, greatest)
    opens = (to_axis & (not with_axis)) | (~to_axis & (near == ZERO)), np.zeros(near.shape, bool)
    inside = (near == near) & (c[1] > _RIGHT_ANGLE) & (c[0] <= _PI)
    return Branch.of(least, greatest, opens).where(inside)


def _x_above(a: Bounds, c: Bounds) -> Branch:
    """Return the x of points with y > 0 in a and an angle in c."""
    near, far = _positive_factors(a)
    at_least = select(c[1] > _RIGHT_ANGLE, far, near)
    at_most = select(c[0] > _RIGHT_ANGLE, near, far)

    def slope(angle: Array) -> Array:
        return 1 / np.tan(angle)

    least = _edge(at_least, slope, c[1], lambda h: hc.atan2_rtn(at_least, h) >= c[1])
    greatest = _edge(at_most, slope, c[0], lambda h: hc.atan2_rtn(at_most, h) >= c[0])
    least = _replace_ends(c[1] > _PI, -INF, least)
    greatest = _replace_ends(c[0] <= ZERO, INF, greatest)
    opens = ((c[1] <= _RIGHT_ANGLE) & (near == ZERO), (c[0] > _RIGHT_ANGLE) & (near == ZERO))
    inside = (near == near) & (c[1] > ZERO) & (c[0] <= _PI)
    return Branch.of(least, greatest, opens).where(inside)


def _has_zero(x: Bounds) -> Array:
    return np.asarray((x[0] <= ZERO) & (x[1] >= ZERO))


@document(source="IEEE 1788-2015, 10.5.4: the first argument of `atan2`")
def atan2_rev1(b: Bounds, c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers y in x for which the angle of a point (b, y) lies in c.

    Angles are above -pi and up to pi.

    >>> from halfcl import interval
    >>> interval.atan2_rev1(interval.Interval(1, 2), interval.Interval(0, 0.5))
    Interval('[0, 1.0928]')
    """
    x = entire_if_none(x, c)
    up = _has_zero(b) & (c[0] <= _RIGHT_ANGLE) & (c[1] > _RIGHT_ANGLE)
    down = _has_zero(b) & (c[0] < -_RIGHT_ANGLE) & (c[1] >= -_RIGHT_ANGLE)
    branches = (
        _y_on_right(b, c), _y_on_left(b, c, True), _y_on_left(b, negate(c), False).mirror(),
        _all_positive(up), _all_positive(down).mirror(),
    )  # fmt: skip
    return _hull_of_branches(branches, x, is_empty(b) | is_empty(c))


@document(source="IEEE 1788-2015, 10.5.4: the second argument of `atan2`")
def atan2_rev2(a: Bounds, c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x for which the angle of a point (x, a) lies in c.

    Angles are above -pi and up to pi.

    >>> from halfcl import interval
    >>> interval.atan2_rev2(interval.Interval(1, 2), interval.Interval(0.5, 1))
    Interval('[0.64208, 3.6622]')
    """
    x = entire_if_none(x, c)
    axis = _has_zero(a) & (c[0] <= _PI) & (c[1] > _PI)
    branches = (
        _x_above(a, c), _x_above(negate(a), negate(c)),
        _all_positive(_has_zero(a) & _has_zero(c)), _all_positive(axis).mirror(),
    )  # fmt: skip
    return _hull_of_branches(branches, x, is_empty(a) | is_empty(c))


def _hull_of_branches(branches: tuple[Branch, ...], x: Bounds, empty: Array) -> Bounds:
    """Return the tightest interval around the parts of the branches in x."""
    result = branches[0].meet(x)
    for branch in branches[1:]:
        result = hull(result, branch.meet(x))
    return make_empty(empty, *result)


FUNCTIONS: dict[str, Callable[..., Bounds]] = {
    function.__name__: function for function in (atan2_rev1, atan2_rev2)
}
