"""A Zarr array of any size through functions of halfcl, to an exact sum and standard deviation.

    python examples/past_memory.py [--size GIB] [--workers N] [--folder FOLDER] [--keep]

The array is written to disk block by block, read block by block by worker processes, and never
in memory as a whole: 0.125 GiB, unless --size says more. It needs pip install "halfcl[dask]"
zarr; with bokeh, too, the dashboard shows which worker does what. docs/howto/past_memory.md says
more.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, progress

import halfcl as hc

SIDE = 2048  # of a block on disk: 8 MiB of halves


def block_of_noise(block_info):
    """Return random halves that depend only on the block's place."""
    shape = block_info[None]["chunk-shape"]
    rng = np.random.default_rng(block_info[None]["chunk-location"])
    return rng.standard_normal(shape, np.float32).astype(np.float16)


def noise(gib):
    """Return a lazy array of `gib` GiB, SIDE columns wide."""
    blocks = max(1, round(gib * 2**30 / (2 * SIDE * SIDE)))
    chunks = ((SIDE,) * blocks, (SIDE,))
    return da.map_blocks(block_of_noise, chunks=chunks, dtype=np.float16)


def response(x):
    """Compute a saturating response to brightness, then its attenuation, rounded down."""
    bright = hc.tanh(hc.fma(x, 1.5, 0.25))
    return hc.divide(bright, hc.add(hc.fabs(x), 1), rounding="rtn")


def statistics(x):
    """Return lazy exact sum and standard deviation of the response, rounded to float64."""
    y = response(x)
    return {"sum": hc.sum(y, dtype=np.float64), "std": hc.std(y, dtype=np.float64)}


def compute(lazy, client):
    """Compute lazy results, with a progress bar in a terminal."""
    futures = client.compute(list(lazy.values()))
    if sys.stdout.isatty():
        progress(futures, notebook=False)
        print()
    return {name: float(x) for name, x in zip(lazy, client.gather(futures), strict=True)}


def run(path, gib, client):
    """Write the array, then reduce it in two chunkings, which give the same bits."""
    x = noise(gib)
    started = time.perf_counter()
    x.to_zarr(str(path), overwrite=True)
    print(f"wrote {x.nbytes / 2**30:.3g} GiB in {x.npartitions} blocks, "
          f"{time.perf_counter() - started:.1f} s")  # fmt: skip
    results = []
    for chunks in ((SIDE, SIDE), (2 * SIDE, SIDE // 4)):
        started = time.perf_counter()
        results.append(compute(statistics(da.from_zarr(str(path), chunks=chunks)), client))
        seconds = time.perf_counter() - started
        values = ", ".join(f"{name} {value.hex()}" for name, value in results[-1].items())
        print(f"in blocks of {chunks[0]} x {chunks[1]}: {values}, {seconds:.1f} s")
    print("the same bits:", results[0] == results[1])
    return results


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=float, default=0.125, metavar="GIB")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--folder", type=Path, help="the array's folder; default: a temporary one")
    parser.add_argument("--keep", action="store_true", help="keep the array")
    options = parser.parse_args(argv)
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        with (
            LocalCluster(options.workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            print("dashboard:", client.dashboard_link)
            run(folder / "noise.zarr", options.size, client)
    finally:
        if options.keep:
            print("the array:", folder / "noise.zarr")
        else:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
