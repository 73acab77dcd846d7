"""NumPy's functions other than ufuncs of halves with shadows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from halfcl.stability._shadow import doubledouble as dd
from halfcl.stability._shadow.branches import NoShadowError, decide, run_uncounted
from halfcl.stability._shadow.decisions import is_nonzero
from halfcl.stability._shadow.doubledouble import Pair
from halfcl.stability._shadow.ufuncs import SUPPORTED_KEYWORDS, reduce_along_axes
from halfcl.stability._shadow.values import (
    Shadow,
    as_doubles,
    as_shadow,
    is_float,
    is_or_has_float,
    plain,
    with_shadow,
)

#: NumPy's structural functions, which move elements and do not compute.
STRUCTURAL = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis",
    "rollaxis", "squeeze", "expand_dims", "broadcast_to", "broadcast_arrays", "atleast_1d",
    "atleast_2d", "atleast_3d", "take", "take_along_axis", "repeat", "tile", "roll", "rot90",
    "flip", "fliplr", "flipud", "split", "array_split", "hsplit", "vsplit", "dsplit", "delete",
    "diagonal", "tril", "triu", "compress", "extract", "copy", "resize", "unstack", "concatenate",
    "stack", "hstack", "vstack", "dstack", "column_stack", "where", "full_like", "zeros_like",
    "ones_like", "sort",
)  # fmt: skip


def call_function(
    x: Shadow,
    function: Callable[..., object],
    types: Iterable[type],
    args: tuple[object, ...],
    keywords: dict[str, object],
) -> object:
    """Compute one of NumPy's functions of values and shadows; x is one of the operands."""
    if keywords.get("out") is not None:
        raise NoShadowError("it writes to a plain array")

    def call_on(part: Callable[[object], object]) -> object:
        named = {name: _map_nested(part, x) for name, x in keywords.items()}
        return function(*(_map_nested(part, x) for x in args), **named)

    value: Any = run_uncounted(call_on, plain)
    if not is_or_has_float(value):
        return _decide_by_function(function, value, lambda: call_on(as_doubles), args, keywords)
    own = _PAIR_FUNCTIONS.get(function)
    pair = None if own is None or keywords.keys() - SUPPORTED_KEYWORDS else own(*args, **keywords)
    if pair is not None:
        return with_shadow(value, pair)
    if getattr(function, "__name__", "") in STRUCTURAL:
        return _attach_shadows(value, call_on(_high_part), call_on(_low_part))
    return _attach_shadows(value, call_on(as_doubles), None)


def _map_nested(function: Callable[[object], object], x: object) -> object:
    """Apply a function to an object, or to the items of lists and tuples at any depth."""
    if type(x) is list or type(x) is tuple:
        return type(x)(_map_nested(function, item) for item in x)
    return function(x)


def _high_part(x: object) -> object:
    """Return the high part as an argument of a structural function, which may return a view."""
    return x.pair.high if isinstance(x, Shadow) else as_doubles(x)


def _low_part(x: object) -> object:
    """Return the low part as an argument of a structural function."""
    if isinstance(x, Shadow):
        return x.pair.low
    if isinstance(x, float) or is_float(x):
        return np.zeros(np.shape(np.asarray(x)))[()]
    return as_doubles(x)


def _attach_shadows(value: object, high: object, low: object) -> object:
    """Return results with shadows, also inside a tuple or list."""
    if isinstance(value, tuple | list):
        highs: Any = high
        lows: Any = [None] * len(value) if low is None else low
        return type(value)(
            [_attach_shadows(*parts) for parts in zip(value, highs, lows, strict=True)]
        )
    result: Any = value
    return with_shadow(result, Pair(high, 0.0 if low is None else low))


#: NumPy's functions of the truths of elements.
_TRUTH_FUNCTIONS: tuple[Callable[..., object], ...] = (
    np.any,
    np.all,
    np.nonzero,
    np.flatnonzero,
    np.count_nonzero,
    np.argwhere,
)


def _decide_by_function(
    function: Callable[..., object],
    value: object,
    by_shadows: Callable[[], Any],
    args: tuple[object, ...],
    keywords: dict[str, object],
) -> object:
    """Decide results of NumPy's functions that are not floats: truths, indices, shapes."""
    if function in _TRUTH_FUNCTIONS and args and isinstance(args[0], Shadow):
        return function(is_nonzero(args[0]), *args[1:], **keywords)
    if not isinstance(value, np.ndarray | np.generic | bool | int) or function is np.can_cast:
        return value
    return decide(value, by_shadows)


def _reduction_along(name: str) -> Callable[..., Pair]:
    def reduce(x: object, axis: object = None, keepdims: bool = False, **_: object) -> Pair:
        return reduce_along_axes(name, as_shadow(x).pair, axis, keepdims)

    return reduce


def _mean(x: object, axis: object = None, **keywords: object) -> Pair:
    shadow = as_shadow(x)
    total = _reduction_along("add")(shadow, axis, **keywords)
    count = np.size(shadow.value) / max(np.size(total.high), 1)
    return dd.div(total, Pair(float(count), 0.0))


def _running(name: str) -> Callable[..., Pair]:
    def accumulate(x: object, axis: int | None = None, **_: object) -> Pair:
        shadow = as_shadow(x)
        pair = shadow.pair if axis is not None else dd.map_parts(shadow.pair, np.ravel)
        return dd.accumulate(name, pair, axis or 0)

    return accumulate


def _dot(x: object, y: object) -> Pair | None:
    """Return the dot product of one-dimensional arrays; None for others."""
    a, b = as_shadow(x), as_shadow(y)
    if np.ndim(a.value) != 1 or np.ndim(b.value) != 1:
        return None
    return dd.reduce("add", dd.mul(dd.widen_high(a.pair), dd.widen_high(b.pair)), 0)


#: Functions that compute in pairs; all others compute in doubles.
_PAIR_FUNCTIONS: dict[Callable[..., object], Callable[..., Pair | None]] = {
    np.sum: _reduction_along("add"),
    np.prod: _reduction_along("multiply"),
    np.max: _reduction_along("maximum"),
    np.min: _reduction_along("minimum"),
    np.mean: _mean,
    np.cumsum: _running("add"),
    np.cumprod: _running("multiply"),
    np.dot: _dot,
    np.inner: _dot,
    np.vdot: _dot,
}


#: Methods of Shadow.
METHODS: dict[str, Callable[..., object]] = {"__array_function__": call_function}
