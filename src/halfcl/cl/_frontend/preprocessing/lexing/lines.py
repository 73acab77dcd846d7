"""The text of a file as C's first translation phases leave it, with the way back to the source."""

from __future__ import annotations

import bisect
import functools
import re
from array import array

_TRIGRAPHS = {"??" + key: value for key, value in zip("=/'()!<>-", "#\\^[]|{}~", strict=True)}

#: What the first phases replace: ends of lines that continue, and trigraphs.
_JOINED = re.compile(r"(?:\\|\?\?/)[ \t\v\f]*(?:\r\n|\n|\r)|\?\?[=/'()!<>-]")

#: Comments, and what only looks as if it contained one.
_COMMENT = re.compile(
    r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"?' + r"|'(?:[^'\\\n]|\\.)*'?"
    r"|#[^\S\n]*include[^\S\n]*<[^>\n]*>"
)
_LINE_END = re.compile(r"\r\n|\n|\r")

#: Characters to those by which the text has them; it has as many.
_SAME_LENGTH = {ord("\r"): "\n", 0: " "}


def split_lines(source: str) -> list[str]:
    """Return the lines, as C and editors count them."""
    lines = _LINE_END.split(source)
    return lines if lines[-1] else lines[:-1]


def _blank(match: re.Match[str]) -> str:
    """Return blanks for a comment. A line in which it begins goes on behind it."""
    text = match[0]
    if text[0] != "/":
        return text
    return " " * len(text) if "\n" not in text else "".join(" \f"[c == "\n"] for c in text)


class Lines:
    """The logical lines of a file: without comments, and joined where a backslash ends them.

    source: the file; text: its lines; cuts, ahead: offsets in the text, and how far the source is
    ahead of the text from there on; longest_run: how many backslashes in a row only end lines.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.cuts, self.ahead = [0], [0]
        self.longest_run = 0
        joined = self._join() if "\\" in source or "??" in source else source
        joined = joined.replace("\r\n", " \n").translate(_SAME_LENGTH)
        self.text = _COMMENT.sub(_blank, joined)

    def _join(self) -> str:
        pieces, at, length, run = [], 0, 0, 0
        for match in _JOINED.finditer(self.source):
            start, end = match.span()
            replacement = _TRIGRAPHS.get(match[0], "")
            run = run + 1 if start == at and not replacement else 0
            self.longest_run = max(self.longest_run, run)
            pieces += [self.source[at:start], replacement]
            length += start - at + len(replacement)
            at = end
            self.cuts.append(length)
            self.ahead.append(end - length)
        return "".join([*pieces, self.source[at:]])

    def offset(self, at: int) -> int:
        """Return the offset in the source of an offset in the text."""
        return at + self.ahead[bisect.bisect_right(self.cuts, at) - 1]

    @functools.cached_property
    def _starts(self) -> array[int]:
        starts = array("I", [0])
        starts.extend(match.end() for match in _LINE_END.finditer(self.source))
        return starts

    def place(self, at: int) -> tuple[int, int]:
        """Return line and column in the source, from 1, of an offset in the text."""
        offset = self.offset(at)
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
