"""Extensions of pcpp: pragmas that change a macro, and deviations of pcpp from C."""

from __future__ import annotations

import functools
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pcpp
from pcpp.parser import LexToken, Macro

from halfcl import MODES
from halfcl.cl._frontend.errors import BuildError, Diagnostic, SourceLocation
from halfcl.cl._frontend.guards.nesting import DEEPEST_INCLUDES, LONGEST, MOST_EXPANDED
from halfcl.cl._frontend.preprocessing import header
from halfcl.cl._frontend.preprocessing.conditions import ConditionError, evaluate
from halfcl.cl._frontend.preprocessing.lines import Lines
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._frontend.preprocessing.text import SELECT
from halfcl.cl._frontend.preprocessing.tokens import (
    copy_token,
    directive_of,
    included_name,
    join_tokens,
    pragma_ends,
    replace_elifdef,
    statements,
)


class _Argument(list[LexToken]):
    """An argument of a macro, already expanded, which pcpp must not copy and expand again."""

    expanded: list[LexToken] | None = None

    def __copy__(self) -> _Argument:
        return self


class Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # pcpp has no types
    """The preprocessor: definitions, messages and files, and _Pragma in expansions."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.diagnostics: list[Diagnostic] = []
        self.sources: dict[str, str] = {}
        self.lastdirective: LexToken = None
        self._is_condition = False
        self.selects = False  # whether the extension is enabled
        self._depth = 0
        self._expanded = 0  # tokens of all expansions, nested ones each time
        self._room = LONGEST  # remaining characters for all included files
        self.countermacro: int = 0
        del self.macros["__PCPP__"], self.macros["__DATE__"], self.macros["__TIME__"]
        self.macros.update(_header_macros())
        for name, value in header.version_macros(options).items():
            self.define(f"{name} {value}")
        for definition in options.defines:
            self.define(definition)
        self.path = list(options.include_folders)
        self.rewrite_paths += [_path_rewriting(folder) for folder in self.path]

    def begin(self, text: str, name: str) -> None:
        """Begin like pcpp's parse(), without changing the name."""
        self.sources[name] = text
        self.ignore: set[str] = set()
        self.temp_path.insert(0, os.path.dirname(name))
        self.parser = self.parsegen(text, name)

    def rounding_mode(self) -> str:
        """Return the value of __ROUNDING_MODE__; "" where it is not defined."""
        macro = self.macros.get("__ROUNDING_MODE__")
        return "".join(str(token.value) for token in macro.value) if macro else ""

    def on_error(self, file: str, line: int, msg: str) -> None:
        at = self.lastdirective
        is_there = at is not None and (at.source, at.lineno) == (file, line)
        place = SourceLocation(file, line, at.column if is_there else 1)
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
        """Return whether a path is a file; raise BuildError for devices and pipes.

        Clang would read these, too, without end.
        """
        is_file = os.path.isfile(path)
        if not is_file and os.path.exists(path) and not os.path.isdir(path):
            message = f"not a regular file: {path}"
            raise BuildError([Diagnostic(self._here(), "error", message)])
        return is_file

    def _here(self) -> SourceLocation:
        return SourceLocation(self.lastdirective.source, self.lastdirective.lineno, 1)

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> None:
        where = self.lastdirective
        self.on_error(where.source, where.lineno, f"'{includepath}' file not found")
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def group_lines(self, given: str, source: str) -> Iterator[list[LexToken]]:
        """Yield lines of tokens, each with its original line and column."""
        lines = Lines(self.sources[source])
        for line in super().group_lines(lines.text, source):
            for token in line:
                token.lineno, token.column = lines.place(token.lineno, token.lexpos)
            line = replace_elifdef(join_tokens(line))
            if self._may_select() and directive_of(line) in _CONDITIONAL:
                yield self._end_of_text(line)
            yield line

    def _may_select(self) -> bool:
        """Return whether a condition may depend on a _Pragma."""
        texts = self.sources.values()
        return all(any(word in t for t in texts) for word in ("_Pragma", "__ROUNDING_MODE__"))

    def _end_of_text(self, line: list[LexToken]) -> list[LexToken]:
        """Return an empty #pragma, at which pcpp outputs what precedes it, including _Pragmas."""
        tokens = [copy_token(line[0]) for _ in range(3)]
        values = (("#", "CPP_POUND"), ("pragma", self.t_ID), ("\n", self.t_NEWLINE))
        for token, (value, kind) in zip(tokens, values, strict=True):
            token.value, token.type = value, kind
        return tokens

    def on_directive_handle(
        self, directive: LexToken, toks: list[LexToken], *others: object
    ) -> bool | None:
        self.lastdirective = directive
        if not toks and directive.value in _NEEDS_MORE:  # clang reports it; pcpp would index it
            toks.append(copy_token(directive))
            toks[0].value, toks[0].type = "0", self.t_INTEGER
        return True

    def on_directive_unknown(
        self, directive: LexToken, toks: list[LexToken], *others: object
    ) -> bool | None:
        if directive.value in ("include_next", "import", "embed"):  # clang would read the files
            place = SourceLocation(directive.source, directive.lineno, directive.column)
            message = f"#{directive.value} is not in OpenCL C"
            raise BuildError([Diagnostic(place, "error", message)])
        if directive.value in ("error", "warning"):
            message = "".join(tok.value for tok in toks)
            place = SourceLocation(directive.source, directive.lineno, directive.column)
            self.diagnostics.append(Diagnostic(place, directive.value, message))
            return True
        return None  # #pragma is output unchanged

    def define(self, tokens: str | list[LexToken]) -> None:
        """Define a macro, also without a space behind the name, or with ## without parameters."""
        definition: list[LexToken] = self.tokenize(tokens) if isinstance(tokens, str) else tokens
        if (
            len(definition) > 1
            and definition[1].value != "("
            and definition[1].type not in self.t_WS
        ):
            space = copy_token(definition[1])
            space.value, space.type = " ", self.t_SPACE
            definition = [definition[0], space, *definition[1:]]
        super().define(definition)
        macro = self.macros.get(definition[0].value)
        if macro and macro.arglist is None and any(t.value == "##" for t in macro.value):
            macro.value = [t for t in macro.value if t.type not in self.t_WS]
            macro.patch = macro.str_patch = macro.var_comma_patch = []
            macro.value = self.macro_expand_args(macro, [])

    def macro_expand_args(self, macro: Macro, args: list[list[LexToken]]) -> list[LexToken]:
        """Expand each argument once, before it is inserted, and check the total length."""
        arguments = [_Argument(arg) for arg in args]
        length = len(macro.value)
        for kind, number, _ in macro.patch:
            arg = arguments[number]
            if kind == "e" and arg.expanded is None:
                arg.expanded = self.expand_macros(list(arg))
            length += len(arg if arg.expanded is None else arg.expanded)
        self._count(length, macro.value[0] if macro.value else None)
        result: list[LexToken] = super().macro_expand_args(macro, arguments)
        return join_tokens(result) if any(t.value == "##" for t in macro.value) else result

    def evalexpr(self, tokens: list[LexToken]) -> tuple[int, None]:
        self._is_condition = True
        try:
            expanded = self.expand_macros([copy_token(token) for token in tokens])
            space = (*self.t_WS, *self.t_COMMENT)
            return evaluate([str(t.value) for t in expanded if t.type not in space]), None
        except ConditionError as error:
            self.on_error(tokens[0].source, tokens[0].lineno, str(error))
            return 0, None
        finally:
            self._is_condition = False

    def _without_defined(self, tokens: list[LexToken]) -> list[LexToken]:
        """Replace `defined` by its value before names are expanded."""
        result: list[LexToken] = []
        rest = tokens[::-1]
        while rest:
            token = rest.pop()
            result.append(token)
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
        return result

    def _answer(self, token: LexToken, rest: list[LexToken]) -> None:
        """Evaluate __has_include on the following tokens, which are in reverse order."""
        operand: list[LexToken] = []
        if not any(t.value == "(" for t in rest) or rest.pop().value != "(":
            raise ConditionError(f"missing '(' after '{HAS_INCLUDE}'")
        while rest and rest[-1].value != ")":
            operand.append(rest.pop())
        if not rest:
            raise ConditionError(f"missing ')' after '{HAS_INCLUDE}'")
        rest.pop()
        name = included_name([t.value for t in operand])
        if name is None:
            self._is_condition = False  # or names in it would be evaluated
            name = included_name([t.value for t in self._expand(operand, ())])
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
        """Expand macros; a _Pragma that selects a mode changes __ROUNDING_MODE__ behind it."""
        if isinstance(tokens, _Argument):
            return tokens.expanded or []
        if self._is_condition:
            tokens[:] = self._without_defined(tokens)
        if self._depth:
            return self._expand(tokens, expanding_from)
        return [t for part in statements(tokens) for t in self._expand_part(part, expanding_from)]

    def _expand_part(self, tokens: list[LexToken], expanding_from: Iterable[str]) -> list[LexToken]:
        again, counter = [copy_token(token) for token in tokens], self.countermacro
        expanded = self._expand(tokens, expanding_from)
        if not pragma_ends(expanded):
            return expanded
        self.countermacro = counter
        return self._expand_in_parts(again, expanding_from)

    def _expand_in_parts(
        self, tokens: list[LexToken], expanding_from: Iterable[str]
    ) -> list[LexToken]:
        """Expand once per part between _Pragmas, in the mode of that part."""
        done: list[LexToken] = []
        part, start, counter = 0, 0, self.countermacro
        while True:
            self.countermacro = counter
            copies = [copy_token(token) for token in tokens]
            expanded = self._expand(copies, expanding_from)
            ends = pragma_ends(expanded)
            start = ends[part - 1][0] + 1 if part else 0
            if len(ends) <= part:
                return done + expanded[start:]
            end, words = ends[part]
            done += expanded[start : end + 1]
            self.obey(words)
            part += 1

    def _expand(self, tokens: Sequence[LexToken], expanding_from: Iterable[str]) -> list[LexToken]:
        if self._depth:
            self._count(len(tokens), tokens[0] if tokens else None)
        self._depth += 1
        try:
            expanded: list[LexToken] = super().expand_macros(tokens, list(expanding_from))
        finally:
            self._depth -= 1
        return expanded

    def _count(self, tokens: int, at: LexToken | None) -> None:
        """Raise BuildError if macros have expanded to too many tokens."""
        self._expanded += tokens
        if self._expanded > MOST_EXPANDED:
            place = SourceLocation(at.source, at.lineno, 1) if at is not None else None
            message = f"macros that expand to more than {MOST_EXPANDED:,} tokens in all"
            raise BuildError([Diagnostic(place, "error", f"not supported: {message}")])

    def obey(self, words: tuple[str, ...]) -> None:
        """Apply the pragmas that change __ROUNDING_MODE__."""
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
HAS_INCLUDE = "__has_include"
_OPERATORS = ("__LINE__", "__COUNTER__", HAS_INCLUDE)
_CONDITIONAL = ("if", "ifdef", "ifndef", "elif")
_NEEDS_MORE = ("if", "ifdef", "ifndef", "elif", "define", "undef", "pragma")


def _path_rewriting(folder: str) -> tuple[str, Callable[[re.Match[str]], str]]:
    """Return a rewriting of pcpp's absolute paths to the original ones, for messages."""
    pattern = re.escape(os.path.abspath(folder) + os.sep) + "(.*)"
    return pattern, lambda match: os.path.join(folder, match[1])


_MODES = tuple((mode,) for mode in MODES)


@functools.cache
def _header_macros() -> dict[str, Macro]:
    """Return the macros of the header in pcpp's form."""
    scratch = pcpp.Preprocessor()
    before = set(scratch.macros)
    for name, value in header.macros().items():
        scratch.define(f"{name} {value}")
    return {name: macro for name, macro in scratch.macros.items() if name not in before}
