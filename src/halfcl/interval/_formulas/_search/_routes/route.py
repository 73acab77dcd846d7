"""One path through a formula, and its evaluation on pieces and at points."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.forms import MOST_STEPS, rewritten
from halfcl.interval._formulas._search._pieces.pieces import Pieces
from halfcl.interval._formulas._search._routes.integral import rounded_down, without_floors
from halfcl.interval._formulas._search._routes.moves import moves_on_path
from halfcl.interval._formulas._search._routes.specialized import (
    decisions,
    has_extrema,
    specialize,
)
from halfcl.interval._formulas._search._routes.useful import UsefulForms
from halfcl.interval._formulas._search._symmetries.faces import Symmetries
from halfcl.interval._formulas._search._symmetries.monotone import Monotone, monotone_variables
from halfcl.interval._formulas._search._symmetries.permutations import permutations
from halfcl.interval._formulas._search._values import critical
from halfcl.interval._formulas._search._values.plain import PlainProgram
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.unbounded import Culprits, Votes
from halfcl.interval._formulas.doubles import ZERO, DoubleInterval, Doubles, point
from halfcl.interval._formulas.forms import evaluate, formula_of
from halfcl.interval._formulas.jets import DEFINED, SMOOTH, Jet, variables
from halfcl.interval._formulas.removable import Extended
from halfcl.interval._protocols import SYNONYMS

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

#: The elements of an operation on arrays that take as long as a call; and of those that take least.
_ARRAY, _LINEAR_ARRAY = 256, 2048
_LINEAR = frozenset(("add", "sub", "neg", "positive", "min", "max", "total"))
#: The work of an operation in plain doubles.
_PLAIN = 0.08
#: The share of widths that is worth another route.
_NARROWER = 0.95
#: The relative width of values at points that are precise enough, and the least half.
_NARROW, _LEAST = 2.0**-20, 2.0**-24


def _is_narrow(x: DoubleInterval) -> Truths:
    """Return whether intervals are hardly wider than the rounding of doubles makes them."""
    return np.asarray(x.hi - x.lo <= _NARROW * np.maximum(np.abs(x.lo), _LEAST))


def _replace(x: DoubleInterval, where: Truths, y: DoubleInterval) -> DoubleInterval:
    """Return intervals of which some are others."""
    low, high = np.empty((2, len(where)))
    low[:], high[:] = x.lo, x.hi
    low[where], high[where] = y.lo, y.hi
    return DoubleInterval(low, high)


def _replace_jet(jet: Jet, where: Truths, other: Jet) -> Jet:
    """Return the values and slopes of a jet, of which some are those of another one."""
    slopes = {
        i: _replace(jet.slopes.get(i, ZERO), where, other.slopes.get(i, ZERO))
        for i in {*jet.slopes, *other.slopes}
    }
    return Jet(_replace(jet.value, where, other.value), jet.level, 1, slopes)


def _is_precise(x: DoubleInterval) -> Truths:
    """Return whether intervals are numbers, or so narrow that they need not be narrower.

    The latter do not contain a half, so that both bounds are between the same ones.
    """
    is_half = x.lo == doubles.lower_by_ranks(x.lo, 0)
    has_none = (doubles.ranks_below(x.lo) == doubles.ranks_below(x.hi)) & ~is_half
    return np.asarray((x.lo == x.hi) | (_is_narrow(x) & has_none))


class Route:
    """One path through a formula, or the formula itself where it cannot be recorded.

    bounding: what encloses it on pieces: itself, or a path of other forms; see `_rewriting`. That
    may also have values where the formula is undefined, and then is_continued. integers: the
    variables that must be integers for it to have the formula's values; see `integral`.
    """

    def __init__(
        self,
        path: object,
        f: Extended,
        boxes: Sequence[DoubleInterval],
        bounding: Route | None = None,
        is_continued: bool = False,
        integers: Sequence[int] = (),
    ) -> None:
        self.is_continued, self.boxes, self.integers = is_continued, boxes, integers
        self.path = path if isinstance(path, Path) else None
        self.f = formula_of(path, f, boxes)
        self.bounding = self if bounding is None else bounding
        #: whether more evaluations may be worth their time
        self.is_short = self.path is not None and len(self.path.program.steps) <= MOST_STEPS
        #: the parts with other forms, as the formula computes them
        self.own_parts = self.path.program.own_parts() if self.path and is_continued else []
        self._symmetries: Symmetries | None = None
        self._monotone: Monotone | None = None
        self._useful: UsefulForms | None = None
        self._lean: Route | None = None
        self._past_work = 0.0
        #: whether hardly anything was decided on some pieces; see `narrowing`
        self.is_undecided = False
        #: operations on arrays so far, of _ARRAY elements each
        self.work = 0.0

    def lean(self) -> Route:
        """Return what bounds this on pieces, without the forms that have not been useful."""
        path = self.bounding.path
        if self._useful is None or path is None:
            return self.bounding
        if self._lean is None:
            shorter, integers = self._useful.shorten(path), self.bounding.integers
            self._lean = Route(shorter, self.f, self.boxes, None, True, integers)
        return self._lean

    def note_useful_forms(self) -> None:
        """Note which forms have been useful on the pieces on which they were evaluated last."""
        path = self.bounding.path
        if self.bounding is self or path is None:
            return
        if self._useful is None:
            self._useful = UsefulForms(path.program)
        if self._useful.add(path.program.jets) and self._lean is not None:
            self._past_work += self._lean.work
            self._lean = None

    @property
    def all_work(self) -> float:
        """The work for all evaluations."""
        routes = [self, *([] if self.bounding is self else [self.bounding])]
        routes += [] if self._lean is None else [self._lean]
        return self._past_work + sum(route.work + route.plain_work for route in routes)

    @functools.cached_property
    def _work_of_box(self) -> float:
        """The work for each box beside that of calls."""
        steps = [] if self.path is None else self.path.program.steps
        count = sum(SYNONYMS.get(step.name, step.name) in _LINEAR for step in steps)
        return count / _LINEAR_ARRAY + (len(steps) - count) / _ARRAY

    @functools.cached_property
    def plain(self) -> PlainProgram | None:
        """The path in plain doubles."""
        return None if self.path is None else PlainProgram(self.path)

    @functools.cached_property
    def culprits(self) -> Culprits | None:
        """Finds the variables by which bounds are lost."""
        return None if self.path is None else Culprits(self.path.program)

    @functools.cached_property
    def critical(self) -> list[critical.Critical]:
        """The critical sets of the path; its poles alone if it may be defined elsewhere."""
        sets = [] if self.path is None else critical.criticals(self.path)
        return [part for part in sets if part.poles] if self.is_continued else sets

    @functools.cached_property
    def can_be_narrowed(self) -> bool:
        """A bool that is true of long paths with extrema, which are decided on small pieces."""
        return self.path is not None and not self.is_short and has_extrema(self.path.program)

    def evaluate(
        self, boxes: Sequence[DoubleInterval], order: int, fixed: Collection[int] = ()
    ) -> tuple[Jet, Truths, Truths]:
        """Return the jet of the formula, where the path is taken for all points, and for some.

        fixed: variables that are one number on each box. Derivatives in these are not computed, but
        for removable poles.
        """
        if self.path is not None:
            steps = self.path.program.steps
            self.work += (len(steps) + boxes[0].lo.size * self._work_of_box) * (1 + order)
        had_searched = self.f.has_searched
        jet = evaluate(self.f, boxes, order, () if had_searched else fixed)
        if self.f.has_searched and not had_searched:  # that has lower_end jets of other boxes
            jet = evaluate(self.f, boxes, order)
        if self.path is None or not self.path.constraints:
            return jet, np.ones(jet.level.shape, bool), np.ones(jet.level.shape, bool)
        certain, possible, _ = self.path.outcomes(self.path.program.jets)
        return jet, np.asarray(certain), np.asarray(possible)

    def _evaluate_at(self, at: Doubles, order: int) -> tuple[Jet, Truths, Truths]:
        """Return what `evaluate` does at points."""
        return self.evaluate([point(c) for c in rounded_down(at, self.integers)], order)

    def at_points(self, at: Doubles) -> tuple[DoubleInterval, Truths, Truths]:
        """Return values at points, where they are defined, and where the path is taken, too."""
        jet, certain, _ = self._evaluate_at(at, 0)
        value = jet.value
        is_known = np.asarray(jet.level >= DEFINED)
        if self.path is not None and self.path.may_underflow and not is_known.all():
            is_known = np.asarray(self.path.is_defined(self.path.program.jets))
        is_known &= ~value.is_empty
        if self.bounding is not self:
            is_rough = ~(is_known & certain & _is_precise(value))
            value, certain, is_known = self.bounding._refine_at_points(
                at, is_rough, value, certain, is_known
            )
        is_defined = is_known & ~value.is_empty
        return value, is_defined, is_defined & certain

    def slopes_at(self, at: Doubles, reach: Doubles) -> Jet:
        """Return values and slopes at points, of the other form where these are not precise.

        reach: how far the slopes are used, with a row per variable.
        """
        jet, _, _ = self._evaluate_at(at, 1)
        if self.bounding is self:
            return jet
        is_rough = ~_is_narrow(jet.value) | (jet.level < SMOOTH)
        error = _NARROW * np.maximum(np.abs(jet.value.lo), _LEAST)
        for i, slope in jet.slopes.items():
            is_rough |= ~_is_narrow(slope) & ~((slope.hi - slope.lo) * reach[i] <= error)
        if is_rough.any():
            other, _, _ = self.bounding._evaluate_at(at[:, is_rough], 1)
            jet = _replace_jet(jet, is_rough, other)
        return jet

    def _refine_at_points(
        self, at: Doubles, where: Truths, value: DoubleInterval, certain: Truths, is_known: Truths
    ) -> tuple[DoubleInterval, Truths, Truths]:
        """Return what is known at points, replaced by what this path knows.

        That are values, where the path is taken, and where the formula is defined: by other forms
        of its parts, too, if all these are defined themselves.
        """
        if not where.any():
            return value, certain, is_known
        jet, is_taken, _ = self._evaluate_at(at[:, where], 0)
        certain = np.broadcast_to(certain, where.shape).copy()
        certain[where] = is_taken
        is_known = np.broadcast_to(is_known, where.shape).copy()
        is_known[where] |= self.is_formula_defined(jet)
        return _replace(value, where, jet.value), certain, is_known

    def is_formula_defined(self, jet: Jet) -> Truths:
        """Return whether the formula is defined on the boxes evaluated last.

        It is not if one of its parts is not, though another form of that part is.
        """
        is_defined = np.asarray(jet.level >= DEFINED)
        if self.path is not None:
            jets = self.path.program.jets
            for slot in self.own_parts:
                is_defined = is_defined & (jets[slot].level >= DEFINED)
        return is_defined

    @property
    def plain_work(self) -> float:
        """The work in plain doubles."""
        if "plain" not in self.__dict__ or self.plain is None:
            return 0.0
        return self.plain.evaluated * len(self.plain.program.steps) * _PLAIN

    @property
    def edge_work(self) -> float:
        """The least work of a search for values at critical sets."""
        return 0.0 if self.plain is None else critical.COST * len(self.plain.program.steps) * _PLAIN

    def is_defined_on(self, pieces: Pieces) -> Truths:
        """Return whether what bounds the formula is defined on pieces.

        At a removable pole it is not, if the piece is that pole alone: a limit there is the least
        value of a monotone function, but not one of the range on the pole.
        """
        if not len(pieces):
            return np.zeros(0, bool)
        jet, _, _ = self.bounding.evaluate(pieces.boxes(), 0)
        return np.asarray((jet.level >= DEFINED) & ~jet.value.is_empty)

    @property
    def symmetries(self) -> Symmetries | None:
        """The symmetries of the path, if it is short and has several variables."""
        if self._symmetries is None and self.path is not None:
            program = self.path.program
            if program.count > 1 and len(program.steps) <= MOST_STEPS:
                self._symmetries = Symmetries(self.path)
        return self._symmetries

    @functools.cached_property
    def permutations(self) -> list[list[int]]:
        """The exchanges of variables that leave the formula as it is, if it has one short path."""
        if self.path is None or self.path.constraints or not self.is_short:
            return []
        return permutations(self.path.program)

    def ends(self, pieces: Pieces) -> Truths | None:
        """Return the variables of pieces at whose ends the extremes are, with a row for each."""
        if self.path is None or self.path.constraints:
            return None
        if self._monotone is None:
            self._monotone = monotone_variables(self.path.program)
        monotone, everywhere = self._monotone
        if not monotone.any():
            return None
        is_wide = (pieces.low < pieces.high) & np.isfinite(pieces.low) & np.isfinite(pieces.high)
        can = np.broadcast_to(everywhere[:, None], is_wide.shape)
        if (monotone > everywhere).any():
            jet, _, _ = self.evaluate(pieces.boxes(), 0)
            can = can | (monotone[:, None] & (jet.level >= DEFINED))
        return np.asarray(is_wide & can)

    def votes(self, jet: Jet, count: int) -> Votes | None:
        """Return how many operations lose bounds by variables on the boxes evaluated last."""
        if self.path is None or self.culprits is None or jet.value.is_bounded.all():
            return None
        return self.culprits.votes(self.path.program.jets, count)

    def moves(self, certain: Truths) -> tuple[Truths, Truths]:
        """Return whether moves up, and down, keep to the path on the boxes evaluated last.

        With a row per variable. certain: the boxes all of whose points take the path.
        """
        if self.path is None or not self.path.constraints:
            every: Truths = np.reshape(certain, (1, -1))
            return every, every
        return moves_on_path(self.path, self.path.program.jets, certain)

    def narrow(self, jet: Jet, boxes: Sequence[DoubleInterval]) -> DoubleInterval:
        """Return the values on the boxes evaluated last, where the path is taken."""
        if self.path is None or not self.path.constraints:
            return jet.value
        return doubles.intersection(jet.value, self.path.result(boxes))

    def contract(
        self, result: DoubleInterval, where: Integers | None = None
    ) -> list[DoubleInterval] | None:
        """Return the parts of the boxes evaluated last where a result is possible.

        where: the numbers of those that matter; all by default.
        """
        if self.path is None:
            return None
        jets = self.path.program.jets
        is_defined = np.asarray(self.path.outcomes(jets)[2])
        if where is None:
            values = [jet.value for jet in jets]
        else:
            values = [jet.value[where] if jet.value.shape else jet.value for jet in jets]
            is_defined = is_defined[where] if is_defined.shape else is_defined
        return self.path.contract(values, is_defined, result)


def is_narrower(route: Route, other: Route, pieces: Pieces) -> bool:
    """Return whether a route bounds values or slopes on some pieces better than another.

    Where that has no bounds, this may have some on smaller pieces.
    """
    one, two = (r.bounding.evaluate(pieces.boxes(), 1)[0] for r in (route, other))
    if (one.level > two.level).any() or not two.value.is_bounded.all():
        return True
    if _gains(one.value, two.value):
        return True
    both = one.slopes.keys() & two.slopes.keys()
    return any(_gains(one.slopes[i], two.slopes[i]) for i in both)


def _gains(x: DoubleInterval, y: DoubleInterval) -> bool:
    """Return whether intervals have less than a share of the widths of others."""
    return bool((x.hi - x.lo < _NARROWER * (y.hi - y.lo)).any())


def route_of(
    path: object, f: Extended, boxes: Sequence[DoubleInterval], integers: Sequence[int] = ()
) -> Route:
    """Return a path through a formula, with one of its other forms if it has some.

    integers: the variables that occur only in floor(x), and are integers at the bounds of boxes.
    """
    if not isinstance(path, Path):
        return Route(path, f, boxes)
    smooth = without_floors(path, integers)
    other = rewritten(smooth, boxes)
    if other is None and smooth is path:
        return Route(path, f, boxes)
    bounding = Route(smooth if other is None else other, f, boxes, None, True, integers)
    return Route(path, f, boxes, bounding)


def specialized_route(route: Route, boxes: Sequence[DoubleInterval]) -> Route | None:
    """Return a route on a part of a box that takes the same path; None if nothing is known there.

    boxes: the part, as one number for each bound.
    """
    path = route.path
    if path is None:
        return None
    fixed = {i: float(x.lo[0]) for i, x in enumerate(boxes) if x.lo[0] == x.hi[0]}
    chosen = decisions(path.program, path.program.evaluate(variables(boxes, 0)))
    if not (chosen or fixed):
        return None
    return route_of(specialize(path, chosen, fixed), route.f, boxes, route.bounding.integers)
