"""Exact statistics of halves, by Fractions and integers, without halfcl."""

from fractions import Fraction
from math import isqrt

import numpy as np

MODES = ("rte", "rtz", "rtp", "rtn")

#: Bits of the significand, the exponent of the smallest number, and that of the first overflow.
FORMATS = {"half": (11, -24, 16), "float32": (24, -149, 128), "float64": (53, -1074, 1024)}


def fractions(x):
    """Return finite halves as an object array of Fractions."""
    values = [Fraction(float(v)) for v in np.asarray(x).astype(np.float64).ravel()]
    values_as_fractions = np.empty(len(values), object)
    values_as_fractions[:] = values
    return values_as_fractions.reshape(np.shape(x))


def round_ratio(sign, significand, rest, unit, fmt, mode):
    """Round sign (significand + r) 2^unit to a format; 0 < r < 1 if rest, else r = 0."""
    precision, least, most = FORMATS[fmt]
    top = significand.bit_length() - 1 + unit
    place = max(top - precision + 1, least)
    kept, cut = divmod(significand << max(unit - place, 0), 1 << max(place - unit, 0))
    half = Fraction(1 << max(place - unit, 0), 2)
    inexact = cut != 0 or rest
    above = cut > half or (cut == half and rest)
    up = {
        "rte": above or (cut == half and not rest and inexact and kept & 1),
        "rtz": False,
        "rtp": inexact and sign > 0,
        "rtn": inexact and sign < 0,
    }[mode]
    size = (kept + bool(up)) * Fraction(2) ** place
    if size >= Fraction(2) ** most:
        away = mode == "rte" or ((mode == "rtp") == (sign > 0) and mode != "rtz")
        largest = (Fraction(2) ** precision - 1) * Fraction(2) ** (most - precision)
        return sign * (float("inf") if away else float(largest))
    return sign * float(size)


def round_to(value, fmt, mode):
    """Round a Fraction to a format; zeros have no sign."""
    if value == 0:
        return 0.0
    sign, size = (1, value) if value > 0 else (-1, -value)
    shift = 200
    significand, rest = divmod(size.numerator << shift, size.denominator)
    return round_ratio(sign, significand, rest != 0, -shift, fmt, mode)


def round_root(value, fmt, mode):
    """Return the round_to square root of a Fraction in a format."""
    if value == 0:
        return 0.0
    shift = 400
    whole, rest = divmod(value.numerator << shift, value.denominator)
    root = isqrt(whole)
    return round_ratio(1, root, rest != 0 or root * root != whole, -shift // 2, fmt, mode)


def variance(values, ddof=0):
    n = len(values)
    mean = sum(values, Fraction(0)) / n
    return sum(((v - mean) ** 2 for v in values), Fraction(0)) / (n - ddof)


def statistic(name, values, fmt, mode, ddof=0):
    """Return a statistic of a list of Fractions, at least one."""
    if name == "sum":
        return round_to(sum(values, Fraction(0)), fmt, mode)
    if name == "mean":
        return round_to(sum(values, Fraction(0)) / len(values), fmt, mode)
    if name == "sumsq":
        return round_to(sum((v * v for v in values), Fraction(0)), fmt, mode)
    if name == "norm":
        return round_root(sum((v * v for v in values), Fraction(0)), fmt, mode)
    if name == "var":
        return round_to(variance(values, ddof), fmt, mode)
    return round_root(variance(values, ddof), fmt, mode)
