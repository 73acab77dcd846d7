"""C's statements and expressions in kernels, over work-items that part ways.

Each case gives what out[0], out[1], ... hold for work-item i: a number, or a function of i.
"""

import itertools

import numpy as np
import pytest
from cl_programs import run
from exhaustive import either, shared_out

from halfcl import cl

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")

ITEMS = 16
POWER = (1 << 32, 1 << 31)


def int32(value):
    return (value + POWER[1]) % POWER[0] - POWER[1]


def switch_with_default_inside(i):
    result, reached = 0, False
    for label, step, stops in (
        (0, 1, False),
        (1, 10, True),
        (3, 100, False),
        (4, 5, False),
        (6, 10000, True),
    ):
        reached = (
            reached or {2: 3}.get(i & 7, i & 7) == label or (label == 4 and i & 7 in (4, 5, 7))
        )
        if not reached:
            continue
        result += step
        if stops and label != 6:
            break
        if label == 3:
            if i > 8:
                break
            result += 1000
    return result


def switch_in_loop(i):
    result = 0
    for k in range(10):
        value = (i + k) % 5
        if value == 0:
            continue
        if value in (1, 2):
            if value == 1 and k <= 5:
                result += 7
            if not (value == 1 and k > 5):
                result += 1
        elif k == 8:
            result += 1000
            continue
        else:
            result += 100
        result += 10000
        if result > 80000:
            break
    return result


def nested_loops(i):
    r = 0
    for a in range(i):
        b = 0
        while b <= a:
            if not (a + b) & 1:
                r += b
                if r > 60:
                    return r
            b += 1
        c = a
        while c:
            c >>= 1
            r += c != 2
        while True:
            c += 1
            if c == i:
                break
            if c != 3:
                r += 2
            if c >= 4:
                break
    return r


def first_square_above(i):
    return -1 if i < 4 else next(k for k in range(i + 1) if k * k > i or k == i)


def twice_of(i):
    if i & 3 == 0:
        return 10
    if i & 3 == 2:
        return next(x for x in range(i, 99, 3) if x > 20)
    return 2 * (i + first_square_above(i) * (i & 1 and not i & 2))


EXPRESSIONS = {
    "literals of integers": (
        "out[0] = 0x1F + 0x1fL + 0777 + 0b101; out[1] = 0xFFFFFFFF; out[2] = 2147483648;"
        "out[3] = 18446744073709551615ul; out[4] = (uint)-1; out[5] = sizeof(1u) + 10 * sizeof(1ul)"
        "+ 100 * sizeof(1L) + 1000 * sizeof(2147483648) + 10000 * sizeof(0xFFFFFFFF);",
        [31 + 31 + 511 + 5, 2**32 - 1, 2**31, -1, 2**32 - 1, 4 + 80 + 800 + 8000 + 40000],
    ),
    "literals of characters": (
        r"out[0]='a'; out[1]='\n'; out[2]='\x41'; out[3]='\101'; out[4]='\''; out[5]='\\';"
        r"out[6]='\xff';"
        r"out[7]='\0';",
        [97, 10, 65, 65, 39, 92, -1, 0],
    ),
    "sizes of floating literals": (
        "out[0] = sizeof(1.0) + 10 * sizeof(1.0f) + 100 * sizeof(1.0h);", [8 + 40 + 200]
    ),
    "enumerations": (
        "enum { A, B = 5, C, D = -3, E }; enum e { X = 1 << 4, Y = X | 1 }; enum e v = Y;"
        "out[0] = A; out[1] = B + C * 10; out[2] = D; out[3] = E; out[4] = v; v = X;"
        "out[5] = v + 1;"
        "out[6] = sizeof(enum e);",
        [0, 65, -3, -2, 17, 17, 4],
    ),
    "typedefs, sizeof and vec_step": (
        "typedef short myshort; typedef struct { int a; myshort b[3]; } S; S s = {1, {2, 3}};"
        "float8 f = 0; out[0] = s.b[1]; out[1] = sizeof(S) * 100 + sizeof s.b * 10 + sizeof s.b[0];"
        "out[2] = sizeof(int3) * 100 + sizeof(half3); out[3] = vec_step(int3) * 100 + "
        "vec_step(f) * 10"
        "+ vec_step(1); out[4] = vec_step(f.lo) * 10 + vec_step(half2);"
        "{ typedef long myshort; out[5] = sizeof(myshort); } out[6] = sizeof(myshort);",
        [3, 1200 + 60 + 2, 1608, 481, 42, 8, 2],
    ),
    "comma": (
        "int a, b; for (a = 0, b = 10; a < b; a++, b--); out[0] = a * 10 + b;"
        "out[1] = (a = 3, b = i, a + b); int c = (b++, b); out[2] = c;",
        [55, lambda i: 3 + i, lambda i: i + 1],
    ),
    "wrap-around": (
        "uint b = UINT_MAX - 3 + i; char c = (char)(120 + i); uchar d = (uchar)(250 + i);"
        "short e = (short)(32760 + i); out[0] = b * 3u; out[1] = c; out[2] = d; out[3] = e;"
        "out[4] = (ushort)(-i); out[5] = (uint)(i - 5) / 2; out[6] = (ulong)i - 5;"
        "out[7] = (ulong)i * 0x9E3779B97F4A7C15ul;",
        [lambda i: (2**32 - 4 + i) * 3 % 2**32, lambda i: (120 + i + 128) % 256 - 128,
         lambda i: (250 + i) % 256, lambda i: (32760 + i + 32768) % 65536 - 32768,
         lambda i: -i % 65536, lambda i: (i - 5) % 2**32 // 2, lambda i: i - 5,
         lambda i: (i * 0x9E3779B97F4A7C15 + 2**63) % 2**64 - 2**63],
    ),
    "shifts by the count modulo the width": (
        "out[0] = 1 << i; out[1] = -100 >> i; out[2] = (uint)-100 >> i; out[3] = 1 << (i + 30);"
        "out[4] = (uchar)200 << (uchar)i; int4 v = (int4)(1, -5, 7, i) << (int4)(i, 2, 33, 1);"
        "out[5] = v.y + v.z; uchar4 w = (uchar4)(200, 100, 255, 1) >> (uchar4)(1, 9, 2, i);"
        "out[6] = w.x * 1000 + w.y; out[7] = ((uchar4)(200) << (uchar)3).x;",
        [lambda i: 1 << i, lambda i: -100 >> i, lambda i: (2**32 - 100) >> i,
         lambda i: int32(1 << (i + 30) % 32), lambda i: 200 << i, -20 + 14, 100050, 64],
    ),
    "division toward zero": (
        "int a = i - 8; out[0] = a / 3; out[1] = a % 3; out[2] = a / -3; out[3] = a % -3;"
        "out[4] = (char)(a * 16) / (char)7; out[5] = (uint)a / 3;"
        "char4 v = (char4)(-128, 127, i, -i) / (char4)(2, -2, 3, 3);"
        "out[6] = v.x * 1000 + v.y; out[7] = v.w;",
        [lambda i: int((i - 8) / 3), lambda i: int(np.fmod(i - 8, 3)), lambda i: int((i - 8) / -3),
         lambda i: int(np.fmod(i - 8, -3)), lambda i: int((i - 8) * 16 / 7),
         lambda i: (i - 8) % 2**32 // 3, -64063, lambda i: -(i // 3)],
    ),
    "++ and --": (
        "int a = i; out[0] = a++; out[1] = --a; uchar c = 255; c++; out[2] = c; c--; out[3] = c;"
        "half h = 2; h++; out[4] = h--; int4 v = (int4)(i); out[5] = (v++).x + 100 * v.y;"
        "char m = -128;"
        "m--; out[6] = m; v.y--; ++v.zw; out[7] = v.x + 100 * v.y + 10000 * v.w;",
        [lambda i: i, lambda i: i, 0, 255, 3, lambda i: i + 100 * (i + 1), 127,
         lambda i: (i + 1) + 100 * i + 10000 * (i + 2)],
    ),
    "compound assignment in the common type": (
        "short a = i * 1000; a += 1.7f; out[0] = a; half h = 1.25h; h *= 1.7f; real[0] = h;"
        "uchar u = 200; u <<= i; out[1] = u; int b = 7; b *= 2.6f; out[2] = b; char c = 100;"
        "c += 100;"
        "out[3] = c; uchar e = -3; e /= 2; out[4] = e; char d = -3; d /= 2u; out[5] = d;"
        "short g = -1; g |= 0x18000; out[6] = g; long l = -7; l %= 4; out[7] = l;",
        [lambda i: int(i * 1000 + 1.7), lambda i: (200 << i) % 256, 18, -56, 126,
         (2**32 - 3) // 2 % 256 - 256, -1, -3],
    ),
    "compound assignment of vectors": (
        "float4 f = (float4)(1, 2, 3, i); f *= 2; f += (float4)(1, 0, 1, 0); real[0] = f.x;"
        "real[1] = f.z;"
        "real[2] = f.w; int4 a = (int4)(i); a <<= 1; a |= (int4)(1, 2, 4, 8); a %= 5; out[0] = a.x;"
        "uchar4 u = (uchar4)(250); u += (uchar)10; out[1] = u.x; u >>= (uchar4)(1, 2, 0, 1);"
        "out[2] = u.y;"
        "a.yz += 100; out[3] = a.z; a.x ^= a.y; out[4] = a.x;",
        [lambda i: (2 * i | 1) % 5, 4, 1, lambda i: (2 * i | 4) % 5 + 100,
         lambda i: (2 * i | 1) % 5 ^ ((2 * i | 2) % 5 + 100)],
    ),
    "chains of assignments": (
        "int a, b, c; a = b = c = i; a += b -= c *= 2; out[0] = a; out[1] = b; uchar u;"
        "int d = u = 300 + i;"
        "out[2] = d; short s; float f = s = 1.75f + i; real[0] = f; int4 v; v.xy = (int2)(i, 2);"
        "v.zw = v.xy;"
        "out[3] = v.z * 10 + v.w; if ((a = i & 3)) out[4] = a;",
        [0, lambda i: -i, lambda i: (300 + i) % 256, lambda i: i * 10 + 2, lambda i: i & 3],
    ),
    "conditions": (
        "out[0] = i < 4 ? 1 : i < 8 ? 2 : i < 12 ? 3 : 4; out[1] = i & 1 ? (uchar)255 : (char)-1;"
        "out[2] = i & 1 ? 1u : -1; real[0] = i & 1 ? 1 : 2.5f; int4 a = (int4)(1, 2, 3, 4), b = -a;"
        "int4 c = a > 2 ? a : b; out[3] = c.x * 10 + c.w; int x = 0; i & 2 ? (x = 1) : (x += 5);"
        "out[4] = x;",
        [lambda i: i // 4 + 1, lambda i: 255 if i & 1 else -1,
         lambda i: 1 if i & 1 else 2**32 - 1, -6,
         lambda i: 1 if i & 2 else 5],
    ),
    "short circuits": (
        "int n = 0; int a = (i > 3) && (n++, i < 7) || (n += 10, i == 15); out[0] = a; out[1] = n;"
        "int b = 0; if (i < 5 || b++ > 0) n = 100; out[2] = b; out[3] = n; int p[2] = {0, 0};"
        "out[4] = i < 2 && p[i] == 0; out[5] = (i && 1.5f) || 0; out[6] = !i + 2 * !!i + "
        "4 * !0.0f;",
        [lambda i: 3 < i < 7 or i == 15, lambda i: (i > 3) + 10 * (not 3 < i < 7), lambda i: i >= 5,
         lambda i: 100 if i < 5 else (i > 3) + 10 * (not 3 < i < 7), lambda i: i < 2,
         lambda i: i > 0,
         lambda i: 5 if i == 0 else 6],
    ),
    "comparisons and logic of vectors": (
        "int4 a = (int4)(0, 1, 2, i); int4 b = !a; out[0] = b.x * 10 + b.y; out[1] = b.w;"
        "b = a && (int4)(1); out[2] = b.x * 10 + b.y; float4 f = (float4)(0, 1, NAN, i);"
        "int4 d = !f;"
        "out[3] = d.x * 10 + d.z; d = f == f; out[4] = d.y * 10 + d.z; d = f != f; out[5] = d.z;"
        "short2 s = (half2)(1, 2) == (half2)(1); out[6] = s.x * 10 + s.y;"
        "char4 e = (uchar4)(200, 1, 2, 3) > (uchar)100;"
        "long2 l = (double2)(1, 2) < (double2)(2, i); out[7] = e.x * 100 + e.y * 10 + l.y;",
        [-10, lambda i: -(i == 0), -1, -10, -10, -1, -10, lambda i: -100 - (i > 2)],
    ),
    "comparisons and logic of vectors whose components are all the same": (
        "int4 a = (int4)(1) < (int4)(2), b = (int4)(1) && (int4)(0), c = !(int4)(0); c.x = i;"
        "out[0] = a.x * 10 + a.w; out[1] = b.y; out[2] = c.x * 10 + c.y; out[3] = (!a).z;"
        "out[4] = ((char4)(3) >= (char4)(3)).w; out[5] = (a || b).xxyy.z;"
        "a += 1; if (i > 3) a = (int4)(5) == 5; out[6] = a.y; out[7] = (a != b).z;",
        [-11, 0, lambda i: 10 * i - 1, 0, -1, -1, lambda i: -(i > 3), lambda i: -(i > 3)],
    ),
    "signed and unsigned compared": (
        "uint u = i; out[0] = -1 < u; out[1] = -1 < (uchar)i; out[2] = (char)-1 == (uchar)255;"
        "out[3] = (uint)-1 == -1; out[4] = -1L < u; out[5] = u - 5 > 0; out[6] = i - 5 > 0;",
        [0, 1, 0, 1, 1, lambda i: i != 5, lambda i: i > 5],
    ),
    "bool": (
        "bool a = i, b = i > 3, c = 0.5f; out[0] = a + b + c; out[1] = (bool)i * 5; a = !a;"
        "out[2] = a;"
        "bool d = (int *)0; out[3] = d; out[4] = sizeof(bool); b = i & 4; out[5] = b; b |= a;"
        "out[6] = b;",
        [lambda i: (i > 0) + (i > 3) + 1, lambda i: 5 * (i > 0), lambda i: i == 0, 0, 1,
         lambda i: i & 4 > 0, lambda i: i == 0 or i & 4 > 0],
    ),
}  # fmt: skip

VECTORS = {
    "literals": (
        "int4 a = (int4)(1, 2, 3, 4); int8 b = (int8)(a, (int2)(5, 6), 7, 8);"
        "int16 c = (int16)(b, b.hi, a.wzyx);"
        "int2 d = (int2)i; int3 e = (int3)(a.xy, 9); int4 f = (int4)(i, a.xyz);"
        "int4 g = {1, 2, 3, 4};"
        "out[0] = b.s5 + 10 * b.s7; out[1] = c.sF; out[2] = c.s8 + c.sa * 10; out[3] = d.x + d.y;"
        "out[4] = e.z; out[5] = ((int4)(1, 2, 3, 4)).z; out[6] = f.x * 100 + f.w; out[7] = g.w;",
        [86, 1, 75, lambda i: 2 * i, 9, 3, lambda i: 100 * i + 3, 4],
    ),
    "swizzles": (
        "int8 a = (int8)(0, 1, 2, 3, 4, 5, 6, 7); int4 b = a.lo, c = a.hi.wzyx, f = b.xxyy;"
        "int3 t = (int3)(7, 8, 9);"
        "out[0] = b.x + 10 * b.w; out[1] = c.x * 1000 + c.y * 100 + c.z * 10 + c.w;"
        "out[2] = a.even.hi.x * 10 + a.odd.lo.y; out[3] = f.x + f.z * 10; out[4] = a.s76543210.s2;"
        "out[5] = a.S31.y; out[6] = t.hi.x * 100 + t.lo.y * 10 + t.odd.x;"
        "out[7] = b.rgba.b * 10 + b.ggrr.w;",
        [30, 7654, 43, 10, 5, 1, 988, 20],
    ),
    "as targets": (
        "int8 a = (int8)(0, 1, 2, 3, 4, 5, 6, 7); a.lo = a.hi; a.s7 = i; a.hi.xy = (int2)(50, 60);"
        "a.even.hi.y += 1000; a.s01 = a.s10; a.odd.x++; a.lo.zw *= 3; (a).s4 -= 1; ((a.s5))++;"
        "out[0] = a.s0; out[1] = a.s1; out[2] = a.s2; out[3] = a.s3; out[4] = a.s4; out[5] = a.s5;"
        "out[6] = a.s6; out[7] = a.s7;",
        [5, 5, 18, 21, 49, 61, 1006, lambda i: i],
    ),
    "as targets in memory": (
        "int8 m[2]; m[0] = (int8)(0, 1, 2, 3, 4, 5, 6, 7); m[1] = m[0]; int8 *p = &m[1];"
        "p->lo = p->hi;"
        "p->s7 = i; (*p).hi.xy = (int2)(50, 60); m[1].even.hi.y += 1000; m[1].s01 = m[1].s10;"
        "p->odd.x++;"
        "m[1].lo.zw *= 3; int8 a = m[1]; out[0] = a.s0; out[1] = a.s1; out[2] = a.s2;"
        "out[3] = a.s3;"
        "out[4] = a.s4; out[5] = a.s5; out[6] = a.s6; out[7] = a.s7;",
        [5, 5, 18, 21, 50, 60, 1006, lambda i: i],
    ),
    "of three components": (
        "int3 a = (int3)(1, 2, 3); a.hi = (int2)(8, 9); out[0] = a.z; a.odd = (int2)(5, 6);"
        "out[1] = a.x * 100 + a.y * 10 + a.z; a.hi.x++; out[2] = a.z; a.lo.y = i; out[3] = a.y;"
        "int3 m[2]; m[1] = a; m[i & 1].hi = (int2)(70, 8); out[4] = m[1].z; a.s210 = a.s012;"
        "out[5] = a.x;",
        [8, 158, 9, lambda i: i, lambda i: 70 if i & 1 else 9, 9],
    ),
    "by index": (
        "int4 a = (int4)(1, 2, 3, 4); a[1] = 9; out[0] = a[1] + a[i & 3]; a[i & 3] = 50;"
        "out[1] = a.x + a.y * 3 + a.z * 5 + a.w * 7; int8 v = (int8)(0, 1, 2, 3, 4, 5, 6, 7);"
        "out[2] = v.hi[1]; out[3] = v.hi[i & 3]; v.lo[i & 3] = 50; out[4] = v.s0 + v.s1 + v.s2 + "
        "v.s3;"
        "out[5] = (v + v)[6]; v.even[1] = 77; out[6] = v.s2; out[7] = (v + 1)[7 - (i & 3)];",
        [lambda i: 9 + (1, 9, 3, 4)[i & 3],
         lambda i: 71 + (50 - (1, 9, 3, 4)[i & 3]) * (1, 3, 5, 7)[i & 3],
         5, lambda i: 4 + (i & 3), lambda i: 56 - (i & 3), 12, 77, lambda i: 8 - (i & 3)],
    ),
    "with scalars": (
        "half4 h = (half4)(1, 2, 3, i) * 2; h = 2.0h - h; h = h + 1; real[0] = h.x; real[1] = h.w;"
        "uint4 u = (uint4)(i) - 5; out[0] = u.x; u = 50u / (u | 1); out[1] = u.y;"
        "char4 c = (char4)(i) * (char)50;"
        "out[2] = c.x; long2 l = (long2)(1, 2) + i; out[3] = l.y; uchar4 w = -(uchar4)(i);"
        "out[4] = w.x; w = ~w;"
        "out[5] = w.x; out[6] = (+c).y;",
        [lambda i: (i - 5) % 2**32, lambda i: 50 // ((i - 5) % 2**32 | 1),
         lambda i: (50 * i + 128) % 256 - 128, lambda i: 2 + i, lambda i: -i % 256,
         lambda i: 255 - -i % 256, lambda i: (50 * i + 128) % 256 - 128],
    ),
}  # fmt: skip

FLOW = {
    "switch that falls through": (
        "int r = 0; switch (i & 7) { case 0: r += 1; case 1: r += 10; break;"
        "case 2: case 3: r += 100;"
        "if (i > 8) break; r += 1000; default: r += 5; case 6: r += 10000; } out[0] = r;",
        [switch_with_default_inside],
    ),
    "switch in a loop": (
        "int r = 0; for (int k = 0; k < 10; k++) { switch ((i + k) % 5) { case 0: continue;"
        "case 1: if (k > 5)"
        "break; r += 7; case 2: r += 1; break; default: if (k == 8) { r += 1000; continue; }"
        "r += 100; }"
        "r += 10000; if (r > 80000) break; } out[0] = r;",
        [switch_in_loop],
    ),
    "switch on other types": (
        "long r = 0; switch ((long)i << 33) { case 0L: r = 1; break; case 1L << 33: r = 2; break; }"
        "switch ('a' + i) { case 'a': r += 10; break; case 'c': { int z = 5; r += z; } }"
        "switch (i) { default: r += 1000; break; case 5: r += 7; } switch (i) {} out[0] = r;"
        "enum { RED, GREEN = 7 } c = i & 7; switch (c) { case RED: out[1] = 1; break;"
        "case GREEN: out[1] = 2; }",
        [lambda i: {0: 1, 1: 2}.get(i, 0) + {0: 10, 2: 5}.get(i, 0) + (7 if i == 5 else 1000),
         lambda i: {0: 1, 7: 2}.get(i & 7, 0)],
    ),
    "declarations between labels": (
        "switch (i & 3) { int z; int t[2]; case 0: z = 5; t[0] = 7; out[0] = z + t[0];"
        "case 1: z = 6;"
        "int q = z + 1; out[1] = z + q; break; case 2: q = 3; q += i; out[2] = q; case 3: z = i;"
        "if (i > 4) z++; out[3] = z; t[1] = z; out[4] = t[1]; }",
        [lambda i: 12 * (i & 3 == 0), lambda i: 13 * (i & 3 < 2), lambda i: (3 + i) * (i & 3 == 2),
         lambda i: (i + (i > 4)) * (i & 3 > 1), lambda i: (i + (i > 4)) * (i & 3 > 1)],
    ),
    "loops in loops, and return out of them": (
        "int r = 0; for (int a = 0; a < i; a++) { for (int b = 0;; b++) { if (b > a) break;"
        "if ((a + b) & 1) continue;"
        "r += b; if (r > 60) { out[0] = r; return; } } int c = a; while (c) { c >>= 1;"
        "if (c == 2) continue; r++; }"
        "do { c++; if (c == i) break; if (c == 3) continue; r += 2; } while (c < 4); } out[0] = r;",
        [nested_loops],
    ),
    "for without parts": (
        "int k = 0; for (;;) { if (k >= i) break; k++; } out[0] = k; for (; k > 3;) k--;"
        "out[1] = k;"
        "for (int j = 0, m = 5; j < m; j++, --m) k += j; out[2] = k; for (k = 0; k < 3; ++k);"
        "out[3] = k;"
        "int z; for (z = i; z--;) k += z; out[4] = k; for (;; k++) if (k > i * 20) break;"
        "out[5] = k;"
        "for (int q;;) { q = i; k = q; break; } out[6] = k;",
        [lambda i: i, lambda i: min(i, 3), lambda i: min(i, 3) + 3, 3,
         lambda i: 3 + i * (i - 1) // 2,
         lambda i: max(3 + i * (i - 1) // 2, 20 * i + 1), lambda i: i],
    ),
    "do and while": (
        "int n = 0, k = i; do n += k; while (--k > 0); out[0] = n; k = 0; do { k++;"
        "if (k & 1) continue; n++; }"
        "while (k < i); out[1] = n; int a = 0; while (a++ < i) ; out[2] = a;",
        [lambda i: i * (i + 1) // 2, lambda i: i * (i + 1) // 2 + i // 2, lambda i: i + 1],
    ),
    "returns of functions in divergent items": (
        "out[0] = root(i); out[1] = twice(i); put(out + 2, i); out[3] = root(twice(i));",
        [first_square_above, twice_of, lambda i: 0 if i & 1 else i + 1 if i > 8 else i + 100],
    ),
    "calls with effects in divergent items": (
        "int c = 0; out[0] = i & 1 ? count(i, &c) : count(-i, &c); out[1] = c;"
        "int r = i > 5 ? count(i, &c) : c;"
        "out[2] = r; out[3] = c;",
        [lambda i: 2 * i + 1 if i & 1 else -2 * i if i else 1, lambda i: 1 + i if i & 1 else 1,
         lambda i: (1 + i if i & 1 else 1) + (2 * i + 1 if i > 5 else 0),
         lambda i: (1 + i if i & 1 else 1) + (i + 1 if i > 5 else 0)],
    ),
    "effects of what is void": (
        "bump(out, i); (void)bump(out, 1); i ? bump(out, 2) : bump(out, 3); i && (out[1] = 5);"
        "(i > 3) || (out[2] = 9);",
        [lambda i: (i * 5 + 1) * 5 + (2 if i else 3), lambda i: 5 * (i > 0),
         lambda i: 9 * (i <= 3)],
    ),
    "names in inner blocks": (
        "const int K = 5; int a[K]; a[0] = i; out[0] = a[0]; { int i = 3; out[1] = i;"
        "{ long i = 7; out[2] = i; }"
        "out[3] = i; } out[4] = i; for (int i = 0; i < 2; i++) out[5] += i; int c = c = 4;"
        "out[6] = c;"
        "int t1 = 1, m = 2, gone = 3, run = 4, c_5 = 5, lambda = 6; out[7] = t1 + m + gone + "
        "run + c_5 + lambda;",
        [lambda i: i, 3, 7, 3, lambda i: i, 1, 4, 21],
    ),
    "parameters are copies": (
        "out[0] = changes(i, 5); int a = i; out[1] = changes(a, a + 1); out[2] = a;",
        [lambda i: 50 + i, lambda i: 10 * (i + 1) + i, lambda i: i],
    ),
    "parameters that are written as arrays": (
        "int a[4] = {i, 1, 2, 3}, b[2][3] = {{0, 1, 2}, {3, i, 5}}; out[0] = of_array(a, 1);"
        "out[1] = of_rows(b); int c[4] = {4, 5, 6, i}; out[2] = of_array(c, 2) + a[1];"
        "out[3] = size(c);",
        [lambda i: 2 + i, lambda i: 3 + i, 11, 10],
    ),
    "variables that only some set": (
        "int r; if (i & 1) r = 5; else r = 6; int s = 0; for (int k = 0; k < i; k++) s = k;"
        "out[0] = r; out[1] = s;"
        "float f = 0; switch (i & 1) { case 0: f = 1; break; case 1: f = 2; } out[2] = f;",
        [lambda i: 5 if i & 1 else 6, lambda i: max(0, i - 1), lambda i: 1 + (i & 1)],
    ),
}  # fmt: skip

FUNCTIONS = """
int root(int x) {
    if (x < 4) return -1;
    for (int k = 0; k < x; k++) { if (k * k > x) return k; }
    return x;
}
int twice(int x) {
    switch (x & 3) {
    case 0: return 10;
    case 1: x += root(x); break;
    case 2: while (1) { if (x > 20) return x; x += 3; }
    default: ;
    }
    return x * 2;
}
void put(global long *p, int x) {
    if (x & 1) return;
    *p = x;
    if (x > 8) { *p += 1; return; }
    *p += 100;
}
int count(int x, int *c) { (*c)++; if (x < 0) return x * 2; *c += x; return x + *c; }
void bump(global long *p, int x) { p[0] = p[0] * 5 + x; }
int first(const int *p) { return *p; }
int of_array(int a[4], int n) {
    int k = first(a);
    ++a; a += 1; a = 1 + a; a = a - 2; a = n > 1 ? a : a;
    return a == 0 || !a ? -1 : n > 1 ? *a + 5 : k + *(a + 1);
}
int of_rows(int a[2][3]) { ++a; return (*a)[1] + a[0][0]; }
int size(int const a[const]) { return sizeof(a) + a[2] - 4; }
int changes(int a, int b) { { int b = 99; b++; } int t = a; a = b; b = t; return a * 10 + b; }
"""

CASES = {**EXPRESSIONS, **{f"vectors: {k}": v for k, v in VECTORS.items()}, **FLOW}


@pytest.mark.parametrize("name", CASES)
def test_statements(name):
    statements, wanted = CASES[name]
    out, _ = run(statements, FUNCTIONS, ITEMS)
    for k, value in enumerate(wanted):
        expected = [int(value(i)) if callable(value) else value for i in range(ITEMS)]
        assert out[:, k].tolist() == expected, f"out[{k}]"


def test_uniform_condition_in_divergent_block():
    """Conditions on components, which are arrays of one element rather than Python's numbers."""
    three = "((uint2)(2u, 3u) + (uint2)(1u, 1u)).x"
    statements = f"""if (i & 1) {{
        if ({three} > 2u) out[0] = 3; else out[0] = 4;
        switch ({three}) {{ case 3: out[1] = 5; break; default: out[1] = 6; }}
        out[2] = {three} > 3u ? 7 : 8;
    }}"""
    out, _ = run(statements, items=4)
    assert out[:, :3].tolist() == [[0, 0, 0], [3, 5, 8]] * 2


def test_floating_results_of_the_same_statements():
    f = run(EXPRESSIONS["compound assignment of vectors"][0], items=4)[1]
    assert f[3, :3].tolist() == [3, 7, 6]
    h = run(EXPRESSIONS["compound assignment in the common type"][0], items=1)[1]
    assert h[0, 0] == np.float16(np.float32(1.25) * np.float32(1.7))
    v = run(VECTORS["with scalars"][0], items=4)[1]
    assert v[3, :2].tolist() == [1, -3]


def test_literals_of_halves_and_hexadecimal_ones():
    _, real = run(
        "real[0] = 0x1p3f; real[1] = 0x1.8p-2f; real[2] = .5f; real[3] = 5.f; real[4] = 0x1.8p1;"
        "real[5] = 0x1.8p1h; real[6] = 1.1h; real[7] = 1e10;",
        items=1,
    )
    assert real[0].tolist() == [8, 0.375, 0.5, 5, 3, 3, float(np.float16(1.1)), 1e10]


# ---------------------------------------------------------------- conversions between all types

INTEGERS = {
    f"{prefix}{name}": (bits, not prefix)
    for name, bits in (("char", 8), ("short", 16), ("int", 32), ("long", 64))
    for prefix in ("", "u")
}
FLOATING = ("half", "float", "double")


def wrap(value, name):
    bits, signed = INTEGERS[name]
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def common(a, b):
    """C11 6.3.1.8, for integers."""
    wide = [n if INTEGERS[n][0] >= 32 else "int" for n in (a, b)]
    bits = max(INTEGERS[n][0] for n in wide)
    signed = all(INTEGERS[n][1] for n in wide if INTEGERS[n][0] == bits)
    return {(32, True): "int", (32, False): "uint", (64, True): "long", (64, False): "ulong"}[
        bits, signed
    ]


EXACTLY = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
    "%": lambda x, y: abs(x) % abs(y) * (-1 if x < 0 else 1),
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "<": lambda x, y: x < y,
    "==": lambda x, y: x == y,
}
VALUES = (-1, 100, 3, 2**31 - 1, -(2**63))


@shared_out
@pytest.mark.parametrize("left", either(list(INTEGERS), ["uchar", "int", "ulong"]))
def test_the_usual_arithmetic_conversions_of_all_pairs_of_integers(left):
    """All operators."""
    pairs = [(r, op, u, v) for r in INTEGERS for op in EXACTLY for u in VALUES for v in VALUES[:4]]
    wanted = []
    for right, op, u, v in pairs:
        type_ = common(left, right)
        x, y = wrap(wrap(u, left), type_), wrap(wrap(v, right), type_)
        exact = EXACTLY[op](x, y)
        result = exact if op in ("<", "==") else wrap(exact, type_)
        undefined = (op in "/%") and y == -1 and x in (-(2**63), -(2**31))
        wanted.append(None if undefined else wrap(result, "long"))
    cases = "".join(
        f"case {n * len(EXACTLY) + k}: out[i] = ({left})u[i] {op} ({right})v[i]; break;"
        for n, right in enumerate(INTEGERS)
        for k, op in enumerate(EXACTLY)
    )
    program = cl.Program(
        "kernel void k(global const long *u, global const long *v, global const int *which,"
        f"global long *out) {{ int i = get_global_id(0); switch (which[i]) {{ {cases} }} }}"
    )
    places = {pair: n for n, pair in enumerate(itertools.product(INTEGERS, EXACTLY))}
    u = np.array([p[2] for p in pairs], np.int64)
    v = np.array([p[3] for p in pairs], np.int64)
    which = np.array([places[p[:2]] for p in pairs], np.int32)
    out = np.zeros(len(pairs), np.int64)
    program.k(len(pairs), None, u, v, which, out)
    for pair, got, expected in zip(pairs, out.tolist(), wanted, strict=True):
        assert expected is None or got == expected, (left, pair)


@shared_out
@pytest.mark.parametrize("left", either([*INTEGERS, *FLOATING], ["uchar", "long", "float"]))
def test_sizes_of_common_types(left):
    """With a floating type the wider floating one, however wide the integer is."""
    for right in (*INTEGERS, *FLOATING):
        floating = [n for n in FLOATING if n in (left, right)]
        wanted = (
            2 << FLOATING.index(floating[-1]) if floating else INTEGERS[common(left, right)][0] // 8
        )
        out, _ = run(
            f"{left} a = 1; {right} b = 1; out[0] = sizeof(a + b); out[1] = sizeof(i ? a : b);",
            items=1,
        )
        assert out[0, :2].tolist() == [wanted, wanted], right


@shared_out
@pytest.mark.parametrize("target", either(list(INTEGERS), ["char", "ulong"]))
def test_compound_assignments_convert_back(target):
    wanted, text = [], []
    for right in INTEGERS:
        for op in ("+", "-", "*", "/", "%", "&", "|", "^"):
            for u, v in ((100, 3), (-1, 100), (2**31 - 1, 7)):
                type_ = common(target, right)
                x = wrap(wrap(u, target), type_)
                y = wrap(wrap(v, right), type_)
                wanted.append(wrap(wrap(EXACTLY[op](x, y), type_), target))
                text.append(
                    f"{{ {target} x = ({target}){u}; {right} y = ({right}){v}; x {op}= y; "
                    f"h = h * 31 + (ulong)x; }}"
                )
    expected = 0
    for value in wanted:
        expected = (expected * 31 + value) % 2**64
    out, _ = run("ulong h = 0;" + "".join(text) + "out[0] = h;", items=2)
    assert out[:, 0].tolist() == [wrap(expected, "long")] * 2
