"""The axes to draw on, their colours and legends."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from halfcl._support.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The colours of rounding modes, from the style in effect.
MODE_COLOURS = {"rte": "C0", "rtn": "C1", "rtp": "C2", "rtz": "C3"}

#: The colours of what is right, and of what to look at.
FAIR, BAD = "C0", "C3"

#: The colour of auxiliary lines, which is visible on light and on dark pages.
FAINT = "0.5"

_WIDTH, _HEIGHT = 6.4, 4.0  # of new figures, in inches


def matplotlib_module(name: str) -> ModuleType:
    """Return a module of matplotlib; raise MissingPackageError if that is not installed."""
    return require(f"matplotlib.{name}", "matplotlib", "plot", "to draw plots")


def axes_or_new(ax: Axes | None, height: float = _HEIGHT) -> Axes:
    """Return the axes to draw on: a caller's, or those of a new figure; height: in inches."""
    if ax is not None:
        return check_axes(ax)
    axes: Axes = matplotlib_module("pyplot").subplots(
        figsize=(_WIDTH, height), layout="constrained"
    )[1]
    return axes


def check_axes(ax: Axes) -> Axes:
    """Return a caller's axes; raise TypeError for anything else."""
    if isinstance(ax, type) or not hasattr(ax, "get_xaxis_transform"):
        raise TypeError(f"ax: expected Axes of matplotlib, got {ax!r:.80}")
    return ax


def resolve_colour(name: str) -> str:
    """Return a colour of the style in effect, by its name, such as C0.

    Matplotlib would look these names up when a picture is saved, perhaps in another style.
    """
    resolved: str = matplotlib_module("colors").to_hex(name)
    return resolved


def legend_text(text: str) -> str:
    """Return a text as a label that legends show: matplotlib hides those with an underscore."""
    return f" {text}" if text.startswith("_") else text


def add_legend(ax: Axes, columns: int = 1) -> None:
    """Add a legend above the axes, where it covers no data; entries of points have visible ones."""
    legend = ax.legend(
        frameon=False, fontsize="small", ncols=columns, loc="lower left",
        bbox_to_anchor=(0, 1), borderaxespad=0.2, handletextpad=0.4,
    )  # fmt: skip
    for handle in legend.get_lines():
        if handle.get_marker() in (",", "."):
            handle.set(marker="o", markersize=4)
