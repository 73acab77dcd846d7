"""Conducts the comparison of a program's plain and accelerated runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from halfcl._speedup.recording import Key, Total
from halfcl._speedup.running import ACCELERATED, KINDS, PLAIN, MeasuredOutcome, MeasuredRun
from halfcl._support import main_programs
from halfcl.stability._programs._analysis.results import NameMatcher, Result, collect_outputs
from halfcl.stability._programs._running.child import Outcome
from halfcl.stability._programs._running.launching import Launcher
from halfcl.stability._programs._running.scratch import FolderError
from halfcl.stability._programs._testing import NotCompared, ProgramFailure, list_not_compared

__all__ = ["Call", "Options", "ProgramFailure", "Report", "compare_program"]


@dataclass(frozen=True)
class Options:
    """Options of a comparison."""

    program: tuple[str, ...]  # the program and its arguments, as they follow ``python``
    rounds: int = 3  # runs of each kind, of which the best counts
    #: Time limit of a run in seconds; by default twenty times the first run's time, and at least a
    #: minute.
    timeout: float | None = None
    random_seed: int | None = None  # of the program's random numbers
    folder: str | None = None  # that the program works in; by default the working folder
    also: tuple[str, ...] = ()  # other folders to protect by overlays
    allowed: tuple[str, ...] = ()  # places that the program may write to
    accelerates_children: bool = True
    exact_products: bool | None = None  # as for `halfcl.accelerate`

    @property
    def name(self) -> str:
        """The program's name."""
        return " ".join(self.program[: 1 + (self.program[0] == "-m")])


@dataclass(frozen=True)
class Call:
    """All calls of a function of NumPy at a line, plain and accelerated: the best of the rounds.

    plain_calls, accelerated_calls: their numbers, which differ where results decide. elements:
    those of the largest array of a call, on average. types: the names of the dtypes of arguments
    and results.
    """

    name: str
    file: str
    line: int
    plain_calls: int
    accelerated_calls: int
    plain_seconds: float
    accelerated_seconds: float
    elements: float = 0.0
    types: frozenset[str] = frozenset()

    @property
    def weight(self) -> float:
        """The seconds by which calls are ordered."""
        return max(self.plain_seconds, self.accelerated_seconds)

    @property
    def ratio(self) -> float | None:
        """How many times as fast the calls are accelerated; None if either was not called."""
        if not (self.plain_seconds and self.accelerated_seconds):
            return None
        return self.plain_seconds / self.accelerated_seconds


@dataclass
class Report:
    """The result of a comparison."""

    options: Options
    #: Why runs failed, by their kind; then the other fields are empty.
    failures: dict[str, str] = field(default_factory=dict)
    last_errors: str = ""  # the end of standard error of the first run that failed
    plain_seconds: float = 0.0
    accelerated_seconds: float = 0.0
    calls: list[Call] = field(default_factory=list)  # in the order of their weight
    why_no_calls: str = ""  # why they could not be timed
    results: list[Result] = field(default_factory=list)  # those that are compared
    left_out: list[Result] = field(default_factory=list)  # those that differ in plain runs
    not_compared: list[NotCompared] = field(default_factory=list)
    processes: int = 0  # that it starts
    threads: int = 1  # that call NumPy
    accelerates: bool = False  # whether the program accelerates itself
    #: Whether the faster kind's median is below the best of the other: else runs differ as much.
    is_clear: bool = True

    @property
    def ratio(self) -> float:
        """How many times as fast the program is accelerated."""
        return self.plain_seconds / self.accelerated_seconds


def compare_program(
    options: Options, progress: Callable[[str], None] = lambda text: None
) -> Report:
    """Run a program plain and accelerated, in turns, and compare times and results.

    progress: called with a description of each step. Raise ProgramFailure if there is no such
    program, or it cannot run here.
    """
    _check_program(options.program)
    seconds = options.timeout or 86400.0
    with Launcher(seconds, options.folder, options.also, options.allowed) as launcher:
        launcher.width = 1  # Runs in parallel would take each other's time.
        try:
            return _Comparison(options, launcher, progress).run()
        except FolderError as error:
            raise ProgramFailure(str(error)) from None


def _check_program(program: Sequence[str]) -> None:
    kind = program[0] if program else ""
    if kind == "-" or (
        os.path.exists(kind) and not os.path.isfile(kind) and not os.path.isdir(kind)
    ):
        raise ProgramFailure(
            "expected script.py, -m module or -c code, which can be run several times, got "
            f"{'standard input' if kind == '-' else kind}"
        )
    try:
        main_programs.find_program(list(program))
    except main_programs.ProgramError as error:
        raise ProgramFailure(str(error)) from None


class _ProgramError(Exception):
    """Signals that a run failed."""


class _Comparison:
    """One comparison: call `run`."""

    def __init__(self, options: Options, launcher: Launcher, progress: Callable[[str], None]):
        self._options, self._launcher, self._progress = options, launcher, progress
        self._report = Report(options)
        plain = MeasuredRun(
            options.program,
            random_seed=options.random_seed,
            accelerates_children=options.accelerates_children,
            exact_products=options.exact_products,
        )
        self._runs = {PLAIN: plain, ACCELERATED: replace(plain, is_accelerated=True)}

    def run(self) -> Report:
        """Make all runs and compare them."""
        self._progress("a plain run, which is not timed")
        first = self._launcher.run_first(self._runs[PLAIN])
        if self._options.timeout is None:
            self._launcher.timeout = max(60.0, 20 * first.seconds)
        try:
            self._check(PLAIN, first)
            outcomes = self._run_rounds(times_calls=False)
        except _ProgramError:
            return self._report
        self._note_seconds(outcomes)
        self._compare(first, outcomes)
        try:
            self._compare_calls(self._run_rounds(times_calls=True))
        except _ProgramError:
            # The program itself does not fail, but it cannot be instrumented.
            self._report.why_no_calls = next(iter(self._report.failures.values()))
            self._report.failures.clear()
        return self._report

    def _run_rounds(self, times_calls: bool) -> dict[str, list[MeasuredOutcome]]:
        """Return the outcomes of all rounds, by kind; raise _ProgramError after a failure."""
        outcomes: dict[str, list[MeasuredOutcome]] = {kind: [] for kind in KINDS}
        what = "calls timed" if times_calls else "timed as a whole"
        for k in range(self._options.rounds):
            for kind in KINDS:
                self._progress(f"round {k + 1} of {self._options.rounds}, {what}, {kind}")
                run = replace(self._runs[kind], times_calls=times_calls)
                (outcome,) = self._launcher.run_all([run])
                self._check(kind, outcome)
                assert isinstance(outcome, MeasuredOutcome)
                outcomes[kind].append(outcome)
        return outcomes

    def _check(self, kind: str, outcome: Outcome) -> None:
        """Raise _ProgramError if a run failed; after a plain one, see whether both kinds do."""
        why = _why_failed(outcome)
        if not why:
            return
        failures = self._report.failures
        failures[kind] = why
        self._report.last_errors = outcome.last_errors
        if kind == PLAIN:
            self._progress("an accelerated run, after a plain one failed")
            (other,) = self._launcher.run_all([self._runs[ACCELERATED]])
            if why := _why_failed(other):
                failures[ACCELERATED] = why
        raise _ProgramError

    def _note_seconds(self, outcomes: dict[str, list[MeasuredOutcome]]) -> None:
        report = self._report
        seconds = [[outcome.seconds for outcome in outcomes[kind]] for kind in KINDS]
        report.plain_seconds, report.accelerated_seconds = map(min, seconds)
        report.is_clear = is_clear_difference(*seconds)
        report.processes = max(o.started + o.forks for kind in KINDS for o in outcomes[kind])
        report.accelerates = any(outcome.accelerates for outcome in outcomes[PLAIN])

    # ------------------------------------------------------------ results

    def _compare(self, first: Outcome, outcomes: dict[str, list[MeasuredOutcome]]) -> None:
        """Compare what an accelerated run outputs with plain runs, which may differ, too."""
        report, others = self._report, outcomes[PLAIN]
        accelerated = outcomes[ACCELERATED][0]
        own = collect_outputs(first)
        names = NameMatcher(own, collect_outputs(others[0]))
        agains = [names.align(collect_outputs(outcome)) for outcome in others]
        theirs = names.align(collect_outputs(accelerated))
        for name in dict.fromkeys([*own, *theirs]):
            pair = [(PLAIN, own.get(name)), (ACCELERATED, theirs.get(name))]
            result = Result(name, pair, *(again.get(name) for again in agains))
            (report.left_out if result.is_left_out else report.results).append(result)
        report.not_compared = list_not_compared(
            first, others[0], [self._runs[ACCELERATED]], [accelerated]
        )

    # ------------------------------------------------------------ calls

    def _compare_calls(self, outcomes: dict[str, list[MeasuredOutcome]]) -> None:
        self._report.threads = max(o.threads for kind in KINDS for o in outcomes[kind])
        plain, accelerated = (
            fastest_totals([outcome.calls for outcome in outcomes[kind]]) for kind in KINDS
        )
        calls = [
            _join(key, plain.get(key, Total()), accelerated.get(key, Total()))
            for key in dict.fromkeys([*plain, *accelerated])
        ]
        self._report.calls = sorted(calls, key=lambda call: -call.weight)


def is_clear_difference(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether the median of the faster runs is below the best of the slower ones.

    >>> from halfcl._speedup.comparing import is_clear_difference
    >>> is_clear_difference([3.0, 3.5, 9.0], [1.0, 2.0, 9.0])
    True
    >>> is_clear_difference([1.9, 3.5, 9.0], [1.0, 2.0, 9.0])
    False
    """
    faster, slower = sorted([sorted(one), sorted(other)])
    return faster[len(faster) // 2] < slower[0]


def fastest_totals(rounds: Iterable[dict[Key, Total]]) -> dict[Key, Total]:
    """Return the fastest totals of each call in any round."""
    best: dict[Key, Total] = {}
    for totals in rounds:
        for key, total in totals.items():
            if key not in best or total.nanoseconds < best[key].nanoseconds:
                best[key] = total
    return best


def _join(key: Key, plain: Total, accelerated: Total) -> Call:
    total = plain if plain.calls else accelerated
    return Call(
        *key, plain.calls, accelerated.calls,
        plain.nanoseconds / 1e9, accelerated.nanoseconds / 1e9, total.elements / total.calls,
        frozenset(total.types),
    )  # fmt: skip


def _why_failed(outcome: Outcome) -> str:
    """Return why a run failed; empty if it did not."""
    if outcome.stop_reason or outcome.error:
        return outcome.stop_reason or outcome.error
    return f"it ended with status {outcome.status}" if outcome.status else ""
