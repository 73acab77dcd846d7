"""Functions of float and double that translations in OpenCL C define themselves.

`EXACT` has those whose results OpenCL fixes, or halfcl, where devices differ: they are made of
operations that every device has right. Those of `IN_DOUBLE` are computed in double, and rounded
once more for float, as in `numeric.floats` and `numeric.geometric` of the interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple


class Exact(NamedTuple):
    """A function: its parameters, result and statements.

    Types are T, that of the call, I and U, the int and uint of its width, and POINTER, its element
    type's or int's in any address space; MASK makes an int of a comparison of T.
    """

    parameters: str
    body: str
    result: str = "T"
    needs: tuple[str, ...] = ()  # keys of target.NEEDS


EXACT: Mapping[str, Exact] = {
    # fmin and fmax, since devices differ where a bound is NaN
    "clamp": Exact("T x, T low, T high", "return fmin(fmax(x, low), high);"),
    # comparisons, since devices differ in zeros and NaNs
    "max": Exact("T x, T y", "return x < y ? y : x;"),
    "min": Exact("T x, T y", "return y < x ? y : x;"),
    "step": Exact("T edge, T x", "return x < edge ? (T)0 : (T)1;"),
    "fract": Exact(
        "T x, SPACE T *p",
        "T whole = floor(x), part = x - whole;\n    *p = whole;\n"
        "    part = part >= (T)1 ? (T)BELOW_ONE : part;\n"
        "    return (x == (T)0) | isinf(x) ? copysign((T)0, x) : part;",
        needs=("subnormal",),
    ),
    # the lowest seven bits of the quotient
    "remquo": Exact(
        "T x, T y, SPACE I *p",
        "I q;\n    T r = remquo(x, y, &q);\n    I low = as_I(abs(q)) & 127;\n"
        "    *p = select(select(low, -low, q < 0), (I)0, MASK(isnan(r)));\n    return r;",
    ),
    "ilogb": Exact(
        "T x",
        "I exponent = select(ilogb(x), (I)(-2147483647 - 1), MASK(x == (T)0));\n"
        "    return select(exponent, (I)2147483647, MASK(isnan(x)));",
        "I",
    ),
    "recip": Exact("T x", "return (T)1 / x;", needs=("division", "subnormal")),
    "divide_wide": Exact("T x, T y", "return x / y;", needs=("division", "subnormal")),
    # what a saturated conversion takes
    "number": Exact("T x", "return x == x ? x : (T)0;"),
}

#: By OpenCL's name: parameters, and the result as an expression in doubles.
IN_DOUBLE = {
    "rsqrt": ("x", "1 / sqrt(x)"),
    "mix": ("xya", "x + (y - x) * a"),
    "degrees": ("x", "x * (180 / M_PI)"),
    "radians": ("x", "x * (M_PI / 180)"),
    "smoothstep": ("lhx", "t * t * (3 - 2 * t)"),
}
_BEFORE = {
    "smoothstep": "    D t = (x - l) / (h - l);\n    t = t <= (D)0 ? (D)0 : t >= (D)1 ? (D)1 : t;\n"
}

_BELOW_ONE = {"float": "0x1.fffffep-1f", "double": "0x1.fffffffffffffp-1"}
_HAS_GENERIC = "#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space)"
_HELPER = re.compile(r"float_(\w+?)_(float|double)(\d*)")
_ATTRIBUTES = "static inline __attribute__((always_inline, overloadable))"


def float_text(helpers: Collection[str]) -> list[str]:
    """Return the functions of those names, each for one type."""
    texts = []
    for match in filter(None, map(_HELPER.fullmatch, sorted(helpers))):
        name, type_, width = match.groups()
        if name in EXACT:
            texts += _exact(name, type_, width)
        elif name == "dot":
            texts.append(_dot(type_, width))
        elif name == "cross":
            texts.append(_cross(type_, width))
        else:
            texts.append(_each(name, type_, width))
    return texts


def _exact(name: str, type_: str, width: str) -> list[str]:
    """Return a function; one for each address space if it has a pointer."""
    row = EXACT[name]
    spaces = ("private", "local", "global") if "SPACE" in row.parameters else ("",)
    words = {
        "T": f"{type_}{width}", "I": f"int{width}", "as_I": f"as_int{width}",
        "BELOW_ONE": _BELOW_ONE[type_],
        "MASK": f"convert_int{width}" if type_ == "double" and width else "",
    }  # fmt: skip
    text = f"{_ATTRIBUTES} {row.result} hc_{name}_T({row.parameters})\n{{\n    {row.body}\n}}"
    text = text.replace("_T(", f"_{type_}{width}(")
    for word, replacement in words.items():
        text = re.sub(rf"\b{word}\b", replacement, text)
    texts = [text.replace("SPACE", space) for space in spaces]
    if len(texts) > 1:
        texts.append(f"{_HAS_GENERIC}\n{text.replace('SPACE', 'generic')}\n#endif")
    return texts


def _head(name: str, type_: str, result: str, width: str, parameters: str) -> str:
    parameter_list = ", ".join(f"{type_}{width} {p}_" for p in parameters)
    wide = f"double{width}"
    conversions = ", ".join(f"{p} = convert_{wide}({p}_)" for p in parameters)
    return (
        f"static inline __attribute__((always_inline)) {result} "
        f"hc_{name}_{type_}{width}({parameter_list})\n"
        f"{{\n    {wide} {conversions};\n"
    )


def _each(name: str, type_: str, width: str) -> str:
    parameters, result = IN_DOUBLE[name]
    head = _head(name, type_, f"{type_}{width}", width, parameters)
    before = re.sub(r"\bD\b", f"double{width}", _BEFORE.get(name, ""))
    return f"{head}{before}    return convert_{type_}{width}({result});\n}}"


def _dot(type_: str, width: str) -> str:
    places = "0123456789abcdef"[: int(width or 1)]
    terms = (f"x.s{k} * y.s{k}" if width else "x * y" for k in places)
    return (
        f"{_head('dot', type_, type_, width, 'xy')}    return ({type_})({' + '.join(terms)});\n}}"
    )


def _cross(type_: str, width: str) -> str:
    parts = [f"x.s{i} * y.s{j} - x.s{j} * y.s{i}" for i, j in ((1, 2), (2, 0), (0, 1))]
    parts += ["0"] * (width == "4")
    head = _head("cross", type_, f"{type_}{width}", width, "xy")
    return f"{head}    return convert_{type_}{width}((double{width})({', '.join(parts)}));\n}}"
