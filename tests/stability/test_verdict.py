"""The verdict: by all runs, and by the shadow where all runs agree on a wrong result."""

import math
import threading
import warnings

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, stability
from halfcl.stability import _measures as measures

pytestmark = pytest.mark.once

A = np.array([0.3, 1.7, 2.9, 5.1, 7.3, 11, 13, 17], half)


def add_and_subtract_one(x):
    return (1 + x) - 1


def angles(n):
    """Return a result that is wrong and equal in all four modes."""
    return np.arctan(n + 1) - np.arctan(n)


N = half([30, 200])


# ------------------------------------------------------------------ the rule


def test_verdict_by_spread_and_error():
    """The table has the spread of all runs, the error and the verdict; a known error decides."""
    spread = np.array([0, 33, 192, 0, 193, 193, 193, np.inf, 33, 32, 0, np.inf])
    error = np.array([0, 16, 17, 17, 0, 8, 8.5, np.inf, np.nan, np.nan, np.inf, 0])
    want = [
        "stable", "stable", "unstable", "off", "stable", "stable", "unstable", "unstable",
        "unstable", "stable", "off", "stable",
    ]  # fmt: skip
    assert measures.verdict(np.ones(12), spread, error, None, 32).tolist() == want


@pytest.mark.parametrize(
    ("value", "exact", "spread", "word"),
    [
        (np.inf, 162754.8, np.inf, "overflows"),
        (np.inf, 65520, 0, "overflows"),
        (-np.inf, -1e308, 0, "overflows"),
        (np.inf, np.inf, 0, "infinite"),
        (np.nan, np.nan, 0, "undefined"),
        (np.inf, -1e6, 0, "off"),
        (np.inf, 3, np.inf, "unstable"),
        (np.nan, 0.042, 0, "off"),
        (np.nan, np.inf, np.inf, "unstable"),
        (65504, 1e6, 0, "off"),
        (3, np.nan, 0, "off"),
        (np.nan, None, 0, "not finite"),
        (np.inf, None, 0, "not finite"),
        (np.inf, None, np.inf, "unstable"),
        (65504, 65504, np.inf, "stable"),
    ],
)
def test_verdict_on_infinities_and_nan(value, exact, spread, word):
    """They are never stable, and only an exact result that is the same makes them right."""
    values, spreads = half([value]), np.array([float(spread)])
    truth = None if exact is None else np.array([float(exact)])
    error = np.array([np.nan]) if truth is None else measures.error(values, truth)
    got = measures.verdict(values, spreads, error, truth, 32)
    assert got.tolist() == [word]
    assert measures.is_bad(got).tolist() == [word in ("off", "unstable", "not finite")]
    if word in ("overflows", "infinite", "undefined"):  # no shadow of all steps: nothing is known
        want = "unstable" if spread else "not finite"
        assert measures.verdict(values, spreads, error, truth, 32, False).tolist() == [want]


def test_threshold_changes_verdict():
    report = stability.rerun(add_and_subtract_one, half([0.01, 0.1, 1]))
    assert report.verdict.tolist() == ["unstable", "stable", "stable"]
    report.threshold = 2000
    assert report.verdict.tolist() == ["stable"] * 3
    report.threshold = 0
    assert report.verdict.tolist() == ["unstable", "unstable", "stable"]
    assert (report.stable == (report.verdict == "stable")).all()


def test_errors():
    values = half([1, 1, np.inf, np.inf, 65504, np.nan, np.nan, 0, -0.0, 2])
    exact = np.array([1 + 2**-12, 1.5, 7e4, 65504, 7e4, np.nan, 3, 2**-25, 0, np.nan])
    want = [0, 512, 0, np.inf, np.inf, 0, np.inf, 0, 0, np.inf]
    assert measures.error(values, exact).tolist() == want
    assert measures.error(half(1), np.float64(1 + 1.75 * 2**-10)) == 1.75
    wide = measures.error(
        [1e5, 1e5, -1e18, 65536, 1e5], np.array([1e5, 1.25e5, -1e18, np.inf, np.nan])
    )
    assert wide.tolist() == [0, 25000 / 64, 0, np.inf, np.inf]
    assert measures.error(half([])[:0], np.zeros(0)).shape == (0,)


def test_samples_count_in_verdict():
    """The difference is 0 in all four modes, but not in half of the samples."""
    plain = stability.rerun(angles, N, shadow=False)
    assert not plain.spread.any()
    sampled = stability.rerun(angles, N, samples=10, rng=1, shadow=False)
    assert not sampled.spread.any() and (sampled.spread_of_all > 32).all()
    assert (sampled.verdict == "unstable").all() and "2 of 2 elements unstable" in repr(sampled)


def test_operations_count_in_verdict():
    """Errors of one direction cancel; those of operations in different modes do not."""

    def f(x):
        return (1 + x) - (1 - x) - 2 * x + (x / 3 - x / 3)

    report = stability.rerun(f, half(np.linspace(0.001, 0.02, 40)), shadow=False)
    assert report.operations.shape == (2, 40)
    assert (report.spread_of_all > report.spread).any()
    assert (report.spread_of_all >= report.spread).all()
    by_hand = [measures.ordinals(v) for v in (*report.values.values(), *report.operations)]
    assert (report.spread_of_all == np.ptp(by_hand, axis=0)).all()


def test_each_operation_has_one_mode():
    """All four modes occur; the same call gives the same report."""
    seen = []

    def f(x):
        third = x / 3
        seen.append(third.tobytes())
        return third

    drawn = [stability.rerun(lambda x: x / 3, A, samples=3).samples.tobytes() for _ in range(2)]
    assert drawn[0] == drawn[1]
    first, again = (stability.rerun(f, A, shadow=False) for _ in range(2))
    assert first.operations.tobytes() == again.operations.tobytes()
    modes = {hc.divide(A, 3, rounding=mode).tobytes() for mode in ("rte", "rtz", "rtp", "rtn")}
    assert set(seen) <= modes
    many = stability.rerun(lambda x: np.stack([x / 3 for _ in range(200)]), A, shadow=False)
    rows = [row.tobytes() for row in many.operations[0]]
    assert set(rows) == modes and many.operations[0].tobytes() != many.operations[1].tobytes()
    other = stability.rerun(lambda x: np.stack([x / 3 for _ in range(200)]), A, rng=5)
    assert other.operations.tobytes() != many.operations.tobytes()
    generator = np.random.default_rng(5)
    same = stability.rerun(lambda x: np.stack([x / 3 for _ in range(200)]), A, rng=generator)
    assert same.operations.tobytes() == other.operations.tobytes()


def test_reports_do_not_depend_on_other_threads():
    want = repr(stability.rerun(add_and_subtract_one, A, samples=5, rng=3))
    reprs = []

    def work():
        reprs.append(repr(stability.rerun(add_and_subtract_one, A, samples=5, rng=3)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reprs == [want] * 4


# ------------------------------------------------------------------ the shadow


def test_error_that_no_run_shows_is_off():
    report = stability.rerun(angles, N)
    assert (report.verdict == "off").all() and not report.spread_of_all.any()
    exact = np.arctan(1 / (1 + N.astype(float) * (N.astype(float) + 1)))
    assert np.allclose(report.exact, exact, rtol=1e-12)
    off = np.abs(measures.ordinals(angles(N)) - measures.ordinals(exact))
    assert np.allclose(report.error, off, atol=1e-6)
    first = repr(report).splitlines()[0]
    assert first == "angles: 0 of 2 elements unstable, 2 off although no run shows it"
    rows = repr(report).splitlines()[2:]
    assert len(rows) == 2 and all(row.endswith("  off") for row in rows)


def test_report_without_shadow():
    for report in (
        stability.rerun(angles, N, shadow=False),
        stability.rerun(lambda x: hc.bitselect(x / 3, x, x) / 3, half(1)),
    ):
        assert report.exact is None and report.reason and np.isnan(report.error).all()
        assert "error" not in repr(report).splitlines()[1]
    assert "no shadow" not in repr(stability.rerun(angles, N, shadow=False))
    assert f"no shadow: {report.reason}" in repr(report)


class Weights:
    """Halves that code accesses through attributes, which have no shadow."""

    w = half([0.3, 0.7, 1.9])
    v = half([1.1, 2.3, 0.77])


WEIGHTS = Weights()


@pytest.mark.parametrize(
    ("f", "whole"),
    [
        (lambda x: (1 + x) - 1, True),
        (lambda x: (1 + x) - WEIGHTS.w * WEIGHTS.v + x, False),  # rounded without shadow
        (lambda x: (WEIGHTS.w + x) - WEIGHTS.w, True),  # not rounded
        (lambda x: (1 + x) - half(float((x / 7)[0]) * 7) + x, False),  # rounded before conversion
        (lambda x: x - half((x / 7).tolist()), False),
        (lambda x: x - half(x.tolist()) / 7, True),  # numbers that were not rounded
        (lambda x: x / 7 if float(x[0]) < 1 else x, True),
        (lambda x: x / 7 if float(x[0] / 7) < 1 else x, False),
        (lambda x: x / 7 if x[0] / 7 < 1 and str(x / 7) and int(x[0] / 7) < 5 else x, True),
    ],
)
def test_incomplete_shadow(f, whole):
    """An incomplete shadow can show that a result is off, but not that it is right."""
    report = stability.rerun(f, half([0.01, 0.1, 0.7]))
    assert report.whole == whole and report.exact is not None
    assert (report.reason == "") == whole and ("incomplete shadow: " in repr(report)) != whole
    assert measures.verdict(half([1]), np.array([100.0]), np.array([1.0]), None, 32, whole) == (
        "stable" if whole else "unstable"
    )


def test_spread_decides_where_shadow_is_incomplete():
    """math.sqrt receives the rounded square without its shadow."""

    def root(b):
        return half((b - half(math.sqrt(b * b - 1))) / 2)

    report = stability.rerun(root, half(40.3))
    assert not report.whole and report.spread > 32 and report.verdict == "unstable"


def test_long_loops_have_no_shadow_by_default():
    def f(x):
        for _ in range(2**18):
            x = x * 1
        return x

    report = stability.rerun(f, half(1))
    assert report.exact is None and "shadow=True" in report.reason
    with pytest.raises(TypeError, match="shadow: expected True, False or None, got 'no'"):
        stability.rerun(add_and_subtract_one, A, shadow="no")
    with pytest.raises(TypeError, match="shadow: expected"):
        stability.compare([add_and_subtract_one], A, shadow=1)

    def long(x):
        for _ in range(2**17 // 16):
            x = (x + 1) - 1
        return x

    big = np.ones(2**15, half)
    assert stability.rerun(long, big[:1]).exact is not None
    assert stability.rerun(lambda x: long(x[:1]) + x, big).exact is None
    assert stability.rerun(lambda x: long(x[:1]) + x, big, shadow=True).exact.shape == big.shape


def test_compare_has_verdicts():
    comparison = stability.compare([angles, lambda n: np.arctan(1 / (1 + n * (n + 1)))], N)
    assert (comparison[0].verdict == "off").all() and comparison[1].stable.all()
    assert "not stable" in repr(comparison) and "2 of 2" in repr(comparison)
    bare = stability.compare([angles], N, shadow=False)
    assert bare[0].stable.all()


# ------------------------------------------------------------------ nothing in half


def compute_in_float16(x):
    """Compute in plain float16, which no mode governs."""
    y = x.view(np.float16)
    return ((1 + y) - 1 + y / 3).view(half)


def test_function_that_rounds_nothing_in_half_warns():
    with pytest.warns(
        RuntimeWarning, match="compute_in_float16: nothing was rounded in half"
    ) as caught:
        report = stability.rerun(compute_in_float16, half([0.01, 3]))
    assert caught[0].filename == __file__
    assert not report.rounded and "nothing was rounded in half" in repr(report)
    assert not report.spread_of_all.any() and (report.error > 16).any() and not report.stable.all()
    with pytest.warns(RuntimeWarning, match="nothing was rounded in half"):
        assert not stability.compare([compute_in_float16], half([0.01, 3]))[0].rounded
    with pytest.warns(
        RuntimeWarning, match="compute_in_float16: nothing was rounded in half"
    ) as caught:
        assert stability.blame(compute_in_float16, half([0.01, 3])) == ()
    assert caught[0].filename == __file__


def test_moves_and_promotions_do_not_warn():
    """Functions that only move elements round nothing; .promotions reports wider results."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (lambda x: x, np.sort, lambda x: -x[::-1], lambda x: np.max(x), lambda x: x[:0]):
            assert not stability.rerun(f, A).rounded or f(A).size
        assert stability.rerun(lambda x: x * np.sqrt(2), A).promotions
        assert stability.rerun(lambda x: hc.divide(x, 3, rounding="rtp"), A).rounded
        assert stability.rerun(lambda x: half(0.1), A).rounded
        assert not stability.rerun(lambda: A).rounded
    assert stability.rerun(lambda x: x / 3, A).rounded


# ------------------------------------------------------------------ accelerated float16


def assign_float16(x):
    y = np.zeros(x.shape, np.float16)
    y[:] = 1 + x
    return np.sqrt(y - 1)


def test_float16_is_governed_while_numpy_is_accelerated():
    x = np.array([0.01, 0.1, 1], np.float16)
    with pytest.raises(TypeError, match="accelerate"):
        stability.rerun(lambda x: assign_float16(x.view(np.float16)), x)
    want = stability.rerun(lambda x: np.sqrt((1 + x) - 1), x, samples=5, rng=1)
    with hc.accelerated():
        report = stability.rerun(assign_float16, x, samples=5, rng=1)
        steps = stability.blame(assign_float16, x)
        viewed = stability.rerun(lambda x: (1 + x.view(np.float16)) - 1, x)
    assert report.promotions == () and report.rounded and report.values["rtp"].dtype == half
    for mode, value in want.values.items():
        assert (report.values[mode] == value).all()
    assert (report.verdict == want.verdict).all() and report.verdict[0] == "unstable"
    assert np.ptp(report.samples.astype(float), axis=0).any() and np.allclose(
        report.exact, want.exact
    )
    assert steps[0].effect > 32 and steps[0].source == "y[:] = 1 + x" and steps.promotions == ()
    assert viewed.promotions == () and viewed.spread[0] > 32


# ------------------------------------------------------------------ blame, element by element


def twice(x):
    square = x * x  # square
    double = square * 2  # double
    return double / x


def test_blame_of_two_steps_that_both_overflow():
    x = half([3, 700])
    with np.errstate(all="ignore"):
        assert stability.rerun(twice, x).verdict.tolist() == ["stable", "unstable"]
        steps = stability.blame(twice, x)
    worst = {step.expression for step in steps if step.effect == np.inf}
    assert worst == {"x * x", "square * 2"} or worst == {""}
    assert [step.effects.tolist() for step in steps[:2]] == [[0, np.inf]] * 2
    alone = half([700])
    with np.errstate(all="ignore"):
        assert stability.blame(twice, alone)[0].effect == np.inf
        assert stability.blame(lambda x: np.sqrt(x * x) * 2, half(3)) == ()


def test_blame_by_element():
    """An infinite effect on one element does not hide effects on others."""

    def f(x):
        return (x * x - 1) + ((1 + x) - 1)

    x = half([300, 0.01, 0.5])
    with np.errstate(all="ignore"):
        steps = stability.blame(f, x)
        single = stability.blame(f, x[1:2])
    assert steps[0].effect == np.inf and steps[0].effects.shape == (3,)
    of_second = steps.at(1)
    assert [step.location for step in of_second] == [
        step.location for step in single if step.effect
    ]
    assert [step.effect for step in of_second] == [step.effect for step in single if step.effect]
    assert "elements" in repr(steps) and "no step changes it" in repr(steps.at(2))
    for step in steps:
        assert step.effect == step.effects.max()
    with pytest.raises(IndexError):
        steps.at(3)
    two = stability.blame(lambda x: (x / 3, [(1 + x) - 1][0]), half([[0.01, 1]]))
    assert two.at(1, 0, 0)[0].effect == 128 and isinstance(two[0].effects, tuple)
