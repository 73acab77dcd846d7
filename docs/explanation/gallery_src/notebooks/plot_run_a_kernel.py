"""
Run a kernel without a device
=============================

OpenCL C runs on NumPy arrays here, each operation correctly rounded: what a device should have
computed. The kernel below maps the tones of a ramp in half, and the notebook asks what the
half format cost.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc
from halfcl import cl

# %%
# The kernel
# ----------
# The filmic curve that many games use. Each work-item computes one element.

SOURCE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void tone(global const half *x, global half *out) {
    size_t i = get_global_id(0);
    half v = x[i];
    out[i] = v * (2.51h * v + 0.03h) / (v * (2.43h * v + 0.59h) + 0.14h);
}
"""
program = cl.Program(SOURCE)
x = hc.half(np.linspace(0, 8, 4096))
out = np.zeros_like(x)
program.tone(x.size, None, x, out)  # global size, local size, arguments
out[:4]

# %%
# Compare
# -------
# Another way to compute it, as a device might: all in float32, rounded at the end. How many results
# differ, and by how many halves?

v = x.astype(np.float32)
a, b, c, d, e = (np.float32(hc.half(k)) for k in (2.51, 0.03, 2.43, 0.59, 0.14))
wide = (v * (a * v + b) / (v * (c * v + d) + e)).astype(np.float16)
apart = hc.ulps_between(wide, out)
print(f"{np.mean(apart > 0):.0%} differ, at most by {apart.max()} halves")

figure, axes = plt.subplots(figsize=(8, 3.5), layout="constrained")
axes.plot(x.astype(float), apart, ".", ms=2)
axes.set(xlabel="x", ylabel="halves apart", yticks=range(apart.max() + 1))
axes.set_title("Each step in half, or all in float32")
plt.show()

# %%
# May a compiler fuse?
# --------------------
# A compiler may turn a product and a sum into one operation. `contract="both"` runs both ways and
# says where results differ.

cl.Program(SOURCE, contract="both").tone(x.size, None, x, out)
