"""OpenCL C 2.0 and 3.0: what the options say of them, generic pointers, and what is refused."""

import numpy as np
import pytest

from halfcl import cl

LATER = pytest.mark.parametrize("standard", ["CL2.0", "CL3.0"])


def run(body, standard, before="", items=4, local=2):
    """Return what a kernel writes to an int per item."""
    out = np.zeros(items, np.int32)
    head = "kernel void k(global int *o) { int i = get_global_id(0); int l = get_local_id(0);"
    program = cl.Program(f"{before}\n{head} {body} }}", f"-cl-std={standard}")
    program.k(items, local, out)
    return out.tolist()


@pytest.mark.parametrize(
    ("standard", "version", "newest"),
    [("CL1.0", 100, 120), ("CL1.2", 120, 120), ("CL2.0", 200, 200), ("CL3.0", 300, 300)],
)
def test_versions(standard, version, newest):
    assert run("o[i] = __OPENCL_C_VERSION__;", standard)[0] == version
    assert run("o[i] = __OPENCL_VERSION__;", standard)[0] == newest
    macros = ["CL_VERSION_1_0", "CL_VERSION_1_2", "CL_VERSION_2_0", "CL_VERSION_3_0"]
    for macro, value in zip(macros, (100, 120, 200, 300), strict=True):
        text = f"#ifdef {macro}\n#define V {macro}\n#else\n#define V 0\n#endif"
        assert run("o[i] = V;", standard, text)[0] == (value if value <= newest else 0)


@pytest.mark.parametrize(("standard", "wanted"), [("CL2.0", 0), ("CL3.0", 1)])
def test_features_are_macros_of_3_0(standard, wanted):
    for name in ("generic_address_space", "fp64", "int64", "images", "3d_image_writes"):
        text = f"#ifdef __opencl_c_{name}\n#define V 1\n#else\n#define V 0\n#endif"
        assert run("o[i] = V;", standard, text)[0] == wanted
    text = "#ifdef __opencl_c_pipes\n#define V 1\n#else\n#define V 0\n#endif"
    assert run("o[i] = V;", standard, text)[0] == 0


@LATER
def test_generic_pointers(standard):
    before = "int twice(int *p) { *p *= 2; return *p; } struct s { int *p; };"
    assert run("int x = i; o[i] = twice(&x) + x;", standard, before) == [0, 4, 8, 12]
    body = "local int t[2]; t[l] = i + 1; o[i] = 5; int x = 7;"
    body += "int *p = i == 0 ? &x : i == 1 ? (int *)(t + l) : (int *)(o + i);"
    body += "twice(p); o[i] += x + 100 * t[l];"
    assert run(body, standard, before) == [5 + 14 + 100, 5 + 7 + 400, 10 + 7 + 300, 10 + 7 + 400]
    body = "struct s a; int x = 4; a.p = &x; if (i & 1) a.p = o + i; o[i] = 3; *a.p = 9; o[i] += x;"
    assert run(body, standard, before) == [3 + 9, 9 + 4, 12, 13]


@LATER
def test_what_pointers_point_to(standard):
    body = "local int t[2]; int x; int *p = i == 0 ? &x : i == 1 ? (int *)t : (int *)o;"
    asked = "o[i] = (to_global({p}) != 0) + 2 * (to_local({p}) != 0) + 4 * (to_private({p}) != 0)"
    asked += " + 8 * get_fence({p});"
    assert run(body + asked.format(p="p"), standard) == [4 + 16, 2 + 8, 1 + 16, 1 + 16]
    assert run("int *p = o;" + asked.format(p="p"), standard) == [1 + 16] * 4
    assert run("local int t; int *p = &t;" + asked.format(p="p"), standard) == [2 + 8] * 4
    body += "global int *q = to_global(p); if (q) q[i] = 7; local int *r = to_local(p); if (r) {"
    assert run(body + " *r = 3; o[i] = *r; }", standard) == [0, 3, 7, 7]


@LATER
def test_functions(standard):
    body = "local int t[2]; t[l] = i; work_group_barrier(CLK_LOCAL_MEM_FENCE);"
    body += "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group); o[i] = t[1 - l];"
    assert run(body, standard) == [1, 0, 3, 2]
    assert run("o[i] = get_enqueued_local_size(0) * 10 + get_local_linear_id();", standard) == [
        20, 21, 20, 21]  # fmt: skip
    values = "o[i] = ctz(i) + 100 * ctz((uchar)(i << 5)) + 10000 * ctz((ulong2)(1ul << 40)).x;"
    assert run(values, standard) == [400832, 400500, 400601, 400500]


@LATER
def test_linear_ids(standard):
    program = cl.Program(
        "kernel void k(global int *o) { size_t n = get_global_linear_id();"
        "o[n] = 100 * get_local_linear_id() + n; }",
        f"-cl-std={standard}",
    )
    out = np.zeros((4, 6), np.int32)
    program.k((6, 4), (3, 2), out, offset=(5, 9))
    local = np.tile(np.arange(6).reshape(2, 3), (2, 2))
    assert (out == 100 * local + np.arange(24).reshape(4, 6)).all()


def test_a_race_through_generic_pointers():
    text = "void put(int *p) { *p = 1; }\nkernel void k(global int *o) {\nlocal int t; put(&t); }"
    with pytest.raises(cl.CheckError, match=r"program.cl:1:\d+: .* race: local t"):
        cl.Program(text, "-cl-std=CL2.0").k(4, 4, np.zeros(1, np.int32), check=True)


REFUSED = {
    "global int *global x;": ("", "a pointer in a variable of program scope", 1),
    "": ("static global int *global x; o[i] = 0;", "a pointer in a variable of program scope", 2),
    " ": ("int (^b)(int) = ^(int x) { return x; }; o[i] = b(1);", r"type int \( \^ \)\(int\)", 2),
    "kernel void p(read_only pipe int q) {}": ("", "pipe", 1),
}


@LATER
@pytest.mark.parametrize("before", REFUSED)
def test_refused_features(before, standard):
    body, message, line = REFUSED[before]
    with pytest.raises(cl.BuildError, match=rf"program.cl:{line}:\d+: error: .*{message}"):
        run(body, standard, before.strip())


@pytest.mark.parametrize("name", ["to_global(o)", "work_group_barrier(1)", "ctz(i)"])
def test_features_are_refused_in_1_2(name):
    with pytest.raises(cl.BuildError):
        run(f"{name};", "CL1.2")
    with pytest.raises(ValueError, match=r"invalid choice: 'CL4.0' \(choose from .*CL2.0.*CL3.0"):
        cl.Program("", "-cl-std=CL4.0")
