"""The write functions against exact numbers: every half, every format, coordinates outside."""

import numpy as np
import oracle_images as oracle
import pytest
from exhaustive import in_turn, one_in
from oracle_normalized import UNIT, code_of
from samples_images import (
    SHAPES,
    coordinates,
    format_of,
    functions_of,
    image_of,
    names_of,
    order_of,
    plain,
    width_of,
)

import halfcl as hc

#: Colours beside random ones.
COLORS = [0, -0.0, 1, -1, 0.5, 2, -2, 1 / 255, 65504, 6e-8, -6e-8, np.inf, -np.inf, np.nan]
TYPES = {"h": hc.half, "f": np.float32, "i": np.int32, "ui": np.uint32}


def colors_for(numbers, count, seed=0):
    rng = np.random.default_rng(seed)
    if numbers in ("h", "f"):
        colors = np.where(
            rng.random((count, 4)) < 0.3,
            rng.choice(COLORS, (count, 4)),
            rng.normal(size=(count, 4)),
        )
        return colors.astype(np.float16).view(hc.half) if numbers == "h" else colors.astype("f4")
    limits = np.iinfo(TYPES[numbers])
    wide = rng.integers(limits.min, limits.max, (count, 4), limits.dtype, endpoint=True)
    wide[rng.random((count, 4)) < 0.1] = limits.max
    wide[rng.random((count, 4)) < 0.1] = limits.min
    return np.where(rng.random((count, 4)) < 0.5, wide, wide % limits.dtype.type(200))


def bits(array):
    """Return the bits, with all NaNs made equal, since their bits are unspecified."""
    array = plain(array)
    if array.dtype.kind != "f":
        return array
    return np.where(np.isnan(array), -1, array.view(f"u{array.itemsize}").astype(np.int64))


def check_write(image, where, numbers, mode=None, seed=0):
    colors = colors_for(numbers, len(where), seed)
    want = plain(image.array).copy()
    rows = where.reshape(len(where), -1).tolist()
    outside = sum(
        oracle.write(want, *names_of(image), tuple(row), color, mode or "rte")
        for row, color in zip(rows, plain(colors).tolist(), strict=True)
    )
    rounding = {} if mode is None else {"rounding": mode}
    with np.errstate(all="ignore"):
        dropped = getattr(hc, f"write_image{numbers}")(image, where, colors, **rounding)
    assert dropped == outside
    np.testing.assert_array_equal(bits(image.array), bits(want))


@one_in(3)
@pytest.mark.parametrize(("order", "type_name"), oracle.FORMATS, ids=lambda name: name)
def test_every_format(order, type_name):
    """Channels and bits that a format ignores become 0."""
    for numbers in functions_of(type_name, order):
        for seed, mode in enumerate((None, *hc.MODES) if numbers in ("h", "f") else (None,)):
            image = image_of(order, type_name, seed=seed)
            where = coordinates(image, 16, True, seed)
            if order == "DEPTH":
                check_depth(image, where, mode)
            else:
                check_write(image, where, numbers, mode, seed)


def check_depth(image, where, mode):
    colors = colors_for("f", len(where))[:, 0]
    want = image.array.copy()
    for row, depth in zip(where.tolist(), colors.tolist(), strict=True):
        oracle.write(want, *names_of(image), tuple(row), [depth], mode or "rte")
    with np.errstate(all="ignore"):
        hc.write_imagef(image, where, colors, **({} if mode is None else {"rounding": mode}))
    np.testing.assert_array_equal(bits(image.array), bits(want))


@in_turn
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize(
    "type_name", ["UNORM_INT8", "HALF_FLOAT", "SIGNED_INT16", "UNSIGNED_INT32"]
)
def test_every_shape(type_name, kind):
    for numbers in functions_of(type_name):
        image = image_of("RGBA", type_name, kind)
        check_write(image, coordinates(image, 40, True), numbers)


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("type_name", oracle.GREATEST)
def test_every_half(type_name, mode, all_halves):
    """Every half becomes a code, rounded once and saturated."""
    dtype = np.dtype(oracle.DTYPES[type_name])
    image = hc.Image(np.zeros(1 << 16, dtype), format_of("R", type_name))
    hc.write_imageh(image, np.arange(1 << 16), colors_of(all_halves), rounding=mode)
    finite = np.nan_to_num(all_halves.astype(np.float64), nan=0, posinf=9e4, neginf=-9e4)
    limits = np.iinfo(dtype)
    want = code_of((finite * UNIT).astype(np.int64), oracle.GREATEST[type_name], mode)
    np.testing.assert_array_equal(image.array, np.clip(want, limits.min, limits.max))
    if mode == "rte":
        image.array[...] = 99
        hc.write_imageh(image, np.arange(1 << 16), colors_of(all_halves))
        np.testing.assert_array_equal(image.array, np.clip(want, limits.min, limits.max))


def colors_of(numbers):
    """Return colours with the numbers as red, and rolled as the other components."""
    return np.stack([np.roll(numbers, k) for k in range(4)], axis=-1)


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("type_name", oracle.FIELDS)
def test_every_half_packed(type_name, mode, all_halves):
    order = "RGBA" if type_name.endswith("_2") else "RGB"
    array = np.zeros(1 << 16, oracle.DTYPES[type_name])
    image = hc.Image(array, format_of(order, type_name))
    colors = colors_of(all_halves)
    hc.write_imageh(image, np.arange(1 << 16), colors, rounding=mode)
    finite = np.nan_to_num(colors.astype(np.float64), nan=0, posinf=9e4, neginf=-9e4)
    multiples = (finite * UNIT).astype(np.int64)
    want = np.zeros(1 << 16, np.int64)
    for k, (_, low, count) in enumerate(oracle.FIELDS[type_name]):
        greatest = (1 << count) - 1
        want |= np.clip(code_of(multiples[:, k], greatest, mode), 0, greatest) << low
    np.testing.assert_array_equal(array, want)


@pytest.mark.parametrize("type_name", [*oracle.GREATEST, *oracle.FIELDS])
def test_floats_next_to_ties(type_name):
    """Floats nearest to the midpoint of two codes, and their neighbours.

    A product in float would be rounded to the tie. Red is the highest field of packed types.
    """
    greatest = oracle.GREATEST.get(type_name, 31 if "SHORT" in type_name else 1023)
    rng = np.random.default_rng(3)
    low = -greatest if type_name.startswith("S") else 0
    near = ((rng.integers(low, greatest, 200) + 0.5) / greatest).astype(np.float32)
    floats = np.concatenate([near, np.nextafter(near, np.float32(9)), np.nextafter(near, -near)])
    order = order_of(type_name) if type_name in oracle.FIELDS else "R"
    image = hc.Image(np.zeros(floats.size, oracle.DTYPES[type_name]), format_of(order, type_name))
    limits = (0, greatest)
    if type_name in oracle.GREATEST:
        limits = np.iinfo(image.array.dtype).min, greatest
    shift = oracle.FIELDS[type_name][0][1] if type_name in oracle.FIELDS else 0
    colors = np.stack([floats] * 4, axis=-1)
    for mode in hc.MODES:
        hc.write_imagef(image, np.arange(floats.size), colors, rounding=mode)
        want = [oracle.integer_of(f, greatest, *limits, mode) for f in floats.tolist()]
        assert (image.array >> shift).tolist() == want


def test_every_half_in_srgb(all_halves):
    image = hc.Image(np.zeros((1 << 16, 4), np.uint8), format_of("sRGBA", "UNORM_INT8"))
    hc.write_imageh(image, np.arange(1 << 16), np.stack([all_halves] * 4, axis=-1))
    want = np.zeros(1 << 16, np.uint8)
    floats = all_halves.view(np.float16)
    want[floats >= 1] = 255
    inside = np.flatnonzero((floats > 0) & (floats < 1))[::7]
    want[inside] = [oracle.encode_srgb(float(floats[i])) for i in inside]
    checked = np.union1d(inside, np.flatnonzero(~((floats > 0) & (floats < 1))))
    for channel in range(3):
        np.testing.assert_array_equal(image.array[checked, channel], want[checked])
    np.testing.assert_array_equal(image.array[:, 3], hc.to_unorm8(all_halves))


def test_srgb_floats_next_to_borders():
    """Floats on both sides of the steps of floor(255 s + 0.5), and special values."""
    codes = np.arange(255)
    s = (codes + 0.5) / 255
    linear = np.where(s < 12.92 * 0.0031308, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)
    near = linear.astype(np.float32)
    both = [np.nextafter(near, np.float32(side)) for side in (0, 2)]
    others = np.float32([0.0031308, 1, 1.5, -1, np.nan, np.inf])
    floats = np.concatenate([near, *both, others])
    image = hc.Image(np.zeros((floats.size, 4), np.uint8), format_of("sRGBA", "UNORM_INT8"))
    hc.write_imagef(image, np.arange(floats.size), np.stack([floats] * 4, axis=-1))
    want = [oracle.encode_srgb(f) for f in floats.tolist()]
    for channel in range(3):
        assert image.array[:, channel].tolist() == want


def test_every_half_to_halves_and_floats(all_halves):
    image = hc.Image(np.zeros((1 << 14, 4), hc.half), format_of("RGBA", "HALF_FLOAT"))
    hc.write_imageh(image, np.arange(1 << 14), all_halves.reshape(-1, 4), rounding="rtp")
    np.testing.assert_array_equal(image.array.reshape(-1).view("u2"), all_halves.view("u2"))
    where, colors = np.arange(1 << 16), np.stack([all_halves] * 4, axis=-1)
    for dtype in (hc.half, np.float16):
        image = hc.Image(np.zeros(1 << 16, dtype), format_of("R", "HALF_FLOAT"))
        hc.write_imageh(image, where, colors, rounding="rtp")
        np.testing.assert_array_equal(image.array.view("u2"), all_halves.view("u2"))
    image = hc.Image(np.zeros(1 << 16, np.float32), format_of("R", "FLOAT"))
    with np.errstate(invalid="ignore"):  # signaling NaNs
        hc.write_imageh(image, where, colors)
        np.testing.assert_array_equal(image.array, all_halves.astype(np.float32))


# ---------------------------------------------------------------- modes, flags


def test_regions_that_govern_writes():
    """Regions govern writes of halves as they do vstore_half; codes follow builtins=True."""
    halves = image_of("R", "HALF_FLOAT", "IMAGE1D")
    codes = image_of("R", "UNORM_INT8", "IMAGE1D")
    third = hc.float4(1 / 3, 0, 0, 1)
    for mode in hc.MODES:
        with hc.rounding(mode, strict=True):
            hc.write_imagef(halves, 0, third)
            assert halves.array[0] == hc.convert_half(np.float32(1 / 3), rounding=mode)
            hc.write_imagef(codes, 0, hc.float4(0.299))
            assert codes.array[0] == 76
            hc.write_imagef(codes, 0, hc.float4(0.299), rounding="rtp")
            assert codes.array[0] == 77
        with hc.rounding(mode, builtins=True):
            hc.write_imagef(codes, 0, hc.float4(0.299))
            assert codes.array[0] == 76 + (mode == "rtp")


@pytest.mark.parametrize("mode", hc.MODES)
def test_python_numbers_are_rounded_as_texels_are(mode):
    third = [1 / 3, 0, 0, 1]
    for name, type_name, function in (
        ("half", "HALF_FLOAT", hc.write_imageh), ("float", "FLOAT", hc.write_imagef),
    ):  # fmt: skip
        convert = getattr(hc, f"convert_{name}")
        image = image_of("R", type_name, "IMAGE1D")
        function(image, 0, third, rounding=mode)
        assert image.array[0] == convert(1 / 3, rounding=mode)
        with hc.rounding(mode):
            function(image, 0, third)
        assert image.array[0] == convert(1 / 3, rounding=mode if name == "half" else "rte")


def test_flags():
    with np.errstate(all="raise"):
        codes = image_of("RGBA", "UNORM_INT8", "IMAGE1D")
        hc.write_imagef(codes, 0, hc.float4(np.nan, np.inf, 1e-30, 0.3))
        halves = image_of("RGBA", "HALF_FLOAT", "IMAGE1D")
        hc.write_imagef(halves, 0, hc.float4(0.3))
        hc.write_imagef(halves, 99, hc.float4(1e9))  # dropped
        with pytest.raises(FloatingPointError, match="overflow"):
            hc.write_imagef(halves, 0, hc.float4(1e9))
        with pytest.raises(FloatingPointError, match="underflow"):
            hc.write_imagef(halves, 0, hc.float4(1e-9))


# ---------------------------------------------------------------- where and what


def test_coordinates_outside_are_dropped_and_counted():
    image = hc.Image(np.zeros((2, 3), np.uint8), format_of("R", "UNORM_INT8"))
    grid = np.stack(np.meshgrid(np.arange(-1, 4), np.arange(-1, 3)), axis=-1)
    assert hc.write_imageh(image, grid, hc.half4(1)) == 20 - 6
    assert (image.array == 255).all()
    image.array[...] = 0
    for far in (-(2**63), -(2**31) - 1, 2**31, 2**32, 2**32 + 1, 2**63 - 1):
        assert hc.write_imageh(image, np.array([far, 0]), hc.half4(1)) == 1
        assert hc.write_imageh(image, np.array([0, far]), hc.half4(1)) == 1
    assert hc.write_imageh(image, np.array([2**64 - 1, 0], np.uint64), hc.half4(1)) == 1
    assert (image.array == 0).all()


def test_last_of_equal_coordinates_stays():
    image = image_of("R", "UNSIGNED_INT8", "IMAGE1D")
    colors = np.zeros((2000, 4), np.uint8)
    colors[:, 0] = np.arange(2000) % 251
    hc.write_imageui(image, np.full(2000, 3), colors)
    assert image.array[3] == 1999 % 251


def test_colors_broadcast():
    for shape in ((), (1, 1), (3, 1), (2, 3)):
        image = hc.Image(np.zeros((4, 4, 4), hc.half), format_of("RGBA", "HALF_FLOAT"))
        where = np.stack(np.meshgrid(np.arange(3), np.arange(2)), axis=-1)
        colors = np.arange(4 * int(np.prod(shape))).reshape(*shape, 4).astype(hc.half)
        if shape == (3, 1):
            with pytest.raises(ValueError, match=r"write_imageh: argument color: .*\(2, 3, 4\)"):
                hc.write_imageh(image, where, colors)
            assert not image.array.any()
        else:
            assert hc.write_imageh(image, where, colors) == 0
            np.testing.assert_array_equal(
                image.array[:2, :3], np.broadcast_to(colors, (2, 3, 4)).astype(np.float64)
            )


def test_colors_and_coordinates_in_the_images_memory():
    """The result is as if colours and coordinates were copied before."""
    array = np.arange(32).reshape(8, 4).astype(hc.half)
    want = array[::-1].copy()
    image = hc.Image(array, format_of("RGBA", "HALF_FLOAT"))
    hc.write_imageh(image, np.arange(8), array[::-1])
    np.testing.assert_array_equal(array, want)
    array = np.arange(32).reshape(8, 4).astype(hc.half)
    image = hc.Image(array, format_of("RGBA", "HALF_FLOAT"))
    hc.write_imageh(image, np.arange(7) + 1, array[:7])
    np.testing.assert_array_equal(array[1:], np.arange(28).reshape(7, 4))
    places = np.arange(300, dtype=np.int32)[::-1].copy()  # of more than one block
    image = hc.Image(places, format_of("R", "SIGNED_INT32"))
    colors = np.stack([np.arange(1000, 1300)] * 4, axis=-1).astype(np.int32)
    assert hc.write_imagei(image, places, colors) == 0
    assert places.tolist() == list(range(1299, 999, -1))


def test_strides():
    """Rows and texels with gaps, reversed, unaligned: memory between them stays."""
    memory = np.zeros((9, 12, 4), np.float32)
    image = hc.Image(memory[::-2, 1::3], format_of("RGBA", "FLOAT"))
    check_write(image, coordinates(image, 60, True), "f")
    touched = np.zeros((9, 12), bool)
    touched[::2, 1::3] = True
    assert not memory[~touched].any()
    raw = np.zeros(4 * 3 * 8 + 1, np.uint8)
    image = hc.Image(raw[1:].view(np.float16).reshape(4, 3, 4), format_of("RGBA", "HALF_FLOAT"))
    assert not image.array.flags.aligned
    check_write(image, coordinates(image, 60, True), "h")


def test_round_trip():
    """Whole images, read and written back."""
    for order, type_name in (
        ("RGBA", "UNORM_INT8"), ("sRGBA", "UNORM_INT8"), ("RGB", "UNORM_SHORT_565"),
        ("RGBA", "UNORM_INT_101010_2"), ("BGRA", "UNORM_INT8"),
    ):  # fmt: skip
        image = image_of(order, type_name, "IMAGE2D", 9, (16, 17))
        grid = np.stack(np.meshgrid(np.arange(17), np.arange(16)), axis=-1)
        copy = hc.Image(np.zeros_like(image.array), image.format)
        assert hc.write_imageh(copy, grid, hc.read_imageh(image, grid)) == 0
        np.testing.assert_array_equal(copy.array, image.array)


def test_width_of_coordinates():
    image = image_of("RGBA", "UNORM_INT8", "IMAGE3D")
    assert width_of(image) == 4
    hc.write_imageh(image, (1, 2, 0), hc.half4(1))
    hc.write_imageh(image, hc.int4(2, 2, 0, 77), hc.half4(1))
    assert (image.array[0, 2, 1:3] == 255).all()
