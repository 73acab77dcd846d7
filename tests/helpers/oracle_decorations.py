"""The strongest decoration that a function has on a box, result at points.

Shares no code with halfcl, and no rule: of every function this knows its values at numbers, by
MPFR, and where to look. Undefined is what has no value there; a jump is where values at neighbours
far closer than halves are differ.
"""

import functools
import itertools
import math
from fractions import Fraction

import gmpy2
from gmpy2 import mpfr
from real_functions import FALLING, FUNCTIONS, RISING

INF = math.inf
_CONTEXT = gmpy2.context(precision=120, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min())
_NEAR = Fraction(1, 2**80)
_FAR = Fraction(70000)  # stands for infinity: beyond all halves


def _odd(x):
    return x.denominator == 1 and x.numerator % 2 == 1


def _tanpi(x):
    return None if _odd(2 * x) else gmpy2.tan(gmpy2.const_pi() * mpfr(x - math.floor(x)))


def _tan(x):
    result = gmpy2.tan(mpfr(x))
    return result if abs(result) < 2**40 else None


def _rootn(x, n):
    if n == 0 or (x < 0 and n % 2 == 0) or (x == 0 and n < 0):
        return None
    root = gmpy2.rootn(abs(mpfr(x)), abs(n))
    return (-root if x < 0 else root) if n > 0 else (-1 / root if x < 0 else 1 / root)


def _pow(x, y):
    if x < 0 or (x == 0 and y <= 0):
        return None
    return mpfr(x) ** mpfr(y)


def _half_away(x):
    return int(math.copysign(1, x)) * math.floor(abs(x) + Fraction(1, 2))


def _real(name):
    return lambda *x: FUNCTIONS[name](*map(mpfr, x))


#: Functions that are defined everywhere, but not monotone; and square roots.
_OTHERS = ("cosh", "sin", "cos", "sinpi", "cospi", "hypot", "sqrt")

#: The values, None where there is none, of Fractions.
VALUES = {
    **{name: _real(name) for name in (*RISING, *FALLING, *_OTHERS)},
    "tan": _tan,
    "tanpi": _tanpi,
    "rsqrt": lambda x: 1 / gmpy2.sqrt(mpfr(x)) if x > 0 else None,
    "neg": lambda x: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y if y else None,
    "recip": lambda x: 1 / x if x else None,
    "sqr": lambda x: x * x,
    "fma": lambda x, y, z: x * y + z,
    "abs": abs,
    "min": min,
    "max": max,
    "sign": lambda x: (x > 0) - (x < 0),
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "round_ties_to_even": round,
    "round_ties_to_away": _half_away,
    "pown": lambda x, n: None if x == 0 and n < 0 else mpfr(x) ** n,
    "rootn": _rootn,
    "pow": _pow,
    "clamp": lambda x, least, most: min(max(x, least), most),
    "step": lambda edge, x: int(x >= edge),
    "fdim": lambda x, y: max(x - y, 0),
    "ldexp": lambda x, k: x * Fraction(2) ** k,
    "compoundn": lambda x, n: None if x < -1 or (x == -1 and n < 0) else mpfr(1 + x) ** n,
    "mix": lambda x, y, a: x + (y - x) * a,
    "atan2pi": lambda y, x: None if x == y == 0 else gmpy2.atan2(mpfr(y), mpfr(x)),
    "atan2": lambda y, x: None if x == y == 0 else gmpy2.atan2(mpfr(y), mpfr(x)),
}  # fmt: skip


@functools.lru_cache(None)
def value(name, point, n):
    """Return a function's value at a point, with an integer if n is one; None where undefined."""
    result = VALUES[name](*point, *(() if n is None else (n,)))
    return None if result is None or not gmpy2.is_finite(mpfr(result)) else mpfr(result)


with gmpy2.context(precision=300):
    _RIGHT_ANGLE = Fraction(*map(int, gmpy2.const_pi().as_integer_ratio())) / 2


def _places(name, low, high, bounds):
    """Return numbers of an interval at which a function's special cases show.

    They are the bounds, 0, other arguments' bounds, or, if there are none, multiples of 1/2 or pi/2
    next to the bounds.
    """
    low, high = max(low, -_FAR), min(high, _FAR)
    if len(bounds) > 2:
        near = {*bounds, Fraction(0)} if name == "step" else {Fraction(0)}
        return {low, high, *(p for p in near if low <= p <= high)}
    unit = _RIGHT_ANGLE if name in ("sin", "cos", "tan") else Fraction(1, 2)
    first, last = math.ceil(low / unit), math.floor(high / unit)
    near = (first, first + 1, first + 2, 0, last - 2, last - 1, last)
    return {low, high, *(k * unit for k in near if first <= k <= last)}


def _neighbours(point):
    return itertools.product(*((p - _NEAR, p, p + _NEAR) for p in point))


def _jumps(one, other):
    return abs(one - other) > max(2**15, abs(one), abs(other)) / 2**25


def decoration(name, box, bounded, n=None):
    """Return the decoration of a box of pairs of Fractions or infinities, None if empty.

    bounded: whether the result is bounded.
    """
    with _CONTEXT:
        return _decoration(name, box, bounded, n)


def _decoration(name, box, bounded, n):
    if None in box:
        return "trv"
    inside = [lambda p, x=x: max(x[0], -_FAR) <= p <= min(x[1], _FAR) for x in box]
    points = set(itertools.product(*(_places(name, *x, sum(box, ())) for x in box)))
    continuous = everywhere = True
    for point in points:
        here = value(name, point, n)
        if here is None:
            return "trv"
        for other in _neighbours(point):
            there = value(name, other, n)
            is_inside = all(test(p) for test, p in zip(inside, other, strict=True))
            if there is None:
                if is_inside:
                    return "trv"
            elif _jumps(here, there):
                everywhere = False
                continuous = continuous and not is_inside
    if not continuous:
        return "def"
    common = everywhere and bounded and all(abs(v) < INF for x in box for v in x)
    return "com" if common else "dac"
