"""Ctrl-C where an exception would be lost, or would leave global state changed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """The interrupts during a `defer_interrupts` block.

    handler: the handler that Python would call.
    """

    def __init__(self, handler: Callable[[int, FrameType | None], object]) -> None:
        self._handler = handler
        self._noted: list[tuple[int, FrameType | None]] = []
        self._at_once = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle SIGINT in the block."""
        if not self._at_once:
            self._noted.append((number, frame))
            return
        self._at_once = False  # once raised, do not interrupt the code that restores state
        self._handler(number, frame)
        self._at_once = True

    def check(self) -> None:
        """Raise a pending interrupt."""
        if self._noted:
            self._handler(*self._noted.pop())

    @contextmanager
    def raise_immediately(self) -> Iterator[None]:
        """Enter a block in which Ctrl-C is raised immediately."""
        self.check()
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False


@contextmanager
def defer_interrupts() -> Iterator[Interrupts]:
    """Defer Ctrl-C until the yielded object is asked to raise it, or until the end.

    libclang calls Python back for each child of a cursor: ctypes prints and drops exceptions raised
    there, and the remaining children would be missing. Moreover, Python from 3.14 on does not exit
    a ``with`` that Ctrl-C interrupts before its block begins.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield Interrupts(lambda *_: None)
        return
    interrupts = Interrupts(before)
    signal.signal(signal.SIGINT, interrupts.handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
    interrupts.check()
