"""Variables of program scope in global memory: they keep their values between launches."""

import pickle

import cuda_host
import numpy as np
import pytest

from halfcl import cl

pytestmark = [pytest.mark.once, pytest.mark.kernels]

OPTIONS = "-cl-std=CL2.0"
SOURCE = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
struct S { int a; float4 b; };
global int count = 3;
int plain;
global half table[4] = {1, 2.5h};
static global int hidden = 2;
global struct S s = {1, 2.5f};
int calls(void) { static int number; return ++number; }
kernel void k(global int *o, global half *h) {
    size_t i = get_global_id(0);
    global int *pointer = &count;
    atomic_add((volatile global int *)pointer, 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 0) {
        plain += 2; hidden *= 2; table[1] += 1.5h; s.b.w += s.b.x;
        o[0] = *pointer; o[1] = plain; o[2] = hidden; o[3] = s.b.w; o[4] = calls();
        h[0] = table[1] + table[3];
    }
}
"""
#: o and h after each launch.
EXPECTED = [([7, 2, 4, 5, 1], 4), ([11, 4, 8, 7, 2], 5.5), ([15, 6, 16, 10, 3], 7)]


def launches(program, **options):
    results = []
    for mode in ("rte", "rtz", "rtp")[: len(EXPECTED)]:
        o, h = np.zeros(5, np.int32), np.zeros(1, np.float16)
        program.k(4, 4, o, h, rounding=mode if options.get("modes") else "rte")
        results.append((o.tolist(), float(h[0])))
    return results


@pytest.mark.parametrize("modes", [False, True])
def test_values_are_kept_between_launches(modes):
    assert launches(cl.Program(SOURCE, OPTIONS), modes=modes) == EXPECTED


def test_each_program_has_its_own():
    program = cl.Program(SOURCE, OPTIONS)
    assert launches(program) == launches(pickle.loads(pickle.dumps(program))) == EXPECTED


def test_checked_launches_share_them():
    program = cl.Program(SOURCE, OPTIONS)
    o, h = np.zeros(5, np.int32), np.zeros(1, np.float16)
    program.k(4, 4, o, h, check=True)
    program.k(4, 4, o, h)
    assert (o.tolist(), h[0]) == EXPECTED[1]


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_in_cuda():
    with cuda_host.in_place_of_cupy():
        assert launches(cl.Program(SOURCE, OPTIONS, device="cuda")) == EXPECTED


def test_translation_to_opencl_keeps_them():
    text = cl.translate(SOURCE, options=OPTIONS, fp16=False)
    assert "global half table[4] = {HCI_HALF(0x3c00 /* 1 */), HCI_HALF(0x4100" in text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("global int *global p;", "a pointer in a variable of program scope"),
        ("struct S { global int *p; }; global struct S s;", "a pointer in a variable"),
        ("extern global int e;", "variable e has no definition"),
        ("global int x[1 << 28];", "a variable of more than"),
    ],
)
def test_refused(source, message):
    with pytest.raises(cl.BuildError, match=message):
        cl.Program(source, OPTIONS)


def test_earlier_versions_have_none():
    with pytest.raises(cl.BuildError, match="program scope variable must reside in constant"):
        cl.Program("global int x;")


def test_launches_both_ways_are_refused():
    with pytest.raises(cl.BuildError, match="contract='both' with variables of program scope"):
        cl.Program(SOURCE, OPTIONS, contract="both")
