"""Finds what makes a program's results agree: better formulas, lines or variables in float32.

Each is tried: the program runs with the changed source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from halfcl.stability._programs._analysis.blaming import CONFIRMED, LEAST_SHARE, BlameEntry
from halfcl.stability._programs._analysis.results import Judgement
from halfcl.stability._programs._recording.inputs import InputRequest, Inputs
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting.measuring import Suggestion
from halfcl.stability._programs._rewriting.statements import Statement
from halfcl.stability._programs._rewriting.suggestions import (
    Record,
    measure_all,
    merge_requests,
    read_units,
    requests_of,
)
from halfcl.stability._programs._rewriting.widening import WideStatement, WideVariable
from halfcl.stability._programs._running.instrumenting import Edit, edited_source
from halfcl.stability._programs._wording import FARTHEST, location, quantity, ulps

#: Judges each bad result, by its name, if the program runs with changes.
Judge = Callable[[Sequence[Edit]], Mapping[str, Judgement]]

#: Measures for each of several changes the share of how far each bad result is off that goes.
Measure = Callable[[Sequence[Sequence[Edit]]], Sequence[Mapping[str, float]]]

#: Limits on the lines to measure alone in float32, on those to try in other ways and together, and
#: on the changes that are tried alone.
_MOST_MEASURED, _MOST_LINES, _MOST_ALONE = 8, 3, 4

#: Limit on the results that a title names.
_MOST_NAMES = 3

#: A mending that leaves results unstable is reported if they are off by at most this share.
_SHARE = 1 / 4


@dataclass(frozen=True)
class Mending:
    """A change of a program with which its results are right, or agree better.

    name: the subject of a sentence: what is changed. lines: the file, the line and the new source
    of each changed statement. mended: names of the results that are stable with it. old, new: how
    far results are off in ulps at most, or spread, before and after: those that are mended or, if
    none is, all that it is for. is_all: whether it mends all bad results.
    """

    name: str
    lines: tuple[tuple[str, int, str], ...]
    old: float
    new: float
    mended: tuple[str, ...] = ()
    is_all: bool = False
    is_plural: bool = False  # whether it names several changes

    @property
    def is_worth_a_line(self) -> bool:
        """True if it mends a result, or leaves at most a quarter of what results were off by."""
        return bool(self.mended) or self.new <= _SHARE * self.old

    def title(self) -> str:
        """Return the effect in words."""
        verb = "mend" if self.mended else "help"
        verb += "" if self.is_plural else "s"
        names = ", ".join(self.mended[:_MOST_NAMES])
        more = len(self.mended) - _MOST_NAMES
        names += f" and {quantity(more, 'other result')}" if more > 0 else ""
        what = f"{verb} {'it' if self.is_all or not self.mended else names}"
        old = "wrong altogether" if self.old >= FARTHEST else f"{ulps(self.old)} ulps"
        return f"{self.name} {what}: {old} without, {ulps(self.new)} ulps with"

    def text(self) -> str:
        """Return the mending as text for a terminal."""
        rows = [self.title()]
        for file, line, source in self.lines:
            place = location(file, line)
            indent = "\n" + " " * (len(place) + 4)
            rows.append(f"  {place}  {source}".replace("\n", indent))
        return "\n".join(rows)


@dataclass(frozen=True)
class _Change:
    """Changes of the source that belong together: a line or a variable in float32."""

    name: str
    edits: tuple[Edit, ...]
    targets: frozenset[str]  # names of the results that it is for
    formulas: tuple[Edit, ...] = ()  # better formulas besides, which a report has shown already
    is_plural: bool = False


class Mender:
    """Searches for better formulas of lines to blame, and for what else mends a program.

    entries: the lines to blame, the guiltiest first. record: runs the program, and returns the
    inputs of requested expressions.
    """

    def __init__(self, entries: Sequence[BlameEntry], record: Record):
        self._entries: dict[Unit, BlameEntry] = {}
        for entry in entries:  # A line may move one result, and have made infinities in another.
            known = self._entries.get(entry.unit, entry)
            effects = {**known.effects, **entry.effects}
            self._entries[entry.unit] = replace(known, effects=effects)
        units = [*self._entries]
        self._targets = {unit: frozenset(own.effects) for unit, own in self._entries.items()}
        self._of_units = read_units(units)
        self._lines = {
            unit: [WideStatement(each) for each in _on_line(unit, self._of_units[unit])]
            for unit in units
        }
        self._variables = {
            unit: [WideVariable(own) for each in self._of_units[unit] for own in each.sums]
            for unit in units
        }
        requests = merge_requests(self._requests())
        self._inputs = (record(requests) if requests else None) or Inputs()

    def _requests(self) -> Iterator[InputRequest]:
        yield from requests_of(self._of_units.values())
        for unit in self._entries:
            for line in self._lines[unit]:
                yield from line.requests()
            for variable in self._variables[unit]:
                yield from variable.requests()

    def suggestions(self) -> list[Suggestion]:
        """Return better formulas for the lines."""
        return measure_all(self._of_units, self._inputs)

    def measure(self, measure: Measure) -> dict[Unit, Mapping[str, float]]:
        """Return what goes, by result, with each line alone in float32; lines are sorted by that.

        Lines without formulas of halves, and a single line, are not measured.
        """
        changes = ((unit, self._line(unit)) for unit in [*self._entries][:_MOST_MEASURED])
        lines = {unit: change.edits for unit, change in changes if change is not None}
        if len(self._entries) < 2 or not lines:
            return {}
        rows = zip(lines, measure([*lines.values()]), strict=True)
        shares = {unit: row for unit, row in rows if row}
        entries = (replace(e, mended=shares.get(unit, {})) for unit, e in self._entries.items())
        self._entries = {e.unit: e for e in sorted(entries, key=BlameEntry.sorting_key)}
        return shares

    def mendings(
        self, suggestions: Sequence[Suggestion], judge: Judge, plain: Mapping[str, Judgement]
    ) -> list[Mending]:
        """Return what mends results: the better formulas; else lines or variables in float32.

        plain: the judgements on the bad results of the unchanged program. If nothing mends any,
        return what helps most.
        """
        trial = _Trial(judge, plain)
        formulas = tuple(edit for each in suggestions for edit in each.edits)
        if formulas:
            name = f"the better formula{'s together' if suggestions[1:] else ''}"
            change = _Change(name, (), frozenset(plain), formulas, len(suggestions) > 1)
            trial.keep(trial.attempt(change))
        self._try_float32(trial, formulas, frozenset(plain))
        return trial.results()

    def _try_float32(
        self, trial: _Trial, formulas: tuple[Edit, ...], everything: frozenset[str]
    ) -> None:
        """Try lines alone that are known to help; then all together and, if that helps, each."""
        for change in self._confirmed_lines(trial.remaining):
            if change.targets & trial.remaining:
                trial.keep(trial.attempt(change))
        units = [unit for unit in self._entries if self._targets[unit] & trial.remaining]
        ways = [list(self._changes(unit)) for unit in units[:_MOST_LINES]]
        if not any(ways):
            return
        widest = _join([changes[-1] for changes in ways if changes], formulas, everything)
        together = trial.attempt(widest)
        if not together.is_worth_a_line:
            return  # less does not help either
        useless = {self._line(unit) for unit in units if self._is_useless(unit)}
        tried = {widest, *useless}
        alone = [change for changes in ways for change in changes if change not in tried]
        for change in alone[:_MOST_ALONE]:
            if change.targets & trial.remaining:
                trial.keep(trial.attempt(change))
        if trial.remaining & {*together.mended} or not together.mended:
            trial.keep(together)

    def _confirmed_lines(self, names: Iterable[str]) -> list[_Change]:
        """Return the lines that were measured to mend most of one of some results, alone."""
        wanted = {*names}
        units = [
            unit
            for unit, entry in self._entries.items()
            if any(entry.mended.get(name, 0.0) >= CONFIRMED for name in wanted & {*entry.effects})
        ]
        lines = map(self._line, units[:_MOST_LINES])
        return [line for line in lines if line is not None]

    def _is_useless(self, unit: Unit) -> bool:
        """Return whether a line alone was measured to mend next to nothing."""
        mended = self._entries[unit].mended
        return bool(mended) and max(mended.values()) < LEAST_SHARE

    def _changes(self, unit: Unit) -> Iterator[_Change]:
        """Yield the line in float32, and the variable with its result, also where others read it.

        For sums the variable comes first, since each step rounds what a line adds.
        """
        line, variable = self._line(unit), self._variable(unit)
        if line is None or variable is None or not self._variables[unit]:
            yield from (change for change in (line, variable) if change is not None)
            return
        yield variable
        yield line
        wide = tuple(edit for own in self._lines[unit] for edit in own.wide_edits(self._inputs))
        if wide:
            name = f"{variable.name}, and {location(unit.file, unit.line)} with it"
            yield _Change(name, _merge_edits((*variable.edits, *wide)), self._targets[unit])

    def _line(self, unit: Unit) -> _Change | None:
        edits = tuple(edit for line in self._lines[unit] for edit in line.edits(self._inputs))
        name = f"{location(unit.file, unit.line)} alone in float32"
        return _Change(name, edits, self._targets[unit]) if edits else None

    def _variable(self, unit: Unit) -> _Change | None:
        for variable in self._variables[unit]:
            edits = variable.edits(self._inputs)
            if edits:
                return _Change(f"{variable.name} in float32", edits, self._targets[unit])
        for line in self._lines[unit]:
            edits = line.wide_edits(self._inputs)
            if edits and line.variable:
                return _Change(f"{line.variable} in float32", edits, self._targets[unit])
        return None


class _Trial:
    """Tries changes, and keeps those that mend results which none before has mended."""

    def __init__(self, judge: Judge, plain: Mapping[str, Judgement]):
        self._judge, self._plain = judge, plain
        self.remaining = set(plain)
        self._kept: list[Mending] = []
        self._helps: list[Mending] = []

    def attempt(self, change: _Change) -> Mending:
        """Try a change, and return what it does to the remaining results that it is for."""
        judged = self._judge((*change.edits, *change.formulas))
        targets = [name for name in self._plain if name in change.targets & self.remaining]
        mended = tuple(name for name in targets if judged[name].is_stable)
        own = mended or targets
        old = max((self._plain[name].distance for name in own), default=0.0)
        new = max((judged[name].distance for name in own), default=0.0)
        lines = tuple(edited_source(change.edits))
        is_all = len(mended) == len(self._plain)
        return Mending(change.name, lines, old, new, mended, is_all, change.is_plural)

    def keep(self, mending: Mending) -> None:
        """Keep a change for the report, if it mends results."""
        (self._kept if mending.mended else self._helps).append(mending)
        self.remaining -= {*mending.mended}

    def results(self) -> list[Mending]:
        """Return what mends, else what helps most."""
        if self._kept:
            return self._kept
        best = min(self._helps, key=lambda each: each.new, default=None)
        return [best] if best is not None and best.is_worth_a_line else []


def _on_line(unit: Unit, statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield those of the statements that are on the line itself."""
    for each in statements:
        if each.contains(unit.line):
            yield each


def _merge_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return edits without further ones of the same place."""
    merged: dict[tuple[str, int, str, str], Edit] = {}
    for edit in edits:
        text = "" if edit.where == "instead" else edit.text
        merged.setdefault((edit.file, edit.node, edit.where, text), edit)
    return tuple(merged.values())


def _join(
    changes: Sequence[_Change], formulas: tuple[Edit, ...], targets: frozenset[str]
) -> _Change:
    """Return changes and better formulas as one change."""
    if len(changes) == 1 and not formulas:
        return changes[0]
    names = [change.name.replace(" alone", "") for change in changes]
    names += ["the better formulas"] if formulas else []
    edits = _merge_edits(edit for change in changes for edit in change.edits)
    return _Change(" and ".join([", ".join(names[:-1]), names[-1]]), edits, targets, formulas, True)
