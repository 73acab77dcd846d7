"""Rows of the table of built-in functions, and the reading of its lines."""

from __future__ import annotations

import functools
import itertools
import string
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypedDict, cast

from halfcl._settings.regions import SUFFIXES
from halfcl.cl._frontend.types import (
    BOOL,
    CHAR,
    EVENT,
    FLOAT,
    SAMPLER,
    SCALARS,
    UCHAR,
    WIDTHS,
    Opaque,
    Pointer,
    Scalar,
    Type,
    Vector,
)
from halfcl.typing import RoundingMode

#: Whether the result is the same for all items of a group: never, if the arguments are, or always.
Uniform = Literal["never", "arguments", "always"]

#: What a call does besides returning a value.
Effect = Literal["none", "read", "write", "atomic", "copy", "barrier", "exchange", "print"]

#: Who must execute a call together: nobody, the items that reach it, or all of a group.
Convergence = Literal["none", "active", "sub_group", "work_group"]

#: The elements that a function is for.
_ELEMENTS = {
    "number": frozenset(SCALARS.values()) - {BOOL},
    "floating": frozenset(s for s in SCALARS.values() if s.is_floating),
    "float": frozenset({FLOAT}),
    "integer": frozenset(s for s in SCALARS.values() if not s.is_floating) - {BOOL},
    "byte": frozenset({CHAR, UCHAR}),
}


class Family(NamedTuple):
    """The columns that the functions of a family share, unless a line of the table differs."""

    function: str  # the interpreter's, as in `Overload`
    elements: str = "number"
    uniform: Uniform = "arguments"
    effect: Effect = "none"
    convergence: Convergence = "none"
    needs_group: bool = False  # whether work-items run in whole work-groups


class Difference(TypedDict, total=False):
    """The columns in which a line differs from its family."""

    function: str
    uniform: Uniform
    effect: Effect
    convergence: Convergence


class Overload(NamedTuple):
    """A signature, and the interpreter's function that makes the function for a call.

    Parameters and result are in the words of the standard: T is a number whose element is one of
    `elements`; S also its element where T is a vector; E its element; I, U and B are int, an
    unsigned and a signed integer of its width, B int for scalars; X is any number. A parameter that
    ends with ? may be missing, and after ... anything may follow.
    """

    elements: frozenset[Scalar]
    parameters: tuple[str, ...]
    result: str
    function: str  # module and name in `_interpreter.builtins`

    def accepts(self, arguments: tuple[Type, ...]) -> bool:
        """Return whether a call that clang accepts is of this signature."""
        parameters = self.parameters
        if parameters[-1:] == ("...",):
            parameters = parameters[:-1]
            arguments = arguments[: len(parameters)]
        required = sum(not p.endswith("?") for p in parameters)
        return required <= len(arguments) <= len(parameters) and all(
            map(self._takes, parameters, arguments)
        )

    def _takes(self, parameter: str, type_: Type) -> bool:
        if parameter.endswith("*"):
            return isinstance(type_, Pointer)
        if parameter == "image":
            return isinstance(type_, Opaque) and type_.is_image
        if parameter in ("sampler", "event"):
            return type_ == (SAMPLER if parameter == "sampler" else EVENT)
        if not isinstance(type_, Scalar | Vector):
            return False
        return parameter not in ("T", "S") or type_.element in self.elements


class Builtin(NamedTuple):
    """A built-in function of OpenCL C.

    stem: the name without what varies in its family, which `parts` has. device: the function of
    translations that has the same bits for float and double: "own" for the device's of this name,
    which OpenCL fixes, "text" for one of the text's own, "double" for one that computes in double,
    another name for that function, or "" for none.
    """

    name: str
    stem: str
    parts: Mapping[str, str]
    family: str
    overloads: tuple[Overload, ...]
    device: str
    uniform: Uniform
    effect: Effect
    convergence: Convergence
    needs_group: bool

    @property
    def is_open(self) -> bool:
        """Return whether OpenCL leaves its results of float and double to devices."""
        return self.device not in ("own", "text")

    @property
    def mode(self) -> RoundingMode | None:
        """The rounding mode at the end of its name, or None."""
        return cast("RoundingMode | None", self.parts.get("mode", "").removeprefix("_") or None)

    def overload(self, arguments: tuple[Type, ...]) -> Overload | None:
        """Return the overload that takes arguments of these types, or None."""
        return next((o for o in self.overloads if o.accepts(arguments)), None)


# ---------------------------------------------------------------- lines of the table

#: What may stand for a word in braces in a name; {part:word} is the part of another name.
_CHOICES: dict[str, tuple[str, ...]] = {
    "aligned": ("", "a"),
    "any_width": ("", *map(str, WIDTHS)),
    "atomic": ("atomic_", "atom_"),
    "block": tuple(
        ending + width
        for ending in ("", "_uc", "_us", "_ui", "_ul")
        for width in ("", "2", "4", "8", *(("16",) if ending in ("_uc", "_us") else ()))
    ),
    "channels": ("f", "h", "i", "ui"),
    "bits": ("8", "16", "32", "64"),
    "bytes": ("16", "32", "64"),
    "comparison": ("eq", "ge", "gt", "le", "lt"),
    "explicit": ("", "_explicit"),
    "fast": ("", "fast_"),
    "floating": ("half", "float", "double"),
    "fold": ("reduce", "scan_inclusive", "scan_exclusive"),
    "integer": ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"),
    "intel": ("", "intel_"),
    "int": ("int",),
    "fetched": ("add", "sub", "or", "xor", "and", "min", "max"),
    "long": ("", "l", "ll"),
    "mode": ("", *SUFFIXES),
    "native": ("native_", "half_"),
    "never": ("",),
    "operation": (
        "add", "mul", "min", "max", "and", "or", "xor", "logical_and", "logical_or", "logical_xor"
    ),
    "reduce": ("reduce",),
    "saturates": ("", "_sat"),
    "scan": ("scan_inclusive", "scan_exclusive"),
    "signed": ("ss", "us", "su"),
    "strength": ("strong", "weak"),
    "sum": ("add", "min", "max"),
    "uint": ("uint",),
    "unsigned": ("uu",),
    "vote": ("all", "any"),
    "word": ("", "l"),
    "width": tuple(map(str, WIDTHS)),
}  # fmt: skip


@functools.cache
def read_overload(text: str, elements: str, function: str) -> Overload:
    """Read "elements result(parameters) = function", whose first and last word may be missing."""
    signature, _, own_function = text.strip().partition(" = ")
    head, _, parameters = signature.rstrip(")").partition("(")
    *own_elements, result = head.split()
    names = tuple(parameters.split(", ")) if parameters else ()
    allowed = _ELEMENTS[own_elements[0] if own_elements else elements]
    return Overload(allowed, names, result, own_function or function)


def expand(pattern: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the names, stems and parts that a name with words in braces stands for."""
    fields = list(string.Formatter().parse(pattern))
    stem = "".join(text for text, *_ in fields)
    choices = {part: _CHOICES[word or part] for _, part, word, _ in fields if part}
    for choice in itertools.product(*choices.values()):
        parts = dict(zip(choices, choice, strict=True))
        yield "".join(text + parts.get(part or "", "") for text, part, *_ in fields), stem, parts
