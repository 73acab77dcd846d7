"""python -m halfcl kernel."""

import json
from pathlib import Path

import numpy as np
import pytest

import halfcl as hc
from halfcl._command import main

SOURCE = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void axpy(half a, global const half *x, global half *y) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
kernel void sum(global const int *x, global int *out, local int *t) {
    t[get_local_id(0)] = x[get_global_id(0)];
    BARRIER
    if (get_local_id(0) == 0)
        for (int k = 0; k < get_local_size(0); ++k) out[get_group_id(0)] += t[k];
}
kernel void outside(global int *x) { x[get_global_id(0) + 1] = 0; }
"""
BARRIER = "--options=-D BARRIER=barrier(CLK_LOCAL_MEM_FENCE);"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.cl").write_text(SOURCE)
    np.save("x.npy", np.array([0.1, 0.5, 0.9], np.float16))
    np.save("y.npy", np.ones(3, np.float16))
    np.save("n.npy", np.arange(8, dtype=np.int32))
    return tmp_path


def test_command_lists_kernels(folder, capsys):
    assert main(["kernel", "k.cl", BARRIER, "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "axpy(half a, global const half* x, global half* y)"
    assert len(lines) == 3
    assert main(["kernel", "k.cl", BARRIER, "--listing"]) == 0
    assert "(rte)     on           4      y[i] = a * x[i] + y[i];" in capsys.readouterr().out


AXPY = ["kernel", "k.cl", BARRIER, "--run", "axpy", "--global", "3", "--arg", "0.4"]


def test_command_runs_on_files(folder):
    buffers = ["--arg", "x.npy", "--arg", "y.npy"]
    for mode in ("rtp", "rtn"):
        np.save("y.npy", np.ones(3, np.float16))
        assert main([*AXPY, *buffers, "--rounding", mode]) == 0
        product = hc.multiply(np.float16(0.4), np.load("x.npy"), rounding=mode)
        saved = np.load("y.npy")
        assert saved.dtype == np.float16
        np.testing.assert_array_equal(saved, hc.add(product, np.float16(1), rounding=mode))
    np.testing.assert_array_equal(np.load("x.npy"), np.float16([0.1, 0.5, 0.9]))


def test_new_buffers_and_local_memory(folder):
    run = ["kernel", "k.cl", BARRIER, "--run", "sum", "--global", "8", "--local", "4"]
    assert main([*run, "--arg", "n.npy", "--arg", "zeros:int:2:out.npy", "--arg", "local:16"]) == 0
    assert np.load("out.npy").tolist() == [6, 22]


@pytest.mark.parametrize(
    "type_, shape",
    [("half", (2, 3)), ("half4", (2, 3, 4)), ("float3", (2, 3, 4)), ("int16", (2, 3, 16))],
)
def test_new_buffers_of_vectors(type_, shape, tmp_path, monkeypatch):
    """A vector adds an axis, of 4 for 3 components as in OpenCL's memory."""
    monkeypatch.chdir(tmp_path)
    half = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    source = f"{half}kernel void f(global {type_} *a) {{ a[get_global_id(0)] = 1; }}"
    Path("v.cl").write_text(source)
    run = ["kernel", "v.cl", "--run", "f", "--global", "6"]
    assert main([*run, "--arg", f"zeros:{type_}:2,3:out.npy"]) == 0
    saved = np.load("out.npy")
    assert saved.shape == shape and saved[..., :3].min() == 1


def test_command_with_check(folder, capsys):
    buffers = ["--arg", "x.npy", "--arg", "y.npy"]
    assert main([*AXPY, *buffers, "--contract", "both"]) == 5
    assert "contraction changes 1 of 3 elements of y" in capsys.readouterr().out
    run = ["kernel", "k.cl", "--options=-D BARRIER=", "--run", "sum", "--global", "8"]
    run += ["--local", "4", "--arg", "n.npy", "--arg", "zeros:int:2", "--arg", "local:16"]
    assert main(run) == 0
    assert main([*run, "--check"]) == 5
    assert "k.cl:10:" in capsys.readouterr().err
    assert main([*run, "--contract", "both"]) == 0  # nothing differs
    assert "contraction changes no element" in capsys.readouterr().out
    assert main([*run, "--contract", "both", "--check"]) == 5
    assert "contraction changes no element" in capsys.readouterr().out


def test_command_errors(folder, capsys):
    for arguments, status, message in (
        (["k.cl"], 3, "k.cl:8:5: error"),
        (["none.cl"], 2, "none.cl"),
        (
            ["k.cl", BARRIER, "--run", "other", "--global", "1"],
            2,
            "name of a kernel (axpy, sum, outside), got 'other'",
        ),
        (["k.cl", BARRIER, "--run", "axpy", "--global", "1"], 2, "axpy"),
        ([*AXPY[1:], "--arg", "x.txt", "--arg", "y.npy"], 2, "--arg x.txt: expected"),
        ([*AXPY[1:], "--arg", "zeros:real:3", "--arg", "y.npy"], 2, "'real'"),
        ([*AXPY[1:], "--arg", "zeros:half5:3", "--arg", "y.npy"], 2, "'half5'"),
        (["k.cl", BARRIER, "--run", "outside", "--global", "8", "--arg", "n.npy"], 4, "outside of"),
    ):
        assert main(["kernel", *arguments]) == status, arguments
        assert message in capsys.readouterr().err
    assert main(["kernel", "k.cl", "--run", "axpy"]) == 2
    assert "--run needs --global" in capsys.readouterr().err
    assert np.load("n.npy").tolist() == list(range(8))


def test_command_lists_as_json(folder, capsys):
    assert main(["kernel", "k.cl", BARRIER, "--list", "--json"]) == 0
    kernels = json.loads(capsys.readouterr().out)
    assert [kernel["name"] for kernel in kernels] == ["axpy", "sum", "outside"]
    assert kernels[0]["args"][1] == {
        "name": "x", "type": "const half*", "space": "global", "access": "none"
    }  # fmt: skip
    assert main(["kernel", "k.cl", "--json", "--run", "axpy", "--global", "1"]) == 2
    assert "--json is of --list alone" in capsys.readouterr().err


def test_command_translates(folder, capsys):
    assert main(["kernel", "k.cl", BARRIER, "--translate", "opencl", "-o", "out.cl"]) == 0
    text = (folder / "out.cl").read_text()
    assert "y[i] = HC_IN(add, HC_MODE)(HC_IN(multiply, HC_MODE)(a, x[i]), y[i]);" in text
    assert "#define BARRIER barrier" in text
    more = ["--no-fp16", "--rounding", "rtp", "--contract", "always"]
    assert main(["kernel", "k.cl", BARRIER, "--translate", "opencl", *more]) == 0
    text = capsys.readouterr().out
    assert "#define half ushort" in text
    assert "y[i] = hc_fma_rtp(a, x[i], y[i]);" in text


def test_translation_does_not_replace_its_source(folder, capsys):
    source = (folder / "k.cl").read_text()
    (folder / "link.cl").symlink_to("k.cl")
    for out in ("k.cl", "link.cl", str(folder / "k.cl")):
        assert main(["kernel", "k.cl", BARRIER, "--translate", "cuda", "-o", out]) == 2
        assert "-o: expected another file than the source" in capsys.readouterr().err
    assert (folder / "k.cl").read_text() == source


def test_command_reports_untranslatable_code(folder, capsys):
    (folder / "k.cl").write_text("kernel void k(global float *x) {\n    x[0] = exp(x[1]);\n}")
    assert main(["kernel", "k.cl", "--translate", "opencl", "-o", "out.cl"]) == 3
    error = capsys.readouterr().err
    assert error.startswith("k.cl:2:12: error: not translated: exp of float")
    assert "--float-functions device" in error
    assert not (folder / "out.cl").exists()
    option = ["--float-functions", "device"]
    assert main(["kernel", "k.cl", "--translate", "opencl", "-o", "out.cl", *option]) == 0
    assert (
        capsys.readouterr().err == "k.cl:2:12: exp of float: the device's own, with its results\n"
    )
    assert "x[0] = exp(x[1]);" in (folder / "out.cl").read_text()
    for wrong in (["--translate", "opencl", "--list"], ["-o", "out.cl"], ["--no-fp16"], option):
        assert main(["kernel", "k.cl", *wrong]) == 2
