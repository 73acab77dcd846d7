"""Numbers of twice a double's digits: what a formula gives with hardly any rounding.

A number is a pair (high, low) of doubles whose sum it is: Python floats, or arrays of them. The
functions take and give pairs, 100 and more bits of which are right.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.audit._results.exact import DOUBLES

#: An array of doubles; or in its place a float of Python's, which is quicker than one of no axes.
Doubles: TypeAlias = NDArray[np.float64]


class Pair(NamedTuple):
    """A number of twice a double's digits, or an array: the sum of two doubles.

    The second may be one float beside an array.
    """

    high: Any
    low: Any


#: Whether, of each element or of a number.
Truths: TypeAlias = NDArray[np.bool_] | bool

#: What a function of several results gives: None of those that are no numbers.
Pairs: TypeAlias = Pair | tuple[Pair | None, ...]


#: 2^27 + 1, which cuts a double into two halves of its digits.
_SPLITTER = 134217729.0


def pair_of(x: object) -> Pair:
    """A number, or an array of numbers, as it is."""
    if type(x) is float:
        return Pair(x, 0.0)
    if isinstance(x, (float, int)):
        return _of_number(x)
    wide: Any = np.asarray(x)
    if wide.ndim == 0:
        return _of_number(wide.item())
    return Pair(wide.astype(type_of(wide.size)), 0.0)


def _of_number(x: float) -> Pair:
    try:
        high = float(x)
    except OverflowError:  # of a long integer
        return Pair(math.copysign(math.inf, x), 0.0)
    is_long = isinstance(x, int) and math.isfinite(high)
    return Pair(high, float(x - int(high)) if is_long else 0.0)


#: Arrays of more elements are computed in doubles alone, which takes a tenth of the time;
MOST_ELEMENTS = 4096
#: and of more than these in floats, in half of that again. These have 13 bits more than halves, so
#: that what is off by one ulp of a half is known to 2^-12 of it.
MOST_IN_DOUBLES = 8192

#: Whether this context computes no floats, where infinities of theirs may be none of doubles.
NO_FLOATS: ContextVar[bool] = ContextVar("halfcl_no_floats", default=False)


def is_large(x: object) -> bool:
    """Whether an array is computed in doubles, or in floats, alone."""
    return isinstance(x, np.ndarray) and (x.size > MOST_ELEMENTS or x.dtype == np.float32)


def type_of(size: int) -> type[np.floating[Any]]:
    """What an array of so many elements is computed in."""
    return np.float64 if size <= MOST_IN_DOUBLES or NO_FLOATS.get() else np.float32


def in_double(x: Pair) -> Pair:
    """For what sums products, which halves round but once."""
    return Pair(np.asarray(x.high).astype(np.float64, copy=False), x.low)


def _normal(high: Doubles, low: Doubles) -> Pair:
    """The pair of a sum, whose second part is small: infinities and NaN have none."""
    total: Any = high + low
    rest = low - (total - high)
    if isinstance(total, float):
        return Pair(total, rest) if math.isfinite(total) else Pair(high, 0.0)
    if np.isfinite(rest).all():
        return Pair(total, rest)
    finite = np.isfinite(total)
    return Pair(np.where(finite, total, high), np.where(finite, rest, 0.0))


def _rest_of_sum(a: Doubles, b: Doubles, total: Doubles) -> Doubles:
    """What a sum is off by (Knuth)."""
    part = total - a
    return (a - (total - part)) + (b - part)


def _split(a: Doubles) -> tuple[Doubles, Doubles]:
    cut = _SPLITTER * a
    high = cut - (cut - a)
    return high, a - high


def _rest_of_product(a: Doubles, b: Doubles, product: Doubles) -> Doubles:
    """What a product is off by (Dekker)."""
    (a1, a0), (b1, b0) = _split(a), _split(b)
    return ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0


# ---------------------------------------------------------------- arithmetic

ZERO, ONE = Pair(0.0, 0.0), Pair(1.0, 0.0)


def neg(x: Pair) -> Pair:
    """-x."""
    return Pair(-x.high, -x.low)


def add(x: Pair, y: Pair) -> Pair:
    """x + y."""
    total = x.high + y.high
    if is_large(total):
        return Pair(total, 0.0)
    return _normal(total, _rest_of_sum(x.high, y.high, total) + (x.low + y.low))


def sub(x: Pair, y: Pair) -> Pair:
    """x - y."""
    if is_large(x.high) or is_large(y.high):
        return Pair(x.high - y.high, 0.0)
    return add(x, neg(y))


def mul(x: Pair, y: Pair) -> Pair:
    """x * y."""
    product = x.high * y.high
    if is_large(product):
        return Pair(product, 0.0)
    rest = _rest_of_product(x.high, y.high, product)
    return _normal(product, rest + (x.high * y.low + x.low * y.high))


def _over(a: Doubles, b: Doubles) -> Doubles:
    divisor: Any = b
    if isinstance(divisor, float) and divisor == 0:  # by which Python does not divide
        return np.asarray(a) / np.float64(divisor)
    return a / b


def div(x: Pair, y: Pair) -> Pair:
    """x / y."""
    quotient = _over(x.high, y.high)
    if is_large(quotient):
        return Pair(quotient, 0.0)
    product = quotient * y.high
    rest = (x.high - product) - _rest_of_product(quotient, y.high, product)
    rest = rest + (x.low - quotient * y.low)
    return _normal(quotient, _over(rest, y.high))


def sqrt(x: Pair) -> Pair:
    """The square root."""
    is_number = isinstance(x.high, float)
    root: Any = (math.sqrt(x.high) if x.high >= 0 else math.nan) if is_number else np.sqrt(x.high)
    if is_large(root):
        return Pair(root, 0.0)
    square = root * root
    rest: Any = ((x.high - square) - _rest_of_product(root, root, square)) + x.low
    if is_number:
        return _normal(root, rest / (2 * root) if root else rest * 0)
    return _normal(root, np.where(root > 0, rest / np.where(root > 0, 2 * root, 1), 0))


def _chosen(where: Truths, x: Pair, y: Pair) -> Pair:
    """x where told to, else y."""
    if isinstance(where, bool):
        return x if where else y
    if is_large(where):
        return Pair(np.where(where, x.high, y.high), 0.0)
    return Pair(np.where(where, x.high, y.high), np.where(where, x.low, y.low))


def less(x: Pair, y: Pair) -> Truths:
    """x < y."""
    found: Truths = (x.high < y.high) | ((x.high == y.high) & (x.low < y.low))
    return found


def _of_large(ufunc: np.ufunc) -> Callable[[Callable[..., Pair]], Callable[..., Pair]]:
    """What gives of large arrays what NumPy's ufunc does."""

    def decorate(function: Callable[..., Pair]) -> Callable[..., Pair]:
        @functools.wraps(function)
        def of_pairs(*operands: Pair) -> Pair:
            if any(is_large(x.high) for x in operands):
                return Pair(ufunc(*(x.high for x in operands)), 0.0)
            return function(*operands)

        return of_pairs

    return decorate


@_of_large(np.minimum)
def minimum(x: Pair, y: Pair) -> Pair:
    """The lesser; NaN where either is."""
    return _chosen(less(x, y) | (x.high != x.high), x, y)


@_of_large(np.maximum)
def maximum(x: Pair, y: Pair) -> Pair:
    """The greater; NaN where either is."""
    return _chosen(less(y, x) | (x.high != x.high), x, y)


@_of_large(np.fmin)
def fmin(x: Pair, y: Pair) -> Pair:
    """The lesser; of a number and a NaN the number."""
    return _chosen(less(x, y) | (y.high != y.high), x, y)


@_of_large(np.fmax)
def fmax(x: Pair, y: Pair) -> Pair:
    """The greater; of a number and a NaN the number."""
    return _chosen(less(y, x) | (y.high != y.high), x, y)


@_of_large(np.absolute)
def absolute(x: Pair) -> Pair:
    """The magnitude."""
    return _chosen(x.high < 0, neg(x), x)


def copysign(x: Pair, y: Pair) -> Pair:
    """x with the sign of y."""
    same = np.signbit(x.high) == np.signbit(y.high)
    return _chosen(same if np.ndim(same) else bool(same), x, neg(x))


def _larger(x: Pair, y: Pair) -> Truths:
    """|x| > |y|."""
    return less(absolute(y), absolute(x))


def maxmag(x: Pair, y: Pair) -> Pair:
    """The one of larger magnitude; of the same, and of NaN, as fmax."""
    return _chosen(_larger(x, y), x, _chosen(_larger(y, x), y, fmax(x, y)))


def minmag(x: Pair, y: Pair) -> Pair:
    """The one of smaller magnitude; of the same, and of NaN, as fmin."""
    return _chosen(_larger(x, y), y, _chosen(_larger(y, x), x, fmin(x, y)))


def _power_of_integer(x: Pair, n: int) -> Pair:
    """By squaring."""
    if n < 0:
        return div(ONE, _power_of_integer(x, -n))
    found, square = None, x
    while n:
        if n & 1:
            found = square if found is None else mul(found, square)
        n >>= 1
        if n:
            square = mul(square, square)
    return pair_of(x.high * 0 + 1.0) if found is None else found


_MOST_POWER = 1 << 12


def power(x: Pair, y: Pair) -> Pair:
    """x to the y: of one small integer y by multiplying, else in doubles."""
    is_integer = isinstance(y.high, float) and y.high.is_integer() and not y.low
    if is_integer and abs(y.high) < _MOST_POWER:
        return _power_of_integer(x, int(y.high))
    return pair_of(np.power(x.high, y.high))


def in_doubles(function: Callable[..., object]) -> Callable[..., Pairs]:
    """What a function of doubles gives: half of the digits."""

    def of_pairs(*operands: Pair) -> Pairs:
        found = function(*(x.high for x in operands))
        if isinstance(found, tuple):
            return tuple(None if part is None else pair_of(part) for part in found)
        return pair_of(found)

    return of_pairs


def _remainder_to_nearest(x: Doubles, y: Doubles) -> tuple[Doubles, None]:
    found: Doubles = np.where(np.isinf(y) & np.isfinite(x), x, x - y * np.rint(x / y))
    return found, None


def _exponent(x: Doubles) -> Doubles:
    """Of a number between 1 and 2 times a power of two."""
    size = np.abs(x)
    found: Doubles = np.frexp(size)[1] - 1.0
    return np.where(np.isfinite(x) & (size > 0), found, np.where(size == 0, -np.inf, size))


def _half_away_from_zero(x: Doubles) -> Doubles:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


#: What is computed in pairs, by the names of ufuncs.
ARITHMETIC: dict[str, Callable[..., Pair]] = {
    "positive": lambda x: x,
    "conjugate": lambda x: x,
    "convert_half": lambda x: x,
    "maxmag": maxmag,
    "minmag": minmag,
    "negative": neg,
    "add": add,
    "subtract": sub,
    "multiply": mul,
    "divide": div,
    "true_divide": div,
    "reciprocal": lambda x: div(ONE, x),
    "square": lambda x: mul(x, x),
    "absolute": absolute,
    "fabs": absolute,
    "sqrt": sqrt,
    "rsqrt": lambda x: div(ONE, sqrt(x)),
    "minimum": minimum,
    "maximum": maximum,
    "min": minimum,
    "max": maximum,
    "fmin": fmin,
    "fmax": fmax,
    "copysign": copysign,
    "fma": lambda x, y, z: add(mul(x, y), z),
    "mad": lambda x, y, z: add(mul(x, y), z),
    "mix": lambda x, y, a: add(x, mul(sub(y, x), a)),
    "clamp": lambda x, low, high: minimum(maximum(x, low), high),
    "clip": lambda x, low, high: minimum(maximum(x, low), high),
    "hypot": lambda x, y: sqrt(add(mul(x, x), mul(y, y))),
    "power": power,
    "pow": power,
    "powr": power,
    "pown": power,
}

#: All that is known, by the names of ufuncs without their rounding mode.
UFUNCS: dict[str, Callable[..., Pairs]] = {
    **{name: in_doubles(function) for name, function in DOUBLES.items()},
    **{
        name: in_doubles(getattr(np, name))
        for name in (
            "arcsin", "arccos", "arctan", "arctan2", "arcsinh", "arccosh", "arctanh", "floor",
            "ceil", "rint", "trunc", "sign", "deg2rad", "rad2deg", "fmod", "remainder",
            "logaddexp", "logaddexp2", "heaviside", "floor_divide", "divmod", "modf", "float_power",
        )
    },
    "fract": in_doubles(lambda x: (np.minimum(x - np.floor(x), 1), np.floor(x))),
    "remquo": in_doubles(_remainder_to_nearest),
    "logb": in_doubles(_exponent),
    "round": in_doubles(_half_away_from_zero),
    **ARITHMETIC,
}  # fmt: skip


# ---------------------------------------------------------------- along an axis


def moved(x: Pair, function: Callable[[Doubles], object]) -> Pair:
    """What a function that moves elements does to both parts."""
    return Pair(function(x.high), function(np.broadcast_to(x.low, np.shape(x.high))))


#: What is joined along axes: in pairs, and in doubles.
JOINED: dict[str, tuple[Callable[[Pair, Pair], Pair], np.ufunc]] = {
    "add": (add, np.add),
    "multiply": (mul, np.multiply),
    "maximum": (maximum, np.maximum),
    "minimum": (minimum, np.minimum),
    "fmax": (fmax, np.fmax),
    "fmin": (fmin, np.fmin),
}


def reduced(name: str, x: Pair, axis: int) -> Pair:
    """The elements along an axis joined: in pairs, and pairs of pairs."""
    join, ufunc = JOINED[name]
    if is_large(x.high) or not np.shape(x.high)[axis]:
        return pair_of(ufunc.reduce(x.high, axis=axis, dtype=np.float64))
    if name == "add" and np.ndim(x.high) == 1:
        return _sum(x)
    x = moved(x, lambda part: np.moveaxis(part, axis, 0))
    while len(x.high) > 1:
        whole = len(x.high) // 2 * 2
        even, odd, rest = (
            Pair(x.high[part], x.low[part])
            for part in (slice(0, whole, 2), slice(1, whole, 2), slice(whole, None))
        )
        joined = join(even, odd)
        x = Pair(*(np.concatenate(parts) for parts in zip(joined, rest, strict=True)))
    return Pair(x.high[0], x.low[0])


def _sum(x: Pair) -> Pair:
    """Of all elements of an array of one axis."""
    numbers = [*x.high.tolist(), *np.broadcast_to(x.low, x.high.shape).tolist()]
    try:
        total = math.fsum(numbers)
        return Pair(total, math.fsum([*numbers, -total]))
    except (OverflowError, ValueError):  # of infinities
        return Pair(float(np.sum(x.high)), 0.0)


def accumulated(name: str, x: Pair, axis: int) -> Pair:
    """The elements so far along an axis, joined."""
    join, ufunc = JOINED[name]
    if is_large(x.high):
        return pair_of(ufunc.accumulate(x.high, axis=axis, dtype=np.float64))
    high, low = moved(x, lambda part: np.moveaxis(part, axis, 0).copy())
    for k in range(1, len(high)):
        high[k], low[k] = join(Pair(high[k - 1], low[k - 1]), Pair(high[k], low[k]))
    return Pair(np.moveaxis(high, 0, axis), np.moveaxis(low, 0, axis))
