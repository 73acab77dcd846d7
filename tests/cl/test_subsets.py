"""Parts of blocks, views of memory, and loads in runs: the same results, by a shorter way."""

import itertools

import numpy as np
import pytest
from exhaustive import more, one_in

import halfcl as hc
from halfcl import cl
from halfcl.cl._frontend import types
from halfcl.cl._frontend.guards.nesting import DEEPEST_BLOCKS
from halfcl.cl._interpreter import subsets
from halfcl.cl._interpreter.launching import launch as launching
from halfcl.cl._interpreter.memory import access
from halfcl.cl._interpreter.values import integers, lanes

FP16 = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
N = 4096
WIDTH, HEIGHT = 64, N // 64


@pytest.fixture
def counted_subsets(monkeypatch):
    """The subsets that are created from now on, even of few items."""
    subsets_created = []

    class Counted(subsets.Subset):
        def __init__(self, whole, choice):
            super().__init__(whole, choice)
            subsets_created.append(self)

    monkeypatch.setattr(subsets, "FEWEST", 2)
    monkeypatch.setattr(subsets, "Subset", Counted)
    return subsets_created


#: Where few items do something, or are left: bodies of kernels of x and o, with an int's bits in v.
BODIES = {
    "a sum in local memory": """
        local float s[64]; int l = get_local_id(0); s[l] = x[i]; barrier(1);
        for (int k = 32; k > 0; k /= 2) { if (l < k) s[l] += s[l + k]; barrier(1); }
        o[i] = s[0] + l;""",
    "one of every other, then of every fourth": """
        local float s[64]; int l = get_local_id(0); s[l] = x[i]; barrier(1);
        for (int k = 1; k < 64; k *= 2) { if (l % (2 * k) == 0) s[l] += s[l + k]; barrier(1); }
        o[i] = s[0] + l;""",
    "one item of a group": """
        local float s[1]; int l = get_local_id(0); if (l == 5) s[0] = x[i]; barrier(1);
        o[i] = s[0] * l;""",
    "the end of the launch": "o[i] = x[i]; if (i > 4000) { o[i] = 3 * x[i] - i; }",
    "what is assigned, and what is not": """
        float a = x[i], b = 1; int n = i; uint u = v; long w = -1;
        if (i < 100) { a = b + n; n += 3; u = u * v + n; w -= (long)i << 40; }
        o[i] = a + b + n + (u & 1023) + (w >> 40);""",
    "vectors": """
        float4 a = (float4)(x[i], 1, i, 2); half2 h = 3; int3 n = i;
        if (i < 64) { a.yw = a.xz + 1; h = (half2)(i, 2) * h; n.y = a.x; n.s2 -= i; }
        o[i] = a.x + a.y * a.z - a.w + h.x + h.y + n.x - n.y + n.z;""",
    "a loop of items that leave": """
        float a = x[i]; int n = v & 31; uint u = v;
        while (n > 0) { if (u % 7 == 3) break; a += n * 0.5f; u = u * 69069 + 1; --n; }
        o[i] = a + n + (u >> 24);""",
    "a loop with continue, that checks last": """
        int n = v & 63, s = 0;
        do { if (n & 1) { --n; continue; } s += n; n -= 3; } while (n > 0);
        o[i] = s + n;""",
    "loops in loops, each left": """
        float a = 0;
        for (int k = 0; k < (int)(v & 15); ++k)
            for (int j = k; j < (int)(v >> 28); ++j) { if (j * k > 40) break; a += j - k * x[i]; }
        o[i] = a;""",
    "a switch and a choice": """
        int n = v % 50, s = 0;
        while (n) {
            switch (n % 4) { case 0: s += 5; case 1: s -= n; break; default: s += n > 9 ? 2 : n; }
            --n;
        }
        o[i] = s;""",
    "private arrays, and where they are pointed to": """
        int t[4] = {1, 2, 3, i}, c = 7; int *p = &t[v & 3];
        if (i < 200) { *p += 4; t[3] -= c; c = t[v & 1]; }
        int n = v % 20;
        while (n > 0) { t[n & 3] += *p; p = &t[n & 1]; n -= 2; }
        o[i] = t[0] + 2 * t[1] + 3 * t[2] + 5 * t[3] + *p + c;""",
    "functions of its own": """
        int n = v % 30; float a = 0;
        while (n > 0) { a = step_of(a, n, x[i]); --n; }
        if (i < 300) { a += step_of(1, i, 2); change(&a, i); }
        o[i] = a;""",
    "barriers of some groups": """
        local float s[64]; int l = get_local_id(0); float a = 0; s[l] = x[i];
        if (get_group_id(0) < 8) { s[l] *= 2; barrier(1); a = s[63 - l]; }
        if (l < 3) { if (i > 7) a += 3; }
        o[i] = a;""",
    "ids": """
        if (i > 3900) { o[i] = get_global_id(0) + get_local_id(0) * get_group_id(0); }
        if (v % 16 == 0) { for (int k = 0; k < 2; ++k) o[i] = get_local_id(0) + k; }""",
    "parts of parts": """
        float a = x[i]; int n = i;
        if (i < 2000) { if (i > 1500) { a = 1; if (i % 4 == 0) { a += n; n = 2; } n += 3; }
                        n *= 2; }
        o[i] = a + n;""",
}
FUNCTIONS = """
float step_of(float a, int n, float x) { if (n % 5 == 0) return a; return a * 0.5f + n + x; }
void change(float *a, int i) { if (i & 1) *a -= i; }
"""


def launch(program, check):
    rng = np.random.default_rng(4)
    x, v = rng.integers(-50, 50, N).astype(np.float32), rng.integers(0, 1 << 32, N, np.uint32)
    out = np.zeros(N, np.float32)
    program.k(N, 64, x, v, out, check=check)
    return out


@pytest.mark.parametrize("name", BODIES)
def test_subsets_give_results_of_checked_launches(counted_subsets, name):
    """Checked launches observe every item of a block, and create no subsets."""
    program = cl.Program(
        f"""{FP16}{FUNCTIONS}
        kernel void k(global const float *x, global const uint *y, global float *o) {{
            int i = get_global_id(0); uint v = y[i]; {BODIES[name]} }}"""
    )
    actual = launch(program, False)
    assert counted_subsets
    assert all(part.axes.count < N for part in counted_subsets)
    count = len(counted_subsets)
    assert actual.tobytes() == launch(program, True).tobytes()
    assert len(counted_subsets) == count


def test_last_item_remains_where_stores_coincide(counted_subsets):
    program = cl.Program("kernel void k(global int *o) { int i = get_global_id(0); "
                         "if (i < 64) o[i / 8] = i; if (i >= 4000) { o[9] = i; } }")  # fmt: skip
    out = np.zeros(10, np.int32)
    program.k(N, None, out)
    assert out.tolist() == [*range(7, 64, 8), 0, N - 1]
    assert len(counted_subsets) == 2


def test_fault_in_subset_names_the_item(counted_subsets):
    program = cl.Program(
        "kernel void k(global int *a) { int i = get_global_id(0);\nif (i > 3000) a[i * 2] = i; }"
    )
    a = np.zeros(2 * 4050, np.int32)
    with pytest.raises(cl.LaunchError, match=r":2:15: kernel k: write outside .* \(4050,\): 4 byt"):
        program.k(N, None, a)
    assert counted_subsets


@pytest.mark.parametrize("meeting", ["barrier(1)", "wait()", "o[0] = sub_group_all(1)"])
def test_functions_of_groups_prevent_subsets(counted_subsets, meeting):
    """Who is missing at a barrier would not be seen in a part."""
    program = cl.Program(
        f"""void wait() {{ barrier(1); }}
        kernel void k(global int *o) {{ int l = get_local_id(0); if (l < 3) {{ {meeting}; }} }}""",
        "-cl-std=CL3.0",
    )
    with pytest.raises(cl.LaunchError, match="does not reach it"):
        program.k(N, 64, np.zeros(N, np.int32))
    assert not counted_subsets


def test_stochastic_rounding_prevents_subsets(counted_subsets):
    """How many numbers are drawn for must not depend on who is left."""
    program = cl.Program(
        f"{FP16}kernel void k(global half *a) {{ int i = get_global_id(0); "
        "if (i < 9) { for (int k = 0; k < 3; ++k) a[i] *= 0.3h; } }"
    )
    a = np.ones(N, hc.half)
    program._module(None)[f"f_k_{program.k._function.at}_"]
    source = program._module(None)["__source__"]
    assert "select_items(" not in source and "subset_of(" not in source
    assert "select_items(" in program._module("rte")["__source__"]
    program.k(N, None, a)
    assert counted_subsets


#: Conditions of coordinates: i along the fastest axis, j along the next one, k along the slowest.
TERMS = ("i < {n}", "j >= {n}", "k != {n}", "i == {n}", "j % 3 == {n}", "{n} > i", "x[i] > {n}",
         "i + j < {n}", "k <= {n}", "1", "j < {n}", "i * 2 >= {n}")  # fmt: skip


def draw_condition(rng):
    terms = [TERMS[t].format(n=rng.integers(0, 9)) for t in rng.integers(0, len(TERMS), 3)]
    return " && ".join(terms[: rng.integers(1, 4)])


@one_in(2)
@pytest.mark.parametrize("seed", range(24))
def test_conditions_of_several_axes_select_the_items_of_checked_launches(counted_subsets, seed):
    """Checked launches run a branch by mask; others for a box of the block, or a box in it."""
    rng = np.random.default_rng(seed)
    outer, inner = draw_condition(rng), draw_condition(rng)
    program = cl.Program(
        f"""{FP16}kernel void k(global const float *x, global const int *y, global float *o) {{
        int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
        int at = (k * 8 + j) * 8 + i, n = y[at]; float2 s = (float2)(x[at], 1); half h = i;
        if ({outer}) {{
            o[at] += x[j] * i + k; n += i; s.y += n; h *= 3;
            if ({inner}) {{ n *= 3; o[at] += x[at] * n + h; s.x -= x[at]; }}
            n -= k; }}
        o[at] += n + s.x + s.y + h; }}"""
    )
    x = rng.integers(-9, 9, 512).astype(np.float32)
    outputs = {check: np.ones(512, np.float32) for check in (False, True)}
    for check, output in outputs.items():
        program.k((8, 8, 8), None, x, x.astype(np.int32), output, check=check)
    assert outputs[False].tobytes() == outputs[True].tobytes()


@one_in(2)
@pytest.mark.parametrize("seed", range(24))
def test_guards_give_results_of_checked_launches(counted_subsets, seed):
    """The items that remain after `if (c) return;` may run as a block of their own."""
    rng = np.random.default_rng(seed)
    first, second, third = (draw_condition(rng).replace("&&", "||") for _ in range(3))
    program = cl.Program(
        f"""void twice(global float *o, int i) {{
            if (i > 5) return; *o *= 2; if (i < 2) {{ return; }} *o += 1; }}
        kernel void k(global const float *x, global const int *y, global float *o) {{
        int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
        int at = (k * 8 + j) * 8 + i, n = y[at]; float a = x[at];
        o[at] = 7;
        if ({first}) {{ return; }}
        o[at] += a * i + k; n += i;
        if (!({second})) return;
        for (int t = 0; t < 3; ++t) {{ a += n * t; if (a > 90) return; twice(o + at, i); }}
        if (n % 2 || {third}) return;
        o[at] -= a + n; }}"""
    )
    x = rng.integers(-9, 9, 512).astype(np.float32)
    outputs = {check: np.ones(512, np.float32) for check in (False, True)}
    for check, output in outputs.items():
        program.k((8, 8, 8), None, x, x.astype(np.int32), output, check=check)
    assert outputs[False].tobytes() == outputs[True].tobytes()


@pytest.mark.parametrize(
    "guard",
    [
        "if (i >= n || j >= n) return;",
        "if (!(i < n && j < n)) return;",
        "if (i >= n) return; if (j >= n) { return; }",
    ],
)
def test_guard_of_two_axes_selects_a_box(counted_subsets, guard):
    program = cl.Program(
        f"""kernel void k(global float *a, int n) {{
        int i = get_global_id(0), j = get_global_id(1); {guard} a[j * n + i] += j * n + i; }}"""
    )
    a = np.zeros((50, 50), np.float32)
    program.k((64, 64), None, a, 50)
    np.testing.assert_array_equal(a.ravel(), np.arange(2500))
    assert counted_subsets[-1].axes.extents == (50, 50)


def test_guards_before_a_barrier_are_missed_there():
    program = cl.Program(
        "kernel void k(global int *a) { if (get_global_id(0) > 3) return; barrier(1); a[0] = 1; }"
    )
    with pytest.raises(cl.LaunchError, match=r"barrier: work-item \(4,\) does not reach it"):
        program.k(64, 64, np.zeros(64, np.int32))


def test_guards_before_blocks_as_deep_as_possible():
    """The rest is not enclosed in an if where it would nest too deeply."""
    body = "a[i] += 1;"
    for _ in range(DEEPEST_BLOCKS - 1):
        body = f"if (i > 0) {{ {body} a[0] = 1; }}"
    program = cl.Program(
        f"""kernel void k(global int *a) {{ int i = get_global_id(0);
        if (i > 5) return; if (i < 0) return; {body} }}"""
    )
    a = np.zeros(8, np.int32)
    program.k(8, None, a)
    assert a.tolist() == [1] * 6 + [0] * 2


def test_condition_of_two_axes_selects_a_box(counted_subsets):
    """Its accesses are of ramps, and those of a box in it, too."""
    program = cl.Program(
        """kernel void k(global float *a, int n) {
        int i = get_global_id(0), j = get_global_id(1);
        if (i < n - 1 && j >= 2 && i > 0) { a[j * 64 + i] *= 2; if (i == 5) { a[j * 64] += 1; } }
        }"""
    )
    a = np.ones((64, 64), np.float32)
    program.k((64, 64), None, a, 60)
    wanted = np.ones((64, 64), np.float32)
    wanted[2:, 1:59] = 2
    wanted[2:, 0] = 2
    np.testing.assert_array_equal(a, wanted)
    assert [part.axes.extents for part in counted_subsets] == [(62, 58), (62,)]


def test_faults_of_items_in_a_box_name_the_item(counted_subsets):
    program = cl.Program(
        "kernel void k(global int *a) { int i = get_global_id(0), j = get_global_id(1);\n"
        "if (i > 2 && j < 60) { a[j * 64 + i * 100] = i; a[i] = j; } }"
    )
    with pytest.raises(cl.LaunchError, match=r":2:24: kernel k: write outside .* \(41, 0\): 4 by"):
        program.k((64, 64), None, np.zeros(4096, np.int32))
    assert [part.axes.extents for part in counted_subsets] == [(60, 61)]


# ---------------------------------------------------------------- where numbers lie


NAMES = ("turned", "moved", "strewn", "rows", "shifted", "across", "meeting")


@pytest.mark.parametrize("type_", ["half", "float"])
def test_results_may_overwrite_operands(type_):
    """Each item reads what was there before any writes."""
    program = cl.Program(
        f"""{FP16}
        kernel void turned(global {type_} *a, global const {type_} *b) {{
            int i = get_global_id(0); a[i] = a[{N - 1} - i] + b[i]; }}
        kernel void moved(global {type_} *a, global const {type_} *b) {{
            int i = get_global_id(0); a[i + 1] = a[i] * b[0]; }}
        kernel void strewn(global {type_} *a, global const {type_} *b) {{
            int i = get_global_id(0); a[2 * i] += fma(a[2 * i + 1], b[i], a[i]); }}
        kernel void rows(global {type_} *a, global const {type_} *b) {{
            int x = get_global_id(0), y = get_global_id(1);
            a[y * {WIDTH} + x] = b[y] + a[x] * b[x * {HEIGHT} + y]; }}
        kernel void shifted(global {type_} *a, global const {type_} *b) {{
            int i = get_global_id(0); a[i + 5] = a[i]; }}
        kernel void across(global {type_} *a, global const {type_} *b) {{
            int x = get_global_id(0), y = get_global_id(1);
            a[x * {HEIGHT} + y] = a[y * {WIDTH} + x]; }}
        kernel void meeting(global {type_} *a, global const {type_} *b) {{
            a[get_global_id(1)] = b[get_global_id(0)] + b[get_global_id(1)]; }}"""
    )
    dtype = np.float16 if type_ == "half" else np.float32
    rng = np.random.default_rng(5)
    first, b = (rng.integers(0, 9, 2 * N).astype(dtype) for _ in range(2))
    square = (WIDTH, HEIGHT)
    x, y = np.arange(WIDTH), np.arange(HEIGHT)[:, None]
    wanted = {name: first.copy() for name in NAMES}
    wanted["turned"][:N] = first[N - 1 :: -1] + b[:N]
    wanted["moved"][1 : N + 1] = first[:N] * b[0]
    wanted["strewn"][::2] += first[1::2] * b[:N] + first[:N]
    wanted["rows"][:N] = (b[y] + first[x] * b[x * HEIGHT + y]).ravel()
    wanted["shifted"][5 : N + 5] = first[:N]
    wanted["across"][:N] = first[:N].reshape(HEIGHT, WIDTH).T.ravel()
    wanted["meeting"][:HEIGHT] = b[WIDTH - 1] + b[:HEIGHT]
    for name, result in wanted.items():
        a = first.copy()
        size = square if name in ("rows", "across", "meeting") else N
        program[name](size, None, a, b)
        assert a.tobytes() == result.tobytes(), name


def test_loads_precede_later_stores():
    """A number that was read before a store is what was there then."""
    program = cl.Program(
        """int set(global float *a, int i) { a[i] = 100; return 1; }
        kernel void k(global float *a, global float *o) {
            int i = get_global_id(0);
            o[i] = a[i] + set(a, i);
            a[i] = 2;
            o[i + set(a, i) - 1] += a[i] * 3;
            a[i] = 5;
            o[i + set(a, i) - 1] = a[i] + o[i];
            a[i] = i & 1;
            o[get_global_size(0) + i + set(a, i) - 1] = a[i]; }"""
    )
    a, out = np.arange(N, dtype=np.float32), np.zeros(2 * N, np.float32)
    program.k(N, None, a, out)
    np.testing.assert_array_equal(out[:N], np.arange(N) + 1 + 300 + 5)
    np.testing.assert_array_equal(out[N:], np.arange(N) & 1)


#: Where in a row of WIDTH an item looks, as C and as NumPy has it.
PLACES = {
    "(x + 1) % w": lambda x, w: (x + 1) % w,
    "(x + w - 3) % w": lambda x, w: (x - 3) % w,
    "x / 20 * 3 + x % 2": lambda x, w: x // 20 * 3 + x % 2,
    "x * 7 % w": lambda x, w: x * 7 % w,
    "w - 1 - (x + 5) % w": lambda x, w: w - 1 - (x + 5) % w,
    "x >> 5": lambda x, w: x >> 5,
}


@pytest.mark.parametrize("type_", ["float2", "uchar", "int3", *more("half", "half4")])
def test_images_that_wrap_around(type_):
    """Loads in a few runs, along one axis or both, and by a mask."""
    dtype, width = {
        "half": (np.float16, 1), "float2": (np.float32, 2), "uchar": (np.uint8, 1),
        "half4": (np.float16, 4), "int3": (np.int32, 4),
    }[type_]  # fmt: skip
    image = np.random.default_rng(6).integers(0, 99, (HEIGHT, WIDTH, width)).astype(dtype)
    x, y = np.arange(WIDTH), np.arange(HEIGHT)[:, None]
    for text, place in PLACES.items():
        of_y = text.replace("x", "y").replace("w", "h")
        for index, rows, columns in (
            (f"y * w + ({text})", y, place(x, WIDTH)),
            (f"({of_y}) * w + x", place(y, HEIGHT), x),
            (f"({of_y}) * w + ({text})", place(y, HEIGHT), place(x, WIDTH)),
        ):
            program = cl.Program(
                f"""{FP16}kernel void k(global const {type_} *a, global {type_} *o) {{
                int x = get_global_id(0), y = get_global_id(1);
                int w = get_global_size(0), h = get_global_size(1);
                if (x != 3) o[y * w + x] = a[{index}]; }}"""
            )
            out, wanted = np.zeros_like(image), image[rows, columns].copy()
            wanted[:, 3] = 0
            if type_ == "int3":
                wanted[..., 3] = 0
            program.k((WIDTH, HEIGHT), None, image, out)
            assert out.tobytes() == wanted.tobytes(), index


@pytest.mark.parametrize("seed", range(50))
def test_bounds_of_ramps(seed):
    """Bounds are known after shifting and scaling."""
    rng = np.random.default_rng(seed)
    axes = lanes.Axes((3, 5, 2))
    ramp = lanes.Ramp(*map(int, rng.integers(-9, 9, 1)), (2, -7, 1), axes)
    for _ in range(6):
        if rng.random() < 0.5:
            ramp.bounds()
        number = int(rng.integers(-3, 4)) or 2
        ramp = lanes.add(ramp, number) if rng.random() < 0.5 else lanes.scale(ramp, number)
        array = ramp.array()
        assert ramp.bounds() == (array.min(), array.max())


@one_in(2)
@pytest.mark.parametrize("seed", range(20))
def test_kept_results_of_ramps_are_those_computed_anew(monkeypatch, seed):
    """Small blocks keep what was computed of a ramp and a number, for each operation and type."""
    rng = np.random.default_rng(seed)
    steps = [
        (symbol, scalar, int(rng.integers(-3, 99)), bool(rng.integers(2)))
        for symbol in "+-*/%&|^"
        for scalar in (types.INT, types.UCHAR, types.LONG, types.ULONG)
    ]
    rng.shuffle(steps := steps * 3)

    def results(keeping):
        monkeypatch.setattr(lanes, "_KEEPING", keeping)
        ramp = lanes.Ramp(5, (40, 1), lanes.Axes((4, 8)))
        for symbol, scalar, number, is_left in steps:
            number = types.wrap(number, scalar.dtype) or 1
            operands = (number, ramp) if is_left else (ramp, number)
            result = integers.arithmetic(symbol, scalar)(*operands)
            again = integers.arithmetic(symbol, scalar)(*operands)
            yield lanes.as_array(result, scalar.dtype).tolist()
            assert lanes.as_array(again, scalar.dtype).tolist() == list(
                lanes.as_array(result, scalar.dtype)
            )

    with np.errstate(all="ignore"):
        assert list(results(1 << 16)) == list(results(0))


#: Bodies for groups of few work-items in x: of a (global), s (local), o, i, j and at.
SHORT_ROWS = {
    "global rows": "o[at] = a[j * 64 + i] * a[i * 64 + j];",
    "transposed results": "o[i * 64 + j] = a[at] + a[63 - j] * a[at];",
    "nested operations": """o[at] += (a[at] - a[i]) * (a[j] + a[at] * a[i]);
        o[at] -= fma(a[j], a[i], a[at]);""",
    "local tiles": """s[l][m] = a[at]; barrier(1); T sum = 0;
        for (int k = 0; k < get_local_size(0); ++k) sum += s[l][k] * s[k % 2][m];
        barrier(1); s[l][m] *= sum; o[at] = s[l][m] + sum;""",
    "shared elements": "o[j] = a[at] * a[i]; o[at + 64] = o[j];",
    "boxes": "if (i < 50 && j > 3) { o[at] = a[at] * a[j]; o[at] -= a[i]; }",
}


@pytest.mark.parametrize("type_", ["half", "float", "double"])
@pytest.mark.parametrize("name", SHORT_ROWS)
def test_short_rows_give_results_of_long_ones(monkeypatch, name, type_):
    """Short rows are copied to one axis before an operation; long ones are viewed."""
    program = cl.Program(
        f"""{FP16}#define T {type_}
        kernel void k(global const T *a, global T *o) {{
            local T s[16][16];
            int i = get_global_id(0), j = get_global_id(1), at = j * 64 + i;
            int m = get_local_id(0), l = get_local_id(1);
            {SHORT_ROWS[name]} }}"""
    )
    dtype = {"half": hc.half, "float": np.float32, "double": np.float64}[type_]
    a = np.random.default_rng(8).uniform(-2, 2, 64 * 64).astype(np.float16).astype(dtype)
    outputs = []
    for size, groups in itertools.product((0, 64), ((16, 16), (2, 2))):
        monkeypatch.setattr(access, "SHORT_ROW", size)
        outputs.append(np.ones(64 * 65, dtype))
        program.k((64, 64), groups, a, outputs[-1])
    assert outputs[0].tobytes() == outputs[2].tobytes()
    assert outputs[1].tobytes() == outputs[3].tobytes()


# ---------------------------------------------------------------- how long blocks are


def test_kernels_with_little_state_have_long_blocks():
    long, narrow, short = launching.LONG_BLOCK, launching.NARROW_BLOCK, launching.BLOCK
    assert long > narrow > short
    of = launching.choose_block_size
    assert of(2, False, 1, 0) == of(0, False, 0, 256) == launching.LONGEST_BLOCK > long
    assert of(2, False, 2, 0) == long
    assert of(2, True, 0, 0) == of(2, False, 0, 1) == narrow
    assert of(4, False, 1, 0) == of(4, False, 9, 64) == launching.FLOAT_BLOCK > narrow
    assert of(4, True, 1, 0) == of(4, False, 1, 8) == of(8, False, 0, 0) == short
    program = cl.Program(
        f"""{FP16}
        kernel void plain(global half *a) {{ a[get_global_id(0)] += 1; }}
        kernel void array(global half *a) {{
            half t[9]; t[get_global_id(0) % 9] = a[0]; a[0] = t[1]; }}
        """
    )
    widest = {"int": 0, "half": 2, "half2": 2, "float": 4, "half3": 8, "double": 8, "float4": 16}
    for name, size in widest.items():
        kernel = cl.Program(
            f"{FP16} kernel void k(global {name} *a) {{ a[1] = a[0] + ({name})(1); }}"
        ).k
        assert kernel._widest == size
    assert not program.plain._keeps_arrays
    assert program.array._keeps_arrays
