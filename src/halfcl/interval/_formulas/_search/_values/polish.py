"""Lesser values near the best points of problems, in several variables.

Random steps come close to minima, but not to their last bits, and hardly into narrow valleys. These
steps are directed: by Newton's method, along each variable at all scales, and onto critical sets,
where parts of a formula are zero or equal. A cone as sqrt(x^2 + y^2) is least where two parts are
zero, and a pole may be close to such sets on bounds alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas._search._values.critical import Critical
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas.doubles import DoubleInterval, Doubles, point
from halfcl.interval._formulas.jets import Jet, variables

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]
#: Values of points: of shape (variables, problems, points) and (problems, points).
Evaluate = Callable[[Doubles], Doubles]

#: The number of rounds, and of directed steps in each, at most.
_ROUNDS, _STEPS = 4, 12
#: The share of a value below which it makes slow progress.
_PROGRESS = 0.01
#: The sizes of steps along a variable, as shares of its interval; those of other directions.
_SCALES = 4.0 ** -np.arange(0.5, 27.0)
_LENGTHS = 2.0 ** -np.arange(-1.0, 20.0)
#: The least share of the largest curvature that is not taken for zero.
_FLAT = 2.0**-40
#: How often points are moved onto a critical set, and how many points are tried beside all sets.
_MOVES, _MOST = 3, 1 << 15
#: Unbounded boxes are searched up to this magnitude.
_FAR = 2.0**30


def polish(
    path: Path,
    sets: Sequence[Critical],
    evaluate_of: Callable[[Integers], Evaluate],
    points: Doubles,
    others: Doubles,
    low: Doubles,
    high: Doubles,
    falls: Truths,
) -> Doubles:
    """Return points with lesser values, with a row per variable and a column per problem.

    evaluate_of: returns a function for the values of some problems. points: the best ones so far.
    others: more points to begin at, of shape (variables, problems, any number). low, high: the
    bounds of boxes. falls: whether a problem is that of -f.
    """
    low, high = np.clip(low, -_FAR, _FAR), np.clip(high, -_FAR, _FAR)
    starts = np.concatenate([points[:, :, None], others], axis=2)
    bounds = low[:, :, None], high[:, :, None]
    starts = np.clip(np.where(np.isnan(starts), bounds[0] / 2 + bounds[1] / 2, starts), *bounds)
    points, others = starts[:, :, 0], starts[:, :, 1:]
    every = np.arange(len(falls))
    value = evaluate_of(every)(points[:, :, None])[:, 0]
    for _ in range(_ROUNDS):
        starts = _starts(path, sets, evaluate_of(every), points, low, high)
        starts = np.concatenate([starts, others], axis=2)
        of = np.repeat(every, starts.shape[2])
        ends = _descend(
            path, evaluate_of(of), starts.reshape(len(points), -1), low[:, of], high[:, of],
            falls[of],
        )  # fmt: skip
        before = value
        ends = ends.reshape(starts.shape)
        points, value = _better(evaluate_of(every), points, value, ends)
        if not (value < before - _PROGRESS * np.abs(before)).any():
            break
    return points


def _descend(
    path: Path, evaluate: Evaluate, points: Doubles, low: Doubles, high: Doubles, falls: Truths
) -> Doubles:
    """Return the points to which directed steps lead."""
    value = evaluate(points[:, :, None])[:, 0]
    for _ in range(_STEPS):
        before = value
        points, value = _better(
            evaluate, points, value, _steps_from(path, points, low, high, falls)
        )
        if not (value < before).any():
            break
    return points


def _better(
    evaluate: Evaluate, points: Doubles, value: Doubles, at: Doubles
) -> tuple[Doubles, Doubles]:
    """Return the points of least values: those so far, or others."""
    values = evaluate(at)
    best, rows = np.argmin(values, axis=1), np.arange(len(value))
    is_less = values[rows, best] < value
    return (
        np.where(is_less, at[:, rows, best], points),
        np.where(is_less, values[rows, best], value),
    )


# ---------------------------------------------------------------- directions


def _steps_from(path: Path, points: Doubles, low: Doubles, high: Doubles, falls: Truths) -> Doubles:
    """Return points along each variable, and in the directions of gradients and of Newton's steps.

    They have the shape (variables, problems, points).
    """
    program, widths = path.program, high - low
    boxes = [point(x) for x in points]
    jet = program.evaluate(variables(boxes, 2))[program.roots[0]]
    slope, curvature = _derivatives(jet, points.shape, np.where(falls, -1.0, 1.0))
    is_still = (widths == 0) | ((points <= low) & (slope > 0)) | ((points >= high) & (slope < 0))
    slope = np.where(is_still, 0.0, slope)
    ways = [_newton(slope, curvature, is_still), _descent(slope, widths)]
    at = [points[:, :, None] + way[:, :, None] * _LENGTHS for way in ways]
    steps = widths[:, :, None] * np.concatenate([_SCALES, -_SCALES])
    for i in range(len(points)):
        moved = np.repeat(points[:, :, None], steps.shape[2], axis=2)
        moved[i] += steps[i]
        at.append(moved)
    places = np.concatenate(at, axis=2)
    rounded = places.astype(np.float32).astype(np.float64)[:, :, : len(_LENGTHS)]
    places = np.concatenate([places, rounded], axis=2)
    return np.clip(places, low[:, :, None], high[:, :, None])


def _middle(x: DoubleInterval, count: int) -> Doubles:
    """Return the middles of intervals, and zero for what is unknown."""
    middle = np.broadcast_to(x.lo / 2 + x.hi / 2, (count,))
    return np.where(np.isfinite(middle), middle, 0.0)


def _derivatives(jet: Jet, shape: tuple[int, ...], signs: Doubles) -> tuple[Doubles, Doubles]:
    """Return slopes, with a row per variable, and curvatures, with a matrix per problem."""
    number, count = shape
    slope, curvature = np.zeros(shape), np.zeros((count, number, number))
    for i, x in jet.slopes.items():
        slope[i] = signs * _middle(x, count)
    for (i, j), x in jet.curvatures.items():
        curvature[:, i, j] = curvature[:, j, i] = signs * _middle(x, count)
    return slope, curvature


def _newton(slope: Doubles, curvature: Doubles, is_still: Truths) -> Doubles:
    """Return Newton's steps, down also where a curvature is negative; some variables stay."""
    moves = ~is_still.T
    curvature = np.where(moves[:, :, None] & moves[:, None, :], curvature, 0.0)
    sizes, axes = np.linalg.eigh(curvature)
    sizes = np.abs(sizes)
    least = _FLAT * sizes.max(axis=1, initial=0.0)[:, None]
    shares = np.einsum("pij,ip->pj", axes, slope)
    steps = np.where(sizes > least, -shares / np.where(sizes > least, sizes, 1.0), 0.0)
    return np.asarray(np.einsum("pij,pj->ip", axes, steps))


def _descent(slope: Doubles, widths: Doubles) -> Doubles:
    """Return steps against slopes, in units of the boxes' widths."""
    changes = slope * widths
    size = np.abs(changes).max(axis=0)
    return np.where(size > 0, -widths * changes / np.where(size > 0, size, 1.0), 0.0)


# ---------------------------------------------------------------- critical sets


def _starts(
    path: Path,
    sets: Sequence[Critical],
    evaluate: Evaluate,
    points: Doubles,
    low: Doubles,
    high: Doubles,
) -> Doubles:
    """Return the points themselves, and the best ones beside critical sets.

    These are reached from the points, and from those with one variable on a bound, by moving one
    variable each. There is one for each such start.
    """
    number, count = points.shape
    at_bounds = [points]
    for i in range(number):
        for end in (low, high):
            at_bounds.append(np.where(np.arange(number)[:, None] == i, end, points))
    starts = np.stack(at_bounds, axis=2)
    moves = _moves(sets)
    if not len(moves):
        return points[:, :, None]
    share = max(1, -(-starts.shape[2] * len(moves) * (2 * len(_SCALES) + 1) // _MOST))
    moves = moves[::share]
    beside = _beside(path, sets, moves, starts, low, high)
    values = evaluate(beside.reshape(number, count, -1)).reshape(beside.shape[1:])
    best = np.argmin(values, axis=2)
    chosen = np.take_along_axis(beside, best[None, :, :, None], axis=3)[..., 0]
    return np.concatenate([points[:, :, None], chosen], axis=2)


def _moves(sets: Sequence[Critical]) -> Integers:
    """Return the numbers of sets, of variables that are moved, and of half turns of waves."""
    moves = [
        (k, i, shift)
        for k, critical in enumerate(sets)
        for i in critical.variables
        for shift in range(2 if critical.wave else 1)
    ]
    return np.array(moves, np.int64).reshape(-1, 3)


def _beside(
    path: Path,
    sets: Sequence[Critical],
    moves: Integers,
    starts: Doubles,
    low: Doubles,
    high: Doubles,
) -> Doubles:
    """Return points on critical sets and beside these, at all distances, for each start."""
    number, count, tracks = starts.shape
    sides = (slice(None), slice(None), None)
    at = np.repeat(starts, len(moves), axis=2)
    numbers, variable, shifts = np.tile(moves, (tracks, 1)).T
    moves_it = np.arange(number)[:, None, None] == variable
    for move in range(_MOVES):
        distance = _distances(path, sets, at, numbers, variable, shifts * (not move))
        at = np.clip(at - distance * moves_it, low[sides], high[sides])
    steps = (high - low)[sides][..., None] * np.concatenate([[0.0], _SCALES, -_SCALES])
    beside = np.clip(
        at[..., None] + moves_it[..., None] * steps, low[sides][..., None], high[sides][..., None]
    )
    return np.asarray(beside.reshape(number, count, tracks, -1))


def _distances(
    path: Path,
    sets: Sequence[Critical],
    at: Doubles,
    numbers: Integers,
    variable: Integers,
    shifts: Integers,
) -> Doubles:
    """Return by how much a variable is beyond a critical set at points, if the part were linear.

    numbers: those of the sets, one for each of the last axis. shifts: by how many half turns waves
    are moved on from the closest place.
    """
    shape = at.shape[1:]
    jets = path.program.evaluate(variables([point(x.ravel()) for x in at], 1))
    distance = np.zeros(shape)
    for k in np.unique(numbers).tolist():
        critical = sets[k]
        part, rises = _part(jets, critical, shape)
        beyond = _remainder(part, critical) + np.pi * shifts
        for i in np.unique(variable[numbers == k]).tolist():
            columns = np.flatnonzero((numbers == k) & (variable == i))
            slope = rises(i)[:, columns]
            step = np.divide(beyond[:, columns], slope)
            distance[:, columns] = np.where(np.isfinite(step), step, 0.0)
    return distance


def _part(
    jets: Sequence[Jet], critical: Critical, shape: tuple[int, ...]
) -> tuple[Doubles, Callable[[int], Doubles]]:
    """Return by how much a part is beyond a critical set, and a function for its slopes."""
    slots = [critical.slot] if critical.other is None else [critical.slot, critical.other]
    count = int(np.prod(shape))
    one, *others = (_middle(jets[slot].value, count).reshape(shape) for slot in slots)

    def rises(i: int) -> Doubles:
        slopes = [jets[slot].slopes.get(i, point(np.zeros(1))) for slot in slots]
        first, *rest = (_middle(x, count).reshape(shape) for x in slopes)
        return first - rest[0] if rest else first

    return one - (others[0] if others else critical.at), rises


def _remainder(part: Doubles, critical: Critical) -> Doubles:
    """Return the distance of a part from where it is critical; of waves, from the closest place."""
    if not critical.wave:
        return part
    start = np.pi / 2 if critical.wave == "cos" else 0.0
    return part - start - np.pi * np.rint((part - start) / np.pi)
