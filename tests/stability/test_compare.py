"""Comparison of formulas: enclosures contain the exact values, and bounds of errors hold.

Exact values are Fractions, computed by the same formulas; square roots use integers.
"""

import functools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import half, interval, stability
from halfcl._core import Experiment
from halfcl.stability import _measures as measures

pytestmark = pytest.mark.once

MODES = ("rte", "rtz", "rtp", "rtn")
A = np.array([0.3, 1.7, 2.9, 5.1, 7.3, 11, 13, 17], half)


def exactly(x):
    return Fraction(float(x))


def place(x):
    """Return the number of halves from zero to a Fraction, interpolated between two halves."""
    size, exponent = abs(x), -14
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    steps = (exponent + 14) * 1024 + size / Fraction(2) ** (exponent - 10)
    return steps if x >= 0 else -steps


def root(x, bits=200):
    """Return a square root to many bits."""
    return Fraction(math.isqrt(int(x * 4**bits)), 2**bits)


class Exact:
    """Stand-in for NumPy in formulas of arrays of Fractions."""

    sqrt = staticmethod(lambda x: np.array([root(v) for v in x], object))


def horner(x, y, np=np):
    return ((x - 3) * x + y) * x - 1


def expand(x, y, np=np):
    return x * x * x - 3 * x * x + x * y - 1


def quotient(x, y, np=np):
    return (x * x - y * y) / (x - y)


def total(x, y, np=np):
    return x + y


def by_difference(x, y, np=np):
    return np.sqrt(x + y) - np.sqrt(x)


def by_quotient(x, y, np=np):
    return y / (np.sqrt(x + y) + np.sqrt(x))


def pairs(count=300):
    rng = np.random.default_rng(4)
    x, y = rng.uniform([[0.5], [0.001]], [[6], [0.4]], (2, count)).astype(half)
    return x, y


@one_in(2)
@pytest.mark.parametrize(
    "formulas", [(horner, expand), (quotient, total), (by_difference, by_quotient), (total,)]
)
def test_errors_are_between_their_bounds(formulas):
    """Enclosures contain the exact value, and bounds of errors hold, in every mode."""
    args = pairs()
    wide = [np.array([exactly(v) for v in x], object) for x in args]
    comparison = stability.compare(formulas, *args)
    exact = formulas[0](*wide, np=Exact)
    tiny = Fraction(1, 2**150)  # bounds the error of a root
    for x in (*comparison.enclosures, comparison.exact):
        for low, high, value in zip(x.inf, x.sup, exact, strict=True):
            assert exactly(low) - tiny <= value <= exactly(high) + tiny
    assert comparison.disagreements == {} and comparison.reasons == ("",) * len(formulas)
    for k, one in enumerate(comparison):
        for mode in MODES:
            got, least, most = (
                one.values[mode],
                comparison.at_least[k][mode],
                comparison.at_most[k][mode],
            )
            for v, a, b, value in zip(got, least, most, exact, strict=True):
                assert a - 1e-9 <= abs(place(exactly(v)) - place(value)) <= b + 1e-9


def test_bounds_of_one_operation_are_tight():
    """The enclosure of one operation is an interval of two neighbours, or a point."""
    x, y = pairs()
    comparison = stability.compare([total], x, y)
    exact = [exactly(a) + exactly(b) for a, b in zip(x, y, strict=True)]
    is_half = [place(v) == int(place(v)) for v in exact]
    assert 0 < sum(is_half) < len(exact)
    for mode in MODES:
        assert not comparison.at_least[0][mode].any()
        assert comparison.at_most[0][mode].tolist() == [0 if h else 1 for h in is_half]


@np.errstate(all="ignore")
def test_exact_is_intersection_of_nonempty_enclosures():
    """Empty enclosures do not count."""

    def divide_by_itself(x):
        return x / x * x

    x = half([0, 1, 3, 7])
    comparison = stability.compare([divide_by_itself, lambda x: x / 3 * 3], x)
    first, other = comparison.enclosures
    assert interval.is_empty(first).tolist() == [True, False, False, False]
    want = np.where(interval.is_empty(first), other, first & other)
    assert interval.equal(comparison.exact, want).all()
    assert comparison.at_most[1]["rte"][0] == 0 and comparison.disagreements == {}
    nothing = stability.compare([lambda x: x / 0], x)
    assert np.isnan(nothing.at_most[0]["rtp"]).all() and interval.is_empty(nothing.exact).all()


def muller(p, q):
    """Compute a recurrence by J.-M. Muller; rounding turns its limit q into 100."""
    u, v = 2 + 0 * p, -4 + 0 * p
    for _ in range(20):
        u, v = v, 100 + p + q - (100 * (p + q) + p * q) / v + 100 * p * q / (u * v)
    return v


def muller_solved(p, q):
    r = (p / q) ** 21
    return (4 * p * r - 3 * q) / (4 * r - 3)


def test_error_in_all_modes_is_proved():
    """All four modes give 100; only the shadow and the enclosure show the error."""
    comparison = stability.compare([muller, muller_solved], half(5), half(6))
    wrong, right = comparison
    assert wrong.verdict == "off" and right.verdict == "stable" and wrong.digits == 2
    assert wrong.spread_of_all <= stability.THRESHOLD
    exact = muller(Fraction(5), Fraction(6))
    assert exact == muller_solved(Fraction(5), Fraction(6))
    for mode in MODES:
        off = abs(place(exactly(wrong.values[mode])) - place(exact))
        assert 4000 < comparison.at_least[0][mode] <= off <= comparison.at_most[0][mode] < off + 3
        assert comparison.at_least[1][mode] == 0 and comparison.at_most[1][mode] <= 3
    assert re.search(r"muller +2 +2 +2 +1 of 1 +4151 +4155\n", repr(comparison))


def test_different_quantities_are_reported():
    comparison = stability.compare([total, lambda x, y: x - y, lambda x, y: y + x], *pairs(5))
    assert set(comparison.disagreements) == {("total", "<lambda> 1"), ("<lambda> 1", "<lambda> 2")}
    assert all(where.all() for where in comparison.disagreements.values())
    assert (
        interval.is_empty(comparison.exact).all() and np.isnan(comparison.at_most[0]["rte"]).all()
    )
    assert "total and <lambda> 1: proved to be different quantities in 5 of 5" in repr(comparison)


# ------------------------------------------------------------------ no enclosure


def branch(x):
    return x if x[0] else -x


def rounds_halves(x):
    third = half(1) / 3
    return third * x


def iterates(x):
    y = x / 3
    while (y * 3 > x).any():
        y = hc.nextdown(y)
    return y


NONE = {
    "branch": (branch, "TypeError: Interval: has no truth value.* at test_compare.py"),
    "product": (lambda x: x * np.prod(x), "TypeError: prod: expected numbers, got Interval"),
    "halves": (rounds_halves, "a step on halves alone may round at .*half\\(1\\) / 3|third = half"),
    "literal": (lambda x: half(0.1) * x, "halves alone may round"),
    "last": (lambda x: (x, half(1) / 3)[0], "halves alone may round"),
    "cast": (lambda x: np.array([0.1]).astype(half) * x, "halves alone may round"),
    "sum": (lambda x: x + half([1, 2**-11]).sum(), "halves alone may round"),
    "function": (lambda x: x + hc.exp(half(1)), "halves alone may round"),
    "overlap": (iterates, "the intervals do not decide a comparison"),
    "equal": (lambda x: x if (x / 3 * 3 == x).all() else 0 * x, "do not decide"),
    "mask": (lambda x: x * 0 + np.max(x[x / 3 * 3 == x]), "do not decide"),
    "truths": (lambda x: np.where(np.add(x / 3 * 3 == x, x > 1), x, 0), "do not decide"),
    "array_equal": (lambda x: x if np.array_equal(x, x) else 2 * x, "a comparison of arrays"),
    "power": (lambda x: (x - 20) ** half(2), "a power whose base may be negative"),
    "pow": (lambda x: hc.pow(x - 20, x), "a power whose base may be negative"),
    "method": (lambda x: x.cumprod(), "AttributeError"),
    "floats": (lambda x: x * float(np.ravel(x)[0]), "TypeError"),
    "values": (lambda x: getattr(x, "inf", x) / 3, "the run on intervals returned|may round at"),
    "shape": (lambda x: x if isinstance(x, np.ndarray) else x[:1], r"shape \(1,\), that on halves"),
}


@pytest.mark.parametrize("name", NONE)
@np.errstate(all="ignore")
def test_formula_without_enclosure_has_reason(name):
    """The report has the reason; enclosures of other formulas still bound the error."""
    f, reason = NONE[name]
    comparison = stability.compare([f], A)
    assert comparison.enclosures == (None,) and comparison.exact is None
    assert re.search(reason, comparison.reasons[0]) and "\n" not in comparison.reasons[0]
    assert f"no enclosure: {comparison.reasons[0]}" in repr(comparison) and "at most" not in repr(
        comparison
    )
    assert (
        np.isnan(comparison.at_most[0]["rte"]).all()
        and np.isnan(comparison.at_least[0]["rtp"]).all()
    )
    beside = stability.compare([f, lambda x: x], A)
    want, _ = measures.distances(beside[0].values["rtp"], A, A)
    assert beside.at_least[0]["rtp"].tolist() == want.tolist()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: half(2) * x, lambda x: x * 0.1 + half([0.5] * 8), lambda x: half(3) * half(4) * x,
        lambda x: np.where(x > 5, x / 3, x), lambda x: x**3, lambda x: hc.pow(x, 2) + (x - 20) ** 2,
        lambda x: np.arange(8).astype(half) / x, lambda x: x * np.sqrt(2),
        lambda x: half([1, 2, 3, 4, 5, 6, 7, 8]), lambda x: np.where(x != 5, x, x / 3),
        lambda x: hc.divide(half(1), 3, rounding="rtp") * x, lambda x: x if x[0] < 1 else x / 3,
        lambda x: np.stack([v / 7 for v in x]), lambda x: x[np.array([1, 0] * 4, bool)] * 3,
    ],
)  # fmt: skip
def test_formula_that_runs_on_intervals(f):
    comparison = stability.compare([f], A)
    assert comparison.reasons == ("",) and interval.is_common(comparison.exact).all()
    for mode in MODES:  # a formula's results lie in its own enclosure
        assert not comparison.at_least[0][mode].any() or comparison[0].promotions


def test_one_undecided_comparison_loses_one_element():
    """There both choices are enclosed; other enclosures do not get wider."""
    x = half([-3, -0.2, 0.1, 3, 0.3])

    def step_where(x):
        third = x / 3
        return np.where((third * 3 > x) | (x == 3), third + 10, third)

    def step_by_select(x):
        third = x / 3
        return np.select(
            [third * 3 > x, ~(third * 3 > x) & (x != 3)], [third + 10, third], third + 10
        )

    for f in (step_where, step_by_select):
        comparison = stability.compare([f], x)
        low, high = comparison.enclosures[0]._lo.tolist(), comparison.enclosures[0]._hi.tolist()
        third = interval.Interval(x) / 3
        known, lows, highs = x == 3, third._lo.tolist(), (third + 10)._hi.tolist()
        decided = (third * 3)._lo == (third * 3)._hi  # where nothing was rounded
        assert known.sum() == 1 and 1 <= decided.sum() < 5
        for k in range(5):
            shifted = known[k]
            both = not (decided[k] or shifted)
            assert (high[k] == highs[k]) == (both or shifted) and (low[k] == lows[k]) != shifted


def step_where(x):
    third = x / 3
    return np.where(third * 3 > x, third * 2 + 10, third)


def assign_by_mask(x):
    third = x / 3
    mask = third * 3 > x
    result = third + 0
    result[mask] = third[mask] * 2 + 10
    return result


def assign_by_mask_in_place(x):
    result = x / 3
    mask = result * 3 > x
    result[mask] *= 2
    result[mask] += 10
    return result


def assign_by_equal_mask(x):
    third, wide = x / 3, x / 3 + half(0)
    mask = third * 3 > x
    third[mask] = (third[mask] + wide[(third * 3) > x]) + 10
    return third


def assign_number_by_mask(x):
    third = x / 3
    third[third * 3 > x] = 7
    return third


def choose_number(x):
    third = x / 3
    return np.where(third * 3 > x, half(7), third)


@pytest.mark.parametrize(
    ("f", "same"),
    [
        (assign_by_mask, step_where), (assign_by_mask_in_place, step_where),
        (assign_by_equal_mask, step_where),
        (assign_number_by_mask, choose_number),
    ],
)  # fmt: skip
def test_masks_as_indices_widen_undecided_elements_only(f, same):
    """Assignments by masks give the same enclosures as np.where."""
    x = half([-3, -0.2, 0.1, 3, 0.3, 12])
    comparison = stability.compare([f, same], x)
    assert comparison.reasons == ("", "")
    by_mask, by_where = comparison.enclosures
    assert interval.equal(by_mask, by_where).all()
    width = (by_mask._hi.astype(float) - by_mask._lo.astype(float)) > 1
    assert 0 < width.sum() < len(x)
    for own in comparison.undecided:
        assert own and all(d.elements == width.sum() and d.of == len(x) for d in own)
    assert f"{width.sum()} of 6 comparisons are undecided at" in repr(comparison)


@pytest.mark.parametrize("add", [np.sum, lambda x: x.sum()])
def test_sum_of_selection_by_undecided_mask(add):
    """The enclosure contains the sums with and without the undecided elements."""
    x = half([-3, -0.2, 0.1, 3, 0.3, 12])

    def f(x):
        third = x / 3
        return add(x[(third * 3 > x) | (x > 2)] + 1)

    (enclosure,) = stability.compare([f], x).enclosures
    third = interval.Interval(x) / 3 * 3
    may = third._lo != third._hi
    others = (x > 2) & ~may
    sums = [
        float((x[others] + 1).sum() + (x[may & more] + 1).sum())
        for more in np.ndindex(*[2] * 6)
        for more in [np.array(more, bool)]
    ]
    assert may.any() and others.sum() == 2
    assert float(enclosure._lo) <= min(sums) and max(sums) <= float(enclosure._hi)
    assert float(enclosure._hi) - float(enclosure._lo) < 2 * (max(sums) - min(sums))


@pytest.mark.parametrize(
    "f",
    [
        lambda x, mask: x[mask],
        lambda x, mask: x[mask][0] + x,
        lambda x, mask: x + len(x[mask]),
        lambda x, mask: x + x[mask],
        lambda x, mask: x + np.max(x[mask]),
        lambda x, mask: x[mask] + x[~mask],
        lambda x, mask: np.add.reduce(x[mask]) + x,
        lambda x, mask: x.reshape(2, 3)[mask],
        lambda x, mask: np.add(x[mask], 1, out=x[mask]),
        lambda x, mask: np.asarray(x[mask]),
        lambda x, mask: x if x[mask] > 1 else -x,
    ],
)
def test_other_uses_of_selection_are_refused(f):
    """The reason is given, and undecided elements are counted."""
    x = half([-3, -0.2, 0.1, 3, 0.3, 12])

    def select_by_mask(x):
        value = f(x, x / 3 * 3 > x)
        return value if isinstance(value, interval.Interval) or np.shape(value) else x

    task = stability._runs.Task(select_by_mask, (x,))
    result = stability._comparison.enclose(task, x.shape)
    assert (result.interval is None and "mask" in result.reason) or "not decide" in result.reason
    assert result.undecided[0].elements > 0


def test_undecided_truths():
    """Decided elements may determine any and all; otherwise the run is refused."""
    x = half([1, 0.3])
    for f, right in (
        (lambda x: x if not (x / 3 * 3 < 5).all() else x + 1, 1),
        (lambda x: x + 1 if (np.stack([x / 3 * 3, x]) <= x).any() else x, 1),
        (lambda x: x + 1 if (x / 3 * 3 == x)[:0].all() else x, 1),
        (lambda x: np.where((x / 3 * 3 == x) ^ (x > 5), x + 1, x), 1),
    ):
        comparison = stability.compare([f], x)
        assert comparison.reasons == ("",)
        assert interval.is_member(x + half(right), comparison.enclosures[0]).all()


@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "tanh", "cbrt", "hypot", "divide"])
def test_enclosures_are_those_of_intervals(name):
    """Bounds are rounded outward even though the run's region rounds halves at random."""
    x = np.linspace(0.1, 7, 600).astype(half)[::2]
    f = getattr(hc, name)
    if f.nin == 2:
        f = functools.partial(f, half(3))
    comparison = stability.compare([lambda x: f(x[::-1]), lambda x: f(x)[::-1]], x)
    for enclosure in comparison.enclosures:
        assert interval.equal(enclosure, f(interval.Interval(x[::-1]))).all()


def test_comparisons_in_formula_compare_numbers():
    """Comparisons are decided in a formula that runs on intervals, and undecided outside."""
    seen = []

    def f(x):
        seen.append((x < 5, x >= x, x == x))
        return x

    stability.compare([f], A)
    *_, (less, most, same) = seen
    assert less.tolist() == (A < 5).tolist() and most.all() and same.all()
    x = interval.Interval([1, 3], [2, 4])
    assert interval.equal(x, x).all() and not interval.strict_less(x, x).any()
    assert (x == x).is_undecided.all() and (x < x).is_undecided.all()


def test_infinite_arguments_have_no_enclosure():
    for x in (half([1, np.inf]), half([np.nan, 1])):
        comparison = stability.compare([lambda x: x * 1], x)
        assert "infinite or NaN" in comparison.reasons[0]
    assert stability.compare([lambda x, n: x * n, lambda x, n: n * x], A, 3).exact is not None


def test_scalars_float16_and_overflow():
    for x in (half(0.3), np.float16(0.3), np.array(0.3, half), A[:0], A.view(np.float16)):
        comparison = stability.compare([lambda x: x / 3], x)
        assert comparison.exact.shape == np.shape(x) and repr(comparison)
    with np.errstate(over="ignore"):
        comparison = stability.compare([lambda x: x * 2], half(60000))
    assert comparison.at_most[0]["rtz"] == np.inf and comparison.at_least[0]["rtz"] == 0


def test_interrupt_is_raised():
    def f(x):
        if isinstance(x, interval.Interval):
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        stability.compare([f], A)
    assert hc.get_rounding() == "rte" and (interval.Interval(1) == interval.Interval(1))


def test_distances():
    low, high = half([1, -1, np.nan, 60000, -np.inf, 2]), half([1.001, 1, np.nan, np.inf, 0, 3])
    nearest, farthest = measures.distances(half([0.999, 0, 1, np.inf, 2, np.nan]), low, high)
    assert np.array_equal(nearest, [2, 0, np.nan, 0, 16384, 0], equal_nan=True)
    assert np.array_equal(farthest, [3, 15360, np.nan, np.inf, np.inf, np.inf], equal_nan=True)


# ------------------------------------------------------------------ Experiment


def test_has_tossed_from_first_inexact_result_on():
    """Exact results use no random number."""
    exact = [
        lambda: half(2), lambda: half([1, 2.5]), lambda: half(3) * half(4), lambda: half(8) / 2,
        lambda: np.arange(5).astype(half), lambda: half([1, 2]) @ half([3, 4]),
        lambda: half([1, 2]).sum(), lambda: np.sqrt(half([4, 9])), lambda: half("0.5"),
        lambda: np.zeros(3, half) - 0,
    ]  # fmt: skip
    inexact = [
        lambda: half(0.1), lambda: half([1, 0.1]), lambda: half(1) / 3, lambda: np.exp(half(1)),
        lambda: np.array([0.1]).astype(half), lambda: half([0.3, 2]) @ half([0.3, 4]),
        lambda: half(2) * 0.1, lambda: half("0.1"), lambda: hc.length(half([1, 2])),
    ]  # fmt: skip
    for f in exact + inexact:
        with Experiment("random", seed=3) as region:
            f()
            assert region.has_tossed() == (f in inexact), f.__code__.co_firstlineno
            with Experiment("random"):  # an inner region does not hide it
                f()
            assert region.has_tossed() == (f in inexact)
        assert region.tossed == (f in inexact)


def test_decide_and_note_may_round():
    """Experiments ignore operations inside their own callbacks."""
    calls = []

    def decide():
        calls.append(half(1) / 3)
        return "rtp"

    with Experiment("rte", decide) as region:
        got = half(1) / 3
    assert region.failure is None and got == hc.divide_rtp(half(1), 3)
    assert calls and set(map(float, calls)) == {float(hc.divide_rte(half(1), 3))}

    def tell(name):
        half([1, 2]).astype(float)
        calls.append(name)

    calls.clear()
    with Experiment("rte", None, tell) as region:
        half([1, 2]).astype(np.float32)
    assert region.failure is None and calls == ["float32"]
    with Experiment("rte", lambda: None) as region:
        half(0.1)
    assert isinstance(region.failure, ValueError)


@np.errstate(all="ignore")
def test_reasons_name_lines_of_the_formula():
    """Reasons name no line of halfcl, and no line at all if the arguments are the reason."""

    def power(x):
        return hc.pow(x, half(0.5))

    line = power.__code__.co_firstlineno + 1
    both = stability.compare([power, np.negative], half([-4, 4]))
    assert f" at test_compare.py:{line}: " in both.reasons[0]
    infinite = stability.compare([power, np.negative], half([np.inf, 4]))
    assert set(infinite.reasons) == {"an argument has elements that are infinite or NaN"}
