"""The target of a translation: its settings, what it uses, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.errors import Diagnostic, SourceLocation
from halfcl.cl._frontend.types import DOUBLE, FLOAT, HALF, Number, Type
from halfcl.cl._translation.editing.edits import Edits
from halfcl.cl._translation.editing.rewriting import Rewriter
from halfcl.cl._translation.result import DeviceCall, FloatFunctions
from halfcl.typing import RoundingMode

#: Contraction in a translation.
Fusing: TypeAlias = Literal["never", "always"]


#: Device capabilities that a translated text may need, as a comment in it states.
NEEDS = {
    "double": "double",
    "division": "float division and roots rounded rightly, by "
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "subnormal": "subnormal floats",
}


def missing_needs(text: str, has: Mapping[str, bool]) -> str:
    """Return the first need that a translated text states and a device does not meet, or ""."""
    lacking = [NEEDS[need] for need, there in has.items() if not there]
    return next((x for x in lacking if f"/* It needs of the device: {x}. */" in text), "")


class Wrapping(NamedTuple):
    """Text before and behind an operand."""

    prefix: str
    suffix: str = ")"

    def __call__(self, text: str) -> str:
        return f"{self.prefix}{text}{self.suffix}"


@dataclass(slots=True)
class Target:
    """The settings of a translation and its results so far."""

    fp16: bool
    contract: Fusing
    rounding: RoundingMode | None  # before the first pragma; None: the macro HC_MODE
    rewriter: Rewriter
    data: bytes  # the preprocessed text
    #: halfcl.device's names of operations that the device itself rounds to nearest correctly.
    native: frozenset[str]
    place_of: Callable[[int], SourceLocation | None]
    is_intel: bool = False  # whether for Intel's runtime for CPUs
    has_samplers: bool = False  # whether samplers are numbers, and the text samples itself
    float_functions: FloatFunctions = "exact"
    repetition: float = 1.0  # see texts.inlining
    most_items: int = 0  # of a work-group, if kernels declare their slots; else 0
    decodes_colors: bool = False  # whether the text decodes and encodes the colours of images
    edits: Edits = field(default_factory=Edits)
    functions: set[str] = field(default_factory=set)  # functions of halfcl.device
    helpers: set[str] = field(default_factory=set)  # functions of the prelude
    needs: set[str] = field(default_factory=set)  # keys of NEEDS
    refused: list[Diagnostic] = field(default_factory=list)
    device_calls: list[DeviceCall] = field(default_factory=list)

    def leave(self, node: tree.BuiltinCall, type_: Type) -> None:
        """Record a call that the text leaves to the device."""
        self.device_calls.append(DeviceCall(self.place_of(node.at), node.name, str(type_)))

    def refuse(self, node: tree.Node, what: str) -> None:
        diagnostic = Diagnostic(self.place_of(node.at), "error", f"not translated: {what}")
        if diagnostic not in self.refused:
            self.refused.append(diagnostic)

    # ------------------------------------------------------------ names

    def mode(self, mode: tree.Mode) -> RoundingMode | None:
        return self.rounding if mode is None else mode

    def call(self, name: str, mode: tree.Mode) -> str:
        """Return the name of a function of halfcl.device in a mode."""
        self.functions.add(name)
        return self._select_mode(name, mode)

    def helper(self, name: str, mode: tree.Mode) -> str:
        """Return the name of a function of the prelude in a mode."""
        self.helpers.add(name)
        return self._select_mode(name, mode)

    def _select_mode(self, name: str, mode: tree.Mode) -> str:
        chosen = self.mode(mode)
        return f"hc_{name}_{chosen}" if chosen else f"HC_IN({name}, HC_MODE)"

    def plain(self, name: str) -> str:
        """Return the name of a function of halfcl.device that rounds to nearest or is exact."""
        self.functions.add(name)
        return f"hc_{name}"

    def type(self, type_: Type) -> str:
        """Return a type's name in the translated text."""
        if is_half(type_):
            return "hc_half" + str(type_).removeprefix("half")
        return str(type_)

    def is_native(self, name: str, mode: tree.Mode) -> bool:
        """Return whether the device's own operation on halves is right."""
        return self.fp16 and name in self.native and self.mode(mode) == "rte"

    def needs_directed_rounding(self, type_: Type, mode: tree.Mode) -> bool:
        """Return whether float or double arithmetic is in a directed mode, which devices lack."""
        return getattr(type_, "element", None) in (FLOAT, DOUBLE) and self.mode(mode) != "rte"


def is_half(type_: Type) -> bool:
    """Return whether it is half or a vector of half."""
    return getattr(type_, "element", None) == HALF


def extent(node: tree.Expression) -> tuple[int, int]:
    """Return the extent of its text with parentheses; implicit nodes have their operand's."""
    while node.extent is None:
        if isinstance(node, tree.Conversion | tree.Splat | tree.Reinterpretation):
            node = node.operand
        elif isinstance(node, tree.Dereference | tree.AddressOf | tree.PointerStep):
            node = next(iter(node.children()))  # type: ignore[assignment]
        else:
            raise AssertionError(f"no text of {type(node).__name__}")
    return node.extent


def width(type_: Number) -> str:
    """Return the width as the suffix of a type's name."""
    return "" if type_.width == 1 else str(type_.width)


def is_plain(node: tree.Node) -> bool:
    """Return whether it has no side effects, so that it may be evaluated twice."""
    changing = tree.Assignment | tree.CompoundAssignment | tree.Increment | tree.Call
    return not any(
        isinstance(n, changing | tree.BuiltinCall) and not _is_id(n) for n in tree.walk(node)
    )


def _is_id(node: tree.Node) -> bool:
    return isinstance(node, tree.BuiltinCall) and node.name.startswith("get_")
