"""The oracle of ranges of functions on intervals, from MPFR; and samples of intervals.

It shares no code with halfcl. Halves are uint16 arrays of their bits; bounds are doubles, NaN for
an empty interval.
"""

import functools

import gmpy2
import numpy as np
import oracle_functions
from real_functions import FALLING, RISING
from samples import value

INF, NAN = np.inf, np.nan
BITS = np.arange(1 << 16, dtype=np.uint16)
VALUES = value(BITS)

DOWN, UP = gmpy2.ieee(16), gmpy2.ieee(16)
DOWN.round, UP.round = gmpy2.RoundDown, gmpy2.RoundUp
EXACT = gmpy2.context(precision=300)


# ---------------------------------------------------------------- intervals


def pool(rng, size):
    """Return bits of halves of every kind, numbers and infinities, in ascending order."""
    special = value(np.array([0, 1, 2, 0x3FF, 0x400, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7C00]))
    halves = [2.0 ** np.arange(-24, 16), np.arange(17.0), np.arange(17.0) + 0.5, special]
    halves += [_around_multiples(np.pi / 2, 40)]
    halves = np.unique(np.concatenate(halves).astype(np.float16).view(np.uint16))
    random = rng.permutation(0x7C00)[: max(0, size // 2 - halves.size)].astype(np.uint16)
    magnitudes = np.union1d(halves, random)
    negative = magnitudes[::-1] | np.uint16(0x8000)
    return np.concatenate([negative, magnitudes])


def _around_multiples(step, count):
    """Return the halves on either side of small and large multiples of a step."""
    multiples = step * np.concatenate([np.arange(1, count), np.geomspace(count, 40_000, 40)])
    nearest = multiples.astype(np.float16)
    return np.concatenate([nearest, np.nextafter(nearest, np.float16(0)),
                           np.nextafter(nearest, np.float16(INF))]).astype(np.float64)  # fmt: skip


def intervals(rng, n, halves):
    """Return bits of bounds: points, narrow, wide, around zero, unbounded, empty."""
    size = halves.size
    first = rng.integers(0, size, n)
    width = np.choose(
        rng.integers(0, 5, n),
        [0 * first, rng.integers(0, 3, n), rng.integers(0, 40, n), rng.integers(0, size, n),
         size - 1 - 2 * first],
    )  # fmt: skip
    ends = np.clip(np.stack([first, first + width]), 0, size - 1)
    low, high = halves[ends.min(axis=0)], halves[ends.max(axis=0)]
    unbounded = rng.integers(0, 12, n)
    low, high = np.where(unbounded == 0, 0xFC00, low), np.where(unbounded == 1, 0x7C00, high)
    empty = (unbounded == 2) | (low == 0x7C00) | (high == 0xFC00)
    flip = rng.integers(0, 2, (2, n)) == 1  # zeros of either sign
    low, high = (
        np.where((b & 0x7FFF == 0) & f, b ^ 0x8000, b)
        for b, f in zip((low, high), flip, strict=True)
    )
    return tuple(np.where(empty, 0x7E00, b).astype(np.uint16) for b in (low, high))


_SMALL = np.array([0, 2**-24, 0.125, 0.25, 0.5, 1, 1.5, 2, 2.25, 3, 4, 8, 9, 16, 27, 81, INF])
#: Halves with exact results, and halves at which functions change.
SIMPLE = np.concatenate([-_SMALL[::-1], _SMALL]).astype(np.float16).view(np.uint16)


def mix_pools(rng, n, pools):
    """Return bits of bounds out of several pools of halves."""
    kinds = [intervals(rng, n, halves) for halves in pools]
    which = rng.integers(0, len(pools), n)
    return [np.choose(which, bounds) for bounds in zip(*kinds, strict=True)]


def all_of(ends, count):
    """Return bits of bounds of all tuples of intervals with such ends."""
    few = [(a, b) for a in ends for b in ends if a <= b and a < INF and b > -INF]
    places = np.indices((len(few),) * count).reshape(count, -1)
    return [np.array(few)[place, i].astype(np.float16).view(np.uint16)
            for place in places for i in (0, 1)]  # fmt: skip


# ---------------------------------------------------------------- functions of one argument


@functools.cache
def table(name, halves):
    """Return a function rounded down and up at halves (bytes of their bits), indexed by bits."""
    bits = np.frombuffer(halves, np.uint16)
    results = oracle_functions.evaluate(name, bits)
    down, up = np.full((2, 1 << 16), NAN)
    with np.errstate(invalid="ignore"):
        down[bits], up[bits] = (value(results[mode][0][0]) for mode in ("rtn", "rtp"))
    return down, up


def monotone(name, low, high, halves):
    """Return the bounds of the range; the limits above replace MPFR's values at the ends."""
    (start, at_start), (end, at_end) = (RISING | FALLING)[name]
    down, up = (column.copy() for column in table(name, halves))
    for place, limit in ((start, at_start), (end, at_end)):
        if limit is not None:
            down[place == VALUES] = up[place == VALUES] = limit
    a, b = value(low), value(high)
    outside = ~((a <= end) & (b >= start))
    for place, limit, beyond in ((start, at_start, b <= start), (end, at_end, a >= end)):
        if limit is not None and np.isinf(limit):
            outside |= beyond & np.isfinite(place)  # an open end alone is outside
    a, b = (_bits(np.clip(x, start, end)) for x in (a, b))
    first, last = (a, b) if name in RISING else (b, a)
    return np.where(outside, NAN, down[first]), np.where(outside, NAN, up[last])


def _bits(values):
    return values.astype(np.float16).view(np.uint16)


def cosh(low, high, halves):
    down, up = table("cosh", halves)
    a, b = value(low), value(high)
    least = np.where((a <= 0) & (b >= 0), 1, np.minimum(down[low], down[high]))
    return np.where(np.isnan(a), NAN, least), np.maximum(up[low], up[high])


#: The positions of maxima, minima or poles, in units of pi (of 1 for …pi): first, distance.
EXTREMA = {"sin": ((0.5, 2), (-0.5, 2)), "cos": ((0, 2), (1, 2))}
POLES = {"tan": (0.5, 1)}


@functools.cache
def count(first, distance, over_pi):
    """Return how many of first + distance * n lie at or below each half, up to a constant."""
    counts = np.zeros(1 << 16)
    for i in np.flatnonzero(np.isfinite(VALUES)):
        x = gmpy2.mpfr(VALUES[i])
        if over_pi:
            x = EXACT.div(x, EXACT.const_pi())
        counts[i] = EXACT.floor(EXACT.div(EXACT.sub(x, first), distance))
    counts[np.isinf(VALUES)] = VALUES[np.isinf(VALUES)]
    return counts


def _between(low, high, first, distance, over_pi):
    """Return whether one lies above low, up to high; true for an unbounded interval."""
    counts = count(first, distance, over_pi)
    return counts[high] > counts[low]


def wave(name, low, high, halves):
    down, up = table(name, halves)
    over_pi = not name.endswith("pi")
    maximum, minimum = (
        _between(low, high, *place, over_pi) for place in EXTREMA[name.removesuffix("pi")]
    )
    return (
        np.where(minimum, -1, np.minimum(down[low], down[high])),
        np.where(maximum, 1, np.maximum(up[low], up[high])),
    )


def tan(low, high, halves):
    down, up = table("tan", halves)
    pole = _between(low, high, 0.5, 1, True)
    return np.where(pole, -INF, down[low]), np.where(pole, INF, up[high])


def tanpi(low, high, halves):
    """Return the range of tanpi; a pole at a bound counts only from the side that is inside."""
    down, up = table("tanpi", halves)
    a, b = value(low), value(high)
    with np.errstate(invalid="ignore"):
        of_low, of_high = (np.isinf(x) | (x % 1 == 0.5) for x in (a, b))
        # Poles strictly inside.
        inside = np.ceil(b - 0.5) - 1 >= np.floor(a - 0.5) + 1
    alone = (a == b) & of_low
    inside |= np.isinf(a) | np.isinf(b)
    lower = np.where(inside | of_low, -INF, down[low])
    upper = np.where(inside | of_high, INF, up[high])
    return np.where(alone, NAN, lower), np.where(alone, NAN, upper)


def of_one(name):
    """Return the oracle of a function of one argument."""
    if name in RISING or name in FALLING:
        return functools.partial(monotone, name)
    if name.removesuffix("pi") in EXTREMA:
        return functools.partial(wave, name)
    return {"cosh": cosh, "tan": tan, "tanpi": tanpi}[name]


OF_ONE = (*RISING, *FALLING, "sin", "cos", "sinpi", "cospi", "cosh", "tan", "tanpi")


# ---------------------------------------------------------------- functions of two arguments


def _hull(down, up):
    return (min(map(float, down)), max(map(float, up))) if down else (NAN, NAN)


def _of_points(method, points):
    """Return values of a function at some points, rounded down and rounded up."""
    call = method if callable(method) else lambda context, *p: getattr(context, method)(*p)
    down, up = ([call(context, *p) for p in points] for context in (DOWN, UP))
    return down, up


def hypot(a, b, c, d):
    x, y = ([0.0] if p <= 0 <= q else [] for p, q in ((a, b), (c, d)))
    return _hull(*_of_points("hypot", [(p, q) for p in (*x, a, b) for q in (*y, c, d)]))


def angle(method, c, d, a, b):
    """Return the range of angles from corners, and half axes that [a, b] x [c, d] meets."""
    points = [(y, x) for y in (c, d) for x in (a, b) if (x, y) != (0, 0)]
    points = [(y + 0.0, x + 0.0) for y, x in points if np.isfinite(x) or np.isfinite(y)]
    across_x, across_y = c <= 0 <= d, a <= 0 <= b
    axes = [(0.0, 1.0)] * (across_x and b > 0) + [(1.0, 0.0)] * (across_y and d > 0)
    axes += [(-1.0, 0.0)] * (across_y and c < 0) + [(0.0, -1.0)] * (across_x and a < 0)
    axes += [(-0.0, -1.0)] * (across_x and a < 0 and c < 0)
    return _hull(*_of_points(method, [*points, *axes]))


def _atan2pi(context, y, x):
    """Return atan2pi, where multiples of 1/4 are exact."""
    turns = EXACT.div(EXACT.atan2(y, x), EXACT.const_pi())
    quarters = round(float(turns) * 4)
    near = abs(EXACT.sub(turns, gmpy2.mpfr(quarters) / 4)) < 2.0**-200
    return context.plus(gmpy2.mpfr(quarters) / 4 if near else turns)


def power(a, b, c, d):
    """Return the range of powers from corners, or limits along edges at x = 0 and infinity."""
    a = max(a, 0.0)
    if b < a or (b == 0 and d <= 0):
        return NAN, NAN
    if b == 0:
        return 0.0, 0.0
    return _hull(*_of_points("pow", [(x + 0.0, y) for x in (a, b) for y in (c, d)]))


def _sides(a, b):
    """Return the negative and positive part of [a, b] as magnitudes; whether it contains 0."""
    negative = (max(-b, 0.0) + 0.0, -a) if a < 0 else None
    positive = (max(a, 0.0) + 0.0, b) if b > 0 else None
    return negative, positive, a <= 0 <= b


def _of_magnitudes(evaluate, part, sign, falls):
    """Return the bounds of sign * f on magnitudes, for a monotone f."""
    first, last = part[::-1] if falls else part
    ends = sign * evaluate(DOWN, first), sign * evaluate(UP, last)
    return min(ends), max(ends)


def of_integer(evaluate, a, b, n, even_domain):
    """Return the range of a power or root, from the parts of each sign, and 0."""
    negative, positive, zero = _sides(a, b)
    odd = n % 2
    parts = []
    if positive:
        parts.append(_of_magnitudes(evaluate, positive, 1, n < 0))
    if negative and (odd or even_domain):
        parts.append(_of_magnitudes(evaluate, negative, -1 if odd else 1, n < 0))
    if zero and n > 0:
        parts.append((0.0, 0.0))
    return _hull(*zip(*parts, strict=True)) if parts else (NAN, NAN)


def pown(a, b, n):
    if n == 0:
        return 1.0, 1.0

    def evaluate(context, x):
        return float(context.pow(gmpy2.mpfr(x), n))

    return of_integer(evaluate, a, b, n, even_domain=True)


def rootn(a, b, n):
    def evaluate(context, x):
        if n > 0:
            return float(context.rootn(gmpy2.mpfr(x), n))
        return 0.0 if x == INF else INF if x == 0 else _inverse_root(context, x, -n)

    return of_integer(evaluate, a, b, n, even_domain=False) if n else (NAN, NAN)


def _inverse_root(context, x, n):
    """Return 1 / root; exact roots are halves, for others 300 bits decide the rounding."""
    root = EXACT.rootn(gmpy2.mpfr(x), n)
    return float(context.div(1, root))


def compoundn(a, b, n):
    """Return the range of compoundn, which is monotone from -1 on."""
    if b < -1 or (b == -1 and n < 0):
        return NAN, NAN
    sums = [EXACT.add(gmpy2.mpfr(max(x, -1.0)), 1) for x in (a, b)]
    return _hull(*_of_points("pow", [(x, n) for x in sums]))


OF_TWO = {
    "hypot": hypot,
    "atan2": functools.partial(angle, "atan2"),
    "atan2pi": functools.partial(angle, _atan2pi),
    "pow": power,
}
WITH_INTEGER = {"pown": pown, "rootn": rootn, "compoundn": compoundn}


def each(function, *columns):
    """Return bounds of a function of bounds (bits) and integers; empty where an operand is."""
    operands = [value(c) if c.dtype == np.uint16 else c for c in columns]
    empty = np.logical_or.reduce([np.isnan(x) for x in operands])
    rows = zip(*(x.tolist() for x in operands), strict=True)
    results = [(NAN, NAN) if e else function(*row) for e, row in zip(empty, rows, strict=True)]
    return np.array(results).T


def integers(rng, n):
    """Return exponents, mostly small ones."""
    kinds = [rng.integers(-5, 6, n), rng.integers(-40, 41, n), rng.integers(-(2**31), 2**31, n)]
    return np.choose(rng.integers(0, 5, n) // 2, kinds)
