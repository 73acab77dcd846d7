"""Quotients and roots in double, rounded to odd.

A number that is rounded to odd is truncated, with its last bit set if the exact number has any
more bits set. It lies on the same side of every shorter number as the exact one, so that both
round to the same half in every mode.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

#: Bits of an integer quotient: more than half's 11, less than a double's 53.
_BITS = 50
#: The factor that splits a double into two of 26 bits, whose products are exact (Dekker, Veltkamp).
_SPLITTER = 2.0**27 + 1
#: The largest exponent to which results are clamped: far beyond half's range, above and below.
_LARGEST_EXPONENT = 900


def error_of_product(x: Doubles, y: Doubles, product: Doubles) -> Doubles:
    """Return x y minus the rounded product, exactly unless exponents are extreme."""
    x_high, y_high = x * _SPLITTER, y * _SPLITTER
    x_high, y_high = x_high - (x_high - x), y_high - (y_high - y)
    x_low, y_low = x - x_high, y - y_high
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _set_last_bit(doubles: Doubles, rest: Doubles) -> Doubles:
    """Round to odd: move an inexact double with an even last bit by one ulp towards the rest."""
    is_even = doubles.view(np.int64) & 1 == 0
    moved = np.nextafter(doubles, np.copysign(np.inf, rest))
    return np.where((rest != 0) & is_even & np.isfinite(doubles), moved, doubles)


def divide_to_odd(x: Doubles, y: Doubles) -> Doubles:
    """Return quotients of doubles, rounded to odd."""
    with np.errstate(all="ignore"):
        x, y = np.broadcast_arrays(x, y)
        quotient = np.asarray(x / y)
        product = quotient * y
        rest = ((x - product) - error_of_product(quotient, y, product)) * np.sign(y)
        return _set_last_bit(quotient, np.where(np.isfinite(rest), rest, 0.0))


def root_to_odd(x: Doubles) -> Doubles:
    """Return square roots, rounded to odd, of doubles that are exact or rounded to odd."""
    with np.errstate(all="ignore"):
        root = np.asarray(np.sqrt(x))
        square = root * root
        rest = (x - square) - error_of_product(root, root, square)
        return _set_last_bit(root, np.where(np.isfinite(rest), rest, 0.0))


def ratio_to_odd(numerator: int, denominator: int, unit: int, *, root: bool = False) -> float:
    """Return the quotient times 2^unit, or its square root, rounded to odd."""
    if numerator == 0:
        return 0.0
    size = abs(numerator)
    places = 2 * _BITS + 4 if root else _BITS + 2
    shift = max(0, places - size.bit_length() + denominator.bit_length())
    shift += (unit - shift) % 2 if root else 0  # so that the root of 2^(unit - shift) is exact
    whole, rest = divmod(size << shift, denominator)
    exponent = unit - shift
    if root:
        square = whole
        whole, exponent = math.isqrt(square), exponent // 2
        rest = rest or square - whole * whole
    excess = max(0, whole.bit_length() - _BITS)
    odd = (whole >> excess) | bool(rest or whole & ((1 << excess) - 1))
    bound = _LARGEST_EXPONENT
    double = math.ldexp(odd, min(max(exponent + excess, -bound), bound))
    return double if numerator > 0 else -double
