"""Programs in C under the layer, on the first OpenCL device: the interpreter's bits.

run_kernels.c is such a program, and so is the one of the guide. They know nothing of halfcl.
"""

import re
import subprocess

import cl_expressions
import numpy as np
import pytest
from cl_kernels import differing_indices
from exhaustive import either, shared_out
from layer_kernels import COMMAND, MARKS, KernelRunner, compile_program
from places import ROOT

import halfcl as hc
from halfcl import cl

RESULTS = {"half": hc.half, "float": "f4", "double": "f8", "int": "i4", "long": "i8"}
SELECT = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE {}
"""


pytestmark = MARKS


@pytest.fixture(scope="module")
def run_kernels(tmp_path_factory):
    return KernelRunner(tmp_path_factory.mktemp("layer"))


def test_program_of_the_guide_rounds_up(run_kernels):
    page = (ROOT / "docs/howto/layer.md").read_text()
    source = re.search(r"```c\n(.*?)```", page, re.DOTALL)[1]
    program = compile_program(source, run_kernels.folder, "rounds_up")
    plain = subprocess.run([program], capture_output=True, text=True, check=False).stdout
    layered = subprocess.run(
        [*COMMAND, program], capture_output=True, text=True, check=False,
        env=run_kernels.environment,
    )  # fmt: skip
    assert plain in ("not built\n", "0x3c00\n")
    assert layered.stdout == "0x3c01\n", layered.stderr


@shared_out
@pytest.mark.parametrize("mode", either(hc.MODES, ("rtn",)))
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


@pytest.mark.parametrize("mode", either(hc.MODES, ("rtp",)))
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
        results = run_kernels(source, {"decay": "f4"}, (x,), x.size, options_of_layer=option)
        np.testing.assert_allclose(results["decay"], np.exp(x.astype("f4")), rtol=1e-5)


def test_translations_of_halfcl_are_the_drivers(run_kernels):
    """Programs that halfcl has translated, and its own ones, are right as they are."""
    source = SELECT.format("rtp") + ADD.replace("SUM(a[i], b[i])", "a[i] + b[i]")
    text = cl.translate(source, fp16=False)
    results = run_kernels(text, {"add": hc.half}, (A, B), A.size)
    assert results["add"].tobytes() == hc.add(A, B, rounding="rtp").tobytes()


def test_program_without_halves_is_the_drivers(run_kernels):
    source = "kernel void twice(global const float *a, global float *out)\n"
    source += "{ size_t i = get_global_id(0); out[i] = exp(a[i]) * 2; }\n"
    a = np.linspace(-3, 3, 100, dtype="f4")
    before = run_kernels.log()
    results = [
        run_kernels(source, {"twice": "f4"}, (a,), a.size, options_of_layer=option)
        for option in ((), ("--off",))
    ]
    assert results[0]["twice"].tobytes() == results[1]["twice"].tobytes()
    assert "started the translator" not in run_kernels.log().removeprefix(before)
