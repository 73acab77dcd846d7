"""Checks of arguments that are arrays without masks, as files hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl._support.arguments.masks import check_unmasked


def as_array(argument: str, x: object) -> NDArray[Any]:
    """Convert x to a plain array; errors name the argument."""
    check_unmasked(x, argument)
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError(f"{argument}: expected numbers in an array, got {x!r:.80}") from None


def codes_hint(dtype: np.dtype[Any]) -> str:
    """Return the end of an error about integers: the calls that make halves of a file's codes."""
    if dtype not in (np.uint8, np.uint16):
        return ""
    return (
        "; halfcl.io.srgb_decode(x) reads a photograph's codes, "
        f"halfcl.from_unorm{8 * dtype.itemsize}(x) data's"
    )
