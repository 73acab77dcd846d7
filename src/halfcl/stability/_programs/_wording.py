"""Formats counts, distances and places for reports of programs."""

from __future__ import annotations

import os
from collections.abc import Iterable

#: Ulps of incomparable results: one is a NaN or an infinity and the other is not, or other shapes.
FARTHEST = 65536.0

#: The name of a failing run among the results that units are to blame for.
FAILURE = "the program fails"


def quantity(count: int, noun: str) -> str:
    """Format a number of things, with the plural of the noun."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count} {noun}{ending}"


def ulps(distance: float) -> str:
    """Format a number of ulps, with a decimal if it is small."""
    if distance >= FARTHEST:
        return "all"
    return f"{distance:.0f}" if distance >= 10 else f"{distance:.1f}".removesuffix(".0")


def location(file: str, line: int) -> str:
    """Format a line of a file."""
    return f"{os.path.basename(file)}:{line}"


def file_name(file: str) -> str:
    """Return a file's path in the working folder; elsewhere its name and its folder's."""
    try:
        path = os.path.relpath(file)
    except ValueError:  # another drive of Windows
        path = os.pardir
    if path.startswith(os.pardir):
        path = os.path.join(*os.path.normpath(file).split(os.sep)[-2:])
    return path


def join_runs(names: Iterable[str]) -> str:
    """Join the names of runs; random runs are only counted."""
    own = list(names)
    named = [name for name in own if not name.startswith("random")]
    at_random = len(own) - len(named)
    if at_random:
        named.append(f"{quantity(at_random, 'run')} at random")
    return ", ".join(named)
