"""Time kernels on OpenCL devices: translated, as their author wrote them, and interpreted.

    python bench/kernels_on_devices.py                     each device
    python bench/kernels_on_devices.py --device Intel      those of whose name this is a part
    python bench/kernels_on_devices.py --device cuda       NVIDIA's: in CUDA C++, and in OpenCL C
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
from kernels import PRAGMA, hand_written

import halfcl as hc
from halfcl import cl

MODES = ("rte", "rtp")


def cases(count):
    """Return by name: global size, source, buffers with the result last, other arguments."""
    rows = hand_written(count).items()
    return {name: (row[0], row[1], [*row[2], row[3]], row[4]) for name, row in rows}


def devices(part):
    every = [d for platform in opencl.get_platforms() for d in platform.get_devices()]
    return [d for d in every if part.lower() in f"{d.platform.name} {d.name}".lower()]


def best_seconds(finish, kernel, rounds):
    """Return the best seconds per launch, including the wait for its end."""

    def run():
        kernel()
        finish()

    return timing.best_calls({"": run}, rounds)[""]


def build_as_written(queue, source, size, buffers, others):
    """Return a launch of the device's own build of the kernel; None if it has no halves."""
    try:
        program = opencl.Program(queue.context, PRAGMA + source).build()
    except opencl.Error:
        return None
    kernel = program.all_kernels()[0]
    kernel.set_args(*(b.data for b in buffers), *map(to_argument, others))
    required = kernel.get_work_group_info(
        opencl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE, queue.device
    )
    shape = np.atleast_1d(size).tolist()
    group = list(required[: len(shape)]) if any(required) else None
    return partial(opencl.enqueue_nd_range_kernel, queue, kernel, shape, group)


def to_argument(value):
    """Convert an argument for pyopencl: vectors to bytes, ints to 32 bits."""
    if isinstance(value, np.ndarray):
        return value.view(np.uint8)
    return np.int32(value) if isinstance(value, int) else np.float16(value)


def measure(device, fp16, size, source, buffers, others, rounds):
    """Return whether all results are equal, and seconds by column; `device` may be "cuda"."""
    here = cl.Program(PRAGMA + source).kernels[0]
    there = cl.Program(PRAGMA + source, device=device, fp16=fp16).kernels[0]
    on_device = [b.view(np.float16) if b.dtype == hc.half else b for b in buffers]
    best = {}
    if device == "cuda":
        import cupy

        on_device = [cupy.asarray(b) for b in on_device]
        finish = cupy.cuda.Device().synchronize
    else:
        on_device = [arrays.to_device(device, b) for b in on_device]
        finish = device.finish
        own = build_as_written(device, source, size, on_device, others)
        best = {"as written": best_seconds(finish, own, rounds)} if own else {}
    is_equal = True
    for mode in MODES:
        here(size, None, *buffers, *others, rounding=mode)
        launch = partial(there, size, None, *on_device, *others, rounding=mode)
        launch()
        is_equal &= on_device[-1].get().tobytes() == buffers[-1].tobytes()
        best[mode] = best_seconds(finish, launch, rounds)
    best["interpreted"] = timing.best_calls(
        {"": partial(here, size, None, *buffers, *others)}, min(rounds, 5)
    )[""]
    return is_equal, best


def table(name, device, ways, options):
    """Print the table of a device, by kernel and form."""
    print(f"\n{name}\n")
    if options.markdown:
        print("| " + " | ".join(HEADS) + " |\n|---|---|---|" + "---:|" * (len(HEADS) - 3))
    else:
        print("".join(f"{head:>18}" for head in HEADS))
    for kernel, case in cases(options.n).items():
        for way, fp16 in ways.items():
            cells = line(kernel, way, *measure(device, fp16, *case, options.rounds))
            if options.markdown:
                print("| " + " | ".join(cells) + " |", flush=True)
            else:
                print("".join(f"{cell:>18}" for cell in cells), flush=True)


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
    parser.add_argument(
        "--device",
        default="",
        help="a part of the device's or its platform's name, or cuda (through CuPy)",
    )
    parser.add_argument("-n", type=int, default=1 << 20, help="work-items; default 2^20")
    parser.add_argument("--rounds", type=int, default=20, help="launches timed per column")
    parser.add_argument("--markdown", action="store_true", help="a table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # compilers warn of remarks
    if options.device == "cuda":
        table("CUDA, through CuPy", "cuda", {"own": None}, options)
    for device in devices(options.device):
        context = opencl.Context([device])  # kept: Intel's queues do not keep theirs
        ways = {"bits": False}
        if "cl_khr_fp16" in device.extensions.split():
            ways["own"] = True
        name = f"{device.platform.name.strip()}: {device.name.strip()}"
        table(name, opencl.CommandQueue(context), ways, options)
    print()
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
