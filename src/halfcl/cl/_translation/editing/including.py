"""Included files in a translation: they are written into the text, or included as before.

A source with `#include` becomes one text with all active files in it, between comments that mark
them. That text is parsed and translated. Then each file whose text the translation has not changed
is an `#include` again, and `#line` says where the others come from. A `#line` of the author's is a
comment meanwhile, since edits go by the lines of the one text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from halfcl.cl._frontend.errors import BuildError, Diagnostic, SourceLocation
from halfcl.cl._frontend.guards.nesting import MOST_INCLUDES
from halfcl.cl._frontend.preprocessing import preprocess
from halfcl.cl._frontend.preprocessing.files import header_named, read_file
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._translation.editing.directives import blank_comments

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b((?:\\\r?\n|[^\n])*)\n?", re.MULTILINE)
_LINE = re.compile(r"^([ \t]*#[ \t]*(?:line\b|\d+[ \t]).*)$", re.MULTILINE)
_ONCE = re.compile(r"^([ \t]*#[ \t]*pragma[ \t]+once\b.*)$", re.MULTILINE)
_OPERAND = re.compile(r'"([^"]+)"|<\s*([^>]+?)\s*>')
_GUARD = re.compile(
    r"\s*#[ \t]*(?P<test>ifndef[ \t]+(?P<a>\w+)|if[ \t]+!\s*defined\s*\(?\s*(?P<b>\w+)\s*\)?)"
    r"[ \t]*\n\s*#[ \t]*define[ \t]+(?:(?P=a)|(?P=b))\b"
)
_MARK = "hci_included_"
#: In place of the path of a file that a macro names.
_UNKNOWN = ""
_BEGIN, _END, _KEPT = "//hci-begin ", "//hci-end ", "//hci-kept "
_UNCHANGED_MARK = "//hci-unchanged "
_UNCHANGED = re.compile(rf"^{_UNCHANGED_MARK}(\d+)\n", re.MULTILINE)
_REGION = re.compile(rf"^{_BEGIN}(\d+)\n((?:(?!{_BEGIN}|{_END}).*\n)*?){_END}\1\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """An active #include: its text, the file and its own text, and the place behind it."""

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

    name: str
    text: str
    inclusions: list[Inclusion] = field(default_factory=list)
    #: The file and line of each line, if the text is complete.
    places: list[tuple[str, int]] = field(default_factory=list)

    def place_of(self, place: SourceLocation | None) -> SourceLocation | None:
        """Return the place in its file of a place in the one text."""
        if place is None or place.file != self.name:
            return place
        places = self.places or list(self._lines())
        file, line = places[min(place.line, len(places)) - 1]
        return SourceLocation(file, line, place.column)

    def complete(self) -> OneText:
        """Record the places of all lines."""
        self.places = list(self._lines())
        return self

    def _lines(self) -> Iterator[tuple[str, int]]:
        """Yield the file and line of each line."""
        file, line = self.name, 0
        for text in self.text.split("\n"):
            line += 1
            if text.startswith(_BEGIN):
                file, line = self.inclusions[int(text.removeprefix(_BEGIN))].path, 0
            elif text.startswith(_END):
                inclusion = self.inclusions[int(text.removeprefix(_END))]
                file, line = inclusion.parent, inclusion.next_line - 1
            yield file, line

    def restore(self, text: str, keeps: bool) -> str:
        """Return a translation of the one text with #line, or #include, in place of the marks.

        keeps: whether files without changes are included.
        """
        if keeps:
            text = self._include_unchanged(text)
        lines = []
        for line in text.split("\n"):
            if line.startswith(_BEGIN):
                line = _line_directive(1, self.inclusions[int(line.removeprefix(_BEGIN))].path)
            elif line.startswith(_END):
                inclusion = self.inclusions[int(line.removeprefix(_END))]
                line = _line_directive(inclusion.next_line, inclusion.parent)
            lines.append(line.removeprefix(_KEPT))
        return "\n".join(lines)

    def _include_unchanged(self, text: str) -> str:
        """Write #include in place of files without changes."""
        originals = dict[str, str]()
        _reduce(self.text, lambda match: originals.setdefault(match[1], match[2]) is not None)
        text, regions = _reduce(text, lambda match: self._is_unchanged(match, originals))

        def write(match: re.Match[str]) -> str:
            inclusion = self.inclusions[int(match[1])]
            if inclusion.is_reachable:
                return inclusion.directive
            return _UNCHANGED.sub(write, regions[match[1]])

        return _UNCHANGED.sub(write, text)

    def _is_unchanged(self, match: re.Match[str], originals: dict[str, str]) -> bool:
        inclusion = self.inclusions[int(match[1])]
        if inclusion.is_repeated:
            return False
        guard = _GUARD.match(blank_comments(inclusion.text))
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


def one_text(source: str, name: str, options: Options) -> OneText | None:
    """Return a source with the files that it includes; None if it is one text already."""
    text = _LINE.sub(_as_comment, source)
    if text == source and not _INCLUDE.search(blank_comments(source)):
        return None
    one = OneText(name, text)
    while _include(one, options):
        if len(one.inclusions) > MOST_INCLUDES:  # as for the parser, which has read them
            message = f"not translated: more than {MOST_INCLUDES:,} includes in all"
            raise BuildError([Diagnostic(None, "error", message)])
    return one.complete() if one.text != source else None


def _as_comment(match: re.Match[str]) -> str:
    return f"{_KEPT}{match[1]}"


def _include(one: OneText, options: Options) -> bool:
    """Write the files of active directives into a text; return whether there were any.

    Of repeated files with #pragma once only the first counts. So such a file waits for the next
    call if one before it may include it, too.
    """
    matches = list(_INCLUDE.finditer(blank_comments(one.text)))
    places = [next(iter(_files_at(one, match.start()))) for match in matches]
    pieces, at = [], 0
    for number, match in enumerate(matches):
        path = _resolve(match[1], _files_at(one, match.start()), options)
        directive = one.text[match.start() : match.end()].rstrip("\n")
        shown = f'#include "{path}"' if path else directive
        operand = "" if path else f"{_MARK}name_{number} {match[1].strip()} {_MARK}end\n"
        pieces += [one.text[at : match.start()], f"{operand}{shown}\n{_MARK}{number}\n"]
        at = match.end()
    marked = preprocess("".join([*pieces, one.text[at:]]), one.name, options).text
    active = {int(n) for n in re.findall(rf"\b{_MARK}(\d+)\b", marked)}
    pieces, at, reachable = [], 0, set[str]()
    for number, match in enumerate(matches):
        if number not in active:
            continue
        named = re.search(rf"{_MARK}name_{number} (.*?) {_MARK}end", marked, re.DOTALL)
        operand = named[1] if named else match[1]
        path = _resolve(operand, _files_at(one, match.start()), options)
        if path is None:  # the preprocessor has reported it
            continue
        text = read_file(path, dict(options.headers))
        if not reachable.isdisjoint((_UNKNOWN, os.path.realpath(path))) and _ONCE.search(text):
            break
        _add_reachable(path, _files_at(one, match.start()), options, reachable)
        directive = one.text[match.start() : match.end()]
        line = _line_in_file(one, match.start()) + directive.count("\n")
        is_reachable = _resolve(operand, [one.name], options) == path
        region = _region(one, directive, path, text, places[number], line, is_reachable)
        pieces += [one.text[at : match.start()], region]
        at = match.end()
    if not at:
        return False
    one.text = "".join([*pieces, one.text[at:]])
    return True


def _add_reachable(path: str, files: list[str], options: Options, reachable: set[str]) -> None:
    """Add the real paths of the files that a file may include, at any depth and in any branch."""
    waiting = [path]
    while waiting:
        path = waiting.pop()
        for match in _INCLUDE.finditer(read_file(path, dict(options.headers))):
            inner = _resolve(match[1], [path, *files], options)
            real = _UNKNOWN if inner is None else os.path.realpath(inner)
            if inner is not None and real not in reachable:
                waiting.append(inner)
            reachable.add(real)


def _region(
    one: OneText, directive: str, path: str, text: str, parent: str, next_line: int,
    is_reachable: bool,
) -> str:  # fmt: skip
    """Return a file's text between marks."""
    has_been_read = any(os.path.realpath(i.path) == os.path.realpath(path) for i in one.inclusions)
    is_repeated = has_been_read and _ONCE.search(text) is not None
    if is_repeated:
        text = ""
    text = _ONCE.sub(r"// \1", _LINE.sub(_as_comment, text))
    if not text.endswith("\n"):
        text += "\n"
    number = len(one.inclusions)
    directive = directive if directive.endswith("\n") else f"{directive}\n"
    one.inclusions.append(
        Inclusion(directive, path, text, parent, next_line, is_repeated, is_reachable)
    )
    return f"{_BEGIN}{number}\n{text}{_END}{number}\n"


def _files_at(one: OneText, at: int) -> list[str]:
    """Return the files around a place of the text, the innermost first."""
    files = [one.name]
    for match in re.finditer(rf"^(?:{_BEGIN}|{_END})(\d+)$", one.text[:at], re.MULTILINE):
        if match[0].startswith(_BEGIN):
            files.insert(0, one.inclusions[int(match[1])].path)
        else:
            files.pop(0)
    return files


def _line_in_file(one: OneText, at: int) -> int:
    """Return the line of a place in its own file."""
    line = one.text.count("\n", 0, at) + 1
    place = one.place_of(SourceLocation(one.name, line, 1))
    assert place is not None
    return place.line


def _resolve(operand: str, files: list[str], options: Options) -> str | None:
    """Return the path of a file that a directive names, as the preprocessor finds it."""
    match = _OPERAND.match(operand.strip())
    if match is None:
        return None
    folders = [] if match[1] is None else [os.path.dirname(file) for file in files]
    name = match[1] or match[2].replace(" ", "")
    header = header_named(name, files, dict(options.headers))
    if header is not None:
        return header
    paths = [os.path.join(folder, name) for folder in [*folders, *options.include_folders]]
    return next(filter(os.path.isfile, paths), None)


__all__ = ["Inclusion", "OneText", "one_text"]
