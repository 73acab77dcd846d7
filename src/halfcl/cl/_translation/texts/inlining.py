"""Keeps a device's compiler from taking much longer for a translation than for its original.

It takes the longer the more it inlines and unrolls: for a convolution 28 times as long, for an
attention 10 times. So functions of halves that a text calls too often are not inlined, which costs
a kernel some time, and on CPUs, where it costs none, loops are unrolled by less than their author
says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from halfcl.cl._frontend import tree
from halfcl.cl._translation.numbers.constants import Value, value_of
from halfcl.cl._translation.target import Target, is_half
from halfcl.device._source.catalogue import forms
from halfcl.device._source.dialects import OPENCL
from halfcl.device._source.dialects.opencl import is_whole
from halfcl.device._source.text import size_of

#: How much text calls may be replaced by, in characters.
_MOST_INLINED = 300_000

#: How often compilers are taken to repeat the body of a loop that is to be unrolled, if they do not
#: know its passes; the most that they repeat; and that without a word of the author's.
_UNROLLED, _MOST_UNROLLED, _MOST_BY_THEMSELVES = 8, 64, 4

#: How often loops with too many functions of halves are unrolled on CPUs.
_FEW = 4

_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+).*unroll", re.MULTILINE)

_OPERATIONS = tree.Binary | tree.CompoundAssignment | tree.Conversion | tree.BuiltinCall


def called_functions(target: Target, text: str) -> frozenset[str]:
    """Return the functions that are not to be inlined."""
    weights = _weights(target, text)
    if sum(weights.values()) <= _MOST_INLINED:
        return frozenset()
    most = _MOST_INLINED / 20
    return frozenset(n for n, w in weights.items() if w > most and not _is_short(target, n, text))


def unrolls_too_much(target: Target, text: str) -> bool:
    """Return whether `limit_unrolling` is needed.

    It is not for short functions: compilers may take longer for what is unrolled in part.
    """
    weights = _weights(target, text) if _UNROLL.search(text) else {}
    long = (weight for name, weight in weights.items() if not _is_short(target, name, text))
    return sum(long) > _MOST_INLINED


def _weights(target: Target, text: str) -> dict[str, float]:
    """Return by function how much text its calls would be replaced by."""
    dialect, weights = OPENCL.variant(target.fp16), {}
    for name in sorted(target.functions):
        count = len(re.findall(rf"\bhc_{name}(?:_rt[ezpn])?\(|\bHC_IN\({name},", text))
        weights[name] = count * target.repetition * size_of(dialect, forms()[name][0])
    return weights


def _is_short(target: Target, name: str, text: str) -> bool:
    """Return whether all calls of a function to be inlined are a few instructions.

    They are to nearest, and Intel's runtime itself converts halves.
    """
    if not (target.is_intel and is_whole(forms()[name][0])):
        return False
    return not re.search(rf"\bhc_{name}_rt[zpn]\(|\bHC_IN\({name},", text)


#: What has a loop unrolled, up to a number if there is one, which may be a macro. Left alone are
#: those with more behind it.
_UNROLL = re.compile(
    r"(?P<pragma>_Pragma\s*\(\s*\"\s*unroll\b|^[ \t]*\#[ \t]*pragma[ \t]+unroll\b)"
    r"(?:[ \t(]*(?P<count>\w+)[ \t)]*|[ \t]*)(?=[\"/\r\n]|$)|"
    r"(?P<hint>\bopencl_unroll_hint(?:__)?)(?:\s*\(\s*(?P<times>\w+)\s*\)|(?!\s*\())",
    re.MULTILINE,
)


def limit_unrolling(text: str) -> str:
    """Return a text in which pragmas and attributes unroll loops by a small number at most."""
    return _UNROLL.sub(_limit_one, text)


def _limit_one(match: re.Match[str]) -> str:
    count = match["count"] or match["times"]
    if count is not None and count.isdecimal() and int(count) <= _FEW:
        return match[0]
    return f"{match['pragma']} {_FEW}" if match["pragma"] else f"{match['hint']}({_FEW})"


def repetition(
    program: tree.Program, line_of: Callable[[int], int], source: str, is_limited: bool = False
) -> float:
    """Return how many operations on scalars an operation on halves is: by vectors and loops.

    line_of: returns the line in the source of an offset in the preprocessed text; is_limited:
    whether `limit_unrolling` changes the text.
    """
    most = _FEW if is_limited else _MOST_UNROLLED
    unroll = re.compile("|".join(["unroll", *(rf"\b{name}\b" for name in _MACRO.findall(source))]))
    numbered = enumerate(_MACRO.sub("", source).split("\n"), 1)
    lines = {number for number, line in numbered if unroll.search(line)}
    counts: list[float] = []
    for function in program.functions.values():
        if function.body is not None:
            counts += _operations(
                function.body, 1, lambda loop: most if _unrolls(loop, line_of, lines) else 0
            )
    return sum(counts) / len(counts) if counts else 1.0


def _operations(
    node: tree.Node, passes: int, unrolls: Callable[[tree.Loop], int]
) -> Iterator[float]:
    """Yield for each operation on halves its width, times the passes of unrolled loops.

    unrolls: returns how many passes of a loop may be unrolled by the author's word, 0 without one.
    """
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


def _passes(loop: tree.Loop, most: int) -> int:
    """Return how often the compiler may repeat a loop's body; see `_operations` for most."""
    condition, step = loop.condition, loop.step
    first = _first_value(loop.start)
    unknown = min(_UNROLLED, most) or 1
    if first is None or not isinstance(condition, tree.Binary):
        return unknown
    last = value_of(condition.right, ("rte",))
    width = 1 if isinstance(step, tree.Increment) else None
    if isinstance(step, tree.CompoundAssignment):
        width = _whole(value_of(step.value, ("rte",)))
    if last is None or not width:
        return unknown
    passes = max(abs(int(last) - first) // abs(width), 1)
    return min(passes, most or _MOST_BY_THEMSELVES)


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
