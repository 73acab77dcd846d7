"""Dispatch of reductions: to the engine at once, in pieces, or to another library's adapter."""

from __future__ import annotations

import warnings
from types import NotImplementedType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl import _core
from halfcl._support.arguments.byte_order import native_dtype
from halfcl._support.foreign import adapter_for
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import (
    FLOAT16,
    HALF,
    RESULTS,
    Array,
    Call,
    Result,
    Truths,
    statistic_of,
)
from halfcl.reductions._states import ELEMENTS_AT_ONCE, NATIVE, STATES_AT_ONCE, Partial, pieces
from halfcl.typing import RoundingMode


def move_reduced_last(array: Array, reduced: tuple[int, ...]) -> Array:
    """Return a view whose reduced axes come last, after those that results keep."""
    kept = tuple(k for k in range(array.ndim) if k not in reduced)
    order = kept + reduced
    return array if order == tuple(range(array.ndim)) else array.transpose(order)


def shape_without(shape: tuple[int, ...], reduced: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of results without the reduced axes."""
    return tuple(n for k, n in enumerate(shape) if k not in reduced)


def shape_with_ones(shape: tuple[int, ...], reduced: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of results whose reduced axes have length 1."""
    return tuple(1 if k in reduced else n for k, n in enumerate(shape))


def warn_of_few(statistic: str, counts: Array, ddof: int, level: int) -> None:
    """Warn, as NumPy does, of means of nothing and variances without degrees of freedom."""
    if statistic == "mean" and (counts == 0).any():
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=level)
    if statistic in ("var", "std") and (counts <= ddof).any():
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=level)


def prepare_and_reduce(call: Call) -> Result:
    """Return the result of a call whose arguments the extension does not take as they are.

    It checks and converts them, or dispatches to the adapter of another library's arrays.
    """
    for x in call.arrays:
        adapter = adapter_for(type(x))
        if adapter is not None:
            return adapter.reduce(call)
    return _check(call).run()


_core.teach_preparation(prepare_and_reduce, Call)


class _Reduction(NamedTuple):
    """A call with checked arguments, of the types that the extension takes."""

    name: str
    arrays: tuple[Array, ...]
    axes: tuple[int, ...]
    kind: np.dtype[Any]
    final: tuple[int, ...]
    target: Array | None
    keepdims: bool
    initial: _core.half | None
    where: Truths | None
    ddof: int
    rounding: RoundingMode | None

    def run(self) -> Result:
        results = self._reduce_at_once()
        if results is NotImplemented:
            results = self._reduce_in_pieces()
        if self.target is None:
            return results
        np.copyto(self.target, results)
        return self.target

    def _reduce_at_once(self) -> Result | NotImplementedType:
        """Convert all elements to half and reduce them; NotImplemented if there are too many."""
        if any(a.size > ELEMENTS_AT_ONCE and a.dtype not in NATIVE for a in self.arrays):
            return NotImplemented
        halves = tuple(map(arguments.as_halves, self.arrays))
        where = True if self.where is None else self.where
        return _core.reduce_at_once(
            self.name, halves, self.axes, self.kind, None, self.keepdims, self.initial, where,
            self.ddof, self.rounding,
        )  # fmt: skip

    def _reduce_in_pieces(self) -> Result:
        """Reduce piece by piece; this also handles arrays without elements."""
        arrays = tuple(move_reduced_last(a, self.axes) for a in self.arrays)
        where = None if self.where is None else move_reduced_last(self.where, self.axes)
        results = np.empty(shape_without(self.arrays[0].shape, self.axes), self.kind)
        flags = _fill(
            results, statistic_of(self.name), arrays, where, self.initial, self.ddof, self.rounding
        )
        _core.report_flags(flags, self.name)
        return results.reshape(self.final) if self.final else results[()]


def _check(call: Call) -> _Reduction:
    name, arrays, axis, dtype, out, keepdims, initial, where, ddof, rounding = call
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
    keeps = bool(keepdims)
    final = shape_with_ones(shape, reduced) if keeps else shape_without(shape, reduced)
    target = None if out is None else arguments.output(name, out, kind, final)
    start = None if initial is None else arguments.initial_half(name, initial, rounding)
    return _Reduction(
        name, operands, reduced, kind, final, target, keeps, start, used, freedom, rounding
    )


def _fill(
    results: Array,
    statistic: str,
    arrays: tuple[Array, ...],
    where: Truths | None,
    initial: _core.half | None,
    ddof: int,
    rounding: RoundingMode | None,
) -> int:
    """Write results, a few thousand at a time; return the flags of the exceptions raised."""
    flags, warned = 0, False
    for slices in pieces(results.shape, STATES_AT_ONCE):
        piece: Any = (*slices, ...)
        shape = results[piece].shape
        partial = Partial.empty(statistic, shape)
        partial.add(tuple(a[piece] for a in arrays), None if where is None else where[piece])
        if not warned and statistic in ("mean", "var", "std"):
            warn_of_few(statistic, partial.counts, ddof, 7)
            warned = bool((partial.counts <= ddof).any())
        if initial is not None:
            partial.add((np.broadcast_to(initial, (*shape, 1)),), None)
        rounded = np.empty(shape, results.dtype)
        flags |= partial.round_into(rounded, ddof, rounding)
        results[piece] = rounded
    return flags


def running_sums(
    a: ArrayLike, axis: object, dtype: DTypeLike | None, out: object, rounding: RoundingMode | None
) -> Result:
    """Return running sums along an axis, or over all elements in C order if it is None."""
    plain = _core.cumsum(a, axis, dtype, out, rounding)
    if plain is not NotImplemented:
        return plain
    adapter = adapter_for(type(a))
    if adapter is not None:
        return adapter.cumsum(a, axis, dtype, out, rounding)
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
    sums = np.empty(array.shape, kind)
    flags = _core.running_sums(arguments.as_halves(array), sums, along, rounding)
    _core.report_flags(flags, "cumsum")
    if target is None:
        return sums
    np.copyto(target, sums)
    return target


def overrides_ufuncs(array: object) -> bool:
    """Return whether NumPy's ufuncs refuse an array, or leave it to its class; so of proxies."""
    own = np.ndarray.__array_ufunc__
    return getattr(type(array), "__array_ufunc__", None) is not own


def can_copy_to(out: object) -> bool:
    """Return whether results may be copied to an output: its class does not override ufuncs."""
    return isinstance(out, np.ndarray) and not overrides_ufuncs(out)


def unwrap_output(out: object) -> object:
    """Return the output in a tuple of one, which ufuncs accept; anything else unchanged."""
    return out[0] if type(out) is tuple and len(out) == 1 else out


def reduce_for_numpy(
    name: str,
    array: Array,
    axis: object,
    dtype: DTypeLike | None,
    out: object,
    keepdims: object,
    initial: Any,
    where: ArrayLike | bool,
) -> Result | NotImplementedType:
    """Return ``np.add.reduce`` ("reduce", from +0) or ``np.multiply.reduce`` ("prod") of halves.

    NotImplemented where NumPy has to compute it or to raise the error: where an argument has
    another dtype than `sum` takes, which NumPy converts.
    """
    has_initial = initial is not np._NoValue
    start = initial if has_initial else 0 if name == "reduce" else None
    target: Any = unwrap_output(out)
    if (initial is None and where is not True) or (out is not None and not can_copy_to(target)):
        return NotImplemented
    own = HALF if array.dtype.type is HALF.type else np.dtype(np.float16)
    try:
        kind = own if dtype is None else np.dtype(dtype)
        if dtype is None and target is not None and native_dtype(target.dtype) in (HALF, FLOAT16):
            kind = native_dtype(target.dtype)
        if kind not in RESULTS or (has_initial and kind not in (HALF, FLOAT16)):
            return NotImplemented
        if target is not None and native_dtype(target.dtype) != kind:
            return NotImplemented
        arrays = (np.asarray(array),)
        memory = None if target is None else np.asarray(target)
        reduction = _check(Call(name, arrays, axis, kind, memory, keepdims, start, where))
    except (TypeError, ValueError):
        return NotImplemented
    result = reduction.run()
    return target if target is not None else _core.wrap_result(array, result)
