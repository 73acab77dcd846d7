"""The same test of a function, in this process: what marked tests are run by."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl.stability._programs import _watching as watching
from halfcl.stability._programs._child import Outcome, Rounding, Run
from halfcl.stability._programs._inputs import InputTracer
from halfcl.stability._programs._places import Places
from halfcl.stability._programs._report import text
from halfcl.stability._programs._testing import Asked, ProgramFailure, Trial

#: A function, and its arguments by name.
Call: TypeAlias = tuple[Callable[..., object], Mapping[str, object]]

#: What a function returns is called so among the results.
RETURNED = "returned"


class FunctionRuns:
    """Runs of a function as a `Launcher` has them of a program.

    Parameters
    ----------
    calls : iterator of (callable, mapping)
        The function and its arguments by name, for each run; a run gets copies of arrays.
    """

    width = 1
    means: tuple[str, ...] = ()
    expected = "a result that it returns, or calls of halfcl.stability.watch"

    def __init__(self, calls: Iterator[Call]):
        self._calls = calls
        self.timeout = 0.0
        self.runs, self.seconds = 0, 0.0

    def run_first(self, run: Run) -> Outcome:
        """The run to nearest, whose errors are the caller's."""
        return self._run(run, ())

    def run_all(self, runs: Sequence[Run]) -> list[Outcome]:
        """Run after run."""
        return [self._run(run, (Exception,)) for run in runs]

    def _run(self, run: Run, caught: tuple[type[Exception], ...]) -> Outcome:
        outcome, recorder = Outcome(), watching.Recorder()
        places = Places(run.kind)
        rounding = Rounding(run, places)
        tracer = InputTracer(places, run.wanted) if run.wanted else None
        function, given = next(self._calls)
        args = {name: _copied(x) for name, x in given.items()}
        before, begin = sys.gettrace(), time.perf_counter()
        watching.record_to(recorder)
        try:
            with hc.accelerated():
                if tracer is not None:
                    tracer.start()
                returned = rounding.region(0).call(lambda: function(**args), ())
            if returned is not None:
                recorder.note(RETURNED, returned)
        except caught as error:
            outcome.error = f"{type(error).__name__}: {error}".splitlines()[0]
        finally:
            watching.record_to(None)
            if tracer is not None:
                sys.settrace(before)
        outcome.seconds = time.perf_counter() - begin
        self.runs, self.seconds = self.runs + 1, self.seconds + outcome.seconds
        outcome.watched = recorder.found
        outcome.units, outcome.left = list(rounding.units), list(rounding.left)
        outcome.truths = rounding.truths.logs
        outcome.inputs = tracer.inputs if tracer is not None else None
        return outcome


def _copied(x: object) -> object:
    return x.copy() if isinstance(x, np.ndarray) else x


def complaint(calls: Iterator[Call], digits: float, samples: int, name: str) -> str:
    """Why a function's results are not to be trusted; empty if they are.

    Parameters
    ----------
    calls : iterator of (callable, mapping)
        The function and its arguments by name, for each run. It names its results by
        `halfcl.stability.watch`, or returns one.
    digits : float
        Significant digits that each number is to have, over 0 and at most 3.3.
    samples : int
        Runs that round at random.
    name : str
        What the report calls it.

    Returns
    -------
    str
        The report, with guilty lines and better formulas.

    Raises
    ------
    TypeError, ValueError
        If digits or samples are no such numbers.
    Exception
        What the function raises to nearest.

    Examples
    --------
    >>> import itertools
    >>> import numpy as np
    >>> from halfcl.stability._programs._functions import complaint
    >>> call = (lambda: np.float16(1) / np.float16([3, 7])), {}
    >>> complaint(itertools.repeat(call), 2, 4, "thirds")
    ''
    """
    _check_numbers(digits, samples)
    asked = Asked((name,), samples=samples, is_traced=False, is_blamed=False)
    trial = Trial(asked, FunctionRuns(calls))
    try:
        report = trial.run()
    except ProgramFailure as failure:
        return f"{name}: {failure}"
    if report.least_digits >= digits and not report.left_out:
        return ""
    trial.blame()
    return text(report)


def _check_numbers(digits: float, samples: int) -> None:
    if isinstance(digits, bool) or not isinstance(digits, int | float | np.number):
        raise TypeError(f"digits: expected a number, got {type(digits).__name__}")
    if not 0 < digits <= 3.3:
        raise ValueError(f"digits: expected significant digits, over 0 to 3.3, got {digits!r}")
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer):
        raise TypeError(f"samples: expected an int, got {type(samples).__name__}")
    if not 0 <= samples <= 10_000:
        raise ValueError(f"samples: expected a number from 0 to 10000, got {samples!r}")
