"""Parsers of arguments that several commands share."""

from __future__ import annotations


def names(text: str) -> list[str]:
    """Split a text at commas and blanks."""
    return text.replace(",", " ").split()
