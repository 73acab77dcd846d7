"""Kernels on OpenCL devices: translated, as their author wrote them, and interpreted.

    python bench/kernels_on_devices.py                     each device
    python bench/kernels_on_devices.py --device Intel      those of whose name this is a part
    python bench/kernels_on_devices.py --markdown          a table for the docs
    python bench/kernels_on_devices.py -n 4096 --rounds 2

A row a kernel, and a way for it to have halves: the device's own, or as bits in ushort. Each is run
in rte and rtp, by halfcl.cl.Program(source, device=queue), and compared with the interpreter, byte
by byte. Beside it, what the device's compiler makes of the text as it is, which rounds as it likes,
if it takes it: some have halves that they do not tell of. Buffers stay on the device; the best of
many launches.
"""

import argparse
import warnings
from functools import partial

import numpy as np
import pyopencl as opencl
import pyopencl.array as arrays
import timing
from kernels import PRAGMA, by_hand, halves

import halfcl as hc
from halfcl import cl

AXPY = """
kernel void axpy(global const half *x, global const half *y, global half *out, half a)
{
    size_t i = get_global_id(0);
    out[i] = a * x[i] + y[i];
}
"""

GRAY_SCOTT = """
kernel void react(global const half2 *in, global half2 *out, int width)
{
    int i = get_global_id(0), n = get_global_size(0);
    int x = i % width;
    half2 here = in[i];
    half2 left = in[x > 0 ? i - 1 : i], right = in[x < width - 1 ? i + 1 : i];
    half2 above = in[i >= width ? i - width : i], below = in[i + width < n ? i + width : i];
    half2 spread = left + right + above + below - 4.0h * here;
    half reaction = here.x * here.y * here.y;
    half2 change = (half2)(0.16h, 0.08h) * spread;
    change.x += 0.035h * (1.0h - here.x) - reaction;
    change.y += reaction - 0.1h * here.y;
    out[i] = here + change;
}
"""

MODES = ("rte", "rtp")


def cases(count):
    """By name the source, buffers with the result last, and what follows."""
    rng = np.random.default_rng(1)
    found = {name: (row[0], [*row[1], row[2]], row[3]) for name, row in by_hand(count).items()}
    x, y = (halves(rng, -1, 1, count) for _ in range(2))
    found["axpy, half"] = AXPY, [x, y, np.zeros_like(x)], [hc.half(0.3)]
    width = 1 << (count.bit_length() // 2)
    grid = halves(rng, 0, 1, count, 2)
    found["Gray-Scott, half2"] = GRAY_SCOTT, [grid, np.zeros_like(grid)], [width]
    return found


def devices(part):
    found = [d for platform in opencl.get_platforms() for d in platform.get_devices()]
    return [d for d in found if part.lower() in f"{d.platform.name} {d.name}".lower()]


def timed(queue, kernel, rounds):
    """The best seconds of launches, waited for."""

    def run():
        kernel()
        queue.finish()

    return timing.best_calls({"": run}, rounds)[""]


def untranslated(queue, source, count, buffers, others):
    """The kernel as the device's compiler has it; None if that has no halves."""
    try:
        program = opencl.Program(queue.context, PRAGMA + source).build()
    except opencl.Error:
        return None
    kernel = program.all_kernels()[0]
    kernel.set_args(*(b.data for b in buffers), *map(as_argument, others))
    return partial(opencl.enqueue_nd_range_kernel, queue, kernel, (count,), None)


def as_argument(value):
    """Vectors are bytes for pyopencl, ints 32 bits."""
    if isinstance(value, np.ndarray):
        return value.view(np.uint8)
    return np.int32(value) if isinstance(value, int) else np.float16(value)


def measured(queue, fp16, source, buffers, others, rounds):
    """A row: whether all is equal, and seconds by column."""
    count = len(buffers[0])
    here = cl.Program(PRAGMA + source).kernels[0]
    there = cl.Program(PRAGMA + source, device=queue, fp16=fp16).kernels[0]
    held = [
        arrays.to_device(queue, b.view(np.float16) if b.dtype == hc.half else b) for b in buffers
    ]
    own = untranslated(queue, source, count, held, others)
    best = {"as written": timed(queue, own, rounds)} if own else {}
    is_equal = True
    for mode in MODES:
        here(count, None, *buffers, *others, rounding=mode)
        launch = partial(there, count, None, *held, *others, rounding=mode)
        launch()
        is_equal &= held[-1].get().tobytes() == buffers[-1].tobytes()
        best[mode] = timed(queue, launch, rounds)
    best["interpreted"] = timing.best_calls(
        {"": partial(here, count, None, *buffers, *others)}, min(rounds, 5)
    )[""]
    return is_equal, best


def line(name, way, is_equal, best):
    ours = best["rte"]
    own = best.get("as written")
    cells = [
        name,
        way,
        "yes" if is_equal else "NO",
        f"{ours * 1e3:.3f}",
        f"{best['rtp'] * 1e3:.3f}",
    ]
    cells.append(f"{ours / own:.2f}" if own else "")
    cells.append(f"{best['rtp'] / own:.2f}" if own else "")
    return [*cells, f"{best['interpreted'] / ours:.3g}"]


HEADS = ["kernel", "halves", "equal", "rte, ms", "rtp, ms", "rte / as written",
         "rtp / as written", "interpreted / rte"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="", help="a part of its platform's name, or its own")
    parser.add_argument("-n", type=int, default=1 << 20, help="work-items; default 2^20")
    parser.add_argument("--rounds", type=int, default=20, help="launches timed a column")
    parser.add_argument("--markdown", action="store_true", help="a table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of compilers that remark something
    for device in devices(options.device):
        print(f"\n{device.platform.name.strip()}: {device.name.strip()}\n")
        if options.markdown:
            print("| " + " | ".join(HEADS) + " |\n|---|---|---|" + "---:|" * (len(HEADS) - 3))
        else:
            print("".join(f"{head:>18}" for head in HEADS))
        context = opencl.Context([device])  # kept: Intel's queues do not keep theirs
        queue = opencl.CommandQueue(context)
        ways = {"bits": False}
        if "cl_khr_fp16" in device.extensions.split():
            ways["own"] = True
        for name, case in cases(options.n).items():
            for way, fp16 in ways.items():
                cells = line(name, way, *measured(queue, fp16, *case, options.rounds))
                if options.markdown:
                    print("| " + " | ".join(cells) + " |", flush=True)
                else:
                    print("".join(f"{cell:>18}" for cell in cells), flush=True)
    print()
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
