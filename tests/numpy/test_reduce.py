"""Tests of reduce of NumPy's ufuncs and of statistics, for half and accelerated float16."""

import itertools
import tracemalloc

import numpy as np
import pytest
import reductions_oracle as exact
from any_halves import any_halves, bits, laid_out
from exhaustive import either, one_in, shared_out

import halfcl as hc
from halfcl import half

SHAPES = ((40, 7), (3, 5, 4), (20, 2, 6, 2), (64, 16), (33, 17))
EXTREMA = ("maximum", "minimum", "fmax", "fmin")


def axes_of(ndim):
    """Return None, each axis, and each pair of axes."""
    return (None, *range(ndim), *itertools.combinations(range(ndim), 2))


def rows_of(x, axis):
    """Return the elements of each result as a row."""
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    kept = [k for k in range(x.ndim) if k not in axes]
    return x.transpose(*kept, *axes).reshape(int(np.prod([x.shape[k] for k in kept])), -1)


@pytest.mark.parametrize("mode", exact.MODES)
def test_sums_are_rounded_once(kind, mode):
    """Compare sums along all axes with fractions."""
    x = any_halves(1, (6, 2, 5, 2)).view(kind)
    for axis in axes_of(x.ndim):
        with hc.rounding(mode), np.errstate(all="ignore"):
            got = x.sum(axis)
        assert got.dtype == kind
        for row, result in zip(rows_of(x, axis), np.ravel(got), strict=True):
            want = exact.round_to(sum(exact.fractions(row.view(half))), "half", mode)
            assert float(result) == float(want)


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_and_products_equal_halfcls(kind, shape):
    """Check all ways to call them, and all layouts."""
    for x in laid_out(any_halves(2, shape, 0x4400).view(kind)):
        for axis in axes_of(x.ndim):
            for keepdims in (False, True):
                options = {"axis": axis, "keepdims": keepdims}
                with np.errstate(all="ignore"):
                    want = hc.sum(x, **options), hc.prod(x, **options)
                    for got in (
                        (np.sum(x, **options), np.prod(x, **options)),
                        (np.add.reduce(x, **options), np.multiply.reduce(x, **options)),
                    ):
                        for one, other in zip(got, want, strict=True):
                            assert one.dtype == other.dtype == kind
                            assert np.shape(one) == np.shape(other)
                            assert np.array_equal(bits(one), bits(other))


def test_keywords(kind):
    x = any_halves(3, (30, 8), 0x5000).view(kind)
    where = x > 0
    for name, function in (("sum", hc.sum), ("prod", hc.prod)):
        own = getattr(np, name)
        with np.errstate(all="ignore"):
            for axis in (0, 1, None):
                assert np.array_equal(own(x, axis, where=where), function(x, axis, where=where))
                assert np.array_equal(
                    own(x, axis, dtype=np.float64), function(x, axis, dtype=np.float64)
                )
                got = own(x, axis, initial=kind.type(3))
                assert got.dtype == kind
                assert np.array_equal(got, function(x, axis, initial=3))
            out = np.zeros(30, kind)
            assert own(x, 1, out=out) is out
            assert np.array_equal(out, function(x, 1))
    empty = np.empty((0, 3), kind)
    assert empty.sum(0).tolist() == [0, 0, 0] and empty.prod(0).tolist() == [1, 1, 1]


def test_float16_is_numpys_after_acceleration():
    x = np.array([[60000, 1], [60000, 1], [-60000, 1]], np.float16)
    with hc.accelerated():
        assert x.sum(axis=0).tolist() == [60000, 3]
    with np.errstate(over="ignore"):
        assert x.sum(axis=0).tolist() == [np.inf, 3]


def test_float16_does_not_count_as_kernels():
    x = any_halves(4, (100, 3), 0x4000)
    with hc.accelerated():
        before = hc._core.kernels_run()
        x.sum(-1), x.max(-1), np.prod(x[:, :2], axis=0)
        assert hc._core.kernels_run() == before


@pytest.mark.parametrize("name", EXTREMA)
def test_extrema(kind, name):
    """Compare extrema of short and long rows with those of float32, in which halves are exact."""
    ufunc = getattr(np, name)
    for shape in (*SHAPES, (2000, 3), (5, 300, 2), (16, 4), (3, 16, 16)):
        x = any_halves(5, shape, 0x7C01)
        x.flat[::11] = np.nan
        x.flat[1::13] = -0.0
        x.flat[2::17] = 0.0
        for laid in laid_out(x):
            wide = laid.astype(np.float32)
            for axis in axes_of(laid.ndim):
                for keepdims in (False, True):
                    got = ufunc.reduce(laid.view(kind), axis=axis, keepdims=keepdims)
                    want = ufunc.reduce(wide, axis=axis, keepdims=keepdims)
                    assert got.dtype == kind and np.shape(got) == np.shape(want)
                    assert np.array_equal(np.asarray(got, np.float32), want, equal_nan=True)


def test_extrema_with_keywords_and_errors(kind):
    x = any_halves(6, (60, 4)).view(kind)
    wide = x.astype(np.float32)
    out = np.zeros(60, kind)
    assert x.max(1, out=out) is out and np.array_equal(out.astype(np.float32), wide.max(1))
    assert np.array_equal(x.max(1, initial=2, where=x > 0), wide.max(1, initial=2, where=wide > 0))
    assert np.maximum.reduce(x, 1, dtype=np.float32).dtype == np.float32
    assert np.array_equal(x[::2, None].max((1, -1)), x[::2].max(1))
    swapped = x.astype(kind.newbyteorder())
    assert np.array_equal(swapped.max(1).astype(np.float32), wide.max(1))
    for wrong in ({"axis": 2}, {"axis": (1, 1)}, {"axis": 1.5}, {"foo": 1}, {"out": ()}):
        with pytest.raises((TypeError, ValueError)):
            np.maximum.reduce(x, **wrong)
    with pytest.raises(ValueError, match="zero-size"):
        x[:, :0].max(1)
    with pytest.raises(ValueError, match="read-only"):
        out.flags.writeable = False
        x.max(1, out=out)


def test_subclasses(kind):
    x = any_halves(7, (60, 4), 0x5000).view(kind)
    matrix = x.view(np.matrix)
    assert type(matrix.max(1)) is type(matrix.sum(1)) is np.matrix
    assert np.array_equal(matrix.max(1), x.max(1, keepdims=True))
    assert np.array_equal(matrix.sum(1), x.sum(1, keepdims=True))
    masked = np.ma.masked_array(x, x > 1)
    with np.errstate(over="ignore"):  # numpy.ma's fill value overflows
        assert type(masked.sum(1)) is type(masked.max(1)) is np.ma.MaskedArray


# ---------------------------------------------------------------- statistics

STATISTICS = {
    "mean": (np.mean, hc.mean),
    "var": (np.var, hc.var),
    "std": (np.std, hc.std),
    "norm": (np.linalg.norm, hc.norm),
}


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_are_rounded_once(kind, name, mode):
    """Compare statistics with fractions; NumPy's own mean rounds its sum to float32 first."""
    function, _ = STATISTICS[name]
    x = any_halves(8, (12, 3, 5), 0x5800).view(kind)
    for axis in (None, 0, 1, 2, (0, 2)):
        with hc.rounding(mode), np.errstate(all="ignore"):
            got = function(x, axis=axis)
        assert got.dtype == kind
        for row, result in zip(rows_of(x, axis), np.ravel(got), strict=True):
            values = exact.fractions(row.view(half))
            assert float(result) == float(exact.statistic(name, values, "half", mode))


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_equal_halfcls(kind, name):
    function, own = STATISTICS[name]
    for x in laid_out(any_halves(9, (40, 3, 6), 0x5000).view(kind)):
        for axis in (None, *range(x.ndim), (0, 1)):
            for keepdims in (False, True):
                got = function(x, axis=axis, keepdims=keepdims)
                want = own(x, axis=axis, keepdims=keepdims)
                assert got.dtype == kind and np.shape(got) == np.shape(want)
                assert np.array_equal(bits(got), bits(want))
    x = any_halves(10, (30, 4), 0x5000).view(kind)
    if name == "norm":
        for ord, axis in ((2, 1), ("fro", (0, 1)), (None, None)):
            assert function(x, ord, axis) == pytest.approx(own(x, axis=axis), rel=0, abs=0)
        for ord, axis in ((1, 1), (np.inf, 0), (3, 1), (1, None), (-np.inf, (0, 1))):
            wide = function(x.astype(float), ord, axis)
            assert np.allclose(np.asarray(function(x, ord, axis), float), wide, rtol=4e-3)
        return
    where = x > 0
    assert np.array_equal(bits(function(x, 0, where=where)), bits(own(x, axis=0, where=where)))
    out = np.zeros(30, kind)
    assert function(x, 1, out=out) is out and np.array_equal(bits(out), bits(own(x, axis=1)))
    assert function(x, dtype=np.float64).dtype == np.float64
    with pytest.raises((TypeError, ValueError)):
        function(x, axis=2)
    if name != "mean":
        assert function(x, ddof=1) == own(x, ddof=1)
        assert function(x, mean=kind.type(2)) != function(x)


def test_statistics_of_too_few_elements_warn(kind):
    with pytest.warns(RuntimeWarning, match="Mean of empty"), np.errstate(invalid="ignore"):
        assert np.isnan(np.empty(0, kind).mean())
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        assert np.isnan(np.ones(1, kind).var(ddof=1))


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("mode", exact.MODES)
def test_nan_functions_are_rounded_once(kind, mode, name):
    """Check statistics that skip NaNs, and the warning for results without other numbers."""
    x = any_halves(6, (30, 7), 0x4400).view(kind)
    x[::4, ::3] = np.nan
    function = getattr(np, "nan" + name)
    for axis in (None, 0, 1, (0, 1)):
        for keepdims in (False, True):
            with hc.rounding(mode):
                got = function(x, axis, keepdims=keepdims)
                want = getattr(hc, name)(x, axis, keepdims=keepdims, where=~np.isnan(x))
            assert got.dtype == kind and np.shape(got) == np.shape(want)
            assert np.array_equal(bits(got), bits(want))
    for row in (x[0], x[1]):
        values = [exact.Fraction(float(v)) for v in row if not np.isnan(v)]
        with hc.rounding(mode):
            assert float(function(row)) == exact.statistic(name, values, "half", mode)
    out = np.zeros(7, kind)
    assert function(x, 0, out=out) is out and np.array_equal(out, function(x, 0))
    x[:, 2] = np.nan
    with pytest.warns(RuntimeWarning):
        empty = function(x, 0)
    assert empty.dtype == kind and np.isnan(empty).tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert np.array_equal(np.delete(empty, 2), function(np.delete(x, 2, 1), 0))


def test_initial_of_float16(kind):
    x = any_halves(7, (40, 5), 0x4000).view(kind)
    for number in (3, 0.5, np.float16(0.75), hc.half(0.75)):
        assert np.sum(x, 0, initial=number).tolist() == hc.sum(x, 0, initial=float(number)).tolist()
        assert np.prod(x[:3], 0, initial=number).dtype == kind


def test_averages(kind):
    x = any_halves(8, (40, 5), 0x4000).view(kind)
    assert np.array_equal(bits(np.average(x, 0)), bits(hc.mean(x, 0)))
    assert np.average(x, weights=np.ones_like(x)).dtype == kind
    mean, weight = np.average(x, 0, returned=True)
    assert mean.dtype == weight.dtype == kind and (weight == 40).all()


def test_norms_of_other_orders(kind):
    x = any_halves(9, (30, 6), 0x3C00).view(kind)
    assert np.array_equal(np.linalg.norm(x, 1, axis=0), np.abs(x).sum(0))
    assert np.linalg.norm(x[0], np.inf) == np.abs(x[0]).max()
    assert np.linalg.norm(x[0], -np.inf) == np.abs(x[0]).min()
    assert np.linalg.norm(x, 1) == np.abs(x).sum(0).max() and np.linalg.norm(x, 1).dtype == kind


def test_norms_of_one_axis_in_a_tuple_are_those_of_vectors(kind):
    x = any_halves(9, (30, 6), 0x3C00).view(kind)
    assert np.array_equal(np.linalg.norm(x, 2, axis=(0,)), np.linalg.norm(x, axis=0))
    for axis in ((0,), (-1,), 0):
        with pytest.raises(ValueError, match="norm order 'fro' for vectors"):
            np.linalg.norm(x, "fro", axis=axis)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_extrema_from_initial(kind, name):
    """Compare extrema with initial values and masks, in all layouts, with those of float64."""
    ufunc, rng = getattr(np, name), np.random.default_rng(7)
    bits = np.array([0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x3C00, 0xBC00, 1, 0x5000], np.uint16)
    for shape in ((4, 4), (3, 700), (700, 3), (16,), (5000,), (2, 3, 4)):
        x = rng.choice(bits[:: rng.integers(1, 3)], shape).view(kind)
        for y in (x, x.T, x[::-1], np.asfortranarray(x)):
            wide, where = y.astype(np.float64), rng.random(y.shape) < 0.3
            for axis in (None, *range(-y.ndim, y.ndim), tuple(range(y.ndim))):
                for options in (
                    {}, {"initial": 0.5}, {"initial": -np.inf, "where": where},
                    {"initial": kind.type(2), "where": where, "keepdims": True},
                    {"initial": np.nan},
                ):  # fmt: skip
                    got, want = (
                        ufunc.reduce(y, axis, **options),
                        ufunc.reduce(wide, axis, **options),
                    )
                    assert got.dtype == kind and np.shape(got) == np.shape(want)
                    assert isinstance(got, np.ndarray) == isinstance(want, np.ndarray)
                    assert np.array_equal(got, want, equal_nan=True)


def any_view(rng, x):
    """Return an array with its axes in any order, some of them reversed, strided or broadcast."""
    x = x.transpose(rng.permutation(x.ndim))
    x = x[tuple(slice(None, None, rng.choice([1, 1, -1, 2])) for _ in range(x.ndim))]
    return np.broadcast_to(x, (2, *x.shape)) if rng.random() < 0.2 else x


@one_in(2)
@shared_out
@pytest.mark.parametrize("threads", [1, 3])
def test_extrema_along_any_axes(kind, threads):
    """Compare extrema of drawn layouts, axes and options with those of float32."""
    rng = np.random.default_rng(threads)
    with hc.num_threads(threads):
        for turn in range(either(300, 31)):
            shape = rng.choice([1, 2, 3, 5, 17, 40], rng.integers(1, 5))
            if turn % 30 == 0:
                shape = rng.choice([2, 64, 100], 3)
            x = any_halves(turn, shape, 0x7C00 if turn % 3 else 0x7C20)
            x.flat[turn::7] = -0.0
            x[np.isnan(x)] = np.nan  # of signalling NaNs C's fmaxf makes NaNs
            x = any_view(rng, x)
            wide, axes = (
                x.astype(np.float32),
                rng.permutation(x.ndim)[: rng.integers(0, x.ndim + 1)],
            )
            options = {"axis": tuple(map(int, axes)), "keepdims": bool(rng.integers(2))}
            if rng.random() < 0.4:
                options["initial"] = float(rng.choice([-1, 0.25, np.inf, np.nan]))
                where = rng.random(x.shape[rng.integers(x.ndim) :]) < 0.7
                options["where"] = where if rng.random() < 0.5 else True
            for name in EXTREMA:
                with np.errstate(all="raise"):
                    got = getattr(np, name).reduce(x.view(kind), **options)
                    want = getattr(np, name).reduce(wide, **options)
                assert got.dtype == kind and np.shape(got) == np.shape(want)
                assert np.array_equal(np.asarray(got, np.float32), want, equal_nan=True)
                out = np.zeros(np.shape(want), kind)
                assert getattr(np, name).reduce(x.view(kind), **options, out=out) is out
                assert np.array_equal(out, got, equal_nan=True)


@pytest.mark.parametrize("axes", [(2, 3), (1, 3), (0, 1), (0, 2), (0, 3), 1, None])
def test_extrema_are_one_call_without_temporaries(axes):
    x = any_halves(8, (8, 64, 28, 28)).view(half)
    before = hc._core.kernels_run()
    x.max(axes), x.min(axes, keepdims=True)
    assert hc._core.kernels_run() == before + 2
    result = x.max(axes)
    tracemalloc.start()
    x.max(axes)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= result.nbytes + 4096


def test_error_for_wrong_initial(kind):
    x = np.arange(12).astype(kind).reshape(3, 4)
    for initial in ("a", 1j, [1, 2]):
        with pytest.raises((TypeError, ValueError)):
            np.maximum.reduce(x, initial=initial)
    with pytest.raises(ValueError):
        np.maximum.reduce(x, 1, where=np.ones((3, 4), bool))
    with pytest.raises(ValueError):
        np.maximum.reduce(x, 1, initial=0, where=np.ones(3, bool))
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        np.maximum.reduce(x, initial=1e9)


@pytest.mark.parametrize("out", [(), (1,), [1], (np.empty((), half),) * 2])
def test_errors_for_wrong_outputs_are_numpys(out):
    with pytest.raises((TypeError, ValueError)) as expected:
        np.add.reduce(np.ones(3, np.float32), out=out)
    for operand, dtype in ((np.ones(3, half), None), ([half(1)], None), (np.ones(3, bool), half)):
        with pytest.raises(expected.type):
            np.add.reduce(operand, dtype=dtype, out=out)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.nansum, np.max, np.cumsum])
def test_outputs_that_are_proxies_are_refused_as_by_numpy(kind, function):
    wrapt = pytest.importorskip("wrapt")
    x = any_halves(8, (2, 2), 0x4000).view(kind)
    for array in (x, wrapt.ObjectProxy(x)):
        with pytest.raises(TypeError, match=r"must be of ArrayType|output must be an array"):
            function(array, axis=0, out=wrapt.ObjectProxy(np.zeros(2, kind)))


def test_statistics_of_proxies_are_written_to_outputs(kind):
    wrapt = pytest.importorskip("wrapt")
    x = any_halves(8, (40,), 0x4000).view(kind)
    for function in (np.nanstd, np.var, np.nanmean, np.median):
        out = np.zeros((), kind)
        assert function(wrapt.ObjectProxy(x), out=out) is out
        assert np.isclose(out, function(x), rtol=2**-9)  # NumPy reads proxies as float16
