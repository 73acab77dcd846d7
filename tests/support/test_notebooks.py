"""Notebooks: HTML that has the rows of the text, pictures, names of cells, and bars of progress."""

import base64
import io as files
import itertools
import linecache
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from exhaustive import either, in_turn, one_in
from hypothesis import given, settings, strategies as st
from page_reader import Reader

import halfcl as hc
from halfcl import audit, half, interval, io, safe, stability
from halfcl._command import main
from halfcl._images.constants import channel_order, channel_type
from halfcl._images.formats import DTYPES, ORDERS
from halfcl._support import pages
from halfcl._support.pages import notebooks, pictures
from halfcl._support.progress import Bar
from halfcl._support.text_tables import Listing, Table
from halfcl.interval import DecoratedInterval, Interval


@pytest.fixture(autouse=True)
def jinja2():
    pytest.importorskip("jinja2", reason="without the extra 'pages'")
    yield
    pages.environment.cache_clear()


def words_of(html):
    """Return the text of HTML whose tags are all closed, without white space."""
    reader = Reader(html)
    assert reader.open == []
    return "".join("".join(reader.words).split())


def cells_of(html):
    """Return the texts of the cells of each row of all tables."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[words_of(f"<p>{cell}</p>") for cell in row] for row in cells]


def drifting(x):
    return np.sqrt(x.astype(np.float32)).astype(half) * x


def saved_domains():
    with safe.domains() as report:
        hc.acos(half([1.001, 0.5]))
    return report


# ---------------------------------------------------------------- text and HTML


SHOWN = {
    "rerun": lambda: stability.rerun(lambda x: (1 + x) - 1, half(0.01)),
    "rerun of many": lambda: stability.rerun(
        lambda x: (1 + x) - 1, np.linspace(0, 1, 40).astype(half), samples=4
    ),
    "rerun of none": lambda: stability.rerun(lambda x: x * x, half([])),
    "rerun with promotion": lambda: stability.rerun(drifting, half([0.3, 2])),
    "comparison": lambda: stability.compare([lambda x: x / 3, np.sin], half([1, 2])),
    "comparison of none": lambda: stability.compare([lambda x: x / 3], half([])),
    "blame": lambda: stability.blame(lambda x: (1 + x) - 1, half([0.01, 1])),
    "blame of none": lambda: stability.blame(lambda x: -x, half([0.01, 1])),
    "blame of one": lambda: stability.blame(lambda x: (1 + x) - 1, half([0.01, 1])).at(0),
    "audit": lambda: audit.run("numpy", ["sqrt", "pow", "convert_half(float)", "sum"]),
    "audit beyond": lambda: audit.run(lambda x: 1 / x**0.5, "rsqrt"),
    "audit that failed": lambda: audit.run(
        audit.CallablesTarget("mine", {"exp": audit.Call("mine.exp", lambda x: x[1:])})
    ),
    "domains": saved_domains,
    "no domains": safe.domains,
}


@one_in(2)
@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_html_has_the_words_of_the_text(name):
    shown = SHOWN[name]()
    assert words_of(shown._repr_html_()) == "".join(repr(shown).split())


def test_report_is_the_table_of_the_command(capsys):
    assert main(["audit", "numpy", "--functions", "exp,pow"]) == 0
    printed = capsys.readouterr().out
    shown = repr(audit.run("numpy", ["exp", "pow"]))
    seconds = r"\(target .*\)"
    assert re.sub(seconds, "", printed) == re.sub(seconds, "", f"{shown}\n")
    assert len(shown) < 1000


def test_report_says_what_failed():
    report = SHOWN["audit that failed"]()
    reason = "exp: mine.exp: expected an array of shape (65536,), got (65535,)"
    assert f"Failed:\n  {reason}" in repr(report)
    assert f"<li>{reason}</li>" in report._repr_html_()


def test_function_report_leaves_out_what_is_long():
    assert len(repr(audit.run("numpy", ["exp"])["exp"])) < 500


def test_marked_rows_are_bold():
    html = SHOWN["audit beyond"]()._repr_html_()
    assert "<b>rsqrt</b>" in html
    table = Table(["a", "b"], [["1", "2"], ["3", "4"]], words=[1], code=[0], marked=[1])
    html = notebooks.fragment("display.html", blocks=[table])
    assert "<b>2</b>" not in html and "<b>4</b>" in html and "<b><code>3</code></b>" in html
    assert re.search(r'<td style="text-align:left;white-space:nowrap">2</td>', html)
    assert re.search(r'<td style="white-space:nowrap"><code>1</code></td>', html)


def bold_rows(html):
    """Return whether the cells of each row below the head are bold."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return ["<b>" in row for row in rows[1:]]


def test_rows_to_look_at_first():
    report = stability.rerun(lambda x: (1 + x) - 1, half([0.01, 1, 0.001]))
    assert report.verdict.tolist() == ["unstable", "stable", "unstable"]
    assert bold_rows(report._repr_html_()) == [True, False, True]
    calls = {"rsqrt": lambda x: 1 / x**0.5, "exp": np.exp, "sqrt": np.sqrt}
    report = audit.run(audit.CallablesTarget("mine", calls))
    assert [f.verdicts[0] for f in report.functions] == ["beyond", "within", "correct"]
    assert bold_rows(report._repr_html_()) == [True, False, False]


HOSTILE = st.text(max_size=6) | st.sampled_from(
    ["<script>", "</td>", "&lt;", '"', "'", "{{ x }}", "{% raw %}", "\0", "\ud800", "\n", "\u2028"]
)


@settings(max_examples=either(60, 20), deadline=None)
@given(HOSTILE)
def test_data_never_become_markup(text):
    def tags(text):
        channel = np.zeros((2, 2), half)
        picture = io.Picture({f"x{text}": channel}, name=text)
        blocks = [f"x{' '.join(text.split())}", Listing(text, [text])]
        blocks += [Table([text], [[text]], code=[0], marked=[0])]
        shown = [notebooks.fragment("display.html", blocks=blocks), picture._repr_html_()]
        readers = list(map(Reader, shown))
        assert [reader.open for reader in readers] == [[], []]
        return [reader.tags for reader in readers]

    assert tags(text) == tags("y")


def test_source_lines_are_escaped():
    code = "def f(x):\n    return (1 + x) - (1 if '<script>' else 2)\n"
    linecache.cache["<cell>"] = len(code), None, code.splitlines(keepends=True), "<cell>"
    names = {}
    exec(compile(code, "<cell>", "exec"), names)
    html = stability.blame(names["f"], half(0.01))._repr_html_()
    assert "&lt;cell&gt;:2: 1 + x" in html and "<script" not in html and "<cell" not in html


DISPLAYS = {
    **SHOWN,
    "interval": lambda: Interval(1, 2),
    "half": lambda: half(0.1),
    "image": lambda: hc.Image(np.zeros((2, 3, 4), np.uint8), RGBA8),
    "picture": lambda: io.Picture({"R": np.zeros((2, 3), half)}),
}


@one_in(2)
@pytest.mark.parametrize("name", DISPLAYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_displays_stand_alone(name):
    """Neither scripts nor other files, and no colours of backgrounds: notebooks have theirs."""
    html = DISPLAYS[name]()._repr_html_()
    reader = Reader(html)
    assert not {tag for tag, *_ in reader.tags} & {"script", "style", "link", "iframe"}
    assert not re.search(r"background|http|class=|id=|onload", html)
    assert all(value.startswith("data:image/png;base64,") for _, name, value in reader.attributes
               if name in ("src", "href"))  # fmt: skip


@one_in(2)
@pytest.mark.parametrize("name", DISPLAYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_without_jinja2_notebooks_show_the_text(name, monkeypatch):
    shown = DISPLAYS[name]()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert shown._repr_html_() is None


UNUSUAL = {
    "no formulas": lambda: stability.Comparison(()),
    "some formulas": lambda: stability.Comparison(SHOWN["comparison"]()[:1]),
    "no steps": lambda: stability.Blame(()),
    "infinities and NaN": lambda: stability.rerun(lambda x: x / 3, half([np.inf, np.nan, -0.0])),
    "masked": lambda: stability.rerun(lambda x: np.ma.array(x, mask=[0, 1]) * x, half([0.1, 2])),
    "kind of mistake of a newer version": lambda: audit.Report.from_json(
        SHOWN["audit beyond"]().to_json().replace("rounded the wrong way", "newer")
    ),
    "nothing audited": lambda: audit.Report(audit.TargetInfo("a", "b", "c", "d"), ()),
    "subclass": lambda: type("Mine", (Interval,), {"__repr__": lambda self: "mine"})([1, 2]),
    "tiny floats": lambda: hc.Image(
        np.array([[1e-45, 1e38], [np.nan, -np.inf]], np.float32),
        hc.ImageFormat(channel_order.R, FLOAT),
    ),
    "signalling NaN": lambda: hc.Image(np.array([[0x7C01]], np.uint16).view(half), HALF),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_results_have_a_display(name):
    shown = UNUSUAL[name]()
    with np.errstate(all="raise"):
        assert repr(shown) and words_of(shown._repr_html_())


# ---------------------------------------------------------------- intervals


def literals(text):
    return re.findall(r"\[[^][]*\](?:_[a-z]{3})?", text)


SHAPES = [(), (1,), (7,), (1000,), (1001,), (2, 3), (1, 1001), (1001, 1), (40, 40), (2, 3, 4),
          (11, 11, 11), (0,), (0, 3), (3, 0)]  # fmt: skip


@in_turn
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [Interval, DecoratedInterval])
def test_tables_of_intervals(shape, kind):
    """The table has the elements of the text, up to two dimensions, and says the shape."""
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(half)
    x = kind(numbers / 3, numbers)
    html = x._repr_html_()
    assert ("..." in repr(x)) == ("…" in html)
    if len(shape) <= 2 and x.size:
        assert literals(words_of(html)) == [each.replace(" ", "") for each in literals(repr(x))]
    name = kind.__name__
    assert f"<div>{f'{name} of shape {shape}' if shape else name}</div>" in html


def test_list_of_intervals_has_midpoints_and_widths():
    x = Interval([1, -4], [3, 65504])
    assert cells_of(x._repr_html_()) == [
        ["", "interval", "midpoint", "width"],
        ["0", "[1,3]", "2", "2"],
        ["1", "[-4,65504]", f"{float(x.mid[1]):.5g}", f"{float(x.wid[1]):.5g}"],
    ]
    solid = Interval(np.zeros((2, 2, 2), half))
    assert [row[0] for row in cells_of(solid._repr_html_())[1:]] == [
        f"{i},{j},{k}" for i, j, k in itertools.product(range(2), repeat=3)
    ]


def test_grid_of_intervals_names_rows_and_columns():
    x = Interval(np.arange(1200).reshape(3, 400).astype(half))
    rows = cells_of(x._repr_html_())
    assert rows[0] == ["", "0", "1", "2", "…", "397", "398", "399"]
    assert rows[3] == ["2", "[800,800]", "[801,801]", "[802,802]", "…"] + [
        f"[{k},{k}]" for k in (1197, 1198, 1199)
    ]


@pytest.mark.parametrize("edge", [0, 1, 600])
def test_tables_of_intervals_follow_print_options(edge):
    x = Interval(np.arange(12).astype(half))
    with np.printoptions(threshold=5, edgeitems=edge):
        assert len(cells_of(x._repr_html_())) == 1 + (12 if edge > 5 else 2 * edge + 1)
        assert x.reshape(3, 4)._repr_html_() and x[0]._repr_html_()


@pytest.mark.parametrize(
    "x", [interval.empty, interval.entire, DecoratedInterval("[nai]"), Interval(65504, np.inf)]
)
def test_intervals_without_bounds(x):
    with np.errstate(all="raise"):
        assert literals(words_of(x._repr_html_())) == [str(x).replace(" ", "")]


# ---------------------------------------------------------------- pictures


RGBA8 = hc.ImageFormat(channel_order.RGBA, channel_type.UNORM_INT8)
HALF = hc.ImageFormat(channel_order.R, channel_type.HALF_FLOAT)
FLOAT = channel_type.FLOAT


def pictures_of(html):
    """Return the arrays that the HTML shows."""
    image = pytest.importorskip("PIL.Image", reason="without the extra 'png'")
    texts = re.findall(r'src="data:image/png;base64,([^"]*)"', html)
    return [np.asarray(image.open(files.BytesIO(base64.b64decode(text)))) for text in texts]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (40, 31)])
def test_png(shape, channels):
    image = pytest.importorskip("PIL.Image", reason="without the extra 'png'")
    codes = np.random.default_rng(1).integers(0, 256, (*shape, channels), np.uint8)
    read = np.asarray(image.open(files.BytesIO(pictures.png(codes))))
    assert np.array_equal(read.reshape(codes.shape), codes)


@pytest.mark.parametrize("order", ["RGBA", "sRGBA", "BGRA", "ABGR", "RGBx", "RG", "RA", "R", "A"])
def test_codes_are_shown_as_they_are(order):
    """Also those of sRGB, which are decoded and encoded."""
    words = order == "RGBx"
    kind = channel_type.UNORM_SHORT_555 if words else channel_type.UNORM_INT8
    image_format = hc.ImageFormat(channel_order[order], kind)
    count = 1 if words else image_format.channel_count
    codes = np.arange(256 * count).reshape(16, 16, count).astype(image_format.dtype)
    image = hc.Image(codes if image_format.channels_on_an_axis else codes[..., 0], image_format)
    (shown,) = pictures_of(image._repr_html_())
    if words:
        codes = np.stack([codes[..., 0] >> shift & 31 for shift in (10, 5, 0)], axis=-1)
        codes = np.rint(codes * (255 / 31))
    by_name = dict(zip(order.removeprefix("s"), np.moveaxis(codes, -1, 0), strict=False))
    zero = np.zeros((16, 16), codes.dtype)
    names = {"R": "R", "A": "A", "RA": "RA"}.get(order, "RGBA" if "A" in order else "RGB")
    expected = np.stack([by_name.get(name, zero) for name in names], axis=-1)
    assert np.array_equal(shown.reshape(expected.shape), expected)


FORMATS = [
    hc.ImageFormat(order, kind)
    for order, each in ORDERS.items()
    for kind in sorted(each.types, key=int)
]


@one_in(3)
@pytest.mark.parametrize("image_format", FORMATS, ids=str)
def test_every_format_has_a_picture(image_format):
    rng = np.random.default_rng(2)
    for dtype in DTYPES[image_format.channel_data_type]:
        count = image_format.channels_on_an_axis
        shape = (6, 5, count) if count else (6, 5)
        texels = np.frombuffer(rng.bytes(int(np.prod(shape)) * dtype.itemsize), dtype)
        image = hc.Image(texels.reshape(shape)[::-1, ::2], image_format)
        with np.errstate(all="raise"):
            html = image._repr_html_()
        assert [each.shape[:2] for each in pictures_of(html)] == [(6, 3)]
        assert repr(image) in html


def test_light_is_shown_in_srgb():
    light = np.linspace(0, 1, 400).astype(half).reshape(20, 20)
    html = hc.Image(light, HALF)._repr_html_()
    (shown,) = pictures_of(html)
    exact = io.srgb_encode(light, np.uint8)
    assert np.abs(shown.astype(int) - exact).max() <= 1 and (shown == exact).mean() > 0.9
    assert "numbers are taken as linear light" in html and "clamped" not in html
    depth = hc.Image(light.astype(np.float32), hc.ImageFormat(channel_order.DEPTH, FLOAT))
    assert np.array_equal(pictures_of(depth._repr_html_())[0], shown)


@pytest.mark.parametrize("order", ["RA", "RGBA"])
def test_alpha_is_no_light(order):
    image_format = hc.ImageFormat(channel_order[order], channel_type.HALF_FLOAT)
    texels = np.full((2, 2, len(order)), 0.5, half)
    (shown,) = pictures_of(hc.Image(texels, image_format)._repr_html_())
    assert set(shown[..., :-1].ravel().tolist()) == {188} and (shown[..., -1] == 128).all()


def test_numbers_beyond_are_clamped_and_counted():
    x = half([[-2, 0, 0.5, 1], [1.5, np.inf, -np.inf, np.nan]])
    html = hc.Image(x, HALF)._repr_html_()
    assert pictures_of(html)[0].tolist() == [[0, 0, 188, 255], [255, 255, 0, 0]]
    assert "4 of 8 numbers are clamped to 0 and 1 (least -inf, greatest inf)" in html
    assert "1 of 8 numbers are NaN, and shown as 0" in html


def test_integers_from_least_to_most():
    formats = channel_order.R, channel_type.SIGNED_INT32
    x = np.array([[-(2**31), 2**31 - 1], [0, 5]], np.int32)
    html = hc.Image(x, hc.ImageFormat(*formats))._repr_html_()
    assert pictures_of(html)[0].tolist() == [[0, 255], [128, 128]]
    assert "black is -2147483648, and white 2147483647" in html
    html = hc.Image(np.full((2, 2), 7, np.int32), hc.ImageFormat(*formats))._repr_html_()
    assert "all numbers are 7" in html
    opaque = hc.ImageFormat(channel_order.RGBA, channel_type.UNSIGNED_INT8)
    html = hc.Image(np.zeros((2, 2, 4), np.uint8), opaque)._repr_html_()
    assert pictures_of(html)[0].shape == (2, 2, 3)


def test_large_images_are_thinned():
    x = np.zeros((3, 1100), half)
    x[:, ::3] = 1
    html = hc.Image(x, HALF)._repr_html_()
    (shown,) = pictures_of(html)
    assert shown.shape == (1, 367) and (shown == 255).all()
    assert "1 in 3 rows and columns is shown" in html
    noise = np.random.default_rng(3).integers(0, 256, (2000, 2000, 4), np.uint8)
    assert len(hc.Image(noise, RGBA8)._repr_html_()) < 2**21


@pytest.mark.parametrize("layered", [False, True])
def test_first_slices_are_shown(layered):
    x = np.zeros((6, 4, 5), half)
    x[:] = np.arange(6)[:, np.newaxis, np.newaxis] / 5
    kind = hc.mem_object_type.IMAGE2D_ARRAY if layered else hc.mem_object_type.IMAGE3D
    html = hc.Image(x, HALF, kind)._repr_html_()
    shown = pictures_of(html)
    assert [each.shape for each in shown] == [(4, 5)] * 4
    encoded = [int(io.srgb_encode(half(k / 5), np.uint8)) for k in range(4)]
    assert [set(each.ravel().tolist()) for each in shown] == [{code} for code in encoded]
    assert "slices 0 to 3 of 6" in html and "slice 3" in html
    assert "slices 0 to" not in hc.Image(x[:2], HALF, kind)._repr_html_()


def test_images_of_one_dimension():
    x = np.linspace(0, 1, 8).astype(half)
    for kind in (hc.mem_object_type.IMAGE1D, hc.mem_object_type.IMAGE1D_BUFFER):
        assert pictures_of(hc.Image(x, HALF, kind)._repr_html_())[0].shape == (1, 8)
    layers = np.stack([x, x[::-1], x])
    html = hc.Image(layers, HALF, hc.mem_object_type.IMAGE1D_ARRAY)._repr_html_()
    (shown,) = pictures_of(html)
    assert np.array_equal(shown, io.srgb_encode(layers, np.uint8))
    assert "each row is a layer" in html


def test_image_whose_memory_is_gone_shows_its_text():
    x = np.zeros((4, 4), half)
    image = hc.Image(x, HALF)
    x.resize((100, 100), refcheck=False)
    assert image._repr_html_() is None


CHANNEL = np.linspace(0, 1, 6).astype(half).reshape(2, 3)
PICTURES = {
    "none": ({}, None),
    "colours": (dict.fromkeys(("A", "B", "G", "R", "Z"), CHANNEL), "R, G, B"),
    "layer": (dict.fromkeys(("Z", "a.B", "a.G", "a.R"), CHANNEL), "a.R, a.G, a.B"),
    "one": ({"Z": CHANNEL.astype(np.float32), "id": CHANNEL.astype(np.uint32)}, "Z"),
    "integers": ({"id": CHANNEL.astype(np.uint32)}, "id"),
    "mixed": (
        {"B": CHANNEL, "G": CHANNEL.astype(np.float32), "R": CHANNEL.astype(np.uint32)},
        "R, G, B",
    ),
    "huge": ({"Y": np.full((2, 3), 1e300)}, "Y"),
    "two shapes": ({"R": CHANNEL, "G": CHANNEL.T, "B": CHANNEL}, None),
    "no texels": ({"R": CHANNEL[:0]}, None),
    "one axis": ({"R": CHANNEL[0]}, None),
    "objects": ({"R": CHANNEL.astype(object)}, None),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_files(name):
    channels, names = PICTURES[name]
    html = io.Picture(channels)._repr_html_()
    shown = pictures_of(html)
    assert [each.shape[:2] for each in shown] == ([] if names is None else [(2, 3)])
    assert names is None or f"channels shown: {names}" in html
    if name == "colours":
        channel = io.srgb_encode(CHANNEL, np.uint8)
        assert np.array_equal(shown[0], np.stack([channel] * 3, axis=-1))


# ---------------------------------------------------------------- cells, and bars


IN_IPYTHON = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
def run(code):
    result = shell.run_cell(code, store_history=True, silent=False)
    assert result.success
    return result.result
run("from halfcl import half, stability")
for _ in range(2):
    run("def f(x):\\n    y = 1 + x\\n    return y - 1")
    (step, *_) = run("stability.blame(f, half(0.01))")
    assert step.line == 2 and step.source == "y = 1 + x", step
    print(step.location)
report = run("stability.rerun(lambda x: x.astype('f4').astype(half), half([1]))")
print(report.promotions[0].location)
"""


def test_blame_names_cells_as_ipython_does():
    pytest.importorskip("IPython", reason="without the extra 'test'")
    code = [sys.executable, "-W", "ignore", "-c", IN_IPYTHON]
    lines = subprocess.run(code, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line for line in lines if line.startswith("Cell")] == [
        "Cell In[2], line 2: 1 + x",
        "Cell In[4], line 2: 1 + x",
        "Cell In[6], line 1: x.astype('f4')",
    ]


def test_names_of_cells_of_other_shells(monkeypatch):
    """Shells without such names, as of old IPythons, and files."""
    for compiler in (None, SimpleNamespace(), SimpleNamespace(format_code_name=lambda file: None)):
        shell = SimpleNamespace(compile=compiler)
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda s=shell: s))
        assert notebooks.name_of_cell("a.py") == ""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace())
    assert notebooks.running_shell() is None and not notebooks.is_notebook()


CELLS = (
    "from halfcl import Image, ImageFormat, audit, channel_order, channel_type, half, stability\n"
    "from halfcl.interval import Interval\nimport numpy as np",
    "def f(x):\n    return (1 + x) - 1",
    "stability.blame(f, half(0.01))",
    "stability.rerun(f, half(0.01))",
    "stability.compare([f], half(0.01))",
    "Interval(1, 2)",
    "audit.run('numpy', ['exp'], progress=True)",
    "Image(np.zeros((2, 2), half), ImageFormat(channel_order.R, channel_type.HALF_FLOAT))",
)


@pytest.fixture(scope="module")
def outputs_of_cells():
    """Return the outputs of each cell: those that a notebook stores."""
    nbclient = pytest.importorskip("nbclient", reason="without the extra 'test'")
    nbformat = pytest.importorskip("nbformat", reason="without the extra 'test'")
    pytest.importorskip("ipykernel", reason="without the extra 'test'")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in CELLS])
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    return {cell.source: cell.outputs for cell in notebook.cells}


@pytest.mark.filterwarnings("ignore")
def test_executed_notebook(outputs_of_cells):
    for source in CELLS[2:]:
        data = outputs_of_cells[source][-1]["data"]
        assert words_of(data["text/html"]), source
        assert data["text/plain"], source
    blamed = outputs_of_cells[CELLS[2]][0]["data"]
    assert "<code>Cell In[2], line 2: 1 + x</code>" in blamed["text/html"]
    assert "Cell In[2], line 2: 1 + x" in blamed["text/plain"]


@pytest.mark.filterwarnings("ignore")
def test_bar_of_notebooks(outputs_of_cells):
    pytest.importorskip("ipywidgets", reason="without the extra 'test'")
    outputs = outputs_of_cells["audit.run('numpy', ['exp'], progress=True)"]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert "application/vnd.jupyter.widget-view+json" in kinds
    assert not [output for output in outputs if output["output_type"] == "stream"]


class Terminal(files.StringIO):
    def isatty(self):
        return True


def test_bar_of_terminals(monkeypatch):
    pytest.importorskip("tqdm", reason="without the extra 'audit'")
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert audit.run("numpy", ["sqrt", "exp"], progress=True)["exp"].tested == 65536
    assert re.search(r"exp +0%\|", sys.stderr.getvalue())
    with Bar(desc="mine", mininterval=0) as bar:
        bar(1, 4)
        bar(4, 4)
    assert "mine:  25%" in sys.stderr.getvalue() and "mine: 100%" in sys.stderr.getvalue()
    with Bar(mininterval=0) as bar:
        bar(0, 4, "sine")
        bar(1, 4, "cosine")
    assert re.search("sine: +0%.*cosine: +25%", sys.stderr.getvalue(), re.DOTALL)


@pytest.mark.parametrize("progress", [True, False, None])
def test_no_bar_where_nobody_sees_it(progress, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None if progress is None else files.StringIO())
    assert audit.run("numpy", ["sqrt"], progress=progress)["sqrt"].tested
    with Bar() as bar:
        assert bar is None
    assert sys.stderr is None or sys.stderr.getvalue() == ""


def test_no_bar_without_tqdm(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with Bar() as bar:
        assert bar is None
