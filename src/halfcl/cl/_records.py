"""Structures of NumPy, compared with those of a kernel: a host's fields are to be the kernel's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from halfcl.cl import _types as types
from halfcl.cl._types import HALF, DType, Field, Record, Scalar, Type, Vector

_HALF = HALF.dtype.type


class _Given(NamedTuple):
    """A field of NumPy's: the shape is of an array in it."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    offset: int

    def __str__(self) -> str:
        shape = f" of shape {self.shape}" if self.shape else ""
        return f"field {self.name}: {self.dtype}{shape} at byte {self.offset}"


def element(type_: Type) -> Scalar | None:
    """Of numbers, their vectors and arrays of these."""
    while isinstance(type_, types.Array):
        type_ = type_.element
    return type_.element if isinstance(type_, Scalar | Vector) else None


def is_of(dtype: DType, number: Scalar) -> bool:
    """Whether it is NumPy's for a number."""
    if number == HALF:
        return dtype.type in (_HALF, np.float16)
    return dtype.type is not _HALF and bool(dtype == number.dtype)


def difference(record: Record, dtype: DType, within: str = "") -> tuple[str, str] | None:
    """The first field that is another than the kernel's: that, and what NumPy has. None: equal.

    Fields of void without names are padding, or bytes of any type; so are those that lie where the
    kernel's structure has nothing. Of a union's members some may
    be left out. within: what the structure itself is a field of.
    """
    if dtype.names is None:
        return None
    wanted = {f.name: (f, optional) for f, optional in _fields(record, 0, record.is_union)}
    taken = [(f.offset, f.offset + f.type.size) for f, _ in wanted.values()]
    given = [g for g in _given(dtype) if g.name in wanted or not _is_beside(g, taken)]
    in_order = iter([name for name, (_, optional) in wanted.items() if not optional])
    for g in given:
        field, optional = wanted.get(g.name, (None, False))
        if not optional and (name := next(in_order, None)) != g.name:
            return _told(within, wanted[name][0]) if name else "no more fields", f"{within}{g}"
        assert field is not None
        if g.offset != field.offset:
            return _told(within, field), f"{within}{g}"
        if isinstance(inner := _innermost(field.type), Record) and inner.size == g.dtype.itemsize:
            found = difference(inner, g.dtype, f"{within}{g.name}.")
            if found:
                return found
        if not _is_like(field, g):
            return _told(within, field), f"{within}{g}"
    if left := next(in_order, None):
        return _told(within, wanted[left][0]), "no such field"
    return None


def _told(within: str, field: Field) -> str:
    return f"{within}field {field.name}: {field.type} at byte {field.offset}"


def _fields(record: Record, start: int, optional: bool) -> Iterator[tuple[Field, bool]]:
    """Those of members without a name are the structure's own. Whether they may be left out."""
    for field in record.fields.values():
        if field.name.startswith("(") and isinstance(field.type, Record):
            yield from _fields(field.type, start + field.offset, optional or field.type.is_union)
        else:
            moved = Field(field.name, field.type, start + field.offset, field.is_enum)
            yield moved, optional


def _given(dtype: DType) -> Iterator[_Given]:
    for name in dtype.names or ():
        described: tuple[Any, ...] = dtype.fields[name]  # type: ignore[index]
        whole: DType = described[0]
        base, shape = whole.subdtype or (whole, ())
        yield _Given(name, base, shape, described[1])


def _is_beside(given: _Given, taken: list[tuple[int, int]]) -> bool:
    """Whether a field is padding, or lies there. taken: where fields begin and end."""
    end = given.offset + given.dtype.itemsize * math.prod(given.shape)
    return _is_padding(given) or all(end <= a or b <= given.offset for a, b in taken)


def _is_padding(given: _Given) -> bool:
    return given.dtype.kind == "V" and given.dtype.names is None


def _innermost(type_: Type) -> Type:
    while isinstance(type_, types.Array):
        type_ = type_.element
    return type_


def _is_like(field: Field, given: _Given) -> bool:
    """Whether numbers are of the same type, and as many. Structures have been compared."""
    count, type_ = math.prod(given.shape), field.type
    if _is_padding(given) or isinstance(_innermost(type_), Record):
        return count * given.dtype.itemsize == type_.size
    number = element(type_)
    if number is None:  # a pointer
        return given.dtype.kind in "iu" and given.dtype.itemsize * count == type_.size
    if given.dtype.names is not None:
        return count * given.dtype.itemsize == type_.size and _are_components(number, given.dtype)
    if given.dtype.kind == "S":
        return number.size == 1 and given.dtype.itemsize * count == type_.size
    is_enum = field.is_enum and given.dtype.kind in "iu" and given.dtype.itemsize == number.size
    if not (is_enum or is_of(given.dtype, number)):
        return False
    return count == type_.size // number.size or (
        isinstance(type_, Vector) and count == type_.width
    )


def _are_components(number: Scalar, dtype: DType) -> bool:
    """Whether a structure is a vector, with fields x, y and so on."""
    return all(
        _is_padding(g) or (not g.shape and is_of(g.dtype, number) and not g.offset % number.size)
        for g in _given(dtype)
    )
