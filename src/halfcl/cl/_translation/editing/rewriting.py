"""Edits applied to the text as its author wrote it.

Tokens of the preprocessed text that occur in the source itself are fixed points. Between two of
them is a gap with blanks, comments, directives and uses of macros. A gap stays as it is unless an
edit lies inside a macro's expansion, which then replaces the use, line by line.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from halfcl.cl._frontend.preprocessing import Text
from halfcl.cl._frontend.preprocessing.lexing.tokens import NOWHERE
from halfcl.cl._translation.editing.directives import Directives, mode_macros
from halfcl.cl._translation.editing.edits import TIGHT, Edits
from halfcl.cl._translation.editing.including import OneText

#: A single use of a macro.
_ONE_USE = re.compile(r"(\s*)(\w+(?:\s*\(.*\))?)(\s*)", re.DOTALL)

#: The parts of a gap: blanks and comments, directives, and uses of macros.
_PARTS = re.compile(
    r'(?P<directive>(?:^|(?<=\n))[ \t]*\#(?:\\\r?\n|"(?:[^"\\\n]|\\.)*"|//(?:\\\r?\n|[^\n])*'
    r"|/\*.*?\*/|[^\n])*)|"
    r"(?P<kept>\n|[^\S\n]+|//(?:\\\r?\n|[^\n])*|/\*.*?\*/)"
    r'|(?P<code>(?:[^\s/"]|/(?![/*])|"(?:[^"\\\n]|\\.)*")+)',
    re.DOTALL,
)

#: OpenCL C's names for words of our header.
_NAMES = {
    "__builtin_astype": "hc_as",
    "__builtin_huge_valf()": "INFINITY",
    "__builtin_huge_val()": "HUGE_VAL",
    '(__builtin_nanf(""))': "NAN",
}


class _Token(NamedTuple):
    """A token of the preprocessed text."""

    start: int  # in the preprocessed text
    end: int
    text: str
    use: int  # the place in the files from which it comes
    source: int | None  # its offset in the source; None: from a macro


class Rewriter:
    """One program's text and source."""

    def __init__(self, text: Text, one: OneText) -> None:
        self._one, self._source = one, one.text
        self._data = text.text.encode()
        taken = {one.offset_of(place) for place in text.map.taken}
        self._directives = Directives(self._source, taken)
        self._tokens = list(self._read(text))
        self._starts = [t.start for t in self._tokens]
        names = mode_macros(self._source)
        self._of_mode = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None

    def _read(self, text: Text) -> Iterator[_Token]:
        last, source = 0, self._source
        offsets = self._one.offsets_of(text.origins)
        extents = pairwise([*text.starts, len(self._data)])
        for (start, end), at, origin, use in zip(
            extents, offsets, text.origins, text.uses, strict=True
        ):
            word = self._data[start:end].decode().rstrip()
            if word.startswith("#"):
                continue  # a pragma for clang
            end = start + (len(word) if word.isascii() else len(word.encode()))
            if use != NOWHERE:
                yield _Token(start, end, word, use, None)
            elif at >= last and source.startswith(word, at):
                last = at + len(word)
                yield _Token(start, end, word, origin, at)
            else:
                yield _Token(start, end, word, origin, None)

    # ------------------------------------------------------------ the whole, and parts

    def whole(self, edits: Edits) -> str:
        """Return the source with edits applied."""
        result, at, gap = _Output(), 0, list[_Token]()
        words, source = _Words(self._tokens, edits), self._source
        tokens = iter(self._tokens)
        for token in tokens:
            if token.source is None:
                gap.append(token)
                continue
            if at < token.source or gap:
                result.add(self._gap(source[at : token.source], at, gap, words))
            if words.touches(token):
                for part in words.of(token):
                    result.add(part)
            else:
                result.append(token.text)
            at, gap = token.source + len(token.text), []
            if token.start in edits.bodies:
                at = self._skip(edits.bodies[token.start], at, tokens, result)
        result.add(self._gap(source[at:], at, gap, words))
        return result.text()

    def _skip(self, end: int, at: int, tokens: Iterator[_Token], result: _Output) -> int:
        """Skip the tokens of a body up to its end; return the place behind it in the source."""
        last = self._tokens[bisect.bisect_left(self._starts, end) - 1]
        if last.source is None or last.source < at:  # a macro, whose tokens have edits
            return at
        for token in tokens:
            if token is last:
                break
        result.add(self._directives.outline(self._source[at : last.source], at))
        return last.source + len(last.text)

    def part(self, extent: tuple[int, int], edits: Edits) -> str:
        """Return the text of an extent of the preprocessed text with edits applied, on one line."""
        first = bisect.bisect_left(self._starts, extent[0])
        last = bisect.bisect_left(self._starts, extent[1])
        return self._join(self._tokens[first:last], _Words(self._tokens, edits))

    def line_of(self, at: int) -> int:
        """Return the line of the source from which an offset of the preprocessed text comes."""
        index = bisect.bisect_right(self._starts, at) - 1
        return self._line(self._one.offset_of(self._tokens[index].use)) if index >= 0 else 0

    # ------------------------------------------------------------ gaps

    def _gap(self, gap_text: str, at: int, tokens: list[_Token], words: _Words) -> str:
        if not tokens:
            return self._directives.resolve(gap_text, at) if "#" in gap_text else gap_text
        is_touched = any(map(words.touches, tokens))
        has_mode = self._of_mode is not None and self._of_mode.search(gap_text)
        if not is_touched and not has_mode:
            return self._directives.resolve(gap_text, at)
        one = _ONE_USE.fullmatch(gap_text)
        if one and not has_mode and words.only_around(tokens):
            before, behind = words.prefix(tokens[0]), words.suffix(tokens[-1])
            return f"{one[1]}{before}{one[2]}{behind}{one[3]}"
        return self._expand_macros(gap_text, at, tokens, words)

    def _expand_macros(self, gap_text: str, at: int, tokens: list[_Token], words: _Words) -> str:
        """Replace uses of macros by their expansions, with as many lines as before."""
        parts, uses = [], []  # uses: index into parts, and line
        for match in _PARTS.finditer(gap_text):
            parts.append(match[0])
            if match.lastgroup == "directive":
                parts[-1] = self._directives.resolve(match[0], at + match.start())
            elif match.lastgroup == "code" and self._directives.is_active(at + match.start()):
                uses.append((len(parts) - 1, self._line(at + match.start())))
        if not uses:
            return self._join(tokens, words) + gap_text
        tokens_by_use = [list[_Token]() for _ in uses]
        for token in tokens:
            line = self._line(self._one.offset_of(token.use))
            index = bisect.bisect_right(uses, line, key=lambda use: use[1]) - 1
            tokens_by_use[max(index, 0)].append(token)
        # A macro's use may contain blanks, so join all parts of a line in its first part.
        for (first, _), (second, _) in pairwise(uses):
            if second == first + 2 and not parts[first + 1].strip(" "):
                parts[first + 1] = ""
        seen: dict[int, int] = {}
        for (index, line), own in zip(uses, tokens_by_use, strict=True):
            first = seen.setdefault(line, index)
            parts[index] = ""
            if own:
                behind = parts[first]
                parts[first] = behind + (" " if behind else "") + self._join(own, words)
        return "".join(parts)

    def _line(self, at: int) -> int:
        return self._one.line_at(at)

    def _join(self, tokens: Sequence[_Token], words: _Words) -> str:
        result = _Output()
        for token, following in pairwise([*tokens, None]):
            assert token is not None
            for part in words.of(token):
                result.add(part)
            if following is not None and self._data[token.end : following.start].strip() == b"":
                result.add(" " if following.start > token.end else "")
        text = result.text()
        for ours, name in _NAMES.items():
            text = text.replace(ours, name)
        return text


class _Words:
    """The texts of tokens after edits."""

    def __init__(self, tokens: Sequence[_Token], edits: Edits) -> None:
        self._edits = edits
        self._before, self._behind = edits.before, edits.behind
        self._text: dict[int, str] = {}  # replacements of tokens
        starts = [t.start for t in tokens]
        for start, (end, text) in edits.replaced.items():
            first = bisect.bisect_left(starts, start)
            for k in range(first, bisect.bisect_left(starts, end)):
                self._text[starts[k]] = text if k == first else ""

    def of(self, token: _Token) -> Iterator[str]:
        yield self.prefix(token)
        yield self._text.get(token.start, token.text)
        yield self.suffix(token)

    def prefix(self, token: _Token) -> str:
        return self._edits.prefix(token.start)

    def suffix(self, token: _Token) -> str:
        return self._edits.suffix(token.end)

    def touches(self, token: _Token) -> bool:
        start = token.start
        if start in self._text:
            return True
        is_near = start in self._before or token.end in self._behind
        return is_near and bool(self.prefix(token) or self.suffix(token))

    def only_around(self, tokens: Sequence[_Token]) -> bool:
        """Return whether edits only add words before the first token and behind the last one."""
        return not (
            any(t.start in self._text for t in tokens)
            or any(map(self.prefix, tokens[1:]))
            or any(map(self.suffix, tokens[:-1]))
        )


class _Output:
    """Text that grows; a TIGHT piece removes blanks before it."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        if text.startswith(TIGHT):
            text = text[1:]
            while self._parts and not self._parts[-1].strip(" "):
                self._parts.pop()
            if self._parts and "//" not in self._parts[-1]:
                self._parts[-1] = self._parts[-1].rstrip(" ")
        if text:
            self._parts.append(text)

    def append(self, text: str) -> None:
        """Add a token that is no edit."""
        self._parts.append(text)

    def text(self) -> str:
        return "".join(self._parts)
