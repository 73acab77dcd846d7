"""OpenCL's built-in functions on values as in `halfcl.cl._interpreter.values.numbers`.

`find` returns the function for a call. The table in `_frontend.builtins` names the module and the
object that each built-in function has here: a maker, which takes the call's signature and returns
the function; or a `RunFunction`, where that is the same for all calls.
"""

from __future__ import annotations

import functools
from typing import cast

from halfcl.cl._frontend import builtins
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

__all__ = ["Effect", "RunFunction", "find", "maker", "reinterpretation", "unsaturated_mode"]

_MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        atomics, convert, copies, dots, geometric, groups, images, integer, math, printing,
        relational, vectors, workitems,
    )
}  # fmt: skip


def maker(function: str) -> Maker | RunFunction:
    """Return what a name in the table stands for."""
    module, _, name = function.partition(".")
    return cast(Maker | RunFunction, getattr(_MODULES[module], name))


@functools.lru_cache(maxsize=4096)
def find(name: str, arguments: tuple[Type, ...], result: Type, rounding: Mode) -> Function:
    """Return the function for a call, perhaps a `RunFunction`; generated code calls it."""
    builtin = builtins.find(name)
    overload = builtin and builtin.overload(arguments)
    assert builtin and overload, name  # the parser refuses other calls
    make = maker(overload.function)
    if isinstance(make, RunFunction):
        return make
    return make(Signature(builtin, arguments, result, rounding))
