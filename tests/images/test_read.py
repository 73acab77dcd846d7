"""The read functions against exact fractions: formats, addressing, filters, every code."""

import itertools

import numpy as np
import oracle_images as oracle
import pytest
from exhaustive import in_turn, one_in
from oracle_normalized import half_of
from samples_images import (
    COORDINATES,
    SAMPLERS,
    SHAPES,
    check_read,
    coordinates,
    format_of,
    functions_of,
    image_of,
    sampler_of,
    width_of,
)

import halfcl as hc

NEAREST = (False, "CLAMP_TO_EDGE", False)
LINEAR = (True, "CLAMP", True)


def name_of_sampler(sampler):
    normalized, addressing, linear = sampler
    return (
        f"{'normalized' if normalized else 'texels'}-{addressing}-{'linear' * linear or 'nearest'}"
    )


@one_in(2)
@in_turn
@pytest.mark.parametrize("kind", [kind for kind in SHAPES if kind != "IMAGE1D_BUFFER"])
@pytest.mark.parametrize("sampler", SAMPLERS, ids=name_of_sampler)
def test_addressing_and_filters(sampler, kind):
    types = ("UNORM_INT8", "HALF_FLOAT", "SNORM_INT16", "FLOAT")
    for seed, type_name in enumerate(types):
        image = image_of("RGBA", type_name, kind, seed, any_bits=True)
        where = coordinates(image, 12, False, seed, sampler[0])
        check_read(image, sampler, where, "hf", hc.MODES)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=name_of_sampler)
def test_special_coordinates(sampler):
    """Each special coordinate, along x and y of images of width 1 and more."""
    for shape in ((7,), (1,)):
        image = image_of("RG", "UNORM_INT8", "IMAGE1D", 1, shape)
        check_read(image, sampler, COORDINATES, "h", hc.MODES)
    image = image_of("R", "SNORM_INT8", "IMAGE2D", 2, (5, 1))
    for x in (0.25, np.nan):
        where = np.stack(np.broadcast_arrays(np.float32(x), COORDINATES), axis=-1)
        check_read(image, sampler, where, "h", hc.MODES)


@pytest.mark.parametrize("kind", ["IMAGE1D_ARRAY", "IMAGE2D_ARRAY"])
@pytest.mark.parametrize("sampler", [NEAREST, LINEAR], ids=name_of_sampler)
def test_layers(sampler, kind):
    """Each special coordinate as the layer, which is the nearest there is."""
    image = image_of("RG", "UNORM_INT8", kind, 4)
    where = np.full((COORDINATES.size, width_of(image)), 0.4, np.float32)
    where[:, len(SHAPES[kind]) - 1] = COORDINATES
    check_read(image, sampler, where)


@one_in(3)
@pytest.mark.parametrize(("order", "type_name"), oracle.FORMATS, ids=lambda name: name)
def test_every_format(order, type_name):
    functions = functions_of(type_name, order)
    modes = hc.MODES if "f" in functions else ("rte",)
    image = image_of(order, type_name, seed=3, any_bits=True)
    check_read(image, None, coordinates(image, 12, True, 1), functions, modes)
    check_read(image, NEAREST, coordinates(image, 12, False), functions, modes)
    if "f" in functions:
        where = coordinates(image, 12, False, normalized=True)
        check_read(image, LINEAR, where, functions, modes)


@in_turn
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("type_name", ["UNORM_INT8", "FLOAT", "SIGNED_INT16", "UNSIGNED_INT32"])
def test_integer_coordinates(type_name, kind):
    """Read without a sampler, and with each sampler that allows integers."""
    image = image_of("RGBA", type_name, kind, 5)
    where = coordinates(image, 40, True)
    check_read(image, None, where, functions_of(type_name))
    if kind != "IMAGE1D_BUFFER":
        for addressing in ("NONE", "CLAMP_TO_EDGE", "CLAMP"):
            check_read(image, (False, addressing, False), where, functions_of(type_name))


@in_turn
@pytest.mark.parametrize("type_name", ["FLOAT", "HALF_FLOAT", "UNORM_INT8"])
@pytest.mark.parametrize("kind", ["IMAGE1D", "IMAGE2D", "IMAGE3D"])
def test_sums_of_hundreds_of_bits(kind, type_name):
    """Texels and weights whose sum no double holds, and sums next to rounding boundaries."""
    rng = np.random.default_rng(7)
    image = image_of("R", type_name, kind)
    if type_name == "FLOAT":
        shape = image.array.shape
        image.array[...] = np.ldexp(rng.choice([1, -1, 1.5], shape), rng.integers(-149, 127, shape))
    elif type_name == "HALF_FLOAT":
        few = [65504, -65504, 2**-24, -(2**-24), 2**-14, 0, 1, 1 + 2**-10]
        image.array[...] = rng.choice(few, image.array.shape).astype(hc.half)
    size = (40, width_of(image) or 1)
    small = np.ldexp(rng.uniform(0, 4, size), rng.integers(-60, 1, size))
    odd = [2.0**-149, 2.0**-60, 0.5 + 2.0**-24, 0.25 + 2.0**-25, 0.75 - 2.0**-24, 0.3, 0.5]
    where = np.where(rng.random(size) < 0.5, small, rng.choice(odd, size)).astype(np.float32)
    where = where if width_of(image) else where[:, 0]
    for sampler in ((False, "CLAMP", True), (True, "REPEAT", True)):
        check_read(image, sampler, where, "hf", hc.MODES)


def test_ties():
    """Means that are a midpoint of two halves, or next to it."""
    halves = np.array([1, 1 + 2**-10, 1 + 2**-9, 2**-24, 0, 3 * 2**-24, 2048, 2050, 1], hc.half)
    image = hc.Image(halves, format_of("R", "HALF_FLOAT"))
    middle = np.arange(1, 9, dtype=np.float32)
    where = np.concatenate([middle, np.nextafter(middle, 0), np.nextafter(middle, 10)])
    check_read(image, (False, "CLAMP_TO_EDGE", True), where, "h", hc.MODES)


def test_infinities_and_nans():
    """NaN and infinities count where they have weight, and only there."""
    values = np.array([1, np.inf, 2, -np.inf, np.inf, 3, np.nan, 4, 0], hc.half)
    image = hc.Image(values, format_of("R", "HALF_FLOAT"))
    where = np.arange(0.5, 9.5, 0.25, dtype=np.float32)
    for sampler in ((False, "CLAMP_TO_EDGE", True), NEAREST):
        check_read(image, sampler, where, "hf")


# ---------------------------------------------------------------- every code


def all_codes(dtype):
    limits = np.iinfo(dtype)
    return np.arange(limits.min, limits.max + 1).astype(dtype)


def quotients(codes, greatest, mode):
    """Return codes / greatest as float32, rounded in the mode.

    A double decides the side: quotients of such small numbers are floats, or farther from all
    floats and midpoints than the error of a double.
    """
    exact = np.maximum(codes.astype(np.float64), -greatest) / greatest
    near = exact.astype(np.float32)
    if mode == "rte":
        return near
    below = np.where(near > exact, np.nextafter(near, np.float32(-2)), near)
    above = np.where(near < exact, np.nextafter(near, np.float32(2)), near)
    return {"rtn": below, "rtp": above, "rtz": np.where(exact < 0, above, below)}[mode]


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("type_name", oracle.GREATEST)
def test_every_code(type_name, mode):
    codes, greatest = all_codes(oracle.DTYPES[type_name]), oracle.GREATEST[type_name]
    image = hc.Image(codes, format_of("R", type_name))
    where = np.arange(codes.size)
    with np.errstate(all="ignore"):
        got = hc.read_imageh(image, where, rounding=mode).x
    want = half_of(np.maximum(codes.astype(np.int64), -greatest), greatest, mode)
    np.testing.assert_array_equal(got.view(np.uint16), want)
    got = hc.read_imagef(image, where, rounding=mode).x
    np.testing.assert_array_equal(got, quotients(codes, greatest, mode))


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("type_name", oracle.FIELDS)
def test_every_packed_code(type_name, mode):
    """Every code of each field, with all other bits set."""
    order = "RGBA" if type_name.endswith("_2") else "RGB"
    for component, (_, low, bits) in enumerate(oracle.FIELDS[type_name]):
        codes = np.arange(1 << bits)
        dtype = np.dtype(oracle.DTYPES[type_name])
        others = np.iinfo(dtype).max & ~(((1 << bits) - 1) << low)
        image = hc.Image(((codes << low) | others).astype(dtype), format_of(order, type_name))
        colors = hc.read_imageh(image, codes, rounding=mode)
        want = half_of(codes, (1 << bits) - 1, mode)
        np.testing.assert_array_equal(np.asarray(colors)[:, component].view(np.uint16), want)
        rest = [k for k in range(4) if k != component]
        assert (np.asarray(colors)[:, rest] == 1).all()
        floats = np.asarray(hc.read_imagef(image, codes, rounding=mode))
        np.testing.assert_array_equal(floats[:, component], quotients(codes, (1 << bits) - 1, mode))


@pytest.mark.parametrize("order", ["sRGBA", "sBGRA"])
def test_every_srgb_code(order):
    codes = np.repeat(np.arange(256, dtype=np.uint8), 4).reshape(256, 4)
    image = hc.Image(codes, format_of(order, "UNORM_INT8"))
    check_read(image, None, np.arange(256), "hf", hc.MODES)


@pytest.mark.parametrize("order", ["R", "RGBA"])
def test_every_half(order, all_halves):
    """Halves are read bit by bit, floats by value."""
    channels = len(oracle.LETTERS[order])
    halves = all_halves.reshape((-1, channels) if channels > 1 else -1)
    image = hc.Image(halves, format_of(order, "HALF_FLOAT"))
    where = np.arange(len(halves))
    for arguments in ((where,), (sampler_of(*NEAREST), where.astype(np.float32))):
        got = np.asarray(hc.read_imageh(image, *arguments, rounding="rtp"))[:, :channels]
        np.testing.assert_array_equal(got.reshape(-1).view("u2"), all_halves.view("u2"))
    with np.errstate(invalid="ignore"):  # signaling NaNs, as in convert_float
        floats = np.asarray(hc.read_imagef(image, where))[:, :channels].reshape(-1)
        np.testing.assert_array_equal(floats, all_halves.view("f2").astype("f4"))


def test_floats_to_half():
    """Floats are rounded once, as by convert_half."""
    rng = np.random.default_rng(11)
    bits = rng.integers(0, 1 << 32, 500, np.uint32)
    middle = np.arange(0, 0x7C00, 97).astype(np.uint16).view(np.float16).astype(np.float32)
    middle = np.concatenate([middle, -middle]) * np.float32(1 + 2**-11)
    floats = np.concatenate([bits.view(np.float32), middle, np.nextafter(middle, np.float32(0))])
    image = hc.Image(floats, format_of("R", "FLOAT"))
    check_read(image, None, np.arange(floats.size), "h", hc.MODES)


# ---------------------------------------------------------------- flags, modes


def test_regions_govern_half_alone():
    """Regions govern read_imageh, as they govern conversions, and not read_imagef."""
    image = hc.Image(np.array([85], np.uint8), format_of("R", "UNORM_INT8"))
    halves = {mode: float(hc.read_imageh(image, 0, rounding=mode).x) for mode in hc.MODES}
    floats = {mode: float(hc.read_imagef(image, 0, rounding=mode).x) for mode in hc.MODES}
    assert len(set(halves.values())) == len(set(floats.values())) == 2
    for mode in hc.MODES:
        with hc.rounding(mode, builtins=True, strict=True):
            assert float(hc.read_imageh(image, 0).x) == halves[mode]
            assert float(hc.read_imageh(image, 0, rounding="rtp").x) == halves["rtp"]
            assert float(hc.read_imagef(image, 0).x) == floats["rte"]


def test_flags():
    """Flags are those of conversions to half: addressing and sums raise none."""

    def read(value, type_name="FLOAT"):
        image = hc.Image(np.array([value], oracle.DTYPES[type_name]), format_of("R", type_name))
        return hc.read_imageh(image, 0)

    with np.errstate(all="raise"):
        image = image_of("RGBA", "UNORM_INT8")
        for sampler in itertools.islice(SAMPLERS, 0, None, 2):
            hc.read_imageh(image, sampler_of(*sampler), np.stack([COORDINATES] * 2, axis=-1))
        read(1.1)
        with pytest.raises(FloatingPointError, match="overflow"):
            read(1e6)
        with pytest.raises(FloatingPointError, match="underflow"):
            read(1e-9)
        with pytest.raises(FloatingPointError, match="underflow"):
            read(1, "UNORM_INT16")
