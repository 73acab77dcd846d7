"""Images of any format, and calls compared with the oracle, for the tests of images."""

import itertools
import math

import numpy as np
import oracle_images as oracle

import halfcl as hc

#: Shapes of arrays without channels: odd and even, and unlike each other.
SHAPES = {
    "IMAGE1D": (7,),
    "IMAGE1D_BUFFER": (7,),
    "IMAGE1D_ARRAY": (3, 7),
    "IMAGE2D": (4, 7),
    "IMAGE2D_ARRAY": (3, 4, 7),
    "IMAGE3D": (3, 4, 7),
}

#: Normalized, addressing, linear: all that do not contradict themselves.
SAMPLERS = [
    (normalized, addressing, linear)
    for normalized, addressing, linear in itertools.product(
        (False, True), hc.addressing_mode.__members__, (False, True)
    )
    if normalized or not addressing.endswith("REPEAT")
]

#: Texel borders and centres, ties, their neighbours, tiny, huge, infinite.
COORDINATES = np.array(
    [0, -0.0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 7, 8, -0.5, -1, -1.5, -2.5, 0.25, 1 / 3, 0.7, -2.3, 5.9,
     np.nextafter(np.float32(0.5), np.float32(0)), np.nextafter(np.float32(1), np.float32(0)),
     np.nextafter(np.float32(1), np.float32(2)), np.nextafter(np.float32(-1), np.float32(0)),
     1e-45, -1e-45, 1e-20, -(2.0**-30), 2.0**23 + 1, -(2.0**23) - 1, 2.0**24 + 2, -(2.0**24) - 2,
     2.0**31, -(2.0**31), 2.0**33, 1e30, -3e38, math.inf, -math.inf, math.nan],
    np.float32,
)  # fmt: skip


def texels(order, type_name, shape, seed=0, any_bits=False):
    """Return an array of codes of all sizes, or of floats around 1, some with any bits."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(oracle.DTYPES[type_name])
    channels = len(oracle.LETTERS[order])
    if channels > 1 and type_name not in oracle.FIELDS:
        shape = (*shape, channels)
    if dtype.kind == "f":
        array = (rng.normal(size=shape) * 2.0 ** rng.integers(-12, 3, shape)).astype(dtype)
        if any_bits:
            words = array.view(f"u{dtype.itemsize}")
            odd = rng.integers(0, np.iinfo(words.dtype).max, shape, words.dtype, endpoint=True)
            words[...] = np.where(rng.random(shape) < 0.15, odd, words)
        return array.view(hc.half) if dtype.itemsize == 2 else array
    limits = np.iinfo(dtype)
    array = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    array.flat[:: max(1, array.size // 5)] = limits.min
    return array


def image_of(order, type_name, kind="IMAGE2D", seed=0, shape=None, any_bits=False):
    array = texels(order, type_name, shape or SHAPES[kind], seed, any_bits)
    return hc.Image(array, format_of(order, type_name), hc.mem_object_type[kind])


def format_of(order, type_name):
    return hc.ImageFormat(hc.channel_order[order], hc.channel_type[type_name])


def order_of(type_name):
    """One that goes with it."""
    return "RGB" if type_name in oracle.FIELDS and not type_name.endswith("_2") else "RGBA"


def sampler_of(normalized, addressing, linear):
    return hc.Sampler(
        normalized,
        hc.addressing_mode[addressing],
        hc.filter_mode["LINEAR" if linear else "NEAREST"],
    )


def width_of(image):
    """How many numbers OpenCL's coordinates of an image have; 0 if one without an axis."""
    return {1: 0, 2: 2, 3: 4}[image.array.ndim - (image.format.channels_on_an_axis > 0)]


def functions_of(type_name, order=None):
    """Return the suffixes of the functions for a format."""
    if order == "DEPTH":
        return ("f",)
    if type_name.startswith("SIGNED"):
        return ("i",)
    return ("ui",) if type_name.startswith("UNSIGNED") else ("h", "f")


def plain(array):
    """View an array as one of NumPy's own types."""
    return array.view(np.float16) if array.dtype == hc.half else array


def names_of(image):
    return image.format.channel_order.name, image.format.channel_data_type.name, (
        image.image_type.name
    )  # fmt: skip


def bits_of(result, numbers):
    """Return lists of a result's bits, None for NaN; integers as they are."""
    array = np.asarray(result)
    rows = array.reshape(-1, array.shape[-1])
    if numbers in ("i", "ui"):
        return rows.tolist()
    bits = rows.view(np.uint16 if numbers == "h" else np.uint32)
    return [
        [None if lost else b for b, lost in zip(row, nan, strict=True)]
        for row, nan in zip(bits.tolist(), np.isnan(rows).tolist(), strict=True)
    ]


def check_read(image, sampler, coord, functions=("h",), modes=("rte",)):
    """Read by the functions with these suffixes, and compare with the oracle.

    sampler is as in oracle.exact_colors. Modes are those of functions that round.
    """
    rows = np.asarray(coord)
    rows = rows.reshape(-1, 1 if width_of(image) == 0 else rows.shape[-1]).tolist()
    exact = oracle.exact_colors(plain(image.array), *names_of(image), sampler, rows)
    arguments = (coord,) if sampler is None else (sampler_of(*sampler), coord)
    for numbers, mode in itertools.product(functions, modes):
        rounding = {"rounding": mode} if numbers in ("h", "f") else {}
        with np.errstate(all="ignore"):
            result = getattr(hc, f"read_image{numbers}")(image, *arguments, **rounding)
        if image.format.is_depth:
            result = np.asarray(result)[..., np.newaxis]
        got = bits_of(result, numbers)
        want = [oracle.bits_of_color(color, numbers, mode) for color in exact]
        assert len(got) == len(want)
        for row, g, w in zip(rows, got, want, strict=True):
            assert g == w, (row, numbers, mode, g, w)


def coordinates(image, count, integers, seed=0, normalized=False):
    """Coordinates inside and outside, some of them special, of OpenCL's width."""
    rng = np.random.default_rng(seed)
    shape = (count, width_of(image) or 1)
    if integers:
        coordinates = rng.integers(-3, 10, shape).astype(np.int32)
        coordinates[rng.random(shape) < 0.05] = np.iinfo(np.int32).max
        coordinates[rng.random(shape) < 0.05] = np.iinfo(np.int32).min
    else:
        coordinates = rng.uniform(-3, 10, shape) / (4 if normalized else 1)
        coordinates = np.where(rng.random(shape) < 0.4, rng.choice(COORDINATES, shape), coordinates)
        if normalized:  # and borders between texels
            coordinates = np.where(
                rng.random(shape) < 0.2, rng.integers(-14, 29, shape) / 14, coordinates
            )
        coordinates = coordinates.astype(np.float32)
    return coordinates if width_of(image) else coordinates[:, 0]
