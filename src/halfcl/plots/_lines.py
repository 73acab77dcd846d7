"""Number lines: a number between its neighbours, or several numbers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl._anatomy import Number, anatomy
from halfcl._drawing.axes import BAD, axes_or_new
from halfcl._drawing.number_line import HEIGHT, Mark, draw_number_line
from halfcl.plots._arguments import as_doubles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More values than this are drawn without labels.
_MOST_LABELS = 12


def number_line(x: Number | ArrayLike | Mapping[str, ArrayLike], *, ax: Axes | None = None) -> Axes:
    """Draw where a number lies between halves, or several numbers on a line.

    One number is drawn beside the halves next to it, with the half that each rounding mode makes of
    it. Several numbers are drawn where they are. Ticks are halves if there are few enough in sight.

    Parameters
    ----------
    x : number, str, array_like or mapping
        A number, or the text of one, as `halfcl.show` takes it; an array of numbers, of which up to
        12 are labelled with their values; or numbers by their labels.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError
        If x are not real numbers.
    ValueError
        If a text is not a number, or there are no numbers.
    MissingPackageError
        If matplotlib is not installed.

    See Also
    --------
    halfcl.show : the same of one number, as text.

    Notes
    -----
    Accuracy: halves are correctly rounded from the exact value. Numbers are drawn at the doubles
    next to them. Source: IEEE 754, binary16.

    Examples
    --------
    >>> from halfcl import half, plots
    >>> ax = plots.number_line("0.1")
    >>> [text.get_text() for text in ax.texts]
    ['rte, rtz, rtn', '0.1', 'rtp']
    >>> ax = plots.number_line({"a third": half(1) / 3, "a seventh": half(1) / 7})
    """
    if isinstance(x, Mapping):
        groups = [_label(str(label), x[label], f"C{k}") for k, label in enumerate(x)]
        return _draw([mark for marks in groups for mark in marks], (), ax)
    several: Any = x
    if not (isinstance(x, list | tuple) or np.ndim(several)):
        return _draw_one(several, ax)
    several = np.ma.compressed(x) if np.ma.isMaskedArray(x) else several
    values = as_doubles(several, "x").ravel()
    if values.size > _MOST_LABELS:
        return _draw([Mark("", value, "|") for value in values.tolist()], (), ax)
    marks = [
        Mark(_text(one), value)
        for one, value in zip(np.ravel(several), values.tolist(), strict=True)
    ]
    return _draw(marks, (), ax)


def _text(value: np.generic) -> str:
    """Return a number as text: of a half the shortest one that is converted to it."""
    text = str(value) if isinstance(value, hc.half | Fraction) else f"{value:g}"
    return text.removesuffix(".0")


def _label(label: str, values: ArrayLike, colour: str) -> list[Mark]:
    """Return marks for the numbers of one label, which the first of them has."""
    numbers = as_doubles(values, f"x[{label!r}]").ravel().tolist()
    return [Mark("" if k else label, value, "o", colour) for k, value in enumerate(numbers)]


def _draw(marks: list[Mark], around: tuple[float, ...], ax: Axes | None) -> Axes:
    if not marks:
        raise ValueError("x: expected numbers, got none")
    ax = axes_or_new(ax, HEIGHT)
    draw_number_line(ax, marks, around)
    return ax


def _draw_one(x: Number, ax: Axes | None) -> Axes:
    """Draw a number, its neighbours, and what the modes make of it."""
    try:
        parts = anatomy(x)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        expected = "a real number, the text of one, or several real numbers"
        raise kind(f"x: expected {expected}, got {x!r:.80}") from None
    exact = float(parts.nearest) if parts.exact is None else float(parts.exact)
    modes = [Mark(mode, float(rounded)) for mode, rounded in parts.rounded.items()]
    number = Mark(parts.text, exact, "|" if not parts.is_exact else "o", BAD)
    ax = _draw([*modes, number], tuple(map(float, parts.neighbours)), ax)
    ax.set_title(parts.describe_error() if parts.kind != "NaN" else parts.describe_value(),
                 loc="left", fontsize="medium")  # fmt: skip
    return ax
