"""The parts of initializers in C++, whose braces can name no members."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.types import Array, Field, Record, Type, wrap

#: Offsets and values, in the order in which they are stored.
Parts: TypeAlias = list[tuple[int, tree.Expression]]


class Slot(NamedTuple):
    """A member of an array or a record: its offset, its type, and how its name is appended."""

    start: int
    type: Type
    field: Field | None
    number: int

    @property
    def end(self) -> int:
        return self.start + self.type.size


def slots(type_: Type, start: int) -> Iterator[Slot]:
    """Yield the members of an array or a record that begins at an offset."""
    if isinstance(type_, Array):
        element = type_.element
        yield from (Slot(start + i * element.size, element, None, i) for i in range(type_.length))
    elif isinstance(type_, Record):
        for index, field in enumerate(type_.fields.values()):
            yield Slot(start + field.offset, field.type, field, index)


def parts_within(slot: Slot, parts: Parts) -> Parts:
    """Return the parts of a member, by offset."""
    inside = [(at, part) for at, part in parts if slot.start <= at < slot.end]
    return sorted(inside, key=lambda part: part[0])


def overlapping(parts: Parts) -> tree.Expression | None:
    """Return a value that replaces a part of an earlier one, or None."""
    end = 0
    for at, part in sorted(parts, key=lambda part: part[0]):
        if at < end:
            return part
        end = at + part.type.size
    return None


def needs_assignments(record: Record, start: int, parts: Parts) -> bool:
    """Return whether braces cannot initialize a record.

    They cannot if values overlap, and if they are those of a later member of a union.
    """
    if overlapping(parts) is not None:
        return True
    if not record.is_union or not parts:
        return False
    first = next(slots(record, start))
    return not _fits(first.type, first.start, parts)


def _fits(type_: Type, start: int, parts: Parts) -> bool:
    """Return whether values are those of members of a type."""
    rest = parts
    if len(parts) == 1 and parts[0][0] == start and parts[0][1].type == type_:
        return True
    for slot in slots(type_, start):
        inside = parts_within(slot, rest)
        if inside and _fits(slot.type, slot.start, inside):
            rest = [part for part in rest if part not in inside]
    return not rest


def numbers_of(parts: Parts) -> Iterator[tuple[int, tree.Expression]]:
    """Yield the parts, with each letter of a string on its own."""
    for at, part in parts:
        if not isinstance(part, tree.Text):
            yield at, part
            continue
        element = part.type.element
        for index, letter in enumerate(part.value.ljust(part.type.length, b"\0")):
            yield at + index, tree.Literal(part.at, element, wrap(letter, element.dtype))


def path_to(
    type_: Type, start: int, offset: int, wanted: Type, name_of: Callable[[Field], str]
) -> str | None:
    """Return the names of members that lead to a part of a type at an offset, as `.a[1]`."""
    if start == offset and type_ == wanted:
        return ""
    for slot in slots(type_, start):
        if not slot.start <= offset < slot.end:
            continue
        rest = path_to(slot.type, slot.start, offset, wanted, name_of)
        if rest is not None:
            own = f"[{slot.number}]" if slot.field is None else f".{name_of(slot.field)}"
            return own + rest
    return None
