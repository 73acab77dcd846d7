"""Reverse operations, exactly: the numbers of an interval whose function lies in another.

Nothing here is shared with halfcl. Ends of the sets are 300-bit numbers, rounded to half at last.
Bounds are floats with the values of halves, NaN for an empty interval.
"""

import functools
import math
from fractions import Fraction

import gmpy2
from oracle_range import DOWN, EXACT, INF, NAN, UP

# ---------------------------------------------------------------- sets


def tightest(pieces, x):
    """Return the hull of the intersection of pieces (low, high, low is open, high is open) with x.

    Ends are exact, or 300-bit numbers that are no halves.
    """
    low, high = [], []
    for a, b, open_a, open_b in pieces:
        if a > x[1] or b < x[0] or (open_a and a == x[1]) or (open_b and b == x[0]):
            continue
        low.append(_round(DOWN, max(a, x[0])))
        high.append(_round(UP, min(b, x[1])))
    return (min(low), max(high)) if low else (NAN, NAN)


def _round(context, number):
    if isinstance(number, Fraction):
        number = gmpy2.mpq(number.numerator, number.denominator)
        return float(context.div(number.numerator, number.denominator))
    return float(context.plus(gmpy2.mpfr(number, 300)))


def _mirror(piece):
    a, b, open_a, open_b = piece
    return -b, -a, open_b, open_a


# ---------------------------------------------------------------- algebraic functions and cosh


def even(inverse, least, c, x):
    """Invert an even function that rises from `least` at 0."""
    if c[1] < least:
        return NAN, NAN
    piece = inverse(max(c[0], least)), inverse(c[1]), False, False
    return tightest([piece, _mirror(piece)], x)


def sqr_rev(a, b, *x):
    return even(lambda y: EXACT.sqrt(gmpy2.mpfr(y)), 0.0, (a, b), x)


def abs_rev(a, b, *x):
    return even(lambda y: y, 0.0, (a, b), x)


def cosh_rev(a, b, *x):
    return even(lambda y: EXACT.acosh(gmpy2.mpfr(y)), 1.0, (a, b), x)


def _root(y, n):
    """y^(1/n) for y >= 0."""
    if y in (0, INF) and n < 0:
        return INF - y if y == 0 else 0.0
    root = EXACT.rootn(gmpy2.mpfr(y), abs(n))
    return EXACT.div(1, root) if n < 0 else root


def pown_rev(a, b, n, *x):
    if n == 0:
        return x if a <= 1 <= b else (NAN, NAN)

    def positive(a, b):
        """Return the pieces for t > 0, and t = 0 where that has a power."""
        if b < 0 or (n < 0 and b == 0):
            return []
        ends = sorted((_root(max(a, 0.0), n), _root(b, n)))
        return [(*ends, n < 0 and b == INF, False)]

    others = positive(a, b) if n % 2 == 0 else positive(-b, -a)
    return tightest([*positive(a, b), *map(_mirror, others)], x)


def mul_rev(a, b, c, d, *x):
    """Numbers t with t v in [c, d] for a v in [a, b]."""
    if a <= 0 <= b and c <= 0 <= d:
        return x
    return tightest([p for sign in (1, -1) for p in _quotients(a, b, c, d, sign)], x)


def _quotients(a, b, c, d, sign):
    """Return the pieces for v > 0, or for v < 0."""
    if sign < 0:
        a, b, c, d = -b, -a, -d, -c
    a = max(a, 0.0)
    if b <= 0:
        return []
    # t >= c / v for some v, t <= d / v for that v.
    if c > 0:
        return [(_ratio(c, b), _ratio(d, a), b == INF, False)]
    if d < 0:
        return [_mirror(piece) for piece in _quotients(a, b, -d, -c, 1)]
    return [(_ratio(c, a), _ratio(d, a), False, False)]


def _ratio(p, q):
    if math.isinf(q):
        return Fraction(0)
    if math.isinf(p):
        return p
    if q == 0:
        return math.copysign(INF, p) if p else Fraction(0)
    return Fraction(p) / Fraction(q)


# ---------------------------------------------------------------- periodic functions


def _solutions(f, c, k):
    """Return the piece of numbers with f in c in the k-th period, exactly 0 where it is."""
    pi = EXACT.const_pi()
    low, high = (gmpy2.mpfr(y) for y in c)
    if f == "tan":
        return [(_at(k, EXACT.atan(low), pi), _at(k, EXACT.atan(high), pi), False, False)]
    if f == "cos":
        piece = (_at(2 * k, EXACT.acos(high), pi), _at(2 * k, EXACT.acos(low), pi), False, False)
        mirrored = (_at(2 * k, -EXACT.acos(low), pi), _at(2 * k, -EXACT.acos(high), pi))
        return [piece, (*mirrored, False, False)]
    falling = _at(2 * k + 1, -EXACT.asin(high), pi), _at(2 * k + 1, -EXACT.asin(low), pi)
    rising = _at(2 * k, EXACT.asin(low), pi), _at(2 * k, EXACT.asin(high), pi)
    return [(*rising, False, False), (*falling, False, False)]


def _at(k, angle, pi):
    return EXACT.add(EXACT.mul(k, pi), angle)


def periodic(f, a, b, *x):
    if f != "tan":
        a, b = max(a, -1.0), min(b, 1.0)
        if a > b:
            return NAN, NAN
    period = math.pi if f == "tan" else 2 * math.pi
    ends = [tuple(e) if math.isfinite(e[0]) else None for e in ((x[0],), (x[1],))]
    if ends == [None, None]:
        return x
    finite = [e[0] for e in ends if e]
    # All periods near the finite ends; between them every period has solutions.
    near = {k for e in finite for k in range(int(e / period) - 3, int(e / period) + 4)}
    pieces = [piece for k in near for piece in _solutions(f, (a, b), k)]
    inside = (max(x[0], min(finite) - 20), min(x[1], max(finite) + 20))
    low, high = tightest(pieces, inside)
    return (x[0] if x[0] == -INF else low), (x[1] if x[1] == INF else high)


OF_ONE = {
    "sqr_rev": sqr_rev,
    "abs_rev": abs_rev,
    "cosh_rev": cosh_rev,
    "sin_rev": functools.partial(periodic, "sin"),
    "cos_rev": functools.partial(periodic, "cos"),
    "tan_rev": functools.partial(periodic, "tan"),
}
OF_TWO = {"mul_rev": mul_rev}


# ---------------------------------------------------------------- powers


def _corner(gamma, v):
    """gamma / v, or its limit, and whether it is attained for 0 < v < inf; None if undefined."""
    if gamma == 0:
        return gmpy2.mpfr(0), True
    if math.isinf(v):
        return None if gmpy2.is_infinite(gamma) else (gmpy2.mpfr(0), False)
    if v == 0 or gmpy2.is_infinite(gamma):
        return gmpy2.mpfr(math.copysign(INF, gamma)), False
    return EXACT.div(gamma, v), True


def _logarithm(y):
    return EXACT.log(gmpy2.mpfr(y))


def _corners(gammas, vs):
    """Return the piece of all gamma / v, with the corners at its ends."""
    corners = []
    for i, gamma in enumerate(gammas):
        for j, v in enumerate(vs):
            corner = _corner(gamma, v)
            if corner:
                corners.append((*corner, i, j))
    least = min(corners, key=lambda corner: (corner[0], not corner[1]))
    greatest = max(corners, key=lambda corner: (corner[0], corner[1]))
    return least, greatest


def _snap_to_half(number, is_exact):
    """Return the half that a 300-bit approximation stands for, if it does."""
    near = float(gmpy2.ieee(16).plus(number))
    return near if math.isfinite(near) and is_exact(near) else number


def _power_is(base, exponent, c):
    if base <= 0:
        return False
    power = EXACT.pow(gmpy2.mpfr(base), gmpy2.mpfr(exponent))
    return power.rc == 0 and power == c


def pow_rev1(a, b, c, d, *x):
    """t > 0 with v log t = log y, and t = 0 for v > 0 and y = 0."""
    pieces = []
    if a <= 0 <= b and c <= 1 <= d:
        pieces.append((0.0, INF, True, False))
    if c <= 0 <= d and b > 0:
        pieces.append((0.0, 0.0, False, False))
    c = max(c, 0.0)
    for sign in (1, -1):
        near, far = (max(a, 0.0), b) if sign > 0 else (max(-b, 0.0), -a)
        if far <= 0 or d <= 0:
            continue
        ends = []
        gammas = sorted(sign * _logarithm(y) for y in (c, d))
        for end, attained, i, j in _corners(gammas, (near, far)):
            y, v = ((c, d) if sign > 0 else (d, c))[i], sign * (near, far)[j]
            exact = functools.partial(lambda h, v, y: _power_is(h, v, y), v=v, y=y)
            number = EXACT.exp(end)
            ends.append((_snap_to_half(number, exact) if attained else number, not attained))
        (low, open_low), (high, open_high) = ends
        pieces.append((low, high, open_low, open_high))
    return tightest(pieces, x)


def pow_rev2(a, b, c, d, *x):
    """t log u = log y for u > 0, and t > 0 for u = 0 and y = 0."""
    if a <= 1 <= b and c <= 1 <= d:
        return x
    pieces = []
    if a <= 0 <= b and c <= 0 <= d:
        pieces.append((0.0, INF, True, False))
    a, c = max(a, 0.0), max(c, 0.0)
    if d <= 0 or b <= 0:
        return tightest(pieces, x)
    for sign in (1, -1):
        bases = (max(a, 1.0), b) if sign > 0 else (min(b, 1.0), a)
        logs = [sign * _logarithm(u) for u in bases]
        if logs[1] <= 0:
            continue
        ends = []
        gammas = sorted(sign * _logarithm(y) for y in (c, d))
        for end, attained, i, j in _corners(gammas, logs):
            y, u = ((c, d) if sign > 0 else (d, c))[i], bases[j]
            exact = functools.partial(lambda h, u, y: _power_is(u, h, y), u=u, y=y)
            ends.append((_snap_to_half(end, exact) if attained else end, not attained))
        (low, open_low), (high, open_high) = ends
        pieces.append((low, high, open_low, open_high))
    return tightest(pieces, x)


OF_TWO |= {"pow_rev1": pow_rev1, "pow_rev2": pow_rev2}


# ---------------------------------------------------------------- angles

_PI = gmpy2.const_pi(300)


def _sector(c, d, start, end):
    """Return the part of the angles [c, d] between two others, as ends, or None."""
    low, high = max(gmpy2.mpfr(c), start), min(gmpy2.mpfr(d), end)
    return (low, high) if low < high or (low == high and low not in (start, end)) else None


def _slopes(function, sector, start, end):
    """Bounds of a rising slope in a sector where it goes from start to end."""
    (low, high), (first, at_first), (last, at_last) = sector, start, end
    return (
        at_first if low == first else function(low),
        at_last if high == last else function(high),
    )


def _products(near, far, slopes):
    """Return the piece of v times slopes, for near <= v <= far, 0 < v < inf.

    It attains 0 at slope 0.
    """
    corners = []
    for v in (near, far):
        for slope in slopes:
            if slope == 0:
                corners.append((gmpy2.mpfr(0), True))
            elif v == 0:
                corners += [] if gmpy2.is_infinite(slope) else [(gmpy2.mpfr(0), False)]
            else:
                corners.append((EXACT.mul(gmpy2.mpfr(v), slope), True))
    low = min(corners, key=lambda corner: (corner[0], not corner[1]))
    high = max(corners, key=lambda corner: (corner[0], corner[1]))
    return low[0], high[0], not low[1], not high[1]


def _cut(a, b):
    """Return the positive numbers of [a, b], up to 0, and the magnitudes of the negative ones."""
    return [
        (sign, max(low, 0.0), high) for sign, low, high in ((1, a, b), (-1, -b, -a)) if high > 0
    ]


def atan2_rev1(a, b, c, d, *x):
    """y = v tan(angle), on either side of the axis; the directions of the axis by themselves."""
    pieces = []
    quarter = _PI / 2
    for sign, near, far in _cut(a, b):
        if sign > 0:
            parts = [(_sector(c, d, -quarter, quarter), (-quarter, -INF), (quarter, INF), 0)]
        else:  # angles beyond the quarters, less pi
            parts = [
                (_sector(c, d, quarter, _PI), (quarter, -INF), (_PI, 0), 1),
                (_sector(c, d, -_PI, -quarter), (-_PI, 0), (-quarter, INF), -1),
            ]
        for sector, start, end, side in parts:
            if sector:
                low, high, *opens = _products(near, far, _slopes(EXACT.tan, sector, start, end))
                piece = (low, high, *opens) if sign > 0 else _mirror((low, high, *opens))
                pieces += _without_zero(piece) if side < 0 else [piece]
    if a <= 0 <= b:
        pieces += [(0.0, INF, True, False)] * (c < quarter < d)
        pieces += [(-INF, 0.0, False, True)] * (c < -quarter < d)
    return tightest(pieces, x)


def _without_zero(piece):
    low, high, open_low, open_high = piece
    return [(low, high, open_low or low == 0, open_high or high == 0)]


def atan2_rev2(a, b, c, d, *x):
    """x = v cot(angle), above and below the axis, and the axis itself."""
    pieces = []
    for sign, near, far in _cut(a, b):
        ends = (c, d) if sign > 0 else (-d, -c)
        sector = _sector(*ends, gmpy2.mpfr(0), _PI)
        if sector:
            # -cot rises.
            slopes = _slopes(lambda t: -EXACT.cot(t), sector, (0, -INF), (_PI, INF))
            pieces.append(_mirror(_products(near, far, slopes)))
    if a <= 0 <= b:
        pieces += [(0.0, INF, True, False)] * (c <= 0 <= d)
        pieces += [(-INF, 0.0, False, True)] * (c < _PI < d)
    return tightest(pieces, x)


OF_TWO |= {"atan2_rev1": atan2_rev1, "atan2_rev2": atan2_rev2}
