"""select, bitselect, any and all on plain arrays and scalars."""

import operator
import pickle

import numpy as np
import oracle
import pytest
import samples
from checks import bits, half

import halfcl as hc

RNG = np.random.default_rng(0)
A, B = (RNG.integers(0, 1 << 16, 3000, np.uint16) for _ in "ab")
TRUTH = RNG.integers(0, 2, 3000).astype(bool)

#: Conditions of other dtypes with the same truth; the short ones are not only 0 and -1.
CONDITIONS = {
    "bool": TRUTH,
    "short": np.where(TRUTH, RNG.choice([-1, 1, 0x100, -0x8000], 3000), 0).astype(np.int16),
    "ushort": np.where(TRUTH, RNG.choice([1, 0x8000, 0xFFFF], 3000), 0).astype(np.uint16),
    "int": np.where(TRUTH, RNG.choice([-1, 1, 0x10000], 3000), 0).astype(np.int32),
    "char": np.where(TRUTH, RNG.choice([-1, 1, -128], 3000), 0).astype(np.int8),
}
LENGTHS = [*range(70), 511, 512, 1023, 1025, 3000]


# ---------------------------------------------------------------- select


@pytest.mark.parametrize("kind", CONDITIONS)
def test_select(kind):
    """b where the condition is true, bit by bit, whatever the length, alignment and stride."""
    condition = CONDITIONS[kind]
    want = np.where(TRUTH, B, A)
    with oracle.Watch() as watch:
        for n in LENGTHS:
            start = int(RNG.integers(0, A.size - n + 1))
            for part in (slice(start, start + n), slice(start, start + n, 3), slice(n, None, -1)):
                got = hc.select(half(A[part]), half(B[part]), condition[part])
                assert got.dtype == hc.half
                np.testing.assert_array_equal(bits(got), want[part])
        assert watch.take() == 0


def test_select_accepts_results_of_relations():
    x, y = half(A[:2000]), half(B[:2000])
    got = hc.select(x, y, hc.isless(x, y))
    np.testing.assert_array_equal(bits(got), np.where(x < y, bits(y), bits(x)))


def test_select_dtypes():
    """float16 if both are; else half. Numbers are what the other one is."""
    x, y = half(A), B.view(np.float16)
    want = np.where(TRUTH, B, A)
    for a, b, dtype in ((x, y, hc.half), (x.view(np.float16), y, np.float16)):
        got = hc.select(a, b, TRUTH)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.view(np.uint16), want)
    got = hc.select(1, 2.5, [True, False])
    assert got.dtype == hc.half and got.tolist() == [2.5, 1]
    assert type(hc.select(hc.half(1), 2, True)) is hc.half
    out = np.zeros_like(y)
    for got in (hc.select(y, 2, TRUTH), hc.select(y, 2.0, TRUTH, out=out), hc.select(2, y, ~TRUTH)):
        assert got.dtype == np.float16
        np.testing.assert_array_equal(got.view(np.uint16), np.where(TRUTH, 0x4000, B))


def test_select_scalars_take_any_truth():
    one, two = hc.half(1), hc.half(2)
    for c in (True, 1, -5, np.int16(1), np.uint16(4), np.int64(2), np.bool_(True)):
        assert hc.select(one, two, c) == two
    for c in (False, 0, np.int16(0), np.uint8(0)):
        assert hc.select(one, two, c) == one


def test_select_broadcasts():
    x = half(A[:6]).reshape(2, 3)
    got = hc.select(x, half(B[:3]), np.array([[True], [False]]))
    np.testing.assert_array_equal(bits(got), [B[:3], A[3:6]])
    with pytest.raises(ValueError):
        hc.select(half(A[:3]), half(B[:4]), True)


def test_select_out():
    out = np.zeros(A.size, hc.half)
    assert hc.select(half(A), half(B), TRUTH, out=out) is out
    np.testing.assert_array_equal(bits(out), np.where(TRUTH, B, A))
    x = half(A.copy())
    hc.select(x, half(B), TRUTH, out=x)
    np.testing.assert_array_equal(bits(x), np.where(TRUTH, B, A))


@pytest.mark.parametrize("function", [hc.select, hc.bitselect])
def test_where(function):
    x, y, c = half(A[:9]), half(B[:9]), half(B[9:18])
    c = c.view(np.int16) if function is hc.select else c
    where = np.arange(9) % 2 == 0
    out = np.full(9, 7, hc.half)
    assert function(x, y, c, out=out, where=where) is out
    np.testing.assert_array_equal(bits(out[where]), bits(function(x, y, c)[where]))
    assert (out[~where] == 7).all()


@pytest.mark.parametrize("function", [hc.select, hc.bitselect])
def test_is_a_function_like_others(function):
    """Pickled by name; a rounding mode changes nothing but must be one, in every kind of call."""
    assert pickle.loads(pickle.dumps(function)) is function
    assert isinstance(function, hc.Function) and isinstance(function.rte, np.ufunc)
    x, mask = half(A[:3]), np.ones(3, np.int16)
    c = mask if function is hc.select else x
    for a in (x, x.view(np.float16)):
        want = bits(function(a, a, c))
        np.testing.assert_array_equal(bits(function(a, a, c, rounding="rtz")), want)
        with pytest.raises(ValueError, match="rounding"):
            function(a, a, c, rounding="up")
        for out in (np.empty_like(a), np.zeros((2, 6), a.dtype)[:, ::2]):
            assert function(a, a, c, out) is out
            np.testing.assert_array_equal(bits(out), np.broadcast_to(want, out.shape))
    for wrong in ((x, x), (x, x, c, x, x)):
        with pytest.raises(TypeError, match=function.__name__):
            function(*wrong)


@pytest.mark.parametrize("function", [hc.select, hc.bitselect])
def test_memory_that_overlaps(function):
    """The result is that of arguments elsewhere."""
    c = RNG.integers(0, 1 << 16, 200, np.uint16).view(np.int16)
    for shift in (0, 1, 3):
        x = half(A[:300].copy())
        want = bits(function(x[:200].copy(), half(B[:200]), c))
        function(x[:200], half(B[:200]), c, out=x[shift : 200 + shift])
        np.testing.assert_array_equal(bits(x[shift : 200 + shift]), want)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.float32([1]), hc.half(1), True), "argument a.*float32.*convert"),
        ((hc.half(1), np.int64([1]), True), "argument b.*int64"),
        ((hc.half(1), hc.half(1), 1.0), "argument c.*float64"),
        ((hc.half(1), hc.half(1), hc.half(1)), "argument c.*half"),
        ((hc.half(1), hc.half(1), "x"), "argument c"),
    ],
)
def test_select_refuses(arguments, message):
    out = np.full(1, 7, hc.half)
    with pytest.raises(TypeError, match=message):
        hc.select(*arguments, out=out)
    assert out[0] == 7


@pytest.mark.parametrize("out", [np.zeros(3, np.float16), np.zeros(3, np.int16), [0, 0, 0]])
@pytest.mark.parametrize("function", [hc.select, hc.bitselect])
def test_wrong_outputs(function, out):
    x = half(A[:3])
    with pytest.raises(TypeError, match=r"argument out.*half"):
        function(x, x, np.ones(3, np.int16), out=out)
    assert not np.any(out)


# ---------------------------------------------------------------- bitselect


@pytest.mark.parametrize("dtype", [np.uint16, np.int16, np.float16, hc.half])
def test_bitselect(dtype):
    """bitselect allows every dtype of 16 bits; the result has a's."""
    c = RNG.integers(0, 1 << 16, A.size, np.uint16)
    want = (A & ~c) | (B & c)
    with oracle.Watch() as watch:
        for other in (np.uint16, np.int16, hc.half):
            for n in LENGTHS:
                got = hc.bitselect(A.view(dtype)[:n], B.view(other)[:n], c.view(other)[:n])
                assert got.dtype == dtype
                np.testing.assert_array_equal(got.view(np.uint16), want[:n])
        assert watch.take() == 0


def test_bitselect_of_numbers():
    got = hc.bitselect(1.5, -2.0, np.uint16(0x8000))
    assert type(got) is hc.half and got == -1.5
    out = np.zeros(2, np.uint16)
    assert hc.bitselect(np.uint16([1, 2]), np.uint16(255), np.uint16(4), out=out) is out
    assert out.tolist() == [5, 6]


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize(
    "bad", [np.float32(1), np.int32([1]), np.bool_(True), np.uint8(1), "x", 1, True]
)
def test_bitselect_refuses(position, bad):
    arguments = [np.uint16(1)] * 3
    arguments[position] = bad
    with pytest.raises(TypeError, match=f"bitselect: argument {'abc'[position]}"):
        hc.bitselect(*arguments)


# ---------------------------------------------------------------- any, all


@pytest.mark.parametrize(("function", "twin"), [(hc.any, np.any), (hc.all, np.all)])
def test_any_and_all(function, twin):
    for x in (TRUTH[:12].reshape(3, 4), np.int16([[0, -1], [1, 0]]), np.zeros((0, 3), bool)):
        for options in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}):
            got, want = function(x, **options), twin(x, **options)
            np.testing.assert_array_equal(got, want)
            assert got.dtype == bool and got.shape == want.shape
    assert function(True) and not function(0) and function(hc.isnan(hc.half("nan")))
    for bad in (half(A), np.float32([1]), 1.0, "x"):
        with pytest.raises(TypeError, match=r"argument x.*integers"):
            function(bad)


# ---------------------------------------------------------------- relations between each other


def test_relations_agree():
    """On all special pairs: what the table says of the functions that are made of others."""
    x, y = (half(column) for column in samples.SPECIAL_PAIRS)
    ordered = hc.isequal(x, x) & hc.isequal(y, y)
    np.testing.assert_array_equal(hc.isordered(x, y), ordered)
    np.testing.assert_array_equal(hc.isunordered(x, y), ~ordered)
    np.testing.assert_array_equal(hc.islessgreater(x, y), hc.isless(x, y) | hc.isgreater(x, y))
    np.testing.assert_array_equal(hc.isnotequal(x, y), ~hc.isequal(x, y))


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_operators_are_the_functions(name):
    x, y = (half(column) for column in samples.SPECIAL_PAIRS)
    names = {"lt": "less", "le": "lessequal", "gt": "greater", "ge": "greaterequal"}
    names |= {"eq": "equal", "ne": "notequal"}
    got = getattr(operator, name)(x, y)
    np.testing.assert_array_equal(got, getattr(hc, f"is{names[name]}")(x, y))


# ---------------------------------------------------------------- vectors

WIDTHS = (2, 3, 4, 8, 16)


def vectors(columns, width, name="half"):
    """Columns as arrays of vectors."""
    kind = hc.vectors.TYPES[f"{name}{width}"]
    return [x[: 60 * width].reshape(-1, width).view(kind) for x in columns]


@pytest.mark.parametrize("width", WIDTHS)
def test_select_by_the_top_bit(width):
    """The top bit of short and ushort vectors selects, or the truth value of bools."""
    a, b = vectors((half(A), half(B)), width)
    c = RNG.integers(0, 1 << 16, A.size, np.uint16)
    (mask,) = vectors((c,), width, "ushort")
    plain = np.asarray(mask)
    want = np.where(plain & 0x8000, np.asarray(b).view(np.uint16), np.asarray(a).view(np.uint16))
    for condition in (mask, getattr(hc, f"as_short{width}")(mask), plain & 0x8000 != 0):
        got = hc.select(a, b, condition)
        assert type(got) is type(a)
        np.testing.assert_array_equal(np.asarray(got).view(np.uint16), want)
    assert type(hc.select(a[0], b[0], mask[0])) is type(a)
    with pytest.raises(TypeError, match=r"select: argument 3: .*x\.view\(halfcl\.ushort"):
        hc.select(a, b, plain)
    x, y = np.asarray(a), np.asarray(b)
    got = np.asarray(hc.select(a, b, hc.isless(a, b)))
    np.testing.assert_array_equal(bits(got), np.where(x < y, bits(y), bits(x)))


@pytest.mark.parametrize("width", WIDTHS)
def test_layouts_of_vectors(width):
    """Strided, backwards, with components backwards, none; one vector with each of many."""
    (a, b), (c,) = vectors((half(A), half(B)), width), vectors((B[::-1].copy(),), width, "ushort")
    turned = [x[..., ::-1].view(type(x)) for x in (a, b, c)]
    for x, y, z in (
        *((a[part], b[part], c[part]) for part in (np.s_[::3], np.s_[::-1], np.s_[:0])),
        turned, (a[0], b, c), (a, b[0], c[:1]), (a[::2], b[1::2], c[0]),
    ):  # fmt: skip
        p, q, m = (np.asarray(v).view(np.uint16) for v in (x, y, z))
        for got, want in (
            (hc.select(x, y, z), np.where(m & 0x8000, q, p)),
            (hc.bitselect(x, y, z), p & ~m | q & m),
        ):
            assert type(got) is type(a)
            np.testing.assert_array_equal(np.asarray(got).view(np.uint16), want)


@pytest.mark.parametrize("width", WIDTHS)
def test_bitselect_of_vectors(width):
    a, b = vectors((half(A), half(B)), width)
    mask = hc.isless(a, b)
    got = hc.bitselect(a, b, mask)
    assert type(got) is type(a)
    np.testing.assert_array_equal(bits(np.asarray(got)), bits(np.asarray(hc.select(a, b, mask))))
    out = np.zeros_like(a)
    assert hc.bitselect(a, b, mask, out=out) is out and type(out) is type(a)
    np.testing.assert_array_equal(bits(np.asarray(out)), bits(np.asarray(got)))


@pytest.mark.parametrize("name", ["char", "short", "int", "long"])
@pytest.mark.parametrize("width", WIDTHS)
def test_any_and_all_of_vectors(name, width):
    """1 and 0 in int32 by the top bits of the components."""
    kind = hc.vectors.TYPES[f"{name}{width}"]
    x = RNG.integers(-3, 2, (200, width))
    x[0], x[1] = -1, 1
    v = x.astype(kind(0).dtype).view(kind)
    for function, twin in ((hc.any, np.any), (hc.all, np.all)):
        got = function(v)
        assert got.dtype == np.int32 and got.shape == (200,)
        np.testing.assert_array_equal(got, twin(x < 0, axis=-1))
        assert function(v[0]) == 1 and function(v[1]) == 0


def test_vectors_refused():
    four, two = hc.half4(1), hc.half2(1)
    for function in (hc.select, hc.bitselect):
        with pytest.raises(ValueError, match="one width"):
            function(four, two, hc.short4(1))
    with pytest.raises(TypeError, match=r"argument c.*short"):
        hc.select(four, four, hc.int4(1))
    with pytest.raises(TypeError, match=r"argument x.*signed"):
        hc.any(hc.ushort4(1))
    with pytest.raises(TypeError, match="axis"):
        hc.all(hc.short4(1), axis=0)
    with pytest.raises(TypeError, match="keepdims"):
        hc.any(hc.short4(1), keepdims=True)
