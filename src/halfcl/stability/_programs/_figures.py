"""What a program draws: Matplotlib's backend in all runs. It shows nothing, and keeps the numbers.

Matplotlib alone imports this module, by the name that `_child` gives it.
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

from halfcl.stability._programs import _watching as watching
from halfcl.stability._programs._numbers import Unread
from halfcl.stability._programs._watching import Numbers

#: Numbers that are kept of all figures together: a program may save hundreds.
_MOST = 1 << 22

#: What is drawn, by name.
_Drawn: TypeAlias = list[tuple[str, Numbers]]


_left = _MOST

#: Figures with too many numbers to be kept, by name: the report tells them.
not_kept: dict[str, Unread] = {}


class FigureManager(FigureManagerBase):
    """One without a window."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Nothing is shown, and nobody is waited for."""

    def destroy(self) -> None:
        """A figure that is closed."""
        _keep(self)
        super().destroy()


class FigureCanvas(FigureCanvasAgg):
    """One that draws only into files."""

    manager_class = FigureManager

    #: What was kept of the figure last.
    kept: _Drawn | None = None

    def draw_idle(self, *args: Any, **keywords: Any) -> None:
        """Later, if ever."""

    def start_event_loop(self, timeout: float = 0) -> None:
        """No keys are pressed here, and no time is waited for."""

    def print_figure(self, *args: Any, **keywords: Any) -> Any:
        """A figure that is saved."""
        if self.manager is not None:
            _keep(self.manager)
        return super().print_figure(*args, **keywords)


def keep_open() -> None:
    """Note what the figures show that the program has not closed."""
    for manager in Gcf.get_all_fig_managers():
        _keep(manager)


def _keep(manager: FigureManagerBase) -> None:
    """Note what a figure shows, unless it is what was noted before."""
    drawn = list(_drawn(manager))
    last = getattr(manager.canvas, "kept", None)
    if last and len(last) == len(drawn) and all(map(_same, last, drawn)):
        return
    global _left
    size = sum(numbers.size for _, numbers in drawn)
    if size > _left:
        digest = hashlib.sha256(b"".join(numbers.tobytes() for _, numbers in drawn)).hexdigest()
        reason = f"figures show more than {_MOST} numbers together"
        not_kept[f"figure {manager.num}"] = Unread(reason, digest)
        return
    _left -= size
    manager.canvas.kept = drawn  # type: ignore[attr-defined]
    for name, numbers in drawn:
        watching.note(name, numbers)


def _same(one: tuple[str, Numbers], other: tuple[str, Numbers]) -> bool:
    return one[0] == other[0] and np.array_equal(
        one[1], other[1], equal_nan=one[1].dtype.kind == "f"
    )


def _drawn(manager: FigureManagerBase) -> Iterator[tuple[str, Numbers]]:
    every = manager.canvas.figure.axes
    for k, axes in enumerate(every, 1):
        place = f"figure {manager.num}" + (f", axes {k}" if len(every) > 1 else "")
        for name, values in _in_axes(axes):
            try:
                numbers = watching.as_numbers(np.ma.filled(values, 0), name)
            except TypeError:  # dates, words
                continue
            if numbers.size:
                yield f"{place}: {name}", _as_half(numbers)


def _in_axes(axes: Axes) -> Iterator[tuple[str, Any]]:
    """Lines, images, points and bars, by their labels or numbers."""
    for k, line in enumerate(axes.lines, 1):
        yield from _of_line(line, _name(line, f"line {k}"))
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


def _of_line(line: Line2D, name: str) -> Iterator[tuple[str, Any]]:
    """Its y, and its x if that does not just count; of one in space all three."""
    data = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data(orig=True)
    for axis, values in zip("xyz", data, strict=False):
        if axis != "x" or not _just_counts(np.asarray(values)):
            yield f"{name}, {axis}", values


def _just_counts(x: Numbers) -> bool:
    return x.dtype.kind in "fiu" and np.array_equal(x, np.arange(x.size))


def _name(artist: Any, default: str) -> str:
    label = str(artist.get_label())
    return default if label.startswith("_") or not label else label


def _as_half(numbers: Numbers) -> Numbers:
    """As halves if they are such: Matplotlib makes doubles of some."""
    if numbers.dtype.kind != "f":
        return numbers
    with np.errstate(all="ignore"):
        halves = numbers.astype(np.float16)
    return halves if np.array_equal(halves, numbers, equal_nan=True) else numbers
