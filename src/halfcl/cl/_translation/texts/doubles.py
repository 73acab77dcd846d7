"""Functions of float and double made of double operations, which each device has right.

They are computed in double and rounded once more for float, as in `numeric.floats` and
`.geometric`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

#: By OpenCL's name: parameters, and the result as an expression in doubles.
_RESULTS = {
    "rsqrt": ("x", "1 / sqrt(x)"),
    "mix": ("xya", "x + (y - x) * a"),
    "degrees": ("x", "x * (180 / M_PI)"),
    "radians": ("x", "x * (M_PI / 180)"),
}
_HELPER = re.compile(r"in_double_(\w+?)_(float|double)(\d*)")


def double_text(helpers: Collection[str]) -> list[str]:
    """Return the functions of those names, each for one type."""
    matches = [m for m in map(_HELPER.fullmatch, sorted(helpers)) if m]
    return [_dot(*m.groups()[1:]) if m[1] == "dot" else _each(*m.groups()) for m in matches]


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
    parameters, result = _RESULTS[name]
    head = _head(name, type_, f"{type_}{width}", width, parameters)
    return f"{head}    return convert_{type_}{width}({result});\n}}"


def _dot(type_: str, width: str) -> str:
    places = "0123456789abcdef"[: int(width or 1)]
    terms = (f"x.s{k} * y.s{k}" if width else "x * y" for k in places)
    return (
        f"{_head('dot', type_, type_, width, 'xy')}    return ({type_})({' + '.join(terms)});\n}}"
    )
