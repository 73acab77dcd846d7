"""The spacing of halves over their range."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl._drawing.axes import FAINT, add_legend, axes_or_new
from halfcl._drawing.scales import LARGEST, use_decades

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Format(NamedTuple):
    """A binary format: bits of the significand after the point, exponents of normal numbers."""

    bits: int
    least: int
    greatest: int

    def ulps(self, exponents: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the distances between neighbours from 2**exponent on; NaN beyond the range."""
        within = (exponents >= self.least - self.bits) & (exponents <= self.greatest)
        return np.where(
            within, np.ldexp(1.0, np.maximum(exponents, self.least) - self.bits), np.nan
        )


_FORMATS = {
    "half": _Format(10, -14, 15),
    "bfloat16": _Format(7, -126, 127),
    "float32": _Format(23, -126, 127),
}
_HALF = _FORMATS["half"]


def spacing(
    formats: str | Iterable[str] = ("half", "bfloat16", "float32"),
    *,
    relative: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the distance from one half to the next over their range, beside that of other formats.

    Dashed lines mark the least normal half and the largest one.

    Parameters
    ----------
    formats : str or iterable of str, optional
        Some of ``"half"``, ``"bfloat16"`` and ``"float32"``; by default all.
    relative : bool, optional
        Draw the distance as a fraction of the number.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If a format is not one of these, or there is none.
    MissingPackageError
        If matplotlib is not installed.

    See Also
    --------
    halfcl.ulp : the distance itself.

    Notes
    -----
    Accuracy: exact. Source: IEEE 754, binary16 and binary32.

    Examples
    --------
    >>> from halfcl import plots
    >>> ax = plots.spacing("half")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x', 'distance to the next number')
    """
    names = _names(formats)
    if not isinstance(relative, bool | np.bool_):
        raise TypeError(f"relative: expected a bool, got {relative!r:.80}")
    ax = axes_or_new(ax)
    exponents = np.arange(_HALF.least - _HALF.bits, _HALF.greatest + 1)
    for name in names:
        x, ulps = _steps(exponents, _FORMATS[name].ulps(exponents))
        ax.plot(x, ulps / x if relative else ulps, label=name)
    use_decades(ax)
    heights = (0.4, 0.4) if relative else (0.8, 0.15)  # where no curve is
    _mark_limit(ax, 2.0**_HALF.least, "least normal half", heights[0])
    _mark_limit(ax, LARGEST, "largest half", heights[1])
    ax.set_xlabel("x")
    ax.set_ylabel("distance to the next number" + (" / x" if relative else ""))
    add_legend(ax, columns=len(names))
    return ax


def _mark_limit(ax: Axes, x: float, label: str, height: float) -> None:
    """Draw a dashed line at a limit of half, and its name beside it at a fraction of the height."""
    ax.axvline(x, color=FAINT, lw=0.8, ls="--", zorder=0.5)
    ax.text(
        x, height, label, transform=ax.get_xaxis_transform(), rotation="vertical",
        fontsize="small", ha="right", va="center",
    )  # fmt: skip


def _names(formats: object) -> list[str]:
    names = [formats] if isinstance(formats, str) else formats
    known = ", ".join(_FORMATS)
    if not isinstance(names, Iterable):
        raise TypeError(f"formats: expected some of {known}, got {formats!r:.80}")
    checked = list(dict.fromkeys(name if isinstance(name, str) else repr(name) for name in names))
    if not checked or not set(checked) <= set(_FORMATS):
        raise ValueError(f"formats: expected some of {known}, got {formats!r:.80}")
    return checked


def _steps(
    exponents: NDArray[np.int64], ulps: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of a curve that is level from each power of 2 to the next."""
    starts = np.ldexp(1.0, exponents)
    ends = np.minimum(2 * starts, LARGEST)
    return np.stack([starts, ends], -1).ravel(), np.repeat(ulps, 2)
