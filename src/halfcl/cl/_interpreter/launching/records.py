"""Comparison of NumPy's structured dtypes with a kernel's structures, whose fields must match."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from halfcl.cl._frontend import types
from halfcl.cl._frontend.types import HALF, DType, Field, Record, Scalar, Type, Vector

_HALF = HALF.dtype.type


class _DtypeField(NamedTuple):
    """A field of a structured dtype. shape: that of a subarray."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    offset: int

    def __str__(self) -> str:
        shape = f" of shape {self.shape}" if self.shape else ""
        return f"field {self.name}: {self.dtype}{shape} at byte {self.offset}"


def element_type(type_: Type) -> Scalar | None:
    """Return the scalar type of numbers, vectors and their arrays; None for other types."""
    while isinstance(type_, types.Array):
        type_ = type_.element
    return type_.element if isinstance(type_, Scalar | Vector) else None


def is_dtype_of(dtype: DType, number: Scalar) -> bool:
    """Return whether a dtype is NumPy's for a scalar type."""
    if number == HALF:
        return dtype.type in (_HALF, np.float16)
    return dtype.type is not _HALF and bool(dtype == number.dtype)


def difference(record: Record, dtype: DType, within: str = "") -> tuple[str, str] | None:
    """Return the first field that differs from the kernel's, and NumPy's there; None if equal.

    Fields of void without names are padding, or bytes of any type; so are those in gaps of the
    kernel's structure. Some members of a union may be omitted. within: prefix for the names of an
    inner structure's fields.
    """
    if dtype.names is None:
        return None
    wanted = {f.name: (f, optional) for f, optional in _fields(record, 0, record.is_union)}
    taken = [(f.offset, f.offset + f.type.size) for f, _ in wanted.values()]
    candidates = [g for g in _dtype_fields(dtype) if g.name in wanted or not _is_in_gap(g, taken)]
    in_order = iter([name for name, (_, optional) in wanted.items() if not optional])
    for g in candidates:
        field, optional = wanted.get(g.name, (None, False))
        if not optional and (name := next(in_order, None)) != g.name:
            return _describe(within, wanted[name][0]) if name else "no more fields", f"{within}{g}"
        assert field is not None
        if g.offset != field.offset:
            return _describe(within, field), f"{within}{g}"
        if isinstance(inner := _innermost(field.type), Record) and inner.size == g.dtype.itemsize:
            mismatch = difference(inner, g.dtype, f"{within}{g.name}.")
            if mismatch:
                return mismatch
        if not _has_same_numbers(field, g):
            return _describe(within, field), f"{within}{g}"
    if missing := next(in_order, None):
        return _describe(within, wanted[missing][0]), "no such field"
    return None


def _describe(within: str, field: Field) -> str:
    """Describe a field of the kernel's structure."""
    return f"{within}field {field.name}: {field.type} at byte {field.offset}"


def _fields(record: Record, start: int, optional: bool) -> Iterator[tuple[Field, bool]]:
    """Yield the members, including those of unnamed members, and whether they may be omitted."""
    for field in record.fields.values():
        if field.name.startswith("(") and isinstance(field.type, Record):
            yield from _fields(field.type, start + field.offset, optional or field.type.is_union)
        else:
            moved = Field(field.name, field.type, start + field.offset, field.is_enum)
            yield moved, optional


def _dtype_fields(dtype: DType) -> Iterator[_DtypeField]:
    for name in dtype.names or ():
        described: tuple[Any, ...] = dtype.fields[name]  # type: ignore[index]
        whole: DType = described[0]
        base, shape = whole.subdtype or (whole, ())
        yield _DtypeField(name, base, shape, described[1])


def _is_in_gap(given: _DtypeField, taken: list[tuple[int, int]]) -> bool:
    """Return whether a field is padding or lies in a gap. taken: bounds of the kernel's fields."""
    end = given.offset + given.dtype.itemsize * math.prod(given.shape)
    return _is_padding(given) or all(end <= a or b <= given.offset for a, b in taken)


def _is_padding(given: _DtypeField) -> bool:
    return given.dtype.kind == "V" and given.dtype.names is None


def _innermost(type_: Type) -> Type:
    while isinstance(type_, types.Array):
        type_ = type_.element
    return type_


def _has_same_numbers(field: Field, given: _DtypeField) -> bool:
    """Return whether numbers have the same type and count; structures are compared elsewhere."""
    count, type_ = math.prod(given.shape), field.type
    if _is_padding(given) or isinstance(_innermost(type_), Record):
        return count * given.dtype.itemsize == type_.size
    number = element_type(type_)
    if number is None:  # a pointer
        return given.dtype.kind in "iu" and given.dtype.itemsize * count == type_.size
    if given.dtype.names is not None:
        return count * given.dtype.itemsize == type_.size and _are_components(number, given.dtype)
    if given.dtype.kind == "S":
        return number.size == 1 and given.dtype.itemsize * count == type_.size
    is_enum = field.is_enum and given.dtype.kind in "iu" and given.dtype.itemsize == number.size
    if not (is_enum or is_dtype_of(given.dtype, number)):
        return False
    return count == type_.size // number.size or (
        isinstance(type_, Vector) and count == type_.width
    )


def _are_components(number: Scalar, dtype: DType) -> bool:
    """Return whether a structure is a vector with fields x, y and so on."""
    return all(
        _is_padding(g)
        or (not g.shape and is_dtype_of(g.dtype, number) and not g.offset % number.size)
        for g in _dtype_fields(dtype)
    )
