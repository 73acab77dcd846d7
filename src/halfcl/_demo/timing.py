"""Times of a picture's steps: halfcl in each rounding mode, and NumPy's float16."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl import MODES
from halfcl._support.arguments.integers import as_int

#: The steps by name, in order: halfcl's function and NumPy's. Each gets the previous result.
Steps = dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]


def _time_run(photo: NDArray[np.uint8], steps: Sequence[Callable[[Any], Any]]) -> list[float]:
    """Run the steps one after another on the photograph and return the seconds of each."""
    times = []
    x: Any = photo
    for step in steps:
        start = time.perf_counter()
        x = step(x)
        times.append(time.perf_counter() - start)
    return times


def check_repeat(repeat: int) -> None:
    """Raise TypeError or ValueError unless the argument is a number of runs."""
    if as_int("repeat", repeat) < 1:
        raise ValueError(f"repeat: expected 1 or more, got {repeat}")


def time_steps(
    steps: Steps, photo: NDArray[np.uint8], repeat: int = 10
) -> dict[str, dict[str, float]]:
    """Return the seconds of each step: ``times[step][who]``, who being a mode or ``"float16"``.

    The best of ``repeat`` runs counts, after one that does not. They take turns.

    Temporaries are kept from going back to the system in between, for both: what
    counts is arithmetic, not page faults.
    """
    check_repeat(repeat)
    # Once a block this large was freed, the C library reuses freed memory below its size.
    np.empty(30 << 20, np.uint8)
    ours, theirs = ([step[i] for step in steps.values()] for i in (0, 1))
    runs: dict[str, list[list[float]]] = {who: [] for who in ("float16", *MODES)}
    for _ in range(repeat + 1):
        runs["float16"].append(_time_run(photo, theirs))
        for mode in MODES:
            with hc.rounding(mode, builtins=True):
                runs[mode].append(_time_run(photo, ours))
    best = {who: np.min(times[1:], axis=0) for who, times in runs.items()}
    return {
        step: {who: float(times[i]) for who, times in best.items()} for i, step in enumerate(steps)
    }


def time_table(times: dict[str, dict[str, float]]) -> list[str]:
    """Return the times of `time_steps` as lines of text, in microseconds."""
    columns = list(times.values())
    total = {who: sum(row[who] for row in columns) for who in columns[0]}
    lines = [f"{'step':<24}{'halfcl':>10}{'NumPy float16':>16}{'ratio':>9}"]
    for step, row in {**times, "total": total}.items():
        lines.append(
            f"{step:<24}{row['rte'] * 1e6:>7.0f} µs{row['float16'] * 1e6:>13.0f} µs"
            f"{row['float16'] / row['rte']:>8.1f}x"
        )
    others = ", ".join(f"{mode} {total[mode] * 1e6:.0f} µs" for mode in MODES if mode != "rte")
    return [*lines, f"halfcl's times are for rte; totals in the other modes: {others}."]
