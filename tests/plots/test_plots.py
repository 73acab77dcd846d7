"""halfcl.plots: the data of what is drawn, the axes, and errors."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import in_modes, one_in

import halfcl as hc
from halfcl import audit, half, interval, plots, stability
from halfcl._drawing.scales import use_ulps
from halfcl._opencl.ulps.ordinals import from_ordinals, ordinals
from halfcl.interval import DecoratedInterval, Interval
from halfcl.plots import _errors as errors_module

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.colors import to_rgba  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.text import Text  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.kernels]

HALVES = np.sort(np.arange(1 << 16, dtype=np.uint16).view(np.float16))
FINITE = np.unique(HALVES[np.isfinite(HALVES)])


def new_axes(width=6.4, height=4.8):
    return Figure((width, height), layout="constrained").subplots()


def lines(ax, label):
    """Return the data of the lines with a label."""
    return [line.get_xydata() for line in ax.lines if line.get_label() == label]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def labels(ax):
    """Return the texts on a number line with their places."""
    return {text.get_text(): text.xy[0] for text in ax.texts if hasattr(text, "xy")}


def one_over_root(x):
    return 1 / np.sqrt(x)


# ---------------------------------------------------------------- errors


def test_errors_at_every_half():
    """There is a point for each half, at its error against the result in double."""
    ax = plots.errors("exp", "halfcl", ax=new_axes())
    ((x, errors),) = (data.T for data in lines(ax, legend(ax)[0]))
    with np.errstate(over="ignore"):
        exact = np.exp(x)
        expected = hc.ulp_error(hc.exp(np.float16(np.clip(x, -65504, 65504))), exact)
    inside = np.abs(x) < 65520
    np.testing.assert_allclose(errors[inside], expected[inside], atol=1e-9)
    assert np.array_equal(np.unique(x[inside]), FINITE.astype(float))
    assert legend(ax) == ["halfcl: all right, at most 0.49999 ulp"]
    assert ax.get_ylabel() == "error of exp(x), ulps"


def test_wrong_results_are_dots():
    """The dots outside are the results that an audit counts as wrong."""
    ax = plots.errors("rsqrt", ["halfcl", one_over_root], ax=new_axes())
    report = audit.run(one_over_root, "rsqrt")["rsqrt"]
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert [line.get_xdata().size for line in dots] == [0, report.wrong]
    assert np.abs(dots[1].get_ydata()).min() > 0.5 - 1e-9
    assert np.abs(dots[1].get_ydata()).max() == pytest.approx(report.max_ulp)
    low, high = ax.get_ylim()
    assert low < -report.max_ulp and report.max_ulp < high and ax.get_yscale() == "linear"
    assert legend(ax)[1] == "one_over_root: 8,402 of 65,536 wrong, at most 1.327 ulp"


def test_the_best_is_on_top():
    ax = plots.errors("rsqrt", ["halfcl", one_over_root], ax=new_axes())
    ours, theirs = (line.get_zorder() for line in ax.lines if line.get_marker() == ",")
    assert ours > theirs
    ax = plots.errors("log2", ["halfcl", "halfcl"], ax=new_axes())
    first, second = (line.get_zorder() for line in ax.lines if line.get_marker() == ",")
    assert first > second


def test_equal_targets_are_drawn():
    ax = plots.errors("exp", ["halfcl", "halfcl"], ax=new_axes())
    assert len(legend(ax)) == 2


def test_large_errors_are_logarithmic():
    ax = plots.errors("sinh", lambda x: (np.exp(x) - np.exp(-x)) / 2, ax=new_axes())
    assert ax.get_yscale() == "symlog"
    ticks = [tick.get_text() for tick in ax.get_yticklabels()]
    assert sorted(ticks, key=lambda text: float(text.replace(",", ""))) == [
        "-1,000", "-100", "-10", "-1", "0", "1", "10", "100", "1,000"
    ]  # fmt: skip
    low, high = ax.get_ylim()
    assert all(low <= tick <= high for tick in ax.get_yticks(minor=True))


def test_few_decades_have_more_ticks():
    """Without them a reader would take a logarithmic scale for a linear one."""
    ax = plots.errors("exp", lambda x: np.exp(x) * np.float16(1.004), ax=new_axes())
    assert 2 < np.max(ax.get_ylim()) < 100
    assert {-5, -2, -1, 0, 1, 2, 5} <= set(ax.get_yticks())


@one_in(2)
@pytest.mark.parametrize("largest", [3.0, 50.0, 4e4, 1e7, 8e11, 1e30])
def test_labels_of_ulps_are_few_and_begin_at_1(largest):
    ax = plt.figure().add_subplot()
    use_ulps(ax, largest)
    ticks = [tick for tick in ax.get_yticks() if tick > 0]
    assert ticks[0] == 1 and 2 <= len(ticks) <= 5 and ticks[-1] <= 2 * largest
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(labels)) == len(labels) and max(map(len, labels)) <= 8


def test_errors_over_many_decades_have_few_labels_and_all_axes_width():
    def fast_exp(x):
        value = (1 + x.astype(np.float32) / 256) ** 256
        return value.astype(np.float16)

    with np.errstate(all="ignore"):
        ax = plots.errors("exp", fast_exp)
    ax.figure.canvas.draw()
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert len(labels) < 12
    assert "10⁶" in labels
    assert {0, 1, -1} <= set(ax.get_yticks())
    assert "at most 7.98e+11 ulp" in legend(ax)[0]
    edges = [a.get_window_extent().x1 for a in (ax, ax.get_legend())]
    assert max(edges) <= ax.figure.bbox.x1 and edges[0] > 0.9 * ax.figure.bbox.x1


def test_nan_and_infinity_are_marked_at_the_top():
    """Only wrong ones are: sqrt(-1) is NaN."""

    def spoilt(x):
        return np.where(x == 4, np.float16(np.nan), np.where(x == -9, x, np.sqrt(x)))

    ax = plots.errors("sqrt", spoilt, ax=new_axes())
    (marks,) = lines(ax, "NaN or infinity")
    assert marks[:, 0].tolist() == [-9, 4] and (marks[:, 1] > 0.9).all() and (marks < 5).all()
    (cloud,) = lines(ax, legend(ax)[0])
    assert (cloud[:, 0] >= 0).all()
    assert "2 by a NaN or an infinity" in legend(ax)[0]


def test_each_half_is_a_step_from_the_next():
    ax = plots.errors("exp", "halfcl", ax=new_axes())
    across = ax.transData.transform(np.stack([FINITE.astype(float), np.zeros(FINITE.size)], -1))
    steps = np.diff(across[:, 0])
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-6)
    texts = [tick.get_text() for tick in ax.get_xticklabels()]
    assert texts == ["-10⁴", "-100", "-1", "-0.01", "0", "0.01", "1", "100", "10⁴"]
    narrow = plots.errors("exp", "halfcl", ax=new_axes(3))
    assert [t.get_text() for t in narrow.get_xticklabels()] == ["-10⁴", "-1", "0", "1", "10⁴"]


def test_ordinals_and_back():
    halves = HALVES[~np.isnan(HALVES)].astype(float)
    assert np.array_equal(from_ordinals(ordinals(halves)), halves)
    places = np.linspace(-31744, 31744, 12345)
    np.testing.assert_allclose(ordinals(from_ordinals(places)), places, atol=1e-8)
    assert from_ordinals([np.inf, -np.inf]).tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("name", ["asin", hc.asin, np.arcsin, "arcsin"])
def test_functions_and_their_names(name):
    assert plots.errors(name, "halfcl", ax=new_axes()).get_ylabel() == "error of asin(x), ulps"


@pytest.fixture
def light_peers(monkeypatch):
    """Let no library be imported that takes seconds to load; the last of these is missing."""
    monkeypatch.setattr(errors_module, "_PEERS", ("numpy", "numkong"))
    monkeypatch.setitem(sys.modules, "numkong", None)


def test_installed_libraries_by_default(light_peers):
    drawn = [text.partition(":")[0] for text in legend(plots.errors("exp", ax=new_axes()))]
    assert drawn == ["halfcl", "numpy"]
    with pytest.raises(hc.MissingPackageError, match="numkong is needed"):
        plots.errors("sin", "numkong", ax=new_axes())
    with hc.accelerated():  # NumPy's loops are not there to be drawn
        assert "numpy" not in "".join(legend(plots.errors("exp", ax=new_axes())))
        with pytest.raises(audit.TargetError, match="decelerate"):
            plots.errors("exp", "numpy", ax=new_axes())


def test_library_without_the_function_is_left_out(light_peers):
    assert [t.partition(":")[0] for t in legend(plots.errors("sinpi", ax=new_axes()))] == ["halfcl"]
    with pytest.raises(ValueError, match="numpy"):
        plots.errors("sinpi", "numpy", ax=new_axes())


def test_names_of_targets_with_an_underscore_are_in_the_legend():
    target = audit.CallablesTarget("_mine", {"exp": np.exp})
    assert "_mine: " in legend(plots.errors("exp", target, ax=new_axes()))[0]


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (("expp",), ValueError, "name: expected a function of halfcl"),
        ((len,), TypeError, "name: expected a function of halfcl"),
        ((3,), TypeError, "name: expected"),
        (("pow",), ValueError, r"one half .* got pow; halfcl.audit.run\('numpy', 'pow'\)"),
        (("isnan",), ValueError, "one half"),
        (("exp", []), ValueError, "targets: expected .* got none"),
        (("exp", 7), TypeError, "targets: expected names"),
        (("exp", [None]), TypeError, "targets: expected names"),
        (("exp", "nolibrary"), audit.TargetError, "expected one of numpy"),
        (("exp", lambda x: x[:3]), audit.TargetError, "shape"),
    ],
)
def test_errors_of_errors(arguments, error, match):
    with pytest.raises(error, match=match):
        plots.errors(*arguments, ax=new_axes())


# ---------------------------------------------------------------- spacing


def at(data, x):
    """Return a step curve's values between its corners."""
    starts, levels = data[::2, 0], data[::2, 1]
    return levels[np.searchsorted(starts, x, side="right") - 1]


def test_spacing_is_the_ulp():
    ax = plots.spacing(ax=new_axes())
    x = FINITE[FINITE > 0]
    (of_half,), (of_single,) = lines(ax, "half"), lines(ax, "float32")
    np.testing.assert_array_equal(at(of_half, x.astype(float)), hc.ulp(x).astype(float))
    np.testing.assert_array_equal(at(of_single, x.astype(float)), np.spacing(x.astype(np.float32)))
    assert of_half[0, 0] == 2.0**-24 and of_half[-1, 0] == 65504
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_spacing_of_bfloat16():
    dtypes = pytest.importorskip("ml_dtypes")
    x = FINITE[FINITE > 0].astype(dtypes.bfloat16)
    (data,) = lines(plots.spacing("bfloat16", ax=new_axes()), "bfloat16")
    expected = np.spacing(x).astype(float)
    below = x.astype(float) < 65280  # from there on halves are rounded to 65536
    np.testing.assert_array_equal(at(data, x.astype(float))[below], expected[below])


def test_relative_spacing():
    ax = plots.spacing(["half"], relative=True, ax=new_axes())
    ((x, share),) = (data.T for data in lines(ax, "half"))
    normal = (x[::2] >= 2.0**-14) & (x[::2] < 32768)
    assert (share[::2][normal] == 2.0**-10).all() and share[0] == 1
    assert legend(ax) == ["half"] and ax.get_ylabel().endswith("/ x")


@pytest.mark.parametrize(
    ("formats", "error"),
    [("float8", ValueError), ([], ValueError), (3, TypeError), ([1], ValueError)],
)
def test_errors_of_spacing(formats, error):
    with pytest.raises(error, match="formats: expected some of half, bfloat16, float32"):
        plots.spacing(formats, ax=new_axes())
    with pytest.raises(TypeError, match="relative: expected a bool"):
        plots.spacing(relative="x", ax=new_axes())


# ---------------------------------------------------------------- modes


@pytest.mark.parametrize("mode", hc.MODES)
def test_distances_of_modes(mode):
    x = half(np.linspace(0.5, 2, 40))
    ax = plots.modes("sqrt", x, ax=new_axes())
    label = mode if mode != "rtz" else "rtz (as rtn or rtp)"
    ((drawn, distance),) = (data.T for data in lines(ax, label))
    exact = np.sqrt(x.astype(float))
    assert np.array_equal(drawn, x.astype(float))
    np.testing.assert_allclose(distance, hc.ulp_error(hc.sqrt(x, rounding=mode), exact), atol=1e-6)
    assert ax.get_title(loc="right") == "sqrt"


def test_modes_of_code_and_other_arguments():
    def scale(x, factor):
        return (1 + x) * factor - factor

    x = half(np.linspace(0.001, 0.1, 30))
    ax = plots.modes(scale, x, half(3), ax=new_axes())
    report = stability.rerun(scale, x, half(3))
    ((_, distance),) = (data.T for data in lines(ax, "rtp"))
    expected = ordinals(report.values["rtp"]) - ordinals(report.exact)
    np.testing.assert_allclose(distance, expected)
    assert ax.get_yscale() == "symlog" and np.abs(distance).max() > 10


def test_modes_at_every_half():
    """Overflow is no NaN; all halves are on an axis of halves, which has room for all distances."""
    ax = plots.modes(np.exp, FINITE.view(half), ax=new_axes())
    ((x, distance),) = (data.T for data in lines(ax, "rtn"))
    assert x.size == FINITE.size and (distance <= 0).all() and distance.min() == -1
    assert ax.get_xscale() == "function" and not lines(ax, "NaN or infinity")


def test_modes_of_numbers_are_rounded_first():
    ax = plots.modes("exp", [0.1, 1 / 3], ax=new_axes())
    ((x, _),) = (data.T for data in lines(ax, "rte"))
    assert x.tolist() == half([0.1, 1 / 3]).astype(float).tolist()


def test_modes_mark_nan():
    """A NaN that only rounding makes is marked, and one that is exact is not."""
    x = half([0.5, 1, -1, 2])
    ax = plots.modes(lambda x: np.sqrt((x - 1) * (1 + half(0.001)) + (1 - x)), x, ax=new_axes())
    marks = lines(ax, "NaN or infinity")
    assert not marks or -1 not in marks[0][:, 0]
    ax = plots.modes(lambda x: np.sqrt(x), half([-1, 4]), ax=new_axes())
    assert not lines(ax, "NaN or infinity")
    ax = plots.modes(lambda x: x * 65504 - x * 65504, half([1, 1.5]), ax=new_axes())
    assert lines(ax, "NaN or infinity")[0][:, 0].tolist() == [1.5]


def test_modes_of_one_number_are_a_number_line():
    ax = plots.modes("exp", 1.5, ax=new_axes())
    exact = pytest.approx(np.exp(1.5))
    low, high = float(hc.exp(half(1.5), rounding="rtn")), float(hc.exp(half(1.5), rounding="rtp"))
    assert labels(ax) == {"rte, rtz, rtn": low, "exact": exact, "rtp": high}


def test_modes_do_not_change_regions_or_arguments():
    x = half([0.5, 1.5])
    before = x.copy()
    plots.modes("exp", x, ax=new_axes())
    assert hc.get_rounding() == "rte" and np.array_equal(x, before)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (("expp", [1.0]), ValueError, "f: expected a function"),
        ((3, [1.0]), TypeError, "f: expected a function"),
        ((np.exp, "x"), TypeError, "x: expected real numbers"),
        ((np.exp, [1j]), TypeError, "x: expected real numbers"),
        ((np.exp, []), ValueError, "x: expected one number or"),
        ((np.exp, [[1.0]]), ValueError, "x: expected one number or"),
        ((np.sum, [1.0, 2.0]), ValueError, r"f: expected one result of x's shape \(2,\)"),
        (("sincos", [1.0, 2.0]), ValueError, "got 2 results"),
    ],
)
def test_errors_of_modes(arguments, error, match):
    with pytest.raises(error, match=match):
        plots.modes(*arguments, ax=new_axes())


# ---------------------------------------------------------------- number lines


@pytest.mark.parametrize("number", [0.1, "0.1", np.float32(0.1)])
def test_number_between_its_neighbours(number):
    ax = plots.number_line(number, ax=new_axes())
    below, above = float(half(0.1)), float(hc.nextup(half(0.1)))
    places = labels(ax)
    assert (places["rte, rtz, rtn"], places["rtp"]) == (below, above)
    assert places[str(number)] == pytest.approx(0.1)
    ticks = [float(hc.nextdown(half(0.1))), below, above]
    assert list(ax.get_xticks()) == ticks
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [
        "0.0999146",
        "0.0999756",
        "0.100037",
    ]
    assert ax.get_title(loc="left").startswith("off by")


def test_half_on_a_number_line():
    ax = plots.number_line(half(1), ax=new_axes())
    assert labels(ax) == {"rte, rtz, rtp, rtn, 1.0": 1}
    assert list(ax.get_xticks()) == [1 - 2.0**-11, 1, 1 + 2.0**-10]


@one_in(2)
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, 70000, 10**400, 0, 65504, -(2**-30)])
def test_ends_of_the_range_on_a_number_line(number):
    ax = plots.number_line(number, ax=new_axes())
    ax.figure.draw_without_rendering()
    texts = " ".join(text.get_text() for text in ax.texts)
    assert all(mode in texts for mode in hc.MODES)
    if abs(number) >= 70000:
        assert ("inf" in texts) == (number > 0 or number == -np.inf)


def test_several_numbers():
    ax = plots.number_line(
        {"a": 0.25, "b": half([0.5, 0.75]), "n": np.nan, "i": np.inf}, ax=new_axes()
    )
    assert labels(ax) == {"a": 0.25, "b": 0.5}
    assert [float(line.get_xdata()[0]) for line in ax.lines] == [0.25, 0.5, 0.75]
    assert {"NaN: n", "inf: i →"} <= {text.get_text() for text in ax.texts}
    ax = plots.number_line(half([1, 2, 3.5]), ax=new_axes())
    assert labels(ax) == {"1": 1, "2": 2, "3.5": 3.5}
    many = plots.number_line(np.linspace(0, 1, 50), ax=new_axes())
    assert not labels(many) and len(many.lines) == 50


def test_fractions_and_masked_numbers():
    ax = plots.number_line([Fraction(1, 4), Decimal("0.5")], ax=new_axes())
    assert labels(ax) == {"1/4": 0.25, "0.5": 0.5}
    ax = plots.number_line(np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), ax=new_axes())
    assert labels(ax) == {"1": 1, "3": 3}
    ax = plots.modes("exp", np.ma.array(half([1, 2, 3]), mask=[0, 1, 0]), ax=new_axes())
    assert lines(ax, "rte")[0][:, 0].tolist() == [1, 3]


def test_numbers_far_apart_are_in_the_order_of_halves():
    assert plots.number_line([1e-6, 1, 300], ax=new_axes()).get_xscale() == "function"
    assert plots.number_line([1, 2, 300], ax=new_axes()).get_xscale() == "linear"


@pytest.mark.parametrize("width", [3, 6.4, 12])
def test_labels_cover_no_others(width):
    values = {f"number {k}": 1 + 0.01 * k * k for k in range(8)}
    ax = plots.number_line(values, ax=new_axes(width, 3))
    ax.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without the line to the value
    ends = [(box.x0, box.x1, box.y0) for box in boxes]
    for k, (start, end, height) in enumerate(ends):
        for other_start, other_end, other_height in ends[:k]:
            same_level = abs(height - other_height) < 2
            assert not same_level or end <= other_start + 2 or other_end <= start + 2


@pytest.mark.parametrize(
    ("x", "error"),
    [([], ValueError), ([10**400], TypeError), ([None], TypeError), ({}, ValueError),
     ("one", ValueError), (1j, TypeError),
     (object(), TypeError), (["a"], TypeError), ([[1], [2, 3]], TypeError),
     ({"a": "b"}, TypeError), (None, TypeError), (Interval(1), TypeError)],
)  # fmt: skip
def test_errors_of_number_lines(x, error):
    with pytest.raises(error, match=r"^x.*: expected"):
        plots.number_line(x, ax=new_axes())


# ---------------------------------------------------------------- boxes


def wave(x):
    return x * np.sin(3 * x) - x * x / 2 + x


def corners(ax):
    (collection,) = ax.collections
    return np.array([path.vertices[:4] for path in collection.get_paths()])


@pytest.mark.parametrize("enclose", [None, interval.mean_value, interval.range_of])
def test_boxes_are_enclosures(enclose):
    ax = plots.boxes(wave, (-1, 3), count=16, enclose=enclose, ax=new_axes())
    edges = np.linspace(-1, 3, 17).astype(half)
    parts = Interval(edges[:-1], edges[1:])
    bounds = wave(parts) if enclose is None else enclose(wave, parts)
    drawn = corners(ax)
    assert np.array_equal(drawn[:, 0, 0], edges[:-1].astype(float))
    assert np.array_equal(drawn[:, 2, 0], edges[1:].astype(float))
    assert np.array_equal(drawn[:, 0, 1], bounds.inf.astype(float))
    assert np.array_equal(drawn[:, 1, 1], bounds.sup.astype(float))


def test_the_curve_is_in_the_boxes():
    ax = plots.boxes(wave, Interval(-1, 3), ax=new_axes())
    (curve,) = lines(ax, "wave")
    np.testing.assert_allclose(curve[:, 1], wave(curve[:, 0]))
    drawn = corners(ax)
    box = np.clip(np.searchsorted(drawn[:, 0, 0], curve[:, 0], side="right") - 1, 0, None)
    assert (drawn[box, 0, 1] <= curve[:, 1]).all() and (curve[:, 1] <= drawn[box, 1, 1]).all()
    assert ax.get_xlim() == (-1, 3)


def test_boxes_of_poles_and_outside_the_domain():
    """An unbounded box ends at half's largest number; an empty one is not drawn."""
    ax = plots.boxes(lambda x: 1 / x, (-1, 1), count=3, ax=new_axes())
    drawn = corners(ax)
    assert drawn[1, :, 1].min() == -65504 and drawn[1, :, 1].max() == 65504
    ax = plots.boxes("sqrt", (-2, 2), count=4, ax=new_axes())
    assert corners(ax)[:, 0, 0].tolist() == [-1, 0, 1]
    (curve,) = lines(ax, "sqrt")
    assert np.isnan(curve[curve[:, 0] < 0, 1]).all() and np.isfinite(curve[-1, 1])


def test_boxes_of_given_and_decorated_intervals():
    parts = Interval([0, 2], [1, 4])
    ax = plots.boxes(np.square, parts, count=7, ax=new_axes())
    assert corners(ax)[:, :2].tolist() == [[[0, 0], [0, 1]], [[2, 4], [2, 16]]]
    ax = plots.boxes(
        wave, (0, 1), enclose=lambda f, x: f(DecoratedInterval(x)), count=5, ax=new_axes()
    )
    assert len(corners(ax)) == 5


def test_boxes_of_functions_of_intervals():
    """The curve of what returns intervals alone has their middles."""
    ax = plots.boxes(interval.sin, DecoratedInterval(0, 1), ax=new_axes())
    (curve,) = lines(ax, "sin")
    np.testing.assert_allclose(curve[:, 1], np.sin(curve[:, 0]), atol=2e-3)


def test_boxes_of_a_point_and_of_few_halves():
    assert len(corners(plots.boxes(wave, (1, 1), ax=new_axes(), count=4))) == 1
    narrow = plots.boxes(wave, Interval(half(1), hc.nextup(half(1))), count=16, ax=new_axes())
    assert len(corners(narrow)) == 1


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "match"),
    [
        ((3, (0, 1)), {}, TypeError, "f: expected a function"),
        (("nothing", (0, 1)), {}, ValueError, "f: expected a function"),
        ((wave, 3), {}, TypeError, "interval: expected an Interval or a pair"),
        ((wave, (0, np.inf)), {}, ValueError, "interval: expected a bounded interval"),
        ((wave, (2, 1)), {}, ValueError, "interval: lo: expected at most hi"),
        ((wave, interval.empty), {}, ValueError, "interval: expected a bounded interval"),
        ((wave, Interval([[0]], [[1]])), {}, ValueError, "interval: expected one, or shape"),
        ((wave, (0, 1)), {"count": 0}, ValueError, "count: expected an integer from 1"),
        ((wave, (0, 1)), {"count": 1.5}, TypeError, "count: expected an int"),
        ((wave, (0, 1)), {"enclose": 3}, TypeError, "enclose: expected a function"),
        ((lambda x: 3, (0, 1)), {}, TypeError, "f: expected intervals of shape"),
    ],
)
def test_errors_of_boxes(arguments, keywords, error, match):
    with pytest.raises(error, match=match):
        plots.boxes(*arguments, **keywords, ax=new_axes())


# ---------------------------------------------------------------- all of them

ALL = {
    "boxes": lambda ax: plots.boxes(wave, (0, 1), ax=ax),
    "errors": lambda ax: plots.errors("exp", ["halfcl", "numpy"], ax=ax),
    "modes": lambda ax: plots.modes("exp", [1.0, 2.0], ax=ax),
    "modes of one": lambda ax: plots.modes("exp", 1.0, ax=ax),
    "number_line": lambda ax: plots.number_line(0.1, ax=ax),
    "spacing": lambda ax: plots.spacing(ax=ax),
}


def test_every_function_is_tried_here():
    assert {name.partition(" ")[0] for name in ALL} == set(plots.__all__)


@pytest.mark.parametrize("name", ALL)
def test_axes_are_the_callers_or_new(name):
    before = plt.get_fignums()
    ax = new_axes()
    assert ALL[name](ax) is ax and plt.get_fignums() == before
    ax = ALL[name](None)
    assert plt.get_fignums() == [*before, ax.figure.number]
    plt.close(ax.figure)
    for wrong in (3, plt, type(ax)):
        with pytest.raises(TypeError, match=r"^ax: expected Axes of matplotlib"):
            ALL[name](wrong)
    assert plt.get_fignums() == before


@one_in(2)
@pytest.mark.parametrize(("name", "suffix"), in_modes(ALL, ("png", "svg", "pdf")))
def test_pictures_are_saved(name, suffix, tmp_path):
    path = tmp_path / f"picture.{suffix}"
    ALL[name](new_axes()).figure.savefig(path)
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("name", ALL)
def test_a_dark_style_is_kept(name):
    """Text and lines are light, although the picture is saved in another style."""
    with plt.style.context("dark_background"):
        ax = ALL[name](new_axes())
        cycle = [to_rgba(colour) for colour in plt.rcParams["axes.prop_cycle"].by_key()["color"]]
    shown = [
        *ax.texts,
        ax.xaxis.label,
        ax.yaxis.label,
        *(ax.get_legend() or ax).findobj(type(ax.title)),
    ]
    assert all(sum(to_rgba(text.get_color())[:3]) > 1.4 for text in shown)
    colours = {to_rgba(line.get_color()) for line in ax.lines}
    assert colours and colours <= {*cycle, to_rgba("0.5")}


DRAWING = {
    **ALL,
    "Rerun.plot": lambda ax: stability.rerun(np.exp, half([1, 2])).plot(ax=ax),
    "Rerun.plot_error": lambda ax: stability.rerun(np.exp, half([1, 2])).plot_error(ax=ax),
    "plot_band": lambda ax: interval.plot_band([0.0], Interval([0], [1]), ax=ax),
}


@pytest.mark.parametrize("name", DRAWING)
def test_without_matplotlib(name, monkeypatch):
    for module in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(hc.MissingPackageError, match=r"matplotlib is needed .*halfcl\[plot\]"):
        DRAWING[name](None)


def test_importing_plots_does_not_import_matplotlib():
    code = "import sys, halfcl.plots; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
