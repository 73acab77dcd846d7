"""A filter over an image of halves, and the result mapped."""

import numpy as np
import pyopencl as cl

SRC = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t smp =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void edges(read_only image2d_t src, write_only image2d_t dst)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    half4 left = read_imageh(src, smp, p - (int2)(1, 0));
    half4 right = read_imageh(src, smp, p + (int2)(1, 0));
    half4 d = fabs(right - left);
    d.w = 1.0h;
    write_imageh(dst, p, d);
}
"""
ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
w, h = 33, 17
pixels = np.random.default_rng(3).random((h, w, 4)).astype(np.float16)
fmt = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.HALF_FLOAT)
src = cl.Image(
    ctx, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, fmt, shape=(w, h), hostbuf=pixels
)
dst = cl.Image(ctx, cl.mem_flags.WRITE_ONLY, fmt, shape=(w, h))
cl.Program(ctx, SRC).build().edges(queue, src.shape, None, src, dst)
out = np.empty_like(pixels)
cl.enqueue_copy(queue, out, dst, origin=(0, 0), region=(w, h))
mapped, event, row, slice_ = cl.enqueue_map_image(
    queue, dst, cl.map_flags.READ, (0, 0), (w, h), (h, w, 4), np.float16
)
same = bool((mapped == out).all())
mapped.base.release(queue)
print(
    out.tobytes().hex(),
    same,
    src.width,
    src.height,
    src.format.channel_order == cl.channel_order.RGBA,
)
