"""The declarations in kernels.h, and which of them functions for devices need."""

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

#: The prefix of public functions among them.
ROOT = "device_"


@dataclass(frozen=True)
class Declaration:
    """The names that a text defines, without hci_, and the text."""

    names: tuple[str, ...]
    text: str

    @property
    def needs(self) -> frozenset[str]:
        """Names in the text, which it may depend on."""
        return frozenset(_NAME.findall(self.text))


def resource(name: str) -> str:
    """Return a text file of halfcl.device."""
    return files("halfcl.device").joinpath(name).read_text(encoding="utf-8")


def prelude(name: str) -> str:
    """Return one of the preludes."""
    return resource(f"preludes/{name}")


@cache
def declarations(name: str = "") -> tuple[Declaration, ...]:
    """Return all declarations of a prelude, or of kernels.h, in an order that compilers accept."""
    _, *pieces = _MARK.split(prelude(name) if name else resource("kernels.h"))
    return tuple(
        Declaration(tuple(names.replace("//=", "").split()), text.strip())
        for names, text in zip(pieces[::2], pieces[1::2], strict=True)
    )


@cache
def roots() -> frozenset[str]:
    """Return the names of the functions that kernels.h defines for devices."""
    names = (name for d in declarations() for name in d.names)
    return frozenset(n.removeprefix(ROOT) for n in names if n.startswith(ROOT))


def defined_names(text: str) -> frozenset[str]:
    """Return the names that a text of macros and functions defines."""
    macros = re.findall(r"^#define hci_(\w+)", text, re.MULTILINE)
    return frozenset(macros) | find_functions(text).keys()


def find_functions(text: str) -> dict[str, str]:
    """Return the functions of a text, by name."""
    return {match.group(1): match.group() for match in _FUNCTION.finditer(text)}


def collect(
    functions: Iterable[str],
    defined: frozenset[str],
    replaced: Mapping[str, str],
    more: Iterable[Declaration] = (),
) -> list[str]:
    """Return the declarations that functions, names of `roots`, depend on, in order.

    defined: names that need no declaration. replaced: other texts of some functions, with ``@@``
    for the declaration itself. more: declarations for these texts, put before the first of `roots`.
    """
    first = next(k for k, d in enumerate(declarations()) if d.names[0].startswith(ROOT))
    every = [*declarations()[:first], *more, *declarations()[first:]]
    by_name = {name: _replace(d, replaced) for d in every for name in d.names}
    waiting = [ROOT + name for name in functions]
    selected = set[Declaration]()
    while waiting:
        name = waiting.pop()
        declaration = by_name.get(name)
        if declaration and name not in defined and declaration not in selected:
            selected.add(declaration)
            waiting += declaration.needs
    return [d.text for d in dict.fromkeys(by_name.values()) if d in selected]


def _replace(declaration: Declaration, replaced: Mapping[str, str]) -> Declaration:
    """Return a declaration with its text replaced, if there is another."""
    other = replaced.get(declaration.names[0])
    if other is None:
        return declaration
    return Declaration(declaration.names, other.replace("@@", declaration.text))
