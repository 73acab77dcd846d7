"""Formulas as programs: their operations in order, recorded from one call of the formula.

A program is evaluated faster than the formula, equal parts once, and the ranges of all its parts
are known. So it can be propagated backward: see `contractors`.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from halfcl.interval._formulas._rewriting.rules import MEET
from halfcl.interval._formulas._search.restrictions import restrict, slots_without_negatives
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import RULES, Jet, Node, total, variables
from halfcl.interval._formulas.removable import Place, Run, current_run, running
from halfcl.interval._protocols import SYNONYMS

#: The names of products, which are squares of equal factors.
_PRODUCTS = ("mul", "multiply")
#: Those of which the order of operands does not matter.
_COMMUTATIVE = ("add", "mul", "min", "max")
_NONE: Mapping[int, Jet] = {}
#: The new numbers of slots.
Numbers: TypeAlias = Mapping[int, int]


class Variable(Node):
    """An argument of a formula."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        super().__init__("variable", ())
        self.index = index


class Step(NamedTuple):
    """An operation of a program.

    operands: the slots of operands; others are integers that the rule takes as they are.
    """

    slot: int
    name: str
    operands: tuple[int, ...]
    others: tuple[object, ...]
    part: int


class Program:
    """A formula's operations.

    Each has a slot for its result: variables come first, then constants and results as they occur.
    roots: the slots of results.
    """

    def __init__(self, results: Sequence[Node | Jet], count: int) -> None:
        self.count = count
        self.constants: dict[int, Jet] = {}
        self.steps: list[Step] = []
        self._size = count
        self._slots: dict[int, int] = {}
        self._known: dict[object, int] = {}
        self._nodes: list[object] = []  # so that their addresses are not used again
        self.roots = [self._slot_of(result) for result in results]
        #: The jets of all slots in the last evaluation.
        self.jets: list[Jet] = []
        signed = slots_without_negatives(self.steps, self.constants, self.roots)
        calls = [self.call_of(step) for step in self.steps]
        self._calls = [
            (step, restrict(step.name, call) if step.slot in signed else call)
            for step, call in zip(self.steps, calls, strict=True)
        ]

    # ------------------------------------------------------------ making

    def _slot_of(self, result: object) -> int:
        """Return the slot of a node, and add its operations; iterative, since formulas are deep."""
        stack = [result]
        while stack:
            node = stack[-1]
            if id(node) in self._slots:
                stack.pop()
                continue
            operands = node.operands if isinstance(node, Node) else ()
            missing = [
                x for x in operands if isinstance(x, Node | Jet) and id(x) not in self._slots
            ]
            if missing:
                stack += missing
            else:
                self._slots[id(node)] = self._add(node)
                self._nodes.append(node)
                stack.pop()
        return self._slots[id(result)]

    def _add(self, node: object) -> int:
        if isinstance(node, Variable):
            return node.index
        if isinstance(node, Jet):
            low, high = float(node.value.lo.flat[0]), float(node.value.hi.flat[0])
            slot = self._find(("constant", low, high, str(low)))
            self.constants[slot] = node
            return slot
        assert isinstance(node, Node)
        operands = tuple(self._slots[id(x)] for x in node.operands if isinstance(x, Node | Jet))
        others = tuple(x for x in node.operands if not isinstance(x, Node | Jet))
        name = node.name
        if name in _PRODUCTS and operands[0] == operands[1]:
            name, operands = "sqr", operands[:1]
        if name == MEET and operands[0] == operands[1]:
            return operands[0]
        size, operation = self._size, SYNONYMS.get(name, name)
        own = tuple(sorted(operands)) if operation in _COMMUTATIVE else operands
        slot = self._find((operation, own, tuple(map(repr, others)), node.part))
        if self._size > size:
            self.steps.append(Step(slot, name, operands, others, node.part))
        return slot

    def _find(self, key: object) -> int:
        """Return the slot of an operation, which is a new one unless it is known."""
        if key not in self._known:
            self._known[key] = self._size
            self._size += 1
        return self._known[key]

    @staticmethod
    def call_of(step: Step) -> Callable[..., Any]:
        """Return the operation of a step, a function of jets."""
        if step.name == "total":
            return lambda *jets: total(jets)
        if step.name == "pown" and _is_two(step.others):
            return RULES["sqr"]  # takes less time
        rule: Callable[..., Any] = RULES[step.name]
        if step.others:
            return lambda *jets: rule(*jets, *step.others)
        return rule

    def steps_for(self, slots: set[int]) -> list[Step]:
        """Return the operations that some slots depend on, in order."""
        needed, steps = set(slots), []
        for step in reversed(self.steps):
            if step.slot in needed:
                needed.update(step.operands)
                steps.append(step)
        return steps[::-1]

    def without(self, chosen: Mapping[int, int], slots: Iterable[int]) -> tuple[Program, Numbers]:
        """Return a program in which some slots are others, and the new numbers of those it keeps.

        chosen: the slots that replace others. slots: those that are kept, beside the results.
        """
        same = self._final_slots(chosen)
        needed = {same.get(slot, slot) for slot in (*self.roots, *slots)}
        kept: list[tuple[Step, Callable[..., Any]]] = []
        for step, call in reversed(self._calls):
            if step.slot in needed:
                operands = tuple([same.get(slot, slot) for slot in step.operands])
                needed.update(operands)
                kept.append((step._replace(operands=operands), call))
        return self._with_new_numbers(kept[::-1], needed, same)

    def count_without(self, chosen: Mapping[int, int]) -> int:
        """Return the number of operations of the results if some slots are others."""
        same, count = self._final_slots(chosen), 0
        needed = {same.get(slot, slot) for slot in self.roots}
        for step in reversed(self.steps):
            if step.slot in needed:
                needed.update([same.get(slot, slot) for slot in step.operands])
                count += 1
        return count

    def _final_slots(self, chosen: Mapping[int, int]) -> dict[int, int]:
        """Return the slots that others are in the end."""
        same = dict[int, int]()
        for step in self.steps:
            if step.slot in chosen:
                same[step.slot] = same.get(chosen[step.slot], chosen[step.slot])
        return same

    def _with_new_numbers(
        self,
        calls: Sequence[tuple[Step, Callable[..., Any]]],
        needed: set[int],
        same: Mapping[int, int],
    ) -> tuple[Program, Numbers]:
        """Return a program of some operations, whose slots have consecutive numbers."""
        constants = needed.intersection(self.constants)
        kept = (*range(self.count), *constants, *(step.slot for step, _ in calls))
        numbers = {slot: number for number, slot in enumerate(kept)}
        new = copy.copy(self)
        vars(new).pop("own_slots", None)  # they have the old numbers
        new._size, new.jets = len(numbers), []
        new.constants = {numbers[slot]: self.constants[slot] for slot in constants}
        new._calls = [
            (step._replace(slot=numbers[step.slot],
                           operands=tuple([numbers[i] for i in step.operands])), call)
            for step, call in calls
        ]  # fmt: skip
        new.steps = [step for step, _ in new._calls]
        numbers |= {slot: numbers[other] for slot, other in same.items() if other in numbers}
        new.roots = [numbers[root] for root in self.roots]
        return new, numbers

    @functools.cached_property
    def own_slots(self) -> frozenset[int]:
        """The slots that the formula itself computes, without those of other forms of its parts."""
        steps = {step.slot: step for step in self.steps}
        own, rest = set[int](), [self.roots[0]]
        while rest:
            slot = rest.pop()
            if slot not in own:
                own.add(slot)
                step = steps.get(slot)
                operands = () if step is None else step.operands
                rest += operands[:1] if step is not None and step.name == MEET else operands
        return frozenset(own)

    def own_parts(self) -> list[int]:
        """Return the slots of parts with other forms, as the formula itself computes them.

        Where all these are defined, and the result is, so is the formula.
        """
        own = self.own_slots
        return [step.operands[0] for step in self.steps if step.name == MEET and step.slot in own]

    def part_with(self, places: Collection[Place]) -> Callable[..., None]:
        """Return a formula that computes the operands of some quotients, which keep their places.

        It has the operations on which these depend.
        """
        nothing = np.zeros(0)
        run = Run((), [DoubleInterval(nothing, nothing)] * self.count, True)
        operands: dict[Place, tuple[Jet, Jet]] = {}
        run.operands = operands
        needed, starts = set[int](), dict[int, dict[str, int]]()

        def trace(step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
            def apply(*jets: Jet) -> Any:
                counts, before = run.counts, {*operands}
                result = call(*jets)
                if run.counts != counts:
                    starts[step.slot] = counts
                if (operands.keys() - before).intersection(places):
                    needed.add(step.slot)
                return result

            return apply

        with running(run):
            calls = [(step, trace(step, call)) for step, call in self._calls]
            _compute(calls, self._start(variables(run.values, 0)))
        own = {step.slot for step in self.steps_for(needed)}
        parts = [
            (step, _counting_from(starts[step.slot], call) if step.slot in starts else call)
            for step, call in self._calls
            if step.slot in own
        ]
        return lambda *jets: _compute(parts, self._start(jets))

    # ------------------------------------------------------------ evaluation

    def _start(self, jets: Sequence[Jet]) -> list[Any]:
        """Return all slots, of which those of variables and constants have jets."""
        slots: list[Any] = [None] * self._size
        slots[: self.count] = jets
        for slot, jet in self.constants.items():
            slots[slot] = jet
        return slots

    def __call__(self, *jets: Jet) -> Jet:
        """Return the first result for jets of the variables."""
        return self.evaluate(jets)[self.roots[0]]

    def evaluate(self, jets: Sequence[Jet], known: Mapping[int, Jet] = _NONE) -> list[Jet]:
        """Return the jets of all slots, of which some may be known in advance."""
        slots = self._start(jets)
        _compute(self._calls, slots, known)
        self.jets = slots
        return slots


def _is_two(exponents: Sequence[Any]) -> bool:
    """Return whether an exponent is 2."""
    return [np.asarray(n).tolist() for n in exponents] in ([2], [[2]])


def _compute(
    calls: Sequence[tuple[Step, Callable[..., Any]]],
    slots: list[Any],
    known: Mapping[int, Jet] = _NONE,
) -> None:
    """Compute the jets of operations, of which some may be known."""
    for step, call in calls:
        result = call(*[slots[i] for i in step.operands])
        slots[step.slot] = result[step.part] if isinstance(result, tuple) else result
        if step.slot in known:
            slots[step.slot] = known[step.slot]


def _counting_from(counts: Mapping[str, int], call: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operation whose quotients have the numbers that follow some counts."""

    def apply(*jets: Jet) -> Any:
        if (run := current_run()) is not None:
            run.count_from(counts)
        return call(*jets)

    return apply
