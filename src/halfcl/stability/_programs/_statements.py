"""The statements of a program that a blamed line has a part in."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field

#: Statements of one function that follow a blamed one and are looked at.
_MOST_AFTER = 6


#: Functions whose argument is what a line computes.
_PASSING = ("float", "list", "print", "tuple")


@dataclass(frozen=True)
class Statement:
    """A statement that computes one expression.

    Attributes
    ----------
    file, line : str, int
        Where it begins.
    expression : ast.expr
        What it computes.
    target : str
        The variable that it assigns to; empty if it is no simple one.
    definitions : tuple of (str, ast.expr)
        Variables of the expression that a blamed statement before has computed, and from what.
    is_sum : bool
        Whether it adds the expression to its target, in a loop.
    sign : int
        Of what it adds.
    is_used : bool
        Whether the loop has a use for such a sum before it ends.
    """

    file: str
    line: int
    expression: ast.expr
    target: str = ""
    definitions: tuple[tuple[str, ast.expr], ...] = ()
    is_sum: bool = False
    sign: int = 1
    is_used: bool = False

    def names(self) -> tuple[str, ...]:
        """All variables, modules and functions whose values are wanted."""
        trees = [self.expression, *(tree for _, tree in self.definitions)]
        own = [self.target] if self.is_sum else []
        return tuple(dict.fromkeys(own + [name for tree in trees for name in names_in(tree)]))


def names_in(tree: ast.AST) -> list[str]:
    """The names in a piece of code."""
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


@dataclass
class _Block:
    """The statements of one function, or of a module, in the order of the source."""

    simple: list[ast.stmt] = field(default_factory=list)
    loops: dict[int, ast.For | ast.While] = field(default_factory=dict)  # by statement

    def loop_of(self, node: ast.stmt) -> ast.For | ast.While | None:
        """The innermost loop around a statement."""
        return self.loops.get(id(node))

    def is_used(self, name: str, node: ast.stmt) -> bool:
        """Whether the loop around a statement has another that reads a variable."""
        loop = self.loop_of(node)
        inside = {id(part) for part in ast.walk(node)}
        return loop is not None and any(
            isinstance(part, ast.Name) and part.id == name and id(part) not in inside
            for part in ast.walk(loop)
        )


def statements(file: str, line: int) -> list[Statement]:
    """What computes on a line, and what goes on with its result.

    Parameters
    ----------
    file, line : str, int

    Returns
    -------
    list of Statement
        Empty where there is no source, or nothing simple on the line.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    for block in _blocks(tree):
        for k, node in enumerate(block.simple):
            if node.lineno <= line <= (node.end_lineno or node.lineno):
                return list(_from(file, block, k))
    return []


def _blocks(tree: ast.AST) -> Iterator[_Block]:
    """A block for the module, and for each function in it."""
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


def _from(file: str, block: _Block, k: int) -> Iterator[Statement]:
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
        return Statement(file, node.lineno, _inside(node.value))
    if isinstance(node, ast.AugAssign):
        return _augmented(file, block, node)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        name = target.id if isinstance(target, ast.Name) else ""
        added = _added(name, node.value) if name and block.loop_of(node) else None
        if added is not None:
            used = block.is_used(name, node)
            return Statement(file, node.lineno, added[0], name, (), True, added[1], used)
        return Statement(file, node.lineno, node.value, name)
    return None


def _augmented(file: str, block: _Block, node: ast.AugAssign) -> Statement | None:
    if not isinstance(node.op, ast.Add | ast.Sub) or not isinstance(node.target, ast.Name):
        return None
    sign = 1 if isinstance(node.op, ast.Add) else -1
    name = node.target.id
    if not block.loop_of(node) or name in names_in(node.value):
        whole = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
        return Statement(file, node.lineno, whole, name)
    used = block.is_used(name, node)
    return Statement(file, node.lineno, node.value, name, (), True, sign, used)


def _added(name: str, value: ast.expr) -> tuple[ast.expr, int] | None:
    """What ``name = name + expression`` adds, and the sign; None of any other value."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
        return None
    sign = 1 if isinstance(value.op, ast.Add) else -1
    pairs = [(value.left, value.right)]
    if sign > 0:
        pairs.append((value.right, value.left))
    for one, other in pairs:
        if isinstance(one, ast.Name) and one.id == name and name not in names_in(other):
            return other, sign
    return None


def _inside(expression: ast.expr) -> ast.expr:
    """The argument of a call of one argument such as print(x), if that computes more."""
    if not isinstance(expression, ast.Call) or len(expression.args) != 1:
        return expression
    is_plain = isinstance(expression.func, ast.Name) and expression.func.id in _PASSING
    return expression.args[0] if is_plain else expression
