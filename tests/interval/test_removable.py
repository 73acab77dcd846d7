"""Tests of ranges at removable poles: tight, never too narrow, and undefined at the pole itself."""

import math
import warnings

import formulas_oracle as oracle
import numpy as np
import pytest
from exhaustive import either, shared_out
from interval_bounds import proven_range

import halfcl as hc
from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, LimitWarning, range_of, vector
from halfcl.interval._formulas import removable
from halfcl.interval._formulas._rewriting.forms import rewritten
from halfcl.interval._formulas._search.conditions import record
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import variables
from halfcl.interval._formulas.removable import Extended

COS1, E, LN2 = math.cos(1), math.e, math.log(2)
#: Formulas, boxes that contain a removable pole, and the ranges.
CASES = {
    "sin(x) / x": (lambda x: np.sin(x) / x, (-1, 2), (math.sin(2) / 2, 1)),
    "sin(x) / x from 0": (lambda x: np.sin(x) / x, (0, 2), (math.sin(2) / 2, 1)),
    "(exp(x) - 1) / x": (lambda x: (np.exp(x) - 1) / x, (-1, 1), (1 - 1 / E, E - 1)),
    "(1 - cos(x)) / x^2": (lambda x: (1 - np.cos(x)) / x**2, (-1, 1), (1 - COS1, 0.5)),
    "(1 - cos(x)) / x / x": (lambda x: (1 - np.cos(x)) / x / x, (-1, 1), (1 - COS1, 0.5)),
    "log1p(x) / x": (lambda x: np.log1p(x) / x, (-0.5, 1), (LN2, 2 * LN2)),
    "x / tan(x)": (lambda x: x / np.tan(x), (-1, 1), (1 / math.tan(1), 1)),
    "x log(x)": (lambda x: x * np.log(x), (0, 2), (-1 / E, 2 * LN2)),
    "x log(x), undefined below": (lambda x: np.log(x) * x, (-1, 2), (-1 / E, 2 * LN2)),
    "x^2 log(x)": (lambda x: x**2 * np.log(x), (0, 2), (-1 / (2 * E), 4 * LN2)),
    "entropy": (lambda p: -p * np.log2(p) - (1 - p) * np.log2(1 - p), (0, 1), (0, 1)),
    "entropy by log1p": (lambda p: -p * np.log(p) - (1 - p) * np.log1p(-p), (0, 1), (0, LN2)),
    "(x^2 - 1) / (x - 1)": (lambda x: (x * x - 1) / (x - 1), (0, 3), (1, 4)),
    "(x^3 - 8) / (x - 2)": (lambda x: (x**3 - 8) / (x - 2), (0, 4), (4, 28)),
    "(sqrt(x + 1) - 1) / x": (lambda x: (np.sqrt(x + 1) - 1) / x, (0, 3), (1 / 3, 0.5)),
    "log(x) / (x - 1)": (lambda x: np.log(x) / (x - 1), (0.5, 2), (LN2, 2 * LN2)),
    "at a double that is not a half": (
        lambda x: np.sin(x - 0.3) / (x - 0.3), (0, 1), (math.sin(0.7) / 0.7, 1)),
    "x / x": (lambda x: x / x, (-1, 1), (1, 1)),
    "x / sinh(x), unbounded": (lambda x: x / np.sinh(x), (-np.inf, np.inf), (0, 1)),
    "nested": (lambda x: (np.sin(x) / x - 1) / x, (-1, 1), (math.sin(1) - 1, 1 - math.sin(1))),
    "a kink": (lambda x: abs(x) / x, (-1, 1), (-1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_ranges(name):
    f, ends, want = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", LimitWarning)
        actual = range_of(f, Interval(*ends))
    best = interval.from_values(*want)
    assert interval.subset(best, actual)
    for bound, other in ((actual.inf, best.inf), (actual.sup, best.sup)):
        assert abs(float(bound) - float(other)) <= 2.0**-10 * max(abs(float(other)), 2.0**-14) * 2


#: Formulas of two variables whose least or greatest value is a limit at poles; and the ranges.
EXTREME_AT_POLES = {
    "tan(u) / sin(u)": (lambda x, y: np.tan(x / y) / np.sin(x / y), (-1, 1), (2, 4), (1, 1.1395)),
    "(exp(x y) - 1) / x": (lambda x, y: (np.exp(x * y) - 1) / x, (0, 1), (1, 2), (1, E**2 - 1)),
    "y - x log(x)": (lambda x, y: y - x * np.log(x), (0, 0.25), (1, 2), (1, 2 + LN2 / 2)),
    "power of zero": (lambda x, y: np.exp(-y) * x ** np.exp(y), (0, 0), (1, 2), (0, 0)),
}


@pytest.mark.parametrize("name", EXTREME_AT_POLES)
def test_extremes_at_poles_are_in_the_range(name):
    f, *box, want = EXTREME_AT_POLES[name]
    actual = proven_range(f, box)
    assert interval.subset(interval.from_values(*want), actual)
    assert float(actual.sup) - float(actual.inf) <= (want[1] - want[0]) * (1 + 2**-8) + 2**-9


@pytest.mark.parametrize("name", CASES)
def test_forms_enclose(name):
    f, ends, want = CASES[name]
    for form in (interval.mean_value, interval.taylor):
        assert interval.subset(interval.from_values(*want), form(f, Interval(*ends)))


def test_several_variables():
    """Poles where one variable has a value, whatever the others are."""

    def f(x, y):
        return (np.exp(x * y) - 1) / x

    actual = range_of(f, (Interval(-1, 1), Interval(1, 2)))
    assert interval.subset(interval.from_values(1 - 1 / E, E**2 - 1), actual)
    assert float(actual.wid) < 1.01 * (E**2 - 1 - (1 - 1 / E))
    actual = range_of(lambda v: np.prod(np.sin(v) / v), vector(Interval([-1, -1], 1)))
    assert interval.subset(interval.from_values(math.sin(1) ** 2, 1), actual)
    assert float(actual.inf) > 0.7 and float(actual.sup) == 1


def test_pole_itself_is_undefined():
    """A box that is only the pole has an empty range; decorations say that f is undefined there."""

    def f(x):
        return np.sin(x) / x

    assert interval.is_empty(range_of(f, Interval(0)))
    actual = range_of(f, Interval([-1, 0, 0, 2], [1, 1, 0, 3]))
    assert interval.is_empty(actual).tolist() == [False, False, True, False]
    assert interval.equal(actual[0], actual[1])
    actual = range_of(f, DecoratedInterval([-1, 1], [1, 2]))
    assert actual.decoration.tolist() == ["trv", "com"]
    assert actual.sup.tolist() == [1, float(range_of(f, Interval(1, 2)).sup)]
    two = range_of(lambda x, y: y * np.sin(x) / x, (Interval(0), Interval(1, 2)))
    assert interval.is_empty(two)


def test_poles_that_are_not_removable():
    """A quotient that may be 0 / 0 may be unbounded."""
    unbounded = (
        lambda x: x / (x * x),
        lambda x: np.sin(x) / x**2,
        lambda x: (x + 2.0**-60) / x,  # nearly a common zero
        lambda x: (np.cos(x) - 1) / (x * x * x),
        lambda x: np.log(x) * np.sqrt(x * x + 2.0**-80),
    )
    for f in unbounded:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)
            actual = range_of(f, Interval(-1, 1), limit=300)
        at = [2.0**-k for k in (1, 20, 40, 60, 100, 200)]
        with np.errstate(all="ignore"):
            values = f(np.array(at))
        assert np.all((float(actual.inf) <= values) & (values <= float(actual.sup)))
    actual = range_of(lambda x, y: (x - y) / (x + y), (Interval(0, 1),) * 2, limit=300)
    assert interval.equal(Interval(-1, 1), actual)


def test_roots_beside_and_at_poles():
    """The root of the extension at the pole is none of the formula."""
    actual = interval.roots(lambda x: np.sin(x) / x, Interval(-4, 4))
    assert len(actual.unique) == 2 and len(actual.possible) == 0
    assert len(interval.roots(lambda x: x * x / x, Interval(-1, 1)).unique) == 0
    assert len(interval.roots(lambda x: x * np.log(x), Interval(0, 0.5)).unique) == 0


#: Numerators and divisors that are zero at zero, and not elsewhere near it.
ZEROS = (
    np.sin, np.tan, np.expm1, np.log1p, np.tanh, np.arctan, np.arcsinh, lambda t: t,
    lambda t: t * (2 + t), lambda t: np.exp(t) - 1, lambda t: np.sqrt(1 + t) - 1,
    lambda t: 3 * t - t * t,
)  # fmt: skip
SQUARES = (lambda t: 1 - np.cos(t), lambda t: t * t, lambda t: np.cosh(t) - 1, lambda t: t**2)
FORMS = (interval.mean_value, interval.taylor, lambda f, x: range_of(f, x, limit=60))


@shared_out
def test_random_quotients_are_enclosed():
    """Quotients with a common zero inside or beside the box, alone and inside other functions."""
    rng = np.random.default_rng(5)
    finite = 0
    for _ in range(either(300, 12, some=60)):
        table = (ZEROS, SQUARES)[rng.integers(2)]
        top, bottom = (table[i] for i in rng.integers(len(table), size=2))
        at = float(rng.choice([0, 0.25, -0.5, 0.1]))
        outer = (lambda q: q, np.exp, lambda q: q * q - q, np.arctan)[rng.integers(4)]

        def f(x, top=top, bottom=bottom, at=at, outer=outer):
            return outer(top(x - at) / bottom(x - at))

        low = np.float16(at - rng.choice([0, 2.0**-6, 0.3], 4)).astype(float)
        x = Interval.of(interval.from_values(low, low + rng.choice([0.0, 0.01, 0.5], 4))._arrays)
        places = oracle.points(rng, (x,), 9)
        for form in FORMS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LimitWarning)
                actual = form(f, x)
            assert oracle.count_missed(actual, f, places) == 0
            finite += np.count_nonzero(np.isfinite(actual.wid))
    assert finite > either(300, 12, some=60) * 7


#: Formulas with quotients in quotients, and in functions that use quotients or logarithms.
QUOTIENTS = {
    **{
        name: lambda x, y, f=f: f(x) + f(y)
        for name, (f, _, _) in CASES.items()
        if not name.startswith("x log(x)")
    },
    "among other functions": lambda x, y: np.exp(x / y) / np.hypot(x, y / (x - 1)) / (y - x),
    "with arctan2 over pi": lambda x, y: hc.atan2pi(x / y, y) / x + np.sin(x / y) / y,
    "sines and cosines": lambda x, y: np.tan(np.sin(x) / x) / (np.cos(y) - 1) + x / np.sin(x),
    "logarithms": lambda x, y: x * y * np.log(x * y) / (x / y) + y * np.log(y) / x,
}


@pytest.mark.parametrize("name", QUOTIENTS)
def test_parts_of_programs_have_the_operands_of_quotients(name):
    """Quotients that are left out do not change the places of others."""
    low, high = np.array([-1, 0.25, 0.0, 1]), np.array([2, 0.5, 1.0, 1])
    boxes = [DoubleInterval(low, high), DoubleInterval(low - 0.25, high + 1)]
    (path,) = record(Extended(QUOTIENTS[name], boxes), boxes)
    programs = [path.program, *(p.program for p in [rewritten(path)] if p is not None)]

    def operands_of(formula):
        run = removable.Run((), boxes, True)
        run.operands = {}
        with np.errstate(all="ignore"), removable.running(run):
            formula(*variables(boxes, 1))
        return run.operands

    assert operands_of(path.program)
    for program in programs:
        whole = operands_of(program)
        for places in [{place} for place in whole] + [set(whole)]:
            part = operands_of(program.part_with(places))
            assert places <= part.keys() <= whole.keys()
            for place, jets in part.items():
                for one, other in zip(jets, whole[place], strict=True):
                    pairs = [(one.value, other.value), *(
                        (one.slopes[i], other.slopes[i]) for i in {*one.slopes, *other.slopes}
                    )]  # fmt: skip
                    for a, b in pairs:
                        np.testing.assert_array_equal((a.lo, a.hi), (b.lo, b.hi))


def test_formulas_without_poles_are_evaluated_no_more_often():
    """The search for common zeros begins when a quotient may be 0 / 0, and ends by itself."""
    calls = []

    def count(f, x):
        calls.clear()
        interval.mean_value(f, x)
        return len(calls)

    def harmless(x):
        calls.append(1)
        return (x + 2) / x

    def zero_by_zero(x):
        calls.append(1)
        return np.sin(x) / (x * x)

    assert count(harmless, Interval(1, 2)) == count(harmless, Interval(-1, 2)) == 4
    assert count(zero_by_zero, Interval(-1, 1)) < 40


@pytest.mark.parametrize("f, box, want", [
    (lambda y: abs(y) / y * (2 + y), [(-3, 0)], (-2, 1)),
    (lambda y: np.sin(abs(y)) / y, [(-1, 0)], (-1, -np.sin(1))),
    (lambda x, y: np.arctan(abs(y) / x) / y, [(1, 2), (-1, 0)], (-1, -np.arctan(0.5))),
    (lambda x, y: np.arccos(x / np.sqrt(x * x + y * y)) / y, [(0.3125, 0.328125), (-15.75, 0)],
     (-3.2, -0.09851)),
])  # fmt: skip
def test_limits_at_kinks_are_those_from_inside_of_boxes(f, box, want):
    """At zero the slopes of a magnitude are those of either side, and its sign is unknown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        result = range_of(f, tuple(Interval(*ends) for ends in box))
    assert (float(result.inf), float(result.sup)) == pytest.approx(want, rel=2.0**-9)
