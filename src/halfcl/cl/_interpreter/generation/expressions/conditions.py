"""Code of conditions, and of expressions that only some items evaluate."""

from __future__ import annotations

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import Pointer, Scalar
from halfcl.cl._interpreter.generation.analysis import HARMLESS, compares_scalars, is_watched
from halfcl.cl._interpreter.generation.expressions.assignment import blend_values
from halfcl.cl._interpreter.generation.writer import Values, Writer
from halfcl.cl._interpreter.values import integers


def condition(out: Writer, node: tree.Expression) -> str:
    """Return an expression for a bool, or an array of bool."""
    return out.shallow(_truth_of(out, node))


def _truth_of(out: Writer, node: tree.Expression) -> str:
    if compares_scalars(node):
        return comparison(out, node)
    if isinstance(node, tree.Logical):
        return logical(out, node)
    if isinstance(node, tree.Unary) and node.operator == "!" and isinstance(node.type, Scalar):
        inner = condition(out, node.operand)
        return f"logical_not({inner})"
    if isinstance(node.type, Pointer):
        return f"run.is_not_null({out.value(node)})"
    return f"truth({out.value(node)})"


def comparison(out: Writer, node: tree.Binary) -> str:
    """Compare numbers or pointers; the result is a bool or an array of bool."""
    left, right = out.operands(node.left, node.right)
    if isinstance(node.left.type, Pointer):
        return f"run.compare({node.operator!r}, {left}, {right})"
    return f"{out.module.operation(node.operator, node.left.type, 'rte')}({left}, {right})"


#: The comparisons of integers that hold where others do not.
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}


def stripe_condition(out: Writer, node: tree.Expression, holds: bool = True) -> str:
    """Return a condition as a Stripe if it depends on the items' coordinates one by one.

    holds: whether it is to be true, else false.
    """
    if isinstance(node, tree.Unary) and node.operator == "!" and isinstance(node.type, Scalar):
        return stripe_condition(out, node.operand, not holds)
    joins = "&&" if holds else "||"
    if isinstance(node, tree.Logical) and node.operator == joins and is_safe(out, node.right):
        left = stripe_condition(out, node.left, holds)
        return out.shallow(f"stripe_and({left}, {stripe_condition(out, node.right, holds)})")
    if (
        not compares_scalars(node)
        or not isinstance(node.left.type, Scalar)
        or (node.left.type.is_floating)
    ):
        return condition(out, node) if holds else f"logical_not({condition(out, node)})"
    left, right = out.operands(node.left, node.right)
    key = node.operator if holds else _OPPOSITE[node.operator], node.left.type
    compare = out.module.bind("op", ("striped", *key), lambda: integers.stripe_comparison(*key))
    return out.shallow(f"{compare}({left}, {right})")


def is_safe(out: Writer, node: tree.Node) -> bool:
    """Return whether a node may be evaluated for inactive items."""
    return all(
        isinstance(each, HARMLESS)
        and not (out.module.checks and is_watched(each))
        and not (isinstance(each, tree.Variable) and out.is_stored(each.declaration))
        for each in tree.walk(node)
    )


def logical(out: Writer, node: tree.Logical) -> str:
    """Write && or ||; the right operand is evaluated only for items that need it."""
    left = condition(out, node.left)
    combine = "logical_and" if node.operator == "&&" else "logical_or"
    if out.module.contracting != "watched" and is_safe(out, node.right):
        return f"{combine}({left}, {condition(out, node.right)})"
    before, result = out.new("m"), out.new("t")
    first = out.temporary(left)
    out.line(f"{before} = m")
    wanted = first if node.operator == "&&" else f"logical_not({first})"
    out.line(f"m = narrow(m, {wanted})")
    out.line(f"{result} = {first}")
    with out.indent_block("if m is not DEAD:"), out.enter_inner_region():
        right = condition(out, node.right)
        out.line(f"{result} = {combine}({first}, {right})")
    out.line(f"m = {before}")
    return result


def conditional(out: Writer, node: tree.Conditional) -> str:
    """Write a conditional like an if; choices in a row one after the other."""
    before, chosen, others = out.new("m"), out.new("m"), out.new("m")
    result = out.new("t")
    out.line(f"{before} = m")
    out.line(f"{result} = None")
    out.line(f"{chosen}, {others} = split(m, {condition(out, node.condition)})")
    choice(out, node.yes, chosen, before, result)
    while isinstance(node.no, tree.Conditional):
        node = node.no
        out.line(f"m = {others}")
        out.line(f"{chosen} = DEAD")
        with out.indent_block("if m is not DEAD:"), out.enter_inner_region():
            out.line(f"{chosen}, {others} = split(m, {condition(out, node.condition)})")
        choice(out, node.yes, chosen, before, result)
    choice(out, node.no, others, before, result)
    out.line(f"m = {before}")
    return result


def choice(out: Writer, node: tree.Expression, mask: str, before: str, result: str) -> None:
    """Write the evaluation of one choice for the items in the mask."""
    with out.indent_block(f"if {mask} is not DEAD:"), out.enter_inner_region():
        out.line(f"m = {mask}")
        value = out.value(node)
        if node.type == types.VOID:
            out.line(value if "(" in value else "pass")
        else:
            value = out.temporary(value)
            joined = blend_values(out, node.type, before, value, result)
            out.line(f"{result} = {value} if {result} is None else {joined}")


VALUES: Values = {
    tree.Logical: lambda out, node: f"int_from_truth({logical(out, node)})",
    tree.Conditional: conditional,
}
