"""Tests of the search of ranges: contraction, limits, monotone functions, and no warnings."""

import itertools
import math
import warnings

import numpy as np
import pytest
from exhaustive import in_turn
from interval_bounds import check_range, proven_range

from halfcl import interval
from halfcl._core import DefaultEnvironment
from halfcl.interval import Interval, LimitWarning, range_of
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.rules import (
    FACTOR,
    LOG,
    MEET,
    OVER,
    OVER_NONZERO,
    ROOT,
)
from halfcl.interval._formulas._search import contractors, limits
from halfcl.interval._formulas._search._routes.route import route_of
from halfcl.interval._formulas._search._values import critical, samples
from halfcl.interval._formulas._search._values.draws import Draws
from halfcl.interval._formulas._search._values.plain import PlainProgram
from halfcl.interval._formulas._search.conditions import record
from halfcl.interval._formulas._search.substitutions import substitute
from halfcl.interval._formulas.doubles import DoubleInterval, point
from halfcl.interval._formulas.forms import Boxes, evaluate
from halfcl.interval._formulas.jets import (
    DEFINED,
    LIPSCHITZ,
    OPEN,
    RULES,
    SMOOTH,
    UNDEFINED,
    Jet,
    levels,
    variables,
)
from halfcl.interval._formulas.removable import Extended


def ends(x):
    return float(x.inf), float(x.sup)


def program_of(f, *pairs):
    """Return the program of a formula on one box."""
    boxes = [DoubleInterval(np.array([a]), np.array([b])) for a, b in pairs]
    (path,) = record(Extended(f, boxes), boxes)
    return path.program


# ---------------------------------------------------------------- ranges without warnings

#: Formulas and boxes whose ranges are found within the limit, and their bounds.
FOUND = {
    "difference of neighbours": (
        lambda x: np.sqrt(x * x + 1) - x, [(1, 60000)], 8.3333e-6, np.sqrt(2) - 1
    ),
    "difference of roots": (lambda x: np.sqrt(x + 1) - np.sqrt(x), [(0, 60000)], 0.002041, 1),
    "undefined in a part": (lambda x: np.sqrt(x - 1) - np.sqrt(x), [(0, 100)], -1, -0.0501257),
    "infinite slopes": (lambda x: np.sqrt(x) - x, [(0, 2)], 2**0.5 - 2, 0.25),
    "cube root": (lambda x: np.cbrt(x + 1) - np.cbrt(x), [(-10, 1000)], 0.0033322229, 4 ** (1 / 3)),
    "pole inside": (lambda x, y: x / (x - y), [(1, 2), (0, 2)], -np.inf, np.inf),
    "logarithm at zero": (np.log, [(0, 2)], -np.inf, np.log(2)),
    "logarithm of a sum": (lambda x: np.log(1 + x), [(-10, 1)], -np.inf, np.log(2)),
    "reciprocal of a logarithm": (lambda x: 1 / np.log(x), [(0, 0.5)], -1 / np.log(2), 0),
    "limit at infinity": (np.tanh, [(-np.inf, np.inf)], -1, 1),
    "real power": (lambda x: x**1.5 - x, [(0, 1)], -4 / 27, 0),
    "flat": (lambda x: (x - 1) ** 6, [(0, 2)], 0, 1),
    "valley": (lambda x, y: (1 - x) ** 2 + 100 * (y - x * x) ** 2, [(-2, 2)] * 2, 0, 3609),
    "three variables": (
        lambda a, b, c: (np.sqrt(b * b - 4 * a * c) - b) / (2 * a),
        [(1, 10), (10, 100), (-10, -1)], 0.009990, np.sqrt(35) - 5
    ),
    "domain cut off": (lambda x: np.arcsin(x) * np.sqrt(x), [(-3, 3)], 0, np.pi / 2),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_range_is_found_without_a_warning(name):
    f, pairs, least, most = FOUND[name]
    actual = proven_range(f, pairs)
    low, high = ends(actual)
    assert low <= least + 1e-8 and high >= most - 1e-8
    near = 2.0**-9
    assert least == -np.inf or low >= least - near * max(abs(least), 2.0**-14)
    assert most == np.inf or high <= most + near * max(abs(most), 2.0**-14)


def test_monotone_functions_take_one_box_for_each_bound():
    rise = range_of(lambda x: x - 1 / x, Interval(1, 60000), full_output=True)
    assert rise.boxes == 2 and rise.gap == 0
    plane = range_of(lambda x, y: x - 2 * y, (Interval(0, 1),) * 2, full_output=True)
    assert plane.boxes == 2 and ends(plane.enclosure) == (-2, 1)


def test_unbounded_ranges_take_few_boxes():
    for f in (lambda x: 1 / x, lambda x: np.log(abs(x)), lambda x: np.tan(x), lambda x: x**-3.0):
        actual = range_of(f, Interval(-2, 2), full_output=True)
        assert actual.gap <= 1 and actual.boxes < 600
        assert np.isinf(ends(actual.enclosure)).any()


#: Formulas with poles inside these boxes, and whether they are unbounded below and above.
POLES = {
    "divisor": (lambda x, y: 1 / (x * x - y), [(-1, 2), (1, 3)], True, True),
    "divisor of one sign": (lambda x, y: 1 / abs(x - y * y), [(0, 2), (0, 2)], False, True),
    "numerator with a zero elsewhere": (
        lambda x, y: (x - 5) / (x * y - 3), [(1, 6), (1, 6)], True, True
    ),
    "logarithm": (lambda x, y: np.log(x - y) * 3 + x, [(0, 2), (0, 2)], True, False),
    "logarithm of a quotient": (lambda x, y, z: x * np.log(x / y) - z, [(-9, 9)] * 3, True, True),
    "area tangent": (lambda x, y: np.arctanh(x + y), [(0, 1), (0, 1)], False, True),
    "tangent": (lambda x, y: np.tan(x) + y, [(1, 2), (-1, 1)], True, True),
    "power": (lambda x, y: (x + y) ** -3, [(-2, 2), (-2, 2)], True, True),
    "even power": (lambda x, y: (x + y) ** -2, [(-2, 2), (-2, 2)], False, True),
    "reciprocal square root": (lambda x, y: -1 / np.sqrt(x - y), [(0, 2), (0, 2)], True, False),
    "branch": (lambda x, y: np.where(y > 0, 1 / (x - y), x), [(0, 2), (1, 2)], True, True),
    "root over its square": (
        lambda x, y: np.sqrt(x - y) / (x - y), [(0, 2), (0, 2)], False, True
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", POLES)
def test_poles_inside_boxes_are_proved(name):
    f, pairs, falls, rises = POLES[name]
    actual = range_of(f, tuple(Interval(*pair) for pair in pairs), full_output=True)
    assert actual.gap <= 1
    assert np.isinf(ends(actual.enclosure)).tolist() == [falls, rises]


#: Formulas that are bounded though parts of them have poles there, and bounds of their ranges.
BOUNDED = {
    "removable": (lambda x: np.sin(x) / x, [(-1, 2)], 0.454648, 1),
    "quotient of poles": (lambda x: (1 + 1 / x**2) / (2 + 1 / x**2), [(-1, 2)], 5 / 9, 1),
    "cancelled": (lambda x, y: np.exp(-abs(1 / (x - y))), [(0, 2), (0, 2)], 0, np.exp(-0.5)),
    "undefined beside": (lambda x: 1 / (x - 1) + np.sqrt(x - 3) * 0, [(-2, 4)], 1 / 3, 0.5),
    "jump": (lambda x: 1 / (np.floor(x) - 0.5), [(0, 2)], -2, 2),
    "other path": (lambda x: np.where(x > 1, 1 / x, x), [(-2, 2)], -2, 1),
    "atan": (lambda x: np.arctan(1 / x), [(-2, 2)], -np.pi / 2, np.pi / 2),
}


@in_turn
@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("seed", range(3))
def test_no_pole_is_proved_where_there_is_none(name, seed):
    f, pairs, least, most = BOUNDED[name]
    boxes = [DoubleInterval(np.array([float(a)]), np.array([float(b)])) for a, b in pairs]
    low, high = (np.array(pairs, float)[:, i, None] for i in (0, 1))
    points = samples.draw_first(Draws([seed], len(low)), low, high)
    falls = np.array([seed % 2 == 1])
    with np.errstate(all="ignore"), DefaultEnvironment():
        for path in record(Extended(f, boxes), boxes):
            sets = critical.criticals(path)
            edges = critical.find(PlainProgram(path), sets, points, high - low, falls)
            edges = critical.moved_apart(edges, low, high)
            for _, _, value in critical.values(path, sets, edges):
                assert not np.isinf(value.lo).any()
                near = 2.0**-20 * max(abs(least), abs(most))
                assert (value.hi >= least - near)[~value.is_empty].all()
                assert (value.lo <= most + near)[~value.is_empty].all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        low, high = ends(range_of(f, tuple(Interval(*pair) for pair in pairs)))
    assert low <= least + 1e-3 and high >= most - 1e-3


def test_values_at_points_are_precise_where_terms_cancel():
    """The formula as it was written has no precise ones; the other points are not evaluated."""
    boxes = [DoubleInterval(np.array([1.0]), np.array([60000.0]))]
    f = Extended(lambda x: np.sqrt(x**4 + 1) - x * x, boxes)
    (path,) = record(f, boxes)
    route = route_of(path, f, boxes)
    at = np.array([[1.25, 50000.0, 59999.0]])
    with np.errstate(all="ignore"):
        value, is_defined, is_taken = route.at_points(at)
        jet = route.slopes_at(at, np.ones(at.shape))
    assert is_defined.all() and is_taken.all()
    assert len(route.bounding.path.program.jets[0].value.lo) == 2
    root = np.sqrt(at[0] ** 4 + 1)
    exact = 1 / (root + at[0] ** 2)
    for x, want in ((value, exact), (jet.value, exact), (jet.slopes[0], -2 * at[0] * exact / root)):
        slack = 2.0**-40 * abs(want)
        assert (x.lo <= want + slack).all() and (x.hi >= want - slack).all()
        assert (x.hi - x.lo <= 2.0**-20 * abs(want)).all()


def test_searches_without_progress_stop_before_the_limit():
    def f(x, y):
        k = 1 / (2 * x)
        return (1 + k) / np.tanh((1 + k) * y) - k / np.tanh(k * y)

    box = (Interval(-10, 10),) * 2
    with pytest.warns(LimitWarning, match="use full_output=True"):
        stalled = range_of(f, box, limit=4000, full_output=True)
    assert stalled.boxes < 4000
    with pytest.warns(LimitWarning):
        patient = range_of(f, box, limit=16000, full_output=True)
    assert patient.boxes > 2 * stalled.boxes


def test_ranges_do_not_depend_on_other_boxes():
    rng = np.random.default_rng(21)
    low = rng.uniform(-4, 2, (2, 12)).astype(np.float16)
    high = (low + rng.uniform(0, 4, low.shape)).astype(np.float16)
    for f in (lambda x, y: x * y - np.sin(x), lambda x, y: x / (x - y), lambda x, y: x / y - y):
        together = range_of(f, tuple(map(Interval, low, high)), full_output=True)
        for i in range(low.shape[1]):
            alone = range_of(f, tuple(map(Interval, low[:, i], high[:, i])), full_output=True)
            near = together.gap[i] + alone.gap + 1
            for end in ("inf", "sup"):
                a, b = (
                    doubles.ranks_below(np.asarray(getattr(r, end), float))
                    for r in (together.enclosure[i], alone.enclosure)
                )
                assert abs(int(a) - int(b)) <= near


def test_wider_boxes_have_wider_ranges():
    """Ranges of parts lie in that of the whole, for formulas of every kind."""
    rng = np.random.default_rng(4)
    for f, pairs, _, _ in FOUND.values():
        if not np.isfinite(pairs).all():
            continue
        whole = range_of(f, tuple(Interval(*pair) for pair in pairs))
        low, high = np.array(pairs, float).T
        first, last = np.sort(rng.uniform(low, high, (2, len(low))), axis=0).astype(np.float16)
        part = tuple(Interval(a, max(a, b)) for a, b in zip(first, last, strict=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)
            assert interval.subset(range_of(f, part), whole)


# ---------------------------------------------------------------- levels


@pytest.mark.parametrize(
    ("f", "level"),
    [
        (lambda x: np.log(x), OPEN),
        (lambda x: 1 / x, OPEN),
        (lambda x: np.sqrt(x), LIPSCHITZ),
        (lambda x: x**1.5, LIPSCHITZ),
        (lambda x: x**-1.5, OPEN),
        (lambda x: np.sqrt(x) + np.log(x), OPEN),
        (lambda x: np.floor(x) + np.sqrt(x), DEFINED),
        (lambda x: np.floor(x) + np.log(x), UNDEFINED),
        (lambda x: np.log(x - 0.5), UNDEFINED),
        (lambda x: np.exp(x), SMOOTH),
        (lambda x: np.maximum(np.log(x), 1 - x), OPEN),
    ],
)
def test_level_on_a_box_from_zero(f, level):
    with np.errstate(all="ignore"):
        assert evaluate(f, [DoubleInterval(np.array([0.0]), np.array([1.5]))], 1).level == level


# ---------------------------------------------------------------- contraction

_DOMAINS = {"log": 0.0, "log2": 0.0, "log10": 0.0, "sqrt": 0.0, "rsqrt": 0.0, "log1p": -1.0,
            "acosh": 1.0, "arccosh": 1.0, "pow": 0.0, "powr": 0.0, LOG: 0.0}  # fmt: skip


@pytest.mark.parametrize("name", sorted({*contractors.REVERSES} - {"total"}))
def test_reverse_operations_keep_all_points(name):
    """Operands are never cut off with which the result may be as required."""
    rng = np.random.default_rng(11)
    count = {"fma": 3, "mad": 3}.get(name, 2 if name in _TWO else 1)
    at = rng.uniform(-3, 3, (count, 400))
    low = _DOMAINS.get(name)
    if low is not None:
        at[0] = low + np.abs(at[0]) + 2.0**-20
    if name in ("asin", "acos", "asinpi", "acospi", "arcsin", "arccos", "atanh", "arctanh"):
        at = at / 3.1
    others = (3,) if name == "pown" else ()
    if name == MEET:  # of the same number
        at[1] = at[0]
    if name == ROOT:
        at[0] = np.abs(at[0])
    with np.errstate(all="ignore"), DefaultEnvironment():
        value = RULES[name](*(Jet(point(x), levels(x == x)) for x in at), *others).value
        z = DoubleInterval(value.lo - rng.uniform(0, 1, 400), value.hi + rng.uniform(0, 1, 400))
        operands = [
            DoubleInterval(x - rng.uniform(0, 2, 400), x + rng.uniform(0, 2, 400)) for x in at
        ]
        narrower = contractors.REVERSES[name](z, *operands, *others)
        cuts = 0
        for x, box, part in zip(at, operands, narrower, strict=True):
            if part is not None:
                kept = doubles.intersection(box, part)
                assert np.all((kept.lo <= x) & (x <= kept.hi))
                cuts += np.count_nonzero((kept.lo > box.lo) | (kept.hi < box.hi))
    assert cuts > 40 or name in _SELDOM


_TWO = ("add", "subtract", "sub", "mul", "multiply", "div", "divide", "pow", "powr", "min", "max",
        "minimum", "maximum", "fmin", "fmax", "hypot", "float_power", "copysign",
        "fmod", MEET, FACTOR, OVER, OVER_NONZERO, ROOT)  # fmt: skip
#: Operations whose results seldom narrow operands of these sizes.
_SELDOM = ("asin", "acos", "asinpi", "acospi", "arcsin", "arccos", "hypot", "min", "max", "fmin",
           "fmax", "minimum", "maximum")  # fmt: skip


def test_contraction_keeps_points_with_results():
    """Boxes keep all points at which the result is in an interval, and lose others."""
    rng = np.random.default_rng(5)
    formulas = (
        lambda x, y: x * x + y * y - x * y,
        lambda x, y: np.exp(x) - y / (2 + x),
        lambda x, y: np.sqrt(x + y) * np.log(2 + x),
        lambda x, y: abs(x - y) + np.maximum(x, 2 * y),
        lambda x, y: np.sum(np.stack([x * x, y * y, x]), axis=0),
    )
    for f in formulas:
        program = program_of(f, (-2, 2), (-2, 2))
        boxes = [DoubleInterval(np.full(1, -2.0), np.full(1, 2.0))] * 2
        with np.errstate(all="ignore"), DefaultEnvironment():
            values = [jet.value for jet in program.evaluate(variables(boxes, 0))]
            known = {program.roots[0]: DoubleInterval(-np.inf, 0.25)}
            x, y = contractors.contract(program, values, known, program.steps)
            at = rng.uniform(-2, 2, (2, 20000))
            inside = f(*at) <= 0.25
        assert (x.lo <= at[0][inside]).all() and (at[0][inside] <= x.hi).all()
        assert (y.lo <= at[1][inside]).all() and (at[1][inside] <= y.hi).all()


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("f", "at", "side", "expected"),
    [
        (np.log, 0.0, limits.ABOVE, -np.inf),
        (np.log, 0.0, limits.BELOW, None),
        (lambda x: 1 / x, 0.0, limits.BELOW, -np.inf),
        (lambda x: 1 / (x * x), 0.0, limits.BELOW, np.inf),
        (lambda x: x / (1 - x), 1.0, limits.BELOW, np.inf),
        (lambda x: x / (1 - x), 1.0, limits.ABOVE, -np.inf),
        (lambda x: np.exp(-1 / x), 0.0, limits.ABOVE, 0.0),
        (lambda x: np.log(np.log(x)), np.inf, limits.BELOW, np.inf),
        (lambda x: 1 / x - 1 / (x * x), 0.0, limits.ABOVE, None),  # infinity minus infinity
        (lambda x: x * np.log(x), 0.0, limits.ABOVE, None),  # zero times infinity
        (lambda x: (1 - x * x) ** -3, 1.0, limits.BELOW, np.inf),
        (lambda x: np.arctan(1 / x), 0.0, limits.BELOW, -np.pi / 2),
        (lambda x: x**-0.5, 0.0, limits.ABOVE, np.inf),
        (lambda x: np.sqrt(x), 0.0, limits.BELOW, None),
        (lambda x: 1 / (np.sqrt(x) - x), 1.0, limits.BELOW, None),  # the side is not known
    ],
)
def test_limits(f, at, side, expected):
    program = program_of(f, (-4, 4))
    with np.errstate(all="ignore"), DefaultEnvironment():
        actual = limits.limits(program, np.array([[at]]), np.array([[side]], np.int8))
    if expected is None:
        assert actual.is_empty.all()
    else:
        assert actual.lo <= expected <= actual.hi
        assert actual.lo == actual.hi or actual.hi - actual.lo < 1e-12


def test_operations_without_laws_have_no_limits():
    at, side = np.zeros((1, 1)), np.full((1, 1), limits.ABOVE, np.int8)
    with np.errstate(all="ignore"):
        assert limits.limits(program_of(np.floor, (0, 1)), at, side).is_empty.all()


def test_numbers_that_overflow_are_no_infinite_limits():
    at, side = np.full((1, 1), 1000.0), np.full((1, 1), limits.ABOVE, np.int8)
    small = limits.limits(program_of(lambda x: 1 / np.exp(x), (0, 1)), at, side)
    assert small.lo == 0 < small.hi
    assert not small.is_empty.any()


# ---------------------------------------------------------------- programs


def test_equal_parts_are_computed_once():
    program = program_of(lambda x, y: (x + y) * (x + y) + np.exp(x + y), (0, 1), (0, 1))
    assert [step.name for step in program.steps] == ["add", "exp", "sqr", "add"]


def test_programs_have_the_values_of_formulas():
    rng = np.random.default_rng(8)
    low = rng.uniform(-2, 2, (2, 50))
    boxes = [DoubleInterval(a, a + rng.uniform(0, 1, 50)) for a in low]

    def f(x, y):
        z = np.zeros_like(x)
        z += x
        z *= y
        return np.clip(z, -1, 1) - y**3 + np.stack([x, y, z]).sum()

    program = program_of(f, (-2, 3), (-2, 3))
    with np.errstate(all="ignore"), DefaultEnvironment():
        one, other = (evaluate(g, boxes, 1) for g in (f, program))
    assert np.array_equal(one.value.lo, other.value.lo)
    assert np.array_equal(one.value.hi, other.value.hi)
    for i, bound in itertools.product((0, 1), ("lo", "hi")):
        assert np.array_equal(getattr(one.slopes[i], bound), getattr(other.slopes[i], bound))


# ---------------------------------------------------------------- parts without negative values


#: Formulas with a part that is undefined where its operand is negative; pieces around its pole, and
#: bounds of the formula there, which are wider without that.
RESTRICTED = {
    "quotient": (lambda x, y: np.log(x / y), [(1, 2), (-1, 4)], -np.log(4), np.inf),
    "both signs": (lambda x, y: np.sqrt(x / y), [(-1, 2), (-4, 3)], 0, np.inf),
    "negative dividend": (lambda x, y: (x / y) ** 0.5, [(-4, -1), (-1, 1)], 1, np.inf),
    "reciprocal": (lambda x: np.log(1 / x), [(-1, 8)], -np.log(8), np.inf),
    "multiple": (lambda x, y: np.log(3 * (x / y) / 2), [(1, 2), (-1, 3)], -np.log(2), np.inf),
    "tangent": (lambda x: np.log(np.tan(x)), [(1.5, 1.75)], np.log(np.tan(1.5)), np.inf),
    "tangent beyond its zero": (lambda x: np.sqrt(np.tan(x)), [(1.5, 3.25)], 0, np.inf),
    "also used elsewhere": (lambda x, y: np.log(x / y) - x / y, [(1, 2), (-1, 4)], -np.inf, np.inf),
    "of the other sign": (lambda x, y: np.sqrt(-2 * (x / y)), [(1, 2), (-1, 4)], 0, np.inf),
}


@pytest.mark.parametrize("name", RESTRICTED)
def test_parts_are_restricted_by_what_uses_them(name):
    f, pairs, least, most = RESTRICTED[name]
    low, high = np.array(pairs, float).T[:, :, None]
    at = np.random.default_rng(6).uniform(low, high, (len(low), 10_000))
    with np.errstate(all="ignore"), DefaultEnvironment():
        program = program_of(f, *pairs)
        boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
        value = evaluate(program, boxes, 1).value
        exact = f(*at)
    exact = exact[~np.isnan(exact)]
    assert value.lo <= exact.min() and exact.max() <= value.hi
    assert value.lo == pytest.approx(least, abs=1e-9) and value.hi == most


#: Formulas whose divisors are less than doubles, and their ranges.
UNDERFLOWS = {
    "product": (
        lambda x, y: np.exp(-x) / (np.exp(-x) * np.exp(-y)), [(800, 900), (2, 3)],
        (math.exp(2), math.exp(3)),
    ),
    "powers": (
        lambda x, y: x**y / (x**y * y), [(1e-3, 0.5), (800, 1000)], (1 / 1000, 1 / 800),
    ),
    "of a share": (
        lambda x, y: 0.5**y / ((1 / (1 + np.exp(-x))) ** y * 0.25**y), [(3, 4), (2000, 3000)],
        (65504, math.inf),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDERFLOWS)
def test_ranges_of_quotients_by_numbers_below_doubles(name):
    f, pairs, want = UNDERFLOWS[name]
    actual = range_of(f, tuple(Interval(*pair) for pair in pairs), full_output=True)
    assert actual.gap <= 1
    assert np.allclose(ends(actual.enclosure), want, rtol=2**-9)


def test_branches_on_numbers_below_doubles():
    # The sum is never zero, however small its terms are.
    def f(x, y):
        z = (x - x) ** 2 + 1e-300 ** (y * 100)
        return np.where(z == 0, 5, (np.exp(z) - 1) / z + np.where(y * np.exp(-x) != 0, 1, 7))

    actual = range_of(f, (Interval(800, 900), Interval(1, 2)), full_output=True)
    assert actual.gap <= 1
    assert np.allclose(ends(actual.enclosure), (2, 2), rtol=2**-9)


def test_sums_with_both_signs_may_be_zero():
    boxes = [DoubleInterval(np.array([x]), np.array([x])) for x in (1000.0, 1.0)]

    def f(x, y):
        return y / (np.exp(-x) - np.exp(-x * y)) + y / (np.exp(-x) - y * 0)

    with np.errstate(all="ignore"), DefaultEnvironment():
        (path,) = record(Extended(f, boxes), boxes)
        assert not path.is_defined(path.program.evaluate(variables(boxes, 0))).any()


#: Formulas, points, and whether they are defined there.
DEFINEDNESS = {
    "product with zero": (
        lambda x, y: 1 / (np.exp(-x) * y), [(1000, 0), (1000, 1), (1000, -1)], [0, 1, 1]
    ),
    "logarithm of a negative number": (
        lambda x, y: np.log(y / np.exp(-x)), [(1000, -1), (1000, 1), (1000, 0)], [0, 1, 0]
    ),
    "power of zero": (
        lambda x, y: 1 / (np.exp(-x) * y**2.5), [(1000, 0), (1000, 1), (1000, -1)], [0, 1, 0]
    ),
    "root of a negative number": (
        lambda x, y: np.sqrt(y / np.exp(-x)) + y / np.exp(x), [(1000, -1), (1000, 1)], [0, 1]
    ),
    "other zeros": (
        lambda x, y: (y / np.exp(-x)) / y + np.exp(-x), [(1000, 0), (1000, 1)], [0, 1]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEFINEDNESS)
def test_definedness_with_divisors_below_doubles(name):
    f, points, want = DEFINEDNESS[name]
    boxes = [DoubleInterval(x, x) for x in np.array(points, float).T]
    with np.errstate(all="ignore"), DefaultEnvironment():
        (path,) = record(Extended(f, boxes), boxes)
        jets = path.program.evaluate(variables(boxes, 0))
        assert path.is_defined(jets).tolist() == [bool(x) for x in want]


def test_pieces_are_cut_at_zero_where_bounds_are_lost():
    """Both sides of zero have bounds, but no piece with numbers on both has."""

    def f(x, y):
        p = 90 ** (1 / (2 * x))
        return (y + p) * ((1 / x - 1) / x * p) + (p / x) ** 2 + 70000

    with warnings.catch_warnings():
        warnings.simplefilter("error", LimitWarning)
        assert ends(range_of(f, (Interval(-2.342, 0.159), Interval(13, 16)))) == (65504, np.inf)


@pytest.mark.parametrize("of_factors", [
    lambda p, u, v: p / u**2,
    lambda p, u, v: v * (1 / u**2) * p,
    lambda p, u, v: p * v / u**2 - u * v,
])  # fmt: skip
def test_the_sign_of_a_factor_is_sought_beside_a_pole(of_factors):
    """The pole is at an end of pieces however narrow they are; the other factor is negative.

    It is known to be so only on small pieces.
    """

    def f(x, y, u, v):
        return of_factors(8 * np.exp(-x * x - y * y) * x * y - 1.6, u, v)

    box = [(0, 2), (0, 2), (-1, 1), (1, 2)]
    result = range_of(f, tuple(Interval(*ends) for ends in box), full_output=True)
    assert result.gap <= 1
    assert ends(result.enclosure)[0] == -np.inf


# ---------------------------------------------------------------- parts as variables


@pytest.mark.parametrize("f, box, want", [
    (lambda x, y: (x / y) ** 2 * np.exp(x / y) / (np.exp(x / y) - 1) ** 2,
     [(0, 100), (0, 50)], (0, 1)),
    (lambda x: 2 * np.arctan(np.sqrt(x * x - 1) / 2) - np.arctan(np.sqrt(x * x - 1)),
     [(1, 1000)], (0, 1.56779)),
    (lambda x, y: np.log(x / y) + 1 - x / y, [(1, 2), (0, 3)], (-np.inf, 0)),
    (lambda x, y, z: np.exp(-(x + y)) - z * (x + y),
     [(0, 1), (0, 1), (-1, 2)], (-3.86467, 2.13534)),
    (lambda x, y: 1 / np.sqrt(x * y) + np.sqrt(x * y), [(0, 4), (0, 4)], (2, np.inf)),
])  # fmt: skip
def test_formulas_of_parts_in_which_variables_occur_alone(f, box, want):
    check_range(f, box, want)


def _parts_as_variables(f, box):
    """The parts that become variables, as intervals that enclose them and of what they take."""
    boxes = Boxes(f, tuple(Interval(*ends) for ends in box))
    (flat,) = boxes.flat(1)
    paths = [*record(boxes.formula, flat)]
    with np.errstate(all="ignore"), DefaultEnvironment():
        new = substitute(paths, flat)
    return [] if new.paths[0] is paths[0] else [*zip(new.boxes, new.certain, strict=True)]


@pytest.mark.parametrize("part, box, want", [
    (lambda x, y: x / y, [(1, 2), (3, 7)], (1 / 7, 2 / 3)),
    (lambda x, y: x / y, [(1, 2), (0, 7)], (1 / 7, np.inf)),
    (lambda x, y: x / y, [(-1, 2), (-7, 0)], (-np.inf, np.inf)),
    (lambda x, y: x / y, [(0, 2), (-7, 1)], (-np.inf, np.inf)),
    (lambda x, y: np.log(x / y), [(-1, 2), (-7, 1)], (-np.inf, np.inf)),
    (lambda x, y: x * x - abs(y), [(-3, 2), (-1, 5)], (-5, 9)),
    (lambda x, y: np.log(x) * y, [(0, 2), (1, 3)], (-np.inf, 3 * np.log(2))),
    (lambda x, y: np.exp(x - y), [(0, np.inf), (1, 3)], (np.exp(-3), np.inf)),
    (lambda x, y: 1 / (x + y), [(0, np.inf), (1, 3)], (0, 1)),
    (lambda x, y: np.sqrt(x - y), [(0, 9), (1, 3)], (0, np.sqrt(8))),
])  # fmt: skip
def test_parts_take_the_numbers_of_their_intervals(part, box, want):
    values = _parts_as_variables(lambda x, y: np.tanh(part(x, y)) + 3 * part(x, y) ** 3, box)
    ((outer, inner),) = values
    for number, low, most in ((want[0], outer.lo, inner.lo), (want[1], inner.hi, outer.hi)):
        assert low <= number <= most or abs(low - number) <= 1e-12 * abs(number)
        assert low == most or abs(low - most) <= 1e-12 * abs(low)


@pytest.mark.parametrize("f, box", [
    (lambda y, x: np.tanh(x / y) + x / y, [(-1, 2), (1, 2)]),  # none between -1 and 1/2
    (lambda x, y: np.tanh(x * y) + x * y + x, [(-1, 2), (1, 2)]),  # x occurs elsewhere
    (lambda x, y: np.tanh((x + y) * x) + (x + y) * x + y, [(-1, 2), (1, 2)]),
    (lambda x, y: np.floor(x * 3) * np.sin(y) + np.sin(np.floor(x) * y), [(-1, 2), (1, 2)]),
    (lambda x, y: np.where(x * y > 1, x * y, np.tanh(x * y)), [(-1, 2), (1, 2)]),
])  # fmt: skip
def test_parts_that_do_not_take_all_numbers_stay(f, box):
    assert _parts_as_variables(f, box) == []


def test_boxes_are_computed_as_alone_where_parts_are_variables():
    def f(x, y):
        return np.log(x / y) - x / y + np.sqrt(x / y)

    low, high = np.float16([1, 0, 3, 2]), np.float16([2, 1, 4, 2])
    together = range_of(f, (Interval(low, high), Interval(1, high)))
    for i, (a, b) in enumerate(zip(low, high, strict=True)):
        alone = range_of(f, (Interval(a, b), Interval(1, b)))
        assert alone.inf == together.inf[i] and alone.sup == together.sup[i]


def test_values_are_those_of_numbers_that_parts_take():
    """x / y is not the double below 1/3, the lower bound of its interval, where this jumps."""

    def f(x, y):
        return np.floor(x / y * 3) + 0 * (x / y)

    box = [(1, 2), (3, 3)]
    assert _parts_as_variables(f, box)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        result = range_of(f, tuple(Interval(*ends) for ends in box), full_output=True)
    assert float(result.enclosure.inf) == 0 and result.gap > 1


def test_quotients_by_numbers_of_both_signs_are_one_variable():
    """x / y is every number if zero may be divided by both signs, and f(u) has bounds."""
    check_range(lambda x, y: np.arctan(x / y) - 2 * np.tanh(x / y), [(-1, 2), (-3, 5)],
                (-0.83185, 0.83185))  # fmt: skip


def test_the_variable_that_matters_is_cut_where_slopes_are_unknown():
    """The angle jumps where its factor is zero; near that, its bounds depend on z alone."""

    def f(x, y, z, a):
        return a + np.arctan2(x * np.cos(z), np.cos(z) * (np.cos(z) - y * np.sin(z)))

    box = [(-0.0122, -0.0074), (-0.0023, -0.001), (-1, 4), (81, 84)]
    result = range_of(f, tuple(Interval(*ends) for ends in box), limit=3000, full_output=True)
    assert result.gap <= 1


@pytest.mark.parametrize("f, box, want", [
    (lambda x, y: np.floor(x) / (np.floor(x) + y), [(1.5, 3), (1, 2)], (1 / 3, 3 / 4)),
    (lambda x, y: np.sin(np.floor(x) * y) + np.floor(x), [(-2.5, 2), (1, 2)], (-3.14112, 2.90930)),
    (lambda x, y: y / (np.floor(x) - 2.5) * np.floor(y), [(0, 5.5), (1, 2)], (-8, 8)),
    (lambda x, y: np.where(np.floor(x) > 3, y / np.floor(x), y), [(2.5, 4), (1, 2)], (0.25, 2)),
    (lambda x, y: np.floor(x) ** 2 - x + y, [(0.5, 2), (0, 1)], (-1, 3)),  # also x itself
])  # fmt: skip
def test_variables_of_floors_are_searched_at_integers(f, box, want):
    check_range(f, box, want)


def test_numbers_of_fixed_variables_do_not_change_ranges():
    """Derivatives in variables that are one number are not computed."""

    def f(x, y, z, a, b):
        return np.sin(x * y) * z + a / (1 + b * b * x * x)

    x, one = Interval(np.float16([-3, -2]), np.float16([2, 4])), Interval(1.5, 1.5)
    fixed = range_of(f, (x, x, one, one, one))
    plain = range_of(lambda x, y: f(x, y, 1.5, 1.5, 1.5), (x, x))
    assert interval.equal(fixed, plain).all()


def test_poles_in_fixed_variables_are_removed():
    enclosure = range_of(lambda x, y: y * np.sin(x) / x + y, (Interval(0, 0), Interval(1, 2)))
    assert interval.is_empty(enclosure) or interval.subset(enclosure, Interval(2, 4))


def test_divisors_are_contracted_on_both_sides_of_a_pole():
    """A quotient in the domain of arcsin has no divisor between the numbers that are too small."""
    box = Interval(7.109375, 8.0625), Interval(-4.09375, -3.84375)
    result = range_of(lambda x, y: np.arcsin(np.sin(y) / np.cos(x)), box, full_output=True)
    assert result.gap == 0 and abs(float(result.enclosure.inf) - 1.26345) < 0.001
    assert interval.is_empty(range_of(lambda x: np.arcsin(0.6875 / np.cos(x)), box[0]))
