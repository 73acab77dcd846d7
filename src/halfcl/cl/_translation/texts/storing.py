"""Functions of half that store a second result in memory that is not private, in OpenCL C."""

from __future__ import annotations

import re
from collections.abc import Collection

#: By name: the parameters before the pointer, and whether it points to halves or to ints.
_FUNCTIONS = {
    "fract": ("x", "T"), "modf": ("x", "T"), "sincos": ("x", "T"), "frexp": ("x", "I"),
    "lgamma_r": ("x", "I"), "remquo": ("xy", "I"),
}  # fmt: skip

_HELPER = re.compile(r"hc_(\w+?)_to_([a-z]+)_half(\d*)")


def storing_function(name: str, space: str, type_: str) -> str:
    """Return the name of the text's function for a type and an address space."""
    return f"hc_{name}_to_{space}_{type_}"


def storing_text(helpers: Collection[str]) -> list[str]:
    """Return the functions of those names."""
    texts = []
    for match in filter(None, map(_HELPER.fullmatch, sorted(helpers))):
        name, space, width = match.groups()
        letters, kind = _FUNCTIONS[name]
        result = f"hc_half{width}"
        stored = result if kind == "T" else f"int{width}"
        parameters = "".join(f"{result} {letter}, " for letter in letters)
        texts.append(
            f"static inline __attribute__((always_inline)) {result} {match[0]}"
            f"({parameters}__{space} {stored} *p)\n{{\n"
            f"    {stored} second;\n"
            f"    {result} first = hc_{name}({', '.join(letters)}, &second);\n"
            f"    *p = second;\n    return first;\n}}"
        )
    return texts
