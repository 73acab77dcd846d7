"""The page of a report: its content, that it needs nothing else, and how a browser shows it."""

import html
import json
import re
from dataclasses import replace
from itertools import product

import pytest
from browser import dump_page, needs_chromium
from exhaustive import either, shared_out
from page_reader import Reader

from halfcl import audit
from halfcl._support import pages
from halfcl.audit._output import plot
from halfcl.audit._output.html import page
from halfcl.audit._records import BIN, BUCKETS, FIRST_PLACE, Case, FunctionReport, TargetInfo
from halfcl.audit._report import Report

pytest.importorskip("jinja2", reason="without the extra 'pages'")

BINS = 2 * -FIRST_PLACE // BIN + 1


def curve(**errors):
    """Return a curve of half an ulp with exceptions: b10=3 is 3 ulps in the tenth bin."""
    errors_by_bin = [0.5] * BINS
    for name, error in errors.items():
        errors_by_bin[int(name[1:])] = error
    return tuple(errors_by_bin)


def histogram(*counts):
    return (*counts, *[0] * (len(BUCKETS) + 1 - len(counts)))


def function(name="exp", **others):
    """Return the report of a correct function, with some fields replaced."""
    fields = {
        "spelled": f"lib.{name}", "types": ("float16",), "result_type": "float16",
        "tested": 65536, "exhaustive": True, "max_ulp": 0.5, "mean_ulp": 0.25,
        "histogram": histogram(100, 65436), "limits": (2.0, 3.0), "curve": curve(),
    }  # fmt: skip
    return FunctionReport(name, **(fields | others))


WRONG = function(
    "exp2", spelled="torch.exp2", wrong=1234, max_ulp=16, mean_ulp=0.375, beyond=(5, 4),
    histogram=histogram(1, 2, 3, 4, 0, 5), verdicts=("beyond", "beyond"),
    curve=curve(b1000=16.0, b1500=1.0), curve_mistakes=(7,), monotonicity=3,
    mistakes={"an ulp off or more": 1233, "NaN for a number": 1},
    worst=(Case((0xC7EC,), 0x1C0A, 0x1C12, "an ulp off or more", 0.004, -8.0),
           Case((0x3C00,), 0x7E00, 0x3C00, "NaN for a number", 1.0, None)),
)  # fmt: skip
OPEN = function("lgamma", wrong=7, limits=(None, None), verdicts=("open", "open"))
REPORT = Report(
    TargetInfo("torch:cuda", "PyTorch", "2.11", "a GPU", {"driver": "12.4"}),
    (function(), WRONG, OPEN, function("pow", curve=(), types=("float16",) * 2)),
    {"cbrt": "not for half"}, {"erf": "raised ValueError"}, "9.9", "2026-11-23T05:00:00+00:00",
)  # fmt: skip


@pytest.fixture(scope="module")
def reader():
    return Reader(page(REPORT))


def test_page_closes_all_tags(reader):
    assert page(REPORT).startswith("<!doctype html>\n")
    assert reader.open == []


def test_page_needs_nothing_else(reader):
    """The page has no address of a file or a server, only of its own parts."""
    for tag, name, value in reader.attributes:
        if name in ("href", "src", "srcset", "action", "data", "xlink:href"):
            assert (tag, name) == ("a", "href") and value.startswith("#"), (tag, name, value)
    assert not re.search(r"https?:|//[a-z]|url\(|@import", page(REPORT).replace("//www.w3", ""))


def test_links_have_targets(reader):
    ids = {value for _, name, value in reader.attributes if name == "id"}
    links = {value[1:] for _, name, value in reader.attributes if name == "href"}
    assert links == ids == {"exp", "exp2", "lgamma", "pow"}


def test_page_states_conditions(reader):
    words = " ".join(reader.words)
    for each in ("torch:cuda", "PyTorch 2.11", "a GPU", "driver", "12.4", "halfcl 9.9",
                 "2026-11-23T05:00:00+00:00", "not for half", "raised ValueError"):  # fmt: skip
        assert each in words


def cells(text, label):
    """Return the cells of a function's row in the summary."""
    rows = re.findall(r"<tr>(.*?)</tr>", text, re.DOTALL)
    row = next(r for r in rows if f'href="#{label}"' in r)
    return [re.sub("<.*?>", "", cell) for cell in re.findall(r"<td.*?>(.*?)</td>", row)]


def test_summary_table_and_totals():
    text = page(REPORT)
    assert cells(text, "exp2") == [
        "exp2", "torch.exp2", "65,536", "1,234", "16", "0.375", "beyond (2)", "beyond (3)",
        "nan 1, steps 3",
    ]  # fmt: skip
    assert cells(text, "lgamma")[6:] == ["open", "open", ""]
    assert cells(text, "exp")[6:] == ["correct (2)", "correct (3)", ""]
    totals = re.findall(r"<li><b>(\d+)</b> (.*?)</li>", html.unescape(text))
    assert dict((name, int(count)) for count, name in totals) == {
        "audited": 4, "right everywhere": 2, "within OpenCL's limit": 0,
        "wrong, with no limit": 1, "beyond OpenCL's limit": 1,
    }  # fmt: skip


def test_worst_functions_come_first():
    sections = re.findall(r'<section class="function" id="(\w+)"', page(REPORT))
    assert sections == ["exp2", "lgamma", "exp", "pow"]


def section(text, label):
    return re.search(rf'<section class="function" id="{label}">.*?</section>', text, re.DOTALL)[0]


def test_section_of_a_wrong_function():
    text = section(page(REPORT), "exp2")
    words = html.unescape(re.sub(r"<.*?>", " ", text))
    assert "1,234 of 65,536 wrong" in words and "at most 16 ulp, 0.375 on average" in words
    assert re.search(r"-7.92\s+0xc7ec\s+0.003944\s+0x1c0a\s+0.003975\s+0x1c12\s+-8\s", words)
    assert re.search(r"nan\s+0x7e00\s+1.0\s+0x3c00\s+NaN for a number", words)
    counts = re.findall(r"<td.*?>([^<]*)</td><td>([\d,]+)</td>\n<td><i", text)
    assert counts == [("exact", "1"), ("≤ 0.5", "2"), ("≤ 1", "3"), ("≤ 2", "4"), ("≤ 4", "0"),
                      ("≤ 8", "5")]  # fmt: skip
    assert "x = " not in words and "torch.exp2(torch.tensor([-7.92]" in words
    assert "should be 0.003975 (0x1c12)" in words


def test_correct_functions_are_folded():
    text = page(REPORT)
    assert "<details>" in section(text, "exp") and "<details>" not in section(text, "exp2")
    assert "To see it" not in section(text, "exp")


def test_names_are_escaped():
    """No name in a report becomes part of the page's code."""
    evil = "<script>alert(1)</script>\"'&"
    report = Report(
        TargetInfo(evil, evil, evil, evil, {evil: evil}),
        (replace(WRONG, name=evil, spelled=evil, mistakes={evil: 1}),), {evil: evil}, {evil: evil},
    )  # fmt: skip
    text = page(report)
    assert text.count("<script>") == 1 and Reader(text).open == []


# ---------------------------------------------------------------- the plot


def figure_of(function):
    """Return the chart of a function as HTML."""
    template = '{% from "parts.html" import figure %}{{ figure(chart) }}'
    return pages.environment().from_string(template).render(chart=plot.chart(function))


def path(figure, kind):
    return re.search(rf'<path class="{kind}" d="(.*?)"', figure)[1]


def heights(outline):
    """Return the height of each bin, from the outline of its bars."""
    levels, x, height = [], 0, 0
    for kind, number in re.findall(r"([HV])(\d+)", outline):
        if kind == "H":
            levels += [height] * (int(number) - x)
            x = int(number)
        else:
            height = 1000 - int(number)
    return levels


def test_plot_has_every_bin():
    """Errors are bars on a logarithmic axis, cut into correct, wrong and beyond the limit."""
    figure = figure_of(WRONG)
    errors, wrong, over = (heights(path(figure, kind)) for kind in ("accent", "fair", "bad"))
    assert len(errors) == len(wrong) == len(over) == BINS
    half, one, two, sixteen = (round(1000 * (3 + k) / 8) for k in (-1, 0, 1, 4))  # 1/8 to 32
    assert set(errors) == {half}
    assert {k: h for k, h in enumerate(wrong) if h != half} == {1000: two, 1500: one}
    assert {k: h for k, h in enumerate(over) if h != half} == {1000: sixteen, 1500: one}


def test_plot_has_limits_and_marks():
    figure = figure_of(WRONG)
    lines = [int(y) for y in re.findall(r"M0 (\d+)h", path(figure, "line"))]
    assert lines == [1000 - round(1000 * 4 / 8), 1000 - round(1000 * (3 + 1.585) / 8)]
    assert "OpenCL, full profile: 2" in figure and "embedded profile: 3" in figure
    assert "M7 0h" in figure and "a NaN or an infinity is wrong" in figure
    assert "M7 0h" not in figure_of(function())


def test_plot_without_a_limit():
    figure = figure_of(OPEN)
    assert 'class="bad"' not in figure and "OpenCL" not in figure
    assert plot.chart(function("pow", curve=())) is None


def test_plot_names_inputs_at_their_places():
    figure = figure_of(WRONG)
    positions = {name: float(x) for x, name in re.findall(r'left:([\d.]+)%">(.*?)<', figure)}
    places = {"-65504": -0x7BFF, "-1": -0x3C00, "0": 0, "1": 0x3C00, "65504": 0x7BFF}
    for name, place in places.items():
        assert positions[name] == pytest.approx(
            100 * (place - FIRST_PLACE) / (BINS * BIN), abs=0.01
        )


# ---------------------------------------------------------------- in a browser

SHOWN = """<script>
const wide = document.documentElement.scrollWidth - innerWidth;
const heads = [...document.querySelectorAll(".sortable th button")];
const head = heads.find(b => b.textContent == "wrong");
const first = () => document.querySelector(".sortable tbody tr td").textContent;
head.click(); const least = first(); head.click(); const most = first();
const plot = document.querySelector(".plot").getBoundingClientRect();
const bars = document.querySelector(".plot .bad").getBoundingClientRect();
document.querySelector(".snippet button").click();
document.title = JSON.stringify([wide, least, most, plot.width, bars.width,
    getComputedStyle(document.body).backgroundColor]);
</script>"""


@pytest.mark.once
@shared_out
@needs_chromium
@pytest.mark.parametrize(
    ("width", "dark"),
    either(list(product([400, 1300], [False, True])), [(400, True)]),
)
def test_page_in_a_browser(tmp_path, width, dark):
    """Chromium shows the page within its window, in the reader's colours, sorted at a click."""
    file = tmp_path / "page.html"
    long_words = function("fast_" * 40, spelled="module." * 40)
    report = replace(REPORT, functions=(*REPORT.functions, long_words))
    file.write_text(page(report) + SHOWN, encoding="utf-8")
    # Chromium's own windows are at least 500 wide; a frame may be narrower.
    outer = tmp_path / "outer.html"
    outer.write_text(
        f'<iframe id="f" src="page.html" style="width:{width}px; height:800px; border:0">'
        "</iframe>"
        '<script>f.onload = () => document.title = f.contentDocument.title</script>'
    )  # fmt: skip
    colours = f"--blink-settings=preferredColorScheme={int(not dark)}"
    dumped = dump_page(outer, colours, "--window-size=1400,900")
    title = html.unescape(re.search(r"<title>(.*?)</title>", dumped, re.DOTALL)[1])
    beyond, least, most, plotted, bars, paper = json.loads(title)
    assert beyond <= 0
    assert (least, most) == ("exp", "exp2")
    assert plotted > 0.8 * width - 60 and bars == pytest.approx(plotted, abs=3)
    assert paper == ("rgb(20, 23, 26)" if dark else "rgb(255, 255, 255)")


@pytest.mark.once
def test_page_of_an_audit():
    report = audit.run("numpy", ["sqrt", "exp"])
    text = page(report)
    assert Reader(text).open == []
    assert len(heights(path(section(text, "sqrt"), "accent"))) == BINS
