"""The chart of a function's errors over all halves."""

from __future__ import annotations

import math

import numpy as np

from halfcl._support.pages.charts import (
    HEIGHT,
    Axis,
    Chart,
    Label,
    Shape,
    heights,
    log2,
    power_text,
    power_ticks,
)
from halfcl.audit._records import BIN, FIRST_PLACE, FunctionReport

_LEAST = 1 / 8  # ulp, at the foot of the chart
_CORRECT = 0.5

#: Positions of the labelled inputs, and whether narrow pages omit the label.
_INPUTS = (
    (-31743, "-65504", False), (-23552, "-256", True), (-15360, "-1", False),
    (-7168, "-2⁻⁸", True), (0, "0", False), (7168, "2⁻⁸", True), (15360, "1", False),
    (23552, "256", True), (31743, "65504", False),
)  # fmt: skip


def chart(function: FunctionReport) -> Chart | None:
    """Return a chart of the largest error in each bin of neighbouring halves, and OpenCL's limits.

    It is None unless the function has one argument, a half.

    Examples
    --------
    >>> from halfcl.audit._output.plot import chart
    >>> from halfcl.audit._records import FunctionReport
    >>> chart(FunctionReport("pow", "numpy.power", ("float16", "float16"), "float16"))
    """
    if not function.curve:
        return None
    axis = Axis(_LEAST, _top(function), log2)
    marks = ", marked at the top where a NaN or an infinity is wrong"
    return Chart(
        f"Errors of {function.label}",
        f"The largest error of each {BIN} neighbours, over all halves in their "
        f"order{marks if function.curve_mistakes else ''}.",
        ("input", "error, ulps"),
        [
            Label((place - FIRST_PLACE) / (len(function.curve) * BIN), text, is_minor)
            for place, text, is_minor in _INPUTS
        ],
        axis.labels(power_ticks(axis.low, axis.high), power_text),
        _shapes(function, axis),
        limits=_limits(function, axis),
        keys=_keys(function),
        width=len(function.curve),
    )


def _top(function: FunctionReport) -> float:
    """Return the end of the axis, a power of 2 beyond the largest error and the limits."""
    errors = [error for error in function.curve if error is not None]
    limits = [limit for limit in function.limits if limit]
    return 2.0 ** max(3, math.ceil(math.log2(max([*errors, *limits, 1]))) + 1)


def _shapes(function: FunctionReport, axis: Axis) -> list[Shape]:
    """Return the bars of errors in layers, each clipped at another error, and marks."""
    limit = function.limits[0]
    layers = [("bad", math.inf)] if limit is not None else []
    layers += [("fair", math.inf if limit is None else max(limit, _CORRECT)), ("accent", _CORRECT)]
    positions = axis.positions([0 if error is None else error for error in function.curve])
    shapes = [
        Shape(colour, _area(heights(np.minimum(positions, axis.positions(most)))))
        for colour, most in layers
    ]
    if function.curve_mistakes:
        shapes.append(Shape("bad", "".join(f"M{k} 0h2v30h-2z" for k in function.curve_mistakes)))
    return shapes


def _area(levels: list[int]) -> str:
    """Return the outline of bars as a path."""
    steps = np.flatnonzero(np.diff(levels, prepend=HEIGHT)).tolist()
    outline = "".join(f"H{k}V{levels[k]}" for k in steps)
    return f"M0 {HEIGHT}{outline}H{len(levels)}V{HEIGHT}z"


def _limits(function: FunctionReport, axis: Axis) -> list[Label]:
    """Return the limits above zero, with their names."""
    limits = list(dict.fromkeys(x for x in function.limits if x))
    names = ("OpenCL, full profile", "embedded profile") if len(limits) == 2 else ("OpenCL",)
    return [
        Label(position, f"{name}: {limit:g}")
        for limit, name, position in zip(limits, names, axis.positions(limits), strict=False)
    ]


def _keys(function: FunctionReport) -> list[tuple[str, str]]:
    """Return the colours of the chart, and what they stand for."""
    keys = [("accent", "as little as correct rounding leaves")]
    keys += [("fair", "more")] if function.wrong else []
    return keys + ([("bad", "beyond the limit")] if function.is_beyond else [])
