"""Comparisons in formulas, and the paths that a formula takes by their outcomes.

A formula that asks for the truth of a comparison, by ``if`` or `numpy.where`, runs once for each
combination of outcomes that its boxes allow. Each such path is a program with constraints.
"""

from __future__ import annotations

import contextvars
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from halfcl.interval._bounds.pairs import Tracer, Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.rules import MEET
from halfcl.interval._formulas._search import positive
from halfcl.interval._formulas._search.contractors import contract
from halfcl.interval._formulas._search.limits import TOTAL
from halfcl.interval._formulas._search.programs import Program, Variable
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import (
    CONSTANT,
    DEFINED,
    FUNCTIONS,
    RULES,
    Choice,
    Jet,
    constant,
    levels,
    refuse,
    variables,
)
from halfcl.interval._formulas.removable import Extended

#: The greatest number of paths, and of undecided comparisons on a path.
PATHS = 256

# ---------------------------------------------------------------- comparisons


class Relation(NamedTuple):
    """A comparison: where it holds for some numbers of two intervals, and where for all."""

    possible: Callable[[DoubleInterval, DoubleInterval], Truths]
    certain: Callable[[DoubleInterval, DoubleInterval], Truths]


_RELATIONS = {
    "less": Relation(lambda x, y: x.lo < y.hi, lambda x, y: x.hi < y.lo),
    "less_equal": Relation(lambda x, y: x.lo <= y.hi, lambda x, y: x.hi <= y.lo),
    "equal": Relation(
        lambda x, y: (x.lo <= y.hi) & (y.lo <= x.hi),
        lambda x, y: (x.lo == y.hi) & (x.hi == y.lo),
    ),
}


class Condition(Choice, NDArrayOperatorsMixin, Tracer):
    """A comparison of jets; its truth is decided when it is asked for."""

    __slots__ = ("name", "negated", "operands", "relation")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, relation: str, x: Jet, y: Jet, negated: bool = False, name: str = ""
    ) -> None:
        self.relation, self.operands, self.negated = relation, (x, y), negated
        self.name = name or relation  # the comparison as it was written, for errors

    def __bool__(self) -> bool:
        run = _RUN.get()
        if run is None:
            refuse(self.name)
        return run.decide(self.relation, *self.operands) != self.negated

    def any(self) -> bool:
        """Return its truth."""
        return bool(self)

    all = any

    def __invert__(self) -> Condition:
        return Condition(self.relation, *self.operands, not self.negated, self.name)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        name = ufunc.__name__
        if name in _SHORT and method == "__call__" and not keywords:
            stop = _SHORT[name]
            return next((stop for x in inputs if bool(x) == stop), not stop)
        plain = [bool(x) if isinstance(x, Condition) else x for x in inputs]
        result: object = getattr(ufunc, method)(*plain, **keywords)
        return result

    def __array_function__(self, func: Any, types: object, args: Any, kwargs: Any) -> object:
        own = _FUNCTIONS.get(func)
        return own(*args, **kwargs) if own else refuse(func.__name__)


#: The truth of one operand that decides the result of a logical function.
_SHORT = {"logical_and": False, "bitwise_and": False, "logical_or": True, "bitwise_or": True}


def _where(condition: object, x: object = None, y: object = None) -> object:
    """Return numpy.where of a single truth."""
    if x is None or y is None:
        refuse("where without choices")
    return x if condition else y


def _select(conditions: Any, choices: Any, default: object = 0) -> object:
    """Return numpy.select of single truths."""
    return next((y for x, y in zip(conditions, choices, strict=True) if x), default)


_FUNCTIONS: dict[Any, Callable[..., object]] = {
    np.where: _where,
    np.select: _select,
    np.any: lambda a: bool(a),
    np.all: lambda a: bool(a),
}


def _comparison(relation: str, swapped: bool = False, negated: bool = False, name: str = "") -> Any:
    def compare(x: Jet, y: Jet) -> Condition:
        return Condition(relation, *((y, x) if swapped else (x, y)), negated, name)

    return compare


RULES.update(
    less=_comparison("less"),
    less_equal=_comparison("less_equal"),
    equal=_comparison("equal"),
    greater=_comparison("less", True, name="greater"),
    greater_equal=_comparison("less_equal", True, name="greater_equal"),
    not_equal=_comparison("equal", negated=True, name="not_equal"),
)
FUNCTIONS.update({np.where: _where, np.select: _select})


# ---------------------------------------------------------------- constraints


class Constraint(NamedTuple):
    """An outcome of a comparison between two slots of a program.

    defined: the slots that are defined where the comparison is, if they are others.
    """

    relation: str
    slots: tuple[int, int]
    outcome: bool
    defined: tuple[int, ...] = ()

    def holds(self, values: Sequence[DoubleInterval], is_defined: Truths) -> tuple[Truths, Truths]:
        """Return on which boxes it holds for all points, and on which for some.

        is_defined: where the operands are defined; elsewhere a comparison may also be false.
        """
        relation = _RELATIONS[self.relation]
        x, y = (values[slot] for slot in self.slots)
        certain, possible = relation.certain(x, y) & is_defined, relation.possible(x, y)
        return (certain, possible) if self.outcome else (~possible, ~certain)

    def narrow(self, values: Sequence[DoubleInterval]) -> dict[int, DoubleInterval]:
        """Return the ranges that the operands have where it holds and both are defined."""
        a, b = self.slots
        x, y = values[a], values[b]
        if self.relation == "equal":
            both = doubles.intersection(x, y)
            return {a: both, b: both} if self.outcome else {}
        if not self.outcome:
            a, b, x, y = b, a, y, x
        return {
            a: doubles.intersection(x, DoubleInterval(-np.inf, y.hi)),
            b: doubles.intersection(y, DoubleInterval(x.lo, np.inf)),
        }


def _are_defined(jets: Sequence[Jet], slots: Sequence[int]) -> Truths:
    return functools.reduce(np.logical_and, [jets[slot].level >= DEFINED for slot in slots])


def _slots_of_result(program: Program) -> set[int]:
    """Return the slots that are defined wherever there is a result.

    Of other forms of the same part, only the first one is.
    """
    slots = {program.roots[0], *range(program.count), *program.constants}
    for step in reversed(program.steps):
        if step.slot in slots:
            slots.update(step.operands[:1] if step.name == MEET else step.operands)
    for step in program.steps:
        if step.name in TOTAL and slots.issuperset(step.operands):
            slots.add(step.slot)
    return slots


class Path:
    """One way through a formula: a program, and the constraints under which it is taken."""

    def __init__(self, program: Program, constraints: Sequence[Constraint]) -> None:
        self.program, self.constraints = program, constraints
        needed = {program.roots[0], *(s for c in constraints if c.outcome for s in c.slots)}
        self._underflowing = positive.underflowing(program)
        #: Whether divisors may be too small for doubles, but not zero.
        self.may_underflow = positive.divides_by(program, self._underflowing)
        #: The operations without which there is no result: others may be undefined.
        self.needed = program.steps_for(needed)
        always = _slots_of_result(program)
        #: The constraints whose operands are defined wherever there is a result.
        self._binding = [c.outcome or always.issuperset(c.slots) for c in constraints]

    def orders(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of slots of which the first is not greater wherever there is a result."""
        for constraint, is_binding in zip(self.constraints, self._binding, strict=True):
            a, b = constraint.slots
            if constraint.relation == "equal":
                yield from [(a, b), (b, a)] if constraint.outcome else []
            elif is_binding:
                yield (a, b) if constraint.outcome else (b, a)

    def contract(
        self, values: Sequence[DoubleInterval], is_defined: Truths, result: DoubleInterval
    ) -> list[DoubleInterval]:
        """Return the parts of boxes on which the path may be taken, with certain results."""
        every = bool(is_defined.all())
        known = self._narrow(values, every, {self.program.roots[0]: result})
        return contract(self.program, values, known, self.program.steps if every else self.needed)

    def _narrow(
        self,
        values: Sequence[DoubleInterval],
        every: bool,
        known: dict[int, DoubleInterval],
    ) -> dict[int, DoubleInterval]:
        """Return what is known of slots where the constraints hold; every: if all are defined."""
        for constraint, is_binding in zip(self.constraints, self._binding, strict=True):
            if is_binding or every:
                known |= {
                    slot: doubles.intersection(known[slot], value) if slot in known else value
                    for slot, value in constraint.narrow(values).items()
                }
        return known

    def result(self, boxes: Sequence[DoubleInterval]) -> DoubleInterval:
        """Return the range of results where the constraints hold, on the boxes evaluated last.

        It is computed once more, from what the constraints leave of their operands.
        """
        jets = self.program.jets
        values = [jet.value for jet in jets]
        known = self._narrow(values, bool(self.outcomes(jets)[2].all()), {})
        narrower = {slot: Jet(x, levels(~x.is_empty)) for slot, x in known.items()}
        arguments = [narrower.get(i, jet) for i, jet in enumerate(variables(boxes, 0))]
        result = self.program.evaluate(arguments, narrower)[self.program.roots[0]].value
        self.program.jets = jets
        return result

    def parts(self, boxes: Sequence[DoubleInterval]) -> list[DoubleInterval]:
        """Return the parts of boxes on which the path may be taken."""
        jets = self.program.evaluate(variables(boxes, 0))
        values = [jet.value for jet in jets]
        return self.contract(values, self.outcomes(jets)[2], doubles.ENTIRE)

    def is_defined(self, jets: Sequence[Jet]) -> Truths:
        """Return where the result is defined, also if divisors underflow to zero in doubles."""
        root = self.program.roots[0]
        is_known = jets[root].level >= DEFINED
        if self.may_underflow and not is_known.all():
            is_known = is_known | positive.is_defined(self.program, jets)
        return np.asarray(is_known)

    def _equals_zero(self, constraint: Constraint) -> int | None:
        """Return the slot that a constraint compares with zero, if that may underflow."""
        if constraint.relation != "equal" or self._underflowing.isdisjoint(constraint.slots):
            return None
        constants = self.program.constants
        for one, other in (constraint.slots, constraint.slots[::-1]):
            if one in constants and bool((constants[one].value.has(0)).all()):
                is_zero = (constants[one].value.lo == 0) & (constants[one].value.hi == 0)
                return other if bool(is_zero.all()) else None
        return None

    def outcomes(self, jets: Sequence[Jet]) -> tuple[Truths, Truths, Truths]:
        """Return where the constraints hold for all points and for some; where they are defined."""
        values = [jet.value for jet in jets]
        certain: Truths = np.ones((), bool)
        possible = everywhere = certain
        for constraint in self.constraints:
            is_defined = _are_defined(jets, constraint.defined or constraint.slots)
            sure, open_ = constraint.holds(values, is_defined)
            if (other := self._equals_zero(constraint)) is not None:
                differs = positive.nonzeros(self.program, jets, [other])[other]
                sure = sure | (differs & is_defined & (not constraint.outcome))
                open_ = open_ & ~(differs & constraint.outcome)
            certain, possible = certain & sure, possible & open_
            everywhere = everywhere & is_defined
        return certain, possible, everywhere


# ---------------------------------------------------------------- recording


class _Fork(NamedTuple):
    relation: str
    operands: tuple[object, object]
    outcome: bool


def _operand(x: Jet) -> object:
    return x.copy() if x.node is CONSTANT else x.node


class _Run:
    """One call of a formula, with given outcomes of its first undecided comparisons."""

    def __init__(self, boxes: Sequence[DoubleInterval], outcomes: Sequence[bool]) -> None:
        self.boxes, self.given = boxes, outcomes
        self.outcomes: list[bool] = []
        self.forks: list[_Fork] = []
        self.has_branches = False

    def decide(self, relation: str, x: Jet, y: Jet) -> bool:
        """Return the outcome of a comparison, which is certain or the next one that is given."""
        self.has_branches = True
        if x.node is None or y.node is None:
            refuse(relation)
        operands = _operand(x), _operand(y)
        for fork in self.forks:
            if fork.relation == relation and all(map(operator.is_, fork.operands, operands)):
                return fork.outcome
        truth = self._truth(relation, operands)
        if truth is None:
            number = len(self.outcomes)
            if number >= PATHS:
                _refuse_paths()
            truth = self.given[number] if number < len(self.given) else True
            self.outcomes.append(truth)
            self.forks.append(_Fork(relation, operands, truth))
        return truth

    def _truth(self, relation: str, operands: tuple[object, object]) -> bool | None:
        """Return the outcome that is certain on all boxes that this path reaches, if any."""
        path = self.path([*operands])
        slots = path.program.roots[:2]
        boxes = path.parts(self.boxes) if self.forks else self.boxes
        jets = path.program.evaluate(variables(boxes, 0))
        values = [jet.value for jet in jets]
        is_defined = _are_defined(jets, slots)
        is_empty = np.logical_or.reduce([box.is_empty for box in boxes])
        certain, possible = Constraint(relation, (slots[0], slots[1]), True).holds(
            values, is_defined
        )
        if (certain | is_empty).all():
            return True
        return False if (~possible | is_empty).all() else None

    def path(self, results: Sequence[object]) -> Path:
        """Return the path so far, with some results first."""
        nodes: list[Any] = [*results, *(x for fork in self.forks for x in fork.operands)]
        program = Program(nodes, len(self.boxes))
        slots = program.roots[len(results) :]
        constraints = [
            Constraint(fork.relation, (slots[2 * i], slots[2 * i + 1]), fork.outcome)
            for i, fork in enumerate(self.forks)
        ]
        return Path(program, constraints)


_RUN: contextvars.ContextVar[_Run | None] = contextvars.ContextVar("halfcl_run", default=None)


def _refuse_paths() -> None:
    raise TypeError(
        f"f: expected at most {PATHS} combinations of outcomes of its comparisons, got more; use "
        "np.minimum, np.maximum, abs or np.clip where they compute the same, or smaller boxes"
    )


def record(f: Extended, boxes: Sequence[DoubleInterval]) -> Iterator[Path | object]:
    """Yield the paths of a formula on boxes; a result that cannot be recorded as it is."""
    outcomes: list[bool] = []
    for _ in range(PATHS):
        run = _Run(boxes, outcomes)
        jets = variables(boxes, 0)
        for i, jet in enumerate(jets):
            jet.node = Variable(i)
        token = _RUN.set(run)
        try:
            result = f.call_once(jets)
        finally:
            _RUN.reset(token)
        f.has_branches |= run.has_branches
        yield _path(run, result)
        outcomes = run.outcomes
        while outcomes and not outcomes[-1]:
            outcomes.pop()
        if not outcomes:
            return
        outcomes[-1] = False
    _refuse_paths()


def _path(run: _Run, result: object) -> object:
    """Return the path of a call, or the result if its origin is unknown."""
    if isinstance(result, np.ndarray) and result.dtype == object and not result.ndim:
        result = result[()]
    if run.forks and not isinstance(result, Jet):
        result = constant(result)
    if isinstance(result, Jet) and result.node is not None:
        return run.path([result.copy() if result.node is CONSTANT else result.node])
    return result
