"""A large stack for libclang, which recurses as deeply as a program nests, and crashes silently.

libclang runs in a thread with a large stack; programs that would not fit are refused before.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.guards.interrupts import Interrupts
from halfcl.cl._frontend.preprocessing import Text

_Result = TypeVar("_Result")

#: Bytes of stack; only used pages take memory.
_STACK = 1 << 27
_LEAST_STACK = 1 << 23
#: Bytes per nested token. The worst case of libclang 18 on x86-64 is sizeof, with 6.2 KB.
_BYTES_OF_TOKEN = 13000

#: Otherwise libclang parses in its own thread, whose 8 MB of stack may overflow.
os.environ.setdefault("LIBCLANG_NOTHREADS", "1")


class _Stopped(Exception):
    """Raised in the thread after Ctrl-C, which the waiting thread raises."""


class _Worker(Generic[_Result]):
    """Calls a function in a thread, and stores its result or exception."""

    def __init__(self, function: Callable[[Callable[[], None], int], _Result]) -> None:
        self.function, self.is_stopped, self.most_tokens = function, False, 0
        self.result: _Result | None = None
        self.error: BaseException | None = None

    def check(self) -> None:
        """Stop the function if requested; it calls this regularly."""
        if self.is_stopped:
            raise _Stopped

    def run(self) -> None:
        """Call the function in the thread."""
        try:
            self.result = self.function(self.check, self.most_tokens)
        except BaseException as error:
            self.error = error

    def begin(self) -> threading.Thread:
        """Start a thread with as large a stack as possible, and return it."""
        before, size = threading.stack_size(), _STACK
        try:
            while True:
                threading.stack_size(size)
                self.most_tokens = size // _BYTES_OF_TOKEN
                # A new thread per try: since Python 3.13 a thread cannot retry a failed start.
                thread = threading.Thread(target=self.run, name="halfcl build", daemon=True)
                try:
                    thread.start()
                    return thread
                except RuntimeError:  # no memory for such a stack, or a limit
                    size //= 2
                    if size < _LEAST_STACK:
                        raise
        finally:
            threading.stack_size(before)


def with_stack(
    function: Callable[[Callable[[], None], int], _Result], interrupts: Interrupts
) -> _Result:
    """Call a function in a thread with a large stack, and return its result.

    Its arguments are a function to call regularly, and the number of tokens that may nest. Ctrl-C
    is raised here.
    """
    worker = _Worker(function)
    thread = worker.begin()
    try:
        while thread.is_alive():
            thread.join(0.1)
            interrupts.check()
    finally:
        worker.is_stopped = True
        thread.join()
    try:
        if worker.error is not None:
            raise worker.error
        return worker.result  # type: ignore[return-value]
    finally:
        worker.error = None  # its traceback refers to this frame


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[\w$]+|\S', re.DOTALL)


def check_depth(text: Text, most: int) -> None:
    """Raise BuildError if too many tokens may nest."""
    if len(text.text) <= most:
        return
    at = _too_deep(text.text, most)
    if at is not None:
        place = text.place_of(len(text.text[:at].encode()))
        message = f"not supported: nested too deeply: more than {most:,} tokens in one statement"
        raise BuildError([Diagnostic(place, "error", message)])


def _too_deep(text: str, most: int) -> int | None:
    """Return where one statement, with the brackets around it, has too many tokens; or None.

    No token nests deeper than the number of tokens before it there. Elements of lists in braces do
    not nest; else continues the statement before.
    """
    counts, in_list = [0], [0]  # tokens per open bracket; the same including all list elements
    are_blocks = [False]  # whether the bracket contains statements
    around, has_ended = 0, False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if has_ended and token != "else":
            counts[-1] = in_list[-1] = 0
        has_ended = False
        counts[-1] += 1
        in_list[-1] += 1
        if token in "([{":
            around += counts[-1]
            counts.append(0)
            in_list.append(0)
            are_blocks.append(False)
        elif token in ")]}" and len(counts) > 1:
            counts.pop()
            in_list.pop()
            has_ended = are_blocks.pop() and token == "}"
            around -= counts[-1]
            are_blocks[-1] |= has_ended
        elif token == ";":
            has_ended = are_blocks[-1] = True
            if in_list[-1] > most:  # commas that are operators
                return match.start()
        elif token == ",":
            counts[-1] = 0
        if around + counts[-1] > most:
            return match.start()
    return None
