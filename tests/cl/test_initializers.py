"""Initializers in every form that C has, against a C compiler and OpenCL's compilers.

HALFCL_RANDOM_INITIALIZERS=10000 runs that many random ones, from number
HALFCL_RANDOM_INITIALIZERS_FIRST on; see cl_initializers.
"""

import contextlib
import ctypes
import inspect
import os
import re
import shutil
import subprocess

import cl_initializers
import cuda_host
import numpy as np
import pytest
from cl_devices import queue_of
from exhaustive import either, in_turn, shared_out

from halfcl import cl
from halfcl.cl._frontend.parsing import initializers

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

COUNT = int(os.environ.get("HALFCL_RANDOM_INITIALIZERS", either(100, 25)))
FIRST = int(os.environ.get("HALFCL_RANDOM_INITIALIZERS_FIRST", "0"))
TOGETHER = 25  # kernels of one build
BATCHES = [
    range(first, min(first + TOGETHER, FIRST + COUNT))
    for first in range(FIRST, FIRST + COUNT, TOGETHER)
]
GCC = shutil.which("gcc")
PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"


def values_of(program, seeds):
    """Return the objects of each kernel."""
    results = {}
    for seed in seeds:
        results[seed] = np.full(cl_initializers.LEAVES, -99.0)
        program[f"k{seed}"](1, None, results[seed], *cl_initializers.ARGUMENTS)
    return results


def differing(seeds, forms, one, other):
    """Return the seeds whose objects differ in a bit, with their kernels."""
    return [
        (seed, cl_initializers.program_of([seed], forms))
        for seed in seeds
        if one[seed].tobytes() != other[seed].tobytes()
    ]


# ---------------------------------------------------------------- random ones


@shared_out
@pytest.mark.skipif(GCC is None, reason="needs gcc, whose initializers are compared")
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_random_initializers_agree_with_gcc(seeds, tmp_path):
    forms = cl_initializers.C
    source = cl_initializers.program_of(seeds, forms)
    (tmp_path / "k.c").write_text(source)
    words = [GCC, "-w", "-O0", "-shared", "-fPIC", "-o", "k.so", "k.c"]
    subprocess.run(words, cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "k.so"))
    expected = {}
    n, x = cl_initializers.ARGUMENTS
    for seed in seeds:
        expected[seed] = np.full(cl_initializers.LEAVES, -99.0)
        place = ctypes.c_void_p(expected[seed].ctypes.data)
        library[f"k{seed}"](place, ctypes.c_int(n), ctypes.c_float(x))
    kernels = source.removeprefix(cl_initializers.C_HEAD)
    kernels = kernels.replace("void k", "kernel void k").replace("double *o", "global double *o")
    here = values_of(cl.Program(kernels), seeds)
    assert not differing(seeds, forms, here, expected)


@shared_out
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_random_initializers_agree_with_a_device(seeds):
    """The translation has the author's initializers, which the device's compiler reads."""
    ocl = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")
    forms = cl_initializers.ALL
    source = cl_initializers.program_of(translatable(seeds, "opencl"))
    for queue in queue_of(ocl):
        here, there = (cl.Program(source, **more) for more in ({}, {"device": queue}))
        seeds = [seed for seed in seeds if f"kernel void k{seed}(" in source]
        assert not differing(seeds, forms, values_of(here, seeds), values_of(there, seeds))


@shared_out
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_random_initializers_agree_with_a_runtime(seeds):
    """The runtime builds the source as it is."""
    ocl = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")
    forms = cl_initializers.ALL - {"halves", "empty"}
    source = cl_initializers.program_of(seeds, forms)
    here = values_of(cl.Program(source), seeds)
    for queue in queue_of(ocl):
        program = ocl.Program(queue.context, source).build("-cl-std=CL1.2 -w")
        there = {seed: np.full(cl_initializers.LEAVES, -99.0) for seed in seeds}
        n, x = cl_initializers.ARGUMENTS
        flags = ocl.mem_flags.READ_WRITE | ocl.mem_flags.COPY_HOST_PTR
        for seed, values in there.items():
            held = ocl.Buffer(queue.context, flags, hostbuf=values)
            ocl.Kernel(program, f"k{seed}")(queue, (1,), None, held, np.int32(n), np.float32(x))
            ocl.enqueue_copy(queue, values, held)
    assert not differing(seeds, forms, here, there)


@shared_out
@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
@pytest.mark.parametrize("seeds", BATCHES[:4], ids=str)
def test_random_initializers_in_cuda(seeds):
    seeds = translatable(seeds, "cuda")
    source = cl_initializers.program_of(seeds)
    with cuda_host.in_place_of_cupy():
        here, there = (cl.Program(source, **more) for more in ({}, {"device": "cuda"}))
        values = [values_of(program, seeds) for program in (here, there)]
    assert not differing(seeds, cl_initializers.ALL, *values)


def translatable(seeds, language):
    """Return the seeds of kernels that are translated; constants must be known before a launch."""
    translate = inspect.unwrap(cl.translate)  # compilers take one text of all kernels, built later
    kept = []
    for seed in seeds:
        try:
            translate(cl_initializers.program_of([seed]), language, fp16=language == "cuda")
            kept.append(seed)
        except cl.BuildError as error:
            assert re.search("must be computed|a computed value", str(error))
    assert len(kept) > len(seeds) / 2
    return kept


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("declaration", "values", "expected"),
    [
        ("float4 d[2] = {1.0f, 2.0f};", "d[0].x, d[0].w, d[1].x, d[1].w", [1, 1, 2, 2]),
        ("float4 d[] = {1, 2};", "d[0].y, d[1].z", [1, 2]),
        ("half4 d[] = {1};", "d[0].x, d[0].w", [1, 1]),
        ("constant half2 d[2] = {1, 2.5f};", "d[0].y, d[1].x", [1, 2.5]),
        ("struct {float4 a; int b;} d = {1, 2.5f};", "d.a.w, d.b", [1, 2]),
        ("float4 d = {1, 2, (float2)(3)};", "d.y, d.w", [2, 3]),
        ("half d = {};", "d", [0]),
        ("half4 d = {};", "d.x, d.w", [0, 0]),
        ("global float *d = {};", "d == 0", [1]),
        ("int d = {{3}};", "d", [3]),
        ("int d[2] = {.7, 1.9};", "d[0], d[1]", [0, 1]),
        ("float d[6] = {[1 ... 3] = 5, 6, [0] = 1};", "d[0], d[3], d[4], d[5]", [1, 5, 6, 0]),
        ("struct {int x, y;} d[3] = {[0 ... 1] = 5, 6, 7};", "d[1].x, d[1].y, d[2].x", [5, 6, 7]),
        ("union {int x; float y;} d = {.x = 4, .y = 2.5f};", "d.y", [2.5]),
        (
            "union {float x; struct {short a, b;} y;} d[1] = {-79.5f, [0].y.a = 1};",
            "d[0].y.a, d[0].y.b",
            [1, 0],
        ),
        ("struct {struct {int x, y;} a;} d = {.a.x = 5, .a = {.y = 1}};", "d.a.x, d.a.y", [0, 1]),
        ("struct {struct {int x;} a; struct {int x;} b;} d = {1, 2};", "d.a.x, d.b.x", [1, 2]),
        (
            "struct {int a; struct {int x; union {int y; float z;};};} d = {1, 2, 3};",
            "d.x, d.y",
            [2, 3],
        ),
        ("struct {struct {int x, y;} a;} d = {.a = {1, 2}, .a.x = 5};", "d.a.x, d.a.y", [5, 2]),
        (
            'struct {char c[4]; int b;} d = {.c = "abc", .c[1] = 100, 7};',
            "d.c[1], d.c[2]",
            [100, 7],
        ),
        ('char d[2][4] = {"abcd", {"x"}};', "d[0][3], d[1][0], d[1][1]", [100, 120, 0]),
        ('constant char *d[1] = {"ab"};', "d[0][1]", [98]),
        ("int d[2] = {1, 2, 3.5f};", "d[1]", [2]),
    ],
)
def test_form(declaration, values, expected):
    stores = " ".join(f"o[{k}] = {value};" for k, value in enumerate(values.split(", ")))
    source = f"{PRAGMA}kernel void k(global float *o) {{ {declaration} {stores} }}"
    results = np.zeros(len(expected), np.float32)
    cl.Program(source).k(1, None, results)
    assert results.tolist() == expected


def test_record_value_is_replaced_in_part():
    source = """struct P { int x, y, z; };
    kernel void k(global int *o, int n) {
        struct P p = {n, n, n};
        struct { struct P a, b; } d = {.a = p, .a.x = 5, .b = p, .b = {.y = 2}};
        o[0] = d.a.x; o[1] = d.a.y; o[2] = d.b.x; o[3] = d.b.y;
    }"""
    results = np.zeros(4, np.int32)
    cl.Program(source).k(1, None, results, 7)
    assert results.tolist() == [5, 7, 0, 2]


def test_range_of_designators_with_side_effects_is_refused():
    source = "kernel void k(int n) { int d[4] = {[0 ... 2] = n++}; }"
    with pytest.raises(cl.BuildError, match="a value with side effects for a range"):
        cl.Program(source)


def test_range_of_more_values_than_fit_is_refused(monkeypatch):
    """A million fit, but would take seconds."""
    assert initializers._MOST_VALUES == 1 << 20
    monkeypatch.setattr(initializers, "_MOST_VALUES", 1 << 10)
    source = "kernel void k() {{ char d[32][{}] = {{[0 ... 31][0 ... {}] = 1}}; }}"
    with pytest.raises(cl.BuildError, match=r"an initializer of more than 1,024 values"):
        cl.Program(source.format(33, 32))
    cl.Program(source.format(32, 31))


#: Initializers with computed values of ranges, and a value made from the variable d.
RANGES = [
    ("half d[4] = {[0 ... 2] = x * x};", "d[0] + d[2] * 4 + d[3]"),
    ("half d[3][4] = {[1 ... 2][0] = 2,\n [0][1 ... 3] = x * x, 5};", "d[0][3] - *d[1] + *d[2]"),
    ("half d[2][2] = {[0 ... 1] = {[0 ... 1] = x + 1}};", "d[0][0] * d[1][1] - d[0][1]"),
    ("half d[2][3] = {[0 ... 1][1 ... 2] = x / 3};", "d[0][0] + d[1][2]"),
    ("S d[3] = {1, [1 ... 2] = {{x * 2, x + 1, x}, .h = x * x}, };", "d[2].a[1] * d[1].h + *d->a"),
    ("half4 d[3] = {[0 ... 1] = x * (half4)(1, 2, 3, 4)};", "d[1].z - d[2].x"),
    ("half d[6] = {[1 ... 3] = x * x, [2] = 7};", "d[1] + 10 * d[2]"),
]  # fmt: skip


@in_turn
@pytest.mark.parametrize("fp16", ["cuda", True, False])
@pytest.mark.parametrize(("declaration", "value"), RANGES)
def test_computed_values_of_ranges(declaration, value, fp16):
    """Each element has a call of its own in OpenCL C, since clang does not repeat calls."""
    source = f"""{PRAGMA}typedef struct {{ half a[3]; struct {{ half h; }}; }} S;
    kernel void k(global half *o, half x) {{ {declaration} o[0] = {value}; }}"""
    if fp16 == "cuda":
        more = {"device": "cuda"}
        if cuda_host.GXX is None:
            pytest.skip("needs g++ to run CUDA C++ on the host")
    else:
        text = cl.translate(source, fp16=fp16, rounding="rtp")
        assert text.count("\n", text.index("#line")) == source.count("\n") + 1
        queues = queue_of(pytest.importorskip("pyopencl", reason="needs an OpenCL device"))
        queue = next(queues)  # which needs its context, that `queues` keeps
        if fp16 and "cl_khr_fp16" not in queue.device.extensions:
            pytest.skip("the device has no halves of its own")
        more = {"device": queue, "fp16": fp16}
    results = []
    with cuda_host.in_place_of_cupy() if fp16 == "cuda" else contextlib.nullcontext():
        for settings in ({}, more):
            out = np.zeros(1, np.float16)
            cl.Program(source, **settings).k(1, None, out, 1.7, rounding="rtp")
            results.append(out.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("fp16", [True, False])
@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("half4 d[] = {1};", {True: "{(hc_half4)(1.0h)}", False: "{(hc_half4)(HCI_HALF(0x3c00"}),
        ("half d = {};", {True: "half d = 0;", False: "half d = 0;"}),
        ("int d[1] = {1, 2.5h};", {True: "2.5h", False: "HCI_HALF(0x4100"}),
    ],
)
def test_translation(declaration, expected, fp16):
    text = cl.translate(f"{PRAGMA}kernel void k() {{ {declaration} }}", fp16=fp16)
    assert expected[fp16] in text.partition("#line 1")[2]


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("half d[3] = {[1] = 1}", "{HCL_HALF(0x0000 /* 0.0 */), HCL_HALF(0x3c00 /* 1.0 */)}"),
        ("struct { half a; int b; half c; } d = {.b = 1}", "{HCL_HALF(0x0000 /* 0.0 */), 1}"),
        ("int d[3] = {[1] = 1}", "{{}, 1}"),
    ],
)
def test_zero_between_others_in_cuda(declaration, expected):
    source = f"{PRAGMA}constant {declaration};\nkernel void k() {{ }}"
    assert f" = {expected};" in cl.translate(source, "cuda")
