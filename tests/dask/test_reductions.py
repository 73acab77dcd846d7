"""Tests of exact reductions of Dask arrays: equal bits for all chunks, orders and threads."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from exhaustive import either, in_turn, one_in, shared_out
from packages import later

import halfcl as hc
from halfcl import half
from halfcl.reductions import Accumulator

dask = later("dask")
da = later("dask.array")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

STATISTICS = "sum mean var std sumsq norm".split()


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def halves(shape, seed=0):
    """Return random halves of all magnitudes, which cancel."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 0x7C00, shape) | rng.integers(0, 2, shape) << 15
    return bits.astype(np.uint16).view(half)


def assert_same(got, expected):
    value = got.compute()
    assert got.shape == np.shape(value) == np.shape(expected)
    assert got.dtype == value.dtype == expected.dtype
    assert np.asarray(value).tobytes() == np.asarray(expected).tobytes()


@in_turn
@shared_out
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("axis", [None, 0, (0, 2), -1], ids=str)
def test_reduction_equals_numpys_for_any_chunks(statistic, axis):
    x = halves((6, 5, 7))
    function, keepdims = getattr(hc, statistic), axis == 0
    expected = function(x, axis=axis, keepdims=keepdims)
    wide = function(x, axis=axis, dtype=np.float64, rounding="rtn")
    all_chunks = ((2, 5, 3), ((1, 0, 5), (2, 3), (7,)), (1, 1, 1), (6, 5, 7))
    for chunks in all_chunks[: either(4, 2)]:
        d = da.from_array(x, chunks=chunks)
        assert_same(function(d, axis=axis, keepdims=keepdims), expected)
    assert_same(function(d, axis=axis, dtype=np.float64, rounding="rtn"), wide)


def exact_sum(x):
    return sum(Fraction(float(v)) for v in x.ravel())


def test_sums_are_exact():
    """Compare with fractions sums whose partial sums are not exact in float64."""
    x = np.concatenate([halves(3000), -halves(3000), halves(50, 1)])
    expected = float(exact_sum(x))
    rng = np.random.default_rng(2)
    for pieces in (1, 7, 200):
        cuts = np.sort(rng.integers(0, x.size, pieces - 1))
        chunks = tuple(np.diff([0, *cuts, x.size]).tolist())
        d = da.from_array(rng.permutation(x), chunks=(chunks,))
        assert hc.sum(d, dtype=np.float64).compute() == expected


@pytest.mark.parametrize("split_every", [2, 3, 1000])
def test_trees_of_any_width(split_every):
    x = halves((300, 4))
    with dask.config.set(split_every=split_every):
        assert_same(hc.std(da.from_array(x, chunks=(3, 1)), axis=0), hc.std(x, axis=0))


def test_threads_and_orders():
    x = halves((1 << 10,))
    rng = np.random.default_rng(0)
    for seed, workers in product(range(2), (1, 4)):
        d = da.from_array(x, chunks=97)[rng.permutation(x.size)]
        lazy = hc.sum(d), hc.var(d), hc.sumsq(d.reshape(32, 32).T)
        with dask.config.set(scheduler="threads", num_workers=workers):
            got = dask.compute(*lazy)
        assert got == (hc.sum(x), hc.var(x), hc.sumsq(x)), seed


def test_where_initial_and_ddof():
    x, use = halves((6, 8)), np.arange(48).reshape(6, 8) % 3 > 0
    d, chosen = da.from_array(x, chunks=(4, 3)), da.from_array(use, chunks=(5, 5))
    for statistic in STATISTICS:
        function = getattr(hc, statistic)
        assert_same(function(d, axis=1, where=chosen), function(x, axis=1, where=use))
        assert_same(function(d, axis=0, where=use[0]), function(x, axis=0, where=use[0]))
    assert_same(hc.sum(d, axis=0, initial=2.5), hc.sum(x, axis=0, initial=2.5))
    assert_same(hc.sum(d, initial=0.1, rounding="rtp"), hc.sum(x, initial=0.1, rounding="rtp"))
    assert_same(hc.std(d, ddof=1), hc.std(x, ddof=1))
    y = halves(8, 1)
    assert_same(hc.vdot(d, y, axis=1), hc.vdot(x, y, axis=1))
    assert_same(hc.vdot(y, d, where=use), hc.vdot(y, x, where=use))


@shared_out
def test_infinities_and_nans():
    for special in ([np.inf], [np.inf, -np.inf], [np.nan], [np.nan, np.inf], [-0.0], []):
        x = np.array([*special, *[-0.0] * 5], half)
        for chunk, mode in product((2, 6), either(hc.MODES, ("rtn",))):
            d = da.from_array(x, chunks=chunk)
            for statistic in ("sum", "norm"):
                function = getattr(hc, statistic)
                assert_same(function(d, rounding=mode), function(x, rounding=mode))


def test_prod():
    """Check products of powers of two, which are exact."""
    x = 2.0 ** np.random.default_rng(0).integers(-3, 4, (40, 3))
    x = hc.convert(x, half)
    for chunk in (1, 3, 40):
        assert_same(hc.prod(da.from_array(x, chunks=chunk), axis=0), hc.prod(x, axis=0))


def test_regions():
    x = halves((4, 50))
    for mode in hc.MODES:
        with hc.rounding(mode):
            d = hc.mean(da.from_array(x, chunks=(3, 20)), axis=1)
        assert_same(d, hc.mean(x, axis=1, rounding=mode))


# ---------------------------------------------------------------- running sums


@shared_out
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_cumsum(axis, mode):
    x = halves((9, 11))
    x[3, 4], x[7, 2] = np.inf, -0.0
    for chunks in ((4, 3), ((2, 0, 7), (11,)), (1, 1), (9, 11))[: either(4, 2)]:
        d = da.from_array(x, chunks=chunks)
        for dtype in (None, np.float64):
            assert_same(hc.cumsum(d, axis, dtype, rounding=mode),
                        hc.cumsum(x, axis, dtype, rounding=mode))  # fmt: skip


def test_cumsum_is_exact():
    x = np.concatenate([halves(200), -halves(200)])
    running, expected = Fraction(0), []
    for value in x:
        running += Fraction(float(value))
        expected.append(float(running))
    got = hc.cumsum(da.from_array(x, chunks=37), dtype=np.float64).compute()
    assert got.tolist() == expected


def test_cumsum_continued_by_accumulator():
    """Check running sums of sections, also where they are beyond half's range."""
    x = np.concatenate([np.full(9000, 65504), [-0.0, 1], np.full(9000, -65504)]).astype(half)
    x = np.stack([x, -x], axis=1)
    for dtype, mode in product((half, np.float32, np.float64), hc.MODES):
        so_far = Accumulator("sum", axis=0)
        parts = [
            so_far.cumsum(p, dtype=dtype, rounding=mode) for p in np.split(x, [1, 5000, 17000])
        ]
        expected = hc.cumsum(x, 0, dtype, rounding=mode)
        assert np.concatenate(parts).tobytes() == expected.tobytes()
    assert so_far.result().tolist() == [1, -1]
    with pytest.raises(ValueError, match=r"expected a sum along one axis, got 'mean'"):
        Accumulator("mean", axis=0).cumsum(x)
    with pytest.raises(ValueError, match=r"got 'sum' along 2"):
        Accumulator("sum").cumsum(x)
    with pytest.raises(ValueError, match="whose results have shape"):
        so_far.cumsum(x[:, :1])


# ---------------------------------------------------------------- products of matrices


SHAPES = [
    ((7, 9), (9, 5)), ((9,), (9, 5)), ((7, 9), (9,)), ((9,), (9,)), ((7, 9), (2, 9, 5)),
    ((2, 7, 9), (3, 1, 9, 5)),
]  # fmt: skip


@one_in(2)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(shapes):
    a, b = (halves(shape, seed) for seed, shape in enumerate(shapes))
    for mode in ("rte", "rtn"):
        expected = hc.matmul(a, b, rounding=mode)
        for chunk in (2, 4, 9):
            d, e = da.from_array(a, chunks=chunk), da.from_array(b, chunks=min(chunk + 1, 9))
            assert_same(hc.matmul(d, e, rounding=mode), expected)
        assert_same(hc.matmul(a, e, rounding=mode), expected)
    whole = [np.round(x.astype(float) % 16).astype(half) for x in (a, b)]  # float32 is exact
    d, e = (
        da.from_array(x, chunks=(*(2,) * max(x.ndim - 2, 0), *(9,) * min(x.ndim, 2))) for x in whole
    )
    assert_same(hc.matmul(d, e, exact=False), hc.matmul(*whole))


def test_errors_of_matmul():
    d = da.ones((4, 4), chunks=2, dtype=half)
    for call, error, text in (
        (
            lambda: hc.matmul(d, d, exact=False),
            ValueError,
            r"matmul: argument a: expected one chunk .* a\.rechunk",
        ),
        (
            lambda: hc.matmul(d.rechunk({1: -1}), d, exact=False),
            ValueError,
            r"argument b: .*exact=True",
        ),
        (lambda: hc.matmul(d, d[:3]), ValueError, "matmul: argument b: expected 4 rows"),
        (lambda: hc.matmul(d, d[0, 0]), ValueError, "matmul: argument b: expected axes"),
        (lambda: hc.matmul(d, d.astype(float)), TypeError, "matmul: argument a: expected half"),
        (lambda: hc.matmul(d, d, np.ones(3)), TypeError, "matmul: argument out"),
    ):
        with pytest.raises(error, match=text):
            call()
