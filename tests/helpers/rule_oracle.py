"""Exact results of sums, means, deviations and products as ratios of integers; nothing is halfcl's.

Numbers are integers in units of 2^-UNIT. A result is a `Ratio`, which `round_ratio_to` rounds once
to a format in one of four modes.
"""

from dataclasses import dataclass, replace
from math import isqrt, nan

import numpy as np
from reductions_oracle import round_ratio

#: All numbers that are drawn are multiples of 2^-UNIT; halves are multiples of 2^-24.
UNIT = 60
#: Bits of a quotient or root before it is rounded; what is cut off is remembered.
BITS = 80
#: Bits of a product that are kept, of so many that others change no bound.
PRODUCT_BITS = 500


@dataclass(frozen=True)
class Ratio:
    """A number, numerator / denominator 2^exponent or its square root, within a relative bound."""

    numerator: int
    denominator: int = 1
    exponent: int = -UNIT
    root: bool = False
    #: -0 instead of +0, or None where the sign of a zero is left open.
    negative_zero: bool | None = None
    #: A result may be off by this part of itself before it is rounded.
    error: float | None = None

    def without_sign(self):
        """Return the same with either zero."""
        return replace(self, negative_zero=None)


def integers(values):
    """Return finite numbers as Python's integers in units of 2^-UNIT."""
    return list(map(int, np.ldexp(np.asarray(values, np.float64), UNIT).tolist()))


def round_ratio_to(ratio, fmt, mode):
    """Round a ratio once to a format, as a double."""
    numerator, exponent = abs(ratio.numerator), ratio.exponent
    if numerator == 0:
        return -0.0 if ratio.negative_zero else 0.0
    shift = BITS * (2 if ratio.root else 1) + ratio.denominator.bit_length()
    shift = max(0, shift - numerator.bit_length())
    shift += (exponent - shift) % 2 if ratio.root else 0
    significand, rest = divmod(numerator << shift, ratio.denominator)
    exponent -= shift
    if ratio.root:
        square, exponent = significand, exponent // 2
        significand = isqrt(square)
        rest = rest or square - significand * significand
    sign = 1 if ratio.numerator > 0 else -1
    return round_ratio(sign, significand, rest != 0, exponent, fmt, mode)


def possible(ratio, fmt, mode):
    """Return the least and the largest result: they are equal where a page promises exact ones."""
    if ratio.error is None:
        return (round_ratio_to(ratio, fmt, mode),) * 2
    # The bound as a ratio with 2^20 for its denominator's odd part, rounded up.
    scale = 1 << 128
    off = int(ratio.error * scale) + 1
    ends = [
        round_ratio_to(
            Ratio(
                ratio.numerator * (scale + side * off), ratio.denominator * scale, ratio.exponent,
                ratio.root, ratio.negative_zero,
            ), fmt, mode,
        ) for side in (-1, 1)
    ]  # fmt: skip
    return min(ends), max(ends)


# ---------------------------------------------------------------- of a line of numbers


def zero_is_negative(values, mode, start):
    """Return whether a zero sum is -0: of terms that are all -0, and rounding down of any that is.

    start: whether the sum starts from +0, as NumPy's do, except rounding down.
    """
    negative = np.signbit(values)
    if mode == "rtn":
        return bool(negative.any())
    return bool(len(values) and negative.all()) and not start


def total(values, mode="rte", start=True):
    """Return the sum of a line."""
    numbers = integers(values)
    return Ratio(sum(numbers), negative_zero=zero_is_negative(values, mode, start))


def mean(values, mode="rte"):
    """Return the mean of a line, or NaN of none."""
    if not len(values):
        return nan
    zero = zero_is_negative(values, mode, False)
    return Ratio(sum(integers(values)), len(values), negative_zero=zero)


def variance(values, ddof, root):
    """Return the variance or deviation of a line; None where its divisor is not positive."""
    n, numbers = len(values), integers(values)
    if n <= ddof:
        return nan if n == 0 else None
    spread = n * sum(x * x for x in numbers) - sum(numbers) ** 2
    return Ratio(spread, n * (n - ddof), -2 * UNIT, root)


def norm(values):
    """Return the root of the sum of squares."""
    return Ratio(sum(x * x for x in integers(values)), 1, -2 * UNIT, True)


def product(values, error_bits=None):
    """Return the product of a line, within a relative error for each number, far above 2^-500."""
    result, places = 1, 0
    for x in integers(values):
        result *= x
        excess = result.bit_length() - 2 * PRODUCT_BITS
        if excess > 0:
            result >>= excess
            places += excess
    negative = np.count_nonzero(np.signbit(values)) % 2 == 1
    error = None if error_bits is None else len(values) * 2.0**-error_bits
    return Ratio(result, 1, places - UNIT * len(values), False, negative, error)


def weighted_mean(values, weights):
    """Return the mean of a line with weights; None where these sum to 0."""
    first, second = integers(values), integers(weights)
    whole = sum(second)
    if whole == 0:
        return None
    products = sum(x * y for x, y in zip(first, second, strict=True))
    sign = 1 if whole > 0 else -1
    return Ratio(sign * products, abs(whole), -UNIT)


def trapezoid(values, distances):
    """Return the integral of a line by its values, and distances of one fewer."""
    numbers, steps = integers(values), integers(distances)
    pairs = zip(numbers, numbers[1:], steps, strict=False)
    return Ratio(sum((x + y) * d for x, y, d in pairs), 2, -2 * UNIT)


def between(values, place_numerator, place_denominator):
    """Return the number at a place among the sorted ones, between two of them in proportion."""
    numbers = sorted(integers(values))
    whole, rest = divmod(place_numerator, place_denominator)
    low, high = numbers[whole], numbers[min(whole + 1, len(numbers) - 1)]
    return Ratio(low * (place_denominator - rest) + high * rest, place_denominator)


# ---------------------------------------------------------------- of products


def bilinear(function, a, b):
    """Return what a function that multiplies and adds makes of finite halves, as integers.

    The unit is 2^-48. A half is an integer below 2^40 in units of 2^-24, here in two parts of 20
    bits, so that int64 holds sums of products of parts.
    """
    parts = []
    for x in (a, b):
        whole = np.ldexp(np.asarray(x, np.float64), 24).astype(np.int64)
        size, sign = np.abs(whole), np.sign(whole)
        parts.append((sign * (size >> 20), sign * (size & ((1 << 20) - 1))))
    (high, low), (other_high, other_low) = parts

    def of(x, y):
        return np.asarray(function(x, y)).astype(object)

    middle = of(high, other_low) + of(low, other_high)
    results = of(high, other_high) * 2**40 + middle * 2**20 + of(low, other_low)
    return np.asarray(results, object)  # which is a number without axes


def special_bilinear(function, a, b):
    """Return infinities and NaNs as sums of products have them, and 0 where all are finite."""
    if np.isfinite(a).all() and np.isfinite(b).all():
        return np.zeros(np.shape(function(a, b)))

    def count(x, y):
        return np.asarray(function(x.astype(np.int64), y.astype(np.int64)))

    def of_sign(x, sign):
        return np.isinf(x) & (x * sign > 0), np.isfinite(x) & (x * sign > 0)

    def infinite(sign):
        total = 0
        for one in (1, -1):
            (large, usual), (other_large, other_usual) = of_sign(a, one), of_sign(b, sign * one)
            total = total + count(large, other_large | other_usual) + count(usual, other_large)
        return total

    every, other = np.ones(a.shape, bool), np.ones(b.shape, bool)
    invalid = count(np.isnan(a), other) + count(every, np.isnan(b))
    invalid = invalid + count(np.isinf(a), b == 0) + count(a == 0, np.isinf(b))
    positive, negative = infinite(1), infinite(-1)
    one = np.where(positive > 0, np.inf, np.where(negative > 0, -np.inf, 0))
    return np.where((invalid > 0) | ((positive > 0) & (negative > 0)), nan, one)
