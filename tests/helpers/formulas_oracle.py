"""The formulas of bench/formulas.py on boxes, and what they are at points inside, from MPFR."""

import sys

import gmpy2
import numpy as np
from places import ROOT

import halfcl as hc
from halfcl.interval import Interval

sys.path.insert(0, str(ROOT / "bench"))

import formulas
from mpfr_numbers import outside, values

ROWS = [(kind, i, *row) for kind, rows in formulas.KINDS.items() for i, row in enumerate(rows)]
#: The number of bits of values that are compared with bounds.
_BITS = 150
NAMES = [f"{kind.split()[0]}{i}" for kind, i, *_ in ROWS]


_OF_ONE = (
    np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log1p, np.sin, np.cos, np.tan, np.sinh,
    np.cosh, np.tanh, np.arcsin, np.arccos, np.arctan, np.arcsinh, np.arctanh, np.absolute,
    np.floor, np.negative, lambda x: x * x, lambda x: 1 / x, lambda x: x**3, lambda x: x**-2,
)  # fmt: skip
_OF_TWO = (*(np.add, np.subtract, np.multiply) * 3, np.divide, np.hypot)


def random_formula(rng, variables, depth):
    """Return a random formula of some variables: a tree of functions.

    None of the functions hides an undefined argument, as minimum and powers do in MPFR.
    """
    if depth == 0 or rng.random() < 0.1:
        constant = rng.choice([0.5, 1, 2, -1, 3, 0.1, -0.25])
        if rng.random() < 0.25:
            return lambda *x: x[0] * 0 + constant
        place = rng.integers(variables)
        return lambda *x: x[place]
    if rng.random() < 0.45:
        function = _OF_ONE[rng.integers(len(_OF_ONE))]
        inner = random_formula(rng, variables, depth - 1)
        return lambda *x: function(inner(*x))
    function = _OF_TWO[rng.integers(len(_OF_TWO))]
    one, other = (random_formula(rng, variables, depth - 1) for _ in range(2))
    return lambda *x: function(one(*x), other(*x))


def boxes(rng, domains, count):
    """Boxes inside domains, of many widths; the first is all of it."""
    intervals = []
    for low, high in domains:
        width = (high - low) * 2.0 ** -rng.integers(0, 12, count)
        below = low + (high - low - width) * rng.uniform(0, 1, count)
        width[0], below[0] = high - low, low
        lower = below.astype(np.float16)
        upper = np.maximum((below + width).astype(np.float16), lower)
        intervals.append(Interval(lower, np.minimum(upper, np.float16(high))))
    return tuple(intervals)


def points(rng, arguments, count):
    """Corners, middles and random points of boxes, doubles: for each variable (boxes, points)."""
    points = []
    for x in arguments:
        low, high = (hc.convert_double(v)[:, None] for v in (x.inf, x.sup))
        at = rng.uniform(0, 1, (len(low), count))
        at[:, :4] = rng.integers(0, 2, (len(low), min(4, count)))
        at[:, 4:5] = 0.5
        points.append(np.clip(low + (high - low) * at, low, high))
    return points


def count_missed(result, f, places):
    """Return the number of exact values outside of intervals, one per row of places.

    Values are rounded to fewer bits than they have, so that sin^2 x + cos^2 x is 1.
    """
    exact = values(f, places)
    exact = np.array([gmpy2.mpfr(y, _BITS) for y in exact.flat], object).reshape(exact.shape)
    low, high = (
        np.broadcast_to(hc.convert_double(v)[:, None], exact.shape)
        for v in (result.inf, result.sup)
    )
    return int(outside(low, high, exact).sum())
