"""Search for the lines, functions or modules to blame, for each result at once.

Each run rounds a set of units in another mode, and shows how far that moves all results. So one
search serves them all: adaptive group testing, and delta debugging for units that only together
have an effect.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._running.child import OPERATIONS, OPPOSITE, Outcome, Run

#: A mode and a seed in which a run rounds a set of units.
Perturbation: TypeAlias = tuple[str, int]

#: The effects of a run on all targets, in ulps.
Effects: TypeAlias = tuple[float, ...]

#: A set of units that are rounded in a perturbation.
Key: TypeAlias = tuple[frozenset[Unit], Perturbation]

#: Modes and seeds that the search rounds units with. In each of them a unit rounds the same way
#: whatever other units do, so that adding units to a set seldom reduces its effect. The first two
#: are opposite: of each operation, one of them gives another result than the run to nearest.
PERTURBATIONS: tuple[Perturbation, ...] = (
    (OPERATIONS, 1),
    (OPPOSITE, 1),
    ("rtn", 0),
    ("rtp", 0),
)

#: A set of units is to blame if it moves the result by this share of what all units together do,
#: and a line helps if this share of how far a result is off goes with it.
LEAST_SHARE = 1 / 8

#: Mending is confirmed if a result is then at most half as far off.
CONFIRMED = 1 / 2

#: Culprits explain a result if their effects add up to this share of what all units together do.
_EXPLAINED = 0.9

#: So many units are tested one by one, and more in groups. Groups are halved if at most this share
#: of them has an effect, and else cut into four.
_FEW = 12
_FEW_PARTS = 1 / 3

#: A set of units without effects of their own is searched for if its effect is so many times the
#: least one: many small effects add up to that, too.
_LEAST_OF_SET = 2

#: Limits on the units to find for a target, and on the sets that have an effect only together.
_MOST_UNITS = 8
_MOST_SETS = 3

#: Limit on the runs of one search.
_MOST_RUNS = 400


@dataclass(frozen=True)
class BlameEntry:
    """A unit whose rounding moves results.

    effects: by the name of each result that it is to blame for, the ulps by which the result moves
    if only this unit is rounded in another mode. partners: other units without which its effect is
    small. mended: by the name of each result for which that was measured, the share of how far it
    is off that goes if the program runs with this line alone in a wider type.
    """

    unit: Unit
    effects: Mapping[str, float]
    partners: tuple[Unit, ...] = ()
    mended: Mapping[str, float] = field(default_factory=dict)

    @property
    def effect(self) -> float:
        """The largest of the effects."""
        return max(self.effects.values(), default=0.0)

    @property
    def share(self) -> float:
        """The largest of the shares that go, of a result that the unit moves; NaN if unknown."""
        own = [share for name, share in self.mended.items() if name in self.effects]
        return max(own, default=math.nan)

    def sorting_key(self, name: str = "") -> tuple[float, float]:
        """Return the key that sorts entries for a result, or else for all: the guiltiest is first.

        Lines whose mending is confirmed come first. What goes with a line in a wider type decides,
        and where that is next to nothing, or unknown, how far its rounding moves the result.
        """
        share = self.mended.get(name, math.nan) if name else self.share
        effect = self.effects.get(name, 0.0) if name else self.effect
        return -share if share >= LEAST_SHARE else 0.0, -effect


@dataclass(frozen=True)
class Blame:
    """The result of a search.

    entries: the guiltiest first: see `BlameEntry.sorting_key`. total_effects: by the name of each
    result that disagrees, the ulps by which all units together move it. units, runs: how many units
    round, and how many runs the search took. is_complete: whether it found all before its limits.
    suspects: sets of units that move a result, among which the search had not found the ones to
    blame when it ended.
    """

    entries: tuple[BlameEntry, ...]
    total_effects: Mapping[str, float]
    units: int
    runs: int
    is_complete: bool = True
    suspects: tuple[tuple[Unit, ...], ...] = ()

    @property
    def total_effect(self) -> float:
        """The largest effect of all units together on a result."""
        return max(self.total_effects.values(), default=0.0)

    def by_result(self) -> dict[str, dict[Unit, float]]:
        """Return the units to blame for each result that disagrees, with their effects on it.

        The results have the order of the report, and the units that of `entries`, for each result.
        """
        return {name: {e.unit: e.effects[name] for e in self.entries_for([name])}
                for name in self.total_effects}  # fmt: skip

    def entries_for(self, names: Sequence[str]) -> list[BlameEntry]:
        """Return the entries that move some results, sorted for these."""
        own = [entry for entry in self.entries if any(name in entry.effects for name in names)]
        return sorted(own, key=lambda entry: min(entry.sorting_key(name) for name in names))

    def with_mended(self, mended: Mapping[Unit, Mapping[str, float]]) -> Blame:
        """Return the same with what was measured of lines in a wider type, and sorted by that."""
        entries = [replace(e, mended=mended.get(e.unit, e.mended)) for e in self.entries]
        return replace(self, entries=tuple(sorted(entries, key=BlameEntry.sorting_key)))


class Runner(Protocol):
    """An object that runs a program or a function in requested roundings."""

    width: int

    def run_some(self, runs: Sequence[Run]) -> list[Outcome | None]:
        """Return the outcomes of several runs; up to `width` of them run in parallel.

        The outcome of a run that was stopped, since there is no time left, is None.
        """


class _SearchStopped(Exception):
    """Signals that the search has reached its limit of runs, or that there is no time left."""


@dataclass(frozen=True)
class _Group:
    """Units that move targets together; effects: how far they move all targets."""

    units: list[Unit]
    targets: list[int]
    effects: Effects


class Search:
    """A search for the units to blame.

    run: the run to nearest, which the search modifies. targets: what runs move: the name of a
    result each, where several targets may belong to one result. measure: returns the effect of an
    outcome on each target, in ulps. known: effects of all units together, by perturbation, that
    need no run.
    """

    def __init__(
        self,
        launcher: Runner,
        run: Run,
        targets: Sequence[str],
        measure: Callable[[Outcome], Effects],
        known: Mapping[Perturbation, Effects] | None = None,
    ):
        self._launcher, self._run, self._measure = launcher, run, measure
        self._targets = tuple(targets)
        self._known = dict(known or {})
        self._everything = frozenset[Unit]()
        self._effects: dict[Key, Effects] = {}
        self._runs = 0
        self._totals = [0.0] * len(self._targets)
        #: For each target, the units found, and the sets that have an effect only together.
        self._culprits: list[dict[Unit, None]] = [{} for _ in self._targets]
        self._sets: list[list[list[Unit]]] = [[] for _ in self._targets]
        self._suspects: list[_Group] = []  # sets that are being searched

    def find(self, units: Sequence[Unit]) -> Blame:
        """Find the units to blame, among all units that round."""
        self._everything = frozenset(units)
        for perturbation, effects in self._known.items():
            self._note(self._everything, perturbation, effects)
        try:
            self._measure_sets([(self._everything, each) for each in PERTURBATIONS])
            self._find_in_all_perturbations(list(units))
            is_complete = all(len(own) < _MOST_UNITS for own in self._culprits)
            self._suspects = []
        except _SearchStopped:
            is_complete = False
        totals: dict[str, float] = {}
        for name, total in zip(self._targets, self._totals, strict=True):
            totals[name] = max(total, totals.get(name, 0.0))
        entries = tuple(self._entries())
        blamed = {entry.unit for entry in entries}
        suspects = tuple(
            tuple(group.units) for group in self._suspects if not blamed.issuperset(group.units)
        )
        return Blame(entries, totals, len(units), self._runs, is_complete, suspects)

    # ------------------------------------------------------------ perturbations

    def _find_in_all_perturbations(self, units: list[Unit]) -> None:
        """Search in the perturbation that moves targets most, and for the rest in the others.

        A unit may do nothing in one perturbation, and much in another one.
        """
        order = sorted(PERTURBATIONS, key=lambda each: -self._coverage(each))
        for k, perturbation in enumerate(order):
            while group := self._rest(units, perturbation, order[k:]):
                count = self._count_found()
                self._search(group, perturbation)
                if self._count_found() == count:
                    break  # neither a unit that remains has an effect, nor a set of them

    def _coverage(self, perturbation: Perturbation) -> float:
        """Return how far a perturbation of all units moves targets, each as a share of the most."""
        effects = self._effects[self._everything, perturbation]
        return sum(e / most for e, most in zip(effects, self._totals, strict=True) if most)

    def _rest(
        self, units: list[Unit], perturbation: Perturbation, following: Sequence[Perturbation]
    ) -> _Group | None:
        """Return the units to search in a perturbation, if they move a target.

        No run is needed where the units found explain what all units do. following: the
        perturbation and those that come later, whose runs are made at the same time.
        """
        open_targets = self._open_targets(perturbation)
        if bare := [target for target in open_targets if not self._is_half_explained(target)]:
            left_out = set.intersection(*(set(self._culprits[target]) for target in bare))
            wanted = [perturbation]
        else:
            left_out = {unit for culprits in self._culprits for unit in culprits}
            wanted = [each for each in following if self._open_targets(each)]
        rest = [unit for unit in units if unit not in left_out]
        if not rest or not open_targets:
            return None
        rows = self._measure_sets([(frozenset(rest), each) for each in wanted])
        targets = self._moved_targets(rows[0])
        return _Group(rest, targets, rows[0]) if targets else None

    def _open_targets(self, perturbation: Perturbation) -> list[int]:
        """Return the targets that all units move by more than the units found for them do."""
        targets = []
        for target, total in enumerate(self._effects[self._everything, perturbation]):
            effects = [
                row[target]
                for unit in self._culprits[target]
                if (row := self._effects.get((frozenset([unit]), perturbation))) is not None
            ]
            if total >= self._limit(target) and sum(effects) < _EXPLAINED * total:
                targets.append(target)
        return targets

    def _is_half_explained(self, target: int) -> bool:
        """Return whether units or a set were found that move a target by half of all."""
        alone = (self._effect_alone(unit, target) for unit in self._culprits[target])
        return bool(self._sets[target]) or sum(alone) >= self._totals[target] / 2

    def _limit(self, target: int) -> float:
        """Return the least effect on a target, in ulps, for which a unit is to blame."""
        return max(1.0, self._totals[target] * LEAST_SHARE)

    def _moved_targets(self, effects: Effects) -> list[int]:
        """Return the targets that a run moves, and whose search goes on."""
        return [
            target
            for target, effect in enumerate(effects)
            if effect >= self._limit(target) and len(self._culprits[target]) < _MOST_UNITS
        ]

    # ------------------------------------------------------------ group testing

    def _search(self, group: _Group, perturbation: Perturbation) -> None:
        """Find the units of a group that move targets: halve the parts of it that do."""
        parents, parts = [group], _split_evenly(group.units, self._count_pieces(group))
        while parents:
            self._suspects = [parent for parent in parents if parent.units != group.units]
            moving = self._test(parts, perturbation)
            for parent in parents:
                self._add_sets(parent, moving, perturbation)
            for single in moving:
                if len(single.units) == 1:
                    self._add(single)
            parents = [part for part in moving if len(part.units) > 1]
            parents.sort(key=self._share, reverse=True)
            # Halving needs the fewest runs only if few parts have an effect.
            pieces = 2 if len(moving) <= _FEW_PARTS * len(parts) else 4
            parts = [p for parent in parents for p in _split_evenly(parent.units, pieces)]

    def _count_pieces(self, group: _Group) -> int:
        """Return the number of pieces in which a group is first tested."""
        count = len(group.units)
        return count if count <= _FEW else min(count, 2 * len(group.targets) + 2)

    def _test(self, parts: list[list[Unit]], perturbation: Perturbation) -> list[_Group]:
        """Return the sets that move a target."""
        keys = [(frozenset(part), perturbation) for part in parts]
        groups = []
        for part, effects in zip(parts, self._measure_sets(keys), strict=True):
            if targets := self._moved_targets(effects):
                groups.append(_Group(part, targets, effects))
        return groups

    def _share(self, group: _Group) -> float:
        """Return the largest effect of a group on a target, as a share of what all units do."""
        return max(group.effects[t] / self._totals[t] for t in group.targets)

    def _add(self, group: _Group) -> None:
        for target in group.targets:
            if len(self._culprits[target]) < _MOST_UNITS:
                self._culprits[target][group.units[0]] = None

    def _add_sets(self, parent: _Group, parts: list[_Group], perturbation: Perturbation) -> None:
        """Add sets of a parent's units, for targets that it moves and no part of it does."""
        own = set(parent.units)
        moved = {t for part in parts if own.issuperset(part.units) for t in part.targets}
        for target in parent.targets:
            is_large = parent.effects[target] >= _LEAST_OF_SET * self._limit(target)
            is_open = target not in moved and not own & set(self._culprits[target])
            if is_open and is_large and len(self._sets[target]) < _MOST_SETS:
                minimal = self._minimise(parent.units, target, perturbation)
                self._sets[target].append(minimal)
                self._culprits[target].update(dict.fromkeys(minimal))

    def _minimise(self, units: list[Unit], target: int, perturbation: Perturbation) -> list[Unit]:
        """Return a set of units that moves a target, but does not without any one of them.

        The last unit of the shortest effective prefix belongs to it. It is kept, and the search
        goes on among those before it: U. Junker, QuickXplain, AAAI 2004. If the set is large, only
        its first units are returned.
        """
        kept: list[Unit] = []
        while units and len(kept) < _MOST_UNITS:
            if kept and self._are_effective([kept], target, perturbation)[0]:
                break
            none, enough = 0, len(units)
            while enough - none > 1:
                cuts = _cuts(none, enough, self._launcher.width)
                prefixes = [kept + units[:cut] for cut in cuts]
                moved = self._are_effective(prefixes, target, perturbation)
                enough = next(itertools.compress(cuts, moved), enough)
                none = max((cut for cut in cuts if cut < enough), default=none)
            kept.append(units[enough - 1])
            units = units[: enough - 1]
        return kept

    def _are_effective(
        self, sets: Sequence[Sequence[Unit]], target: int, perturbation: Perturbation
    ) -> list[bool]:
        """Return for each set whether it moves a target."""
        rows = self._measure_sets([(frozenset(units), perturbation) for units in sets])
        return [row[target] >= self._limit(target) for row in rows]

    # ------------------------------------------------------------ runs

    def _measure_sets(self, keys: Sequence[Key]) -> list[Effects]:
        """Return how far sets of units move the targets, each in a perturbation."""
        new = [key for key in dict.fromkeys(keys) if key not in self._effects]
        new = new[: max(0, _MOST_RUNS - self._runs)]
        runs = [
            replace(self._run, chosen_units=units, mode=mode, seed=seed)
            for units, (mode, seed) in new
        ]
        for key, outcome in zip(new, self._launcher.run_some(runs) if runs else [], strict=True):
            if outcome is not None:
                self._runs += 1
                self._note(*key, self._measure(outcome))
        if any(key not in self._effects for key in keys):
            raise _SearchStopped
        return [self._effects[key] for key in keys]

    def _note(self, units: frozenset[Unit], perturbation: Perturbation, effects: Effects) -> None:
        """Note the effects of a set; it may move a target farther than all units together do."""
        self._effects[units, perturbation] = effects
        self._totals = [max(pair) for pair in zip(self._totals, effects, strict=True)]

    # ------------------------------------------------------------ the result

    def _count_found(self) -> int:
        return sum(map(len, self._culprits))

    def _entries(self) -> list[BlameEntry]:
        """Return an entry for each unit to blame, in their order."""
        effects: dict[Unit, dict[str, float]] = {}
        partners: dict[Unit, dict[Unit, None]] = {}
        self._note_single_units()
        for target, name in enumerate(self._targets):
            in_sets = set(itertools.chain(*self._sets[target]))
            for unit in self._culprits[target]:
                effect = self._effect_alone(unit, target)
                if unit in in_sets or effect >= self._limit(target):
                    own = effects.setdefault(unit, {})
                    own[name] = max(own.get(name, 0.0), effect)
            for units in self._sets[target]:
                for unit in units:
                    others = (other for other in units if other != unit)
                    partners.setdefault(unit, {}).update(dict.fromkeys(others))
        entries = [
            BlameEntry(unit, own, tuple(partners.get(unit, ()))) for unit, own in effects.items()
        ]
        return sorted(entries, key=BlameEntry.sorting_key)

    def _note_single_units(self) -> None:
        """Add single units that were found for one target to others that they move, too."""
        for (units, _), effects in self._effects.items():
            if len(units) == 1:
                self._add(_Group(list(units), self._moved_targets(effects), effects))

    def _effect_alone(self, unit: Unit, target: int) -> float:
        """Return the largest effect on a target that was measured of a single unit."""
        only = frozenset([unit])
        rows = (self._effects.get((only, each)) for each in PERTURBATIONS)
        return max((row[target] for row in rows if row is not None), default=0.0)


def _cuts(low: int, high: int, count: int) -> list[int]:
    """Return some numbers between two others, in order and at nearly equal distances."""
    return sorted({low + (high - low) * k // (count + 1) for k in range(1, count + 1)} - {low})


def _split_evenly(units: list[Unit], pieces: int) -> list[list[Unit]]:
    """Split a list into pieces of nearly equal length."""
    bounds = [len(units) * k // pieces for k in range(pieces + 1)]
    return [units[a:b] for a, b in itertools.pairwise(bounds) if a < b]
