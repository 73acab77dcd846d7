"""Pages by templates: data never becomes markup, one style, the ticks of charts, missing Jinja2."""

import linecache
import math
import os
import re
import sys
from importlib.resources import files

import numpy as np
import pytest
from exhaustive import either
from hypothesis import example, given, settings, strategies as st
from page_reader import Reader

from halfcl._command import main
from halfcl._core import MODES
from halfcl._support import extras, pages
from halfcl._support.pages.charts import (
    Axis,
    decade_ticks,
    heights,
    linear_ticks,
    log2,
    log2_1p,
    number_text,
    power_text,
    power_ticks,
    widths,
)
from halfcl.audit._records import (
    BIN,
    BUCKETS,
    FIRST_PLACE,
    Case,
    FunctionReport,
    ReductionReport,
    TargetInfo,
)
from halfcl.audit._report import Report
from halfcl.stability._array_comparisons import Divergence
from halfcl.stability._observing.nonfinite import NotFinite
from halfcl.stability._programs._analysis.blaming import Blame, BlameEntry
from halfcl.stability._programs._analysis.results import Output, Result
from halfcl.stability._programs._analysis.traces import Branch, Moment
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting.measuring import Errors, ErrorsByInput, Suggestion
from halfcl.stability._programs._rewriting.mendings import Mending
from halfcl.stability._programs._testing import NotCompared, Options, Report as ProgramReport

TEMPLATES = files("halfcl._support.pages") / "templates"


# ---------------------------------------------------------------- data and markup


def audit_page(text):
    """Return the page of an audit with a text in each of its fields."""
    from halfcl.audit._output.html import page

    function = FunctionReport(
        text, text, ("float16",), "float16", result=text, rounding=text, tested=9, wrong=2,
        max_ulp=9.0, mean_ulp=0.5, histogram=(1, *[0] * len(BUCKETS)), mistakes={text: 2},
        limits=(2.0, 3.0), beyond=(1, 1), verdicts=("beyond", "beyond"),
        worst=(Case((1,), 2, 3, text, 0.5, 9.0),),
        curve=(0.5,) * (2 * -FIRST_PLACE // BIN + 1), curve_mistakes=(3,),
    )  # fmt: skip
    reduction = ReductionReport(text, text, text, 8, 20, 20, 3, 0, 1.0, 0.5, 1, 1, 2)
    return page(Report(
        TargetInfo(text, text, text, text, {text: text}), (function,), {text: text}, {text: text},
        text, text, reductions=(reduction,),
    ))  # fmt: skip


def stability_page(text):
    """Return the page of a program with a text in each of its fields, and in its source."""
    from halfcl.stability._programs._reporting.page import page

    numbers = np.array([1.0, 2.0])
    outputs = [(name, Output((numbers * (1 + k),), text)) for k, name in enumerate(MODES)]
    result = Result(text, [*outputs, (text, Output((numbers,), f"{text}!"))], outputs[0][1])
    infinite = Result(text, [("rte", Output((np.array([np.inf, 1.0]),)))])
    linecache.cache[text] = 1, None, [f"{text}\n"] * 9, text
    unit = Unit(text, 5, text)
    return page(ProgramReport(
        Options((text, text), by=text), [result, infinite], [result],
        [NotCompared(text, text, (text,), True)],
        {text: text}, [Branch((text,), text, 2)], [Divergence(unit, 1, 2, (text,))],
        [Moment(1, text, 1, text, 2.0, 3.0), Moment(9, text, 5, text, math.nan, 3.0)],
        [(unit, text)], 1, 1, text, Blame(
            (BlameEntry(unit, {text: 40.0, "x": 9.0}, (unit,)),), {text: 50.0, "x": 9.0, "y": 1.0},
            3, 4, False, ((unit,),),
        ),
        [Suggestion(
            text, 5, text, text, text, Errors(9, 8, 7), Errors(1, 1, 7),
            by_input=ErrorsByInput(text, (1.0, 2.0, 4.0), (9.0, 8.0, 7.0), (1.0, 1.0, 0.0)),
        )],
        [Mending(text, ((text, 5, text),), 50.0, 2.0)],
        not_finite=[NotFinite(unit, text, (1.0,), "overflow", 2)],
    ))  # fmt: skip


HOSTILE = (
    "<script>alert(1)</script>", "</style>", "</title>", "</pre>", "-->", "<!--", "<b", "/>", "&",
    "&lt;", "&amp", '"', "'", "`", "\\", "\n", "\t", "{{ title }}", "{% raw %}", "{#", "}}", "%}",
    "ß", "\u2028", "\udcff", "\ud800", "\0", "=", " onload=x ", "javascript:", "x",
)  # fmt: skip


@pytest.mark.parametrize("page", [audit_page, stability_page])
@settings(max_examples=either(40, 15), deadline=None)
@given(st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5)), min_size=1, max_size=6))
def test_data_never_become_markup(page, parts):
    """Tags and names of attributes are those of the page of a harmless text, in their order."""
    pytest.importorskip("jinja2", reason="without the extra 'pages'")
    text = "x" + "".join(parts)
    written = page(text)
    reader = Reader(written)
    assert reader.open == [] and reader.tags == Reader(page("x")).tags
    shown = text.encode("utf-8", "backslashreplace").decode()
    assert " ".join(shown.split()) in " ".join("".join(reader.words).split())


def test_page_has_each_section_of_the_report_once():
    pytest.importorskip("jinja2", reason="without the extra 'pages'")
    headings = re.findall(r"<h2>(.*?)</h2>", stability_page("x"))
    assert len(set(headings)) == len(headings)
    assert {"Results", "Not finite", "What is to blame", "Better formulas", "What mends it"} <= set(
        headings
    )


def test_page_tells_what_is_not_finite_and_what_made_it():
    """Both tables have the words of the report for a terminal."""
    pytest.importorskip("jinja2", reason="without the extra 'pages'")
    section = stability_page("x").split("<h2>Not finite</h2>")[1].split("<h2>")[0]
    assert '<td class="text">x</td><td class="">1 of 2</td>' in section
    assert "What first made an infinity or a NaN, in the run to nearest" in section
    assert "overflow of x of 1, 2 times" in section


def test_better_formula_has_a_chart_of_its_errors():
    pytest.importorskip("jinja2", reason="without the extra 'pages'")
    section = stability_page("x").split("<h2>Better formulas</h2>")[1].split("<h2>")[0]
    assert section.count('<path class="bad dot"') == section.count('<path class="accent dot"') == 3
    assert "it could be" in section


def test_templates_escape_everything():
    for template in TEMPLATES.iterdir():
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|Markup", text), template.name


def test_both_pages_have_the_one_style_sheet():
    pytest.importorskip("jinja2", reason="without the extra 'pages'")
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    for page in (audit_page, stability_page):
        assert re.findall(r"<style>\n(.*?)</style>", page("x"), re.DOTALL) == [style.strip()]


def test_styles_of_pages_are_in_the_style_sheet():
    pytest.importorskip("jinja2", reason="without the extra 'pages'")
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    both = Reader(audit_page("x")).attributes + Reader(stability_page("x")).attributes
    classes = {each for _, name, value in both if name == "class" for each in value.split()}
    assert "snippet" in classes
    assert {each for each in classes if f".{each}" not in style} <= {"x"}


def test_a_misspelt_name_in_a_template_is_an_error():
    jinja2 = pytest.importorskip("jinja2", reason="without the extra 'pages'")
    with pytest.raises(jinja2.UndefinedError):
        pages.render("page.html")


# ---------------------------------------------------------------- without Jinja2


@pytest.mark.parametrize("command", ["audit", "stability"])
def test_page_without_jinja2_is_refused_before_the_run(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr("halfcl._command.commands.audit.run_audit", None)
    monkeypatch.setattr("halfcl._command.commands.stability.test_program", None)
    pages.environment.cache_clear()
    program = "numpy" if command == "audit" else str(tmp_path / "program.py")
    assert main([command, "--html", str(tmp_path / "page.html"), program]) == 2
    assert capsys.readouterr().err == (
        f'halfcl {command}: Jinja2 is needed to write pages: pip install "halfcl[pages]"\n'
    )
    assert os.listdir(tmp_path) == []
    with pytest.raises(extras.MissingPackageError):
        pages.render("page.html", title="")


# ---------------------------------------------------------------- ticks and axes


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, 3.3, [0, 1, 2, 3]), (0, 693, [0, 200, 400, 600]),
        (0, 10800, [0, 2000, 4000, 6000, 8000, 10000]), (-7, 7, [-5, 0, 5]),
        (0.05, 0.3, [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]), (5, 5, [5]), (0, 0, [0]), (2, 1, []),
        (0, math.nan, []), (math.nan, 1, []), (0, math.inf, []), (-math.inf, 0, []),
        (-1.7e308, 1.7e308, [-1e308, 0, 1e308]), (0, 5e-324, [0]),
        (1e16, 1e16 + 2, [1e16, 1e16 + 2]),
    ],
)  # fmt: skip
def test_linear_ticks(low, high, ticks):
    assert linear_ticks(low, high) == pytest.approx(ticks, rel=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 1, [0, 1]), (0, 3, [0, 1, 2, 3]), (0.2, 0.8, []), (0, 9, [0, 2, 4, 6, 8])],
)
def test_whole_ticks(low, high, ticks):
    assert linear_ticks(low, high, whole=True) == ticks


@given(
    st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.integers(4, 20), st.booleans()
)  # fmt: skip
@example(-9.999999998e299, 0.0, 5, False)  # five steps and a little less
def test_ticks_lie_between_the_ends_in_round_steps(low, high, most, whole):
    ticks = linear_ticks(low, high, most, whole)
    assert len(ticks) <= most and ticks == sorted(set(ticks))
    slack = 1e-8 * max(high - low, whole)  # the part of a step that rounding may move a tick
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    assert not whole or all(tick == round(tick) for tick in ticks)


def test_ticks_of_logarithmic_axes():
    assert power_ticks(1 / 8, 8) == [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8]
    assert power_ticks(1 / 8, 2.0**17) == [1, 2**5, 2**10, 2**15]
    for low, high in ((0, 1), (-1, 1), (2, 1), (1, math.inf), (1, math.nan)):
        assert power_ticks(low, high) == []
    assert power_ticks(4, 4) == [4]
    assert decade_ticks(65536) == [0, 1, 10, 100, 1000, 10000]
    assert (decade_ticks(0), decade_ticks(0.5), decade_ticks(1)) == ([0], [0], [0, 1])
    assert decade_ticks(-1) == decade_ticks(math.nan) == decade_ticks(math.inf) == []


def test_texts_of_ticks():
    assert list(map(number_text, [0.0, 1e4, -3.0, 0.25, 1e9])) == [
        "0", "10,000", "-3", "0.25", "1e+09",
    ]  # fmt: skip
    assert list(map(power_text, [0.125, 1.0, 65536.0, 2.0**17, 2.0**-20])) == [
        "1/8", "1", "65536", "2¹⁷", "2⁻²⁰",
    ]  # fmt: skip


def test_positions_on_axes():
    assert Axis(0, 4).positions([-1, 0, 1, 4, 5, math.nan]).tolist() == [0, 0, 0.25, 1, 1, 0]
    assert Axis(1, 16, log2).positions([0, 1, 4, 16, math.inf]).tolist() == [0, 0, 0.5, 1, 1]
    assert Axis(0, 15, log2_1p).positions([0, 3, 15]).tolist() == [0, 0.5, 1]
    assert Axis(3, 3).positions([2, 3, 4]).tolist() == [0, 0, 0]
    assert Axis(0, math.nan).positions([1]).tolist() == [0]
    assert Axis(0, 4).positions([]).tolist() == []
    assert heights([0, 0.25, 1]) == [1000, 750, 0] and widths([0, 0.25, 1]) == [0, 250, 1000]


def test_labels_that_are_close_are_minor():
    labels = Axis(0, 100).labels([0, 5, 50], number_text)
    assert [(label.text, label.is_minor) for label in labels] == [
        ("0", False), ("5", True), ("50", False),
    ]  # fmt: skip
