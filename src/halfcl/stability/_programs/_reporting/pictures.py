"""The charts of a report: digits over time, and spread over elements."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from halfcl._support.pages.charts import (
    HEIGHT,
    Axis,
    Chart,
    Shape,
    decade_ticks,
    heights,
    linear_ticks,
    log2_1p,
    number_text,
    widths,
)
from halfcl.stability import THRESHOLD
from halfcl.stability._measures import PRECISION_IN_DIGITS
from halfcl.stability._programs._analysis.results import Result
from halfcl.stability._programs._analysis.traces import Moment
from halfcl.stability._programs._wording import FARTHEST, location

_MOST_BARS = 400
_MOST_DOTS = 1500

#: The most bars that have gaps between them.
_MOST_GAPS = 200


def digits_over_time(
    moments: Sequence[Moment], guilty: Collection[tuple[str, int]], end: str = ""
) -> Chart | None:
    """Draw a dot for each value of a variable; its height is the number of digits.

    guilty: lines to blame, whose dots are marked. end: a sentence on the end of the chart. The
    chart is None without moments.
    """
    if not moments:
        return None
    steps = Axis(0, max(moments[-1].step, 1))
    digits = Axis(0, PRECISION_IN_DIGITS)
    shown = moments[:: -(-len(moments) // _MOST_DOTS)]
    return Chart(
        "Digits of variables over time",
        "Each dot is a value of a variable at one step: the median of the significant digits of "
        f"its elements.{end}",
        ("lines run", "significant digits"),
        steps.labels(linear_ticks(steps.low, steps.high, whole=True), number_text),
        digits.labels(linear_ticks(digits.low, digits.high, whole=True), number_text),
        [
            Shape(
                "bad" if (m.file, m.line) in guilty else "accent",
                f"M{x} {y}h0",
                f"{location(m.file, m.line)}: {m.name}: {m.digits:.1f} digits",
                is_dot=True,
            )
            for m, x, y in zip(
                shown,
                widths(steps.positions([m.step for m in shown])),
                heights(digits.positions([m.digits for m in shown])),
                strict=True,
            )
        ],
        keys=[("bad", "lines to blame")] if guilty else [],
    )


def spread_over_elements(result: Result) -> Chart | None:
    """Draw a bar for each element or group of elements; its height is the logarithm of the spread.

    The chart is None if no element has a spread.
    """
    spread = np.minimum(result.spread, FARTHEST)
    if not spread.any():
        return None
    parts = np.array_split(spread, min(spread.size, _MOST_BARS))
    worst = [float(part.max()) for part in parts]
    ulps = Axis(0, FARTHEST, log2_1p)
    ends = widths(np.linspace(0, 1, len(parts) + 1))
    gap = 1 if len(parts) < _MOST_GAPS else 0
    bars = [
        Shape(
            "bad" if most > THRESHOLD else "accent",
            f"M{start} {HEIGHT}V{top}H{end - gap:.4g}V{HEIGHT}z",
            f"{most:.0f} ulps",
        )
        for most, start, end, top in zip(
            worst, ends, ends[1:], heights(ulps.positions(worst)), strict=False
        )
        if most > 0
    ]
    numbers = Axis(0, spread.size)
    return Chart(
        f"Spread of the elements of {result.name}",
        "the ulps from the least result to the largest.",
        ("element", "spread, ulps"),
        numbers.labels(linear_ticks(0, spread.size, whole=True), number_text),
        ulps.labels(decade_ticks(ulps.high), number_text),
        bars,
        name=result.name,
        limits=ulps.labels([THRESHOLD], "unstable above {:.0f}".format),
    )
