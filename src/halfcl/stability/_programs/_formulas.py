"""Formulas as trees, and the table of known rewrites.

A formula has operators, and functions by short names: whatever a program calls them, `sqrt` is the
square root.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

from halfcl.stability._programs._exact import FUNCTIONS, REDUCTIONS

#: What halfcl alone has; all others are NumPy's.
OF_HALFCL = frozenset({"fma"})

#: NumPy's other names.
_OTHER_NAMES = {"absolute": "abs", "pow": "power", "add.reduce": "sum", "acos": "arccos",
                "asin": "arcsin", "atan": "arctan"}  # fmt: skip

#: NumPy's functions that are operators.
_AS_OPERATORS: dict[str, ast.operator] = {
    "add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult(), "divide": ast.Div(),
    "true_divide": ast.Div(), "power": ast.Pow(),
}  # fmt: skip


@dataclass(frozen=True)
class Rewrite:
    """A formula that may be better than another that is equal to it.

    Attributes
    ----------
    name : str
        What people call it.
    before, after : str
        Formulas; capital letters stand for any.
    """

    name: str
    before: str
    after: str

    @cached_property
    def trees(self) -> tuple[ast.expr, ast.expr]:
        """Both, as trees."""
        return _parsed(self.before), _parsed(self.after)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


#: Whether one is right, and better, is measured each time: none need hold for all numbers.
REWRITES = (
    Rewrite("a term that cancels", "(A + B) - A", "B"),
    Rewrite("a term that cancels", "A - (A + B)", "-B"),
    Rewrite("a term that cancels", "(A - B) - A", "-B"),
    Rewrite("a term that cancels", "A - (A - B)", "B"),
    Rewrite("conjugate", "A - sqrt(A * A - B)", "B / (A + sqrt(A * A - B))"),
    Rewrite("conjugate", "sqrt(A * A - B) - A", "-B / (A + sqrt(A * A - B))"),
    Rewrite("conjugate", "A - sqrt(A * A + B)", "-B / (A + sqrt(A * A + B))"),
    Rewrite("conjugate", "sqrt(A * A + B) - A", "B / (A + sqrt(A * A + B))"),
    Rewrite("conjugate", "sqrt(A) - sqrt(B)", "(A - B) / (sqrt(A) + sqrt(B))"),
    Rewrite("conjugate", "sqrt(A) - B", "(A - B * B) / (sqrt(A) + B)"),
    Rewrite("conjugate", "B - sqrt(A)", "(B * B - A) / (B + sqrt(A))"),
    Rewrite("conjugate", "sqrt(A + 1) - 1", "A / (sqrt(A + 1) + 1)"),
    Rewrite("conjugate", "1 - sqrt(1 - A)", "A / (1 + sqrt(1 - A))"),
    Rewrite("expm1", "exp(A) - 1", "expm1(A)"),
    Rewrite("expm1", "1 - exp(A)", "-expm1(A)"),
    Rewrite("expm1", "exp(A) - exp(B)", "exp(B) * expm1(A - B)"),
    Rewrite("log1p", "log(1 + A)", "log1p(A)"),
    Rewrite("log1p", "log(1 - A)", "log1p(-A)"),
    Rewrite("log1p", "log(A) - log(B)", "log1p((A - B) / B)"),
    Rewrite("logarithm of a quotient", "log(A) - log(B)", "log(A / B)"),
    Rewrite("log1p", "log(A / B)", "log1p((A - B) / B)"),
    Rewrite("log1p", "(1 + A) ** B", "exp(B * log1p(A))"),
    Rewrite("logaddexp", "log(exp(A) + exp(B))", "logaddexp(A, B)"),
    Rewrite("hypot", "sqrt(A * A + B * B)", "hypot(A, B)"),
    Rewrite("factored difference of squares", "A * A - B * B", "(A - B) * (A + B)"),
    Rewrite("factored difference of squares", "1 - A * A", "(1 - A) * (1 + A)"),
    Rewrite("factored difference of squares", "A * A - 1", "(A - 1) * (A + 1)"),
    Rewrite("half the angle", "1 - cos(A)", "2 * (sin(A / 2) * sin(A / 2))"),
    Rewrite("half the angle", "cos(A) - 1", "-2 * (sin(A / 2) * sin(A / 2))"),
    Rewrite("sum to product", "sin(A) - sin(B)", "2 * cos((A + B) / 2) * sin((A - B) / 2)"),
    Rewrite("sum to product", "cos(A) - cos(B)", "-2 * sin((A + B) / 2) * sin((A - B) / 2)"),
    Rewrite("sum to product", "tan(A) - tan(B)", "sin(A - B) / (cos(A) * cos(B))"),
    Rewrite("difference of arcs", "arctan(A) - arctan(B)", "arctan((A - B) / (1 + A * B))"),
    Rewrite("common denominator", "1 / A - 1 / B", "(B - A) / (A * B)"),
    Rewrite("common denominator", "A / B - A / C", "A * (C - B) / (B * C)"),
    Rewrite("deviations from the mean", "mean(A * A) - mean(A) * mean(A)",
            "mean((A - mean(A)) * (A - mean(A)))"),
    Rewrite("deviations from the mean", "mean(A * B) - mean(A) * mean(B)",
            "mean((A - mean(A)) * (B - mean(B)))"),
    Rewrite("fma", "A * B + C", "fma(A, B, C)"),
    Rewrite("fma", "A * B - C", "fma(A, B, -C)"),
    Rewrite("fma", "C - A * B", "fma(-A, B, C)"),
    Rewrite("difference of products by fma", "A * B - C * D",
            "fma(A, B, -(C * D)) + fma(-C, D, C * D)"),
    Rewrite("sum of products by fma", "A * B + C * D", "fma(A, B, C * D) + fma(C, D, -(C * D))"),
)  # fmt: skip


# ---------------------------------------------------------------- of a program's expressions


def name_of(node: ast.expr, functions: Mapping[str, str]) -> str:
    """What a name or attribute of a module stands for: "numpy.sqrt"; empty if it is not known."""
    if isinstance(node, ast.Name):
        return functions.get(node.id, "")
    if isinstance(node, ast.Attribute):
        inner = name_of(node.value, functions)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def _is_minus(node: ast.expr) -> TypeGuard[ast.UnaryOp]:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


class _Canonical(ast.NodeTransformer):
    """A program's expression with short names. functions: what its names stand for."""

    def __init__(self, functions: Mapping[str, str]):
        self._functions = functions

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = name_of(node.func, self._functions).removeprefix("halfcl.").removeprefix("numpy.")
        args = [self.visit(arg) for arg in node.args]
        if not called and isinstance(node.func, ast.Attribute) and not args:  # x.sum()
            called, args = node.func.attr, [self.visit(node.func.value)]
        called = _OTHER_NAMES.get(called, called)
        if node.keywords:
            return node
        if called in _AS_OPERATORS and len(args) == 2:
            return self.visit(ast.BinOp(args[0], _AS_OPERATORS[called], args[1]))  # type: ignore[no-any-return]
        if called == "square" and len(args) == 1:
            return ast.BinOp(args[0], ast.Mult(), args[0])
        if called in FUNCTIONS or called in REDUCTIONS:
            return ast.Call(ast.Name(called, ast.Load()), args, [])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Pow) and isinstance(right, ast.Constant) and right.value == 2:
            return ast.BinOp(left, ast.Mult(), left)
        if isinstance(node.op, ast.Add) and _is_minus(left):  # -a + b
            return ast.BinOp(right, ast.Sub(), left.operand)
        return ast.BinOp(left, node.op, right)


def canonical(expression: ast.expr, functions: Mapping[str, str]) -> ast.expr:
    """A program's expression as a formula.

    Parameters
    ----------
    expression : ast.expr
    functions : mapping
        What its names stand for, as "numpy" or "halfcl.exp".

    Returns
    -------
    ast.expr
    """
    found: ast.expr = _Canonical(functions).visit(copy.deepcopy(expression))
    return found


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two formulas read the same."""
    return ast.dump(one) == ast.dump(other)


# ---------------------------------------------------------------- matching

_COMMUTE = (ast.Add, ast.Mult)

Found = dict[str, ast.expr]


def _matches(pattern: ast.expr, formula: ast.expr, found: Found) -> Iterator[Found]:
    """The ways to read a formula as a pattern, with what its capitals stand for."""
    if isinstance(pattern, ast.Name):
        if pattern.id not in found:
            yield {**found, pattern.id: formula}
        elif same(found[pattern.id], formula):
            yield found
    elif isinstance(pattern, ast.Constant):
        if isinstance(formula, ast.Constant) and formula.value == pattern.value:
            yield found
    elif isinstance(pattern, ast.UnaryOp):
        if isinstance(formula, ast.UnaryOp) and type(formula.op) is type(pattern.op):
            yield from _matches(pattern.operand, formula.operand, found)
    elif isinstance(pattern, ast.Call):
        if (
            isinstance(formula, ast.Call)
            and isinstance(formula.func, ast.Name)
            and isinstance(pattern.func, ast.Name)
            and formula.func.id == pattern.func.id
        ):
            yield from _all_match(list(zip(pattern.args, formula.args, strict=True)), found)
    elif isinstance(pattern, ast.BinOp) and isinstance(formula, ast.BinOp):
        if type(formula.op) is not type(pattern.op):
            return
        sides = [(formula.left, formula.right)]
        if isinstance(formula.op, _COMMUTE):
            sides.append((formula.right, formula.left))
        for left, right in sides:
            yield from _all_match([(pattern.left, left), (pattern.right, right)], found)


def _all_match(pairs: list[tuple[ast.expr, ast.expr]], found: Found) -> Iterator[Found]:
    if not pairs:
        yield found
        return
    for first in _matches(*pairs[0], found):
        yield from _all_match(pairs[1:], first)


class _Filled(ast.NodeTransformer):
    def __init__(self, found: Found):
        self._found = found

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._found.get(node.id, node))


class Replaced(ast.NodeTransformer):
    """A formula in which parts that read the same as one become another."""

    def __init__(self, old: ast.expr, new: ast.expr):
        self._old, self._new = ast.dump(old), new

    def visit(self, node: ast.AST) -> ast.AST:
        """Of one part."""
        if isinstance(node, ast.expr) and ast.dump(node) == self._old:
            return copy.deepcopy(self._new)
        found: ast.AST = self.generic_visit(node)
        return found


def replaced(formula: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """A formula with one part in the place of another."""
    found = Replaced(old, new).visit(copy.deepcopy(formula))
    assert isinstance(found, ast.expr)
    return found


def rewritten(formula: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """What one rewrite, somewhere in a formula, makes of it; with the rewrite's name.

    Parameters
    ----------
    formula : ast.expr

    Examples
    --------
    >>> import ast
    >>> from halfcl.stability._programs._formulas import rewritten
    >>> formula = ast.parse("(exp(x) - 1) / x", mode="eval").body
    >>> [(name, ast.unparse(new)) for name, new in rewritten(formula)]
    [('expm1', 'expm1(x) / x')]
    """
    for part in ast.walk(formula):
        if not isinstance(part, ast.BinOp | ast.Call):
            continue
        for rewrite in REWRITES:
            before, after = rewrite.trees
            for found in _matches(before, part, {}):
                new = _Filled(found).visit(copy.deepcopy(after))
                yield rewrite.name, replaced(formula, part, new)
        horner = _horner(part)
        if horner is not None:
            yield "Horner's scheme", replaced(formula, part, horner)


# ---------------------------------------------------------------- Horner's scheme


def _terms(formula: ast.expr, sign: int = 1) -> Iterator[tuple[int, ast.expr]]:
    if isinstance(formula, ast.BinOp) and isinstance(formula.op, ast.Add | ast.Sub):
        yield from _terms(formula.left, sign)
        yield from _terms(formula.right, sign if isinstance(formula.op, ast.Add) else -sign)
    else:
        yield sign, formula


def _factors(term: ast.expr) -> Iterator[ast.expr]:
    if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult):
        yield from _factors(term.left)
        yield from _factors(term.right)
    elif (
        isinstance(term, ast.BinOp)
        and isinstance(term.op, ast.Pow)
        and isinstance(term.right, ast.Constant)
        and isinstance(term.right.value, int)
        and 2 <= term.right.value <= 12
    ):
        yield from itertools.repeat(term.left, term.right.value)
    else:
        yield term


def _product(sign: int, factors: list[ast.expr]) -> ast.expr:
    found: ast.expr = factors[0] if factors else ast.Constant(1)
    for factor in factors[1:]:
        found = ast.BinOp(found, ast.Mult(), factor)
    return ast.UnaryOp(ast.USub(), found) if sign < 0 else found


def _horner(formula: ast.expr) -> ast.expr | None:
    """A polynomial of degree 2 or more in one variable, nested; None of what is none."""
    terms = [(sign, list(_factors(term))) for sign, term in _terms(formula)]
    if len(terms) < 2:
        return None
    names = {f.id for _, factors in terms for f in factors if isinstance(f, ast.Name)}
    best = max(sorted(names), default="", key=lambda name: _degree(terms, name))
    if _degree(terms, best) < 2:
        return None
    coefficients: dict[int, ast.expr] = {}
    for sign, factors in terms:
        others = [f for f in factors if not (isinstance(f, ast.Name) and f.id == best)]
        term, power = _product(sign, others), len(factors) - len(others)
        old = coefficients.get(power)
        coefficients[power] = term if old is None else ast.BinOp(old, ast.Add(), term)
    found: ast.expr | None = None
    for power in range(max(coefficients), -1, -1):
        if found is not None:
            found = ast.BinOp(found, ast.Mult(), ast.Name(best, ast.Load()))
        here = coefficients.get(power)
        if here is not None:
            found = here if found is None else ast.BinOp(found, ast.Add(), here)
    return found


def _degree(terms: list[tuple[int, list[ast.expr]]], name: str) -> int:
    return max(sum(isinstance(f, ast.Name) and f.id == name for f in fs) for _, fs in terms)
