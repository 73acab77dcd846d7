"""Calls of built-in functions in C++: halfcl.device's for halves, else the prelude's."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Protocol

from halfcl import MODES
from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.builtins import TABLE
from halfcl.cl._frontend.literals.formats import REALS, SIGNED, Conversion, parse_format
from halfcl.cl._frontend.literals.strings import quote
from halfcl.cl._frontend.types import (
    DOUBLE,
    FLOAT,
    HALF,
    Number,
    Pointer,
    Scalar,
    Type,
    Vector,
)
from halfcl.cl._translation.builtins import (
    accepts_operands,
    first_floating,
    inexact,
    text_in,
)
from halfcl.cl._translation.result import FloatFunctions
from halfcl.cl._translation.sub_groups import (
    LANES,
    LANES_OF_TWO,
    arguments_of_group,
    combination_of,
    lane_function,
    vote_operation,
)
from halfcl.cl._translation.target import is_half
from halfcl.device._source.catalogue import forms
from halfcl.device._source.dialects import ProgramWords


class Writer(Protocol):
    """The interface of the writer of expressions."""

    words: ProgramWords
    float_functions: FloatFunctions

    def __call__(self, node: tree.Expression) -> str: ...
    def bare(self, node: tree.Expression) -> str: ...
    def type(self, type_: Type) -> str: ...
    def plain(self, name: str) -> str: ...
    def convert(self, text: str, source: Number, result: Number, mode: tree.Mode) -> str: ...
    def refuse(self, node: tree.Node, what: str) -> str: ...
    def leave(self, node: tree.BuiltinCall, type_: Type) -> None: ...


#: Work-item functions that need the launch's grid.
GRID_FUNCTIONS = frozenset(row.name for row in TABLE.values() if row.family == "work-item")


def builtin_call(writer: Writer, node: tree.BuiltinCall) -> str:
    """Return the text of one call."""
    write = _BY_FAMILY.get(node.builtin.family)
    if write is not None:
        return write(writer, node)
    types_ = (node.type, *(a.type for a in node.arguments))
    if any(is_half(t.pointee if isinstance(t, Pointer) else t) for t in types_):
        return _half_function(writer, node)
    return _other_function(writer, node)


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
    is_truth = node.builtin.overloads[0].result == "B" and isinstance(node.type, Scalar)
    return f"(int){text}" if is_truth else text


def _half_function(writer: Writer, node: tree.BuiltinCall) -> str:
    name = node.builtin.stem
    if name not in forms() or not accepts_operands(name, node):
        return writer.refuse(node, f"{node.name} of half")
    spreads = node.builtin.family != "geometric"
    return f"{writer.plain(name)}({', '.join(_arguments(writer, node, spreads))})"


def _other_function(writer: Writer, node: tree.BuiltinCall) -> str:
    builtin, floating = node.builtin, first_floating(node)
    name = builtin.name
    if floating is not None:
        if builtin.family not in ("math", "geometric"):
            return writer.refuse(node, f"{name} of {floating}")
        return _floating_function(writer, node, floating)
    if builtin.family not in ("math", "integer", "geometric", "dot", "packed dot"):
        return writer.refuse(node, name)
    spreads = builtin.family in ("math", "integer")
    return f"hcl_{name}({', '.join(_arguments(writer, node, spreads))})"


def _floating_function(writer: Writer, node: tree.BuiltinCall, floating: Number) -> str:
    """Return a call of a function of float or double: the text's own, or the device's."""
    builtin = node.builtin
    arguments = ", ".join(_arguments(writer, node, True))
    if builtin.is_open and writer.float_functions == "device":
        writer.leave(node, floating)
        return f"hcl_device_{builtin.stem}({arguments})"
    if not builtin.device:
        return writer.refuse(node, inexact(node, floating))
    has_own_name = builtin.device in ("own", "text", "double")
    return f"hcl_{builtin.stem if has_own_name else builtin.device}({arguments})"


def _convert(writer: Writer, node: tree.BuiltinCall) -> str:
    parts, argument = node.builtin.parts, node.arguments[0]
    source, result = argument.type, node.type
    one, other = source.element, result.element
    mode = node.builtin.mode
    text = writer.bare(argument)
    if one == other:
        return writer(argument)
    if other.is_floating:
        return writer.convert(text, source, result, mode or node.rounding)
    if one == HALF:
        called = writer.plain(f"convert_{other}{parts['saturates']}")
        return f"{called}{parts['mode']}({text})"
    to = writer.type(other)
    if not one.is_floating:
        if parts["saturates"]:
            return f"hcl_integer_to_sat<{to}>({text})"
        return writer.convert(text, source, result, "rte")
    kind = "sat" if parts["saturates"] else "whole"
    return f"hcl_to_{kind}<{to}, {MODES.index(mode or 'rtz')}>({text})"


# ---------------------------------------------------------------- memory


def _load_or_store(writer: Writer, node: tree.BuiltinCall) -> str:
    arguments = ", ".join(_arguments(writer, node))
    if node.builtin.effect == "read":
        return f"hcl_load<{node.builtin.parts['width']}>({arguments})"
    return f"hcl_store({arguments})"


def _half_memory(writer: Writer, node: tree.BuiltinCall) -> str:
    """Translate vload_half to a load and a conversion, vstore_half to a conversion and a store."""
    builtin = node.builtin
    width = builtin.parts.get("width", "")
    pointer, offset = writer(node.arguments[-1]), writer(node.arguments[-2])
    if width == "3" and builtin.parts["aligned"]:  # three have the memory of four
        pointer, offset = f"({pointer} + 4 * (hc_ulong){offset})", "0"
    if builtin.effect == "read":
        half = types.number_type(HALF, node.type.width)
        loaded = f"hcl_load<{width}>({offset}, {pointer})" if width else f"{pointer}[{offset}]"
        return writer.convert(loaded, half, node.type, "rte")
    value = node.arguments[0]
    half = types.number_type(HALF, value.type.width)
    text = writer.convert(writer(value), value.type, half, builtin.mode or node.rounding)
    return f"hcl_store({text}, {offset}, {pointer})"


def _copy(writer: Writer, node: tree.BuiltinCall) -> str:
    to, source, count, *rest = node.arguments
    step = writer.bare(rest[0]) if len(rest) > 1 else "1"
    steps = ("1", step) if to.type.space == "local" else (step, "1")
    arguments = [writer.bare(to), writer.bare(source), writer.bare(count), *steps]
    return f"hcl_copy({', '.join(arguments)})"


# ---------------------------------------------------------------- work-items


def _work_item(writer: Writer, node: tree.BuiltinCall) -> str:
    arguments = _arguments(writer, node)
    if node.arguments:
        arguments = [t[:-1] if re.fullmatch(r"\d+u", t) else f"(int)({t})" for t in arguments]
    if node.name in GRID_FUNCTIONS:
        arguments.insert(0, "hc_work")
    name = node.name.replace("enqueued_", "")
    return f"hcl_{name}({', '.join(arguments)})"


def _barrier(writer: Writer, node: tree.BuiltinCall) -> str:
    return writer.words.barrier


def _fence(writer: Writer, node: tree.BuiltinCall) -> str:
    return writer.words.fence


def _atomic(writer: Writer, node: tree.BuiltinCall) -> str:
    pointee = node.arguments[0].type.pointee
    if pointee.size < 4:
        return writer.refuse(node, f"{node.name} of {pointee}")
    return f"hcl_atomic_{node.builtin.stem}({', '.join(_arguments(writer, node))})"


def _address_space(writer: Writer, node: tree.BuiltinCall) -> str:
    text = f"hcl_address_{node.name}({writer.bare(node.arguments[0])})"
    return f"(({writer.type(node.type)}){text})" if isinstance(node.type, Pointer) else text


#: By their names, the functions of the text for C11's atomics, and how many operands they have.
_ORDERED = {
    "init": ("store", 2),
    "store": ("store", 2),
    "load": ("load", 1),
    "exchange": ("xchg", 2),
    "compare_exchange_strong": ("compare", 3),
    "compare_exchange_weak": ("compare", 3),
    "flag_test_and_set": ("set_flag", 1),
    "flag_clear": ("clear_flag", 1),
}


def _ordered_atomic(writer: Writer, node: tree.BuiltinCall) -> str:
    """Write an atomic function of C11 between two fences, unless its order is relaxed."""
    fetched = node.builtin.parts.get("fetched")
    name = node.name.removeprefix("atomic_").removesuffix("_explicit")
    called, count = (fetched, 2) if fetched else _ORDERED[name]
    call = f"hcl_atomic_{called}({', '.join(_arguments(writer, node)[:count])})"
    orders = [a.value for a in node.arguments[count:] if isinstance(a, tree.Literal)]
    is_relaxed = name == "init" or (node.builtin.parts["explicit"] and orders[:1] == [0])
    return call if is_relaxed else f"HCL_ORDERED({call})"


def _of_compiler(writer: Writer, node: tree.BuiltinCall) -> str:
    stem = node.builtin.stem.removeprefix("__builtin_")
    text = f"hcl_{stem}({', '.join(_arguments(writer, node))})"
    return f"(int){text}" if node.type == types.INT else text


def _nothing(writer: Writer, node: tree.BuiltinCall) -> str:
    return "((void)0)"


# ---------------------------------------------------------------- sub-groups


def _sub_group(writer: Writer, node: tree.BuiltinCall) -> str:
    name, shared = node.name, arguments_of_group(node)
    arguments = _arguments(writer, node)
    if function := lane_function(node.builtin):
        return f"{function}({', '.join([*arguments, 'hc_lanes'])})"
    if name == "sub_group_barrier" and len(arguments) == 1:
        return writer.words.barrier
    kind, operation = combination_of(node.builtin) or ("", vote_operation(node.builtin))
    if operation:
        if not kind or operation.startswith("logical_"):
            arguments[0] = f"(int)({writer(node.arguments[0])} != 0)"
        combination = f"{kind or 'reduce'}<hcl_team_{operation}>"
        return f"hcl_team_{combination}({', '.join([*arguments, shared])})"
    if name in LANES:
        before, behind = LANES[name]
        lane = f"{before}{', '.join(arguments[1:])}{behind}"
        return f"hcl_team_lane({arguments[0]}, {lane}, {shared})"
    if name in LANES_OF_TWO:
        before, behind = LANES_OF_TWO[name]
        values = ", ".join(arguments[:2])
        return f"hcl_team_lane_of_two({values}, {before}{arguments[2]}{behind}, {shared})"
    if name == "sub_group_broadcast_first":
        return f"hcl_team_lane({arguments[0]}, 0, {shared})"
    if name == "sub_group_non_uniform_all_equal":
        return f"hcl_team_equal({arguments[0]}, {shared})"
    assert name == "sub_group_ballot"
    return f"hcl_team_ballot(({writer(node.arguments[0])} != 0), {shared})"


def _block(writer: Writer, node: tree.BuiltinCall) -> str:
    """Write a read or write of an item's part of a block."""
    pointer, *values = node.arguments
    number = values[0].type if values else node.type
    places = [f"hc_place[{k} * hc_lanes]" if k else "*hc_place" for k in range(number.width)]
    lines = [f"auto *hc_place = {writer(pointer)} + hc_sub_group_local_id(hc_lanes);"]
    if values:
        parts = [f"hc_new.s[{k}]" for k in range(number.width)] if number.width > 1 else ["hc_new"]
        lines.append(f"{writer.type(number)} hc_new = {writer.bare(values[0])};")
        lines += [f"{place} = {part};" for place, part in zip(places, parts, strict=True)]
    elif number.width > 1:
        vector = f"hcl_make<{writer.type(number.element)}, {number.width}>"
        lines.append(f"return {vector}({', '.join(places)});")
    else:
        lines.append(f"return {places[0]};")
    return f"[&] {{ {' '.join(lines)} }}()"


# ---------------------------------------------------------------- images


def _read_image(writer: Writer, node: tree.BuiltinCall) -> str:
    image, *sampler, at = _arguments(writer, node)
    return f"hcl_{node.name}({image}, {sampler[0] if sampler else 'HCI_NO_SAMPLER'}, {at})"


def _write_image(writer: Writer, node: tree.BuiltinCall) -> str:
    return f"hcl_write_image({', '.join(_arguments(writer, node))})"


def _image_query(writer: Writer, node: tree.BuiltinCall) -> str:
    width = f"<{node.type.width}>" if isinstance(node.type, Vector) else ""
    return f"hcl_{node.name}{width}({', '.join(_arguments(writer, node))})"


# ---------------------------------------------------------------- printf


def _printf(writer: Writer, node: tree.BuiltinCall) -> str:
    """Write a call in which vectors are numbers with commas between them."""
    text = text_in(node.arguments[0])
    assert text is not None  # the parser refuses other formats
    arguments, vectors = list[str](), list[str]()
    conversions = (c for c in parse_format(text.value) if isinstance(c, Conversion))
    for argument, conversion in itertools.zip_longest(node.arguments[1:], conversions):
        if argument is None or not isinstance(argument.type, Vector):
            arguments += [] if argument is None else [_print_argument(writer, argument)]
            continue
        name = f"hc_vector{len(vectors)}"
        vectors.append(f"auto {name} = {writer.bare(argument)};")
        arguments += _print_components(writer, argument.type, conversion, name)
    call = f"printf({', '.join([quote(_scalar_format(text.value)), *arguments])})"
    return f"[&] {{ {' '.join(vectors)} return {call}; }}()" if vectors else call


def _print_argument(writer: Writer, argument: tree.Expression) -> str:
    """Return an argument that is no vector."""
    type_ = argument.type
    text = text_in(argument)
    if text is not None:
        return quote(text.value)
    if type_ in (HALF, FLOAT, DOUBLE):
        return writer.convert(writer(argument), type_, DOUBLE, "rte")
    if isinstance(type_, Scalar):
        return writer.bare(argument)
    if isinstance(type_, Pointer):
        return f"(const char *)({writer.bare(argument)})"
    return writer.refuse(argument, f"printf of {type_}")


def _print_components(
    writer: Writer, type_: Vector, conversion: Conversion, name: str
) -> list[str]:
    parts = [f"{name}.s[{k}]" for k in range(type_.width)]
    if type_.is_floating:
        return [writer.convert(part, type_.element, DOUBLE, "rte") for part in parts]
    element = types.SCALARS[
        f"{'' if conversion.letter in SIGNED else 'u'}{_SIGNED[type_.element.size]}"
    ]
    return [f"({writer.type(element)})({part})" for part in parts]


#: Signed integers by their bytes.
_SIGNED = {1: "char", 2: "short", 4: "int", 8: "long"}


def _scalar_format(text: bytes) -> bytes:
    """Return a format with a conversion for each component of a vector."""
    result = b""
    for part in parse_format(text):
        if isinstance(part, bytes):
            result += part.replace(b"%", b"%%")
        elif not part.vector:
            result += part.text.encode()
        else:
            length = "ll" if part.length == "l" and part.letter not in REALS else ""
            head, _, _ = part.text.partition("v")
            result += b",".join([f"{head}{length}{part.letter}".encode()] * part.vector)
    return result


#: The functions that write calls of a family; others depend on the types.
_BY_FAMILY: dict[str, Callable[[Writer, tree.BuiltinCall], str]] = {
    "address space": _address_space,
    "async copy": _copy,
    "atomic": _atomic,
    "barrier": _barrier,
    "c11 atomic": _ordered_atomic,
    "compiler": _of_compiler,
    "conversion": _convert,
    "fence": _fence,
    "half memory": _half_memory,
    "image query": _image_query,
    "image read": _read_image,
    "image write": _write_image,
    "local work-item": _work_item,
    "prefetch": _nothing,
    "print": _printf,
    "relational": _truth,
    "selection": _truth,
    "shuffle": _truth,
    "sub-group": _sub_group,
    "sub-group query": _sub_group,
    "sub-group block": _block,
    "vector memory": _load_or_store,
    "work-group": _sub_group,
    "work-item": _work_item,
}
