"""Lines as C joins them: trigraphs replaced, those that end in a backslash with the next ones."""

from __future__ import annotations

import bisect
import itertools
import re

from pcpp.parser import trigraph

#: What Python takes for the end of a line, but C does not.
_NOT_LINE_ENDS = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_CONTINUED = re.compile(r"\\[ \t]*\Z")


class Lines:
    """A file.

    text: joined, with as many lines as before: those that were joined to others are empty.
    """

    def __init__(self, given: str) -> None:
        self._given = given.translate(_NOT_LINE_ENDS).splitlines()
        #: Of each line with what else is joined to it where each part starts, and its number.
        self._parts: dict[int, list[tuple[int, int]]] = {}
        self._trigraphs = {n for n, line in enumerate(self._given, 1) if "??" in line}
        joined: list[str] = []
        while len(joined) < len(self._given):
            self._join(joined)
        self.text = "\n".join([*joined, ""])
        self._starts = [0, *itertools.accumulate(len(line) + 1 for line in joined)]

    def _join(self, joined: list[str]) -> None:
        first = number = len(joined) + 1
        text, parts = "", [(0, first)]
        while match := _CONTINUED.search(line := trigraph(self._given[number - 1])):
            text += line[: match.start()]
            number += 1
            if number > len(self._given):
                line = ""
                break
            parts.append((len(text), number))
        joined.append((text + line).rstrip())
        joined += [""] * (min(number, len(self._given)) - first)
        self._parts[first] = parts

    def place(self, line: int, at: int) -> tuple[int, int]:
        """Line and column, from 1, as given, of an offset in a line of the text."""
        offset = max(at - self._starts[min(line, len(self._starts)) - 1], 0)
        parts = self._parts.get(line, [(0, line)])
        start, number = parts[bisect.bisect_right(parts, (offset, len(self._given))) - 1]
        if number not in self._trigraphs:
            return number, offset - start + 1
        text = self._given[number - 1]
        ends = range(len(text) + 1)
        return number, max(n for n in ends if len(trigraph(text[:n])) <= offset - start) + 1
