"""Operators and functions of integers, and conversions to them, of all types and widths, made into
kernels of one program: each stores what it gets as longs."""

import numpy as np
from exhaustive import either

TYPES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
DTYPES = dict(zip(TYPES, ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"), strict=True))
WIDTHS = (2, 3, 4, 8, 16)
MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")
FLOATING = {"half": "f2", "float": "f4", "double": "f8"}

#: Of a, b and c of a type T; of vectors U is the type of truths.
OF_ALL = """
    abs(a) | clz(a) | popcount(a) | ~a | -a | +a | !a | abs_diff(a, b) | add_sat(a, b)
    sub_sat(a, b) | hadd(a, b) | rhadd(a, b) | max(a, b) | min(a, b) | mul_hi(a, b) | rotate(a, b)
    a + b | a - b | a * b | a / b | a % b | a & b | a | b | a ^ b | a << b | a >> b
    a < b | a <= b | a > b | a >= b | a == b | a != b | a && b | a || b
    clamp(a, min(b, c), max(b, c)) | mad_hi(a, b, c) | mad_sat(a, b, c) | bitselect(a, b, c)
    select(a, b, c) | a += b | a -= b | a *= b | a /= b | a %= b | a <<= b | a >>= b | a ^= b | ++a
    a-- | (a++, a) | c ? a : b
"""
OF_INTS = "mul24(a, b) | mad24(a, b, c)"
OF_VECTORS = """
    a.lo + b.hi | a.even - b.odd | (a.lo = b.hi, a) | a.yx | (a.yx = b.xy, a) | (a.y += b.x, a)
    any(a < b) | all(a < b) | a * (T0)3 | (T)(a.x) | (T)(1, 2) | shuffle(a, U)
    shuffle2(a, b, U) | isequal((float2)(1, a.x), (float2)(1, b.x)) | a.s1
"""


def split(text):
    """Single expressions: " | " between operands of | stands alone."""
    text = text.replace("a | b | a ^ b", "a OR b | a ^ b")
    expressions = [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]
    return [part.replace(" OR ", " | ") for part in expressions]


def expressions(type_, width):
    texts = split(OF_ALL) + (split(OF_INTS) if type_ in ("int", "uint") else [])
    if width == 1:
        return texts
    unsigned = type_ if type_.startswith("u") else f"u{type_}"
    own = [e.replace("T0", type_).replace("(T)", f"({type_}2)") for e in split(OF_VECTORS)]
    own = [e.replace("U)", f"({unsigned}2)(b.x, a.y))") if "U)" in e else e for e in own]
    if width != 2:
        own = [e for e in own if "(a, b, (" not in e and "shuffle" not in e]
    if width == 3:
        own = [e for e in own if ".lo" not in e and ".even" not in e]
    return texts + own


def _result_width(expression, type_, width):
    """Return the width of an expression's result if it is not that of its operands."""
    if expression in ("a.s1",) or expression.startswith(("any(", "all(")):
        return 1
    if expression in ("a.lo + b.hi", "a.even - b.odd"):
        return width // 2
    if "isequal" in expression or expression == "a.yx" or expression.startswith(f"({type_}2)("):
        return 2
    return 2 if expression.startswith("shuffle") else width


def some_expressions(type_, width):
    """All expressions of a type; in plain runs every other one, those that the next type leaves."""
    return expressions(type_, width)[either(0, TYPES.index(type_) % 2) :: either(1, 2)]


def stores(type_, width):
    """Statements, and how many longs they write."""
    lines, at = [], 0
    for expression in some_expressions(type_, width):
        n = _result_width(expression, type_, width)
        value = f"convert_long{n if n > 1 else ''}({expression})"
        store = f"out[{at}] = {value};" if n == 1 else f"vstore{n}({value}, 0, out + {at});"
        lines.append(f"    {{ {declare(type_, width)} {store} }}")
        at += n
    return lines, at


def declare(type_, width):
    names = zip("abc", range(3), strict=True)
    if width == 1:
        return " ".join(f"{type_} {v} = x[{k}];" for v, k in names)
    return " ".join(f"{type_}{width} {v} = vload{width}({k}, x);" for v, k in names)


def kernels():
    """Name to type, width, and how many longs an item writes."""
    kernels_by_name = {}
    for k, type_ in enumerate(TYPES):
        for width in either((1, *WIDTHS), (WIDTHS[k % 5] if k % 3 else 1,)):
            kernels_by_name[f"{type_}_{width}"] = type_, width, stores(type_, width)[1]
    return kernels_by_name


def program():
    parts = ["#pragma OPENCL EXTENSION cl_khr_fp16 : enable"]
    for name, (type_, width, count) in kernels().items():
        lines, _ = stores(type_, width)
        parts.append(
            f"kernel void {name}(global const {type_} *x, global long *out) {{\n"
            f"    x += {3 * width} * get_global_id(0); out += {count} * get_global_id(0);\n"
            + "\n".join(lines) + "\n}"
        )  # fmt: skip
    parts += [_conversions(source) for source in (*TYPES, *FLOATING)]
    return "\n".join(parts)


def conversions(source):
    """Calls of convert_: of numbers that may lie anywhere only what saturates."""
    calls = []
    for k, target in enumerate(TYPES):
        modes = either(MODES, (MODES[k % 5], MODES[1 + k % 4])) if source in FLOATING else MODES[:1]
        calls += [(f"convert_{target}_sat{mode}(a)", 1) for mode in modes]
        n = WIDTHS[k % 5]
        calls.append((f"convert_{target}{n}_sat{modes[-1]}(({source}{n})(a))", n))
        if source not in FLOATING:
            calls += [(f"convert_{target}(a)", 1), (f"({target})a", 1)]
        else:  # in range
            calls += [(f"convert_{target}{mode}(fabs(fmod(a, ({source})100)))", 1) for mode in
                      modes if source == "half"]  # fmt: skip
    return calls


def _conversions(source):
    lines, at = [], 0
    for call, n in conversions(source):
        value = f"convert_long{n if n > 1 else ''}({call})"
        lines.append(
            f"    out[{at}] = {value};" if n == 1 else f"    vstore{n}({value}, 0, out + {at});"
        )
        at += n
    return (
        f"kernel void from_{source}(global const {source} *x, global long *out) {{\n"
        f"    {source} a = x[get_global_id(0)]; out += {at} * get_global_id(0);\n"
        + "\n".join(lines) + "\n}"
    )  # fmt: skip


def count_of_conversions(source):
    return sum(n for _, n in conversions(source))


def inputs(type_, count, seed=3):
    """Numbers of all sizes, edges among them."""
    rng = np.random.default_rng(seed)
    if type_ in FLOATING:
        known = [0, -0.0, 0.5, -0.5, 1.5, 2.5, -127.5, 128, 255.5, 32767.5, -32769, 65504, np.inf,
                 -np.inf, np.nan]  # fmt: skip
        if type_ != "half":
            known += [2.0**31, -(2.0**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 4294967295.5]
        drawn = rng.normal(size=count) * 2.0 ** rng.integers(0, 15, count)
        mixed = np.where(rng.random(count) < 0.5, rng.choice(known, count), drawn)
        return mixed.astype(FLOATING[type_])
    dtype = np.dtype(DTYPES[type_])
    info = np.iinfo(dtype)
    bits = rng.integers(0, 2**64, count, np.uint64, endpoint=False)
    drawn = (bits >> rng.integers(0, 64, count).astype(np.uint64)).astype(dtype)
    edges = np.array([info.min, info.max, 0, 1, info.max - 1, info.min // 2, 3, 7], dtype)
    return np.where(rng.random(count) < 0.3, rng.choice(edges, count), drawn)
