"""Time products of square matrices of half, exact or not, against float32 and float64.

python bench/matrix_products.py                  one core
python bench/matrix_products.py --threads 16     sixteen of them
python bench/matrix_products.py --sizes 64 512   two sizes
python bench/matrix_products.py --markdown       the table for the docs

Each kind is measured in a process of its own: threads of NumPy's library go on asking for work for
a while, and would take halfcl's processors.
"""

import argparse
import json
import os
import subprocess
import sys
import timeit

import numpy as np
import timing

SIZES = (4, 16, 64, 128, 256, 512, 1024, 2048)
ROUNDS, BUDGET = 9, 0.02  # seconds a round, or one product

KINDS = ("exact", "inexact", "float32", "float64")
ONLY = "HALFCL_BENCH_KIND"


def product(kind, a, b):
    """Return the call to time."""
    import halfcl as hc

    if kind == "inexact":
        x, y = a.view(hc.half), b.view(hc.half)
        return lambda: hc.matmul(x, y, exact=False)
    x, y = (v.view(hc.half) if kind == "exact" else v.astype(kind) for v in (a, b))
    return lambda: x @ y


def measure(kind, sizes):
    """Return milliseconds by size."""
    rng = np.random.default_rng(0)
    milliseconds = {}
    for n in sizes:
        timer = timeit.Timer(
            product(kind, *(rng.uniform(-1, 1, (n, n)).astype(np.float16) for _ in "ab"))
        )
        timer.timeit(1)
        count = max(1, int(BUDGET / timer.timeit(1)))
        milliseconds[n] = 1e3 * min(timer.timeit(count) / count for _ in range(ROUNDS))
    return milliseconds


def measure_in_process(kind, sizes):
    environment = {**os.environ, ONLY: kind}
    command = [sys.executable, __file__, "--sizes", *map(str, sizes)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return {int(n): ms for n, ms in json.loads(done.stdout).items()}


def lines(milliseconds, sizes):
    names = ("n", "exact, ms", "inexact", "float32", "float64", "float64 / exact")
    yield (*names, "float32 / exact", "float32 / inexact")
    for n in sizes:
        ms = {kind: milliseconds[kind][n] for kind in KINDS}
        yield (
            str(n),
            *(f"{ms[kind]:.4f}" for kind in KINDS),
            f"{ms['float64'] / ms['exact']:.2f}",
            f"{ms['float32'] / ms['exact']:.2f}",
            f"{ms['float32'] / ms['inexact']:.2f}",
        )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    if ONLY in os.environ:
        print(json.dumps(measure(os.environ[ONLY], options.sizes)))
        return
    timing.settle(threads=options.threads)
    rows = list(
        lines({kind: measure_in_process(kind, options.sizes) for kind in KINDS}, options.sizes)
    )
    if options.markdown:
        rows.insert(1, ("---:",) * len(rows[0]))
    for row in rows:
        print(f"| {' | '.join(row)} |" if options.markdown else "  ".join(f"{c:>15}" for c in row))
    print("\n" + "\n".join(f"{name}: {value}" for name, value in timing.machine().items()))


if __name__ == "__main__":
    main()
