"""Measures sums that loops accumulate, and suggests exact or compensated ones."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence

import numpy as np

import halfcl as hc
from halfcl.stability._programs._recording.inputs import RESULT, TOTAL, Number, Visit
from halfcl.stability._programs._rewriting import exact
from halfcl.stability._programs._rewriting.measuring import Errors, Suggestion, as_half, summarise
from halfcl.stability._programs._rewriting.statements import Sum, creations
from halfcl.stability._programs._running.instrumenting import Edit

#: Limit on the sums that are accumulated by turns, such as those of several objects.
_MOST_OPEN = 8


class MeasuredSum:
    """A sum with its recorded terms, for each execution of the statements that add them."""

    def __init__(self, own: Sum, visits: Sequence[Visit]):
        self._own = own
        self._is_half = all(isinstance(visit.values.get(TOTAL), np.ndarray | np.generic)
                            for visit in visits)  # fmt: skip
        if any(not {RESULT, TOTAL} <= visit.values.keys() for visit in visits):
            raise exact.UnsupportedFormula("inputs")
        self._totals = [np.asarray(as_half(visit.values[TOTAL])) for visit in visits]
        self._terms = [own.sign * np.asarray(as_half(visit.values[RESULT])) for visit in visits]
        if any(x.dtype != np.float16 for x in (*self._totals, *self._terms)):
            raise exact.UnsupportedFormula("wider than half")
        self._runs = [run for run in self._executions() if len(run) > 2]
        if not self._runs:
            raise exact.UnsupportedFormula("no sum of several terms")
        self._truths = [
            sum((np.asarray(self._terms[k], np.float64) for k in run),
                np.asarray(self._totals[run[0]], np.float64))
            for run in self._runs
        ]  # fmt: skip

    def _executions(self) -> list[list[int]]:
        """Return the visits of each execution, in which each total is the previous sum."""
        runs, open_runs = list[list[int]](), list[tuple[list[int], Number]]()
        for k, (total, term) in enumerate(zip(self._totals, self._terms, strict=True)):
            same = [n for n, (_, after) in enumerate(open_runs)
                    if np.array_equal(after, total, equal_nan=True)]  # fmt: skip
            if same:
                run, _ = open_runs.pop(same[-1])
            else:
                run = []
                runs.append(run)
            run.append(k)
            open_runs = [*open_runs, (run, np.add(total, term))][-_MOST_OPEN:]
        return runs

    def _plain_sum(self, run: Sequence[int]) -> Number:
        total: Number = self._totals[run[0]]
        for k in run:
            total = np.add(total, self._terms[k])
        return total

    def _compensated_sum(self, run: Sequence[int]) -> Number:
        """Return the compensated sum.

        W. Kahan, Further remarks on reducing truncation errors, 1965.
        """
        total: Number = self._totals[run[0]]
        lost: Number = np.float16(0)
        for k in run:
            term = np.subtract(self._terms[k], lost)
            further = np.add(total, term)
            lost = np.subtract(np.subtract(further, total), term)
            total = further
        return total

    def _exact_sum(self, run: Sequence[int]) -> Number:
        terms = [self._totals[run[0]], *(self._terms[k] for k in run)]
        total: Number = hc.sum(np.stack(np.broadcast_arrays(*terms)), axis=0)
        return total

    def _measure(self, add: Callable[[Sequence[int]], Number]) -> Errors:
        return summarise(lambda: [add(run) for run in self._runs], self._truths)

    def best(self) -> Suggestion | None:
        """Return the better of the exact and the compensated sum, if it beats the plain one."""
        ways = {"a compensated sum": (self._compensated_sum, self._compensated_source)}
        shapes = {x.shape for x in (*self._totals, *self._terms)}
        if not self._own.is_used and len(shapes) == 1 and "[" not in self._own.target:
            ways = {"an exact sum": (self._exact_sum, self._exact_source), **ways}
        old = self._measure(self._plain_sum)
        measured = [(self._measure(add), name, write) for name, (add, write) in ways.items()]
        new, name, write = min(measured, key=lambda way: math.ceil(way[0].worst))
        if not new.is_better_than(old):
            return None
        file, line = self._own.source.file, self._own.line
        after, edits = write()
        source = self._own.source
        imports = source.import_edits(after) if edits else ()
        return Suggestion(
            file, line, name, self._before(), after, old, new, (*edits, *imports),
            imports=source.import_lines(after),
        )  # fmt: skip

    # ------------------------------------------------------------ source

    def _before(self) -> str:
        own, sign = self._own, "+-"[self._own.sign < 0]
        if own.total != own.target:
            return f"{own.target} = {own.total} {sign} {ast.unparse(own.term)}"
        return f"{own.target} {sign}= {ast.unparse(own.term)}"

    def _signed_term(self) -> str:
        term = ast.unparse(self._own.term)
        return term if self._own.sign > 0 else f"-({term})"

    @property
    def _numpy(self) -> str:
        return self._own.source.spell("numpy")

    def _stored_target(self) -> str:
        """Return the target as an assignment needs it: an array changes in place."""
        is_array = self._own.is_in_place and any(x.ndim for x in self._totals)
        return f"{self._own.target}[...]" if is_array else self._own.target

    def _fresh(self, name: str) -> str:
        """Return a name for this sum that the program does not use."""
        return self._own.source.fresh_name(name, self._own.statement)

    def _edits(self, lines: str, first: str, last: str = "") -> tuple[Edit, ...]:
        """Return the changes: of the statement, and of what comes before and after the loop."""
        own, file = self._own, self._own.source.file
        if own.loop is None:
            begins = [own.source.number(node) for node in creations(own, own.target)]
            edits = [Edit(file, number, first, "after") for number in begins]
        else:
            edits = [Edit(file, own.loop, first, "before")]
        if last and own.loop is not None:
            edits.append(Edit(file, own.loop, last, "after"))
        return (*edits, Edit(file, own.statement, lines)) if edits else ()

    def _exact_source(self) -> tuple[str, tuple[Edit, ...]]:
        own, terms = self._own, self._fresh("terms")
        library = own.source.spell("halfcl")
        begin = own.target if self._is_half else f"{self._numpy}.float16({own.target})"
        first, line = f"{terms} = [{begin}]", f"{terms}.append({self._signed_term()})"
        last = f"{self._stored_target()} = {library}.sum({terms}, axis=0)"
        text = f"{first}  # before the loop\n{line}\n{last}  # after it"
        return text, self._edits(line, first, last)

    def _compensated_source(self) -> tuple[str, tuple[Edit, ...]]:
        own = self._own
        term, further = (own.source.fresh_name(name, 0) for name in ("term", "further"))
        lost, first = self._place_of_lost()
        target = self._stored_target()
        where = "before the loop" if own.loop is not None else f"where {own.target} begins"
        lines = (
            f"{term} = {self._signed_term()} - {lost}; {further} = {own.total} + {term}\n"
            f"{lost} = ({further} - {own.total}) - {term}; {target} = {further}"
        )
        return f"{first}  # {where}\n{lines}", self._edits(lines, first)

    def _place_of_lost(self) -> tuple[str, str]:
        """Return what holds the lost part of a sum, and the statement that creates it.

        Sums in an object or in elements of an array have one each.
        """
        own, lost = self._own, self._fresh("lost")
        target = ast.parse(own.target, mode="eval").body
        if isinstance(target, ast.Subscript) and own.total == own.target:
            first = f"{lost} = {self._numpy}.zeros_like({ast.unparse(target.value)})"
            return f"{lost}[{ast.unparse(target.slice)}]", first
        if isinstance(target, ast.Attribute) and own.loop is None:
            lost = f"{ast.unparse(target.value)}.lost"
        return lost, f"{lost} = 0"
