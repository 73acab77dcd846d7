"""Instruments source code: functions of a recorder then compute its calls and operators.

Only the expression of a function is replaced in a call, so that the frames of the program stay as
they are. Python evaluates all operands in their own order, and each of them once.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from types import CodeType
from typing import TypeAlias

#: Names of the recorder's functions, which are put among the built-in ones. Python does not mangle
#: such names in classes.
CALL, OPERATE, STORE, SLICE = (
    f"__halfcl_{name}__" for name in ("call", "operate", "store", "slice")
)

#: The name of indexing, which has no ufunc.
ITEM, STORE_ITEM = "numpy.ndarray.__getitem__", "numpy.ndarray.__setitem__"

Function: TypeAlias = Callable[..., object]

#: Operators by their classes in a syntax tree: the names of NumPy's function and of Python's.
_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("add", "add"),
    ast.Sub: ("subtract", "sub"),
    ast.Mult: ("multiply", "mul"),
    ast.Div: ("divide", "truediv"),
    ast.FloorDiv: ("floor_divide", "floordiv"),
    ast.Mod: ("remainder", "mod"),
    ast.Pow: ("power", "pow"),
    ast.MatMult: ("matmul", "matmul"),
    ast.LShift: ("left_shift", "lshift"),
    ast.RShift: ("right_shift", "rshift"),
    ast.BitAnd: ("bitwise_and", "and_"),
    ast.BitOr: ("bitwise_or", "or_"),
    ast.BitXor: ("bitwise_xor", "xor"),
    ast.USub: ("negative", "neg"),
    ast.UAdd: ("positive", "pos"),
    ast.Invert: ("invert", "invert"),
    ast.Lt: ("less", "lt"),
    ast.LtE: ("less_equal", "le"),
    ast.Gt: ("greater", "gt"),
    ast.GtE: ("greater_equal", "ge"),
    ast.Eq: ("equal", "eq"),
    ast.NotEq: ("not_equal", "ne"),
}


def _operation(kind: ast.AST, is_in_place: bool = False) -> tuple[str, Function]:
    """Return the full name of NumPy's function for an operator, and Python's function."""
    name, own = _OPERATORS[type(kind)]
    function: Function = getattr(operator, f"i{own.rstrip('_')}" if is_in_place else own)
    return f"numpy.{name}", function


#: Registers an operation at a line, and returns its number for the recorder's functions: the name
#: and the function of an operator; both are empty for a call.
AddSite: TypeAlias = Callable[[int, str, Function | None], int]


def instrument(source: str | bytes, file: str, add_site: AddSite) -> CodeType:
    """Compile source code with its calls and operators instrumented."""
    tree = ast.parse(source, file)
    try:
        tree = ast.fix_missing_locations(_Instrumenter(add_site).visit(tree))
        code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    except RecursionError:  # Python's compiler is nested less deeply than this
        code = compile(source, file, "exec", dont_inherit=True)
    return code


class _Instrumenter(ast.NodeTransformer):
    """Replaces calls, operators and indexing; annotations and patterns stay."""

    def __init__(self, add_site: AddSite):
        self._add_site = add_site

    def _skip(self, node: ast.AST) -> ast.AST:
        return node

    visit_TypeAlias = visit_TypeVar = visit_MatchValue = visit_MatchMapping = visit_MatchClass = (
        _skip
    )

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Leave the annotation of a parameter."""
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave the annotation of what a function returns."""
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Leave the annotation of what a function returns."""
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave the annotation and the target of an assignment."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace a function by what the recorder returns for it."""
        line = node.func.end_lineno or node.lineno
        self.generic_visit(node)
        node.func = self._site_call(CALL, node.func, line, "", None, node.func)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace an operator, unless Python computes it at compile time or formats a text."""
        first, second = node.left, node.right
        self.generic_visit(node)
        if isinstance(first, ast.Constant) and isinstance(second, ast.Constant):
            return node
        if isinstance(first, ast.Constant | ast.JoinedStr) and not _is_number(first):
            return node
        return self._operator(node, _operation(node.op), node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Replace an operator, unless it has a truth or a sign of a number."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) or isinstance(node.operand, ast.Constant):
            return node
        return self._operator(node, _operation(node.op), node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Replace a comparison; of several in a chain, Python may skip some."""
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in _OPERATORS:
            return node
        return self._operator(node, _operation(node.ops[0]), node.left, node.comparators[0])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Replace reading an element."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return self._operator(node, (ITEM, operator.getitem), node.value, _index(node.slice))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Replace storing an element."""
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
            return node
        return self._store(node, node.value, target.value, _index(target.slice))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """Replace an operator that writes to its first operand."""
        self.generic_visit(node)
        target, before, names = node.target, list[ast.stmt](), list[str]()

        def keep(part: ast.expr) -> ast.expr:
            """Evaluate a part of the target once, before all others."""
            names.append(f"__halfcl_{len(names)}__")
            store = ast.Assign([ast.Name(names[-1], ast.Store())], part)
            before.append(ast.copy_location(store, node))
            return ast.copy_location(ast.Name(names[-1], ast.Load()), part)

        def compute(first: ast.expr) -> ast.expr:
            operation = _operation(node.op, is_in_place=True)
            return self._operator(node, operation, ast.copy_location(first, node), node.value)

        last: ast.stmt
        if isinstance(target, ast.Subscript):
            array, index = keep(target.value), keep(_index(target.slice))
            item = self._operator(node, (ITEM, operator.getitem), array, index)
            last = self._store(node, compute(item), array, index)
        elif isinstance(target, ast.Attribute):
            target.value = keep(target.value)
            value = compute(ast.Attribute(target.value, target.attr, ast.Load()))
            last = ast.copy_location(ast.Assign([target], value), node)
        else:
            value = compute(ast.Name(target.id, ast.Load()))
            last = ast.copy_location(ast.Assign([target], value), node)
        if not names:
            return last
        forget = ast.Delete([ast.Name(name, ast.Del()) for name in names])
        return [*before, last, ast.copy_location(forget, node)]

    def _store(self, node: ast.stmt, value: ast.expr, array: ast.expr, index: ast.expr) -> ast.stmt:
        """Return a statement that stores an element, and computes the value first."""
        call = self._site_call(
            STORE, node, node.lineno, STORE_ITEM, operator.setitem, value, array, index
        )
        return ast.copy_location(ast.Expr(call), node)

    def _operator(
        self, node: ast.expr | ast.stmt, operation: tuple[str, Function], *operands: ast.expr
    ) -> ast.expr:
        name, function = operation
        return self._site_call(OPERATE, node, node.lineno, name, function, *operands)

    def _site_call(
        self, helper: str, node: ast.expr | ast.stmt, line: int, name: str,
        function: Function | None, *operands: ast.expr,
    ) -> ast.expr:  # fmt: skip
        number = ast.Constant(self._add_site(line, name, function))
        call = ast.Call(ast.Name(helper, ast.Load()), [number, *operands], [])
        return ast.copy_location(call, node)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)


def _index(index: ast.expr) -> ast.expr:
    """Return an index as an expression, in which slices are calls."""
    if isinstance(index, ast.Tuple):
        return ast.copy_location(ast.Tuple([*map(_index, index.elts)], ast.Load()), index)
    if not isinstance(index, ast.Slice):
        return index
    parts = [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)]
    return ast.copy_location(ast.Call(ast.Name(SLICE, ast.Load()), parts, []), index)
