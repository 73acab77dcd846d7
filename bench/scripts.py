"""Time scripts written for plain float16, as they are and accelerated: examples/kmeans.py etc.

python bench/scripts.py                      each one, both ways, on one core
python bench/scripts.py mlp --rounds 9       one of them, best of nine
python bench/scripts.py --markdown           the table for the docs

Each run is a process of its own, plain and accelerated in turns; a script says itself how many
seconds its calculation took.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import timing

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = ("kmeans", "mlp", "smoothing")
WAYS = {"plain": (), "accelerated": ("-m", "halfcl", "run", "--no-children")}


def run(script, way):
    """Run a script; return its seconds, and its other output."""
    command = [sys.executable, *WAYS[way], str(EXAMPLES / f"{script}.py")]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, rest = re.fullmatch(r"([\d.]+) s; (.*)\n", output).groups()
    return float(seconds), rest


def measure(script, rounds):
    """Return the best seconds of each way, and its output."""
    best, outputs = {}, {}
    for _ in range(rounds):
        for way in WAYS:
            seconds, outputs[way] = run(script, way)
            best[way] = min(best.get(way, seconds), seconds)
    return best, outputs


def table(rows, markdown):
    if markdown:
        yield "| script | plain, ms | accelerated, ms | times as fast | plain says | accelerated |"
        yield "|---|---:|---:|---:|---|---|"
    for script, best, outputs in rows:
        cells = [
            f"[{script}](../../examples/{script}.py)" if markdown else script,
            *(f"{1e3 * best[way]:.1f}" for way in WAYS),
            f"{best['plain'] / best['accelerated']:.1f}",
            *(outputs[way].rpartition(",")[0] for way in WAYS),
        ]
        yield f"| {' | '.join(cells)} |" if markdown else "  ".join(f"{c:>12}" for c in cells)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scripts", nargs="*", default=SCRIPTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    timing.settle()
    rows = [(script, *measure(script, options.rounds)) for script in options.scripts]
    print("\n".join(table(rows, options.markdown)))
    print("\n" + "\n".join(f"{name}: {value}" for name, value in timing.machine().items()))


if __name__ == "__main__":
    main()
