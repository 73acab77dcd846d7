"""Code of variables: declarations and initial values."""

from __future__ import annotations

import numpy as np

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.types import Array, Type
from halfcl.cl._interpreter.generation.analysis import has_variable
from halfcl.cl._interpreter.generation.expressions.numbers import fold
from halfcl.cl._interpreter.generation.expressions.places import (
    load,
    private,
    store,
    temporary_memory,
)
from halfcl.cl._interpreter.generation.writer import Values, Writer
from halfcl.cl._interpreter.values import numbers


def declare(out: Writer, declaration: tree.Declaration, has_initial: bool = True) -> None:
    """Write a declaration with its initial value."""
    name, type_ = out.name(declaration), declaration.type
    if declaration.space in ("constant", "global") and out.function is not None:
        out.module.hidden_constants.append(declaration)
        return
    if out.is_stored(declaration):
        initial = declaration.initial if has_initial else None
        _declare_in_memory(out, name, declaration, initial)
        return
    out.regions.setdefault(id(declaration), out.region[-1])
    value = out.module.zero(type_)
    if declaration.initial is not None and has_initial:
        if has_variable(declaration.initial, declaration):
            out.line(f"{name} = {value}")
        value = out.value(declaration.initial)
    out.line(f"{name} = {value}")
    out.line(f"d{out.module.number_of(declaration)} = m")


def _declare_in_memory(
    out: Writer, name: str, declaration: tree.Declaration, initial: tree.Expression | None
) -> None:
    hint, size = declaration.name, declaration.type.size
    if declaration.space == "constant":
        out.line(f"{name} = run.constant({hint!r}, {size})")
    elif declaration.space == "global":
        out.line(f"{name} = run.program_variable({hint!r}, {size})")
        out.module.program_variables.append((declaration, name))
    elif declaration.space == "local":
        out.line(f"{name} = run.local({hint!r}, {size}, {out.module.new_number()})")
    else:
        private(out, name, hint, size)
    if isinstance(initial, tree.InitialValues):
        out.line(f"run.clear({name})")
    if initial is not None:
        _initialise(out, name, initial, declaration.type)
    if declaration.space == "constant":
        out.line(f"run.seal({name})")


#: The least number of values that are stored as one block of bytes.
_TABLE = 8


def _row(out: Writer, values: tree.InitialValues) -> bytes | None:
    """Return the bytes of a table of known values; missing values are zero."""
    data_ = bytearray(values.type.size)
    waiting = [(0, values)]
    while waiting:
        start, table = waiting.pop()
        for offset, part in table.parts:
            if isinstance(part, tree.InitialValues):
                waiting.append((start + offset, part))
                continue
            value = fold(out, part)
            if value is None:
                return None
            data = np.atleast_1d(numbers.constant(part.type, value)).astype(part.type.dtype)
            data_[start + offset : start + offset + data.nbytes] = data.tobytes()
    return bytes(data_)


def _initialise(
    out: Writer, pointer: str, initial: tree.Expression, type_: Type, packed: bool = False
) -> None:
    if isinstance(initial, tree.Text) and isinstance(type_, Array):
        text = initial.value[: type_.size].ljust(type_.size, b"\0")
        _store_row(out, pointer, text, initial.at)
        return
    if not isinstance(initial, tree.InitialValues):
        store(out, pointer, out.value(initial), type_, initial.at, packed)
        return
    if len(initial.parts) >= _TABLE and (row := _row(out, initial)) is not None:
        _store_row(out, pointer, row, initial.at)
        return
    for offset, part in initial.parts:
        at = out.temporary(f"step({pointer}, {offset}, 1)")
        align = part.type.align
        unaligned = bool(offset % align or type_.align % align)
        _initialise(out, at, part, part.type, packed or unaligned)


def _store_row(out: Writer, pointer: str, data: bytes, at: int) -> None:
    row = out.module.bind("row", data, lambda: np.frombuffer(data, np.uint8)[np.newaxis])
    out.line(f"run.store_record({pointer}, {row}, {len(data)}, m, {at})")


def _initial_values(out: Writer, node: tree.InitialValues) -> str:
    name = temporary_memory(out, node.type.size)
    out.line(f"run.clear({name})")
    _initialise(out, name, node, node.type)
    return name if isinstance(node.type, Array) else load(out, name, node.type, node.at)


VALUES: Values = {tree.InitialValues: _initial_values}
