"""Operands of the common functions of three arguments: hard cases, and random ones.

As in samples.py, halves are uint16 arrays of their bits.
"""

import numpy as np
import samples
from samples import finite, join, nearest, neighbours, product, spacing, value


def _fractions(rng, n):
    """Halves from 0 to 1, small ones as often as large ones."""
    return rng.integers(0, 0x3C01, n, np.uint16)


def _targets(rng, n):
    """Midpoints of halves; for every fourth, edges of the range; and now and then zero."""
    half = value(finite(rng, n))
    targets = np.where(
        np.arange(n) % 4 == 0, rng.choice(samples.EDGES, n), half + spacing(half) / 2
    )
    return np.where(np.arange(n) % 16 == 1, 0, targets)


# ---------------------------------------------------------------- mix


def _blends(rng, n):
    """Any x and y, and a from 0 to 1, or any."""
    return (
        finite(rng, n),
        finite(rng, n),
        np.where(rng.integers(0, 4, n), _fractions(rng, n), finite(rng, n)),
    )


def _similar_blends(rng, n):
    """y within a few binades of x."""
    x = finite(rng, n)
    with np.errstate(all="ignore"):
        y = nearest(value(x) * rng.uniform(-8, 8, n))
    return x, y, _fractions(rng, n)


def _aimed_blends(rng, n):
    """Return x, a, and the y that takes the blend to a target, or an ulp off."""
    x, a = finite(rng, n), _fractions(rng, n)
    with np.errstate(all="ignore"):
        y = nearest(value(x) + (_targets(rng, n) - value(x)) / value(a))
    return x, neighbours(y, rng), neighbours(a, rng)


def _aimed_weights(rng, n):
    """Return x, y, and the a that takes the blend to a target, or an ulp off."""
    x, y = finite(rng, n), finite(rng, n)
    with np.errstate(all="ignore"):
        a = nearest((_targets(rng, n) - value(x)) / (value(y) - value(x)))
    return x, y, neighbours(a, rng)


def _large_and_tiny(rng, n):
    """Return operands with x (1 - a) near a midpoint and a tiny y a that decides, or vice versa."""
    x = finite(rng, n)
    y = rng.integers(0, 0x2400, n, np.uint16) | (rng.integers(0, 2, n, np.uint16) << 15)
    a = nearest(rng.integers(1, 64, n) * np.ldexp(1.0, -rng.integers(5, 16, n)))
    with np.errstate(all="ignore"):
        rest = nearest(1 - value(a))
    return join((x, y, a), (y, x, rest), (neighbours(x, rng), y, neighbours(a, rng)))


def _exact_blends(rng, n):
    """Few bits everywhere: exact results, midpoints, ends."""
    x, y = (nearest(rng.integers(-64, 65, n) * np.ldexp(1.0, rng.integers(-4, 5, n))) for _ in "xy")
    return x, y, nearest(rng.integers(0, 33, n) / 32)


# ---------------------------------------------------------------- smoothstep


def _any_steps(rng, n):
    """Any edges in order, and x mostly between them."""
    with np.errstate(all="ignore"):
        edges = np.sort([value(finite(rng, n)), value(finite(rng, n))], axis=0)
        x = nearest(edges[0] + (edges[1] - edges[0]) * rng.uniform(-0.1, 1.1, n))
    return nearest(edges[0]), nearest(edges[1]), x


def _unit_steps(rng, n):
    """All x from 0 to 1, and what is next to that."""
    x = np.arange(0x3C20, dtype=np.uint16)
    zero, one = np.zeros_like(x), np.full_like(x, 0x3C00)
    return join((zero, one, x), (one, zero, x), (zero, one, x | 0x8000))


def _exact_steps(rng, n):
    """t of few bits: exact results and midpoints, and their neighbours."""
    width = np.ldexp(1.0, rng.integers(-10, 8, n))
    start = width * rng.integers(-8, 9, n)
    t = rng.integers(0, 257, n) / np.ldexp(1.0, rng.integers(0, 9, n))
    edge0, edge1, x = nearest(start), nearest(start + width), nearest(start + width * t)
    return join((edge0, edge1, x), (edge0, edge1, neighbours(x, rng)), (edge1, edge0, x))


def _thirds(rng, n):
    """Widths that are no powers of two: t = k / w, which is exact only now and then."""
    w = rng.integers(1, 2048, n)
    k = rng.integers(0, w + 1)
    scale = np.ldexp(1.0, rng.integers(-24, 5, n))
    return np.zeros(n, np.uint16), nearest(w * scale), nearest(k * scale)


def _ends(rng, n):
    """x within an ulp of an edge, which may be much smaller than the other: t next to 0 or 1."""
    edge0, edge1 = finite(rng, n), finite(rng, n)
    return join((edge0, edge1, neighbours(edge0, rng)), (edge0, edge1, neighbours(edge1, rng)))


def _close_steps(rng, n):
    """Return random operands whose result is within 2^-7 ulp of a half or a midpoint."""
    operands = join(_any_steps(rng, n), _thirds(rng, n))
    edge0, edge1, x = (value(bits) for bits in operands)
    with np.errstate(all="ignore"):
        t = (x - edge0) / (edge1 - edge0)
        result = t * t * (3 - 2 * t)
        steps = 2 * result / spacing(result)
        kept = (np.abs(steps - np.rint(steps)) < 2.0**-6) & (t > 0) & (t < 1)
    return tuple(bits[kept] for bits in operands)


# ---------------------------------------------------------------- the table

_SAMPLES = {
    "clamp": (_blends, _similar_blends),
    "mix": (
        _blends,
        _similar_blends,
        _aimed_blends,
        _aimed_weights,
        _large_and_tiny,
        _exact_blends,
    ),
    "smoothstep": (_any_steps, _unit_steps, _exact_steps, _thirds, _ends, _close_steps, _blends),
}


def triples(name):
    """Return the operands of a function of three halves: more than 2^18 triples."""
    rng = np.random.default_rng(list(name.encode()))
    anything = tuple(rng.integers(0, 1 << 16, (3, 1 << 15), np.uint16))
    special = product(samples.SPECIAL, samples.SPECIAL, samples.SPECIAL)
    return join(anything, special, *(make(rng, 1 << 16) for make in _SAMPLES[name]))
