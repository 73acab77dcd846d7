"""Ctrl-C where exceptions would be lost, or would leave behind what was to be put back."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Those of a `noted_interrupts` block.

    handler: what Python would call for each.
    """

    def __init__(self, handler: Callable[[int, FrameType | None], object]) -> None:
        self._handler = handler
        self._noted: list[tuple[int, FrameType | None]] = []
        self._at_once = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The handler of the block."""
        if not self._at_once:
            self._noted.append((number, frame))
            return
        self._at_once = False  # once it is raised, what is put back is not interrupted
        self._handler(number, frame)
        self._at_once = True

    def check(self) -> None:
        """Raise what was noted."""
        if self._noted:
            self._handler(*self._noted.pop())

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """A block within, where Ctrl-C is raised when it comes."""
        self.check()
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False


@contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    """Ctrl-C is noted, and raised where what this gives is asked to, or at the end.

    libclang calls Python back for each child of a cursor: what is raised in there ctypes prints
    and drops, and the rest of the children would be missing. And what a ``with`` enters is not
    left if Ctrl-C is raised before its block begins, as Python does from 3.14 on.
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
