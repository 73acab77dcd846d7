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
    """The hull of what pieces (low, high, low is open, high is open) have with x in common.

    Ends are exact, or 300-bit numbers that are no halves.
    """
    low, high = [], []
    for a, b, open_a, open_b in pieces:
        if a > x[1] or b < x[0] or (open_a and a == x[1]) or (open_b and b == x[0]):
            continue
        low.append(_rounded(DOWN, max(a, x[0])))
        high.append(_rounded(UP, min(b, x[1])))
    return (min(low), max(high)) if low else (NAN, NAN)


def _rounded(context, number):
    if isinstance(number, Fraction):
        number = gmpy2.mpq(number.numerator, number.denominator)
        return float(context.div(number.numerator, number.denominator))
    return float(context.plus(gmpy2.mpfr(number, 300)))


def _mirrored(piece):
    a, b, open_a, open_b = piece
    return -b, -a, open_b, open_a


# ---------------------------------------------------------------- algebraic functions and cosh


def even(inverse, least, c, x):
    """Of an even function that rises from `least` at 0."""
    if c[1] < least:
        return NAN, NAN
    piece = inverse(max(c[0], least)), inverse(c[1]), False, False
    return tightest([piece, _mirrored(piece)], x)


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
        """Of t > 0, and t = 0 where that has a power."""
        if b < 0 or (n < 0 and b == 0):
            return []
        ends = sorted((_root(max(a, 0.0), n), _root(b, n)))
        return [(*ends, n < 0 and b == INF, False)]

    others = positive(a, b) if n % 2 == 0 else positive(-b, -a)
    return tightest([*positive(a, b), *map(_mirrored, others)], x)


def mul_rev(a, b, c, d, *x):
    """Numbers t with t v in [c, d] for a v in [a, b]."""
    if a <= 0 <= b and c <= 0 <= d:
        return x
    return tightest([p for sign in (1, -1) for p in _quotients(a, b, c, d, sign)], x)


def _quotients(a, b, c, d, sign):
    """Of v > 0, or of v < 0."""
    if sign < 0:
        a, b, c, d = -b, -a, -d, -c
    a = max(a, 0.0)
    if b <= 0:
        return []
    # t >= c / v for some v, t <= d / v for that v.
    if c > 0:
        return [(_ratio(c, b), _ratio(d, a), b == INF, False)]
    if d < 0:
        return [_mirrored(piece) for piece in _quotients(a, b, -d, -c, 1)]
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
    """The piece of numbers with f in c in the k-th period, exactly 0 where it is."""
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
