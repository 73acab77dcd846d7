"""The page of audits' findings, made from stored reports."""

import importlib.util
import json
import re
from dataclasses import replace

import pytest
from places import ROOT

from halfcl import audit
from halfcl.audit._records import Case, FunctionReport, TargetInfo
from halfcl.audit._report import Report

pytestmark = pytest.mark.once


@pytest.fixture
def tool():
    """tools/make_state_of_half.py, imported as a module."""
    path = ROOT / "tools" / "make_state_of_half.py"
    spec = importlib.util.spec_from_file_location("make_state_of_half", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_reports(folder):
    return [Report.from_json(p.read_text(encoding="utf-8")) for p in sorted(folder.iterdir())]


def test_page_is_up_to_date(tool, monkeypatch):
    drawn = {path.name for path in tool.DOCS.glob("state_of_half_*.png")}

    def picture(report):
        """Return the page's reference to a picture, without drawing it."""
        functions = [f for f in tool.bad(report) if f.curve and f.max_ulp > 0.5][:6]
        name = f"state_of_half_{tool.slug(report.target.name)}.png"
        assert bool(functions) == (name in drawn)
        labels = ", ".join(f.spelled for f in functions)
        return f"![Errors in ulp of {labels} over all inputs]({name})" if functions else ""

    monkeypatch.setattr(tool, "picture", picture)
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.page(load_reports(tool.STORED)) == page, "run tools/make_state_of_half.py"


def test_stored_reports_are_small(tool):
    assert sum(path.stat().st_size for path in tool.STORED.iterdir()) < 1_000_000


def test_page_has_known_mistakes(tool):
    """The page has mistakes found by other means, and the best witness."""
    page = tool.PAGE.read_text(encoding="utf-8")
    for target, row in (("torch", "erf.* 6,586 "), ("jax:cpu", "exp2.* 6,978 "),
                        ("jax:cpu", "expm1.* 11,382 "), ("cupy", "cbrt.* 20 "),
                        ("cuda_fp16", "htanh_approx.* 14,736 ")):  # fmt: skip
        section = page.partition(f"\n## {target}\n")[2].partition("\n## ")[0]
        assert re.search(rf"^\| {row}\| 65,536 ", section, re.MULTILINE), (target, row)
    witnesses = re.search(r"^- cuda_fp16 \(12\): (.*)$", page, re.MULTILINE)[1]
    assert witnesses == ("`hexp`, `hexp2`, `hexp10`, `hlog`, `hlog2`, `hlog10`, `hsin`, `hcos`, "
                         "`htanh`, `hsqrt`, `hrsqrt`, `hrcp`")  # fmt: skip


def function(name, **others):
    fields = {"spelled": f"np.{name}", "types": ("float16",), "result_type": "float16",
             "tested": 65536, "exhaustive": True, "max_ulp": 0.5, "limits": (2.0, 3.0)}  # fmt: skip
    return FunctionReport(name, **(fields | others))


BAD = function(
    "exp2", wrong=5, max_ulp=7.0, verdicts=("beyond", "beyond"), mistakes={"NaN for a number": 2},
    curve=(0.12345, None, 7.0, *[0.5] * 1982),
    worst=tuple(Case((k,), 0x3C01, 0x3C00, "an ulp off or more", 1.0, float(k)) for k in range(9)),
)  # fmt: skip


def test_stored_reports_are_shortened(tool, tmp_path, monkeypatch):
    """Curves are stored for bad functions only, with few of the worst cases."""
    monkeypatch.setattr(tool, "STORED", tmp_path / "audits")
    fair = function("exp", wrong=2, curve=(0.5,) * 1985, verdicts=("within", "within"))
    report = Report(TargetInfo("my:lib", "lib", "1", "here"), (BAD, fair), date="2026-11-23")
    path = tmp_path / "report.json"
    path.write_text(report.to_json())
    tool.store(path)
    (file,) = tool.STORED.iterdir()
    assert file.name == "my_lib.json"
    (again,) = load_reports(tool.STORED)
    bad, other = again.functions
    assert bad.curve[:3] == (0.123, None, 7.0) and other.curve == ()
    assert [case.ulps for case in bad.worst] == [8, 7, 6]
    assert (bad.wrong, bad.mistakes, other.wrong) == (5, {"NaN for a number": 2}, 2)
    assert len(json.loads(file.read_text())["functions"]) == 2


def test_page_of_reports(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "DOCS", tmp_path)
    right = function("sqrt", limits=(0.5, 1.0))
    trunc = function("trunc", limits=(0.5, 0.5))
    report = Report(
        TargetInfo("numpy", "NumPy", "2.4", "here", {"machine": "x"}), (BAD, right, trunc),
        {"cbrt": "no"}, {}, "9.9", "2026-11-23T00:00:00+00:00",
    )  # fmt: skip
    text = tool.page([report])
    assert "| [numpy](#numpy) | NumPy 2.4 | here | 3 | 2 | 0 | 0 | 1 | 2026-11-23 |" in text
    assert "| exp2 | `np.exp2` | 5 | 65,536 | 7 | 2 | beyond | NaN for a number: 2 |" in text
    assert "- numpy (1): `np.sqrt`\n" in text
    assert "Right on every input there is (2): `sqrt`, `trunc`." in text
    assert "Not computed in half: `cbrt` (no)" in text and "Failed" not in text
    assert "print(np.exp2(np.array([5e-07], np.float16)))" in text
    assert "![Errors in ulp of np.exp2 over all inputs](state_of_half_numpy.png)" in text
    assert (tmp_path / "state_of_half_numpy.png").read_bytes().startswith(b"\x89PNG")


def test_page_has_reductions(tool):
    """The page has a table of a target's reductions, and no section without reductions."""
    first = audit.ReductionReport(
        "sum", "np.sum(x)", "uniform", 32, 20,
        tested=40, wrong=10, not_numbers=0, max_ulp=7.0, mean_ulp=1.0,
        results=2, unsteady=1, most_results=3,
    )  # fmt: skip
    others = [replace(first, inputs=inputs, wrong=0, unsteady=0, max_ulp=0.5) for inputs in
              ("normal", "offset", "cancelling")]  # fmt: skip
    last = replace(first, inputs="large", wrong=40, not_numbers=40)
    longer = replace(first, length=1024, wrong=0, not_numbers=0, max_ulp=0.5, unsteady=0)
    target = TargetInfo("numpy", "NumPy", "2.4", "here")
    text = tool.page([Report(target, (), reductions=(first, *others, last, longer))])
    row = "7, 12 % wrong, 25 % by order | 0.5 | 0.5 | 0.5 | no numbers |"
    assert f"| sum | `np.sum(x)` | {row}" in text and "### numpy: reductions" in text
    assert "## Reductions" not in tool.page([Report(target, ())])


def test_report_of_an_audit_is_stored(tool, tmp_path, monkeypatch):
    """The tool reads a report that an audit has written."""
    monkeypatch.setattr(tool, "STORED", tmp_path)
    path = tmp_path.parent / "numpy.json"
    path.write_text(audit.run("numpy", ["sqrt"]).to_json())
    tool.store(path)
    (report,) = load_reports(tmp_path)
    assert report["sqrt"].wrong == 0 and report["sqrt"].tested == 65536
