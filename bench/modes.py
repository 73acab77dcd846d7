"""Measure what rounding as data costs: calls with an array of modes against calls in one mode.

python bench/modes.py [--core N]
"""

import argparse
import timeit

import numpy as np
import timing

SIZES = (2**10, 2**14, 2**20)
FUNCTIONS = ("add", "divide", "exp", "sin", "pow", "fma")


def layouts(rng, n):
    """Return the modes of n elements, {name: codes}."""
    return {
        "one mode": np.full(n, 2, np.uint8),
        "4 groups": np.repeat(np.arange(4, dtype=np.uint8), n // 4),
        "groups of 256": np.repeat(rng.integers(0, 4, n // 256, np.uint8), 256),
        "groups of 64": np.repeat(rng.integers(0, 4, n // 64, np.uint8), 64),
        "random": rng.integers(0, 4, n, np.uint8),
    }


def times(hc, name, n):
    """Return the time of a call in one mode, and its ratio to a call in each layout."""
    rng = np.random.default_rng(1)
    function = getattr(hc, name)
    names = {"f": function, "out": np.empty(n, hc.half)}
    names["x"] = [rng.uniform(0.5, 4, n).astype(hc.half) for _ in range(function.nin)]
    codes = layouts(rng, n)
    names |= {"codes": codes}
    statements = {"single": 'f(*x, out=out, rounding="rtp")'}
    statements |= {key: f"f(*x, out=out, rounding=codes[{key!r}])" for key in codes}
    best = timing.best_of(
        {key: timeit.Timer(text, globals=names).timeit for key, text in statements.items()}
    )
    single = best.pop("single")
    return single, {key: seconds / single for key, seconds in best.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    timing.settle(parser.parse_args().core)
    import halfcl as hc

    for n in SIZES:
        for name in FUNCTIONS:
            single, ratios = times(hc, name, n)
            columns = ", ".join(f"{key} {ratio:.2f}" for key, ratio in ratios.items())
            print(
                f"{name:7}{n:8}  {single / n * 1e9:.3f} ns an element; times: {columns}", flush=True
            )
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
