"""Exact ranges of intervals by rationals, rounded outward by search among halves.

Shares no code with halfcl. An interval is None, the empty set, or a pair of rationals (GMP's,
ten times as fast as Fractions) or infinities.
"""

import itertools
import math
from bisect import bisect_left, bisect_right

import numpy as np
from gmpy2 import mpq

INF = math.inf
_BITS = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
HALVES = sorted({float(x) for x in _BITS[np.isfinite(_BITS)]})  # -0 and 0 are one


def down(x):
    """Return the greatest half, or -inf, that is not above."""
    if x in (INF, -INF):
        return float(x)
    at = bisect_right(HALVES, x)
    return HALVES[at - 1] if at else -INF


def up(x):
    """Return the least half, or inf, that is not below."""
    if x in (INF, -INF):
        return float(x)
    at = bisect_left(HALVES, x)
    return HALVES[at] if at < len(HALVES) else INF


def outward(x):
    return None if x is None else (down(x[0]), up(x[1]))


def exact(low, high):
    """Return the interval of two floats."""
    if math.isnan(low):
        return None
    return tuple(float(x) if math.isinf(x) else mpq(x) for x in (low, high))


def strict(function):
    """Empty, where an argument is."""

    def call(*intervals):
        return None if None in intervals else function(*intervals)

    return call


def times(x, y):
    return mpq(0) if x == 0 or y == 0 else x * y


def neg(x):
    return -x[1], -x[0]


def add(x, y):
    return x[0] + y[0], x[1] + y[1]


def sub(x, y):
    return add(x, neg(y))


def mul(x, y):
    corners = [times(a, b) for a in x for b in y]
    return min(corners), max(corners)


def inverse(x):
    """1 / x as an ordered list of intervals."""
    pieces = []
    if x[0] < 0:
        pieces.append((-INF if x[1] >= 0 else 1 / x[1], 0 if x[0] == -INF else 1 / x[0]))
    if x[1] > 0:
        pieces.append((0 if x[1] == INF else 1 / x[1], INF if x[0] <= 0 else 1 / x[0]))
    return pieces


def union(pieces):
    return (min(p[0] for p in pieces), max(p[1] for p in pieces)) if pieces else None


def div(x, y):
    return union([mul(x, piece) for piece in inverse(y)])


def recip(x):
    return union(inverse(x))


def magnitudes(x):
    low = 0 if x[0] <= 0 <= x[1] else min(abs(x[0]), abs(x[1]))
    return low, max(abs(x[0]), abs(x[1]))


def sqr(x):
    low, high = magnitudes(x)
    return low * low, high * high


def fma(x, y, z):
    return add(mul(x, y), z)


def cancel_minus(x, y):
    both = [v for v in (x, y) if v is not None]
    if any(INF in v or -INF in v for v in both):
        return -INF, INF
    if x is None:
        return None
    if y is None or x[1] - x[0] < y[1] - y[0]:
        return -INF, INF
    return x[0] - y[0], x[1] - y[1]


def cancel_plus(x, y):
    return cancel_minus(x, None if y is None else neg(y))


def monotone(function):
    return lambda x: tuple(v if math.isinf(v) else function(v) for v in x)


def half_away(x):
    return math.copysign(1, x) * math.floor(abs(x) + mpq(1, 2))


_POSITIVE = [h for h in HALVES if h >= 0]
_SQUARES = [h * h for h in _POSITIVE]  # exact: 22 bits


def sqrt(x):
    """Return the tightest halves themselves."""
    if x[1] < 0:
        return None
    below = _POSITIVE[bisect_right(_SQUARES, max(x[0], 0)) - 1]
    return below, INF if x[1] == INF else _POSITIVE[bisect_left(_SQUARES, x[1])]


def mul_rev_to_pair(y, z):
    if None in (y, z):
        return None, None
    if y[0] <= 0 <= y[1] and z[0] <= 0 <= z[1]:
        return (-INF, INF), None
    pieces = [mul(z, piece) for piece in inverse(y)]
    if not pieces:
        return None, None
    if len(pieces) == 1:
        return pieces[0], None
    return tuple(sorted(pieces))


def range_at_corners(function):
    """Make the range of a function that is linear in each argument: at the corners of a box.

    If unbounded, it is that of a large box, or unbounded where a larger box has a wider range.
    """

    def call(*intervals):
        ranges = []
        for far in (1 << 200, 1 << 201):
            ends = [[max(-far, min(far, v)) for v in x] for x in intervals]
            values = [function(*corner) for corner in itertools.product(*ends)]
            ranges.append((min(values), max(values)))
        (low, high), (lower, higher) = ranges
        return low if low == lower else -INF, high if high == higher else INF

    return call


#: By name: how many arguments, and the exact range.
OPERATIONS = {
    "neg": (1, strict(neg)),
    "add": (2, strict(add)),
    "sub": (2, strict(sub)),
    "mul": (2, strict(mul)),
    "div": (2, strict(div)),
    "recip": (1, strict(recip)),
    "sqr": (1, strict(sqr)),
    "sqrt": (1, strict(sqrt)),
    "fma": (3, strict(fma)),
    "abs": (1, strict(magnitudes)),
    "min": (2, strict(lambda x, y: (min(x[0], y[0]), min(x[1], y[1])))),
    "max": (2, strict(lambda x, y: (max(x[0], y[0]), max(x[1], y[1])))),
    "sign": (1, strict(lambda x: tuple((v > 0) - (v < 0) for v in x))),
    "ceil": (1, strict(monotone(math.ceil))),
    "floor": (1, strict(monotone(math.floor))),
    "trunc": (1, strict(monotone(math.trunc))),
    "round_ties_to_even": (1, strict(monotone(round))),
    "round_ties_to_away": (1, strict(monotone(half_away))),
    "cancel_minus": (2, cancel_minus),
    "cancel_plus": (2, cancel_plus),
    "clamp": (3, strict(lambda *v: tuple(min(max(x, a), b) for x, a, b in zip(*v, strict=True)))),
    "step": (2, strict(lambda edge, x: (int(x[0] >= edge[1]), int(x[1] >= edge[0])))),
    "fdim": (2, strict(lambda x, y: tuple(max(v, 0) for v in sub(x, y)))),
    "mix": (3, strict(range_at_corners(lambda x, y, a: x + (y - x) * a))),
}


# ---------------------------------------------------------------- samples

_ORDINARY = [0.0, -0.0, 1, -1, 0.5, -1.5, 2.5, 3, 1 + 2.0**-10, 2048, -1023.5]
_LIMITS = [65504, -65504, np.inf, -np.inf, 2.0**-24, -(2.0**-24), 2.0**-14, 1023 * 2.0**-24]
_SPECIAL = np.array([*_ORDINARY, *_LIMITS])


def _numbers(rng, n):
    """Halves as floats: of all bits alike, of ordinary sizes, and special ones."""
    with np.errstate(invalid="ignore"):  # of signaling NaNs on Arm, by the processor's conversion
        bits = rng.integers(0, 1 << 16, n).astype(np.uint16).view(np.float16).astype(float)
    ordinary = (rng.normal(size=n) * 4).astype(np.float16).astype(float)
    kind = rng.integers(0, 3, n)
    bounds = np.choose(kind, [bits, ordinary, rng.choice(_SPECIAL, n)])
    return np.where(np.isnan(bounds), 1.0, bounds)


def samples(rng, n):
    """Bounds as two float arrays: intervals of every kind, a tenth of them points, some empty."""
    a, b = _numbers(rng, n), _numbers(rng, n)
    b = np.where(rng.random(n) < 0.1, a, b)
    near = np.minimum(np.abs(a) * (1 + rng.random(n) / 64), 65504)
    near = near.astype(np.float16).astype(float)
    b = np.where(rng.random(n) < 0.1, np.copysign(near, a), b)
    low, high = np.minimum(a, b), np.maximum(a, b)
    low = np.where(low == INF, 65504.0, low)
    high = np.where(high == -INF, -65504.0, high)
    empty = rng.random(n) < 0.03
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
