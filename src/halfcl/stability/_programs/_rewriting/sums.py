"""Measures sums that loops accumulate, and suggests exact or compensated ones."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

import halfcl as hc
from halfcl.stability._programs._recording.inputs import RESULT, TOTAL, Number, Visit
from halfcl.stability._programs._rewriting import exact
from halfcl.stability._programs._rewriting.measuring import Errors, Suggestion, as_half, summarise
from halfcl.stability._programs._rewriting.statements import Sum
from halfcl.stability._programs._running.instrumenting import Edit

#: Limit on the sums that are accumulated by turns, such as those of several objects.
_MOST_OPEN = 8


class MeasuredSum:
    """A sum with its recorded terms, for each execution of the statements that add them."""

    def __init__(self, own: Sum, visits: Sequence[Visit]):
        self._own = own
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
        if not self._own.is_used:
            ways = {"an exact sum": (self._exact_sum, self._exact_source), **ways}
        old = self._measure(self._plain_sum)
        measured = [(self._measure(add), name, write) for name, (add, write) in ways.items()]
        new, name, write = min(measured, key=lambda way: math.ceil(way[0].worst))
        if not new.is_better_than(old):
            return None
        file, line = self._own.source.file, self._own.line
        after, edits = write()
        return Suggestion(file, line, name, self._before(), after, old, new, edits)

    # ------------------------------------------------------------ source

    def _before(self) -> str:
        own, sign = self._own, "+-"[self._own.sign < 0]
        if own.total != own.target:
            return f"{own.target} = {own.total} {sign} {ast.unparse(own.term)}"
        return f"{own.target} {sign}= {ast.unparse(own.term)}"

    def _signed_term(self) -> str:
        term = ast.unparse(self._own.term)
        return term if self._own.sign > 0 else f"-({term})"

    def _fresh(self, name: str) -> str:
        """Return a name that the program does not use."""
        texts = {node.id for node in self._own.source.nodes if isinstance(node, ast.Name)}
        names = itertools.chain([name], (f"{name}_{k}" for k in itertools.count(2)))
        return next(each for each in names if each not in texts)

    def _edits(self, first: str, lines: str, last: str = "") -> tuple[Edit, ...]:
        own, file = self._own, self._own.source.file
        if own.loop is None:
            return ()
        edits = [Edit(file, own.loop, first, "before"), Edit(file, own.statement, lines)]
        if last:
            edits.append(Edit(file, own.loop, last, "after"))
        return tuple(edits)

    def _exact_source(self) -> tuple[str, tuple[Edit, ...]]:
        own, terms = self._own, self._fresh("terms")
        library = next((n for n, full in own.source.functions.items() if full == "halfcl"), "hc")
        first, line = f"{terms} = [{own.target}]", f"{terms}.append({self._signed_term()})"
        last = f"{own.target} = {library}.sum({terms}, axis=0)"
        text = f"{first}  # before the loop\n{line}\n{last}  # after it"
        return text, self._edits(first, line, last)

    def _compensated_source(self) -> tuple[str, tuple[Edit, ...]]:
        own = self._own
        lost, term, further = map(self._fresh, ("lost", "term", "further"))
        if own.loop is None and "." in own.target:  # an object's: so is what is lost
            lost = f"{own.target.rpartition('.')[0]}.lost"
        is_array = own.is_in_place and any(x.ndim for x in self._totals)
        target = f"{own.target}[...]" if is_array else own.target
        where = "before the loop" if own.loop is not None else "before the first term"
        first = f"{lost} = 0"
        lines = (
            f"{term} = {self._signed_term()} - {lost}; {further} = {own.total} + {term}\n"
            f"{lost} = ({further} - {own.total}) - {term}; {target} = {further}"
        )
        return f"{first}  # {where}\n{lines}", self._edits(first, lines)
