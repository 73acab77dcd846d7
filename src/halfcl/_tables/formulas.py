"""Formulas of the table, evaluated in any arithmetic: doubles, intervals, tensors, jets.

A formula is a Python expression of a function's parameters, numbers, functions of the table and
OpenCL's constants: ``"-1 / (M_PI * sqrt(1 - x**2))"``. Its operators are the table's ``add``,
``subtract``, ``multiply``, ``divide``, ``negative`` and, with an integer exponent, ``pown``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

_T = TypeVar("_T")

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}


class Arithmetic(NamedTuple, Generic[_T]):
    """The numbers that formulas are evaluated in.

    number: makes one from a Python number; functions: by the table's names; constants: by OpenCL's.
    """

    number: Callable[[float], _T]
    functions: Mapping[str, Callable[..., _T]]
    constants: Mapping[str, _T]


def compile_formula(
    formula: str, operands: Sequence[str], arithmetic: Arithmetic[_T]
) -> Callable[..., _T]:
    """Return a function of the operands that evaluates a formula.

    Equal parts are evaluated once, constant ones in advance. An operand may be a part that the
    caller has computed already, such as ``"tan(x)"``.

    Examples
    --------
    >>> import math, operator
    >>> from halfcl._tables.formulas import Arithmetic, compile_formula
    >>> floats = Arithmetic(float, {"add": operator.add, "pown": operator.pow}, {"M_PI": math.pi})
    >>> compile_formula("1 + x**2", ["x"], floats)(3.0)
    10.0
    """
    program = _Program(operands, arithmetic)
    result = program.slot(_parse(formula))
    slots, steps = program.slots, program.steps
    count = len(operands)
    if result < count:
        return lambda *values: values[result]
    if not steps:
        constant = slots[result]
        return lambda *values: constant  # type: ignore[return-value]

    def evaluate(*values: _T) -> _T:
        numbers = [*values, *slots[count:]]
        for slot, function, parts in steps:
            numbers[slot] = function(*[numbers[part] for part in parts])
        return numbers[result]  # type: ignore[return-value]

    return evaluate


class _Program(Generic[_T]):
    """The steps that evaluate a formula.

    slots: constants by slot; None for operands, which come first, and for results of steps.
    """

    def __init__(self, operands: Sequence[str], arithmetic: Arithmetic[_T]) -> None:
        self._arithmetic = arithmetic
        self._known = {ast.dump(_parse(text)): i for i, text in enumerate(operands)}
        self.slots: list[_T | None] = [None] * len(operands)
        self.steps: list[tuple[int, Callable[..., _T], tuple[int, ...]]] = []

    def slot(self, node: ast.expr) -> int:
        """Return the slot of an expression, which is added unless it is there."""
        key = ast.dump(node)
        if key not in self._known:
            self._known[key] = self._add(node)
        return self._known[key]

    def _add(self, node: ast.expr) -> int:
        functions = self._arithmetic.functions
        match node:
            case ast.Constant(value=int() | float() as value):
                return self._constant(self._arithmetic.number(value))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return self._constant(self._arithmetic.number(-value))
            case ast.Name(id=name):
                return self._constant(self._arithmetic.constants[name])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._step(functions["negative"], [operand])
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as exponent)):
                return self._step(lambda x: functions["pown"](x, exponent), [base])
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                return self._step(functions[_OPERATORS[type(operator)]], [left, right])
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._step(functions[name], arguments)
        raise ValueError(f"formula: expected an expression of numbers, got {ast.unparse(node)}")

    def _constant(self, value: _T | None) -> int:
        self.slots.append(value)
        return len(self.slots) - 1

    def _step(self, function: Callable[..., _T], arguments: Sequence[ast.expr]) -> int:
        parts = tuple(self.slot(argument) for argument in arguments)
        constants = [self.slots[part] for part in parts]
        if all(constant is not None for constant in constants):
            return self._constant(function(*constants))
        slot = self._constant(None)
        self.steps.append((slot, function, parts))
        return slot


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
