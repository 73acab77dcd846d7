"""Time whole programs four ways: plain float16, accelerated float16, half, float32.

python bench/programs.py                          all twelve, some minutes on one core
python bench/programs.py --only decode boids      two of them
python bench/programs.py --quick                  small sizes, to see that they run
python bench/programs.py --markdown               the table for the docs
python bench/programs.py --write docs/evidence/acceleration.md    put it between its marks there
python bench/programs.py --json programs.json     keep the figures, with the machine

The programs are in workloads.py. Everything is in one process on one core, in turns. Before
a program is timed its results are compared: half's have to equal accelerated float16's, and
float32's to agree within the program's tolerance. The target, float32's time over accelerated
float16's, is 1, or 0.6 for programs that spend their time in products of matrices.
"""

import argparse
import json
import sys
import timeit
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import report
import timing
from numpy_functions import COLUMNS, Block, array, conditions
from workloads import WORKLOADS, Unavailable

import halfcl as hc

ROUNDS, BUDGET = 9, 3  # seconds per column, or two runs if these take longer
TARGET, TARGET_OF_PRODUCTS = 1.0, 0.6


def variables(workload, dtype, small):
    """Return a program's variables, with the same numbers for every dtype."""
    drawn = workload.draw(np.random.default_rng(0), small)
    return {
        name: array(value, dtype) if getattr(value, "dtype", None) == np.float64 else value
        for name, value in drawn.items()
    }


def differences(workload, results):
    """Yield what is wrong with results, {column: tuple of arrays}."""
    if {"accelerated", "half"} <= results.keys():
        for first, second in zip(results["accelerated"], results["half"], strict=True):
            if not np.array_equal(first.astype(np.float64), second.astype(np.float64)):
                yield "half: expected the results of accelerated float16, got others"
    for column, arrays in results.items():
        for got, expected in zip(arrays, results.get("float32", arrays), strict=True):
            error = relative_error(got, expected)
            if not error <= workload.tolerance:
                limit = workload.tolerance
                yield f"{column}: expected a difference from float32 of {limit}, got {error:.2g}"


def relative_error(got, expected):
    """Return the norm of the difference over the norm of the second; 0 for integers."""
    if np.issubdtype(expected.dtype, np.integer):
        return 0.0
    expected = expected.astype(np.float64)
    return float(np.linalg.norm(got.astype(np.float64) - expected) / np.linalg.norm(expected))


def compute(workload, small, columns):
    """Return the results of a program and the errors that it raised, both by column."""
    results, errors = {}, {}
    for column in columns:
        dtype, switch = COLUMNS[column]
        hc.decelerate()
        arrays = variables(workload, dtype, small)
        switch()
        try:
            results[column] = workload.run(**arrays)
        except Unavailable:
            raise
        except Exception as error:
            errors[column] = f"{type(error).__name__}: {error}"
    hc.decelerate()
    return results, errors


def measure(name, options):
    """Measure a row of the result, after a comparison of the columns' results."""
    workload = WORKLOADS[name]
    row = {"program": name, "products": workload.products, "seconds": {}, "errors": {}}
    try:
        # Plain float16 is not compared: its sums are rounded after each term, and it is slow.
        results, row["errors"] = compute(workload, options.quick, [*COLUMNS][1:])
    except Unavailable as error:
        return row | {"skipped": str(error)}
    row["differences"] = list(differences(workload, results))

    def prepare(dtype):
        return timeit.Timer(partial(workload.run, **variables(workload, dtype, options.quick)))

    blocks = {
        column: Block(prepare, *COLUMNS[column], BUDGET)
        for column in COLUMNS
        if column not in row["errors"]
    }
    row["seconds"] = timing.best_of(blocks, options.rounds)
    hc.decelerate()
    return row


# ---------------------------------------------------------------- the table


def milliseconds(column):
    return lambda row: f"{1e3 * row['seconds'][column]:.1f}"


def ratio(reference, column):
    return lambda row: f"{row['seconds'][reference] / row['seconds'][column]:.2f}"


def target(row):
    return f"{TARGET_OF_PRODUCTS if row['products'] else TARGET}"


#: Heads, and the function that returns a row's cell.
CELLS = {
    "program": lambda row: row["program"],
    "plain, ms": milliseconds("plain"),
    "accelerated, ms": milliseconds("accelerated"),
    "`half`, ms": milliseconds("half"),
    "float32, ms": milliseconds("float32"),
    "float32 / accelerated": ratio("float32", "accelerated"),
    "float32 / `half`": ratio("float32", "half"),
    "plain / accelerated": ratio("plain", "accelerated"),
    "target": target,
}


def cells(row):
    """Yield a row's cells, a dash where a column has no figure."""
    for cell in CELLS.values():
        try:
            yield cell(row)
        except KeyError:
            yield "-"


def table(rows, markdown):
    """Yield the lines of the table."""
    body = [list(CELLS), *(list(cells(row)) for row in rows)]
    if markdown:
        body.insert(1, ["---", *["---:"] * (len(CELLS) - 1)])
        yield from (f"| {' | '.join(line)} |" for line in body)
        return
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    for line in body:
        yield "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))


def notes(rows):
    """Yield lines on what was not run, and on results that differ."""
    for row in rows:
        if "skipped" in row:
            yield f"{row['program']}: skipped: {row['skipped']}"
        for column, error in row["errors"].items():
            yield f"{row['program']}: {column}: {error}"
        for difference in row.get("differences", ()):
            yield f"{row['program']}: {difference}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=WORKLOADS,
                        default=list(WORKLOADS), help=", ".join(WORKLOADS))  # fmt: skip
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="small sizes, whose times say little")
    parser.add_argument("--markdown", action="store_true", help="the table for the docs")
    parser.add_argument(
        "--write", metavar="PAGE", nargs="+", help="put the table between its marks"
    )
    parser.add_argument("--json", metavar="FILE", help="keep all figures there")
    parser.add_argument("--core", type=int, help="the core to run on; default the last")
    options = parser.parse_args()
    timing.settle(options.core)
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    rows = []
    for name in options.only:
        print(name, file=sys.stderr, flush=True)
        rows.append(measure(name, options))
    result = {"machine": timing.machine(), "rows": rows}
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.write:
        report.write(
            options.write, {"programs": "\n".join([*table(rows, True), "", conditions(result)])}
        )
    print("\n".join([*table(rows, options.markdown), "", conditions(result), *notes(rows)]))
    return any(row.get("differences") for row in rows)


if __name__ == "__main__":
    sys.exit(main())
