"""Implicit conversions of values, addresses, and components."""

from __future__ import annotations

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.parsing.parser import Parser
from halfcl.cl._frontend.types import Array, Opaque, Pointer, Scalar, Type, Vector


def convert(parser: Parser, operand: tree.Expression, type_: Type, at: int) -> tree.Expression:
    """Convert a value to another type as C does implicitly."""
    source = operand.type
    type_ = decay_type(type_, operand)
    if source == type_:
        return operand
    if isinstance(source, Array) and isinstance(type_, Pointer):
        return address(operand, at, type_)
    if isinstance(type_, Pointer) or isinstance(source, Pointer):
        if type_ == types.BOOL:
            null = tree.Literal(at, source, 0)
            return tree.Binary(at, types.INT, "!=", operand, null, "rte", False)
        return tree.Reinterpretation(at, type_, operand)
    if isinstance(type_, Opaque) or isinstance(source, Opaque):
        return tree.Reinterpretation(at, type_, operand)
    if isinstance(type_, Vector) and isinstance(source, Scalar):
        return tree.Splat(at, type_, convert(parser, operand, type_.element, at))
    if isinstance(type_, Vector) and isinstance(source, Vector):
        return tree.Reinterpretation(at, type_, operand)
    return tree.Conversion(at, type_, operand, parser.pragmas.rounding.at(at))


def decay_type(type_: Type, *operands: tree.Expression) -> Type:
    """Return the pointer type of an operand that clang's interface calls an array."""
    if not isinstance(type_, Array):
        return type_
    for operand in operands:
        if isinstance(operand.type, Pointer):
            return operand.type
        if isinstance(operand.type, Scalar):  # a null pointer
            return Pointer(type_.element, "private")
    return type_


def address(target: tree.Expression, at: int, type_: Type) -> tree.Expression:
    """Return the address of a value, whose variable must then lie in memory."""
    if isinstance(target, tree.Dereference):
        return tree.Reinterpretation(at, type_, target.pointer)
    root = target
    while isinstance(root, tree.Member | tree.Swizzle):
        root = root.base
    if isinstance(root, tree.Variable):
        root.declaration.in_memory = True
    return tree.AddressOf(at, type_, target)


def swizzle(
    base: tree.Expression, indices: tuple[int, ...], at: int, type_: Type
) -> tree.Expression:
    """Return components of a vector; v.hi.x becomes a component of v.

    Of three components there may be a fourth, which is undefined.
    """
    if isinstance(base, tree.Swizzle):
        beyond = base.base.type.width
        indices = tuple(base.indices[i] if i < base.type.width else beyond for i in indices)
        base = base.base
    return tree.Swizzle(at, type_, base, indices)
