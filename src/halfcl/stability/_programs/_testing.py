"""Conducts the test of a whole program, from its first run to its report."""

from __future__ import annotations

import linecache
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from halfcl._core import MODES
from halfcl._support import main_programs
from halfcl.stability import _measures as measures
from halfcl.stability._array_comparisons import Divergence, find_divergences
from halfcl.stability._measures import Scale
from halfcl.stability._observing.nonfinite import NotFinite
from halfcl.stability._programs._analysis import touching
from halfcl.stability._programs._analysis.blaming import (
    PERTURBATIONS,
    Blame,
    BlameEntry,
    Runner,
    Search,
)
from halfcl.stability._programs._analysis.outputs import Doubles, Output
from halfcl.stability._programs._analysis.requests import (
    KnownTruth,
    RequestError,
    scales_by_result,
    select,
    truths_by_result,
)
from halfcl.stability._programs._analysis.results import (
    STATUS,
    NameMatcher,
    Result,
    collect_outputs,
)
from halfcl.stability._programs._analysis.traces import Branch, Moment, branches, moments
from halfcl.stability._programs._analysis.trials import MendingTrial, Targets
from halfcl.stability._programs._planning import Progress
from halfcl.stability._programs._recording.inputs import InputRequest, Inputs
from halfcl.stability._programs._recording.numbers import NO_NUMBERS
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._recording.stalls import Answer
from halfcl.stability._programs._reference.probing import DIRECTIONS
from halfcl.stability._programs._reference.run import ASKS, ReferenceOutcome, ReferenceRun
from halfcl.stability._programs._reference.stand_in import is_longer
from halfcl.stability._programs._rewriting.measuring import Suggestion
from halfcl.stability._programs._rewriting.mendings import Mender, Mending
from halfcl.stability._programs._running.child import Outcome, Run
from halfcl.stability._programs._running.interrupting import INTERRUPT
from halfcl.stability._programs._running.launching import Launcher
from halfcl.stability._programs._running.protecting import LANDLOCK, has_overlay
from halfcl.stability._programs._running.scratch import FolderError
from halfcl.stability._programs._wording import FARTHEST, quantity

#: Default limits of a run: times those to nearest, of which one is traced and one looks up each
#: operation's mode, and the least number of seconds. Those to nearest have the first one's limit: a
#: run that is certain to stall is stopped much earlier.
TIMES_NEAREST = 10
LEAST_LIMIT = 10.0
FIRST_LIMIT = 600.0

#: Default limit of the search for blame, in times the plain run, and the least number of seconds.
#: Better formulas, and what else mends a program, have the share of this after it.
TIMES_BLAME = 20
LEAST_BLAME = 60.0
_FORMULAS_SHARE = 0.5

#: Random runs are reduced to fewer, but at least so many, if all runs before the search for blame
#: would take more seconds, and times the plain run.
FEWEST_SAMPLES = 4
_MOST_SECONDS = 20.0
_MOST_SHARE = 12.0

#: Tracing is reduced to some runs if it adds more seconds to all of them, and times the plain run.
_MOST_TRACING = 3.0
_MOST_TRACING_SHARE = 4.0

#: The runs that are traced then, by mode and by number of random ones.
_TRACED_MODES = ("rtp", "rtn")
_TRACED_SAMPLES = 3


class ProgramFailure(Exception):
    """Signals that a program cannot be tested; the message is one line for the user."""


@dataclass(frozen=True)
class Options:
    """Options of a test."""

    program: tuple[str, ...]  # the program and its arguments, as they follow ``python``
    samples: int = 10  # number of runs that round at random
    watch: tuple[str, ...] = ()  # names of the results to compare; all if empty
    is_traced: bool = True  # whether to record steps
    is_blamed: bool = True  # whether to search for the units to blame
    by: str = "line"  # their kind: "line", "function" or "module"
    #: Time limit of a run in seconds; by default ten times that of the runs to nearest, and at
    #: least `LEAST_LIMIT`.
    timeout: float | None = None
    random_seed: int | None = None  # of the program's random numbers
    folder: str | None = None  # that the program works in; by default the working folder
    also: tuple[str, ...] = ()  # other folders to protect by overlays
    allowed: tuple[str, ...] = ()  # places that the program may write to
    budget: float | None = None  # limit on the time of all runs in seconds
    #: Whether fewer samples, but at least `FEWEST_SAMPLES`, do where they take long.
    may_reduce_samples: bool = False
    #: The units in which differences of results count, by name; see `parse_scale`.
    scales: tuple[tuple[str, Scale | None], ...] = ()
    truths: tuple[KnownTruth, ...] = ()  # exact results

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of results that may be variables: these are recorded."""
        names = [*self.watch, *(name for name, _ in self.scales), *(t.name for t in self.truths)]
        return tuple(dict.fromkeys(filter(None, names)))

    @property
    def name(self) -> str:
        """The program's name."""
        return " ".join(self.program[: 1 + (self.program[0] == "-m")])


@dataclass(frozen=True)
class NotCompared:
    """Data of a program that is not compared number by number.

    runs: the runs that wrote other data than the run to nearest. repeats: whether two runs to
    nearest wrote the same data.
    """

    name: str
    reason: str
    runs: tuple[str, ...]
    repeats: bool


@dataclass
class Report:
    """The result of a test."""

    options: Options
    results: list[Result] = field(default_factory=list)  # those that are compared
    left_out: list[Result] = field(default_factory=list)  # those that differ in runs to nearest
    #: Data in formats that are not read, if it differs between runs.
    not_compared: list[NotCompared] = field(default_factory=list)
    #: Descriptions, by run, of failures where the run to nearest did not fail.
    failures: dict[str, str] = field(default_factory=dict)
    branches: list[Branch] = field(default_factory=list)
    #: Lines whose comparisons of arrays some runs decide differently from the run to nearest.
    comparisons: list[Divergence[Unit | None]] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)  # digits of variables over time
    #: The units that promoted half to another type, and that type.
    promotions: list[tuple[Unit | None, str]] = field(default_factory=list)
    started: int = 0  # number of other processes that it started
    failed: int = 0  # how many of these and of its forks failed
    refusal: str = ""  # the first line on standard error that reports a refused write or read
    blame: Blame | None = None
    suggestions: list[Suggestion] = field(default_factory=list)
    mendings: list[Mending] = field(default_factory=list)
    plain_seconds: float = 0.0  # of the first run
    samples: int = 0  # random runs that were planned
    runs: int = 0
    expected_runs: int = 0  # that were planned, if not all were made
    ended_by: str = ""  # why not all runs were made; empty if they were
    seconds: float = 0.0  # of all runs
    blame_seconds: float = 0.0  # of the search for blame
    #: Why the search for blame ended early: its limit by default; empty if it did not.
    blame_ended_by: str = ""
    means: tuple[str, ...] = ()  # names of the mechanisms that protected the user's files
    #: The lines that first made infinities or NaNs in the run to nearest, and by what.
    not_finite: list[NotFinite[Unit | None]] = field(default_factory=list)
    #: Why there is no reference, if there is none.
    no_reference: str = ""
    #: Where the reference run could not follow the program, and why: the spread decides on results
    #: that may depend on it.
    leaks: list[tuple[Unit | None, str]] = field(default_factory=list)
    #: Why the reference was not compared with one in longer arithmetic, if it was not.
    no_check: str = ""

    @property
    def compared_count(self) -> int:
        """The number of compared elements."""
        return sum(result.compared_count for result in self.results)

    @property
    def is_stable(self) -> bool:
        """True if no run fails, and no result has a bad verdict."""
        return not self.failures and all(result.is_stable for result in self.results)

    @property
    def least_digits(self) -> float:
        """The significant digits of the worst element; 0 if a run failed, NaN if unknown."""
        if self.failures:
            return 0.0
        least = [result.least_digits for result in self.results]
        return float(np.min(least, initial=measures.PRECISION_IN_DIGITS))

    @property
    def has_digits(self) -> bool:
        """True if there are enough random runs to estimate digits."""
        return self.options.samples >= measures.LEAST_SAMPLES


def forget_changed_sources() -> None:
    """Forget the lines of files that have changed since an earlier test in this process."""
    for file in list(linecache.cache):
        with suppress(KeyError):  # a test in another thread has forgotten it meanwhile
            linecache.checkcache(file)


def test_program(options: Options, progress: Callable[[str], None] = lambda text: None) -> Report:
    """Run a program in all modes and with random rounding, and compare its output.

    progress: called with a description of each step. Raise ProgramFailure if the program fails in
    the run to nearest, rounds nothing, or has no output that can be compared.
    """
    forget_changed_sources()
    try:
        main_programs.find_program(list(options.program))
    except main_programs.ProgramError as error:
        raise ProgramFailure(str(error)) from None
    seconds = options.timeout or FIRST_LIMIT
    with Launcher(
        seconds, options.folder, options.also, options.allowed, options.budget
    ) as launcher:
        test = StabilityTest(options, launcher, progress)
        try:
            report = test.run()
        except FolderError as error:
            raise ProgramFailure(str(error)) from None
        report.means = launcher.means
        if options.is_blamed and not report.is_stable and not report.ended_by:
            test.blame()
        return report


#: Limit on the reasons that an error lists if nothing can be compared.
_MOST_REASONS = 6


def _why_no_number(result: Result) -> str:
    if result.name == STATUS:
        return "it is not a result"
    return "all its numbers are left out" if result.size else NO_NUMBERS


def list_not_compared(
    first: Outcome, again: Outcome, runs: Sequence[Run], outcomes: Sequence[Outcome]
) -> list[NotCompared]:
    """Return the unread data that differs between runs, or may differ."""
    ended = [
        (run.name, outcome.files.unread)
        for run, outcome in zip(runs, outcomes, strict=True)
        if not (outcome.stop_reason or outcome.error)
    ]
    firsts, agains = first.files.unread, again.files.unread
    names = dict.fromkeys(name for _, unread in [("", firsts), *ended] for name in unread)
    entries = []
    for name in names:
        others = tuple(run for run, unread in ended if unread.get(name) != firsts.get(name))
        unread = firsts.get(name) or next(own[name] for _, own in ended if name in own)
        repeats = firsts.get(name) == agains.get(name)
        if others or not repeats or unread.is_unknown:
            entries.append(NotCompared(name, unread.reason, others, repeats))
    return entries


class TestRunner(Runner, Protocol):
    """A runner that also makes a first run, counts runs and limits their time.

    The attributes are those of `Launcher`.
    """

    timeout: float
    limit_source: str
    ended_by: str
    deadline: float
    runs: int
    seconds: float
    expected: str
    means: tuple[str, ...]
    on_run: Callable[[], None]
    on_answer: Callable[[Answer, float], None]

    def end_at_interrupt(self) -> None:
        """Make no more runs after Ctrl-C from now on, in place of raising an exception."""

    def run_first(self, run: Run) -> Outcome:
        """Return the outcome of the run that comes before all others."""

    def run_all(self, runs: Sequence[Run]) -> list[Outcome]:
        """Return the outcomes of several runs; up to `width` of them run in parallel."""


class StabilityTest:
    """One test: call `run`, and then `blame` if the search for blame is wanted.

    progress: called with a description of each step.
    """

    def __init__(
        self,
        options: Options,
        launcher: TestRunner,
        progress: Callable[[str], None] = lambda text: None,
    ):
        self.options, self.launcher = options, launcher
        self.progress = Progress(launcher, options.samples, options.is_blamed, progress)
        self.base = Run(
            options.program,
            kind=options.by,
            variables=options.variables,
            random_seed=options.random_seed,
        )
        self.report = Report(options)
        self._units: list[Unit] = []
        self._nearest: dict[str, Output] = {}
        self._directed: dict[str, Outcome] = {}
        self._names = NameMatcher({}, {})
        self._scales: dict[str, Scale | None] = {}
        self._truths: dict[str, Doubles] = {}
        self._runs: list[Run] = []  # those that are compared
        self._probes: list[Outcome] = []  # of the reference run; none if it needs none

    def run(self) -> Report:
        """Make and compare all runs except those of the search for blame."""
        first = self._run_first()
        self.progress.step("two runs to nearest")
        base = replace(self.base, is_traced=self.options.is_traced, records_comparisons=True)
        records = replace(self.base, records_units=True, records_not_finite=True)
        recording, again = two = self.launcher.run_all([records, base])
        for outcome in two:
            _check(outcome)
        self._check_rounding(recording)
        # Fail now and not only after all runs.
        self._select_first(first)
        if self.options.timeout is None:
            self._limit_runs(max(outcome.seconds for outcome in (first, *two)))
        self._nearest = collect_outputs(recording)
        self._units = recording.units
        runs, outcomes, references = self._run_others(self._other_runs(base, first, again))
        self._probes = self._run_probes(references)
        self._runs = [replace(self.base, mode=run.mode, seed=run.seed) for run in [base, *runs]]
        self._compare(first, again, runs, outcomes, references)
        names = [base.name, *(run.name for run in runs)]
        self._compare_traces(names, [again, *outcomes])
        truths = (outcome.truths for outcome in [again, *outcomes])
        report = self.report
        report.comparisons = find_divergences(list(zip(names, truths, strict=True)))
        report.promotions, report.started = recording.promotions, recording.started
        report.not_finite = recording.not_finite
        everything = [first, *two, *outcomes]
        report.failed = max(outcome.failed for outcome in everything)
        report.refusal = next(filter(None, (o.refusal for o in everything)), "")
        self._nearest = self._names.align(self._nearest)
        self._directed = {run.mode: o for run, o in zip(runs, outcomes, strict=True)}
        self._note_costs()
        return report

    def _select_first(self, first: Outcome) -> None:
        """Select the results of the first run to compare, their units and their truths."""
        outputs = collect_outputs(first)
        names = self._select_names(list(outputs), first)
        if not names:
            raise ProgramFailure(self._nothing_to_compare(first))
        selected = {name: outputs[name] for name in names if name in outputs}
        try:
            self._scales = scales_by_result(self.options.scales, first.scales, list(selected))
            self._truths = truths_by_result(self.options.truths, selected)
        except RequestError as error:
            raise ProgramFailure(str(error)) from None

    def _run_others(self, runs: list[Run]) -> tuple[list[Run], list[Outcome], list[Outcome]]:
        """Make the reference runs, and runs in other roundings.

        Return those in other roundings that ended, their outcomes, and those of the former.
        """
        self.launcher.end_at_interrupt()
        reference, *checks = self._reference_runs()
        modes = [run for run in runs if run.mode != "random"]
        planned = [reference, *modes, *checks, *runs[len(modes) :]]
        self.progress.step(f"{1 + len(checks)} with wider halves, {len(runs)} in other roundings")
        count = len(planned)
        if self.options.may_reduce_samples:
            count -= max(0, self.options.samples - FEWEST_SAMPLES)
        outcomes = self.launcher.run_some(planned[:count])
        count += self._count_affordable(outcomes, len(planned) - count)
        outcomes += self.launcher.run_some(planned[len(outcomes) : count])
        self.report.samples = sum(run.mode == "random" for run in planned[:count])
        completed = [(run, o) for run, o in zip(planned, outcomes, strict=False) if o is not None]
        exact = [outcome for run, outcome in completed if isinstance(run, ReferenceRun)]
        exact = exact if outcomes[0] is not None else []  # a check alone is no reference
        ended = [(run, outcome) for run, outcome in completed if not isinstance(run, ReferenceRun)]
        if not completed and self.launcher.ended_by == INTERRUPT:
            raise KeyboardInterrupt  # Nothing is known yet.
        if not completed:
            raise ProgramFailure(
                f"{self.launcher.ended_by} ended the test before any run in another rounding"
            )
        return [run for run, _ in ended], [outcome for _, outcome in ended], exact

    def _run_probes(self, references: Sequence[Outcome]) -> list[Outcome]:
        """Make the probes of a reference run in which functions of halves got numbers."""
        first = next(iter(references), None)
        if not isinstance(first, ReferenceOutcome) or first.error or not first.needs_probes:
            return []
        base = ReferenceRun(**vars(replace(self.base, records_units=True)))
        self.progress.step("two with wider halves, in which what they lose is moved")
        runs = [replace(base, direction=direction) for direction in DIRECTIONS]
        outcomes = self.launcher.run_some(runs)
        return [Outcome(stop_reason="ended") if one is None else one for one in outcomes]

    def _count_affordable(self, outcomes: Sequence[Outcome | None], rest: int) -> int:
        """Return how many of the remaining random runs do not take too long.

        outcomes: those of the runs so far, the last of which round at random.
        """
        last = [outcome.seconds for outcome in outcomes[-FEWEST_SAMPLES:] if outcome is not None]
        if not rest or not last:
            return rest
        most = max(_MOST_SECONDS, _MOST_SHARE * self.report.plain_seconds)
        slowest = max(max(last), 1e-9) / self.launcher.width
        return min(rest, max(0, int((most - self.launcher.seconds) / slowest)))

    def _note_costs(self) -> None:
        report, launcher = self.report, self.launcher
        report.runs, report.seconds = launcher.runs, launcher.seconds
        report.ended_by = launcher.ended_by
        report.expected_runs = max(self.progress.expected, report.runs + 1)

    def _run_first(self) -> Outcome:
        self.progress.step("a run to nearest")
        first = self.launcher.run_first(self.base)
        try:
            _check(first)
        except ProgramFailure as error:
            raise ProgramFailure(f"{error}{self._why_refused(first)}") from None
        self.report.plain_seconds = first.seconds
        self.progress.plain_seconds = first.seconds
        return first

    def _limit_runs(self, seconds: float) -> None:
        """Limit the time of all other runs; seconds: the longest run to nearest."""
        self.launcher.timeout = max(LEAST_LIMIT, TIMES_NEAREST * seconds)
        self.launcher.limit_source = (
            f"{TIMES_NEAREST} times a run to nearest, at least {LEAST_LIMIT:g} s; --timeout S "
            "changes it"
        )

    def _why_refused(self, outcome: Outcome) -> str:
        """Return a hint for a failure if the user's files are read-only; empty otherwise."""
        means = self.launcher.means
        if outcome.stop_reason or has_overlay(means) or LANDLOCK not in means:
            return ""
        return (
            " (no overlay could be mounted here, so the system refuses libraries in C and other "
            "programs to write to your files; --allow-write PATH allows it)"
        )

    def _reference_runs(self) -> list[Run]:
        """Return the reference run and, where there is a longer type than double, another in it."""
        base = ReferenceRun(**vars(replace(self.base, records_units=True)))
        return [base, *([replace(base, wide="long double")] if is_longer() else [])]

    def _other_runs(self, base: Run, first: Outcome, again: Outcome) -> list[Run]:
        """Return the runs in the other modes and the random ones, the most important ones first."""
        modes = [replace(base, mode=mode) for mode in MODES if mode != "rte"]
        samples = [replace(base, mode="random", seed=k + 1) for k in range(self.options.samples)]
        runs = [*modes, *samples]
        added = (again.seconds - first.seconds) * len(runs) / self.launcher.width
        if added < max(_MOST_TRACING, _MOST_TRACING_SHARE * first.seconds):
            return runs
        return [replace(run, is_traced=run.is_traced and _is_always_traced(run)) for run in runs]

    def _check_rounding(self, outcome: Outcome) -> None:
        if outcome.units:
            return
        hint = "; it starts other processes, which are not followed" if outcome.started else ""
        if outcome.status:
            hint = (
                f"; it ended with status {outcome.status} (arguments after its name belong to the "
                "program)"
            )
        raise ProgramFailure(
            "no operation of it rounds to half, so nothing was tested: expected a program that "
            f"computes in float16 or half arrays{hint}"
        )

    # ------------------------------------------------------------ comparing

    def _compare(
        self,
        first: Outcome,
        again: Outcome,
        runs: Sequence[Run],
        outcomes: Sequence[Outcome],
        references: Sequence[Outcome],
    ) -> None:
        report = self.report
        one, two = collect_outputs(first), collect_outputs(again)
        self._names = NameMatcher(one, two)
        two, outputs = self._names.align(two), [("rte", one)]
        for run, outcome in zip(runs, outcomes, strict=True):
            if outcome.stop_reason or outcome.error:
                report.failures[run.name] = outcome.stop_reason or outcome.error
            else:
                outputs.append((run.name, self._names.align(collect_outputs(outcome))))
        names = dict.fromkeys(name for _, results in outputs for name in results)
        exact, check = self._reference_outputs(references)
        selected = self._select_names(list(names), first)
        results = self._results_of(selected, outputs, two, exact, check)
        if any(result.reference_difference and not result.is_left_out for result in results):
            exact = self._without_answers(references[0], exact or {})
            results = self._results_of(selected, outputs, two, exact, check)
        for result in results:
            (report.left_out if result.is_left_out else report.results).append(result)
        if not self.options.watch:
            report.not_compared = list_not_compared(first, again, runs, outcomes)
        if not report.results or (report.is_stable and not report.compared_count):
            raise ProgramFailure(self._nothing_to_compare(first))

    def _results_of(
        self,
        names: Sequence[str],
        outputs: Sequence[tuple[str, Mapping[str, Output]]],
        again: Mapping[str, Output],
        exact: Mapping[str, Output] | None,
        check: Mapping[str, Output],
    ) -> list[Result]:
        """Return the results with these names, compared with a reference if there is one."""
        results = []
        for name in names:
            of_name = [(run, values.get(name)) for run, values in outputs]
            scale, truth = self._scales.get(name), self._truths.get(name)
            result = Result(name, of_name, again.get(name), scale=scale, truth=truth)
            # A run that did not follow the program may lack a result for that reason.
            if exact is not None and (name in exact or not self.report.leaks):
                result.compare_with(exact.get(name), check.get(name))
            results.append(result)
        return results

    def _reference_outputs(
        self, outcomes: Sequence[Outcome]
    ) -> tuple[Mapping[str, Output] | None, Mapping[str, Output]]:
        """Return the outputs of the reference run, and of the one in longer arithmetic.

        The former are None if that run failed. Numbers are marked that may depend on what it did
        not follow.
        """
        report = self.report
        if not outcomes:
            report.no_reference = f"it did not end before {self.launcher.ended_by} ended the test"
            return None, {}
        reference = outcomes[0]
        report.no_reference, exact = self._outputs_unless_failed(reference)
        if report.no_reference or not isinstance(reference, ReferenceOutcome):
            return None, {}
        exact = self._mark_touched(reference, exact)
        unknown = _unknown_halves(exact)
        report.leaks = [*reference.leaks, *unknown]
        if unknown:  # Others may depend on whatever has made them.
            exact = touching.mark_all(exact)
        for outcome in outcomes[1:]:
            report.no_check, check = self._outputs_unless_failed(outcome)
            leaks = outcome.leaks if isinstance(outcome, ReferenceOutcome) else []
            own = [f"{why} at {place}" for place, why in leaks if (place, why) not in report.leaks]
            report.no_check = report.no_check or next(iter(own), "")
            if not report.no_check:
                return exact, check
        return exact, {}

    def _outputs_unless_failed(self, outcome: Outcome) -> tuple[str, Mapping[str, Output]]:
        """Return why a run failed, and its outputs by name."""
        failure = outcome.stop_reason or outcome.error
        return failure, self._names.align(collect_outputs(outcome))

    def _mark_touched(
        self, reference: ReferenceOutcome, outputs: Mapping[str, Output]
    ) -> Mapping[str, Output]:
        """Mark the numbers of a reference run that may depend on what it did not follow."""
        if reference.needs_probes:
            probes = [self._outputs_unless_failed(probe) for probe in self._probes]
            moved = [{} if failure else own for failure, own in probes]
            outputs = touching.mark_moved(outputs, moved or [{}])
        if (written := reference.written_before) is not None:
            outputs = touching.mark_later(outputs, reference, written, self._names.align)
        return outputs

    def _without_answers(
        self, reference: Outcome, outputs: Mapping[str, Output]
    ) -> Mapping[str, Output]:
        """Mark what a reference run wrote after it had asked whether a number is a half.

        It may have taken another way than halves for this reason: it has other words.
        """
        if isinstance(reference, ReferenceOutcome):
            self.report.leaks += [(place, ASKS) for place in reference.questions]
            if (written := reference.written_before_question) is not None:
                return touching.mark_later(outputs, reference, written, self._names.align)
        return outputs

    def _select_names(self, names: list[str], first: Outcome) -> list[str]:
        """Return the names of the results to compare: those that `watch` selects, or all."""
        if not self.options.watch:
            # Variables are recorded for --scale and --truth, where no other result has the name.
            own = {f"{name}, variable" for name in self.options.variables if name in names}
            return [name for name in names if name not in own]
        selected = []
        for watched in self.options.watch:
            hits = select(watched, names)
            if not hits and watched in first.files.unread:
                raise ProgramFailure(
                    f"--watch: {watched}: expected a file of numbers, got another: "
                    f"{first.files.unread[watched].reason}"
                )
            if not hits:
                known = ", ".join(names) or "nothing"
                raise ProgramFailure(
                    "--watch: expected a global variable, a function's (main.x), a file or a "
                    f"watched name, got {watched!r}; the program outputs {known}"
                )
            selected += hits
        return list(dict.fromkeys(selected))

    def _nothing_to_compare(self, first: Outcome) -> str:
        report = self.report
        if report.left_out and not report.results:
            names = ", ".join(result.name for result in report.left_out)
            return (
                f"two runs to nearest differ in all of {names}, for another reason than rounding: "
                "random numbers without a seed (--seed 0 seeds them), the time, other processes, a "
                "path or an address on every line"
            )
        reasons = [f"{result.name}: {_why_no_number(result)}" for result in report.results]
        reasons += [f"{name}: {unread.reason}" for name, unread in first.files.unread.items()]
        if first.has_errors:
            reasons.append("standard error is not compared")
        reasons += [
            f"{result.name}: it differs in two runs to nearest" for result in report.left_out
        ]
        shown = f" ({'; '.join(reasons[:_MOST_REASONS])})" if reasons else ""
        return f"it outputs nothing that can be compared{shown}: expected {self.launcher.expected}"

    # ------------------------------------------------------------ traces

    def _compare_traces(self, names: Sequence[str], outcomes: Sequence[Outcome]) -> None:
        traces = [
            (name, outcome.trace)
            for name, outcome in zip(names, outcomes, strict=True)
            if outcome.trace is not None
        ]
        if len(traces) > 1:
            self.report.branches = branches(traces)
            self.report.moments = moments(traces)

    # ------------------------------------------------------------ blaming

    def blame(self) -> None:
        """Search for the units to blame and for better formulas, and add them to the report."""
        report, launcher = self.report, self.launcher
        self.progress.step(f"blame: {quantity(len(self._units), self.options.by)} to search")
        before = launcher.seconds
        targets = Targets(report.results, bool(report.failures), self._nearest, self._names)
        known = {
            (mode, seed): targets.measure(self._directed[mode])
            for mode, seed in PERTURBATIONS
            if mode in self._directed
        }
        search = Search(launcher, self.base, targets.names, targets.measure, known)
        limit = self._limit_blame()
        report.blame = search.find(self._units)
        if not report.blame.is_complete and time.perf_counter() > launcher.deadline:
            report.blame_ended_by = (
                f"its limit of {limit:.3g} s ({TIMES_BLAME} times the plain run, at least "
                f"{LEAST_BLAME:g} s; --budget S gives it the rest of S)"
            )
        launcher.deadline = time.perf_counter() + limit * _FORMULAS_SHARE
        if self.options.by == "line" and not launcher.ended_by:
            self.progress.step("better formulas, and what else mends it")
            entries = [*report.blame.entries, *self._origins(report.blame)]
            mender = Mender(entries, self._record_inputs)
            report.suggestions = mender.suggestions()
            bad = [result for result in report.results if not result.is_stable]
            trial = MendingTrial(self._names, bad, self._runs, launcher)
            report.blame = report.blame.with_mended(mender.measure(trial.shares))
            report.mendings = mender.mendings(report.suggestions, trial.judge, trial.plain)
        launcher.deadline = math.inf
        report.blame_seconds = launcher.seconds - before
        self._note_costs()

    def _limit_blame(self) -> float:
        """Limit the time of the search, unless there is a budget, and return the limit."""
        limit = math.inf
        if self.options.budget is None:
            limit = max(LEAST_BLAME, TIMES_BLAME * self.report.plain_seconds)
        self.launcher.deadline = time.perf_counter() + limit
        return limit

    def _origins(self, blame: Blame) -> list[BlameEntry]:
        """Return the lines that made infinities and NaNs, for results that no rounding moves."""
        names = [
            result.name
            for result in self.report.results
            if result.not_finite and not any(result.name in e.effects for e in blame.entries)
        ]
        units = dict.fromkeys(record.location for record in self.report.not_finite)
        effects = dict.fromkeys(names, FARTHEST)
        return [BlameEntry(unit, effects) for unit in units if unit is not None and names]

    def _record_inputs(self, requests: tuple[InputRequest, ...]) -> Inputs | None:
        (outcome,) = self.launcher.run_some([replace(self.base, input_requests=requests)])
        return None if outcome is None else outcome.inputs


def _is_always_traced(run: Run) -> bool:
    return run.mode in _TRACED_MODES or (run.mode == "random" and run.seed <= _TRACED_SAMPLES)


def _unknown_halves(outputs: Mapping[str, Output]) -> list[tuple[Unit | None, str]]:
    """Return that results of a reference run are halves, from a place that it has not recorded.

    Figures keep exact numbers as halves.
    """
    return [
        (None, f"{name} consists of halves that it does not know")
        for name, output in outputs.items()
        if not name.startswith("figure ")
        and any(part.dtype == np.float16 and part.size for part in output.parts)
        and not (output.touched is not None and output.touched.all())
    ]


def _check(outcome: Outcome) -> None:
    """Raise an error if a run to nearest failed, so that the program cannot be tested."""
    if outcome.stop_reason:
        raise ProgramFailure(outcome.stop_reason)
    if outcome.error:
        raise ProgramFailure(f"it fails already in the run to nearest: {outcome.error}")


__all__ = ["Options", "ProgramFailure", "Report", "test_program"]
