"""Buffers in parts: sub-buffers, slices, offsets, fills."""

import numpy as np
import pyopencl as cl

SRC = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void twice(__global half2 *x) {
    size_t i = get_global_id(0);
    x[i] = x[i].yx * (half2)(2.0h, 0.3h); }
"""
ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
align = 512  # bytes; what any device aligns sub-buffers to divides it
data = np.arange(4 * align, dtype=np.float16)
buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
sub = buf.get_sub_region(2 * align, 4 * align)
half_of_it = buf[0 : 2 * align]
kernel = cl.Program(ctx, SRC).build().twice
kernel(queue, (align,), None, sub)
kernel(queue, (align // 2,), None, half_of_it)
sub.release()
out = np.empty_like(data)
cl.enqueue_copy(queue, out, buf)
part = np.empty(align, np.float16)
cl.enqueue_copy(queue, part, buf, src_offset=2 * align)
cl.enqueue_fill_buffer(queue, buf, np.float16(1.5), 0, 64)
other = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, data.nbytes)
cl.enqueue_copy(queue, other, buf, byte_count=128, src_offset=0, dst_offset=64)
tail = np.empty(32, np.float16)
cl.enqueue_copy(queue, tail, other, src_offset=64)
print(align, len(data))
print(out.tobytes().hex(), part.tobytes().hex(), tail.tobytes().hex())
