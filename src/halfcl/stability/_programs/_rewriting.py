"""Better formulas for blamed lines: those of the table that were measured, and are better."""

from __future__ import annotations

import ast
import importlib
import linecache
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._core import MODES
from halfcl.stability import _measures as measures
from halfcl.stability._programs import _exact as exact, _formulas as formulas
from halfcl.stability._programs._inputs import Inputs, Number, Values, Wanted
from halfcl.stability._programs._places import Unit
from halfcl.stability._programs._statements import Statement, names_in, statements
from halfcl.stability._programs._wording import counted, ulps, where

Doubles: TypeAlias = NDArray[np.float64]

#: Inputs that a formula is measured on: times that the line was run, and elements of arrays.
_VISITS, _ELEMENTS, _MOST_ELEMENTS = 48, 256, 4096
#: Formulas that are tried for a statement.
_TRIED = 200
#: A formula is better if its errors are at most this part of the other's, in the mean and at worst.
_BETTER = 0.5
#: The ordinal of infinity: what is farther off has no number.
_INFINITY = 31744.0
_WORST = 65536.0


@dataclass(frozen=True)
class Errors:
    """How far results are off, in ulps, over all four modes.

    Attributes
    ----------
    worst, mean : float
    count : int
        Results that were compared, in each mode.
    """

    worst: float
    mean: float
    count: int

    def is_better_than(self, other: Errors) -> bool:
        """By half at least, both at worst and in the mean."""
        return self.worst <= _BETTER * other.worst and self.mean <= _BETTER * other.mean


@dataclass(frozen=True)
class Suggestion:
    """A better formula.

    Attributes
    ----------
    file, line : str, int
        Of the statement.
    name : str
        What the rewrite is called.
    before, after : str
        Both formulas.
    old, new : Errors
    """

    file: str
    line: int
    name: str
    before: str
    after: str
    old: Errors
    new: Errors

    def text(self) -> str:
        """As a terminal shows it."""
        after = self.after.replace("\n", "\n" + " " * 18)
        return (
            f"a better formula for {where(self.file, self.line)} ({self.name}), measured on "
            f"{counted(self.old.count, 'recorded result')} in four modes:\n"
            f"  it is           {self.before}   off by {off(self.old)}\n"
            f"  it could be     {after}   off by {off(self.new)}"
        )


def off(errors: Errors) -> str:
    """How far something is off, in words."""
    if errors.worst >= _WORST:
        return "all, at worst"
    return f"{ulps(errors.worst)} ulps at worst, {ulps(errors.mean)} in the mean"


def suggestions(
    units: Sequence[Unit], record: Callable[[tuple[Wanted, ...]], Inputs | None]
) -> list[Suggestion]:
    """Better formulas for blamed lines, and for what goes on with their results.

    Parameters
    ----------
    units : sequence of Unit
        Lines.
    record : callable
        Runs the program, and gives what some lines' variables held.

    Returns
    -------
    list of Suggestion
        At most one a blamed line, none twice.
    """
    linecache.checkcache()
    found = {unit: statements(unit.file, unit.line) for unit in units}
    everything = {(s.file, s.line, s.names()) for each in found.values() for s in each}
    if not everything:
        return []
    inputs = record(tuple(Wanted(*wanted) for wanted in sorted(everything)))
    if inputs is None:
        return []
    best: dict[tuple[str, int], Suggestion] = {}
    with hc.accelerated(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for each in found.values():
            tried = [_best_for(statement, inputs) for statement in each]
            good = [suggestion for suggestion in tried if suggestion is not None]
            if good:
                one = max(good, key=lambda s: (s.old.worst - s.new.worst, s.old.mean))
                best.setdefault((one.file, one.line), one)
    return list(best.values())


def _best_for(statement: Statement, inputs: Inputs) -> Suggestion | None:
    key = statement.file, statement.line
    visits = inputs.visits.get(key, [])
    functions = inputs.functions.get(key, {})
    if not visits or set(visits[0]) & {*exact.FUNCTIONS, *exact.REDUCTIONS}:
        return None
    try:
        if statement.is_sum:
            return _Sum(statement, visits, functions).best()
        return _Formula(statement, visits, functions).best()
    except (exact.NotExact, ArithmeticError, TypeError, ValueError, NameError, AttributeError,
            LookupError):  # fmt: skip
        return None  # what is not measured is not suggested


# ---------------------------------------------------------------- evaluating

#: What a formula may call beside ufuncs and halfcl's functions: what changes nothing and writes
#: nothing, since it is called here, on what was recorded.
_FUNCTIONS = frozenset(
    """numpy.arange numpy.array numpy.asarray numpy.concatenate numpy.cumsum numpy.diff numpy.dot
    numpy.float16 numpy.linspace numpy.max numpy.mean numpy.min numpy.ones numpy.ones_like
    numpy.stack numpy.std numpy.sum numpy.var numpy.where numpy.zeros numpy.zeros_like halfcl.half
    halfcl.mean halfcl.sum halfcl.std halfcl.var""".split()
)
_BUILTINS = frozenset("abs float int len max min round sum".split())
_METHODS = frozenset("astype copy dot max mean min ravel reshape std sum transpose var".split())


def _check_harmless(tree: ast.expr, functions: Mapping[str, str]) -> None:
    """Only what computes is run once more."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not _is_harmless(node.func, functions):
            raise exact.NotExact(ast.unparse(node.func))
        if isinstance(node, ast.Lambda | ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise exact.NotExact(ast.unparse(node))


def _is_harmless(called: ast.expr, functions: Mapping[str, str]) -> bool:
    name = formulas.name_of(called, functions)
    if name:
        return name in _FUNCTIONS or isinstance(_thing(name), np.ufunc | hc.Function)
    if isinstance(called, ast.Attribute):
        return called.attr in _METHODS
    return isinstance(called, ast.Name) and called.id in _BUILTINS


def _thing(name: str) -> object:
    """What a name such as "numpy.linalg.norm" stands for."""
    module, _, rest = name.partition(".")
    thing: object = importlib.import_module(module)
    for part in filter(None, rest.split(".")):
        thing = getattr(thing, part)
    return thing


def _namespace(functions: Mapping[str, str]) -> dict[str, object]:
    """What names in formulas stand for: short ones, and those of the program."""
    found: dict[str, object] = {name: _thing(called) for name, called in functions.items()}
    for name in (*exact.FUNCTIONS, *exact.REDUCTIONS):
        found[name] = getattr(hc if name in formulas.OF_HALFCL else np, name)
    return found


def _code(formula: ast.expr) -> CodeType:
    tree = ast.fix_missing_locations(ast.Expression(formula))
    code: CodeType = compile(tree, "<formula>", "eval")
    return code


def _rounded(x: Number) -> Number:
    """A number as half has it; Python's own are rounded where they meet a half."""
    if isinstance(x, bool | np.bool):
        return x
    return np.float16(x) if isinstance(x, float | int) and not isinstance(x, np.generic) else x


def _errors(results: Sequence[Number], truths: Sequence[Doubles]) -> tuple[Doubles, Doubles]:
    """How far results are off, and which count: where there is a true value."""
    found = np.concatenate([np.asarray(x, np.float64).reshape(-1) for x in results])
    true = np.concatenate([truth.reshape(-1) for truth in truths])
    gap = np.abs(_ordinals(found) - _ordinals(true))
    gap = np.where(np.isnan(gap), _WORST, np.where(gap > 2 * _INFINITY, _WORST, gap))
    return gap, ~np.isnan(true)


def _ordinals(x: Doubles) -> Doubles:
    return np.clip(measures.ordinals(x), -_INFINITY, _INFINITY)


def _summary(results: Callable[[], Sequence[Number]], truths: Sequence[Doubles]) -> Errors:
    """The errors over the four modes."""
    gaps = []
    for mode in MODES:
        with hc.rounding(mode, builtins=True):
            gap, counts = _errors(results(), truths)
        gaps.append(gap[counts])
    whole = np.concatenate(gaps)
    if not whole.size:
        raise exact.NotExact("no results")
    return Errors(float(whole.max()), float(whole.mean()), len(gaps[0]))


def _evenly(visits: list[Values], most: int) -> list[Values]:
    step = max(1, -(-len(visits) // most))
    return visits[::step]


# ---------------------------------------------------------------- formulas


class _Formula:
    """A statement's formula, its inputs, and its exact values."""

    def __init__(self, statement: Statement, visits: list[Values], functions: Mapping[str, str]):
        self._statement, self._functions = statement, functions
        for tree in (statement.expression, *(tree for _, tree in statement.definitions)):
            _check_harmless(tree, functions)
        self._own = formulas.canonical(statement.expression, functions)
        self._definitions = [
            (name, formulas.canonical(tree, functions)) for name, tree in statement.definitions
        ]
        self._namespace = _namespace(functions)
        self._whole = self._own  # with what was computed before in it
        for name, tree in self._definitions:
            self._whole = formulas.replaced(self._whole, ast.Name(name, ast.Load()), tree)
        self._visits = [self._thinned(visit) for visit in _evenly(visits, _VISITS)]
        self._check()
        self._truths = self._exact(self._whole)

    def _check(self) -> None:
        """Only formulas of halves are measured, on whole inputs that are not too many."""
        for visit in self._visits:
            known = {*visit, *self._namespace}
            missing = [name for name in names_in(self._whole) if name not in known]
            if missing or any(np.size(x) > _MOST_ELEMENTS for x in visit.values()):
                raise exact.NotExact("inputs")
            if np.asarray(self._run(_code(self._own), visit)).dtype != np.float16:
                raise exact.NotExact("wider than half")

    def _thinned(self, visit: Values) -> Values:
        """Some elements of arrays, where each result is of one element of each."""
        arrays = {name: np.asarray(x) for name, x in visit.items() if np.ndim(x)}
        shapes = {x.shape for x in arrays.values()}
        size = max((x.size for x in arrays.values()), default=0)
        if size <= _ELEMENTS or len(shapes) > 1 or not _is_elementwise(self._whole):
            return visit
        step = -(-size // _ELEMENTS)
        return {**visit, **{name: x.reshape(-1)[::step] for name, x in arrays.items()}}

    def _run(self, code: CodeType, visit: Values) -> Number:
        found: Number = eval(code, {**self._namespace, **visit})
        return found

    def _exact(self, formula: ast.expr) -> list[Doubles]:
        def value(visit: Values) -> Doubles:
            def atom(node: ast.expr) -> object:
                found = self._run(_code(node), visit)
                return hc.convert_double(np.asarray(_rounded(found)))

            return exact.evaluate(formula, atom)

        return [value(visit) for visit in self._visits]

    def _measured(self, formula: ast.expr) -> Errors:
        code = _code(formula)
        return _summary(lambda: [self._run(code, visit) for visit in self._visits], self._truths)

    def _is_equal(self, formula: ast.expr) -> bool:
        """Whether a formula has the same exact values, wherever the first has some."""
        try:
            values = self._exact(formula)
        except (exact.NotExact, ArithmeticError, TypeError, ValueError):
            return False
        for one, other in zip(self._truths, values, strict=True):
            known = ~np.isnan(one)
            near = np.isclose(other[known], one[known], rtol=1e-9, atol=1e-30)
            if one.shape != other.shape or not near.all():
                return False
        return True

    def best(self) -> Suggestion | None:
        """The best formula, of those as good to an ulp the shortest; None if none is better."""
        old, better = self._measured(self._own), []
        for name, whole in self._candidates():
            folded = self._folded(whole)
            try:
                new = self._measured(folded)
            except (exact.NotExact, ArithmeticError, TypeError, ValueError):
                continue
            if new.is_better_than(old):
                length = len(ast.unparse(folded))
                better.append(((math.ceil(new.worst), length, new.mean), new, name, whole))
        for _, new, name, whole in sorted(better, key=lambda found: found[0]):
            if self._is_equal(whole):
                return self._suggestion(name, whole, old, new)
        return None

    def _suggestion(self, name: str, whole: ast.expr, old: Errors, new: Errors) -> Suggestion:
        statement = self._statement
        before, after = ast.unparse(statement.expression), self._spelled(self._folded(whole))
        return Suggestion(statement.file, statement.line, name, before, after, old, new)

    def _candidates(self) -> list[tuple[str, ast.expr]]:
        """All that one or two rewrites make, and each once."""
        found: dict[str, tuple[str, ast.expr]] = {}
        queue = [("", self._whole)]
        for _ in range(2):
            further = []
            for first, formula in queue:
                for name, new in formulas.rewritten(formula):
                    key = ast.dump(new)
                    if key not in found and len(found) < _TRIED:
                        both = name if first in ("", name) else f"{first}, {name}"
                        found[key] = both, new
                        further.append(found[key])
            queue = further
        return list(found.values())

    def _folded(self, formula: ast.expr) -> ast.expr:
        """With the variables that the program has already in the place of their formulas."""
        for name, tree in self._definitions:
            formula = formulas.replaced(formula, tree, ast.Name(name, ast.Load()))
        return formula

    def _spelled(self, formula: ast.expr) -> str:
        """As the program would write it."""
        aliases = {called: name for name, called in self._functions.items()}
        for name in {*exact.FUNCTIONS, *exact.REDUCTIONS} & set(names_in(formula)):
            library = "halfcl" if name in formulas.OF_HALFCL else "numpy"
            prefix = aliases.get(library, {"numpy": "np", "halfcl": "hc"}[library])
            written = aliases.get(f"{library}.{name}", f"{prefix}.{name}")
            new = ast.parse(written, mode="eval").body
            formula = formulas.replaced(formula, ast.Name(name, ast.Load()), new)
        return ast.unparse(formula)


def _is_elementwise(formula: ast.expr) -> bool:
    plain = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator, ast.unaryop,
             ast.expr_context, ast.Call)  # fmt: skip
    return all(
        isinstance(node, plain)
        and not (isinstance(node, ast.Call) and not _is_function_of_numbers(node.func))
        for node in ast.walk(formula)
    )


def _is_function_of_numbers(called: ast.expr) -> bool:
    return isinstance(called, ast.Name) and called.id in exact.FUNCTIONS


# ---------------------------------------------------------------- sums in loops


class _Sum:
    """A sum that a loop adds up: measured on the terms that it had, from each of its starts."""

    def __init__(self, statement: Statement, visits: list[Values], functions: Mapping[str, str]):
        self._statement = statement
        _check_harmless(statement.expression, functions)
        namespace, code = _namespace(functions), _code(statement.expression)
        read = ast.parse(statement.total, mode="eval").body
        _check_harmless(read, functions)
        total = _code(read)
        self._totals = [np.array(eval(total, {}, visit)) for visit in visits]
        self._terms = [
            statement.sign * np.asarray(eval(code, {**namespace, **visit})) for visit in visits
        ]
        if any(np.asarray(x).dtype != np.float16 for x in (*self._totals, *self._terms)):
            raise exact.NotExact("wider than half")
        self._runs = self._sequences()
        if max(len(run) for run in self._runs) < 3:
            raise exact.NotExact("no sum of several terms")
        self._truths = [
            sum((np.asarray(self._terms[k], np.float64) for k in run),
                np.asarray(self._totals[run[0]], np.float64))
            for run in self._runs
        ]  # fmt: skip

    def _sequences(self) -> list[range]:
        """The visits of each sum: where one goes on with what the one before has left."""
        starts = [0]
        for k in range(1, len(self._terms)):
            went_on = np.add(self._totals[k - 1], self._terms[k - 1])
            if not np.array_equal(went_on, self._totals[k], equal_nan=True):
                starts.append(k)
        return [range(a, b) for a, b in zip(starts, [*starts[1:], len(self._terms)], strict=True)]

    def _plain(self, run: range) -> Number:
        total = self._totals[run[0]]
        for k in run:
            total = np.add(total, self._terms[k])
        return total

    def _compensated(self, run: range) -> Number:
        """W. Kahan, Further remarks on reducing truncation errors, 1965."""
        total, lost = self._totals[run[0]], np.float16(0)
        for k in run:
            term = np.subtract(self._terms[k], lost)
            further = np.add(total, term)
            lost = np.subtract(np.subtract(further, total), term)
            total = further
        return total

    def _at_once(self, run: range) -> Number:
        terms = [np.asarray(self._totals[run[0]]), *(self._terms[k] for k in run)]
        found: Number = hc.sum(np.stack(np.broadcast_arrays(*terms)), axis=0)
        return found

    def _measured(self, add: Callable[[range], Number]) -> Errors:
        return _summary(lambda: [add(run) for run in self._runs], self._truths)

    def best(self) -> Suggestion | None:
        """The better of two ways, if it is better; the exact one where both are as good."""
        target, total = self._statement.target, self._statement.total
        sign = "+-"[self._statement.sign < 0]
        term = ast.unparse(self._statement.expression)
        signed = term if sign == "+" else f"-({term})"
        collected = (
            f"terms = [{target}]  # before the loop\n"
            f"terms.append({signed})\n"
            f"{target} = hc.sum(terms, axis=0)  # after it"
        )
        carried = (
            "lost = 0  # before the loop\n"
            f"term = {signed} - lost; further = {total} + term\n"
            f"lost = (further - {total}) - term; {target} = further"
        )
        ways = {"an exact sum": (self._at_once, collected)}
        if self._statement.is_used:
            ways.clear()
        ways["a compensated sum"] = self._compensated, carried
        old = self._measured(self._plain)
        tried = [(self._measured(add), name, text) for name, (add, text) in ways.items()]
        new, name, text = min(tried, key=lambda way: math.ceil(way[0].worst))
        if not new.is_better_than(old):
            return None
        before = f"{target} {sign}= {term}"
        if total != target:
            before = f"{target} = {total} {sign} {term}"
        return Suggestion(self._statement.file, self._statement.line, name, before, text, old, new)
