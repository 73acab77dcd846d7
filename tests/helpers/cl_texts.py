"""Random texts of OpenCL C, of which most compile and others nearly do.

A text has declarations, statements and expressions of all kinds, by types; then some of its tokens
are changed, and some of its characters.
"""

import random
import re

from places import TESTS

KERNELS = sorted((TESTS / "cl" / "kernels").glob("*.cl"))

HEAD = """\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""
#: Names of each type, which every kernel has.
NAMES = {
    "int": ["i", "a[1]", "s.x", "p[i & 1]", "v.x", "table[i & 3]", "u.i", "*p", "g(i)"],
    "uint": ["n", "as_uint(f)", "(uint)i"],
    "long": ["l", "as_long(d)"],
    "uchar": ["c", "(uchar)n"],
    "float": ["f", "s.y[1]", "m.y", "u.f", "fabs(f)", "(float)h"],
    "half": ["h", "*q", "w.s2", "s.h", "(half)f", "sqrt(h)"],
    "double": ["d", "(double)f"],
    "int4": ["v", "v.wzyx", "(int4)(i, v.xyz)", "s.v", "as_int4(m)", "v.s0123"],
    "float4": [
        "m",
        "convert_float4(v)",
        "(float4)(f)",
        "as_float4(v)",
        "vload4(0, (global float *)p)",
    ],
    "half4": ["w", "w.xxyy", "vload4(0, q)", "convert_half4(v)", "(half4)(h, w.s012)"],
    "global int *": ["p", "p + i", "&p[2]", "(global int *)q", "(i ? p : p + 1)"],
}
TYPES = list(NAMES)
FLOATING = ("float", "half", "double", "float4", "half4")
PARAMETERS = "global int *p, global half *q, int i, uint n, half h, float f, local int *z"
VARIABLES = """\
    long l = i; uchar c = 3; double d = 2.5; int a[4] = {1, 2, 3}; struct S s = {i, {f}, v0, h};
    int4 v = (int4)(i); float4 m = {1, 2, 3, f}; half4 w = (half4)(h); union U u = {.f = 1.5f};
"""
DECLARATIONS = """\
constant int table[4] = {1, 2, 3, 4};
struct S { int x; float y[2]; int4 v; half h; };
union U { int i; float f; uchar4 b; };
enum E { A0, B0 = 5, C0 };
typedef float real;
int g(int x) { if (x > 3) return x; ; return x - 1; }
"""
#: Statements and declarations that a parser may stumble over; some are errors.
ODD_STATEMENTS = """\
;|{}|(void)i;|typedef int T0; T0 t0 = 1;|struct L { int x; } l0; l0.x = i;|enum {Q0, Q1 = 3};
int b0[2][3] = {{1}, 2};|int *r = a + 1; *r = i;|private int *r0 = &a[0], **r1 = &r0; **r1 = 2;
local int shared[8]; shared[i & 7] = i;|_Float16 x0;|_Float16 x0 = 1; i = x0;|__bf16 x0;
__int128 x0;|long double x0 = 1;|_Complex float x0;|__fp16 x0;|_BitInt(5) x0 = 1;|_Atomic int x0;
half v1 = {};|half4 v1 = {};|int x0 = {1, 2};|int x0 = {{1}};|float4 d0[2] = {1.0f, 2};
int x0 = 99999999999999999999;|float x0 = 1e999;|int x0[0];|int x0[i];|char x0[1ul << 40];
char x0[1 << 20] = {[1 << 19] = 1};|int x0[2] = {[3] = 1};|int x0[4] = {[0 ... 2] = 7, 8};
i = ({ int y = 3; y + 1; });|({;});|({ i; });|__builtin_unreachable();|i = __builtin_expect(i, 1);
__builtin_assume(i > 0);|__builtin_trap();|i = __builtin_popcount(i);|i = __builtin_clz(i);
i = __builtin_shufflevector(v, v, 0, 5).x;|i = __builtin_convertvector(m, int4).x;
i = sizeof(v);|i = sizeof(int[3]);|i = _Alignof(v);|i = vec_step(m);|i = _Generic(f, float: 1, default: 2);
i = i ?: 3;|goto end; end: ;|goto nowhere;|asm("nop");|switch (i) { case 1 ... 3: i = 2; }|switch (i);
switch (i) { int y; case 1: y = 2; i = y; break; default: ; }|switch (i) case 1: i = 2;
switch (i) { case 1: { i = 2; } case 2: break; case A0: case B0: i = 7; default: i = 1; }
switch (l) { case 1UL << 40: i = 1; }|switch (i) { default: switch (n) { case 2: break; } break; }
for (;;) break;|for (int k = 0, y = 3; k < y; k++, --y) { if (k == 2) continue; ; }|do ; while (0);
do { if (i) break; {} } while (i-- > 0);|while (i > 0) { i >>= 1; if (n) continue; typedef int T1; }
if (i) ; else ;|if (i > 3) return; ;|if (i > 3) return; {}|return;|return 1;|L1: i = 2;
if (i) { if (n) return; } else { } ;|{ { if (i) return; } ; }|barrier(CLK_LOCAL_MEM_FENCE);
printf("%d %v4d\\n", i, v);|printf("%s", "abc");|printf("%s", p);|printf("%");|printf(p);|printf();
atomic_add(p, 1);|atomic_xchg((global float *)p, f);|event_t ev = async_work_group_copy(z, p, 4, 0);
wait_group_events(1, &(event_t){0});|a[5] = 3;|p[-1] = 2;|v.s9 = 1;|v.xx = (int2)(1);|m.hi.x = 3;
v.even = v.odd;|w.lo = w.hi;|v[2] = 3;|v[i] = 3;|i = v[i & 3];|i = 3[a];|v++;|--w;|w += 1;|h++;
h += f;|h *= i;|f += h;|c += 300;|b: c = -1;|i = f;|i = (int)NAN;|n = -1.5f;|l = 1L << 70;
i = i << 40;|i = i / 0;|i = INT_MIN / -1;|i = i % 0;|f = f / 0;|h = HALF_MAX * 2;|h = NAN;|h = -0.0h;
i = (i, n);|i = i && f || !h;|i = ~c;|v = ~v;|v = !v;|v = v && v;|v = v ? v : v;|m = v ? m : m;
w = w > w ? w : -w;|s = s;|struct S s2 = s; s2.v.x = s.x; s = s2;|struct S *ps = &s; ps->v.yz = v.xy;
u.b = (uchar4)(1); i = u.i;|s = (struct S){1, {2, 3}, v, h};|i = ((struct S){1}).x;|i = (int[]){1, 2}[1];
p = 0;|p = NULL;|i = p == NULL;|i = !p;|if (p) ;|i = p - p;|l = (long)p;|p = (global int *)l;
global int *gp[2] = {p, p + 1}; gp[1][0] = 2;|const int k0 = 3; i = k0;|volatile int k1 = i; i = k1;
static int k2;|extern int k3;|constant int k4 = 3;|constant float k5[2] = {1, 2.5h};|bool k6 = 3; i = k6;
size_t k7 = get_global_id(0) + get_local_size(n);|i = get_global_id(9);|int f0(int);|void f1() {}
i = __LINE__ + __COUNTER__;|i = __func__[0];|i = 'ab' + '\\x41' + '\\777' + L'a';|constant char *k8 = "a" "b";
float4 k9 = vload4(i, (global float *)p);|vstore_half(f, 0, q);|vstore_half4_rtz(m, 1, q);
h = convert_half_rtp(f);|i = convert_int_sat_rtn(f);|v = convert_int4(w);|i = convert_int_foo(f);
i = as_int(d);|m = shuffle(m, (uint4)(7));|w = select(w, w, as_short4(w));|f = fma(f, f, f);|f = exp(f);
f = ldexp(f, i);|h = pown(h, i);|f = fract(f, &f);|h = remquo(h, h, &i);|h = ilogb(h);|i = isnan(h);
f = dot(m, m);|w = cross(w, w);|h = length(w.xyz);|i = popcount(i) + clz(c);|v = mad24(v, v, v);
f = foo(f);|foo;|i = ;|int;|int 3;|{|}|(|)|case 1:|break;|continue;|else;|#pragma unroll 2
_Pragma("OPENCL SELECT_ROUNDING_MODE rtz") h = h + h;|_Pragma("OPENCL FP_CONTRACT OFF")
int x1 __attribute__((aligned(16)));|int x1 __attribute__((unused)) = 2;|int x1 __attribute__((foo));
__attribute__((opencl_unroll_hint(2))) for (int k = 0; k < 4; k++) i += k;|__attribute__((fallthrough));
sub_group_barrier(1);|i = sub_group_reduce_add(i);|i = intel_sub_group_shuffle(i, 1);
signed char sc = -1; i = sc;|long long ll = -9223372036854775808;|ull: n = 18446744073709551615;
l = 9223372036854775808;|l = 3LL + 4ULL;|unsigned long long x1 = 3;|auto x1 = 2;|register int x1 = i;"""
ODD_DECLARATIONS = """\
int g0(float);|int g0() { return 1; }|void g1(int x, ...) {}|static inline int g2(int x) { return x; }
kernel void k0() {}|kernel int k1() { return 1; }|int g3(int x) { return g3(x); }|void g4(int a[3]) {}
constant int c1;|constant int c2[] = {1, 2};|constant int c2[];|constant float4 c3[2] = {1, 2};
constant half c4 = 1.5;|constant int c5 = (int)2.5h;|constant char c6[] = "abc";|global int c7 = 3;
int c8 = 1;|global int c9[4];|static global int c10;|extern constant int c11;|typedef int T2; typedef T2 T2;
struct S1 { struct S1 *next; };|struct S2 { struct S2 s; };|struct S3;|struct S4 { int x[]; };
struct S5 { int a : 3; };|struct __attribute__((packed)) S6 { char c; int x; };|struct { int x; };
struct S7 { struct { int x; } a; struct { int x; } b; union { int c; float d; }; };|union U1 {};
enum E1 { A1 = 1 << 31, B1 };|enum E2;|typedef int V4 __attribute__((ext_vector_type(4)));
typedef int V5 __attribute__((ext_vector_type(5)));|typedef _Float16 V6 __attribute__((ext_vector_type(4)));
typedef int V7 __attribute__((vector_size(16)));|typedef void (*F0)(int);|kernel void k2(F0 f) {}
kernel void k3(struct S s, image2d_t x, sampler_t y, constant int *z) {}|kernel void k4(bool b) {}
kernel void k5(read_only image2d_t x, write_only image3d_t y) { write_imagef(y, (int4)(0), 1.0f); }
kernel void k6(global int **x) {}|kernel void k7(local int x) {}|kernel void k8(half x) {}
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k9() {}
kernel __attribute__((reqd_work_group_size(4, 1))) void k10() {}
kernel __attribute__((intel_reqd_sub_group_size(8))) void k11() {}
kernel __attribute__((vec_type_hint(float4))) void k12() {}|__attribute__((foo)) kernel void k13() {}
const sampler_t sm = CLK_FILTER_LINEAR | CLK_ADDRESS_CLAMP;|constant sampler_t sn = 99;
int __attribute__((overloadable)) o1(int x) { return x; } int __attribute__((overloadable)) o1(float x) { return 2; }
#define M0(x, ...) x##1|#define M1 M1|#define M2(x) #x|#define GUARD(c) if (c) return; ;|#undef M0|#ifdef M1
#endif|#if 1|#if 0|#else|#elif 1|#if 1/0|#include "nothing.h"|#include <x>|#error no|#warning yes|#line 7 "a.cl"
# 3 "b.cl"|#pragma OPENCL SELECT_ROUNDING_MODE rtz|#pragma OPENCL FP_CONTRACT ON|#pragma foo|#|#foo
#pragma OPENCL EXTENSION cl_khr_fp16 : disable|#pragma OPENCL EXTENSION all : enable|#pragma once
_Static_assert(1, "a");|_Static_assert(0, "a");|;|int|}|class X {};|template <class T> T t(T x);|@|`"""
#: Characters and ends of lines where no author has them.
ODD_CHARACTERS = [
    "\0", "\ud800", "\udfff", "\r\n", "\r", "\ufeff", "\f", "\v", "??=", "??/\n", "\\\n", "\\\r\n", "\\ \n",
    "\x7f", "\x1a", "\u00e9", "\u2028", "\u2029", "\x85", "\x1c", "\U0001f600", "\\u00e9", "\\U0001F600", "\\", "$", "@", "`",
    "/*", "*/", "//", '"', "'", "#", "##", "<:", "%:", "9" * 400, "0x" + "f" * 40, "1e99999", "0x1p99999", "08",
    "1.5.2", "1h", "1.0hf", "0b2", "1'000", "((((", "))))", "[[", "]]", "...", "{{", "}}", "%>",
]  # fmt: skip

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


class Writer:
    """The writer of one text."""

    def __init__(self, seed):
        self.rng = random.Random(f"texts {seed}")

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, texts):
        return self.rng.choice(texts)

    def literal(self, type_):
        number = self.rng.choice([0, 1, 2, 7, 100, 255, 65504, 1 << 31, (1 << 63) - 1])
        forms = {
            "half": ["1.5h", "0x1p-3h", "65504.0h"], "float": ["1.5f", ".5f", "1e30f", "3."],
            "double": ["1.5", "1e300"], "uint": [f"{number}u", "0xffU"], "long": [f"{number}L"],
        }  # fmt: skip
        return self.pick(forms.get(type_, [str(number), "'a'", "A0"]))

    def expression(self, type_, depth=0):
        """Return an expression of a type, or nearly."""
        if depth > 3 or self.chance(0.3):
            return self.pick(NAMES[type_])
        element = type_.rstrip("4")
        if "*" in type_:
            return f"({self.expression(type_, depth + 1)} + {self.expression('int', depth + 1)})"
        kind = self.rng.randrange(9)
        inner = lambda t=type_: self.expression(t, depth + 1)  # noqa: E731
        if kind == 0:
            text = self.literal(element)
            return text if element == type_ else f"({type_})({text})"
        if kind < 4:
            operators = (
                "+-*/" if type_ in FLOATING else ["+", "-", "*", "/", "%", "&", "|", "^", "<<"]
            )
            return f"({inner()} {self.pick(operators)} {inner()})"
        if kind == 4:
            return f"{self.pick('-+' if type_ in FLOATING else '-~+')}{inner()}"
        if kind == 5 and element == type_:
            other = self.pick([t for t in TYPES if "4" not in t and "*" not in t])
            return f"({type_}){inner(other)}"
        if kind == 6 and element == type_:
            compare = self.pick(["<", ">", "==", "!=", "<=", ">="])
            return f"({inner('int')} {compare} {inner('int')} ? {inner()} : {inner()})"
        if kind == 7:
            functions = ["max", "min", "clamp"]
            functions += ["fma", "sqrt", "mix"] if type_ in FLOATING else ["abs", "popcount"]
            function = self.pick(functions)
            count = {"clamp": 3, "fma": 3, "mix": 3, "max": 2, "min": 2}.get(function, 1)
            return f"{function}({', '.join(inner() for _ in range(count))})"
        return f"({inner()}, {inner()})" if element == type_ else inner()

    def statement(self, depth=0):
        kind = self.rng.randrange(10)
        if kind < 2 or depth > 3:
            return self.pick(ODD)
        type_ = self.pick(TYPES[:-1])
        target = self.pick([n for n in NAMES[type_] if not re.search(r"[(]|table|xxyy", n)])
        if kind < 7:
            operator = self.pick(["=", "=", "+=", "-=", "*="])
            return f"{target} {operator} {self.expression(type_)};"
        body = " ".join(self.statement(depth + 1) for _ in range(self.rng.randint(0, 3)))
        condition = self.expression(self.pick(["int", "uint", "float", "half"]))
        return self.pick(
            [
                f"if ({condition}) {{ {body} }} else {{ {self.statement(depth + 1)} }}",
                f"if ({condition}) {self.statement(depth + 1)}",
                f"for (int k = 0; k < 3; ++k) {{ {body} }}",
                f"while ({condition}) {{ {body} break; }}",
                f"do {{ {body} }} while (0);",
                f"{{ {body} }}",
                f"switch (i) {{ case 1: {body} default: {self.statement(depth + 1)} }}",
            ]
        )

    def program(self):
        """Return a text that may compile."""
        share = self.pick([0, 0, 0.3])
        odd = [self.pick(ODD_AT_FILE_SCOPE) for _ in range(2) if self.chance(share)]
        body = "\n    ".join(self.statement() for _ in range(self.rng.randint(1, 4)))
        mode = self.pick(["", "#pragma OPENCL SELECT_ROUNDING_MODE rtp\n"])
        kernel = f"kernel void k({PARAMETERS}) {{ int4 v0 = (int4)(1);\n{VARIABLES}    {body}\n}}\n"
        return "\n".join([HEAD + DECLARATIONS + mode, *odd, kernel])

    def mutate(self, text):
        """Return a text with some tokens deleted, repeated, moved or replaced."""
        tokens = _TOKEN.findall(text)
        for _ in range(self.rng.randint(1, 3)):
            at, other = self.rng.randrange(len(tokens)), self.rng.randrange(len(tokens))
            kind = self.rng.randrange(5)
            if kind == 0:
                tokens[at] = ""
            elif kind == 1:
                tokens[at] *= 2
            elif kind == 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            elif kind == 3:
                tokens[at] = tokens[other]
            else:
                tokens[at] += self.pick(ODD_CHARACTERS)
        return "".join(tokens)


def _split(texts):
    return [
        text.strip() for line in texts.split("\n") for text in re.split(r"(?<!\|)\|(?!\|)", line)
    ]


ODD = _split(ODD_STATEMENTS)
ODD_AT_FILE_SCOPE = _split(ODD_DECLARATIONS)


def text_of(seed):
    """Return a text: a random program, or a kernel of the tests, perhaps with changes."""
    writer = Writer(seed)
    text = writer.program()
    if writer.chance(0.15):
        text = writer.pick(KERNELS).read_text()
    if writer.chance(0.4):
        text = writer.mutate(text)
    if writer.chance(0.1):
        text = text.replace("\n", writer.pick(["\r\n", "\r", "\\\n\n", "\n\f"]))
    return text
