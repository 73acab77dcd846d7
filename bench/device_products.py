"""Measure the speed of exact products of matrices, and of running sums, on a GPU.

    python bench/device_products.py [--device cuda]

A row a product of two square matrices: TFLOP/s of halfcl's, and beside it of cuBLAS in float64,
which it begins with, and in float16, which rounds as it goes; and which share of elements doubles
did not decide. A row a running sum: gigabytes read and written in a second, and CuPy's own. The
best of many runs.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from device_reductions import Cuda

from halfcl import device
from halfcl.device._reductions import products


def matrices(size: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {
        "normal": rng.standard_normal((2, size, size)).astype(np.float16),
        "integers": rng.integers(-50, 51, (2, size, size)).astype(np.float16),
        "all magnitudes": (np.exp2(rng.uniform(-14, 6, (2, size, size)))
                           * rng.choice([-1, 1], (2, size, size))).astype(np.float16),
    }  # fmt: skip


def show_products(place: Cuda, dev: device.DeviceFunctions) -> None:
    matmul = place.cupy.matmul
    print("| product | mode | TFLOP/s | of float64 | exact kernel | float64 | float16 | exact |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for size in (256, 1024, 4096):
        for kind, operands in matrices(size).items():
            x, y = (place.to(a) for a in operands)
            wide = x.astype(np.float64), y.astype(np.float64)

            def speed(call: Any, size: int = size) -> float:
                return float(2 * size**3 / place.best(call) / 1e12)

            double, half = speed(lambda w=wide: matmul(*w)), speed(lambda x=x, y=y: matmul(x, y))
            share = dev.products.count_exact_elements(x, y).sum() / size**2
            many, products.MANY = products.MANY, 1 << 60
            alone = speed(lambda x=x, y=y: dev.matmul(x, y))
            products.MANY = many
            for mode in ("rte", "rtz"):
                own = speed(lambda x=x, y=y, mode=mode: dev.matmul(x, y, rounding=mode))
                print(f"| {size} {kind} | {mode} | {own:.2f} | {own / double:.2f} | {alone:.2f} | "
                      f"{double:.2f} | {half:.1f} | {share:.1e} |", flush=True)  # fmt: skip


def show_running_sums(place: Cuda, dev: device.DeviceFunctions) -> None:
    print("\n| running sum | GB/s | CuPy |\n|---|---:|---:|")
    rng = np.random.default_rng(1)
    some = np.resize(rng.standard_normal(1 << 20).astype(np.float16), 1 << 28)
    flat = place.to(some)
    for shape, axis in (((1 << 28,), 0), ((1 << 20, 256), 1), ((1 << 16, 4096), 1),
                        ((1 << 25, 8), 1), ((4096, 1 << 16), 0), ((1 << 18, 1024), 0),
                        ((1 << 25, 8), 0)):  # fmt: skip
        x = flat.reshape(shape)
        own, other = (
            4 * x.size / place.best(lambda f=f, x=x, axis=axis: f(x, axis=axis)) / 1e9
            for f in (dev.cumsum, place.cupy.cumsum)
        )
        print(f"| {shape} axis {axis} | {own:,.0f} | {other:,.0f} |", flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=["cuda"])
    parser.parse_args(arguments)
    place = Cuda()
    dev = device.compile(place.where)
    print(f"{place.name}\n")
    show_products(place, dev)
    show_running_sums(place, dev)


if __name__ == "__main__":
    main(sys.argv[1:])
