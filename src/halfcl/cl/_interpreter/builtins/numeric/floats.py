"""Functions of float and double on arrays; `FUNCTIONS` has the accuracy of each one.

Math built-in functions round to nearest, whatever mode is in force.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from halfcl.cl._frontend.arithmetic import native_function
from halfcl.cl._interpreter.values.lanes import Array
from halfcl.cl._interpreter.values.numbers import special_function

#: A function of arrays; it returns two if OpenCL stores one through a pointer.
Function: TypeAlias = Callable[..., Array | tuple[Array, Array]]


class Accuracy(enum.Enum):
    """The accuracy of a function of float and double."""

    EXACT = "exact"
    ROUNDED = "correctly rounded"
    DOUBLE = "computed in double; of float rounded once more, to float"


class Row(NamedTuple):
    """A function and its accuracy."""

    accuracy: Accuracy
    function: Function


# ---------------------------------------------------------------- exact


def _round(x: Array) -> Array:
    """Round halfway cases away from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(x.dtype.type(1), x), whole)


def _sign(x: Array) -> Array:
    return np.where(x != 0, np.where(np.isnan(x), x.dtype.type(0), np.sign(x)), x)


def _logb(x: Array) -> Array:
    exponent = (np.frexp(x)[1] - 1).astype(x.dtype)
    exponent = np.where(x == 0, x.dtype.type(-np.inf), exponent)
    return np.where(np.isfinite(x), exponent, np.abs(x))


def _ilogb(x: Array) -> Array:
    limits = np.iinfo(np.int32)
    exponent = np.where(np.isfinite(x), np.frexp(x)[1] - 1, limits.max)
    return np.where(x == 0, limits.min, exponent).astype(np.int32)


def _frexp(x: Array) -> tuple[Array, Array]:
    mantissa, exponent = np.frexp(x)
    return mantissa, np.where(np.isfinite(x), exponent, 0).astype(np.int32)


def _fract(x: Array) -> tuple[Array, Array]:
    """Return the fractional part, below 1, with the sign of zeros and infinities; and the floor."""
    whole = np.floor(x)
    below_one = np.nextafter(x.dtype.type(1), x.dtype.type(0))
    part = np.minimum(x - whole, below_one)
    return np.where((x == 0) | np.isinf(x), np.copysign(x.dtype.type(0), x), part), whole


def _max(x: Array, y: Array) -> Array:
    return np.where(x < y, y, x)


def _min(x: Array, y: Array) -> Array:
    return np.where(y < x, y, x)


def _maxmag(x: Array, y: Array) -> Array:
    a, b = np.abs(x), np.abs(y)
    return np.where(a > b, x, np.where(b > a, y, np.fmax(x, y)))


def _minmag(x: Array, y: Array) -> Array:
    a, b = np.abs(x), np.abs(y)
    return np.where(a < b, x, np.where(b < a, y, np.fmin(x, y)))


def _nan(code: Array) -> Array:
    """Return a quiet NaN with the code's low bits as payload."""
    target = np.dtype(f"f{code.dtype.itemsize}")
    quiet = np.array(np.nan, target).view(code.dtype)
    low_bits = code.dtype.type((1 << (np.finfo(target).nmant - 1)) - 1)
    pattern: Array = (code & low_bits) | (quiet & ~code.dtype.type(0) >> code.dtype.type(1))
    return pattern.view(target)


def _remquo(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the remainder for the nearest quotient (ties to even) and its lowest seven bits.

    All steps are exact: they work with multiples of y's last place that are at most twice the
    minuend.
    """
    dtype, sign = x.dtype, np.where(np.signbit(x) != np.signbit(y), -1, 1)
    a, b = np.broadcast_arrays(np.abs(x).astype(np.float64), np.abs(y).astype(np.float64))
    # Prevent overflow of 128 b. Only values below b / 2 become inexact.
    scale = np.where((b > 2.0**1000) & np.isfinite(b), 2.0**-20, 1.0)
    small = a <= b / 4
    remainder, b = np.fmod(a * scale, b * scale * 128), b * scale
    quotient = np.zeros(remainder.shape, np.int32)
    for k in range(6, -1, -1):
        part = b * 2.0**k
        takes = remainder >= part
        remainder = np.where(takes, remainder - part, remainder)
        quotient += takes.astype(np.int32) << k
    rest = b - remainder
    up = (remainder > rest) | ((remainder == rest) & (quotient % 2 == 1) & (remainder > 0))
    remainder = np.where(up, -rest, remainder) / scale
    quotient = np.where(small, 0, (quotient + up) & 127)
    remainder = np.where(small, a, remainder)
    is_number = np.isfinite(x) & ~np.isnan(y) & (y != 0)
    result = np.where(is_number, np.copysign(1.0, x) * remainder, np.nan)
    return result.astype(dtype), np.where(is_number, sign * quotient, 0).astype(np.int32)


# ---------------------------------------------------------------- correctly rounded

#: The engine's functions of both types.
_fma, _sqrt = native_function("fma").rte, native_function("sqrt").rte


def _fdim(x: Array, y: Array) -> Array:
    return np.where(x > y, x - y, np.where(x <= y, x.dtype.type(0), x + y))


# ---------------------------------------------------------------- in double


#: The engine's functions of doubles.
_erf, _erfc, _lgamma, _tgamma = (
    special_function(name) for name in ("erf", "erfc", "lgamma", "tgamma")
)


def _lgamma_r(x: Array) -> tuple[Array, Array]:
    """Return lgamma and the sign of gamma, which is 0 at poles."""
    below, whole = x < 0, np.floor(x)
    sign = np.where(below & (np.abs(whole % 2) == 1), -1, 1)
    is_pole = (x == 0) | (below & (whole == x) & np.isfinite(x))
    return _lgamma(x), np.where(is_pole, 0, sign).astype(np.int32)


def _reduce_turns(x: Array) -> tuple[Array, Array, Array]:
    """Reduce pi x by quarter turns; return sine and cosine of the rest, and the quarters mod 4."""
    turns = np.fmod(x, 2.0)
    quarters = np.rint(2 * turns)
    angle = (turns - quarters / 2) * np.pi
    number = np.where(np.isfinite(quarters), quarters, 0).astype(np.int64) % 4
    return np.sin(angle), np.cos(angle), number


def _sinpi(x: Array) -> Array:
    s, c, quarters = _reduce_turns(x)
    result = np.choose(quarters, (s, c, -s, -c))
    return np.where(result == 0, np.copysign(0.0, x), result)


def _cospi(x: Array) -> Array:
    s, c, quarters = _reduce_turns(x)
    return np.choose(quarters, (c, -s, -c, s)) + 0.0


def _tanpi(x: Array) -> Array:
    return _sinpi(x) / _cospi(x)


def _powr(x: Array, y: Array) -> Array:
    """Return powr; x >= 0, and NaN where exp(y log(x)) would be undefined."""
    zero_or_infinite = (x == 0) | np.isinf(x)
    unknown = (
        (x < 0) | np.isnan(x) | np.isnan(y) | ((y == 0) & zero_or_infinite) | (x == 1) & np.isinf(y)
    )
    return np.where(unknown, np.nan, np.power(np.abs(x), y))


def _rootn(x: Array, n: Array) -> Array:
    odd = n % 2 != 0
    size = np.abs(x)
    root = np.power(size, 1.0 / n.astype(np.float64))
    for degree, function in ((1, np.positive), (2, np.sqrt), (3, np.cbrt)):
        root = np.where(n == degree, function(size), root)
        root = np.where(n == -degree, 1 / function(size), root)
    return np.where((n == 0) | ((x < 0) & ~odd), np.nan, np.where(odd, np.copysign(root, x), root))


def _smoothstep(low: Array, high: Array, x: Array) -> Array:
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    result: Array = t * t * (3 - 2 * t)
    return result


E_, R_, D_ = Accuracy.EXACT, Accuracy.ROUNDED, Accuracy.DOUBLE

#: By OpenCL's name. Functions of a DOUBLE row take and return doubles, the others arrays of the
#: type; they return two if OpenCL stores one through a pointer.
FUNCTIONS: dict[str, Row] = {
    "ceil": Row(E_, np.ceil),
    "clamp": Row(E_, lambda x, low, high: np.fmin(np.fmax(x, low), high)),
    "copysign": Row(E_, np.copysign),
    "fabs": Row(E_, np.fabs),
    "floor": Row(E_, np.floor),
    "fmax": Row(E_, np.fmax),
    "fmin": Row(E_, np.fmin),
    "fmod": Row(E_, np.fmod),
    "frexp": Row(E_, _frexp),
    "ilogb": Row(E_, _ilogb),
    "logb": Row(E_, _logb),
    "max": Row(E_, _max),
    "maxmag": Row(E_, _maxmag),
    "min": Row(E_, _min),
    "minmag": Row(E_, _minmag),
    "modf": Row(E_, np.modf),
    "nan": Row(E_, _nan),
    "nextafter": Row(E_, np.nextafter),
    "remainder": Row(E_, lambda x, y: _remquo(x, y)[0]),
    "remquo": Row(E_, _remquo),
    "rint": Row(E_, np.rint),
    "round": Row(E_, _round),
    "sign": Row(E_, _sign),
    "step": Row(E_, lambda edge, x: np.where(x < edge, x.dtype.type(0), x.dtype.type(1))),
    "trunc": Row(E_, np.trunc),
    "divide": Row(R_, np.divide),
    "fdim": Row(R_, _fdim),
    "fma": Row(R_, _fma),
    "fract": Row(R_, _fract),
    "ldexp": Row(R_, np.ldexp),
    "mad": Row(R_, _fma),
    "recip": Row(R_, lambda x: x.dtype.type(1) / x),
    "sqrt": Row(R_, _sqrt),
    "acos": Row(D_, np.arccos),
    "acosh": Row(D_, np.arccosh),
    "acospi": Row(D_, lambda x: np.arccos(x) / np.pi),
    "asin": Row(D_, np.arcsin),
    "asinh": Row(D_, np.arcsinh),
    "asinpi": Row(D_, lambda x: np.arcsin(x) / np.pi),
    "atan": Row(D_, np.arctan),
    "atan2": Row(D_, np.arctan2),
    "atan2pi": Row(D_, lambda y, x: np.arctan2(y, x) / np.pi),
    "atanh": Row(D_, np.arctanh),
    "atanpi": Row(D_, lambda x: np.arctan(x) / np.pi),
    "cbrt": Row(D_, np.cbrt),
    "cos": Row(D_, np.cos),
    "cosh": Row(D_, np.cosh),
    "cospi": Row(D_, _cospi),
    "degrees": Row(D_, lambda x: x * (180 / np.pi)),
    "erf": Row(D_, _erf),
    "erfc": Row(D_, _erfc),
    "exp": Row(D_, np.exp),
    "exp10": Row(D_, lambda x: np.power(10.0, x)),
    "exp2": Row(D_, np.exp2),
    "expm1": Row(D_, np.expm1),
    "hypot": Row(D_, np.hypot),
    "lgamma": Row(D_, _lgamma),
    "lgamma_r": Row(D_, _lgamma_r),
    "log": Row(D_, np.log),
    "log10": Row(D_, np.log10),
    "log1p": Row(D_, np.log1p),
    "log2": Row(D_, np.log2),
    "mix": Row(D_, lambda x, y, a: x + (y - x) * a),
    "pow": Row(D_, np.power),
    "pown": Row(D_, lambda x, n: np.power(x, n.astype(np.float64))),
    "powr": Row(D_, _powr),
    "radians": Row(D_, lambda x: x * (np.pi / 180)),
    "rootn": Row(D_, _rootn),
    "rsqrt": Row(D_, lambda x: 1 / np.sqrt(x)),
    "sin": Row(D_, np.sin),
    "sincos": Row(D_, lambda x: (np.sin(x), np.cos(x))),
    "sinh": Row(D_, np.sinh),
    "sinpi": Row(D_, _sinpi),
    "smoothstep": Row(D_, _smoothstep),
    "tan": Row(D_, np.tan),
    "tanh": Row(D_, np.tanh),
    "tanpi": Row(D_, _tanpi),
    "tgamma": Row(D_, _tgamma),
}
