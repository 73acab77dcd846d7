"""The benchmarks time every row of the table, and run; no figure is looked at."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import halfcl as hc

BENCH = Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import ops  # noqa: E402
import peers  # noqa: E402

ROWS = [row for row in hc.tables.TABLE if row.public]


def timed(row):
    """The operations that time a row."""
    if row.signature:
        return [op for op in ops.OPS.values() if op.halfcl == row.name and op.vector]
    return [ops.OPS[row.name]] if row.name in ops.OPS else []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_timed(row):
    """As the table has it, or left out for a reason."""
    assert bool(timed(row)) != bool(ops.LEFT_OUT.get(row.name))
    for op in timed(row):
        assert op.inputs == row.inputs and op.rounds == (row.governed != "exact")
        assert op.outputs.replace("v", "e") == row.outputs


def test_no_entry_is_of_no_row():
    names = {row.name for row in ROWS}
    vectors = {row.name for row in ROWS if row.signature}
    assert {*ops.DOMAINS, *ops.SPELLED, *ops.LEFT_OUT} <= names - vectors
    assert ops.WIDTHS.keys() == vectors >= ops.VECTORS.keys()


@pytest.mark.parametrize("name", ops.OPS)
def test_operation(name):
    """halfcl and NumPy run it; the values are where the function has a result."""
    op = ops.OPS[name]
    arrays = peers.Arrays(op, 32)
    with np.errstate(invalid="raise", over="raise", divide="raise", under="ignore"):
        columns = peers.HalfCL().columns(op, arrays)
        assert len(columns) == (4 if op.rounds else 1)
        for block in columns.values():
            assert block(2) > 0
    if "e" in op.outputs and name != "nan":
        assert not np.isnan(arrays.outs[0]).all()
    with np.errstate(all="ignore"):
        for peer in (peers.NumPy16(), peers.NumPy32()):
            for block in peer.columns(op, arrays).values():
                assert block(2) > 0


@pytest.mark.parametrize(
    ("program", "arguments", "expected"),
    [
        ("compare.py", ["add", "dot4", "-n", "64", "--peers", "numpy16", "--rounds", "1"], "add "),
        ("overhead.py", ["calls"], "of NumPy float32"),
        ("stability.py", ["-n", "64"], "a random run"),
        ("safe.py", ["-n", "64"], "none outside"),
        ("interval.py", ["add", "dot", "-n", "64", "--rounds", "1"], "times halves"),
        ("images.py", ["-n", "16", "--rounds", "1"], "to_unorm8 "),
        ("sorting.py", ["--size", "1024", "--rounds", "1"], "searchsorted sorter "),
        ("small.py", ["--sizes", "10", "--rounds", "1"], "np.searchsorted(s, x) "),
        ("kernels.py", ["-n", "64", "--rounds", "1"], "a program of 200 lines"),
        ("checked_kernels.py", ["--powers", "8", "--rounds", "1"], "histogram with atomics"),
    ],
)
def test_programs(program, arguments, expected, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(BENCH / program), *arguments]
    result = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert expected in result.stdout
