"""Limits on the size that a file may declare, checked before memory is allocated."""

from __future__ import annotations

import operator

#: The default limit on a file's pixels: that of Pillow.
MAX_PIXELS = 178_956_970


def check_limit(argument: str, limit: object) -> int | None:
    """Convert a limit to an int; None means no limit."""
    if limit is None:
        return None
    try:
        if isinstance(limit, bool):
            raise TypeError
        number = operator.index(limit)  # type: ignore[arg-type]  # index raises TypeError
    except TypeError:
        raise TypeError(f"{argument}: expected an int or None, got {limit!r:.80}") from None
    if number < 1:
        raise ValueError(f"{argument}: expected 1 or more, or None, got {limit!r}")
    return number


def check_pixels(text: str, pixels: int, shown: str, most: int | None) -> None:
    """Raise ValueError for a file of more pixels than allowed."""
    if most is not None and pixels > most:
        raise ValueError(
            f"path: expected a picture of at most max_pixels={most:,}, got {text!r} of {shown};"
            " use a larger max_pixels, or None"
        )
