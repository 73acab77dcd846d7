"""Conditions of #if: constant expressions of 64-bit integers, evaluated as in C."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

from halfcl.cl._frontend.arithmetic import COMPARISONS
from halfcl.cl._frontend.guards.nesting import DEEPEST
from halfcl.cl._frontend.literals.strings import character_value

_NUMBER = re.compile(
    r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uU]?)(?:ll|LL|[lL])?([uU]?)"
)

#: A value, and whether it is unsigned.
_Value = tuple[int, bool]


class ConditionError(Exception):
    """An invalid constant expression."""


def _quotient(x: int, y: int) -> int:
    """Divide, truncating toward zero."""
    if y == 0:
        raise ConditionError("division by zero in preprocessor expression")
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _shift(x: int, count: int) -> int:
    if abs(count) >= 64:
        return -1 if count < 0 and x < 0 else 0
    return x << count if count >= 0 else x >> -count


#: Precedence and function.
_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda x, y: x or y),
    "&&": (2, lambda x, y: x and y),
    "|": (3, operator.or_),
    "^": (4, operator.xor),
    "&": (5, operator.and_),
    "==": (6, operator.eq),
    "!=": (6, operator.ne),
    "<": (7, operator.lt),
    ">": (7, operator.gt),
    "<=": (7, operator.le),
    ">=": (7, operator.ge),
    "<<": (8, _shift),
    ">>": (8, lambda x, y: _shift(x, -y)),
    "+": (9, operator.add),
    "-": (9, operator.sub),
    "*": (10, operator.mul),
    "/": (10, _quotient),
    "%": (10, lambda x, y: x - y * _quotient(x, y)),
}
_TRUTHS = ("||", "&&", *COMPARISONS)
_UNARY: dict[str, Callable[[int], int]] = {
    "+": operator.pos,
    "-": operator.neg,
    "~": operator.invert,
    "!": operator.not_,
}


def _wrap(value: int, unsigned: bool) -> _Value:
    value &= 2**64 - 1
    return (value - 2**64 if value >> 63 and not unsigned else value), unsigned


class _Reader:
    """A reader of an expression from left to right; dead operands are not computed."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._rest = list(tokens)[::-1]
        self._depth = 0

    def _next(self) -> str:
        return self._rest[-1] if self._rest else ""

    def whole(self) -> int:
        value = self._conditional(True)[0]
        if self._rest:
            raise ConditionError(f"unexpected {self._next()} in preprocessor expression")
        return value

    def _conditional(self, live: bool) -> _Value:
        condition = self._binary(1, live)
        if self._next() != "?":
            return condition
        self._rest.pop()
        yes = self._conditional(live and bool(condition[0]))
        self._expect(":")
        no = self._conditional(live and not condition[0])
        return _wrap((yes if condition[0] else no)[0], yes[1] or no[1])

    def _binary(self, least: int, live: bool) -> _Value:
        result = self._unary(live)
        while self._next() in _BINARY and _BINARY[self._next()][0] >= least:
            name = self._rest.pop()
            precedence, compute = _BINARY[name]
            decided = (name == "||" and result[0]) or (name == "&&" and not result[0])
            is_live = live and not decided
            operand = self._binary(precedence + 1, is_live)
            result = self._combine(name, compute, result, operand, is_live)
        return result

    @staticmethod
    def _combine(
        name: str, compute: Callable[[int, int], int], first: _Value, second: _Value, live: bool
    ) -> _Value:
        if name in ("||", "&&"):
            return int(bool(compute(first[0], second[0]))), False
        unsigned = first[1] if name in ("<<", ">>") else first[1] or second[1]
        if not live:
            return 0, unsigned and name not in _TRUTHS
        x, y = first[0], second[0]
        if name not in ("<<", ">>"):
            x, y = _wrap(x, unsigned)[0], _wrap(y, unsigned)[0]
        return _wrap(int(compute(x, y)), unsigned and name not in _TRUTHS)

    def _unary(self, live: bool) -> _Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ConditionError("not supported: nested too deeply")
        value = self._operand(live)
        self._depth -= 1
        return value

    def _operand(self, live: bool) -> _Value:
        if not self._rest:
            raise ConditionError("expected value in expression")
        token = self._rest.pop()
        if token in _UNARY:
            value, unsigned = self._unary(live)
            return _wrap(int(_UNARY[token](value)), unsigned and token != "!")
        if token == "(":
            value_ = self._conditional(live)
            self._expect(")")
            return value_
        if token[-1] == "'":
            return character_value(token[token.index("'") :]), False
        if match := _NUMBER.fullmatch(token):
            return _number(match)
        if not (token[0] == "_" or token[0].isalpha() or token[0] == "$") or token == "defined":
            raise ConditionError(f"unexpected {token} in preprocessor expression")
        if self._next() == "(":
            raise ConditionError(f"function-like macro '{token}' is not defined")
        return int(token == "true"), False

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise ConditionError(f"expected '{token}' in preprocessor expression")
        self._rest.pop()


def _number(match: re.Match[str]) -> _Value:
    digits = match[1]
    is_octal = digits[0] == "0" and digits[1:].isdigit()
    value = int(digits, 8 if is_octal else 0)
    if value >> 64:
        raise ConditionError("integer literal is too large to be represented in any integer type")
    return value, bool(match[2] or match[3] or value >> 63)


def evaluate(tokens: Sequence[str]) -> int:
    """Evaluate an expression after macro expansion; remaining names are zero."""
    return _Reader(tokens).whole()


_TOKEN = re.compile(r"\s*(\d\w*|<<|>>|<=|>=|==|!=|&&|\|\||[()+*/%<>&|^~?:!-])")


def integer_constant(text: str) -> int | None:
    """Evaluate a constant expression of numbers in a program; return None for others."""
    tokens, text = [], text.strip()
    while text:
        match = _TOKEN.match(text)
        if match is None:
            return None
        tokens.append(match[1])
        text = text[match.end() :]
    try:
        return evaluate(tokens)
    except ConditionError:
        return None
