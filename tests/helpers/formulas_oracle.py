"""The formulas of bench/formulas.py on boxes, and what they are at points inside, from MPFR."""

import sys

import numpy as np
from places import ROOT

import halfcl as hc
from halfcl.interval import Interval

sys.path.insert(0, str(ROOT / "bench"))

import formulas
from mpfr_numbers import outside, values

ROWS = [(kind, i, *row) for kind, rows in formulas.KINDS.items() for i, row in enumerate(rows)]
NAMES = [f"{kind.split()[0]}{i}" for kind, i, *_ in ROWS]


def boxes(rng, domains, count):
    """Boxes inside domains, of many widths; the first is all of it."""
    found = []
    for low, high in domains:
        width = (high - low) * 2.0 ** -rng.integers(0, 12, count)
        below = low + (high - low - width) * rng.uniform(0, 1, count)
        width[0], below[0] = high - low, low
        lower = below.astype(np.float16)
        upper = np.maximum((below + width).astype(np.float16), lower)
        found.append(Interval(lower, np.minimum(upper, np.float16(high))))
    return tuple(found)


def points(rng, arguments, count):
    """Corners, middles and random points of boxes, doubles: for each variable (boxes, points)."""
    found = []
    for x in arguments:
        low, high = (hc.convert_double(v)[:, None] for v in (x.inf, x.sup))
        at = rng.uniform(0, 1, (len(low), count))
        at[:, :4] = rng.integers(0, 2, (len(low), min(4, count)))
        at[:, 4:5] = 0.5
        found.append(np.clip(low + (high - low) * at, low, high))
    return found


def missed(result, f, places):
    """How many exact values are outside of intervals, one for each row of places."""
    exact = values(f, places)
    low, high = (
        np.broadcast_to(hc.convert_double(v)[:, None], exact.shape)
        for v in (result.inf, result.sup)
    )
    return int(outside(low, high, exact).sum())
