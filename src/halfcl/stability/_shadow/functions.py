"""NumPy's functions other than ufuncs of halves with shadows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl._support.duck_arrays.base import Args, Function, Keywords, check_output
from halfcl._support.duck_arrays.structural import STRUCTURAL, Call, join, map_leaves
from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.stability._shadow._numbers.doubledouble import Pair
from halfcl.stability._shadow._numbers.unbounded import sort_keys
from halfcl.stability._shadow.branches import NoShadowError, decide, run_uncounted
from halfcl.stability._shadow.decisions import is_nonzero
from halfcl.stability._shadow.ufuncs import SUPPORTED_KEYWORDS, reduce_along_axes
from halfcl.stability._shadow.values import (
    Shadow,
    as_doubles,
    as_shadow,
    has_shadow,
    is_float,
    is_or_has_float,
    plain,
    with_shadow,
)


def call_function(x: Shadow, function: Function, args: Args, keywords: Keywords) -> object:
    """Compute one of NumPy's functions of values and shadows; x is one of the operands."""
    if function in STRUCTURAL:
        call = STRUCTURAL[function].bind(args, dict(keywords))
        if _moves_floats(call):
            return _move(call)
    if keywords.get("out") is not None:
        raise NoShadowError("it writes to a plain array")

    def call_on(part: Callable[[object], object]) -> object:
        return function(*map_leaves(part, args), **map_leaves(part, keywords))

    value: Any = run_uncounted(call_on, plain)
    if not is_or_has_float(value):
        return _decide_by_function(function, value, lambda: call_on(as_doubles), args, keywords)
    own = _PAIR_FUNCTIONS.get(function)
    pair = None if own is None or keywords.keys() - SUPPORTED_KEYWORDS else own(*args, **keywords)
    if pair is not None:
        return with_shadow(value, pair)
    return _attach_shadows(value, call_on(as_doubles))


def _attach_shadows(value: object, wide: object) -> object:
    """Return results with shadows from results in doubles, also inside a tuple or list."""
    return join([value, wide], lambda results: with_shadow(results[0], Pair(results[1], 0.0)))


# ---------------------------------------------------------------- structural functions


def _moves_floats(call: Call) -> bool:
    """Return whether a function moves elements that have shadows, and computes none."""
    for x in call.arrays():
        if has_shadow(x) or is_float(x):
            return not call.describe_computation()
    return False


def _plain(name: str, x: object) -> object:
    return plain(x)


def _in_doubles(name: str, x: object) -> object:
    """Return an argument for doubles in place of halves; it may be the type."""
    return x if isinstance(x, int) else map_leaves(as_doubles, plain(x))


def _move(call: Call) -> object:
    """Return the result of a structural function on values, and on both parts of the shadows."""
    out: Any = call.out
    target = call.get(call.function.target)
    for x in (out, target):
        if x is not None and not (isinstance(x, Shadow) and isinstance(x.value, np.ndarray)):
            raise NoShadowError("it writes to a plain array")
    value = run_uncounted(call.run, plain, _plain)
    high = call.run(lambda x: as_shadow(x).pair.high, _in_doubles)
    if target is not None and not target.pair.low.flags.writeable:
        return None  # large arrays have no second part
    low = call.run(lambda x: as_shadow(x).pair.low, _in_doubles)
    if target is not None:
        return None
    result = join([value, high, low], lambda parts: with_shadow(parts[0], Pair(*parts[1:])))
    if out is None:
        return result
    check_output(call.function.name, out, result)
    out[...] = result
    return out


# ---------------------------------------------------------------- other functions

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


def _sort(x: object, axis: int | None = -1, **_: object) -> Pair:
    pair = as_shadow(x).pair
    if axis is None:
        pair, axis = dd.map_parts(pair, np.ravel), -1
    order = np.lexsort((pair.low, sort_keys(pair.high)), axis)
    return dd.map_parts(pair, lambda part: np.take_along_axis(part, order, axis))


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
    np.sort: _sort,
    np.dot: _dot,
    np.inner: _dot,
    np.vdot: _dot,
}


#: Methods of Shadow.
METHODS: dict[str, Callable[..., object]] = {"_call_function": call_function}
