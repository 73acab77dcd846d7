"""What commands' arguments are read by."""

from __future__ import annotations


def names(text: str) -> list[str]:
    """Those between commas or blanks."""
    return text.replace(",", " ").split()
