"""vload and vstore, also of halves as floats; shuffle; prefetch."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from halfcl._settings.regions import SUFFIXES
from halfcl.cl._frontend.types import (
    HALF,
    WIDTHS,
    Number,
    Pointer as PointerType,
    Scalar,
    Vector,
    number_type,
)
from halfcl.cl._interpreter.builtins.kinds import (
    Effect,
    Function,
    Maker,
    RunFunction,
    Signature,
    array_of,
    mode_in,
)
from halfcl.cl._interpreter.memory.pointers import Pointer, step
from halfcl.cl._interpreter.values.lanes import Array, Mask, Value
from halfcl.cl._interpreter.values.numbers import conversion

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run

_HALF_NAME = re.compile(r"v(load|store)(a?)_half(\d*)(?:_rt[ezpn])?")


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


def _vload(signature: Signature) -> Function:
    """Return the load from p + n * offset, aligned like a scalar."""
    vector = signature.result_number

    def call(run: Run, mask: Mask, at: int, offset: Value, pointer: Pointer) -> Value:
        place = step(pointer, offset, vector.width * vector.element.size)
        return _load(run, place, vector, vector.element.size, mask, at)

    return RunFunction(call)


def _vstore(signature: Signature) -> Function:
    vector = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value, offset: Value, pointer: Pointer) -> None:
        place = step(pointer, offset, vector.width * vector.element.size)
        _store(run, place, value, vector, vector.element.size, mask, at)

    return Effect(call)


# ---------------------------------------------------------------- halves as floats and doubles


def _layout(name: str) -> tuple[Number, int, int]:
    """Return the type in memory, the distance of elements in bytes, and the alignment."""
    match = _HALF_NAME.fullmatch(name)
    assert match is not None
    number = number_type(HALF, int(match[3] or 1))
    if match[2]:
        return number, number.size, number.align
    return number, number.width * HALF.size, HALF.size


def _vload_half(signature: Signature) -> Function:
    number, distance, align = _layout(signature.name)
    result = signature.result_number
    convert = conversion(number, result, "rte")  # exact

    def call(run: Run, mask: Mask, at: int, offset: Value, pointer: Pointer) -> Value:
        return convert(_load(run, step(pointer, offset, distance), number, align, mask, at))

    return RunFunction(call)


def _vstore_half(signature: Signature) -> Function:
    """Return the store of halves, rounded in the mode of its name or in the mode in force."""
    number, distance, align = _layout(signature.name)
    source = signature.number
    convert = conversion(source, number, mode_in(signature.name) or signature.rounding)

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


def _shuffle(signature: Signature) -> Function:
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


def _prefetch(signature: Signature) -> Function:
    return Effect(lambda run, mask, at, pointer, count: None)


def _pointer_maker(maker: Callable[[Signature], Function]) -> Maker:
    """Return a maker for functions whose last argument is a pointer to numbers."""

    def make(signature: Signature) -> Function | None:
        last = signature.arguments[-1]
        is_number = isinstance(last, PointerType) and isinstance(last.pointee, Scalar)
        return maker(signature) if is_number else None

    return make


def _make_shuffle(signature: Signature) -> Function | None:
    return _shuffle(signature) if isinstance(signature.result, Vector) else None


_HALF_KINDS = ("_half", *(f"{a}_half{n}" for a in ("", "a") for n in WIDTHS))

MAKERS: dict[str, Maker] = {
    **{f"vload{n}": _pointer_maker(_vload) for n in WIDTHS},
    **{f"vstore{n}": _pointer_maker(_vstore) for n in WIDTHS},
    **{f"vload{kind}": _pointer_maker(_vload_half) for kind in _HALF_KINDS},
    **{
        f"vstore{kind}{mode}": _pointer_maker(_vstore_half)
        for kind in _HALF_KINDS
        for mode in ("", *SUFFIXES)
    },
    "prefetch": _prefetch,
    "shuffle": _make_shuffle,
    "shuffle2": _make_shuffle,
}
