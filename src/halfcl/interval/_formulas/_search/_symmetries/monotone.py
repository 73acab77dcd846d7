"""Variables in which a formula is monotone whatever the others are: extremes are at their ends.

For given numbers of all other variables, w a + (1 - w) b rises or falls with w, though it is not
known which, and so does (a w + b) / (c w + d) where it has no pole. So do monotone functions of
these. A piece of a box then has no lesser values than the two at the ends of w, which take its
place: unlike the halves of a piece, these have a variable less.

A variable that occurs only in floor(x) need only be an integer. Between two of them is nothing to
search, though the formula jumps there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas._search._symmetries.changes import integer
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._protocols import SYNONYMS

#: How a part of a formula depends on a variable: not at all; a w + b; (a w + b) / (c w + d); as a
#: monotone function, which rises or falls by the others; in another way.
_NOT, _LINEAR, _RATIO, _MONOTONE, _OTHER = range(5)
#: Monotone functions, by whether they are defined for all numbers.
_EVERYWHERE = frozenset((
    "exp", "exp2", "exp10", "expm1", "sinh", "tanh", "asinh", "atan", "cbrt", "erf", "erfc",
    "floor", "ceil", "trunc", "sign",
))  # fmt: skip
_SOMEWHERE = frozenset((
    "sqrt", "rsqrt", "log", "log2", "log10", "log1p", "asin", "acos", "acosh", "atanh", "tan",
))  # fmt: skip
_SCALED = ("neg", "positive", "radians", "degrees")


class _Shape(NamedTuple):
    """How a part depends on a variable.

    is_total: whether it is defined for all numbers that the variable may be, or for none. divisor:
    the name of c w + d, if it is a ratio.
    """

    kind: int
    is_total: bool = True
    divisor: tuple[str, int] = ("", 0)


_CONSTANT, _UNKNOWN = _Shape(_NOT), _Shape(_OTHER, False)


class Monotone(NamedTuple):
    """The variables in which a formula is monotone on boxes where it is defined, and on all."""

    where_defined: NDArray[np.bool_]
    everywhere: NDArray[np.bool_]


def monotone_variables(program: Program) -> Monotone:
    """Return the variables in which a program's first result is monotone."""
    steps = program.steps_for({program.roots[0]})
    shapes = [_shape_of(program, steps, i) for i in range(program.count)]
    is_known = np.array([_NOT < shape.kind < _OTHER for shape in shapes])
    return Monotone(is_known, is_known & np.array([shape.is_total for shape in shapes]))


def _shape_of(program: Program, steps: list[Step], variable: int) -> _Shape:
    shapes = {variable: _Shape(_LINEAR)}
    for step in steps:
        own = [shapes.get(slot, _CONSTANT) for slot in step.operands]
        if any(x is not _CONSTANT for x in own):
            shapes[step.slot] = _apply(step, own)
    return shapes.get(program.roots[0], _CONSTANT)


def _apply(step: Step, own: list[_Shape]) -> _Shape:
    """Return the shape of a step's result."""
    name = SYNONYMS.get(step.name, step.name)
    if any(x.kind == _OTHER for x in own) or step.part:
        return _UNKNOWN
    if name in _SCALED:
        return own[0]
    if name in ("add", "sub", "total"):
        return reduce(_sum, own)
    if name == "mul":
        return _product(*own)
    if name == "fma":
        return _sum(_product(*own[:2]), own[2])
    if name in ("div", "recip"):
        return _quotient(step, *([_CONSTANT, *own][-2:]))
    if name in _EVERYWHERE:
        return _Shape(_MONOTONE, own[0].is_total)
    if name in _SOMEWHERE:
        return _Shape(_MONOTONE, False)
    return _of_others(step, name, own)


def _of_others(step: Step, name: str, own: list[_Shape]) -> _Shape:
    """Return the shape of a power, or of the greater or lesser one of two numbers."""
    if name == "pown":
        n = integer(step.others[0])
        return _Shape(_MONOTONE, own[0].is_total and n > 0) if n % 2 else _UNKNOWN
    if name not in ("pow", "min", "max") or len(own) != 2 or _CONSTANT not in own:
        return _UNKNOWN
    return _Shape(_MONOTONE, name != "pow" and all(x.is_total for x in own))


def _sum(x: _Shape, y: _Shape) -> _Shape:
    if x.kind == _NOT or y.kind == _NOT:
        return y if x.kind == _NOT else x
    if x.kind == y.kind and x.kind != _MONOTONE and x.divisor == y.divisor:
        return x
    return _UNKNOWN


def _product(x: _Shape, y: _Shape) -> _Shape:
    if x.kind == _NOT or y.kind == _NOT:
        return y if x.kind == _NOT else x
    return _UNKNOWN


def _quotient(step: Step, x: _Shape, y: _Shape) -> _Shape:
    """Return the shape of x / y. A monotone divisor has one sign where the quotient is defined."""
    if y.kind == _NOT:
        return x
    if y.kind == _LINEAR and x.kind <= _LINEAR:
        return _Shape(_RATIO, False, ("", step.operands[-1]))
    if y.kind == _RATIO and (x.kind == _NOT or (x.kind == _RATIO and x.divisor == y.divisor)):
        return _Shape(_RATIO, False, ("dividend of", step.operands[-1]))
    return _Shape(_MONOTONE, False) if x.kind == _NOT else _UNKNOWN


def integer_variables(programs: Sequence[Program]) -> list[int]:
    """Return the variables that occur only in floor(x), which need only be integers."""
    count = programs[0].count
    uses: list[set[str]] = [set() for _ in range(count)]
    for program in programs:
        for step in program.steps:
            for slot in step.operands:
                if slot < count:
                    uses[slot].add(step.name)
        for root in program.roots:
            if root < count:
                uses[root].add("")
    return [i for i, names in enumerate(uses) if names == {"floor"}]
