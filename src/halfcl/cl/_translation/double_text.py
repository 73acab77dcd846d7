"""Functions of float that are made of operations of double, which each device has right.

Computed in double, and of float rounded once more, as `_builtins.wide` and `.geometric` do.
"""

from __future__ import annotations

import re
from collections.abc import Collection

#: By OpenCL's name: parameters, and the result of doubles.
_RESULTS = {
    "rsqrt": ("x", "1 / sqrt(x)"),
    "mix": ("xya", "x + (y - x) * a"),
    "degrees": ("x", "x * (180 / M_PI)"),
    "radians": ("x", "x * (M_PI / 180)"),
}
IN_DOUBLE = frozenset(("dot", *_RESULTS))
_HELPER = re.compile(r"in_double_(\w+?)_(float|double)(\d*)")


def double_text(helpers: Collection[str]) -> list[str]:
    """The functions of those names, each of one type."""
    matches = [m for m in map(_HELPER.fullmatch, sorted(helpers)) if m]
    return [_dot(*m.groups()[1:]) if m[1] == "dot" else _each(*m.groups()) for m in matches]


def _head(name: str, type_: str, result: str, width: str, parameters: str) -> str:
    given = ", ".join(f"{type_}{width} {p}_" for p in parameters)
    wide = f"double{width}"
    taken = ", ".join(f"{p} = convert_{wide}({p}_)" for p in parameters)
    return (
        f"static inline __attribute__((always_inline)) {result} hc_{name}_{type_}{width}({given})\n"
        f"{{\n    {wide} {taken};\n"
    )


def _each(name: str, type_: str, width: str) -> str:
    parameters, result = _RESULTS[name]
    head = _head(name, type_, f"{type_}{width}", width, parameters)
    return f"{head}    return convert_{type_}{width}({result});\n}}"


def _dot(type_: str, width: str) -> str:
    places = "0123456789abcdef"[: int(width or 1)]
    terms = (f"x.s{k} * y.s{k}" if width else "x * y" for k in places)
    return (
        f"{_head('dot', type_, type_, width, 'xy')}    return ({type_})({' + '.join(terms)});\n}}"
    )
