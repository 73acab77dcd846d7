"""Dot products of four bytes in an integer, an extension: written for any device."""

from __future__ import annotations

from collections.abc import Collection

from halfcl.cl._frontend.builtins import Builtin, find

_BYTES = {"u": "uchar4", "s": "char4"}


def dot_text(helpers: Collection[str]) -> list[str]:
    """Return the functions of those names."""
    texts = []
    for name in sorted(helpers):
        builtin = find(name)
        if builtin is not None and builtin.family == "packed dot":
            texts.append(_text(builtin))
    return texts


#: The saturated sum c + t of a number t. It uses neither add_sat nor a clamped sum of long, which
#: NVIDIA's compiler (driver 580) both turns into dp4a, which adds c and wraps around.
_SATURATED = {
    "int": "uint s = (uint)t + (uint)c;\n    return ((s ^ (uint)t) & (s ^ (uint)c)) >> 31 ? "
    "(c < 0 ? (int)0x80000000 : 0x7fffffff) : (int)s;",
    "uint": "uint s = t + c;\n    return s < c ? 0xffffffffu : s;",
}


def _text(builtin: Builtin) -> str:
    first, second = map(_BYTES.__getitem__, builtin.parts["signs"])
    type_ = builtin.parts["result"]
    total = " + ".join(f"({type_})x.s{k} * y.s{k}" for k in range(4))
    saturates = "acc_sat" in builtin.stem
    more, end = (f", {type_} c", _SATURATED[type_]) if saturates else ("", "return t;")
    return (
        f"static inline __attribute__((always_inline)) {type_} "
        f"hc_{builtin.name}(uint a, uint b{more})\n"
        f"{{\n    {first} x = as_{first}(a);\n"
        f"    {second} y = as_{second}(b);\n    {type_} t = {total};\n    {end}\n}}"
    )
