"""The plot of a function's errors over all halves, as SVG with HTML labels.

The drawing is stretched to the page's width; the labels keep their size.
"""

from __future__ import annotations

import math
from html import escape

from halfcl.audit._report import BIN, FIRST_PLACE, FunctionReport

_HEIGHT = 1000
_LEAST = -3  # the axis begins at 2**-3 ulp
_CORRECT = 0.5

#: Positions of the labelled inputs, and whether narrow pages omit the label.
_INPUTS = (
    (-31743, "-65504", False), (-23552, "-256", True), (-15360, "-1", False),
    (-7168, "-2⁻⁸", True), (0, "0", False), (7168, "2⁻⁸", True), (15360, "1", False),
    (23552, "256", True), (31743, "65504", False),
)  # fmt: skip


def figure(function: FunctionReport) -> str:
    """Return a plot of the largest error in each bin of neighbouring halves, with OpenCL's limits.

    Parameters
    ----------
    function : FunctionReport

    Returns
    -------
    str
        HTML; "" unless the function has one argument, a half.

    Examples
    --------
    >>> from halfcl.audit._output.plot import figure
    >>> from halfcl.audit._report import FunctionReport
    >>> figure(FunctionReport("pow", "numpy.power", ("float16", "float16"), "float16"))
    ''
    """
    if not function.curve:
        return ""
    top = _top(function)
    return (
        f'<figure>\n<div class="plot" role="img" aria-label="Errors of {escape(function.label)}">\n'
        f"{_drawing(function, top)}\n{_labels(function, top)}\n</div>\n"
        f"{_caption(function)}\n</figure>"
    )


def _top(function: FunctionReport) -> int:
    """Return the end of the axis, as a power of 2: beyond the largest error and the limits."""
    errors = [error for error in function.curve if error is not None]
    limits = [limit for limit in function.limits if limit]
    return max(3, math.ceil(math.log2(max([*errors, *limits, 1]))) + 1)


def _level(error: float, top: int) -> int:
    """Return the height of an error, from 0 to _HEIGHT."""
    power = math.log2(error) if error > 0 else _LEAST
    return round(_HEIGHT * min(1, max(0, (power - _LEAST) / (top - _LEAST))))


# ---------------------------------------------------------------- the drawing


def _drawing(function: FunctionReport, top: int) -> str:
    width = len(function.curve)
    limit = function.limits[0]
    layers = [("over", math.inf)] if limit is not None else []
    layers += [("wrong", math.inf if limit is None else max(limit, _CORRECT)), ("errors", _CORRECT)]
    paths = [
        f'<path class="grid" d="{_grid(width, top)}"/>',
        *(f'<path class="{name}" d="{_area(function, top, most)}"/>' for name, most in layers),
        f'<path class="over" d="{_marks(function)}"/>' if function.curve_mistakes else "",
        f'<path class="line" d="{_limit_lines(function, width, top)}"/>',
    ]
    return (
        f'<svg viewBox="0 0 {width} {_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">\n'
        + "\n".join(path for path in paths if path)
        + "\n</svg>"
    )


def _grid(width: int, top: int) -> str:
    return "".join(f"M0 {_HEIGHT - _level(2.0**k, top)}h{width}" for k in _powers(top))


def _powers(top: int) -> range:
    """Return the powers that label the axis: about six."""
    return range(_LEAST, top + 1, max(1, (top - _LEAST) // 6))


def _area(function: FunctionReport, top: int, most: float) -> str:
    """Return one outline of the bars of errors, clipped at `most`."""
    levels = [0 if error is None else _level(min(error, most), top) for error in function.curve]
    outline, last = f"M0 {_HEIGHT}", 0
    for k, level in enumerate(levels):
        if level != last:
            outline += f"H{k}V{_HEIGHT - level}"
            last = level
    return f"{outline}H{len(levels)}V{_HEIGHT}z"


def _marks(function: FunctionReport) -> str:
    """Return marks at the top where a NaN or an infinity is wrong."""
    return "".join(f"M{k} 0h2v30h-2z" for k in function.curve_mistakes)


def _limit_lines(function: FunctionReport, width: int, top: int) -> str:
    return "".join(f"M0 {_HEIGHT - _level(x, top)}h{width}" for x in _limits(function))


def _limits(function: FunctionReport) -> dict[float, str]:
    """Return the limits in ulps, above zero, with their names."""
    named = dict.fromkeys((x for x in function.limits if x), "OpenCL")
    if len(named) == 2:
        named = dict(zip(named, ("OpenCL, full profile", "embedded profile"), strict=True))
    return named


# ---------------------------------------------------------------- labels


def _labels(function: FunctionReport, top: int) -> str:
    labels = [
        f'<span class="y" style="bottom:{_level(2.0**k, top) / 10:.1f}%">{_power(k)}</span>'
        for k in _powers(top)
    ]
    for limit, name in _limits(function).items():
        bottom = _level(limit, top) / 10
        labels.append(f'<span class="limit" style="bottom:{bottom:.1f}%">{name}: {limit:g}</span>')
    width = len(function.curve) * BIN
    for place, name, is_minor in _INPUTS:
        position = 100 * (place - FIRST_PLACE) / width
        kind = "x minor" if is_minor else "x"
        labels.append(f'<span class="{kind}" style="left:{position:.2f}%">{name}</span>')
    return "\n".join(labels)


def _power(k: int) -> str:
    return f"{2**k}" if k >= 0 else f"1/{2**-k}"


def _caption(function: FunctionReport) -> str:
    keys = '<i class="key errors"></i>as little as correct rounding leaves'
    if function.wrong:
        keys += '<i class="key wrong"></i>more'
    if function.is_beyond:
        keys += '<i class="key over"></i>beyond the limit'
    marks = ", marked at the top where a NaN or an infinity is wrong" * bool(
        function.curve_mistakes
    )
    return (
        f"<figcaption>Error in ulp, over all halves in their order: the largest of each {BIN} "
        f"neighbours{marks}.{keys}</figcaption>"
    )
