"""Code of floating operations on scalars, whose operands and results may stay in memory."""

from __future__ import annotations

from typing import NamedTuple

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.fusion import Fusion, find_fusion
from halfcl.cl._frontend.types import Scalar
from halfcl.cl._interpreter import builtins, contraction
from halfcl.cl._interpreter.generation.analysis import is_packed
from halfcl.cl._interpreter.generation.expressions.places import APPLY, as_load, as_view, is_view
from halfcl.cl._interpreter.generation.writer import Writer

#: The name of `numbers.copy_value` in generated code.
_SAME = "copy_value"


class Operation(NamedTuple):
    """A function and its operands, which are numbers or views of memory."""

    function: str
    operands: list[str]

    def __str__(self) -> str:
        if self.function == _SAME:
            return as_load(self.operands[0])
        arguments = ", ".join(self.operands)
        if any(map(is_view, self.operands)):
            return f"{APPLY}{self.function}, {arguments})"
        return f"{self.function}({arguments})"


def operation(out: Writer, node: tree.Expression) -> Operation | None:
    """Return an operation on scalars; None for others and in checked code, which observes loads."""
    if out.module.checks or not isinstance(node.type, Scalar) or not node.type.is_floating:
        return None
    if isinstance(node, tree.Binary):
        fusion = find_fusion(node) if out.module.contracting != "never" else None
        if fusion is None:
            function = out.module.operation(node.operator, node.type, node.rounding)
            return Operation(function, _operands(out, node.left, node.right))
        if out.module.contracting == "always":
            values = fusion.factors_first(_operands(out, *fusion.operands))
            return Operation(fma(out, node, fusion), values)
    if isinstance(node, tree.BuiltinCall) and node.name == "fma":
        return Operation(builtin(out, node), _operands(out, *node.arguments))
    return None


def copy_operation(out: Writer, node: tree.Expression) -> Operation | None:
    """Return a load that is stored at once, as an operation."""
    if out.module.checks or not isinstance(node, tree.Dereference) or is_packed(node):
        return None
    if not isinstance(node.type, Scalar) or not node.type.is_floating:
        return None
    return Operation(_SAME, _operands(out, node))


def fma(out: Writer, node: tree.Binary, fusion: Fusion) -> str:
    """Return the function of a fusion's operands."""
    mode = out.module.mode(node.rounding, node.type)
    key = (node.type.element, mode, *fusion[2:])
    return out.module.bind("fma", key, lambda: contraction.make_fma(fusion, node, mode))


def builtin(out: Writer, node: tree.BuiltinCall) -> str:
    """Return the function that a call refers to."""
    signature = tuple(argument.type for argument in node.arguments)
    rounded_type, family = None, node.builtin.family
    if node.builtin.parts.get("type") == "half":  # convert_half
        rounded_type = node.type
    elif family in ("math", "geometric"):  # to nearest, or stochastic rounding of halves
        rounded_type = node.arguments[0].type
    mode = out.module.mode(node.rounding, rounded_type)
    return out.module.bind(
        node.name, (signature, mode), lambda: builtins.find(node.name, signature, node.type, mode)
    )


def _operands(out: Writer, *nodes: tree.Expression) -> list[str]:
    """Return operands as views; loads still pending when all are written see no later changes."""
    return list(map(as_view, out.operands(*nodes)))
