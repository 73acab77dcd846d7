"""Number lines: labelled values beside the halves around them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl._drawing.axes import FAINT, FAIR, resolve_colour
from halfcl._drawing.scales import LARGEST, to_places, use_halves
from halfcl._opencl.ulps.ordinals import from_ordinals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_K = TypeVar("_K")

#: The height of a new figure, in inches.
HEIGHT = 1.5

#: Values are drawn in the order of halves if the largest is so many times this quantile.
_WIDE, _SMALL = 1000, 0.1

#: The most halves that are labelled, and that are marked.
_LABELLED, _MARKED = 7, 200

#: The margin beside the outermost values, as a fraction of the line.
_MARGIN = 0.12

#: The distances of labels from the line, in points: of the lowest, and from level to level.
_LOWEST, _STEP = 12, 15
_CHARACTER = 6.0  # the width of a label's character, in points


@dataclass(frozen=True)
class Mark:
    """A labelled value on a number line."""

    label: str
    value: float
    marker: str = "o"
    colour: str = FAIR


def draw_number_line(ax: Axes, marks: Sequence[Mark], around: Iterable[float] = ()) -> None:
    """Draw labelled values on a line, and the halves there as ticks.

    around: values that the line shall reach. Infinities and NaN are named beside the line.
    """
    _hide_frame(ax)
    finite = [mark for mark in marks if math.isfinite(mark.value)]
    values = np.array([*(mark.value for mark in finite), *filter(math.isfinite, around)])
    if values.size:
        _use_line(ax, values)
        for mark in finite:
            colour = resolve_colour(mark.colour)
            ax.plot([mark.value], [0], mark.marker, color=colour, ms=7, clip_on=False, zorder=3)
        _write_labels(ax, finite)
    else:
        ax.set_xticks([])
    others = [mark for mark in marks if not math.isfinite(mark.value)]
    for text, names in _join_labels(others, lambda mark: f"{mark.value:g}"):
        _write_beside(ax, text, ", ".join(names))


def _hide_frame(ax: Axes) -> None:
    """Leave the horizontal axis only: it is the line."""
    ax.set_ylim(0, 1)
    ax.set_yticks([])
    ax.spines[["left", "top", "right"]].set_visible(False)
    ax.grid(visible=False)


# ---------------------------------------------------------------- the line


def _use_line(ax: Axes, values: NDArray[np.float64]) -> None:
    """Set the line's scale, limits and ticks for values to show."""
    sizes = np.abs(values[values != 0])
    if sizes.size and sizes.max() > _WIDE * np.quantile(sizes, _SMALL):
        use_halves(ax)
        places = to_places(values)
        low, high = from_ordinals(_with_margin(places.min(), places.max()))
    else:
        low, high = _with_margin(values.min(), values.max())
    ax.set_xlim(low, high)
    halves = _halves_between(low, high)
    if len(halves) <= _LABELLED:
        ax.set_xticks(halves, [_short_text(x) for x in halves])
    if len(halves) <= _MARKED:
        ax.set_xticks(halves, minor=True)
    ax.tick_params(axis="x", which="minor", length=5)


def _with_margin(low: float, high: float) -> NDArray[np.float64]:
    margin = (high - low) * _MARGIN or max(abs(low) * _MARGIN, 1.0)
    return np.array([low - margin, high + margin])


def _halves_between(low: float, high: float) -> list[float]:
    """Return the halves between two numbers; enough of them to know that they are too many."""
    first, last = (float(place) for place in to_places([low, high]))
    places = np.arange(math.ceil(first), min(math.floor(last), math.ceil(first) + _MARKED) + 1)
    halves: list[float] = from_ordinals(places).tolist()
    return [x for x in halves if abs(x) <= LARGEST]


def _short_text(x: float) -> str:
    """Return a half's value in as many digits as tell it from its neighbours."""
    return f"{x:.6g}"


# ---------------------------------------------------------------- labels


def _join_labels(marks: Iterable[Mark], key: Callable[[Mark], _K]) -> list[tuple[_K, list[str]]]:
    """Return the labels of each value, in the order of marks."""
    labels: dict[_K, list[str]] = {}
    for mark in marks:
        labels.setdefault(key(mark), []).append(mark.label)
    return list(labels.items())


def _write_labels(ax: Axes, marks: Sequence[Mark]) -> None:
    """Write labels above their values, each on the lowest level where it covers no other."""
    background = ax.figure.get_facecolor()  # which hides the lines to higher labels
    figure_width = ax.get_window_extent().width * 72 / ax.figure.dpi
    ends: list[float] = []  # of the last label on each level
    for value, labels in sorted(_join_labels(marks, lambda mark: mark.value)):
        text = ", ".join(filter(None, labels))
        if not text:
            continue
        place = _fraction(ax, value)
        width = _CHARACTER * (len(text) + 1) / figure_width
        side = "left" if place < width / 2 else "right" if place > 1 - width / 2 else "center"
        start = place - {"left": 0, "center": width / 2, "right": width}[side]
        level = next((k for k, end in enumerate(ends) if end <= start), len(ends))
        ends[level : level + 1] = [start + width]
        ax.annotate(
            text, (value, 0), (0, _LOWEST + _STEP * level), textcoords="offset points",
            ha=side, va="bottom", arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.6},
            bbox={"facecolor": background, "edgecolor": "none", "pad": 0.5}, zorder=4 - level / 100,
        )  # fmt: skip


def _fraction(ax: Axes, value: float) -> float:
    """Return a value's place on the line, from 0 to 1."""
    scale = ax.xaxis.get_transform()
    low, high, place = scale.transform(np.array([*ax.get_xlim(), value]))
    return float((place - low) / (high - low))


#: Where the names of values that have no place are written: their horizontal place and alignment.
_BESIDE = {"-inf": (0.0, "left"), "nan": (0.5, "center"), "inf": (1.0, "right")}


def _write_beside(ax: Axes, value: str, names: str) -> None:
    """Write what is infinite or NaN above the line's ends or its middle."""
    x, side = _BESIDE[value]
    text = {"-inf": f"← -inf: {names}", "nan": f"NaN: {names}", "inf": f"inf: {names} →"}[value]
    ax.text(x, 0.95, text, transform=ax.transAxes, ha=side, va="top")
