"""Halves with swapped bytes, unaligned, in records, or empty arrays: the results are float16's."""

import itertools
import operator

import numpy as np
import pytest

import halfcl as hc
from halfcl import half

HALF, FLOAT16 = np.dtype(half), np.dtype(np.float16)
SWAPPED = HALF.newbyteorder()

# There is one zero only: the order of two is the sort's private matter.
NUMBERS = [5, 3, -0.0, 1, np.nan, 4, 2, -1, 7, 6, -np.inf, 2.5, 0.1, 65504, 3, np.inf, -1]
LAYOUTS = ["native", "swapped", "unaligned", "swapped unaligned", "field", "reversed", "empty"]


def array_in_layout(numbers, base, layout):
    """Return the numbers as an array of half or float16 in a layout."""
    dtype = base.newbyteorder() if "swapped" in layout else base
    if layout == "empty":
        return np.array([], dtype)
    if "unaligned" in layout:
        memory = np.zeros(len(numbers) * 2 + 1, np.uint8)
        array = memory[1:].view(dtype)
    elif layout == "field":
        array = np.zeros(len(numbers), [("pad", "u1"), ("x", dtype.newbyteorder())])["x"]
    else:
        array = np.zeros(len(numbers), dtype)
    array[...] = numbers
    return array[::-1] if layout == "reversed" else array


def finite(a):
    return a[np.isfinite(a)]


def change_in_place(change):
    """Return a function that returns a copy of an array after a change in place."""

    def call(a):
        a = a.copy()
        change(a)
        return a

    return call


CALLS = {
    # sorting and selecting
    "sort": np.sort,
    "sort stable": lambda a: np.sort(a, kind="stable"),
    "sort in place": change_in_place(lambda a: a.sort()),
    "argsort": lambda a: np.argsort(a, kind="stable"),
    "lexsort": lambda a: np.lexsort((a, a > 2)),
    "lexsort first": lambda a: np.lexsort((a > 2, a)),
    "partition": lambda a: np.sort(np.partition(a, 3)[:4]),
    "partition last": lambda a: np.partition(a, -1)[-1],
    "partition in place": lambda a: change_in_place(lambda b: b.partition([2, 5, 9]))(a)[[2, 5, 9]],
    "argpartition": lambda a: a[np.argpartition(a, 4)[4]],
    "median": np.median,
    "median of finite": lambda a: np.median(finite(a)),
    "nanmedian": np.nanmedian,
    "percentile": lambda a: np.percentile(finite(a), [0, 10, 50, 93, 100], method="lower"),
    "quantile": lambda a: np.quantile(finite(a), 0.3, method="nearest"),
    "argmax": np.argmax,
    "argmin": np.argmin,
    "argmin of finite": lambda a: finite(a).argmin(),
    "max": np.max,
    "searchsorted": lambda a: np.searchsorted(np.sort(a), [2.5, 0, 100]),
    "searchsorted itself": lambda a: np.searchsorted(np.sort(a), a),
    "searchsorted sorter": lambda a: np.searchsorted(a, a, sorter=np.argsort(a, kind="stable")),
    "unique": np.unique,
    "unique inverse": lambda a: np.unique(finite(a), return_inverse=True)[1],
    "isin": lambda a: np.isin(a, [3, 7]),
    "digitize": lambda a: np.digitize(finite(a), [0, 3]),
    "histogram": lambda a: np.histogram(finite(a), [-10, 0, 2, 10])[0],
    # truth
    "nonzero": lambda a: np.nonzero(a)[0],
    "count_nonzero": np.count_nonzero,
    "count_nonzero of rows": lambda a: np.count_nonzero(np.stack([a, a]), axis=1),
    "nonzero of rows": lambda a: np.nonzero(np.stack([a, a])),
    "any": np.any,
    "bool": lambda a: bool(a[:1]),
    "bool of zero": lambda a: bool(a[2:3]),
    "astype bool": lambda a: a.astype(bool),
    # moving elements
    "take": lambda a: a.take([0, 2, -1]),
    "put": change_in_place(lambda a: np.put(a, [1, 2], [9, 10])),
    "choose": lambda a: np.choose(np.arange(a.size) % 2, [a, a[::-1]]),
    "where": lambda a: np.where(a > 2, a, -a),
    "compress": lambda a: a.compress(a > 1),
    "repeat": lambda a: a.repeat(2),
    "copy": np.copy,
    "concatenate": lambda a: np.concatenate([a, a.astype(a.dtype.newbyteorder())]),
    "byteswap": lambda a: a.byteswap(),
    "byteswap twice": change_in_place(lambda a: a.byteswap(inplace=True).byteswap(inplace=True)),
    "byteswap rows": lambda a: np.stack([a, a])[:, ::2].byteswap(inplace=True),
    "native": lambda a: a.astype(a.dtype.newbyteorder("=")),
    "putmask": change_in_place(lambda a: np.putmask(a, a > 2, -a)),
    "place": change_in_place(lambda a: np.place(a, a > 2, a[:3])),
    "copyto": change_in_place(lambda a: np.copyto(a, a[::-1].copy(), where=a > 0)),
    "fill": change_in_place(lambda a: a.fill(0.1)),
    "flat": lambda a: list(a.flat),
    "assign flat": change_in_place(lambda a: operator.setitem(a.flat, slice(0, 3), [8, 9, 10])),
    "assign": change_in_place(lambda a: operator.setitem(a, 0, 0.1)),
    "item": lambda a: [a.item(i) for i in range(a.size)],
    "scalars": list,
    "tolist": lambda a: a.tolist(),
    "objects": lambda a: a.astype(object),
    "setfield": change_in_place(lambda a: a.setfield(2, a.dtype)),
    "resize": lambda a: np.resize(a, 5),
    # making
    "arange": lambda a: np.arange(5, dtype=a.dtype),
    "full": lambda a: np.full(3, 0.1, a.dtype),
    "fromiter": lambda a: np.fromiter(range(4), a.dtype),
    "from text": lambda a: np.array(["1.5", "2"], a.dtype),
    "frombuffer": lambda a: np.frombuffer(b"\0\x3c\0\x40", a.dtype),
    # arithmetic
    "add": lambda a: a + a,
    "sum": lambda a: finite(a)[:5].sum(),
    "dot": lambda a: finite(a)[:5].dot(finite(a)[:5]),
    "matmul": lambda a: finite(a)[:4].reshape(2, 2) @ finite(a)[:2],
    "matrix product": lambda a: np.dot(finite(a)[:4].reshape(2, 2), finite(a)[:2]),
    "correlate": lambda a: np.correlate(finite(a)[:5], finite(a)[:2]),
    "inplace": change_in_place(lambda a: operator.iadd(a, 1)),
    "compare": lambda a: a < 3,
    "clip": lambda a: a.clip(1, 2),
    "float64": lambda a: a.astype(np.float64) * 3,
    "int": lambda a: finite(a).astype(np.int32),
    "text": lambda a: a.astype("U"),
    "str": str,
    "repr": lambda a: "".join(repr(a).split("dtype")[0].split()),
}


def describe(result):
    if isinstance(result, str | bytes | bool):
        return result
    array = np.asarray(result)
    if array.dtype == np.float32:
        array = array.astype(np.float16)  # of halves
    if array.dtype.type in (half, np.float16):
        array = array.astype(array.dtype.newbyteorder("="))
        return array.shape, np.where(np.isnan(array), 0x7E00, array.view(np.uint16)).tolist()
    return array.dtype, array.shape, str(array.tolist())


def outcome(call, array):
    """Return the text of a call's result, or the class of its exception."""
    with np.errstate(all="ignore"):
        try:
            return repr(describe(call(array)))
        except Exception as error:
            return type(error)


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:overflow", "ignore:All-NaN")
@pytest.mark.filterwarnings("ignore:Mean of empty", "ignore:Conversion of an array")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_call_returns_the_same_as_for_float16(call):
    for layout in LAYOUTS:
        mine, plain = (array_in_layout(NUMBERS, base, layout) for base in (HALF, FLOAT16))
        assert mine.tobytes() == plain.tobytes()
        expected = outcome(call, plain)
        assert layout == "empty" or isinstance(expected, str), "the call tests nothing"
        assert outcome(call, mine) == expected, layout


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("other", [HALF, SWAPPED, FLOAT16, FLOAT16.newbyteorder()], ids=str)
def test_casts_between_byte_orders(layout, other):
    mine = array_in_layout(NUMBERS, HALF, layout)
    cast = mine.astype(other)
    assert cast.dtype == other and np.array_equal(cast, mine, equal_nan=True)


@pytest.mark.parametrize("letter", "efdgFDG")
@pytest.mark.parametrize("swapped", [False, True])
def test_exact_casts_raise_nothing(letter, swapped):
    """Neither a signalling NaN nor a swap of bytes after the cast raises."""
    bits = np.array([0x7C01, 0x3C00, 0xFDFF], np.uint16)
    dtype = SWAPPED if swapped else HALF
    with np.errstate(all="raise"):
        cast = bits.view(half).astype(dtype).astype(letter)
    assert np.isnan(cast[::2]).all() and cast[1] == 1


RECORDS = {
    "first": lambda t: [("x", t), ("n", "i4")],
    "packed": lambda t: [("pad", "u1"), ("x", t), ("n", "i4")],
    "second": lambda t: [("n", "i4"), ("x", t)],
    "nested": lambda t: [("in", [("pad", "u1"), ("x", t)]), ("n", "i4")],
    "titled": lambda t: [(("title", "x"), t), ("n", "i4")],
}

RECORD_CALLS = {
    "sort": np.sort,
    "sort stable": lambda r: np.sort(r, kind="stable"),
    "argsort": lambda r: np.argsort(r, kind="stable"),
    "sort order": lambda r: np.sort(r, order="n"),
    "partition": lambda r: np.sort(np.partition(r, 3)[:4]),
    "argpartition": lambda r: r[np.argpartition(r, 3)[3]].item(),
    "searchsorted": lambda r: np.searchsorted(np.sort(r), r),
    "unique": np.unique,
    "nonzero": lambda r: np.nonzero(r)[0],
    "equal": lambda r: r == r[::-1],
    "copy": np.copy,
    "byteswap": lambda r: r.byteswap().tobytes(),
    "tolist": lambda r: r.tolist(),
}


@pytest.mark.parametrize("call", RECORD_CALLS.values(), ids=RECORD_CALLS)
def test_records_give_the_same_as_float16(call):
    for name, swap in itertools.product(RECORDS, (False, True)):
        got = []
        for base in (HALF, FLOAT16):
            records = np.zeros(9, RECORDS[name](base.newbyteorder() if swap else base))
            field = records["in"]["x"] if "in" in records.dtype.names else records["x"]
            field[...] = [5, 3, -0.0, 1, 4, 2, -1, 7, 3]
            records["n"] = [0, 0, 0, 1, 0, 0, 0, 0, -1]
            result = call(records)
            got.append(result.tobytes() if isinstance(result, np.ndarray) else result)
        assert repr(got[0]) == repr(got[1]), (name, swap)


@pytest.mark.parametrize("layout", [x for x in LAYOUTS if x != "empty"])
def test_percentiles_between_halves_are_exact(layout):
    """Between float16, differences overflow or round."""
    a = finite(array_in_layout(NUMBERS, HALF, layout))
    right = np.percentile(a.astype(float), [0, 10, 50, 93, 100])
    assert np.percentile(a, [0, 10, 50, 93, 100]).tolist() == right.tolist()


def test_median_of_swapped_halves_is_right():
    """Elements in native order were once swapped when NumPy compared them."""
    a = np.array([5, 3, 1, 4, 2, -1, 7, 0], SWAPPED)
    assert np.median(a) == 2.5
    assert np.partition(a, 4)[4] == 3 and a[np.argpartition(a, 4)[4]] == 3
    assert np.percentile(a, [0, 50, 100]).tolist() == [-1, 2.5, 7]


@pytest.mark.parametrize("sep", ["", " ", ","])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_keep_numbers(tmp_path, layout, sep):
    contents = []
    for base in (HALF, FLOAT16):
        array = array_in_layout(NUMBERS, base, layout)
        array.tofile(tmp_path / base.name, sep=sep)
        contents.append((tmp_path / base.name).read_bytes())
        if array.size and (not sep or (base is HALF and array.dtype.isnative)):
            again = np.fromfile(tmp_path / base.name, array.dtype, sep=sep)
            assert describe(again) == describe(array)
    assert contents[0] == contents[1]


# ------------------------------------------------------------------ halfcl's own functions

OWN = {
    "sqrt": lambda a: hc.sqrt(hc.fabs(a)),
    "add": lambda a: hc.add(a, a),
    "fma": lambda a: hc.fma(a, a, 1),
    "select": lambda a: hc.select(a, a[::-1], np.arange(a.size) % 2),
    "select mixed": lambda a: hc.select(a, 1.5, np.arange(a.size) % 2 == 0),
    "bitselect": lambda a: hc.bitselect(a, a[::-1], np.full(a.size, 0x0F0F, a.dtype.str[0] + "u2")),
    "bitselect mask": lambda a: hc.bitselect(a, a[::-1], a),
    "isless": lambda a: hc.isless(a, a[::-1]),
    "vload4": lambda a: hc.vload4(1, a),
    "vload4 gather": lambda a: hc.vload4([2, 0, 2], a),
    "vload2 range": lambda a: hc.vload2(range(3, -1, -1), a),
    "vload_half": lambda a: hc.vload_half(2, a),
    "vload_half4": lambda a: hc.vload_half4(1, a),
    "vload_half3 gather": lambda a: hc.vload_half3([0, 4, 1], a),
    "vloada_half3": lambda a: hc.vloada_half3(range(3), a),
    "vstore4": change_in_place(lambda a: hc.vstore4(np.array([1, 2, 3, 0.5], a.dtype.type), 1, a)),
    "vstore4 scatter": change_in_place(lambda a: hc.vstore4(a[:8].copy().reshape(2, 4), [2, 0], a)),
    "vstore_half": change_in_place(lambda a: hc.vstore_half(0.1, 3, a)),
    "vstore_half2": change_in_place(lambda a: hc.vstore_half2(np.float32([0.1, 2]), 3, a)),
    "vstore_half2_rtp": change_in_place(lambda a: hc.vstore_half2_rtp(np.float32([0.1, 2]), 3, a)),
    "vstore_half2 many": change_in_place(
        lambda a: hc.vstore_half2(np.float64([[0.1, 2], [3, 4]]), 1, a)
    ),
    "vstore_half4 scatter": change_in_place(lambda a: hc.vstore_half4(np.ones((2, 4)), [0, 3], a)),
    "vstorea_half3": change_in_place(lambda a: hc.vstorea_half3(np.ones((2, 3)), 1, a)),
}


@pytest.mark.parametrize("call", OWN.values(), ids=OWN)
def test_own_functions_return_native_results(call):
    """Results are in native order, with the values of native halves."""
    layouts = [name for name in LAYOUTS if name != "empty"]
    for layout, base in itertools.product(layouts, (HALF, FLOAT16)):
        array = array_in_layout(NUMBERS, base, layout)
        with np.errstate(all="ignore"):
            got, expected = call(array), call(np.ascontiguousarray(array, base))
        assert describe(got) == describe(expected), (layout, base)
        assert np.asarray(got).dtype in (np.asarray(expected).dtype, array.dtype), (layout, base)


@pytest.mark.parametrize("letter", ["u2", "i2"])
def test_integers_with_their_bytes_swapped(letter):
    bits = np.arange(0x3C00, 0x3C20).astype(letter)
    swapped = bits.astype(bits.dtype.newbyteorder())
    a, b = bits.view(half)[:16], bits.view(half)[16:]
    for function in (hc.select, hc.bitselect):
        got, expected = (function(a, b, c[:16]) for c in (swapped, bits))
        assert got.tobytes() == expected.tobytes() and got.dtype == HALF
    assert hc.bitselect(swapped, bits, bits).dtype == bits.dtype
    assert hc.vload4(1, swapped).tolist() == hc.vload4(1, bits).tolist()
    assert hc.vload4([1, 0], swapped).dtype == bits.dtype
    assert np.array_equal(hc.vload_half4(2, swapped), hc.vload_half4(2, bits))
    target, expected = np.zeros_like(swapped), np.zeros_like(bits)
    for p in (target, expected):
        hc.vstore4(bits[:4], 1, p)
        hc.vstore_half4(np.float32([1, 2, 0.1, -3]), 2, p)
        hc.vstore2(bits[:4].reshape(2, 2), [9, 8], p)
    assert np.array_equal(target, expected) and not np.array_equal(target.view(bits.dtype), bits)


def test_results_into_swapped_outputs():
    a = np.array(NUMBERS[:8], half)
    c = np.arange(8) % 2 == 0
    out = np.zeros(8, SWAPPED)
    assert hc.select(a, -a, c, out=out) is out
    assert describe(out) == describe(hc.select(a, -a, c))
    assert hc.bitselect(a, -a, a, out=out) is out
    assert describe(out) == describe(hc.bitselect(a, -a, a))
    assert hc.vload4(1, a, out=out[:4]).dtype == SWAPPED
    assert describe(out[:4]) == describe(a[4:])
    floats = np.zeros(4, np.dtype(np.float32).newbyteorder())
    assert hc.vload_half4(0, a, out=floats) is floats
    assert np.array_equal(floats, a[:4].astype(np.float32), equal_nan=True)


def test_swapped_outputs_are_written_only_where_asked():
    a = np.array([1, 2, 3, 4], half)
    out = np.full(4, 7, SWAPPED)
    hc.select(a, -a, False, out=out, where=[True, False, True, False])
    assert out.tolist() == [1, 7, 3, 7]
    hc.bitselect(a, -a, a, out=out, where=False)
    assert out.tolist() == [1, 7, 3, 7]
