"""Removable poles: quotients at common zeros, and products of zeros and logarithms of zero.

Let f and g be zero where the variable x_i is c, whatever the others are, and let their slopes in
x_i over a box be F and G, without 0 in G. Off c, f / g is (f - 0) / (g - 0), a quotient of
differences between the same two points. These are slopes times x_i - c, which cancels: f / g is in
F / G (Cauchy's mean value theorem). If the first derivatives in x_i are zero at c, too, f is
(x_i - c)^2 times a mean of its second derivatives by Taylor's theorem, and so is g, with the same
weights' sum of one half: f / g is in the quotient of the second derivatives. Both hold for
the limit at c, so they enclose the continuous extension of f / g.

That extension has slopes: f is (x_i - c) p with p the mean of f's slope between c and x_i, so p is
in F, its slope in x_i is in half of f's second derivative there, and its slope in x_j is in the
mixed derivative. The same holds for g = (x_i - c) q; so p / q has the slope (p' - (p / q) q') / q.

That f and g are zero at c is decided by evaluating them there, in intervals: both must be exactly
[0, 0], on the whole slice of the box. Approximate zeros only say where to look.
"""

from __future__ import annotations

import contextvars
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import double_functions, doubles
from halfcl.interval._formulas.doubles import (
    ONE,
    ZERO,
    DoubleInterval,
    Doubles,
    around,
    choose,
    point,
)
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, SMOOTH, UNDEFINED, Jet, variables

#: Which quotient of a formula: its kind, and its number in the order of evaluation.
Place: TypeAlias = tuple[str, int]
#: A formula of jets.
JetFormula: TypeAlias = Callable[..., object]

#: How many boxes are searched for common zeros, from how many points, with how many Newton steps.
_BOXES, _POINTS, _STEPS = 8, 33, 7
#: How many poles are kept, how often quotients of quotients are searched, and boxes per call.
_MOST, _ROUNDS, _BATCH = 64, 3, 1 << 13
_FAR = 2.0**16  #: the farthest common zeros


class Pole(NamedTuple):
    """A common zero of a quotient's operands, on all boxes that contain it."""

    place: Place
    variable: int
    at: float
    is_double: bool  #: whether the first derivatives are zero, too


class Run:
    """One evaluation of a formula. It numbers the quotients, and knows their removable poles.

    extends: whether quotients become their continuous extensions; else they stay undefined at
    poles, and only their ranges are those of the extensions.
    """

    def __init__(
        self, poles: Sequence[Pole], values: Sequence[DoubleInterval], extends: bool
    ) -> None:
        self.poles, self.values, self.extends = poles, values, extends
        #: The quotients that may be 0 / 0 and have no known pole there.
        self.open: set[Place] = set()
        #: The operands of quotients, if they are wanted.
        self.operands: dict[Place, tuple[Jet, Jet]] | None = None
        #: Whether the formula makes arrays of its arguments.
        self.has_arrays = False
        self._counts: dict[str, int] = {}

    def next_place(self, kind: str) -> Place:
        """Return the place of the next quotient of a kind."""
        self._counts[kind] = self._counts.get(kind, -1) + 1
        return kind, self._counts[kind]

    def are_points(self) -> bool:
        """Return whether the formula is evaluated at points, such as the middles of boxes."""
        return all(value.lo is value.hi for value in self.values)


_RUN: contextvars.ContextVar[Run | None] = contextvars.ContextVar("halfcl_removable", default=None)


def current_run() -> Run | None:
    """Return the evaluation that is under way."""
    return _RUN.get()


def _evaluate(f: JetFormula, run: Run, order: int) -> object:
    """Return a formula's result on the boxes of a run."""
    token = _RUN.set(run)
    try:
        return f(*variables(run.values, order))
    finally:
        _RUN.reset(token)


class Extended:
    """A formula of jets whose removable poles are removed, on parts of some boxes.

    boxes: the boxes, in one dimension; common zeros are searched when a quotient on a part of them
    may first be 0 / 0.
    """

    def __init__(
        self, f: JetFormula, boxes: Sequence[DoubleInterval], extends: bool = True
    ) -> None:
        self.f, self.boxes, self.extends = f, boxes, extends
        self._poles: list[Pole] | None = None
        #: Whether the formula makes arrays of its arguments.
        self.has_arrays = False
        #: Whether the formula asks for truths of comparisons.
        self.has_branches = False

    @property
    def has_searched(self) -> bool:
        """A bool that is true once poles have been searched."""
        return self._poles is not None

    def call_once(self, jets: Sequence[Jet]) -> object:
        """Return the result of the formula, whose poles are left as they are."""
        run = Run((), [x.value for x in jets], False)
        token = _RUN.set(run)
        try:
            return self.f(*jets)
        finally:
            _RUN.reset(token)
            self.has_arrays |= run.has_arrays

    def __call__(self, *jets: Jet) -> object:
        values, order = [x.value for x in jets], max(x.order for x in jets)
        poles = [p for p in self._poles or () if values[p.variable].has(p.at).any()]
        run = Run(poles, values, self.extends)
        result = _evaluate(self.f, run, min(order + 1, 2) if poles else order)
        self.has_arrays |= run.has_arrays
        if run.open and self._poles is None:
            self._poles = []  # so that the search does not search
            self._poles = _find_poles(self.f, self.boxes)
            if self._poles:
                return self(*variables(values, order))
        return result


# ---------------------------------------------------------------- quotients


def extend(place: Place, run: Run, x: Jet, y: Jet, quotient: Jet) -> Jet:
    """Return a quotient of jets with its range at common zeros; ``quotient`` is the plain one."""
    if run.operands is not None:
        run.operands[place] = x, y
    where = y.value.has(0) & x.value.has(0)
    if not where.any():
        return quotient
    for pole in run.poles:
        if pole.place == place:
            inside = where & _contains(run.values[pole.variable], pole.at)
            quotient, done = _extend_at(pole, inside, run.extends, (x, y), quotient)
            where = where & ~done
    if where.any():
        run.open.add(place)
    return quotient


def _contains(box: DoubleInterval, at: float) -> Truths:
    """Return which boxes contain a pole and points beside it, or are the point itself.

    On a box that is only the pole, given as a box, the quotient is defined nowhere.
    """
    inside = box.has(at)
    return inside if box.lo is box.hi else inside & (box.lo < box.hi)


def _extend_at(
    pole: Pole, inside: Truths, extends: bool, operands: tuple[Jet, Jet], quotient: Jet
) -> tuple[Jet, Truths]:
    """Return a quotient that is extended at one pole, and where that was possible."""
    i, (x, y) = pole.variable, operands
    least = np.minimum(x.level, y.level)
    first, second = (jet.slopes.get(i, ZERO) for jet in operands)
    simple = inside & (least >= LIPSCHITZ) & ~second.has(0) & ~second.is_empty
    value = choose(simple, doubles.div(first, second), quotient.value)
    slopes, level = dict(quotient.slopes), quotient.level
    has_slopes = simple & (least >= SMOOTH) if min(x.order, y.order) > 1 else simple & False
    level = np.where(simple, np.uint8(DEFINED), level)
    double = simple & False
    if min(x.order, y.order) > 1:
        for j in {*x.slopes, *y.slopes}:
            slope = _slope_of_extension(i, j, operands, value)
            slopes[j] = choose(has_slopes, slope, slopes.get(j, ZERO))
        level = np.where(has_slopes, np.uint8(LIPSCHITZ), level)
        top, bottom = (jet.curvatures.get((i, i), ZERO) for jet in operands)
        double = inside & ~simple & pole.is_double & (least >= SMOOTH) & ~bottom.has(0)
        value = choose(double, doubles.div(top, bottom), value)
        level = np.where(double, np.uint8(DEFINED), level)
    done = simple | double
    level = level if extends else np.where(done, np.uint8(UNDEFINED), quotient.level)
    return Jet(value, level, quotient.order, slopes, quotient.curvatures), done


def _slope_of_extension(
    i: int, j: int, operands: tuple[Jet, Jet], value: DoubleInterval
) -> DoubleInterval:
    """Return the slope in variable j of a quotient extended at a pole in variable i."""
    share = point(0.5) if i == j else ONE
    key = (min(i, j), max(i, j))
    top, bottom = (doubles.mul(share, jet.curvatures.get(key, ZERO)) for jet in operands)
    change = doubles.sub(top, doubles.mul(value, bottom))
    return doubles.div(change, operands[1].slopes.get(i, ZERO))


# ---------------------------------------------------------------- products with logarithms

_TURN = around(math.exp(-1))  #: where w log w is the least


def _times_own_logarithm(w: DoubleInterval, name: str) -> DoubleInterval:
    """Return the range of w log w for w without negative numbers; it is 0 at 0."""

    def at(x: DoubleInterval) -> DoubleInterval:
        product = doubles.mul(x, double_functions.FUNCTIONS[name](x))
        return choose((x.lo == 0) & (x.hi == 0), ZERO, product)

    ends = doubles.hull(at(point(w.lo)), at(point(w.hi)))
    turns = (w.lo < _TURN.hi) & (w.hi > _TURN.lo)
    return choose(turns, doubles.hull(ends, at(_TURN)), ends)


def extend_product(
    run: Run, x: Jet, logarithm: Jet, product: Jet, divide: Callable[[Jet, Jet], Jet]
) -> Jet:
    """Return x log w where w may be zero: it is (x / w) (w log w), and w log w has the limit 0."""
    assert logarithm.log_of is not None
    w, name = logarithm.log_of
    place = run.next_place("log")
    where = x.value.has(0) & w.value.has(0)
    if not run.are_points():
        where = where & (w.value.lo < w.value.hi)
    if not where.any() and run.operands is None:
        return product
    share = None if x.is_same(w) else extend(place, run, x, w, divide(x, w))
    inside = DoubleInterval(np.maximum(w.value.lo, 0.0), w.value.hi)
    value = _times_own_logarithm(inside, name)
    value = value if share is None else doubles.mul(share.value, value)
    usable = where & ~value.is_empty
    least = np.minimum(x.level, w.level if share is None else np.minimum(w.level, share.level))
    extended = np.where(usable & (least >= DEFINED) & (w.value.lo == 0), DEFINED, UNDEFINED)
    level = product.level | extended
    return Jet(
        choose(usable, value, product.value),
        level.astype(np.uint8) if run.extends else product.level,
        product.order,
        product.slopes,
        product.curvatures,
    )


# ---------------------------------------------------------------- the search for common zeros


def _find_poles(f: JetFormula, boxes: Sequence[DoubleInterval]) -> list[Pole]:
    """Return the common zeros of operands of quotients that may be 0 / 0 on boxes.

    Zeros at simple numbers are tried first, others if these do not suffice.
    """
    poles: list[Pole] = []
    for search in (_simple_zeros, *(_zeros_by_newton,) * _ROUNDS):
        places: dict[Place, set[int]] = {}
        for part in _chunks(boxes):
            places |= _open_places(f, part, poles)
        more = [
            pole
            for place, own in places.items()
            for i in sorted(own)
            for at in search(f, boxes, poles, place, i)
            if (pole := _verify(f, boxes, poles, place, i, at)) and pole not in poles
        ]
        if not places or len(poles) > _MOST or (not more and search is _zeros_by_newton):
            break
        poles += more
    return poles


def _chunks(boxes: Sequence[DoubleInterval]) -> Iterator[list[DoubleInterval]]:
    for start in range(0, boxes[0].lo.size, _BATCH):
        yield [box[start : start + _BATCH] for box in boxes]


def _open_places(
    f: JetFormula, boxes: Sequence[DoubleInterval], poles: Sequence[Pole]
) -> dict[Place, set[int]]:
    """Return the quotients that may be 0 / 0, and the variables that their divisors depend on."""
    run = Run(poles, boxes, True)
    run.operands = {}
    _evaluate(f, run, 2)
    return {place: set(run.operands[place][1].slopes) for place in run.open}


def _operands(
    f: JetFormula, boxes: Sequence[DoubleInterval], poles: Sequence[Pole], place: Place, order: int
) -> tuple[Jet, Jet] | None:
    """Return the operands of a quotient on boxes; None if it was not evaluated there."""
    run = Run(poles, boxes, True)
    run.operands = {}
    _evaluate(f, run, order)
    return run.operands.get(place)


def _simple_zeros(
    f: JetFormula,
    boxes: Sequence[DoubleInterval],
    poles: Sequence[Pole],
    place: Place,
    variable: int,
) -> list[float]:
    """Return common zeros among zero, the bounds of boxes, and points that divide them evenly."""
    middles, starts = _starting_points(boxes, variable)
    return _common_zeros(f, poles, place, variable, middles, starts)


def _zeros_by_newton(
    f: JetFormula,
    boxes: Sequence[DoubleInterval],
    poles: Sequence[Pole],
    place: Place,
    variable: int,
) -> list[float]:
    """Return common zeros of a quotient's operands, by Newton's method for the divisor."""
    middles, starts = _starting_points(boxes, variable)
    at = np.concatenate([starts, starts])  # for simple zeros, and for double ones
    fold = np.repeat([1.0, 2.0], len(starts))
    others = [np.concatenate([m, m]) for m in middles]
    low, high = starts.min(initial=np.inf), starts.max(initial=-np.inf)
    for _ in range(_STEPS):
        operands = _at_points(f, poles, place, variable, others, at)
        if operands is None:
            return []
        divisor = operands[1]
        value, slope = divisor.value, divisor.slopes.get(variable, ZERO)
        step = (value.lo / 2 + value.hi / 2) / (slope.lo / 2 + slope.hi / 2)
        at = np.clip(np.where(np.isfinite(step), at - fold * step, at), low, high)
    near = np.concatenate([at, *(np.round(at * n) / n for n in (1.0, 2.0**10, 2.0**24))])
    inside = near[(near >= low) & (near <= high)]
    return _common_zeros(f, poles, place, variable, middles, inside)


def _common_zeros(
    f: JetFormula,
    poles: Sequence[Pole],
    place: Place,
    variable: int,
    middles: Sequence[Doubles],
    numbers: Doubles,
) -> list[float]:
    """Return the numbers at which both operands are zero, where others are in the middle."""
    numbers = np.unique(numbers + 0.0)
    others = [np.full(len(numbers), m[0]) for m in middles if len(m)]
    operands = _at_points(f, poles, place, variable, others, numbers)
    if operands is None:
        return []
    zero = _is_zero(operands[0].value) & _is_zero(operands[1].value)
    return [float(x) for x in numbers[np.broadcast_to(zero, numbers.shape)][:_MOST]]


def _starting_points(
    boxes: Sequence[DoubleInterval], variable: int
) -> tuple[list[Doubles], Doubles]:
    """Return points spread over a variable's range in some boxes, others in the middle."""
    low, high = (np.clip([getattr(b, end) for b in boxes], -_FAR, _FAR) for end in ("lo", "hi"))
    usable = ~np.isnan(low).any(axis=0) & (low[variable] < high[variable])
    low, high = low[:, usable][:, :_BOXES], high[:, usable][:, :_BOXES]
    share = np.linspace(0.0, 1.0, _POINTS)[:, None]
    starts = low[variable] + share * (high[variable] - low[variable])
    starts = np.concatenate(
        [starts, np.clip(np.zeros((1, low.shape[1])), low[variable], high[variable])]
    )
    middles = [np.broadcast_to(m, starts.shape).ravel() for m in low / 2 + high / 2]
    return middles, starts.ravel()


def _at_points(
    f: JetFormula,
    poles: Sequence[Pole],
    place: Place,
    variable: int,
    others: Sequence[Doubles],
    at: Doubles,
) -> tuple[Jet, Jet] | None:
    points = [point(at if i == variable else x) for i, x in enumerate(others)]
    return _operands(f, points, poles, place, 1) if len(at) else None


def _is_zero(x: DoubleInterval) -> Truths:
    return np.asarray((x.lo == 0) & (x.hi == 0))


def _verify(
    f: JetFormula,
    boxes: Sequence[DoubleInterval],
    poles: Sequence[Pole],
    place: Place,
    variable: int,
    at: float,
) -> Pole | None:
    """Return a pole if both operands are exactly zero there, in each box that contains it."""
    inside = boxes[variable].has(at)
    if not inside.any():
        return None
    is_double = True
    for part in _chunks([box[inside] for box in boxes]):
        part[variable] = point(np.full(part[0].lo.size, at))
        operands = _operands(f, part, poles, place, 2)
        if operands is None or not all(
            (_is_zero(x.value) & (x.level >= LIPSCHITZ)).all() for x in operands
        ):
            return None
        firsts = [x.slopes.get(variable, ZERO) for x in operands]
        is_double &= all(bool(_is_zero(first).all()) for first in firsts)
    return Pole(place, variable, at, is_double)
