"""Tests of statistics of masked arrays, matrices and other subclasses, with exact numbers."""

import contextlib
import math
import pickle
import tracemalloc
import warnings
from fractions import Fraction
from functools import partial, reduce

import numpy as np
import pytest
from exhaustive import either, in_turn
from hypothesis import given, settings, strategies as st
from reductions_oracle import MODES, fractions, round_root, round_to, statistic

import halfcl as hc
from halfcl import half

HALF = np.dtype(half)
FORMATS = {
    HALF: "half",
    np.dtype("f2"): "half",
    np.dtype("f4"): "float32",
    np.dtype("f8"): "float64",
}
ma = np.ma


@contextlib.contextmanager
def accelerated_if(kind):
    """Accelerate float16 for tests of float16."""
    with hc.accelerated() if kind is np.float16 else contextlib.nullcontext():
        yield


# ---------------------------------------------------------------- property tests


def lay_out(array, layout):
    """Return an array in another memory layout."""
    if layout == "swapped":
        return array.astype(array.dtype.newbyteorder())
    if layout == "Fortran":
        return np.asfortranarray(array)
    if layout == "strided":
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if layout == "reversed":
        return array[..., ::-1].copy()[..., ::-1]
    return array


@st.composite
def masked_arrays(draw, kind):
    """Draw masked arrays of halves that are finite where they are not masked."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    numbers = draw(st.sampled_from(["bits", "small", "large", "ones"]))
    shape = (*shape[:-1], shape[-1] * draw(st.sampled_from([1, 1, 7, 40])))
    if numbers == "bits":
        halves = rng.integers(0, 1 << 16, shape).astype(np.uint16).view(half)
        halves = np.where(np.isfinite(halves), halves, half(0.1))
    elif numbers == "small":
        halves = rng.integers(-4, 5, shape).astype(half)
    elif numbers == "large":
        halves = rng.choice(half([60000, -60000, 65504, 1, 2**-24]), shape)
    else:
        halves = (1 + rng.integers(0, 3, shape) * 2**-10).astype(half)
    mask = draw(st.sampled_from(["nomask", "none", "some", "most", "all"]))
    share = {"nomask": 0, "none": 0, "some": 0.3, "most": 0.8, "all": 1}[mask]
    missing = rng.random(shape) < share
    halves[missing & (rng.random(shape) < 0.5)] = draw(st.sampled_from([np.nan, np.inf, 60000]))
    array = lay_out(
        halves.view(kind), draw(st.sampled_from(["C", "Fortran", "strided", "reversed", "swapped"]))
    )
    return ma.array(
        array,
        mask=ma.nomask if mask == "nomask" else missing,
        hard_mask=draw(st.booleans()),
        fill_value=draw(st.sampled_from([None, 7])),
    )


def product(values, fmt, mode):
    return round_to(math.prod(values, start=Fraction(1)), fmt, mode)


def median(values, fmt, mode):
    ordered, n = sorted(values), len(values)
    return round_to((ordered[(n - 1) // 2] + ordered[n // 2]) / 2, fmt, mode)


def spread(values, fmt, mode):
    return round_to(max(values) - min(values), fmt, mode)


#: Functions that reduce Fractions to one result, rounded to a format in a mode.
REDUCTIONS = {
    **{
        name: lambda values, fmt, mode, name=name: statistic(name, values, fmt, mode)
        for name in ("sum", "mean", "average")
    },
    "prod": product,
    "median": median,
    "ptp": spread,
}
REDUCTIONS["average"] = REDUCTIONS["mean"]

#: Ways to call a reduction: the method, numpy.ma's function and NumPy's function.
WAYS = {
    "method": lambda name: lambda x, **options: getattr(x, name)(**options),
    "numpy.ma": lambda name: getattr(ma, name),
    "numpy": lambda name: getattr(np, name),
}
WITHOUT_METHOD = ("median", "average")


def expected_results(name, array, axes, fmt, mode, ddof):
    """Return exact results by fractions, without the reduced axes; None for masked ones."""
    exact = fractions(ma.filled(array, 0))
    mask = ma.getmaskarray(array)
    kept = tuple(k for k in range(array.ndim) if k not in axes)
    lines = [a.transpose(kept + axes) for a in (exact, mask)]
    shape = lines[0].shape[: len(kept)]
    results = np.empty(shape, object)
    for index in np.ndindex(shape):
        values, missing = (a[index].ravel() for a in lines)
        taken = [v for v, m in zip(values, missing, strict=True) if not m]
        if name in ("var", "std"):
            enough = len(taken) > ddof
            results[index] = statistic(name, taken, fmt, mode, ddof) if enough else None
        else:
            results[index] = REDUCTIONS[name](taken, fmt, mode) if taken else None
    return results


def assert_results(results, expected, names):
    """Assert that a result, or masked array of results, equals the exact ones."""
    mask = ma.getmaskarray(results)
    assert mask.shape == expected.shape, names
    values = np.asarray(ma.getdata(results), np.float64)
    for index in np.ndindex(expected.shape):
        assert bool(mask[index]) == (expected[index] is None), (names, index)
        if expected[index] is not None:
            assert values[index] == expected[index], (names, index)


@st.composite
def axes_of(draw, ndim):
    axis = draw(st.sampled_from([None, *range(-ndim, ndim), *([(0, 1)] * (ndim > 1)), (0,)]))
    normal = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis % ndim,)
    return axis, tuple(normal)


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
@settings(max_examples=either(5000, 40), deadline=None, derandomize=True)
@given(data=st.data())
def test_reductions_of_masked_arrays_are_exact(kind, data):
    array = data.draw(masked_arrays(kind))
    name = data.draw(st.sampled_from([*REDUCTIONS, "var", "std", "var", "std", "mean"]))
    way = data.draw(
        st.sampled_from([w for w in WAYS if w != "method" or name not in WITHOUT_METHOD])
    )
    if name in WITHOUT_METHOD or name == "ptp":
        way = "numpy.ma"  # NumPy's own median, average and ptp ignore masks
    axis, axes = data.draw(axes_of(array.ndim))
    mode = data.draw(st.sampled_from(MODES))
    options = {"axis": axis}
    ddof = 0
    if name in ("var", "std"):
        ddof = options["ddof"] = data.draw(st.sampled_from([0, 0, 1, 2]))
    if name == "ptp" and isinstance(axis, tuple):
        return  # numpy.ma does not accept it
    if name == "median" and array.hardmask:
        return  # numpy.ma masks the result for all types
    keepdims = data.draw(st.booleans()) and name != "ptp"
    if keepdims:
        options["keepdims"] = True
    if name in ("mean", "var", "std") and data.draw(st.booleans()):
        options["dtype"] = data.draw(st.sampled_from([kind, np.float32, np.float64]))
    with accelerated_if(kind), hc.rounding(mode), np.errstate(all="ignore"):
        if ma.getmask(array) is ma.nomask and name in ("var", "std"):
            count = math.prod(array.shape[k] for k in axes)
            if count <= ddof:
                return  # the result is an unmasked NaN, with NumPy's warnings
        results = WAYS[way](name)(array, **options)
        fmt = "float64" if results is ma.masked else FORMATS[results.dtype.newbyteorder("=")]
        expected = expected_results(name, array, axes, fmt, mode, ddof)
    if keepdims:
        expected = expected.reshape([1 if k in axes else n for k, n in enumerate(array.shape)])
    if name not in ("var", "std", "mean"):
        assert np.ma.getmaskarray(results).all() or results.dtype == np.dtype(kind)
    assert_results(results, expected, (name, way, options, mode))


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
@settings(max_examples=either(1000, 30), deadline=None, derandomize=True)
@given(data=st.data())
def test_running_sums_and_anomalies_of_masked_arrays_are_exact(kind, data):
    array = data.draw(masked_arrays(kind))
    name = data.draw(st.sampled_from(["cumsum", "anom", "cumprod"]))
    axis = data.draw(st.integers(0, array.ndim - 1))
    mode = data.draw(st.sampled_from(MODES))
    with accelerated_if(kind), hc.rounding(mode), np.errstate(all="ignore"):
        results = getattr(array, name)(axis)
    assert results.dtype == np.dtype(kind) or results.mask.all()
    exact = np.moveaxis(fractions(ma.filled(array, 0)), axis, -1)
    lines, mask = np.moveaxis(results, axis, -1), np.moveaxis(ma.getmaskarray(array), axis, -1)
    for index in np.ndindex(exact.shape[:-1]):
        taken = [v for v, m in zip(exact[index], mask[index], strict=True) if not m]
        got = [float(v) for v, m in zip(lines.data[index], mask[index], strict=True) if not m]
        assert (ma.getmaskarray(lines)[index] == mask[index]).all()
        if name == "cumsum":
            want = [sum(taken[: k + 1]) for k in range(len(taken))]
        elif name == "anom":
            want = [v - sum(taken) / len(taken) for v in taken]
        else:
            want = [reduce(Fraction.__mul__, taken[: k + 1]) for k in range(len(taken))]
            if any(abs(v.numerator).bit_length() > 53 for v in want):
                continue  # the relative error is up to n 2^-52
        assert got == [round_to(v, "half", mode) for v in want], (name, axis, mode, index)


# ---------------------------------------------------------------- cases


def test_deviation_of_masked_hundreds():
    x = ma.array(np.tile(half([100, -100]), 50), mask=[1, 1] + [0] * 98)
    assert x.std() == 100 and x.var() == 10000 and x.mean() == 0
    assert np.std(x) == ma.std(x) == 100


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
def test_statistics_of_large_halves_do_not_overflow(kind):
    x = ma.array(np.full((4, 50), 60000).astype(kind), mask=np.eye(4, 50))
    with accelerated_if(kind):
        assert x.mean() == 60000 and x.var() == 0 and x.std() == 0
        assert (x.mean(axis=1) == 60000).all() and (x.anom() == 0).all()
        assert ma.median(x) == 60000 and (ma.median(x, axis=0) == 60000).all()
        assert ma.average(x) == 60000 and (ma.average(x, axis=0) == 60000).all()
        assert ma.average(x, weights=np.full((4, 50), 60000).astype(kind)) == 60000
        wide = ma.array(np.array([60000, -60000, 1], kind), mask=[0, 0, 1])
        assert wide.std() == 60000 and wide.var() == 60000.0**2


#: Arrays whose statistics are exact in float16, so that numpy.ma's own results are right.
ARRAYS = {
    "two axes": ([[1, 2, 3], [4, 5, 9], [7, 8, 12]], [[1, 0, 0], [1, 1, 1], [0, 0, 1]]),
    "all masked": ([[1, 2], [3, 4]], [[1, 1], [1, 1]]),
    "none masked": ([[1, 2], [3, 4]], [[0, 0], [0, 0]]),
    "no mask": ([[1, 2], [3, 4]], ma.nomask),
    "no axes": (3, 0),
    "no axes, masked": (3, 1),
    "no elements": (np.zeros((0, 3)), False),
    "no columns": (np.zeros((2, 0)), False),
    "infinities": ([[1, np.inf], [2, 2], [1, 3]], [[0, 1], [0, 0], [0, 0]]),
}


class Sub(ma.MaskedArray):
    """A subclass of masked arrays."""


def description(call):
    """Return the class, dtype, shape, mask and values of a call's result, or its exception."""
    with np.errstate(all="ignore"):
        try:
            result = call()
        except Exception as error:
            return type(error)
    if result is ma.masked:
        return "masked"
    kind = result.dtype.name.replace("float16", "half")
    values = repr(ma.filled(result, -1).astype(np.float64).tolist())
    mask = ma.getmaskarray(result).tolist()
    return type(result).__name__.replace("float16", "half"), kind, result.shape, mask, values


@in_turn
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", ARRAYS)
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "anom", "cumsum", "ptp"])
def test_classes_masks_and_dtypes_are_numpys(name, case):
    numbers, mask = ARRAYS[case]
    for axis in (None, 0, 1, -1, (0, 1), (), 5):
        for options in ({}, {"keepdims": True}, {"dtype": np.float32}, {"ddof": 1}, {"dtype": int}):
            if ("ddof" in options and name not in ("var", "std")) or (options and name == "ptp"):
                continue
            for cls in (ma.MaskedArray, Sub):
                arrays = (
                    ma.array(np.array(numbers).astype(t), mask=mask) for t in (half, np.float16)
                )
                methods = (getattr(array.view(cls), name) for array in arrays)
                got, want = (description(partial(f, axis=axis, **options)) for f in methods)
                if case == "infinities" and name in ("var", "std", "anom"):
                    continue  # numpy.ma's are 0, since it rounds means first
                assert got == want, (axis, options, cls)


def outputs(shape):
    yield np.zeros(shape, half)
    yield np.zeros(shape, half).astype(HALF.newbyteorder())
    yield np.zeros(shape, half).view(type("View", (np.ndarray,), {}))
    yield ma.zeros(shape, half)
    yield ma.array(np.zeros(shape, half), mask=np.ones(shape, bool))
    yield np.zeros(shape, np.float32)
    yield ma.zeros(shape, np.float64)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std"])
@pytest.mark.parametrize("mask", [ma.nomask, False, True], ids=["no mask", "none", "one row"])
def test_outputs_have_exact_results(name, mask):
    x = np.full((2, 100), 0.7, half)
    x[:, 0] = 1.5
    array = ma.array(x, mask=mask)
    if mask is True:
        array.mask = [[1] * 100, [0] * 100]
    for out in outputs(2):
        if name in ("sum", "prod") and FORMATS[out.dtype.newbyteorder("=")] != "half":
            continue  # NumPy computes these itself
        result = getattr(array, name)(axis=1, out=out)
        assert result is out
        fmt = FORMATS[out.dtype.newbyteorder("=")]
        want = {"prod": product}.get(name, lambda *args: statistic(name, *args))
        exact = want(list(fractions(x)[1]), fmt, "rte")
        assert float(ma.getdata(out)[1]) == exact, (type(out), out.dtype)
        if isinstance(out, ma.MaskedArray):
            assert ma.getmaskarray(out).tolist() == [mask is True, False]
        elif mask is True and name in ("mean", "var", "std"):
            assert out[0] == 0


def test_outputs_of_wrong_shape_are_unchanged():
    x = ma.array(np.ones((2, 3), half), mask=[[0, 0, 1], [0, 0, 0]])
    for name in ("mean", "var", "std"):
        out = np.full(3, 7, half)
        with pytest.raises(ValueError, match="expected shape"):
            getattr(x, name)(axis=1, out=out)
        assert (out == 7).all()


def test_masked_results_and_integer_outputs():
    x = ma.masked_all(3, half)
    with pytest.raises(ma.MaskError):
        x.var(out=np.zeros((), int))
    assert np.isnan(x.std(out=np.zeros((), half)))


def test_masked_numbers_do_not_affect_results():
    for hidden in (np.nan, np.inf, 60000, -60000):
        x = ma.array(half([1, 2, hidden, 6]), mask=[0, 0, 1, 0])
        with np.errstate(all="raise"):
            assert x.mean() == 3 and x.sum() == 9 and x.std() == math.sqrt(14 / 3)
            assert x.anom().compressed().tolist() == [-2, -1, 3]


def test_rows_without_enough_elements_raise_no_warning():
    x = ma.array(half([[1, 2, 3], [1, 2, 3]]), mask=[[1, 1, 0], [0, 0, 0]])
    assert x.var(axis=1, ddof=1).mask.tolist() == [True, False]
    assert x.std(axis=1, ddof=5).mask.all() and x[:, :0].mean(axis=1).mask.all()
    assert x.var(ddof=10) is ma.masked


@pytest.mark.parametrize("dtype", [half, "half", np.float16])
def test_other_masked_arrays_into_half_are_exact(dtype):
    kind = half if dtype is half else np.float16  # NumPy's name for float16 is "half"
    x = ma.array(np.full((3000, 2), 0.7, np.float32), mask=np.zeros((3000, 2), bool))
    exact = 3000 * Fraction(float(np.float32(0.7)))
    with accelerated_if(kind):
        assert float(x.sum(0, dtype=dtype)[0]) == round_to(exact, "half", "rte")
        assert float(x.mean(0, dtype=dtype)[0]) == pytest.approx(float(exact / 3000), rel=1e-12)
        out = ma.zeros(2, kind)
        assert float(x.mean(0, out=out)[0]) == round_to(exact / 3000, "half", "rte")
        plain = ma.array(x.data)
        assert float(plain.mean(0, dtype=dtype)[0]) == round_to(exact / 3000, "half", "rte")
        spread = ma.array(np.arange(1000.0), mask=np.zeros(1000, bool))
        assert spread.std(out=np.zeros((), kind)) == np.array(288.7, kind)
        assert ma.array(spread.data).std(dtype=dtype) == np.array(288.7, kind)


# ---------------------------------------------------------------- matrices and other subclasses


class View(np.ndarray):
    """A subclass that does not override ufuncs."""


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
@pytest.mark.parametrize("cls", [np.matrix, View])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std"])
@pytest.mark.parametrize("mode", MODES)
def test_statistics_of_subclasses_are_exact(cls, name, kind, mode):
    rng = np.random.default_rng(3)
    x = rng.choice(half([60000, -60000, 1.001, 0.3, 2**-24]), (3, 41))
    x = (1 + rng.integers(0, 3, (3, 41)) * 2**-10).astype(half) if name == "prod" else x
    array = x.view(kind).view(cls)
    want = {"prod": product}.get(name, lambda *args: statistic(name, *args))
    with accelerated_if(kind), hc.rounding(mode), np.errstate(over="ignore"):
        for axis, rows in ((None, [x.ravel()]), (0, x.T), (1, x)):
            results = getattr(array, name)(axis)
            exact = [want(list(fractions(row)), "half", mode) for row in rows]
            assert np.asarray(results, float).ravel().tolist() == exact
            assert results.dtype == np.dtype(kind)
            assert axis is None or type(results) is cls
            assert np.array_equal(getattr(np, name)(array, axis), results)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_masked_matrices_are_matrices_of_masks():
    x = ma.array(np.matrix([[1, 2], [3, 5]]).astype(half), mask=[[0, 1], [0, 0]])
    y = ma.array(np.matrix([[1, 2], [3, 5]]).astype(np.float16), mask=[[0, 1], [0, 0]])
    for name in ("mean", "var", "std", "sum"):
        for axis in (None, 0, 1):
            got, want = (description(partial(getattr(a, name), axis=axis)) for a in (x, y))
            assert got == want or (want is TypeError and name in ("var", "std")), (name, axis)


def test_subclasses_into_half_are_exact():
    x = np.full((3000, 2), 0.7, np.float32)
    exact = round_to(3000 * Fraction(float(x[0, 0])), "half", "rte")
    for array in (x.view(View), ma.array(x)):
        assert (np.asarray(np.add.reduce(array, axis=0, dtype=half), float) == exact).all()
        assert type(array.sum(0, dtype=half)) is type(array)
        assert array.mean(0, dtype=half).tolist() == array.mean(0, out=ma.zeros(2, half)).tolist()


# ---------------------------------------------------------------- the keyword mean


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
@pytest.mark.parametrize("mode", MODES)
def test_variances_about_a_given_mean_are_exact(kind, mode):
    rng = np.random.default_rng(11)
    for n in (1, 2, 7, 40, 300):
        for scale in (1, 60000):
            x = (rng.normal(size=(3, n)) * scale / 4).astype(half)
            mean = np.mean(x, axis=1, keepdims=True)
            used = rng.random((3, n)) < 0.8
            used[:, 0] = True
            with accelerated_if(kind), hc.rounding(mode), np.errstate(over="ignore"):
                a, m = x.view(kind), mean.view(kind)
                var = np.var(a, axis=1, mean=m, where=used)
                std = np.std(a, axis=1, mean=m, where=used)
                masked = ma.array(a, mask=~used).std(axis=1, mean=m)
            for row, center, use, v, s, ms in zip(x, mean, used, var, std, masked, strict=True):
                about = Fraction(float(center[0]))
                squares = [(f - about) ** 2 for f in fractions(row[use])]
                exact = sum(squares) / len(squares)
                assert float(v) == round_to(exact, "half", mode)
                assert float(s) == round_root(exact, "half", mode)
                assert float(ms) == pytest.approx(math.sqrt(exact), rel=1e-12)


def test_given_means_of_other_types_and_shapes():
    x = half([60000, -60000, 3])
    assert np.std(x, mean=half(0)) == half(48990)
    assert np.std(x, mean=np.float64(0)).dtype == np.float64
    assert np.var(x, mean=0.0, dtype="f8") == (7.2e9 + 9) / 3
    with np.errstate(invalid="ignore", over="ignore"):
        assert np.var(x, mean=0.0) == np.inf
        assert np.isnan(np.var(half([np.nan, 1]), mean=half(1)))
        assert np.var(half([np.inf, 1]), mean=half(1)) == np.inf
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        assert np.isnan(np.var(half([1]), mean=half(1), ddof=1))
    big = np.full((2000, 2), 200, half)
    out = np.zeros(2, half)
    assert np.std(big, axis=0, mean=half([[0, 100]]), out=out).tolist() == [200, 100]
    assert np.std(big, axis=0, mean=half([[0, 100]]), dtype=half).tolist() == [200, 100]


# ---------------------------------------------------------------- other parts of numpy.ma


def test_methods_are_the_same_functions():
    for name in ("mean", "var", "std", "anom"):
        method = getattr(ma.MaskedArray, name)
        assert pickle.loads(pickle.dumps(method)) is method
        assert method.__qualname__ == f"MaskedArray.{name}" and method.__module__ == "numpy.ma.core"


def test_products_and_covariances_of_masked_halves():
    x = ma.array(np.full((3, 1500), 1, half), mask=np.eye(3, 1500))
    assert ma.dot(x, x.T).data[0].tolist() == [1499, 1498, 1498]
    assert ma.inner(x, x).data[0].tolist() == [1499, 1498, 1498]
    rows = ma.array(half([[60000, -60000, 1, 2], [-60000, 60000, 5, 6]]), mask=[[0, 0, 1, 0]] * 2)
    wide = ma.array(rows.data.astype(float), mask=rows.mask)
    assert (ma.cov(rows) == ma.cov(wide)).all() and ma.cov(rows).dtype == np.float64
    assert (ma.corrcoef(rows) == ma.corrcoef(wide)).all()


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
def test_medians_beside_infinities_and_nans_are_those_of_float64(kind):
    """Compare values, signs of zeros, masks and floating-point errors with NumPy's in float64."""
    rng = np.random.default_rng(6)
    special = [np.inf, -np.inf, np.nan, 0, -0.0, 65504]
    for turn in range(200):
        shape = (int(rng.integers(1, 7)), int(rng.integers(1, 7)))
        x = np.where(rng.random(shape) < 0.5, rng.choice(special, shape), rng.normal(size=shape))
        halves = lay_out(
            x.astype(kind), ["", "Fortran", "strided", "reversed", "swapped"][turn % 5]
        )
        mask = [ma.nomask, rng.random(shape) < 0.4, np.zeros(shape, bool)][turn % 3]
        axis = int(rng.integers(-2, 2))
        for function in (ma.median, np.nanmedian):
            got, want = [], []
            for array, results in ((halves, got), (halves.astype(float), want)):
                raised = []
                with (
                    accelerated_if(kind),
                    np.errstate(all="call", call=lambda error, flag, to=raised: to.append(error)),
                    warnings.catch_warnings(),
                ):
                    warnings.simplefilter("ignore", RuntimeWarning)
                    data = ma.array(array, mask=mask) if function is ma.median else array
                    results += [function(data, axis=axis), raised]
            values = np.asarray(ma.getdata(got[0]), float)
            expected = np.asarray(ma.getdata(want[0]))
            np.testing.assert_array_equal(ma.getmaskarray(got[0]), ma.getmaskarray(want[0]))
            np.testing.assert_array_equal(values, expected.astype(np.float16).astype(float))
            np.testing.assert_array_equal(
                np.signbit(values), np.signbit(expected) & (values == values)
            )
            assert set(got[1]) == set(want[1]) and got[0].dtype.type is kind
            assert type(got[0]) is type(want[0])


TINY = 2.0**-24  # the smallest half; the means of odd multiples of it are rounded


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
@pytest.mark.parametrize(
    "pair", [[-1, 1], [-0.0, -0.0], [-0.0], [-TINY, 0], [-TINY, -0.0], [TINY, -2 * TINY]]
)
def test_medians_that_round_to_zero_keep_their_sign(kind, mode, pair):
    """Compare with numpy.ma's in float64, where exact zeros are positive."""
    x = np.array(pair)
    rows = np.array([pair, pair[::-1]])
    for array, mask, axis in [
        (x, ma.nomask, None), (x, np.zeros(x.shape, bool), 0), (rows, ma.nomask, 1),
        (rows.T, ma.nomask, 0), (np.append(rows, [[9], [-9]], 1), [[0] * x.size + [1]] * 2, 1),
    ]:  # fmt: skip
        want = ma.median(ma.array(array, mask=mask), axis)
        with accelerated_if(kind), hc.rounding(mode):
            got = ma.median(ma.array(array.astype(kind), mask=mask), axis)
        expected = hc.convert(ma.getdata(want), half, rounding=mode).view(np.uint16)
        assert (np.asarray(ma.getdata(got)).view(np.uint16) == expected).all()


def test_average_of_a_number_is_that_number():
    number = ma.array(half(2))
    assert ma.average(number, weights=np.array(half(3))) == 2
    with pytest.raises(AttributeError):  # as numpy.ma's
        ma.average(ma.array(half(2), mask=True), weights=np.array(half(3)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
def test_weighted_averages_are_numpys_in_float64_rounded_once(kind, mode):
    """Masked elements, of any weight, do not count; results without any weight are masked."""
    rng = np.random.default_rng(9)
    for turn in range(150):
        shape = tuple(rng.integers(1, 5, 2))
        x, weights = rng.normal(0, 4, (2, *shape)).astype(np.float16)
        weights = np.where(rng.random(shape) < 0.3, 0, np.abs(weights))
        mask = [ma.nomask, rng.random(shape) < 0.5, np.arange(shape[0])[:, None] < [1] * shape[1]]
        mask = mask[turn % 3]
        if mask is not ma.nomask:
            x[mask] = weights[mask] = rng.choice([np.inf, np.nan, 60000])
        weights = weights.astype(np.float16)
        axis, keepdims = [None, 0, 1, -1][turn % 4], bool(turn % 2)
        options = {"axis": axis, "keepdims": keepdims}
        with np.errstate(all="ignore"):
            wide = ma.array(x.astype(float), mask=mask)
            want = ma.average(wide, weights=weights.astype(float), **options)
            with accelerated_if(kind), hc.rounding(mode):
                array = ma.array(x.view(kind), mask=mask)
                got = ma.average(array, weights=weights.view(kind), **options)
            expected = hc.convert(ma.filled(want, 0), half, rounding=mode).view(np.float16)
        assert (got is ma.masked) == (want is ma.masked)
        np.testing.assert_array_equal(ma.getmaskarray(got), ma.getmaskarray(want))
        if got is not ma.masked:
            values = np.asarray(ma.filled(got, 0)).view(np.float16)
            np.testing.assert_array_equal(values, expected)


def test_median_of_nans_that_are_not_masked_is_nan():
    with hc.accelerated():
        for kind in (half, np.float16):
            x = ma.array(np.array([1, np.nan, 3, 4], kind), mask=[1, 0, 0, 0])
            assert np.isnan(ma.median(x)) and type(ma.median(x)) is kind
            assert ma.median(x[[0, 2, 3]]) == 3.5


@pytest.mark.parametrize("kind", [half, np.float16], ids=["half", "accelerated float16"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_medians_need_no_copy_in_float64(kind, axis):
    x = np.random.default_rng(2).normal(size=(512, 1024)).astype(np.float16).view(kind)
    mask = x > 1
    with accelerated_if(kind):
        for function, argument in ((ma.median, ma.array(x, mask=mask)), (np.nanmedian, x)):
            tracemalloc.start()
            try:
                function(argument, axis=axis)
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert peak < 7.5 * x.size


def test_other_masked_arrays_are_numpys():
    x = ma.array(np.arange(12.0).reshape(3, 4), mask=np.eye(3, 4))
    assert x.mean() == pytest.approx(5.666666666666667) and x.std(axis=0).shape == (4,)
    with np.errstate(over="ignore"):  # numpy.ma's fill value overflows, as in float16
        records = ma.array([(1, 2)], dtype=[("a", half), ("b", half)])
        assert records["a"].mean() == 1 and records[0]["b"] == 2


def test_degrees_of_freedom_need_not_be_ints():
    numbers = half([1, 300, -300, 2])
    for ddof, n in ((np.int64(1), 3), (0.5, 3.5), (True, 3)):
        exact = math.sqrt((180005 - 4 * 0.75**2) / n)
        x = ma.array([*numbers, half(np.nan)], mask=[0, 0, 0, 0, 1])
        assert x.std(ddof=ddof) == pytest.approx(exact, rel=1e-12)
        assert ma.array(numbers).std(ddof=ddof) == np.std(numbers, ddof=ddof) == half(exact)
        assert np.std(numbers, ddof=ddof, dtype=half) == half(exact)


def test_strict_regions_refuse_promotion():
    x = ma.array(half([1, 2, 3, 5]), mask=[0, 0, 0, 1])
    with hc.rounding("rte", strict=True):
        assert x.mean() == 2 and x.sum() == 6 and x.anom().compressed().tolist() == [-1, 0, 1]
        with pytest.raises(TypeError, match="strict region"):
            x.std()
        assert ma.array(half([1, 3])).std() == 1
