"""Initializers: braces, elided braces, designators and strings.

libclang shows an initializer list as its author wrote it, with implicit conversions of scalars but
without those to vectors. So the elements are assigned to members here, as C99 6.7.8 and clang do:
without braces an array or a record takes the elements that it needs, and a scalar that initializes
a whole vector is widened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clang.cindex import Cursor, CursorKind as Kind

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.literals.strings import string_bytes
from halfcl.cl._frontend.parsing.conversions import convert
from halfcl.cl._frontend.parsing.library import value_of
from halfcl.cl._frontend.parsing.parser import Makers, Parser
from halfcl.cl._frontend.types import Array, Record, Scalar, Type, Vector

#: The most values of an initializer, since ranges of designators repeat them.
_MOST_VALUES = 1 << 20

_REPEATED = "not supported: a value with side effects for a range of designators"


def convert_initializer(parser: Parser, cursor: Cursor, type_: Type) -> tree.Expression:
    """Return the initializer of a variable of a type."""
    if (text := _text_for(parser, cursor, type_)) is not None:
        return text
    if cursor.kind != Kind.INIT_LIST_EXPR:
        return _convert_single(parser, cursor, type_)
    if isinstance(type_, Array | Record):
        initializer = _Initializer(parser)
        initializer.assign_braces(cursor, _Place(0, type_))
        values, dropped = list(initializer.values()), initializer.dropped
        return tree.InitialValues(parser.start(cursor), type_, values, dropped)
    children = list(cursor.get_children())
    if not children:
        return _empty_value(parser, cursor, type_)
    if isinstance(type_, Vector):
        return _join_vector(parser, _Elements(children), type_)
    return convert_initializer(parser, children[0], type_)  # clang has warned of more


def _convert_single(parser: Parser, cursor: Cursor, type_: Type) -> tree.Expression:
    """Return an expression as the initial value of an object of a type."""
    value = parser.expression(cursor)
    if not (isinstance(type_, Scalar | Vector) and isinstance(value.type, Scalar | Vector)):
        return value
    result = node = convert(parser, value, type_, value.at)
    while node is not value:
        node.extent = value.extent
        node = node.operand  # type: ignore[attr-defined]
    return result


def _empty_value(parser: Parser, cursor: Cursor, type_: Type) -> tree.Expression:
    """Return the zero that empty braces stand for."""
    scalar = type_.element if isinstance(type_, Vector) else type_
    zero = tree.Literal(parser.start(cursor), scalar, 0)
    zero.extent = parser.extent(cursor)
    return tree.Splat(zero.at, type_, zero) if isinstance(type_, Vector) else zero


def _zero(at: int, type_: Type) -> tree.Expression:
    """Return a zero that has no text."""
    if isinstance(type_, Vector):
        parts: list[tree.Expression] = [
            tree.Literal(at, type_.element, 0) for _ in range(type_.width)
        ]
        return tree.VectorLiteral(at, type_, parts)
    return tree.Literal(at, type_, 0)


def _join_vector(parser: Parser, elements: _Elements, type_: Vector) -> tree.Expression:
    """Return a vector of the elements that fill it: scalars, and vectors of fewer components."""
    parts: list[tree.Expression] = []
    count = 0
    while count < type_.width and (child := elements.take()) is not None:
        is_vector = child.kind != Kind.INIT_LIST_EXPR and isinstance(parser.type(child), Vector)
        parts.append(
            parser.expression(child)
            if is_vector
            else convert_initializer(parser, child, type_.element)
        )
        count += parts[-1].type.width
    return tree.VectorLiteral(parts[0].at, type_, parts)


# ---------------------------------------------------------------- strings


def _string(parser: Parser, cursor: Cursor) -> tree.Text:
    start, end = parser.extent(cursor)
    text = parser.text[start:end]
    if not text.startswith(b'"'):
        parser.refuse(start, "string literals have no prefix in OpenCL C")
    return tree.Text(start, parser.type(cursor), string_bytes(text))


def _text_for(parser: Parser, cursor: Cursor, type_: Type) -> tree.Expression | None:
    """Return the string literal that initializes an array of characters, in braces or not."""
    if not isinstance(type_, Array) or type_.element not in (types.CHAR, types.UCHAR):
        return None
    while cursor.kind in (Kind.INIT_LIST_EXPR, Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
        children = list(cursor.get_children())
        if len(children) != 1:
            return None
        cursor = children[0]
    if cursor.kind != Kind.STRING_LITERAL:
        return None
    text = _string(parser, cursor)
    return tree.Text(text.at, type_, text.value[: type_.length])


# ---------------------------------------------------------------- designators


class _Designator(NamedTuple):
    """The name of a member, or the indices of elements from first to last."""

    name: str
    first: int = 0
    last: int = 0


def _split_designation(parser: Parser, child: Cursor) -> tuple[list[_Designator], Cursor]:
    """Return the designators and the value of `.a[1] = value`."""
    inner = list(child.get_children()) if child.kind == Kind.UNEXPOSED_EXPR else []
    is_designated = inner and (
        inner[0].kind == Kind.MEMBER_REF or parser.text[parser.start(child)] in b"["
    )
    if not is_designated:
        return [], child
    *cursors, value = inner
    # clang lists unnamed members, too.
    cursors = [c for c in cursors if c.kind != Kind.MEMBER_REF or c.spelling]
    designators = []
    while cursors:
        cursor = cursors.pop(0)
        if cursor.kind == Kind.MEMBER_REF:
            designators.append(_Designator(cursor.spelling))
            continue
        first = last = int(value_of(cursor) or 0)
        if cursors and b"..." in parser.text[parser.extent(cursor)[1] : parser.start(cursors[0])]:
            last = int(value_of(cursors.pop(0)) or 0)
        designators.append(_Designator("", first, last))
    return designators, value


# ---------------------------------------------------------------- arrays and records


class _Place(NamedTuple):
    """A part of an object: its offset in bytes, and its type."""

    offset: int
    type: Type

    @property
    def end(self) -> int:
        return self.offset + self.type.size

    def contains(self, other: _Place) -> bool:
        return self.offset <= other.offset and other.end <= self.end

    def members(self) -> int:
        """Return how many elements or fields it has."""
        return self.type.length if isinstance(self.type, Array) else len(self.type.fields)  # type: ignore[union-attr]

    def member(self, index: int) -> _Place:
        if isinstance(self.type, Array):
            element = self.type.element
            return _Place(self.offset + index * element.size, element)
        assert isinstance(self.type, Record)
        field = list(self.type.fields.values())[index]
        return _Place(self.offset + field.offset, field.type)

    @property
    def is_union(self) -> bool:
        return isinstance(self.type, Record) and self.type.is_union

    def numbers(self) -> Iterator[_Place]:
        """Yield its parts that are no arrays or records."""
        if not isinstance(self.type, Array | Record):
            yield self
            return
        for index in range(1 if self.is_union else self.members()):
            yield from self.member(index).numbers()


class _Elements:
    """The elements of an initializer list, one by one."""

    def __init__(self, children: Iterable[Cursor]) -> None:
        self._rest = list(children)[::-1]

    def take(self) -> Cursor | None:
        return self._rest.pop() if self._rest else None

    def put_back(self, child: Cursor) -> None:
        self._rest.append(child)

    def remaining(self) -> list[Cursor]:
        return self._rest.copy()

    def resume(self, remaining: list[Cursor]) -> None:
        """Return to an earlier state."""
        self._rest = remaining.copy()


class _Initializer:
    """The initial values of one object; a later value of a part replaces an earlier one."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._values: list[tuple[_Place, tree.Expression]] = []
        self._end = 0  # of all places that have values
        self.dropped: list[tree.Expression] = []  # values that are not used
        self._chosen: dict[_Place, int] = {}  # the initialized members of unions
        self._shared: dict[int, tree.Expression] | None = None  # in a range of designators

    def values(self) -> Iterator[tuple[int, tree.Expression]]:
        """Yield offsets and values, in the order in which they are to be stored."""
        return ((place.offset, value) for place, value in self._values)

    def assign_braces(self, cursor: Cursor, place: _Place) -> None:
        """Assign an initializer list in braces to a part of the object."""
        self._clear(place)
        if any(other.contains(place) for other, _ in self._overlapping(place)):
            for part in place.numbers():  # a part of a value becomes zero
                self._set_value(part, _zero(self._parser.start(cursor), part.type))
        if isinstance(place.type, Array | Record):
            self._fill(_Elements(cursor.get_children()), place, has_braces=True)
            return
        self._set_value(place, convert_initializer(self._parser, cursor, place.type))
        if not isinstance(place.type, Vector):
            for child in list(cursor.get_children())[1:]:
                self._drop(child)

    # ------------------------------------------------------------ values

    def _overlapping(self, place: _Place) -> list[tuple[_Place, tree.Expression]]:
        if place.offset >= self._end:  # as in all lists without designators
            return []
        return [v for v in self._values if v[0].offset < place.end and place.offset < v[0].end]

    def _clear(self, place: _Place) -> None:
        """Drop the values of a part."""
        inside = [value for other, value in self._overlapping(place) if place.contains(other)]
        if inside:
            self.dropped += inside
            self._values = [v for v in self._values if not place.contains(v[0])]

    def _drop(self, cursor: Cursor) -> None:
        """Convert an element that initializes nothing, which the text still has."""
        _, value = _split_designation(self._parser, cursor)
        if value.kind == Kind.INIT_LIST_EXPR:
            for child in value.get_children():
                self._drop(child)
        else:
            self.dropped.append(self._parser.expression(value))

    def _set_value(self, place: _Place, value: tree.Expression) -> None:
        """Set the value of a part."""
        self._clear(place)
        if len(self._values) == _MOST_VALUES:
            why = f"not supported: an initializer of more than {_MOST_VALUES:,} values"
            self._parser.refuse(value.at, why)
        if len(self._values) <= _MOST_VALUES:
            self._values.append((place, value))
        self._end = max(self._end, place.end)

    def _convert(self, cursor: Cursor, type_: Type) -> tree.Expression:
        """Return a new value, or in a range of designators the one of its first element."""
        if self._shared is None:
            return _convert_single(self._parser, cursor, type_)
        if cursor.hash not in self._shared:
            value = _convert_single(self._parser, cursor, type_)
            if any(map(has_effect, tree.walk(value))):
                self._parser.refuse(value.at, _REPEATED)
            self._shared[cursor.hash] = value
        return self._shared[cursor.hash]

    # ------------------------------------------------------------ elements

    def _fill(
        self,
        elements: _Elements,
        place: _Place,
        has_braces: bool,
        entry: tuple[list[_Designator], Cursor] | None = None,
        is_continued: bool = True,
    ) -> None:
        """Assign elements to members; without braces, to as many as there are.

        entry: designators from here on, and their value; is_continued: whether the elements
        after it belong to the members after it.
        """
        index, count = 0, place.members()
        while has_braces or index < count:
            if entry is not None:
                (designators, value), entry = entry, None
            else:
                child = elements.take() if is_continued else None
                if child is None:
                    return
                designators, value = _split_designation(self._parser, child)
                if designators and not has_braces:  # of the aggregate that has the braces
                    elements.put_back(child)
                    return
            if designators:
                index = self._designate(elements, place, designators, value, is_continued)
            elif index < count:
                self._choose(place, index)
                self._assign(elements, place.member(index), value)
                index += 1
            else:  # clang has warned of it
                self._drop(value)
            if place.is_union:
                index = count

    def _designate(
        self,
        elements: _Elements,
        place: _Place,
        designators: list[_Designator],
        value: Cursor,
        is_continued: bool,
    ) -> int:
        """Assign a value to the members designated; return the index of the next member."""
        first, *rest = designators
        if isinstance(place.type, Array):
            self._repeat(elements, place, first, rest, value, is_continued)
            return first.last + 1
        assert isinstance(place.type, Record)
        path = types.member_path(place.type, first.name)
        index = list(place.type.fields).index(path[0].name)
        self._choose(place, index)
        rest = rest if len(path) == 1 else designators
        self._assign_designated(elements, place.member(index), rest, value, is_continued)
        return index + 1

    def _choose(self, place: _Place, index: int) -> None:
        """Drop the values of a union's other members."""
        if place.is_union and self._chosen.setdefault(place, index) != index:
            self._clear(place)
            self._chosen[place] = index

    def _repeat(
        self,
        elements: _Elements,
        place: _Place,
        indices: _Designator,
        rest: list[_Designator],
        value: Cursor,
        is_continued: bool,
    ) -> None:
        """Assign a value to each element of a range."""
        outer, remaining = self._shared, elements.remaining()
        if indices.last > indices.first and outer is None:
            self._shared = {}
        for index in range(indices.first, indices.last + 1):
            elements.resume(remaining)
            is_last = index == indices.last
            member = place.member(index)
            self._assign_designated(elements, member, rest, value, is_continued and is_last)
            if len(self._values) > _MOST_VALUES:
                break
        self._shared = outer

    def _assign_designated(
        self,
        elements: _Elements,
        place: _Place,
        rest: list[_Designator],
        value: Cursor,
        is_continued: bool,
    ) -> None:
        if rest:
            self._fill(elements, place, False, (rest, value), is_continued)
        else:
            self._assign(elements, place, value)

    def _assign(self, elements: _Elements, place: _Place, value: Cursor) -> None:
        """Assign a value to a part; without braces it may take further elements."""
        parser, type_ = self._parser, place.type
        if (text := _text_for(parser, value, type_)) is not None:
            self._set_value(place, text)
        elif value.kind == Kind.INIT_LIST_EXPR:
            self.assign_braces(value, place)
        elif isinstance(type_, Array | Record) and parser.type(value) != type_:
            elements.put_back(value)
            self._fill(elements, place, has_braces=False)
        else:
            self._set_value(place, self._convert(value, type_))


def has_effect(node: tree.Node) -> bool:
    """Return whether a node changes anything when it is evaluated."""
    if isinstance(node, tree.BuiltinCall):
        return node.name.startswith(("atom", "printf"))
    changes = tree.Assignment | tree.CompoundAssignment | tree.Increment | tree.Call
    return isinstance(node, changes)


MAKERS: Makers = {
    Kind.INIT_LIST_EXPR: lambda parser, cursor: convert_initializer(
        parser, cursor, parser.type(cursor)
    ),
    Kind.STRING_LITERAL: _string,
}
