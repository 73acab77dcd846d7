"""Definitions of macros."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from halfcl.cl._frontend.preprocessing.lexing.tokens import NAME, Token, lex

_DEFINITION = re.compile(rf"\s*({NAME})(?:\(([^)]*)\)|(?!\())(.*)", re.DOTALL)
_PARAMETERS = re.compile(
    rf"\s*(?:(?:{NAME}\s*,\s*)*(?:{NAME}\s*(?:\.\.\.)?|\.\.\.)\s*)?", re.DOTALL
)
_STRING, _PASTE = ("#", "%:"), ("##", "%:%:")


class DefinitionError(Exception):
    """A definition that is not C's."""


@dataclass(slots=True)
class Item:
    """A part of a macro's replacement.

    token: the token, or the name of a parameter, __VA_OPT__ or #; parameter: its number, or -1;
    is_string: whether # precedes it; is_raw: whether ## is beside it; pastes: whether ## is behind
    it; drops_comma: whether it is __VA_ARGS__ behind ##; optional: the items of a __VA_OPT__.
    """

    token: Token
    parameter: int = -1
    is_string: bool = False
    is_raw: bool = False
    pastes: bool = False
    drops_comma: bool = False
    optional: list[Item] | None = None


class Macro:
    """A macro; its replacement is read when it is first used.

    parameters: their names, None if it takes no arguments; is_variadic: whether the last one takes
    all further arguments.
    """

    __slots__ = ("__dict__", "_text", "is_variadic", "name", "parameters")

    def __init__(self, name: str, parameters: Sequence[str] | None, variadic: bool, text: str):
        self.name, self.parameters, self.is_variadic = name, parameters, variadic
        self._text = text

    @property
    def text(self) -> str:
        """The replacement as it was written."""
        return self._text.strip()

    @functools.cached_property
    def items(self) -> list[Item]:
        """The parts of the replacement."""
        return _Reader(self, lex(self._text.strip())).items()

    @functools.cached_property
    def plain(self) -> list[Token] | None:
        """The replacement where it is the same at each use, or None."""
        if self.parameters is not None or "##" in self._text or "%:%:" in self._text:
            return None
        return lex(self._text.strip())

    @functools.cached_property
    def needs_expansion(self) -> frozenset[int]:
        """The numbers of the parameters whose arguments are expanded."""
        return frozenset(_numbers_to_expand(self.items))


def _numbers_to_expand(items: Sequence[Item]) -> list[int]:
    """Return the numbers of the parameters beside which there is no # or ##."""
    numbers = []
    for item in items:
        if item.optional is not None:
            numbers += _numbers_to_expand(item.optional)
        elif item.parameter >= 0 and not (item.is_raw or item.is_string):
            numbers.append(item.parameter)
    return numbers


def define(text: str) -> Macro:
    """Return the macro that the text behind #define defines."""
    match = _DEFINITION.fullmatch(text)
    if match is None or match[1] == "defined":
        raise DefinitionError(f"not a macro definition: {text.strip() or 'no name'}")
    name, inside, replacement = match.groups()
    if inside is None:
        return Macro(name, None, False, replacement)
    if not _PARAMETERS.fullmatch(inside):
        raise DefinitionError(f"invalid macro parameter list: {name}({inside})")
    parameters = [parameter.strip() for parameter in inside.split(",")] if inside.strip() else []
    is_variadic = bool(parameters) and parameters[-1].endswith("...")
    if is_variadic:
        parameters[-1] = parameters[-1][:-3].strip() or "__VA_ARGS__"
    if len(set(parameters)) < len(parameters):
        raise DefinitionError(f"duplicate macro parameter name in {name}({inside})")
    return Macro(name, parameters, is_variadic, replacement)


class _Reader:
    """Reads the tokens of a replacement."""

    def __init__(self, macro: Macro, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._numbers = {name: n for n, name in enumerate(macro.parameters or ())}
        self._takes_arguments = macro.parameters is not None
        self._last = len(self._numbers) - 1 if macro.is_variadic else -1

    def items(self) -> list[Item]:
        """Return the parts that the tokens describe."""
        items: list[Item] = []
        at = 0
        while at < len(self._tokens):
            if self._tokens[at].text in _PASTE and items and at + 1 < len(self._tokens):
                items[-1].pastes = items[-1].is_raw = True
                at += 1
                continue
            item, at = self._item(at)
            if items and items[-1].pastes:
                item.is_raw = True
                item.drops_comma = item.parameter == self._last >= 0 and not item.is_string
            items.append(item)
        return items

    def _item(self, at: int) -> tuple[Item, int]:
        token, is_string = self._tokens[at], False
        if self._takes_arguments and token.text in _STRING and at + 1 < len(self._tokens):
            operand = self._tokens[at + 1]
            if operand.text in self._numbers or self._is_optional(at + 1):
                at, is_string = at + 1, True
        name = self._tokens[at].text
        if self._is_optional(at):
            end = self._closing(at + 1)
            inside = self._tokens[at + 2 : end]
            self._tokens, tokens = inside, self._tokens
            optional = self.items()
            self._tokens = tokens
            return Item(token, is_string=is_string, optional=optional), end + 1
        return Item(token, self._numbers.get(name, -1), is_string), at + 1

    def _is_optional(self, at: int) -> bool:
        """Return whether a __VA_OPT__ ( ... ) begins here."""
        tokens = self._tokens[at : at + 2]
        return self._last >= 0 and [t.text for t in tokens] == ["__VA_OPT__", "("]

    def _closing(self, at: int) -> int:
        depth = 0
        for end in range(at, len(self._tokens)):
            depth += (self._tokens[end].text == "(") - (self._tokens[end].text == ")")
            if depth == 0:
                return end
        return len(self._tokens)
