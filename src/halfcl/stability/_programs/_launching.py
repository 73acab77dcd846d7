"""Runs, each in a process of its own, side by side."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from halfcl._support.processors import usable_processors
from halfcl.stability._programs import _child as child, _protecting as protecting
from halfcl.stability._programs._child import Outcome, Run
from halfcl.stability._programs._libraries import import_all
from halfcl.stability._programs._numbers import (
    TOO_LARGE,
    Unread,
    has_numbers,
    read_files,
    read_output,
)
from halfcl.stability._programs._others import FAILED, STARTED, count_programs
from halfcl.stability._programs._places import Unit, folders_of_others
from halfcl.stability._programs._scratch import PREFIX, Scratch, is_below, remove
from halfcl.stability._programs._supervising import hold_signals_back, supervise

#: Whether runs are copies of this process, which begin at once. On macOS libraries of the system's
#: do not work in copies.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"

_WAIT = 0.002  # seconds between looks at what runs


@dataclass
class _Started:
    """A process, by its number; `process` where it was not forked."""

    number: int
    process: subprocess.Popen[bytes] | None
    began: float
    scratch: Scratch
    status: int | None = None

    def has_ended(self) -> bool:
        if self.process is not None:
            self.status = self.process.poll()
        elif self.status is None:
            number, status = os.waitpid(self.number, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if number else None
        return self.status is not None

    def kill(self) -> None:
        """It, and what it has started."""
        if self.process is not None:
            self.process.kill()
        else:
            _end_run(self.number)
        while not self.has_ended():
            time.sleep(_WAIT)


def _end_run(number: int) -> None:
    """Ask what supervises a run to end it, also where that is stopped."""
    for way in (signal.SIGTERM, signal.SIGCONT):
        with contextlib.suppress(OSError):
            os.kill(number, way)


@contextlib.contextmanager
def _passed_on(copy: str, keeper: _Keeper) -> Iterator[int]:
    """Standard input, as the end of a pipe that another process fills, which keeps a copy: so it
    does not matter how a program reads."""
    try:
        os.fstat(0)
    except OSError:
        os.open(os.devnull, os.O_RDONLY)  # it is closed: the pipe would be in its place
    reader, writer = os.pipe()
    open(copy, "wb").close()
    parent, number = os.getpid(), _fork()
    if not number:
        try:
            protecting.end_with(parent)
            keeper.let_go()
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
            os.close(reader)
            _pass_on(0, copy, writer)
        finally:
            os._exit(0)
    os.close(writer)
    try:
        yield reader
    finally:
        os.close(reader)
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)


def _fork() -> int:
    """A copy of this process: its number, or 0 in it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()  # or the copy writes it, too
    with warnings.catch_warnings():
        # OpenBLAS has threads, which wait for work, and knows of forks.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _pass_on(given: int, copy: str, to: int) -> None:
    """All that comes, as it comes."""
    with open(copy, "wb", buffering=0) as kept, open(to, "wb", buffering=0) as pipe:
        while data := os.read(given, 1 << 16):
            kept.write(data)
            while data:
                data = data[pipe.write(data) :]


class _Keeper:
    """A process that ends runs and removes their folder if this process ends before it does so.

    It has a session of its own, so that what ends this process's group leaves it.
    """

    def __init__(self, folder: str):
        self._writer = -1
        if not hasattr(os, "fork"):
            return
        reader, self._writer = os.pipe()
        number = _fork()
        if not number:
            try:
                os.close(self._writer)
                os.setsid()
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                if os.fork():  # Nobody needs to wait for it.
                    os._exit(0)
                _keep(reader, folder)
            finally:
                os._exit(0)
        os.close(reader)
        os.waitpid(number, 0)

    def tell(self, number: int) -> None:
        """Have a run end, by the number of what supervises it; of a negative number, no more."""
        if self._writer >= 0:
            os.write(self._writer, b"%d\n" % number)

    def let_go(self) -> None:
        """Forget it, in a copy of this process."""
        if self._writer >= 0:
            os.close(self._writer)
            self._writer = -1

    def end(self) -> None:
        """End it, where all runs have ended and the folder is gone."""
        self.tell(0)
        self.let_go()


def _keep(reader: int, folder: str) -> None:
    """Wait for the end of the process that writes into a pipe, and clear up after it."""
    runs: dict[int, None] = {}
    with os.fdopen(reader) as lines:
        for line in lines:
            number = int(line)
            if not number:
                return
            if number > 0:
                runs[number] = None
            else:
                runs.pop(-number, None)
    for number in runs:
        _end_run(number)
    while os.path.lexists(folder):  # Runs that are about to end may write there still.
        remove(folder)
        time.sleep(0.05)


def _have_children_wait() -> contextlib.ExitStack:
    """Keep the statuses of children, which a process that ignores SIGCHLD never gets."""
    stack = contextlib.ExitStack()
    if FORKS and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        stack.callback(signal.signal, signal.SIGCHLD, signal.SIG_IGN)
    return stack


class Launcher:
    """Starts runs of one command, and counts them.

    Parameters
    ----------
    timeout : float
        Seconds after which a run is stopped.
    folder : str, optional
        That runs work in; by default the working folder.
    also : sequence of str, optional
        Folders beside it that overlays are mounted on.
    allowed : sequence of str, optional
        Where the program may write.
    """

    #: What a program may say.
    expected = (
        "numbers that it prints, or draws with Matplotlib, files .npy, .npz or of text, "
        "--watch NAME, or calls of halfcl.stability.watch"
    )

    def __init__(
        self,
        timeout: float,
        folder: str | None = None,
        also: Sequence[str] = (),
        allowed: Sequence[str] = (),
    ):
        self.timeout = timeout
        self._original = folder
        self._also, self._allowed = also, allowed
        self._covered: tuple[str, ...] = ()
        #: What protects the user's files: see `_protecting`.
        self.means: tuple[str, ...] = ()
        self.runs, self.seconds = 0, 0.0
        self.width = usable_processors()
        self._stdin: str | None = None
        self._input: int | None = None  # what stands for standard input, if something does
        self._folder = ""

    def __enter__(self) -> Launcher:
        folders_of_others(), np.random  # here once, for all that are forked
        self._signals = _have_children_wait()
        original = os.path.realpath(self._original or os.getcwd())
        folders = [original, *map(os.path.realpath, self._also)]
        self._original = original
        self._folder = tempfile.mkdtemp(prefix=PREFIX, dir=_place_outside(folders))
        self._keeper = _Keeper(self._folder)
        try:
            covered = protecting.folders_with_mounts(folders)
            with self._scratch(covered) as probe:
                self.means = protecting.usable_means(probe, FORKS)
        except BaseException:
            self.__exit__()
            raise
        if protecting.has_overlay(self.means):
            self._covered = tuple(covered)
        return self

    def __exit__(self, *error: object) -> None:
        remove(self._folder)
        self._keeper.end()
        self._signals.close()

    def run_first(self, run: Run) -> Outcome:
        """One run, whose standard input is the user's; all others read what it has read."""
        copy = os.path.join(self._folder, child.STDIN)
        with self._scratch() as scratch:
            if FORKS and not os.isatty(0):
                with _passed_on(copy, self._keeper) as self._input:
                    self._stdin = ""
                    outcome = self._finished(self._start(run, scratch))
                self._input = None
            else:  # of a terminal nothing is read but what the program asks for
                self._stdin = None
                outcome = self._finished(self._start(run, scratch))
                given = os.path.join(scratch.root, child.STDIN)
                if os.path.exists(given):
                    shutil.move(given, copy)
                else:
                    open(copy, "wb").close()
            self._stdin = copy
        if FORKS:
            import_all(outcome.libraries)
        return outcome

    def run_all(self, runs: Sequence[Run]) -> list[Outcome]:
        """Runs side by side, as many at once as there are processors."""
        begin = time.perf_counter()
        with contextlib.ExitStack() as stack:
            folders = [stack.enter_context(self._scratch()) for _ in runs]
            outcomes = self._side_by_side(runs, folders)
        self.seconds += time.perf_counter() - begin
        return outcomes

    def _side_by_side(self, runs: Sequence[Run], folders: Sequence[Scratch]) -> list[Outcome]:
        found: dict[int, Outcome] = {}
        waiting, busy = list(range(len(runs))), dict[int, _Started]()
        try:
            while waiting or busy:
                while waiting and len(busy) < self.width:
                    k = waiting.pop(0)
                    busy[k] = self._start(runs[k], folders[k])
                for k in [k for k, started in busy.items() if self._is_over(started)]:
                    found[k] = self._outcome(busy.pop(k))
                if busy:
                    time.sleep(_WAIT)
        finally:
            for started in busy.values():
                started.kill()
        return [found[k] for k in range(len(runs))]

    def _finished(self, started: _Started) -> Outcome:
        begin = time.perf_counter()
        try:
            while not self._is_over(started):
                time.sleep(_WAIT)
        except BaseException:
            started.kill()
            raise
        self.seconds += time.perf_counter() - begin
        return self._outcome(started)

    def _is_over(self, started: _Started) -> bool:
        if started.has_ended():
            return True
        if time.perf_counter() - started.began > self.timeout:
            started.kill()
            return True
        return False

    @contextlib.contextmanager
    def _scratch(self, covered: Sequence[str] | None = None) -> Iterator[Scratch]:
        root = tempfile.mkdtemp(dir=self._folder)
        covered = self._covered if covered is None else covered
        try:
            yield Scratch(root, self._original or os.getcwd(), covered, self._allowed, self.means)
        finally:
            remove(root)

    # ------------------------------------------------------------ one process

    def _start(self, run: Run, scratch: Scratch) -> _Started:
        scratch.make()
        self.runs += 1
        began = time.perf_counter()
        if FORKS:
            number = self._fork(run, scratch)
            self._keeper.tell(number)
            return _Started(number, None, began, scratch)
        process = self._spawn(run, scratch)
        self._keeper.tell(process.pid)
        return _Started(process.pid, process, began, scratch)

    def _fork(self, run: Run, scratch: Scratch) -> int:
        """A copy of this process: what it has imported, the run need not."""
        parent, number = os.getpid(), _fork()
        if number:
            return number
        try:
            hold_signals_back()
            self._keeper.let_go()
            if self._input is not None:
                os.dup2(self._input, 0)
            if self._covered:
                protecting.mount_overlays(scratch)
            protecting.end_with(parent, signal.SIGTERM)
            has_group = self._stdin is not None  # Else a terminal is read, by its own group alone.
            supervise(lambda: self._execute(run, scratch), has_group, scratch.take_out)
        finally:
            os._exit(1)

    def _execute(self, run: Run, scratch: Scratch) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        child.execute(run, scratch, self._stdin)

    def _spawn(self, run: Run, scratch: Scratch) -> subprocess.Popen[bytes]:
        with open(os.path.join(scratch.root, child.ASKED), "wb") as file:
            pickle.dump((run, scratch, self._stdin, os.getpid()), file)
        code = f"from {child.__name__} import main; main({scratch.root!r})"
        environment = {"PYTHONHASHSEED": "0", **os.environ}
        return subprocess.Popen([sys.executable, "-c", code], env=environment)

    def _outcome(self, started: _Started) -> Outcome:
        """What a process has left behind."""
        root = started.scratch.root
        try:
            with open(os.path.join(root, child.OUTCOME), "rb") as file:
                outcome: Outcome = pickle.load(file)
        except (OSError, EOFError, pickle.UnpicklingError):
            outcome = Outcome(status=1, stop=self._why(started))
        outcome.others, outcome.failed = (count_programs(root, k) for k in (STARTED, FAILED))
        told = map(json.loads, read_output(os.path.join(root, child.UNITS))[0].splitlines())
        outcome.units = list(dict.fromkeys([*outcome.units, *(Unit(*unit) for unit in told)]))
        unread, written = outcome.written.unread, read_files(started.scratch.written())
        outcome.written = written
        written.unread.update(unread)  # of figures
        outcome.printed, is_whole = read_output(os.path.join(root, child.STDOUT))
        if not is_whole:
            written.unread[child.REST_OF_OUTPUT] = Unread(TOO_LARGE, "")
        errors = read_output(os.path.join(root, child.STDERR))[0]
        outcome.has_errors, outcome.refusal = has_numbers(errors), _refusal_in(errors)
        self._keeper.tell(-started.number)
        if refusal := started.scratch.first_refusal():
            outcome.stop = refusal
        return outcome

    def _why(self, started: _Started) -> str:
        if time.perf_counter() - started.began > self.timeout:
            return f"it did not end within {self.timeout:g} s"
        status = started.status or 0
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"it was stopped by {signal.Signals(-status).name}"
        return f"it left by os._exit with status {status}"


#: What programs print where a write is refused: by modes and Landlock, or beside an overlay.
_REFUSALS = tuple(map(os.strerror, (errno.EACCES, errno.EROFS)))


def _refusal_in(text: str) -> str:
    """Return the first line that tells of a refusal, or nothing."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if any(told in line for told in _REFUSALS)), "")


def _place_outside(folders: Sequence[str]) -> str | None:
    """Return a place for temporary folders that overlays of these do not cover."""
    usual = tempfile.gettempdir()
    for place in (usual, "/var/tmp", "/dev/shm", "/tmp"):
        whole = os.path.realpath(place)
        if os.access(whole, os.W_OK) and not any(is_below(whole, folder) for folder in folders):
            return whole
    return None
