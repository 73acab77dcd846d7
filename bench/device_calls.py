"""Time whole calls on a GPU's arrays, the host's part included, beside PyTorch's and CuPy's own.

python bench/device_calls.py                          all calls of 1,000, 2^20 and 2^26 elements
python bench/device_calls.py --sizes 1000 --rounds 20
python bench/device_calls.py --markdown               the tables for the docs

A call's time is that of many calls in sequence, the device's work included, divided by their
number: the best of several series, in turns with the peer's.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import cupy
import numpy as np
import report
import timing
import torch

import halfcl as hc

SIZES = (1000, 1 << 20, 1 << 26)
SIDES = (64, 256, 1024, 4096)

#: Each function's call by halfcl and by PyTorch or CuPy; x and y are arrays of either.
FUNCTIONS: dict[str, Callable[[Any, Any, Any], object]] = {
    "exp": lambda f, x, y: f.exp(x),
    "add": lambda f, x, y: f.add(x, y),
    "atan2": lambda f, x, y: f.atan2(x, y) if hasattr(f, "atan2") else f.arctan2(x, y),
    "sum": lambda f, x, y: f.sum(x),
    "std": lambda f, x, y: f.std(x),
}


def best(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return each call's time in microseconds."""
    counts, times = dict[str, int](), dict.fromkeys(calls, math.inf)
    for name, call in calls.items():
        seconds = series(call, 5) + series(call, 20)
        counts[name] = max(10, min(2000, int(0.5 / seconds)))
    for _ in range(rounds):
        for name, call in calls.items():
            times[name] = min(times[name], series(call, counts[name]) / counts[name])
    return {name: 1e6 * seconds for name, seconds in times.items()}


def series(call: Callable[[], object], count: int) -> float:
    """Return the seconds that so many calls take, until the device has finished."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def measure_calls(sizes: list[int], rounds: int) -> Iterator[list[str]]:
    """Yield a row for each size and function."""
    rng = np.random.default_rng(1)
    for size in sizes:
        halves = [rng.uniform(0.1, 4, min(size, 1 << 20)).astype(np.float16) for _ in "xy"]
        arrays = [cupy.asarray(np.resize(x, size)) for x in halves]
        tensors = [torch.as_tensor(x, device="cuda") for x in arrays]
        for name, function in FUNCTIONS.items():
            calls = {
                "tensors": lambda f=function, a=tensors: f(hc, *a),
                "PyTorch": lambda f=function, a=tensors: f(torch, *a),
                "CuPy's arrays": lambda f=function, a=arrays: f(hc, *a),
                "CuPy": lambda f=function, a=arrays: f(cupy, *a),
            }
            times = best(calls, rounds)
            ratios = [
                times["tensors"] / times["PyTorch"], times["CuPy's arrays"] / times["CuPy"],
            ]  # fmt: skip
            figures = [*times.values()]
            cells = [*map(report_time, figures[:2]), f"{ratios[0]:.2f}",
                     *map(report_time, figures[2:]), f"{ratios[1]:.2f}"]  # fmt: skip
            yield [report.size(size).removeprefix("n = "), name, *cells]


def measure_products(rounds: int) -> Iterator[list[str]]:
    """Yield a row for each size of square matrices."""
    for side in SIDES:
        a, b = (torch.randn(side, side, device="cuda").half() for _ in "ab")
        doubles = a.double(), b.double()
        times = best(
            {
                "exact": lambda x=(a, b): hc.matmul(*x),
                "float64": lambda x=doubles: torch.matmul(*x),
            },
            rounds,
        )
        speeds = [2 * side**3 / us / 1e6 for us in times.values()]
        yield [f"{side}", *(f"{speed:.2f}" for speed in speeds), f"{speeds[0] / speeds[1]:.2f}"]


def report_time(microseconds: float) -> str:
    return f"{microseconds:.1f}" if microseconds < 100 else f"{microseconds:.0f}"


CALLS_HEAD = (
    "elements", "function", "tensors, µs", "PyTorch", "ratio", "CuPy's arrays, µs", "CuPy", "ratio",
)  # fmt: skip
PRODUCTS_HEAD = ("side", "exact, TFLOP/s", "float64", "ratio")


def print_table(head: tuple[str, ...], rows: Iterator[list[str]], is_markdown: bool) -> None:
    if is_markdown:
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    else:
        print("  ".join(f"{cell:>17}" for cell in head))
    for row in rows:
        cells = [*row]
        print("| " + " | ".join(cells) + " |" if is_markdown else
              "  ".join(f"{cell:>17}" for cell in cells), flush=True)  # fmt: skip
    print()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}, PyTorch {torch.__version__}, CuPy {cupy.__version__}, "
          f"{timing.machine()['date']}\n")  # fmt: skip
    print_table(CALLS_HEAD, measure_calls(options.sizes, options.rounds), options.markdown)
    print_table(PRODUCTS_HEAD, measure_products(options.rounds), options.markdown)


if __name__ == "__main__":
    main()
