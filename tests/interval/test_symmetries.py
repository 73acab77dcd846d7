"""Tests of symmetries of formulas, and of the faces of boxes that have their extreme values."""

import math
import warnings

import numpy as np
import pytest
from exhaustive import one_in
from interval_bounds import proven_range

from halfcl import interval
from halfcl.interval import Interval, LimitWarning, range_of
from halfcl.interval._formulas._search._pieces.pieces import Pieces
from halfcl.interval._formulas._search._symmetries import faces as symmetries
from halfcl.interval._formulas._search._symmetries.monotone import monotone_variables
from halfcl.interval._formulas._search._symmetries.permutations import (
    permutations,
    without_mirrored,
)
from halfcl.interval._formulas._search.conditions import record
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.removable import Extended

ROUNDING = 1e-9

#: Formulas of three numbers; how many variables their symmetries spare, if these are positive.
FORMULAS = {
    "quotient": (lambda x, y, z: x / y + z, 2),
    "product": (lambda x, y, z: x * y - z, 2),
    "homogeneous": (lambda x, y, z: (x * x + y * z) / np.sqrt(x * x + y * y + z * z), 1),
    "of degree zero": (lambda x, y, z: np.arctan2(x, y) * z / np.hypot(x, z), 1),
    "squares and roots": (lambda x, y, z: np.sin(x * x / y) + np.sqrt(y) * z, 1),
    "differences": (lambda x, y, z: (x - y) / (x - z), 1),
    "sum of shifts": (lambda x, y, z: x + np.sin(x - y) * z, 1),
    "twice a shift": (lambda x, y, z: x + y - 2 * z + np.exp(z - x), 1),
    "exponentials": (lambda x, y, z: np.exp(x) / (np.exp(y) + np.exp(z)), 2),
    "logarithms": (lambda x, y, z: np.log(x / y) - np.log(x * z), 3),
    "powers": (lambda x, y, z: x**2.5 / y**1.5 + z, 2),
    "greatest and least": (lambda x, y, z: np.maximum(x, 2 * y) - np.minimum(z, x), 1),
    "comparison": (lambda x, y, z: np.where(x > y, x * z, y), 2),
    "comparison with zero": (lambda x, y, z: np.where(x - y > 0, x / z, y / z), 2),
    "magnitudes and signs": (lambda x, y, z: np.copysign(abs(x), y) * np.sign(z), 3),
    "fused": (lambda x, y, z: x * y + 0 * x + np.cbrt(x * z * z), 1),
    "none": (lambda x, y, z: np.sin(x) * y + np.cos(z) / (1 + y), 0),
    "shares of one": (lambda x, y, z: x / (1 + y) + np.floor(z), 0),
    "powers of variables": (lambda x, y, z: (x * x + 1) ** y + z, 1),
}


def paths_of(f, low, high):
    boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
    with np.errstate(all="ignore"):
        return [*record(Extended(f, boxes), boxes)]


def count_steps(path):
    """The number of variables that the symmetries of a path fix one after another."""
    own, fixed = symmetries.Symmetries(path), [False] * path.program.count
    for count in range(path.program.count + 1):
        symmetry = own.of(tuple(fixed))
        if symmetry is None:
            return count
        fixed[next(i for i, sign in enumerate(symmetry.signs) if sign)] = True
    return None


@pytest.mark.parametrize("name", FORMULAS)
def test_number_of_symmetries(name):
    f, count = FORMULAS[name]
    low, high = np.full((3, 1), 1.0), np.full((3, 1), 3.0)
    assert [count_steps(path) for path in paths_of(f, low, high)] == [count] * len(
        paths_of(f, low, high)
    )


def sample(f, low, high, rng, draws=4000):
    """Finite values at corners, on faces and inside."""
    share = rng.random((len(low), draws))
    corner = rng.integers(0, 2, share.shape)
    share = np.where(rng.random(share.shape) < 0.6, corner, share)
    at = low[:, None] + (high - low)[:, None] * share
    with np.errstate(all="ignore"):
        values = np.broadcast_to(f(*at), (draws,))
    return values[np.isfinite(values)]


def boxes_around(rng, count):
    """Boxes of all signs: some with zero inside, some with zero as a bound, some symmetric."""
    centre, radius = rng.uniform(-3, 3, (3, count)), 2.0 ** rng.integers(-4, 2, (3, count))
    centre = np.where(rng.random((3, count)) < 0.3, 0.0, centre)
    low, high = centre - radius, centre + radius
    return np.where(rng.random((3, count)) < 0.2, 0.0, low), np.maximum(high, 0.125)


@one_in(2)
@pytest.mark.parametrize("name", [name for name in FORMULAS if "comparison" not in name])
def test_faces_have_all_extreme_values(name):
    """Each value inside a box is between values on its faces, or between those and a zero.

    Their arcs are compared, since some are unbounded.
    """
    f, _ = FORMULAS[name]
    rng = np.random.default_rng(5)
    low, high = boxes_around(rng, 40)
    (path,) = paths_of(f, low, high)
    for falls in (False, True):
        faces = symmetries.faces(
            symmetries.Symmetries(path), low, high, np.full(low.shape[1], falls), np.zeros(40, bool)
        )
        sign = -1 if falls else 1
        for box in range(low.shape[1]):
            values = sample(f, low[:, box], high[:, box], rng)
            own = np.flatnonzero(faces.of == box)
            assert 0 < len(own) <= symmetries.MOST_FACES
            assert (faces.low[:, own] >= low[:, [box]]).all()
            assert (faces.high[:, own] <= high[:, [box]]).all()
            if not values.size:
                continue
            ends = [sample(f, faces.low[:, i], faces.high[:, i], rng) for i in own]
            ends.append(np.zeros(int(box in faces.with_zero)))
            least = min((sign * end).min(initial=math.inf) for end in ends)
            assert np.arctan(least) <= np.arctan((sign * values).min()) + 0.1, (box, falls)


@one_in(2)
@pytest.mark.parametrize("name", FORMULAS)
def test_ranges_contain_all_values(name):
    f, _ = FORMULAS[name]
    rng = np.random.default_rng(6)
    low, high = (x.astype(np.float16) for x in boxes_around(rng, 6))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        result = range_of(f, tuple(Interval(*ends) for ends in zip(low, high, strict=True)))
    for box in range(6):
        values = sample(f, low[:, box].astype(float), high[:, box].astype(float), rng)
        if values.size:
            slack = ROUNDING * np.abs(values).max()
            assert float(result.inf[box]) <= values.min() + slack
            assert float(result.sup[box]) >= values.max() - slack


#: Formulas, boxes, and ranges that the search without symmetries does not reach at this limit.
TIGHT = {
    "directions": (
        lambda x, y, u, v: (x * u + y * v) / (np.hypot(x, y) * np.hypot(u, v)),
        [(0, 4), (0, 4), (-4, -0.0), (0, 3)], (-1, 1)),
    "reflection": (
        lambda v, w, x, y: v - 2 * (v * x + w * y) / (x * x + y * y) * x,
        [(-1, 2), (-1, 2), (-3, 3), (-3, 3)], (-2.82843, 2.82843)),
    "means": (lambda x, y: 2 * np.sqrt(x * y) / (x + y), [(-8, 8), (-8, 8)], (-1, 1)),
    "shifted angles": (
        lambda x, y, z: x + np.arctan2(z * np.sin(x - y), 3 + np.cos(x - y)),
        [(1, 2), (-9, 9), (1, 2)], (0.38452, 2.61548)),
    "weights": (
        lambda s, m, t, n: (s * s * n + t * t * m) / (s * s + t * t),
        [(-5, 5), (-2, 1), (-5, 5), (-1, 3)], (-2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", TIGHT)
def test_symmetries_make_ranges_tight(name):
    f, box, want = TIGHT[name]
    enclosure = proven_range(f, box)
    for bound, exact in zip((enclosure.inf, enclosure.sup), want, strict=True):
        assert abs(float(bound) - exact) <= 2**-9 * abs(exact)


def test_zero_is_a_limit_only_of_formulas_with_values():
    """x - y tends to zero at the corner; with an empty domain, there is no limit."""
    corner = Interval(0, 2), Interval(0, 2)
    assert range_of(lambda x, y: np.hypot(x, y) + x, corner).inf == 0
    assert interval.is_empty(
        range_of(lambda x, y: np.sqrt(-x - y) * np.sqrt(x * y) / (x + y), corner)
    )


def test_signs_of_zero_on_the_cut_of_angles_are_kept():
    """atan2(0, -1) is pi, not -pi, so angles are not odd."""
    box = Interval(-1, -0.5), Interval(-1, 1), Interval(-1, 1)
    result = range_of(lambda x, y, z: z * np.arctan2(y, x), box)
    assert float(result.inf) <= -math.pi and float(result.sup) >= math.pi


@pytest.mark.parametrize(
    ("f", "count"),
    [
        (lambda x, y, z: x * y * z, 2), (lambda x, y, z: x * x + abs(y) + np.cos(z), 3),
        (lambda x, y, z: np.sin(x) * y + z, 1), (lambda x, y, z: np.hypot(x, y) / (1 + z), 2),
        (lambda x, y, z: np.exp(x) + y * z, 1), (lambda x, y, z: np.arctan2(x, y) + z, 0),
        (lambda x, y, z: np.where(x > 0, y * z, y), 1), (lambda x, y, z: x**3 / y + z**2, 2),
    ],
)  # fmt: skip
def test_halves_of_symmetric_boxes(f, count):
    low, high = np.full((3, 1), -2.0), np.full((3, 1), 2.0)
    path = paths_of(f, low, high)[0]
    own = symmetries.Symmetries(path)
    assert np.count_nonzero(own.halves(low, high) == 0) == count
    high[:] = 3
    assert np.array_equal(own.halves(low, high), low)


@pytest.mark.parametrize(
    ("f", "where_defined", "everywhere"),
    [
        (lambda x, y, z: x * y + (1 - x) * z, "xyz", "xyz"),
        (lambda x, y, z: (x + y) / (1 + x * z), "xyz", "y"),
        (lambda x, y, z: np.arctan(2 * x - y) / (z * z), "xy", "xy"),
        (lambda x, y, z: np.sqrt(x + y) * np.exp(-z), "xyz", "z"),
        (lambda x, y, z: np.log(y / x) + x * z, "yz", "z"),
        (lambda x, y, z: abs(x) + y**2 + np.sin(z), "", ""),
        (lambda x, y, z: x**3 + y**-3 + z**-2, "xy", "x"),
        (lambda x, y, z: x / y - y / x + 2**z, "z", ""),
        (lambda x, y, z: x / (x + y) - y / (x + y), "xy", ""),
        (lambda x, y, z: np.maximum(x, y) - np.minimum(z, 3) + 1 / np.tan(y), "xz", "xz"),
        (lambda x, y, z: np.tanh(x) - np.tanh(x + y), "y", "y"),
        (lambda x, y, z: x * x - y * (y - y), "", ""),
        (lambda x, y, z: 1 / (1 / x + 1 / y) + 1 / (z + 1 / (z + 1)), "xy", ""),
    ],
)
def test_variables_in_which_formulas_are_monotone(f, where_defined, everywhere):
    low, high = np.full((3, 1), 1.0), np.full((3, 1), 2.0)
    monotone = monotone_variables(paths_of(f, low, high)[0].program)
    names = np.array([*"xyz"])
    assert "".join(names[monotone.where_defined]) == where_defined
    assert "".join(names[monotone.everywhere]) == everywhere


@pytest.mark.parametrize("seed", range(4))
def test_extremes_are_at_ends_of_monotone_variables(seed):
    """They are no less than those of random points between."""
    rng = np.random.default_rng(seed)
    low, high = rng.uniform(1, 2, (3, 1)), rng.uniform(2, 4, (3, 1))
    for f in (lambda x, y, z: x * y + (1 - x) * z, lambda x, y, z: (x - y) / (z * x + y),
              lambda x, y, z: np.sqrt(x / (z + y)) - np.log(z / (x + y))):  # fmt: skip
        monotone = monotone_variables(paths_of(f, low, high)[0].program)
        for i in np.flatnonzero(monotone.where_defined):
            at = rng.uniform(low, high, (3, 500))
            values = [f(*np.where(np.arange(3)[:, None] == i, end, at)) for end in (low, high)]
            inside = f(*at)
            assert (inside >= np.minimum(*values) - ROUNDING).all()
            assert (inside <= np.maximum(*values) + ROUNDING).all()


def test_weighted_means_are_between_their_numbers():
    def f(w, x, y, a, b):
        return w * np.exp(-((x - a) ** 2)) + (1 - w) * np.exp(-((y - b) ** 2))

    box = (Interval(0, 1), *(Interval(-10, 10),) * 4)
    result = range_of(f, box, full_output=True)
    assert result.gap <= 1 and float(result.enclosure.sup) == 1


# ---------------------------------------------------------------- exchanges of variables

#: Formulas, and the exchanges of variables that leave them as they are.
EXCHANGES = {
    "sums and products": (lambda x, y: x * y + x + y, [[1, 0]]),
    "difference": (lambda x, y: x - y, []),
    "even in a difference": (lambda x, y: np.cos(x - y) + (y - x) ** 2 + abs(x - y), [[1, 0]]),
    "two odd factors": (lambda x, y: np.sin(x - y) * np.arctan(y**3 - x**3), [[1, 0]]),
    "odd factor": (lambda x, y: np.sin(x - y) * (x * y), []),
    "divisors in any order": (lambda x, y, z: x / y / z + 1 / (z * x / y), []),
    "divisors that are alike": (lambda x, y, z: x / y / z + 1 / (z * y), [[0, 2, 1]]),
    "extrema": (lambda x, y, z: np.minimum(x - z, np.maximum(y, z)) + np.hypot(x, y), []),
    "extrema in any order": (
        lambda x, y, z: np.maximum(z, x) + np.hypot(x, z) + y, [[2, 1, 0]]
    ),
    "constants": (lambda x, y: 2 * x + 3 * y, []),
    "equal constants": (lambda x, y: -2 * x + y * -2 + 3 * np.sqrt(x * y * x * y), [[1, 0]]),
    "angle": (lambda x, y: np.arctan2(x, y), []),
    "two pairs": (lambda w, x, y, z: w / y + x / z, [[1, 0, 3, 2]]),
    "two pairs, or one": (
        lambda w, x, y, z: w * x - y * z, [[1, 0, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2]]
    ),
    "opposite sums": (
        lambda w, x, y, z: np.sqrt((w / y - x / z) ** 2) + (x - w) ** 2 * y * z, [[1, 0, 3, 2]]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXCHANGES)
def test_exchanges_of_variables_that_change_nothing_are_found(name):
    f, orders = EXCHANGES[name]
    count = f.__code__.co_argcount
    boxes = [DoubleInterval(np.array([1.0]), np.array([2.0]))] * count
    (path,) = record(Extended(f, boxes), boxes)
    assert permutations(path.program) == orders
    rng = np.random.default_rng(5)
    for order in orders:
        at = rng.uniform(0.5, 2, (count, 100))
        assert np.allclose(f(*at), f(*at[order]), rtol=1e-12)


def test_of_mirrored_pieces_one_is_left():
    of = np.array([0, 0, 0, 1, 0])
    low = np.array([[0.0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [5, 5, 5, 5, 6]])
    pieces = Pieces(of, np.zeros(5, np.int64), low, low + 1, np.zeros(5))
    rest = without_mirrored(pieces, [[1, 0, 2]])
    assert sorted(zip(rest.of.tolist(), *rest.low.tolist(), strict=True)) == [
        (0, 0, 0, 5), (0, 0, 1, 5), (0, 0, 1, 6), (1, 0, 1, 5)
    ]  # fmt: skip
    assert np.array_equal(rest.high, rest.low + 1)
    assert len(without_mirrored(pieces[:0], [[1, 0, 2]])) == 0


def test_a_plateau_of_two_variables_is_searched_once_with_these_exchanged():
    """The longer axis of a scaled and turned ellipse is 100 wherever one axis and scale are 10."""

    def f(a, b, angle, x_scale, y_scale):
        turn = angle / 180 * math.pi
        product = b * a * (b * -a)
        u = ((a * np.sin(turn)) ** 2 + (b * np.cos(turn)) ** 2) / x_scale / x_scale
        w = 2 * (b**2 - a**2) * np.sin(turn) * np.cos(turn) / x_scale / y_scale
        v = ((a * np.cos(turn)) ** 2 + (b * np.sin(turn)) ** 2) / y_scale / y_scale
        scaled = 4 * product / (x_scale * y_scale) ** 2
        root = np.sqrt((u - v) ** 2 + w**2)
        return -np.sqrt(2 * scaled * product * (u + v + root)) / scaled

    assert float(proven_range(f, [(-10, 10)] * 5).sup) <= 100.0625
