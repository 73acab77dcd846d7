"""Masked arrays, whose masks nothing would heed: they are refused."""

from __future__ import annotations

import numpy as np


def check_unmasked(x: object, argument: str) -> None:
    """TypeError, which names the argument, if an array has a mask."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{argument}: expected an array without a mask, got a masked array; its .data has none"
        )
