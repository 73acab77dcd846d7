"""Formulas as syntax trees: how programs write them, and how rewrites are applied.

In a formula, functions have short names whatever a program calls them: `sqrt` is the square root.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from halfcl.stability._programs._rewriting.exact import FUNCTIONS, REDUCTIONS
from halfcl.stability._programs._rewriting.table import REWRITES

#: Other names that libraries have for functions.
_OTHER_NAMES = {
    "absolute": "abs", "fabs": "abs", "pow": "power", "add.reduce": "sum", "acos": "arccos",
    "asin": "arcsin", "atan": "arctan", "acosh": "arccosh", "asinh": "arcsinh",
    "atanh": "arctanh", "amax": "max", "amin": "min", "fmax": "maximum", "fmin": "minimum",
    "inner": "dot", "vdot": "dot", "logaddexp.reduce": "logsumexp",
}  # fmt: skip

#: Functions that formulas write as operators.
_AS_OPERATORS: dict[str, ast.operator] = {
    "add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult(), "divide": ast.Div(),
    "true_divide": ast.Div(), "power": ast.Pow(),
}  # fmt: skip

#: Libraries whose functions formulas contain, by the start of their names.
_LIBRARIES = ("halfcl", "numpy", "math", "scipy.special")

#: Types that round to half, by their full names and in texts.
_HALVES = frozenset({"numpy.float16", "numpy.half", "halfcl.half"})
_HALF_TEXTS = frozenset({"float16", "half", "e", "f2", "<f2", "=f2"})

#: Methods of arrays that formulas contain, as functions.
_METHODS = frozenset({"sum", "mean", "max", "min"})

#: Operators that formulas contain.
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)

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


@dataclass(frozen=True)
class Operation:
    """An operator or a known function in an expression of a program.

    operands: its operands there. combine: returns its formula for the formulas of the operands.
    function: the short and the full name of a function.
    """

    operands: tuple[ast.expr, ...]
    combine: Callable[..., ast.expr]
    function: tuple[str, str] = ("", "")


def operation_of(node: ast.AST, functions: Mapping[str, str]) -> Operation | None:
    """Return the operation that an expression is; None for any other expression.

    functions: full names of modules and functions, such as "numpy" or "halfcl.exp", by their names
    in the program.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
        op = node.op
        return Operation((node.left, node.right), lambda a, b: combine(op, a, b))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return Operation((node.operand,), lambda a: ast.UnaryOp(ast.USub(), a))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return Operation((node.operand,), lambda a: a)
    return _called_operation(node, functions) if isinstance(node, ast.Call) else None


def combine(op: ast.operator, left: ast.expr, right: ast.expr) -> ast.expr:
    """Return an operation as a formula writes it."""
    if isinstance(op, ast.Pow) and isinstance(right, ast.Constant) and right.value == 2:
        return ast.BinOp(left, ast.Mult(), left)
    if isinstance(op, ast.Add) and _is_minus(left):  # -a + b
        return ast.BinOp(right, ast.Sub(), left.operand)
    if isinstance(op, ast.Mult | ast.Div) and _is_minus(left):  # -a * b
        return ast.UnaryOp(ast.USub(), ast.BinOp(left.operand, op, right))
    return ast.BinOp(left, op, right)


def _called_operation(node: ast.Call, functions: Mapping[str, str]) -> Operation | None:
    name, full, args = _function_of(node, functions)
    if any(isinstance(arg, ast.Starred) for arg in args):
        return None
    if name == "half" and len(args) == 1 and not node.keywords:
        if isinstance(args[0], ast.Constant) and _is_half(args[0].value):
            return Operation(tuple(args), lambda a: a)
        is_input = not any(functions_in(args[0], functions))
        return None if is_input else Operation(tuple(args), lambda a: _call(name, [a], []))
    is_reduction = name in REDUCTIONS and name != "dot"
    axis = _axis(node.keywords, args[1:] if is_reduction else [])
    if axis is None or (axis and name not in REDUCTIONS):
        return None
    if name in _AS_OPERATORS and len(args) == 2:
        return Operation(tuple(args), lambda a, b: combine(_AS_OPERATORS[name], a, b))
    if name == "square" and len(args) == 1:
        return Operation(tuple(args), lambda a: ast.BinOp(a, ast.Mult(), a))
    if is_reduction:
        if full.endswith(".reduce") and not any(word.arg == "axis" for word in axis):
            is_default = len(args) == 1 and not any(w.arg == "axis" for w in node.keywords)
            axis = [ast.keyword("axis", ast.Constant(0 if is_default else None)), *axis]
        variables = [word.value for word in axis if _is_variable(word.value)]
        return Operation(
            (*args[:1], *variables),
            lambda a, *values: _call(name, [a], _with_values(axis, values)),
            (name, full),
        )
    if name in FUNCTIONS or name == "dot":
        return Operation(tuple(args), lambda *a: _call(name, list(a), []), (name, full))
    return None


def _call(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), args, keywords)


def _function_of(node: ast.Call, functions: Mapping[str, str]) -> tuple[str, str, list[ast.expr]]:
    """Return the short name of a function, its full name, and its arguments.

    The short name is empty for unknown functions.
    """
    full, args = qualified_name(node.func, functions), list(node.args)
    if full in _HALVES:
        return "half", full, args
    for library in _LIBRARIES:
        if full.startswith(f"{library}."):
            name = full.removeprefix(f"{library}.")
            return _OTHER_NAMES.get(name, name), full, args
    if full:
        return "", full, args
    if isinstance(node.func, ast.Name) and not node.keywords and len(args) == 1:
        own = {"sum": "total", "abs": "abs"}.get(node.func.id, "")
        return own, f"builtins.{node.func.id}", args
    if isinstance(node.func, ast.Attribute):
        method, array = node.func.attr, node.func.value
        if method == "astype" and len(args) == 1 and is_half_type(args[0], functions):
            return "half", "numpy.float16", [array]
        if method in _METHODS:
            return method, f"numpy.{method}", [array, *args]
    return "", "", args


def is_cast_to_half(node: ast.AST, functions: Mapping[str, str]) -> bool:
    """Return whether an expression only rounds another one to half."""
    return isinstance(node, ast.Call) and _function_of(node, functions)[0] == "half"


def is_half_type(node: ast.AST, functions: Mapping[str, str]) -> bool:
    """Return whether an expression is the type float16 or half, or one of its names in quotes."""
    if isinstance(node, ast.Constant):
        return node.value in _HALF_TEXTS
    return isinstance(node, ast.expr) and qualified_name(node, functions) in _HALVES


def _is_half(value: object) -> bool:
    """Return whether a number is exact in half."""
    return isinstance(value, int | float) and float(np.float16(value)) == value


def _is_variable(node: ast.expr) -> bool:
    """Return whether an expression is a name, or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _with_values(keywords: Sequence[ast.keyword], values: Sequence[ast.expr]) -> list[ast.keyword]:
    """Return keywords with other expressions in place of variables, in their order."""
    rest = iter(values)
    return [
        ast.keyword(word.arg, next(rest) if _is_variable(word.value) else word.value)
        for word in keywords
    ]


def _axis(keywords: Sequence[ast.keyword], args: Sequence[ast.expr]) -> list[ast.keyword] | None:
    """Return the keywords of a reduction in a fixed order, without defaults; None for others."""
    words = dict(zip(("axis",), args, strict=False)) if len(args) < 2 else {"": args[0]}
    words |= {word.arg or "": word.value for word in keywords}
    if not words.keys() <= {"axis", "keepdims"}:
        return None
    fixed = []
    for name in sorted(words):
        if _is_variable(words[name]):
            fixed.append(ast.keyword(name, words[name]))
            continue
        try:
            value = ast.literal_eval(words[name])
        except ValueError:
            return None
        if value is not None and value is not False:
            fixed.append(ast.keyword(name, ast.parse(repr(value), mode="eval").body))
    return fixed


def canonical_form(
    expression: ast.expr,
    functions: Mapping[str, str],
    name_atom: Callable[[ast.expr], ast.expr] = lambda node: node,
) -> ast.expr:
    """Return a program's expression as a formula.

    functions: full names of modules and functions, such as "numpy" or "halfcl.exp", by their names
    there. name_atom: returns the formula of an atom: a variable or any other expression that is no
    operation.
    """
    operation = operation_of(expression, functions)
    if operation is None:
        return expression if isinstance(expression, ast.Constant) else name_atom(expression)
    return operation.combine(
        *(canonical_form(part, functions, name_atom) for part in operation.operands)
    )


def functions_in(node: ast.expr, functions: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the short and the full names of the functions in a formula of a program."""
    operation = operation_of(node, functions)
    if operation is not None:
        if operation.function[0]:
            yield operation.function
        for part in operation.operands:
            yield from functions_in(part, functions)


class _CastRemover(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        is_cast = isinstance(node.func, ast.Name) and node.func.id == "half"
        return node.args[0] if is_cast else node


def without_casts(formula: ast.expr) -> ast.expr:
    """Return a formula without roundings to half, which its functions do themselves."""
    bare: ast.expr = _CastRemover().visit(copy.deepcopy(formula))
    return bare


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
            yield from _match_call(pattern, formula, bindings)
    elif isinstance(pattern, ast.BinOp) and isinstance(formula, ast.BinOp):
        if type(formula.op) is not type(pattern.op):
            return
        sides = [(formula.left, formula.right)]
        if isinstance(formula.op, _COMMUTE):
            sides.append((formula.right, formula.left))
        for left, right in sides:
            yield from _match_all([(pattern.left, left), (pattern.right, right)], bindings)


def _match_call(pattern: ast.Call, formula: ast.Call, bindings: Bindings) -> Iterator[Bindings]:
    """Yield the bindings of a call's arguments, and of its axis."""
    if len(pattern.args) != len(formula.args) or (formula.keywords and not pattern.keywords):
        return
    pairs = list(zip(pattern.args, formula.args, strict=True))
    for word in pattern.keywords:
        pairs.append((word.value, _call("dict", [], formula.keywords)))
    yield from _match_all(pairs, bindings)


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

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Insert an operand; two signs cancel."""
        operand = self.visit(node.operand)
        if _is_minus(node) and _is_minus(operand):
            return operand.operand
        return ast.UnaryOp(node.op, operand)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Insert arguments, and the keywords that `**K` stands for."""
        keywords: dict[str | None, ast.keyword] = {}
        bound = self._bindings.get("K")
        own = copy.deepcopy(bound.keywords) if isinstance(bound, ast.Call) else []
        for word in node.keywords:
            if word.arg is None:
                keywords |= {each.arg: each for each in own}
            else:
                keywords[word.arg] = word
        if "axis" not in keywords:
            if all(each.arg != "keepdims" for each in own):
                keywords.pop("keepdims", None)
            if isinstance(node.func, ast.Name) and node.func.id == "logsumexp":
                keywords["axis"] = ast.keyword("axis", ast.Constant(None))  # a ufunc's is 0
        args = [self.visit(arg) for arg in node.args]
        return ast.Call(node.func, args, list(keywords.values()))


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
            nested = _multiply(nested, ast.Name(best, ast.Load()))
        here = coefficients.get(power)
        if here is not None:
            nested = here if nested is None else combine(ast.Add(), nested, here)
    return nested


def _multiply(coefficient: ast.expr, variable: ast.expr) -> ast.expr:
    """Return a product, without a coefficient of 1 or -1."""
    one = coefficient.operand if _is_minus(coefficient) else coefficient
    if isinstance(one, ast.Constant) and one.value == 1:
        return variable if one is coefficient else ast.UnaryOp(ast.USub(), variable)
    return ast.BinOp(coefficient, ast.Mult(), variable)


def _degree(terms: list[tuple[int, list[ast.expr]]], name: str) -> int:
    return max(sum(isinstance(f, ast.Name) and f.id == name for f in fs) for _, fs in terms)
