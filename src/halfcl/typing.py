"""Types for annotations of code that uses halfcl."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["RoundingMode"]

#: The rounding modes: to nearest even, toward zero, toward plus and minus infinity.
RoundingMode: TypeAlias = Literal["rte", "rtz", "rtp", "rtn"]
