"""Float and double arithmetic in directed modes, in OpenCL C.

It corrects the device's result to nearest by the sign of the exact remainder.
"""

from __future__ import annotations

import re

from halfcl import MODES

_WIDTHS = ("2", "3", "4", "8", "16")

#: Functions of a type T, whose bits have type U; modes are indices into MODES.
_BASE = """\
/* r, or the number next to it; left has the sign of the exact result minus r. */
static inline T __attribute__((overloadable)) hc_directed(T r, T left, int mode)
{
    U bits = as_U(r), sign = bits & SIGN;
    if (mode == 0 || left == 0 || isnan(left) || isnan(r) || isinf(r))
        return r;
    int is_above = left > 0;
    int is_negative = r == 0 ? !is_above : sign != 0;
    if (mode == 1 ? is_above != is_negative : mode == 2 ? !is_above : is_above)
        return r;
    if (r == 0)
        return as_T((U)(is_above ? 1 : SIGN + 1));
    return as_T((U)(is_above != is_negative ? bits + 1 : bits - 1));
}

/* Overflow: r is an infinity from finite operands. */
static inline T __attribute__((overloadable)) hc_overflown(T r, int mode)
{
    int is_kept = mode == 0 || (mode == 2 && r > 0) || (mode == 3 && r < 0);
    return is_kept ? r : r > 0 ? as_T((U)MOST) : as_T((U)(MOST + SIGN));
}

/* x times a power of two, if the result is not subnormal. */
static inline T __attribute__((overloadable)) hc_scaled(T x, int n)
{
    return ldexp(ldexp(x, n / 2), n - n / 2);
}

static inline T __attribute__((overloadable)) hc_sum(T a, T b, int mode)
{
    T r = a + b;
    if (mode == 0 || isnan(r) || isinf(a) || isinf(b))
        return r;
    if (isinf(r))
        return hc_overflown(r, mode);
    if (r == 0) /* exact */
        return mode == 3 && (as_U(a) | as_U(b)) != 0 ? as_T((U)SIGN) : r;
    T large = fabs(a) < fabs(b) ? b : a, small = fabs(a) < fabs(b) ? a : b;
    return hc_directed(r, small - (r - large), mode);
}

static inline T __attribute__((overloadable)) hc_product(T a, T b, int mode)
{
    T r = a * b;
    if (mode == 0 || isnan(r) || isinf(a) || isinf(b) || a == 0 || b == 0)
        return r;
    if (isinf(r))
        return hc_overflown(r, mode);
    if (r == 0)
        return hc_directed(r, (as_U(r) & SIGN) ? -(T)1 : (T)1, mode);
    int i = ilogb(a), j = ilogb(b);
    T left = fma(hc_scaled(a, -i), hc_scaled(b, -j), -hc_scaled(r, -i - j));
    return hc_directed(r, left, mode);
}

static inline T __attribute__((overloadable)) hc_quotient(T a, T b, int mode)
{
    T r = a / b;
    if (mode == 0 || isnan(r) || isinf(a) || isinf(b) || a == 0 || b == 0)
        return r;
    if (isinf(r))
        return hc_overflown(r, mode);
    if (r == 0)
        return hc_directed(r, (as_U(r) & SIGN) ? -(T)1 : (T)1, mode);
    int i = ilogb(a), j = ilogb(b);
    T left = fma(-hc_scaled(r, j - i), hc_scaled(b, -j), hc_scaled(a, -i));
    return hc_directed(r, b < 0 ? -left : left, mode);
}
"""

_NUMBERS = {
    "float": {"U": "uint", "SIGN": "0x80000000u", "MOST": "0x7f7fffffu"},
    "double": {"U": "ulong", "SIGN": "0x8000000000000000ul", "MOST": "0x7feffffffffffffful"},
}

#: fma of float by doubles, which hold products of floats exactly.
_FMA = """\
static inline float __attribute__((overloadable)) hc_fma_of_wide(
    float a, float b, float c, int mode)
{
    if (mode == 0 || isnan(a) || isnan(b) || isnan(c) || isinf(a) || isinf(b) || isinf(c))
        return fma(a, b, c);
    double p = (double)a * b;
    if (p == 0 || c == 0)
        return p == 0 && c != 0 ? c : c == 0 && p != 0 ? hc_rounded(p, mode)
               : hc_sum((float)p, c, mode);
    double low = hc_sum(p, (double)c, 3), high = hc_sum(p, (double)c, 2);
    double odd = hc_sum(p, (double)c, 1);
    if (odd == 0)
        return (float)hc_sum(p, (double)c, mode);
    return hc_rounded(low != high ? as_double(as_ulong(odd) | 1) : odd, mode);
}
"""

#: fma of double by integers of 128 bits, in two halves; exponents are those of the lowest bit.
_FMA_OF_DOUBLES = """\
/* The significand of a number that is not zero, 2^52 or more, and its exponent. */
static inline ulong hc_significand(double x, int *exponent)
{
    ulong bits = as_ulong(x), digits = bits & 0xffffffffffffful;
    int field = (int)(bits >> 52 & 2047);
    if (field) {
        *exponent = field - 1075;
        return digits | 1ul << 52;
    }
    int zeros = (int)clz(digits) - 11;
    *exponent = -1074 - zeros;
    return digits << zeros;
}

/* Shift right; the last bit says whether bits are lost. */
static inline ulong2 hc_shifted(ulong2 x, int count)
{
    if (count == 0)
        return x;
    if (count > 127)
        return (ulong2)((x.x | x.y) != 0, 0);
    ulong lost = count < 64 ? x.x << (64 - count) : x.x | (count > 64 ? x.y << (128 - count) : 0);
    ulong low = count < 64 ? x.x >> count | x.y << (64 - count) : x.y >> (count - 64);
    return (ulong2)(low | (lost != 0), count < 64 ? x.y >> count : 0);
}

/* (-1)^sign x 2^exponent, rounded. */
static inline double hc_double_from(ulong2 x, int exponent, int sign, int mode)
{
    int zeros = (int)clz(x.y ? x.y : x.x) + (x.y ? 0 : 64);
    if (zeros >= 64)
        x = (ulong2)(0, x.x << (zeros - 64));
    else if (zeros)
        x = (ulong2)(x.x << zeros, x.y << zeros | x.x >> (64 - zeros));
    ulong digits = x.y | (x.x != 0);
    int first = exponent - zeros + 127; /* the exponent of the first bit */
    int shift = first < -1022 ? min(11 - 1022 - first, 64) : 11;
    ulong kept = shift == 64 ? 0 : digits >> shift;
    ulong rest = shift == 64 ? digits : digits & ((1ul << shift) - 1);
    int is_up = mode == 2 ? !sign : mode == 3 ? sign : 0;
    ulong bits = kept + (rest != 0 && is_up);
    if (first > 1023)
        bits = is_up ? 0x7ff0000000000000ul : 0x7feffffffffffffful;
    else if (first >= -1022)
        bits += (ulong)(first + 1022) << 52;
    return as_double(bits | (ulong)sign << 63);
}

static inline double __attribute__((overloadable)) hc_fma_of_wide(
    double a, double b, double c, int mode)
{
    if (mode == 0 || isnan(a) || isnan(b) || isnan(c) || isinf(a) || isinf(b) || isinf(c))
        return fma(a, b, c);
    if (a == 0 || b == 0)
        return hc_sum(a * b, c, mode);
    if (c == 0)
        return hc_product(a, b, mode);
    int i, j, k, sign = (int)((as_ulong(a) ^ as_ulong(b)) >> 63), other = (int)(as_ulong(c) >> 63);
    ulong m = hc_significand(a, &i) << 10, n = hc_significand(b, &j) << 10;
    ulong2 p = (ulong2)(m * n, mul_hi(m, n)), q = (ulong2)(0, hc_significand(c, &k) << 9);
    i += j - 20;
    k -= 73;
    int exponent = max(i, k);
    p = hc_shifted(p, exponent - i);
    q = hc_shifted(q, exponent - k);
    if (sign == other) {
        ulong low = p.x + q.x;
        return hc_double_from((ulong2)(low, p.y + q.y + (low < p.x)), exponent, sign, mode);
    }
    if (p.y == q.y && p.x == q.x)
        return mode == 3 ? -0.0 : 0.0;
    int is_less = p.y < q.y || (p.y == q.y && p.x < q.x);
    ulong2 large = is_less ? q : p, small = is_less ? p : q;
    ulong2 rest = (ulong2)(large.x - small.x, large.y - small.y - (large.x < small.x));
    return hc_double_from(rest, exponent, is_less ? other : sign, mode);
}
"""

_ROUNDED = """\
static inline float __attribute__((overloadable)) hc_rounded(double x, int mode)
{
    float r = (float)x;
    if (mode == 0 || isnan(x) || isinf(x))
        return r;
    if (isinf(r))
        return hc_overflown(r, mode);
    double left = x - (double)r;
    return hc_directed(r, left > 0 ? 1.0f : left < 0 ? -1.0f : 0.0f, mode);
}
"""

_OF_INTEGERS = """\
static inline double __attribute__((overloadable)) hc_double_of(long x, int mode)
{
    return hc_sum((double)(x >> 32) * 4294967296.0, (double)(x & 0xffffffffl), mode);
}
static inline double __attribute__((overloadable)) hc_double_of(ulong x, int mode)
{
    return hc_sum((double)(x >> 32) * 4294967296.0, (double)(x & 0xfffffffful), mode);
}
static inline float __attribute__((overloadable)) hc_float_of(long x, int mode)
{
    double odd = hc_double_of(x, 1);
    int is_exact = hc_double_of(x, 2) == hc_double_of(x, 3);
    return hc_rounded(is_exact ? odd : as_double(as_ulong(odd) | 1), mode);
}
static inline float __attribute__((overloadable)) hc_float_of(ulong x, int mode)
{
    double odd = hc_double_of(x, 1);
    int is_exact = hc_double_of(x, 2) == hc_double_of(x, 3);
    return hc_rounded(is_exact ? odd : as_double(as_ulong(odd) | 1), mode);
}
static inline float __attribute__((overloadable)) hc_float_of(int x, int mode)
{
    return hc_rounded((double)x, mode);
}
static inline float __attribute__((overloadable)) hc_float_of(uint x, int mode)
{
    return hc_rounded((double)x, mode);
}
static inline float __attribute__((overloadable)) hc_float_of(double x, int mode)
{
    return hc_rounded(x, mode);
}
"""

#: The helper for each operation, and its operands.
_HELPERS = {
    "add_wide": ("hc_sum(a, b, {})", "a, b"),
    "subtract_wide": ("hc_sum(a, -(b), {})", "a, b"),
    "multiply_wide": ("hc_product(a, b, {})", "a, b"),
    "divide_wide": ("hc_quotient(a, b, {})", "a, b"),
    "to_float": ("hc_float_of(x, {})", "x"),
    "to_double": ("hc_double_of(x, {})", "x"),
}


def _base_text(type_: str) -> str:
    text_ = _BASE
    for name, text in {"T": type_, **_NUMBERS[type_]}.items():
        text_ = re.sub(rf"\bas_{name}\b", f"as_{text}", text_)
        text_ = re.sub(rf"\b{name}\b", text, text_)
    return text_


def _vectors(name: str, result: str, operands: tuple[str, ...]) -> list[str]:
    """Return functions of vectors and a mode that apply a function to their two halves."""
    texts = []
    for n in _WIDTHS:
        low, high = ("s01", "s2") if n == "3" else ("lo", "hi")
        letters = "abc"[: len(operands)]
        parameters = ", ".join(f"{t}{n} {v}" for t, v in zip(operands, letters, strict=True))

        def call(part: str, letters: str = letters) -> str:
            return f"{name}({', '.join(f'{v}.{part}' for v in letters)}, mode)"

        texts.append(
            f"static inline {result}{n} __attribute__((always_inline, overloadable)) "
            f"{name}({parameters}, int mode) "
            f"{{ return ({result}{n})({call(low)}, {call(high)}); }}"
        )
    return texts


def wide_text(helpers: set[str]) -> list[str]:
    """Return the functions of float and double that helpers need, and the helpers."""
    used = [name for name in _HELPERS if name in helpers]
    fuses = any(name.startswith("fma") and name.endswith("_wide") for name in helpers)
    if not used and not fuses:
        return []
    texts = [
        _base_text("float"),
        "#ifdef cl_khr_fp64",
        _base_text("double"),
        _ROUNDED,
        _OF_INTEGERS,
    ]
    if fuses:
        texts += [_FMA, _FMA_OF_DOUBLES]
    texts.append("#endif")
    for type_ in ("float", "double"):
        texts.append("#ifdef cl_khr_fp64" if type_ == "double" else "")
        for name in ("hc_sum", "hc_product", "hc_quotient"):
            texts += _vectors(name, type_, (type_,) * 2)
        texts.append("#endif" if type_ == "double" else "")
    texts.append("#ifdef cl_khr_fp64")
    for type_ in ("float", "double") if fuses else ():
        texts += _vectors("hc_fma_of_wide", type_, (type_,) * 3)
    for source in ("int", "uint", "long", "ulong", "double"):
        texts += _vectors("hc_float_of", "float", (source,))
    for source in ("long", "ulong"):
        texts += _vectors("hc_double_of", "double", (source,))
    texts.append("#endif")
    for name in used:
        text, operands = _HELPERS[name]
        for number, mode in enumerate(MODES):
            texts.append(f"#define hc_{name}_{mode}({operands}) {text.format(number)}")
    for number, mode in enumerate(MODES if fuses else ()):
        texts.append(f"#define hc_fma_of_wide_{mode}(a, b, c) hc_fma_of_wide(a, b, c, {number})")
    return texts
