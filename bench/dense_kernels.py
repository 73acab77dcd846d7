"""Time matrix products and a Gaussian elimination in OpenCL C beside an OpenCL runtime.

    python bench/dense_kernels.py                      all of it, for half and float
    python bench/dense_kernels.py --markdown           a table for the docs
    python bench/dense_kernels.py --sizes 64 --rounds 2

The product is written as a loop over k, and with tiles of 16 by 16 in local memory; the elimination
launches two kernels per row, as the benchmark suite Rodinia does. The runtime is Intel's, which
compiles them (pip install pyopencl intel-opencl-rt intel-cmplr-lib-rt), on one core like halfcl;
without it only halfcl is timed. Best of many runs: of halfcl the thread's time, of the runtime the
clock's, since it also works in other threads.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time

import numpy as np
import timing

PRODUCT = """
kernel void multiply(global const T *a, global const T *b, global T *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    T sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[y * n + k] * b[k * n + x];
    out[y * n + x] = sum;
}
"""

TILES = """
#define SIDE 16
kernel void multiply(global const T *a, global const T *b, global T *out, int n)
{
    local T left[SIDE][SIDE], right[SIDE][SIDE];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    T sum = 0;
    for (int tile = 0; tile < n; tile += SIDE) {
        left[ly][lx] = a[y * n + tile + lx];
        right[ly][lx] = b[(tile + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; ++k)
            sum += left[ly][k] * right[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[y * n + x] = sum;
}
"""

ELIMINATION = """
kernel void factors(global T *m, global T *a, global T *b, int n, int t)
{
    int i = get_global_id(0);
    if (i < n - 1 - t)
        *(m + n * (i + t + 1) + t) = *(a + n * (i + t + 1) + t) / *(a + n * t + t);
}

kernel void subtract(global T *m, global T *a, global T *b, int n, int t)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n - 1 - t && y < n - t) {
        a[n * (x + 1 + t) + (y + t)] -= m[n * (x + 1 + t) + t] * a[n * t + (y + t)];
        if (y == 0)
            b[x + 1 + t] -= m[n * (x + 1 + t) + (y + t)] * b[t];
    }
}
"""

#: For each program its source and the work-groups to try on the runtime; halfcl has the first.
PROGRAMS = {
    "product": (PRODUCT, [None, (64, 1), (16, 16)]),
    "product in tiles": (TILES, [(16, 16)]),
    "elimination": (ELIMINATION, [None, (4, 4)]),
}
PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"


def text(name, type_):
    return PRAGMA + f"#define T {type_}\n" + PROGRAMS[name][0]


def matrices(type_, n):
    """Return a diagonally dominant matrix, another matrix, and zeros."""
    rng = np.random.default_rng(n)
    dtype = np.float16 if type_ == "half" else np.float32
    a, b = (rng.uniform(0, 0.1, (n, n)).astype(dtype) for _ in range(2))
    a[np.diag_indices(n)] = 4
    return a, b, np.zeros((n, n), dtype)


def launches(name, n):
    """Yield what is launched: a kernel's name, its global size, and its ints after the buffers."""
    if name != "elimination":
        yield "multiply", (n, n), (n,)
        return
    for t in range(n - 1):
        yield "factors", (n,), (n, t)
        yield "subtract", (n, n), (n, t)


def buffers(name, type_, n):
    """Return new buffers of a program; the result is the last of a product, else the second."""
    a, b, zeros = matrices(type_, n)
    return [zeros, a, b[0].copy()] if name == "elimination" else [a, b, zeros]


def on_halfcl(name, type_, n, rounds):
    """Return the best seconds, and the result."""
    from halfcl import cl

    program = cl.Program(text(name, type_))
    group, best = PROGRAMS[name][1][0], float("inf")
    for _ in range(rounds):
        arrays = buffers(name, type_, n)
        start = time.thread_time()
        for kernel, size, numbers in launches(name, n):
            program[kernel](size, group, *arrays, *numbers)
        best = min(best, time.thread_time() - start)
    return best, arrays[1 if name == "elimination" else 2]


def on_runtime(name, type_, n, rounds):
    """Return the best seconds of the work-groups, in a process that has an OpenCL runtime."""
    import pyopencl as cl

    context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, text(name, type_)).build()
    kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    best = float("inf")
    more = max(1, 512 // n) ** 3  # short runs are more often disturbed by other work
    for group in PROGRAMS[name][1] * rounds * more:
        held = [cl.Buffer(context, flags, hostbuf=x) for x in buffers(name, type_, n)]
        queue.finish()
        start = time.perf_counter()
        for kernel, size, numbers in launches(name, n):
            kernels[kernel].set_args(*held, *map(np.int32, numbers))
            where = group if len(size) == 2 else None
            cl.enqueue_nd_range_kernel(queue, kernels[kernel], size, where)
        queue.finish()
        best = min(best, time.perf_counter() - start)
    return best


def runtime_seconds(*job):
    """Return the runtime's seconds from a process of its own; None where there is none."""
    environment = timing.intel_opencl()
    if not environment or importlib.util.find_spec("pyopencl") is None:
        return None
    result = subprocess.run(
        [sys.executable, __file__, "--job", json.dumps(job)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if result.returncode:
        print(result.stderr, file=sys.stderr)
        return None
    return float(result.stdout)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 256, 512])
    parser.add_argument("--rounds", type=int, default=10, help="runs timed, more of short ones")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    parser.add_argument("--markdown", action="store_true", help="a table")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(on_runtime(*json.loads(options.job)))
        return
    timing.settle(options.core)
    if options.markdown:
        print("| | n | halfcl.cl, ms | Intel's runtime, ms | halfcl.cl / runtime |")
        print("|---|---:|---:|---:|---:|")
    for name in PROGRAMS:
        for type_ in ("half", "float"):
            for n in options.sizes:
                job = name, type_, n, options.rounds
                ours, theirs = on_halfcl(*job)[0] * 1e3, runtime_seconds(*job)
                cells = [f"{name}, {type_}", str(n), f"{ours:.3g}"]
                if theirs:
                    cells += [f"{theirs * 1e3:.3g}", f"{ours / theirs / 1e3:.2g}"]
                print(f"| {' | '.join(cells)} |" if options.markdown else "  ".join(cells))
                sys.stdout.flush()
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
