"""The roots of formulas by interval Newton, in one variable or several, with proofs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._core import DefaultEnvironment
from halfcl._support.arguments.integers import as_int
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._bounds.pairs import HALF
from halfcl.interval._decorated.decorations import ILL
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.doubles import (
    ENTIRE,
    ONE,
    ZERO,
    DoubleInterval,
    Doubles,
    choose,
    halves_around,
    point,
)
from halfcl.interval._formulas.forms import Boxes, Formula, evaluate_all, middle, steps
from halfcl.interval._formulas.jets import LIPSCHITZ, Jet
from halfcl.interval._formulas.ranges import LimitWarning
from halfcl.interval._formulas.searches import between, can_cut

#: Boxes in rows: lower and upper bounds, with a column per variable.
Rows: TypeAlias = tuple[Doubles, Doubles]
Truths: TypeAlias = NDArray[np.bool_]

#: In ulps of half: the width at which Newton's steps end, and at which cutting ends.
_NARROW, _CUT = 2.0**-20, 2.0**-4
#: Another step follows if the last one left at most this share of the width.
_ENOUGH = 0.75


class Roots(NamedTuple):
    """The roots of a formula in a box; all of them are in these intervals."""

    unique: Interval  #: boxes that are proved to contain exactly one root each
    possible: Interval  #: boxes that may contain one, several or no roots


# ---------------------------------------------------------------- boxes in rows


def _columns(rows: Rows) -> list[DoubleInterval]:
    """Return the intervals of each variable."""
    return [DoubleInterval(low, high) for low, high in zip(*(v.T for v in rows), strict=True)]


def _rows(columns: Sequence[DoubleInterval]) -> Rows:
    return np.stack([v.lo for v in columns], axis=1), np.stack([v.hi for v in columns], axis=1)


def _take(rows: Rows, which: Truths) -> Rows:
    return rows[0][which], rows[1][which]


def _stack(pieces: Sequence[Rows]) -> Rows:
    return np.concatenate([p[0] for p in pieces]), np.concatenate([p[1] for p in pieces])


def _widths(rows: Rows) -> Doubles:
    """Return widths in ulps of half, at the bound that is greater in magnitude."""
    sizes = np.minimum(np.maximum(np.abs(rows[0]), np.abs(rows[1])), 2.0**100)
    _, exponents = np.frexp(np.maximum(sizes, 2.0**-14))
    return np.asarray((rows[1] - rows[0]) / np.ldexp(1.0, exponents - 11))


# ---------------------------------------------------------------- Newton's step


def _slopes(jets: Sequence[Jet]) -> list[list[DoubleInterval]]:
    """Return the derivatives of each result by each variable."""
    return [[jet.slopes.get(i, ZERO) for i in range(len(jets))] for jet in jets]


def _inverses(matrix: list[list[DoubleInterval]], count: int) -> NDArray[np.float64]:
    """Return approximate inverses of the midpoints of matrices; zeros where there is none."""
    middles = [[np.broadcast_to(x.lo / 2 + x.hi / 2, count) for x in row] for row in matrix]
    numbers = np.moveaxis(np.array(middles), -1, 0)
    usable = np.isfinite(numbers).all(axis=(1, 2))
    usable[usable] = np.abs(np.linalg.det(numbers[usable])) > 0
    inverses = np.zeros_like(numbers)
    inverses[usable] = np.linalg.inv(numbers[usable])
    return np.where(np.isfinite(inverses), inverses, 0.0)


def _sum_of_products(pairs: Sequence[tuple[DoubleInterval, DoubleInterval]]) -> DoubleInterval:
    total = ZERO
    for x, y in pairs:
        total = doubles.add(total, doubles.mul(x, y))
    return total


def _krawczyk(
    boxes: Sequence[DoubleInterval], jets: Sequence[Jet], f: Formula
) -> list[DoubleInterval]:
    """Return enclosures of the roots in boxes, by Krawczyk's operator.

    It is c - Y f(c) + (1 - Y f'(X)) (X - c). If it maps a box into its interior, there is exactly
    one root. It is all numbers where the slopes are unknown.
    """
    n, count = len(boxes), len(boxes[0].lo)
    centre = [middle(box) for box in boxes]
    values = [y.value for y in evaluate_all(f, [point(c) for c in centre], 0)]
    distances, matrix = steps(boxes, centre), _slopes(jets)
    inverse = _inverses(matrix, count)
    known = np.logical_and.reduce([jet.level >= LIPSCHITZ for jet in jets])
    known &= inverse.any(axis=(1, 2))
    images = []
    for i in range(n):
        row = [point(inverse[:, i, k]) for k in range(n)]
        step = _sum_of_products([*zip(row, values, strict=True)])
        remainder = [
            doubles.sub(ONE if i == j else ZERO,
                     _sum_of_products([(row[k], matrix[k][j]) for k in range(n)]))
            for j in range(n)
        ]  # fmt: skip
        image = doubles.add(doubles.sub(point(centre[i]), step),
                         _sum_of_products([*zip(remainder, distances, strict=True)]))  # fmt: skip
        images.append(choose(known & ~image.is_empty, image, ENTIRE))
    return images


def _quotients(x: DoubleInterval, y: DoubleInterval) -> tuple[DoubleInterval, DoubleInterval]:
    """Return x / y, in two pieces where y crosses zero and x does not contain zero."""
    near = np.where(x.lo > 0, x.lo, x.hi)  # the bound next to zero
    split = (y.lo < 0) & (y.hi > 0) & ((x.lo > 0) | (x.hi < 0))
    left_quotient, right_quotient = (
        doubles.div(point(near), point(bound)) for bound in (y.lo, y.hi)
    )
    lower, upper = (
        choose(near > 0, left_quotient, right_quotient),
        choose(near > 0, right_quotient, left_quotient),
    )
    one = choose(x.has(0) & y.has(0), ENTIRE, doubles.div(x, y))
    first = choose(split, DoubleInterval(np.full(near.shape, -np.inf), lower.hi), one)
    return first, choose(
        split, DoubleInterval(upper.lo, np.full(near.shape, np.inf)), doubles.EMPTY
    )


def _newton(box: DoubleInterval, jet: Jet, f: Formula) -> tuple[DoubleInterval, DoubleInterval]:
    """Return enclosures of the roots in boxes for one variable: c - f(c) / f'(X).

    There are two pieces where the slope may be zero and f(c) is not.
    """
    centre = middle(box)
    (at,) = evaluate_all(f, [point(centre)], 0)
    first, second = _quotients(at.value, jet.slopes.get(0, ZERO))
    known = jet.level >= LIPSCHITZ
    pieces = []
    for quotient, unknown in ((first, ENTIRE), (second, doubles.EMPTY)):
        piece = choose(known, doubles.sub(point(centre), quotient), unknown)
        pieces.append(doubles.intersection(box, piece))
    return pieces[0], pieces[1]


# ---------------------------------------------------------------- the search


def _has_no_root(jets: Sequence[Jet]) -> Truths:
    """Return which boxes have no root for sure, because some result has no zero."""
    return np.asarray(np.logical_or.reduce([~jet.value.has(0) for jet in jets]))


def _contract(rows: Rows, f: Formula) -> tuple[Rows, Doubles]:
    """Return the parts of boxes that may have roots, and the widths of the boxes."""
    boxes, before = _columns(rows), _widths(rows).max(axis=1)
    jets = evaluate_all(f, boxes, 1)
    if len(boxes) == 1:
        pieces = [_rows([piece]) for piece in _newton(boxes[0], jets[0], f)]
    else:
        images = _krawczyk(boxes, jets, f)
        pieces = [_rows([doubles.intersection(x, y) for x, y in zip(boxes, images, strict=True)])]
    hopeful = [~(_has_no_root(jets) | np.isnan(low).any(axis=1)) for low, _ in pieces]
    remaining = [_take(piece, which) for piece, which in zip(pieces, hopeful, strict=True)]
    return _stack(remaining), np.concatenate([before[which] for which in hopeful])


def _cut(rows: Rows) -> tuple[Rows, Rows]:
    """Cut boxes in two across their widest axis; also return those that are too small to cut."""
    index = np.arange(len(rows[0]))
    axis = np.argmax(_widths(rows), axis=1)
    low, high = rows[0][index, axis], rows[1][index, axis]
    at = between(low, high)
    large = can_cut(low, at, high)
    (lower, upper), small = (_take(rows, large), _take(rows, large)), _take(rows, ~large)
    index, axis, at = np.arange(large.sum()), axis[large], at[large]
    lower, upper = (lower[0], lower[1].copy()), (upper[0].copy(), upper[1])
    lower[1][index, axis] = at
    upper[0][index, axis] = at
    return _stack([lower, upper]), small


def _search(f: Formula, rows: Rows, limit: int) -> tuple[Rows, bool]:
    """Return narrow boxes that may have roots, and whether the limit left wide ones."""
    done, evaluated = [], 0
    while len(rows[0]) and evaluated < limit:
        evaluated += len(rows[0])
        rows, before = _contract(rows, f)
        widths = _widths(rows).max(axis=1, initial=0.0)
        shrinks = (widths < before) & (widths <= _ENOUGH * before)  # false for infinite widths
        small = (widths <= _NARROW) | ((widths <= _CUT) & ~shrinks)
        done.append(_take(rows, small))
        halves, too_small = _cut(_take(rows, ~small & ~shrinks))
        done.append(too_small)
        rows = _stack([_take(rows, ~small & shrinks), halves])
    return _stack([*done, rows]), len(rows[0]) > 0


# ---------------------------------------------------------------- results


def _outward(rows: Rows) -> Rows:
    """Return the surrounding halves, as doubles."""
    return tuple(np.asarray(hc.convert_double(v)) for v in halves_around(*rows))  # type: ignore[return-value]


def _merge(rows: Rows) -> Rows:
    """Merge boxes that touch into their hulls, until none do."""
    while True:
        hulls = _hulls(rows)
        if len(hulls[0]) == len(rows[0]):
            return rows
        rows = hulls  # a hull that has grown may touch an earlier one


def _touch(rows: Rows, low: Doubles, high: Doubles) -> Truths:
    """Return which boxes touch one box."""
    return np.asarray(((rows[0] <= high) & (rows[1] >= low)).all(axis=1))


def _hulls(rows: Rows) -> Rows:
    """Return hulls of boxes, each with all boxes that touch it as it grows."""
    hulls = []
    while len(rows[0]):
        low, high = rows[0][0], rows[1][0]
        near, count = _touch(rows, low, high), 0
        while near.sum() > count:
            count = near.sum()
            low, high = rows[0][near].min(axis=0), rows[1][near].max(axis=0)
            near = _touch(rows, low, high)
        hulls.append((low[None], high[None]))
        rows = _take(rows, ~near)
    return _stack([*hulls, rows])


def _crosses_zero(rows: Rows, f: Formula, whole: Rows) -> Truths:
    """Return whether a function of one variable is monotone and changes its sign on boxes."""
    (box,) = _columns(rows)
    (jet,) = evaluate_all(f, [box], 1)
    ends = [evaluate_all(f, [point(end)], 0)[0].value for end in (box.lo, box.hi)]
    low, high = ends
    changes = (low.hi <= 0) & (high.lo >= 0) | (low.lo >= 0) & (high.hi <= 0)
    return np.asarray(changes & ~jet.slopes.get(0, ZERO).has(0) & (jet.level >= LIPSCHITZ))


def _maps_into_itself(rows: Rows, f: Formula, whole: Rows) -> Truths:
    """Return whether Krawczyk's operator maps boxes, slightly widened, into their interiors.

    Also, no other box may touch the widened box. Then its only root is in the box, since all roots
    are in some box.
    """
    low, high = rows
    around = np.maximum(high - low, 2.0**-20)
    wider = np.maximum(low - around, whole[0]), np.minimum(high + around, whole[1])
    boxes = _columns(wider)
    images = _krawczyk(boxes, evaluate_all(f, boxes, 1), f)
    inside = [(y.lo > x.lo) & (y.hi < x.hi) for x, y in zip(boxes, images, strict=True)]
    alone = [_touch(rows, *box).sum() == 1 for box in zip(*wider, strict=True)]
    return np.asarray(np.logical_and.reduce(inside) & np.array(alone, np.bool))


def _shrink_to_halves(rows: Rows, f: Formula) -> Rows:
    """Shrink boxes with one root each to the root itself where that is a half."""
    middles = np.asarray(hc.convert_double(hc.convert((rows[0] + rows[1]) / 2, HALF)))
    points = [point(column) for column in middles.reshape(rows[0].shape).T]
    values = [y.value for y in evaluate_all(f, points, 0)]
    zero = np.logical_and.reduce([(v.lo == 0) & (v.hi == 0) for v in values])[:, None]
    return np.where(zero, middles, rows[0]), np.where(zero, middles, rows[1])


def _intervals(rows: Rows, is_single: bool) -> Interval:
    """Return intervals in the order of their bounds; in one dimension for a single variable."""
    order = np.lexsort(np.concatenate([rows[0].T, rows[1].T])[::-1])
    low, high = halves_around(rows[0][order], rows[1][order])
    return Interval.of((low[:, 0], high[:, 0]) if is_single else (low, high))


def roots(f: Formula, x: object, limit: int = 20_000) -> Roots:
    """Return the roots of a formula in a box, proved unique or possible.

    Parameters
    ----------
    f : callable
        Has one argument for each variable, as for `mean_value`. With n variables it returns a tuple
        of n results; a root is where all of them are zero.
    x : Interval, or tuple of n of them
        The box, of no dimension. It may be unbounded. Decorations are ignored.
    limit : int, optional
        The maximum number of boxes evaluated, approximately.

    Returns
    -------
    Roots
        A tuple ``unique, possible`` of Interval arrays in ascending order: of shape (k,) for one
        interval, (k, n) for a tuple. All roots in the box are in these. Each box of ``unique``
        is proved to have exactly one root, and is a few halves wide; it is a point if the root
        itself consists of halves. So two empty arrays prove that there is no root.

    Raises
    ------
    TypeError
        For the same reasons as `mean_value`; if f does not have as many results as arguments, or
        limit is not an integer.
    ValueError
        If x is not one box, or is NaI, or limit is not positive.

    Warns
    -----
    LimitWarning
        If the limit was reached; the remaining boxes are in ``possible``.

    Notes
    -----
    For one variable this is Newton's method in intervals, with division in two pieces where the
    slope contains zero. A root is proved where the slope has one sign and the function changes
    sign. For several variables it is Krawczyk's operator, preconditioned by the inverse of the
    midpoint's Jacobian; a root is proved where the operator maps a box into its interior. Double
    roots, roots at the edge of a box of several variables, poles, jumps, and zeros at which f is
    not differentiable are ``possible``.

    Accuracy: encloses all roots; each one in ``unique`` is proved.
    Source: Neumaier, Interval Methods for Systems of Equations, 5.

    Examples
    --------
    >>> from halfcl import interval
    >>> from halfcl.interval import Interval
    >>> interval.roots(lambda x: (x * x - 2) * (x - 1), Interval(-10, 10)).unique
    Interval(['[-1.4151, -1.414]', '[1, 1]', '[1.414, 1.4151]'])
    >>> interval.roots(lambda x: (x - 1) ** 2, Interval(-10, 10))
    Roots(unique=Interval([], shape=(0,)), possible=Interval(['[0.99951, 1.001]']))
    >>> interval.roots(lambda x, y: (x * x + y * y - 1, x - y), (Interval(0, 2), Interval(0, 2)))
    Roots(unique=Interval([['[0.70703, 0.70752]', '[0.70703, 0.70752]']]),
          possible=Interval([], shape=(0, 2)))
    """
    boxes = Boxes(f, x)
    if boxes.shape:
        raise ValueError(f"roots: x: expected one box, got an array of shape {boxes.shape}")
    if boxes.decorated and any(np.any(v._arrays[-1] == ILL) for v in boxes.arguments):
        raise ValueError("roots: x: expected a box, got NaI")
    if as_int("roots: limit", limit) < 1:
        raise ValueError(f"roots: limit: expected at least 1, got {limit}")
    is_single = not isinstance(x, tuple | list)
    prove = _crosses_zero if len(boxes.arguments) == 1 else _maps_into_itself
    with np.errstate(all="ignore"), DefaultEnvironment():
        whole = _rows(
            [DoubleInterval(v.lo.reshape(1), v.hi.reshape(1)) for v in boxes.as_doubles()]
        )
        start = _take(whole, np.asarray(~np.isnan(whole[0]).any(axis=1)))
        remaining, is_wide = _search(f, start, limit)
        boxes_found = _merge(_outward(remaining))
        proved = prove(boxes_found, f, whole)
        unique = _shrink_to_halves(_take(boxes_found, proved), f)
    if is_wide:
        warnings.warn(
            f"roots: limit={limit} of boxes was reached; the remaining boxes are in `possible`",
            LimitWarning,
            stacklevel=2,
        )
    return Roots(
        _intervals(unique, is_single),
        _intervals(_take(boxes_found, np.asarray(~proved)), is_single),
    )
