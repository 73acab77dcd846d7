"""Output of tokens as text for clang, without pragmas that it does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pcpp.parser import LexToken

from halfcl.cl._frontend.errors import Diagnostic, SourceLocation
from halfcl.cl._frontend.preprocessing.macros import Preprocessor
from halfcl.cl._frontend.preprocessing.text import Pragma, Text
from halfcl.cl._frontend.preprocessing.tokens import PRAGMA, is_word, words_of

#: Extensions whose pragmas clang gets, to check their places and to enable types.
_KNOWN_TO_CLANG = ("cl_khr_fp16", "cl_khr_fp64", "all")


def _is_for_clang(words: tuple[str, ...]) -> bool:
    """Return whether clang gets a well-formed pragma; `pragmas` reports malformed ones."""
    match words:
        case ("FP_CONTRACT", word):
            return word in ("ON", "OFF", "DEFAULT")
        case ("EXTENSION", name, ":", "enable" | "disable"):
            return name in _KNOWN_TO_CLANG
    return False


class Writer:
    """Writes tokens as text, and collects pragmas."""

    def __init__(self, preprocessor: Preprocessor) -> None:
        self.preprocessor = preprocessor
        self.text = Text()
        self.parts: list[str] = []
        self.at = 0
        self._next = ("", 1, 1)  # the place behind the last token
        self._behind: Any = None  # the last token

    def write(self, tokens: Iterator[LexToken]) -> None:
        is_line_start = True
        for token in tokens:
            value = str(token.value)
            if value == "#" and is_line_start:
                self._directive(token, tokens)
                continue
            if value == "_Pragma":
                self._operator(token, tokens)
                continue
            is_line_start = "\n" in value or (is_line_start and not value.strip())
            self._put(token, value)
        self.text.text = "".join(self.parts)

    def _put(self, token: LexToken, value: str) -> None:
        if value.strip():
            if self._would_join(token, value):
                self._append(" ")
            self.text.starts.append(self.at)
            self.text.places.append(self._place(token))
            self.text.are_given.append(not getattr(token, "expanded_from", None))
            self._behind = token
        self._append(value)

    def _would_join(self, token: LexToken, value: str) -> bool:
        """Return whether a token from a macro would join with the one before it."""
        last = self._behind
        if last is None or not self.parts or self.parts[-1] != last.value:
            return False
        if not (getattr(token, "expanded_from", None) or getattr(last, "expanded_from", None)):
            return False
        if last.lexpos + len(last.value) == token.lexpos:
            return False
        both = last.value[-1], value[0]
        return all(map(is_word, both)) or all(c in "+-*/%&|^<>=!#:." for c in both)

    def _append(self, value: str) -> None:
        self.parts.append(value)
        self.at += len(value.encode())

    def _place(self, token: LexToken) -> SourceLocation:
        """Return a token's place; a macro's token has that of the token before it on its line."""
        if getattr(token, "expanded_from", None):
            if self._next[:2] == (token.source, token.lineno):
                return SourceLocation(*self._next)
            return SourceLocation(token.source, token.lineno, 1)
        self._next = (token.source, token.lineno, token.column + len(str(token.value)))
        return SourceLocation(token.source, token.lineno, token.column)

    def _directive(self, hash_token: LexToken, tokens: Iterator[LexToken]) -> None:
        """Read the rest of a line that starts with #; pcpp handles all directives but pragmas."""
        text = ""
        for token in tokens:
            if "\n" in token.value:
                break
            text += str(token.value)
        kind, _, content = re.sub(r"\s+", " ", text.strip()).partition(" ")
        if kind == "pragma":
            place = self._place(hash_token)
            before = self.preprocessor.rounding_mode()
            self._pragma(words_of(content), content, place)
            mode = self.preprocessor.rounding_mode()
            if mode != before:
                word = f"define __ROUNDING_MODE__ {mode}" if mode else "undef __ROUNDING_MODE__"
                self.text.modes[place.file, place.line] = word
        elif kind:
            self._diagnose(self._place(hash_token), "error", f"#{kind} is not supported")
        self._append("\n")

    def _operator(self, first: LexToken, tokens: Iterator[LexToken]) -> None:
        """Read a _Pragma("...")."""
        text, place = "_Pragma", self._place(first)
        for token in tokens:
            text += str(token.value)
            if token.value == ")":
                break
        match = PRAGMA.fullmatch(text)
        if not match:
            self._diagnose(place, "error", "_Pragma takes one string in parentheses")
            return
        content = match[1].replace('\\"', '"')
        self.text.has_mode_operators |= bool(words_of(content))
        self._pragma(words_of(content), content, place)

    def _pragma(self, words: tuple[str, ...], content: str, place: SourceLocation) -> None:
        if not words:
            return  # it is for other languages or compilers
        self._append("\n")
        self.preprocessor.obey(words)
        self.text.pragmas.append(Pragma(self.at, words, place))
        if _is_for_clang(words):
            self.text.starts.append(self.at)
            self.text.places.append(place)
            self.text.are_given.append(False)
            self._append(f"#pragma {content}\n")

    def _diagnose(self, place: SourceLocation, severity: str, message: str) -> None:
        self.text.diagnostics.append(Diagnostic(place, severity, message))
