"""Time OpenCL C kernels that run by halfcl.cl, for 2^20 work-items.

    python bench/kernels.py                  all of it
    python bench/kernels.py --markdown       tables for the docs
    python bench/kernels.py -n 4096 --rounds 2

Kernels of half against the same functions of whole arrays, written by hand with halfcl; kernels of
float against Oclgrind (apt install oclgrind), which interprets them for all work-items in turn, and
against Intel's runtime (pip install pyopencl intel-opencl-rt intel-cmplr-lib-rt), which compiles
them: columns are left out where these are not there. All on one pinned core, in turns, the best of
many runs. A program of 200 lines is built, once everything is imported.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from timeit import Timer

import numpy as np
import timing

import halfcl as hc
from halfcl import cl

PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"

# ---------------------------------------------------------------- half: from source and by hand

BLEND = """
kernel void over(global const half4 *front, global const half4 *back, global half4 *out)
{
    size_t i = get_global_id(0);
    half4 f = front[i], b = back[i];
    half left = 1.0h - f.w;
    half4 mixed = f + b * left;
    half4 multiplied = f * b + f * (1.0h - b.w) + b * left;
    half4 screened = f + b - f * b;
    out[i] = 0.5h * mixed + 0.25h * multiplied + 0.25h * screened;
}
"""


def over(front, back):
    one = hc.half(1)
    rest = one - front[..., 3:]
    mixed = front + back * rest
    multiplied = front * back + front * (one - back[..., 3:]) + back * rest
    screened = front + back - front * back
    return hc.half(0.5) * mixed + hc.half(0.25) * multiplied + hc.half(0.25) * screened


TONE = """
kernel void tone(global const half4 *in, global half4 *out, half exposure)
{
    size_t i = get_global_id(0);
    half4 x = in[i] * exposure;
    half4 y = x * (2.51h * x + 0.03h) / (x * (2.43h * x + 0.59h) + 0.14h);
    y = clamp(y, (half4)(0.0h), (half4)(1.0h));
    half4 r = sqrt(y);
    out[i] = ((0.585h * r - 0.683h) * r + 1.0977h) * r;
}
"""


def tone(image, exposure):
    half = hc.half
    x = image * exposure
    y = x * (half(2.51) * x + half(0.03)) / (x * (half(2.43) * x + half(0.59)) + half(0.14))
    y = hc.clamp(y, half(0), half(1))
    r = hc.sqrt(y)
    return ((half(0.585) * r - half(0.683)) * r + half(1.0977)) * r


SHADE = """
kernel void shade(global const half4 *normals, global const half4 *views,
                  global const half4 *albedo, global half4 *out, half4 light, half4 ambient)
{
    size_t i = get_global_id(0);
    half4 n = normalize(normals[i]);
    half4 halfway = normalize(light + views[i]);
    half diffuse = fmax(dot(n, light), 0.0h);
    half s = fmax(dot(n, halfway), 0.0h);
    s *= s;
    s *= s;
    s *= s;
    s *= s;
    half4 a = albedo[i];
    half4 colour = a * (ambient + diffuse) + s;
    out[i] = clamp(colour, (half4)(0.0h), (half4)(1.0h));
}
"""


def shade(normals, views, albedo, light, ambient):
    n = hc.normalize(normals)
    halfway = hc.normalize(light + views)
    diffuse = hc.fmax(hc.dot(n, light), hc.half(0))
    s = hc.fmax(hc.dot(n, halfway), hc.half(0))
    for _ in range(4):
        s = s * s
    colour = albedo * (ambient + diffuse[..., np.newaxis]) + s[..., np.newaxis]
    return hc.clamp(colour, hc.half(0), hc.half(1))


ESCAPE = """
kernel void escape(global const half2 *points, global int *counts, int limit)
{
    size_t i = get_global_id(0);
    half2 c = points[i];
    half x = 0, y = 0;
    int n = 0;
    while (n < limit) {
        half xx = x * x, yy = y * y;
        if (xx + yy > 4.0h)
            break;
        y = 2.0h * x * y + c.y;
        x = xx - yy + c.x;
        ++n;
    }
    counts[i] = n;
}
"""


def escape(points, limit):
    """Iterate over whole arrays by hand; a mask marks the remaining points."""
    cx, cy = points[:, 0].copy(), points[:, 1].copy()
    x, y = np.zeros_like(cx), np.zeros_like(cx)
    counts = np.zeros(len(cx), np.int32)
    alive = np.ones(len(cx), bool)
    two, four = hc.half(2), hc.half(4)
    for _ in range(limit):
        xx, yy = x * x, y * y
        alive &= ~(xx + yy > four)
        if not alive.any():
            break
        y = hc.select(y, two * x * y + cy, alive)
        x = hc.select(x, xx - yy + cx, alive)
        counts += alive
    return counts


# ---- what all items do alike: loops of one length, images that wrap around, sums of a group

AXPY = """
kernel void axpy(global const half *x, global const half *y, global half *out, half a)
{
    size_t i = get_global_id(0);
    out[i] = a * x[i] + y[i];
}
"""


def axpy(x, y, a):
    return a * x + y


REACT = """
kernel void react(global const half2 *in, global half2 *out, half feed, half kill)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    half2 c = in[y * w + x];
    half2 around = in[y * w + (x + 1) % w] + in[y * w + (x + w - 1) % w]
        + in[(y + 1) % h * w + x] + in[(y + h - 1) % h * w + x];
    half2 spread = (around - 4.0h * c) * (half2)(0.2h, 0.1h);
    half reaction = c.x * c.y * c.y;
    out[y * w + x] = c + spread
        + (half2)(feed * (1.0h - c.x) - reaction, reaction - (feed + kill) * c.y);
}
"""


def react(c, feed, kill):
    half = hc.half
    bits = c.view(np.uint16)  # which NumPy moves several times as fast
    moves = [(-1, 1), (1, 1), (-1, 0), (1, 0)]
    right, left, below, above = (np.roll(bits, *move).view(half) for move in moves)
    spread = (right + left + below + above - half(4) * c) * np.array([0.2, 0.1], half)
    u, v = c[..., 0], c[..., 1]
    reaction = u * v * v
    change = np.empty_like(c)
    change[..., 0] = feed * (half(1) - u) - reaction
    change[..., 1] = reaction - (feed + kill) * v
    return c + spread + change


PRODUCT = """
kernel void product(global const half *a, global const half *b, global half *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    half sum = 0;
    for (int k = 0; k < n; ++k)
        sum = fma(a[y * n + k], b[k * w + x], sum);
    out[y * w + x] = sum;
}
"""


def product(a, b, n):
    total = np.zeros((len(a), b.shape[1]), hc.half)
    for k in range(n):
        total = hc.fma(a[:, k : k + 1], b[k], total)
    return total


SUM = """
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void sum(global const half *in, global half *out)
{
    local half part[256];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 128; step > 0; step /= 2) {
        if (l < step)
            part[l] += part[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
"""


def sum_of_groups(x):
    parts = x.reshape(-1, 256)
    while (step := parts.shape[1] // 2) > 0:
        parts = parts[:, :step] + parts[:, step:]
    return parts[:, 0]


def halves(rng, low, high, *shape):
    return timing.aligned_copy(rng.uniform(low, high, shape).astype(np.float16)).view(hc.half)


def hand_written(n):
    """Return for each kernel its global size, source, buffers, other arguments, and function.

    The last buffer is the result.
    """
    rng = np.random.default_rng(1)
    colour = partial(halves, rng, 0, 1)
    normals, views = (halves(rng, -1, 1, n, 4) for _ in range(2))
    vectors = [np.array([0.6, 0.64, 0.48, 0], hc.half), np.full(4, 0.1, hc.half)]
    points = halves(rng, -2, 1, n, 2)
    out, line = np.zeros((n, 4), hc.half), np.zeros(n, hc.half)
    width = 1 << (n.bit_length() // 2)
    size, shape = (width, n // width), (n // width, width)
    depth = 32
    factors = [halves(rng, 0, 0.1, n // width, depth), halves(rng, 0, 0.1, depth, width)]
    rates = [hc.half(0.035), hc.half(0.065)]
    cases = {
        "over, half4": (n, BLEND, [colour(n, 4), colour(n, 4)], out, [], over),
        "tone map, half4": (n, TONE, [colour(n, 4)], out, [hc.half(1.5)], tone),
        "Blinn-Phong, half4": (n, SHADE, [normals, views, colour(n, 4)], out, vectors, shade),
        "Mandelbrot, half": (n, ESCAPE, [points], np.zeros(n, np.int32), [64], escape),
        "axpy, half": (n, AXPY, [colour(n), colour(n)], line, [hc.half(0.7)], axpy),
        "Gray-Scott, half2": (
            size,
            REACT,
            [colour(*shape, 2)],
            np.zeros((*shape, 2), hc.half),
            rates,
            react,
        ),
        "matrix product, half": (
            size,
            PRODUCT,
            factors,
            np.zeros(shape, hc.half),
            [depth],
            product,
        ),
    }
    if n % 256 == 0:
        sums = line[: n // 256]
        cases["sums of 256, half"] = (n, SUM, [colour(n)], sums, [], sum_of_groups)
    return cases


def against_hand(size, source, inputs, out, others, function):
    kernel = cl.Program(PRAGMA + source).kernels[0]
    with np.errstate(all="ignore"):
        wanted = function(*inputs, *others)
    kernel(size, None, *inputs, out, *others)
    assert np.asarray(out).tobytes() == np.asarray(wanted).tobytes(), kernel.name

    def hand():
        with np.errstate(all="ignore"):
            function(*inputs, *others)

    return {
        "kernel": Timer(partial(kernel, size, None, *inputs, out, *others)).timeit,
        "by hand": Timer(hand).timeit,
    }


# ---------------------------------------------------------------- float: Oclgrind, Intel

DIFFUSE = """
kernel void react(global const float2 *in, global float2 *out, int width)
{
    int i = get_global_id(0), n = get_global_size(0);
    int x = i % width;
    float2 here = in[i];
    float2 left = in[x > 0 ? i - 1 : i], right = in[x < width - 1 ? i + 1 : i];
    float2 above = in[i >= width ? i - width : i], below = in[i + width < n ? i + width : i];
    float2 spread = left + right + above + below - 4.0f * here;
    float reaction = here.x * here.y * here.y;
    float2 change = (float2)(0.16f, 0.08f) * spread;
    change.x += 0.035f * (1.0f - here.x) - reaction;
    change.y += reaction - 0.1f * here.y;
    out[i] = here + change;
}
"""


def to_float(source):
    """Return the same kernel in float."""
    return re.sub(r"(\d)h\b", r"\1f", re.sub(r"\bhalf", "float", source))


def in_float(n):
    """Return for each kernel its source, buffers with the result last, and other arguments."""
    rng = np.random.default_rng(2)

    def floats(low, high, *shape):
        return timing.aligned_copy(rng.uniform(low, high, shape).astype(np.float32))

    colours = [floats(0, 1, n, 4) for _ in range(2)]
    width = 1 << (n.bit_length() // 2)
    return {
        "over, float4": (to_float(BLEND), [*colours, np.zeros((n, 4), np.float32)], []),
        "Gray-Scott, float2": (
            DIFFUSE,
            [floats(0, 1, n, 2), np.zeros((n, 2), np.float32)],
            [width],
        ),
        "Mandelbrot, float": (
            to_float(ESCAPE),
            [floats(-2, 1, n, 2), np.zeros(n, np.int32)],
            [64],
        ),
    }


#: Oclgrind runs this many times fewer work-items; its time is scaled, since it grows linearly.
FEWER = 64
OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")


def oclgrind(n, source, buffers, others):
    """Return Oclgrind's seconds, or None where it is not installed."""
    if not OCLGRIND.exists():
        return None
    count = max(n // FEWER, 1)
    environment = {"OCL_ICD_VENDORS": str(OCLGRIND), "OCLGRIND_NUM_THREADS": "1"}
    job = {"count": count, "rounds": 2, "is_profiled": False, "groups": [64]}
    seconds = seconds_on_runtime(environment, job, source, [b[:count] for b in buffers], others)
    return seconds and seconds * n / count


def intel(n, source, buffers, others):
    environment = timing.intel_opencl()
    if not environment:
        return None
    job = {"count": n, "rounds": 20, "is_profiled": True, "groups": [None, 64, 1024, 8192]}
    return seconds_on_runtime(environment, job, source, buffers, others)


def seconds_on_runtime(environment, job, source, buffers, others):
    """Return the kernel's seconds in another process; None without pyopencl."""
    if importlib.util.find_spec("pyopencl") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{k}.npy" for k in range(len(buffers))]
        for name, buffer in zip(names, buffers, strict=True):
            np.save(Path(folder, name), buffer)
        job = {**job, "source": source, "values": [*names, *others]}
        Path(folder, "job.json").write_text(json.dumps(job))
        program = Path(__file__).with_name("opencl_kernels.py")
        result = subprocess.run(
            [sys.executable, program, folder],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
    if result.returncode:
        print(result.stderr, file=sys.stderr)
        return None
    return float(result.stdout)


def against_runtimes(n, rounds, source, buffers, others):
    """Return {column: seconds}."""
    kernel = cl.Program(source).kernels[0]
    best = timing.best_calls({"kernel": partial(kernel, n, None, *buffers, *others)}, rounds)
    peers = {"Oclgrind": oclgrind, "Intel's runtime": intel}
    seconds = {name: peer(n, source, buffers, others) for name, peer in peers.items()}
    return best | {name: seconds for name, seconds in seconds.items() if seconds}


# ---------------------------------------------------------------- building


def long_program(lines=200):
    """Return the kernels above, repeated under different names."""
    parts, count = [PRAGMA], 0
    while sum(part.count("\n") for part in parts) < lines:
        for source in (SHADE, TONE, BLEND, ESCAPE):
            count += 1
            parts.append(re.sub(r"\b(shade|tone|over|escape)\b", rf"\1_{count}", source))
    return (
        "".join("".join(parts).splitlines(keepends=True)[:lines]).rpartition("\n}\n")[0] + "\n}\n"
    )


def building_seconds(rounds):
    source = long_program()
    cl.Program(PRAGMA + TONE)  # imports all modules
    return timing.best_calls({"build": partial(cl.Program, source)}, rounds)["build"]


# ---------------------------------------------------------------- output


def lines(name, best):
    """Yield the lines of one row: the kernel's time, and each peer's time relative to it."""
    ours = best["kernel"]
    yield f"{name:24} {ours * 1e3:9.3f} ms"
    for peer, seconds in best.items():
        if peer != "kernel":
            yield f"    {peer:30} {seconds * 1e3:10.3f} ms: {seconds / ours:.3g} times as long"


def markdown(name, best):
    """Yield one row of the table per peer."""
    for peer, seconds in best.items():
        if peer != "kernel":
            ours, theirs = best["kernel"] * 1e3, seconds * 1e3
            yield f"| {name} | {ours:.2f} | {peer} | {theirs:.4g} | {theirs / ours:.3g} |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-n", type=int, default=1 << 20, help="work-items; default 2^20")
    parser.add_argument("--rounds", type=int, default=20, help="blocks timed per column")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    parser.add_argument("--markdown", action="store_true", help="a table")
    options = parser.parse_args()
    timing.settle(options.core)
    show = markdown if options.markdown else lines
    if options.markdown:
        print("| | kernel, ms | peer | peer, ms | peer / kernel |\n|---|---:|---|---:|---:|")
    for name, case in hand_written(options.n).items():
        best = timing.best_of(against_hand(*case), options.rounds)
        print(*show(name, best), sep="\n", flush=True)
    for name, case in in_float(options.n).items():
        best = against_runtimes(options.n, options.rounds, *case)
        print(*show(name, best), sep="\n", flush=True)
    print(f"\na program of 200 lines: built in {building_seconds(options.rounds) * 1e3:.1f} ms\n")
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
