"""Proofs that formulas are unbounded: poles inside boxes.

Let a part of a formula, such as the divisor of 1 / x, be at most 0 at one point of a box and more
than 0 at another, and continuous between. Then it approaches 0 from above somewhere between them.
Both points are moved together until the box around them is small. There the limit of the formula
follows by the laws of limits, with the ranges of the parts that have no pole.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.rules import OVER, OVER_NONZERO
from halfcl.interval._formulas._search.limits import ABOVE, ANY, BELOW, EQUAL, Limit, propagate
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.double_functions import FUNCTIONS
from halfcl.interval._formulas.doubles import EMPTY, DoubleInterval, Doubles, choose, point
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet, variables
from halfcl.interval._protocols import SYNONYMS

Integers: TypeAlias = NDArray[np.int64]

#: How many pairs of points are tried for each pole and box.
_PAIRS = 16
#: How often a pair moves together, and by which factor each time.
_ROUNDS, _PARTS = 8, 8
#: How many poles of a formula are tried.
_MOST = 24


class _Pole(NamedTuple):
    """A place at which an operation has a pole, or a logarithm of zero, and how it is approached.

    measured: the slot that crosses the place, and by which function: its difference from ``at``,
    its sine or its cosine is 0 there. side: the sign of that function before. seed: the slot whose
    limit is known there: it is ``limit``, approached from ``beside``; for functions of angles see
    `_seed`.
    """

    measured: int
    function: str
    at: float
    side: int
    seed: int
    limit: float = 0.0
    beside: int = ABOVE
    is_tangent: bool = False

    def measure(self, x: DoubleInterval) -> DoubleInterval:
        """Return by how much an operand is before the pole; it is approached from above zero."""
        distance = FUNCTIONS[self.function](x) if self.function else doubles.sub(x, point(self.at))
        return distance if self.side > 0 else doubles.neg(distance)


_SIDES: dict[str, tuple[tuple[float, int], ...]] = {
    **dict.fromkeys(("recip", "reciprocal"), ((0.0, ABOVE), (0.0, BELOW))),
    **dict.fromkeys(("log", "log2", "log10", "rsqrt", "pow"), ((0.0, ABOVE),)),
    "log1p": ((-1.0, ABOVE),),
    **dict.fromkeys(("atanh", "arctanh"), ((1.0, BELOW), (-1.0, ABOVE))),
}
_QUOTIENTS = ("div", "divide", "true_divide", OVER, OVER_NONZERO)
#: Operations that are 0 where an operand is.
_ZERO_AT_ZERO = {"mul", "sqr", "abs", "pown", "sqrt"}
#: Functions of angles: that whose zero is where they have their limit.
_ANGLES = {"tan": "cos", "sin": "cos", "cos": "sin"}


def _poles(program: Program, steps: Sequence[Step]) -> list[_Pole]:
    """Return the poles of operations, and the greatest and the least values of sines."""
    poles: dict[_Pole, None] = {}
    by_slot = {step.slot: step for step in steps}
    for step in steps:
        slot, sides = step.operands[0], _SIDES.get(step.name, ())
        if step.name in _QUOTIENTS:
            slot, sides = step.operands[1], _SIDES["recip"]
        elif step.name == "pown" and _exponent(step) < 0:
            sides = _SIDES["recip"]
        for at, side in sides:
            poles[_Pole(slot, "", at, side, slot, at, side)] = None
        for factor in _factors(slot, by_slot) if (0.0, ABOVE) in sides else ():
            for side in (ABOVE, BELOW):
                poles[_Pole(factor, "", 0.0, side, factor, 0.0, side)] = None
    angles = [step for step in steps if step.name in _ANGLES and (poles or step.name == "tan")]
    for step in sorted(angles, key=lambda step: step.name != "tan"):
        for side in (ABOVE, BELOW):
            pole = _Pole(step.operands[0], _ANGLES[step.name], 0.0, side, step.slot,
                         is_tangent=step.name == "tan")  # fmt: skip
            poles[pole] = None
    return [pole for pole in poles if pole.measured not in program.constants][:_MOST]


def _exponent(step: Step) -> int:
    return int(np.asarray(step.others[0]).flat[0])


def _factors(slot: int, steps: Mapping[int, Step]) -> Iterator[int]:
    """Yield the slots other than this one that are 0 where it is, as it is computed from them."""
    step = steps.get(slot)
    name = "" if step is None else SYNONYMS.get(step.name, step.name)
    if step is None or name not in _ZERO_AT_ZERO or (name == "pown" and _exponent(step) < 1):
        return
    for operand in step.operands:
        yield operand
        yield from _factors(operand, steps)


class _Pairs(NamedTuple):
    """Pairs of points: not beyond a pole, and beyond it, with a row per variable.

    The pairs of each pole follow each other.
    """

    counts: list[int]  #: the number of pairs of each pole
    box: Integers  #: the number of the box of each pair
    near: Doubles
    far: Doubles

    def slices(self) -> list[slice]:
        """Return where the pairs of each pole are."""
        ends = np.cumsum([0, *self.counts])
        return [slice(a, b) for a, b in itertools.pairwise(ends)]


def infinite_limits(
    program: Program,
    points: Doubles,
    is_certain: Callable[[Sequence[Jet]], Truths],
) -> Iterator[tuple[Integers, Doubles]]:
    """Yield numbers of boxes, and infinite limits of a program there.

    points: points of boxes, of shape (variables, boxes, points). is_certain: returns from the jets
    of a program where its path is taken for all points.
    """
    steps = program.steps_for({program.roots[0]})
    poles = _poles(program, steps)
    if not poles or not points.size:
        return
    values = _values(program, points.reshape(len(points), -1))
    chosen = [
        _choose_pairs(pole, values[pole.measured], points, program.variables_of(pole.measured))
        for pole in poles
    ]
    boxes, near, far = (np.concatenate(parts, axis=-1) for parts in zip(*chosen, strict=True))
    pairs = _Pairs([len(box) for box, _, _ in chosen], boxes, near, far)
    if not len(boxes):
        return
    pairs = _approach(program, poles, pairs)
    low, high = np.minimum(pairs.near, pairs.far), np.maximum(pairs.near, pairs.far)
    around = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
    jets = program.evaluate(variables(around, 0))
    certain = np.broadcast_to(is_certain(jets), boxes.shape)
    for pole, own in zip(poles, pairs.slices(), strict=True):
        if own.start == own.stop:
            continue
        value = _limit(program, steps, pole, _Ranges(jets, len(boxes), own), certain[own])
        if value is not None:
            infinite = np.isinf(value.lo) & (value.lo == value.hi)
            yield boxes[own][infinite], value.lo[infinite]


def _values(program: Program, at: Doubles) -> list[Jet]:
    return program.evaluate(variables([point(x) for x in at], 0))


def _signs(pole: _Pole, jet: Jet, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return 1 for points beyond a pole, -1 for others, and 0 where that is not known."""
    distance = pole.measure(jet.value)
    sign = np.where(distance.lo > 0, 1, np.where(distance.hi <= 0, -1, 0))
    return np.broadcast_to(np.where(jet.level >= DEFINED, sign, 0), shape)


def _choose_pairs(
    pole: _Pole, jet: Jet, points: Doubles, variables_of: set[int]
) -> tuple[Integers, Doubles, Doubles]:
    """Return boxes with points on both sides of a pole, and some pairs of these.

    variables_of: the variables on which what is measured depends; others are equal in a pair.
    """
    _, boxes, number = points.shape
    signs = _signs(pole, jet, (boxes * number,)).reshape(boxes, number)
    # Each box's points on one side come first, then those on the other.
    has_both = (signs == -1).any(axis=1) & (signs == 1).any(axis=1)
    box = np.repeat(np.flatnonzero(has_both), _PAIRS)
    turn = np.tile(np.arange(_PAIRS), np.count_nonzero(has_both))
    near, far = (
        points[:, box, order[box, turn % np.count_nonzero(signs[box] == sign, axis=1)]]
        for sign in (-1, 1)
        for order in (np.argsort(signs != sign, axis=1, kind="stable"),)
    )
    own = np.zeros(len(points), bool)
    own[list(variables_of)] = True
    return box, near, np.where(own[:, None], far, near)


def _approach(program: Program, poles: Sequence[_Pole], pairs: _Pairs) -> _Pairs:
    """Move the points of pairs together."""
    near, far = pairs.near, pairs.far
    share = np.arange(_PARTS + 1) / _PARTS
    rows = np.arange(len(pairs.box))
    for _ in range(_ROUNDS):
        at = near[:, :, None] + (far - near)[:, :, None] * share
        at[:, :, -1] = far
        jets = _values(program, at.reshape(len(at), -1))
        signs = np.concatenate(
            [
                _signs(pole, jets[pole.measured], (at[0].size,)).reshape(at.shape[1:])[own]
                for pole, own in zip(poles, pairs.slices(), strict=True)
            ]
        )
        # The last point that is not beyond, whose neighbour is.
        is_edge = (signs[:, :-1] == -1) & (signs[:, 1:] == 1)
        has_edge = is_edge.any(axis=1)
        place = np.where(has_edge, _PARTS - 1 - np.argmax(is_edge[:, ::-1], axis=1), 0)
        near = np.where(has_edge, at[:, rows, place], near)
        far = np.where(has_edge, at[:, rows, place + 1], far)
    return pairs._replace(near=near, far=far)


class _Ranges(NamedTuple):
    """The jets of a program's slots on those boxes that belong to a pole."""

    jets: Sequence[Jet]
    total: int  #: the number of all boxes
    own: slice

    def jet(self, slot: int) -> Jet:
        """Return a slot's values and levels."""
        jet = self.jets[slot]
        value = jet.value.map(np.broadcast_to, (self.total,))[self.own]
        return Jet(value, np.broadcast_to(jet.level, (self.total,))[self.own])

    def limit(self, slot: int) -> Limit:
        """Return the range of a slot if it is finite and defined, as a limit from any side."""
        value, level = (jet := self.jet(slot)).value, jet.level
        is_finite = (level >= DEFINED) & np.isfinite(value.lo) & np.isfinite(value.hi)
        side = np.where(value.lo == value.hi, EQUAL, ANY).astype(np.int8)
        return Limit(choose(is_finite, value, EMPTY), side, level >= DEFINED)


def _limit(
    program: Program, steps: Sequence[Step], pole: _Pole, ranges: _Ranges, is_certain: Truths
) -> DoubleInterval | None:
    """Return limits of a program at a pole between pairs of points; empty ones are unknown."""
    jet = ranges.jet(pole.measured)
    usable = (jet.level >= LIPSCHITZ) & is_certain
    seed = _seed(pole, jet.value, usable)
    return propagate(program, steps, {pole.seed: seed}, ranges.limit)


def _seed(pole: _Pole, x: DoubleInterval, usable: Truths) -> Limit:
    """Return the limit that is known at a pole, of which x is a neighbourhood."""
    if not pole.function:
        at = point(np.full(usable.shape, pole.limit))
        side = np.full(usable.shape, pole.beside, np.int8)
        return Limit(choose(usable, at, EMPTY), side)
    other = FUNCTIONS["cos" if pole.function == "sin" else "sin"](x)
    sign = np.where(other.lo > 0, 1, -1)
    usable = usable & ((other.lo > 0) | (other.hi < 0))
    if pole.is_tangent:
        infinity = np.where((sign > 0) == (pole.side > 0), np.inf, -np.inf)
        return Limit(choose(usable, point(infinity), EMPTY), np.full(usable.shape, ANY, np.int8))
    return Limit(choose(usable, point(sign.astype(float)), EMPTY), (-sign).astype(np.int8))
