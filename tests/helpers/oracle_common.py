"""The functions mix and smoothstep in integers: every finite half is one, times 2^-24.

Results are doubles, exact or rounded to odd, like those of oracle_mpfr.py.
"""

import math

import numpy as np

#: Whether NumPy's long doubles are more than doubles; not on Windows, nor on Apple's processors.
HAS_LONG_DOUBLES = np.dtype(np.longdouble) != np.float64


def _units(x):
    """Numbers as Python's integers, in units of the least half; 0 for what is no finite number."""
    return [int(u) for u in np.ldexp(np.where(np.isfinite(x), x, 0), 24)]


def _ratio(n, d):
    """n / d as a double rounded to odd, for integers n and d > 0."""
    size = abs(n)
    if size == 0:
        return 0.0
    shift = 60 + d.bit_length() - size.bit_length()
    quotient, rest = divmod(size << max(shift, 0), d << max(-shift, 0))
    cut = quotient.bit_length() - 53
    inexact = rest != 0 or quotient & ((1 << cut) - 1) != 0
    return math.copysign(math.ldexp(float(quotient >> cut | inexact), cut - shift), n)


def _where_finite(columns, exact, by_doubles):
    """Return exact numbers where operands are finite and the result is not zero, else doubles."""
    finite = np.logical_and.reduce([np.isfinite(x) for x in columns])
    units = zip(*(_units(x[finite]) for x in columns), strict=True)
    numbers = np.fromiter((_ratio(*exact(*u)) for u in units), np.float64, int(finite.sum()))
    results = by_doubles(*columns)
    results[finite] = np.where(numbers == 0, results[finite], numbers)
    return results


def _mix_ratio(x, y, a):
    return (x << 24) + (y - x) * a, 1 << 48


def mix(x, y, a):
    """Double arithmetic has its infinities and NaNs, and the signs of its zeros but in rtn."""
    return _where_finite((x, y, a), _mix_ratio, lambda x, y, a: x + (y - x) * a)


def zeros_of_mix_are_negative(x, y, a):
    """Return the sign of zeros in rtn: opposite to that of the mirrored operation in rtp."""
    with np.errstate(all="ignore"):
        return ~np.signbit(-x + (-y - -x) * a)


def _smoothstep_ratio(edge0, edge1, x):
    n, d = x - edge0, edge1 - edge0
    if d < 0:
        n, d = -n, -d
    n = max(0, min(n, d))
    return (n * n * (3 * d - 2 * n), d**3) if d else (int(x > edge0), 1)


def _smoothstep_by_doubles(edge0, edge1, x):
    """Right where t is no number, or 0 or 1."""
    t = np.clip((x - edge0) / (edge1 - edge0 + 0.0), 0, 1)  # equal edges are +0 apart
    return t * t * (3 - 2 * t)


def smoothstep(edge0, edge1, x):
    results = _where_finite((edge0, edge1, x), _smoothstep_ratio, _smoothstep_by_doubles)
    return np.where((edge0 == edge1) & (x == edge0), np.nan, results)


FUNCTIONS = {"mix": mix, "smoothstep": smoothstep}
