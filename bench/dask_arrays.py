"""Measure what Dask adds to an exact reduction: per element, per chunk and per accumulator.

python bench/dask_arrays.py [--log2 N] [--rounds N]
"""

import argparse
import pickle

import timing


def columns_of(n):
    """Return reductions of n elements, {name: call}, which share no intermediate results."""
    import dask.array as da
    import numpy as np

    import halfcl as hc

    x = (np.arange(n) % 1001 - 500).astype(hc.half)
    wide = x.astype(np.float32)
    columns = {"hc.sum": lambda: hc.sum(x), "np.sum of float32": lambda: np.sum(wide)}
    for log2 in (20, 22, 24):
        d, f = (da.from_array(a, chunks=1 << log2) for a in (x, wide))
        columns[f"hc.sum, chunks of 2^{log2}"] = lambda d=d: hc.sum(d).compute()
        columns[f"sum of float32, chunks of 2^{log2}"] = lambda f=f: f.sum().compute()
        columns[f"hc.std, chunks of 2^{log2}"] = lambda d=d: hc.std(d).compute()
    return columns


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2", type=int, default=26, help="elements")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    timing.settle()
    import dask
    import dask.array as da

    import halfcl as hc
    from halfcl.reductions import Accumulator

    dask.config.set(scheduler="synchronous")
    n = 1 << options.log2
    for name, seconds in timing.best_calls(columns_of(n), options.rounds).items():
        print(f"{name:36}{seconds / n * 1e9:8.3f} ns an element")
    tiny = da.zeros(1 << 12, chunks=2, dtype=hc.half)
    one, other = (Accumulator("var").add([hc.half(i), hc.half(1)]) for i in range(2))
    calls = {"graph": lambda: hc.sum(tiny), "all": lambda: hc.sum(tiny).compute(),
             "merge": lambda: one.copy().merge(other)}  # fmt: skip
    best = timing.best_calls(calls, 5)
    chunks = tiny.npartitions
    print(f"a chunk: {best['all'] / chunks * 1e6:.0f} us, of which the graph is made in "
          f"{best['graph'] / chunks * 1e6:.0f}")  # fmt: skip
    print(f"an accumulator: {one.nbytes} bytes, {len(pickle.dumps(one))} pickled; "
          f"merged in {best['merge'] * 1e6:.0f} us")  # fmt: skip


if __name__ == "__main__":
    main()
