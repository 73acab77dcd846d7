"""Values of formulas where parts of them are critical: at edges of domains, kinks, jumps and poles.

The greatest value of arcsin is on the edge of its domain, that of -|x - y| where x = y, and that of
arctan2 at its cut. Points that are drawn come close to such sets, but their values do not. So pairs
of points on both sides move together, in plain doubles, until they are neighbours.

Let a part g of a formula be at most c at one end of a pair, and at least c at the other. If it is
continuous on the box around both, it is c somewhere in that box (intermediate value theorem), and
the formula's value there is enclosed by that of the box with c in place of g.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._tables import ROWS
from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._search._values.plain import ARRAY, PlainProgram
from halfcl.interval._formulas._search._values.poles import Pole, Ranges, limits_at, poles_of
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.limits import ABOVE, BELOW, QUOTIENTS
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.double_functions import FUNCTIONS
from halfcl.interval._formulas.doubles import EMPTY, DoubleInterval, Doubles, choose, point
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet, variables
from halfcl.interval._protocols import SYNONYMS

Integers: TypeAlias = NDArray[np.int64]

#: The ranks of a problem's points for which partners are sought, since the best ones may be next to
#: each other; and the number of pairs of a problem that are kept.
_POINTS, _KEPT = (0, 1, 4, 16), 3
#: How often pairs are halved, and how many critical sets of a formula are tried.
_ROUNDS, _MOST = 54, 24
#: How many times pairs may be halved at once; they divide the number of halvings.
_HALVINGS = 6, 3, 2
#: The number of evaluations in plain doubles that `find` takes, at least.
COST = 2 * _ROUNDS
#: The kind of turning points.
_TURNING = 2
#: By how many of their distances neighbours are moved apart again, so that intervals tell that
#: they are on different sides.
_DISTANCES = (0.0, 2.0**12)


class Critical(NamedTuple):
    """A set on which a part of a formula, in a slot, equals a number or another slot.

    wave: "sin" or "cos" if it is where that of the part is zero. turning: the slot of the other
    one, which is 1 or -1 there. poles: those of the operation. variables: those that the parts
    depend on.
    """

    slot: int
    at: float = 0.0
    other: int | None = None
    wave: str = ""
    turning: int | None = None
    poles: tuple[Pole, ...] = ()
    variables: tuple[int, ...] = ()

    @property
    def kind(self) -> int:
        """The number of its kind, of which each has its own best pairs."""
        return 1 if self.poles else 2 if self.turning is not None else 0

    def measure(self, slots: Sequence[Any] | _Part) -> Any:
        """Return by how much the part is beyond, in plain doubles."""
        part = slots[self.slot]
        if self.wave:
            return np.cos(part) if self.wave == "cos" else np.sin(part)
        return part - (self.at if self.other is None else slots[self.other])

    def is_beyond(self, slots: _Part) -> Any:
        """Return whether the part is beyond, in plain doubles."""
        if self.wave:
            return self.measure(slots) > 0
        return slots[self.slot] > (self.at if self.other is None else slots[self.other])

    def enclose_measure(self, value: DoubleInterval) -> DoubleInterval:
        """Return by how much the part is beyond, from its enclosure."""
        return FUNCTIONS[self.wave](value) if self.wave else doubles.sub(value, point(self.at))

    def fix(self, ranges: Ranges) -> tuple[int, Doubles]:
        """Return the slot that is known at the critical set, and its numbers; NaN if unknown."""
        value = ranges.jet(self.slot if self.turning is None else self.turning).value
        if self.turning is None:
            return self.slot, np.full(value.shape, self.at)
        return self.turning, np.where(value.lo > 0, 1.0, np.where(value.hi < 0, -1.0, np.nan))


#: The numbers at which operations of one operand, or the base of powers, are critical: the ends of
#: their domains, and others.
_NUMBERS: dict[str, tuple[float, ...]] = {
    name: tuple(end for end in (row.domain.low, row.domain.high) if math.isfinite(end))
    for name, row in ROWS.items()
}
_NUMBERS |= dict.fromkeys(
    ("pow", "rootn", "abs", "sign", "recip", "cbrt", "atan2", "atan2pi", "sqr", "pown", "hypot"),
    (0.0,),
)
_NUMBERS |= {name: _NUMBERS[other] for name, other in SYNONYMS.items() if other in _NUMBERS}
_NUMBERS |= dict.fromkeys(QUOTIENTS, (0.0,))
#: Operations that are 0 where an operand is, and whether they are for their other operands.
_ZERO_AT_ZERO: dict[str, Callable[..., bool]] = {
    **dict.fromkeys(("mul", "sqr", "abs", "sqrt"), lambda: True),
    "pown": lambda n: int(np.asarray(n).flat[0]) > 0,
}
#: The operations of several operands whose critical one is not the first.
_OPERANDS = dict.fromkeys(QUOTIENTS, 1)
_OTHER_WAVES = {"sin": "cos", "cos": "sin"}
#: The operations that are critical where operands are equal.
_PIECES = ("min", "max", "minimum", "maximum", "fmin", "fmax", "clip", "clamp", "fdim", "step")


def _of_step(step: Step) -> list[Critical]:
    slot = step.operands[_OPERANDS.get(step.name, 0)]
    if step.name == "tan":
        return [Critical(slot, wave="cos", poles=tuple(poles_of(step, slot, 0.0)))]
    if step.name in _OTHER_WAVES:
        return [Critical(slot, wave=_OTHER_WAVES[step.name], turning=step.slot)]
    if step.name in _PIECES:
        return [Critical(slot, other=other) for other in step.operands[1:]]
    return [
        Critical(slot, at, poles=tuple(poles_of(step, slot, at)))
        for at in _NUMBERS.get(step.name, ())
    ]


def criticals(path: Path) -> list[Critical]:
    """Return the critical sets of the operations and comparisons of a path.

    Sines and cosines are critical at their turning points if other critical parts depend on them.
    """
    steps, constants = path.program.steps, path.program.constants
    every = [c for step in steps for c in _of_step(step)]
    every += [Critical(a, other=b) for a, b in (c.slots for c in path.constraints)]
    by_slot = {step.slot: step for step in steps}
    for pole in [c for c in every if c.poles and not c.at and not c.wave]:
        for factor in _factors(pole.slot, by_slot):
            every.append(
                Critical(factor, poles=tuple(Pole(factor, 0.0, side) for side in (ABOVE, BELOW)))
            )
    parts = {slot for c in every if not c.wave for slot in (c.slot, c.other) if slot is not None}
    needed = {step.slot for step in path.program.steps_for(parts)}
    chosen = [c for c in dict.fromkeys(every) if c.turning is None or c.turning in needed]
    chosen = [c for c in chosen if not {c.slot, c.other} <= {None, *constants}]
    chosen = sorted(chosen, key=lambda c: c.kind == _TURNING)[:_MOST]
    used = _variables(path.program)
    return [
        c._replace(variables=tuple({*used.get(c.slot, ()), *used.get(c.other, ())})) for c in chosen
    ]


def _factors(slot: int, steps: Mapping[int, Step]) -> Iterator[int]:
    """Yield the slots that are 0 where this one is, as it is computed from them."""
    step = steps.get(slot)
    if step is not None and (is_zero := _ZERO_AT_ZERO.get(SYNONYMS.get(step.name, step.name))):
        for operand in step.operands if is_zero(*step.others) else ():
            yield operand
            yield from _factors(operand, steps)


def _variables(program: Program) -> dict[int | None, set[int]]:
    """Return the variables that each slot depends on."""
    used: dict[int | None, set[int]] = {i: {i} for i in range(program.count)}
    for step in program.steps:
        used[step.slot] = set().union(*(used.get(slot, ()) for slot in step.operands))
    return used


class Edges(NamedTuple):
    """Pairs of neighbours on both sides of critical sets, with a row per variable."""

    problem: Integers  #: its number among those that were given
    critical: Integers
    near: Doubles
    far: Doubles
    value: Doubles  #: the lesser of both values, in plain doubles

    def take(self, index: Truths | Integers) -> Edges:
        """Return some of the pairs."""
        return Edges(
            self.problem[index], self.critical[index], self.near[:, index], self.far[:, index],
            self.value[index],
        )  # fmt: skip

    def may_have_limits(self, sets: Sequence[Critical]) -> Truths:
        """Return whether the critical sets are poles or turning points."""
        return np.array([c.kind > 0 for c in sets], bool)[self.critical]


def find(
    plain: PlainProgram,
    sets: Sequence[Critical],
    points: Doubles,
    widths: Doubles,
    falls: NDArray[np.bool_],
) -> Edges:
    """Return the best pairs of problems on both sides of critical sets.

    points: of shape (variables, problems, points). widths: of boxes, with a row per variable.
    falls: whether a problem is that of -f.
    """
    count, problems, number = points.shape
    slots = plain.slots(points.reshape(count, -1))
    values = plain.values(slots, np.repeat(falls, number)).reshape(problems, number)
    measures = [np.broadcast_to(c.measure(slots), (problems * number,)) for c in sets]
    signs = np.sign(np.stack(measures)).reshape(len(sets), problems, number)
    signs = np.where(signs == 0, -1.0, signs)  # at the number itself is not beyond it
    best = np.argsort(values, axis=1)[:, _POINTS]
    own = np.take_along_axis(signs, best[None], axis=2)
    across = signs[:, :, None] == -own[..., None]
    scale = np.where(widths > 0, widths, 1.0)[:, :, None, None]
    ends = np.take_along_axis(points, best[None], axis=2)
    distances = np.sum(((points[:, :, None] - ends[..., None]) / scale) ** 2, axis=0)
    partners = [
        np.argmin(np.where(across, by, np.inf), axis=3)
        for by in (distances[None], np.arctan(values)[None, :, None])
    ]
    partner = np.stack(partners, axis=3)  # of shape (sets, problems, best points, 2)
    valid = np.broadcast_to(across.any(axis=3)[..., None], partner.shape)
    critical, problem, place, _ = np.nonzero(valid)
    one = points[:, problem, best[problem, place]]
    other = points[:, problem, partner[valid]]
    # Variables on which the critical part does not depend stay as they are at the better point.
    moves = np.array([[i in c.variables for c in sets] for i in range(count)])
    other = np.where(moves[:, critical], other, one)
    is_near = own[critical, problem, place] < 0
    near, far = np.where(is_near, one, other), np.where(is_near, other, one)
    edges = Edges(problem, critical, near, far, np.zeros(len(problem)))
    return _best(sets, _approach(plain, sets, edges, falls))


def _approach(
    plain: PlainProgram, sets: Sequence[Critical], edges: Edges, falls: NDArray[np.bool_]
) -> Edges:
    """Move the points of pairs together."""
    near, far = edges.near, edges.far
    if not near.shape[1]:
        return edges
    ends = np.searchsorted(edges.critical, np.arange(len(sets) + 1))
    own = [(c, slice(a, b)) for c, (a, b) in zip(sets, itertools.pairwise(ends), strict=True)]
    own = [(critical, part) for critical, part in own if part.start < part.stop]
    parts = {slot for c, _ in own for slot in (c.slot, c.other) if slot is not None}
    steps = plain.calls_for(parts)
    halvings = _halvings(len(edges.problem))
    is_far: NDArray[np.bool_] = np.zeros((2**halvings - 1, len(edges.problem)), bool)
    for _ in range(0, _ROUNDS, halvings):
        points = _divide(near, far, halvings)
        slots = plain.slots(points[:, 1:-1].reshape(len(points), -1), steps)
        for critical, part in own:
            is_far[:, part] = critical.is_beyond(_Part(slots, is_far.shape, part))
        near, far = _bisect(points, is_far)
    values = np.minimum(*(plain.values(plain.slots(x), falls[edges.problem]) for x in (near, far)))
    return edges._replace(near=near, far=far, value=values)


class _Part:
    """The slots of the points of some pairs; shape: those of each pair are a column."""

    def __init__(self, slots: Sequence[Any], shape: tuple[int, ...], part: slice) -> None:
        self.slots, self.shape, self.part = slots, shape, part

    def __getitem__(self, slot: int) -> Any:
        numbers = self.slots[slot]
        return numbers.reshape(self.shape)[:, self.part] if np.ndim(numbers) else numbers


def _halvings(count: int) -> int:
    """Return how often pairs are halved at once: the more, the fewer pairs there are."""
    return next((n for n in _HALVINGS if count * (2**n - 1) <= ARRAY), 1)


def _divide(near: Doubles, far: Doubles, halvings: int) -> Doubles:
    """Return the points that divide pairs evenly, with their ends; middles are of neighbours."""
    count = 2**halvings
    points = np.empty((len(near), count + 1, near.shape[1]))
    points[:, 0], points[:, count] = near, far
    for step in (count >> n for n in range(halvings)):
        whole = points[:, ::step]
        points[:, step // 2 :: step] = whole[:, :-1] / 2 + whole[:, 1:] / 2
    return points


def _bisect(points: Doubles, is_far: Truths) -> tuple[Doubles, Doubles]:
    """Return the neighbours to which bisection leads; is_far: of all points but the ends."""
    number, count = points.shape[2], points.shape[1] // 2
    is_near, at = (~is_far).ravel(), np.arange(number)
    step = count
    while step:  # places in flat arrays of rows of points
        at += number * step * is_near.take(at + number * (step - 1))
        step //= 2
    flat = points.reshape(len(points), -1)
    return flat.take(at, axis=1), flat.take(at + number, axis=1)


def _best(sets: Sequence[Critical], edges: Edges) -> Edges:
    """Return the best pairs of each problem, at poles and elsewhere.

    At poles the worst ones are kept, too: all are close to infinity, and it depends on where they
    are whether their limits can be proved.
    """
    kinds = np.array([critical.kind for critical in sets])[edges.critical]
    group = np.where(kinds > 0, edges.critical, len(sets)) + (len(sets) + 1) * edges.problem
    order = np.lexsort((edges.value, group))
    group, edges = group[order], edges.take(order)
    is_new = np.diff(group, prepend=-1) != 0
    is_new |= (np.diff(edges.near, prepend=np.nan, axis=1) != 0).any(axis=0)
    group, edges, kinds = group[is_new], edges.take(is_new), kinds[order][is_new]
    rows = np.arange(len(group))
    before = rows - np.searchsorted(group, group)
    after = np.searchsorted(group, group, side="right") - rows
    return edges.take((before < _KEPT) | ((after <= _KEPT) & (kinds > 0)))


def moved_apart(edges: Edges, low: Doubles, high: Doubles) -> Edges:
    """Return pairs at several distances; low, high: the bounds of the boxes of problems."""
    step = edges.far - edges.near
    low, high = low[:, edges.problem], high[:, edges.problem]
    nears = [np.clip(edges.near - k * step, low, high) for k in _DISTANCES]
    fars = [np.clip(edges.far + k * step, low, high) for k in _DISTANCES]
    index = np.tile(np.arange(len(edges.problem)), len(_DISTANCES))
    return edges.take(index)._replace(
        near=np.concatenate(nears, axis=1), far=np.concatenate(fars, axis=1)
    )


def values(
    path: Path, sets: Sequence[Critical], edges: Edges, only_limits: bool = False
) -> Iterator[tuple[Integers, Doubles, DoubleInterval]]:
    """Yield numbers of pairs, and points there or next to which a formula has values.

    Values may be limits, too, and are empty where nothing is proved. only_limits: for a path that
    may have values where the formula is undefined.
    """
    program, count = path.program, len(edges.problem)
    low, high = np.minimum(edges.near, edges.far), np.maximum(edges.near, edges.far)
    low, high = (np.concatenate([edges.near, edges.far, x], axis=1) for x in (low, high))
    boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
    jets = program.evaluate(variables(boxes, 0))
    ranges = Ranges(jets, (3 * count,), np.ones(3 * count, bool))
    certain = np.broadcast_to(path.outcomes(jets)[0], (3 * count,))
    result = ranges.jet(program.roots[0])
    is_known = (result.level >= DEFINED) & certain
    every = np.arange(count)
    if not only_limits:
        values_there = choose(is_known, result.value, EMPTY)
        yield every, edges.near, values_there[:count]
        yield every, edges.far, values_there[count : 2 * count]
    steps = program.steps_for({program.roots[0]})
    for number in np.unique(edges.critical):
        critical = sets[number]
        own = np.flatnonzero(edges.critical == number)
        if critical.other is not None:
            continue
        near, far, around = (
            Ranges(jets, (3 * count,), own + start) for start in (0, count, 2 * count)
        )
        measures = [critical.enclose_measure(x.jet(critical.slot).value) for x in (near, far)]
        crosses = (measures[0].hi <= 0) & (measures[1].lo >= 0) & (measures[0].lo < measures[1].hi)
        crosses &= (around.jet(critical.slot).level >= LIPSCHITZ) & certain[own + 2 * count]
        slot, at = critical.fix(around)
        if not crosses.any():
            continue
        if not critical.poles and not only_limits:
            parts = [box[own + 2 * count] for box in boxes]
            value = _value_on(path, slot, at, parts, crosses)
            yield own, edges.near[:, own], value
            if not (crosses & value.is_empty).any():
                continue
        poles, approaches = [], []
        for pole in critical.poles or _sides(critical, slot, at):
            is_beyond = measures[1].lo > 0 if pole.side > 0 else measures[0].hi < 0
            if critical.turning is not None:
                is_beyond = at == pole.at
            if (crosses & is_beyond).any():
                poles.append(pole)
                approaches.append(crosses & is_beyond)
        if not poles:
            continue
        limit = limits_at(program, steps, poles, around, np.stack(approaches))
        if limit is not None:
            own = np.tile(own, len(poles))
            yield own, edges.far[:, own], limit


def _sides(critical: Critical, slot: int, at: Doubles) -> list[Pole]:
    """Return a critical set as poles of what depends on it; at turning points there is one side."""
    if critical.turning is None:
        return [Pole(slot, critical.at, side) for side in (ABOVE, BELOW)]
    return [Pole(slot, end, side) for end, side in ((1.0, BELOW), (-1.0, ABOVE)) if end in at]


def _value_on(
    path: Path, slot: int, at: Doubles, boxes: Sequence[DoubleInterval], crosses: Truths
) -> DoubleInterval:
    """Return values of a formula where a slot is a number inside of boxes."""
    program = path.program
    known = Jet(point(at), np.full(at.shape, LIPSCHITZ, np.uint8))
    jets = program.evaluate(variables(boxes, 0), {slot: known})
    result = jets[program.roots[0]]
    is_taken = crosses & ~np.isnan(at) & (result.level >= DEFINED) & path.outcomes(jets)[0]
    return choose(is_taken, result.value.map(np.broadcast_to, at.shape), EMPTY)
