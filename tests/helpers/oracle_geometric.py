"""The geometric functions in exact arithmetic, rounded once: in every mode, with the flags.

Vectors are rows of uint16 arrays, the bits of halves. Sums of products are integers of three
64-bit parts. Roots and ratios are computed in double precision, which is off by less than
2^-40 relatively; where a half or a midpoint of halves is so near, Python's integers decide.

A result on its way is a double that lies on the same side of every half and midpoint as the
exact result does. Nothing here is shared with halfcl.
"""

from functools import cache

import numpy as np
import oracle

MODES = oracle.MODES

# ---------------------------------------------------------------- rounding


def _round(values, mode):
    """Round doubles to half's precision, with any range; also return where they are exact."""
    unit = np.ldexp(1.0, np.maximum(np.frexp(values)[1] - 11, -24))
    with np.errstate(invalid="ignore"):
        scaled = values / unit
        whole = np.floor(scaled)
        rest = scaled - whole
        if mode == "rte":
            whole += (rest > 0.5) | ((rest == 0.5) & (whole % 2 == 1))
        elif mode == "rtp":
            whole += rest > 0
        elif mode == "rtz":
            whole += (rest > 0) & (values < 0)
    finite = np.isfinite(values)
    rounded = np.where(finite, np.copysign(whole * unit, values), values)
    return rounded, (rest == 0) | ~finite


def _to_half(values, mode):
    """Return the bits, and the flags of overflow and underflow."""
    rounded, exact = _round(values, mode)
    beyond = np.isfinite(values) & (np.abs(rounded) >= 2.0**16)
    to_infinity = (mode == "rte") | ((values > 0) & (mode == "rtp"))
    to_infinity |= (values < 0) & (mode == "rtn")
    limit = np.where(to_infinity, np.inf, 65504.0)
    rounded = np.where(beyond, np.copysign(limit, values), rounded)
    tiny = ~exact & (np.abs(values) < oracle.SMALLEST_NORMAL)
    flags = np.where(beyond, oracle.OVERFLOW, 0) | np.where(tiny, oracle.UNDERFLOW, 0)
    return oracle.to_bits(rounded), flags


def _results(values, invalid):
    """{mode: (bits, flags)}; values: an array, or a function of the mode."""
    by_mode = {}
    for mode in MODES:
        bits, flags = _to_half(values(mode) if callable(values) else values, mode)
        by_mode[mode] = bits, np.where(invalid, oracle.INVALID, flags)
    return by_mode


_PLACES = 25  # of binary digits of midpoints of halves


def _correct_sides(approximate, sign_of_difference):
    """Correct doubles >= 0 that lie on the wrong side of an integer multiple of 2^-25.

    sign_of_difference(i, n) is the sign of the i-th exact value minus n 2^-25, for an integer n.
    """
    unit = np.ldexp(1.0, np.maximum(np.frexp(approximate)[1] - 12, -_PLACES))
    with np.errstate(invalid="ignore"):
        nearest = np.rint(approximate / unit) * unit
        close = np.abs(approximate - nearest) <= approximate * 2.0**-40
    close &= approximate != 0  # which are exact
    values = approximate.copy()
    indices = np.flatnonzero(close & np.isfinite(approximate))
    integers = np.ldexp(nearest[indices], _PLACES).astype(np.int64).tolist()
    signs = list(map(sign_of_difference, indices.tolist(), integers))
    values[indices] = nearest[indices] + np.array(signs, np.float64) * unit[indices] / 4
    return values


def _sign(x):
    return (x > 0) - (x < 0)


# ---------------------------------------------------------------- operands


def _doubles(bits):
    with np.errstate(invalid="ignore"):
        return bits.view(np.float16).astype(np.float64)


def _units(x):
    """Finite doubles that are halves, or differences of such, in units of 2^-24."""
    return np.ldexp(np.where(np.isfinite(x), x, 0), 24).astype(np.int64)


def _signalling(*operands):
    return np.logical_or.reduce([oracle.is_signalling(x).any(-1) for x in operands])


# ---------------------------------------------------------------- sums of products

_PART = 20
_MASK = (1 << _PART) - 1


def _sum_of_products(a, b):
    """Sum products of rows of integers below 2^41: the high part in 2^40, and the low part."""
    a_high, a_low, b_high, b_low = a >> _PART, a & _MASK, b >> _PART, b & _MASK
    low = (a_low * b_low).sum(-1)
    middle = (a_high * b_low + a_low * b_high).sum(-1) + (low >> _PART)
    high = (a_high * b_high).sum(-1) + (middle >> _PART)
    return high, ((middle & _MASK) << _PART) | (low & _MASK)


def _sum_rounded_to_odd(a, b):
    """Return the sum as a double, with a sticky last bit."""
    high, low = _sum_of_products(a, b)
    minus = high < 0
    high, low = np.where(minus, ~high, high), np.where(minus, 2**40 - low, low)
    high, low = high + (low >> 40), low & (2**40 - 1)
    long = high >= 1 << 13
    size = np.where(long, high | (low != 0), (high % (1 << 13) << 40) + low)
    return np.ldexp(np.where(minus, -1.0, 1.0) * size, np.where(long, -8, -48))


def dot(a, b):
    x, y = _doubles(a), _doubles(b)
    with np.errstate(invalid="ignore"):
        terms = x * y
        special = terms.sum(-1)
    sums = _sum_rounded_to_odd(_units(x), _units(y))
    finite = (np.isfinite(x) & np.isfinite(y)).all(-1)
    nans = np.isnan(x) | np.isnan(y)
    invalid = _signalling(a, b) | (np.isnan(terms) & ~nans).any(-1)
    invalid |= np.isnan(special) & ~nans.any(-1)
    all_minus = (np.signbit(terms) & (terms == 0)).all(-1) & (a.shape[-1] > 0)
    all_plus = (~np.signbit(terms) & (terms == 0)).all(-1)

    def values(mode):
        minus = all_minus | (~all_plus & (mode == "rtn"))
        zero = np.where(minus, -0.0, 0.0)
        return np.where(finite, np.where(sums == 0, zero, sums), special)

    return _results(values, invalid)


def cross(a, b):
    """Each component is a dot product; a fourth is +0."""
    parts = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        minus_b = b ^ np.uint16(0x8000)
        parts.append(dot(a[:, [i, j]], np.stack([b[:, j], minus_b[:, i]], -1)))
    if a.shape[-1] == 4:
        nothing = np.zeros(len(a), np.uint16), np.zeros(len(a), np.int64)
        parts.append({mode: nothing for mode in MODES})
    return _join(parts)


def _join(parts):
    """Join components to rows, with the flags of any of them."""
    by_mode = {}
    for mode in MODES:
        bits, flags = zip(*(part[mode] for part in parts), strict=True)
        by_mode[mode] = np.stack(bits, -1), np.bitwise_or.reduce(flags)
    return by_mode


# ---------------------------------------------------------------- roots and ratios


def _lengths(x):
    """Return the lengths of rows of doubles; an infinity overrides a NaN."""
    units = _units(x)

    def sign_of_difference(i, root):
        squares = sum(u * u for u in units[i].tolist())
        return _sign((squares << 2) - root * root)

    with np.errstate(invalid="ignore"):
        approximate = np.sqrt((x * x).sum(-1))
    approximate[np.isinf(x).any(-1)] = np.inf
    return _correct_sides(approximate, sign_of_difference)


def length(a):
    return _results(_lengths(_doubles(a)), _signalling(a))


def distance(a, b):
    x, y = _doubles(a), _doubles(b)
    with np.errstate(invalid="ignore"):
        difference = x - y
    invalid = (np.isnan(difference) & ~np.isnan(x) & ~np.isnan(y)).any(-1)
    return _results(_lengths(difference), invalid | _signalling(a, b))


def _replace_beside_infinities(x):
    """In rows with infinities, replace these by 1 and finite components by 0."""
    ones = np.copysign(np.isinf(x).astype(np.float64), x)
    return np.where(np.isinf(x).any(-1, keepdims=True), ones, x)


def normalize(a):
    x = _doubles(a)
    nan = np.isnan(x).any(-1)
    x = np.where(nan[:, np.newaxis], 0, _replace_beside_infinities(np.where(np.isnan(x), 0, x)))
    units = _units(x)
    with np.errstate(invalid="ignore"):
        approximate = np.abs(x) / np.sqrt((x * x).sum(-1, keepdims=True))
    approximate[(x == 0).all(-1)] = 0
    width = a.shape[-1]

    @cache
    def squares(row):
        return sum(u * u for u in units[row].tolist())

    def sign_of_difference(i, ratio):
        row, k = divmod(i, width)
        return _sign((int(units[row, k]) << _PLACES) ** 2 - ratio * ratio * squares(row))

    values = _correct_sides(approximate.ravel(), sign_of_difference).reshape(x.shape)
    values = np.where(nan[:, np.newaxis], np.nan, np.copysign(values, x))
    results = _results(values, _signalling(a)[:, np.newaxis])
    return {mode: (bits, np.bitwise_or.reduce(f, -1)) for mode, (bits, f) in results.items()}


#: By name, with the number of operands.
FUNCTIONS = {
    "cross": (cross, 2),
    "dot": (dot, 2),
    "distance": (distance, 2),
    "length": (length, 1),
    "normalize": (normalize, 1),
}
