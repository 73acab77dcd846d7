"""Time samplers on OpenCL devices, as translations compute them.

    python bench/filters_on_devices.py                   each device
    python bench/filters_on_devices.py --device Intel    those of whose name this is a part

A row for each kind of image, format, filter and unit of coordinates: milliseconds of processor time
of 512 x 512 reads at random places, in CLAMP_TO_EDGE, the best of 7 launches with the copies of
their arrays.
"""

import argparse
import itertools
import time
import warnings

import numpy as np
import pyopencl as opencl
from kernels_on_devices import devices

import halfcl as hc
from halfcl import cl

COUNT = 512 * 512
SHAPES = {"image2d_t": (256, 256, 4), "image3d_t": (32, 32, 64, 4)}
TYPES = {"HALF_FLOAT": np.float16, "UNORM_INT8": np.uint8}

SOURCE = """
constant sampler_t s =
    CLK_NORMALIZED_COORDS_{normalized} | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_{filter};
kernel void sample(read_only {kind} a, global const float4 *at, global float4 *out) {{
    size_t i = get_global_id(0);
    out[i] = read_imagef(a, s, at[i]{components});
}}
"""


def image(rng, kind, type_):
    """Return an image of random texels."""
    texels = rng.integers(0, 256, SHAPES[kind]).astype(TYPES[type_])
    format_ = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type[type_])
    return hc.Image(texels, format_)


def milliseconds(queue, kind, type_, normalized, filter_):
    rng = np.random.default_rng(1)
    source = SOURCE.format(
        kind=kind, normalized=normalized, filter=filter_,
        components=".xy" if kind == "image2d_t" else "",
    )  # fmt: skip
    program, sampled = cl.Program(source, device=queue), image(rng, kind, type_)
    *sizes, _ = SHAPES[kind]
    places = rng.random((COUNT, 4)).astype(np.float32)
    if normalized == "FALSE":
        places[:, : len(sizes)] *= np.array(sizes[::-1], np.float32)
    out = np.zeros((COUNT, 4), np.float32)
    times = []
    for _ in range(7):
        start = time.process_time()
        program.sample(COUNT, None, sampled, places, out)
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="", help="a part of the name")
    warnings.simplefilter("ignore")
    for device in devices(parser.parse_args().device):
        context = opencl.Context([device])  # Intel's queues do not keep theirs
        queue = opencl.CommandQueue(context)
        print(device.platform.name)
        ways = [("FALSE", "NEAREST"), ("FALSE", "LINEAR"), ("TRUE", "LINEAR")]
        for row in itertools.product(SHAPES, TYPES, ways):
            kind, type_, (normalized, filter_) = row
            duration = milliseconds(queue, kind, type_, normalized, filter_)
            print(f"{kind} {type_:10} {filter_:7} normalized {normalized:5} {duration:6.0f} ms")


if __name__ == "__main__":
    main()
