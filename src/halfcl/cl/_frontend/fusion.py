"""Sums that may be fused with a product: both are rounded once, where FP_CONTRACT allows.

A sum or difference may be fused with an operand that is a product, perhaps negated, of the same
type; parentheses do not matter. The result of an assignment, call or cast is no product any more.
If both operands are products, the left one is fused, as clang does.
"""

from __future__ import annotations

from typing import NamedTuple

from halfcl.cl._frontend import tree


class Fusion(NamedTuple):
    """A sum with a product as operand: fma(a, b, c) with these signs."""

    product: tree.Binary
    addend: tree.Expression
    product_is_left: bool
    negates_product: bool
    negates_addend: bool

    @property
    def operands(self) -> tuple[tree.Expression, tree.Expression, tree.Expression]:
        """The operands in the order of the source."""
        a, b = self.product.left, self.product.right
        return (a, b, self.addend) if self.product_is_left else (self.addend, a, b)

    def factors_first(self, values: list[str]) -> list[str]:
        """Return the values of `operands` in the order of a, b and c."""
        return values if self.product_is_left else [*values[1:], values[0]]


def find_fusion(node: tree.Binary) -> Fusion | None:
    """Return how a sum or difference may be fused; None if it may not."""
    if node.operator not in ("+", "-") or not node.contracts or not node.type.is_floating:
        return None
    subtracts = node.operator == "-"
    if product := _product(node.left):
        return Fusion(product[0], node.right, True, product[1], subtracts)
    if product := _product(node.right):
        return Fusion(product[0], node.left, False, product[1] != subtracts, False)
    return None


def _product(node: tree.Expression) -> tuple[tree.Binary, bool] | None:
    """Return a product and whether it is negated, or None."""
    is_negated = False
    while isinstance(node, tree.Unary) and node.operator == "-":
        node, is_negated = node.operand, not is_negated
    if isinstance(node, tree.Binary) and node.operator == "*" and node.contracts:
        return node, is_negated
    return None
