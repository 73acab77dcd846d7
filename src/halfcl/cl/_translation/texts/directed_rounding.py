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
static inline double __attribute__((overloadable)) hc_fma_of_wide(
    double a, double b, double c, int mode)
{
    return fma(a, b, c); /* to nearest: others are refused */
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
        _FMA,
    ]
    texts.append("#endif")
    for type_ in ("float", "double"):
        texts.append("#ifdef cl_khr_fp64" if type_ == "double" else "")
        for name in ("hc_sum", "hc_product", "hc_quotient"):
            texts += _vectors(name, type_, (type_,) * 2)
        texts.append("#endif" if type_ == "double" else "")
    texts.append("#ifdef cl_khr_fp64")
    for type_ in ("float", "double"):
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
    for number, mode in enumerate(MODES):
        texts.append(f"#define hc_fma_of_wide_{mode}(a, b, c) hc_fma_of_wide(a, b, c, {number})")
    return texts
