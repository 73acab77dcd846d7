"""Dot products of four bytes in an integer, an extension: written for any device."""

from __future__ import annotations

import re
from collections.abc import Collection

PACKED_DOT = re.compile(r"dot_(acc_sat_)?4x8packed_([us])([us])_(u?int)")

_BYTES = {"u": "uchar4", "s": "char4"}


def dot_text(helpers: Collection[str]) -> list[str]:
    """Return the functions of those names."""
    texts = []
    for name in sorted(helpers):
        if match := PACKED_DOT.fullmatch(name):
            texts.append(_text(name, *match.groups()))
    return texts


#: The saturated sum c + t of a number t. It uses neither add_sat nor a clamped sum of long, which
#: NVIDIA's compiler (driver 580) both turns into dp4a, which adds c and wraps around.
_SATURATED = {
    "int": "uint s = (uint)t + (uint)c;\n    return ((s ^ (uint)t) & (s ^ (uint)c)) >> 31 ? "
    "(c < 0 ? (int)0x80000000 : 0x7fffffff) : (int)s;",
    "uint": "uint s = t + c;\n    return s < c ? 0xffffffffu : s;",
}


def _text(name: str, saturates: str | None, left: str, right: str, type_: str) -> str:
    total = " + ".join(f"({type_})x.s{k} * y.s{k}" for k in range(4))
    more, end = (f", {type_} c", _SATURATED[type_]) if saturates else ("", "return t;")
    return (
        f"static inline __attribute__((always_inline)) {type_} hc_{name}(uint a, uint b{more})\n"
        f"{{\n    {_BYTES[left]} x = as_{_BYTES[left]}(a);\n"
        f"    {_BYTES[right]} y = as_{_BYTES[right]}(b);\n    {type_} t = {total};\n    {end}\n}}"
    )
