"""The page of audits' findings, made from stored reports."""

import csv
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


def test_pages_are_up_to_date(tool, monkeypatch):
    folder = tool.DOCS / tool.TARGETS
    drawn = {path.stem for path in folder.glob("*.png")}

    def picture(report):
        """Return the page's reference to a picture, without drawing it."""
        functions = [f for f in tool.bad(report) if f.curve and f.max_ulp > 0.5][:6]
        name = tool.slug(report.target.name)
        assert bool(functions) == (name in drawn)
        labels = ", ".join(f.spelled for f in functions)
        text = f"![Errors in ulp of {labels} over all inputs]({name}.png)\n\n{tool.PICTURES}"
        return text if functions else ""

    monkeypatch.setattr(tool, "picture", picture)
    reports = load_reports(tool.STORED)
    pages = {f"{tool.slug(report.target.name)}.md": report for report in reports}
    assert {path.name for path in folder.glob("*.md")} == set(pages)
    for name, report in pages.items():
        text = (folder / name).read_text(encoding="utf-8")
        assert tool.target_page(report) == text, "run tools/make_state_of_half.py"
    assert tool.page(reports) == tool.PAGE.read_text(encoding="utf-8"), "run the tool"


def test_figures_are_up_to_date(tool, tmp_path):
    reports = load_reports(tool.STORED)
    for name, rows in (
        ("functions.csv", tool.function_figures(reports)),
        ("reductions.csv", tool.reduction_figures(reports)),
    ):
        tool.write_csv(tmp_path / name, rows)
        stored = tool.DOCS / tool.TARGETS / name
        assert (tmp_path / name).read_bytes() == stored.read_bytes(), "run the tool"
        with stored.open(encoding="utf-8", newline="") as file:
            figures = list(csv.DictReader(file))
        key = "function" if name == "functions.csv" else "reduction"
        kind = "functions" if name == "functions.csv" else "reductions"
        assert len(figures) == sum(len(getattr(report, kind)) for report in reports)
        assert all(row["target"] and row[key] and int(row["wrong"]) >= 0 for row in figures)


def test_stored_reports_are_small(tool):
    assert sum(path.stat().st_size for path in tool.STORED.iterdir()) < 1_000_000


def test_page_has_known_mistakes(tool):
    """The page has mistakes found by other means, and the best witness."""
    for target, row in (("torch", "erf.* 6,586 "), ("jax_cpu", "exp2.* 6,978 "),
                        ("jax_cpu", "expm1.* 11,382 "), ("cupy", "cbrt.* 20 "),
                        ("cuda_fp16", "htanh_approx.* 14,736 ")):  # fmt: skip
        text = (tool.DOCS / tool.TARGETS / f"{target}.md").read_text(encoding="utf-8")
        assert re.search(rf"^\| {row}\| 65,536 ", text, re.MULTILINE), (target, row)
    page = tool.PAGE.read_text(encoding="utf-8")
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
    (tmp_path / tool.TARGETS).mkdir()
    text = tool.page([report])
    row = "| [numpy](state_of_half/numpy.md) | NumPy 2.4 | here | 3 | 2 | 0 | 0 | 1 | 2026-11-23 |"
    assert row in text and "- numpy (1): `np.sqrt`\n" in text
    assert "numpy <state_of_half/numpy>\n```\n" in text
    text = tool.target_page(report)
    assert "| exp2 | `np.exp2` | 5 | 65,536 | 7 | 2 | beyond | NaN for a number: 2 |" in text
    assert "Right on every input there is (2): `sqrt`, `trunc`." in text
    assert "Not computed in half: `cbrt` (no)" in text and "Failed" not in text
    assert "print(np.exp2(np.array([5e-07], np.float16)))" in text
    assert "![Errors in ulp of np.exp2 over all inputs](numpy.png)" in text
    picture = tmp_path / tool.TARGETS / "numpy.png"
    assert picture.read_bytes().startswith(b"\x89PNG")


def finding(tool, reports, start):
    """Return the sentence of the findings that begins so; empty if there is none."""
    lines = tool.findings(reports).splitlines()
    return next((line for line in lines if line.startswith(f"- **{start}")), "")


def test_findings_are_figures_of_the_reports(tool):
    """Each sentence counts what the reports have, and names whom it is about."""
    numpy = TargetInfo("numpy", "NumPy", "2.4", "here")
    other = TargetInfo("my:lib", "lib", "1", "there")
    hair = function("exp", wrong=2, max_ulp=0.5003, verdicts=("within", "within"))
    more = function("log", wrong=9, max_ulp=1.5, verdicts=("within", "within"))
    opened = function("log2", wrong=9, max_ulp=9.0, limits=(None, None), verdicts=("open", "open"))
    product = function(
        "multiply", wrong=1500, tested=2000, exhaustive=False, verdicts=("beyond", "beyond")
    )
    double = function("convert_half(double)", wrong=500, tested=2000)
    dot = function("dot", result="half2", wrong=60, tested=100, exhaustive=False,
                   mistakes={"NaN for a number": 20, "infinity for a number": 5})  # fmt: skip
    right = function("sqrt", verdicts=("correct", "correct"))
    one = Report(numpy, (BAD, hair, more, opened, double, dot, right), date="2026-11-23")
    two = Report(other, (right, product), date="2026-11-23")
    clean = Report(replace(other, name="best"), (right,), date="2026-11-23")
    reports = [one, two, clean]
    overall = finding(tool, reports, "10 functions of 3 targets")
    assert "5 have no wrong result" in overall and "2 are within" in overall
    assert "2 go beyond them, and for 1 OpenCL sets none" in overall
    assert finding(tool, reports, "3 of the 7 functions with a wrong result**")
    numpy_link, lib_link = "[numpy](state_of_half/numpy.md)", "[my:lib](state_of_half/my_lib.md)"
    assert f"only in `multiply` of {lib_link} (1,500 of 2,000)." in finding(
        tool, reports, "Arithmetic"
    )
    assert f": `exp2` of {numpy_link} (5, up to 7 ulp)." in finding(tool, reports, "The most wrong")
    assert f"in {numpy_link}: up to 25 %" in finding(tool, reports, "Conversion from double")
    assert f"{numpy_link} (25 %)." in finding(tool, reports, "Dot products")
    assert finding(tool, reports, "Nothing is beyond").endswith("[best](state_of_half/best.md).")
    assert not finding(tool, reports, "Sums")
    alone = tool.findings([clean])
    assert alone.count("\n- ") == 2 and "wrong results nowhere." in alone


def test_heat_map_of_functions(tool):
    """A cell has the count, the error if it is more than a hair, and is bold beyond the limit."""
    assert tool.cell(None) == "" and tool.cell(function("exp")) == "0"
    assert tool.cell(function("exp", wrong=1234, max_ulp=0.51)) == "1,234"
    assert tool.cell(function("exp", wrong=9, max_ulp=0.52)) == "9 (0.52)"
    assert tool.cell(BAD) == "**5 (7)**"
    page = tool.PAGE.read_text(encoding="utf-8")
    assert "<!-- heat map -->\n\n| | [cuda_fp16](state_of_half/cuda_fp16.md) |" in page


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
    text = tool.target_page(Report(target, (), reductions=(first, *others, last, longer)))
    row = "7, 12 % wrong, 25 % by order | 0.5 | 0.5 | 0.5 | no numbers |"
    assert f"| sum | `np.sum(x)` | {row}" in text and "## Sums and their like\n" in text
    assert "Sums" not in tool.target_page(Report(target, ()))


def test_report_of_an_audit_is_stored(tool, tmp_path, monkeypatch):
    """The tool reads a report that an audit has written."""
    monkeypatch.setattr(tool, "STORED", tmp_path)
    path = tmp_path.parent / "numpy.json"
    path.write_text(audit.run("numpy", ["sqrt"]).to_json())
    tool.store(path)
    (report,) = load_reports(tmp_path)
    assert report["sqrt"].wrong == 0 and report["sqrt"].tested == 65536
