"""Operands of the mathematical functions of two arguments: hard cases, and random ones.

As in samples.py, halves are uint16 arrays of their bits.
"""

import functools

import numpy as np
import samples
from samples import finite, join, nearest, neighbours, product, value

# ---------------------------------------------------------------- two halves


def _log_ratio(target, x):
    return np.log(np.abs(target)) / np.log(np.abs(x))


def _difference(target, x):
    return x - target


#: The second operand that gives a target, or about that.
_INVERSES = {
    "pow": _log_ratio,
    "powr": _log_ratio,
    "atan2": lambda target, y: y / np.tan(target),
    "atan2pi": lambda target, y: y / np.tan(np.pi * target),
    "hypot": lambda target, x: np.sqrt(target * target - x * x),
    "logaddexp": lambda target, x: target + np.log(-np.expm1(x - target)),
    "logaddexp2": lambda target, x: target + np.log2(1 - np.exp2(x - target)),
} | dict.fromkeys(["fmod", "remainder", "remquo", "fdim"], _difference)

_IN_DOUBLE = {
    "pow": np.power,
    "powr": np.power,
    "atan2": np.arctan2,
    "atan2pi": lambda y, x: np.arctan2(y, x) / np.pi,
    "hypot": np.hypot,
    "fdim": np.subtract,
}


@functools.cache
def _exact_power_pairs():
    """Return pairs of a half x and y for which x^y has at most 12 bits, as doubles.

    They are x = v^p 2^(pe) and y = k/p, in lowest terms and with an odd v > 1: the exact results
    that are not powers of two, and the midpoints.
    """
    exact_pairs = []
    for p in (1, 2, 4, 8):
        for v in range(3, int(2047 ** (1 / p)) + 1, 2):
            powers = [k for k in range(1, 8) if v**k < 1 << 12 and k != p and (k % 2 or p == 1)]
            numbers = np.ldexp(float(v**p), np.arange(-48, 16 + p) // p * p)
            numbers = np.unique(numbers[value(nearest(numbers)) == numbers])
            exact_pairs += [(x, k / p) for x in numbers for k in powers]
    return tuple(np.array(exact_pairs).T)


def _exact_powers(rng, n):
    """All with exact results or midpoints, of both signs, and their neighbours."""
    x, y = map(nearest, _exact_power_pairs())
    return join((x, y), (x | 0x8000, y), (neighbours(x, rng), y), (x, neighbours(y, rng)))


def _powers_of_two(rng, n):
    """Results that are powers of two, and what is next to them."""
    x = np.ldexp(1.0, rng.integers(-24, 16, n))
    y = rng.integers(-26, 17, n) / np.maximum(1, rng.integers(1, 9, n))
    return nearest(x), neighbours(nearest(y), rng)


def _near_one(rng, n):
    """x within 64 ulps of 1, and any y: results near 1, 2^-25 and 65536 too."""
    x = (0x3C00 + rng.integers(-64, 65, n)).astype(np.uint16)
    y = finite(rng, n)
    edges = np.abs(rng.choice(samples.EDGES, n))
    with np.errstate(all="ignore"):
        to_edge = nearest(np.log(edges) / np.log(value(x)))
    return join((x, y), (x, neighbours(to_edge, rng)))


def _near_one_result(rng, n):
    """Any x, and a y so small that the result is a few ulps from 1."""
    x = finite(rng, n) & 0x7FFF
    with np.errstate(all="ignore"):
        y = rng.integers(-8, 9, n) * 2.0**-12 / np.log(value(x))
    return x, neighbours(nearest(y), rng)


def _triples(rng, n):
    """Legs whose hypotenuse is a half or a midpoint, and their neighbours."""
    a = rng.integers(1, 64, n)
    b = rng.integers(0, 64, n)
    k = rng.integers(1, 33, n)
    scale = np.ldexp(1.0, rng.integers(-24, 5, n))
    x, y = (nearest(leg * k * scale) for leg in (np.abs(a * a - b * b), 2.0 * a * b))
    return join((x, y), (y, neighbours(x, rng)))


def _negligible(rng, n):
    """One operand so much smaller that the result is next to a half."""
    x = finite(rng, n)
    with np.errstate(under="ignore"):
        y = nearest(value(x) * np.ldexp(1.0, -rng.integers(5, 25, n)))
    return join((x, y), (y, x))


def _diagonals(rng, n):
    """Magnitudes that are equal, or neighbours."""
    x = finite(rng, n)
    return x, neighbours(x, rng) ^ (rng.integers(0, 2, n, np.uint16) << 15)


def _tiny_quotients(rng, n):
    """Quotients from 2^-40 to 2^-8, some of them exactly halves or midpoints."""
    x = finite(rng, n)
    quotient = value(finite(rng, n)) * 2.0**-8
    with np.errstate(all="ignore"):
        return neighbours(nearest(quotient * value(x)), rng), x


def _integer_quotients(rng, n):
    """Quotients that are integers or halfway, small and large, and their neighbours."""
    y = finite(rng, n)
    quotient = np.ldexp(rng.integers(-2048, 2049, n) + 0.0, rng.integers(-1, 8, n))
    with np.errstate(all="ignore"):
        return neighbours(nearest(quotient * value(y)), rng), y


_FOR_POWERS = (_exact_powers, _powers_of_two, _near_one, _near_one_result)
_FOR_ANGLES = (_diagonals, _tiny_quotients, _negligible)
_FOR_QUOTIENTS = (_integer_quotients, _diagonals)

#: What else may be hard.
_OTHERS = {
    "pow": _FOR_POWERS,
    "powr": _FOR_POWERS,
    "atan2": _FOR_ANGLES,
    "atan2pi": _FOR_ANGLES,
    "hypot": (_triples, _negligible),
    "logaddexp": (_diagonals, _negligible),
    "logaddexp2": (_diagonals, _negligible),
    "fmod": _FOR_QUOTIENTS,
    "remainder": _FOR_QUOTIENTS,
    "remquo": _FOR_QUOTIENTS,
}


def pairs(name):
    """Return the operands of a function of two halves: more than 2^20 pairs."""
    rng = np.random.default_rng(list(name.encode()))
    parts = [samples.grid(rng), _diagonals(rng, 1 << 12), samples.SPECIAL_PAIRS]
    if name in _INVERSES:
        parts.append(samples.aim_pairs(_INVERSES[name], rng, 1 << 17))
    if name in _IN_DOUBLE:
        parts.append(samples.hard_cases(_IN_DOUBLE[name], rng, 1 << 20))
    parts += [make(rng, 1 << 15) for make in _OTHERS.get(name, ())]
    return join(*parts)


# ---------------------------------------------------------------- a half and an integer

_LEAST, _GREATEST = -(2**31), 2**31 - 1
_LARGE = [s * 2**k + d for k in range(7, 31) for d in (-1, 0, 1) for s in (1, -1)]
_EXTREME = [_LEAST, _LEAST + 1, _GREATEST - 1, _GREATEST]
_SPECIAL_INTEGERS = np.array([*range(-70, 71), *_LARGE, *_EXTREME], np.int32)


def _integer(values):
    """Return the integers nearest to numbers; 1 for a NaN."""
    return np.clip(np.nan_to_num(np.rint(values), nan=1), _LEAST, _GREATEST).astype(np.int32)


def _aimed_exponents(rng, n):
    """x^n at an edge, or near it."""
    x = np.where(rng.integers(0, 2, n), finite(rng, n), _near_one(rng, n)[0][:n])
    edges = np.abs(rng.choice(samples.EDGES, n))
    with np.errstate(all="ignore"):
        exponent = _log_ratio(edges, value(x))
    return x.astype(np.uint16), _integer(exponent + rng.integers(-1, 2, n))


def _exact_integer_powers(rng, n):
    """All x^n that are halves or midpoints, but for powers of two, of both signs of x."""
    x, k = _exact_power_pairs()
    whole = k % 1 == 0
    x, k = nearest(x[whole]), _integer(k[whole])
    return join((x, k), (x | 0x8000, k), (neighbours(x, rng), k))


def _exact_roots(rng, n):
    """x = r^n with r a half or a midpoint, and their neighbours."""
    k = rng.integers(1, 12, n)
    root = rng.integers(1, np.floor(4095.0 ** (1 / k)) + 1).astype(np.float64)
    with np.errstate(all="ignore"):
        x = nearest(np.ldexp(root**k, k * rng.integers(-8, 5, n)) * rng.choice([1, -1], n))
    k *= rng.choice([1, -1], n)
    return join((x, _integer(k)), (neighbours(x, rng), _integer(k)))


def _aimed_roots(rng, n):
    """x whose n-th root is closest to a midpoint."""
    k = rng.integers(-12, 13, n)
    target = np.abs(value(finite(rng, n)))
    with np.errstate(all="ignore"):
        target += samples.spacing(target) / 2
        x = nearest(target**k)
    return neighbours(x, rng), _integer(k)


def _aimed_compounds(rng, n):
    """(1 + x)^n next to a midpoint or an edge, for x of any size."""
    x, target = value(finite(rng, n)), np.abs(value(finite(rng, n)))
    x = np.where(x > -1, x, -x)
    edges = np.abs(rng.choice(samples.EDGES, n))
    target = np.where(np.arange(n) % 4, target + samples.spacing(target) / 2, edges)
    with np.errstate(all="ignore"):
        exponent = np.log(target) / np.log1p(x)
    return nearest(x), _integer(exponent + rng.integers(-1, 2, n))


def _short_compounds(rng, n):
    """Return sums of few bits, whose results include halves and midpoints."""
    x = np.ldexp(rng.integers(-8, 64, n) + 0.0, rng.integers(-6, 1, n))
    return nearest(np.maximum(x, -1)), rng.integers(-16, 17, n, np.int32)


_WITH_INTEGER = {
    "pown": (_aimed_exponents, _exact_integer_powers),
    "rootn": (_exact_roots, _aimed_roots),
    "compoundn": (_aimed_compounds, _short_compounds),
}


def integer_pairs(name):
    """Return the operands of a function of a half and an integer: more than 2^18 pairs."""
    rng = np.random.default_rng(list(name.encode()))
    random = finite(rng, 1 << 18), rng.integers(-45, 46, 1 << 18, np.int32)
    anything = finite(rng, 1 << 15), rng.integers(_LEAST, _GREATEST, 1 << 15, np.int32)
    special = product(samples.SPECIAL, _SPECIAL_INTEGERS)
    return join(random, anything, special, *(f(rng, 1 << 15) for f in _WITH_INTEGER.get(name, ())))
