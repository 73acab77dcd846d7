"""Kernels from source: what the other tests build on."""

import numpy as np
import pytest

import halfcl as hc
from halfcl import cl

ENABLED = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""


def halves(*shape):
    return np.random.default_rng(1).uniform(-2, 2, shape).astype(hc.half)


def test_a_function_rounds_as_its_own_text_says():
    program = cl.Program(
        ENABLED
        + """
        #pragma OPENCL SELECT_ROUNDING_MODE rtn
        half4 lower(half4 a, half4 b) { return a * b + a; }
        #pragma OPENCL SELECT_ROUNDING_MODE rtp
        half4 upper(half4 a, half4 b) { return a * b + a; }
        #pragma OPENCL SELECT_ROUNDING_MODE rte
        kernel void both(global const half4 *a, global const half4 *b, global half4 *out, int n) {
            size_t i = get_global_id(0);
            if (i >= n) return;
            out[2 * i] = lower(a[i], b[i]);
            out[2 * i + 1] = upper(a[i], b[i]);
        }"""
    )
    a, b, out = halves(1000, 4), halves(1000, 4), np.zeros((2000, 4), hc.half)
    program.both(1024, None, a, b, out, 1000)
    for k, mode in enumerate(("rtn", "rtp")):
        wanted = hc.add(hc.multiply(a, b, rounding=mode), a, rounding=mode)
        np.testing.assert_array_equal(out[k::2].view(np.uint16), wanted.view(np.uint16))
    assert (out[::2] != out[1::2]).any()


def test_loops_branches_and_arrays():
    program = cl.Program(
        ENABLED
        + """
        constant half weights[3] = {0.25h, 0.5h, 0.25h};
        kernel void blur(global const half *in, global half *out, int n) {
            int i = get_global_id(0);
            half sum = 0;
            for (int k = -1; k <= 1; ++k) {
                int j = i + k;
                if (j < 0 || j >= n) continue;
                sum += weights[k + 1] * in[j];
            }
            int t[4] = {1, 2};
            t[i & 3] += 5;
            out[i] = sum;
            switch (i % 3) {
            case 0: out[i] = t[i & 3]; break;
            case 1: out[i] = 7;
            default: out[i] += 1;
            }
        }"""
    )
    n = 20
    x, out = np.arange(n).astype(hc.half), np.zeros(n, hc.half)
    program.blur(n, None, x, out, n)
    wanted = [(6, 7, 5, 5)[i & 3] if i % 3 == 0 else 8 if i % 3 == 1 else i + 1.0 for i in range(n)]
    assert out.tolist() == wanted


def test_all_errors_are_reported_at_once():
    with pytest.raises(cl.BuildError) as caught:
        cl.Program("kernel void k(global float *a) {\n  a[0] = x;\n  y();\n}")
    places = [(d.location.line, d.location.column) for d in caught.value.diagnostics]
    assert places == [(2, 10), (3, 3)]


def test_reads_and_writes_outside_are_errors():
    program = cl.Program("kernel void k(global float *a) { a[get_global_id(0) + 1] = 1; }")
    a = np.zeros(4, np.float32)
    with pytest.raises(
        cl.LaunchError, match=r":1:\d+: kernel k: write outside of global memory 'a'"
    ):
        program.k(4, None, a)
    assert (a == 0).all()


def test_no_file_of_the_working_directory_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "opencl-c-base.h").write_text("#error this one\n")
    cl.Program("kernel void k(global int2 *a) { a[0] = 1; }")
