"""Kernels as CUDA C++: what the text says, run on the host by g++, bit for bit what is computed
here; and what is refused. tests/cl/test_on_device.py runs the same on a GPU (HALFCL_DEVICE=cuda).

HALFCL_RANDOM_KERNELS=10000 runs that many random kernels, with pragmas at random.
"""

import os

import cl_expressions
import cl_integers
import cl_statements
import cl_storing
import cl_sub_groups
import cuda_host
import numpy as np
import pytest
from cl_kernels import DEVICE_KERNELS, FOLDER, assert_alike, differing_indices
from cl_pragmas import with_pragmas
from cl_random import FLOATING, INTEGERS, program_of
from exhaustive import either, in_turn, more, one_in, shared_out

import halfcl as hc
from halfcl import cl

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

by_gxx = pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")

COUNT = int(os.environ.get("HALFCL_RANDOM_KERNELS", either(250, 10, some=50)))
TOGETHER = min(25, COUNT) or 1  # kernels of one build
DTYPES = {"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8", "half": "f2", "float": "f4"}
RESULTS = {"half": hc.half, "float": "f4", "double": "f8", "int": "i4", "long": "i8"}
HEAD = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
SELECT = HEAD + "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"


@pytest.fixture(scope="module", autouse=True)
def cupy():
    with cuda_host.in_place_of_cupy():
        yield


def both(source, contract="never", options=""):
    """Here, and as CUDA C++."""
    here = cl.Program(source, options, contract=contract)
    return here, cl.Program(source, options, contract=contract, device="cuda")


# ---------------------------------------------------------------- names

TAGS = """
struct digest { uint a[4]; };
typedef union pack { uint a; float b; } pack;
typedef struct { int n; } plain;
struct member { int member; };
struct owner { struct member member; struct member other; };
struct k { int n; };
struct sum { int n; };
constant int sum = 7;
int find(const uint *digest, uint n, global const struct digest *d) {
    uint plain = n;
    return digest[0] + d[n].a[1] + plain;
}
int member(plain plain, pack pack) {
    struct digest t;
    t.a[0] = pack.a;
    int digest = t.a[0];
    struct digest u;
    u.a[0] = 2;
    return plain.n + sizeof(struct digest) + digest + u.a[0];
}
kernel void k(global struct digest *digest, global int *out) {
    plain p = {1};
    pack q = {3};
    uint z[4] = {1, 2, 3, 4};
    struct k k = {5};
    struct owner o;
    o.other.member = 2;
    struct member m = {6};
    o.member = m;
    struct sum s = {sum};
    out[0] = find(z, 2, digest) + member(p, q) + k.n + o.other.member + o.member.member + s.n;
}
"""


@by_gxx
def test_names_of_structs_are_apart_from_those_of_variables():
    """A variable, function or member may have the name of a struct, as in C."""
    digests = np.arange(16, dtype="u4")
    for program in both(TAGS):
        out = np.zeros(1, "i4")
        program["k"]((1,), (1,), digests.view("u1"), out)
        assert out[0] == 1 + 9 + 2 + (1 + 16 + 3 + 2) + 5 + 2 + 6 + 7


# ---------------------------------------------------------------- volatile

VOLATILE = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { int n; half h; float4 v; } S;
kernel void k(volatile global int *a, global volatile half *h, volatile global float4 *v,
              global S volatile *s, const volatile global ushort *u, volatile local long *l,
              volatile global int *volatile p) {
    volatile int own = 3;
    own += a[1];
    a[0] = a[0] + own * 2; a[1]++; ++a[1]; a[2] += a[1] << 2; a[3] -= (short)a[2]; a[4] |= u[1];
    a[5] = a[4] > 2 ? -a[3] : ~a[3]; a[6] %= 7; a[7] /= 3; *p = a[6] && a[7]; p[8] = abs(p[0]);
    h[0] = h[1] + h[0]; h[2] *= h[1]; h[3]++; h[0] = fma(h[1], h[2], h[3]); h[4] = a[1];
    v[0] = v[1] * 2 + v[0]; v[1].x = v[0].y; v[2].xz = v[1].yw; v[3] += v[2]; v[1].y += 1;
    s[0].n = s[1].n + 1; s->h += s[1].h; s[1].v.z = s[0].v.x + s->h; s[1].v.w++;
    l[0] = a[1]; l[0] += u[0]; barrier(CLK_LOCAL_MEM_FENCE); a[9] = l[0] + max(a[1], a[2]);
    atomic_inc(&a[10]); atomic_add(a + 10, (int)l[0]);
    a[11] = convert_int_sat(v[1].y) + select(a[1], a[2], a[3]);
}"""


@by_gxx
def test_places_that_are_volatile():
    """They are said to be, and computed as others are."""
    text = cl.translate(VOLATILE, "cuda")
    body_of = text[text.rindex('extern "C"') :]
    for place in ("a[0]", "h[0]", "v[0]", "(*p)", "s[0].n", "s->h", "u[1]", "l[0]"):
        assert f"hcl_volatile({place.strip('()')})" in body_of, place
    assert "hcl_volatile(own)" not in body_of
    assert "hcl_atomic_inc(a + 10)" in body_of
    record = np.dtype({"names": ["n", "h", "v"], "formats": ["i4", "f2", ("f4", 4)],
                       "offsets": [0, 4, 16], "itemsize": 32})  # fmt: skip
    results = []
    for program in both(VOLATILE):
        rng = np.random.default_rng(1)
        s = np.zeros(2, record)
        s["n"], s["h"], s["v"] = 5, rng.normal(size=2), rng.normal(size=(2, 4))
        a = rng.integers(1, 99, 12).astype("i4")
        h, v = rng.normal(size=8).astype("f2"), rng.normal(size=16).astype("f4")
        u, p = np.arange(4, dtype="u2"), np.full(12, -3, "i4")
        program.k(1, 1, a, h, v, s, u, cl.LocalMemory(8), p)
        results.append([x.tobytes() for x in (a, h, v, s, p)])
    assert results[0] == results[1]


# ---------------------------------------------------------------- what kernels give

STEMS = sorted({stem for stem, _ in DEVICE_KERNELS})
TURNS = [(m, c) for m in hc.MODES for c in ("never", "always")]


@by_gxx
@shared_out
@pytest.mark.parametrize(
    ("stem", "mode", "contract"),
    either(
        [(s, *turn) for s in STEMS for turn in TURNS],
        [(s, *TURNS[(3 * k + 2) % 8]) for k, s in enumerate(STEMS)][::3],
        some=[(s, *TURNS[(3 * k + n) % 8]) for k, s in enumerate(STEMS) for n in (2, 5)],
    ),
)
def test_the_library(stem, mode, contract):
    programs = both((FOLDER / f"{stem}.cl").read_text(), contract)
    for name in [n for s, n in DEVICE_KERNELS if s == stem]:
        assert_alike(*programs, stem, name, mode)


@by_gxx
@shared_out
@pytest.mark.parametrize(
    ("pragma", "contract"),
    either(
        [(p, c) for p in (None, *hc.MODES) for c in ("never", "always")],
        [("rtp", "always")],
        some=[("rtp", "always"), (None, "never")],
    ),
)
def test_expressions(pragma, contract):
    step, items = either((1, 2000), (5, 200), some=(2, 700))
    programs = both(cl_expressions.program(pragma, step=step), contract)
    inputs = cl_expressions.inputs(items)
    wrong = []
    for name, expression in cl_expressions.kernels(step).items():
        outs = [np.zeros(items, RESULTS[name.split("_")[0]]) for _ in programs]
        for program, out in zip(programs, outs, strict=True):
            program[name](items, None, *inputs, out, rounding=pragma or "rtn")
        if (at := differing_indices(*outs)).size:
            wrong.append((expression, [x[at[0]].tolist() for x in (*outs, *inputs)]))
    assert not wrong, f"{len(wrong)} expressions: {wrong[:3]}"


@by_gxx
@shared_out
@pytest.mark.parametrize(
    ("pragma", "contract"),
    either(
        [(p, c) for p in (None, *hc.MODES) for c in ("never", "always")],
        [(None, "always")],
        some=[(p, ("never", "always")[k % 2]) for k, p in enumerate((None, *hc.MODES))],
    ),
)
def test_statements(pragma, contract):
    programs = both(cl_statements.all_programs(pragma), contract)
    inputs, items = cl_statements.arguments(), cl_statements.ITEMS
    for name in cl_statements.STATEMENTS:
        outs = [np.zeros(8 * items, hc.half) for _ in programs]
        for program, out in zip(programs, outs, strict=True):
            program[f"k_{name}"](items, None, *inputs, out, rounding="rtz")
        assert not differing_indices(*outs).size, name


@by_gxx
@shared_out
@pytest.mark.parametrize("first", range(0, COUNT, TOGETHER))
def test_random_kernels(first):
    """Contraction and the launch's mode by turns."""
    turn = first // TOGETHER
    contract, mode = ("always", "never")[turn % 2], hc.MODES[turn // 2 % 4]
    seeds = range(first, first + TOGETHER)
    programs = both(with_pragmas(program_of(seeds), first), contract)
    for seed in seeds:
        outputs = [[np.zeros(16, DTYPES[t]) for t in (*INTEGERS, *FLOATING)] for _ in programs]
        for program, buffers in zip(programs, outputs, strict=True):
            program[f"k{seed}"](16, None, *buffers, rounding=mode)
        actual, wanted = ([x.tobytes() for x in buffers] for buffers in outputs)
        assert actual == wanted, seed


@by_gxx
def test_integers_and_conversions():
    programs = both(cl_integers.program())
    items = 64
    launches = [
        (name, type_, 3 * width, count)
        for name, (type_, width, count) in cl_integers.kernels().items()
    ]
    for source in (*cl_integers.TYPES, *cl_integers.FLOATING):
        launches.append((f"from_{source}", source, 1, cl_integers.count_of_conversions(source)))
    for name, type_, each, count in launches:
        inputs = cl_integers.inputs(type_, each * items)
        outs = [np.zeros(items * count, np.int64) for _ in programs]
        for program, out in zip(programs, outs, strict=True):
            program[name](items, None, inputs, out)
        at = differing_indices(*outs)
        assert not at.size, f"{name}: the longs {sorted(set((at % count).tolist()))} of an item"
        assert np.count_nonzero(outs[0]) > outs[0].size // 3  # there is something to compare


# ---------------------------------------------------------------- what C++ has otherwise

#: Kernels over 16 work-items in groups of 8: of a[0..47] to r[0..15] each.
PARTS = {
    "address spaces": """
        constant int TABLE[2][3] = {{1, 2}, {4, 5, 6}};
        constant half HALVES[] = {1.5h, -0.1h, INFINITY};
        constant half2 PAIRS[2] = {(half2)(1.5h, 3), (half2)(2)};
        typedef struct { char c; half3 v; struct { int x, y; }; float f[2]; } Thing;
        constant Thing THING = {.c = 'x', .v = (half3)(1, 2, 3), .y = 7, .f = {0, 2.5f}};
        half sum(constant const half *p, local int *q, private const float *f) {
            return p[1] + *q + *f;
        }
        kernel void k(global const int *a, global float *r, local int *t) {
            constant short INNER[] = {3, -4};
            local float own[8];
            size_t l = get_local_id(0);
            float f = INNER[l & 1];
            own[l] = f; t[l] = a[get_global_id(0)] % 100;
            barrier(CLK_LOCAL_MEM_FENCE);
            local int *other = t + (7 - l);
            r[get_global_id(0)] = sum(HALVES, other, &f) + TABLE[1][l % 3] + own[7 - l]
                + THING.v.z + PAIRS[l & 1].y + THING.y + THING.f[1] + THING.c
                + (float)sizeof(Thing);
        }""",
    "sides": """
        kernel void k(global const int *a, global float *r, local int *t) {
            half h[4] = {1, 2, 3, 4}; int i = 0;
            h[i++] += 0.1h; h[i++] *= a[0] % 7; half old = h[2]++; half2 v = (half2)(h[0], old);
            int2 w = (int2)(a[1] % 9, 3), x = w--; w[i - 2] -= 1; ++w; (&v)[i - 2].y -= 1;
            uchar c = 250; c <<= 2; c /= 3; float f = 2.5f, g = f--; g -= --f;
            int8 many = (int8)(1, 2, 3, 4, 5, 6, 7, 8); many.hi.x += 3; many.even *= 2;
            many[i] = 77; int8 *p = &many + 1; p[-1].s6 += i--; ((int4 *)&many)[0].yx -= i;
            int y = (++i, i) + (f > 0 ? c : 3) - !i;
            r[get_global_id(0)] = h[0] + h[1] + h[2] + v.y + w.x + w.y + x.x + c + y + f + g
                + many.s0 + 3 * many.s1 + 5 * many.s2 + 7 * many.s4 + 11 * many.s6 + (a < a + 1)
                + (p - &many) + old;
        }""",
    "flow": """
        int f(int n) {
            int s = 0;
            switch (n & 7) {
                int unused;
                case 0: case 5: s += 1; { int t = n; s += t & 3; } break;
                case 1: s = 7; int u = s + 1; s += u;
                case 2: s += 2; break;
                case 3: return 9;
                default: s = -1; if (n & 8) break; s = 4;
            }
            for (int i = 0, j = 9; i < j; ++i, j--) { if (i == 2) continue; s += i * j; }
            for (;;) { if (s++ > 20) break; }
            do s -= 3; while (s > 15);
            while (s < 5) s += 2;
            if (s == 6) s = 1; else if (s == 7) s = 2; else s += 3;
            return s;
        }
        kernel void k(global const int *a, global float *r, local int *t) {
            r[get_global_id(0)] = f(a[get_global_id(0)]) + f(get_global_id(0));
        }""",
    "groups": """
        kernel void k(global const int *a, global float *r, local int *t) {
            size_t l = get_local_id(0), i = get_global_id(0);
            local int s[24];
            event_t e = async_work_group_copy(t, a + 8 * get_group_id(0), 8, 0);
            e = async_work_group_strided_copy(s, a, 8, 2, e);
            wait_group_events(1, &e);
            if (l == 0) s[20] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            atomic_add(s + 20, t[l] & 15); atomic_max(s + 21 - 1, -5); atomic_inc(&s[20]);
            barrier(CLK_LOCAL_MEM_FENCE);
            r[i] = (s[20] & 0xffff) + (t[7 - l] & 255) + (s[l] & 255) + get_local_size(0)
                + 3 * get_num_groups(0) + get_group_id(0) + get_global_size(0) + get_work_dim()
                + get_global_offset(0) + get_global_size(2) + get_local_id(1);
        }""",
    "names": """
        typedef union { int class; half2 this; uchar new[4]; } template_;
        half operator_(half x) { return x + 1; }
        half add(half x, half y) { return x - y; }
        float exp(float x) __attribute__((overloadable)) { return x + 1; }
        int __attribute__((overloadable)) of(int x) { return x; }
        int __attribute__((overloadable)) of(float x) { return 2 * x; }
        int __attribute__((overloadable)) of(uchar x) { return 3 * x; }
        kernel void k(global const int *a, global float *r, local int *t) {
            int threadIdx = 3, catch = 4, hc_work = 5, hcl_min = 6, and = 7, bool_ = 8, cl = 9;
            template_ namespace; namespace.this = (half2)(1, 2); namespace.new[0] = 1;
            r[get_global_id(0)] = threadIdx + catch + hc_work + hcl_min + and + bool_ + cl
                + namespace.class % 1000 + add(operator_(3), 1) + of(2) + of(2.5f) + of((uchar)2)
                + min(a[0], hcl_min);
        }""",
    "nothing but numbers": """
        kernel void k(global const int *a, global float *r, local int *t) {
            int i = get_global_id(0), n = a[i];
            uint bits = as_uint((ushort2)(1, n)); long l = upsample(n, (uint)i);
            float3 v = (float3)(n % 100, 0.5f, -i), w = fma(v, v, 1.25f) / (v + 200.0f);
            int2 e; float2 g = frexp((float2)(n % 1000, 0), &e), whole; g += modf(g * 9, &whole);
            bool b = n, c = v.x; uchar u = (uchar)300; short s = (short)0x18000;
            int3 truth = v < w; truth = !truth || truth == -1;
            r[i] = (bits >> 16) + (float)(l & 1023) + w.x + w.z + e.x + e.y + g.x + whole.y + b + c
                + u + s + truth.y + any(isnan(v / v)) + select(1, 2, b) + rint(v.y) + sign(v.z)
                + (float)(n < 0 ? -1 : 1u) + ilogb(v.y) + logb(w.x) + step(v.x, v.y)
                + (w.xzy * v).y + vload3(0, (float *)&w).z + clamp(n, -5, 5) + max(v.x, 1.5f)
                + copysign(v.y, v.z) + mad(v.x, v.y, v.z) + (float)(-2147483647 - 1)
                + (n / (i - 3)) % 10 + (n % i) + (1 << (n & 63)) % 10 + dot((half2)(1, i), 2);
        }""",
}


@by_gxx
@pytest.mark.parametrize("name", PARTS)
def test_code_that_differs_in_cpp(name):
    programs = both(HEAD + PARTS[name])
    a = cl_integers.inputs("int", 48)
    outs = [np.zeros(24, np.float32) for _ in programs]
    for program, out in zip(programs, outs, strict=True):
        program.k(16, 8, a, out, cl.LocalMemory(32), offset=4)
    assert not differing_indices(*outs).size, [x.tolist() for x in outs]
    assert outs[0][4:20].any()


COLLECTIVES = """
    kernel void k(global const int *a, global long *r) {
        size_t i = get_global_linear_id(), l = get_local_linear_id();
        r += 12 * i;
        int n = a[i];
        r[0] = work_group_reduce_add(n); r[1] = work_group_reduce_min(n);
        r[2] = work_group_reduce_max((ulong)n); r[3] = work_group_scan_inclusive_add(n);
        r[4] = work_group_scan_exclusive_add((long)n); r[5] = work_group_scan_inclusive_max(n);
        r[6] = work_group_scan_exclusive_min(n); r[7] = work_group_any(n > 1000);
        r[8] = work_group_all(n > -1000000000); r[9] = work_group_broadcast(n, 1, 2);
        r[10] = l; r[11] = get_enqueued_local_size(1);
    }"""


@by_gxx
def test_functions_of_groups():
    programs = both(COLLECTIVES, options="-cl-std=CL2.0")
    a = cl_integers.inputs("int", 64)
    outs = [np.zeros(64 * 12, np.int64) for _ in programs]
    for program, out in zip(programs, outs, strict=True):
        program.k((8, 8), (2, 4), a, out)
    at = differing_indices(*outs)
    assert not at.size, set((at % 12).tolist())


@in_turn
@by_gxx
@pytest.mark.parametrize("size", cl_sub_groups.SIZES)
@pytest.mark.parametrize(("items", "group"), cl_sub_groups.GROUPS)
def test_sub_groups(size, items, group):
    cl_sub_groups.assert_alike(size, items, group, device="cuda")


@by_gxx
@pytest.mark.parametrize("size", [32, *more(4)])
def test_every_function_of_sub_groups(size):
    cl_sub_groups.assert_all_alike(size, either(1, 2), device="cuda")


@by_gxx
@pytest.mark.parametrize("space", ["generic", *more("local", "private", "global")])
def test_second_results_in_each_address_space(space):
    cl_storing.assert_alike(space, device="cuda")


@by_gxx
@pytest.mark.parametrize(("size", "items", "group"), [(8, 60, 20), (32, 160, 80), (128, 400, 200)])
def test_ballots(size, items, group):
    cl_sub_groups.assert_ballots_alike(size, items, group, device="cuda")


@one_in(2)
@by_gxx
@pytest.mark.parametrize("type_", ["int", "ulong", "half", "float", "double"])
def test_work_groups(type_):
    cl_sub_groups.assert_work_groups_alike(type_, device="cuda")


@by_gxx
def test_divergent_sub_groups():
    program = cl_sub_groups.assert_one_sub_group_alike(device="cuda")
    with pytest.raises(
        ValueError, match="local_size: expected at most a sub-group of 8 work-items"
    ):
        program.k(32, 16, np.zeros(32, np.int32), sub_group_size=8)


@by_gxx
def test_kernels_that_kernels_call():
    source = """void note(global int *r) { r[get_global_id(0)] += 100; }
    kernel __attribute__((reqd_work_group_size(4, 1, 1)))
    void sum(global int *r, local int *room, int n) {
        local int first; constant int table[2] = {5, 6};
        size_t l = get_local_id(0);
        room[l] = r[get_global_id(0)];
        if (l == 0) first = n;
        barrier(CLK_LOCAL_MEM_FENCE);
        r[get_global_id(0)] = room[3 - l] + first * table[l & 1];
        note(r);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    kernel void k(global int *r, local int *room) { sum(r, room, 1000); }
    kernel void twice(global int *r, local int *room) { k(r, room); k(r, room); }"""
    here, there = both(HEAD + source)
    for name, arguments in (("sum", (7,)), ("k", ()), ("twice", ())):
        outs = []
        for program in (here, there):
            outs.append(np.arange(8, dtype=np.int32))
            program[name](8, 4, outs[-1], cl.LocalMemory(16), *arguments)
        assert outs[0].tolist() == outs[1].tolist(), name


@by_gxx
def test_variables_that_several_cases_use():
    source = """typedef struct { int a, b[2]; } S;
    kernel void k(global int *r, global half *h) {
        int n = r[get_global_id(0)], t = 3;
        switch (n) {
            int none;
        case 0:;
            int n = 1, u[2][2] = {{1, 2}, {3}};
            half x = 1.5h;
            S s = {4, {5}};
            const int fixed = 2;
        case 1:
            none = 6;
            if (t > 1) { n = 2; x = 2; u[0][0] = u[0][1] = u[1][0] = u[1][1] = 7; }
            s.a = s.b[0] = 1;
        case 2:
            if (t == 1) r[0] = none + fixed;
            t += 1; x = t; n = t; u[0][1] = 9; s = (S){1, {2, 3}};
            h[get_global_id(0)] = x + s.b[1];
            r[get_global_id(0)] = n + u[0][1];
            break;
        default: { int n = 4; r[get_global_id(0)] = n; }
        }
        switch (n) { case 0: case 1: switch (t) { case 4:; int m = n; case 5: m = t; n = m; } }
        r[get_global_id(0)] += n;
    }"""
    outs = []
    for program in both(HEAD + source):
        numbers, halves = np.array([0, 1, 2, 3], np.int32), np.zeros(4, hc.half)
        program.k(4, None, numbers, halves)
        outs.append([numbers.tolist(), halves.tolist()])
    assert outs[0] == outs[1]


@by_gxx
@pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")
def test_arrays_as_values_and_replaced_parts():
    source = """typedef struct { int a, b[2]; } S;
    int of(S s) { return s.a + 10 * s.b[0] + 100 * s.b[1]; }
    kernel void k(global int *r, int n) {
        S s = {n, {1, 2}}, t[2] = {s, s, [1].b[0] = n + 1, [0].a = 6};
        r[0] = ((int[]){1, n, 3})[n]; r[1] = of(t[0]); r[2] = of(t[1]);
        r[3] = ((int[2][3]){{1, 2, 3}, {n, 5, 6}})[n][0];
        switch (n) { case 0:; S u[1] = {s, [0].b[1] = 3}; case 1: u[0].a = 1; r[4] = u[0].b[1]; }
        for (S v[1] = {s, [0].a = 9}; v[0].a > 7; v[0].a--) r[5] += of(v[0]);
    }"""
    for n in (0, 1):
        outs = []
        for program in both(HEAD + source):
            outs.append(np.zeros(6, np.int32))
            program.k(1, None, outs[-1], n)
        assert outs[0][:4].tolist() == outs[1][:4].tolist()
        assert (
            outs[0][4 + n :].tolist() == outs[1][4 + n :].tolist()
        )  # jumped past, it is undefined


@by_gxx
def test_address_spaces_of_pointers():
    source = """int of(void *p) {
        return (to_global(p) == p) + 2 * (to_local(p) == p) + 4 * (to_private(p) == p)
            + 8 * (to_global(p) == 0) + 100 * (int)get_fence(p);
    }
    kernel void k(global int *r, local int *room) {
        int own; local int shared_by_all;
        global int *to = to_global((void *)(r + 1));
        r[0] = of(r); r[1] = of(room); r[2] = of(&own); r[3] = of(&shared_by_all); *to += 1000;
    }"""
    outs = []
    for program in both(source, "never", "-cl-std=CL2.0"):
        outs.append(np.zeros(4, np.int32))
        program.k(1, 1, outs[-1], cl.LocalMemory(4))
    assert outs[0].tolist() == outs[1].tolist() == [201, 1110, 212, 110]


@by_gxx
def test_launches():
    """Arrays that lie there, values of all kinds, null pointers, and what a GPU has not."""
    source = """typedef struct { char c; double d; } Pair;
    kernel void k(global int *r, int8 v, Pair p, uchar c, half h, global int *none, local int *no,
                  local char *a, local double *b) {
        *a = 1; *b = 2; size_t i = get_global_id(0) + 7 * get_global_id(1);
        r[i] += v.s7 + (int)p.d + c + (int)h + !none + !no + *a + (int)*b;
        r[i] += ((local char *)b - a) / 128;
    }"""
    pair = np.array((1, 9.5), np.dtype([("c", "i1"), ("d", "f8")], align=True))
    here, there = both(HEAD + source)
    arguments = [np.arange(8), pair[()], 200, 3.5, None, None, cl.LocalMemory(3), cl.LocalMemory(8)]
    r = np.arange(49, dtype=np.int32)
    held = cuda_host.asarray(r)
    for program, array in ((here, r), (there, held)):
        program.k((7, 6), (7, 2), array, *arguments, offset=(0, 1))
    # Of local memory only the text for CUDA has one piece behind the other.
    assert (held.get()[7:] - r[7:] == held.get()[7] - r[7]).all() and held.get()[0] == 0
    with pytest.raises(ValueError, match="argument local_size: expected at most 1024 work-items"):
        there.k((49, 49), (49, 49), held, *arguments)
    arguments[-1] = cl.LocalMemory(1 << 20)
    with pytest.raises(ValueError, match="expected at most 65536 bytes of local memory"):
        there.k((7, 7), None, held, *arguments)
    with pytest.raises(ValueError, match=r"expected at most .* blocks on a GPU"):
        both("kernel void k(global int *r) { }")[1].k((1, 1 << 20), None, held)
    with pytest.raises(TypeError, match=r"argument 1 \(r\): expected an array of int"):
        there.k((7, 7), None, cuda_host.asarray(np.zeros(4)), *arguments)


def test_invalid_devices():
    with pytest.raises(TypeError, match=r"expected a cupy\.cuda\.Device, a .* or 'cuda', got nda"):
        cl.Program("", device=cuda_host.asarray(np.zeros(3)))
    with pytest.raises(ValueError, match="expected never or always on a device, got 'both'"):
        cl.Program("", contract="both", device="cuda")


@by_gxx
def test_printf(capfd):
    here, there = both(
        HEAD
        + 'kernel void k(half h, long l, uchar c) { printf("%5.2f %ld|%c%% %s %x\\n", h * 3, l,'
        ' c, "a\\"b", (int)c); }'
    )
    for program in (here, there):
        program.k(1, 1, 1.5, -(1 << 40), 65)
        cuda_host.flush()
    first, second = capfd.readouterr().out.splitlines()
    assert first == second == ' 4.50 -1099511627776|A% a"b 41'


# ---------------------------------------------------------------- the text


def body_of(source, **options):
    """Return the translation of the program itself, without preludes."""
    text = cl.translate(SELECT + source, "cuda", **options)
    return text[text.rindex("namespace cl {\n") :]


def test_text():
    text = body_of(
        """// of two
#define N 3
#pragma OPENCL SELECT_ROUNDING_MODE rtp
half twice(half x) { return N * x; }
kernel void k(global half *p, local float *f) {
    size_t i = get_global_id(0);
    half4 v = (half4)(p[i], 1, 2, 3); /* four */
    if (v.x < p[1]) v.zw += twice(v.y); // more
    p[i] = v.w;
    f[0] = f[1] * f[2] + 1; }"""
    )
    wanted = """namespace cl {
__device__ hc_half twice(hc_half x);

// of two
__device__ hc_half twice(hc_half x)
{
    return hc_multiply_rtp(HCL_HALF(0x4200 /* 3.0 */), x);
}

extern "C" __global__ void k(hc_half *p, unsigned int hc_place_of_f, hc_grid hc_work = {})
{
    if (hcl_is_outside(hc_work))
        return;
    float *f = hc_place_of_f == 0xffffffffu ? nullptr : (float *)(hc_local + hc_place_of_f);
    hc_ulong i = hcl_get_global_id(hc_work, 0);
    /* four */
    hc_half4 v = hcl_make<hc_half, 4>(p[i], HCL_HALF(0x3c00 /* 1.0 */), HCL_HALF(0x4000 /* 2.0 */), HCL_HALF(0x4200 /* 3.0 */));
    // more
    if (v.s[0] < p[1]) {
        hcl_set<2, 3>(v, hc_add_rtp(hcl_pick<2, 3>(v), hcl_splat<2>(cl::twice(v.s[1]))));
    }
    p[i] = v.s[3];
    f[0] = hc_add_wide_rtp(hc_multiply_wide_rtp(f[1], f[2]), 1.0f);
}
} // namespace cl
"""  # noqa: E501
    assert text == wanted


def test_files_may_be_included(tmp_path):
    (tmp_path / "x.h").write_text("half twice(half x) { return x + x; }")
    text = body_of('#include "x.h"\nkernel void k(global half *p) { *p = twice(*p); }',
               options=f"-I {tmp_path}")  # fmt: skip
    assert "return HC_IN(add, HC_MODE)(x, x);" in text


def test_the_mode_of_a_launch_is_a_macro():
    source = "kernel void k(global half *p) { p[0] = p[1] / 3; }"
    assert "HC_IN(divide, HC_MODE)(p[1], " in body_of(source)
    assert "hc_divide_rtn(p[1], " in body_of(source, rounding="rtn")


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("p[0] = a * b - c;", "hc_fma_rtz(a, b, hc_negative(c))"),
        ("f[0] -= f[1] * f[2];", "hc_fma_wide_rtz(hcl_negative(f[1]), f[2], f[0])"),
        ("double d = f[0]; d += d * f[1];", "hc_fma_wide_rtz(d, (double)(f[1]), d)"),
    ],
)
def test_contraction(statement, wanted):
    source = (
        f"kernel void k(global half *p, global float *f, half a, half b, half c) {{{statement} }}"
    )
    assert wanted in body_of(source, contract="always", rounding="rtz")
    assert "fma" not in body_of(source, contract="never", rounding="rtz")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("kernel void k(global float *x) {\n *x = exp(*x); }", "3:7: .* exp of float"),
        ("typedef struct { char c; int i __attribute__((aligned(16))); } S;\n"
         "kernel void k(global S *s) { }", "3:25: .* the struct S, whose members"),
    ],
)  # fmt: skip
def test_refused_constructs(source, message):
    with pytest.raises(cl.BuildError, match=message) as caught:
        cl.translate(HEAD + source, "cuda")
    assert "not translated: " in str(caught.value)


def test_sub_groups_that_may_come_alone():
    source = """kernel void k(global int *a) {
        if (get_local_id(0) > 3) a[0] = sub_group_shuffle(a[1], 1u);
    }"""
    with pytest.raises(cl.BuildError, match=r"2:41: .*shuffle where some work-items may come"):
        cl.translate(source, "cuda", options="-cl-std=CL3.0")


def test_text_of_sub_groups_and_images():
    text = body_of(
        """int sum(int x) { return sub_group_reduce_add(x); }
        float4 at(read_only image2d_t a, sampler_t s) { return read_imagef(a, s, (float2)(0.5f)); }
        kernel void k(global int *a, read_only image2d_t b, sampler_t s) {
            a[0] = sum(a[1]) + get_sub_group_size() + (int)at(b, s).x;
        }"""
    )
    for line in (
        "__device__ int sum(unsigned char *hc_slots, hc_uint hc_lanes, int x)\n",
        "__device__ hc_float4 at(hc_image &a, hc_uint s)\n",
        "k(int *a, hc_image b, hc_uint s, unsigned int hc_place_of_slots, hc_uint hc_lanes, "
        "hc_grid hc_work = {})\n",
        "return hcl_team_reduce<hcl_team_add>(x, hc_slots, hc_lanes);",
        "cl::sum(hc_slots, hc_lanes, a[1])",
    ):
        assert line in text, text


@by_gxx
def test_sub_groups_along_x():
    """Shuffles under conditions of y: each group is one sub-group in a row."""
    source = """#pragma OPENCL EXTENSION all : enable
    kernel void k(global int *a) {
        int x = get_global_id(0), y = get_global_id(1);
        if (y != 1) a[x + 8 * y] = sub_group_shuffle_xor(x * y, 3u);
    }"""
    outs = [np.zeros(32, np.int32) for _ in range(2)]
    programs = cl.Program(source), cl.Program(source, device="cuda")
    for program, out in zip(programs, outs, strict=True):
        program.k((8, 4), (4, 1), out, sub_group_size=4)
    assert outs[0].tolist() == outs[1].tolist()
    with pytest.raises(ValueError, match="local_size: expected work-groups along x on a device"):
        programs[1].k((8, 4), (2, 2), outs[0], sub_group_size=4)
