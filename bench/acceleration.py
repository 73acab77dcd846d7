"""Measure what halfcl.accelerate() gains: NumPy's float16 with it off and on, in one process.

python bench/acceleration.py                    every ufunc at every size
python bench/acceleration.py add exp --sizes 1 16384
python bench/acceleration.py --markdown         the first table of docs/evidence/acceleration.md
python bench/acceleration.py --wrong            the second: how many results NumPy has wrong
python bench/acceleration.py --others           the third: casts, sorting, dot
"""

import argparse
import statistics
import timeit
from functools import partial

import numpy as np
import ops
import timing

import halfcl as hc
from halfcl._numpy import compat as numpy_compat
from halfcl._tables import TABLE

SIZES = (1, 4, 16, 64, 256, 1024, 1 << 14, 1 << 20)
BUDGET = 3e-4  # seconds per block

#: The sides of matrices, by the greatest number of elements of the result.
SIDES = {1: 1, 4: 2, 16: 4, 64: 8, 256: 16, 1024: 32, 1 << 14: 128, 1 << 20: 128}

#: The ranges of inputs, for rows that the other benchmark does not time.
DOMAINS = {
    "floor_divide": (ops.MODERATE, ops.NONZERO),
    "floor_remainder": (ops.MODERATE, ops.NONZERO),
    "divmod": (ops.MODERATE, ops.NONZERO),
    "reciprocal": ops.NONZERO,
    "clip": (ops.MODERATE, ops.uniform(-8, 0), ops.uniform(0, 8)),
}


def rows():
    """Return NumPy's ufuncs by name, each with its row."""
    with hc.accelerated():
        names = hc.accelerated_ufuncs()
    by_ufunc = {name: row for row in TABLE for name in row.numpy}
    ufuncs = numpy_compat.ufuncs()
    return {ufuncs[name]: by_ufunc[name] for name in names if name in by_ufunc}


def shapes(ufunc, size):
    """Return the shapes of the inputs, and of the result."""
    side = SIDES[size]
    vector, square = (side,), (side, side)
    return {
        "matmul": ((square, square), square),
        "matvec": ((square, vector), vector),
        "vecmat": ((vector, square), vector),
        "vecdot": (((max(1, size // 16), 16),) * 2, (max(1, size // 16),)),
    }.get(ufunc.__name__, (((size,),) * ufunc.nin, (size,)))


def call(ufunc, row, size):
    """Return the call to time."""
    rng = np.random.default_rng(size)
    domain = DOMAINS.get(row.name) or ops.DOMAINS.get(row.name)
    domains = domain or tuple(ops.DEFAULTS[letter] for letter in row.inputs)
    domains = domains if isinstance(domains, tuple) else (domains,) * row.nin
    ins, out = shapes(ufunc, size)
    inputs = [
        timing.aligned_copy(draw(rng, int(np.prod(shape))).astype(letter).reshape(shape))
        for draw, letter, shape in zip(domains, row.inputs, ins, strict=True)
    ]
    outs = [timing.aligned_copy(np.zeros(out, letter)) for letter in row.outputs]
    return partial(ufunc, *inputs, *outs)


def best(function, rounds):
    """Return seconds per call with acceleration off and on, timed in turns."""
    timer = timeit.Timer(function)
    hc.decelerate()
    count = timing.per_call(timer.timeit, BUDGET)[1]
    seconds = {False: float("inf"), True: float("inf")}
    for k in range(2 * rounds):
        on = bool(k % 2)
        (hc.accelerate if on else hc.decelerate)()
        seconds[on] = min(seconds[on], timer.timeit(count) / count)
    hc.decelerate()
    return seconds[False], seconds[True]


def gains(names, sizes, rounds):
    """Yield (name, [how many times as fast at each size])."""
    for ufunc, row in rows().items():
        if not names or ufunc.__name__ in names:
            pairs = [best(call(ufunc, row, size), rounds) for size in sizes]
            yield ufunc.__name__, [off / on for off, on in pairs]


# ---------------------------------------------------------------- other tables


def wrong_results():
    """Yield (name, how many of NumPy's results differ from halfcl's, of how many).

    Of all halves, or of 2^20 random pairs; but for which NaN it is.
    """
    rng = np.random.default_rng(1)
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    pairs = rng.integers(0, 1 << 16, (2, 1 << 20)).astype(np.uint16).view(np.float16)
    for ufunc, row in rows().items():
        if row.governed == "builtin" and set(row.inputs) == {"e"}:
            x = (every,) if ufunc.nin == 1 else tuple(pairs)
            with np.errstate(all="ignore"):
                without = ufunc(*x)
                with hc.accelerated():
                    on = ufunc(*x)
            same = (without.view("H") == on.view("H")) | (np.isnan(without) & np.isnan(on))
            yield ufunc.__name__, int((~same).sum()), same.size


def others():
    """Yield pairs of a name and a call for arrays of a size."""

    def calls(n):
        rng = np.random.default_rng(n)
        a = rng.uniform(-8, 8, n).astype(np.float16)
        for letter in "fdib":
            other = a.astype(letter)
            yield f"to {other.dtype}", partial(np.copyto, other, a, casting="unsafe")
            yield f"from {other.dtype}", partial(np.copyto, a.copy(), other, casting="unsafe")
        yield "np.sort", partial(np.sort, a)
        yield "np.argsort", partial(np.argsort, a)
        yield "np.argsort, stable", partial(np.argsort, a, kind="stable")
        yield "np.partition", partial(np.partition, a, n // 2)
        yield "np.searchsorted", partial(np.searchsorted, np.sort(a), a)
        yield "argmax", a.argmax
        yield "np.dot", partial(np.dot, a / 256, a / 256)
        yield "sum", a.sum
        yield "np.cumsum", partial(np.cumsum, a / 4096)
        yield "np.cumprod", partial(np.cumprod, np.ones_like(a))
        yield "mean", a.mean
        indices, few = rng.integers(0, n, n), a.copy()
        yield "np.arange", partial(np.arange, 0, 1, 1 / n, dtype=np.float16)
        yield "np.add.at", partial(np.add.at, few, indices, a / 4096)

    return calls


def show_others(sizes, rounds):
    columns = {}
    for size in sizes:
        for name, function in others()(size):
            off, on = best(function, rounds)
            columns.setdefault(name, []).append(off / on)
    for name, ratios in columns.items():
        print(f"| {name} |", " | ".join(f"{ratio:.2f}" for ratio in ratios), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--others", action="store_true")
    options = parser.parse_args()
    if options.wrong:
        for name, count, of in wrong_results():
            print(f"| {name} | {count} of {of} |")
        return
    timing.settle()
    if options.others:
        show_others(options.sizes, options.rounds)
        return
    separator, end = (" | ", " |") if options.markdown else ("", "")
    print(f"{'| ufunc':18}" if options.markdown else f"{'ufunc':16}",
          *(f"{size:>8}" for size in options.sizes), sep=separator, end=end + "\n")  # fmt: skip
    if options.markdown:
        print("|---" * (len(options.sizes) + 1) + "|")
    columns = []
    for name, ratios in gains(options.names, options.sizes, options.rounds):
        columns.append(ratios)
        print(f"{'| ' if options.markdown else ''}{name:16}", *(f"{r:8.2f}" for r in ratios),
              sep=separator, end=end + "\n", flush=True)  # fmt: skip
    means = [statistics.geometric_mean(ratios) for ratios in zip(*columns, strict=True)]
    print(f"{'| ' if options.markdown else ''}{'geometric mean':16}", *(f"{m:8.2f}" for m in means),
          sep=separator, end=end + "\n")  # fmt: skip
    slowest = [min(ratios) for ratios in zip(*columns, strict=True)]
    print(f"{'| ' if options.markdown else ''}{'the least':16}", *(f"{m:8.2f}" for m in slowest),
          sep=separator, end=end + "\n")  # fmt: skip


if __name__ == "__main__":
    main()
