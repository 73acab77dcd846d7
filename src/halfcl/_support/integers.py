"""Arguments that are integers."""

from __future__ import annotations

import operator
from typing import Any


def as_int(argument: str, value: Any) -> int:
    """An integer of any type as an int; TypeError, which names the argument, of anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{argument}: expected an int, got {type(value).__name__}") from None
