"""Time kernels on an OpenCL runtime for bench/kernels.py, in a process of its own.

The loader reads its environment once, when the process starts.

    python bench/opencl_kernels.py FOLDER

The folder has a job.json: source, rounds, whether the kernel's own time is asked for, and its
arguments, arrays in .npy files or numbers. Printed is the best time of several work-group sizes.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pyopencl as cl


def arguments(context, folder, values):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    for value in values:
        if isinstance(value, str):
            yield cl.Buffer(context, flags, hostbuf=np.load(folder / value))
        else:
            yield np.int32(value)


def seconds(queue, kernel, count, group, values, is_profiled):
    start = time.perf_counter()
    event = kernel(queue, (count,), group and (group,), *values)
    event.wait()
    if is_profiled:
        return (event.profile.end - event.profile.start) * 1e-9
    return time.perf_counter() - start


def main():
    folder = Path(sys.argv[1])
    job = json.loads((folder / "job.json").read_text())
    context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
    profiling = cl.command_queue_properties.PROFILING_ENABLE
    queue = cl.CommandQueue(context, properties=profiling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        kernel = cl.Program(context, job["source"]).build().all_kernels()[0]
    values = list(arguments(context, folder, job["values"]))
    groups = [g for g in job["groups"] if not g or job["count"] % g == 0]
    print(min(
        seconds(queue, kernel, job["count"], group, values, job["is_profiled"])
        for group in groups
        for _ in range(job["rounds"])
    ))  # fmt: skip


if __name__ == "__main__":
    main()
