"""The charts of the command's page: dots and bars at their places, in their colours."""

import math
import os

import numpy as np
import pytest

from halfcl.stability import THRESHOLD
from halfcl.stability._measures import PRECISION_IN_DIGITS
from halfcl.stability._programs._analysis.results import Output, Result
from halfcl.stability._programs._analysis.traces import Moment
from halfcl.stability._programs._reporting.pictures import (
    digits_over_time,
    error_over_elements,
    errors_over_inputs,
    spread_over_elements,
)
from halfcl.stability._programs._rewriting.measuring import ErrorsByInput, errors_by_input
from halfcl.stability._programs._wording import FARTHEST, file_name


def moment(step, digits, line=1):
    return Moment(step, "folder/a.py", line, "x", digits, 0.0)


def result(*spread):
    """Return a result whose elements have a spread, in ulps."""
    own = Result("r", [("rte", Output((np.ones(len(spread)),)))], None)
    own.spread = np.array(spread)
    return own


def test_dots_are_at_steps_and_digits():
    chart = digits_over_time(
        [moment(0, PRECISION_IN_DIGITS), moment(5, 0.0, line=3),
         moment(20, PRECISION_IN_DIGITS / 4)],
        {("folder/a.py", 3)}, " It ends.",
    )  # fmt: skip
    assert [(dot.path, dot.colour, dot.is_dot) for dot in chart.shapes] == [
        ("M0.0 0h0", "accent", True), ("M250.0 1000h0", "bad", True),
        ("M1000.0 750h0", "accent", True),
    ]  # fmt: skip
    assert chart.shapes[1].title == "a.py:3: x: 0.0 digits"
    assert chart.caption.endswith("elements. It ends.") and chart.keys == [
        ("bad", "lines to blame")
    ]
    assert [label.text for label in chart.x_labels] == ["0", "5", "10", "15", "20"]
    assert [label.text for label in chart.y_labels] == ["0", "1", "2", "3"]


def test_chart_of_one_moment_and_of_none():
    assert digits_over_time([], set()) is None
    (dot,) = digits_over_time([moment(0, math.nan)], set()).shapes
    assert dot.path == "M0.0 1000h0"


def test_many_moments_are_thinned():
    chart = digits_over_time([moment(k, 1.0) for k in range(10_000)], set())
    assert 1000 < len(chart.shapes) <= 1500


def test_bars_are_logarithms_of_the_spread():
    chart = spread_over_elements(result(0, THRESHOLD, THRESHOLD + 1, 255.0, 1e9))
    height = {ulps: 1000 - round(1000 * math.log2(1 + ulps) / math.log2(65537))
              for ulps in (THRESHOLD, THRESHOLD + 1, 255.0)}  # fmt: skip
    assert [(bar.path, bar.colour, bar.title) for bar in chart.shapes] == [
        (f"M200.0 1000V{height[32]}H399V1000z", "accent", "element 1: from 1 to 1: 32 ulps"),
        (f"M400.0 1000V{height[33]}H599V1000z", "bad", "element 2: from 1 to 1: 33 ulps"),
        (f"M600.0 1000V{height[255]}H799V1000z", "bad", "element 3: from 1 to 1: 255 ulps"),
        ("M800.0 1000V0H999V1000z", "bad", "element 4: from 1 to 1: all ulps"),
    ]
    assert [label.text for label in chart.y_labels] == [
        "0", "1", "10", "100", "1,000", "10,000", "all"
    ]  # fmt: skip
    (limit,) = chart.limits
    assert limit.text == "unstable above 32"
    assert limit.position == pytest.approx(math.log2(33) / math.log2(65537))
    assert [label.text for label in chart.x_labels] == ["0", "1", "2", "3", "4", "5"]


def test_many_elements_share_bars_that_show_the_worst():
    spread = np.zeros(10_000)
    spread[4012] = 7
    chart = spread_over_elements(result(*spread))
    (bar,) = chart.shapes
    assert (
        bar.path == "M400.0 1000V813H402.5V1000z"
        and bar.title == "element 4012: from 1 to 1: 7 ulps"
    )
    for few in ((0, 0, 0), (), (9, 9)):
        assert spread_over_elements(result(*few)) is None


def test_error_against_the_reference_has_its_own_chart():
    half = np.array([1.0, 2.0, 3.0, 4.0])
    runs = [("rte", Output((half,))), ("rtz", Output((half,)))]
    assert error_over_elements(Result("r", runs, runs[0][1])) is None  # no reference
    own = Result("r", runs, runs[0][1])
    own.compare_with(Output((half * [1, 1 + 2**-9, 1.25, np.nan],)))
    chart = error_over_elements(own)
    assert [bar.colour for bar in chart.shapes] == ["accent", "bad", "bad"]
    assert chart.shapes[1].title == "element 2: 3, exact 3.75: 384 ulps"
    assert chart.shapes[2].path.startswith("M750.0 1000V0")  # as far as it gets
    (limit,) = chart.limits
    assert limit.text == "off above 16" and "reference" in chart.caption


def test_names_are_on_the_last_dots_of_variables():
    moments = [moment(0, 3.0), moment(10, 1.0), moment(10, 2.0, line=2)]
    marks = digits_over_time(moments, set()).marks
    assert [(mark.x, round(mark.y, 3)) for mark in marks] == [
        (1.0, round(1 / PRECISION_IN_DIGITS, 3)), (1.0, round(2 / PRECISION_IN_DIGITS, 3))
    ]  # fmt: skip
    top = digits_over_time([moment(5, PRECISION_IN_DIGITS)], set()).marks
    assert top[0].y < 0.95  # below the dot, inside the drawing


def test_errors_before_and_after_are_dots_over_inputs():
    errors = ErrorsByInput("x", (1.0, 2.0, 5.0), (127.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    chart = errors_over_inputs(errors)
    assert [(dot.path, dot.colour, dot.is_dot) for dot in chart.shapes] == [
        ("M0.0 0h0", "bad", True), ("M250.0 857h0", "bad", True), ("M1000.0 1000h0", "bad", True),
        ("M0.0 857h0", "accent", True), ("M250.0 1000h0", "accent", True),
        ("M1000.0 1000h0", "accent", True),
    ]  # fmt: skip
    assert chart.shapes[0].title == "1: 127 ulps"
    assert chart.axis_names == ("x", "error, ulps")
    assert chart.keys == [("bad", "it is"), ("accent", "it could be")]
    assert [label.text for label in chart.x_labels] == ["1", "2", "3", "4", "5"]
    assert [label.text for label in chart.y_labels] == ["0", "1", "10", "100"]


def test_errors_beyond_comparison_have_a_label():
    errors = ErrorsByInput("x", (1.0, 2.0, 5.0), (FARTHEST, 1.0, 0.0), (1.0, 0.0, 0.0))
    assert [label.text for label in errors_over_inputs(errors).y_labels] == [
        "0", "1", "10", "100", "1,000", "10,000", "all",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("inputs", "labels"),
    [
        ((0.001, 1.0, 1000.0), ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]),
        ((-0.2, -0.001, 0.2), "-0.1 -0.01 -0.001 -10⁻⁴ 0 10⁻⁴ 0.001 0.01 0.1".split()),
        ((1e-7, 1e-3, 1.0), ["10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"]),
    ],
)
def test_inputs_of_many_magnitudes_lie_as_halves_do(inputs, labels):
    """Ticks are decades, so far apart that they do not cover each other."""
    zeros = (0.0,) * len(inputs)
    chart = errors_over_inputs(ErrorsByInput("x", inputs, zeros, zeros))
    texts = [label.text for label in chart.x_labels]
    assert texts == labels
    positions = np.array([label.position for label in chart.x_labels])
    assert (np.diff(positions) >= 0.05).all()


def test_many_inputs_are_thinned_to_the_worst_ones():
    inputs = np.arange(6000.0)[::-1]
    old = np.zeros((4, inputs.size))
    old[2, 17] = 99.0
    errors = errors_by_input("x", inputs, old, old / 9)
    assert len(errors.inputs) == 300 and list(errors.inputs) == sorted(errors.inputs)
    assert errors.old[errors.inputs.index(inputs[17])] == 99.0
    assert errors.new[errors.inputs.index(inputs[17])] == 11.0


def test_inputs_without_known_errors_are_not_drawn():
    inputs = np.array([3.0, 1.0, 2.0, np.inf, 4.0])
    old = np.array([[1, 2, 3, 4, np.nan]] * 4)
    errors = errors_by_input("x", inputs, old, old / 2)
    assert (errors.inputs, errors.old) == ((1.0, 2.0, 3.0), (2.0, 3.0, 1.0))
    assert errors_by_input("x", inputs[:2], old[:, :2], old[:, :2]) is None


def test_file_names_have_no_folders_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert file_name(str(tmp_path / "own" / "a.py")) == os.path.join("own", "a.py")
    assert file_name(os.path.join(os.sep, "home", "someone", "lib", "b.py")) == os.path.join(
        "lib", "b.py"
    )
