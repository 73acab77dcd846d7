"""Audits of reductions: what is right, what is wrong, and what the order decides."""

import json
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import audit
from halfcl._command import main
from halfcl.audit import _reductions as reductions
from halfcl.audit._html import page
from halfcl.audit._report import over_lengths

pytestmark = pytest.mark.once

NAMES = ("sum", "mean", "var", "norm")


class Reduces(audit.NothingMore):
    """A target of reductions alone."""

    def __init__(self, **functions):
        self._functions = functions

    def describe(self):
        return audit.TargetInfo("own", "own", "1", "here")

    def functions(self):
        return {}

    def reductions(self):
        return {name: audit.Call(f"my.{name}", f) for name, f in self._functions.items()}


def one(report, inputs, length):
    (found,) = (r for r in report.reductions if (r.inputs, r.length) == (inputs, length))
    return found


def one_by_one(x):
    """Each partial sum a half."""
    with np.errstate(all="ignore"):
        return np.cumsum(x, axis=-1)[:, -1]


# ---------------------------------------------------------------- what is right


@pytest.mark.parametrize("name", NAMES)
def test_halfcl_is_right_in_any_order(name):
    report = audit.run(Reduces(**{name: lambda x: getattr(hc, name)(x, axis=-1)}))
    assert len(report.reductions) == len(reductions.INPUTS) * len(reductions.ROWS_OF)
    for each in report.reductions:
        assert (each.wrong, each.not_numbers, each.unsteady, each.most_results) == (0, 0, 0, 1)
        assert each.max_ulp <= 0.5 and each.orders == 20
        assert each.tested == 20 * each.results == 20 * reductions.ROWS_OF[each.length]


@pytest.mark.parametrize("inputs", reductions.INPUTS)
@pytest.mark.parametrize("name", ["softmax", "layer_norm"])
def test_what_is_exact_is(name, inputs):
    """Against rational numbers and 50 digits."""
    mpmath = pytest.importorskip("mpmath")
    x = reductions.drawn(inputs, 32, 1)[:3]
    for row, got in zip(x, reductions.EXACT[name](x), strict=True):
        exact = [Fraction(float(v)) for v in row]
        with mpmath.workdps(50):
            if name == "softmax":
                e = [mpmath.exp(_number(v - max(exact))) for v in exact]
                right = [v / sum(e) for v in e]
            else:
                mean = sum(exact) / 32
                variance = sum((v - mean) ** 2 for v in exact) / 32 + Fraction(reductions.EPSILON)
                root = mpmath.sqrt(_number(variance))
                right = [_number(v - mean) / root for v in exact]
            for one, other in zip(got.tolist(), right, strict=True):
                assert abs(one - other) <= abs(other) * mpmath.mpf(2) ** -45 + 2.0**-200


def _number(fraction):
    import mpmath

    return mpmath.mpf(fraction.numerator) / fraction.denominator


def test_inputs_are_what_they_are_called():
    for length, rows in reductions.ROWS_OF.items():
        drawn = {name: reductions.drawn(name, length, 0) for name in reductions.INPUTS}
        assert all(x.shape == (rows, length) and np.isfinite(x).all() for x in drawn.values())
        total = {name: np.abs(hc.sum(x, axis=-1, dtype=np.float64)) for name, x in drawn.items()}
        size = {name: np.abs(x.astype(float)).sum(axis=-1) for name, x in drawn.items()}
        for name in ("cancelling", "large"):
            assert (total[name] < 0.05 * size[name]).all()
        assert (total["large"] < 65504).all() and (size["large"] > 65504).all()
    assert not np.array_equal(*(reductions.drawn("normal", 32, seed) for seed in (0, 1)))


# ---------------------------------------------------------------- what is wrong


def test_a_running_sum_of_halves():
    report = audit.run(Reduces(sum=one_by_one))
    cancelling, uniform = (one(report, name, 1024) for name in ("cancelling", "uniform"))
    assert cancelling.unsteady == cancelling.results == 64 and cancelling.most_results > 10
    assert cancelling.max_ulp > 100 and cancelling.wrong > 1000
    assert uniform.max_ulp > 2
    large = one(report, "large", 65536)
    assert large.not_numbers == large.tested == 20  # infinities of both signs meet


def test_counts_are_those_of_a_mistake_that_is_made():
    """In every second row an ulp more; and by the first element's size, which the order decides."""

    def off(x):
        right = hc.mean(x, axis=-1).view(np.float16)
        return np.where(np.arange(len(x)) % 2 == 0, right, np.nextafter(right, np.float16(np.inf)))

    found = one(audit.run(Reduces(mean=off)), "offset", 32)
    assert (found.wrong, found.tested, found.unsteady) == (128 * 20, 256 * 20, 0)
    assert 1 <= found.max_ulp <= 1.5 and found.not_numbers == 0

    def by_order(x):
        right = hc.mean(x, axis=-1).view(np.float16)
        return np.where(x[:, 0] > x[:, 1], right, np.float16(np.nan))

    found = one(audit.run(Reduces(mean=by_order)), "normal", 32)
    assert found.most_results == 2 and found.unsteady > 250
    assert found.not_numbers == found.wrong and 0.3 < found.wrong / found.tested < 0.7
    assert found.max_ulp <= 0.5


def test_zeros_of_both_signs_are_one_result():
    def zeros(x):
        return np.where(x[:, 0] > x[:, 1], np.float16(0), np.float16(-0.0))

    assert one(audit.run(Reduces(sum=zeros)), "normal", 32).most_results == 1


@pytest.fixture
def few(monkeypatch):
    """No long rows, which take long."""
    monkeypatch.setattr(reductions, "ROWS_OF", {32: 256, 1024: 8})


def test_elements_keep_their_places(few):
    """A result for each element: the orders are undone before results are compared."""

    def softmax(x):
        e = np.exp(x.astype(float) - x.max(axis=-1, keepdims=True))
        e = e / e.sum(axis=-1, keepdims=True)
        return e.astype(np.float16)

    report = audit.run(Reduces(softmax=softmax))
    for each in report.reductions:
        assert each.results == reductions.ROWS_OF[each.length] * each.length
        assert each.wrong == 0 and each.unsteady <= each.results * 1e-4
    swapped = audit.run(Reduces(softmax=lambda x: softmax(x)[:, ::-1]))
    assert one(swapped, "normal", 32).unsteady > 1000


WRONG = {
    "sum": (lambda x: x, "sum: my.sum: expected an array of shape (256,), got (256, 32)"),
    "mean": (lambda x: x.mean(axis=-1, dtype="f4"),
             "mean: my.mean: expected an array of float16, got float32"),
    "var": (lambda x: 1 / 0, "var: my.var: raised ZeroDivisionError: division by zero"),
}  # fmt: skip


def test_wrong_calls_are_told():
    report = audit.run(Reduces(**{name: function for name, (function, _) in WRONG.items()}))
    assert [f"{name}: {line}" for name, line in report.failed.items()] == [
        line for _, line in WRONG.values()
    ]
    assert report.status() == 2 and not report.reductions
    with pytest.raises(audit.TargetError, match=r"expected some of sum, mean, .*, got 'median'"):
        audit.run(Reduces(median=np.median))
    unsupported = audit.run(Reduces(sum=_refused))
    assert unsupported.unsupported == {"sum": "not for half"}


def test_one_that_a_target_lacks():
    with pytest.raises(ValueError, match="functions: the target numpy has no function 'softmax'"):
        audit.run("numpy", ["softmax"])


def _refused(x):
    raise audit.UnsupportedError("not for half")


# ---------------------------------------------------------------- libraries


def test_numpy():
    """What it finds depends on NumPy; that each family of each function is tried does not."""
    report = audit.run("numpy", NAMES)
    assert {r.name for r in report.reductions} == set(NAMES) and not report.failed
    joined = {(r.name, r.inputs): r for r in over_lengths(report.reductions)}
    assert len(joined) == 5 * len(NAMES)
    assert all(r.tested > r.results > 0 and r.most_results >= 1 for r in joined.values())
    assert report.reductions[0].spelled == "np.sum(x, axis=-1)"


def test_accelerated_numpy_is_right():
    with hc.accelerated():
        calls = {name: call.function for name, call in _numpy().items()}
        report = audit.run(Reduces(**calls))
    assert len(report.reductions) == 60
    assert not any(r.wrong or r.unsteady for r in report.reductions)


def _numpy():
    return audit._targets.numpy_float16.NumPyTarget().reductions()


@shared_out
@pytest.mark.parametrize("name", either([*NAMES, "softmax", "layer_norm"], ["sum", "softmax"]))
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_libraries(library, name):
    pytest.importorskip(library)
    report = audit.run(f"{library}:cpu", [name])
    assert len(report.reductions) == 15 and not report.failed and not report.unsupported
    assert one(report, "uniform", 32).mean_ulp < 8
    assert all(r.orders == 20 for r in report.reductions)


# ---------------------------------------------------------------- as text


@pytest.fixture(scope="module")
def report():
    return audit.run("numpy", ["sqrt", "sum"])


def test_json_brings_them_back(report):
    assert audit.Report.from_json(report.to_json()) == report
    data = json.loads(report.to_json())
    del data["reductions"]  # of before there were any
    assert audit.Report.from_json(json.dumps(data)).reductions == ()
    data["reductions"] = [{**json.loads(report.to_json())["reductions"][0], "wrong": "many"}]
    with pytest.raises(audit.ReportError, match="not a report of an audit: wrong is 'many'"):
        audit.Report.from_json(json.dumps(data))


def test_changes(report, monkeypatch):
    same = audit.run("numpy", ["sqrt", "sum"])
    assert not same.compare(report)
    worse = audit.run(Reduces(sum=one_by_one))
    changes = [c for c in worse.compare(report) if c.label == "sum(cancelling, 1024)"]
    assert {"wrong", "unsteady", "most_results"} <= {c.what for c in changes if c.worse}
    gone = audit.run("numpy", ["sqrt"])
    assert gone.compare(report) == []  # it was not asked for
    monkeypatch.setattr(reductions, "ROWS_OF", {32: 8})
    other = [c for c in audit.run(Reduces(sum=one_by_one)).compare(report) if "32" in c.label]
    assert {c.what for c in other} == {"tested"} and not any(c.worse for c in other)
    missing = [c.what for c in audit.run(Reduces()).compare(report) if c.label.startswith("sum(")]
    assert missing == ["reduction"] * 15


def test_printed(report, capsys, tmp_path):
    assert main(["audit", "numpy", "--functions", "sum", "--html", str(tmp_path / "a.html")]) == 0
    out = capsys.readouterr().out
    line = next(line.split() for line in out.splitlines() if line.startswith("sum  "))
    assert line[:3] == ["sum", "uniform", "6,420"]
    assert "correctly rounded" not in out and "function  tested" not in out
    text = page(report)
    assert text == page(report) and text.count("<code>np.sum(x, axis=-1)</code>") == 15
    assert "<h2>Reductions</h2>" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Reductions" not in page(audit.run("numpy", ["sqrt"]))
    assert main(["audit", "numpy", "--list"]) == 0
    assert "  sum            np.sum(x, axis=-1)\n" in capsys.readouterr().out
