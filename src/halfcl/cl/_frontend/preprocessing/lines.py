"""Logical lines of C: trigraphs are replaced, and lines that end in a backslash are joined."""

from __future__ import annotations

import bisect
import itertools
import re

from pcpp.parser import trigraph

#: Characters that end a line in Python, but not in C.
_NOT_LINE_ENDS = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_CONTINUED = re.compile(r"\\[ \t]*\Z")


class Lines:
    """The logical lines of a file.

    text: the joined lines; a line that was joined to the one before is empty.
    """

    def __init__(self, source: str) -> None:
        self._physical = source.translate(_NOT_LINE_ENDS).splitlines()
        #: Per logical line, the offsets and line numbers of its physical lines.
        self._parts: dict[int, list[tuple[int, int]]] = {}
        self._trigraphs = {n for n, line in enumerate(self._physical, 1) if "??" in line}
        joined: list[str] = []
        while len(joined) < len(self._physical):
            self._join(joined)
        self.text = "\n".join([*joined, ""])
        self._starts = [0, *itertools.accumulate(len(line) + 1 for line in joined)]

    def _join(self, joined: list[str]) -> None:
        first = number = len(joined) + 1
        text, parts = "", [(0, first)]
        while match := _CONTINUED.search(line := trigraph(self._physical[number - 1])):
            text += line[: match.start()]
            number += 1
            if number > len(self._physical):
                line = ""
                break
            parts.append((len(text), number))
        joined.append((text + line).rstrip())
        joined += [""] * (min(number, len(self._physical)) - first)
        self._parts[first] = parts

    def place(self, line: int, at: int) -> tuple[int, int]:
        """Return the original line and column, from 1, of an offset in a logical line."""
        offset = max(at - self._starts[min(line, len(self._starts)) - 1], 0)
        parts = self._parts.get(line, [(0, line)])
        start, number = parts[bisect.bisect_right(parts, (offset, len(self._physical))) - 1]
        if number not in self._trigraphs:
            return number, offset - start + 1
        text = self._physical[number - 1]
        ends = range(len(text) + 1)
        return number, max(n for n in ends if len(trigraph(text[:n])) <= offset - start) + 1
