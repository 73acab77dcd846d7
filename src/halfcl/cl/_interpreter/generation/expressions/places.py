"""Code of memory accesses: addresses, loads, stores, members and components."""

from __future__ import annotations

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import Array, Pointer, Record, Scalar, Vector
from halfcl.cl._interpreter.generation.analysis import Named, is_packed
from halfcl.cl._interpreter.generation.writer import Values, Writer
from halfcl.cl._interpreter.memory import pointers


def private(out: Writer, name: str, hint: str, size: int) -> None:
    """Write the allocation of private memory; once per item suffices without recursion."""
    out.line(f"{name} = run.private({hint!r}, {size}, {out.module.new_number()})")


def temporary_memory(out: Writer, size: int) -> str:
    """Write the allocation of memory for an unnamed object, and return its name."""
    name = out.new("p")
    private(out, name, "temporary", size)
    return name


def load(out: Writer, pointer: str, type_: types.Type, at: int, packed: bool = False) -> str:
    """Return a load. packed: whether it may have any alignment."""
    if type_ == types.EVENT:
        type_ = types.LONG
    if packed and isinstance(type_, Pointer):
        return f"run.pointer_at({load(out, pointer, types.LONG, at, packed)}, m)"
    if packed and isinstance(type_, Scalar | Vector):
        dtype = out.module.dtype(type_.dtype)
        return f"run.load_packed({pointer}, {dtype}, {type_.width}, m, {at})"
    if isinstance(type_, Scalar | Vector):
        return f"{_LOAD}{pointer}, {out.module.dtype(type_.dtype)}, m, {at}{_shape(type_)})"
    if isinstance(type_, Record):
        return f"run.load_record({pointer}, {type_.size}, m, {at})"
    return f"run.load_pointer({pointer}, m, {at})"


def _shape(type_: types.Number) -> str:
    """Return the arguments of a load or store that only vectors have."""
    return f", {type_.width}, {type_.align}" if isinstance(type_, Vector) else ""


#: Calls that load a number, or apply an operation to views.
_LOAD, APPLY = "run.load(", "run.apply("

#: The same for immediate use of the result, which may have the block's axes.
_VIEW, _COMPUTE = "run.view(", "run.compute("


def as_view(value: str) -> str:
    """Return a load or an operation for immediate use; other values unchanged."""
    if value.startswith(APPLY):
        return _COMPUTE + value.removeprefix(APPLY)
    return _VIEW + value.removeprefix(_LOAD) if value.startswith(_LOAD) else value


def is_view(value: str) -> bool:
    """Return whether a value may have the block's axes."""
    return value.startswith((_VIEW, _COMPUTE))


def as_load(value: str) -> str:
    """Return a view as a load; other values unchanged."""
    return _LOAD + value.removeprefix(_VIEW) if value.startswith(_VIEW) else value


def store(
    out: Writer, pointer: str, value: str, type_: types.Type, at: int, packed: bool = False
) -> None:
    """Write a store. packed: whether it may have any alignment."""
    if type_ == types.EVENT:
        type_ = types.LONG
    if packed and isinstance(type_, Pointer):
        store(out, pointer, f"run.address({value})", types.LONG, at, packed)
    elif packed and isinstance(type_, Scalar | Vector):
        shape = f"{out.module.dtype(type_.dtype)}, {type_.width}"
        out.line(f"run.store_packed({pointer}, {value}, {shape}, m, {at})")
    elif isinstance(type_, Scalar | Vector):
        dtype = out.module.dtype(type_.dtype)
        out.line(f"run.store({pointer}, {value}, {dtype}, m, {at}{_shape(type_)})")
    elif isinstance(type_, Record):
        out.line(f"run.store_record({pointer}, {value}, {type_.size}, m, {at})")
    else:
        out.line(f"run.store_pointer({pointer}, {value}, m, {at})")


def pointer_to(out: Writer, node: tree.Expression) -> str:
    """Return the address of an expression that lies in memory."""
    if isinstance(node, tree.Dereference):
        return out.value(node.pointer)
    if isinstance(node, tree.Variable):
        return out.name(node.declaration)
    if isinstance(node, tree.Member):
        base = pointer_to(out, node.base)
        return base if node.field.offset == 0 else f"step({base}, {node.field.offset}, 1)"
    if isinstance(node, tree.Swizzle):
        offset = node.indices[0] * node.type.element.size
        return f"step({pointer_to(out, node.base)}, {offset}, 1)"
    if isinstance(node, tree.Text):
        return out.module.bind("text", node.value, lambda: pointers.text_pointer(node.value))
    if isinstance(node, tree.InitialValues) and isinstance(node.type, Array):
        return out.value(node)  # a literal, which lies in memory
    value = out.temporary(out.value(node))  # a temporary object
    name = temporary_memory(out, node.type.size)
    store(out, name, value, node.type, node.at)
    return name


def is_in_memory(out: Writer, node: tree.Expression) -> bool:
    """Return whether it has an address."""
    while isinstance(node, tree.Member | tree.Swizzle):
        node = node.base
    if isinstance(node, tree.Variable):
        return out.is_stored(node.declaration)
    return isinstance(node, tree.Dereference)


def _variable(out: Writer, node: tree.Variable) -> str:
    declaration = node.declaration
    if not out.is_stored(declaration):
        return out.name(declaration)
    if isinstance(declaration.type, Array):
        return out.name(declaration)
    return load(out, out.name(declaration), declaration.type, node.at)


def _swizzle(out: Writer, node: tree.Swizzle) -> str:
    if is_in_memory(out, node) and len(node.indices) == 1:
        return load(out, pointer_to(out, node), node.type, node.at, is_packed(node.base))
    if out.module.checks and is_in_memory(out, node):
        return components(out, node)
    value = out.value(node.base)
    last = node.base.type.width - 1  # .hi of three components has one that is undefined
    indices = tuple(min(i, last) for i in node.indices)
    if isinstance(node.type, Scalar):
        return f"component({value}, {indices[0]})"
    return f"swizzle({value}, {indices})"


def components(out: Writer, node: tree.Swizzle) -> str:
    """Read components one by one, since others may be undefined."""
    type_ = node.type
    parts = [
        out.temporary(out.value(tree.Swizzle(node.at, type_.element, node.base, (index,))))
        for index in node.indices
    ]
    dtype = out.module.dtype(type_.dtype)
    return f"join_components(({', '.join(parts)},), {(1,) * len(parts)}, {dtype})"


def _member(out: Writer, node: tree.Member) -> str:
    if is_in_memory(out, node):
        pointer = pointer_to(out, node)
    else:
        value = out.temporary(out.value(node.base))
        pointer = temporary_memory(out, node.base.type.size)
        store(out, pointer, value, node.base.type, node.at)
        pointer = f"step({pointer}, {node.field.offset}, 1)"
    return _load_or_address(out, pointer, node)


def _load_or_address(out: Writer, pointer: str, node: tree.Expression) -> str:
    """Return a load; for an array, its address."""
    if isinstance(node.type, Array):
        return pointer
    return load(out, pointer, node.type, node.at, is_packed(node))


def with_fixed_address(out: Writer, target: tree.Expression) -> tree.Expression:
    """Return the same place with its address computed once."""
    if isinstance(target, tree.Swizzle | tree.Member) and not isinstance(
        target.base, tree.Variable
    ):
        base = with_fixed_address(out, target.base)
        if isinstance(target, tree.Swizzle):
            return tree.Swizzle(target.at, target.type, base, target.indices)
        return tree.Member(target.at, target.type, base, target.field)
    if isinstance(target, tree.Dereference):
        name = out.temporary(out.value(target.pointer))
        pointer = Named(target.at, target.pointer.type, name, is_packed(target))
        return tree.Dereference(target.at, target.type, pointer)
    return target


VALUES: Values = {
    tree.Text: pointer_to,
    tree.Variable: _variable,
    tree.Swizzle: _swizzle,
    tree.Member: _member,
    tree.Dereference: lambda out, node: _load_or_address(out, out.value(node.pointer), node),
    tree.AddressOf: lambda out, node: pointer_to(out, node.target),
    Named: lambda out, node: node.name,
}
