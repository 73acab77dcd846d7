"""How large a file may say that it is, before memory is asked for."""

from __future__ import annotations

import operator

#: The most pixels of a file unless told otherwise: as many as Pillow takes.
MAX_PIXELS = 178_956_970


def check_limit(argument: str, limit: object) -> int | None:
    """A limit that was given, as an int; None is none."""
    if limit is None:
        return None
    try:
        if isinstance(limit, bool):
            raise TypeError
        number = operator.index(limit)  # type: ignore[arg-type]  # that is what it tells
    except TypeError:
        raise TypeError(f"{argument}: expected an int or None, got {limit!r:.80}") from None
    if number < 1:
        raise ValueError(f"{argument}: expected 1 or more, or None, got {limit!r}")
    return number


def check_pixels(text: str, pixels: int, shown: str, most: int | None) -> None:
    """Refuse a file of more pixels than allowed."""
    if most is not None and pixels > most:
        raise ValueError(
            f"path: expected a picture of at most max_pixels={most:,}, got {text!r} of {shown}; a"
            " larger max_pixels reads it, None any"
        )
