"""NumPy's ufuncs, and halfcl's functions, of halves with shadows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl._settings.regions import SUFFIXES
from halfcl._support.duck_arrays.base import Args, Keywords
from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.stability._shadow._numbers.doubledouble import Doubles, Pair, Pairs
from halfcl.stability._shadow._numbers.unbounded import as_doubles as in_range, bounded_or_not
from halfcl.stability._shadow.branches import BRANCHES, Choice, NoShadowError, decide, run_uncounted
from halfcl.stability._shadow.decisions import compare
from halfcl.stability._shadow.values import (
    Shadow,
    Value,
    as_shadow,
    is_or_has_float,
    plain,
    with_shadow,
)

_VECTOR_UFUNCS = frozenset({"cross", "dot", "distance", "length", "normalize"})


_MATRIX_UFUNCS = ("matmul", "vecdot", "vecmat", "matvec")


#: Keywords that do not change the reference values, or are passed on.
SUPPORTED_KEYWORDS = frozenset({"axis", "keepdims", "dtype", "casting", "order"})


def _name_of(ufunc: np.ufunc) -> str:
    """Return the name of a ufunc without its rounding mode."""
    name = ufunc.__name__
    return name[:-4] if name.endswith(SUFFIXES) else name


def call_ufunc(
    x: Shadow, ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Args
) -> object:
    """Compute a ufunc of values and shadows; x is one of the operands."""
    if method == "at":
        raise NoShadowError(f"{_name_of(ufunc)}.at does not support shadows")
    where: Any = plain(keywords.pop("where", True)) if method == "__call__" else True
    value: Any = run_uncounted(getattr(ufunc, method), *map(plain, inputs), **keywords)
    if value is NotImplemented:
        return value
    has_out = any(out is not None for out in outs)
    out: Any = outs[0] if outs else None
    if not is_or_has_float(value):
        result: Any = _truths_of_ufunc(_name_of(ufunc), method, inputs, keywords, value)
        if not has_out:
            return result
    else:
        result = _shadows_of_ufunc(ufunc, method, inputs, keywords, value)
        if not has_out and where is True:
            return result
        if not isinstance(out, Shadow) or len(outs) > 1:
            raise NoShadowError("it writes to a plain array, or uses several outputs")
    out[...] = result if where is True else np.where(where, result, out)
    return out


def _shadows_of_ufunc(
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    keywords: dict[str, object],
    value: Value | tuple[Value, ...],
) -> object:
    name = _name_of(ufunc)
    if keywords.keys() - SUPPORTED_KEYWORDS:
        raise NoShadowError(f"{name} does not support shadows with these arguments")
    if method == "__call__" and name in BY_VALUE:
        return _attach_pairs(value, BY_VALUE[name](inputs[: ufunc.nin], value))
    operands = [as_shadow(x).pair for x in inputs[: ufunc.nin]]
    if method == "__call__":
        return _attach_pairs(value, _compute_pairs(name, operands))
    known = dd.ARITHMETIC if method == "outer" else dd.JOINED
    first, *others = operands
    axis: Any = keywords.get("axis", 0)
    if name in known and not isinstance(value, tuple):
        if method == "reduce":
            keepdims = bool(keywords.get("keepdims"))
            return Shadow(value, reduce_along_axes(name, first, axis, keepdims))
        if method == "accumulate":
            return Shadow(value, dd.accumulate(name, first, axis))
        if method == "outer":
            return Shadow(value, _outer(name, first, *others))
    raise NoShadowError(f"{name}.{method} does not support shadows")


def _step_to_neighbour(inputs: Sequence[object], value: Any) -> Pair:
    """Move the shadow as far as the function moves the half."""
    x = as_shadow(inputs[0])
    with np.errstate(all="ignore"):
        step = _doubles_of(value) - _doubles_of(x.value)
        moved = dd.add(x.pair, Pair(step, 0.0 * step))
    is_finite = np.isfinite(step)
    high = np.where(is_finite, moved.high, _doubles_of(value))
    return Pair(high, np.where(is_finite, moved.low, 0.0))


def _value_as_pair(inputs: Sequence[object], value: Any) -> Pair:
    """Return the half result itself, as an exact pair."""
    return dd.as_pair(_doubles_of(value))


def _significand(inputs: Sequence[object], value: Any) -> tuple[Pair, None]:
    """Return the significand that belongs to the exponent of the half."""
    x = as_shadow(inputs[0]).pair
    power = -np.asarray(value[1])
    return Pair(np.ldexp(x.high, power), np.ldexp(x.low, power)), None


def _is_beyond_edge(inputs: Sequence[object], value: Any) -> Pair:
    """Return 1 where the second argument is at least the first, else 0; NaN for NaN."""
    edge, x = inputs
    truths: Any = compare("ge", _doubles_of(value) == 1, x, edge)
    return dd.as_pair(np.where(np.isnan(_doubles_of(value)), np.nan, truths))


def _doubles_of(x: object) -> NDArray[np.float64]:
    return np.asarray(x).astype(np.float64)


#: Functions whose shadows also depend on the half result.
BY_VALUE: dict[str, Callable[[Sequence[object], Any], Pairs]] = {
    "nextup": _step_to_neighbour,
    "nextdown": _step_to_neighbour,
    "nextafter": _step_to_neighbour,
    "ulp": _value_as_pair,
    "spacing": _value_as_pair,
    "frexp": _significand,
    "step": _is_beyond_edge,
}


def _compute_pairs(name: str, operands: Sequence[Pair]) -> Pairs:
    compute = dd.UFUNCS.get(name)
    if name in _MATRIX_UFUNCS and hasattr(np, name):
        compute = bounded_or_not(name, dd.in_doubles(getattr(np, name)))
    if compute is None:
        raise NoShadowError(f"{name} does not support shadows")
    if name in _MATRIX_UFUNCS or name in _VECTOR_UFUNCS:
        operands = list(map(dd.widen_high, operands))
    return compute(*operands)


def _attach_pairs(value: Value | tuple[Value, ...], pairs: Pairs) -> object:
    if isinstance(pairs, Pair):
        return Shadow(value, pairs) if not isinstance(value, tuple) else value
    values = value if isinstance(value, tuple) else (value,)
    return tuple(v if p is None else with_shadow(v, p) for v, p in zip(values, pairs, strict=True))


def reduce_along_axes(name: str, x: Pair, axis: object, keepdims: bool) -> Pair:
    """Reduce a pair along one axis after the other."""
    ndim = np.ndim(x.high)
    axes: Any = tuple(range(ndim)) if axis is None else axis
    numbers = {a % ndim for a in (axes if isinstance(axes, tuple) else (axes,))}
    for k in sorted(numbers, reverse=True):
        x = dd.reduce(name, x, k)
        if keepdims:
            x = dd.map_parts(x, functools.partial(np.expand_dims, axis=k))
    return x


def _outer(name: str, x: Pair, y: Pair) -> Pair:
    ones = (1,) * np.ndim(y.high)
    return dd.ARITHMETIC[name](dd.map_parts(x, lambda part: part.reshape((*part.shape, *ones))), y)


#: Comparisons by the names of ufuncs.
_COMPARING_UFUNCS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq",
    "not_equal": "ne", "isless": "lt", "islessequal": "le", "isgreater": "gt",
    "isgreaterequal": "ge", "isequal": "eq", "isnotequal": "ne",
}  # fmt: skip


#: Functions that test one number for infinity or NaN.
_CLASSIFYING_UFUNCS: dict[str, Callable[[Doubles], Choice]] = {
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan,
}  # fmt: skip


def _truths_of_ufunc(
    name: str, method: str, inputs: Sequence[object], keywords: dict[str, object], value: Choice
) -> Choice:
    if method != "__call__" or keywords or BRANCHES.get() is None:
        return value
    if name in _COMPARING_UFUNCS:
        return compare(_COMPARING_UFUNCS[name], value, *inputs)
    if name in _CLASSIFYING_UFUNCS:
        high = in_range(as_shadow(inputs[0]).pair.high)
        return decide(value, lambda: _CLASSIFYING_UFUNCS[name](high))
    return value


#: Methods of Shadow.
METHODS: dict[str, Callable[..., object]] = {"_call_ufunc": call_ufunc}
