"""Clouds of errors: a point for each result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halfcl._drawing.axes import FAINT, legend_text, resolve_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More points than this are drawn as pixels.
_MANY = 2000

#: The height of marks for results without an error in ulps, as a fraction of the axes.
_TOP = 0.98


def draw_cloud(
    ax: Axes,
    x: NDArray[np.float64],
    errors: NDArray[np.float64],
    *,
    label: str,
    colour: str,
    marker: str = ".",
    size: float = 4,
    zorder: float = 2,
) -> None:
    """Draw a point for each error, as a pixel if there are many; NaN and infinities have none."""
    shown, colour = np.isfinite(errors), resolve_colour(colour)
    dense = x.size > _MANY
    ax.plot(
        x[shown], errors[shown], "," if dense else marker, color=colour,
        label=legend_text(label), ms=size, zorder=zorder, rasterized=dense,
    )  # fmt: skip


def mark_at_top(ax: Axes, x: NDArray[np.float64], colour: str = FAINT) -> None:
    """Mark the inputs of which a result has no error in ulps, at the top of the axes."""
    ax.plot(
        x, np.full(x.shape, _TOP), "|", color=resolve_colour(colour), ms=8, label="NaN or infinity",
        transform=ax.get_xaxis_transform(),
    )  # fmt: skip
