"""Search for the lines, functions or modules to blame: delta debugging of their roundings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._running.child import OPERATIONS, Outcome, Run

#: Modes and seeds that the search rounds units with. In each of them a unit rounds the same way
#: whatever other units do, so that adding units to a set seldom reduces its effect.
PERTURBATIONS = ((OPERATIONS, 1), (OPERATIONS, 2), ("rtn", 0), ("rtp", 0))

#: Perturbations for the effect of a single unit: also with random rounding of each element.
_ALL_PERTURBATIONS = (*PERTURBATIONS, ("random", 1))

#: A set of units is to blame if it moves the result by this share of what all units together do.
LEAST_SHARE = 1 / 8

#: Limit on the sets of units to find.
_MOST_SETS = 8

#: Limit on the runs of one search.
_MOST_RUNS = 600


@dataclass(frozen=True)
class BlameEntry:
    """A unit whose rounding moves the result.

    effect: ulps by which the result moves if only this unit is rounded in another mode. partners:
    other units without which its effect is small.
    """

    unit: Unit
    effect: float
    partners: tuple[Unit, ...] = ()


@dataclass(frozen=True)
class Blame:
    """The result of a search.

    entries: the largest effect first. total_effect: ulps by which all units together move the
    result. units, runs: how many units round, and how many runs the search took. is_complete:
    whether it found all sets before its limits.
    """

    entries: tuple[BlameEntry, ...]
    total_effect: float
    units: int
    runs: int
    is_complete: bool = True


class Runner(Protocol):
    """An object that runs a program or a function in requested roundings."""

    width: int

    def run_all(self, runs: Sequence[Run]) -> list[Outcome]:
        """Return the outcomes of several runs; up to `width` of them run in parallel."""


class _RunLimitReached(Exception):
    """Signals that the search has reached its limit of runs."""


class Search:
    """A search for the units to blame.

    run: the run to nearest, which the search modifies. distance: returns the distance of an outcome
    from the one to nearest, in ulps.
    """

    def __init__(self, launcher: Runner, run: Run, distance: Callable[[Outcome], float]):
        self._launcher, self._run, self._distance = launcher, run, distance
        self._effects: dict[tuple[frozenset[Unit], str, int], float] = {}
        self._runs = 0
        self._perturbation = PERTURBATIONS[0]
        self._limit = 0.0

    def find(self, units: Sequence[Unit]) -> Blame:
        """Find the units to blame, among all units that round."""
        everything = frozenset(units)
        *effects, random_effect = self._measure_effects(
            [(everything, *perturbation) for perturbation in _ALL_PERTURBATIONS]
        )
        total_effect = max(*effects, random_effect)
        self._limit = max(1.0, max(effects) * LEAST_SHARE)
        by_effect = sorted(zip(effects, PERTURBATIONS, strict=True), key=lambda each: -each[0])
        perturbations = [each for effect, each in by_effect if effect >= self._limit]
        sets: list[list[Unit]] = []
        is_complete = True
        if total_effect:
            sets, is_complete = self._find_sets(list(units), perturbations)
        entries = tuple(self._entries(sets))
        return Blame(entries, total_effect, len(units), self._runs, is_complete)

    def _find_sets(
        self, units: list[Unit], perturbations: Sequence[tuple[str, int]]
    ) -> tuple[list[list[Unit]], bool]:
        """Find minimal sets that move the result, one after another; no two sets share a unit.

        A unit may do nothing in the perturbation with the largest effect, and much in another one.
        """
        sets: list[list[Unit]] = []
        try:
            for perturbation in perturbations:
                self._perturbation = perturbation
                while (
                    units and len(sets) < _MOST_SETS and self._first_effective([units]) is not None
                ):
                    minimal = self._minimise(units)
                    sets.append(minimal)
                    units = [unit for unit in units if unit not in minimal]
        except _RunLimitReached:
            return sets, False
        return sets, len(sets) < _MOST_SETS

    def _minimise(self, units: list[Unit]) -> list[Unit]:
        """Return a set that moves the result, but does not without any one of its units (ddmin).

        A. Zeller and R. Hildebrandt, Simplifying and isolating failure-inducing input, IEEE
        Transactions on Software Engineering 28, 2002.
        """
        pieces = 2
        while len(units) > 1:
            parts = _split_evenly(units, pieces)
            k = self._first_effective(parts)
            if k is not None:
                units, pieces = parts[k], 2
                continue
            rests = [[u for u in units if u not in part] for part in parts] if pieces > 2 else []
            k = self._first_effective(rests)
            if k is not None:
                units, pieces = rests[k], pieces - 1
            elif pieces == len(units):
                break
            else:
                pieces = min(2 * pieces, len(units))
        return units

    def _first_effective(self, sets: Sequence[Sequence[Unit]]) -> int | None:
        """Return the index of the first set that moves the result, or None.

        It tries as many sets at a time as can run in parallel.
        """
        step = self._launcher.width
        for k in range(0, len(sets), step):
            keys = [(frozenset(units), *self._perturbation) for units in sets[k : k + step]]
            for n, effect in enumerate(self._measure_effects(keys)):
                if effect >= self._limit:
                    return k + n
        return None

    def _measure_effects(self, keys: Sequence[tuple[frozenset[Unit], str, int]]) -> list[float]:
        """Return how far sets of units move the result, each with a mode and a seed."""
        new = [key for key in dict.fromkeys(keys) if key not in self._effects]
        if self._runs + len(new) > _MOST_RUNS:
            raise _RunLimitReached
        runs = [
            replace(self._run, chosen_units=units, mode=mode, seed=seed)
            for units, mode, seed in new
        ]
        for key, outcome in zip(new, self._launcher.run_all(runs), strict=True):
            self._effects[key] = self._distance(outcome)
        self._runs += len(new)
        return [self._effects[key] for key in keys]

    def _entries(self, sets: list[list[Unit]]) -> list[BlameEntry]:
        """Return an entry for each unit of the sets, the largest effect first."""
        entries = []
        for units in sets:
            for unit in units:
                effect = max(self._effects_alone(frozenset([unit])))
                partners = tuple(other for other in units if other != unit)
                entries.append(BlameEntry(unit, effect, partners))
        return sorted(entries, key=lambda entry: -entry.effect)

    def _effects_alone(self, units: frozenset[Unit]) -> list[float]:
        try:
            return self._measure_effects([(units, *each) for each in _ALL_PERTURBATIONS])
        except _RunLimitReached:
            return [self._effects.get((units, *self._perturbation), 0.0)]


def _split_evenly(units: list[Unit], pieces: int) -> list[list[Unit]]:
    """Split a list into pieces of nearly equal length."""
    bounds = [len(units) * k // pieces for k in range(pieces + 1)]
    return [units[a:b] for a, b in itertools.pairwise(bounds) if a < b]
