"""Finds the statements that contain a line to blame or use its result."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field

#: Limit on the statements after a blamed one that are searched for uses of its result.
_MOST_AFTER = 6


#: Functions that only pass on or show their argument, which is what the line computes.
_PASSING = ("float", "list", "print", "tuple")


@dataclass(frozen=True)
class Statement:
    """A statement that computes one expression."""

    file: str
    line: int  # its first one
    expression: ast.expr
    target: str = ""  # the variable that it assigns to, or any target of a sum; empty for others
    #: Variables of the expression that a blamed statement before has assigned, with their formulas.
    definitions: tuple[tuple[str, ast.expr], ...] = ()
    is_sum: bool = False  # whether it adds the expression to its target in a loop
    sign: int = 1  # of the added expression
    is_used: bool = False  # whether the loop reads the sum before it ends
    #: The variable that contains the sum before the addition: the target, or the element before it
    #: in y[k + 1] = y[k] + dy.
    total: str = ""

    def names(self) -> tuple[str, ...]:
        """Return the names of all variables, modules and functions in its formulas."""
        trees: list[ast.AST] = [self.expression, *(tree for _, tree in self.definitions)]
        if self.is_sum:
            trees.insert(0, ast.parse(self.total))
        return tuple(dict.fromkeys(name for tree in trees for name in names_in(tree)))


def names_in(tree: ast.AST) -> list[str]:
    """Return the names in a syntax tree."""
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


@dataclass
class _Block:
    """The simple statements of a function or module, in the order of the source."""

    simple: list[ast.stmt] = field(default_factory=list)
    loops: dict[int, ast.For | ast.While] = field(default_factory=dict)  # by statement

    def loop_of(self, node: ast.stmt) -> ast.For | ast.While | None:
        """Return the innermost loop around a statement."""
        return self.loops.get(id(node))

    def is_used(self, name: str, node: ast.stmt) -> bool:
        """Return whether the loop around a statement reads a variable elsewhere."""
        loop = self.loop_of(node)
        inside = {id(part) for part in ast.walk(node)}
        return loop is not None and any(
            isinstance(part, ast.Name) and part.id == name and id(part) not in inside
            for part in ast.walk(loop)
        )


def statements(file: str, line: int) -> list[Statement]:
    """Return the statement on a line, and the next ones that use its result.

    There are none without a source, or without a simple statement on the line.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    for block in _blocks(tree):
        for k, node in enumerate(block.simple):
            if node.lineno <= line <= (node.end_lineno or node.lineno):
                return list(_statements_from(file, block, k))
    return []


def _blocks(tree: ast.AST) -> Iterator[_Block]:
    """Yield the blocks of the module and of each function in it."""
    own, inner = _Block(), list[ast.AST]()

    def visit(nodes: list[ast.stmt], loop: ast.For | ast.While | None) -> None:
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner.append(node)
                continue
            bodies = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            bodies += [handler.body for handler in getattr(node, "handlers", [])]
            if not any(bodies):
                own.simple.append(node)
                if loop is not None:
                    own.loops[id(node)] = loop
            for body in bodies:
                visit(body, node if isinstance(node, ast.For | ast.While) else loop)

    visit(getattr(tree, "body", []), None)
    yield own
    for node in inner:
        yield from _blocks(node)


def _statements_from(file: str, block: _Block, k: int) -> Iterator[Statement]:
    first = _statement(file, block, block.simple[k])
    if first is None:
        return
    yield first
    if not first.target or first.is_sum:
        return
    changed: set[str] = set()
    for node in block.simple[k + 1 : k + 1 + _MOST_AFTER]:
        after = _statement(file, block, node)
        if after is not None and first.target in names_in(after.expression):
            if changed & set(names_in(first.expression)):
                return
            yield Statement(
                file, after.line, after.expression, after.target,
                ((first.target, first.expression),),
            )  # fmt: skip
        changed |= {n.id for n in ast.walk(node)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip
        if first.target in changed:
            return


def _statement(file: str, block: _Block, node: ast.stmt) -> Statement | None:
    if isinstance(node, ast.Return | ast.Expr) and node.value is not None:
        return Statement(file, node.lineno, _unwrap_call(node.value))
    if isinstance(node, ast.AugAssign):
        return _augmented_assignment(file, block, node)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            history = _array_sum(file, block, node, target)
            return history or Statement(file, node.lineno, node.value)
        name = target.id if isinstance(target, ast.Name) else ""
        added = _addend(name, node.value) if name and block.loop_of(node) else None
        if added is not None:
            used = block.is_used(name, node)
            return Statement(file, node.lineno, added[0], name, (), True, added[1], used, name)
        return Statement(file, node.lineno, node.value, name)
    return None


def _augmented_assignment(file: str, block: _Block, node: ast.AugAssign) -> Statement | None:
    if not isinstance(node.op, ast.Add | ast.Sub) or not isinstance(node.target, ast.Name):
        return None
    sign = 1 if isinstance(node.op, ast.Add) else -1
    name = node.target.id
    if not block.loop_of(node) or name in names_in(node.value):
        whole = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
        return Statement(file, node.lineno, whole, name)
    used = block.is_used(name, node)
    return Statement(file, node.lineno, node.value, name, (), True, sign, used, name)


def _array_sum(
    file: str, block: _Block, node: ast.Assign, target: ast.Subscript
) -> Statement | None:
    """Return a sum whose steps an array stores: y[k + 1] = y[k] + dy, or with a name for y[k]."""
    loop = block.loop_of(node)
    if loop is None or not isinstance(target.value, ast.Name):
        return None
    steps = {ast.unparse(target)}  # elements that are not earlier ones
    for one, other, sign in _sides(node.value):
        read = _assigned_value(loop, one.id) if isinstance(one, ast.Name) else one
        if _is_element(read, target.value.id) and ast.unparse(read) not in steps:
            return Statement(
                file, node.lineno, other, ast.unparse(target), (), True, sign, True,
                ast.unparse(one),
            )  # fmt: skip
    return None


def _assigned_value(loop: ast.For | ast.While, name: str) -> ast.expr:
    """Return the expression that a loop assigns to a variable, if only once; else the variable."""
    values = [
        node.value
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign)
        and any(isinstance(part, ast.Name) and part.id == name for part in node.targets)
    ]
    return values[0] if len(values) == 1 else ast.Name(name, ast.Load())


def _is_element(node: ast.expr, name: str) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    )


def _addend(name: str, value: ast.expr) -> tuple[ast.expr, int] | None:
    """Return the addend of ``name = name + addend`` and its sign; None for any other value."""
    for one, other, sign in _sides(value):
        if isinstance(one, ast.Name) and one.id == name and name not in names_in(other):
            return other, sign
    return None


def _sides(value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """Yield the total, the addend and its sign, for both orders of a sum or one of a difference."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
        return
    yield value.left, value.right, 1 if isinstance(value.op, ast.Add) else -1
    if isinstance(value.op, ast.Add):
        yield value.right, value.left, 1


def _unwrap_call(expression: ast.expr) -> ast.expr:
    """Return the argument of a call such as print(x), and any other expression as it is."""
    if not isinstance(expression, ast.Call) or len(expression.args) != 1:
        return expression
    is_plain = isinstance(expression.func, ast.Name) and expression.func.id in _PASSING
    return expression.args[0] if is_plain else expression
