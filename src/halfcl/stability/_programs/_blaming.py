"""Which lines, functions or modules the result hangs on: delta debugging of their roundings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from halfcl.stability._programs._child import OPERATIONS, Outcome, Run
from halfcl.stability._programs._places import Unit

#: How units on trial are rounded. In all of these a unit rounds alike whatever others do: so that
#: of two sets the larger is seldom the less guilty.
TRIALS = ((OPERATIONS, 1), (OPERATIONS, 2), ("rtn", 0), ("rtp", 0))

#: And for what a unit does alone: element by element, too.
_EFFECTS = (*TRIALS, ("random", 1))

#: A set of units is guilty if it moves the result by this part of what all do together.
PART = 1 / 8

#: Guilty sets that are looked for at most.
_MOST_SETS = 8

#: Runs that the search takes at most.
_MOST_RUNS = 600


@dataclass(frozen=True)
class Guilt:
    """A unit whose rounding moves the result.

    Attributes
    ----------
    unit : Unit
    effect : float
        Ulps by which the result moves if this unit alone is rounded otherwise than to nearest.
    together : tuple of Unit
        Others without which its effect is small.
    """

    unit: Unit
    effect: float
    together: tuple[Unit, ...] = ()


@dataclass(frozen=True)
class Blamed:
    """What a search has found.

    Attributes
    ----------
    guilty : tuple of Guilt
        The most harmful first.
    moved : float
        Ulps by which all units together move the result.
    units : int
        How many round.
    runs : int
        That the search took.
    is_complete : bool
        Whether it came to its end.
    """

    guilty: tuple[Guilt, ...]
    moved: float
    units: int
    runs: int
    is_complete: bool = True


class SideBySide(Protocol):
    """What runs a program, or a function, in a process of its own or not."""

    width: int

    def run_all(self, runs: Sequence[Run]) -> list[Outcome]:
        """Several runs, of which so many go side by side."""


class _Enough(Exception):
    """The search has had its runs."""


class Search:
    """A search for guilty units.

    Parameters
    ----------
    launcher : SideBySide
    run : Run
        As to nearest.
    distance : callable
        Of an outcome: how far it is from that to nearest, in ulps.
    """

    def __init__(self, launcher: SideBySide, run: Run, distance: Callable[[Outcome], float]):
        self._launcher, self._run, self._distance = launcher, run, distance
        self._known: dict[tuple[frozenset[Unit], str, int], float] = {}
        self._runs = 0
        self._trial = TRIALS[0]
        self._limit = 0.0

    def find(self, units: Sequence[Unit]) -> Blamed:
        """The guilty ones among units that round.

        Parameters
        ----------
        units : sequence of Unit

        Returns
        -------
        Blamed
        """
        everything = frozenset(units)
        *moves, at_random = self._move([(everything, *trial) for trial in _EFFECTS])
        moved = max(*moves, at_random)
        self._limit = max(1.0, max(moves) * PART)
        by_moves = sorted(zip(moves, TRIALS, strict=True), key=lambda each: -each[0])
        trials = [trial for move, trial in by_moves if move >= self._limit]
        sets: list[list[Unit]] = []
        is_complete = True
        if moved:
            sets, is_complete = self._sets(list(units), trials)
        guilty = self._guilt(sets)
        return Blamed(tuple(guilty), moved, len(units), self._runs, is_complete)

    def _sets(
        self, units: list[Unit], trials: Sequence[tuple[str, int]]
    ) -> tuple[list[list[Unit]], bool]:
        """Least sets that move the result, one after another, each of units that no other has.

        A unit may do nothing in the trial that moves most, and much in another one.
        """
        sets: list[list[Unit]] = []
        try:
            for trial in trials:
                self._trial = trial
                while units and len(sets) < _MOST_SETS and self._first_guilty([units]) is not None:
                    found = self._least(units)
                    sets.append(found)
                    units = [unit for unit in units if unit not in found]
        except _Enough:
            return sets, False
        return sets, len(sets) < _MOST_SETS

    def _least(self, units: list[Unit]) -> list[Unit]:
        """ddmin: a set that moves the result, and does not without any one of its units.

        A. Zeller and R. Hildebrandt, Simplifying and isolating failure-inducing input, IEEE
        Transactions on Software Engineering 28, 2002.
        """
        pieces = 2
        while len(units) > 1:
            parts = _cut(units, pieces)
            k = self._first_guilty(parts)
            if k is not None:
                units, pieces = parts[k], 2
                continue
            rests = [[u for u in units if u not in part] for part in parts] if pieces > 2 else []
            k = self._first_guilty(rests)
            if k is not None:
                units, pieces = rests[k], pieces - 1
            elif pieces == len(units):
                break
            else:
                pieces = min(2 * pieces, len(units))
        return units

    def _first_guilty(self, sets: Sequence[Sequence[Unit]]) -> int | None:
        """The first of some sets that moves the result; as many are tried at once as can run."""
        step = self._launcher.width
        for k in range(0, len(sets), step):
            tried = [(frozenset(units), *self._trial) for units in sets[k : k + step]]
            for n, moved in enumerate(self._move(tried)):
                if moved >= self._limit:
                    return k + n
        return None

    def _move(self, tried: Sequence[tuple[frozenset[Unit], str, int]]) -> list[float]:
        """How far sets of units move the result, rounded in a mode."""
        new = [key for key in dict.fromkeys(tried) if key not in self._known]
        if self._runs + len(new) > _MOST_RUNS:
            raise _Enough
        runs = [replace(self._run, chosen=units, mode=mode, seed=seed) for units, mode, seed in new]
        for key, outcome in zip(new, self._launcher.run_all(runs), strict=True):
            self._known[key] = self._distance(outcome)
        self._runs += len(new)
        return [self._known[key] for key in tried]

    def _guilt(self, sets: list[list[Unit]]) -> list[Guilt]:
        """What each unit of guilty sets does by itself."""
        found = []
        for units in sets:
            for unit in units:
                key = frozenset([unit])
                effect = max(self._effects(key))
                others = tuple(other for other in units if other != unit)
                found.append(Guilt(unit, effect, others))
        return sorted(found, key=lambda guilt: -guilt.effect)

    def _effects(self, units: frozenset[Unit]) -> list[float]:
        try:
            return self._move([(units, *trial) for trial in _EFFECTS])
        except _Enough:
            return [self._known.get((units, *self._trial), 0.0)]


def _cut(units: list[Unit], pieces: int) -> list[list[Unit]]:
    """A list in so many pieces, as long as each other."""
    bounds = [len(units) * k // pieces for k in range(pieces + 1)]
    return [units[a:b] for a, b in itertools.pairwise(bounds) if a < b]
