"""Symmetries of formulas: faces of boxes on which they have all their extreme values.

A formula has a scaling if multiplying its variables by powers of any positive number multiplies its
result by a power of it, or adds a multiple of its logarithm: x / sqrt(x^2 + y^2) does not change,
and x y / (x + y) is as many times as great. It has a shift if adding multiples of any number to its
variables adds a multiple to its result, or multiplies it by a power: exp(x - y).

Moving a point of a box that way, with the parameter t rising or falling, changes the result only in
one direction, or not at all. It ends at a face: a box is closed, and moving ends only where a
variable has reached its bound, unless no variable changes, or those that change tend to zero.
So the least value is on those faces at which the direction ends in which the result does not rise,
and each symmetry spares the search a variable. Points that do not move are a face of their own.

A formula is symmetric if it does not change when some of its variables change their signs, as x y:
then one of these need not be negative.

If a scaling multiplies the result, it falls with rising t where it is negative, and with falling t
where it is positive. Then the least values are on the faces of both directions; on those of falling
t alone if none is negative. Where moving never ends since all variables tend to zero, so does the
result: zero is a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas._search._symmetries.changes import Changes
from halfcl.interval._formulas._search._symmetries.linear import Row, null_space
from halfcl.interval._formulas._search._symmetries.signs import not_negative, sign_equations
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas.doubles import Doubles

Integers: TypeAlias = NDArray[np.int64]
Truths: TypeAlias = NDArray[np.bool_]

#: The greatest number of faces of a box.
MOST_FACES = 48
_NOTHING = np.zeros(0, np.int64)


class Symmetry(NamedTuple):
    """A symmetry: the signs of the variables' rates, and that of the result's."""

    is_shift: bool
    signs: tuple[int, ...]
    #: whether t is added to the result, with its sign; else that of the exponent of its factor
    is_added: bool
    result: int


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


class Symmetries:
    """The symmetries of a path."""

    def __init__(self, path: Path) -> None:
        self.count = path.program.count
        self._groups = [_group(path, is_shift) for is_shift in (False, True)]
        self._known: dict[tuple[bool, ...], Symmetry | None] = {}
        self._signs = sign_equations(path)
        #: whether the path is taken at all points where the formula is defined
        self.is_whole = not path.constraints

    def halves(self, low: Doubles, high: Doubles) -> Doubles:
        """Return lower bounds of boxes that are not negative where signs do not matter."""
        symmetric, low = (low == -high) & (high > 0), low.copy()
        for pattern in np.unique(symmetric, axis=1).T:
            own = (symmetric == pattern[:, None]).all(axis=0)
            for i in not_negative(self._signs, tuple(map(bool, pattern))):
                low[i, own] = 0.0
        return low

    def of(self, fixed: tuple[bool, ...]) -> Symmetry | None:
        """Return a symmetry that does not change fixed variables, or None."""
        if fixed not in self._known:
            self._known[fixed] = min(self.all_of(fixed), key=_cost, default=None)
        return self._known[fixed]

    def all_of(self, fixed: tuple[bool, ...]) -> list[Symmetry]:
        """Return symmetries that do not change fixed variables."""
        return [s for group in self._groups if group.basis for s in self._all(group, fixed)]

    def _all(self, group: _Group, fixed: tuple[bool, ...]) -> Iterator[Symmetry]:
        rows = [tuple(v[i] for v in group.basis) for i in range(self.count) if fixed[i]]
        for more in ([group.rates], []):
            for shares in null_space([*rows, *more], len(group.basis)):
                vector = [_dot(shares, column) for column in zip(*group.basis, strict=True)]
                signs, result = tuple(map(_sign, vector)), _sign(_dot(shares, group.rates))
                if result < 0:
                    signs, result = tuple(-s for s in signs), 1
                yield Symmetry(group.is_shift, signs, group.is_added, result)


class _Group(NamedTuple):
    """All scalings, or all shifts: a basis of the variables' rates, and the rates of the result."""

    is_shift: bool
    is_added: bool
    basis: list[Row]
    rates: Row


def _group(path: Path, is_shift: bool) -> _Group:
    changes = Changes(path, is_shift)
    basis = null_space(changes.equations, path.program.count)
    rates = tuple(_dot(changes.result.rate, vector) for vector in basis)
    return _Group(is_shift, changes.result.is_added, basis, rates)


def _dot(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True) if a and b), Fraction(0))


def _cost(symmetry: Symmetry) -> tuple[int, int, int]:
    """Return what a symmetry is chosen by: how many faces it has."""
    size = sum(s != 0 for s in symmetry.signs)
    both = 2 if symmetry.result and not symmetry.is_added else 1
    return both * size, int(symmetry.is_shift), sum(s < 0 for s in symmetry.signs)


def tend_to_infinity(symmetries: Symmetries, low: Doubles, high: Doubles, falls: Truths) -> Truths:
    """Return the boxes on which the result tends to minus infinity, if it has any value.

    falls: where it tends to infinity instead. A scaling that adds to the result moves each point of
    these boxes to where the variables that change are zero.
    """
    tends, fixed = np.zeros(falls.shape, bool), low == high
    for pattern in np.unique(fixed, axis=1).T:
        own = (fixed == pattern[:, None]).all(axis=0)
        for symmetry in symmetries.all_of(tuple(map(bool, pattern))):
            if symmetry.is_shift or not (symmetry.is_added and symmetry.result):
                continue
            signs = np.array(symmetry.signs)[:, None] * np.where(falls, -1, 1)
            moved = np.array([sign != 0 for sign in symmetry.signs])
            has_zero = ((low <= 0) & (high >= 0))[moved].all(axis=0)
            tends |= own & has_zero & (signs >= 0).all(axis=0)
    return tends


class Faces(NamedTuple):
    """Parts of boxes: the numbers of these, and the bounds, with a row per variable.

    with_zero: the boxes of which zero is a limit, if they have any values.
    """

    of: Integers
    low: Doubles
    high: Doubles
    with_zero: Integers


class _Boxes(NamedTuple):
    """Some boxes: the numbers of what they are parts of, and their bounds."""

    of: Integers
    low: Doubles
    high: Doubles

    def take(self, index: Integers) -> _Boxes:
        return _Boxes(self.of[index], self.low[:, index], self.high[:, index])


def faces(
    symmetries: Symmetries, low: Doubles, high: Doubles, falls: Truths, is_positive: Truths
) -> Faces:
    """Return parts of boxes that have their least values, or their greatest where `falls`.

    is_positive: whether no values are negative, with the sign of their problem.
    """
    boxes = _Boxes(np.arange(falls.size), symmetries.halves(low, high), high)
    final: list[_Boxes] = []
    zeros = [_NOTHING]
    while boxes.of.size:
        numbers = np.concatenate([boxes.of, *(x.of for x in final)])
        counts = np.bincount(numbers, minlength=falls.size)
        parts, fixed = [boxes.take(_NOTHING)], np.asarray(boxes.low == boxes.high)
        for pattern in np.unique(fixed, axis=1).T:
            own = boxes.take(np.flatnonzero((fixed == pattern[:, None]).all(axis=0)))
            symmetry = symmetries.of(tuple(map(bool, pattern)))
            if symmetry is None:
                final.append(own)
                continue
            more = 2 * len(pattern) * np.bincount(own.of, minlength=falls.size)
            signs = falls[own.of], is_positive[own.of]
            can = (counts + more <= MOST_FACES)[own.of] & _has_end(symmetry, own, *signs)
            is_zero = _tends_to_zero(symmetry, own)
            can &= symmetries.is_whole | ~is_zero
            final.append(own.take(np.flatnonzero(~can)))
            zeros.append(own.of[can & is_zero])
            own = own.take(np.flatnonzero(can))
            parts += _faces_of(symmetry, own, falls[own.of], is_positive[own.of])
        boxes = _join(parts)
    return Faces(*_join(final), np.unique(np.concatenate(zeros)))


def _join(parts: Sequence[_Boxes]) -> _Boxes:
    of, low, high = zip(*parts, strict=True)
    return _Boxes(np.concatenate(of), np.concatenate(low, axis=1), np.concatenate(high, axis=1))


def _moves(symmetry: Symmetry, boxes: _Boxes) -> tuple[Truths, Truths]:
    """Return which variables change, and which may be zero on boxes."""
    moved = np.asarray([sign != 0 for sign in symmetry.signs])
    return moved, np.asarray((boxes.low <= 0) & (boxes.high >= 0))


def _has_end(symmetry: Symmetry, boxes: _Boxes, falls: Truths, is_positive: Truths) -> Truths:
    """Return for which boxes moving may be followed: all bounds are finite that it may lead to.

    If it changes the result, it must end where that would have no bound.
    """
    moved, has_zero = _moves(symmetry, boxes)
    is_finite = np.isfinite(boxes.low[moved]) & np.isfinite(boxes.high[moved])
    every = np.asarray(is_finite.all(axis=0))
    if symmetry.is_shift or not symmetry.result:
        return every
    if not symmetry.is_added:
        never_ends = has_zero[moved].all(axis=0) & (max(symmetry.signs) <= 0) & ~is_positive
        return np.asarray(every & ~never_ends)
    signs = np.array(symmetry.signs)[:, None] * np.where(falls, 1, -1)
    return np.asarray(every & ((signs != 0) & ~has_zero).any(axis=0))


def _faces_of(
    symmetry: Symmetry, boxes: _Boxes, falls: Truths, is_positive: Truths
) -> Iterator[_Boxes]:
    """Yield the faces of a symmetry.

    A direction is 1 for rising t, and -1 for falling t.
    """
    for direction in (1, -1):
        if not symmetry.result:
            chosen = np.full(falls.shape, direction > 0)
        elif symmetry.is_added:  # the result falls with falling t
            chosen = falls == (direction > 0)
        else:  # values that are not negative fall with falling t
            chosen = ~is_positive | (direction < 0)
        own = boxes.take(np.flatnonzero(chosen))
        yield from _ends(symmetry, direction, own)
        if not symmetry.is_shift:
            yield _still_points(symmetry, direction, own)


def _ends(symmetry: Symmetry, direction: int, boxes: _Boxes) -> Iterator[_Boxes]:
    """Yield the faces at which a direction ends."""
    for i, sign in enumerate(symmetry.signs):
        for is_upper in (False, True) if sign else ():
            end = (boxes.high if is_upper else boxes.low)[i]
            outward = end if is_upper else -end
            if symmetry.is_shift:
                some = np.full(end.shape, (sign * direction > 0) == is_upper)
            else:  # a variable that grows moves away from zero
                some = outward * (sign * direction) > 0
            face = boxes.take(np.flatnonzero(some))
            low, high = face.low.copy(), face.high.copy()
            low[i] = high[i] = end[some]
            yield _Boxes(face.of, low, high)


def _still_points(symmetry: Symmetry, direction: int, boxes: _Boxes) -> _Boxes:
    """Return the points from which a direction never ends: what would grow is zero.

    What shrinks may be any number if zero is among them. Where nothing would grow, the result tends
    to zero on all of a box (see `_tends_to_zero`), or is as it was.
    """
    moved, has_zero = _moves(symmetry, boxes)
    grows = direction * np.array(symmetry.signs) > 0
    some = has_zero[moved].all(axis=0)
    if not grows.any() and symmetry.result and not symmetry.is_added:
        some = np.zeros(some.shape, bool)
    own = boxes.take(np.flatnonzero(some))
    low, high = (np.where(grows[:, None], 0.0, end) for end in (own.low, own.high))
    return _Boxes(own.of, low, high)


def _tends_to_zero(symmetry: Symmetry, boxes: _Boxes) -> Truths:
    """Return the boxes all of whose points move toward points where the result tends to zero.

    The result shrinks with falling t, since its exponent is positive.
    """
    moved, has_zero = _moves(symmetry, boxes)
    is_scaled = symmetry.result and not (symmetry.is_added or symmetry.is_shift)
    if not is_scaled or min(symmetry.signs) < 0:
        return np.zeros(boxes.of.shape, bool)
    return np.asarray(has_zero[moved].all(axis=0))
