"""Reverse operations of sine, cosine and tangent.

The least number of an interval x at which a function lies in c is the lower bound of x, or the next
place at which the function enters c through one of c's bounds. That place, a multiple of pi plus an
arc sine, is near a double. It can be compared with halves exactly: by the number of the monotone
piece in which a half lies, and on the same piece by the function there, which is correctly rounded.
The greatest number is the least one of the mirrored problem.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

import halfcl as hc
from halfcl.interval._bounds.documentation import document
from halfcl.interval._bounds.pairs import (
    ONE,
    ZERO,
    Array,
    Bounds,
    choose,
    fill_like,
    is_empty,
    make_empty,
    negate,
    select,
)
from halfcl.interval._bounds.trigonometric import pieces_around_zero, pieces_from_zero
from halfcl.interval._reverse.preimage import entire_if_none, round_down

_PI = np.pi


@dataclasses.dataclass(frozen=True)
class _Periodic:
    """A periodic function: its monotone pieces, and its inverse on each, to double's accuracy."""

    function: hc.Function
    pieces: Callable[[Array], Array]
    #: Whether the function rises on the pieces with some numbers.
    rises: Callable[[Array], Array]
    #: Whether it is continuous from one piece to the next.
    continuous: bool
    #: The argument on a piece at which the function has a value.
    inverse: Callable[[Array, Array], Array]
    #: Whether that argument is exactly 0; everywhere else it is irrational.
    at_zero: Callable[[Array, Array], Array]
    odd: bool

    def number(self, x: Array) -> Array:
        """Return the numbers of pieces, 0 for the one around 0; infinities have extreme ones."""
        pieces = self.pieces(x).view(np.int32).astype(np.int64)
        return np.asarray(pieces - self.pieces(fill_like(0, ZERO)).view(np.int32))


def _arc_sine(piece: Array, c: Array) -> Array:
    return np.asarray(piece * _PI + np.where(piece & 1, -1, 1) * np.arcsin(c))


def _arc_cosine(piece: Array, c: Array) -> Array:
    return np.asarray(piece * _PI + np.arccos(np.where(piece & 1, -1, 1) * c))


def _arc_tangent(piece: Array, c: Array) -> Array:
    return np.asarray(piece * _PI + np.arctan(c))


_SIN = _Periodic(
    hc.sin, pieces_around_zero, lambda p: p & 1 == 0, True,
    _arc_sine, lambda p, c: (p == 0) & (c == 0), odd=True,
)  # fmt: skip
_COS = _Periodic(
    hc.cos, pieces_from_zero, lambda p: p & 1 == 1, True,
    _arc_cosine, lambda p, c: (p == -1) & (c == 1), odd=False,
)  # fmt: skip
_TAN = _Periodic(
    hc.tan, pieces_around_zero, lambda p: np.ones(np.shape(p), bool), False,
    _arc_tangent, lambda p, c: (p == 0) & (c == 0), odd=True,
)  # fmt: skip


def _next_entry(f: _Periodic, c: Bounds, x: Array) -> tuple[Array, Array]:
    """Return the piece and the level at which the function next enters c, being outside at x."""
    piece = f.number(x)
    too_low = np.asarray(f.function.rtn(x)) < c[0]
    if not f.continuous:  # the function rises into c from below, also after a pole
        return np.where(too_low, piece, piece + 1), c[0]
    is_same = f.rises(piece) == too_low
    return np.where(is_same, piece, piece + 1), select(too_low, c[0], c[1])


def _least(f: _Periodic, c: Bounds, x: Bounds) -> tuple[Array, Array]:
    """Return the least number in x with its function in c, rounded down; and whether it exists."""
    low, high = x
    inside = (np.asarray(f.function.rtn(low)) >= c[0]) & (np.asarray(f.function.rtp(low)) <= c[1])
    inside |= np.isinf(low)
    piece, level = _next_entry(f, c, select(inside, ZERO, low))
    rises = f.rises(piece)

    def at_most(h: Array) -> Array:
        below = np.where(
            rises, np.asarray(f.function.rtp(h)) <= level, np.asarray(f.function.rtn(h)) >= level
        )
        number = f.number(h)
        return np.asarray((number < piece) | ((number == piece) & below))

    value = np.asarray(hc.convert_double(level))
    entry = round_down(f.inverse(piece, value), at_most)
    exact = f.at_zero(piece, value)
    entry = select(exact, ZERO, entry)
    reached = (entry < high) | (exact & (entry == high))
    return select(inside, low, entry), inside | reached


def _reverse(f: _Periodic, c: Bounds, x: Bounds | None) -> Bounds:
    """Return the tightest interval around the numbers in x with f in c."""
    x = entire_if_none(x, c)
    empty = is_empty(c) | is_empty(x)
    if f.continuous:
        empty |= ~((c[0] <= ONE) & (c[1] >= -ONE))
        c = select(c[0] > -ONE, c[0], -ONE), select(c[1] < ONE, c[1], ONE)
    zero = fill_like(0, x[0]), fill_like(0, x[1])
    c, x = choose(empty, zero, c), choose(empty, zero, x)
    least, exists = _least(f, c, x)
    greatest, _ = _least(f, negate(c) if f.odd else c, negate(x))
    return make_empty(empty | ~exists, least, hc.negative(greatest))


@document(source="IEEE 1788-2015, 10.5.4")
def sin_rev(c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose sine lies in c.

    >>> from halfcl import interval
    >>> interval.sin_rev(interval.Interval(0.5, 1), interval.Interval(1000, 1024))
    Interval('[1000, 1020.5]')
    """
    return _reverse(_SIN, c, x)


@document(source="IEEE 1788-2015, 10.5.4")
def cos_rev(c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose cosine lies in c.

    >>> from halfcl import interval
    >>> interval.cos_rev(interval.Interval(0.5, 1), interval.Interval(1, 7))
    Interval('[1, 7]')
    """
    return _reverse(_COS, c, x)


@document(source="IEEE 1788-2015, 10.5.4")
def tan_rev(c: Bounds, x: Bounds | None = None) -> Bounds:
    """Return the numbers in x whose tangent lies in c.

    >>> from halfcl import interval
    >>> interval.tan_rev(interval.Interval(0, 1), interval.Interval(1, 4))
    Interval('[3.1406, 3.9278]')
    """
    return _reverse(_TAN, c, x)


FUNCTIONS: dict[str, Callable[..., Bounds]] = {
    function.__name__: function for function in (sin_rev, cos_rev, tan_rev)
}
