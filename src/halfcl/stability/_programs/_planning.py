"""Tells how far a test has come: its steps, the runs that are left, and their time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from halfcl.stability._programs._recording.stalls import Answer
from halfcl.stability._programs._wording import location

#: Seconds between two lines of one step.
_PAUSE = 5.0

#: Runs that a search for blame often needs, and those before the runs in other roundings.
_BLAME_RUNS = 20
_FIRST_RUNS = 5
_MODES = 3


class Counter(Protocol):
    """Makes runs, and counts them: see `Launcher`."""

    runs: int
    seconds: float
    on_run: Callable[[], None]
    on_answer: Callable[[Answer, float], None]


class Progress:
    """Passes lines on the progress of a test to a function.

    counter: makes the runs. samples: the number of random runs. is_blamed: whether a search for
    blame may follow. tell: called with a description of each step, and again when it takes long.
    """

    def __init__(
        self, counter: Counter, samples: int, is_blamed: bool, tell: Callable[[str], None]
    ):
        self._counter, self._tell = counter, tell
        #: The number of runs that the test is expected to take in all.
        self.expected = _FIRST_RUNS + _MODES + samples + (_BLAME_RUNS if is_blamed else 0)
        #: The time of the first run, once it is known.
        self.plain_seconds = 0.0
        self._step, self._told = "", 0.0
        counter.on_run, counter.on_answer = self._on_run, self._on_answer

    def step(self, description: str) -> None:
        """Begin a step."""
        self._step = description
        self._tell_step()

    def _tell_step(self) -> None:
        self._told = time.perf_counter()
        done, expected = self._counter.runs, max(self.expected, self._counter.runs + 1)
        rest = ""
        if done:
            seconds = self._counter.seconds / done * (expected - done)
            rest = f" ({done} of some {expected} runs done, some {seconds:.0f} s left)"
        self._tell(f"{self._step}{rest}")

    def _on_run(self) -> None:
        if time.perf_counter() - self._told > _PAUSE:
            self._tell_step()

    def _on_answer(self, answer: Answer, seconds: float) -> None:
        """Tell where a first run is that takes long."""
        if not answer.file:
            return
        note = f": {answer.note}" if answer.note else ""
        where = location(answer.file, answer.line)
        self._tell(f"the first run goes on after {seconds:.0f} s, at {where}{note}")
