"""Truths, and what is evaluated for some items alone."""

from __future__ import annotations

from halfcl.cl import _integers as integers, _tree as tree, _types as types
from halfcl.cl._generation.analysis import HARMLESS, compares_scalars, is_watched
from halfcl.cl._generation.assignment import blended
from halfcl.cl._generation.writer import Values, Writer
from halfcl.cl._types import Pointer, Scalar


def condition(out: Writer, node: tree.Expression) -> str:
    """A bool, or an array of them."""
    return out.shallow(_truth_of(out, node))


def _truth_of(out: Writer, node: tree.Expression) -> str:
    if compares_scalars(node):
        return compared(out, node)
    if isinstance(node, tree.Logical):
        return logical(out, node)
    if isinstance(node, tree.Unary) and node.operator == "!" and isinstance(node.type, Scalar):
        inner = condition(out, node.operand)
        return f"logical_not({inner})"
    if isinstance(node.type, Pointer):
        return f"run.is_not_null({out.value(node)})"
    return f"truth({out.value(node)})"


def compared(out: Writer, node: tree.Binary) -> str:
    """A comparison of numbers or of pointers, as a bool or an array of them."""
    left, right = out.operands(node.left, node.right)
    if isinstance(node.left.type, Pointer):
        return f"run.compare({node.operator!r}, {left}, {right})"
    return f"{out.module.operation(node.operator, node.left.type, 'rte')}({left}, {right})"


def striped(out: Writer, node: tree.Expression) -> str:
    """A condition, as a Stripe where one coordinate of the items tells."""
    if (
        not compares_scalars(node)
        or not isinstance(node.left.type, Scalar)
        or (node.left.type.is_floating)
    ):
        return condition(out, node)
    left, right = out.operands(node.left, node.right)
    key = node.operator, node.left.type
    compare = out.module.bind("op", ("striped", *key), lambda: integers.stripe_comparison(*key))
    return out.shallow(f"{compare}({left}, {right})")


def is_safe(out: Writer, node: tree.Node) -> bool:
    """Whether it does no harm to evaluate it for items that do not ask for it."""
    return all(
        isinstance(found, HARMLESS)
        and not (out.module.checks and is_watched(found))
        and not (isinstance(found, tree.Variable) and out.is_stored(found.declaration))
        for found in tree.walk(node)
    )


def logical(out: Writer, node: tree.Logical) -> str:
    """Of the right operand only what is reached is evaluated."""
    left = condition(out, node.left)
    combine = "logical_and" if node.operator == "&&" else "logical_or"
    if out.module.contracting != "watched" and is_safe(out, node.right):
        return f"{combine}({left}, {condition(out, node.right)})"
    before, found = out.new("m"), out.new("t")
    first = out.temporary(left)
    out.line(f"{before} = m")
    wanted = first if node.operator == "&&" else f"logical_not({first})"
    out.line(f"m = narrow(m, {wanted})")
    out.line(f"{found} = {first}")
    with out.indented("if m is not DEAD:"), out.inner_region():
        right = condition(out, node.right)
        out.line(f"{found} = {combine}({first}, {right})")
    out.line(f"m = {before}")
    return found


def _logical_value(out: Writer, node: tree.Logical) -> str:
    return f"int_from_truth({logical(out, node)})"


def conditional(out: Writer, node: tree.Conditional) -> str:
    """As an if has it; of a ? b : c ? d : e one after the other."""
    before, chosen, others = out.new("m"), out.new("m"), out.new("m")
    found = out.new("t")
    out.line(f"{before} = m")
    out.line(f"{found} = None")
    out.line(f"{chosen}, {others} = split(m, {condition(out, node.condition)})")
    choice(out, node.yes, chosen, before, found)
    while isinstance(node.no, tree.Conditional):
        node = node.no
        out.line(f"m = {others}")
        out.line(f"{chosen} = DEAD")
        with out.indented("if m is not DEAD:"), out.inner_region():
            out.line(f"{chosen}, {others} = split(m, {condition(out, node.condition)})")
        choice(out, node.yes, chosen, before, found)
    choice(out, node.no, others, before, found)
    out.line(f"m = {before}")
    return found


def choice(out: Writer, node: tree.Expression, mask: str, before: str, found: str) -> None:
    """What is found for who is in the mask, beside what was for others."""
    with out.indented(f"if {mask} is not DEAD:"), out.inner_region():
        out.line(f"m = {mask}")
        value = out.value(node)
        if node.type == types.VOID:
            out.line(value if "(" in value else "pass")
        else:
            value = out.temporary(value)
            joined = blended(out, node.type, before, value, found)
            out.line(f"{found} = {value} if {found} is None else {joined}")


VALUES: Values = {
    tree.Logical: _logical_value,
    tree.Conditional: conditional,
}
