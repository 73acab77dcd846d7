"""One run in its own process: plain or accelerated, timed as a whole or call by call."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType

import halfcl as hc
from halfcl._numpy.children import VARIABLE as CHILDREN, put_on_path
from halfcl._speedup.recording import CallRecorder, Key, Total
from halfcl._speedup.rewriting import instrument
from halfcl._support import main_programs
from halfcl.stability._programs._recording import watching
from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.processes import ProcessCounter
from halfcl.stability._programs._running.child import Caller, Outcome, Run, seed_random_numbers
from halfcl.stability._programs._running.instrumenting import compile_modules
from halfcl.stability._programs._running.scratch import Scratch

PLAIN, ACCELERATED = KINDS = ("plain", "accelerated")


@dataclass
class MeasuredOutcome(Outcome):
    """The outcome of a measured run.

    calls: the calls of NumPy on the program's lines, if they were timed. threads: the number of
    threads that made them. forks: the number of forks of the process. accelerates: whether the
    program accelerates itself.
    """

    calls: dict[Key, Total] = field(default_factory=dict)
    threads: int = 0
    forks: int = 0
    accelerates: bool = False


@dataclass(frozen=True)
class MeasuredRun(Run):
    """A request for one run."""

    is_accelerated: bool = False
    times_calls: bool = False
    accelerates_children: bool = True
    exact_products: bool | None = None

    @property
    def name(self) -> str:
        """The name of the run in reports."""
        return KINDS[self.is_accelerated]

    def new_outcome(self) -> MeasuredOutcome:
        """Return an empty outcome."""
        return MeasuredOutcome()

    @cached_property
    def _instrumentation(self) -> _Instrumentation:
        return _Instrumentation()

    def find_program(self, places: Places) -> Callable[[], None]:
        """Return a function that runs the program once."""
        if not self.times_calls:
            return super().find_program(places)
        instrumentation = self._instrumentation
        instrumentation.install(places)
        return main_programs.find_program(list(self.program), instrumentation.compile)

    @contextlib.contextmanager
    def record(
        self,
        outcome: Outcome,
        places: Places,
        scratch: Scratch,
        open_file: Callable[[str, int], int],
    ) -> Iterator[Caller]:
        """Record the output of a program, and its calls if they are timed."""
        assert isinstance(outcome, MeasuredOutcome)
        folder = os.path.join(scratch.root, "")
        results, counter = watching.Recorder(), ProcessCounter(folder, open_file)
        forks: list[None] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_parent=lambda: forks.append(None))
        seed_random_numbers(self.random_seed)
        watching.record_to(results)
        self._switch()
        try:
            yield lambda function: function()
        finally:
            counter.stop()
            watching.record_to(None)
        outcome.watched, outcome.forks = results.numbers, len(forks)
        outcome.accelerates = not self.is_accelerated and bool(hc.accelerated_ufuncs())
        if self.times_calls:
            recorder = self._instrumentation.recorder
            outcome.calls, outcome.threads = recorder.totals(), recorder.thread_count

    def _switch(self) -> None:
        """Accelerate this process and those that it starts, or neither."""
        if not self.is_accelerated:
            hc.decelerate()
        if not (self.is_accelerated and self.accelerates_children):
            os.environ[CHILDREN] = "0"
        if self.is_accelerated:
            hc.accelerate(children=True, exact_products=self.exact_products)
        put_on_path()  # also without acceleration: it protects the user's files


class _Instrumentation:
    """Instruments the program and the modules that it imports from its own files."""

    def __init__(self) -> None:
        self.recorder = CallRecorder()
        self._places = Places("line")

    def install(self, places: Places) -> None:
        """Instrument the program's modules that are imported from now on."""
        self._places = places
        self.recorder.install()
        compile_modules(places.owns, self.compile)

    def compile(self, source: str | bytes, file: str) -> CodeType:
        """Compile source code of the program."""
        own = self._places.own_file(file) or file
        return instrument(source, file, self.recorder.site_adder(own))
