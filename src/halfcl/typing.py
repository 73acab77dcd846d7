"""Types for annotations of code that uses halfcl."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from halfcl._annotations import HalfLike

__all__ = ["HalfLike", "RoundingMode"]

#: The rounding modes: to nearest even, toward zero, toward plus and minus infinity.
RoundingMode: TypeAlias = Literal["rte", "rtz", "rtp", "rtn"]


def __getattr__(name: str) -> object:
    # Imported on first use, since halfcl itself needs it for type checkers only.
    if name == "HalfLike":
        return globals().setdefault(name, import_module("halfcl._annotations").HalfLike)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
