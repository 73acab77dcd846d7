"""Time the exact reductions against one pass over memory, NumPy's, NumKong's and PyTorch's.

NumPy's are those of float16 and float32. NumKong's and PyTorch's of float16, which are not exact,
are timed where these are installed.

python bench/reductions.py            all of it
python bench/reductions.py --core 1   pinned to that core
"""

import argparse

import numpy as np
import timing


def cases(hc):
    """Yield a name, halfcl's call, and the calls to compare it with."""
    rng = np.random.default_rng(1)
    short, x = (timing.aligned_copy(rng.random(n).astype(hc.half)) for n in (1 << 14, 1 << 20))
    y = timing.aligned_copy(rng.random(1 << 20).astype(hc.half))
    square = x.reshape(1024, 1024)
    names = {"hc": hc, "np": np, "short": short, "x": x, "y": y, "square": square}
    names |= {"short16": short.view(np.float16), "x16": x.view(np.float16)}
    names |= {"y16": y.view(np.float16)}
    add_peers(names)
    names |= {"short32": short.astype("f4"), "x32": x.astype("f4"), "square32": square.astype("f4")}
    small = square[:256, :256].copy()
    names |= {"small": small, "small32": small.astype("f4")}
    calls = [
        ("sum, 2^14", "hc.sum(short)", "np.sum(short32)"),
        ("sum, 2^20", "hc.sum(x)", "np.sum(x32)"),
        *peers(names, "sum, 2^14", "hc.sum(short)", "nk.sum(short16)", "torch.sum(short_t)"),
        *peers(names, "sum, 2^20", "hc.sum(x)", "nk.sum(x16)", "torch.sum(x_t)"),
        ("sum of columns", "hc.sum(square, axis=0)", "hc.sum(square)"),
        ("sum of rows", "hc.sum(square, axis=1)", "hc.sum(square)"),
        ("np.sum of columns", "np.sum(square, axis=0)", "hc.sum(square)"),
        ("mean, 2^20", "hc.mean(x)", "hc.sum(x)"),
        ("var, 2^20", "hc.var(x)", "hc.sum(x)"),
        ("var of columns", "hc.var(square, axis=0)", "hc.sum(square)"),
        ("var of rows", "hc.var(square, axis=1)", "hc.sum(square)"),
        ("norm, 2^20", "hc.norm(x)", "hc.sum(x)"),
        ("vdot, 2^20", "hc.vdot(x, y)", "np.vdot(x32, x32)"),
        ("dot, 2^14", "hc.dot(short, short)", "np.vdot(short32, short32)"),
        ("dot, 2^20", "hc.dot(x, y)", "np.vdot(x32, x32)"),
        *peers(names, "dot, 2^14", "hc.dot(short, short)", "nk.dot(short16, short16)",
               "torch.dot(short_t, short_t)"),
        *peers(names, "dot, 2^20", "hc.dot(x, y)", "nk.dot(x16, y16)", "torch.dot(x_t, y_t)"),
        ("prod, 2^20", "hc.prod(x)", "np.prod(x32)"),
        ("prod of columns", "hc.prod(square, axis=0)", "hc.prod(square)"),
        ("cumsum, 2^20", "hc.cumsum(x)", "np.cumsum(x32)"),
        ("cumsum of columns", "hc.cumsum(square, axis=0)", "hc.cumsum(square, axis=1)"),
        ("np.cumsum, 2^20", "np.cumsum(x)", "np.cumsum(x32)"),
        ("np.cumprod, 2^20", "np.cumprod(x)", "np.cumprod(x32)"),
        ("matmul, 256", "hc.matmul(small, small)", "np.matmul(small32, small32)"),
        ("small @ small, 256", "small @ small", "np.matmul(small32, small32)"),
        ("matmul, 1024", "hc.matmul(square, square)", "np.matmul(square32, square32)"),
    ]  # fmt: skip
    return calls, names


def add_peers(names):
    """Add NumKong and PyTorch with one thread, and arrays for PyTorch, to the variables."""
    try:
        import numkong

        names["nk"] = numkong
    except ImportError:
        print("without NumKong: pip install numkong")
    try:
        import torch
    except ImportError:
        print("without PyTorch: pip install torch")
    else:
        torch.set_num_threads(1)
        names["torch"] = torch
        names |= {f"{a}_t": torch.from_numpy(names[f"{a}16"]) for a in ("short", "x", "y")}


def peers(names, name, call, *others):
    """Return a line for each peer that is installed."""
    return [(name, call, other) for other in others if other.partition(".")[0] in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", type=int, help="the core to run on")
    arguments = parser.parse_args()
    timing.settle(arguments.core)
    import timeit

    import halfcl as hc

    calls, names = cases(hc)
    print(f"{'':20}{'us':>10}   beside")
    with np.errstate(all="ignore"):
        for name, call, other in calls:
            timers = {s: timeit.Timer(s, globals=names).timeit for s in (call, other)}
            best = timing.best_of(timers)
            print(f"{name:20}{best[call] * 1e6:10.2f}   {best[call] / best[other]:5.2f} of {other}")


if __name__ == "__main__":
    main()
