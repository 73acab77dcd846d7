"""GNU C in OpenCL C, which real programs use: statements in parentheses, and hints."""

import cuda_host
import numpy as np
import pytest

from halfcl import cl

pytestmark = [pytest.mark.once, pytest.mark.kernels]

#: Bodies of `kernel void k(global int *o, global half *h, int i)`, and what o[0] and h[0] become
#: of 7 and 2.
BODIES = {
    "o[0] = ({ int y = i; y * 2; }) + ({ int y = 1; y; });": (7, 2),
    "o[0] = ({ int s = 0; for (int k = 0; k < 9; k++) { if (k == i) break; s += k; } s; });": (
        3,
        2,
    ),
    "h[0] = ({ half y = h[0]; y + 1.5h; });": (7, 3.5),
    "if (({ half y = h[0]; y > 1.5h; })) o[0] = 1; else ({ o[0] = 2; });": (1, 2),
    "({ o[0]++; (void)0; }); ({});": (8, 2),
    "o[0] = i > 1 ? ({ int y = o[0]; y + 1; }) : ({ 9; });": (8, 2),
    "if (__builtin_expect(h[0] > 1, 1)) o[0] = 1; else __builtin_unreachable();": (1, 2),
    "__builtin_assume(h[0] > 1); h[0] = h[0] + h[0];": (7, 4),
    "o[0] = __builtin_expect_with_probability(i, 1, 0.5);": (3, 2),
    "signed char c = -1; o[0] = c; signed char d[2] = {1, c}; o[0] += d[1];": (-2, 2),
}
HEAD = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"


def results(program):
    o, h = np.array([7], np.int32), np.array([2], np.float16)
    program.k(1, None, o, h, 3)
    return int(o[0]), float(h[0])


@pytest.mark.parametrize("body", BODIES)
def test_body(body):
    source = f"{HEAD}kernel void k(global int *o, global half *h, int i) {{ {body} }}"
    assert results(cl.Program(source)) == BODIES[body]
    program = cl.Program(source)
    program._module("rte", checks=True)
    assert "HC_IN(" in cl.translate(source, fp16=False) or " + " not in body


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_bodies_in_cuda():
    kernels = "\n".join(
        f"kernel void k{n}(global int *o, global half *h, int i) {{ {body} }}"
        for n, body in enumerate(BODIES)
    )
    with cuda_host.in_place_of_cupy():
        program = cl.Program(HEAD + kernels, device="cuda")
        for n, expected in enumerate(BODIES.values()):
            o, h = np.array([7], np.int32), np.array([2], np.float16)
            program[f"k{n}"](1, None, o, h, 3)
            assert (o[0], h[0]) == expected


def test_halves_without_a_pragma():
    source = "kernel void k(global half *h) { half x = h[0]; h[0] = x + 0.5h; }"
    with pytest.raises(cl.BuildError, match="cl_khr_fp16"):
        cl.Program(source)
    h = np.array([2], np.float16)
    cl.Program(source, "-cl-ext=+cl_khr_fp16").k(1, None, h)
    assert h[0] == 2.5
    assert "HC_IN(add" in cl.translate(source, options="-cl-ext=+cl_khr_fp64,+cl_khr_fp16")


@pytest.mark.parametrize("jump", ["return", "break", "continue"])
@pytest.mark.parametrize(
    "tail", [";", "{}", "(void)i;", "typedef int T;", "{;}", "{{}} ;", "enum {A};"]
)
def test_nothing_after_a_jump(jump, tail):
    source = f"""kernel void k(global int *o) {{
        int i = get_global_id(0);
        for (int n = 0; n < 2; n++) {{ o[i]++; if (i > 1) {jump}; {tail} }}
    }}"""
    o = np.zeros(4, np.int32)
    cl.Program(source).k(4, None, o)
    assert o.tolist() == ([2, 2, 2, 2] if jump == "continue" else [2, 2, 1, 1])
