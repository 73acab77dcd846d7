"""Masked arrays are refused, since functions would ignore their masks."""

from __future__ import annotations

import numpy as np


def check_unmasked(x: object, argument: str) -> None:
    """Raise TypeError, with the argument's name, if an array has a mask."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{argument}: expected an array without a mask, got a masked array; use its .data"
        )
