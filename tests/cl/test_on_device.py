"""Program(source, device=queue): on a device, bit for bit what is computed here.

On an OpenCL device; with HALFCL_DEVICE=cuda on the GPU that CuPy finds.
HALFCL_RANDOM_KERNELS=10000 runs that many random kernels, with pragmas at random, from number
HALFCL_RANDOM_KERNELS_FIRST on.
"""

import os
import pickle
import re

import cl_c11_atomics
import cl_constants
import cl_expressions
import cl_jumps
import cl_statements
import cl_storing
import cl_sub_groups
import numpy as np
import pytest
from cl_declarations import split
from cl_devices import queue_of
from cl_kernels import DEVICE_KERNELS, FOLDER, assert_alike, differing_indices
from cl_pragmas import with_pragmas
from cl_random import FLOATING, INTEGERS, program_of
from exhaustive import either, in_modes, shared_out

import halfcl as hc
from halfcl import cl
from halfcl.cl._translation.texts import inlining

IS_CUDA = os.environ.get("HALFCL_DEVICE") == "cuda"
library = pytest.importorskip(
    "cupy" if IS_CUDA else "pyopencl", reason="needs pyopencl and an OpenCL device, or CuPy"
)

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

COUNT = int(os.environ.get("HALFCL_RANDOM_KERNELS", either(50, 24)))
FIRST = int(os.environ.get("HALFCL_RANDOM_KERNELS_FIRST", "0"))
TOGETHER = min(25, COUNT // 2) or 1  # kernels of one build
CONTRACTIONS = ("never", "always")
TURNS = [(mode, contract) for mode in hc.MODES for contract in CONTRACTIONS]
DTYPES = {"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8", "half": "f2", "float": "f4"}
RESULTS = {"half": hc.half, "float": "f4", "double": "f8", "int": "i4", "long": "i8"}
ADD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void add(global const half *a, global const half *b, global half *out) {
    size_t i = get_global_id(0);
    out[i] = a[i] + b[i];
}
"""


@pytest.fixture(scope="module")
def queue():
    if IS_CUDA:
        yield library.cuda.Device(0)
    else:
        yield from queue_of(library)


@pytest.fixture(
    scope="module", params=[True] if IS_CUDA else [False, True], ids=lambda x: ("bits", "fp16")[x]
)
def fp16(request, queue):
    if IS_CUDA:
        return None
    if request.param and "cl_khr_fp16" not in queue.device.extensions.split():
        pytest.skip("the device has no halves of its own")
    return request.param


def on_device(queue, array):
    """A copy on the device."""
    if IS_CUDA:
        return library.asarray(array)
    return pytest.importorskip("pyopencl.array").to_device(queue, array)


# ---------------------------------------------------------------- the library of kernels

_programs = {}


def programs(stem, contract, queue, fp16):
    """Here and there."""
    key = stem, contract, fp16
    if key not in _programs:
        source = (FOLDER / f"{stem}.cl").read_text()
        here = cl.Program(source, contract=contract)
        _programs[key] = here, cl.Program(source, contract=contract, device=queue, fp16=fp16)
    return _programs[key]


@shared_out
@pytest.mark.parametrize(
    ("stem", "name", "mode", "contract"),
    [
        (stem, name, *turn)
        for stem, turn in in_modes(sorted({stem for stem, _ in DEVICE_KERNELS}), TURNS)
        for of, name in DEVICE_KERNELS
        if of == stem
    ],
)
def test_the_library(stem, name, mode, contract, queue, fp16):
    assert_alike(*programs(stem, contract, queue, fp16), stem, name, mode)


# ---------------------------------------------------------------- all that is translated


@shared_out
@pytest.mark.parametrize(
    ("pragma", "contract"),
    either(
        [(p, c) for p in (None, *hc.MODES) for c in CONTRACTIONS],
        [("rtn", "always")],
    ),
)
def test_expressions(pragma, contract, queue, fp16):
    step, items = either((1, 2000), (2, 500))
    source = cl_expressions.program(pragma, step=step)
    here = cl.Program(source, contract=contract)
    there = cl.Program(source, contract=contract, device=queue, fp16=fp16)
    inputs = cl_expressions.inputs(items)
    mode = pragma or "rtp"
    results = []
    for name, expression in cl_expressions.kernels(step).items():
        outs = [np.zeros(items, RESULTS[name.split("_")[0]]) for _ in range(2)]
        for program, out in zip((here, there), outs, strict=True):
            program[name](items, None, *inputs, out, rounding=mode)
        if (where := differing_indices(*outs)).size:
            at = int(where[0])
            results.append((expression, [x[at].tolist() for x in (*outs, *inputs)]))
    assert not results, f"{len(results)} expressions: {results[:3]}"


@pytest.mark.skipif(IS_CUDA, reason="texts in CUDA C++ inline all functions")
def test_functions_that_are_called_have_the_bits_of_inlined_ones(queue, fp16, monkeypatch):
    """A text that calls functions too often does not have them inlined."""
    monkeypatch.setattr(inlining, "_MOST_INLINED", 0)
    source, items = cl_expressions.program(None, step=11), 200
    here = cl.Program(source, contract="always")
    there = cl.Program(source, contract="always", device=queue, fp16=fp16)
    assert "_called(" in there.kernels[0]._device.translation("rtp").text
    inputs = cl_expressions.inputs(items)
    for name in cl_expressions.kernels(11):
        outs = [np.zeros(items, RESULTS[name.split("_")[0]]) for _ in range(2)]
        for program, out in zip((here, there), outs, strict=True):
            program[name](items, None, *inputs, out, rounding="rtp")
        assert not differing_indices(*outs).size, name


@shared_out
@pytest.mark.parametrize(
    ("name", "pragma", "contract"),
    [
        (name, *turn)
        for name, turn in in_modes(
            cl_statements.STATEMENTS,
            [(p, c) for p in (None, "rte", "rtz", "rtp", "rtn") for c in CONTRACTIONS],
        )
    ],
)
def test_statements(name, pragma, contract, queue, fp16):
    source = cl_statements.program(name, pragma)
    inputs, items = cl_statements.arguments(), cl_statements.ITEMS
    outs = []
    for more in ({}, {"device": queue, "fp16": fp16}):
        outs.append(np.zeros(8 * items, hc.half))
        program = cl.Program(source, contract=contract, **more)
        program.k(items, None, *inputs, outs[-1], rounding="rtn")
    assert not differing_indices(*outs).size


@shared_out
@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, TOGETHER))
def test_random_kernels(first, queue, fp16, tmp_path):
    """Contraction and the launch's mode by turns."""
    turn = first // TOGETHER
    contract, mode = CONTRACTIONS[turn % 2], hc.MODES[turn // 2 % 4]
    source = with_pragmas(program_of(range(first, first + TOGETHER)), first)
    source = split(source, tmp_path, first)
    results = []
    for more in ({}, {"device": queue, "fp16": fp16}):
        program = cl.Program(source, f"-I {tmp_path}", contract=contract, **more)
        results.append([])
        for seed in range(first, first + TOGETHER):
            outputs = [np.zeros(16, DTYPES[t]) for t in (*INTEGERS, *FLOATING)]
            program[f"k{seed}"](16, None, *outputs, rounding=mode)
            results[-1].append([x.tobytes() for x in outputs])
    assert results[0] == results[1]


def test_jumps_out_of_expressions(queue, fp16):
    source = cl_jumps.kernels(cl_jumps.HEAD)
    here, there = cl.Program(source), cl.Program(source, device=queue, fp16=fp16)
    assert cl_jumps.results(there) == cl_jumps.results(here)


@pytest.mark.parametrize("contract", CONTRACTIONS)
def test_places_with_side_effects(contract, queue, fp16):
    source = cl_jumps.ENABLED + cl_jumps.PLACES
    here = cl.Program(source, contract=contract)
    there = cl.Program(source, contract=contract, device=queue, fp16=fp16)
    for mode in hc.MODES:
        pairs = zip(*(cl_jumps.after_places(p, mode) for p in (here, there)), strict=True)
        assert all(a.tobytes() == b.tobytes() for a, b in pairs)


def test_second_results_in_all_memory(queue, fp16):
    source = cl_jumps.SECOND_RESULTS
    here, there = cl.Program(source), cl.Program(source, device=queue, fp16=fp16)
    assert cl_jumps.second_results(there) == cl_jumps.second_results(here)


@pytest.mark.parametrize("declare", ["outside", "inside"])
def test_constants(declare, queue, fp16):
    """Compare all but NaN, which has any bits on a device."""
    cases = [case for case in cl_constants.CASES if case[1] != "NAN"]
    source = cl_constants.source_of(declare, cases)
    here, there = cl.Program(source, "-w"), cl.Program(source, "-w", device=queue, fp16=fp16)
    for mode in ("rte", "rtp"):
        results = (cl_constants.results(p, mode, cases) for p in (here, there))
        for case, mine, theirs in zip(cases, *results, strict=True):
            assert mine == theirs, (case, mode)


def test_atomics_of_c11(queue, fp16):
    """PoCL has no atomics of private variables, and no variables of program scope."""
    if not IS_CUDA and "Portable" in queue.device.platform.name:
        pytest.skip("the device lacks features of OpenCL C 2.0")
    program = cl.Program(cl_c11_atomics.SOURCE, "-cl-std=CL2.0", device=queue, fp16=fp16)
    assert cl_c11_atomics.results(program) == cl_c11_atomics.EXPECTED


# ---------------------------------------------------------------- sub-groups, and what else is made


@pytest.mark.parametrize("size", cl_sub_groups.SIZES)
@pytest.mark.parametrize(("items", "group"), cl_sub_groups.GROUPS)
def test_sub_groups(size, items, group, queue, fp16):
    cl_sub_groups.assert_alike(size, items, group, device=queue, fp16=fp16)


@shared_out
@pytest.mark.parametrize("size", [4, 32])
def test_every_function_of_sub_groups(size, queue, fp16):
    cl_sub_groups.assert_all_alike(size, either(1, 5), device=queue, fp16=fp16)


def test_vectors_of_sub_groups(queue, fp16):
    cl_sub_groups.assert_vectors_alike(device=queue, fp16=fp16)


@pytest.mark.parametrize("space", cl_storing.POINTERS)
def test_second_results_in_each_address_space(space, queue, fp16):
    features = set() if IS_CUDA else {f.name for f in queue.device.opencl_c_features}
    if space == "generic" and not IS_CUDA and "__opencl_c_generic_address_space" not in features:
        pytest.skip("the device has no generic address space")
    cl_storing.assert_alike(space, device=queue, fp16=fp16)


@pytest.mark.parametrize(("size", "items", "group"), [(8, 60, 20), (32, 160, 80), (128, 400, 200)])
def test_ballots(size, items, group, queue, fp16):
    cl_sub_groups.assert_ballots_alike(size, items, group, device=queue, fp16=fp16)


@pytest.mark.parametrize("type_", ["int", "ulong", "half", "float", "double"])
def test_work_groups(type_, queue, fp16):
    cl_sub_groups.assert_work_groups_alike(type_, device=queue, fp16=fp16)


def test_divergent_sub_groups(queue):
    """They may call what one after another calls; of several in a group they may not there."""
    program = cl_sub_groups.assert_one_sub_group_alike(device=queue)
    with pytest.raises(
        ValueError, match="local_size: expected at most a sub-group of 8 work-items"
    ):
        program.k(32, 16, np.zeros(32, np.int32), sub_group_size=8)


def _triples(rng):
    """Return doubles a, b and c for a * b + c, hard to round and of all sizes."""
    count = 3000
    a, b, c = (
        np.ldexp(rng.uniform(-2, 2, count), rng.integers(low, high, count))
        for low, high in ((-540, 520), (-540, 520), (-1080, 1024))
    )
    with np.errstate(all="ignore"):
        c[::3] = -(a * b)[::3]  # what is left is below the last bit
        c[1::6] = (-(a * b) * (1 + rng.integers(-3, 4, count) * 2.0**-52))[1::6]
        a[2::5] = np.ldexp(rng.uniform(1, 2, count), rng.integers(-5, 5, count))[2::5]
        c[2::5] = np.ldexp((a * b)[2::5], rng.integers(-130, 131, count)[2::5])
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1.0, -1.0, 2.0**-1022]
    special += [1.7976931348623157e308, -1.7976931348623157e308, 2.0**-537, 1.5, 2.0**512]
    corners = np.stack(np.meshgrid(special, special, special), -1).reshape(-1, 3).T
    return [np.concatenate(pair) for pair in zip((a, b, c), corners, strict=True)]


def test_contraction_of_doubles_in_each_mode(queue):
    source = """kernel void k(global const double *a, global const double *b,
                  global const double *c, global double *out) {
        size_t i = get_global_id(0);
        out[3 * i] = a[i] * b[i] + c[i];
        out[3 * i + 1] = c[i] - a[i] * b[i];
        double2 v = (double2)(c[i], b[i]); v -= a[i] * v.yx; out[3 * i + 2] = v.y;
    }"""
    inputs = _triples(np.random.default_rng(8))
    count = len(inputs[0])
    programs = [cl.Program(source, contract="always", **more) for more in ({}, {"device": queue})]
    for mode in hc.MODES:
        outs = [np.zeros(3 * count) for _ in programs]
        for program, out in zip(programs, outs, strict=True):
            program.k(count, None, *inputs, out, rounding=mode)
        assert not differing_indices(*outs).size, mode


@pytest.mark.parametrize("type_", ["half", "float", "double"])
@pytest.mark.parametrize(
    "loop",
    [
        "for (uint k = 1; k <= l; ++k) s += a[k];",
        "uint k = 0; while (++k <= l) s = s * half_ + a[k];",
        "uint k = 0; do add(&s, a[k]); while (++k <= l);",
        "__attribute__((opencl_unroll_hint(4))) for (uint k = 1; k <= l; ++k) s *= a[k] + 1;",
    ],
)
def test_sums_in_loops_keep_their_order(type_, loop, queue, fp16):
    """The last items of groups keep it, too, although a compiler may vectorize them differently."""
    source = f"""#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    void add({type_} *s, {type_} x) {{ *s += x; }}
    kernel void k(global const {type_} *a, global {type_} *out) {{
        {type_} s = a[0], half_ = 0.5f;
        uint l = get_local_id(0);
        {loop}
        out[get_global_id(0)] = s;
    }}"""
    a = np.random.default_rng(0).normal(0, 3, 105).astype(RESULTS[type_])
    results = []
    for more in ({}, {"device": queue, "fp16": fp16}):
        program = cl.Program(source, **more)
        results.append([])
        for group in (17, 31, 35):
            out = np.zeros(3 * group, a.dtype)
            program.k(3 * group, group, a, out)
            results[-1].append(out.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("type_", ["float", "double"])
def test_functions_by_doubles(type_, queue):
    if IS_CUDA:
        pytest.skip("not translated to CUDA")
    source = f"""kernel void k(global const {type_} *a, global {type_}4 *out) {{
        size_t i = get_global_id(0);
        {type_}4 x = vload4(i, a), y = vload4(i + 1, a), z = vload4(i + 2, a);
        out[3 * i] = ({type_}4)(dot(x, y), dot(x.x, y.y), dot(x.xyz, y.zxy), rsqrt(x.x));
        out[3 * i + 1] = rsqrt(y) + mix(x, y, z) + mix(x, y, z.x);
        out[3 * i + 2] = degrees(x) * radians(y) + mix(x, y, 2);
    }}"""
    rng = np.random.default_rng(0)
    a = rng.normal(size=4 * 2000).astype(RESULTS[type_])
    a[::3] *= 10.0 ** rng.integers(-30, 30, a[::3].size)
    a[:12] = [np.inf, 1, 0, -0.0, 1, 2, np.nan, 3, -np.inf, 4, 5, 6]
    outs = []
    for more in ({}, {"device": queue}):
        outs.append(np.zeros(12 * 1998, a.dtype))
        cl.Program(source, **more).k(1998, None, a, outs[-1])
    assert not differing_indices(*outs).size


def test_dot_products_of_bytes(queue):
    """Written out, so that any device has them."""
    if IS_CUDA:
        pytest.skip("not translated to CUDA")
    kinds = ("uu_uint", "ss_int", "us_int", "su_int")
    lines = [f"out[8 * i + {k}] = dot_4x8packed_{x}(a, b);" for k, x in enumerate(kinds)]
    lines += [
        f"out[8 * i + {k + 4}] = dot_acc_sat_4x8packed_{x}(a, b, c);" for k, x in enumerate(kinds)
    ]
    source = f"""kernel void k(global const uint *in, global uint *out) {{
        size_t i = get_global_id(0);
        uint a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        {" ".join(lines)}
    }}"""
    operands = np.random.default_rng(2).integers(0, 1 << 32, 3000).astype(np.uint32)
    operands[:6] = [0x80808080, 0x80808080, 0x7FFFFFFF, 0x80808080, 0x7F7F7F7F, 0x80000000]
    operands[6:9] = 0xFFFFFFFF
    outs = []
    for more in ({}, {"device": queue}):
        outs.append(np.zeros(8000, np.uint32))
        cl.Program(source, **more).k(1000, None, operands, outs[-1])
    assert outs[0].tolist() == outs[1].tolist()


# ---------------------------------------------------------------- launches


def test_a_launch_takes_arrays_of_both_kinds(queue):
    program = cl.Program(ADD, device=queue)
    a, b = np.random.default_rng(0).normal(size=(2, 1000)).astype(np.float16)
    out = np.zeros_like(a)
    for mode in hc.MODES:
        program.add(1000, None, a, b.view(hc.half), out, rounding=mode)
        wanted = hc.add(a, b, rounding=mode)
        assert out.tobytes() == wanted.tobytes()
        operands = [on_device(queue, x) for x in (a, b, np.zeros_like(a))]
        with hc.rounding(mode):
            program.add(1000, 100, *operands)
        assert operands[2].get().tobytes() == wanted.tobytes()


def test_repeated_launches_are_checked_where_they_differ(queue):
    """A launch like an earlier one is checked less; one that differs is checked fully."""
    source = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void scale(global half *a, float factor, global half *out) {
        size_t i = get_global_id(0);
        out[i] = (half)((float)a[i] * factor);
    }"""
    program = cl.Program(source, device=queue)
    a = on_device(queue, np.arange(1, 9, dtype=np.float16))
    out = on_device(queue, np.zeros(8, np.float16))
    for factor in (0.0, -0.0, 0, 2, 2.0, np.float32(2), np.float64(-0.0), True, 2, -0.0):
        program.scale(8, None, a, factor, out)
        wanted = np.arange(1, 9, dtype=np.float16) * np.float16(factor)
        assert out.get().tobytes() == wanted.tobytes()
    program.scale((8,), (4,), a, 3, out)
    for size, inputs, error in (
        (8.0, (a, 2, out), TypeError),
        ((8.0,), (a, 2, out), TypeError),
        (8, (a, 2j, out), TypeError),
        (8, (a, np.longdouble(2), out), TypeError),
        (8, (on_device(queue, np.arange(8, dtype=np.int16)), 2, out), TypeError),
        (8, (a[::2], 2, out), ValueError),
        (8, (a, 2), TypeError),
        (8, (a, 2, 3), TypeError),
        (8, (a, out, a), TypeError),
    ):
        with pytest.raises(error):
            program.scale(size, None, *inputs)
    with pytest.raises(ValueError, match="argument rounding"):
        program.scale(8, None, a, 2, out, rounding="up")
    with pytest.raises(ValueError, match="argument local_size"):
        program.scale(8, 3, a, 2, out)
    assert out.get().tolist() == [3.0 * n for n in range(1, 9)]


def test_arrays_wait_for_the_last_launch_alone(queue):
    """However many there are: each has waited for those before it."""
    if IS_CUDA:
        pytest.skip("CuPy's arrays have no events: they are used in the order of streams")
    program = cl.Program(ADD, device=queue)
    a, out = (on_device(queue, np.ones(8, np.float16)) for _ in range(2))
    for _ in range(40):
        program.add(8, None, a, out, out)
        assert len(a.events) == 1
        assert 1 <= len(out.events) <= 2  # it is given twice
    assert out.get().tolist() == [41.0] * 8


def test_overlaps(queue):
    program = cl.Program(ADD, device=queue)
    a = np.arange(8, dtype=np.float16)
    program.add(8, None, a, a, a)
    assert a.tolist() == [2 * n for n in range(8)]
    with pytest.raises(ValueError, match="argument out: expected memory of its own on a device"):
        program.add(4, None, a[:4], a[:4], a[2:6])


def test_arguments_by_value(queue):
    source = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    typedef struct { int n; half h; } Pair;
    kernel void k(half a, half3 b, float c, Pair d, uchar e, long f, global float *out,
                  local int *g) {
        g[0] = 3;
        out[0] = a; out[1] = b.z; out[2] = c; out[3] = d.n; out[4] = d.h; out[5] = e; out[6] = f;
        out[7] = get_global_id(0) + g[0];
    }"""
    pair = np.array((7, 0.5), np.dtype([("n", "i4"), ("h", "f2")], align=True))
    for program in (cl.Program(source), cl.Program(source, device=queue)):
        out = np.zeros(8, np.float32)
        arguments = (0.1, (1, 2, 3), 1.5, pair[()], 255, -(1 << 40), out, cl.LocalMemory(4))
        program.k(1, 1, *arguments, offset=5)
        assert out.tolist() == [np.float16(0.1), 3, 1.5, 7, 0.5, 255, -(1 << 40), 8]


@pytest.mark.parametrize("wrong", range(9))
def test_arguments_are_checked_as_here(queue, wrong):
    a, b, out = np.zeros((3, 8), np.float16)
    sizes, arguments, more = (8, None), [a, b, out], {}
    if wrong == 0:
        arguments[1] = np.zeros(8, np.float32)
    elif wrong == 1:
        arguments = arguments[:2]
    elif wrong == 2:
        arguments[2] = np.zeros((8, 2), np.float16)[:, 0]
    elif wrong == 3:
        out.flags.writeable = False
    elif wrong == 4:
        arguments[0] = [1.0] * 8
    elif wrong == 5:
        sizes = (8, 3)
    elif wrong == 6:
        more = {"rounding": "up"}
    elif wrong == 7:
        sizes = (0, None)
    else:
        arguments[0] = cl.LocalMemory(8)
    errors = []
    for program in (cl.Program(ADD), cl.Program(ADD, device=queue)):
        with pytest.raises((TypeError, ValueError)) as caught:
            program.add(*sizes, *arguments, **more)
        errors.append((caught.type, str(caught.value)))
    assert errors[0] == errors[1]


def test_unsupported_on_devices(queue):
    program = cl.Program(ADD, device=queue)
    a = np.zeros(8, np.float16)
    for name, value in (("timeout", 1), ("check", True), ("progress", print)):
        with pytest.raises(ValueError, match=rf"argument {name}: .* on a device"):
            program.add(8, None, a, a, a, **{name: value})
    with pytest.raises(ValueError, match="one mode for all work-groups"):
        program.add(8, 4, a, a, a, rounding=["rtp", "rtn"])
    program.add(8, 4, a, a, a, rounding=["rtp", "rtp"])
    with pytest.raises(ValueError, match="expected never or always on a device"):
        cl.Program(ADD, contract="both", device=queue)
    if not IS_CUDA:
        with pytest.raises(TypeError, match=r"a pyopencl\.CommandQueue, .*, got str"):
            cl.Program(ADD, device="gpu")
    with pytest.raises(TypeError, match="without a device to pickle"):
        pickle.dumps(program)
    with pytest.raises(cl.BuildError, match=re.escape("1:39: error: not translated: exp of float")):
        cl.Program("kernel void k(global float *x) { *x = exp(*x); }", device=queue)
