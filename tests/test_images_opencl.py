"""The same images through an OpenCL runtime, where pip install '.[bench]' has put Intel's."""

import os
import sys
from pathlib import Path

import numpy as np
import oracle_images as oracle
import pytest
from images import SAMPLERS, functions_of, image_of, plain, sampler_of

import halfcl as hc

#: Kernels: one for each kind of coordinates, and of numbers.
READS = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void {name}(read_only image2d_t image, sampler_t sampler,
                   global const {coord} *coord, global {result} *out)
{{
    size_t i = get_global_id(0);
    out[i] = {function}(image, sampler, coord[i]);
}}
"""
WRITES = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void {name}(write_only image2d_t image, global const int2 *coord,
                   global const {result} *color)
{{
    size_t i = get_global_id(0);
    {function}(image, coord[i], color[i]);
}}
"""
RESULTS = {"h": ("half4", hc.half), "f": ("float4", np.float32), "i": ("int4", np.int32),
           "ui": ("uint4", np.uint32)}  # fmt: skip


class Runtime:
    """A device with images and half, and kernels as they are asked for."""

    def __init__(self, cl):
        devices = [d for platform in cl.get_platforms() for d in platform.get_devices()]
        devices = [d for d in devices if d.image_support and "cl_khr_fp16" in d.extensions]
        if not devices:
            pytest.skip("no OpenCL device with images and cl_khr_fp16")
        self.cl, self.context = cl, cl.Context(devices[:1])
        self.queue = cl.CommandQueue(self.context)
        self.kernels = {}

    def kernel(self, template, **names):
        key = template, *names.values()
        if key not in self.kernels:
            source = template.format(name="run", **names)
            program = self.cl.Program(self.context, source).build()
            self.kernels[key] = self.cl.Kernel(program, "run")
        return self.kernels[key]

    def has(self, image, flags):
        """Whether it has the image's format, for reads or writes."""
        formats = self.cl.get_supported_image_formats(
            self.context, flags, self.cl.mem_object_type.IMAGE2D
        )
        wanted = int(image.format.channel_order), int(image.format.channel_data_type)
        return wanted in {(f.channel_order, f.channel_data_type) for f in formats}

    def image(self, image, flags):
        cl = self.cl
        format = cl.ImageFormat(
            int(image.format.channel_order), int(image.format.channel_data_type)
        )
        flags |= cl.mem_flags.COPY_HOST_PTR
        shape = image.width, image.height
        return cl.create_image(self.context, flags, format, shape, hostbuf=plain(image.array))

    def buffer(self, array):
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        return self.cl.Buffer(self.context, flags, hostbuf=plain(array))

    def read(self, image, sampler, coord, numbers):
        name, dtype = RESULTS[numbers]
        kind = "int2" if coord.dtype == np.int32 else "float2"
        kernel = self.kernel(READS, function=f"read_image{numbers}", coord=kind, result=name)
        out = np.zeros((len(coord), 4), dtype)
        memory = self.buffer(out)
        kernel(
            self.queue, (len(coord),), None, self.image(image, self.cl.mem_flags.READ_ONLY),
            self.cl.Sampler(self.context, sampler.normalized_coords, int(sampler.addressing_mode),
                            int(sampler.filter_mode)),
            self.buffer(coord), memory,
        )  # fmt: skip
        self.cl.enqueue_copy(self.queue, plain(out), memory)
        return out

    def write(self, image, coord, color, numbers):
        """What the image's array would be."""
        name, _ = RESULTS[numbers]
        kernel = self.kernel(WRITES, function=f"write_image{numbers}", result=name)
        device = self.image(image, self.cl.mem_flags.WRITE_ONLY)
        kernel(self.queue, (len(coord),), None, device, self.buffer(coord), self.buffer(color))
        got = np.zeros_like(plain(image.array))
        self.cl.enqueue_copy(
            self.queue, got, device, origin=(0, 0), region=(image.width, image.height)
        )
        return got


@pytest.fixture(scope="module")
def runtime():
    intel = Path(sys.prefix, "lib", "libintelocl.so")
    if intel.exists():  # pip's own .icd file names its build machine's path
        os.environ.setdefault("OCL_ICD_VENDORS", str(intel))
    cl = pytest.importorskip("pyopencl", reason="pip install '.[bench]' has an OpenCL runtime")
    try:
        return Runtime(cl)
    except cl.Error as error:
        pytest.skip(f"no OpenCL platform: {error}")


pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def ulps(got, want):
    """How far apart, counted in numbers of their type."""

    def ordered(x):
        bits = np.ascontiguousarray(plain(x))
        bits = bits.view(np.int16 if bits.itemsize == 2 else np.int32).astype(np.int64)
        least = -(1 << (8 * x.itemsize - 1))
        return np.where(bits < 0, least - bits, bits)

    return np.abs(ordered(got) - ordered(want))


def places(image, normalized, seed):
    """Coordinates inside and outside, no nearer to borders of texels than devices are exact."""
    rng = np.random.default_rng(seed)
    texels = rng.integers(-64, 64 * 12, (200, 2)) // 4 / 16 + 1 / 64
    return (texels / (image.width, image.height) if normalized else texels).astype(np.float32)


def both(runtime, image, sampler, coord, numbers):
    """What halfcl reads, and the runtime."""
    how = sampler_of(*sampler)
    got = getattr(hc, f"read_image{numbers}")(image, how, coord)
    return np.asarray(got), runtime.read(image, how, coord, numbers)


def colors(numbers):
    rng = np.random.default_rng(3)
    dtype = RESULTS[numbers][1]
    if numbers in ("h", "f"):
        return rng.normal(size=(64, 4)).astype(np.float16).view(hc.half).astype(dtype)
    return (rng.integers(0, 2**31 - 1, (64, 4)) >> rng.integers(0, 31, (64, 4))).astype(dtype)


@pytest.mark.parametrize(("order", "type_name"), oracle.FORMATS, ids=lambda name: name)
def test_nearest(runtime, order, type_name):
    """Bit for bit where no number is rounded; quotients within OpenCL's 1.5 ulp."""
    image = image_of(order, type_name, shape=(8, 8))
    if image.format.is_depth or not runtime.has(image, runtime.cl.mem_flags.READ_ONLY):
        pytest.skip("the runtime has no such format")
    for sampler in SAMPLERS:
        if sampler[2] or sampler[1] == "NONE":
            continue
        coord = places(image, sampler[0], 1)
        for numbers in functions_of(type_name):
            if numbers == "h" and (type_name == "FLOAT" or order.startswith("s")):
                continue  # of which the extension says nothing
            got, want = both(runtime, image, sampler, coord, numbers)
            if order.startswith("s"):
                np.testing.assert_allclose(got, want, rtol=2**-20)
            elif type_name in oracle.GREATEST:
                assert ulps(got, want).max() <= 1
            else:
                np.testing.assert_array_equal(plain(got), plain(want))


@pytest.mark.parametrize("type_name", ["UNORM_INT8", "HALF_FLOAT", "SNORM_INT16", "FLOAT"])
@pytest.mark.parametrize("sampler", [s for s in SAMPLERS if s[2] and s[1] != "NONE"], ids=str)
def test_linear(runtime, sampler, type_name):
    """The standard sets no bound: those are what float32 arithmetic may err by."""
    image = image_of("RGBA", type_name, shape=(8, 8))
    coord = places(image, sampler[0], 2)
    greatest = 1 if type_name in oracle.GREATEST else np.abs(plain(image.array)).max()
    got, want = both(runtime, image, sampler, coord, "f")
    assert np.abs(got - want).max() <= 2**-21 * greatest
    if type_name != "FLOAT":
        assert ulps(*both(runtime, image, sampler, coord, "h")).max() <= 1


@pytest.mark.parametrize(("order", "type_name"), oracle.FORMATS, ids=lambda name: name)
def test_writes(runtime, order, type_name):
    """Codes within one, of which OpenCL allows 0.6; all others bit for bit."""
    image = image_of(order, type_name, shape=(8, 8))
    if image.format.is_depth or not runtime.has(image, runtime.cl.mem_flags.WRITE_ONLY):
        pytest.skip("the runtime has no such format")
    grid = np.stack(np.meshgrid(np.arange(8), np.arange(8)), axis=-1)
    coord = grid.reshape(-1, 2).astype(np.int32)
    for numbers in functions_of(type_name):
        if numbers == "h" and type_name == "FLOAT":
            continue
        color = colors(numbers)
        want = runtime.write(image, coord, color, numbers)
        assert getattr(hc, f"write_image{numbers}")(image, coord, color) == 0
        difference = np.abs(plain(image.array).astype(float) - want.astype(float))
        assert difference.max() <= (type_name in oracle.GREATEST)
