"""Measure what reruns cost, with and without the shadow, relative to plain runs on half arrays.

python bench/stability.py           all formulas, on 2^14 elements
python bench/stability.py -n 1024   on other numbers of elements
"""

import argparse
import timeit
from functools import partial

import numpy as np
import timing

ROUNDS = 100


def polynomial(x):
    """Compute a polynomial with 12 coefficients by Horner's rule."""
    y = x * 0.1
    for k in range(11):
        y = (y + 0.25 * k) * x
    return y


def root(x):
    return (x - np.sqrt(x * x - 0.2)) / 2


def logistic(x):
    """Compute ten steps of the logistic map."""
    x = x / 4
    for _ in range(10):
        x = 3.75 * x * (1 - x)
    return x


def normal(x):
    """Compute the normal distribution's density and its integral."""
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi * x), np.tanh(x) * np.log1p(x) / np.cosh(x)


def largest(x):
    """Compute the softmax."""
    y = np.exp(x - x.max())
    return y / y.sum()


FORMULAS = {"root": root, "softmax": largest, "functions": normal, "polynomial": polynomial,
            "logistic map": logistic}  # fmt: skip


def measure(hc, stability, n):
    """Yield a line for each formula: its time, and the cost of reruns and a random run."""
    values = np.random.default_rng(1).uniform(1, 2, n).astype(np.float16)
    x = timing.aligned_copy(values).view(hc.half)
    for name, formula in FORMULAS.items():
        calls = {
            "plain": partial(formula, x),
            "rerun": partial(stability.rerun, formula, x),
            "bare": partial(stability.rerun, formula, x, shadow=False),
            "sampled": partial(stability.rerun, formula, x, samples=10, rng=1, shadow=False),
        }
        timers = {key: timeit.Timer(call).timeit for key, call in calls.items()}
        best = timing.best_of(timers, ROUNDS)
        plain, bare = best["plain"], best["bare"]
        random = (best["sampled"] - bare) / 10
        yield (
            f"{name:13} {plain * 1e6:7.1f} µs   rerun {bare / plain:5.2f} runs   "
            f"with its shadow {best['rerun'] / plain:5.1f} runs, {best['rerun'] * 1e3:.2f} ms   "
            f"a random run {random / plain:5.1f} runs"
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
    from halfcl import stability

    for line in measure(halfcl, stability, options.n):
        print(line, flush=True)
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
