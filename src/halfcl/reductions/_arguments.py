"""Checks and conversions of the arguments of reductions."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl import _core
from halfcl._support.arguments.byte_order import native_dtype
from halfcl._support.arguments.promises import refuse_promise
from halfcl.typing import RoundingMode
from halfcl.vectors._registry import as_plain

Array: TypeAlias = NDArray[Any]
Truths: TypeAlias = NDArray[np.bool_]
#: A number, or an array of them.
Result: TypeAlias = NDArray[Any] | np.floating[Any]

HALF = np.dtype(_core.half)
FLOAT16 = np.dtype(np.float16)
#: Dtypes that results can be rounded to.
RESULTS = (HALF, FLOAT16, np.dtype(np.float32), np.dtype(np.float64))


#: The same by themselves: the extension compares dtypes by identity, and others may be equal.
_RESULTS = {kind: kind for kind in RESULTS}


def result_kind(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the dtype of `RESULTS` that equals a dtype of any byte order, or None."""
    return _RESULTS.get(native_dtype(dtype))


#: The statistics of functions whose names differ from them.
STATISTICS = {"vdot": "dot", "reduce": "sum", "length": "norm", "any": "sum", "all": "sum"}


def statistic_of(name: str) -> str:
    """Return the statistic that a function computes."""
    return STATISTICS.get(name, name)


class Call(NamedTuple):
    """A call of a reduction, with its unchecked arguments."""

    name: str
    arrays: tuple[object, ...]
    axis: object = None
    dtype: DTypeLike | None = None
    out: object = None
    keepdims: object = False
    initial: ArrayLike | None = None
    where: ArrayLike | bool = True
    ddof: SupportsIndex = 0
    rounding: Any = None


def numbers(name: str, argument: str, x: object) -> Array:
    """Return an argument as a plain array of half or float16, or of a dtype exact in them.

    The byte order stays. Python's numbers, and lists of them, are rounded to half in the region's
    mode.
    """
    if type(x) is np.ndarray and (x.dtype is HALF or x.dtype is FLOAT16):
        return x
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{name}: argument {argument}: expected an array without a mask, got a masked array; "
            f"where=~{argument}.mask leaves masked elements out"
        )
    if type(x) is float or type(x) is int or type(x) is bool:
        return np.asarray(_core.half(x))
    if isinstance(x, list | tuple):
        halves = _core.halves_of_numbers(x)
        if halves is not None:
            return np.asarray(halves)
    refuse_promise(name, argument, x, "half, float16, bool, int8 or uint8")
    array: Array = x if type(x) is np.ndarray else as_plain(np.asarray(x))
    if array.dtype is HALF or array.dtype is FLOAT16:
        return array
    if native_dtype(array.dtype) in (HALF, FLOAT16):
        return array
    if array.dtype.kind in "biuf" and np.can_cast(array.dtype, FLOAT16, "safe"):
        return array
    raise TypeError(
        f"{name}: argument {argument}: expected half, float16, bool, int8 or uint8, "
        f"got {array.dtype}; halfcl.convert(x, halfcl.half) rounds it to half"
    )


def as_halves(array: Array) -> Array:
    """Return an array that `numbers` returned as halves or float16 in native byte order."""
    if array.dtype is HALF or array.dtype is FLOAT16:
        return array
    dtype = native_dtype(array.dtype)
    return array.astype(dtype if dtype in (HALF, FLOAT16) else HALF)


def axes(name: str, axis: object, ndim: int) -> tuple[int, ...]:
    """Return the axes to reduce, not negative and in ascending order; for None all of them."""
    if axis is None:
        return tuple(range(ndim))
    try:
        indices = [operator.index(a) for a in (axis if isinstance(axis, tuple) else (axis,))]
    except TypeError:
        raise TypeError(
            f"{name}: argument axis: expected an int, a tuple of ints or None, got {axis!r}"
        ) from None
    for a in indices:
        if not -ndim <= a < ndim:
            expected = f"{-ndim} to {ndim - 1}" if ndim else "None for an array without axes"
            raise np.exceptions.AxisError(f"{name}: argument axis: expected {expected}, got {a}")
    ascending = sorted(a % ndim for a in indices)
    if len(set(ascending)) < len(ascending):
        raise ValueError(f"{name}: argument axis: expected each axis once, got {axis!r}")
    return tuple(ascending)


def one_axis(name: str, axis: object, ndim: int) -> int:
    """Return the single axis, not negative, of a function that takes no tuple of axes."""
    if isinstance(axis, tuple):
        raise TypeError(f"{name}: argument axis: expected an int or None, got {axis!r}")
    return axes(name, axis, ndim)[0]


def result_dtype(name: str, dtype: DTypeLike | None, arrays: tuple[Array, ...]) -> np.dtype[Any]:
    """Return the dtype argument; without one float16 if all arrays are float16, else half."""
    if dtype is None:
        return FLOAT16 if all(a.dtype.type is np.float16 for a in arrays) else HALF
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if kind is None or kind not in RESULTS:  # np.dtype(None) is float64
        raise TypeError(
            f"{name}: argument dtype: expected half, float16, float32 or float64, got {dtype!r}"
        )
    return HALF if kind == HALF else kind


def truths(name: str, where: ArrayLike | bool, shape: tuple[int, ...]) -> Truths | None:
    """Return the mask of elements to include, broadcast to a shape; None if all are included."""
    if where is True:
        return None
    refuse_promise(name, "where", where, "bool")
    array: Array = np.asarray(where)
    if array.dtype != np.bool_:
        raise TypeError(f"{name}: argument where: expected bool, got {array.dtype}")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(
            f"{name}: argument where: expected a shape that broadcasts to {shape}, "
            f"got {array.shape}"
        ) from None


def broadcast(name: str, a: Array, b: Array) -> tuple[Array, Array]:
    """Broadcast two arguments to one shape."""
    if a.shape == b.shape:
        return a, b
    try:
        first, second = np.broadcast_arrays(a, b)
    except ValueError:
        raise ValueError(
            f"{name}: argument b: expected a shape that broadcasts with {a.shape}, got {b.shape}"
        ) from None
    return first, second


def output(name: str, out: object, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """Return the array to write results to, if it has the results' dtype and shape."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if not isinstance(out, np.ndarray) or native_dtype(out.dtype) != dtype:
        got = getattr(out, "dtype", type(out).__name__)
        raise TypeError(f"{name}: argument out: expected an array of {dtype}, got {got}")
    if out.shape != shape:
        raise ValueError(f"{name}: argument out: expected shape {shape}, got {out.shape}")
    if not out.flags.writeable:
        raise TypeError(f"{name}: argument out: expected a writable array, got a read-only one")
    return out


def initial_half(name: str, initial: ArrayLike, rounding: RoundingMode | None) -> _core.half:
    """Return the initial value, rounded to half in the call's mode."""
    refuse_promise(name, "initial", initial, "a real number")
    if not np.isscalar(initial) and np.ndim(initial) != 0:
        raise TypeError(
            f"{name}: argument initial: expected a number, got shape {np.shape(initial)}"
        )
    try:
        return _core.half(initial, rounding=rounding)  # type: ignore[arg-type, return-value]
    except TypeError:
        raise TypeError(
            f"{name}: argument initial: expected a real number, got {type(initial).__name__}"
        ) from None


def degrees(name: str, ddof: SupportsIndex) -> int:
    """Return the delta degrees of freedom as an int."""
    try:
        freedom = operator.index(ddof)
    except TypeError:
        raise TypeError(f"{name}: argument ddof: expected an int, got {ddof!r}") from None
    if not -(2**31) <= freedom < 2**31:
        raise ValueError(f"{name}: argument ddof: expected -2^31 to 2^31 - 1, got {freedom}")
    return freedom
