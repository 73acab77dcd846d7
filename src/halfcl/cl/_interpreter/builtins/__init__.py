"""OpenCL's built-in functions on values as in `halfcl.cl._interpreter.values.numbers`.

`find` returns the function for a call. Each module has a table from names to makers: a maker takes
the call's signature, and returns None if it has no function for it.
"""

from __future__ import annotations

import functools

from halfcl.cl._frontend.tree import Mode
from halfcl.cl._frontend.types import Type
from halfcl.cl._interpreter.builtins import (
    atomics,
    copies,
    groups,
    images,
    printing,
    vectors,
    workitems,
)
from halfcl.cl._interpreter.builtins.kinds import Effect, Function, Maker, RunFunction, Signature
from halfcl.cl._interpreter.builtins.numeric import (
    convert,
    dots,
    geometric,
    integer,
    math,
    relational,
)
from halfcl.cl._interpreter.builtins.numeric.convert import reinterpretation, unsaturated_mode

__all__ = [
    "ROUNDING_FUNCTIONS",
    "Effect",
    "RunFunction",
    "find",
    "reinterpretation",
    "unsaturated_mode",
]

_TABLES = (
    workitems, math, integer, geometric, relational, vectors, images, convert, atomics, copies,
    printing, dots, groups,
)  # fmt: skip

#: Functions that round their results: math, common and geometric functions.
ROUNDING_FUNCTIONS = frozenset({*math.MAKERS, *geometric.MAKERS})

#: max, min and clamp are in two tables, one for integers.
_MAKERS: dict[str, list[Maker]] = {}
for _table in _TABLES:
    for _name, _maker in _table.MAKERS.items():
        _MAKERS.setdefault(_name, []).append(_maker)


@functools.lru_cache(maxsize=4096)
def find(name: str, arguments: tuple[Type, ...], result: Type, rounding: Mode) -> Function | None:
    """Return the function for a call, or None; generated code calls it.

    The result may be a `RunFunction` or an `Effect`. The parser refuses the call if it is None.
    """
    signature = Signature(name, arguments, result, rounding)
    for maker in _MAKERS.get(name, ()):
        if function := maker(signature):
            return function
    return None
