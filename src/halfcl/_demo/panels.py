"""The pictures as PNG files: alone, and side by side with plots of their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halfcl._demo.photo import require
from halfcl._demo.resampling import Resampled
from halfcl._support.files import replacing

#: Panels in rows.
Panels = NDArray[np.object_]


class Panel(Protocol):
    """The part of matplotlib's Axes that is used here."""

    def imshow(self, picture: NDArray[Any], **options: object) -> object: ...

    def set_title(self, title: str) -> object: ...


class Figure(Protocol):
    """The part of matplotlib's Figure that is used here."""

    def savefig(self, path: str, **options: object) -> None: ...

    def subplots(self, rows: int = 1, columns: int = 1, **options: object) -> Any: ...

    def colorbar(self, image: object, **options: object) -> Any: ...


_MODE_NAMES = {
    "rte": "to nearest even: rte",
    "rtz": "toward zero: rtz",
    "rtn": "down: rtn",
    "rtp": "up: rtp",
}


def _save_pictures(out: Path, pictures: dict[str, NDArray[np.uint8]]) -> list[Path]:
    """Write pictures unchanged and return their paths."""
    image = require("PIL.Image")
    return [
        _write(image.fromarray(picture).save, out / f"{name}.png")
        for name, picture in pictures.items()
    ]


def _write(save: Callable[[str], object], path: Path) -> Path:
    """Save to a file atomically and return its path."""
    with replacing(path) as temporary:
        save(temporary)
    return path


def _save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure and return its path.

    Compression takes a third of the usual time, for 1.03 of the size.
    """
    return _write(partial(figure.savefig, pil_kwargs={"compress_level": 3}), path)


def _new_figure(width: float, height: float) -> Figure:
    make = require("matplotlib.figure").Figure
    figure: Figure = make(figsize=(width, height), dpi=120, layout="constrained")
    return figure


def _six_panels(picture: NDArray[Any]) -> tuple[Figure, Panels]:
    """Make a figure of 2 x 3 panels for pictures of this shape."""
    height, width = picture.shape[:2]
    figure = _new_figure(13.5, 13.5 * 0.7 * height / width)
    panels = figure.subplots(2, 3)
    for panel in panels.flat:
        panel.set_axis_off()
    return figure, panels


def _show(panel: Panel, picture: NDArray[np.uint8], title: str) -> None:
    panel.imshow(picture, cmap="gray", vmin=0, vmax=255)
    panel.set_title(title)


def _colour_bar(
    figure: Figure,
    image: object,
    axes: Panel | Panels,
    label: str,
    ticks: Sequence[float],
    aspect: float = 20,
) -> None:
    bar = figure.colorbar(image, ax=axes, ticks=ticks, pad=0.02, format="{x:g}", aspect=aspect)
    bar.set_label(label)
    bar.ax.tick_params(length=0)
    bar.outline.set_visible(False)


def _show_gap(figure: Figure, panel: Panel, gap: NDArray[np.int32], title: str) -> None:
    """Draw the heat map, with a colour per ulp, and its colour bar."""
    widest = int(gap.max())
    colours = require("matplotlib").colormaps["magma"].resampled(widest + 1)
    image = panel.imshow(gap, cmap=colours, vmin=-0.5, vmax=widest + 0.5, interpolation="nearest")
    panel.set_title(title)
    _colour_bar(figure, image, panel, "ulps", range(0, widest + 1, 1 + widest // 12))


def draw_developing(
    out: Path,
    photo: NDArray[np.uint8],
    pictures: dict[str, NDArray[np.uint8]],
    gap: NDArray[np.int32],
) -> list[Path]:
    """Write the pictures of the four modes, the gap in ulps, and all of them side by side.

    Return the paths of the files.
    """
    paths = _save_pictures(out, {f"photo_{mode}": picture for mode, picture in pictures.items()})

    height, width = gap.shape
    figure = _new_figure(9, 9 * 0.92 * height / width)
    axes = figure.subplots()
    axes.set_axis_off()
    title = "Gap from rounded down (rtn) to rounded up (rtp): no error is wider"
    _show_gap(figure, axes, gap, title)
    paths.append(_save_figure(figure, out / "gap.png"))

    figure, panels = _six_panels(photo)
    _show(panels[0, 0], photo, "the photograph")
    for (mode, name), panel in zip(_MODE_NAMES.items(), panels.flat[1:5], strict=True):
        _show(panel, pictures[mode], name)
    _show_gap(figure, panels[1, 2], gap, "gap from rtn to rtp")
    return [*paths, _save_figure(figure, out / "overview.png")]


def _show_errors(
    panels: Iterable[Panel],
    errors: dict[str, NDArray[np.float64]],
    most: float,
    between: str = " ",
) -> object:
    """Draw heat maps on one scale of colours up to the maximum; return the last one."""
    # Draw square roots of errors, since most are far below the largest.
    scale = require("matplotlib.colors").PowerNorm(0.5, vmin=0, vmax=most)
    for (who, error), panel in zip(errors.items(), panels, strict=True):
        image = panel.imshow(error, cmap="magma", norm=scale, interpolation="nearest")
        mean, worst = np.nanmean(error), np.nanmax(error)
        panel.set_title(f"error of {who}:{between}mean {mean:.2g}, at most {worst:.2g}")
    return image


def _error_bar(
    figure: Figure, image: object, axes: Panel | Panels, most: float, aspect: float = 20
) -> None:
    ticks = [tick for tick in (0, 0.1, 0.5, 1, 2, 4, 8) if tick <= most]
    _colour_bar(figure, image, axes, f"8-bit levels, {most:g} or more at the top", ticks, aspect)


def draw_shading(
    out: Path,
    photo: NDArray[np.uint8],
    normal_map: NDArray[np.uint8],
    reliefs: dict[str, NDArray[np.uint8]],
    errors: dict[str, NDArray[np.float64]],
) -> list[Path]:
    """Write the normal map, the shaded reliefs, and all with their errors side by side.

    reliefs: by where the light comes from. errors: by who computed, in levels, of which 255 lead
    from black to white. Return the paths of the files.
    """
    files = {f"lit_from_{light.replace(' ', '_')}": relief for light, relief in reliefs.items()}
    paths = _save_pictures(out, {"normals": normal_map, **files})

    figure, panels = _six_panels(photo)
    _show(panels[0, 0], photo, "the photograph")
    _show(panels[0, 1], normal_map, "normals of its relief: normalize")
    for (light, relief), panel in zip(reliefs.items(), panels.flat[2:4], strict=True):
        _show(panel, relief, f"lit from the {light}: dot, clamp, pow, mix")
    image = _show_errors(panels.flat[4:], errors, most=2)
    _error_bar(figure, image, panels[-1, -1], most=2)
    return [*paths, _save_figure(figure, out / "shading.png")]


def draw_resampling(out: Path, results: dict[str, Resampled]) -> list[Path]:
    """Write the resampled pictures and their errors, a row each; return the path."""
    figure = _new_figure(16, 8.5)
    heights = [result.picture.shape[0] / result.picture.shape[1] for result in results.values()]
    rows = figure.subplots(len(results), 4, height_ratios=heights)
    for row, (name, (picture, errors)) in zip(rows, results.items(), strict=True):
        for panel in row:
            panel.set_axis_off()
        _show(row[0], picture, name)
        image = _show_errors(row[1:], errors, most=8, between="\n")
    _error_bar(figure, image, rows[:, -1], most=8, aspect=50)
    return [_save_figure(figure, out / "resampling.png")]
