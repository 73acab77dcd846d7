"""Suggests better formulas for lines to blame: rewrites of the table that measure better."""

from __future__ import annotations

import ast
import contextlib
import copy
import linecache
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType

import numpy as np

import halfcl as hc
from halfcl.stability._programs._recording.inputs import (
    NONE,
    RESULT,
    TOTAL,
    InputRequest,
    Inputs,
    Number,
    Values,
    Visit,
)
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting import exact, formulas
from halfcl.stability._programs._rewriting.measuring import (
    Doubles,
    Errors,
    ErrorsByInput,
    Suggestion,
    as_half,
    code_of,
    errors_by_input,
    errors_in_modes,
    full_name,
    functions_of,
    namespace,
    summarise,
)
from halfcl.stability._programs._rewriting.sources import Source, names_in
from halfcl.stability._programs._rewriting.statements import (
    DEPTH,
    Formula,
    Statement,
    Sum,
    is_pure,
    statements,
)
from halfcl.stability._programs._rewriting.sums import MeasuredSum
from halfcl.stability._programs._running.instrumenting import Edit

#: Limits on the inputs of a measurement: visits, picked elements, elements of an array and in all.
_VISITS, _ELEMENTS, _MOST_ELEMENTS, _IN_ALL = 48, 256, 4096, 1 << 14
#: Limit on the formulas to try for a statement.
_MOST_FORMULAS = 200

#: An expression is worth a better formula if its error, with the inputs that it had, is at least
#: this share of the error with the definitions of its inputs.
_GUILTY_SHARE = 0.5

#: Formulas that are off by no more ulps than this are equally good: the shortest is suggested.
_NEARLY_RIGHT = 3

#: Runs the program, and returns the inputs of requested expressions.
Record = Callable[[tuple[InputRequest, ...]], Inputs | None]

_FAILURES = (exact.UnsupportedFormula, ArithmeticError, TypeError, ValueError, NameError,
             AttributeError, LookupError, RecursionError)  # fmt: skip


def suggestions(units: Sequence[Unit], record: Record) -> list[Suggestion]:
    """Return better formulas for lines to blame, and for statements that use their results.

    record: runs the program, and returns the inputs of the requested expressions. No formula is
    repeated.
    """
    of_units = read_units(units)
    requests = merge_requests(requests_of(of_units.values()))
    inputs = record(requests) if requests else None
    return [] if inputs is None else measure_all(of_units, inputs)


def read_units(units: Sequence[Unit]) -> dict[Unit, list[Statement]]:
    """Return the statements of lines to blame, and those that use their results."""
    linecache.checkcache()
    return {unit: statements(unit.file, unit.line) for unit in units}


def requests_of(groups: Iterable[list[Statement]]) -> Iterator[InputRequest]:
    """Yield requests for all inputs of the formulas and sums in statements."""
    for statement in (statement for each in groups for statement in each):
        for formula in statement.formulas:
            yield from formula.requests()
        for own in statement.sums:
            yield from own.requests()


def merge_requests(requests: Iterator[InputRequest]) -> tuple[InputRequest, ...]:
    """Return the requests with one for each expression."""
    merged: dict[tuple[str, int], InputRequest] = {}
    for each in requests:
        old = merged.get((each.file, each.node), each)
        merged[each.file, each.node] = InputRequest(
            each.file,
            each.node,
            tuple(dict.fromkeys((*old.atoms, *each.atoms))),
            old.total or each.total,
            tuple(dict.fromkeys((*old.definitions, *each.definitions))),
        )
    return tuple(merged.values())


def measure_all(of_units: Mapping[Unit, list[Statement]], inputs: Inputs) -> list[Suggestion]:
    """Return the better formulas for the statements of each line.

    For a line, they are those of the statement with the largest gain.
    """
    best: dict[tuple[str, int, str], Suggestion] = {}
    with hc.accelerated(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for unit, each in of_units.items():
            better = {k: _better_parts(statement, inputs) for k, statement in enumerate(each)}
            on_line = [k for k, statement in enumerate(each) if statement.contains(unit.line)]
            groups = [[one for k in on_line for one in better.pop(k)], *better.values()]
            for one in max(groups, key=_gain):
                best.setdefault((one.file, one.line, one.before), one)
    return list(best.values())


def _gain(group: list[Suggestion]) -> tuple[float, float]:
    return max(((s.old.worst - s.new.worst, s.old.mean) for s in group), default=(0.0, 0.0))


def _better_parts(statement: Statement, inputs: Inputs) -> list[Suggestion]:
    """Return the better formulas and sums of one statement."""
    sums = [_best_for(part, inputs) for part in statement.sums]
    has_better_sum = any(each is not None for each in sums)
    others = [part for part in statement.formulas if not (part.total and has_better_sum)]
    parts = [*sums, *(_best_for(part, inputs) for part in others)]
    return [each for each in parts if each is not None]


def _best_for(part: Formula | Sum, inputs: Inputs) -> Suggestion | None:
    visits = inputs.visits.get((part.source.file, part.node), [])
    if not visits:
        return None
    if isinstance(part, Sum):
        with contextlib.suppress(*_FAILURES):  # only measured formulas are suggested
            return MeasuredSum(part, visits).best()
        return None
    whole = _measured_formula(part, visits, True)
    better = None if whole is None else whole.best()
    if better is not None:
        return better
    own = _measured_formula(part, visits, False)
    # Errors of the inputs may be larger than those that a better formula avoids.
    is_guilty = own is not None and (whole is None or own.error >= _GUILTY_SHARE * whole.error)
    return own.best() if own is not None and is_guilty else None


def _measured_formula(
    part: Formula, visits: Sequence[Visit], is_whole: bool
) -> _MeasuredFormula | None:
    """Return a formula with its inputs, or None if it cannot be measured."""
    with contextlib.suppress(*_FAILURES):
        if part.definitions or not is_whole:
            return _MeasuredFormula(part, visits, is_whole)
    return None


class _MeasuredFormula:
    """A formula with its inputs and exact values.

    is_whole: whether definitions of its variables are inserted.
    """

    def __init__(self, own: Formula, visits: Sequence[Visit], is_whole: bool):
        self._own = own
        self._definitions = _usable_definitions(own, visits) if is_whole else {}
        if is_whole and not self._definitions:
            raise exact.UnsupportedFormula("definitions")
        self._plain = own.tree
        for name, definition in [*self._definitions.items()] * DEPTH:
            self._plain = formulas.replace(self._plain, _name(name), definition.tree)
        self._whole = formulas.without_casts(self._plain)
        self._atoms = dict(own.atoms)
        self._functions = dict(own.functions)
        for definition in self._definitions.values():
            self._atoms = {**definition.atoms, **self._atoms}
            self._functions = {**definition.functions, **self._functions}
        for visit in visits:
            self._check_samples(visit)
        values = [_merge_values(visit, self._definitions) for visit in visits]
        self._visits = [self._thin(each) for each in self._pick(values)]
        self._check()
        self._truths = self._exact_values(self._whole)
        self._errors = self._measure(self._plain)

    @property
    def error(self) -> float:
        """The worst error in ulps."""
        return self._errors.worst

    def _check_samples(self, visit: Visit) -> None:
        """Raise an error if samples of large arrays do not have the elements that belong together.

        They do if the formula is elementwise, and all its arrays have one shape.
        """
        names = set(names_in(self._whole))
        shapes = {visit.shapes[name] for name in names & visit.shapes.keys()}
        if not shapes:
            return
        values = _merge_values(visit, self._definitions)
        arrays = {name for name in names & values.keys() if np.ndim(values[name])}
        is_whole = arrays <= visit.shapes.keys() and len(shapes) == 1
        if not (is_whole and _is_elementwise(self._whole)):
            raise exact.UnsupportedFormula("samples")

    def _pick(self, visits: list[Values]) -> list[Values]:
        """Return some visits, at regular intervals."""
        names = set(names_in(self._whole))
        size = max(sum(int(np.size(visit.get(name, 0))) for name in names) for visit in visits)
        most = _VISITS
        if not _is_elementwise(self._whole):
            most = min(_VISITS, max(1, _IN_ALL // max(size, 1)))
        step = max(1, -(-len(visits) // most))
        return visits[::step]

    def _check(self) -> None:
        """Raise an error unless all inputs are known, not too large, and the result is half."""
        known = namespace(self._plain, self._functions)
        inputs = [name for name in names_in(self._whole) if name not in known]
        for visit in self._visits:
            if any(np.size(visit[name]) > _MOST_ELEMENTS for name in inputs):
                raise exact.UnsupportedFormula("inputs")
            result = np.asarray(self._run(code_of(self._plain), known, visit))
            if result.dtype != np.float16:
                raise exact.UnsupportedFormula("wider than half")

    def _thin(self, visit: Values) -> Values:
        """Return a visit with fewer elements, if the formula is elementwise."""
        names = set(names_in(self._whole)) & visit.keys()
        arrays = {name: np.asarray(visit[name]) for name in names if np.ndim(visit[name])}
        shapes = {x.shape for x in arrays.values()}
        size = max((x.size for x in arrays.values()), default=0)
        if size <= _ELEMENTS or len(shapes) > 1 or not _is_elementwise(self._whole):
            return visit
        step = -(-size // _ELEMENTS) | 1  # odd: not one column of an image
        return {**visit, **{name: x.reshape(-1)[::step] for name, x in arrays.items()}}

    @staticmethod
    def _run(code: CodeType, functions: Mapping[str, object], visit: Values) -> Number:
        known = {name: None if value is NONE else value for name, value in visit.items()}
        value: Number = eval(code, {**known, **functions})
        return value

    def _exact_values(self, formula: ast.expr) -> list[Doubles]:
        def value(visit: Values) -> Doubles:
            def atom(node: ast.expr) -> object:
                number = visit[node.id] if isinstance(node, ast.Name) else ast.literal_eval(node)
                if number is NONE:
                    return None
                return hc.convert_double(np.asarray(as_half(number)))

            return exact.evaluate(formula, atom)

        return [value(visit) for visit in self._visits]

    def _measure(self, formula: ast.expr) -> Errors:
        return summarise(self._computer(formula), self._truths)

    def _computer(self, formula: ast.expr) -> Callable[[], list[Number]]:
        """Return a function that computes a formula in the current mode, for all visits."""
        code, functions = code_of(formula), namespace(formula, self._functions)
        return lambda: [self._run(code, functions, visit) for visit in self._visits]

    def _is_equal(self, formula: ast.expr) -> bool:
        """Return whether a formula has the same exact values, wherever the original is defined."""
        try:
            values = self._exact_values(formula)
        except _FAILURES:
            return False
        for one, other in zip(self._truths, values, strict=True):
            known = ~np.isnan(one)
            if one.shape != other.shape:
                return False
            if not np.isclose(other[known], one[known], rtol=1e-9, atol=1e-30).all():
                return False
        return True

    def best(self) -> Suggestion | None:
        """Return the best formula, the shortest if several are; None if none is better."""
        old, better = self._errors, []
        for name, formula in self._candidates():
            try:
                whole = self._in_half(formula)
                new = self._measure(whole)
            except _FAILURES:
                continue
            if new.is_better_than(old):
                length = len(ast.unparse(self._fold(whole)))
                ulps = max(_NEARLY_RIGHT, math.ceil(new.worst))
                better.append(((ulps, length, new.mean), new, name, whole))
        for _, new, name, whole in sorted(better, key=lambda each: each[0]):
            if self._can_be_written(whole) and self._is_equal(whole):
                return self._suggestion(name, whole, old, new)
        return None

    def _in_half(self, formula: ast.expr) -> ast.expr:
        """Return a formula whose result is half: with a cast if its functions have wider ones."""
        functions = namespace(formula, self._functions)
        result = np.asarray(self._run(code_of(formula), functions, self._visits[0]))
        cast = ast.Call(_name("half"), [formula], [])
        return formula if result.dtype == np.float16 else cast

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

    # ------------------------------------------------------------ source

    def _fold(self, formula: ast.expr) -> ast.expr:
        """Replace the definitions of variables by the variables again."""
        for name, definition in [*self._definitions.items()] * DEPTH:
            formula = formulas.replace(formula, definition.tree, _name(name))
        return formula

    def _can_be_written(self, whole: ast.expr) -> bool:
        """Return whether all inputs of a formula are available to its statement.

        Calls in statements before are not.
        """
        functions = self._own.source.functions
        return all(
            name in self._own.atoms or is_pure(self._atoms[name], functions)
            for name in names_in(self._fold(whole))
            if name in self._atoms
        )

    def _suggestion(self, name: str, whole: ast.expr, old: Errors, new: Errors) -> Suggestion:
        own = self._own
        tree = write_formula(self._fold(whole), own.source, self._atoms, self._functions)
        after = ast.unparse(tree)
        before = ast.unparse(own.expression)
        edit = Edit(own.source.file, own.node, after)
        if own.total:
            statement = own.source.nodes[own.statement]
            before, after = ast.unparse(statement), f"{own.total} = {after}"
            edit = Edit(own.source.file, own.statement, after)
        return Suggestion(
            own.source.file, own.line, name, before, after, old, new,
            (edit, *own.source.import_edits(after)), self._errors_by_input(whole),
            own.source.import_lines(after),
        )  # fmt: skip

    def _errors_by_input(self, better: ast.expr) -> ErrorsByInput | None:
        """Return the errors of both formulas for each value of the input that varies.

        The result is None if several inputs vary, or none, or the formula is not elementwise.
        """
        names = [name for name in dict.fromkeys(names_in(self._whole)) if name in self._atoms]
        varying = [name for name in names if self._varies(name)]
        if len(varying) != 1 or not _is_elementwise(self._whole):
            return None
        inputs = [
            np.broadcast_to(np.asarray(visit[varying[0]], np.float64), truth.shape).reshape(-1)
            for visit, truth in zip(self._visits, self._truths, strict=True)
        ]
        old, new = (
            errors_in_modes(self._computer(formula), self._truths)
            for formula in (self._plain, better)
        )
        text = ast.unparse(self._atoms[varying[0]])
        return errors_by_input(text, np.concatenate(inputs), old, new)

    def _varies(self, name: str) -> bool:
        """Return whether an input has several values, in one visit or in different ones."""
        values = [np.asarray(visit[name]).reshape(-1) for visit in self._visits]
        return np.unique(np.concatenate(values), equal_nan=True).size > 1


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _usable_definitions(own: Formula, visits: Sequence[Visit]) -> dict[str, Formula]:
    """Return the definitions that have the values of their variables at all visits.

    Those of definitions come after these.
    """
    usable: dict[str, Formula] = {}
    queue = list(own.definitions.items())
    while queue:
        name, definition = queue.pop(0)
        if all(_has_value(definition, name, visit) for visit in visits):
            usable[name] = definition
            queue += definition.definitions.items()
    return usable


def _has_value(definition: Formula, name: str, visit: Visit) -> bool:
    """Return whether a definition has the value of its variable, and of those that it shares."""
    values = visit.definitions.get(definition.node, {})
    holders = [visit.values, *visit.definitions.values()]
    expected = next((holder[name] for holder in holders if name in holder), None)
    if expected is None or RESULT not in values:
        return False
    shared = [(expected, values[RESULT])]
    shared += [(visit.values[key], values[key]) for key in visit.values.keys() & values.keys()
               if key not in (RESULT, TOTAL)]  # fmt: skip
    return all(np.array_equal(one, other, equal_nan=True) for one, other in shared)


def _merge_values(visit: Visit, definitions: Mapping[str, Formula]) -> Values:
    values = dict(visit.values)
    for definition in definitions.values():
        own = visit.definitions[definition.node]
        values = {**{key: x for key, x in own.items() if key != RESULT}, **values}
    return values


def write_formula(
    formula: ast.expr,
    source: Source,
    atoms: Mapping[str, ast.expr],
    functions: Mapping[str, str],
) -> ast.expr:
    """Return a formula as an expression of a program.

    atoms: the inputs' expressions, by their names in the formula. functions: full names of its own
    functions; others get those of `full_name`.
    """
    for name in functions_of(formula):
        written = source.spell(full_name(name, functions))
        new = ast.parse(written, mode="eval").body
        formula = formulas.replace(formula, _name(name), new)
    used = names_in(formula)
    repeated = {
        name for name, atom in atoms.items()
        if used.count(name) > 1 and not is_pure(atom, source.functions)
    }  # fmt: skip
    writer = _AtomWriter(atoms, repeated, source)
    expression: ast.expr = writer.visit(copy.deepcopy(formula))
    return expression


class _AtomWriter(ast.NodeTransformer):
    """Inserts the inputs of a formula; a call that it needs twice is computed once, in order."""

    def __init__(self, atoms: Mapping[str, ast.expr], repeated: set[str], source: Source):
        self._atoms = atoms
        used = {node.id for node in source.nodes if isinstance(node, ast.Name)}
        names = (f"value{k or ''}" for k in range(len(used) + len(repeated)))
        fresh = (name for name in names if name not in used)
        self._variables = dict(zip(sorted(repeated), fresh, strict=False))
        self._written: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace the name of an input by its expression."""
        if node.id not in self._atoms:
            return node
        atom = copy.deepcopy(self._atoms[node.id])
        if isinstance(atom, ast.GeneratorExp):
            atom = ast.ListComp(atom.elt, atom.generators)
        if node.id not in self._variables:
            return atom
        variable = self._variables[node.id]
        if node.id in self._written:
            return ast.Name(variable, ast.Load())
        self._written.add(node.id)
        return ast.NamedExpr(ast.Name(variable, ast.Store()), atom)


def _is_elementwise(formula: ast.expr) -> bool:
    return not any(name in exact.REDUCTIONS for name in names_in(formula))
