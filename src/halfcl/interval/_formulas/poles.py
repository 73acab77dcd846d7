"""Proofs that formulas are unbounded: poles inside boxes.

Let a part of a formula, such as the divisor of 1 / x, be at most 0 at one point of a box and more
than 0 at another, and continuous between. Then it approaches 0 from above somewhere between them.
Both points are moved together until the box around them is small. There the limit of the formula
follows by the laws of limits, with the ranges of the parts that have no pole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.double_functions import FUNCTIONS
from halfcl.interval._formulas.doubles import EMPTY, DoubleInterval, Doubles, choose, point
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet, variables
from halfcl.interval._formulas.limits import ABOVE, ANY, BELOW, Limit, propagate
from halfcl.interval._formulas.programs import Program, Step

#: How many pairs of points are tried for each pole and box.
_PAIRS = 6
#: How often a pair moves together, and by which factor each time.
_ROUNDS, _PARTS = 6, 16
#: How many poles of a formula are tried.
_MOST = 24


class _Pole(NamedTuple):
    """A number at which an operation has a pole, or a logarithm of zero, and how it is approached.

    slot: of the operand, or for ``of_angle`` that of the angle whose tangent it is.
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
    poles = {}
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
    """Pairs of points: not beyond a pole, and beyond it, with a row per variable."""

    pole: int
    box: np.ndarray  #: the number of the box of each pair
    near: Doubles
    far: Doubles


def unbounded(
    program: Program,
    points: Doubles,
    is_certain: Callable[[Sequence[Jet]], Truths],
) -> Iterator[tuple[np.ndarray, Doubles]]:
    """Yield numbers of boxes, and infinite limits of a program there.

    points: points of boxes, of shape (variables, boxes, points). is_certain: returns from the jets
    of a program where its path is taken for all points.
    """
    steps = program.steps_for({program.roots[0]})
    poles = _poles(steps)
    if not poles or not points.size:
        return
    count, boxes, number = points.shape
    values = _values(program, points.reshape(count, -1))
    for index, pole in enumerate(poles):
        if pole.slot in program.constants:
            continue
        pairs = _choose_pairs(index, pole, values[pole.slot], points)
        if len(pairs.box):
            yield from _limits(program, steps, pole, _approach(program, pole, pairs), is_certain)


def _values(program: Program, at: Doubles) -> list[Jet]:
    return program.evaluate(variables([point(x) for x in at], 0))


def _signs(pole: _Pole, jet: Jet, shape: tuple[int, ...]) -> np.ndarray:
    """Return 1 for points beyond a pole, -1 for others, and 0 where that is not known."""
    distance = pole.measure(jet.value)
    sign = np.where(distance.lo > 0, 1, np.where(distance.hi <= 0, -1, 0))
    return np.broadcast_to(np.where(jet.level >= DEFINED, sign, 0), shape)


def _choose_pairs(index: int, pole: _Pole, jet: Jet, points: Doubles) -> _Pairs:
    """Return some pairs of points on both sides of a pole for each box."""
    _, boxes, number = points.shape
    signs = _signs(pole, jet, (boxes * number,)).reshape(boxes, number)
    # Each box's points on one side come first, then those on the other.
    near, far = (np.argsort(signs != sign, axis=1, kind="stable") for sign in (-1, 1))
    has_both = (signs == -1).any(axis=1) & (signs == 1).any(axis=1)
    box = np.repeat(np.flatnonzero(has_both), _PAIRS)
    turn = np.tile(np.arange(_PAIRS), np.count_nonzero(has_both))
    sides = [
        points[:, box, order[box, turn % np.count_nonzero(signs[box] == sign, axis=1)]]
        for sign, order in ((-1, near), (1, far))
    ]
    return _Pairs(index, box, *sides)


def _approach(program: Program, pole: _Pole, pairs: _Pairs) -> _Pairs:
    """Move the points of pairs together."""
    near, far = pairs.near, pairs.far
    share = np.arange(_PARTS + 1) / _PARTS
    for _ in range(_ROUNDS):
        at = near[:, :, None] + (far - near)[:, :, None] * share
        at[:, :, -1] = far
        jet = _values(program, at.reshape(len(at), -1))[pole.slot]
        signs = _signs(pole, jet, (at[0].size,)).reshape(at.shape[1:])
        # The last point that is not beyond, whose neighbour is.
        is_edge = (signs[:, :-1] == -1) & (signs[:, 1:] == 1)
        has_edge = is_edge.any(axis=1)
        place = np.where(has_edge, _PARTS - 1 - np.argmax(is_edge[:, ::-1], axis=1), 0)
        rows = np.arange(len(place))
        near = np.where(has_edge, at[:, rows, place], near)
        far = np.where(has_edge, at[:, rows, place + 1], far)
    return pairs._replace(near=near, far=far)


def _limits(
    program: Program,
    steps: Sequence[Step],
    pole: _Pole,
    pairs: _Pairs,
    is_certain: Callable[[Sequence[Jet]], Truths],
) -> Iterator[tuple[np.ndarray, Doubles]]:
    """Yield boxes and infinite limits at a pole between pairs of points."""
    low, high = np.minimum(pairs.near, pairs.far), np.maximum(pairs.near, pairs.far)
    boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
    jets = program.evaluate(variables(boxes, 0))
    shape = low[0].shape
    jet = jets[pole.slot]
    usable = np.broadcast_to((jet.level >= LIPSCHITZ) & is_certain(jets), shape)
    any_side = np.full(shape, ANY, np.int8)
    seeds = {}
    if pole.tangent is None:
        seeds[pole.slot] = Limit(
            choose(usable, point(np.full(shape, pole.at)), EMPTY), np.full(shape, pole.side, np.int8)
        )
    else:
        sine = FUNCTIONS["sin"](jet.value)
        known = usable & ((sine.lo > 0) | (sine.hi < 0))
        infinity = np.where((sine.lo > 0) == (pole.side > 0), np.inf, -np.inf)
        seeds[pole.tangent] = Limit(choose(known, point(infinity), EMPTY), any_side)

    def range_of(slot: int) -> Limit:
        jet = jets[slot]
        finite = (jet.level >= DEFINED) & np.isfinite(jet.value.lo) & np.isfinite(jet.value.hi)
        value = choose(np.broadcast_to(finite, shape), jet.value, EMPTY)
        return Limit(value, any_side)

    value = propagate(program, steps, seeds, range_of)
    if value is not None:
        infinite = np.isinf(value.lo) & (value.lo == value.hi)
        yield pairs.box[infinite], value.lo[infinite]
