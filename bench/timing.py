"""Time columns in turns, on one pinned core and with aligned arrays.

A column is any callable `block(count) -> seconds` that runs its call count times, as
`timeit.Timer.timeit` does.
"""

import os
import platform
import random
import sys
import timeit
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

ALIGNMENT = 128  # the alignment that OpenCL requires of memory shared with its host
BLOCK = 5e-4  # seconds: short enough that some blocks escape the machine's other work
SETTLED = "HALFCL_BENCH_CORE"
THREADS = "OMP_NUM_THREADS"


def settle(core=None, threads=1, others=None):
    """Restart this program with a number of threads per pool, and with other variables.

    One thread is pinned to a core.

    A restart, because these are read when a process or a library starts: threads inherit the
    core, the dynamic linker reads LD_LIBRARY_PATH once, OpenCL and OpenMP their own variables.
    """
    if SETTLED in os.environ:
        return
    where = f"{threads} threads"
    if threads == 1:
        core = max(os.sched_getaffinity(0)) if core is None else core
        os.sched_setaffinity(0, {core})
        where = str(core)
    pools = dict.fromkeys((THREADS, "OPENBLAS_NUM_THREADS", "HALFCL_NUM_THREADS"), str(threads))
    settings = {SETTLED: where} | pools | intel_opencl(threads) | (others or {})
    os.execve(sys.executable, sys.orig_argv, os.environ | settings)


def threads():
    """Return the number of threads per pool."""
    return int(os.environ.get(THREADS, 1))


def intel_opencl(threads=1):
    """Return the environment in which a new process finds pip's Intel OpenCL; {} without it."""
    intel = Path(sys.prefix, "lib", "libintelocl.so")
    if not intel.exists():
        return {}
    return {
        "OCL_ICD_VENDORS": str(intel),  # pip's own .icd file names its build machine's path
        "LD_LIBRARY_PATH": f"{intel.parent}:{os.environ.get('LD_LIBRARY_PATH', '')}",
        "CL_CONFIG_CPU_TBB_NUM_WORKERS": str(threads),  # 1: run in the calling thread
        "PYOPENCL_NO_CACHE": "1",
    }


def aligned_copy(values):
    """Copy an array into memory of its own, aligned for every peer."""
    memory = np.empty(values.nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    copy = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def per_call(block, budget=BLOCK):
    """Return the seconds per warm call, and the count of calls that fills the budget."""
    count = 1
    while (seconds := block(count)) < budget and count < 1_000_000:
        count = max(2 * count, min(10 * count, int(count * budget / max(seconds, 1e-9))))
    return seconds / count, max(1, int(budget / (seconds / count)))


def best_of(columns, rounds=100):
    """Return the best seconds per call of each column, {name: block} -> {name: seconds}.

    Each round times every column once, in a new order, so that what else the machine does
    falls on all of them alike.
    """
    counts = {name: per_call(block)[1] for name, block in columns.items()}
    best = dict.fromkeys(columns, float("inf"))
    order = list(columns)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            best[name] = min(best[name], columns[name](counts[name]) / counts[name])
    return best


def best_calls(calls, rounds=100):
    """Return the best seconds per call of plain Python callables, as best_of does for blocks."""
    return best_of({name: timeit.Timer(call).timeit for name, call in calls.items()}, rounds)


def machine():
    """Return facts about the machine that a reader needs, {what: value}."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = {key.strip(): value for key, _, value in (line.partition(": ") for line in lines)}
    model = [cpu.get(key, "") for key in ("model name", "cpu family", "model")]
    return {
        "cpu": "{} (family {}, model {})".format(*model),
        "core": os.environ.get(SETTLED, "not pinned"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "halfcl path": halfcl_path(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def halfcl_path():
    """Return the instruction set that halfcl chose at load."""
    try:
        import halfcl
    except ImportError:
        return "halfcl not installed"
    return halfcl.processor_info()["isa"]
