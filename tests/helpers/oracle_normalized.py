"""Normalised integers and halves, each from the other, by integers alone."""

import numpy as np

UNIT = 1 << 24  # of which all halves are multiples

#: The halves from 0 to 1 by their bits, in units.
MULTIPLES = (np.arange(0x3C01, dtype=np.uint16).view(np.float16).astype(float) * UNIT).astype(int)


def half_of(numerator, denominator, mode):
    """Round a fraction from -1 to 1 to the bits of a half, by integers alone."""
    negative = numerator < 0
    size = np.abs(numerator)
    below = np.searchsorted(MULTIPLES * denominator, size * UNIT, "right") - 1
    above = np.minimum(below + 1, len(MULTIPLES) - 1)
    exact = MULTIPLES[below] * denominator == size * UNIT
    twice = 2 * size * UNIT - (MULTIPLES[below] + MULTIPLES[above]) * denominator
    up = {
        "rte": (twice > 0) | ((twice == 0) & (below % 2 == 1)),
        "rtz": np.zeros(size.shape, bool),
        "rtp": ~negative,
        "rtn": negative,
    }[mode]
    return np.where(up & ~exact, above, below).astype(np.uint16) | np.uint16(0x8000) * negative


def code_of(multiple, greatest, mode):
    """multiple / UNIT * greatest, rounded to an integer."""
    floor, rest = np.divmod(multiple * greatest, UNIT)
    up = {
        "rte": (2 * rest > UNIT) | ((2 * rest == UNIT) & (floor % 2 == 1)),
        "rtz": (floor < 0) & (rest > 0),
        "rtp": rest > 0,
        "rtn": np.zeros(floor.shape, bool),
    }[mode]
    return floor + up
