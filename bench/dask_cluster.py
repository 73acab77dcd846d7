"""Reductions along axis 0 on a cluster of two workers of 500 MB, beside Dask's own in float64.

python bench/dask_cluster.py [--columns N] [--blocks N] [--rounds N] [--statistics NAME ...]
"""

import argparse
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import halfcl as hc

ROWS = 20


def make_block(block_info=None):
    """Return a block of float16 that takes little time to make."""
    return np.full(block_info[None]["chunk-shape"], 0.1, np.float16)


def columns_of(x, statistics):
    """Return the calls to time, {name: function that makes a Dask array}."""
    columns = {}
    for name in statistics:
        columns[f"hc.{name}"] = lambda name=name: getattr(hc, name)(x, axis=0)
        columns[f"Dask's {name}"] = lambda name=name: getattr(x.astype("f8"), name)(0)
    return columns


def measure(columns, client, rounds):
    """{name: (best seconds, best seconds of the workers' processors)}, in turns."""
    best = {name: (float("inf"), float("inf")) for name in columns}
    for _ in range(rounds):
        for name, make in columns.items():
            busy = sum(client.run(time.process_time).values())
            start = time.perf_counter()
            make().compute()
            seconds = time.perf_counter() - start
            busy = sum(client.run(time.process_time).values()) - busy
            best[name] = min(best[name][0], seconds), min(best[name][1], busy)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=1_000_000)
    parser.add_argument("--blocks", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--statistics", nargs="+", default=["sum"])
    options = parser.parse_args()
    chunks = ((ROWS,) * options.blocks, (options.columns,))
    x = da.map_blocks(make_block, chunks=chunks, dtype=np.float16)
    with (
        LocalCluster(2, threads_per_worker=1, memory_limit="500MB", dashboard_address=None) as own,
        Client(own) as client,
    ):
        best = measure(columns_of(x, options.statistics), client, options.rounds)
    for name, (seconds, busy) in best.items():
        print(f"{name:16}{seconds:8.2f} s, {busy:8.2f} s of processors")


if __name__ == "__main__":
    main()
