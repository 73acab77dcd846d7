"""Dot products of four bytes in an integer, which are an extension: written out for any device."""

from __future__ import annotations

import re
from collections.abc import Collection

PACKED_DOT = re.compile(r"dot_(acc_sat_)?4x8packed_([us])([us])_(u?int)")

_BYTES = {"u": "uchar4", "s": "char4"}


def dot_text(helpers: Collection[str]) -> list[str]:
    """The functions of those names."""
    found = []
    for name in sorted(helpers):
        if match := PACKED_DOT.fullmatch(name):
            found.append(_text(name, *match.groups()))
    return found


def _text(name: str, saturates: str | None, left: str, right: str, type_: str) -> str:
    total = " + ".join(f"({type_})x.s{k} * y.s{k}" for k in range(4))
    more = f", {type_} c" if saturates else ""
    if saturates:  # not by add_sat, which NVIDIA (driver 580) makes one instruction with the sum
        wide = {"int": "long", "uint": "ulong"}[type_]
        total = f"convert_{type_}_sat(({wide})({total}) + c)"
    return (
        f"static inline __attribute__((always_inline)) {type_} hc_{name}(uint a, uint b{more})\n"
        f"{{\n    {_BYTES[left]} x = as_{_BYTES[left]}(a);\n"
        f"    {_BYTES[right]} y = as_{_BYTES[right]}(b);\n    return {total};\n}}"
    )
