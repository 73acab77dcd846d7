"""Pointers, structures, arrays and initial values: against what plain Python makes of them."""

import numpy as np
import pytest

from halfcl import cl

N = 8
ITEMS = range(N)
A = [10 * i for i in ITEMS]
B = [100 * i for i in ITEMS]


def ints(values):
    return np.array(list(values), np.int32)


def run(source, out, *arguments, items=N, local=None):
    """Return what kernel k writes to its first argument; out: its length, or its initial values."""
    out = np.zeros(out, np.int32) if isinstance(out, int) else out
    cl.Program(source).k(items, local, out, *arguments)
    return out.tolist()


#: Source (o: the result; a, b: two buffers), and what o holds for each of eight items.
BY_ITEM = {
    "a choice between buffers": (
        "global int *p = i % 3 ? a : b; o[i] = p[i];",
        lambda i: A[i] if i % 3 else B[i],
    ),
    "a pointer set in a branch": (
        "global int *p = a; if (i % 3 == 0) { p = b; p[i] += 1; } o[i] = p[i];",
        lambda i: A[i] if i % 3 else B[i] + 1,
    ),
    "a choice between a buffer and a private variable's elements": (
        "int t[8]; t[i] = -i; int own = 5; int *p = i & 1 ? t + i : &own; *p += 1; o[i] = *p;",
        lambda i: 1 - i if i & 1 else 6,
    ),
    "an array of pointers": (
        "global int *p[2] = {a, b}; o[i] = p[i & 1][i];",
        lambda i: (A, B)[i & 1][i],
    ),
    "pointers to private variables, one of which is chosen": (
        "int x = 5, y = 6, z = 7; int *p[3] = {&x, &y, &z}; *p[i % 3] += 10;"
        "o[i] = 100 * x + 10 * y + z;",
        lambda i: 567 + (1000, 100, 10)[i % 3],
    ),
    "a pointer to a pointer": (
        "global int *p = a; global int **pp = &p; *pp += i; o[i] = **pp + 5;",
        lambda i: A[i] + 5,
    ),
    "comparisons": (
        "global int *p = a + i;"
        "o[i] = (p < a + 4) + 2 * (p == a + 4) + 4 * (p != a + 2) + 8 * !!p;",
        lambda i: (i < 4) + 2 * (i == 4) + 4 * (i != 2) + 8,
    ),
    "different buffers are not equal": ("o[i] = (a + i == b + i) + 2 * (a != b);", lambda i: 2),
    "a difference": (
        "global int *p = a + i; o[i] = 100 * (p - (a + 3)) + (int)((a + i * i) - p);",
        lambda i: 100 * (i - 3) + i * i - i,
    ),
    "null for some": (
        "global int *p = i & 1 ? a : 0; o[i] = p && p[i] >= 0 ? p[i] : !p ? -1 : -2;",
        lambda i: A[i] if i & 1 else -1,
    ),
    "a pointer as an integer": (
        "size_t n = (size_t)(a + i); ulong u = n; o[i] = *(global int *)u + (int)(n & 3);",
        lambda i: A[i],
    ),
    "arithmetic with a pointer as an integer": (
        "size_t n = (size_t)a; n += 4 * (7 - i); o[i] = *(global int *)n;",
        lambda i: A[7 - i],
    ),
    "null as an integer": (
        "global int *p = i < 4 ? 0 : a; o[i] = (size_t)p == 0;",
        lambda i: i < 4,
    ),
    "a pointer to bytes of what it points to": (
        "o[i] = ((global uchar *)b)[4 * i] + 1000 * ((global uchar *)b)[4 * i + 1];",
        lambda i: B[i] % 256 + 1000 * (B[i] // 256),
    ),
    "a negative index": (
        "global int *p = a + i; o[i] = i ? p[-1] : -1;",
        lambda i: A[i - 1] if i else -1,
    ),
    "a component by index": (
        "int4 v = (int4)(i, 2, 3, 4); o[i] = v[i & 3];",
        lambda i: (i, 2, 3, 4)[i & 3],
    ),
    "a component written by index": (
        "int4 v = (int4)(1, 2, 3, 4); v[i & 3] = 0;"
        "o[i] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;",
        lambda i: 4321 - (1, 20, 300, 4000)[i & 3],
    ),
    "arrays of arrays": (
        """int t[2][3];
        for (int r = 0; r < 2; ++r) for (int c = 0; c < 3; ++c) t[r][c] = 3 * r + c + i;
        int (*q)[3] = t; ++q; o[i] = (*q)[2] * 100 + t[0][1];""",
        lambda i: (5 + i) * 100 + 1 + i,
    ),
    "a variable with an address in a loop of different lengths": (
        "int s = 0; for (int j = 0; j < i; ++j) { int t = j; int *q = &t; *q += 1; s += t; }"
        "o[i] = s;",
        lambda i: sum(range(1, i + 1)),
    ),
    "a declaration that a label jumps over": (
        """switch (i) { case 99: ; int x = 3; int z[2]; z[0] = x;
        case 1: x = 5; z[0] = x; o[i] = z[0]; break; default: o[i] = 7; }""",
        lambda i: 5 if i == 1 else 7,
    ),
    "an array that starts anew at each turn": (
        "int s = 0; for (int j = 0; j < 2; ++j) { int t[3] = {1}; s += t[0] + t[2]; t[2] = 9; }"
        "o[i] = s;",
        lambda i: 2,
    ),
    "truths in memory": (
        "bool t[3]; t[i % 3] = i; bool *p = t; o[i] = p[i % 3] + 2 * (int)*(p + i % 3);",
        lambda i: 3 * (i > 0),
    ),
    "pointers that go along": (
        "if (i == 0) { global int *e = a + 8, *p = a, *q = o; while (p < e) *q++ = *p++; }",
        lambda i: A[i],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_ITEM)
def test_memory_of_each_item(name):
    body, wanted = BY_ITEM[name]
    source = f"""kernel void k(global int *o, global int *a, global int *b) {{
        int i = get_global_id(0); {body} }}"""
    assert run(source, N, ints(A), ints(B)) == [wanted(i) for i in ITEMS]


#: Functions and types, and a body; what o holds for each of eight items.
WITH_TYPES = {
    "a structure of pointers, by value": (
        """struct S { global int *a; global int *b; int n; };
        int sum(struct S s) { s.n += 0; return s.a[s.n] + s.b[s.n]; }""",
        "struct S s = {a, b, i}; struct S t = s; o[t.n] = sum(t);",
        lambda i: A[i] + B[i],
    ),
    "a function that gives a pointer": (
        """global int *pick(global int *a, global int *b, int c) { if (c) return a; return b; }""",
        "o[i] = pick(a, b, i & 1)[i];",
        lambda i: (B, A)[i & 1][i],
    ),
    "an argument changed in the callee only": (
        "struct S { int n[2]; }; int f(struct S s) { s.n[1] = 9; return s.n[0]; }",
        "struct S s = {{i, 4}}; o[i] = f(s) + 10 * s.n[1];",
        lambda i: i + 40,
    ),
    "private arrays in functions": (
        """int sum(int *p, int n) { int s = 0; for (int k = 0; k < n; ++k) s += p[k]; return s; }
        void fill(int *p, int i) { for (int k = 0; k < 4; ++k) p[k] = i + k; }""",
        "int t[4]; fill(t, i); o[i] = sum(t, 4) + sum(t + 1, 2);",
        lambda i: 4 * i + 6 + 2 * i + 3,
    ),
    "nested structures and unions": (
        """typedef struct {
            int a[3]; struct { short x; char y; } in; union { float f; int i; } u;
        } T;
        T make(int i) { T t; t.a[1] = i; t.in.x = 3; t.in.y = -4; t.u.f = 1.0f; return t; }""",
        "T t[2]; t[1] = make(i); o[i] = t[1].a[1] + t[1].in.x + t[1].in.y + make(i).u.i;",
        lambda i: i - 1 + 0x3F800000,
    ),
    "a choice between structures": (
        "struct S { int a; float4 v; };",
        "struct S p = {i}, q = {-i}; struct S r = i & 1 ? p : q;"
        "o[i] = r.a + (i & 1 ? q : p).a * 10;",
        lambda i: (i - 10 * i) * (1 if i & 1 else -1),
    ),
    "a packed structure": (
        "struct __attribute__((packed)) P { char c; int i; short3 v; };",
        "struct P p[2]; p[1].i = i; p[1].v = (short3)(i, 2, 3); p[0].i = 7;"
        "o[i] = p[1].i + 10 * p[1].v.x + 100 * p[0].i + 1000 * sizeof(struct P);",
        lambda i: 11 * i + 700 + 13000,
    ),
    "arrays and components in a packed structure": (
        """struct T { short s; int t; }; struct __attribute__((packed)) P { char c; int n[3];
        int4 v; int *p; struct T in[2]; };""",
        """struct P p, q[2] = {{1, {i, 2}, (int4)(7), 0, {{1, 2}, {3, 4}}}}; int k = i & 1;
        p.n[k] = i; p.n[1 - k] = 5; p.n[0] += 2; p.n[2] = p.n[0]++; p.v.x = i; p.v.yzw = 3;
        p.v[k]++;
        p.v.zw *= (int2)(2, 4); p.p = &i; p.in[k].t = i; (&p)->in[1 - k].t = 9; q[1].n[2] = p.n[2];
        o[i] = p.n[0] + p.n[1] + p.n[2] + p.v.x + p.v.y + p.v.z + p.v.w + *p.p + p.in[0].t
            + p.in[1].t + q[0].n[0] + q[0].v.w + q[0].in[1].t + 1000 * q[1].n[2];""",
        lambda i: (
            (i + 5 + 3 + 1001 * (i + 2 if i % 2 == 0 else 7))
            + (i + 1 + 3 + 6 + 12) + i + i + 9 + i + 7 + 4
        ),
    ),
    "three components lie as four": (
        "",
        "int3 t[2]; t[1] = (int3)(5, 6, i); int *p = (int *)t; o[i] = p[6] + 10 * p[4];",
        lambda i: i + 50,
    ),
    "characters": (
        'constant char s[] = "a\\tb" "\\x41"; constant char t[2][3] = {"ab", {"c"}};',
        'char z[5] = "x"; constant char *p = "hello"; int l = 0; while (p[l]) ++l;'
        "o[i] = s[i & 3] + 1000 * (z[0] + z[4]) + 1000000 * l + 10000000 * (t[1][0] - t[0][1]);",
        lambda i: b"a\tbA"[i & 3] + 120000 + 5000000 + 10000000,
    ),
    "a table of pointers to constants": (
        """constant int x[] = {1}; constant int y[] = {2, 3};
        constant int *constant t[] = {x, y, y + 1};""",
        "o[i] = *t[i % 3];",
        lambda i: 1 + i % 3,
    ),
    "constants made of others": (
        """enum { E = 3 }; constant float f = 1.5f; constant int n = E * 2;
        constant int t[n + 2] = {n, E};
        constant struct { int a; float2 b; } s = {E, {2.0f, 3.0f}};""",
        "o[i] = f * 2 + n + t[0] + t[7] + s.a + s.b.y + (&n)[0];",
        lambda i: 3 + 6 + 6 + 0 + 3 + 3 + 6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WITH_TYPES)
def test_memory_with_types_and_functions(name):
    head, body, wanted = WITH_TYPES[name]
    source = f"""{head} kernel void k(global int *o, global int *a, global int *b) {{
        int i = get_global_id(0); {body} }}"""
    assert run(source, N, ints(A), ints(B)) == [wanted(i) for i in ITEMS]


#: Declarations of t, and its integers.
INITIAL = {
    "int t[4] = {1, 2}": [1, 2, 0, 0],
    "int t[2][4] = {{1}, {[1] = 7}}": [1, 0, 0, 0, 0, 7, 0, 0],
    "int t[2][3] = {1, 2, 3, 4}": [1, 2, 3, 4, 0, 0],
    "int t[] = {[3] = 4, 5, [0] = 1}": [1, 0, 0, 4, 5],
    "struct P t[3] = {1, 2, 3, 4, 5, 6, {7, .z = 9}}": [1, 2, 3, 4, 5, 6, 7, 0, 9],
    "struct P t = {.y = 5, 6}": [0, 5, 6],
    "struct P t[2] = {[0].y = 7, 8, [1].z = 9}": [0, 7, 8, 0, 0, 9],
    "struct P t[2] = {[1] = {.z = 3}, [0].x = 1, 2}": [1, 2, 0, 0, 0, 3],
    "struct Q t = {{1, 2, 3}, .n = {[1] = 5}, 6}": [1, 2, 3, 0, 5, 6],
    "struct Q t = {.p.y = 2, 3, 4, .last = 6}": [0, 2, 3, 4, 0, 6],
    "struct Q t = {p, 4, 5}": [7, 8, 9, 4, 5, 0],
    "int4 t[2] = {(int4)(1, 2, 3, 4), {5, 6, 7, 8}}": [1, 2, 3, 4, 5, 6, 7, 8],
    "union U t[2] = {1, {.f = 1.0f}}": [1, 0x3F800000],
}


@pytest.mark.parametrize("declaration", INITIAL)
def test_initial_values(declaration):
    wanted = INITIAL[declaration]
    source = f"""struct P {{ int x, y, z; }}; struct Q {{ struct P p; int n[2]; int last; }};
    union U {{ int i; float f; }};
    kernel void k(global int *o) {{ struct P p = {{7, 8, 9}}; {declaration};
        const int *q = (const int *)&t; for (int j = 0; j < {len(wanted)}; ++j) o[j] = q[j]; }}"""
    assert run(source, len(wanted), items=1) == wanted


def test_sizes_and_offsets():
    """C lays members out at multiples of their alignments."""
    source = """
    struct A { char c; double d; }; struct B { char c; int i; short s; };
    struct C { char c; int3 v; char e; }; union U { char c[9]; long l; };
    struct D { char c; global int *p; char e; }; struct E { char c; half8 v; };
    struct __attribute__((packed)) F { char c; int i; };
    struct __attribute__((aligned(32))) G { int i; };
    #define OFFSET(s, m) (int)(size_t)&((private struct s *)0)->m
    kernel void k(global int *o) {
        int n = 0; o[n++] = sizeof(struct A); o[n++] = sizeof(struct B); o[n++] = sizeof(struct C);
        o[n++] = sizeof(union U); o[n++] = sizeof(struct D); o[n++] = sizeof(struct E);
        o[n++] = sizeof(struct F); o[n++] = sizeof(struct G); o[n++] = sizeof(double16);
        o[n++] = sizeof(char3); o[n++] = OFFSET(B, s); o[n++] = OFFSET(C, e); o[n++] = OFFSET(E, v);
    }"""
    wanted = [16, 12, 48, 16, 24, 32, 5, 32, 128, 4, 8, 32, 16]
    assert run(source, len(wanted), items=1) == wanted


def test_structures_in_buffers_are_numpys_aligned_ones():
    dtype = np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2", 3), ("d", "i4")], align=True)
    buffer = np.zeros(5, dtype)
    buffer["b"], buffer["c"] = np.arange(5), np.arange(15).reshape(5, 3)
    source = """struct S { char a; double b; short c[3]; int d; };
    kernel void k(global struct S *s) { int i = get_global_id(0); struct S t = s[i];
        t.d = t.b * 2 + t.c[2]; t.a = -i; s[i] = t; }"""
    cl.Program(source).k(5, None, buffer)
    assert buffer["a"].tolist() == [0, -1, -2, -3, -4]
    assert buffer["d"].tolist() == [2 * i + 3 * i + 2 for i in range(5)]
    assert buffer["b"].tolist() == list(range(5))


# ---------------------------------------------------------------- groups


def test_local_memory_of_kernels_and_of_arguments():
    source = """kernel void k(global int *o, global int *a, local int *t) { local int u[4];
        int l = get_local_id(0), g = get_global_id(0); t[l] = a[g]; u[3 - l] = g; barrier(1);
        o[g] = t[3 - l] + u[0]; }"""
    assert run(source, N, ints(A), cl.LocalMemory(16), local=4) == [
        A[4 * (i // 4) + 3 - i % 4] + 4 * (i // 4) + 3 for i in ITEMS
    ]


def test_pointers_to_local_memory_in_local_memory():
    source = """kernel void k(global int *o) { local int t[4]; local int *local q[4];
        int l = get_local_id(0); t[l] = get_global_id(0); q[3 - l] = t + l; barrier(1);
        o[get_global_id(0)] = *q[l]; }"""
    assert run(source, N, local=4) == [3, 2, 1, 0, 7, 6, 5, 4]


def test_a_barrier_in_a_function_that_all_reach():
    source = """void sync(local int *t, int l) { t[l] += 1; barrier(CLK_LOCAL_MEM_FENCE); }
    kernel void k(global int *o) { local int t[4]; int l = get_local_id(0); t[l] = l;
        if (get_group_id(0) == 1) { sync(t, l); o[get_global_id(0)] = t[3 - l]; } }"""
    assert run(source, N, local=4) == [0, 0, 0, 0, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("body", "item"),
    [
        ("if (i != 6)\n barrier(1);", 6),
        ("if (i == 2) return;\n barrier(1);", 2),
        ("for (int j = 0; j < i / 5 + 1; ++j)\n barrier(1);", 4),
        ("i < 3 || (\n sync(), 1);", 0),
    ],
)
def test_a_barrier_that_some_do_not_reach(body, item):
    source = f"""void sync() {{ barrier(1); }}
    kernel void k(global int *o) {{ int i = get_global_id(0); {body} }}"""
    line = 1 if "sync" in body else 3
    message = rf"program.cl:{line}:\d+: kernel k: barrier: work-item \({item},\) does not reach it"
    with pytest.raises(cl.LaunchError, match=message):
        run(source, N, local=4)


# ---------------------------------------------------------------- what the build refuses

REFUSED = {
    "int f(int n) {\n return n ? f(n - 1) : 0; }": "2:13: error: recursion .*: f calls f",
    "int g(int); int f(int n) { return g(n); }\nint g(int n) { return f(n); }": "f calls g",
    "int h(int n);\nint f(int n) {\n return h(n); }": "3:9: error: function h is called, but",
    "void f(int n, ...) {}": "variadic",
    "void f() { void (*p)(int) = 0; }": "pointers to functions",
    "void f() {\n int (^b)(int) = ^(int i) { return i; }; }": "2:.*blocks",
    "void f(int n) { int t[n]; }": "variable length",
    "struct S { int a : 3; };": "bit-field",
    "extern constant int c;\nint f() { return c; }": "1:.*constant c has no value",
    "int n;": "constant address space",
    "void f() { static int n; }": "static",
    "void f() {\n long double x = 1; }": "2:.*long double is not supported",
    "void f(int n) { switch (n) { case 1 ... 3: n = 1; } }": "ranges of labels",
    "void f() { goto end; end: ; }": "goto",
    "void f() { int4 v; int *p = &v.x; }": "vector element",
    "void f(pipe int p) {}": "error",
}


@pytest.mark.parametrize("source", REFUSED)
def test_refused_constructs(source):
    """Without a kernel, all functions of a program are converted."""
    with pytest.raises(cl.BuildError, match=REFUSED[source]):
        cl.Program(source)
