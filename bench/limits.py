"""Measure halfcl against the fastest peer and against the machine's limits.

    python bench/limits.py                              one core and all, some minutes
    python bench/limits.py --isa avx2 --threads 1       all held to AVX2
    python bench/limits.py add exp -n 16384 --quick
    python bench/limits.py --from now.json avx2.json --plot docs/evidence/roofline.png \\
        --write docs/evidence/speed.md docs/evidence/figures.md

The limits of a function: a loop that loads and stores the same bytes and calculates nothing, the
fastest of several; and its own instructions, those that the kernel carries out, counted, each
at the rate at which the processor takes its kind, measured. No kernel is faster than the longer
of the two. Figures are ns an element; contiguous arrays, output given, the best of many blocks,
all columns timed in turns. "Kernel" is halfcl without Python's call.

--from makes the tables and the picture from what --json has kept, and measures nothing. Needs
a C compiler and binutils for the limits, and the peers that compare.py names.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import limits_report
import native
import numpy as np
import peers
import report
import roofline
import timing
from ops import OPS

import halfcl

SIZES = (2**10, 2**14, 2**20, 2**24)
#: Skip a peer at the next size if it took this many times as long as the fastest column.
HOPELESS = 4
SECONDS_A_CALL = 0.5  # also skip a peer whose call would take longer
LONGEST_OF_VECTORS = 2**22
FULL, QUICK = 20, 5  # blocks timed per column
#: Environment variables that select the instruction set of halfcl and its peers.
AVX2 = {
    "HALFCL_ISA": "avx2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "CL_CONFIG_CPU_TARGET_ARCH": "core-avx2",
}
DISABLED = "NPY_DISABLE_CPU_FEATURES"
#: NumKong's names of instruction sets without AVX-512.
NARROW = {"serial", "haswell", "alder", "sierra"}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cores = len(os.sched_getaffinity(0))
    add = parser.add_argument
    add("ops", nargs="*", metavar="op", help="rows of compare.py; default all")
    add("-n", type=int, nargs="+", default=SIZES, help="elements, ascending")
    add("--threads", type=counts, default=sorted({1, cores}), help="1,16; default 1 and all")
    add("--isa", choices=["avx2"], help="limit halfcl and all peers to it")
    add("--peers", nargs="*", default=compare.PEERS, choices=compare.PEERS, help="default all")
    add("--rounds", type=int, default=FULL, help=f"blocks timed a column; default {FULL}")
    add("--quick", action="store_const", dest="rounds", const=QUICK, help=f"{QUICK} rounds")
    add("--core", type=int, help="the core to run one thread on; default the last")
    add("--json", metavar="FILE", help="keep every figure")
    add(
        "--from",
        nargs="+",
        dest="kept",
        metavar="FILE",
        help="report these files instead of measuring",
    )
    add("--markdown", action="store_true", help="print the tables")
    add("--write", nargs="+", metavar="PAGE", help="put the tables between their marks in pages")
    add("--plot", metavar="FILE", help="draw the roofline")
    add("--part", action="store_true", help=argparse.SUPPRESS)  # of a run that will report
    options = parser.parse_args()
    if unknown := set(options.ops) - set(OPS):
        parser.error(f"no such operation: {', '.join(sorted(unknown))}; there are {', '.join(OPS)}")
    return options


def counts(text):
    """Return the numbers of threads that the argument of --threads lists."""
    numbers = text.split(",")
    if not all(number.isdecimal() and int(number) for number in numbers):
        raise argparse.ArgumentTypeError(f"expected positive integers as 1,16, got {text!r}")
    return [int(number) for number in numbers]


# ---------------------------------------------------------------- one run


def avx2_environment():
    """Return the variables that limit halfcl and its peers to AVX2; NumPy needs feature names."""
    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    wide = [name for name in features if name.startswith(("AVX512", "X86_V4"))]
    disabled = os.environ.get(DISABLED, "").split()  # and so not found
    return AVX2 | {DISABLED: " ".join([*disabled, *wide])}


def hold_numkong(chosen_peers):
    """Limit NumKong to AVX2, which works only after its import."""
    for peer in chosen_peers:
        if isinstance(peer, peers.NumKong):
            for name, has in peer.module.get_capabilities().items():
                if has and name not in NARROW:
                    peer.module.disable_capability(name)


class Run:
    """The measurements of one process, with one number of threads and one instruction set."""

    def __init__(self, options):
        self.threads, self.notes = timing.threads(), {}
        self.ops = [OPS[name] for name in options.ops or OPS]
        rounds = options.rounds
        #: Blocks timed per column up to a size: short ones cost little.
        self.rounds_for = (2**14, 3 * rounds), (2**20, rounds), (math.inf, min(rounds, 5))
        wanted = argparse.Namespace(modes=peers.MODES, peers=options.peers)
        (self.halfcl, *self.peers), notes = compare.contenders(wanted)
        self.notes |= notes
        self.set_threads()
        if options.isa:
            hold_numkong(self.peers)
        if self.threads > 1:  # sequential peers are timed in the run with one thread
            self.peers = [peer for peer in self.peers if peer.is_parallel]
        for peer in self.peers:
            if isinstance(peer, peers.OpenCL):
                peer.rounds = 3
        self.machine = self.try_make("limits", lambda: native.Machine(self.ops))
        self.kernels = self.machine and self.try_make(
            "kernels", lambda: native.Kernels(self.machine)
        )

    def try_make(self, what, make):
        """Return what `make` returns, or None with a note why not."""
        try:
            return make()
        except RuntimeError as error:
            self.notes[what] = f"left out: {error}"
            return None

    def set_threads(self):
        set_number = getattr(halfcl, "set_num_threads", None)
        if set_number:
            set_number(self.threads)
        elif self.threads > 1:
            self.notes["halfcl"] += ", on one core: it has no threads"

    def rows(self, sizes):
        """Yield the rows of the report, all sizes of an operation in sequence."""
        for op in self.ops:
            remaining = list(self.peers)
            counted = self.count_instructions(op)
            for n in sizes:
                if op.vector and n > LONGEST_OF_VECTORS:  # vectors are four times as long
                    continue
                row = self.row(op, n, remaining) | counted
                remaining = [peer for peer in remaining if self.is_hopeful(peer, row)]
                yield row

    def is_hopeful(self, peer, row):
        """Return whether a peer may be the fastest at the next size."""
        ns = row["ns"].get(peer.names[0])
        if ns is None:
            return False
        slow = HOPELESS * self.threads * min(row["ns"].values())
        return row["n"] < 2**14 or (ns <= slow and 16 * ns * row["n"] * 1e-9 <= SECONDS_A_CALL)

    def row(self, op, n, chosen_peers):
        count = op.count(n)
        arrays = peers.Arrays(op, count)
        self.halfcl.modes = [op.mode]
        columns = {}
        for peer in (self.halfcl, *chosen_peers):
            columns |= peer.columns(op, arrays)
        streams = self.machine.streams(op, arrays, self.threads) if self.machine else {}
        kernel = self.kernels.block(op, arrays) if self.kernels else None
        blocks = columns | streams | ({"kernel": kernel} if kernel else {})
        rounds = next(least for most, least in self.rounds_for if n <= most)
        best = {k: s / count * 1e9 for k, s in timing.best_of(blocks, rounds).items()}
        ns = {name: best[name] for name in columns}
        by = min(streams, key=best.get, default=None)
        return {
            "op": op.name, "n": n, "threads": self.threads, "mode": op.mode, "ns": ns,
            **report.verdict(ns, op.mode), "kernel": best.get("kernel"),
            "stream": by and best[by], "stream_by": by, "bytes": native.bytes_per_element(op),
        }  # fmt: skip

    def count_instructions(self, op):
        """Return a row's instructions and the least time they take, or why they are not counted.

        With more threads they are those of one thread; the report divides them by the threads.
        """
        if self.kernels is None or self.threads > 1:
            return {"compute": None, "uncounted": self.notes.get("kernels", "not on one core")}
        try:
            totals = self.kernels.instructions(op, peers.Arrays(op, max(native.COUNTED)))
        except native.Uncountable as error:
            return {"compute": None, "uncounted": str(error)}
        bound, by = native.compute_bound(totals, self.machine)
        return {
            "compute": bound, "compute_by": by, "instructions": totals["any", ""],
            "vectors": sum(number for (kind, _), number in totals.items() if kind == "vector"),
        }  # fmt: skip

    def rates(self):
        """Return the instructions per nanosecond of each kind, of the set in use."""
        if not self.machine:
            return {}
        width = "zmm" if "avx512" in timing.halfcl_path() else "ymm"
        kinds = ("vector", "fma", "widen", "load", "store")
        return {"any": self.machine.rate("any")} | {k: self.machine.rate(k, width) for k in kinds}


def measure_here(options):
    """Return the result of one run in this process."""
    run = Run(options)
    facts = {"threads": run.threads, "isa": timing.halfcl_path(), "held": options.isa or ""}
    rows = []
    print(limits_report.HEADER, flush=True)
    with np.errstate(all="ignore"):
        for row in run.rows(options.n):
            rows.append(row)
            print(limits_report.line(row), flush=True)
    return facts | {
        "machine": timing.machine(), "columns": run.notes, "rates": run.rates(), "rows": rows,
    }  # fmt: skip


def measure(options):
    """Return the results of all runs, each number of threads in a process of its own.

    Peers read the number of threads when they start.
    """
    if len(options.threads) == 1:
        others = avx2_environment() if options.isa else {}
        timing.settle(options.core, options.threads[0], others)
        return [measure_here(options)]
    runs = []
    for threads in options.threads:
        with tempfile.TemporaryDirectory() as folder:
            kept = str(Path(folder, "run.json"))
            more = [
                "--part",
                "--threads",
                str(threads),
                "--json",
                kept,
            ]  # the last options override
            command = [sys.executable, __file__, *sys.argv[1:], *more]
            environment = {k: v for k, v in os.environ.items() if k != timing.SETTLED}
            subprocess.run(command, check=True, env=environment)
            runs += json.loads(Path(kept).read_text())
    return runs


def main():
    options = arguments()
    if options.kept:
        runs = [run for path in options.kept for run in json.loads(Path(path).read_text())]
    else:
        runs = measure(options)
    if options.json:
        Path(options.json).write_text(json.dumps(runs, indent=1))
    if options.part:
        return
    limits_report.share_out(runs)
    print(limits_report.summary(runs))
    tables = limits_report.tables(runs)
    if options.markdown:
        print(*tables.values(), sep="\n\n")
    if options.write:
        report.write(options.write, tables)
    if options.plot:
        roofline.draw(runs, options.plot)


if __name__ == "__main__":
    main()
