"""The values of character and string literals."""

from __future__ import annotations

import re

_STRING = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]+|.)", re.DOTALL)
_ESCAPES = dict(zip(b"abfnrtve", b"\a\b\f\n\r\t\v\x1b", strict=True))


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code[:1].isdigit():
        return bytes([int(code, 8) & 255])
    if code[:1] == b"x" and len(code) > 1:
        return bytes([int(code[1:], 16) & 255])
    return bytes([_ESCAPES.get(code[0], code[0])])


def string_bytes(text: bytes) -> bytes:
    """Return the bytes of adjacent string literals."""
    return b"".join(_ESCAPE.sub(_unescape, part) for part in _STRING.findall(text))


def character_value(text: str) -> int:
    """Return the value of a character literal; char is signed, several characters as in clang."""
    code = _ESCAPE.sub(_unescape, text[1:-1].encode())
    return int.from_bytes(code[-4:], "big", signed=len(code) in (1, 4))


def quote(value: bytes) -> str:
    """Return a string literal."""
    letters = (chr(c) if 32 <= c < 127 and chr(c) not in '"\\?' else f"\\{c:03o}" for c in value)
    return f'"{"".join(letters)}"'
