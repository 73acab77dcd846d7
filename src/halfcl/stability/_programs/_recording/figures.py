"""Matplotlib backend of all runs: shows nothing, and records the numbers in figures.

Only Matplotlib imports this module, by the name that `_running.child` passes to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from matplotlib._pylab_helpers import Gcf
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from halfcl.stability._programs._recording import watching
from halfcl.stability._programs._recording.numbers import UnreadData
from halfcl.stability._programs._recording.watching import Numbers

#: Limit on the recorded numbers of all figures together: a program may save hundreds.
_MOST = 1 << 22

#: Arrays that a figure shows, by name.
_NamedNumbers: TypeAlias = list[tuple[str, Numbers]]


_remaining = _MOST

#: Figures beyond the limit, by name, for the report.
skipped_figures: dict[str, UnreadData] = {}


class FigureManager(FigureManagerBase):
    """Figure manager without a window."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Return at once, without showing anything."""

    def destroy(self) -> None:
        """Record the figure, and close it."""
        _record(self)
        super().destroy()


class FigureCanvas(FigureCanvasAgg):
    """Canvas that draws only into files."""

    manager_class = FigureManager

    #: The numbers of the figure when it was recorded last.
    recorded: _NamedNumbers | None = None

    def draw_idle(self, *args: Any, **keywords: Any) -> None:
        """Do nothing: nothing is shown."""

    def start_event_loop(self, timeout: float = 0) -> None:
        """Return at once: there are no events to wait for."""

    def print_figure(self, *args: Any, **keywords: Any) -> Any:
        """Record the figure, and save it."""
        if self.manager is not None:
            _record(self.manager)
        return super().print_figure(*args, **keywords)


def record_open_figures() -> None:
    """Record the figures that the program has not closed."""
    for manager in Gcf.get_all_fig_managers():
        _record(manager)


def _record(manager: FigureManagerBase) -> None:
    """Record what a figure shows, unless it is the same as when it was recorded last."""
    drawn = list(_drawn_numbers(manager))
    last = getattr(manager.canvas, "recorded", None)
    if last and len(last) == len(drawn) and all(map(_is_same, last, drawn)):
        return
    global _remaining
    size = sum(numbers.size for _, numbers in drawn)
    if size > _remaining:
        digest = hashlib.sha256(b"".join(numbers.tobytes() for _, numbers in drawn)).hexdigest()
        reason = f"figures show more than {_MOST} numbers together"
        skipped_figures[f"figure {manager.num}"] = UnreadData(reason, digest)
        return
    _remaining -= size
    manager.canvas.recorded = drawn  # type: ignore[attr-defined]
    for name, numbers in drawn:
        watching.note(name, numbers)


def _is_same(one: tuple[str, Numbers], other: tuple[str, Numbers]) -> bool:
    return one[0] == other[0] and np.array_equal(
        one[1], other[1], equal_nan=one[1].dtype.kind == "f"
    )


def _drawn_numbers(manager: FigureManagerBase) -> Iterator[tuple[str, Numbers]]:
    all_axes = manager.canvas.figure.axes
    for k, axes in enumerate(all_axes, 1):
        place = f"figure {manager.num}" + (f", axes {k}" if len(all_axes) > 1 else "")
        for name, values in _axes_data(axes):
            try:
                numbers = watching.as_numbers(np.ma.filled(values, 0), name)
            except TypeError:  # dates, words
                continue
            if numbers.size:
                yield f"{place}: {name}", _to_half(numbers)


def _axes_data(axes: Axes) -> Iterator[tuple[str, Any]]:
    """Yield the data of lines, images, points and bars, named by their labels or numbers."""
    for k, line in enumerate(axes.lines, 1):
        yield from _line_data(line, _name(line, f"line {k}"))
    for k, image in enumerate(axes.images, 1):
        yield _name(image, f"image {k}"), image.get_array()
    for k, points in enumerate(axes.collections, 1):
        values = points.get_array()
        name = _name(points, f"collection {k}")
        if isinstance(points, PathCollection):
            yield f"{name}, places", points.get_offsets()
        if values is not None:
            yield name, values
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    if bars:
        yield "bars, places", [[bar.get_x(), bar.get_width()] for bar in bars]
        yield "bars, heights", [bar.get_height() for bar in bars]


def _line_data(line: Line2D, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the y of a line, its x unless that is 0, 1, 2, …, and its z if it has one."""
    data = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data(orig=True)
    for axis, values in zip("xyz", data, strict=False):
        if axis != "x" or not _is_index(np.asarray(values)):
            yield f"{name}, {axis}", values


def _is_index(x: Numbers) -> bool:
    return x.dtype.kind in "fiu" and np.array_equal(x, np.arange(x.size))


def _name(artist: Any, default: str) -> str:
    label = str(artist.get_label())
    return default if label.startswith("_") or not label else label


def _to_half(numbers: Numbers) -> Numbers:
    """Convert numbers to float16 if that is exact, since Matplotlib converts some to doubles."""
    if numbers.dtype.kind != "f":
        return numbers
    with np.errstate(all="ignore"):
        halves = numbers.astype(np.float16)
    return halves if np.array_equal(halves, numbers, equal_nan=True) else numbers
