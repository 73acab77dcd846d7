"""Images beside an OpenCL runtime on the CPU: the same arrays, samplers and coordinates.

The standard promises that NEAREST loses nothing; coordinates that are not whole texels are such
that floats hold their products, too. Normalised channels may be 1.5 ulp off, codes 0.6. LINEAR may
be anything; a runtime that computes in float is off by the rounding of its coordinates, which are
up to 16 texels and so 2^-21 of a texel in each dimension, and of its sums.
"""

import itertools
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unittest import mock

import numpy as np
import oracle_images as oracle
import pytest
from images import SAMPLERS, functions_of, image_of, plain, sampler_of, width_of

import halfcl as hc

pytest.importorskip("pyopencl")

import opencl_device

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))

from timing import intel_opencl

#: Powers of 2, so that products with dyadic coordinates are exact.
SHAPES = {"IMAGE1D": (8,), "IMAGE1D_ARRAY": (4, 8), "IMAGE1D_BUFFER": (8,), "IMAGE2D": (4, 8),
          "IMAGE2D_ARRAY": (2, 4, 8), "IMAGE3D": (2, 4, 8)}  # fmt: skip
SAMPLED = [kind for kind in SHAPES if kind != "IMAGE1D_BUFFER"]
CLAMP = (False, "CLAMP", False)
OF_LINEAR = 2.0**-19  # of the greatest texel; the worst seen is 2^-20.5


@pytest.fixture(scope="module")
def device():
    """Calls functions of opencl_device in a process with the environment that the runtime needs."""
    with mock.patch.dict(os.environ, intel_opencl()):
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, spawn) as pool:

            def call(function, *args):
                return pool.submit(function, *args).result()

            if why := call(opencl_device.why_not):
                pytest.skip(why)
            yield call


def form_of(image):
    return int(image.format.channel_order), int(image.format.channel_data_type)


def sizes_of(image):
    """x first, without channels."""
    return tuple(int(n) for n in SHAPES[image.image_type.name][::-1])


def both_read(device, image, sampler, where, suffix):
    """What the device reads and what halfcl does, at coordinates of four components."""
    arguments = (plain(image.array), form_of(image), image.image_type.name, sizes_of(image))
    theirs = device(opencl_device.read, *arguments, sampler, where, suffix)
    coord = where[:, : width_of(image)] if width_of(image) else where[:, 0]
    sampled = () if sampler is None else (sampler_of(*sampler),)
    ours = getattr(hc, f"read_image{suffix}")(image, *sampled, coord)
    return theirs, plain(np.asarray(ours))


def places(kind, count, low, high, seed=0):
    """Multiples of 1/64 of a texel, or of an image, from low to high of its sizes."""
    rng = np.random.default_rng(seed)
    where = np.zeros((count, 4), np.float32)
    sizes = SHAPES[kind][::-1]
    for axis, size in enumerate(sizes):
        where[:, axis] = rng.integers(round(low * size * 64), round(high * size * 64), count) / 64
    return where


def same_bits(theirs, ours):
    bits = f"u{theirs.itemsize}"
    np.testing.assert_array_equal(theirs.view(bits), np.ascontiguousarray(ours).view(bits))


def ulps(theirs, ours):
    """Between floats, in ulp of the greater."""
    difference = np.abs(theirs.astype(float) - ours)
    return difference / np.spacing(np.maximum(np.abs(theirs), np.abs(ours)))


def needs_half(device, suffix):
    return suffix != "h" or device(opencl_device.has_half)


@pytest.mark.parametrize(("order", "type_name"), oracle.FORMATS, ids=lambda name: name)
def test_formats(device, order, type_name):
    """Every texel of an image, and the border around it; halves of FLOAT are undefined."""
    if order == "DEPTH":
        pytest.skip("read as scalars, by a type of its own")
    image = image_of(order, type_name, shape=SHAPES["IMAGE2D"])
    if form_of(image) not in device(opencl_device.formats, "IMAGE2D", "READ_ONLY"):
        pytest.skip("the device has no such format")
    where = np.zeros((12 * 8, 4), np.int32)
    where[:, :2] = list(itertools.product(range(-2, 10), range(-2, 6)))
    for suffix in functions_of(type_name):
        if not needs_half(device, suffix) or (type_name, suffix) == ("FLOAT", "h"):
            continue
        theirs, ours = both_read(device, image, CLAMP, where, suffix)
        if order.startswith("s"):
            np.testing.assert_allclose(theirs, ours, rtol=2.0**-10 if suffix == "h" else 2.0**-20)
        elif type_name in oracle.GREATEST:
            assert ulps(theirs, ours).max() <= 1.5
        else:
            same_bits(theirs, ours)


@pytest.mark.parametrize("kind", SAMPLED)
@pytest.mark.parametrize("sampler", [s for s in SAMPLERS if not s[2]], ids=str)
def test_nearest(device, sampler, kind):
    """Where NONE is outside is undefined."""
    inside = sampler[1] == "NONE"
    where = places(kind, 300, *((0, 1) if inside else (-2, 3)))
    if sampler[0]:
        sizes = SHAPES[kind][::-1]
        spatial = len(sizes) - kind.endswith("ARRAY")  # layers are not normalised
        where[:, :spatial] /= sizes[:spatial]
    if inside and kind.endswith("ARRAY"):
        where[:, len(SHAPES[kind]) - 1] //= 1
    for type_name in ("HALF_FLOAT", "FLOAT"):
        image = image_of("RGBA", type_name, kind, shape=SHAPES[kind])
        for suffix in "hf" if type_name == "HALF_FLOAT" else "f":
            if needs_half(device, suffix):
                same_bits(*both_read(device, image, sampler, where, suffix))


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("sampled", [False, True])
def test_integer_coordinates(device, kind, sampled):
    """Outside, too, where there is a sampler; 1D buffers have none."""
    if sampled and kind == "IMAGE1D_BUFFER":
        return
    low, high = (-2, 3) if sampled else (0, 1)
    where = np.floor(places(kind, 300, low, high)).astype(np.int32)
    for type_name, suffix in (("HALF_FLOAT", "h"), ("SIGNED_INT16", "i"), ("UNSIGNED_INT32", "ui")):
        image = image_of("RGBA", type_name, kind, shape=SHAPES[kind])
        if needs_half(device, suffix):
            same_bits(*both_read(device, image, CLAMP if sampled else None, where, suffix))


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
    for type_name in ("HALF_FLOAT", "FLOAT", "UNORM_INT8", "SNORM_INT16"):
        image = image_of("RGBA", type_name, kind, shape=SHAPES[kind])
        theirs, ours = both_read(device, image, sampler, where, "f")
        floating = type_name in ("HALF_FLOAT", "FLOAT")
        greatest = np.abs(image.array.astype(float)).max() if floating else 1
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=OF_LINEAR * greatest)
        if type_name != "FLOAT" and needs_half(device, "h"):
            theirs, ours = both_read(device, image, sampler, where, "h")
            np.testing.assert_allclose(theirs, ours, rtol=2.0**-10, atol=OF_LINEAR * greatest)


def colors_of(suffix, count):
    """Beyond what normalised channels hold, too; integers of all sizes."""
    rng = np.random.default_rng(4)
    dtype = np.dtype(opencl_device.RESULTS[suffix][1])
    if dtype.kind == "f":
        return rng.uniform(-1.2, 1.2, (count, 4)).astype(np.float16).astype(dtype)
    limits = np.iinfo(dtype)
    found = rng.integers(limits.min, limits.max, (count, 4), dtype, endpoint=True)
    return found >> rng.integers(0, 30, (count, 4)).astype(dtype)


def written(device, image, colors, suffix):
    """What the device and halfcl make of an image, every texel written."""
    kind = image.image_type.name
    where = np.zeros((len(colors), 4), np.int32)
    index = np.indices(SHAPES[kind]).reshape(len(SHAPES[kind]), -1)[::-1].T
    where[:, : index.shape[1]] = index
    arguments = (plain(image.array), form_of(image), kind, sizes_of(image))
    theirs = device(opencl_device.write, *arguments, where, colors, suffix)
    coord = where[:, : width_of(image)] if width_of(image) else where[:, 0]
    function = getattr(hc, f"write_image{suffix}")
    assert function(image, coord, colors.view(hc.half) if suffix == "h" else colors) == 0
    return theirs.reshape(len(colors), -1), plain(image.array).reshape(len(colors), -1)


def components(order):
    """Of each channel in memory, its place in a colour."""
    return [
        "rgba".index({"i": "r", "l": "r"}.get(letter, letter)) for letter in oracle.LETTERS[order]
    ]


WRITES = [
    *(("IMAGE2D", order, name) for order, name in oracle.FORMATS),
    *((kind, "RGBA", name) for kind in SHAPES if kind != "IMAGE2D"
      for name in ("UNORM_INT8", "SNORM_INT16", "HALF_FLOAT", "UNSIGNED_INT16")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "order", "type_name"), WRITES, ids=lambda name: name)
def test_writes(device, kind, order, type_name):
    if order == "DEPTH":
        pytest.skip("written as scalars, by a type of its own")
    image = image_of(order, type_name, kind, shape=SHAPES[kind])
    if form_of(image) not in device(opencl_device.formats, kind, "WRITE_ONLY"):
        pytest.skip("the device has no such format")
    for suffix in functions_of(type_name):
        if not needs_half(device, suffix) or (type_name, suffix) == ("FLOAT", "h"):
            continue
        colors = colors_of(suffix, int(np.prod(SHAPES[kind])))
        theirs, ours = written(device, image, colors, suffix)
        if type_name in oracle.GREATEST:
            exact = colors.astype(float)[:, components(order)] * oracle.GREATEST[type_name]
            from_tie = np.abs(exact - np.floor(exact) - 0.5)  # doubles hold these
            near = (from_tie <= 0.1) & (np.abs(theirs.astype(float) - ours) <= 1)
            assert ((theirs == ours) | near).all()
        else:
            same_bits(theirs, ours)
