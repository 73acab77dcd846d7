"""The functions that need only arithmetic: those with results that are exact, or sums.

Every finite half is an integer below 2^40 times 2^-24, so quotients and remainders are those
of integers; differences of halves, and halves times powers of two, are exact as doubles.

Operands and results are doubles that are halves, or int32; some results are still to be
rounded.
"""

import numpy as np

FP_ILOGB0, FP_ILOGBNAN = -(2**31), 2**31 - 1

# ---------------------------------------------------------------- integers near, and parts


def _round(x):
    """Halfway goes away from zero."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _fraction(x):
    """Return the part above the floor; infinities have a zero of their sign."""
    rest = x - np.floor(x)
    return np.where((x == 0) | np.isinf(x), np.copysign(0, x), rest)


def _modf(x):
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), 0, x - whole), x), whole


def _frexp(x):
    mantissa, exponent = np.frexp(x)
    return mantissa, np.where(np.isfinite(x), exponent, 0).astype(np.int32)


def _logb(x):
    exponent = np.frexp(x)[1] - 1.0
    return np.select([x == 0, np.isfinite(x)], [-np.inf, exponent], np.abs(x))


def _ilogb(x):
    exponent = np.frexp(x)[1] - 1
    special = [x == 0, np.isnan(x), np.isinf(x)]
    return np.select(special, [FP_ILOGB0, FP_ILOGBNAN, 2**31 - 1], exponent).astype(np.int32)


def _ldexp(x, k):
    """2^80 and 2^-80 take every half out of half's range."""
    return np.ldexp(x, np.clip(k, -80, 80))


# ---------------------------------------------------------------- remainders


def _units(x):
    """Magnitudes in units of the least half; 1 for what is no number."""
    return np.ldexp(np.where(np.isfinite(x), np.abs(x), 2.0**-24), 24).astype(np.int64)


def _divide(x, y, to_nearest):
    """Divide magnitudes: quotient and remainder, truncated, or to nearest (ties to even)."""
    a, b = _units(x), _units(y)
    b = np.maximum(b, 1)
    quotient = a // b
    rest = a - quotient * b
    up = to_nearest & ((2 * rest > b) | ((2 * rest == b) & (quotient % 2 == 1)))
    return quotient + up, np.ldexp((rest - up * b).astype(np.float64), -24)


def _signed_remainder(x, y, rest):
    """Return the remainder with x's sign: x itself for infinite y; NaN where undefined."""
    result = np.where(np.isinf(y), np.abs(x), rest) * np.copysign(1, x)
    return np.where(np.isinf(x) | (y == 0) | np.isnan(x) | np.isnan(y), np.nan, result)


def _fmod(x, y):
    return _signed_remainder(x, y, _divide(x, y, to_nearest=False)[1])


def _remquo(x, y):
    """With the quotient's low seven bits, and its sign."""
    quotient, rest = _divide(x, y, to_nearest=True)
    remainder = _signed_remainder(x, y, rest)
    low = (quotient & 127) * np.copysign(1, x) * np.copysign(1, y)
    return remainder, np.where(np.isnan(remainder) | np.isinf(y), 0, low).astype(np.int32)


# ---------------------------------------------------------------- one of two


def _fdim(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0))


def _fmax(x, y):
    return np.where((x >= y) | np.isnan(y), x, y)


def _fmin(x, y):
    return np.where((x <= y) | np.isnan(y), x, y)


def _maxmag(x, y):
    a, b = np.abs(x), np.abs(y)
    return np.select([a > b, b > a], [x, y], _fmax(x, y))


def _minmag(x, y):
    a, b = np.abs(x), np.abs(y)
    return np.select([a < b, b < a], [x, y], _fmin(x, y))


def _heaviside(x, at_zero):
    return np.select([np.isnan(x), x == 0], [x, at_zero], (x > 0) * 1.0)


def _nextafter(x, y):
    """y where they are equal; from zero the least number toward y."""
    spacing = np.ldexp(1.0, np.maximum(np.frexp(x)[1] - 11, -24))
    outward = (y > x) == (x > 0)
    # Toward zero from a power of two the spacing is half, but for the least normal numbers.
    power = (np.abs(np.frexp(x)[0]) == 0.5) & (np.abs(x) > 2.0**-14)
    step = np.where(outward, 1, np.where(power, -0.5, -1.0)) * spacing
    moved = np.copysign(np.where(np.isinf(x), 65504, np.abs(x) + step), x)
    moved = np.where(np.abs(moved) > 65504, np.copysign(np.inf, x), moved)
    moved = np.where(x == 0, np.copysign(2.0**-24, y), moved)
    return np.select([np.isnan(x) | np.isnan(y), x == y], [np.nan, y], moved)


def _ulp(x):
    """Return the distance to the next number of larger magnitude, also for the largest."""
    unit = np.ldexp(1.0, np.maximum(np.frexp(x)[1] - 11, -24))
    return np.select([x == 0, np.isfinite(x)], [2.0**-24, unit], np.abs(x))


def lgamma_sign(x):
    """Return the sign of the gamma function: 0 at its poles, 1 for -inf and NaN."""
    below = np.floor(x)
    pole = (x <= 0) & (x == below) & np.isfinite(x)
    negative = (x < 0) & (below % 2 == 1)
    return np.select([pole, negative], [0, -1], 1).astype(np.int32)


# ---------------------------------------------------------------- common and relational


def _sign(x):
    """Zeros stay as they are; NaNs become +0."""
    return np.select([np.isnan(x), x == 0], [0, x], np.copysign(1, x))


def _isnormal(x):
    return np.isfinite(x) & (np.abs(x) >= 2.0**-14)


def _is_unordered(x, y):
    return np.isnan(x) | np.isnan(y)


# ---------------------------------------------------------------- the table

#: To a result, or to several.
OF_ONE = {
    "rint": np.rint,
    "round": _round,
    "trunc": np.trunc,
    "ceil": np.ceil,
    "floor": np.floor,
    "fract": lambda x: (_fraction(x), np.floor(x)),
    "modf": _modf,
    "frexp": _frexp,
    "logb": _logb,
    "ilogb": _ilogb,
    "sign": _sign,
    "nextdown": lambda x: _nextafter(x, np.full_like(x, -np.inf)),
    "nextup": lambda x: _nextafter(x, np.full_like(x, np.inf)),
    "ulp": _ulp,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isnormal": _isnormal,
    "signbit": np.signbit,
}
OF_TWO = {
    "fmod": _fmod,
    "remainder": lambda x, y: _remquo(x, y)[0],
    "remquo": _remquo,
    "fdim": _fdim,
    "fmax": _fmax,
    "fmin": _fmin,
    "maxmag": _maxmag,
    "minmag": _minmag,
    "heaviside": _heaviside,
    "nextafter": _nextafter,
    "max": lambda x, y: np.where(x < y, y, x),
    "min": lambda x, y: np.where(y < x, y, x),
    "step": lambda edge, x: np.where(x < edge, 0.0, 1.0),
    "isequal": np.equal,
    "isnotequal": np.not_equal,
    "isgreater": np.greater,
    "isgreaterequal": np.greater_equal,
    "isless": np.less,
    "islessequal": np.less_equal,
    "islessgreater": lambda x, y: (x < y) | (x > y),
    "isordered": lambda x, y: ~_is_unordered(x, y),
    "isunordered": _is_unordered,
}
OF_THREE = {"clamp": lambda x, low, high: _fmin(_fmax(x, low), high)}
WITH_INTEGER = {"ldexp": _ldexp}
FUNCTIONS = OF_ONE | OF_TWO | OF_THREE | WITH_INTEGER | {"lgamma_sign": lgamma_sign}
