"""Sorting, searching and order statistics: as NumPy's on float16, bit for bit."""

import math
import os
import struct
import subprocess
import sys
import threading
import time
from bisect import bisect_left, bisect_right
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from checks import result_or_error
from exhaustive import in_turn, one_in

from halfcl import half

SIZES = [*range(40), 63, 64, 65, 100, 127, 128, 129, 200]
LARGE = [1000, 4096, 65_537, 300_000]
KINDS = ["quicksort", "stable", "heapsort", "mergesort"]


def sample(size, spread, seed=0):
    """Return bit patterns: "any", of few different values, or with zeros, NaNs and infinities."""
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
    """Check equality as numbers at each place, NaN with NaN, whatever the order of equals."""
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


@in_turn
@pytest.mark.parametrize("spread", ["any", "few", "special"])
@pytest.mark.parametrize("size", LARGE)
def test_large_arrays_sort(size, spread):
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
    """A stable sort keeps the order of -0 and +0."""
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


def test_layouts_sort_in_place():
    """Strided, unaligned and byte-swapped arrays are sorted in place."""
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


@in_turn
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
        # NumPy 2.0 without AVX-512 raises invalid where it compares complex NaNs.
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(g.astype(e.dtype), e)


# ------------------------------------------------------------------ partition

PARTITIONS = {
    "int": ((3,), {}),
    "negative": ((-2,), {}),
    "list": (([1, 5, 2],), {}),
    "repeated": (([4, 4],), {}),
    "array": ((np.array([1, -1], np.int8),), {}),
    "indices": ((np.array([3, -10, 9]),), {}),
    "index too large": ((np.array([3, 10]),), {}),
    "index too small": ((np.array([-11, 3]),), {}),
    "every other index": ((np.arange(9)[::2],), {}),
    "swapped indices": ((np.array([1, 2], np.dtype(np.intp).newbyteorder()),), {}),
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


def assert_partitioned(values, kth, axis):
    """Check that elements before each place are not after it in order, and the reverse."""
    ordered = np.sort(values, axis)
    for k in np.atleast_1d(kth):
        k = range(values.shape[axis])[int(k)]
        at = [np.take(np.asarray(v), [k], axis) for v in (values, ordered)]
        np.testing.assert_array_equal(*at)
        low, high = (np.sort(np.split(values, [k], axis)[i], axis) for i in (0, 1))
        np.testing.assert_array_equal(np.concatenate([low, high], axis), ordered)


@in_turn
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(("args", "kwargs"), PARTITIONS.values(), ids=PARTITIONS)
@pytest.mark.filterwarnings("ignore:Passing booleans")
def test_arguments_of_partition(args, kwargs, shape):
    """Refusals, their texts and the results are float16's."""
    size = int(np.prod(shape))
    mine, plain = (a.reshape(shape) for a in both(sample(size, "any")))
    before = mine.copy()
    got = result_or_error(lambda: mine.partition(*args, **kwargs))
    expected = result_or_error(lambda: plain.partition(*args, **kwargs))
    assert got == expected
    if expected is not None:
        assert mine.tobytes() == before.tobytes()
    elif size and "kth" not in kwargs and np.ndim(args[0]) <= 1:
        axis = kwargs.get("axis", args[1] if len(args) > 1 else -1)
        assert_partitioned(mine.view(np.float16), args[0], int(axis))
    got = result_or_error(lambda: before.argpartition(*args, **kwargs))
    expected = result_or_error(lambda: before.view(np.float16).argpartition(*args, **kwargs))
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
    """The methods are replaced, and keep their names, text and errors."""
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
    """Selecting many elements is fast: comparing them took 50 times as long as sorting them."""
    a = np.random.default_rng(0).standard_normal(1 << 18).astype(np.float16).view(half)

    def best(f):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            f(a)
            times.append(time.perf_counter() - start)
        return min(times)

    assert best(call) < 15 * best(np.sort)


# ------------------------------------------------------------------ against a plain oracle


def key(bits):
    """Return a key that sorts like the half of these bits: NaNs last, all equal."""
    value = struct.unpack("<e", struct.pack("<H", bits))[0]
    return (1, 0.0) if math.isnan(value) else (0, value)


@pytest.fixture(scope="module")
def keys(all_halves):
    return [key(bits) for bits in range(1 << 16)]


# Sizes on both sides of where the engine changes its algorithm.
THRESHOLDS = [0, 1, 2, 23, 24, 25, 26, 511, 512, 513, 65_535, 65_536, 65_537]


@one_in(2)
@in_turn
@pytest.mark.parametrize("spread", ["any", "few", "special"])
@pytest.mark.parametrize("size", THRESHOLDS)
def test_sorts_are_stable(size, spread, keys):
    bits = sample(size, spread, 3)
    order = sorted(range(size), key=[keys[b] for b in bits.tolist()].__getitem__)
    mine = bits.view(half)
    assert np.argsort(mine, kind="stable").tolist() == order
    assert np.sort(mine, kind="stable").view(np.uint16).tolist() == bits[order].tolist()
    swapped = mine.astype(mine.dtype.newbyteorder())
    assert np.argsort(swapped, kind="stable").tolist() == order
    spaced = np.zeros(3 * size, half)[::3]
    spaced[:] = mine
    assert np.argsort(spaced[::-1], kind="stable").tolist() == [
        size - 1 - i for i in sorted(range(size), key=lambda i: (keys[bits[i]], -i))
    ]


@pytest.mark.parametrize("size", [30, 600, 65_536, 70_000])
def test_lexsort_keeps_the_order_of_the_keys_before(size, keys):
    first, second = sample(size, "few", 1), sample(size, "special", 2)
    got = np.lexsort((first.view(half), second.view(half)))
    expected = sorted(range(size), key=lambda i: (keys[second[i]], keys[first[i]], i))
    assert got.tolist() == expected


# ------------------------------------------------------------------ extremes


def first_extreme(values, keys, greatest):
    nans = [i for i, bits in enumerate(values) if keys[bits][0]]
    if nans:
        return nans[0]
    choose = max if greatest else min
    return values.index(choose(values, key=keys.__getitem__))


def check_extremes(bits, keys):
    values = bits.tolist()
    # index finds bits, and zeros of both signs are equal.
    values = [0 if v == 0x8000 else v for v in values]
    mine = bits.view(half)
    assert np.argmax(mine) == first_extreme(values, keys, True)
    assert np.argmin(mine) == first_extreme(values, keys, False)


@pytest.mark.parametrize("spread", ["any", "few", "special"])
def test_extremes(spread, keys):
    for size in [*range(1, 40), 63, 64, 65, 127, 128, 129, 1000, 8191, 8192, 8193, 20_000]:
        bits = sample(size, spread, 4)
        check_extremes(bits, keys)
        numbers = bits[(bits & 0x7FFF) <= 0x7C00]
        if numbers.size:
            check_extremes(numbers, keys)


@in_turn
@pytest.mark.parametrize("place", [0, 1, 63, 64, 8191, 8192, 16_383, 16_384, 17_000, 17_001])
@pytest.mark.parametrize("bits", [0x7C00, 0xFC00, 0x7E00, 0xFC01, 0x0000, 0x8000])
def test_one_extreme(place, bits, keys):
    values = np.full(17_002, 0x3C00 if bits & 0x8000 else 0xBC00, np.uint16)
    values[place] = bits
    check_extremes(values, keys)
    values[place:] = bits  # ties
    check_extremes(values, keys)
    values[:place] ^= 0x8000
    check_extremes(values, keys)


# ------------------------------------------------------------------ searchsorted


def places(haystack, needles, keys, side):
    """Return the places that Python's bisection finds."""
    known = [keys[b] for b in haystack.tolist()]
    bisect = bisect_left if side == "left" else bisect_right
    return [bisect(known, keys[b]) for b in needles.tolist()]


@one_in(2)
@in_turn
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("spread", ["any", "few", "special"])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 100, 1000, 66_000])
def test_searchsorted(size, spread, side, keys):
    bits = sample(size, spread, 5)
    order = sorted(range(size), key=lambda i: keys[bits[i]])
    ordered = bits[order]
    for count in (0, 1, 7, 8, 9, 300, 10_000):
        needles = sample(count, "any" if count % 2 else spread, 6)
        expected = places(ordered, needles, keys, side)
        mine, sought = ordered.view(half), needles.view(half)
        got = np.searchsorted(mine, sought, side)
        assert got.dtype == np.intp and got.tolist() == expected
        assert mine.searchsorted(sought, side=side, sorter=None).tolist() == expected
        got = np.searchsorted(bits.view(half), sought, side=side, sorter=np.array(order, int))
        assert got.tolist() == expected


def test_every_half_is_found(all_halves, keys):
    needles = np.random.default_rng(2).permutation(1 << 16).astype(np.uint16)
    ordered = np.array(sorted(range(1 << 16), key=keys.__getitem__), np.uint16)
    for side in ("left", "right"):
        got = np.searchsorted(ordered.view(half), needles.view(half), side)
        assert got.tolist() == places(ordered, needles, keys, side)


@pytest.mark.parametrize("count", [3, 9000])
@pytest.mark.parametrize("haystack", ["native", "swapped", "strided", "unaligned", "subclass"])
def test_searchsorted_of_layouts(haystack, count):
    plain = np.sort(sample(500, "few").view(np.float16))
    needles = sample(count, "special").view(np.float16)
    mine = plain.view(half)
    if haystack == "swapped":
        mine = mine.astype(mine.dtype.newbyteorder())
    elif haystack == "strided":
        mine = np.repeat(mine, 3)[::3]
    elif haystack == "unaligned":
        packed = np.zeros(500, [("pad", "u1"), ("x", half)])
        packed["x"] = mine
        mine = packed["x"]
    elif haystack == "subclass":
        mine = mine.view(type("Sub", (np.ndarray,), {}))
    before = mine.tobytes()
    expected = np.searchsorted(plain, needles)
    for sought in (
        needles.view(half),
        needles.view(half).astype(np.dtype(half).newbyteorder()),
        np.repeat(needles.view(half), 2)[::2],
        needles.view(half).view(type("Other", (np.ndarray,), {})),
    ):
        got = np.searchsorted(mine, sought)
        assert type(got) is np.ndarray and got.tolist() == expected.tolist()
    matrix = needles[: count // 3 * 3].reshape(3, -1)
    got = np.searchsorted(mine, matrix.view(half).T)
    assert got.shape == matrix.T.shape
    np.testing.assert_array_equal(got, np.searchsorted(plain, matrix.T))
    assert mine.tobytes() == before


SEARCHES = {
    "none": lambda a, t: a.searchsorted(),
    "two sides": lambda a, t: a.searchsorted(t(1), "left", side="left"),
    "unknown name": lambda a, t: a.searchsorted(t(1), sdie="left"),
    "unknown side": lambda a, t: a.searchsorted(t(1), "middle"),
    "side of another type": lambda a, t: a.searchsorted(t(1), 3),
    "matrix": lambda a, t: a.reshape(2, 5).searchsorted(t(1)),
    "0-d": lambda a, t: a[:1].reshape(()).searchsorted(t(1)),
    "short sorter": lambda a, t: a.searchsorted(t(1), sorter=[0, 1]),
    "floats sort": lambda a, t: a.searchsorted(t(1), sorter=np.arange(10.0)),
    "negative sorter": lambda a, t: a.searchsorted(a, sorter=np.arange(-10, 0)),
    "large sorter": lambda a, t: a.searchsorted(a, sorter=np.arange(10) + 5),
    "text": lambda a, t: a.searchsorted("x"),
    "too many": lambda a, t: a.searchsorted(t(1), "left", None, 3),
    "scalar": lambda a, t: a.searchsorted(t(4)),
    "0-d sought": lambda a, t: a.searchsorted(np.array(4, t), "right"),
    "number": lambda a, t: a.searchsorted(4.5),
    "numbers": lambda a, t: a.searchsorted([4, 99]),
    "doubles": lambda a, t: a.searchsorted(np.array([4.0001, 3.9999])),
    "by name": lambda a, t: a.searchsorted(side="right", v=t(4)),
    "short name": lambda a, t: a.searchsorted(t(4), "r"),
    "sorter of bytes": lambda a, t: a.searchsorted(a, sorter=np.arange(10, dtype=np.int8)),
    "swapped sorter": lambda a, t: a.searchsorted(a, sorter=np.arange(10, dtype=">i8")),
}  # fmt: skip


@pytest.mark.parametrize("call", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.filterwarnings("ignore:inexact")
def test_arguments_of_searchsorted(call):
    """Refusals, their texts and the results are float16's."""
    plain = np.arange(10).astype(np.float16)
    got = result_or_error(lambda: call(plain.view(half), half))
    expected = result_or_error(lambda: call(plain, np.float16))
    if isinstance(expected, tuple):
        assert (got[0], got[1].replace("half", "float16")) == expected
    else:
        assert type(got) is type(expected)
        np.testing.assert_array_equal(got, expected)


def test_searchsorted_of_other_dtypes_is_numpys():
    for dtype in ("f2", "f4", "i4", "u1", "O", "S3", "M8[s]"):
        a = np.arange(9).astype(dtype)
        assert a.searchsorted(a[4]) == 4 and np.searchsorted(a, a, "right")[3] == 4
    assert np.ndarray.searchsorted.__qualname__ == "ndarray.searchsorted"


def test_threads_search():
    """The interpreter lock is released, and threads share no data."""
    mine = np.sort(sample(1 << 16, "any").view(np.float16)).view(half)
    sought = [sample(20_000, "any", seed).view(half) for seed in range(8)]
    expected = [np.searchsorted(mine.view(np.float16), s.view(np.float16)) for s in sought]
    with ThreadPoolExecutor(4) as pool:
        for got, places in zip(pool.map(mine.searchsorted, sought), expected, strict=True):
            np.testing.assert_array_equal(got, places)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_memory_errors_leave_the_array_unchanged():
    """Sorting and searching raise MemoryError; the array is unchanged."""
    code = """
import resource, numpy as np
from halfcl import half
rng = np.random.default_rng(0)
a = rng.integers(0, 1 << 16, 1 << 25, dtype=np.uint16)
before, view = a.copy(), a.view(half)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 18), resource.RLIM_INFINITY))
calls = (lambda: view.sort(), lambda: np.argsort(view), lambda: np.searchsorted(view, view))
for call in calls:
    try:
        call()
    except MemoryError:
        print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert (a == before).all()
"""
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["MemoryError"] * 3


def test_argsort_while_another_thread_writes():
    """Any order then, but of places that there are: counted and put halves may differ."""
    x = np.zeros(1 << 17, half)
    bits = x.view(np.uint16)
    parts = np.random.default_rng(0).integers(0, 1 << 16, (2, x.size), np.uint16)
    done = threading.Event()

    def write():
        while not done.is_set():
            bits[...] = parts[0]
            bits[...] = parts[1]

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(30):
            order = np.argsort(x)
            assert np.array_equal(np.sort(order), np.arange(x.size))
    finally:
        done.set()
        writer.join()
