"""Tokens of the preprocessor, which C calls preprocessing tokens."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

#: Characters of names and numbers: letters, digits, _ and $, and all that ASCII lacks but blanks.
_WORD = r"[^\x00-#%-/:-@\[-^`{-\x7f\s]"
NAME = rf"(?![0-9]){_WORD}++"
_PUNCTUATION = (
    "%:%: ... <<= >>= ## -> ++ -- << >> <= >= == != && || *= /= %= += -= &= ^= |= <: :> <% %> %: ::"
)

#: A token, blanks within a line, or the end of a line.
PIECE = re.compile(
    rf"[^\S\n\x1c-\x1f]+|\n|(?!L[\"'])(?![0-9]){_WORD}+|[()\[\],;{{}}]"
    rf"|\.?[0-9](?:[eEpP][+-]|{_WORD}|\.)*"
    r'|L?"(?:[^"\\\n]|\\.)*"?' + r"|L?'(?:[^'\\\n]|\\.)*'?|"
    + "|".join(map(re.escape, _PUNCTUATION.split()))
    + r"|[^\n]"
)  # fmt: skip

#: The place of tokens that no file has: those of options and of the header.
NOWHERE = -1

_DESTRINGIZED = re.compile(r'L?"((?:[^"\\]|\\.)*)"')


@dataclass(slots=True)
class Token:
    """A token: its text, and whether blanks precede it.

    at: its place in the files (see `text.SourceMap`), NOWHERE in definitions of macros; is_final:
    whether it names a macro in whose own expansion it was, so that it is never expanded.
    """

    text: str
    has_space: bool
    at: int = NOWHERE
    is_final: bool = False


def is_blank(piece: str) -> bool:
    """Return whether a piece is blanks, or the end of a line: not Python's separators."""
    return piece.isspace() and not "\x1c" <= piece <= "\x1f"


def lex(text: str, at: int = NOWHERE) -> list[Token]:
    """Return the tokens of a text that begins at a place."""
    tokens, has_space = [], False
    for piece in PIECE.findall(text):
        if is_blank(piece):
            has_space = True
        else:
            tokens.append(Token(piece, has_space, at))
            has_space = False
        if at != NOWHERE:
            at += len(piece)
    return tokens


def with_space(tokens: list[Token], has_space: bool) -> list[Token]:
    """Return the tokens, with or without blanks before the first one."""
    if not tokens or tokens[0].has_space == has_space:
        return tokens
    first = tokens[0]
    return [Token(first.text, has_space, first.at, first.is_final), *tokens[1:]]


def text_of(tokens: Sequence[Token]) -> str:
    """Return the tokens' text, with a blank where there are any."""
    return "".join(" " * token.has_space + token.text for token in tokens).strip()


def is_name(text: str) -> bool:
    """Return whether a token is a name."""
    return re.fullmatch(NAME, text) is not None


def is_token(text: str) -> bool:
    """Return whether a text is one token."""
    return PIECE.fullmatch(text) is not None and not is_blank(text)


@functools.lru_cache(maxsize=1 << 14)
def would_join(left: str, right: str) -> bool:
    """Return whether two tokens would be read as others if no blank were between them."""
    if left + right[0] in ("//", "/*", ".."):
        return True
    first = PIECE.match(left + right)
    return first is None or first.end() != len(left)


def stringize(tokens: Sequence[Token]) -> str:
    """Return the string literal that # makes of an argument."""
    parts = []
    for token in tokens:
        text = token.text
        if text[0] in "\"'" or text[:2] in ('L"', "L'"):
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        parts.append(" " * token.has_space + text)
    return f'"{"".join(parts).strip()}"'


def destringize(text: str) -> str | None:
    """Return what a string literal quotes, as _Pragma reads it; None if it is none."""
    match = _DESTRINGIZED.fullmatch(text)
    return match[1].replace('\\"', '"').replace("\\\\", "\\") if match else None


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of an OpenCL pragma; () for others."""
    words = text.replace(":", " : ").split()
    return tuple(words[1:]) if words[:1] == ["OPENCL"] else ()
