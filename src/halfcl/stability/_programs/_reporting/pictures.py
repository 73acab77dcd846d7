"""Draws the pictures of a report as SVG: digits over time, and spread over elements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from halfcl.stability import THRESHOLD
from halfcl.stability._measures import PRECISION_IN_DIGITS
from halfcl.stability._programs._analysis.traces import Moment
from halfcl.stability._programs._wording import location

_WIDTH, _HEIGHT = 900, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 12, 40
_MOST_BARS = 400
_MOST_DOTS = 1500


def _x(share: float) -> float:
    """Return the horizontal position of a share of the width, from 0 to 1."""
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _y(share: float) -> float:
    """Return the vertical position of a share of the height, from 0 to 1."""
    return round(_TOP + (1 - share) * (_HEIGHT - _TOP - _BOTTOM), 1)


def _frame(
    label: str, marks: Sequence[tuple[float, str]], below: str, ends: tuple[str, str], body: str
) -> str:
    """Return a picture with grid lines, and labels below and at both ends of the axis."""
    lines = "".join(
        f'<path class="grid" d="M{_LEFT} {_y(y)}H{_WIDTH - _RIGHT}"/>'
        f'<text x="{_LEFT - 8}" y="{_y(y) + 4}" text-anchor="end">{escape(text)}</text>'
        for y, text in marks
    )
    base = _HEIGHT - _BOTTOM + 18
    words = (
        f'<text x="{_LEFT}" y="{base}">{escape(ends[0])}</text>'
        f'<text x="{_WIDTH - _RIGHT}" y="{base}" text-anchor="end">{escape(ends[1])}</text>'
        f'<text x="{(_LEFT + _WIDTH) // 2}" y="{base}" text-anchor="middle">{escape(below)}</text>'
    )
    return (
        f'<svg class="picture" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">{lines}{body}{words}</svg>'
    )


def digits_over_time(moments: Sequence[Moment], guilty: Iterable[tuple[str, int]]) -> str:
    """Draw a dot for each value of a variable; its height is the number of digits.

    Parameters
    ----------
    moments : sequence of Moment
    guilty : iterable of (str, int)
        Lines to blame, whose dots are marked.

    Returns
    -------
    str
        SVG; empty if there are no moments.
    """
    if not moments:
        return ""
    blamed, last = set(guilty), max(moments[-1].step, 1)
    step = -(-len(moments) // _MOST_DOTS)
    dots = "".join(
        f'<circle class="{"bad" if (m.file, m.line) in blamed else "dot"}" '
        f'cx="{_x(m.step / last)}" cy="{_y(m.digits / PRECISION_IN_DIGITS)}" r="3">'
        f"<title>{escape(location(m.file, m.line))}: {escape(m.name)}: {m.digits:.1f} digits"
        "</title>"
        "</circle>"
        for m in moments[::step]
    )
    marks = [(d / PRECISION_IN_DIGITS, f"{d} digits" if d == 3 else str(d)) for d in range(4)]
    ends = "start", f"after {last} lines"
    return _frame("Digits of variables over time", marks, "time", ends, dots)


def spread_over_elements(spread: NDArray[np.float64]) -> str:
    """Draw a bar for each element or group of elements; its height is the logarithm of the spread.

    Parameters
    ----------
    spread : float64 array of one axis
        In ulps.

    Returns
    -------
    str
        SVG; empty if there are no elements.
    """
    if not spread.size:
        return ""
    bars = np.array_split(np.minimum(spread, 65536.0), min(spread.size, _MOST_BARS))
    most = 16.0
    width = 1 / len(bars)
    body = ""
    for k, part in enumerate(bars):
        worst = float(part.max())
        if worst > 0:
            height = math.log2(1 + worst) / most
            kind = "bad" if worst > THRESHOLD else "dot"
            x, y, end = _x(k * width), _y(height), _x((k + 1) * width)
            bar_width = round(max(end - x - (1 if len(bars) < 200 else 0), 0.6), 1)
            body += (
                f'<rect class="{kind}" x="{x}" y="{y}" width="{bar_width}" '
                f'height="{round(_y(0) - y, 1)}"><title>{worst:.0f} ulps</title></rect>'
            )
    level = _y(math.log2(1 + THRESHOLD) / most)
    body += f'<path class="limit" d="M{_LEFT} {level}H{_WIDTH - _RIGHT}"/>'
    marks = [(math.log2(1 + u) / most, f"{u} ulps" if u == 15 else str(u))
             for u in (0, 15, 255, 4095, 65535)]  # fmt: skip
    ends = "first", f"last of {spread.size}"
    return _frame("Spread of the elements", marks, "element", ends, body)
