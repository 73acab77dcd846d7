"""Tests of formulas with branches: both are enclosed, each where its condition is possible."""

import warnings

import numpy as np
import pytest
from exhaustive import either, in_turn, one_in, shared_out
from interval_bounds import proven_range

from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, LimitWarning, range_of
from halfcl.interval._formulas._search.conditions import record
from halfcl.interval._formulas.forms import Boxes

FORMS = (interval.mean_value, interval.taylor, range_of)


def ends(x):
    return float(x.inf), float(x.sup)


def absolute(x):
    return -x if x < 0 else x


def pieces(x, y):
    if x > y:
        return np.sqrt(x - y) + y
    if x < 0 and y > 0.5:
        return np.exp(x) - 2
    return np.where(y - x > 0.25, x * y, y * y)


def halve(x):
    while x > 1:
        x = x / 2
    return x


def table(x):
    return np.select([x < -1, x < 0, x <= 1], [x + 4, x * x, -x], 1 / x)


def selection(x, y):
    return (x > 0) * x + (~(x > y) | (y == 0)) * y


#: Formulas, boxes, and a form of the formula for arrays of doubles.
BRANCHES = {
    "if": (absolute, [(-1, 3)], np.vectorize(absolute)),
    "where": (lambda x: np.where(x < 0, x * x, np.sqrt(x) - x), [(-1, 2)], None),
    "nested": (pieces, [(-1, 1), (-1, 1)], np.vectorize(lambda x, y: float(pieces(x, y)))),
    "loop": (halve, [(0.25, 9)], np.vectorize(halve)),
    "select": (table, [(-2, 3)], None),
    "truths as numbers": (selection, [(-1, 2), (-1, 1)], None),
    "division beside zero": (lambda x: np.where(x != 0, np.sin(x) * x, 1), [(-1, 2)], None),
    "logarithm beside zero": (lambda x: np.where(x > 0.5, np.log(x), x), [(-1, 2)], None),
}


@one_in(2)
@in_turn
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", BRANCHES)
def test_no_value_is_outside(name, form):
    f, pairs, plain = BRANCHES[name]
    rng = np.random.default_rng(2)
    low, high = np.array(pairs, float).T[:, :, None]
    for _ in range(12):
        first, last = np.sort(rng.uniform(low, high, (2, len(low), 1)), axis=0).astype(np.float16)
        actual = form(
            f, tuple(Interval(*pair) for pair in zip(first[:, 0], last[:, 0], strict=True))
        )
        at = rng.uniform(first.astype(float), last.astype(float), (len(low), 500))
        with np.errstate(all="ignore"):
            values = (plain or f)(*at)
        inf, sup = ends(actual)
        assert inf <= np.nanmin(values) and np.nanmax(values) <= sup


@pytest.mark.parametrize("name", BRANCHES)
def test_ranges_are_as_narrow_as_sampled_ones(name):
    f, pairs, plain = BRANCHES[name]
    rng = np.random.default_rng(3)
    low, high = np.array(pairs, float).T[:, :, None]
    at = np.concatenate([rng.uniform(low, high, (len(low), 200_000)), low, high], axis=1)
    with np.errstate(all="ignore"):
        values = (plain or f)(*at[:, :20_000] if plain else at)
    inf, sup = ends(proven_range(f, pairs))
    width = np.nanmax(values) - np.nanmin(values)
    assert sup - inf <= 1.05 * width + 0.01


def test_a_branch_is_evaluated_where_its_condition_is_possible():
    """The bound of a condition is propagated to the variables, so no branch leaves its domain."""
    assert ends(range_of(lambda x: np.where(x * x < 4, x, 100), Interval(-1, 1))) == (-1, 1)
    actual = interval.mean_value(lambda x: np.where(2 * x + 1 < 2, x, 0), Interval(0, 1))
    assert ends(actual) == (0, 0.5)
    assert ends(range_of(lambda x: np.where(x > 1, 1 / (x - 1), -1), Interval(-1, 2))) == (
        -1,
        np.inf,
    )


def test_undefined_comparisons_are_false():
    """NumPy's comparison with NaN is false, so the other branch is taken there."""
    actual = range_of(lambda x: np.where(np.sqrt(x) > 1, 5, x), Interval(-4, 4))
    assert ends(actual) == (-4, 5)
    actual = range_of(lambda x: np.where(np.sqrt(x) != 1, x, 5), Interval(-4, -1))
    assert ends(actual) == (-4, -1)


def test_arrays_of_boxes_take_different_branches():
    x = Interval([-2, 1, -1], [-1, 2, 2])
    for form in FORMS:
        actual = form(lambda x: np.where(x < 0, -3 * x, x), x)
        assert np.all(interval.equal(actual[:2], Interval([3, 1], [6, 2])))
    assert ends(actual[2]) == (0, 3)


def test_constant_branches():
    assert ends(range_of(lambda x: 1 if x < 0 else 2, Interval(-1, 1))) == (1, 2)
    assert ends(range_of(lambda x: 1 if x < 0 else 2, Interval(1, 2))) == (2, 2)
    assert ends(range_of(lambda x: 1 if x else 2, Interval(-1, 1))) == (1, 2)


def test_decorations_of_branches():
    actual = range_of(absolute, DecoratedInterval(-1, 1))
    assert isinstance(actual, DecoratedInterval) and actual.decoration == "trv"
    decided = range_of(absolute, DecoratedInterval(1, 2))
    assert decided.decoration == "com"
    assert range_of(absolute, interval.nai).decoration == "ill"


def test_vectors_branch():
    v = interval.vector(Interval([-1, 0], [1, 2]))
    assert ends(range_of(lambda v: v[0] if v[0] > v[1] else v[1], v)) == (0, 2)


@shared_out
def test_too_many_paths_raise():
    def counts(x):
        n = 0
        while x > n / 1000:
            n += 1
        return n

    for form in either(FORMS, FORMS[:1]):
        with pytest.raises(TypeError, match="expected at most 256 combinations of outcomes"):
            form(counts, Interval(0, 1))


@pytest.mark.parametrize("f", [absolute, lambda x: np.where(x > 0, x, 1), lambda x: x * (x > 0)])
def test_roots_refuse_branches(f):
    with pytest.raises(TypeError, match="it branches on an argument that ranges over a box"):
        interval.roots(f, Interval(-1, 1))


def test_errors_in_branches_propagate():
    def f(x):
        if x < 0:
            raise ZeroDivisionError("mine")
        return x

    assert ends(range_of(f, Interval(1, 2))) == (1, 2)
    with pytest.raises(ZeroDivisionError, match="mine"):
        range_of(f, Interval(-1, 2))


def test_constraints_narrow_results():
    """x / y is unbounded, but at most 3 where it is the result."""
    box = Interval(1, 2), Interval(0, 1)
    for f, most in (
        (lambda x, y: np.where(x / y > 3, 3, x / y), 3),
        (lambda x, y: np.where(x / y > np.floor(3.5), 0, np.sqrt(1 + x / y)), 2),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error", LimitWarning)
            assert float(range_of(f, box).sup) == most


def test_constraints_on_undefined_operands_do_not_narrow_others():
    """The comparison is false where x / y is undefined, and the result is x, however large."""

    def f(x, y):
        return np.where(x / y > 3, 0, x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        assert float(range_of(f, (Interval(1, 2), Interval(0, 0))).sup) == 2
        assert float(range_of(f, (Interval(1, 2), Interval(0, 1))).sup) == 2


def test_equal_comparisons_have_one_outcome():
    def f(x, y):
        is_large = x > y
        return np.where(is_large, 1, -1) * np.where(is_large, x, y)

    boxes = Boxes(f, (Interval(0, 2), Interval(1, 3)))
    (flat,) = boxes.flat(10)
    assert len([*record(boxes.formula, flat)]) == 2
