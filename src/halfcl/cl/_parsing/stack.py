"""Room for libclang, which recurses as deep as a program nests, and says nothing when it falls.

It is asked in a thread with a large stack. What does not fit there is refused before.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from halfcl.cl._errors import BuildError, Diagnostic
from halfcl.cl._interrupts import Interrupts
from halfcl.cl._preprocessing import Text

_Result = TypeVar("_Result")

#: Bytes of stack; only what is used becomes memory.
_STACK = 1 << 27
_LEAST_STACK = 1 << 23
#: For each token that may nest. Of libclang 18 on x86-64 the worst is sizeof, with 6.2 KB.
_BYTES_OF_TOKEN = 13000

#: Without this, libclang parses in a thread of its own, whose 8 MB end the process.
os.environ.setdefault("LIBCLANG_NOTHREADS", "1")


class _Stopped(Exception):
    """Ctrl-C has come, and who waits raises it."""


class _Worker(Generic[_Result]):
    """Calls a function in a thread, and keeps what comes of it."""

    def __init__(self, function: Callable[[Callable[[], None], int], _Result]) -> None:
        self.function, self.is_stopped, self.most_tokens = function, False, 0
        self.result: _Result | None = None
        self.error: BaseException | None = None

    def check(self) -> None:
        """What the function calls now and then."""
        if self.is_stopped:
            raise _Stopped

    def run(self) -> None:
        """Call the function: this is what the thread does."""
        try:
            self.result = self.function(self.check, self.most_tokens)
        except BaseException as error:
            self.error = error

    def begin(self) -> threading.Thread:
        """Start a thread with as large a stack as there is, and return it."""
        before, size = threading.stack_size(), _STACK
        try:
            while True:
                threading.stack_size(size)
                self.most_tokens = size // _BYTES_OF_TOKEN
                # A new one for each try: since Python 3.13 one that failed to start has started.
                thread = threading.Thread(target=self.run, name="halfcl build", daemon=True)
                try:
                    thread.start()
                    return thread
                except RuntimeError:  # no memory, or none allowed, for so much
                    size //= 2
                    if size < _LEAST_STACK:
                        raise
        finally:
            threading.stack_size(before)


def with_stack(
    function: Callable[[Callable[[], None], int], _Result], interrupts: Interrupts
) -> _Result:
    """What a function gives that is called, in a thread with a large stack, with what it has to
    call now and then, and with how many tokens may nest. Ctrl-C is raised here."""
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
        worker.error = None  # whose traceback has this frame


_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[\w$]+|\S',
    re.DOTALL,
)


def check_depth(text: Text, most: int) -> None:
    """BuildError if more tokens may nest in each other."""
    if len(text.text) <= most:
        return
    at = _too_deep(text.text, most)
    if at is not None:
        place = text.place_of(len(text.text[:at].encode()))
        message = f"not supported: nested too deeply: more than {most:,} tokens in one statement"
        raise BuildError([Diagnostic(place, "error", message)])


def _too_deep(text: str, most: int) -> int | None:
    """Where too many tokens stand in one statement, and in those and the brackets around it.

    No token nests deeper than in all that come before it there. Elements of lists in braces do
    not nest; and else goes on with what is before.
    """
    counts, in_list = [0], [0]  # of each bracket that is open: tokens; and with those of the list
    are_blocks = [False]  # whether statements have been seen in it
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
