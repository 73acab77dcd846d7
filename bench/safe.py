"""Measure what keeping domains costs, relative to plain runs of the code on half arrays.

python bench/safe.py           all formulas, on 2^14 elements
python bench/safe.py -n 1024   on other numbers of elements
"""

import argparse
import timeit
from functools import partial

import numpy as np
import timing

ROUNDS = 30


def last_component(x, y, z):
    """Return the square of a unit quaternion's last component."""
    return 1 - x * x - y * y - z * z


def variance(x, y, z):
    mean = (x + y + z) / 3
    return (x * x + y * y + z * z) / 3 - mean * mean


def cosine(x, y, z):
    """Return the cosine of an angle in a triangle."""
    return (x * x + y * y - z * z) / (2 * x * y)


FORMULAS = {"last component": (last_component, "sqrt"), "variance": (variance, "sqrt"),
            "cosine": (cosine, "acos")}  # fmt: skip


def arguments(hc, formula, function, n):
    """Return arguments whose results are all inside the domain, and some with one outside."""
    x, y = np.random.default_rng(1).uniform(0.3, 0.5, (2, n))
    halves = (v.astype(np.float16) for v in (x, y, (x + y) * 0.7))
    inside = [timing.aligned_copy(v).view(hc.half) for v in halves]
    some = [v.copy() for v in inside]
    for v, value in zip(some, (0.72, 0.72, 1.5), strict=True):
        v[0] = value
    if formula is variance:
        for v in some:
            v[0] = 0.7
    domain = {"sqrt": (0, np.inf), "acos": (-1, 1)}[function]
    for args, count in ((inside, 0), (some, 1)):
        values = formula(*args).astype(float)
        assert np.count_nonzero((values < domain[0]) | (values > domain[1])) == count
    return inside, some


def measure(hc, safe, n):
    """Yield a line for each formula: its time, and the relative cost of keeping its domain."""
    for name, (formula, function) in FORMULAS.items():
        plain, kept = getattr(hc, function), getattr(safe, function)
        tracked = safe.domains(lambda *args, f=formula, plain=plain: plain(f(*args)))
        inside, some = arguments(hc, formula, function, n)
        calls = {
            "plain": lambda args=inside, f=formula, plain=plain: plain(f(*args)),
            "inside": partial(kept, formula, *inside),
            "outside": partial(kept, formula, *some),
            "tracked": partial(tracked, *inside),
        }
        timers = {key: timeit.Timer(call).timeit for key, call in calls.items()}
        best = timing.best_of(timers, ROUNDS)
        runs = {key: time / best["plain"] for key, time in best.items()}
        yield (
            f"{name:15} {best['plain'] * 1e6:7.1f} µs   none outside {runs['inside']:5.2f} runs   "
            f"one outside {runs['outside']:5.0f} runs   decorated {runs['tracked']:5.0f} runs"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-n", type=int, default=1 << 14, help="elements; default 2^14")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    timing.settle(options.core)
    import halfcl
    from halfcl import safe

    with np.errstate(invalid="ignore"):
        for line in measure(halfcl, safe, options.n):
            print(line, flush=True)
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
