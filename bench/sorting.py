"""Time sorting, searching and selecting halves against NumPy's float16 and float32.

python bench/sorting.py                      every call, on 2^20 random elements
python bench/sorting.py sort argsort         those whose names begin so
python bench/sorting.py --size 1000000 --rounds 5
"""

import argparse
import sys
from functools import partial

import numpy as np
import timing

SIZE = 1 << 20

#: Each a call of an environment: a (random), s (sorted), p (permutation of 0 .. n - 1), m (a
#: random mask), v (n / 16 of a's elements), o (a in another order), square (a in two dimensions).
CALLS = {
    "sort": lambda e: np.sort(e.a),
    "sort stable": lambda e: np.sort(e.a, kind="stable"),
    "sort sorted": lambda e: np.sort(e.s),
    "sort axis 0": lambda e: np.sort(e.square, axis=0),
    "sort axis 1": lambda e: np.sort(e.square, axis=1),
    "argsort": lambda e: np.argsort(e.a),
    "argsort stable": lambda e: np.argsort(e.a, kind="stable"),
    "argsort axis 0": lambda e: np.argsort(e.square, axis=0),
    "argsort axis 1": lambda e: np.argsort(e.square, axis=1),
    "lexsort": lambda e: np.lexsort((e.o, e.a)),
    "partition": lambda e: np.partition(e.a, e.a.size // 2),
    "argpartition": lambda e: np.argpartition(e.a, e.a.size // 2),
    "median": lambda e: np.median(e.a),
    "percentile": lambda e: np.percentile(e.a, [5, 50, 95]),
    "nanmedian": lambda e: np.nanmedian(e.a),
    "argmax": lambda e: np.argmax(e.a),
    "argmin": lambda e: np.argmin(e.a),
    "argmax axis 0": lambda e: np.argmax(e.square, axis=0),
    "argmax axis 1": lambda e: np.argmax(e.square, axis=1),
    "nanargmax": lambda e: np.nanargmax(e.a),
    "max": lambda e: np.max(e.a),
    "max axis 0": lambda e: np.max(e.square, axis=0),
    "nanmax": lambda e: np.nanmax(e.a),
    "searchsorted": lambda e: np.searchsorted(e.s, e.v),
    "searchsorted right": lambda e: np.searchsorted(e.s, e.v, side="right"),
    "searchsorted sorter": lambda e: np.searchsorted(e.a, e.v, sorter=e.p),
    "searchsorted all": lambda e: np.searchsorted(e.s, e.a),
    "searchsorted few": lambda e: np.searchsorted(e.s, e.v[:100]),
    "searchsorted in few": lambda e: np.searchsorted(e.few, e.a),
    "digitize": lambda e: np.digitize(e.a, e.few),
    "unique": lambda e: np.unique(e.a),
    "unique inverse": lambda e: np.unique(e.a, return_inverse=True),
    "unique counts": lambda e: np.unique(e.a, return_counts=True),
    "isin": lambda e: np.isin(e.a, e.v),
    "isin few": lambda e: np.isin(e.a, e.few),
    "histogram": lambda e: np.histogram(e.a, 50),
    "histogram edges": lambda e: np.histogram(e.a, e.few),
    "interp": lambda e: np.interp(e.v, e.few, e.few),
    "bincount weights": lambda e: np.bincount(e.index, e.a),
    "where": lambda e: np.where(e.m, e.a, e.o),
    "where scalar": lambda e: np.where(e.m, e.a, e.zero),
    "choose": lambda e: np.choose(e.index % 2, (e.a, e.o)),
    "select": lambda e: np.select([e.m, ~e.m], [e.a, e.o]),
    "take": lambda e: np.take(e.a, e.p),
    "fancy index": lambda e: e.a[e.p],
    "boolean index": lambda e: e.a[e.m],
    "boolean assignment": lambda e: e.out.__setitem__(e.m, e.zero),
    "compress": lambda e: np.compress(e.m, e.a),
    "put": lambda e: np.put(e.out, e.p, e.a),
    "nonzero": lambda e: np.nonzero(e.a),
    "count_nonzero": lambda e: np.count_nonzero(e.a),
    "nonzero sparse": lambda e: np.nonzero(e.sparse),
    "any": lambda e: np.any(e.sparse),
    "astype bool": lambda e: e.a.astype(bool),
    "fill": lambda e: e.out.fill(e.zero),
    "full": lambda e: np.full(e.a.size, e.zero),
    "copy": lambda e: e.a.copy(),
    "copy reversed": lambda e: e.a[::-1].copy(),
    "copy transposed": lambda e: np.ascontiguousarray(e.square.T),
    "copyto where": lambda e: np.copyto(e.out, e.a, where=e.m),
    "putmask": lambda e: np.putmask(e.out, e.m, e.a),
    "place": lambda e: np.place(e.out, e.m, e.v),
    "repeat": lambda e: np.repeat(e.v, 16),
    "roll": lambda e: np.roll(e.a, 12345),
    "arange": lambda e: np.arange(0, 2000, dtype=e.a.dtype),
    "tolist": lambda e: e.v.tolist(),
    "byteswap": lambda e: e.a.byteswap(),
    "clip": lambda e: np.clip(e.a, e.zero, e.one),
    "diff": lambda e: np.diff(e.a),
    "array_equal": lambda e: np.array_equal(e.a, e.s),
}


class Environment:
    """The variables of the calls, of one dtype."""

    def __init__(self, dtype, size):
        rng = np.random.default_rng(0)
        values = rng.standard_normal(size).astype(np.float16)
        side = int(size**0.5)
        self.a = timing.aligned_copy(values).astype(dtype)
        self.s = np.sort(values).astype(dtype)
        self.p = np.argsort(values, kind="stable")
        self.o = rng.permutation(values).astype(dtype)
        self.v = rng.permutation(values)[: size // 16].astype(dtype)
        self.m = rng.random(size) < 0.5
        self.square = self.a[: side * side].reshape(side, side)
        self.few = np.linspace(-3, 3, 61).astype(np.float16).astype(dtype)
        self.index = rng.integers(0, 1000, size)
        self.sparse = np.zeros(size, dtype)
        self.out = np.empty(size, dtype)
        self.zero, self.one = self.a.dtype.type(0), self.a.dtype.type(1)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("calls", nargs="*", metavar="call", help="beginnings of names")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    timing.settle(options.core)
    try:
        from halfcl import half
    except ImportError as error:
        sys.exit(f"halfcl cannot be imported: {error}")
    dtypes = {"half": half, "float16": np.float16, "float32": np.float32}
    environments = {name: Environment(dtype, options.size) for name, dtype in dtypes.items()}
    print(f"{options.size} elements, ms{'':23}half   float16   float32   float16 / half")
    for name, call in CALLS.items():
        if options.calls and not name.startswith(tuple(options.calls)):
            continue
        calls = {key: partial(call, e) for key, e in environments.items()}
        best = timing.best_calls(calls, options.rounds)
        ms = {key: seconds * 1e3 for key, seconds in best.items()}
        print(
            f"{name:32}{ms['half']:11.3f}{ms['float16']:10.3f}{ms['float32']:10.3f}"
            f"{ms['float16'] / ms['half']:12.2f}",
            flush=True,
        )
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
