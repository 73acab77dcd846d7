"""Shadows beyond the range of doubles: numbers of `decimal` with exponents of any size.

A shadow run in doubles goes wrong where a step overflows or underflows, such as `sinh` in
``log(sinh(x))`` at 800. `Range` notices such steps. Then the run is repeated in `Decimal`, each
element a Python object in an array of dtype object, in place of a pair of doubles.
"""

from __future__ import annotations

import decimal
import math
import operator
import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl.stability._shadow._numbers.pairs import Pair

#: A number, or an array of dtype object with numbers.
Decimals: TypeAlias = Decimal | NDArray[np.object_]

#: A number, or an array, in doubles or floats.
Doubles: TypeAlias = float | NDArray[np.floating[Any]]

_T = TypeVar("_T")

#: Digits of results: more than the 32 of a pair of doubles. The context raises no errors: as in
#: IEEE 754, 1 / 0 is infinite and log(-1) is NaN.
_DIGITS = 40
_CONTEXT = decimal.Context(
    prec=_DIGITS, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, rounding="ROUND_HALF_EVEN", traps=[]
)
#: For steps that cancel: results have _DIGITS digits nevertheless.
_MORE = _CONTEXT.copy()
_MORE.prec = 2 * _DIGITS

_ZERO, _ONE, _TWO = Decimal(0), Decimal(1), Decimal(2)
#: Below this magnitude x and its sine, tangent, … are equal to _DIGITS digits.
_SMALL = Decimal("1e-21")


class Range:
    """The range of a run's shadows: that of doubles, until a step leaves it, or unbounded.

    is_unbounded: whether shadows are Decimals. has_left: whether a step overflowed or underflowed
    in doubles, or in a function that computes in doubles. has_overflowed: whether one of these
    overflowed. has_floats: whether shadows of large arrays were floats. work: the number of
    elements that steps computed.
    """

    def __init__(self, is_unbounded: bool = False) -> None:
        self.is_unbounded, self.has_left, self.has_overflowed = is_unbounded, False, False
        self.has_floats, self.work = False, 0

    def note(self, high: Doubles) -> None:
        """Note that a result left the range."""
        self.has_left = True
        self.has_overflowed |= bool(np.isinf(high).any())


#: The range of the run in this context; None outside of a run.
RANGE: ContextVar[Range | None] = ContextVar("halfcl_range", default=None)


def is_unbounded() -> bool:
    """Tell whether the shadows of the run in this context are Decimals."""
    current = RANGE.get()
    return current is not None and current.is_unbounded


# ---------------------------------------------------------------- steps that leave the range

#: Magnitudes below which results may lack bits: products of parts of a pair underflow; subnormals.
_TINY, _TINY_FLOAT = 2.0**-969, 2.0**-126


def _leaves(high: Doubles, *operands: ArrayLike) -> bool:
    """Tell whether a result is infinite, or zero or tiny, although no operand is."""
    if type(high) is float and _TINY <= abs(high) < math.inf:  # the usual case
        return False
    size = np.abs(high)
    tiny = _TINY_FLOAT if size.dtype == np.float32 else _TINY
    suspect = ~((size >= tiny) & (size < np.inf))
    if not np.any(suspect):
        return False
    for x in operands:
        suspect = suspect & np.isfinite(x) & (np.asarray(x) != 0)
    return bool(np.any(suspect & ~np.isnan(high)))


def _leaves_from_finite(high: Doubles, x: ArrayLike) -> bool:
    """Tell whether a result is infinite, or zero or tiny, of a finite operand, perhaps 0."""
    return _leaves(high, np.where(np.asarray(x) == 0, 1, x))


#: Functions that overflow or underflow, and the test for that; 0 is a pole, or exact, for _leaves.
_LEAVING: dict[str, Callable[..., bool]] = {
    **dict.fromkeys(
        ("multiply", "divide", "true_divide", "reciprocal", "square", "expm1", "sinh", "tgamma"),
        _leaves,
    ),
    **dict.fromkeys(("exp", "exp2", "exp10", "cosh", "erfc"), _leaves_from_finite),
    **dict.fromkeys(
        ("power", "pow", "powr", "pown", "float_power"),
        lambda high, x, y: _leaves(high, x, np.where(np.asarray(y) == 0, 1, y)),
    ),
}


def note_product(product: Doubles, factors: NDArray[np.floating[Any]]) -> None:
    """Note whether a product of many factors left the range of doubles."""
    current = RANGE.get()
    is_plain = np.isfinite(factors).all() and np.all(factors)
    if current is not None and is_plain and _leaves(product):
        current.note(product)


def bounded_or_not(name: str, function: Callable[..., _T]) -> Callable[..., _T]:
    """Return a function of pairs that computes in Decimals in a run whose range is unbounded.

    In other runs it notes whether the result leaves the range of doubles.

    name: of the ufunc. function: computes in pairs of doubles.
    """
    leaves = _LEAVING.get(name)

    def compute(*operands: Pair) -> _T:
        current = RANGE.get()
        if current is None:
            return function(*operands)
        if current.is_unbounded:
            return _compute_decimals(name, function, current, operands)
        result = function(*operands)
        high: Any = getattr(result, "high", None)
        current.work += 1 if type(high) is float else np.size(high)
        if leaves is None or current.has_overflowed:
            return result
        if leaves(high, *(x.high for x in operands)):
            current.note(high)
        return result

    return compute


def _compute_decimals(
    name: str, function: Callable[..., _T], current: Range, operands: Sequence[Pair]
) -> _T:
    """Compute a function of pairs whose first parts are Decimals."""
    known = FUNCTIONS.get(name)
    highs = [as_decimals(x.high) for x in operands]
    if known is not None:
        return cast("_T", type(operands[0])(known(*highs), 0.0))  # These functions return a Pair.
    token = RANGE.set(None)  # in doubles
    try:
        pair = type(operands[0])
        return function(*(pair(as_doubles(high, current), 0.0) for high in highs))
    finally:
        RANGE.reset(token)


# ---------------------------------------------------------------- conversions


def _to_decimal(x: Decimal | float) -> Decimal:
    return x if type(x) is Decimal else Decimal(float(x))


_to_decimals = np.frompyfunc(_to_decimal, 1, 1)


def as_decimals(x: Decimal | float | np.generic | NDArray[Any]) -> Decimals:
    """Return numbers as Decimals; arrays of dtype object have them already."""
    if type(x) is Decimal or (isinstance(x, np.ndarray) and x.dtype == object and x.ndim):
        return x
    if isinstance(x, np.ndarray) and x.ndim:
        decimals: NDArray[np.object_] = _to_decimals(x)
        return decimals.astype(object, copy=False)  # also an empty array
    return _to_decimal(x.item() if isinstance(x, np.ndarray | np.generic) else x)


def _to_double(x: Decimal) -> float:
    number = float(x)
    return math.copysign(sys.float_info.max, number) if _is_beyond(x, number) else number


def _is_beyond(x: Decimal, number: float) -> bool:
    return math.isinf(number) and x.is_finite()


def _is_lost(x: Decimal) -> bool:
    """Tell whether a number is beyond the range of doubles, or would be subnormal."""
    number = float(x)
    return _is_beyond(x, number) or (x != 0 and abs(number) < sys.float_info.min)


_to_doubles = np.frompyfunc(_to_double, 1, 1)
_are_lost = np.frompyfunc(_is_lost, 1, 1)


@overload
def as_doubles(x: Decimals, current: Range | None = None) -> float | NDArray[np.float64]: ...
@overload
def as_doubles(x: object, current: Range | None = None) -> object: ...
def as_doubles(x: object, current: Range | None = None) -> object:
    """Return Decimals as doubles, other numbers unchanged.

    Finite numbers beyond the range become the largest double. current: a range that notes this.
    """
    if type(x) is Decimal:
        if current is not None and _is_lost(x):
            current.has_left = True
        return _to_double(x)
    if not (isinstance(x, np.ndarray) and x.dtype == object):
        return x
    if current is not None and np.any(_are_lost(x)):
        current.has_left = True
    return np.asarray(_to_doubles(x)).astype(np.float64)


# ---------------------------------------------------------------- functions of numbers

_LN2, _LN10 = _MORE.ln(_TWO), _MORE.ln(Decimal(10))
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def _log1p(x: Decimal) -> Decimal:
    if abs(x) < _SMALL:
        return _CONTEXT.subtract(x, _CONTEXT.multiply(x, x) / 2)
    return _CONTEXT.plus(_MORE.ln(_MORE.add(_ONE, x)))


def _expm1(x: Decimal) -> Decimal:
    if abs(x) < _SMALL:
        return _CONTEXT.add(x, _CONTEXT.multiply(x, x) / 2)
    return _CONTEXT.plus(_MORE.subtract(_MORE.exp(x), _ONE))


def _sinh(x: Decimal) -> Decimal:
    if abs(x) < _SMALL:
        return x
    return _CONTEXT.divide(_MORE.subtract(_MORE.exp(x), _MORE.exp(-x)), _TWO)


def _cosh(x: Decimal) -> Decimal:
    return _CONTEXT.divide(_MORE.add(_MORE.exp(x), _MORE.exp(-x)), _TWO)


def _arcsinh(x: Decimal) -> Decimal:
    """Return the logarithm of |x| + sqrt(x² + 1), with the sign of x."""
    if abs(x) < _SMALL or not x.is_finite():
        return x
    size = abs(x)
    root = _MORE.sqrt(_MORE.add(_MORE.multiply(x, x), _ONE))
    return _CONTEXT.plus(_MORE.ln(_MORE.add(size, root))).copy_sign(x)


def _arccosh(x: Decimal) -> Decimal:
    root = _MORE.sqrt(_MORE.subtract(_MORE.multiply(x, x), _ONE))
    return _CONTEXT.plus(_MORE.ln(_MORE.add(x, root))) if x >= 1 else Decimal("nan")


def _arctanh(x: Decimal) -> Decimal:
    if abs(x) < _SMALL:
        return x
    ratio = _MORE.divide(_MORE.add(_ONE, x), _MORE.subtract(_ONE, x))
    return _CONTEXT.divide(_MORE.ln(ratio), _TWO)


def _power(x: Decimal, y: Decimal) -> Decimal:
    if y == 0 or x == 1:
        return _ONE
    return _CONTEXT.power(x, y)


def _cbrt(x: Decimal) -> Decimal:
    if not (x and x.is_finite()):
        return x
    return _CONTEXT.power(abs(x), _MORE.divide(_ONE, Decimal(3))).copy_sign(x)


def _tgamma(x: Decimal) -> Decimal:
    number = _to_double(x)
    if number < 0 and number == round(number):
        return Decimal("nan")
    if abs(number) < 100 or not x.is_finite():
        try:
            return Decimal(math.gamma(number))
        except (ValueError, OverflowError):
            return Decimal("nan")
    if number < 0:  # by reflection
        sine = math.sin(math.pi * (number - 2 * round(number / 2)))
        below = Decimal(sine) * _tgamma(_CONTEXT.subtract(_ONE, x))
        return _CONTEXT.divide(_PI, below)
    return _CONTEXT.exp(Decimal(math.lgamma(number)))


#: Where erfc is small enough for its asymptotic series.
_FAR = 10


def _erfc(x: Decimal) -> Decimal:
    """Return the complementary error function; far out by its asymptotic series.

    Source: NIST Digital Library of Mathematical Functions, 7.12.1.
    """
    if x.is_nan() or x < _FAR:
        return Decimal(math.erfc(_to_double(x)))
    if x > Decimal("1e9"):
        return _ZERO
    square = _CONTEXT.multiply(x, x)
    total = term = _ONE
    for k in range(1, 30):
        term = _CONTEXT.divide(_CONTEXT.multiply(term, Decimal(1 - 2 * k)), 2 * square)
        total = _CONTEXT.add(total, term)
    scale = _CONTEXT.multiply(x, _CONTEXT.sqrt(_PI))
    return _CONTEXT.multiply(_CONTEXT.divide(_CONTEXT.exp(-square), scale), total)


def _arctan2(y: Decimal, x: Decimal) -> Decimal:
    size = max(abs(x), abs(y))
    if size.is_finite() and size:
        x, y = _CONTEXT.divide(x, size), _CONTEXT.divide(y, size)
        if x > 0 and abs(y) < _SMALL:
            return _CONTEXT.divide(y, x)
    return Decimal(math.atan2(_to_double(y), _to_double(x)))


def _whole(rounding: str) -> Callable[[Decimal], Decimal]:
    def compute(x: Decimal) -> Decimal:
        return x.to_integral_value(rounding) if x.is_finite() else x

    return compute


def _fmod(x: Decimal, y: Decimal) -> Decimal:
    """Return the remainder with the sign of x; note it where its quotient has too many digits."""
    rest = _CONTEXT.remainder(x, y)
    if rest.is_nan() and x.is_finite() and y and (current := RANGE.get()) is not None:
        current.has_left = True
    return rest


def _remainder(x: Decimal, y: Decimal) -> Decimal:
    """Return the remainder with the sign of the divisor."""
    rest = _fmod(x, y)
    return _CONTEXT.add(rest, y) if rest and (rest < 0) != (y < 0) else rest


def _extremum(
    is_less: Callable[[Decimal, Decimal], bool], skips_nan: bool
) -> Callable[[Decimal, Decimal], Decimal]:
    def compute(x: Decimal, y: Decimal) -> Decimal:
        if x.is_nan() or y.is_nan():
            return (y if x.is_nan() else x) if skips_nan else Decimal("nan")
        return y if is_less(y, x) else x

    return compute


def _in_doubles(
    function: Callable[[float], float], at_zero: Decimal | None = None, is_periodic: bool = False
) -> Callable[[Decimal], Decimal]:
    """Return a function that computes in doubles, except near 0.

    at_zero: the result for small x; None for x itself. is_periodic: whether the result is unknown
    for x beyond the range of doubles, which is noted; other functions have a limit there.
    """

    def compute(x: Decimal) -> Decimal:
        if abs(x) < _SMALL:
            return x if at_zero is None else at_zero
        number = _to_double(x)
        current = RANGE.get()
        if is_periodic and current is not None and _is_beyond(x, float(x)):
            current.has_left = True
        try:
            return Decimal(function(number))
        except ValueError:
            return Decimal("nan")

    return compute


#: Functions of one Decimal, by the names of ufuncs.
_OF_ONE: dict[str, Callable[[Decimal], Decimal]] = {
    **dict.fromkeys(("positive", "conjugate", "convert_half"), lambda x: x),
    "negative": Decimal.copy_negate,
    **dict.fromkeys(("absolute", "fabs"), Decimal.copy_abs),
    "reciprocal": lambda x: _CONTEXT.divide(_ONE, x),
    "square": lambda x: _CONTEXT.multiply(x, x),
    "sqrt": _CONTEXT.sqrt,
    "cbrt": _cbrt,
    "exp": _CONTEXT.exp,
    "exp2": lambda x: _CONTEXT.plus(_MORE.exp(_MORE.multiply(x, _LN2))),
    "exp10": lambda x: _CONTEXT.plus(_MORE.exp(_MORE.multiply(x, _LN10))),
    "expm1": _expm1,
    "log": _CONTEXT.ln,
    "log2": lambda x: _CONTEXT.divide(_CONTEXT.ln(x), _LN2),
    "log10": _CONTEXT.log10,
    "log1p": _log1p,
    "sinh": _sinh,
    "cosh": _cosh,
    **dict.fromkeys(("arcsinh", "asinh"), _arcsinh),
    **dict.fromkeys(("arccosh", "acosh"), _arccosh),
    "tgamma": _tgamma,
    "erfc": _erfc,
    "floor": _whole(decimal.ROUND_FLOOR),
    "ceil": _whole(decimal.ROUND_CEILING),
    "trunc": _whole(decimal.ROUND_DOWN),
    "rint": _whole(decimal.ROUND_HALF_EVEN),
    "round": _whole(decimal.ROUND_HALF_UP),
    "sign": lambda x: x if x.is_nan() or not x else _ONE.copy_sign(x),
    "sin": _in_doubles(math.sin, is_periodic=True),
    "cos": _in_doubles(math.cos, _ONE, is_periodic=True),
    "tan": _in_doubles(math.tan, is_periodic=True),
    "tanh": _in_doubles(math.tanh),
    **dict.fromkeys(("arcsin", "asin"), _in_doubles(math.asin)),
    **dict.fromkeys(("arctan", "atan"), _in_doubles(math.atan)),
    **dict.fromkeys(("arctanh", "atanh"), _arctanh),
}

#: Functions of two Decimals.
_OF_TWO: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "add": _CONTEXT.add,
    "subtract": _CONTEXT.subtract,
    "multiply": _CONTEXT.multiply,
    **dict.fromkeys(("divide", "true_divide"), _CONTEXT.divide),
    **dict.fromkeys(("power", "pow", "powr", "pown", "float_power"), _power),
    **dict.fromkeys(("arctan2", "atan2"), _arctan2),
    "fmod": _fmod,
    "remainder": _remainder,
    "copysign": Decimal.copy_sign,
    **dict.fromkeys(("minimum", "min"), _extremum(operator.lt, False)),
    **dict.fromkeys(("maximum", "max"), _extremum(operator.gt, False)),
    "fmin": _extremum(operator.lt, True),
    "fmax": _extremum(operator.gt, True),
}

#: These functions as ufuncs of arrays of dtype object. All others compute in doubles.
FUNCTIONS: dict[str, np.ufunc] = {
    **{name: np.frompyfunc(function, 1, 1) for name, function in _OF_ONE.items()},
    **{name: np.frompyfunc(function, 2, 1) for name, function in _OF_TWO.items()},
}


def along(name: str, method: str, x: Decimals, axis: int) -> Decimals:
    """Reduce or accumulate Decimals along an axis.

    method: "reduce" or "accumulate". A sum or product of nothing is 0 or 1.
    """
    if method == "reduce" and not np.asarray(x).shape[axis]:
        empty = getattr(np, name).reduce(np.zeros(np.asarray(x).shape), axis=axis)
        return as_decimals(np.asarray(empty))
    result: Decimals = getattr(FUNCTIONS[name], method)(x, axis=axis)
    return result


def sort_keys(x: object) -> Any:
    """Return numbers that sort as Decimals do, NaNs last; other numbers unchanged."""
    if not (isinstance(x, np.ndarray) and x.dtype == object):
        return x
    numbers = x.ravel().tolist()
    known = sorted({number for number in numbers if not number.is_nan()})
    ranks: dict[Decimal, float] = {number: float(k) for k, number in enumerate(known)}
    keys = [math.nan if number.is_nan() else ranks[number] for number in numbers]
    return np.array(keys).reshape(x.shape)


def run_unbounded(function: Callable[[], _T], current: Range) -> _T:
    """Call a function whose shadows are Decimals."""
    token = RANGE.set(current)
    try:
        with decimal.localcontext(_CONTEXT):  # comparisons with NaN raise no error
            return function()
    finally:
        RANGE.reset(token)
