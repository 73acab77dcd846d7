"""Jumps out of statements in parentheses, a ?: b, and places whose text has side effects."""

import numpy as np

from halfcl import cl

ITEMS = 8

#: Bodies of `void k(int i, int *o)`, which may return early; x is 3 * i.
BODIES = {
    "return": "o[i] = 1 + ({ if (i > 5) { o[i] = -1; return; } i * 2; });",
    "return of nothing": "({ if (i > 2) return; }); o[i] = 7;",
    "break and continue": """for (int n = 0; n < 4; n++) {
        x += ({ if (n == i) continue; if (n > i + 1) break; n; }) + 1; } o[i] = x;""",
    "right of &&": "o[i] = i > 2 && ({ if (i == 3) { o[i] = -2; return; } i & 1; });",
    "right of ||": "o[i] = i > 2 || ({ if (i == 1) return; i & 2; });",
    "choices": "o[i] = i > 1 ? ({ if (i == 2) return; 100; }) : ({ if (!i) return; 7; });",
    "choices without a value": "i > 1 ? ({ if (i == 2) return; o[i] = 5; }) : (void)x; o[i]++;",
    "comma": "o[i] = (x++, ({ if (x == 4) return; x; }), ({ if (x == 7) return; x + 1; }));",
    "nested": """o[i] = ({ int y = ({ if (i == 1) return; i; });
        y + ({ if (y == 2) return; 3; }); });""",
    "condition of a do loop": """int n = 0;
        do { n++; if (n == 2) continue; x += n; } while (({ if (n > 4) return; n < i + 3; }));
        o[i] = x;""",
    "condition of a while loop": """int n = 0;
        while (({ if (n > 5) return; int r = n + 1; r; }) < i) { n++; if (n == 3) continue; x++; }
        o[i] = x + n;""",
    "step of a for loop": """for (int j = 0; j < 5; ({ if (j == i) return; j++; })) {
        if (j == 1) continue; x += j; o[i] = x; }""",
    "start of a for loop": "for (int j = ({ if (i == 3) return; i; }); j < 6; j++) o[i] += j;",
    "conditions of an if": """if (x > 12) x = 1;
        else if (({ if (x == 3) return; x > 6; })) x += 1000;
        else if (({ if (x == 0) return; x > 3; })) x += 50; else x += 5;
        o[i] = x;""",
    "value of a switch": """switch (({ if (i == 2) return; i; })) {
        case 0: x += ({ if (x == 1) break; 3; }); break;
        case 5: x += ({ if (x > 1) break; 3; }); x = 8; break;
        default: x++; }
        o[i] = x;""",
    "break binds to the switch or to the loop": """for (int n = 0; n < 3; n++) {
        switch (n) { case 1: x += ({ if (i & 1) break; if (i == 4) continue; 10; }); default: x++; }
        o[i] += x; }""",
    "arguments": "o[i] = add(({ if (i == 2) return; i; }), x + ({ if (i == 4) return; 1; }));",
    "a place": "o[({ if (i == 1) return; i; })] += ({ if (i == 3) return; 9; });",
    "a structure": """struct S { int a, b; } s = ({ if (i == 2) return; struct S t = {i, x}; t; });
        o[i] = s.a * 10 + s.b;""",
    "several declarations": "int a = ({ if (i == 2) return; i; }), b = a + 1; o[i] = a * b;",
    "values of initializers": """int a[3] = {x, ({ if (i == 6) return; 4; }), 5};
        o[i] = a[0] + a[1] * a[2];""",
    "omitted middle": "o[i] = ((i - 1) ?: 50) + (x++ ?: 7) + x;",
    "omitted middle of another type": "long y = (i - 2) ?: 1l << 40; o[i] = y >> 33 ?: 5;",
    "omitted middles nested": "o[i] = (i & 1) ?: (i & 2) ?: (x -= 3) ?: 77;",
    "omitted middle with a jump": "o[i] = (i & 3) ?: ({ if (i) return; 5; });",
}
FUNCTIONS = """int add(int a, int b) { return a + b * 100; }
int early(int i) { return ({ if (i == 1) return 5; 3; }) + ({ if (i == 2) return 9; 30; }); }
"""
BODIES["functions"] = "o[i] = early(i) + ({ int q = early(i + 1); if (q > 10) return; q; });"


def kernels(head):
    """All bodies as functions k0, k1 and so on, which begin as `head` says."""
    return FUNCTIONS + "\n".join(
        f"{head.format(n=n)} int x = 3 * i; {body} }}" for n, body in enumerate(BODIES.values())
    )


#: The beginning of a kernel.
HEAD = "kernel void k{n}(global int *o) {{ int i = get_global_id(0);"


def results(program, **settings):
    outs = []
    for n in range(len(BODIES)):
        outs.append(np.zeros(ITEMS, np.int32))
        program[f"k{n}"](ITEMS, None, outs[-1], **settings)
    return [out.tolist() for out in outs]


# ---------------------------------------------------------------- places

ENABLED = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
PLACES = """int bump(global int *n) { return n[0]++; }
kernel void k(global half *h, global float *f, global int *n, local half *l) {
    global half *p = h;
    l[0] = 1;
    *p++ += 1.5h;
    *p++ *= n[1] ?: 3;
    p[n[0]++ - 3] -= f[n[1]]++;
    h[5] = h[4]++ + 1;
    h[6] = n[2] ?: 2.5h;
    h[7] = (n[0]--) ?: 7.5h;
    n[0]++;
    half4 v = (half4)(1, 2, 3, 4), *q = &v;
    (*q++).xz += h[3];
    --q;
    q[bump(n) - 4].w *= 2;
    h[10] = v.x + v.z;
    h[11] = v.w;
    float g = f[2]++;
    f[3] += g;
    f[bump(n + 3)] += 0.5h;
    f[5] = --f[bump(n + 3) + 2];
    int c = 5;
    c += h[bump(n + 3)];
    n[4] = c;
    l[bump(n + 3) - 4] += 0.25h;
    h[13] = l[0];
    bool b = h[1];
    b++;
    n[5] = b;
    b--;
    n[5] += 10 * b;
    h[14] += h[1] * h[n[2]++];
}
"""


def after_places(program, mode):
    h = np.arange(16).astype(np.float16) / 7
    f, n = (np.arange(8) / 3).astype(np.float32), np.array([3, 1, 0, 1, 0, 0], np.int32)
    program.k(1, 1, h, f, n, cl.LocalMemory(64), rounding=mode)
    return h, f, n


#: Second results of functions of halves, in all memory.
SECOND_RESULTS = (
    ENABLED
    + """
kernel void k(global const half *x, global half *o, global int *e, local half4 *l) {
    int i = get_global_id(0);
    global half *p = o + 16 * i;
    p[0] = fract(x[i], p + 1);
    p[2] = modf(x[i] * 3, p + 3);
    p[4] = frexp(x[i], e + 4 * i);
    p[5] = remquo(x[i], 0.7h, e + 4 * i + 1);
    p[6] = sincos(x[i], p + 7);
    p[8] = lgamma_r(x[i], e + 4 * i + 2);
    half4 v = (half4)(x[i], 1, 2.5h, -3.7h), f = fract(v, l + get_local_id(0));
    vstore4(f + l[get_local_id(0)] * 2, 3, p);
    half y;
    p[9] = modf(x[i], &y);
    p[10] = y;
}
"""
)


def second_results(program):
    """Return what the kernel leaves."""
    x = np.random.default_rng(1).normal(0, 3, 32).astype(np.float16)
    o, e = np.zeros(16 * 32, np.float16), np.zeros(4 * 32, np.int32)
    program.k(32, 8, x, o, e, cl.LocalMemory(64))
    return o.tobytes(), e.tobytes()
