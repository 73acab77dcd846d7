"""Judges single runs of a program: what they move, and what changes of the program mend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

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

#: Changes of the source that a run is made with.
_Change: TypeAlias = tuple[Edit, ...]


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
        #: Whether it takes several runs to tell what is mended.
        self._needs_all = any(result.needs_spread for result in results)
        #: The results of each change and run; None if it failed.
        self._outputs: dict[tuple[_Change, str], Mapping[str, Output] | None] = {}
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
        """Return the judgement on each result if the program runs with changes of its files.

        One run to nearest is enough if it shows that nothing is mended.
        """
        change, nearest = tuple(edits), self._runs[:1]
        if not self._needs_all:
            self._run([change], nearest)
            judged = self._judgements(change, nearest)
            if not any(judgement.is_stable for judgement in judged.values()):
                return judged
        self._run([change], self._runs)
        return self._judgements(change, self._runs)

    def _judgements(self, change: _Change, runs: Sequence[Run]) -> Mapping[str, Judgement]:
        """Return the judgements after some runs, all of which must have ended well."""
        outputs = [self._outputs.get((change, run.name)) for run in runs]
        known = [own for own in outputs if own is not None]
        if len(known) < len(outputs):
            return dict.fromkeys(self.plain, Judgement(FARTHEST, False))
        return {r.name: r.judge([own.get(r.name) for own in known]) for r in self._results}

    def shares(self, changes: Sequence[Sequence[Edit]]) -> list[Mapping[str, float]]:
        """Return for each change the share of how far each result is off that goes with it.

        A run to nearest tells that of results whose exact values are known. It is empty for a
        change that the time did not suffice for.
        """
        runs = self._runs if self._needs_all else self._runs[:1]
        keys = [tuple(change) for change in changes]
        self._run(keys, runs)
        return [self._shares_of(key, [run.name for run in runs]) for key in keys]

    def _shares_of(self, change: _Change, names: Sequence[str]) -> Mapping[str, float]:
        keys = [(change, name) for name in names]
        if not all(key in self._outputs for key in keys):
            return {}
        known = [own for key in keys if (own := self._outputs[key]) is not None]
        if len(known) < len(keys):
            return dict.fromkeys(self.plain, 0.0)  # it fails
        return {r.name: r.share_removed([own.get(r.name) for own in known]) for r in self._results}

    def _run(self, changes: Sequence[_Change], runs: Sequence[Run]) -> None:
        """Make the runs with changes that are not known yet, and keep their results."""
        pairs = [(change, run) for change in dict.fromkeys(changes) for run in runs]
        new = [(change, run) for change, run in pairs if (change, run.name) not in self._outputs]
        outcomes = self._launcher.run_some([replace(run, edits=change) for change, run in new])
        for (change, run), outcome in zip(new, outcomes, strict=True):
            if outcome is not None:
                fails = bool(outcome.stop_reason or outcome.error)
                outputs = None if fails else self._names.align(collect_outputs(outcome))
                self._outputs[change, run.name] = outputs
