"""Programs in C under the layer, on the first OpenCL device: the interpreter's bits.

run_kernels.c is such a program, and so is the one of the guide. They know nothing of halfcl.
"""

import ctypes
import os
import re
import shutil
import subprocess
import sys

import cl_expressions
import numpy as np
import pytest
from cl_kernels import differing_indices
from exhaustive import either, shared_out
from places import ROOT, TESTS

import halfcl as hc
from halfcl import cl
from halfcl._command.layer_library import library_path

COMPILER = shutil.which("cc")
COMMAND = [sys.executable, "-m", "halfcl", "layer"]
RESULTS = {"half": hc.half, "float": "f4", "double": "f8", "int": "i4", "long": "i8"}
SELECT = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE {}
"""


def has_platform():
    """Return whether the system's loader has a driver."""
    try:
        loader = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return False
    count = ctypes.c_uint()
    return loader.clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 and count.value > 0


pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
    pytest.mark.skipif(library_path() is None, reason="halfcl was built without the layer"),
    pytest.mark.skipif(COMPILER is None, reason="needs a C compiler"),
    pytest.mark.skipif(not has_platform(), reason="needs an OpenCL driver of the system"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for the programs, the cache and PoCL's own."""
    path = tmp_path_factory.mktemp("layer")
    for name in ("HALFCL_LAYER", "HALFCL_LAYER_FLOATS", "HALFCL_LAYER_LENIENT", "OPENCL_LAYERS"):
        os.environ.pop(name, None)
    return path


@pytest.fixture(scope="module")
def environment(folder):
    return {**os.environ, "HALFCL_LAYER_CACHE": str(folder / "cache"),
            "HALFCL_LAYER_LOG": str(folder / "log"), "POCL_CACHE_DIR": str(folder)}  # fmt: skip


def compile_program(source, folder, name):
    path = folder / name
    command = [COMPILER, "-O1", "-x", "c", "-", "-o", str(path), "-lOpenCL"]
    result = subprocess.run(command, input=source, text=True, capture_output=True, check=False)
    if "cannot find -lOpenCL" in result.stderr or "CL/cl.h" in result.stderr:
        pytest.skip("needs OpenCL's headers and loader")
    assert not result.returncode, result.stderr
    return str(path)


@pytest.fixture(scope="module")
def run_kernels(folder, environment):
    """Return a function that runs kernels under the layer, and returns their results."""
    program = compile_program((TESTS / "layer/run_kernels.c").read_text(), folder, "run_kernels")

    def run(source, kernels, inputs, items, options="", libraries=(), headers=None, layer=()):
        texts = [source, *libraries, *(headers or {}).values()]
        paths = [folder / f"{number}.cl" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        words = [program, options, str(items)]
        for path in paths[1 : 1 + len(libraries)]:
            words += ["-l", str(path)]
        for name, path in zip(headers or {}, paths[1 + len(libraries) :], strict=True):
            words += ["-h", name, str(path)]
        for number, array in enumerate(inputs):
            array.tofile(folder / f"{number}.in")
            words += ["-i", str(folder / f"{number}.in")]
        outs = {name: np.zeros(items, type_) for name, type_ in kernels.items()}
        words.append(str(paths[0]))
        for name, out in outs.items():
            words += [name, str(out.nbytes)]
        result = subprocess.run(
            [*COMMAND, *layer, *words], capture_output=True, env=environment, check=False
        )
        if result.returncode:
            return result.returncode, result.stderr.decode()
        data, at = result.stdout, 0
        for name, out in outs.items():
            outs[name] = np.frombuffer(data[at : at + out.nbytes], out.dtype)
            at += out.nbytes
        assert at == len(data)
        return outs

    return run


def test_program_of_the_guide_rounds_up(folder, environment):
    page = (ROOT / "docs/howto/layer.md").read_text()
    source = re.search(r"```c\n(.*?)```", page, re.DOTALL)[1]
    program = compile_program(source, folder, "rounds_up")
    plain = subprocess.run([program], capture_output=True, text=True, check=False).stdout
    layered = subprocess.run(
        [*COMMAND, program], capture_output=True, text=True, check=False, env=environment
    )
    assert plain in ("not built\n", "0x3c00\n")
    assert layered.stdout == "0x3c01\n", layered.stderr


@shared_out
@pytest.mark.parametrize("mode", hc.MODES)
def test_expressions_of_all_types_in_every_mode(mode, run_kernels):
    step, items = either((1, 2000), (31, 300))
    source = cl_expressions.program(mode, step=step)
    inputs = cl_expressions.inputs(items)
    here = cl.Program(source)
    types = {name: RESULTS[name.split("_")[0]] for name in cl_expressions.kernels(step)}
    results = run_kernels(source, types, inputs, items)
    wrong = []
    for name, type_ in types.items():
        expected = np.zeros(items, type_)
        here[name](items, None, *inputs, expected)
        if differing_indices(results[name], expected).size:
            wrong.append(cl_expressions.kernels(step)[name])
    assert not wrong


ADD = "kernel void add(global const half *a, global const half *b, global half *out) {\n"
ADD += "    size_t i = get_global_id(0);\n    out[i] = SUM(a[i], b[i]);\n}\n"
A = np.array([1, 1, -1, 60000, 6e-8], hc.half)
B = np.array([2.0**-24, -(2.0**-24), 1e-4, 5503, 6e-8], hc.half)


@pytest.mark.parametrize("mode", either(hc.MODES, ("rtz", "rtp")))
def test_functions_of_other_programs_keep_their_mode(mode, run_kernels):
    caller = f"half sum(half a, half b);\n{ADD}".replace("SUM", "sum")
    library = f"{SELECT.format(mode)}half sum(half a, half b) {{ return a + b; }}\n"
    results = run_kernels(caller, {"add": hc.half}, (A, B), A.size, libraries=[library])
    assert results["add"].tobytes() == hc.add(A, B, rounding=mode).tobytes()


def test_headers_in_memory(run_kernels):
    source = f'#include "modes/up.h"\n#include <sum.h>\n{ADD}'
    headers = {"modes/up.h": SELECT.format("rtp"), "sum.h": "#define SUM(x, y) ((x) + (y))\n"}
    results = run_kernels(source, {"add": hc.half}, (A, B), A.size, headers=headers)
    assert results["add"].tobytes() == hc.add(A, B, rounding="rtp").tobytes()


def test_macros_and_files_of_options(run_kernels, tmp_path):
    (tmp_path / "down.h").write_text(SELECT.format("rtn"))
    options = f'-I {tmp_path} -D "SUM(x,y)=x + y" -cl-fast-relaxed-math'
    source = f"#include <down.h>\n{ADD}"
    results = run_kernels(source, {"add": hc.half}, (A, B), A.size, options)
    assert results["add"].tobytes() == hc.add(A, B, rounding="rtn").tobytes()


def test_errors_name_the_authors_lines(run_kernels):
    status, log = run_kernels(ADD, {"add": hc.half}, (A, B), A.size)
    assert status == 1
    assert "program.cl:3:14: error: " in log
    assert "SUM" in log


def test_what_is_not_translated_fails_or_is_left(run_kernels):
    source = "kernel void decay(global const half *a, global float *out)\n"
    source += "{ size_t i = get_global_id(0); out[i] = exp(vload_half(i, a)); }\n"
    x = np.linspace(-3, 3, 9).astype(hc.half)
    status, log = run_kernels(source, {"decay": "f4"}, (x,), x.size)
    assert status == 1
    assert "program.cl:2:41: error: not translated: exp of float" in log
    assert "HALFCL_LAYER_FLOATS=device" in log
    for option in (("--floats", "device"), ("--lenient",)):
        results = run_kernels(source, {"decay": "f4"}, (x,), x.size, layer=option)
        np.testing.assert_allclose(results["decay"], np.exp(x.astype("f4")), rtol=1e-5)


def test_program_without_halves_is_the_drivers(run_kernels, folder):
    source = "kernel void twice(global const float *a, global float *out)\n"
    source += "{ size_t i = get_global_id(0); out[i] = exp(a[i]) * 2; }\n"
    a = np.linspace(-3, 3, 100, dtype="f4")
    before = (folder / "log").read_text() if (folder / "log").exists() else ""
    results = [
        run_kernels(source, {"twice": "f4"}, (a,), a.size, layer=x) for x in ((), ("--off",))
    ]
    assert results[0]["twice"].tobytes() == results[1]["twice"].tobytes()
    assert "started the translator" not in (folder / "log").read_text().removeprefix(before)
