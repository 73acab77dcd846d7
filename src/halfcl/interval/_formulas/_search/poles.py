"""Proofs that formulas are unbounded: poles inside boxes.

Let a part of a formula, such as the divisor of 1 / x, be at most 0 at one point of a box and more
than 0 at another, and continuous between. Then it approaches 0 from above somewhere between them.
Both points are moved together until the box around them is small. There the limit of the formula
follows by the laws of limits, with the ranges of the parts that have no pole.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._search.limits import ABOVE, ANY, BELOW, Limit, propagate
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.double_functions import FUNCTIONS
from halfcl.interval._formulas.doubles import EMPTY, DoubleInterval, Doubles, choose, point
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet, variables

Integers: TypeAlias = NDArray[np.int64]

#: How many pairs of points are tried for each pole and box.
_PAIRS = 16
#: How often a pair moves together, and by which factor each time.
_ROUNDS, _PARTS = 8, 8
#: How many poles of a formula are tried.
_MOST = 24


class _Pole(NamedTuple):
    """A number at which an operation has a pole, or a logarithm of zero, and how it is approached.

    slot: that of the operand.
    """

    slot: int
    at: float
    side: int
    tangent: int | None = None  #: the slot of the tangent

    def measure(self, x: DoubleInterval) -> DoubleInterval:
        """Return by how much an operand is beyond the pole; it is approached from above zero."""
        if self.tangent is not None:
            return FUNCTIONS["cos"](x) if self.side > 0 else doubles.neg(FUNCTIONS["cos"](x))
        distance = doubles.sub(x, point(self.at))
        return distance if self.side > 0 else doubles.neg(distance)


_SIDES: dict[str, tuple[tuple[float, int], ...]] = {
    **dict.fromkeys(("recip", "reciprocal"), ((0.0, ABOVE), (0.0, BELOW))),
    **dict.fromkeys(("log", "log2", "log10", "rsqrt", "pow"), ((0.0, ABOVE),)),
    "log1p": ((-1.0, ABOVE),),
    **dict.fromkeys(("atanh", "arctanh"), ((1.0, BELOW), (-1.0, ABOVE))),
}


def _poles(steps: Sequence[Step]) -> list[_Pole]:
    """Return the poles of operations."""
    poles: dict[_Pole, None] = {}
    for step in steps:
        slot, sides = step.operands[0], _SIDES.get(step.name, ())
        if step.name in ("div", "divide", "true_divide"):
            slot, sides = step.operands[1], _SIDES["recip"]
        elif step.name == "pown" and int(np.asarray(step.others[0]).flat[0]) < 0:
            sides = _SIDES["recip"]
        for at, side in sides:
            poles[_Pole(slot, at, side)] = None
        if step.name == "tan":
            for side in (ABOVE, BELOW):
                poles[_Pole(slot, np.inf, side, step.slot)] = None
    return list(poles)[:_MOST]


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
    poles = [pole for pole in _poles(steps) if pole.slot not in program.constants]
    if not poles or not points.size:
        return
    values = _values(program, points.reshape(len(points), -1))
    chosen = [_choose_pairs(pole, values[pole.slot], points) for pole in poles]
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


def _choose_pairs(pole: _Pole, jet: Jet, points: Doubles) -> tuple[Integers, Doubles, Doubles]:
    """Return boxes with points on both sides of a pole, and some pairs of these."""
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
    return box, near, far


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
                _signs(pole, jets[pole.slot], (at[0].size,)).reshape(at.shape[1:])[own]
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
        value = jet.value.broadcast((self.total,))[self.own]
        return Jet(value, np.broadcast_to(jet.level, (self.total,))[self.own])

    def limit(self, slot: int) -> Limit:
        """Return the range of a slot if it is finite and defined, as a limit from any side."""
        value, level = (jet := self.jet(slot)).value, jet.level
        is_finite = (level >= DEFINED) & np.isfinite(value.lo) & np.isfinite(value.hi)
        return Limit(choose(is_finite, value, EMPTY), np.full(level.shape, ANY, np.int8))


def _limit(
    program: Program, steps: Sequence[Step], pole: _Pole, ranges: _Ranges, is_certain: Truths
) -> DoubleInterval | None:
    """Return limits of a program at a pole between pairs of points; empty ones are unknown."""
    jet = ranges.jet(pole.slot)
    usable = (jet.level >= LIPSCHITZ) & is_certain
    side = np.full(usable.shape, pole.side, np.int8)
    if pole.tangent is None:
        at = point(np.full(usable.shape, pole.at))
        seeds = {pole.slot: Limit(choose(usable, at, EMPTY), side)}
    else:
        sine = FUNCTIONS["sin"](jet.value)
        usable = usable & ((sine.lo > 0) | (sine.hi < 0))
        infinity = point(np.where((sine.lo > 0) == (pole.side > 0), np.inf, -np.inf))
        unknown = np.full(usable.shape, ANY, np.int8)
        seeds = {pole.tangent: Limit(choose(usable, infinity, EMPTY), unknown)}
    return propagate(program, steps, seeds, ranges.limit)
