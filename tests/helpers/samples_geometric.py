"""Vectors for the tests of geometric functions: at random, and where rounding is hard.

Rows of uint16, the bits of halves.
"""

import itertools

import numpy as np

_SPECIAL = [0x0000, 0x8000, 0x0001, 0x8001, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x7D01]


def _bits(x):
    with np.errstate(over="ignore"):
        return np.asarray(x).astype(np.float16).view(np.uint16)


def _signs(rng, shape):
    return rng.choice([-1.0, 1.0], shape)


def _numbers(rng, shape, low, high):
    """With exponents from low to high at random."""
    significand = rng.integers(1024, 2048, shape) / 1024.0
    return _bits(_signs(rng, shape) * np.ldexp(significand, rng.integers(low, high, shape)))


def any_finite(rng, n, width):
    bits = rng.integers(0, 1 << 16, (n, width)).astype(np.uint16)
    return np.where((bits & 0x7C00) == 0x7C00, bits & 0xBFFF, bits)


def alike(rng, n, width):
    """Components of about the same size."""
    exponents = rng.integers(-14, 15, (n, 1))
    return _bits(rng.normal(size=(n, width)) * np.exp2(exponents))


def tiny(rng, n, width):
    return _numbers(rng, (n, width), -26, -10)


def huge(rng, n, width):
    """Lengths and sums around the largest half."""
    scale = 65504 / np.sqrt(width) * rng.uniform(0.95, 1.05, (n, 1))
    return _bits(scale * _signs(rng, (n, width)) * rng.uniform(0.9, 1.1, (n, width)))


def few_bits(rng, n, width):
    """Small integers times a power of two: exact results, ties, and zeros."""
    integers = rng.integers(-12, 13, (n, width))
    return _bits(np.ldexp(integers.astype(float), rng.integers(-24, 10, (n, 1))))


def one_large(rng, n, width):
    """All but one so small that the length is only just more than that one."""
    small = np.ldexp(rng.integers(0, 4096, (n, width)) / 2.0, rng.integers(-26, -10, (n, 1)))
    large = rng.integers(0, width, n) if width else np.zeros(n, int)
    small[np.arange(n), large] = np.exp2(rng.integers(-2, 15, n)) * rng.choice([1, 1, 1.25], n)
    return _bits(small * _signs(rng, (n, width)))


FAMILIES = (any_finite, alike, tiny, huge, few_bits, one_large)


def pythagorean(rng, n, width):
    """Vectors of integers whose length is one, times a power of two: a^2 + b^2 + c^2 = d^2."""
    m, k, p, q = rng.integers(0, 12, (4, n))
    rows = np.zeros((n, max(width, 3)))
    rows[:, 0] = m * m + k * k - p * p - q * q
    rows[:, 1] = 2 * (m * q + k * p)
    rows[:, 2] = 2 * (k * q - m * p)
    rows = np.ldexp(rows, rng.integers(-24, 6, (n, 1)))
    if width < 3:  # sides of right triangles
        rows[:, 0], rows[:, 1] = m * m - k * k, 2 * m * k
    bits = _bits(rows[:, :width])
    off = rng.integers(0, 2, bits.shape) * (rng.random((n, 1)) < 0.3)
    return bits + off.astype(np.uint16)


def vectors(rng, n, width):
    """n vectors of all families, or a little more."""
    share = -(-n // (len(FAMILIES) + 1))
    return np.concatenate([f(rng, share, width) for f in (*FAMILIES, pythagorean)])


def pairs(rng, n, width):
    """n pairs of vectors or a little more: of all families, and those whose products cancel."""
    a, b = vectors(rng, n // 2, width), vectors(rng, n // 2, width)
    rng.shuffle(b)
    parts = [(a, b), *near(rng, n // 5, width), *cancelling(rng, n // 5, width)]
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def near(rng, n, width):
    """Points close to each other, and products around ties, by a term of 2^-48 or none."""
    a = vectors(rng, n, width)
    step = rng.integers(-2, 3, a.shape)
    moved = (a + step).astype(np.uint16)
    b = np.where((moved & 0x7C00) == 0x7C00, a, moved)
    yield a, b
    if width < 3:
        return
    tie = np.zeros((n, width))
    number = rng.integers(1024, 2048, n)
    tie[:, 0], tie[:, 1], tie[:, 2] = number, 0.5, 2.0**-24
    factor = np.zeros((n, width))
    factor[:, 0] = factor[:, 1] = np.exp2(rng.integers(-14, 6, n))
    factor[:, 2] = rng.integers(-1, 2, n) * 2.0**-24
    yield _bits(tie), _bits(factor * _signs(rng, (n, 1)))


def cancelling(rng, n, width):
    """Products of which each undoes the one before, but for a last bit here and there."""
    a, b = alike(rng, n, width), alike(rng, n, width)
    if width > 1:
        pairs_of = width // 2 * 2
        a[:, 1:pairs_of:2] = b[:, 0:pairs_of:2]
        b[:, 1:pairs_of:2] = a[:, 0:pairs_of:2] ^ 0x8000
        a += (rng.random(a.shape) < 0.1).astype(np.uint16)
        a[(a & 0x7C00) == 0x7C00] = 0x3C00
    yield a, b


def special_vectors(width):
    """Zeros, infinities, NaNs and the ends of the range in up to two components, beside ones."""
    rows = []
    for first, second in itertools.product(_SPECIAL, repeat=2):
        for i, j in ((0, width - 1), (width // 2, 0)):
            row = np.full(width, 0x3C00, np.uint16)
            row[i], row[j] = first, second
            rows.append(row)
    return np.array(rows)


def special_pairs(width):
    rows = special_vectors(width)
    i, j = np.divmod(np.arange(len(rows) ** 2), len(rows))
    return rows[i], rows[j]
