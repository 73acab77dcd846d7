"""The roots of formulas by interval Newton, in one variable or several, with proofs."""

from __future__ import annotations

import functools
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
from halfcl.interval._formulas._search._pieces.cuts import between, can_cut
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
from halfcl.interval._formulas.jet_arrays import VectorArgument
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet
from halfcl.interval._formulas.ranges import LimitWarning

#: Boxes in rows: lower and upper bounds, with a column per variable.
Rows: TypeAlias = tuple[Doubles, Doubles]
Truths: TypeAlias = NDArray[np.bool_]

#: In ulps of half: the width at which Newton's steps end, and at which cutting ends.
_NARROW, _CUT = 2.0**-20, 2.0**-4
#: Boxes without a proof are searched with these fractions of the tolerance, and this limit.
_FINER, _QUICK = (2.0**-4, 2.0**-8), 1000
#: The number of boxes that are compared one by one to merge them.
_FEW = 64
#: Where boxes of several variables are cut.
_SHARE = 0.46875
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


class _Linear(NamedTuple):
    """Linear enclosures of functions on boxes: values + slopes (x - centre), which has any root."""

    centre: list[Doubles]
    values: list[DoubleInterval]
    slopes: list[list[DoubleInterval]]  #: of each function by each variable
    known: list[Truths]  #: where each enclosure holds


def _linearize(boxes: Sequence[DoubleInterval], jets: Sequence[Jet], f: Formula) -> _Linear:
    """Return mean value forms of a formula's results about the middle."""
    centre = [middle(box) for box in boxes]
    values = [y.value for y in evaluate_all(f, [point(c) for c in centre], 0)]
    return _Linear(centre, values, _slopes(jets), [jet.level >= LIPSCHITZ for jet in jets])


def _precondition(linear: _Linear) -> _Linear:
    """Return the functions multiplied by an approximate inverse of the middle of their slopes."""
    n, count = len(linear.values), len(linear.centre[0])
    inverse = _inverses(linear.slopes, count)
    rows = [[point(inverse[:, i, k]) for k in range(n)] for i in range(n)]
    columns = [*zip(*linear.slopes, strict=True)]
    known = np.logical_and.reduce([*linear.known, inverse.any(axis=(1, 2))])
    return linear._replace(
        values=[_sum_of_products([*zip(row, linear.values, strict=True)]) for row in rows],
        slopes=[
            [_sum_of_products([*zip(row, column, strict=True)]) for column in columns]
            for row in rows
        ],
        known=[known] * n,
    )


def _krawczyk(
    boxes: Sequence[DoubleInterval], jets: Sequence[Jet], f: Formula
) -> list[DoubleInterval]:
    """Return enclosures of the roots in boxes, by Krawczyk's operator.

    It is c - Y f(c) + (1 - Y f'(X)) (X - c). If it maps a box into its interior, there is exactly
    one root. It is all numbers where the slopes are unknown.
    """
    linear = _precondition(_linearize(boxes, jets, f))
    distances, images = steps(boxes, linear.centre), []
    for i, row in enumerate(linear.slopes):
        remainder = [doubles.sub(ONE if i == j else ZERO, x) for j, x in enumerate(row)]
        image = doubles.add(
            doubles.sub(point(linear.centre[i]), linear.values[i]),
            _sum_of_products([*zip(remainder, distances, strict=True)]),
        )
        images.append(choose(linear.known[i] & ~image.is_empty, image, ENTIRE))
    return images


def _sweep(boxes: list[DoubleInterval], linear: _Linear, k: int, places: Sequence[int]) -> None:
    """Solve a linear equation for some variables, and narrow their boxes in the list.

    Boxes without a solution become empty, and stay so.
    """
    row, total = linear.slopes[k], linear.values[k]
    distances = steps(boxes, linear.centre)
    products = [doubles.mul(x, y) for x, y in zip(row, distances, strict=True)]
    for i in places:
        others = functools.reduce(doubles.add, products[:i] + products[i + 1 :], total)
        solution = doubles.sub(point(linear.centre[i]), doubles.div(others, row[i]))
        is_any = others.has(0) & row[i].has(0)
        usable = linear.known[k] & ~(is_any | others.is_empty | row[i].is_empty)
        boxes[i] = doubles.intersection(boxes[i], choose(usable, solution, ENTIRE))
        products[i] = doubles.mul(row[i], doubles.sub(boxes[i], point(linear.centre[i])))


def _gauss_seidel(
    boxes: Sequence[DoubleInterval], jets: Sequence[Jet], f: Formula
) -> list[DoubleInterval]:
    """Return the parts of boxes that may have roots: they solve linear enclosures of the system.

    First each equation is solved for each variable, then the preconditioned equations for their own
    (Hansen and Sengupta), which is no wider than Krawczyk's operator.
    """
    narrowed, linear = list(boxes), _linearize(boxes, jets, f)
    everywhere = range(len(boxes))
    for k in everywhere:
        _sweep(narrowed, linear, k, everywhere)
    linear = _precondition(linear)
    for k in everywhere:
        _sweep(narrowed, linear, k, [k])
    return narrowed


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


class _Parts(NamedTuple):
    """Parts of boxes that may have roots."""

    rows: Rows
    before: Doubles  #: the widths of the boxes
    changes: Doubles  #: how much the formula changes in each variable


def _contract(rows: Rows, f: Formula) -> _Parts:
    """Return the parts of boxes that may have roots."""
    boxes, before = _columns(rows), _widths(rows).max(axis=1)
    jets = evaluate_all(f, boxes, 1)
    if len(boxes) == 1:
        pieces = [_rows([piece]) for piece in _newton(boxes[0], jets[0], f)]
    else:
        pieces = [_rows(_gauss_seidel(boxes, jets, f))]
    hopeful = [~(_has_no_root(jets) | np.isnan(low).any(axis=1)) for low, _ in pieces]
    remaining = [_take(piece, which) for piece, which in zip(pieces, hopeful, strict=True)]
    slopes = _largest_slopes(jets, len(before))
    return _Parts(
        _stack(remaining),
        np.concatenate([before[which] for which in hopeful]),
        np.concatenate([slopes[which] for which in hopeful]),
    )


def _largest_slopes(jets: Sequence[Jet], count: int) -> Doubles:
    """Return the largest slope of all results in each variable; NaN where it is unknown."""
    bounds = [[doubles.magnitudes(slope).hi for slope in row] for row in _slopes(jets)]
    sizes = [[np.broadcast_to(bound, count) for bound in row] for row in bounds]
    known = np.logical_and.reduce([jet.level >= LIPSCHITZ for jet in jets])
    return np.where(known[:, None], np.max(sizes, axis=0).T, np.nan)


def _between(low: Doubles, high: Doubles) -> Doubles:
    """Return where to cut boxes of several variables: at zero, or beside the middle.

    Poles tend to be at zero. Roots tend to be halves of few bits; if a root is on cuts, all boxes
    around it have it.
    """
    at = low + _SHARE * (high - low)
    at = np.where((low < 0) & (high > 0), 0.0, at)
    return np.where(np.isfinite(at), at, between(low, high))


def _cut(rows: Rows, slopes: Doubles, tol: float) -> tuple[Rows, Rows]:
    """Cut boxes in two where results change most; also return those that are too small to cut.

    That is the variable in which the product of slope and width is the greatest, if it is finite,
    else the widest one. Variables within the tolerance are not cut.
    """
    index = np.arange(len(rows[0]))
    widths = _widths(rows)
    changes = slopes * (rows[1] - rows[0])
    usable = np.isfinite(changes).all(axis=1) & (changes > 0).any(axis=1)
    usable = np.asarray(usable)[:, None]
    scores = np.where(usable & (widths > tol), changes, np.where(usable, -1.0, widths))
    axis = np.argmax(scores, axis=1)
    low, high = rows[0][index, axis], rows[1][index, axis]
    at = _between(low, high) if rows[0].shape[1] > 1 else between(low, high)
    large = can_cut(low, at, high)
    (lower, upper), small = (_take(rows, large), _take(rows, large)), _take(rows, ~large)
    index, axis, at = np.arange(large.sum()), axis[large], at[large]
    lower, upper = (lower[0], lower[1].copy()), (upper[0].copy(), upper[1])
    lower[1][index, axis] = at
    upper[0][index, axis] = at
    return _stack([lower, upper]), small


def search(f: Formula, rows: Rows, limit: int, tol: float) -> tuple[Rows, bool]:
    """Return narrow boxes that may have roots, and whether the limit left wide ones.

    tol: the width in ulps at which boxes that Newton's steps do not narrow are not cut again.
    """
    done, evaluated = [], 0
    while len(rows[0]) and evaluated < limit:
        evaluated += len(rows[0])
        rows, before, slopes = _contract(rows, f)
        widths = _widths(rows).max(axis=1, initial=0.0)
        shrinks = (widths < before) & (widths <= _ENOUGH * before)  # false for infinite widths
        small = (widths <= _NARROW) | ((widths <= tol) & ~shrinks)
        done.append(_take(rows, small))
        cut = ~small & ~shrinks
        halves, too_small = _cut(_take(rows, cut), slopes[cut], tol)
        done.append(too_small)
        rows = _stack([_take(rows, ~small & shrinks), halves])
    remaining = _stack([*done, rows])
    hopeless = _has_no_root(evaluate_all(f, _columns(remaining), 1))
    return _take(remaining, ~hopeless), len(rows[0]) > 0


# ---------------------------------------------------------------- results


def _outward(rows: Rows) -> Rows:
    """Return the surrounding halves, as doubles."""
    return tuple(np.asarray(hc.convert_double(v)) for v in halves_around(*rows))  # type: ignore[return-value]


def _merge(rows: Rows) -> Rows:
    """Merge boxes that touch into their hulls, until none do."""
    rows = _merge_neighbours(rows)
    while True:
        hulls = _hulls(rows)
        if len(hulls[0]) == len(rows[0]):
            return rows
        rows = hulls  # a hull that has grown may touch an earlier one


def _merge_neighbours(rows: Rows) -> Rows:
    """Merge boxes that touch the next one in the order of a bound, to leave fewer to compare."""
    passes = 0
    while len(rows[0]) > _FEW and passes < 2 * rows[0].shape[1]:
        count, (axis, skip) = len(rows[0]), divmod(passes, 2)
        low, high = (bound[np.argsort(rows[0][:, axis], kind="stable")] for bound in rows)
        end = skip + (count - skip) // 2 * 2
        first, second = slice(skip, end, 2), slice(skip + 1, end, 2)
        near = ((low[first] <= high[second]) & (high[first] >= low[second])).all(axis=1)
        hulls = (
            np.minimum(low[first][near], low[second][near]),
            np.maximum(high[first][near], high[second][near]),
        )
        alone = np.ones(count, np.bool_)
        alone[first], alone[second] = ~near, ~near
        rows = _stack([hulls, _take((low, high), alone)])
        passes = 0 if len(rows[0]) < 0.9 * count else passes + 1
    return rows


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


class _Proof(NamedTuple):
    """Boxes of halves that contain all roots, and those with exactly one root each."""

    merged: Rows
    hulls: Rows  #: of what may have roots in each
    is_unique: Truths


def _members(remaining: Rows, merged: Rows) -> Rows:
    """Return the hulls of the remaining boxes inside each merged box."""
    hulls = []
    for low, high in zip(*merged, strict=True):
        inside = ((remaining[0] >= low) & (remaining[1] <= high)).all(axis=1)
        hulls.append((remaining[0][inside].min(axis=0), remaining[1][inside].max(axis=0)))
    low, high = (np.array([hull[i] for hull in hulls]) for i in (0, 1))
    return low.reshape(merged[0].shape), high.reshape(merged[0].shape)


def _crosses_zero(merged: Rows, hulls: Rows, f: Formula, whole: Rows) -> Truths:
    """Return whether a function of one variable is monotone and changes its sign on boxes."""
    (box,) = _columns(merged)
    (jet,) = evaluate_all(f, [box], 1)
    ends = [evaluate_all(f, [point(end)], 0)[0].value for end in (box.lo, box.hi)]
    low, high = ends
    changes = (low.hi <= 0) & (high.lo >= 0) | (low.lo >= 0) & (high.hi <= 0)
    return np.asarray(changes & ~jet.slopes.get(0, ZERO).has(0) & (jet.level >= LIPSCHITZ))


def _maps_into_itself(merged: Rows, hulls: Rows, f: Formula, whole: Rows) -> Truths:
    """Return whether Krawczyk's operator proves one root in each box.

    hulls: around the remaining boxes in each merged box, so around all its roots. If the operator
    maps a wider box into its interior, there is one root in that box, so at most one in the hull.
    It is inside the whole box if its image is, or if it is a half and inside.
    """
    halves = _zeros_at_halves(hulls, f)
    is_half = ((halves >= hulls[0]) & (halves <= hulls[1])).all(axis=1)
    proved = np.zeros(len(hulls[0]), np.bool_)
    widths = hulls[1] - hulls[0]
    sizes = np.maximum(np.abs(hulls[0]), np.abs(hulls[1]))
    for margin in (widths + 2.0**-40 * sizes + 2.0**-60, merged[1] - merged[0] + 2.0**-20):
        boxes = _columns((hulls[0] - margin, hulls[1] + margin))
        images = _krawczyk(boxes, evaluate_all(f, boxes, 1), f)
        unique = [(y.lo > x.lo) & (y.hi < x.hi) for x, y in zip(boxes, images, strict=True)]
        low, high = _rows(images)
        is_inside = is_half | ((low >= whole[0]) & (high <= whole[1])).all(axis=1)
        proved |= np.logical_and.reduce([*unique, is_inside])
    return proved


def _zeros_at_halves(rows: Rows, f: Formula) -> Doubles:
    """Return the halves in the middle of boxes where they are roots, else NaN."""
    middles = np.asarray(hc.convert_double(hc.convert((rows[0] + rows[1]) / 2, HALF)))
    middles = middles.reshape(rows[0].shape)
    points = [point(column) for column in middles.T]
    results = evaluate_all(f, points, 0)
    zeros = [(y.value.lo == 0) & (y.value.hi == 0) & (y.level >= DEFINED) for y in results]
    return np.where(np.logical_and.reduce(zeros)[:, None], middles, np.nan)


def _shrink_to_halves(rows: Rows, f: Formula) -> Rows:
    """Shrink boxes with one root each to the root itself where that is a half."""
    zeros = _zeros_at_halves(rows, f)
    return tuple(np.where(np.isnan(zeros), bound, zeros) for bound in rows)  # type: ignore[return-value]


def _prove(remaining: Rows, f: Formula, whole: Rows) -> _Proof:
    """Return the boxes of halves around remaining boxes, and which have exactly one root."""
    merged = _merge(_outward(remaining))
    hulls = _members(remaining, merged)
    prove = _crosses_zero if whole[0].shape[1] == 1 else _maps_into_itself
    return _Proof(merged, hulls, prove(merged, hulls, f, whole))


def _refine(proof: _Proof, f: Formula, whole: Rows, tol: float) -> _Proof:
    """Search boxes that are not proved again with smaller tolerances, as long as that is quick."""
    undecided = [*zip(*_take(proof.hulls, ~proof.is_unique), strict=True)]
    which = proof.is_unique
    proofs = [_Proof(_take(proof.merged, which), _take(proof.hulls, which), which[which])]
    for number, (low, high) in enumerate(undecided):
        rows = low[None], high[None]
        refined = _prove(rows, f, whole)
        for fraction in _FINER if number < _FEW else ():
            remaining, is_wide = search(f, rows, _QUICK, tol * fraction)
            if is_wide:
                break
            refined = _prove(remaining, f, whole)
            if refined.is_unique.all():
                break
            rows = remaining
        proofs.append(refined)
    return _Proof(
        _stack([p.merged for p in proofs]),
        _stack([p.hulls for p in proofs]),
        np.concatenate([p.is_unique for p in proofs]),
    )


class Proved(NamedTuple):
    """Boxes that contain all roots, in ascending order, and whether each has exactly one root."""

    boxes: Interval
    is_unique: Truths
    is_complete: bool  #: False if the limit was reached


def find_roots(name: str, f: Formula, x: object, limit: int, tol: float) -> Proved:
    """Search a box for roots, and prove them; the arguments are those of `roots`."""
    boxes = Boxes(f, x)
    if boxes.shape:
        raise ValueError(f"{name}: x: expected one box, got an array of shape {boxes.shape}")
    if boxes.decorated and any(np.any(v._arrays[-1] == ILL) for v in boxes.arguments):
        raise ValueError(f"{name}: x: expected a box, got NaI")
    if as_int(f"{name}: limit", limit) < 1:
        raise ValueError(f"{name}: limit: expected at least 1, got {limit}")
    f = boxes.formula
    f.extends = False  # a root at a removable pole is none
    with np.errstate(all="ignore"), DefaultEnvironment():
        whole = _rows(
            [DoubleInterval(v.lo.reshape(1), v.hi.reshape(1)) for v in boxes.as_doubles()]
        )
        start = _take(whole, np.asarray(~np.isnan(whole[0]).any(axis=1)))
        remaining, is_wide = search(f, start, limit, tol)
        proof = _prove(remaining, f, whole)
        if not is_wide:
            proof = _refine(proof, f, whole, tol)
        merged, is_unique = proof.merged, proof.is_unique
        shrunk = _shrink_to_halves(merged, f)
        rows = tuple(
            np.where(is_unique[:, None], *bounds) for bounds in zip(shrunk, merged, strict=True)
        )
    order = np.lexsort(np.concatenate([rows[0].T, rows[1].T])[::-1])
    is_single = not isinstance(x, tuple | list | VectorArgument)
    low, high = (bound[order] for bound in rows)
    bounds = halves_around(low[:, 0], high[:, 0]) if is_single else halves_around(low, high)
    return Proved(Interval.of(bounds), is_unique[order], not is_wide)


def warn_of_limit(name: str, limit: int) -> None:
    """Warn that boxes remain because the limit was reached."""
    warnings.warn(
        f"{name}: limit={limit} of boxes was reached; the remaining boxes are `possible`",
        LimitWarning,
        stacklevel=3,
    )


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
    boxes, is_unique, is_complete = find_roots("roots", f, x, limit, _CUT)
    if not is_complete:
        warn_of_limit("roots", limit)
    return Roots(boxes[is_unique], boxes[~is_unique])
