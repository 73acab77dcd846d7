"""Directives: which text is active, and the macros that it may use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from halfcl import MODES
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.guards.nesting import DEEPEST_INCLUDES, LONGEST
from halfcl.cl._frontend.literals.strings import string_bytes
from halfcl.cl._frontend.preprocessing import header
from halfcl.cl._frontend.preprocessing.conditions import ConditionError, evaluate
from halfcl.cl._frontend.preprocessing.features import QUESTIONS, answer
from halfcl.cl._frontend.preprocessing.files import FileError, Files
from halfcl.cl._frontend.preprocessing.lexing.tokens import (
    NOWHERE,
    Token,
    is_name,
    lex,
    text_of,
)
from halfcl.cl._frontend.preprocessing.macros.definitions import DefinitionError, Macro, define
from halfcl.cl._frontend.preprocessing.macros.expansion import (
    Expander,
    ExpansionError,
    Macros,
    Stream,
)
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._frontend.preprocessing.text import SELECT, File, Inclusion

_DIRECTIVE = re.compile(r"^[^\S\n]*(#|%:)[^\S\n]*(\w*)", re.MULTILINE)
_OTHER_FILES = ("include_next", "import", "embed")
_NOT_IN_TEXT = "embedding a #include directive within macro arguments is not supported"
_MODES = tuple((mode,) for mode in MODES)


class Group(NamedTuple):
    """Active text between two directives of a file, and its place."""

    text: str
    start: int


#: All that an expansion may raise.
EXPANSION_ERRORS = (ConditionError, ExpansionError, FileError)

#: The end of a file, beyond which no call of a macro goes on.
END_OF_FILE = Group("", NOWHERE)


@dataclass(slots=True)
class _Condition:
    """An #if whose #endif has not come. at: its place; is_active: of the current branch."""

    at: int
    was_active: bool
    is_active: bool
    was_taken: bool
    has_else: bool = False


class _Line(NamedTuple):
    """A directive: its name, the text behind the name, and the places of #, name and that text."""

    name: str
    rest: str
    hash: int
    at: int
    start: int


class Preprocessor:
    """Executes directives. on_pragma: called with the text of each #pragma, and its place."""

    def __init__(self, options: Options, on_pragma: Callable[[str, int], None]) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.files = Files(options.include_folders, options.headers)
        self.macros: Macros = {**header.defined_macros(options)}
        self.macros |= {
            "__LINE__": self._line_number, "__FILE__": self._file_name,
            "__COUNTER__": self._count, "__has_include": self._answer_has_include,
            "_Pragma": self._keep_pragma,
            **dict.fromkeys(QUESTIONS, self._answer_question),
        }  # fmt: skip
        self._standard = options.standard
        self._is_directive = False  # whether the text of a directive is expanded
        self.expander = Expander(self.macros, self._report)
        self.selects = False  # whether the extension is enabled
        self.counter = 0  # the next __COUNTER__
        self.is_in_call = False  # whether arguments of a macro are being read
        self._on_pragma = on_pragma
        self._open: list[File] = []
        for definition in options.defines:
            self._define_option(definition)

    # ------------------------------------------------------------ messages

    def report(self, at: int, message: str, severity: str = "error") -> None:
        """Note an error or a warning about a place."""
        self.diagnostics.append(Diagnostic(self.files.map.place(at), severity, message))

    def _report(self, message: str) -> None:
        self.report(self.expander.here, message)

    def refuse(self, at: int, message: str) -> BuildError:
        """Return the error that ends the build."""
        return BuildError([Diagnostic(self.files.map.place(at), "error", message)])

    # ------------------------------------------------------------ files and conditions

    def program(self, source: str, name: str) -> Iterator[Group]:
        """Iterate over the active text of a program, with END_OF_FILE behind each file."""
        try:
            return self._groups(self.files.program(source, name))
        except FileError as error:
            raise BuildError([Diagnostic(None, "error", str(error))]) from None

    def _groups(self, file: File) -> Iterator[Group]:
        self._open.append(file)
        conditions: list[_Condition] = []
        text, base, at = file.lines.text, file.base, 0
        is_active = True
        for match in _DIRECTIVE.finditer(text):
            name = match[2]
            if not is_active and name not in _CONDITIONALS:
                continue
            start = match.start()
            if is_active and start > at:
                yield Group(text[at:start], base + at)
            end = text.find("\n", match.end())
            at = end if end >= 0 else len(text)
            rest = text[match.end() : at]
            line = _Line(
                name, rest, *(base + place for place in (*map(match.start, (1, 2)), match.end()))
            )
            self.expander.here = line.at
            if len(rest) > LONGEST:
                message = f"not supported: a directive of more than {LONGEST:,} characters"
                raise self.refuse(line.at, message)
            if name in _CONDITIONALS:
                is_active = self._condition(line, conditions)
                if is_active and name not in ("else", "endif"):
                    self.files.map.taken.append(line.hash)
            elif name == "include":
                included = self._include(line)
                if included is not None:
                    yield from self._groups(included)
            else:
                self._execute(line)
        if is_active and at < len(text):
            yield Group(text[at:], base + at)
        for condition in conditions:
            self.report(condition.at, "unterminated conditional directive")
        self._open.pop()
        yield END_OF_FILE

    def _condition(self, line: _Line, conditions: list[_Condition]) -> bool:
        """Execute #if and its kin; return whether what follows is active."""
        if line.name.startswith("if"):
            was_active = conditions[-1].is_active if conditions else True
            holds = was_active and self._holds(line)
            conditions.append(_Condition(line.at, was_active, holds, holds))
            return holds
        if not conditions:
            self.report(line.at, f"#{line.name} without #if")
            return True
        condition = conditions[-1]
        if line.name == "endif":
            conditions.pop()
            return condition.was_active
        if condition.has_else:
            self.report(line.at, f"#{line.name} after #else")
        condition.has_else |= line.name == "else"
        may_hold = condition.was_active and not condition.was_taken
        condition.is_active = may_hold and (line.name == "else" or self._holds(line))
        condition.was_taken |= condition.is_active
        return condition.is_active

    def _holds(self, line: _Line) -> bool:
        tokens = lex(line.rest, line.start)
        if line.name not in ("if", "elif"):
            if not tokens or not is_name(tokens[0].text):
                self.report(line.at, "macro name missing" if not tokens else _NO_NAME)
                return False
            return (tokens[0].text in self.macros) != line.name.endswith("ndef")
        self.macros["defined"] = self._answer_defined
        try:
            return bool(evaluate([token.text for token in self._expand(tokens, line.at)]))
        except ConditionError as error:
            self.report(line.at, str(error))
        finally:
            del self.macros["defined"]
        return False

    def _include(self, line: _Line) -> File | None:
        """Return the file that a directive includes, None if there is none."""
        if self.is_in_call:
            raise self.refuse(line.at, _NOT_IN_TEXT)
        name = _file_name(line.rest) or _file_name(self._text_of_operands(line))
        if name is None:
            self.report(line.at, 'expected "FILENAME" or <FILENAME>')
            return None
        if len(self._open) > DEEPEST_INCLUDES:
            raise self.refuse(line.at, "#include nested too deeply")
        try:
            path = self.files.find(name, self._open[-1])
            if path is not None:
                file = self.files.open(path)
                is_reachable = self.files.is_reachable(name, path)
                self.files.map.inclusions.append(Inclusion(line.hash, path, file, is_reachable))
                return file
        except (FileError, OSError) as error:
            raise self.refuse(line.at, str(error)) from None
        self.report(line.at, f"'{name[1:-1]}' file not found")
        return None

    def _text_of_operands(self, line: _Line) -> str:
        try:
            return text_of(self._expand(lex(line.rest, line.start), line.at))
        except ConditionError as error:
            raise self.refuse(line.at, str(error)) from None

    def _expand(self, tokens: list[Token], at: int) -> list[Token]:
        """Expand the tokens of a directive; refuse what ends the build."""
        self._is_directive = True
        try:
            return self.expander.expand(tokens)
        except (ExpansionError, FileError) as error:
            raise self.refuse(at, str(error)) from None
        finally:
            self._is_directive = False

    # ------------------------------------------------------------ other directives

    def _execute(self, line: _Line) -> None:
        execute = _EXECUTED.get(line.name)
        if execute is not None:
            execute(self, line)
        elif line.name.isdigit():
            self._mark(line, f"{line.name} {line.rest}")
        elif line.name in _OTHER_FILES:  # clang would read the files
            raise self.refuse(line.at, f"#{line.name} is not in OpenCL C")
        elif line.name or line.rest.strip():
            self.report(line.at, f"#{line.name} is not supported")

    def _define(self, line: _Line) -> None:
        try:
            macro = define(line.rest)
        except DefinitionError as error:
            self.report(line.at, str(error))
        else:
            self.macros[macro.name] = macro

    def _define_option(self, definition: str) -> None:
        try:
            macro = define(definition)
        except DefinitionError as error:
            self.diagnostics.append(Diagnostic(None, "error", f"options: -D: {error}"))
        else:
            self.macros[macro.name] = macro

    def _undefine(self, line: _Line) -> None:
        tokens = lex(line.rest)
        if tokens and is_name(tokens[0].text):
            self.macros.pop(tokens[0].text, None)
        else:
            self.report(line.at, _NO_NAME if tokens else "macro name missing")

    def _message(self, line: _Line) -> None:
        self.report(line.at, line.rest.strip(), line.name)

    def _pragma(self, line: _Line) -> None:
        if line.rest.split() == ["once"]:
            self.files.once(self._open[-1])
        self._on_pragma(" ".join(line.rest.split()), line.hash)

    def _renumber(self, line: _Line) -> None:
        self._mark(line, line.rest)

    def _mark(self, line: _Line, text: str) -> None:
        """Execute #line, also as compilers write it, without the word."""
        match = _NUMBERED.match(text) or _NUMBERED.match(self._text_of_operands(line))
        if match is None:
            self.report(line.at, 'expected #line number or #line number "file"')
            return
        file = self._open[-1]
        name = file.marks[-1][1] if file.marks else file.name
        if match[2]:
            name = string_bytes(match[2].encode()).decode(errors="replace")
        end = line.start - file.base + len(line.rest)
        written = file.lines.place(end)[0]
        file.marks.append((end, name, int(match[1]) - written - 1))

    # ------------------------------------------------------------ computed macros

    def _keep_pragma(self, token: Token, stream: Stream) -> None:
        """Leave _Pragma to the writer. libclang may crash at one in a directive."""
        if self._is_directive:
            raise ExpansionError("_Pragma in a directive")

    def _line_number(self, token: Token, stream: Stream) -> list[Token]:
        at = self.expander.here if token.at == NOWHERE else token.at
        return [Token(str(self.files.map.place(at).line), token.has_space)]

    def _file_name(self, token: Token, stream: Stream) -> list[Token]:
        name = (
            self.files.map.place(self.expander.here).file.replace("\\", "\\\\").replace('"', '\\"')
        )
        return [Token(f'"{name}"', token.has_space)]

    def _count(self, token: Token, stream: Stream) -> list[Token]:
        self.counter += 1
        return [Token(str(self.counter - 1), token.has_space)]

    def _answer_defined(self, token: Token, stream: Stream) -> list[Token]:
        name = stream.take()
        is_enclosed = name is not None and name.text == "("
        if is_enclosed:
            name = stream.take()
        if name is None:
            raise ConditionError("macro name missing")
        if not is_name(name.text):
            raise ConditionError(_NO_NAME)
        closing = stream.take() if is_enclosed else None
        if is_enclosed and (closing is None or closing.text != ")"):
            raise ConditionError("missing ')' after 'defined'")
        is_defined = name.text in self.macros and name.text != "defined"
        return [Token(str(int(is_defined)), token.has_space)]

    def _answer_has_include(self, token: Token, stream: Stream) -> list[Token]:
        operand = _operand(token, stream)
        name = _file_name(text_of(operand)) or _file_name(text_of(self.expander.expand(operand)))
        if name is None:
            raise ConditionError('expected "FILENAME" or <FILENAME>')
        path = self.files.find(name, self._open[-1])
        return [Token(str(int(path is not None)), token.has_space)]

    def _answer_question(self, token: Token, stream: Stream) -> list[Token]:
        value = answer(token.text, text_of(_operand(token, stream)), self._standard)
        if value is None:
            raise ConditionError(f"builtin feature check macro requires a name: {token.text}")
        return [Token(str(value), token.has_space)]

    # ------------------------------------------------------------ the rounding mode

    def rounding_mode(self) -> str:
        """Return the value of __ROUNDING_MODE__; "" where it is not defined."""
        macro = self.macros.get("__ROUNDING_MODE__")
        return macro.text if isinstance(macro, Macro) else ""

    def obey(self, words: tuple[str, ...]) -> None:
        """Apply the pragmas that change __ROUNDING_MODE__."""
        if words[:1] == ("EXTENSION",) and len(words) == 4:
            if words[1] in (SELECT, "all"):
                was = self.selects
                self.selects = words[3] == "enable"
                if self.selects and not was:
                    self._set_mode("rte")
                elif not self.selects:
                    self.macros.pop("__ROUNDING_MODE__", None)
        elif self.selects and words[:1] == ("SELECT_ROUNDING_MODE",) and words[1:] in _MODES:
            self._set_mode(words[1])

    def _set_mode(self, mode: str) -> None:
        self.macros["__ROUNDING_MODE__"] = define(f"__ROUNDING_MODE__ {mode}")


_NO_NAME = "macro name must be an identifier"
_CONDITIONALS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")
_NUMBERED = re.compile(r'\s*(\d+)(?:\s+("(?:[^"\\]|\\.)*")[\d\s]*)?\s*\Z')
_FILE_NAME = re.compile(r'\s*("[^"\n]+"|<[^>\n]+>)')

_EXECUTED: dict[str, Callable[[Preprocessor, _Line], None]] = {
    "define": Preprocessor._define, "undef": Preprocessor._undefine,
    "error": Preprocessor._message, "warning": Preprocessor._message,
    "pragma": Preprocessor._pragma, "line": Preprocessor._renumber,
}  # fmt: skip


def _operand(token: Token, stream: Stream) -> list[Token]:
    """Take what a macro has in parentheses."""
    if not stream.opens():
        raise ConditionError(f"missing '(' after '{token.text}'")
    stream.take()
    operand: list[Token] = []
    while (taken := stream.take()) is not None and taken.text != ")":
        operand.append(taken)
    if taken is None:
        raise ConditionError(f"missing ')' after '{token.text}'")
    return operand


def _file_name(text: str) -> str | None:
    """Return the name of a file with its quotes or angle brackets, None if there is none."""
    match = _FILE_NAME.match(text)
    return match[1] if match else None
