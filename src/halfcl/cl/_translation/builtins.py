"""Calls of built-in functions: halfcl.device's for halves, for other types the exact ones only."""

from __future__ import annotations

from collections.abc import Callable

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.literals.formats import REALS, Conversion, parse_format
from halfcl.cl._frontend.literals.strings import quote
from halfcl.cl._frontend.types import DOUBLE, HALF, Number, Pointer, Scalar, Type, Vector
from halfcl.cl._translation import images, sub_groups
from halfcl.cl._translation.numbers import conversions
from halfcl.cl._translation.result import REMEDY
from halfcl.cl._translation.target import Target, extent, is_half
from halfcl.cl._translation.texts.by_words import BY_WORDS
from halfcl.cl._translation.texts.floats import EXACT
from halfcl.cl._translation.texts.storing import storing_function
from halfcl.device._source.catalogue import forms

#: Families whose functions only move the bits of halves, so that they also work on ushort.
_BIT_FAMILIES = ("vector memory", "shuffle", "selection", "prefetch", "async copy")


def builtin_call(target: Target, node: tree.BuiltinCall) -> None:
    """Record the edits of one call; its arguments have their own."""
    name = node.name
    word = (node.at, node.at + len(name))
    if target.data[slice(*word)] != name.encode():  # c ? a : b of vectors
        return
    translate = _BY_FAMILY.get(node.builtin.family)
    if translate is not None:
        translate(target, node)
    elif any(map(_names_half, (node.type, *(a.type for a in node.arguments)))):
        _half_function(target, node)
    elif node.builtin.family in ("math", "geometric"):
        _wide_function(target, node)


def _names_half(type_: Type) -> bool:
    return is_half(type_.pointee if isinstance(type_, Pointer) else type_)


def _rename(target: Target, node: tree.BuiltinCall, name: str) -> None:
    target.edits.replace((node.at, node.at + len(node.name)), name)


# ---------------------------------------------------------------- halves


#: Functions that the device itself may compute, by name, and the function that it calls then.
_NATIVE = {"sqrt": "sqrt", "fma": "fma", "mad": "fma"}


def _half_function(target: Target, node: tree.BuiltinCall) -> None:
    if node.builtin.family in _BIT_FAMILIES:
        return
    native = _NATIVE.get(node.name, "")
    if target.is_native(native, "rte"):
        if native != node.name:
            _rename(target, node, native)
        return
    name = node.builtin.stem
    if name not in forms() or not accepts_operands(name, node):
        target.refuse(node, f"{node.name} of half")
        return
    called, pointer = target.plain(name), node.arguments[-1].type
    if isinstance(pointer, Pointer) and pointer.space != "private":
        called = storing_function(name, pointer.space, str(node.type))
        target.helpers.add(called)
    _rename(target, node, called)
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
    floating = first_floating(node)
    device = node.builtin.device
    if floating is None or device == "own":
        return
    if node.builtin.is_open and target.float_functions == "device":
        target.leave(node, floating)
    elif not device:
        target.refuse(node, inexact(node, floating))
    elif device in ("text", "double"):
        _call_text(target, node, node.builtin.stem)
    elif device in EXACT:
        _call_text(target, node, device)
    else:
        _rename(target, node, device)
        if device == "sqrt":
            target.needs.add("division")


def inexact(node: tree.BuiltinCall, floating: Number) -> str:
    """Return why a function of floating numbers is refused, and what to do instead."""
    return f"{node.name} of {floating}, not bit-identical across devices; {REMEDY}"


def first_floating(node: tree.BuiltinCall) -> Number | None:
    """Return the floating type of a call's result or of its first floating argument."""
    types_ = (node.type, *(a.type for a in node.arguments))
    return next((t for t in types_ if isinstance(t, Scalar | Vector) and t.is_floating), None)


def _call_text(target: Target, node: tree.BuiltinCall, name: str) -> None:
    """Call a function of the prelude's; scalars beside vectors apply to each component."""
    numbers = [a for a in node.arguments if isinstance(a.type, Scalar | Vector)]
    type_ = max((a.type for a in numbers), key=lambda t: t.width)
    target.needs.update(EXACT[name].needs if name in EXACT else ("double",))
    target.helpers.add(f"float_{name}_{type_}")
    _rename(target, node, f"hc_{name}_{type_}")
    for argument in numbers:
        if argument.type != type_:
            target.edits.wrap(extent(argument), f"({type_})(")


def _convert(target: Target, node: tree.BuiltinCall) -> None:
    source, result = node.arguments[0].type, node.type
    parts, mode = node.builtin.parts, node.builtin.mode or node.rounding
    if source.element == result.element:
        if is_half(result):
            _rename(target, node, "")
        return
    if is_half(source) and not result.is_floating:
        function = target.plain(f"convert_{parts['type']}{parts['saturates']}")
        _rename(target, node, function + parts["mode"])
    elif is_half(source) or is_half(result):
        wrapping = conversions.explicit_conversion(target, node, source, result, mode)
        _rename(target, node, "")
        target.edits.wrap(extent(node.arguments[0]), *wrapping)
    elif result.is_floating and target.needs_directed_rounding(result, mode):
        wrapping = conversions.explicit_conversion(target, node, source, result, mode)
        _rename(target, node, wrapping.prefix.removesuffix("("))
    elif source.is_floating and parts["saturates"]:
        target.helpers.add(f"float_number_{source}")
        target.edits.wrap(extent(node.arguments[0]), f"hc_number_{source}(")


# ---------------------------------------------------------------- halves in memory as floats


def _memory(target: Target, node: tree.BuiltinCall) -> None:
    """Translate vload_half to a load and a conversion, vstore_half to a conversion and a store."""
    builtin = node.builtin
    count = builtin.parts.get("width", "")
    target.helpers.add("memory")
    suffix = f"{builtin.parts['aligned'] if count == '3' else ''}{count}"
    if builtin.effect == "read":
        if node.type.element == DOUBLE:
            target.refuse(node, f"{node.name} of double")
        convert = target.plain("convert_float")
        _rename(target, node, f"{convert}(hc_load{suffix}")
        target.edits.wrap((node.at, _end(target, node)), "")
        return
    value = node.arguments[0]
    half = types.number_type(HALF, value.type.width)
    mode = builtin.mode or node.rounding
    wrapping = conversions.explicit_conversion(target, node, value.type, half, mode)
    _rename(target, node, f"hc_store{suffix}")
    target.edits.wrap(extent(value), *wrapping)


# ---------------------------------------------------------------- others


def _image(target: Target, node: tree.BuiltinCall) -> None:
    builtin = node.builtin
    if builtin.family == "image read" and target.has_samplers and images.is_computed(node):
        _computed_image(target, node)
        return
    is_read, channels = builtin.family == "image read", builtin.parts["channels"]
    color = node.type if is_read else node.arguments[-1].type
    has_codes = target.decodes_colors and channels in ("f", "h") and color.width == 4
    if has_codes and not is_read:
        written = f"{_format_of(target, node)})"
        target.edits.wrap(extent(node.arguments[-1]), "hc_color_written(", written)
    if channels == "h":
        _image_of_halves(target, node)
    if has_codes and is_read:
        call, to_odd = (node.at, _end(target, node)), int(channels == "h")
        target.edits.wrap(call, "hc_color_read(", f"{_format_of(target, node)}, {to_odd})")


def _format_of(target: Target, node: tree.BuiltinCall) -> str:
    """Return the arguments with which halfcl decodes and encodes an image's colours."""
    target.helpers.add("colors")
    start, end = extent(node.arguments[0])
    image = target.data[start:end].decode()
    return f", get_image_channel_order({image}), get_image_channel_data_type({image})"


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
    if node.builtin.family == "image read":
        is_native = target.is_native("convert_half", "rte")
        convert = "convert_half4" if is_native else target.call("convert_half", "rte")
        target.edits.wrap((node.at, _end(target, node)), f"{convert}(")
    else:
        convert = target.plain("convert_float")
        target.edits.wrap(extent(node.arguments[-1]), f"{convert}(")


def _end(target: Target, node: tree.BuiltinCall) -> int:
    """Return the end of the call itself, without enclosing parentheses."""
    return target.data.index(b")", extent(node.arguments[-1])[1]) + 1


def _printf(target: Target, node: tree.BuiltinCall) -> None:
    """Print halves as floats, since devices do not agree on vectors of halves; and C's lengths."""
    for argument in node.arguments[1:]:
        inner = argument.operand if isinstance(argument, tree.Conversion) else argument
        is_vector = is_half(inner.type) and isinstance(inner.type, Vector)
        if is_vector or (is_half(argument.type) and not target.fp16):
            target.edits.wrap(extent(argument), f"{target.plain('convert_float')}(")
    if (format_ := text_in(node.arguments[0])) is None:
        return
    parts = (
        p.replace(b"%", b"%%") if isinstance(p, bytes) else _of_floats(p)
        for p in parse_format(format_.value)
    )
    if (text := b"".join(parts)) != format_.value:
        target.edits.replace(extent(format_), quote(text))


def _of_floats(conversion: Conversion) -> bytes:
    """Return a conversion with that of vectors of halves as one of vectors of floats."""
    text, letter = conversion.text, conversion.letter
    if conversion.vector and conversion.length == "h" and letter in REALS:
        text = f"{text.removesuffix(f'h{letter}')}hl{letter}"
    return text.encode()


def text_in(node: tree.Expression) -> tree.Text | None:
    """Return a string literal that is an argument, or None."""
    while isinstance(node, tree.Reinterpretation | tree.AddressOf):
        node = node.operand if isinstance(node, tree.Reinterpretation) else node.target
    return node if isinstance(node, tree.Text) else None


def _of_compiler(target: Target, node: tree.BuiltinCall) -> None:
    """Turn 64 bits around by halves of 32: NVIDIA's compiler turns 128."""
    if node.name in BY_WORDS:
        target.helpers.add(node.name)
        _rename(target, node, node.name.replace("__builtin", "hc"))


def _packed_dot(target: Target, node: tree.BuiltinCall) -> None:
    target.helpers.add(node.name)
    _rename(target, node, f"hc_{node.name}")


#: The functions that translate calls of a family; others depend on the types.
_BY_FAMILY: dict[str, Callable[[Target, tree.BuiltinCall], None]] = {
    "compiler": _of_compiler,
    "conversion": _convert,
    "half memory": _memory,
    "image read": _image,
    "image write": _image,
    "packed dot": _packed_dot,
    "print": _printf,
    "sub-group": sub_groups.builtin_call,
    "sub-group query": sub_groups.builtin_call,
    "sub-group block": sub_groups.builtin_call,
    "work-group": sub_groups.builtin_call,
}
