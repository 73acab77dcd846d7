"""Doubles of NumPy's for the functions of two arguments, where they tell what half depends on.

They are off by some 2^-50, relatively. Where no half and no midpoint of halves is within 2^-40,
a double tells how the exact result rounds and which flags it raises; elsewhere it is for MPFR.
A wrong double would have to agree with a wrong result of halfcl to go unnoticed.
"""

import numpy as np
from samples import value

_SLACK = 2.0**-40


def _rootn(x, n):
    """Return the magnitude's root; even roots of negative numbers are NaN."""
    root = np.copysign(np.power(np.abs(x), 1 / n), x)
    return np.where((x < 0) & (n % 2 == 0), np.nan, root)


def _compoundn(x, n):
    return np.power(np.where(x <= -1, np.nan, 1 + x), n)


def _powr(x, y):
    return np.power(np.where(x < 0, np.nan, x), y)


#: With what errors are relative to, besides the result: a sum of numbers of that size.
APPROXIMATIONS = {
    "pow": (np.power, 0),
    "powr": (_powr, 0),
    "pown": (np.power, 0),
    "hypot": (np.hypot, 0),
    "atan2": (np.arctan2, 0),
    "atan2pi": (lambda y, x: np.arctan2(y, x) / np.pi, 0),
    "logaddexp": (np.logaddexp, 1),
    "logaddexp2": (np.logaddexp2, 1),
    "rootn": (_rootn, 0),
    "compoundn": (_compoundn, 0),
}


def _within_range(values):
    """Clamp magnitudes to a double's range, which half's range lies far within."""
    limits = np.finfo(np.float64)
    size = np.clip(np.abs(values), limits.smallest_subnormal, limits.max)
    return np.copysign(size, values)


def approximate(name, *columns):
    """Doubles that round as the exact results do, of halves (and integers), and which do not."""
    numbers = [value(x) if x.dtype == np.uint16 else x.astype(np.float64) for x in columns]
    function, scale = APPROXIMATIONS[name]
    usual = np.logical_and.reduce([np.isfinite(x) & (x != 0) for x in numbers])
    with np.errstate(all="ignore"):
        values = _within_range(function(*numbers))
        unit = np.ldexp(1.0, np.maximum(np.frexp(values)[1] - 12, -25))
        away = np.abs(values - np.rint(values / unit) * unit)
        settled = away > _SLACK * np.maximum(np.abs(values), scale)
    return values, ~(usual & settled)  # NaN settles nothing
