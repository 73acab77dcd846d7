"""The reductions: what is asked for, of which axes, and where the results go."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from halfcl import _core
from halfcl.foreign import part_for
from halfcl.reductions import arguments
from halfcl.reductions.arguments import Array
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
    statistic: str,
    arrays: tuple[Any, ...],
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    *,
    initial: Any = None,
    where: Any = True,
    ddof: Any = 0,
    rounding: Any = None,
    name: str | None = None,
) -> Any:
    """A statistic along axes: the way of all calls but the plainest ones."""
    name = name or statistic
    for x in arrays:
        part = part_for(type(x))
        if part is not None:
            return part.reduce(
                statistic, arrays, axis, dtype, out, keepdims,
                initial=initial, where=where, ddof=ddof, rounding=rounding, name=name,
            )  # fmt: skip
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
    final = shape_with_ones(shape, reduced) if keepdims else shape_without(shape, reduced)
    target = None if out is None else arguments.output(name, out, kind, final)
    start = None if initial is None else arguments.initial_half(name, initial, rounding)
    found = np.empty(shape_without(shape, reduced), kind)
    flags = _fill(
        found, statistic, tuple(kept_first(a, reduced) for a in operands),
        None if used is None else kept_first(used, reduced), start, freedom, rounding,
    )  # fmt: skip
    _core.report_flags(flags, name)
    found = found.reshape(final)
    if target is None:
        return found if final else found[()]
    np.copyto(target, found)
    return out


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
            warn_of_few(statistic, partial.counts, ddof, 5)
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


def reduce_for_numpy(array: Array, axis: Any, keepdims: Any, where: Any) -> Any:
    """``np.add.reduce`` of halves; NotImplemented where NumPy is to say what is wrong."""
    try:
        return reduce("sum", (array,), axis, None, None, keepdims, where=where, name="reduce")
    except (TypeError, ValueError):
        return NotImplemented
