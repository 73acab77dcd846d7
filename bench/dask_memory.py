"""Measure a worker's memory and the time of examples/past_memory.py against the array's size.

python bench/dask_memory.py [--sizes GIB ...] [--folder FOLDER] [--picture PATH]
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import dask.array as da
from dask.distributed import Client, LocalCluster

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import past_memory

SIZES = (0.0625, 0.25, 0.5, 1)


def peak():
    """Return the peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(gib, folder, workers):
    """Return seconds and the peak MiB of a worker for one pass over the array by new workers."""
    path = str(Path(folder) / f"{gib}.zarr")
    past_memory.noise(gib).to_zarr(path)
    with (
        LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(past_memory.response, 1.0)  # do not time imports
        started = time.perf_counter()
        past_memory.compute(past_memory.statistics(da.from_zarr(path)), client)
        seconds = time.perf_counter() - started
        return seconds, max(client.run(peak).values())


def draw(path, sizes, memory):
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    axes.plot(sizes, [1024 * size for size in sizes], ":", color="gray", label="the array")
    axes.plot(sizes, memory, "o-", label="a worker, at most")
    axes.set(xlabel="GiB of halves", ylabel="MiB", xlim=0, ylim=0)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=float, nargs="+", default=SIZES, metavar="GIB")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    rows = []
    for gib in options.sizes:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            rows.append(measure(gib, folder, options.workers))
        print(f"{gib:8} GiB {rows[-1][0]:8.1f} s {rows[-1][1]:8.0f} MiB a worker", flush=True)
        if options.picture:
            draw(options.picture, options.sizes[: len(rows)], [memory for _, memory in rows])


if __name__ == "__main__":
    main()
