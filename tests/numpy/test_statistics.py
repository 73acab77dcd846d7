"""Tests of NumPy's functions whose intermediate results overflow half, such as var and norm."""

import contextlib
import inspect
import math
import operator
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import in_turn
from numpy.testing import assert_array_equal

import halfcl as hc
from halfcl import half
from halfcl._numpy.statistics import FUNCTIONS
from halfcl.reductions import Accumulator

HALF = np.dtype(half)


@pytest.fixture(scope="module")
def many():
    x = np.random.default_rng(0).normal(0.6, 0.01, 1 << 20).astype(np.float16).view(half)
    x[::3] = 0.25
    return x


def exact_variance(x):
    counts = dict(zip(*np.unique(x, return_counts=True), strict=True))
    n = sum(map(int, counts.values()))
    mean = sum(Fraction(float(v)) * int(c) for v, c in counts.items()) / n
    return sum((Fraction(float(v)) - mean) ** 2 * int(c) for v, c in counts.items()) / n


def nearest(exact, mode="rte"):
    return half(Fraction(exact), rounding=mode)


def test_statistics_of_many_halves(many):
    variance = exact_variance(many)
    values, counts = np.unique(many, return_counts=True)
    squares = sum(Fraction(float(v)) ** 2 * int(c) for v, c in zip(values, counts, strict=True))
    total = sum(Fraction(float(v)) * int(c) for v, c in zip(values, counts, strict=True))
    deviation, length = (Fraction(math.sqrt(x)) for x in (variance, squares))
    for call, exact in (
        (np.var, variance),
        (np.ndarray.var, variance),
        (np.nanvar, variance),
        (np.std, deviation),
        (np.ndarray.std, deviation),
        (np.nanstd, deviation),
        (np.nanmean, total / many.size),
        (np.linalg.norm, length),
        (np.linalg.vector_norm, length),
        (lambda x: np.linalg.matrix_norm(x.reshape(1024, -1)), length),
        (lambda x: np.average(x, weights=x), squares / total),
        (lambda x: np.trapezoid(x, dx=half(0.03125)),
         (total - (Fraction(float(many[0])) + Fraction(float(many[-1]))) / 2) / 32),
    ):  # fmt: skip
        got = call(many)
        assert type(got) is half and got == nearest(exact), call


def test_variance_is_rounded_once_in_mode_of_region(many):
    for mode in hc.MODES:
        with hc.rounding(mode):
            assert np.var(many) == nearest(exact_variance(many), mode)


def test_axes_out_and_where(many):
    m = many.reshape(2, -1, 2)
    for call in (np.var, np.std, np.nanmean, np.nanvar, np.nanstd):
        expected = call(m.astype(float), axis=(0, 1), keepdims=True).astype(half)
        got = call(m, axis=(0, 1), keepdims=True)
        assert got.dtype == HALF and got.shape == (1, 1, 2) and (got == expected).all()
        out = np.zeros((2,), half)
        assert call(m, axis=(0, 1), out=out) is out and (out == expected).all()
        wide = np.zeros((2,), np.float32)
        assert call(m, axis=(0, 1), out=wide) is wide
        assert np.allclose(wide, call(m.astype(float), axis=(0, 1)), rtol=1e-6)
        where = m > 0.5
        assert call(m, where=where) == half(call(m.astype(float), where=where))
        assert call(m, dtype=np.float64).dtype == np.float64
    assert np.linalg.norm(m, axis=1).dtype == HALF
    average, total = np.average(m[0, :5], axis=0, weights=half([1, 2, 3, 4, 5]), returned=True)
    assert average.dtype == total.dtype == HALF and (total == 15).all()


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_short_rows_with_nans(kind, name, mode):
    """Compare rows with NaNs with the same rows without them; too few numbers make NaN."""
    rng = np.random.default_rng(8)
    skipping, plain = getattr(np, "nan" + name), getattr(np, name)
    for shape in ((40, 3), (100, 2), (30, 32), (5, 4, 20)):
        x = (rng.normal(size=shape) * 2.0 ** rng.integers(-9, 6, shape)).astype(kind)
        x[rng.random(shape) < 0.2] = np.nan
        x[::3] = np.where(np.isnan(x[::3]), x[::3], kind.type(-0.0))
        x[3::7] = np.where(np.isnan(x[3::7]), x[3::7], kind.type(0))
        x[1, ..., :] = np.nan
        for ddof in (0, 1) if name != "mean" else (0,):
            options = {"ddof": ddof} if ddof else {}
            for axis in (-1, 0):
                y = np.moveaxis(x, axis, -1)
                want = np.full(y.shape[:-1], np.nan, kind)
                with hc.rounding(mode), warnings.catch_warnings():
                    for index in np.ndindex(want.shape):
                        row = y[index][~np.isnan(y[index])]
                        if row.size > ddof:
                            want[index] = plain(row, **options)
                    warnings.simplefilter("ignore")
                    got = skipping(x, axis, keepdims=True, **options).reshape(want.shape)
                assert got.dtype == kind
                assert np.array_equal(np.isnan(got), np.isnan(want))
                number = ~np.isnan(got)
                assert np.array_equal(got[number].view("u2"), want[number].view("u2"))


def test_short_rows_of_nans_warn(kind):
    x = np.ones((50, 3), kind)
    x[7] = np.nan
    for call, message in ((np.nanmean, "Mean of empty"), (np.nanstd, "Degrees of freedom")):
        with np.errstate(all="raise"), pytest.warns(RuntimeWarning, match=message) as caught:
            assert np.isnan(call(x, 1)).tolist() == [k == 7 for k in range(50)]
        assert caught[0].filename == __file__


def test_wide_results(kind):
    """Check that results with a keyword dtype are rounded once to it."""
    x = np.random.default_rng(9).normal(0.6, 0.01, (30, 7)).astype(kind)
    for dtype in (np.float32, np.float64):
        got = np.mean(x, 0, dtype=dtype), np.var(x, 0, dtype=dtype), np.std(x, 0, dtype=dtype)
        for column, *results in zip(x.T, *got, strict=True):
            terms = [Fraction(float(v)) for v in column]
            mean = sum(terms) / 30
            variance = sum((v - mean) ** 2 for v in terms) / 30
            assert [type(v) for v in results] == [dtype] * 3
            assert results[0] == dtype(float(mean)) and results[1] == dtype(float(variance))
            assert abs(results[2] - math.sqrt(variance)) <= np.spacing(results[2])
    assert np.mean(x, dtype=np.int64) == 0 and np.mean(x, dtype=complex).dtype == complex


def test_weights(kind):
    """Check weighted means whose sums overflow float16, in all layouts, and their types."""
    rng = np.random.default_rng(5)
    x = (rng.normal(size=(9, 5)) * 2.0 ** rng.integers(-8, 12, (9, 5))).astype(kind)
    weights = rng.uniform(0.1, 400, x.shape).astype(kind)
    exact = [[Fraction(float(v)) for v in column] for column in x.T]
    shares = [[Fraction(float(v)) for v in column] for column in weights.T]
    want = [
        nearest(sum(map(operator.mul, column, share)) / sum(share))
        for column, share in zip(exact, shares, strict=True)
    ]
    for turned in (False, True):
        a, w = (y.T.copy() if turned else y for y in (x, weights))
        got, whole = np.average(a, int(turned), w), np.average(a, int(turned), w, returned=True)
        assert got.dtype == whole[0].dtype == whole[1].dtype == kind and got.tolist() == want
        assert np.average(a, int(turned), w, keepdims=True).ravel().tolist() == want
    assert type(np.average(x, weights=weights)) is kind.type
    assert np.average(x, 0, weights.astype(np.float32)).dtype == np.float32
    with pytest.raises(ZeroDivisionError):
        np.average(x, weights=0 * weights)
    with pytest.raises(TypeError):
        np.average(x, weights=weights[0])


def test_trapezoid():
    rng = np.random.default_rng(6)
    x = (rng.normal(size=(9, 5)) * 2.0 ** rng.integers(-8, 12, (9, 5))).astype(half)
    for dx in (1.0, 2, 0.375):
        for axis in (0, -1):
            lines = np.moveaxis(x, axis, -1).astype(object)
            lines = [[Fraction(float(v)) for v in line] for line in lines]
            want = [nearest((sum(v) - (v[0] + v[-1]) / 2) * Fraction(dx)) for v in lines]
            assert np.trapezoid(x, dx=dx, axis=axis).tolist() == want
    for few in (x[:1], x[:0]):
        assert np.trapezoid(few, axis=0).tolist() == [0] * 5
    with pytest.raises((IndexError, ValueError)):
        np.trapezoid(x, axis=2)


def test_types_are_float16s():
    """Check types of results of half and other operands; other arrays are unaffected."""
    x = [1, 2, 4]
    for weights in ([1, 2, 3], np.float32([1, 2, 3]), np.int8([1, 2, 3]), None):
        got = np.average(np.array(x, half), weights=weights).dtype
        expected = np.average(np.array(x, np.float16), weights=weights).dtype
        assert got == (HALF if expected == np.float16 else expected)
    for dx in (2.0, 2, np.float32(2), np.float64(2)):
        got = np.trapezoid(np.array(x, half), dx=dx).dtype
        expected = np.trapezoid(np.array(x, np.float16), dx=dx).dtype
        assert got == (HALF if expected == np.float16 else expected)
    assert np.var(np.float32(x)).dtype == np.float32 and np.nanmean(x) == 7 / 3
    assert np.var(np.array(x, half), mean=half(2)) == half(5 / 3)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_classes_of_arrays():
    assert type(np.matrix([[1, 2], [3, 4]]).astype(half).var(axis=0)) is np.matrix
    assert np.ma.array([1, 2, 9], half, mask=[0, 0, 1]).var() == half(0.25)
    large = np.ma.array(np.full((3, 4), 60000), half, mask=np.eye(3, 4))
    assert np.ma.average(large) == half(60000) and type(np.ma.average(large)) is half
    rows = np.ma.average(large, axis=1, weights=half([8, 8, 8, 8]))
    assert type(rows) is np.ma.MaskedArray and rows.dtype == HALF and (rows == half(60000)).all()
    assert np.ma.average(np.ma.masked_all(3, half)) is np.ma.masked
    assert hc.half4(1, 2, 3, 4).var() == half(1.25)
    assert half(3).var() == 0 and np.std(half(3)) == 0


def test_functions_are_the_same_objects():
    """Check that functions keep their identity, signatures, docstrings and places of warnings."""
    for function in (np.nanmean, np.average, np.trapezoid, np.linalg.norm):
        assert pickle.loads(pickle.dumps(function)) is function
    assert list(inspect.signature(np.nanmean).parameters)[:3] == ["a", "axis", "dtype"]
    assert "nan" in np.nanmean.__doc__
    for call in (np.nanmean, np.var):
        with pytest.warns(RuntimeWarning) as caught:
            call(np.array([]))
        if call is np.nanmean:
            assert caught[0].filename == __file__  # the same as without halfcl


def test_warnings_of_half():
    for call, message in ((np.nanmean, "Mean of empty"), (np.var, "Degrees of freedom")):
        with np.errstate(invalid="ignore"), pytest.warns(RuntimeWarning, match=message):
            assert np.isnan(call(np.array([], half)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.nanvar(half([60000, -60000, np.nan]) / 512) == half(13733)
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert np.var(half([60000, -60000])) == np.inf


@pytest.mark.parametrize("optimize", [False, True])
def test_einsum(optimize):
    rng = np.random.default_rng(0)
    m, k = (rng.normal(0, 10, s).astype(half) for s in ((5, 7), (7, 3)))
    got = np.einsum("ij,jk->ik", m, k, optimize=optimize)
    assert got.dtype == HALF and (got == m @ k).all()  # both are rounded once
    assert np.einsum(m, [0, 1], [1, 0], optimize=optimize).shape == (7, 5)
    assert np.einsum("ij->", half([[6e4, 6e4], [-6e4, 1]]), optimize=optimize) == 60000
    out = np.zeros((5, 3), half)
    assert np.einsum("ij,jk->ik", m, k, out=out, optimize=optimize) is out and (out == got).all()
    single = np.einsum("ij,jk->ik", m, k.astype(np.float32), optimize=optimize)
    assert single.dtype == np.float32
    assert np.einsum("ij->j", m, dtype=np.float64).dtype == np.float64
    whole = np.einsum(
        "ij->", np.full((3, 4), 2049), dtype=half, casting="unsafe", optimize=optimize
    )
    assert whole == 12 * 2048 and whole.dtype == HALF
    with pytest.raises(TypeError, match="safe"):
        np.einsum("ij->", np.full((3, 4), 0.1), dtype=half, optimize=optimize)
    assert np.einsum("ij,ij->", m.astype(HALF.newbyteorder()), m) == np.vdot(m, m)
    assert type(np.einsum("i,i->", m[0], m[0])) is half
    square = np.zeros((3, 3), half)
    np.einsum("ii->i", square)[:] = 1  # a view, as for NumPy's types
    assert (square == np.eye(3)).all()


@pytest.mark.parametrize("function", [np.var, np.std, np.nanmean, np.nanvar, np.nanstd])
def test_error_for_output_of_other_shape(function):
    x = np.arange(12).astype(half).reshape(3, 4)
    for axis, shape in ((0, (3, 4)), (0, (1, 4)), (None, (1,))):
        out = np.full(shape, 7, half)
        with pytest.raises(ValueError, match="out"):
            function(x, axis=axis, out=out)
        assert (out == 7).all()


@pytest.mark.parametrize("out", [(), [0.0, 0.0], (np.zeros(2, half),), 1])
def test_error_for_output_that_is_no_array(out):
    x = np.arange(4).astype(half).reshape(2, 2)
    with pytest.raises(TypeError, match="median: argument out: expected an array, got"):
        np.ma.median(np.ma.array(x), 0, out=out)
    with pytest.raises(TypeError, match=r"out: expected an array|out must be an array"):
        np.einsum("ij->j", x, out=out)


def test_einsum_to_other_outputs():
    x = np.arange(12).astype(half).reshape(3, 4)
    for dtype in (np.float32, np.complex64, np.float64):
        out = np.zeros(3, dtype)
        assert np.einsum("ij,ij->i", x, x, out=out) is out
        assert out.tolist() == [14, 126, 366]
    with pytest.raises(ValueError, match="out"):
        np.einsum("ij,ij->i", x, x, out=np.zeros((2, 3), half))
    with pytest.raises(TypeError):
        np.einsum("ij->i", x, out=np.zeros(3, int))


def test_table_has_each_function_once():
    assert len({name for _, name, *_ in FUNCTIONS}) == len(FUNCTIONS)


@pytest.mark.parametrize("count", [16384, 16385, 2 * 16384 + 1])
@pytest.mark.parametrize("is_accelerated", [False, True], ids=["half", "accelerated float16"])
def test_means_of_many_results_are_rounded_once(count, is_accelerated):
    x = np.ones((count, 64), np.float16)
    x[:, :32] = 1 + 2**-10
    x[:, 33:36] = 0.5, 1.5, 1
    x[:, 39:41] = 2**-20, 2
    x[:, 62:] = 1  # the mean is then 1 + 2^-11 + 2^-26
    with hc.accelerated() if is_accelerated else contextlib.nullcontext():
        array = x if is_accelerated else x.view(hc.half)
        assert (array.mean(-1) == 1 + 2**-10).all()
        with hc.rounding("rtz"):
            assert (array.mean(-1) == 1).all()
        x[:] = 1
        x[:, 0] = 1 + 2**-10
        with hc.rounding("rtp"):
            assert (array.mean(-1) == 1 + 2**-10).all()
        used = np.ones(x.shape, bool)
        used[::2, 0] = False
        with hc.rounding("rtp"):
            expected = np.where(np.arange(count) % 2, 1 + 2**-10, 1)
            assert_array_equal(array.mean(-1, where=used), expected)


@in_turn
@pytest.mark.parametrize("name", ["sum", "mean", "std", "prod", "norm"])
@pytest.mark.parametrize("axis", [0, 1, 2, 3, (0, 3), (1, 2)])
def test_many_results_equal_accumulators(name, axis):
    x = np.random.default_rng(3).normal(size=(33, 35, 34, 36)).astype(hc.half)
    expected = Accumulator(name, axis=axis).add(x).result(rounding="rtp")
    for order in "CF":
        array = np.asarray(x, order=order)
        assert_array_equal(getattr(hc, name)(array, axis=axis, rounding="rtp"), expected)


class ByProtocol:
    """An object that converts to an array by ``__array__`` only."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
def test_lists_of_halves_and_objects_with_array_are_reduced_exactly(kind):
    many = np.full((5000, 2), 0.3, kind)
    numbers = [kind(x) for x in (0, 300, 600, 900)]
    with hc.accelerated():
        for got, exact in (
            (np.linalg.norm([kind(300), kind(300)]), 300 * math.sqrt(2)),
            (np.std(numbers), math.sqrt(112500)),
            (np.std(ByProtocol(np.array(numbers))), math.sqrt(112500)),
            (np.sum([many, many], axis=(0, 1))[0], Fraction(float(kind(0.3))) * 10000),
            (np.sum(ByProtocol(many), axis=0)[1], Fraction(float(kind(0.3))) * 5000),
            (np.prod([kind(300), kind(300), kind(2**-10)]), Fraction(90000, 1024)),
            (np.average([kind(300), kind(600)], weights=[kind(60000), kind(60000)]), 450),
        ):
            assert type(got) is kind
            assert got == nearest(exact)


@pytest.mark.parametrize("mode", ["rte", "rtz", "rtp", "rtn"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "u8", "f4", "f8"])
def test_other_numbers_are_reduced_into_half_exactly(dtype, mode):
    rng = np.random.default_rng(7)
    x = rng.integers(0, 2, (40, 9)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x = (rng.normal(size=(40, 9)) * 2.0 ** rng.integers(-60, 5, (40, 9))).astype(dtype)
    elif dtype != "?":
        x = rng.integers(0, 100, (40, 9)).astype(dtype)
    with hc.rounding(mode):
        for axis in (0, 1):
            sums, means = x.sum(axis, dtype=half), np.empty(x.shape[1 - axis], half)
            assert x.mean(axis, out=means) is means
            variances = x.var(axis, dtype=half)
            for k, line in enumerate(np.moveaxis(x, axis, 1)):
                exact = [Fraction(v.item()) for v in line]
                mean = sum(exact) / len(exact)
                assert sums[k] == nearest(sum(exact), mode)
                assert means[k] == nearest(mean, mode)
                variance = sum((v - mean) ** 2 for v in exact) / len(exact)
                assert variances[k] == nearest(variance, mode)


def test_intermediate_results_of_other_numbers_do_not_overflow():
    assert_array_equal(np.ones((6000, 2), bool).sum(0, dtype=half), 6000)
    assert np.ones(70000, bool).mean(dtype=half) == 1
    assert_array_equal(np.full((3000, 4), 0.7, "f4").mean(0, dtype=half), half(0.7))
    assert np.arange(1000.0).std(dtype=half) == half(288.675)
    assert np.array([2**62, -(2**62), 2**62, -(2**62), 5]).sum(dtype=half) == 5
    assert np.array([1e300, 1e300, 1e-300, 1e-300, 3]).prod(dtype=half) == 3
    assert np.array([1e20, 1, -1e20]).sum(dtype=half) == 1


@pytest.mark.parametrize("dtype", [np.float16, "half", "f2"])
def test_halves_are_reduced_into_float16_exactly(dtype):
    x = np.full((6000, 2), 0.5, half)
    for got, exact in ((x.sum(0, dtype=dtype), 3000), (x.mean(0, dtype=dtype), 0.5)):
        assert got.dtype == np.float16
        assert_array_equal(got, exact)
    out = np.zeros(2, np.float16)
    assert_array_equal(x.sum(0, out=out), 3000)
    assert_array_equal(x.view(np.float16).sum(0, dtype=half), 3000)


def test_error_for_recursive_lists():
    items: list = []
    items.append(items)
    for function in (np.sum, np.mean, np.std):
        with pytest.raises(ValueError, match="maximum number of dim"):
            function(items)


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
def test_methods_of_ufuncs_take_lists_of_halves(kind):
    deep = [kind(2048), kind(1), kind(1)]
    with hc.accelerated():
        assert np.add.accumulate(deep).tolist() == [2048, 2048, 2050]
        assert np.add.accumulate(ByProtocol(np.array(deep))).tolist() == [2048, 2048, 2050]
        assert np.add.reduceat(deep, [0, 1]).tolist() == [2048, 2]
        assert np.einsum("i,i", deep[1:], deep[1:]) == 2
        assert np.einsum(deep, [0], []) == 2050


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32, np.float64])
def test_other_numbers_have_exact_running_sums_and_segments_in_half(dtype):
    many = np.ones((6000, 2), dtype)
    out = np.zeros((2, 2), half)
    assert many.cumsum(0, dtype=half)[-1].tolist() == [6000, 6000]
    assert np.add.accumulate(many, out=np.zeros((6000, 2), half))[-1].tolist() == [6000, 6000]
    assert np.add.reduceat(many, [0, 3000], out=out) is out
    assert out.tolist() == [[3000, 3000]] * 2
    with hc.accelerated():
        assert many.cumsum(0, dtype=np.float16)[-1].tolist() == [6000, 6000]


def test_segments_of_half_in_other_types():
    x = np.array([2048, 1, 1, 2**-11], half)
    for dtype in (np.float16, np.float32, np.float64):
        got = np.add.reduceat(x, [0, 1], dtype=dtype)
        want = np.add.reduceat(x.astype(np.float64), [0, 1]).astype(dtype)
        assert got.dtype == dtype and got.tolist() == want.tolist()


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
def test_integrals_and_weighted_means_are_exact(kind):
    """Check a weighted mean and an integral slightly above a tie."""
    numbers, weights = np.array([1, 1 + 2**-10, 2], kind), np.array([60000, 60000, 2**-24], kind)
    ends = np.array([1, 1 + 2**-10], kind)
    with hc.accelerated():
        for mode, want in (("rte", 1 + 2**-10), ("rtp", 1 + 2**-10), ("rtn", 1), ("rtz", 1)):
            with hc.rounding(mode):
                assert np.average(numbers, weights=weights) == want, mode
                assert np.average([*numbers], weights=[*weights]) == want, mode
                assert np.trapezoid(ends, dx=1 + 2**-40) == want, mode
        assert np.trapezoid([kind(60000), kind(60000)]) == 60000
        assert np.trapezoid([kind(60000), kind(60000)], x=[kind(3), kind(3.5)]) == 30000


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_rows_next_to_row_of_nans_are_rounded_once(name):
    rng = np.random.default_rng(7)
    x = rng.standard_normal((40, 70)).astype(half)
    x[3] = np.nan
    function = getattr(np, name)
    for mode in ("rte", "rtz", "rtp", "rtn"):
        with hc.rounding(mode), pytest.warns(RuntimeWarning, match="empty|Degrees"):
            got = function(x, axis=1)
        with hc.rounding(mode):
            want = [getattr(hc, name[3:])(row) for k, row in enumerate(x) if k != 3]
            some = function(x[:3], axis=1, where=np.arange(70) < 50)
        assert np.isnan(got[3]) and np.delete(got, 3).tolist() == [float(v) for v in want]
        with hc.rounding(mode):
            assert some.tolist() == [float(getattr(hc, name[3:])(row[:50])) for row in x[:3]]


def test_percentile_with_output_of_float16_is_rounded_in_region():
    x = np.array([-12740, -13096, 5, 6, 7, *[8] * 12], np.float16)
    for mode, want in (("rtn", -12920), ("rtp", -12912)):
        with hc.accelerated(), hc.rounding(mode):
            assert np.nanpercentile(x, 3.125, out=np.zeros((), np.float16)) == want


def test_initial_of_another_type_is_one_more_exact_number():
    x = np.full((33, 3), 1.0595703125, np.float64)
    assert np.sum(x, axis=0, dtype=half, initial=3).tolist() == [half(33 * 1.0595703125 + 3)] * 3
    assert np.sum(np.array([2**60]), dtype=half, initial=-(2.0**60)) == 0


def test_warnings_of_masked_variances_have_numpys_text():
    x = np.array([1, 2], np.float16)
    texts = []
    for array in (x, x.astype(np.float32), x.view(hc.half)):
        with hc.accelerated(), np.errstate(all="ignore"), pytest.warns(RuntimeWarning) as caught:
            np.var(array, ddof=3, where=np.array([True, False]))
        texts.append([str(warning.message) for warning in caught])
    assert texts[0] == texts[1] == texts[2]
