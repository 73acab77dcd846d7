"""The types of OpenCL C: their values, sizes and layout in memory."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from halfcl import half

DType: TypeAlias = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar number type. rank: the common type of two integers is the one of higher rank."""

    name: str
    dtype: DType
    rank: int = 0

    @property
    def size(self) -> int:
        return self.dtype.itemsize

    @property
    def align(self) -> int:
        return self.dtype.itemsize

    @property
    def element(self) -> Scalar:
        return self

    @property
    def width(self) -> int:
        return 1

    @property
    def is_floating(self) -> bool:
        return self.rank >= FLOATING

    @property
    def is_signed(self) -> bool:
        return self.is_floating or self.dtype.kind == "i"

    def __str__(self) -> str:
        return self.name


#: The lowest rank of a floating type.
FLOATING = 10

BOOL = Scalar("bool", np.dtype(np.bool_), 0)
CHAR, UCHAR = Scalar("char", np.dtype(np.int8), 1), Scalar("uchar", np.dtype(np.uint8), 1)
SHORT, USHORT = Scalar("short", np.dtype(np.int16), 2), Scalar("ushort", np.dtype(np.uint16), 2)
INT, UINT = Scalar("int", np.dtype(np.int32), 3), Scalar("uint", np.dtype(np.uint32), 3)
LONG, ULONG = Scalar("long", np.dtype(np.int64), 4), Scalar("ulong", np.dtype(np.uint64), 4)
#: They have 128 bits, of which `refusals.long_longs` leaves 64.
LONG_LONG = Scalar("long long", np.dtype(np.int64), 5)
ULONG_LONG = Scalar("unsigned long long", np.dtype(np.uint64), 5)
HALF = Scalar("half", np.dtype(half), FLOATING)
FLOAT = Scalar("float", np.dtype(np.float32), FLOATING + 1)
DOUBLE = Scalar("double", np.dtype(np.float64), FLOATING + 2)

#: Scalar types by their OpenCL names.
SCALARS = {
    s.name: s
    for s in (BOOL, CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE)
}

WIDTHS = (2, 3, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector type."""

    element: Scalar
    width: int

    @property
    def dtype(self) -> DType:
        return self.element.dtype

    @property
    def size(self) -> int:
        """The size in bytes; three components take the memory of four."""
        return self.element.size * (4 if self.width == 3 else self.width)

    @property
    def align(self) -> int:
        return self.size

    @property
    def is_floating(self) -> bool:
        return self.element.is_floating

    def __str__(self) -> str:
        return f"{self.element}{self.width}"


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer type."""

    pointee: Type
    space: str  # "private", "local", "global", "constant", "generic"
    is_const: bool = False

    size = align = 8

    def __str__(self) -> str:
        return f"{self.space} {'const ' if self.is_const else ''}{self.pointee}*"


@dataclass(frozen=True, slots=True)
class Array:
    """An array type."""

    element: Type
    length: int

    @property
    def size(self) -> int:
        return self.element.size * self.length

    @property
    def align(self) -> int:
        return self.element.align

    def __str__(self) -> str:
        return f"{self.element}[{self.length}]"


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a record."""

    name: str
    type: Type
    offset: int
    is_enum: bool = False


@dataclass(eq=False, slots=True)
class Record:
    """A struct or union."""

    name: str
    size: int
    align: int
    fields: dict[str, Field]  # filled in later, since a field may point to the record itself
    is_union: bool

    def __str__(self) -> str:
        return self.name


def member_path(record: Record, name: str) -> list[Field]:
    """Return the fields that lead to a member: those of enclosing unnamed records, then its own."""
    if name in record.fields:
        return [record.fields[name]]
    for field in record.fields.values():
        is_nameless = isinstance(field.type, Record) and field.name.startswith("(")
        if is_nameless and (inner := member_path(cast(Record, field.type), name)):
            return [field, *inner]
    return []


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type without a layout: void, event_t, sampler_t and the images."""

    name: str

    size = align = 8

    @property
    def is_image(self) -> bool:
        return self.name.startswith("image")

    def __str__(self) -> str:
        return self.name


VOID, EVENT, SAMPLER = Opaque("void"), Opaque("event_t"), Opaque("sampler_t")

Number = Scalar | Vector
Type = Scalar | Vector | Pointer | Array | Record | Opaque


def number_type(element: Scalar, width: int) -> Number:
    """Return the scalar type itself for width 1, else a vector type."""
    return element if width == 1 else Vector(element, width)


def comparison_type(operand: Number) -> Number:
    """Return the type of a comparison's result.

    It is int for scalars, and for vectors a vector of integers as wide as the operand's.
    """
    if isinstance(operand, Scalar):
        return INT
    return Vector((CHAR, SHORT, INT, LONG)[operand.element.size.bit_length() - 1], operand.width)


def promote(number: Scalar) -> Scalar:
    """Promote an integer as C does."""
    return INT if number.rank < INT.rank else number


def common_type(a: Number, b: Number) -> Number:
    """Return the common type by C's usual arithmetic conversions; a vector's if there is one."""
    if isinstance(a, Vector) or isinstance(b, Vector):
        return a if isinstance(a, Vector) else b
    a, b = promote(a), promote(b)
    if a.rank != b.rank:
        return a if a.rank > b.rank else b
    return b if a.is_signed else a


def wrap(value: int, dtype: DType) -> int:
    """Reduce an int modulo 2 to the number of bits."""
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.kind == "i" and value >> (bits - 1) else value


@functools.cache
def limits(dtype: DType) -> tuple[int, int]:
    """Return the least and greatest value of an integer dtype."""
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)
