"""Judges single runs of a program: what they move, and what changes of the program mend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from halfcl.stability._programs._analysis.blaming import Runner
from halfcl.stability._programs._analysis.outputs import Output
from halfcl.stability._programs._analysis.results import (
    Judgement,
    NameMatcher,
    Result,
    collect_outputs,
)
from halfcl.stability._programs._running.child import Outcome, Run
from halfcl.stability._programs._running.instrumenting import Edit
from halfcl.stability._programs._wording import FAILURE, FARTHEST


class Targets:
    """The targets of the search for blame: results that disagree, and runs that fail.

    A result has two targets, its finite numbers and all else, so that an infinity hides nothing.

    results: all results of the report. may_fail: whether runs fail. nearest: the results of a run
    to nearest that asks for each operation's mode, as the runs of the search do: these sum rows one
    by one.
    """

    def __init__(
        self,
        results: Sequence[Result],
        may_fail: bool,
        nearest: Mapping[str, Output],
        names: NameMatcher,
    ):
        self._nearest, self._matcher = nearest, names
        self._results = [result for result in results if not result.is_stable]
        self._may_fail = may_fail
        #: The name of the result that each target belongs to.
        self.names = [result.name for result in self._results for _ in range(2)]
        self.names += [FAILURE] if self._may_fail else []

    def measure(self, outcome: Outcome) -> tuple[float, ...]:
        """Return how far a run moves each target, in ulps."""
        fails = bool(outcome.stop_reason or outcome.error)
        failure = (FARTHEST * fails,) if self._may_fail else ()
        if fails:  # nothing is known of the results
            return (*(0.0 if self._may_fail else FARTHEST for _ in self._results * 2), *failure)
        outputs = self._matcher.align(collect_outputs(outcome))
        effects = (
            result.distances(self._nearest.get(result.name), outputs.get(result.name))
            for result in self._results
        )
        return (*(effect for both in effects for effect in both), *failure)


class MendingTrial:
    """Judges changes of a program by three runs: to nearest, and the two that are farthest from it.

    results: those that are bad. runs: those that they have been compared in, the one to nearest
    first.
    """

    def __init__(
        self, names: NameMatcher, results: Sequence[Result], runs: Sequence[Run], launcher: Runner
    ):
        self._names, self._results, self._launcher = names, results, launcher
        first = self._of_run("rte")
        far = sorted(runs[1:], key=lambda run: -self._distance(first, self._of_run(run.name)))
        self._runs = [*runs[:1], *far[:2]]
        #: The judgement on each result of the unchanged program.
        self.plain = {result.name: result.judgement for result in results}

    def _of_run(self, name: str) -> dict[str, Output | None]:
        """Return the results of one of the runs that were compared."""
        return {result.name: dict(result.outputs).get(name) for result in self._results}

    def _distance(
        self, one: Mapping[str, Output | None], other: Mapping[str, Output | None]
    ) -> float:
        """Return the largest distance of any result between two runs."""
        return max(
            (max(r.distances(one.get(r.name), other.get(r.name))) for r in self._results),
            default=0.0,
        )

    def judge(self, edits: Sequence[Edit]) -> Mapping[str, Judgement]:
        """Return the judgement on each result if the program runs with changes of its files."""
        runs = [replace(run, edits=tuple(edits)) for run in self._runs]
        outcomes = self._launcher.run_some(runs)
        if any(outcome is None or outcome.stop_reason or outcome.error for outcome in outcomes):
            return dict.fromkeys(self.plain, Judgement(FARTHEST, False))
        outputs = [self._names.align(collect_outputs(o)) for o in outcomes if o is not None]
        return {
            result.name: result.judge([own.get(result.name) for own in outputs])
            for result in self._results
        }
