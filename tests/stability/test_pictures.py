"""The charts of the command's page: dots and bars at their places, in their colours."""

import math

import numpy as np
import pytest

from halfcl.stability import THRESHOLD
from halfcl.stability._measures import PRECISION_IN_DIGITS
from halfcl.stability._programs._analysis.results import Output, Result
from halfcl.stability._programs._analysis.traces import Moment
from halfcl.stability._programs._reporting.pictures import digits_over_time, spread_over_elements


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
        (f"M200.0 1000V{height[32]}H399V1000z", "accent", "32 ulps"),
        (f"M400.0 1000V{height[33]}H599V1000z", "bad", "33 ulps"),
        (f"M600.0 1000V{height[255]}H799V1000z", "bad", "255 ulps"),
        ("M800.0 1000V0H999V1000z", "bad", "65536 ulps"),
    ]
    (limit,) = chart.limits
    assert limit.text == "unstable above 32"
    assert limit.position == pytest.approx(math.log2(33) / math.log2(65537))
    assert [label.text for label in chart.x_labels] == ["0", "1", "2", "3", "4", "5"]


def test_many_elements_share_bars_that_show_the_worst():
    spread = np.zeros(10_000)
    spread[4012] = 7
    chart = spread_over_elements(result(*spread))
    (bar,) = chart.shapes
    assert bar.path == "M400.0 1000V813H402.5V1000z" and bar.title == "7 ulps"
    assert spread_over_elements(result(0, 0)) is None and spread_over_elements(result()) is None
