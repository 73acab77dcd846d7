"""Measure the speed of exact reductions on a device.

    python bench/device_reductions.py --device cuda [--size 2**28]
    python bench/device_reductions.py --device opencl[:PLATFORM[:DEVICE]] [--size 2**24]

A row a reduction: gigabytes read in a second, the share of what copying moves (which reads and
writes), and beside it the library's own sum, which rounds as it goes: CuPy's and PyTorch's with
CUDA. The best of many runs; where a device counts its own time, of several calls one after the
other, so that it has work while the host prepares the next.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from halfcl import device

#: Launches in sequence.
CALLS = 8


class Case(NamedTuple):
    """A statistic of an array of a shape along an axis."""

    name: str
    shape: tuple[int, ...]
    axis: int | None

    @property
    def arrays(self) -> int:
        return 2 if self.name == "vdot" else 1


def cases(size: int) -> list[Case]:
    cases = [Case(name, (size,), None) for name in ("sum", "vdot", "sumsq", "mean", "var")]
    for row in (2, 8, 33, 64, 256, 1000, 4096, 65536):
        cases.append(Case("sum", (size // row, row), 1))
    cases += [Case(name, (size // 1024, 1024), 1) for name in ("vdot", "mean", "std")]
    for columns in (1, 8, 100, 1024, 65536):
        cases.append(Case("sum", (size // columns, columns), 0))
    cases += [Case(name, (size // 1024, 1024), 0) for name in ("vdot", "mean", "std")]
    cases.append(Case("sum", (64, size // 65536, 1024), 1))
    return cases


class Cuda:
    """CuPy's arrays, timed by events, and the calls to compare, by name."""

    def __init__(self) -> None:
        import cupy

        self.cupy, self.where = cupy, cupy.cuda.Device(0)
        self.name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def to(self, x: Any) -> Any:
        return self.cupy.asarray(x)

    def copy(self, target: Any, source: Any) -> Callable[[], object]:
        stream = self.cupy.cuda.get_current_stream().ptr
        memcpy = self.cupy.cuda.runtime.memcpyAsync
        return lambda: memcpy(target.data.ptr, source.data.ptr, source.nbytes, 3, stream)

    def best(self, call: Callable[[], object], runs: int = 20) -> float:
        """Return the best time in seconds."""
        call()
        best = np.inf
        for _ in range(runs):
            start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
            start.record()
            for _ in range(CALLS):
                call()
            end.record()
            end.synchronize()
            best = min(best, self.cupy.cuda.get_elapsed_time(start, end) / CALLS)
        return float(best) / 1000

    def peers(self, case: Case, arrays: list[Any]) -> dict[str, Callable[[], object]]:
        x, axis = arrays[0], case.axis
        calls: dict[str, Callable[[], object]] = {}
        if case.name in ("sum", "mean", "var", "std"):
            calls["CuPy"] = lambda: getattr(self.cupy, case.name)(x, axis=axis)
        try:
            import torch
        except ImportError:
            return calls
        tensors = [torch.as_tensor(a, device="cuda") for a in arrays]
        if case.name == "vdot" and axis is None:
            calls["PyTorch"] = lambda: torch.dot(*tensors)
        elif case.name in ("sum", "mean", "var", "std"):
            function = getattr(torch, case.name)
            calls["PyTorch"] = lambda: function(
                tensors[0], **({} if axis is None else {"dim": axis})
            )
        return calls


class OpenCL:
    """pyopencl's arrays, timed by the host's clock."""

    def __init__(self, of: str) -> None:
        import pyopencl as cl
        import pyopencl.array as arrays

        from halfcl.device._backends.choosing import choose

        platform, _, number = of.partition(":")
        chosen = choose(cl, platform, number)
        self.name, self._arrays = chosen.name.strip(), arrays
        self._context = cl.Context([chosen])
        self.where = cl.CommandQueue(self._context)
        self._cl = cl

    def to(self, x: Any) -> Any:
        return self._arrays.to_device(self.where, x)

    def copy(self, target: Any, source: Any) -> Callable[[], object]:
        return lambda: self._cl.enqueue_copy(self.where, target.data, source.data)

    def best(self, call: Callable[[], object], runs: int = 5) -> float:
        """Return the best time in seconds."""
        call()
        best = np.inf
        for _ in range(runs):
            self.where.finish()
            start = time.perf_counter()
            call()
            self.where.finish()
            best = min(best, time.perf_counter() - start)
        return float(best)

    def peers(self, case: Case, arrays: list[Any]) -> dict[str, Callable[[], object]]:
        return {}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="opencl")
    parser.add_argument("--size", type=lambda text: int(eval(text)))
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    is_cuda = options.device == "cuda"
    place: Any = Cuda() if is_cuda else OpenCL(options.device.partition(":")[2])
    size = options.size or (1 << 28 if is_cuda else 1 << 24)
    dev = device.compile(place.where)
    rng = np.random.default_rng(1)
    some = np.resize((rng.standard_normal(1 << 20) * 100).astype(np.float16), size)
    flat = [place.to(some), place.to(some)]
    bandwidth = 4 * size / place.best(place.copy(flat[1], flat[0]))
    print(f"{place.name}: {size:,} elements; copying {bandwidth / 1e9:,.0f} GB/s\n")
    print("| reduction | GB/s | of copying | others, GB/s |\n|---|---:|---:|---|")
    for case in cases(size):
        if options.only not in (case.name, ""):
            continue
        count = int(np.prod(case.shape))
        arrays = [x[:count].reshape(case.shape) for x in flat[: case.arrays]]
        moved = 2 * count * case.arrays
        function = getattr(dev, case.name)
        speed = moved / place.best(lambda f=function, a=arrays, c=case: f(*a, axis=c.axis))
        peers = [
            f"{name} {moved / place.best(call) / 1e9:,.0f}"
            for name, call in place.peers(case, arrays).items()
        ]
        shown = f"{case.name} {case.shape} axis {case.axis}"
        print(f"| {shown} | {speed / 1e9:,.1f} | {speed / bandwidth:.2f} | {', '.join(peers)} |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
