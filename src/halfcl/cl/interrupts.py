"""Ctrl-C where exceptions would be lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted_interrupts() -> Iterator[Callable[[], None]]:
    """Ctrl-C is noted, and raised by the function that this gives, or at the end.

    libclang calls Python back for each child of a cursor: what is raised in there ctypes prints
    and drops, and the rest of the children would be missing.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    noted: list[tuple[int, FrameType | None]] = []

    def check() -> None:
        if noted:
            before(*noted.pop())

    signal.signal(signal.SIGINT, lambda number, frame: noted.append((number, frame)))
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
    check()
