"""Conversion of expressions: literals, names, elements, members, components, casts and calls."""

from __future__ import annotations

import re

from clang.cindex import Cursor, CursorKind as Kind

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.builtins import find
from halfcl.cl._frontend.literals.formats import format_errors
from halfcl.cl._frontend.literals.samplers import sampler_of
from halfcl.cl._frontend.parsing.conversions import address, convert, swizzle
from halfcl.cl._frontend.parsing.initializers import convert_initializer, has_effect
from halfcl.cl._frontend.parsing.library import value_of
from halfcl.cl._frontend.parsing.operators import omitted_conditional
from halfcl.cl._frontend.parsing.parser import Makers, Parser
from halfcl.cl._frontend.refusals.long_longs import is_long_long
from halfcl.cl._frontend.types import Pointer, Type, Vector


def _literal(parser: Parser, cursor: Cursor) -> tree.Expression:
    return _constant(parser, cursor, parser.type(cursor))


def _constant(parser: Parser, cursor: Cursor, type_: Type) -> tree.Expression:
    value = _long_long_value(parser, cursor) if is_long_long(type_) else value_of(cursor)
    return tree.Literal(parser.start(cursor), type_, value)  # type: ignore[arg-type]


def _long_long_value(parser: Parser, cursor: Cursor) -> int:
    """Return the value of a literal, of which clang's interface gives 64 bits."""
    start, end = parser.extent(cursor)
    digits = parser.text[start:end].decode().rstrip("uUlL")
    is_octal = digits.startswith("0") and digits.isdigit()
    return int(digits, 8 if is_octal else 0)


def _reference(parser: Parser, cursor: Cursor) -> tree.Expression:
    referenced, at = cursor.referenced, parser.start(cursor)
    if referenced.kind == Kind.ENUM_CONSTANT_DECL:
        return tree.Literal(at, types.INT, referenced.enum_value)
    declaration = parser.variables[referenced.hash]
    return tree.Variable(at, declaration.type, declaration)


def _subscript(parser: Parser, cursor: Cursor) -> tree.Expression:
    base, index = (parser.expression(c) for c in cursor.get_children())
    at, type_ = parser.start(cursor), parser.type(cursor)
    if isinstance(base.type, Vector):
        if isinstance(index, tree.Literal):
            if not 0 <= index.value < base.type.width:
                parser.refuse(at, f"index {index.value} is outside of a {base.type}")
                index.value = 0
            return swizzle(base, (int(index.value),), at, type_)
        if isinstance(base, tree.Swizzle) and not _are_neighbours(base.indices):
            parser.refuse(
                at, "not supported: a variable index into such components; name them first"
            )
        pointer: tree.Expression = address(base, at, Pointer(type_, "private"))
    else:
        pointer = base
    if not isinstance(pointer.type, Pointer):  # 2[a]
        pointer, index = index, pointer
    return tree.Dereference(at, type_, tree.PointerStep(at, pointer.type, pointer, index))


def _member(parser: Parser, cursor: Cursor) -> tree.Expression:
    base, at = parser.only_child(cursor), parser.start(cursor)
    if isinstance(base.type, Pointer):
        base = tree.Dereference(at, base.type.pointee, base)
    for field in types.member_path(base.type, cursor.spelling):
        base = tree.Member(at, field.type, base, field)
    return base


def unexposed_expression(parser: Parser, cursor: Cursor) -> tree.Expression:
    """Convert an expression that clang's interface has no kind for, by its text and types."""
    children = list(cursor.get_children())
    start, end = parser.extent(cursor)
    if parser.text.startswith(b"__builtin_astype", start) and parser.start(children[0]) != start:
        return tree.Reinterpretation(start, parser.type(cursor), parser.expression(children[0]))
    if parser.text.startswith(b"__builtin_offsetof", start):
        return tree.Literal(start, types.ULONG, value_of(cursor) or 0)
    if len(children) == 4:  # a, and what it is converted to as a condition and as a result; b
        return omitted_conditional(parser, cursor, children)
    if len(children) != 1:
        shown = parser.text[start:end].decode().split("\n")[0]
        parser.refuse(start, f"not supported: {shown}")
        return tree.Literal(start, types.INT, 0)
    if parser.type(cursor) == types.SAMPLER:
        return sampler(parser, children[0], start)
    operand = parser.expression(children[0])
    if isinstance(operand.type, Vector | Pointer) and (
        match := _SWIZZLE.fullmatch(parser.text, parser.whole_extent(children[0])[1], end)
    ):
        return _swizzle(operand, match[1].decode(), start, parser.type(cursor))
    return convert(parser, operand, parser.type(cursor), start)


def sampler(parser: Parser, cursor: Cursor, at: int) -> tree.Expression:
    """Return a sampler, or the constant that initializes one."""
    bits = value_of(cursor)
    if bits is None:
        return parser.expression(cursor)
    try:
        sampler_of(int(bits))
    except ValueError as error:
        parser.refuse(at, f"sampler: {error}")
        bits = 0
    return tree.Reinterpretation(at, types.SAMPLER, tree.Literal(at, types.INT, int(bits)))


def _swizzle(base: tree.Expression, name: str, at: int, type_: Type) -> tree.Expression:
    if isinstance(base.type, Pointer):
        base = tree.Dereference(at, base.type.pointee, base)
    return swizzle(base, _components(name, base.type.width), at, type_)


def _cast(parser: Parser, cursor: Cursor) -> tree.Expression:
    *_, operand = cursor.get_children()
    type_ = parser.type(cursor)
    if operand.kind == Kind.INIT_LIST_EXPR:
        return convert_initializer(parser, operand, type_)
    value, at = parser.expression(operand), parser.start(cursor)
    if value.type == type_ and isinstance(value, tree.Binary | tree.Unary):
        return tree.Conversion(at, type_, value, parser.pragmas.rounding.at(at))
    return convert(parser, value, type_, at)


def _call(parser: Parser, cursor: Cursor) -> tree.Expression:
    _, *arguments = cursor.get_children()
    name, at, type_ = cursor.spelling, parser.start(cursor), parser.type(cursor)
    if name in _INFINITIES:
        return tree.Literal(at, type_, float("inf"))
    if name in ("__builtin_nanf", "__builtin_nan"):
        return tree.Literal(at, type_, float("nan"))
    values = [parser.expression(a) for a in arguments]
    if name in _HINTS:
        return _HINTS[name](parser, at, type_, values)
    key = cursor.referenced.get_usr() if cursor.referenced else ""
    if key in parser.functions:
        return tree.Call(at, type_, parser.functions[key], values)
    if name == "printf":
        _check_printf(parser, at, values)
    signature: tuple[Type, ...] = tuple(a.type for a in values)
    builtin = find(name)
    if builtin is None or builtin.overload(signature) is None:
        parser.refuse(at, f"not supported: {name}({', '.join(map(str, signature))})")
    return tree.BuiltinCall(at, type_, name, values, parser.pragmas.rounding.at(at))


def _expected_value(
    parser: Parser, at: int, type_: Type, values: list[tree.Expression]
) -> tree.Expression:
    """Return the first argument of __builtin_expect, which says what it usually is."""
    return tree.Conversion(at, type_, values[0], parser.pragmas.rounding.at(at))


def _assumption(
    parser: Parser, at: int, type_: Type, values: list[tree.Expression]
) -> tree.Expression:
    """Return the condition of __builtin_assume, whose value is not used."""
    condition = values[0] if values else tree.Literal(at, types.INT, 0)
    if any(map(has_effect, tree.walk(condition))):
        parser.refuse(at, "not supported: an assumption with side effects, which does nothing")
    return tree.Reinterpretation(at, types.VOID, condition)


_INFINITIES = ("__builtin_huge_valf", "__builtin_huge_val", "__builtin_inff", "__builtin_inf")

#: Hints for compilers, which change nothing.
_HINTS = {
    "__builtin_expect": _expected_value,
    "__builtin_expect_with_probability": _expected_value,
    "__builtin_assume": _assumption,
    "__builtin_unreachable": _assumption,
}


def _check_printf(parser: Parser, at: int, arguments: list[tree.Expression]) -> None:
    text = _text_in(arguments[0])
    if text is None or isinstance(text, tree.Conditional):
        parser.refuse(at, "printf: the format must be a string literal")
        return
    rest = arguments[1:]
    are_literal = [_text_in(a) is not None or _is_null(a) for a in rest]
    for message in format_errors(text.value, [a.type for a in rest], are_literal):
        parser.refuse(at, message)


def _is_null(node: tree.Expression) -> bool:
    """Return whether it is a null pointer, which printf takes for %s."""
    while isinstance(node, tree.Reinterpretation):
        node = node.operand
    return isinstance(node, tree.Literal) and node.value == 0


def _text_in(node: tree.Expression) -> tree.Text | tree.Conditional | None:
    """Return the string literal of an expression, or the choice between several."""
    while isinstance(node, tree.Reinterpretation | tree.AddressOf):
        node = node.operand if isinstance(node, tree.Reinterpretation) else node.target
    if isinstance(node, tree.Conditional):
        return None if None in (_text_in(node.yes), _text_in(node.no)) else node
    return node if isinstance(node, tree.Text) else None


def _are_neighbours(indices: tuple[int, ...]) -> bool:
    return indices == tuple(range(indices[0], indices[0] + len(indices)))


_SWIZZLE = re.compile(rb"\s*(?:\.|->)\s*([a-zA-Z]\w*)\s*")
_NAMED_PARTS = {
    "lo": lambda n: range(n // 2),
    "hi": lambda n: range(n // 2, n),
    "even": lambda n: range(0, n, 2),
    "odd": lambda n: range(1, n, 2),
}


def _components(name: str, width: int) -> tuple[int, ...]:
    if name in _NAMED_PARTS:
        return tuple(_NAMED_PARTS[name](4 if width == 3 else width))
    if name[0] in "sS" and len(name) > 1:
        return tuple(int(digit, 16) for digit in name[1:])
    return tuple("xyzw".find(c) if c in "xyzw" else "rgba".index(c) for c in name)


MAKERS: Makers = {
    Kind.INTEGER_LITERAL: _literal,
    Kind.FLOATING_LITERAL: _literal,
    Kind.CHARACTER_LITERAL: _literal,
    Kind.CXX_BOOL_LITERAL_EXPR: _literal,
    Kind.DECL_REF_EXPR: _reference,
    Kind.PAREN_EXPR: Parser.only_child,
    Kind.ARRAY_SUBSCRIPT_EXPR: _subscript,
    Kind.MEMBER_REF_EXPR: _member,
    Kind.UNEXPOSED_EXPR: unexposed_expression,
    Kind.CSTYLE_CAST_EXPR: _cast,
    Kind.COMPOUND_LITERAL_EXPR: _cast,
    Kind.CXX_UNARY_EXPR: lambda parser, cursor: _constant(parser, cursor, types.ULONG),  # sizeof
    Kind.CALL_EXPR: _call,
}
