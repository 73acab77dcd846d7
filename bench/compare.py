"""Time halfcl against every peer that is installed, side by side on one pinned core.

    python bench/compare.py                                  all operations, 2^14 and 2^20 elements
    python bench/compare.py add sqrt -n 16384 --modes rte rtp
    python bench/compare.py --json now.json --chart now.png --markdown
    python bench/compare.py --write docs/evidence/figures.md

Contiguous arrays, output given, best of many blocks of calls, the columns timed in turns; ns an
element. Python's call overhead counts for every column but OpenCL's, which is its kernel's time.
The peers: pip install torch numkong pyopencl intel-opencl-rt intel-cmplr-lib-rt
"""

import argparse
import json
from importlib import metadata

import peers
import report
import timing
from ops import OPS

PEERS = {
    "numpy16": peers.NumPy16,
    "numpy32": peers.NumPy32,
    "torch": peers.Torch,
    "numkong": peers.NumKong,
    "opencl": peers.OpenCL,
}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("ops", nargs="*", metavar="op", help=f"of {', '.join(OPS)}; default all")
    add("-n", type=int, nargs="+", default=[2**14, 2**20], help="elements")
    add("--modes", nargs="+", default=peers.MODES, choices=peers.MODES, help="halfcl's")
    add("--peers", nargs="*", default=PEERS, choices=PEERS, help="default all; empty: halfcl alone")
    add("--rounds", type=int, default=100, help="blocks timed per column")
    add("--core", type=int, help="the core to run on; default the last")
    add("--json", metavar="FILE", help="write every figure")
    add("--chart", metavar="FILE", help="draw the ratios")
    add("--markdown", action="store_true", help="print the tables")
    add("--write", nargs="+", metavar="PAGE", help="put the tables between their marks in pages")
    options = parser.parse_args()
    if unknown := set(options.ops) - set(OPS):
        parser.error(f"no such operation: {', '.join(sorted(unknown))}; there are {', '.join(OPS)}")
    return options


def version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed: from its source tree)"


def contenders(options):
    """Return halfcl and the chosen peers, and {name: version, or why it is skipped}."""
    makers = [lambda: peers.HalfCL(options.modes), *(PEERS[name] for name in options.peers)]
    names = ["halfcl", *(PEERS[name].names[0] for name in options.peers)]
    chosen, notes = [], {}
    for name, make in zip(names, makers, strict=True):
        try:
            peer = make()
        except (ImportError, RuntimeError) as error:
            notes[name] = f"left out: {error}"
        else:
            chosen.append(peer)
            notes[name] = ", ".join(f"{p} {version(p)}" for p in peer.packages)
    return chosen, notes


def measure(op, n, chosen, rounds):
    """Measure one row of the report."""
    count = op.count(n)
    arrays = peers.Arrays(op, count)
    columns = {}
    for peer in chosen:
        columns |= peer.columns(op, arrays)
    best = timing.best_of(columns, rounds) if columns else {}
    ns = {name: seconds / count * 1e9 for name, seconds in best.items()}
    return {"op": op.name, "n": n, "mode": op.mode, "ns": ns} | report.verdict(ns, op.mode)


def tables(result):
    """Return {name of its marks in docs/evidence/speed.md: text} for elements and for vectors."""
    parts = {"every peer": False, "vectors": True}
    rows = {
        name: [row for row in result["rows"] if bool(OPS[row["op"]].vector) is has_vectors]
        for name, has_vectors in parts.items()
    }
    where = f"{report.conditions(result['machine'], result['columns'])}.\n\n"
    return {n: where + report.markdown({"rows": some}) for n, some in rows.items() if some}


def main():
    options = arguments()
    timing.settle(options.core)
    chosen, notes = contenders(options)
    columns = [name for peer in chosen for name in peer.names]
    print(report.header(columns), flush=True)
    rows = []
    for n in options.n:
        for name in options.ops or OPS:
            rows.append(measure(OPS[name], n, chosen, options.rounds))
            print(report.line(rows[-1], columns), flush=True)
    result = {"machine": timing.machine(), "columns": notes, "rows": rows}
    print(report.summary(result))
    if options.markdown:
        print(*tables(result).values(), sep="\n\n")
    if options.write:
        report.write(options.write, tables(result))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    if options.chart:
        report.chart(result, options.chart)


if __name__ == "__main__":
    main()
