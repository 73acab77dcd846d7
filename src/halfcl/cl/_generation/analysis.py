"""What the tree tells before code is written: who may leave where, and what is harmless."""

from __future__ import annotations

from typing import TypeGuard

from halfcl.cl import _tree as tree
from halfcl.cl._calls import involves_other_items
from halfcl.cl._types import BOOL, Scalar, Type, Vector

COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")

#: What may be evaluated for items that do not ask for it.
HARMLESS = (
    tree.Literal, tree.Variable, tree.Unary, tree.Binary, tree.Logical, tree.Conversion,
    tree.Splat, tree.Swizzle, tree.VectorLiteral,
)  # fmt: skip


def has(node: tree.Node, kind: type) -> bool:
    """Whether there is a node of that kind in it."""
    return any(isinstance(found, kind) for found in tree.walk(node))


def is_watched(node: tree.Node) -> bool:
    """Whether a checked launch looks at its operands: a division of integers, or a conversion of a
    floating number to one."""
    if isinstance(node, tree.Binary):
        return node.operator in ("/", "%") and not node.type.is_floating
    if not isinstance(node, tree.Conversion):
        return False
    source, target = node.operand.type, node.type
    return is_narrowing(source, target)


def is_narrowing(source: Type, target: Type) -> bool:
    """Whether floating numbers become integers, of which there may be none."""
    return (
        isinstance(source, Scalar | Vector)
        and isinstance(target, Scalar | Vector)
        and source.is_floating
        and not target.is_floating
        and target.element != BOOL
    )


def mentions(node: tree.Node, declaration: tree.Declaration) -> bool:
    """Whether a variable is named in it."""
    return any(
        isinstance(n, tree.Variable) and n.declaration is declaration for n in tree.walk(node)
    )


def may_leave(node: tree.Node, loops: bool = False, switches: bool = False) -> bool:
    """Whether items that come in may not come out at its end.

    loops: seen from the loop that it is the body of, whose breaks count; switches likewise.
    """
    if isinstance(node, tree.Return | tree.Continue):
        return True
    if isinstance(node, tree.Break):
        return not switches
    if isinstance(node, tree.Loop):
        return has(node, tree.Return)
    if isinstance(node, tree.Switch):
        return any(may_leave(s, switches=True) for part in node.sections for s in part.statements)
    if isinstance(node, tree.Expression):
        return False
    return any(may_leave(child, loops, switches) for child in node.children())


def continues(node: tree.Node) -> bool:
    """Whether a continue in it is of the loop that it is the body of."""
    if isinstance(node, tree.Continue):
        return True
    if isinstance(node, tree.Loop | tree.Expression):
        return False
    return any(continues(child) for child in node.children())


def acts_alone(node: tree.Node, known: dict[int, bool]) -> bool:
    """Whether each item does it by itself, and comes out of it: some can do it before others.

    known: the functions of the program of which it is known, by id.
    """
    return not any(isinstance(found, tree.Return) for found in tree.walk(node)) and _asks_nobody(
        node, known
    )


def _asks_nobody(node: tree.Node, known: dict[int, bool]) -> bool:
    for found in tree.walk(node):
        if isinstance(found, tree.BuiltinCall) and involves_other_items(found.name):
            return False
        if isinstance(found, tree.Call) and not _stays_alone(found.function, known):
            return False
    return True


def _stays_alone(function: tree.Function, known: dict[int, bool]) -> bool:
    if id(function) not in known:
        known[id(function)] = function.body is None or _asks_nobody(function.body, known)
    return known[id(function)]


def assigned(node: tree.Node) -> list[tree.Declaration]:
    """Variables that are named where it assigns."""
    found = []
    for each in tree.walk(node):
        if isinstance(each, tree.Assignment | tree.CompoundAssignment | tree.Increment):
            target = each.target
            while isinstance(target, tree.Swizzle | tree.Member):
                target = target.base
            if isinstance(target, tree.Variable):
                found.append(target.declaration)
    return found


def declared(node: tree.Node) -> list[tree.Declaration]:
    """Variables that are its own."""
    found = []
    for each in tree.walk(node):
        if isinstance(each, tree.Declare | tree.Switch):
            found += each.variables
    return found


def compares_scalars(node: tree.Node) -> TypeGuard[tree.Binary]:
    """Whether it gives one truth for each item."""
    return (
        isinstance(node, tree.Binary)
        and node.operator in COMPARISONS
        and not isinstance(node.left.type, Vector)
    )


def may_end(function: tree.Function) -> bool:
    """Whether its end may be reached, and not only a return."""
    statements = function.body.statements if function.body else []
    return not statements or not isinstance(statements[-1], tree.Return)


class Named(tree.Expression):
    """A value that has a name already. is_packed: of a pointer, what it points to."""

    def __init__(self, at: int, type_: Type, name: str, is_packed: bool) -> None:
        super().__init__(at, type_)
        self.name, self.is_packed = name, is_packed


def is_packed(node: tree.Expression | None) -> bool:
    """Whether it lies in a structure that keeps no alignment."""
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
    """The array or vector that has it, if that is named and not pointed to; else None."""
    node = element.pointer
    while isinstance(node, tree.PointerStep | tree.Reinterpretation):
        node = node.pointer if isinstance(node, tree.PointerStep) else node.operand
    return node.target if isinstance(node, tree.AddressOf) else None
