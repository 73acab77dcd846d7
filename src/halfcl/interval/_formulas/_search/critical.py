"""Values of formulas where parts of them are critical: at edges of domains, kinks, jumps and poles.

The greatest value of arcsin is on the edge of its domain, that of -|x - y| where x = y, and that of
arctan2 at its cut. Points that are drawn come close to such sets, but their values do not. So pairs
of points on both sides move together, in plain doubles, until they are neighbours.

Let a part g of a formula be at most c at one end of a pair, and at least c at the other. If it is
continuous on the box around both, it is c somewhere in that box (intermediate value theorem), and
the formula's value there is enclosed by that of the box with c in place of g.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.rules import OVER, OVER_NONZERO
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.limits import ABOVE, BELOW
from halfcl.interval._formulas._search.plain import PlainProgram
from halfcl.interval._formulas._search.poles import ANGLES, Pole, Ranges, limits_at, poles_of
from halfcl.interval._formulas._search.programs import Step
from halfcl.interval._formulas.double_functions import FUNCTIONS
from halfcl.interval._formulas.doubles import EMPTY, DoubleInterval, Doubles, choose, point
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet, variables
from halfcl.interval._protocols import SYNONYMS

Integers: TypeAlias = NDArray[np.int64]

#: The number of points of a problem for which partners are sought, the best ones, beside some of
#: all; and the number of pairs of a problem that are kept, at each pole and elsewhere.
_POINTS, _KEPT = 3, 3
#: How often pairs are halved, and how many critical sets of a formula are tried.
_ROUNDS, _MOST = 54, 24
#: The number of evaluations in plain doubles that `find` takes, at least.
COST = 2 * _ROUNDS
#: By how many of their distances neighbours are moved apart again, so that intervals tell that
#: they are on different sides.
_DISTANCES = (0.0, 2.0**12)


class Critical(NamedTuple):
    """Where a part of a formula, in a slot, equals a number or another slot.

    function: that of the part which is zero there, if it is an angle: "cos" or "sin". poles: those
    of the operation.
    """

    slot: int
    at: float = 0.0
    other: int | None = None
    function: str = ""
    poles: tuple[Pole, ...] = ()

    def measure(self, slots: Sequence[Any]) -> Any:
        """Return by how much the part is beyond, in plain doubles."""
        part = slots[self.slot]
        if self.function:
            return np.cos(part) if self.function == "cos" else np.sin(part)
        return part - (self.at if self.other is None else slots[self.other])

    def enclose_measure(self, value: DoubleInterval) -> DoubleInterval:
        """Return by how much the part is beyond, from its enclosure."""
        if self.function:
            return FUNCTIONS[self.function](value)
        return doubles.sub(value, point(self.at))


_ZERO, _ONES = (0.0,), (-1.0, 1.0)
#: The numbers at which operations of one operand, or the base of powers, are critical.
_NUMBERS: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(("sqrt", "rsqrt", "log", "log2", "log10", "pow", "powr", "rootn"), _ZERO),
    **dict.fromkeys(("abs", "absolute", "fabs", "sign", "recip", "reciprocal", "cbrt"), _ZERO),
    **dict.fromkeys(("asin", "arcsin", "acos", "arccos", "atanh", "arctanh"), _ONES),
    **dict.fromkeys(("asinpi", "acospi"), _ONES),
    **dict.fromkeys(("acosh", "arccosh"), (1.0,)),
    **dict.fromkeys(("log1p", "log2p1", "log10p1"), (-1.0,)),
    **dict.fromkeys(("div", "divide", OVER, OVER_NONZERO, "atan2", "arctan2", "atan2pi"), _ZERO),
    **dict.fromkeys(("sqr", "square", "pown", "hypot"), _ZERO),
}
#: Operations that are 0 where an operand is, and whether they are for their other operands.
_ZERO_AT_ZERO: dict[str, Callable[..., bool]] = {
    **dict.fromkeys(("mul", "sqr", "abs", "sqrt"), lambda: True),
    "pown": lambda n: int(np.asarray(n).flat[0]) > 0,
}
_SINES = ("sin", "cos")
#: The operations of several operands whose critical one is not the first.
_OPERANDS = dict.fromkeys(("div", "divide", OVER, OVER_NONZERO), 1)
#: The operations that are critical where operands are equal.
_PIECES = ("min", "max", "minimum", "maximum", "fmin", "fmax", "clip", "clamp", "fdim", "step")


def _of_step(step: Step) -> list[Critical]:
    slot = step.operands[_OPERANDS.get(step.name, 0)]
    if step.name in ANGLES:
        poles = tuple(poles_of(step, slot, 0.0))
        return [Critical(slot, function=ANGLES[step.name], poles=poles)]
    if step.name in _PIECES:
        return [Critical(slot, other=other) for other in step.operands[1:]]
    return [
        Critical(slot, at, poles=tuple(poles_of(step, slot, at)))
        for at in _NUMBERS.get(step.name, ())
    ]


def criticals(path: Path) -> list[Critical]:
    """Return the critical sets of the operations and comparisons of a path."""
    steps = path.program.steps
    found = [c for step in steps if step.name not in _SINES for c in _of_step(step)]
    found += [Critical(a, other=b) for a, b in (c.slots for c in path.constraints)]
    by_slot = {step.slot: step for step in steps}
    for part in [c for c in found if c.poles and c.at == 0 and not c.function]:
        for factor in _factors(part.slot, by_slot):
            sides = (Pole(factor, 0.0, side) for side in (ABOVE, BELOW))
            found.append(Critical(factor, poles=tuple(sides)))
    if any(c.poles for c in found):
        found += [c for step in steps if step.name in _SINES for c in _of_step(step)]
    constants = path.program.constants
    return [c for c in dict.fromkeys(found)
            if c.slot not in constants or c.other not in (None, *constants)][:_MOST]  # fmt: skip


def _factors(slot: int, steps: Mapping[int, Step]) -> Iterator[int]:
    """Yield the slots that are 0 where this one is, as it is computed from them."""
    step = steps.get(slot)
    if step is not None and (is_zero := _ZERO_AT_ZERO.get(SYNONYMS.get(step.name, step.name))):
        for operand in step.operands if is_zero(*step.others) else ():
            yield operand
            yield from _factors(operand, steps)


class Edges(NamedTuple):
    """Pairs of neighbours on both sides of critical sets, with a row per variable."""

    problem: Integers  #: its number among those that were given
    critical: Integers
    near: Doubles
    far: Doubles
    value: Doubles  #: the lesser of both values, in plain doubles

    def __getitem__(self, index: Any) -> Edges:
        return Edges(
            self.problem[index], self.critical[index], self.near[:, index], self.far[:, index],
            self.value[index],
        )  # fmt: skip


def find(
    plain: PlainProgram, sets: Sequence[Critical], points: Doubles, widths: Doubles, falls: Truths
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
    order = np.argsort(values, axis=1)
    best = np.concatenate([order[:, :_POINTS], order[:, number // 4 :: number // 4]], axis=1)
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
    own_variables = np.array([plain.depends_on(c.slot, c.other) for c in sets])[critical].T
    other = np.where(own_variables, points[:, problem, partner[valid]], one)
    is_near = own[critical, problem, place] < 0
    near, far = np.where(is_near, one, other), np.where(is_near, other, one)
    edges = Edges(problem, critical, near, far, np.zeros(len(problem)))
    return _best(sets, _approach(plain, sets, edges, falls))


def _approach(plain: PlainProgram, sets: Sequence[Critical], edges: Edges, falls: Truths) -> Edges:
    """Move the points of pairs together."""
    near, far = edges.near, edges.far
    ends = np.searchsorted(edges.critical, np.arange(len(sets) + 1))
    own = [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
    is_far = np.zeros(len(edges.problem), bool)
    used = {sets[i] for i in np.unique(edges.critical)}
    steps = plain.calls_for({slot for c in used for slot in (c.slot, c.other) if slot is not None})
    for _ in range(_ROUNDS):
        middle = near / 2 + far / 2
        slots = plain.slots(middle, steps)
        for critical, part in zip(sets, own, strict=True):
            if part.start < part.stop:
                measure = critical.measure(_Part(slots, part))
                is_far[part] = measure > 0
        near, far = np.where(is_far, near, middle), np.where(is_far, middle, far)
    values = np.minimum(*(plain.values(plain.slots(x), falls[edges.problem]) for x in (near, far)))
    return edges._replace(near=near, far=far, value=values)


class _Part:
    """The slots of some points."""

    def __init__(self, slots: Sequence[Any], part: slice) -> None:
        self.slots, self.part = slots, part

    def __getitem__(self, slot: int) -> Any:
        numbers = self.slots[slot]
        return numbers[self.part] if np.ndim(numbers) else numbers


def _best(sets: Sequence[Critical], edges: Edges) -> Edges:
    """Return the best pairs of each problem: at each pole, and elsewhere.

    At poles the worst ones are kept, too: all are close to infinity, and it depends on where they
    are whether their limits can be proved.
    """
    has_poles = np.array([bool(critical.poles) for critical in sets])[edges.critical]
    is_usable = has_poles | (edges.value < np.inf)
    edges, has_poles = edges[is_usable], has_poles[is_usable]
    group = np.where(has_poles, edges.critical, len(sets)) + (len(sets) + 1) * edges.problem
    order = np.lexsort((edges.value, group))
    group, edges = group[order], edges[order]
    is_new = np.diff(group, prepend=-1) != 0
    is_new |= (np.diff(edges.near, prepend=np.nan, axis=1) != 0).any(axis=0)
    group, edges, has_poles = group[is_new], edges[is_new], has_poles[order][is_new]
    before = np.arange(len(group)) - np.searchsorted(group, group)
    after = np.searchsorted(group, group, side="right") - np.arange(len(group)) - 1
    return edges[(before < _KEPT) | (has_poles & (after < _KEPT))]


def moved_apart(edges: Edges, low: Doubles, high: Doubles) -> Edges:
    """Return pairs at several distances; low, high: the bounds of the boxes of problems."""
    step = edges.far - edges.near
    low, high = low[:, edges.problem], high[:, edges.problem]
    nears = [np.clip(edges.near - k * step, low, high) for k in _DISTANCES]
    fars = [np.clip(edges.far + k * step, low, high) for k in _DISTANCES]
    index = np.tile(np.arange(len(edges.problem)), len(_DISTANCES))
    return edges[index]._replace(
        near=np.concatenate(nears, axis=1), far=np.concatenate(fars, axis=1)
    )


def values(
    path: Path, sets: Sequence[Critical], edges: Edges
) -> Iterator[tuple[Integers, Doubles, DoubleInterval]]:
    """Yield numbers of pairs, and points there or next to which a formula has values.

    Values may be limits, too, and are empty where nothing is proved.
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
    for start, at in ((0, edges.near), (count, edges.far)):
        own = slice(start, start + count)
        yield every, at, choose(is_known[own], result.value[own], EMPTY)
    for number in np.unique(edges.critical):
        critical = sets[number]
        if critical.poles or critical.other is not None:
            continue
        own = np.flatnonzero(edges.critical == number)
        near, far, around = (
            Ranges(jets, (3 * count,), own + start) for start in (0, count, 2 * count)
        )
        measures = [critical.enclose_measure(x.jet(critical.slot).value) for x in (near, far)]
        crosses = (measures[0].hi <= 0) & (measures[1].lo >= 0)
        parts = [box[own + 2 * count] for box in boxes]
        yield own, edges.near[:, own], _value_on(path, critical, parts, around, crosses)
    yield from _limits(path, sets, edges, jets, certain)


def limits(
    path: Path, sets: Sequence[Critical], edges: Edges
) -> Iterator[tuple[Integers, Doubles, DoubleInterval]]:
    """Yield numbers of pairs, and points next to which a formula has limits at poles."""
    low, high = np.minimum(edges.near, edges.far), np.maximum(edges.near, edges.far)
    low, high = (np.concatenate([edges.near, edges.far, x], axis=1) for x in (low, high))
    boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
    jets = path.program.evaluate(variables(boxes, 0))
    certain = np.broadcast_to(path.outcomes(jets)[0], low.shape[1:])
    yield from _limits(path, sets, edges, jets, certain)


def _limits(
    path: Path, sets: Sequence[Critical], edges: Edges, jets: Sequence[Jet], certain: Truths
) -> Iterator[tuple[Integers, Doubles, DoubleInterval]]:
    """Yield limits at poles; jets, certain: of both ends of pairs, and of boxes around them."""
    count = len(edges.problem)
    steps = path.program.steps_for({path.program.roots[0]})
    for number in np.unique(edges.critical):
        critical = sets[number]
        if not critical.poles:
            continue
        own = np.flatnonzero(edges.critical == number)
        near, far, around = (
            Ranges(jets, (3 * count,), own + start) for start in (0, count, 2 * count)
        )
        measures = [critical.enclose_measure(x.jet(critical.slot).value) for x in (near, far)]
        for pole in critical.poles:
            crosses = (
                (measures[0].hi <= 0) & (measures[1].lo > 0)
                if pole.side > 0
                else (measures[0].hi < 0) & (measures[1].lo >= 0)
            )
            if not crosses.any():
                continue
            value = limits_at(path.program, steps, pole, around, crosses & certain[own + 2 * count])
            if value is not None:
                yield own, edges.far[:, own], value


def _value_on(
    path: Path, critical: Critical, boxes: Sequence[DoubleInterval], ranges: Ranges, crosses: Truths
) -> DoubleInterval:
    """Return values of a formula where a part is critical inside of boxes."""
    program, slot = path.program, critical.slot
    at = Jet(
        point(np.full(crosses.shape, critical.at)), np.full(crosses.shape, LIPSCHITZ, np.uint8)
    )
    jets = program.evaluate(variables(boxes, 0), {slot: at})
    result = jets[program.roots[0]]
    is_taken = crosses & (ranges.jet(slot).level >= LIPSCHITZ)
    is_taken = is_taken & (result.level >= DEFINED) & path.outcomes(jets)[0]
    return choose(is_taken, result.value.map(np.broadcast_to, crosses.shape), EMPTY)
