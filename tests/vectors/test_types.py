"""Tests of vector types: construction, dtypes, memory, and NumPy's functions."""

import copy
import io
import pickle

import numpy as np
import pytest
from exhaustive import one_in
from samples_vectors import NAMES, SCALARS, WIDTHS, check, is_plain, make, split

import halfcl as hc
from halfcl import half, vectors
from halfcl._support.names import AMBIGUOUS

HALVES = [f"half{width}" for width in WIDTHS]


# ---------------------------------------------------------------- the types


@pytest.mark.parametrize("name", NAMES)
def test_types(name):
    scalar, width = split(name)
    kind = getattr(vectors, name)
    module = "halfcl.vectors" if name in AMBIGUOUS else "halfcl"
    assert kind.__name__ == name and kind.__module__ == module
    assert hasattr(hc, name) == (name not in AMBIGUOUS)
    assert kind.__halfcl_vector__ == width
    assert vectors.vector_type(SCALARS[scalar], width) is kind
    assert issubclass(kind, np.ndarray) and repr(kind) == f"<class '{module}.{name}'>"
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_vector_type_errors():
    with pytest.raises(ValueError, match=r"width: expected one of .*, got 5"):
        vectors.vector_type(half, 5)
    for dtype in (np.float16, bool, np.complex64, "U3"):
        with pytest.raises(TypeError, match=r"dtype: expected .*char.*double"):
            vectors.vector_type(dtype, 4)


@pytest.mark.parametrize("name", NAMES)
def test_dtype(name):
    scalar, width = split(name)
    kind = getattr(vectors, name)
    assert np.dtype(kind) == np.dtype((SCALARS[scalar], (width,)))
    assert kind.dtype == kind.__numpy_dtype__ == np.dtype(kind)
    assert make(name).dtype == np.dtype(SCALARS[scalar])  # of an object: its elements
    for create in (np.zeros, np.ones, np.empty):
        assert create(10, dtype=kind).shape == (10, width)
        assert create((2, 0), dtype=kind).dtype == np.dtype(SCALARS[scalar])


def test_structured_dtype():
    record = np.dtype([("p", hc.half3), ("q", np.float32), ("n", hc.half4, (2,))])
    assert record.itemsize == 6 + 4 + 16
    a = np.zeros(5, record)
    a["p"].view(hc.half3).xy = hc.half2(1, 2)
    a["n"].view(hc.half4).w = 3
    assert a["p"].tolist() == [[1, 2, 0]] * 5
    assert a["n"].shape == (5, 2, 4) and (a["n"][..., 3] == 3).all() and (a["q"] == 0).all()


# ---------------------------------------------------------------- literals


@pytest.mark.parametrize("name", NAMES)
def test_literals(name):
    scalar, width = split(name)
    kind, dtype = getattr(vectors, name), SCALARS[scalar]
    want = np.arange(width).astype(dtype)
    check(kind(*range(width)), want, name)
    check(kind(*want), want, name)  # NumPy's scalars
    check(kind(list(range(width))), want, name)
    check(kind(want), want, name)
    check(kind(want.view(kind)), want, name)
    check(kind([want, want]), np.stack([want, want]), name)
    check(kind(7), np.full(width, 7, dtype), name)
    check(kind(dtype(7)), np.full(width, 7, dtype), name)
    pair = getattr(hc, f"{scalar}2")
    parts = [pair(i, i + 1) for i in range(0, width - 1, 2)]
    check(kind(*parts, *([width - 1] if width % 2 else [])), want, name)


def test_literals_of_specification():
    check(hc.float4(1.0, 2.0, 3.0, 4.0), np.array([1, 2, 3, 4], np.float32), "float4")
    check(hc.uint4(1), np.ones(4, np.uint32), "uint4")
    two, three = hc.float2(1, 2), hc.float3(1, 2, 3)
    for parts, want in [
        ((two, 3, 4), [1, 2, 3, 4]), ((0, two, 4), [0, 1, 2, 4]), ((3, 4, two), [3, 4, 1, 2]),
        ((two, two), [1, 2, 1, 2]), ((three, 0), [1, 2, 3, 0]), ((0, three), [0, 1, 2, 3]),
    ]:  # fmt: skip
        check(hc.float4(*parts), np.array(want, np.float32), "float4")
    a = hc.float4(1, 2, 3, 4)
    check(
        vectors.float16(a.xxxx, a.xyz, a.xyz, a.xyz, a.yzw),
        np.array([1, 1, 1, 1, *[1, 2, 3] * 3, 2, 3, 4], np.float32), "float16",
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"float4: expected 4 components .* got 1 \+ 1"):
        hc.float4(1.0, 2.0)


def test_literals_of_arrays():
    """Arrays of scalars and of vectors broadcast against each other on all other axes."""
    x, pairs = np.arange(3, dtype=half), make("half2", 2, 1)
    got = hc.half4(x, pairs, 9)
    want = np.empty((2, 3, 4), half)
    want[..., 0], want[..., 3] = x, 9
    want[..., 1:3] = np.asarray(pairs)
    check(got, want, "half4")
    check(hc.half2(x, x.astype(np.float16)), np.stack([x, x], -1), "half2")
    check(hc.half2(np.zeros((0,), half), 1), np.zeros((0, 2), half), "half2")
    assert not np.shares_memory(hc.half2(pairs), pairs)
    with pytest.raises(ValueError, match="broadcast"):
        hc.half2(x, np.zeros(2, half))


def test_literals_round():
    with hc.rounding("rtz"):
        third = hc.half2(1 / 3, np.float16(2))
    assert third.x == half(1 / 3, rounding="rtz") and third.y == 2
    assert hc.half2(1 / 3).x == half(1 / 3)


def test_literals_of_bools():
    """A single bool sets all bits of integers; among components it is 0 or 1."""
    check(hc.uchar4(True), np.full(4, 255, np.uint8), "uchar4")
    check(hc.int2(np.True_), np.full(2, -1, np.int32), "int2")
    check(hc.int2(False), np.zeros(2, np.int32), "int2")
    check(hc.half2(True), np.ones(2, half), "half2")
    check(hc.int2(True, False), np.array([1, 0], np.int32), "int2")


WRONG = [
    (hc.half4, (), ValueError, "half4: expected 4 components in all, or one scalar .* got none"),
    (hc.half4, (1, 2, 3), ValueError, r"half4: expected 4 components .* got 1 \+ 1 \+ 1"),
    (hc.half2, (1, 2, 3), ValueError, "half2: expected 2"),
    (hc.half4, (hc.half3(1), hc.half2(1)), ValueError, r"got 3 \+ 2"),
    (hc.half4, (hc.half3(1),), ValueError, "got 3"),
    (hc.half4, ([1, 2, 3],), ValueError, r"argument 1: .* length 4, got shape \(3,\)"),
    (hc.half4, (np.zeros((4, 1), half),), ValueError, r"half4\(x, x, x, x\)"),
    (hc.half4, (hc.int2(1), 3, 4), TypeError, "argument 1: expected elements of type half, got"),
    (hc.half4, (1, 2, hc.float2(1)), TypeError, "argument 3: .* got float2; .*convert"),
    (
        hc.half4,
        (np.float32(1),),
        TypeError,
        r"argument 1: .* got float32; use halfcl.convert\(x, halfcl.half\)",
    ),
    (hc.half2, (1, np.arange(3)), TypeError, "argument 2: .* got int64"),
    (hc.short2, (1.5, 2), TypeError, "argument 1: expected numbers that int16 can hold, got 1.5"),
    (hc.short2, (1.5,), TypeError, "argument 1: expected numbers"),
    (hc.uchar2, (0, 256), OverflowError, "256"),
    (hc.ushort2, (-1,), OverflowError, "-1"),
    (hc.half2, ("1", 2), TypeError, "argument 1: expected numbers"),
    (hc.half2, (None, 2), TypeError, "argument 1: expected numbers"),
    (hc.half2, (1j, 2), TypeError, "argument 1: expected numbers"),
]


@pytest.mark.parametrize(("kind", "arguments", "error", "text"), WRONG)
def test_wrong_literals(kind, arguments, error, text):
    with pytest.raises(error, match=text):
        kind(*arguments)


# ---------------------------------------------------------------- views, shapes


@pytest.mark.parametrize("name", NAMES)
def test_view(name):
    scalar, width = split(name)
    kind = getattr(vectors, name)
    plain = np.ones((5, width), SCALARS[scalar])
    seen = plain.view(kind)
    seen.x = 0
    check(seen, plain, name)
    assert np.shares_memory(seen, plain) and (plain[:, 0] == 0).all()
    assert is_plain(seen.view(np.ndarray)) and is_plain(np.asarray(seen))
    assert type(seen.view()) is kind
    for wrong in (plain[:, :-1], plain[:, 0], plain[0, 0].reshape(()), plain[..., None]):
        with pytest.raises(ValueError, match=f"{name}: expected a last axis of length {width}"):
            wrong.view(kind)
    with pytest.raises(TypeError, match=f"{name}: expected an array of .*, got complex64"):
        plain.astype(np.complex64).view(kind)


def test_view_as_other_types():
    a = make("half4", 3)
    check(a.view(np.uint16), np.asarray(a).view(np.uint16), "ushort4")
    check(a.view(np.float16), np.asarray(a).view(np.float16))
    check(a.view(np.uint8), np.asarray(a).view(np.uint8))
    check(hc.as_short4(a), np.asarray(a).view(np.int16), "short4")
    check(hc.as_half4(np.ones((3, 4), np.float16)), np.ones((3, 4), half), "half4")
    check(hc.as_half4(hc.as_ushort4(a)), np.asarray(a), "half4")
    check(hc.as_half3(a), np.asarray(a)[:, :3], "half3")
    check(hc.as_ushort3(a.xyz), np.asarray(a)[:, :3].view(np.uint16), "ushort3")
    for kind in (hc.half8, hc.half2):
        with pytest.raises(ValueError, match="expected a last axis"):
            a.view(kind)
    with pytest.raises(TypeError, match="short4: expected an array of int16, got half"):
        a.view(hc.short4)


def test_astype():
    a = make("half4", 3)
    plain = np.asarray(a)
    for dtype, name in [
        (np.float32, "float4"), ("i2", "short4"), ("l", "long4"), ("q", "long4"),
        (hc.double4, "double4"), (half, "half4"), (np.uint8, "uchar4"),
    ]:  # fmt: skip
        want = np.float64 if dtype is hc.double4 else dtype
        check(a.astype(dtype), plain.astype(want), name)
    for dtype in (np.float16, bool, complex, object, ">f4"):
        assert is_plain(a.astype(dtype)), dtype
    with pytest.raises(ValueError, match="astype: dtype: expected vectors of 4, got float2"):
        a.astype(hc.float2)


def test_conversions():
    """convert_<type><n> converts vectors, and the last axis of plain arrays."""
    a = hc.half4(1.5, -2.5, 3, 60000)
    check(hc.convert_int4(hc.half4(1.5, -2.5, 3, 4)), np.array([1, -2, 3, 4], np.int32), "int4")
    check(hc.convert_char4_sat_rtp(a), np.array([2, -2, 3, 127], np.int8), "char4")
    check(hc.convert_float4(a), np.asarray(a).astype(np.float32), "float4")
    check(hc.convert_float(a), np.asarray(a).astype(np.float32), "float4")
    check(hc.convert(a, np.float64), np.asarray(a).astype(np.float64), "double4")
    thirds = np.full((5, 3), 1 / 3)
    check(hc.convert_half3_rtp(thirds), np.full((5, 3), half(1 / 3, rounding="rtp")), "half3")
    check(
        hc.convert(thirds[0].view(hc.double3), half, rounding="rtz"),
        np.full(3, half(1 / 3, rounding="rtz")), "half3",
    )  # fmt: skip
    out = hc.float4(0)
    assert hc.convert_float4(a, out=out) is out and out.x == 1.5
    with pytest.raises(ValueError, match="last axis of length 4"):
        hc.convert_float4(hc.half3(1))


#: What is done to an array of 4 by 4 vectors of width 4, and whether the result is vectors. All
#: lengths are the same, so that a last axis that is no vector has the right length, too.
SHAPED = [
    ("a[0]", True), ("a[0, 1]", True), ("a[1:3]", True), ("a[:, 0]", True), ("a[..., 0]", False),
    ("a[:, :, 0]", False), ("a[0, :, 0]", False), ("a[:, :, :2]", False), ("a[..., ::-1]", True),
    ("a[[0, 1]]", True), ("a[[0, 1], :, [2, 3]]", False), ("a[:, [0, 1]]", True),
    ("a[..., [0, 1, 2, 3]]", False), ("a[None]", True), ("a[..., None]", False),
    ("a[:, None]", True), ("a[...]", True), ("a[()]", True), ("a[np.ones(4, bool)]", True),
    ("a[np.ones((4, 4), bool)]", True), ("a[np.ones((4, 4, 4), bool)]", False),
    ("a[np.array(0)]", True), ("a[np.array(0), ..., np.array(1)]", False), ("a[0][:, 0]", False),
    ("a[True]", True), ("a[0, ..., 1:2]", False), ("a[0, 0, [0, 1, 2, 3]]", False),
    ("a.T", False), ("a[0].T", False), ("a[0, 0].T", True), ("a.mT", False),
    ("a.transpose(1, 0, 2)", True), ("a.transpose((1, 0, -1))", True),
    ("a.transpose(2, 1, 0)", False), ("a.transpose()", False), ("a.swapaxes(0, 1)", True),
    ("a.swapaxes(0, 2)", False), ("np.moveaxis(a, 0, 1)", True), ("np.moveaxis(a, 0, -1)", False),
    ("np.rot90(a)", True), ("np.rot90(a[0])", False), ("np.rollaxis(a, 1)", True),
    ("a.reshape(16, 4)", True), ("a.reshape(2, 8, 4)", True), ("a.reshape(-1)", False),
    ("a.reshape(4, 16)", False),
    ("a.reshape(16, 4, order='F')", False), ("a.ravel()", False), ("a.flatten()", False),
    ("a[0, 0].ravel()", True), ("np.expand_dims(a, 0)", True), ("np.expand_dims(a, -1)", False),
    ("a[:1].squeeze()", True), ("np.squeeze(a[:1], 0)", True),
    ("a.copy()", True), ("copy.copy(a)", True), ("copy.deepcopy(a)", True), ("np.copy(a)", False),
    ("np.asarray(a)", False), ("np.asanyarray(a)", True), ("np.ascontiguousarray(a)", False),
    ("np.zeros_like(a)", True), ("np.full_like(a, 3)", True),
    ("np.zeros_like(a, dtype=int)", False),
    ("np.ones_like(a, shape=(2, 4))", False), ("np.concatenate([a, a])", True),
    ("np.concatenate([a, a], axis=1)", True), ("np.concatenate([a, a], axis=-1)", False),
    ("np.concatenate([a, np.asarray(a)])", True), ("np.stack([a, a])", True),
    ("np.stack([a, a], axis=-1)", False), ("np.vstack([a[0], a[0]])", True),
    ("np.hstack([a[0], a[0]])", False), ("np.split(a, 2)[1]", True),
    ("np.split(a, 2, axis=-1)[1]", False), ("np.flip(a, 0)", True), ("np.roll(a, 1, axis=1)", True),
    ("np.repeat(a, 2, axis=0)", True), ("np.repeat(a, 2, axis=-1)", False),
    ("np.delete(a, 0, axis=0)", True), ("np.delete(a, 0, axis=-1)", False),
    ("np.insert(a, 0, 1, axis=0)", True), ("np.take(a, 0, axis=-1)", False),
    ("np.take(a, [0, 1], axis=0)", True), ("a.take(0, axis=1)", False), ("a[0].diagonal()", False),
    ("np.diagonal(a)", False), ("a.argmax(-1)", False), ("a.argsort()", False),
    ("np.sort(a, axis=0)", True), ("np.where(a > 1, a, 0)", True),
    ("np.broadcast_to(a[0, 0], (3, 4))", True), ("np.unique(a)", False), ("a.sum(0)", True),
    ("a.sum(axis=(0, 1))", True), ("a.sum(-1)", False), ("a.sum(axis=(0, 2))", False),
    ("a.sum(-1, keepdims=True)", False), ("a.mean(0)", True), ("a.mean(-1)", False),
    ("a.max(1)", True), ("a.max(2)", False), ("a.std(0)", True), ("a.cumsum(0)", True),
    ("a.cumsum(-1)", True), ("a.cumsum()", False), ("np.add.reduce(a)", True),
    ("np.add.reduceat(a, [0, 2])", True), ("np.add.reduceat(a, [0, 2], axis=-1)", False),
    ("np.add.accumulate(a)", True), ("np.add.outer(a[0, 0], a[0, 0])", False),
    ("np.median(a, axis=-1)", False), ("np.diff(a, axis=0)", True), ("np.diff(a)", False),
    ("np.clip(a, 1, 5)", True), ("np.round(a)", True), ("a.round(1)", True), ("abs(a)", True),
    ("np.nan_to_num(a)", True), ("a.real", True), ("a.all(axis=0)", False), ("a.any(-1)", False),
    ("a[0] @ np.eye(4, dtype=half)", False), ("a.trace()", False),
    ("np.apply_along_axis(np.sum, -1, a)", False),
]  # fmt: skip


@one_in(3)
@pytest.mark.parametrize(("expression", "stays"), SHAPED, ids=[e for e, _ in SHAPED])
def test_functions_return_vectors_if_last_axis_stays(expression, stays):
    """Expressions that keep the last axis return vectors, others plain arrays, of equal values."""
    a = make("half4", 4, 4)
    names = {"np": np, "copy": copy, "half": half}
    got = eval(expression, names, {"a": a})
    want = eval(expression, names, {"a": np.asarray(a)})
    assert type(got) is (hc.half4 if stays else np.ndarray), type(got)
    assert got.dtype == want.dtype and got.shape == want.shape and (want == np.asarray(got)).all()


def test_no_object_has_another_width():
    """No object of a vector class has another last axis or dtype, however it was created."""
    a = make("half4", 4)
    for array in (
        np.array(a, float, subok=True), np.asanyarray(a, np.float32), a == "x",
        np.ndarray.__new__(hc.half4, (2, 3)), np.ndarray.__new__(hc.half4, (), half),
        a.view("i2")[..., :2], np.lib.stride_tricks.sliding_window_view(a, 2, axis=0),
        a.getfield(np.int8), a.byteswap(), np.ndarray.transpose(a), np.ndarray.flatten(a),
    ):  # fmt: skip
        width = getattr(array, "__halfcl_vector__", None)
        assert width is None or (array.shape[-1] == width and type(array).element == array.dtype)
    for name, value in [("shape", (2, 8)), ("dtype", np.int16), ("strides", (2, 2))]:
        with pytest.raises(AttributeError, match=f"half4.{name}: cannot be set"):
            setattr(a, name, value)
    with pytest.raises(ValueError, match="cannot resize"):
        a.resize(3, 2)
    check(a, np.asarray(make("half4", 4)), "half4")


def test_subclasses():
    """Subclasses may add methods; their results become plain arrays as those of vectors do."""

    class Colour(hc.half4):
        def grey(self):
            return self.xyz.sum(axis=-1) / 3

    many = np.ones((4, 4), half).view(Colour)
    assert Colour(1, 2, 3, 4).grey() == 2 and type(many + 1) is type(many[1:]) is Colour
    for array in (
        many.ravel(), many.take(0, axis=-1), many.flatten(), np.concatenate([many, many], axis=-1),
        many.argsort(), np.stack([many, many], axis=-1), many.diagonal(),
    ):  # fmt: skip
        assert is_plain(array)
    assert not hasattr(np.array(many, float, subok=True), "__halfcl_vector__")
    with pytest.raises(AttributeError):
        many.other = 1

    class Mixin:
        pass

    for bases, namespace in (((hc.half4, Mixin), {}), ((hc.half4,), {"__slots__": ("a",)}),
                             ((hc.half4,), {"__slots__": ("__dict__",)})):  # fmt: skip
        with pytest.raises(TypeError, match="Wrong: vectors have components only"):
            type(hc.half4)("Wrong", bases, namespace)


def test_iteration():
    a = make("half3", 2, 2)
    assert [type(row) for row in a] == [hc.half3] * 2
    assert [type(v) for row in a for v in row] == [hc.half3] * 4
    assert [float(x) for x in a[1, 0]] == [7, 8, 9] and type(next(iter(a[0, 0]))) is half
    x, y, z = a[0, 1]
    assert (x, y, z) == (4, 5, 6)
    assert a[0, 0].tolist() == [1, 2, 3] and len(a[0, 0]) == 3 and 2 in a[0, 0]


def test_masks_index():
    """A vector of 0 and -1 as an index selects, where NumPy would use it as positions."""
    v = hc.half4(1, 2, 3, 4)
    check(v[v > 2], np.array([3, 4], half))
    check(v[(v > 1) & (v < 4)], np.array([2, 3], half))
    check(v[~(v > 2)], np.array([1, 2], half))
    check(v[v > 0], np.array([1, 2, 3, 4], half))
    v[v > 2] = 0
    check(v, np.array([1, 2, 0, 0], half), "half4")
    a = make("half2", 3)
    a[a > 4] = -1
    check(a, np.array([[1, 2], [3, 4], [-1, -1]], half), "half2")
    check(a[hc.ushort2(2, 0)], np.asarray(a)[[2, 0]], "half2")  # unsigned: positions


# ---------------------------------------------------------------- storage, text


@pytest.mark.parametrize("name", NAMES)
def test_pickle(name):
    for value in (make(name), make(name, 3, 2), make(name, 0), make(name, 4)[::2]):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            check(pickle.loads(pickle.dumps(value, protocol)), np.asarray(value), name)
        check(copy.deepcopy([value])[0], np.asarray(value), name)


def test_save():
    a = make("float4", 3)
    file = io.BytesIO()
    np.save(file, a)
    file.seek(0)
    check(np.load(file), np.asarray(a))
    file = io.BytesIO()
    np.savez(file, h=make("half4", 3))
    file.seek(0)
    assert (np.load(file)["h"].view(half).view(hc.half4) == make("half4", 3)).all()


def test_text():
    v = hc.half4(1, 2.5, 3, 0)
    assert repr(v) == "half4([1. , 2.5, 3. , 0. ])" and str(v) == "[1.  2.5 3.  0. ]"
    assert f"{v}" == str(v)
    check(eval(repr(v), {"half4": hc.half4}), np.asarray(v), "half4")
    assert repr(hc.short2([[1, -1], [0, 10]])) == "short2([[ 1, -1],\n        [ 0, 10]])"
    assert repr(hc.half4(np.zeros((0, 4), half))) == "half4([], shape=(0, 4))"
    assert "..." in repr(make("half4", 1000))


def test_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(hc.half4(1))


@pytest.mark.parametrize("name", HALVES)
def test_testing_functions(name):
    """NumPy's assertions about arrays hold for vectors, as either argument."""
    v, plain = make(name, 2), np.asarray(make(name, 2))
    other = plain.copy()
    other[1, 0] = 0
    for x, y in [(v, v.copy()), (v, plain), (plain, v)]:
        np.testing.assert_array_equal(x, y)
        np.testing.assert_allclose(x, y)
        assert np.array_equal(x, y) and np.allclose(x, y) and np.isclose(x, y).all()
    for x, y in [(v, other.view(type(v))), (v, other), (other, v)]:
        assert not np.array_equal(x, y) and not np.allclose(x, y)
        with pytest.raises(AssertionError, match="Arrays are not equal"):
            np.testing.assert_array_equal(x, y)
    nan = make("float4", 2)
    nan.y = np.nan
    np.testing.assert_array_equal(nan, nan.copy())
    np.testing.assert_array_equal(nan, np.asarray(nan))
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(nan, make("float4", 2))
