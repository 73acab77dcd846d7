"""Lists of pcpp's tokens: what C has otherwise, and the pragmas among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pcpp.parser import LexToken

PRAGMA = re.compile(r'_Pragma\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)')


def copied(token: LexToken) -> LexToken:
    """copy.copy, which takes ten times as long, and there are many."""
    found = object.__new__(type(token))
    found.__dict__.update(token.__dict__)
    return found


def whole(line: list[LexToken]) -> list[LexToken]:
    """Numbers and names as C cuts them: pcpp makes two tokens of 1.e5, a$b or ^=."""
    found: list[LexToken] = []
    for token in line:
        last = found[-1] if found else None
        if last is not None and _goes_on(last.value, token.value):
            last.value += token.value
        else:
            found.append(token)
    for token in found:
        if _is_name(token.value):
            token.type = "CPP_ID"
    return found


def _goes_on(last: str, value: str) -> bool:
    if last[0].isdigit() or (last[0] == "." and last[1:2].isdigit()):
        return value == "." or is_word(value) or (value in ("+", "-") and last[-1] in "eEpP")
    if last == ".":
        return value[0].isdigit()
    return (last, value) == ("^", "=") or (is_word(last) and is_word(value))


def is_word(text: str) -> bool:
    """Whether all its characters are those of names and numbers."""
    return bool(text) and all(
        c.isalnum() or c in "_$" or (ord(c) > 127 and not c.isspace()) for c in text
    )


def _is_name(text: str) -> bool:
    return is_word(text) and not text[0].isdigit()


def directive_of(line: list[LexToken]) -> str:
    """The name of the directive that a line is; nothing of another line."""
    words = (t.value for t in line if t.value.strip() and not t.value.startswith(("/*", "//")))
    return str(next(words, "")) if next(words, "") == "#" else ""


def with_elif(line: list[LexToken]) -> list[LexToken]:
    """#elifdef and #elifndef as #elif."""
    name = directive_of(line)
    if name not in ("elifdef", "elifndef"):
        return line
    at = [token.value for token in line].index(name)
    values = ("elif", " ", "defined") if name == "elifdef" else ("elif", "!", "defined")
    parts = [copied(line[at]) for _ in values]
    for part, value in zip(parts, values, strict=True):
        part.value = value
        part.type = "CPP_ID" if _is_name(value) else "CPP_EXCLAMATION" if value == "!" else "CPP_WS"
    return [*line[:at], *parts, *line[at + 1 :]]


#: Tokens without a semicolon before a call's end is taken for the end of a part.
_LONG = 10_000


def statements(tokens: list[LexToken]) -> Iterator[list[LexToken]]:
    """Parts that no call of a macro crosses, since a semicolon outside of parentheses ends them.

    pcpp takes time that grows with the square of what it is given."""
    start = depth = 0
    for index, token in enumerate(tokens):
        value = token.value
        if value == "(":
            depth += 1
        elif value == ")":
            depth -= 1
            if index - start < _LONG or depth > 0 or _calls(tokens, index + 1):
                continue
        elif value != ";" or depth > 0:
            continue
        if depth <= 0:
            yield tokens[start : index + 1]
            start, depth = index + 1, 0
    yield tokens[start:]


def _calls(tokens: list[LexToken], index: int) -> bool:
    """Whether a parenthesis comes next."""
    while index < len(tokens) and not tokens[index].value.strip():
        index += 1
    return index < len(tokens) and tokens[index].value == "("


def pragma_ends(tokens: list[LexToken]) -> list[tuple[int, tuple[str, ...]]]:
    """Of each _Pragma("OPENCL ...") the index of its last token, and its words."""
    found = []
    for start, token in enumerate(tokens):
        if token.value != "_Pragma":
            continue
        end = start
        while end < len(tokens) and tokens[end].value != ")":
            end += 1
        text = "".join(str(token.value) for token in tokens[start : end + 1])
        if match := PRAGMA.fullmatch(text):
            found.append((end, words_of(match[1].replace('\\"', '"'))))
    return found


def words_of(text: str) -> tuple[str, ...]:
    """Of a pragma of OpenCL; of another one none."""
    words = text.replace(":", " : ").split()
    return tuple(words[1:]) if words[:1] == ["OPENCL"] else ()
