"""The results and flags of IEEE 754 in every mode, from MPFR or from doubles.

The doubles hold all that rounding depends on.

Nothing here is shared with halfcl. Halves are uint16 arrays of their bits.
"""

from fractions import Fraction

import gmpy2
import numpy as np
from kept import cache_in_folder

INVALID, DIVBYZERO, OVERFLOW, UNDERFLOW = 1, 2, 4, 8

QUIET_NAN = 0x7E00
INF = 0x7C00
SMALLEST_NORMAL = 2.0**-14

_DIRECTIONS = {
    "rte": gmpy2.RoundToNearest,
    "rtz": gmpy2.RoundToZero,
    "rtp": gmpy2.RoundUp,
    "rtn": gmpy2.RoundDown,
}
MODES = tuple(_DIRECTIONS)


def _half_context(direction):
    context = gmpy2.ieee(16)
    context.round = direction
    return context


_HALF = {mode: _half_context(direction) for mode, direction in _DIRECTIONS.items()}
_UNBOUNDED = gmpy2.context(precision=11, round=gmpy2.RoundToZero)  # half without its exponent range

#: Every half as an MPFR number, by its bits.
MPFR = [gmpy2.mpfr(float(x)) for x in np.arange(1 << 16, dtype=np.uint16).view(np.float16)]


def to_bits(values):
    """Return the bits of floats that are halves; all NaNs get the same bits."""
    with np.errstate(all="ignore"):
        bits = values.astype(np.float16).view(np.uint16)
    bits[np.isnan(values)] = QUIET_NAN
    return bits


def round_by_mpfr(method, columns):
    """Apply a method of MPFR contexts to columns of operands: {mode: (bits, flags)}.

    Inexact results are those that rounding up and rounding down tell apart, tiny ones those
    that truncation leaves below the normal numbers: both tests are exact.
    """
    n = len(columns[0])

    def apply(context):
        return np.fromiter(map(getattr(context, method), *columns), np.float64, n)

    values = {mode: apply(context) for mode, context in _HALF.items()}
    inexact = values["rtp"] > values["rtn"]
    underflow = inexact & (np.abs(values["rtz"]) < SMALLEST_NORMAL)
    beyond = inexact & (np.abs(apply(_UNBOUNDED)) >= 2.0**16)
    return {
        mode: (
            to_bits(value),
            np.where(underflow, UNDERFLOW, 0)
            | np.where(beyond | (inexact & np.isinf(value)), OVERFLOW, 0),
        )
        for mode, value in values.items()
    }


# ---------------------------------------------------------------- from doubles to half

#: Whether the magnitude goes up, by the part cut off, whether the rest is odd, and the sign.
_INCREMENTS = {
    "rte": lambda cut, odd, negative: (cut > 0.5) | ((cut == 0.5) & odd),
    "rtz": lambda cut, odd, negative: np.zeros_like(odd),
    "rtp": lambda cut, odd, negative: (cut > 0) & ~negative,
    "rtn": lambda cut, odd, negative: (cut > 0) & negative,
}


def round_doubles(values):
    """Doubles, exact or rounded to odd, as {mode: (bits, flags)}. Infinities are exact."""
    negative = np.signbit(values)
    finite = np.where(np.isfinite(values), np.abs(values), 0)
    place = np.maximum(np.frexp(finite)[1] - 11, -24)  # exponent of the last of half's bits
    scaled = np.ldexp(finite, -place)
    whole = np.floor(scaled)
    cut = scaled - whole
    underflow = (cut > 0) & (finite < SMALLEST_NORMAL)
    to_infinity = {"rte": True, "rtz": False, "rtp": ~negative, "rtn": negative}
    results = {}
    for mode in MODES:
        rounded = whole + _INCREMENTS[mode](cut, whole % 2 == 1, negative)
        with np.errstate(over="ignore"):
            magnitude = np.ldexp(rounded, place)
        overflow = magnitude >= 65536
        magnitude = np.where(overflow, np.where(to_infinity[mode], np.inf, 65504), magnitude)
        magnitude = np.where(np.isfinite(values), magnitude, np.abs(values))
        flags = UNDERFLOW * underflow + OVERFLOW * overflow
        results[mode] = to_bits(np.copysign(magnitude, values)), flags
    return results


# ---------------------------------------------------------------- operations


def _fma(x, y, z):
    """Return the sum rounded to odd: the product, and the error of the sum, are exact doubles."""
    product = x * y
    total = product + z
    virtual = total - product
    lost = (product - (total - virtual)) + (z - virtual)
    even = np.isfinite(total) & (lost != 0) & (total.view(np.int64) & 1 == 0)
    toward = np.where(lost > 0, np.inf, -np.inf)
    return np.where(even, np.nextafter(total, toward), total)


#: As doubles that round as the exact result. Sums and products of halves are exact as doubles. A
#: quotient or root of 11 bits is exact, too, where it has 12 bits or fewer; else it is far from
#: those that have, where half rounds, in double's terms. MPFR's results of some: test_oracle.py.
_IN_DOUBLE = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "sqrt": np.sqrt,
    "fma": _fma,
}
#: Signs that turn every term of a sum over. One that cancels is -0 in rtn, as the sum of the
#: opposite terms is +0 in rte.
_MIRRORED = {"add": (-1, -1), "subtract": (-1, -1), "fma": (-1, 1, -1)}


def _doubles(bits):
    with np.errstate(invalid="ignore"):
        return bits.view(np.float16).astype(np.float64)


def is_nan(bits):
    return (bits & 0x7FFF) > INF


def is_signalling(bits):
    return is_nan(bits) & ((bits & 0x0200) == 0)


def is_invalid(operands, result):
    """IEEE 754, 7.2: a signalling operand, or a NaN out of numbers."""
    from_numbers = is_nan(result)
    for bits in operands:
        from_numbers &= ~is_nan(bits)
    return from_numbers | np.logical_or.reduce([is_signalling(bits) for bits in operands])


@cache_in_folder
def evaluate(name, *operands):
    """Apply the operation to halves; return {mode: (bits, flags)}."""
    if name == "square":
        return evaluate("multiply", operands[0], operands[0])
    if name == "reciprocal":
        return evaluate("divide", np.full_like(operands[0], 0x3C00), operands[0])
    with np.errstate(all="ignore"):
        columns = [_doubles(bits) for bits in operands]
        values = _IN_DOUBLE[name](*columns)
        results = round_doubles(values)
        if name in _MIRRORED:
            signs = _MIRRORED[name]
            mirrored = _IN_DOUBLE[name](*map(np.multiply, columns, signs))
            results["rtn"][0][values == 0] = to_bits(-mirrored)[values == 0]
    invalid = is_invalid(operands, results["rte"][0])
    pole = np.zeros_like(invalid)
    if name == "divide":
        x, y = (bits & 0x7FFF for bits in operands)
        pole = (y == 0) & (x != 0) & (x < INF)
    return {
        # An infinity out of a division by zero is exact.
        mode: (bits, np.where(invalid, INVALID, np.where(pole, DIVBYZERO, flags)).astype(np.uint8))
        for mode, (bits, flags) in results.items()
    }


def round_to_half(values):
    """Exact numbers (int, float, Fraction) rounded to half, as {mode: (bits, flags)}."""
    ratios = [_as_ratio(value) for value in values]
    return round_by_mpfr("div", list(zip(*ratios, strict=True)))


def _as_ratio(value):
    """Two numbers that MPFR takes exactly, and whose quotient is the value."""
    if isinstance(value, float):
        return gmpy2.mpfr(value, 53), 1
    exact = Fraction(value)
    return gmpy2.mpz(exact.numerator), gmpy2.mpz(exact.denominator)


def same(got, want):
    """Return where result bits agree: equal, or any quiet NaN for a NaN."""
    got = np.asarray(got).view(np.uint16)
    return (got == want) | (is_nan(want) & is_nan(got) & ~is_signalling(got))


_ERRORS = {"invalid value": INVALID, "divide by zero": DIVBYZERO}
_ERRORS |= {"overflow": OVERFLOW, "underflow": UNDERFLOW}


class Watch:
    """Collects the floating-point errors that NumPy reports, while its block runs."""

    def __init__(self):
        self._seen = 0
        self._errstate = np.errstate(all="call", call=self._note)

    def _note(self, error, _):
        self._seen |= _ERRORS[error]

    def take(self):
        """Return the flags raised since the last call."""
        seen, self._seen = self._seen, 0
        return seen

    def __enter__(self):
        self._errstate.__enter__()
        return self

    def __exit__(self, *exception):
        self._errstate.__exit__(*exception)
