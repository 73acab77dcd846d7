"""Names of types and of all declarations in C++."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.types import Array, Opaque, Pointer, Record, Scalar, Type, Vector

#: Keywords and reserved names of C++ that C allows as names.
_WORDS = frozenset(
    """alignas alignof and and_eq asm bitand bitor catch
    char16_t char32_t char8_t class co_await co_return co_yield compl concept consteval constexpr
    constinit const_cast decltype delete dynamic_cast explicit export friend mutable namespace new
    noexcept not not_eq nullptr operator or or_eq private protected public reflexpr
    reinterpret_cast requires static_assert static_cast template this thread_local
    throw try typeid typename using virtual wchar_t xor xor_eq bool true false assert""".split()
)
_OURS = re.compile(r"hc|HC|__")

#: OpenCL's scalars that have the same name in C++; the others get the prefix hc_.
_SAME = frozenset(("bool", "short", "int", "float", "double"))


class Names:
    """The names of one program; reserved: those that the dialect has besides C++."""

    def __init__(self, reserved: Set[str]) -> None:
        self._words = _WORDS | reserved
        self._records: dict[int, str] = {}
        self._taken: set[str] = set()  # at file scope
        self._declared: set[str] = set()  # anywhere, but names of records
        self._called: dict[int, str] = {}  # copies of kernels that functions call
        self._moved: dict[int, str] = {}  # variables that have other names
        self._kept: list[tree.Declaration] = []  # alive, so that their ids stay unique
        self.definitions: list[str] = []  # definitions of records

    def _safe(self, name: str) -> str:
        """Return a name of the program, changed if the language or the prelude uses it."""
        return f"{name}_" if name in self._words or _OURS.match(name) else name

    def declare_all(self, nodes: Iterable[tree.Node]) -> None:
        """Take the names of all variables, functions and members, so that records have others.

        C has the names of records apart; in C++ a variable hides the record of its name.
        """
        types_: list[Type] = []
        for node in nodes:
            if isinstance(node, tree.Declaration | tree.Function):
                self._declared.add(self._safe(node.name))
            if (type_ := getattr(node, "type", None)) is not None:
                types_.append(type_)
        for record in records_of(types_):
            self._declared.update(self._safe(name) for name in record.fields)

    # ------------------------------------------------------------ variables

    def variable(self, declaration: tree.Declaration) -> str:
        return self._moved.get(id(declaration)) or self._safe(declaration.name)

    def move(self, declaration: tree.Declaration, function: str) -> None:
        """Give a variable of a function a name at file scope."""
        self.rename(declaration, self._free(f"{function}_{self._safe(declaration.name)}"))

    def rename(self, declaration: tree.Declaration, name: str) -> None:
        """Give a variable another name."""
        self._moved[id(declaration)] = name
        self._kept.append(declaration)

    def function(self, function: tree.Function) -> str:
        return self._safe(function.name)

    def call_kernel(self, kernel: tree.Function) -> None:
        """Name the copy of a kernel that other functions call."""
        self._called[id(kernel)] = f"hc_called_{kernel.name}"

    def is_called(self, kernel: tree.Function) -> bool:
        """Return whether a kernel has a copy that other functions call."""
        return id(kernel) in self._called

    def call_name(self, function: tree.Function) -> str:
        """Return the name by which other functions call it."""
        return self._called.get(id(function)) or self.function(function)

    def _free(self, name: str) -> str:
        candidate, number = name, 1
        while candidate in self._taken or candidate in self._declared:
            number += 1
            candidate = f"{name}_{number}"
        self._taken.add(candidate)
        return candidate

    # ------------------------------------------------------------ types

    def type(self, type_: Type) -> str:
        """Return the name of a type alone."""
        return self.declare(type_, "").strip()

    def declare(self, type_: Type, name: str) -> str:
        """Return a declaration of a variable."""
        if isinstance(type_, Array):
            return self.declare(type_.element, f"{name}[{type_.length}]")
        if isinstance(type_, Pointer):
            inner = f"(*{name})" if isinstance(type_.pointee, Array) else f"*{name}"
            const = "const " if type_.is_const or type_.space == "constant" else ""
            return const + self.declare(type_.pointee, inner)
        return f"{self._plain(type_)} {name}"

    def _plain(self, type_: Type) -> str:
        if isinstance(type_, Scalar):
            return type_.name if type_.name in _SAME else f"hc_{type_.name}"
        if isinstance(type_, Vector):
            return f"hc_{type_}"
        if isinstance(type_, Record):
            return self._record(type_)
        if is_image(type_):
            return "hc_image"
        if type_ == types.SAMPLER:
            return "hc_uint"
        return "int" if type_ == types.EVENT else str(type_)

    def _record(self, record: Record) -> str:
        if id(record) not in self._records:
            is_named = re.fullmatch(r"[A-Za-z_]\w*", record.name)
            name = self._free(self._safe(record.name) if is_named else "hc_record")
            self._records[id(record)] = name
            self._define(record, name)
        return self._records[id(record)]

    def member(self, field: types.Field) -> str:
        """Return a field's name, or a generated one for an unnamed member."""
        if field.name.startswith("("):
            return f"hc_part{field.name[1:-1]}"
        return self._safe(field.name)

    def _define(self, record: Record, name: str) -> None:
        fields = "".join(
            f"    {self.declare(field.type, self.member(field))};\n"
            for field in record.fields.values()
        )
        word = "union" if record.is_union else "struct"
        aligned = f"alignas({record.align})"
        if is_packed(record):
            aligned = f"__attribute__((packed, aligned({record.align})))"
        self.definitions.append(
            f"{word} {aligned} {name} {{\n{fields}}};\n"
            f'static_assert(sizeof({name}) == {record.size}, "{name}: as OpenCL C lays it out");'
        )


def records_of(types_: Iterable[Type]) -> list[Record]:
    """Return the records that types are made of, and those of their members."""
    waiting, records = list(types_), dict[int, Record]()
    while waiting:
        type_ = waiting.pop()
        if isinstance(type_, Array):
            waiting.append(type_.element)
        elif isinstance(type_, Pointer):
            waiting.append(type_.pointee)
        elif isinstance(type_, Record) and id(type_) not in records:
            records[id(type_)] = type_
            waiting += [field.type for field in type_.fields.values()]
    return list(records.values())


def is_packed(record: Record) -> bool:
    """Return whether its fields are less aligned than their types."""
    return any(
        field.offset % field.type.align or record.align % field.type.align
        for field in record.fields.values()
    )


def has_gaps(record: Record) -> bool:
    """Return whether its fields have other offsets than C++ would give them."""
    end = 0
    for field in record.fields.values():
        align = 1 if is_packed(record) else field.type.align
        start = 0 if record.is_union else -(-end // align) * align
        if field.offset != start:
            return True
        end = start + field.type.size
    return False


def is_image(type_: Type) -> bool:
    """Return whether it is a type of image."""
    return isinstance(type_, Opaque) and type_.is_image


def opaque(type_: Type) -> Opaque | None:
    """Return the type, or its pointee, if C++ has no counterpart for it; else None."""
    while isinstance(type_, Pointer | Array):
        type_ = type_.pointee if isinstance(type_, Pointer) else type_.element
    known = (types.VOID, types.EVENT, types.SAMPLER)
    is_one = isinstance(type_, Opaque) and not (type_ in known or is_image(type_))
    return type_ if is_one else None  # type: ignore[return-value]
