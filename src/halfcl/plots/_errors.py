"""The errors of a function at every half, of halfcl's and of other libraries'."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import halfcl as hc
from halfcl._drawing.axes import add_legend, axes_or_new, check_axes, resolve_colour
from halfcl._drawing.clouds import draw_cloud, mark_at_top
from halfcl._drawing.scales import BEYOND, use_halves, use_ulps
from halfcl._support.extras import MissingPackageError
from halfcl._tables.row import Builtin
from halfcl.audit import CallablesTarget, Target, TargetError
from halfcl.audit._records import ulps
from halfcl.audit._results.mistakes import NOT_NUMBERS
from halfcl.audit._running import ErrorsInOrder, run_in_order
from halfcl.plots._arguments import row_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OneTarget = str | Target | Callable[..., object]

#: The libraries beside halfcl by default, if they are installed: those of the processor.
_PEERS = ("numpy", "torch", "jax", "tensorflow", "numkong")

#: The sizes of dots for wrong results, if these are few, and otherwise.
_FEW, _FEW_SIZE, _DOT_SIZE = 100, 8.0, 3.0


def errors(
    name: str | Callable[..., object],
    targets: OneTarget | Iterable[OneTarget] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the error of a function at every half, of halfcl's and of other libraries'.

    The horizontal axis has all 63,488 finite halves in their order, each a step from the next.
    Wrong results are larger dots; where a NaN or an infinity is wrong, a mark is at the top.

    Parameters
    ----------
    name : str or function
        A function of one half, by halfcl's name; or halfcl's or NumPy's function itself.
    targets : str, Target, callable, or iterable of these, optional
        What to draw: ``"halfcl"``, and what `halfcl.audit.run` takes: libraries by name, such as
        ``"torch:cuda"``, and functions of arrays of float16. By default halfcl, and those of NumPy,
        PyTorch, JAX, TensorFlow and NumKong that are installed and have the function.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError
        If ``name`` or a target is none of these.
    ValueError
        If ``name`` is not a function of one half that rounds to half, a target does not have it,
        or there are no targets.
    TargetError
        If there is no target of a name, or it breaks down.
    MissingPackageError
        If matplotlib or the library of a target is not installed.

    See Also
    --------
    halfcl.audit.run : the numbers, and functions of several arguments.

    Notes
    -----
    Accuracy: errors are counted as `halfcl.audit` does, against the exact results in double, within
    1e-12 ulp. By default NumPy is left out while `halfcl.accelerate` has replaced its loops.
    Source: OpenCL C, "Relative Error as ULPs".

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import plots
    >>> def rsqrt(x):
    ...     return 1 / np.sqrt(x)
    >>> ax = plots.errors("rsqrt", ["halfcl", rsqrt])
    >>> for text in ax.get_legend().get_texts():
    ...     print(text.get_text())
    halfcl: all right, at most 0.49963 ulp
    rsqrt: 8,402 of 65,536 wrong, at most 1.327 ulp
    """
    row = row_of(name, "name")
    if row.inputs != "e" or row.outputs[0] != "e":
        raise ValueError(
            f"name: expected a function of one half with a half as result, got {row.name}; "
            f"halfcl.audit.run({_example(targets)!r}, {row.name!r}) counts its errors"
        )
    if ax is not None:
        check_axes(ax)
    audited = _audit_peers(row) if targets is None else _audit_all(row, targets)
    ax = axes_or_new(ax)
    # The best ones are drawn on top; of equal ones the first.
    worst_first = sorted(enumerate(audited), key=lambda pair: (-pair[1].report.max_ulp, -pair[0]))
    ranks = {k: rank for rank, (k, _) in enumerate(worst_first)}
    for k, one in enumerate(audited):
        _draw(ax, one, f"C{k}", ranks[k] / len(audited))
    sizes = np.abs(np.concatenate([one.errors for one in audited]))
    use_halves(ax)
    use_ulps(ax, float(np.max(sizes, initial=0, where=np.isfinite(sizes))))
    ax.set_xlim(-BEYOND, BEYOND)
    ax.set_xlabel("x, over all halves")
    ax.set_ylabel(f"error of {row.name}(x), ulps")
    add_legend(ax)
    return ax


def _example(targets: object) -> str:
    return targets if isinstance(targets, str) and targets != "halfcl" else "numpy"


# ---------------------------------------------------------------- who is drawn


def _audit_peers(row: Builtin) -> list[ErrorsInOrder]:
    """Audit halfcl's function, and those of installed libraries that have it."""
    audited = [_audit(row, "halfcl")]
    for peer in _PEERS:
        try:
            audited.append(_audit(row, peer))
        except (MissingPackageError, TargetError, ValueError):  # not there, or not of half
            continue
    return audited


def _audit_all(row: Builtin, targets: object) -> list[ErrorsInOrder]:
    is_one = isinstance(targets, str | Target) or callable(targets)
    listed = [targets] if is_one or not isinstance(targets, Iterable) else list(targets)
    if not listed:
        raise ValueError("targets: expected halfcl, libraries or functions, got none")
    return [_audit(row, target) for target in listed]


def _audit(row: Builtin, target: object) -> ErrorsInOrder:
    if isinstance(target, str) and target == "halfcl":
        function = partial(getattr(hc, row.name), rounding="rte")
        return run_in_order(CallablesTarget("halfcl", {row.name: function}), row.name)
    if not isinstance(target, str | Target) and not callable(target):
        raise TypeError(f"targets: expected names of libraries or functions, got {target!r:.80}")
    return run_in_order(target, row.name)


# ---------------------------------------------------------------- how


def _draw(ax: Axes, one: ErrorsInOrder, colour: str, rank: float) -> None:
    """Draw the errors of one target, and its wrong results once more as dots, above all others.

    rank: 0 for the worst target, which is below the others, so that these show how much is right.
    """
    x, colour = np.clip(one.x, -BEYOND, BEYOND), resolve_colour(colour)
    draw_cloud(ax, x, one.errors, label=_label(one), colour=colour, zorder=2 + rank)
    wrong, counted = one.wrong, np.isfinite(one.errors)
    size = _FEW_SIZE if np.count_nonzero(wrong) <= _FEW else _DOT_SIZE
    ax.plot(
        x[wrong & counted], one.errors[wrong & counted], ".", color=colour, ms=size,
        zorder=3 + rank,
    )  # fmt: skip
    if np.any(wrong & ~counted):
        mark_at_top(ax, x[wrong & ~counted], colour)


def _label(one: ErrorsInOrder) -> str:
    """Return a target's name with the number of wrong results and the largest error.

    A text that would be wider than the axes has two lines.
    """
    report = one.report
    wrong = f"{report.wrong:,} of {report.tested:,} wrong" if report.wrong else "all right"
    no_numbers = sum(report.mistakes.get(kind, 0) for kind in NOT_NUMBERS)
    beside = f", {no_numbers:,} by a NaN or an infinity,\n" if no_numbers else ", "
    has_short_digits = 1000 <= report.max_ulp < 1e6
    most = f"{report.max_ulp:,.0f}" if has_short_digits else ulps(report.max_ulp)
    return f"{one.target}: {wrong}{beside}at most {most} ulp"
