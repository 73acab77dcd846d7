"""A script that queries a device, and passes arguments by value."""

import numpy as np
import pyopencl as cl

for platform in cl.get_platforms():
    for device in platform.get_devices(device_type=cl.device_type.ALL):
        assert isinstance(device.name, str) and device.global_mem_size > 0
        device.get_info(cl.device_info.MAX_COMPUTE_UNITS)
        dev = device
ctx = cl.Context(devices=[dev], properties=None)
queue = cl.CommandQueue(ctx)
try:
    cl.Program(ctx, "kernel void f(global half *x) { x[0] = y; }").build()
except cl.RuntimeError as e:
    print("does not build", "y" in str(e))
prg = cl.Program(
    ctx,
    """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
struct particle { half4 at; half mass; };
__kernel void pack(__global const float *in, __global half *out) {
    size_t i = get_global_id(0);
    vstore_half_rtz(in[i], i, out); }
__kernel void rotate4(__global half4 *v, half4 axis) {
    size_t i = get_global_id(0);
    v[i] = fmax(v[i].yzxw, axis) - v[i]; }
""",
).build()
print(
    sorted(k.function_name for k in prg.all_kernels()),
    prg.get_build_info(dev, cl.program_build_info.STATUS) == 0,
)
x = np.random.default_rng(4).standard_normal(64).astype(np.float32)
a = cl.Buffer(ctx, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
b = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 128)
prg.pack(queue, (64,), None, a, b)
knl = cl.Kernel(prg, "rotate4")
knl.set_arg(0, b)
knl.set_arg(1, np.array([0.5, -1, 0.25, 2], np.float16))
cl.enqueue_nd_range_kernel(queue, knl, (8,), None, global_work_offset=(8,))
cl.enqueue_barrier(queue)
cl.enqueue_marker(queue).wait()
h = np.empty(64, np.float16)
cl.enqueue_copy(queue, h, b)
print(h.tobytes().hex())
