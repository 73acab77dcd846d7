"""Analysis of the tree before code generation: control flow, side effects and alignment."""

from __future__ import annotations

from typing import TypeGuard

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.arithmetic import COMPARISONS
from halfcl.cl._frontend.types import BOOL, INT, Scalar, Type, Vector

#: Expressions that may be evaluated for inactive items.
HARMLESS = (
    tree.Literal, tree.Variable, tree.Unary, tree.Binary, tree.Logical, tree.Conversion,
    tree.Splat, tree.Swizzle, tree.VectorLiteral,
)  # fmt: skip


def has_node(node: tree.Node, kind: type) -> bool:
    """Return whether a tree contains a node of a kind."""
    return any(isinstance(each, kind) for each in tree.walk(node))


def is_watched(node: tree.Node) -> bool:
    """Return whether a checked launch observes its operands.

    These are divisions of integers, and conversions of floating numbers to integers.
    """
    if isinstance(node, tree.Binary):
        return node.operator in ("/", "%") and not node.type.is_floating
    if not isinstance(node, tree.Conversion):
        return False
    source, target = node.operand.type, node.type
    return is_narrowing(source, target)


def is_narrowing(source: Type, target: Type) -> bool:
    """Return whether floating numbers are converted to integers, which may be out of range."""
    return (
        isinstance(source, Scalar | Vector)
        and isinstance(target, Scalar | Vector)
        and source.is_floating
        and not target.is_floating
        and target.element != BOOL
    )


def has_variable(node: tree.Node, declaration: tree.Declaration) -> bool:
    """Return whether a variable occurs in it."""
    return any(
        isinstance(n, tree.Variable) and n.declaration is declaration for n in tree.walk(node)
    )


def has_continue(node: tree.Node) -> bool:
    """Return whether a loop's body contains a continue of that loop."""
    if isinstance(node, tree.Continue):
        return True
    if isinstance(node, tree.Loop | tree.Expression):
        return False
    return any(has_continue(child) for child in node.children())


def acts_alone(node: tree.Node, known: dict[int, bool]) -> bool:
    """Return whether items execute it independently and reach its end, so some can run first.

    known: results for functions, by id.
    """
    return not any(isinstance(each, tree.Return) for each in tree.walk(node)) and _is_independent(
        node, known
    )


def _is_independent(node: tree.Node, known: dict[int, bool]) -> bool:
    for each in tree.walk(node):
        if isinstance(each, tree.BuiltinCall) and each.builtin.convergence != "none":
            return False
        if isinstance(each, tree.Call) and not _is_independent_function(each.function, known):
            return False
    return True


def _is_independent_function(function: tree.Function, known: dict[int, bool]) -> bool:
    if id(function) not in known:
        known[id(function)] = function.body is None or _is_independent(function.body, known)
    return known[id(function)]


def assigned_variables(node: tree.Node) -> list[tree.Declaration]:
    """Return the variables that it assigns to."""
    variables = []
    for each in tree.walk(node):
        if isinstance(each, tree.Assignment | tree.CompoundAssignment | tree.Increment):
            target = each.target
            while isinstance(target, tree.Swizzle | tree.Member):
                target = target.base
            if isinstance(target, tree.Variable):
                variables.append(target.declaration)
    return variables


def declared_variables(node: tree.Node) -> list[tree.Declaration]:
    """Return the variables that it declares."""
    variables = []
    for each in tree.walk(node):
        if isinstance(each, tree.Declare | tree.Switch):
            variables += each.variables
    return variables


def compares_scalars(node: tree.Node) -> TypeGuard[tree.Binary]:
    """Return whether its result is one bool per item."""
    return (
        isinstance(node, tree.Binary)
        and node.operator in COMPARISONS
        and not isinstance(node.left.type, Vector)
    )


def can_end(function: tree.Function) -> bool:
    """Return whether a function may end without a return."""
    statements = function.body.statements if function.body else []
    return not statements or not isinstance(statements[-1], tree.Return)


def enclose_after_guards(statements: list[tree.Node], most: int = 2) -> list[tree.Node]:
    """Return a function's statements with those after `if (c) return;` within `if (!c) {...}`.

    The items that remain may be run as a block then. most: how many guards are replaced.
    """
    for index, node in enumerate(statements):
        if most and _is_guard(node):
            test, _ = node.branches[0]
            rest = enclose_after_guards(statements[index + 1 :], most - 1)
            remains = tree.Unary(test.at, INT, "!", test)
            return [
                *statements[:index],
                tree.If(node.at, [(remains, tree.Block(node.at, rest))], None),
            ]
        if isinstance(node, tree.Return) or has_node(node, tree.Return):
            break
    return statements


def _is_guard(node: tree.Node) -> TypeGuard[tree.If]:
    """Return whether it is an if whose one branch is a return without a value."""
    if not isinstance(node, tree.If) or len(node.branches) > 1 or node.otherwise is not None:
        return False
    yes: tree.Node = node.branches[0][1]
    while isinstance(yes, tree.Block) and len(yes.statements) == 1:
        yes = yes.statements[0]
    return isinstance(yes, tree.Return) and yes.value is None


class Named(tree.Expression):
    """A value that already has a name. is_packed: whether what a pointer points to is packed."""

    def __init__(self, at: int, type_: Type, name: str, is_packed: bool) -> None:
        super().__init__(at, type_)
        self.name, self.is_packed = name, is_packed


def is_packed(node: tree.Expression | None) -> bool:
    """Return whether it lies in a structure without alignment."""
    while True:
        if isinstance(node, tree.Member):
            align = node.type.align
            if node.field.offset % align or node.base.type.align % align:
                return True
            node = node.base
        elif isinstance(node, tree.Dereference):
            if isinstance(node.pointer, Named):
                return node.pointer.is_packed
            node = _array_of(node)
        else:
            return False


def _array_of(element: tree.Dereference) -> tree.Expression | None:
    """Return the array or vector that contains an element, unless it is pointed to."""
    node = element.pointer
    while isinstance(node, tree.PointerStep | tree.Reinterpretation):
        node = node.pointer if isinstance(node, tree.PointerStep) else node.operand
    return node.target if isinstance(node, tree.AddressOf) else None
