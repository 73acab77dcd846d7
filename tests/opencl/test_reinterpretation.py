"""as_<type>: bits as another type of the same size."""

import numpy as np
import pytest

import halfcl as hc

TYPES = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": hc.half, "float": np.float32,
    "double": np.float64,
}  # fmt: skip
WIDTHS = (1, 2, 3, 4, 8, 16)


def name_of(scalar, width):
    return scalar if width == 1 else f"{scalar}{width}"


def bytes_of(scalar, width, shape=(3,)):
    """Return an array of a type, or of vectors, whose bytes differ."""
    size = int(np.prod(shape)) * width * np.dtype(TYPES[scalar]).itemsize
    plain = np.arange(1, size + 1, dtype=np.uint8).view(TYPES[scalar])
    return plain.reshape(shape if width == 1 else (*shape, width))


def room(scalar, width):
    return np.dtype(TYPES[scalar]).itemsize * (4 if width == 3 else width)


PAIRS = [
    (s, m, t, n) for s in TYPES for m in WIDTHS for t in TYPES for n in WIDTHS
    if room(s, m) == room(t, n)
]  # fmt: skip


def padded_bytes(plain, width):
    """Return the bytes of each vector, with a zero as the fourth of three components."""
    if width == 3:
        plain = np.concatenate([plain, np.zeros_like(plain[..., :1])], axis=-1)
    rows = plain if width > 1 else plain[..., None]
    return np.ascontiguousarray(rows).view(np.uint8)


@pytest.mark.parametrize("source", TYPES)
def test_every_pair_of_one_size(source):
    for s, m, t, n in PAIRS:
        if s != source:
            continue
        plain = bytes_of(s, m)
        got = getattr(hc, f"as_{name_of(t, n)}")(plain)
        want = padded_bytes(plain, m).view(TYPES[t])
        want = want[..., 0] if n == 1 else want[..., :n]
        what = f"{name_of(s, m)} as {name_of(t, n)}"
        assert got.dtype == TYPES[t] and got.shape == want.shape, what
        assert got.tobytes() == np.ascontiguousarray(want).tobytes(), what
        assert type(got) is (np.ndarray if n == 1 else hc.vectors.TYPES[name_of(t, n)]), what
        if m != 3:
            assert np.shares_memory(got, plain), what
        if m > 1:
            vectors = plain.view(hc.vectors.TYPES[name_of(s, m)])
            again = getattr(hc, f"as_{name_of(t, n)}")(vectors)
            assert type(again) is type(got) and again.tobytes() == got.tobytes(), what


def test_layouts():
    words = np.arange(24, dtype=np.uint32).reshape(4, 6) * 0x01010101
    for way in (np.s_[::-1], np.s_[:, ::2], np.s_[1:, 1:], np.s_[:0], np.s_[2]):
        x = words[way]
        np.testing.assert_array_equal(hc.as_float(x).view(np.uint32), x)
        assert np.shares_memory(hc.as_float(x), words) or x.size == 0
        want = np.ascontiguousarray(x)[..., None].view(np.uint8)
        np.testing.assert_array_equal(np.asarray(hc.as_uchar4(x)), want)
    columns = np.asfortranarray(np.arange(12, dtype=np.uint8).reshape(3, 4))
    np.testing.assert_array_equal(
        hc.as_uint(columns), np.ascontiguousarray(columns).view("u4")[:, 0]
    )


def test_scalars():
    assert hc.as_ushort(hc.half(1)) == 0x3C00 and type(hc.as_ushort(hc.half(1))) is np.uint16
    assert hc.as_half(np.uint16(0x3C00)) == 1 and type(hc.as_half(np.uint16(0))) is hc.half
    assert hc.as_ushort(np.float16(-2)) == 0xC000
    assert hc.as_int(np.float32(1)) == 0x3F800000
    assert hc.as_ulong(1.0) == 0x3FF0000000000000 and hc.as_double(0) == 0
    assert type(hc.as_uchar4(np.uint32(0x04030201))) is hc.uchar4
    assert hc.as_uint(hc.uchar4(1, 2, 3, 4)).shape == ()


def test_byte_swapped():
    """Numbers, whose bits are those of a native one; so a copy."""
    for name, dtype in TYPES.items():
        x = np.arange(1, 6).astype(dtype)
        swapped = x.astype(x.dtype.newbyteorder())
        target = {1: "uchar", 2: "half", 4: "float", 8: "double"}[x.itemsize]
        got = getattr(hc, f"as_{target}")(swapped)
        assert got.dtype == TYPES[target] and got.tobytes() == x.tobytes(), name
    float16 = np.arange(4, dtype=">f2")
    assert hc.as_half4(float16).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "x"),
    [("as_int", np.ones(3, hc.half)), ("as_char", np.ones(3)), ("as_half", np.float32(1)),
     ("as_uchar4", np.ones((3, 4), np.int32).view(hc.int4)), ("as_float2", np.ones(3) > 0),
     ("as_double", np.ones(2, np.complex64)), ("as_long", [None]), ("as_int", "text"),
     ("as_short16", np.ones((2, 5), np.int32)), ("as_int2", np.longdouble(1))],
)  # fmt: skip
def test_other_sizes_and_types(name, x):
    with pytest.raises(TypeError, match=f"{name}: argument x: expected") as error:
        getattr(hc, name)(x)
    assert str(np.asarray(x).dtype) in str(error.value)
