"""Points of boxes at which formulas may have their least values.

The search proves; samples only find values that f takes. So they may be drawn in any way, by the
same numbers for each problem, since the result of a box must not depend on other boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from halfcl.interval._formulas.doubles import Doubles

#: The number of points drawn in a round for each problem, and the number of their centres.
POINTS, CENTRES = 64, 4
#: How often as many points are drawn at first, to choose the best.
DRAWS = 4
#: The number of rounds around the best points, and the factor of their sizes.
ROUNDS, _SHRINK = 4, 0.3
#: The number of rounds of `improve`, and binary orders of magnitude of its steps.
_STEPS, _FINE = 8, 24
#: The number of rounds without lesser values after which a problem is finished.
UNCHANGED = 2
#: Unbounded boxes are sampled up to this magnitude.
_FAR = 2.0**30
#: Binary orders of magnitude of the distances from bounds and from zero.
_ORDERS = 40


def draw_first(rng: np.random.Generator, low: Doubles, high: Doubles) -> Doubles:
    """Return points of boxes: of shape (variables, problems, POINTS).

    Each coordinate is a bound, close to one, close to zero, or anywhere.
    """
    count = len(low)
    low, high = (np.clip(x, -_FAR, _FAR)[:, :, None] for x in (low, high))
    kind, share = rng.integers(0, 8, (2, count, 1, POINTS))[0], rng.random((count, 1, POINTS))
    near = np.exp2(-_ORDERS * rng.random((count, 1, POINTS)))
    middle, width = low / 2 + high / 2, high - low
    zero = np.clip(0.0, low, high)
    side = np.where(share < 0.5, low, high)
    beside = low + width * near, high - width * near, zero + (side - zero) * near
    places = low, high, *beside, middle
    points = low + width * share
    for number, place in enumerate(places):
        points = np.where(kind == number, place, points)
    points[:, :, 0] = middle[:, :, 0]
    return np.clip(points, low, high)


def draw_evenly(rng: np.random.Generator, low: Doubles, high: Doubles) -> Doubles:
    """Return points of boxes, with coordinates from even distributions: of the same shape.

    Some of them are distributed evenly by their order of magnitude.
    """
    shape = len(low), 1, POINTS
    low, high = (np.clip(x, -_FAR, _FAR)[:, :, None] for x in (low, high))
    share = rng.random(shape)
    least = np.maximum(np.minimum(np.abs(low), np.abs(high)), 2.0**-_ORDERS)
    most = np.maximum(np.maximum(np.abs(low), np.abs(high)), least)
    size = least * (most / least) ** share
    is_geometric = (low * high >= 0) & (rng.random(shape) < 0.5)
    points = np.where(is_geometric, np.where(low < 0, -size, size), low + (high - low) * share)
    return np.clip(points, low, high)


def draw_around(
    rng: np.random.Generator, centres: Doubles, low: Doubles, high: Doubles, number: int
) -> Doubles:
    """Return points around centres, ever closer to them from round to round.

    centres: of shape (variables, problems, CENTRES).
    """
    shape = len(low), 1, POINTS
    size = (np.clip(high, -_FAR, _FAR) - np.clip(low, -_FAR, _FAR))[:, :, None] * _SHRINK ** (
        number + 1
    )
    step = rng.uniform(-1, 1, shape) * (rng.random(shape) < 0.75)
    around = np.repeat(centres, POINTS // CENTRES, axis=2)
    return np.clip(around + step * size, low[:, :, None], high[:, :, None])


def improve(
    rng: np.random.Generator,
    evaluate: Callable[[Doubles], Doubles],
    points: Doubles,
    values: Doubles,
    low: Doubles,
    high: Doubles,
) -> tuple[Doubles, Doubles]:
    """Return CENTRES points with lesser values, and these, by random steps of all sizes.

    points: of shape (variables, problems, any number); values: of shape (problems, that number).
    evaluate: returns values of points. low, high: the bounds of boxes.
    """
    size = (np.clip(high, -_FAR, _FAR) - np.clip(low, -_FAR, _FAR))[:, :, None]
    bounds = low[:, :, None], high[:, :, None]
    anchors = [np.clip(x, -_FAR, _FAR) for x in (*bounds, np.clip(0.0, *bounds))]
    points, values = _best(points, values)
    before = points
    for _ in range(_STEPS):
        share = POINTS // points.shape[2]
        centres, earlier = (np.repeat(x, share, axis=2) for x in (points, before))
        at = _move(rng, centres, earlier, size, bounds, anchors)
        before = points
        points, values = _best(
            np.concatenate([points, at], axis=2), np.concatenate([values, evaluate(at)], axis=1)
        )
    return points, values


def _move(
    rng: np.random.Generator,
    centres: Doubles,
    earlier: Doubles,
    size: Doubles,
    bounds: tuple[Doubles, Doubles],
    anchors: Sequence[Doubles],
) -> Doubles:
    """Return points near centres: steps of any size; toward, away from or on bounds and zero.

    Some go on in the direction from earlier points. bounds: those of boxes. anchors: bounds and
    zero, toward which points move.
    """
    shape = len(size), 1, POINTS
    ahead = rng.uniform(0, 4, shape[1:]) * (rng.random(shape[1:]) < 0.3)
    start = centres + (centres - earlier) * ahead
    step = size * np.exp2(-_FINE * rng.random(shape[1:]) ** 2) * rng.uniform(-1, 1, shape)
    place = rng.integers(0, 3, shape)
    anchor = np.where(place == 0, anchors[0], np.where(place == 1, anchors[1], anchors[2]))
    factor = np.exp2(rng.uniform(-_FINE / 2, 3, shape))
    kind = rng.integers(0, 8, shape)  # six of eight are steps
    nearer = np.where(kind == 1, anchor + (start - anchor) * factor, start + step)
    at = np.where(kind == 0, anchor, nearer)
    shares = np.array([1.5 / len(size), 0.5, 1.0])
    moves = rng.random(shape) < shares[rng.integers(0, 3, shape[1:])]
    return np.clip(np.where(moves, at, start), *bounds)


def _best(points: Doubles, values: Doubles) -> tuple[Doubles, Doubles]:
    """Return the CENTRES points of each problem that have the least values."""
    order = np.argsort(values, axis=1)[:, :CENTRES]
    rows = np.arange(len(values))[:, None]
    return points[:, rows, order], values[rows, order]
