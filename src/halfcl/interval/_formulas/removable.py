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

import contextlib
import contextvars
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas import double_functions, doubles
from halfcl.interval._formulas.doubles import (
    EMPTY,
    ONE,
    ZERO,
    DoubleInterval,
    Doubles,
    around,
    choose,
    point,
)
from halfcl.interval._formulas.jets import (
    DEFINED,
    LIPSCHITZ,
    SMOOTH,
    UNDEFINED,
    Jet,
    levels,
    variables,
)

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
        #: Whether it has a function that intervals lack, since it jumps.
        self.has_branches = False
        self._counts: dict[str, int] = {}

    def next_place(self, kind: str) -> Place:
        """Return the place of the next quotient of a kind."""
        self._counts[kind] = self._counts.get(kind, -1) + 1
        return kind, self._counts[kind]

    @property
    def counts(self) -> dict[str, int]:
        """The number of the last quotient of each kind."""
        return dict(self._counts)

    def count_from(self, counts: Mapping[str, int]) -> None:
        """Set the numbers of the last quotients, from which further ones count."""
        self._counts = dict(counts)

    def are_points(self) -> bool:
        """Return whether the formula is evaluated at points, such as the middles of boxes."""
        return all(value.lo is value.hi for value in self.values)


@runtime_checkable
class Divisible(Protocol):
    """A formula of jets that can be evaluated in part."""

    def __call__(self, *jets: Jet) -> object:
        """Return the result."""
        ...

    def part_with(self, places: Collection[Place]) -> JetFormula:
        """Return a formula that computes the operands of some quotients, which keep their places.

        Its results are of no use.
        """
        ...


_RUN: contextvars.ContextVar[Run | None] = contextvars.ContextVar("halfcl_removable", default=None)


def current_run() -> Run | None:
    """Return the evaluation that is under way."""
    return _RUN.get()


@contextlib.contextmanager
def running(run: Run) -> Iterator[None]:
    """Let the operations of an evaluation know of it."""
    token = _RUN.set(run)
    try:
        yield
    finally:
        _RUN.reset(token)


def _evaluate(f: JetFormula, run: Run, order: int) -> object:
    """Return a formula's result on the boxes of a run."""
    with running(run):
        return f(*variables(run.values, order))


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
        #: Whether the formula asks for truths of comparisons, or has a function that jumps and
        #: that intervals lack.
        self.has_branches = False

    @property
    def has_searched(self) -> bool:
        """A bool that is true once poles have been searched."""
        return self._poles is not None

    def _note(self, run: Run) -> None:
        self.has_arrays |= run.has_arrays
        self.has_branches |= run.has_branches

    def call_once(self, jets: Sequence[Jet]) -> object:
        """Return the result of the formula, whose poles are left as they are."""
        run = Run((), [x.value for x in jets], False)
        try:
            with running(run):
                return self.f(*jets)
        finally:
            self._note(run)

    def __call__(self, *jets: Jet) -> object:
        values, order = [x.value for x in jets], max(x.order for x in jets)
        poles = [p for p in self._poles or () if values[p.variable].has(p.at).any()]
        run = Run(poles, values, self.extends)
        result = _evaluate(self.f, run, min(order + 1, 2) if poles else order)
        self._note(run)
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
    where = doubles.shared_zeros(y.value, x.value)
    if where is None:
        return quotient
    for pole in run.poles:
        if pole.place == place:
            inside = where & _contains(run.values[pole.variable], pole.at)
            if run.are_points():  # slopes at a kink are those of one side alone
                inside = inside & (x.level >= SMOOTH) & (y.level >= SMOOTH)
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


def times_own_logarithm(w: DoubleInterval, name: str) -> DoubleInterval:
    """Return the range of w log w for w without negative numbers; it is 0 at 0."""

    def at(x: DoubleInterval) -> DoubleInterval:
        product = doubles.mul(x, double_functions.FUNCTIONS[name](x))
        return choose((x.lo == 0) & (x.hi == 0), ZERO, product)

    far = choose(np.isposinf(w.hi), point(w.hi), at(point(w.hi)))
    ends = doubles.hull(at(point(w.lo)), far)
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
    value = times_own_logarithm(inside, name)
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


class _Search(NamedTuple):
    """A search for common zeros of quotients' operands, in one variable of each."""

    f: JetFormula
    poles: list[Pole]  #: those known so far
    pairs: list[tuple[Place, int]]

    def operands(self, at: Sequence[DoubleInterval], order: int) -> dict[Place, tuple[Jet, Jet]]:
        """Return the operands of all quotients; known poles need second derivatives."""
        order = 2 if self.poles else order
        run = Run(self.poles, at, True)
        run.operands = {}
        if at[0].lo.size:
            _evaluate(self.f, run, order)
        return run.operands


def _find_poles(f: JetFormula, boxes: Sequence[DoubleInterval]) -> list[Pole]:
    """Return the common zeros of operands of quotients that may be 0 / 0 on boxes.

    Zeros at simple numbers are tried first, others if these do not suffice.
    """
    search = _search_of(f, boxes, [])
    for find in (_simple_zeros, *(_zeros_by_newton,) * _ROUNDS):
        poles = search.poles
        more = [pole for pole in _verify(search, boxes, find(search, boxes)) if pole not in poles]
        if not search.pairs or len(poles) > _MOST or (not more and find is _zeros_by_newton):
            break
        if more:
            search = _search_of(f, boxes, poles + more)
    return search.poles


def _search_of(f: JetFormula, boxes: Sequence[DoubleInterval], poles: list[Pole]) -> _Search:
    """Return a search for further common zeros."""
    pairs: dict[tuple[Place, int], None] = {}
    for part in _chunks(boxes):
        pairs |= dict.fromkeys(_open_pairs(f, part, poles))
    return _Search(_part_with(f, pairs), poles, list(pairs)[:_MOST])


def _part_with(f: JetFormula | Divisible, pairs: Iterable[tuple[Place, int]]) -> JetFormula:
    """Return a formula that computes the operands of the quotients of pairs, without more."""
    return f.part_with({place for place, _ in pairs}) if isinstance(f, Divisible) else f


def _chunks(boxes: Sequence[DoubleInterval]) -> Iterator[list[DoubleInterval]]:
    for start in range(0, boxes[0].lo.size, _BATCH):
        yield [box[start : start + _BATCH] for box in boxes]


def _open_pairs(
    f: JetFormula, boxes: Sequence[DoubleInterval], poles: Sequence[Pole]
) -> list[tuple[Place, int]]:
    """Return the quotients that may be 0 / 0, with each variable that both operands depend on."""
    run = Run(poles, boxes, True)
    run.operands = {}
    _evaluate(f, run, 2 if poles else 1)
    return [
        (place, i)
        for place in sorted(run.open)
        for i in sorted({*run.operands[place][0].slopes} & {*run.operands[place][1].slopes})
    ]


def _simple_zeros(search: _Search, boxes: Sequence[DoubleInterval]) -> list[Doubles]:
    """Return common zeros among zero, the bounds of boxes, and points that divide them evenly."""
    starts = [_starting_points(boxes, i) for _, i in search.pairs]
    return _common_zeros(search, [middles for middles, _ in starts], [at for _, at in starts])


def _zeros_by_newton(search: _Search, boxes: Sequence[DoubleInterval]) -> list[Doubles]:
    """Return common zeros of quotients' operands, by Newton's method for the divisor."""
    starts = [_starting_points(boxes, i, _POINTS // 4) for _, i in search.pairs]
    ats = [np.concatenate([at, at]) for _, at in starts]  # for simple zeros, and for double ones
    folds = [np.repeat([1.0, 2.0], len(at)) for _, at in starts]
    middles = [[np.concatenate([m, m]) for m in middles] for middles, _ in starts]
    limits = [(at.min(initial=np.inf), at.max(initial=-np.inf)) for _, at in starts]
    for _ in range(_STEPS):
        for number, (_, divisor) in enumerate(_at_points(search, middles, ats, 1)):
            slope = divisor.slopes.get(search.pairs[number][1], ZERO)
            step = (divisor.value.lo / 2 + divisor.value.hi / 2) / (slope.lo / 2 + slope.hi / 2)
            at = ats[number]
            moved = np.where(np.isfinite(step), at - folds[number] * step, at)
            ats[number] = np.clip(moved, *limits[number])
    near = [
        np.concatenate([at, *(np.round(at * n) / n for n in (1.0, 2.0**10, 2.0**24))]) for at in ats
    ]
    inside = [at[(at >= low) & (at <= high)] for at, (low, high) in zip(near, limits, strict=True)]
    return _common_zeros(search, [m for m, _ in starts], inside)


def _common_zeros(
    search: _Search, middles: Sequence[Sequence[Doubles]], numbers: Sequence[Doubles]
) -> list[Doubles]:
    """Return the numbers at which both operands are zero, where others are in the middle."""
    numbers = [np.unique(at + 0.0) for at in numbers]
    others = [
        [np.full(len(at), m[0] if len(m) else 0.0) for m in own]
        for own, at in zip(middles, numbers, strict=True)
    ]
    operands = _at_points(search, others, numbers, 0)
    return [
        at[_is_zero(x.value) & _is_zero(y.value)][:_MOST]
        for at, (x, y) in zip(numbers, operands, strict=True)
    ]


def _starting_points(
    boxes: Sequence[DoubleInterval], variable: int, count: int = _POINTS
) -> tuple[list[Doubles], Doubles]:
    """Return points spread over a variable's range in some boxes, others in the middle."""
    low, high = (np.clip([getattr(b, end) for b in boxes], -_FAR, _FAR) for end in ("lo", "hi"))
    usable = ~np.isnan(low).any(axis=0) & (low[variable] < high[variable])
    low, high = low[:, usable][:, :_BOXES], high[:, usable][:, :_BOXES]
    share = np.linspace(0.0, 1.0, count)[:, None]
    starts = low[variable] + share * (high[variable] - low[variable])
    starts = np.concatenate(
        [starts, np.clip(np.zeros((1, low.shape[1])), low[variable], high[variable])]
    )
    middles = [np.broadcast_to(m, starts.shape).ravel() for m in low / 2 + high / 2]
    return middles, starts.ravel()


def _at_points(
    search: _Search, others: Sequence[Sequence[Doubles]], ats: Sequence[Doubles], order: int
) -> list[tuple[Jet, Jet]]:
    """Return the operands of each pair's quotient at its points, which are evaluated together."""
    columns = [
        [at if i == variable else x for i, x in enumerate(own)]
        for (_, variable), own, at in zip(search.pairs, others, ats, strict=True)
    ]
    joined = [point(np.concatenate(rows)) for rows in zip(*columns, strict=True)]
    return _of_pairs(
        search, search.operands(joined, order) if joined else {}, [len(at) for at in ats]
    )


def _of_pairs(
    search: _Search, operands: dict[Place, tuple[Jet, Jet]], counts: Sequence[int]
) -> list[tuple[Jet, Jet]]:
    """Return the operands of each pair's quotient on its own boxes; undefined if there is none."""
    total, start, parts = sum(counts), 0, []
    for (place, _), count in zip(search.pairs, counts, strict=True):
        own = slice(start, start + count)
        x, y = operands.get(place, (_NOTHING, _NOTHING))
        parts.append((_part(x, own, total), _part(y, own, total)))
        start += count
    return parts


def _part(jet: Jet, index: slice, count: int) -> Jet:
    """Return a jet on some boxes."""

    def cut(x: DoubleInterval) -> DoubleInterval:
        return x.broadcast((count,))[index]

    return Jet(
        cut(jet.value),
        np.broadcast_to(jet.level, (count,))[index],
        jet.order,
        {i: cut(slope) for i, slope in jet.slopes.items()},
    )


_NOTHING = Jet(EMPTY, levels(np.False_))


def _is_zero(x: DoubleInterval) -> Truths:
    return np.asarray((x.lo == 0) & (x.hi == 0))


def _verify(
    search: _Search, boxes: Sequence[DoubleInterval], ats: Sequence[Doubles]
) -> Iterator[Pole]:
    """Yield poles at which both operands are exactly zero, in each box that contains them."""
    slices = [
        (number, float(at), np.flatnonzero(boxes[variable].has(at)))
        for number, ((_, variable), own) in enumerate(zip(search.pairs, ats, strict=True))
        for at in own
    ]
    slices = [s for s in slices if len(s[2])]
    slices.sort(key=lambda s: search.pairs[s[0]][1])
    for order in (0, 1):  # most are refuted by values alone
        results = list(_on_slices(search, boxes, slices, order))
        slices = [s for s, (is_zero, _) in zip(slices, results, strict=True) if is_zero]
    for (number, at, _), (_, is_double) in zip(slices, (r for r in results if r[0]), strict=True):
        yield Pole(*search.pairs[number], at, is_double)


def _on_slices(
    search: _Search,
    boxes: Sequence[DoubleInterval],
    slices: Sequence[tuple[int, float, NDArray[np.intp]]],
    order: int,
) -> Iterator[tuple[bool, bool]]:
    """Yield for each slice whether both operands are zero there, and their first derivatives.

    Slices in the same variable are evaluated together.
    """
    for (i, _), group in itertools.groupby(
        enumerate(slices), lambda item: (search.pairs[item[1][0]][1], item[0] // _MOST)
    ):
        batch = [item for _, item in group]
        index = np.concatenate([own for _, _, own in batch])
        counts = [len(own) for _, _, own in batch]
        at = [box[index] for box in boxes]
        at[i] = point(np.repeat([x for _, x, _ in batch], counts))
        own = search._replace(pairs=[search.pairs[number] for number, _, _ in batch])
        for operands in _of_pairs(own, search.operands(at, order), counts):
            is_zero = all((_is_zero(x.value) & (x.level >= LIPSCHITZ)).all() for x in operands)
            firsts = [x.slopes.get(i, ZERO) for x in operands]
            yield is_zero, all(bool(_is_zero(first).all()) for first in firsts)
