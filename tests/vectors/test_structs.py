"""Tests of shuffle and shuffle2, and of vectors in structured arrays as in pyopencl."""

import numpy as np
import pytest
from exhaustive import in_turn
from samples_vectors import NAMES, SCALARS, check, make, split

import halfcl as hc
from halfcl import half
from halfcl.vectors import TYPES

#: Of a component's size, the masks' type.
MASKS = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}


def shuffle_each(components, mask, count):
    """Shuffle one vector after the other, in Python."""
    lead = np.broadcast_shapes(components.shape[:-1], mask.shape[:-1])
    components = np.broadcast_to(components, (*lead, components.shape[-1]))
    mask = np.broadcast_to(mask, (*lead, mask.shape[-1]))
    result = np.empty(mask.shape, components.dtype)
    for index in np.ndindex(result.shape):
        result[index] = components[(*index[:-1], int(mask[index]) % count)]
    return result


def masks(dtype, width, *shape):
    """Return masks of random bits, of which only the low ones count."""
    rng = np.random.default_rng(width)
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    top = np.iinfo(unsigned).max
    plain = rng.integers(0, top, (*shape, width), unsigned, endpoint=True)
    return plain.view(TYPES[f"{MASKS[unsigned.itemsize]}{width}"])


@in_turn
@pytest.mark.parametrize("width", [2, 4, 8, 16])
@pytest.mark.parametrize("scalar", SCALARS)
def test_shuffle(scalar, width):
    for source_width in (2, 4, 8, 16):
        for shape, mask_shape in [((), ()), ((3,), ()), ((), (3,)), ((2, 1), (3,)), ((0,), (0,))]:
            x, y = (
                make(f"{scalar}{source_width}", *shape),
                make(f"{scalar}{source_width}", *shape)[..., ::-1],
            )
            mask = masks(SCALARS[scalar], width, *mask_shape)
            plain, name = np.asarray(mask), f"{scalar}{width}"
            check(hc.shuffle(x, mask), shuffle_each(np.asarray(x), plain, source_width), name)
            both = np.concatenate([np.asarray(x), np.asarray(y)], axis=-1)
            check(hc.shuffle2(x, y, mask), shuffle_each(both, plain, 2 * source_width), name)


def test_shuffle_of_specification():
    a, b = hc.float4(1, 2, 3, 4), hc.float4(5, 6, 7, 8)
    check(hc.shuffle(a, hc.uint4(3, 2, 1, 0)), np.array([4, 3, 2, 1], np.float32), "float4")
    check(hc.shuffle2(a, b, TYPES["uint8"](*range(8))), np.arange(1, 9, dtype=np.float32), "float8")


def test_shuffle_of_arrays():
    """Plain arrays give plain arrays, and a list works as a mask."""
    x = np.arange(8, dtype=np.float16).reshape(2, 4)
    check(hc.shuffle(x, [1, 0]), np.array([[1, 0], [5, 4]], np.float16))
    check(hc.shuffle(x.view(half), np.array([1, 0], np.uint16)), x[:, 1::-1].view(half).copy())
    check(hc.shuffle2(x, x, [7, 0]), np.array([[3, 0], [7, 4]], np.float16))
    check(hc.shuffle(hc.half4(x.view(half)), [0, 0]), x[:, [0, 0]].view(half), "half2")


WRONG = [
    (lambda: hc.shuffle(hc.half3(1), hc.ushort4(0)), ValueError, "argument x: .* 2, 4, 8 or 16"),
    (lambda: hc.shuffle(half(1), hc.ushort4(0)), ValueError, r"argument x: .* shape \(\)"),
    (lambda: hc.shuffle(hc.half4(1), hc.ushort3(0)), ValueError, "argument mask: .* 2, 4, 8"),
    (lambda: hc.shuffle(hc.half4(1), hc.uint4(0)), TypeError, "argument mask: expected uint16"),
    (lambda: hc.shuffle(hc.half4(1), hc.short4(0)), TypeError, "mask: .* got int16"),
    (lambda: hc.shuffle(hc.short16(1), TYPES["uint8"](0)), TypeError, "mask: .* got uint32"),
    (lambda: hc.shuffle2(hc.half4(1), hc.half2(1), hc.ushort4(0)), ValueError, "argument y"),
    (lambda: hc.shuffle2(hc.half4(1), hc.short4(1), hc.ushort4(0)), TypeError, "argument y"),
    (lambda: hc.shuffle2(hc.half4(1), hc.half4(1), hc.uchar4(0)), TypeError, "shuffle2: arg"),
    (lambda: hc.from_struct(np.zeros(3)), TypeError, "a: expected fields x, y"),
    (lambda: hc.from_struct(np.zeros(3, "f4,f4")), TypeError, "a: expected fields x, y"),
    (lambda: hc.from_struct(np.zeros(3, [("x", "f4"), ("y", "i4")])), TypeError, "of one type"),
    (lambda: hc.from_struct(np.zeros(3, [("x", "f4"), ("z", "f4")])), TypeError, "fields x, y"),
    (lambda: hc.from_struct(np.zeros(3, [("x", "c8"), ("y", "c8")])), TypeError, "dtype"),
    (lambda: hc.to_struct(np.zeros((3, 4), half)), TypeError, "v: expected a vector"),
]


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_vec_step():
    assert [hc.vec_step(x) for x in (half(1), 1.5, half, np.float32)] == [1] * 4
    assert [hc.vec_step(make(name)) for name in ("half2", "int3", "char8")] == [2, 4, 8]
    assert hc.vec_step(hc.half3) == hc.vec_step(make("half3", 5)) == 4


# ---------------------------------------------------------------- structs


def make_structs(name, *shape):
    """Return structs with pyopencl.cltypes's layout of a vector type; halves as float16."""
    scalar, width = split(name)
    dtype = np.float16 if scalar == "half" else SCALARS[scalar]
    names = [f"s{i}" for i in range(width)]
    titles = [*"xyzw"[:width], *[None] * (width - 4)]
    if width == 3:
        names, titles = [*names, "padding0"], [*titles, None]
    return np.zeros(shape, {"names": names, "formats": [dtype] * len(names), "titles": titles})


@pytest.mark.parametrize("name", NAMES)
def test_structs(name):
    """Both conversions share memory, and the layout is pyopencl's."""
    _, width = split(name)
    a = make_structs(name, 2, 3)
    v = hc.from_struct(a)
    assert type(v) is TYPES[name] and v.shape == (2, 3, width)
    assert np.shares_memory(v, a)
    v[...] = make(name, 2, 3)
    for i in range(width):
        assert (a[f"s{i}"] == np.asarray(v)[..., i].astype(a.dtype["s0"])).all()
    assert (a["y"] == a["s1"]).all()
    back = hc.to_struct(v)
    assert back.dtype == a.dtype and back.shape == a.shape and np.shares_memory(back, a)
    assert (back == a).all()
    fresh = hc.to_struct(make(name, 2, 3))
    assert fresh.dtype == a.dtype and (fresh["s1"] == a["s1"]).all()
    one = hc.to_struct(make(name))
    assert one.shape == () and one["s1"] == 2
    for empty in (hc.from_struct(a[:0]), hc.from_struct(a[:, ::2]), hc.from_struct(a[::-1])):
        assert hc.to_struct(empty).shape == empty.shape[:-1]


def test_struct_dtypes_of_pyopencl():
    cltypes = pytest.importorskip("pyopencl.cltypes")
    for name in NAMES:
        if hasattr(cltypes, name):
            assert hc.to_struct(make(name)).dtype == getattr(cltypes, name)
            a = np.zeros(4, getattr(cltypes, name))
            hc.from_struct(a).y = 1
            assert (a["y"] == 1).all() and (a["x"] == 0).all()


def test_padding_of_three():
    """Vectors of three four apart are not copied; adjacent ones are copied, and padded with 0."""
    a = make_structs("half3", 4)
    v = hc.from_struct(a)
    assert v.strides == (8, 2)
    v.z = 3
    again = hc.to_struct(v[1:])
    again["x"] = 5
    assert a["z"].tolist() == [3] * 4 and a["x"].tolist() == [0, 5, 5, 5]
    packed = make("half3", 2)
    copied = hc.to_struct(packed)
    assert copied.itemsize == 8 and not np.shares_memory(copied, packed)
    assert copied.tolist() == [(1, 2, 3, 0), (4, 5, 6, 0)]
    end = np.zeros(7, half)  # room for all but the last one's padding
    tight = np.lib.stride_tricks.as_strided(end, (2, 3), (8, 2)).view(hc.half3)
    assert not np.shares_memory(hc.to_struct(tight), end)


def three_of(owner, *index):
    """Return the first three columns of an array's last axis, as vectors."""
    return owner[(*index, slice(3))].view(hc.half3)


def plain_rows(width):
    return np.zeros((4, width), half)


#: Vectors of three that lie four or more apart, though no padding lies between: what owns the
#: memory, and the vectors.
NEIGHBOURS = {
    "rows of 5": lambda: (b := plain_rows(5), three_of(b, slice(None))),
    "rows of 4": lambda: (b := plain_rows(4), three_of(b, slice(None))),
    "the last": lambda: (b := plain_rows(4), three_of(b, 3)),
    "backwards": lambda: (b := plain_rows(8), three_of(b, slice(None, None, -1))),
    "every other": lambda: (b := plain_rows(4), three_of(b, slice(None, None, 2))),
    "of more axes": lambda: (b := np.zeros((2, 3, 6), half), three_of(b, ..., )),
    "of half4": lambda: (b := make("half4", 4), b.xyz),
    "the other end": lambda: (b := make("half4", 4), b.yzw),
    "a view as structs": lambda: (b := plain_rows(4), hc.from_struct(b.view(PADDED)[:, 0])),
    "a buffer": lambda: (b := plain_rows(4),
                         hc.from_struct(np.frombuffer(b.view(np.float16), PADDED))),
    "with a mass": lambda: (b := np.zeros(4, MASS), hc.from_struct(b)),
    "fields of one with a mass": lambda: (b := np.zeros(4, MASS),
                                          hc.from_struct(b[["x", "y", "z"]])),
    "across structs": lambda: (b := np.zeros(4, PADDED),
                               np.lib.stride_tricks.as_strided(
                                   b.view(half)[1:], (3, 3), (8, 2)).view(hc.half3)),
    "every third": lambda: (b := np.zeros(6, PADDED), np.lib.stride_tricks.as_strided(
        b.view(half), (4, 3), (10, 2)).view(hc.half3)),
    "packed": lambda: (b := np.zeros(4, PACKED), hc.from_struct(b)),
    "into a larger field": lambda: (b := np.zeros(4, LARGER), hc.from_struct(b)),
}  # fmt: skip

PADDED = make_structs("half3").dtype
MASS = np.dtype([(name, half) for name in ("x", "y", "z", "mass")])
PACKED = np.dtype([(name, half) for name in "xyz"])
LARGER = np.dtype(
    {"names": ["x", "y", "z", "all"], "formats": [half, half, half, "u8"],
     "offsets": [0, 2, 4, 0], "itemsize": 8}
)  # fmt: skip


@pytest.mark.parametrize("case", NEIGHBOURS)
def test_writes_to_padding_do_not_reach_neighbours(case):
    """Writes to a struct's padding reach only padding."""
    owner, vectors = NEIGHBOURS[case]()
    before = owner.tobytes()
    copied = hc.to_struct(vectors)
    assert not np.shares_memory(copied, owner) and copied.shape == vectors.shape[:-1]
    copied[...] = (1, 1, 1, 77)
    assert owner.tobytes() == before


def test_columns_of_array_are_copied():
    b = np.zeros((4, 5), half)
    s = hc.to_struct(b[:, :3].view(hc.half3))
    s[0] = (1, 1, 1, 77)
    assert (b == 0).all()


#: Arrays of structs with padding; and what is done to the vectors in them.
PADDINGS = {
    "named": PADDED,
    "nobody's": np.dtype({"names": list("xyz"), "formats": [half] * 3, "itemsize": 8}),
    "of a larger struct": np.dtype(
        {"names": ["tag", "x", "y", "z", "id"], "formats": ["u2", half, half, half, "u4"],
         "offsets": [0, 2, 4, 6, 12], "itemsize": 16}),
}  # fmt: skip
PARTS = {
    "all": lambda v: v, "a slice": lambda v: v[1:, ::2], "backwards": lambda v: v[::-1, ::-1],
    "a row": lambda v: v[1], "one": lambda v: v[1, 2], "reshaped": lambda v: v.reshape(3, 2, 2, 3),
    "swapped": lambda v: v.swapaxes(0, 1), "an axis more": lambda v: v[None, :, None],
    "viewed": lambda v: np.asarray(v).view(hc.half3), "a last one": lambda v: v[-1:, -1:],
}  # fmt: skip


@in_turn
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_padding_in_place(padding, part, order):
    dtype = PADDINGS[padding]
    a = np.zeros((3, 4), dtype, order=order)
    bytes_of = a.ravel(order="K").view(np.uint8)
    bytes_of[:] = np.arange(a.nbytes) % 120
    vectors = PARTS[part](hc.from_struct(a))
    seen = hc.to_struct(vectors)
    assert np.shares_memory(bytes_of, a) and np.shares_memory(seen, a)
    assert seen.shape == vectors.shape[:-1]
    assert all((seen[f"s{i}"] == np.asarray(vectors)[..., i]).all() for i in range(3))
    others = {name: a[name].copy() for name in a.dtype.names if name in ("tag", "id")}
    count, before = seen.size, bytes_of.copy()
    seen[...] = (1, 2, 3, 77)
    assert (np.asarray(vectors) == [1, 2, 3]).all()
    assert all((a[name] == value).all() for name, value in others.items())
    assert np.count_nonzero(bytes_of != before) <= 8 * count
    assert hc.to_struct(vectors[..., :0, :]).size == 0 if vectors.ndim > 1 else True


def test_padding_of_read_only_array():
    a = np.zeros(4, PADDED)
    a.flags.writeable = False
    for vectors in (
        hc.from_struct(a),
        np.broadcast_to(hc.from_struct(np.zeros(1, PADDED)), (3, 3)),
    ):
        seen = hc.to_struct(vectors)
        assert not seen.flags.writeable or not np.shares_memory(seen, vectors)
    assert np.shares_memory(hc.to_struct(hc.from_struct(a)), a)


def test_other_layouts():
    """Fields may have only names, be of half, apart, among others, or in reverse order."""
    record = np.dtype(
        {"names": ["x", "tag", "y", "z"], "formats": [half, "u2", half, half],
         "offsets": [0, 2, 4, 8], "itemsize": 12}
    )  # fmt: skip
    a = np.zeros(3, record)
    hc.from_struct(a)[...] = hc.half3(1, 2, 3)
    assert a.tolist() == [(1, 0, 2, 3)] * 3
    letters = np.zeros(2, [(f"s{i:x}", half) for i in range(16)])
    hc.from_struct(letters).sf = 7
    assert (letters["sf"] == 7).all() and letters["se"].sum() == 0
    backwards = np.zeros(2, [("y", "f4"), ("x", "f4")])
    hc.from_struct(backwards).x = 1
    assert backwards.tolist() == [(0, 1)] * 2
    assert hc.to_struct(hc.half4(1, 2, 3, 4).wzyx).item() == (4, 3, 2, 1)
    frozen = np.zeros(2, [("x", half), ("y", half)])
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        hc.from_struct(frozen).x = 1
