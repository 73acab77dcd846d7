"""The spread of a program's results over few runs, also with changes of its files."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from halfcl.stability._programs._analysis.blaming import Runner
from halfcl.stability._programs._analysis.results import (
    NameMatcher,
    Output,
    Result,
    collect_outputs,
)
from halfcl.stability._programs._running.child import Run
from halfcl.stability._programs._running.instrumenting import Edit
from halfcl.stability._programs._wording import FARTHEST


class SpreadOfRuns:
    """The spread of results over three runs: to nearest, and the two that are farthest from it.

    runs: those that the results have been compared in, the one to nearest first. plain: the spread
    in ulps.
    """

    def __init__(
        self, names: NameMatcher, results: Sequence[Result], runs: Sequence[Run], launcher: Runner
    ):
        self._names, self._results, self._launcher = names, results, launcher
        first = self._of_run(runs[0].name)
        far = sorted(runs[1:], key=lambda run: -self._spread([first, self._of_run(run.name)]))
        self._runs = [*runs[:1], *far[:2]]
        self.plain = self._spread([self._of_run(run.name) for run in self._runs])

    def _of_run(self, name: str) -> dict[str, Output | None]:
        """Return the results of one of the runs that were compared."""
        return {result.name: dict(result.outputs).get(name) for result in self._results}

    def _spread(self, runs: Sequence[Mapping[str, Output | None]]) -> float:
        """Return the largest spread of any result over runs."""
        distances = [
            _distance(result, one.get(result.name), other.get(result.name))
            for result in self._results
            for one, other in itertools.combinations(runs, 2)
        ]
        return max(distances, default=0.0)

    def with_edits(self, edits: Sequence[Edit]) -> float:
        """Return the spread if the program runs with changes of its files."""
        runs = [replace(run, edits=tuple(edits)) for run in self._runs]
        outcomes = self._launcher.run_all(runs)
        if any(outcome.stop_reason or outcome.error for outcome in outcomes):
            return FARTHEST
        return self._spread([self._names.align(collect_outputs(outcome)) for outcome in outcomes])


def _distance(result: Result, *outputs: Output | None) -> float:
    """Return the distance of two runs, the farthest if one has more numbers than the first run."""
    one, other = outputs
    sizes = {sum(part.size for part in output.parts) for output in outputs if output is not None}
    if not result.dropped_lines and sizes != {result.size}:
        return FARTHEST
    return result.distance(one, other)
