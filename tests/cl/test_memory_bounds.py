"""No access touches what is not in a buffer or variable, and the error says whose it was."""

import random

import numpy as np
import pytest
from exhaustive import one_in

from halfcl import cl

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")


def launch(body, *arguments, items=8, local=None, parameters="global int *a, int n"):
    source = f"""#pragma OPENCL EXTENSION cl_khr_fp64 : enable
    kernel void k({parameters}) {{ int i = get_global_id(0);\n {body} }}"""
    cl.Program(source).k(items, local, *arguments)


#: Body, and what the error says: by buffer a of 8 integers, n = 8, and items 0 to 7.
FAULTS = {
    "a[i + 1] = 1;": r"write outside of global memory 'a': work-item \(7,\): 4 bytes at byte 32 of",
    "a[i - 1] += 1;": r"read outside of global memory 'a': work-item \(0,\): 4 bytes at byte -4",
    "if (i > 2) a[i * i] = 1;": r"write .* work-item \(3,\): 4 bytes at byte 36",
    "a[(long)i << 60] = 1;": r"write outside .* work-item \(1,\)",
    "a[(ulong)i * 0x4000000000000000UL] = 1;": r"write outside .* work-item \(1,\)",
    "a[0x4000000000000000L] = 1;": r"write outside .* work-item \(0,\)",
    "global int *p = a + 0x3fffffffffffffffL; p += 0x3fffffffffffffffL; p[4 + i] = 1;": "outside",
    "*(global int *)((global char *)a + i) = 1;": r"misaligned write in .*\(1,\): 4 bytes at",
    "if (i & 2) *(global int *)((global char *)a + 2 * i + 1) = 1;": r"misaligned .*\(2,\)",
    "((global int4 *)(a + 2))[0] = 1;": r"misaligned write in .* 16 bytes at byte 8",
    "((global double *)a)[i] = 1;": r"write outside .* work-item \(4,\): 8 bytes at byte 32",
    "int t[4]; int *p = t; p[i] = 1;": r"private memory 't': work-item \(4,\): 4 bytes at byte 16",
    "int t[4]; a[i] = t[3 - i];": r"read outside of private memory 't': work-item \(4,\)",
    "struct { int x; int t[2]; } s; int *p = s.t; p[i - 2] = 0;": r"'s': work-item \(0,\).*byte -4",
    "local int t[4]; local int *p = t; p[i % 4 + i / 4] = 1;": r"local memory 't': .*\(7,\)",
    "global int *p = i == 5 ? 0 : a; p[i] = 1;": r"write by a null pointer: work-item \(5,\)",
    "global int *p = 0; a[0] = *p;": r"read by a null pointer: work-item \(0,\)",
    "global int *p = 0; a[0] = p[3];": r"read by a null pointer",
    "global int *p = (global int *)(size_t)(12345 + i); *p = 1;": "write by a pointer to nothing",
    "global int *p = (global int *)((size_t)a + (i == 6) * 32); *p = 1;": r"work-item \(6,\)",
    "const int c = 1; int *p = (int *)&c; p[1] = 2;": r"write outside of private memory 'c'",
    "*(int *)(size_t)\"text\" = 1;": "write to constant constant memory 'string'",
    "a[0] = \"text\"[i];": r"read outside of constant memory 'string': work-item \(5,\)",
    "atomic_inc(a + i * 3);": r"atomic access outside of global memory 'a': work-item \(3,\)",
}  # fmt: skip


@pytest.mark.parametrize("body", FAULTS)
def test_faulty_accesses(body):
    big = np.zeros(24, np.int32)
    with pytest.raises(cl.LaunchError, match=FAULTS[body]):
        launch(body, big[8:16], 8, local=4 if "local" in body else None)
    assert not big[:8].any()
    assert not big[16:].any()


def test_a_fault_writes_nothing_and_names_its_line():
    a = np.zeros(8, np.int32)
    with pytest.raises(cl.LaunchError, match=r"^program.cl:4:\d+: kernel k: write"):
        launch("if (i < n)\na[i + 4] = i;", a, 6)
    assert not a.any()


@pytest.mark.parametrize(
    "body",
    [
        "if (i < n) a[i] = i;",
        "if (i + 1 < n) a[i + 1] = i;",
        "if (i > 0 && i <= n) a[(i - 1) * 3 % n] += a[i - 1];",
        "global int *p = i < n ? a : 0; if (p) p[i] = 2;",
        "global int *p = a - 100; if (i < n) p[100 + i] = 2;",
        "for (int j = i; j < n; j += 3) a[j] += 1;",
        "int t[3] = {1, 2, 3}; if (i < 3) a[i] = t[i];",
        "a[i < n ? i : 0] = i < n ? a[i] : a[0];",
        "if (i < n && *(global int *)((global char *)a + 4 * i) == 0) a[i] = 1;",
        "if (i % 4 == 0 && i < n) ((global int2 *)a)[i / 2] = 7;",
        "if (i % 4 == 0 && i < n) *(global long *)((global char *)a + i * 4) = 7;",
    ],
)
def test_inactive_items_may_point_anywhere(body):
    big = np.zeros(3 * 8, np.int32)
    launch(body, big[8:16], 8, items=1000)
    assert not big[:8].any()
    assert not big[16:].any()
    if "t[" not in body and "(i - 1) * 3" not in body and "a[0]" not in body:
        assert big[8:16].any()


INDICES = """i -i i*i i-3 7-i i*1000000007 (long)i*0x7fffffffffffffffL i<<29 -1 0 1000 (ulong)-1
(ulong)-1-i (long)i<<61 v[i] v[i&7]*2 0x4000000000000000L+i i*16 i/2""".split()
TYPES = "char short int long float int2 int3 float4 short8 uchar16 double2".split()
POINTERS = (
    "global T *p = (global T *)b;",
    "T t[4]; t[0] = 0; T *p = t;",
    "global T *p = i % 3 ? (global T *)b : (global T *)a;",
    "global T *p = (global T *)((size_t)b + X);",
    "struct S { char c; T x[2]; char d; } s[3]; T *p = s[1].x;",
    "global T *q[2] = {(global T *)a, (global T *)b}; global T *p = q[i & 1];",
)
USES = ("p[X] = (T)(1);", "T z = p[X]; if (((uchar *)&z)[0]) a[0] = 0;", "p[X] = p[Y];")


@one_in(3)
@pytest.mark.parametrize("seed", range(60))
def test_random_pointers_stay_inside(seed):
    """Whatever a pointer is, what lies around the buffers stays as it was."""
    draw = random.Random(seed)
    pointer, use = draw.choice(POINTERS), draw.choice(USES)
    condition = draw.choice(["1", "i & 1", "i < 5", "v[i] > 0"])
    code = f"{pointer} {draw.choice(['', 'p += X;'])} if ({condition}) {{ {use} }}"
    for name in "XY":
        while name in code:
            code = code.replace(name, f"({draw.choice(INDICES)})", 1)
    code = code.replace("T", draw.choice(TYPES))
    big = np.full(512, 0xAA, np.uint8)
    first, second = draw.choice([64, 8, 1]), draw.choice([64, 128, 8])
    a, b = big[128 : 128 + first], big[256 : 256 + second]
    wanted = big.copy()
    values = np.arange(16, dtype=np.int32) % 7 - 3
    try:
        parameters = "global uchar *a, global uchar *b, global const int *v"
        launch(code, a, b, values, items=16, parameters=parameters)
    except cl.LaunchError as error:
        assert "kernel k" in str(error)
    for start, size in ((128, first), (256, second)):
        wanted[start : start + size] = big[start : start + size]
    np.testing.assert_array_equal(big, wanted)


# ---------------------------------------------------------------- the same memory twice


def test_a_value_loaded_stays_when_its_place_is_written():
    x = np.arange(8, dtype=np.int32)
    body = "int v = b[i]; a[i] = 100; a[i] = i ? v : 100;"
    launch(body, x, x, parameters="global int *a, global const int *b")
    assert x.tolist() == [100, 1, 2, 3, 4, 5, 6, 7]


def test_buffers_that_overlap():
    x = np.arange(12, dtype=np.int32)
    body = "int4 v = ((global const int4 *)b)[i]; a[4 * i] = -1; a[4 * i + 1] = v.x + v.w;"
    launch(body, x[:8], x[4:], items=2, parameters="global int *a, global const int *b")
    assert x.tolist() == [-1, 4 + 7, 2, 3, -1, 8 + 11, 6, 7, 8, 9, 10, 11]


def test_overlapping_buffers_have_overlapping_addresses():
    x, out = np.arange(8, dtype=np.int32), np.zeros(4, np.int32)
    body = """o[0] = a + 4 == b; o[1] = b - a; o[2] = a < b && b < a + 5;
    global int *p = (global int *)((size_t)b - 4); o[3] = *p;"""
    parameters = "global int *o, global int *a, global int *b"
    launch(body, out, x, x[4:], items=1, parameters=parameters)
    assert out.tolist() == [1, 4, 1, 3]


def test_empty_buffers():
    empty, a = np.zeros(0, np.int32), np.zeros(2, np.int32)
    parameters = "global int *a, global int *b"
    launch("if (i > 5) a[i] = b[i]; a[0] = a != b;", a, empty, items=2, parameters=parameters)
    assert a.tolist() == [1, 0]
    with pytest.raises(cl.LaunchError, match=r"outside of global memory 'b'.*byte 0 of 0"):
        launch("a[0] = b[0];", a, empty, parameters=parameters)
