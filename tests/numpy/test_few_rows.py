"""Tests of products of a few rows, or columns, and a matrix: values and flags."""

import functools
from fractions import Fraction

import numpy as np
import pytest
import reductions_oracle as exact
from any_halves import any_halves, bits
from exhaustive import in_turn, one_in

import halfcl as hc

#: Rows, terms and columns: each side of the counts at which the kernels change their way.
SHAPES = [
    (1, 1, 1), (1, 7, 40), (1, 64, 16), (1, 129, 33), (2, 30, 70), (3, 65, 17), (4, 16, 300),
    (5, 33, 64), (8, 12, 90), (9, 20, 50), (16, 24, 64), (17, 10, 80), (1, 2100, 9), (2, 1100, 5),
    (1, 3, 1100), (3, 5, 700),
]  # fmt: skip


def exact_product(a, b):
    """Return the product as integers, in units of 2^-48."""
    x, y = ((v.astype(np.float64) * 2.0**24).astype(np.int64).astype(object) for v in (a, b))
    return x @ y


def round_exactly(product, mode):
    return np.array([[exact.round_to(Fraction(v, 1 << 48), "half", mode) for v in r]
                     for r in product])  # fmt: skip


def expected_flags(product, toward_zero, mode):
    """Return the exceptions of one rounding: tiny before it and inexact, or too large after it."""
    flags = set()
    for value, result in zip(product.ravel(), toward_zero.ravel(), strict=True):
        if abs(value) < 1 << 34 and Fraction(result) != Fraction(value, 1 << 48):
            flags.add("underflow")
        # Beyond the greatest half by half of its last place, or less in some modes.
        signed_up = mode == "rtp" if value > 0 else mode == "rtn"
        limit = {"rte": 65520, "rtz": 65536}.get(mode, 65536)
        if abs(value) >= limit << 48 or (signed_up and abs(value) > 65504 << 48):
            flags.add("overflow")
    return flags


@functools.cache
def exact_outcomes(shape, data):
    """Return {mode: (product, exceptions)} of operands, of whichever kind they are."""
    with np.errstate(all="ignore"):
        product = exact_product(*operands(shape, data))
    rounded = {mode: round_exactly(product, mode) for mode in exact.MODES}
    return {
        mode: (rounded[mode], expected_flags(product, rounded["rtz"], mode)) for mode in exact.MODES
    }


def flags_of(call):
    """Return a call's result and the exceptions that it reports."""
    flags = set()
    with np.errstate(all="call", call=lambda kind, _: flags.add(kind)):
        result = call()
    return result, flags


def layouts(b):
    """Yield a matrix in several layouts: contiguous rows, contiguous columns, and neither."""
    yield b
    yield np.asfortranarray(b)
    yield np.repeat(np.repeat(b, 2, 0), 3, 1)[::2, ::3]
    yield np.repeat(b, 2, 0)[::2]
    yield b[::-1, ::-1].copy()[::-1, ::-1]
    yield np.frombuffer(b"\0" + b.tobytes(), np.uint8)[1:].view(b.dtype).reshape(b.shape)


def operands(shape, data):
    m, n, p = shape
    seed = sum(shape)
    if data == "numbers":
        rng = np.random.default_rng(seed)
        return (rng.uniform(-2, 2, s).astype(np.float16) for s in ((m, n), (n, p)))
    a, b = any_halves(seed, (m, n)), any_halves(seed + 1, (n, p))
    if data == "cancelling":  # Sums in double are inexact, and many are ties or zero.
        half = n // 2
        a[:, half : 2 * half] = -a[:, :half]
        b[half : 2 * half] = b[:half]
        b[: n // 3] *= np.float16(2**-9)
    elif data == "ties" and n > 2:  # The last term, lost in double, decides.
        signs = np.random.default_rng(seed).integers(0, 2, (2, p)) * 2 - 1
        a[:], b[:] = 1, 0
        a[:, -1], b[0], b[1], b[-1] = 2.0**-24, 2048, signs[0], signs[1] * 2.0**-24
    elif data == "integers":
        a, b = (np.rint(v.astype(np.float64) % 9 - 4).astype(np.float16) for v in (a, b))
    elif data == "tiny":
        a, b = (v * np.float16(2**-10) for v in (a, b))
    return a, b


@one_in(2)
@in_turn
@pytest.mark.parametrize("data", ["numbers", "any", "cancelling", "ties", "integers", "tiny"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_are_rounded_once(kind, shape, data):
    with np.errstate(all="ignore"):
        a, b = operands(shape, data)
    a, b = a.view(kind), b.view(kind)
    for mode, (want, flags) in exact_outcomes(shape, data).items():
        for at, right in enumerate(layouts(b)):
            operand = a[:, ::-1].copy()[:, ::-1] if at % 2 else a
            for call in (lambda x, y: x @ y, lambda x, y: (y.T @ x.T).T):
                with hc.rounding(mode):
                    got, reported = flags_of(lambda f=call, x=operand, y=right: f(x, y))
                assert got.dtype == kind
                assert np.array_equal(got.astype(float), want), (mode, at)
                assert reported == flags, (mode, at)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_infinities_and_nans(kind, shape):
    """Check results that are special, and those beside them."""
    rng = np.random.default_rng(0)
    m, n, p = shape
    a, b = rng.integers(-3, 4, (m, n)), rng.integers(-3, 4, (n, p))
    a, b = a.astype(np.float16), b.astype(np.float16)
    for special in (np.inf, -np.inf, np.nan):
        b[rng.integers(n), rng.integers(p)] = special
        with np.errstate(all="ignore"):
            want = a.astype(np.float64) @ b.astype(np.float64)
            invalid = np.isnan(want).any() and np.isinf(b).any() and not np.isnan(b).any()
        for right in layouts(b.view(kind)):
            got, reported = flags_of(lambda y=right: a.view(kind) @ y)
            assert np.array_equal(got.astype(float), want, equal_nan=True)
            if not np.isnan(b).any():
                assert reported == ({"invalid value"} if invalid else set())
    for special in (np.nan, -np.inf):
        rows = np.ones((m, n), np.float16)
        rows[0, -1] = special
        right = np.abs(any_halves(7, (n, p), 0x3C00)) + np.float16(2**-24)
        with np.errstate(all="ignore"):
            want = rows.astype(np.float64) @ right.astype(np.float64)
        got, reported = flags_of(lambda x=rows, y=right: x.view(kind) @ y.view(kind))
        assert np.array_equal(got[0].astype(float), want[0], equal_nan=True)
        assert np.array_equal(got[1:], want[1:].astype(np.float16))
        assert not reported
    signalling = np.full((n, p), 0x7D00, np.uint16).view(kind)
    got, reported = flags_of(lambda: rows.view(kind) @ signalling)
    assert np.isnan(got).all() and reported == {"invalid value"}


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize("columns", [5, 40, 1100])
def test_signs_of_zeros(kind, mode, columns):
    """Check sums of zeros, which start from +0, in either layout."""
    a = np.zeros((2, 6), np.float16).view(kind)
    b = np.full((6, columns), 3, np.float16).view(kind)
    with hc.rounding(mode):
        for zeros in (a, -a):
            negative = mode == "rtn" and np.signbit(zeros).any()
            for right in layouts(b):
                assert (np.signbit(zeros @ right) == negative).all()
        cancelled = np.array([[1, -1, 0, 0, 0, 0]] * 2, np.float16).view(kind)
        for right in layouts(b):
            assert (np.signbit(cancelled @ right) == (mode == "rtn")).all()


def test_outputs(kind):
    """Check outputs of any stride, and one that is an input."""
    a, b = any_halves(1, (3, 40), 0x4000).view(kind), any_halves(2, (40, 300), 0x4000).view(kind)
    want = a @ b
    wide = np.zeros((300, 3, 2), kind)
    np.matmul(a, b, out=wide[..., 1].T)
    assert np.array_equal(wide[..., 1].T, want) and not wide[..., 0].any()
    square = any_halves(3, (40, 40), 0x4000).view(kind)
    row = a[:1].copy()
    want = row @ square
    np.matmul(row, square, out=row)
    assert np.array_equal(bits(row), bits(want))


def test_stacks_and_swapped_bytes(kind):
    a, b = any_halves(4, (6, 2, 30), 0x4000), any_halves(5, (6, 30, 50), 0x4000)
    a, b = a.view(kind), b.view(kind)
    got = a @ b
    for k in range(len(a)):
        assert np.array_equal(bits(got[k]), bits(a[k] @ b[k]))
    swapped = b.astype(b.dtype.newbyteorder())
    assert np.array_equal(bits((a @ swapped).astype(kind)), bits(got))
    turned = b.transpose(0, 2, 1).copy().transpose(0, 2, 1)
    assert np.array_equal(bits(a @ turned), bits(got))


def has_invalid_product(a, b):
    """Return whether infinities meet zeros, or cancel where there is no NaN."""
    terms = a.astype(float)[:, :, None] * b.astype(float)
    zeros = (a[:, :, None] == 0) & np.isinf(b) | np.isinf(a[:, :, None]) & (b == 0)
    has_nan = np.isnan(terms).any(1)
    cancels = (terms == np.inf).any(1) & (terms == -np.inf).any(1) & ~has_nan
    return bool(zeros.any() or cancels.any())


def test_a_nan_hides_no_invalid_product(kind):
    """A fused multiply-add records nothing once its sum is a NaN."""
    rng = np.random.default_rng(6)
    values = np.array([0, 1, -2, np.inf, -np.inf, np.nan, 3], np.float16)
    for _ in range(300):
        rows, terms, columns = (
            rng.choice([1, 2, 8]),
            rng.integers(1, 40),
            rng.choice([1, 3, 17, 40]),
        )
        a = rng.choice(values, (rows, terms), p=rng.dirichlet(np.full(7, 0.4)))
        b = rng.choice(values, (terms, columns), p=rng.dirichlet(np.full(7, 0.4)))
        with np.errstate(all="ignore"):
            is_invalid = has_invalid_product(a, b)
        a, b = a.view(kind), b.view(kind)
        for x, y in ((a, b), (b.T, a.T), (a, np.asfortranarray(b)), (a[0], b)):
            raised = set()
            with np.errstate(all="call", call=lambda name, _, to=raised: to.add(name)):
                x @ y
            if x.ndim == 2 or rows == 1:
                assert ("invalid value" in raised) == is_invalid
