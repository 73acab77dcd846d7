"""Measure the speed of halfcl's functions on a device, in a kernel of their own.

    python bench/device.py cuda [--size 2**28]
    python bench/device.py opencl[:PLATFORM[:DEVICE]] [--size 2**20] [--no-fp16]

A row a function: on a GPU with CUDA, the share of the bandwidth that copying as many bytes has, to
nearest and in the slowest directed mode; PyTorch's function beside it, if there is one. With OpenCL
the time of an element, and the ratio to the device's own function of half (which rounds as it
likes). The best of many runs; operands in each function's domain.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl.audit._targets.devices.opencl_device import choose
from halfcl.device import cuda, opencl
from halfcl.device._source.catalogue import MODES, Form, forms

#: PyTorch's other names; None for functions of its names that compute something else.
TORCH = {
    "multiply": "mul", "divide": "div", "subtract": "sub", "fabs": "abs", "rint": "round",
    "degrees": "rad2deg", "radians": "deg2rad", "tgamma": None,
    "isequal": "eq", "isless": "lt", "isgreater": "gt", "round": None, "max": None, "min": None,
    "powr": None, "logb": None, "negative": "neg", "log2p1": None,
}  # fmt: skip

#: The ranges of operands, if not (0.1, 4.1).
DOMAIN = {"asin": (-1, 1), "acos": (-1, 1), "asinpi": (-1, 1), "acospi": (-1, 1),
          "atanh": (-1, 1), "acosh": (1, 60), "sin": (-30, 30), "cos": (-30, 30),
          "tan": (-30, 30), "exp": (-8, 8), "tanh": (-4, 4), "erf": (-3, 3),
          "sinh": (-8, 8), "cosh": (-8, 8), "lgamma": (0.1, 60)}  # fmt: skip

OPERATORS = {"add": "x + y", "subtract": "x - y", "multiply": "x * y", "divide": "x / y",
             "negative": "-x", "fdim": "fdim(x, y)"}  # fmt: skip


def half_forms() -> list[Form]:
    """Return the functions of halves alone, with one result."""
    first_forms = [several[0] for several in forms().values()]
    return [f for f in first_forms if set(f.inputs) == {"e"} and f.outputs == "e" and not f.vectors]


def operands(form: Form, size: int) -> list[Any]:
    rng = np.random.default_rng(1)
    low, high = DOMAIN.get(form.name, (0.1, 4.1))
    part = rng.uniform(low, high, min(size, 1 << 20)).astype(np.float16)
    return [np.resize(np.roll(part, k), size) for k in range(len(form.inputs))]


# ---------------------------------------------------------------- CUDA


def _cuda_kernel(form: Form, mode: str) -> str:
    """Return a kernel with 16 elements per thread, as two vectors."""
    names = "abc"[: len(form.inputs)]
    parameters = ", ".join(f"const hc_half8 *{v}" for v in names)
    loads = " ".join(f"{v}v[j] = {v}[i + j * blockDim.x];" for v in names)
    declared = " ".join(f"hc_half8 {v}v[2];" for v in names)
    call = f"hc_{form.name}_{mode}({', '.join(f'{v}v[j]' for v in names)})"
    return f"""
extern "C" __global__ void run_{mode}({parameters}, hc_half8 *out)
{{
    long long i = (long long)blockIdx.x * blockDim.x * 2 + threadIdx.x;
    {declared}
    #pragma unroll
    for (int j = 0; j < 2; ++j) {{ {loads} }}
    #pragma unroll
    for (int j = 0; j < 2; ++j) out[i + j * blockDim.x] = {call};
}}
"""


def _best_on_gpu(cupy: Any, call: Callable[[], Any], runs: int = 10) -> float:
    """Return the best time in milliseconds."""
    call()
    best = np.inf
    for _ in range(runs):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        best = min(best, cupy.cuda.get_elapsed_time(start, end))
    return float(best)


def _torch_function(torch: Any, name: str) -> Any:
    known = TORCH.get(name, name)
    return getattr(torch, known, None) if torch and known else None


def measure_on_cuda(size: int, only: list[str]) -> None:
    import cupy

    try:
        import torch
    except ImportError:
        torch = None
    source, target = cupy.empty(size, np.float16), cupy.empty(size, np.float16)
    stream = cupy.cuda.get_current_stream().ptr
    copy = _best_on_gpu(
        cupy,
        lambda: cupy.cuda.runtime.memcpyAsync(
            target.data.ptr, source.data.ptr, 2 * size, 3, stream
        ),
    )
    bandwidth = 4 * size / copy
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}: {size:,} elements; copying {bandwidth / 1e6:,.0f} GB/s\n")
    print("| function | rte | slowest of the others | PyTorch |\n|---|---:|---:|---:|")
    for form in half_forms():
        if only and form.name not in only:
            continue
        text = cuda([form.name]) + "".join(_cuda_kernel(form, m) for m in MODES)
        module = cupy.RawModule(code=text, options=("--std=c++17",))
        arrays = [cupy.asarray(x) for x in operands(form, size)]
        moved = 2 * (len(arrays) + 1) * size

        def share(call: Callable[[], Any], moved: int = moved) -> float:
            return moved / _best_on_gpu(cupy, call) / bandwidth

        shares = {}
        for mode in MODES:
            kernel = module.get_function(f"run_{mode}")
            shares[mode] = share(
                lambda k=kernel, g=arrays: k((size // 4096,), (256,), (*g, target))
            )
        function, peer = _torch_function(torch, form.name), ""
        if function:
            tensors = [torch.as_tensor(x, device="cuda") for x in arrays]
            out = torch.as_tensor(target, device="cuda")
            try:
                peer = f"{share(lambda f=function, t=tensors, o=out: f(*t, out=o)):.2f}"
            except (RuntimeError, TypeError):
                peer = ""
        slowest = min(shares[m] for m in MODES if m != "rte")
        print(f"| {form.name} | {shares['rte']:.2f} | {slowest:.2f} | {peer} |", flush=True)


# ---------------------------------------------------------------- OpenCL


def _opencl_kernels(form: Form, half: str, own: bool) -> str:
    names = "xyz"[: len(form.inputs)]
    parameters = ", ".join(f"__global const {half} *{v}_in" for v in names)
    loads = " ".join(f"{half} {v} = {v}_in[i];" for v in names)
    text = ""
    for mode in MODES:
        call = f"hc_{form.name}_{mode}({', '.join(names)})"
        text += (
            f"__kernel void run_{mode}({parameters}, __global {half} *out) "
            f"{{ size_t i = get_global_id(0); {loads} out[i] = {call}; }}\n"
        )
    if own:
        call = OPERATORS.get(form.name, f"{form.name}({', '.join(names)})")
        text += (
            f"__kernel void run_own({parameters}, __global {half} *out) "
            f"{{ size_t i = get_global_id(0); {loads} out[i] = {call}; }}\n"
        )
    return text


def measure_on_opencl(where: str, size: int, fp16: bool, only: list[str]) -> None:
    import pyopencl as cl

    platform, _, name = where.partition(":")
    device = choose(cl, platform, name)
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    exact = cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    options = ["-DHC_NATIVE_CONVERSION"] if fp16 else []
    if device.single_fp_config & exact:
        options += ["-DHC_NATIVE_DIVISION", "-cl-fp32-correctly-rounded-divide-sqrt"]
    half, flags = "half" if fp16 else "ushort", cl.mem_flags
    target = cl.Buffer(context, flags.WRITE_ONLY, 2 * size)
    print(f"{device.platform.name}, {device.name}: {size:,} elements, {' '.join(options)}\n")
    print("| function | rte, ns | slowest of the others | times the device's own |")
    print("|---|---:|---:|---:|")
    for form in half_forms():
        if only and form.name not in only:
            continue
        text = opencl([form.name], fp16)
        try:
            program = cl.Program(context, text + _opencl_kernels(form, half, fp16)).build(options)
        except cl.RuntimeError:  # the device has no such function
            program = cl.Program(context, text + _opencl_kernels(form, half, False)).build(options)
        arrays = [
            cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
            for x in operands(form, size)
        ]
        times = {}
        for kernel in program.all_kernels():
            runs = []
            for _ in range(30):
                event = kernel(queue, (size,), None, *arrays, target)
                event.wait()
                runs.append(event.profile.end - event.profile.start)
            times[kernel.function_name] = min(runs) / size
        slowest = max(times[f"run_{m}"] for m in MODES if m != "rte")
        own = times.get("run_own")
        ratio = f"{times['run_rte'] / own:.2f}" if own else ""
        print(f"| {form.name} | {times['run_rte']:.3f} | {slowest:.3f} | {ratio} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("runtime", help="cuda or opencl[:PLATFORM[:DEVICE]]")
    parser.add_argument("--size", default="", help="elements, a multiple of 4096: 2**28, 2**20")
    parser.add_argument("--no-fp16", action="store_true", help="treat halves as ushorts")
    parser.add_argument("--functions", default="", help="functions to time, separated by commas")
    options = parser.parse_args()
    kind, _, where = options.runtime.partition(":")
    base, _, power = (options.size or ("2**28" if kind == "cuda" else "2**20")).partition("**")
    size = int(base) ** int(power or 1)
    only = [n for n in options.functions.split(",") if n]
    if kind == "cuda":
        measure_on_cuda(size, only)
    elif kind == "opencl":
        measure_on_opencl(where, size, not options.no_fp16, only)
    else:
        parser.error(f"runtime: expected cuda or opencl, got {kind!r}")


if __name__ == "__main__":
    main()
