"""Tests of halfcl.sum, mean, var, std, sumsq, norm, vdot and cumsum, compared with fractions."""

import tracemalloc
import warnings

import numpy as np
import pytest
import reductions_oracle as exact
from exhaustive import in_turn

import halfcl as hc

STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm")
MODES = exact.MODES
DTYPES = {"half": hc.half, "float32": np.float32, "float64": np.float64}


def halves(*values):
    return np.array(values, np.float16).view(hc.half)


def random_halves(seed, shape, magnitude=0x7C00):
    """Return finite halves of all exponents, whose bits without the sign are below `magnitude`."""
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape, dtype=int))
    bits = rng.integers(0, magnitude, n, np.uint16) | rng.integers(0, 2, n, np.uint16) << 15
    return bits.reshape(shape).view(hc.half)


def bits(x):
    return np.ascontiguousarray(x).view(np.uint16)


def cases():
    """Yield arrays with hard cases of sums."""
    rng = np.random.default_rng(5)
    for magnitude in (0x0010, 0x0400, 0x3C00, 0x7C00):
        yield random_halves(magnitude, 77, magnitude)
    x = random_halves(1, 40)
    yield rng.permutation(np.concatenate([x, -x]))
    yield rng.permutation(np.concatenate([x, -x, halves(2.0**-24)]))
    yield halves(1, 2.0**-11)
    yield halves(1, 2.0**-11, 2.0**-24)
    yield halves(1, 2.0**-11, -(2.0**-24))
    yield np.full(13, 65504, np.float16).view(hc.half)
    yield np.full(7, 0.1, np.float16).view(hc.half)
    yield halves(3, 3, 3, 3)
    yield halves(2.0**-24)
    yield halves(2.0**-24, 0, 0)
    yield halves(65504, -65504, 2.0**-24)
    yield halves(3, 4)


CASES = list(cases())


@in_turn
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_are_rounded_once(name, dtype):
    for x in CASES:
        values = list(exact.fractions(x))
        for mode in MODES:
            with np.errstate(all="ignore"):
                got = getattr(hc, name)(x, dtype=DTYPES[dtype], rounding=mode)
            assert got.dtype == DTYPES[dtype]
            want = exact.statistic(name, values, dtype, mode)
            assert float(got) == want, (name, dtype, mode, values)


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_in_regions(name):
    for x in CASES[:4]:
        for mode in MODES:
            with hc.rounding(mode), np.errstate(all="ignore"):
                inside = getattr(hc, name)(x)
            with np.errstate(all="ignore"):
                assert bits(inside) == bits(getattr(hc, name)(x, rounding=mode))


@pytest.mark.parametrize("ddof", [1, 3, -2])
def test_ddof(ddof):
    for x in CASES:
        if x.size <= ddof:
            continue
        values = list(exact.fractions(x))
        for mode in MODES:
            with np.errstate(all="ignore"):
                got = hc.var(x, ddof=ddof, rounding=mode), hc.std(x, ddof=ddof, rounding=mode)
            assert float(got[0]) == exact.statistic("var", values, "half", mode, ddof)
            assert float(got[1]) == exact.statistic("std", values, "half", mode, ddof)


AXES = [None, 0, 1, 2, -1, (0, 1), (2, 0), (1, 2), (0, 1, 2), ()]
LAYOUTS = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "backwards": lambda x: np.ascontiguousarray(x[::-1, :, ::-1])[::-1, :, ::-1],
    "strided": lambda x: np.repeat(x, 3, axis=2)[:, :, ::3],
    "turned": lambda x: np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1),
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "unaligned": lambda x: as_unaligned(x),
}


def as_unaligned(x):
    memory = np.empty(x.nbytes + 1, np.uint8)
    view = memory[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


@in_turn
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", AXES, ids=str)
def test_axes_and_layouts(axis, layout):
    """Compare reductions of all layouts along all axes with sums of fractions."""
    x = random_halves(3, (9, 5, 37))
    values = exact.fractions(x)
    lines = values.sum(axis=axis) if axis != () else values
    wanted = np.vectorize(lambda v: exact.round_to(v, "float64", "rte"), otypes=[float])(lines)
    laid = LAYOUTS[layout](x)
    assert np.array_equal(hc.sum(laid, axis=axis, dtype=float), wanted)
    kept = hc.sum(laid, axis=axis, dtype=float, keepdims=True)
    assert kept.shape == np.sum(x.astype(float), axis=axis, keepdims=True).shape
    assert np.array_equal(kept.ravel(), np.ravel(wanted))
    for name in STATISTICS:
        with np.errstate(all="ignore"):
            one = getattr(hc, name)(x, axis=axis)
            other = getattr(hc, name)(laid, axis=axis)
            plain = getattr(hc, name)(x.view(np.float16), axis=axis)
        assert np.array_equal(bits(one), bits(other)), name
        assert np.array_equal(bits(one), bits(plain)) and plain.dtype == np.float16, name


def test_many_columns_and_rows():
    """Check more rows and more columns than the engine reduces at a time."""
    for shape in ((9000, 40), (40, 9000), (300, 1030), (3, 70_000)):
        x = random_halves(7, shape)
        wide = np.ldexp(x.astype(float), 24).astype(np.int64)
        for axis in (0, 1):
            want = np.ldexp(wide.sum(axis=axis).astype(float), -24)
            assert np.array_equal(hc.sum(x, axis=axis, dtype=float), want), (shape, axis)
            low, high = wide & 0xFFFFF, wide >> 20  # split numbers, so that products fit 64 bits
            square = [
                int(a) + (int(b) << 21) + (int(c) << 40)
                for a, b, c in zip(
                    (low * low).sum(axis=axis), (low * high).sum(axis=axis),
                    (high * high).sum(axis=axis), strict=True,
                )
            ]  # fmt: skip
            got = hc.sumsq(x, axis=axis, dtype=float)
            assert np.array_equal(got, [float(s) * 2.0**-48 for s in square]), (shape, axis)


def test_where():
    rng = np.random.default_rng(2)
    x = random_halves(4, (30, 1100))
    where = rng.random(x.shape) < 0.4
    where[:, 3] = False
    values = exact.fractions(x)
    for axis in (0, 1):
        want = np.where(where, values, 0).sum(axis=axis)
        got = hc.sum(x, axis=axis, where=where, dtype=float)
        assert got.tolist() == [exact.round_to(v, "float64", "rte") for v in want]
    mean = hc.mean(x, axis=1, where=where, dtype=float)
    totals = np.where(where, values, 0).sum(axis=1) / where.sum(axis=1)
    assert mean.tolist() == [exact.round_to(v, "float64", "rte") for v in totals]
    row = hc.sum(x, axis=0, where=where[0], dtype=float)  # broadcast
    assert np.array_equal(row, np.where(where[0], hc.sum(x, axis=0, dtype=float), 0))
    assert bits(hc.sum(halves(-0.0, -0.0), where=[False, False])) == 0
    assert bits(hc.sum(halves(-0.0, 1), where=[True, False])) == 0x8000


def test_initial():
    assert hc.sum(halves(1, 2), initial=0.5) == 3.5
    assert hc.prod(halves(3, 2), initial=halves(0.5)[0]) == 3
    assert hc.sum(np.empty((0, 2), hc.half), axis=0, initial=7).tolist() == [7, 7]
    assert hc.sum(halves(0), initial=1 + 2**-12, rounding="rtp") == 1 + 2**-10


INF, NAN = np.inf, np.nan
#: Elements; their sum, mean, var, std, sumsq and norm; and the names of those that raise invalid.
SPECIAL = [
    ((INF, 1), (INF, INF, NAN, NAN, INF, INF), {"var", "std"}),
    ((-INF, 1), (-INF, -INF, NAN, NAN, INF, INF), {"var", "std"}),
    ((INF, -INF), (NAN, NAN, NAN, NAN, INF, INF), {"sum", "mean", "var", "std"}),
    ((NAN, 1), (NAN,) * 6, set()),
    ((NAN, INF, -INF), (NAN,) * 6, set()),
]


@pytest.mark.parametrize(("values", "results", "invalid"), SPECIAL)
@pytest.mark.parametrize("copies", [1, 30, 3000])
def test_infinities_and_nans(values, results, invalid, copies):
    x = np.tile(halves(*values), copies)
    columns = np.repeat(x[:, None], 40, axis=1)
    for name, want in zip(STATISTICS, results, strict=True):
        raised = []
        with np.errstate(all="call"), np.errstate(call=lambda kind, flag: raised.append(kind)):  # noqa: B023
            got = getattr(hc, name)(x)
        assert got == want or (np.isnan(want) and np.isnan(got)), name
        assert raised == (["invalid value"] if name in invalid else []), name
        with np.errstate(all="ignore"):
            assert np.array_equal(
                getattr(hc, name)(columns, axis=0), np.full(40, want, hc.half), equal_nan=True
            )


def test_zeros():
    for mode in MODES:
        minus = mode == "rtn"
        for x, want in (
            (halves(0, 0), False), (halves(-0.0, -0.0), True), (halves(0, -0.0), minus),
            (halves(1, -1), minus), (np.zeros(0, hc.half), False),
        ):  # fmt: skip
            assert np.signbit(hc.sum(x, rounding=mode)) == want
            many = np.repeat(x[:, None], 50, axis=1)
            assert np.signbit(hc.sum(many, axis=0, rounding=mode)).tolist() == [want] * 50
            if x.size:
                assert np.signbit(hc.mean(x, rounding=mode)) == want
                assert np.signbit(hc.cumsum(x, rounding=mode)[-1]) == want
                one = np.ones_like(x)
                assert np.signbit(hc.vdot(x, one, rounding=mode)) == want
                assert not np.signbit(hc.sumsq(x, rounding=mode))
                assert not np.signbit(hc.var(x[:1], rounding=mode))


def test_nothing():
    none = np.empty((0, 3), hc.half)
    assert hc.sum(none) == 0 and hc.norm(none) == 0 and hc.prod(none) == 1
    assert hc.sum(none, axis=1).shape == (0,)
    with pytest.warns(RuntimeWarning, match=r"Mean of empty slice"), np.errstate(all="ignore"):
        assert np.isnan(hc.mean(none, axis=0)).all()
    with pytest.warns(RuntimeWarning, match=r"Degrees of freedom"), np.errstate(all="ignore"):
        assert np.isnan(hc.std(none))
    with pytest.warns(RuntimeWarning, match=r"Degrees of freedom"), np.errstate(all="ignore"):
        assert hc.var(halves(1, 2), ddof=2) == INF
    match = r"Degrees of freedom"
    with (
        pytest.warns(RuntimeWarning, match=match),
        pytest.raises(FloatingPointError),
        np.errstate(invalid="raise"),
    ):
        hc.var(halves(2, 2), ddof=2)


def test_overflow_is_reported():
    x = np.full(4, 60000, hc.half)
    match = "overflow encountered in sum"
    with pytest.raises(FloatingPointError, match=match), np.errstate(over="raise"):
        hc.sum(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hc.mean(x) == 60000 and hc.std(x) == 0
        assert hc.sum(x, dtype=np.float32) == 4 * float(x[0])
        assert hc.sum(np.array([60000, 60000, -60000], hc.half)) == float(x[0])


def test_representable_means_and_deviations():
    """Check means and standard deviations whose intermediate results overflow in NumPy."""
    x = np.tile(np.array([0.5996, 0.6, 0.601], hc.half), 350_000)
    values = [exact.Fraction(float(v)) for v in x[:3]]
    assert float(hc.mean(x)) == exact.round_to(sum(values) / 3, "half", "rte")
    assert float(hc.std(x)) == exact.round_root(exact.variance(values), "half", "rte")


def test_ten_million():
    """Compare the sum of ten million halves of all magnitudes with integers."""
    n = 10_000_000
    x = random_halves(11, n)
    total = int(np.ldexp(x.astype(np.float64), 24).astype(np.int64).sum(dtype=object)) if n < 100 \
        else sum(int(np.ldexp(part.astype(np.float64), 24).astype(np.int64).sum())
                 for part in np.split(x, 100))  # fmt: skip
    assert hc.sum(x, dtype=float) == total / 2**24
    assert hc.mean(x, dtype=float) == exact.round_to(
        exact.Fraction(total, 2**24 * n), "float64", "rte"
    )
    assert hc.sum(x[::-1], dtype=float) == hc.sum(x, dtype=float)


@pytest.mark.parametrize("dtype", DTYPES)
def test_vdot(dtype):
    x, y = random_halves(1, (6, 50)), random_halves(2, (6, 50))
    values = exact.fractions(x) * exact.fractions(y)
    for mode in MODES:
        with np.errstate(all="ignore"):
            got = hc.vdot(x, y, axis=0, dtype=DTYPES[dtype], rounding=mode)
            whole = hc.vdot(x, y, dtype=DTYPES[dtype], rounding=mode)
            turned = hc.vdot(np.asfortranarray(x), y, axis=0, dtype=DTYPES[dtype], rounding=mode)
        assert got.tolist() == [exact.round_to(v, dtype, mode) for v in values.sum(axis=0)]
        assert float(whole) == exact.round_to(values.sum(), dtype, mode)
        assert turned.tolist() == got.tolist()
    assert hc.vdot(halves(1, 2), 3) == 9  # broadcast
    assert hc.vdot(np.ones(2, np.float16), np.ones(2, np.float16)).dtype == np.float16
    assert hc.vdot(np.ones(2, np.float16), halves(1, 1)).dtype == hc.half


# ---------------------------------------------------------------- running sums


@pytest.mark.parametrize("dtype", DTYPES)
def test_running_sums(dtype):
    for x in CASES:
        sums = np.cumsum(exact.fractions(x))
        for mode in MODES:
            with np.errstate(all="ignore"):
                got = hc.cumsum(x, dtype=DTYPES[dtype], rounding=mode)
            assert got.tolist() == [exact.round_to(v, dtype, mode) for v in sums]


@pytest.mark.parametrize("dtype", DTYPES)
def test_long_running_sums(dtype):
    """Compare running sums that exceed a double's exact integers with integers, at some indices."""
    up = np.full(30_000, 65504, np.float16)
    x = np.concatenate([random_halves(1, 5000), up, random_halves(2, 3000), -up, -up, up]).view(
        hc.half
    )
    x = np.concatenate([x, random_halves(3, 2500, 0x3C00)])
    sums = np.cumsum(np.ldexp(x.astype(np.float64), 24).astype(np.int64))
    indices = np.unique(np.concatenate([np.arange(0, x.size, 997), np.arange(x.size - 50, x.size)]))
    for mode in MODES:
        with np.errstate(all="ignore"):
            got = hc.cumsum(x, dtype=DTYPES[dtype], rounding=mode)
        wanted = [exact.round_to(exact.Fraction(int(s), 2**24), dtype, mode) for s in sums[indices]]
        assert got[indices].tolist() == wanted


def test_running_sums_in_numpy():
    """Check np.cumsum and accumulate along any axis and in place."""
    x = random_halves(8, (40, 3000), 0x3C00)
    for axis in (0, 1):
        for mode in MODES:
            want = hc.cumsum(x, axis=axis, rounding=mode)
            with hc.rounding(mode):
                assert np.array_equal(bits(np.cumsum(x, axis=axis)), bits(want))
                assert np.array_equal(bits(np.cumsum(np.asfortranarray(x), axis=axis)), bits(want))
            assert np.array_equal(bits(hc.add.accumulate(x, axis=axis, rounding=mode)), bits(want))
    want = hc.cumsum(x, axis=1)
    y = x.copy()
    assert hc.cumsum(y, axis=1, out=y) is y and np.array_equal(bits(y), bits(want))
    y = x.copy()
    np.add.accumulate(y, axis=1, out=y)
    assert np.array_equal(bits(y), bits(want))


def test_running_sums_of_infinities():
    x = np.zeros(5000, hc.half)
    x[[700, 2600, 4000]] = INF, -INF, 1
    with np.errstate(all="ignore"):
        got = hc.cumsum(x)
    assert (got[:700] == 0).all() and (got[700:2600] == INF).all() and np.isnan(got[2600:]).all()
    with pytest.raises(FloatingPointError), np.errstate(invalid="raise"):
        hc.cumsum(x)
    x[0] = NAN
    with np.errstate(all="raise"):
        assert np.isnan(hc.cumsum(x)).all()


def test_axes_of_running_sums():
    x = random_halves(9, (4, 5, 6), 0x3C00)
    for axis in (0, 1, 2, -1):
        values = np.cumsum(exact.fractions(x), axis=axis)
        got = hc.cumsum(x, axis=axis, dtype=float)
        assert got.tolist() == [[[float(v) for v in row] for row in matrix] for matrix in values]
    flat = hc.cumsum(np.asfortranarray(x))
    assert flat.shape == (120,) and np.array_equal(flat, hc.cumsum(x.ravel()))
    assert hc.cumsum(halves(3)[0]).tolist() == [3]
    assert hc.cumsum(np.empty((0, 2), hc.half), axis=0).shape == (0, 2)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: hc.sum(x, axis=2), np.exceptions.AxisError, "sum: argument axis: expected"),
        (lambda x: hc.sum(x, axis=(0, -2)), ValueError, "sum: argument axis: expected each"),
        (lambda x: hc.mean(x, axis=0.5), TypeError, "mean: argument axis: expected an int"),
        (lambda x: hc.var(x, dtype=int), TypeError, "var: argument dtype: expected half"),
        (lambda x: hc.var(x, ddof=0.5), TypeError, "var: argument ddof: expected an int"),
        (lambda x: hc.norm(x.astype(float)), TypeError, "norm: argument a: expected half"),
        (lambda x: hc.norm([1, "2"]), TypeError, "norm: argument a: expected half"),
        (lambda x: hc.sum(np.ma.array(x)), TypeError, "sum: argument a: expected an array without"),
        (lambda x: hc.sum(x, where=1), TypeError, "sum: argument where: expected bool"),
        (lambda x: hc.sum(x, where=[True] * 4), ValueError, "sum: argument where: expected"),
        (lambda x: hc.sum(x, out=np.empty(())), TypeError, "sum: argument out: expected"),
        (lambda x: hc.sum(x, axis=0, out=np.empty(2, hc.half)), ValueError, "sum: argument out"),
        (lambda x: hc.sum(x, initial=[1]), TypeError, "sum: argument initial: expected a number"),
        (lambda x: hc.sum(x, rounding="up"), ValueError, "rounding: expected one of"),
        (lambda x: hc.vdot(x, x[:, :2]), ValueError, "vdot: argument b: expected a shape"),
        (lambda x: hc.vdot(x, x.astype(float)), TypeError, "vdot: argument b: expected half"),
        (lambda x: hc.cumsum(x, axis=(0, 1)), TypeError, "cumsum: argument axis: expected an int"),
        (lambda x: hc.cumsum(x, axis=5), ValueError, "cumsum: argument axis: expected -2 to 1"),
        (lambda x: hc.cumsum(x, dtype=int), TypeError, "cumsum: argument dtype: expected half"),
        (lambda x: hc.sum("ab"), TypeError, "sum: argument a: expected half"),
    ],
)  # fmt: skip
def test_errors_name_function_and_argument(call, error, message):
    with pytest.raises(error, match=f"^{message.replace('(', '[(]')}"):
        call(np.ones((2, 3), hc.half))


def test_output_is_unchanged_if_call_raises():
    out = np.full(3, 7, hc.half)
    with pytest.raises(TypeError):
        hc.sum(np.ones((2, 3), hc.half), axis=0, out=out, where=3)
    with pytest.raises(FloatingPointError), np.errstate(over="raise"):
        hc.sum(np.full((2, 3), 6e4, hc.half), axis=0, out=out)
    out.flags.writeable = False
    with pytest.raises(TypeError, match="argument out: expected a writable"):
        hc.sum(np.ones((2, 3), hc.half), axis=0, out=out)
    assert out.tolist() == [7] * 3


def test_other_arguments():
    """Check lists of bool, int8, float16, vectors, single numbers and an output of float32."""
    assert hc.sum([True, False, True]) == 2 and hc.sum(np.arange(9, dtype=np.int8)) == 36
    assert hc.sum(np.ones(3, np.float16)).dtype == np.float16
    assert hc.sum(halves(2)[0]) == 2
    assert hc.sum(hc.half4([[1, 2, 3, 4], [5, 6, 7, 8]]), axis=0).tolist() == [6, 8, 10, 12]
    out = np.empty(3, ">f4")
    assert hc.sum(np.ones((2, 3), hc.half), axis=0, dtype=np.float32, out=out) is out
    assert out.tolist() == [2, 2, 2]


# ---------------------------------------------------------------- products


def test_products():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 60):
        x = random_halves(n, n, 0x7C00)
        x[x == 0] = 1
        scale = rng.permutation(np.concatenate([x, (1 / x.astype(float)).astype(hc.half)]))
        scale = scale[np.isfinite(scale) & (scale != 0)]
        want = np.prod(exact.fractions(scale))
        for mode in MODES:
            with np.errstate(all="ignore"):
                got = [hc.prod(scale, dtype=d, rounding=mode) for d in DTYPES.values()]
            assert [float(g) for g in got] == [exact.round_to(want, f, mode) for f in DTYPES]
    assert hc.prod(np.full((3, 2), 2, hc.half), axis=0).tolist() == [8, 8]


# ---------------------------------------------------------------- memory


def test_memory(tmp_path):
    """Check that reducing a large file allocates little memory."""
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    for dtype, axis in ((hc.half, 0), (np.dtype(hc.half).newbyteorder(), 1)):
        x = np.memmap(path, dtype, "r", shape=(1 << 14, 1 << 15))[:: 1 << 6]
        tracemalloc.start()
        assert (hc.sum(x, axis=axis) == 0).all() and hc.sum(x) == 0
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1 << 26


# ---------------------------------------------------------------- NumPy's own sum


def test_numpy_sums_are_exact_along_any_axis():
    """Check np.sum, the method and np.add.reduce along axes where NumPy adds row by row."""
    x = random_halves(6, (50, 7, 9))
    for axis in AXES:
        swapped = x.astype(x.dtype.newbyteorder())
        for laid in (x, np.asfortranarray(x), x[:, ::-1], x.transpose(2, 0, 1), swapped):
            for keepdims in (False, True):
                for mode in MODES:
                    with np.errstate(all="ignore"), hc.rounding(mode):
                        want = hc.sum(laid, axis=axis, keepdims=keepdims)
                        for got in (
                            np.sum(laid, axis=axis, keepdims=keepdims),
                            laid.sum(axis=axis, keepdims=keepdims),
                            np.add.reduce(laid, axis, keepdims=keepdims),
                        ):
                            assert np.shape(got) == np.shape(want)
                            assert np.array_equal(bits(got), bits(want))
    rows = np.array([[60000], [60000], [-60000]], hc.half)
    assert rows.sum(axis=0) == rows[0]


def test_numpy_sums_with_keywords_and_errors():
    """Check masks, dtypes and initial values, and arguments that NumPy refuses."""
    x = random_halves(6, (50, 7), 0x5000)
    where = x > 0
    assert np.array_equal(np.sum(x, axis=0, where=where), hc.sum(x, axis=0, where=where))
    assert np.array_equal(np.sum(x, axis=np.int64(0)), hc.sum(x, axis=0))
    assert np.array_equal(np.sum(x, axis=0, dtype=hc.half), hc.sum(x, axis=0))
    assert np.sum(x[:, :1], axis=1, initial=1).shape == (50,)
    assert np.sum(np.empty((0, 2), hc.half), axis=0).tolist() == [0, 0]
    for call in (
        lambda: np.sum(x, axis=2), lambda: np.sum(x, axis=(0, 0)),
        lambda: np.add.reduce(x, 0, axis=0), lambda: np.add.reduce(x, foo=1),
        lambda: np.add.reduce(), lambda: np.sum(x, where=np.ones(3, bool)),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            call()
    match = "overflow encountered in reduce"
    with pytest.raises(FloatingPointError, match=match), np.errstate(over="raise"):
        np.sum(np.full((2, 2), 6e4, hc.half), axis=0)


class Rows(np.ndarray):
    """A subclass of `numpy.ndarray`, which results keep."""


def test_numpy_sums_into_out_from_initial_and_of_subclasses():
    """Check that these sums are exact, with the shape and class of float16's."""
    x = random_halves(6, (300, 7), 0x5000)
    out = np.empty(7, hc.half)
    assert np.sum(x, axis=0, out=out) is out and np.array_equal(bits(out), bits(hc.sum(x, axis=0)))
    assert np.array_equal(x.sum(0, initial=3), hc.sum(x, axis=0, initial=3))
    for dtype in (np.float32, np.float64):
        got = np.sum(x, axis=0, dtype=dtype)
        assert got.dtype == dtype and np.array_equal(got, hc.sum(x, axis=0, dtype=dtype))
    for kind in (Rows, np.matrix):
        for options in ({}, {"axis": 0}, {"axis": 1}, {"axis": 1, "keepdims": True}):
            if kind is np.matrix:
                options.pop("keepdims", None)
            got, like = np.sum(x.view(kind), **options), np.sum(x.view("e").view(kind), **options)
            assert np.shape(got) == np.shape(like)
            assert type(got) is (hc.half if type(like) is np.float16 else type(like))
            assert np.array_equal(np.ravel(got), np.ravel(hc.sum(x, axis=options.get("axis"))))
    masked = np.ma.array(x, mask=x < 0)
    assert np.array_equal(masked.sum(axis=0).data, hc.sum(x, axis=0, where=~(x < 0)))
    for bad in ({"out": out[:3]}, {"initial": "x"}, {"initial": [1, 2]}, {"dtype": "U3"}):
        with pytest.raises((TypeError, ValueError)):
            np.sum(x, **{"axis": 0, **bad})


def test_numpy_sums_of_other_dtypes_are_unchanged():
    for dtype in (np.float16, np.float32, int, bool):
        x = np.ones((3, 4), dtype)
        assert np.sum(x, axis=0).dtype == np.add.reduce(x, axis=0).dtype
        assert x.sum(axis=1).tolist() == [4, 4, 4]
    assert np.multiply.reduce(halves(2, 3)) == 6 and np.maximum.reduce(halves(2, 3)) == 3
    assert np.add.reduce([[1, 2], [3, 4]]).tolist() == [4, 6]


# ---------------------------------------------------------------- hard cases of sums


@pytest.mark.parametrize("layout", ["line", "columns"])
def test_sums_of_equal_numbers_at_limits_of_kernels(layout):
    """Compare sums of many equal numbers, at the limits of the kernels' words, with integers."""
    codes = [0x0001, 0x03FF, 0x1FFF, 0x2000, 0x2001, 0x23FF, 0x2400, 0x2401, 0x5801, 0x7BFF]
    for code in codes:
        for sign in (0, 0x8000):
            for n in (63, 4096, 8192 + 5, 70000):
                same = np.full(n, code | sign, np.uint16)
                tiny = same.copy()
                tiny[n // 2 :: 1000] = 1
                for x in (same, tiny):
                    units = int((x.view("e").astype(float) * 2.0**24).astype(np.int64).sum())
                    a = x.view(hc.half)
                    if layout == "columns":
                        a = np.repeat(a[:9000, None], 3, axis=1)[:, 1:]
                        units = int((x[:9000].view("e").astype(float) * 2.0**24).sum())
                    got = hc.sum(a, axis=0, dtype=np.float64)
                    assert np.all(got * 2.0**24 == float(units)), (hex(code), sign, n)


# ---------------------------------------------------------------- running products


@pytest.mark.parametrize("mode", MODES)
def test_running_products_are_rounded_once(mode):
    """Check running products that overflow and become finite again, or nearly vanish."""
    rng = np.random.default_rng(3)
    near_one = 1 + rng.normal(size=300) * 0.05
    exact_ones = rng.choice([0.5, 2, 3, 1, -1, 0.25, 4, 2.0**-24, 1024], 300)
    swings = 2.0 ** rng.integers(-24, 16, 300) * (1 + rng.integers(0, 3, 300) / 1024)
    there_and_back = np.repeat([2.0**15, 2.0**-24, 2.0**9], 100)
    for values in (near_one, exact_ones, swings, there_and_back):
        x = values.astype(np.float16).view(hc.half)
        with hc.rounding(mode), np.errstate(all="ignore"):
            got = np.cumprod(np.stack([x, x], axis=1), axis=0)[:, 1]
            also = (np.cumprod(x), getattr(hc, f"multiply_{mode}").accumulate(x))
        assert all(np.array_equal(bits(got), bits(other)) for other in also)
        product = exact.Fraction(1)
        for value, one in zip(exact.fractions(x), got, strict=True):
            product *= value
            assert float(one) == exact.round_to(product, "half", mode)


def test_running_products_of_zeros_infinities_and_nans():
    with np.errstate(all="ignore"):
        assert bits(np.cumprod(halves(-1, 0, 5))).tolist() == [0xBC00, 0x8000, 0x8000]
        assert bits(np.cumprod(halves(np.inf, -2, np.nan, 1))).tolist() == [
            0x7C00, 0xFC00, 0x7E00, 0x7E00]  # fmt: skip
    with pytest.raises(FloatingPointError, match="invalid"), np.errstate(invalid="raise"):
        np.cumprod(halves(0, np.inf))
    with pytest.raises(FloatingPointError, match="underflow"), np.errstate(under="raise"):
        np.cumprod(halves(2.0**-14, 2.0**-14))


def test_exceptions_of_callbacks_pass_through_sums():
    """Check that exceptions of error callbacks and classes are raised once and unchanged."""
    calls = []

    def refuse(kind, flags):
        calls.append(kind)
        if len(calls) == 1:
            raise ValueError("mine")

    class Wrapping(np.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            calls.append("wrap")
            raise ValueError("mine")

    with np.errstate(all="call", call=refuse), pytest.raises(ValueError, match="mine"):
        np.add.reduce(np.array([60000, 60000], hc.half), initial=hc.half(1))
    with pytest.raises(ValueError, match="mine"):
        np.add.reduce(np.ones(3, hc.half).view(Wrapping))
    assert calls == ["overflow", "wrap"]
    ones = np.ones((2, 3), hc.half)
    with pytest.raises(ValueError, match="identity"):
        np.add.reduce(ones, where=np.zeros(3, bool), initial=None)
    with pytest.raises(TypeError, match=r"ArrayType|be an array"):  # older NumPys
        ones.sum(out=(None,))
