"""Calls of built-in functions: halfcl.device's for halves, for other types the exact ones only."""

from __future__ import annotations

import re

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import DOUBLE, HALF, Pointer, Scalar, Type, Vector
from halfcl.cl._interpreter.builtins.numeric import wide
from halfcl.cl._translation import conversions, images, sub_groups
from halfcl.cl._translation.target import Target, Wrapping, extent, is_half
from halfcl.cl._translation.texts.dots import PACKED_DOT
from halfcl.cl._translation.texts.doubles import IN_DOUBLE
from halfcl.device._source.catalogue import forms

CONVERT = re.compile(r"convert_([a-z]+)(\d*)(_sat)?(?:_(rt[ezpn]))?")
MEMORY = re.compile(r"v(load|store)(a?)_half(\d*)(?:_(rt[ezpn]))?")

COLLECTIVE = re.compile(r"work_group_(reduce|scan_\w+?)_(add|mul)$")

#: Functions that only move the bits of halves, so that they also work on ushort.
_BIT_FUNCTIONS = re.compile(
    r"v(load|store)\d+|shuffle2?|select|bitselect|prefetch|async_work_group_(strided_)?copy"
)

#: Functions of float and double that are right on each device; sqrt with a build option.
_EXACT = frozenset(
    name for name, row in wide.FUNCTIONS.items() if row.accuracy is wide.Accuracy.EXACT
) - {"nan", "remainder", "remquo", "maxmag", "minmag", "clamp", "fmod", "nextafter"}
RIGHT = _EXACT | {"fma", "sqrt"}
_PREDICATES = frozenset(
    """isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf
    isnan isnormal isordered isunordered signbit select bitselect shuffle shuffle2""".split()
)


def builtin_call(target: Target, node: tree.BuiltinCall) -> None:
    """Record the edits of one call; its arguments have their own."""
    name = node.name
    word = (node.at, node.at + len(name))
    if target.data[slice(*word)] != name.encode():  # c ? a : b of vectors
        return
    if target.has_samplers and name.startswith("read_image") and images.is_computed(node):
        _computed_image(target, node)
    elif name.startswith(("read_imageh", "write_imageh")):
        _image_of_halves(target, node)
    elif "sub_group" in name:
        sub_groups.builtin_call(target, node)
    elif COLLECTIVE.match(name) and node.type.is_floating:
        target.refuse(node, f"{name} of {node.type}, whose order each device chooses")
    elif name == "printf":
        _printf(target, node)
    elif PACKED_DOT.fullmatch(name):
        target.helpers.add(name)
        _rename(target, node, f"hc_{name}")
    elif match := MEMORY.fullmatch(name):
        _memory(target, node, match)
    elif match := CONVERT.fullmatch(name):
        _convert(target, node, match)
    elif any(map(_names_half, (node.type, *(a.type for a in node.arguments)))):
        _half_function(target, node, word)
    else:
        _wide_function(target, node)


def _names_half(type_: Type) -> bool:
    return is_half(type_.pointee if isinstance(type_, Pointer) else type_)


def _rename(target: Target, node: tree.BuiltinCall, name: str) -> None:
    target.edits.replace((node.at, node.at + len(node.name)), name)


# ---------------------------------------------------------------- halves


def _half_function(target: Target, node: tree.BuiltinCall, word: tuple[int, int]) -> None:
    name = node.name
    if _BIT_FUNCTIONS.fullmatch(name):
        return
    if name == "sqrt" and target.is_native(name, "rte"):
        return
    name = name.removeprefix("fast_")
    if name not in forms() or not accepts_operands(name, node):
        target.refuse(node, f"{node.name} of half")
        return
    pointers = [a for a in node.arguments if isinstance(a.type, Pointer)]
    if any(p.type.space != "private" for p in pointers):
        target.refuse(node, f"{node.name} of half with a pointer to memory that is not private")
        return
    _rename(target, node, target.plain(name))
    vectors = [a.type for a in node.arguments if isinstance(a.type, Vector)]
    for argument in node.arguments:
        if vectors and isinstance(argument.type, Scalar):
            type_ = Vector(argument.type, vectors[0].width)
            target.edits.wrap(extent(argument), f"({target.type(type_)})(")


def accepts_operands(name: str, node: tree.BuiltinCall) -> bool:
    """Return whether halfcl.device's function of that name has operands of these types."""
    kinds = {"e": HALF, "i": types.INT, "H": types.USHORT}
    numbers = [a.type.element for a in node.arguments if isinstance(a.type, Scalar | Vector)]
    return any([kinds.get(c) for c in form.inputs] == numbers for form in forms()[name])


# ---------------------------------------------------------------- float and double


def _wide_function(target: Target, node: tree.BuiltinCall) -> None:
    """Check that a function has the same results on every device, or replace it."""
    floating = [
        t
        for t in (node.type, *(a.type for a in node.arguments))
        if getattr(t, "is_floating", False)
    ]
    name = node.name
    is_free = name in _PREDICATES or name.startswith(
        ("vload", "vstore", "read_image", "write_image")
    )
    if not floating or is_free or name in RIGHT:
        return
    if name == "mad":
        _rename(target, node, "fma")
    elif name in IN_DOUBLE:
        _in_double(target, node)
    elif (
        name in wide.FUNCTIONS
        or name.partition("_")[0] in ("native", "half", "fast")
        or name in ("length", "distance", "normalize", "cross")
    ):
        target.refuse(node, f"{name} of {floating[0]}, not bit-identical across devices")


def _in_double(target: Target, node: tree.BuiltinCall) -> None:
    """Call a function of the prelude's; scalars beside vectors apply to each component."""
    type_ = max((a.type for a in node.arguments), key=lambda t: t.width)
    target.needs.add("double")
    target.helpers.add(f"in_double_{node.name}_{type_}")
    _rename(target, node, f"hc_{node.name}_{type_}")
    for argument in node.arguments:
        if argument.type != type_:
            target.edits.wrap(extent(argument), f"({type_})(")


def _convert(target: Target, node: tree.BuiltinCall, match: re.Match[str]) -> None:
    source, result = node.arguments[0].type, node.type
    mode: tree.Mode = match[4]  # type: ignore[assignment]  # one of them
    if source.element == result.element:
        if is_half(result):
            _rename(target, node, "")
        return
    if is_half(source) and not result.is_floating:
        _rename(target, node, target.plain(f"convert_{match[1]}{match[3] or ''}") + _ending(mode))
    elif is_half(source) or is_half(result):
        wrapping = conversions.explicit_conversion(
            target, node, source, result, mode or node.rounding
        )
        _rename(target, node, "")
        target.edits.wrap(extent(node.arguments[0]), *wrapping)
    elif result.is_floating and target.needs_directed_rounding(result, mode or node.rounding):
        wrapping = conversions.explicit_conversion(
            target, node, source, result, mode or node.rounding
        )
        _rename(target, node, wrapping.prefix.removesuffix("("))


def _ending(mode: str | None) -> str:
    return f"_{mode}" if mode else ""


# ---------------------------------------------------------------- halves in memory as floats


def _memory(target: Target, node: tree.BuiltinCall, match: re.Match[str]) -> None:
    """Translate vload_half to a load and a conversion, vstore_half to a conversion and a store."""
    does, is_aligned, count = match[1], match[2], match[3]
    target.helpers.add("memory")
    suffix = f"{'a' if is_aligned and count == '3' else ''}{count}"
    if does == "load":
        if node.type.element == DOUBLE:
            target.refuse(node, f"{node.name} of double")
        convert = target.plain("convert_float")
        _rename(target, node, f"{convert}(hc_load{suffix}")
        target.edits.wrap((node.at, _end(target, node)), "")
        return
    value = node.arguments[0]
    mode: tree.Mode = match[4]  # type: ignore[assignment]  # one of them
    half = types.number_type(HALF, value.type.width)
    wrapping = conversions.explicit_conversion(
        target, node, value.type, half, mode or node.rounding
    )
    _rename(target, node, f"hc_store{suffix}")
    target.edits.wrap(extent(value), *wrapping)


def _computed_image(target: Target, node: tree.BuiltinCall) -> None:
    """Read a half as a float that is rounded to odd, and round it."""
    if node.name != "read_imageh":
        _rename(target, node, f"hc_{node.name}")
        return
    _rename(target, node, "hc_read_image_odd")
    convert = target.call("convert_half", "rte")
    target.edits.wrap((node.at, _end(target, node)), f"{convert}(")


def _image_of_halves(target: Target, node: tree.BuiltinCall) -> None:
    """Read and write a half as a float, which represents it exactly."""
    _rename(target, node, f"{node.name[:-1]}f")
    if node.name == "read_imageh":
        convert = target.call("convert_half", "rte")
        target.edits.wrap((node.at, _end(target, node)), f"{convert}(")
    else:
        convert = target.plain("convert_float")
        target.edits.wrap(extent(node.arguments[-1]), f"{convert}(")


def _end(target: Target, node: tree.BuiltinCall) -> int:
    """Return the end of the call itself, without enclosing parentheses."""
    return target.data.index(b")", extent(node.arguments[-1])[1]) + 1


def _printf(target: Target, node: tree.BuiltinCall) -> None:
    for argument in node.arguments[1:]:
        inner = argument.operand if isinstance(argument, tree.Conversion) else argument
        if is_half(inner.type) and isinstance(inner.type, Vector):
            target.refuse(node, "printf of vectors of half")
        elif is_half(argument.type) and not target.fp16:
            target.edits.wrap(extent(argument), *Wrapping(f"{target.plain('convert_float')}("))
