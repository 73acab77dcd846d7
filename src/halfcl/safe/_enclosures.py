"""What NumPy's and halfcl's functions do to enclosures: tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from halfcl import interval
from halfcl.interval import Interval, _registry as registry
from halfcl.interval._moving import Parts
from halfcl.safe import _wide as wide
from halfcl.safe._wide import Axis, Wide, choose, given, hull
from halfcl.stability._shadow import MOVING

#: What gives enclosures: one, or several as those that move elements.
Function: TypeAlias = Callable[..., Wide]
Enclosures: TypeAlias = Wide | list[Wide] | tuple[Wide, ...]
Moving: TypeAlias = Callable[..., Enclosures]


def as_wide(x: object) -> Wide:
    """Enclosures of an operand: enclosures, halves or numbers."""
    return x if isinstance(x, Wide) else given(x)


# ---------------------------------------------------------------- products of vectors


def _last(x: object, axis: SupportsIndex) -> Wide:
    """The axis last; a number alone is a vector of one component."""
    found = as_wide(x)
    if found.lo.ndim == 0:
        return found.map(np.reshape, (1,))
    return found.map(np.moveaxis, axis, -1)


def _kept(found: Wide, axis: SupportsIndex, keepdims: bool) -> Wide:
    return found.map(np.expand_dims, axis) if keepdims else found


def _dot(x: object, y: object, *, axis: SupportsIndex = -1, keepdims: bool = False) -> Wide:
    return _kept(wide.dot(_last(x, axis), _last(y, axis)), axis, keepdims)


def _length(x: object, *, axis: SupportsIndex = -1, keepdims: bool = False) -> Wide:
    squares = wide.sqr(_last(x, axis))
    return _kept(wide.sqrt(wide.sum(squares, axis=-1)), axis, keepdims)


def _distance(x: object, y: object, *, axis: SupportsIndex = -1, keepdims: bool = False) -> Wide:
    return _length(wide.sub(as_wide(x), as_wide(y)), axis=axis, keepdims=keepdims)


def _normalize(x: object, *, axis: SupportsIndex = -1) -> Wide:
    """x / |x|; of zero zero."""
    vectors = _last(x, axis)
    length = _length(vectors, keepdims=True)
    found = wide.part(wide.div(vectors, length), -1.0, 1.0)
    found = choose(length.lo <= 0, hull(found, Wide(0, 0)), found)
    shape = np.shape(as_wide(x).lo)
    return found.map(np.moveaxis, -1, axis) if shape else found.map(np.reshape, ())


def _cross(x: object, y: object, *, axis: SupportsIndex = -1) -> Wide:
    a, b = _last(x, axis), _last(y, axis)
    parts = [
        wide.sub(wide.mul(a[..., i], b[..., j]), wide.mul(a[..., j], b[..., i]))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    parts += [Wide(np.zeros(p.shape), np.zeros(p.shape)) for p in parts[:1] if a.shape[-1] == 4]
    found = Wide(np.stack([p.lo for p in parts], -1), np.stack([p.hi for p in parts], -1))
    return found.map(np.moveaxis, -1, axis)


# ---------------------------------------------------------------- ufuncs


def _of_wide(function: Callable[..., Wide]) -> Function:
    """The same of halves and numbers, too."""
    return lambda *operands: function(*map(as_wide, operands))


def _but_nan(function: Callable[[Wide, Wide], Wide]) -> Callable[[Wide, Wide], Wide]:
    """fmin and fmax give the other of a number and a NaN, whose enclosure is empty."""
    return lambda x, y: choose(x.is_empty, y, choose(y.is_empty, x, function(x, y)))


def _power(x: object, y: object) -> Wide:
    """Squares and cubes in doubles, other powers in halves."""
    if isinstance(y, float) and y.is_integer():
        y = int(y)
    if isinstance(y, int) and 2 <= y <= 4:
        base = as_wide(x)
        square = wide.sqr(base)
        return (square, wide.mul(base, square), wide.sqr(square))[y - 2]
    if isinstance(y, int):
        found: Wide = in_halves(registry.UFUNCS["power"])(x, y)
        return found
    return _power_of_wide(as_wide(x), as_wide(y))


def _power_of_wide(x: Wide, y: Wide) -> Wide:
    """The standard's `pow` is of no negative number; of an integer exponent halfcl's is."""
    found: Wide = in_halves(registry.UFUNCS["pow"])(x, y)
    least, greatest = np.ceil(y.lo), np.floor(y.hi)  # of the integers among the exponents
    integral = (x.lo < 0) & (least <= greatest)
    if not integral.any():
        return found
    only = integral & (y.lo == y.hi) & (np.abs(least) < 2.0**31)
    exponents = np.where(only, least, 0).astype(np.int32)
    powers: Wide = in_halves(registry.UFUNCS["pown"])(x, exponents)
    return choose(only, powers, choose(integral, wide.entire(found.shape), found))


def _mix(x: Wide, y: Wide, a: Wide) -> Wide:
    return wide.add(x, wide.mul(wide.sub(y, x), a))


def _clamp(x: Wide, low: Wide, high: Wide) -> Wide:
    return wide.minimum(wide.maximum(x, low), high)


_ONE = Wide(1, 1)
_ZERO = Wide(0, 0)

_OF_WIDE: dict[str, Callable[..., Wide]] = {
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
    "fmin": _but_nan(wide.minimum),
    "fmax": _but_nan(wide.maximum),
    "fma": lambda x, y, z: wide.add(wide.mul(x, y), z),
    "mad": lambda x, y, z: wide.add(wide.mul(x, y), z),
    "fdim": lambda x, y: wide.maximum(wide.sub(x, y), _ZERO),
    "hypot": lambda x, y: wide.sqrt(wide.add(wide.sqr(x), wide.sqr(y))),
    "clamp": _clamp,
    "mix": _mix,
    "vecdot": wide.dot,
    "matmul": wide.matmul,
}
#: By the name of a ufunc, without its rounding mode; others go `in_halves`.
UFUNCS: dict[str, Function] = {name: _of_wide(function) for name, function in _OF_WIDE.items()} | {
    "power": _power,
    "pow": _power,
    "dot": _dot,
    "length": _length,
    "distance": _distance,
    "normalize": _normalize,
    "cross": _cross,
}


def in_halves(function: Callable[..., Interval]) -> Function:
    """What a function does to `halfcl.interval`'s intervals around the enclosures."""

    def enclose(*operands: object) -> Wide:
        found = function(*(x.interval() if isinstance(x, Wide) else x for x in operands))
        return wide.of_interval(found)

    return enclose


def of_intervals(name: str) -> Function | None:
    """The ufunc of that name `in_halves`; None if intervals have none."""
    function = registry.UFUNCS.get(name)
    return function and in_halves(function)


# ---------------------------------------------------------------- reductions


def _extremum(function: Callable[..., ArrayLike]) -> Function:
    return lambda x, axis=None, keepdims=False: Wide(
        function(x.lo, axis=axis, keepdims=keepdims), function(x.hi, axis=axis, keepdims=keepdims)
    )


#: By the name of the ufunc that reduces.
REDUCTIONS: dict[str, Function] = {
    "add": wide.sum,
    "maximum": _extremum(np.max),
    "minimum": _extremum(np.min),
}


def _mean(a: Wide, axis: Axis = None, *, keepdims: bool = False) -> Wide:
    total = wide.sum(a, axis, keepdims)
    return wide.div(total, given(a.lo.size // max(total.lo.size, 1)))


def _norm(x: Wide, ord: object = None, axis: Axis = None, keepdims: bool = False) -> Wide:
    if ord is not None and not (ord == 2 and (isinstance(axis, int) or x.lo.ndim == 1)):
        raise TypeError(f"ord: expected None, got {ord!r}")
    return wide.sqrt(wide.sum(wide.sqr(x), axis, keepdims))


def _numpy_dot(a: object, b: object) -> Wide:
    a, b = as_wide(a), as_wide(b)
    return wide.matmul(a, b) if a.lo.ndim and b.lo.ndim else wide.mul(a, b)


def _clip(a: object, a_min: object = None, a_max: object = None, **named: object) -> Wide:
    low, high = named.get("min", a_min), named.get("max", a_max)
    found = as_wide(a)
    found = found if low is None else wide.maximum(found, as_wide(low))
    return found if high is None else wide.minimum(found, as_wide(high))


# ---------------------------------------------------------------- functions that move elements


def _part(x: object, k: int) -> object:
    """Arguments with bounds in place of enclosures, at any depth of lists and tuples."""
    if isinstance(x, Wide):
        return (x.lo, x.hi)[k]
    return type(x)(_part(item, k) for item in x) if isinstance(x, list | tuple) else x


def _joined(low: Parts, high: Parts) -> Enclosures:
    if isinstance(low, list | tuple):
        container: type[list[Any]] | type[tuple[Any, ...]] = type(low)
        return container(_joined(a, b) for a, b in zip(low, high, strict=True))
    return Wide(low, high)


def _moving(function: Callable[..., Parts]) -> Moving:
    """What NumPy's function does to either bound."""

    def move(*args: object, **keywords: object) -> Enclosures:
        if keywords.keys() & {"dtype", "casting", "like"}:
            raise TypeError("dtype, casting, like: expected none")
        low, high = (
            function(*[_part(x, k) for x in args], **_part_of(keywords, k)) for k in (0, 1)
        )
        return _joined(low, high)

    return move


def _part_of(keywords: dict[str, object], k: int) -> dict[str, object]:
    return {name: _part(x, k) for name, x in keywords.items()}


#: By NumPy's function.
FUNCTIONS: dict[Callable[..., object], Moving] = {
    getattr(np, name): _moving(getattr(np, name)) for name in MOVING if hasattr(np, name)
} | {
    np.sum: wide.sum,
    np.max: _extremum(np.max),
    np.min: _extremum(np.min),
    np.mean: _mean,
    np.dot: _numpy_dot,
    np.clip: _clip,
    np.linalg.norm: _norm,
}
#: Where they take their output by position, NumPy's C functions by its documentation.
_OUTS = {np.dot: 2, np.concatenate: 2} | {
    function: names.index("out")
    for function in FUNCTIONS
    if function not in (np.dot, np.concatenate, np.where)
    and "out" in (names := list(inspect.signature(function).parameters))
}


def names_out(function: Callable[..., object], args: tuple[object, ...]) -> bool:
    """Whether one of NumPy's functions is to write to one of its arguments."""
    return any(x is not None for x in args[_OUTS.get(function, len(args)) :][:1])


def unknown_to_entire(found: Wide, value: object) -> Wide:
    """All numbers where an enclosure is empty though the value is a number: it says nothing.

    So 1/0, whose value is inf, is not proved to be anywhere.
    """
    empty = found.is_empty
    if not empty.any():
        return found
    return choose(empty & ~np.isnan(np.asarray(value)), wide.entire(found.shape), found)


def of_domain(name: str, x: Wide) -> Wide:
    """A function of a domain, of what of x is inside."""
    return UFUNCS[name](x) if name in UFUNCS else in_halves(getattr(interval, name))(x)
