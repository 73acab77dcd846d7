"""Tests of periods of formulas, and of the boxes that one period replaces."""

import math
import warnings

import numpy as np
import pytest
from interval_bounds import proven_range

import halfcl as hc
from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, LimitWarning, range_of
from halfcl.interval._formulas._rewriting import periods
from halfcl.interval._formulas._search.conditions import record
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.removable import Extended

TURN = 2 * math.pi


def paths_of(f, *pairs):
    boxes = [DoubleInterval(np.array([float(a)]), np.array([float(b)])) for a, b in pairs]
    with np.errstate(all="ignore"):
        return [*record(Extended(f, boxes), boxes)], boxes


#: Formulas, and their least periods in the first variable; None if there is none.
PERIODS = {
    "sine": (lambda x, y: np.sin(x) * y, TURN),
    "shifted by another variable": (lambda x, y: np.cos(x + y * y) - np.sin(y), TURN),
    "half the angle": (lambda x, y: np.cos(x / 2) + y, 2 * TURN),
    "tangent": (lambda x, y: np.tan(x) + y, TURN / 2),
    "commensurable": (lambda x, y: np.sin(2 * x) + np.cos(3 * x) / y, TURN),
    "thirds and halves": (lambda x, y: np.sin(x / 2) + np.cos(x / 4) / y, 4 * TURN),
    "tangent and sine": (lambda x, y: np.tan(x / 2 + y) + np.sin(x), TURN),
    "minus": (lambda x, y: np.exp(np.sin(y - 2 * x)), TURN / 2),
    "difference without the variable": (lambda x, y: ((x + y) - x) ** 2 + np.sin(x), TURN),
    "sum of the variable": (lambda x, y: np.sin(x + x + y), TURN / 2),
    "decimal factor": (lambda x, y: np.sin(x * 0.1) * y, TURN / 0.1),
    "nested": (lambda x, y: np.sin(np.cos(x) + y), TURN),
    "degrees": (lambda x, y: np.cos(np.radians(x)) * y, 360),
    "degrees by pi": (lambda x, y: np.cos(x / 180 * math.pi) * y, 360),
    "half turns": (lambda x, y: hc.sinpi(x) * y, 2),
    "tangent of half turns": (lambda x, y: hc.tanpi(x / 3) * y, 3),
    "condition on a sine": (lambda x, y: np.where(np.sin(x) > 0.5, y, np.cos(x)), TURN),
    "incommensurable": (lambda x, y: np.sin(x) + hc.sinpi(x), None),
    "variable outside": (lambda x, y: np.sin(x) + x, None),
    "variable factor": (lambda x, y: np.sin(x * y), None),
    "square": (lambda x, y: np.sin(x * x), None),
    "absolute value": (lambda x, y: np.sin(abs(x)), None),
    "quotient": (lambda x, y: np.sin(y / x), None),
    "power of two": (lambda x, y: np.sin(x) * np.exp(x * 0), None),
    "condition on the variable": (lambda x, y: np.where(x > y, np.sin(x), 0.5), None),
    "other variable": (lambda x, y: np.sin(y), None),
}


@pytest.mark.parametrize("name", PERIODS)
def test_period(name):
    f, expected = PERIODS[name]
    paths, _ = paths_of(f, (-50, 50), (1, 3))
    actual = periods.period(paths, 0)
    if expected is None:
        assert actual is None
    else:
        assert actual == pytest.approx(expected, rel=1e-14)
    if expected is not None and "half turns" not in name:  # sinpi has no plain doubles
        x, y = np.linspace(-40, 40, 997), np.linspace(1, 3, 997)
        with np.errstate(all="ignore"):
            assert np.allclose(f(x + actual, y), f(x, y), rtol=1e-7, atol=1e-7)


def test_periods_are_enclosed():
    """A period between two doubles is rounded up, so that a box of its width has all values."""
    paths, boxes = paths_of(lambda x: np.sin(x), (-500, 500))
    (reduced,) = periods.reduce_boxes(paths, boxes)
    assert TURN < reduced.hi[0] - reduced.lo[0] < TURN + 1e-12
    paths, boxes = paths_of(lambda x: hc.sinpi(x), (7, 9 - 2.0**-30))  # less than a period
    (reduced,) = periods.reduce_boxes(paths, boxes)
    assert (reduced.lo[0], reduced.hi[0]) == (7, 9 - 2.0**-30)


def ends(x):
    return np.asarray(x.inf, float), np.asarray(x.sup, float)


#: Formulas on wide boxes, with their ranges.
WIDE = {
    "difference": (lambda x, d: np.sin(x + d) - np.sin(x), [(-60000, 9000), (1e-3, 20000)], -2, 2),
    "product": (lambda x, y: np.sin(x) * np.cos(3 * y), [(100, 2000), (-9, 70)], -1, 1),
    "unbounded box": (lambda x: np.sin(x) + np.sin(2 * x), [(-np.inf, np.inf)], -1.76017, 1.76017),
    "half a line": (lambda x: np.cos(x) ** 2 - np.cos(x), [(5, np.inf)], -0.25, 2),
    "edge of a domain": (lambda x: 9 * np.sqrt(np.sin(x)), [(-900, 900)], 0, 9),
    "logarithm": (lambda x: np.log(np.sin(x)), [(-900, 900)], -np.inf, 0),
    "removable poles": (lambda x: np.sin(x) ** 2 / (1 - np.cos(x)), [(30, 90)], 0, 2),
    "poles": (lambda x: 1 / (2 + np.tan(x)), [(30, 90)], -np.inf, np.inf),
    "branches": (lambda x: np.where(np.sin(x) > 0, np.cos(x), 3), [(30, 90)], -1, 3),
    "degrees": (lambda x: np.sin(x / 180 * np.pi) - np.cos(x / 90 * np.pi), [(0, 9000)], -1.125, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE)
def test_ranges_on_wide_boxes(name):
    f, pairs, least, most = WIDE[name]
    low, high = ends(proven_range(f, pairs))
    assert low <= least + 1e-6 and high >= most - 1e-6
    assert least == -np.inf or low >= least - 2.0**-9 * max(abs(least), 2.0**-10)
    assert most == np.inf or high <= most + 2.0**-9 * max(abs(most), 2.0**-10)


def test_only_wide_boxes_of_arrays_are_replaced():
    paths, _ = paths_of(lambda x: np.sin(x), (-500, 500))
    low, high = np.array([0.0, 0, 700, -np.inf, np.nan]), np.array([1.0, 7, 703, 4, np.nan])
    (reduced,) = periods.reduce_boxes(paths, [DoubleInterval(low, high)])
    is_wide = np.array([False, True, False, True, False])
    assert np.array_equal(reduced.lo[~is_wide], low[~is_wide], equal_nan=True)
    assert np.array_equal(reduced.hi[~is_wide], high[~is_wide], equal_nan=True)
    assert np.allclose(reduced.hi[is_wide] - reduced.lo[is_wide], TURN)
    x = Interval([0, 0, 700, "-inf"], [1, 7, 703, 4])
    low, high = ends(range_of(lambda x: np.sin(x) * 2, x))
    far = 2 * np.sin(np.linspace(700, 703, 5000))
    expected = [0, -2, far.min(), -2], [2 * np.sin(1), 2, far.max(), 2]
    for actual, exact in zip((low, high), expected, strict=True):
        assert np.allclose(actual, exact, atol=4e-3)


def test_decorated_boxes_keep_their_decorations():
    x = DecoratedInterval(["[0, 50]_com", "[0, 50]_def", "[1, 2]_com"])
    actual = range_of(lambda x: np.sin(x) + np.sin(2 * x), x)
    natural = np.sin(x) + np.sin(2 * x)
    assert np.array_equal(interval.decoration_part(actual), interval.decoration_part(natural))
    assert np.allclose(ends(actual)[1][:2], 1.7602, atol=2e-3)


def test_values_on_boxes_and_on_their_replacements_agree():
    """Samples of wide boxes are inside the range, for random formulas with several periods."""
    rng = np.random.default_rng(12)
    for _ in range(8):
        a, b, c = rng.integers(1, 5, 3)

        def f(x, y, a=a, b=b, c=c):
            return np.sin(a * x / 2 + y) * np.cos(b * x) - np.cos(c * y) / 2

        low = rng.uniform(-300, 300, 2)
        box = tuple(Interval(p, p + rng.uniform(8, 99)) for p in low)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)
            inf, sup = ends(range_of(f, box))
        points = [rng.uniform(float(v.inf), float(v.sup), 100_000) for v in box]
        values = f(*points)
        assert inf <= values.min() and values.max() <= sup
        assert values.max() - values.min() > 0.95 * (sup - inf)
