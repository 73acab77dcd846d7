"""The state shared by all parts of the parser: text, pragmas, declarations and errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ctypes import c_uint
from typing import TypeVar

from clang.cindex import Cursor, CursorKind, SourceLocation, TranslationUnit, Type as ClangType

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.guards.nesting import DEEPEST
from halfcl.cl._frontend.parsing.clang_types import Types
from halfcl.cl._frontend.parsing.library import library
from halfcl.cl._frontend.pragmas import Pragmas
from halfcl.cl._frontend.preprocessing import Text
from halfcl.cl._frontend.types import Type

#: Functions that convert cursors to expressions, by kind.
Makers = Mapping[CursorKind, Callable[["Parser", Cursor], tree.Expression]]

_Node = TypeVar("_Node")

#: Words for the kinds of expressions that are not supported.
_WORDS = {
    "addr_label_expr": "the address of a label",
    "addrlabelexpr": "the address of a label",
    "generic_selection_expr": "_Generic",
    "block_expr": "a block, which only devices enqueue",
    "imaginary_literal": "a complex number",
}

_DEFINES_TYPES = re.compile(rb"\b(typedef|struct|union|enum)\b")
_CLOSING = re.compile(rb"\s*\)")
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


class Parser:
    """The parser of one program; functions that build the tree take it as first argument."""

    def __init__(
        self,
        unit: TranslationUnit,
        text: Text,
        pragmas: Pragmas,
        makers: Makers,
        extents: bool,
        check: Callable[[], None],
    ) -> None:
        self.unit, self.pragmas, self.source = unit, pragmas, text
        self.text = text.text.encode()
        self._has_volatile = b"volatile" in self.text
        self.refused: list[Diagnostic] = []
        self.functions: dict[str, tree.Function] = {}  # by clang's USR
        self.variables: dict[int, tree.Declaration] = {}
        self._types = Types(self._refuse_type)
        self._typed: Cursor | None = None  # the cursor whose type is being converted
        self._makers, self._has_extents = makers, extents
        self._depth = 0
        self._place = c_uint()
        self._check_interrupts = check

    def end(self) -> None:
        """Free clang's objects now.

        The parser and its types refer to each other, so garbage collection would free them at any
        time; if Ctrl-C raises an exception meanwhile, Python prints and drops it.
        """
        del self._types

    def convert_nested(self, make: Callable[[Parser, Cursor], _Node], cursor: Cursor) -> _Node:
        """Convert a nested statement or expression, checking the depth."""
        self._check_interrupts()
        if self._depth == DEEPEST:
            place = self.source.place_of(self.start(cursor))
            raise BuildError([Diagnostic(place, "error", "not supported: nested too deeply")])
        self._depth += 1
        node = make(self, cursor)
        self._depth -= 1
        return node

    def refuse(self, at: int, message: str) -> None:
        self.refused.append(Diagnostic(self.source.place_of(at), "error", message))

    @property
    def has_long_long(self) -> bool:
        """Return whether the program has any long long."""
        return self._types.has_long_long

    def _refuse_type(self, why: str, cursor: Cursor | None = None) -> None:
        self.refuse(self.start(cursor or self._typed), why)

    def start(self, cursor: Cursor) -> int:
        return self._offset(cursor.extent.start)

    def extent(self, cursor: Cursor) -> tuple[int, int]:
        extent = cursor.extent
        return self._offset(extent.start), self._offset(extent.end)

    def _offset(self, location: SourceLocation) -> int:
        """Return a location's offset; faster than clang's package, which creates four objects."""
        library().clang_getInstantiationLocation(location, None, None, None, self._place)
        return self._place.value

    def whole_extent(self, cursor: Cursor) -> tuple[int, int]:
        """Return the extent with the parts that clang leaves out.

        They are the last parenthesis of (half4)(x), and the name of a function before a string.
        """
        start, end = self.extent(cursor)
        if cursor.kind == CursorKind.CALL_EXPR and self.text.startswith(b'"', start):
            start = self.text.rindex(cursor.spelling.encode(), 0, start)  # __builtin_nanf("")
        while (closing := _CLOSING.match(self.text, end)) and _has_open_parenthesis(
            self.text[start:end]
        ):
            end = closing.end()
        return start, end

    @contextmanager
    def names_of(self, cursor: Cursor) -> Iterator[None]:
        """Enter a function, which may define types of its own."""
        start, end = self.extent(cursor)
        self._types.has_local_names = _DEFINES_TYPES.search(self.text, start, end) is not None
        try:
            yield
        finally:
            self._types.has_local_names = False

    def type(self, cursor: Cursor) -> Type:
        return self.type_for(cursor, cursor.type)

    def type_for(self, cursor: Cursor, clang_type: ClangType) -> Type:
        """Convert a type that a cursor mentions."""
        self._typed = cursor
        return self._types.convert(clang_type)

    def expression(self, cursor: Cursor) -> tree.Expression:
        make = self._makers.get(cursor.kind)
        if make is None:
            name = cursor.kind.name.lower()
            self.refuse(self.start(cursor), f"not supported: {_WORDS.get(name, name)}")
            return tree.Literal(self.start(cursor), types.INT, 0)
        node = self.convert_nested(make, cursor)
        if self._has_extents:
            node.extent = self.whole_extent(cursor)
            node.is_volatile |= self._has_volatile and cursor.type.is_volatile_qualified()
        return node

    def only_child(self, cursor: Cursor) -> tree.Expression:
        return self.expression(next(iter(cursor.get_children())))


def _has_open_parenthesis(text: bytes) -> bool:
    """Return whether it has an unclosed parenthesis."""
    bare = _QUOTED.sub(b"", text)
    return bare.count(b"(") > bare.count(b")")
