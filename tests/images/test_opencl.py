"""Images compared with an OpenCL runtime on the CPU: same arrays, samplers and coordinates.

The standard promises that NEAREST loses nothing; coordinates that are not whole texels are such
that floats hold their products, too. Normalised channels may be 1.5 ulp off, codes 0.6. LINEAR may
be anything; a runtime that computes in float is off by the rounding of its coordinates, which are
up to 16 texels and so 2^-21 of a texel in each dimension, and of its sums.
"""

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from unittest import mock

import numpy as np
import oracle_images as oracle
import pytest
from places import ROOT
from samples_images import SAMPLERS, functions_of, image_of, names_of, plain, sampler_of, width_of

import halfcl as hc

pytest.importorskip("pyopencl")

import opencl_device

sys.path.insert(0, str(ROOT / "bench"))

from timing import intel_opencl

#: Powers of 2, so that products with dyadic coordinates are exact.
SHAPES = {"IMAGE1D": (8,), "IMAGE1D_ARRAY": (4, 8), "IMAGE1D_BUFFER": (8,), "IMAGE2D": (4, 8),
          "IMAGE2D_ARRAY": (2, 4, 8), "IMAGE3D": (2, 4, 8)}  # fmt: skip
SAMPLED = [kind for kind in SHAPES if kind != "IMAGE1D_BUFFER"]
CLAMP = (False, "CLAMP", False)
OF_LINEAR = 2.0**-19  # of the greatest texel; the worst seen is 2^-20.5


@pytest.fixture(scope="module")
def device():
    """Return a function that runs opencl_device in a process with the runtime's environment."""
    with mock.patch.dict(os.environ, intel_opencl()):
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, spawn) as pool:

            def call(function, *args):
                return pool.submit(function, *args).result()

            if why := call(opencl_device.why_not):
                pytest.skip(why)
            yield call


def form_of(order, type_name):
    return int(hc.channel_order[order]), int(hc.channel_type[type_name])


def sizes_of(image):
    """Return the image's sizes, x first, without channels."""
    return tuple(int(n) for n in SHAPES[image.image_type.name][::-1])


def read_by_both(device, image, sampler, where, suffix):
    """Read with the device and with halfcl, at coordinates of four components."""
    form = form_of(*names_of(image)[:2])
    arguments = (plain(image.array), form, image.image_type.name, sizes_of(image))
    device_result = device(opencl_device.read, *arguments, sampler, where, suffix)
    coord = where[:, : width_of(image)] if width_of(image) else where[:, 0]
    sampled = () if sampler is None else (sampler_of(*sampler),)
    own_result = getattr(hc, f"read_image{suffix}")(image, *sampled, coord)
    return device_result, plain(np.asarray(own_result)).reshape(device_result.shape)


def whole(kind, margin=0):
    """Return the coordinates of every texel, and of a border around them."""
    sizes = [n + 2 * margin for n in SHAPES[kind]]
    index = np.indices(sizes).reshape(len(sizes), -1)[::-1].T - margin
    where = np.zeros((len(index), 4), np.int32)
    where[:, : len(sizes)] = index
    return where


def places(kind, count, low, high, seed=0):
    """Return coordinates in multiples of 1/64 texel or image, from low to high times its sizes."""
    rng = np.random.default_rng(seed)
    where = np.zeros((count, 4), np.float32)
    sizes = SHAPES[kind][::-1]
    for axis, size in enumerate(sizes):
        where[:, axis] = rng.integers(round(low * size * 64), round(high * size * 64), count) / 64
    return where


def same_bits(device_result, own_result):
    bits = f"u{device_result.itemsize}"
    np.testing.assert_array_equal(
        device_result.view(bits), np.ascontiguousarray(own_result).view(bits)
    )


def ulps(device_result, own_result):
    """Return the difference of floats in ulp of the greater."""
    difference = np.abs(device_result.astype(float) - own_result)
    return difference / np.spacing(np.maximum(np.abs(device_result), np.abs(own_result)))


def needs_half(device, suffix):
    return suffix != "h" or device(opencl_device.has_half)


def supported_images(device, order, type_name, access):
    """Return an image of each shape that the device supports in the format, or skip."""
    kinds = [
        kind
        for kind in SHAPES
        if form_of(order, type_name) in device(opencl_device.formats, kind, access)
    ]
    if not kinds:
        pytest.skip("the device has no such format")
    return [image_of(order, type_name, kind, shape=SHAPES[kind]) for kind in kinds]


@pytest.mark.parametrize(("order", "type_name"), oracle.FORMATS, ids=lambda name: name)
def test_formats(device, order, type_name):
    """Every texel of an image, and the border around it; FLOAT read as half is undefined."""
    for image in supported_images(device, order, type_name, "READ_ONLY"):
        kind = image.image_type.name
        sampler, margin = (None, 0) if kind == "IMAGE1D_BUFFER" else (CLAMP, 2)
        where = whole(kind, margin)
        for suffix in functions_of(type_name, order):
            if not needs_half(device, suffix) or (type_name, suffix) == ("FLOAT", "h"):
                continue
            device_result, own_result = read_by_both(device, image, sampler, where, suffix)
            if order.startswith("s"):
                rtol = 2.0**-10 if suffix == "h" else 2.0**-20
                np.testing.assert_allclose(device_result, own_result, rtol=rtol)
            elif type_name in oracle.GREATEST:
                assert ulps(device_result, own_result).max() <= 1.5
            else:
                same_bits(device_result, own_result)


def depth(kind, type_name):
    """Depth images are 2D alone."""
    return [("DEPTH", type_name, "f")] * kind.startswith("IMAGE2D")


@pytest.mark.parametrize("kind", SAMPLED)
@pytest.mark.parametrize("sampler", [s for s in SAMPLERS if not s[2]], ids=str)
def test_nearest(device, sampler, kind):
    """Coordinates stay inside with NONE, whose outside is undefined."""
    inside = sampler[1] == "NONE"
    where = places(kind, 300, *((0, 1) if inside else (-2, 3)))
    if sampler[0]:
        sizes = SHAPES[kind][::-1]
        spatial = len(sizes) - kind.endswith("ARRAY")  # layers are not normalised
        where[:, :spatial] /= sizes[:spatial]
    if inside and kind.endswith("ARRAY"):
        where[:, len(SHAPES[kind]) - 1] //= 1
    for order, type_name, suffix in (
        ("RGBA", "HALF_FLOAT", "h"), ("RGBA", "HALF_FLOAT", "f"), ("RGBA", "FLOAT", "f"),
        ("RGBA", "SIGNED_INT32", "i"), ("RG", "UNSIGNED_INT8", "ui"), *depth(kind, "FLOAT"),
    ):  # fmt: skip
        image = image_of(order, type_name, kind, shape=SHAPES[kind])
        if needs_half(device, suffix):
            same_bits(*read_by_both(device, image, sampler, where, suffix))


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("sampled", [False, True])
def test_integer_coordinates(device, kind, sampled):
    """Coordinates lie outside, too, with a sampler; 1D buffers have none."""
    if sampled and kind == "IMAGE1D_BUFFER":
        return
    low, high = (-2, 3) if sampled else (0, 1)
    where = np.floor(places(kind, 300, low, high)).astype(np.int32)
    for type_name, suffix in (("HALF_FLOAT", "h"), ("SIGNED_INT16", "i"), ("UNSIGNED_INT32", "ui")):
        image = image_of("RGBA", type_name, kind, shape=SHAPES[kind])
        if needs_half(device, suffix):
            same_bits(*read_by_both(device, image, CLAMP if sampled else None, where, suffix))


@pytest.mark.parametrize("kind", SAMPLED)
@pytest.mark.parametrize(
    "sampler", [s for s in SAMPLERS if s[2] and s[1] != "NONE"], ids=str
)  # fmt: skip
def test_linear(device, sampler, kind):
    rng = np.random.default_rng(3)
    where = np.zeros((300, 4), np.float32)
    for axis, size in enumerate(SHAPES[kind][::-1]):
        where[:, axis] = rng.uniform(-0.9 * size, 1.9 * size, 300)
        if sampler[0] and not (kind.endswith("ARRAY") and axis == len(SHAPES[kind]) - 1):
            where[:, axis] /= size
    for order, type_name, suffix in (
        *(("RGBA", name, "f") for name in ("HALF_FLOAT", "FLOAT", "UNORM_INT8", "SNORM_INT16")),
        *(("RGBA", name, "h") for name in ("HALF_FLOAT", "UNORM_INT8", "SNORM_INT16")),
        *depth(kind, "FLOAT"), *depth(kind, "UNORM_INT16"),
    ):  # fmt: skip
        if not needs_half(device, suffix):
            continue
        image = image_of(order, type_name, kind, shape=SHAPES[kind])
        device_result, own_result = read_by_both(device, image, sampler, where, suffix)
        floating = type_name in ("HALF_FLOAT", "FLOAT")
        greatest = np.abs(image.array.astype(float)).max() if floating else 1
        rtol = 2.0**-10 if suffix == "h" else 0
        np.testing.assert_allclose(device_result, own_result, rtol=rtol, atol=OF_LINEAR * greatest)


def colors_of(suffix, shape):
    """Return colours, some beyond the range of normalised channels; integers of all sizes."""
    rng = np.random.default_rng(4)
    dtype = np.dtype(opencl_device.RESULTS[suffix][1])
    if dtype.kind == "f":
        return rng.uniform(-1.2, 1.2, shape).astype(np.float16).astype(dtype)
    limits = np.iinfo(dtype)
    integers = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return integers >> rng.integers(0, 30, shape).astype(dtype)


def write_by_both(device, image, where, colors, suffix):
    """Write every texel of an image with the device and with halfcl; return both results."""
    kind = image.image_type.name
    form = form_of(*names_of(image)[:2])
    arguments = (plain(image.array), form, kind, sizes_of(image))
    device_result = device(opencl_device.write, *arguments, where, colors, suffix)
    coord = where[:, : width_of(image)] if width_of(image) else where[:, 0]
    if image.format.is_depth:
        colors = colors[:, 0]
    function = getattr(hc, f"write_image{suffix}")
    assert function(image, coord, colors.view(hc.half) if suffix == "h" else colors) == 0
    return device_result.reshape(len(colors), -1), plain(image.array).reshape(len(colors), -1)


def component_places(order):
    """Return the place in a colour of each channel in memory."""
    return ["rgba".index({"i": "r", "l": "r", "d": "r"}.get(c, c)) for c in oracle.LETTERS[order]]


@pytest.mark.parametrize(("order", "type_name"), oracle.FORMATS, ids=lambda name: name)
def test_writes(device, order, type_name):
    for image in supported_images(device, order, type_name, "WRITE_ONLY"):
        where = whole(image.image_type.name)
        for suffix in functions_of(type_name, order):
            if not needs_half(device, suffix) or (type_name, suffix) == ("FLOAT", "h"):
                continue
            colors = colors_of(suffix, (len(where), 1 if order == "DEPTH" else 4))
            device_result, own_result = write_by_both(device, image, where, colors, suffix)
            if type_name in oracle.GREATEST:
                exact = (
                    colors.astype(float)[:, component_places(order)] * oracle.GREATEST[type_name]
                )
                from_tie = np.abs(exact - np.floor(exact) - 0.5)  # doubles hold these
                near = (from_tie <= 0.1) & (np.abs(device_result.astype(float) - own_result) <= 1)
                assert ((device_result == own_result) | near).all()
            else:
                same_bits(device_result, own_result)
