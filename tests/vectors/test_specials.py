"""Tests of geometric functions of vectors among which some have infinities and NaNs.

The results of these follow from their special components alone, and those of the others are the
results of each vector by itself.
"""

import numpy as np
import pytest
from checks import invalid_operations
from exhaustive import in_turn, one_in

import halfcl as hc

SPECIALS = (0x7C00, 0xFC00, 0x7E00, 0xFE01)
SIGNALLING = (0x7C01, 0xFDFF)
LAYOUTS = {
    "C": np.ascontiguousarray,
    "strided": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "by component": lambda x: np.ascontiguousarray(x.T).T,
}


def draw(rng, n, width, kinds):
    """Return bits of n vectors: a third have special components, some beside a zero."""
    bits = rng.uniform(-4, 4, (n, width)).astype(np.float16).view(np.uint16)
    for row in range(0, n, 3):
        bits[row, rng.integers(0, width, rng.integers(1, 4))] = rng.choice(kinds)
        bits[row, rng.integers(0, width)] = 0 if row % 2 else rng.choice(kinds)
    bits[n // 2] = 0
    return bits


def is_signalling(bits):
    size = bits & 0x7FFF
    return bool(((size > 0x7C00) & (size < 0x7E00)).any())


def as_doubles(bits):
    return bits.view(np.float16).astype(np.float64)


def expect_length(terms):
    return np.inf if np.isinf(terms).any() else np.nan


def expect_normalized(x):
    if np.isnan(x).any():
        return np.full(x.shape, np.nan)
    infinite = np.isinf(x)
    ratio = np.float64(np.float16(1 / np.sqrt(infinite.sum())))
    return np.copysign(np.where(infinite, ratio, 0.0), x)


def expect_sum(terms):
    return terms.sum()  # of infinities of both signs, NaN


def invalid_terms(terms, *operands):
    """Return whether a product or a difference is a NaN of numbers."""
    return bool((np.isnan(terms) & ~np.isnan(operands).any(0)).any())


@np.errstate(all="ignore")
def expect(name, a, b):
    """Return a special result of two vectors of bits, and whether it is an invalid operation."""
    x, y = as_doubles(a), as_doubles(b)
    if name == "length":
        return expect_length(x), is_signalling(a)
    if name == "normalize":
        return expect_normalized(x), is_signalling(a)
    signalling = is_signalling(a) or is_signalling(b)
    if name == "distance":
        return expect_length(x - y), signalling or invalid_terms(x - y, x, y)
    assert name == "dot"
    products = x * y
    cancels = np.isin([np.inf, -np.inf], products).all() and not np.isnan(products).any()
    return expect_sum(products), signalling or invalid_terms(products, x, y) or cancels


def compute(name, x, y):
    """Return the results of vectors along the last axis, in float64, and whether one is invalid."""
    arguments = (x,) if name in ("length", "normalize") else (x, y)
    with invalid_operations() as raised:
        results = getattr(hc, name)(*arguments)
    return np.asarray(results).astype(np.float64), bool(raised)


def is_same(got, want):
    return np.array_equal(got, want, equal_nan=True) and np.array_equal(
        np.signbit(got)[~np.isnan(want)], np.signbit(want)[~np.isnan(want)]
    )


@one_in(2)
@in_turn
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [1, 2, 3, 4, 7, 16, 17, 40, 255, 300])
@pytest.mark.parametrize("name", ["length", "normalize", "distance", "dot"])
def test_vectors_with_specials_among_others(name, width, layout):
    rng = np.random.default_rng(width)
    for n, kinds in ((1, SPECIALS), (40, SPECIALS), (300, SPECIALS), (40, SPECIALS + SIGNALLING)):
        a, b = (draw(rng, n, width, kinds) for _ in range(2))
        is_special = ~np.isfinite(as_doubles(a)).all(-1) | ~np.isfinite(as_doubles(b)).all(-1)
        if name in ("length", "normalize"):
            is_special = ~np.isfinite(as_doubles(a)).all(-1)
        want, invalid = [], False
        for x, y, special in zip(a, b, is_special, strict=True):
            if special:
                result, is_invalid = expect(name, x, y)
                invalid |= is_invalid
            else:
                result, _ = compute(name, x.view(hc.half), y.view(hc.half))
            want.append(result)
        x, y = (LAYOUTS[layout](bits.view(hc.half)) for bits in (a, b))
        got, raised = compute(name, x, y)
        assert is_same(got, np.array(want))
        assert raised == invalid


@pytest.mark.parametrize("mode", ["rte", "rtz", "rtp", "rtn"])
def test_cross_products_with_specials_are_dot_products_of_components(mode):
    rng = np.random.default_rng(5)
    a, b = (draw(rng, 300, 3, SPECIALS).view(hc.half) for _ in range(2))
    with invalid_operations() as raised:
        got = hc.cross(a, b, rounding=mode)
    with invalid_operations() as expected:
        for k in range(3):
            x = np.stack([a[:, (k + 1) % 3], a[:, (k + 2) % 3]], -1)
            y = np.stack([b[:, (k + 2) % 3], -b[:, (k + 1) % 3]], -1)
            want = [hc.dot(one, other, rounding=mode) for one, other in zip(x, y, strict=True)]
            assert is_same(got[:, k].astype(float), np.array(want).astype(float))
    assert raised == expected[:1]


def test_canonical_nan_replaces_payloads():
    x = np.full((40, 3), 0xFE01, np.uint16).view(hc.half)
    for result in (hc.length(x), hc.normalize(x), hc.dot(x, x), hc.norm(x, axis=1)):
        assert (result.view(np.uint16) == 0x7E00).all()
