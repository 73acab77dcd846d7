"""Asynchronous copies between global and local memory, against NumPy's slices."""

import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import cl

SCALARS = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": hc.half,
    "float": np.float32, "double": np.float64,
}  # fmt: skip

ENABLED = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
"""

KERNEL = """
kernel void k_T(global const T *x, global T *y, global T *z, int n) {
    local T t[6];
    event_t e[2];
    size_t g = get_group_id(0);
    e[0] = async_work_group_strided_copy(t, x + g * 18, 6, 3, 0);
    prefetch(x, 6);
    wait_group_events(1, e);
    e[1] = async_work_group_copy(y + g * 6, t, n, 0);
    e[0] = async_work_group_strided_copy(z + g * 12, t, 6, 2, (event_t)0);
    wait_group_events(2, e);
}
"""


@one_in(2)
@pytest.mark.parametrize("scalar", SCALARS)
def test_copies_of_all_types(scalar):
    """All widths, both ways, with and without strides; of three components four are copied."""
    widths = ("", 2, 3, 4, 8, 16)
    program = cl.Program(ENABLED + "".join(KERNEL.replace("T", f"{scalar}{w}") for w in widths))
    rng = np.random.default_rng(1)
    for width in widths:
        lanes = {"": 1, 3: 4}.get(width, width)
        x = rng.integers(1, 100, (36, lanes)).astype(SCALARS[scalar])
        y, z = np.zeros((12, lanes), x.dtype), np.zeros((24, lanes), x.dtype)
        getattr(program, f"k_{scalar}{width}")(8, 4, x, y, z, 4)
        for group in range(2):
            read = x[18 * group : 18 * (group + 1) : 3]
            assert (y[6 * group : 6 * group + 4] == read[:4]).all()
            assert not y[6 * group + 4 : 6 * group + 6].any()
            assert (z[12 * group : 12 * (group + 1) : 2] == read).all()
            assert not z[12 * group + 1 : 12 * (group + 1) : 2].any()


def run(body, out, *arguments, local=4):
    source = f"kernel void k(global int *o, global int *a) {{ local int t[4];\n{body} }}"
    cl.Program(source).k(len(out), local, out, *arguments)
    return out.tolist()


def test_only_some_groups_copy_with_sizes_of_their_own():
    a, out = np.arange(12, dtype=np.int32) + 1, np.zeros(12, np.int32)
    body = """int g = get_group_id(0); t[get_local_id(0)] = 0; barrier(1);
    if (g != 1) { event_t e = async_work_group_copy(t, a + 4 * g, 2 + g, 0);
        wait_group_events(1, &e); o[get_global_id(0)] = t[get_local_id(0)]; }"""
    assert run(body, out, a) == [1, 2, 0, 0, 0, 0, 0, 0, 9, 10, 11, 12]


def test_events_are_values():
    """Passed on, combined, stored, chosen."""
    a, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    source = """event_t start(local int *t, global int *a, event_t e)
    { return async_work_group_copy(t, a, 2, e); }
    kernel void k(global int *o, global int *a) { local int t[4];
        global int *mine = a + 4 * get_group_id(0);
        event_t none = 0, first = start(t, mine, get_group_id(0) ? none : none);
        event_t list[3] = {first, start(t + 2, mine + 2, first)}; event_t *p = list + 1;
        wait_group_events(1, p);
        o[get_global_id(0)] = t[3 - get_local_id(0)]; }"""
    cl.Program(source).k(8, 4, out, a)
    assert out.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_copies_are_pending_until_the_wait():
    from halfcl.cl._interpreter.launching.launch import Launch, Run

    runs = []
    original = Run.__init__

    def remember(self, *arguments):
        original(self, *arguments)
        runs.append(self)

    body = "event_t e = async_work_group_copy(t, a, 4, 0); if (get_group_id(0)) WAIT;"
    wait = "wait_group_events(1, &e)"
    a, out = np.zeros(4, np.int32), np.zeros(8, np.int32)
    Run.__init__ = remember
    try:
        run(body.replace("WAIT", wait), out, a)
        run(body.replace("if (get_group_id(0)) WAIT", wait), out, a)
    finally:
        Run.__init__ = original
    pending = [p.groups.tolist() for r in runs for p in r.pending]
    assert pending == [[0]]
    assert Launch


FAULTS = {
    "async_work_group_copy(t, a, 5, 0);": r"write outside of local memory 't': 4 bytes at byte 16",
    "async_work_group_copy(t, a + 6, 4, 0);": r"read outside of global memory 'a'.* byte 32 of 32",
    "async_work_group_copy(t, a - 1, 1, 0);": r"read outside of .*'a': 4 bytes at byte -4",
    "async_work_group_copy(t, a, (size_t)-1, 0);": r"write outside of local memory 't'",
    "async_work_group_strided_copy(t, a, 2, 1UL << 63, 0);": r"read outside of global memory 'a'",
    "async_work_group_strided_copy(t, a, 4, 3, 0);": r"read outside of global memory 'a'",
    "async_work_group_copy(t, (global int *)0, 1, 0);": r"the source is null",
    "async_work_group_copy(t, (global int *)((global char *)a + 2), 1, 0);": r"misaligned read in",
    "if (get_local_id(0) != 2) async_work_group_copy(t, a, 4, 0);": r"work-item \(2,\) does not",
    "async_work_group_copy(t, a + get_local_id(0), 1, 0);": r"the source differs among the items",
    "async_work_group_copy(t, a, get_global_id(0), 0);": r"the number of elements differs",
    "event_t e = 0; if (get_global_id(0) < 6) wait_group_events(1, &e);": r"\(6,\) does not reach",
}


@pytest.mark.parametrize("body", FAULTS)
def test_faulty_copies(body):
    a, out = np.zeros(8, np.int32), np.zeros(8, np.int32)
    with pytest.raises(cl.LaunchError, match=r"^program.cl:2:\d+: kernel k: .*" + FAULTS[body]):
        run(body, out, a)
