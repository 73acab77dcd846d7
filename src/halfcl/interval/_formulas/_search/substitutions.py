"""Parts of formulas as variables: f(x / y) has the range of f(u) for the numbers u that x / y is.

If some variables occur in one part alone, each once in it, the formula depends on them by that part
alone. Where its operations are continuous on intervals, it takes all numbers of an interval, which
interval arithmetic computes up to rounding. So that part may be a variable, the search has fewer
ones, and infinities of x / y do not meet those of y / x.

A quotient by numbers of both signs takes all numbers if its dividend may be zero: those by either
sign have zero in common.

The box of such a variable is rounded outward. Numbers that the part takes for certain are computed,
too: its values at bounds and between these. Only there are values of the formula.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.parts import name_of
from halfcl.interval._formulas._search._values.plain import FUNCTIONS
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.programs import Program, Step, Variable
from halfcl.interval._formulas.doubles import DoubleInterval, Doubles, choose, point
from halfcl.interval._formulas.jets import DEFINED, RULES, Jet, Node, levels, variables

#: Operations that are continuous where they are defined, and monotone in each operand, or even.
_CONTINUOUS = frozenset((
    "add", "sub", "mul", "neg", "positive", "sqr", "sqrt", "abs", "exp", "exp2", "exp10", "expm1",
    "log", "log2", "log10", "log1p", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "asin",
    "acos", "atan", "cbrt", "min", "max", "radians", "degrees",
))  # fmt: skip
#: Those of them whose values may be beyond all doubles, though those of their operands are not.
_GROWING = frozenset(("exp", "exp2", "exp10", "expm1", "sinh", "cosh"))
#: Those that are so where their last operand has one sign, or the first may be zero.
_QUOTIENTS = ("div", "recip")
_LOGARITHMS = ("log", "log2", "log10")
_WITH_POLES = (*_QUOTIENTS, *_LOGARITHMS)
#: Parts of one variable that are worth a variable, since their slopes are unbounded at an end.
_STEEP = ("sqrt",)
#: The number that an operand is near bounds at which an operation is undefined.
_TINY, _FAR = 2.0**-1000, 2.0**1000
#: How close the known numbers must come to a part's interval, or to infinity.
_CLOSE, _LARGE = 2.0**-40, 2.0**100


class Substitution(NamedTuple):
    """Paths and boxes in other variables, and intervals whose numbers are taken for certain."""

    paths: list[object]
    boxes: list[DoubleInterval]
    certain: list[DoubleInterval]


def substitute(paths: Sequence[object], boxes: Sequence[DoubleInterval]) -> Substitution:
    """Return a formula with parts as variables; as it is if there are no such parts."""
    same = Substitution([*paths], [*boxes], [*boxes])
    path = paths[0] if len(paths) == 1 else None
    if not isinstance(path, Path) or path.constraints or boxes[0].lo.size == 0:
        return same
    parts = _Parts(path.program, boxes)
    chosen = [*parts.choose_slots()]
    values = [(parts.jets[slot].value.broadcast(boxes[0].shape), parts.certain(slot))
              for slot in chosen]  # fmt: skip
    return same if not chosen else _with_variables(path.program, boxes, chosen, values)


def _with_variables(
    program: Program,
    boxes: Sequence[DoubleInterval],
    chosen: Sequence[int],
    values: Sequence[tuple[DoubleInterval, DoubleInterval]],
) -> Substitution:
    """Return a program in which slots are variables, in place of those that they depend on."""
    needed = _slots_without(program, chosen)
    rest = [i for i in range(program.count) if i in needed]
    nodes: dict[int, Node | Jet] = {**program.constants}
    nodes |= {slot: Variable(number) for number, slot in enumerate([*rest, *chosen])}
    for step in program.steps:
        if step.slot in needed and step.slot not in nodes:
            operands = (*[nodes[i] for i in step.operands], *step.others)
            nodes[step.slot] = Node(step.name, operands, step.part)
    path = Path(Program([nodes[program.roots[0]]], len(rest) + len(chosen)), [])
    known = [boxes[i] for i in rest]
    return Substitution(
        [path], known + [box for box, _ in values], known + [inner for _, inner in values]
    )


def _slots_without(program: Program, chosen: Sequence[int]) -> set[int]:
    """Return the slots on which the result depends, but not by the chosen ones."""
    needed = {program.roots[0]}
    for step in reversed(program.steps):
        if step.slot in needed and step.slot not in chosen:
            needed.update(step.operands)
    return needed


class _Parts:
    """The parts of a program in which variables occur alone."""

    def __init__(self, program: Program, boxes: Sequence[DoubleInterval]) -> None:
        self.program, self.boxes, self.root = program, boxes, program.roots[0]
        with np.errstate(all="ignore"):
            self.jets = program.evaluate(variables(boxes, 0))
        self.is_empty = reduce(np.logical_or, [box.is_empty for box in boxes])
        self.steps = program.steps_for({self.root})
        self._step_of = {step.slot: step for step in self.steps}
        #: The variables of slots that take all numbers of an interval.
        self.variables: dict[int, frozenset[int]] = {
            **{i: frozenset({i}) for i in range(program.count)},
            **{slot: frozenset() for slot, jet in program.constants.items() if _is_number(jet)},
        }
        for step in self.steps:
            if self._is_continuous(step):
                own = [self.variables[i] for i in step.operands]
                self.variables[step.slot] = frozenset().union(*own)

    def _is_continuous(self, step: Step) -> bool:
        """Return whether a step takes all numbers of its interval, each variable occurring once."""
        own = [self.variables.get(i) for i in step.operands]
        if any(x is None for x in own) or step.part or step.others:
            return False
        sets = [x for x in own if x]
        if sum(map(len, sets)) > len(frozenset().union(*sets)):
            return False
        if name_of(step) in _CONTINUOUS:
            return True
        if name_of(step) not in _QUOTIENTS:
            return False
        can = self._has_one_sign(step.operands[-1])
        if name_of(step) == "div":  # zero is a quotient by numbers of both signs
            can = can | (self.certain(step.operands[0]).has(0) if not can.all() else can)
        return bool(can.all())

    def _has_one_sign(self, slot: int) -> Truths:
        value = self.jets[slot].value
        return np.asarray((value.lo >= 0) | (value.hi <= 0) | value.is_empty | self.is_empty)

    def choose_slots(self) -> Iterator[int]:
        """Yield the slots of parts that are worth a variable, none of them in another."""
        users: dict[int, list[Step]] = {}
        for step in self.steps:
            for slot in step.operands:
                users.setdefault(slot, []).append(step)
        inside: set[int] = set()
        for step in reversed(self.steps[:-1]):
            if step.slot in inside or not self._is_worth(step):
                continue
            own = self._inside(step.slot)
            if (
                not self._overflows(own)
                and all(
                    user.slot in own for slot in own - {step.slot} for user in users.get(slot, ())
                )
                and self._is_certain(step.slot)
            ):
                inside |= own
                yield step.slot

    def _is_worth(self, step: Step) -> bool:
        own = self.variables.get(step.slot)
        return own is not None and (len(own) > 1 or (len(own) == 1 and name_of(step) in _STEEP))

    def _inside(self, root: int) -> set[int]:
        """Return the slots on which another depends, without constants, and that itself."""
        own, stack = {root}, [root]
        while stack:
            step = self._step_of.get(stack.pop())
            for slot in step.operands if step is not None else ():
                if slot not in own and self.variables[slot]:
                    own.add(slot)
                    stack.append(slot)
        return own

    def _overflows(self, slots: set[int]) -> bool:
        """Return whether some slots are beyond all doubles, but not what they are computed from.

        Other forms than a variable's may be bounded there.
        """
        return any(
            step.slot in slots
            and name_of(step) in _GROWING
            and (self.jets[step.operands[0]].value.is_bounded & ~self._is_bounded(step)).any()
            for step in self.steps
        )

    def _is_bounded(self, step: Step) -> Truths:
        return np.asarray(self.jets[step.slot].value.is_bounded)

    # ------------------------------------------------------------ numbers that are taken

    def _is_certain(self, slot: int) -> bool:
        """Return whether all numbers of a part's interval are known to be taken, but for some ulps.

        Terms that cancel leave others open. Nothing is gained by an infinite interval if the
        formula's enclosure is bounded.
        """
        inner, outer = self.certain(slot), self.jets[slot].value
        slack = _CLOSE * np.fmin(np.fmax(np.abs(inner.lo), np.abs(inner.hi)), _LARGE)
        low, high = np.clip(outer.lo, -_LARGE, _LARGE), np.clip(outer.hi, -_LARGE, _LARGE)
        is_close = (inner.lo <= low + slack) & (inner.hi >= high - slack)
        is_close = is_close & (outer.is_bounded | ~self.jets[self.root].value.is_bounded)
        return bool((is_close | self.is_empty | outer.is_empty).all())

    def certain(self, root: int) -> DoubleInterval:
        """Return intervals whose numbers a part takes all."""
        inner: dict[int, DoubleInterval] = {}
        for step in self.program.steps_for({root}):
            operands = [self._operand(i, inner) for i in step.operands]
            inner[step.slot] = _image(step, operands)
        return self._operand(root, inner)

    def _operand(self, slot: int, inner: Mapping[int, DoubleInterval]) -> DoubleInterval:
        if slot in inner:
            return inner[slot]
        if slot < self.program.count:
            return self.boxes[slot]
        return self.jets[slot].value.broadcast(self.boxes[0].shape)


def _is_number(jet: Jet) -> bool:
    return bool((jet.value.lo == jet.value.hi).all() and np.isfinite(jet.value.lo).all())


def _image(step: Step, operands: Sequence[DoubleInterval]) -> DoubleInterval:
    """Return intervals whose numbers an operation takes: between its values at some points.

    These are bounds, zero, and numbers beside zero and below infinity. An end that is approached
    counts, too.
    """
    places = [[np.clip(at, x.lo, x.hi) for at in (-_FAR, -_TINY, 0.0, _TINY, _FAR)]
              for x in operands]  # fmt: skip
    low = np.full(operands[0].shape, np.inf)
    high = -low
    for at in itertools.product(*places):
        jets = [Jet(point(x), levels(~np.isnan(x))) for x in at]
        result = RULES[step.name](*jets)
        assert isinstance(result, Jet)
        usable = (result.level >= DEFINED) & ~result.value.is_empty
        low = np.where(usable, np.fmin(low, result.value.hi), low)
        high = np.where(usable, np.fmax(high, result.value.lo), high)
    for limit in _limits(name_of(step), operands):
        low, high = np.fmin(low, limit), np.fmax(high, limit)
    is_known = low <= high
    return choose(is_known, DoubleInterval(low, high), doubles.EMPTY)


def _limits(name: str, operands: Sequence[DoubleInterval]) -> Iterator[Doubles]:
    """Yield limits of an operation at infinite ends of operands and at poles, or NaN."""
    ends = [(np.where(x.lo == 0, 0.0, x.lo), np.where(x.hi == 0, -0.0, x.hi)) for x in operands]
    for at in itertools.product(*ends):
        is_limit = reduce(np.logical_or, [np.isinf(x) for x in at])
        if name in _WITH_POLES:
            is_limit = is_limit | (at[-1] == 0)
        if is_limit.any():
            value = np.asarray(FUNCTIONS[name](*at))
            yield np.where(is_limit & np.isin(value, (0.0, -np.inf, np.inf)), value, np.nan)
    if name in _LOGARITHMS:
        (x,) = operands
        yield np.where((x.lo < 0) & (x.hi > 0), -np.inf, np.nan)
    if name == "div":
        x, y = operands
        has_pole = (y.lo < 0) & (y.hi > 0) & ((x.lo < 0) | (x.hi > 0))
        for infinity in (-np.inf, np.inf) if has_pole.any() else ():
            yield np.where(has_pole, infinity, np.nan)
