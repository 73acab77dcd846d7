"""Write docs/evidence/accuracy.md: wrong results and worst errors of halfcl and of its peers.

    python tools/make_accuracy.py [--peers numpy16 torch opencl]

Functions of one half on all 65,536 of them, those of more arguments on the tests' samples, against
MPFR and integer arithmetic. Needs gmpy2, and the peers of bench/compare.py where they are wanted.
"""

import argparse
import re
import sys
from datetime import date
from importlib import metadata
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "helpers"), str(ROOT / "bench")]

import oracle  # noqa: E402
import oracle_functions  # noqa: E402
import oracle_geometric  # noqa: E402
import peers  # noqa: E402
import samples_common  # noqa: E402
import samples_geometric  # noqa: E402
import samples_math  # noqa: E402
import timing  # noqa: E402
from compare import PEERS  # noqa: E402
from ops import OPS, Op  # noqa: E402

import halfcl as hc  # noqa: E402
from halfcl._tables import TABLE  # noqa: E402

TARGET = ROOT / "docs" / "evidence" / "accuracy.md"
MODES = oracle.MODES
SECTIONS = ("Math", "Common", "Relational")
CHOSEN_PEERS = ("numpy16", "torch", "opencl")

HEAD = """# Accuracy

This page has one line for each function: how many of its results are wrong, here and in other
libraries.

```sh
python tools/make_accuracy.py      # makes the page anew
```

There are {count} functions, in four rounding modes, each compared with MPFR. (`mix`, `smoothstep`
and what needs no rounding are compared with integer and double arithmetic.) A result is wrong if
one bit of it is. A zero's sign counts. Any quiet NaN stands for a NaN.

*Limit* is the error that OpenCL allows for half, in ulp. *Worst error* is in ulp of the exact
result. Correct rounding leaves at most 0.5 to nearest, and less than 1 in a directed mode. (1.0000
is a result far below the least half, rounded up to it. `fract` never reaches 1, which costs it an
ulp.) The other libraries round to nearest only. Where a function of theirs only resembles
OpenCL's, as `maximum` does `max`, what it gives for NaNs counts as wrong.

{date}, {cpu}, {isa} kernels; {peers}.
"""

ONE = """
## One argument

On all 65,536 halves.
"""

TWO = """
## Two arguments

On samples: every pair of signs and exponents with 256 pairs of significands, special values, and
pairs aimed at exact results, at the midpoints of halves and at the ends of the range.
"""

THREE = """
## Three arguments

On samples: random and special triples, and those aimed at exact results, at the midpoints of halves
and at the ends of the range.
"""

VECTORS = """
## Vectors

On {count:,} vectors of 4 components, or pairs of them (`cross`: 3), against exact integer
arithmetic: at random, subnormal, around overflow, cancelling, with exact lengths, with results on
midpoints of halves and just beside. A vector counts as wrong if any component is. OpenCL's kernels
compute in float, which is faster than in half.
"""

ALL_PAIRS = """
## All pairs

The functions of two arguments, on all 2^32 pairs, by `tools/check_pairs`: [none wrong](pairs.md).
"""


# ---------------------------------------------------------------- what is compared


def wrong(results, want):
    """Return the number of elements of which any result is wrong."""
    agree = [
        oracle.same(got, right) if right.dtype == np.uint16 else got == right
        for got, right in zip(results, want, strict=True)
    ]
    return int(np.count_nonzero(~np.logical_and.reduce(agree)))


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def halfcl_results(name, operands, mode):
    columns = [x.view(hc.half) if x.dtype == np.uint16 else x for x in operands]
    with np.errstate(all="ignore"):
        return as_tuple(getattr(hc, name)(*columns, rounding=mode))


def worst_error(result, exact):
    """Return the largest error in ulp of the exact result, where that is in half's range."""
    with np.errstate(invalid="ignore"):
        got = result.view(np.float16).astype(np.float64)
    finite = np.isfinite(got) & (np.abs(exact) <= np.finfo(np.float16).max)
    ulp = np.ldexp(1.0, np.maximum(np.frexp(exact[finite])[1] - 11, -24))
    return float(np.max(np.abs(got[finite] - exact[finite]) / ulp, initial=0))


def peer_results(peer, op, operands):
    """Return the peer's results in the row, or None where it lacks the function."""
    dtypes = {np.dtype(np.uint16): np.float16}
    if op.inputs == "H":
        dtypes = {}
    arrays = peers.Arrays.__new__(peers.Arrays)
    arrays.inputs = [timing.aligned_copy(x.view(dtypes.get(x.dtype, x.dtype))) for x in operands]
    arrays.outs = peers.outputs(op, len(operands[0]))
    with np.errstate(all="ignore"):
        columns = peer.columns(op, arrays)
        if not columns:
            return None
        columns[peer.names[0]](1)
    return tuple(out.view(np.uint16) if out.dtype == np.float16 else out for out in arrays.outs)


# ---------------------------------------------------------------- the tables


def number(value):
    return f"{value:,}" if isinstance(value, int) else value


def cells(row, operands, chosen_peers):
    """Return one line: limit, wrong results and worst errors in each mode, peers' wrong results."""
    name = row.name
    right = oracle_functions.evaluate(name, *operands)
    got = {mode: halfcl_results(name, operands, mode) for mode in MODES}
    counts = [wrong(got[mode], right[mode][0]) for mode in MODES]
    theirs = [peer_results(peer, op_of(row), operands) for peer in chosen_peers]
    theirs = ["" if r is None else wrong(r, right["rte"][0]) for r in theirs]
    limit = "" if row.limit is None else f"{row.limit:g}"
    return [f"`{name}`", limit, *map(number, [*counts, worst(row, got, operands), *theirs])]


def worst(row, got, operands):
    """Return the largest errors to nearest and in the directed modes, cut to four digits."""
    if row.ulp == 0:
        return "exact"
    exact = oracle_functions.exact(row.name, *operands)
    errors = {mode: worst_error(got[mode][0].view(np.uint16), exact) for mode in MODES}
    directed = max(errors[mode] for mode in MODES if mode != "rte")
    return ", ".join(f"{np.floor(1e4 * error) / 1e4:.4f}" for error in (errors["rte"], directed))


def op_of(row):
    """Return the benchmark's row of a function, which knows how peers call it."""
    return OPS.get(row.name) or Op(row.name, row.types, None)


def table(rows, operands_of, chosen_peers):
    names = [f"{peer.names[0]} wrong" for peer in chosen_peers]
    heads = ["function", "limit", *(f"wrong, {mode}" for mode in MODES)]
    heads += ["worst error: rte, directed", *names]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for row in rows:
        line = cells(row, operands_of(row.name), chosen_peers)
        lines.append("| " + " | ".join(map(str, line)) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def sample_operands(name):
    if name in oracle_functions.WITH_INTEGER:
        return samples_math.integer_pairs(name)
    make = samples_common.triples if name in oracle_functions.OF_THREE else samples_math.pairs
    operands = make(name)
    whole = operands[0].size // 16 * 16  # OpenCL's kernels work on vectors of 16
    return tuple(x[:whole] for x in operands)


#: The names of geometric functions in the benchmark.
GEOMETRIC = ("dot4", "distance4", "length4", "normalize4", "cross3")
VECTOR_COUNT = 200_000


def wrong_vectors(got, want):
    right = oracle.same(got, want)
    return int(np.count_nonzero(~right.reshape(len(want), -1).all(-1)))


def geometric_cells(op, chosen_peers):
    """Return one line: limit, wrong results in each mode, and of peers."""
    function, nin = oracle_geometric.FUNCTIONS[op.halfcl]
    rng = np.random.default_rng(4)
    make = samples_geometric.vectors if nin == 1 else samples_geometric.pairs
    columns = make(rng, VECTOR_COUNT + 100, op.vector)
    operands = tuple(x[:VECTOR_COUNT] for x in (columns if nin == 2 else (columns,)))
    right = function(*operands)
    got = {mode: halfcl_results(op.halfcl, operands, mode)[0] for mode in MODES}
    theirs = [peer_results(peer, op, operands) for peer in chosen_peers]
    limit = next(row.limit for row in TABLE if row.name == op.halfcl)
    counts = [wrong_vectors(got[mode], right[mode][0]) for mode in MODES]
    counts += ["" if r is None else wrong_vectors(r[0], right["rte"][0]) for r in theirs]
    return [f"`{op.halfcl}`", limit, *map(number, counts)]


def geometric_table(chosen_peers):
    heads = ["function", "limit, n components", *(f"wrong, {mode}" for mode in MODES)]
    heads += [f"{peer.names[0]} wrong" for peer in chosen_peers]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for name in GEOMETRIC:
        lines.append("| " + " | ".join(map(str, geometric_cells(OPS[name], chosen_peers))) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", nargs="*", default=CHOSEN_PEERS, choices=PEERS)
    options = parser.parse_args()
    timing.settle(0)
    chosen_peers = [PEERS[name]() for name in options.peers]
    rows = [row for row in TABLE if row.section in SECTIONS and row.public]
    of_one = {*oracle_functions.MATH, *oracle_functions.PARTS}
    of_two = {*oracle_functions.OF_TWO, *oracle_functions.WITH_INTEGER}
    all_halves = (np.arange(1 << 16, dtype=np.uint16),)
    facts = timing.machine()
    versions = ", ".join(
        f"{peer.packages[0]} {metadata.version(peer.packages[0])}" for peer in chosen_peers
    )
    head = HEAD.format(
        count=len(rows), date=date.today(), cpu=facts["cpu"], isa=facts["halfcl path"],
        peers=versions,
    )  # fmt: skip
    one = table([r for r in rows if r.name in of_one], lambda name: all_halves, chosen_peers)
    two = table([r for r in rows if r.name in of_two], sample_operands, chosen_peers)
    of_three = oracle_functions.OF_THREE
    three = table([r for r in rows if r.name in of_three], sample_operands, chosen_peers)
    vectors = VECTORS.format(count=VECTOR_COUNT) + "\n" + geometric_table(chosen_peers)
    text = "\n".join([head, ONE, one, TWO, two, THREE, three, vectors, ALL_PAIRS])
    TARGET.write_text(re.sub(r"\n{3,}", "\n\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
