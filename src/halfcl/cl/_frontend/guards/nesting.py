"""Limits on the nesting and length of programs, and room in Python's own limits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Nested statements and expressions. Each needs several nested Python calls.
DEEPEST = 500
#: Nested blocks and loops in generated code; Python's compiler accepts 98 and 20.
DEEPEST_BLOCKS = 95
DEEPEST_LOOPS = 20
#: Nested function calls: each is a nested Python call at run time.
DEEPEST_CALLS = 100
#: Nested pointers, arrays and structures.
DEEPEST_TYPES = 60
#: Bytes of a variable.
LARGEST_VARIABLE = 1 << 28
#: Nested includes, as in clang.
DEEPEST_INCLUDES = 200

#: Characters that a program has after preprocessing, and of a directive. halfcl's own functions for
#: devices are a sixth as long.
LONGEST = 1 << 21

#: Characters of a file plus those of all files that it includes, each time that it does; and how
#: often files are included.
MOST_READ = 1 << 24
MOST_INCLUDES = 1 << 14

#: Lines in a row of a backslash alone: libclang recurses at each.
MOST_EMPTY_LINES = 10_000

#: Tokens that all macro expansions yield, including intermediate ones and arguments.
MOST_EXPANDED = 1 << 22

#: Nested parentheses in generated code. Python's parser accepts 200.
_PARENTHESES = 60

_ROOM = 20 * DEEPEST


@contextmanager
def recursion_room() -> Iterator[None]:
    """Raise Python's recursion limit so that DEEPEST ends a recursion, not Python.

    Python's limit would truncate what libclang lists. For one thread at a time.
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
    """Return whether parentheses of a generated expression nest so deeply that it needs a name."""
    if text.count("(") <= _PARENTHESES:
        return False
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest > _PARENTHESES
