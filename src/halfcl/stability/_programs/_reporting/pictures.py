"""The charts of a report: digits over time, and errors or spreads over elements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from halfcl._opencl.ulps.ordinals import ordinals
from halfcl._support.pages.charts import (
    HEIGHT,
    LINE_HEIGHT,
    Axis,
    Chart,
    Label,
    Mark,
    Shape,
    decade_text,
    decade_ticks,
    heights,
    linear_ticks,
    log2_1p,
    number_text,
    widths,
    without_overlaps,
)
from halfcl.stability import THRESHOLD, _measures as measures
from halfcl.stability._programs._analysis.outputs import Doubles, flatten
from halfcl.stability._programs._analysis.results import Result
from halfcl.stability._programs._analysis.traces import Moment
from halfcl.stability._programs._rewriting.measuring import ErrorsByInput
from halfcl.stability._programs._wording import FARTHEST, location, ulps

_MOST_BARS = 400
_MOST_DOTS = 1500

#: The most bars that have gaps between them.
_MOST_GAPS = 200

#: Tables show what fewer elements have.
_LEAST_ELEMENTS = 3


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
    digits = Axis(0, measures.PRECISION_IN_DIGITS)
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
        marks=_names(moments, steps, digits),
    )


#: The most variables whose names are on their dots; names of dots above this position are below.
_MOST_NAMES, _HIGH = 12, 0.9


def _names(moments: Sequence[Moment], steps: Axis, digits: Axis) -> list[Mark]:
    """Return the names of variables, each on its last dot; those with the fewest digits first."""
    last = {(m.file, m.line, m.name): m for m in moments}
    worst = sorted(last.values(), key=lambda m: (m.digits, -m.step))[:_MOST_NAMES]
    xs, ys = steps.positions([m.step for m in worst]), digits.positions([m.digits for m in worst])
    below = np.where(ys > _HIGH, ys - LINE_HEIGHT, ys)
    marks = [Mark(float(x), float(y), m.name) for m, x, y in zip(worst, xs, below, strict=True)]
    return without_overlaps(marks)


def error_over_elements(result: Result) -> Chart | None:
    """Draw a bar for each element or group of elements; its height is the logarithm of the error.

    The errors are those against the reference. The chart is None if none is known, all are 0, or
    there are few elements.
    """
    error = np.minimum(np.nan_to_num(result.error, nan=0.0, posinf=np.inf), FARTHEST)
    return _bars_of_elements(
        result, error, result.are_bad, "error", _describe_error,
        f"Errors of the elements of {result.name}",
        "the ulps from the run to nearest to the reference, the same program with wider halves.",
        [(measures.MOST_ERROR * THRESHOLD, "off above {:.0f}")],
    )  # fmt: skip


def spread_over_elements(result: Result) -> Chart | None:
    """Draw a bar for each element or group of elements; its height is the logarithm of the spread.

    The chart is None if no element has a spread, or there are few.
    """
    spread = np.minimum(result.spread, FARTHEST)
    return _bars_of_elements(
        result, spread, spread > THRESHOLD, "spread", _describe_spread,
        f"Spread of the elements of {result.name}",
        "the ulps from the least result of all runs to the largest.",
        [(THRESHOLD, "unstable above {:.0f}")],
    )  # fmt: skip


def _bars_of_elements(
    result: Result,
    sizes: Doubles,
    bad: NDArray[np.bool_],
    name: str,
    describe: Callable[[Result, int], str],
    label: str,
    caption: str,
    limits: Sequence[tuple[float, str]],
) -> Chart | None:
    """Draw a bar for each element, or group of elements, whose size is not 0."""
    if not sizes.any() or sizes.size < _LEAST_ELEMENTS:
        return None
    groups = np.array_split(np.arange(sizes.size), min(sizes.size, _MOST_BARS))
    worst = [int(group[np.argmax(sizes[group])]) for group in groups]
    axis = Axis(0, FARTHEST, log2_1p)
    ends = widths(np.linspace(0, 1, len(groups) + 1))
    gap = 1 if len(groups) < _MOST_GAPS else 0
    tops = heights(axis.positions(sizes[worst]))
    bars = [
        Shape(
            "bad" if bad[group].any() else "accent",
            f"M{start} {HEIGHT}V{top}H{end - gap:.4g}V{HEIGHT}z",
            describe(result, most),
        )
        for group, most, start, end, top in zip(groups, worst, ends, ends[1:], tops, strict=False)
        if sizes[most] > 0
    ]
    places = Axis(0, sizes.size)
    return Chart(
        label, caption, ("element", f"{name}, ulps"),
        places.labels(linear_ticks(0, sizes.size, whole=True), number_text),
        _ulp_labels(axis), bars, name=result.name,
        limits=[one for at, text in limits for one in axis.labels([at], text.format)],
    )  # fmt: skip


#: Axes of errors over inputs end at so many ulps, at least.
_LEAST_HIGH = 100.0

#: Inputs are drawn at equal distances if the largest exceeds the smallest by this factor.
_WIDE = 100.0

#: Ticks of such axes, those first that others near them give way to; the least distance.
_DECADES = (0.0, *(sign * 10.0**k for k in range(4, -8, -1) for sign in (1, -1)))
_DISTANCE = 0.05


def errors_over_inputs(errors: ErrorsByInput) -> Chart:
    """Draw two dots for each input: the error of a formula, and that of a better one."""
    inputs, x_labels = _input_axis(np.array(errors.inputs))
    both = {"bad": np.array(errors.old), "accent": np.array(errors.new)}
    high = float(np.max([*both.values()]))
    ulp_axis = Axis(0, FARTHEST if high >= FARTHEST else max(high, _LEAST_HIGH), log2_1p)
    xs = widths(inputs.positions(errors.inputs))
    return Chart(
        f"Errors over {errors.name}, before and after",
        "Each dot is the error for one recorded input, the worst of the four modes.",
        (errors.name, "error, ulps"),
        x_labels,
        _ulp_labels(ulp_axis),
        [
            Shape(colour, f"M{x} {y}h0", f"{value:.4g}: {ulps(size)} ulps", is_dot=True)
            for colour, sizes in both.items()
            for x, y, value, size in zip(
                xs, heights(ulp_axis.positions(sizes)), errors.inputs, sizes, strict=True
            )
        ],
        keys=[("bad", "it is"), ("accent", "it could be")],
    )


def _input_axis(inputs: Doubles) -> tuple[Axis, list[Label]]:
    """Return an axis of inputs, and its labels.

    If their magnitudes differ much, each half has the same distance to the next one.
    """
    low, high = float(inputs.min()), float(inputs.max())
    sizes = np.abs(inputs[inputs != 0])
    if sizes.max() <= _WIDE * sizes.min():
        axis = Axis(low, high)
        return axis, axis.labels(linear_ticks(low, high), number_text)
    axis = Axis(low, high, ordinals)
    ticks: dict[float, float] = {}
    for tick in _DECADES:
        place = float(axis.positions(tick))
        if low <= tick <= high and all(abs(place - other) >= _DISTANCE for other in ticks):
            ticks[place] = tick
    return axis, axis.labels(sorted(ticks.values()), decade_text)


def _ulp_labels(axis: Axis) -> list[Label]:
    """Return 0 and the powers of ten on an axis of ulps.

    If the end is what cannot be compared, it has a label, too.
    """
    if axis.high < FARTHEST:
        return axis.labels(decade_ticks(axis.high), number_text)
    *labels, last = axis.labels([*decade_ticks(axis.high), axis.high], number_text)
    return [*labels, Label(last.position, "all", last.is_minor)]


def _describe_spread(result: Result, k: int) -> str:
    runs = result.runs[:, k]
    return f"element {k}: from {runs.min():.4g} to {runs.max():.4g}: {ulps(result.spread[k])} ulps"


def _describe_error(result: Result, k: int) -> str:
    value = flatten(result.first)[k]
    if result.touched[k]:
        return f"element {k}: {value:.4g}, exact unknown"
    exact = np.nan if result.reference is None else flatten(result.reference)[k]
    return f"element {k}: {value:.4g}, exact {exact:.4g}: {ulps(result.error[k])} ulps"
