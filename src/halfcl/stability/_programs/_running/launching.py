"""Starts runs in parallel, each in its own process."""

from __future__ import annotations

import contextlib
import errno
import json
import linecache
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

import halfcl as hc
from halfcl._support.processors import usable_processors
from halfcl.stability._observing.libraries import library_folders
from halfcl.stability._programs._recording.numbers import (
    TOO_LARGE,
    UnreadData,
    has_numbers,
    read_files,
    read_output,
)
from halfcl.stability._programs._recording.places import Places, Unit
from halfcl.stability._programs._recording.processes import FAILED, STARTED, count_programs
from halfcl.stability._programs._recording.stalls import (
    SECONDS,
    SIGNAL,
    Answer,
    read_answers,
    read_stack,
)
from halfcl.stability._programs._running import child, protecting
from halfcl.stability._programs._running.child import Outcome, Run
from halfcl.stability._programs._running.interrupting import INTERRUPT, first_interrupt_calls
from halfcl.stability._programs._running.libraries import import_libraries
from halfcl.stability._programs._running.scratch import PREFIX, Scratch, is_below, remove
from halfcl.stability._programs._running.supervising import hold_signals_back, supervise
from halfcl.stability._programs._wording import location

#: Whether runs are forks of this process, which start fast. On macOS some system libraries do not
#: work in forks.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"

_WAIT = 0.002  # seconds between polls of processes

#: Seconds after which the first run is asked where it is, and the least for others, which are asked
#: after a quarter of their limit. They are asked again after twice the time, and so on.
_FIRST_QUESTION = 5.0
_LEAST_QUESTION = 2.0

#: The seconds that a run has for the answer when it has reached its limit, and between two looks.
_PATIENCE = SECONDS + 1.5
_LOOK = 0.05

_LAST_ERRORS = 4000  # letters of standard error that are kept


@dataclass
class _RunProcess:
    """The process of a run; `process` is None if it was forked.

    limit: the seconds that it may take. next_question: the seconds after which it is asked where it
    is. proofs: how many observations in turn must prove that it stalls before it is stopped.
    """

    number: int
    process: subprocess.Popen[bytes] | None
    began: float
    scratch: Scratch
    limit: float
    next_question: float
    proofs: int = 1
    status: int | None = None
    answers: list[Answer] = field(default_factory=list)
    asked: float = math.inf  # when the last question was
    looked: float = 0.0  # when answers were last looked for
    questions: int = 0
    is_asked_at_end: bool = False

    @property
    def seconds(self) -> float:
        """The time that the run has taken so far."""
        return time.perf_counter() - self.began

    @property
    def is_late(self) -> bool:
        """True if the run has reached its limit."""
        return self.seconds > self.limit

    @property
    def observed(self) -> list[Answer]:
        """The answers that came after an observation."""
        return [answer for answer in self.answers if answer.is_observed]

    def is_over(self) -> bool:
        """Ask the run where it is if it takes long; return whether it has ended, or must end."""
        if self.has_ended():
            return True
        self._ask_in_time()
        if self.questions and time.perf_counter() > self.looked + _LOOK:
            self.looked = time.perf_counter()
            self.answers = read_answers(self.scratch.root)
        return self.stalls or (self.is_late and self._has_answered())

    @property
    def stalls(self) -> bool:
        """True if the last observations found the same loop, which cannot go on."""
        last = self.observed[-self.proofs :]
        places = {(answer.file, answer.line) for answer in last if answer.is_certain}
        return len(last) == self.proofs and len(places) == 1 and all(a.is_certain for a in last)

    def _ask_in_time(self) -> None:
        if self.is_late and not self.is_asked_at_end:
            self.is_asked_at_end = True
        elif self.seconds > self.next_question and not self.is_late:
            self.next_question *= 2
        else:
            return
        self.asked, self.questions = time.perf_counter(), self.questions + 1
        if SIGNAL is not None:
            with contextlib.suppress(OSError):
                os.kill(self.number, SIGNAL)

    def _has_answered(self) -> bool:
        """Return whether the run has answered the last question, or cannot."""
        is_too_late = SIGNAL is None or time.perf_counter() > self.asked + _PATIENCE
        return is_too_late or len(self.observed) >= self.questions

    def has_ended(self) -> bool:
        if self.process is not None:
            self.status = self.process.poll()
        elif self.status is None:
            number, status = os.waitpid(self.number, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if number else None
        return self.status is not None

    def kill(self) -> None:
        """End the process and all that it has started, and wait for its end."""
        if self.process is not None:
            self.process.kill()
        else:
            _end_run(self.number)
        while not self.has_ended():
            time.sleep(_WAIT)


def _end_run(number: int) -> None:
    """Ask the supervisor of a run to end it, also if the supervisor is stopped."""
    for way in (signal.SIGTERM, signal.SIGCONT):
        with contextlib.suppress(OSError):
            os.kill(number, way)


@contextlib.contextmanager
def _forwarded_input(copy: str, watchdog: _Watchdog) -> Iterator[int]:
    """Yield a pipe with the contents of standard input, which another process copies to a file.

    This works however a program reads its input.
    """
    try:
        os.fstat(0)
    except OSError:
        os.open(os.devnull, os.O_RDONLY)  # standard input is closed: keep the pipe from its number
    reader, writer = os.pipe()
    open(copy, "wb").close()
    parent, number = os.getpid(), _fork()
    if not number:
        try:
            protecting.end_with_parent(parent)
            watchdog.close()
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends it
            os.close(reader)
            _forward(0, copy, writer)
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
    """Fork this process; return the new process's number, or 0 in it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()  # else the fork writes it, too
    with warnings.catch_warnings():
        # OpenBLAS has idle threads, and supports forks.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _forward(source: int, copy: str, to: int) -> None:
    """Copy data from a file descriptor to a file and to another descriptor, until it ends."""
    with open(copy, "wb", buffering=0) as file, open(to, "wb", buffering=0) as pipe:
        while data := os.read(source, 1 << 16):
            file.write(data)
            while data:
                data = data[pipe.write(data) :]


class _Watchdog:
    """A process that ends runs and removes their folder if this process ends first.

    It has a session of its own, so that signals to this process's group do not reach it.
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
                if os.fork():  # The grandchild needs no parent to wait for it.
                    os._exit(0)
                _watch(reader, folder)
            finally:
                os._exit(0)
        os.close(reader)
        os.waitpid(number, 0)

    def register(self, number: int) -> None:
        """Register a run by the number of its supervisor; a negative number unregisters it."""
        if self._writer >= 0:
            os.write(self._writer, b"%d\n" % number)

    def close(self) -> None:
        """Close the pipe to the watchdog, without ending it: in a fork of this process."""
        if self._writer >= 0:
            os.close(self._writer)
            self._writer = -1

    def end(self) -> None:
        """End the watchdog when all runs have ended and the folder is gone."""
        self.register(0)
        self.close()


def _watch(reader: int, folder: str) -> None:
    """Wait until the process that writes to a pipe ends; then end its runs, remove the folder."""
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
    while os.path.lexists(folder):  # Runs that are ending may still write there.
        remove(folder)
        time.sleep(0.05)


def _keep_child_statuses() -> contextlib.ExitStack:
    """Reset SIGCHLD until the stack is closed: a process that ignores it gets no exit statuses."""
    stack = contextlib.ExitStack()
    if FORKS and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        stack.callback(signal.signal, signal.SIGCHLD, signal.SIG_IGN)
    return stack


class Launcher:
    """Starts the runs of one test, and counts them.

    timeout: seconds after which a run is stopped. folder: the folder in which runs work; by default
    the working folder. also: other folders to mount overlays on. allowed: files and folders that
    the program may write to. budget: seconds for all runs; no run goes on after that.
    """

    #: The kinds of output that are compared, for errors.
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
        budget: float | None = None,
    ):
        self.timeout = timeout
        #: Says where the limit of a run comes from, in parentheses; empty if the user set it.
        self.limit_source = ""
        #: Why no more runs are made; empty as long as they are.
        self.ended_by = ""
        #: When runs of `run_some` end for now, by the clock of `time.perf_counter`.
        self.deadline = math.inf
        #: Called after each run.
        self.on_run: Callable[[], None] = _do_nothing
        #: Called with an answer of a first run that takes long, and the seconds it has taken.
        self.on_answer: Callable[[Answer, float], None] = _do_nothing
        self._budget, self._began = budget, time.perf_counter()
        self._original = folder
        self._also, self._allowed = also, allowed
        self._covered: tuple[str, ...] = ()
        #: Names of the mechanisms that protect the user's files: see `protecting`.
        self.means: tuple[str, ...] = ()
        self.runs, self.seconds = 0, 0.0
        self.width = usable_processors()
        self._stdin: str | None = None
        self._input: int | None = None  # a pipe that replaces standard input
        self._folder = ""

    def __enter__(self) -> Launcher:
        _prepare_for_forks()
        self._signals = _keep_child_statuses()
        self._interrupts = contextlib.ExitStack()
        original = os.path.realpath(self._original or os.getcwd())
        folders = [original, *map(os.path.realpath, self._also)]
        self._original = original
        self._folder = tempfile.mkdtemp(prefix=PREFIX, dir=_temporary_folder_outside(folders))
        self._watchdog = _Watchdog(self._folder)
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
        self._interrupts.close()
        remove(self._folder)
        self._watchdog.end()
        self._signals.close()

    def end_at_interrupt(self) -> None:
        """Make no more runs after Ctrl-C from now on, in place of raising an exception."""
        self._interrupts.enter_context(first_interrupt_calls(self._note_interrupt))

    def _note_interrupt(self) -> None:
        self.ended_by = self.ended_by or INTERRUPT

    def run_first(self, run: Run) -> Outcome:
        """Return the outcome of a run with the user's standard input; later runs read a copy."""
        copy = os.path.join(self._folder, child.STDIN)
        with self._scratch() as scratch:
            if FORKS and not os.isatty(0):
                with _forwarded_input(copy, self._watchdog) as self._input:
                    self._stdin = ""
                    outcome = self._wait_for_first(self._start(run, scratch))
                self._input = None
            else:  # from a terminal, read only what the program reads
                self._stdin = None
                outcome = self._wait_for_first(self._start(run, scratch))
                recorded = os.path.join(scratch.root, child.STDIN)
                if os.path.exists(recorded):
                    shutil.move(recorded, copy)
                else:
                    open(copy, "wb").close()
            self._stdin = copy
        if FORKS:
            import_libraries(outcome.libraries)
        return outcome

    def run_all(self, runs: Sequence[Run]) -> list[Outcome]:
        """Return the outcomes of several runs, as many in parallel as there are processors."""
        outcomes: dict[int, Outcome] = {}
        self._run_in_parallel(runs, outcomes)
        return [outcomes[k] for k in range(len(runs))]

    def run_some(self, runs: Sequence[Run]) -> list[Outcome | None]:
        """Return the outcomes of several runs; None for those that the budget or Ctrl-C ended.

        No more runs are made after that: then `ended_by` says why. Runs after the deadline are
        None, too, but it may be set anew.
        """
        outcomes: dict[int, Outcome] = {}
        if not self.ended_by:
            try:
                self._run_in_parallel(runs, outcomes, is_partial=True)
            except KeyboardInterrupt:
                self.ended_by = INTERRUPT
        return [outcomes.get(k) for k in range(len(runs))]

    def _run_in_parallel(
        self, runs: Sequence[Run], outcomes: dict[int, Outcome], is_partial: bool = False
    ) -> None:
        """Add the outcomes of runs to a dict, by their numbers.

        is_partial: whether runs that the budget ends are left out.
        """
        begin = time.perf_counter()
        waiting, busy = list(range(len(runs))), dict[int, tuple[_RunProcess, Scratch]]()
        with contextlib.ExitStack() as stack:
            try:
                while waiting or busy:
                    if is_partial and (self._is_budget_spent() or self._is_past_deadline()):
                        break
                    while waiting and len(busy) < self.width:
                        k = waiting.pop(0)
                        scratch = stack.enter_context(self._scratch())
                        busy[k] = self._start(runs[k], scratch), scratch
                    for k in [k for k, (started, _) in busy.items() if self._is_over(started)]:
                        outcomes[k] = self._read_outcome(busy.pop(k)[0])
                        self.on_run()
                    if busy:
                        time.sleep(_WAIT)
            finally:
                for started, _ in busy.values():
                    started.kill()
                self.runs -= len(busy)
                self.seconds += time.perf_counter() - begin

    def _is_budget_spent(self) -> bool:
        if self._remaining() <= 0:
            self.ended_by = f"the budget of {self._budget:g} s"
        return bool(self.ended_by)

    def _is_past_deadline(self) -> bool:
        return time.perf_counter() > self.deadline

    def _remaining(self) -> float:
        """Return the seconds that remain of the budget."""
        if self._budget is None:
            return math.inf
        return self._budget - (time.perf_counter() - self._began)

    def _wait_for_first(self, started: _RunProcess) -> Outcome:
        """Wait for the first run, and pass on where it is if it takes long."""
        begin, count = time.perf_counter(), 0
        started.proofs, started.next_question = 2, _FIRST_QUESTION
        try:
            while not self._is_over(started):
                for answer in started.answers[count:]:
                    self.on_answer(answer, started.seconds)
                count = len(started.answers)
                time.sleep(_WAIT)
        except BaseException:
            started.kill()
            raise
        self.seconds += time.perf_counter() - begin
        return self._read_outcome(started)

    def _is_over(self, started: _RunProcess) -> bool:
        if started.is_over():
            if started.status is None:
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

    def _start(self, run: Run, scratch: Scratch) -> _RunProcess:
        scratch.make()
        self.runs += 1
        began = time.perf_counter()
        limit = min(self.timeout, max(0.0, self._remaining()))
        question = max(_LEAST_QUESTION, limit / 4)
        if FORKS:
            number = self._fork(run, scratch)
            self._watchdog.register(number)
            return _RunProcess(number, None, began, scratch, limit, question)
        process = self._spawn(run, scratch)
        self._watchdog.register(process.pid)
        return _RunProcess(process.pid, process, began, scratch, limit, question)

    def _fork(self, run: Run, scratch: Scratch) -> int:
        """Start a run as a fork of this process, which has the libraries imported already."""
        parent, number = os.getpid(), _fork()
        if number:
            return number
        try:
            hold_signals_back()
            self._watchdog.close()
            if self._input is not None:
                os.dup2(self._input, 0)
            if self._covered:
                protecting.mount_overlays(scratch)
            protecting.end_with_parent(parent, signal.SIGTERM)
            has_group = self._stdin is not None  # Only the foreground group can read a terminal.
            supervise(lambda: self._execute(run, scratch), has_group, scratch.copy_out_of_memory)
        finally:
            os._exit(1)

    def _execute(self, run: Run, scratch: Scratch) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        child.execute(run, scratch, self._stdin)

    def _spawn(self, run: Run, scratch: Scratch) -> subprocess.Popen[bytes]:
        with open(os.path.join(scratch.root, child.RUN_FILE), "wb") as file:
            pickle.dump((run, scratch, self._stdin, os.getpid()), file)
        code = f"from {child.__name__} import main; main({scratch.root!r})"
        environment = {"PYTHONHASHSEED": "0", **os.environ}
        return subprocess.Popen([sys.executable, "-c", code], env=environment)

    def _read_outcome(self, started: _RunProcess) -> Outcome:
        """Return the outcome of a run that has ended, from the files in its folder."""
        root = started.scratch.root
        try:
            with open(os.path.join(root, child.OUTCOME), "rb") as file:
                outcome: Outcome = pickle.load(file)
        except (OSError, EOFError, pickle.UnpicklingError):
            outcome = Outcome(status=1, stop_reason=self._stop_reason(started))
        outcome.started, outcome.failed = (count_programs(root, k) for k in (STARTED, FAILED))
        lines = read_output(os.path.join(root, child.UNITS))[0].splitlines()
        units_of_forks = (Unit(*unit) for unit in map(json.loads, lines))
        outcome.units = list(dict.fromkeys([*outcome.units, *units_of_forks]))
        unread_figures, files = outcome.files.unread, read_files(started.scratch.written_files())
        outcome.files = files
        files.unread.update(unread_figures)
        outcome.printed, is_whole = read_output(os.path.join(root, child.STDOUT))
        if not is_whole:
            files.unread[child.REST_OF_OUTPUT] = UnreadData(TOO_LARGE, "")
        errors = read_output(os.path.join(root, child.STDERR))[0]
        outcome.has_errors, outcome.refusal = has_numbers(errors), _find_refusal(errors)
        outcome.last_errors = errors[-_LAST_ERRORS:]
        self._watchdog.register(-started.number)
        if refusal := started.scratch.first_refusal():
            outcome.stop_reason = refusal
        return outcome

    def _stop_reason(self, started: _RunProcess) -> str:
        if started.stalls:
            return f"it does not end{_where(started)}"
        if started.is_late and self._remaining() <= 0:
            return f"the budget of {self._budget:g} s ended before it did{_where(started)}"
        if started.is_late:
            source = f" ({self.limit_source})" if self.limit_source else ""
            return f"it did not end within {started.limit:.3g} s{source}{_where(started)}"
        status = started.status or 0
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"it was stopped by {signal.Signals(-status).name}"
        return f"it left by os._exit with status {status}"


def _prepare_for_forks() -> None:
    """Initialise once what each run needs, so that its fork has it already."""
    library_folders(), np.random
    if FORKS:
        with hc.accelerated():  # finds the loops that it replaces, and checks that they are used
            pass


def _do_nothing(*_: object) -> None:
    """Do nothing: until someone wants to be called."""


def _where(started: _RunProcess) -> str:
    """Describe where a run was when it was stopped; empty if it has not answered."""
    root = started.scratch.root
    places = Places("line", (started.scratch.work, started.scratch.original))
    answer = started.observed[-1] if started.observed else read_stack(root, places)
    if answer is None or not answer.file:
        return ""
    verb = "stalls" if answer.note else "was"
    source = linecache.getline(answer.file, answer.line).strip()
    note = f" ({answer.note})" if answer.note else ""
    return f"; it {verb} at {location(answer.file, answer.line)}: {source}{note}"


#: Messages of refused writes: by file modes and Landlock, and on read-only mounts.
_REFUSALS = tuple(map(os.strerror, (errno.EACCES, errno.EROFS)))


def _find_refusal(text: str) -> str:
    """Return the first line that reports a refused write; empty if there is none."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if any(message in line for message in _REFUSALS)), "")


def _temporary_folder_outside(folders: Sequence[str]) -> str | None:
    """Return a place for temporary folders that is not in the given folders, or None."""
    usual = tempfile.gettempdir()
    for place in (usual, "/var/tmp", "/dev/shm", "/tmp"):
        whole = os.path.realpath(place)
        if os.access(whole, os.W_OK) and not any(is_below(whole, folder) for folder in folders):
            return whole
    return None
