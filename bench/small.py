"""Time NumPy's functions on small arrays of half against float16.

python bench/small.py                      the table, of arrays of 1, 10, 100 and 999 elements
python bench/small.py --slower 1.05        the rows alone that take more than 1.05 times as long
python bench/small.py sort --sizes 10 100  the statements that contain "sort"
"""

import argparse
import sys
import timeit

import numpy as np
import timing

SIZES = (1, 10, 100, 999)

#: Of a and b, arrays; s, a sorted one; m, truths; i, indices; x and y, scalars; t, a dtype; out, an
#: array; l, a list; square, in two dimensions.
STATEMENTS = """
a + b; a - b; a * b; a / b; a + x; a + 1; 2.5 * a; -a; abs(a); a < b; a == b; a ** 2; a // b; a % b
a.__iadd__(x); np.add(a, b, out=out)
np.sqrt(s1); np.exp(a); np.sin(a); np.log(s1); np.floor(a); np.rint(a); np.sign(a); np.isnan(a)
np.isfinite(a); np.maximum(a, b); np.fmin(a, b); np.clip(a, x, y); np.arctan2(a, b); np.square(a)
np.sum(a); np.mean(a); np.max(a); np.min(a); np.prod(a); np.std(a); np.any(a); np.all(a)
np.cumsum(a); np.dot(a, b); np.ptp(a); np.nanmax(a); np.nansum(a); np.count_nonzero(a)
np.argmax(a); np.argmin(a); np.add.reduce(a); np.median(a); np.percentile(a, 30)
np.sort(a); np.argsort(a); np.partition(a, 0); np.unique(a); np.searchsorted(s, a)
np.searchsorted(s, x); np.searchsorted(s, a, side="right"); np.lexsort((a, b)); np.isin(a, b)
np.sort(a, kind="stable"); np.digitize(a, s); np.nonzero(a); np.flatnonzero(a); a.sort()
np.zeros(a.size, t); np.ones(a.size, t); np.full(a.size, x); np.empty(a.size, t); np.arange(a.size, dtype=t)
np.array(l, t); np.asarray(a); a.copy(); np.zeros_like(a); np.full_like(a, x); np.linspace(0, 1, a.size, dtype=t)
np.concatenate((a, b)); np.stack((a, b)); a[i]; a[m]; a[::-1]; a[0]; a[-1:]; np.take(a, i); a[::2].copy()
out[:] = a; out[:] = x; out[:] = 1.5; out[0] = x; out[0] = 1.5; out[m] = x; out[i] = a; out.fill(x); out.fill(1)
np.copyto(out, a, where=m); np.where(m, a, b); np.where(m, a, x); np.choose(c, (a, b)); np.compress(m, a)
np.putmask(out, m, a); np.repeat(a, 3); np.tile(a, 3); np.roll(a, 1); np.diff(a); np.flip(a)
a.item(0); a.tolist(); list(a); sum(l2); a.astype(np.float32); a32.astype(t); a.astype(np.float64)
ai.astype(t); a.astype(np.int32); a.astype(bool); a.astype(t); a.tobytes(); a.view(np.uint16); a.byteswap()
float(x); x + y; x * 2.5; x < y; -x; abs(x); int(x); bool(x); hash(x); repr(x); x.item(); t.type(1.5); x == 1
str(a); np.array_equal(a, b); np.allclose(a, b); np.isclose(a, b); a @ b; np.outer(a, b); square.T.copy()
square.sum(axis=0); square.max(axis=1); np.sort(square, axis=0); np.interp(a, s, s); np.histogram(a, 5)
np.result_type(a, 1.0); a.dtype == t; np.can_cast(t, np.float32); np.promote_types(t, np.float32)
"""  # noqa: E501


def names(dtype, size):
    """Return the variables of the statements, of one dtype."""
    rng = np.random.default_rng(size)
    values = rng.uniform(-4, 4, (3, size)).astype(np.float16)
    first = values[0]
    a, b, out = values.astype(dtype)
    side = max(1, int(size**0.5))
    return {
        "np": np, "t": a.dtype, "a": a, "b": b, "out": out, "l": first.tolist(), "l2": list(a),
        "x": a.dtype.type(1.5), "y": a.dtype.type(2.25),
        "s": np.sort(first).astype(dtype), "s1": np.abs(first).astype(dtype),
        "i": rng.permutation(size), "m": rng.random(size) < 0.5, "c": rng.integers(0, 2, size),
        "a32": first.astype(np.float32), "ai": np.arange(size) % 2000,
        "square": a[: side * side].reshape(side, side),
    }  # fmt: skip


def statements():
    return [text.strip() for line in STATEMENTS.split("\n") for text in line.split("; ") if text]


def times(statement, size, dtypes, rounds):
    """Return the best seconds of each dtype, {name: seconds}."""
    timers = {
        name: timeit.Timer(statement, globals=names(dtype, size)).timeit
        for name, dtype in dtypes.items()
    }
    return timing.best_of(timers, rounds)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help="part of the statements to time")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--slower", type=float, help="the least ratio that is printed")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    timing.settle(options.core)
    timing.BLOCK = 2e-4
    try:
        from halfcl import half
    except ImportError as error:
        sys.exit(f"halfcl cannot be imported: {error}")
    dtypes = {"half": half, "float16": np.float16}
    print(f"half / float16, time; ns of half{'':10}" + "".join(f"{s:>16}" for s in options.sizes))
    np.seterr(all="ignore")
    for statement in statements():
        if options.parts and not any(part in statement for part in options.parts):
            continue
        rows = [times(statement, size, dtypes, options.rounds) for size in options.sizes]
        ratios = [row["half"] / row["float16"] for row in rows]
        if options.slower and max(ratios) > options.slower:
            # Repeat with more rounds, since other work on the machine slows single columns, too.
            rows = [times(statement, size, dtypes, 3 * options.rounds) for size in options.sizes]
            ratios = [row["half"] / row["float16"] for row in rows]
        if not options.slower or max(ratios) > options.slower:
            print(
                f"{statement:42}"
                + "".join(
                    f"{r:8.2f}{row['half'] * 1e9:8.0f}" for r, row in zip(ratios, rows, strict=True)
                ),
                flush=True,
            )
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
