"""The reductions: what is asked for, of which axes, and where the results go."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from halfcl import _core
from halfcl.foreign import part_for
from halfcl.reductions import arguments
from halfcl.reductions.arguments import HALF, Array
from halfcl.reductions.states import TOGETHER, Partial, pieces


def kept_first(array: Array, reduced: tuple[int, ...]) -> Array:
    """A view of it with the axes that are reduced last."""
    kept = tuple(k for k in range(array.ndim) if k not in reduced)
    order = kept + reduced
    return array if order == tuple(range(array.ndim)) else array.transpose(order)


def shape_without(shape: tuple[int, ...], reduced: tuple[int, ...]) -> tuple[int, ...]:
    """That of results."""
    return tuple(n for k, n in enumerate(shape) if k not in reduced)


def shape_with_ones(shape: tuple[int, ...], reduced: tuple[int, ...]) -> tuple[int, ...]:
    """That of results whose axes are kept."""
    return tuple(1 if k in reduced else n for k, n in enumerate(shape))


def warn_of_few(statistic: str, counts: Array, ddof: int, level: int) -> None:
    """As NumPy does."""
    if statistic == "mean" and (counts == 0).any():
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=level)
    if statistic in ("var", "std") and (counts <= ddof).any():
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=level)


def reduce(
    statistic: str, arrays: tuple[Any, ...], *places: Any, name: str | None = None, **options: Any
) -> Any:
    """A statistic along axes: the way of all calls but the plainest ones.

    places and options: the arguments of `_checked`.
    """
    name = name or statistic
    for x in arrays:
        part = part_for(type(x))
        if part is not None:
            return part.reduce(statistic, arrays, *places, name=name, **options)
    return _checked(statistic, arrays, *places, name=name, **options).run()


class _Reduction(NamedTuple):
    """Checked arguments, of arrays the axes that are kept first."""

    name: str
    statistic: str
    arrays: tuple[Array, ...]
    where: Array | None
    initial: Any
    ddof: int
    rounding: Any
    kept: tuple[int, ...]
    final: tuple[int, ...]
    kind: np.dtype[Any]
    out: Any
    target: Array | None

    def run(self) -> Any:
        found = np.empty(self.kept, self.kind)
        flags = _fill(
            found, self.statistic, self.arrays, self.where, self.initial, self.ddof, self.rounding
        )
        _core.report_flags(flags, self.name)
        found = found.reshape(self.final)
        if self.target is None:
            return found if self.final else found[()]
        np.copyto(self.target, found)
        return self.out


def _checked(
    statistic: str,
    arrays: tuple[Any, ...],
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    *,
    name: str,
    initial: Any = None,
    where: Any = True,
    ddof: Any = 0,
    rounding: Any = None,
) -> _Reduction:
    if rounding is not None:
        _core.check_mode(rounding)
    operands = tuple(
        arguments.numbers(name, argument, x) for argument, x in zip("ab", arrays, strict=False)
    )
    kind = arguments.result_dtype(name, dtype, operands)
    if len(operands) == 2:
        operands = arguments.broadcast(name, *operands)
    shape = operands[0].shape
    reduced = arguments.axes(name, axis, len(shape))
    used = arguments.truths(name, where, shape)
    freedom = arguments.degrees(name, ddof)
    kept = shape_without(shape, reduced)
    final = shape_with_ones(shape, reduced) if keepdims else kept
    target = None if out is None else arguments.output(name, out, kind, final)
    start = None if initial is None else arguments.initial_half(name, initial, rounding)
    return _Reduction(
        name, statistic, tuple(kept_first(a, reduced) for a in operands),
        None if used is None else kept_first(used, reduced), start, freedom, rounding,
        kept, final, kind, out, target,
    )  # fmt: skip


def _fill(
    found: Array,
    statistic: str,
    arrays: tuple[Array, ...],
    where: Array | None,
    initial: Any,
    ddof: int,
    rounding: Any,
) -> int:
    """Compute results, some thousands at a time; the exceptions raised."""
    flags, warned = 0, False
    for slices in pieces(found.shape, TOGETHER):
        piece: Any = (*slices, ...)
        part = found[piece]
        partial = Partial.empty(statistic, part.shape)
        partial.add(tuple(a[piece] for a in arrays), None if where is None else where[piece])
        if not warned and statistic in ("mean", "var", "std"):
            warn_of_few(statistic, partial.counts, ddof, 6)
            warned = bool((partial.counts <= ddof).any())
        if initial is not None:
            partial.add((np.broadcast_to(initial, (*part.shape, 1)),), None)
        rounded = np.empty(part.shape, found.dtype)
        flags |= partial.round_into(rounded, ddof, rounding)
        found[piece] = rounded
    return flags


def running_sums(a: Any, axis: Any, dtype: Any, out: Any, rounding: Any) -> Any:
    """Of an axis, or of all elements in a row."""
    part = part_for(type(a))
    if part is not None:
        return part.cumsum(a, axis, dtype, out, rounding)
    if rounding is not None:
        _core.check_mode(rounding)
    array = arguments.numbers("cumsum", "a", a)
    kind = arguments.result_dtype("cumsum", dtype, (array,))
    if axis is None or array.ndim == 0:
        if axis not in (None, 0, -1):
            arguments.one_axis("cumsum", axis, 1)
        array, axis = array.reshape(-1), 0
    along = arguments.one_axis("cumsum", axis, array.ndim)
    target = None if out is None else arguments.output("cumsum", out, kind, array.shape)
    found = np.empty(array.shape, kind)
    flags = _core.running_sums(arguments.as_halves(array), found, along, rounding)
    _core.report_flags(flags, "cumsum")
    if target is None:
        return found
    np.copyto(target, found)
    return out


def reduce_for_numpy(
    array: Array, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    """``np.add.reduce`` of halves, from +0; NotImplemented where NumPy is to do it, or to complain.

    That is where an argument is of another dtype than `sum` takes: NumPy converts it.
    """
    start = 0 if initial is np._NoValue else initial
    target = out[0] if type(out) is tuple and len(out) == 1 else out
    if (initial is None and where is not True) or (out is not None and target is None):
        return NotImplemented
    try:
        kind = HALF if dtype is None else np.dtype(dtype)
        if kind not in (HALF, np.float32, np.float64) or (
            initial is not np._NoValue and kind != HALF
        ):
            return NotImplemented
        if target is not None and (type(target) is not np.ndarray or target.dtype is not kind):
            return NotImplemented
        reduction = _checked(
            "sum", (np.asarray(array),), axis, kind, target, keepdims,
            initial=start, where=where, name="reduce",
        )  # fmt: skip
    except (TypeError, ValueError):
        return NotImplemented
    found = reduction.run()
    if target is not None or type(array) is np.ndarray:
        return found
    return array.__array_wrap__(np.asarray(found), None, np.ndim(found) == 0)
