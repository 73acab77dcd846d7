"""Time products of few rows and a matrix, of half and float16, against float32, on one core.

python bench/vector_products.py              all
python bench/vector_products.py "v @ m"      rows whose name has this
python bench/vector_products.py --markdown   the table for the docs
"""

import argparse

import numpy as np
import timing

import halfcl as hc

#: Name -> shapes, and what is computed of them.
ROWS = {
    "v @ m, from memory": (((4096,), (4096, 11008)), np.matmul),
    "v @ m": (((768,), (768, 3072)), np.matmul),
    "v @ m, in cache": (((128,), (128, 512)), np.matmul),
    "v @ m, Fortran order": (((768,), (3072, 768)), lambda v, m: v @ m.T),
    "m.T @ v": (((768,), (768, 3072)), lambda v, m: m.T @ v),
    "m @ v": (((768, 3072), (3072,)), np.matmul),
    "np.dot(x, m)": (((1, 768), (768, 3072)), np.dot),
    "4 rows @ m": (((4, 768), (768, 3072)), np.matmul),
    "8 rows @ m": (((8, 768), (768, 3072)), np.matmul),
    "8 rows @ m.T": (((8, 768), (3072, 768)), lambda x, m: x @ m.T),
    "v @ m[:, ::2]": (((768,), (768, 3072)), lambda v, m: v @ m[:, ::2]),
    "stack of v @ m": (((32, 1, 128), (32, 128, 512)), np.matmul),
    "stack of m @ v": (((32, 512, 128), (32, 128, 1)), np.matmul),
    "q @ k.T, one token": (((32, 1, 64), (32, 256, 64)), lambda q, k: q @ k.transpose(0, 2, 1)),
    "picture @ (3,)": (((360, 640, 3), (3,)), np.matmul),
    "picture @ (3, 3)": (((360, 640, 3), (3, 3)), np.matmul),
    "3 x 3 per pixel": (((20000, 3, 3), (20000, 3, 1)), np.matmul),
    "v @ v": (((4096,), (4096,)), np.dot),
    **{f"{n} x {n} squares": (((n, n), (n, n)), np.matmul) for n in (2, 3, 4, 8, 16, 32, 48)},
}


def measure(shapes, function):
    """Return the best seconds per call by kind of element."""
    rng = np.random.default_rng(0)
    halves = [rng.uniform(-2, 2, shape).astype(np.float16) for shape in shapes]
    kinds = {"half": hc.half, "float16": np.float16, "float32": np.float32}
    operands = {name: [x.astype(kind) for x in halves] for name, kind in kinds.items()}
    return timing.best_calls(
        {name: lambda x=arrays: function(*x) for name, arrays in operands.items()}, rounds=20
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    timing.settle()
    hc.accelerate()
    header = ("product", "half, us", "accelerated", "float32", "float32 / half", "/ accelerated")
    rows = [header, *([("---",) * len(header)] if options.markdown else [])]
    for name, (shapes, function) in ROWS.items():
        if any(part in name for part in options.names):
            us = {kind: 1e6 * seconds for kind, seconds in measure(shapes, function).items()}
            ratios = (us["float32"] / us[kind] for kind in ("half", "float16"))
            rows.append((name, *(f"{v:.2f}" for v in (*us.values(), *ratios))))
    for row in rows:
        print(f"| {' | '.join(row)} |" if options.markdown else "  ".join(f"{c:>20}" for c in row))
    print("\n" + "\n".join(f"{name}: {value}" for name, value in timing.machine().items()))


if __name__ == "__main__":
    main()
