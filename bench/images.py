"""Time images of 1024 x 1024 texels, RGBA, against other libraries.

    python bench/images.py                  all rows
    python bench/images.py --markdown       a table for the docs
    python bench/images.py -n 256 --rounds 5

Results are written to arrays that are there; the columns are timed in turns on one pinned core, the
best of many blocks of calls. OpenCL is Intel's CPU runtime: the kernel's own time, the best of
several work-group sizes, on the same texels and coordinates.
The peers: pip install opencv-python-headless scikit-image scipy pyopencl intel-opencl-rt
intel-cmplr-lib-rt
"""

import argparse
import warnings
from functools import cache, partial
from timeit import Timer

import numpy as np
import timing

import halfcl as hc

RGBA, HALF, FLOAT = hc.channel_order.RGBA, hc.channel_type.HALF_FLOAT, hc.channel_type.FLOAT
UNORM8 = hc.channel_type.UNORM_INT8


class Picture:
    """Random texels in three types, and a grid of coordinates that turns and scales a little."""

    def __init__(self, n):
        rng = np.random.default_rng(1)
        self.n = n
        self.bytes = timing.aligned_copy(rng.integers(0, 256, (n, n, 4), np.uint8))
        self.halves = timing.aligned_copy(rng.uniform(0, 1, (n, n, 4)).astype(np.float16))
        self.floats = timing.aligned_copy(self.halves.astype(np.float32))
        y, x = np.mgrid[:n, :n].astype(np.float32)
        turned = np.stack([0.98 * x - 0.05 * y + 0.03 * n, 0.05 * x + 0.97 * y], axis=-1)
        self.coords = timing.aligned_copy(turned.astype(np.float32) + np.float32(0.5))
        self.whole = timing.aligned_copy(np.stack([x, y], axis=-1).astype(np.int32))
        self.out = timing.aligned_copy(np.zeros((n, n, 4), np.float16))
        self.out32 = timing.aligned_copy(np.zeros((n, n, 4), np.float32))
        self.out8 = timing.aligned_copy(np.zeros((n, n, 4), np.uint8))

    def image(self, array, data_type):
        return hc.Image(array, hc.ImageFormat(RGBA, data_type))


def half(array):
    return array.view(hc.half)


def read(picture, array, data_type, coord, linear=False, out=None):
    """Return a timer of read_imageh, rounding to nearest."""
    chosen = hc.filter_mode.LINEAR if linear else hc.filter_mode.NEAREST
    sampler = hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, chosen)
    out = half(picture.out) if out is None else out
    image = picture.image(array, data_type)
    return Timer(partial(hc.read_imageh, image, sampler, coord, out=out)).timeit


def write(picture, array, data_type):
    image = picture.image(array, data_type)
    return Timer(partial(hc.write_imageh, image, picture.whole, half(picture.halves))).timeit


# ---------------------------------------------------------------- the rows: {column: block}


def nearest(picture):
    texels = picture.halves.reshape(-1, 4)
    x, y = np.clip(np.floor(picture.coords), 0, picture.n - 1).astype(np.intp).reshape(-1, 2).T
    index, out = y * picture.n + x, picture.out.reshape(-1, 4)
    packed, packed_out = (a.view(np.uint64)[:, 0] for a in (texels, out))
    return {
        "halfcl": read(picture, picture.halves, HALF, picture.coords),
        "numpy.take": Timer(partial(np.take, texels, index, 0, out, "clip")).timeit,
        "numpy.take, uint64": Timer(partial(np.take, packed, index, 0, packed_out, "clip")).timeit,
        **opencl(picture, "read", picture.halves, HALF, picture.coords),
    }


def linear(picture, array, data_type):
    columns = {"halfcl": read(picture, array, data_type, picture.coords, True)}
    columns |= opencl(picture, "read", array, data_type, picture.coords, True)
    if data_type != HALF:
        return columns
    return columns | opencv(picture) | scikit_image(picture) | scipy(picture)


def opencv(picture):
    try:
        import cv2
    except ImportError:
        return {}
    cv2.setNumThreads(1)
    x, y = (np.ascontiguousarray(picture.coords[..., i] - np.float32(0.5)) for i in (0, 1))
    call = partial(cv2.remap, picture.floats, x, y, cv2.INTER_LINEAR, dst=picture.out32,
                   borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return {"OpenCV remap float32": Timer(call).timeit}


def resample(picture):
    """Resample by the matrix from which coords are made; both create their result."""
    matrix = np.array([[0.98, -0.05, 0.03 * picture.n], [0.05, 0.97, 0]])
    image = picture.image(half(picture.halves), HALF)
    columns = {"halfcl": Timer(partial(hc.resample, image, matrix=matrix)).timeit}
    try:
        import cv2
    except ImportError:
        return columns
    cv2.setNumThreads(1)
    centred = matrix.copy()  # there centres of texels are integers
    centred[:, 2] += matrix[:, :2] @ (0.5, 0.5) - 0.5
    call = partial(cv2.warpAffine, picture.floats, centred, (picture.n, picture.n),
                   flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                   borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return columns | {"OpenCV warpAffine float32": Timer(call).timeit}


def planes(picture):
    """Return the coordinates in SciPy's order: y, then x."""
    return np.ascontiguousarray(np.moveaxis(picture.coords[..., ::-1] - np.float32(0.5), -1, 0))


def scikit_image(picture):
    try:
        from skimage.transform import warp
    except ImportError:
        return {}
    where = planes(picture)

    def call():
        for i in range(4):
            warp(picture.floats[..., i], where, order=1, mode="edge", preserve_range=True)

    return {"scikit-image warp float32": Timer(call).timeit}


def scipy(picture):
    try:
        from scipy.ndimage import map_coordinates
    except ImportError:
        return {}
    where = planes(picture)

    def call():
        for i in range(4):
            map_coordinates(picture.floats[..., i], where, picture.out32[..., i], order=1,
                            mode="nearest")  # fmt: skip

    return {"SciPy map_coordinates float32": Timer(call).timeit}


def whole_read(picture, array, data_type):
    return {
        "halfcl": read(picture, array, data_type, picture.whole),
        **opencl(picture, "read", array, data_type, picture.whole),
    }


def whole_write(picture, array, data_type):
    return {
        "halfcl": write(picture, array, data_type),
        **opencl(picture, "write", array, data_type, picture.whole),
    }


def unorm8_to_half(picture):
    out = half(picture.out)
    return {
        "halfcl": Timer(partial(hc.from_unorm8, picture.bytes, out=out)).timeit,
        "copy of the halves": Timer(partial(np.copyto, picture.out, picture.halves)).timeit,
    }


def half_to_unorm8(picture):
    return {
        "halfcl": Timer(partial(hc.to_unorm8, half(picture.halves), out=picture.out8)).timeit,
        "copy of the halves": Timer(partial(np.copyto, picture.out, picture.halves)).timeit,
    }


#: The operations by name, each a function of the picture.
ROWS = {
    "NEAREST, half": nearest,
    "LINEAR, half": lambda p: linear(p, p.halves, HALF),
    "LINEAR, UNORM_INT8": lambda p: linear(p, p.bytes, UNORM8),
    "resample, half": resample,
    "whole read, half": lambda p: whole_read(p, p.halves, HALF),
    "whole read, UNORM_INT8": lambda p: whole_read(p, p.bytes, UNORM8),
    "whole write, half": lambda p: whole_write(p, p.out, HALF),
    "whole write, UNORM_INT8": lambda p: whole_write(p, p.out8, UNORM8),
    "from_unorm8": unorm8_to_half,
    "to_unorm8": half_to_unorm8,
}


# ---------------------------------------------------------------- OpenCL

READ = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void f(read_only image2d_t image, sampler_t sampler, __global const {coord} *coords,
                __global half4 *out)
{{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[i] = read_imageh(image, sampler, coords[i]);
}}
"""

WRITE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void f(write_only image2d_t image, __global const int2 *coords,
                __global const half4 *colors)
{{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    write_imageh(image, coords[i], colors[i]);
}}
"""


@cache
def device():
    """Return pyopencl and a queue on a CPU that has images and halves, or None."""
    try:
        import pyopencl as cl

        cpus = [d for p in cl.get_platforms() for d in p.get_devices(cl.device_type.CPU)]
    except ImportError:
        return None
    except cl.Error:
        return None
    with_halves = [d for d in cpus if d.image_support and "cl_khr_fp16" in d.extensions]
    if not with_halves:
        return None
    context = cl.Context(with_halves[:1])
    profiling = cl.command_queue_properties.PROFILING_ENABLE
    return cl, context, cl.CommandQueue(context, properties=profiling)


def opencl(picture, what, array, data_type, coords, linear=False):
    """Return {column: block} with the fastest work-group size."""
    if device() is None:
        return {}
    cl, context, _ = device()
    desc = cl.ImageDescriptor()
    desc.image_type = cl.mem_object_type.IMAGE2D
    desc.shape, desc.pitches, desc.buffer = (picture.n, picture.n), (0, 0), None
    flags = cl.mem_flags.USE_HOST_PTR
    form = cl.ImageFormat(int(RGBA), int(data_type))
    image = cl.Image(context, flags | cl.mem_flags.READ_WRITE, form, hostbuf=array, desc=desc)
    where, colors = (
        cl.Buffer(context, flags | cl.mem_flags.READ_WRITE, hostbuf=a)
        for a in (coords, picture.out if what == "read" else picture.halves)
    )
    arguments = [image, where, colors]
    if what == "read":
        chosen = cl.filter_mode.LINEAR if linear else cl.filter_mode.NEAREST
        arguments.insert(1, cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, chosen))
    coord = "float2" if coords.dtype == np.float32 else "int2"
    source = (READ if what == "read" else WRITE).format(coord=coord)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        kernel = cl.Program(context, source).build().f
    blocks = {
        group: partial(kernel_seconds, kernel, (picture.n, picture.n), group, arguments)
        for group in (None, (64, 1), (picture.n, 1), (16, 16))
    }
    times = timing.best_of(blocks, rounds=5)
    return {"OpenCL": blocks[min(times, key=times.get)]}


def kernel_seconds(kernel, shape, group, arguments, count):
    nanoseconds = 0
    for _ in range(count):
        event = kernel(device()[2], shape, group, *arguments)
        event.wait()
        nanoseconds += event.profile.end - event.profile.start
    return nanoseconds * 1e-9


# ---------------------------------------------------------------- output


def lines(name, best):
    """Yield the lines of one row: halfcl's time, and each peer's time relative to it."""
    ours = best["halfcl"]
    yield f"{name:24} {ours * 1e3:7.3f} ms"
    for peer, seconds in best.items():
        if peer != "halfcl":
            yield f"    {peer:30} {seconds * 1e3:8.3f} ms: {seconds / ours:.2f} times as long"


def markdown(name, best):
    """Yield one row of the table per peer."""
    for peer, seconds in best.items():
        if peer != "halfcl":
            ours, theirs = best["halfcl"] * 1e3, seconds * 1e3
            yield f"| {name} | {ours:.2f} | {peer} | {theirs:.2f} | {theirs / ours:.2f} |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-n", type=int, default=1024, help="texels of a side; default 1024")
    parser.add_argument("--rounds", type=int, default=30, help="blocks timed per column")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    parser.add_argument("--markdown", action="store_true", help="a table")
    options = parser.parse_args()
    timing.settle(options.core)
    if options.markdown:
        print("| | halfcl, ms | peer | peer, ms | peer / halfcl |\n|---|---:|---|---:|---:|")
    picture = Picture(options.n)
    for name, row in ROWS.items():
        best = timing.best_of(row(picture), options.rounds)
        print(*(markdown if options.markdown else lines)(name, best), sep="\n", flush=True)
    print()
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
