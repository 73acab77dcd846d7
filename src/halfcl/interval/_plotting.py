"""Plots of intervals over points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl._drawing.axes import check_axes, matplotlib_module
from halfcl._drawing.scales import LARGEST
from halfcl.interval._arrays.values import as_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection


def plot_band(x: ArrayLike, iv: object, ax: Axes | None = None, **options: Any) -> PolyCollection:
    """Draw intervals over x as a band between their bounds.

    Parameters
    ----------
    x : array_like
        The positions of the intervals, of shape (n,).
    iv : Interval
        The intervals, of shape (n,), decorated or not. Empty intervals and NaI leave gaps;
        unbounded ones extend to half's largest number.
    ax : matplotlib Axes, optional
        The axes to draw on; by default the current ones.
    **options
        Options of `matplotlib.axes.Axes.fill_between`, such as ``color`` or ``label``.

    Returns
    -------
    matplotlib.collections.PolyCollection

    Raises
    ------
    ValueError
        If x and iv are not of one shape (n,).
    MissingPackageError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, interval
    >>> x = np.linspace(0, 1, 100).astype(half)
    >>> band = interval.plot_band(x, interval.sin(interval.Interval(x) * 6))  # doctest: +SKIP
    """
    low, high = as_bounds(getattr(iv, "_bare", iv), "iv")  # decorated or not
    places = np.asarray(x)
    places = hc.convert_double(places) if places.dtype == hc.half else places
    if places.ndim != 1 or low.shape != places.shape:
        raise ValueError(f"iv: expected the shape (n,) of x, got {low.shape} for {places.shape}")
    ax = matplotlib_module("pyplot").gca() if ax is None else check_axes(ax)
    bottom, top = (np.clip(hc.convert_double(v), -LARGEST, LARGEST) for v in (low, high))
    return ax.fill_between(places, bottom, top, **{"alpha": 0.5, "linewidth": 0, **options})
