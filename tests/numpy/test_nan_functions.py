"""Tests of NumPy's functions that skip NaNs: exact over the other elements, in blocks."""

import functools
import itertools
import tracemalloc
import warnings

import numpy as np
import pytest
import reductions_oracle as oracle
from exhaustive import either, in_turn, shared_out

import halfcl as hc

MODES = ("rte", "rtz", "rtp", "rtn")
NANS = np.array([0x7E00, 0xFE01, 0x7C01, 0xFDFF, 0x7FFF], np.uint16)
SHAPES = (
    ((300,), None), ((40_000,), None), ((20, 7), 1), ((7, 200), 0), ((70, 500), 1), ((500, 70), 0),
    ((40, 6, 9), (0, 2)), ((20_000, 5), 1), ((3, 20_000), 0), ((130, 130), None),
)  # fmt: skip
LAYOUTS = {
    "C": np.ascontiguousarray,
    "strided": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
}


def numbers_with_nans(rng, shape, share):
    x = np.asarray(rng.uniform(-2, 2, shape), np.float16)
    bits = x.view(np.uint16).reshape(-1)
    places = rng.random(bits.size) < share
    bits[places] = rng.choice(NANS, int(places.sum()))
    return x


def lines_of(x, axis):
    """Return lines of the reduced axes, one per result, in C order."""
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    kept = tuple(k for k in range(x.ndim) if k not in axes)
    return x.transpose(kept + axes).reshape(-1, int(np.prod([x.shape[k] for k in axes])))


@functools.lru_cache(1000)
def exact_result(name, content, mode, ddof):
    """Return the exact result of a line, by its bytes, rounded once."""
    line = np.frombuffer(content, np.float16)
    numbers = line[~np.isnan(line)]
    if name == "nansum":
        return oracle.statistic("sum", list(oracle.fractions(numbers)), "half", mode)
    if len(numbers) <= (0 if name == "nanmean" else ddof):
        return np.nan
    return oracle.statistic(name[3:], list(oracle.fractions(numbers)), "half", mode, ddof)


@shared_out
@pytest.mark.parametrize("kind", ["half", "float16"])
@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd"])
def test_results_are_those_of_the_numbers_rounded_once(name, kind):
    rng = np.random.default_rng(len(name))
    cases = itertools.product(SHAPES, (0, 0.15, 0.97))
    for k, ((shape, axis), share) in list(enumerate(cases))[:: either(1, 13)]:
        x, mode = numbers_with_nans(rng, shape, share), MODES[k % 4]
        ddof = 0 if name in ("nansum", "nanmean") else k % 3
        options = {"ddof": ddof} if ddof else {}
        y = list(LAYOUTS.values())[k % 5](x.view(hc.half) if kind == "half" else x)
        with hc.accelerated(), hc.rounding(mode), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            got = getattr(np, name)(y, axis=axis, **options)
        assert got.dtype.type is y.dtype.type
        results, lines = np.atleast_1d(got).reshape(-1).astype(float), lines_of(x, axis)
        assert len(results) == len(lines)
        for i in rng.choice(len(lines), min(len(lines), 12), replace=False):
            want = exact_result(name, lines[i].tobytes(), mode, ddof)
            assert results[i] == want or (np.isnan(want) and np.isnan(results[i])), (shape, i)


def test_product_takes_nans_as_one():
    x = np.array([[2, np.nan, -3], [np.nan, np.nan, np.nan]], hc.half)
    assert np.nanprod(x, axis=1).tolist() == [-6, 1] and np.nanprod(x) == -6
    assert np.nanprod(np.tile(x, 40), axis=0).tolist() == [2, 1, -3] * 40


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_nans_do_not_change_signs_of_zeros(mode, zero):
    x = np.array([[zero, np.nan] * 40] * 20, hc.half)
    with hc.rounding(mode):
        for axis, means in ((1, [zero] * 20), (None, [zero])):
            got = np.atleast_1d(np.nanmean(x, axis=axis))
            assert np.signbit(got).tolist() == np.signbit(means).tolist()
        few = np.nanmean(x[:, :10], axis=1)
        assert np.signbit(few).tolist() == [bool(np.signbit(zero))] * 20
        sums = [np.sum(np.array([zero, 0.0], hc.half)), np.nansum(x)]
        assert np.signbit(sums[0]) == np.signbit(sums[1])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nanmean", {}, "Mean of empty slice"),
        ("nanvar", {"ddof": 2}, "Degrees of freedom <= 0 for slice"),
        ("nanstd", {}, "Degrees of freedom <= 0 for slice"),
    ],
)
@pytest.mark.parametrize("shape", [(40, 6), (40, 60)])
@pytest.mark.parametrize("out", [False, True])
def test_too_few_numbers_warn_once_in_callers_file(name, options, message, shape, out):
    x = np.ones(shape, hc.half)
    x[3] = np.nan
    if options:
        x[5, :-2] = np.nan
    results = {"out": np.empty(40, hc.half)} if out else {}
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="raise"):
        warnings.simplefilter("always")
        got = getattr(np, name)(x, axis=1, **options, **results)
    assert [message in str(w.message) for w in caught] == [True]
    assert caught[0].filename == __file__
    assert np.flatnonzero(np.isnan(got)).tolist() == ([3, 5] if options else [3])


def test_overflow_of_one_row_is_reported_beside_row_of_nans():
    x = np.full((40, 70), 60000, hc.half)
    x[::2] = 1
    x[3] = np.nan
    with np.errstate(over="raise"):
        assert np.nanmean(x[[0, 1, 2, 5]], axis=1).tolist() == [1, 60000, 1, 60000]
        with pytest.raises(FloatingPointError, match="overflow"):
            np.nansum(x, axis=1)


@in_turn
@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd", "nanprod"])
@pytest.mark.parametrize(("shape", "axis"), [((2000, 1000), 1), ((1000, 2000), 0), ((4, 10**6), 0)])
def test_no_temporary_array_of_inputs_size(name, shape, axis):
    x = np.ones(shape, hc.half)
    x.reshape(-1)[::7] = np.nan
    with np.errstate(all="ignore"):
        getattr(np, name)(x[:10, :10], axis=axis)
        tracemalloc.start()
        results = getattr(np, name)(x, axis=axis)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < results.nbytes + 2**16
