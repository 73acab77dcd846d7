"""Structures that hosts pass: their fields are the kernel's, or the launch is refused."""

import cuda_host
import numpy as np
import pytest

import halfcl as hc
from halfcl import cl

TEXT = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
enum colour { RED, GREEN };
struct point { float x, y; };
struct s {
    int n; float f; half h; char3 c; struct point at[2]; uchar name[4]; float m[2][2];
    enum colour colour; union { int i; float real; }; struct { short left, right; };
    float4 wide;
};
kernel void array(global const struct s *a, global int *o) { o[0] = a->n; }
kernel void value(struct s a, global int *o) { o[0] = a.n; }
union u { int i; float f; uchar b[4]; };
kernel void either(union u a, global int *o) { o[0] = a.i; }
"""
PROGRAM = cl.Program(TEXT)
POINT = np.dtype([("x", "f4"), ("y", "f4")])

#: Fields as the kernel has them: name, dtype, offset.
FIELDS = {
    "n": ("i4", 0), "f": ("f4", 4), "h": (hc.half, 8), "c": (("i1", 3), 12),
    "at": ((POINT, 2), 16), "name": (("u1", 4), 32), "m": (("f4", (2, 2)), 36),
    "colour": ("u4", 52), "i": ("i4", 56), "left": ("i2", 60), "right": ("i2", 62),
    "wide": (("f4", 4), 64),
}  # fmt: skip


def dtype_of(changes=None, order=None):
    """A dtype like the kernel's but for some fields: another (format, offset), or None."""
    fields = {**FIELDS, **(changes or {})}
    names = [name for name in order or fields if fields[name] is not None]
    formats, offsets = zip(*(fields[name] for name in names), strict=True)
    return np.dtype(
        {"names": names, "formats": list(formats), "offsets": list(offsets), "itemsize": 80}
    )


def launch(dtype):
    """Pass a structure in both ways."""
    out = np.zeros(1, np.int32)
    array = np.zeros(2, dtype)
    first = array.dtype.names[0]
    array[0][first] = 7
    PROGRAM.array(1, None, array, out)
    assert out[0] == 7
    out[:] = 0
    PROGRAM.value(1, None, array[0], out)
    assert out[0] == 7


SAME = {
    "as it is": {},
    "float16": {"h": ("f2", 8)},
    "four components": {"c": (("i1", 4), 12)},
    "signed enum": {"colour": ("i4", 52)},
    "another member of the union": {"i": None, "real": ("f4", 56)},
    "both members": {"real": ("f4", 56)},
    "no member": {"i": None},
    "bytes": {"at": ("V16", 16)},
    "text": {"name": ("S4", 32)},
    "flat": {"m": (("f4", 4), 36)},
    "padding": {"pad": ("V2", 10), "pad2": ("V1", 15)},
    "a number where nothing is": {"pad": ("i1", 10), "k": ("i1", 11)},
    "named components": {"wide": ([(c, "f4") for c in "xyzw"], 64)},
}


@pytest.mark.parametrize("changes", SAME.values(), ids=SAME)
def test_matching_fields(changes):
    launch(dtype_of(changes))


OTHER = {
    "type": ({"f": ("i4", 4)}, "field f: float at byte 4, got field f: int32 at byte 4"),
    "sign": ({"n": ("u4", 0)}, "field n: int at byte 0, got field n: uint32 at byte 0"),
    "half": ({"h": ("i2", 8)}, "field h: half at byte 8, got field h: int16 at byte 8"),
    "name": ({"n": None, "k": ("i4", 0)}, "field n: int at byte 0, got field f: float32"),
    "more": ({"k": ("i1", 79)}, "no more fields, got field k: int8 at byte 79"),
    "fewer": ({"wide": None}, "field wide: float4 at byte 64, got no such field"),
    "place": ({"left": ("i2", 62), "right": ("i2", 60)}, "left: short at byte 60, got field left"),
    "length": ({"name": (("u1", 3), 32)}, r"name: uchar\[4\] at byte 32, got .* of shape \(3,\)"),
    "scalar": ({"wide": ("f4", 64)}, "field wide: float4 at byte 64, got field wide: float32"),
    "components": ({"wide": ([(c, "i4") for c in "xyzw"], 64)}, "field wide: float4"),
    "in each other": (
        {"at": (([("x", "f4"), ("z", "f4")], 2), 16)},
        "as s has it, at.field y: float at byte 4, got at.field z: float32 at byte 4",
    ),
    "enum": ({"colour": ("f4", 52)}, "colour: uint at byte 52, got field colour: float32"),
    "union": ({"i": ("f4", 56)}, "field i: int at byte 56, got field i: float32"),
}


@pytest.mark.parametrize(("changes", "message"), OTHER.values(), ids=OTHER)
def test_differing_fields(changes, message):
    with pytest.raises(TypeError, match=rf"argument 1 \(a\): expected a struct .*{message}"):
        launch(dtype_of(changes))


def test_fields_in_another_order():
    order = ["f", "n", *list(FIELDS)[2:]]
    wanted = "field n: int at byte 0, got field f: float32 at byte 4"
    with pytest.raises(TypeError, match=wanted):
        launch(dtype_of(order=order))
    swapped = dtype_of({"n": ("i4", 4), "f": ("f4", 0)}, order)
    with pytest.raises(TypeError, match="field n: int at byte 0, got field f: float32 at byte 0"):
        launch(swapped)


def test_unions():
    out = np.zeros(1, np.int32)
    whole = {"names": ["i", "b"], "formats": ["i4", ("u1", 4)], "offsets": [0, 0]}
    for dtype in ([("i", "i4")], np.dtype(whole)):
        value = np.zeros((), dtype)
        value["i"] = 5
        PROGRAM.either(1, None, value, out)
        assert out[0] == 5
    with pytest.raises(TypeError, match="no more fields, got field k: int32"):
        PROGRAM.either(1, None, np.zeros((), [("k", "i4")]), out)
    with pytest.raises(TypeError, match="field f: float at byte 0, got field f: int32"):
        PROGRAM.either(1, None, np.zeros((), [("f", "i4")]), out)


def test_types_of_functions_that_share_names():
    """Each function, and each block, has types of its own under names that others have, too."""
    source = """
    void f(global int *o) {
        typedef short4 T;
        typedef struct { T v; int n; } S;
        S s = {(T)(1, 2, 3, 4), 5}, *p = &s;
        T a[2] = {s.v, s.v + (T)(1)};
        o[0] = sizeof(T) * 1000 + p->v.w + p->n + a[1].x;
    }
    void g(global int *o) {
        typedef char T;
        typedef struct { T v[3]; int n; } S;
        S s = {{-1, 2, 3}, 7}, *p = &s;
        T a[2] = {s.v[0], s.v[1]};
        o[1] = sizeof(T) * 1000 + p->v[2] + p->n + a[0];
        { typedef long T; T x = 1L << 40, *q = &x; o[2] = *q >> 33; }
        { typedef float T; T x = 2.5f, *q = &x; o[3] = *q * 2; }
        { struct Q { int a; }; struct Q q = {3}, *r = &q; o[4] = r->a; }
        { struct Q { char b; float a; }; struct Q q = {3, 4.5f}, *r = &q; o[4] += r->a * 2; }
    }
    kernel void k(global int *o) { f(o); g(o); }"""
    expected = [8000 + 4 + 5 + 2, 1000 + 3 + 7 - 1, 128, 5, 12]
    o = np.zeros(5, np.int32)
    cl.Program(source).k(1, 1, o)
    assert o.tolist() == expected
    cl.translate(source)
    if cuda_host.GXX is not None:
        with cuda_host.in_place_of_cupy():
            o[:] = 0
            cl.Program(source, device="cuda").k(1, 1, o)
        assert o.tolist() == expected
