"""Double-double arithmetic, in which a formula has hardly any rounding errors.

A number is a pair (high, low) of doubles whose sum it is: Python floats, or arrays of them. The
functions take and return pairs with at least 100 correct bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl._tables import ROWS
from halfcl._tables.formulas import Arithmetic, compile_formula
from halfcl.audit._results.exact import DOUBLES
from halfcl.reductions._to_odd import error_of_product
from halfcl.stability._shadow._numbers.pairs import Pair as Pair
from halfcl.stability._shadow._numbers.unbounded import (
    RANGE,
    along,
    as_decimals,
    bounded_or_not,
    is_unbounded,
    note_product,
)

_P = TypeVar("_P")

#: An array of doubles; or a Python float, which is faster than an array of no axes.
Doubles: TypeAlias = NDArray[np.float64]


#: A truth for each element, or for a number.
Truths: TypeAlias = NDArray[np.bool_] | bool

#: One or several results of a function; None for results that are not numbers.
Pairs: TypeAlias = Pair | tuple[Pair | None, ...]


def as_pair(x: object) -> Pair:
    """Return a number, or an array of numbers, as an exact pair."""
    if is_unbounded():
        return Pair(as_decimals(np.asarray(x)), 0.0)
    if type(x) is float:
        return Pair(x, 0.0)
    if isinstance(x, (float, int)):
        return _number_as_pair(x)
    wide: Any = np.asarray(x)
    if wide.ndim == 0:
        return _number_as_pair(wide.item())
    return Pair(wide.astype(dtype_for(wide.size)), 0.0)


def _number_as_pair(x: float) -> Pair:
    try:
        high = float(x)
    except OverflowError:  # a large integer
        return Pair(math.copysign(math.inf, x), 0.0)
    is_long = isinstance(x, int) and math.isfinite(high)
    return Pair(high, float(x - int(high)) if is_long else 0.0)


#: Arrays of more elements are computed in doubles only, which takes a tenth of the time.
MOST_ELEMENTS = 4096
#: Arrays of more elements are computed in floats, which takes half of that again. Floats have 13
#: bits more than halves, so that an error of one ulp of a half is known to 2^-12 of it.
MOST_IN_DOUBLES = 8192

#: Whether this context uses doubles in place of floats, which may overflow where doubles do not.
NO_FLOATS: ContextVar[bool] = ContextVar("halfcl_no_floats", default=False)


def is_large(x: object) -> bool:
    """Tell whether an array is computed only in doubles or floats, not in pairs."""
    return isinstance(x, np.ndarray) and (x.size > MOST_ELEMENTS or x.dtype == np.float32)


def dtype_for(size: int) -> type[np.floating[Any]]:
    """Return the type in which an array of that many elements is computed."""
    if size <= MOST_IN_DOUBLES or NO_FLOATS.get():
        return np.float64
    if (current := RANGE.get()) is not None:
        current.has_floats = True
    return np.float32


def widen_high(x: Pair) -> Pair:
    """Return a pair whose high part is double, for sums of products, which halves round once."""
    if is_unbounded():
        return x
    return Pair(np.asarray(x.high).astype(np.float64, copy=False), x.low)


def _normalise(high: Doubles, low: Doubles) -> Pair:
    """Return a sum as a pair, where low is small; infinities and NaN get no second part."""
    total: Any = high + low
    rest = low - (total - high)
    if isinstance(total, float):
        return Pair(total, rest) if math.isfinite(total) else Pair(high, 0.0)
    if np.isfinite(rest).all():
        return Pair(total, rest)
    finite = np.isfinite(total)
    return Pair(np.where(finite, total, high), np.where(finite, rest, 0.0))


def _sum_error(a: Doubles, b: Doubles, total: Doubles) -> Doubles:
    """Return the rounding error of a sum (Knuth)."""
    part = total - a
    return (a - (total - part)) + (b - part)


# ---------------------------------------------------------------- arithmetic

ZERO, ONE = Pair(0.0, 0.0), Pair(1.0, 0.0)


def _or_decimals(name: str) -> Callable[[Callable[..., _P]], Callable[..., _P]]:
    """Return a decorator for a function of pairs, which may leave the range of doubles."""
    return functools.partial(bounded_or_not, name)


@_or_decimals("negative")
def neg(x: Pair) -> Pair:
    """Return -x."""
    return Pair(-x.high, -x.low)


@_or_decimals("add")
def add(x: Pair, y: Pair) -> Pair:
    """Return x + y."""
    total = x.high + y.high
    if is_large(total):
        return Pair(total, 0.0)
    return _normalise(total, _sum_error(x.high, y.high, total) + (x.low + y.low))


@_or_decimals("subtract")
def sub(x: Pair, y: Pair) -> Pair:
    """Return x - y."""
    if is_large(x.high) or is_large(y.high):
        return Pair(x.high - y.high, 0.0)
    return add(x, neg(y))


@_or_decimals("multiply")
def mul(x: Pair, y: Pair) -> Pair:
    """Return x * y."""
    product = x.high * y.high
    if is_large(product):
        return Pair(product, 0.0)
    rest = error_of_product(x.high, y.high, product)
    return _normalise(product, rest + (x.high * y.low + x.low * y.high))


def _divide(a: Doubles, b: Doubles) -> Doubles:
    divisor: Any = b
    if isinstance(divisor, float) and divisor == 0:  # Python would raise ZeroDivisionError
        return np.asarray(a) / np.float64(divisor)
    return a / b


@_or_decimals("divide")
def div(x: Pair, y: Pair) -> Pair:
    """Return x / y."""
    quotient = _divide(x.high, y.high)
    if is_large(quotient):
        return Pair(quotient, 0.0)
    product = quotient * y.high
    rest = (x.high - product) - error_of_product(quotient, y.high, product)
    rest = rest + (x.low - quotient * y.low)
    return _normalise(quotient, _divide(rest, y.high))


@_or_decimals("sqrt")
def sqrt(x: Pair) -> Pair:
    """Return the square root."""
    is_number = isinstance(x.high, float)
    root: Any = (math.sqrt(x.high) if x.high >= 0 else math.nan) if is_number else np.sqrt(x.high)
    if is_large(root):
        return Pair(root, 0.0)
    square = root * root
    rest: Any = ((x.high - square) - error_of_product(root, root, square)) + x.low
    if is_number:
        return _normalise(root, rest / (2 * root) if root else rest * 0)
    return _normalise(root, np.where(root > 0, rest / np.where(root > 0, 2 * root, 1), 0))


def _select(where: Truths, x: Pair, y: Pair) -> Pair:
    """Return x where the condition is true, else y."""
    if isinstance(where, bool):
        return x if where else y
    if is_large(where):
        return Pair(np.where(where, x.high, y.high), 0.0)
    return Pair(np.where(where, x.high, y.high), np.where(where, x.low, y.low))


def less(x: Pair, y: Pair) -> Truths:
    """Return whether x < y."""
    if is_unbounded():
        x, y = (Pair(as_decimals(one.high), 0.0) for one in (x, y))
    truths: Truths = (x.high < y.high) | ((x.high == y.high) & (x.low < y.low))
    return truths


def _extremum(ufunc: np.ufunc) -> Callable[[Pair, Pair], Pair]:
    """Return the function of pairs for NumPy's minimum, maximum, fmin or fmax."""
    is_least, ignores_nan = ufunc in (np.minimum, np.fmin), ufunc in (np.fmin, np.fmax)

    def compute(x: Pair, y: Pair) -> Pair:
        """Return one of the operands, as NumPy's function does."""
        if is_large(x.high) or is_large(y.high):
            return Pair(ufunc(x.high, y.high), 0.0)
        is_first = less(x, y) if is_least else less(y, x)
        other = (y if ignores_nan else x).high
        return _select(is_first | (other != other), x, y)  # a NaN differs from itself

    return compute


minimum, maximum, fmin, fmax = (
    bounded_or_not(ufunc.__name__, _extremum(ufunc))
    for ufunc in (np.minimum, np.maximum, np.fmin, np.fmax)
)


@_or_decimals("absolute")
def absolute(x: Pair) -> Pair:
    """Return the magnitude."""
    if is_large(x.high):
        return Pair(np.absolute(x.high), 0.0)
    return _select(x.high < 0, neg(x), x)


@_or_decimals("copysign")
def copysign(x: Pair, y: Pair) -> Pair:
    """Return x with the sign of y."""
    same = np.signbit(x.high) == np.signbit(y.high)
    return _select(same if np.ndim(same) else bool(same), x, neg(x))


def _is_larger(x: Pair, y: Pair) -> Truths:
    """Return whether |x| > |y|."""
    return less(absolute(y), absolute(x))


def maxmag(x: Pair, y: Pair) -> Pair:
    """Return the operand of larger magnitude; like fmax for equal magnitudes and NaN."""
    return _select(_is_larger(x, y), x, _select(_is_larger(y, x), y, fmax(x, y)))


def minmag(x: Pair, y: Pair) -> Pair:
    """Return the operand of smaller magnitude; like fmin for equal magnitudes and NaN."""
    return _select(_is_larger(x, y), y, _select(_is_larger(y, x), x, fmin(x, y)))


def _integer_power(x: Pair, n: int) -> Pair:
    """Return x to the power n, by repeated squaring."""
    if n < 0:
        return div(ONE, _integer_power(x, -n))
    result, square = None, x
    while n:
        if n & 1:
            result = square if result is None else mul(result, square)
        n >>= 1
        if n:
            square = mul(square, square)
    return as_pair(x.high * 0 + 1.0) if result is None else result


_MOST_POWER = 1 << 12


@_or_decimals("power")
def power(x: Pair, y: Pair) -> Pair:
    """Return x to the power y: by multiplications for one small integer y, else in doubles."""
    is_integer = isinstance(y.high, float) and y.high.is_integer() and not y.low
    if is_integer and abs(y.high) < _MOST_POWER:
        return _integer_power(x, int(y.high))
    return as_pair(np.power(x.high, y.high))


def in_doubles(function: Callable[..., object]) -> Callable[..., Pairs]:
    """Return a function of pairs that computes in doubles, with half of the digits."""

    def compute(*operands: Pair) -> Pairs:
        results = function(*(x.high for x in operands))
        if isinstance(results, tuple):
            return tuple(None if part is None else as_pair(part) for part in results)
        return as_pair(results)

    return compute


def _remainder_to_nearest(x: Doubles, y: Doubles) -> tuple[Doubles, None]:
    remainder: Doubles = np.where(np.isinf(y) & np.isfinite(x), x, x - y * np.rint(x / y))
    return remainder, None


def _exponent(x: Doubles) -> Doubles:
    """Return the exponent of x, as a number between 1 and 2 times a power of two."""
    size = np.abs(x)
    exponent: Doubles = np.frexp(size)[1] - 1.0
    return np.where(np.isfinite(x) & (size > 0), exponent, np.where(size == 0, -np.inf, size))


def _half_away_from_zero(x: Doubles) -> Doubles:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


#: Functions that compute in pairs, by the names of ufuncs.
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
    "minimum": minimum,
    "maximum": maximum,
    "min": minimum,
    "max": maximum,
    "fmin": fmin,
    "fmax": fmax,
    "copysign": copysign,
    "clamp": lambda x, low, high: minimum(maximum(x, low), high),
    "clip": lambda x, low, high: minimum(maximum(x, low), high),
    **dict.fromkeys(("power", "pow", "powr", "pown"), power),
}

_FORMULAS = Arithmetic(as_pair, {**ARITHMETIC, "pown": _integer_power}, {})
for _name in ("rsqrt", "hypot", "fma", "mad", "mix"):  # whose formulas pairs compute throughout
    _row = ROWS[_name]
    ARITHMETIC[_name] = compile_formula(_row.formula, _row.argument_names, _FORMULAS)

_IN_DOUBLES: dict[str, Callable[..., Pairs]] = {
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
}  # fmt: skip

#: All functions of pairs, by the names of ufuncs without their rounding mode.
UFUNCS: dict[str, Callable[..., Pairs]] = {
    **{name: bounded_or_not(name, function) for name, function in _IN_DOUBLES.items()},
    **ARITHMETIC,
}


# ---------------------------------------------------------------- along an axis


def map_parts(x: Pair, function: Callable[[Doubles], object]) -> Pair:
    """Apply a structural function to both parts of a pair."""
    return Pair(function(x.high), function(np.broadcast_to(x.low, np.shape(x.high))))


#: Functions that reduce along axes.
JOINED = ("add", "multiply", "maximum", "minimum", "fmax", "fmin")


def reduce(name: str, x: Pair, axis: int) -> Pair:
    """Reduce the elements along an axis, pairwise."""
    if is_unbounded():
        return Pair(along(name, "reduce", as_decimals(x.high), axis), 0.0)
    if is_large(x.high) or not np.shape(x.high)[axis]:
        total = getattr(np, name).reduce(x.high, axis=axis, dtype=np.float64)
        if name == "multiply":
            note_product(total, x.high)
        return as_pair(total)
    if name == "add" and np.ndim(x.high) == 1:
        return _sum(x)
    x = map_parts(x, lambda part: np.moveaxis(part, axis, 0))
    while len(x.high) > 1:
        whole = len(x.high) // 2 * 2
        even, odd, rest = (
            Pair(x.high[part], x.low[part])
            for part in (slice(0, whole, 2), slice(1, whole, 2), slice(whole, None))
        )
        joined = ARITHMETIC[name](even, odd)
        x = Pair(*(np.concatenate(parts) for parts in zip(joined, rest, strict=True)))
    return Pair(x.high[0], x.low[0])


def _sum(x: Pair) -> Pair:
    """Return the sum of all elements of an array of one axis."""
    numbers = [*x.high.tolist(), *np.broadcast_to(x.low, x.high.shape).tolist()]
    try:
        total = math.fsum(numbers)
        return Pair(total, math.fsum([*numbers, -total]))
    except (OverflowError, ValueError):  # some elements are infinite
        return Pair(float(np.sum(x.high)), 0.0)


def accumulate(name: str, x: Pair, axis: int) -> Pair:
    """Accumulate the elements along an axis."""
    if is_unbounded():
        return Pair(along(name, "accumulate", as_decimals(x.high), axis), 0.0)
    if is_large(x.high):
        return as_pair(getattr(np, name).accumulate(x.high, axis=axis, dtype=np.float64))
    high, low = map_parts(x, lambda part: np.moveaxis(part, axis, 0).copy())
    for k in range(1, len(high)):
        before, here = Pair(high[k - 1], low[k - 1]), Pair(high[k], low[k])
        high[k], low[k] = ARITHMETIC[name](before, here)
    return Pair(np.moveaxis(high, 0, axis), np.moveaxis(low, 0, axis))
