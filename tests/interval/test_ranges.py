"""Tests of ranges by bisection: enclosure, correct gaps, and limited work."""

import warnings
from fractions import Fraction

import formulas_oracle as oracle
import gmpy2
import numpy as np
import pytest
from exhaustive import either, in_turn, one_in, shared_out
from mpfr_numbers import CONTEXT

import halfcl as hc
from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, LimitWarning, range_of


def search(f, x, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        return range_of(f, x, full_output=True, **options)


def rank(x):
    """Return the rank of halves in ascending order."""
    bits = np.asarray(x).astype(hc.half).view(np.uint16).astype(int)
    return np.where(bits & 0x8000, -(bits & 0x7FFF), bits)


@one_in(3)
@shared_out
@pytest.mark.parametrize("row", oracle.ROWS, ids=oracle.NAMES)
def test_no_value_is_outside(row):
    _, i, f, *domains = row
    rng = np.random.default_rng(100 + i)
    x = oracle.boxes(rng, domains, either(50, 2, some=20))
    actual = search(f, x, limit=either(10_000, 100))
    assert oracle.count_missed(actual.enclosure, f, oracle.points(rng, x, 9)) == 0
    assert np.all(interval.subset(actual.enclosure, f(*x)))
    assert np.all(interval.subset(actual.enclosure, interval.mean_value(f, x)))


def p(x):
    return (x * x - 2) * x + 1


_PI = CONTEXT.const_pi()
#: Formulas, boxes, and their ranges as exact numbers.
KNOWN = (
    (p, [(0, 1)], 1 - CONTEXT.div(CONTEXT.mul(4, CONTEXT.sqrt(6)), 9), 1),
    (lambda x: x * x - x, [(0, 1)], -0.25, 0),
    (lambda x: x * x - x, [(2, 3)], 2, 6),
    (lambda x: x / (1 + x * x), [(-2, 3)], -0.5, 0.5),
    (lambda x: 1 / x - 1 / (x + 1), [(1, 2)], Fraction(1, 6), 0.5),
    (lambda x: np.sin(x) + np.cos(x), [(0, 4)], None, CONTEXT.sqrt(2)),
    (lambda x: x * np.exp(-x), [(0, 3)], 0, CONTEXT.exp(-1)),
    (lambda x: x * np.log(x), [(0.125, 1)], -CONTEXT.exp(-1), 0),
    (lambda x: np.arctan(x) + np.arctan(1 / x), [(1, 4)], CONTEXT.div(_PI, 2), CONTEXT.div(_PI, 2)),
    (lambda x, y: x / (x + y), [(1, 2), (1, 2)], Fraction(1, 3), Fraction(2, 3)),
    (lambda x, y: (x - y) ** 2 - x * y, [(0, 1), (0, 1)], -1, 1),
    (lambda x, y, z: x * y + y * z + z * x, [(-1, 1)] * 3, -1, 3),
    (lambda x: abs(x) - x / 2, [(-1, 1)], 0, 1.5),
    (lambda x: np.minimum(x, 1 - x), [(-1, 2)], -1, 0.5),
    (lambda x: np.floor(x) - x, [(0.5, 2.5)], -1, 0),
    (lambda x: np.copysign(x * x, x) - x, [(-1, 1)], -0.25, 0.25),
    (lambda x: np.fmod(x, 3) + x, [(4, 5.5)], 5, 8),
    (lambda x: np.sqrt(x) - x, [(-1, 1)], 0, 0.25),
    (lambda x: 1 / x, [(0, 1)], 1, None),
    (lambda x: x * x, [(-np.inf, np.inf)], 0, None),
)


def round_exact(x, down):
    """Return an exact number as the half below, or above."""
    if isinstance(x, Fraction | int | float):
        x = gmpy2.mpq(x)
    context = gmpy2.ieee(16)
    context.round = gmpy2.RoundDown if down else gmpy2.RoundUp
    with gmpy2.context(context):
        return float(gmpy2.mpfr(x))


@in_turn
@pytest.mark.parametrize("tol", [0, 1, 20])
@pytest.mark.parametrize(("f", "ends", "least", "most"), KNOWN)
def test_known_ranges(f, ends, least, most, tol):
    """Bounds are as close to the best as their gaps state, and as the tolerance requires."""
    x = tuple(Interval(*pair) for pair in ends)
    actual = search(f, x, tol=tol, limit=2000)
    low, high = actual.enclosure.inf, actual.enclosure.sup
    gap = int(actual.gap)
    if least is not None:
        best = rank(round_exact(least, True))
        assert best - gap <= rank(low) <= best
    if most is not None:
        best = rank(round_exact(most, False))
        assert best <= rank(high) <= best + gap
    elif ends[0][1] != 4:
        assert (high == np.inf and gap == 0) or tol == 20
    assert gap <= max(tol, 1)  # 0 cannot be proved where the bound is a half, and no value


def test_work_grows_with_accuracy():
    wide, narrow = (search(oracle.formulas.camel, (Interval(-1, 1),) * 2, tol=t) for t in (500, 1))
    assert wide.boxes < narrow.boxes
    assert interval.subset(narrow.enclosure, wide.enclosure)


def test_against_bisected_natural_extension():
    """Values are enclosed, and the range is inside that by bisection of the formula itself."""
    edges = np.float16(np.linspace(0, 1, 1025))
    pieces = p(Interval(edges[:-1], edges[1:]))
    natural = Interval(pieces.inf.min(), pieces.sup.max())
    assert interval.subset(range_of(p, Interval(0, 1)), natural)


def test_boxes_are_independent():
    """Arrays of boxes of any shape give the results of single boxes."""
    rng = np.random.default_rng(1)
    low = rng.uniform(-2, 2, (3, 50)).astype(np.float16)
    x = Interval(low, low + np.float16(0.5))
    actual = search(p, x)
    assert actual.enclosure.shape == actual.gap.shape == actual.boxes.shape == (3, 50)
    for i, j in np.ndindex(3, 5):
        alone = search(p, x[i, 10 * j])
        assert interval.equal(alone.enclosure, actual.enclosure[i, 10 * j])
        assert alone.boxes == actual.boxes[i, 10 * j]


def test_more_boxes_than_a_batch():
    low = np.float16(np.linspace(0, 1, 2500))
    x = Interval(low, low + np.float16(0.25))
    actual = range_of(p, x)
    assert actual.shape == (2500,) and np.all(interval.subset(actual, p(x)))
    assert np.all(interval.equal(actual[1024:1030], range_of(p, x[1024:1030])))


def test_empty_unbounded_and_no_dimension():
    x = Interval(["[empty]", "[, 1]", "[-2, -1]"])
    actual = search(lambda x: np.sqrt(x) - x, x)
    assert interval.is_empty(actual.enclosure).tolist() == [True, False, True]
    assert (
        interval.equal(actual.enclosure[1], Interval(0, 0.25))
        or float(actual.enclosure[1].inf) > -1e-6
    )
    assert actual.boxes[0] == 0 and actual.gap[[0, 2]].tolist() == [0, 0]
    assert range_of(np.exp, Interval(np.zeros((0, 2), hc.half))).shape == (0, 2)
    assert interval.equal(range_of(lambda x: 3, Interval(0, 1)), Interval(3))
    assert range_of(np.exp, Interval(0, 1)).shape == ()
    assert interval.is_empty(range_of(lambda x: 3, interval.empty))
    assert interval.equal(range_of(np.tanh, interval.entire), Interval(-1, 1))


def test_many_variables():
    f = oracle.formulas.kepler
    actual = search(f, (Interval(4, 6),) * 4)
    assert interval.equal(actual.enclosure, Interval(32, 72)) and actual.gap == 0
    many = search(lambda *x: sum(v * v - v for v in x), (Interval(0, 1),) * 9, limit=200)
    assert float(many.enclosure.inf) <= -2.25 and float(many.enclosure.sup) >= 0


def test_decorations():
    x = DecoratedInterval([0.5, -1], [1, 1])
    actual = range_of(lambda x: np.sqrt(x) - x, x)
    assert actual.decoration.tolist() == ["com", "trv"]
    assert range_of(lambda x: x - x, interval.nai).decoration == "ill"


# ---------------------------------------------------------------- limits


def hard(x):
    return np.sin(x) * np.exp(-abs(x - 3) / 100) - np.cos(1e6 * x) * np.sqrt(x) / 20


def test_unreached_tolerance_warns():
    """A warning and the gaps state the accuracy reached; the result still encloses."""
    x = Interval([1, 1], [60000, 2])
    with pytest.warns(LimitWarning, match=r"1 of 2 ranges may be more than tol=1 ulps .* limit=50"):
        actual = range_of(hard, x, limit=50)
    assert interval.subset(Interval(-3.9, 3.9), actual[0])
    full = search(hard, x, limit=50)
    assert full.gap[0] > 1 and full.gap[1] <= 1
    assert 50 <= full.boxes[0] <= 100


def test_reached_tolerance_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        range_of(p, Interval(0, 1))


def test_limit_bounds_the_work():
    """The limit bounds the work for a formula that bisection does not improve."""
    calls = []

    def f(x):
        calls.append(x.size)
        return np.sin(1 / x) if calls else x

    actual = search(f, Interval(-1, 1), limit=1000)
    assert interval.equal(actual.enclosure, Interval(-1, 1))
    assert sum(calls) < 10_000


@pytest.mark.parametrize(
    ("options", "error", "expected"),
    [
        ({"tol": -1}, ValueError, "tol: expected at least 0, got -1"),
        ({"tol": 0.5}, TypeError, "tol: expected an int, got float"),
        ({"limit": 0}, ValueError, "limit: expected at least 1, got 0"),
        ({"limit": None}, TypeError, "limit: expected an int, got NoneType"),
    ],
)
def test_options_that_are_refused(options, error, expected):
    with pytest.raises(error, match=expected):
        range_of(p, Interval(0, 1), **options)


@pytest.mark.parametrize("n", [2, 3, -1, -3, 0])
def test_exponents_may_be_written_as_floats(n):
    for low, high in [(-6, -5), (-2, 3), (0, 2), (1, 4)]:
        x = Interval(low, high)
        wanted = range_of(lambda x: x**n - x, x)
        for exponent in (float(n), np.float64(n), np.float16(n)):
            assert interval.equal(range_of(lambda x, k=exponent: x**k - x, x), wanted)
            assert interval.equal(interval.mean_value(lambda x, k=exponent: x**k, x), x**n)
