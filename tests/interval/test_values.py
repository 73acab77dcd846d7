"""Tests of the values that ranges are proved by: in plain doubles, at critical sets and poles."""

import contextlib

import numpy as np
import pytest
from interval_bounds import proven_range

from halfcl._core import DefaultEnvironment
from halfcl.interval import Interval, range_of
from halfcl.interval._formulas._rewriting._zeros.ratios import POWER_EXP
from halfcl.interval._formulas._search._values import critical, draws, plain, samples
from halfcl.interval._formulas._search._values.plain import PlainProgram
from halfcl.interval._formulas._search.conditions import record
from halfcl.interval._formulas._search.programs import Step
from halfcl.interval._formulas.doubles import DoubleInterval, point
from halfcl.interval._formulas.jets import RULES, Jet, levels
from halfcl.interval._formulas.removable import Extended

#: Formulas that have a bound of their range only where a part of them is critical, in more than one
#: variable, so that no sample is there; with boxes, and the bounds.
CRITICAL = {
    "edge of arcsin": (
        lambda d, g: np.arcsin(d * np.sin(g)), [(0.5, 3), (-2, 2)], -np.pi / 2, np.pi / 2
    ),
    "edge of arccos": (lambda x, y: np.arccos(x * y - 3), [(1, 3), (1, 3)], 0, np.pi),
    "edge of sqrt": (
        lambda w, x, y: w * np.sqrt(1 - x * y), [(10, 20), (0.5, 3), (0.5, 3)], 0, 20 * 0.75**0.5
    ),
    "edge of a power": (lambda x, y: (x * y - 2) ** 0.25, [(1, 3), (1, 3)], 0, 7**0.25),
    "edge of arccosh": (lambda x, y: np.arccosh(x * y), [(0.5, 3), (0.5, 3)], 0, np.arccosh(9)),
    "zero of abs": (lambda x, y: abs(x * x - y) + 1, [(1, 2), (2, 3)], 1, 3),
    "zero of abs on a curve": (
        lambda x, y: y - 100 * abs(x * x + y * y - 2), [(0, 1.5), (0, 2)], -423, 2**0.5
    ),
    "zero of a square": (lambda x, y: 100 * (x * y - 3) ** 2, [(1, 2), (1, 2)], 0, 400),
    "equal operands of maximum": (
        lambda x, y: np.maximum(x * x, y + 1) + abs(x - 1), [(0, 3), (0, 2)], 1, 11
    ),
    "cut of arctan2": (
        lambda x, y: np.arctan2(x * y - 2, -x), [(1, 2), (0.5, 3)], -np.pi, np.pi
    ),
    "jump": (lambda x, y: np.where(x * x + y * y < 2, x + y, -1), [(0, 3), (0, 3)], -1, 2),
    "jump of sign": (lambda x, y: np.sign(x - y * y) * y, [(1, 2), (1, 2)], -2, 2**0.5),
    "limit at a pole": (lambda x, y: np.arctan(1 / (x - y)), [(0, 2), (0.5, 2)],
                        -np.pi / 2, np.pi / 2),
    "limit at a pole of the tangent": (
        lambda x, y: np.arctan(np.tan(x) + y), [(1, 3), (-1, 1)], -np.pi / 2, np.pi / 2
    ),
    "slow pole": (lambda x, y: np.log(x - y * y) + y, [(0, 2), (1, 2)], -np.inf, 1),
    "limits at both ends alone": (
        lambda x: 2 / (1 + np.sqrt(1 + 1 / (1 / (np.sqrt(1 - x * x) / x)) ** 2)), [(0, 1)], 0, 1
    ),
    "logarithms beside zero": (
        lambda x: x * np.log(x) - x + np.log(6 * x) / 2, [(-10, 10)], -np.inf,
        9 * np.log(10) + np.log(60) / 2 + np.log(10) - 10,
    ),
    "limit at a pole that no value comes close to": (
        lambda x, y, z: np.arctan(y ** (-1 / z) * np.tan(x / 2 + np.pi / 4) ** (1 / z)),
        [(-60.75, 0), (50848, 54112), (2.0**-12, 2.0**-11)], 0, np.pi / 2
    ),
    "limits of scaled logarithms": (
        lambda x, y: np.log2(np.hypot(x, y) + abs(x - 2 * y)), [(-1, 1), (-1, 2)], -np.inf,
        np.log2(5 + 5**0.5),
    ),
    "root of a pole": (lambda x, y: np.arctanh(x * y) ** 0.25, [(0.5, 2), (0.5, 2)],
                       np.arctanh(0.25) ** 0.25, np.inf),
}  # fmt: skip


@pytest.mark.parametrize("name", CRITICAL)
def test_ranges_with_bounds_at_critical_sets_are_proved(name):
    f, pairs, least, most = CRITICAL[name]
    actual = proven_range(f, pairs)
    low, high = float(actual.inf), float(actual.sup)
    assert low <= np.nextafter(least, np.inf) and high >= np.nextafter(most, -np.inf)
    near = 2.0**-9
    assert least == -np.inf or low >= least - near * max(abs(least), 2.0**-14)
    assert most == np.inf or high <= most + near * max(abs(most), 2.0**-14)


def test_values_where_other_forms_alone_show_that_parts_are_defined():
    """A sum that is positive may not be so as it is computed from intervals."""
    box = Interval(4096, 8192), Interval(2.0**-14, 2.0**-13)
    result = range_of(lambda x, y: np.log(np.sqrt(1 + (x / y) ** 2) - x / y), box, full_output=True)
    assert result.gap <= 1
    ends = float(result.enclosure.inf), float(result.enclosure.sup)
    assert ends == pytest.approx((-np.arcsinh(2.0**27), -np.arcsinh(2.0**25)), rel=2.0**-9)


def values_at_critical_sets(f, pairs, falls, seed):
    """Yield the numbers of pairs, points and values that `critical` finds for a formula."""
    low, high = np.array(pairs, float).T[:, :, None]
    boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
    points = samples.draw_first(draws.Draws([seed], len(low)), low, high)
    for path in record(Extended(f, boxes), boxes):
        sets = critical.criticals(path)
        edges = critical.find(PlainProgram(path), sets, points, high - low, np.array([falls]))
        edges = critical.moved_apart(edges, low, high)
        yield from critical.values(path, sets, edges)


@pytest.mark.parametrize("falls", [False, True])
@pytest.mark.parametrize("name", CRITICAL)
def test_values_at_critical_sets_are_in_the_range(name, falls):
    """A value that is not in the range would make gaps wrong."""
    f, pairs, least, most = CRITICAL[name]
    count = 0
    with np.errstate(all="ignore"), DefaultEnvironment():
        for seed in range(3):
            for _, _, value in values_at_critical_sets(f, pairs, falls, seed):
                is_known = ~value.is_empty
                assert (value.hi >= least - 1e-9)[is_known].all()
                assert (value.lo <= most + 1e-9)[is_known].all()
                count += np.count_nonzero(is_known)
    assert count


@pytest.mark.parametrize(
    ("f", "pair", "least"),
    [
        (lambda x: np.floor(x) + 0 * np.sqrt(np.floor(x) - 0.5), (0, 2), 1),  # jumps over 0.5
        (lambda x: np.sqrt(np.tan(x)), (1.5, 1.7), np.sqrt(np.tan(1.5))),  # changes sign at a pole
        (lambda x: abs(1 / x) + abs(x), (-1, 1), 2),
        (lambda x: abs(np.sign(x)) + abs(x - 0.5), (-1, 1), 0.5),
    ],
)
@pytest.mark.parametrize("falls", [False, True])
def test_no_value_is_where_a_part_jumps_over_a_critical_number(f, pair, least, falls):
    """The intermediate value theorem does not hold there."""
    with np.errstate(all="ignore"), DefaultEnvironment():
        for _, _, value in values_at_critical_sets(f, [pair], falls, 1):
            assert (value.hi >= least - 1e-3)[~value.is_empty].all()


@pytest.mark.parametrize("halvings", [1, 2, 3, 6])
def test_pairs_that_are_halved_several_times_at_once_move_as_by_bisection(halvings):
    """Also where a part crosses its critical number several times, and where it is NaN."""

    def is_beyond(x, y):
        with np.errstate(invalid="ignore"):
            return np.sin(40 * x) + np.sqrt(y) > 0.25

    rng = np.random.default_rng(halvings)
    ends = rng.uniform(-1, 4, (2, 2, 50)) * 10.0 ** rng.integers(-9, 9, 50)
    near, far = ends
    for _ in range(54):
        middle = near / 2 + far / 2
        beyond = is_beyond(*middle)
        near, far = np.where(beyond, near, middle), np.where(beyond, middle, far)
    pairs = tuple(ends)
    for _ in range(0, 54, halvings):
        points = critical._divide(*pairs, halvings)
        pairs = critical._bisect(points, is_beyond(*points[:, 1:-1]))
    np.testing.assert_array_equal(pairs, (near, far))


def test_all_numbers_of_halvings_at_once_end_with_the_same_one():
    assert all(critical._ROUNDS % number == 0 for number in critical._HALVINGS)


def arrays_of(draw):
    for numbers in draw:
        yield from numbers if isinstance(numbers, list) else [numbers]


@pytest.mark.parametrize("count", [1, draws._MOST, draws._MOST + 1])
def test_draws_are_those_of_one_generator(count):
    """Kept draws are the same as new ones, and cannot be changed."""
    kinds = (draws.Spread, draws.Even, draws.Move, draws.Around, draws.Move)
    rng = np.random.default_rng([3, 1])
    expected = [draws._KINDS[kind](rng, count) for kind in kinds]
    for clear in (draws._draw.cache_clear, lambda: None):
        clear()
        sequence = draws.Draws([3, 1], count)
        for kind, want in zip(kinds, expected, strict=True):
            got = sequence.next(kind)
            for one, other in zip(arrays_of(got), arrays_of(want), strict=True):
                np.testing.assert_array_equal(one, other)
                assert not one.flags.writeable or count > draws._MOST


_INTEGERS = {POWER_EXP: (3,), "pown": (3,), "rootn": (3,), "compoundn": (2,), "ldexp": (4,)}


_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")


@pytest.mark.parametrize("name", sorted({*RULES} - {"power", "sincos", *_COMPARISONS}))
def test_plain_operations_are_inside_those_of_intervals(name):
    rng = np.random.default_rng(3)
    others = _INTEGERS.get(name, ())
    count = _operands(name, others)
    at = rng.uniform(0.0625, 0.9375, (count, 200)) * (1.0 if count < 3 else 2.0)
    if name in ("acosh", "arccosh"):
        at = at + 1
    step = Step(count, name, tuple(range(count)), others, 0)
    with np.errstate(all="ignore"), DefaultEnvironment():
        exact = RULES[name](*(Jet(point(x), levels(x == x)) for x in at), *others).value
        actual = plain.operation(step)(*at)
    slack = 1e-9 * (1 + np.abs(actual))
    assert (exact.lo - slack <= actual).all() and (actual <= exact.hi + slack).all()


def _operands(name, others):
    for count in (1, 2, 3):
        jets = [Jet(point(np.array([0.5])), levels(np.array([True])))] * count
        with np.errstate(all="ignore"), contextlib.suppress(TypeError, AttributeError):
            RULES[name](*jets, *others)
            return count
    raise AssertionError(name)
