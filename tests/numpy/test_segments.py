"""Tests of accumulate and reduceat of NumPy's ufuncs, for half and accelerated float16."""

import numpy as np
import pytest
import reductions_oracle as exact
from any_halves import any_halves, bits, laid_out
from exhaustive import in_turn

import halfcl as hc
from halfcl import half

EXTREMA = ("maximum", "minimum", "fmax", "fmin")
SHAPES = ((70,), (40, 7), (3, 5, 40), (2, 300), (3000, 2), (2, 3), (20, 2, 6, 3))


def lines_of(x, axis):
    """Return the lines along an axis as rows."""
    return np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])


def running_results(lines, mode, multiplies):
    """Return exact running sums, or products, of lines of halves, rounded, as doubles."""
    results = np.empty(lines.shape)
    for k, line in enumerate(exact.fractions(lines)):
        total = 1 if multiplies else 0
        for i, number in enumerate(line):
            total = total * number if multiplies else total + number
            results[k, i] = exact.round_to(total, "half", mode)
    return results


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize("shape", [(300,), (6, 20), (5, 4, 3)])
def test_running_sums_are_rounded_once(kind, mode, shape):
    x = any_halves(1, shape).view(kind)
    for axis in range(x.ndim):
        want = running_results(lines_of(x, axis).astype(half), mode, False)
        with hc.rounding(mode), np.errstate(all="ignore"):
            results = (
                np.cumsum(x, axis), x.cumsum(axis), np.add.accumulate(x, axis),
                np.add.accumulate(x.astype(kind.newbyteorder()), axis),
            )  # fmt: skip
        for got in results:
            assert got.dtype == kind
            assert np.array_equal(lines_of(got.astype(float), axis), want)


@pytest.mark.parametrize("mode", exact.MODES)
def test_running_products_are_rounded_once(kind, mode):
    """Check products of short lines, which are exact in double."""
    x = any_halves(2, (50, 4)).view(kind)
    for y, axis in ((x, 1), (x.T, 0), (x[:4].T, 0), (np.ascontiguousarray(x.T), 0)):
        want = running_results(lines_of(y, axis).astype(half), mode, True)
        with hc.rounding(mode), np.errstate(all="ignore"):
            for got in (np.cumprod(y, axis), np.multiply.accumulate(y, axis)):
                assert got.dtype == kind
                assert np.array_equal(lines_of(got.astype(float), axis), want)


@pytest.mark.parametrize("shape", SHAPES)
def test_layouts(kind, shape):
    """Check that all layouts give the same bits, also with infinities and NaNs."""
    x = any_halves(3, shape, 0x4400)
    x.flat[5::31] = np.inf
    x.flat[9::97] = -np.inf
    x.flat[20::301] = np.nan
    for laid in (*laid_out(x), x.astype(">f2")) if x.ndim > 1 else (x, x[::-3], x.astype(">f2")):
        y = laid.view(kind.newbyteorder(laid.dtype.byteorder))
        for axis in range(y.ndim):
            with np.errstate(all="ignore"):
                for ufunc in (np.add, np.multiply):
                    got = ufunc.accumulate(y, axis)
                    lines = lines_of(y.astype(kind), axis)
                    want = [ufunc.accumulate(np.ascontiguousarray(line)) for line in lines]
                    assert np.array_equal(bits(lines_of(got, axis)), bits(np.array(want)))


@pytest.mark.parametrize("mode", exact.MODES)
def test_signs_of_zero(kind, mode):
    zeros = np.array([[-0.0, -0.0, 0.0, 1, -1, 0], [0.0, -0.0, 0.0, 0.0, 2, -2]], kind)
    down = mode == "rtn"
    want = np.array([[1, 1, down, 0, down, down], [0, down, down, down, 0, down]], bool)
    with hc.rounding(mode):
        for x, axis in ((zeros, 1), (zeros.T.copy(), 0), (zeros[0], 0)):
            got = np.moveaxis(np.add.accumulate(x, axis), axis, -1)
            assert np.array_equal(np.signbit(got), want[: got.shape[0]] if x.ndim > 1 else want[0])
        for line, signs in zip(zeros, want, strict=True):
            assert np.signbit(np.add.reduceat(line, [0, 2, 3])[0]) == signs[1]
            assert np.signbit(np.add.reduceat(line, [0])[0]) == signs[-1]


@in_turn
@pytest.mark.parametrize("name", EXTREMA)
@pytest.mark.parametrize("shape", SHAPES)
def test_running_extrema(kind, name, shape):
    """Compare running extrema with those of float32, in which halves are exact."""
    ufunc = getattr(np, name)
    x = any_halves(4, shape, 0x7C01)
    x.flat[7::43] = np.nan
    x.flat[1::13] = -0.0
    x.flat[2::17] = 0.0
    for laid in laid_out(x) if x.ndim > 1 else (x, x[::-3]):
        for axis in range(laid.ndim):
            got = ufunc.accumulate(laid.view(kind), axis)
            assert got.dtype == kind
            want = ufunc.accumulate(laid.astype(np.float32), axis)
            assert np.array_equal(got.astype(np.float32), want, equal_nan=True)


@pytest.mark.parametrize("name", ["add", "multiply", *EXTREMA])
def test_running_results_of_a_line_refuse_an_output_without_axes(kind, name):
    """NumPy would read the output's length, which it has not: the interpreter crashed."""
    x = any_halves(4, 6).view(kind)
    for out in (np.zeros((), kind), (np.zeros((), kind),), np.zeros((), np.float64)):
        with pytest.raises(ValueError, match=r"out: expected shape \(6,\), got \(\)"):
            getattr(np, name).accumulate(x, out=out)
    for function in (np.cumsum, np.cumprod, np.nancumsum):
        with pytest.raises(ValueError, match="out"):
            function(x.reshape(2, 3), out=np.zeros((), kind))


@pytest.mark.parametrize("name", ["subtract", "divide"])
def test_other_ufuncs_round_at_each_step(kind, name):
    ufunc = getattr(np, name)
    x = any_halves(5, (30, 9), 0x4800).view(kind)
    for mode in exact.MODES:
        for axis in (0, 1):
            with hc.rounding(mode), np.errstate(all="ignore"):
                got = np.moveaxis(ufunc.accumulate(x, axis), axis, 0)
                last = np.moveaxis(x, axis, 0)[0]
                for k, element in enumerate(np.moveaxis(x, axis, 0)):
                    last = ufunc(last, element) if k else element
                    assert np.array_equal(got[k], last, equal_nan=True)


@pytest.mark.parametrize("mode", exact.MODES)
def test_differences_are_rounded_once(kind, mode):
    x = any_halves(6, (40, 5, 3)).view(kind)
    for axis in range(3):
        lines = exact.fractions(lines_of(x, axis).astype(half))
        want = [float(exact.round_to(2 * line[0] - sum(line), "half", mode)) for line in lines]
        for keepdims in (False, True):
            with hc.rounding(mode), np.errstate(all="ignore"):
                got = np.subtract.reduce(x, axis, keepdims=keepdims)
            assert got.dtype == kind and got.ndim == 2 + keepdims
            assert got.astype(float).ravel().tolist() == want


STARTS = ([0, 3, 5, 5, 9], [0], [7, 2, 2, 30], list(range(0, 40, 3)), [39, 0, 39])


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize("name", ["add", "multiply"])
def test_segments_are_rounded_once(kind, mode, name):
    x = any_halves(7, (40, 3)).view(kind)
    ufunc = getattr(np, name)
    for y, axis in ((x[:, 0], 0), (x, 0), (x.T, 1), (np.asfortranarray(x), 0)):
        lines = exact.fractions(lines_of(y, axis).astype(half))
        for starts in STARTS:
            with hc.rounding(mode), np.errstate(all="ignore"):
                got = ufunc.reduceat(y, starts, axis)
            assert got.dtype == kind
            want = np.empty((len(lines), len(starts)))
            for k, line in enumerate(lines):
                for i, first in enumerate(starts):
                    end = starts[i + 1] if i + 1 < len(starts) else len(line)
                    segment = line[first : max(end, first + 1)]
                    total = np.prod(segment) if name == "multiply" else sum(segment)
                    want[k, i] = exact.round_to(total, "half", mode)
            assert np.array_equal(lines_of(got.astype(float), axis), want)


@pytest.mark.parametrize("name", ["add", "multiply", *EXTREMA])
def test_long_segments_and_specials(kind, name):
    """Compare long segments, and segments with special numbers, with the reductions of each."""
    ufunc = getattr(np, name)
    x = any_halves(8, 9000, 0x4400)
    x[100::1501] = np.inf
    x[200::2003] = np.nan
    x[300::7] = 0
    x[301::14] = -0.0
    starts = np.sort(np.random.default_rng(9).integers(0, 9000, 700))
    starts[300:] = np.arange(400) * 3  # short segments between two long ones
    with np.errstate(all="ignore"):
        for y in (x.view(kind), x[::-1].view(kind), x.astype(">f2").view(kind.newbyteorder(">"))):
            got = ufunc.reduceat(y, starts.astype(np.int32))
            for i, first in enumerate(starts):
                end = starts[i + 1] if i + 1 < len(starts) else 9000
                row = y[first : max(end, first + 1)]
                want = ufunc.reduce(row, initial=-0.0) if name == "add" else ufunc.reduce(row)
                assert np.array_equal(got[i : i + 1], [want], equal_nan=True)


def test_keywords(kind):
    x = any_halves(10, (30, 8), 0x4000).view(kind)
    want = np.cumsum(x, 1)
    out = np.zeros_like(x)
    assert np.cumsum(x, 1, out=out) is out and np.array_equal(out, want)
    assert np.add.accumulate(x, 1, None, (out,)) is out
    assert np.add.accumulate(x, axis=np.int64(-1), dtype=kind).tolist() == want.tolist()
    assert np.cumsum(x).tolist() == np.cumsum(x.ravel()).tolist()
    swapped = np.zeros(x.shape, kind.newbyteorder())
    assert np.add.accumulate(x, 1, out=swapped).tolist() == want.tolist()
    for dtype in (np.float32, np.float64):
        wide = np.cumsum(x, 1, dtype=dtype)
        assert wide.dtype == dtype
        assert np.array_equal(wide, np.cumsum(x.astype(np.float64), 1).astype(dtype))
    y = x.copy()
    assert np.array_equal(np.cumsum(y, 0, out=y), np.cumsum(x, 0))  # the output is the input
    segments = np.zeros((30, 2), kind)
    assert np.add.reduceat(x, [0, 4], 1, out=segments) is segments
    assert segments.tolist() == np.stack([x[:, :4].sum(1), x[:, 4:].sum(1)], 1).tolist()

    class Mine(np.ndarray):
        pass

    for call in (np.add.accumulate, np.maximum.accumulate, lambda a: np.add.reduceat(a, [0])):
        got = call(x.view(Mine))
        assert type(got) is Mine and got.tolist() == call(x).tolist()


def test_wide_outputs(kind):
    """Check that sums have the output's type, so that those beyond half's range raise nothing."""
    x = np.full(300, 60000, kind)
    for dtype in (np.float32, np.float64, np.dtype(np.float64).newbyteorder()):
        with np.errstate(all="raise"):
            out = np.zeros(300, dtype)
            assert np.add.accumulate(x, out=out) is out and np.cumsum(x, out=out) is out
            assert np.array_equal(out, 6e4 * np.arange(1, 301))
            assert np.add.reduceat(x, [0, 200], out=out[:2]).tolist() == [1.2e7, 6e6]
            if kind == np.float16:
                np.multiply.accumulate(x[:3], out=out[:3])
                assert out[2] == np.prod(x[:3], dtype=out.dtype.type)
    for ufunc in (np.add, np.multiply, np.maximum):
        with np.errstate(all="raise"), pytest.raises(ValueError):
            ufunc.accumulate(x, out=np.zeros(299, kind))


def test_errors_are_numpys(kind):
    x, out = np.ones((4, 3), kind), np.zeros((4, 3), kind)
    for call in (
        lambda: np.add.accumulate(x, 2),
        lambda: np.add.accumulate(x[0, 0]),
        lambda: np.add.accumulate(x, out=out[:3]),
        lambda: np.add.accumulate(x, axis=1.5),
        lambda: np.add.reduceat(x, [0, 4]),
        lambda: np.add.reduceat(x, [-1]),
        lambda: np.add.reduceat(x, [[0]]),
        lambda: np.add.reduceat(x),
        lambda: np.add.accumulate(),
        lambda: np.maximum.accumulate(x, 0, None, out[:, :2]),
    ):
        with pytest.raises((ValueError, TypeError, IndexError)):
            call()
    assert not out.any()
    assert np.add.accumulate(x[:0]).shape == (0, 3)
    assert np.maximum.accumulate(x[:, :0], 1).shape == (4, 0)
    assert np.add.reduceat(x[:, :0], [0, 2]).shape == (2, 0)
    assert np.add.reduceat(x, []).shape == (0, 3)


def test_overflow_is_reported(kind):
    x = np.full((3, 30), 60000, kind)
    for name, call in (
        ("accumulate", lambda: np.cumsum(x, 1)),
        ("accumulate", lambda: np.cumprod(x, 0)),
        ("reduceat", lambda: np.add.reduceat(x, [0, 2])),
    ):
        with pytest.warns(RuntimeWarning, match=f"overflow encountered in {name}"):
            assert np.isinf(call()).any()


def test_float16_is_numpys_after_acceleration():
    x = np.array([2048, 1, 1, 1], np.float16)
    with hc.accelerated():
        assert np.cumsum(x).tolist() == [2048, 2048, 2050, 2052]
    assert np.cumsum(x).tolist() == [2048, 2048, 2048, 2048]


def test_float16_does_not_count_as_kernels():
    with hc.accelerated():
        before = hc._core.kernels_run()
        x = np.ones((100, 3), np.float16)
        np.cumsum(x, 0), np.maximum.accumulate(x), np.add.reduceat(x, [0, 9])
        assert hc._core.kernels_run() == before
