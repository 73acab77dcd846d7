"""Charts of pages as data: shapes along two axes; ``figure`` of ``parts.html`` draws them.

A drawing is stretched to the page's width. Labels are HTML beside it, and keep their size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The size of a drawing, in units of its own.
HEIGHT = WIDTH = 1000

#: Labels nearer to each other than this share of an axis are too many on a narrow page.
_CLOSE = 0.07

#: Powers of two from here on are labelled by their exponents.
_LONG = 17

#: Powers of ten up to here, and down to their reciprocals, are labelled by digits.
_PLAIN_DECADES = 3

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True)
class Label:
    """A text at a position on an axis, from 0 to 1. Narrow pages omit minor ones."""

    position: float
    text: str
    is_minor: bool = False


@dataclass(frozen=True)
class Mark:
    """A text beside a dot, at positions on both axes, from 0 to 1. Narrow pages omit minor ones."""

    x: float
    y: float
    text: str
    is_minor: bool = False


@dataclass(frozen=True)
class Shape:
    """A filled path or a dot, in one of the page's colours: "accent", "fair" or "bad".

    A dot is a path of no length. The title is shown while the pointer is on the shape.
    """

    colour: str
    path: str
    title: str = ""
    is_dot: bool = False


@dataclass(frozen=True)
class Chart:
    """A chart with its caption."""

    label: str  #: what a screen reader says of the drawing
    caption: str
    axis_names: tuple[str, str]  #: of the horizontal and the vertical axis
    x_labels: Sequence[Label]
    y_labels: Sequence[Label]  #: with grid lines
    shapes: Sequence[Shape]
    name: str = ""
    limits: Sequence[Label] = ()  #: dashed lines across the drawing, with their names
    keys: Sequence[tuple[str, str]] = ()  #: colours, and what they stand for
    width: float = WIDTH  #: in the drawing's units
    marks: Sequence[Mark] = ()  #: names of dots

    def across(self, labels: Sequence[Label]) -> str:
        """Return horizontal lines at labels of the vertical axis, as a path."""
        levels = heights([label.position for label in labels])
        return "".join(f"M0 {level}h{self.width}" for level in levels)


def heights(positions: ArrayLike) -> list[int]:
    """Return the vertical coordinates of positions, from 0 (at the bottom) to 1, in a drawing."""
    levels: list[int] = (HEIGHT - np.rint(HEIGHT * _doubles(positions)).astype(int)).tolist()
    return levels


def widths(positions: ArrayLike) -> list[float]:
    """Return the horizontal coordinates of positions, from 0 to 1, in a drawing."""
    places: list[float] = (WIDTH * _doubles(positions)).round(1).tolist()
    return places


def without_overlaps(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks that do not cover an earlier one; those that narrow pages omit are minor.

    Examples
    --------
    >>> from halfcl._support.pages.charts import Mark, without_overlaps
    >>> marks = [Mark(1.0, 0.5, "total"), Mark(0.98, 0.51, "mean"), Mark(0.4, 0.5, "y")]
    >>> [mark.text for mark in without_overlaps(marks)]
    ['total', 'y']
    """
    kept: list[Mark] = []
    for mark in marks:
        if not any(_overlap(mark, other, _WIDE_LETTER) for other in kept):
            on_phones = [other for other in kept if not other.is_minor]
            is_minor = any(_overlap(mark, other, _NARROW_LETTER) for other in on_phones)
            kept.append(Mark(mark.x, mark.y, mark.text, is_minor))
    return kept


#: The width of a letter in wide and narrow pages, and the height of a line, as shares of an axis.
_WIDE_LETTER, _NARROW_LETTER, LINE_HEIGHT = 0.009, 0.025, 0.08


def _overlap(one: Mark, other: Mark, letter: float) -> bool:
    """Return whether two texts, which end at their dots, cover each other."""
    first, last = sorted((one, other), key=lambda mark: mark.x)
    return last.x - letter * len(last.text) < first.x and abs(one.y - other.y) < LINE_HEIGHT


# ---------------------------------------------------------------- axes


@dataclass(frozen=True)
class Axis:
    """A scale from a low to a high value; numbers are drawn at the results of a rising function."""

    low: float
    high: float
    transform: Callable[[NDArray[np.float64]], NDArray[np.float64]] = np.positive

    def positions(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the positions of values, from 0 to 1; values beyond the ends are at the ends.

        NaN is at 0, and so is everything on an axis that has no length.

        Examples
        --------
        >>> from halfcl._support.pages.charts import Axis, log2
        >>> Axis(1, 16, log2).positions([0, 4, 32])
        array([0. , 0.5, 1. ])
        """
        low, high, places = map(self.transform, map(_doubles, (self.low, self.high, values)))
        if not high > low:
            return np.zeros(places.shape)
        shares = np.clip((places - low) / (high - low), 0, 1)
        return np.where(np.isnan(shares), 0.0, shares)

    def labels(self, ticks: Sequence[float], text: Callable[[float], str]) -> list[Label]:
        """Return labels at ticks; one that is close to the one before it is minor."""
        positions = self.positions(ticks).tolist()
        return [
            Label(position, text(tick), k > 0 and position - positions[k - 1] < _CLOSE)
            for k, (tick, position) in enumerate(zip(ticks, positions, strict=True))
        ]


def _doubles(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, np.float64)


def log2(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transform of logarithmic axes; numbers up to 0 are at -inf."""
    with np.errstate(divide="ignore"):
        return np.log2(np.maximum(values, 0.0))


def log2_1p(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transform of logarithmic axes that begin at 0."""
    return np.log2(1 + values)


def linear_ticks(low: float, high: float, most: int = 6, whole: bool = False) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of 10 between two numbers.

    There is one tick if both ends are equal, or nearly; none if an end is NaN or infinite, or the
    ends are the other way round. most: the most ticks, at least 4. whole: whether ticks must be
    integers.

    Examples
    --------
    >>> from halfcl._support.pages.charts import linear_ticks
    >>> linear_ticks(0, 693), linear_ticks(-3, 7, whole=True)
    ([0.0, 200.0, 400.0, 600.0], [-2.0, 0.0, 2.0, 4.0, 6.0])
    """
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        return []
    slack = 1e-9  # for quotients that rounding moves past an integer, as in 0.3 / 0.1
    least = (high / most - low / most) * (1 + slack)  # the difference itself may overflow
    if whole:
        least = max(least, 0.5)  # so that the step is at least 1
    if not least:
        return [float(low)]
    step = _round_step(least)
    first, last = math.ceil(low / step - slack), math.floor(high / step + slack)
    return list(dict.fromkeys(k * step for k in range(first, last + 1)))


def _round_step(least: float) -> float:
    """Return the least of 1, 2 or 5 times a power of 10 that is greater than `least`."""
    decade = math.floor(math.log10(least))
    steps = (float(f"{digit}e{decade + up}") for up in (0, 1) for digit in (1, 2, 5))
    return next(step for step in steps if step > least)


def power_ticks(low: float, high: float, most: int = 9) -> list[float]:
    """Return powers of 2 between two numbers, for logarithmic axes.

    Examples
    --------
    >>> from halfcl._support.pages.charts import power_ticks
    >>> power_ticks(0.5, 9), power_ticks(1, 2.0**20)
    ([0.5, 1.0, 2.0, 4.0, 8.0], [1.0, 32.0, 1024.0, 32768.0, 1048576.0])
    """
    if not 0 < low <= high < math.inf:
        return []
    exponents = linear_ticks(math.log2(low), math.log2(high), most, whole=True)
    return [2.0**exponent for exponent in exponents]


def decade_ticks(high: float) -> list[float]:
    """Return 0 and the powers of 10 up to a number, for logarithmic axes that begin at 0.

    Examples
    --------
    >>> from halfcl._support.pages.charts import decade_ticks
    >>> decade_ticks(2.0**15)
    [0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0]
    """
    if not 0 <= high < math.inf:
        return []
    return [0.0, *(10.0**k for k in range(math.floor(math.log10(high)) + 1 if high >= 1 else 0))]


def number_text(tick: float) -> str:
    """Return a tick's label.

    Examples
    --------
    >>> from halfcl._support.pages.charts import number_text
    >>> number_text(10000.0), number_text(0.25), number_text(3e9)
    ('10,000', '0.25', '3e+09')
    """
    return f"{tick:,.0f}" if tick == round(tick) and abs(tick) < 1e9 else f"{tick:g}"


def power_text(tick: float) -> str:
    """Return the label of a power of 2.

    Examples
    --------
    >>> from halfcl._support.pages.charts import power_text
    >>> power_text(0.125), power_text(65536.0), power_text(2.0**20)
    ('1/8', '65536', '2²⁰')
    """
    exponent = round(math.log2(tick))
    if abs(exponent) >= _LONG:
        return "2" + str(exponent).translate(_SUPERSCRIPTS)
    return f"1/{2**-exponent}" if exponent < 0 else f"{2**exponent}"


def decade_text(tick: float) -> str:
    """Return the label of a tick on an axis of powers of 10.

    Examples
    --------
    >>> from halfcl._support.pages.charts import decade_text
    >>> [decade_text(x) for x in (0.0, 0.01, -100.0, 1e-7, 1e4, 3.5)]
    ['0', '0.01', '-100', '10⁻⁷', '10⁴', '3.5']
    """
    exponent = round(math.log10(abs(tick))) if tick else 0
    is_power = math.isclose(abs(tick), 10.0**exponent)
    if abs(exponent) <= _PLAIN_DECADES or not is_power:
        return f"{tick:g}"
    sign = "-" if tick < 0 else ""
    return f"{sign}10{str(exponent).translate(_SUPERSCRIPTS)}"
