"""Tests of halfcl.matmul: in float32 within its bound, and exact."""

import numpy as np
import pytest
import reductions_oracle as exact
from exhaustive import either, shared_out

import halfcl as hc
from halfcl.reductions import _product as product

SHAPES = [
    ((5, 7), (7, 3)), ((7,), (7,)), ((5, 7), (7,)), ((7,), (7, 3)), ((2, 5, 7), (7, 3)),
    ((2, 1, 5, 7), (3, 7, 4)), ((4, 0), (0, 3)), ((0, 2), (2, 3)), ((1, 600), (600, 1)),
]  # fmt: skip


def random_halves(seed, shape, magnitude):
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape, dtype=int))
    bits = rng.integers(0, magnitude, n, np.uint16) | rng.integers(0, 2, n, np.uint16) << 15
    return bits.reshape(shape).view(hc.half)


def check(a, b, got, mode):
    """Assert that results lie between the rounded bounds of the exact ones."""
    x, y = exact.fractions(a), exact.fractions(b)
    sums, sizes = np.matmul(x, y), np.matmul(abs(x), abs(y))
    n = a.shape[-1]
    bound = exact.Fraction(n, 2**24 - n)
    for value, size, one in zip(np.ravel(sums), np.ravel(sizes), np.ravel(got), strict=True):
        low = exact.round_to(value - bound * size, "half", mode)
        high = exact.round_to(value + bound * size, "half", mode)
        assert low <= float(one) <= high


@pytest.mark.parametrize(("left", "right"), SHAPES, ids=str)
def test_results_are_within_bound(left, right):
    a, b = random_halves(1, left, 0x5000), random_halves(2, right, 0x5000)
    for mode in exact.MODES:
        with np.errstate(all="ignore"):
            got = hc.matmul(a, b, exact=False, rounding=mode)
            exact_product = hc.matmul(a, b, rounding=mode)
            with hc.rounding(mode):
                whole = a @ b
                assert np.array_equal(np.asarray(whole), np.asarray(hc.matmul(a, b)))
                loose = hc.matmul(a, b, exact=False)
        assert np.shape(got) == np.shape(whole)
        assert np.array_equal(np.asarray(exact_product), np.asarray(whole))
        if np.size(got) and a.size:
            check(a, b, got, mode)
            check(a, b, loose, mode)


@shared_out
def test_small_blocks(monkeypatch):
    a, b = random_halves(1, (3, 9, 70), 0x4000), random_halves(2, (70, 11), 0x4000)
    for block, length in ((100, 16), (7, 70), (1 << 10, 1000)):
        monkeypatch.setattr(product, "BLOCK", block)
        monkeypatch.setattr(product, "LENGTH", length)
        for mode in either(exact.MODES, ("rtp",)):
            check(a, b, hc.matmul(a, b, exact=False, rounding=mode), mode)
        check(a[0, 0], b, hc.matmul(a[0, 0], b, exact=False), "rte")


def test_product_of_integers_is_exact():
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 10, s).astype(hc.half) for s in ((50, 60), (60, 40)))
    want = a.astype(np.int64) @ b.astype(np.int64)
    for turned in (a, np.asfortranarray(a), a.astype(a.dtype.newbyteorder())):
        for mode in exact.MODES:
            got = hc.matmul(turned, b, exact=False, rounding=mode)
            assert got.tolist() == [
                [exact.round_to(exact.Fraction(int(v)), "half", mode) for v in r] for r in want
            ]


def test_infinities_nans_and_overflow():
    a = np.array([[np.inf, 1], [np.nan, 1], [6e4, 6e4]], hc.half)
    with np.errstate(all="ignore"):
        got = hc.matmul(a, np.array([[1], [1]], hc.half))
    assert got[0, 0] == np.inf and np.isnan(got[1, 0]) and got[2, 0] == np.inf
    assert hc.matmul(a[2:], np.array([[1], [-1]], hc.half)).tolist() == [[0]]
    with pytest.raises(FloatingPointError), np.errstate(over="raise"):
        hc.matmul(a[2:], np.array([[1], [1]], hc.half))


def test_dtypes_and_output():
    a, b = np.ones((2, 3), np.float16), np.ones((3, 2), np.int8)
    assert hc.matmul(a, a.T).dtype == np.float16 and hc.matmul(a, b).dtype == hc.half
    assert hc.matmul(a, a.T, exact=False).dtype == np.float16
    out = np.empty((2, 2), hc.half)
    assert hc.matmul(a, b, out=out) is out and (out == 3).all()
    assert type(hc.matmul(b[0].astype(hc.half), b[0])) is hc.half


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: hc.matmul(a, a), ValueError, "matmul: argument b: expected 3 rows"),
        (lambda a: hc.matmul(1, a), ValueError, "matmul: argument a: expected an array with axes"),
        (lambda a: hc.matmul(a.astype(float), a), TypeError, "matmul: argument a: expected half"),
        (lambda a: hc.matmul(np.ones((2, 2, 3), hc.half), np.ones((3, 3, 2), hc.half)), ValueError,
         "matmul: argument b: expected a stack"),
        (lambda a: hc.matmul(a, a.T, out=np.ones(3)), TypeError, "matmul: argument out: expected"),
        (lambda a: hc.matmul(a, a.T, rounding="up"), ValueError, "rounding: expected one of"),
    ],
)  # fmt: skip
def test_errors_name_argument(call, error, message):
    with pytest.raises(error, match=message):
        call(np.ones((2, 3), hc.half))
