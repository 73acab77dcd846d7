"""The test of a whole program, from its first run to its report."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halfcl._core import MODES
from halfcl._support import main_programs
from halfcl.stability import _measures as measures
from halfcl.stability._programs._blaming import Blamed, Search, SideBySide
from halfcl.stability._programs._child import Outcome, Run
from halfcl.stability._programs._comparing import STATUS, Names, Result, Said, digits_of, said_by
from halfcl.stability._programs._inputs import Inputs, Wanted
from halfcl.stability._programs._launching import Launcher
from halfcl.stability._programs._numbers import NO_NUMBERS
from halfcl.stability._programs._places import Unit
from halfcl.stability._programs._protecting import LANDLOCK, has_overlay
from halfcl.stability._programs._rewriting import Suggestion, suggestions
from halfcl.stability._programs._scratch import FolderError
from halfcl.stability._programs._tracing import Trace
from halfcl.stability._programs._wording import FARTHEST
from halfcl.stability._truths import Divergence, find_divergences


class ProgramFailure(Exception):
    """A program that cannot be tested, and why; told to the user in one line."""


@dataclass(frozen=True)
class Asked:
    """What a test is to do.

    Attributes
    ----------
    program : tuple of str
        As after ``python``.
    samples : int
        Runs that round at random.
    watch : tuple of str
        Results that count; all if empty.
    is_traced, is_blamed : bool
        Whether steps are followed, and guilty lines looked for.
    by : str
        What is blamed: a line, a function, a module.
    timeout : float or None
        Seconds for a run; by default twenty times the first, and a minute at least.
    random_seed : int or None
        Of the program's random numbers.
    folder : str or None
        That the program works in; by default the working folder.
    also, allowed : tuple of str
        Other folders that overlays protect, and places where the program may write.
    """

    program: tuple[str, ...]
    samples: int = 10
    watch: tuple[str, ...] = ()
    is_traced: bool = True
    is_blamed: bool = True
    by: str = "line"
    timeout: float | None = None
    random_seed: int | None = None
    folder: str | None = None
    also: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The program's."""
        return " ".join(self.program[: 1 + (self.program[0] == "-m")])


@dataclass(frozen=True)
class Branch:
    """Where a run left the way of the one to nearest.

    Attributes
    ----------
    runs : tuple of str
        The runs that did.
    file, line : str, int
        The last line that both ran.
    """

    runs: tuple[str, ...]
    file: str
    line: int


@dataclass(frozen=True)
class Moment:
    """The digits of a variable at one step.

    Attributes
    ----------
    step, file, line, name
        As `Value` has them.
    digits : float
        The median over some of its elements.
    spread : float
        In ulps, the same.
    """

    step: int
    file: str
    line: int
    name: str
    digits: float
    spread: float


@dataclass(frozen=True)
class NotCompared:
    """Something that a program has written, and that nobody reads, with what runs make of it.

    Attributes
    ----------
    name, why : str
    runs : tuple of str
        The runs that wrote something else than the one to nearest.
    repeats : bool
        Whether two runs to nearest wrote the same.
    """

    name: str
    why: str
    runs: tuple[str, ...]
    repeats: bool


@dataclass
class Report:
    """What a test has found.

    Attributes
    ----------
    asked : Asked
    results : list of Result
        What counts.
    left_out : list of Result
        What is never the same twice.
    not_compared : list of NotCompared
        What runs wrote differently, in formats that nobody reads.
    failures : dict
        Runs that failed where the one to nearest did not, and how.
    branches : list of Branch
    parted : list of Divergence
        Lines whose comparisons of arrays some runs decide otherwise than the one to nearest.
    moments : list of Moment
        The digits over the program's time.
    left : list of (Unit or None, str)
        Where half turned into another type.
    others, failed : int
        Other processes that it started; of these, and of its copies, those that failed.
    refusal : str
        A line on standard error that tells of a refusal.
    blamed : Blamed or None
    suggested : list of Suggestion
    plain : float
        The seconds of the plain run.
    runs, seconds : int, float
        What all took; and blame alone.
    means : tuple of str
        What protected the user's files.
    """

    asked: Asked
    results: list[Result] = field(default_factory=list)
    left_out: list[Result] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    branches: list[Branch] = field(default_factory=list)
    parted: list[Divergence[Unit | None]] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    left: list[tuple[Unit | None, str]] = field(default_factory=list)
    others: int = 0
    failed: int = 0
    refusal: str = ""
    blamed: Blamed | None = None
    suggested: list[Suggestion] = field(default_factory=list)
    plain: float = 0.0
    runs: int = 0
    seconds: float = 0.0
    blame_seconds: float = 0.0
    means: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """How many numbers were compared."""
        return sum(result.compared for result in self.results)

    @property
    def is_stable(self) -> bool:
        """Whether all runs say the same, within the threshold."""
        return not self.failures and all(result.is_stable for result in self.results)

    @property
    def least_digits(self) -> float:
        """The significant digits of the worst element; 0 where a run failed."""
        if self.failures:
            return 0.0
        most = measures.PRECISION_IN_DIGITS
        return min((result.least_digits for result in self.results), default=most)


def test_program(asked: Asked, tell: Callable[[str], None] = lambda text: None) -> Report:
    """Run a program in all modes and at random, and compare what it says.

    Parameters
    ----------
    asked : Asked
    tell : callable, optional
        Told what is done next.

    Returns
    -------
    Report

    Raises
    ------
    ProgramFailure
        If it fails to nearest, rounds nothing, or no number of it is compared.
    """
    linecache.checkcache()  # files may have changed since another test in this process
    try:
        main_programs.find_program(list(asked.program))
    except main_programs.ProgramError as error:
        raise ProgramFailure(str(error)) from None
    seconds = asked.timeout or 86400.0
    with Launcher(seconds, asked.folder, asked.also, asked.allowed) as launcher:
        trial = Trial(asked, launcher, tell)
        try:
            report = trial.run()
        except FolderError as error:
            raise ProgramFailure(str(error)) from None
        report.means = launcher.means
        if asked.is_blamed and not report.is_stable:
            trial.blame()
        return report


#: Reasons why something is not compared that are told where nothing is.
_MOST_REASONS = 6


def _why_no_number(result: Result) -> str:
    if result.name == STATUS:
        return "it is no result"
    return "all its numbers drop out" if result.size else NO_NUMBERS


def _not_compared(
    first: Outcome, again: Outcome, runs: Sequence[Run], outcomes: Sequence[Outcome]
) -> list[NotCompared]:
    """Find what runs wrote otherwise than the first, of what nobody reads."""
    ended = [
        (run.name, outcome.written.unread)
        for run, outcome in zip(runs, outcomes, strict=True)
        if not (outcome.stop or outcome.error)
    ]
    firsts, agains = first.written.unread, again.written.unread
    names = dict.fromkeys(name for _, unread in [("", firsts), *ended] for name in unread)
    found = []
    for name in names:
        others = tuple(run for run, unread in ended if unread.get(name) != firsts.get(name))
        unread = firsts.get(name) or next(own[name] for _, own in ended if name in own)
        repeats = firsts.get(name) == agains.get(name)
        if others or not repeats or unread.is_unknown:
            found.append(NotCompared(name, unread.why, others, repeats))
    return found


class Runs(SideBySide, Protocol):
    """What runs a program, or a function, as `Launcher` has it."""

    timeout: float
    runs: int
    seconds: float
    expected: str
    means: tuple[str, ...]

    def run_first(self, run: Run) -> Outcome:
        """One run, before all others."""


class Trial:
    """One test: `run`, and after that `blame` if it is wanted.

    Parameters
    ----------
    asked : Asked
    launcher : Runs
    tell : callable, optional
        Told what is done next.
    """

    def __init__(
        self, asked: Asked, launcher: Runs, tell: Callable[[str], None] = lambda text: None
    ):
        self.asked, self.launcher, self.tell = asked, launcher, tell
        self.base = Run(
            asked.program, kind=asked.by, variables=asked.watch, random_seed=asked.random_seed
        )
        self.report = Report(asked)
        self._units: list[Unit] = []
        self._asked: dict[str, Said] = {}
        self._names = Names({}, {})

    def run(self) -> Report:
        """All runs but those for blame, compared.

        Raises
        ------
        ProgramFailure
        """
        self.tell("a run to nearest")
        first = self._first()
        runs = self._runs()
        self.tell(f"{len(runs)} runs")
        asked, again = outcomes = self.launcher.run_all(runs[:2])
        for outcome in outcomes:
            _check(outcome)
        self._check_rounds(asked)
        if not self._counted(list(said_by(first)), first):  # told now, and not after all runs
            raise ProgramFailure(self._nothing_to_compare(first))
        outcomes += self.launcher.run_all(runs[2:])
        self._compare(first, again, runs[2:], outcomes[2:])
        names = [run.name for run in runs[1:]]
        self._follow(names, outcomes[1:])
        truths = (outcome.truths for outcome in outcomes[1:])
        self.report.parted = find_divergences(list(zip(names, truths, strict=True)))
        report = self.report
        report.left, report.others = asked.left, asked.others
        report.failed = max(outcome.failed for outcome in [first, *outcomes])
        report.refusal = next(filter(None, (o.refusal for o in [first, *outcomes])), "")
        self._asked, self._units = self._names.align(said_by(asked)), asked.units
        report.runs, report.seconds = self.launcher.runs, self.launcher.seconds
        return report

    def _first(self) -> Outcome:
        first = self.launcher.run_first(self.base)
        try:
            _check(first)
        except ProgramFailure as error:
            raise ProgramFailure(f"{error}{self._why_refused(first)}") from None
        self.report.plain = first.seconds
        if self.asked.timeout is None:
            self.launcher.timeout = max(60.0, 20 * first.seconds)
        return first

    def _why_refused(self, outcome: Outcome) -> str:
        """Return what to know of a program that fails where the user's files can only be read."""
        means = self.launcher.means
        if outcome.stop or has_overlay(means) or LANDLOCK not in means:
            return ""
        return (
            " (no overlay could be mounted here, so the system refuses libraries in C and other "
            "programs to write to your files; --allow-write PATH allows it)"
        )

    def _runs(self) -> list[Run]:
        """To nearest, asked what rounds; once more; in the other modes; at random."""
        base = replace(self.base, is_traced=self.asked.is_traced, is_compared=True)
        modes = [replace(base, mode=mode) for mode in MODES if mode != "rte"]
        samples = [replace(base, mode="random", seed=k + 1) for k in range(self.asked.samples)]
        return [replace(self.base, is_asked=True), base, *modes, *samples]

    def _check_rounds(self, again: Outcome) -> None:
        if again.units:
            return
        hint = "; it starts other processes, which are not followed" if again.others else ""
        if again.status:
            hint = (
                f"; it ended with status {again.status} (what stands after its name are its own "
                "arguments)"
            )
        raise ProgramFailure(
            "no step of it rounds to half, so nothing was tested: expected a program that "
            f"computes in float16 or half arrays{hint}"
        )

    # ------------------------------------------------------------ comparing

    def _compare(
        self, first: Outcome, again: Outcome, runs: Sequence[Run], outcomes: Sequence[Outcome]
    ) -> None:
        report = self.report
        one, two = said_by(first), said_by(again)
        self._names = Names(one, two)
        two, said = self._names.align(two), [("rte", one)]
        for run, outcome in zip(runs, outcomes, strict=True):
            if outcome.stop or outcome.error:
                report.failures[run.name] = outcome.stop or outcome.error
            else:
                said.append((run.name, self._names.align(said_by(outcome))))
        names = dict.fromkeys(name for _, results in said for name in results)
        for name in self._counted(list(names), first):
            of_runs = [(run, results.get(name)) for run, results in said]
            result = Result(name, of_runs, two.get(name))
            (report.left_out if result.is_left_out else report.results).append(result)
        if not self.asked.watch:
            report.not_compared = _not_compared(first, again, runs, outcomes)
        if not report.results or (report.is_stable and not report.compared):
            raise ProgramFailure(self._nothing_to_compare(first))

    def _counted(self, names: list[str], first: Outcome) -> list[str]:
        """The results that count: those that were asked for, or all."""
        if not self.asked.watch:
            return names
        found = []
        for asked in self.asked.watch:
            hits = [
                name
                for name in names
                if name == asked or name.startswith((f"{asked}: ", f"{asked}, "))
            ]
            if not hits and asked in first.written.unread:
                raise ProgramFailure(
                    f"--watch: {asked}: expected a file of numbers, got one that is not compared: "
                    f"{first.written.unread[asked].why}"
                )
            if not hits:
                known = ", ".join(names) or "nothing"
                raise ProgramFailure(
                    "--watch: expected a global variable, a function's (main.x), a file or a "
                    f"watched name, got {asked!r}; the program says {known}"
                )
            found += hits
        return list(dict.fromkeys(found))

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
        reasons += [f"{name}: {unread.why}" for name, unread in first.written.unread.items()]
        if first.has_errors:
            reasons.append("standard error is not compared")
        reasons += [
            f"{result.name}: it differs in two runs to nearest" for result in report.left_out
        ]
        shown = f" ({'; '.join(reasons[:_MOST_REASONS])})" if reasons else ""
        return f"it says nothing that could be compared{shown}: expected {self.launcher.expected}"

    # ------------------------------------------------------------ following

    def _follow(self, names: Sequence[str], outcomes: Sequence[Outcome]) -> None:
        traces = [
            (name, outcome.trace)
            for name, outcome in zip(names, outcomes, strict=True)
            if outcome.trace is not None
        ]
        if len(traces) > 1:
            self.report.branches = branches(traces)
            self.report.moments = moments([trace for _, trace in traces])

    # ------------------------------------------------------------ blaming

    def blame(self) -> None:
        """Find who is to blame, and better formulas; the report gets them."""
        report, launcher = self.report, self.launcher
        self.tell(f"blame: {len(self._units)} {self.asked.by}s round")
        before = launcher.seconds
        search = Search(launcher, self.base, self._distance)
        report.blamed = search.find(self._units)
        if self.asked.by == "line":
            units = [guilt.unit for guilt in report.blamed.guilty]
            report.suggested = suggestions(units, self._inputs)
        report.blame_seconds = launcher.seconds - before
        report.runs, report.seconds = launcher.runs, launcher.seconds

    def _distance(self, outcome: Outcome) -> float:
        if outcome.stop or outcome.error:
            return FARTHEST
        # Runs that are asked add up rows one by one: they are set beside one that is, too.
        said = self._names.align(said_by(outcome))
        gaps = [
            result.distance(self._asked.get(result.name), said.get(result.name))
            for result in self.report.results
        ]
        return max(gaps, default=0.0)

    def _inputs(self, wanted: tuple[Wanted, ...]) -> Inputs | None:
        return self.launcher.run_all([replace(self.base, wanted=wanted)])[0].inputs


def _check(outcome: Outcome) -> None:
    """Raise what keeps a program from being tested."""
    if outcome.stop:
        raise ProgramFailure(outcome.stop)
    if outcome.error:
        raise ProgramFailure(f"it fails to nearest already: {outcome.error}")


# ---------------------------------------------------------------- branches, and digits over time


def branches(traces: Sequence[tuple[str, Trace]]) -> list[Branch]:
    """Where runs leave the way of the first, the earliest first.

    Parameters
    ----------
    traces : sequence of (str, Trace)
        Of runs, by name.

    Returns
    -------
    list of Branch
    """
    first = traces[0][1]
    found: dict[tuple[str, int], list[str]] = {}
    partings = [(_parting(first, trace), name) for name, trace in traces[1:]]
    for at, name in sorted((at, name) for at, name in partings if at is not None):
        found.setdefault(first.place(at), []).append(name)
    return [Branch(tuple(names), *place) for place, names in found.items()]


def _parting(one: Trace, other: Trace) -> int | None:
    """The last step that two runs share; None if they go the same way."""
    a = np.frombuffer(one.steps, np.int64) if one.steps else np.empty(0, np.int64)
    b = np.frombuffer(other.steps, np.int64) if other.steps else np.empty(0, np.int64)
    length = min(len(a), len(b))
    differ = np.flatnonzero(a[:length] != b[:length])
    if len(differ):
        return max(int(differ[0]) - 1, 0)
    same_end = len(a) == len(b) or not (one.is_whole and other.is_whole)
    return None if same_end or not length else length - 1


def moments(traces: Sequence[Trace]) -> list[Moment]:
    """The digits that variables have over the program's time, as long as all runs go one way.

    Parameters
    ----------
    traces : sequence of Trace

    Returns
    -------
    list of Moment
    """
    found = []
    for values in zip(*(trace.values for trace in traces), strict=False):
        keys = {(v.step, v.file, v.line, v.name, v.numbers.shape) for v in values}
        if len(keys) > 1:
            break
        runs = np.stack([v.numbers.astype(np.float64) for v in values])
        spread = _finite(measures.spread(list(runs)))
        value = values[0]
        found.append(Moment(
            value.step, value.file, value.line, value.name,
            float(np.median(digits_of(runs))), float(np.median(spread)),
        ))  # fmt: skip
    return found


def _finite(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.minimum(spread, FARTHEST)


__all__ = ["Asked", "Branch", "Moment", "ProgramFailure", "Report", "test_program"]
