"""Code of assignments, to variables and to memory."""

from __future__ import annotations

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import Opaque, Pointer, Record, Scalar, Vector
from halfcl.cl._interpreter.generation.analysis import is_packed
from halfcl.cl._interpreter.generation.expressions.operations import (
    Operation,
    copy_operation,
    operation,
)
from halfcl.cl._interpreter.generation.expressions.places import (
    is_in_memory,
    pointer_to,
    store,
    with_fixed_address,
)
from halfcl.cl._interpreter.generation.writer import Values, Writer


def _blend_of(type_: types.Type) -> str:
    if isinstance(type_, Pointer):
        return "run.blend_pointers"
    if isinstance(type_, Vector):
        return "blend_vectors"
    return "blend_records" if isinstance(type_, Record) else "blend"


def assign(out: Writer, target: tree.Expression, value: str) -> None:
    """Write an assignment. value: a name, or an expression that is used once."""
    if isinstance(target, tree.Swizzle):
        _assign_components(out, target, value)
    elif is_in_memory(out, target):
        pointer = pointer_to(out, target)
        store(out, pointer, value, target.type, target.at, is_packed(target))
    else:
        assert isinstance(target, tree.Variable)
        _assign_variable(out, target.declaration, value)


def _assign_variable(out: Writer, declaration: tree.Declaration, value: str) -> None:
    name = out.name(declaration)
    if out.regions.get(id(declaration)) != out.region[-1]:
        declaration_mask = f"d{out.module.number_of(declaration)}"
        value = blend_values(out, declaration.type, declaration_mask, value, name)
    out.line(f"{name} = {value}")


def blend_values(out: Writer, type_: types.Type, declared: str, new: str, old: str) -> str:
    """Return a new value for active items, and the old one for others that have declared it."""
    if type_ == types.EVENT:
        type_ = types.LONG
    if isinstance(type_, Opaque):
        return new
    blend = _blend_of(type_)
    dtype = f", {out.module.dtype(type_.dtype)}" if isinstance(type_, Scalar | Vector) else ""
    return f"{blend}(m, {declared}, {new}, {old}{dtype})"


def _assign_components(out: Writer, target: tree.Swizzle, value: str) -> None:
    base, indices = target.base, target.indices
    vector = base.type
    if is_in_memory(out, base):
        pointer = out.temporary(pointer_to(out, base))
        value = out.temporary(value)
        for k, index in enumerate(indices):
            if index >= vector.width:
                continue
            part = value if len(indices) == 1 else f"component({value}, {k})"
            at = f"step({pointer}, {index * vector.element.size}, 1)"
            store(out, at, part, vector.element, target.at, is_packed(base))
        return
    assert isinstance(base, tree.Variable)
    dtype = out.module.dtype(vector.dtype)
    old = out.name(base.declaration)
    if max(indices) >= vector.width:  # .hi of three components: the last one does not exist
        kept = tuple(k for k, i in enumerate(indices) if i < vector.width)
        if not kept:
            return
        value = value if len(indices) == 1 else f"swizzle({value}, {kept})"
        indices = tuple(indices[k] for k in kept)
    new = f"replace_components({old}, {indices}, {value}, {vector.width}, {dtype})"
    _assign_variable(out, base.declaration, new)


def assignment(
    out: Writer, node: tree.Assignment | tree.CompoundAssignment, is_used: bool = True
) -> str:
    """Write an assignment, and return its value if it is used."""
    if isinstance(node, tree.CompoundAssignment):
        return _compound(out, node, is_used)
    if not is_used and _is_in_place(out, node.target):
        result = operation(out, node.value) or copy_operation(out, node.value)
        if result is not None:
            _store_result(out, node.target, result)
            return "None"
    value = out.value(node.value)
    target = node.target
    if isinstance(target, tree.Variable) and not out.is_stored(target.declaration):
        assign(out, target, value)
        return out.name(target.declaration)
    value = out.temporary(value)
    assign(out, target, value)
    return value


def _is_in_place(out: Writer, target: tree.Expression) -> bool:
    """Return whether an operation can write its result directly into memory."""
    return not (isinstance(target, tree.Swizzle) or is_packed(target)) and is_in_memory(out, target)


def _store_result(out: Writer, target: tree.Expression, result: Operation) -> None:
    """Write an operation that stores its result in memory."""
    start = len(out.lines)
    pointer = pointer_to(out, target)
    pointer_lines, out.lines[start:] = out.lines[start:], []
    if pointer_lines:  # the address is computed after the operation
        value = out.temporary(str(result))
        out.lines += pointer_lines
        store(out, pointer, value, target.type, target.at)
        return
    dtype, operands = out.module.dtype(target.type.dtype), ", ".join(result.operands)
    call = f"{pointer}, {dtype}, m, {target.at}, {result.function}, {operands}"
    out.line(f"run.store_result({call})")


def _compound(out: Writer, node: tree.CompoundAssignment, is_used: bool) -> str:
    target = node.target
    computed = node.computed
    if is_in_memory(out, target) and not isinstance(target, tree.Variable):
        target = with_fixed_address(out, target)
    operand: tree.Expression = tree.Conversion(node.at, computed, target, node.rounding)
    if target.type == computed:
        operand = target
    result: tree.Expression = tree.Binary(
        node.at, computed, node.operator, operand, node.value,
        node.rounding, node.contracts, node.operator_at,
    )  # fmt: skip
    if target.type != computed:
        result = tree.Conversion(node.at, target.type, result, node.rounding)
    return assignment(out, tree.Assignment(node.at, node.type, target, result), is_used)


def _increment(out: Writer, node: tree.Increment) -> str:
    target = node.target
    if is_in_memory(out, target) and not isinstance(target, tree.Variable):
        target = with_fixed_address(out, target)
    old = out.value(target)
    if not node.is_prefix:
        name = out.new("t")
        out.line(f"{name} = {old}")
        old = name
    type_ = node.type
    if isinstance(type_, Pointer):
        new = f"step({old}, {node.step}, {type_.pointee.size})"
    else:
        computed = types.INT if type_ == types.BOOL else type_
        operate = out.module.operation("+" if node.step > 0 else "-", computed, node.rounding)
        new = f"{operate}({old}, {out.module.literal(computed, 1)})"
        if type_ == types.BOOL:
            new = f"int_from_truth(truth({new}))"
    if node.is_prefix:
        new = out.temporary(new)
    assign(out, target, new)
    return new if node.is_prefix else old


VALUES: Values = {
    tree.Assignment: assignment,
    tree.CompoundAssignment: assignment,
    tree.Increment: _increment,
}
