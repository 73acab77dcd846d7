"""Tests of what the search of ranges does for problems that cutting alone does not decide."""

import warnings

import numpy as np
import pytest
from interval_bounds import proven_range

from halfcl.interval import Interval, LimitWarning, range_of
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._search._pieces import convex
from halfcl.interval._formulas._search._pieces.pieces import Pieces
from halfcl.interval._formulas._search._routes import narrowing
from halfcl.interval._formulas._search._routes.dominators import dominators, outer_path
from halfcl.interval._formulas._search._routes.moves import moves_on_path
from halfcl.interval._formulas._search._routes.narrowing import narrow
from halfcl.interval._formulas._search._routes.route import Route, is_narrower, route_of
from halfcl.interval._formulas._search._routes.specialized import (
    Extrema,
    decisions,
    shorten,
    specialize,
)
from halfcl.interval._formulas._search._values import critical, polish
from halfcl.interval._formulas._search._values.plain import PlainProgram
from halfcl.interval._formulas._search.conditions import record
from halfcl.interval._formulas.double_functions import angle
from halfcl.interval._formulas.doubles import DoubleInterval, point
from halfcl.interval._formulas.jets import RULES, variables
from halfcl.interval._formulas.removable import Extended


def box_of(*pairs):
    return [DoubleInterval(np.array([float(a)]), np.array([float(b)])) for a, b in pairs]


def path_of(f, *pairs):
    (path,) = record(Extended(f, box_of(*pairs)), box_of(*pairs))
    return path


def value_at(program, at):
    """Return the enclosures of a program's result at points, with a row per variable."""
    with np.errstate(all="ignore"):
        return program.evaluate(variables([point(x) for x in at], 0))[program.roots[0]].value


def wood(a, b, c, d):
    steep = 100 * (b - a * a) ** 2 + 90 * (d - c * c) ** 2
    mixed = 10.1 * ((b - 1) ** 2 + (d - 1) ** 2) + 19.8 * (b - 1) * (d - 1)
    return steep + (1 - a) ** 2 + (1 - c) ** 2 + mixed


def smooth_step(x, a, b):
    t = np.clip((x - a) / (b - a), 0, 1)
    return t * t * (3 - 2 * t)


def log_scale(w, x, y, z):
    size = np.sqrt(x * x + y * y + z * z)
    return np.arctan2(size, w) / size


#: Formulas, boxes, and the bounds of their ranges, which need more than cuts.
RANGES = {
    "valley in four variables": (wood, [(-10, 10)] * 4, 0, np.inf),
    "part of all variables": (smooth_step, [(-10, 10)] * 3, 0, 1),
    "part of all variables that is seldom between": (
        smooth_step, [(-10, 10), (-10, 10), (2.1, 7.1)], 0, 1
    ),
    "face with a removable pole": (log_scale, [(-10, 10)] * 4,
                                   np.arctan2(300**0.5, 10) / 300**0.5, np.inf),
    "zero between values that overflow": (
        lambda x, y: -abs(np.sin(x) * np.exp(abs(y) + x * x)), [(900, 1000), (500, 600)], -np.inf, 0
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RANGES)
def test_ranges_that_need_more_than_cuts_are_found(name):
    f, pairs, least, most = RANGES[name]
    x = proven_range(f, pairs)
    low, high = float(x.inf), float(x.sup)
    slack = [2.0**-9 * max(abs(end), 2.0**-14) for end in (least, most)]
    assert low <= least and high >= most
    assert (least == -np.inf or low >= least - slack[0]) and (
        most == np.inf or high <= most + slack[1]
    )


# ---------------------------------------------------------------- polishing


def end_of(f, pairs, start, falls=False):
    """Return where directed steps from a point lead."""
    path = path_of(f, *pairs)
    plain = PlainProgram(path)
    low, high = (np.array([[float(pair[i])] for pair in pairs]) for i in (0, 1))

    def evaluate_of(index):
        def evaluate(points):
            at = points.reshape(len(points), -1)
            own = np.full(at.shape[1], falls)
            return plain.values(plain.slots(at), own).reshape(points.shape[1:])

        return evaluate

    start = np.array(start, float)[:, None]
    with np.errstate(all="ignore"):
        return polish.polish(
            path, critical.criticals(path), evaluate_of, start, start[:, :, None], low, high,
            np.array([falls]),
        )[:, 0]  # fmt: skip


def test_polishing_reaches_the_bottom_of_a_valley():
    assert end_of(wood, [(-10, 10)] * 4, [-1, 1, -1, 1]).tolist() == pytest.approx([1] * 4)
    assert wood(*end_of(wood, [(-10, 10)] * 4, [1.1, 1.2, 0.9, 0.8])) < 1e-25


def test_polishing_moves_onto_several_critical_sets():
    def cone(p, q, r, s):
        return np.sqrt((p - q) ** 2 + abs(np.sin(r - s)))

    at = end_of(cone, [(0, 1), (0, 1), (3, 4), (0, 0.5)], [0.3, 0.31, 3.2, 0.1])
    assert cone(*at) < 1e-7


def test_polishing_follows_narrow_ridges_to_bounds():
    """The greatest value, 2 / (s w), is where w is least and the cosine is nearly -1."""

    def ridge(s, x, w):
        v = np.exp(s * w)
        return 2 * np.sin(x * w) / (0.5 * (v + 1 / v) + np.cos(x * w))

    pairs = [(1e-4, 2e-4), (7700, 8000), (0.6, 0.7)]
    with np.errstate(all="ignore"):
        at = end_of(ridge, pairs, [1e-4, 7800.5, 0.65], falls=True)
        assert ridge(*at) == pytest.approx(2 / (1e-4 * 0.6), rel=1e-3)
    assert all(low <= x <= high for x, (low, high) in zip(at, pairs, strict=True))


# ---------------------------------------------------------------- convex bounds


def quartic(x, y, z):
    return (x - y * z) ** 2 * 3 + y**4 - x * z + np.sin(2 * y) - z**3 / 4


def test_convex_bounds_are_not_above_values():
    rng = np.random.default_rng(3)
    path = path_of(quartic, *[(-2, 2)] * 3)
    centre = rng.uniform(-2, 2, (3, 200))
    width = 10.0 ** rng.uniform(-5, 0, (3, 200)) * (rng.random((3, 200)) < 0.9)
    low, high = centre - width * rng.random((3, 200)), centre + width
    is_fixed = low == high
    boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
    for falls in (False, True):
        sign = np.full(200, falls)
        with np.errstate(all="ignore"):
            root = path.program.roots[0]
            jet = path.program.evaluate(variables(boxes, 2))[root]
            middle, radius = convex.matrices(jet.curvatures, sign, is_fixed)
            at = path.program.evaluate(variables([point(c) for c in centre], 1))[root]
            value = doubles.flip(sign, at.value).lo
            slopes = [doubles.flip(sign, at.slopes[i]) for i in range(3)]
            bounds = [np.where(is_fixed, 0.0, np.stack([getattr(s, end).copy() for s in slopes]))
                      for end in ("lo", "hi")]  # fmt: skip
            steps = [doubles.sub(box, point(c)) for box, c in zip(boxes, centre, strict=True)]
            of_matrices = convex.scale(middle, radius)
            bound = convex.quadratic_bounds(
                middle, radius, of_matrices, value, tuple(bounds), steps
            )
        inside = low[..., None] + (high - low)[..., None] * rng.random((3, 200, 300))
        values = quartic(*inside) * (-1 if falls else 1)
        least = values.min(axis=1)
        assert (bound <= least + 1e-13).all()
        is_small = (high - low).max(axis=0) < 1e-3
        assert (bound >= least - 0.1 * (values.max(axis=1) - least) - 1e-9)[is_small].mean() > 0.5
        assert np.isfinite(bound).all()


def test_definite_matrices_stay_definite_within_their_radii():
    rng = np.random.default_rng(4)
    root = rng.normal(size=(300, 4, 4)) * 10.0 ** rng.uniform(-3, 3, (300, 1, 4))
    middle = np.einsum("pij,pik->pjk", root, root)
    middle -= np.where(rng.random(300) < 0.3, 1.0, 0.0)[:, None, None] * np.eye(4) * middle.min()
    radius = abs(middle) * 10.0 ** rng.uniform(-9, 0, (300, 1, 1))
    is_definite = convex.scale(middle, radius).are_definite
    assert 30 < is_definite.sum() < 270
    for _ in range(20):
        other = middle + radius * np.sign(rng.normal(size=radius.shape))
        other = (other + other.transpose(0, 2, 1)) / 2
        scale = 1 / np.sqrt(np.diagonal(middle, axis1=1, axis2=2)[is_definite])
        least = np.linalg.eigvalsh(other[is_definite] * scale[:, :, None] * scale[:, None])[:, 0]
        assert (least > 0).all()


# ---------------------------------------------------------------- routes


def test_dominators_are_parts_of_all_variables():
    path = path_of(smooth_step, *[(-10, 10)] * 3)
    program, inner = path.program, dominators(path.program)
    assert inner
    at = np.array([[1.0, 2, 3, -4], [0.5, -1, 0, 5], [4, 6, 4, -9]])
    jets = program.evaluate(variables([point(x) for x in at], 0))
    for slot in inner:
        outer = outer_path(program, slot).program
        part = jets[slot].value
        value = value_at(outer, [part.lo])
        assert outer.count == 1
        assert np.allclose(value.lo, smooth_step(*at)) and np.allclose(value.hi, smooth_step(*at))


def test_variables_that_go_other_ways_leave_no_dominators():
    assert dominators(path_of(lambda x, y: np.exp(x * y) + y, (0, 1), (0, 1)).program) == []
    assert dominators(path_of(lambda x, y: x - y, (0, 1), (0, 1)).program) == []
    assert dominators(path_of(lambda x: np.exp(np.sin(x)), (0, 1)).program) == []


def test_specialised_paths_have_the_same_values_with_fewer_operations():
    def f(x, y, z):
        many = np.maximum(np.minimum(x * 3, y + 5), np.minimum(np.exp(y), z - 10))
        return many + np.minimum(z, x) * np.where(x < y, z, 2)

    whole = [(-4, 4)] * 3
    for path in record(Extended(f, box_of(*whole)), box_of(*whole)):
        part = box_of((0, 1), (2, 3), (1.5, 1.5))
        jets = path.program.evaluate(variables(part, 0))
        chosen = decisions(path.program, jets)
        assert len(chosen) >= 2
        other = specialize(path, chosen, {2: 1.5})
        assert len(other.program.steps) < len(path.program.steps) - 2
        assert len(other.constraints) == len(path.constraints)
        at = np.array([[0, 0.3, 1.0], [2, 2.9, 3], [1.5, 1.5, 1.5]])
        for one, two in zip(value_at(path.program, at).lo, value_at(other.program, at).lo,
                            strict=True):  # fmt: skip
            assert one == pytest.approx(two)


def drawing(x, y):
    """Return a drawing of 128 strokes, each the greater one of four linear functions."""
    shape = 100.0 + 0 * x
    for i, j, k in np.ndindex(8, 8, 2):
        u, v, a, b = 4 * x - i, 4 * y - j, np.cos(i + j * k), np.sin(i + j * k)
        width = 0.1 + 0.001 * ((5 * i + 7 * j + 11 * k) % 23)
        across = np.maximum(a * u + b * v, -a * u - b * v) - width
        along = np.maximum(a * v - b * u, b * u - a * v) - 0.35
        shape = np.minimum(shape, np.maximum(across, along))
    return shape


def test_long_drawings_are_searched_on_ever_shorter_routes():
    x = Interval(-3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LimitWarning)
        enclosure = range_of(drawing, (x, x))
    assert -0.1222 <= float(enclosure.inf) <= -0.122


def test_narrowed_routes_have_fewer_operations_and_the_same_values_on_their_pieces():
    path = path_of(drawing, (-3, 4), (-3, 4))
    route = Route(path, Extended(drawing, box_of((-3, 4), (-3, 4))), box_of((-3, 4), (-3, 4)))
    assert route.can_be_narrowed
    low = np.stack(np.meshgrid(np.arange(8), np.arange(8))).reshape(2, -1) / 16
    zeros = np.zeros(low.shape[1], np.int64)
    pieces = Pieces(zeros, zeros, low, low + 0.05, np.full(len(zeros), -np.inf))
    route.evaluate(pieces.boxes(), 0)
    narrowed = list(narrow(route, pieces[10:], np.arange(10, len(pieces))))
    assert sum(len(own) for own, _ in narrowed) == len(pieces) - 10
    for own, other in narrowed:
        assert len(other.path.program.steps) < 0.8 * len(path.program.steps)
        middle = own.low + 0.04
        one, two = (value_at(program, middle) for program in (path.program, other.path.program))
        assert np.array_equal(one.lo, two.lo) and np.array_equal(one.hi, two.hi)


def test_routes_that_could_not_be_narrowed_wait_while_pieces_become_more(monkeypatch):
    boxes = box_of((-3, 4), (-3, 4))
    route = Route(path_of(drawing, (-3, 4), (-3, 4)), Extended(drawing, boxes), boxes)
    zeros = np.zeros(2, np.int64)
    low = np.array([[-3.0, 0.5], [-3.0, -3.0]])
    pieces = Pieces(zeros, zeros, low, low + np.array([[3.5], [7.0]]), np.full(2, -np.inf))
    route.evaluate(pieces.boxes(), 0)
    where = np.arange(2)
    (first,) = narrow(route, pieces, where, is_growing=True)
    assert first.route is route and route.is_undecided
    monkeypatch.setattr(narrowing, "Extrema", None)
    (second,) = narrow(route, pieces, where, is_growing=True)
    assert second.route is route and len(second.pieces) == 2
    with pytest.raises(TypeError):
        next(narrow(route, pieces, where))


def test_shorter_paths_keep_their_constraints():
    def f(x, y):
        return np.maximum(x, y - 5) * np.where(np.minimum(x, y + 9) < y, y, 2)

    for path in record(Extended(f, box_of((-4, 4), (-4, 4))), box_of((-4, 4), (-4, 4))):
        jets = path.program.evaluate(variables(box_of((0, 1), (0, 3)), 0))
        other = shorten(path, decisions(path.program, jets))
        assert not {"maximum", "minimum"}.intersection(s.name for s in other.program.steps)
        assert [c.outcome for c in other.constraints] == [c.outcome for c in path.constraints]
        at = np.array([[0.5, 0.7], [0.6, 0.6]])
        holds = [
            p.outcomes(p.program.evaluate(variables([point(x) for x in at], 0)))[0]
            for p in (path, other)
        ]
        assert np.array_equal(*holds)
        assert np.array_equal(value_at(path.program, at).lo, value_at(other.program, at).lo)


def test_extrema_are_decided_on_chosen_boxes_alone():
    path = path_of(lambda x: np.minimum(np.maximum(x, 0), 9 - x), (-9, 9))
    box = [DoubleInterval(np.array([-2.0, 1, 8]), np.array([-1.0, 2, 9]))]
    extrema = Extrema(path.program, path.program.evaluate(variables(box, 0)))
    counts = [len(extrema.decisions(np.array(index))) for index in ([0], [0, 1], [1], [1, 2])]
    assert counts == [2, 1, 2, 1]


def route_on(f, *pairs):
    return route_of(path_of(f, *pairs), Extended(f, box_of(*pairs)), box_of(*pairs))


def test_values_count_where_other_forms_show_that_a_formula_is_defined():
    def f(x, y):
        return np.sqrt(x - np.sqrt(x * x - y * y))

    route = route_on(f, (1, 2), (0, 3))
    at = np.array([[1.5, 1.5, 1.5, 1.5], [0.1, 1e-9, 1e-12, 2.0]])
    with np.errstate(all="ignore"):
        value, is_defined, certain = route.at_points(at)
    assert is_defined.tolist() == certain.tolist() == [True, True, True, False]
    assert np.allclose(value.hi[:3], at[1, :3] / np.sqrt(3), rtol=1e-3, atol=0)


def test_forms_that_have_other_values_do_not_show_that_a_formula_is_defined():
    route = route_on(lambda x, y: np.sqrt(x) ** 2 + np.sqrt(y * y) / np.sqrt(y), (-2, 2), (-2, 2))
    at = np.array([[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0]])
    with np.errstate(all="ignore"):
        assert route.at_points(at)[1].tolist() == [False, False, True]


def ellipse(a, b, angle, x_scale, y_scale):
    turn = np.radians(angle)
    sine, cosine = np.sin(turn), np.cos(turn)
    u = ((a * sine) ** 2 + (b * cosine) ** 2) / x_scale**2
    v = ((a * cosine) ** 2 + (b * sine) ** 2) / y_scale**2
    w = 2 * (b**2 - a**2) * sine * cosine / x_scale / y_scale
    return x_scale * y_scale * np.sqrt((u + v + np.sqrt((u - v) ** 2 + w**2)) / 2)


def test_forms_that_narrow_nothing_on_pieces_are_left_out():
    route = route_on(ellipse, *[(1, 10)] * 2, (0, 10), *[(1, 10)] * 2)
    assert route.lean() is route.bounding
    low = np.array([[9.0, 10], [3, 4], [2, 3], [9, 9], [9, 8]])
    pieces = [DoubleInterval(x, x + 0.125) for x in low]
    with np.errstate(all="ignore"):
        jet, _, _ = route.bounding.evaluate(pieces, 1)
        route.note_useful_forms()
        other, _, _ = route.lean().evaluate(pieces, 1)
    assert len(route.lean().path.program.steps) < 0.8 * len(route.bounding.path.program.steps)
    assert np.allclose(jet.value.lo, other.value.lo, rtol=1e-3)
    assert np.allclose(jet.value.hi, other.value.hi, rtol=1e-3)


def test_routes_for_pieces_are_used_where_they_are_narrower():
    def f(x, y):
        return np.sqrt((x * x + y * y) / (2 * x * y)) + x - y

    whole, part = route_on(f, (1, 9), (1, 9)), box_of((2, 2), (2, 3))
    zero = np.zeros(1, np.int64)
    low, high = (np.stack([getattr(x, end) for x in part]) for end in ("lo", "hi"))
    pieces = Pieces(zero, zero, low, high, np.zeros(1))
    with np.errstate(all="ignore"):
        assert not is_narrower(whole, whole, pieces)
        exact = route_on(lambda x, y: np.hypot(x, y) / np.sqrt(2 * x * y), (2, 2), (2, 3))
        wide = route_on(lambda x, y: np.hypot(x, y) / np.sqrt(2 * x * y) + y - y * y / y, (1, 9),
                        (1, 9))  # fmt: skip
        wide.bounding = wide
        assert is_narrower(exact, wide, pieces) and not is_narrower(wide, exact, pieces)


def test_moves_that_keep_comparisons_fix_variables():
    def f(x, y, z):
        return np.where(x * x < y - z, x + 2 * z, 9)

    path = next(iter(record(Extended(f, box_of((1, 3), (2, 5), (0, 1))),
                            box_of((1, 3), (2, 5), (0, 1)))))  # fmt: skip
    jets = path.program.evaluate(variables(box_of((1, 3), (2, 5), (0, 1)), 1))
    up, down = moves_on_path(path, jets, np.array([False]))
    assert up[:, 0].tolist() == [False, True, False]
    assert down[:, 0].tolist() == [True, False, True]
    every, _ = moves_on_path(path, jets, np.array([True]))
    assert every.all()


def test_moves_keep_no_comparison_that_may_jump_or_be_undefined():
    def f(x, y):
        return np.where(np.sqrt(x) < np.trunc(y), x + y, 9)

    path = next(iter(record(Extended(f, box_of((-1, 3), (1, 5))), box_of((-1, 3), (1, 5)))))
    jets = path.program.evaluate(variables(box_of((-1, 3), (1, 5)), 1))
    for moves in moves_on_path(path, jets, np.array([False])):
        assert not moves.any()


def line_of_pixels(w, h, u, v, p, q):
    """Return the share of an axis in the longer one of two sides of a pixel, in whole texels."""
    one = (np.floor(w) * u) ** 2 + (np.floor(h) * v) ** 2
    other = (np.floor(w) * p) ** 2 + (np.floor(h) * q) ** 2
    return np.where(one >= other, 2.0, np.floor(w) * p / np.sqrt(np.maximum(one, other)))


def test_variables_of_floors_are_integers_with_slopes():
    box = [(12168, 12360), (1, 16384), (38752, 39968), (-65504, -54304), (-0.113, -0.112),
           (-65504, -65248)]  # fmt: skip
    result = range_of(line_of_pixels, tuple(Interval(a, b) for a, b in box), full_output=True)
    assert result.gap == 0 and result.boxes < 1000


def test_paths_without_floors_have_the_values_at_integers():
    def f(w, u):
        return np.floor(w) * u / np.sqrt(1 + (np.floor(w) * u) ** 2)

    boxes = box_of((1, 5), (1, 5))
    route = route_of(path_of(f, (1, 5), (1, 5)), Extended(f, boxes), boxes, [0])
    at = np.array([[3.5], [2.25]])
    with np.errstate(all="ignore"):
        assert "floor" not in {step.name for step in route.bounding.path.program.steps}
        exact = value_at(route.path.program, at)
        assert np.allclose(route.slopes_at(at, at).value.lo, exact.lo, rtol=1e-14)
        assert not np.allclose(value_at(route.bounding.path.program, at).lo, exact.lo)


def test_second_powers_are_computed_as_squares():
    for power in (2, 2.0, np.int64(2)):
        program = path_of(lambda x, k=power: x**k, (-1, 2)).program
        (step,) = program.steps
        assert step.name == "pown" and program.call_of(step) is RULES["sqr"]
    program = path_of(lambda x: x**3, (-1, 2)).program
    assert program.call_of(program.steps[0]) is not RULES["sqr"]


def test_extrema_of_undefined_parts_are_kept():
    path = path_of(lambda x: np.minimum(x, np.sqrt(x) + 100), (-1, 1))
    jets = path.program.evaluate(variables(box_of((-1, 1)), 0))
    assert decisions(path.program, jets) == {}


def test_angles_of_points_on_one_side_of_the_axis_have_one_sign():
    y, x = DoubleInterval(np.array([0.0, -3]), np.array([2.0, -1e-300])), box_of((-5, 5))[0]
    above_and_below = angle(y, DoubleInterval(x.lo.repeat(2), x.hi.repeat(2)))
    assert above_and_below.lo[0] >= 0 >= above_and_below.hi[1]
