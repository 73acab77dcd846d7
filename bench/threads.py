"""Time halfcl on one thread and several, against PyTorch on as many, and copies of memory.

python bench/threads.py                         all functions and sizes, on 1 thread and on all
python bench/threads.py add exp --sizes 2**20   some of them
python bench/threads.py --threads 1 2 4 8 16
python bench/threads.py --markdown              the table of docs/evidence/threads.md

Not pinned: it takes all the processors that it may use, and is to have them for itself. Without
PyTorch its columns are left out.
"""

import argparse
import time
import timeit
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import timing

import halfcl as hc
from halfcl._support.processors import usable_processors

try:
    import torch
except ImportError:
    torch = None
try:
    from threadpoolctl import ThreadpoolController

    BLAS = ThreadpoolController().select(user_api="blas")  # the product's, in hc.matmul
except ImportError:
    BLAS = None

SIZES = tuple(1 << k for k in (10, 14, 16, 18, 20, 24))

#: Seconds to wait, since other libraries' threads stay awake for a while after their calls.
SETTLING = 3e-3


@dataclass(frozen=True)
class Op:
    """A function: the calls of halfcl and of PyTorch on the operands, by name."""

    halfcl: str
    torch: str
    bytes: int  # read and written for each element
    most: int = 1 << 24


OPS = {
    "add": Op("hc.add(a, b, out=o)", "torch.add(a, b, out=o)", 6),
    "multiply": Op("hc.multiply(a, b, out=o)", "torch.mul(a, b, out=o)", 6),
    "fma": Op("hc.fma(a, b, c, out=o)", "torch.addcmul(c, a, b, out=o)", 8),
    "exp": Op("hc.exp(a, out=o)", "torch.exp(a, out=o)", 4),
    "sin": Op("hc.sin(a, out=o)", "torch.sin(a, out=o)", 4),
    "sum": Op("hc.sum(a)", "torch.sum(a)", 2),
    "dot": Op("hc.dot(a, b)", "torch.dot(a, b)", 4),
    "sort": Op("np.sort(a)", "torch.sort(a)", 4),
    "matmul": Op("hc.matmul(p, q)", "torch.matmul(p, q)", 6, 1 << 20),
    "matmul, exact": Op("np.matmul(p, q)", "", 6, 1 << 20),
}


# ---------------------------------------------------------------- operands


def operands(n):
    """Return the operands of halfcl's calls, where p and q are square."""
    rng = np.random.default_rng(n)
    a, b, c = (timing.aligned_copy(x.astype(hc.half)) for x in rng.normal(size=(3, n)))
    side = int(n**0.5)
    p, q = (x[: side * side].reshape(side, side) for x in (a, b))
    return {"a": a, "b": b, "c": c, "o": timing.aligned_copy(np.zeros(n, hc.half)), "p": p, "q": q}


def as_tensors(arrays):
    """Return PyTorch's tensors on the same memory."""
    return {name: torch.from_numpy(x.view(np.float16)) for name, x in arrays.items()}


# ---------------------------------------------------------------- columns


def block(set_threads, threads, call):
    """Return a column of timing.py that sets the threads, waits for others, and times calls."""
    timer = timeit.Timer(call)

    def run(count):
        set_threads(threads)
        time.sleep(SETTLING)
        call()
        return timer.timeit(count)

    return run


def set_halfcl(threads):
    hc.set_num_threads(threads)
    if BLAS is not None:
        BLAS.limit(limits=threads)


def compile_call(text, names):
    return eval(f"lambda: {text}", names)


def usable(call):
    """Return the call, or None where PyTorch lacks it for halves."""
    try:
        call()
    except (RuntimeError, TypeError):
        return None
    return call


def columns(op, arrays, counts):
    """Return {(who, threads): column} of one row."""
    calls = {"halfcl": (set_halfcl, compile_call(op.halfcl, {"hc": hc, "np": np, **arrays}))}
    if torch is not None and op.torch:
        call = usable(compile_call(op.torch, {"torch": torch, **as_tensors(arrays)}))
        if call is not None:
            calls["PyTorch"] = (torch.set_num_threads, call)
    return {
        (who, threads): block(set_threads, threads, call)
        for who, (set_threads, call) in calls.items()
        for threads in counts
    }


def copies(arrays, counts):
    """Return {threads: column}, where each thread copies a piece of an array by NumPy."""
    a, o = arrays["a"].view(np.uint16), arrays["o"].view(np.uint16)

    def copy_by(pool, threads):
        ends = [k * a.size // threads for k in range(threads + 1)]
        pieces = [slice(*ends[k : k + 2]) for k in range(threads)]
        return lambda: list(pool.map(lambda piece: np.copyto(o[piece], a[piece]), pieces))

    return {
        threads: block(
            lambda _: None,
            threads,
            partial(np.copyto, o, a)
            if threads == 1
            else copy_by(ThreadPoolExecutor(threads), threads),
        )
        for threads in counts
    }


# ---------------------------------------------------------------- measuring


def measure(names, n, counts, rounds):
    """Yield rows of one size, {"op", "n", "ns": {(who, threads): ns per element}}."""
    arrays = operands(n)
    copying = timing.best_of(copies(arrays, counts), rounds)
    for name in names:
        op = OPS[name]
        if n > op.most:
            continue
        best = timing.best_of(columns(op, arrays, counts), rounds)
        for threads in counts:  # more threads than help are not the limit
            seconds = min(copying[t] for t in counts if t <= threads)
            best["copy", threads] = seconds * op.bytes / 4
        ns = {column: seconds / n * 1e9 for column, seconds in best.items()}
        yield {"op": name, "n": n, "ns": ns}


def rounds_of(n, most):
    """Return the number of rounds, fewer for long calls."""
    return max(1, min(most, (1 << 26) // n))


# ---------------------------------------------------------------- showing


def header(counts):
    whose = ["halfcl", *(["PyTorch"] if torch is not None else []), "copy"]
    columns = [(who, threads) for threads in counts for who in whose]
    return columns, [f"{who} {threads}" for who, threads in columns] + ["gain", "PyTorch/halfcl"]


def cells(row, columns, counts):
    ns, most = row["ns"], counts[-1]
    ours, theirs = ns["halfcl", most], ns.get(("PyTorch", most))
    shown = [f"{ns[column]:.3f}" if column in ns else "" for column in columns]
    return [
        *shown,
        f"{ns['halfcl', counts[0]] / ours:.2f}",
        f"{theirs / ours:.2f}" if theirs else "",
    ]


def size(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def show(rows, counts, markdown):
    columns, names = header(counts)
    if markdown:
        print(f"| ns an element | n | {' | '.join(names)} |")
        print(f"|---|---:|{'---:|' * len(names)}")
    else:
        print(f"{'ns an element':16}{'n':>8} " + " ".join(f"{name:>10}" for name in names))
    for row in rows:
        values = cells(row, columns, counts)
        if markdown:
            print(f"| {row['op']} | {size(row['n'])} | {' | '.join(values)} |", flush=True)
            continue
        widths = [max(10, len(name)) for name in names]
        line = " ".join(f"{v:>{w}}" for v, w in zip(values, widths, strict=True))
        print(f"{row['op']:16}{size(row['n']):>8} {line}", flush=True)


def number(text):
    """Return an integer, which may be written as 2**20."""
    base, _, exponent = text.partition("**")
    return int(base) ** int(exponent or 1)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("functions", nargs="*", metavar="function", help=", ".join(OPS))
    parser.add_argument("--sizes", type=number, nargs="+", default=SIZES)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, usable_processors()])
    parser.add_argument("--rounds", type=int, default=60, help="largest number of rounds")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    names = options.functions or list(OPS)
    if unknown := set(names) - OPS.keys():
        parser.error(f"expected some of {', '.join(OPS)}, got {', '.join(sorted(unknown))}")
    counts = sorted(set(options.threads))
    rows = (
        row
        for n in options.sizes
        for row in measure(names, n, counts, rounds_of(n, options.rounds))
    )
    for what, value in timing.machine().items():
        print(f"{what}: {value}" + ("\n" if options.markdown else ""))
    if torch is not None:
        print(f"PyTorch: {torch.__version__}\n")
    show(rows, counts, options.markdown)


if __name__ == "__main__":
    main()
