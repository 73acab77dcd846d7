"""How deep programs nest, what Python's own limits are to become, and how long programs are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Statements and expressions in each other. Each takes some calls of Python.
DEEPEST = 500
#: Blocks and loops in each other in generated code, of which Python's compiler takes 98 and 20.
DEEPEST_BLOCKS = 95
DEEPEST_LOOPS = 20
#: Calls of functions in each other: at run time each is one of Python, too.
DEEPEST_CALLS = 100
#: Pointers, arrays and structures in each other.
DEEPEST_TYPES = 60
#: Files that include each other, as in clang.
DEEPEST_INCLUDES = 200

#: Characters of a file, and of all that it includes, each time that it does. The preprocessor
#: takes some hundred bytes for each; halfcl's own functions for devices are a sixth as long.
LONGEST = 1 << 21

#: Tokens that macros become, in all, with those that they are on the way.
MOST_EXPANDED = 1 << 20

#: Parentheses in each other in generated code. Python's parser takes 200.
_PARENTHESES = 60

_ROOM = 20 * DEEPEST


@contextmanager
def room() -> Iterator[None]:
    """Recursion that DEEPEST ends, not Python: its limit would cut off what libclang lists.

    For one thread at a time.
    """
    before, depth = sys.getrecursionlimit(), 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(max(before, depth + _ROOM))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def is_deep(text: str) -> bool:
    """Whether parentheses of a generated expression nest so deep that a name is due."""
    if text.count("(") <= _PARENTHESES:
        return False
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest > _PARENTHESES
