"""OpenCL's built-in functions, over values as `halfcl.cl._numbers` has them.

`find` gives the function for a call. Each module has a table of its own, from names to makers:
a maker takes the call's signature, and gives None if it has no function for it.
"""

from __future__ import annotations

import functools

from halfcl.cl._builtins import (
    atomics,
    convert,
    copies,
    dots,
    geometric,
    images,
    integer,
    math,
    printing,
    relational,
    teams,
    vectors,
    workitems,
)
from halfcl.cl._builtins.convert import reinterpretation, unsaturated
from halfcl.cl._builtins.images import sampler, sampler_bits
from halfcl.cl._builtins.kinds import Effect, Function, Maker, OfRun, Signature
from halfcl.cl._tree import Mode
from halfcl.cl._types import Type

__all__ = [
    "OF_NUMBERS",
    "Effect",
    "OfRun",
    "find",
    "reinterpretation",
    "sampler",
    "sampler_bits",
    "unsaturated",
]

_TABLES = (
    workitems, math, integer, geometric, relational, vectors, images, convert, atomics, copies,
    printing, dots, teams,
)  # fmt: skip

#: What rounds results of its own: math, common and geometric functions.
OF_NUMBERS = frozenset({*math.MAKERS, *geometric.MAKERS})

#: max, min and clamp are in two tables, of integers and of the others.
_MAKERS: dict[str, list[Maker]] = {}
for _table in _TABLES:
    for _name, _maker in _table.MAKERS.items():
        _MAKERS.setdefault(_name, []).append(_maker)


@functools.lru_cache(maxsize=4096)
def find(name: str, arguments: tuple[Type, ...], result: Type, rounding: Mode) -> Function | None:
    """The function for a call: generated code calls it by `OfRun` and `Effect`.

    None if there is none: the parser asks first, and refuses the call.
    """
    signature = Signature(name, arguments, result, rounding)
    for maker in _MAKERS.get(name, ()):
        if found := maker(signature):
            return found
    return None
