"""Time what check=True costs: launches with it, by work-items, against those without.

    python bench/checked_kernels.py               a table for the docs
    python bench/checked_kernels.py --powers 10 16 --rounds 2

On one pinned core, in turns, the best of many runs.
"""

import argparse
from functools import partial

import numpy as np
import timing

import halfcl as hc
from halfcl import cl

SOURCE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void straight(global const half4 *a, global const half4 *b, global half4 *c, half t) {
    size_t i = get_global_id(0);
    half4 x = a[i], y = b[i];
    half4 s = x * t + y * (1 - t);
    s = clamp(s * s + x, (half4)(0), (half4)(4));
    c[i] = s / (1 + s);
}
kernel void tiles(global const float *a, global float *out) {
    local float t[256];
    size_t l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 128; k > 0; k >>= 1) {
        if (l < k) t[l] += t[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}
kernel void branchy(global const half2 *c, global int *out) {
    size_t i = get_global_id(0);
    half x = 0, y = 0; int n = 0;
    while (n < 24 && x * x + y * y < 4) {
        half t = x * x - y * y + c[i].x;
        y = 2 * x * y + c[i].y; x = t; n++;
    }
    out[i] = n;
}
kernel void atomics(global const uchar *a, global uint *out) {
    local uint bins[64];
    size_t l = get_local_id(0), i = get_global_id(0);
    if (l < 64) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[a[i] >> 2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 64) atomic_add(&out[l], bins[l]);
}
"""


def launches(n):
    """Return for each kernel its name in the docs, its work-group size and its arguments."""
    rng = np.random.default_rng(0)
    colours = [rng.random((n, 4)).astype(hc.half) for _ in range(2)]
    floats = rng.random(n).astype(np.float32)
    points = (rng.random((n, 2)) * 3 - 2).astype(hc.half)
    levels = rng.integers(0, 256, n).astype(np.uint8)
    return {
        "straight": ("straight, half4", None, [*colours, np.zeros((n, 4), hc.half), 0.3]),
        "tiles": (
            "sum by a tree in local tiles",
            256,
            [floats, np.zeros(n // 256, np.float32)],
        ),
        "branchy": ("Mandelbrot, half", None, [points, np.zeros(n, np.int32)]),
        "atomics": ("histogram with atomics", 256, [levels, np.zeros(64, np.uint32)]),
    }


def cost(kernel, n, local, arguments, rounds):
    """Return how many times as long a checked launch takes."""
    call = partial(kernel, n, local, *arguments)
    best = timing.best_calls({"plain": call, "checked": partial(call, check=True)}, rounds)
    return best["checked"] / best["plain"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--powers",
        type=int,
        nargs="+",
        default=[10, 16, 20],
        help="work-items, as powers of 2",
    )
    parser.add_argument("--rounds", type=int, default=20, help="blocks timed per column")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    timing.settle(options.core)
    program = cl.Program(SOURCE)
    print("| Kernel |", " | ".join(f"2^{power}" for power in options.powers), "|")
    print("|---|" + "---:|" * len(options.powers))
    for name in launches(256):
        rows = []
        for power in options.powers:
            shown, local, arguments = launches(1 << power)[name]
            rows.append(cost(program[name], 1 << power, local, arguments, options.rounds))
        print(f"| {shown} |", " | ".join(f"{times:.1f}" for times in rows), "|", flush=True)


if __name__ == "__main__":
    main()
