"""Expansion of macros: a macro is not expanded within its own replacement, as C99 6.10.3.4 says.

A name that is met there is final: it is not expanded later either. Where C leaves open whether a
call that ends behind a replacement is within it, it is not, as in clang and GCC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from halfcl.cl._frontend.guards import nesting
from halfcl.cl._frontend.preprocessing.lexing.tokens import (
    NOWHERE,
    Token,
    is_token,
    stringize,
    with_space,
)
from halfcl.cl._frontend.preprocessing.macros.definitions import Item, Macro


class ExpansionError(Exception):
    """A use of a macro that is not C's, or more tokens than allowed."""


class Behind(Protocol):
    """The text behind a use of a macro, from which its arguments may come."""

    def opens(self) -> bool:
        """Return whether a parenthesis comes next, without taking it."""

    def take(self) -> Token | None:
        """Take the next token; None at the end of the file."""


class _Context:
    """A replacement that is being read; name: the macro's, or ""."""

    __slots__ = ("at", "name", "tokens")

    def __init__(self, tokens: Sequence[Token], name: str) -> None:
        self.tokens, self.name, self.at = tokens, name, 0


class Stream:
    """Replacements that are being read, the innermost last, and what is behind them."""

    def __init__(self, expander: Expander, behind: Behind | None) -> None:
        self.contexts: list[_Context] = []
        self._expander, self._behind = expander, behind

    def opens(self) -> bool:
        """Return whether a parenthesis comes next."""
        for context in reversed(self.contexts):
            if context.at < len(context.tokens):
                return context.tokens[context.at].text == "("
        return self._behind is not None and self._behind.opens()

    def take(self) -> Token | None:
        """Take the next token as it is; None at the end."""
        while self.contexts:
            context = self.contexts[-1]
            if context.at < len(context.tokens):
                context.at += 1
                token = context.tokens[context.at - 1]
                break
            self.contexts.pop()
            self._expander.disabled.discard(context.name)
        else:
            following = self._behind.take() if self._behind is not None else None
            if following is None:
                return None
            token = following
        return self._expander.finish(token)


#: A macro that the preprocessor computes: from its name and what follows, None if it is no use.
Special = Callable[[Token, Stream], list[Token] | None]

Macros = dict[str, Macro | Special]


class _Argument:
    """An argument, as it is and expanded; is_given: whether the call has it, perhaps empty."""

    __slots__ = ("expanded", "is_given", "tokens")

    def __init__(self, tokens: list[Token], is_given: bool) -> None:
        self.tokens, self.is_given = tokens, is_given
        self.expanded: list[Token] | None = None


class Expander:
    """Expands macros. report: called with the message of an error."""

    def __init__(self, macros: Macros, report: Callable[[str], None]) -> None:
        self.macros, self._report = macros, report
        self.disabled: set[str] = set()  # macros whose replacements are being read
        self.here = 0  # the place of the last name or call of a macro that a file has
        self._expanded = 0  # tokens of all replacements

    def expand(self, tokens: Sequence[Token], behind: Behind | None = None) -> list[Token]:
        """Expand tokens; a call that begins at their end may take its arguments from behind."""
        stream = Stream(self, behind)
        stream.contexts.append(_Context(tokens, ""))
        return self._run(stream)

    def finish(self, token: Token) -> Token:
        """Return the token; a name in its own replacement is final."""
        if token.text in self.disabled and not token.is_final:
            return Token(token.text, token.has_space, token.at, True)
        return token

    def _run(self, stream: Stream) -> list[Token]:
        result: list[Token] = []
        contexts, macros, disabled = stream.contexts, self.macros, self.disabled
        space = False  # of a macro that was replaced by nothing
        while contexts:
            context = contexts[-1]
            if context.at == len(context.tokens):
                contexts.pop()
                disabled.discard(context.name)
                continue
            token = context.tokens[context.at]
            context.at += 1
            if space and not token.has_space:
                token = Token(token.text, True, token.at, token.is_final)
            space = False
            macro = macros.get(token.text)
            if macro is None or token.is_final:
                result.append(token)
            elif token.text in disabled:
                result.append(Token(token.text, token.has_space, token.at, True))
            else:
                replacement = self._replace(macro, token, stream)
                if replacement is None:
                    result.append(token)
                elif replacement:
                    contexts.append(_Context(replacement, token.text))
                    if isinstance(macro, Macro):
                        disabled.add(token.text)
                else:
                    space = token.has_space
        return result

    def _replace(self, macro: Macro | Special, token: Token, stream: Stream) -> list[Token] | None:
        """Return what replaces a use of a macro; None if it is no use."""
        if token.at != NOWHERE:
            self.here = token.at
        if not isinstance(macro, Macro):
            return macro(token, stream)
        arguments: list[_Argument] = []
        replacement = macro.plain
        if replacement is None:
            if macro.parameters is not None:
                if not stream.opens():
                    return None
                taken = self._arguments(macro, stream)
                if taken is None:
                    return None
                arguments = taken
            replacement = self._substitute(macro, macro.items, arguments)
        self.count(len(replacement))
        return with_space(replacement, token.has_space)

    def count(self, tokens: int) -> None:
        """Count tokens of a replacement; raise ExpansionError if there are too many."""
        self._expanded += tokens
        if self._expanded > nesting.MOST_EXPANDED:
            message = f"macros that expand to more than {nesting.MOST_EXPANDED:,} tokens in all"
            raise ExpansionError(f"not supported: {message}")

    # ------------------------------------------------------------ arguments

    def _arguments(self, macro: Macro, stream: Stream) -> list[_Argument] | None:
        """Take the arguments of a call; report an error and return None if they do not fit."""
        parameters = macro.parameters or ()
        arguments: list[list[Token]] = [[]]
        most = len(parameters)
        depth, opening = 1, stream.take()
        assert opening is not None
        while True:
            token = stream.take()
            if token is None:
                self._report(f"unterminated function-like macro invocation: {macro.name}")
                return None
            text = token.text
            if text == "(":
                depth += 1
            elif text == ")":
                depth -= 1
                if depth == 0:
                    closing = token.at
                    break
            elif text == "," and depth == 1 and not (macro.is_variadic and len(arguments) == most):
                arguments.append([])
                continue
            arguments[-1].append(token)
        self.count(sum(map(len, arguments)))
        fitting = self._fit(macro, parameters, arguments)
        self.here = self.here if closing == NOWHERE else closing
        return fitting

    def _fit(
        self, macro: Macro, parameters: Sequence[str], arguments: list[list[Token]]
    ) -> list[_Argument] | None:
        if not parameters and arguments == [[]]:
            arguments = []
        count = len(arguments)
        if macro.is_variadic and count == len(parameters) - 1:
            arguments.append([])
        if len(arguments) != len(parameters):
            few = "few" if count < len(parameters) else "many"
            self._report(f"too {few} arguments provided to function-like macro {macro.name}")
            return None
        result = [_Argument(tokens, n < count) for n, tokens in enumerate(arguments)]
        for number in sorted(macro.needs_expansion):
            result[number].expanded = self._expand_argument(result[number].tokens)
        return result

    def _expand_argument(self, tokens: list[Token]) -> list[Token]:
        if not any(token.text in self.macros for token in tokens):
            return tokens
        expanded = self.expand(tokens)
        self.count(len(expanded))
        return expanded

    # ------------------------------------------------------------ replacements

    def _substitute(
        self, macro: Macro, items: Sequence[Item], arguments: list[_Argument]
    ) -> list[Token]:
        """Return a replacement with its arguments inserted, # and ## applied."""
        result: list[Token] = []
        pastes = has_left = False  # whether ## precedes, and whether there is anything before it
        length = 0
        for item in items:
            segment = self._segment(macro, item, arguments)
            length += len(segment)
            if length > nesting.MOST_EXPANDED:
                self.count(length)
            if item.drops_comma and has_left and result[-1].text == ",":
                if not arguments[-1].is_given:  # GCC and clang drop the comma of `, ## __VA_ARGS__`
                    result.pop()
            elif pastes and has_left and segment:
                result[-1:] = self._paste(result[-1], segment[0])
                segment = segment[1:]
                result += segment
                pastes = item.pastes
                continue
            result += segment
            has_left = bool(segment) or (pastes and has_left)
            pastes = item.pastes
        return result

    def _segment(self, macro: Macro, item: Item, arguments: list[_Argument]) -> list[Token]:
        if item.optional is not None:
            return self._optional(macro, item, arguments)
        if item.parameter < 0:
            return [item.token]
        argument = arguments[item.parameter]
        if item.is_string:
            self.count(len(argument.tokens))
            return [Token(stringize(argument.tokens), item.token.has_space)]
        if item.is_raw or argument.expanded is None:
            return with_space(argument.tokens, item.token.has_space)
        return with_space(argument.expanded, item.token.has_space)

    def _optional(self, macro: Macro, item: Item, arguments: list[_Argument]) -> list[Token]:
        """Return the replacement of a __VA_OPT__."""
        inside: list[Token] = []
        if self._expand_argument(arguments[-1].tokens):
            inside = self._substitute(macro, item.optional or (), arguments)
        if item.is_string:
            return [Token(stringize(inside), item.token.has_space)]
        return with_space(inside, item.token.has_space)

    def _paste(self, left: Token, right: Token) -> list[Token]:
        text = left.text + right.text
        self.count(len(text) >> 4)  # or long tokens that grow would take quadratic time
        if is_token(text):
            return [Token(text, left.has_space)]
        self._report(f"pasting formed '{text}', an invalid preprocessing token")
        return [left, right]
