"""Ufuncs on vectors: operators, NumPy's functions and halfcl's, component by component."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._core import separate
from halfcl._support.results import Results
from halfcl._tables import TABLE
from halfcl.vectors._operands import check_plain_operands
from halfcl.vectors._registry import VectorBase, as_plain, as_vector, conversion_call, width_of


class Keywords(TypedDict, total=False):
    """The keywords of a ufunc that matter here."""

    out: tuple[NDArray[Any] | None, ...]
    where: NDArray[np.bool_] | bool
    axis: object
    axes: object


_LOGICAL = frozenset({np.logical_and, np.logical_or, np.logical_xor, np.logical_not})
#: Relational, equality and logical operators return 0 and -1 of the integer type of the same
#: size. NumPy's isnan, isinf, isfinite and signbit are not among them, since NumPy's own
#: functions index with their results as bools. halfcl's are.
_RELATIONAL = frozenset({
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, *_LOGICAL,
})  # fmt: skip
_BITWISE = frozenset({np.bitwise_and, np.bitwise_or, np.bitwise_xor})
_SHIFTS = frozenset({np.left_shift, np.right_shift})

_ROWS = {f"{row.name}_{mode}": row for row in TABLE if row.public for mode in row.modes}
#: NumPy's ufuncs whose arguments have different types.
_MIXED = frozenset({
    getattr(np, name) for row in TABLE if len(set(row.inputs)) > 1 for name in row.numpy
})  # fmt: skip


@functools.cache
def _kind(ufunc: np.ufunc) -> str:
    """Return how OpenCL differs from NumPy: relational, mixed, bitwise, shift or not at all."""
    row = _ROWS.get(ufunc.__name__)
    if ufunc in _RELATIONAL or (row is not None and row.outputs == "?"):
        return "relational"
    if ufunc in _MIXED or (row is not None and len(set(row.inputs)) > 1):
        return "mixed"  # the arguments have different types
    return "bitwise" if ufunc in _BITWISE else "shift" if ufunc in _SHIFTS else ""


def _check_alike(ufunc: np.ufunc, vectors: Sequence[object]) -> None:
    """Raise an error unless all vectors have one type, or for mixed arguments one width."""
    first = vectors[0]
    for other in vectors[1:]:
        if type(other) is type(first):
            continue
        names = f"{type(first).__name__} and {type(other).__name__}"
        if width_of(other) != width_of(first):
            raise ValueError(f"{ufunc.__name__}: expected vectors of one width, got {names}")
        if _kind(ufunc) != "mixed":
            raise TypeError(
                f"{ufunc.__name__}: expected vectors of one type, got {names}; "
                f"use {conversion_call(np.asarray(first).dtype)}"
            )


def _check_outputs(ufunc: np.ufunc, vectors: Sequence[object], out: tuple[object, ...]) -> None:
    """Raise ValueError for outputs of another width; their types may differ."""
    for x in out:
        if vectors and width_of(x) not in (0, width_of(vectors[0])):
            raise ValueError(
                f"{ufunc.__name__}: out: expected a vector as wide as "
                f"{type(vectors[0]).__name__}, got {type(x).__name__}"
            )


def _unwrap(values: tuple[object, ...]) -> list[object]:
    return separate(values, VectorBase)[0]


def _wrap(results: Results, like: VectorBase | None) -> Results:
    """Return results as vectors as wide as another one; unchanged if there is none."""
    if like is None:
        return results
    if type(results) is np.ndarray and results.dtype is like.dtype:
        return results.view(type(like))
    if isinstance(results, tuple):
        return tuple(as_vector(result, width_of(like)) for result in results)
    return as_vector(results, width_of(like))


def _prefer_outputs(results: Results, out: tuple[NDArray[Any] | None, ...]) -> Results:
    """Return the results, with the caller's own objects for outputs."""
    if not isinstance(results, tuple):
        return results if out[0] is None else out[0]
    return tuple(r if o is None else o for r, o in zip(results, out, strict=True))


def _run(
    ufunc: Callable[..., Results],
    inputs: Sequence[object],
    kwargs: Keywords,
    like: VectorBase | None,
) -> Results:
    """Call with plain inputs, and return results as vectors, or in the caller's outputs."""
    out = kwargs.get("out")
    if out is None:
        return _wrap(ufunc(*inputs, **kwargs), like)
    results = ufunc(*inputs, **{**kwargs, "out": tuple(_unwrap(out))})
    return _prefer_outputs(_wrap(results, like), out)


def _as_mask(truth: object, element: np.dtype[Any]) -> NDArray[Any]:
    """Return bools as -1 and 0 in the signed integers of the elements' size."""
    ones: NDArray[Any] = np.asarray(truth).astype(f"i{element.itemsize}")
    np.negative(ones, out=ones)
    return ones


def _has_bools(ufunc: np.ufunc, inputs: list[object]) -> bool:
    """Return whether masks are combined with NumPy's bools; the result is for indexing then."""
    return ufunc in _LOGICAL and any(np.asarray(x).dtype == np.bool for x in inputs)


def _run_relational(
    ufunc: np.ufunc, inputs: list[object], kwargs: Keywords, like: VectorBase
) -> Results:
    """Run a comparison: return -1 and 0 as vectors, or NumPy's bools in a plain output."""
    (out,) = kwargs.pop("out", (None,))
    if (out is not None and not width_of(out)) or _has_bools(ufunc, inputs):
        return ufunc(*inputs, out=out, **kwargs)
    where = kwargs.pop("where", True) if out is not None else True
    mask = _as_mask(ufunc(*inputs, **kwargs), like.dtype)
    if out is None:
        return as_vector(mask, width_of(like))
    np.copyto(as_plain(out), mask, where=where)
    return out


def _all_bits(x: object, element: np.dtype[Any]) -> object:
    """Return a bool operand of integer vectors as OpenCL widens it: all bits set or clear."""
    array = np.asarray(x)
    return np.negative(array.astype(element)) if array.dtype == bool else x


def _adjust_inputs(
    kind: str,
    inputs: list[object],
    element: np.dtype[Any],
    out: tuple[NDArray[Any] | None, ...],
) -> list[object]:
    """Adjust the inputs of operators on integers where OpenCL differs from NumPy."""
    if element.kind not in "iu":
        return inputs
    if kind == "bitwise":
        if out and out[0] is not None and out[0].dtype == bool:  # bools &= mask
            return [np.asarray(x) != 0 for x in inputs]
        return [_all_bits(x, element) for x in inputs]
    if kind == "shift":
        # Only the low bits of the distance that number a position count.
        distance = inputs[1] if isinstance(inputs[1], int) else np.asarray(inputs[1])
        return [inputs[0], distance & (8 * element.itemsize - 1)]
    return inputs


def _call_elementwise(ufunc: np.ufunc, inputs: tuple[ArrayLike, ...], kwargs: Keywords) -> Results:
    plain, vectors, unclear = separate(inputs, VectorBase)
    kind = _kind(ufunc)
    if len(vectors) > 1:
        _check_alike(ufunc, vectors)
    if vectors and unclear:
        check_plain_operands(ufunc.__name__, inputs, vectors, own_shape=kind == "relational")
    if "out" in kwargs:
        if not vectors:
            vectors = separate(kwargs["out"], VectorBase)[1]
            if unclear:
                check_plain_operands(ufunc.__name__, inputs, vectors, own_shape=True)
        _check_outputs(ufunc, vectors, kwargs["out"])
    if not vectors:  # only the keyword where is a vector
        return ufunc(*inputs, **kwargs)
    like = vectors[0]
    if kind == "relational":
        return _run_relational(ufunc, plain, kwargs, like)
    if kind:
        plain = _adjust_inputs(kind, plain, like.dtype, kwargs.get("out", ()))
    return _run(ufunc, plain, kwargs, like)


@functools.cache
def _cores(signature: str) -> tuple[list[str], list[str]]:
    """Return the core dimensions of a generalised ufunc's inputs and outputs, as written."""
    inputs, outputs = signature.split("->")
    return re.findall(r"\((.*?)\)", inputs), re.findall(r"\((.*?)\)", outputs)


def _call_generalised(ufunc: np.ufunc, inputs: tuple[ArrayLike, ...], kwargs: Keywords) -> Results:
    """Call a generalised ufunc: normalize and cross return vectors, dot and others plain arrays."""
    plain, vectors, _ = separate(inputs, VectorBase)
    cores_in, cores_out = _cores(ufunc.signature)
    cores = {core for x, core in zip(inputs, cores_in, strict=True) if width_of(x)}
    moved = "axes" in kwargs or kwargs.get("axis", -1) != -1
    # Test whether the only core dimension is the vector, in the inputs and in the outputs.
    by_vector = len(cores) == 1 and "," not in min(cores) and not moved
    if by_vector:
        _check_alike(ufunc, vectors)
    gives_vectors = by_vector and set(cores_out) == cores
    return _run(ufunc, plain, kwargs, vectors[0] if gives_vectors else None)


def _convert_where(kwargs: Keywords) -> Keywords:
    """Return the keywords, with a mask of 0 and -1 for ``where`` as NumPy's bools."""
    where = kwargs.get("where")
    if isinstance(where, VectorBase):
        return {**kwargs, "where": as_plain(where) != 0}
    return kwargs


def is_last_reduced(axis: Any, ndim: int) -> bool:
    """Return whether an axis argument, None for all, includes the last axis."""
    axes = (axis,) if isinstance(axis, int | np.integer) else axis
    return axes is None or ndim - 1 in {a % ndim for a in axes}


def _fold(ufunc: np.ufunc, method: str, inputs: tuple[ArrayLike, ...], kwargs: Keywords) -> Results:
    """Run reduce, accumulate or reduceat; return vectors if the last axis is kept."""
    array = inputs[0]
    lost = method != "accumulate" and is_last_reduced(kwargs.get("axis", 0), np.ndim(array))
    like = array if isinstance(array, VectorBase) and not lost else None
    return _run(getattr(ufunc, method), _unwrap(inputs), kwargs, like)


def array_ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[ArrayLike, ...], kwargs: Keywords
) -> Results:
    """Run a ufunc or a method of one with vectors; the implementation of `__array_ufunc__`."""
    kwargs = _convert_where(kwargs)
    if method == "__call__":
        call = _call_elementwise if ufunc.signature is None else _call_generalised
        return call(ufunc, inputs, kwargs)
    if method in ("reduce", "accumulate", "reduceat"):
        return _fold(ufunc, method, inputs, kwargs)
    return _run(getattr(ufunc, method), _unwrap(inputs), kwargs, None)  # outer, at
