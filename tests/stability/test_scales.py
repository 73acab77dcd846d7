"""Units of differences (``scale``) and exact results that the caller knows (``truth``)."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from halfcl import half, stability
from halfcl.stability import _measures as measures
from halfcl.stability._measures import Scale
from halfcl.stability._programs._analysis.requests import (
    KnownTruth,
    RequestError,
    parse_scale,
    scales_by_result,
    truths_by_result,
)
from halfcl.stability._programs._analysis.results import Output, Result
from halfcl.stability._programs._functions import report_if_unstable

pytestmark = pytest.mark.once

QR = """\
import numpy as np
from halfcl import stability

def gram_schmidt(a):
    n = a.shape[1]
    q, r = np.zeros_like(a), np.zeros((n, n), a.dtype)
    for j in range(n):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = np.dot(q[:, i], v)
            v = v - q[:, i] * r[i, j]
        r[j, j] = np.sqrt(np.dot(v, v))
        q[:, j] = v / r[j, j]
    return q, r

a = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float16)
Q, R = gram_schmidt(a)
"""
SCOPE: dict = {}
exec(QR, SCOPE)
GRAM_SCHMIDT, A = SCOPE["gram_schmidt"], SCOPE["a"].view(half)


# ------------------------------------------------------------------ units


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        (None, None),
        ("ulp", None),
        ("max", Scale("max")),
        ("norm", Scale("norm")),
        ("abs:1e-3", Scale("abs", 1e-3)),
        ("abs:2", Scale("abs", 2.0)),
        (Scale("max"), Scale("max")),
    ],
)
def test_scale_of_text(text, scale):
    assert Scale.parse(text) == scale
    assert scale is None or Scale.parse(str(scale)) == scale


@pytest.mark.parametrize("text", ["", "maximum", "abs", "abs:", "abs:0", "abs:-1", "abs:nan",
                                  "abs:inf", "abs:x", "max:1", "norm:2"])  # fmt: skip
def test_other_texts_are_no_scales(text):
    with pytest.raises(ValueError, match=r"^scale: expected 'max', .*, got "):
        Scale.parse(text)
    with pytest.raises(ValueError, match=r"^scale: expected 'max'"):
        stability.rerun(np.exp, half(1), scale=text)


@pytest.mark.parametrize("scale", [3, 1.5, True, b"max", ["max"]])
def test_other_types_are_no_scales(scale):
    for call in (
        lambda: stability.rerun(np.exp, half(1), scale=scale),
        lambda: stability.compare([np.exp], half(1), scale=scale),
        lambda: stability.blame(np.exp, half(1), scale=scale),
        lambda: stability.watch("x", half(1), scale=scale),
    ):
        with pytest.raises(TypeError, match=r"^scale: expected 'max', .*, got "):
            call()


def test_unit_is_ulp_of_magnitude():
    values = np.array([3.0, -4.5, np.inf, np.nan, 0.001])
    norm = math.hypot(3, 4.5, 0.001)
    assert Scale("max").size(values) == 4.5 and Scale("norm").size(values) == pytest.approx(norm)
    assert Scale("max").unit(values) == Scale("norm").unit(values) == 2.0**-8
    assert Scale("abs", 0.25).unit(values) == 0.25 and Scale("abs", 0.25).size(values) == 512
    for kind in ("max", "norm"):
        for empty in (np.zeros(3), np.zeros(0), np.full(2, np.nan)):
            assert Scale(kind).size(empty) == 0 and Scale(kind).unit(empty) == 2.0**-24
    huge = np.full(4, 65504.0)
    assert Scale("norm").unit(huge) == 2.0**6 == 2 * Scale("max").unit(huge)
    assert Scale("norm").size(np.array([1e300, 1e300])) == pytest.approx(math.sqrt(2) * 1e300)
    for x in half([1, 1.5, 2047, 6e-8, 1e-4, 30000]):
        assert measures.ulp_of(float(x)) == float(np.spacing(x))


def test_spread_and_error_in_units():
    runs = [half(v) for v in ([1, 2, np.inf, np.nan], [1.5, 2, np.inf, np.nan], [1, 2, 3, 4])]
    assert measures.spread(runs[:2], 0.25).tolist() == [2, 0, 0, 0]
    assert measures.spread(runs, 0.25).tolist() == [2, 0, np.inf, np.inf]
    assert measures.spread(runs[:2], np.array([0.5, 1, 1, 1])).tolist() == [1, 0, 0, 0]
    error = measures.error(runs[0], np.array([1.25, 2 + 1e-9, 1e6, 3]), 0.125)
    assert error.tolist() == [2, 0, 0, np.inf]


@pytest.mark.parametrize("scale", ["max", "norm", "abs:1e-3"])
def test_rerun_counts_in_units(scale):
    """Spread, error and threshold count in the unit, and digits are relative to its magnitude."""
    report = stability.rerun(lambda x: x - x.mean(), half([1, 2, 4.004]), scale=scale, samples=8)
    magnitude = {"max": np.abs(report.exact).max(), "norm": np.linalg.norm(report.exact)}
    unit = 1e-3 if scale == "abs:1e-3" else 2.0 ** (math.floor(math.log2(magnitude[scale])) - 10)
    assert report.scale == ("abs:0.001" if scale == "abs:1e-3" else scale)
    assert report.unit == unit
    modes = np.stack([np.asarray(v, float) for v in report.values.values()])
    assert np.allclose(report.spread, np.ptp(modes, axis=0) / unit)
    apart = np.abs(modes[0] - report.exact) / unit
    assert np.allclose(report.error[report.error > 0], apart[report.error > 0])
    assert f"in {Scale.parse(scale).name}" in repr(report)
    size = magnitude.get(scale, 2.048)
    samples = report.samples.astype(float)
    want = math.sqrt(8) * size / (measures.students_t(7) * samples.std(axis=0, ddof=1))
    assert np.allclose(report.significant_digits, np.clip(np.log10(want), 0, 11 * np.log10(2)))


def test_scale_makes_small_elements_of_large_results_stable():
    """The worst entry of Q is off by an ulp of the largest one, but by 38 of its own ulps."""
    q, r = stability.rerun(GRAM_SCHMIDT, A)
    assert not q.stable.all() and q.error.max() > 32
    for scale in ("max", "norm"):
        q, r = stability.rerun(GRAM_SCHMIDT, A, scale=scale, samples=10)
        assert q.stable.all() and r.stable.all() and q.error.max() < 2
        assert q.significant_digits.min() > 3
    assert not stability.rerun(GRAM_SCHMIDT, A, scale="abs:1e-6")[0].stable.all()


def test_blame_and_compare_in_units():
    x = half([300.0, 0.01])

    def f(x):
        return (1 + x) - 1

    own, scaled = stability.blame(f, x), stability.blame(f, x, scale="max")
    assert own[0].effect == 128 and scaled[0].effect == 128 * 2.0**-17 / 0.25
    plain = stability.compare([f, lambda x: x * 1], x)
    report = stability.compare([f, lambda x: x * 1], x, scale="max")
    assert plain.apart[1] > 20 and report.apart[1] < 0.01
    assert not plain[0].stable.all() and report[0].stable.all()
    assert report.at_most[0]["rte"][1] < 1 < plain.at_most[0]["rte"][1]


# ------------------------------------------------------------------ truths


def test_truth_replaces_shadow():
    """The formula is wrong, so that its shadow is, too."""

    def f(x):
        return np.sin(x) * 1.1

    x = half([0.5, 1, 2])
    assert stability.rerun(f, x).stable.all()
    for truth in (np.sin(x.astype(float)), np.sin, np.sin(x.astype(float)).tolist()):
        report = stability.rerun(f, x, truth=truth)
        assert (report.verdict == "off").all() and report.whole and report.reason == ""
        assert (report.exact == np.sin(x.astype(float))).all()
    comparison = stability.compare([f, np.sin], x, truth=np.sin)
    assert [one.stable.all() for one in comparison] == [False, True]


def test_truth_function_gets_doubles():
    """Its arguments are those of the function, halves as float64; others are unchanged."""
    seen = []

    def truth(*args):
        seen.append(args)
        return args[0] + args[1][0]

    report = stability.rerun(lambda x, y, n: x + y[0], half([1, 2]), [half(3), 4], "n", truth=truth)
    ((x, y, n),) = seen
    assert x.dtype == np.float64 and type(y[0]) is np.float64 and y[1] == 4 and n == "n"
    assert report.exact.tolist() == [4, 5] and report.stable.all()


def test_truth_of_several_results():
    report = stability.rerun(lambda x: (x + 1, x[0] * 2), half([1, 2]), truth=([2, 3], 2))
    assert all(one.stable.all() for one in report) and report[1].exact == 2
    with pytest.raises(ValueError, match=r"^truth: expected a tuple of 2 .* got no tuple"):
        stability.rerun(lambda x: (x + 1, x), half(1), truth=2.0)
    with pytest.raises(ValueError, match=r"^truth\[1\]: expected shape \(\), .* got \(2,\)"):
        stability.rerun(lambda x: (x + 1, x), half(1), truth=(2.0, [1, 2]))


@pytest.mark.parametrize(
    ("truth", "error", "text"),
    [
        ([1.0, 2], ValueError, r"^truth: expected shape \(3,\), .*sin, got \(2,\)"),
        (1.0, ValueError, r"^truth: expected shape \(3,\), .* got \(\)"),
        (np.cos(1), ValueError, r"^truth: expected shape"),
        ([1j, 2, 3], TypeError, "^truth: expected real numbers, got list: numbers of complex128"),
        (["a", "b", "c"], TypeError, "^truth: expected real numbers"),
        (lambda x: None, TypeError, "^truth: expected real numbers, got NoneType"),
        ([[1], [2, 3]], TypeError, "^truth: expected real numbers"),
    ],
)
def test_other_truths_raise(truth, error, text):
    with pytest.raises(error, match=text):
        stability.rerun(np.sin, half([1, 2, 3]), truth=truth)


def test_truth_of_undefined_results():
    x = half([-1.0, 0, 2])
    with np.errstate(all="ignore"):
        report = stability.rerun(np.log, x, truth=[np.nan, -np.inf, math.log(2)])
        assert report.verdict.tolist() == ["undefined", "infinite", "stable"]
        report = stability.rerun(np.log, x, truth=[0, -5, np.nan])
    assert report.verdict.tolist() == ["off", "off", "off"] and report.bad.all()


def test_truth_and_shadow_together():
    """On request the shadow is computed for its branches, but the truth counts."""
    report = stability.rerun(lambda x: np.where((1 + x) - 1 > x * 0.99, x, -x), half([0.01, 0.1]),
                             truth=lambda x: -x, shadow=True)  # fmt: skip
    assert any("exact" in one.runs for one in report.divergences)
    assert report.exact.tolist() == (-half([0.01, 0.1]).astype(float)).tolist()


# ------------------------------------------------------------------ results of programs


def result(*runs, **keywords):
    """Return a result of random runs after one to nearest."""
    names = ["rte", *(f"random {k}" for k in range(1, len(runs)))]
    outputs = [Output((np.array(run, np.float16),)) for run in runs]
    return Result("x", list(zip(names, outputs, strict=True)), outputs[0], **keywords)


def test_digits_of_results_come_from_random_runs():
    values = [[1.0, 5.0], [1.01, 5.0], [0.99, 5.0], [1.0, 5.0]]
    own = result(*values)
    samples = np.array(values[1:], np.float16).astype(float)
    assert own.digits.tolist() == measures.significant_digits(samples).tolist()
    outputs = [("rte", own.first), ("rtz", own.first), ("random 1", own.first)]
    assert np.isnan(Result("x", outputs, own.first).digits).all()
    assert math.isnan(Result("x", outputs, own.first).least_digits)


def test_truth_decides_digits_of_results():
    """A result that is right has its digits, however far random runs lie apart."""
    values = [[1.0, 5.0], [1.5, 5.0], [0.5, 5.0]]
    assert result(*values).least_digits < 1
    right = result(*values, truth=np.array([1.0, 5.0]))
    assert right.least_digits == 11 * np.log10(2) and right.is_stable
    assert right.verdict.tolist() == ["stable", "stable"]
    wrong = result(*values, truth=np.array([1.1, 6.0]))
    assert wrong.verdict.tolist() == ["unstable", "off"] and wrong.disagreeing == 2
    assert wrong.true_digits[1] == pytest.approx(math.log10(6))
    nan = result([np.nan, 1], [np.nan, 1])
    assert nan.verdict.tolist() == ["not finite", "stable"] and not nan.is_stable


def test_scale_of_each_part():
    """A result that is watched several times has a unit for each call."""
    parts = tuple(np.array(p, np.float16) for p in ([1000, 1], [4.0, 0.5]))
    other = tuple(np.array(p, np.float16) for p in ([1000, 1.5], [4.0, 0.75]))
    outputs = [("rte", Output(parts)), ("rtz", Output(other))]
    own = Result("x", outputs, Output(parts), scale=Scale("max"))
    assert own.units.tolist() == [0.5, 0.5, 2.0**-8, 2.0**-8]
    assert own.spread.tolist() == [0, 1, 0, 64]
    assert own.distances(Output(parts), Output(other)) == (64, 0)


def test_requests_by_name():
    assert parse_scale("a=b=norm") == ("a=b", Scale("norm"))
    assert parse_scale("x=ulp") == ("x", None)
    for text in ("max", "=max", "x=mx"):
        with pytest.raises(RequestError, match=r"^--scale"):
            parse_scale(text)
    names = ["x", "y", "f.npz: z", "f.npz: w"]
    requests = [("", Scale("norm")), ("f.npz", Scale("max")), ("f.npz: w", None)]
    scales = scales_by_result(requests, {"y": Scale("abs", 1.0)}, names)
    assert scales == {
        "x": Scale("norm"), "y": Scale("abs", 1.0), "f.npz: z": Scale("max"), "f.npz: w": None,
    }  # fmt: skip
    with pytest.raises(RequestError, match=r"--scale: expected .* got 'q'; the program outputs x"):
        scales_by_result([("q", None)], {}, names)


def test_truths_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("two.npy", np.array([1, 2]))
    np.save("a=b.npy", np.ones((2, 3)))
    np.savez("many.npz", x=np.ones(2))
    np.save("text.npy", np.array(["a"]))
    Path("no.npy").write_text("1 2")
    two, six = KnownTruth.parse("x=two.npy"), KnownTruth.parse("a=b.npy")
    assert (two.name, six.name, six.numbers.shape) == ("x", "", (2, 3))
    for text in ("none.npy", "x=none.npy", "many.npz", "text.npy", "no.npy"):
        with pytest.raises(RequestError, match=r"^--truth: "):
            KnownTruth.parse(text)
    once = Output((np.zeros((2, 3)),))
    thrice = Output((np.zeros(2),) * 3)
    assert truths_by_result([six], {"y": once})["y"].shape == (6,)
    assert truths_by_result([two], {"x": Output((np.zeros(2),)), "y": once})["x"].tolist() == [1, 2]
    flat = KnownTruth("y", np.arange(6), "--truth: flat")
    stacked = KnownTruth("y", np.arange(6).reshape(3, 2), "--truth: stacked")
    for known, output in itertools.product((flat, stacked), (thrice,)):
        assert truths_by_result([known], {"y": output})["y"].tolist() == list(range(6))
    for known, outputs, text in (
        (two, {"y": once}, "--truth: expected a global variable.* got 'x'"),
        (six, {"x": once, "y": once}, "expected NAME=FILE with the name of one result.*x, y"),
        (six, {"x": thrice}, r"expected shape \(3, 2\), that of x, got \(2, 3\)"),
        (two, {"x": once}, r"expected shape \(2, 3\), that of x, got \(2,\)"),
    ):
        with pytest.raises(RequestError, match=text):
            truths_by_result([known], outputs)


def program_runner(run):
    """Return a function that tests a program with a given source, in few modes, without blame."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        usual = ("--no-blame", "--no-trace", "--samples", "2")
        return run("stability", *usual, *options, "program.py", modes=("rte", "rtp"))

    return run_program


WATCHED = QR + "stability.watch('Q', Q)\nstability.watch('R', R)\n"


def test_scale_of_program(command):
    """The QR is stable in ulps of the largest entries, which an option or the program says."""
    assert command(WATCHED)[0] == 1
    scales = ["--scale", "Q=max", "--scale", "R=norm"]
    status, out, _ = command(WATCHED, *scales, "--digits", "3", "--samples", "10")
    assert status == 0 and "Q: spread and errors are in ulps of the largest element" in out
    assert "R: spread and errors are in ulps of the 2-norm" in out and "variable" not in out
    own = WATCHED.replace("Q)\n", "Q, scale='max')\n").replace("R)\n", "R, scale='max')\n")
    assert command(own)[0] == 0
    assert command(own, "--scale", "Q=abs:1e-7")[0] == 1
    assert command(QR + "print('x')", "--scale", "Q=max", "--scale", "R=max")[0] == 0  # variables
    for option, text in (
        ("Q=mux", "--scale: expected 'max', 'norm'"),
        ("max", "--scale: expected NAME=max"),
        ("S=max", "--scale: expected a global variable"),
    ):
        status, _, err = command(WATCHED, "--scale", option)
        assert status == 2 and text in err, err


def test_truth_of_program(command):
    """An error that no run shows is off, and a right result is stable."""
    text = (
        "import numpy as np\n"
        "x = np.linspace(0.01, 0.1, 5).astype(np.float16)\n"
        "np.save('y.npy', np.sin(x) * np.float16(1.1))\n"
    )
    x = np.linspace(0.01, 0.1, 5).astype(np.float16).astype(float)
    np.save("right.npy", np.sin(x) * 1.1)
    np.save("wrong.npy", np.sin(x))
    np.save("short.npy", x[:3])
    assert command(text)[0] == 0
    status, out, _ = command(text, "--truth", "right.npy")
    assert status == 0 and "  off by  " in out
    status, out, _ = command(text, "--truth", "y.npy=wrong.npy")
    row = next(line for line in out.splitlines() if line.startswith("y.npy")).split()
    assert status == 1 and float(row[5]) > 100 and row[7] == "5"
    assert command(text, "--truth", "wrong.npy", "--digits", "2")[0] == 1
    assert command(text, "--truth", "wrong.npy", "--digits", "1")[0] == 0
    for option, wanted in (
        ("short.npy", r"--truth: short.npy: expected shape (5,), that of y.npy, got (3,)"),
        ("z=wrong.npy", "--truth: expected a global variable"),
        ("none.npy", "--truth: expected a file .npy, got none.npy"),
    ):
        status, _, err = command(text, "--truth", option)
        assert status == 2 and wanted in err, err


def test_digits_need_random_runs(command):
    text = "import numpy as np\nnp.save('y.npy', np.float16([1, 2]) / np.float16(3))\n"
    for samples in ("0", "1"):
        status, out, _ = command(text, "--samples", samples)
        assert status == 0 and "least digits" not in out and "digits are unknown" in out
        status, _, err = command(text, "--samples", samples, "--digits", "2")
        assert status == 2 and f"--digits: expected at least 2 --samples, got {samples}" in err
    status, out, _ = command(text, "--samples", "2", "--digits", "2")
    assert status == 0 and "least digits" in out


def test_subnormal_results_do_not_fail_gate(command):
    """A number of few bits has no more digits than these, which its rounding does not change."""
    text = "import numpy as np\nnp.save('y.npy', np.float16([3e-5, 1e-6, 3e-7]) / np.float16(3))\n"
    assert command(text, "--digits", "3", "--samples", "10")[0] == 0


# ------------------------------------------------------------------ pytest's plugin


def calls(function, *args):
    named = {str(k): x for k, x in enumerate(args)}
    return itertools.repeat((lambda **named: function(*named.values()), named))


def test_scale_of_marked_tests():
    def returns_one(a):
        return GRAM_SCHMIDT(a)[0]

    def watches(a):
        for name, x in zip("QR", GRAM_SCHMIDT(a), strict=True):
            stability.watch(name, x)

    assert "Q" not in report_if_unstable(calls(returns_one, A), 2, 10, "q", "max")
    assert report_if_unstable(calls(returns_one, A), 2, 10, "q") != ""
    assert report_if_unstable(calls(watches, A), 2.5, 10, "q", {"Q": "max", "R": "norm"}) == ""
    assert report_if_unstable(calls(watches, A), 2.5, 10, "q", {"R": "norm"}) != ""
    text = report_if_unstable(calls(watches, A), 2, 10, "q", {"S": "norm"})
    assert "--scale: expected a global variable" in text and "outputs Q, R" in text


@pytest.mark.parametrize(
    ("scale", "error", "text"),
    [
        ("mx", ValueError, "^scale: expected"),
        (3, TypeError, "^scale: expected"),
        ({"Q": "mx"}, ValueError, r"^scale\['Q'\]: expected"),
    ],
)
def test_other_scales_of_marks_raise(scale, error, text):
    with pytest.raises(error, match=text):
        report_if_unstable(calls(np.exp, half(1)), 2, 10, "x", scale)


@pytest.mark.parametrize("samples", [0, 1])
def test_marks_need_random_runs(samples):
    with pytest.raises(ValueError, match=r"^samples: expected a number from 2 to 10000"):
        report_if_unstable(calls(np.exp, half(1)), 2, samples, "x")
