"""The preprocessor: source to text without macros, with the pragmas that are in force where.

`pcpp` preprocesses. What it does not know of is that pragmas change a macro, __ROUNDING_MODE__,
along the text, and that macros may expand to _Pragma.
"""

from __future__ import annotations

import bisect
import functools
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pcpp

from halfcl.cl import header
from halfcl.cl.conditions import ConditionError, evaluate
from halfcl.cl.errors import BuildError, Diagnostic, Place
from halfcl.cl.lines import Lines
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
    sources: dict[str, str] = field(default_factory=dict)  # of files, the text as it was given
    #: Of file and line, the directive for __ROUNDING_MODE__ that a pragma there amounts to.
    modes: dict[tuple[str, int], str] = field(default_factory=dict)
    has_mode_operators: bool = False  # _Pragma that selects a mode

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
        self.lastdirective: Any = None
        self._is_condition = False
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

    def begin(self, text: str, name: str) -> None:
        """As pcpp's own parse(), with the name as it is."""
        self.sources[name] = text
        self.ignore: set[str] = set()
        self.temp_path.insert(0, os.path.dirname(name))
        self.parser = self.parsegen(text, name)

    def rounding_mode(self) -> str:
        """What __ROUNDING_MODE__ is; nothing where it is not defined."""
        macro = self.macros.get("__ROUNDING_MODE__")
        return "".join(str(token.value) for token in macro.value) if macro else ""

    def on_error(self, file: str, line: int, msg: str) -> None:
        at = self.lastdirective
        is_there = at is not None and (at.source, at.lineno) == (file, line)
        place = Place(file, line, at.column if is_there else 1)
        self.diagnostics.append(Diagnostic(place, "error", msg.strip()))

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        if not os.path.isfile(includepath):
            raise OSError(includepath)
        if self.include_depth >= DEEPEST_INCLUDES:
            at = Place(self.lastdirective.source, self.lastdirective.lineno, 1)
            raise BuildError([Diagnostic(at, "error", "#include nested too deeply")])
        with open(includepath, encoding="utf-8-sig", errors="replace", newline="") as opened:
            text = opened.read()
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

    def group_lines(self, given: str, source: str) -> Iterator[list[Any]]:
        """Lines of tokens, each with the line and column where it was given."""
        lines = Lines(self.sources[source])
        for line in super().group_lines(lines.text, source):
            for token in line:
                token.lineno, token.column = lines.place(token.lineno, token.lexpos)
            line = _with_elif(_whole(line))
            if self._may_select() and _directive_of(line) in _CONDITIONAL:
                yield self._end_of_text(line)
            yield line

    def _may_select(self) -> bool:
        """Whether a condition may depend on a _Pragma."""
        texts = self.sources.values()
        return all(any(word in t for t in texts) for word in ("_Pragma", "__ROUNDING_MODE__"))

    def _end_of_text(self, line: list[Any]) -> list[Any]:
        """An empty #pragma: pcpp then gives out what is before it, and its _Pragmas are obeyed."""
        tokens = [_copied(line[0]) for _ in range(3)]
        values = (("#", "CPP_POUND"), ("pragma", self.t_ID), ("\n", self.t_NEWLINE))
        for token, (value, kind) in zip(tokens, values, strict=True):
            token.value, token.type = value, kind
        return tokens

    def on_directive_handle(self, directive: Any, toks: list[Any], *others: Any) -> bool | None:
        self.lastdirective = directive
        if not toks and directive.value in _NEEDS_MORE:  # clang tells of it; pcpp reads it unasked
            toks.append(_copied(directive))
            toks[0].value, toks[0].type = "0", self.t_INTEGER
        return True

    def on_directive_unknown(self, directive: Any, toks: list[Any], *others: Any) -> bool | None:
        if directive.value in ("error", "warning"):
            message = "".join(tok.value for tok in toks)
            place = Place(directive.source, directive.lineno, directive.column)
            self.diagnostics.append(Diagnostic(place, directive.value, message))
            return True
        return None  # #pragma, which comes out as it is

    def define(self, tokens: Any) -> None:
        """Also without a space behind the name, and ## in what has no parameters."""
        if isinstance(tokens, str):
            tokens = self.tokenize(tokens)
        if len(tokens) > 1 and tokens[1].value != "(" and tokens[1].type not in self.t_WS:
            space = _copied(tokens[1])
            space.value, space.type = " ", self.t_SPACE
            tokens = [tokens[0], space, *tokens[1:]]
        super().define(tokens)
        macro = self.macros.get(tokens[0].value)
        if macro and macro.arglist is None and any(t.value == "##" for t in macro.value):
            macro.value = [t for t in macro.value if t.type not in self.t_WS]
            macro.patch = macro.str_patch = macro.var_comma_patch = []
            macro.value = self.macro_expand_args(macro, [])

    def macro_expand_args(self, macro: Any, args: list[Any]) -> list[Any]:
        found: list[Any] = super().macro_expand_args(macro, args)
        return _whole(found) if any(t.value == "##" for t in macro.value) else found

    def evalexpr(self, tokens: list[Any]) -> tuple[int, None]:
        self._is_condition = True
        try:
            expanded = self.expand_macros([_copied(token) for token in tokens])
            space = (*self.t_WS, *self.t_COMMENT)
            return evaluate([str(t.value) for t in expanded if t.type not in space]), None
        except ConditionError as error:
            self.on_error(tokens[0].source, tokens[0].lineno, str(error))
            return 0, None
        finally:
            self._is_condition = False

    def _without_defined(self, tokens: list[Any]) -> list[Any]:
        """Whether names are defined, before they are expanded."""
        found: list[Any] = []
        rest = tokens[::-1]
        while rest:
            token = rest.pop()
            found.append(token)
            words = [t for t in rest[:-5:-1] if t.type not in self.t_WS]
            if token.value != "defined" or not words:
                continue
            is_enclosed = words[0].value == "(" and len(words) > 2 and words[2].value == ")"
            name = words[1] if is_enclosed else words[0]
            if name.type == self.t_ID:
                is_defined = name.value in self.macros or name.value in ("__LINE__", "__COUNTER__")
                token.value, token.type = str(int(is_defined)), self.t_INTEGER
                last = words[2] if is_enclosed else name
                while rest.pop() is not last:
                    pass
        return found

    def expand_macros(self, tokens: list[Any], expanding_from: Any = ()) -> list[Any]:
        """A _Pragma that selects a mode changes what __ROUNDING_MODE__ is behind it."""
        if self._is_condition:
            tokens[:] = self._without_defined(tokens)
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


_CONDITIONAL = ("if", "ifdef", "ifndef", "elif")
_NEEDS_MORE = ("if", "ifdef", "ifndef", "elif", "define", "undef", "pragma")


def _shown_as_given(folder: str) -> tuple[str, Any]:
    """For pcpp, which knows files by whole paths: what these are to become in messages."""
    pattern = re.escape(os.path.abspath(folder) + os.sep) + "(.*)"
    return pattern, lambda match: os.path.join(folder, match[1])


def _whole(line: list[Any]) -> list[Any]:
    """Numbers and names as C cuts them: pcpp makes two tokens of 1.e5, a$b or ^=."""
    found: list[Any] = []
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
        return value == "." or _is_word(value) or (value in ("+", "-") and last[-1] in "eEpP")
    if last == ".":
        return value[0].isdigit()
    return (last, value) == ("^", "=") or (_is_word(last) and _is_word(value))


def _is_word(text: str) -> bool:
    return bool(text) and all(
        c.isalnum() or c in "_$" or (ord(c) > 127 and not c.isspace()) for c in text
    )


def _is_name(text: str) -> bool:
    return _is_word(text) and not text[0].isdigit()


def _directive_of(line: list[Any]) -> str:
    """The name of the directive that a line is; nothing of another line."""
    words = (t.value for t in line if t.value.strip() and not t.value.startswith(("/*", "//")))
    return str(next(words, "")) if next(words, "") == "#" else ""


def _with_elif(line: list[Any]) -> list[Any]:
    """#elifdef and #elifndef as #elif."""
    name = _directive_of(line)
    if name not in ("elifdef", "elifndef"):
        return line
    at = [token.value for token in line].index(name)
    values = ("elif", " ", "defined") if name == "elifdef" else ("elif", "!", "defined")
    parts = [_copied(line[at]) for _ in values]
    for part, value in zip(parts, values, strict=True):
        part.value = value
        part.type = "CPP_ID" if _is_name(value) else "CPP_EXCLAMATION" if value == "!" else "CPP_WS"
    return [*line[:at], *parts, *line[at + 1 :]]


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
        self._next = ("", 1, 1)  # what comes behind the token before
        self._behind: Any = None  # the token that was put last

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
            if self._would_join(token, value):
                self._append(" ")
            self.found.starts.append(self.at)
            self.found.places.append(self._place(token))
            self._behind = token
        self._append(value)

    def _would_join(self, token: Any, value: str) -> bool:
        """Whether a macro's token would become one with that before it, as no text has them."""
        last = self._behind
        if last is None or not self.parts or self.parts[-1] != last.value:
            return False
        if not (getattr(token, "expanded_from", None) or getattr(last, "expanded_from", None)):
            return False
        if last.lexpos + len(last.value) == token.lexpos:
            return False
        both = last.value[-1], value[0]
        return all(map(_is_word, both)) or all(c in "+-*/%&|^<>=!#:." for c in both)

    def _append(self, value: str) -> None:
        self.parts.append(value)
        self.at += len(value.encode())

    def _place(self, token: Any) -> Place:
        """Of a token that a macro gave, that of the one before it on its line."""
        if getattr(token, "expanded_from", None):
            if self._next[:2] == (token.source, token.lineno):
                return Place(*self._next)
            return Place(token.source, token.lineno, 1)
        self._next = (token.source, token.lineno, token.column + len(str(token.value)))
        return Place(token.source, token.lineno, token.column)

    def _directive(self, hash_token: Any, tokens: Iterator[Any]) -> None:
        """The rest of a line that starts with #: a pragma, as pcpp knows all else."""
        text = ""
        for token in tokens:
            if "\n" in token.value:
                break
            text += str(token.value)
        kind, _, content = re.sub(r"\s+", " ", text.strip()).partition(" ")
        if kind == "pragma":
            place = self._place(hash_token)
            before = self.preprocessor.rounding_mode()
            self._pragma(_words(content), content, place)
            mode = self.preprocessor.rounding_mode()
            if mode != before:
                word = f"define __ROUNDING_MODE__ {mode}" if mode else "undef __ROUNDING_MODE__"
                self.found.modes[place.file, place.line] = word
        elif kind:
            self._diagnose(self._place(hash_token), "error", f"#{kind} is not supported")
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
        self.found.has_mode_operators |= bool(_words(content))
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


def preprocess(source: str, name: str, options: Options) -> Text:
    """The text of a program, and where everything in it comes from."""
    preprocessor = _Preprocessor(options)
    writer = _Writer(preprocessor)
    writer.found.sources = preprocessor.sources
    try:
        preprocessor.begin(source.removeprefix("\ufeff"), name)
        writer.write(iter(preprocessor.token, None))
    except RecursionError:
        place = writer.found.places[-1] if writer.found.places else None
        raise BuildError([Diagnostic(place, "error", "macros nest too deeply")]) from None
    except (LookupError, AttributeError, TypeError, ValueError, AssertionError):
        # pcpp falls over some mistakes, of which clang will tell, too.
        at = preprocessor.lastdirective
        place = Place(at.source, at.lineno, at.column) if at is not None else None
        preprocessor.diagnostics.append(Diagnostic(place, "error", "the preprocessor gave up here"))
    writer.found.diagnostics[:0] = preprocessor.diagnostics
    return writer.found
