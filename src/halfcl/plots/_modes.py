"""The results of the four rounding modes, as distances in ulps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl._drawing.axes import MODE_COLOURS, add_legend, axes_or_new, check_axes
from halfcl._drawing.clouds import draw_cloud, mark_at_top
from halfcl._drawing.scales import to_places, use_inputs, use_ulps
from halfcl.plots._arguments import Function, as_doubles, as_function, name_of
from halfcl.stability import Rerun, rerun

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The modes' markers and sizes, in the order of drawing: rte is on top, rtz below.
_MARKERS = {"rtz": ("s", 7.0), "rtn": ("v", 6.0), "rtp": ("^", 6.0), "rte": ("o", 3.5)}


def modes(f: str | Function, x: ArrayLike, *args: object, ax: Axes | None = None) -> Axes:
    """Draw how far the results of the four rounding modes are from the exact one, in ulps.

    Of one number x, a number line with the results.

    Parameters
    ----------
    f : callable or str
        Code of NumPy and halfcl as for `halfcl.stability.rerun`, with one result; or the name of
        one of halfcl's functions.
    x : array_like of real numbers, shape (n,) or ()
        The inputs. Numbers that are not halves are rounded to half first.
    *args : any
        Other arguments of f, after x.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError
        If f is not callable, x are not real numbers, or f returns anything but halves.
    ValueError
        If there is no function of a name, f has several results, or they do not have x's shape.
    MissingPackageError
        If matplotlib is not installed.

    See Also
    --------
    halfcl.stability.rerun : the results themselves, and a verdict.

    Notes
    -----
    The exact results are those of the shadow; where there is none, distances are from the result
    rounded to nearest. An ulp is the distance from one half to the next; infinities count as 65536.
    Marks at the top are inputs of which only one of result and exact result is NaN.

    Source: W. Kahan, "How futile are mindless assessments of roundoff in floating-point
    computation?", 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, plots
    >>> x = half(np.linspace(1, 1.02, 20))
    >>> ax = plots.modes("sqrt", x)
    >>> ax = plots.modes(lambda x: np.exp(x) - 1, half(np.geomspace(0.001, 1, 200)))
    >>> ax.get_ylabel()
    'distance from the exact result, ulps'
    """
    function, doubles = as_function(f, "f"), as_doubles(x, "x")
    if doubles.ndim > 1 or not doubles.size:
        raise ValueError(f"x: expected one number or an array of one axis, got {doubles.shape}")
    if ax is not None:
        check_axes(ax)
    as_they_are = getattr(x, "dtype", None) == hc.half and not np.ma.isMaskedArray(x)
    inputs: Any = x if as_they_are else hc.convert(doubles, hc.half)
    with np.errstate(all="ignore"):
        report = rerun(function, inputs, *args)
    if isinstance(report, tuple) or report.shape != doubles.shape:
        shape = f"{len(report)} results" if isinstance(report, tuple) else f"shape {report.shape}"
        raise ValueError(f"f: expected one result of x's shape {doubles.shape}, got {shape}")
    checked: Rerun = report
    if not doubles.shape:
        return checked.plot(ax=ax)
    ax = axes_or_new(ax)
    _draw(ax, np.asarray(inputs).astype(np.float64), checked)
    ax.set_title(name_of(function), loc="right", fontsize="medium")
    return ax


def _draw(ax: Axes, x: NDArray[np.float64], report: Rerun) -> None:
    values = {mode: np.asarray(value).astype(np.float64) for mode, value in report.values.items()}
    reference = values["rte"] if report.exact is None else report.exact
    errors = {mode: to_places(values[mode]) - to_places(reference) for mode in _MARKERS}
    for mode, (marker, size) in _MARKERS.items():
        hidden = mode == "rtz" and _is_hidden(errors)
        draw_cloud(
            ax, x, errors[mode], label="rtz (as rtn or rtp)" if hidden else mode,
            colour=MODE_COLOURS[mode], marker=marker, size=size,
        )  # fmt: skip
    unlike = [np.isnan(value) != np.isnan(reference) for value in values.values()]
    if places := np.flatnonzero(np.any(unlike, axis=0)).tolist():
        mark_at_top(ax, x[places])
    sizes = np.abs(np.stack(list(errors.values())))
    use_inputs(ax, x)
    use_ulps(ax, float(np.max(sizes, initial=0, where=np.isfinite(sizes))))
    ax.set_xlabel("x")
    ax.set_ylabel(f"distance from {'rte' if report.exact is None else 'the exact result'}, ulps")
    add_legend(ax, columns=5)


def _is_hidden(errors: dict[str, NDArray[np.float64]]) -> bool:
    """Return whether the results toward zero are everywhere those down or up, drawn above them."""
    toward_zero, *others = (errors[mode] for mode in ("rtz", "rtn", "rtp"))
    same = [(toward_zero == other) | np.isnan(toward_zero) for other in others]
    return bool(np.all(np.any(same, axis=0)))
