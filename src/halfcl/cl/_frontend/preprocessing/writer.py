"""Output of tokens as text for clang, without pragmas that it does not know."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.guards import nesting
from halfcl.cl._frontend.guards.nesting import LONGEST
from halfcl.cl._frontend.preprocessing.directives import (
    END_OF_FILE,
    EXPANSION_ERRORS,
    Group,
    Preprocessor,
)
from halfcl.cl._frontend.preprocessing.lexing.tokens import (
    NOWHERE,
    PIECE,
    Token,
    destringize,
    is_blank,
    words_of,
    would_join,
)
from halfcl.cl._frontend.preprocessing.macros.expansion import ExpansionError
from halfcl.cl._frontend.preprocessing.options import Options
from halfcl.cl._frontend.preprocessing.text import Pragma, Text

#: Pieces that are read at once.
_PIECES = 1 << 16

#: Blanks that the text has between tokens.
_BLANKS = (" ", "\n")

#: Extensions whose pragmas clang gets, to check their places and to enable types.
_KNOWN_TO_CLANG = ("cl_khr_fp16", "cl_khr_fp64", "all")


def _is_for_clang(words: tuple[str, ...]) -> bool:
    """Return whether clang gets a well-formed pragma; `pragmas` reports malformed ones."""
    match words:
        case ("FP_CONTRACT", word):
            return word in ("ON", "OFF", "DEFAULT")
        case ("EXTENSION", name, ":", "enable" | "disable"):
            return name in _KNOWN_TO_CLANG
    return False


class Writer:
    """Writes a program's text, and collects its pragmas."""

    def __init__(self, options: Options) -> None:
        self.preprocessor = Preprocessor(options, self._directive)
        self.text = Text(self.preprocessor.files.map)
        self._parts: list[str] = []
        self._at = 0  # the length of all parts in bytes
        self._feed = _Feed(self.preprocessor, iter(()))
        self._options = options

    def write(self, source: str, name: str) -> Text:
        """Return the preprocessed text of a program."""
        groups = self.preprocessor.program(source, name)
        for extension in sorted(self._options.extensions):
            self._pragma(f"OPENCL EXTENSION {extension} : enable", 0)
        self._feed = _Feed(self.preprocessor, groups)
        while self._feed.load():
            self._write_group()
        self.text.text = "".join(self._parts)
        self.text.diagnostics[:0] = self.preprocessor.diagnostics
        return self.text

    def _write_group(self) -> None:
        """Write the loaded text; most of it is no use of a macro."""
        feed, text, macros = self._feed, self.text, self.preprocessor.macros
        starts, origins, uses = text.starts, text.origins, text.uses
        append = self._parts.append
        while True:
            pieces, at, out = feed.pieces, feed.at, self._at
            for index in range(feed.index, len(pieces)):
                piece = pieces[index]
                size = len(piece)
                if is_blank(piece):
                    append("\n" if "\n" in piece else " ")
                    at += size
                    out += 1
                    continue
                if piece in macros:
                    break
                starts.append(out)
                origins.append(at)
                uses.append(NOWHERE)
                append(piece)
                at += size
                out += size if piece.isascii() else len(piece.encode())
            else:
                self._at = out
                self._check_length()
                feed.index, feed.at = len(pieces), at
                if feed.refill():
                    continue
                return
            feed.index, feed.at, self._at = index, at, out
            self._use()
            self._separate(feed.pieces[feed.index : feed.index + 1])

    def _check_length(self) -> None:
        if self._at > LONGEST:
            message = f"not supported: more than {LONGEST:,} characters after preprocessing"
            raise BuildError([Diagnostic(None, "error", message)])

    # ------------------------------------------------------------ uses of macros

    def _use(self) -> None:
        """Write the expansion of the use of a macro that comes next."""
        preprocessor, feed = self.preprocessor, self._feed
        counter, use = preprocessor.counter, feed.at
        first = feed.take()
        assert first is not None
        feed.taken = []
        try:
            if first.text == "_Pragma":
                self._operator(first, iter(()), use)
                return
            expanded = preprocessor.expander.expand([first], feed)
            if any(token.text == "_Pragma" for token in expanded):
                preprocessor.counter = counter
                self._write_in_parts([first, *feed.taken], use)
            else:
                self._write_tokens(expanded, use)
        except EXPANSION_ERRORS as error:
            raise preprocessor.refuse(use, str(error)) from None
        self._check_length()

    def _write_in_parts(self, tokens: Sequence[Token], use: int) -> None:
        """Expand once for each part between two pragmas of OpenCL, in the mode of that part."""
        preprocessor, part = self.preprocessor, 0
        counter, start = preprocessor.counter, 0
        while True:
            preprocessor.counter = counter
            expanded = preprocessor.expander.expand(tokens)
            ends = _pragma_ends(expanded)
            start = ends[part - 1] if part else 0
            end = ends[part] if part < len(ends) else len(expanded)
            self._write_tokens(expanded[start:end], use)
            if part >= len(ends):
                return
            part += 1

    def _write_tokens(self, tokens: Sequence[Token], use: int) -> None:
        """Write the tokens of an expansion."""
        text, parts = self.text, self._parts
        rest = iter(tokens)
        for token in rest:
            value = token.text
            if value == "_Pragma":
                self._operator(token, rest, use)
                continue
            last = parts[-1] if parts else "\n"
            if last not in _BLANKS and (token.has_space or would_join(last, value)):
                parts.append(" ")
                self._at += 1
            text.starts.append(self._at)
            text.origins.append(use if token.at == NOWHERE else token.at)
            text.uses.append(use)
            parts.append(value)
            self._at += len(value) if value.isascii() else len(value.encode())

    def _separate(self, following: Sequence[str]) -> None:
        """Write a blank if what follows an expansion would be read as a part of it."""
        last = self._parts[-1] if self._parts else "\n"
        if following and last not in _BLANKS and would_join(last, following[0]):
            self._append(" ")

    def _append(self, value: str) -> None:
        self._parts.append(value)
        self._at += len(value.encode())

    # ------------------------------------------------------------ pragmas

    def _directive(self, content: str, at: int) -> None:
        """Write a #pragma."""
        before = self.preprocessor.rounding_mode()
        self._pragma(content, at)
        mode = self.preprocessor.rounding_mode()
        if mode != before:
            place = self.text.map.written_place(at)
            word = f"define __ROUNDING_MODE__ {mode}" if mode else "undef __ROUNDING_MODE__"
            self.text.modes[place.file, place.line] = word

    def _operator(self, first: Token, rest: Iterator[Token], use: int) -> None:
        """Write a _Pragma("..."); its string may be behind the macro that names it."""
        tokens: list[str] = []
        for token in rest:
            tokens.append(token.text)
            if token.text == ")":
                break
        else:
            tokens += [token.text for token in self._feed.operand(bool(tokens))]
        content = destringize(tokens[1]) if len(tokens) == 3 else None
        if content is None or tokens[0] != "(" or tokens[2] != ")":
            place = use if first.at == NOWHERE else first.at
            self.preprocessor.report(place, "_Pragma takes one string in parentheses")
            return
        self.text.has_mode_operators |= bool(words_of(content))
        self._pragma(content, use)

    def _pragma(self, content: str, at: int) -> None:
        words = words_of(content)
        if not words:
            return  # it is for other languages or compilers
        place = self.text.map.place(at)
        if words[:1] == ("EXTENSION",) and not self._options.removed.isdisjoint(words):
            message = f"-cl-ext has removed the extension {words[1]}, ignored"
            self.text.diagnostics.append(Diagnostic(place, "warning", message))
            return
        self._append("\n")
        self.preprocessor.obey(words)
        self.text.pragmas.append(Pragma(self._at, words, place))
        if _is_for_clang(words):
            self.text.starts.append(self._at)
            self.text.origins.append(at)
            self.text.uses.append(at)
            self._append(f"#pragma {content}\n")


def _pragma_ends(tokens: Sequence[Token]) -> list[int]:
    """Return the index behind each _Pragma("OPENCL ...")."""
    ends = []
    for start in range(len(tokens) - 3):
        is_operator = tokens[start].text == "_Pragma" and tokens[start + 3].text == ")"
        if is_operator and words_of(destringize(tokens[start + 2].text) or ""):
            ends.append(start + 4)
    return ends


class _Feed:
    """The pieces of the active text, from which macros take their arguments.

    pieces: some that come next, from `index` on; at: the place of the first of these; taken: the
    tokens of the last use of a macro.
    """

    def __init__(self, preprocessor: Preprocessor, groups: Iterator[Group]) -> None:
        self._preprocessor, self._groups = preprocessor, groups
        self._matches: Iterator[re.Match[str]] = iter(())
        self.pieces: list[str] = []
        self.index = self.at = 0
        self.taken: list[Token] = []

    def load(self) -> bool:
        """Load the next text; return whether there is any."""
        for group in self._groups:
            if group is not END_OF_FILE:
                self._set(group)
                return True
        return False

    def _set(self, group: Group) -> None:
        self._matches, self.at = PIECE.finditer(group.text), group.start
        self.pieces, self.index = [], 0
        self.refill()

    def refill(self) -> bool:
        """Add pieces of the same text; return whether there are any."""
        more = [match[0] for match in itertools.islice(self._matches, _PIECES)]
        self.pieces = self.pieces[self.index :] + more
        self.index = 0
        return bool(more)

    def opens(self) -> bool:
        """Return whether a parenthesis comes next in this text."""
        index = self.index
        while True:
            while index < len(self.pieces) and is_blank(self.pieces[index]):
                index += 1
            if index < len(self.pieces):
                return self.pieces[index] == "("
            index -= self.index
            if not self.refill():
                return False

    def take(self) -> Token | None:
        """Take the next token, behind directives if need be; None at the end of the file."""
        has_space = False
        while True:
            while self.index < len(self.pieces):
                piece, at = self.pieces[self.index], self.at
                self.index += 1
                self.at += len(piece)
                if not is_blank(piece):
                    token = Token(piece, has_space, at)
                    self._note(token)
                    return token
                has_space = True
            if not self.refill() and not self._load_more():
                return None

    def _note(self, token: Token) -> None:
        self.taken.append(token)
        if len(self.taken) > nesting.MOST_EXPANDED:
            message = f"a macro with arguments of more than {nesting.MOST_EXPANDED:,} tokens"
            raise ExpansionError(f"not supported: {message}")

    def _load_more(self) -> bool:
        """Load what follows in the same file."""
        self._preprocessor.is_in_call = True
        group = next(self._groups, END_OF_FILE)
        self._preprocessor.is_in_call = False
        if group is END_OF_FILE:
            self._set(Group("", self.at))
            return False
        self._set(group)
        return True

    def operand(self, is_open: bool) -> list[Token]:
        """Take the rest of a parenthesis, with its macros expanded."""
        tokens: list[Token] = []
        if not is_open and not self.opens():
            return tokens
        while (token := self.take()) is not None:
            tokens.append(token)
            if token.text == ")":
                break
        return self._preprocessor.expander.expand(tokens)
