"""Included files in a translation: they are written into the text, or included as before.

A source with `#include` becomes one text with all active files in it, between comments that mark
them; `OneText.offset_of` tells where in it a place of the preprocessed files lies. That text is
edited. Then each file whose text the translation has not changed is an `#include` again, and
`#line` says where the others come from. A `#line` of the author's is a comment meanwhile, since
edits go by the lines of the one text.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from halfcl.cl._frontend.preprocessing.lexing.lines import Lines
from halfcl.cl._frontend.preprocessing.text import File, Inclusion, SourceMap, Text
from halfcl.cl._translation.editing.directives import blank_comments

_LINE = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d+[ \t])", re.MULTILINE)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b", re.MULTILINE)
_GUARD = re.compile(
    r"\s*#[ \t]*(?P<test>ifndef[ \t]+(?P<a>\w+)|if[ \t]+!\s*defined\s*\(?\s*(?P<b>\w+)\s*\)?)"
    r"[ \t]*\n\s*#[ \t]*define[ \t]+(?:(?P=a)|(?P=b))\b"
)
_BEGIN, _END, _KEPT = "//hci-begin ", "//hci-end ", "//hci-kept "
_UNCHANGED_MARK = "//hci-unchanged "
_UNCHANGED = re.compile(rf"^{_UNCHANGED_MARK}(\d+)\n", re.MULTILINE)
_REGION = re.compile(rf"^{_BEGIN}(\d+)\n((?:(?!{_BEGIN}|{_END}).*\n)*?){_END}\1\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Region:
    """A file's text in the one text: its #include, and the place behind that."""

    directive: str
    path: str
    text: str
    parent: str
    next_line: int
    is_repeated: bool  # whether #pragma once leaves nothing of it
    is_reachable: bool  # whether the source itself could include it in these words


@dataclass(slots=True)
class OneText:
    """A source with all files in it."""

    text: str
    regions: list[Region]
    #: Places of the files from which on the one text is so much further ahead.
    _places: list[int]
    _ahead: list[int]
    _lines: list[int] = field(default_factory=list)

    def offset_of(self, place: int) -> int:
        """Return the offset in the one text of a place in the files."""
        return place + self._ahead[bisect.bisect_right(self._places, place) - 1]

    def offsets_of(self, places: list[int]) -> Iterator[int]:
        """Yield the offsets of places, of which many follow each other in a file."""
        first, end, ahead = 0, -1, 0
        for place in places:
            if not first <= place < end:
                index = bisect.bisect_right(self._places, place)
                first, ahead = self._places[index - 1], self._ahead[index - 1]
                end = self._places[index] if index < len(self._places) else 1 << 62
            yield place + ahead

    def line_at(self, offset: int) -> int:
        """Return the line of an offset in the one text."""
        if not self._lines:
            self._lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return bisect.bisect_right(self._lines, offset)

    def restore(self, text: str, keeps: bool) -> str:
        """Return a translation of the one text with #line, or #include, in place of the marks.

        keeps: whether files without changes are included.
        """
        if keeps and self.regions:
            text = self._include_unchanged(text)
        lines = []
        for line in text.split("\n"):
            if line.startswith("//hci-"):
                line = self._restore_line(line)
            lines.append(line)
        return "\n".join(lines)

    def _restore_line(self, line: str) -> str:
        if line.startswith(_BEGIN):
            return _line_directive(1, self.regions[int(line.removeprefix(_BEGIN))].path)
        if line.startswith(_END):
            region = self.regions[int(line.removeprefix(_END))]
            return _line_directive(region.next_line, region.parent)
        return line.removeprefix(_KEPT)

    def _include_unchanged(self, text: str) -> str:
        """Write #include in place of files without changes."""
        originals = dict[str, str]()
        _reduce(self.text, lambda match: originals.setdefault(match[1], match[2]) is not None)
        text, regions = _reduce(text, lambda match: self._is_unchanged(match, originals))

        def write(match: re.Match[str]) -> str:
            region = self.regions[int(match[1])]
            if region.is_reachable:
                return region.directive
            return _UNCHANGED.sub(write, regions[match[1]])

        return _UNCHANGED.sub(write, text)

    def _is_unchanged(self, match: re.Match[str], originals: dict[str, str]) -> bool:
        region = self.regions[int(match[1])]
        if region.is_repeated:
            return False
        guard = _GUARD.match(blank_comments(region.text))
        text = match[2]
        if guard:  # its condition is not resolved
            test = re.escape(guard["test"])
            text = re.sub(
                rf"^([ \t]*#[ \t]*)if [01] // ({test})", r"\1\2", text, count=1, flags=re.MULTILINE
            )
        return text == originals[match[1]]


def _reduce(text: str, is_unchanged: Callable[[re.Match[str]], bool]) -> tuple[str, dict[str, str]]:
    """Replace regions without changes, the innermost first; return the text and the regions."""
    regions = dict[str, str]()

    def replace(match: re.Match[str]) -> str:
        if not is_unchanged(match):
            return match[0]
        regions[match[1]] = match[0]
        return f"{_UNCHANGED_MARK}{match[1]}\n"

    before = ""
    while before != text:
        before, text = text, _REGION.sub(replace, text)
    return text, regions


def _line_directive(line: int, file: str) -> str:
    shown = file.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{shown}"'


def one_text(text: Text) -> OneText:
    """Return a preprocessed program's source with the files that it includes."""
    assembler = _Assembler(text.map)
    assembler.add_file(text.map.program)
    places, ahead = zip(*sorted(assembler.pieces), strict=True)
    return OneText("".join(assembler.parts), assembler.regions, list(places), list(ahead))


class _Change(NamedTuple):
    """A change of a file: text put in at its start, or an #include in its place."""

    start: int
    end: int
    text: str
    inclusion: Inclusion | None = None


class _Assembler:
    """Writes the one text.

    pieces: places in the files from which on the text is so much further ahead.
    """

    def __init__(self, source_map: SourceMap) -> None:
        self.parts: list[str] = []
        self.regions: list[Region] = []
        self.pieces: list[tuple[int, int]] = []
        self._length = 0
        self._inclusions = defaultdict[int, list[Inclusion]](list)
        for inclusion in source_map.inclusions:
            self._inclusions[source_map.file_at(inclusion.at).base].append(inclusion)

    def add_file(self, file: File, is_program: bool = True) -> None:
        source, at = file.lines.source, 0
        changes = [_Change(m.start(), m.start(), _KEPT) for m in _LINE.finditer(source)]
        if not is_program:
            changes += [_Change(m.start(), m.start(), "// ") for m in _ONCE.finditer(source)]
        changes += [_directive(file, each) for each in self._inclusions[file.base]]
        for change in sorted(changes, key=lambda change: change[:2]):
            self._copy(file, at, change.start)
            self._write(change.text)
            if change.inclusion is not None:
                self._add_region(file, change, change.inclusion)
            at = change.end
        self._copy(file, at, len(source))

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)

    def _copy(self, file: File, start: int, end: int) -> None:
        """Copy a part of a file."""
        for place, ahead in _pieces_in(file.lines, start, end):
            self.pieces.append((file.base + place, ahead - file.base - start + self._length))
        self._write(file.lines.source[start:end])

    def _add_region(self, file: File, change: _Change, inclusion: Inclusion) -> None:
        source, number = file.lines.source, len(self.regions)
        directive = source[change.start : change.end]
        own = inclusion.file.lines.source if inclusion.file else ""
        directive += "" if directive.endswith("\n") else "\n"
        next_line = source.count("\n", 0, change.start) + directive.count("\n") + 1
        is_repeated = inclusion.file is None
        self.regions.append(
            Region(
                directive, inclusion.path, own, file.name, next_line, is_repeated,
                inclusion.is_reachable,
            )
        )  # fmt: skip
        self._write(f"{_BEGIN}{number}\n")
        if inclusion.file is not None:
            self.add_file(inclusion.file, False)
        self._write("\n" if not own.endswith("\n") else "")
        self._write(f"{_END}{number}\n")


def _directive(file: File, inclusion: Inclusion) -> _Change:
    """Return the change that puts a file in the place of the lines of its #include."""
    lines, at = file.lines, inclusion.at - file.base
    end = lines.text.find("\n", at)
    start = lines.source.rfind("\n", 0, lines.offset(at)) + 1
    return _Change(start, lines.offset(end) + 1 if end >= 0 else len(lines.source), "", inclusion)


def _pieces_in(lines: Lines, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a part of the source: offsets in the lines' text, and how far ahead."""
    cuts, ahead = lines.cuts, lines.ahead
    first = bisect.bisect_right(range(len(cuts)), start, key=lambda k: cuts[k] + ahead[k]) - 1
    for index in range(max(first, 0), len(cuts)):
        if cuts[index] + ahead[index] >= end > start:
            return
        yield max(cuts[index], start - ahead[index]), ahead[index]


__all__ = ["OneText", "Region", "one_text"]
