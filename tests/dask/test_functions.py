"""Tests of halfcl's functions with Dask arrays, block by block, and of regions."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import either, one_in, shared_out
from packages import later

import halfcl as hc
from halfcl import half, stability
from halfcl.interval import Interval

dask = later("dask")
da = later("dask.array")

ROWS = [row for row in hc._tables.TABLE if row.public]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def halves(shape, seed=0, dtype=half):
    """Return random halves of all magnitudes, some of them infinite, NaN or -0."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 0x7C00, shape) | rng.integers(0, 2, shape) << 15
    special = rng.choice(np.array([0x7C00, 0xFC00, 0x7E00, 0x8000]), shape)
    bits = np.where(rng.random(shape) < 0.05, special, bits)
    return bits.astype(np.uint16).view(dtype)


def arguments(row, shape):
    rng = np.random.default_rng(len(row.name))
    for i, letter in enumerate(row.types.split(">")[0]):
        dtype = np.dtype(letter)
        if dtype == np.float16:
            yield halves(shape, i)
        else:
            yield rng.integers(0, 100, shape).astype(dtype)


def assert_same(got, expected):
    """Assert that an array is lazy, has the declared shape and dtype, and the expected bits."""
    assert isinstance(got, da.Array)
    value = got.compute()
    expected = np.asarray(expected)
    assert got.dtype == np.asarray(value).dtype == expected.dtype
    assert got.shape == np.shape(value) == expected.shape
    assert np.asarray(value).tobytes() == expected.tobytes()


def assert_all_same(got, expected):
    several = isinstance(expected, tuple)
    for one, other in zip(*((got, expected) if several else ((got,), (expected,))), strict=True):
        assert_same(one, other)


@one_in(2)
@shared_out
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("row", either(ROWS, ROWS[::4]), ids=lambda row: row.name)
def test_every_function(row):
    function = getattr(hc, row.name)
    x = list(arguments(row, (5, 3)))
    chunked = [da.from_array(a, chunks=(2 + i, -1)) for i, a in enumerate(x)]
    assert_all_same(function(*chunked), function(*x))
    assert_all_same(function(*chunked, rounding="rtp"), function(*x, rounding="rtp"))
    if row.name != "cross":  # Dask tries ufuncs with vectors of one component
        ufunc, again = getattr(hc, f"{row.name}_rtz"), [c.rechunk((3, -1)) for c in chunked]
        assert_all_same(ufunc(*again), function(*x, rounding="rtz"))
    if len(x) > 1:
        assert_all_same(function(chunked[0], *x[1:]), function(*x))
    plain = [a.view(np.float16) if a.dtype == half else a for a in x]
    assert_all_same(function(*(da.from_array(a, chunks=(4, -1)) for a in plain)), function(*plain))


def test_graphs_of_functions_can_be_pickled():
    x = da.ones((4, 3), chunks=(2, 3), dtype=half)
    for array in (hc.exp(x), hc.frexp(x)[0], hc.dot(x, x), hc.sum(x), hc.convert_int_rtp(x),
                  hc.ulp_error(x, x), hc.cumsum(x, axis=0), hc.normalize(x)):  # fmt: skip
        copy = pickle.loads(pickle.dumps(array))
        assert copy.compute().tobytes() == array.compute().tobytes()


def test_functions_unpickle_by_name_in_new_process():
    prefixes = ("convert_", "as_", "vload", "vstore")
    names = [*hc._everything, *(name for name in hc._reachable() if name.startswith(prefixes))]
    names = [name for name in names if callable(getattr(hc, name))]
    blobs = {name: pickle.dumps(getattr(hc, name)) for name in names}
    code = (
        "import pickle, sys\n"
        "for name, blob in pickle.load(sys.stdin.buffer).items():\n"
        "    function = pickle.loads(blob)\n"
        "    import halfcl\n"
        "    assert function is getattr(halfcl, name), name\n"
        "print('all')"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(blobs), capture_output=True, check=True
    )
    assert len(names) > 1000 and process.stdout == b"all\n"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_that_are_not_ufuncs():
    x = halves((6, 4))
    d = da.from_array(x, chunks=(4, 4))
    places = np.array([1, 0], np.uint16)
    assert_same(hc.select(d, -d, hc.isless(d, 1)), hc.select(x, -x, hc.isless(x, 1)))
    assert_same(hc.bitselect(d, -d, x), hc.bitselect(x, -x, x))
    assert_same(hc.convert(d, np.int32, rounding="rtp"), hc.convert(x, np.int32, rounding="rtp"))
    assert_same(hc.convert(d), hc.convert(x))
    assert_same(hc.convert_uchar_sat_rtn(d), hc.convert_uchar_sat_rtn(x))
    assert_same(hc.convert_half_rtz(d.astype("f8") / 3), hc.convert_half_rtz(x.astype("f8") / 3))
    assert_same(hc.as_short(d), hc.as_short(x))
    assert_same(hc.ulp_error(d, x), hc.ulp_error(x, x))
    assert_same(hc.ulps_between(d, -d), hc.ulps_between(x, -x))
    assert_same(hc.any(d > 1, axis=0), (x > 1).any(axis=0))
    assert_same(hc.add.outer(d[0], x[1]), hc.add.outer(x[0], x[1]))
    modes = np.arange(24).reshape(6, 4).astype(np.uint8) % 4
    assert_same(hc.divide(d, 3, rounding=modes), hc.divide(x, 3, rounding=modes))
    with pytest.raises(
        TypeError, match=r"shuffle: expected .*, got a Dask array; use x\.map_blocks"
    ):
        hc.shuffle(d, places)


def test_vectors():
    x = np.arange(1, 25).astype(half).reshape(6, 4)
    v, d = x.view(hc.half4), hc.dask.vectors(da.from_array(x, chunks=(4, 4)), hc.half4)
    assert type((d + d).compute()) is type(hc.normalize(d).compute()) is hc.half4
    assert_same(hc.normalize(d), hc.normalize(v))
    assert_same(hc.dot(d, d), hc.dot(v, v))
    assert_same(d.map_blocks(hc.isless, 7, dtype=np.int16), hc.isless(v, 7))
    assert_same(hc.convert_int4(d), hc.convert_int4(v))
    assert_same(hc.cross(d, hc.half4(1, 2, 3, 4)), hc.cross(v, hc.half4(1, 2, 3, 4)))
    with pytest.raises(ValueError, match="expected a last axis of length 8, got shape"):
        hc.dask.vectors(d, hc.half8)
    with pytest.raises(TypeError, match="expected dtype half, got float64"):
        hc.dask.vectors(d.astype(float), hc.half4)


# ---------------------------------------------------------------- axes, chunks


def test_axes_of_vectors():
    x, y = halves((3, 5, 4)), halves((5, 4), 1)
    d, e = da.from_array(x, chunks=(2, 3, -1)), da.from_array(y, chunks=(4, -1))
    with np.errstate(all="ignore"):
        for keepdims in (False, True):
            assert_same(hc.dot(d, e, keepdims=keepdims), hc.dot(x, y, keepdims=keepdims))
            turned = d.rechunk({0: -1})
            assert_same(hc.length(turned, axis=0, keepdims=keepdims),
                        hc.length(x, axis=0, keepdims=keepdims))  # fmt: skip
        turned = d.rechunk({1: -1})
        assert_same(hc.normalize(turned, axis=1), hc.normalize(x, axis=1))


@shared_out
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("chunk", either([1, 3, 4, 7], [4]))
def test_chunked_dot_and_length(chunk, mode):
    x, y = halves((9, 11), 3), halves((9, 11), 4)
    d, e = da.from_array(x, chunks=chunk), da.from_array(y, chunks=5)
    assert_same(hc.dot(d, e, rounding=mode), hc.dot(x, y, rounding=mode))
    assert_same(hc.length(d, rounding=mode), hc.length(x, rounding=mode))
    assert_same(hc.dot(d, y[0], rounding=mode), hc.dot(x, y[0], rounding=mode))


def test_few_and_no_elements():
    x = np.arange(6).astype(half)
    d = da.from_array(x, chunks=2)
    assert_same(hc.exp(d[0]), hc.exp(x[0]))
    assert_same(hc.exp(d[:0]), hc.exp(x[:0]))
    assert_same(hc.sum(da.concatenate([d[:0], d, d[3:3]])), hc.sum(x))
    assert_same(hc.sum(d[:0]), half(0))
    some = d[d > 2]  # has chunks of unknown sizes
    assert hc.exp(some).compute().tobytes() == hc.exp(x[x > 2]).tobytes()
    assert hc.vdot(some, some).compute() == 50
    assert hc.mean(some, where=some < 5).compute() == 3.5


# ---------------------------------------------------------------- regions


@pytest.fixture
def thirds():
    """A Dask array, and the NumPy array of its thirds in each mode."""
    x = np.arange(1, 25).astype(half).reshape(4, 6)
    return da.from_array(x, chunks=(3, 4)), {m: hc.divide(x, 3, rounding=m) for m in hc.MODES}


def test_graph_is_bound_to_region_in_which_it_is_made(thirds, mode):
    d, expected = thirds
    with hc.rounding(mode):
        third, by_blocks = d / 3, d.map_blocks(lambda block: block / 3)
        converted = hc.convert(d.astype("f8") / 3, half)
    for array in (third, by_blocks, converted, third.persist(), dask.optimize(third)[0],
                  third.rechunk(2), pickle.loads(pickle.dumps(third))):  # fmt: skip
        assert_same(array, expected[mode])
    with hc.rounding("rtp" if mode == "rtn" else "rtn"):
        again = third * 1
        assert_same(again, expected[mode])
    assert_same(again, expected[mode])


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_region_around_compute_does_not_affect_graph(thirds, scheduler):
    d, expected = thirds
    third = d / 3
    with hc.rounding("rtn"):
        assert third.compute(scheduler=scheduler).tobytes() == expected["rte"].tobytes()
        with pytest.raises(ZeroDivisionError):
            d.map_blocks(lambda block: 1 // 0, dtype=half).compute(scheduler=scheduler)
        assert hc.get_rounding() == "rtn"
    assert hc.get_rounding() == "rte"


def test_arrays_of_different_regions_computed_together(thirds):
    d, expected = thirds
    arrays = {}
    for mode in hc.MODES:
        with hc.rounding(mode):
            arrays[mode] = d / 3
    together = dict(zip(arrays, dask.compute(*arrays.values()), strict=True))
    for mode in hc.MODES:
        assert together[mode].tobytes() == expected[mode].tobytes()


def test_regions_with_builtins(thirds):
    d, x = thirds[0], thirds[0].compute()
    with hc.rounding("rtp", builtins=True):
        sines, expected = np.sin(d), np.sin(x)
    with hc.rounding("rtp"):
        assert_same(np.sin(d), np.sin(x))
    assert_same(sines, expected)
    assert (expected != np.sin(x)).any()


def test_float16_in_region_warns_or_raises_unless_accelerated():
    """Check that operators warn where the array is made, and raise where blocks are computed."""
    x = da.ones(3, chunks=2, dtype=np.float16)
    with hc.rounding("rtp"), pytest.warns(RuntimeWarning, match=r"operators.*, got float16"):
        assert (x / 3).compute()[0] == np.float16(1) / np.float16(3)
    with hc.rounding("rtp"), hc.accelerated():
        third = x / 3
        assert third.compute()[0] == np.float16(0.3335)
    with pytest.raises(RuntimeError, match="blocks of float16: expected a worker that is accel"):
        third.compute()


def test_strict_regions(thirds):
    with hc.rounding("rte", strict=True):
        wide = thirds[0].map_blocks(lambda block: block.astype("f4"), dtype="f4")
    with pytest.raises(TypeError, match="in a strict region"):
        wide.compute()


def test_region_survives_configurations_of_dask(thirds):
    """Check that operators are bound next to other plugins, and after a reset of configuration."""
    d, expected = thirds
    seen = []
    with dask.config.set(array_plugins=[seen.append]):
        with hc.rounding("rtp"):
            assert_same(d / 3, expected["rtp"])
        assert seen
    dask.config.refresh()
    with hc.rounding("rtz"):
        assert_same(d / 3, expected["rtz"])


@shared_out
@pytest.mark.parametrize(
    "imports",
    ["halfcl as hc, dask.array as da", *either(["dask.array as da, halfcl as hc"], [])],
)
def test_operators_in_region_without_call_of_halfcl(imports):
    """Check a region before any function of halfcl had a Dask array, in both orders of imports."""
    code = (
        f"import {imports}\nx = da.ones(3, dtype=hc.half)\n"
        "with hc.rounding('rtp'): y = x / 3\n"
        "print(y.compute()[0])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert process.stdout == b"0.3335\n"


def test_dask_is_not_imported():
    code = (
        "import sys, halfcl as hc\nwith hc.rounding('rtp'): hc.half(1) / 3\n"
        "print('dask' in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert process.stdout == b"False\n"


def test_rerun_with_modes_and_without_samples(thirds):
    """Check reruns in four modes, and the error for samples, which Dask's threads do not see."""
    d = thirds[0]
    report = stability.rerun(lambda: (d / 3).compute())
    assert {m: v.tobytes() for m, v in report.values.items()} == {
        m: v.tobytes() for m, v in thirds[1].items()
    }
    with pytest.raises(RuntimeError, match=r"lazy Dask array; compute\(\) it first"):
        stability.rerun(lambda: (d / 3).compute(), samples=2)


# ---------------------------------------------------------------- errors


def test_errors():
    x = np.ones((4, 4), half)
    d = da.from_array(x, chunks=2)
    for call, error, text in (
        (lambda: hc.exp(d.astype("f4")), TypeError, r"1 \(x\): expected half, .* got float32"),
        (lambda: hc.add(d, None), TypeError, "add: argument 2: expected a number or .* NoneType"),
        (lambda: hc.add(Interval(x), d), TypeError, "add: argument 1: .*got Interval"),
        (lambda: hc.add([1, 2, 3, 4], d), TypeError, "add: argument 1: .*got list"),
        (lambda: hc.add(d, d[:3]), ValueError, "broadcast"),
        (lambda: hc.exp(d, rounding="up"), ValueError, "rounding: expected one of"),
        (lambda: hc.exp(d, d, d), TypeError, "positional arguments"),
        (lambda: hc.exp(d, nothing=1), TypeError, "unexpected keyword argument 'nothing'"),
        (lambda: hc.fract(d, where=d > 1), TypeError, "fract: argument where: expected no such"),
        (lambda: hc.fract(d, out=(d, d)), TypeError, "fract: argument out: expected no such"),
        (lambda: hc.dot(d, d, out=x), TypeError, "dot: argument out: expected no such"),
        (lambda: hc.dot(d), TypeError, "dot"),
        (lambda: hc.normalize(d), ValueError, r"normalize: argument 1: .*chunks \(2, 2\)"),
        (lambda: hc.cross(x, d), ValueError, "cross: argument 2: expected vectors along an axis"),
        (lambda: hc.convert_int4(d), ValueError, r"convert_int4: argument x: .*rechunk"),
        (lambda: hc.convert(d, half, sat=True), TypeError, "sat"),
        (lambda: hc.any(d), TypeError, "any: argument x: expected bool or integers"),
        (lambda: hc.add.reduce(d), TypeError, r"add\.reduce: .* got Dask arrays; use halfcl\.sum"),
        (lambda: hc.add.at(d, 0, 1), TypeError, r"add\.at: .* got Dask arrays"),
        (lambda: hc.sqrt.outer(d, d), TypeError, r"sqrt\.outer"),
        (lambda: hc.sum(d, axis=2), IndexError, "sum: argument axis"),
        (lambda: hc.sum(d, dtype=int), TypeError, "sum: argument dtype"),
        (lambda: hc.sum(d, out=x), TypeError, "sum: argument out: expected None"),
        (lambda: hc.sum(d.astype(float)), TypeError, "sum: argument a: expected half"),
        (lambda: hc.sum(d, where=d), TypeError, "sum: argument where: expected bool"),
        (lambda: hc.sum(d[0], where=d > 1), ValueError, "sum: argument where: expected a shape"),
        (lambda: hc.mean(d, rounding="up"), ValueError, "rounding: expected one of"),
        (lambda: hc.vload4(0, d), TypeError, "vload4: argument p"),
        (lambda: hc.cumsum(d, axis=(0, 1)), TypeError, "cumsum: argument axis"),
        (lambda: hc.cumsum(d, out=x), TypeError, "cumsum: argument out"),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            call()


# ---------------------------------------------------------------- on top of Dask


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_xarray():
    xr = pytest.importorskip("xarray")
    x = halves((4, 6))
    array = xr.DataArray(da.from_array(x, chunks=(2, 3)), dims=("time", "place"))
    assert_same(hc.exp(array).data, hc.exp(x))
    assert_same(hc.pow(array, 2, rounding="rtz").data, hc.pow(x, 2, rounding="rtz"))
    assert hc.exp(array).dims == ("time", "place")
    assert_same((array * 2 + array).data, x * 2 + x)
    with hc.rounding("rtn"):
        third, expected = array / 3, x / 3
    assert_same(third.data, expected)
    fraction, floor = hc.fract(array)
    assert_same(fraction.data, hc.fract(x)[0])
    assert_same(floor.data, hc.fract(x)[1])
    assert_same(array.reduce(hc.sum, "time").data, hc.sum(x, axis=0))
    assert_same(array.reduce(hc.std).data, hc.std(x))


def test_gufuncs_take_arrays_made_in_a_region(mode):
    """Check apply_gufunc, which parses the names of arrays and expects Dask's own form."""
    x = np.arange(1, 13).astype(half).reshape(3, 4)
    d = da.from_array(x, chunks=(2, 4))
    with hc.rounding(mode):
        parts = hc.modf(d / 3)
        rows = da.apply_gufunc(lambda block: hc.sum(block / 3, axis=-1), "(i)->()", d,
                               output_dtypes=half)  # fmt: skip
    third = hc.divide(x, 3, rounding=mode)
    for got, expected in zip(parts, hc.modf(third), strict=True):
        assert got.compute().tobytes() == expected.tobytes()
    assert rows.compute().tobytes() == hc.sum(third, axis=-1, rounding=mode).tobytes()


def test_names_differ_between_regions():
    d = da.ones(3, chunks=2, dtype=half)
    names = set()
    for keywords in ({}, {"builtins": True}, {"strict": True}):
        for mode in hc.MODES:
            with hc.rounding(mode, **keywords):
                names.add((d / 3).name)
                assert (d / 3).name in names
    assert len(names) == 11  # builtins make no difference in the mode rte
