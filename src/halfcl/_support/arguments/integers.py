"""Integer arguments."""

from __future__ import annotations

import operator
from typing import Any


def as_int(argument: str, value: Any) -> int:
    """Return an integer as an int; raise TypeError, with the argument's name, otherwise."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{argument}: expected an int, got {type(value).__name__}") from None
