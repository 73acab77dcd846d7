"""Lists of pcpp's tokens: corrections to C's rules, and the pragmas among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pcpp.parser import LexToken

PRAGMA = re.compile(r'_Pragma\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)')


def copy_token(token: LexToken) -> LexToken:
    """Copy a token, ten times as fast as copy.copy."""
    copy = object.__new__(type(token))
    copy.__dict__.update(token.__dict__)
    return copy


def join_tokens(line: list[LexToken]) -> list[LexToken]:
    """Join numbers and names as in C; pcpp splits 1.e5, a$b and ^=."""
    tokens: list[LexToken] = []
    for token in line:
        last = tokens[-1] if tokens else None
        if last is not None and _continues(last.value, token.value):
            last.value += token.value
        else:
            tokens.append(token)
    for token in tokens:
        if _is_name(token.value):
            token.type = "CPP_ID"
    return tokens


def _continues(last: str, value: str) -> bool:
    if last[0].isdigit() or (last[0] == "." and last[1:2].isdigit()):
        return value == "." or is_word(value) or (value in ("+", "-") and last[-1] in "eEpP")
    if last == ".":
        return value[0].isdigit()
    return (last, value) == ("^", "=") or (is_word(last) and is_word(value))


def is_word(text: str) -> bool:
    """Return whether all characters may be part of names and numbers."""
    return bool(text) and all(
        c.isalnum() or c in "_$" or (ord(c) > 127 and not c.isspace()) for c in text
    )


def _is_name(text: str) -> bool:
    return is_word(text) and not text[0].isdigit()


def directive_of(line: list[LexToken]) -> str:
    """Return the name of a line's directive, or ""."""
    words = (t.value for t in line if t.value.strip() and not t.value.startswith(("/*", "//")))
    return str(next(words, "")) if next(words, "") == "#" else ""


def replace_elifdef(line: list[LexToken]) -> list[LexToken]:
    """Replace #elifdef and #elifndef by #elif."""
    name = directive_of(line)
    if name not in ("elifdef", "elifndef"):
        return line
    at = [token.value for token in line].index(name)
    values = ("elif", " ", "defined") if name == "elifdef" else ("elif", "!", "defined")
    parts = [copy_token(line[at]) for _ in values]
    for part, value in zip(parts, values, strict=True):
        part.value = value
        part.type = "CPP_ID" if _is_name(value) else "CPP_EXCLAMATION" if value == "!" else "CPP_WS"
    return [*line[:at], *parts, *line[at + 1 :]]


#: The number of tokens without a semicolon after which a part may end behind a call.
_LONG = 10_000


def statements(tokens: list[LexToken]) -> Iterator[list[LexToken]]:
    """Yield parts that no macro call crosses; they end at semicolons outside of parentheses.

    pcpp takes time quadratic in its input.
    """
    start = depth = 0
    for index, token in enumerate(tokens):
        value = token.value
        if value == "(":
            depth += 1
        elif value == ")":
            depth -= 1
            if index - start < _LONG or depth > 0 or _is_call(tokens, index + 1):
                continue
        elif value != ";" or depth > 0:
            continue
        if depth <= 0:
            yield tokens[start : index + 1]
            start, depth = index + 1, 0
    yield tokens[start:]


def _is_call(tokens: list[LexToken], index: int) -> bool:
    """Return whether a parenthesis comes next."""
    while index < len(tokens) and not tokens[index].value.strip():
        index += 1
    return index < len(tokens) and tokens[index].value == "("


def pragma_ends(tokens: list[LexToken]) -> list[tuple[int, tuple[str, ...]]]:
    """Return the index of the last token and the words of each _Pragma("OPENCL ...")."""
    ends = []
    for start, token in enumerate(tokens):
        if token.value != "_Pragma":
            continue
        end = start
        while end < len(tokens) and tokens[end].value != ")":
            end += 1
        text = "".join(str(token.value) for token in tokens[start : end + 1])
        if match := PRAGMA.fullmatch(text):
            ends.append((end, words_of(match[1].replace('\\"', '"'))))
    return ends


def included_name(values: Sequence[str]) -> str | None:
    """Return a file name in quotes or angle brackets from its tokens, or None."""
    text = "".join(values).strip()
    is_name = len(text) > 2 and text[0] + text[-1] in ('""', "<>")
    return text if is_name and not set(text[1:-1]) & {text[-1], "\n"} else None


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of an OpenCL pragma; () for others."""
    words = text.replace(":", " : ").split()
    return tuple(words[1:]) if words[:1] == ["OPENCL"] else ()
