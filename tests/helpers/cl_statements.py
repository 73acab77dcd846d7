"""Statements over what OpenCL C has, for translations: of halves a, b, a float f, p and out."""

import numpy as np

STATEMENTS = {
    "do_if_assign": r"""
half g = a;
if ((g = b)) out[0] = g;
else out[0] = 7;
do { g -= 1; } while (g > 0 && g < 30);
out[1] = g;
""",
    "nested_macro": r"""
#define SQ(x) ((x)*(x))
#define NORM(x,y) SQ(x) + SQ(y)
out[0] = NORM(a, b) * 2;
out[1] = SQ(SQ(a + 1));
out[2] = NORM(SQ(a), b);
#undef SQ
""",
    "macro_stmt": r"""
#define SWAP(T, x, y) do { T t_ = x; x = y; y = t_ + 1; } while (0)
half u = a, v = b;
SWAP(half, u, v);
out[0] = u;
out[1] = v;
SWAP(float, f, f);
""",
    "macro_op": r"""
#define PLUS +
#define NEG -a
out[0] = a PLUS b;
out[1] = NEG + b;
out[2] = a PLUS NEG PLUS b;
""",
    "macro_text": r"""
#define STR(x) #x
out[0] = a + sizeof(STR(a + b));
""",
    "struct": r"""
typedef struct { half x; half2 y; float z; } S;
S s = {1, (half2)(a, 0.1f), a};
s.x += s.y.x;
s.y *= 2;
S t = s;
t.z += t.x;
out[0] = t.x;
out[1] = t.y.y;
out[2] = t.z;
""",
    "array": r"""
half t[3][2] = {{1, a}, {b, 0.1f}};
t[1][0] += t[0][1];
t[2][1]++;
int i = 1;
t[i][i - 1] *= 2;
out[0] = t[1][0];
out[1] = t[1][1];
out[2] = t[2][1];
""",
    "ptr": r"""
half t[2] = {a, b};
half *p = t;
*p += 1;
p[1] -= *p;
p++;
out[0] = *p * 2;
out[1] = *(p - 1);
(*p)++;
out[2] = t[1];
""",
    "swz": r"""
half4 v = (half4)(a, b, 1, 2);
v.xy += v.zw;
v.s3 = v.x * v.y;
v.lo *= 0.5h;
v.w++;
out[0] = v.x + v.y;
out[1] = v.w;
half3 w = v.xyz;
w = -w / 3;
out[2] = w.z;
half8 x8 = (half8)(v, v) + a;
out[3] = x8.s7;
""",
    "cmpvec": r"""
half4 v = (half4)(a, b, 1, 2);
short4 m = v < 1.5h;
half4 r = m ? v : -v;
out[0] = r.x;
out[1] = r.w;
out[2] = any(v == (half4)(1)) ? 1 : 2;
half4 r2 = select(v, (half4)(3), m);
out[3] = r2.x + r2.w;
""",
    "switch": r"""
switch ((int)(a * 3)) { case 0: out[0] = a + 1; break; case 1: out[0] = b - 1;
    default: out[1] = a / 3; }
""",
    "cond": r"""
out[0] = a > b ? a > 1 ? a : 1 : b;
out[1] = (a > 0 ? a : b) + (b > 0 ? 1 : 2.5f);
out[2] = !a ? 1 : !!b;
out[3] = (a && b) + (a || b);
""",
    "printf": r"""
if (0) printf("%f %d\n", a, 1);
out[0] = a;
""",
    "bool": r"""
bool z = a;
bool y = b - b;
out[0] = z + y;
int k = a == b;
out[1] = k;
out[2] = true + a;
""",
    "enum": r"""
enum { A = 2, B };
out[0] = a * A + B;
out[1] = A;
""",
    "char": r"""
out[0] = a + 'c';
out[1] = (char)3 * a;
out[2] = (uchar)200 + a;
out[3] = 3000000000u * 0.00001h;
""",
    "limits": r"""
out[0] = HALF_MAX;
out[1] = HALF_MIN * a;
out[2] = HALF_EPSILON;
out[3] = INFINITY - a;
out[4] = -INFINITY;
out[5] = FLT_MAX;
out[6] = M_PI_H * a;
out[7] = MAXFLOAT * a;
""",
    "as": r"""
out[0] = as_half((short)(as_short(a) ^ 0x8000));
out[1] = as_half2(as_uint((half2)(a, b)) + 1).x;
ushort4 u = as_ushort4((half4)(a, b, 1, 2));
out[2] = as_half4(u).y;
out[3] = as_half((ushort)((as_ushort(a + b)) & 0x7fff));
""",
    "long_expr": r"""
out[0] = ((a + b) * (a - b) / (1 + a * a) - (b * b * b)) / (half)(2 + 0.1f) + (half)(f * 3);
""",
    "comma": r"""
half u;
u = (f += 1, a + f);
out[0] = u;
for (half h = 0, k = 1; h < 2; h += 0.5h, ++k) out[1] = h + k;
""",
    "compound": r"""
int i = 5;
i += a;
out[0] = i;
i *= b;
out[1] = i;
f -= a;
out[2] = f;
f *= 0.1;
out[3] = f;
half u = a;
u /= 3;
u += f;
out[4] = u;
u *= 0.1;
out[5] = u;
uchar c = 250;
c += a;
out[6] = c;
half2 v = a;
v -= (half2)(1, b);
out[7] = v.x * v.y;
""",
    "floats": r"""
float g = f / 3, h = g * f;
h += 0.1f;
out[0] = h - (int)h;
double d = f;
d = d / 3 + 1;
out[1] = d;
float2 w = (float2)(f, g) / 3 - f;
out[2] = w.x * w.y;
out[3] = -f * g + h;
""",
    "const": r"""
const half T[] = {1, 0.1h, -2, 1.0h / 3};
out[0] = T[1] + a;
const half Q = a * 3;
out[1] = Q;
""",
    "vload": r"""
out[0] = vload_half(0, p) * f;
vstore_half(f * 1.001f, 1, out);
vstore_half_rtp(f, 2, out);
float4 w = vload_half4(0, p);
vstore_half2(w.xy * 3, 2, out);
vstore_half((double)f * 3, 6, out);
half2 hh = vload2(0, p);
vstore2(hh + 1, 1, out);
""",
    "paren": r"""
out[0] = ((((a))) + ((b)));
out[1] = -(-(a)) - -(b + 1);
out[2] = (a)+(b)*(half)(2);
out[3] = (half)((half)(a) + (half)1);
""",
    "cl_contract": r"""
{
#pragma OPENCL FP_CONTRACT OFF
out[0] = a * b + 1; }
out[1] = a * b + 1;
{ half x = a * b; out[2] = x + 1; } out[3] = (a * b) - (b * a);
out[4] = 1 - a * b;
out[5] = -(a * b) - 1;
out[6] += a * b;
out[7] -= a * b;
""",
}

HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""


def program(name, pragma):
    """Return a kernel k of p, q and all (eight per item), in a mode or the launch's."""
    select = f"#pragma OPENCL SELECT_ROUNDING_MODE {pragma}\n" if pragma else ""
    return f"""{HEAD}{select}half twice(half x) {{ return x + x / 3; }}
kernel void k(global const half *p, global const float *q, global half *all) {{
    size_t w = get_global_id(0);
    half a = p[w], b = p[w + 1];
    float f = q[w];
    global half *out = all + 8 * w;
    p += w;
    {{
{STATEMENTS[name]}
    }}
    out[0] += twice(out[0]);
}}
"""


def all_programs(pragma):
    """One program, with a kernel k_NAME for each."""
    parts = []
    for name in STATEMENTS:
        _, _, kernel = program(name, pragma).partition("kernel void k(")
        parts.append(f"kernel void k_{name}({kernel}")
    head, _, _ = program(name, pragma).partition("kernel void k(")
    return head + "\n".join(parts)


#: The number of work-items; each has 8 results.
ITEMS = 256


def arguments():
    """Return the arguments of the programs but the last: halves, special ones first, and floats."""
    halves = np.random.default_rng(1).normal(size=ITEMS + 8).astype(np.float16)
    halves[:14] = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 6e-8, 65504, -65504, 2, 3, 1e-5, 100]
    return halves, np.random.default_rng(2).normal(size=ITEMS).astype(np.float32)
