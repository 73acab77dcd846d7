"""Suggests better formulas for lines to blame: rewrites of the table that measure better."""

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
from halfcl._opencl.ulps.ordinals import ordinals
from halfcl.stability._programs._recording.inputs import InputRequest, Inputs, Number, Values
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting import exact, formulas
from halfcl.stability._programs._rewriting.statements import Statement, names_in, statements
from halfcl.stability._programs._wording import FARTHEST, location, quantity, ulps

Doubles: TypeAlias = NDArray[np.float64]

#: Limits on the inputs of a measurement: visits, picked elements, elements of an array.
_VISITS, _ELEMENTS, _MOST_ELEMENTS = 48, 256, 4096
#: Limit on the formulas to try for a statement.
_MOST_FORMULAS = 200
#: A formula is better if its mean and its worst error are at most this share of the other's.
_SHARE = 0.5
#: The ordinal of infinity: larger distances are not meaningful.
_INFINITY = 31744.0


@dataclass(frozen=True)
class Errors:
    """Errors of results in ulps, over all four modes; count: the results in each mode."""

    worst: float
    mean: float
    count: int

    def is_better_than(self, other: Errors) -> bool:
        """Return whether both the worst and the mean error are at most half as large."""
        return self.worst <= _SHARE * other.worst and self.mean <= _SHARE * other.mean


@dataclass(frozen=True)
class Suggestion:
    """A better formula for a statement; name: that of the rewrite."""

    file: str
    line: int
    name: str
    before: str
    after: str
    old: Errors
    new: Errors

    def text(self) -> str:
        """Return the suggestion as text for a terminal."""
        after = self.after.replace("\n", "\n" + " " * 18)
        return (
            f"a better formula for {location(self.file, self.line)} ({self.name}), measured on "
            f"{quantity(self.old.count, 'recorded result')} in four modes:\n"
            f"  it is           {self.before}   off by {off(self.old)}\n"
            f"  it could be     {after}   off by {off(self.new)}"
        )


def off(errors: Errors) -> str:
    """Return errors in words."""
    if errors.worst >= FARTHEST:
        return "all, at worst"
    return f"{ulps(errors.worst)} ulps at worst, {ulps(errors.mean)} in the mean"


def suggestions(
    units: Sequence[Unit], record: Callable[[tuple[InputRequest, ...]], Inputs | None]
) -> list[Suggestion]:
    """Return better formulas for lines to blame, and for statements that use their results.

    record: runs the program, and returns the inputs of the requested lines. There is at most one
    suggestion per line, without repetitions.
    """
    linecache.checkcache()
    of_units = {unit: statements(unit.file, unit.line) for unit in units}
    everything = {(s.file, s.line, s.names()) for each in of_units.values() for s in each}
    if not everything:
        return []
    inputs = record(tuple(InputRequest(*each) for each in sorted(everything)))
    if inputs is None:
        return []
    best: dict[tuple[str, int], Suggestion] = {}
    with hc.accelerated(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for each in of_units.values():
            candidates = [_best_for(statement, inputs) for statement in each]
            better = [suggestion for suggestion in candidates if suggestion is not None]
            if better:
                one = max(better, key=lambda s: (s.old.worst - s.new.worst, s.old.mean))
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
    except (exact.UnsupportedFormula, ArithmeticError, TypeError, ValueError, NameError,
            AttributeError, LookupError):  # fmt: skip
        return None  # only measured formulas are suggested


# ---------------------------------------------------------------- evaluating

#: Functions that a formula may call besides ufuncs and halfcl's functions. They have no side
#: effects, since they are called here on the recorded inputs.
_FUNCTIONS = frozenset(
    """numpy.arange numpy.array numpy.asarray numpy.concatenate numpy.cumsum numpy.diff numpy.dot
    numpy.float16 numpy.linspace numpy.max numpy.mean numpy.min numpy.ones numpy.ones_like
    numpy.stack numpy.std numpy.sum numpy.var numpy.where numpy.zeros numpy.zeros_like halfcl.half
    halfcl.mean halfcl.sum halfcl.std halfcl.var""".split()
)
_BUILTINS = frozenset("abs float int len max min round sum".split())
_METHODS = frozenset("astype copy dot max mean min ravel reshape std sum transpose var".split())


def _check_harmless(tree: ast.expr, functions: Mapping[str, str]) -> None:
    """Raise an error if a formula contains anything that may have side effects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not _is_harmless(node.func, functions):
            raise exact.UnsupportedFormula(ast.unparse(node.func))
        if isinstance(node, ast.Lambda | ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise exact.UnsupportedFormula(ast.unparse(node))


def _is_harmless(function: ast.expr, functions: Mapping[str, str]) -> bool:
    name = formulas.qualified_name(function, functions)
    if name:
        return name in _FUNCTIONS or isinstance(_object_named(name), np.ufunc | hc.Function)
    if isinstance(function, ast.Attribute):
        return function.attr in _METHODS
    return isinstance(function, ast.Name) and function.id in _BUILTINS


def _object_named(name: str) -> object:
    """Return the object with a full name such as "numpy.linalg.norm"."""
    module, _, rest = name.partition(".")
    thing: object = importlib.import_module(module)
    for part in filter(None, rest.split(".")):
        thing = getattr(thing, part)
    return thing


def _namespace(functions: Mapping[str, str]) -> dict[str, object]:
    """Return the objects of names in formulas: of short names and of those in the program."""
    objects: dict[str, object] = {name: _object_named(full) for name, full in functions.items()}
    for name in (*exact.FUNCTIONS, *exact.REDUCTIONS):
        objects[name] = getattr(hc if name in formulas.HALFCL_ONLY else np, name)
    return objects


def _code(formula: ast.expr) -> CodeType:
    tree = ast.fix_missing_locations(ast.Expression(formula))
    code: CodeType = compile(tree, "<formula>", "eval")
    return code


def _as_half(x: Number) -> Number:
    """Round Python's own numbers to half, as an operation with a half does."""
    if isinstance(x, bool | np.bool):
        return x
    return np.float16(x) if isinstance(x, float | int) and not isinstance(x, np.generic) else x


def _errors(results: Sequence[Number], truths: Sequence[Doubles]) -> tuple[Doubles, Doubles]:
    """Return the errors of results, and a mask of those that have an exact value."""
    values = np.concatenate([np.asarray(x, np.float64).reshape(-1) for x in results])
    true = np.concatenate([truth.reshape(-1) for truth in truths])
    gap = np.abs(_ordinals(values) - _ordinals(true))
    gap = np.where(np.isnan(gap), FARTHEST, np.where(gap > 2 * _INFINITY, FARTHEST, gap))
    return gap, ~np.isnan(true)


def _ordinals(x: Doubles) -> Doubles:
    return np.clip(ordinals(x), -_INFINITY, _INFINITY)


def _summary(results: Callable[[], Sequence[Number]], truths: Sequence[Doubles]) -> Errors:
    """Return the errors over the four modes."""
    gaps = []
    for mode in MODES:
        with hc.rounding(mode, builtins=True):
            gap, counts = _errors(results(), truths)
        gaps.append(gap[counts])
    whole = np.concatenate(gaps)
    if not whole.size:
        raise exact.UnsupportedFormula("no results")
    return Errors(float(whole.max()), float(whole.mean()), len(gaps[0]))


def _pick_evenly(visits: list[Values], most: int) -> list[Values]:
    step = max(1, -(-len(visits) // most))
    return visits[::step]


# ---------------------------------------------------------------- formulas


class _Formula:
    """The formula of a statement, with its inputs and exact values."""

    def __init__(self, statement: Statement, visits: list[Values], functions: Mapping[str, str]):
        self._statement, self._functions = statement, functions
        for tree in (statement.expression, *(tree for _, tree in statement.definitions)):
            _check_harmless(tree, functions)
        self._own = formulas.canonical_form(statement.expression, functions)
        self._definitions = [
            (name, formulas.canonical_form(tree, functions)) for name, tree in statement.definitions
        ]
        self._namespace = _namespace(functions)
        self._whole = self._own  # with the definitions of its variables inserted
        for name, tree in self._definitions:
            self._whole = formulas.replace(self._whole, ast.Name(name, ast.Load()), tree)
        self._visits = [self._thin(visit) for visit in _pick_evenly(visits, _VISITS)]
        self._check()
        self._truths = self._exact_values(self._whole)

    def _check(self) -> None:
        """Raise an error unless all inputs are known, not too large, and the result is half."""
        for visit in self._visits:
            known = {*visit, *self._namespace}
            missing = [name for name in names_in(self._whole) if name not in known]
            if missing or any(np.size(x) > _MOST_ELEMENTS for x in visit.values()):
                raise exact.UnsupportedFormula("inputs")
            if np.asarray(self._run(_code(self._own), visit)).dtype != np.float16:
                raise exact.UnsupportedFormula("wider than half")

    def _thin(self, visit: Values) -> Values:
        """Return a visit with fewer elements, if the formula is elementwise."""
        arrays = {name: np.asarray(x) for name, x in visit.items() if np.ndim(x)}
        shapes = {x.shape for x in arrays.values()}
        size = max((x.size for x in arrays.values()), default=0)
        if size <= _ELEMENTS or len(shapes) > 1 or not _is_elementwise(self._whole):
            return visit
        step = -(-size // _ELEMENTS)
        return {**visit, **{name: x.reshape(-1)[::step] for name, x in arrays.items()}}

    def _run(self, code: CodeType, visit: Values) -> Number:
        value: Number = eval(code, {**self._namespace, **visit})
        return value

    def _exact_values(self, formula: ast.expr) -> list[Doubles]:
        def value(visit: Values) -> Doubles:
            def atom(node: ast.expr) -> object:
                number = self._run(_code(node), visit)
                return hc.convert_double(np.asarray(_as_half(number)))

            return exact.evaluate(formula, atom)

        return [value(visit) for visit in self._visits]

    def _measure(self, formula: ast.expr) -> Errors:
        code = _code(formula)
        return _summary(lambda: [self._run(code, visit) for visit in self._visits], self._truths)

    def _is_equal(self, formula: ast.expr) -> bool:
        """Return whether a formula has the same exact values, wherever the original is defined."""
        try:
            values = self._exact_values(formula)
        except (exact.UnsupportedFormula, ArithmeticError, TypeError, ValueError):
            return False
        for one, other in zip(self._truths, values, strict=True):
            known = ~np.isnan(one)
            near = np.isclose(other[known], one[known], rtol=1e-9, atol=1e-30)
            if one.shape != other.shape or not near.all():
                return False
        return True

    def best(self) -> Suggestion | None:
        """Return the best formula, the shortest if several are; None if none is better."""
        old, better = self._measure(self._own), []
        for name, whole in self._candidates():
            folded = self._fold(whole)
            try:
                new = self._measure(folded)
            except (exact.UnsupportedFormula, ArithmeticError, TypeError, ValueError):
                continue
            if new.is_better_than(old):
                length = len(ast.unparse(folded))
                better.append(((math.ceil(new.worst), length, new.mean), new, name, whole))
        for _, new, name, whole in sorted(better, key=lambda each: each[0]):
            if self._is_equal(whole):
                return self._suggestion(name, whole, old, new)
        return None

    def _suggestion(self, name: str, whole: ast.expr, old: Errors, new: Errors) -> Suggestion:
        statement = self._statement
        before, after = ast.unparse(statement.expression), self._source(self._fold(whole))
        return Suggestion(statement.file, statement.line, name, before, after, old, new)

    def _candidates(self) -> list[tuple[str, ast.expr]]:
        """Return the distinct formulas that one or two rewrites make, with their names."""
        candidates: dict[str, tuple[str, ast.expr]] = {}
        queue = [("", self._whole)]
        for _ in range(2):
            further = []
            for first, formula in queue:
                for name, new in formulas.rewrite_once(formula):
                    key = ast.dump(new)
                    if key not in candidates and len(candidates) < _MOST_FORMULAS:
                        both = name if first in ("", name) else f"{first}, {name}"
                        candidates[key] = both, new
                        further.append(candidates[key])
            queue = further
        return list(candidates.values())

    def _fold(self, formula: ast.expr) -> ast.expr:
        """Replace the definitions of variables by the variables again."""
        for name, tree in self._definitions:
            formula = formulas.replace(formula, tree, ast.Name(name, ast.Load()))
        return formula

    def _source(self, formula: ast.expr) -> str:
        """Return the source of a formula with the names of functions in the program."""
        aliases = {full: name for name, full in self._functions.items()}
        for name in {*exact.FUNCTIONS, *exact.REDUCTIONS} & set(names_in(formula)):
            library = "halfcl" if name in formulas.HALFCL_ONLY else "numpy"
            prefix = aliases.get(library, {"numpy": "np", "halfcl": "hc"}[library])
            written = aliases.get(f"{library}.{name}", f"{prefix}.{name}")
            new = ast.parse(written, mode="eval").body
            formula = formulas.replace(formula, ast.Name(name, ast.Load()), new)
        return ast.unparse(formula)


def _is_elementwise(formula: ast.expr) -> bool:
    plain = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator, ast.unaryop,
             ast.expr_context, ast.Call)  # fmt: skip
    return all(
        isinstance(node, plain)
        and not (isinstance(node, ast.Call) and not _is_function_of_numbers(node.func))
        for node in ast.walk(formula)
    )


def _is_function_of_numbers(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in exact.FUNCTIONS


# ---------------------------------------------------------------- sums in loops


class _Sum:
    """A sum that a loop accumulates, with its recorded terms, for each execution of the loop."""

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
            raise exact.UnsupportedFormula("wider than half")
        self._runs = self._executions()
        if max(len(run) for run in self._runs) < 3:
            raise exact.UnsupportedFormula("no sum of several terms")
        self._truths = [
            sum((np.asarray(self._terms[k], np.float64) for k in run),
                np.asarray(self._totals[run[0]], np.float64))
            for run in self._runs
        ]  # fmt: skip

    def _executions(self) -> list[range]:
        """Return the visits of each execution, in which each total is the previous sum."""
        starts = [0]
        for k in range(1, len(self._terms)):
            sum_before = np.add(self._totals[k - 1], self._terms[k - 1])
            if not np.array_equal(sum_before, self._totals[k], equal_nan=True):
                starts.append(k)
        return [range(a, b) for a, b in zip(starts, [*starts[1:], len(self._terms)], strict=True)]

    def _plain_sum(self, run: range) -> Number:
        total = self._totals[run[0]]
        for k in run:
            total = np.add(total, self._terms[k])
        return total

    def _compensated_sum(self, run: range) -> Number:
        """Return the compensated sum.

        W. Kahan, Further remarks on reducing truncation errors, 1965.
        """
        total, lost = self._totals[run[0]], np.float16(0)
        for k in run:
            term = np.subtract(self._terms[k], lost)
            further = np.add(total, term)
            lost = np.subtract(np.subtract(further, total), term)
            total = further
        return total

    def _exact_sum(self, run: range) -> Number:
        terms = [np.asarray(self._totals[run[0]]), *(self._terms[k] for k in run)]
        total: Number = hc.sum(np.stack(np.broadcast_arrays(*terms)), axis=0)
        return total

    def _measure(self, add: Callable[[range], Number]) -> Errors:
        return _summary(lambda: [add(run) for run in self._runs], self._truths)

    def best(self) -> Suggestion | None:
        """Return the better of the exact and the compensated sum, if it beats the plain one."""
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
        ways = {"an exact sum": (self._exact_sum, collected)}
        if self._statement.is_used:
            ways.clear()
        ways["a compensated sum"] = self._compensated_sum, carried
        old = self._measure(self._plain_sum)
        measured = [(self._measure(add), name, text) for name, (add, text) in ways.items()]
        new, name, text = min(measured, key=lambda way: math.ceil(way[0].worst))
        if not new.is_better_than(old):
            return None
        before = f"{target} {sign}= {term}"
        if total != target:
            before = f"{target} = {total} {sign} {term}"
        return Suggestion(self._statement.file, self._statement.line, name, before, text, old, new)
