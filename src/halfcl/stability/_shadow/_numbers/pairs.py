"""The type of double-double numbers."""

from __future__ import annotations

from typing import Any, NamedTuple


class Pair(NamedTuple):
    """A double-double number or array: the sum of two doubles.

    The second may be one float for all elements of an array.
    """

    high: Any
    low: Any
