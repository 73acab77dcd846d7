"""Points of boxes at which formulas may have their least values.

The search proves; samples only find values that f takes. So they may be drawn in any way, by the
same numbers for each problem, since the result of a box must not depend on other boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from halfcl.interval._formulas._search._values.draws import (
    POINTS,
    Around,
    Draws,
    Even,
    Move,
    Spread,
)
from halfcl.interval._formulas.doubles import Doubles

#: The number of centres of the POINTS that are drawn in a round for each problem.
CENTRES = 4
#: How often as many points are drawn at first, to choose the best.
DRAWS = 4
#: The number of rounds around the best points, and the factor of their sizes.
ROUNDS, _SHRINK = 4, 0.3
#: The number of rounds of `improve`.
_STEPS = 8
#: The number of rounds without lesser values after which a problem is finished.
UNCHANGED = 2
#: Unbounded boxes are sampled up to this magnitude.
_FAR = 2.0**30
#: The least magnitude of points whose orders of magnitude are distributed evenly.
_NEAR = 2.0**-40


def draw_first(draws: Draws, low: Doubles, high: Doubles) -> Doubles:
    """Return points of boxes: of shape (variables, problems, POINTS).

    Each coordinate is a bound, close to one, close to zero, or anywhere.
    """
    draw = draws.next(Spread)
    low, high = (np.clip(x, -_FAR, _FAR)[:, :, None] for x in (low, high))
    middle, width, zero = low / 2 + high / 2, high - low, np.clip(0.0, low, high)
    side = np.where(draw.is_lower, low, high)
    beside = low + width * draw.near, high - width * draw.near, zero + (side - zero) * draw.near
    points = low + width * draw.share
    for is_there, place in zip(draw.places, (low, high, *beside, middle), strict=True):
        points = np.where(is_there, place, points)
    points[:, :, 0] = middle[:, :, 0]
    return np.clip(points, low, high)


def draw_evenly(draws: Draws, low: Doubles, high: Doubles) -> Doubles:
    """Return points of boxes, with coordinates from even distributions: of the same shape.

    Some of them are distributed evenly by their order of magnitude.
    """
    share, is_geometric = draws.next(Even)
    low, high = (np.clip(x, -_FAR, _FAR)[:, :, None] for x in (low, high))
    least = np.maximum(np.minimum(np.abs(low), np.abs(high)), _NEAR)
    most = np.maximum(np.maximum(np.abs(low), np.abs(high)), least)
    size = least * (most / least) ** share
    is_geometric = (low * high >= 0) & is_geometric
    points = np.where(is_geometric, np.where(low < 0, -size, size), low + (high - low) * share)
    return np.clip(points, low, high)


def draw_around(
    draws: Draws, centres: Doubles, low: Doubles, high: Doubles, number: int
) -> Doubles:
    """Return points around centres, ever closer to them from round to round.

    centres: of shape (variables, problems, CENTRES).
    """
    size = (np.clip(high, -_FAR, _FAR) - np.clip(low, -_FAR, _FAR))[:, :, None] * _SHRINK ** (
        number + 1
    )
    around = np.repeat(centres, POINTS // CENTRES, axis=2)
    return np.clip(around + draws.next(Around).step * size, low[:, :, None], high[:, :, None])


def improve(
    draws: Draws,
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
        at = _move(draws.next(Move), centres, earlier, size, bounds, anchors)
        before = points
        points, values = _best(
            np.concatenate([points, at], axis=2), np.concatenate([values, evaluate(at)], axis=1)
        )
    return points, values


def _move(
    draw: Move,
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
    start = centres + (centres - earlier) * draw.ahead
    step = size * draw.size * draw.direction
    low, high, zero = anchors
    anchor = np.where(draw.is_low, low, np.where(draw.is_high, high, zero))
    nearer = np.where(draw.is_scaled, anchor + (start - anchor) * draw.factor, start + step)
    at = np.where(draw.is_anchor, anchor, nearer)
    return np.clip(np.where(draw.moves, at, start), *bounds)


def _best(points: Doubles, values: Doubles) -> tuple[Doubles, Doubles]:
    """Return the CENTRES points of each problem that have the least values."""
    order = np.argsort(values, axis=1)[:, :CENTRES]
    rows = np.arange(len(values))[:, None]
    return points[:, rows, order], values[rows, order]
