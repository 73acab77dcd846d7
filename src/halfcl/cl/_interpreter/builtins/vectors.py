"""vload and vstore, also of halves as floats; shuffle; prefetch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from halfcl.cl._frontend.builtins import Builtin
from halfcl.cl._frontend.types import (
    HALF,
    Number,
    Scalar,
    number_type,
)
from halfcl.cl._interpreter.builtins.kinds import (
    Effect,
    Function,
    RunFunction,
    Signature,
    array_of,
    as_number,
)
from halfcl.cl._interpreter.memory.pointers import Pointer, step
from halfcl.cl._interpreter.values.lanes import Array, Mask, Value
from halfcl.cl._interpreter.values.numbers import component, conversion, join_components

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run


def _load(run: Run, pointer: Pointer, number: Number, align: int, mask: Mask, at: int) -> Value:
    if isinstance(number, Scalar):
        return run.load(pointer, number.dtype, mask, at)
    return run.load_vector(pointer, number.dtype, number.width, mask, align, at)


def _store(
    run: Run, pointer: Pointer, value: Value, number: Number, align: int, mask: Mask, at: int
) -> None:
    if isinstance(number, Scalar):
        run.store(pointer, value, number.dtype, mask, at)
    else:
        run.store_vector(pointer, value, number.dtype, number.width, mask, align, at)


def vload(signature: Signature) -> Function:
    """Return the load from p + n * offset, aligned like a scalar."""
    vector = signature.result_number

    def call(run: Run, mask: Mask, at: int, offset: Value, pointer: Pointer) -> Value:
        place = step(pointer, offset, vector.width * vector.element.size)
        return _load(run, place, vector, vector.element.size, mask, at)

    return RunFunction(call)


def vstore(signature: Signature) -> Function:
    """Return the store to p + n * offset, aligned like a scalar."""
    vector = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value, offset: Value, pointer: Pointer) -> None:
        place = step(pointer, offset, vector.width * vector.element.size)
        _store(run, place, value, vector, vector.element.size, mask, at)

    return Effect(call)


def _block_places(run: Run, pointer: Pointer, number: Number) -> Iterator[Pointer]:
    """Yield where an item's components lie: those of a sub-group's items follow each other."""
    lanes, size = run.item_groups("sub_group").lanes, run.grid.sub_group_size
    for index in range(number.width):
        yield step(pointer, lanes + index * size, number.element.size)


def block_read(signature: Signature) -> Function:
    """Return the load of an item's part of a block of numbers."""
    number = signature.result_number

    def call(run: Run, mask: Mask, at: int, pointer: Pointer) -> Value:
        dtype = number.dtype
        parts = [run.load(p, dtype, mask, at) for p in _block_places(run, pointer, number)]
        if isinstance(number, Scalar):
            return parts[0]
        return join_components(tuple(parts), (1,) * number.width, dtype)

    return RunFunction(call)


def block_write(signature: Signature) -> Function:
    """Return the store of an item's part of a block of numbers."""
    number = as_number(signature.arguments[1])

    def call(run: Run, mask: Mask, at: int, pointer: Pointer, value: Value) -> None:
        for index, place in enumerate(_block_places(run, pointer, number)):
            part = value if isinstance(number, Scalar) else component(value, index)
            run.store(place, part, number.dtype, mask, at)

    return Effect(call)


# ---------------------------------------------------------------- halves as floats and doubles


def _layout(builtin: Builtin) -> tuple[Number, int, int]:
    """Return the type in memory, the distance of elements in bytes, and the alignment."""
    number = number_type(HALF, int(builtin.parts.get("width", 1)))
    if builtin.parts.get("aligned"):
        return number, number.size, number.align
    return number, number.width * HALF.size, HALF.size


def vload_half(signature: Signature) -> Function:
    """Return the load of halves, converted exactly."""
    number, distance, align = _layout(signature.builtin)
    result = signature.result_number
    convert = conversion(number, result, "rte")  # exact

    def call(run: Run, mask: Mask, at: int, offset: Value, pointer: Pointer) -> Value:
        return convert(_load(run, step(pointer, offset, distance), number, align, mask, at))

    return RunFunction(call)


def vstore_half(signature: Signature) -> Function:
    """Return the store of halves, rounded in the mode of its name or in the mode in force."""
    number, distance, align = _layout(signature.builtin)
    source = signature.number
    convert = conversion(source, number, signature.builtin.mode or signature.rounding)

    def call(run: Run, mask: Mask, at: int, value: Value, offset: Value, pointer: Pointer) -> None:
        _store(run, step(pointer, offset, distance), convert(value), number, align, mask, at)

    return Effect(call)


# ---------------------------------------------------------------- shuffle


def _select_rows(rows: Array, indices: Array) -> Array:
    """Select the rows that each item's indices give."""
    if indices.shape[1] == 1:
        return rows[indices[:, 0]]
    rows = np.broadcast_to(rows, (len(rows), indices.shape[1]))
    return np.take_along_axis(rows, indices, axis=0)


def shuffle(signature: Signature) -> Function:
    """Return shuffle: indices are modulo the number of components of the one or two vectors."""
    *sources, which = signature.numbers
    number = sources[0]
    result = signature.result_number
    last = len(sources) * number.width - 1

    def call(*arguments: Value) -> Array:
        *values, mask = arguments
        arrays = [array_of(v, number) for v in values]
        count = max(a.shape[1] for a in arrays)
        whole = [np.broadcast_to(a, (number.width, count)) for a in arrays]
        indices = array_of(mask, which).astype(np.int64) & last
        indices = np.broadcast_to(indices, (result.width, indices.shape[1]))
        return _select_rows(whole[0] if len(whole) == 1 else np.concatenate(whole), indices)

    return call
