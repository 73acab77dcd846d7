"""Tables of NumPy's and halfcl's functions on enclosures."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from halfcl import interval
from halfcl.interval import Interval
from halfcl.interval._arrays import registry
from halfcl.safe import _wide as wide
from halfcl.safe._wide import Axis, Wide, choose, from_exact, hull

#: A function that returns enclosures.
Function: TypeAlias = Callable[..., Wide]


def as_wide(x: object) -> Wide:
    """Return the enclosures of an operand: enclosures, halves or numbers."""
    return x if isinstance(x, Wide) else from_exact(x)


# ---------------------------------------------------------------- products of vectors


def _axis_last(x: object, axis: SupportsIndex) -> Wide:
    """Return an operand with its axis last; a single number becomes a vector of one component."""
    operand = as_wide(x)
    if operand.lo.ndim == 0:
        return operand.map(np.reshape, (1,))
    return operand.map(np.moveaxis, axis, -1)


def _restore_axis(result: Wide, axis: SupportsIndex, keepdims: bool) -> Wide:
    return result.map(np.expand_dims, axis) if keepdims else result


def _dot(x: object, y: object, *, axis: SupportsIndex = -1, keepdims: bool = False) -> Wide:
    return _restore_axis(wide.dot(_axis_last(x, axis), _axis_last(y, axis)), axis, keepdims)


def _length(x: object, *, axis: SupportsIndex = -1, keepdims: bool = False) -> Wide:
    squares = wide.sqr(_axis_last(x, axis))
    return _restore_axis(wide.sqrt(wide.sum(squares, axis=-1)), axis, keepdims)


def _distance(x: object, y: object, *, axis: SupportsIndex = -1, keepdims: bool = False) -> Wide:
    return _length(wide.sub(as_wide(x), as_wide(y)), axis=axis, keepdims=keepdims)


def _normalize(x: object, *, axis: SupportsIndex = -1) -> Wide:
    """Return x / |x|; zero for zero."""
    vectors = _axis_last(x, axis)
    length = _length(vectors, keepdims=True)
    result = wide.restrict(wide.div(vectors, length), -1.0, 1.0)
    result = choose(length.lo <= 0, hull(result, Wide(0, 0)), result)
    shape = np.shape(as_wide(x).lo)
    return result.map(np.moveaxis, -1, axis) if shape else result.map(np.reshape, ())


def _cross(x: object, y: object, *, axis: SupportsIndex = -1) -> Wide:
    a, b = _axis_last(x, axis), _axis_last(y, axis)
    columns = [
        wide.sub(wide.mul(a[..., i], b[..., j]), wide.mul(a[..., j], b[..., i]))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    if a.shape[-1] == 4:
        columns.append(Wide(np.zeros(columns[0].shape), np.zeros(columns[0].shape)))
    result = Wide(np.stack([c.lo for c in columns], -1), np.stack([c.hi for c in columns], -1))
    return result.map(np.moveaxis, -1, axis)


# ---------------------------------------------------------------- ufuncs


def _accept_numbers(function: Callable[..., Wide]) -> Function:
    """Return a function that also accepts halves and numbers."""
    return lambda *operands: function(*map(as_wide, operands))


def _skip_empty(function: Callable[[Wide, Wide], Wide]) -> Callable[[Wide, Wide], Wide]:
    """Return fmin or fmax, which ignores an empty enclosure, that of a NaN."""
    return lambda x, y: choose(x.is_empty, y, choose(y.is_empty, x, function(x, y)))


def _power(x: object, y: object) -> Wide:
    """Return squares and cubes in doubles, other powers in halves."""
    if isinstance(y, float) and y.is_integer():
        y = int(y)
    if isinstance(y, int) and 2 <= y <= 4:
        base = as_wide(x)
        square = wide.sqr(base)
        return (square, wide.mul(base, square), wide.sqr(square))[y - 2]
    if isinstance(y, int):
        result: Wide = lift_interval_function(registry.UFUNCS["power"])(x, y)
        return result
    return _real_power(as_wide(x), as_wide(y))


def _real_power(x: Wide, y: Wide) -> Wide:
    """Return halfcl's `pow`, which also allows negative bases with integer exponents."""
    result: Wide = lift_interval_function(registry.UFUNCS["pow"])(x, y)
    least, greatest = np.ceil(y.lo), np.floor(y.hi)  # limits of the integer exponents
    integral = (x.lo < 0) & (least <= greatest)
    if not integral.any():
        return result
    only = integral & (y.lo == y.hi) & (np.abs(least) < 2.0**31)
    exponents = np.where(only, least, 0).astype(np.int32)
    powers: Wide = lift_interval_function(registry.UFUNCS["pown"])(x, exponents)
    return choose(only, powers, choose(integral, wide.entire(result.shape), result))


def _mix(x: Wide, y: Wide, a: Wide) -> Wide:
    return wide.add(x, wide.mul(wide.sub(y, x), a))


def _clamp(x: Wide, low: Wide, high: Wide) -> Wide:
    return wide.minimum(wide.maximum(x, low), high)


_ONE = Wide(1, 1)
_ZERO = Wide(0, 0)

_WIDE_FUNCTIONS: dict[str, Callable[..., Wide]] = {
    "positive": lambda x: x.map(np.copy),
    "negative": wide.neg,
    "add": wide.add,
    "subtract": wide.sub,
    "multiply": wide.mul,
    "divide": wide.div,
    "reciprocal": lambda x: wide.div(_ONE, x),
    "square": wide.sqr,
    "absolute": wide.magnitudes,
    "fabs": wide.magnitudes,
    "sqrt": wide.sqrt,
    "rsqrt": lambda x: wide.div(_ONE, wide.sqrt(x)),
    "minimum": wide.minimum,
    "maximum": wide.maximum,
    "min": wide.minimum,
    "max": wide.maximum,
    "fmin": _skip_empty(wide.minimum),
    "fmax": _skip_empty(wide.maximum),
    "fma": lambda x, y, z: wide.add(wide.mul(x, y), z),
    "mad": lambda x, y, z: wide.add(wide.mul(x, y), z),
    "fdim": lambda x, y: wide.maximum(wide.sub(x, y), _ZERO),
    "hypot": lambda x, y: wide.sqrt(wide.add(wide.sqr(x), wide.sqr(y))),
    "clamp": _clamp,
    "mix": _mix,
    "vecdot": wide.dot,
    "matmul": wide.matmul,
}
#: Functions by the names of ufuncs without rounding modes; others use `lift_interval_function`.
UFUNCS: dict[str, Function] = {
    name: _accept_numbers(function) for name, function in _WIDE_FUNCTIONS.items()
} | {
    "power": _power,
    "pow": _power,
    "dot": _dot,
    "length": _length,
    "distance": _distance,
    "normalize": _normalize,
    "cross": _cross,
}


def lift_interval_function(function: Callable[..., Interval]) -> Function:
    """Return a function that applies one of intervals to the intervals around enclosures."""

    def enclose(*operands: object) -> Wide:
        result = function(*(x.interval() if isinstance(x, Wide) else x for x in operands))
        return wide.from_interval(result)

    return enclose


def interval_ufunc(name: str) -> Function | None:
    """Return the ufunc of that name on enclosures, by intervals; None if intervals lack it."""
    function = registry.UFUNCS.get(name)
    return function and lift_interval_function(function)


# ---------------------------------------------------------------- reductions


def _extremum(function: Callable[..., ArrayLike]) -> Function:
    return lambda x, axis=None, keepdims=False: Wide(
        function(x.lo, axis=axis, keepdims=keepdims), function(x.hi, axis=axis, keepdims=keepdims)
    )


#: Reductions by the names of ufuncs.
REDUCTIONS: dict[str, Function] = {
    "add": wide.sum,
    "maximum": _extremum(np.max),
    "minimum": _extremum(np.min),
}


def _mean(a: Wide, axis: Axis = None, *, keepdims: bool = False) -> Wide:
    total = wide.sum(a, axis, keepdims)
    return wide.div(total, from_exact(a.lo.size // max(total.lo.size, 1)))


def _norm(x: Wide, ord: object = None, axis: Axis = None, keepdims: bool = False) -> Wide:
    if ord is not None and not (ord == 2 and (isinstance(axis, int) or x.lo.ndim == 1)):
        raise TypeError(f"norm: ord: expected None, got {ord!r}")
    return wide.sqrt(wide.sum(wide.sqr(x), axis, keepdims))


def _numpy_dot(a: object, b: object) -> Wide:
    a, b = as_wide(a), as_wide(b)
    return wide.matmul(a, b) if a.lo.ndim and b.lo.ndim else wide.mul(a, b)


def _clip(a: object, a_min: object = None, a_max: object = None, **named: object) -> Wide:
    low, high = named.get("min", a_min), named.get("max", a_max)
    result = as_wide(a)
    result = result if low is None else wide.maximum(result, as_wide(low))
    return result if high is None else wide.minimum(result, as_wide(high))


def _sort(x: object, *args: object, **keywords: object) -> Wide:
    return as_wide(x).map(np.sort, *args, **keywords)


#: Functions by NumPy's functions that compute.
FUNCTIONS: dict[Callable[..., object], Function] = {
    np.sum: wide.sum,
    np.max: _extremum(np.max),
    np.min: _extremum(np.min),
    np.mean: _mean,
    np.dot: _numpy_dot,
    np.clip: _clip,
    np.sort: _sort,
    np.linalg.norm: _norm,
}
#: The position of ``out`` in signatures; that of numpy.dot, a C function, as it is documented.
_OUTS = {np.dot: 2} | {
    function: names.index("out")
    for function in FUNCTIONS
    if function is not np.dot and "out" in (names := list(inspect.signature(function).parameters))
}


def has_positional_out(function: Callable[..., object], args: tuple[object, ...]) -> bool:
    """Return whether arguments of one of NumPy's functions include an output."""
    return any(x is not None for x in args[_OUTS.get(function, len(args)) :][:1])


def unknown_to_entire(enclosure: Wide, value: object) -> Wide:
    """Replace empty enclosures by all numbers where the value is a number.

    For example, 1/0, whose value is inf, is not proved to be anywhere.
    """
    empty = enclosure.is_empty
    if not empty.any():
        return enclosure
    return choose(empty & ~np.isnan(np.asarray(value)), wide.entire(enclosure.shape), enclosure)


def enclose_domain_function(name: str, x: Wide) -> Wide:
    """Return the enclosure of a function of the part of x in its domain."""
    return UFUNCS[name](x) if name in UFUNCS else lift_interval_function(getattr(interval, name))(x)
