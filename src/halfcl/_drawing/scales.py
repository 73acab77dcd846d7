"""Scales: halves in their order, errors in ulps, magnitudes by decades."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._drawing.axes import FAINT
from halfcl._opencl.ulps.ordinals import from_ordinals, ordinals
from halfcl._support.pages.charts import decade_text, decade_ticks, number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST = 65504.0

#: Infinities are drawn here, one step beyond the largest half.
BEYOND = 65536.0

#: Errors up to here are drawn on a linear scale.
_LINEAR = 1.0

#: With so few ticks at 0 and powers of ten there are more at 2 and 5.
_FEW_DECADES = 3

#: With more decades than these, not each has a label, and labels are powers.
_MANY_DECADES = 6

#: Inputs that are farther apart are not drawn on a linear scale.
_WIDE = 100

#: The labelled halves on an axis of all halves, and those that a narrow axis does not label.
_LABELLED = (-1e4, -100.0, -1.0, -0.01, 0.0, 0.01, 1.0, 100.0, 1e4)
_MINOR = (-100.0, -0.01, 0.01, 100.0)
_NARROW = 26  # in sizes of the font

_MARKED = [sign * 10.0**k for sign in (-1, 1) for k in range(-4, 5)]


def to_places(values: ArrayLike) -> NDArray[np.float64]:
    """Return the places of numbers on an axis of all halves; infinities are at its ends."""
    return ordinals(np.clip(np.asarray(values, np.float64), -BEYOND, BEYOND))


def use_halves(ax: Axes) -> None:
    """Let the horizontal axis have all halves in their order, each a step from the next."""
    ax.set_xscale("function", functions=(to_places, from_ordinals))
    points = ax.get_window_extent().width * 72 / ax.figure.dpi
    is_narrow = points < _NARROW * float(ax.xaxis.label.get_fontsize())
    ticks = [x for x in _LABELLED if not (is_narrow and x in _MINOR)]
    ax.set_xticks(ticks, [decade_text(x) for x in ticks])
    ax.set_xticks(_MARKED, minor=True)


def use_decades(ax: Axes, axes: str = "xy") -> None:
    """Let axes be logarithmic, with powers of ten as labels."""
    for letter in axes:
        getattr(ax, f"set_{letter}scale")("log")
        axis = getattr(ax, f"{letter}axis")
        axis.set_major_formatter(lambda tick, _: decade_text(tick))
        axis.set_minor_formatter("")


def use_inputs(ax: Axes, x: NDArray[np.float64]) -> None:
    """Let the horizontal axis be linear, unless most inputs are far smaller than the largest.

    It is logarithmic for positive ones with a ratio of more than 100, and otherwise that of all
    halves.
    """
    finite = x[np.isfinite(x)]
    sizes = np.abs(finite)
    if finite.size and finite.min() > 0:
        if finite.max() > _WIDE * finite.min():
            use_decades(ax, "x")
    elif finite.size and sizes.max() > _WIDE * np.median(sizes):
        use_halves(ax)


def use_ulps(ax: Axes, largest: float) -> None:
    """Let the vertical axis have errors of both signs in ulps; logarithmic from 1 ulp on.

    largest: the largest magnitude to draw. Dashed lines are at half an ulp, which correct rounding
    to nearest does not exceed.
    """
    for half_ulp in (-0.5, 0.5):
        ax.axhline(half_ulp, color=FAINT, lw=0.8, ls="--", zorder=0.5)
    if largest <= 2 * _LINEAR:
        top = 1.1 * max(largest, _LINEAR)
        ax.set_ylim(-top, top)
        return
    ax.set_yscale("symlog", linthresh=_LINEAR)
    top = 2 * largest
    ax.set_ylim(-top, top)
    ticks = decade_ticks(top)
    between = [digit * tick for tick in ticks[1:] for digit in range(2, 10) if digit * tick <= top]
    text = number_text
    if len(ticks) <= _FEW_DECADES:
        ticks = sorted([*ticks, *(2.0, 5.0)])
    elif len(ticks) > _MANY_DECADES:
        between = ticks
        ticks, text = [0.0, *ticks[1 :: math.ceil(len(ticks) / _MANY_DECADES)]], decade_text
    both = [sign * tick for sign in (-1, 1) for tick in ticks if tick or sign > 0]
    ax.set_yticks(both, [text(tick) for tick in both])
    ax.set_yticks([sign * tick for sign in (-1, 1) for tick in between], minor=True)
