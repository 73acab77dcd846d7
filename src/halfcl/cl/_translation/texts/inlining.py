"""The functions of halves that a text calls too often for all of the calls to be inlined.

A device's compiler takes the longer the more it inlines: for a convolution 28 times as long as for
the original. Functions that are called instead cost a kernel some time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from halfcl.cl._frontend import tree
from halfcl.cl._translation.numbers.constants import Value, value_of
from halfcl.cl._translation.target import is_half
from halfcl.device._source.catalogue import forms
from halfcl.device._source.dialects import Dialect
from halfcl.device._source.text import size_of

#: How much text calls may be replaced by, in characters.
_MOST_INLINED = 300_000

#: How often compilers are taken to repeat the body of a loop that is to be unrolled, if they do not
#: know its passes; the most that they repeat; and that without a word of the author's.
_UNROLLED, _MOST_UNROLLED, _MOST_BY_THEMSELVES = 8, 64, 4

_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+).*unroll", re.MULTILINE)

_OPERATIONS = tree.Binary | tree.CompoundAssignment | tree.Conversion | tree.BuiltinCall


def called_functions(
    names: Iterable[str], dialect: Dialect, repetition: float, text: str
) -> frozenset[str]:
    """Return the functions that are not to be inlined.

    repetition: how often a call in the text is a call of a function of scalars.
    """
    weights = {}
    for name in names:
        count = len(re.findall(rf"\bhc_{name}(?:_rt[ezpn])?\(|\bHC_IN\({name},", text))
        weights[name] = count * repetition * size_of(dialect, forms()[name][0])
    if sum(weights.values()) <= _MOST_INLINED:
        return frozenset()
    return frozenset(n for n, weight in weights.items() if weight > _MOST_INLINED / 20)


def repetition(program: tree.Program, line_of: Callable[[int], int], source: str) -> float:
    """Return how many operations on scalars an operation on halves is: by vectors and loops.

    line_of: returns the line in the source of an offset in the preprocessed text.
    """
    unroll = re.compile("|".join(["unroll", *(rf"\b{name}\b" for name in _MACRO.findall(source))]))
    numbered = enumerate(_MACRO.sub("", source).split("\n"), 1)
    lines = {number for number, line in numbered if unroll.search(line)}
    counts: list[float] = []
    for function in program.functions.values():
        if function.body is not None:
            counts += _operations(function.body, 1, lambda loop: _unrolls(loop, line_of, lines))
    return sum(counts) / len(counts) if counts else 1.0


def _operations(
    node: tree.Node, passes: int, unrolls: Callable[[tree.Loop], bool]
) -> Iterator[float]:
    """Yield for each operation on halves its width, times the passes of unrolled loops."""
    if isinstance(node, _OPERATIONS):
        types = [child.type for child in node.children() if isinstance(child, tree.Expression)]
        widths = [type_.width for type_ in (node.type, *types) if is_half(type_)]
        if widths:
            yield widths[0] * passes
    if isinstance(node, tree.Loop):
        passes *= _passes(node, unrolls(node))
    for child in node.children():
        yield from _operations(child, passes, unrolls)


def _unrolls(loop: tree.Loop, line_of: Callable[[int], int], lines: set[int]) -> bool:
    """Return whether a loop is to be unrolled, by a pragma or an attribute in front of it."""
    if not lines:
        return False
    line = line_of(loop.at)
    return not lines.isdisjoint((line, line - 1))


def _passes(loop: tree.Loop, is_unrolled: bool) -> int:
    """Return how often the compiler may repeat a loop's body."""
    condition, step = loop.condition, loop.step
    first = _first_value(loop.start)
    unknown = _UNROLLED if is_unrolled else 1
    if first is None or not isinstance(condition, tree.Binary):
        return unknown
    last = value_of(condition.right, ("rte",))
    width = 1 if isinstance(step, tree.Increment) else None
    if isinstance(step, tree.CompoundAssignment):
        width = _whole(value_of(step.value, ("rte",)))
    if last is None or not width:
        return unknown
    most = _MOST_UNROLLED if is_unrolled else _MOST_BY_THEMSELVES
    return min(max(abs(int(last) - first) // abs(width), 1), most)


def _first_value(start: tree.Node | None) -> int | None:
    """Return the first value of a loop's variable, if it is a constant."""
    if isinstance(start, tree.Declare) and len(start.variables) == 1:
        initial = start.variables[0].initial
        return None if initial is None else _whole(value_of(initial, ("rte",)))
    if isinstance(start, tree.Evaluate) and isinstance(start.expression, tree.Assignment):
        return _whole(value_of(start.expression.value, ("rte",)))
    return None


def _whole(value: Value | None) -> int | None:
    return None if value is None else int(value)
