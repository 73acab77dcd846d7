"""The benchmarks time every row of the table, and run; no figure is checked."""

import argparse
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from exhaustive import LONG, left_out
from places import ROOT

import halfcl as hc

BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))

import limits  # noqa: E402
import limits_report  # noqa: E402
import native  # noqa: E402
import numpy_functions  # noqa: E402
import ops  # noqa: E402
import peers  # noqa: E402
import programs  # noqa: E402
import ranges  # noqa: E402
import report  # noqa: E402

ROWS = [row for row in hc._tables.TABLE if row.public]


def timed_operations(row):
    """Return the operations that time a row."""
    if row.signature:
        return [op for op in ops.OPS.values() if op.halfcl == row.name and op.vector]
    return [ops.OPS[row.name]] if row.name in ops.OPS else []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_timed(row):
    """Every row is timed_operations, or left out for a reason."""
    assert bool(timed_operations(row)) != bool(ops.LEFT_OUT.get(row.name))
    for op in timed_operations(row):
        assert op.inputs == row.inputs and op.rounds == (row.governed != "exact")
        assert op.outputs.replace("v", "e") == row.outputs


def test_every_entry_belongs_to_a_row():
    names = {row.name for row in ROWS}
    vectors = {row.name for row in ROWS if row.signature}
    assert {*ops.DOMAINS, *ops.SPELLED, *ops.LEFT_OUT} <= names - vectors
    assert ops.WIDTHS.keys() == vectors >= ops.VECTORS.keys()


@pytest.mark.parametrize("name", ops.OPS)
def test_operation(name):
    """halfcl and NumPy run the operation on values where the function has a result."""
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


# Arguments with which each takes little time, and some of its output with these.
PROGRAMS = [
    ("compare.py", ["add", "dot4", "-n", "64", "--peers", "numpy16", "--rounds", "1"], "add "),
    ("overhead.py", ["calls"], "of NumPy float32"),
    ("stability.py", ["-n", "64"], "a random run"),
    ("safe.py", ["-n", "64"], "none outside"),
    ("interval.py", ["add", "dot", "-n", "64", "--rounds", "1"], "times halves"),
    ("images.py", ["-n", "16", "--rounds", "1"], "to_unorm8 "),
    ("sorting.py", ["--size", "1024", "--rounds", "1"], "searchsorted sorter "),
    ("small.py", ["--sizes", "10", "--rounds", "1"], "np.searchsorted(s, x) "),
    ("threads.py", ["--sizes", "64", "--threads", "1", "2", "--rounds", "1"], "matmul, exact "),
    ("free_threading.py", ["x + x", "--rounds", "1"], "x + x "),
    ("kernels.py", ["-n", "64", "--rounds", "1"], "a program of 200 lines"),
    ("vector_products.py", ["8 x 8"], "8 x 8 squares"),
    ("dense_kernels.py", ["--sizes", "16", "--rounds", "1"], "elimination, float"),
    ("checked_kernels.py", ["--powers", "8", "--rounds", "1"], "histogram with atomics"),
]


@left_out("benchmarks, which test no function of halfcl's")
@pytest.mark.parametrize(("program", "arguments", "expected"), PROGRAMS if LONG else PROGRAMS[::3])
def test_programs(program, arguments, expected, tmp_path):
    assert expected in run(tmp_path, program, *arguments)


def run(folder, program, *arguments):
    """Return the output of a benchmark."""
    settled = ("HALFCL_BENCH_CORE",)
    environment = {k: v for k, v in os.environ.items() if k not in settled}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, str(BENCH / program), *arguments]
    result = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


# ---------------------------------------------------------------- numpy_functions.py


def test_statements_of_the_sweep():
    """Each statement is there once, and works on plain float16."""
    texts = [text for text, _ in numpy_functions.statements()]
    assert len(texts) == len(set(texts)) >= 320
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in texts:
            eval(text, numpy_functions.setup(text, 16, np.float16))


def row_of(statement, size, plain, accelerated, half, float32):
    seconds = dict(plain=plain, accelerated=accelerated, half=half, float32=float32)
    return {"statement": statement, "size": size, "seconds": seconds, "errors": {},
            "slow": numpy_functions.slow_pairs(seconds, size == 64)}  # fmt: skip


def test_reports_of_the_sweep():
    """Statements that are slower by more than noise are listed, the worst first."""
    rows = [
        row_of("noise", 16, 96e-8, 1e-6, 1e-6, 1e-6),
        row_of("slow", 16, 9e-7, 1e-6, 5e-7, 1e-6),
        row_of("slower", 64, 8e-7, 1e-6, 5e-7, 4e-7),
        row_of("fast", 64, 2e-6, 1e-6, 1e-6, 2e-6) | {"errors": {"half": "TypeError: no"}},
    ]
    del rows[-1]["seconds"]["half"]
    machine = {"cpu": "C", "python": "3", "numpy": "2", "date": "today"}
    result = {"machine": machine, "columns": list(numpy_functions.COLUMNS), "rows": rows}
    lists = "\n".join(numpy_functions.reports(result)).strip().split("\n\n")
    names = [[line.split()[-1] for line in part.splitlines()[2:]] for part in lists[:4]]
    assert names == [["slower", "slow"], [], ["slower"], ["slower"]]
    assert "half         fast, n = 64: TypeError: no" in lists[4]
    assert "| 2^6 | float16, accelerated | 2 | 1.26 | 1 | 0.89 | 1 |" in numpy_functions.markdown(
        result
    )


@left_out("a benchmark, which tests no function of halfcl's")
def test_sweep(tmp_path):
    """Statements that half does not support are listed; stored figures are read."""
    few = ("np.sum(m, axis=1)", "bytes(a", "--sizes", "16", "--rounds", "1")
    printed = run(tmp_path, "numpy_functions.py", *few, "--json", "kept.json")
    assert "half         bytes(a.data), n = 16: ValueError" in printed
    rows = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert {len(row["seconds"]) for row in rows} == {3, 4}
    table = run(tmp_path, "numpy_functions.py", "--read", "kept.json", "--markdown")
    assert "| 2^4 | `half` | 1 |" in table


# ---------------------------------------------------------------- programs.py


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the benchmark pins a core")
def test_whole_programs(tmp_path):
    """Each program runs, half's results are accelerated float16's, and float32's are near them."""
    arguments = ("--quick", "--rounds", "1", "--json", "kept.json", "--markdown")
    printed = run(tmp_path, "programs.py", *arguments)
    rows = json.loads((tmp_path / "kept.json").read_text())["rows"]
    assert [row["program"] for row in rows] == [*programs.WORKLOADS] and len(rows) == 12
    for row in rows:
        assert f"| {row['program']} | " in printed
        if "skipped" not in row:
            assert row["differences"] == [] and row["errors"].keys() <= {"half"}
            assert row["seconds"].keys() | row["errors"].keys() == programs.COLUMNS.keys()


def test_programs_that_differ_are_reported():
    """Other bits of half, and results that are far from float32's, are named; choices are not."""
    workload = programs.WORKLOADS["boids"]
    right, wrong = np.ones(3, np.float16), np.array([1, 1, 1.25], np.float16)
    results = {"float32": (np.ones(3, np.float32), np.arange(3))}
    results |= {"accelerated": (right, np.arange(3)), "half": (right, np.arange(3))}
    assert list(programs.differences(workload, results)) == []
    results["half"] = wrong, np.arange(3)
    errors = list(programs.differences(workload, results))
    assert len(errors) == 2 and all(error.startswith("half: expected") for error in errors)
    results |= {"accelerated": (right, np.arange(1, 4)), "half": (right, np.arange(1, 4))}
    assert list(programs.differences(workload, results)) == []
    results["float32"] = (np.full(3, np.nan, np.float32), np.arange(3))
    assert list(programs.differences(workload, results))


def test_table_of_programs():
    """A column without a figure has a dash, and a program that was not run is explained."""
    row = {"program": "a", "products": True, "errors": {"half": "TypeError: no"}}
    row["seconds"] = {"plain": 0.2, "accelerated": 0.01, "float32": 0.008}
    skipped = {"program": "b", "products": False, "seconds": {}, "errors": {}, "skipped": "no b"}
    *_, first, second = programs.table([row, skipped], markdown=True)
    assert first == "| a | 200.0 | 10.0 | - | 8.0 | 0.80 | - | 20.00 | 0.6 |"
    assert second == "| b | - | - | - | - | - | - | - | 1.0 |"
    assert list(programs.notes([row, skipped])) == ["a: half: TypeError: no", "b: skipped: no b"]


# ---------------------------------------------------------------- ranges.py


def test_widths_of_ranges(monkeypatch, capsys):
    """No width is less than the best widths by sampling, and bisection reaches it."""
    monkeypatch.setattr(ranges.formulas, "KINDS", {"some": ranges.formulas.POLYNOMIALS[:3]})
    widths = ranges.collect(ranges.ratios_on_boxes)
    assert widths.keys() == {"some", "all"} and widths["all"].keys() == ranges.WAYS.keys()
    assert all(ratios.min() >= 1 for ratios in widths["all"].values())
    assert widths["all"]["range_of"].mean() < 1.1 < widths["all"]["f(x)"].mean()
    ranges.print_table("on boxes", widths)
    assert "| all | 36 |" in capsys.readouterr().out


# ---------------------------------------------------------------- limits.py


@pytest.mark.skipif(not LONG, reason="test_limits_with_avx2 has a small run: HALFCL_TEST_LONG=1")
def test_limits(tmp_path):
    """Run with one and with two threads, and report both."""
    few = ("add", "sum", "cross3", "-n", "16384", "--rounds", "1", "--peers")
    run(tmp_path, "limits.py", *few, "numpy16", "--threads", "1,2", "--json", "now.json")
    runs = json.loads((tmp_path / "now.json").read_text())
    assert [r["threads"] for r in runs] == [1, 2]
    for row in (row for r in runs for row in r["rows"]):
        assert limits_report.ours(row) > 0 and row["stream"] > 0 and row["kernel"] > 0
    page = tmp_path / "page.md"
    names = limits_report.tables(runs)
    page.write_text("".join(f"<!-- {name} -->\nold\n<!-- end -->\n" for name in names))
    drawn = ("--plot", "roof.png", "--write", "page.md")
    assert "Targets" in run(tmp_path, "limits.py", "--from", "now.json", *drawn)
    assert "old" not in page.read_text() and "| add |" in page.read_text()
    if runs[0]["rows"][0].get("vectors"):
        assert (tmp_path / "roof.png").read_bytes().startswith(b"\x89PNG")


@left_out("a benchmark, which tests no function of halfcl's")
def test_limits_with_avx2(tmp_path):
    """Everything is held to AVX2, which NumPy confirms for itself."""
    if "avx2" not in hc.processor_info()["available"]:
        pytest.skip("no AVX2")
    few = ("add", "-n", "1024", "--rounds", "1", "--peers", "numpy16", "--threads", "1")
    run(tmp_path, "limits.py", *few, "--isa", "avx2", "--json", "now.json")
    (kept,) = json.loads((tmp_path / "now.json").read_text())
    assert (kept["isa"], kept["held"]) == ("avx2", "avx2")


@pytest.mark.parametrize(
    ("found", "expected"),
    [({}, "A B"), ({"found": ["AVX2"]}, "A B"), ({"found": ["AVX2", "AVX512_X"]}, "A B AVX512_X")],
)
def test_numpy_is_limited_to_avx2(found, expected, monkeypatch):
    """Nothing is disabled where NumPy has been told to do without; and that remains so."""
    monkeypatch.setattr(np, "show_config", lambda mode: {"SIMD Extensions": found})
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "A B")
    assert limits.avx2_environment()["NPY_DISABLE_CPU_FEATURES"] == expected


@pytest.fixture(scope="module")
def machine():
    try:
        return native.Machine([ops.OPS["add"]])
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_streams_move_all_bytes(machine, threads):
    """Each stream stores a value that depends on all loaded ones, whichever thread does a part."""
    op = ops.OPS["add"]
    arrays = peers.Arrays(op, 2**15)
    arrays.inputs = [np.random.default_rng(2).integers(0, 2**16, 2**15, "H") for _ in range(2)]
    for name, block in machine.streams(op, arrays, threads).items():
        arrays.outs[0][...] = 0
        assert block(2) > 0
        width = 64 if "64 B" in name else 32
        loaded = [x.reshape(-1, 2, width // 2) for x in arrays.inputs]
        each = np.bitwise_xor.reduce(np.concatenate(loaded, axis=1), axis=1)
        stored = arrays.outs[0].view("H").reshape(-1, 2, width // 2)
        assert (stored == each[:, None]).all(), name


def test_instructions_are_counted(machine):
    """A sum widens two halves per element, and narrows one, in whole vectors."""
    lanes = {"avx2": 8, "avx512": 16}.get(hc.processor_info()["isa"])
    if lanes is None:
        pytest.skip("the set widens no halves by instructions")
    try:
        kernels = native.Kernels(machine)
    except RuntimeError as error:
        pytest.skip(str(error))
    op = ops.OPS["add"]
    totals = kernels.instructions(op, peers.Arrays(op, max(native.COUNTED)))
    width = "zmm" if lanes == 16 else "ymm"
    assert totals["widen", width] == 2 / lanes and totals["narrow", width] == 1 / lanes
    assert totals["vector", width] >= 4 / lanes and totals["any", ""] > totals["vector", width]
    bound, _ = native.compute_bound(totals, machine)
    assert bound >= 2 / lanes / machine.rate("widen", width)


def test_every_row_has_a_kernel(machine):
    try:
        kernels = native.Kernels(machine)
    except RuntimeError as error:
        pytest.skip(str(error))
    for op in ops.OPS.values():
        assert kernels.block(op, peers.Arrays(op, 64))(1) > 0


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("add    $0x20,%rax", {"any"}),
        ("vaddps %zmm1,%zmm2,%zmm3", {"any", "vector zmm", "sum zmm"}),
        ("vcvtph2ps 0x20(%rdi,%rax,2),%zmm1", {"any", "vector zmm", "load zmm", "widen zmm"}),
        ("vcvtps2ph $0x4,%zmm1,(%rdx)", {"any", "vector zmm", "store zmm", "narrow zmm"}),
        ("vmovups %ymm1,0x20(%rdx)", {"any", "store ymm"}),
        ("vfnmadd231ps (%rdi),%ymm1,%ymm2", {"any", "vector ymm", "load ymm", "fma ymm"}),
        ("vdivps %xmm1,%xmm2,%xmm3", {"any", "vector ymm", "divide ymm"}),
        ("vgatherdpd (%r8,%ymm3,8),%zmm0{%k2}",
         {"any", "vector zmm", "load zmm", "gather double zmm"}),
        ("kortestw %k0,%k0", {"any"}),
        ("jne    2007e <sincos_e.cold+0x5d>", set()),
    ],
)  # fmt: skip
def test_kinds_of_instructions(text, kinds):
    assert {" ".join(kind).strip() for kind in native.kinds(text)} == kinds


@pytest.mark.parametrize("text", ["0", "1,", "1,-2", "two"])
def test_thread_counts_are_positive(text):
    with pytest.raises(argparse.ArgumentTypeError, match="expected positive integers"):
        limits.counts(text)


def example_point(op, n, time, peer, threads=1, **others):
    ns = {"halfcl rte": time, "PyTorch f16": peer}
    row = {"op": op, "n": n, "threads": threads, "mode": "rte", "ns": ns, "kernel": time}
    row |= {"stream": 0.1, "compute": None, "bytes": native.bytes_per_element(ops.OPS[op])}
    return row | report.verdict(ns, "rte") | others


def made_up_run(threads, *rows):
    facts = {"cpu": "C", "python": "3", "date": "today"}
    return {
        "threads": threads, "isa": "avx2", "held": "", "machine": facts, "columns": {},
        "rates": {}, "rows": list(rows),
    }  # fmt: skip


def test_targets_of_limits():
    """Each target holds and fails where it should."""
    one = made_up_run(
        1,
        example_point("add", 2**14, 0.11, 0.108),  # memory bounds both: within noise
        example_point(
            "exp", 2**14, 0.3, 0.29, compute=0.2, compute_by="fma", instructions=2, vectors=1
        ),
        example_point("fabs", 2**14, 0.12, 0.2, instructions=1, vectors=0.5),
        example_point("exp", 2**24, 0.32, 0.4),
    )
    all_cores = made_up_run(
        4,
        example_point("exp", 2**24, 0.1, 0.09, 4),
        example_point("add", 2**24, 0.4, 0.5, 4),
        example_point("fabs", 2**24, 0.2, 0.5, 4, stream=0.2),
    )
    limits_report.share_out([one, all_cores])
    assert all_cores["rows"][0]["compute"] == 0.05
    failures = {
        what.partition(": ")[2]: bad for what, _, bad in limits_report.targets([one, all_cores])
    }
    assert failures["ahead of every peer"] == ["exp 2^14: 0.97"]
    assert failures["0.8 of the streaming limit at 2^14, the 20 cheapest functions"] == [
        "exp: 0.33"
    ]
    assert failures["exp at 2^24 2 times as fast as one core"] == []
    assert failures["add at 2^24 0.8 of copy bandwidth (4 cores)"] == ["0.75 of 20.0 GB/s"]
    assert "| exp | 0.90 | 1.00 |" in limits_report.tables([one, all_cores])["behind"]


def test_writing_between_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- one -->\nold\n<!-- end -->\nb\n")
    for _ in range(2):
        report.write([page], {"one": r"n\1w"})
        assert page.read_text() == "a\n<!-- one -->\n\nn\\1w\n\n<!-- end -->\nb\n"
    with pytest.raises(ValueError, match="<!-- two -->"):
        report.write([page], {"two": "new"})
