"""Expressions of all that a translation changes, made into kernels of one program."""

import numpy as np

import halfcl as hc

#: By the result's type: of halves a, b, c, floats f, g, doubles d, e, integers i, j, l, u, s.
EXPRESSIONS = {
    "half": """
    a + b | a - b | a * b | a / b | -a | +a | a * b + c | c + a * b | a * b - c | c - a * b
    -(a * b) + c | c - -(a * b) | c + (-(a * b)) | a * b + b * c | (a + b) * (a - b) - a * c
    a + 1 | 2 * a | a / 3 | a + 0.1f | a * 0.1 | 0.1h * a | (half)(0.1h + a) | -0.1h - a | -a - -b
    f | d | i | j | l | u | s | (half)f | (half)(f * g) | (half)(i + j) | i ? a : b | a < b ? a : c
    (a += b) * c | (a -= b, a) | a *= f | a /= i | ++a | --a + b | sqrt(a) | fma(a, b, c)
    mad(a, b, c) | fmin(a, b) | fmax(a, b) | max(a, b) | clamp(a, -1.0h, b) | exp(a) | log(a)
    pow(a, b) | pown(a, j) | rootn(a, 3) | hypot(a, b) | sin(a) | cos(a) | tan(a) | atan2(a, b)
    floor(a) | ceil(a) | trunc(a) | rint(a) | round(a) | fabs(a) | copysign(a, b) | fmod(a, b)
    remainder(a, b) | ldexp(a, j) | mix(a, b, c) | smoothstep(a, b, c) | step(a, b) | sign(a)
    nextafter(a, b) | maxmag(a, b) | degrees(a) | radians(a) | rsqrt(a) | cbrt(a) | erf(a)
    tgamma(a) | native | as_half(s) | as_half((ushort)(s ^ 1)) | select(a, b, s)
    bitselect(a, b, c)
    convert_half(f) | convert_half_rtp(f) | convert_half_rtz(d) | convert_half(i)
    convert_half_rtn(l)
    dot((half2)(a, b), (half2)(c, a)) | length((half3)(a, b, c))
    distance((half2)(a, b), (half2)(c))
    ((half4)(a, b, c, 1) * a).w | ((half2)(a, b) + (half2)(c)).hi | ((half3)(a, b, c) / 3).s2
    (-(half4)(a, b, c, a)).odd.y | fmax((half2)(a, b), c).y | (half)(a == b) | (half)!a
    INFINITY | -INFINITY
    HALF_MAX * a | M_PI_H + a | ROOM(a, b) | SUM(a, b) | SCALED(a) | mode_of(a, b)
    vload_half(0, p) + a
    fract(a, &q) + q | modf(a, &q) - q | frexp(a, &k) | sincos(a, &q) + q
    normalize((half3)(a, b, c)).y
    cross((half3)(a, b, c), (half3)(b, c, a)).z
    shuffle((half4)(a, b, c, a), (ushort4)(3, 1, 0, 2)).x
    """,
    "float": """
    f + g | f - g | f * g | f / g | f * g + f | f - f * g | a | a * b | (float)a + f | a + f | f * 2
    0.1f + f | (float)0.1 | f * 0.1f - g | d | i | j | u | l | (float)l | i * f | i + 0.5f | f += a
    f *= g | f -= d | ++f | sqrt(f) | fma(f, g, f) | fmin(f, fabs(g) + 1) | convert_float(a)
    convert_float(i) | convert_float_rtp(l) | convert_float_rtz(d) | convert_float_rte(l)
    ((float2)(f, g) * f).y | ((float4)(f, g, a, 1) / (float4)(g)).x | ((float3)(f) - g).z
    vload_half(0, p)
    vload_half2(0, p).y | vloada_half3(0, p).z | vload_half4(0, p).w | FLOATS(f, g)
    (f - g) * (f + g)
    floor(f) | (float)(a < b) | f < g ? f : a | -f * g | a == a ? 1.0f : -0.0f
    clamp(f, -1.0f, fabs(g) + 1) | fmod(f, g) | remainder(f, g) | fdim(f, g) | nextafter(f, g)
    ldexp(f, j) | maxmag(f, g + 3) | mix(f, g, (float)a) | rsqrt(f) | step(f, g) | max(f, g)
    min(f, g) | degrees(f) | smoothstep(f, g, (float)a) | a == a ? f : NAN
    """,
    "double": """
    d + e | d - e | d * e | d / e | f | a | a + d | l | (double)l * d | d += a | d * f | i + d
    ((double2)(d, e) * d).x | u | 0.1 + d | (double)0.1f * d
    d * e + f | f - d * e | d * d - e | -(d * e) + d * f | ((double3)(d, e, f) * d - e).z
    d += d * e
    """,
    "int": """
    a < b | a <= b | a > b | a >= b | a == b | a != b | !a | a && b | a || b | a < 1 | 0.5 < a
    f < a
    (int)a | a | convert_int(a) | convert_int_rtp(a) | convert_uchar_sat(a)
    convert_char_sat_rte(a)
    convert_short_sat_rtn(a) | i + a | i += a | i *= b | isnan(a / b) | isless(a, b)
    isfinite(a) | signbit(a)
    isinf(a) | isequal(a, b) | ilogb(a) | as_short(a) | as_ushort(a) | sizeof(half)
    ((half2)(a, b) < (half2)(c, 1)).x | any((half2)(a, b) == (half2)(b, a))
    all(isless((half2)(a), (half2)(b, c)))
    (!(half2)(a, 0)).y | ((half2)(a, b) && (half2)(c, 0)).x | as_int((half2)(a, b)) | (bool)a
    (bool)f
    lgamma_r(a, &k) < 0 ? k : 2 | remquo(a, b, &k) == a ? 3 : k
    """,
    "long": """
    a | (long)a | convert_long(a) | l + a | convert_ulong_sat(a)
    (ulong)fabs(a) | l | as_long((half4)(a, b, c, a))
    """,
}  # fmt: skip

BEFORE = """
#define ROOM(x, y) ((y) /* twice */ * (x) + (x))
#define SUM(x, y) \\
    x + y  // of both
#define HALF_ONE 1.0h
#define SCALED(x) (x * HALF_ONE) / 3
#define FLOATS(x, y) ((x) * (y) - (x) / (y))
#define JOIN(x, y) x##_##y
#define IN(name, mode) JOIN(name, mode)
half sum_rte(half x, half y) { return x + y; }
#pragma OPENCL SELECT_ROUNDING_MODE rtn
half sum_rtn(half x, half y) { return x + y; }
half sum_rtp(half x, half y) { return x - y; }
half sum_rtz(half x, half y) { return x * y; }
constant half TABLE[] = {0.1h, 1.0h / 3, -2, 1e-7f};
constant float LIMIT = 0.1f * 3.7f;
"""

#: Edges of each type, in each other's company.
NUMBERS = {
    "half": (
        0.0, -0.0, 1.0, -1.5, 0.1, 3.75, 65504, -65504, 6e-8, -6e-5, 1e-3, 255.5, np.inf, np.nan,
    ),
    "float": (
        0.0, -0.0, 1.0, -1.1, 3e38, -3.4e38, 1e-45, -1.2e-38, 65520, 1e-7, 2.5, 1 / 3,
        np.inf, np.nan,
    ),
    "double": (
        0.0, -0.0, 1.1, -1e308, 5e-324, 2e-308, 65519.99999, 1e-40, 3e-8, 1 / 3, 1e20,
        np.inf, np.nan,
    ),
}  # fmt: skip


def program(pragma, before=BEFORE, step=1):
    """Source of a kernel for each expression, or for one in so many, named by its type and place,
    in a mode or none."""
    parts = [
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
        "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable",
        before,
        "#define __MODE__ __ROUNDING_MODE__",
        f"#pragma OPENCL SELECT_ROUNDING_MODE {pragma}" if pragma else "",
        "half mode_of(half x, half y) { return IN(sum, __MODE__)(x, y) + TABLE[1] * (half)LIMIT; }",
    ]
    if not pragma:  # before the first one
        parts[2] = "\n".join(line for line in before.splitlines() if "SELECT" not in line)
    for name, text in kernels(step).items():
        type_ = name.split("_")[0]
        parts.append(
            f"kernel void {name}(global const half *h, global const float *x, "
            f"global const double *z, global const long *n, global {type_} *out) {{\n"
            "    size_t w = get_global_id(0);\n"
            "    half a = h[4 * w], b = h[4 * w + 1], c = h[4 * w + 2], q; int k = 0;\n"
            "    float f = x[2 * w], g = x[2 * w + 1]; double d = z[2 * w], e = z[2 * w + 1];\n"
            "    long l = n[w]; int i = (int)l % 100, j = i % 7;\n"
            "    uint u = (uint)l; short s = (short)l;\n"
            f"    global const half *p = h + 4 * w;\n    out[w] = {text};\n}}"
        )
    return "\n".join(parts)


def kernels(step=1):
    """By name the expression; one in so many."""
    expressions = {}
    for type_, text in EXPRESSIONS.items():
        lines = [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]
        for k, expression in enumerate(lines):
            if expression != "native":
                expressions[f"{type_}_{k}"] = expression
    return dict(list(expressions.items())[::step])


def inputs(items, seed=5):
    """h, x, z and n."""
    rng = np.random.default_rng(seed)
    columns = []
    for type_, count in (("half", 4), ("float", 2), ("double", 2)):
        known = rng.choice(np.array(NUMBERS[type_]), (items, count))
        scale = {"half": 6, "float": 60, "double": 500}[type_]
        drawn = rng.normal(size=(items, count)) * 2.0 ** rng.integers(-scale, scale, (items, count))
        usual = rng.uniform(0.5, 2, (items, count))
        mixed = np.where(rng.random((items, count)) < 0.3, known, drawn)
        mixed = np.where(rng.random((items, 1)) < 0.5, mixed, usual)
        dtype = {"half": hc.half, "float": np.float32, "double": np.float64}[type_]
        with np.errstate(all="ignore"):
            columns.append(np.ascontiguousarray(mixed.astype(dtype)))
    integers = rng.integers(-(1 << 62), 1 << 62, items) >> rng.integers(0, 62, items)
    return [*columns, integers]
