"""Pictures of reruns, with the axes, scales and number lines that all plots share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._drawing.axes import (
    BAD,
    FAINT,
    FAIR,
    MODE_COLOURS,
    add_legend,
    axes_or_new,
    resolve_colour,
)
from halfcl._drawing.number_line import HEIGHT, Mark, draw_number_line
from halfcl._drawing.scales import use_inputs
from halfcl._support.pages.charts import decade_ticks, log2_1p, number_text
from halfcl.stability._runs import Result
from halfcl.stability._text import format_ulps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The arguments of a function, each with its name.
NamedArgs: TypeAlias = tuple[tuple[str, object], ...]

#: Colours of several formulas: the first is often the one to mend.
_COLOURS = (BAD, FAIR, "C2", "C1", "C4", "C5")

#: Spreads and errors, in ulps, that scales label, and their positions on scales.
_ULPS = decade_ticks(2.0**15)
_POSITIONS = log2_1p(np.array(_ULPS))
_TEXTS = [number_text(ulps) for ulps in _ULPS]

#: The modes in the order of labels.
_MODES = ("rte", "rtz", "rtn", "rtp")

#: Width of the window of a running median, as a fraction of all points.
_MEDIAN_WIDTH = 1 / 25


class Report(Protocol):
    """The part of a `halfcl.stability.Rerun` that is drawn."""

    name: str

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def values(self) -> Mapping[str, Result]: ...
    @property
    def spread(self) -> NDArray[np.float64]: ...
    @property
    def stable(self) -> NDArray[np.bool_]: ...
    @property
    def error(self) -> NDArray[np.float64]: ...

    @property
    def spread_of_all(self) -> NDArray[np.float64]: ...
    @property
    def verdict(self) -> NDArray[np.str_]: ...

    exact: NDArray[np.float64] | None
    samples: NDArray[Any] | None
    reason: str


def _varies_along(argument: object, shape: tuple[int, ...], axis: int) -> TypeGuard[NDArray[Any]]:
    """Return whether an argument's numbers vary along one axis of the result."""
    if not isinstance(argument, np.ndarray) or argument.dtype.kind not in "fiu":
        return False
    padded = (1,) * (len(shape) - argument.ndim) + argument.shape
    if len(padded) != len(shape) or argument.size not in (shape[axis], np.prod(shape)):
        return False
    lines = np.moveaxis(argument.reshape(padded), axis, 0)
    return len(lines) == shape[axis] and bool(np.any(lines != lines[:1]))


def _grid(
    inputs: ArrayLike | None, args: NamedArgs, shape: tuple[int, ...], axis: int
) -> tuple[str, NDArray[Any]]:
    """Return the inputs along an axis of the result, and their name.

    For a grid of two inputs, return its first row or column. Without inputs, take the first
    argument that varies along this axis, else indices.
    """
    name = ""
    if inputs is None:
        indices = ("element", np.arange(shape[axis]))
        fitting = ((name, a) for name, a in args if _varies_along(a, shape, axis))
        name, inputs = next(fitting, indices)
    return name, _along(np.asarray(inputs).astype(np.float64), shape, axis)


def _along(grid: NDArray[Any], shape: tuple[int, ...], axis: int) -> NDArray[Any]:
    """Return the numbers along an axis of a grid, which may have only these."""
    if grid.size == shape[axis]:
        return grid.ravel()
    if grid.shape != shape:
        name = "x" if axis == len(shape) - 1 else "y"
        raise ValueError(f"{name}: expected {shape[axis]} numbers, got shape {grid.shape}")
    return grid if len(shape) == 1 else np.moveaxis(grid, axis, 0)[:, 0]


def _draw_curve(report: Report, x: NDArray[Any], ax: Axes) -> None:
    """Draw the values of the four modes as a band, and mark unstable elements."""
    order = np.argsort(x, kind="stable")
    x, runs = x[order], np.stack([np.asarray(v).astype(float) for v in report.values.values()])
    runs, stable = runs[:, order], report.stable[order]
    low, high = runs.min(axis=0), runs.max(axis=0)
    fair = resolve_colour(FAIR)
    ax.fill_between(x, low, high, color=fair, alpha=0.35, lw=0, label="least to largest")
    ax.plot(x, runs[0], color=fair, lw=1, label="to nearest")
    middle = np.where(stable, np.nan, runs[0])
    ax.plot(x, middle, ".", color=resolve_colour(BAD), ms=3, label="unstable or off")


def _draw_map(report: Report, x: NDArray[Any], y: NDArray[Any], ax: Axes) -> None:
    """Draw the spread as colours, on a logarithmic scale."""
    spread = np.where(np.isfinite(report.spread), report.spread, np.nan)
    levels = np.log2(1 + spread)
    image = ax.pcolormesh(x, y, levels, shading="nearest", cmap="magma_r", vmin=0, vmax=15)
    bar = ax.figure.colorbar(image, ax=ax, ticks=_POSITIONS, label="spread, ulps")
    bar.ax.set_yticklabels(_TEXTS)


def plot(
    report: Report,
    args: NamedArgs,
    x: ArrayLike | None,
    y: ArrayLike | None,
    ax: Axes | None,
) -> Axes:
    """Draw a rerun over one or two inputs, or on a number line (see `Rerun.plot`)."""
    shape = report.shape
    if len(shape) > 2 or 0 in shape:
        raise ValueError(f"plot: expected a scalar or one or two axes, got shape {shape}")
    if len(shape) < 2 and y is not None:
        raise ValueError("y: expected none for a result of less than two axes")
    if not shape:
        return _plot_scalar(report, x, ax)
    x_name, columns = _grid(x, args, shape, len(shape) - 1)
    y_name, rows = _grid(y, args, shape, 0) if len(shape) == 2 else ("result", None)
    ax = axes_or_new(ax)
    if rows is None:
        _draw_curve(report, columns, ax)
        ax.legend(frameon=False, fontsize="small")
    else:
        _draw_map(report, columns, rows, ax)
    ax.set_xlabel(x_name or ax.get_xlabel())
    ax.set_ylabel(y_name or ax.get_ylabel())
    not_stable = np.count_nonzero(~report.stable)
    title = f"{report.name}: {not_stable} of {report.spread.size} not stable"
    ax.set_title(title, fontsize="medium")
    return ax


def _plot_scalar(report: Report, x: ArrayLike | None, ax: Axes | None) -> Axes:
    """Draw the results of all runs on a number line, and the shadow's."""
    if x is not None:
        raise ValueError("x: expected none for a scalar result")
    values = {mode: float(np.asarray(value)) for mode, value in report.values.items()}
    samples = () if report.samples is None else np.ravel(report.samples).astype(float).tolist()
    marks = [
        *(Mark("", value, "|", FAINT) for value in samples),
        *(Mark(mode, values[mode], "o", MODE_COLOURS[mode]) for mode in _MODES),
    ]
    if report.exact is not None:
        marks.append(Mark("exact", float(report.exact), "D", "C4"))
    ax = axes_or_new(ax, HEIGHT)
    draw_number_line(ax, marks)
    spread = format_ulps(float(report.spread_of_all))
    unit = "ulp" if spread == "1" else "ulps"
    title = f"{report.name}: {report.verdict[()]}, {spread} {unit} apart"
    ax.set_title(title, loc="left", fontsize="medium")
    return ax


# ---------------------------------------------------------------- errors over inputs


def plot_errors(
    reports: Sequence[Report], args: NamedArgs, x: ArrayLike | None, ax: Axes | None
) -> Axes:
    """Draw the errors of formulas over an input (see `Rerun.plot_error`)."""
    shape = reports[0].shape
    if len(shape) != 1 or not shape[0]:
        raise ValueError(f"plot_error: expected a result of one axis, got shape {shape}")
    for report in reports:
        if report.exact is None:
            raise ValueError(f"plot_error: expected a shadow of {report.name}: {report.reason}")
    name, inputs = _grid(x, args, shape, 0)
    ax = axes_or_new(ax)
    for k, report in enumerate(reports):
        _draw_errors(report, inputs, ax, resolve_colour(_COLOURS[k % len(_COLOURS)]))
    use_inputs(ax, inputs)
    ax.set_yticks(_POSITIONS, _TEXTS)
    ax.set_xlabel(name or ax.get_xlabel())
    ax.set_ylabel("error, ulps")
    add_legend(ax, columns=len(reports) if len(reports) < 3 else 1)
    return ax


def _draw_errors(report: Report, x: NDArray[Any], ax: Axes, colour: str) -> None:
    """Draw a point for each element, and the running median as a line."""
    order = np.argsort(x, kind="stable")
    finite = np.where(np.isfinite(report.error), report.error, 2.0**15 - 1)[order]
    x, levels = x[order], np.log2(1 + finite)
    ax.plot(x, levels, ".", color=colour, alpha=0.35, ms=3)
    width = min(len(x), 1 + 2 * round(len(x) * _MEDIAN_WIDTH / 2))
    windows = np.lib.stride_tricks.sliding_window_view(levels, width)
    middle = slice(width // 2, width // 2 + len(windows))
    ax.plot(x[middle], np.median(windows, axis=1), color=colour, lw=1.5, label=report.name)
