"""Enclosures of a function over boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl import interval as iv
from halfcl._drawing.axes import (
    BAD,
    FAIR,
    add_legend,
    axes_or_new,
    legend_text,
    matplotlib_module,
    resolve_colour,
)
from halfcl._drawing.scales import LARGEST
from halfcl._support.arguments.integers import as_int
from halfcl.interval import Interval
from halfcl.interval._arrays.values import as_bounds
from halfcl.plots._arguments import Function, as_function, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Doubles = NDArray[np.float64]

#: The points of the function's curve, and the most boxes.
_SAMPLES, _MOST = 1000, 10_000


def boxes(
    f: str | Function,
    interval: Interval | tuple[float, float],
    *,
    count: int = 16,
    enclose: Callable[[Function, Interval], Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what intervals say of a function: boxes that contain it, and the function itself.

    Parameters
    ----------
    f : callable or str
        A function of one argument, as `halfcl.interval` takes it; or the name of one of halfcl's.
    interval : Interval or pair of numbers
        The bounded interval to draw on, which is cut into parts; or an array of intervals of shape
        (n,), which are taken as they are.
    count : int, optional
        The number of parts.
    enclose : callable, optional
        How f is enclosed: ``enclose(f, parts)`` returns the enclosures. By default ``f(parts)``;
        `halfcl.interval.mean_value` and `halfcl.interval.range_of` are tighter.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError
        If f is not callable, the interval is none, or the enclosures are not intervals.
    ValueError
        If an interval is empty or unbounded, or ``count`` is not from 1 to 10000.
    MissingPackageError
        If matplotlib is not installed.

    See Also
    --------
    halfcl.interval.plot_band : intervals over points.

    Notes
    -----
    Accuracy: each box contains the exact results of its part. Boxes end at half's largest number;
    empty ones are not drawn. The curve has f's results on doubles, or on halves if f does not
    take doubles; of a function that returns intervals, their middles. Source: IEEE 1788.

    Examples
    --------
    >>> from halfcl import interval, plots
    >>> def f(x):
    ...     return x * x - x
    >>> ax = plots.boxes(f, (-1, 2))
    >>> ax = plots.boxes(f, (-1, 2), count=8, enclose=interval.range_of)
    """
    function, parts = as_function(f, "f"), _parts(interval, count)
    if enclose is not None and not callable(enclose):
        raise TypeError(f"enclose: expected a function of f and intervals, got {enclose!r:.80}")
    ax = axes_or_new(ax)
    with np.errstate(all="ignore"):
        result = function(parts) if enclose is None else enclose(function, parts)
    rectangles = _rectangles(parts, _bare(result, parts.shape))
    ax.add_collection(_collection(rectangles))
    x, y = _curve(function, float(parts.inf.min()), float(parts.sup.max()))
    ax.plot(x, y, color=resolve_colour(BAD), lw=1.5, label=legend_text(name_of(function)))
    if x[0] < x[-1]:
        ax.set_xlim(x[0], x[-1])
    ax.set_xlabel("x")
    ax.set_ylabel("f(x)")
    add_legend(ax, columns=2)
    return ax


def _parts(interval: object, count: object) -> Interval:
    """Return the intervals to draw, of shape (n,)."""
    number = as_int("count", count)
    if not 1 <= number <= _MOST:
        raise ValueError(f"count: expected an integer from 1 to {_MOST}, got {number}")
    whole = _as_interval(interval)
    if whole.ndim > 1 or not whole.size:
        raise ValueError(f"interval: expected one, or shape (n,), got shape {whole.shape}")
    if not np.all(np.isfinite(whole.inf) & np.isfinite(whole.sup)):
        raise ValueError(f"interval: expected a bounded interval, got {whole!r:.80}")
    if whole.ndim:
        return whole
    edges = np.unique(np.linspace(float(whole.inf), float(whole.sup), number + 1).astype(hc.half))
    if edges.size == 1:
        edges = np.repeat(edges, 2)
    return Interval(edges[:-1], edges[1:])


def _as_interval(interval: object) -> Interval:
    bare = getattr(interval, "_bare", interval)  # of a decorated one
    if isinstance(bare, Interval):
        return bare
    if isinstance(interval, tuple | list) and len(interval) == 2:
        try:
            return iv.from_values(interval[0], interval[1])
        except ValueError as error:
            raise ValueError(f"interval: {error}") from None
    raise TypeError(f"interval: expected an Interval or a pair of numbers, got {interval!r:.80}")


def _bare(result: object, shape: tuple[int, ...]) -> Interval:
    """Return enclosures without decorations; raise TypeError for anything else."""
    bare = getattr(result, "_bare", result)  # of decorated intervals
    if not isinstance(bare, Interval) or bare.shape != shape:
        raise TypeError(f"f: expected intervals of shape {shape} for such, got {result!r:.80}")
    return bare


def _rectangles(x: Interval, y: Interval) -> Doubles:
    """Return the corners of boxes that are not empty, of shape (n, 4, 2)."""
    bounds = (*as_bounds(x, "interval"), *as_bounds(y, "f"))  # NaN for empty intervals
    x0, x1, y0, y1 = (
        np.clip(np.asarray(bound).astype(np.float64), -LARGEST, LARGEST) for bound in bounds
    )
    corners = [(x0, y0), (x0, y1), (x1, y1), (x1, y0)]
    all_boxes = np.stack([np.stack(corner, -1) for corner in corners], 1)
    return all_boxes[~np.isnan(y0)]


def _collection(rectangles: Doubles) -> Any:
    colour = resolve_colour(FAIR)
    return matplotlib_module("collections").PolyCollection(
        list(rectangles), facecolor=colour, edgecolor=colour, alpha=0.35, label="enclosures"
    )


def _curve(function: Function, low: float, high: float) -> tuple[Doubles, Doubles]:
    """Return points of a function, on doubles if it takes them; infinities leave gaps."""
    x = np.linspace(low, high, _SAMPLES)
    with np.errstate(all="ignore"):
        try:
            y: Any = function(x)
        except TypeError:  # halfcl's functions are those of halves
            y = function(hc.convert(x, hc.half))
        y = getattr(y, "_bare", y)
        y = y.mid if isinstance(y, Interval) else y
    values = np.broadcast_to(np.asarray(y).astype(np.float64), x.shape)
    return x, np.where(np.isfinite(values), values, np.nan)
