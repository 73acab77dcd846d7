"""Vector loads and stores on plain arrays: addresses, gathers and scatters, rounding, refusals."""

import numpy as np
import oracle
import pytest
import samples
from exhaustive import in_modes, in_turn, shared_out
from oracle import MODES
from oracle_common import HAS_LONG_DOUBLES

import halfcl as hc
from halfcl._opencl import memory

WIDTHS = (2, 3, 4, 8, 16)
DTYPES = (hc.half, np.float16, np.int16, np.uint16)
HALVES = samples.finite(np.random.default_rng(0), 101)

#: {name: (width, or 0 for scalars; halves from one vector to the next)}
LOADS = {f"vload{n}": (n, n) for n in WIDTHS}
LOADS |= {"vload_half": (0, 1)} | {f"vload_half{n}": (n, n) for n in WIDTHS}
LOADS |= {f"vloada_half{n}": (n, 4 if n == 3 else n) for n in WIDTHS}
STORES = {name.replace("load", "store"): access for name, access in LOADS.items()}
ROUNDED = [name for name in STORES if "half" in name]
IN_MODES = [f"{name}_{mode}" for name in ROUNDED for mode in MODES]

OFFSETS = (
    0, 1, np.int8(2), np.uint64(3), np.array(2), [1, 0, 3], [1, 2, 3], np.array([2]),
    np.array([[2, 2], [0, 3]], np.uint8), np.array([[0, 1], [2, 3]]), np.arange(6)[1:5:2],
)  # fmt: skip
RANGES = (range(4), range(1, 1), range(3, -1, -1), range(0, 4, 2), range(2, 0, -1))


def values(bits):
    return bits.view(np.float16).astype(np.float32)


def places(offset, width, stride):
    """Return the indices of an offset, by the spec's addresses."""
    start = np.array(offset, np.int64) * stride
    return start[..., np.newaxis] + np.arange(width) if width else start


def buffers(dtype):
    """Return the same elements in memory of several layouts."""
    wide = np.zeros((HALVES.size, 3), np.uint16)
    wide[:, 1] = HALVES
    backwards = HALVES[::-1].copy()[::-1]
    return [array.view(dtype) for array in (HALVES.copy(), wide[:, 1], backwards)]


# ---------------------------------------------------------------- loads


@in_turn
@pytest.mark.parametrize("name", LOADS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_load(name, dtype):
    """Elements by the spec's addresses: floats, or of the buffer's type."""
    width, stride = LOADS[name]
    for p in buffers(dtype):
        for offset in (*OFFSETS, *RANGES, []):
            got = getattr(hc, name)(offset, p)
            want = HALVES[places(offset, width, stride)]
            assert got.shape == want.shape and not np.shares_memory(got, p)
            if "half" in name:
                assert got.dtype == np.float32
                np.testing.assert_array_equal(got, values(want))
            else:
                assert got.dtype == (hc.half if dtype is np.float16 else dtype)
                np.testing.assert_array_equal(got.view(np.uint16), want)


def test_load_gives_special_numbers():
    p = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
    with np.errstate(invalid="ignore"):
        want = p.astype(np.float32)
        np.testing.assert_array_equal(hc.vload_half(range(p.size), p), want)
        np.testing.assert_array_equal(hc.vload_half4(range(p.size // 4), p).ravel(), want)


def test_scalars_are_scalars():
    assert type(hc.vload_half(1, HALVES)) is np.float32


@pytest.mark.parametrize("name", LOADS)
def test_load_into_out(name):
    """Loads into out, in memory of any layout, return out itself."""
    width = LOADS[name][0]
    for p in buffers(hc.half):
        for offset in (0, np.array(2), [1, 0, 3], [[2, 3]], *RANGES):
            want = getattr(hc, name)(offset, p)
            wide = np.zeros((*np.shape(want), 2), want.dtype)
            for out in (np.empty(np.shape(want), want.dtype), wide[..., 1]):
                assert getattr(hc, name)(offset, p, out=out) is out
                np.testing.assert_array_equal(out, np.asarray(want))
            assert not wide[..., 0].any()
    if width:
        out = np.zeros_like(getattr(hc, name)(range(2), p))
        assert getattr(hc, name)(range(2), p, out=out) is out and type(out) is not np.ndarray
        np.testing.assert_array_equal(out, getattr(hc, name)(range(2), p))


def test_load_into_its_own_buffer():
    p = np.arange(8).astype(hc.half)
    hc.vload2([3, 1, 0], p, out=p[:6].reshape(3, 2))
    assert p.tolist() == [6, 7, 2, 3, 0, 1, 6, 7]
    p = np.arange(8).astype(np.float16)
    hc.vload_half(range(1, 5), p, out=p.view(np.float32))
    assert p.view(np.float32).tolist() == [1, 2, 3, 4]


def test_store_of_its_own_buffer():
    """The result is as if the data had been elsewhere."""
    for offset in ([1, 2], 1, range(2, 0, -1)):
        p = np.arange(8).astype(hc.half)
        hc.vstore2(p[:4].reshape(2, 2), offset, p)
        want = [0, 1, 2, 3, 0, 1, 6, 7] if isinstance(offset, range) else [0, 1, 0, 1, 2, 3, 6, 7]
        assert p.tolist() == want
    p = np.arange(8).astype(hc.half)
    hc.vstore_half(p[:4], 1, p)
    assert p.tolist() == [0, 0, 1, 2, 3, 5, 6, 7]
    p = np.arange(8).astype(np.float32)
    hc.vstore_half(p, 0, p.view(hc.half))
    assert p.view(hc.half)[:8].tolist() == list(range(8))


@pytest.mark.parametrize("name", LOADS)
def test_wrong_outputs(name):
    """Are refused by name, and nothing is written."""
    p, good = HALVES.view(hc.half), getattr(hc, name)(range(3), HALVES.view(hc.half))
    shape, dtype = np.shape(good), good.dtype
    fixed = np.zeros(shape, dtype)
    fixed.flags.writeable = False
    longer, empty = (shape[0] + 1, *shape[1:]), (0, *shape[1:])
    for error, message, out in (
        (TypeError, f"expected an array of {dtype}, got float64", np.zeros(shape)),
        (TypeError, f"expected an array of {dtype}, got list", good.tolist()),
        (TypeError, "expected a writable array", fixed),
        (ValueError, "expected shape", np.zeros(longer, dtype)),
        (ValueError, "expected shape", np.zeros((1, *shape), dtype)),
        (ValueError, "expected shape", np.zeros(empty, dtype)),
    ):
        for offset in (range(3), [2, 0, 1]):
            with pytest.raises(error, match=f"{name}: argument out: {message}"):
                getattr(hc, name)(offset, p, out=out)
        assert not np.any(out) or isinstance(out, list)


# ---------------------------------------------------------------- stores


def buffers_after_store(name, data, offset, dtype, **options):
    """Return a buffer after a store into zeros, which is the same in all layouts."""
    results = []
    for p in buffers(dtype):
        p[...] = 0
        assert getattr(hc, name)(data, offset, p, **options) is None
        results.append(p.view(np.uint16))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    return results[0]


def store_one_by_one(index, data):
    """Return the buffer after a loop of stores; the last of several to an index stays."""
    want = np.zeros(HALVES.size, np.uint16)
    for k, bits in zip(index.ravel(), data.ravel(), strict=True):
        want[k] = bits
    return want


@in_turn
@pytest.mark.parametrize("name", [name for name in STORES if "half" not in name])
@pytest.mark.parametrize("dtype", DTYPES)
def test_store(name, dtype):
    width, stride = STORES[name]
    rng = np.random.default_rng(1)
    for offset in (*OFFSETS, *RANGES, []):
        index = places(offset, width, stride)
        data = rng.integers(0, 1 << 16, index.shape, np.uint16)
        got = buffers_after_store(name, data.view(dtype), offset, dtype)
        np.testing.assert_array_equal(got, store_one_by_one(index, data))


@in_turn
@shared_out
@pytest.mark.parametrize(("name", "mode"), in_modes(ROUNDED))
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rounded_store(name, kind, mode):
    """The exact number rounded once, by name, by argument and by region."""
    width, stride = STORES[name]
    rng = np.random.default_rng(2)
    for offset in (*OFFSETS, *(r for r in RANGES if r)):
        index = places(offset, width, stride)
        # Close to midpoints, some nearer than a float32 tells.
        middle = samples.value(samples.finite(rng, index.size)) * (1 + 2.0**-11)
        data = (middle * (1 + rng.integers(-1, 2, index.size) * 2.0**-40)).astype(kind)
        want = store_one_by_one(index, oracle.round_to_half(data.tolist())[mode][0])
        data = data.reshape(index.shape)
        with np.errstate(all="ignore"):
            for dtype in (hc.half, np.uint16):
                got = buffers_after_store(f"{name}_{mode}", data, offset, dtype)
                np.testing.assert_array_equal(got, want)
                got = buffers_after_store(name, data, offset, dtype, rounding=mode)
                np.testing.assert_array_equal(got, want)
                with hc.rounding(mode):
                    got = buffers_after_store(name, data, offset, dtype)
                np.testing.assert_array_equal(got, want)


def test_argument_goes_before_region():
    p = np.zeros(2, hc.half)
    with hc.rounding("rtn"):
        hc.vstore_half(0.1, 0, p, rounding="rtp")
        hc.vstore_half_rtp(0.1, 1, p)
    assert (p == hc.parse("0.1", rounding="rtp")).all()


@pytest.mark.parametrize("name", ROUNDED)
def test_one_offset_of_many(name):
    """Is that of the first; the others follow."""
    width, stride = STORES[name]
    data = np.arange(1, 13).reshape(2, 2, 3)
    data = (data[..., np.newaxis] + np.zeros(width)) if width else data + 0.0
    p = np.zeros(12 * 16 + 16, hc.half)
    getattr(hc, name)(data, 1, p)
    index = places(range(1, 13), width, stride)
    np.testing.assert_array_equal(p[index], data.reshape(index.shape))
    assert np.count_nonzero(p) == index.size
    for bad in (-1, p.size // stride - 11):
        with pytest.raises(IndexError):
            getattr(hc, name)(data, bad, p)


@shared_out
@pytest.mark.parametrize(("name", "mode"), in_modes(ROUNDED))
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_many_from_one_offset(name, kind, mode):
    """Into every kind of buffer, from every kind of data, the same; or nothing is written."""
    width, stride = STORES[name]
    function = getattr(hc, name)
    shape = (5, width) if width else (5,)
    values = np.random.default_rng(4).normal(size=(2 * shape[0], *shape[1:])).astype(kind)
    for data in (values[:5], values[::2], np.asfortranarray(values[:5])):
        index = places(range(1, 6), width, stride)
        want = store_one_by_one(index, oracle.round_to_half(data.ravel().tolist())[mode][0])
        for dtype in (hc.half, np.float16):
            got = buffers_after_store(f"{name}_{mode}", data, 1, dtype)
            np.testing.assert_array_equal(got, want)
        for bad in (-1, (HALVES.size - max(width, 1)) // stride - 3):
            for p in buffers(hc.half):
                before = p.tolist()
                with pytest.raises(IndexError):
                    function(data, bad, p, rounding=mode)
                assert p.tolist() == before


def test_padding_is_left_alone():
    """The stride-4 forms of width 3 pass over every fourth half, and need none at the end."""
    p = np.full(7, 9, hc.half)
    hc.vstorea_half3(np.ones((2, 3), np.float32), 0, p)
    assert p.tolist() == [1, 1, 1, 9, 1, 1, 1]
    assert hc.vloada_half3(1, p).tolist() == [1, 1, 1]
    with pytest.raises(IndexError):
        hc.vloada_half3(1, p[:6])


def test_flags_are_those_of_the_conversion():
    p = np.zeros(4, hc.half)
    with oracle.Watch() as watch:
        for offset in (0, [0], range(1)):
            for number, flag in ((1e6, oracle.OVERFLOW), (1e-7, oracle.UNDERFLOW), (0.1, 0)):
                hc.vstore_half(np.full(1, number), offset, p)
                assert watch.take() == flag


def test_data_broadcast_and_scalars():
    p = np.zeros(8, hc.half)
    hc.vstore_half(1.5, [0, 3], p)
    hc.vstore_half2([1, 2], [2, 3], p)
    assert p.tolist() == [1.5, 0, 0, 1.5, 1, 2, 1, 2]
    with pytest.raises(ValueError, match=r"argument data.*broadcasts"):
        hc.vstore_half(np.ones(3), [0, 1], p)
    with pytest.raises(ValueError, match=r"argument data.*length 4"):
        hc.vstore_half4(np.ones(3), 0, p)
    with pytest.raises(ValueError, match=r"argument data.*length 2"):
        hc.vstore2(hc.half(1), 0, p)
    with pytest.raises(ValueError, match=r"argument data.*length 3"):
        hc.vstorea_half3(np.ones((1, 4)), 0, p)


def test_many_elements():
    rng = np.random.default_rng(3)
    data = rng.normal(size=(1 << 14, 4)).astype(np.float32)
    order = rng.permutation(1 << 14)
    for offset in (0, range(1 << 14), np.arange(1 << 14), order, order[::-1]):
        p = np.zeros(1 << 16, np.float16)
        hc.vstore_half4(data, offset, p)
        index = np.arange(1 << 14) if isinstance(offset, int) else np.asarray(offset)
        np.testing.assert_array_equal(p.reshape(-1, 4)[index], data.astype(np.float16))
        np.testing.assert_array_equal(hc.vload_half4(index, p), data.astype(np.float16))


# ---------------------------------------------------------------- refusals


def attempts(p, offset):
    """Yield a call of every function, by name, that must not write."""
    for name in LOADS:
        yield name, lambda name=name: getattr(hc, name)(offset, p)
    for name, (width, _) in [*STORES.items(), *((n, STORES[n[:-4]]) for n in IN_MODES)]:
        kind = np.float32 if "half" in name else p.dtype if hasattr(p, "dtype") else hc.half
        data = np.ones(width or (), kind)
        yield name, lambda name=name, data=data: getattr(hc, name)(data, offset, p)


@pytest.mark.parametrize("offset", [-1, 1000, 10**30, [0, -1], [0, 1000], range(1000)])
def test_outside(offset):
    """IndexError, with nothing written."""
    p = np.zeros(40, hc.half)
    for name, attempt in attempts(p, offset):
        with pytest.raises(IndexError, match=rf"{name}: argument offset: expected 0 to \d+, got"):
            attempt()
    assert not p.any()


@pytest.mark.parametrize(
    "offset",
    [2**63, -(2**63), 2**70, range(2**60), range(2**70, 2**70 + 1), [2**63], range(-1, 1),
     np.array([2**63 - 1, 2**63], np.uint64), np.array([2**63 - 1, -(2**63)]), [-1, 0]],
    ids=str,
)  # fmt: skip
def test_far_outside(offset):
    """Offsets whose addresses would wrap are out of range."""
    p = np.zeros(40, hc.half)
    for _, attempt in attempts(p, offset):
        with pytest.raises(IndexError):
            attempt()
    assert not p.any()


def test_last_offset_is_inside():
    """And the next one is not, whatever is left over at the end."""
    for size in range(36):
        p = np.zeros(size, hc.half)
        for name, (width, stride) in LOADS.items():
            count = max(0, (size - max(width, 1)) // stride + 1)
            if count:
                getattr(hc, name)(count - 1, p)
            with pytest.raises(IndexError):
                getattr(hc, name)(count, p)


def read_only():
    p = np.zeros(40, hc.half)
    p.flags.writeable = False
    return p


@pytest.mark.parametrize(
    "p",
    [
        np.zeros((5, 8), hc.half),
        np.array(1, hc.half),
        np.zeros(40, np.float32),
        np.zeros(40, np.int8),
        np.zeros(40, np.bool_),
        np.zeros(40, ">f4"),
        [0.0] * 40,
        bytearray(80),
        None,
    ],
    ids=str,
)
def test_no_buffer(p):
    for name, attempt in attempts(p, 0):
        with pytest.raises(TypeError, match=f"{name}: argument p: expected"):
            attempt()


def test_read_only_buffer():
    p = read_only()
    for name, attempt in attempts(p, 0):
        if "store" in name:
            with pytest.raises(TypeError, match=f"{name}: argument p: expected a writable"):
                attempt()
        else:
            attempt()


@pytest.mark.parametrize("offset", [1.0, "1", None, hc.half(1), [0.5], True, [True], [None]])
def test_no_offset(offset):
    p = np.zeros(40, hc.half)
    for name, attempt in attempts(p, offset):
        with pytest.raises(TypeError, match=f"{name}: argument offset: expected an integer"):
            attempt()
    assert not p.any()


def test_no_data():
    p = np.zeros(8, hc.half)
    long_doubles = [np.longdouble(1)] if HAS_LONG_DOUBLES else []
    for data in ("1", None, 1j, *long_doubles, np.array(["1"])):
        with pytest.raises(TypeError, match="vstore_half: argument data"):
            hc.vstore_half(data, 0, p)
    for data in (np.ones(2, np.float32), np.ones(2, np.int16), ["a", "b"]):
        with pytest.raises(TypeError, match="vstore2: argument data: expected half"):
            hc.vstore2(data, 0, p)
    with pytest.raises(TypeError, match="vstore2: argument data: expected uint16"):
        hc.vstore2(np.ones(2, hc.half), 0, p.view(np.uint16))
    with pytest.raises(ValueError, match="rounding"):
        hc.vstore_half(1.0, 0, p, rounding="up")
    assert not p.any()


# ---------------------------------------------------------------- names


def test_names_are_those_of_the_spec():
    """The names are those of the spec, and no others exist."""
    assert sorted(memory.names()) == sorted([*LOADS, *STORES, *IN_MODES])
    for name in memory.names():
        function = getattr(hc, name)
        assert (
            function.__name__ == name and name in hc._reachable() and function is getattr(hc, name)
        )
    for name in ("vload", "vload5", "vloada4", "vload_half_rte", "vstore4_rte", "vstorea_half",
                 "vloada_half", "vstore_half4_up", "vload_half1"):  # fmt: skip
        assert not hasattr(hc, name)


# ---------------------------------------------------------------- vectors


@pytest.mark.parametrize("name", [name for name in LOADS if LOADS[name][0]])
def test_loads_give_vectors(name):
    width, _ = LOADS[name]
    for p in buffers(np.uint16):
        element = "float" if "half" in name else "ushort"
        kind = hc.vectors.TYPES[f"{element}{width}"]
        for offset, shape in ((0, ()), ([1, 0, 3], (3,)), (range(2), (2,))):
            got = getattr(hc, name)(offset, p)
            assert type(got) is kind and got.shape == (*shape, width)
    if "half" not in name:
        assert type(getattr(hc, name)(0, HALVES.view(np.float16))) is getattr(hc, f"half{width}")


@pytest.mark.parametrize("name", [name for name in STORES if STORES[name][0]])
def test_stores_take_vectors(name):
    width, stride = STORES[name]
    element = "float" if "half" in name else "half"
    data = hc.vectors.TYPES[f"{element}{width}"](*range(1, width + 1))
    p = np.zeros(40, hc.half)
    getattr(hc, name)(data, 1, p)
    np.testing.assert_array_equal(np.flatnonzero(p), stride + np.arange(width))
    np.testing.assert_array_equal(p[stride : stride + width], range(1, width + 1))


def test_a_vector_is_a_buffer():
    v = hc.half4(1, 2, 3, 4)
    assert type(hc.vload2(1, v)) is hc.half2 and hc.vload2(1, v).tolist() == [3, 4]
    hc.vstore_half(0.5, 0, v)
    assert v.tolist() == [0.5, 2, 3, 4]


@pytest.mark.parametrize("mode", [None, *MODES])
def test_plain_stores_round_once(mode):
    """Stores of Python's floats, arrays and vectors round once, and raise the same flags."""
    p, expected = np.zeros(40, hc.half), np.zeros(40, hc.half)
    for value in (0.1, -1e-9, 65503.0, 1e-7):
        hc.vstore_half(value, 3, p, rounding=mode)
        expected[3] = hc.convert(np.float64(value), hc.half, rounding=mode)
        for dtype in (np.float32, np.float64):
            data = np.full((2, 4), value, dtype)
            hc.vstore_half4(data, 1, p, rounding=mode)
            expected[4:12] = hc.convert(data, hc.half, rounding=mode).ravel()
            hc.vstore_half4(hc.convert(data, hc.float4), 4, p, rounding=mode)
            expected[16:24] = hc.convert(data.astype(np.float32), hc.half, rounding=mode).ravel()
            assert np.array_equal(p.view(np.uint16), expected.view(np.uint16))
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        hc.vstore_half(1e9, 0, p)


def test_plain_stores_see_regions_and_refuse():
    p = np.zeros(8, hc.half)
    with hc.rounding("rtp"):
        hc.vstore_half(0.1, 0, p)
    assert p[0] == hc.half(0.1, rounding="rtp") != hc.half(0.1)
    with pytest.raises(ValueError, match="rounding"):
        hc.vstore_half(0.1, 0, p, rounding="up")
    with pytest.raises(IndexError, match="offset"):
        hc.vstore_half(0.1, 8, p)
    p.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        hc.vstore_half(0.1, 0, p)


@pytest.mark.parametrize("function", [hc.exp, hc.add, hc.convert_short])
def test_helpers_take_conversions_alone(function):
    p = np.zeros(8, hc.half)
    with pytest.raises(TypeError, match="conversion"):
        memory._core.load_halves(function, 0, p, 0, None, np.ndarray)
    with pytest.raises(TypeError, match="conversion"):
        memory._core.store_halves(function, 1.5, 0, p, 0, None)
    with pytest.raises(ValueError, match="width"):
        memory._core.load_halves(memory.conversion_to("float"), 0, p, -1, None, np.ndarray)
