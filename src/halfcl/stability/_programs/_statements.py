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
        The variable that it assigns to; of a sum any target; empty if it is no simple one.
    definitions : tuple of (str, ast.expr)
        Variables of the expression that a blamed statement before has computed, and from what.
    is_sum : bool
        Whether it adds the expression to its target, in a loop.
    sign : int
        Of what it adds.
    is_used : bool
        Whether the loop has a use for such a sum before it ends.
    total : str
        What the sum is read from: its target, or the element before in y[k + 1] = y[k] + dy.
    """

    file: str
    line: int
    expression: ast.expr
    target: str = ""
    definitions: tuple[tuple[str, ast.expr], ...] = ()
    is_sum: bool = False
    sign: int = 1
    is_used: bool = False
    total: str = ""

    def names(self) -> tuple[str, ...]:
        """All variables, modules and functions whose values are wanted."""
        trees: list[ast.AST] = [self.expression, *(tree for _, tree in self.definitions)]
        if self.is_sum:
            trees.insert(0, ast.parse(self.total))
        return tuple(dict.fromkeys(name for tree in trees for name in names_in(tree)))


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
        if isinstance(target, ast.Subscript):
            history = _history(file, block, node, target)
            return history or Statement(file, node.lineno, node.value)
        name = target.id if isinstance(target, ast.Name) else ""
        added = _added(name, node.value) if name and block.loop_of(node) else None
        if added is not None:
            used = block.is_used(name, node)
            return Statement(file, node.lineno, added[0], name, (), True, added[1], used, name)
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
    return Statement(file, node.lineno, node.value, name, (), True, sign, used, name)


def _history(file: str, block: _Block, node: ast.Assign, target: ast.Subscript) -> Statement | None:
    """A sum of which an array keeps each step: y[k + 1] = y[k] + dy, also where y[k] has a name."""
    loop = block.loop_of(node)
    if loop is None or not isinstance(target.value, ast.Name):
        return None
    steps = {ast.unparse(target)}  # what is no earlier element
    for one, other, sign in _sides(node.value):
        read = _named_in(loop, one.id) if isinstance(one, ast.Name) else one
        if _is_element(read, target.value.id) and ast.unparse(read) not in steps:
            return Statement(
                file, node.lineno, other, ast.unparse(target), (), True, sign, True,
                ast.unparse(one),
            )  # fmt: skip
    return None


def _named_in(loop: ast.For | ast.While, name: str) -> ast.expr:
    """What a loop assigns to a variable, if it does so once; the variable otherwise."""
    found = [
        node.value
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign)
        and any(isinstance(part, ast.Name) and part.id == name for part in node.targets)
    ]
    return found[0] if len(found) == 1 else ast.Name(name, ast.Load())


def _is_element(node: ast.expr, name: str) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    )


def _added(name: str, value: ast.expr) -> tuple[ast.expr, int] | None:
    """What ``name = name + expression`` adds, and the sign; None of any other value."""
    for one, other, sign in _sides(value):
        if isinstance(one, ast.Name) and one.id == name and name not in names_in(other):
            return other, sign
    return None


def _sides(value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """What is added to, what is added, and its sign: both ways of a sum, one of a difference."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
        return
    yield value.left, value.right, 1 if isinstance(value.op, ast.Add) else -1
    if isinstance(value.op, ast.Add):
        yield value.right, value.left, 1


def _inside(expression: ast.expr) -> ast.expr:
    """The argument of a call of one argument such as print(x), if that computes more."""
    if not isinstance(expression, ast.Call) or len(expression.args) != 1:
        return expression
    is_plain = isinstance(expression.func, ast.Name) and expression.func.id in _PASSING
    return expression.args[0] if is_plain else expression
