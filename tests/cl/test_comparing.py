"""cl.compare: what a device makes of a kernel."""

import importlib.util

import numpy as np
import pytest

import halfcl as hc
from halfcl import cl
from halfcl._command import main
from halfcl.cl._devices.comparison import _deviation

KERNEL = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE rtp
kernel void up(global const half *a, global half *out, global int *count, half k) {
    size_t i = get_global_id(0);
    out[i] = k * a[i] + out[i];
    count[i] += i;
}
"""


# ---------------------------------------------------------------- of arrays


@pytest.mark.parametrize("dtype", [hc.half, "f2", "f4", "f8"])
def test_deviations_of_floating_numbers(dtype):
    right = np.array([1, 0, -1, np.nan, np.inf, 2, np.nan], dtype)
    actual = right.copy()
    assert str(_deviation("x", right, actual)) == "x: all of 7 elements equal"
    bits = actual.view(f"u{right.dtype.itemsize}")
    bits[0] += 3
    bits[1] = 1
    bits[2] -= 5  # toward zero
    bits[4] -= 1
    d = _deviation("x", right, actual)
    assert (d.differing, d.ulps, d.nans, d.index) == (4, 5, 0, (2,))
    assert d.right == -1 and d.actual == actual[2]
    actual[5] = np.nan
    d = _deviation("x", right, actual)
    assert (d.differing, d.ulps, d.nans, d.index) == (5, 5, 1, (5,))
    assert "5 of 7 elements differ, by up to 5 ulps, 1 are NaN on one side; [5] is nan" in str(d)


def test_zeros_and_signs():
    right = np.array([[0.0, 1.0]], np.float16)
    d = _deviation("x", right, np.array([[-0.0, 1.0]], np.float16))
    assert (d.differing, d.ulps, d.index) == (1, 0, (0, 0))
    d = _deviation("x", np.array([1e-7], "f2"), np.array([-1e-7], "f2"))
    assert (d.differing, d.ulps) == (1, 4)


def test_deviations_of_integers_structs_and_empty_arrays():
    d = _deviation("x", np.array([1, 2, 3]), np.array([1, 5, 3]))
    assert (d.differing, d.ulps, d.index, d.right, d.actual) == (1, 0, (1,), 2, 5)
    pair = np.dtype([("n", "i4"), ("h", "f2")])
    right, actual = np.zeros(3, pair), np.zeros(3, pair)
    actual["h"][2] = 1
    assert _deviation("x", right, actual).index == (2,)
    for dtype in (hc.half, "i4", pair):
        assert _deviation("x", np.zeros((0, 3), dtype), np.zeros((0, 3), dtype)).differing == 0


# ---------------------------------------------------------------- of a device


@pytest.fixture(scope="module")
def queue():
    ocl = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")
    try:
        devices = ocl.get_platforms()[0].get_devices()
    except ocl.Error:
        pytest.skip("needs an OpenCL device")
    context = ocl.Context(devices[:1])
    yield ocl.CommandQueue(context)


def arguments():
    a, out = np.random.default_rng(0).normal(size=(2, 200)).astype(np.float16)
    return [a, out.view(hc.half), np.zeros(200, np.int32), 0.3]


def test_compare_on_a_device(queue):
    kernel = cl.Program(KERNEL).up
    inputs, before = arguments(), arguments()
    comparison = cl.compare(kernel, queue, 200, None, *inputs)
    assert [x.tobytes() for x in inputs[:3]] == [x.tobytes() for x in before[:3]]
    assert [(d.name, d.differing) for d in comparison.translated] == [("out", 0), ("count", 0)]
    assert bool(comparison.as_written) == bool(comparison) == (not comparison.why_not)
    if comparison.as_written:  # the device knows no pragma
        assert comparison.as_written[0].differing > 20 and comparison.as_written[1].differing == 0
    assert str(comparison).startswith(
        queue.device.name.strip() + ":\n  translated: out: all of 200"
    )


def test_errors(queue):
    program = cl.Program(KERNEL, device=queue)
    with pytest.raises(TypeError, match="argument kernel: expected a kernel of a Program without"):
        cl.compare(program.up, queue, 1, None, *arguments())
    with pytest.raises(TypeError, match=r"argument device: expected a pyopencl\.CommandQueue"):
        cl.compare(cl.Program(KERNEL).up, "gpu", 1, None, *arguments())
    with pytest.raises(TypeError, match="expected 4 arguments"):
        cl.compare(cl.Program(KERNEL).up, queue, 1, None)
    with pytest.raises(ValueError, match="expected never or always on a device, got 'both'"):
        cl.compare(cl.Program(KERNEL, contract="both").up, queue, 1, None, *arguments())


def test_the_command(queue, tmp_path, capsys):
    path, array = tmp_path / "up.cl", tmp_path / "a.npy"
    path.write_text(KERNEL)
    np.save(array, arguments()[0])
    command = ["kernel", str(path), "--run", "up", "--global", "200", "--arg", str(array)]
    command += ["--arg", f"zeros:half:200:{tmp_path / 'out.npy'}", "--arg", "zeros:int:200"]
    status = main([*command, "--arg", "0.3", "--compare", queue.device.platform.name.strip()])
    output = capsys.readouterr().out
    assert "  translated: out: all of 200 elements equal\n" in output
    assert status == (5 if "differ" in output else 0)
    assert not (tmp_path / "out.npy").exists()
    assert main([*command, "--arg", "0.3", "--compare", "nothing of this name"]) == 2
    assert "got 'nothing of this name'" in capsys.readouterr().err


def test_contradicting_options(tmp_path, capsys):
    path = tmp_path / "up.cl"
    path.write_text(KERNEL)
    assert main(["kernel", str(path), "--compare", ""]) == 2
    assert "--compare needs --run" in capsys.readouterr().err
    command = ["kernel", str(path), "--run", "up", "--global", "1", "--compare", "", "--check"]
    assert main(command) == 2
    assert "--compare takes no --check" in capsys.readouterr().err


def test_without_pyopencl(tmp_path, capsys):
    if importlib.util.find_spec("pyopencl") is not None:
        pytest.skip("pyopencl is there")
    path = tmp_path / "up.cl"
    path.write_text(KERNEL)
    assert main(["kernel", str(path), "--run", "up", "--global", "1", "--compare", ""]) == 2
    assert "pip install" in capsys.readouterr().err
