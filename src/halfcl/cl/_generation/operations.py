"""Operations on floating numbers, item by item: what they read and write may stay where it lies."""

from __future__ import annotations

from typing import NamedTuple

from halfcl.cl import _builtins as builtins, _contraction as contraction, _tree as tree
from halfcl.cl._generation.analysis import is_packed
from halfcl.cl._generation.places import VIEW, as_load, as_view
from halfcl.cl._generation.writer import Writer
from halfcl.cl._types import Scalar

#: `numbers.copy_value`.
_SAME = "copy_value"


class Operation(NamedTuple):
    """A function and what it is called with, which are numbers, or views of what lies in memory."""

    function: str
    operands: list[str]

    def __str__(self) -> str:
        if self.function == _SAME:
            return as_load(self.operands[0])
        arguments = ", ".join(self.operands)
        if any(operand.startswith(VIEW) for operand in self.operands):
            return f"run.apply({self.function}, {arguments})"
        return f"{self.function}({arguments})"


def operation(out: Writer, node: tree.Expression) -> Operation | None:
    """None of all else: of vectors, and in checked code, which looks at all loads."""
    if out.module.checks or not isinstance(node.type, Scalar) or not node.type.is_floating:
        return None
    if isinstance(node, tree.Binary):
        fusion = contraction.find_fusion(node) if out.module.contracting != "never" else None
        if fusion is None:
            function = out.module.operation(node.operator, node.type, node.rounding)
            return Operation(function, _operands(out, node.left, node.right))
        if out.module.contracting == "always":
            values = fusion.factors_first(_operands(out, *fusion.operands))
            return Operation(fma(out, node, fusion), values)
    if isinstance(node, tree.BuiltinCall) and node.name == "fma":
        return Operation(builtin(out, node), _operands(out, *node.arguments))
    return None


def moved(out: Writer, node: tree.Expression) -> Operation | None:
    """A number that is read, for who stores it at once."""
    if out.module.checks or not isinstance(node, tree.Dereference) or is_packed(node):
        return None
    if not isinstance(node.type, Scalar) or not node.type.is_floating:
        return None
    return Operation(_SAME, _operands(out, node))


def fma(out: Writer, node: tree.Binary, fusion: contraction.Fusion) -> str:
    """A function of the fusion's operands."""
    mode = out.module.mode(node.rounding, node.type)
    key = (node.type.element, mode, *fusion[2:])
    return out.module.bind("fma", key, lambda: contraction.make_fma(fusion, node, mode))


def builtin(out: Writer, node: tree.BuiltinCall) -> str:
    """The function that it calls."""
    signature = tuple(argument.type for argument in node.arguments)
    governed = None
    if node.name.startswith("convert_half"):
        governed = node.type
    elif node.name in builtins.OF_NUMBERS:  # to nearest, but at random where halves are
        governed = node.arguments[0].type
    mode = out.module.mode(node.rounding, governed)
    return out.module.bind(
        node.name,
        (signature, mode),
        lambda: builtins.find(node.name, signature, node.type, mode),
    )


def _operands(out: Writer, *nodes: tree.Expression) -> list[str]:
    """What is still a load when all of them are written comes after what may change memory."""
    return list(map(as_view, out.operands(*nodes)))
