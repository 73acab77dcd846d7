"""Tables of NumPy's and halfcl's functions on enclosures.

Enclosures are intervals between doubles, narrow enough to decide what is outside a domain. Sums,
products, quotients and square roots are rounded outward to doubles unless they are exact. The other
functions are `halfcl.interval`'s, on bounds rounded outward to halves.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

import halfcl as hc
from halfcl import interval
from halfcl._core import round_outward
from halfcl.interval._arrays import registry
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.double_functions import lift_interval_function
from halfcl.interval._formulas.doubles import ENTIRE, ZERO, DoubleInterval, choose

#: A function that returns enclosures.
Function: TypeAlias = Callable[..., DoubleInterval]
#: One axis or several; None means all.
Axis: TypeAlias = int | tuple[int, ...] | None

_LARGEST_HALF = 65504.0


def from_exact(x: object) -> DoubleInterval:
    """Return points for exact numbers, all overflowing numbers for infinity, none for NaN."""
    if isinstance(x, int) and abs(x) > 1 << 53:
        if abs(x) > 1 << 1000:
            x = float("inf") if x > 0 else -float("inf")
        else:
            return doubles.around(float(x))
    numbers = np.asarray(x)
    if numbers.dtype.kind == "f":
        numbers = hc.convert_double(numbers)
    low = np.array(numbers, np.float64)
    high = low.copy()
    if np.isinf(low).any():
        low = np.where(low == np.inf, _LARGEST_HALF, low)
        high = np.where(high == -np.inf, -_LARGEST_HALF, high)
    return DoubleInterval(low, high)


def as_enclosure(x: object) -> DoubleInterval:
    """Return the enclosures of an operand: enclosures, halves or numbers."""
    return x if isinstance(x, DoubleInterval) else from_exact(x)


# ---------------------------------------------------------------- sums, products of vectors


def _sum(x: DoubleInterval, axis: Axis = None, keepdims: bool = False) -> DoubleInterval:
    """Return sums along axes; all partial sums are rounded outward, too."""
    add = functools.partial(np.add.reduce, axis=axis, keepdims=keepdims)
    return DoubleInterval(*round_outward(add, (x.lo,), (x.hi,)))


def _vecdot(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return sums of products along the last axis."""
    return _sum(doubles.mul(x, y), axis=-1)


#: The number of products that _matmul keeps in memory at a time.
_BLOCK = 1 << 20


def _matmul(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return numpy.matmul of arrays of one or two dimensions."""
    if x.lo.ndim > 2 or y.lo.ndim > 2 or not x.lo.ndim or not y.lo.ndim:
        raise ValueError(f"matmul: expected one or two dimensions, got {x.lo.ndim} and {y.lo.ndim}")
    if y.lo.ndim == 1:
        return _vecdot(x, y)
    columns = y.map(np.transpose)
    if x.lo.ndim == 1:
        return _vecdot(x, columns)
    rows = max(1, _BLOCK // max(1, columns.lo.size))
    blocks = [_vecdot(x[at : at + rows, None], columns[None]) for at in range(0, len(x.lo), rows)]
    if not blocks:
        return x.map(np.matmul, y.lo)
    return DoubleInterval(
        np.concatenate([b.lo for b in blocks]), np.concatenate([b.hi for b in blocks])
    )


def _axis_last(x: object, axis: SupportsIndex) -> DoubleInterval:
    """Return an operand with its axis last; a single number becomes a vector of one component."""
    operand = as_enclosure(x)
    if operand.lo.ndim == 0:
        return operand.map(np.reshape, (1,))
    return operand.map(np.moveaxis, axis, -1)


def _restore_axis(result: DoubleInterval, axis: SupportsIndex, keepdims: bool) -> DoubleInterval:
    return result.map(np.expand_dims, axis) if keepdims else result


def _dot(
    x: object, y: object, *, axis: SupportsIndex = -1, keepdims: bool = False
) -> DoubleInterval:
    return _restore_axis(_vecdot(_axis_last(x, axis), _axis_last(y, axis)), axis, keepdims)


def _length(x: object, *, axis: SupportsIndex = -1, keepdims: bool = False) -> DoubleInterval:
    squares = doubles.sqr(_axis_last(x, axis))
    return _restore_axis(doubles.sqrt(_sum(squares, axis=-1)), axis, keepdims)


def _distance(
    x: object, y: object, *, axis: SupportsIndex = -1, keepdims: bool = False
) -> DoubleInterval:
    return _length(doubles.sub(as_enclosure(x), as_enclosure(y)), axis=axis, keepdims=keepdims)


def _normalize(x: object, *, axis: SupportsIndex = -1) -> DoubleInterval:
    """Return x / |x|; zero for zero."""
    vectors = _axis_last(x, axis)
    length = _length(vectors, keepdims=True)
    result = doubles.intersection(doubles.div(vectors, length), DoubleInterval(-1.0, 1.0))
    result = choose(length.lo <= 0, doubles.hull(result, ZERO), result)
    shape = np.shape(as_enclosure(x).lo)
    return result.map(np.moveaxis, -1, axis) if shape else result.map(np.reshape, ())


def _cross(x: object, y: object, *, axis: SupportsIndex = -1) -> DoubleInterval:
    a, b = _axis_last(x, axis), _axis_last(y, axis)
    columns = [
        doubles.sub(doubles.mul(a[..., i], b[..., j]), doubles.mul(a[..., j], b[..., i]))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    if a.shape[-1] == 4:
        columns.append(DoubleInterval(np.zeros(columns[0].shape), np.zeros(columns[0].shape)))
    result = DoubleInterval(
        np.stack([c.lo for c in columns], -1), np.stack([c.hi for c in columns], -1)
    )
    return result.map(np.moveaxis, -1, axis)


# ---------------------------------------------------------------- ufuncs


def _accept_numbers(function: Callable[..., DoubleInterval]) -> Function:
    """Return a function that also accepts halves and numbers."""
    return lambda *operands: function(*map(as_enclosure, operands))


def _skip_empty(
    function: Callable[[DoubleInterval, DoubleInterval], DoubleInterval],
) -> Callable[[DoubleInterval, DoubleInterval], DoubleInterval]:
    """Return fmin or fmax, which ignores an empty enclosure, that of a NaN."""
    return lambda x, y: choose(x.is_empty, y, choose(y.is_empty, x, function(x, y)))


def _power(x: object, y: object) -> DoubleInterval:
    """Return squares and cubes in doubles, other powers in halves."""
    if isinstance(y, float) and y.is_integer():
        y = int(y)
    if isinstance(y, int) and 2 <= y <= 4:
        base = as_enclosure(x)
        square = doubles.sqr(base)
        return (square, doubles.mul(base, square), doubles.sqr(square))[y - 2]
    if isinstance(y, int):
        result: DoubleInterval = lift_interval_function(registry.UFUNCS["power"])(x, y)
        return result
    return _real_power(as_enclosure(x), as_enclosure(y))


def _real_power(x: DoubleInterval, y: DoubleInterval) -> DoubleInterval:
    """Return halfcl's `pow`, which also allows negative bases with integer exponents."""
    result: DoubleInterval = lift_interval_function(registry.UFUNCS["pow"])(x, y)
    least, greatest = np.ceil(y.lo), np.floor(y.hi)  # limits of the integer exponents
    integral = (x.lo < 0) & (least <= greatest)
    if not integral.any():
        return result
    only = integral & (y.lo == y.hi) & (np.abs(least) < 2.0**31)
    exponents = np.where(only, least, 0).astype(np.int32)
    powers: DoubleInterval = lift_interval_function(registry.UFUNCS["pown"])(x, exponents)
    return choose(only, powers, choose(integral, ENTIRE, result))


def _mix(x: DoubleInterval, y: DoubleInterval, a: DoubleInterval) -> DoubleInterval:
    return doubles.add(x, doubles.mul(doubles.sub(y, x), a))


def _clamp(x: DoubleInterval, low: DoubleInterval, high: DoubleInterval) -> DoubleInterval:
    return doubles.minimum(doubles.maximum(x, low), high)


_FUNCTIONS_OF_DOUBLES: dict[str, Callable[..., DoubleInterval]] = {
    "positive": lambda x: x.map(np.copy),
    "negative": doubles.neg,
    "add": doubles.add,
    "subtract": doubles.sub,
    "multiply": doubles.mul,
    "divide": doubles.div,
    "reciprocal": doubles.recip,
    "square": doubles.sqr,
    "absolute": doubles.magnitudes,
    "fabs": doubles.magnitudes,
    "sqrt": doubles.sqrt,
    "rsqrt": lambda x: doubles.recip(doubles.sqrt(x)),
    "minimum": doubles.minimum,
    "maximum": doubles.maximum,
    "min": doubles.minimum,
    "max": doubles.maximum,
    "fmin": _skip_empty(doubles.minimum),
    "fmax": _skip_empty(doubles.maximum),
    "fma": lambda x, y, z: doubles.add(doubles.mul(x, y), z),
    "mad": lambda x, y, z: doubles.add(doubles.mul(x, y), z),
    "fdim": lambda x, y: doubles.maximum(doubles.sub(x, y), ZERO),
    "hypot": lambda x, y: doubles.sqrt(doubles.add(doubles.sqr(x), doubles.sqr(y))),
    "clamp": _clamp,
    "mix": _mix,
    "vecdot": _vecdot,
    "matmul": _matmul,
}
#: Functions by the names of ufuncs without rounding modes; others use `lift_interval_function`.
UFUNCS: dict[str, Function] = {
    name: _accept_numbers(function) for name, function in _FUNCTIONS_OF_DOUBLES.items()
} | {
    "power": _power,
    "pow": _power,
    "dot": _dot,
    "length": _length,
    "distance": _distance,
    "normalize": _normalize,
    "cross": _cross,
}


def interval_ufunc(name: str) -> Function | None:
    """Return the ufunc of that name on enclosures, by intervals; None if intervals lack it."""
    function = registry.UFUNCS.get(name)
    return function and lift_interval_function(function)


# ---------------------------------------------------------------- reductions


def _extremum(function: Callable[..., ArrayLike]) -> Function:
    return lambda x, axis=None, keepdims=False: DoubleInterval(
        function(x.lo, axis=axis, keepdims=keepdims), function(x.hi, axis=axis, keepdims=keepdims)
    )


#: Reductions by the names of ufuncs.
REDUCTIONS: dict[str, Function] = {
    "add": _sum,
    "maximum": _extremum(np.max),
    "minimum": _extremum(np.min),
}


def _mean(a: DoubleInterval, axis: Axis = None, *, keepdims: bool = False) -> DoubleInterval:
    total = _sum(a, axis, keepdims)
    return doubles.div(total, from_exact(a.lo.size // max(total.lo.size, 1)))


def _norm(
    x: DoubleInterval, ord: object = None, axis: Axis = None, keepdims: bool = False
) -> DoubleInterval:
    if ord is not None and not (ord == 2 and (isinstance(axis, int) or x.lo.ndim == 1)):
        raise TypeError(f"norm: ord: expected None, got {ord!r}")
    return doubles.sqrt(_sum(doubles.sqr(x), axis, keepdims))


def _numpy_dot(a: object, b: object) -> DoubleInterval:
    a, b = as_enclosure(a), as_enclosure(b)
    return _matmul(a, b) if a.lo.ndim and b.lo.ndim else doubles.mul(a, b)


def _clip(a: object, a_min: object = None, a_max: object = None, **named: object) -> DoubleInterval:
    low, high = named.get("min", a_min), named.get("max", a_max)
    result = as_enclosure(a)
    result = result if low is None else doubles.maximum(result, as_enclosure(low))
    return result if high is None else doubles.minimum(result, as_enclosure(high))


def _sort(x: object, *args: object, **keywords: object) -> DoubleInterval:
    return as_enclosure(x).map(np.sort, *args, **keywords)


#: Functions by NumPy's functions that compute.
FUNCTIONS: dict[Callable[..., object], Function] = {
    np.sum: _sum,
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


def unknown_to_entire(enclosure: DoubleInterval, value: object) -> DoubleInterval:
    """Replace empty enclosures by all numbers where the value is a number.

    For example, 1/0, whose value is inf, is not proved to be anywhere.
    """
    empty = enclosure.is_empty
    if not empty.any():
        return enclosure
    return choose(empty & ~np.isnan(np.asarray(value)), ENTIRE, enclosure)


def enclose_domain_function(name: str, x: DoubleInterval) -> DoubleInterval:
    """Return the enclosure of a function of the part of x in its domain."""
    return UFUNCS[name](x) if name in UFUNCS else lift_interval_function(getattr(interval, name))(x)
