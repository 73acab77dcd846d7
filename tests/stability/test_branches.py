"""Comparisons of arrays as branches: which elements diverge between runs, and the verdict."""

import sys
import threading

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, stability
from halfcl._core import Experiment
from halfcl.stability._array_comparisons import MOST_BYTES, ComparisonRecorder, find_divergences

pytestmark = pytest.mark.once

#: The square of the first rounds to nearest up, of the second down; that of the third is exact.
X = half([0.1, 1.1, 1.5])


Y = X * X
#: Whether the exact square is larger than the rounded one.
IS_MORE = X.astype(float) ** 2 > Y.astype(float)


def choose_by_where(x):
    return np.where(x * x > Y, half(1), half(0))


def choose_by_select(x):
    return np.select([x * x > Y, x < 0], [half(1) + 0 * x, x], half(0))


def assign_by_mask(x):
    result = 0 * x
    result[x * x > Y] = 1
    return result


def assign_by_indexing(x):
    result, mask = 0 * x, x * x > Y
    result[mask] = (x[mask] + 1) - x[mask]
    return result


def count_by_sign(x):
    return np.maximum(np.sign(x * x - Y), 0)


def write_where(x):
    return np.add(0 * x, 1, out=0 * x, where=x * x - Y > 0)


def negate_condition(x):
    return np.where(~(x * x <= Y) & np.isfinite(x), half(1), half(0))


def choose_by_ufunc(x):
    return np.where(hc.isgreater(x * x, Y), half(1), half(0))


def assign_by_nonzero(x):
    result = 0 * x
    result[np.nonzero(np.maximum(x * x - Y, 0))] = 1
    return result


BY_MASKS = [
    choose_by_where, choose_by_select, assign_by_mask, assign_by_indexing, count_by_sign,
    write_where, negate_condition, choose_by_ufunc, assign_by_nonzero,
]  # fmt: skip


@pytest.mark.parametrize("f", BY_MASKS, ids=lambda f: f.__name__)
def test_shadow_decides_choices_of_elements(f):
    """Rounded to nearest, all return 0, also where the exact square is larger."""
    assert 0 < IS_MORE.sum() < len(X)
    report = stability.rerun(f, X)
    assert report.exact.tolist() == IS_MORE.tolist() and not report.values["rte"].any()
    assert np.array_equal(report.stable, ~IS_MORE & (report.spread_of_all == 0))


def test_choice_that_all_runs_get_wrong_is_off():
    """No run takes the right branch."""

    def f(n):  # the angle between two large numbers is not 0
        return np.where(np.arctan(n + 1) - np.arctan(n) > 0, half(1), half(2))

    report = stability.rerun(f, half([3, 200]))
    assert report.spread_of_all.tolist() == [0, 0]
    assert report.verdict.tolist() == ["stable", "off"] and report.exact.tolist() == [1, 1]
    (branch,) = report.divergences
    assert (branch.elements, branch.of, branch.runs) == (1, 2, ("exact",))
    assert "np.where(np.arctan" in branch.source and branch.location.expression.endswith("> 0")
    assert "1 of 2 comparisons diverge at" in repr(report)


def test_scalar_branch_that_no_run_takes_is_off():
    def f(n):
        if np.arctan(n) - np.arctan(n + 1) < 0:  # a run by operation takes the opposite's branch
            return half(1)
        return half(2)

    report = stability.rerun(f, half(200))
    assert report.verdict == "off" and report.exact == 1 and report.whole
    assert "a comparison diverges at" in repr(report)
    assert stability.rerun(f, half(3)).divergences == ()


def difference(x):
    """Return a difference that is 0 in all runs for large numbers."""
    return np.arctan(x + 1) - np.arctan(x)


@pytest.mark.parametrize(
    ("f", "index"),
    [
        (lambda x: x[np.argmax(difference(x))], 1),
        (lambda x: x[(-difference(x)).argmin()], 1),
        (lambda x: x[np.argsort(difference(x))[-1]], 1),
        (lambda x: x[int(1 - difference(x)[1])], 0),
        (lambda x: x[(1 - difference(x)).astype(int)][1], 0),
        (lambda x: x[int(np.any(difference(x) > 0))], 1),
        (lambda x: x[np.count_nonzero(difference(x)) - 2], 1),
        (lambda x: x[np.searchsorted(half([0, 1]), difference(x)[1], side="left")], 1),
    ],
)
def test_shadow_decides_indices(f, index):
    """All differences are 0 in halves, so that argmin and argmax give the first."""
    x = half([230, 200.5, 220])
    assert not difference(x).any()
    report = stability.rerun(f, x)
    assert report.exact == x[index]


def test_halves_decide_where_shadows_differ_by_last_bits():
    """Shadows have rounding errors of their own; where these could decide, halves do."""

    def f(x):
        thirds = np.sin(x) / 3
        return np.where(thirds * 3 == np.sin(x), half(1), half(2)) * (thirds + thirds + thirds)

    x = half(np.linspace(0.1, 3, 200))
    is_equal = f(x) < 1.5 * np.sin(x)
    report = stability.rerun(f, x)
    assert is_equal.any() and not np.any(report.error[is_equal] > 16)


def test_loops_run_as_many_times_as_in_halves():
    """Inside the loop shadows choose the elements."""

    def f(x):
        step, count, result = half(1), half(0), 0 * x
        while 1 + step != 1 and count < 20:
            result = np.where(x * x > Y, result + step, result)
            step, count = step / 2, count + 1
        return np.append(result, count)

    report = stability.rerun(f, X)
    assert report.exact[-1] == report.values["rte"][-1] == 11
    assert np.allclose(report.exact[:-1], np.where(IS_MORE, 2 - 2.0**-10, 0))
    assert {branch.source for branch in report.divergences} >= {
        "while 1 + step != 1 and count < 20:"
    }


def test_loop_that_ends_earlier_without_rounding():
    def f(x):
        steps = half(0)
        while x * x - Y[1] <= 0 and steps < 5:
            steps = steps + 1
        return steps

    assert Y[1] < X[1].astype(float) ** 2
    report = stability.rerun(f, X[1])
    assert report.exact == report.values["rte"] == 5
    (branch,) = report.divergences  # though Python compiles it twice
    assert branch.elements == branch.of == 6


def test_shadow_decides_choices_inside_loop_but_not_its_exit():
    def f(x):
        result = 0 * x
        for k in range(8):
            result = np.where(x * x > Y, result + 1, result)  # diverges each time
            if (x * x)[1] * (k + 1) > Y[1] * 4:
                break
        return result

    report = stability.rerun(f, X)
    assert report.exact.tolist() == [5, 5, 0] and report.whole  # 4 loops would be enough in reals


def test_endless_shadow_run_is_given_up():
    """The second shadow run is given up; the first gives the shadow."""

    def f(x):
        while True:
            if x * x > Y[1]:
                return half(1)
            if int(x - x * x / Y[1]) == 0:
                return half(2)

    report = stability.rerun(f, X[1])
    assert report.exact is not None


def test_conversion_to_float_uses_the_deciding_values():
    """Otherwise a loop that ends by a float would not end when shadows choose elements."""

    def f(x):
        y = np.where(x * x > Y[1], x / 3, x / 7)
        return x * float(y)

    report = stability.rerun(f, X[1])
    assert np.isclose(report.exact, float(X[1]) ** 2 / 3, rtol=1e-9) and not report.whole

    def g(x, n):
        while float(x) > 0.5:
            x = np.where(difference(n) > 0, x * 1, x / 2)
        return x

    report = stability.rerun(g, half(1.1), half(200))  # in reals x stays what it is
    assert report.exact == float(half(1.1)) / 4  # as often as in half


def test_shadow_run_of_another_shape_is_reported():
    def f(n):
        return n[np.arctan(n + 1) - np.arctan(n) <= 0]

    report = stability.rerun(f, half([3, 200]))
    assert report.shape == (1,) and not report.whole and "another shape" in report.reason


# ------------------------------------------------------------------ among the runs


def test_masks_that_diverge_between_runs():
    def f(x):
        mask = (x * x) / x > x
        return np.where(mask, x, x)

    x = half(np.linspace(0.1, 3, 64))
    report = stability.rerun(f, x, samples=4, rng=1)
    want = {}
    for mode in ("rte", "rtz", "rtp", "rtn"):
        with hc.rounding(mode):
            want[mode] = (x * x) / x > x
    differ = [mode for mode in want if (want[mode] != want["rte"]).any()]
    (branch,) = report.divergences
    assert [run for run in branch.runs if run in want] == differ and differ
    assert branch.of == 64 and branch.elements >= max(
        (want[mode] != want["rte"]).sum() for mode in differ
    )
    assert branch.line == f.__code__.co_firstlineno + 1
    assert report.stable.all()  # the same for both decisions


def test_recorder_gets_comparisons_of_any_layout():
    """Strided, broadcast, transposed, reversed, without axes and without elements."""
    x = half(np.arange(24).reshape(4, 6))
    cases = [
        (x[:, ::2], x[::-1, 1::2]), (x.T, half(3)), (x[0], x[:, :1]), (x[:0], x[:0]),
        (half(np.array(1)), half(np.array(0))), (x.astype(">f2").astype(half), x + 1),
    ]  # fmt: skip
    for a, b in cases:
        recorder = ComparisonRecorder(lambda frame: 0)
        Experiment("rtp", None, None, 0, recorder.record).call(np.less, (a, b))
        want = np.less(np.asarray(a, float), np.asarray(b, float))
        sizes = recorder.logs[0].sizes if recorder.logs else []
        assert sum(sizes) == want.size
        count = int.from_bytes(recorder.logs[0].bits, "big").bit_count() if sizes else 0
        assert count == want.sum()


def test_recorder_gets_float16_while_numpy_is_accelerated():
    x = np.linspace(0, 1, 5, dtype=np.float16)
    long = np.linspace(0, 1, 5000, dtype=np.float16)
    with hc.accelerated():
        for array in (x, long):
            recorder = ComparisonRecorder(lambda frame: 0)
            Experiment("rte", None, None, 0, recorder.record).call(lambda a=array: a > 0.5, ())
            assert sum(recorder.logs[0].sizes) == array.size


def test_results_do_not_change_with_recorder():
    """Random results do not change either: comparisons use no random numbers."""

    def f(x):
        y = x / 3
        z = np.where(y > x / 7, y * y, y)
        return z / 3

    x = half(np.linspace(-3, 3, 500))
    for mode in ("rte", "rtp", "random"):
        plain = Experiment(mode, None, None, 5).call(f, (x,))
        recorder = ComparisonRecorder(lambda frame: 0)
        recorded = Experiment(mode, None, None, 5, recorder.record).call(f, (x,))
        assert plain.tobytes() == recorded.tobytes()


def test_error_of_recorder_is_raised():
    def fail(truths):
        raise KeyError("from the recorder")

    with pytest.raises(KeyError, match="recorder"):
        Experiment("rte", None, None, 0, fail).call(np.less, (X, Y))


def test_comparisons_inside_recorder_are_not_recorded():
    heard = []

    def hear(truths):
        heard.append(bytes(truths))
        np.less(X, Y)

    Experiment("rte", None, None, 0, hear).call(np.less, (X, half(1)))
    assert heard == [bytes([1, 0, 0])]
    np.less(X, Y)  # outside of the region
    assert len(heard) == 1


def test_recorder_ignores_inner_regions_and_threads():
    """Only the inner of two nested Experiments records; neither records other threads."""
    outer, inner = [], []

    def f():
        np.less(X, Y)
        Experiment("rte", None, None, 0, inner.append).call(np.less, (X[:1], Y[:1]))
        Experiment("rte").call(np.less, (X, Y))
        thread = threading.Thread(target=np.less, args=(X, Y))
        thread.start()
        thread.join()
        np.greater(X, Y)

    Experiment("rte", None, None, 0, outer.append).call(f, ())
    assert len(outer) == 2 and len(inner) == 1


def test_recorder_keeps_at_most_its_limit():
    recorder = ComparisonRecorder(lambda frame: 0)
    for _ in range(3):
        recorder.record(bytearray(MOST_BYTES * 3))
    assert len(recorder.logs[0].bits) <= MOST_BYTES


def test_divergences_are_matched_while_sizes_are_equal():
    def record_run(*arrays):
        recorder = ComparisonRecorder(lambda frame: "here")
        for array in arrays:
            recorder.record(bytearray(array))
        return recorder.logs

    runs = [
        ("rte", record_run([1, 0, 0], [1] * 9, [0])),
        ("rtz", record_run([1, 0, 1], [1] * 9)),
        ("rtp", record_run([1, 1, 0], [0] * 8, [1])),
        ("rtn", record_run([1, 0, 0], [1] * 9, [0], [1])),
    ]
    (divergence,) = find_divergences(runs)
    assert (divergence.location, divergence.elements, divergence.of, divergence.runs) == (
        "here",
        2,
        13,
        ("rtz", "rtp"),
    )
    assert find_divergences(runs[:1]) == [] and find_divergences([runs[0], ("rtn", {})]) == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs positions of expressions")
def test_comparisons_on_one_line_are_told_apart():
    def f(n):
        return np.select([n < 0, np.arctan(n + 1) - np.arctan(n) > 0], [n, half(1)], half(2))

    report = stability.rerun(f, half([3, 200]))
    (branch,) = report.divergences
    assert branch.location.expression == "np.arctan(n + 1) - np.arctan(n) > 0"
    assert str(branch).endswith("> 0 (exact)")
