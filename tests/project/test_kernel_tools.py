"""The tools that try and run kernels of projects: arguments, tables, and what ends a process."""

import importlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from places import ROOT

from halfcl import cl

if not (ROOT / "tools" / "run_kernels.py").exists():
    pytest.skip("the sources are not beside the tests", allow_module_level=True)

sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench" / "unseen")]
docs_page = importlib.import_module("docs_page")
kernel_arguments = importlib.import_module("kernel_arguments")
kernel_set = importlib.import_module("kernel_set")
run_kernels = importlib.import_module("run_kernels")
try_kernels = importlib.import_module("try_kernels")

STRUCTS = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { long dims[4]; long strides[4]; long offset; } array_t;
typedef struct { int dims[4]; } sizes_t;
typedef struct { char flag; half3 h; struct { int n; float x; } inner[2]; uchar code; } mixed_t;
typedef union { int rows; float x; } either_t;
kernel void copy(global half *to, array_t t, global const half *from, array_t f) {
    long i = get_global_id(0), j = get_global_id(1);
    if (i < f.dims[0] && j < f.dims[1])
        to[i * t.strides[0] + j * t.strides[1] + t.offset] = from[i + j * f.strides[1]];
}
kernel void by_name(global int *out, sizes_t odims, sizes_t ostrides, mixed_t m, either_t e) {
    if (get_global_id(0) || get_global_id(1)) return;
    for (int k = 0; k < 4; k++) { out[k] = odims.dims[k]; out[k + 4] = ostrides.dims[k]; }
    out[8] = m.flag; out[9] = 100 * m.h.z; out[10] = m.inner[1].n; out[11] = 100 * m.inner[1].x;
    out[12] = m.code; out[13] = e.rows;
}
kernel void buffers(global mixed_t *m, global float3 *v) {
    if (get_global_id(0) || get_global_id(1)) return;
    m[0].h = m[1].h;
    v[0] = v[1] * 2;
}
"""


@pytest.fixture(scope="module")
def program():
    return cl.Program(STRUCTS)


def arguments_of(program, name):
    return kernel_arguments.Arguments(program[name]._function)


# ---------------------------------------------------------------- arguments


def test_struct_is_filled_by_names_of_fields_and_parameters(program):
    arguments = arguments_of(program, "by_name").draw()
    arguments[0][:] = -1
    program["by_name"]((1,), (1,), *arguments, check=True)
    assert arguments[0][:14].tolist() == [16, 16, 2, 1, 1, 16, 256, 512, 4, 50, 16, 50, 4, 16]


def test_launch_with_sizes_and_strides_of_structs_is_defined(program):
    draw = arguments_of(program, "copy")
    arguments = draw.draw()
    program["copy"]((16, 16), (16, 16), *arguments, check=True)
    assert (arguments[0][:256] == arguments[2][:256]).all()
    again = draw.draw()
    assert (again[2] == arguments[2]).all() and (again[0][:256] != arguments[0][:256]).any()


def test_struct_with_pointer_is_not_made():
    """No kernel takes such a struct, but the rule is for types, not for kernels."""
    parameter = cl.Program(STRUCTS)["copy"]._function.parameters[0]
    record = cl.Program(STRUCTS)["copy"]._function.parameters[1].type
    field = type(record.fields["offset"])("next", parameter.type, record.size)
    record.fields["next"], record.size = field, record.size + 8
    with pytest.raises(kernel_arguments.NotMadeError, match=r"^t\.next is a global half\*"):
        kernel_arguments.dtype_of(record, "t")


def test_dtype_has_the_layout_of_the_device(program):
    record = program["by_name"]._function.parameters[3].type
    dtype = kernel_arguments.dtype_of(record, "m")
    assert dtype.itemsize == record.size
    assert {n: o for n, (_, o) in dtype.fields.items()} == {
        f.name: f.offset for f in record.fields.values()
    }
    holes = kernel_arguments.holes_in(record)
    assert holes.sum() == record.size - (1 + 3 * 2 + 2 * 8 + 1)
    union = program["by_name"]._function.parameters[4].type
    assert not kernel_arguments.holes_in(union).any()


def test_bytes_that_hold_no_value_are_not_compared(program):
    arguments = arguments_of(program, "buffers")
    first, second = arguments.draw(), arguments.draw()
    holes = kernel_arguments.holes_in(program["buffers"]._function.parameters[0].type.pointee)
    first[0].reshape(-1, holes.size)[:, holes] = 7
    first[1].reshape(-1, 4)[:, 3] = np.nan
    pairs = zip(arguments.results(first), arguments.results(second), strict=True)
    assert all(a.tobytes() == b.tobytes() and a.dtype == b.dtype for a, b in pairs)
    first[1][2] += 1
    assert (arguments.results(first)[1] != arguments.results(second)[1]).any()


def test_structs_in_buffers_have_numbers_of_their_fields(program):
    memory, _ = arguments_of(program, "buffers").draw()
    record = program["buffers"]._function.parameters[0].type.pointee
    structs = memory.view(kernel_arguments.dtype_of(record, "m"))
    assert np.isfinite(structs["h"][:, :3]).all() and np.isfinite(structs["inner"]["x"]).all()
    assert set(structs["inner"]["n"].ravel()) == {0, 1, 2, 3} and structs["code"].max() > 64


def test_buffer_of_arrays_has_numbers_of_their_elements():
    """It has whole arrays."""
    text = "kernel void k(global float4 (*a)[3], global const uint (*b)[2][5]) { }"
    program = cl.Program(text)
    for pointee, array in zip(("f4", "u4"), arguments_of(program, "k").draw(), strict=True):
        assert array.dtype == pointee
    program["k"]((1,), (1,), *arguments_of(program, "k").draw())


# ---------------------------------------------------------------- runs


#: In place of run_kernels.py: kernel b crashes, kernel c does not end, bad.cl has a fault.
RUNS = """
import json, os, signal, sys

name, done = json.loads(sys.argv[2])[1::3]
print(json.dumps([name]), flush=True)
if name == "bad.cl":
    sys.exit("no such device")
for kernel, end in {"a": 0, "b": signal.SIGSEGV, "c": signal.SIGALRM, "d": 0}.items():
    key = f"{name}: {kernel}"
    if key not in done:
        print(json.dumps([key]), flush=True)
        if end:
            os.kill(os.getpid(), end)
        print(json.dumps([key, "equal"]), flush=True)
"""


@pytest.fixture
def runs(tmp_path, monkeypatch):
    script = tmp_path / "runs.py"
    script.write_text(RUNS)
    monkeypatch.setattr(run_kernels, "__file__", str(script))
    return lambda name: run_kernels.run_apart((tmp_path, name), "", "exact")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_process_that_ends_costs_one_kernel(runs):
    assert runs("k.cl") == {
        "k.cl: a": "equal",
        "k.cl: b": "the process ended: SIGSEGV",
        "k.cl: c": "the process ended: it took more than 300 s",
        "k.cl: d": "equal",
    }


def test_fault_before_the_first_kernel_is_the_outcome_of_the_file(runs):
    assert runs("bad.cl") == {"bad.cl": "the process ended: status 1: no such device"}


def test_kernel_without_memory_is_not_launched():
    """It may take long, and shows nothing."""
    program = cl.Program("kernel void k(int n) { while (n > 0); }")
    kernel = run_kernels.Kernel(program, "k")
    assert list(kernel.defined_launches()) == [] and kernel.why_not == "writes nothing"


def test_nans_of_structs_are_equal():
    """Memory of any size may hold halves."""
    first, second = np.zeros(3, "u2"), np.zeros(3, "u2")
    first[1], second[1] = 0x7E00, 0xFE01
    pair = [first.view("u1")], [second.view("u1")]
    assert run_kernels._are_equal(*pair)
    second[2] = 1
    assert not run_kernels._are_equal(*pair)


OUTCOMES = {
    "b/k.cl: x, bits": "equal",
    "b/k.cl: x, own halves": "DIFFERS",
    "b/k.cl: y": "not defined: k.cl:1:2: kernel y: race: local b",
    "a/l.cl": "not built: l.cl:1:2: error: a",
    "b/k.cl: z, bits": "writes nothing",
    "b/k.cl: z, own halves": "writes nothing",
}


def test_table_counts_kernels_by_outcome():
    assert run_kernels.table(OUTCOMES).splitlines() == [
        "| project | equal, bits | equal, own halves | DIFFERS, bits | DIFFERS, own halves | "
        "not built | not defined | writes nothing |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        "| a | 0 | 0 | 0 | 0 | 1 | 0 | 0 |",
        "| b | 1 | 0 | 0 | 1 | 0 | 1 | 1 |",
        "| all | 1 | 0 | 0 | 1 | 1 | 1 | 1 |",
    ]


def test_reasons_are_counted_without_their_places():
    results = OUTCOMES | {
        "b/k.cl: u": "not defined: k.cl:7:2: kernel u: race: global a, byte 0",
        "b/k.cl: w": "not defined: kernel w: write outside of global memory 'a': byte 7",
        "c/l.cl": "not built: l.cl:8:9: error: a",
        "c/m.cl: v, bits": "the process ended: SIGSEGV",
        "c/m.cl: v, own halves": "the process ended: SIGSEGV",
    }
    assert run_kernels.reasons(results).splitlines() == [
        "2 not built: a",
        "2 not defined: race",
        "1 not defined: write",
        "1 the process ended: SIGSEGV",
    ]


def test_report_is_read_again(tmp_path, monkeypatch, capsys):
    report = tmp_path / "runs.txt"
    report.write_text("".join(f"{key}\t{why}\n" for key, why in OUTCOMES.items()))
    assert run_kernels.read_report(report) == OUTCOMES
    assert run_kernels.read_report(tmp_path / "none") == {}
    for project, names in {"a": ["l.cl"], "b": ["k.cl", "new.cl"], "c": ["k.cl"]}.items():
        (tmp_path / "all" / project).mkdir(parents=True)
        for name in names:
            (tmp_path / "all" / project / name).write_text("")
    monkeypatch.setattr(run_kernels, "run_apart", lambda file, **_: {file[1]: "not built: e"})
    arguments = [str(tmp_path / "all"), "--report", str(report), "--resume", "--skip", "c"]
    monkeypatch.setattr(sys, "argv", ["run_kernels.py", *arguments])
    run_kernels.main()
    assert run_kernels.read_report(report) == OUTCOMES | {"b/new.cl": "not built: e"}
    assert "| b | 1 | 0 | 0 | 1 | 1 | 1 | 1 |" in capsys.readouterr().out


def test_kernels_with_structs_are_run_on_a_device(tmp_path):
    pytest.importorskip("pyopencl")
    (tmp_path / "k.cl").write_text(STRUCTS)
    outcomes = run_kernels.run_apart((tmp_path, "k.cl"), "", "exact")
    assert {key.partition(", ")[0] for key in outcomes} == {
        "k.cl: copy", "k.cl: by_name", "k.cl: buffers",
    }  # fmt: skip
    assert set(outcomes.values()) == {"equal"}


# ---------------------------------------------------------------- what builds


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ to check CUDA C++")
def test_project_that_no_device_compiles_has_a_row_of_its_own(tmp_path):
    """Its files count, built by a device or not; and the page keeps the rows of others."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "good.cl").write_text("kernel void k(global int *a) { a[0] = 1; }")
    (tmp_path / "p" / "bad.cl").write_text("kernel void k(global int *a) { a = 1.0; }")
    page = tmp_path / "page.md"
    heads = "| project | files | device | interpreter | OpenCL text | without fp16 | CUDA text | "
    heads += "NVRTC builds it | device builds the OpenCL text | without fp16 | times |"
    rule = "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    old = [heads, rule, "| o | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1.0 |"]
    page.write_text("a\n<!-- measured: kernels built -->\n<!-- end of kernels built -->\nb\n")
    docs_page.write(page, "kernels built", old)
    tool = [sys.executable, ROOT / "tools" / "try_kernels.py", tmp_path, "--not-compiled", "p"]
    done = subprocess.run([*tool, "--page", page], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    row = "| p | 2 | not compiled | 1 | 1 | 1 | 1 | 1 (g++) | not compiled | not compiled |  |"
    assert row in done.stdout.splitlines()
    assert docs_page.read(page, "kernels built") == ["", *old, row, ""]
    done = subprocess.run([*tool[:-1], "q"], capture_output=True, text=True)
    assert done.returncode == 2 and "expected projects of the folder, got q" in done.stderr


def test_row_that_is_not_compiled_follows_the_sums():
    steps = dict.fromkeys(("own", "here", "opencl", "bits", "cuda", "bits translated"), "")
    there = try_kernels.Outcome(steps, {"own": 1.0, "bits translated": 2.0})
    here = try_kernels.Outcome(dict.fromkeys(("here", "opencl", "bits", "cuda"), ""))
    projects = {"a": {"k.cl": there}, "h": {"k.cl": here, "l.cl": here}, "z": {"k.cl": there}}
    rows = try_kernels.table(projects, ["h"]).splitlines()[2:]
    assert rows == [
        "| a | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 2.0 |",
        "| z | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 2.0 |",
        "| all | 2 | 2 | 2 | 2 | 2 | 2 | 2 | 2.0 |",
        "| h | 2 | not compiled | 2 | 2 | 2 | 2 | not compiled |  |",
    ]


def test_page_without_the_marks_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- end of it -->\n<!-- measured: it -->\n")
    with pytest.raises(SystemExit, match="expected the marks"):
        docs_page.write(page, "it", ["a"])


def test_sample_of_many_files_is_by_name():
    names = ["i.h", *(f"m{k:02}.cl" for k in reversed(range(20))), "other.cl"]
    row = {"files": ["m00.cl", "m1[12].cl"], "sample": "m*.cl", "every": 8}
    assert kernel_set.choose(row, names) == ["m00.cl", "m08.cl", "m11.cl", "m12.cl", "m16.cl"]
    assert kernel_set.choose({}, ["b.cl", "a.cl", "a.h"]) == ["a.cl", "b.cl"]
