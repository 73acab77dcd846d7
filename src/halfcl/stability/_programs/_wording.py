"""How reports of programs put things."""

from __future__ import annotations

import os
from collections.abc import Iterable

#: Ulps that stand for what has no number: a NaN or an infinity where there was none, other shapes.
FARTHEST = 65536.0


def counted(count: int, noun: str) -> str:
    """So many of something."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count} {noun}{ending}"


def ulps(distance: float) -> str:
    """A number of ulps, with two digits if it is small."""
    if distance >= FARTHEST:
        return "all"
    return f"{distance:.0f}" if distance >= 10 else f"{distance:.1f}".removesuffix(".0")


def where(file: str, line: int) -> str:
    """A line of a file."""
    return f"{os.path.basename(file)}:{line}"


def listed(names: Iterable[str]) -> str:
    """Runs by name, those at random by their count."""
    own = list(names)
    found = [name for name in own if not name.startswith("random")]
    at_random = len(own) - len(found)
    if at_random:
        found.append(f"{counted(at_random, 'run')} at random")
    return ", ".join(found)
