"""The declarations that functions for devices are made of (kernels.h), and which of them some
functions need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_MARK = re.compile(r"((?:^//= .+\n)+)", re.MULTILINE)
_NAME = re.compile(r"\bhci_(\w+)")
_FUNCTION = re.compile(
    r"(?:/\*[^/]*\*/\n)?^HCI_(?:FUNCTION|RARE|SELDOM) [^;{]*?\bhci_(\w+)\(.*?^}$",
    re.MULTILINE | re.DOTALL,
)

#: What a public function's name begins with among them.
ROOT = "device_"


@dataclass(frozen=True)
class Declaration:
    """The names that a text defines, and those in it; without hci_."""

    names: tuple[str, ...]
    text: str

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(_NAME.findall(self.text))


def resource(name: str) -> str:
    """A text of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def declarations(name: str = "kernels.h") -> tuple[Declaration, ...]:
    """All that a text has, in an order in which compilers can read them."""
    _, *parts = _MARK.split(resource(name))
    return tuple(
        Declaration(tuple(names.replace("//=", "").split()), text.strip())
        for names, text in zip(parts[::2], parts[1::2], strict=True)
    )


@cache
def roots() -> frozenset[str]:
    """The functions that there are."""
    names = (name for d in declarations() for name in d.names)
    return frozenset(n.removeprefix(ROOT) for n in names if n.startswith(ROOT))


def defined_in(prelude: str) -> frozenset[str]:
    """The names that a text of macros and functions defines."""
    macros = re.findall(r"^#define hci_(\w+)", prelude, re.MULTILINE)
    return frozenset(macros) | functions_in(prelude).keys()


def functions_in(text: str) -> dict[str, str]:
    """The functions of a text, by name."""
    return {match.group(1): match.group() for match in _FUNCTION.finditer(text)}


def needed(
    functions: Iterable[str],
    defined: frozenset[str],
    replaced: Mapping[str, str],
    more: Iterable[Declaration] = (),
) -> list[str]:
    """What functions are made of, in order.

    Parameters
    ----------
    functions : iterable of str
        Names of `roots`.
    defined : frozenset of str
        What is there already.
    replaced : mapping of str to str
        Other texts of some functions, by name. Where one has ``@@``, the declaration itself goes.
    more : iterable of Declaration
        What those texts are made of: it goes before the first of `roots`.
    """
    first = next(k for k, d in enumerate(declarations()) if d.names[0].startswith(ROOT))
    every = [*declarations()[:first], *more, *declarations()[first:]]
    by_name = {name: _of(d, replaced) for d in every for name in d.names}
    waiting = [ROOT + name for name in functions]
    kept = set[Declaration]()
    while waiting:
        name = waiting.pop()
        declaration = by_name.get(name)
        if declaration and name not in defined and declaration not in kept:
            kept.add(declaration)
            waiting += declaration.needs
    return [d.text for d in dict.fromkeys(by_name.values()) if d in kept]


def _of(declaration: Declaration, replaced: Mapping[str, str]) -> Declaration:
    other = replaced.get(declaration.names[0])
    if other is None:
        return declaration
    return Declaration(declaration.names, other.replace("@@", declaration.text))
