"""Points of boxes at which formulas may have their least values.

The search proves; samples only find values that f takes. So they may be drawn in any way, by the
same numbers for each problem, since the result of a box must not depend on other boxes.
"""

from __future__ import annotations

import numpy as np

from halfcl.interval._formulas.doubles import Doubles

#: The number of points drawn in a round for each problem, and the number of their centres.
POINTS, CENTRES = 64, 4
#: The number of rounds around the best points, and the factor of their sizes.
ROUNDS, _SHRINK = 12, 0.3
#: The number of rounds without lesser values after which a problem is finished.
UNCHANGED = 3
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
