"""OpenCL C for tests: statements made into kernels, and what these leave in their buffers."""

import numpy as np

import halfcl as hc
from halfcl import cl

ENABLED = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""

#: By a buffer's name in the statements: the type of its elements in C, and NumPy's.
BUFFERS = {"out": ("long", np.int64), "real": ("double", np.float64)}


def kernel_of(statements, before=""):
    """Each work-item i has out[0..7] and real[0..7] of its own."""
    return f"""{ENABLED}{before}
kernel void k(global long *all_out, global double *all_real) {{
    int i = get_global_id(0);
    global long *out = all_out + 8 * i;
    global double *real = all_real + 8 * i;
    {statements}
}}"""


def run(statements, before="", items=8):
    """Run statements; return the buffers out and real, arrays of shape (items, 8)."""
    arrays = [np.zeros((items, 8), dtype) for _, dtype in BUFFERS.values()]
    cl.Program(kernel_of(statements, before)).k(items, None, *arrays)
    return arrays


def halves_of(source, *arguments, items=None, kernel="k", options=""):
    """Run a kernel and return its first buffer, which has a half per item."""
    (array,) = arguments[:1]
    out = np.zeros(items or len(array), hc.half)
    getattr(cl.Program(source, options), kernel)(len(out), None, out, *arguments)
    return out
