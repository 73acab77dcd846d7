"""Pointers in whole programs: lists, exchanges, early returns, structures passed on."""

import numpy as np
import pytest

from halfcl import cl

N = 8

#: Program, whose kernel k takes o, a (8 integers, 10 each further) and 256 zero bytes, in groups
#: of 4; and what o holds for each of 8 items.
PROGRAMS = {
    "a list in private memory": (
        """struct N { int v; struct N *next; };
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            struct N n[8]; int s = 0;
            for (int j = 0; j < 8; ++j) { n[j].v = j; n[j].next = j ? &n[j - 1] : 0; }
            for (struct N *p = n + i; p; p = p->next) s += p->v;
            o[i] = s; }""",
        lambda i: sum(range(i + 1)),
    ),
    "a list in global memory": (
        """struct N { int v; global struct N *next; };
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            global struct N *n = (global struct N *)m; int s = 0;
            if (i == 0) for (int j = 0; j < 8; ++j) { n[j].v = j; n[j].next = j ? n + j - 1 : 0; }
            for (global struct N *p = n + i; p; p = p->next) s += p->v;
            o[i] = s; }""",
        lambda i: sum(range(i + 1)),
    ),
    "pointers exchanged by a function, for some": (
        """void swap(int **p, int **q) { int *t = *p; *p = *q; *q = t; }
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            int x = i, y = 7 - i; int *p = &x, *q = &y; if (i & 1) swap(&p, &q);
            o[i] = *p * 10 + *q; }""",
        lambda i: (7 - i) * 10 + i if i & 1 else i * 10 + 7 - i,
    ),
    "two local arrays in turns": (
        """kernel void k(global int *o, global int *a, global char *m) { local int x[4], y[4];
            int l = get_local_id(0); local int *s = x, *d = y; s[l] = get_global_id(0); barrier(1);
            for (int j = 0; j < 3; ++j) { d[l] = s[(l + 1) % 4]; barrier(1);
                local int *t = s; s = d; d = t; }
            o[get_global_id(0)] = s[l]; }""",
        lambda i: (i + 3) % 4 + i // 4 * 4,
    ),
    "a null pointer returned by some": (
        """global int *find(global int *a, int i) { if (i & 1) return a + i; return 0; }
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            global int *p = find(a, i); o[i] = p ? *p : -1; }""",
        lambda i: 10 * i if i & 1 else -1,
    ),
    "a structure returned early by some, and its member": (
        """struct S { int a[2]; };
        struct S f(int i) { struct S s = {{i, 2 * i}}; if (i & 1) return s; s.a[1] = -1; return s; }
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            o[i] = f(i).a[1]; }""",
        lambda i: 2 * i if i & 1 else -1,
    ),
    "a function's own array in each of its calls": (
        """int f(int v) { int t[2] = {v}; int *p = t; *p += 1; return *p + t[1]; }
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            o[i] = f(f(f(i))) + 100 * f(1) + 1000 * (i & 1 ? f(2) : f(3)); }""",
        lambda i: i + 3 + 200 + (3000 if i & 1 else 4000),
    ),
    "the address of a parameter": (
        """int f(int v) { int *p = &v; *p += 1; return v; }
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            int x = i; o[i] = f(x) * 10 + x; }""",
        lambda i: (i + 1) * 10 + i,
    ),
    "pointers set in a switch": (
        """kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            int x = 1, y = 2, z = 3; int *p;
            switch (i % 3) { case 0: p = &x; break; case 1: p = &y; break; default: p = &z; }
            *p *= 5; o[i] = 100 * x + 10 * y + z; }""",
        lambda i: (523, 203, 135)[i % 3],
    ),
    "a search of different lengths": (
        """kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            global int *p = a; while (1) { if (*p == 10 * i) break; p++; }
            o[i] = p - a; }""",
        lambda i: i,
    ),
    "an index of unsigned 64 bits less one": (
        """kernel void k(global int *o, global int *a, global char *m) {
            size_t i = get_global_id(0); global int *p = a + 1; o[i] = p[i - 1]; }""",
        lambda i: 10 * i,
    ),
    "increments of all kinds": (
        """kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            int t[12]; for (int j = 0; j < 12; ++j) t[j] = j;
            int *p = t; p += i; p++; ++p; p += 1; --p; int x = *p--;
            o[i] = x * 100 + (p - t) * 10 + 1[p]; }""",
        lambda i: (i + 2) * 100 + (i + 1) * 10 + i + 2,
    ),
    "a pointer to nothing in particular": (
        """int f(private void *p) { return *(int *)p; }
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            int t[2] = {4, i}; void *p = t; o[i] = f((char *)p + 4); }""",
        lambda i: i,
    ),
    "components of a member": (
        """struct S { char c; int4 v[2]; };
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            struct S s; struct S *p = &s; p->v[1] = 0; p->v[1].xz = (int2)(i, 2);
            p->v[1].yw += (int2)(5, 6); struct S t = *p;
            o[i] = t.v[1].x + 10 * t.v[1].y + 100 * t.v[1].z + 1000 * t.v[1].w; }""",
        lambda i: 6250 + i,
    ),
    "members without a name": (
        """struct S { int a; union { int b; float c; }; struct { int d, e; }; };
        kernel void k(global int *o, global int *a, global char *m) { int i = get_global_id(0);
            struct S s = {.a = 1, .d = 3, 4}, t = {1, {2}, {3, 4}}; s.c = 1.0f;
            o[i] = s.b - 0x3f800000 + s.a + 10 * s.d + 100 * s.e + 1000 * t.b + 10000 * t.e; }""",
        lambda i: 431 + 2000 + 40000,
    ),
    "a kernel called by a kernel": (
        """kernel void f(global int *o) { local int t; if (get_local_id(0) == 0) t = 7;
            barrier(1); o[get_global_id(0)] = t; }
        kernel void k(global int *o, global int *a, global char *m) { f(o); }""",
        lambda i: 7,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    source, wanted = PROGRAMS[name]
    out, a, room = np.zeros(N, np.int32), 10 * np.arange(N, dtype=np.int32), np.zeros(256, np.int8)
    cl.Program(source).k(N, 4, out, a, room)
    assert out.tolist() == [wanted(i) for i in range(N)]
