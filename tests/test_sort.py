"""Sorting, searching and order statistics: as NumPy's on float16, bit for bit."""

import time

import numpy as np
import pytest

from halfcl import half

SIZES = [*range(40), 63, 64, 65, 100, 127, 128, 129, 200]
LARGE = [1000, 4096, 65_537, 300_000]
KINDS = ["quicksort", "stable", "heapsort", "mergesort"]


def sample(size, spread, seed=0):
    """Bit patterns: "any", of few different values, or with zeros, NaNs and infinities."""
    rng = np.random.default_rng([size, seed])
    if spread == "any":
        return rng.integers(0, 1 << 16, size, dtype=np.uint16)
    if spread == "few":
        return rng.integers(0, 5, size).astype(np.float16).view(np.uint16)
    special = [0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01, 0x3C00, 0xBC00, 1, 0x8001]
    return rng.choice(np.array(special, np.uint16), size)


def both(bits):
    return bits.copy().view(half), bits.copy().view(np.float16)


def same_order(mine, plain):
    """Equal as numbers at each place, NaN with NaN: the order of equals is the sort's own."""
    assert mine.dtype == np.dtype(half)
    np.testing.assert_array_equal(mine.view(np.float16), plain)


def same_bits(mine, plain):
    assert (mine.view(np.uint16) == plain.view(np.uint16)).all()


@pytest.mark.parametrize("spread", ["any", "few", "special"])
@pytest.mark.parametrize("kind", KINDS)
def test_sort(kind, spread):
    for size in SIZES:
        mine, plain = both(sample(size, spread))
        same_order(np.sort(mine, kind=kind), np.sort(plain, kind=kind))
        if kind in ("stable", "mergesort"):
            same_bits(np.sort(mine, kind=kind), np.sort(plain, kind=kind))
            assert (np.argsort(mine, kind=kind) == np.argsort(plain, kind=kind)).all()
        order = np.argsort(mine, kind=kind)
        assert (np.sort(order) == np.arange(size)).all()
        same_order(mine[order], np.sort(plain))


@pytest.mark.parametrize("spread", ["any", "few", "special"])
@pytest.mark.parametrize("size", LARGE)
def test_large(size, spread):
    mine, plain = both(sample(size, spread))
    order = np.argsort(plain, kind="stable")
    assert (np.argsort(mine, kind="stable") == order).all()
    same_bits(np.sort(mine, kind="stable"), plain[order])
    same_order(np.sort(mine), plain[order])
    mine.sort()
    same_order(mine, plain[order])


def test_every_half_sorts(all_halves):
    bits = np.random.default_rng(1).permutation(np.asarray(all_halves).view(np.uint16))
    mine, plain = both(bits)
    same_bits(np.sort(mine, kind="stable"), np.sort(plain, kind="stable"))


@pytest.mark.parametrize("bits", [[0x8000, 0], [0, 0x8000], [0, 0x8000, 0, 0x8000, 0x8000, 0]])
def test_zeros_are_equal(bits):
    """A stable sort leaves -0 and +0 in their order."""
    mine = np.array(bits * 50, np.uint16).view(half)
    assert np.sort(mine, kind="stable").view(np.uint16).tolist() == bits * 50
    assert np.argsort(mine, kind="stable").tolist() == list(range(len(bits) * 50))


def test_nans_come_last():
    mine = np.array([np.nan, 1, -np.nan, np.inf, -np.inf, 0], half)
    assert (
        np.sort(mine)[:4].tolist() == [-np.inf, 0, 1, np.inf] and np.isnan(np.sort(mine)[4:]).all()
    )


@pytest.mark.parametrize("presorted", ["up", "down", "equal"])
def test_presorted(presorted):
    bits = np.sort(sample(5000, "any").view(np.float16)).view(np.uint16)
    bits = {"up": bits, "down": bits[::-1], "equal": np.full(5000, 0x3C00, np.uint16)}[presorted]
    mine, plain = both(bits)
    same_bits(np.sort(mine, kind="stable"), np.sort(plain, kind="stable"))
    assert (np.argsort(mine, kind="stable") == np.argsort(plain, kind="stable")).all()


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_axes(axis):
    mine, plain = (a.reshape(6, 10, 7) for a in both(sample(420, "any")))
    same_bits(np.sort(mine, axis, kind="stable"), np.sort(plain, axis, kind="stable"))
    orders = (np.argsort(a, axis, kind="stable") for a in (mine, plain))
    np.testing.assert_array_equal(*orders)
    same_order(np.sort(mine.T[::-2], axis), np.sort(plain.T[::-2], axis))


def test_layouts():
    """Strided, unaligned and byte-swapped arrays sort in place."""
    bits = sample(100, "any")
    plain = np.sort(bits.view(np.float16), kind="stable")
    strided = np.zeros(200, np.uint16)
    strided[::-2] = bits
    view = strided.view(half)[::-2]
    view.sort(kind="stable")
    same_bits(view.copy(), plain)
    assert (strided[::2] == 0).all()

    packed = np.zeros(100, [("pad", "u1"), ("x", half)])
    packed["x"] = bits.view(half)
    packed["x"].sort(kind="stable")
    same_order(packed["x"].copy(), plain)

    swapped = bits.byteswap().view(np.dtype(half).newbyteorder())
    swapped.sort(kind="stable")
    same_bits(swapped.astype(half), plain)


FINITE = sample(201, "any").view(np.float16)
FINITE = FINITE[np.isfinite(FINITE)]
FEW = sample(201, "few").view(np.float16)
NANS = sample(201, "special").view(np.float16)

CALLS = {
    "partition": lambda a: np.sort(np.partition(a, 20)[:20]),
    "partition middle": lambda a: np.partition(a, [5, 60, 100])[[5, 60, 100]],
    "argpartition": lambda a: a[np.argpartition(a, 50)][50],
    "searchsorted": lambda a: np.searchsorted(np.sort(a), a[::5]),
    "searchsorted right": lambda a: np.searchsorted(np.sort(a), a[::5], side="right"),
    "searchsorted float": lambda a: np.searchsorted(np.sort(a), [0.1, 3, np.nan]),
    "searchsorted sorter": lambda a: np.searchsorted(a, 1.5, sorter=np.argsort(a)),
    "digitize": lambda a: np.digitize(a, np.array([-10, 0, 2, 100], a.dtype)),
    "unique": np.unique,
    "unique all": lambda a: np.unique(a, True, True, True),
    "unique with nans": lambda a: np.unique(a, equal_nan=False),
    "median": lambda a: np.median(a[:151]),
    "median axis": lambda a: np.median(a[:150].reshape(10, 15), axis=1),
    "nanmedian": lambda a: np.nanmedian(a[:151]),
    "percentile": lambda a: np.percentile(a, [0, 50, 100]),
    "percentile lower": lambda a: np.percentile(a, [10, 33, 90], method="lower"),
    "quantile nearest": lambda a: np.quantile(a, 0.37, method="nearest"),
    "nanpercentile": lambda a: np.nanpercentile(a, 50),
    "argmax": lambda a: [a.argmax(), a.argmin(), a[::-1].argmax(), a[:1].argmin()],
    "argmax axis": lambda a: np.argmax(a[:150].reshape(10, 15), axis=0),
    "nanargmax": lambda a: np.nanargmax(a),
    "max": lambda a: [a.max(), a.min(), np.ptp(a[:3])],
    "lexsort": lambda a: np.lexsort((a[::-1], a)),
    "sort_complex": np.sort_complex,
    "intersect1d": lambda a: np.intersect1d(a, a[::2]),
    "union1d": lambda a: np.union1d(a, a[:9] + 1),
    "setdiff1d": lambda a: np.setdiff1d(a, a[::2]),
    "isin": lambda a: np.isin(a, a[::7]),
    "histogram": lambda a: np.histogram(a[np.isfinite(a)], 5, (-100, 100))[0],
    "bincount of digitize": lambda a: np.bincount(np.digitize(a, [0.0])),
    "flip sort": lambda a: -np.sort(-a),
    "sorted": sorted,
    "searchsorted half": lambda a: np.searchsorted(np.sort(a), a.dtype.type(1)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("plain", [FINITE, FEW, NANS], ids=["finite", "few", "nans"])
def test_order_statistics(call, plain):
    with np.errstate(all="ignore"):
        got, expected = call(plain.view(half)), call(plain)
    for g, e in (
        zip(got, expected, strict=True) if isinstance(expected, tuple) else [(got, expected)]
    ):
        g, e = np.asarray(g), np.asarray(e)
        assert g.dtype == (np.dtype(half) if e.dtype == np.float16 else e.dtype)
        np.testing.assert_array_equal(g.astype(e.dtype), e)


# ------------------------------------------------------------------ partition

PARTITIONS = {
    "int": ((3,), {}),
    "negative": ((-2,), {}),
    "list": (([1, 5, 2],), {}),
    "repeated": (([4, 4],), {}),
    "array": ((np.array([1, -1], np.int8),), {}),
    "uint": ((np.uint64(2),), {}),
    "0-d": ((np.array(2),), {}),
    "none": (([],), {}),
    "float": ((1.0,), {}),
    "bool": ((True,), {}),
    "bools": (([True, False],), {}),
    "text": (("1",), {}),
    "nested": (([[1, 2]],), {}),
    "None": ((None,), {}),
    "large": ((10,), {}),
    "small": ((-11,), {}),
    "one large": (([2, 10],), {}),
    "huge": ((2**70,), {}),
    "axis": ((2, 0), {}),
    "axis by name": ((2,), {"axis": 0}),
    "NumPy's axis": ((2, np.int64(0)), {}),
    "axis None": ((2, None), {}),
    "axis large": ((2, 5), {}),
    "axis float": ((2, 1.0), {}),
    "axis bool": ((2, False), {}),
    "kth by name": ((), {"kth": 2}),
    "all by name": ((), {"order": None, "kind": "introselect", "axis": 1, "kth": [2]}),
    "kind": ((2, -1, "introselect"), {}),
    "another kind": ((2, -1, "quicksort"), {}),
    "kind of another type": ((2, -1, 3), {}),
    "kinds": ((2, -1, np.array(["introselect", "x"])), {}),
    "order": ((2, -1, "introselect", "x"), {}),
    "no order": ((2, -1, "introselect", None), {}),
    "kth missing": ((), {}),
    "kth twice": ((2,), {"kth": 2}),
    "unknown name": ((2,), {"kht": 2}),
    "too many": ((2, -1, "introselect", None, 0), {}),
}  # fmt: skip

SHAPES = {"matrix": (10, 10), "vector": (10,), "rows": (0, 10), "no columns": (10, 0), "0-d": ()}


def tried(call):
    """What a call gives, or its exception, as text."""
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


def assert_partitioned(values, kth, axis):
    """What is before each place is not after it in order, and the reverse."""
    ordered = np.sort(values, axis)
    for k in np.atleast_1d(kth):
        k = range(values.shape[axis])[int(k)]
        at = [np.take(np.asarray(v), [k], axis) for v in (values, ordered)]
        np.testing.assert_array_equal(*at)
        low, high = (np.sort(np.split(values, [k], axis)[i], axis) for i in (0, 1))
        np.testing.assert_array_equal(np.concatenate([low, high], axis), ordered)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(("args", "kwargs"), PARTITIONS.values(), ids=PARTITIONS)
@pytest.mark.filterwarnings("ignore:Passing booleans")
def test_arguments_of_partition(args, kwargs, shape):
    """As with float16: what is refused, in which words, and what the result is."""
    size = int(np.prod(shape))
    mine, plain = (a.reshape(shape) for a in both(sample(size, "any")))
    before = mine.copy()
    got = tried(lambda: mine.partition(*args, **kwargs))
    expected = tried(lambda: plain.partition(*args, **kwargs))
    assert got == expected
    if expected is not None:
        assert mine.tobytes() == before.tobytes()
    elif size and "kth" not in kwargs and np.ndim(args[0]) <= 1:
        axis = kwargs.get("axis", args[1] if len(args) > 1 else -1)
        assert_partitioned(mine.view(np.float16), args[0], int(axis))
    got = tried(lambda: before.argpartition(*args, **kwargs))
    expected = tried(lambda: before.view(np.float16).argpartition(*args, **kwargs))
    if isinstance(expected, tuple):
        assert got == expected
    else:
        assert got.shape == expected.shape and got.dtype == expected.dtype == np.intp


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("layout", ["native", "swapped", "transposed", "strided"])
def test_partitions_of_layouts(axis, layout):
    bits = sample(600, "special")
    mine, plain = (a.reshape(20, 30) for a in both(bits))
    if layout == "swapped":
        mine = mine.astype(np.dtype(half).newbyteorder())
    elif layout != "native":
        mine, plain = (a.T if layout == "transposed" else a[::-2, 3:] for a in (mine, plain))
    kth = [0, 3, 9]
    part = np.partition(mine, kth, axis)
    expected = np.sort(plain, axis)
    at = [
        np.take(a.astype(np.float32), kth, -1 if axis is None else axis) for a in (part, expected)
    ]
    np.testing.assert_array_equal(*at)
    order = np.argpartition(mine, kth, axis)
    flat = mine.ravel() if axis is None else mine
    placed = np.take_along_axis(flat, order, -1 if axis is None else axis)
    got = np.take(placed.astype(np.float32), kth, -1 if axis is None else axis)
    np.testing.assert_array_equal(got, at[1])


@pytest.mark.parametrize("size", [2, 49, 1000, 70_000])
@pytest.mark.parametrize("spread", ["any", "few", "special"])
def test_partition_is_of_the_same_elements(size, spread):
    bits = sample(size, spread)
    mine = bits.copy().view(half)
    mine.partition(size // 2)
    assert (np.sort(mine.view(np.uint16)) == np.sort(bits)).all()
    order = bits.view(half).argpartition(size // 2)
    assert (np.sort(order) == np.arange(size)).all()
    same_order(bits.view(half)[order][size // 2 :][:1], mine[size // 2 :][:1].view(np.float16))


def test_partition_of_a_read_only_array():
    mine = sample(10, "any").view(half)
    mine.flags.writeable = False
    with pytest.raises(ValueError, match="partition array is read-only"):
        mine.partition(3)
    assert mine.argpartition(3).size == 10


def test_partition_of_subclasses():
    mine, plain = both(sample(40, "few"))
    masked = [np.ma.array(a, mask=np.arange(40) % 3 == 0) for a in (mine, plain)]
    got, expected = (np.ma.median(a) for a in masked)
    assert float(got) == float(expected)
    matrix = mine.view(type("Sub", (np.ndarray,), {}))
    assert type(matrix.argpartition(2)) is type(matrix) and type(np.partition(matrix, 2)) is type(
        matrix
    )


def test_partition_of_other_dtypes_is_numpys():
    """The methods are replaced, and behave as before: names, text, errors."""
    for name in ("partition", "argpartition"):
        method = getattr(np.ndarray, name)
        assert method.__name__ == name and method.__qualname__ == f"ndarray.{name}"
        assert method.__objclass__ is np.ndarray and "kth" in method.__doc__
        assert type(method) is type(np.ndarray.sort)
        with pytest.raises(TypeError, match="ndarray"):
            method([3, 1, 2], 1)
    for dtype in ("f2", "f4", "f8", "i4", "u1", "O", "S3", "M8[s]", [("x", "i4")]):
        a = np.arange(20)[::-1].astype(dtype)
        assert np.partition(a, 4)[4] == np.sort(a)[4]
        assert a[a.argpartition(4, axis=0)][4] == np.sort(a)[4]
        with pytest.raises(ValueError, match="out of bounds"):
            a.partition(20)
        with pytest.raises(TypeError):
            a.partition()


@pytest.mark.parametrize("call", [np.median, lambda a: np.percentile(a, [1, 50, 99])])
def test_selecting_does_not_compare(call):
    """Many elements in little time: comparing them took 50 times that of sorting them."""
    a = np.random.default_rng(0).standard_normal(1 << 18).astype(np.float16).view(half)

    def best(f):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            f(a)
            times.append(time.perf_counter() - start)
        return min(times)

    assert best(call) < 15 * best(np.sort)
