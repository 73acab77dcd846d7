"""Masked arrays are refused, since functions would ignore their masks."""

from __future__ import annotations

import sys


def is_masked(x: object) -> bool:
    """Return whether a value is a masked array, without importing numpy.ma, which is slow."""
    masked_array: type | tuple[()] = getattr(sys.modules.get("numpy.ma.core"), "MaskedArray", ())
    return isinstance(x, masked_array)


def check_unmasked(x: object, argument: str) -> None:
    """Raise TypeError, with the argument's name, if an array has a mask."""
    if is_masked(x):
        raise TypeError(
            f"{argument}: expected an array without a mask, got a masked array; use its .data"
        )
