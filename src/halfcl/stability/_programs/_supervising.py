"""A process between the command and a run, which ends all that the run has started."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator

from halfcl.stability._programs import _protecting as protecting

#: What ends this process on purpose, and what a terminal sends to all that it sees. Not all systems
#: have them all; those without do not fork.
_HELD_BACK = {
    getattr(signal, name)
    for name in ("SIGTERM", "SIGCHLD", "SIGINT", "SIGHUP")
    if hasattr(signal, name)
}


def supervise(start: Callable[[], None], has_group: bool, finish: Callable[[], None]) -> None:
    """Run something in a copy of this process, and end as it ends, once nothing of it goes on.

    What it has started may have left its group and its session. On Linux orphans become children of
    this process. SIGTERM ends them all, and so does the end of this process's parent.

    Parameters
    ----------
    start : callable
        The run.
    has_group : bool
        Whether the run gets a process group of its own, and not the command's, whose terminal it
        reads.
    finish : callable
        Called when nothing of the run goes on.
    """
    protecting.adopt_orphans()
    signal.signal(signal.SIGCHLD, lambda *_: None)  # One that is ignored may never be delivered.
    group = os.getpgrp()
    os.setpgid(0, 0)  # What ends the group of the command leaves this process.
    parent, number = os.getpid(), os.fork()
    if not number:
        protecting.end_with(parent)
        os.setpgid(0, 0 if has_group else group)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)
        start()
        os._exit(0)
    status = _wait(number)
    _end_descendants(number)
    finish()
    _end_as(1 if status is None else os.waitstatus_to_exitcode(status))


def hold_signals_back() -> None:
    """Block the signals that `supervise` waits for, before the first can come."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)


def _wait(number: int) -> int | None:
    """Wait for the end of a run; return its status, or None if it is to be ended."""
    while signal.sigwait({signal.SIGTERM, signal.SIGCHLD}) != signal.SIGTERM:
        with contextlib.suppress(ChildProcessError):
            while ended := os.waitpid(-1, os.WNOHANG):
                if ended[0] == number:
                    return ended[1]
                if not ended[0]:
                    break
    return None


def _end_descendants(group: int) -> None:
    """Kill all descendants; when one ends, its own children become those of this process."""
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)  # Where orphans are not adopted, at least its group.
    with contextlib.suppress(ChildProcessError):
        while True:
            if not os.waitpid(-1, os.WNOHANG)[0] and not any([*map(_kill, _children(group))]):
                return  # Those that are left are another user's.


def _kill(number: int) -> bool:
    try:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    except OSError:
        return False
    return True


def _children(run: int) -> Iterator[int]:
    """Find the children of this process; without /proc the run alone is known."""
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
    """End as a run has ended, by the same signal if one did it."""
    if status < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # The run has written one.
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)  # SIGKILL has no other way.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-status})
        os.kill(os.getpid(), -status)
    os._exit(status if status >= 0 else 1)
