"""Finds what makes a program's results agree: better formulas, lines or variables in float32.

Each is tried: the program runs with the changed source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from halfcl.stability import THRESHOLD
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
from halfcl.stability._programs._wording import FARTHEST, location, ulps

#: Returns the spread of the results in ulps if the program runs with changes.
Measure = Callable[[Sequence[Edit]], float]

#: Limits on the lines to try in float32, and on the changes that are tried alone.
_MOST_LINES, _MOST_ALONE = 3, 4

#: A mending that leaves the results unstable is reported if the spread is at most this share.
_SHARE = 1 / 4


@dataclass(frozen=True)
class Mending:
    """A change of a program with which its results agree better.

    name: the subject of a sentence: what is changed. lines: the file, the line and the new source
    of each changed statement. old, new: the spread of the results in ulps, before and after.
    """

    name: str
    lines: tuple[tuple[str, int, str], ...]
    old: float
    new: float
    is_plural: bool = False  # whether it names several changes

    @property
    def is_enough(self) -> bool:
        """True if the results are stable with it."""
        return self.new <= THRESHOLD

    def title(self) -> str:
        """Return the effect in words."""
        verb, pronoun = ("mends it" if self.is_enough else "helps"), "it"
        if self.is_plural:
            verb, pronoun = ("mend it" if self.is_enough else "help"), "them"
        old = "differ as a whole" if self.old >= FARTHEST else f"spread {ulps(self.old)} ulps"
        effect = f"{old} without {pronoun}, and {ulps(self.new)} with {pronoun}"
        return f"{self.name} {verb}: the results {effect}"

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
    formulas: tuple[Edit, ...] = ()  # better formulas besides, which a report has shown already
    is_plural: bool = False


class Mender:
    """Searches for better formulas of lines to blame, and for what else mends a program.

    units: the lines, the largest effect first. record: runs the program, and returns the inputs of
    requested expressions.
    """

    def __init__(self, units: Sequence[Unit], record: Record):
        self._units = list(units)
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
        for unit in self._units:
            for line in self._lines[unit]:
                yield from line.requests()
            for variable in self._variables[unit]:
                yield from variable.requests()

    def suggestions(self) -> list[Suggestion]:
        """Return better formulas for the lines."""
        return measure_all(self._of_units, self._inputs)

    def mendings(
        self, suggestions: Sequence[Suggestion], measure: Measure, old: float
    ) -> list[Mending]:
        """Return what mends the program: the better formulas; else lines or variables in float32.

        old: the spread of the results in ulps. If nothing mends it, return what helps most.
        """
        formulas = tuple(edit for each in suggestions for edit in each.edits)
        tries: list[Mending] = []
        if formulas:
            name = f"the better formula{'s together' if suggestions[1:] else ''}"
            change = _Change(name, (), formulas, len(suggestions) > 1)
            tries.append(self._try(change, measure, old))
        if not (tries and tries[0].is_enough):
            tries += self._try_float32(suggestions, formulas, measure, old)
        if any(each.is_enough for each in tries):
            return [each for each in tries if each.is_enough][-1:]  # which changes the least
        best = min(tries, key=lambda each: each.new, default=None)
        return [best] if best is not None and best.new <= _SHARE * old else []

    def _try_float32(
        self, suggestions: Sequence[Suggestion], formulas: tuple[Edit, ...], measure: Measure,
        old: float,
    ) -> Iterator[Mending]:  # fmt: skip
        """Try the lines together and, if that helps, each alone, until one is enough."""
        ways = self._ways(suggestions)
        if not ways:
            return
        widest = _join([changes[-1] for changes in ways], formulas)
        together = self._try(widest, measure, old)
        yield together
        if together.new > _SHARE * old:
            return  # less does not help either
        alone = [change for changes in ways for change in changes if change != widest]
        for change in alone[:_MOST_ALONE]:
            mending = self._try(change, measure, old)
            yield mending
            if mending.is_enough:
                return

    def _ways(self, suggestions: Sequence[Suggestion]) -> list[list[_Change]]:
        """Return changes, the smallest first, for each of the lines without a better formula."""
        better = {(each.file, each.line) for each in suggestions if each.edits}
        units = [unit for unit in self._units if (unit.file, unit.line) not in better]
        ways = [list(self._changes(unit)) for unit in units[:_MOST_LINES]]
        return [changes for changes in ways if changes]

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
            yield _Change(name, _merge_edits((*variable.edits, *wide)))

    def _line(self, unit: Unit) -> _Change | None:
        edits = tuple(edit for line in self._lines[unit] for edit in line.edits(self._inputs))
        name = f"{location(unit.file, unit.line)} alone in float32"
        return _Change(name, edits) if edits else None

    def _variable(self, unit: Unit) -> _Change | None:
        for variable in self._variables[unit]:
            edits = variable.edits(self._inputs)
            if edits:
                return _Change(f"{variable.name} in float32", edits)
        for line in self._lines[unit]:
            edits = line.wide_edits(self._inputs)
            if edits and line.variable:
                return _Change(f"{line.variable} in float32", edits)
        return None

    def _try(self, change: _Change, measure: Measure, old: float) -> Mending:
        lines = tuple(edited_source(change.edits))
        new = measure((*change.edits, *change.formulas))
        return Mending(change.name, lines, old, new, change.is_plural)


def _on_line(unit: Unit, statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield those of the statements that are on the line itself."""
    for each in statements:
        if each.contains(unit.line):
            yield each


def _merge_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return edits without further ones of the same place."""
    merged: dict[tuple[str, int, str], Edit] = {}
    for edit in edits:
        merged.setdefault((edit.file, edit.node, edit.where), edit)
    return tuple(merged.values())


def _join(changes: Sequence[_Change], formulas: tuple[Edit, ...]) -> _Change:
    """Return changes and better formulas as one change."""
    if len(changes) == 1 and not formulas:
        return changes[0]
    names = [change.name.replace(" alone", "") for change in changes]
    names += ["the better formulas"] if formulas else []
    edits = _merge_edits(edit for change in changes for edit in change.edits)
    return _Change(" and ".join([", ".join(names[:-1]), names[-1]]), edits, formulas, True)
