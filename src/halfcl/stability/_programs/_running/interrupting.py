"""Ctrl-C during a test: the first one ends it with a report, the second one ends the command."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

#: What has ended a test after the first one, in reports.
INTERRUPT = "Ctrl-C"


@contextlib.contextmanager
def first_interrupt_calls(function: Callable[[], object]) -> Iterator[None]:
    """Call a function on the first Ctrl-C inside the context, in place of a KeyboardInterrupt.

    A KeyboardInterrupt could be raised at any step, and lose what is known by then. Nothing is
    changed outside the main thread, and for programs that have a handler of their own.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def on_interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        function()

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
