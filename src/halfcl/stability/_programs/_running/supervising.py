"""Supervisor of a run: a process between the command and the run that ends its descendants."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator

from halfcl.stability._programs._running import protecting

#: Signals that end this process on purpose, and those that a terminal sends to its group. Systems
#: without some of them do not fork.
_HELD_BACK = {
    getattr(signal, name)
    for name in ("SIGTERM", "SIGCHLD", "SIGINT", "SIGHUP", "SIGURG")
    if hasattr(signal, name)
}


def supervise(start: Callable[[], None], has_group: bool, finish: Callable[[], None]) -> None:
    """Run something in a fork of this process, end its descendants, and end with its status.

    Descendants may have left its group and its session. On Linux, orphans become children of this
    process. SIGTERM ends them all, and so does the end of this process's parent. The signal that
    asks where the program is goes on to the run.

    start: runs in the fork. has_group: whether the run gets its own process group; without it, the
    run is in the command's group, and can read its terminal. finish: called after all descendants
    have ended.
    """
    protecting.adopt_orphans()
    for awaited in (signal.SIGCHLD, signal.SIGURG):
        signal.signal(awaited, lambda *_: None)  # An ignored signal may not be delivered.
    group = os.getpgrp()
    os.setpgid(0, 0)  # Signals to the command's group do not reach this process.
    parent, number = os.getpid(), os.fork()
    if not number:
        protecting.end_with_parent(parent)
        os.setpgid(0, 0 if has_group else group)
        for awaited in (signal.SIGCHLD, signal.SIGURG):
            signal.signal(awaited, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)
        start()
        os._exit(0)
    status = _wait(number)
    _end_descendants(number)
    finish()
    _end_as(1 if status is None else os.waitstatus_to_exitcode(status))


def hold_signals_back() -> None:
    """Block the signals that `supervise` waits for, before the first one can arrive."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)


def _wait(number: int) -> int | None:
    """Wait until a run ends, and return its status; return None on SIGTERM."""
    awaited = {signal.SIGTERM, signal.SIGCHLD, signal.SIGURG}
    while (arrived := signal.sigwait(awaited)) != signal.SIGTERM:
        if arrived == signal.SIGURG:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGURG)
            continue
        with contextlib.suppress(ChildProcessError):
            while ended := os.waitpid(-1, os.WNOHANG):
                if ended[0] == number:
                    return ended[1]
                if not ended[0]:
                    break
    return None


def _end_descendants(group: int) -> None:
    """Kill all descendants; when one ends, this process adopts its children."""
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)  # At least the group ends where orphans are not adopted.
    with contextlib.suppress(ChildProcessError):
        while True:
            if not os.waitpid(-1, os.WNOHANG)[0] and not any([*map(_kill, _children(group))]):
                return  # The remaining processes belong to another user.


def _kill(number: int) -> bool:
    try:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    except OSError:
        return False
    return True


def _children(run: int) -> Iterator[int]:
    """Yield the children of this process; without /proc, yield only the run."""
    own = str(os.getpid())
    if sys.platform != "linux":
        yield run
        return
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdecimal():
                with open(f"/proc/{name}/stat", "rb") as file:
                    if file.read().rsplit(b")", 1)[1].split()[1].decode() == own:
                        yield int(name)


def _end_as(status: int) -> None:
    """End this process with the status of the run, or by the same signal."""
    if status < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # The run has dumped core already.
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)  # This raises an error for SIGKILL.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-status})
        os.kill(os.getpid(), -status)
    os._exit(status if status >= 0 else 1)
