"""The stability test of a function in this process, which pytest's plugin uses."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl.stability._measures import LEAST_SAMPLES, Scale
from halfcl.stability._programs._analysis.requests import ALL_OTHERS
from halfcl.stability._programs._recording import watching
from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.stalls import Answer
from halfcl.stability._programs._reference.patches import replaced_halves
from halfcl.stability._programs._reference.run import ReferenceOutcome, ReferenceRun
from halfcl.stability._programs._reporting.text import text
from halfcl.stability._programs._running.child import Outcome, Rounding, Run
from halfcl.stability._programs._running.instrumenting import Instrumentation
from halfcl.stability._programs._testing import Options, ProgramFailure, StabilityTest
from halfcl.stability._substitution import Substitution

#: A function, and its arguments by name.
Call: TypeAlias = tuple[Callable[..., object], Mapping[str, object]]

#: The name of the returned value among the results.
RETURNED = "returned"


class FunctionRunner:
    """Runs a function in this process, as `Launcher` runs a program.

    calls: the function and its arguments by name for each run; each run gets copies of arrays.
    """

    width = 1
    means: tuple[str, ...] = ()
    expected = "a result that it returns, or calls of halfcl.stability.watch"

    def __init__(self, calls: Iterator[Call]):
        self._calls = calls
        self.timeout, self.limit_source = 0.0, ""
        self.ended_by = ""  # nothing ends the test early
        self.deadline = math.inf  # when runs of `run_some` end for now
        self.runs, self.seconds = 0, 0.0
        self.on_run: Callable[[], None]
        self.on_answer: Callable[[Answer, float], None]

    def end_at_interrupt(self) -> None:
        """Do nothing: Ctrl-C is for the tests that call this one."""

    def run_first(self, run: Run) -> Outcome:
        """Return the outcome of the run to nearest; its exceptions propagate to the caller."""
        return self._run(run, ())

    def run_all(self, runs: Sequence[Run]) -> list[Outcome]:
        """Return the outcomes of several runs, one after another."""
        return [self._run(run, (Exception,)) for run in runs]

    def run_some(self, runs: Sequence[Run]) -> list[Outcome | None]:
        """Return the outcomes of several runs, one after another; None after the deadline."""
        return [
            None if time.perf_counter() > self.deadline else self._run(run, (Exception,))
            for run in runs
        ]

    def _run(self, run: Run, caught: tuple[type[Exception], ...]) -> Outcome:
        outcome, recorder = run.new_outcome(), watching.Recorder()
        places = Places(run.kind)
        rounding = Rounding(run, places)
        instrumentation = Instrumentation(run.input_requests, run.edits)
        function, arguments = next(self._calls)
        args = {name: _copy(x) for name, x in arguments.items()}
        call = _reference_call if isinstance(run, ReferenceRun) else _plain_call
        begin = time.perf_counter()
        watching.record_to(recorder)
        try:
            with hc.accelerated(), instrumentation.patched_functions():
                returned = rounding.call(0, lambda: call(run, outcome, function, args))
            if returned is not None:
                recorder.note(RETURNED, returned)
        except caught as error:
            outcome.error = f"{type(error).__name__}: {error}".splitlines()[0]
        finally:
            watching.record_to(None)
        outcome.seconds = time.perf_counter() - begin
        self.runs, self.seconds = self.runs + 1, self.seconds + outcome.seconds
        outcome.watched, outcome.scales = recorder.numbers, recorder.scales
        rounding.record_in(outcome)
        outcome.inputs = instrumentation.recorder.inputs
        return outcome


def _plain_call(
    run: Run, outcome: Outcome, function: Callable[..., object], arguments: dict[str, object]
) -> object:
    return function(**arguments)


def _reference_call(
    run: Run, outcome: Outcome, function: Callable[..., object], arguments: dict[str, object]
) -> object:
    """Call a copy of a function that refers to the stand-in for half, with wide arguments."""
    assert isinstance(run, ReferenceRun) and isinstance(outcome, ReferenceOutcome)
    reader = run.new_reader(Places("line"))
    try:
        with replaced_halves(reader) as replace:
            copy = Substitution(replace, own_module=False).copy_callable(function)
            return copy(**{name: replace(x) for name, x in arguments.items()})
    finally:
        outcome.note_leaks(reader.leaks)


def _copy(x: object) -> object:
    return x.copy() if isinstance(x, np.ndarray) else x


def report_if_unstable(
    calls: Iterator[Call],
    digits: float,
    samples: int,
    name: str,
    scale: str | Mapping[str, str] | None = None,
) -> str:
    """Test a function, and return the report if its results are unstable; empty if they are stable.

    calls: the function and its arguments by name for each run. It passes its results to
    `halfcl.stability.watch`, or returns one; its exceptions in the run to nearest propagate.
    digits: significant digits that each number must have, over 0 and at most 3.3. samples: the
    number of runs that round at random, 2 or more. scale: the unit in which differences of all
    results count (see `rerun`), or of results by name. The report has the lines to blame and better
    formulas.

    >>> import itertools
    >>> import numpy as np
    >>> from halfcl.stability._programs._functions import report_if_unstable
    >>> call = (lambda: np.float16(1) / np.float16([3, 7])), {}
    >>> report_if_unstable(itertools.repeat(call), 2, 4, "thirds")
    ''
    """
    _check_numbers(digits, samples)
    scales = _parse_scales(scale)
    options = Options((name,), samples=samples, is_traced=False, is_blamed=False, scales=scales)
    test = StabilityTest(options, FunctionRunner(calls))
    try:
        report = test.run()
    except ProgramFailure as failure:
        return f"{name}: {failure}"
    if report.least_digits >= digits and not report.left_out:
        return ""
    test.blame()
    return text(report)


def _check_numbers(digits: float, samples: int) -> None:
    if isinstance(digits, bool) or not isinstance(digits, int | float | np.number):
        raise TypeError(f"digits: expected a number, got {type(digits).__name__}")
    if not 0 < digits <= 3.3:
        raise ValueError(f"digits: expected significant digits, over 0 to 3.3, got {digits!r}")
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer):
        raise TypeError(f"samples: expected an int, got {type(samples).__name__}")
    if not LEAST_SAMPLES <= samples <= 10_000:
        raise ValueError(
            f"samples: expected a number from {LEAST_SAMPLES} to 10000, since digits are estimated "
            f"from runs that round at random, got {samples!r}"
        )


def _parse_scales(
    scale: str | Mapping[str, str] | None,
) -> tuple[tuple[str, Scale | None], ...]:
    """Return the scales by name; that of all other results has no name."""
    if isinstance(scale, Mapping):
        return tuple((name, Scale.parse(x, f"scale[{name!r}]")) for name, x in scale.items())
    return () if scale is None else ((ALL_OTHERS, Scale.parse(scale)),)
