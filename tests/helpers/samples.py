"""Operands where rounding is hard, and everywhere else: uint16 arrays of half bits."""

import numpy as np

#: Where results change their kind: half of the least subnormal, that, the normal numbers'
#: start, what overflows to nearest, what truncates.
EDGES = np.array([2.0**-25, 2.0**-24, 3 * 2.0**-25, 2.0**-14, 65504, 65520, 65536])
EDGES = np.concatenate([EDGES, -EDGES])

_SIGNIFICANDS = np.array([0, 1, 0x3FF, 0x3FE, 0x155, 0x2AA, 0x200, 0x1FF], np.uint16)

_ZERO_AND_TINY = [0x0000, 0x0001, 0x0002, 0x03FF, 0x0400, 0x0401]
_MIDDLE_AND_LARGE = [0x3BFF, 0x3C00, 0x3C01, 0x7BFF]
_INFINITE_AND_NAN = [0x7C00, 0x7C01, 0x7DFF, 0x7E00, 0x7FFF]
_SPECIAL = np.array([*_ZERO_AND_TINY, *_MIDDLE_AND_LARGE, *_INFINITE_AND_NAN], np.uint16)
#: Zeros, least and greatest numbers, one, infinities, quiet and signalling NaNs, of both signs.
SPECIAL = np.concatenate([_SPECIAL, _SPECIAL | 0x8000])


def product(*columns):
    """Every combination of the columns' elements, as columns."""
    return tuple(x.ravel() for x in np.meshgrid(*columns))


SPECIAL_PAIRS = product(SPECIAL, SPECIAL)


def join(*samples):
    """Concatenate the operands of several samples, each a tuple of columns."""
    return tuple(np.concatenate(column) for column in zip(*samples, strict=True))


def value(bits):
    """Return the numbers as float64."""
    with np.errstate(invalid="ignore"):  # of signalling NaNs
        return bits.view(np.float16).astype(np.float64)


def nearest(values):
    """Return the bits of the halves nearest to some numbers."""
    with np.errstate(all="ignore"):
        return values.astype(np.float16).view(np.uint16)


def spacing(values):
    """Return the ulp of halves; that of the greatest for larger numbers."""
    with np.errstate(under="ignore"):
        half = np.minimum(np.abs(values), 32768).astype(np.float16)
        return np.spacing(half).astype(np.float64)


def finite(rng, n):
    """Halves of random sign, exponent and significand."""
    return rng.integers(0, 0x7C00, n, np.uint16) | (rng.integers(0, 2, n, np.uint16) << 15)


def neighbours(bits, rng):
    """Each half, or one of the two next to it."""
    return (bits + rng.integers(-1, 2, bits.size)).astype(np.uint16)


def grid(rng):
    """Every pair of signs and exponents, with each pair of 16 significands: 2^20 pairs."""
    head = np.arange(64, dtype=np.uint16)[:, None, None, None] << 10
    shape = (64, 64, 16, 16)

    def significands():
        random = rng.integers(0, 1 << 10, (*shape[:3], 8), np.uint16)
        fixed = np.broadcast_to(_SIGNIFICANDS, random.shape)
        return np.concatenate([fixed, random], axis=3)

    a = head | significands()
    b = head.transpose(1, 0, 2, 3) | significands().swapaxes(2, 3)
    return a.ravel(), b.ravel()


_INVERSES = {
    "add": lambda target, a: target - a,
    "subtract": lambda target, a: a - target,
    "multiply": lambda target, a: target / a,
    "divide": lambda target, a: a / target,
}

_OPERATIONS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
}


def _targets(rng, n):
    """Midpoints between halves and, for every fourth, edges and numbers close to them."""
    half = value(finite(rng, n))
    edges = rng.choice(EDGES, n) * (1 + rng.integers(-3, 4, n) * 2.0**-11)
    return np.where(np.arange(n) % 4 == 0, edges, half + spacing(half) / 2)


def aim_pairs(inverse, rng, n):
    """Return pairs whose result is a midpoint or an edge, or where b is an ulp off that.

    inverse(target, a) is the b that gives a target, or about that.
    """
    a = finite(rng, n)
    with np.errstate(all="ignore"):
        b = nearest(inverse(_targets(rng, n), value(a)))
    return a, neighbours(b, rng)


def hard_cases(operation, rng, n):
    """Return those of n random pairs whose result is within 2^-9 ulp of a half or a midpoint."""
    a, b = finite(rng, n), finite(rng, n)
    with np.errstate(all="ignore"):
        result = np.abs(operation(value(a), value(b)))
        steps = 2 * result / spacing(result)
        kept = (np.abs(steps - np.rint(steps)) < 2.0**-8) & (result < 65536) & (steps > 0.5)
    return a[kept], b[kept]


def pairs(name):
    """Return the operands for add, subtract, multiply or divide: more than 2^20 pairs."""
    rng = np.random.default_rng(list(name.encode()))
    return join(
        grid(rng),
        aim_pairs(_INVERSES[name], rng, 1 << 17),
        hard_cases(_OPERATIONS[name], rng, 1 << 20),
        SPECIAL_PAIRS,
    )


def _aimed_triples(rng, n, choose_target):
    """Return a, b, and a c that takes a * b to a target, or an ulp off."""
    a, b = finite(rng, n), finite(rng, n)
    product = value(a) * value(b)
    c = nearest(choose_target(product) - product)
    return a, b, neighbours(c, rng)


def _small_products(rng, n):
    """Return a, b and c with a * b about half an ulp of c: the sum is near a midpoint."""
    a, c = finite(rng, n), finite(rng, n)
    with np.errstate(all="ignore"):
        b = nearest(spacing(value(c)) / 2 * rng.integers(-3, 4, n) / value(a))
    return a, neighbours(b, rng), c


def triples():
    """Return the operands for fma: more than 2^20 triples."""
    rng = np.random.default_rng(0)

    def near_midpoint(product):
        ulp = spacing(product)
        return ulp * (np.floor(product / ulp) + rng.integers(-3, 4, product.size) + 0.5)

    def edge(product):
        return rng.choice(EDGES, product.size) * (1 + rng.integers(-3, 4, product.size) * 2.0**-11)

    return join(
        _aimed_triples(rng, 1 << 19, near_midpoint),
        _small_products(rng, 1 << 19),
        _aimed_triples(rng, 1 << 18, edge),
        _aimed_triples(rng, 1 << 18, np.zeros_like),  # cancellation
        tuple(rng.integers(0, 1 << 16, (3, 1 << 17), np.uint16)),
        product(SPECIAL, SPECIAL, SPECIAL),
    )
