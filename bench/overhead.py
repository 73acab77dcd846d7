"""Measure what halfcl costs around its kernels: calls, strides, narrow instruction sets, memory.

python bench/overhead.py                  all of it
python bench/overhead.py calls vectors strides isa memory
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import timeit
from functools import partial
from pathlib import Path

import numpy as np
import timing

COMPARE = Path(__file__).with_name("compare.py")
GIB = 2**30


def calls(hc):
    """Yield times of calls on four elements, or a number, against NumPy's float32."""
    a = np.arange(1, 5).astype(hc.half)
    names = {"np": np, "hc": hc, "a": a, "b": a.copy(), "x": a[0]}
    names |= {"a32": a.astype(np.float32), "b32": a.astype(np.float32)}
    statements = (
        "np.add(a32, b32)",
        "np.add(a, b)",
        "hc.add_rtp(a, b)",
        "hc.add(a, b)",
        'hc.add(a, b, rounding="rtp")',
        "hc.add(a, 0.1)",
        'hc.add(a, 0.1, rounding="rtp")',
        'hc.add(a[::-1], 0.1, rounding="rtp")',
        'hc.add(x, 0.1, rounding="rtp")',
        "x + 0.1",
    )
    timers = {source: timeit.Timer(source, globals=names).timeit for source in statements}
    best = timing.best_of(timers)
    reference = best["np.add(a32, b32)"]
    for name, seconds in best.items():
        yield f"{name:38}{seconds * 1e9:8.0f} ns   {seconds / reference:5.2f} of NumPy float32"


def vectors(hc):
    """Yield what vectors cost beyond the same calls on a plain array."""
    v, many = hc.half4(1, 2, 3, 4), hc.half4(np.ones((64, 4), hc.half))
    names = {"np": np, "hc": hc, "v": v, "many": many, "order": [0, 2, 1]}
    names |= {"a": np.asarray(v), "plain": np.asarray(many)}
    pairs = {
        "v.x": "a[0]",
        "many.x": "plain[..., 0]",
        "v.wzyx": "a[..., ::-1]",
        "many.lo": "plain[..., :2]",
        "many.xzy": "plain[..., order]",
        "many[3]": "plain[3]",
        "v + v": "a + a",
        "v < 2": "a < 2",
        "hc.exp(v)": "hc.exp(a)",
    }
    sources = [*pairs, *pairs.values()]
    best = timing.best_of({s: timeit.Timer(s, globals=names).timeit for s in sources})
    for source, reference in pairs.items():
        beyond = best[source] - best[reference]
        yield f"{source:12}{best[source] * 1e9:6.0f} ns, {beyond * 1e9:5.0f} beyond {reference}"


def layouts(n):
    """Return views of n halves in memory, {name: float16 array}."""
    side = int(n**0.5)
    values = np.random.default_rng(1).uniform(1, 8, 2 * n).astype(np.float16)
    return {
        "contiguous": timing.aligned_copy(values[:n]),
        "step 2": timing.aligned_copy(values)[::2],
        "reversed": timing.aligned_copy(values[:n])[::-1],
        "transposed": timing.aligned_copy(values[: side * side].reshape(side, side)).T,
    }


def strides(hc):
    """Yield times of strided inputs to a contiguous output, against NumPy's float16."""
    for n in (2**14, 2**20):
        for name, view in layouts(n).items():
            out = np.empty(view.shape, np.float16)
            half, half_out = view.view(hc.half), out.view(hc.half)
            pairs = {
                "add": (partial(np.add, half, half, half_out), partial(np.add, view, view, out)),
                "sqrt": (partial(np.sqrt, half, half_out), partial(np.sqrt, view, out)),
            }
            for op, (ours, theirs) in pairs.items():
                best = timing.best_calls({"ours": ours, "theirs": theirs}, rounds=40)
                ns = {key: seconds / view.size * 1e9 for key, seconds in best.items()}
                yield (
                    f"{op:5}{name:11}{n:8}  {ns['ours']:.3f} ns an element, NumPy float16 "
                    f"{ns['theirs']:.3f}: {ns['theirs'] / ns['ours']:.1f} times as fast"
                )


def isa_times(name):
    """Return {(op, n): ns per element} of a process that loads halfcl with an instruction set."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "times.json")
        command = [sys.executable, COMPARE, "--peers", "--modes", "rte", "rtz", "--json", file]
        environment = os.environ | {"HALFCL_ISA": name}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        rows = json.loads(file.read_text())["rows"]
    return {(row["op"], row["n"]): row["ns"][f"halfcl {row['mode']}"] for row in rows if row["ns"]}


def isa(hc):
    """Compare the AVX2 path with the AVX-512 path, each the best of its alternating runs."""
    runs = [(isa_times("avx512"), isa_times("avx2")) for _ in range(2)]
    for key in runs[0][0]:
        wide, narrow = (min(run[key] for run in path) for path in zip(*runs, strict=True))
        yield (
            f"{key[0]:12}{key[1]:8}  avx512 {wide:.3f}, avx2 {narrow:.3f} ns an element: "
            f"{narrow / wide:.2f} times the time"
        )


def peak_growth(operation):
    """Return the bytes by which the process's peak memory grows."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak becomes what is held now
    before = peak()
    operation()
    return peak() - before


def peak():
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def memory(hc):
    """Yield the growth of the process's peak memory while it works in place on 1 GiB."""
    a = np.ones(GIB // 2, np.float16).view(hc.half)
    operations = {
        "np.add(a, a, out=a)": lambda: np.add(a, a, out=a),
        'hc.add(a, 1, out=a, rounding="rtp")': lambda: hc.add(a, 1, out=a, rounding="rtp"),
        "np.sqrt(a[::2], out=a[::2])": lambda: np.sqrt(a[::2], out=a[::2]),
        "np.negative(a, out=a)": lambda: np.negative(a, out=a),
    }
    for name, operation in operations.items():
        yield f"{name:38}{peak_growth(operation) / 2**20:8.2f} MiB"


SECTIONS = {
    "calls": calls, "vectors": vectors, "strides": strides, "isa": isa, "memory": memory,
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="section", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    timing.settle(options.core)
    try:
        import halfcl
    except ImportError as error:
        sys.exit(f"halfcl cannot be imported: {error}")
    for name in options.sections or SECTIONS:
        heading = SECTIONS[name].__doc__.removeprefix("Yield ")
        print(f"\n{heading[0].upper()}{heading[1:]}")
        for line in SECTIONS[name](halfcl):
            print(f"  {line}", flush=True)
    print()
    for what, value in timing.machine().items():
        print(f"{what}: {value}")


if __name__ == "__main__":
    main()
