"""The roots of formulas: interval Newton, in one variable or several, with proofs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._support.integers import as_int
from halfcl.interval import _wide as wide
from halfcl.interval._array import Interval
from halfcl.interval._bounds import HALF
from halfcl.interval._decorations import ILL
from halfcl.interval._forms import Boxes, Formula, evaluate_all, middle, steps
from halfcl.interval._jets import LIPSCHITZ, Jet
from halfcl.interval._ranges import LimitWarning, between, can_cut
from halfcl.interval._wide import ENTIRE, ONE, ZERO, Doubles, Wide, choose, halves_around, point

#: Boxes, a row each: lower and upper bounds in each variable.
Rows: TypeAlias = tuple[Doubles, Doubles]
Truths: TypeAlias = NDArray[np.bool_]

#: In ulps of half: how narrow a box becomes by Newton's steps, and how narrow it is cut.
_NARROW, _CUT = 2.0**-20, 2.0**-4
#: A step is worth another if it leaves at most so much of some width.
_SHRUNK = 0.75


class Roots(NamedTuple):
    """The roots of a formula in a box: all of them are in these."""

    unique: Interval  #: boxes that hold exactly one root each, which is proved
    possible: Interval  #: boxes that may hold roots, one, several or none


# ---------------------------------------------------------------- boxes in rows


def _columns(rows: Rows) -> list[Wide]:
    """Of each variable the intervals."""
    return [Wide(low, high) for low, high in zip(*(v.T for v in rows), strict=True)]


def _rows(columns: Sequence[Wide]) -> Rows:
    return np.stack([v.lo for v in columns], axis=1), np.stack([v.hi for v in columns], axis=1)


def _taken(rows: Rows, which: Truths) -> Rows:
    return rows[0][which], rows[1][which]


def _stacked(parts: Sequence[Rows]) -> Rows:
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def _widths(rows: Rows) -> Doubles:
    """In ulps of half, at the bound that is the greater in magnitude."""
    sizes = np.minimum(np.maximum(np.abs(rows[0]), np.abs(rows[1])), 2.0**100)
    _, exponents = np.frexp(np.maximum(sizes, 2.0**-14))
    return np.asarray((rows[1] - rows[0]) / np.ldexp(1.0, exponents - 11))


# ---------------------------------------------------------------- Newton's step


def _slopes(jets: Sequence[Jet]) -> list[list[Wide]]:
    """The derivatives of each result by each variable."""
    return [[jet.slopes.get(i, ZERO) for i in range(len(jets))] for jet in jets]


def _inverses(matrix: list[list[Wide]], count: int) -> NDArray[np.float64]:
    """Near to the inverses of the midpoints of matrices; nothing where there is none."""
    middles = [[np.broadcast_to(x.lo / 2 + x.hi / 2, count) for x in row] for row in matrix]
    numbers = np.moveaxis(np.array(middles), -1, 0)
    usable = np.isfinite(numbers).all(axis=(1, 2))
    usable[usable] = np.abs(np.linalg.det(numbers[usable])) > 0
    found = np.zeros_like(numbers)
    found[usable] = np.linalg.inv(numbers[usable])
    return np.where(np.isfinite(found), found, 0.0)


def _sum_of_products(pairs: Sequence[tuple[Wide, Wide]]) -> Wide:
    found = ZERO
    for x, y in pairs:
        found = wide.add(found, wide.mul(x, y))
    return found


def _krawczyk(boxes: Sequence[Wide], jets: Sequence[Jet], f: Formula) -> list[Wide]:
    """Where the roots in boxes are, by Krawczyk's operator: c - Y f(c) + (1 - Y f'(X)) (X - c).

    If it maps a box into its interior there is a root, and only one. All numbers where the
    slopes tell nothing.
    """
    n, count = len(boxes), len(boxes[0].lo)
    centre = [middle(box) for box in boxes]
    values = [y.value for y in evaluate_all(f, [point(c) for c in centre], 0)]
    away, matrix = steps(boxes, centre), _slopes(jets)
    inverse = _inverses(matrix, count)
    known = np.logical_and.reduce([jet.level >= LIPSCHITZ for jet in jets])
    known &= inverse.any(axis=(1, 2))
    found = []
    for i in range(n):
        row = [point(inverse[:, i, k]) for k in range(n)]
        step = _sum_of_products([*zip(row, values, strict=True)])
        rest = [
            wide.sub(ONE if i == j else ZERO,
                     _sum_of_products([(row[k], matrix[k][j]) for k in range(n)]))
            for j in range(n)
        ]  # fmt: skip
        image = wide.add(wide.sub(point(centre[i]), step),
                         _sum_of_products([*zip(rest, away, strict=True)]))  # fmt: skip
        found.append(choose(known & ~image.is_empty, image, ENTIRE))
    return found


def _quotients(x: Wide, y: Wide) -> tuple[Wide, Wide]:
    """x / y in two pieces where y crosses zero and x has no zero; else in one."""
    near = np.where(x.lo > 0, x.lo, x.hi)  # the bound next to zero
    split = (y.lo < 0) & (y.hi > 0) & ((x.lo > 0) | (x.hi < 0))
    left, right = (wide.div(point(near), point(bound)) for bound in (y.lo, y.hi))
    lower, upper = choose(near > 0, left, right), choose(near > 0, right, left)
    one = choose(x.has(0) & y.has(0), ENTIRE, wide.div(x, y))
    first = choose(split, Wide(np.full(near.shape, -np.inf), lower.hi), one)
    return first, choose(split, Wide(upper.lo, np.full(near.shape, np.inf)), wide.EMPTY)


def _newton(box: Wide, jet: Jet, f: Formula) -> tuple[Wide, Wide]:
    """Where the roots in boxes are, of one variable: c - f(c) / f'(X), in two pieces where the
    slope may be zero, though f(c) is not."""
    centre = middle(box)
    (at,) = evaluate_all(f, [point(centre)], 0)
    first, second = _quotients(at.value, jet.slopes.get(0, ZERO))
    known = jet.level >= LIPSCHITZ
    pieces = []
    for quotient, unknown in ((first, ENTIRE), (second, wide.EMPTY)):
        piece = choose(known, wide.sub(point(centre), quotient), unknown)
        pieces.append(wide.intersection(box, piece))
    return pieces[0], pieces[1]


# ---------------------------------------------------------------- the search


def _without_root(jets: Sequence[Jet]) -> Truths:
    """Which boxes have none for sure: some result has no zero."""
    return np.asarray(np.logical_or.reduce([~jet.value.has(0) for jet in jets]))


def _contracted(rows: Rows, f: Formula) -> tuple[Rows, Doubles]:
    """The parts of boxes that may have roots, and how wide the boxes were."""
    boxes, before = _columns(rows), _widths(rows).max(axis=1)
    jets = evaluate_all(f, boxes, 1)
    if len(boxes) == 1:
        parts = [_rows([piece]) for piece in _newton(boxes[0], jets[0], f)]
    else:
        images = _krawczyk(boxes, jets, f)
        parts = [_rows([wide.intersection(x, y) for x, y in zip(boxes, images, strict=True)])]
    hopeful = [~(_without_root(jets) | np.isnan(low).any(axis=1)) for low, _ in parts]
    left = [_taken(part, which) for part, which in zip(parts, hopeful, strict=True)]
    return _stacked(left), np.concatenate([before[which] for which in hopeful])


def _cut(rows: Rows) -> tuple[Rows, Rows]:
    """Halves of boxes, across where they are the widest; and those that are too small."""
    index = np.arange(len(rows[0]))
    axis = np.argmax(_widths(rows), axis=1)
    low, high = rows[0][index, axis], rows[1][index, axis]
    at = between(low, high)
    large = can_cut(low, at, high)
    (left, right), small = (_taken(rows, large), _taken(rows, large)), _taken(rows, ~large)
    index, axis, at = np.arange(large.sum()), axis[large], at[large]
    left, right = (left[0], left[1].copy()), (right[0].copy(), right[1])
    left[1][index, axis] = at
    right[0][index, axis] = at
    return _stacked([left, right]), small


def _searched(f: Formula, rows: Rows, limit: int) -> tuple[Rows, bool]:
    """Narrow boxes that may have roots; and whether the limit left some of them wide."""
    done, evaluated = [], 0
    while len(rows[0]) and evaluated < limit:
        evaluated += len(rows[0])
        rows, before = _contracted(rows, f)
        widths = _widths(rows).max(axis=1, initial=0.0)
        shrinks = (widths < before) & (widths <= _SHRUNK * before)  # of infinite ones none
        small = (widths <= _NARROW) | ((widths <= _CUT) & ~shrinks)
        done.append(_taken(rows, small))
        halves, rest = _cut(_taken(rows, ~small & ~shrinks))
        done.append(rest)
        rows = _stacked([_taken(rows, ~small & shrinks), halves])
    return _stacked([*done, rows]), len(rows[0]) > 0


# ---------------------------------------------------------------- what is found


def _outward(rows: Rows) -> Rows:
    """The halves around, as doubles."""
    return tuple(np.asarray(hc.convert_double(v)) for v in halves_around(*rows))  # type: ignore[return-value]


def _merged(rows: Rows) -> Rows:
    """Hulls of boxes that touch, until none do."""
    while True:
        hulls = _hulls(rows)
        if len(hulls[0]) == len(rows[0]):
            return rows
        rows = hulls  # one that has grown may touch one from before


def _touching(rows: Rows, low: Doubles, high: Doubles) -> Truths:
    """Which boxes touch one."""
    return np.asarray(((rows[0] <= high) & (rows[1] >= low)).all(axis=1))


def _hulls(rows: Rows) -> Rows:
    """Each box with all that touch it, or touch what it has become with these."""
    found = []
    while len(rows[0]):
        low, high = rows[0][0], rows[1][0]
        near, count = _touching(rows, low, high), 0
        while near.sum() > count:
            count = near.sum()
            low, high = rows[0][near].min(axis=0), rows[1][near].max(axis=0)
            near = _touching(rows, low, high)
        found.append((low[None], high[None]))
        rows = _taken(rows, ~near)
    return _stacked([*found, rows])


def _rises_or_falls_through_zero(rows: Rows, f: Formula, whole: Rows) -> Truths:
    """Whether a function of one variable is monotone on boxes, and changes its sign there."""
    (box,) = _columns(rows)
    (jet,) = evaluate_all(f, [box], 1)
    ends = [evaluate_all(f, [point(end)], 0)[0].value for end in (box.lo, box.hi)]
    low, high = ends
    changes = (low.hi <= 0) & (high.lo >= 0) | (low.lo >= 0) & (high.hi <= 0)
    return np.asarray(changes & ~jet.slopes.get(0, ZERO).has(0) & (jet.level >= LIPSCHITZ))


def _maps_into_itself(rows: Rows, f: Formula, whole: Rows) -> Truths:
    """Whether Krawczyk's operator takes boxes, a little widened, into their interiors, and no other
    box is there: the only root is in the box, since all are in some."""
    low, high = rows
    around = np.maximum(high - low, 2.0**-20)
    wider = np.maximum(low - around, whole[0]), np.minimum(high + around, whole[1])
    boxes = _columns(wider)
    images = _krawczyk(boxes, evaluate_all(f, boxes, 1), f)
    inside = [(y.lo > x.lo) & (y.hi < x.hi) for x, y in zip(boxes, images, strict=True)]
    alone = [_touching(rows, *box).sum() == 1 for box in zip(*wider, strict=True)]
    return np.asarray(np.logical_and.reduce(inside) & np.array(alone, np.bool))


def _at_halves(rows: Rows, f: Formula) -> Rows:
    """Boxes with one root each; the root itself where it is halves."""
    middles = np.asarray(hc.convert_double(hc.convert((rows[0] + rows[1]) / 2, HALF)))
    points = [point(column) for column in middles.reshape(rows[0].shape).T]
    values = [y.value for y in evaluate_all(f, points, 0)]
    zero = np.logical_and.reduce([(v.lo == 0) & (v.hi == 0) for v in values])[:, None]
    return np.where(zero, middles, rows[0]), np.where(zero, middles, rows[1])


def _intervals(rows: Rows, alone: bool) -> Interval:
    """In the order of their bounds; of one variable without a row for each."""
    order = np.lexsort(np.concatenate([rows[0].T, rows[1].T])[::-1])
    low, high = halves_around(rows[0][order], rows[1][order])
    return Interval.of((low[:, 0], high[:, 0]) if alone else (low, high))


def roots(f: Formula, x: object, limit: int = 20_000) -> Roots:
    """The roots of a formula in a box: boxes that hold exactly one, and boxes that may hold some.

    Parameters
    ----------
    f : callable
        Of one argument for each variable, as of `mean_value`; of n variables it returns a tuple
        of n results, which are to be zero together.
    x : Interval, or tuple of n of them
        The box: of no dimension. It may be unbounded. Decorations are not looked at.
    limit : int, optional
        About how many boxes are evaluated at most.

    Returns
    -------
    Roots
        A tuple ``unique, possible`` of Interval arrays in ascending order: of shape (k,) of one
        interval, (k, n) of a tuple. All roots in the box are in these. Each box of ``unique``
        has exactly one, which is proved, and is a few halves wide; it is a point if halves
        are the root. So two empty arrays prove that there is no root.

    Raises
    ------
    TypeError
        As by `mean_value`; if f has not as many results as arguments, or limit is no integer.
    ValueError
        If x is not one box, or NaI, or limit is not positive.

    Warns
    -----
    LimitWarning
        If the limit was reached: what is left is in ``possible``.

    Notes
    -----
    In one variable by Newton's method in intervals, with division by slopes that hold zero in two
    pieces. A root is proved where the slope has one sign, and the function changes its own. In
    several by Krawczyk's operator, preconditioned by the inverse of the midpoint's Jacobian: a root
    is proved where it maps a box into its interior. Double roots, roots at the edge of a box of
    several variables, poles, jumps, and zeros at which f is not differentiable are
    ``possible``.

    Accuracy: encloses all roots; each of ``unique`` is proved.
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
        raise ValueError(f"x: expected one box, got an array of shape {boxes.shape}")
    if boxes.decorated and any(np.any(v._arrays[-1] == ILL) for v in boxes.arguments):
        raise ValueError("x: expected a box, got NaI")
    if as_int("limit", limit) < 1:
        raise ValueError(f"limit: expected at least 1, got {limit}")
    alone = not isinstance(x, tuple | list)
    prove = _rises_or_falls_through_zero if len(boxes.arguments) == 1 else _maps_into_itself
    with np.errstate(all="ignore"):
        whole = _rows([Wide(v.lo.reshape(1), v.hi.reshape(1)) for v in boxes.wide()])
        start = _taken(whole, np.asarray(~np.isnan(whole[0]).any(axis=1)))
        left, is_wide = _searched(f, start, limit)
        found = _merged(_outward(left))
        proved = prove(found, f, whole)
        unique = _at_halves(_taken(found, proved), f)
    if is_wide:
        warnings.warn(
            f"roots: the limit={limit} of boxes was reached; what is left is in `possible`",
            LimitWarning,
            stacklevel=2,
        )
    return Roots(_intervals(unique, alone), _intervals(_taken(found, np.asarray(~proved)), alone))
