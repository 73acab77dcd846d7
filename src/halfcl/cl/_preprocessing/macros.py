"""What pcpp does not know of: that pragmas change a macro, and what C says otherwise."""

from __future__ import annotations

import functools
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pcpp
from pcpp.parser import LexToken, Macro

from halfcl.cl import _header as header
from halfcl.cl._errors import BuildError, Diagnostic, Place
from halfcl.cl._nesting import DEEPEST_INCLUDES, LONGEST, MOST_EXPANDED
from halfcl.cl._options import Options
from halfcl.cl._preprocessing.conditions import ConditionError, evaluate
from halfcl.cl._preprocessing.files import HAS_INCLUDE, included_name
from halfcl.cl._preprocessing.lines import Lines
from halfcl.cl._preprocessing.text import MODES, SELECT
from halfcl.cl._preprocessing.tokens import (
    copied,
    directive_of,
    pragma_ends,
    statements,
    whole,
    with_elif,
)


class _Argument(list[LexToken]):
    """Of a macro. pcpp copies it, and asks for the copy to be expanded, which it is already."""

    expanded: list[LexToken] | None = None

    def __copy__(self) -> _Argument:
        return self


class Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # pcpp has no types
    """Definitions, messages and files; and _Pragma in the midst of what is expanded."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.diagnostics: list[Diagnostic] = []
        self.sources: dict[str, str] = {}
        self.lastdirective: LexToken = None
        self._is_condition = False
        self.selects = False  # whether the extension is enabled
        self._depth = 0
        self._expanded = 0  # tokens, of macros in each other each time
        self._room = LONGEST  # what all that is included may have, each time it is
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

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        if not self._is_file(includepath):
            raise OSError(includepath)
        if self.include_depth >= DEEPEST_INCLUDES:
            raise BuildError([Diagnostic(self._here(), "error", "#include nested too deeply")])
        with open(includepath, encoding="utf-8-sig", errors="replace", newline="") as opened:
            text = opened.read(self._room + 1)
        self._room -= len(text)
        if self._room < 0:
            raise BuildError([Diagnostic(self._here(), "error", _TOO_LONG)])
        for pattern, shown in self.rewrite_paths:
            if re.match(pattern, includepath):
                includepath = re.sub(pattern, shown, includepath)
                break
        self.sources[includepath] = text
        return io.StringIO(text)

    def _is_file(self, path: str) -> bool:
        """BuildError if it is a device or a pipe, which clang would read, too, without an end."""
        is_file = os.path.isfile(path)
        if not is_file and os.path.exists(path) and not os.path.isdir(path):
            message = f"not a regular file: {path}"
            raise BuildError([Diagnostic(self._here(), "error", message)])
        return is_file

    def _here(self) -> Place:
        return Place(self.lastdirective.source, self.lastdirective.lineno, 1)

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> None:
        where = self.lastdirective
        self.on_error(where.source, where.lineno, f"'{includepath}' file not found")
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def group_lines(self, given: str, source: str) -> Iterator[list[LexToken]]:
        """Lines of tokens, each with the line and column where it was given."""
        lines = Lines(self.sources[source])
        for line in super().group_lines(lines.text, source):
            for token in line:
                token.lineno, token.column = lines.place(token.lineno, token.lexpos)
            line = with_elif(whole(line))
            if self._may_select() and directive_of(line) in _CONDITIONAL:
                yield self._end_of_text(line)
            yield line

    def _may_select(self) -> bool:
        """Whether a condition may depend on a _Pragma."""
        texts = self.sources.values()
        return all(any(word in t for t in texts) for word in ("_Pragma", "__ROUNDING_MODE__"))

    def _end_of_text(self, line: list[LexToken]) -> list[LexToken]:
        """An empty #pragma: pcpp then gives out what is before it, and its _Pragmas are obeyed."""
        tokens = [copied(line[0]) for _ in range(3)]
        values = (("#", "CPP_POUND"), ("pragma", self.t_ID), ("\n", self.t_NEWLINE))
        for token, (value, kind) in zip(tokens, values, strict=True):
            token.value, token.type = value, kind
        return tokens

    def on_directive_handle(
        self, directive: LexToken, toks: list[LexToken], *others: object
    ) -> bool | None:
        self.lastdirective = directive
        if not toks and directive.value in _NEEDS_MORE:  # clang tells of it; pcpp reads it unasked
            toks.append(copied(directive))
            toks[0].value, toks[0].type = "0", self.t_INTEGER
        return True

    def on_directive_unknown(
        self, directive: LexToken, toks: list[LexToken], *others: object
    ) -> bool | None:
        if directive.value in ("include_next", "import", "embed"):  # clang would read what is there
            place = Place(directive.source, directive.lineno, directive.column)
            message = f"#{directive.value} is not in OpenCL C"
            raise BuildError([Diagnostic(place, "error", message)])
        if directive.value in ("error", "warning"):
            message = "".join(tok.value for tok in toks)
            place = Place(directive.source, directive.lineno, directive.column)
            self.diagnostics.append(Diagnostic(place, directive.value, message))
            return True
        return None  # #pragma, which comes out as it is

    def define(self, tokens: str | list[LexToken]) -> None:
        """Also without a space behind the name, and ## in what has no parameters."""
        found: list[LexToken] = self.tokenize(tokens) if isinstance(tokens, str) else tokens
        if len(found) > 1 and found[1].value != "(" and found[1].type not in self.t_WS:
            space = copied(found[1])
            space.value, space.type = " ", self.t_SPACE
            found = [found[0], space, *found[1:]]
        super().define(found)
        macro = self.macros.get(found[0].value)
        if macro and macro.arglist is None and any(t.value == "##" for t in macro.value):
            macro.value = [t for t in macro.value if t.type not in self.t_WS]
            macro.patch = macro.str_patch = macro.var_comma_patch = []
            macro.value = self.macro_expand_args(macro, [])

    def macro_expand_args(self, macro: Macro, args: list[list[LexToken]]) -> list[LexToken]:
        """Each argument is expanded once, before it is put wherever it is named: it must fit."""
        given = [_Argument(arg) for arg in args]
        length = len(macro.value)
        for kind, number, _ in macro.patch:
            arg = given[number]
            if kind == "e" and arg.expanded is None:
                arg.expanded = self.expand_macros(list(arg))
            length += len(arg if arg.expanded is None else arg.expanded)
        self._count(length, macro.value[0] if macro.value else None)
        found: list[LexToken] = super().macro_expand_args(macro, given)
        return whole(found) if any(t.value == "##" for t in macro.value) else found

    def evalexpr(self, tokens: list[LexToken]) -> tuple[int, None]:
        self._is_condition = True
        try:
            expanded = self.expand_macros([copied(token) for token in tokens])
            space = (*self.t_WS, *self.t_COMMENT)
            return evaluate([str(t.value) for t in expanded if t.type not in space]), None
        except ConditionError as error:
            self.on_error(tokens[0].source, tokens[0].lineno, str(error))
            return 0, None
        finally:
            self._is_condition = False

    def _without_defined(self, tokens: list[LexToken]) -> list[LexToken]:
        """Whether names are defined, before they are expanded."""
        found: list[LexToken] = []
        rest = tokens[::-1]
        while rest:
            token = rest.pop()
            found.append(token)
            words = [t for t in rest[:-5:-1] if t.type not in self.t_WS]
            if token.value == HAS_INCLUDE:
                self._answer(token, rest)
            if token.value != "defined" or not words:
                continue
            is_enclosed = words[0].value == "(" and len(words) > 2 and words[2].value == ")"
            name = words[1] if is_enclosed else words[0]
            if name.type == self.t_ID:
                is_defined = name.value in self.macros or name.value in _OPERATORS
                token.value, token.type = str(int(is_defined)), self.t_INTEGER
                last = words[2] if is_enclosed else name
                while rest.pop() is not last:
                    pass
        return found

    def _answer(self, token: LexToken, rest: list[LexToken]) -> None:
        """Whether there is what __has_include names in what follows, the last one first."""
        given: list[LexToken] = []
        if not any(t.value == "(" for t in rest) or rest.pop().value != "(":
            raise ConditionError(f"missing '(' after '{HAS_INCLUDE}'")
        while rest and rest[-1].value != ")":
            given.append(rest.pop())
        if not rest:
            raise ConditionError(f"missing ')' after '{HAS_INCLUDE}'")
        rest.pop()
        name = included_name([t.value for t in given])
        if name is None:
            self._is_condition = False  # else names in it would be asked for
            name = included_name([t.value for t in self._expand(given, ())])
            self._is_condition = True
        if name is None:
            raise ConditionError('expected "FILENAME" or <FILENAME>')
        folders = self.path if name.startswith("<") else self.temp_path + self.path
        paths = [os.path.abspath(os.path.join(f, name[1:-1])) for f in folders or [""]]
        token.value, token.type = str(int(any(map(self._is_file, paths)))), self.t_INTEGER

    def on_unknown_macro_in_defined_expr(self, token: LexToken) -> bool:
        return token.value in _OPERATORS

    def expand_macros(
        self, tokens: list[LexToken], expanding_from: Iterable[str] = ()
    ) -> list[LexToken]:
        """A _Pragma that selects a mode changes what __ROUNDING_MODE__ is behind it."""
        if isinstance(tokens, _Argument):
            return tokens.expanded or []
        if self._is_condition:
            tokens[:] = self._without_defined(tokens)
        if self._depth:
            return self._expand(tokens, expanding_from)
        return [t for part in statements(tokens) for t in self._expand_part(part, expanding_from)]

    def _expand_part(self, tokens: list[LexToken], expanding_from: Iterable[str]) -> list[LexToken]:
        again, counter = [copied(token) for token in tokens], self.countermacro
        expanded = self._expand(tokens, expanding_from)
        if not pragma_ends(expanded):
            return expanded
        self.countermacro = counter
        return self._expand_in_parts(again, expanding_from)

    def _expand_in_parts(
        self, tokens: list[LexToken], expanding_from: Iterable[str]
    ) -> list[LexToken]:
        """Once for each part between those that are a _Pragma, in the part's mode."""
        done: list[LexToken] = []
        part, start, counter = 0, 0, self.countermacro
        while True:
            self.countermacro = counter
            copies = [copied(token) for token in tokens]
            expanded = self._expand(copies, expanding_from)
            found = pragma_ends(expanded)
            start = found[part - 1][0] + 1 if part else 0
            if len(found) <= part:
                return done + expanded[start:]
            end, words = found[part]
            done += expanded[start : end + 1]
            self.obey(words)
            part += 1

    def _expand(self, tokens: Sequence[LexToken], expanding_from: Iterable[str]) -> list[LexToken]:
        if self._depth:
            self._count(len(tokens), tokens[0] if tokens else None)
        self._depth += 1
        try:
            found: list[LexToken] = super().expand_macros(tokens, list(expanding_from))
        finally:
            self._depth -= 1
        return found

    def _count(self, tokens: int, at: LexToken | None) -> None:
        """BuildError if macros have become too many tokens."""
        self._expanded += tokens
        if self._expanded > MOST_EXPANDED:
            place = Place(at.source, at.lineno, 1) if at is not None else None
            message = f"macros that expand to more than {MOST_EXPANDED:,} tokens in all"
            raise BuildError([Diagnostic(place, "error", f"not supported: {message}")])

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


_TOO_LONG = f"#include of more than {LONGEST:,} characters in all"
_OPERATORS = ("__LINE__", "__COUNTER__", HAS_INCLUDE)
_CONDITIONAL = ("if", "ifdef", "ifndef", "elif")
_NEEDS_MORE = ("if", "ifdef", "ifndef", "elif", "define", "undef", "pragma")


def _shown_as_given(folder: str) -> tuple[str, Callable[[re.Match[str]], str]]:
    """For pcpp, which knows files by whole paths: what these are to become in messages."""
    pattern = re.escape(os.path.abspath(folder) + os.sep) + "(.*)"
    return pattern, lambda match: os.path.join(folder, match[1])


_MODES = tuple((mode,) for mode in MODES)


@functools.cache
def _predefined() -> dict[str, Macro]:
    """The macros of the header, as pcpp keeps them."""
    scratch = pcpp.Preprocessor()
    before = set(scratch.macros)
    for name, value in header.macros().items():
        scratch.define(f"{name} {value}")
    return {name: macro for name, macro in scratch.macros.items() if name not in before}
