"""Places that are read and then written, whose text has side effects: a pointer names them once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.types import Vector
from halfcl.cl._translation.target import Target, is_plain


class Place(NamedTuple):
    """The text of a place, and what stands before and behind an expression that uses it."""

    text: str
    begin: str = ""
    end: str = ""


def place_of(
    target: Target, node: tree.Expression, text_of: Callable[[tree.Expression], str]
) -> Place:
    """Return a place in statements in parentheses. text_of: returns a node's translated text."""
    if is_plain(node):
        return Place(text_of(node), "({ ", "; })")
    base, components = node, ""
    if isinstance(node, tree.Swizzle):
        base, components = node.base, "".join(f"{index:x}" for index in node.indices)
        if max(node.indices) >= base.type.width:
            target.refuse(node, "an assignment to the fourth of three components")
    if _is_component(base):
        target.refuse(node, "a component by an index with side effects: name it first")
    words = ["volatile"] * base.is_volatile + [_space_of(base)]
    kind = " ".join([*filter(None, words), target.type(base.type)])
    text = f"(*hc_place).s{components}" if components else "*hc_place"
    return Place(text, f"({{ {kind} *hc_place = &({text_of(base)}); ", "; })")


def _is_component(node: tree.Expression) -> bool:
    """Return whether it is an element of a vector, which has no address."""
    if not isinstance(node, tree.Dereference) or not isinstance(node.pointer, tree.PointerStep):
        return False
    pointer = node.pointer.pointer
    return isinstance(pointer, tree.AddressOf) and isinstance(pointer.target.type, Vector)


def _space_of(node: tree.Expression) -> str:
    """Return the word for a place's address space."""
    while isinstance(node, tree.Member):
        node = node.base
    if isinstance(node, tree.Dereference):
        space = str(getattr(node.pointer.type, "space", "private"))
        return "" if space == "generic" else space
    return node.declaration.space if isinstance(node, tree.Variable) else "private"
