"""Calls of built-in functions in CUDA C++: halfcl.device's for halves, else the prelude's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from halfcl import MODES
from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import DOUBLE, FLOAT, HALF, Number, Pointer, Scalar, Type, Vector
from halfcl.cl._interpreter.builtins.numeric import geometric, integer, wide
from halfcl.cl._translation.builtins import COLLECTIVE, CONVERT, MEMORY, RIGHT, accepts_operands
from halfcl.cl._translation.cpp.values import quote
from halfcl.cl._translation.sub_groups import ARGUMENTS, COMBINATION, IDS, LANES, VOTE, id_function
from halfcl.cl._translation.target import is_half
from halfcl.device._source.catalogue import forms


class Writer(Protocol):
    """The interface of the writer of expressions."""

    def __call__(self, node: tree.Expression) -> str: ...
    def bare(self, node: tree.Expression) -> str: ...
    def type(self, type_: Type) -> str: ...
    def plain(self, name: str) -> str: ...
    def convert(self, text: str, source: Number, result: Number, mode: tree.Mode) -> str: ...
    def refuse(self, node: tree.Node, what: str) -> str: ...


#: Work-item functions that need the launch's grid, and those that do not.
GRID_FUNCTIONS = frozenset(
    """get_global_id get_global_size get_global_offset get_work_dim get_global_linear_id""".split()
)
_BLOCK_FUNCTIONS = frozenset(
    """get_local_id get_local_size get_group_id get_num_groups get_local_linear_id""".split()
)
_FENCES = ("mem_fence", "read_mem_fence", "write_mem_fence")

#: Predicates of numbers: true is 1 for scalars, -1 for vectors.
_PREDICATES = frozenset(
    """isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf
    isnan isnormal isordered isunordered signbit""".split()
)
_BIT_FUNCTIONS = frozenset(("select", "bitselect", "shuffle", "shuffle2", "any", "all"))
_COPIES = re.compile(r"async_work_group_(strided_)?copy")
_VECTORS = re.compile(r"v(load|store)(\d+)")
_ATOMIC = re.compile(r"atom(?:ic)?_(\w+)")


def builtin_call(writer: Writer, node: tree.BuiltinCall) -> str:
    """Return the text of one call."""
    name = node.name
    for pattern, make in _PATTERNS:
        if match := pattern.fullmatch(name):
            return make(writer, node, match)
    numbers = [a.type for a in node.arguments if isinstance(a.type, Scalar | Vector)]
    if name in _PREDICATES or name in _BIT_FUNCTIONS:
        return _truth(writer, node)
    kinds = [*numbers, *(a.type.pointee for a in node.arguments if isinstance(a.type, Pointer))]
    if any(map(is_half, (node.type, *kinds))):
        return _half_function(writer, node)
    return _other_function(writer, node, numbers)


def _arguments(writer: Writer, node: tree.BuiltinCall, spreads: bool = False) -> list[str]:
    """Return the arguments' texts. spreads: whether scalars beside vectors become vectors."""
    width = max((a.type.width for a in node.arguments if isinstance(a.type, Vector)), default=1)
    texts = []
    for argument in node.arguments:
        text = writer.bare(argument)
        if spreads and width > 1 and isinstance(argument.type, Scalar):
            text = f"hcl_splat<{width}>({text})"
        texts.append(text)
    return texts


# ---------------------------------------------------------------- numbers


def _truth(writer: Writer, node: tree.BuiltinCall) -> str:
    text = f"hcl_{node.name}({', '.join(_arguments(writer, node))})"
    return text if node.name not in _PREDICATES or isinstance(node.type, Vector) else f"(int){text}"


def _half_function(writer: Writer, node: tree.BuiltinCall) -> str:
    name = node.name.removeprefix("fast_")
    if name not in forms() or not accepts_operands(name, node):
        return writer.refuse(node, f"{node.name} of half")
    spreads = name not in geometric.MAKERS
    return f"{writer.plain(name)}({', '.join(_arguments(writer, node, spreads))})"


def _other_function(writer: Writer, node: tree.BuiltinCall, numbers: list[Number]) -> str:
    name = node.name
    if any(t.is_floating for t in (node.type, *numbers) if isinstance(t, Scalar | Vector)):
        name = "fma" if name == "mad" else name
        if name not in RIGHT:
            what = "not bit-identical across devices" if name in wide.FUNCTIONS else ""
            number = next(t for t in (node.type, *numbers) if getattr(t, "is_floating", False))
            return writer.refuse(node, f"{node.name} of {number}{what and f', {what}'}")
    elif name not in integer.MAKERS:
        return writer.refuse(node, name)
    return f"hcl_{name}({', '.join(_arguments(writer, node, True))})"


def _convert(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    argument = node.arguments[0]
    source, result = argument.type, node.type
    one, other = source.element, result.element
    mode: tree.Mode = match[4]  # type: ignore[assignment]  # one of them
    text = writer.bare(argument)
    if one == other:
        return writer(argument)
    if other.is_floating:
        return writer.convert(text, source, result, mode or node.rounding)
    if one == HALF:
        ending = f"_{mode}" if mode else ""
        called = writer.plain(f"convert_{other}{match[3] or ''}")
        return f"{called}{ending}({text})"
    to = writer.type(other)
    if not one.is_floating:
        if match[3]:
            return f"hcl_integer_to_sat<{to}>({text})"
        return writer.convert(text, source, result, "rte")
    return f"hcl_to_{'sat' if match[3] else 'whole'}<{to}, {MODES.index(mode or 'rtz')}>({text})"


# ---------------------------------------------------------------- memory


def _load_or_store(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    arguments = ", ".join(_arguments(writer, node))
    return f"hcl_load<{match[2]}>({arguments})" if match[1] == "load" else f"hcl_store({arguments})"


def _half_memory(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    """Translate vload_half to a load and a conversion, vstore_half to a conversion and a store."""
    does, width = match[1], match[3]
    pointer, offset = writer(node.arguments[-1]), writer(node.arguments[-2])
    if match[2] and width == "3":  # three have the memory of four
        pointer, offset = f"({pointer} + 4 * (hc_ulong){offset})", "0"
    if does == "load":
        half = types.number_type(HALF, node.type.width)
        loaded = f"hcl_load<{width}>({offset}, {pointer})" if width else f"{pointer}[{offset}]"
        return writer.convert(loaded, half, node.type, "rte")
    value = node.arguments[0]
    mode: tree.Mode = match[4]  # type: ignore[assignment]  # one of them
    half = types.number_type(HALF, value.type.width)
    text = writer.convert(writer(value), value.type, half, mode or node.rounding)
    return f"hcl_store({text}, {offset}, {pointer})"


def _copy(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    to, source, count, *rest = node.arguments
    step = writer.bare(rest[0]) if match[1] else "1"
    steps = ("1", step) if to.type.space == "local" else (step, "1")
    arguments = [writer.bare(to), writer.bare(source), writer.bare(count), *steps]
    return f"hcl_copy({', '.join(arguments)})"


# ---------------------------------------------------------------- work-items


def _work_item(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    arguments = _arguments(writer, node)
    if node.arguments:
        arguments = [t[:-1] if re.fullmatch(r"\d+u", t) else f"(int)({t})" for t in arguments]
    if node.name in GRID_FUNCTIONS:
        arguments.insert(0, "hc_work")
    name = node.name.replace("enqueued_", "")
    return f"hcl_{name}({', '.join(arguments)})"


def _barrier(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    return "__syncthreads()"


def _fence(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    return "__threadfence()"


def _atomic(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    pointee = node.arguments[0].type.pointee
    if pointee.size != 4:
        return writer.refuse(node, f"{node.name} of {pointee}")
    return f"hcl_atomic_{match[1]}({', '.join(_arguments(writer, node))})"


def _collective(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    name = node.name
    combines = re.fullmatch(r"work_group_(?:reduce|scan_\w+)_(\w+)", name)
    if COLLECTIVE.match(name) and node.type.is_floating:
        return writer.refuse(node, f"{name} of {node.type}, whose order each device chooses")
    if combines and (combines[1] not in ("add", "min", "max") or node.type.is_floating):
        return writer.refuse(node, f"{name} of {node.type}")
    return f"hcl_{name}({', '.join(_arguments(writer, node))})"


def _nothing(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    return "((void)0)"


# ---------------------------------------------------------------- sub-groups


def _combine_in_sub_group(kind: str, operation: str, value: str) -> str:
    return f"hcl_team_{kind}<hcl_team_{operation}>({value}, {ARGUMENTS})"


def _sub_group_combination(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    return _combine_in_sub_group(match[1], match[2], writer.bare(node.arguments[0]))


def _sub_group_vote(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    truth = f"(int)({writer(node.arguments[0])} != 0)"
    return _combine_in_sub_group("reduce", "and" if match[1] == "all" else "or", truth)


def _sub_group(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    name, arguments = node.name, _arguments(writer, node)
    if name in IDS:
        return f"{id_function(name)}(hc_lanes)"
    if name == "sub_group_barrier" and len(arguments) == 1:
        return "__syncthreads()"
    if name not in LANES:
        return writer.refuse(node, name)
    before, behind = LANES[name]
    return f"hcl_team_lane({arguments[0]}, {before}{arguments[1]}{behind}, {ARGUMENTS})"


# ---------------------------------------------------------------- images


def _read_image(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    image, *sampler, at = _arguments(writer, node)
    return f"hcl_{node.name}({image}, {sampler[0] if sampler else 'HCI_NO_SAMPLER'}, {at})"


def _write_image(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    return f"hcl_write_image({', '.join(_arguments(writer, node))})"


def _image_query(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    width = f"<{node.type.width}>" if isinstance(node.type, Vector) else ""
    return f"hcl_{node.name}{width}({', '.join(_arguments(writer, node))})"


# ---------------------------------------------------------------- printf


def _printf(writer: Writer, node: tree.BuiltinCall, match: re.Match[str]) -> str:
    arguments = []
    for argument in node.arguments:
        type_ = argument.type
        text = _literal_text(argument)
        if text is not None:
            arguments.append(quote(text.value))
        elif isinstance(type_, Vector):
            return writer.refuse(node, "printf of vectors")
        elif type_ in (HALF, FLOAT, DOUBLE):
            arguments.append(writer.convert(writer(argument), type_, DOUBLE, "rte"))
        elif isinstance(type_, Scalar):
            arguments.append(writer.bare(argument))
        else:
            return writer.refuse(node, f"printf of {type_}")
    return f"printf({', '.join(arguments)})"


def _literal_text(node: tree.Expression) -> tree.Text | None:
    while isinstance(node, tree.Reinterpretation | tree.AddressOf):
        node = node.operand if isinstance(node, tree.Reinterpretation) else node.target
    return node if isinstance(node, tree.Text) else None


_Make = Callable[[Writer, tree.BuiltinCall, "re.Match[str]"], str]

_PATTERNS: tuple[tuple[re.Pattern[str], _Make], ...] = (
    (re.compile(r"read_image(\w+)"), _read_image),
    (re.compile(r"write_image(\w+)"), _write_image),
    (re.compile(r"get_image_(\w+)"), _image_query),
    (COMBINATION, _sub_group_combination),
    (VOTE, _sub_group_vote),
    (re.compile(r"\w*sub_group\w*"), _sub_group),
    (re.compile(r"printf"), _printf),
    (MEMORY, _half_memory),
    (CONVERT, _convert),
    (_VECTORS, _load_or_store),
    (_COPIES, _copy),
    (re.compile(r"wait_group_events|barrier|work_group_barrier"), _barrier),
    (re.compile("|".join(_FENCES)), _fence),
    (
        re.compile("|".join((*GRID_FUNCTIONS, *_BLOCK_FUNCTIONS, "get_enqueued_local_size"))),
        _work_item,
    ),
    (_ATOMIC, _atomic),
    (re.compile(r"work_group_\w+"), _collective),
    (re.compile(r"prefetch"), _nothing),
)
