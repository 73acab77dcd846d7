"""Formulas as syntax trees, and the table of known rewrites.

In a formula, functions have short names whatever a program calls them: `sqrt` is the square root.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

from halfcl.stability._programs._rewriting.exact import FUNCTIONS, REDUCTIONS

#: Functions that only halfcl has; NumPy has all others.
HALFCL_ONLY = frozenset({"fma"})

#: Other names that NumPy has for functions.
_OTHER_NAMES = {"absolute": "abs", "pow": "power", "add.reduce": "sum", "acos": "arccos",
                "asin": "arcsin", "atan": "arctan"}  # fmt: skip

#: NumPy's functions that formulas write as operators.
_AS_OPERATORS: dict[str, ast.operator] = {
    "add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult(), "divide": ast.Div(),
    "true_divide": ast.Div(), "power": ast.Pow(),
}  # fmt: skip


@dataclass(frozen=True)
class Rewrite:
    """A formula, and an equal one that may be more accurate.

    Capital letters in them stand for any formulas.
    """

    name: str
    before: str
    after: str

    @cached_property
    def trees(self) -> tuple[ast.expr, ast.expr]:
        """Both formulas as syntax trees."""
        return _parse(self.before), _parse(self.after)


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


#: A rewrite need not hold for all numbers: its errors are measured before it is suggested.
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


# ---------------------------------------------------------------- expressions of a program


def qualified_name(node: ast.expr, functions: Mapping[str, str]) -> str:
    """Return the full name of a function, such as "numpy.sqrt"; empty if it is unknown."""
    if isinstance(node, ast.Name):
        return functions.get(node.id, "")
    if isinstance(node, ast.Attribute):
        inner = qualified_name(node.value, functions)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def _is_minus(node: ast.expr) -> TypeGuard[ast.UnaryOp]:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


class _Canonicaliser(ast.NodeTransformer):
    """Turns a program's expression into a formula; `functions` maps its names to full names."""

    def __init__(self, functions: Mapping[str, str]):
        self._functions = functions

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = (
            qualified_name(node.func, self._functions)
            .removeprefix("halfcl.")
            .removeprefix("numpy.")
        )
        args = [self.visit(arg) for arg in node.args]
        if not name and isinstance(node.func, ast.Attribute) and not args:  # x.sum()
            name, args = node.func.attr, [self.visit(node.func.value)]
        name = _OTHER_NAMES.get(name, name)
        if node.keywords:
            return node
        if name in _AS_OPERATORS and len(args) == 2:
            return self.visit(ast.BinOp(args[0], _AS_OPERATORS[name], args[1]))  # type: ignore[no-any-return]
        if name == "square" and len(args) == 1:
            return ast.BinOp(args[0], ast.Mult(), args[0])
        if name in FUNCTIONS or name in REDUCTIONS:
            return ast.Call(ast.Name(name, ast.Load()), args, [])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Pow) and isinstance(right, ast.Constant) and right.value == 2:
            return ast.BinOp(left, ast.Mult(), left)
        if isinstance(node.op, ast.Add) and _is_minus(left):  # -a + b
            return ast.BinOp(right, ast.Sub(), left.operand)
        return ast.BinOp(left, node.op, right)


def canonical_form(expression: ast.expr, functions: Mapping[str, str]) -> ast.expr:
    """Return a program's expression as a formula.

    functions: full names of modules and functions, such as "numpy" or "halfcl.exp", by their names
    there.
    """
    formula: ast.expr = _Canonicaliser(functions).visit(copy.deepcopy(expression))
    return formula


def is_same(one: ast.AST, other: ast.AST) -> bool:
    """Return whether two formulas have equal syntax trees."""
    return ast.dump(one) == ast.dump(other)


# ---------------------------------------------------------------- matching

_COMMUTE = (ast.Add, ast.Mult)

Bindings = dict[str, ast.expr]


def _match(pattern: ast.expr, formula: ast.expr, bindings: Bindings) -> Iterator[Bindings]:
    """Yield all bindings of a pattern's capital letters with which it equals the formula."""
    if isinstance(pattern, ast.Name):
        if pattern.id not in bindings:
            yield {**bindings, pattern.id: formula}
        elif is_same(bindings[pattern.id], formula):
            yield bindings
    elif isinstance(pattern, ast.Constant):
        if isinstance(formula, ast.Constant) and formula.value == pattern.value:
            yield bindings
    elif isinstance(pattern, ast.UnaryOp):
        if isinstance(formula, ast.UnaryOp) and type(formula.op) is type(pattern.op):
            yield from _match(pattern.operand, formula.operand, bindings)
    elif isinstance(pattern, ast.Call):
        if (
            isinstance(formula, ast.Call)
            and isinstance(formula.func, ast.Name)
            and isinstance(pattern.func, ast.Name)
            and formula.func.id == pattern.func.id
        ):
            yield from _match_all(list(zip(pattern.args, formula.args, strict=True)), bindings)
    elif isinstance(pattern, ast.BinOp) and isinstance(formula, ast.BinOp):
        if type(formula.op) is not type(pattern.op):
            return
        sides = [(formula.left, formula.right)]
        if isinstance(formula.op, _COMMUTE):
            sides.append((formula.right, formula.left))
        for left, right in sides:
            yield from _match_all([(pattern.left, left), (pattern.right, right)], bindings)


def _match_all(pairs: list[tuple[ast.expr, ast.expr]], bindings: Bindings) -> Iterator[Bindings]:
    if not pairs:
        yield bindings
        return
    for first in _match(*pairs[0], bindings):
        yield from _match_all(pairs[1:], first)


class _Substitution(ast.NodeTransformer):
    def __init__(self, bindings: Bindings):
        self._bindings = bindings

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._bindings.get(node.id, node))


class _Replacement(ast.NodeTransformer):
    """Replaces each occurrence of a formula in another."""

    def __init__(self, old: ast.expr, new: ast.expr):
        self._old, self._new = ast.dump(old), new

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace a node, or its parts."""
        if isinstance(node, ast.expr) and ast.dump(node) == self._old:
            return copy.deepcopy(self._new)
        result: ast.AST = self.generic_visit(node)
        return result


def replace(formula: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """Return a formula with each occurrence of `old` replaced by `new`."""
    result = _Replacement(old, new).visit(copy.deepcopy(formula))
    assert isinstance(result, ast.expr)
    return result


def rewrite_once(formula: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the formulas that one rewrite somewhere makes, each with the name of the rewrite.

    >>> import ast
    >>> from halfcl.stability._programs._rewriting.formulas import rewrite_once
    >>> formula = ast.parse("(exp(x) - 1) / x", mode="eval").body
    >>> [(name, ast.unparse(new)) for name, new in rewrite_once(formula)]
    [('expm1', 'expm1(x) / x')]
    """
    for part in ast.walk(formula):
        if not isinstance(part, ast.BinOp | ast.Call):
            continue
        for rewrite in REWRITES:
            before, after = rewrite.trees
            for bindings in _match(before, part, {}):
                new = _Substitution(bindings).visit(copy.deepcopy(after))
                yield rewrite.name, replace(formula, part, new)
        horner = _horner_form(part)
        if horner is not None:
            yield "Horner's scheme", replace(formula, part, horner)


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
    product: ast.expr = factors[0] if factors else ast.Constant(1)
    for factor in factors[1:]:
        product = ast.BinOp(product, ast.Mult(), factor)
    return ast.UnaryOp(ast.USub(), product) if sign < 0 else product


def _horner_form(formula: ast.expr) -> ast.expr | None:
    """Return a polynomial of degree 2 or more in nested form; None for other formulas."""
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
    nested: ast.expr | None = None
    for power in range(max(coefficients), -1, -1):
        if nested is not None:
            nested = ast.BinOp(nested, ast.Mult(), ast.Name(best, ast.Load()))
        here = coefficients.get(power)
        if here is not None:
            nested = here if nested is None else ast.BinOp(nested, ast.Add(), here)
    return nested


def _degree(terms: list[tuple[int, list[ast.expr]]], name: str) -> int:
    return max(sum(isinstance(f, ast.Name) and f.id == name for f in fs) for _, fs in terms)
