"""Counts the other programs that a run starts, and those that fail."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from multiprocessing.process import BaseProcess
from typing import TypeAlias

_Function: TypeAlias = Callable[..., object]

#: Audit events of starting another program.
STARTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.spawn", "os.system"})

#: Functions of `os` that return a status as the system encodes it; most return a pair with it.
_WAITING = ("wait", "wait3", "wait4", "waitpid", "system")

#: Files in the folder of a run with a line per program; forks of the run write to them, too.
STARTED, FAILED = "started", "failed"

_APPENDING = os.O_CREAT | os.O_WRONLY | os.O_APPEND


class ProcessCounter:
    """Counts started programs in files, since forks of the run start some, too.

    folder: the folder of the run. open_file: `os.open` without redirection of paths.
    """

    def __init__(self, folder: str, open_file: Callable[[str, int], int]):
        self._folder, self._open = folder, open_file
        self._is_running, self._numbers = True, count()
        sys.addaudithook(self._on_audit_event)
        self._count_processes()
        self._count_statuses()

    def stop(self) -> None:
        """Stop counting."""
        self._is_running = False

    def _count(self, name: str, program: object = None) -> None:
        """Write a line for a program; lines of one program that is reported twice are equal."""
        if self._is_running:
            line = f"{os.getpid()} {next(self._numbers)}" if program is None else program
            file = self._open(os.path.join(self._folder, name), _APPENDING)
            os.write(file, f"{line}\n".encode())
            os.close(file)

    def _on_audit_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.exec":  # This event occurs once for each folder of PATH.
            self._count(STARTED, os.getpid())
        elif event in STARTS and not _is_call_by_subprocess(event):
            self._count(STARTED)

    def _count_processes(self) -> None:
        """Count the processes that `multiprocessing` starts without forking."""
        start = BaseProcess.start

        def start_and_count(process: BaseProcess) -> None:
            method = getattr(process, "_start_method", None) or multiprocessing.get_start_method()
            if method != "fork":
                self._count(STARTED)
            start(process)

        BaseProcess.start = start_and_count  # type: ignore[method-assign, assignment]

    def _count_statuses(self) -> None:
        for name in _WAITING:
            if name in vars(os) and hasattr(os, "WIFEXITED"):
                vars(os)[name] = self._count_failures(vars(os)[name])

        def get_code(process: subprocess.Popen[bytes]) -> object:
            return vars(process).get("returncode")

        def set_code(process: subprocess.Popen[bytes], code: object) -> None:
            vars(process)["returncode"] = code
            if isinstance(code, int) and code > 0:
                self._count(FAILED, process.pid)

        vars(subprocess)["Popen"].returncode = property(get_code, set_code)

    def _count_failures(self, function: _Function) -> _Function:
        def call(*args: object, **keywords: object) -> object:
            result = function(*args, **keywords)
            number, status = result[:2] if isinstance(result, tuple) else (None, result)
            if isinstance(status, int) and os.WIFEXITED(status) and os.WEXITSTATUS(status):
                self._count(FAILED, number)
            return result

        return call


def _is_call_by_subprocess(event: str) -> bool:
    """Return whether `subprocess`, which has its own event, caused an event."""
    caller = sys._getframe(2)  # behind the audit hook
    return event == "os.posix_spawn" and caller.f_globals is vars(subprocess)


def count_programs(folder: str, name: str) -> int:
    """Return how many programs a run has started, or how many of them failed."""
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return len(set(file.read().splitlines()))
    except OSError:
        return 0
