"""Conversion of clang's types to those of `halfcl.cl._frontend.types`."""

from __future__ import annotations

import re
from typing import Protocol

from clang.cindex import Cursor, CursorKind, Type as ClangType, TypeKind

from halfcl.cl._frontend import types
from halfcl.cl._frontend.guards.nesting import DEEPEST_TYPES
from halfcl.cl._frontend.types import Array, Opaque, Pointer, Record, Scalar, Type, Vector

_QUALIFIERS = re.compile(
    r"\b(const|volatile|restrict|__private|__local|__global|__constant|__generic"
    r"|__read_only|__write_only|__read_write|struct|union|enum|__restrict)\b"
)
_VECTOR = re.compile(r"(.+?) __attribute__\(\(ext_vector_type\((\d+)\)\)\)")
_ATOMIC = re.compile(r"_Atomic\((.+)\)")
_SPACE = re.compile(r"__(private|local|global|constant|generic)\b")
ACCESS = re.compile(r"__(read_only|write_only|read_write)\b")
_C_NAMES = {
    "_Bool": "bool",
    "signed char": "char",
    "unsigned char": "uchar",
    "unsigned short": "ushort",
    "unsigned int": "uint",
    "unsigned long": "ulong",
}
_LONG_LONGS = {t.name: t for t in (types.LONG_LONG, types.ULONG_LONG)}
_OPAQUE = ("void", "event_t", "sampler_t")


class _Refuse(Protocol):
    """A function that records why a type is refused, and where, if not at its use."""

    def __call__(self, why: str, cursor: Cursor | None = None) -> None: ...


class Types:
    """The converted types of one program."""

    def __init__(self, refuse: _Refuse) -> None:
        self._by_spelling: dict[str, Type] = {}
        self._by_canonical: dict[str, Type] = {}
        #: Whether names of types are those of a function, so that another has others of that name.
        self.has_local_names = False
        self._records: dict[int, Record] = {}
        self._refuse = refuse
        self._depth = 0
        self.has_long_long = False  # whether any type converted is long long

    def convert(self, clang_type: ClangType) -> Type:
        if self._depth == DEEPEST_TYPES:
            self._refuse(f"not supported: more than {DEEPEST_TYPES} nested types")
            return types.VOID
        self._depth += 1
        try:
            return self._convert_cached(clang_type)
        finally:
            self._depth -= 1

    def _convert_cached(self, clang_type: ClangType) -> Type:
        if self.has_local_names:
            return self._convert_local(clang_type.get_canonical())
        spelling = clang_type.spelling
        type_ = self._by_spelling.get(spelling)
        if type_ is None:
            canonical = clang_type.get_canonical()
            type_ = self._convert(canonical, canonical.spelling)
            if not isinstance(type_, Record):  # another record may have the same name elsewhere
                self._by_spelling[spelling] = type_
        return type_

    def _convert_local(self, canonical: ClangType) -> Type:
        """Convert a type whose parts may have names that mean others elsewhere."""
        spelling = canonical.spelling
        type_ = self._by_canonical.get(spelling)
        if type_ is None:
            type_ = self._convert(canonical, spelling)
            if not _has_record(type_):
                self._by_canonical[spelling] = type_
        return type_

    def _convert(self, canonical: ClangType, spelling: str) -> Type:
        try:
            kind = canonical.kind
        except ValueError:  # clang has more kinds of types than its Python package
            self._refuse(f"type {spelling} is not supported")
            return types.INT
        if kind == TypeKind.POINTER:
            pointee = canonical.get_pointee()
            if pointee.get_canonical().kind == TypeKind.FUNCTIONPROTO:
                return types.VOID
            type_ = self._convert_part(pointee)
            return Pointer(type_, space_of(pointee), pointee.is_const_qualified())
        if kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            length = canonical.element_count if kind == TypeKind.CONSTANTARRAY else 0
            return Array(self._convert_part(canonical.get_array_element_type()), max(length, 0))
        if kind == TypeKind.RECORD:
            return self._record(canonical)
        if kind == TypeKind.ENUM:
            return self.convert(canonical.get_declaration().enum_type)
        name = " ".join(_QUALIFIERS.sub("", spelling).split())
        if atomic := _ATOMIC.fullmatch(name):  # the number itself; what is atomic are its functions
            return self._scalar(atomic[1])
        if vector := _VECTOR.fullmatch(name):
            is_one = int(vector[2]) in types.WIDTHS and _C_NAMES.get(vector[1], vector[1]) in (
                types.SCALARS
            )
            if not is_one:
                self._refuse(f"{name}: not a vector of OpenCL C")
                return types.INT
            return Vector(self._scalar(vector[1]), int(vector[2]))
        if name in _LONG_LONGS:
            self.has_long_long = True
            return _LONG_LONGS[name]
        if name in types.SCALARS or name in _C_NAMES:
            return self._scalar(name)
        if name not in _OPAQUE and not name.startswith("image"):
            self._refuse(f"type {name} is not supported")
        return Opaque(name)

    def _convert_part(self, clang_type: ClangType) -> Type:
        """Convert the type of what lies in memory."""
        type_ = self.convert(clang_type)
        if type_ in _LONG_LONGS.values():
            self._refuse("not supported: long long in memory, where it has 128 bits in OpenCL C")
        return type_

    @staticmethod
    def _scalar(name: str) -> Scalar:
        return types.SCALARS[_C_NAMES.get(name, name)]

    def _record(self, canonical: ClangType) -> Record:
        declaration = canonical.get_declaration()
        key = declaration.hash
        if key not in self._records:
            name, is_union = declaration.spelling, declaration.kind == CursorKind.UNION_DECL
            record = Record(name, canonical.get_size(), canonical.get_align(), {}, is_union)
            self._records[key] = record
            for member in canonical.get_fields():
                if member.is_bitfield():
                    self._refuse(f"bit-field {member.spelling} of {name}: not in OpenCL C")
                if member.type.get_canonical().kind == TypeKind.INCOMPLETEARRAY:
                    why = f"flexible array member {member.spelling} of {name}: not in OpenCL C"
                    self._refuse(why, member)
                # Unnamed members get a name that no source can contain; clang's is a description.
                is_named = member.spelling and "(" not in member.spelling
                field_name = member.spelling if is_named else f"({len(record.fields)})"
                offset = member.get_field_offsetof() // 8
                is_enum = member.type.get_canonical().kind == TypeKind.ENUM
                field = types.Field(field_name, self._convert_part(member.type), offset, is_enum)
                record.fields[field_name] = field
        return self._records[key]


def _has_record(type_: Type) -> bool:
    while isinstance(type_, Pointer | Array):
        type_ = type_.pointee if isinstance(type_, Pointer) else type_.element
    return isinstance(type_, Record)


def space_of(clang_type: ClangType) -> str:
    """Return the address space that a type names; private if none."""
    match = _SPACE.search(clang_type.spelling.split("*")[-1])
    return match[1] if match else "private"
