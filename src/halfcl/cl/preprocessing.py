"""The preprocessor: source to text without macros, with the pragmas that are in force where.

`pcpp` preprocesses. What it does not know of is that pragmas change a macro, __ROUNDING_MODE__,
along the text, and that macros may expand to _Pragma.
"""

from __future__ import annotations

import bisect
import copy
import functools
import io
import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pcpp
import pcpp.evaluator
from pcpp.parser import trigraph

from halfcl.cl import header
from halfcl.cl.errors import BuildError, Diagnostic, Place
from halfcl.cl.nesting import DEEPEST_INCLUDES
from halfcl.cl.options import Options

MODES = ("rte", "rtz", "rtp", "rtn")
SELECT = "cl_khr_select_fprounding_mode"


@dataclass(frozen=True, slots=True)
class Pragma:
    """#pragma OPENCL word word ..., or by _Pragma; where it stands in the text."""

    at: int
    words: tuple[str, ...]
    place: Place


@dataclass(slots=True)
class Text:
    """A preprocessed program. Offsets count bytes, as clang's do."""

    text: str = ""
    pragmas: list[Pragma] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # of tokens
    places: list[Place] = field(default_factory=list)  # of the same

    def place_of(self, at: int) -> Place | None:
        """Where an offset of the text comes from."""
        index = bisect.bisect_right(self.starts, at) - 1
        if index < 0:
            return None
        place = self.places[index]
        return Place(place.file, place.line, place.column + at - self.starts[index])


_PRAGMA = re.compile(r'_Pragma\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)')


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # pcpp has no types
    """Definitions, messages and files; and _Pragma in the midst of what is expanded."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.diagnostics: list[Diagnostic] = []
        self.sources: dict[str, str] = {}
        self.selects = False  # whether the extension is enabled
        self._depth = 0
        self.countermacro: int = 0
        del self.macros["__PCPP__"], self.macros["__DATE__"], self.macros["__TIME__"]
        self.macros.update(_predefined())
        for name, value in header.version_macros(options).items():
            self.define(f"{name} {value}")
        for definition in options.defines:
            self.define(definition)
        self.path = list(options.include_folders)
        self.rewrite_paths += [_shown_as_given(folder) for folder in self.path]

    def on_error(self, file: str, line: int, msg: str) -> None:
        self.diagnostics.append(Diagnostic(Place(file, line, 1), "error", msg.strip()))

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        if not os.path.isfile(includepath):
            raise OSError(includepath)
        if self.include_depth >= DEEPEST_INCLUDES:
            at = Place(self.lastdirective.source, self.lastdirective.lineno, 1)
            raise BuildError([Diagnostic(at, "error", "#include nested too deeply")])
        with open(includepath, encoding="utf-8", errors="replace") as opened:
            text = _one_line_end(opened.read())
        for pattern, shown in self.rewrite_paths:
            if re.match(pattern, includepath):
                includepath = re.sub(pattern, shown, includepath)
                break
        self.sources[includepath] = text
        return io.StringIO(text)

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> None:
        where = self.lastdirective
        self.on_error(where.source, where.lineno, f"'{includepath}' file not found")
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_directive_handle(self, directive: Any, toks: list[Any], *others: Any) -> bool | None:
        self.lastdirective = directive
        if not toks and directive.value in _NEEDS_MORE:
            if directive.value != "pragma":
                message = f"#{directive.value} needs more than that"
                self.on_error(directive.source, directive.lineno, message)
            toks.append(copy.copy(directive))  # pcpp reads it unasked
            toks[0].value, toks[0].type = "0", self.t_INTEGER
        return True

    def on_directive_unknown(self, directive: Any, toks: list[Any], *others: Any) -> bool | None:
        if directive.value in ("error", "warning"):
            message = "".join(tok.value for tok in toks)
            place = Place(directive.source, directive.lineno, 1)
            self.diagnostics.append(Diagnostic(place, directive.value, message))
            return True
        return None  # #pragma, which comes out as it is

    def expand_macros(self, tokens: list[Any], expanding_from: Any = ()) -> list[Any]:
        """A _Pragma that selects a mode changes what __ROUNDING_MODE__ is behind it."""
        if self._depth:
            return self._expand(tokens, expanding_from)
        again, counter = [_copied(token) for token in tokens], self.countermacro
        expanded = self._expand(tokens, expanding_from)
        if not _pragma_ends(expanded):
            return expanded
        self.countermacro = counter
        return [
            token
            for statement in _statements(again)
            for token in self._expand_in_parts(statement, expanding_from)
        ]

    def _expand_in_parts(self, tokens: list[Any], expanding_from: Any) -> list[Any]:
        """Once for each part between those that are a _Pragma, in the part's mode."""
        done: list[Any] = []
        part, start, counter = 0, 0, self.countermacro
        while True:
            self.countermacro = counter
            copies = [_copied(token) for token in tokens]
            expanded = self._expand(copies, expanding_from)
            found = _pragma_ends(expanded)
            start = found[part - 1][0] + 1 if part else 0
            if len(found) <= part:
                return done + expanded[start:]
            end, words = found[part]
            done += expanded[start : end + 1]
            self.obey(words)
            part += 1

    def _expand(self, tokens: list[Any], expanding_from: Any) -> list[Any]:
        self._depth += 1
        try:
            found: list[Any] = super().expand_macros(tokens, list(expanding_from))
        finally:
            self._depth -= 1
        return found

    def obey(self, words: tuple[str, ...]) -> None:
        """The pragmas that change __ROUNDING_MODE__."""
        if words[:1] == ("EXTENSION",) and len(words) == 4:
            if words[1] in (SELECT, "all"):
                was = self.selects
                self.selects = words[3] == "enable"
                if self.selects and not was:
                    self.define("__ROUNDING_MODE__ rte")
                elif not self.selects:
                    self.macros.pop("__ROUNDING_MODE__", None)
        elif self.selects and words[:1] == ("SELECT_ROUNDING_MODE",) and words[1:] in _MODES:
            self.define(f"__ROUNDING_MODE__ {words[1]}")


def _copied(token: Any) -> Any:
    """copy.copy, which takes ten times as long, and there are many."""
    found = object.__new__(type(token))
    found.__dict__.update(token.__dict__)
    return found


_NEEDS_MORE = ("if", "ifdef", "ifndef", "elif", "define", "undef", "pragma")


def _shown_as_given(folder: str) -> tuple[str, Any]:
    """For pcpp, which knows files by whole paths: what these are to become in messages."""
    pattern = re.escape(os.path.abspath(folder) + os.sep) + "(.*)"
    return pattern, lambda match: os.path.join(folder, match[1])


#: What Python takes for the end of a line, but C does not.
_NOT_LINE_ENDS = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def _one_line_end(text: str) -> str:
    return text.translate(_NOT_LINE_ENDS)


_MODES = tuple((mode,) for mode in MODES)


def _statements(tokens: list[Any]) -> Iterator[list[Any]]:
    """Parts that no call of a macro crosses, since a semicolon outside of parentheses ends them."""
    start = depth = 0
    for index, token in enumerate(tokens):
        depth += (token.value == "(") - (token.value == ")")
        if token.value == ";" and depth <= 0:
            yield tokens[start : index + 1]
            start, depth = index + 1, 0
    yield tokens[start:]


def _pragma_ends(tokens: list[Any]) -> list[tuple[int, tuple[str, ...]]]:
    """Of each _Pragma("OPENCL ...") the index of its last token, and its words."""
    found = []
    for start, token in enumerate(tokens):
        if token.value != "_Pragma":
            continue
        end = start
        while end < len(tokens) and tokens[end].value != ")":
            end += 1
        text = "".join(str(token.value) for token in tokens[start : end + 1])
        if match := _PRAGMA.fullmatch(text):
            found.append((end, _words(match[1].replace('\\"', '"'))))
    return found


def _words(text: str) -> tuple[str, ...]:
    """Of a pragma of OpenCL; of another one none."""
    words = text.replace(":", " : ").split()
    return tuple(words[1:]) if words[:1] == ["OPENCL"] else ()


@functools.cache
def _predefined() -> dict[str, Any]:
    """The macros of the header, as pcpp keeps them."""
    scratch = pcpp.Preprocessor()
    before = set(scratch.macros)
    for name, value in header.macros().items():
        scratch.define(f"{name} {value}")
    return {name: macro for name, macro in scratch.macros.items() if name not in before}


# ---------------------------------------------------------------- tokens to text

#: What clang is to see, to judge its place and to know the types; it knows no other one.
_KNOWN_TO_CLANG = ("cl_khr_fp16", "cl_khr_fp64", "all")


def _is_for_clang(words: tuple[str, ...]) -> bool:
    """Of what is well-formed: what is not, `pragmas` tells of."""
    match words:
        case ("FP_CONTRACT", word):
            return word in ("ON", "OFF", "DEFAULT")
        case ("EXTENSION", name, ":", "enable" | "disable"):
            return name in _KNOWN_TO_CLANG
    return False


class _Writer:
    """Puts tokens together, and takes pragmas out."""

    def __init__(self, preprocessor: _Preprocessor) -> None:
        self.preprocessor = preprocessor
        self.found = Text()
        self.parts: list[str] = []
        self.at = 0
        self._lines: dict[str, list[str]] = {}
        self._starts: dict[str, list[int]] = {}
        self._next = ("", 1, 1)  # what comes behind the token before

    def write(self, tokens: Iterator[Any]) -> None:
        is_line_start = True
        for token in tokens:
            value = str(token.value)
            if value == "#" and is_line_start:
                self._directive(token, tokens)
                continue
            if value == "_Pragma":
                self._operator(token, tokens)
                continue
            is_line_start = "\n" in value or (is_line_start and not value.strip())
            self._put(token, value)
        self.found.text = "".join(self.parts)

    def _put(self, token: Any, value: str) -> None:
        if value.strip():
            self.found.starts.append(self.at)
            self.found.places.append(self._place(token))
        self._append(value)

    def _append(self, value: str) -> None:
        self.parts.append(value)
        self.at += len(value.encode())

    def _place(self, token: Any) -> Place:
        """Of a token that a macro gave, that of the one before it on its line."""
        if getattr(token, "expanded_from", None):
            if self._next[:2] == (token.source, token.lineno):
                return Place(*self._next)
            return Place(token.source, token.lineno, 1)
        starts = self._line_starts(token.source)
        line = min(token.lineno, len(starts))
        column = self._column(token.source, line, max(token.lexpos - starts[line - 1], 0))
        self._next = (token.source, token.lineno, column + len(str(token.value)))
        return Place(token.source, token.lineno, column)

    def _line_starts(self, source: str) -> list[int]:
        """Of the text as pcpp's lexer has it: without trigraphs and spaces at the end of lines."""
        if source not in self._starts:
            lines = self.preprocessor.sources.get(source, "").splitlines()
            ends = itertools.accumulate(len(trigraph(line).rstrip()) + 1 for line in lines)
            self._lines[source], self._starts[source] = lines, [0, *ends]
        return self._starts[source]

    def _column(self, source: str, line: int, behind: int) -> int:
        """From 1, in the line as it was written, of a character of pcpp's line."""
        lines = self._lines[source]
        text = lines[line - 1] if line <= len(lines) else ""
        if "??" not in text:
            return behind + 1
        lengths = itertools.accumulate(
            len(trigraph(text[:n])) <= behind for n in range(len(text) + 1)
        )
        return max(1, list(lengths)[-1])

    def _directive(self, hash_token: Any, tokens: Iterator[Any]) -> None:
        """The rest of a line that starts with #: a pragma, as pcpp knows all else."""
        text = ""
        for token in tokens:
            if "\n" in token.value:
                break
            text += str(token.value)
        kind, _, content = re.sub(r"\s+", " ", text.strip()).partition(" ")
        if kind == "pragma":
            self._pragma(_words(content), content, self._place(hash_token))
        elif kind:
            place = self._place(hash_token)
            what = "is not supported" if kind == "line" else "is not a directive"
            self._diagnose(place, "error", f"#{kind} {what}")
        self._append("\n")

    def _operator(self, first: Any, tokens: Iterator[Any]) -> None:
        """_Pragma("...")"""
        text, place = "_Pragma", self._place(first)
        for token in tokens:
            text += str(token.value)
            if token.value == ")":
                break
        match = _PRAGMA.fullmatch(text)
        if not match:
            self._diagnose(place, "error", "_Pragma takes one string in parentheses")
            return
        content = match[1].replace('\\"', '"')
        self._pragma(_words(content), content, place)

    def _pragma(self, words: tuple[str, ...], content: str, place: Place) -> None:
        if not words:
            return  # of another language, or for other compilers
        self._append("\n")
        self.preprocessor.obey(words)
        self.found.pragmas.append(Pragma(self.at, words, place))
        if _is_for_clang(words):
            self.found.starts.append(self.at)
            self.found.places.append(place)
            self._append(f"#pragma {content}\n")

    def _diagnose(self, place: Place, severity: str, message: str) -> None:
        self.found.diagnostics.append(Diagnostic(place, severity, message))


def integer_constant(text: str) -> int | None:
    """Of a constant expression of integers; of another one None."""
    if not _CONSTANT.fullmatch(text):
        return None
    try:
        return int(pcpp.evaluator.Evaluator()(text.strip()).value())
    except (SyntaxError, ArithmeticError, ValueError, AttributeError, TypeError):
        return None


#: Numbers and operators: the evaluator takes all names for zero.
_CONSTANT = re.compile(r"(?:\b\d\w*|[\s()+*/%<>&|^~?:!=-])+")


def preprocess(source: str, name: str, options: Options) -> Text:
    """The text of a program, and where everything in it comes from."""
    source = _one_line_end(source)
    preprocessor = _Preprocessor(options)
    preprocessor.sources[name] = source
    preprocessor.parse(source + "\n", name)
    writer = _Writer(preprocessor)
    try:
        writer.write(iter(preprocessor.token, None))
    except RecursionError:
        place = writer.found.places[-1] if writer.found.places else None
        raise BuildError([Diagnostic(place, "error", "macros nest too deeply")]) from None
    writer.found.diagnostics[:0] = preprocessor.diagnostics
    return writer.found
