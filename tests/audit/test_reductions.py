"""Audits of reductions: correct results, wrong ones, and the influence of the order."""

import json
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import either, one_in, shared_out

import halfcl as hc
from halfcl import audit
from halfcl._command import main
from halfcl.audit._families import reductions
from halfcl.audit._output.html import page
from halfcl.audit._records import over_lengths

pytestmark = pytest.mark.once

NAMES = ("sum", "mean", "var", "norm")


class Reduces(audit.FunctionTarget):
    """A target with reductions only."""

    def __init__(self, **functions):
        self._functions = functions

    def describe(self):
        return audit.TargetInfo("own", "own", "1", "here")

    def functions(self):
        return {}

    def reductions(self):
        return {name: audit.Call(f"my.{name}", f) for name, f in self._functions.items()}


def find_report(report, inputs, length):
    (report_of_family,) = (r for r in report.reductions if (r.inputs, r.length) == (inputs, length))
    return report_of_family


def running_sum(x):
    """Add with each partial sum rounded to half."""
    with np.errstate(all="ignore"):
        return np.cumsum(x, axis=-1)[:, -1]


# ---------------------------------------------------------------- what is right


@one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_halfcl_is_correct_in_any_order(name):
    report = audit.run(Reduces(**{name: lambda x: getattr(hc, name)(x, axis=-1)}))
    assert len(report.reductions) == len(reductions.INPUTS) * len(reductions.ROWS_OF)
    for each in report.reductions:
        assert (each.wrong, each.not_numbers, each.unsteady, each.most_results) == (0, 0, 0, 1)
        assert each.max_ulp <= 0.5 and each.orders == 20
        assert each.tested == 20 * each.results == 20 * reductions.ROWS_OF[each.length]


@pytest.mark.parametrize("inputs", reductions.INPUTS)
@pytest.mark.parametrize("name", ["softmax", "layer_norm"])
def test_exact_results(name, inputs):
    """Compare exact results with rational numbers and 50 digits."""
    mpmath = pytest.importorskip("mpmath")
    x = reductions.draw(inputs, 32, 1)[:3]
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
            for value, other in zip(got.tolist(), right, strict=True):
                assert abs(value - other) <= abs(other) * mpmath.mpf(2) ** -45 + 2.0**-200


def _number(fraction):
    import mpmath

    return mpmath.mpf(fraction.numerator) / fraction.denominator


def test_families_of_inputs():
    for length, rows in reductions.ROWS_OF.items():
        families = {name: reductions.draw(name, length, 0) for name in reductions.INPUTS}
        assert all(x.shape == (rows, length) and np.isfinite(x).all() for x in families.values())
        total = {name: np.abs(hc.sum(x, axis=-1, dtype=np.float64)) for name, x in families.items()}
        size = {name: np.abs(x.astype(float)).sum(axis=-1) for name, x in families.items()}
        for name in ("cancelling", "large"):
            assert (total[name] < 0.05 * size[name]).all()
        assert (total["large"] < 65504).all() and (size["large"] > 65504).all()
    assert not np.array_equal(*(reductions.draw("normal", 32, seed) for seed in (0, 1)))


# ---------------------------------------------------------------- what is wrong


def test_running_sums_depend_on_the_order():
    report = audit.run(Reduces(sum=running_sum))
    cancelling, uniform = (find_report(report, name, 1024) for name in ("cancelling", "uniform"))
    assert cancelling.unsteady == cancelling.results == 64 and cancelling.most_results > 10
    assert cancelling.max_ulp > 100 and cancelling.wrong > 1000
    assert uniform.max_ulp > 2
    large = find_report(report, "large", 65536)
    assert large.not_numbers == large.tested == 20  # infinities of both signs meet


def test_counts_of_planted_mistakes():
    """Plant an ulp in every second row, and mistakes that depend on the order."""

    def off(x):
        right = hc.mean(x, axis=-1).view(np.float16)
        return np.where(np.arange(len(x)) % 2 == 0, right, np.nextafter(right, np.float16(np.inf)))

    counts = find_report(audit.run(Reduces(mean=off)), "offset", 32)
    assert (counts.wrong, counts.tested, counts.unsteady) == (128 * 20, 256 * 20, 0)
    assert 1 <= counts.max_ulp <= 1.5 and counts.not_numbers == 0

    def by_order(x):
        right = hc.mean(x, axis=-1).view(np.float16)
        return np.where(x[:, 0] > x[:, 1], right, np.float16(np.nan))

    counts = find_report(audit.run(Reduces(mean=by_order)), "normal", 32)
    assert counts.most_results == 2 and counts.unsteady > 250
    assert counts.not_numbers == counts.wrong and 0.3 < counts.wrong / counts.tested < 0.7
    assert counts.max_ulp <= 0.5


def test_zeros_of_both_signs_are_one_result():
    def zeros(x):
        return np.where(x[:, 0] > x[:, 1], np.float16(0), np.float16(-0.0))

    assert find_report(audit.run(Reduces(sum=zeros)), "normal", 32).most_results == 1


@pytest.fixture
def short_rows(monkeypatch):
    """Leave out long rows, which take long."""
    monkeypatch.setattr(reductions, "ROWS_OF", {32: 256, 1024: 8})


def test_orders_are_undone(short_rows):
    """Elements are brought back to their order before results are compared."""

    def softmax(x):
        e = np.exp(x.astype(float) - x.max(axis=-1, keepdims=True))
        e = e / e.sum(axis=-1, keepdims=True)
        return e.astype(np.float16)

    report = audit.run(Reduces(softmax=softmax))
    for each in report.reductions:
        assert each.results == reductions.ROWS_OF[each.length] * each.length
        assert each.wrong == 0 and each.unsteady <= each.results * 1e-4
    swapped = audit.run(Reduces(softmax=lambda x: softmax(x)[:, ::-1]))
    assert find_report(swapped, "normal", 32).unsteady > 1000


WRONG = {
    "sum": (lambda x: x, "sum: my.sum: expected an array of shape (256,), got (256, 32)"),
    "mean": (lambda x: x.mean(axis=-1, dtype="f4"),
             "mean: my.mean: expected an array of float16, got float32"),
    "var": (lambda x: 1 / 0, "var: my.var: raised ZeroDivisionError: division by zero"),
}  # fmt: skip


def test_wrong_reductions_are_reported():
    report = audit.run(Reduces(**{name: function for name, (function, _) in WRONG.items()}))
    assert [f"{name}: {line}" for name, line in report.failed.items()] == [
        line for _, line in WRONG.values()
    ]
    assert report.status() == 2 and not report.reductions
    with pytest.raises(audit.TargetError, match=r"expected some of sum, mean, .*, got 'median'"):
        audit.run(Reduces(median=np.median))
    unsupported = audit.run(Reduces(sum=_raise_unsupported))
    assert unsupported.unsupported == {"sum": "not for half"}


def test_missing_reduction_is_refused():
    with pytest.raises(ValueError, match="of functions of the target numpy, got 'softmax'"):
        audit.run("numpy", ["softmax"])


def _raise_unsupported(x):
    raise audit.UnsupportedError("not for half")


# ---------------------------------------------------------------- libraries


def test_reductions_of_numpy():
    """Every reduction of NumPy is audited with every family; the findings depend on NumPy."""
    report = audit.run("numpy", NAMES)
    assert {r.name for r in report.reductions} == set(NAMES) and not report.failed
    by_family = {(r.name, r.inputs): r for r in over_lengths(report.reductions)}
    assert len(by_family) == 5 * len(NAMES)
    assert all(r.tested > r.results > 0 and r.most_results >= 1 for r in by_family.values())
    assert report.reductions[0].spelled == "np.sum(x, axis=-1)"


def test_reductions_of_accelerated_numpy():
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
def test_reductions_of_libraries(library, name):
    pytest.importorskip(library)
    report = audit.run(f"{library}:cpu", [name])
    assert len(report.reductions) == 15 and not report.failed and not report.unsupported
    assert find_report(report, "uniform", 32).mean_ulp < 8
    assert all(r.orders == 20 for r in report.reductions)


# ---------------------------------------------------------------- as text


@pytest.fixture(scope="module")
def report():
    return audit.run("numpy", ["sqrt", "sum"])


def test_reductions_in_json(report):
    assert audit.Report.from_json(report.to_json()) == report
    data = json.loads(report.to_json())
    del data["reductions"]  # as in reports of older versions
    assert audit.Report.from_json(json.dumps(data)).reductions == ()
    data["reductions"] = [{**json.loads(report.to_json())["reductions"][0], "wrong": "many"}]
    with pytest.raises(audit.ReportError, match="not a report of an audit: wrong is 'many'"):
        audit.Report.from_json(json.dumps(data))


def test_changes_of_reductions(report, monkeypatch):
    same = audit.run("numpy", ["sqrt", "sum"])
    assert not same.compare(report)
    worse = audit.run(Reduces(sum=running_sum))
    changes = [c for c in worse.compare(report) if c.label == "sum(cancelling, 1024)"]
    assert {"wrong", "unsteady", "most_results"} <= {c.what for c in changes if c.worse}
    gone = audit.run("numpy", ["sqrt"])
    assert gone.compare(report) == []  # reductions were not requested
    monkeypatch.setattr(reductions, "ROWS_OF", {32: 8})
    other = [c for c in audit.run(Reduces(sum=running_sum)).compare(report) if "32" in c.label]
    assert {c.what for c in other} == {"tested"} and not any(c.worse for c in other)
    missing = [c.what for c in audit.run(Reduces()).compare(report) if c.label.startswith("sum(")]
    assert missing == ["reduction"] * 15


def test_reductions_in_text_and_page(report, capsys, tmp_path):
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
