"""Initializers: braces, elided braces, designators and strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clang.cindex import Cursor, CursorKind as Kind

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.literals.strings import string_bytes
from halfcl.cl._frontend.parsing.library import value_of
from halfcl.cl._frontend.parsing.parser import Makers, Parser
from halfcl.cl._frontend.types import Array, Record, Type, Vector


def convert_initializer(parser: Parser, cursor: Cursor, type_: Type) -> tree.Expression:
    """Return the initializer of a variable of a type."""
    if isinstance(type_, Array) and (text := string_in(parser, cursor)) is not None:
        return text
    if cursor.kind != Kind.INIT_LIST_EXPR:
        return parser.expression(cursor)
    at, children = parser.start(cursor), list(cursor.get_children())
    if isinstance(type_, Vector):
        return tree.VectorLiteral(at, type_, [parser.expression(c) for c in children])
    if isinstance(type_, Array | Record):
        values = list(parts(parser, _Children(children), type_, 0, True))
        return tree.InitialValues(at, type_, values)
    return parser.expression(children[0])


def _string(parser: Parser, cursor: Cursor) -> tree.Expression:
    start, end = parser.extent(cursor)
    return tree.Text(start, parser.type(cursor), string_bytes(parser.text[start:end]))


def string_in(parser: Parser, cursor: Cursor) -> tree.Expression | None:
    """Return the string literal that initializes an array of characters, in braces or not."""
    while cursor.kind in (Kind.INIT_LIST_EXPR, Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
        children = list(cursor.get_children())
        if len(children) != 1:
            return None
        cursor = children[0]
    return _string(parser, cursor) if cursor.kind == Kind.STRING_LITERAL else None


def parts(
    parser: Parser,
    children: _Children,
    type_: Array | Record,
    start: int,
    has_braces: bool,
    entry: tuple[list[Cursor], Cursor] | None = None,
) -> Iterator[tuple[int, tree.Expression]]:
    """Yield the offsets and values of an aggregate; without braces it takes what it needs.

    entry: the start of an outer designation here, in the form of `designation`.
    """
    slots = _slots(type_)
    index = 0
    while has_braces or index < len(slots):
        if entry is not None:
            (designators, value), entry = entry, None
        else:
            child = children.take()
            if child is None:
                return
            designators, value = designation(parser, child)
            if designators and not has_braces:  # it belongs to the aggregate with the braces
                children.put_back(child)
                return
        if designators:
            index, designators = resolve_designators(designators, type_)
        if index >= len(slots):
            continue  # clang has warned
        offset, slot = slots[index]
        offset += start
        index = len(slots) if isinstance(type_, Record) and type_.is_union else index + 1
        if designators:
            yield from parts(parser, children, slot, offset, False, (designators, value))  # type: ignore[arg-type]
        elif isinstance(slot, Array) and (text := string_in(parser, value)) is not None:
            yield offset, text
        elif isinstance(slot, Array | Record) and value.kind == Kind.INIT_LIST_EXPR:
            inner = _Children(value.get_children())
            yield from parts(parser, inner, slot, offset, True)
        elif isinstance(slot, Array | Record) and parser.type(value) != slot:
            children.put_back(value)
            yield from parts(parser, children, slot, offset, False)
        else:
            yield offset, convert_initializer(parser, value, slot)


def designation(parser: Parser, child: Cursor) -> tuple[list[Cursor], Cursor]:
    """Return the designators and the value of `.a[1] = value`."""
    inner = list(child.get_children()) if child.kind == Kind.UNEXPOSED_EXPR else []
    is_designated = inner and (
        inner[0].kind == Kind.MEMBER_REF or parser.text[parser.start(child)] in b".["
    )
    if not is_designated:
        return [], child
    *designators, value = inner
    # clang lists unnamed members, too.
    designators = [d for d in designators if d.kind != Kind.MEMBER_REF or d.spelling]
    at = parser.start(designators[0])
    if b"..." in parser.text[at : parser.start(value)]:
        parser.refuse(at, "ranges of designators are not in OpenCL C")
        designators = designators[:1]
    return designators, value


def resolve_designators(
    designators: list[Cursor], type_: Array | Record
) -> tuple[int, list[Cursor]]:
    """Return the index of a slot, and the designators inside of it."""
    first, *rest = designators
    if first.kind != Kind.MEMBER_REF:
        return int(value_of(first) or 0), rest
    assert isinstance(type_, Record)
    path = types.member_path(type_, first.spelling)
    return list(type_.fields).index(path[0].name), rest if len(path) == 1 else designators


class _Children:
    """The children of an initializer list, one by one."""

    def __init__(self, children: Iterable[Cursor]) -> None:
        self._rest = list(children)[::-1]

    def take(self) -> Cursor | None:
        return self._rest.pop() if self._rest else None

    def put_back(self, child: Cursor) -> None:
        self._rest.append(child)


def _slots(type_: Array | Record) -> list[tuple[int, Type]]:
    """Return offset and type of an aggregate's members."""
    if isinstance(type_, Array):
        return [(i * type_.element.size, type_.element) for i in range(type_.length)]
    return [(f.offset, f.type) for f in type_.fields.values()]


MAKERS: Makers = {
    Kind.INIT_LIST_EXPR: lambda parser, cursor: convert_initializer(
        parser, cursor, parser.type(cursor)
    ),
    Kind.STRING_LITERAL: _string,
}
